//===- emit_stream_store.c - From sums to the results ---------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The elementwise code behind the sums, in registers. An output that TMA can
// reach is staged in boxes of 64 rows of 128 bytes, one after another, which
// one thread then stores. Any other output is stored from where it is. Scores
// go the first way, step by step.
//
//===----------------------------------------------------------------------===//

#include "emit_stream_impl.h"
#include "schedule_matmul.h"

enum { BOX_BYTES = MLOPT_NV_MMA_ROWS * MLOPT_NV_ROW_BYTES };

int64_t mloptStreamColumns(const MloptStreamKernel *g) {
  return g->p.values.sizes[MLOPT_AXIS_N] / g->s.splits;
}

static MloptEpiloguePoint pointAt(MloptStreamKernel *g,
                                  const MloptStreamConsumer *w,
                                  MlirValue rowIndex, int64_t element,
                                  int lanes) {
  MloptNv *nv = &g->nv;
  MlirValue column =
      mloptNvAddInt(nv, w->column, element / 4 * 8 + element % 2);
  if (g->s.splits > 1)
    column = mloptNvAdd(nv, column,
                        mloptNvMulInt(nv, g->rank, mloptStreamColumns(g)));
  return (MloptEpiloguePoint){
      .axes = {[MLOPT_AXIS_BATCH] = w->batchIndex,
               [MLOPT_AXIS_M] = rowIndex,
               [MLOPT_AXIS_N] = mloptNvToIndex(nv, column)},
      .lanes = lanes};
}

/// Two neighbours of an output; for a box, as f32 or i32.
static void evaluate(MloptStreamKernel *g, const MloptStreamConsumer *w,
                     const MloptStreamRows *rows, const MloptOutput *output,
                     const MlirValue *sums, int64_t element, bool forBox,
                     MlirValue *out) {
  MloptNv *nv = &g->nv;
  int row = (int)(element / 2 % 2);
  int lanes = mloptEpilogueLanes(&g->p.values, output);
  g->rowMax = rows->max[row];
  g->rowSum = rows->sum[row];
  for (int lane = 0; lane < 2; lane += lanes) {
    for (int i = 0; i < lanes; ++i)
      g->epilogue.sums[0][i] = sums[element + lane + i];
    MloptEpiloguePoint point =
        pointAt(g, w, w->rowIndices[row], element + lane, lanes);
    mloptEpilogueEvaluate(&g->epilogue, output, &point, !forBox, out + lane);
  }
  bool isHalf = mloptElementWidth(mloptElementType(output->type)) == 16;
  for (int i = 0; forBox && isHalf && i < 2 && !nv->b->failed; ++i)
    // Exact, and what rounds it again is exact too.
    if (!mlirTypeIsAF32(mlirValueGetType(out[i])))
      out[i] = mloptBuildUnary(nv->b, "arith.extf", out[i], nv->f32);
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

/// Where box `i` of the warpgroup is staged.
static MlirValue boxOffset(MloptStreamKernel *g, const MloptStreamConsumer *w,
                           int64_t i) {
  MloptNv *nv = &g->nv;
  return mloptNvAddInt(nv, mloptNvMulInt(nv, w->index, g->shared.storeBytes),
                       g->shared.store + i * BOX_BYTES);
}

/// Starts the stores of `count` boxes of an output from column `first` on, by
/// one thread.
static void storeBoxes(MloptStreamKernel *g, const MloptStreamConsumer *w,
                       const MloptContraction *c, const MloptOutput *output,
                       MlirValue first, int64_t count) {
  MloptNv *nv = &g->nv;
  int64_t columns = mloptMatmulStoreColumns(output);
  mloptNvFenceShared(nv);
  mloptNvBarrier(nv, w->barrier, MLOPT_STREAM_WARPGROUP);
  MloptNvScope one = mloptNvBeginIf(nv, w->isFirst);
  for (int64_t i = 0; i < count; ++i) {
    const MlirValue axes[MLOPT_NUM_AXES] = {
        [MLOPT_AXIS_BATCH] = w->batch,
        [MLOPT_AXIS_M] = w->row,
        [MLOPT_AXIS_N] = mloptNvAddInt(nv, first, i * columns)};
    MlirValue at[MLOPT_PLACE_MAX_DIGITS];
    intptr_t rank = mloptBoxOfOutput(nv, c, output, axes, at);
    mloptNvStoreBox(nv, mlirBlockGetArgument(g->parameters, output->parameter),
                    boxOffset(g, w, i), rank, at);
  }
  mloptNvCommitStores(nv);
  mloptNvEndIf(nv, &one);
}

/// Waits until the stores before have read what is staged.
static void reuseBoxes(MloptStreamKernel *g, const MloptStreamConsumer *w) {
  MloptNv *nv = &g->nv;
  MloptNvScope one = mloptNvBeginIf(nv, w->isFirst);
  mloptNvWaitStoresRead(nv, 0);
  mloptNvEndIf(nv, &one);
  mloptNvBarrier(nv, w->barrier, MLOPT_STREAM_WARPGROUP);
}

/// Stores so many boxes of an output from column `first` on, as many at once as
/// there is room for. `places`: of mloptPlaceFragment.
static void stageBoxes(MloptStreamKernel *g, const MloptStreamConsumer *w,
                       const MloptContraction *c, const MloptOutput *output,
                       MlirValue first, int64_t boxes, const MlirValue *places,
                       MlirValue *elements) {
  MloptNv *nv = &g->nv;
  int64_t columns = mloptMatmulStoreColumns(output), count;
  for (int64_t done = 0; done < boxes; done += count) {
    count = boxes - done < g->shared.boxes ? boxes - done : g->shared.boxes;
    reuseBoxes(g, w);
    for (int64_t i = 0; i < count; ++i)
      mloptStageFragment(nv, mloptElementType(output->type), places,
                         boxOffset(g, w, i),
                         elements + (done + i) * columns / 2);
    storeBoxes(g, w, c, output, mloptNvAddInt(nv, first, done * columns),
               count);
  }
}

static void storeByBoxes(MloptStreamKernel *g, const MloptStreamConsumer *w,
                         const MloptStreamRows *rows, const MloptOutput *output,
                         const MlirValue *sums) {
  MloptNv *nv = &g->nv;
  int64_t columns = mloptMatmulStoreColumns(output);
  MlirType element = mloptElementType(output->type);
  // What a box has beyond the last column is not stored.
  MlirValue places[4], elements[MLOPT_NV_MMA_MAX_FRAGMENT];
  mloptPlaceFragment(nv, g->thread, mloptElementWidth(element) == 16, places);
  for (int64_t i = 0; i < mloptStreamColumns(g) / 2; i += 2)
    evaluate(g, w, rows, output, sums, i, true, elements + i);
  for (int64_t i = mloptStreamColumns(g) / 2; i < MLOPT_NV_MMA_MAX_FRAGMENT;
       ++i)
    elements[i] = elements[i - 1];
  stageBoxes(g, w, &g->p.values, output, mloptNvInt(nv, 0),
             mloptDivideUp(mloptStreamColumns(g), columns), places, elements);
}

void mloptStreamStoreScores(MloptStreamKernel *g, const MloptStreamConsumer *w,
                            MlirValue step, double scale,
                            const MlirValue *scores) {
  if (!g->p.scores.numOutputs)
    return;
  MloptNv *nv = &g->nv;
  const MloptOutput *output = &g->p.scores.outputs[0];
  int64_t columns = mloptMatmulStoreColumns(output);
  MlirValue places[4], elements[MLOPT_STREAM_MAX_SCORES];
  MlirValue factor = mloptBuildConstant(
      nv->b, mlirFloatAttrDoubleGet(nv->b->context, nv->f32, scale));
  for (int64_t i = 0, n = mloptNvFragmentSize(&g->scores); i < n; ++i)
    elements[i] = scale == 1
                      ? scores[i]
                      : mloptNvArith(nv, "arith.mulf", scores[i], factor);
  mloptPlaceFragment(nv, g->thread, false, places);
  MlirValue key = mloptNvMulInt(nv, step, g->s.tile[1]);
  stageBoxes(g, w, &g->p.scores, output, key, g->s.tile[1] / columns, places,
             elements);
}

//===----------------------------------------------------------------------===//
// Other outputs
//===----------------------------------------------------------------------===//

static void storePair(MloptStreamKernel *g, const MloptStreamConsumer *w,
                      const MloptOutput *output, int64_t element,
                      const MlirValue *elements) {
  MloptNv *nv = &g->nv;
  int row = (int)(element / 2 % 2);
  int lanes = mloptEpilogueLanes(&g->p.values, output);
  MlirValue inside =
      mloptBuildCmpI(nv->b, "ult", w->rows[row],
                     mloptNvInt(nv, g->p.values.sizes[MLOPT_AXIS_M]));
  for (int lane = 0; lane < 2; lane += lanes) {
    MloptEpiloguePoint point =
        pointAt(g, w, w->rowIndices[row], element + lane, lanes);
    MloptVector vector;
    mloptEpilogueAim(&g->epilogue, output, &point, &vector);
    MloptNvScope scope = mloptNvBeginIf(nv, inside);
    mloptTileStore(&g->epilogue.tile, &vector,
                   mlirBlockGetArgument(g->parameters, output->parameter),
                   elements + lane);
    mloptNvEndIf(nv, &scope);
  }
}

/// What is stored of a row, by one of the threads that share it.
static void storeRow(MloptStreamKernel *g, const MloptStreamConsumer *w,
                     const MloptStreamRows *rows, const MloptOutput *output,
                     int row) {
  MloptNv *nv = &g->nv;
  MloptEpiloguePoint point = {
      .axes = {[MLOPT_AXIS_BATCH] = w->batchIndex,
               [MLOPT_AXIS_M] = w->rowIndices[row],
               [MLOPT_AXIS_N] = mloptNvToIndex(nv, mloptNvInt(nv, 0))},
      .lanes = 1};
  MlirValue value;
  MloptVector vector;
  g->rowMax = rows->max[row];
  g->rowSum = rows->sum[row];
  mloptEpilogueEvaluate(&g->epilogue, output, &point, true, &value);
  mloptEpilogueAim(&g->epilogue, output, &point, &vector);
  MlirValue isFirst =
      mloptNvEqInt(nv, mloptNvAndInt(nv, w->lane, MLOPT_STREAM_QUAD - 1), 0);
  MlirValue isInside =
      mloptBuildCmpI(nv->b, "ult", w->rows[row],
                     mloptNvInt(nv, g->p.values.sizes[MLOPT_AXIS_M]));
  MlirValue stores = mloptBuildBinary(nv->b, "arith.andi", isFirst, isInside);
  if (g->s.splits > 1)
    stores = mloptBuildBinary(nv->b, "arith.andi", stores,
                              mloptNvEqInt(nv, g->rank, 0));
  MloptNvScope scope = mloptNvBeginIf(nv, stores);
  mloptTileStore(&g->epilogue.tile, &vector,
                 mlirBlockGetArgument(g->parameters, output->parameter),
                 &value);
  mloptNvEndIf(nv, &scope);
}

void mloptStreamStore(MloptStreamKernel *g, const MloptStreamConsumer *w,
                      const MloptStreamRows *rows, const MlirValue *sums) {
  mloptEpilogueEnter(&g->epilogue);
  for (intptr_t i = 0; i < g->p.values.numRowOutputs; ++i)
    for (int row = 0; row < MLOPT_STREAM_ROWS; ++row)
      storeRow(g, w, rows, &g->p.values.rowOutputs[i], row);
  for (intptr_t i = 0; i < g->p.values.numOutputs; ++i) {
    const MloptOutput *output = &g->p.values.outputs[i];
    if (mloptStreamStoresBoxes(&g->p, &g->s, output)) {
      storeByBoxes(g, w, rows, output, sums);
      continue;
    }
    for (int64_t e = 0; e < mloptStreamColumns(g) / 2; e += 2) {
      MlirValue elements[2];
      evaluate(g, w, rows, output, sums, e, false, elements);
      storePair(g, w, output, e, elements);
    }
  }
}
