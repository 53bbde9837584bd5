//===- emit_matmul_residual.c - What is added to products -----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A residual is as large as the product. The producer loads a tile's part of it
// into the ring, behind the tile's last step, so that it is there when the
// products are:
//
//   | A, B step n-1 | A, B step n | blocks 0 1 | blocks 2 3 | A, B step 0 of ..
//
// A stage holds blocks of both consumers, each 64 rows of 128 bytes for a box,
// swizzled as in a store slot; of a consumer, the first boxes lie in the
// stage's part for A, the others in that for B. A thread reads its fragment as
// it stages what it stores.
//
//===----------------------------------------------------------------------===//

#include "emit_matmul_impl.h"

#include "nv_mma.h"

#include "mlir-c/Dialect/LLVM.h"

enum { BOX_BYTES = MLOPT_NV_MMA_ROWS * MLOPT_NV_ROW_BYTES };

static bool isLoaded(const MloptMatmul *g, intptr_t residual) {
  return mloptMatmulIsMap(&g->c, &g->s, g->c.residuals[residual].parameter);
}

static MlirValue mapOf(const MloptMatmul *g, const MloptOutput *residual) {
  return mlirBlockGetArgument(g->parameters, residual->parameter);
}

/// Where box `i` of a consumer lies in a stage.
static MlirValue boxOffset(MloptMatmul *g, MlirValue stage, MlirValue consumer,
                           int64_t i) {
  MloptNv *nv = &g->nv;
  int64_t ofA, ofB;
  mloptMatmulStageBoxes(&g->s, &ofA, &ofB);
  bool isInA = i < ofA;
  int64_t start = isInA ? g->shared.a : g->shared.b;
  int64_t bytes = isInA ? g->shared.aBytes : g->shared.bBytes;
  int64_t box = isInA ? i : i - ofA;
  MlirValue offset =
      mloptNvAdd(nv, mloptNvMulInt(nv, stage, bytes),
                 mloptNvMulInt(nv, consumer, (isInA ? ofA : ofB) * BOX_BYTES));
  return mloptNvAddInt(nv, offset, start + box * BOX_BYTES);
}

//===----------------------------------------------------------------------===//
// The producer
//===----------------------------------------------------------------------===//

/// The boxes of a consumer's block, from the stage's box `first` on.
static void loadBlock(MloptMatmul *g, MloptMatmulTile tile, int64_t consumer,
                      int64_t block, MlirValue stage, int64_t first,
                      MlirValue barrier) {
  MloptNv *nv = &g->nv;
  MlirValue axes[MLOPT_NUM_AXES], at[MLOPT_PLACE_MAX_DIGITS];
  MlirValue row =
      mloptNvAddInt(nv, tile.m, consumer * g->slabs * MLOPT_NV_MMA_ROWS);
  mloptMatmulBlockAxes(g, tile, row, block, axes);
  MlirValue column = axes[MLOPT_AXIS_N];
  for (intptr_t r = 0; r < g->c.numResiduals; ++r) {
    const MloptOutput *residual = &g->c.residuals[r];
    int64_t columns = mloptMatmulStoreColumns(residual);
    if (!isLoaded(g, r))
      continue;
    for (int64_t c = 0; c < mloptMatmulBlockColumns(&g->c); c += columns) {
      axes[MLOPT_AXIS_N] = mloptNvAddInt(nv, column, c);
      intptr_t rank = mloptBoxOfOutput(nv, &g->c, residual, axes, at);
      MlirValue offset = boxOffset(g, stage, mloptNvInt(nv, consumer), first++);
      mloptNvLoadBox(nv, &(MloptNvBox){.map = mapOf(g, residual),
                                       .offset = offset,
                                       .barrier = barrier,
                                       .rank = rank,
                                       .at = at});
    }
  }
}

void mloptMatmulLoadResiduals(MloptMatmul *g, MloptMatmulTile tile,
                              MloptNvPlace *place) {
  const MloptMatmulResiduals *r = &g->residuals;
  int64_t numBlocks = mloptMatmulConsumerBlocks(&g->c, &g->s);
  for (int64_t first = 0; r->boxes && first < numBlocks; first += r->blocks) {
    int64_t left = numBlocks - first;
    int64_t count = left < r->blocks ? left : r->blocks;
    MlirValue barrier = mloptNvRingAcquire(&g->nv, &g->ring, *place,
                                           MLOPT_MATMUL_CONSUMERS * count *
                                               r->boxes * BOX_BYTES);
    for (int64_t consumer = 0; consumer < MLOPT_MATMUL_CONSUMERS; ++consumer)
      for (int64_t i = 0; i < count; ++i)
        loadBlock(g, tile, consumer, first + i, place->stage, i * r->boxes,
                  barrier);
    *place = mloptNvRingNext(&g->nv, &g->ring, *place);
  }
}

//===----------------------------------------------------------------------===//
// The consumers
//===----------------------------------------------------------------------===//

/// 16 columns of 16 bits: eight elements of this thread.
static void readHalves(MloptNv *nv, MlirType element, MlirValue address,
                       MlirValue *out) {
  MlirValue words[4];
  mloptNvLoadMatrices(nv, address, 0, false, words);
  const int64_t lanes[] = {2};
  MlirType pair = mlirVectorTypeGet(1, lanes, element);
  for (int i = 0; i < 8 && !nv->b->failed; ++i) {
    MlirValue operands[] = {
        mloptBuildUnary(nv->b, "llvm.bitcast", words[i / 2], pair),
        mloptNvInt(nv, i % 2)};
    out[i] =
        mloptNvValue(nv, "llvm.extractelement", 2, operands, element, NULL);
  }
}

/// Eight columns of 32 bits: four elements.
static void readWords(MloptNv *nv, MlirType element, MlirValue address,
                      MlirValue *out) {
  bool isFloat = mlirTypeIsAF32(element);
  MlirType types[] = {element, element};
  MlirType pair = mlirLLVMStructTypeLiteralGet(nv->b->context, 2, types, false);
  for (int i = 0; i < 4; ++i) {
    MlirValue from = mloptNvAddInt(nv, address, i / 2 * 8 * MLOPT_NV_ROW_BYTES);
    MlirValue both;
    if (i % 2 == 0)
      both = mloptNvPtx(nv, "ld.shared.v2.b32 {$0, $1}, [$2];",
                        isFloat ? "=f,=f,r,~{memory}" : "=r,=r,r,~{memory}", 1,
                        &from, pair);
    out[i] = mloptNvValue(nv, "llvm.extractvalue", 1, &both, element,
                          i % 2 ? "{position = array<i64: 1>}"
                                : "{position = array<i64: 0>}");
  }
}

/// A box of a residual: the elements of this thread, in the fragment's order.
static void readBox(MloptMatmul *g, const MloptMatmulConsumer *w,
                    const MloptOutput *residual, MlirValue box,
                    MlirValue *out) {
  MloptNv *nv = &g->nv;
  MlirType element = mloptElementType(residual->type);
  bool halves = mloptElementWidth(element) == 16;
  for (int i = 0; i < 4; ++i) {
    MlirValue at = mloptNvAdd(nv, halves ? w->halves[i] : w->words[i], box);
    MlirValue address = mloptNvAddress(nv, mloptNvShared(nv, at));
    if (halves)
      readHalves(nv, element, address, out + (intptr_t)8 * i);
    else
      readWords(nv, element, address, out + (intptr_t)4 * i);
  }
}

void mloptMatmulReadResiduals(
    MloptMatmul *g, const MloptMatmulConsumer *w, int64_t block,
    MloptNvPlace *place,
    MlirValue out[MLOPT_MAX_RESIDUALS][MLOPT_MATMUL_MOST_ELEMENTS]) {
  MloptNv *nv = &g->nv;
  const MloptMatmulResiduals *r = &g->residuals;
  memset(out, 0, MLOPT_MAX_RESIDUALS * sizeof *out);
  if (!r->boxes)
    return;
  int64_t inStage = block % r->blocks, box = inStage * r->boxes;
  if (inStage == 0)
    mloptNvRingWait(nv, &g->ring, *place);
  for (intptr_t i = 0; i < g->c.numResiduals; ++i) {
    int64_t columns = mloptMatmulStoreColumns(&g->c.residuals[i]);
    if (!isLoaded(g, i))
      continue;
    for (int64_t c = 0; c < mloptMatmulBlockColumns(&g->c); c += columns)
      readBox(g, w, &g->c.residuals[i],
              boxOffset(g, place->stage, w->index, box++), &out[i][c / 2]);
  }
  if (inStage + 1 < r->blocks &&
      block + 1 < mloptMatmulConsumerBlocks(&g->c, &g->s))
    return;
  // All lanes have read before one says so.
  mloptNvPtx(nv, "bar.warp.sync -1;", "~{memory}", 0, NULL, (MlirType){NULL});
  mloptNvRingRelease(nv, &g->ring, place->stage, w->lane, mloptNvInt(nv, 1));
  *place = mloptNvRingNext(nv, &g->ring, *place);
}
