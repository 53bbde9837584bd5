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
//   S = Q K[0]   O += P V[last] of    wait S   softmax   wait O   store O
//                the tile before                                  O = 0
//   S = Q K[1]   O += P V[0]          wait S   softmax   wait O   repair O
//   S = Q K[2]   O += P V[1]          wait S   softmax   wait O   repair O
//   ...
//
// So do a tile's first step and the last sums of the one before. Before the
// first tile, weights are zero, and what they give is not stored. Where ptxas
// would call functions for the scores, O is waited for with S. Weights P are
// the fragment of S, rounded, as the A of the second product.
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

/// The rows of a tile that the warpgroup computes.
static void placeRows(MloptStreamKernel *g, MloptStreamConsumer *w,
                      MlirValue batch, MlirValue row) {
  MloptNv *nv = &g->nv;
  int64_t rows = g->p.scores.sizes[MLOPT_AXIS_M];
  w->batch = batch;
  w->row = mloptNvAdd(nv, row, mloptNvMulInt(nv, w->index, MLOPT_NV_MMA_ROWS));
  w->batchIndex = mloptNvToIndex(nv, batch);
  w->column = mloptNvFragmentColumn(nv, g->thread, 0);
  for (int i = 0; i < MLOPT_STREAM_ROWS; ++i) {
    w->rows[i] =
        mloptNvAdd(nv, w->row, mloptNvFragmentRow(nv, g->thread, 2 * i));
    MlirValue inside = w->rows[i];
    if (rows % g->s.tile[0])
      inside = mloptNvMin(nv, inside, mloptNvInt(nv, rows - 1));
    w->rowIndices[i] = mloptNvToIndex(nv, inside);
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

/// Waits for them; the values are given back if `loaded`.
static void finishSums(MloptStreamKernel *g, const MloptStreamConsumer *w,
                       MlirValue loaded, State *state) {
  MloptNv *nv = &g->nv;
  state->sums = mloptNvMmaWait(nv, &g->sums, state->sums, 0);
  mloptNvRingRelease(nv, &g->v, state->v.stage, w->lane, loaded);
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

/// The tile whose last sums are under way in the first step of the next one.
typedef struct Before {
  MloptStreamConsumer at; ///< where it is
  MlirValue exists;       ///< i32: 0 before the first tile
} Before;

static double scaleOf(const MloptStreamKernel *g) {
  return g->p.scale > 0 ? g->p.scale : 1;
}

static void storeTile(MloptStreamKernel *g, const MloptStreamConsumer *w,
                      MloptStreamRows rows, MlirValue accumulator) {
  MlirValue sums[MLOPT_NV_MMA_MAX_FRAGMENT];
  mloptNvMmaFragment(&g->nv, &g->sums, accumulator, sums);
  if (g->s.splits > 1)
    mloptStreamCombine(g, scaleOf(g), &rows, sums);
  mloptStreamRowsFinish(g, scaleOf(g), &rows, sums);
  mloptStreamStore(g, w, &rows, sums);
}

/// Stores the tile before, if there is one, and starts sums anew.
static void endBefore(MloptStreamKernel *g, const Before *before,
                      const MloptStreamRows *rows, State *state) {
  MloptNv *nv = &g->nv;
  MloptPull *pull = g->epilogue.tile.pull;
  MlirValue exists =
      mloptBuildCmpI(nv->b, "ne", before->exists, mloptNvInt(nv, 0));
  MloptPullScope guard = mloptPullBeginGuard(pull, exists);
  storeTile(g, &before->at, *rows, state->sums);
  mloptPullEndGuard(pull, exists, guard);
  state->sums = mloptNvAccumulatorZero(nv, &g->sums);
}

/// A step: its scores become weights while the sums of the one before are under
/// way. `before`: for the first step of a tile; null for others.
static void takeStep(MloptStreamKernel *g, const MloptStreamConsumer *w,
                     MlirValue step, bool conditional, const Before *before,
                     State *state) {
  MloptNv *nv = &g->nv;
  MloptPull *pull = g->epilogue.tile.pull;
  MloptPullMark mark = mloptPullMark(pull);
  mloptEpilogueEnter(&g->epilogue);
  bool hasSums = !before || !mloptStreamIsAlone(&g->p, &g->s);
  bool isOverlapped = hasSums && mloptStreamOverlaps(g);
  MlirValue loaded = before ? before->exists : mloptNvInt(nv, 1);
  MlirValue fragment = startScores(g, w, state->k);
  if (hasSums)
    startSums(g, w, state);
  if (hasSums && !isOverlapped)
    finishSums(g, w, loaded, state);
  fragment = mloptNvMmaWait(nv, &g->scores, fragment, isOverlapped ? 1 : 0);
  mloptNvRingRelease(nv, &g->k, state->k.stage, w->lane, mloptNvInt(nv, 1));
  state->k = mloptNvRingNext(nv, &g->k, state->k);
  MlirValue scores[MLOPT_STREAM_MAX_SCORES], repair[MLOPT_STREAM_ROWS];
  mloptNvMmaFragment(nv, &g->scores, fragment, scores);
  double scale = mloptStreamScores(g, w, step, conditional, scores);
  mloptStreamStoreScores(g, w, step, scale, scores);
  MloptStreamRows rows = state->rows;
  if (before)
    state->rows = mloptStreamRowsStart(g);
  mloptStreamSoftmax(g, scale, scores, &state->rows, repair);
  // ptxas moves the wait for the sums up within a basic block, before most of
  // what the Tensor Cores are to hide. The wait for this step's values ends it.
  MloptNvPlace next = mloptNvRingNext(nv, &g->v, state->v);
  mloptNvPin(nv, mloptNvFragmentSize(&g->scores), scores);
  mloptNvRingWait(nv, &g->v, next);
  if (isOverlapped)
    finishSums(g, w, loaded, state);
  packWeights(g, scores, state);
  if (before && hasSums)
    endBefore(g, before, &rows, state);
  else if (!before)
    repairSums(g, repair, state);
  state->v = next;
  mloptPullReset(pull, mark);
}

/// The steps from the `from`-th last one to before the `end`-th last one.
static void takeSteps(MloptStreamKernel *g, const MloptStreamConsumer *w,
                      MlirValue from, MlirValue end, bool conditional,
                      State *state) {
  MloptNv *nv = &g->nv;
  MlirValue carried[MOST_CARRIED], in[MOST_CARRIED], back;
  intptr_t count = flatten(g, state, carried);
  MloptNvScope steps = mloptNvBeginFor(nv, from, end, mloptNvInt(nv, 1), count,
                                       carried, &back, in);
  unflatten(g, in, state);
  takeStep(g, w, mloptStreamStepAt(g, back), conditional, NULL, state);
  flatten(g, state, in);
  mloptNvEndFor(nv, &steps, in, carried);
  unflatten(g, carried, state);
}

/// The steps of a tile, the last one first.
static void takeAll(MloptStreamKernel *g, const MloptStreamConsumer *w,
                    const Before *before, State *state) {
  MloptNv *nv = &g->nv;
  const MloptStreamTile *tile = &g->tile;
  MloptStreamParts parts = mloptStreamPartsOf(g);
  MlirValue next = mloptNvInt(nv, 0);
  takeStep(g, w, mloptStreamStepAt(g, next), mloptStreamHasConditions(g),
           before, state);
  next = mloptNvInt(nv, 1);
  const struct {
    bool exists, conditional;
    MlirValue until;
  } all[] = {{parts.behind, true, tile->fullEnd},
             {parts.full, false, parts.before ? tile->fullFrom : tile->from},
             {parts.before, true, tile->from}};
  for (size_t i = 0; i < MLOPT_COUNT(all); ++i) {
    if (!all[i].exists)
      continue;
    MlirValue end = mloptNvArith(nv, "arith.subi", tile->end, all[i].until);
    takeSteps(g, w, next, end, all[i].conditional, state);
    next = mloptNvArith(nv, "arith.maxsi", next, end);
  }
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// What is known before the first tile: V's place is such that the next one is
/// the ring's first.
static State startState(MloptStreamKernel *g) {
  MloptNv *nv = &g->nv;
  MloptNvPlace first = mloptNvRingFirst(nv);
  State state = {.k = first,
                 .v = {mloptNvInt(nv, g->s.stages - 1), mloptNvInt(nv, 1)},
                 .sums = mloptNvAccumulatorZero(nv, &g->sums),
                 .rows = mloptStreamRowsStart(g)};
  for (intptr_t i = 0, n = numWeights(g); i < n; ++i)
    state.weights[i] = mloptNvInt(nv, 0);
  return state;
}

/// Q's place, the tile before and whether there is one, as i32.
enum { Q_STAGE, Q_PARITY, BATCH, ROW, EXISTS, OF_TILES };

void mloptStreamConsume(MloptStreamKernel *g) {
  MloptNv *nv = &g->nv;
  MloptPull *pull = g->epilogue.tile.pull;
  MlirValue start[OF_TILES + MOST_CARRIED], in[OF_TILES + MOST_CARRIED],
      out[OF_TILES + MOST_CARRIED];
  MloptStreamConsumer w;
  startConsumer(g, &w);
  State state = startState(g);
  for (int i = 0; i < OF_TILES; ++i)
    start[i] = mloptNvInt(nv, 0);
  intptr_t count = OF_TILES + flatten(g, &state, start + OF_TILES);
  MloptPullMark mark = mloptPullMark(pull);
  MloptNvScope tiles = mloptStreamBeginTiles(g, count, start, in);
  unflatten(g, in + OF_TILES, &state);
  Before before = {.at = w, .exists = in[EXISTS]};
  placeRows(g, &before.at, in[BATCH], in[ROW]);
  placeRows(g, &w, g->tile.batch, g->tile.row);
  MloptNvPlace q = {in[Q_STAGE], in[Q_PARITY]};
  w.q = mloptNvDescriptorAt(nv, w.q,
                            mloptNvMulInt(nv, q.stage, g->shared.qBytes));
  mloptNvRingWait(nv, &g->q, q);
  takeAll(g, &w, &before, &state);
  mloptNvRingRelease(nv, &g->q, q.stage, w.lane, mloptNvInt(nv, 1));
  q = mloptNvRingNext(nv, &g->q, q);
  in[Q_STAGE] = q.stage;
  in[Q_PARITY] = q.parity;
  in[BATCH] = g->tile.batch;
  in[ROW] = g->tile.row;
  in[EXISTS] = mloptNvInt(nv, 1);
  flatten(g, &state, in + OF_TILES);
  mloptNvEndFor(nv, &tiles, in, out);
  mloptPullReset(pull, mark);
  unflatten(g, out + OF_TILES, &state);
  placeRows(g, &w, out[BATCH], out[ROW]);
  startSums(g, &w, &state);
  finishSums(g, &w, mloptNvInt(nv, 0), &state);
  storeTile(g, &w, state.rows, state.sums);
  MloptNvScope last = mloptNvBeginIf(nv, w.isFirst);
  mloptNvWaitStoresRead(nv, 0); // the kernel's end waits for the writes
  mloptNvEndIf(nv, &last);
}
