//===- emit_columns.c - Reductions along dimensions before the last -------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block takes a strip of columns, its threads side by side along it and one
// below the other, and goes down the strip:
//
//            [ t0 t1 | strip of the next block | ... ]   row 0
//            [ t2 t3 |                         | ... ]   row 1
//            [ t0 t1 |                         | ... ]   row 2 ...
//
//   partial of a thread (for each column of its vector) -> shared memory,
//   halving -> one thread for each column computes the results
//
// Several dimensions before or after the reduced ones count as one each.
//
//===----------------------------------------------------------------------===//

#include "emit_reduce.h"

enum { UNROLLED = 8 };

typedef struct Columns {
  MloptKernel *kernel;
  MloptPull *pull;
  MloptBuilder *b;
  MloptTile tile;
  int64_t rows, columns;
  int64_t width, depth; ///< of the threads: columns, and rows
  MlirValue tid, across, down;
  MlirValue outer, strip; ///< number, and its first column
  MlirValue kept;         ///< position of the thread's result
  MloptVector vectors[UNROLLED];
  MlirValue at[UNROLLED];    ///< the vectors' rows
  MlirValue valid[UNROLLED]; ///< null when the row is always there
} Columns;

static MlirValue add(Columns *c, MlirValue x, MlirValue y) {
  return mloptBuildBinary(c->b, "arith.addi", x, y);
}
static MlirValue multiply(Columns *c, MlirValue x, int64_t n) {
  return mloptBuildBinary(c->b, "arith.muli", x, mloptPullIndex(c->pull, n));
}
static MlirValue quotient(Columns *c, const char *name, MlirValue x,
                          int64_t n) {
  return mloptBuildBinary(c->b, name, x, mloptPullIndex(c->pull, n));
}

/// The value where it is below the bound, else 0; `outValid` says which.
static MlirValue clamp(Columns *c, MlirValue x, int64_t bound,
                       MlirValue *outValid) {
  *outValid = mloptBuildCmpI(c->b, "ult", x, mloptPullIndex(c->pull, bound));
  return mloptBuildSelect(c->b, *outValid, x, mloptPullIndex(c->pull, 0));
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static void describe(Columns *c) {
  MloptReduction reduction;
  mloptFindReduction(c->kernel->program, &reduction);
  c->rows = reduction.middle;
  c->columns = reduction.inner;
  c->width = c->kernel->schedule.line * c->kernel->schedule.lanes;
  c->depth = c->kernel->schedule.threads / c->kernel->schedule.line;
}

static void findStrip(Columns *c) {
  int64_t strips = (c->columns + c->width - 1) / c->width;
  MlirValue block = mloptReadRegister(c->b, "nvvm.read.ptx.sreg.ctaid.x");
  c->tid = mloptReadRegister(c->b, "nvvm.read.ptx.sreg.tid.x");
  c->across = quotient(c, "arith.remui", c->tid, c->kernel->schedule.line);
  c->down = quotient(c, "arith.divui", c->tid, c->kernel->schedule.line);
  c->outer = quotient(c, "arith.divui", block, strips);
  c->strip = multiply(c, quotient(c, "arith.remui", block, strips), c->width);
}

/// The vectors of one turn: UNROLLED rows, a block's depth apart, at a column.
static void openVectors(Columns *c, MlirValue row, MlirValue column) {
  bool even = c->rows % (c->depth * UNROLLED) == 0;
  for (int v = 0; v < UNROLLED; ++v) {
    MlirValue at = add(c, row, mloptPullIndex(c->pull, v * c->depth));
    c->valid[v] = (MlirValue){NULL};
    if (!even)
      at = clamp(c, at, c->rows, &c->valid[v]);
    MlirValue whole = add(c, multiply(c, c->outer, c->rows), at);
    mloptPullBindSplit(c->pull, whole, c->outer, c->rows, at);
    mloptTileVectorIn(&c->tile, whole, c->columns, column,
                      (int)c->kernel->schedule.lanes, &c->vectors[v]);
    c->at[v] = at;
  }
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// The thread's own value of each result and lane.
static void reduceOwn(Columns *c, const MloptShared *shared, MlirValue *out) {
  const intptr_t lanes = c->kernel->schedule.lanes;
  intptr_t count = shared->numResults * lanes;
  MlirValue init[MLOPT_PULL_MAX_CARRIED], next[MLOPT_PULL_MAX_CARRIED];
  for (intptr_t i = 0; i < count; ++i)
    init[i] = mloptBuildNeutral(c->pull, &shared->combiners[i / lanes]);
  MlirValue valid, begin;
  MlirValue column = clamp(c, add(c, c->strip, multiply(c, c->across, lanes)),
                           c->columns, &valid);
  MloptPullScope scope = mloptPullBeginFor(c->pull, count, init, &begin, next);
  mloptTileEnter(&c->tile);
  MlirValue kept[MLOPT_MAX_LANES];
  for (int k = 0; k < lanes; ++k) {
    MlirValue one = mloptPullLane(c->pull, column, k, (int)lanes);
    kept[k] = add(c, multiply(c, c->outer, c->columns), one);
    mloptPullBindSplit(c->pull, kept[k], c->outer, c->columns, one);
  }
  openVectors(c, add(c, begin, c->down), column);
  for (int v = 0; v < UNROLLED; ++v) {
    c->tile.vector = &c->vectors[v];
    for (int k = 0; k < lanes; ++k) {
      MlirValue elements[MLOPT_PULL_MAX_CARRIED];
      MlirValue loops[2 * MLOPT_MAX_RANK + 1];
      c->tile.lane = k;
      mloptSharedLoops(c->pull, shared, kept[k], c->at[v], loops);
      mloptSharedElements(c->pull, shared, loops, c->valid[v], elements);
      for (intptr_t i = 0; i < shared->numResults; ++i)
        next[i * lanes + k] = mloptBuildStep(c->pull, &shared->combiners[i],
                                             next[i * lanes + k], elements[i]);
    }
  }
  mloptPullEndFor(c->pull, scope, mloptPullIndex(c->pull, 0),
                  mloptPullIndex(c->pull, c->rows),
                  mloptPullIndex(c->pull, c->depth * UNROLLED), count, init,
                  next, out);
  mloptTileEnter(&c->tile);
  c->tile.vector = NULL;
}

/// Halves an array of `depth` rows of `width` until one is left.
static void halve(Columns *c, const MloptCombiner *combiner, MlirValue array,
                  MlirType type) {
  for (int64_t half = c->depth / 2; half; half /= 2) {
    mloptBuildBarrier(c->b);
    MlirValue busy =
        mloptBuildCmpI(c->b, "ult", c->down, mloptPullIndex(c->pull, half));
    MloptPullScope then = mloptPullBeginBranch(c->pull);
    for (int64_t k = 0; k < c->kernel->schedule.lanes; ++k) {
      // Lane by lane, so that neighbours use neighbouring banks.
      MlirValue at = add(
          c, c->tid, mloptPullIndex(c->pull, k * c->kernel->schedule.threads));
      MlirValue below =
          add(c, at, mloptPullIndex(c->pull, half * c->kernel->schedule.line));
      MlirValue sum = mloptBuildStep(
          c->pull, combiner, mloptLoadShared(c->pull, array, type, at),
          mloptLoadShared(c->pull, array, type, below));
      mloptStoreShared(c->pull, array, sum, at);
    }
    mloptPullEndBranch(c->pull, &then, 0, NULL);
    MloptPullScope otherwise = mloptPullBeginBranch(c->pull);
    mloptPullEndBranch(c->pull, &otherwise, 0, NULL);
    mloptPullBuildIf(c->pull, busy, then, otherwise, 0, NULL, NULL);
  }
  mloptBuildBarrier(c->b);
}

/// The reduce hook: all threads' values meet in shared memory, and each thread
/// takes that of the column which has its number.
static bool reduceStrip(void *userData, MlirOperation op,
                        const MlirValue *loops, MlirValue *results) {
  Columns *c = (Columns *)((char *)userData - offsetof(Columns, tile));
  if (!mlirBlockEqual(c->b->block, c->kernel->code) ||
      !mlirOperationIsNull(c->b->before))
    return false;
  const MloptSchedule *s = &c->kernel->schedule;
  MloptShared shared = mloptOpenShared(op);
  if (!mloptSharedIsAt(c->pull, &shared, c->kept, loops))
    return false;
  MlirValue own[MLOPT_PULL_MAX_CARRIED];
  reduceOwn(c, &shared, own);
  // Column n of the strip is lane n mod lanes of the thread n / lanes.
  MlirValue column = mloptBuildBinary(c->b, "arith.remui", c->tid,
                                      mloptPullIndex(c->pull, c->width));
  MlirValue at = add(
      c, multiply(c, quotient(c, "arith.remui", column, s->lanes), s->threads),
      quotient(c, "arith.divui", column, s->lanes));
  for (intptr_t i = 0; i < shared.numResults; ++i) {
    const MloptCombiner *combiner = &shared.combiners[i];
    MlirType type = mlirValueGetType(own[i * s->lanes]);
    MlirValue array = mloptAddShared(c->kernel, type, s->threads * s->lanes);
    for (int64_t k = 0; k < s->lanes; ++k)
      mloptStoreShared(c->pull, array, own[i * s->lanes + k],
                       add(c, c->tid, mloptPullIndex(c->pull, k * s->threads)));
    halve(c, combiner, array, type);
    MlirValue total = mloptLoadShared(c->pull, array, type, at);
    MlirValue init =
        mloptPullGenericOperand(c->pull, op, shared.numInputs + i, loops);
    results[i] = mloptBuildStep(c->pull, combiner, init, total);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

void mloptEmitColumns(MloptKernel *kernel) {
  Columns c = {.kernel = kernel,
               .pull = kernel->pull,
               .b = mloptPullGetBuilder(kernel->pull),
               .tile = {.pull = kernel->pull}};
  describe(&c);
  mloptPullSetHooks(c.pull, (MloptPullHooks){.load = mloptTileLoad,
                                             .reduce = reduceStrip,
                                             .userData = &c.tile});
  mloptTileEnter(&c.tile);
  findStrip(&c);
  // One thread for each column; those past the end compute column 0's results
  // once more, so that all meet at the barriers.
  MlirValue inside, inStrip = mloptBuildCmpI(c.b, "ult", c.tid,
                                             mloptPullIndex(c.pull, c.width));
  MlirValue column =
      clamp(&c, add(&c, c.strip, quotient(&c, "arith.remui", c.tid, c.width)),
            c.columns, &inside);
  c.kept = add(&c, multiply(&c, c.outer, c.columns), column);
  mloptPullBindSplit(c.pull, c.kept, c.outer, c.columns, column);
  MlirValue elements[MLOPT_MAX_TILE_ROOTS];
  MlirValue indices[MLOPT_MAX_TILE_ROOTS][MLOPT_MAX_RANK];
  for (intptr_t i = 0; i < kernel->numRoots; ++i) {
    MlirValue root = kernel->roots[i].value;
    mloptPullDelinearize(c.pull, mlirValueGetType(root), c.kept, indices[i]);
    elements[i] = mloptPullElement(c.pull, root, indices[i]);
  }
  MloptPullScope then = mloptPullBeginBranch(c.pull);
  for (intptr_t i = 0; i < kernel->numRoots; ++i)
    mloptPullStore(c.pull, elements[i], kernel->roots[i].pointer,
                   mlirValueGetType(kernel->roots[i].value), indices[i]);
  mloptPullEndBranch(c.pull, &then, 0, NULL);
  MloptPullScope otherwise = mloptPullBeginBranch(c.pull);
  mloptPullEndBranch(c.pull, &otherwise, 0, NULL);
  mloptPullBuildIf(c.pull, mloptBuildBinary(c.b, "arith.andi", inStrip, inside),
                   then, otherwise, 0, NULL, NULL);
  mloptPullSetHooks(c.pull, (MloptPullHooks){.load = NULL});
  mloptTileDestroy(&c.tile);
}
