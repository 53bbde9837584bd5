//===- timer.c - Timing work on a GPU -------------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "timer.h"

#include "machine.h"
#include "stages.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

//===----------------------------------------------------------------------===//
// The timer's own kernels
//===----------------------------------------------------------------------===//

enum { READ_BLOCKS = 1056, READ_THREADS = 256 };

// read(from, bytes): reads all, 16 bytes a thread and turn, and writes nothing;
// the store is for the assembler, which would leave out the loads.
// spin(ns): takes as long as that.
static const char ptx[] =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry read(.param .u64 from, .param .u64 bytes)\n"
    "{ .reg .b64 %p, %end, %step; .reg .b32 %r<8>; .reg .pred %q;\n"
    "ld.param.u64 %p, [from]; ld.param.u64 %end, [bytes];\n"
    "add.s64 %end, %end, %p;\n"
    "mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;\n"
    "mad.lo.u32 %r0, %r0, %r1, %r2; mul.wide.u32 %step, %r0, 16;\n"
    "add.s64 %p, %p, %step;\n"
    "mov.u32 %r0, %nctaid.x; mul.lo.u32 %r0, %r0, %r1;\n"
    "mul.wide.u32 %step, %r0, 16; mov.u32 %r3, 0;\n"
    "next: setp.ge.u64 %q, %p, %end; @%q bra done;\n"
    "ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%p];\n"
    "xor.b32 %r3, %r3, %r4; add.s64 %p, %p, %step; bra next;\n"
    "done: setp.ne.u32 %q, %r3, 0x5EED5EED; @%q bra end;\n"
    "ld.param.u64 %p, [from]; st.global.u32 [%p], %r3;\n"
    "end: ret; }\n"
    ".visible .entry spin(.param .u64 ns)\n"
    "{ .reg .b64 %now, %end; .reg .pred %q;\n"
    "ld.param.u64 %end, [ns]; mov.u64 %now, %globaltimer;\n"
    "add.s64 %end, %end, %now;\n"
    "again: mov.u64 %now, %globaltimer; setp.lt.u64 %q, %now, %end;\n"
    "@%q bra again;\n"
    "ret; }\n";

bool mloptTakeCuda(MloptTimer *timer, CuResult code, const char *call,
                   MloptError *error) {
  return !code || mloptTakeStatus(mloptCreateCudaStatus(timer->device, code,
                                                        call, "timing"),
                                  NULL, error);
}

static bool launch(MloptTimer *timer, CUfunction function, unsigned blocks,
                   unsigned threads, void **parameters, MloptError *error) {
  CuLaunchConfig config = {.gridDimX = blocks,
                           .gridDimY = 1,
                           .gridDimZ = 1,
                           .blockDimX = threads,
                           .blockDimY = 1,
                           .blockDimZ = 1,
                           .hStream = timer->stream};
  return mloptTakeCuda(
      timer,
      timer->device->cuda.launchKernelEx(&config, function, parameters, NULL),
      "cuLaunchKernelEx", error);
}

static bool emptyL2(MloptTimer *timer, MloptError *error) {
  void *parameters[] = {&timer->clean, &timer->l2Bytes};
  return mloptTakeCuda(timer,
                       timer->device->cuda.memsetD8Async(
                           timer->dirty, 0, timer->l2Bytes, timer->stream),
                       "cuMemsetD8Async", error) &&
         launch(timer, timer->read, READ_BLOCKS, READ_THREADS, parameters,
                error);
}

static bool spin(MloptTimer *timer, double ms, MloptError *error) {
  uint64_t ns = (uint64_t)(ms * 1e6);
  void *parameters[] = {&ns};
  return launch(timer, timer->spin, 1, 1, parameters, error);
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

static bool prepare(MloptTimer *timer, MloptError *error) {
  enum { L2_TIMES = 4 };
  MloptCuda *cuda = &timer->device->cuda;
  int l2 = 0;
  bool good =
      mloptTakeCuda(
          timer,
          cuda->deviceGetAttribute(&l2, MLOPT_CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE,
                                   timer->device->device),
          "cuDeviceGetAttribute", error) &&
      mloptTakeCuda(
          timer,
          cuda->streamCreate(&timer->stream, MLOPT_CU_STREAM_NON_BLOCKING),
          "cuStreamCreate", error) &&
      mloptTakeCuda(timer, cuda->moduleLoadData(&timer->module, ptx),
                    "cuModuleLoadData", error) &&
      mloptTakeCuda(
          timer, cuda->moduleGetFunction(&timer->read, timer->module, "read"),
          "cuModuleGetFunction", error) &&
      mloptTakeCuda(
          timer, cuda->moduleGetFunction(&timer->spin, timer->module, "spin"),
          "cuModuleGetFunction", error);
  timer->l2Bytes = L2_TIMES * (uint64_t)l2;
  return good &&
         mloptTakeStatus(mloptAllocateDevice(timer->device, timer->l2Bytes,
                                             "emptying the L2", &timer->dirty),
                         NULL, error) &&
         mloptTakeStatus(mloptAllocateDevice(timer->device, timer->l2Bytes,
                                             "emptying the L2", &timer->clean),
                         NULL, error);
}

bool mloptTimerCreate(MloptTimer *timer, MloptDevice *device,
                      MloptError *error) {
  *timer = (MloptTimer){.device = device};
  if (!mloptTakeStatus(mloptEnterDevice(device, &timer->pushed), NULL, error))
    return false;
  if (prepare(timer, error))
    return true;
  mloptTimerDestroy(timer);
  return false;
}

void mloptTimerDestroy(MloptTimer *timer) {
  MloptCuda *cuda = &timer->device->cuda;
  mloptFreeDevice(timer->device, timer->clean);
  mloptFreeDevice(timer->device, timer->dirty);
  if (timer->module)
    cuda->moduleUnload(timer->module);
  if (timer->stream)
    cuda->streamDestroy(timer->stream);
  mloptLeaveDevice(timer->device, timer->pushed);
}

bool mloptTimerWait(MloptTimer *timer, MloptError *error) {
  return mloptTakeStatus(mloptSynchronizeStream(timer->device, timer->stream),
                         NULL, error);
}

//===----------------------------------------------------------------------===//
// Stretches between two events
//===----------------------------------------------------------------------===//

typedef struct Stretch {
  CUevent start, end;
} Stretch;

static bool createStretch(MloptTimer *timer, Stretch *stretch,
                          MloptError *error) {
  MloptCuda *cuda = &timer->device->cuda;
  return mloptTakeCuda(timer, cuda->eventCreate(&stretch->start, 0),
                       "cuEventCreate", error) &&
         mloptTakeCuda(timer, cuda->eventCreate(&stretch->end, 0),
                       "cuEventCreate", error);
}

static void destroyStretch(MloptTimer *timer, Stretch *stretch) {
  if (stretch->start)
    timer->device->cuda.eventDestroy(stretch->start);
  if (stretch->end)
    timer->device->cuda.eventDestroy(stretch->end);
}

/// `count` runs from `first` on, between the events.
static bool record(MloptTimer *timer, Stretch *stretch,
                   MloptContender *contender, uint64_t first, uint64_t count,
                   MloptError *error) {
  MloptCuda *cuda = &timer->device->cuda;
  bool good =
      mloptTakeCuda(timer, cuda->eventRecord(stretch->start, timer->stream),
                    "cuEventRecord", error);
  for (uint64_t i = 0; good && i < count; ++i)
    good = contender->run(timer, contender->data, first + i, error);
  return good &&
         mloptTakeCuda(timer, cuda->eventRecord(stretch->end, timer->stream),
                       "cuEventRecord", error);
}

static bool readStretch(MloptTimer *timer, const Stretch *stretch, double *ms,
                        MloptError *error) {
  float elapsed = 0;
  bool good = mloptTakeCuda(timer,
                            timer->device->cuda.eventElapsedTime(
                                &elapsed, stretch->start, stretch->end),
                            "cuEventElapsedTime", error);
  *ms = elapsed;
  return good;
}

//===----------------------------------------------------------------------===//
// Regimes
//===----------------------------------------------------------------------===//

/// What emptying the L2 takes, about; launches that take less are hidden by it.
static const double emptyingMs = 0.2;

bool mloptTimerWarm(MloptTimer *timer, MloptContender *contender, uint64_t runs,
                    MloptError *error) {
  Stretch stretch = {0};
  bool good = createStretch(timer, &stretch, error);
  for (uint64_t i = 0; good && i < runs; ++i)
    good = contender->run(timer, contender->data, i, error);
  good = good && mloptTimerWait(timer, error) && spin(timer, 1, error);
  double start = mloptNow();
  good = good && record(timer, &stretch, contender, 0, runs, error);
  contender->cpuMs = (mloptNow() - start) * 1e3 / (double)runs;
  good = good && mloptTimerWait(timer, error) &&
         readStretch(timer, &stretch, &contender->gpuMs, error);
  contender->gpuMs /= (double)runs;
  if (contender->gpuMs < 1e-3)
    contender->gpuMs = 1e-3;
  destroyStretch(timer, &stretch);
  return good;
}

static void pauseFor(double seconds) {
  struct timespec time = {.tv_sec = (time_t)seconds};
  time.tv_nsec = (long)((seconds - (double)time.tv_sec) * 1e9);
  nanosleep(&time, NULL);
}

static int compareTimes(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double clamp(double x, double least, double most) {
  return x < least ? least : x > most ? most : x;
}

/// One run of each, the first another one each round.
static bool burstRound(MloptTimer *timer, int count, MloptContender *contenders,
                       Stretch *stretches, int round, MloptError *error) {
  for (int i = 0; i < count; ++i) {
    int which = (round + i) % count;
    MloptContender *c = &contenders[which];
    bool slow = c->cpuMs > emptyingMs / 2; // launching would be timed
    if ((slow && !spin(timer, 2 * c->cpuMs, error)) || !emptyL2(timer, error) ||
        !record(timer, &stretches[round * count + which], c, (uint64_t)round, 1,
                error))
      return false;
  }
  return true;
}

static bool readBurst(MloptTimer *timer, int count, MloptContender *contenders,
                      const Stretch *stretches, int rounds, double *times,
                      MloptError *error) {
  for (int i = 0; i < count; ++i) {
    for (int round = 0; round < rounds; ++round)
      if (!readStretch(timer, &stretches[round * count + i], &times[round],
                       error))
        return false;
    qsort(times, (size_t)rounds, sizeof *times, compareTimes);
    contenders[i].ms = times[rounds / 2];
    contenders[i].quartiles[0] = times[rounds / 4];
    contenders[i].quartiles[1] = times[rounds - 1 - rounds / 4];
    contenders[i].repetitions = rounds;
  }
  return true;
}

bool mloptTimeBurst(MloptTimer *timer, int count, MloptContender *contenders,
                    double seconds, MloptError *error) {
  double perRound = 0; // ms
  for (int i = 0; i < count; ++i)
    perRound += contenders[i].gpuMs + emptyingMs + 2 * contenders[i].cpuMs;
  double pause = clamp(perRound * 0.5e-3, 0.002, 0.05);
  int rounds = (int)clamp(seconds / (perRound * 1e-3 + pause), 7, 200);
  Stretch *stretches = calloc((size_t)(rounds * count), sizeof *stretches);
  double *times = calloc((size_t)rounds, sizeof *times);
  bool good = (stretches && times) || mloptSetError(error, "no memory to time");
  for (int i = 0; good && i < rounds * count; ++i)
    good = createStretch(timer, &stretches[i], error);
  for (int round = 0; good && round < rounds; ++round) {
    good = mloptTimerWait(timer, error);
    pauseFor(pause);
    good =
        good && burstRound(timer, count, contenders, stretches, round, error);
  }
  good = good && mloptTimerWait(timer, error) &&
         readBurst(timer, count, contenders, stretches, rounds, times, error);
  for (int i = 0; stretches && i < rounds * count; ++i)
    destroyStretch(timer, &stretches[i]);
  free(times);
  free(stretches);
  return good;
}

bool mloptTimeSustained(MloptTimer *timer, MloptContender *contender,
                        double seconds, MloptError *error) {
  enum { SLICES = 3 };
  double each =
      contender->gpuMs > contender->cpuMs ? contender->gpuMs : contender->cpuMs;
  uint64_t runs = (uint64_t)clamp(seconds * 1e3 / SLICES / each, 3, 1e6);
  double times[SLICES];
  Stretch stretch = {0};
  bool good = createStretch(timer, &stretch, error);
  for (int i = 0; good && i < SLICES; ++i) {
    good = mloptTimerWait(timer, error) &&
           record(timer, &stretch, contender, 0, runs, error) &&
           mloptTimerWait(timer, error) &&
           readStretch(timer, &stretch, &times[i], error);
    times[i] /= (double)runs;
  }
  destroyStretch(timer, &stretch);
  if (good)
    qsort(times, SLICES, sizeof *times, compareTimes);
  contender->sustainedMs = good ? times[SLICES / 2] : 0;
  return good;
}
