//===- emit_tiled_place.c - What a thread loads of a factor, and where ----===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides how a tile of a factor is loaded, and computes before the first step
// what does not depend on k. A thread loads the same vectors of each tile:
//
//   along k:  [ v0 v1 v2 v3 ] row 0      along m:  [ v0 v1 .. ] k = 0
//             [ v4 v5 ..    ] row 1                [ ..       ] k = 1
//
// Thread t has vectors t, t + T, ... The position of a vector's first element
// is an affine function of the loops; what of it does not depend on k becomes a
// pointer before the first step, and a step adds the rest.
//
//===----------------------------------------------------------------------===//

#include "emit_tiled_impl.h"
#include "target.h"

#include "mlir-c/Dialect/LLVM.h"

//===----------------------------------------------------------------------===//
// How a factor is loaded
//===----------------------------------------------------------------------===//

static int64_t bytesOf(MlirType element) {
  return mloptElementWidth(mloptPullMemoryType(element)) / 8;
}

/// Elements of 16 bits that lie side by side on odd positions: aligned words
/// are loaded and shifted by an element where they must.
static void chooseShift(MloptTiled *g, MloptTiledFactor *f) {
  const MloptAccess *access = f->source;
  f->alongK = mloptRunsAlong(&g->p, access, MLOPT_AXIS_K);
  f->isShifted = f->alongK || mloptRunsAlong(&g->p, access, f->axis);
  f->vector = f->run = f->isShifted ? MLOPT_TILED_SHIFTED : 1;
  f->alongK |= !f->isShifted;
}

static void chooseVector(MloptTiled *g, MloptTiledFactor *f) {
  const MloptProduct *p = &g->p;
  const MloptAccess *access = f->source;
  int64_t stored = bytesOf(f->stored);
  int64_t widest = f->elementBytes > stored ? f->elementBytes : stored;
  int64_t most = MLOPT_TILED_PIECE / widest;
  int64_t share = f->rows * f->depth / g->threads;
  most = share < most ? share : most;
  int64_t alongK = mloptRunAlong(p, access, MLOPT_AXIS_K, most);
  int64_t along = mloptRunAlong(p, access, f->axis, most);
  intptr_t inner = mloptInnerLoop(p, f->axis),
           innerK = mloptInnerLoop(p, MLOPT_AXIS_K);
  bool isRow = inner >= 0 && access->position.factor[inner] == 1;
  bool isColumn = innerK >= 0 && access->position.factor[innerK] == 1;
  f->alongK = !access->isKnown || alongK > along ||
              (alongK == along && (isColumn || !isRow));
  f->vector = f->run = f->alongK ? alongK : along;
  f->isConverted =
      !f->factor->isComputed && !mlirTypeEqual(f->factor->element, f->stored);
  bool isMoved = !f->isConverted &&
                 (!f->factor->isComputed || mloptTiledKeepsSource(p, &g->s));
  f->isCopied = access->isKnown && isMoved && f->vector * stored >= 4;
  if (f->vector == 1 && share >= MLOPT_TILED_SHIFTED && stored == 2 &&
      !f->isConverted && !f->factor->isComputed)
    chooseShift(g, f);
}

static void chooseDepth(MloptTiled *g, MloptTiledFactor *f) {
  const MloptProduct *p = &g->p;
  const MloptAccess *access = f->source;
  intptr_t inner = mloptInnerLoop(p, MLOPT_AXIS_K);
  if (mloptIsLinear(p, &access->position, MLOPT_AXIS_K, &f->depthFactor) &&
      !mloptBoundsDependOn(p, access, MLOPT_AXIS_K)) {
    f->depthKind = MLOPT_TILED_LINEAR;
    return;
  }
  bool isUniform = inner >= 0 && p->sizes[inner] % f->depth == 0;
  for (int i = 0; i < access->numBounds && isUniform; ++i)
    isUniform = !access->bounds[i].index.factor[inner];
  f->depthKind = isUniform ? MLOPT_TILED_UNIFORM : MLOPT_TILED_EACH;
  f->depthFactor = inner < 0 ? 0 : access->position.factor[inner];
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// What the loops of an axis add to an affine function; null for nothing.
MlirValue mloptTiledSumAlong(MloptTiled *g, const MloptAffine *f,
                             MloptAxis axis, const MlirValue *loops) {
  const MloptLoops *all = &g->p.axes[axis];
  MlirValue sum = {NULL};
  for (intptr_t i = 0; i < all->count; ++i)
    if (g->p.sizes[all->at[i]] > 1)
      sum = mloptTiledAdd(
          g, sum,
          mloptTiledMulInt(g, loops[all->at[i]], f->factor[all->at[i]]));
  return sum;
}

/// A pointer so many bytes on, a value of i64.
MlirValue mloptTiledAdvance(MloptTiled *g, MlirValue pointer, MlirValue bytes) {
  MlirContext c = g->nv.b->context;
  const int32_t dynamic = INT32_MIN;
  MlirType type = mlirLLVMPointerTypeGet(c, 0);
  MlirValue operands[] = {pointer, bytes};
  MlirNamedAttribute attrs[] = {
      mloptNamedAttr(c, "elem_type", mlirTypeAttrGet(mlirIntegerTypeGet(c, 8))),
      mloptNamedAttr(c, "rawConstantIndices",
                     mlirDenseI32ArrayGet(c, 1, &dynamic)),
  };
  return mloptBuildValue(g->nv.b, (MloptOpSpec){.name = "llvm.getelementptr",
                                                .numOperands = 2,
                                                .operands = operands,
                                                .numResults = 1,
                                                .results = &type,
                                                .numAttrs = MLOPT_COUNT(attrs),
                                                .attrs = attrs});
}

/// A pointer so many elements (index, or null) on; parts of a position may be
/// negative.
MlirValue mloptTiledAdvanceBy(MloptTiled *g, MlirValue pointer,
                              MlirValue elements, int64_t bytes) {
  if (mlirValueIsNull(elements))
    return pointer;
  MlirValue wide =
      mloptBuildUnary(g->nv.b, "arith.index_cast", elements, g->nv.i64);
  return mloptTiledAdvance(g, pointer,
                           mloptBuildBinary(g->nv.b, "arith.muli", wide,
                                            mloptNvLong(&g->nv, bytes)));
}

/// The position in a tile of the thread's first vector, and where that lies in
/// shared memory.
static void placeThread(MloptTiled *g, MloptTiledFactor *f) {
  MloptNv *nv = &g->nv;
  int64_t line = (f->alongK ? f->depth : f->rows) / f->vector;
  MlirValue across = mloptNvDivInt(nv, g->thread, line);
  MlirValue along =
      mloptNvMulInt(nv, mloptNvRemInt(nv, g->thread, line), f->vector);
  f->firstRow = mloptTiledToIndex(g, f->alongK ? across : along);
  f->firstDepth = mloptTiledToIndex(g, f->alongK ? along : across);
  f->step = g->threads / line;
  f->count = (int)(f->rows * f->depth / f->vector / g->threads);
  MlirValue bytes = mloptNvMulInt(nv, along, bytesOf(f->stored));
  f->place = mloptTiledPlaceAt(nv, f->matrix, f->start, across,
                               mloptNvShrInt(nv, bytes, 4),
                               mloptNvAndInt(nv, bytes, MLOPT_TILED_PIECE - 1));
}

/// The same of what a lane has of fragments (emit_tiled_direct.c), of the k
/// that its group takes: 16 bytes of every fourth row of the long factor, as
/// many elements of every eighth of the other.
static void placeLane(MloptTiled *g, MloptTiledFactor *f, int factor) {
  MloptNv *nv = &g->nv;
  bool isLong = factor == mloptTiledLongFactor(&g->p);
  int64_t lanes = isLong ? 8 : 4; // along k
  f->alongK = true;
  f->vector = mloptTiledLane(&g->p);
  f->run = mloptTiledRunOfLane(&g->p, factor);
  f->isShifted = f->run == 1;
  // In several accesses, of whose sectors each takes a part.
  f->isReadOnce = isLong && f->run == f->vector;
  MlirValue row = mloptNvAdd(
      nv, mloptNvMulInt(nv, factor ? g->warpN : g->warpM, g->s.warp[factor]),
      mloptNvDivInt(nv, g->lane, lanes));
  MlirValue depth = mloptNvAdd(
      nv, mloptNvMulInt(nv, g->group, f->depth / g->s.groups),
      mloptNvMulInt(nv, mloptNvRemInt(nv, g->lane, lanes), f->vector));
  f->firstRow = mloptTiledToIndex(g, row);
  f->firstDepth = mloptTiledToIndex(g, depth);
  f->step = mloptSm90.warp / lanes;
  f->count = (int)(g->s.warp[factor] / f->step);
}

/// How many elements there are from an index on, as i32; may be negative.
MlirValue mloptTiledCountLeft(MloptTiled *g, MlirValue index, int64_t size) {
  return mloptTiledToInt(g, mloptBuildBinary(g->nv.b, "arith.subi",
                                             mloptPullIndex(g->pull, size),
                                             index));
}

/// A vector without what depends on the tile's start along k: its row, and the
/// depth of the thread's first vector.
static void setUpVector(MloptTiled *g, MloptTiledFactor *f, MlirValue row,
                        MloptTiledVector *v) {
  const MloptProduct *p = &g->p;
  const MloptAccess *access = f->source;
  int64_t size = p->axes[f->axis].size;
  MlirValue tile = f->axis == MLOPT_AXIS_M ? g->tileM : g->tileN;
  MlirValue index = mloptTiledAdd(g, tile, row);
  if (size % f->rows)
    v->inRange = mloptTiledBelow(g, index, size);
  if (f->isShifted && !f->alongK)
    v->left = mloptTiledCountLeft(g, index, size);
  memcpy(v->loops, g->batchLoops, sizeof v->loops);
  mloptTiledSplit(g, f->axis, index, v->loops);
  if (!access->isKnown)
    return;
  intptr_t inner = mloptInnerLoop(p, MLOPT_AXIS_K);
  bool each = f->depthKind == MLOPT_TILED_EACH;
  MlirValue position = mloptTiledAdd(
      g, mloptTiledSumAlong(g, &access->position, MLOPT_AXIS_BATCH, v->loops),
      mloptTiledSumAlong(g, &access->position, f->axis, v->loops));
  position = mloptTiledAddInt(g, position, access->position.constant);
  if (!each)
    position = mloptTiledAdd(
        g, position, mloptTiledMulInt(g, f->firstDepth, f->depthFactor));
  v->pointer =
      mloptTiledAdvanceBy(g, mloptPullFindPointer(g->pull, access->tensor),
                          position, f->elementBytes);
  for (int i = 0; i < access->numBounds; ++i) {
    const MloptAffine *bound = &access->bounds[i].index;
    v->bounds[i] = mloptTiledAdd(
        g, mloptTiledSumAlong(g, bound, MLOPT_AXIS_BATCH, v->loops),
        mloptTiledSumAlong(g, bound, f->axis, v->loops));
    v->bounds[i] = mloptTiledAddInt(g, v->bounds[i], bound->constant);
    if (!each && inner >= 0)
      v->bounds[i] = mloptTiledAdd(
          g, v->bounds[i],
          mloptTiledMulInt(g, f->firstDepth, bound->factor[inner]));
    if (mlirValueIsNull(v->bounds[i]))
      v->bounds[i] = mloptPullIndex(g->pull, 0);
  }
}

/// Whether rows of a factor are all the same distance apart, so that a vector's
/// pointer is the first one's and a constant.
static bool rowsAreLinear(const MloptTiled *g, const MloptTiledFactor *f,
                          int64_t *outFactor) {
  const MloptAccess *access = f->source;
  return access->isKnown && !mloptBoundsDependOn(&g->p, access, f->axis) &&
         mloptIsLinear(&g->p, &access->position, f->axis, outFactor);
}

static void setUpVectors(MloptTiled *g, MloptTiledFactor *f) {
  int64_t factor = 0, size = g->p.axes[f->axis].size;
  bool isLinear = rowsAreLinear(g, f, &factor);
  for (int i = 0; i < f->count; ++i) {
    MloptTiledVector *v = &f->vectors[i];
    MlirValue row =
        f->alongK ? mloptTiledAddInt(g, f->firstRow, i * f->step) : f->firstRow;
    if (i && (isLinear || !f->alongK)) {
      *v = f->vectors[0];
      if (f->alongK) {
        MlirValue tile = f->axis == MLOPT_AXIS_M ? g->tileM : g->tileN;
        if (size % f->rows)
          v->inRange = mloptTiledBelow(g, mloptTiledAdd(g, tile, row), size);
        v->offset = i * f->step * factor * f->elementBytes;
      } else if (f->depthKind != MLOPT_TILED_EACH) {
        v->offset = i * f->step * f->depthFactor * f->elementBytes;
      }
      continue;
    }
    setUpVector(g, f, row, v);
  }
}

void mloptTiledPlaceRows(MloptTiled *g, MloptTiledFactor *f) {
  MlirValue tile = f->axis == MLOPT_AXIS_M ? g->tileM : g->tileN;
  int64_t size = g->p.axes[f->axis].size;
  for (int i = 0; i < f->count && f->alongK; ++i) {
    MlirValue row = mloptTiledAdd(g, tile, f->firstRow);
    row = mloptTiledAddInt(g, row, i * f->step);
    if (size % f->rows)
      row = mloptBuildBinary(g->nv.b, "arith.minui", row,
                             mloptPullIndex(g->pull, size - 1));
    memcpy(f->vectors[i].loops, g->batchLoops, sizeof f->vectors[i].loops);
    mloptTiledSplit(g, f->axis, row, f->vectors[i].loops);
  }
}

/// Loads the last element of a shifted tensor if it has a word for itself.
static void setUpLast(MloptTiled *g, MloptTiledFactor *f) {
  MloptNv *nv = &g->nv;
  if (!f->isShifted || !f->source->isKnown)
    return;
  MlirValue tensor = f->source->tensor;
  int64_t count = mloptNumElements(mlirValueGetType(tensor));
  if (count % 2 == 0)
    return;
  MlirValue last,
      pointer =
          mloptTiledAdvance(g, mloptPullFindPointer(g->pull, tensor),
                            mloptNvLong(nv, (count - 1) * f->elementBytes));
  mloptNvLoadWords(nv, pointer, f->elementBytes, false, (MlirValue){NULL},
                   &last);
  f->last = mloptBuildUnary(nv->b, "arith.extui", last, nv->i32);
}

void mloptTiledSetUpFactor(MloptTiled *g, int factor, int64_t start) {
  MloptTiledFactor *f = &g->factors[factor];
  *f = (MloptTiledFactor){
      .factor = &g->p.factors[factor],
      .source = &g->p.factors[factor].source,
      .axis = factor ? MLOPT_AXIS_N : MLOPT_AXIS_M,
      .rows = g->s.tile[factor],
      .depth = g->s.tile[2],
      .stored = mloptTiledStaged(&g->p, &g->s, factor),
      .bytes = mloptTiledFactorBytes(&g->p, &g->s, factor),
      .start = mloptNvAddInt(&g->nv, g->start, start),
  };
  f->elementBytes = bytesOf(f->factor->read);
  if (mloptTiledIsDirect(&g->s)) {
    placeLane(g, f, factor);
    chooseDepth(g, f);
  } else {
    chooseVector(g, f);
    f->matrix.rowBytes = (f->alongK ? f->depth : f->rows) * bytesOf(f->stored);
    // Four lanes read a row's neighbouring pieces.
    if (f->factor->isComputed && mloptTiledKeepsSource(&g->p, &g->s) &&
        f->matrix.rowBytes >= MLOPT_TILED_LINE)
      f->matrix.shared = 4;
    if (mloptTiledIsWide(g) && !f->alongK &&
        f->matrix.rowBytes >= MLOPT_TILED_LINE)
      f->matrix.apart = mloptTiledWideDepth(g);
    chooseDepth(g, f);
    placeThread(g, f);
  }
  if (f->count > MLOPT_TILED_MAX_VECTORS)
    g->nv.b->failed = true;
  else
    setUpVectors(g, f);
  setUpLast(g, f);
  if (f->factor->isComputed)
    mloptTiledPlaceRows(g, f);
}
