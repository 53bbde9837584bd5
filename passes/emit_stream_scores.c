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

double mloptStreamScores(MloptStreamKernel *g, const MloptStreamConsumer *w,
                         MlirValue step, bool conditional, MlirValue *scores) {
  MloptNv *nv = &g->nv;
  int64_t keys = g->p.scores.sizes[MLOPT_AXIS_N];
  bool isRagged = conditional && keys % g->s.tile[1];
  MlirValue first =
      mloptNvAdd(nv, mloptNvMulInt(nv, step, g->s.tile[1]), w->column);
  for (int64_t i = 0, n = mloptNvFragmentSize(&g->scores); i < n; i += 4)
    for (int column = 0; column < 2; ++column) {
      MlirValue key = mloptNvAddInt(nv, first, 2 * i + column);
      MlirValue inside = key;
      if (isRagged)
        inside = mloptNvMin(nv, key, mloptNvInt(nv, keys - 1));
      MlirValue index = mloptStreamIndex(nv, inside);
      for (int row = 0; row < MLOPT_STREAM_ROWS; ++row) {
        const MlirValue axes[MLOPT_NUM_AXES] = {
            [MLOPT_AXIS_BATCH] = w->batchIndex,
            [MLOPT_AXIS_M] = w->rowIndices[row],
            [MLOPT_AXIS_N] = index};
        MlirValue *score = &scores[i + (intptr_t)2 * row + column];
        g->raw = *score;
        *score = scoreAt(g, axes, conditional);
        if (isRagged)
          *score = mloptBuildSelect(
              nv->b, mloptBuildCmpI(nv->b, "ult", key, mloptNvInt(nv, keys)),
              *score, minusInfinity(nv));
      }
    }
  return g->p.scale > 0 ? g->p.scale : 1;
}
