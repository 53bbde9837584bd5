//===- emit_matmul_store.c - From accumulators to the results -------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A consumer walks over its rows in blocks of 64 rows and some columns: the
// epilogue turns the products of a block into the outputs, in registers. An
// output that TMA can reach goes through one of two slots in shared memory, 64
// rows of 128 bytes, swizzled: while TMA reads the one, threads fill the other.
// Any other output is stored from where it is.
//
//   fragment  ->  epilogue  ->  slot 0  ->  TMA
//                           ->  slot 1  ->  TMA
//                           ->  st.global
//
// Where no output goes by TMA, those of rows along n are staged too
// (emit_matmul_rows.c).
//
// Rows that are reduced are so before any of their columns is stored
// (emit_matmul_reduce.c).
//
// Where k is split among blocks, each block of a tile belongs to one of them,
// which adds the others' sums first.
//
//===----------------------------------------------------------------------===//

#include "emit_matmul_impl.h"

static unsigned widthOf(const MloptOutput *output) {
  return mloptElementWidth(mloptElementType(output->type));
}

static bool isHalf(const MloptOutput *output) { return widthOf(output) == 16; }

static bool isStaged(const MloptMatmul *g, const MloptOutput *output) {
  return mloptMatmulStoresBoxes(&g->c, output) ||
         mloptMatmulStoresRows(&g->c, output);
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

/// Of which widths a contraction's results and residuals are staged.
static void findWidths(const MloptMatmul *g, bool *halves, bool *words) {
  for (intptr_t i = 0; i < g->c.numOutputs + g->c.numResiduals; ++i) {
    bool isOutput = i < g->c.numOutputs;
    const MloptOutput *tensor =
        isOutput ? &g->c.outputs[i] : &g->c.residuals[i - g->c.numOutputs];
    if (isOutput ? !isStaged(g, tensor)
                 : !mloptMatmulIsMap(&g->c, &g->s, tensor->parameter))
      continue;
    *halves |= isHalf(tensor);
    *words |= !isHalf(tensor);
  }
}

void mloptMatmulPlaceFragment(MloptMatmul *g, MloptMatmulConsumer *w) {
  bool halves = false, words = false;
  for (intptr_t i = 0; i < g->all.count; ++i) {
    mloptMatmulEnter(g, i);
    findWidths(g, &halves, &words);
  }
  if (halves)
    mloptPlaceFragment(&g->nv, g->thread, true, w->halves);
  if (words)
    mloptPlaceFragment(&g->nv, g->thread, false, w->words);
}

/// Stages 128 bytes of each of a slab's rows in a slot.
static void stageBlock(MloptMatmul *g, const MloptMatmulConsumer *w,
                       const MloptOutput *output, MlirValue slot,
                       const MlirValue *elements) {
  mloptStageFragment(&g->nv, mloptElementType(output->type),
                     isHalf(output) ? w->halves : w->words, slot, elements);
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

static MlirValue slotOf(MloptMatmul *g, const MloptMatmulConsumer *w,
                        int64_t box, MlirValue turn) {
  MlirValue slot = mloptNvXor(
      &g->nv, turn, mloptNvInt(&g->nv, box % MLOPT_MATMUL_STORE_SLOTS));
  return mloptNvAdd(&g->nv, w->slots,
                    mloptNvMulInt(&g->nv, slot, g->shared.storeBytes));
}

void mloptMatmulAwaitSlot(MloptMatmul *g, const MloptMatmulConsumer *w) {
  MloptNv *nv = &g->nv;
  MloptNvScope first = mloptNvBeginIf(nv, w->isFirst);
  mloptNvWaitStoresRead(nv, g->s.splits > 1 ? 0 : MLOPT_MATMUL_STORE_SLOTS - 1);
  mloptNvEndIf(nv, &first);
}

/// Whether a box is not beyond the mask altogether.
static MlirValue isInMask(MloptMatmul *g, const MlirValue *axes) {
  MlirValue last = mloptNvAddInt(&g->nv, axes[MLOPT_AXIS_M],
                                 MLOPT_NV_MMA_ROWS - 1 + g->mask.offset);
  return mloptBuildCmpI(g->nv.b, "sle", axes[MLOPT_AXIS_N], last);
}

/// Stages a block in a slot that has been waited for, and lets TMA store it.
static void storeBox(MloptMatmul *g, const MloptMatmulConsumer *w,
                     const MloptOutput *output, MlirValue slot,
                     const MlirValue *axes, const MlirValue *elements) {
  MloptNv *nv = &g->nv;
  mloptNvBarrier(nv, w->barrier, MLOPT_MATMUL_WARPGROUP);
  stageBlock(g, w, output, slot, elements);
  mloptNvFenceShared(nv);
  mloptNvBarrier(nv, w->barrier, MLOPT_MATMUL_WARPGROUP);
  MloptNvScope first = mloptNvBeginIf(nv, w->isFirst);
  MlirValue at[MLOPT_PLACE_MAX_DIGITS];
  intptr_t rank = mloptBoxOfOutput(nv, &g->c, output, axes, at);
  MloptNvScope needed;
  if (g->isMasked)
    needed = mloptNvBeginIf(nv, isInMask(g, axes));
  mloptNvStoreBox(nv, mlirBlockGetArgument(g->parameters, output->parameter),
                  slot, rank, at);
  if (g->isMasked)
    mloptNvEndIf(nv, &needed);
  mloptNvCommitStores(nv);
  mloptNvEndIf(nv, &first);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Clamps an index where tiles may go over the edge.
static MlirValue clamp(MloptMatmul *g, MlirValue x, int64_t size, int64_t tile,
                       int64_t lanes) {
  return size % tile ? mloptNvMin(&g->nv, x, mloptNvInt(&g->nv, size - lanes))
                     : x;
}

static int64_t tileColumns(const MloptMatmul *g) {
  return mloptMatmulProductColumns(&g->c, &g->s);
}

/// This thread's rows and columns of the block. What lies outside of C is
/// computed from an element inside; where n is even, pairs stay pairs.
static void locate(MloptMatmul *g, MloptMatmulBlock *block) {
  MloptNv *nv = &g->nv;
  const int64_t *sizes = g->c.sizes;
  block->batch = mloptNvToIndex(nv, block->axes[MLOPT_AXIS_BATCH]);
  // Indices of a block would else be kept in registers for the blocks that
  // share its rows or columns.
  MlirValue thread = mloptNvRenew(nv, g->thread);
  for (int i = 0; i < 2; ++i) {
    block->rows[i] = mloptNvAdd(nv, block->axes[MLOPT_AXIS_M],
                                mloptNvFragmentRow(nv, thread, 2 * i));
    block->rowIndices[i] =
        mloptNvToIndex(nv, clamp(g, block->rows[i], sizes[MLOPT_AXIS_M],
                                 g->s.tile[0] * g->s.cluster, 1));
  }
  int64_t lanes = sizes[MLOPT_AXIS_N] % 2 ? 1 : 2;
  MlirValue first = mloptNvAdd(nv, block->axes[MLOPT_AXIS_N],
                               mloptNvFragmentColumn(nv, thread, 0));
  for (int64_t i = 0; i < block->numColumns / 8; ++i) {
    block->columns[i] = mloptNvAddInt(nv, first, 8 * i);
    block->columnIndices[i] =
        mloptNvToIndex(nv, clamp(g, block->columns[i], sizes[MLOPT_AXIS_N],
                                 tileColumns(g), lanes));
  }
}

void mloptMatmulEvaluate(MloptMatmul *g, const MloptMatmulBlock *block,
                         const MloptOutput *output, bool forSlot,
                         int64_t element, MlirValue *out) {
  MloptNv *nv = &g->nv;
  MloptEpilogue *e = &g->epilogue;
  int64_t group = element / 4, row = element / 2 % 2;
  int lanes = mloptEpilogueLanes(&g->c, output);
  mloptMatmulEnterRow(g, block, element);
  for (int lane = 0; lane < 2; lane += lanes) {
    MlirValue column = block->columnIndices[group];
    if (lane)
      column = mloptNvToIndex(
          nv, clamp(g, mloptNvAddInt(nv, block->columns[group], 1),
                    g->c.sizes[MLOPT_AXIS_N], tileColumns(g), 1));
    MloptEpiloguePoint point = {
        .axes = {[MLOPT_AXIS_BATCH] = block->batch,
                 [MLOPT_AXIS_M] = block->rowIndices[row],
                 [MLOPT_AXIS_N] = column},
        .lanes = lanes};
    for (intptr_t p = 0; p < g->c.numProducts; ++p)
      for (int i = 0; i < lanes; ++i)
        e->sums[p][i] = block->sums[p][element + lane + i];
    for (intptr_t r = 0; r < g->c.numResiduals; ++r)
      for (int i = 0; i < lanes; ++i)
        e->residuals[r][i] = block->residuals[r][element + lane + i];
    mloptEpilogueEvaluate(e, output, &point, !forSlot, out + lane);
  }
  for (int i = 0; forSlot && i < 2; ++i)
    // Exact, and what rounds it again is exact too.
    if (!nv->b->failed && isHalf(output) &&
        !mlirTypeIsAF32(mlirValueGetType(out[i])))
      out[i] = mloptBuildUnary(nv->b, "arith.extf", out[i], nv->f32);
}

/// Stores two neighbours of an output, but what lies outside of C.
static void storePair(MloptMatmul *g, const MloptMatmulBlock *block,
                      const MloptOutput *output, int64_t element,
                      const MlirValue *elements) {
  MloptNv *nv = &g->nv;
  int64_t group = element / 4, row = element / 2 % 2;
  int lanes = mloptEpilogueLanes(&g->c, output);
  for (int lane = 0; lane < 2; lane += lanes) {
    MlirValue column = mloptNvAddInt(nv, block->columns[group], lane);
    MlirValue inside = mloptBuildBinary(
        nv->b, "arith.andi",
        mloptBuildCmpI(nv->b, "ult", block->rows[row],
                       mloptNvInt(nv, g->c.sizes[MLOPT_AXIS_M])),
        mloptBuildCmpI(nv->b, "ult", column,
                       mloptNvInt(nv, g->c.sizes[MLOPT_AXIS_N])));
    MloptEpiloguePoint point = {
        .axes = {[MLOPT_AXIS_BATCH] = block->batch,
                 [MLOPT_AXIS_M] = mloptNvToIndex(nv, block->rows[row]),
                 [MLOPT_AXIS_N] = mloptNvToIndex(nv, column)},
        .lanes = lanes};
    MloptVector vector;
    mloptEpilogueAim(&g->epilogue, output, &point, &vector);
    MlirValue pointer = mlirBlockGetArgument(g->parameters, output->parameter);
    MloptNvScope scope = mloptNvBeginIf(nv, inside);
    mloptTileStore(&g->epilogue.tile, &vector, pointer, elements + lane);
    mloptNvEndIf(nv, &scope);
  }
}

/// The boxes of a block, of all outputs.
static int64_t boxesOf(MloptMatmul *g, int64_t columns) {
  int64_t boxes = 0;
  for (intptr_t i = 0; i < g->c.numOutputs; ++i)
    if (mloptMatmulStoresBoxes(&g->c, &g->c.outputs[i]))
      boxes += columns / mloptMatmulStoreColumns(&g->c.outputs[i]);
  return boxes;
}

/// Brings the outputs of a block to memory; `box` counts those of the tile.
static void storeBlock(MloptMatmul *g, const MloptMatmulConsumer *w,
                       const MloptMatmulBlock *block, MlirValue turn,
                       int64_t *box) {
  int64_t numElements = block->numColumns / 2;
  // Before the elements, not after them: ptxas moves reads of an accumulator
  // over the wait for it within a basic block, which this one ends, then finds
  // them too early and serialises wgmma (C7514).
  bool isAwaited = boxesOf(g, block->numColumns) > 0;
  if (isAwaited)
    mloptMatmulAwaitSlot(g, w);
  MlirValue elements[MLOPT_MAX_OUTPUTS][MLOPT_MATMUL_MOST_ELEMENTS];
  MloptMatmulFold folds[MLOPT_MAX_FOLDS];
  for (intptr_t i = 0; i < g->c.numFolds; ++i)
    mloptMatmulOpenFold(g, i, &folds[i]);
  for (int64_t e = 0; e < numElements; e += 2) {
    for (intptr_t i = 0; i < g->c.numOutputs; ++i) {
      const MloptOutput *output = &g->c.outputs[i];
      bool forSlot = isStaged(g, output);
      if (g->c.isPlain && forSlot)
        memcpy(&elements[i][e], block->sums[0] + e, 2 * sizeof(MlirValue));
      else
        mloptMatmulEvaluate(g, block, output, forSlot, e, &elements[i][e]);
      if (!forSlot)
        storePair(g, block, output, e, &elements[i][e]);
    }
    for (intptr_t i = 0; i < g->c.numFolds; ++i) {
      MlirValue pair[2];
      mloptMatmulEvaluate(g, block, &folds[i].fold->input, false, e, pair);
      mloptMatmulFoldPair(g, &folds[i], block->numColumns, e, pair);
    }
  }
  for (intptr_t i = 0; i < g->c.numFolds; ++i)
    mloptMatmulStoreFold(g, w, &folds[i], block->numColumns, block->batch,
                         block->rows, block->axes[MLOPT_AXIS_N]);
  for (intptr_t i = 0; i < g->c.numOutputs; ++i) {
    const MloptOutput *output = &g->c.outputs[i];
    if (!isStaged(g, output))
      continue;
    int64_t columns = mloptMatmulStoreColumns(output);
    MlirValue axes[MLOPT_NUM_AXES];
    memcpy(axes, block->axes, sizeof axes);
    for (int64_t c = 0; c < block->numColumns; c += columns) {
      axes[MLOPT_AXIS_N] = mloptNvAddInt(&g->nv, block->axes[MLOPT_AXIS_N], c);
      if (mloptMatmulStoresRows(&g->c, output)) {
        stageBlock(g, w, output, w->slots, &elements[i][c / 2]);
        mloptMatmulStoreRows(g, w, output, axes);
        continue;
      }
      if (!isAwaited)
        mloptMatmulAwaitSlot(g, w);
      isAwaited = false;
      storeBox(g, w, output, slotOf(g, w, (*box)++, turn), axes,
               &elements[i][c / 2]);
    }
  }
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

void mloptMatmulBlockAxes(MloptMatmul *g, MloptMatmulTile tile, MlirValue row,
                          int64_t i, MlirValue outAxes[MLOPT_NUM_AXES]) {
  MloptNv *nv = &g->nv;
  int64_t columns = mloptMatmulBlockColumns(&g->c);
  int64_t perSlab = tileColumns(g) / columns;
  outAxes[MLOPT_AXIS_BATCH] = tile.batch;
  outAxes[MLOPT_AXIS_M] =
      mloptNvAddInt(nv, row, i / perSlab * MLOPT_NV_MMA_ROWS);
  outAxes[MLOPT_AXIS_N] = mloptNvAddInt(nv, tile.n, i % perSlab * columns);
}

void mloptMatmulOpenBlock(MloptMatmul *g, MloptMatmulTile tile, MlirValue row,
                          int64_t i, const MlirValue *fragment,
                          MloptMatmulBlock *out) {
  int64_t columns = mloptMatmulBlockColumns(&g->c);
  int64_t perSlab = tileColumns(g) / columns;
  int64_t slab = i / perSlab, first = i % perSlab * columns;
  *out = (MloptMatmulBlock){.numColumns = columns};
  mloptMatmulBlockAxes(g, tile, row, i, out->axes);
  for (intptr_t p = 0; p < g->c.numProducts; ++p)
    out->sums[p] =
        fragment + slab * g->s.tile[1] / 2 + p * tileColumns(g) / 2 + first / 2;
  locate(g, out);
}

void mloptMatmulStoreTile(MloptMatmul *g, const MloptMatmulConsumer *w,
                          MloptMatmulTile tile, MlirValue turn,
                          MlirValue *fragment, MloptNvPlace *place) {
  MloptNv *nv = &g->nv;
  MlirValue row = tile.m;
  if (!g->s.alternate)
    row = mloptNvAdd(nv, row,
                     mloptNvMulInt(nv, w->index, g->slabs * MLOPT_NV_MMA_ROWS));
  int64_t size = mloptMatmulBlockColumns(&g->c) / 2, box = 0;
  int64_t together = mloptMatmulReducedColumns(g) / 2 / size;
  MloptMatmulReduced reduced;
  mloptEpilogueEnter(&g->epilogue);
  for (int64_t i = 0; i < mloptMatmulConsumerBlocks(&g->c, &g->s); ++i) {
    MloptNvScope owned;
    MloptPullMark mark = mloptPullMark(g->epilogue.tile.pull);
    if (g->s.splits > 1) {
      owned = mloptMatmulBeginOwned(g, w, i);
      mloptMatmulAddSplits(g, w, i, fragment + i * size);
      mloptEpilogueEnter(&g->epilogue);
    }
    if (g->c.numOfRows && i % together == 0)
      mloptMatmulReduceRows(g, w, tile, row, i, fragment, &reduced);
    MloptMatmulBlock block;
    mloptMatmulOpenBlock(g, tile, row, i, fragment, &block);
    block.reduced = &reduced;
    block.first = i % together * 2 * size;
    mloptMatmulReadResiduals(g, w, i, place, block.residuals);
    storeBlock(g, w, &block, turn, &box);
    if (g->s.splits > 1) {
      mloptNvEndIf(nv, &owned);
      mloptPullReset(g->epilogue.tile.pull, mark);
    }
  }
}

MlirValue mloptMatmulNextTurn(MloptMatmul *g, MlirValue turn) {
  int64_t perBlock = boxesOf(g, mloptMatmulBlockColumns(&g->c));
  int64_t boxes = mloptMatmulConsumerBlocks(&g->c, &g->s) * perBlock;
  return mloptNvXor(&g->nv, turn,
                    mloptNvInt(&g->nv, boxes % MLOPT_MATMUL_STORE_SLOTS));
}
