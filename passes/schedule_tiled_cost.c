//===- schedule_tiled_cost.c - What a tile of any product costs -----------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cost model of tiled products: from a product and a tile, the cycles that
// its kernel takes on an H200. Only the order of two tiles of one product
// matters, and it depends on sizes, types and layouts alone.
//
//===----------------------------------------------------------------------===//

#include "schedule_tiled_impl.h"
#include "target.h"

/// What the model knows, of the H200 alone: multiprocessors' shared memory, and
/// in cycles, starting and storing a tile, and loading from L2 or memory under
/// load.
enum {
  TILE_CYCLES = 500,
  FILL_CYCLES = 1000,  ///< until a tile's first products, beside other tiles
  SPLIT_CYCLES = 2500, ///< to meet, and to add what lies in other blocks
  LATENCY = 1000,
  SHARED_BYTES = 232448,
  SHARED_CYCLE = 128, ///< bytes that shared memory moves in a cycle
  SPLIT_CYCLE = 300,  ///< products of f32 in three terms in a cycle
  FMA_CYCLE = 128,    ///< multiplications and additions in a cycle
};

/// Whether a factor goes to shared memory by cp.async, several steps ahead;
/// through registers it goes one step ahead.
static bool isCopied(const MloptProduct *p, const MloptTiledSchedule *s,
                     int factor) {
  const MloptFactor *f = &p->factors[factor];
  enum { LEAST_BYTES = 4 };
  int64_t bytes = mloptTiledBytesOf(mloptTiledStaged(p, s, factor)),
          most = LEAST_BYTES / bytes;
  MloptAxis axis = factor ? MLOPT_AXIS_N : MLOPT_AXIS_M;
  if (f->isComputed)
    return mloptTiledKeepsSource(p, s);
  return f->access.isKnown &&
         mlirTypeEqual(f->element, mloptTiledStored(p, factor)) &&
         (most <= 1 ||
          mloptRunAlong(p, &f->access, MLOPT_AXIS_K, most) >= most ||
          mloptRunAlong(p, &f->access, axis, most) >= most);
}

/// Cycles of a step's products, bound by what its warps read from shared memory
/// (four cycles for 16 rows, 32 bytes deep, of a factor), or by the
/// multipliers.
static int64_t stepCycles(const MloptProduct *p, const MloptTiledSchedule *s) {
  int64_t area = s->tile[0] * s->tile[1];
  bool isHalved = mloptTiledIsOneTerm(&p->factors[0]) ||
                  mloptTiledIsOneTerm(&p->factors[1]);
  if (s->terms > 1)
    return s->tile[2] * area / (isHalved ? 2 * SPLIT_CYCLE : SPLIT_CYCLE);
  int64_t warps = area / (s->warp[0] * s->warp[1]);
  // While fragments of f64 are read, about half of the products wait.
  if (mloptTiledIsDeep(p, s))
    return s->tile[2] * area / FMA_CYCLE +
           warps * (s->warp[0] + s->warp[1]) * s->tile[2] *
               mloptTiledBytesOf(p->sum) / SHARED_CYCLE / 2;
  if (!mloptTiledUsesMma(p))
    return s->tile[2] * area / FMA_CYCLE * mloptTiledBytesOf(p->sum) / 4;
  enum { FRAGMENT_BYTES = 32 }; // along k
  int64_t read = warps * (s->warp[0] + s->warp[1]) / 4;
  int64_t written = (s->tile[0] + s->tile[1]) * FRAGMENT_BYTES / SHARED_CYCLE;
  return s->tile[2] * mloptTiledBytesOf(mloptTiledStored(p, 0)) /
         FRAGMENT_BYTES * (read + written);
}

/// Tiles that a multiprocessor computes at once: registers of 128 a thread.
static int64_t residentTiles(const MloptProduct *p,
                             const MloptTiledSchedule *s) {
  int64_t byRegisters = mloptSm90.registers / (128 * mloptTiledThreads(s));
  int64_t byShared = SHARED_BYTES / mloptTiledSharedBytes(p, s);
  return byRegisters < byShared ? byRegisters : byShared;
}

/// Cycles to store a tile: instructions of four warps at a time, for each
/// vector of neighbours in a row of the result.
static int64_t storeCycles(const MloptProduct *p, const MloptTiledSchedule *s) {
  enum { VECTOR_INSTRUCTIONS = 12, LANES = 128, MOST_VECTOR = 8 };
  int64_t vector = MOST_VECTOR;
  while (p->axes[MLOPT_AXIS_N].size % vector)
    vector /= 2;
  return s->tile[0] * s->tile[1] / vector * VECTOR_INSTRUCTIONS / LANES;
}

/// Cycles: full rounds of tiles over the processors, each step of which takes
/// its products, or what memory takes to answer over the steps under way.
int64_t mloptTiledCost(const MloptProduct *p, const MloptTiledSchedule *s) {
  int64_t steps = mloptDivideUp(mloptTiledCountSteps(p, s), s->splits);
  int64_t rounds = mloptDivideUp(mloptTiledCountTiles(p, s) * s->splits,
                                 MLOPT_TILED_PROCESSORS);
  int64_t resident = residentTiles(p, s);
  int64_t ahead = isCopied(p, s, 0) && isCopied(p, s, 1) ? s->stages - 1 : 1;
  int64_t products = rounds * steps * stepCycles(p, s);
  int64_t turns = mloptDivideUp(rounds, resident);
  // Through registers, each thread shifts what it has waited for.
  enum { SHIFTED_BYTES_CYCLE = 16 };
  int64_t shift =
      ahead > 1
          ? 0
          : (mloptTiledFactorBytes(p, s, 0) + mloptTiledFactorBytes(p, s, 1)) /
                SHIFTED_BYTES_CYCLE;
  int64_t waits = turns * steps * (LATENCY + shift) / ahead;
  return (products > waits ? products : waits) + turns * FILL_CYCLES +
         rounds * (TILE_CYCLES + storeCycles(p, s)) +
         (s->splits > 1) * SPLIT_CYCLES;
}
