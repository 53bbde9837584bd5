//===- schedule_matmul.c - Tiles and launches of matrix products ----------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "schedule_matmul.h"

#include "nv_ring.h"
#include "nv_tma.h"
#include "nv_wgmma.h"

#include <inttypes.h>

//===----------------------------------------------------------------------===//
// Legal tiles
//===----------------------------------------------------------------------===//

/// As many stages as fit beside the blocks to store; a larger n reads less of A
/// for each product, a smaller one makes more tiles. Of `band` rows of tiles, A
/// stays in L2 while B goes by.
static const MloptMatmulSchedule tiles[] = {
    {{128, 256, 64}, 4, 16},
    {{128, 128, 64}, 6, 16},
    {{128, 64, 64}, 8, 16},
};

/// What the model knows of sm_90a, from the CUDA C++ programming guide and the
/// H200's data sheet: multiprocessors, shared memory of a block, elements of 16
/// bits that the Tensor Cores multiply in a cycle and that L2 delivers.
enum {
  PROCESSORS = 132,
  SHARED_BYTES = 232448,
  PRODUCTS_PER_CYCLE = 4096,
  ELEMENTS_PER_CYCLE = 32,
  MOST_STAGES = 63,
  TILE_CYCLES = 1500, ///< filling the ring and storing what does not overlap
};

static int64_t divideUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

void mloptMatmulTiles(const MloptContraction *c, const MloptMatmulSchedule *s,
                      int64_t *outM, int64_t *outN, int64_t *outTotal) {
  *outM = divideUp(c->sizes[MLOPT_AXIS_M], s->tile[0]);
  *outN = divideUp(c->sizes[MLOPT_AXIS_N], s->tile[1]);
  *outTotal = *outM * *outN * c->sizes[MLOPT_AXIS_BATCH];
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

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

/// Cycles: full rounds of tiles over the processors, each tile bound by its
/// products or by what it reads from L2.
static int64_t cost(const MloptContraction *c, const MloptMatmulSchedule *s) {
  int64_t m, n, total;
  mloptMatmulTiles(c, s, &m, &n, &total);
  int64_t steps = divideUp(c->sizes[MLOPT_AXIS_K], s->tile[2]);
  int64_t compute = s->tile[0] * s->tile[1] * s->tile[2] / PRODUCTS_PER_CYCLE;
  int64_t read = (s->tile[0] + s->tile[1]) * s->tile[2] / ELEMENTS_PER_CYCLE;
  int64_t tile = steps * (compute > read ? compute : read) + TILE_CYCLES;
  return divideUp(total, PROCESSORS) * tile;
}

/// TMA takes tensors whose strides but the innermost are multiples of 16 bytes,
/// and sizes below 2^32; coordinates here are below 2^31.
static bool isReachable(const MloptContraction *c, const MloptMatrix *matrix) {
  int64_t bytes = mloptElementWidth(mloptElementType(matrix->type)) / 8;
  bool contiguous = false;
  for (int axis = 0; axis < MLOPT_NUM_AXES; ++axis) {
    int64_t stride = matrix->strides[axis];
    contiguous |= stride == 1 && axis != MLOPT_AXIS_BATCH;
    if (stride > 1 && stride * bytes % 16)
      return false;
    if (c->sizes[axis] >= INT64_C(1) << 30 || stride >= INT64_C(1) << 36)
      return false;
  }
  return contiguous;
}

static bool isTaken(const MloptContraction *c) {
  // A k below one instruction's depth would leave the innermost axis open.
  enum { LEAST_K = 16 };
  MlirType out = mloptElementType(c->c.type);
  return c->sizes[MLOPT_AXIS_K] >= LEAST_K &&
         (mlirTypeIsABF16(out) || mlirTypeIsAF16(out) || mlirTypeIsAF32(out)) &&
         c->a.parameter != c->b.parameter && isReachable(c, &c->a) &&
         isReachable(c, &c->b) && isReachable(c, &c->c);
}

bool mloptScheduleMatmul(const MloptContraction *c, MloptMatmulSchedule *out) {
  enum { MOST_TILES = 1 << 30 };
  if (!isTaken(c))
    return false;
  int64_t best = 0, m, n, total;
  for (int i = 0; i < MLOPT_COUNT(tiles); ++i) {
    mloptMatmulTiles(c, &tiles[i], &m, &n, &total);
    int64_t cycles = cost(c, &tiles[i]);
    if (total > MOST_TILES || (best && cycles >= best))
      continue;
    best = cycles;
    *out = tiles[i];
  }
  return best > 0;
}

bool mloptVerifyMatmul(MlirOperation kernel, const MloptContraction *c,
                       const MloptMatmulSchedule *s) {
  bool known = false;
  for (int i = 0; i < MLOPT_COUNT(tiles); ++i)
    known |= !memcmp(s->tile, tiles[i].tile, sizeof s->tile);
  if (!isTaken(c)) {
    mloptOpError(kernel, "has the schedule of a matrix product, but TMA does "
                         "not take its tensors");
    return false;
  }
  if (known && s->band > 0 && s->stages > 1 && s->stages <= MOST_STAGES &&
      mloptMatmulCarve(s).total <= SHARED_BYTES)
    return true;
  mloptOpError(kernel,
               "has an illegal schedule: tile %" PRId64 "x%" PRId64 "x%" PRId64
               " with %" PRId64 " stages in bands of %" PRId64
               " is none of 128x256x64, 128x128x64, 128x64x64 with 2 to %d "
               "stages in at most %d bytes of shared memory",
               s->tile[0], s->tile[1], s->tile[2], s->stages, s->band,
               MOST_STAGES, SHARED_BYTES);
  return false;
}

int64_t mloptMatmulStoreColumns(const MloptContraction *c) {
  return MLOPT_NV_ROW_BYTES /
         (mloptElementWidth(mloptElementType(c->c.type)) / 8);
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

static MlirAttribute dictionary(MlirContext context, intptr_t count,
                                MlirNamedAttribute *attrs) {
  return mlirDictionaryAttrGet(context, count, attrs);
}

void mloptMatmulAnnotate(MlirOperation kernel, const MloptContraction *c,
                         const MloptMatmulSchedule *s) {
  MlirContext context = mlirOperationGetContext(kernel);
  MlirNamedAttribute entries[] = {
      mloptNamedAttr(context, "band", mloptI64Attr(context, s->band)),
      mloptNamedAttr(context, "family", mloptStrAttr(context, "matmul")),
      mloptNamedAttr(context, "stages", mloptI64Attr(context, s->stages)),
      mloptNamedAttr(context, "tile", mloptI64Array(context, 3, s->tile)),
  };
  mlirOperationSetDiscardableAttributeByName(
      kernel, mloptStr("mlopt.schedule"),
      dictionary(context, MLOPT_COUNT(entries), entries));
  const int32_t threads[] = {MLOPT_MATMUL_THREADS, 1, 1};
  mlirOperationSetDiscardableAttributeByName(
      kernel, mloptStr("nvvm.reqntid"),
      mlirDenseI32ArrayGet(context, 3, threads));
  mlirOperationSetDiscardableAttributeByName(
      kernel, mloptStr("nvvm.minctasm"),
      mlirIntegerAttrGet(mlirIntegerTypeGet(context, 32), 1));
  MlirAttribute parameters[MLOPT_MAX_LAUNCH_ARGUMENTS];
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(kernel, 0));
  intptr_t n = mlirBlockGetNumArguments(entry);
  for (intptr_t i = 0; i < n; ++i)
    parameters[i] =
        i == c->a.parameter || i == c->b.parameter || i == c->c.parameter
            ? mloptNvMapParameter(context)
            : dictionary(context, 0, NULL);
  mlirOperationSetInherentAttributeByName(
      kernel, mloptStr("arg_attrs"), mlirArrayAttrGet(context, n, parameters));
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
  MlirAttribute stages = mloptDictGet(schedule, "stages");
  MlirAttribute band = mloptDictGet(schedule, "band");
  if (mlirAttributeIsNull(tile) || mlirAttributeIsNull(stages) ||
      mlirAttributeIsNull(band) || !mloptIsI64Array(tile) ||
      mlirDenseArrayGetNumElements(tile) != 3 || !mloptIsI64(stages) ||
      !mloptIsI64(band))
    return false;
  mloptI64ArrayGet(tile, out->tile);
  out->stages = mlirIntegerAttrGetValueInt(stages);
  out->band = mlirIntegerAttrGetValueInt(band);
  return true;
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

/// A matrix as TMA sees it: the contiguous axis, the other one, the batch.
static MlirAttribute mapOf(MlirContext context, const MloptContraction *c,
                           const MloptMatrix *matrix, MloptAxis inner,
                           MloptAxis outer, int64_t innerBox,
                           int64_t outerBox) {
  int64_t bytes = mloptElementWidth(mloptElementType(matrix->type)) / 8;
  const MloptAxis axes[] = {inner, outer, MLOPT_AXIS_BATCH};
  intptr_t rank = c->sizes[MLOPT_AXIS_BATCH] > 1 ? 3 : 2;
  int64_t dims[3], strides[2], box[] = {innerBox, outerBox, 1};
  for (intptr_t i = 0; i < rank; ++i) {
    dims[i] = c->sizes[axes[i]];
    if (!i)
      continue;
    // One of size 1 is never stepped over, but must be a multiple of 16.
    int64_t stride = matrix->strides[axes[i]] * bytes;
    strides[i - 1] = stride ? stride : divideUp(dims[0] * bytes, 16) * 16;
  }
  MlirType element = mloptElementType(matrix->type);
  const char *type = mlirTypeIsABF16(element)  ? "bf16"
                     : mlirTypeIsAF16(element) ? "f16"
                                               : "f32";
  MlirNamedAttribute entries[] = {
      mloptNamedAttr(context, "box", mloptI64Array(context, rank, box)),
      mloptNamedAttr(context, "dims", mloptI64Array(context, rank, dims)),
      mloptNamedAttr(context, "strides",
                     mloptI64Array(context, rank - 1, strides)),
      mloptNamedAttr(context, "swizzle",
                     mloptI64Attr(context, MLOPT_NV_ROW_BYTES)),
      mloptNamedAttr(context, "type", mloptStrAttr(context, type)),
  };
  return dictionary(context, MLOPT_COUNT(entries), entries);
}

/// A factor, whose tile has `rows` along `axis`: one box of rows along k, or
/// boxes of 64 along the other axis.
static MlirAttribute factorMap(MlirContext context, const MloptContraction *c,
                               const MloptMatrix *factor, MloptAxis axis,
                               int64_t rows) {
  enum { PIECE = MLOPT_NV_MMA_DEPTH };
  return factor->strides[MLOPT_AXIS_K] == 1
             ? mapOf(context, c, factor, MLOPT_AXIS_K, axis, PIECE, rows)
             : mapOf(context, c, factor, axis, MLOPT_AXIS_K, PIECE, PIECE);
}

static MlirAttribute tensorMaps(MlirContext context, const MloptContraction *c,
                                const MloptMatmulSchedule *s, intptr_t count) {
  MlirAttribute maps[MLOPT_MAX_LAUNCH_ARGUMENTS];
  for (intptr_t i = 0; i < count; ++i)
    maps[i] = mlirUnitAttrGet(context);
  maps[c->a.parameter] = factorMap(context, c, &c->a, MLOPT_AXIS_M, s->tile[0]);
  maps[c->b.parameter] = factorMap(context, c, &c->b, MLOPT_AXIS_N, s->tile[1]);
  maps[c->c.parameter] = mapOf(context, c, &c->c, MLOPT_AXIS_N, MLOPT_AXIS_M,
                               mloptMatmulStoreColumns(c), MLOPT_NV_MMA_ROWS);
  return mlirArrayAttrGet(context, count, maps);
}

void mloptMatmulLaunch(MlirContext context, const MloptContraction *c,
                       const MloptMatmulSchedule *s, MloptLaunch *launch) {
  int64_t m, n, total;
  mloptMatmulTiles(c, s, &m, &n, &total);
  launch->blocks = total < PROCESSORS ? total : PROCESSORS;
  launch->threads = MLOPT_MATMUL_THREADS;
  launch->sharedBytes = mloptMatmulCarve(s).total;
  launch->tensorMaps = tensorMaps(context, c, s, launch->numArguments);
}
