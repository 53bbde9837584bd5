//===- emit_matmul_epilogue.h - What follows a matrix product -----*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The elementwise code between a product and what the kernel stores, computed
// for one element of the accumulator at a time, in registers.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_EMIT_MATMUL_EPILOGUE_H
#define MLOPT_PASSES_EMIT_MATMUL_EPILOGUE_H

#include "contraction.h"
#include "emit_pull.h"

typedef struct MloptEpilogue {
  MloptPull *pull;
  const MloptContraction *contraction;
  MlirValue accumulator; ///< where the pull emitter stands
} MloptEpilogue;

/// Binds the program's parameters to those of `code`; the pull emitter is
/// borrowed, and so is the epilogue by it.
void mloptEpilogueBegin(MloptEpilogue *, MloptPull *, const MloptContraction *,
                        MlirBlock program, MlirBlock code);

/// The stored element at m, n and batch (i32) for this value of the product: of
/// the stored type, or in f32 where the last step is to round to it.
MlirValue mloptEpilogueElement(MloptEpilogue *, MlirValue accumulator,
                               MlirValue m, MlirValue n, MlirValue batch);

#endif // MLOPT_PASSES_EMIT_MATMUL_EPILOGUE_H
