//===- emit_kernels.h - Families of kernels -----------------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_EMIT_KERNELS_H
#define MLOPT_PASSES_EMIT_KERNELS_H

#include "emit_pull.h"
#include "schedule.h"

enum { MLOPT_MAX_ROOTS = 64 };

/// A result of the tensor program and where it goes.
typedef struct MloptRoot {
  MlirValue value;
  MlirValue pointer;
  bool done;
} MloptRoot;

typedef struct MloptKernel {
  MlirOperation func;
  MlirBlock program; ///< the tensor program, to be removed
  MlirBlock code;
  MloptPull *pull;
  MloptSchedule schedule;
  int numShared; ///< arrays in shared memory made so far
  intptr_t numRoots;
  MloptRoot roots[MLOPT_MAX_ROOTS];
} MloptKernel;

void mloptEmitPointwise(MloptKernel *);
void mloptEmitTranspose(MloptKernel *);
void mloptEmitRows(MloptKernel *);
void mloptEmitColumns(MloptKernel *);
void mloptEmitBoth(MloptKernel *);
void mloptEmitCount(MloptKernel *);

#endif // MLOPT_PASSES_EMIT_KERNELS_H
