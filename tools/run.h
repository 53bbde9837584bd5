//===- run.h - Compile a program for the CPU and call it ----------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between a program in memory and the tensors that come out of it. A runner
// holds the entry's signature and its machine code.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_TOOLS_RUN_H
#define MLOPT_TOOLS_RUN_H

#include "entry.h"
#include "jit.h"
#include "passes.h"

typedef struct MloptRunner {
  MloptEntry entry;
  MloptJit *jit;
  MloptJit *oracle; ///< accumulates in f64; NULL unless asked for
  double compileSeconds;
} MloptRunner;

/// Compiles the session's module, which this consumes. `dump` is a folder for
/// the IR after each stage, or NULL. On failure diagnostics or a message tell
/// why, and there is nothing to destroy.
bool mloptRunnerCreate(MloptSession *, const char *entry, bool withOracle,
                       const char *dump, MloptRunner *, MloptError *);
void mloptRunnerDestroy(MloptRunner *);

/// Fills the entry's last inputs with the results of its source functions;
/// `inputs` has place for all.
bool mloptRunSources(const MloptRunner *, MloptTensor *inputs, MloptError *);
/// Calls the entry; allocates the outputs. The time is that of the call alone.
bool mloptRunEntry(const MloptRunner *, const MloptJit *,
                   const MloptTensor *inputs, MloptTensor *outputs,
                   double *seconds, MloptError *);

/// Copies types, without data; freed by mloptTensorsDestroy.
MloptTensor *mloptTensorsCreate(int count, const MloptTensor *types);
/// Releases the data of each and frees the array. Takes NULL too.
void mloptTensorsDestroy(int count, MloptTensor *);

#endif // MLOPT_TOOLS_RUN_H
