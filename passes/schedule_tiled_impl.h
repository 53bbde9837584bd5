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
/// Chooses the tile of a direct kernel; false if it is for another.
bool mloptTiledChooseDirect(const MloptProduct *, bool clusters,
                            MloptTiledSchedule *out);

#endif // MLOPT_PASSES_SCHEDULE_TILED_IMPL_H
