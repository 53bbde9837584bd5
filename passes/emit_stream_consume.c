//===- emit_stream_consume.c - A warpgroup that streams keys --------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two products are under way at once: the scores of a step and the sums of the
// one before, so that the Tensor Cores work while a step's scores become
// weights.
//
//   S = Q K[0]                        wait     softmax
//   S = Q K[1]   O += P V[0]          wait S   softmax   wait O   repair O
//   S = Q K[2]   O += P V[1]          wait S   softmax   wait O   repair O
//   ...          O += P V[last]                          wait O   store O
//
// Where ptxas would call functions for the scores, O is waited for with S.
// Weights P are the fragment of S, rounded, as the A of the second product.
//
//===----------------------------------------------------------------------===//

#include "emit_stream_impl.h"

/// What steps hand on.
typedef struct State {
  MloptNvPlace k; ///< of the next scores
  MloptNvPlace v; ///< of the sums that come next
  MlirValue sums; ///< accumulator
  MloptStreamRows rows;
  MlirValue weights[MLOPT_STREAM_MAX_SCORES / 2]; ///< packed
} State;

enum { FIXED = 9, MOST_CARRIED = FIXED + MLOPT_STREAM_MAX_SCORES / 2 };

static intptr_t numWeights(const MloptStreamKernel *g) {
  return mloptNvFragmentSize(&g->scores) / 2;
}

static intptr_t flatten(const MloptStreamKernel *g, const State *state,
                        MlirValue *out) {
  const MlirValue fixed[FIXED] = {
      state->k.stage,     state->k.parity,    state->v.stage,
      state->v.parity,    state->sums,        state->rows.max[0],
      state->rows.max[1], state->rows.sum[0], state->rows.sum[1]};
  memcpy(out, fixed, sizeof fixed);
  memcpy(out + FIXED, state->weights, numWeights(g) * sizeof *out);
  return FIXED + numWeights(g);
}

static void unflatten(const MloptStreamKernel *g, const MlirValue *from,
                      State *out) {
  *out = (State){.k = {from[0], from[1]},
                 .v = {from[2], from[3]},
                 .sums = from[4],
                 .rows = {{from[5], from[6]}, {from[7], from[8]}}};
  memcpy(out->weights, from + FIXED, numWeights(g) * sizeof *from);
}

//===----------------------------------------------------------------------===//
// Set-up
//===----------------------------------------------------------------------===//

static void placeRows(MloptStreamKernel *g, MloptStreamConsumer *w) {
  MloptNv *nv = &g->nv;
  int64_t rows = g->p.scores.sizes[MLOPT_AXIS_M];
  w->row = mloptNvAdd(nv, g->tile.row,
                      mloptNvMulInt(nv, w->index, MLOPT_NV_MMA_ROWS));
  w->batchIndex = mloptNvToIndex(nv, g->tile.batch);
  w->column = mloptNvFragmentColumn(nv, g->thread, 0);
  for (int row = 0; row < MLOPT_STREAM_ROWS; ++row) {
    w->rows[row] =
        mloptNvAdd(nv, w->row, mloptNvFragmentRow(nv, g->thread, 2 * row));
    MlirValue inside = w->rows[row];
    if (rows % g->s.tile[0])
      inside = mloptNvMin(nv, inside, mloptNvInt(nv, rows - 1));
    w->rowIndices[row] = mloptNvToIndex(nv, inside);
  }
}

static void startConsumer(MloptStreamKernel *g, MloptStreamConsumer *w) {
  MloptNv *nv = &g->nv;
  w->index = mloptNvAddInt(nv, g->warpgroup, -1);
  w->barrier = g->warpgroup;
  w->isFirst = mloptNvEqInt(nv, g->thread, 0);
  w->lane = mloptNvAndInt(nv, g->thread, 31);
  MlirValue q =
      mloptNvMulInt(nv, w->index, MLOPT_NV_MMA_ROWS * MLOPT_NV_ROW_BYTES);
  w->q = mloptNvDescribe(nv, mloptNvAddInt(nv, q, g->shared.q), true);
  w->k = mloptNvDescribe(nv, mloptNvInt(nv, g->shared.k), true);
  w->v = mloptNvDescribeAcross(nv, mloptNvInt(nv, g->shared.v),
                               g->s.tile[1] * MLOPT_NV_ROW_BYTES);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Starts a step's scores when its keys are there.
static MlirValue startScores(MloptStreamKernel *g, const MloptStreamConsumer *w,
                             MloptNvPlace place) {
  MloptNv *nv = &g->nv;
  mloptNvRingWait(nv, &g->k, place);
  MlirValue k = mloptNvDescriptorAt(
      nv, w->k, mloptNvMulInt(nv, place.stage, g->shared.kBytes));
  enum { GRAIN = 16 }; // of an instruction
  int64_t depth = g->p.scores.sizes[MLOPT_AXIS_K];
  return mloptNvMmaStart(
      nv, &g->scores, (depth + GRAIN - 1) / GRAIN * GRAIN,
      (MloptNvBlock){w->q, g->s.tile[0] * MLOPT_NV_ROW_BYTES},
      (MloptNvBlock){k, g->s.tile[1] * MLOPT_NV_ROW_BYTES});
}

/// Starts the sums of the step before, whose values are there.
static void startSums(MloptStreamKernel *g, const MloptStreamConsumer *w,
                      State *state) {
  MloptNv *nv = &g->nv;
  MlirValue v = mloptNvDescriptorAt(
      nv, w->v, mloptNvMulInt(nv, state->v.stage, g->shared.vBytes));
  state->sums = mloptNvMmaStartFrom(nv, &g->sums, g->s.tile[1], state->sums,
                                    state->weights, (MloptNvBlock){v, 0});
}

static void finishSums(MloptStreamKernel *g, const MloptStreamConsumer *w,
                       State *state) {
  MloptNv *nv = &g->nv;
  state->sums = mloptNvMmaWait(nv, &g->sums, state->sums, 0);
  mloptNvRingRelease(nv, &g->v, state->v.stage, w->lane, mloptNvInt(nv, 1));
}

/// Whether a row of the warp has a larger score than before.
static MlirValue isRepaired(MloptNv *nv, const MlirValue *repair) {
  MlirValue any = mloptNvPtx(nv,
                             "{ .reg .pred p, q;"
                             " setp.neu.f32 p, $1, 0f3F800000;"
                             " setp.neu.or.f32 p, $2, 0f3F800000, p;"
                             " vote.sync.any.pred q, p, -1;"
                             " selp.b32 $0, 1, 0, q; }",
                             "=r,f,f", MLOPT_STREAM_ROWS, repair, nv->i32);
  return mloptBuildCmpI(nv->b, "ne", any, mloptNvInt(nv, 0));
}

/// The more keys were seen, the more seldom there is anything to do.
static void repairSums(MloptStreamKernel *g, const MlirValue *repair,
                       State *state) {
  MloptNv *nv = &g->nv;
  MloptPull *pull = g->epilogue.tile.pull;
  MlirType type = mloptNvAccumulatorType(nv, &g->sums);
  MlirValue condition = isRepaired(nv, repair), sums[MLOPT_NV_MMA_MAX_FRAGMENT];
  MloptPullScope then = mloptPullBeginBranch(pull);
  mloptNvMmaFragment(nv, &g->sums, state->sums, sums);
  for (int64_t i = 0, n = mloptNvFragmentSize(&g->sums); i < n; ++i)
    sums[i] = mloptNvArith(nv, "arith.mulf", sums[i], repair[i / 2 % 2]);
  MlirValue repaired = mloptNvAccumulatorFrom(nv, &g->sums, sums);
  mloptPullEndBranch(pull, &then, 1, &repaired);
  MloptPullScope otherwise = mloptPullBeginBranch(pull);
  mloptPullEndBranch(pull, &otherwise, 1, &state->sums);
  mloptPullBuildIf(pull, condition, then, otherwise, 1, &type, &state->sums);
}

static void packWeights(MloptStreamKernel *g, const MlirValue *weights,
                        State *state) {
  for (intptr_t i = 0, n = numWeights(g); i < n; ++i)
    state->weights[i] = mloptNvPackPair(&g->nv, g->p.weight, weights[2 * i],
                                        weights[2 * i + 1]);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// A step: its scores become weights while the sums of the one before, if there
/// is one, are under way. Returns the scale of the scores.
static double takeStep(MloptStreamKernel *g, const MloptStreamConsumer *w,
                       MlirValue step, bool conditional, bool isFirst,
                       State *state) {
  MloptNv *nv = &g->nv;
  MloptPull *pull = g->epilogue.tile.pull;
  MloptPullMark mark = mloptPullMark(pull);
  mloptEpilogueEnter(&g->epilogue);
  bool isOverlapped = !isFirst && mloptStreamOverlaps(g);
  MlirValue fragment = startScores(g, w, state->k);
  if (!isFirst)
    startSums(g, w, state);
  if (!isFirst && !isOverlapped)
    finishSums(g, w, state);
  fragment = mloptNvMmaWait(nv, &g->scores, fragment, isOverlapped ? 1 : 0);
  mloptNvRingRelease(nv, &g->k, state->k.stage, w->lane, mloptNvInt(nv, 1));
  state->k = mloptNvRingNext(nv, &g->k, state->k);
  MlirValue scores[MLOPT_STREAM_MAX_SCORES], repair[MLOPT_STREAM_ROWS];
  mloptNvMmaFragment(nv, &g->scores, fragment, scores);
  double scale = mloptStreamScores(g, w, step, conditional, scores);
  mloptStreamStoreScores(g, w, step, scale, scores);
  mloptStreamSoftmax(g, scale, scores, &state->rows, repair);
  // ptxas moves the wait for the sums up within a basic block, before most of
  // what the Tensor Cores are to hide. The wait for this step's values ends it.
  MloptNvPlace next = isFirst ? state->v : mloptNvRingNext(nv, &g->v, state->v);
  mloptNvPin(nv, mloptNvFragmentSize(&g->scores), scores);
  mloptNvRingWait(nv, &g->v, next);
  if (isOverlapped)
    finishSums(g, w, state);
  packWeights(g, scores, state);
  if (!isFirst)
    repairSums(g, repair, state);
  state->v = next;
  mloptPullReset(pull, mark);
  return scale;
}

/// The steps from `from` to `end`.
static void takeSteps(MloptStreamKernel *g, const MloptStreamConsumer *w,
                      MlirValue from, MlirValue end, bool conditional,
                      State *state) {
  MloptNv *nv = &g->nv;
  MlirValue carried[MOST_CARRIED], in[MOST_CARRIED], step;
  intptr_t count = flatten(g, state, carried);
  MloptNvScope steps = mloptNvBeginFor(nv, from, end, mloptNvInt(nv, 1), count,
                                       carried, &step, in);
  unflatten(g, in, state);
  takeStep(g, w, step, conditional, false, state);
  flatten(g, state, in);
  mloptNvEndFor(nv, &steps, in, carried);
  unflatten(g, carried, state);
}

/// The first step is by itself: there are no sums yet. Q is given back when the
/// last scores are there.
static double takeAll(MloptStreamKernel *g, const MloptStreamConsumer *w,
                      State *state) {
  MloptNv *nv = &g->nv;
  const MloptStreamTile *tile = &g->tile;
  MloptStreamParts parts = mloptStreamPartsOf(g);
  double scale =
      takeStep(g, w, tile->from, mloptStreamHasConditions(g), true, state);
  MlirValue next = mloptNvAddInt(nv, tile->from, 1);
  if (parts.before) {
    MlirValue end = parts.full ? tile->fullFrom : tile->end;
    takeSteps(g, w, next, end, true, state);
    next = mloptNvArith(nv, "arith.maxsi", next, end);
  }
  if (parts.full) {
    MlirValue end = parts.behind ? tile->fullEnd : tile->end;
    takeSteps(g, w, next, end, false, state);
    next = mloptNvArith(nv, "arith.maxsi", next, end);
  }
  if (parts.behind)
    takeSteps(g, w, next, tile->end, true, state);
  mloptNvRingRelease(nv, &g->q, mloptNvInt(nv, 0), w->lane, mloptNvInt(nv, 1));
  startSums(g, w, state);
  finishSums(g, w, state);
  state->v = mloptNvRingNext(nv, &g->v, state->v);
  return scale;
}

void mloptStreamConsume(MloptStreamKernel *g) {
  MloptNv *nv = &g->nv;
  MloptPull *pull = g->epilogue.tile.pull;
  MloptStreamConsumer w;
  startConsumer(g, &w);
  MloptNvPlace first = mloptNvRingFirst(nv);
  // Q's parity, K's and V's place.
  MlirValue start[] = {first.parity, first.stage, first.parity}, in[3], out[3];
  MloptPullMark mark = mloptPullMark(pull);
  MloptNvScope tiles = mloptStreamBeginTiles(g, 3, start, in);
  placeRows(g, &w);
  State state = {.k = {in[1], in[2]},
                 .v = {in[1], in[2]},
                 .sums = mloptNvAccumulatorZero(nv, &g->sums),
                 .rows = mloptStreamRowsStart(g)};
  mloptNvRingWait(nv, &g->q, (MloptNvPlace){first.stage, in[0]});
  double scale = takeAll(g, &w, &state);
  MlirValue sums[MLOPT_NV_MMA_MAX_FRAGMENT];
  mloptNvMmaFragment(nv, &g->sums, state.sums, sums);
  mloptStreamRowsFinish(g, scale, &state.rows, sums);
  mloptStreamStore(g, &w, &state.rows, sums);
  MlirValue next[] = {mloptNvXor(nv, in[0], mloptNvInt(nv, 1)), state.k.stage,
                      state.k.parity};
  mloptNvEndFor(nv, &tiles, next, out);
  mloptPullReset(pull, mark);
  MloptNvScope last = mloptNvBeginIf(nv, w.isFirst);
  mloptNvWaitStoresRead(nv, 0); // the kernel's end waits for the writes
  mloptNvEndIf(nv, &last);
}
