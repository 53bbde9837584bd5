//===- emit_search.h - A search by the lanes of a warp ------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of places in order, the first ones hold a condition and the others do not:
// where do the others begin? A loop asks at as many places as a warp has lanes,
// counts those that hold, and goes on between two of them.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_EMIT_SEARCH_H
#define MLOPT_PASSES_EMIT_SEARCH_H

#include "emit_index.h"

typedef struct MloptWarpSearch {
  MloptPull *pull;
  int64_t rounds;
  MlirValue within[2]; ///< the first place, and the end
  MlirValue range[2];  ///< what is left of that
  MlirValue step;
  MlirValue place; ///< where this lane asks
  MloptPullScope loop;
} MloptWarpSearch;

/// Begins a round among the places from `begin` to below `end`, at most `most`
/// apart; all lanes of the warp take part, `lane` is the number of each. Code
/// for the condition at `place`, which may lie past the end, follows.
void mloptBeginWarpSearch(MloptPull *, MlirValue lane, MlirValue begin,
                          MlirValue end, int64_t most, MloptWarpSearch *out);
/// Ends it; the first place that does not hold, or `end`.
MlirValue mloptEndWarpSearch(MloptWarpSearch *, MlirValue holds);

#endif
