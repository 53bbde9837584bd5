//===- split_beside.c - Pieces of columns beside rows ---------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where mlopt-split-reductions cuts sums of columns that a kernel adds up
// beside reductions of rows: into pieces of rows, of which schedule_both.c says
// how many a block each, and what is left over.
//
//===----------------------------------------------------------------------===//

#include "split_impl.h"

bool mloptFindBeside(MloptSplit *s, bool rows) {
  MloptReduction first[2] = {{.numLoops = 0}, {.numLoops = 0}};
  s->count = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(s->body);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    MloptReduction r;
    if (!mloptIsReduction(op))
      continue;
    if (!mloptDescribeReduction(op, &r) || !r.together ||
        (r.inner > 1 && r.outer > 1))
      return false;
    MloptReduction *kind = &first[r.inner > 1];
    if (!kind->numLoops)
      *kind = r;
    if (r.outer != kind->outer || r.middle != kind->middle ||
        r.inner != kind->inner)
      return false;
    if (rows == (r.inner > 1))
      continue;
    if (s->count == MLOPT_SPLIT_REDUCTIONS ||
        mlirOperationGetNumOperands(op) > MLOPT_MAX_CUT_OPERANDS)
      return false;
    s->reductions[s->count] = op;
    s->loops[s->count++] = r;
  }
  s->isBeside = first[0].numLoops && first[1].numLoops &&
                first[0].outer == first[1].middle &&
                first[0].middle == first[1].inner;
  return s->isBeside;
}

/// The only reduced loop of more than one turn; -1 where there are others.
static intptr_t onlyReduced(const MloptReduction *r) {
  intptr_t only = -1;
  for (intptr_t i = 0; i < r->numReduced; ++i) {
    if (r->sizes[r->reduced[i]] > 1 && only >= 0)
      return -1;
    only = r->sizes[r->reduced[i]] > 1 ? r->reduced[i] : only;
  }
  return only;
}

/// Cuts a sum of columns. What is left over of one dimension is a sum in the
/// same kernel, if that may have as many results; of several, one is cut into
/// equal pieces, if there are enough of them.
static bool cutColumns(MloptSplit *s, intptr_t i, const MloptPieces *pieces) {
  const MloptReduction *r = &s->loops[i];
  MloptCut *cut = &s->cuts[i];
  intptr_t loop = onlyReduced(r);
  if (pieces->rest && loop >= 0) {
    *cut = (MloptCut){
        .loop = loop, .count = pieces->count, .length = pieces->length};
    s->rest = pieces->rest;
    return mlirOperationGetNumResults(s->fusion) + 2 * s->count <=
           MLOPT_MAX_TILE_ROOTS;
  }
  if (!mloptFindCut(r, pieces->count, 0, cut, &s->rest) || s->rest)
    return false;
  int64_t found = cut->count;
  for (intptr_t k = 0; r->reduced[k] != cut->loop; ++k)
    found *= r->sizes[r->reduced[k]];
  return 2 * found >= pieces->count;
}

void mloptCutBeside(MloptSplit *s) {
  MloptCombiner combiner;
  int64_t bytes = 0;
  bool good = true;
  for (intptr_t i = 0; i < s->count; ++i) {
    good &= mlirOperationGetNumResults(s->reductions[i]) == 1 &&
            mloptDescribeCombiner(s->reductions[i], 0, &combiner);
    bytes += mloptElementWidth(
                 mloptElementType(mloptResultType(s->reductions[i], 0))) /
             8;
  }
  MloptPieces pieces = {0, 0, 0};
  if (good)
    pieces = mloptChoosePieces(s->loops[0].middle, s->loops[0].inner, bytes);
  good = pieces.count > 0;
  for (intptr_t i = 0; i < s->count && good; ++i)
    good = cutColumns(s, i, &pieces);
  s->isWhole = !good;
  s->rest = good ? s->rest : 0;
}
