//===- emit_matmul_fill.c - Factors that the producer computes ------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the program computes a factor (prologue.h), the producer's 128 threads
// fill its part of a stage, as TMA would: in rows of 128 bytes whose piece p,
// 16 bytes of 8 elements, lies at p ^ (row % 8). TMA loads the other factor
// beside them.
//
//   thread t: piece t % 8 of rows t / 8, t / 8 + 16, ...
//
//   source  ->  16 bytes                               cp.async  ->  stage
//   source  ->  registers  ->  elementwise code  ->  st.shared   ->  stage
//               of the next step while this one's are computed
//
// Rows are those of the factor, or where it is not k-major, of k. What lies
// beyond the factor's last row is computed from that.
//
//===----------------------------------------------------------------------===//

#include "emit_matmul_impl.h"

#include "nv_mma.h"

enum {
  LANES = 8, ///< elements of a piece, of 16 bits
  PIECE_BYTES = 16,
  PIECES = MLOPT_NV_ROW_BYTES / PIECE_BYTES,       ///< of a row
  ROWS_AT_ONCE = MLOPT_MATMUL_WARPGROUP / PIECES,  ///< of all threads
  BOX = 64,                                        ///< rows or columns
  PER_BOX = BOX / ROWS_AT_ONCE,                    ///< pieces of a thread
  MOST_PIECES = MLOPT_NV_MMA_MAX_N / ROWS_AT_ONCE, ///< of a thread
  MOST_WORDS = LANES,                              ///< of a piece's source
};

/// What a thread fills of the stages of a tile.
typedef struct Fill {
  const MloptPrologue *p;
  int side; ///< 0: A, 1: B
  bool isKMajor;
  int64_t count;                  ///< pieces of a stage
  MlirValue place;                ///< of the first one in a stage; 2 KiB apart
  MlirValue lane;                 ///< of the thread in its warp
  MlirValue rows[MOST_PIECES];    ///< of the tile's axis, as indices
  MlirValue depths[MOST_PIECES];  ///< from a step's start along k on, likewise
  MlirValue sources[MOST_PIECES]; ///< pointers, at k = 0 of the first step
} Fill;

static MlirValue plus(MloptNv *nv, MlirValue x, MlirValue y) {
  return mloptBuildBinary(nv->b, "arith.addi", x, y);
}

static MloptPull *pullOf(MloptMatmul *g) { return g->epilogue.tile.pull; }

static MlirValue times(MloptMatmul *g, MlirValue x, int64_t factor) {
  return factor == 1 ? x
                     : mloptBuildBinary(g->nv.b, "arith.muli", x,
                                        mloptPullIndex(pullOf(g), factor));
}

//===----------------------------------------------------------------------===//
// Where a tile's elements come from
//===----------------------------------------------------------------------===//

/// A function of the product's loops where the factor stands at row `row` of
/// its axis and `depth` of k.
static MlirValue valueOf(MloptMatmul *g, const Fill *f, const MloptAffine *x,
                         MlirValue row, MlirValue depth) {
  MlirValue at[] = {f->isKMajor ? row : depth, f->isKMajor ? depth : row};
  MlirValue sum = mloptPullIndex(pullOf(g), x->constant);
  for (int i = 0; i < 2; ++i) {
    int64_t factor = x->factor[f->p->loopOf[i]];
    if (factor)
      sum = plus(&g->nv, sum, times(g, at[i], factor));
  }
  return sum;
}

/// What the indices that a gather computes add to the position of a row.
static MlirValue gatheredPosition(MloptMatmul *g, const Fill *f, MlirValue row,
                                  MlirValue depth) {
  const MloptPrologue *p = f->p;
  MlirValue loops[MLOPT_MAX_RANK], sum = {NULL};
  intptr_t numLoops = mloptRank(mloptResultType(p->gather, 0));
  for (intptr_t l = 0; l < numLoops; ++l)
    loops[l] = valueOf(g, f, &p->loops[l], row, depth);
  int64_t stride = 1;
  for (intptr_t d = mloptRank(p->type); d-- > 0;
       stride *= mloptDim(p->type, d)) {
    MlirValue index;
    if (mlirValueIsNull(p->indices[d]))
      continue;
    mloptPullGenericBody(pullOf(g), p->gather, loops, 1, &p->indices[d],
                         &index);
    if (g->nv.b->failed)
      return index;
    index = times(g, index, stride);
    sum = mlirValueIsNull(sum) ? index : plus(&g->nv, sum, index);
  }
  return sum;
}

static MlirValue sourceOf(MloptMatmul *g, const Fill *f, MlirValue row,
                          MlirValue depth) {
  MloptPull *pull = pullOf(g);
  MlirValue position = valueOf(g, f, &f->p->position, row, depth);
  if (!mlirOperationIsNull(f->p->extract)) {
    MlirValue gathered = gatheredPosition(g, f, row, depth);
    if (!mlirValueIsNull(gathered))
      position = plus(&g->nv, position, gathered);
  }
  return mloptPullAddress(pull, mloptPullFindPointer(pull, f->p->source),
                          f->p->type, position);
}

/// How far piece `i`'s source is from the first one's where no row is beyond
/// the last one, in elements.
static int64_t distanceTo(const Fill *f, int64_t i) {
  int64_t outer = f->p->position.factor[f->p->loopOf[0]];
  return f->isKMajor ? i * ROWS_AT_ONCE * outer
                     : i / PER_BOX * BOX + i % PER_BOX * ROWS_AT_ONCE * outer;
}

/// The thread's pieces in the stages of a tile.
static Fill beginFill(MloptMatmul *g, MloptMatmulTile tile) {
  MloptNv *nv = &g->nv;
  MloptPull *pull = pullOf(g);
  Fill f = {.p = &g->c.prologue, .side = g->c.computes[1]};
  f.isKMajor = (f.side ? &g->c.b : &g->c.a)->isKMajor;
  f.count = g->s.tile[f.side] / ROWS_AT_ONCE;
  f.lane = mloptNvAndInt(nv, g->thread, 31);
  MlirValue piece = mloptNvAndInt(nv, g->thread, PIECES - 1);
  MlirValue first = mloptNvShrInt(nv, g->thread, 3);
  MlirValue swizzled = mloptNvXor(nv, piece, mloptNvAndInt(nv, first, 7));
  f.place = mloptNvAdd(nv, mloptNvMulInt(nv, first, MLOPT_NV_ROW_BYTES),
                       mloptNvMulInt(nv, swizzled, PIECE_BYTES));
  MlirValue start = f.side ? tile.n : tile.m;
  MlirValue along = mloptNvMulInt(nv, piece, LANES);
  int64_t size = g->c.sizes[f.side ? MLOPT_AXIS_N : MLOPT_AXIS_M];
  bool isEven =
      size % g->s.tile[f.side] == 0 && mlirOperationIsNull(f.p->extract);
  for (int64_t i = 0; i < f.count; ++i) {
    MlirValue row = f.isKMajor ? mloptNvAddInt(nv, first, i * ROWS_AT_ONCE)
                               : mloptNvAddInt(nv, along, i / PER_BOX * BOX);
    row = mloptNvMin(nv, mloptNvAdd(nv, start, row),
                     mloptNvInt(nv, size - (f.isKMajor ? 1 : LANES)));
    f.rows[i] = mloptNvToIndex(nv, row);
    f.depths[i] = mloptNvToIndex(
        nv, f.isKMajor ? along
                       : mloptNvAddInt(nv, first, i % PER_BOX * ROWS_AT_ONCE));
    // Constant distances are part of the instruction.
    f.sources[i] =
        isEven && i ? mloptPullAddress(pull, f.sources[0], f.p->type,
                                       mloptPullIndex(pull, distanceTo(&f, i)))
                    : sourceOf(g, &f, f.rows[i], f.depths[i]);
  }
  return f;
}

/// How far the source has moved, in elements, where step `step` starts.
static MlirValue moved(MloptMatmul *g, const Fill *f, MlirValue step) {
  MlirValue start = mloptNvToIndex(&g->nv, mloptMatmulStartOfStep(g, step));
  return times(g, start,
               f->p->position.factor[f->p->loopOf[f->isKMajor ? 1 : 0]]);
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// Waits for an empty stage, and lets TMA load the other factor's part.
static void openStage(MloptMatmul *g, const Fill *f, MloptMatmulTile tile,
                      MlirValue step, MloptNvPlace here) {
  MloptNv *nv = &g->nv;
  mloptNvRingAwaitEmpty(nv, &g->ring, here);
  MloptNvScope first = mloptNvBeginIf(nv, g->isFirst);
  MlirValue barrier = mloptNvRingExpect(
      nv, &g->ring, here.stage, f->side ? g->shared.aBytes : g->shared.bBytes);
  (f->side ? mloptMatmulLoadA : mloptMatmulLoadB)(g, tile, step, here.stage,
                                                  barrier);
  mloptNvEndIf(nv, &first);
}

/// Where the thread's first piece of a stage lies.
static MlirValue placeIn(MloptMatmul *g, const Fill *f, MlirValue stage) {
  MlirValue start =
      f->side ? mloptMatmulStageOffset(g, stage, g->shared.b, g->shared.bBytes)
              : mloptMatmulStageOffset(g, stage, g->shared.a, g->shared.aBytes);
  return mloptNvAdd(&g->nv, start, f->place);
}

enum { FURTHER = ROWS_AT_ONCE * MLOPT_NV_ROW_BYTES }; ///< the next piece

/// Elements that are the source's: by cp.async.
static void copyStage(MloptMatmul *g, const Fill *f, MlirValue step,
                      MlirValue stage) {
  MloptNv *nv = &g->nv;
  MlirValue position = moved(g, f, step);
  MlirValue address =
      mloptNvAddress(nv, mloptNvShared(nv, placeIn(g, f, stage)));
  for (int64_t i = 0; i < f->count; ++i)
    mloptNvCopyAsync(
        nv, address, i * FURTHER,
        mloptPullAddress(pullOf(g), f->sources[i], f->p->type, position), 0,
        PIECE_BYTES, (MlirValue){NULL});
  mloptNvRingCopying(nv, &g->ring, stage);
}

/// The source's words of piece `i` in a step; how many there are.
static int loadPiece(MloptMatmul *g, const Fill *f, MlirValue step, int64_t i,
                     MlirValue *out) {
  return mloptTileLoadWords(&g->epilogue.tile, f->sources[i], f->p->type,
                            moved(g, f, step), LANES, out);
}

/// Computes piece `i` of a step from the source's words.
static void computePiece(MloptMatmul *g, const Fill *f, MlirValue step,
                         int64_t i, const MlirValue *words, MlirValue *out) {
  MloptNv *nv = &g->nv;
  MloptTile *tile = &g->epilogue.tile;
  MlirValue elements[LANES];
  mloptTileUnpack(tile, mloptElementType(f->p->type), LANES, words, elements);
  MlirValue depth = plus(
      nv, mloptNvToIndex(nv, mloptMatmulStartOfStep(g, step)), f->depths[i]);
  MlirValue outer = f->isKMajor ? f->rows[i] : depth;
  MloptVector vector;
  mloptPullBindOuter(pullOf(g), outer);
  mloptTileVectorIn(tile, outer, f->p->sizes[1],
                    f->isKMajor ? depth : f->rows[i], LANES, &vector);
  g->epilogue.source = elements;
  mloptTileEvaluate(tile, &vector, f->p->factor, out);
  g->epilogue.source = NULL;
  tile->vector = NULL;
}

/// Stores it in the stage whose first piece of this thread lies at `place`.
static void storePiece(MloptMatmul *g, const MlirValue *elements,
                       MlirValue place, int64_t i) {
  MloptNv *nv = &g->nv;
  MloptVector to = {.count = LANES, .position = {mloptPullIndex(pullOf(g), 0)}};
  mloptTileStore(&g->epilogue.tile, &to,
                 mloptNvShared(nv, mloptNvAddInt(nv, place, i * FURTHER)),
                 elements);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static void copySteps(MloptMatmul *g, const Fill *f, MloptMatmulTile tile,
                      const MloptMatmulItem *item, MlirValue place[2]) {
  MloptNv *nv = &g->nv;
  MlirValue step, in[2];
  MloptNvScope steps = mloptNvBeginFor(nv, item->first, item->end,
                                       mloptNvInt(nv, 1), 2, place, &step, in);
  MloptNvPlace here = {in[0], in[1]};
  openStage(g, f, tile, step, here);
  copyStage(g, f, step, here.stage);
  MloptNvPlace after = mloptNvRingNext(nv, &g->ring, here);
  MlirValue next[] = {after.stage, after.parity};
  mloptNvEndFor(nv, &steps, next, place);
}

static void computeSteps(MloptMatmul *g, const Fill *f, MloptMatmulTile tile,
                         const MloptMatmulItem *item, MlirValue place[2]) {
  enum { CARRIED = 2 + MOST_PIECES * MOST_WORDS };
  MloptNv *nv = &g->nv;
  MlirValue start[CARRIED] = {place[0], place[1]}, in[CARRIED], next[CARRIED];
  MlirValue step;
  int words = 0;
  for (int64_t i = 0; i < f->count; ++i)
    words = loadPiece(g, f, item->first, i, &start[2 + i * words]);
  intptr_t carried = 2 + f->count * words;
  // Loads what all steps share, as what depends on rows alone; LLVM drops the
  // rest.
  MlirValue out[LANES];
  for (int64_t i = 0; i < f->count; ++i)
    computePiece(g, f, item->first, i, &start[2 + i * words], out);
  MloptNvScope steps = mloptNvBeginFor(
      nv, item->first, item->end, mloptNvInt(nv, 1), carried, start, &step, in);
  g->epilogue.tile.block = nv->b->block; // and keeps what is loaded
  MloptNvPlace here = {in[0], in[1]};
  openStage(g, f, tile, step, here);
  MlirValue at = placeIn(g, f, here.stage);
  // The last step's is loaded again, for nobody.
  MlirValue later = mloptNvMin(nv, mloptNvAddInt(nv, step, 1),
                               mloptNvAddInt(nv, item->end, -1));
  for (int64_t i = 0; i < f->count; ++i) {
    computePiece(g, f, step, i, &in[2 + i * words], out);
    storePiece(g, out, at, i);
    loadPiece(g, f, later, i, &next[2 + i * words]);
  }
  mloptNvRingFilled(nv, &g->ring, here.stage, f->lane);
  MloptNvPlace after = mloptNvRingNext(nv, &g->ring, here);
  next[0] = after.stage;
  next[1] = after.parity;
  MlirValue end[CARRIED];
  mloptNvEndFor(nv, &steps, next, end);
  place[0] = end[0];
  place[1] = end[1];
}

void mloptMatmulFill(MloptMatmul *g, MloptMatmulTile tile,
                     const MloptMatmulItem *item, MlirValue place[2]) {
  MloptPullMark mark = mloptPullMark(pullOf(g));
  mloptTileEnter(&g->epilogue.tile);
  Fill f = beginFill(g, tile);
  (f.p->operations ? computeSteps : copySteps)(g, &f, tile, item, place);
  mloptPullReset(pullOf(g), mark);
  mloptTileEnter(&g->epilogue.tile);
}
