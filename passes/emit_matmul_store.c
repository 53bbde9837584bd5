//===- emit_matmul_store.c - From accumulators to memory ------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A consumer's fragment becomes 64 rows of 128 bytes at a time: what follows
// the product is computed in registers, staged in one of two slots of shared
// memory and stored by TMA, which reads the one slot while threads fill the
// other.
//
//===----------------------------------------------------------------------===//

#include "emit_matmul_impl.h"

//===----------------------------------------------------------------------===//
// Staging
//===----------------------------------------------------------------------===//

static bool isHalf(const MloptMatmul *g) {
  return mloptElementWidth(mloptElementType(g->c.c.type)) == 16;
}

/// Elements of 16 bits go by stmatrix, whose lane l gives the address of row
/// l % 8 of 8 x 8 matrix l / 8 of four: rows 0-7 and 8-15 of the warp, then the
/// eight columns beside. f32 goes by pairs. Piece p of row r lies at p ^ r % 8;
/// the four places are those of a row's 32-byte parts, without what every
/// thread shares.
void mloptMatmulPlaceFragment(MloptMatmul *g, MloptMatmulConsumer *w) {
  MloptNv *nv = &g->nv;
  MlirValue lane = mloptNvAndInt(nv, g->thread, 31);
  MlirValue warp = mloptNvMulInt(nv, mloptNvShrInt(nv, g->thread, 5), 16);
  MlirValue row, piece, within, inEight;
  if (isHalf(g)) {
    MlirValue matrix = mloptNvShrInt(nv, lane, 3);
    inEight = mloptNvAndInt(nv, lane, 7);
    row = mloptNvAdd(nv, inEight,
                     mloptNvShlInt(nv, mloptNvAndInt(nv, matrix, 1), 3));
    piece = mloptNvShrInt(nv, matrix, 1);
    within = mloptNvInt(nv, 0);
  } else {
    row = inEight = mloptNvShrInt(nv, lane, 2);
    piece = mloptNvAndInt(nv, mloptNvShrInt(nv, lane, 1), 1);
    within = mloptNvShlInt(nv, mloptNvAndInt(nv, lane, 1), 3);
  }
  MlirValue start =
      mloptNvMulInt(nv, mloptNvAdd(nv, warp, row), MLOPT_NV_ROW_BYTES);
  start = mloptNvAdd(nv, start, within);
  for (int i = 0; i < 4; ++i) {
    MlirValue at =
        mloptNvXor(nv, mloptNvXor(nv, piece, inEight), mloptNvInt(nv, 2 * i));
    w->storeAt[i] = mloptNvAdd(nv, w->slots,
                               mloptNvAdd(nv, start, mloptNvShlInt(nv, at, 4)));
  }
}

/// Two elements of 16 bits, the first one low, rounded to nearest even.
static MlirValue pack(MloptMatmul *g, MlirValue low, MlirValue high) {
  MloptNv *nv = &g->nv;
  const char *ptx = mlirTypeIsABF16(mloptElementType(g->c.c.type))
                        ? "cvt.rn.bf16x2.f32 $0, $2, $1;"
                        : "cvt.rn.f16x2.f32 $0, $2, $1;";
  MlirValue operands[] = {low, high};
  return mloptNvPtx(nv, ptx, "=r,f,f", 2, operands, nv->i32);
}

/// 32 bytes of each row: 16 columns of 16 bits.
static void stageHalves(MloptMatmul *g, MlirValue at,
                        const MlirValue *fragment) {
  MloptNv *nv = &g->nv;
  MlirValue operands[5] = {mloptNvShared(nv, at)};
  for (int i = 0; i < 4; ++i)
    operands[i + 1] = pack(g, fragment[2 * i], fragment[2 * i + 1]);
  mloptNvOp(nv, "nvvm.stmatrix", 5, operands,
            "{eltType = #nvvm.ld_st_matrix_elt_type<b16>,"
            " layout = #nvvm.mma_layout<row>,"
            " shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>}");
}

/// 32 bytes of each row: 8 columns of 32 bits, in this thread rows r and r + 8.
static void stageWords(MloptMatmul *g, MlirValue at,
                       const MlirValue *fragment) {
  MloptNv *nv = &g->nv;
  for (int i = 0; i < 2; ++i) {
    MlirValue place = mloptNvAddInt(nv, at, 8 * i * MLOPT_NV_ROW_BYTES);
    MlirValue operands[] = {mloptNvAddress(nv, mloptNvShared(nv, place)),
                            fragment[2 * i], fragment[2 * i + 1]};
    bool isFloat = mlirTypeIsAF32(mloptElementType(g->c.c.type));
    mloptNvPtx(nv,
               isFloat ? "st.shared.v2.f32 [$0], {$1, $2};"
                       : "st.shared.v2.b32 [$0], {$1, $2};",
               isFloat ? "r,f,f,~{memory}" : "r,r,r,~{memory}", 3, operands,
               (MlirType){NULL});
  }
}

/// Stages 128 bytes of each of a slab's rows in a slot, `slot` bytes after the
/// first.
static void stageBlock(MloptMatmul *g, const MloptMatmulConsumer *w,
                       MlirValue slot, const MlirValue *fragment) {
  MloptNv *nv = &g->nv;
  int perPart = isHalf(g) ? 8 : 4;
  for (int i = 0; i < 4; ++i)
    (isHalf(g) ? stageHalves : stageWords)(
        g, mloptNvAdd(nv, w->storeAt[i], slot), fragment + i * perPart);
}

/// The stored value in place of elements of the product. What lies outside of C
/// is computed from an element inside and not stored.
static void applyEpilogue(MloptMatmul *g, MlirValue firstRow,
                          MloptMatmulTile tile, int64_t begin, int64_t end,
                          MlirValue *fragment) {
  MloptNv *nv = &g->nv;
  int64_t sizeM = g->c.sizes[MLOPT_AXIS_M], sizeN = g->c.sizes[MLOPT_AXIS_N];
  MlirValue rows[2];
  for (int i = 0; i < 2; ++i) {
    rows[i] =
        mloptNvAdd(nv, firstRow, mloptNvFragmentRow(nv, g->thread, 2 * i));
    if (sizeM % g->s.tile[0])
      rows[i] = mloptNvMin(nv, rows[i], mloptNvInt(nv, sizeM - 1));
  }
  MlirValue first =
      mloptNvAdd(nv, tile.n, mloptNvFragmentColumn(nv, g->thread, 0));
  for (int64_t i = begin; i < end; ++i) {
    MlirValue column = mloptNvAddInt(nv, first, i / 4 * 8 + i % 2);
    if (sizeN % g->s.tile[1])
      column = mloptNvMin(nv, column, mloptNvInt(nv, sizeN - 1));
    MlirValue element = mloptEpilogueElement(
        &g->epilogue, fragment[i], rows[i / 2 % 2], column, tile.batch);
    // Exact, and what rounds it again is exact too.
    if (!nv->b->failed && isHalf(g) &&
        !mlirTypeIsAF32(mlirValueGetType(element)))
      element = mloptBuildUnary(nv->b, "arith.extf", element, nv->f32);
    fragment[i] = element;
  }
}

int64_t mloptMatmulNumBlocks(const MloptMatmul *g) {
  return g->slabs * g->s.tile[1] / mloptMatmulStoreColumns(&g->c);
}

/// Where block `i` of a tile goes, after the first slot. Slots take turns from
/// tile to tile, too: `turn` (an i32) is the slot of the first block.
static MlirValue slotOf(MloptMatmul *g, int64_t i, MlirValue turn) {
  MloptNv *nv = &g->nv;
  MlirValue slot =
      mloptNvXor(nv, turn, mloptNvInt(nv, i % MLOPT_MATMUL_STORE_SLOTS));
  return mloptNvMulInt(nv, slot, g->shared.storeBytes);
}

MlirValue mloptMatmulNextTurn(MloptMatmul *g, MlirValue turn) {
  return mloptNvXor(
      &g->nv, turn,
      mloptNvInt(&g->nv, mloptMatmulNumBlocks(g) % MLOPT_MATMUL_STORE_SLOTS));
}

/// Stages a block of a slab and lets TMA store it, when the slot's last store
/// has read it.
static void storeBlock(MloptMatmul *g, const MloptMatmulConsumer *w,
                       MlirValue slot, const MlirValue *fragment,
                       const MlirValue *at) {
  MloptNv *nv = &g->nv;
  MloptNvScope first = mloptNvBeginIf(nv, w->isFirst);
  mloptNvWaitStoresRead(nv, g->s.splits > 1 ? 0 : MLOPT_MATMUL_STORE_SLOTS - 1);
  mloptNvEndIf(nv, &first);
  mloptNvBarrier(nv, w->barrier, MLOPT_MATMUL_WARPGROUP);
  stageBlock(g, w, slot, fragment);
  mloptNvFenceShared(nv);
  mloptNvBarrier(nv, w->barrier, MLOPT_MATMUL_WARPGROUP);
  first = mloptNvBeginIf(nv, w->isFirst);
  mloptNvStoreBox(nv, g->out, mloptNvAdd(nv, w->slots, slot),
                  g->batched ? 3 : 2, at);
  mloptNvCommitStores(nv);
  mloptNvEndIf(nv, &first);
}

/// The consumer's rows of the tile, block after block through two slots: while
/// TMA reads the one, threads fill the other.
void mloptMatmulStoreTile(MloptMatmul *g, const MloptMatmulConsumer *w,
                          MloptMatmulTile tile, MlirValue turn,
                          MlirValue *fragment) {
  MloptNv *nv = &g->nv;
  int64_t columns = mloptMatmulStoreColumns(&g->c);
  int64_t perSlab = g->s.tile[1] / columns, size = columns / 2;
  MlirValue row = tile.m;
  if (!g->s.alternate)
    row = mloptNvAdd(nv, row,
                     mloptNvMulInt(nv, w->index, g->slabs * MLOPT_NV_MMA_ROWS));
  for (int64_t i = 0; i < mloptMatmulNumBlocks(g); ++i) {
    MlirValue *block = fragment + i * size;
    MloptNvScope owned;
    if (g->s.splits > 1) {
      owned = mloptMatmulBeginOwned(g, w, i);
      mloptMatmulAddSplits(g, w, i, block);
    }
    int64_t inSlab = i % perSlab;
    MlirValue slabRow = mloptNvAddInt(nv, row, i / perSlab * MLOPT_NV_MMA_ROWS);
    if (!g->c.isPlain)
      applyEpilogue(g, slabRow, tile, inSlab * size, (inSlab + 1) * size,
                    block - inSlab * size);
    MlirValue at[] = {mloptNvAddInt(nv, tile.n, inSlab * columns), slabRow,
                      tile.batch};
    storeBlock(g, w, slotOf(g, i, turn), block, at);
    if (g->s.splits > 1)
      mloptNvEndIf(nv, &owned);
  }
}
