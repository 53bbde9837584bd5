//===- emit_tiled_multiply.c - Products of tiles in shared memory ---------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With mma.sync, a warp multiplies 16 x 8 blocks, 16 deep, or of bytes 32 deep;
// nv_mma.h says which lane holds what. Where a factor's rows in shared memory
// run along m or n, ldmatrix transposes. Bytes it transposes in pairs, which
// are taken apart: a lane then has rows 2g and 2g + 1 of sixteen in place of g
// and g + 8. Its k are the same as where rows run along k:
//
//   blocks 0, 1    (k = 4t, 4t+1; rows 2g, 2g+1), (4t+2, 4t+3; 2g, 2g+1)
//   taken apart    (4t .. 4t+3; row 2g), (4t .. 4t+3; row 2g+1)
//
// Wider integers are multiplied one by one; the lanes of a warp are 4 x 8 then.
// A lane reads 16 bytes at a time, along k or along m and n, whichever way the
// rows run:
//
//   rows along k: lane r has rows r, r + 4, ...       (n: r, r + 8, ...)
//   along m:      lane r has rows 4r .. 4r + 3, 16 further, ...
//
// and adds its products in rising order of k.
//
//===----------------------------------------------------------------------===//

#include "emit_tiled_impl.h"

enum { ROWS = 16, COLUMNS = 8, EIGHT = 8, LANES_M = 4, LANES_N = 8 };

static int64_t bytesOf(MlirType type) { return mloptElementWidth(type) / 8; }

intptr_t mloptTiledNumSums(const MloptTiled *g) {
  return g->s.warp[0] * g->s.warp[1] / 32;
}

static int64_t sumElements(const MloptTiled *g) {
  return g->s.tile[0] * g->s.tile[1];
}

/// The depth of a step that one group of warps takes.
static int64_t depthOfGroup(const MloptTiled *g) {
  return g->s.tile[2] / g->s.groups;
}

//===----------------------------------------------------------------------===//
// mma.sync
//===----------------------------------------------------------------------===//

int mloptTiledTurns(const MloptTiled *g) {
  return g->cores == MLOPT_TILED_BYTES ? 2 : 1;
}

void mloptTiledMakeFragment(MloptTiled *g, int factor, int count,
                            const MlirValue *words, MloptTiledFragment *out) {
  if (g->cores != MLOPT_TILED_BYTES) {
    memcpy(out->words[0], words, (size_t)count * sizeof *words);
    return;
  }
  // Four k of a row: what an instruction counts as 2t, 2t+1, 2t+8, 2t+9.
  int rows = count / 2;
  for (int i = 0; i < count; ++i) {
    MlirValue halves[2];
    mloptNvWidenBytes(&g->nv, mloptTiledByteOf(g->factors[factor].factor),
                      g->converts, words[i], halves);
    for (int half = 0; half < 2; ++half)
      out->words[i / rows][half * rows + i % rows] = halves[half];
  }
}

void mloptTiledMultiplyFragments(MloptTiled *g, int rowFactor,
                                 const MlirValue *rows,
                                 const MlirValue *columns, MlirValue sum[4]) {
  if (g->cores == MLOPT_TILED_INTEGERS)
    mloptNvMmaBytes(&g->nv,
                    mloptTiledByteOf(&g->p.factors[rowFactor]) == MLOPT_NV_S8,
                    mloptTiledByteOf(&g->p.factors[!rowFactor]) == MLOPT_NV_S8,
                    rows, columns, sum);
  else
    mloptNvMmaWarp(&g->nv,
                   mlirTypeIsABF16(g->factors[0].stored) ? "bf16" : "f16", rows,
                   columns, sum);
}

/// Whether ldmatrix transposes pairs of bytes, of neighbouring rows: fragments'
/// rows are every other one of sixteen then.
static bool isPaired(const MloptTiled *g, int factor) {
  const MloptTiledFactor *f = &g->factors[factor];
  return !f->alongK && bytesOf(f->stored) == 1;
}

/// Where a lane's addresses for ldmatrix start in a factor's tile: four 8 x 8
/// blocks of 16 rows, 32 bytes deep. Those of A lie below each other first,
/// those of B along k first. Of pairs of bytes, block 2h + i has those k that
/// are 16h + 2i and 16h + 2i + 1 and multiples of four further.
static MloptTiledPlace placeBlocks(MloptTiled *g, int factor, MlirValue slot) {
  MloptNv *nv = &g->nv;
  const MloptTiledFactor *f = &g->factors[factor];
  int64_t perPiece = MLOPT_TILED_PIECE / bytesOf(f->stored);
  MlirValue inBlock = mloptNvAndInt(nv, g->lane, 7);
  MlirValue first = mloptNvAndInt(nv, mloptNvShrInt(nv, g->lane, 3), 1);
  MlirValue second = mloptNvShrInt(nv, g->lane, 4);
  MlirValue below = factor ? second : first, along = factor ? first : second;
  MlirValue warp = factor ? g->warpN : g->warpM;
  int64_t rows = g->s.warp[factor], depth = depthOfGroup(g);
  MlirValue groupStart = mloptNvMulInt(nv, g->group, depth), row, piece;
  if (f->alongK) {
    row = mloptNvAdd(nv, mloptNvMulInt(nv, warp, rows),
                     mloptNvAdd(nv, mloptNvMulInt(nv, below, 8), inBlock));
    piece =
        mloptNvAdd(nv, mloptNvMulInt(nv, g->group, depth / perPiece), along);
  } else if (isPaired(g, factor)) {
    MlirValue k =
        mloptNvAdd(nv, mloptNvMulInt(nv, mloptNvShrInt(nv, inBlock, 1), 4),
                   mloptNvAdd(nv, mloptNvAndInt(nv, inBlock, 1),
                              mloptNvAdd(nv, mloptNvMulInt(nv, first, 2),
                                         mloptNvMulInt(nv, second, 16))));
    row = mloptNvAdd(nv, groupStart, k);
    piece = mloptNvMulInt(nv, warp, rows / perPiece);
  } else {
    row = mloptNvAdd(nv, groupStart,
                     mloptNvAdd(nv, mloptNvMulInt(nv, along, 8), inBlock));
    piece = mloptNvAdd(nv, mloptNvMulInt(nv, warp, rows / perPiece), below);
  }
  return mloptTiledPlaceAt(nv, f->matrix, mloptNvAdd(nv, f->start, slot), row,
                           piece, (MlirValue){NULL});
}

/// What two registers of pairs of rows have of the first, or of the second.
static MlirValue takeApart(MloptTiled *g, const MlirValue *pairs, int row) {
  return mloptNvPtx(&g->nv,
                    row ? "prmt.b32 $0, $1, $2, 0x7531;"
                        : "prmt.b32 $0, $1, $2, 0x6420;",
                    "=r,r,r", 2, pairs, g->nv.i32);
}

/// Blocks of 16 rows from `row` on, 32 bytes deep from `depth` on.
static void loadBlocks(MloptTiled *g, int factor, const MloptTiledPlace *place,
                       int64_t row, int64_t depth, MlirValue out[4]) {
  const MloptTiledFactor *f = &g->factors[factor];
  int64_t perPiece = MLOPT_TILED_PIECE / bytesOf(f->stored), offset;
  MlirValue at = f->alongK
                     ? mloptTiledAddress(place, row, depth / perPiece, &offset)
                     : mloptTiledAddress(place, depth, row / perPiece, &offset);
  MlirValue read[4];
  if (!isPaired(g, factor)) {
    mloptNvLoadMatrices(&g->nv, at, offset, !f->alongK, out);
    return;
  }
  mloptNvLoadMatrices(&g->nv, at, offset, true, read);
  for (int half = 0; half < 2; ++half)
    for (int i = 0; i < 2; ++i)
      out[factor ? 2 * i + half : 2 * half + i] =
          takeApart(g, &read[2 * half], i);
}

static void multiplyBlocks(MloptTiled *g, MlirValue slot) {
  enum { MOST = 8, DEPTH_BYTES = 32 };
  int64_t rows = g->s.warp[0] / ROWS, columns = g->s.warp[1] / ROWS;
  int64_t depth = DEPTH_BYTES / bytesOf(g->factors[0].stored);
  MloptTiledPlace a = placeBlocks(g, 0, slot), b = placeBlocks(g, 1, slot);
  for (int64_t k = 0; k < depthOfGroup(g); k += depth) {
    MloptTiledFragment left[MOST], right[2 * MOST];
    MlirValue words[4];
    for (int64_t i = 0; i < rows; ++i) {
      loadBlocks(g, 0, &a, i * ROWS, k, words);
      mloptTiledMakeFragment(g, 0, 4, words, &left[i]);
    }
    for (int64_t j = 0; j < columns; ++j) {
      loadBlocks(g, 1, &b, j * ROWS, k, words);
      mloptTiledMakeFragment(g, 1, 2, words, &right[2 * j]);
      mloptTiledMakeFragment(g, 1, 2, words + 2, &right[2 * j + 1]);
    }
    for (int turn = 0; turn < mloptTiledTurns(g); ++turn)
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < 2 * columns; ++j)
          mloptTiledMultiplyFragments(g, 0, left[i].words[turn],
                                      right[j].words[turn],
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

void mloptTiledMultiply(MloptTiled *g, MlirValue slot, MlirValue k) {
  if (mloptTiledIsWide(g))
    mloptTiledMultiplyWide(g, slot);
  else if (mloptTiledKeepsSource(&g->p, &g->s))
    mloptTiledMultiplyComputed(g, slot, k);
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

int mloptTiledRowFactor(const MloptTiled *g) {
  return mloptTiledIsDirect(&g->s) || mloptTiledKeepsSource(&g->p, &g->s)
             ? mloptTiledLongFactor(&g->p)
             : 0;
}

static MlirValue startOfFragment(MloptTiled *g, int factor) {
  MloptNv *nv = &g->nv;
  MlirValue own;
  if (factor != mloptTiledRowFactor(g))
    own = mloptNvMulInt(nv, mloptNvAndInt(nv, g->lane, 3),
                        isPaired(g, factor) ? 4 : 2);
  else if (mloptTiledIsDirect(&g->s)) // 0, 4, 1, 5, ...
    own = mloptNvAdd(nv, mloptNvShrInt(nv, g->lane, 3),
                     mloptNvAndInt(nv, g->lane, 4));
  else
    own = mloptNvMulInt(nv, mloptNvShrInt(nv, g->lane, 2),
                        isPaired(g, factor) ? 2 : 1);
  return mloptNvAdd(nv, mloptNvMulInt(nv, warpOf(g, factor), g->s.warp[factor]),
                    own);
}

/// Where the sums of this thread's group of warps lie.
static MloptTiledPlace placeSums(MloptTiled *g) {
  MloptNv *nv = &g->nv;
  MlirValue row, column;
  if (mloptTiledIsWide(g)) {
    row = mloptTiledWideStart(g, 0);
    column = mloptTiledWideStart(g, 1);
  } else if (g->usesMma) {
    row = startOfFragment(g, 0);
    column = startOfFragment(g, 1);
  } else {
    row = startOfLane(g, 0);
    column = startOfLane(g, 1);
  }
  MlirValue bytes = mloptNvMulInt(nv, column, bytesOf(g->p.sum));
  MlirValue start = mloptNvAdd(
      nv, g->start,
      mloptNvMulInt(nv, g->group, sumElements(g) * bytesOf(g->p.sum)));
  return mloptTiledPlaceAt(nv, mloptTiledSumMatrix(g), start, row,
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
    int rows = mloptTiledRowFactor(g);
    bool halves = mloptTiledIsDirect(&g->s);
    int64_t columns = g->s.warp[!rows] / COLUMNS, block = i / (halves ? 2 : 4);
    int64_t row = block / columns, half = i % 4 / 2, column = block % columns;
    *(rows ? outColumn : outRow) =
        halves ? EIGHT * row : ROWS * row + (isPaired(g, 0) ? 1 : EIGHT) * half;
    *(rows ? outRow : outColumn) =
        !halves && isPaired(g, 1) ? column / 2 * ROWS + column % 2 + i % 2 * 2
                                  : column * COLUMNS + i % 2;
    return;
  }
  int64_t columns = perLane(g, 1);
  *outRow = offsetOfLane(g, 0, i / columns);
  *outColumn = offsetOfLane(g, 1, i % columns);
}

static MlirValue sumAddress(MloptTiled *g, const MloptTiledPlace *place,
                            intptr_t i) {
  int64_t row, column, offset, bytes = bytesOf(g->p.sum);
  offsetOfSum(g, i, &row, &column);
  MlirValue at = mloptTiledAddress(place, row,
                                   column * bytes / MLOPT_TILED_PIECE, &offset);
  return mloptNvAddInt(&g->nv, at, offset + column * bytes % MLOPT_TILED_PIECE);
}

static MlirValue loadSum(MloptTiled *g, MlirValue address) {
  MlirValue pointer =
      mloptBuildUnary(g->nv.b, "llvm.inttoptr", address, g->nv.sharedPointer);
  return mloptBuildUnary(g->nv.b, "llvm.load", pointer, g->p.sum);
}

static void storeSum(MloptTiled *g, MlirValue sum, MlirValue address) {
  MlirValue pointer =
      mloptBuildUnary(g->nv.b, "llvm.inttoptr", address, g->nv.sharedPointer);
  MlirValue operands[] = {sum, pointer};
  mloptBuildOp(g->nv.b, (MloptOpSpec){.name = "llvm.store",
                                      .numOperands = 2,
                                      .operands = operands});
}

/// Adds the sums of all groups, in their order, to those of the first: a thread
/// every so many elements.
static void addGroups(MloptTiled *g) {
  MloptNv *nv = &g->nv;
  const char *add = mloptIsFloatElement(g->p.sum) ? "arith.addf" : "arith.addi";
  int64_t count = sumElements(g), bytes = bytesOf(g->p.sum);
  for (int64_t first = 0; first < count; first += g->threads) {
    bool isPart = count - first < g->threads;
    MloptNvScope scope;
    if (isPart)
      scope = mloptNvBeginIf(nv, mloptBuildCmpI(nv->b, "ult", g->thread,
                                                mloptNvInt(nv, count - first)));
    MlirValue at =
        mloptNvAdd(nv, g->start, mloptNvMulInt(nv, g->thread, bytes));
    at = mloptNvAddInt(nv, at, first * bytes);
    MlirValue sum = loadSum(g, at);
    for (int64_t i = 1; i < g->s.groups; ++i)
      sum = mloptBuildBinary(
          nv->b, add, sum,
          loadSum(g, mloptNvAddInt(nv, at, i * count * bytes)));
    storeSum(g, sum, at);
    if (isPart)
      mloptNvEndIf(nv, &scope);
  }
  mloptNvOp(nv, "nvvm.barrier0", 0, NULL, NULL);
}

void mloptTiledStageSums(MloptTiled *g) {
  MloptTiledPlace place = placeSums(g);
  for (intptr_t i = 0; i < mloptTiledNumSums(g); ++i)
    storeSum(g, g->sums[i], sumAddress(g, &place, i));
  mloptNvOp(&g->nv, "nvvm.barrier0", 0, NULL, NULL);
  if (g->s.groups > 1)
    addGroups(g);
}
