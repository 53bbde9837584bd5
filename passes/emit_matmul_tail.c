//===- emit_matmul_tail.c - Tiles of the last round that blocks share -----===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the last round of tiles has not one for every block, the blocks without
// one compute the last steps of the others' tiles, one after the other, such
// that all end at about the same time:
//
//   block 0   | tile 0 | tile 4 | end of 8, of 9      its sums, through memory
//   block 1   | tile 1 | tile 5 | end of 10           |
//   block 2   | tile 2 | tile 6 | tile 8  ..          v  + the end of 8
//   block 3   | tile 3 | tile 7 | tile 9  ..             + the end of 9
//
// All owners begin their tiles with the first step, as in every round, so that
// rows of A and B are read by many of them at once, from L2. What is sent are
// the registers of a warpgroup in groups of four, neighbouring threads side by
// side, then a flag; the owner adds it to its own sums, always in this order. A
// block waits only for one of a lower number, which was started before it, even
// if not all run at once.
//
//===----------------------------------------------------------------------===//

#include "emit_matmul_impl.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdio.h>

enum { GROUP = 4, REGISTER_BYTES = 4 };

void mloptMatmulBeginTail(MloptMatmul *g) {
  MloptNv *nv = &g->nv;
  const MloptMatmulTail *t = &g->tail;
  MlirValue block = mloptNvRegister(nv, "ctaid.x"), zero = mloptNvInt(nv, 0);
  MlirValue helpers = mloptNvInt(nv, t->helpers);
  MlirValue tiles = mloptNvInt(nv, t->tiles);
  g->isOwner = mloptBuildCmpI(nv->b, "uge", block, helpers);
  MlirValue owned = mloptNvArith(nv, "arith.subi", block, helpers);
  MlirValue first = mloptNvMin(nv, mloptNvMulInt(nv, block, t->each), tiles);
  MlirValue count = mloptNvMin(nv, mloptNvArith(nv, "arith.subi", tiles, first),
                               mloptNvInt(nv, t->each));
  g->firstOfTail = mloptBuildSelect(nv->b, g->isOwner, owned, first);
  g->items = mloptNvAddInt(
      nv, mloptBuildSelect(nv->b, g->isOwner, mloptNvInt(nv, 1), count),
      t->rounds);
  g->firstTile = zero;
  g->tileStep = mloptNvInt(nv, 1);
}

MloptMatmulItem mloptMatmulItemAt(MloptMatmul *g, MlirValue number) {
  MloptNv *nv = &g->nv;
  const MloptMatmulTail *t = &g->tail;
  MloptMatmulItem item = {
      .tile = number, .first = g->firstStep, .end = g->endStep};
  if (!g->s.tail)
    return item;
  MlirValue zero = mloptNvInt(nv, 0), all = mloptNvInt(nv, g->steps);
  MlirValue some = mloptNvInt(nv, t->firstSteps);
  MlirValue isTail =
      mloptBuildCmpI(nv->b, "uge", number, mloptNvInt(nv, t->rounds));
  MlirValue whole = mloptNvAdd(nv, mloptNvRegister(nv, "ctaid.x"),
                               mloptNvMulInt(nv, number, t->blocks));
  item.inTail =
      mloptNvAddInt(nv, mloptNvAdd(nv, number, g->firstOfTail), -t->rounds);
  item.tile = mloptBuildSelect(
      nv->b, isTail, mloptNvAddInt(nv, item.inTail, t->rounds * t->blocks),
      whole);
  item.isReceived = mloptNvArith(nv, "arith.andi", isTail, g->isOwner);
  item.isSent = mloptNvArith(nv, "arith.xori", isTail, item.isReceived);
  item.first = mloptBuildSelect(nv->b, item.isSent, some, zero);
  item.end = mloptBuildSelect(nv->b, item.isReceived, some, all);
  return item;
}

MloptNvPlace mloptMatmulPassResiduals(MloptMatmul *g,
                                      const MloptMatmulItem *item,
                                      MloptNvPlace place) {
  MloptNv *nv = &g->nv;
  MloptNvPlace after =
      mloptNvRingSkip(nv, &g->ring, place, g->residuals.stages);
  return (MloptNvPlace){
      mloptBuildSelect(nv->b, item->isSent, place.stage, after.stage),
      mloptBuildSelect(nv->b, item->isSent, place.parity, after.parity)};
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// The number of the consumer's part of an item among those of the tail.
static MlirValue numberOf(MloptMatmul *g, const MloptMatmulConsumer *w,
                          const MloptMatmulItem *item) {
  return mloptNvAdd(&g->nv,
                    mloptNvMulInt(&g->nv, item->inTail, MLOPT_MATMUL_CONSUMERS),
                    w->index);
}

/// `offset` bytes behind a scratch parameter, counted from the last one.
static MlirValue addressIn(MloptMatmul *g, intptr_t fromEnd, MlirValue offset) {
  MloptNv *nv = &g->nv;
  MlirValue pointer = mlirBlockGetArgument(
      g->parameters, mlirBlockGetNumArguments(g->parameters) - fromEnd);
  MlirValue base =
      mloptNvValue(nv, "llvm.ptrtoint", 1, &pointer, nv->i64, NULL);
  return mloptNvAdd(nv, base,
                    mloptBuildUnary(nv->b, "arith.extui", offset, nv->i64));
}

static MlirValue flagOf(MloptMatmul *g, const MloptMatmulConsumer *w,
                        const MloptMatmulItem *item) {
  return addressIn(g, 1,
                   mloptNvMulInt(&g->nv, numberOf(g, w, item), REGISTER_BYTES));
}

/// Between groups of a thread.
static int groupStride(void) {
  return GROUP * REGISTER_BYTES * MLOPT_MATMUL_WARPGROUP;
}

/// This thread's first group of an item's sums.
static MlirValue sumsOf(MloptMatmul *g, const MloptMatmulConsumer *w,
                        const MloptMatmulItem *item) {
  MloptNv *nv = &g->nv;
  int64_t bytes = mloptNvFragmentSize(&g->mma) / GROUP * groupStride();
  MlirValue offset =
      mloptNvAdd(nv, mloptNvMulInt(nv, numberOf(g, w, item), bytes),
                 mloptNvMulInt(nv, g->thread, (int64_t)GROUP * REGISTER_BYTES));
  return addressIn(g, 2, offset);
}

void mloptMatmulSendSums(MloptMatmul *g, const MloptMatmulConsumer *w,
                         const MloptMatmulItem *item,
                         const MlirValue *fragment) {
  MloptNv *nv = &g->nv;
  MlirValue operands[GROUP + 1] = {sumsOf(g, w, item)};
  for (int64_t r = 0; r < mloptNvFragmentSize(&g->mma); r += GROUP) {
    char ptx[64];
    snprintf(ptx, sizeof ptx, "st.global.v4.b32 [$0+%d], {$1, $2, $3, $4};",
             (int)(r / GROUP) * groupStride());
    memcpy(operands + 1, fragment + r, GROUP * sizeof *operands);
    mloptNvPtx(nv, ptx,
               g->mma.isInteger ? "l,r,r,r,r,~{memory}" : "l,f,f,f,f,~{memory}",
               GROUP + 1, operands, (MlirType){NULL});
  }
  mloptNvBarrier(nv, w->barrier, MLOPT_MATMUL_WARPGROUP);
  MloptNvScope first = mloptNvBeginIf(nv, w->isFirst);
  MlirValue flag = flagOf(g, w, item);
  mloptNvPtx(nv, "st.release.gpu.global.b32 [$0], 1;", "l,~{memory}", 1, &flag,
             (MlirType){NULL});
  mloptNvEndIf(nv, &first);
}

/// Waits until an item's sums are there.
static void awaitSums(MloptMatmul *g, const MloptMatmulConsumer *w,
                      const MloptMatmulItem *item) {
  MloptNv *nv = &g->nv;
  MloptNvScope first = mloptNvBeginIf(nv, w->isFirst);
  MlirValue flag = flagOf(g, w, item);
  mloptNvPtx(nv,
             "{ .reg .pred done; .reg .b32 flag;"
             " again: ld.acquire.gpu.global.b32 flag, [$0];"
             " setp.ne.b32 done, flag, 0;"
             " @done bra go;"
             " bra again;"
             " go: }",
             "l,~{memory}", 1, &flag, (MlirType){NULL});
  mloptNvEndIf(nv, &first);
  mloptNvBarrier(nv, w->barrier, MLOPT_MATMUL_WARPGROUP);
}

/// The sums that were sent, as an accumulator.
static MlirValue loadSums(MloptMatmul *g, MlirValue from) {
  MloptNv *nv = &g->nv;
  MlirType type = g->mma.isInteger ? nv->i32 : nv->f32;
  MlirType types[] = {type, type, type, type};
  MlirType four =
      mlirLLVMStructTypeLiteralGet(nv->b->context, GROUP, types, false);
  MlirValue fragment[MLOPT_NV_MMA_MAX_FRAGMENT];
  for (int64_t r = 0; r < mloptNvFragmentSize(&g->mma); r += GROUP) {
    char ptx[64];
    snprintf(ptx, sizeof ptx, "ld.global.v4.b32 {$0, $1, $2, $3}, [$4+%d];",
             (int)(r / GROUP) * groupStride());
    MlirValue all = mloptNvPtx(nv, ptx,
                               g->mma.isInteger ? "=r,=r,=r,=r,l,~{memory}"
                                                : "=f,=f,=f,=f,l,~{memory}",
                               1, &from, four);
    for (int i = 0; i < GROUP; ++i) {
      char position[48];
      snprintf(position, sizeof position, "{position = array<i64: %d>}", i);
      fragment[r + i] =
          mloptNvValue(nv, "llvm.extractvalue", 1, &all, type, position);
    }
  }
  return mloptNvAccumulatorFrom(nv, &g->mma, fragment);
}

MlirValue mloptMatmulReceiveSums(MloptMatmul *g, const MloptMatmulConsumer *w,
                                 const MloptMatmulItem *item, MlirValue sum) {
  MloptNv *nv = &g->nv;
  MlirValue turn, own, whole;
  // Of one turn or none: a branch with a result.
  MloptNvScope once =
      mloptNvBeginFor(nv, mloptNvInt(nv, 0), mloptNvToInt(nv, item->isReceived),
                      mloptNvInt(nv, 1), 1, &sum, &turn, &own);
  awaitSums(g, w, item);
  MlirValue both =
      mloptNvMmaAdd(nv, &g->mma, own, loadSums(g, sumsOf(g, w, item)));
  mloptNvEndFor(nv, &once, &both, &whole);
  return whole;
}
