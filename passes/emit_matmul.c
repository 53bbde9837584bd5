//===- emit_matmul.c - Kernels of matrix products -------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C[b, m, n] = sum over k of A[b, m, k] * B[b, n, k] on wgmma and TMA. Each
// block walks over tiles, its number plus a multiple of the number of blocks:
//
//            n
//        +-------+            warpgroup 0   one thread starts the loads, k
//        after |   B   | k                        k, tile after tile
//        +-------+            warpgroup 1   the upper half of a tile's rows
//   +---+--------+            warpgroup 2   the lower half
//   |   | 1      |
// m | A |--------|            Warpgroups 1 and 2 multiply, then convert, stage
//   |   | 2      |            and store, while warpgroup 0 loads the next tile.
//   +---+--------+            Where they alternate, each takes every other tile
//     k                       whole, and one multiplies while the other stores.
//
// Where the program computes a factor, the whole of warpgroup 0 fills its part
// of the stages (emit_matmul_fill.c).
//
// In a last round that is not full, blocks may share tiles
// (emit_matmul_tail.c).
//
// Products that share a factor, but no tile, have their tiles one after another
// in one list:
//
//   | of A * B1: 0 .. 63 | of A * B2: 64 .. 79 | of A * B3: 80 .. 95 |
//
// Steps are alike but for the tensor maps that the producer reads by; consumers
// branch for what a tile's products store.
//
// A cluster is blocks one below the other, whose tiles share their columns:
// each loads its part of B into all of them.
//
// Shared memory, everything aligned to 1,024 bytes but the barriers:
//
//   | A stage 0 .. S-1 | B stage 0 .. S-1 | store slots of 1, of 2 | barriers |
//
// A stage holds 128 bytes along k of both factors, with the 128-byte swizzle,
// in the layout that nv_wgmma.h says. A store slot holds 64 rows of 128 bytes
// of C, swizzled alike. What a tile has beyond the edges of A, B and C, TMA
// reads as zero and does not write, so that no size need be a multiple of
// anything.
//
// Registers: the accumulator alone takes 128 of each thread in warpgroups 1 and
// 2, so warpgroup 0 gives its own away.
//
//===----------------------------------------------------------------------===//

#include "emit_matmul.h"

#include "diagonal.h"
#include "emit_matmul_impl.h"
#include "target.h"

enum {
  PIECE = 64, ///< rows or columns of a box
  PIECE_BYTES = PIECE * MLOPT_NV_ROW_BYTES,
};

//===----------------------------------------------------------------------===//
// Set-up
//===----------------------------------------------------------------------===//

static void readThreads(MloptMatmul *g) {
  MloptNv *nv = &g->nv;
  MlirValue thread = mloptNvRegister(nv, "tid.x");
  g->isFirst = mloptNvEqInt(nv, thread, 0);
  g->thread = mloptNvAndInt(nv, thread, MLOPT_MATMUL_WARPGROUP - 1);
  g->warpgroup = mloptNvUniform(nv, mloptNvShrInt(nv, thread, 7));
  g->firstTile = mloptNvRegister(nv, "ctaid.x");
  g->tileStep = mloptNvRegister(nv, "nctaid.x");
  int64_t blocks = mloptMatmulBlocks(&g->s);
  if (g->s.tail)
    mloptMatmulBeginTail(g);
  if (blocks == 1)
    return;
  g->rank = mloptNvRegister(nv, "cluster.ctarank");
  g->firstTile = mloptNvDivInt(nv, g->firstTile, blocks);
  g->tileStep = mloptNvDivInt(nv, g->tileStep, blocks);
}

/// No block may load into another before its barriers are set, or after it has
/// ended.
static void meet(MloptMatmul *g) {
  if (g->s.cluster > 1)
    mloptNvClusterBarrier(&g->nv, true);
}

static void initialise(MloptMatmul *g) {
  MloptNv *nv = &g->nv;
  MloptNvScope once = mloptNvBeginIf(nv, g->isFirst);
  for (intptr_t i = 0, n = mlirBlockGetNumArguments(g->parameters); i < n; ++i)
    if (mloptMatmulIsMapOfAny(&g->all, &g->s, i))
      mloptNvPrefetchMap(nv, mlirBlockGetArgument(g->parameters, i));
  mloptNvRingInit(nv, &g->ring);
  mloptNvEndIf(nv, &once);
  mloptNvOp(nv, "nvvm.barrier0", 0, NULL, NULL);
  meet(g);
}

/// Of the 3 * 168 that the launch gives 128 lanes, 40 + 2 * 232, or where the
/// producer's threads fill stages, 104 + 2 * 200.
static void setRegisters(MloptMatmul *g, bool increase) {
  static const char *const texts[2][2] = {
      {"{action = #nvvm<action decrease>, regCount = 40 : i32}",
       "{action = #nvvm<action increase>, regCount = 232 : i32}"},
      {"{action = #nvvm<action decrease>, regCount = 104 : i32}",
       "{action = #nvvm<action increase>, regCount = 200 : i32}"}};
  mloptNvOp(&g->nv, "nvvm.setmaxregister", 0, NULL,
            texts[mloptMatmulFills(&g->c)][increase]);
}

/// Whether tiles leave out steps in which a factor is zero. Blocks that share a
/// tile, consumers that pass over each other's stages and stages that are
/// filled at once know their steps beforehand.
static bool skipsZeros(const MloptMatmul *g) {
  return g->c.diagonal.isKnown && g->s.splits == 1 && !g->s.alternate &&
         !g->s.tail;
}

void mloptMatmulEnter(MloptMatmul *g, intptr_t i) {
  int64_t total;
  g->c = g->all.at[i];
  g->batched = g->c.sizes[MLOPT_AXIS_BATCH] > 1;
  g->residuals = mloptMatmulLoadsResiduals(&g->c, &g->s);
  mloptMatmulTiles(&g->c, &g->s, &g->tilesM, &g->tilesN, &total);
}

/// The tile of a number among those of one contraction: batch after batch, in
/// each band after band of rows of tiles, in each column after column, so that
/// blocks that run side by side share rows of A and columns of B in L2.
static MloptMatmulTile locateIn(MloptMatmul *g, MlirValue number) {
  MloptNv *nv = &g->nv;
  int64_t perBand = g->s.band * g->tilesN;
  MloptMatmulTile tile = {.batch = mloptNvInt(nv, 0)};
  if (g->batched) {
    tile.batch = mloptNvDivInt(nv, number, g->tilesM * g->tilesN);
    number = mloptNvRemInt(nv, number, g->tilesM * g->tilesN);
  }
  MlirValue first =
      mloptNvMulInt(nv, mloptNvDivInt(nv, number, perBand), g->s.band);
  MlirValue inBand = mloptNvRemInt(nv, number, perBand);
  MlirValue left =
      mloptNvArith(nv, "arith.subi", mloptNvInt(nv, g->tilesM), first);
  MlirValue rows = mloptNvMin(nv, left, mloptNvInt(nv, g->s.band));
  MlirValue row = mloptNvArith(nv, "arith.remui", inBand, rows);
  MlirValue column = mloptNvArith(nv, "arith.divui", inBand, rows);
  row = mloptNvAdd(nv, first, row);
  // Batches by turns from either end, since tiles differ in their steps.
  if (skipsZeros(g) && g->batched && g->c.diagonal.axis == MLOPT_AXIS_M) {
    MlirValue isOdd = mloptNvEqInt(nv, mloptNvAndInt(nv, tile.batch, 1), 1);
    MlirValue last = mloptNvInt(nv, g->tilesM - 1);
    row = mloptBuildSelect(nv->b, isOdd,
                           mloptNvArith(nv, "arith.subi", last, row), row);
  }
  if (g->s.cluster > 1)
    row = mloptNvAdd(nv, mloptNvMulInt(nv, row, g->s.cluster), g->rank);
  tile.m = mloptNvMulInt(nv, row, g->s.tile[0]);
  tile.n = mloptNvMulInt(nv, column, mloptMatmulProductColumns(&g->c, &g->s));
  return tile;
}

/// The tile of a number in the list of all contractions' tiles.
static MloptMatmulTile locate(MloptMatmul *g, MlirValue number) {
  MloptNv *nv = &g->nv;
  if (g->all.count == 1)
    return locateIn(g, number);
  MloptMatmulTile tile;
  int64_t first = 0;
  for (intptr_t i = 0; i < g->all.count; ++i) {
    mloptMatmulEnter(g, i);
    int64_t end = first + g->tilesM * g->tilesN * g->c.sizes[MLOPT_AXIS_BATCH];
    // Elsewhere a number in range, as divisions want it.
    MlirValue isBehind =
        mloptBuildCmpI(nv->b, "uge", number, mloptNvInt(nv, first));
    MlirValue own = mloptBuildSelect(
        nv->b, isBehind, mloptNvAddInt(nv, number, -first), mloptNvInt(nv, 0));
    own = mloptNvMin(nv, own, mloptNvInt(nv, end - first - 1));
    MloptMatmulTile here = locateIn(g, own);
    here.part = mloptNvInt(nv, i);
    MlirValue *to[] = {&tile.m, &tile.n, &tile.batch, &tile.part};
    const MlirValue from[] = {here.m, here.n, here.batch, here.part};
    for (int j = 0; j < MLOPT_COUNT(from); ++j)
      *to[j] = i ? mloptBuildSelect(nv->b, isBehind, from[j], *to[j]) : from[j];
    first = end;
  }
  return tile;
}

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

enum { CARRIED = 3 }; ///< stage, parity, and what a consumer's `turn` is

/// The tiles from `first` on, or the block's items; both roles walk them with a
/// place in the ring.
static MloptNvScope beginTiles(MloptMatmul *g, MlirValue first, MlirValue step,
                               const MlirValue *start, MlirValue *outNumber,
                               MlirValue *outCarried) {
  MlirValue end = g->s.tail ? g->items : mloptNvInt(&g->nv, g->total);
  return mloptNvBeginFor(&g->nv, first, end, step, CARRIED, start, outNumber,
                         outCarried);
}

/// Leaves the steps in which no factor is zero for the whole tile, but one at
/// least, whose products an accumulator starts with.
static void skipZeros(MloptMatmul *g, MloptMatmulTile tile,
                      MloptMatmulItem *item) {
  MloptNv *nv = &g->nv;
  const MloptDiagonal *d = &g->c.diagonal;
  if (!skipsZeros(g))
    return;
  bool isN = d->axis == MLOPT_AXIS_N;
  mloptDiagonalNarrow(nv, d, isN ? tile.n : tile.m, g->s.tile[isN],
                      g->s.tile[2], &item->first, &item->end);
  if (d->isFrom)
    item->first = mloptNvMin(nv, item->first, mloptNvInt(nv, g->steps - 1));
  else
    item->end = mloptNvArith(nv, "arith.maxsi", item->end, mloptNvInt(nv, 1));
}

static MloptNvScope beginSteps(MloptMatmul *g, const MloptMatmulItem *item,
                               intptr_t numCarried, const MlirValue *start,
                               MlirValue *outStep, MlirValue *outCarried) {
  return mloptNvBeginFor(&g->nv, item->first, item->end, mloptNvInt(&g->nv, 1),
                         numCarried, start, outStep, outCarried);
}

//===----------------------------------------------------------------------===//
// The producer
//===----------------------------------------------------------------------===//

/// The residuals of a tile, unless another block stores it.
static void loadResiduals(MloptMatmul *g, MloptMatmulTile tile,
                          const MloptMatmulItem *item, MlirValue *place) {
  MloptNv *nv = &g->nv;
  if (!g->residuals.boxes)
    return;
  MloptNvPlace behind = {place[0], place[1]};
  bool isStored = mlirValueIsNull(item->isSent);
  MloptNvPlace after = behind;
  MloptNvScope stored;
  if (!isStored) {
    after = mloptMatmulPassResiduals(g, item, behind);
    stored =
        mloptNvBeginIf(nv, mloptNvEqInt(nv, mloptNvToInt(nv, item->isSent), 0));
  }
  mloptMatmulLoadResiduals(g, tile, &behind);
  if (!isStored)
    mloptNvEndIf(nv, &stored);
  else
    after = behind;
  place[0] = after.stage;
  place[1] = after.parity;
}

/// The steps of an item, each when its stage is empty, and its residuals;
/// updates the place in the ring.
static void loadSteps(MloptMatmul *g, MloptMatmulTile tile,
                      const MloptMatmulItem *item, MlirValue *place) {
  MloptNv *nv = &g->nv;
  MlirValue step, in[2];
  MloptNvScope steps = beginSteps(g, item, 2, place, &step, in);
  MloptNvPlace here = {in[0], in[1]};
  MlirValue barrier = mloptNvRingAcquire(nv, &g->ring, here,
                                         g->shared.aBytes + g->shared.bBytes);
  mloptMatmulLoadA(g, tile, step, here.stage, barrier);
  mloptMatmulLoadB(g, tile, step, here.stage, barrier);
  MloptNvPlace after = mloptNvRingNext(nv, &g->ring, here);
  MlirValue next[] = {after.stage, after.parity};
  mloptNvEndFor(nv, &steps, next, place);
  loadResiduals(g, tile, item, place);
}

/// What the kernels before this one have written may be read, and what they
/// read written, from here on. Before, the kernel is set up beside them.
static void waitForKernels(MloptMatmul *g) {
  mloptNvOp(&g->nv, "nvvm.griddepcontrol", 0, NULL,
            "{kind = #nvvm<grid_dep_action wait>}");
}

/// The stages that can be filled at once with the block's only tile, or 0 if it
/// has more tiles or both factors come from kernels.
static int64_t stagesAtOnce(const MloptMatmul *g) {
  int64_t steps = g->steps / g->s.splits;
  bool isOnlyTile =
      g->total * mloptMatmulBlocks(&g->s) <= mloptSm90.multiprocessors;
  if (!isOnlyTile || mloptMatmulFills(&g->c) || !(g->isInputA || g->isInputB) ||
      skipsZeros(g))
    return 0;
  return steps < g->s.stages ? steps : g->s.stages;
}

static void loadIfInput(MloptMatmul *g, MloptMatmulTile tile, MlirValue step,
                        MlirValue stage, MlirValue barrier, bool isInput) {
  if (g->isInputA == isInput)
    mloptMatmulLoadA(g, tile, step, stage, barrier);
  if (g->isInputB == isInput)
    mloptMatmulLoadB(g, tile, step, stage, barrier);
}

/// The first stages of the block's only tile: inputs of the program, before the
/// kernels before this one have ended, and then the rest.
static void fillStages(MloptMatmul *g, MloptMatmulTile tile, int64_t count) {
  MloptNv *nv = &g->nv;
  for (int isInput = 1; isInput >= 0; --isInput) {
    MlirValue i, none[1];
    MloptNvScope stages =
        mloptNvBeginFor(nv, mloptNvInt(nv, 0), mloptNvInt(nv, count),
                        mloptNvInt(nv, 1), 0, none, &i, none);
    MlirValue barrier =
        isInput ? mloptNvRingExpect(nv, &g->ring, i,
                                    g->shared.aBytes + g->shared.bBytes)
                : mloptNvRingBarrier(nv, &g->ring, i);
    loadIfInput(g, tile, mloptNvAdd(nv, g->firstStep, i), i, barrier, isInput);
    mloptNvEndFor(nv, &stages, none, none);
    if (isInput)
      waitForKernels(g);
  }
}

/// One thread walks over tiles and steps, or all of the warpgroup, which fill
/// a part of each stage.
static void emitProducer(MloptMatmul *g) {
  MloptNv *nv = &g->nv;
  bool fills = mloptMatmulFills(&g->c);
  setRegisters(g, false);
  MloptNvScope one;
  if (!fills)
    one = mloptNvBeginIf(nv, g->isFirst);
  int64_t atOnce = stagesAtOnce(g);
  if (atOnce) {
    MloptMatmulTile tile = locate(g, g->firstTile);
    fillStages(g, tile, atOnce);
    bool wraps = atOnce == g->s.stages;
    MlirValue place[] = {mloptNvInt(nv, wraps ? 0 : atOnce),
                         mloptNvInt(nv, wraps)};
    MloptMatmulItem rest = {.first = mloptNvAddInt(nv, g->firstStep, atOnce),
                            .end = g->endStep};
    loadSteps(g, tile, &rest, place);
  } else {
    waitForKernels(g);
    MloptNvPlace first = mloptNvRingFirst(nv);
    MlirValue start[CARRIED] = {first.stage, first.parity, mloptNvInt(nv, 0)};
    MlirValue number, place[CARRIED], end[CARRIED];
    MloptNvScope tiles =
        beginTiles(g, g->firstTile, g->tileStep, start, &number, place);
    MloptMatmulItem item = mloptMatmulItemAt(g, number);
    MloptMatmulTile tile = locate(g, item.tile);
    skipZeros(g, tile, &item);
    (fills ? mloptMatmulFill : loadSteps)(g, tile, &item, place);
    mloptNvEndFor(nv, &tiles, place, end);
  }
  if (!fills)
    mloptNvEndIf(nv, &one);
  // Consumers meet twice in mloptMatmulExchange.
  for (int i = 0; g->s.splits > 1 && i < 2; ++i)
    mloptNvClusterBarrier(nv, false);
}

//===----------------------------------------------------------------------===//
// The consumers: products
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
  w->a = mloptNvDescribe(nv, a, !g->mma.aAlongM);
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
  // Stage, parity, the stage before, the accumulator.
  MlirValue start[] = {place->stage, place->parity, place->stage,
                       mloptNvAccumulatorNone(nv, &g->mma)};
  MlirValue step, in[4], end[4];
  MloptNvScope steps = beginSteps(g, item, 4, start, &step, in);
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
  MloptNvScope steps = beginSteps(g, item, 3, start, &step, in);
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

//===----------------------------------------------------------------------===//
// The consumers
//===----------------------------------------------------------------------===//

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
  MlirValue start[CARRIED] = {place.stage, place.parity, mloptNvInt(nv, 0)};
  return beginTiles(g, first, step, start, outNumber, outCarried);
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

static void emitConsumer(MloptMatmul *g) {
  MloptNv *nv = &g->nv;
  setRegisters(g, true);
  MloptMatmulConsumer w;
  startConsumer(g, &w);
  mloptMatmulPlaceFragment(g, &w);
  waitForKernels(g);
  MlirValue number, in[CARRIED], end[CARRIED];
  MloptNvScope tiles = beginConsumerTiles(g, &w, &number, in);
  MloptMatmulItem item = mloptMatmulItemAt(g, number);
  MloptMatmulTile tile = renewTile(g, locate(g, item.tile));
  skipZeros(g, tile, &item);
  MloptNvPlace place = {in[0], in[1]};
  MlirValue turn = in[2];
  awaitTurn(g, &w);
  MlirValue sum =
      (mloptMatmulPromotes(&g->c) ? multiplyPromoted
                                  : multiplyTile)(g, &w, &item, &place);
  if (g->s.tail)
    sum = mloptMatmulReceiveSums(g, &w, &item, sum);
  MlirValue fragment[MLOPT_NV_MMA_MAX_FRAGMENT];
  mloptNvMmaFragment(nv, &g->mma, sum, fragment);
  tile = renewTile(g, tile);
  finishTile(g, &w, &item, tile, fragment, &turn, &place);
  if (g->s.alternate)
    place = mloptNvRingSkip(nv, &g->ring, place, g->steps);
  MlirValue next[CARRIED] = {place.stage, place.parity, turn};
  mloptNvEndFor(nv, &tiles, next, end);
  MloptNvScope first = mloptNvBeginIf(nv, w.isFirst);
  mloptNvWaitStoresRead(nv, 0); // the kernel's end waits for the writes
  mloptNvEndIf(nv, &first);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

bool mloptIsMatmul(MlirOperation kernel) {
  MloptMatmulSchedule schedule;
  return mloptReadMatmulSchedule(kernel, &schedule);
}

/// What the schedule and the program must agree on.
static bool check(MloptMatmul *g, MlirOperation kernel, MlirBlock program) {
  if (!mloptReadMatmulSchedule(kernel, &g->s) ||
      !mloptFindContractions(program, &g->all)) {
    mloptOpError(kernel, "has the schedule of a matrix product, but its "
                         "program is none");
    return false;
  }
  return mloptVerifyMatmul(kernel, &g->all, &g->s);
}

/// Whether no kernel writes a parameter.
static bool isInput(MlirOperation kernel, intptr_t parameter) {
  MlirAttribute inputs = mloptAttr(kernel, MLOPT_KERNEL_INPUTS);
  intptr_t n =
      mlirAttributeIsNull(inputs) ? 0 : mlirDenseArrayGetNumElements(inputs);
  for (intptr_t i = 0; i < n; ++i)
    if (mlirDenseI64ArrayGetElement(inputs, i) == parameter)
      return true;
  return false;
}

static void findInputs(MloptMatmul *g, MlirOperation kernel) {
  g->isInputA = g->isInputB = true;
  for (intptr_t i = 0; i < g->all.count; ++i) {
    const MloptContraction *c = &g->all.at[i];
    g->isInputA &= isInput(kernel, c->a.parameter);
    for (intptr_t j = 0; j < c->numProducts; ++j)
      g->isInputB &= isInput(kernel, c->parametersOfB[j]);
  }
}

static void carve(MloptMatmul *g, MlirBlock code) {
  g->shared = mloptMatmulCarve(&g->s);
  int64_t readers = g->s.alternate ? 1 : MLOPT_MATMUL_CONSUMERS;
  g->ring = (MloptNvRing){.stages = g->s.stages,
                          .barriers = g->shared.rings,
                          .consumers = readers * MLOPT_MATMUL_WARPGROUP / 32,
                          .blocks = g->s.cluster};
  // Thread by thread where they copy, warp by warp where they store.
  if (mloptMatmulFills(&g->c))
    g->ring.fillers = g->c.prologue.operations ? MLOPT_MATMUL_WARPGROUP / 32
                                               : MLOPT_MATMUL_WARPGROUP;
  g->slabs = mloptMatmulConsumerRows(&g->s) / MLOPT_NV_MMA_ROWS;
  g->mma = (MloptNvMma){.n = g->s.tile[1],
                        .slabs = g->slabs,
                        .isInteger = mlirTypeIsAInteger(mloptElementType(
                            mloptResultType(g->c.products[0], 0))),
                        .aAlongM = !g->c.a.isKMajor,
                        .bAlongN = !g->c.b.isKMajor};
  mloptMatmulFactor(&g->c.a, &g->mma.a);
  mloptMatmulFactor(&g->c.b, &g->mma.b);
  g->steps = mloptMatmulSteps(&g->c, &g->s);
  g->total = mloptMatmulTotal(&g->all, &g->s);
  g->tail = mloptMatmulTailOf(&g->c, &g->s);
  g->parameters = code;
}

bool mloptEmitMatmul(MlirOperation kernel, MlirBlock program, MlirBlock code) {
  MloptMatmul g = {.batched = false};
  if (!check(&g, kernel, program))
    return false;
  mloptMatmulEnter(&g, 0);
  MloptPull *pull = mloptPullCreate(code, mlirOperationGetLocation(kernel));
  if (!pull)
    return false;
  bool isMap[MLOPT_MAX_LAUNCH_ARGUMENTS];
  for (intptr_t i = 0, n = mlirBlockGetNumArguments(code); i < n; ++i)
    isMap[i] = mloptMatmulIsMapOfAny(&g.all, &g.s, i);
  mloptEpilogueBegin(&g.epilogue, pull, &g.c, program, code, isMap);
  carve(&g, code);
  findInputs(&g, kernel);
  g.nv = mloptNvBegin(mloptPullGetBuilder(pull), kernel);
  readThreads(&g);
  mloptNvShare(&g.nv, g.steps, g.s.splits, g.rank, &g.firstStep, &g.endStep);
  initialise(&g);
  MloptNvScope role =
      mloptNvBeginIf(&g.nv, mloptNvEqInt(&g.nv, g.warpgroup, 0));
  emitProducer(&g);
  mloptNvElse(&g.nv, &role);
  emitConsumer(&g);
  mloptNvEndIf(&g.nv, &role);
  meet(&g);
  mloptNvOp(&g.nv, "llvm.return", 0, NULL, NULL);
  mloptEpilogueEnd(&g.epilogue);
  bool ok = mloptPullDestroy(pull);
  if (!ok)
    mloptOpError(kernel, "cannot be emitted as a matrix product");
  return ok;
}
