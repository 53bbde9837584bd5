//===- schedule_stream.c - Tiles and launches of streamed kernels ---------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "schedule_stream.h"

#include "kernel_limits.h"
#include "nv_tma.h"
#include "schedule_matmul.h"
#include "target.h"

#include <inttypes.h>

enum {
  PIECE = MLOPT_NV_ROW_BYTES / 2, ///< elements of 16 bits in a row of a box
  MOST_BOX = 256,                 ///< rows
  WARPGROUP = 128,                ///< threads
  SCORE_COLUMNS = MLOPT_NV_ROW_BYTES / 4, ///< of a box of f32
};

/// The bytes of a row of so many elements, which lie as boxes.
static int64_t rowBytes(int64_t elements) {
  return mloptDivideUp(elements, PIECE) * MLOPT_NV_ROW_BYTES;
}

static int64_t depthOf(const MloptStream *p) {
  return p->scores.sizes[MLOPT_AXIS_K];
}

static int64_t columnsOf(const MloptStream *p) {
  return p->values.sizes[MLOPT_AXIS_N];
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

int64_t mloptStreamConsumers(const MloptStreamSchedule *s) {
  return s->tile[0] / MLOPT_NV_MMA_ROWS;
}

int64_t mloptStreamThreads(const MloptStreamSchedule *s) {
  return WARPGROUP * (mloptStreamConsumers(s) + 1);
}

bool mloptStreamStoresBoxes(const MloptStream *p, const MloptStreamSchedule *s,
                            const MloptOutput *output) {
  return s->splits == 1 && mloptMatmulStoresBoxes(&p->values, output);
}

/// The boxes of a warpgroup's rows of the widest output, or of its scores.
static int64_t mostBoxes(const MloptStream *p, const MloptStreamSchedule *s) {
  int64_t most = p->scores.numOutputs ? s->tile[1] / SCORE_COLUMNS : 0;
  for (intptr_t i = 0; i < p->values.numOutputs; ++i) {
    const MloptOutput *output = &p->values.outputs[i];
    int64_t boxes =
        mloptDivideUp(columnsOf(p), mloptMatmulStoreColumns(output));
    if (mloptStreamStoresBoxes(p, s, output) && boxes > most)
      most = boxes;
  }
  return most;
}

static MloptStreamShared carve(const MloptStream *p,
                               const MloptStreamSchedule *s, int64_t boxes) {
  enum { STATE = 4 }; // registers of a thread's rows
  int64_t ofBoxes = boxes * MLOPT_NV_MMA_ROWS * MLOPT_NV_ROW_BYTES;
  int64_t forOthers =
      s->splits > 1 ? (columnsOf(p) / 2 + STATE) * 4 * WARPGROUP : 0;
  MloptStreamShared shared = {
      .boxes = boxes,
      .qStages = mloptStreamIsAlone(p, s) ? 1 : 2,
      .qBytes = s->tile[0] * rowBytes(depthOf(p)),
      .kBytes = s->tile[1] * rowBytes(depthOf(p)),
      .vBytes = s->tile[1] * rowBytes(columnsOf(p)),
      .storeBytes = ofBoxes > forOthers ? ofBoxes : forOthers,
  };
  shared.k = shared.q + shared.qStages * shared.qBytes;
  shared.v = shared.k + s->stages * shared.kBytes;
  shared.store = shared.v + s->stages * shared.vBytes;
  MloptNvRing q = {.stages = shared.qStages}, ring = {.stages = s->stages};
  shared.qRing = shared.store + mloptStreamConsumers(s) * shared.storeBytes;
  shared.kRing = shared.qRing + mloptNvRingBytes(&q);
  shared.vRing = shared.kRing + mloptNvRingBytes(&ring);
  shared.total = shared.vRing + mloptNvRingBytes(&ring);
  return shared;
}

MloptStreamShared mloptStreamCarve(const MloptStream *p,
                                   const MloptStreamSchedule *s) {
  // A whole output or step's scores are staged at once where there is room.
  int64_t boxes = mostBoxes(p, s);
  MloptStreamShared shared = carve(p, s, boxes);
  while (boxes > 1 && shared.total > mloptSm90.sharedBytes) {
    boxes /= 2;
    shared = carve(p, s, boxes);
  }
  return shared;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

int64_t mloptStreamTilesOfBatch(const MloptStream *p,
                                const MloptStreamSchedule *s) {
  return mloptDivideUp(p->scores.sizes[MLOPT_AXIS_M], s->tile[0]);
}

int64_t mloptStreamTiles(const MloptStream *p, const MloptStreamSchedule *s) {
  return mloptStreamTilesOfBatch(p, s) * p->scores.sizes[MLOPT_AXIS_BATCH];
}

/// Whether the GPU deals tiles out, one for each block or cluster.
static bool isDealt(const MloptStream *p, const MloptStreamSchedule *s) {
  return s->splits > 1 || (!s->paired && (p->from.step || p->end.step));
}

int64_t mloptStreamBlocks(const MloptStream *p, const MloptStreamSchedule *s) {
  int64_t units = mloptStreamTiles(p, s) / (s->paired ? 2 : 1);
  return isDealt(p, s) || units < mloptSm90.multiprocessors
             ? units
             : mloptSm90.multiprocessors;
}

bool mloptStreamIsAlone(const MloptStream *p, const MloptStreamSchedule *s) {
  return !s->paired && mloptStreamBlocks(p, s) == mloptStreamTiles(p, s);
}

int64_t mloptStreamBatches(const MloptStream *p, const MloptStreamSchedule *s) {
  enum { L2_BYTES = 16 << 20 }; // a part of 50 MB: other blocks run ahead
  int64_t batches = p->scores.sizes[MLOPT_AXIS_BATCH];
  int64_t bytes =
      2 * p->scores.sizes[MLOPT_AXIS_N] * (depthOf(p) + columnsOf(p));
  if (!isDealt(p, s) || !p->end.step)
    return 1;
  int64_t count = L2_BYTES / bytes;
  count = count < 1 ? 1 : count > batches ? batches : count;
  while (batches % count)
    --count;
  return count;
}

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

/// What TMA reads beyond the depth or the columns is zero; a multiple of eight
/// elements is one of 16 bytes.
bool mloptStreamTakes(MlirType weight, int64_t depth, int64_t columns) {
  enum { GRAIN = 8, MOST = 128 };
  return (mlirTypeIsABF16(weight) || mlirTypeIsAF16(weight)) &&
         depth % GRAIN == 0 && depth <= MOST && columns % GRAIN == 0 &&
         columns <= MOST;
}

/// Whether TMA reads a factor of these elements in boxes of rows.
static bool isFactor(const MloptMatrix *matrix, MlirType element,
                     bool isKMajor) {
  return matrix->isKMajor == isKMajor && !matrix->isPixels &&
         mlirTypeEqual(mloptElementType(matrix->type), element) &&
         mloptMatmulReaches(matrix, matrix->offset);
}

static bool isTaken(const MloptStream *p) {
  intptr_t q = p->scores.a.parameter, k = p->scores.b.parameter,
           v = p->values.b.parameter;
  for (int axis = 0; axis < MLOPT_NUM_AXES; ++axis)
    if (p->scores.sizes[axis] >= INT64_C(1) << 30)
      return false;
  for (intptr_t i = 0; i < p->values.numOutputs; ++i)
    if (mloptElementWidth(mloptElementType(p->values.outputs[i].type)) == 4)
      return false;
  const MloptOutput *scores = p->scores.numOutputs ? p->scores.outputs : NULL;
  if (scores && (!mlirTypeIsAF32(mloptElementType(scores->type)) ||
                 !mloptMatmulStoresBoxes(&p->scores, scores)))
    return false;
  return mloptStreamTakes(p->weight, depthOf(p), columnsOf(p)) && q != k &&
         q != v && k != v && isFactor(&p->scores.a, p->weight, true) &&
         isFactor(&p->scores.b, p->weight, true) &&
         isFactor(&p->values.b, p->weight, false);
}

/// Registers that a thread keeps: scores, sums, weights, and the rest, of which
/// stores of scores take some.
static int64_t registersOf(const MloptStream *p, const MloptStreamSchedule *s) {
  enum { REST = 32, STORE = 16 };
  return s->tile[1] / 2 + columnsOf(p) / 2 + s->tile[1] / 4 + REST +
         (p->scores.numOutputs ? STORE : 0);
}

int64_t mloptStreamRegisters(const MloptStreamSchedule *s) {
  return mloptStreamConsumers(s) <= 2 ? 240 : 160;
}

/// The steps of a tile, as the emitter has them.
static int64_t stepsOf(const MloptStream *p, const MloptStreamSchedule *s,
                       int64_t tile) {
  int64_t rows = p->scores.sizes[MLOPT_AXIS_M], first = tile * s->tile[0];
  int64_t last = first + s->tile[0] < rows ? first + s->tile[0] : rows;
  int64_t steps =
      mloptDivideUp(mloptStreamBoundAt(&p->end, last - 1), s->tile[1]) -
      mloptStreamBoundAt(&p->from, first) / s->tile[1];
  return steps < 1 ? 1 : steps;
}

/// Why blocks cannot share a tile's keys so; null if they can, or do not.
static const char *faultOfSplits(const MloptStream *p,
                                 const MloptStreamSchedule *s) {
  enum { GRAIN = 8 }; // columns of a group of registers
  if (s->splits == 1)
    return NULL;
  if (s->splits < 1 || s->splits > MLOPT_STREAM_MOST_SPLITS ||
      s->splits & (s->splits - 1))
    return "1, 2, 4 or 8 blocks share the keys of a tile";
  if (mloptStreamConsumers(s) > 1 || s->paired)
    return "blocks share the keys of tiles of 64 rows alone, and of no pairs";
  if (p->scores.numOutputs)
    return "blocks that share keys store no scores";
  if (columnsOf(p) % (GRAIN * s->splits))
    return "blocks that share keys combine 8 columns each, or multiples of 8";
  for (int64_t i = 0, n = mloptStreamTilesOfBatch(p, s); i < n; ++i)
    if (stepsOf(p, s, i) < s->splits)
      return "a tile has fewer steps than blocks share it";
  return NULL;
}

static const char *faultOf(const MloptStream *p, const MloptStreamSchedule *s) {
  int64_t consumers = mloptStreamConsumers(s);
  if (s->tile[0] % MLOPT_NV_MMA_ROWS || consumers < 1 || consumers > 3)
    return "a block computes 64, 128 or 192 rows";
  if (s->tile[1] % 16 || s->tile[1] < 16 || s->tile[1] > MOST_BOX)
    return "a step has 16 to 256 keys, by 16";
  if (p->scores.numOutputs && s->tile[1] % SCORE_COLUMNS)
    return "scores are stored by 32 keys";
  if (registersOf(p, s) > mloptStreamRegisters(s))
    return "scores and sums exceed the registers of a thread";
  if (s->stages < 2 || s->stages > 63)
    return "a ring has 2 to 63 stages";
  if (mloptStreamCarve(p, s).total > mloptSm90.sharedBytes)
    return "the stages exceed the shared memory of a block";
  if (s->paired && mloptStreamTilesOfBatch(p, s) % 2)
    return "a batch has an odd number of tiles";
  const char *fault = faultOfSplits(p, s);
  if (fault)
    return fault;
  return mloptStreamTiles(p, s) > (1 << 30) / s->splits
             ? "there are more than 2^30 blocks"
             : NULL;
}

bool mloptVerifyStream(MlirOperation kernel, const MloptStream *p,
                       const MloptStreamSchedule *s) {
  if (!isTaken(p)) {
    mloptOpError(kernel, "has the schedule of a streamed kernel, but TMA and "
                         "wgmma do not take its tensors");
    return false;
  }
  const char *fault = faultOf(p, s);
  if (fault)
    mloptOpError(kernel,
                 "has an illegal schedule: tile %" PRId64 "x%" PRId64
                 " with %" PRId64 " stages: %s",
                 s->tile[0], s->tile[1], s->stages, fault);
  return !fault;
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

/// Rows, keys, and what a step of a row takes, in percent of the first: the
/// more warpgroups there are, the more of the exponentials hides behind
/// products. Measured on an H200 with 4,096 keys and 64 columns.
static const struct {
  MloptStreamSchedule schedule;
  int64_t percent;
} candidates[] = {
    {{.tile = {128, 128}, .stages = 2, .splits = 1}, 100},
    {{.tile = {192, 128}, .stages = 2, .splits = 1}, 87},
    {{.tile = {128, 128}, .stages = 2, .splits = 1, .paired = true}, 100},
    {{.tile = {192, 128}, .stages = 2, .splits = 1, .paired = true}, 87},
    {{.tile = {64, 128}, .stages = 4, .splits = 1}, 130},
    {{.tile = {64, 128}, .stages = 2, .splits = 1}, 130},
};

/// The steps of a tile, or of a pair.
static int64_t stepsOfUnit(const MloptStream *p, const MloptStreamSchedule *s,
                           int64_t unit) {
  int64_t last = mloptStreamTilesOfBatch(p, s) - 1 - unit;
  return stepsOf(p, s, unit) + (s->paired ? stepsOf(p, s, last) : 0);
}

/// The steps of the block that takes most. Tiles that are no pairs have as many
/// each, `longest`.
static int64_t longestWalk(const MloptStream *p, const MloptStreamSchedule *s,
                           int64_t longest) {
  int64_t turns = s->paired ? 2 : 1, blocks = mloptStreamBlocks(p, s);
  int64_t ofBatch = mloptStreamTilesOfBatch(p, s) / turns, most = 0;
  int64_t units = mloptStreamTiles(p, s) / turns;
  if (!s->paired)
    return mloptDivideUp(units, blocks) * longest;
  for (int64_t block = 0; block < blocks && block < ofBatch; ++block) {
    int64_t steps = 0;
    for (int64_t unit = block; unit < units; unit += blocks)
      steps += stepsOfUnit(p, s, unit % ofBatch);
    most = steps > most ? steps : most;
  }
  return most;
}

/// What all blocks take, in percent of a step of 128 rows: what the block takes
/// that walks over most, or, where the GPU deals tiles out, all of them in
/// equal parts. Between two tiles of a block, and more so between two blocks,
/// there is time without products, and where blocks combine what they have; as
/// many steps as measured. Clusters of more than two blocks leave some
/// processors idle.
static int64_t cost(const MloptStream *p, const MloptStreamSchedule *s,
                    int64_t percent) {
  enum { WALK_PERCENT = 120, START_PERCENT = 230, COMBINE_PERCENT = 300 };
  int64_t turns = s->paired ? 2 : 1, all = 0, longest = 0;
  int64_t units = mloptStreamTilesOfBatch(p, s) / turns;
  for (int64_t i = 0; i < units; ++i) {
    int64_t steps = stepsOfUnit(p, s, i);
    all += steps;
    longest = steps > longest ? steps : longest;
  }
  int64_t batches = p->scores.sizes[MLOPT_AXIS_BATCH];
  int64_t blocks = mloptStreamBlocks(p, s);
  int64_t processors = mloptSm90.multiprocessors, total;
  if (s->splits > 1) {
    int64_t together =
        (s->splits > 2 ? processors * 7 / 8 : processors) / s->splits;
    total = mloptDivideUp(blocks, together) *
            (mloptDivideUp(longest, s->splits) * 100 + WALK_PERCENT +
             COMBINE_PERCENT);
  } else if (isDealt(p, s)) {
    int64_t share = (all * 100 + units * START_PERCENT) * batches / processors;
    int64_t least = longest * 100 + START_PERCENT;
    total = share > least ? share : least;
  } else {
    total = longestWalk(p, s, longest) * 100 +
            mloptDivideUp(units * batches, blocks) * turns * WALK_PERCENT;
  }
  return total * percent * s->tile[0] / 100;
}

bool mloptScheduleStream(const MloptStream *p, MloptStreamSchedule *out) {
  int64_t best = 0;
  for (size_t i = 0; isTaken(p) && i < MLOPT_COUNT(candidates); ++i) {
    MloptStreamSchedule s = candidates[i].schedule;
    for (; s.splits <= MLOPT_STREAM_MOST_SPLITS; s.splits *= 2) {
      if (faultOf(p, &s) || (s.paired && !p->end.step))
        continue;
      int64_t own = cost(p, &s, candidates[i].percent);
      if (best && own >= best)
        continue;
      best = own;
      *out = s;
    }
  }
  return best > 0;
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// The vectors that readers take whole (16 elements at most) lie in one step.
bool mloptStreamCanMask(const MloptStream *p, const MloptMask *mask) {
  const MloptContraction *c = &p->scores;
  if (c->numOutputs != 1 || mask->offset < 0 ||
      c->sizes[MLOPT_AXIS_M] != mask->rows ||
      c->sizes[MLOPT_AXIS_N] != mask->columns ||
      !mloptIsMatricesOfMask(c, &c->outputs[0], mask) || p->from.step ||
      p->from.low > 0)
    return false;
  for (int64_t row = 0; row < mask->rows; ++row)
    if (mloptStreamBoundAt(&p->end, row) < mloptMaskEnd(mask, row))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

bool mloptStreamIsMap(const MloptStream *p, const MloptStreamSchedule *s,
                      intptr_t parameter) {
  bool isMap = parameter == p->scores.a.parameter ||
               parameter == p->scores.b.parameter ||
               parameter == p->values.b.parameter;
  if (p->scores.numOutputs)
    isMap |= parameter == p->scores.outputs[0].parameter;
  for (intptr_t i = 0; i < p->values.numOutputs; ++i)
    isMap |= parameter == p->values.outputs[i].parameter &&
             mloptStreamStoresBoxes(p, s, &p->values.outputs[i]);
  return isMap;
}

void mloptStreamAnnotate(MlirOperation kernel, const MloptStream *p,
                         const MloptStreamSchedule *s) {
  MlirContext context = mlirOperationGetContext(kernel);
  MlirNamedAttribute entries[] = {
      mloptNamedAttr(context, "family", mloptStrAttr(context, "stream")),
      mloptNamedAttr(context, "stages", mloptI64Attr(context, s->stages)),
      mloptNamedAttr(context, "tile", mloptI64Array(context, 2, s->tile)),
      {.name = mlirIdentifierGet(context, mloptStr("paired"))},
  };
  intptr_t numEntries = 3;
  if (s->splits > 1)
    entries[numEntries++] =
        mloptNamedAttr(context, "splits", mloptI64Attr(context, s->splits));
  if (s->paired)
    entries[numEntries++] =
        mloptNamedAttr(context, "paired", mlirUnitAttrGet(context));
  mlirOperationSetDiscardableAttributeByName(
      kernel, mloptStr("mlopt.schedule"),
      mlirDictionaryAttrGet(context, numEntries, entries));
  if (s->splits > 1)
    mloptSetKernelCluster(kernel, s->splits);
  mloptSetKernelThreads(kernel, mloptStreamThreads(s));
  mloptSetKernelResident(kernel, 1);
  bool isMap[MLOPT_MAX_LAUNCH_ARGUMENTS];
  for (intptr_t i = 0; i < MLOPT_MAX_LAUNCH_ARGUMENTS; ++i)
    isMap[i] = mloptStreamIsMap(p, s, i);
  mloptSetKernelMaps(kernel, isMap);
}

bool mloptReadStreamSchedule(MlirOperation kernel, MloptStreamSchedule *out) {
  MlirAttribute schedule = mloptAttr(kernel, "mlopt.schedule");
  if (mlirAttributeIsNull(schedule))
    return false;
  MlirAttribute family = mloptDictGet(schedule, "family"),
                stages = mloptDictGet(schedule, "stages"),
                splits = mloptDictGet(schedule, "splits"),
                tile = mloptDictGet(schedule, "tile");
  if (mlirAttributeIsNull(family) || !mloptIsString(family) ||
      !mloptStrEq(mlirStringAttrGetValue(family), "stream") ||
      mlirAttributeIsNull(stages) || !mloptIsI64(stages) ||
      (!mlirAttributeIsNull(splits) && !mloptIsI64(splits)) ||
      mlirAttributeIsNull(tile) || !mloptIsI64Array(tile) ||
      mlirDenseArrayGetNumElements(tile) != 2)
    return false;
  mloptI64ArrayGet(tile, out->tile);
  out->stages = mlirIntegerAttrGetValueInt(stages);
  out->splits =
      mlirAttributeIsNull(splits) ? 1 : mlirIntegerAttrGetValueInt(splits);
  out->paired = !mlirAttributeIsNull(mloptDictGet(schedule, "paired"));
  return true;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static MlirAttribute factorMap(MlirContext context, const MloptMatrix *matrix,
                               int64_t rows) {
  return mloptMatmulMapOfFactor(context, matrix, matrix->offset,
                                (const int64_t[]){PIECE, rows});
}

void mloptStreamLaunch(MlirContext context, const MloptStream *p,
                       const MloptStreamSchedule *s, MloptLaunch *launch) {
  const MloptContraction *values = &p->values;
  MlirAttribute maps[MLOPT_MAX_LAUNCH_ARGUMENTS];
  for (intptr_t i = 0; i < launch->numArguments; ++i)
    maps[i] = mlirUnitAttrGet(context);
  maps[p->scores.a.parameter] = factorMap(context, &p->scores.a, s->tile[0]);
  maps[p->scores.b.parameter] = factorMap(context, &p->scores.b, s->tile[1]);
  maps[values->b.parameter] = factorMap(context, &values->b, s->tile[1]);
  if (p->scores.numOutputs)
    maps[p->scores.outputs[0].parameter] =
        mloptMatmulMapOfOutput(context, &p->scores, p->scores.outputs);
  for (intptr_t i = 0; i < values->numOutputs; ++i)
    if (mloptStreamStoresBoxes(p, s, &values->outputs[i]))
      maps[values->outputs[i].parameter] =
          mloptMatmulMapOfOutput(context, values, &values->outputs[i]);
  launch->blocks = mloptStreamBlocks(p, s) * s->splits;
  launch->threads = mloptStreamThreads(s);
  launch->sharedBytes = mloptStreamCarve(p, s).total;
  launch->tensorMaps = mlirArrayAttrGet(context, launch->numArguments, maps);
}
