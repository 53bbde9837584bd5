//===- run.h - A program that can be called -----------------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between a file and the tensors that come out of it. The file is a program of
// any level up to linalg, which is compiled in this process, or an artifact,
// which is loaded on a GPU as it is; on the CPU, and for the oracle, the
// program inside the artifact is compiled.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_TOOLS_RUN_H
#define MLOPT_TOOLS_RUN_H

#include "gpu.h"
#include "jit.h"

typedef struct MloptRunnerOptions {
  const char *program; ///< a path; "-" is standard input
  const char *entry;
  MloptDeviceKind device;
  bool withOracle;
  bool withFlops;
  const char *dump; ///< a folder for the program after each stage, or NULL
  bool explain;     ///< say on standard error what was fused and why not
} MloptRunnerOptions;

typedef struct MloptRunner {
  MloptEntry entry;
  MloptDevice *device; ///< borrowed; NULL: the CPU
  MloptGpu *gpu;       ///< where there is a device
  MloptJit *jit;       ///< where there is none
  MloptJit *oracle; ///< on the CPU, accumulates in f64; NULL unless asked for
  double flops; ///< of contractions, if asked for; 0 where there are none
  MloptTimes times; ///< of compiling and loading, without the oracle's
  // What these stand on.
  MloptArtifact *artifact;
  uint8_t *data;
} MloptRunner;

/// Whether the file is an artifact, by its first bytes or its name.
bool mloptIsArtifact(const char *path);

/// On failure diagnostics or a message tell why, and there is nothing to
/// destroy.
bool mloptRunnerCreate(const MloptRunnerOptions *, MloptMachine *,
                       MloptRunner *, MloptError *);
void mloptRunnerDestroy(MloptRunner *);
/// The artifact of a program, whether it was one or is compiled to one, in
/// words. Runs nothing and needs no GPU. The caller releases the text.
bool mloptShowProgram(const MloptRunnerOptions *, MloptMachine *, char **text,
                      MloptError *);

/// Fills the entry's last inputs with the results of its source functions;
/// `inputs` has place for all.
bool mloptRunSources(const MloptRunner *, MloptTensor *inputs, MloptError *);
/// Calls the entry, or the oracle's; allocates the outputs. The time is that of
/// the call alone, on a GPU with the copies to and from it.
bool mloptRunEntry(const MloptRunner *, const MloptTensor *inputs,
                   MloptTensor *outputs, double *seconds, MloptError *);
bool mloptRunOracle(const MloptRunner *, const MloptTensor *inputs,
                    MloptTensor *outputs, MloptError *);

/// Copies types, without data; freed by mloptTensorsDestroy.
MloptTensor *mloptTensorsCreate(int count, const MloptTensor *types);
/// Releases the data of each and frees the array. Takes NULL too.
void mloptTensorsDestroy(int count, MloptTensor *);

#endif // MLOPT_TOOLS_RUN_H
