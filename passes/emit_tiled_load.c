//===- emit_tiled_load.c - Tiles of the factors into shared memory --------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread loads the same vectors of each tile of a factor:
//
//   along k:  [ v0 v1 v2 v3 ] row 0      along m:  [ v0 v1 .. ] k = 0
//             [ v4 v5 ..    ] row 1                [ ..       ] k = 1
//
// Thread t has vectors t, t + T, ... The position of a vector's first element
// is an affine function of the loops; what of it does not depend on k becomes a
// pointer before the first step, and a step adds the rest. A factor that the
// program computes on the way is evaluated element by element.
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

enum { SHIFTED = 8 }; ///< elements of a vector that is shifted into place

/// Elements of 16 bits that lie side by side on odd positions: aligned words
/// are loaded and shifted by an element where they must.
static void chooseShift(MloptTiled *g, MloptTiledFactor *f) {
  const MloptAccess *access = f->source;
  f->alongK = mloptRunsAlong(&g->p, access, MLOPT_AXIS_K);
  f->isShifted = f->alongK || mloptRunsAlong(&g->p, access, f->axis);
  f->vector = f->run = f->isShifted ? SHIFTED : 1;
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
  if (f->vector == 1 && share >= SHIFTED && stored == 2 && !f->isConverted &&
      !f->factor->isComputed)
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
static MlirValue sumAlong(MloptTiled *g, const MloptAffine *f, MloptAxis axis,
                          const MlirValue *loops) {
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
static MlirValue advance(MloptTiled *g, MlirValue pointer, MlirValue bytes) {
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
static MlirValue advanceBy(MloptTiled *g, MlirValue pointer, MlirValue elements,
                           int64_t bytes) {
  if (mlirValueIsNull(elements))
    return pointer;
  MlirValue wide =
      mloptBuildUnary(g->nv.b, "arith.index_cast", elements, g->nv.i64);
  return advance(g, pointer,
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
static MlirValue countLeft(MloptTiled *g, MlirValue index, int64_t size) {
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
    v->left = countLeft(g, index, size);
  memcpy(v->loops, g->batchLoops, sizeof v->loops);
  mloptTiledSplit(g, f->axis, index, v->loops);
  if (!access->isKnown)
    return;
  intptr_t inner = mloptInnerLoop(p, MLOPT_AXIS_K);
  bool each = f->depthKind == MLOPT_TILED_EACH;
  MlirValue position = mloptTiledAdd(
      g, sumAlong(g, &access->position, MLOPT_AXIS_BATCH, v->loops),
      sumAlong(g, &access->position, f->axis, v->loops));
  position = mloptTiledAddInt(g, position, access->position.constant);
  if (!each)
    position = mloptTiledAdd(
        g, position, mloptTiledMulInt(g, f->firstDepth, f->depthFactor));
  v->pointer = advanceBy(g, mloptPullFindPointer(g->pull, access->tensor),
                         position, f->elementBytes);
  for (int i = 0; i < access->numBounds; ++i) {
    const MloptAffine *bound = &access->bounds[i].index;
    v->bounds[i] =
        mloptTiledAdd(g, sumAlong(g, bound, MLOPT_AXIS_BATCH, v->loops),
                      sumAlong(g, bound, f->axis, v->loops));
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
  if (f->factor->isComputed)
    mloptTiledPlaceRows(g, f);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static bool isFloat(MlirType type) { return !mlirTypeIsAInteger(type); }

/// The bits of an element as an integer of its width, and back.
static MlirValue toBits(MloptTiled *g, MlirValue element) {
  MlirType type = mlirValueGetType(element);
  return isFloat(type)
             ? mloptBuildUnary(g->nv.b, "arith.bitcast", element,
                               mlirIntegerTypeGet(g->nv.b->context,
                                                  mloptElementWidth(type)))
             : element;
}

/// Element `i` of words in memory.
static MlirValue elementOf(MloptTiled *g, const MloptTiledFactor *f,
                           const MlirValue *words, int64_t i) {
  MloptBuilder *b = g->nv.b;
  MlirType memory = mloptPullMemoryType(f->factor->read);
  int64_t width = 8 * f->elementBytes;
  MlirType bits = mlirIntegerTypeGet(b->context, (unsigned)width);
  MlirValue word = words[i * width / 32];
  int64_t shift = i * width % 32;
  if (shift && f->vector * f->elementBytes < 4)
    word = mloptBuildUnary(b, "arith.extui", word, g->nv.i32);
  if (shift)
    word = mloptNvShrInt(&g->nv, word, shift);
  if (width < 32 && mloptElementWidth(mlirValueGetType(word)) != width)
    word = mloptBuildUnary(b, "arith.trunci", word, bits);
  if (isFloat(memory))
    word = mloptBuildUnary(b, "arith.bitcast", word, memory);
  return mloptPullFromMemory(g->pull, word, f->factor->read);
}

/// The factor's casts, on an element.
static MlirValue convert(MloptTiled *g, const MloptTiledFactor *f,
                         MlirValue value, MlirValue element) {
  if (!mlirValueIsAOpResult(value) || g->nv.b->failed)
    return element;
  MlirOperation op = mlirOpResultGetOwner(value);
  MlirValue from = mloptOperand(op, 0), to = convert(g, f, from, element);
  if (g->nv.b->failed)
    return (MlirValue){NULL};
  MlirOperation copy = mloptCloneWithMapping(op, 1, &from, &to);
  MloptBuilder *b = g->nv.b;
  if (mlirOperationIsNull(b->before))
    mlirBlockAppendOwnedOperation(b->block, copy);
  else
    mlirBlockInsertOwnedOperationBefore(b->block, b->before, copy);
  return mloptResult(copy, 0);
}

/// An element as it is stored, in fewer bits where these hold it.
static MlirValue narrow(MloptTiled *g, const MloptTiledFactor *f,
                        MlirValue element) {
  return mlirTypeEqual(mlirValueGetType(element), f->stored)
             ? element
             : mloptBuildUnary(g->nv.b, "arith.truncf", element, f->stored);
}

/// The words that `count` elements are in shared memory; returns their bytes.
static int64_t packElements(MloptTiled *g, const MlirValue *elements,
                            int64_t count, MlirValue *words) {
  MloptBuilder *b = g->nv.b;
  int64_t width = mloptElementWidth(mlirValueGetType(elements[0]));
  for (int64_t i = 0; i < count && !b->failed; ++i) {
    if (width == 16 && count > 1 && isFloat(mlirValueGetType(elements[i]))) {
      words[i / 2] = mloptNvJoinHalves(&g->nv, &elements[i]);
      ++i;
      continue;
    }
    MlirValue bits = toBits(g, elements[i]);
    if (width == 64) {
      words[2 * i] = mloptBuildUnary(b, "arith.trunci", bits, g->nv.i32);
      words[2 * i + 1] = mloptBuildUnary(
          b, "arith.trunci",
          mloptNvArith(&g->nv, "arith.shrui", bits, mloptNvLong(&g->nv, 32)),
          g->nv.i32);
    } else if (width == 32 || count == 1) {
      words[i] = bits;
    } else {
      MlirValue part = mloptNvShlInt(
          &g->nv, mloptBuildUnary(b, "arith.extui", bits, g->nv.i32),
          i * width % 32);
      MlirValue *word = &words[i * width / 32];
      *word = i * width % 32 ? mloptNvArith(&g->nv, "arith.ori", *word, part)
                             : part;
    }
  }
  return count * width / 8;
}

/// An element on demand, where the loops stand at `loops`; zero where the
/// condition is false.
static MlirValue pullElement(MloptTiled *g, const MloptTiledFactor *f,
                             const MlirValue *loops, MlirValue condition) {
  MloptPull *pull = g->pull;
  MlirType type = f->stored;
  MlirValue element, zero, out;
  MloptPullScope then = mloptPullBeginBranch(pull);
  element =
      mloptPullGenericOperand(pull, g->p.generic, f->factor->operand, loops);
  if (f->isConverted)
    element = narrow(g, f, convert(g, f, f->factor->multiplied, element));
  mloptPullEndBranch(pull, &then, 1, &element);
  MloptPullScope otherwise = mloptPullBeginBranch(pull);
  zero = isFloat(type) ? mloptBuildFloat(g->nv.b, type, 0)
                       : mloptBuildInt(g->nv.b, type, 0);
  mloptPullEndBranch(pull, &otherwise, 1, &zero);
  mloptPullBuildIf(pull, condition, then, otherwise, 1, &type, &out);
  return out;
}

/// The words of a vector in shared memory, and their bytes, where elements of 8
/// bits become halves.
static int64_t widenBytes(MloptTiled *g, const MloptTiledFactor *f,
                          const MlirValue *from, MlirValue *words) {
  enum { PER_WORD = 4 };
  MloptBuilder *b = g->nv.b;
  MlirType i16 = mlirIntegerTypeGet(b->context, 16);
  MlirValue pair[2];
  for (int64_t i = 0; i < f->vector; i += PER_WORD) {
    MlirValue word = from[i / PER_WORD];
    if (f->vector < PER_WORD)
      word = mloptBuildUnary(b, "arith.extui", word, g->nv.i32);
    mloptNvWidenBytes(&g->nv, mloptTiledByteOf(f->factor), g->converts, word,
                      pair);
    for (int half = 0; half < 2; ++half)
      words[i / 2 + half] = mlirTypeIsABF16(f->stored)
                                ? mloptNvHalfToBFloat(&g->nv, pair[half])
                                : pair[half];
  }
  if (f->vector == 1)
    words[0] = mloptBuildUnary(b, "arith.trunci", words[0], i16);
  return 2 * f->vector;
}

/// The words of a vector in shared memory, and their bytes, after its casts.
static int64_t castElements(MloptTiled *g, const MloptTiledFactor *f,
                            const MlirValue *from, MlirValue *words) {
  MlirValue elements[MLOPT_TILED_PIECE];
  if (mloptElementWidth(f->factor->element) == 8 &&
      mloptElementWidth(f->stored) == 16)
    return widenBytes(g, f, from, words);
  for (int64_t e = 0; e < f->vector; ++e)
    elements[e] = narrow(
        g, f, convert(g, f, f->factor->multiplied, elementOf(g, f, from, e)));
  return packElements(g, elements, f->vector, words);
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

/// Where a vector lies along k: what it adds to its position, and its loops.
typedef struct Depth {
  MlirValue inRange;
  MlirValue left; ///< elements from here on, of a shifted factor along k
  MlirValue loops[MLOPT_MAX_LOOPS_OF_PRODUCT];
} Depth;

/// The depth of vector `i`, or of all where they have one: where the tile
/// starts at `k`.
static Depth depthOf(MloptTiled *g, const MloptTiledFactor *f, MlirValue k,
                     int i) {
  Depth depth = {.inRange = {NULL}};
  MlirValue own = mloptTiledAdd(g, k, f->firstDepth);
  if (!f->alongK)
    own = mloptTiledAddInt(g, own, i * f->step);
  int64_t size = g->p.axes[MLOPT_AXIS_K].size;
  depth.inRange = mloptTiledBelow(g, size % f->depth ? own : k, size);
  if (g->s.splits > 1) // what comes then is another block's
    depth.inRange = mloptTiledAnd(
        g, depth.inRange, mloptBuildCmpI(g->nv.b, "ult", k, g->endDepth));
  if (f->isShifted && f->alongK)
    depth.left = countLeft(g, own, size);
  bool isKnown = f->source->isKnown;
  if (isKnown && f->depthKind == MLOPT_TILED_LINEAR)
    return depth;
  mloptTiledSplit(g, MLOPT_AXIS_K,
                  isKnown && f->depthKind == MLOPT_TILED_UNIFORM ? k : own,
                  depth.loops);
  return depth;
}

static bool sharesDepth(const MloptTiled *g, const MloptTiledFactor *f) {
  return f->alongK || (f->source->isKnown && f->depthKind != MLOPT_TILED_EACH &&
                       g->p.axes[MLOPT_AXIS_K].size % f->depth == 0);
}

static MlirValue isInside(MloptTiled *g, const MloptTiledFactor *f,
                          const MloptTiledVector *v, const Depth *depth) {
  const MloptAccess *access = f->source;
  MlirValue inside = mloptTiledAnd(g, v->inRange, depth->inRange);
  for (int i = 0; i < access->numBounds && access->isKnown; ++i) {
    MlirValue index = v->bounds[i];
    if (f->depthKind != MLOPT_TILED_LINEAR)
      index = mloptTiledAdd(
          g, index,
          sumAlong(g, &access->bounds[i].index, MLOPT_AXIS_K, depth->loops));
    inside = mloptTiledAnd(g, inside,
                           mloptTiledBelow(g, index, access->bounds[i].size));
  }
  return inside;
}

/// The address `outOffset` bytes before a vector: 0, unless the instruction
/// that copies the vector adds them.
static MlirValue pointerTo(MloptTiled *g, const MloptTiledFactor *f,
                           const MloptTiledVector *v, const Depth *depth,
                           MlirValue k, int64_t *outOffset) {
  const MloptAffine *position = &f->source->position;
  MlirValue along = f->depthKind == MLOPT_TILED_LINEAR
                        ? mloptTiledMulInt(g, k, f->depthFactor)
                        : sumAlong(g, position, MLOPT_AXIS_K, depth->loops);
  MlirValue pointer = advanceBy(g, v->pointer, along, f->elementBytes);
  bool isAdded = f->isCopied && v->offset <= INT32_MAX;
  *outOffset = isAdded ? v->offset : 0;
  return v->offset && !isAdded
             ? advance(g, pointer, mloptNvLong(&g->nv, v->offset))
             : pointer;
}

/// Where vector `i` goes in the stage at `slot`.
static MlirValue sharedAddress(MloptTiled *g, const MloptTiledFactor *f, int i,
                               MlirValue slot, int64_t *outOffset) {
  MlirValue at = mloptTiledAddress(&f->place, i * f->step, 0, outOffset);
  return mloptNvAdd(&g->nv, at, slot);
}

/// Whether a tensor's last element is the first of an aligned word, so that the
/// word's other half is beyond the tensor.
static bool endsInWord(const MloptTiledFactor *f) {
  return mloptNumElements(mlirValueGetType(f->source->tensor)) % 2 != 0;
}

/// Bytes from an address to the tensor's last element, as i32.
static MlirValue distanceToLast(MloptTiled *g, const MloptTiledFactor *f,
                                MlirValue address) {
  MloptNv *nv = &g->nv;
  MlirValue tensor = f->source->tensor;
  int64_t last = mloptNumElements(mlirValueGetType(tensor)) - 1;
  MlirValue start = mloptBuildUnary(
      nv->b, "llvm.ptrtoint", mloptPullFindPointer(g->pull, tensor), nv->i64);
  MlirValue end = mloptNvAdd(nv, start, mloptNvLong(nv, 2 * last));
  return mloptBuildUnary(nv->b, "arith.trunci",
                         mloptNvArith(nv, "arith.subi", end, address), nv->i32);
}

/// The aligned words around a vector of 16-bit elements, one more than it has,
/// and how far it is behind their start. `left` elements from its first one on
/// are there; words without any are zero.
static void loadShifted(MloptTiled *g, const MloptTiledFactor *f,
                        MlirValue pointer, MlirValue inside, MlirValue left,
                        MloptTiledLoaded *out, int i) {
  MloptNv *nv = &g->nv;
  MloptBuilder *b = nv->b;
  MlirValue address = mloptBuildUnary(b, "llvm.ptrtoint", pointer, nv->i64);
  MlirValue low = mloptBuildUnary(b, "arith.trunci", address, nv->i32);
  MlirValue odd = mloptNvAndInt(nv, mloptNvShrInt(nv, low, 1), 1);
  MlirValue reach =
      mloptBuildSelect(b, inside, mloptNvAdd(nv, left, odd), mloptNvInt(nv, 0));
  MlirValue toLast = {NULL};
  address = mloptNvArith(nv, "arith.andi", address, mloptNvLong(nv, -4));
  if (endsInWord(f))
    toLast = distanceToLast(g, f, address);
  pointer =
      mloptBuildUnary(b, "llvm.inttoptr", address, mlirValueGetType(pointer));
  for (int w = 0; w <= SHIFTED / 2; ++w)
    out->words[i][w] = mloptNvLoadHalves(nv, pointer, w, reach, toLast);
  out->shift[i] = mloptNvShlInt(nv, odd, 4);
  out->left[i] = left;
}

/// The words of the vector itself, zero where it is past its end.
static void shiftIntoPlace(MloptTiled *g, const MloptTiledLoaded *loaded, int i,
                           MlirValue words[4]) {
  MloptNv *nv = &g->nv;
  for (int w = 0; w < SHIFTED / 2; ++w) {
    MlirValue operands[] = {loaded->words[i][w + 1], loaded->words[i][w],
                            loaded->shift[i]};
    MlirValue word =
        mloptNvValue(nv, "llvm.intr.fshr", 3, operands, nv->i32, NULL);
    // 16 bits for each element that is left.
    MlirValue bits = mloptNvShlInt(
        nv, mloptNvAddInt(nv, loaded->left[i], -(int64_t)2 * w), 4);
    bits = mloptNvArith(nv, "arith.maxsi", bits, mloptNvInt(nv, 0));
    MlirValue mask =
        mloptNvPtx(nv, "bmsk.clamp.b32 $0, 0, $1;", "=r,r", 1, &bits, nv->i32);
    words[w] = mloptNvArith(nv, "arith.andi", word, mask);
  }
}

/// A vector run by run, each of which lies inside or outside of the tensor.
static void loadRuns(MloptTiled *g, const MloptTiledFactor *f,
                     MlirValue pointer, MlirValue k, MlirValue inside,
                     MlirValue *words) {
  int64_t size = g->p.axes[MLOPT_AXIS_K].size, bytes = f->run * f->elementBytes;
  for (int64_t i = 0; i < f->vector; i += f->run) {
    MlirValue whole = inside;
    if (i && size % f->depth)
      whole = mloptTiledAnd(
          g, inside,
          mloptTiledBelow(
              g, mloptTiledAddInt(g, mloptTiledAdd(g, k, f->firstDepth), i),
              size));
    MlirValue at =
        i ? advance(g, pointer, mloptNvLong(&g->nv, i * f->elementBytes))
          : pointer;
    words += mloptNvLoadWords(&g->nv, at, bytes, f->isReadOnce, whole, words);
  }
}

void mloptTiledLoad(MloptTiled *g, MloptTiledFactor *f, MlirValue k,
                    MlirValue slot, MloptTiledLoaded *out) {
  int64_t bytes = f->vector * f->elementBytes;
  Depth depth = depthOf(g, f, k, 0);
  out->k = k;
  for (int i = 0; i < f->count; ++i) {
    MloptTiledVector *v = &f->vectors[i];
    if (i && !sharesDepth(g, f))
      depth = depthOf(g, f, k, i);
    MlirValue inside = isInside(g, f, v, &depth);
    if (!f->source->isKnown) {
      for (intptr_t l = 0; l < g->p.axes[MLOPT_AXIS_K].count; ++l) {
        intptr_t loop = g->p.axes[MLOPT_AXIS_K].at[l];
        v->loops[loop] = depth.loops[loop];
      }
      out->words[i][0] = pullElement(g, f, v->loops, inside);
      continue;
    }
    int64_t before;
    MlirValue pointer = pointerTo(g, f, v, &depth, k, &before);
    if (f->isShifted) {
      loadShifted(g, f, pointer, inside, f->alongK ? depth.left : v->left, out,
                  i);
    } else if (f->isCopied) {
      int64_t offset;
      MlirValue at = sharedAddress(g, f, i, slot, &offset);
      mloptNvCopyAsync(&g->nv, at, offset, pointer, before, bytes, inside);
    } else {
      loadRuns(g, f, pointer, k, inside, out->words[i]);
    }
  }
}

int mloptTiledLoadedWords(const MloptTiledFactor *f) {
  int64_t words = f->vector * f->elementBytes / 4;
  return (int)(f->isShifted ? words + 1 : words ? words : 1);
}

int64_t mloptTiledSettle(MloptTiled *g, const MloptTiledFactor *f,
                         const MloptTiledLoaded *loaded, int i,
                         MlirValue words[MLOPT_TILED_MAX_WORDS]) {
  memcpy(words, loaded->words[i], sizeof loaded->words[i]);
  if (f->isShifted)
    shiftIntoPlace(g, loaded, i, words);
  if (!f->source->isKnown)
    return packElements(g, words, 1, words);
  if (!f->factor->isComputed)
    return f->isConverted ? castElements(g, f, loaded->words[i], words)
                          : f->vector * f->elementBytes;
  MlirValue elements[MLOPT_TILED_PIECE];
  for (int64_t e = 0; e < f->vector; ++e)
    elements[e] = elementOf(g, f, loaded->words[i], e);
  mloptTiledCompute(g, f, i, loaded->k, elements);
  return packElements(g, elements, f->vector, words);
}

void mloptTiledStoreLoaded(MloptTiled *g, MloptTiledFactor *f, MlirValue slot,
                           const MloptTiledLoaded *loaded) {
  if (f->isCopied)
    return;
  for (int i = 0; i < f->count; ++i) {
    MlirValue words[MLOPT_TILED_MAX_WORDS];
    int64_t offset, bytes = mloptTiledSettle(g, f, loaded, i, words);
    MlirValue at = sharedAddress(g, f, i, slot, &offset);
    mloptNvStoreWords(&g->nv, at, offset, bytes, words);
  }
}
