//===- emit_matmul_consume.c - What multiplies and stores -----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The consumers of a matrix product's kernel (emit_matmul.c): two warpgroups
// that wait for each stage of the ring, multiply it, and give it back; at the
// end of a tile, they hand their fragment of it to who stores it
// (emit_matmul_store.c) or to another block (emit_matmul_split.c,
// emit_matmul_tail.c).
//
// From a tile's first product to the wait for its last one, nothing reads an
// accumulator, and nothing may become a function call.
//
//===----------------------------------------------------------------------===//

#include "emit_matmul_impl.h"

/// Of 64 rows or columns of a stage.
enum { PIECE_BYTES = 64 * MLOPT_NV_ROW_BYTES };

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static void startConsumer(MloptMatmul *g, MloptMatmulConsumer *w) {
  MloptNv *nv = &g->nv;
  const MloptMatmulShared *s = &g->shared;
  w->index = mloptNvAddInt(nv, g->warpgroup, -1);
  w->barrier = g->warpgroup;
  w->isFirst = mloptNvEqInt(nv, g->thread, 0);
  w->lane = mloptNvAndInt(nv, g->thread, 31);
  MlirValue a = mloptNvInt(nv, s->a);
  if (!g->s.alternate)
    a = mloptMatmulStageOffset(g, w->index, s->a, g->slabs * PIECE_BYTES);
  w->a = mloptMatmulLoadsA(&g->c) ? mloptNvLoadedA(nv, a, g->thread)
                                  : mloptNvDescribe(nv, a, !g->mma.aAlongM);
  w->b = mloptNvDescribe(nv, mloptNvInt(nv, s->b), !g->mma.bAlongN);
  w->slots = mloptMatmulStageOffset(g, w->index, s->store,
                                    MLOPT_MATMUL_STORE_SLOTS * s->storeBytes);
}

/// Consumers that alternate multiply in turn: the tensor cores belong to one,
/// and a wait for a stage's parity is not mistaken by a whole turn of the ring,
/// since all stages before have been waited for. `other` of the two consumers
/// is told to begin.
enum { FIRST_TURN_BARRIER = 3 };

static void awaitTurn(MloptMatmul *g, const MloptMatmulConsumer *w) {
  if (g->s.alternate)
    mloptNvBarrier(&g->nv, mloptNvAddInt(&g->nv, w->index, FIRST_TURN_BARRIER),
                   2 * MLOPT_MATMUL_WARPGROUP);
}

static void giveTurn(MloptMatmul *g, const MloptMatmulConsumer *w) {
  MloptNv *nv = &g->nv;
  MlirValue other = mloptNvXor(nv, w->index, mloptNvInt(nv, 1));
  if (g->s.alternate)
    mloptNvBarrierArrive(nv, mloptNvAddInt(nv, other, FIRST_TURN_BARRIER),
                         2 * MLOPT_MATMUL_WARPGROUP);
}

/// Starts the products of a stage.
static MlirValue multiplyStage(MloptMatmul *g, const MloptMatmulConsumer *w,
                               MloptNvPlace here, MlirValue sum,
                               MlirValue accumulate, int pending) {
  MloptNv *nv = &g->nv;
  mloptNvRingWait(nv, &g->ring, here);
  if (mloptMatmulFills(&g->c) && !g->c.prologue.operations)
    mloptNvFenceShared(nv); // between cp.async and wgmma
  MlirValue a = mloptNvDescriptorAt(
      nv, w->a, mloptNvMulInt(nv, here.stage, g->shared.aBytes));
  MlirValue b = mloptNvDescriptorAt(
      nv, w->b, mloptNvMulInt(nv, here.stage, g->shared.bBytes));
  return mloptNvMmaStage(nv, &g->mma, sum, a, b, accumulate, pending);
}

/// The steps of a tile; one stage of products is under way while the next is
/// started, and a stage is given back when the one after it has started.
static MlirValue multiplyTile(MloptMatmul *g, const MloptMatmulConsumer *w,
                              const MloptMatmulItem *item,
                              MloptNvPlace *place) {
  MloptNv *nv = &g->nv;
  // Registers of no value keep what they hold through the tile's end: too many
  // beside what reductions compute of it, or beside two products' rounded
  // elements; up to 48 registers were spilled. Elsewhere that costs nothing,
  // and zeros up to 4 % (a GELU behind 64 steps on an H200, ptxas 13.0).
  bool isFull = g->c.numOfRows || g->c.numFolds || g->c.roundsSeveral;
  MlirValue none =
      (isFull ? mloptNvAccumulatorZero : mloptNvAccumulatorNone)(nv, &g->mma);
  if (isFull) { // or ptxas sees zeros go from the start to the products' wait
    MlirValue some = mloptBuildCmpI(nv->b, "slt", item->first, item->end);
    mloptNvOp(nv, "llvm.intr.assume", 1, &some,
              "{op_bundle_sizes = array<i32>}");
  }
  // Stage, parity, the stage before, the accumulator.
  MlirValue start[] = {place->stage, place->parity, place->stage, none};
  MlirValue step, in[4], end[4];
  MloptNvScope steps = mloptMatmulBeginSteps(g, item, 4, start, &step, in);
  MloptNvPlace here = {in[0], in[1]};
  MlirValue later =
      mloptNvToInt(nv, mloptBuildCmpI(nv->b, "ne", step, item->first));
  MlirValue sum = multiplyStage(g, w, here, in[3], later, 1);
  mloptNvRingRelease(nv, &g->ring, in[2], w->lane, later);
  MloptNvPlace after = mloptNvRingNext(nv, &g->ring, here);
  MlirValue next[] = {after.stage, after.parity, here.stage, sum};
  mloptNvEndFor(nv, &steps, next, end);
  giveTurn(g, w);
  MlirValue whole = mloptNvMmaFinish(nv, &g->mma, end[3]);
  mloptNvRingRelease(nv, &g->ring, end[2], w->lane, mloptNvInt(nv, 1));
  *place = (MloptNvPlace){end[0], end[1]};
  return whole;
}

/// The same where each stage is summed on its own, and added in f32: the other
/// consumer's products fill the time of the addition.
static MlirValue multiplyPromoted(MloptMatmul *g, const MloptMatmulConsumer *w,
                                  const MloptMatmulItem *item,
                                  MloptNvPlace *place) {
  MloptNv *nv = &g->nv;
  MlirValue start[] = {place->stage, place->parity,
                       mloptNvAccumulatorZero(nv, &g->mma)};
  MlirValue step, in[3], end[3];
  MloptNvScope steps = mloptMatmulBeginSteps(g, item, 3, start, &step, in);
  MloptNvPlace here = {in[0], in[1]};
  MlirValue part = multiplyStage(
      g, w, here, mloptNvAccumulatorNone(nv, &g->mma), mloptNvInt(nv, 0), 0);
  mloptNvRingRelease(nv, &g->ring, here.stage, w->lane, mloptNvInt(nv, 1));
  MloptNvPlace after = mloptNvRingNext(nv, &g->ring, here);
  MlirValue next[] = {after.stage, after.parity,
                      mloptNvMmaAdd(nv, &g->mma, in[2], part)};
  mloptNvEndFor(nv, &steps, next, end);
  giveTurn(g, w);
  *place = (MloptNvPlace){end[0], end[1]};
  return end[2];
}

/// The same where A is loaded into registers, which a stage's products hold
/// until they end: the other consumer's fill the time of the loads.
static MlirValue multiplyLoaded(MloptMatmul *g, const MloptMatmulConsumer *w,
                                const MloptMatmulItem *item,
                                MloptNvPlace *place) {
  MloptNv *nv = &g->nv;
  MlirValue start[] = {place->stage, place->parity,
                       mloptNvAccumulatorNone(nv, &g->mma)};
  MlirValue step, in[3], end[3];
  MloptNvScope steps = mloptMatmulBeginSteps(g, item, 3, start, &step, in);
  MloptNvPlace here = {in[0], in[1]};
  mloptNvRingWait(nv, &g->ring, here);
  MlirValue a =
      mloptNvAdd(nv, w->a, mloptNvMulInt(nv, here.stage, g->shared.aBytes));
  MlirValue b = mloptNvDescriptorAt(
      nv, w->b, mloptNvMulInt(nv, here.stage, g->shared.bBytes));
  MlirValue later =
      mloptNvToInt(nv, mloptBuildCmpI(nv->b, "ne", step, item->first));
  MlirValue sum = mloptNvMmaStageLoaded(nv, &g->mma, in[2], a, b, later);
  mloptNvRingRelease(nv, &g->ring, here.stage, w->lane, mloptNvInt(nv, 1));
  MloptNvPlace after = mloptNvRingNext(nv, &g->ring, here);
  MlirValue next[] = {after.stage, after.parity, sum};
  mloptNvEndFor(nv, &steps, next, end);
  giveTurn(g, w);
  *place = (MloptNvPlace){end[0], end[1]};
  return end[2];
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Code for tiles of contraction `i` alone, to be ended; in branches of it,
/// what the epilogue has computed elsewhere is not known.
static MloptNvScope beginPart(MloptMatmul *g, MloptMatmulTile tile,
                              intptr_t i) {
  mloptMatmulEnter(g, i);
  return mloptNvBeginIf(&g->nv, mloptNvEqInt(&g->nv, tile.part, i));
}

/// The tile, as values that are known from here on only. What is computed from
/// them stays behind: LLVM and ptxas would move an index's division between the
/// products and their wait, and ptxas, which calls a function for it, then
/// forgets that products are under way and reads an accumulator too early,
/// without a warning (seen of ptxas 13.0).
static MloptMatmulTile renewTile(MloptMatmul *g, MloptMatmulTile tile) {
  MloptNv *nv = &g->nv;
  bool batched = false;
  for (intptr_t i = 0; i < g->all.count; ++i)
    batched |= g->all.at[i].sizes[MLOPT_AXIS_BATCH] > 1;
  return (MloptMatmulTile){
      .m = mloptNvRenew(nv, tile.m),
      .n = mloptNvRenew(nv, tile.n),
      .batch = batched ? mloptNvRenew(nv, tile.batch) : tile.batch,
      .part = g->all.count > 1 ? mloptNvRenew(nv, tile.part) : tile.part};
}

/// Where consumers alternate, each passes over the other's stages.
static MloptNvPlace passOver(MloptMatmul *g, MlirValue condition,
                             MloptNvPlace place) {
  MloptNv *nv = &g->nv;
  MloptNvPlace other = mloptNvRingSkip(nv, &g->ring, place, g->steps);
  return (MloptNvPlace){
      mloptBuildSelect(nv->b, condition, other.stage, place.stage),
      mloptBuildSelect(nv->b, condition, other.parity, place.parity)};
}

/// The consumer's tiles, from its first one on.
static MloptNvScope beginConsumerTiles(MloptMatmul *g,
                                       const MloptMatmulConsumer *w,
                                       MlirValue *outNumber,
                                       MlirValue *outCarried) {
  MloptNv *nv = &g->nv;
  MlirValue first = g->firstTile, step = g->tileStep;
  MloptNvPlace place = mloptNvRingFirst(nv);
  if (g->s.alternate) {
    first =
        mloptNvAdd(nv, first, mloptNvArith(nv, "arith.muli", step, w->index));
    step = mloptNvMulInt(nv, step, MLOPT_MATMUL_CONSUMERS);
    MlirValue isSecond = mloptNvEqInt(nv, w->index, 1);
    place = passOver(g, isSecond, place);
    MloptNvScope second = mloptNvBeginIf(nv, isSecond);
    giveTurn(g, w); // the first one begins
    mloptNvEndIf(nv, &second);
  }
  MlirValue start[MLOPT_MATMUL_CARRIED] = {place.stage, place.parity,
                                           mloptNvInt(nv, 0)};
  return mloptMatmulBeginTiles(g, first, step, start, outNumber, outCarried);
}

/// Stores what the consumer has of a tile, or sends it to the block that does.
/// The slots' turn and the place in the ring move on.
static void finishItem(MloptMatmul *g, const MloptMatmulConsumer *w,
                       const MloptMatmulItem *item, MloptMatmulTile tile,
                       MlirValue *fragment, MlirValue *turn,
                       MloptNvPlace *place) {
  MloptNv *nv = &g->nv;
  MlirValue next = mloptMatmulNextTurn(g, *turn);
  if (mlirValueIsNull(item->isSent)) {
    mloptMatmulStoreTile(g, w, tile, *turn, fragment, place);
    *turn = next;
    return;
  }
  MloptNvPlace after = mloptMatmulPassResiduals(g, item, *place);
  MloptPull *pull = g->epilogue.tile.pull;
  MloptPullMark mark = mloptPullMark(pull);
  MloptNvScope sent = mloptNvBeginIf(nv, item->isSent);
  mloptMatmulSendSums(g, w, item, fragment);
  mloptNvElse(nv, &sent);
  mloptMatmulStoreTile(g, w, tile, *turn, fragment, place);
  mloptNvEndIf(nv, &sent);
  mloptPullReset(pull, mark);
  *turn = mloptBuildSelect(nv->b, item->isSent, *turn, next);
  *place = after;
}

/// Exchanges what blocks have of a tile, and stores it, of whichever
/// contraction it is.
static void finishTile(MloptMatmul *g, const MloptMatmulConsumer *w,
                       const MloptMatmulItem *item, MloptMatmulTile tile,
                       MlirValue *fragment, MlirValue *turn,
                       MloptNvPlace *place) {
  MloptNv *nv = &g->nv;
  MloptPull *pull = g->epilogue.tile.pull;
  MlirValue next = *turn;
  for (intptr_t i = 0; i < g->all.count; ++i) {
    MloptPullMark mark = mloptPullMark(pull);
    MloptNvScope part;
    MlirValue own[MLOPT_NV_MMA_MAX_FRAGMENT];
    memcpy(own, fragment, (size_t)mloptNvFragmentSize(&g->mma) * sizeof *own);
    if (g->all.count > 1)
      part = beginPart(g, tile, i);
    if (g->s.splits > 1)
      mloptMatmulExchange(g, w, own);
    if (g->all.count == 1) {
      finishItem(g, w, item, tile, own, turn, place);
      return;
    }
    mloptMatmulStoreTile(g, w, tile, *turn, own, place);
    mloptNvEndIf(nv, &part);
    mloptPullReset(pull, mark);
    next = mloptBuildSelect(nv->b, mloptNvEqInt(nv, tile.part, i),
                            mloptMatmulNextTurn(g, *turn), next);
  }
  *turn = next;
}

void mloptMatmulConsume(MloptMatmul *g) {
  MloptNv *nv = &g->nv;
  mloptMatmulSetRegisters(g, true);
  MloptMatmulConsumer w;
  startConsumer(g, &w);
  mloptMatmulPlaceFragment(g, &w);
  mloptNvWaitForKernels(&g->nv);
  MlirValue number, in[MLOPT_MATMUL_CARRIED], end[MLOPT_MATMUL_CARRIED];
  MloptNvScope tiles = beginConsumerTiles(g, &w, &number, in);
  MloptMatmulItem item = mloptMatmulItemAt(g, number);
  MloptMatmulTile tile = renewTile(g, mloptMatmulLocate(g, item.tile));
  mloptMatmulSkipZeros(g, tile, &item);
  MloptNvPlace place = {in[0], in[1]};
  MlirValue turn = in[2];
  awaitTurn(g, &w);
  MlirValue sum =
      (mloptMatmulPromotes(&g->c) ? multiplyPromoted
       : mloptMatmulLoadsA(&g->c) ? multiplyLoaded
                                  : multiplyTile)(g, &w, &item, &place);
  if (g->s.tail)
    sum = mloptMatmulReceiveSums(g, &w, &item, sum);
  MlirValue fragment[MLOPT_NV_MMA_MAX_FRAGMENT];
  mloptNvMmaFragment(nv, &g->mma, sum, fragment);
  tile = renewTile(g, tile);
  finishTile(g, &w, &item, tile, fragment, &turn, &place);
  if (g->s.alternate)
    place = mloptNvRingSkip(nv, &g->ring, place, g->steps);
  MlirValue next[MLOPT_MATMUL_CARRIED] = {place.stage, place.parity, turn};
  mloptNvEndFor(nv, &tiles, next, end);
  MloptNvScope first = mloptNvBeginIf(nv, w.isFirst);
  mloptNvWaitStoresRead(nv, 0); // the kernel's end waits for the writes
  mloptNvEndIf(nv, &first);
}
