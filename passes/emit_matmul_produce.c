//===- emit_matmul_produce.c - What starts the loads ----------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The producer of a matrix product's kernel (emit_matmul.c): one thread that
// starts TMA's loads of each step into the ring's next empty stage, and of each
// tile's residuals behind its steps; or all of its warpgroup, where they fill
// stages themselves. The consumers take the same stages in the same order.
//
// Before the kernels before this one have ended, it loads what these do not
// write, where the block's only tile leaves stages free for that.
//
//===----------------------------------------------------------------------===//

#include "emit_matmul_impl.h"
#include "target.h"

/// What TMA loads of a step.
static int64_t stageBytes(const MloptMatmul *g) {
  return (mloptMatmulRowsOf(&g->all, &g->s, 0) +
          mloptMatmulRowsOf(&g->all, &g->s, 1)) *
         MLOPT_NV_ROW_BYTES;
}

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
  MloptNvScope steps = mloptMatmulBeginSteps(g, item, 2, place, &step, in);
  MloptNvPlace here = {in[0], in[1]};
  MlirValue barrier = mloptNvRingAcquire(nv, &g->ring, here, stageBytes(g));
  mloptMatmulLoadA(g, tile, step, here.stage, barrier);
  mloptMatmulLoadB(g, tile, step, here.stage, barrier);
  MloptNvPlace after = mloptNvRingNext(nv, &g->ring, here);
  MlirValue next[] = {after.stage, after.parity};
  mloptNvEndFor(nv, &steps, next, place);
  loadResiduals(g, tile, item, place);
}

/// The stages that can be filled at once with the block's only tile, or 0 if it
/// has more tiles or both factors come from kernels.
static int64_t stagesAtOnce(const MloptMatmul *g) {
  int64_t steps = g->steps / g->s.splits;
  bool isOnlyTile =
      g->total * mloptMatmulBlocks(&g->s) <= mloptSm90.multiprocessors;
  if (!isOnlyTile || mloptMatmulFills(&g->c) || !(g->isInputA || g->isInputB) ||
      mloptMatmulSkipsZeros(g) || g->isMasked)
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
    MlirValue barrier = isInput
                            ? mloptNvRingExpect(nv, &g->ring, i, stageBytes(g))
                            : mloptNvRingBarrier(nv, &g->ring, i);
    loadIfInput(g, tile, mloptNvAdd(nv, g->firstStep, i), i, barrier, isInput);
    mloptNvEndFor(nv, &stages, none, none);
    if (isInput)
      mloptNvWaitForKernels(nv);
  }
}

/// One thread walks over tiles and steps, or all of the warpgroup, which fill
/// a part of each stage.
void mloptMatmulProduce(MloptMatmul *g) {
  MloptNv *nv = &g->nv;
  bool fills = mloptMatmulFills(&g->c);
  mloptMatmulSetRegisters(g, false);
  MloptNvScope one;
  if (!fills)
    one = mloptNvBeginIf(nv, g->isFirst);
  int64_t atOnce = stagesAtOnce(g);
  if (atOnce) {
    MloptMatmulTile tile = mloptMatmulLocate(g, g->firstTile);
    fillStages(g, tile, atOnce);
    bool wraps = atOnce == g->s.stages;
    MlirValue place[] = {mloptNvInt(nv, wraps ? 0 : atOnce),
                         mloptNvInt(nv, wraps)};
    MloptMatmulItem rest = {.first = mloptNvAddInt(nv, g->firstStep, atOnce),
                            .end = g->endStep};
    loadSteps(g, tile, &rest, place);
  } else {
    mloptNvWaitForKernels(nv);
    MloptNvPlace first = mloptNvRingFirst(nv);
    MlirValue start[MLOPT_MATMUL_CARRIED] = {first.stage, first.parity,
                                             mloptNvInt(nv, 0)};
    MlirValue number, place[MLOPT_MATMUL_CARRIED], end[MLOPT_MATMUL_CARRIED];
    MloptNvScope tiles = mloptMatmulBeginTiles(g, g->firstTile, g->tileStep,
                                               start, &number, place);
    MloptMatmulItem item = mloptMatmulItemAt(g, number);
    MloptMatmulTile tile = mloptMatmulLocate(g, item.tile);
    mloptMatmulSkipZeros(g, tile, &item);
    (fills ? mloptMatmulFill : loadSteps)(g, tile, &item, place);
    mloptNvEndFor(nv, &tiles, place, end);
  }
  if (!fills)
    mloptNvEndIf(nv, &one);
  // Consumers meet twice in mloptMatmulExchange.
  for (int i = 0; g->s.splits > 1 && i < 2; ++i)
    mloptNvClusterBarrier(nv, false);
}
