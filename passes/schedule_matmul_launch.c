//===- schedule_matmul_launch.c - Launches of matrix products -------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a contraction and its schedule: how results are stored, the kernel's
// attributes and the schedule read from them, the tensor maps, the launch.
//
//===----------------------------------------------------------------------===//

#include "schedule_matmul_impl.h"

#include "fold.h"
#include "kernel_limits.h"
#include "nv_tma.h"
#include "target.h"

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// How TMA calls what it stores; NULL for what it does not.
static const char *storedType(const MloptOutput *output) {
  switch (mloptGetElement(mloptElementType(output->type))) {
  case MLOPT_BF16:
    return "bf16";
  case MLOPT_F16:
    return "f16";
  case MLOPT_F32:
    return "f32";
  case MLOPT_I32:
    return "i32";
  default:
    return NULL;
  }
}

static int64_t elementBytes(const MloptOutput *output) {
  return mloptElementWidth(mloptElementType(output->type)) / 8;
}

int64_t mloptMatmulStoreColumns(const MloptOutput *output) {
  return MLOPT_NV_ROW_BYTES / elementBytes(output);
}

/// Whether a box lies within a digit: it holds whole boxes, or the whole axis.
static bool holdsBoxes(const MloptContraction *c, const MloptStoreDigit *d,
                       int64_t box) {
  return d->size % box == 0 || d->size == c->sizes[d->axis];
}

intptr_t mloptMatmulBoxDigits(const MloptContraction *c,
                              const MloptOutput *output, MloptStoreDigit *out) {
  enum { MOST_DIGITS = 5 };
  MloptStoreDigit digits[MLOPT_PLACE_MAX_DIGITS];
  intptr_t n = mloptOutputDigits(c, output, digits), count = 2;
  if (!storedType(output) || !n || digits[0].axis != MLOPT_AXIS_N ||
      digits[0].step != 1)
    return 0;
  out[0] = digits[0];
  out[1] = (MloptStoreDigit){MLOPT_AXIS_M, 1, 1, 0};
  for (intptr_t i = 1; i < n; ++i) {
    bool isRow = digits[i].axis == MLOPT_AXIS_M && digits[i].step == 1;
    if (digits[i].stride * elementBytes(output) % 16 || count == MOST_DIGITS ||
        digits[i].stride >= INT64_C(1) << 36)
      return 0;
    out[isRow ? 1 : count++] = digits[i];
  }
  return holdsBoxes(c, &out[0], mloptMatmulStoreColumns(output)) &&
                 holdsBoxes(c, &out[1], MLOPT_NV_MMA_ROWS)
             ? count
             : 0;
}

bool mloptMatmulStoresBoxes(const MloptContraction *c,
                            const MloptOutput *output) {
  MloptStoreDigit digits[MLOPT_PLACE_MAX_DIGITS];
  return mloptMatmulBoxDigits(c, output, digits) > 0;
}

bool mloptMatmulStoresRows(const MloptContraction *c,
                           const MloptOutput *output) {
  for (intptr_t i = 0; i < c->numOutputs; ++i)
    if (mloptMatmulStoresBoxes(c, &c->outputs[i]))
      return false;
  MloptStoreDigit digits[MLOPT_PLACE_MAX_DIGITS];
  return mloptOutputDigits(c, output, digits) && storedType(output) &&
         digits[0].axis == MLOPT_AXIS_N && digits[0].step == 1 &&
         digits[0].stride == 1;
}

static int64_t wider(int64_t columns, const MloptOutput *tensor) {
  int64_t own = mloptMatmulStoreColumns(tensor);
  return own > columns ? own : columns;
}

int64_t mloptMatmulBlockColumns(const MloptContraction *c) {
  int64_t columns = 32;
  for (intptr_t i = 0; i < c->numOutputs; ++i)
    if (mloptMatmulStoresBoxes(c, &c->outputs[i]) ||
        mloptMatmulStoresRows(c, &c->outputs[i]))
      columns = wider(columns, &c->outputs[i]);
  for (intptr_t i = 0; i < c->numResiduals; ++i)
    if (mloptMatmulStoresBoxes(c, &c->residuals[i]))
      columns = wider(columns, &c->residuals[i]);
  return columns;
}

int64_t mloptMatmulConsumerBlocks(const MloptContraction *c,
                                  const MloptMatmulSchedule *s) {
  return mloptMatmulConsumerRows(s) / MLOPT_NV_MMA_ROWS *
         mloptMatmulProductColumns(c, s) / mloptMatmulBlockColumns(c);
}

void mloptMatmulStageBoxes(const MloptMatmulSchedule *s, int64_t *outA,
                           int64_t *outB) {
  *outA = s->tile[0] / MLOPT_NV_MMA_ROWS / MLOPT_MATMUL_CONSUMERS;
  *outB = s->tile[1] / MLOPT_NV_MMA_ROWS / MLOPT_MATMUL_CONSUMERS;
}

MloptMatmulResiduals mloptMatmulLoadsResiduals(const MloptContraction *c,
                                               const MloptMatmulSchedule *s) {
  MloptMatmulResiduals r = {.boxes = 0};
  if (s->alternate || s->splits > 1 || mloptMatmulFills(c))
    return r;
  for (intptr_t i = 0; i < c->numResiduals; ++i)
    if (mloptMatmulStoresBoxes(c, &c->residuals[i]))
      r.boxes += mloptMatmulBlockColumns(c) /
                 mloptMatmulStoreColumns(&c->residuals[i]);
  int64_t ofA, ofB;
  mloptMatmulStageBoxes(s, &ofA, &ofB);
  r.blocks = r.boxes ? (ofA + ofB) / r.boxes : 0;
  if (!r.blocks)
    return (MloptMatmulResiduals){.boxes = 0};
  // As even as can be, so that the first stage is given back early.
  int64_t blocks = mloptMatmulConsumerBlocks(c, s);
  r.stages = mloptDivideUp(blocks, r.blocks);
  r.blocks = mloptDivideUp(blocks, r.stages);
  return r;
}

bool mloptMatmulIsMap(const MloptContraction *c, const MloptMatmulSchedule *s,
                      intptr_t parameter) {
  bool isMap = parameter == c->a.parameter;
  for (intptr_t i = 0; i < c->numProducts; ++i)
    isMap |= parameter == c->parametersOfB[i];
  for (intptr_t i = 0; i < c->numOutputs; ++i)
    isMap |= parameter == c->outputs[i].parameter &&
             mloptMatmulStoresBoxes(c, &c->outputs[i]);
  for (intptr_t i = 0; i < c->numResiduals; ++i)
    isMap |= parameter == c->residuals[i].parameter &&
             mloptMatmulStoresBoxes(c, &c->residuals[i]) &&
             mloptMatmulLoadsResiduals(c, s).boxes;
  return isMap;
}

bool mloptMatmulIsMapOfAny(const MloptContractions *list,
                           const MloptMatmulSchedule *s, intptr_t parameter) {
  for (intptr_t i = 0; i < list->count; ++i)
    if (mloptMatmulIsMap(&list->at[i], s, parameter))
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

static MlirAttribute dictionary(MlirContext context, intptr_t count,
                                MlirNamedAttribute *attrs) {
  return mlirDictionaryAttrGet(context, count, attrs);
}

static MlirAttribute scheduleAttr(MlirContext context,
                                  const MloptMatmulSchedule *s) {
  MlirNamedAttribute entries[] = {
      mloptNamedAttr(context, "band", mloptI64Attr(context, s->band)),
      mloptNamedAttr(context, "family", mloptStrAttr(context, "matmul")),
      mloptNamedAttr(context, "stages", mloptI64Attr(context, s->stages)),
      mloptNamedAttr(context, "tile", mloptI64Array(context, 3, s->tile)),
      {.name = mlirIdentifierGet(context, mloptStr("cluster"))},
      {.name = mlirIdentifierGet(context, mloptStr("splits"))},
      {.name = mlirIdentifierGet(context, mloptStr("alternate"))},
      {.name = mlirIdentifierGet(context, mloptStr("tail"))},
  };
  intptr_t count = 4;
  if (s->cluster > 1)
    entries[count++] =
        mloptNamedAttr(context, "cluster", mloptI64Attr(context, s->cluster));
  if (s->splits > 1)
    entries[count++] =
        mloptNamedAttr(context, "splits", mloptI64Attr(context, s->splits));
  if (s->alternate)
    entries[count++] =
        mloptNamedAttr(context, "alternate", mlirUnitAttrGet(context));
  if (s->tail)
    entries[count++] =
        mloptNamedAttr(context, "tail", mlirUnitAttrGet(context));
  return dictionary(context, count, entries);
}

void mloptMatmulAnnotate(MlirOperation kernel, const MloptContractions *list,
                         const MloptMatmulSchedule *s) {
  MlirContext context = mlirOperationGetContext(kernel);
  mlirOperationSetDiscardableAttributeByName(kernel, mloptStr("mlopt.schedule"),
                                             scheduleAttr(context, s));
  if (mloptMatmulBlocks(s) > 1)
    mloptSetKernelCluster(kernel, mloptMatmulBlocks(s));
  mloptSetKernelThreads(kernel, MLOPT_MATMUL_THREADS);
  mloptSetKernelResident(kernel, 1);
  bool isMap[MLOPT_MAX_LAUNCH_ARGUMENTS];
  for (intptr_t i = 0; i < MLOPT_MAX_LAUNCH_ARGUMENTS; ++i)
    isMap[i] = mloptMatmulIsMapOfAny(list, s, i);
  mloptSetKernelMaps(kernel, isMap);
}

/// An integer of a dictionary; `otherwise` if it has none of this name.
static bool readInt(MlirAttribute dict, const char *name, int64_t otherwise,
                    int64_t *out) {
  MlirAttribute attr = mloptDictGet(dict, name);
  *out = otherwise;
  if (mlirAttributeIsNull(attr))
    return otherwise > 0;
  if (!mloptIsI64(attr))
    return false;
  *out = mlirIntegerAttrGetValueInt(attr);
  return true;
}

bool mloptReadMatmulSchedule(MlirOperation kernel, MloptMatmulSchedule *out) {
  MlirAttribute schedule = mloptAttr(kernel, "mlopt.schedule");
  if (mlirAttributeIsNull(schedule))
    return false;
  MlirAttribute family = mloptDictGet(schedule, "family");
  if (mlirAttributeIsNull(family) || !mloptIsString(family) ||
      !mloptStrEq(mlirStringAttrGetValue(family), "matmul"))
    return false;
  MlirAttribute tile = mloptDictGet(schedule, "tile");
  if (mlirAttributeIsNull(tile) || !mloptIsI64Array(tile) ||
      mlirDenseArrayGetNumElements(tile) != 3)
    return false;
  mloptI64ArrayGet(tile, out->tile);
  static const char *const keys[] = {"alternate", "band",   "cluster", "family",
                                     "splits",    "stages", "tail",    "tile"};
  if (!mloptDictHasOnly(schedule, MLOPT_COUNT(keys), keys))
    return false;
  out->alternate = !mlirAttributeIsNull(mloptDictGet(schedule, "alternate"));
  out->tail = !mlirAttributeIsNull(mloptDictGet(schedule, "tail"));
  return readInt(schedule, "stages", 0, &out->stages) &&
         readInt(schedule, "band", 0, &out->band) &&
         readInt(schedule, "cluster", 1, &out->cluster) &&
         readInt(schedule, "splits", 1, &out->splits);
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

/// A tensor map on its way to an attribute, sizes in elements but for strides.
typedef struct Map {
  const char *type;
  intptr_t rank;
  int64_t dims[MLOPT_MAX_MAP_RANK], strides[MLOPT_MAX_MAP_RANK];
  int64_t box[MLOPT_MAX_MAP_RANK];
  int64_t offset; ///< in bytes
  /// A box is channels, pixels, and these are of the dimensions of windows.
  bool isPixels;
  int64_t low[MLOPT_MAX_MAP_RANK], high[MLOPT_MAX_MAP_RANK];
  int64_t steps[MLOPT_MAX_MAP_RANK];
} Map;

static MlirAttribute mapAttr(MlirContext context, const Map *map) {
  intptr_t windows = map->rank - 2;
  MlirNamedAttribute entries[9] = {
      mloptNamedAttr(
          context, "box",
          mloptI64Array(context, map->isPixels ? 2 : map->rank, map->box)),
      mloptNamedAttr(context, "dims",
                     mloptI64Array(context, map->rank, map->dims)),
      mloptNamedAttr(context, "strides",
                     mloptI64Array(context, map->rank - 1, map->strides)),
      mloptNamedAttr(context, "swizzle",
                     mloptI64Attr(context, MLOPT_NV_ROW_BYTES)),
      mloptNamedAttr(context, "type", mloptStrAttr(context, map->type)),
  };
  intptr_t count = 5;
  if (map->offset)
    entries[count++] =
        mloptNamedAttr(context, "offset", mloptI64Attr(context, map->offset));
  if (map->isPixels) {
    entries[count++] = mloptNamedAttr(
        context, "low", mloptI64Array(context, windows, map->low));
    entries[count++] = mloptNamedAttr(
        context, "high", mloptI64Array(context, windows, map->high));
    entries[count++] = mloptNamedAttr(
        context, "steps", mloptI64Array(context, windows, map->steps));
  }
  return dictionary(context, count, entries);
}

/// The bytes of a stride. One of a dimension of size 1 is never stepped over,
/// but must be a multiple of 16.
static int64_t strideBytes(int64_t stride, int64_t inner, int64_t bytes) {
  return stride ? stride * bytes : mloptDivideUp(inner * bytes, 16) * 16;
}

MlirAttribute mloptMatmulMapOfFactor(MlirContext context,
                                     const MloptMatrix *factor, int64_t offset,
                                     const int64_t box[2]) {
  int64_t bytes = mloptMatmulElementBytes(factor);
  Map map = {.type = mloptMatmulMapType(factor),
             .rank = factor->rank,
             .offset = offset * bytes,
             .isPixels = factor->isPixels};
  for (intptr_t i = 0; i < map.rank; ++i) {
    const MloptMapDim *dim = &factor->dims[i];
    map.dims[i] = dim->size;
    map.box[i] = 1;
    if (!i)
      continue;
    map.strides[i - 1] = strideBytes(dim->stride, map.dims[0], bytes);
    map.low[i - 1] = dim->low;
    map.high[i - 1] = dim->high;
    map.steps[i - 1] = dim->step;
  }
  map.box[0] = box[0];
  map.box[1] = box[1];
  return mapAttr(context, &map);
}

/// A factor, whose tile has `rows` along m or n: one box of rows along k, or
/// boxes of 128 bytes
/// along the other axis.
static MlirAttribute factorMap(MlirContext context, const MloptMatrix *factor,
                               int64_t offset, int64_t rows) {
  int64_t piece = MLOPT_NV_MMA_STAGE_BYTES / mloptMatmulElementBytes(factor);
  const int64_t alongK[] = {piece, rows}, across[] = {piece, piece};
  return mloptMatmulMapOfFactor(context, factor, offset,
                                factor->isKMajor ? alongK : across);
}

MlirAttribute mloptMatmulMapOfOutput(MlirContext context,
                                     const MloptContraction *c,
                                     const MloptOutput *output) {
  MloptStoreDigit digits[MLOPT_PLACE_MAX_DIGITS];
  Map map = {.type = storedType(output),
             .rank = mloptMatmulBoxDigits(c, output, digits)};
  for (intptr_t i = 0; i < map.rank; ++i) {
    map.dims[i] = digits[i].size;
    map.box[i] = 1;
    if (i)
      map.strides[i - 1] =
          strideBytes(digits[i].stride, map.dims[0], elementBytes(output));
  }
  map.box[0] = mloptMatmulStoreColumns(output);
  map.box[1] = MLOPT_NV_MMA_ROWS;
  return mapAttr(context, &map);
}

/// Puts a contraction's tensor maps where its parameters are.
static void addMaps(MlirContext context, const MloptContraction *c,
                    const MloptMatmulSchedule *s, const int64_t rows[2],
                    MlirAttribute *maps) {
  if (!c->computes[0])
    maps[c->a.parameter] = factorMap(context, &c->a, c->a.offset, rows[0]);
  for (intptr_t i = 0; i < c->numProducts && !c->computes[1]; ++i)
    maps[c->parametersOfB[i]] =
        factorMap(context, &c->b, c->offsetsOfB[i],
                  rows[1] / c->numProducts / s->cluster);
  for (intptr_t i = 0; i < c->numOutputs; ++i)
    if (mloptMatmulStoresBoxes(c, &c->outputs[i]))
      maps[c->outputs[i].parameter] =
          mloptMatmulMapOfOutput(context, c, &c->outputs[i]);
  for (intptr_t i = 0; i < c->numResiduals; ++i)
    if (mloptMatmulIsMap(c, s, c->residuals[i].parameter))
      maps[c->residuals[i].parameter] =
          mloptMatmulMapOfOutput(context, c, &c->residuals[i]);
}

static MlirAttribute tensorMaps(MlirContext context,
                                const MloptContractions *list,
                                const MloptMatmulSchedule *s, intptr_t count) {
  MlirAttribute maps[MLOPT_MAX_LAUNCH_ARGUMENTS];
  for (intptr_t i = 0; i < count; ++i)
    maps[i] = mlirUnitAttrGet(context);
  const int64_t rows[] = {mloptMatmulRowsOf(list, s, 0),
                          mloptMatmulRowsOf(list, s, 1)};
  for (intptr_t i = 0; i < list->count; ++i)
    addMaps(context, &list->at[i], s, rows, maps);
  return mlirArrayAttrGet(context, count, maps);
}

intptr_t mloptMatmulScratch(MlirContext context, const MloptContraction *c,
                            const MloptMatmulSchedule *s,
                            MlirType out[MLOPT_MATMUL_MOST_SCRATCH]) {
  if (!s->tail)
    return 0;
  int64_t tiles = mloptMatmulTailOf(c, s).tiles;
  int64_t flags = tiles * MLOPT_MATMUL_CONSUMERS;
  const int64_t sums[] = {tiles, s->tile[0], s->tile[1]};
  out[0] = mloptTensorType(
      3, sums, mloptElementType(mloptResultType(c->products[0], 0)));
  out[1] = mloptTensorType(1, &flags, mlirIntegerTypeGet(context, 32));
  return 2;
}

void mloptMatmulLaunch(MlirContext context, const MloptContractions *list,
                       const MloptMatmulSchedule *s, MloptLaunch *launch) {
  int64_t total = mloptMatmulTotal(list, s), blocks = mloptMatmulBlocks(s);
  int64_t most = mloptSm90.multiprocessors / blocks;
  launch->blocks = (total < most ? total : most) * blocks;
  launch->threads = MLOPT_MATMUL_THREADS;
  launch->sharedBytes = mloptMatmulCarve(s).total;
  launch->tensorMaps = tensorMaps(context, list, s, launch->numArguments);
}
