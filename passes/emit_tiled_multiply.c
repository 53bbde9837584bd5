//===- emit_tiled_multiply.c - Products of tiles in shared memory ---------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With mma.sync, a warp multiplies 16 x 8 blocks, 16 deep; nv_mma.h says which
// lane holds what. Where a factor's rows in shared memory run along m or n,
// ldmatrix transposes.
//
// Integers are multiplied one by one; the lanes of a warp are 4 x 8 then. A
// lane reads 16 bytes at a time, along k or along m and n, whichever way the
// rows run:
//
//   rows along k: lane r has rows r, r + 4, ...       (n: r, r + 8, ...)
//   along m:      lane r has rows 4r .. 4r + 3, 16 further, ...
//
// and adds its products in rising order of k.
//
//===----------------------------------------------------------------------===//

#include "emit_tiled_impl.h"

enum { ROWS = 16, COLUMNS = 8, DEPTH = 16, LANES_M = 4, LANES_N = 8 };

static int64_t bytesOf(MlirType type) { return mloptElementWidth(type) / 8; }

intptr_t mloptTiledNumSums(const MloptTiled *g) {
  return g->s.warp[0] * g->s.warp[1] / 32;
}

/// The depth of a step that one group of warps takes.
static int64_t depthOfGroup(const MloptTiled *g) {
  return g->s.tile[2] / g->s.groups;
}

//===----------------------------------------------------------------------===//
// mma.sync
//===----------------------------------------------------------------------===//

/// Where a lane's addresses for ldmatrix start in a factor's tile: four 8 x 8
/// blocks of 16 rows, 16 deep. Those of A lie below each other first, those of
/// B along k first.
static MloptTiledPlace placeBlocks(MloptTiled *g, int factor, MlirValue slot) {
  MloptNv *nv = &g->nv;
  const MloptTiledFactor *f = &g->factors[factor];
  const int64_t pieceElements = MLOPT_TILED_PIECE / 2;
  MlirValue inBlock = mloptNvAndInt(nv, g->lane, 7);
  MlirValue first = mloptNvAndInt(nv, mloptNvShrInt(nv, g->lane, 3), 1);
  MlirValue second = mloptNvShrInt(nv, g->lane, 4);
  MlirValue below = factor ? second : first, along = factor ? first : second;
  MlirValue warp = factor ? g->warpN : g->warpM;
  int64_t rows = g->s.warp[factor], depth = depthOfGroup(g);
  MlirValue row, piece;
  if (f->alongK) {
    row = mloptNvAdd(nv, mloptNvMulInt(nv, warp, rows),
                     mloptNvMulInt(nv, below, 8));
    piece = mloptNvAdd(nv, mloptNvMulInt(nv, g->group, depth / pieceElements),
                       along);
  } else {
    row = mloptNvAdd(nv, mloptNvMulInt(nv, g->group, depth),
                     mloptNvMulInt(nv, along, 8));
    piece =
        mloptNvAdd(nv, mloptNvMulInt(nv, warp, rows / pieceElements), below);
  }
  return mloptTiledPlaceAt(nv, f->matrix, mloptNvAdd(nv, f->start, slot),
                           mloptNvAdd(nv, row, inBlock), piece,
                           (MlirValue){NULL});
}

/// Blocks of 16 rows from `row` on, 16 deep from `depth` on.
static void loadBlocks(MloptTiled *g, int factor, const MloptTiledPlace *place,
                       int64_t row, int64_t depth, MlirValue out[4]) {
  const MloptTiledFactor *f = &g->factors[factor];
  int64_t offset;
  MlirValue at = f->alongK ? mloptTiledAddress(place, row, depth / 8, &offset)
                           : mloptTiledAddress(place, depth, row / 8, &offset);
  mloptNvLoadMatrices(&g->nv, at, offset, !f->alongK, out);
}

static void multiplyBlocks(MloptTiled *g, MlirValue slot) {
  enum { MOST = 8 };
  const char *element = mlirTypeIsABF16(g->factors[0].stored) ? "bf16" : "f16";
  int64_t rows = g->s.warp[0] / ROWS, columns = g->s.warp[1] / ROWS;
  MloptTiledPlace a = placeBlocks(g, 0, slot), b = placeBlocks(g, 1, slot);
  for (int64_t k = 0; k < depthOfGroup(g); k += DEPTH) {
    MlirValue left[MOST][4], right[MOST][4];
    for (int64_t i = 0; i < rows; ++i)
      loadBlocks(g, 0, &a, i * ROWS, k, left[i]);
    for (int64_t j = 0; j < columns; ++j)
      loadBlocks(g, 1, &b, j * ROWS, k, right[j]);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < 2 * columns; ++j)
        mloptNvMmaWarp(&g->nv, element, left[i], &right[j / 2][j % 2 * 2],
                       &g->sums[(i * 2 * columns + j) * 4]);
  }
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Rows or columns of a lane.
static int64_t perLane(const MloptTiled *g, int factor) {
  return g->s.warp[factor] / (factor ? LANES_N : LANES_M);
}

static int64_t lanesOf(int factor) { return factor ? LANES_N : LANES_M; }

static MlirValue laneOf(MloptTiled *g, int factor) {
  return factor ? mloptNvAndInt(&g->nv, g->lane, LANES_N - 1)
                : mloptNvShrInt(&g->nv, g->lane, 3);
}

static MlirValue warpOf(const MloptTiled *g, int factor) {
  return factor ? g->warpN : g->warpM;
}

static MloptTiledPlace placeLane(MloptTiled *g, int factor, MlirValue slot) {
  MloptNv *nv = &g->nv;
  const MloptTiledFactor *f = &g->factors[factor];
  int64_t perPiece = MLOPT_TILED_PIECE / bytesOf(f->stored);
  int64_t rows = g->s.warp[factor];
  MlirValue zero = mloptNvInt(nv, 0), lane = laneOf(g, factor);
  MlirValue warp = warpOf(g, factor);
  MlirValue row =
      f->alongK ? mloptNvAdd(nv, mloptNvMulInt(nv, warp, rows), lane) : zero;
  MlirValue piece =
      f->alongK
          ? zero
          : mloptNvAdd(nv, mloptNvMulInt(nv, warp, rows / perPiece), lane);
  return mloptTiledPlaceAt(nv, f->matrix, mloptNvAdd(nv, f->start, slot), row,
                           piece, (MlirValue){NULL});
}

enum { MOST_PER_LANE = 8, MOST_PER_PIECE = 4 };
typedef MlirValue Lane[MOST_PER_LANE][MOST_PER_PIECE]; ///< [row][k]

/// A lane's rows, as deep as a piece has elements, from `depth` on.
static void loadLane(MloptTiled *g, int factor, const MloptTiledPlace *place,
                     int64_t depth, Lane out) {
  const MloptTiledFactor *f = &g->factors[factor];
  int64_t perPiece = MLOPT_TILED_PIECE / bytesOf(f->stored);
  int64_t count = perLane(g, factor), lanes = lanesOf(factor), offset;
  MlirValue read[MOST_PER_PIECE];
  if (f->alongK) {
    for (int64_t i = 0; i < count; ++i) {
      MlirValue at =
          mloptTiledAddress(place, i * lanes, depth / perPiece, &offset);
      mloptNvLoadShared(&g->nv, at, offset, f->stored, out[i]);
    }
    return;
  }
  for (int64_t k = 0; k < perPiece; ++k)
    for (int64_t i = 0; i < count / perPiece; ++i) {
      MlirValue at = mloptTiledAddress(place, depth + k, i * lanes, &offset);
      mloptNvLoadShared(&g->nv, at, offset, f->stored, read);
      for (int64_t j = 0; j < perPiece; ++j)
        out[i * perPiece + j][k] = read[j];
    }
}

/// sum + a * b.
static MlirValue multiplyAdd(MloptTiled *g, MlirValue a, MlirValue b,
                             MlirValue sum) {
  return mloptNvArith(&g->nv, "arith.addi", sum,
                      mloptNvArith(&g->nv, "arith.muli", a, b));
}

static void multiplyLanes(MloptTiled *g, MlirValue slot) {
  MloptTiledPlace a = placeLane(g, 0, slot), b = placeLane(g, 1, slot);
  int64_t perPiece = MLOPT_TILED_PIECE / bytesOf(g->factors[0].stored);
  int64_t rows = perLane(g, 0), columns = perLane(g, 1);
  for (int64_t depth = 0; depth < g->s.tile[2]; depth += perPiece) {
    Lane left, right;
    loadLane(g, 0, &a, depth, left);
    loadLane(g, 1, &b, depth, right);
    for (int64_t k = 0; k < perPiece; ++k)
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j) {
          MlirValue *sum = &g->sums[i * columns + j];
          *sum = multiplyAdd(g, left[i][k], right[j][k], *sum);
        }
  }
}

void mloptTiledMultiply(MloptTiled *g, MlirValue slot) {
  if (mloptTiledIsWide(g))
    mloptTiledMultiplyWide(g, slot);
  else
    (g->usesMma ? multiplyBlocks : multiplyLanes)(g, slot);
}

//===----------------------------------------------------------------------===//
// The sums, to shared memory
//===----------------------------------------------------------------------===//

MloptTiledMatrix mloptTiledSumMatrix(const MloptTiled *g) {
  return (MloptTiledMatrix){.rowBytes = g->s.tile[1] * bytesOf(g->p.sum)};
}

/// Row or column of sum `i` of a lane, without the lane's own.
static int64_t offsetOfLane(const MloptTiled *g, int factor, int64_t i) {
  int64_t perPiece = MLOPT_TILED_PIECE / bytesOf(g->p.sum);
  return g->factors[factor].alongK
             ? i * lanesOf(factor)
             : i / perPiece * perPiece * lanesOf(factor) + i % perPiece;
}

/// The lane's own.
static MlirValue startOfLane(MloptTiled *g, int factor) {
  MloptNv *nv = &g->nv;
  int64_t perPiece = MLOPT_TILED_PIECE / bytesOf(g->p.sum);
  MlirValue lane = laneOf(g, factor);
  return mloptNvAdd(
      nv, mloptNvMulInt(nv, warpOf(g, factor), g->s.warp[factor]),
      g->factors[factor].alongK ? lane : mloptNvMulInt(nv, lane, perPiece));
}

static MloptTiledPlace placeSums(MloptTiled *g) {
  MloptNv *nv = &g->nv;
  MlirValue row, column;
  if (mloptTiledIsWide(g)) {
    row = mloptTiledWideStart(g, 0);
    column = mloptTiledWideStart(g, 1);
  } else if (g->usesMma) {
    row = mloptNvAdd(nv, mloptNvMulInt(nv, g->warpM, g->s.warp[0]),
                     mloptNvShrInt(nv, g->lane, 2));
    column = mloptNvAdd(nv, mloptNvMulInt(nv, g->warpN, g->s.warp[1]),
                        mloptNvMulInt(nv, mloptNvAndInt(nv, g->lane, 3), 2));
  } else {
    row = startOfLane(g, 0);
    column = startOfLane(g, 1);
  }
  MlirValue bytes = mloptNvMulInt(nv, column, bytesOf(g->p.sum));
  return mloptTiledPlaceAt(nv, mloptTiledSumMatrix(g), g->start, row,
                           mloptNvShrInt(nv, bytes, 4),
                           mloptNvAndInt(nv, bytes, MLOPT_TILED_PIECE - 1));
}

/// Where sum `i` lies after the lane's own place.
static void offsetOfSum(const MloptTiled *g, intptr_t i, int64_t *outRow,
                        int64_t *outColumn) {
  if (mloptTiledIsWide(g)) {
    *outRow = mloptTiledWideOffset(g, 0, i);
    *outColumn = mloptTiledWideOffset(g, 1, i);
    return;
  }
  if (g->usesMma) {
    int64_t columns = g->s.warp[1] / COLUMNS, block = i / 4;
    *outRow = block / columns * ROWS + i % 4 / 2 * 8;
    *outColumn = block % columns * COLUMNS + i % 2;
    return;
  }
  int64_t columns = perLane(g, 1);
  *outRow = offsetOfLane(g, 0, i / columns);
  *outColumn = offsetOfLane(g, 1, i % columns);
}

static MlirValue sumPointer(MloptTiled *g, const MloptTiledPlace *place,
                            intptr_t i) {
  int64_t row, column, offset, bytes = bytesOf(g->p.sum);
  offsetOfSum(g, i, &row, &column);
  MlirValue at = mloptTiledAddress(place, row,
                                   column * bytes / MLOPT_TILED_PIECE, &offset);
  at = mloptNvAddInt(&g->nv, at, offset + column * bytes % MLOPT_TILED_PIECE);
  return mloptBuildUnary(g->nv.b, "llvm.inttoptr", at, g->nv.sharedPointer);
}

static void stageGroup(MloptTiled *g, const MloptTiledPlace *place, bool adds) {
  MloptBuilder *b = g->nv.b;
  bool isFloat = mloptIsFloatElement(g->p.sum);
  for (intptr_t i = 0; i < mloptTiledNumSums(g); ++i) {
    MlirValue pointer = sumPointer(g, place, i), sum = g->sums[i];
    if (adds)
      sum = mloptBuildBinary(b, isFloat ? "arith.addf" : "arith.addi",
                             mloptBuildUnary(b, "llvm.load", pointer, g->p.sum),
                             sum);
    MlirValue operands[] = {sum, pointer};
    mloptBuildOp(b, (MloptOpSpec){.name = "llvm.store",
                                  .numOperands = 2,
                                  .operands = operands});
  }
}

void mloptTiledStageSums(MloptTiled *g) {
  MloptNv *nv = &g->nv;
  MloptTiledPlace place = placeSums(g);
  for (int64_t i = 0; i < g->s.groups; ++i) {
    bool isOne = g->s.groups == 1;
    MloptNvScope scope;
    if (!isOne)
      scope = mloptNvBeginIf(nv, mloptNvEqInt(nv, g->group, i));
    stageGroup(g, &place, i > 0);
    if (!isOne)
      mloptNvEndIf(nv, &scope);
    mloptNvOp(nv, "nvvm.barrier0", 0, NULL, NULL);
  }
}
