//===- emit_matmul_tiles.c - The walk over tiles and steps ----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The producer and the consumers walk over the same tiles, and over the same
// steps of each, with a place in the ring: from the block's number and the
// schedule, where a tile lies, which contraction's it is, and its steps. Both
// must count alike, or the ring's barriers wait forever.
//
//===----------------------------------------------------------------------===//

#include "diagonal.h"
#include "emit_matmul_impl.h"

/// Of the 3 * 168 that the launch gives 128 lanes, 40 + 2 * 232, or where the
/// producer's threads fill stages, 104 + 2 * 200.
void mloptMatmulSetRegisters(MloptMatmul *g, bool increase) {
  static const char *const texts[2][2] = {
      {"{action = #nvvm<action decrease>, regCount = 40 : i32}",
       "{action = #nvvm<action increase>, regCount = 232 : i32}"},
      {"{action = #nvvm<action decrease>, regCount = 104 : i32}",
       "{action = #nvvm<action increase>, regCount = 200 : i32}"}};
  mloptNvOp(&g->nv, "nvvm.setmaxregister", 0, NULL,
            texts[mloptMatmulFills(&g->c)][increase]);
}

bool mloptMatmulSkipsZeros(const MloptMatmul *g) {
  return mloptMatmulCanSkipZeros(&g->c, &g->s);
}

void mloptMatmulEnter(MloptMatmul *g, intptr_t i) {
  int64_t total;
  g->c = g->all.at[i];
  g->batched = g->c.sizes[MLOPT_AXIS_BATCH] > 1;
  g->residuals = mloptMatmulLoadsResiduals(&g->c, &g->s);
  mloptMatmulTiles(&g->c, &g->s, &g->tilesM, &g->tilesN, &total);
}

/// The tile of a number among those that are not beyond the mask: batch after
/// batch, row after row.
static MloptMatmulTile locateInMask(MloptMatmul *g, MlirValue number) {
  MloptNv *nv = &g->nv;
  int64_t first = 0, all = mloptMatmulTilesInMask(&g->c, &g->s, &g->mask);
  MlirValue inBatch = mloptNvRemInt(nv, number, all);
  MlirValue row = mloptNvInt(nv, 0), start = row;
  for (int64_t i = 1; i < g->tilesM; ++i) {
    first += mloptMatmulRowInMask(&g->c, &g->s, &g->mask, i - 1);
    MlirValue here = mloptNvInt(nv, first);
    MlirValue isBehind = mloptBuildCmpI(nv->b, "uge", inBatch, here);
    row = mloptBuildSelect(nv->b, isBehind, mloptNvInt(nv, i), row);
    start = mloptBuildSelect(nv->b, isBehind, here, start);
  }
  MlirValue column = mloptNvArith(nv, "arith.subi", inBatch, start);
  return (MloptMatmulTile){.m = mloptNvMulInt(nv, row, g->s.tile[0]),
                           .n = mloptNvMulInt(nv, column, g->s.tile[1]),
                           .batch = mloptNvDivInt(nv, number, all)};
}

/// The tile of a number among those of one contraction: batch after batch, in
/// each band after band of rows of tiles, in each column after column, so that
/// blocks that run side by side share rows of A and columns of B in L2.
static MloptMatmulTile locateIn(MloptMatmul *g, MlirValue number) {
  MloptNv *nv = &g->nv;
  int64_t perBand = g->s.band * g->tilesN;
  MloptMatmulTile tile = {.batch = mloptNvInt(nv, 0)};
  if (g->isMasked)
    return locateInMask(g, number);
  if (g->batched) {
    tile.batch = mloptNvDivInt(nv, number, g->tilesM * g->tilesN);
    number = mloptNvRemInt(nv, number, g->tilesM * g->tilesN);
  }
  MlirValue first =
      mloptNvMulInt(nv, mloptNvDivInt(nv, number, perBand), g->s.band);
  MlirValue inBand = mloptNvRemInt(nv, number, perBand);
  MlirValue left =
      mloptNvArith(nv, "arith.subi", mloptNvInt(nv, g->tilesM), first);
  MlirValue rows = mloptNvMin(nv, left, mloptNvInt(nv, g->s.band));
  MlirValue row = mloptNvArith(nv, "arith.remui", inBand, rows);
  MlirValue column = mloptNvArith(nv, "arith.divui", inBand, rows);
  row = mloptNvAdd(nv, first, row);
  // Batches by turns from either end, since tiles differ in their steps.
  if (mloptMatmulSkipsZeros(g) && g->batched &&
      g->c.diagonal.axis == MLOPT_AXIS_M) {
    MlirValue isOdd = mloptNvEqInt(nv, mloptNvAndInt(nv, tile.batch, 1), 1);
    MlirValue last = mloptNvInt(nv, g->tilesM - 1);
    row = mloptBuildSelect(nv->b, isOdd,
                           mloptNvArith(nv, "arith.subi", last, row), row);
  }
  if (g->s.cluster > 1)
    row = mloptNvAdd(nv, mloptNvMulInt(nv, row, g->s.cluster), g->rank);
  tile.m = mloptNvMulInt(nv, row, g->s.tile[0]);
  tile.n = mloptNvMulInt(nv, column, mloptMatmulProductColumns(&g->c, &g->s));
  return tile;
}

/// The tile of a number in the list of all contractions' tiles.
MloptMatmulTile mloptMatmulLocate(MloptMatmul *g, MlirValue number) {
  MloptNv *nv = &g->nv;
  if (g->all.count == 1)
    return locateIn(g, number);
  MloptMatmulTile tile;
  int64_t first = 0;
  for (intptr_t i = 0; i < g->all.count; ++i) {
    mloptMatmulEnter(g, i);
    int64_t end = first + g->tilesM * g->tilesN * g->c.sizes[MLOPT_AXIS_BATCH];
    // Elsewhere a number in range, as divisions want it.
    MlirValue isBehind =
        mloptBuildCmpI(nv->b, "uge", number, mloptNvInt(nv, first));
    MlirValue own = mloptBuildSelect(
        nv->b, isBehind, mloptNvAddInt(nv, number, -first), mloptNvInt(nv, 0));
    own = mloptNvMin(nv, own, mloptNvInt(nv, end - first - 1));
    MloptMatmulTile here = locateIn(g, own);
    here.part = mloptNvInt(nv, i);
    MlirValue *to[] = {&tile.m, &tile.n, &tile.batch, &tile.part};
    const MlirValue from[] = {here.m, here.n, here.batch, here.part};
    for (int j = 0; j < MLOPT_COUNT(from); ++j)
      *to[j] = i ? mloptBuildSelect(nv->b, isBehind, from[j], *to[j]) : from[j];
    first = end;
  }
  return tile;
}

/// The tiles from `first` on, or the block's items; both roles walk them with a
/// place in the ring.
MloptNvScope mloptMatmulBeginTiles(MloptMatmul *g, MlirValue first,
                                   MlirValue step, const MlirValue *start,
                                   MlirValue *outNumber,
                                   MlirValue *outCarried) {
  MlirValue end = g->s.tail ? g->items : mloptNvInt(&g->nv, g->total);
  return mloptNvBeginFor(&g->nv, first, end, step, MLOPT_MATMUL_CARRIED, start,
                         outNumber, outCarried);
}

/// Leaves the steps in which no factor is zero for the whole tile, but one at
/// least, whose products an accumulator starts with.
void mloptMatmulSkipZeros(MloptMatmul *g, MloptMatmulTile tile,
                          MloptMatmulItem *item) {
  MloptNv *nv = &g->nv;
  const MloptDiagonal *d = &g->c.diagonal;
  if (!mloptMatmulSkipsZeros(g))
    return;
  bool isN = d->axis == MLOPT_AXIS_N;
  mloptDiagonalNarrow(nv, d, isN ? tile.n : tile.m, g->s.tile[isN],
                      g->s.tile[2], &item->first, &item->end);
  if (d->isFrom)
    item->first = mloptNvMin(nv, item->first, mloptNvInt(nv, g->steps - 1));
  else
    item->end = mloptNvArith(nv, "arith.maxsi", item->end, mloptNvInt(nv, 1));
}

MloptNvScope mloptMatmulBeginSteps(MloptMatmul *g, const MloptMatmulItem *item,
                                   intptr_t numCarried, const MlirValue *start,
                                   MlirValue *outStep, MlirValue *outCarried) {
  return mloptNvBeginFor(&g->nv, item->first, item->end, mloptNvInt(&g->nv, 1),
                         numCarried, start, outStep, outCarried);
}
