//===- emit_matmul_reduce.c - Reductions of a product's rows --------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warpgroup holds all columns of its rows of a tile, and four neighbouring
// threads all of a row:
//
//          columns  0 1 | 2 3 | 4 5 | 6 7 || 8 9 | ..
//   row 0          t0   | t1  | t2  | t3  || t0  | ..     t0..t3 reduce rows
//   row 8          t0   | t1  | t2  | t3  || t0  | ..     0 and 8
//
// Each thread reduces what it has of a row, then the four do; each of them has
// the result, which the next reduction and the epilogue read. A reduction reads
// the accumulators again, and computes what it reduces from them; of columns
// beyond C, nothing. The order is the same for every tile.
//
// Where parts of rows are reduced, so are the blocks that hold some together:
//
//   | part 0 | part 1 | part 2 | part 3 |      n, parts of 32
//   | block 0         | block 1         |      reduced two by two
//
//===----------------------------------------------------------------------===//

#include "emit_matmul_impl.h"

/// Whether parts are all of n.
static bool areWhole(const MloptMatmul *g) {
  return g->c.rowColumns == g->c.sizes[MLOPT_AXIS_N];
}

int64_t mloptMatmulReducedColumns(const MloptMatmul *g) {
  int64_t block = mloptMatmulBlockColumns(&g->c), columns = block;
  if (!g->c.numOfRows)
    return block;
  if (areWhole(g))
    return mloptMatmulProductColumns(&g->c, &g->s);
  while (columns % g->c.rowColumns)
    columns += block;
  return columns;
}

/// The part that a column is of; those beyond C are of the last one.
static int64_t partOf(const MloptMatmul *g, int64_t column) {
  return areWhole(g) ? 0 : column / g->c.rowColumns;
}

static int64_t columnOf(const MloptMatmulBlock *block, int64_t element) {
  return block->first + element / 4 * 8;
}

static void enterPart(MloptMatmul *g, const MloptMatmulReduced *reduced,
                      int64_t part, int64_t row) {
  for (intptr_t i = 0; i < g->c.numOfRows; ++i)
    g->epilogue.rows[i] = reduced->at[i][part][row];
}

void mloptMatmulEnterRow(MloptMatmul *g, const MloptMatmulBlock *block,
                         int64_t element) {
  if (g->c.numOfRows)
    enterPart(g, block->reduced, partOf(g, columnOf(block, element)),
              element / 2 % 2);
}

//===----------------------------------------------------------------------===//
// A reduction
//===----------------------------------------------------------------------===//

/// Columns on their way.
typedef struct Columns {
  MloptMatmulTile tile;
  MlirValue row; ///< the consumer's first
  int64_t first; ///< block
  const MlirValue *fragment;
  MloptMatmulReduced *reduced;
} Columns;

static MloptMatmulBlock openBlock(MloptMatmul *g, const Columns *c, int64_t i) {
  MloptMatmulBlock block;
  mloptMatmulOpenBlock(g, c->tile, c->row, c->first + i, c->fragment, &block);
  block.reduced = c->reduced;
  block.first = i * block.numColumns;
  return block;
}

/// The neutral element in place of one in a column beyond C.
static MlirValue inside(MloptMatmul *g, const MloptShared *shared,
                        const MloptMatmulBlock *block, int64_t element,
                        MlirValue value) {
  MloptNv *nv = &g->nv;
  int64_t columns = g->c.sizes[MLOPT_AXIS_N];
  if (!areWhole(g) || columnOf(block, element) + 8 <= columns)
    return value;
  MlirValue column =
      mloptNvAddInt(nv, block->columns[element / 4], element % 2);
  return mloptBuildSelect(
      nv->b, mloptBuildCmpI(nv->b, "ult", column, mloptNvInt(nv, columns)),
      value, mloptBuildNeutral(g->epilogue.tile.pull, shared, 0));
}

enum {
  CHAINS = 2,   ///< of each row: a thread's even and odd columns
  AT_ONCE = 16, ///< elements of a thread in a basic block
};

/// Adds what this thread has of a block; null is nothing yet.
static void reduceBlock(MloptMatmul *g, const MloptMatmulConsumer *w,
                        const MloptShared *shared, intptr_t i,
                        const MloptMatmulBlock *block,
                        MlirValue out[][2][CHAINS]) {
  MloptPull *pull = g->epilogue.tile.pull;
  for (int64_t e = 0; e < block->numColumns / 2; e += 2) {
    int64_t column = columnOf(block, e);
    if (areWhole(g) && column >= g->c.sizes[MLOPT_AXIS_N])
      continue;
    // As before what a block stores, no accumulator is read in the basic block
    // of the wait for it; and ptxas, which would begin with all columns at
    // once, has registers for so many.
    if (e % AT_ONCE == 0)
      mloptMatmulAwaitSlot(g, w);
    MlirValue pair[2];
    mloptMatmulEvaluate(g, block, &g->c.rowInputs[i], false, e, pair);
    for (int lane = 0; lane < 2; ++lane) {
      MlirValue *sum = &out[partOf(g, column)][e / 2 % 2][lane];
      MlirValue element = inside(g, shared, block, e + lane, pair[lane]);
      if (mlirValueIsNull(*sum))
        *sum = element;
      else
        mloptBuildStep(pull, shared, sum, &element);
    }
  }
}

/// What four threads have found, with what the program starts from.
static MlirValue finish(MloptMatmul *g, const MloptShared *shared, intptr_t i,
                        const MlirValue *axes, MlirValue *chains) {
  MloptPull *pull = g->epilogue.tile.pull;
  const MloptOutput result = {.type = mloptResultType(shared->op, 0),
                              .place = g->c.placesOfRows[i]};
  MlirValue indices[MLOPT_MAX_RANK], loops[2 * MLOPT_MAX_RANK + 1] = {{NULL}};
  mloptEpilogueIndices(&g->epilogue, &result, axes, indices);
  for (intptr_t d = 0; d < shared->loops.numKept; ++d)
    loops[shared->loops.kept[d]] = indices[d];
  mloptBuildTree(pull, shared, CHAINS, chains);
  mloptBuildWarpReduce(pull, shared, 1, 4, chains);
  MlirValue out;
  mloptBuildFinal(pull, shared, loops, chains, &out);
  return out;
}

/// Indices of a part's first column in one of a thread's rows, within C.
static void locatePart(MloptMatmul *g, const MloptMatmulBlock *first,
                       int64_t part, int row, MlirValue *outAxes) {
  MloptNv *nv = &g->nv;
  MlirValue column = mloptNvMin(
      nv, mloptNvAddInt(nv, first->axes[MLOPT_AXIS_N], part * g->c.rowColumns),
      mloptNvInt(nv, g->c.sizes[MLOPT_AXIS_N] - 1));
  outAxes[MLOPT_AXIS_BATCH] = first->batch;
  outAxes[MLOPT_AXIS_M] = first->rowIndices[row];
  outAxes[MLOPT_AXIS_N] = mloptNvToIndex(nv, column);
}

static int64_t numParts(const MloptMatmul *g) {
  return areWhole(g) ? 1 : mloptMatmulReducedColumns(g) / g->c.rowColumns;
}

static void reduce(MloptMatmul *g, const MloptMatmulConsumer *w,
                   const Columns *columns, intptr_t i) {
  MloptShared shared = mloptOpenShared(g->c.ofRows[i]);
  MlirValue chains[MLOPT_MATMUL_MOST_PARTS][2][CHAINS] = {{{{NULL}}}};
  int64_t count = mloptMatmulReducedColumns(g) / mloptMatmulBlockColumns(&g->c);
  for (int64_t j = 0; j < count; ++j) {
    MloptMatmulBlock block = openBlock(g, columns, j);
    reduceBlock(g, w, &shared, i, &block, chains);
  }
  MloptMatmulBlock first = openBlock(g, columns, 0);
  for (int64_t part = 0; part < numParts(g); ++part)
    for (int row = 0; row < 2; ++row) {
      MlirValue axes[MLOPT_NUM_AXES];
      locatePart(g, &first, part, row, axes);
      columns->reduced->at[i][part][row] =
          finish(g, &shared, i, axes, chains[part][row]);
    }
}

//===----------------------------------------------------------------------===//
// What is stored of rows
//===----------------------------------------------------------------------===//

/// Stores an element of a part of a row, by one of the four threads, unless it
/// lies outside of C.
static void storePart(MloptMatmul *g, const MloptMatmulConsumer *w,
                      const MloptMatmulBlock *first, int64_t part, int row,
                      const MloptOutput *output) {
  MloptNv *nv = &g->nv;
  MloptEpiloguePoint point = {.lanes = 1};
  MlirValue value;
  locatePart(g, first, part, row, point.axes);
  mloptEpilogueEvaluate(&g->epilogue, output, &point, true, &value);
  point.axes[MLOPT_AXIS_M] = mloptNvToIndex(nv, first->rows[row]);
  MloptVector vector;
  mloptEpilogueAim(&g->epilogue, output, &point, &vector);
  MlirValue column =
      mloptNvAddInt(nv, first->axes[MLOPT_AXIS_N], part * g->c.rowColumns);
  const MlirValue conditions[] = {
      mloptNvEqInt(nv, mloptNvAndInt(nv, w->lane, 3), 0),
      mloptBuildCmpI(nv->b, "ult", first->rows[row],
                     mloptNvInt(nv, g->c.sizes[MLOPT_AXIS_M])),
      mloptBuildCmpI(nv->b, "ult", column,
                     mloptNvInt(nv, g->c.sizes[MLOPT_AXIS_N]))};
  MlirValue isStored = conditions[0];
  for (int i = 1; i < MLOPT_COUNT(conditions); ++i)
    isStored = mloptBuildBinary(nv->b, "arith.andi", isStored, conditions[i]);
  MloptNvScope scope = mloptNvBeginIf(nv, isStored);
  mloptTileStore(&g->epilogue.tile, &vector,
                 mlirBlockGetArgument(g->parameters, output->parameter),
                 &value);
  mloptNvEndIf(nv, &scope);
}

void mloptMatmulReduceRows(MloptMatmul *g, const MloptMatmulConsumer *w,
                           MloptMatmulTile tile, MlirValue row, int64_t i,
                           const MlirValue *fragment, MloptMatmulReduced *out) {
  const Columns columns = {.tile = tile,
                           .row = row,
                           .first = i,
                           .fragment = fragment,
                           .reduced = out};
  for (intptr_t r = 0; r < g->c.numOfRows; ++r)
    reduce(g, w, &columns, r);
  if (!g->c.numRowOutputs)
    return;
  MloptMatmulBlock first = openBlock(g, &columns, 0);
  for (int64_t part = 0; part < numParts(g); ++part)
    for (int half = 0; half < 2; ++half) {
      enterPart(g, out, part, half);
      for (intptr_t o = 0; o < g->c.numRowOutputs; ++o)
        storePart(g, w, &first, part, half, &g->c.rowOutputs[o]);
    }
}
