//===- schedule_matmul.c - Tiles and launches of matrix products ----------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "schedule_matmul.h"

#include "fold.h"
#include "nv_ring.h"
#include "nv_tma.h"
#include "nv_wgmma.h"

#include <inttypes.h>

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static int64_t bytesOf(const MloptMatrix *matrix) {
  return mloptElementWidth(mloptElementType(matrix->type)) / 8;
}

/// What factors may be, by element type, and how TMA calls them. It rounds f32
/// to TF32.
static const struct {
  MloptNvFactor factor;
  const char *map;
} factors[] = {
    [MLOPT_BF16] = {{"bf16", 2, true}, "bf16"},
    [MLOPT_F16] = {{"f16", 2, true}, "f16"},
    [MLOPT_F8E4M3FN] = {{"e4m3", 1, false}, "u8"},
    [MLOPT_F8E5M2] = {{"e5m2", 1, false}, "u8"},
    [MLOPT_I8] = {{"s8", 1, false}, "u8"},
    [MLOPT_F32] = {{"tf32", 4, false}, "tf32"},
};

static MloptElement elementOf(const MloptMatrix *matrix) {
  return mloptGetElement(mloptElementType(matrix->type));
}

bool mloptMatmulFactor(const MloptMatrix *matrix, MloptNvFactor *out) {
  MloptElement element = elementOf(matrix);
  if (element >= MLOPT_COUNT(factors) || !factors[element].map)
    return false;
  *out = factors[element].factor;
  return true;
}

const char *mloptMatmulMapType(const MloptMatrix *matrix) {
  return factors[elementOf(matrix)].map;
}

bool mloptMatmulPromotes(const MloptContraction *c) {
  return c->isPromoted ||
         (bytesOf(&c->a) == 1 && elementOf(&c->a) != MLOPT_I8 && !c->isFast);
}

/// The instruction's factors are of one type, or both of 8-bit floats; f32 is
/// rounded, which the program must allow.
static bool isMultiplied(const MloptContraction *c) {
  MloptNvFactor factor;
  MloptElement a = elementOf(&c->a), b = elementOf(&c->b);
  MlirType sum = mloptElementType(mloptResultType(c->products[0], 0));
  return mloptMatmulFactor(&c->a, &factor) &&
         mloptMatmulFactor(&c->b, &factor) &&
         (a == b || (mloptNumberIsFloat(a) && mloptNumberIsFloat(b) &&
                     factor.bytes == 1)) &&
         (a != MLOPT_F32 || c->isFast) &&
         mloptGetElement(sum) == (a == MLOPT_I8 ? MLOPT_I32 : MLOPT_F32);
}

//===----------------------------------------------------------------------===//
// Legal tiles
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
};

/// What the model knows of sm_90a, from the CUDA C++ programming guide and the
/// H200's data sheet: multiprocessors, shared memory of a block, products of
/// 16-bit elements that the Tensor Cores form in a cycle, bytes that L2 then
/// delivers.
enum {
  PROCESSORS = 132,
  SHARED_BYTES = 232448,
  PRODUCTS_PER_CYCLE = 2048,
  BYTES_PER_CYCLE = 64,
  // Blocks that run side by side read the same lines at about the same time, of
  // which the nearly square patch of these that a narrow band makes has few:
  // 1024x1024x8192 in tiles of 128x64 took 27.5 us in bands of 4, 40 in bands
  // of 8.
  FEW_BAND = 4,
  FEW_BYTES_PER_CYCLE = 80,
  LEAST_STAGES = 2,
  MOST_STAGES = 63,
  MOST_REGISTERS = 192, ///< of a thread that accumulators may take
  MOST_CLUSTER = 2,
  MOST_SPLITS = 8, ///< blocks of a cluster on every chip
};

int64_t mloptMatmulConsumerRows(const MloptMatmulSchedule *s) {
  return s->alternate ? s->tile[0] : s->tile[0] / MLOPT_MATMUL_CONSUMERS;
}

int64_t mloptMatmulProductColumns(const MloptContraction *c,
                                  const MloptMatmulSchedule *s) {
  return s->tile[1] / c->numProducts;
}

void mloptMatmulTiles(const MloptContraction *c, const MloptMatmulSchedule *s,
                      int64_t *outM, int64_t *outN, int64_t *outTotal) {
  *outM = mloptDivideUp(c->sizes[MLOPT_AXIS_M], s->tile[0] * s->cluster);
  *outN =
      mloptDivideUp(c->sizes[MLOPT_AXIS_N], mloptMatmulProductColumns(c, s));
  *outTotal = *outM * *outN * c->sizes[MLOPT_AXIS_BATCH];
}

int64_t mloptMatmulTotal(const MloptContractions *list,
                         const MloptMatmulSchedule *s) {
  int64_t sum = 0;
  for (intptr_t i = 0; i < list->count; ++i) {
    int64_t m, n, total;
    mloptMatmulTiles(&list->at[i], s, &m, &n, &total);
    sum += total;
  }
  return sum;
}

int64_t mloptMatmulSteps(const MloptContraction *c,
                         const MloptMatmulSchedule *s) {
  return c->sizes[MLOPT_AXIS_K] / c->run * mloptDivideUp(c->run, s->tile[2]);
}

/// A tail's end costs whoever sends it about as much as SEND_STEPS more steps,
/// and the owner, who adds it, too: with e ends for each helper, both are done
/// when first + SEND = e (steps - first + SEND).
MloptMatmulTail mloptMatmulTailOf(const MloptContraction *c,
                                  const MloptMatmulSchedule *s) {
  enum { SEND_STEPS = 4 };
  int64_t m, n, total, steps = mloptMatmulSteps(c, s);
  mloptMatmulTiles(c, s, &m, &n, &total);
  MloptMatmulTail tail = {.blocks = PROCESSORS, .rounds = total / PROCESSORS};
  tail.tiles = total % PROCESSORS;
  tail.helpers = PROCESSORS - tail.tiles;
  tail.each = mloptDivideUp(tail.tiles, tail.helpers);
  tail.firstSteps = mloptDivideUp(tail.each * (steps + SEND_STEPS) - SEND_STEPS,
                                  tail.each + 1);
  if (!tail.rounds || !tail.tiles || tail.firstSteps >= steps)
    return (MloptMatmulTail){.blocks = 0};
  return tail;
}

MloptMatmulShared mloptMatmulCarve(const MloptMatmulSchedule *s) {
  MloptMatmulShared shared = {
      .aBytes = s->tile[0] * MLOPT_NV_ROW_BYTES,
      .bBytes = s->tile[1] * MLOPT_NV_ROW_BYTES,
      .storeBytes = MLOPT_NV_MMA_ROWS * MLOPT_NV_ROW_BYTES,
  };
  shared.b = shared.a + s->stages * shared.aBytes;
  shared.store = shared.b + s->stages * shared.bBytes;
  shared.rings = shared.store + MLOPT_MATMUL_CONSUMERS *
                                    MLOPT_MATMUL_STORE_SLOTS *
                                    shared.storeBytes;
  MloptNvRing ring = {.stages = s->stages};
  shared.total = shared.rings + mloptNvRingBytes(&ring);
  return shared;
}

/// Sets what follows from the tile's sides.
static void complete(const MloptContraction *c, MloptMatmulSchedule *s) {
  s->tile[2] = MLOPT_NV_MMA_STAGE_BYTES / bytesOf(&c->a);
  s->stages = LEAST_STAGES;
  for (MloptMatmulSchedule more = *s;
       ++more.stages <= MOST_STAGES &&
       mloptMatmulCarve(&more).total <= SHARED_BYTES;)
    s->stages = more.stages;
}

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

/// TMA takes tensors whose start and strides but the innermost are multiples of
/// 16 bytes, and sizes below 2^32; coordinates here are below 2^31.
bool mloptMatmulReaches(const MloptMatrix *matrix, int64_t offset) {
  int64_t bytes = bytesOf(matrix);
  for (intptr_t i = 0; i < matrix->rank; ++i) {
    const MloptMapDim *dim = &matrix->dims[i];
    if (dim->size >= INT64_C(1) << 30 || dim->stride >= INT64_C(1) << 36 ||
        (i && dim->stride * bytes % 16))
      return false;
  }
  return offset * bytes % 16 == 0;
}

static bool areReachable(const MloptContraction *c) {
  for (int axis = 0; axis < MLOPT_NUM_AXES; ++axis)
    if (c->sizes[axis] >= INT64_C(1) << 30)
      return false;
  for (intptr_t i = 0; i < c->numProducts; ++i)
    if (!mloptMatmulReaches(&c->b, c->offsetsOfB[i]) ||
        c->parametersOfB[i] == c->a.parameter)
      return false;
  return mloptMatmulReaches(&c->a, c->a.offset);
}

/// Whether the rows of a factor run the way that the instruction takes.
static bool isOriented(const MloptMatrix *matrix) {
  MloptNvFactor factor;
  return matrix->isKMajor ||
         (mloptMatmulFactor(matrix, &factor) && factor.transposes);
}

/// Whether threads can fill stages with a computed factor: pieces of eight
/// elements of 16 bits, none of them beyond the end of k, whose sources start
/// at whole vectors. Of rows of k, none are gathered.
static bool isFillable(const MloptContraction *c) {
  enum { LANES = 8 };
  const MloptPrologue *p = &c->prologue;
  const MloptMatrix *m = c->computes[0] ? &c->a : &c->b;
  bool isAligned = p->position.constant % LANES == 0 &&
                   p->position.factor[p->loopOf[0]] % LANES == 0;
  for (intptr_t d = 0; d < mloptRank(p->type); ++d)
    isAligned &= mlirValueIsNull(p->indices[d]) ||
                 (d + 1 < mloptRank(p->type) &&
                  mloptDim(p->type, mloptRank(p->type) - 1) % LANES == 0);
  return isAligned && bytesOf(m) == 2 && p->sizes[1] % LANES == 0 &&
         c->sizes[MLOPT_AXIS_BATCH] == 1 &&
         c->sizes[MLOPT_AXIS_K] % (MLOPT_NV_MMA_STAGE_BYTES / 2) == 0 &&
         (m->isKMajor || mlirOperationIsNull(p->extract));
}

static bool isOneTaken(const MloptContraction *c) {
  // A k below one instruction's depth would leave the innermost axis open.
  enum { LEAST_BYTES = 32 };
  for (intptr_t i = 0; i < c->numOutputs; ++i)
    // Two elements of four bits share a byte.
    if (mloptElementWidth(mloptElementType(c->outputs[i].type)) == 4)
      return false;
  return isMultiplied(c) &&
         c->sizes[MLOPT_AXIS_K] * bytesOf(&c->a) >= LEAST_BYTES &&
         areReachable(c) && isOriented(&c->a) && isOriented(&c->b) &&
         (!mloptMatmulFills(c) || isFillable(c));
}

static bool isTaken(const MloptContractions *list) {
  for (intptr_t i = 0; i < list->count; ++i)
    // Who fills stages has one factor to compute.
    if (!isOneTaken(&list->at[i]) ||
        (list->count > 1 && mloptMatmulFills(&list->at[i])))
      return false;
  return true;
}

/// Blocks that split a tile's k compute one tile each, since the partial sums
/// lie where the stages were.
static const char *splitFaultOf(const MloptContraction *c,
                                const MloptMatmulSchedule *s, int64_t total) {
  // Beside a larger accumulator, the addresses in other blocks are spilled.
  enum { MOST_SPLIT_ELEMENTS = 64 * 128 };
  int64_t steps = mloptMatmulSteps(c, s);
  if (s->splits < 1 || s->splits > MOST_SPLITS)
    return "a cluster has at most 8 blocks";
  if (c->isInOrder)
    return "the sums of a strict product are one chain";
  if (s->cluster > 1 || s->alternate)
    return "splits of k share no tiles of B, and all their consumers one tile";
  if (total * s->splits > PROCESSORS)
    return "there are more tiles than clusters that run at once";
  if (c->numProducts > 1)
    return "k is split of one product at a time";
  if (steps < s->splits)
    return "a split of k is empty";
  if (mloptMatmulConsumerRows(s) * s->tile[1] > MOST_SPLIT_ELEMENTS)
    return "a consumer computes at most 64x128 of a tile whose k is split";
  if (s->tile[0] * s->tile[1] * 4 > mloptMatmulCarve(s).store)
    return "the partial sums exceed the stages";
  return NULL;
}

/// An owner waits for a helper, of a lower number, so that all blocks should
/// run at once: one on each processor.
static const char *tailFaultOf(const MloptContraction *c,
                               const MloptMatmulSchedule *s) {
  if (c->isInOrder)
    return "the sums of a strict product are one chain";
  if (s->cluster > 1 || s->splits > 1 || s->alternate)
    return "blocks that share a tail are in no clusters, and their consumers "
           "share each tile";
  if (!mloptMatmulTailOf(c, s).tiles)
    return "a tail is a last round after others, not full, of tiles of enough "
           "steps";
  return NULL;
}

/// The source's part of a step that a thread of the producer has in registers.
static int64_t fillWords(const MloptContraction *c,
                         const MloptMatmulSchedule *s) {
  enum { THREADS = 128, WORD_BYTES = 4 };
  int64_t elements =
      s->tile[c->computes[1]] * (MLOPT_NV_MMA_STAGE_BYTES / 2) / THREADS;
  return elements * mloptElementWidth(mloptElementType(c->prologue.type)) / 8 /
         WORD_BYTES;
}

/// What a factor that threads fill rules out.
static const char *fillFaultOf(const MloptContraction *c,
                               const MloptMatmulSchedule *s) {
  enum { MOST_WORDS = 32 };
  if (s->cluster > 1)
    return "blocks of a cluster share no factor that the program computes";
  if (c->prologue.operations && fillWords(c, s) > MOST_WORDS)
    return "a thread computes a factor from at most 32 words of a step";
  return NULL;
}

/// What makes a schedule illegal for one contraction; NULL if nothing does.
static const char *faultOfOne(const MloptContraction *c,
                              const MloptMatmulSchedule *s) {
  enum { PIECE = 64, MOST_BOX = 256 };
  int64_t rows = mloptMatmulConsumerRows(s), slabs = rows / MLOPT_NV_MMA_ROWS;
  int64_t registers = slabs * s->tile[1] / 2;
  if (s->tile[0] <= 0 || rows % MLOPT_NV_MMA_ROWS || slabs < 1 || slabs > 2)
    return "a consumer computes 64 or 128 rows";
  int64_t columns = mloptMatmulProductColumns(c, s);
  if (columns <= 0 || s->tile[1] % c->numProducts ||
      columns % mloptMatmulBlockColumns(c) || s->tile[1] > MLOPT_NV_MMA_MAX_N)
    return "the columns must fill rows of 128 bytes, and be at most 256";
  if (!c->b.isKMajor && columns % PIECE)
    return "the columns of a factor that is not k-major come by 64";
  if (registers > MLOPT_NV_MMA_MAX_FRAGMENT ||
      (mloptMatmulPromotes(c) && 2 * registers > MOST_REGISTERS))
    return "the accumulators exceed the registers of a thread";
  if (s->tile[2] != MLOPT_NV_MMA_STAGE_BYTES / bytesOf(&c->a))
    return "a stage is 128 bytes deep";
  if (s->tile[0] > MOST_BOX)
    return "a box has at most 256 rows";
  if (s->stages < LEAST_STAGES || s->stages > MOST_STAGES)
    return "a ring has 2 to 63 stages";
  if (mloptMatmulCarve(s).total > SHARED_BYTES)
    return "the stages exceed 232448 bytes of shared memory";
  if (s->cluster < 1 || s->cluster > MOST_CLUSTER ||
      columns / s->cluster % PIECE)
    return "a cluster is of 1 or 2 blocks, which load 64 columns or more each";
  if (s->band < 1)
    return "a band has at least one row";
  if (mloptMatmulFills(c) && fillFaultOf(c, s))
    return fillFaultOf(c, s);
  return NULL;
}

/// What makes a schedule illegal for these contractions; NULL if nothing does.
static const char *faultOf(const MloptContractions *list,
                           const MloptMatmulSchedule *s) {
  for (intptr_t i = 0; i < list->count; ++i)
    if (faultOfOne(&list->at[i], s))
      return faultOfOne(&list->at[i], s);
  int64_t total = mloptMatmulTotal(list, s);
  if (s->splits > 1)
    return splitFaultOf(&list->at[0], s, total);
  if (s->tail && list->count > 1)
    return "the tiles of a tail are those of one product, or of several side "
           "by side";
  if (s->tail && tailFaultOf(&list->at[0], s))
    return tailFaultOf(&list->at[0], s);
  return total > 1 << 30 ? "there are more than 2^30 tiles" : NULL;
}

bool mloptVerifyMatmul(MlirOperation kernel, const MloptContractions *list,
                       const MloptMatmulSchedule *s) {
  if (!isTaken(list)) {
    mloptOpError(kernel, "has the schedule of a matrix product, but TMA and "
                         "wgmma do not take its tensors");
    return false;
  }
  const char *fault = faultOf(list, s);
  if (!fault)
    return true;
  mloptOpError(kernel,
               "has an illegal schedule: tile %" PRId64 "x%" PRId64 "x%" PRId64
               " with %" PRId64 " stages in bands of %" PRId64
               ", clusters of %" PRId64 ", %" PRId64 " splits%s%s: %s",
               s->tile[0], s->tile[1], s->tile[2], s->stages, s->band,
               s->cluster, s->splits, s->alternate ? ", alternating" : "",
               s->tail ? ", sharing a tail" : "", fault);
  return false;
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

/// The lines of memory that TMA asks L2 for to read 128 bytes of a row.
static int64_t linesOf(const MloptMatrix *matrix) {
  for (intptr_t i = 1; i < matrix->rank; ++i)
    if (matrix->dims[i].stride * bytesOf(matrix) % MLOPT_NV_ROW_BYTES)
      return 2;
  return 1;
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

/// Cycles that the producer's warps, one to a scheduler, take for a stage:
/// measured of bytes that are scaled, 180 for a piece of eight elements.
static int64_t fillCycles(const MloptContraction *c,
                          const MloptMatmulSchedule *s) {
  enum { PIECE_CYCLES = 60, OPERATION_CYCLES = 60, THREADS = 128 };
  int64_t pieces =
      s->tile[c->computes[1]] * (MLOPT_NV_MMA_STAGE_BYTES / 16) / THREADS;
  return pieces * (PIECE_CYCLES + OPERATION_CYCLES * c->prologue.operations);
}

/// Whether each block has one tile at most.
static bool isOneRound(const MloptContractions *list,
                       const MloptMatmulSchedule *s) {
  return mloptMatmulTotal(list, s) * mloptMatmulBlocks(s) <= PROCESSORS;
}

/// Cycles of a step of a tile, bound by its products or by what it reads from
/// L2, of tiles of one round or of several.
static int64_t costOfStep(const MloptContraction *c,
                          const MloptMatmulSchedule *s, bool isOne) {
  enum {
    CLUSTER_LOSS = 32, // one in, of stages that wait for two blocks, measured
    PROMOTE_CYCLES = 200, // of a stage whose sums are added, measured
    PROMOTE_16_BIT_CYCLES = 350,
    // One in, of instructions of 64 columns, which read as much of shared
    // memory as it gives.
    NARROW_LOSS = 48,
    NARROW = 64,
    FILL_LOSS = 32, // of stages that threads fill beside TMA
  };
  int64_t compute = s->tile[0] * s->tile[1] * (MLOPT_NV_MMA_STAGE_BYTES / 2) /
                    PRODUCTS_PER_CYCLE;
  int64_t read =
      (linesOf(&c->a) * s->tile[0] + linesOf(&c->b) * s->tile[1] / s->cluster) *
      MLOPT_NV_MMA_STAGE_BYTES /
      (isOne && s->splits == 1 ? FEW_BYTES_PER_CYCLE : BYTES_PER_CYCLE);
  int64_t less = compute < read ? compute : read;
  int64_t step = compute + read - less + less / 8;
  if (s->tile[1] <= NARROW)
    step += step / NARROW_LOSS;
  if (s->cluster > 1)
    step += step / CLUSTER_LOSS;
  if (mloptMatmulFills(c))
    step = larger(step + step / FILL_LOSS, fillCycles(c, s));
  if (mloptMatmulPromotes(c))
    step += bytesOf(&c->a) == 1 ? PROMOTE_CYCLES : PROMOTE_16_BIT_CYCLES;
  return step;
}

/// Cycles until a tile is stored, column by column.
static int64_t costOfStore(const MloptContraction *c,
                           const MloptMatmulSchedule *s) {
  enum {
    STORE_CYCLES = 400,
    STORE_COLUMN_CYCLES = 4,
    SPLIT_CYCLES = 6000, // meeting, and of each block, sending: 6 microseconds
    SPLIT_COLUMN_CYCLES = 10, // of 4 x 128 or 8 x 64 columns, measured
    OPERATIONS_PER_CYCLE = 128,
  };
  int64_t store = STORE_CYCLES + STORE_COLUMN_CYCLES * s->tile[1];
  if (!c->isPlain)
    store += mloptEpilogueOperations(c) * s->tile[0] *
             mloptMatmulProductColumns(c, s) / OPERATIONS_PER_CYCLE;
  if (s->splits > 1)
    store += SPLIT_CYCLES + SPLIT_COLUMN_CYCLES * s->splits * s->tile[1];
  return store;
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
  bool isOne = isOneRound(list, s);
  int64_t step = 0, store = 0;
  for (intptr_t i = 0; i < list->count; ++i) {
    int64_t own = costOfStep(&list->at[i], s, isOne);
    step = own > step ? own : step;
    own = costOfStore(&list->at[i], s);
    store = own > store ? own : store;
  }
  int64_t multiply = mloptDivideUp(mloptMatmulSteps(c, s), s->splits) * step;
  int64_t rounds = mloptDivideUp(
      mloptMatmulTotal(list, s) * mloptMatmulBlocks(s), PROCESSORS);
  if (s->tail) {
    MloptMatmulTail tail = mloptMatmulTailOf(c, s);
    return rounds * store + tail.rounds * multiply + tail.firstSteps * step +
           TAIL_CYCLES;
  }
  if (!s->alternate)
    return rounds * (multiply + store);
  if (!isOne)
    multiply += multiply / ALTERNATE_LOSS;
  int64_t turns = mloptDivideUp(rounds, MLOPT_MATMUL_CONSUMERS);
  int64_t together = rounds * multiply + store;
  int64_t apart = turns * (multiply + store);
  return together > apart ? together : apart;
}

/// Whether all clusters surely run at once: larger ones leave some processors
/// of a GPC idle.
static bool runsAtOnce(const MloptContractions *list,
                       const MloptMatmulSchedule *s) {
  return s->splits <= 2 ||
         mloptMatmulTotal(list, s) * s->splits <= PROCESSORS * 7 / 8;
}

/// The schedule, or the same with a tail, where that is legal and faster.
static MloptMatmulSchedule maybeTail(const MloptContractions *c,
                                     const MloptMatmulSchedule *s) {
  MloptMatmulSchedule tail = *s;
  tail.tail = true;
  return !faultOf(c, &tail) && cost(c, &tail) < cost(c, s) ? tail : *s;
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
        c->sizes[MLOPT_AXIS_BATCH] != 1 || bytesOf(&c->a) != measured[i].bytes)
      continue;
    *out = measured[i].schedule;
    complete(c, out);
    *out = maybeTail(list, out);
    return !faultOf(list, out);
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
    complete(c, &candidate);
    if (isOneRound(list, &candidate))
      candidate.band = FEW_BAND;
    candidate = maybeTail(list, &candidate);
    for (; candidate.splits <= MOST_SPLITS; candidate.splits *= 2) {
      int64_t cycles = cost(list, &candidate);
      // The other way round is faster, but where B's columns are computed.
      if (candidate.tile[0] > candidate.tile[1] && !list->at[0].computes[1])
        continue;
      // Boxes of pixels are nobody's but the block's.
      if (candidate.cluster > 1 && hasPixels(list))
        continue;
      if (faultOf(list, &candidate) || !runsAtOnce(list, &candidate) ||
          (best && cycles >= best))
        continue;
      best = cycles;
      *out = candidate;
    }
  }
  return best;
}

int64_t mloptMatmulCycles(const MloptContraction *c) {
  MloptMatmulSchedule schedule;
  MloptContractions list = {.count = 1};
  list.at[0] = *c;
  return findBest(&list, &schedule);
}

bool mloptScheduleMatmul(const MloptContractions *list,
                         MloptMatmulSchedule *out) {
  bool isPlain = list->count == 1 && list->at[0].isPlain;
  return isTaken(list) &&
         ((isPlain && findMeasured(list, out)) || findBest(list, out) > 0);
}
