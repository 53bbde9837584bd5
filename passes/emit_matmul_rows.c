//===- emit_matmul_rows.c - Staged rows that TMA cannot store -------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows whose stride is no multiple of 16 bytes are stored by threads. From a
// fragment, a warp would write eight bytes of each of eight rows; so each warp
// stages its sixteen rows of a block, as it would for TMA, and then stores row
// after row, neighbouring threads side by side:
//
//   fragment  ->  16 rows of 128 bytes, swizzled  ->  row 0: lanes 0 .. 31
//                                                     row 1: lanes 0 .. 31
//
// No other warp reads them.
//
//===----------------------------------------------------------------------===//

#include "emit_matmul_impl.h"

enum { ROWS = 16, PIECE_BYTES = 16, SWIZZLE = 8, WARP = 32 };

static void meetWarp(MloptNv *nv) {
  mloptNvPtx(nv, "bar.warp.sync -1;", "~{memory}", 0, NULL, (MlirType){NULL});
}

static MlirValue isBelow(MloptNv *nv, MlirValue x, int64_t size) {
  return mloptBuildCmpI(nv->b, "ult", x, mloptNvInt(nv, size));
}

/// `lanes` elements from an offset in the dynamic block on.
static void load(MloptNv *nv, MlirValue offset, MlirType element, int lanes,
                 MlirValue *out) {
  unsigned width = mloptElementWidth(element);
  MlirType bits = mlirIntegerTypeGet(nv->b->context, width * (unsigned)lanes);
  MlirType part = mlirIntegerTypeGet(nv->b->context, width);
  MlirValue all =
      mloptBuildUnary(nv->b, "llvm.load", mloptNvShared(nv, offset), bits);
  for (int i = 0; i < lanes; ++i) {
    MlirValue one = all;
    if (i)
      one = mloptBuildBinary(nv->b, "arith.shrui", one,
                             mloptBuildInt(nv->b, bits, (int64_t)width * i));
    if (lanes > 1)
      one = mloptBuildUnary(nv->b, "arith.trunci", one, part);
    out[i] = mlirTypeIsAInteger(element)
                 ? one
                 : mloptBuildUnary(nv->b, "arith.bitcast", one, element);
  }
}

/// A thread's part of the rows: where it is in the first, along n and in
/// shared memory.
typedef struct Part {
  const MloptOutput *output;
  const MlirValue *axes; ///< of the block
  MlirValue start;       ///< offset of the warp's first row
  MlirValue firstRow;    ///< of the warp, in the block
  MlirValue column;      ///< in the block
  int64_t bytes;         ///< of an element
  int lanes;             ///< elements of an access
} Part;

/// Row `r` after `first` rows of the warp (i32, a multiple of eight).
static void storeRow(MloptMatmul *g, const Part *p, MlirValue first, int r) {
  MloptNv *nv = &g->nv;
  MloptEpilogue *e = &g->epilogue;
  MlirType element = mloptElementType(p->output->type);
  MlirValue row = mloptNvAddInt(nv, first, r);
  MlirValue bytes = mloptNvMulInt(nv, p->column, p->bytes);
  MlirValue at =
      mloptNvXor(nv, bytes, mloptNvInt(nv, (int64_t)r % SWIZZLE * PIECE_BYTES));
  at = mloptNvAdd(nv, mloptNvAdd(nv, p->start, at),
                  mloptNvMulInt(nv, row, MLOPT_NV_ROW_BYTES));
  MlirValue elements[MLOPT_EPILOGUE_LANES];
  load(nv, at, element, p->lanes, elements);
  MlirValue m =
      mloptNvAdd(nv, p->axes[MLOPT_AXIS_M], mloptNvAdd(nv, p->firstRow, row));
  MlirValue n = mloptNvAdd(nv, p->axes[MLOPT_AXIS_N], p->column);
  MlirValue inside = mloptBuildBinary(nv->b, "arith.andi",
                                      isBelow(nv, m, g->c.sizes[MLOPT_AXIS_M]),
                                      isBelow(nv, n, g->c.sizes[MLOPT_AXIS_N]));
  MloptEpiloguePoint point = {.axes = {[MLOPT_AXIS_BATCH] = mloptNvToIndex(
                                           nv, p->axes[MLOPT_AXIS_BATCH]),
                                       [MLOPT_AXIS_M] = mloptNvToIndex(nv, m),
                                       [MLOPT_AXIS_N] = mloptNvToIndex(nv, n)},
                              .lanes = p->lanes};
  MloptVector vector;
  mloptEpilogueAim(e, p->output, &point, &vector);
  MloptNvScope scope = mloptNvBeginIf(nv, inside);
  mloptTileStore(&e->tile, &vector,
                 mlirBlockGetArgument(g->parameters, p->output->parameter),
                 elements);
  mloptNvEndIf(nv, &scope);
}

void mloptMatmulStoreRows(MloptMatmul *g, const MloptMatmulConsumer *w,
                          const MloptOutput *output, const MlirValue *axes) {
  MloptNv *nv = &g->nv;
  Part p = {.output = output,
            .axes = axes,
            .bytes = mloptElementWidth(mloptElementType(output->type)) / 8,
            .lanes = mloptEpilogueLanes(&g->c, output)};
  int64_t columns = mloptMatmulStoreColumns(output);
  while (WARP * p.lanes > columns) // no access beyond the block
    p.lanes /= 2;
  p.firstRow = mloptNvMulInt(nv, mloptNvShrInt(nv, g->thread, 5), ROWS);
  p.start = mloptNvAdd(nv, w->slots,
                       mloptNvMulInt(nv, p.firstRow, MLOPT_NV_ROW_BYTES));
  meetWarp(nv); // all is staged
  MloptPull *pull = g->epilogue.tile.pull;
  MloptPullMark mark = mloptPullMark(pull);
  MlirValue first, none[1];
  MloptNvScope rows =
      mloptNvBeginFor(nv, mloptNvInt(nv, 0), mloptNvInt(nv, ROWS),
                      mloptNvInt(nv, SWIZZLE), 0, none, &first, none);
  for (int64_t c = 0; c < columns; c += (int64_t)WARP * p.lanes) {
    p.column = mloptNvAddInt(nv, mloptNvMulInt(nv, w->lane, p.lanes), c);
    for (int r = 0; r < SWIZZLE; ++r)
      storeRow(g, &p, first, r);
  }
  mloptNvEndFor(nv, &rows, none, none);
  mloptPullReset(pull, mark);
  meetWarp(nv); // all is read
}
