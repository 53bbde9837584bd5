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

/// The bytes of a warpgroup's rows of the widest output that goes by boxes.
static int64_t storeBytes(const MloptStream *p) {
  int64_t most = 0;
  for (intptr_t i = 0; i < p->values.numOutputs; ++i) {
    const MloptOutput *output = &p->values.outputs[i];
    int64_t boxes =
        mloptDivideUp(columnsOf(p), mloptMatmulStoreColumns(output));
    if (mloptMatmulStoresBoxes(&p->values, output) && boxes > most)
      most = boxes;
  }
  return most * MLOPT_NV_MMA_ROWS * MLOPT_NV_ROW_BYTES;
}

static MloptStreamShared
carve(const MloptStream *p, const MloptStreamSchedule *s, int64_t scoreBoxes) {
  int64_t ofScores = scoreBoxes * MLOPT_NV_MMA_ROWS * MLOPT_NV_ROW_BYTES;
  int64_t ofOutputs = storeBytes(p);
  MloptStreamShared shared = {
      .scoreBoxes = scoreBoxes,
      .qBytes = s->tile[0] * rowBytes(depthOf(p)),
      .kBytes = s->tile[1] * rowBytes(depthOf(p)),
      .vBytes = s->tile[1] * rowBytes(columnsOf(p)),
      .storeBytes = ofScores > ofOutputs ? ofScores : ofOutputs,
  };
  shared.k = shared.q + shared.qBytes;
  shared.v = shared.k + s->stages * shared.kBytes;
  shared.store = shared.v + s->stages * shared.vBytes;
  MloptNvRing one = {.stages = 1}, ring = {.stages = s->stages};
  shared.qRing = shared.store + mloptStreamConsumers(s) * shared.storeBytes;
  shared.kRing = shared.qRing + mloptNvRingBytes(&one);
  shared.vRing = shared.kRing + mloptNvRingBytes(&ring);
  shared.total = shared.vRing + mloptNvRingBytes(&ring);
  return shared;
}

MloptStreamShared mloptStreamCarve(const MloptStream *p,
                                   const MloptStreamSchedule *s) {
  // Scores of a whole step are staged at once where there is room.
  int64_t boxes = p->scores.numOutputs ? s->tile[1] / SCORE_COLUMNS : 0;
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

/// Whether the GPU deals tiles out, one for each block.
static bool isDealt(const MloptStream *p, const MloptStreamSchedule *s) {
  return !s->paired && (p->from.step || p->end.step);
}

int64_t mloptStreamBlocks(const MloptStream *p, const MloptStreamSchedule *s) {
  int64_t units = mloptStreamTiles(p, s) / (s->paired ? 2 : 1);
  return isDealt(p, s) || units < mloptSm90.multiprocessors
             ? units
             : mloptSm90.multiprocessors;
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
  return mloptStreamConsumers(s) == 2 ? 240 : 160;
}

static const char *faultOf(const MloptStream *p, const MloptStreamSchedule *s) {
  int64_t consumers = mloptStreamConsumers(s);
  if (s->tile[0] % MLOPT_NV_MMA_ROWS || consumers < 2 || consumers > 3)
    return "a block computes 128 or 192 rows";
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
  return mloptStreamTiles(p, s) > 1 << 30 ? "there are more than 2^30 tiles"
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
    {{.tile = {128, 128}, .stages = 2}, 100},
    {{.tile = {192, 128}, .stages = 2}, 87},
    {{.tile = {128, 128}, .stages = 2, .paired = true}, 100},
    {{.tile = {192, 128}, .stages = 2, .paired = true}, 87},
};

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

/// What all blocks take, in percent of a step of 128 rows: that of full rounds
/// of the longest tiles or pairs, or, where the GPU deals tiles out, all of
/// them in equal parts. Between two tiles of a block, and more so between two
/// blocks, there is time without products; as many steps as measured.
static int64_t cost(const MloptStream *p, const MloptStreamSchedule *s,
                    int64_t percent) {
  enum { WALK_PERCENT = 120, START_PERCENT = 200, DEALT_BETTER = 95 };
  int64_t tiles = mloptStreamTilesOfBatch(p, s), all = 0, longest = 0;
  for (int64_t i = 0; i < tiles; ++i) {
    int64_t steps = stepsOf(p, s, i);
    all += steps;
    if (s->paired)
      steps += stepsOf(p, s, tiles - 1 - i);
    longest = steps > longest ? steps : longest;
  }
  int64_t blocks = mloptStreamBlocks(p, s), turns = s->paired ? 2 : 1;
  int64_t perRow = percent * s->tile[0];
  if (isDealt(p, s))
    return (all * 100 + tiles * START_PERCENT) *
           p->scores.sizes[MLOPT_AXIS_BATCH] / mloptSm90.multiprocessors *
           perRow / 100 * DEALT_BETTER / 100;
  return mloptDivideUp(mloptStreamTiles(p, s) / turns, blocks) *
         (longest * 100 + turns * WALK_PERCENT) * perRow / 100;
}

bool mloptScheduleStream(const MloptStream *p, MloptStreamSchedule *out) {
  int64_t best = 0;
  for (size_t i = 0; isTaken(p) && i < MLOPT_COUNT(candidates); ++i) {
    const MloptStreamSchedule *s = &candidates[i].schedule;
    if (faultOf(p, s) || (s->paired && !p->end.step))
      continue;
    int64_t own = cost(p, s, candidates[i].percent);
    if (best && own >= best)
      continue;
    best = own;
    *out = *s;
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

bool mloptStreamIsMap(const MloptStream *p, intptr_t parameter) {
  bool isMap = parameter == p->scores.a.parameter ||
               parameter == p->scores.b.parameter ||
               parameter == p->values.b.parameter;
  if (p->scores.numOutputs)
    isMap |= parameter == p->scores.outputs[0].parameter;
  for (intptr_t i = 0; i < p->values.numOutputs; ++i)
    isMap |= parameter == p->values.outputs[i].parameter &&
             mloptMatmulStoresBoxes(&p->values, &p->values.outputs[i]);
  return isMap;
}

void mloptStreamAnnotate(MlirOperation kernel, const MloptStream *p,
                         const MloptStreamSchedule *s) {
  MlirContext context = mlirOperationGetContext(kernel);
  MlirNamedAttribute entries[] = {
      mloptNamedAttr(context, "family", mloptStrAttr(context, "stream")),
      mloptNamedAttr(context, "stages", mloptI64Attr(context, s->stages)),
      mloptNamedAttr(context, "tile", mloptI64Array(context, 2, s->tile)),
      mloptNamedAttr(context, "paired", mlirUnitAttrGet(context)),
  };
  intptr_t numEntries = MLOPT_COUNT(entries) - !s->paired;
  mlirOperationSetDiscardableAttributeByName(
      kernel, mloptStr("mlopt.schedule"),
      mlirDictionaryAttrGet(context, numEntries, entries));
  mloptSetKernelThreads(kernel, mloptStreamThreads(s));
  mloptSetKernelResident(kernel, 1);
  bool isMap[MLOPT_MAX_LAUNCH_ARGUMENTS];
  for (intptr_t i = 0; i < MLOPT_MAX_LAUNCH_ARGUMENTS; ++i)
    isMap[i] = mloptStreamIsMap(p, i);
  mloptSetKernelMaps(kernel, isMap);
}

bool mloptReadStreamSchedule(MlirOperation kernel, MloptStreamSchedule *out) {
  MlirAttribute schedule = mloptAttr(kernel, "mlopt.schedule");
  if (mlirAttributeIsNull(schedule))
    return false;
  MlirAttribute family = mloptDictGet(schedule, "family"),
                stages = mloptDictGet(schedule, "stages"),
                tile = mloptDictGet(schedule, "tile");
  if (mlirAttributeIsNull(family) || !mloptIsString(family) ||
      !mloptStrEq(mlirStringAttrGetValue(family), "stream") ||
      mlirAttributeIsNull(stages) || !mloptIsI64(stages) ||
      mlirAttributeIsNull(tile) || !mloptIsI64Array(tile) ||
      mlirDenseArrayGetNumElements(tile) != 2)
    return false;
  mloptI64ArrayGet(tile, out->tile);
  out->stages = mlirIntegerAttrGetValueInt(stages);
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
    if (mloptMatmulStoresBoxes(values, &values->outputs[i]))
      maps[values->outputs[i].parameter] =
          mloptMatmulMapOfOutput(context, values, &values->outputs[i]);
  launch->blocks = mloptStreamBlocks(p, s);
  launch->threads = mloptStreamThreads(s);
  launch->sharedBytes = mloptStreamCarve(p, s).total;
  launch->tensorMaps = mlirArrayAttrGet(context, launch->numArguments, maps);
}
