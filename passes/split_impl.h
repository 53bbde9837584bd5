//===- split_impl.h - What mlopt-split-reductions splits ----------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_SPLIT_IMPL_H
#define MLOPT_PASSES_SPLIT_IMPL_H

#include "split_cut.h"

enum { MLOPT_SPLIT_REDUCTIONS = 8, MLOPT_SPLIT_ROOTS = 64 };

/// A sum of exp(a - m) that is cut together with the reduction that m is.
typedef struct MloptSplitStream {
  MlirOperation sum;
  MloptStreamed streamed;
  intptr_t max; ///< number of the reduction
} MloptSplitStream;

/// What is split: the reductions that read no other one's result.
typedef struct MloptSplit {
  MlirOperation fusion;
  MlirBlock body;
  intptr_t count;
  MlirOperation reductions[MLOPT_SPLIT_REDUCTIONS];
  MloptReduction loops[MLOPT_SPLIT_REDUCTIONS];
  MloptCut cuts[MLOPT_SPLIT_REDUCTIONS];
  intptr_t numStreams;
  MloptSplitStream streams[MLOPT_MAX_TILE_ROOTS];
  int64_t rest;  ///< elements of the cut loops in no piece
  bool isFew;    ///< so few that they are combined with the pieces' results
  bool isWhole;  ///< nothing is cut; others wait for the reductions
  bool isBeside; ///< the reductions are sums of columns beside others of rows
  bool isFold;   ///< or of what follows products
  intptr_t
      firsts[MLOPT_SPLIT_REDUCTIONS]; ///< then, their results in the pieces
} MloptSplit;

/// Finds what to split of a fusion; false if nothing.
bool mloptReadSplit(MlirOperation fusion, MloptSplit *out);
/// The number of a reduction's first result.
intptr_t mloptSplitResultOf(const MloptSplit *, intptr_t reduction);
/// Where a reduction is cut into about as many pieces, and how much fills none:
/// rather `few` elements.
bool mloptFindCut(const MloptReduction *, int64_t pieces, int64_t few,
                  MloptCut *out, int64_t *outRest);

/// Whether the reductions of a fusion are of rows and of columns of one space;
/// finds those of columns, or with `rows` the others.
bool mloptFindBeside(MloptSplit *, bool rows);
/// Cuts sums of columns, all alike; where that cannot be, the rows' reductions
/// become a kernel of their own.
void mloptCutBeside(MloptSplit *);

#endif // MLOPT_PASSES_SPLIT_IMPL_H
