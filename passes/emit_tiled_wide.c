//===- emit_tiled_wide.c - Products of f32 in three terms, and of f64 -----===//
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
// up to 2^-23 of the product, as if each product had been rounded. Sixteen k at
// a time of those that a group of warps has are summed on their own, the small
// terms first, since mma.sync cuts off what it adds; f32 additions then put
// stages together in rising order. f64 has an mma.sync that rounds as an FMA
// does.
//
// Factors lie in shared memory as they are; one of bf16 has one term, and its k
// in pairs. A lane reads a piece of 16 bytes at a time, P elements, whichever
// way the rows run, so that its row of a fragment is another one of the tile,
// and so are its D of the k, two or four; P is less where a warp's rows are
// fewer. Both factors have their k in the same order (t = lane % 4, g = lane /
// 4):
//
//   rows along k:  row g of each eight, k = Dt .. Dt + D-1
//   along m or n:  rows Pg .. Pg + P-1, 8P further, ..., k = Dt .. Dt + D-1
//
//===----------------------------------------------------------------------===//

#include "emit_tiled_impl.h"

enum { EIGHT = 8, SIXTEEN = 16, LANES_K = 4, TERMS = 3 };
enum { MOST_EIGHTS = 8, MOST_DEPTH = 4 };

bool mloptTiledIsWide(const MloptTiled *g) {
  return g->s.terms > 1 || mlirTypeIsAF64(g->p.sum);
}

static int64_t bytesOf(const MloptTiledFactor *f) {
  return mloptElementWidth(f->stored) / 8;
}

/// P: of a piece of 16 bytes, no more than makes a warp's rows of eight lanes'.
/// The second factor of an f64 product 16 deep has one: the k of a column are
/// in registers side by side then, as the instruction has them.
static int64_t pieceOf(const MloptTiled *g, int factor) {
  if (factor && mloptTiledIsDeep(&g->p, &g->s))
    return 1;
  int64_t piece = MLOPT_TILED_PIECE / bytesOf(&g->factors[factor]);
  int64_t share = g->s.warp[factor] / EIGHT;
  return piece < share ? piece : share;
}

static int64_t depthOfGroup(const MloptTiled *g) {
  return g->s.tile[2] / g->s.groups;
}

int64_t mloptTiledWideDepth(const MloptTiled *g) {
  return (g->s.terms > 1 ? SIXTEEN : depthOfGroup(g)) / LANES_K;
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

static MlirValue quadOf(MloptTiled *g) {
  return mloptNvShrInt(&g->nv, g->lane, 2);
}

static MlirValue warpStart(MloptTiled *g, int factor) {
  return mloptNvMulInt(&g->nv, factor ? g->warpN : g->warpM, g->s.warp[factor]);
}

static MloptTiledPlace placeLane(MloptTiled *g, int factor, MlirValue slot) {
  MloptNv *nv = &g->nv;
  const MloptTiledFactor *f = &g->factors[factor];
  int64_t depth = mloptTiledWideDepth(g);
  MlirValue t = mloptNvAndInt(nv, g->lane, LANES_K - 1);
  MlirValue k = mloptNvAdd(nv, mloptNvMulInt(nv, g->group, depthOfGroup(g)),
                           mloptNvMulInt(nv, t, depth));
  MlirValue start = warpStart(g, factor), row = k, along = k;
  if (f->alongK)
    row = mloptNvAdd(nv, start, quadOf(g));
  else
    along =
        mloptNvAdd(nv, start, mloptNvMulInt(nv, quadOf(g), pieceOf(g, factor)));
  MlirValue bytes = mloptNvMulInt(nv, along, bytesOf(f));
  return mloptTiledPlaceAt(nv, f->matrix, mloptNvAdd(nv, f->start, slot), row,
                           mloptNvShrInt(nv, bytes, 4),
                           mloptNvAndInt(nv, bytes, MLOPT_TILED_PIECE - 1));
}

/// The address, plus `outOffset`, so many rows and, as wide as a lane has, so
/// many eights of elements along them further.
static MlirValue laneAddress(const MloptTiled *g, int factor,
                             const MloptTiledPlace *place, int64_t row,
                             int64_t eight, int64_t *outOffset) {
  int64_t bytes = eight * EIGHT * bytesOf(&g->factors[factor]);
  return mloptTiledAddress(place, row, bytes / MLOPT_TILED_PIECE, outOffset);
}

typedef MlirValue Rows[MOST_EIGHTS][MOST_DEPTH]; ///< [eight][k] of a lane

/// The lane's part of a factor from `start` of its group's k on: so many eights
/// from `first` on.
static void loadEights(MloptTiled *g, int factor, const MloptTiledPlace *place,
                       int64_t start, int64_t first, int64_t eights, Rows out) {
  const MloptTiledFactor *f = &g->factors[factor];
  int64_t piece = pieceOf(g, factor);
  int64_t whole = MLOPT_TILED_PIECE / bytesOf(f), offset;
  int64_t depth = mloptTiledWideDepth(g), end = first + eights;
  if (f->alongK) {
    for (int64_t i = first; i < end; ++i)
      for (int64_t k = 0; k < depth; k += whole) {
        MlirValue at =
            mloptTiledAddress(place, i * EIGHT, (start + k) / whole, &offset);
        mloptNvLoadShared(&g->nv, at, offset, f->stored, &out[i][k]);
      }
    return;
  }
  for (int64_t k = 0; k < depth; ++k)
    for (int64_t i = first; i < end; i += piece) {
      MlirValue read[4];
      MlirValue at = laneAddress(g, factor, place, start + k, i, &offset);
      mloptNvLoadSharedSome(&g->nv, at, offset, f->stored, (int)piece, read);
      for (int64_t j = 0; j < piece; ++j)
        out[i + j][k] = read[j];
    }
}

static void loadRows(MloptTiled *g, int factor, MlirValue slot, int64_t start,
                     Rows out) {
  MloptTiledPlace place = placeLane(g, factor, slot);
  loadEights(g, factor, &place, start, 0, g->s.warp[factor] / EIGHT, out);
}

//===----------------------------------------------------------------------===//
// f32
//===----------------------------------------------------------------------===//

/// What a lane has of eight rows, 16 deep: k in pairs, in terms.
typedef struct Eight {
  MlirValue pairs[2][TERMS];
} Eight;

static void splitRows(MloptTiled *g, int factor, MlirValue slot, int64_t start,
                      Eight *out) {
  Rows rows;
  loadRows(g, factor, slot, start, rows);
  for (int64_t i = 0; i < g->s.warp[factor] / EIGHT; ++i)
    for (int64_t pair = 0; pair < 2; ++pair)
      mloptNvSplit(&g->nv, rows[i][2 * pair], rows[i][2 * pair + 1],
                   out[i].pairs[pair]);
}

/// The same of bf16, which lies in pairs along k, or along m or n.
static void loadPairs(MloptTiled *g, int factor, MlirValue slot, int64_t start,
                      Eight *out) {
  enum { DEPTH = SIXTEEN / LANES_K, WHOLE = MLOPT_TILED_PIECE / 2 };
  MloptNv *nv = &g->nv;
  int64_t eights = g->s.warp[factor] / EIGHT, piece = pieceOf(g, factor);
  int64_t offset;
  MloptTiledPlace place = placeLane(g, factor, slot);
  MlirValue words[DEPTH][4];
  if (g->factors[factor].alongK) {
    for (int64_t i = 0; i < eights; ++i) {
      MlirValue at =
          mloptTiledAddress(&place, i * EIGHT, start / WHOLE, &offset);
      mloptNvLoadSharedSome(nv, at, offset, nv->i32, 2, words[0]);
      for (int pair = 0; pair < 2; ++pair)
        out[i].pairs[pair][0] = words[0][pair];
    }
    return;
  }
  for (int64_t i = 0; i < eights; i += piece) {
    for (int64_t k = 0; k < DEPTH; ++k) {
      MlirValue at = laneAddress(g, factor, &place, start + k, i, &offset);
      mloptNvLoadSharedSome(nv, at, offset, nv->i32, (int)piece / 2, words[k]);
    }
    for (int64_t j = 0; j < piece; ++j)
      for (int pair = 0; pair < 2; ++pair) {
        // The lower or the upper halves of both.
        MlirValue both[] = {words[2L * pair][j / 2],
                            words[2L * pair + 1][j / 2]};
        out[i + j].pairs[pair][0] =
            mloptNvPtx(nv,
                       j % 2 ? "prmt.b32 $0, $1, $2, 0x7632;"
                             : "prmt.b32 $0, $1, $2, 0x5410;",
                       "=r,r,r", 2, both, nv->i32);
      }
  }
}

static void loadTerms(MloptTiled *g, int factor, MlirValue slot, int64_t start,
                      Eight *out) {
  (mloptTiledIsOneTerm(&g->p.factors[factor]) ? loadPairs : splitRows)(
      g, factor, slot, start, out);
}

/// The terms of the two factors that are multiplied, the smallest first.
static const int products[][2] = {{2, 0}, {1, 1}, {0, 2},
                                  {1, 0}, {0, 1}, {0, 0}};

/// Whether a factor has a term; one that was bf16 has the first alone.
static bool hasTerm(const MloptTiled *g, int factor, int term) {
  return !term || !mloptTiledIsOneTerm(&g->p.factors[factor]);
}

/// Sixteen of the group's k from `start` on.
static void multiplySixteen(MloptTiled *g, MlirValue slot, int64_t start) {
  Eight a[MOST_EIGHTS], b[MOST_EIGHTS];
  int64_t rows = g->s.warp[0] / EIGHT, columns = g->s.warp[1] / EIGHT;
  loadTerms(g, 0, slot, start, a);
  loadTerms(g, 1, slot, start, b);
  for (int64_t i = 0; i < rows; i += 2) {
    MlirValue own[MOST_EIGHTS][4];
    bool isFirst = true;
    for (int p = 0; p < MLOPT_COUNT(products); ++p) {
      int s = products[p][0], t = products[p][1];
      if (!hasTerm(g, 0, s) || !hasTerm(g, 1, t))
        continue;
      const MlirValue left[] = {a[i].pairs[0][s], a[i + 1].pairs[0][s],
                                a[i].pairs[1][s], a[i + 1].pairs[1][s]};
      for (int64_t j = 0; j < columns; ++j) {
        const MlirValue right[] = {b[j].pairs[0][t], b[j].pairs[1][t]};
        mloptNvMmaWarpFrom(&g->nv, "bf16", left, right, isFirst ? NULL : own[j],
                           own[j]);
      }
      isFirst = false;
    }
    for (int64_t j = 0; j < columns; ++j)
      for (int64_t e = 0; e < 4; ++e) {
        // Two sums for each eight rows and columns.
        MlirValue *sum = &g->sums[((i + e / 2) * columns + j) * 2 + e % 2];
        *sum = mloptBuildBinary(g->nv.b, "arith.addf", *sum, own[j][e]);
      }
  }
}

static void multiplySingles(MloptTiled *g, MlirValue slot) {
  for (int64_t start = 0; start < depthOfGroup(g); start += SIXTEEN)
    multiplySixteen(g, slot, start);
}

//===----------------------------------------------------------------------===//
// f64
//===----------------------------------------------------------------------===//

/// The factor that a warp has in registers for all of a step, the one of fewer
/// rows; the other comes sixteen rows at a time.
static int heldFactor(const MloptTiled *g) {
  return g->s.warp[0] <= g->s.warp[1] ? 0 : 1;
}

enum { PAIR = 2 }; ///< eights of sixteen rows

/// What is multiplied next: the held factor, and a pair of the other.
typedef struct Ahead {
  Rows held, other;
} Ahead;

static int64_t heldEights(const MloptTiled *g) {
  return g->s.warp[heldFactor(g)] / EIGHT;
}

intptr_t mloptTiledCountAhead(const MloptTiled *g) {
  return (heldEights(g) + PAIR) * MOST_DEPTH;
}

static void pack(const MloptTiled *g, const Ahead *from, MlirValue *out) {
  int64_t held = heldEights(g) * MOST_DEPTH;
  memcpy(out, from->held, (size_t)held * sizeof *out);
  memcpy(out + held, from->other, PAIR * sizeof from->other[0]);
}

static void unpack(const MloptTiled *g, const MlirValue *in, Ahead *out) {
  int64_t held = heldEights(g) * MOST_DEPTH;
  memcpy(out->held, in, (size_t)held * sizeof *in);
  memcpy(out->other, in + held, PAIR * sizeof out->other[0]);
}

static void readHeld(MloptTiled *g, MlirValue slot, Rows out) {
  loadRows(g, heldFactor(g), slot, 0, out);
}

/// Pair `pair` of the other factor.
static void readPair(MloptTiled *g, MlirValue slot, int64_t pair, Rows out) {
  Rows all;
  MloptTiledPlace place = placeLane(g, !heldFactor(g), slot);
  loadEights(g, !heldFactor(g), &place, 0, pair * PAIR, PAIR, all);
  memcpy(out, all[pair * PAIR], PAIR * sizeof all[0]);
}

void mloptTiledReadAhead(MloptTiled *g, MlirValue slot, MlirValue *ahead) {
  Ahead a;
  readHeld(g, slot, a.held);
  readPair(g, slot, 0, a.other);
  pack(g, &a, ahead);
}

/// Sixteen rows of a, 16 deep, in each instruction: a pair of the other factor.
static void multiplyPair(MloptTiled *g, const Ahead *now, int64_t pair) {
  int factor = heldFactor(g);
  int64_t columns = g->s.warp[1] / EIGHT, first = pair * PAIR;
  int64_t count[] = {factor ? PAIR : heldEights(g),
                     factor ? heldEights(g) : PAIR};
  const MlirValue(*a)[MOST_DEPTH] = factor ? now->other : now->held;
  const MlirValue(*b)[MOST_DEPTH] = factor ? now->held : now->other;
  for (int64_t i = 0; i < count[0]; i += 2) {
    MlirValue left[2 * MOST_DEPTH];
    for (int k = 0; k < MOST_DEPTH; ++k) {
      left[2 * k] = a[i][k];
      left[2 * k + 1] = a[i + 1][k];
    }
    for (int64_t j = 0; j < count[1]; ++j) {
      int64_t row = factor ? first + i : i, column = factor ? j : first + j;
      MlirValue *upper = &g->sums[(row * columns + column) * 2];
      MlirValue *lower = upper + 2 * columns;
      MlirValue sum[] = {upper[0], upper[1], lower[0], lower[1]};
      mloptNvMmaDoubleDeep(&g->nv, left, b[j], sum);
      memcpy(upper, sum, 2 * sizeof *sum);
      memcpy(lower, sum + 2, 2 * sizeof *sum);
    }
  }
}

void mloptTiledMultiplyFirst(MloptTiled *g, MlirValue slot, MlirValue *ahead) {
  Ahead now;
  Rows second;
  unpack(g, ahead, &now);
  readPair(g, slot, 1, second);
  multiplyPair(g, &now, 0);
  memcpy(now.other, second, sizeof second);
  pack(g, &now, ahead);
}

void mloptTiledMultiplyRest(MloptTiled *g, MlirValue slot, MlirValue next,
                            MlirValue *ahead) {
  Ahead now, after;
  int64_t last = g->s.warp[!heldFactor(g)] / (EIGHT * PAIR) - 1;
  unpack(g, ahead, &now);
  for (int64_t pair = 1; pair <= last; ++pair) {
    bool isLast = pair == last;
    readPair(g, isLast ? next : slot, isLast ? 0 : pair + 1, after.other);
    if (pair == (last > 1 ? last - 1 : last))
      readHeld(g, next, after.held);
    multiplyPair(g, &now, pair);
    memcpy(now.other, after.other, sizeof now.other);
  }
  memcpy(now.held, after.held, sizeof now.held);
  pack(g, &now, ahead);
}

static void multiplyDoubles(MloptTiled *g, MlirValue slot) {
  Rows a, b;
  int64_t rows = g->s.warp[0] / EIGHT, columns = g->s.warp[1] / EIGHT;
  loadRows(g, 0, slot, 0, a);
  loadRows(g, 1, slot, 0, b);
  for (int64_t k = 0; k < mloptTiledWideDepth(g); ++k)
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        mloptNvMmaDouble(&g->nv, a[i][k], b[j][k],
                         &g->sums[(i * columns + j) * 2]);
}

void mloptTiledMultiplyWide(MloptTiled *g, MlirValue slot) {
  (g->s.terms > 1 ? multiplySingles : multiplyDoubles)(g, slot);
}

//===----------------------------------------------------------------------===//
// Where the sums are
//===----------------------------------------------------------------------===//

MlirValue mloptTiledWideStart(MloptTiled *g, int factor) {
  MloptNv *nv = &g->nv;
  MlirValue own =
      factor ? mloptNvMulInt(nv, mloptNvAndInt(nv, g->lane, 3), 2) : quadOf(g);
  return mloptNvAdd(
      nv, warpStart(g, factor),
      mloptNvMulInt(nv, own,
                    g->factors[factor].alongK ? 1 : pieceOf(g, factor)));
}

int64_t mloptTiledWideOffset(const MloptTiled *g, int factor, intptr_t i) {
  int64_t columns = g->s.warp[1] / EIGHT, block = i / 2,
          piece = pieceOf(g, factor);
  int64_t eight = factor ? block % columns : block / columns;
  int64_t within = factor ? i % 2 : 0;
  return g->factors[factor].alongK
             ? eight * EIGHT + within
             : eight / piece * piece * EIGHT + eight % piece + within * piece;
}
