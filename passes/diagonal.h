//===- diagonal.h - Which steps of a product a mask leaves --------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `mlopt.zeros` (fuse_zeros.c), as the emitters of products read it.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_DIAGONAL_H
#define MLOPT_PASSES_DIAGONAL_H

#include "contraction.h"
#include "nv_build.h"

/// Narrows the steps [first, end), `depth` k each, of a tile whose rows (or
/// columns, of a diagonal of n) start at `start`, to those where a factor is
/// not zero for all of them. All are i32.
void mloptDiagonalNarrow(MloptNv *, const MloptDiagonal *, MlirValue start,
                         int64_t rows, int64_t depth, MlirValue *first,
                         MlirValue *end);

#endif // MLOPT_PASSES_DIAGONAL_H
