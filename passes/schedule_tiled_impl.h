//===- schedule_tiled_impl.h - Inside the choice of tiles ---------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the files that choose tiles of any product share.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_SCHEDULE_TILED_IMPL_H
#define MLOPT_PASSES_SCHEDULE_TILED_IMPL_H

#include "schedule_tiled.h"

enum {
  MLOPT_TILED_PROCESSORS = 132, ///< multiprocessors of an H200
  MLOPT_TILED_LANE_BYTES = 16,  ///< of an access to memory
};

static inline int64_t mloptTiledBytesOf(MlirType element) {
  return mloptElementWidth(element) / 8;
}

// schedule_tiled.c
/// Tiles of all batches, and steps of one.
int64_t mloptTiledCountTiles(const MloptProduct *, const MloptTiledSchedule *);
int64_t mloptTiledCountSteps(const MloptProduct *, const MloptTiledSchedule *);
/// What is wrong with the blocks that share a tile's k; NULL if nothing is.
const char *mloptTiledSplitFault(const MloptProduct *,
                                 const MloptTiledSchedule *);

// schedule_tiled_cost.c
/// Cycles: full rounds of tiles over the processors, each step of which takes
/// its products, or what memory takes to answer over the steps under way.
int64_t mloptTiledCost(const MloptProduct *, const MloptTiledSchedule *);

// schedule_tiled_direct.c
/// Whether the elements of the large factor, that of this axis, are read once.
bool mloptTiledIsStreamed(const MloptProduct *, MloptAxis);
/// What is legal of a direct kernel: whole fragments, lines, and registers.
bool mloptTiledIsDirectTile(const MloptProduct *, const MloptTiledSchedule *);
/// Whether a product is for the kernels of rows (schedule_rows.c), which shift
/// nothing: a single row beside rows that start anywhere, of which those read
/// 80 MB in 28 us and a direct kernel in 34; or sums so few and short that they
/// do as well, measured from 618x2x75 to 2593x2x503, and 1x2933x169, which took
/// 4.4 us, not 6.
bool mloptTiledIsForRows(const MloptProduct *);
/// Chooses the tile of a direct kernel; false if it is for another.
bool mloptTiledChooseDirect(const MloptProduct *, bool clusters,
                            MloptTiledSchedule *out);

#endif // MLOPT_PASSES_SCHEDULE_TILED_IMPL_H
