//===- emit_tiled_direct.c - Products straight from memory ----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where one side of a product is short, a kernel does little but read the
// factor of the long one. That is as fast as a plain read if there are many
// short blocks, each with many loads under way and next to nothing before its
// first and after its last: so factors go from memory into the registers of
// mma.sync's fragments. The short factor stays in the first level of cache,
// which the long one passes by.
//
// k may come in any order that both factors share. Of the short factor, whose
// rows are the fragments' columns, a lane has a quarter of 64 bytes of a row,
// 32 elements of 16 bits, or of as many as four lanes have of a long factor
// that is computed from bytes (g = lane / 4, t = lane % 4):
//
//   row g:  | t = 0: 0..7 | t = 1: 8..15 | t = 2: 16..23 | t = 3: 24..31 |
//
// Words 0 and 1 are what a first product counts as k = 2t, 2t+1, 2t+8, 2t+9,
// words 2 and 3 the same of a second. Of 8 bits, each word has four k in place
// of two.
//
// Memory gives whole lines of 128 bytes faster than halves. So of the long
// factor, eight lanes have 64 elements of a row, which then stands in two of
// the fragment's rows, a half of its k in each:
//
//   fragment's row 0: row 0, k 0..31    its products with k 0..31 of the short
//   fragment's row 1: row 0, k 32..63   factor are right in row 0, those with
//   fragment's row 2: row 1, k 0..31    k 32..63 in row 1: two sums, of which
//   ...                                 every other row is added up at the end
//
// Each group of warps takes a part of a step's k:
//
//   step s: load the short factor of s, the long one of s + 1, multiply s
//
//===----------------------------------------------------------------------===//

#include "emit_tiled_impl.h"

enum {
  LANES = 4,         ///< that have a row of the short factor
  HALVES = 2,        ///< of what eight lanes have
  MOST_CHUNKS = 8,   ///< of a step
  MOST_COLUMNS = 16, ///< vectors of the short factor
  MOST_ROWS = 16,    ///< vectors of a chunk
  FRAGMENT = 4,      ///< sums of a lane
};

/// What a lane has loaded of a factor for one step.
typedef MloptTiledLoaded Loaded[MOST_CHUNKS];
/// The vectors of a chunk as fragments have them.
typedef MlirValue Fragments[MOST_ROWS][MLOPT_TILED_MAX_WORDS];

/// Elements of k that four lanes have.
static int64_t chunkOf(const MloptTiled *g) {
  return LANES * mloptTiledLane(&g->p);
}

/// Words of a vector in fragments.
static int64_t wordsOf(const MloptTiled *g) {
  int64_t bytes = mloptElementWidth(g->factors[0].stored) / 8;
  return mloptTiledLane(&g->p) * bytes / 4;
}

/// Lines of a row of the long factor in a group's step.
static int64_t linesOf(const MloptTiled *g) {
  return g->s.tile[2] / g->s.groups / chunkOf(g) / HALVES;
}

/// Blocks of fragments along the rows, and along the columns.
static int64_t blocksOf(const MloptTiled *g) {
  return g->factors[mloptTiledLongFactor(&g->p)].count / 2;
}

static int columnsOf(const MloptTiled *g) {
  return g->factors[!mloptTiledLongFactor(&g->p)].count;
}

static intptr_t numSums(const MloptTiled *g) {
  return blocksOf(g) * columnsOf(g) * HALVES * FRAGMENT;
}

/// Where the sums of a block with one half of k start.
static MlirValue *sumsOf(MloptTiled *g, int64_t block, int64_t column,
                         int half) {
  return &g->sums[((block * columnsOf(g) + column) * HALVES + half) * FRAGMENT];
}

/// Chunks of `size` elements of k each, of a group's part of a step.
static void loadChunks(MloptTiled *g, int factor, MlirValue step, int64_t size,
                       Loaded out) {
  MlirValue k = mloptTiledDepthOf(g, step);
  for (int64_t c = 0; c < g->s.tile[2] / g->s.groups / size; ++c)
    mloptTiledLoad(g, &g->factors[factor], mloptTiledAddInt(g, k, c * size),
                   (MlirValue){NULL}, &out[c]);
}

/// Where chunks that were loaded in the step before start.
static void startChunks(MloptTiled *g, MlirValue step, int64_t size,
                        Loaded out) {
  MlirValue k = mloptTiledDepthOf(g, step);
  for (int64_t c = 0; c < g->s.tile[2] / g->s.groups / size; ++c)
    out[c].k = mloptTiledAddInt(g, k, c * size);
}

static void settleChunk(MloptTiled *g, int factor,
                        const MloptTiledLoaded *loaded, Fragments out) {
  const MloptTiledFactor *f = &g->factors[factor];
  for (int i = 0; i < f->count; ++i)
    mloptTiledSettle(g, f, loaded, i, out[i]);
}

/// The products of one line of each row, 16 of k at a time.
static void multiplyLine(MloptTiled *g, int64_t line, const Loaded rows,
                         const Loaded columns) {
  int longer = mloptTiledLongFactor(&g->p);
  Fragments settled, others[HALVES];
  settleChunk(g, longer, &rows[line], settled);
  for (int half = 0; half < HALVES; ++half)
    settleChunk(g, !longer, &columns[line * HALVES + half], others[half]);
  for (int64_t step = 0; step < wordsOf(g); step += 2) {
    MloptTiledFragment a, b[HALVES][MOST_COLUMNS];
    for (int half = 0; half < HALVES; ++half)
      for (int j = 0; j < columnsOf(g); ++j)
        mloptTiledMakeFragment(g, !longer, 2, &others[half][j][step],
                               &b[half][j]);
    for (int64_t i = 0; i < blocksOf(g); ++i) {
      const MlirValue *low = settled[2 * i], *high = settled[2 * i + 1];
      const MlirValue words[] = {low[step], high[step], low[step + 1],
                                 high[step + 1]};
      mloptTiledMakeFragment(g, longer, 4, words, &a);
      for (int turn = 0; turn < mloptTiledTurns(g); ++turn)
        for (int half = 0; half < HALVES; ++half)
          for (int j = 0; j < columnsOf(g); ++j)
            mloptTiledMultiplyFragments(g, longer, a.words[turn],
                                        b[half][j].words[turn],
                                        sumsOf(g, i, j, half));
    }
  }
}

/// The value of the lane whose fragment's row is the other half of this one's.
static MlirValue fromOtherHalf(MloptTiled *g, MlirValue value) {
  return mloptNvPtx(&g->nv, "shfl.sync.bfly.b32 $0, $1, 4, 31, -1;",
                    mlirTypeIsAF32(g->p.sum) ? "=f,f" : "=r,r", 1, &value,
                    g->p.sum);
}

/// Adds what is right of the two sums of each block: of the lane's two rows,
/// the first where its fragment's row is even, else the second.
static void addHalves(MloptTiled *g) {
  MloptBuilder *b = g->nv.b;
  MlirValue isEven = mloptNvEqInt(&g->nv, mloptNvAndInt(&g->nv, g->lane, 4), 0);
  const char *add = mlirTypeIsAF32(g->p.sum) ? "arith.addf" : "arith.addi";
  MlirValue sums[MLOPT_TILED_MAX_SUMS];
  intptr_t count = 0;
  for (int64_t i = 0; i < blocksOf(g); ++i)
    for (int64_t j = 0; j < columnsOf(g); ++j) {
      const MlirValue *even = sumsOf(g, i, j, 0), *odd = sumsOf(g, i, j, 1);
      for (int e = 0; e < 2; ++e) {
        MlirValue own = mloptBuildSelect(b, isEven, even[e], odd[e + 2]);
        MlirValue sent = mloptBuildSelect(b, isEven, even[e + 2], odd[e]);
        sums[count++] = mloptBuildBinary(b, add, own, fromOtherHalf(g, sent));
      }
    }
  memcpy(g->sums, sums, (size_t)count * sizeof *sums);
}

/// Calls `visit` with each value that the loop carries, what was loaded of the
/// long factor for a step, then the sums. Returns how many there are.
static intptr_t visitCarried(MloptTiled *g, Loaded rows,
                             void (*visit)(MlirValue *value, MlirValue **list),
                             MlirValue *list) {
  MlirValue *first = list;
  const MloptTiledFactor *f = &g->factors[mloptTiledLongFactor(&g->p)];
  int words = mloptTiledLoadedWords(f);
  for (int64_t c = 0; c < linesOf(g); ++c)
    for (int i = 0; i < f->count; ++i) {
      for (int w = 0; w < words; ++w)
        visit(&rows[c].words[i][w], &list);
      if (f->isShifted) {
        visit(&rows[c].shift[i], &list);
        visit(&rows[c].left[i], &list);
      }
    }
  for (intptr_t i = 0; i < numSums(g); ++i)
    visit(&g->sums[i], &list);
  return list - first;
}

static void append(MlirValue *value, MlirValue **list) { *(*list)++ = *value; }

static void take(MlirValue *value, MlirValue **list) { *value = *(*list)++; }

void mloptTiledMultiplyDirect(MloptTiled *g) {
  MloptNv *nv = &g->nv;
  int longer = mloptTiledLongFactor(&g->p);
  MlirValue carried[MLOPT_NV_MAX_CARRIED], in[MLOPT_NV_MAX_CARRIED], step;
  Loaded rows, columns, next;
  int64_t chunk = chunkOf(g), line = HALVES * chunk;
  loadChunks(g, longer, g->firstStep, line, rows);
  for (intptr_t i = 0; i < numSums(g); ++i)
    g->sums[i] = g->sums[0];
  intptr_t n = visitCarried(g, rows, append, carried);
  MloptNvScope steps = mloptNvBeginFor(
      nv, g->firstStep, g->endStep, mloptNvInt(nv, 1), n, carried, &step, in);
  visitCarried(g, rows, take, in);
  startChunks(g, step, line, rows);
  loadChunks(g, !longer, step, chunk, columns);
  loadChunks(g, longer, mloptNvAddInt(nv, step, 1), line, next);
  for (int64_t i = 0; i < linesOf(g); ++i)
    multiplyLine(g, i, rows, columns);
  visitCarried(g, next, append, carried);
  mloptNvEndFor(nv, &steps, carried, in);
  visitCarried(g, rows, take, in);
  addHalves(g);
}
