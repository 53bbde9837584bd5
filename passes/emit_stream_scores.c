//===- emit_stream_scores.c - From products to scores ---------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program's score code, once for each element of a fragment, with the row
// and the key of the element. Where the code is a multiplication by a positive
// number alone, that is left to the exponential.
//
//===----------------------------------------------------------------------===//

#include "emit_stream_impl.h"

#include <math.h>

static MlirValue minusInfinity(MloptNv *nv) {
  return mloptBuildConstant(
      nv->b, mlirFloatAttrDoubleGet(nv->b->context, nv->f32, -INFINITY));
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// The score's loops at an element: digits of the indices of its axes.
static void indicesOf(MloptStreamKernel *g, const MlirValue *axes,
                      MlirValue *out) {
  const MloptStream *s = &g->p;
  MloptPull *pull = g->epilogue.tile.pull;
  MlirType type = mloptResultType(s->score, 0);
  for (intptr_t d = 0, n = mloptRank(type); d < n; ++d) {
    int64_t size = mloptDim(type, d), step = s->steps[d];
    MlirValue index = size == 1 ? mloptPullIndex(pull, 0) : axes[s->axes[d]];
    if (size > 1 && step > 1)
      index = mloptBuildBinary(g->nv.b, "arith.divui", index,
                               mloptPullIndex(pull, step));
    if (size > 1 && step * size < s->scores.sizes[s->axes[d]])
      index = mloptBuildBinary(g->nv.b, "arith.remui", index,
                               mloptPullIndex(pull, size));
    out[d] = index;
  }
}

/// The score's number, -inf where the condition says so.
static MlirValue scoreAt(MloptStreamKernel *g, const MlirValue *axes,
                         bool conditional) {
  MloptNv *nv = &g->nv;
  MloptPull *pull = g->epilogue.tile.pull;
  const MloptStream *p = &g->p;
  MlirValue indices[MLOPT_MAX_RANK], kept = g->raw, condition;
  bool hasCondition = conditional && !mlirValueIsNull(p->condition);
  if (mlirOperationIsNull(p->score))
    return kept;
  if (p->scale == 0 || hasCondition)
    indicesOf(g, axes, indices);
  if (p->scale == 0)
    mloptPullGenericBody(pull, p->score, indices, 1, &p->kept, &kept);
  if (!hasCondition)
    return kept;
  mloptPullGenericBody(pull, p->score, indices, 1, &p->condition, &condition);
  MlirValue masked = minusInfinity(nv);
  return mloptBuildSelect(nv->b, condition, p->keeps ? kept : masked,
                          p->keeps ? masked : kept);
}

//===----------------------------------------------------------------------===//
// What may run beside products
//===----------------------------------------------------------------------===//

static bool isWide(MlirOperation op) {
  return mlirOperationGetNumResults(op) > 0 &&
         mlirTypeIsAF64(mloptResultType(op, 0));
}

/// Scalar operations that become instructions; ptxas calls a function for the
/// others, as for a division.
static bool isInstruction(MlirOperation op) {
  static const char *const functions[] = {"math.absf", "math.exp", "math.exp2",
                                          "math.tanh"};
  static const char *const divisions[] = {"arith.divsi", "arith.divui",
                                          "arith.remsi", "arith.remui"};
  static const char *const calls[] = {"arith.divf", "arith.remf",
                                      "arith.ceildivsi", "arith.ceildivui",
                                      "arith.floordivsi"};
  for (size_t i = 0; i < MLOPT_COUNT(functions); ++i)
    if (mloptIsNamed(op, functions[i]))
      return !isWide(op);
  for (size_t i = 0; i < MLOPT_COUNT(divisions); ++i)
    if (mloptIsNamed(op, divisions[i]))
      return mlirValueIsAOpResult(mloptOperand(op, 1)) &&
             mloptIsNamed(mlirOpResultGetOwner(mloptOperand(op, 1)),
                          "arith.constant");
  for (size_t i = 0; i < MLOPT_COUNT(calls); ++i)
    if (mloptIsNamed(op, calls[i]))
      return false;
  static const char arith[] = "arith.";
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  bool isArith = name.length >= sizeof arith &&
                 !memcmp(name.data, arith, sizeof arith - 1);
  return !mlirOperationGetNumRegions(op) && !isWide(op) &&
         (isArith || mloptIsNamed(op, "linalg.index") ||
          mloptIsNamed(op, "linalg.yield"));
}

/// Whether a tensor's elements are, as far as the products.
static bool isMadeOfInstructions(const MloptStreamKernel *g, MlirValue tensor) {
  if (!mlirValueIsAOpResult(tensor))
    return true;
  MlirOperation op = mlirOpResultGetOwner(tensor);
  if (mlirOperationEqual(op, g->p.scores.products[0]))
    return true;
  bool all = true;
  if (mloptIsNamed(op, "linalg.generic")) {
    MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
    for (MlirOperation step = mlirBlockGetFirstOperation(body);
         !mlirOperationIsNull(step) && all;
         step = mlirOperationGetNextInBlock(step))
      all = isInstruction(step);
  }
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n && all; ++i)
    if (mlirTypeIsAShaped(mloptOperandType(op, i)))
      all = isMadeOfInstructions(g, mloptOperand(op, i));
  return all;
}

bool mloptStreamOverlaps(const MloptStreamKernel *g) {
  return mlirOperationIsNull(g->p.score) ||
         isMadeOfInstructions(g, mloptResult(g->p.score, 0));
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

/// Two neighbours along the keys, which are loaded at once where they lie side
/// by side.
typedef struct Pair {
  MlirValue keys[2];    ///< i32, perhaps beyond the last one
  MlirValue indices[2]; ///< within the tensors
  MloptVector vector;
} Pair;

/// The pair at a key, an even one.
static void placePair(MloptStreamKernel *g, MlirValue key, bool isRagged,
                      Pair *out) {
  MloptNv *nv = &g->nv;
  MloptTile *tile = &g->epilogue.tile;
  int64_t keys = g->p.scores.sizes[MLOPT_AXIS_N];
  bool isVector = keys % 2 == 0;
  *out = (Pair){.vector = {.count = 2}};
  tile->vector = isVector ? &out->vector : NULL;
  for (int i = 0; i < 2; ++i) {
    out->keys[i] = mloptNvAddInt(nv, key, i);
    MlirValue inside = isVector ? key : out->keys[i];
    if (isRagged)
      inside =
          mloptNvMin(nv, inside, mloptNvInt(nv, keys - (isVector ? 2 : 1)));
    out->indices[i] = isVector && i
                          ? mloptPullLane(tile->pull, out->indices[0], 1, 2)
                          : mloptNvToIndex(nv, inside);
    if (isVector && !i)
      mloptPullLane(tile->pull, out->indices[0], 0, 2);
    out->vector.position[i] = out->indices[i];
  }
}

double mloptStreamScores(MloptStreamKernel *g, const MloptStreamConsumer *w,
                         MlirValue step, bool conditional, MlirValue *scores) {
  MloptNv *nv = &g->nv;
  MloptTile *tile = &g->epilogue.tile;
  int64_t keys = g->p.scores.sizes[MLOPT_AXIS_N];
  bool isRagged = conditional && keys % g->s.tile[1];
  MlirValue first =
      mloptNvAdd(nv, mloptNvMulInt(nv, step, g->s.tile[1]), w->column);
  mloptPullBindOuter(tile->pull, w->batchIndex);
  for (int row = 0; row < MLOPT_STREAM_ROWS; ++row)
    mloptPullBindOuter(tile->pull, w->rowIndices[row]);
  for (int64_t i = 0, n = mloptNvFragmentSize(&g->scores); i < n; i += 4) {
    Pair pair;
    placePair(g, mloptNvAddInt(nv, first, 2 * i), isRagged, &pair);
    for (int e = 0; e < 2 * MLOPT_STREAM_ROWS; ++e) {
      MlirValue *score = &scores[i + e];
      tile->lane = e % 2;
      const MlirValue axes[MLOPT_NUM_AXES] = {
          [MLOPT_AXIS_BATCH] = w->batchIndex,
          [MLOPT_AXIS_M] = w->rowIndices[e / 2],
          [MLOPT_AXIS_N] = pair.indices[tile->lane]};
      g->raw = *score;
      *score = scoreAt(g, axes, conditional);
      if (isRagged)
        *score =
            mloptBuildSelect(nv->b,
                             mloptBuildCmpI(nv->b, "ult", pair.keys[tile->lane],
                                            mloptNvInt(nv, keys)),
                             *score, minusInfinity(nv));
    }
  }
  tile->vector = NULL;
  return g->p.scale > 0 ? g->p.scale : 1;
}
