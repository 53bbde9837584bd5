//===- emit_matmul_fold.c - Reductions of a product's result --------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp holds 16 rows of a block, a thread of them rows r and r + 8 and two of
// each eight columns:
//
//          columns  0 1 | 2 3 | 4 5 | 6 7 || 8 9 | ..
//   row 0          t0   | t1  | t2  | t3  || t0  | ..
//   row 1          t4   | t5  | t6  | t7  || t4  | ..
//    ..
//   row 8          t0   | t1  | ..
//
// so that a piece of 16 rows is a warp's own, and of 16 columns that of four
// threads. Each thread first combines what it has of a piece. Threads then deal
// the pieces out among them: in each step they send half of what they have to
// the other one of a pair, and combine what comes with the rest,
//
//   t0: a b c d     t0: a+ b+     t0: a++
//   t1: a b c d     t1: a+ b+     t1: b++
//   t2: a b c d     t2: c+ d+     t2: c++
//   t3: a b c d     t3: c+ d+     t3: d++
//
// and store what they are left with. The order is the same for every tile.
//
//===----------------------------------------------------------------------===//

#include "emit_matmul_impl.h"

void mloptMatmulOpenFold(const MloptMatmul *g, intptr_t i,
                         MloptMatmulFold *out) {
  *out = (MloptMatmulFold){.fold = &g->c.folds[i],
                           .shared = mloptOpenShared(g->c.folds[i].generic)};
}

/// The piece, among those that a thread has a part of, that element `e` of its
/// part of a block belongs to.
static int64_t pieceOf(const MloptMatmulFold *f, int64_t columns, int64_t e) {
  int64_t group = e / 4, row = e / 2 % 2, lane = e % 2;
  int64_t perRow = columns / MLOPT_FOLD_LENGTH;
  return f->fold->axis == MLOPT_AXIS_M ? 2 * group + lane
                                       : row * perRow + group / 2;
}

/// What the reduction combines of an element of its operand.
static MlirValue combined(MloptPull *pull, const MloptMatmulFold *f,
                          MlirValue element) {
  MlirBlock body =
      mlirRegionGetFirstBlock(mlirOperationGetRegion(f->fold->generic, 0));
  MlirValue argument = mlirBlockGetArgument(body, 0);
  return mlirValueEqual(f->shared.elements[0], argument)
             ? element
             : mloptPullBodySlice(pull, f->shared.elements[0], 1, &argument,
                                  &element);
}

void mloptMatmulFoldPair(MloptMatmul *g, MloptMatmulFold *f, int64_t columns,
                         int64_t e, const MlirValue *pair) {
  MloptPull *pull = g->epilogue.tile.pull;
  for (int i = 0; i < 2; ++i) {
    MlirValue element = combined(pull, f, pair[i]);
    MlirValue *piece = &f->pieces[pieceOf(f, columns, e + i)];
    if (mlirValueIsNull(*piece))
      *piece = element;
    else
      mloptBuildStep(pull, &f->shared, piece, &element);
  }
}

/// Deals `count` pieces out among the threads of a warp whose numbers differ in
/// the bits from `least` up to below `end`: each is left with as many as is
/// returned, from `*outFirst` on. Where there are fewer than threads, several
/// get the same, of which those for which `*outIsOne` holds, if it is not null,
/// are one each.
static int64_t deal(MloptMatmul *g, const MloptMatmulConsumer *w,
                    MloptMatmulFold *f, int64_t least, int64_t end,
                    int64_t count, MlirValue *pieces, MlirValue *outFirst,
                    MlirValue *outIsOne) {
  MloptNv *nv = &g->nv;
  MloptPull *pull = g->epilogue.tile.pull;
  int64_t same = least;
  for (int64_t bit = end / 2; bit >= least; bit /= 2) {
    MlirValue offset = mloptNvInt(nv, bit);
    MlirValue isUpper = mloptBuildCmpI(
        nv->b, "ne", mloptNvAndInt(nv, w->lane, bit), mloptNvInt(nv, 0));
    bool halves = count > 1;
    int64_t left = halves ? count / 2 : 1;
    for (int64_t i = 0; i < left; ++i) {
      MlirValue kept = pieces[i], sent = pieces[i];
      if (halves) {
        kept = mloptBuildSelect(nv->b, isUpper, pieces[i + left], pieces[i]);
        sent = mloptBuildSelect(nv->b, isUpper, pieces[i], pieces[i + left]);
      }
      MlirValue other = mloptBuildShuffle(nv->b, "bfly", sent, offset);
      mloptBuildStep(pull, &f->shared, &kept, &other);
      pieces[i] = kept;
    }
    count = left;
    same *= halves ? 1 : 2;
  }
  MlirValue number = mloptNvDivInt(nv, mloptNvRemInt(nv, w->lane, end), same);
  *outFirst = mloptNvMulInt(nv, number, count);
  *outIsOne = same == least
                  ? (MlirValue){NULL}
                  : mloptNvEqInt(nv, mloptNvRemInt(nv, w->lane, same), 0);
  return count;
}

/// Stores what a piece gave, which holds the element in row `row` and column
/// `column`, unless that lies outside of C.
static void storePiece(MloptMatmul *g, const MloptFold *fold, MlirValue batch,
                       MlirValue row, MlirValue column, MlirValue condition,
                       MlirValue piece) {
  MloptNv *nv = &g->nv;
  MlirType index = mlirIndexTypeGet(nv->b->context);
  MlirValue inside = mloptBuildBinary(
      nv->b, "arith.andi",
      mloptBuildCmpI(nv->b, "ult", row,
                     mloptNvInt(nv, g->c.sizes[MLOPT_AXIS_M])),
      mloptBuildCmpI(nv->b, "ult", column,
                     mloptNvInt(nv, g->c.sizes[MLOPT_AXIS_N])));
  if (!mlirValueIsNull(condition))
    inside = mloptBuildBinary(nv->b, "arith.andi", inside, condition);
  MloptEpiloguePoint point = {
      .axes = {[MLOPT_AXIS_BATCH] = batch,
               [MLOPT_AXIS_M] =
                   mloptBuildUnary(nv->b, "arith.index_castui", row, index),
               [MLOPT_AXIS_N] =
                   mloptBuildUnary(nv->b, "arith.index_castui", column, index)},
      .lanes = 1};
  MloptVector vector;
  mloptEpilogueAim(&g->epilogue, &fold->output, &point, &vector);
  MlirValue pointer =
      mlirBlockGetArgument(g->parameters, fold->output.parameter);
  MloptNvScope scope = mloptNvBeginIf(nv, inside);
  mloptTileStore(&g->epilogue.tile, &vector, pointer, &piece);
  mloptNvEndIf(nv, &scope);
}

/// Pieces of 16 rows, one for each column; `first` (i32) is the block's first
/// column.
static void storeRowPieces(MloptMatmul *g, const MloptMatmulConsumer *w,
                           MloptMatmulFold *f, int64_t columns, MlirValue batch,
                           const MlirValue *rows, MlirValue first) {
  MloptNv *nv = &g->nv;
  MlirValue number, isOne;
  int64_t count = deal(g, w, f, 4, 32, columns / 4, f->pieces, &number, &isOne);
  MlirValue quad = mloptNvMulInt(nv, mloptNvAndInt(nv, w->lane, 3), 2);
  for (int64_t i = 0; i < count; ++i) {
    // Two of each eight columns.
    MlirValue own = mloptNvAddInt(nv, number, i);
    MlirValue eights = mloptNvMulInt(nv, mloptNvShrInt(nv, own, 1), 8);
    MlirValue column =
        mloptNvAdd(nv, mloptNvAdd(nv, eights, quad), mloptNvAndInt(nv, own, 1));
    storePiece(g, f->fold, batch, rows[0], mloptNvAdd(nv, first, column), isOne,
               f->pieces[i]);
  }
}

/// Pieces of 16 columns, one or more for each row.
static void storeColumnPieces(MloptMatmul *g, const MloptMatmulConsumer *w,
                              MloptMatmulFold *f, int64_t columns,
                              MlirValue batch, const MlirValue *rows,
                              MlirValue first) {
  MloptNv *nv = &g->nv;
  int64_t perRow = columns / MLOPT_FOLD_LENGTH;
  for (int row = 0; row < 2; ++row) {
    MlirValue number, isOne, *pieces = f->pieces + row * perRow;
    int64_t count = deal(g, w, f, 1, 4, perRow, pieces, &number, &isOne);
    for (int64_t i = 0; i < count; ++i) {
      MlirValue column =
          mloptNvMulInt(nv, mloptNvAddInt(nv, number, i), MLOPT_FOLD_LENGTH);
      storePiece(g, f->fold, batch, rows[row], mloptNvAdd(nv, first, column),
                 isOne, pieces[i]);
    }
  }
}

void mloptMatmulStoreFold(MloptMatmul *g, const MloptMatmulConsumer *w,
                          MloptMatmulFold *f, int64_t columns, MlirValue batch,
                          const MlirValue *rows, MlirValue first) {
  (f->fold->axis == MLOPT_AXIS_M ? storeRowPieces : storeColumnPieces)(
      g, w, f, columns, batch, rows, first);
}
