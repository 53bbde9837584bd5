//===- emit_tiled_split.c - Products of f32 in three terms ----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// f32 on mma.sync: x = x0 + x1 + x2 in bf16, exactly, and
//
//   x y = x0 y0 + (x0 y1 + x1 y0) + (x0 y2 + x1 y1 + x2 y0)
//
// up to 2^-23 of the product, as if each product had been rounded. Each group
// of warps has sixteen of a stage's k. They are summed on their own, the small
// terms first, since mma.sync cuts off what it adds; f32 additions then put
// stages together in rising order.
//
// Factors lie in shared memory as f32. A lane reads 16 bytes at a time,
// whichever way the rows run, so that its row of a fragment is another one of
// the tile, and so is its k; both factors have their k in the same order (t =
// lane % 4, g = lane / 4):
//
//   rows along k:  row g of each eight, k = 4t .. 4t + 3 for 2t, 2t+1, 2t+8, ..
//   along m or n:  rows 4g .. 4g + 3, 32 further, ..., k = 4t, 4t + 1, ...
//
//===----------------------------------------------------------------------===//

#include "emit_tiled_impl.h"

enum { EIGHT = 8, DEPTH = 16, TERMS = 3, MOST_EIGHTS = 8 };

/// What a lane has of eight rows, 16 deep: k in pairs, in terms.
typedef struct Eight {
  MlirValue pairs[2][TERMS];
} Eight;

static MlirValue quadOf(MloptTiled *g) {
  return mloptNvShrInt(&g->nv, g->lane, 2);
}

static MlirValue warpStart(MloptTiled *g, int factor) {
  return mloptNvMulInt(&g->nv, factor ? g->warpN : g->warpM, g->s.warp[factor]);
}

static MloptTiledPlace placeLane(MloptTiled *g, int factor, MlirValue slot) {
  MloptNv *nv = &g->nv;
  const MloptTiledFactor *f = &g->factors[factor];
  MlirValue t = mloptNvAndInt(nv, g->lane, 3), start = warpStart(g, factor);
  MlirValue row =
      f->alongK ? mloptNvAdd(nv, start, quadOf(g)) : mloptNvMulInt(nv, t, 4);
  MlirValue piece =
      f->alongK ? t : mloptNvAdd(nv, mloptNvShrInt(nv, start, 2), quadOf(g));
  return mloptTiledPlaceAt(nv, f->matrix, mloptNvAdd(nv, f->start, slot), row,
                           piece, (MlirValue){NULL});
}

/// Four times eight rows from `eight` on: f32, [row][k].
static void loadRows(MloptTiled *g, int factor, const MloptTiledPlace *place,
                     int64_t eight, MlirValue out[4][4]) {
  const MloptTiledFactor *f = &g->factors[factor];
  int64_t offset;
  MlirValue at, read[4];
  for (int64_t i = 0; i < 4; ++i) {
    if (f->alongK) {
      at = mloptTiledAddress(place, (eight + i) * EIGHT, 0, &offset);
      mloptNvLoadShared(&g->nv, at, offset, f->stored, out[i]);
      continue;
    }
    // All four rows at k = i.
    at = mloptTiledAddress(place, i, eight / 4 * EIGHT, &offset);
    mloptNvLoadShared(&g->nv, at, offset, f->stored, read);
    for (int64_t j = 0; j < 4; ++j)
      out[j][i] = read[j];
  }
}

static void loadFactor(MloptTiled *g, int factor, MlirValue slot, Eight *out) {
  MloptTiledPlace place = placeLane(g, factor, slot);
  for (int64_t eight = 0; eight < g->s.warp[factor] / EIGHT; eight += 4) {
    MlirValue rows[4][4];
    loadRows(g, factor, &place, eight, rows);
    for (int64_t i = 0; i < 4; ++i)
      for (int64_t pair = 0; pair < 2; ++pair)
        mloptNvSplit(&g->nv, rows[i][2 * pair], rows[i][2 * pair + 1],
                     out[eight + i].pairs[pair]);
  }
}

/// The terms of the two factors that are multiplied, the smallest first.
static const int products[][2] = {{2, 0}, {1, 1}, {0, 2},
                                  {1, 0}, {0, 1}, {0, 0}};

void mloptTiledMultiplySplit(MloptTiled *g, MlirValue slot) {
  Eight a[MOST_EIGHTS], b[MOST_EIGHTS];
  int64_t rows = g->s.warp[0] / DEPTH, columns = g->s.warp[1] / EIGHT;
  loadFactor(g, 0, slot, a);
  loadFactor(g, 1, slot, b);
  for (int64_t i = 0; i < rows; ++i) {
    MlirValue own[MOST_EIGHTS][4];
    for (int p = 0; p < MLOPT_COUNT(products); ++p) {
      int s = products[p][0], t = products[p][1];
      const MlirValue left[] = {a[2 * i].pairs[0][s], a[2 * i + 1].pairs[0][s],
                                a[2 * i].pairs[1][s], a[2 * i + 1].pairs[1][s]};
      for (int64_t j = 0; j < columns; ++j) {
        const MlirValue right[] = {b[j].pairs[0][t], b[j].pairs[1][t]};
        mloptNvMmaWarpFrom(&g->nv, "bf16", left, right, p ? own[j] : NULL,
                           own[j]);
      }
    }
    for (int64_t j = 0; j < columns; ++j)
      for (int64_t e = 0; e < 4; ++e) {
        MlirValue *sum = &g->sums[(i * columns + j) * 4 + e];
        *sum = mloptBuildBinary(g->nv.b, "arith.addf", *sum, own[j][e]);
      }
  }
}

//===----------------------------------------------------------------------===//
// Where the sums are
//===----------------------------------------------------------------------===//

MlirValue mloptTiledSplitStart(MloptTiled *g, int factor) {
  MloptNv *nv = &g->nv;
  MlirValue own =
      factor ? mloptNvMulInt(nv, mloptNvAndInt(nv, g->lane, 3), 2) : quadOf(g);
  return mloptNvAdd(nv, warpStart(g, factor),
                    mloptNvMulInt(nv, own, g->factors[factor].alongK ? 1 : 4));
}

int64_t mloptTiledSplitOffset(const MloptTiled *g, int factor, intptr_t i) {
  int64_t columns = g->s.warp[1] / EIGHT, block = i / 4;
  int64_t eight = factor ? block % columns : block / columns * 2 + i / 2 % 2;
  int64_t within = factor ? i % 2 : 0;
  return g->factors[factor].alongK ? eight * EIGHT + within
                                   : eight / 4 * 32 + eight % 4 + within * 4;
}
