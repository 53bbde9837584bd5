//===- schedule_matmul.c - Legal schedules of matrix products -------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which contractions wgmma and TMA take, what follows from a schedule (tiles,
// steps, shared memory), and which schedules are legal. The choice among those
// is schedule_matmul_choose.c's, the launch schedule_matmul_launch.c's.
//
//===----------------------------------------------------------------------===//

#include "schedule_matmul_impl.h"

#include "fold.h"
#include "nv_ring.h"
#include "nv_tma.h"
#include "nv_wgmma.h"

#include <inttypes.h>

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// What factors may be, by element type, and how TMA calls them. It rounds f32
/// to TF32.
static const struct {
  MloptNvFactor factor;
  const char *map;
} factors[] = {
    [MLOPT_BF16] = {{"bf16", 2, true, false}, "bf16"},
    [MLOPT_F16] = {{"f16", 2, true, false}, "f16"},
    [MLOPT_F8E4M3FN] = {{"e4m3", 1, false, false}, "u8"},
    [MLOPT_F8E5M2] = {{"e5m2", 1, false, false}, "u8"},
    [MLOPT_I8] = {{"s8", 1, false, false}, "u8"},
    [MLOPT_F32] = {{"tf32", 4, false, true}, "tf32"},
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

bool mloptMatmulLoadsA(const MloptContraction *c) {
  MloptNvFactor factor;
  return !c->a.isKMajor && mloptMatmulFactor(&c->a, &factor) && factor.isLoaded;
}

bool mloptMatmulPromotes(const MloptContraction *c) {
  return c->isPromoted || (mloptMatmulElementBytes(&c->a) == 1 &&
                           elementOf(&c->a) != MLOPT_I8 && !c->isFast);
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
// Tiles
//===----------------------------------------------------------------------===//

/// What sm_90a gives, from the CUDA C++ programming guide and the H200's data
/// sheet: shared memory of a block; and what a schedule may ask for.
enum {
  SHARED_BYTES = 232448,
  LEAST_STAGES = 2,
  STREAMED_BYTES = 147456, ///< of stages, where memory is the limit
  MOST_STAGES = 63,
  MOST_REGISTERS = 192, ///< of a thread that accumulators may take
  MOST_CLUSTER = 2,
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
  MloptMatmulTail tail = {.blocks = MLOPT_MATMUL_PROCESSORS,
                          .rounds = total / MLOPT_MATMUL_PROCESSORS};
  tail.tiles = total % MLOPT_MATMUL_PROCESSORS;
  tail.helpers = MLOPT_MATMUL_PROCESSORS - tail.tiles;
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

int64_t mloptMatmulRowsOf(const MloptContractions *list,
                          const MloptMatmulSchedule *s, int factor) {
  const MloptContraction *c = &list->at[0];
  const MloptMatrix *matrix = factor ? &c->b : &c->a;
  int64_t rows = c->sizes[factor ? MLOPT_AXIS_N : MLOPT_AXIS_M];
  bool isWhole =
      list->count == 1 && matrix->isKMajor && !matrix->isPixels &&
      !mloptMatmulFills(c) &&
      (!factor || (c->numProducts == 1 && s->cluster == 1 && !c->numOfRows));
  return isWhole && rows < s->tile[factor] ? rows : s->tile[factor];
}

bool mloptMatmulIsStreamed(const MloptContraction *c) {
  enum { SHORT = 64, LONG = 100 * 128 }; // rows or columns of as many tiles
  int64_t m = c->sizes[MLOPT_AXIS_M], n = c->sizes[MLOPT_AXIS_N];
  return c->sizes[MLOPT_AXIS_BATCH] == 1 &&
         ((m <= SHORT && n >= LONG && !c->b.isPixels) ||
          (n <= SHORT && m >= LONG && !c->a.isPixels));
}

/// Sets what follows from the tile's sides. Of a factor that is streamed, more
/// stages would only make memory's queues longer: 24 to 64 x 14336 x 4096 took
/// 32.5 to 33.2 us with 6 of 24 KB, 33.9 to 34.6 with 8, 34.7 to 35.6 with 4.
void mloptMatmulComplete(const MloptContraction *c, MloptMatmulSchedule *s) {
  s->tile[2] = MLOPT_NV_MMA_STAGE_BYTES / mloptMatmulElementBytes(&c->a);
  s->stages = LEAST_STAGES;
  for (MloptMatmulSchedule more = *s;
       ++more.stages <= MOST_STAGES &&
       mloptMatmulCarve(&more).total <= SHARED_BYTES &&
       (!mloptMatmulIsStreamed(c) ||
        mloptMatmulCarve(&more).store <= STREAMED_BYTES);)
    s->stages = more.stages;
}

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

/// TMA takes tensors whose start and strides but the innermost are multiples of
/// 16 bytes, and sizes below 2^32; coordinates here are below 2^31.
bool mloptMatmulReaches(const MloptMatrix *matrix, int64_t offset) {
  int64_t bytes = mloptMatmulElementBytes(matrix);
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
static bool isOriented(const MloptMatrix *matrix, bool isA) {
  MloptNvFactor factor;
  return matrix->isKMajor || (mloptMatmulFactor(matrix, &factor) &&
                              (factor.transposes || (factor.isLoaded && isA)));
}

/// Whether tiles of the product are worth loading A for.
static bool isWideEnough(const MloptContraction *c) {
  enum { LEAST_SIDE = 65 };
  return !mloptMatmulLoadsA(c) || (c->sizes[MLOPT_AXIS_M] >= LEAST_SIDE &&
                                   c->sizes[MLOPT_AXIS_N] >= LEAST_SIDE);
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
  return isAligned && mloptMatmulElementBytes(m) == 2 &&
         p->sizes[1] % LANES == 0 && c->sizes[MLOPT_AXIS_BATCH] == 1 &&
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
         c->sizes[MLOPT_AXIS_K] * mloptMatmulElementBytes(&c->a) >=
             LEAST_BYTES &&
         areReachable(c) && isOriented(&c->a, true) &&
         isOriented(&c->b, false) && isWideEnough(c) &&
         (!mloptMatmulFills(c) || isFillable(c));
}

bool mloptMatmulIsTaken(const MloptContractions *list) {
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
  if (s->splits < 1 || s->splits > MLOPT_MATMUL_MOST_SPLITS)
    return "a cluster has at most 8 blocks";
  if (c->isInOrder)
    return "the sums of a strict product are one chain";
  if (s->cluster > 1 || s->alternate)
    return "splits of k share no tiles of B, and all their consumers one tile";
  if (total * s->splits > MLOPT_MATMUL_PROCESSORS)
    return "there are more tiles than clusters that run at once";
  if (c->numProducts > 1)
    return "k is split of one product at a time";
  if (c->numOfRows)
    return "blocks that split k store parts of rows, which are reduced";
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

/// What reductions of rows rule out.
static const char *rowFaultOf(const MloptContraction *c, int64_t columns) {
  enum { LEAST_PART = 16 };
  bool isWhole = c->rowColumns == c->sizes[MLOPT_AXIS_N];
  if (isWhole ? columns < c->rowColumns
              : columns % c->rowColumns || c->rowColumns % LEAST_PART)
    return "a tile holds whole rows that are reduced, or whole parts of them, "
           "multiples of 16";
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
  if (s->tile[2] != MLOPT_NV_MMA_STAGE_BYTES / mloptMatmulElementBytes(&c->a))
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
  return c->numOfRows ? rowFaultOf(c, columns) : NULL;
}

/// What makes a schedule illegal for these contractions; NULL if nothing does.
const char *mloptMatmulFault(const MloptContractions *list,
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
  if (!mloptMatmulIsTaken(list)) {
    mloptOpError(kernel, "has the schedule of a matrix product, but TMA and "
                         "wgmma do not take its tensors");
    return false;
  }
  const char *fault = mloptMatmulFault(list, s);
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
