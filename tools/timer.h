//===- timer.h - Timing work on a GPU -----------------------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is timed is put on the timer's stream, in two regimes:
//
// - Burst: single runs after a pause, between two events, with the L2 emptied
//   and left clean before each: a memset would leave dirty lines, whose
//   write-back a kernel that only reads would then pay for. Launching is not
//   timed: the GPU is kept busy until the launch is queued.
// - Sustained: runs back to back, launching included.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_TOOLS_TIMER_H
#define MLOPT_TOOLS_TIMER_H

#include "error.h"
#include "runtime.h"

typedef struct MloptTimer {
  MloptDevice *device; ///< borrowed, its context current until the end
  bool pushed;
  CUstream stream;
  CUmodule module;
  CUfunction read, spin;
  uint64_t l2Bytes; ///< of device memory: several times the L2
  CUdeviceptr dirty, clean;
} MloptTimer;

/// Puts its work on the timer's stream; `run` counts from 0.
typedef bool (*MloptTimed)(MloptTimer *, void *data, uint64_t run,
                           MloptError *);

/// Something to be timed, and what was measured, in milliseconds.
typedef struct MloptContender {
  MloptTimed run;
  void *data;
  double cpuMs, gpuMs; ///< of a run, about
  double ms, quartiles[2];
  double sustainedMs;
  int repetitions;
} MloptContender;

/// On failure there is nothing to destroy.
bool mloptTimerCreate(MloptTimer *, MloptDevice *, MloptError *);
void mloptTimerDestroy(MloptTimer *);
/// True for success; else names the call.
bool mloptTakeCuda(MloptTimer *, CuResult, const char *call, MloptError *);
/// Waits for the timer's stream.
bool mloptTimerWait(MloptTimer *, MloptError *);

/// Finds out what a run takes, about; what the first runs do extra is over
/// then.
bool mloptTimerWarm(MloptTimer *, MloptContender *, uint64_t runs,
                    MloptError *);
/// The contenders in turn for about so many seconds.
bool mloptTimeBurst(MloptTimer *, int count, MloptContender *, double seconds,
                    MloptError *);
bool mloptTimeSustained(MloptTimer *, MloptContender *, double seconds,
                        MloptError *);

#endif // MLOPT_TOOLS_TIMER_H
