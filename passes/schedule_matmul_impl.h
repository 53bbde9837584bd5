//===- schedule_matmul_impl.h - Inside schedules of products ------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the files that choose and check schedules of matrix products share.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_SCHEDULE_MATMUL_IMPL_H
#define MLOPT_PASSES_SCHEDULE_MATMUL_IMPL_H

#include "schedule_matmul.h"

enum {
  MLOPT_MATMUL_PROCESSORS = 132, ///< multiprocessors of an H200
  MLOPT_MATMUL_MOST_SPLITS = 8,  ///< blocks of a cluster on every chip
};

/// Bytes of an element of a factor.
static inline int64_t mloptMatmulElementBytes(const MloptMatrix *matrix) {
  return mloptElementWidth(mloptElementType(matrix->type)) / 8;
}

/// Whether one side is so short that the kernel does little but read the other
/// factor, once.
bool mloptMatmulIsStreamed(const MloptContraction *);
/// Sets what follows from the tile's sides.
void mloptMatmulComplete(const MloptContraction *, MloptMatmulSchedule *);
/// Whether wgmma and TMA take these contractions.
bool mloptMatmulIsTaken(const MloptContractions *);
/// What makes a schedule illegal for these contractions; NULL if nothing does.
const char *mloptMatmulFault(const MloptContractions *,
                             const MloptMatmulSchedule *);

#endif // MLOPT_PASSES_SCHEDULE_MATMUL_IMPL_H
