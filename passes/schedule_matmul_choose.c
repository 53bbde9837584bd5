//===- schedule_matmul_choose.c - The tile of matrix products -------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses the schedule of contractions that wgmma and TMA take: of the tiles
// below, each legal one's cycles by a cost model, or what was measured where
// the model is off. The choice depends on sizes, types and layouts alone.
//
//===----------------------------------------------------------------------===//

#include "schedule_matmul_impl.h"

#include "nv_tma.h"

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Tiles of m and n; a larger one reads less for each product, a smaller one
/// makes more tiles, and two blocks that share tiles of B read those half as
/// often. Of `band` rows of tiles, A stays in L2 while B goes by; in a single
/// round, it is FEW_BAND instead.
/// The depth, and the stages that fit, follow from them.
static const MloptMatmulSchedule candidates[] = {
    {.tile = {128, 256}, .band = 16, .cluster = 1, .splits = 1},
    {.tile = {128, 256}, .band = 8, .cluster = 2, .splits = 1},
    {.tile = {256, 128}, .band = 8, .cluster = 1, .splits = 1},
    {.tile = {128, 192}, .band = 16, .cluster = 1, .splits = 1},
    {.tile = {128, 128}, .band = 16, .cluster = 1, .splits = 1},
    {.tile = {128, 128},
     .band = 12,
     .cluster = 1,
     .splits = 1,
     .alternate = true},
    {.tile = {128, 64}, .band = 16, .cluster = 1, .splits = 1},
    {.tile = {64, 128},
     .band = 16,
     .cluster = 1,
     .splits = 1,
     .alternate = true},
    {.tile = {64, 64},
     .band = 16,
     .cluster = 1,
     .splits = 1,
     .alternate = true},
    // For rows that are reduced: of few rows, more tiles than 128 of them make.
    {.tile = {64, 192},
     .band = 16,
     .cluster = 1,
     .splits = 1,
     .alternate = true},
    {.tile = {64, 256},
     .band = 16,
     .cluster = 1,
     .splits = 1,
     .alternate = true},
};

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// What the model knows of sm_90a: products of 16-bit elements that the Tensor
/// Cores form in a cycle (CUDA C++ programming guide), and what L2 delivers,
/// fitted to 300 schedules of 60 products on an H200.
enum {
  PRODUCTS_PER_CYCLE = 2048,
  BLOCK_BYTES_PER_CYCLE = 80, ///< to one block
  // To all blocks. Those that go along k together ask for the same lines at
  // about the same time, which are then delivered once, the more so in a single
  // round. Blocks that split k do not, and lines that TMA takes a part of are
  // asked for twice.
  LINES_PER_CYCLE = 66,
  APART_LINES_PER_CYCLE = 56,
  // Of blocks that run side by side, the nearly square patch that a narrow band
  // makes reads few lines: 1024x1024x8192 in tiles of 128x64 took 27.5 us in
  // bands of 4, 40 in bands of 8.
  FEW_BAND = 4,
};

/// The lines of memory that TMA asks L2 for to read 128 bytes of a row.
static int64_t linesOf(const MloptMatrix *matrix) {
  for (intptr_t i = 1; i < matrix->rank; ++i)
    if (matrix->dims[i].stride * mloptMatmulElementBytes(matrix) %
        MLOPT_NV_ROW_BYTES)
      return 2;
  return 1;
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

/// Cycles that the producer's warps, one to a scheduler, take for a stage. A
/// piece of eight elements took 180 where bytes are converted (8192x4096x4096
/// and 2048x4096x4096 in tiles of 256x128), and is copied in 60.
static int64_t fillCycles(const MloptContraction *c,
                          const MloptMatmulSchedule *s) {
  enum {
    COPY_CYCLES = 60,
    COMPUTE_CYCLES = 120,
    OPERATION_CYCLES = 60,
    THREADS = 128
  };
  int64_t pieces =
      s->tile[c->computes[1]] * (MLOPT_NV_MMA_STAGE_BYTES / 16) / THREADS;
  int64_t operations = c->prologue.operations;
  return pieces * (operations ? COMPUTE_CYCLES + OPERATION_CYCLES * operations
                              : COPY_CYCLES);
}

/// Whether so many blocks have one tile each at most.
static bool isOneRound(int64_t blocks) {
  return blocks <= MLOPT_MATMUL_PROCESSORS;
}

static int64_t countBlocks(const MloptContractions *list,
                           const MloptMatmulSchedule *s) {
  return mloptMatmulTotal(list, s) * mloptMatmulBlocks(s);
}

/// Cycles until a block has a stage's rows from L2, beside others.
static int64_t costOfReading(const MloptContraction *c,
                             const MloptMatmulSchedule *s, int64_t blocks) {
  int64_t ofA = linesOf(&c->a), ofB = linesOf(&c->b);
  int64_t lines = ofA * s->tile[0] + ofB * s->tile[1] / s->cluster;
  int64_t own = lines * MLOPT_NV_ROW_BYTES / BLOCK_BYTES_PER_CYCLE;
  bool isApart = s->splits > 1 || ofA > 1 || ofB > 1;
  if (isOneRound(blocks) && !isApart)
    return own;
  int64_t active =
      isOneRound(blocks) ? blocks : (int64_t)MLOPT_MATMUL_PROCESSORS;
  return larger(own, lines * active /
                         (isApart ? APART_LINES_PER_CYCLE : LINES_PER_CYCLE));
}

/// Cycles of a step of a tile, bound by its products or by what so many blocks
/// read from L2.
static int64_t costOfStep(const MloptContraction *c,
                          const MloptMatmulSchedule *s, int64_t blocks) {
  enum {
    CLUSTER_LOSS = 32, // one in, of stages that wait for two blocks, measured
    PROMOTE_CYCLES = 200, // of a stage whose sums are added, measured
    PROMOTE_16_BIT_CYCLES = 350,
    // One in, of instructions of 64 columns, which read as much of shared
    // memory as it gives.
    NARROW_LOSS = 48,
    NARROW = 64,
    // One in, of tiles four times as wide as high, measured of 8192x256x4096.
    WIDE_LOSS = 3,
    FILL_LOSS = 32, // of stages that threads fill beside TMA
  };
  int64_t compute = s->tile[0] * s->tile[1] * (MLOPT_NV_MMA_STAGE_BYTES / 2) /
                    PRODUCTS_PER_CYCLE;
  int64_t read = costOfReading(c, s, blocks);
  int64_t less = compute < read ? compute : read;
  int64_t step = compute + read - less + less / 8;
  if (s->tile[1] <= NARROW)
    step += step / NARROW_LOSS;
  if (s->tile[1] > 2 * s->tile[0])
    step += step / WIDE_LOSS;
  if (s->cluster > 1)
    step += step / CLUSTER_LOSS;
  if (mloptMatmulFills(c))
    step = larger(step + step / FILL_LOSS, fillCycles(c, s));
  if (mloptMatmulPromotes(c))
    step += mloptMatmulElementBytes(&c->a) == 1 ? PROMOTE_CYCLES
                                                : PROMOTE_16_BIT_CYCLES;
  return step;
}

/// Cycles until a tile is stored, column by column.
static int64_t costOfStore(const MloptContraction *c,
                           const MloptMatmulSchedule *s) {
  enum {
    STORE_CYCLES = 400,
    STORE_COLUMN_CYCLES = 4,
    SPLIT_CYCLES = 3500,     // meeting twice, measured
    SPLIT_COLUMN_CYCLES = 5, // of each block, sending, measured
    OPERATIONS_PER_CYCLE = 128,
    THREADS = 128, // of a consumer, an operation of whose rows takes a cycle
  };
  int64_t store = STORE_CYCLES + STORE_COLUMN_CYCLES * s->tile[1];
  if (c->numOfRows)
    store +=
        c->rowOperations * mloptMatmulConsumerRows(s) * s->tile[1] / THREADS;
  else if (!c->isPlain)
    store += mloptEpilogueOperations(c) * s->tile[0] *
             mloptMatmulProductColumns(c, s) / OPERATIONS_PER_CYCLE;
  if (s->splits > 1)
    store += SPLIT_CYCLES + SPLIT_COLUMN_CYCLES * s->splits * s->tile[1];
  return store;
}

/// The steps of a tile, on average: half of them and the diagonal's where those
/// in which a factor is zero are left out.
static int64_t stepsOf(const MloptContraction *c,
                       const MloptMatmulSchedule *s) {
  int64_t steps = mloptMatmulSteps(c, s);
  return mloptMatmulCanSkipZeros(c, s) ? steps / 2 + 1 : steps;
}

/// Cycles: full rounds of tiles over the processors, each multiplied and then
/// stored. Where consumers alternate, one stores while the other multiplies.
static int64_t cost(const MloptContractions *list,
                    const MloptMatmulSchedule *s) {
  enum {
    ALTERNATE_LOSS = 25, // one in, measured at 4096 and 8192 cubed
    TAIL_CYCLES = 18000, // clearing flags, sending and adding sums
  };
  const MloptContraction *c = &list->at[0];
  int64_t step = 0, store = 0, blocks = countBlocks(list, s);
  for (intptr_t i = 0; i < list->count; ++i) {
    int64_t own = costOfStep(&list->at[i], s, blocks);
    step = own > step ? own : step;
    own = costOfStore(&list->at[i], s);
    store = own > store ? own : store;
  }
  int64_t multiply = mloptDivideUp(stepsOf(c, s), s->splits) * step;
  int64_t rounds = mloptDivideUp(blocks, MLOPT_MATMUL_PROCESSORS);
  if (s->tail) {
    MloptMatmulTail tail = mloptMatmulTailOf(c, s);
    return rounds * store + tail.rounds * multiply + tail.firstSteps * step +
           TAIL_CYCLES;
  }
  if (!s->alternate)
    return rounds * (multiply + store);
  if (!isOneRound(blocks))
    multiply += multiply / ALTERNATE_LOSS;
  int64_t turns = mloptDivideUp(rounds, MLOPT_MATMUL_CONSUMERS);
  int64_t together = rounds * multiply + store;
  int64_t apart = turns * (multiply + store);
  return together > apart ? together : apart;
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

/// Whether all clusters surely run at once: larger ones leave some processors
/// of a GPC idle.
static bool runsAtOnce(const MloptContractions *list,
                       const MloptMatmulSchedule *s) {
  return s->splits <= 2 || mloptMatmulTotal(list, s) * s->splits <=
                               MLOPT_MATMUL_PROCESSORS * 7 / 8;
}

/// The schedule, or the same with a tail, where that is legal and faster.
static MloptMatmulSchedule maybeTail(const MloptContractions *c,
                                     const MloptMatmulSchedule *s) {
  MloptMatmulSchedule tail = *s;
  tail.tail = true;
  return !mloptMatmulFault(c, &tail) && cost(c, &tail) < cost(c, s) ? tail : *s;
}

/// What was fastest on an H200 where the model is off by a percent or two, for
/// factors of so many bytes.
static const struct {
  int64_t bytes, m, n, k;
  MloptMatmulSchedule schedule; ///< but for what follows from the tile
} measured[] = {
    {2,
     2048,
     2048,
     2048,
     {{128, 128}, .band = 4, .cluster = 1, .splits = 1, .alternate = true}},
    {2, 8192, 8192, 8192, {{128, 256}, .band = 8, .cluster = 1, .splits = 1}},
    {2,
     16384,
     16384,
     16384,
     {{128, 256}, .band = 8, .cluster = 1, .splits = 1}},
    {2, 8192, 4096, 14336, {{128, 256}, .band = 12, .cluster = 1, .splits = 1}},
    {1,
     4096,
     4096,
     4096,
     {{128, 128}, .band = 8, .cluster = 1, .splits = 1, .alternate = true}},
    {1, 8192, 8192, 8192, {{128, 256}, .band = 16, .cluster = 1, .splits = 1}},
};

static bool findMeasured(const MloptContractions *list,
                         MloptMatmulSchedule *out) {
  const MloptContraction *c = &list->at[0];
  for (int i = 0; i < MLOPT_COUNT(measured); ++i) {
    if (measured[i].m != c->sizes[MLOPT_AXIS_M] ||
        measured[i].n != c->sizes[MLOPT_AXIS_N] ||
        measured[i].k != c->sizes[MLOPT_AXIS_K] ||
        c->sizes[MLOPT_AXIS_BATCH] != 1 ||
        mloptMatmulElementBytes(&c->a) != measured[i].bytes)
      continue;
    *out = measured[i].schedule;
    mloptMatmulComplete(c, out);
    *out = maybeTail(list, out);
    return !mloptMatmulFault(list, out);
  }
  return false;
}

/// Whether boxes of a factor B hold pixels.
static bool hasPixels(const MloptContractions *list) {
  for (intptr_t i = 0; i < list->count; ++i)
    if (list->at[i].b.isPixels)
      return true;
  return false;
}

/// The best candidate, and its cycles; 0 if none is legal.
static int64_t findBest(const MloptContractions *list,
                        MloptMatmulSchedule *out) {
  const MloptContraction *c = &list->at[0];
  int64_t best = 0;
  for (int i = 0; i < MLOPT_COUNT(candidates); ++i) {
    MloptMatmulSchedule candidate = candidates[i];
    mloptMatmulComplete(c, &candidate);
    if (isOneRound(countBlocks(list, &candidate)))
      candidate.band = FEW_BAND;
    candidate = maybeTail(list, &candidate);
    for (; candidate.splits <= MLOPT_MATMUL_MOST_SPLITS;
         candidate.splits *= 2) {
      int64_t cycles = cost(list, &candidate);
      // The other way round is faster, but where k is split, or B's columns are
      // computed, or fit into one tile that leaves out steps or streams A.
      bool isOnlyColumn = c->sizes[MLOPT_AXIS_N] <= candidate.tile[1] &&
                          c->sizes[MLOPT_AXIS_N] > candidate.tile[1] / 2;
      if (candidate.tile[0] > candidate.tile[1] && candidate.splits == 1 &&
          !c->computes[1] &&
          !(mloptMatmulCanSkipZeros(c, &candidate) && isOnlyColumn) &&
          !(mloptMatmulIsStreamed(c) &&
            c->sizes[MLOPT_AXIS_N] <= candidate.tile[1]))
        continue;
      // For whole rows alone.
      if (!c->numOfRows && candidate.tile[1] > 2 * candidate.tile[0])
        continue;
      // Boxes of pixels are nobody's but the block's.
      if (candidate.cluster > 1 && hasPixels(list))
        continue;
      if (mloptMatmulFault(list, &candidate) || !runsAtOnce(list, &candidate) ||
          (best && cycles >= best))
        continue;
      best = cycles;
      *out = candidate;
    }
  }
  return best;
}

int64_t mloptMatmulListCycles(const MloptContractions *list) {
  MloptMatmulSchedule schedule;
  return findBest(list, &schedule);
}

int64_t mloptMatmulCycles(const MloptContraction *c) {
  MloptContractions list = {.count = 1};
  list.at[0] = *c;
  return mloptMatmulListCycles(&list);
}

bool mloptScheduleMatmul(const MloptContractions *list,
                         MloptMatmulSchedule *out) {
  bool isPlain = list->count == 1 && list->at[0].isPlain;
  return mloptMatmulIsTaken(list) &&
         ((isPlain && findMeasured(list, out)) || findBest(list, out) > 0);
}
