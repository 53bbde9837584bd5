//===- emit_structured.h - Scans, scatters and sorts in kernels ---*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_EMIT_STRUCTURED_H
#define MLOPT_PASSES_EMIT_STRUCTURED_H

#include "emit_pull.h"

/// A loop of all threads of the grid over [0, count).
typedef struct MloptGridLoop {
  MlirValue first, count, step;
} MloptGridLoop;
MloptPullScope mloptBeginGridLoop(MloptPull *, MloptGridLoop *, int64_t count,
                                  MlirValue *outIndex);
void mloptEndGridLoop(MloptPull *, const MloptGridLoop *, MloptPullScope);

/// Whether the operation computes its results in one go, in an order of its
/// own: mlopt.scan, mlopt.scatter, mlopt.sort with scalar regions.
bool mloptIsStructured(MlirOperation);
/// Emits it; `pointers[i]` takes result i, null for one that nobody stores.
void mloptEmitStructured(MloptPull *, MlirOperation, const MlirValue *pointers);

#endif // MLOPT_PASSES_EMIT_STRUCTURED_H
