//===- index.h - Indexed access -----------------------------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What gather and scatter share: both move windows between an operand and a
// tensor of "batch" dimensions, one window for each index vector.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_DIALECT_INDEX_H
#define MLOPT_DIALECT_INDEX_H

#include "infer.h"

/// The dimension numbers of a gather or scatter. "Windowed" is the tensor that
/// holds all windows: gather's result, scatter's updates.
typedef struct MloptIndexing {
  MloptInts window;       ///< dimensions of the windowed tensor, rising
  MloptInts collapsed;    ///< operand dimensions that no window dimension has
  MloptInts operandBatch; ///< operand dimensions paired with index dimensions
  MloptInts indexBatch;   ///< and these
  MloptInts map;          ///< operand dimension of each index component
  int64_t indexVectorDim; ///< of the indices; their rank when implicit
  intptr_t batchRank;
  int64_t batch[MLOPT_MAX_RANK]; ///< sizes of the batch dimensions
} MloptIndexing;

/// The attribute names behind a MloptIndexing.
typedef struct MloptIndexingNames {
  const char *window, *collapsed, *operandBatch, *indexBatch, *map;
} MloptIndexingNames;
extern const MloptIndexingNames mloptGatherNames, mloptScatterNames;

bool mloptReadIndexing(const MloptSubject *, const MloptIndexingNames *,
                       MlirType operand, MlirType indices, MloptIndexing *out);
/// Whether an operand dimension is part of a window.
static inline bool mloptIsWindowed(const MloptIndexing *x, int64_t dim) {
  return !mloptHasInt(&x->collapsed, dim) &&
         !mloptHasInt(&x->operandBatch, dim);
}
/// A start index brought into [0, size - window].
static inline int64_t mloptClampStart(int64_t start, int64_t size,
                                      int64_t window) {
  int64_t last = size - window;
  return start < 0 ? 0 : start > last ? last : start;
}

/// Patterns that turn constant indices into slices.
void mloptAddGatherPatterns(MlirRewritePatternSet, MlirContext);
void mloptAddDynamicSlicePatterns(MlirRewritePatternSet, MlirContext);

#endif // MLOPT_DIALECT_INDEX_H
