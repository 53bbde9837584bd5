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
//   partial of a thread (for each column of its vector) -> warp, by shuffles
//   between the threads of a column -> shared memory -> one thread for each
//   column computes the results
//
// Where there are few strips, a cluster of blocks shares each: every block goes
// down a stretch of the rows, and the first one's threads also take what the
// others found.
//
// All reductions of the program go down together, and results of the space's
// size are stored on the way. Several dimensions before or after the reduced
// ones count as one each.
//
//===----------------------------------------------------------------------===//

#include "emit_index.h"
#include "emit_reduce.h"
#include "target.h"

enum { UNROLLED = 8, MAX_REDUCTIONS = 8, MAX_WARPS = 32, MAX_CLUSTER = 8 };

typedef struct Columns {
  MloptKernel *kernel;
  MloptPull *pull;
  MloptBuilder *b;
  MloptTile tile;
  int64_t numOuter, rows, columns;
  int64_t width, depth; ///< of the threads: columns, and rows
  int64_t cluster;      ///< blocks that share a strip
  int64_t stretch;      ///< rows of a block
  MlirValue rank;       ///< of the block in its cluster
  MlirValue begin, end; ///< the block's rows
  MlirValue tid, across, down;
  MlirValue outer, strip; ///< number, and its first column
  MlirValue kept;         ///< position of the thread's result
  intptr_t numReductions;
  MloptShared reductions[MAX_REDUCTIONS];
  MlirValue totals[MLOPT_PULL_MAX_CARRIED]; ///< of all, for the thread's column
  MloptVector vectors[UNROLLED];
  MlirValue at[UNROLLED];    ///< the vectors' rows
  MlirValue valid[UNROLLED]; ///< null when the row is always there
} Columns;

/// The value where it is below the bound, else 0; `outValid` says which.
static MlirValue clamp(Columns *c, MlirValue x, MlirValue bound,
                       MlirValue *outValid) {
  *outValid = mloptBuildCmpI(c->b, "ult", x, bound);
  return mloptBuildSelect(c->b, *outValid, x, mloptPullIndex(c->pull, 0));
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static void describe(Columns *c) {
  MloptReduction reduction;
  mloptFindReduction(c->kernel->program, &reduction);
  c->numOuter = reduction.outer;
  c->rows = reduction.middle;
  c->columns = reduction.inner;
  c->width = c->kernel->schedule.line * c->kernel->schedule.lanes;
  c->depth = c->kernel->schedule.threads / c->kernel->schedule.line;
  c->cluster = c->kernel->schedule.cluster;
  c->stretch = (c->rows + c->cluster - 1) / c->cluster;
}

static void findStrip(Columns *c) {
  MloptPull *p = c->pull;
  int64_t strips = (c->columns + c->width - 1) / c->width;
  MlirValue block = mloptReadRegister(c->b, "nvvm.read.ptx.sreg.ctaid.x");
  c->begin = mloptPullIndex(p, 0);
  c->end = mloptPullIndex(p, c->rows);
  if (c->cluster > 1) {
    c->rank = mloptIndexRemInt(p, block, c->cluster);
    block = mloptIndexDivInt(p, block, c->cluster);
    c->begin = mloptIndexMulInt(p, c->rank, c->stretch);
    c->end = mloptBuildBinary(
        c->b, "arith.minui", c->end,
        mloptIndexAdd(p, c->begin, mloptPullIndex(p, c->stretch)));
    // No block writes into another's memory before it runs.
    mloptBuildOp(c->b, (MloptOpSpec){.name = "nvvm.cluster.arrive.relaxed"});
  }
  c->tid = mloptReadRegister(c->b, "nvvm.read.ptx.sreg.tid.x");
  c->across = mloptIndexRemInt(p, c->tid, c->kernel->schedule.line);
  c->down = mloptIndexDivInt(p, c->tid, c->kernel->schedule.line);
  c->outer = mloptIndexDivInt(p, block, strips);
  c->strip = mloptIndexMulInt(p, mloptIndexRemInt(p, block, strips), c->width);
}

/// The vectors of one turn: UNROLLED rows, a block's depth apart, at a column.
static void openVectors(Columns *c, MlirValue row, MlirValue column) {
  MloptPull *p = c->pull;
  bool even = c->rows % (c->depth * UNROLLED * c->cluster) == 0;
  for (int v = 0; v < UNROLLED; ++v) {
    MlirValue at = mloptIndexAdd(p, row, mloptPullIndex(p, v * c->depth));
    c->valid[v] = (MlirValue){NULL};
    if (!even)
      at = clamp(c, at, c->end, &c->valid[v]);
    MlirValue whole =
        mloptIndexAdd(p, mloptIndexMulInt(p, c->outer, c->rows), at);
    mloptPullBindSplit(p, whole, c->outer, c->rows, at);
    mloptTileVectorIn(&c->tile, whole, c->columns, column,
                      (int)c->kernel->schedule.lanes, &c->vectors[v]);
    c->at[v] = at;
  }
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

static bool isWhole(const Columns *c, const MloptRoot *root) {
  intptr_t count = mloptNumElements(mlirValueGetType(root->value));
  return c->rows > 1 && count % (c->rows * c->columns) == 0 &&
         count / c->rows / c->columns == c->numOuter;
}

/// Positions of the results of the thread's columns.
static void openKept(Columns *c, MlirValue column, MlirValue *out) {
  MloptPull *p = c->pull;
  const int lanes = (int)c->kernel->schedule.lanes;
  for (int k = 0; k < lanes; ++k) {
    MlirValue one = mloptPullLane(p, column, k, lanes);
    out[k] = mloptIndexAdd(p, mloptIndexMulInt(p, c->outer, c->columns), one);
    mloptPullBindSplit(p, out[k], c->outer, c->columns, one);
  }
}

/// Adds the open vectors to the running values: those of each reduction, lane
/// by lane.
static void accumulate(Columns *c, const MlirValue *kept, MlirValue *values) {
  const intptr_t lanes = c->kernel->schedule.lanes;
  for (int v = 0; v < UNROLLED; ++v) {
    MlirValue *next = values;
    c->tile.vector = &c->vectors[v];
    for (intptr_t n = 0; n < c->numReductions; ++n) {
      const MloptShared *shared = &c->reductions[n];
      for (int k = 0; k < lanes; ++k, next += shared->numResults) {
        MlirValue elements[MLOPT_PULL_MAX_CARRIED];
        MlirValue loops[2 * MLOPT_MAX_RANK + 1];
        c->tile.lane = k;
        mloptSharedLoops(c->pull, shared, kept[k], c->at[v], loops);
        mloptSharedElements(c->pull, shared, loops, c->valid[v], elements);
        mloptBuildStep(c->pull, shared, next, elements);
      }
    }
  }
}

/// Results of the space's size, for the open vectors. What a vector reads comes
/// before it is stored: a result may lie where an operand does.
static void storeWhole(Columns *c, MlirValue inside) {
  MloptKernel *k = c->kernel;
  bool any = false;
  for (intptr_t i = 0; i < k->numRoots; ++i)
    any |= isWhole(c, &k->roots[i]);
  for (int v = 0; v < UNROLLED && any; ++v) {
    MlirValue elements[MLOPT_MAX_TILE_ROOTS][MLOPT_MAX_LANES];
    for (intptr_t i = 0; i < k->numRoots; ++i)
      if (isWhole(c, &k->roots[i]))
        mloptTileEvaluate(&c->tile, &c->vectors[v], k->roots[i].value,
                          elements[i]);
    MlirValue condition =
        mlirValueIsNull(c->valid[v])
            ? inside
            : mloptBuildBinary(c->b, "arith.andi", inside, c->valid[v]);
    MloptPullScope then = mloptPullBeginGuard(c->pull, condition);
    for (intptr_t i = 0; i < k->numRoots; ++i)
      if (isWhole(c, &k->roots[i]))
        mloptTileStore(&c->tile, &c->vectors[v], k->roots[i].pointer,
                       elements[i]);
    mloptPullEndGuard(c->pull, condition, then);
  }
}

/// The thread's own values, in the same order.
static intptr_t goDown(Columns *c, MlirValue *out) {
  MloptPull *p = c->pull;
  const intptr_t lanes = c->kernel->schedule.lanes;
  MlirValue init[MLOPT_PULL_MAX_CARRIED], next[MLOPT_PULL_MAX_CARRIED];
  intptr_t count = 0;
  for (intptr_t n = 0; n < c->numReductions; ++n)
    for (intptr_t k = 0; k < lanes; ++k)
      for (intptr_t i = 0; i < c->reductions[n].numResults; ++i)
        init[count++] = mloptBuildNeutral(p, &c->reductions[n], i);
  MlirValue inside, begin, kept[MLOPT_MAX_LANES];
  MlirValue column = clamp(
      c, mloptIndexAdd(p, c->strip, mloptIndexMulInt(p, c->across, lanes)),
      mloptPullIndex(p, c->columns), &inside);
  MloptPullScope scope = mloptPullBeginFor(p, count, init, &begin, next);
  mloptTileEnter(&c->tile);
  openKept(c, column, kept);
  openVectors(c, mloptIndexAdd(p, begin, c->down), column);
  accumulate(c, kept, next);
  storeWhole(c, inside);
  mloptPullEndFor(p, scope, c->begin, c->end,
                  mloptPullIndex(p, c->depth * UNROLLED), count, init, next,
                  out);
  mloptTileEnter(&c->tile);
  c->tile.vector = NULL;
  return count;
}

/// Where a warp's values of a reduction's result lie in its array: row w is
/// warp w's; lane k of its vectors begins at k * line.
static MlirValue slotOf(Columns *c, MlirValue warp, int64_t k) {
  MloptPull *p = c->pull;
  return mloptIndexAdd(
      p, mloptIndexAdd(p, mloptIndexMulInt(p, warp, c->width), c->across),
      mloptPullIndex(p, k * c->kernel->schedule.line));
}

/// The warps from `from` up to below `to` store their values, as the first ones
/// of as many rows.
static void storeWarps(Columns *c, const MloptShared *s,
                       const MlirValue *arrays, int64_t from, int64_t to,
                       const MlirValue *own) {
  MloptPull *p = c->pull;
  const MloptSchedule *schedule = &c->kernel->schedule;
  const int64_t warp = mloptSm90.warp;
  MlirValue number = mloptIndexDivInt(p, c->tid, warp);
  MlirValue stores =
      mloptBuildCmpI(c->b, "ult", mloptIndexRemInt(p, c->tid, warp),
                     mloptPullIndex(p, schedule->line));
  if (to < schedule->threads / warp)
    stores = mloptBuildBinary(
        c->b, "arith.andi", stores,
        mloptBuildCmpI(c->b, "ult", number, mloptPullIndex(p, to)));
  if (from) {
    MlirValue least = mloptPullIndex(p, from);
    stores = mloptBuildBinary(c->b, "arith.andi", stores,
                              mloptBuildCmpI(c->b, "uge", number, least));
    number = mloptBuildBinary(c->b, "arith.subi", number, least);
  }
  MloptPullScope then = mloptPullBeginGuard(p, stores);
  for (int64_t k = 0; k < schedule->lanes; ++k)
    for (intptr_t i = 0; i < s->numResults; ++i)
      mloptStoreShared(p, arrays[i], own[k * s->numResults + i],
                       slotOf(c, number, k));
  mloptPullEndGuard(p, stores, then);
  mloptBuildBarrier(c->b);
}

/// The first so many warps add to their values those of all others, of which
/// each has equally many.
static void addOthers(Columns *c, const MloptShared *s, const MlirValue *arrays,
                      int64_t warps, MlirValue *own) {
  MloptPull *p = c->pull;
  const MloptSchedule *schedule = &c->kernel->schedule;
  const int64_t all = schedule->threads / mloptSm90.warp;
  const intptr_t n = s->numResults;
  storeWarps(c, s, arrays, warps, all, own);
  MlirValue number =
      mloptIndexRemInt(p, mloptIndexDivInt(p, c->tid, mloptSm90.warp), warps);
  for (int64_t from = 0; from < all - warps; from += warps)
    for (int64_t k = 0; k < schedule->lanes; ++k) {
      MlirValue others[MLOPT_PULL_MAX_CARRIED];
      MlirValue row = mloptIndexAdd(p, number, mloptPullIndex(p, from));
      for (intptr_t i = 0; i < n; ++i)
        others[i] = mloptLoadShared(p, arrays[i], mlirValueGetType(own[i]),
                                    slotOf(c, row, k));
      mloptBuildStep(p, s, own + k * n, others);
    }
}

/// The values of each of the thread's columns become those of the column with
/// the thread's number.
static void meet(Columns *c, const MloptShared *s, MlirValue *own,
                 MlirValue *out) {
  MloptPull *p = c->pull;
  // What one thread adds up in the end of values that are less than a register:
  // of more, ptxas loads all ahead of the first addition, and spills them.
  enum { MOST_SMALL = 8, WORD = 32 };
  const MloptSchedule *schedule = &c->kernel->schedule;
  const int64_t line = schedule->line, lanes = schedule->lanes;
  const int64_t warp = mloptSm90.warp, all = schedule->threads / warp;
  const bool isSmall = mloptElementWidth(mlirValueGetType(own[0])) < WORD;
  const int64_t warps = isSmall && all % MOST_SMALL == 0 ? MOST_SMALL : all;
  const intptr_t n = s->numResults;
  MlirValue arrays[MLOPT_PULL_MAX_CARRIED];
  for (int64_t k = 0; k < lanes; ++k)
    mloptBuildWarpReduce(p, s, line, warp, own + k * n);
  for (intptr_t i = 0; i < n; ++i)
    arrays[i] =
        mloptAddShared(c->kernel, mlirValueGetType(own[i]),
                       (all > 2 * warps ? all - warps : warps) * c->width);
  if (warps < all)
    addOthers(c, s, arrays, warps, own);
  storeWarps(c, s, arrays, 0, warps, own);
  // Column m of the strip is lane m mod lanes of the thread m / lanes.
  MlirValue column = mloptIndexRemInt(p, c->tid, c->width);
  MlirValue at = mloptIndexAdd(
      p, mloptIndexMulInt(p, mloptIndexRemInt(p, column, lanes), line),
      mloptIndexDivInt(p, column, lanes));
  MlirValue found[MAX_WARPS * MLOPT_PULL_MAX_CARRIED];
  for (int64_t w = 0; w < warps; ++w)
    for (intptr_t i = 0; i < n; ++i)
      found[w * n + i] = mloptLoadShared(
          p, arrays[i], mlirValueGetType(own[i]),
          mloptIndexAdd(p, at, mloptPullIndex(p, w * c->width)));
  mloptBuildTree(p, s, warps, found);
  memcpy(out, found, n * sizeof *out);
}

/// The values of one reduction for the thread's column, in each block of the
/// cluster, become in the first block those of all.
static void acrossBlocks(Columns *c, const MloptShared *s, MlirValue *values) {
  MloptPull *p = c->pull;
  const intptr_t n = s->numResults;
  MlirValue arrays[MLOPT_PULL_MAX_CARRIED];
  MlirValue all[MAX_CLUSTER * MLOPT_PULL_MAX_CARRIED];
  for (intptr_t i = 0; i < n; ++i)
    arrays[i] = mloptAddShared(c->kernel, mlirValueGetType(values[i]),
                               c->cluster * c->width);
  MlirValue column = mloptIndexRemInt(p, c->tid, c->width);
  MlirValue first =
      mloptBuildCmpI(c->b, "ult", c->tid, mloptPullIndex(p, c->width));
  MloptPullScope then = mloptPullBeginGuard(p, first);
  for (intptr_t i = 0; i < n; ++i)
    mloptStoreShared(
        p, mloptBuildElsewhere(c->b, arrays[i], mloptPullIndex(p, 0)),
        values[i],
        mloptIndexAdd(p, mloptIndexMulInt(p, c->rank, c->width), column));
  mloptPullEndGuard(p, first, then);
  mloptBuildOp(c->b, (MloptOpSpec){.name = "nvvm.cluster.arrive"});
  mloptBuildOp(c->b, (MloptOpSpec){.name = "nvvm.cluster.wait"});
  for (int64_t k = 0; k < c->cluster; ++k)
    for (intptr_t i = 0; i < n; ++i)
      all[k * n + i] = mloptLoadShared(
          p, arrays[i], mlirValueGetType(values[i]),
          mloptIndexAdd(p, column, mloptPullIndex(p, k * c->width)));
  mloptBuildTree(p, s, c->cluster, all);
  memcpy(values, all, n * sizeof *values);
}

static void reduceAll(Columns *c) {
  const int64_t lanes = c->kernel->schedule.lanes;
  MlirValue own[MLOPT_PULL_MAX_CARRIED];
  for (MlirOperation op = mlirBlockGetFirstOperation(c->kernel->program);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (mloptIsReduction(op))
      c->reductions[c->numReductions++] = mloptOpenShared(op);
  goDown(c, own);
  if (c->cluster > 1)
    mloptBuildOp(c->b, (MloptOpSpec){.name = "nvvm.cluster.wait"});
  intptr_t next = 0;
  for (intptr_t n = 0; n < c->numReductions; ++n) {
    meet(c, &c->reductions[n], own + next * lanes, c->totals + next);
    if (c->cluster > 1)
      acrossBlocks(c, &c->reductions[n], c->totals + next);
    next += c->reductions[n].numResults;
  }
}

/// The reduce hook: what the block has reduced.
static bool reduceStrip(void *userData, MlirOperation op,
                        const MlirValue *loops, MlirValue *results) {
  Columns *c = (Columns *)((char *)userData - offsetof(Columns, tile));
  intptr_t n = 0, next = 0;
  while (n < c->numReductions && !mlirOperationEqual(c->reductions[n].op, op))
    next += c->reductions[n++].numResults;
  if (n == c->numReductions || mlirValueIsNull(c->totals[next]) ||
      !mloptSharedIsAt(c->pull, &c->reductions[n], c->kept, loops))
    return false;
  mloptBuildFinal(c->pull, &c->reductions[n], loops, c->totals + next, results);
  return true;
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// Results with one element for each column, by the thread of its number.
static void storeKept(Columns *c, MlirValue condition) {
  MloptKernel *k = c->kernel;
  MlirValue elements[MLOPT_MAX_TILE_ROOTS];
  MlirValue indices[MLOPT_MAX_TILE_ROOTS][MLOPT_MAX_RANK];
  for (intptr_t i = 0; i < k->numRoots; ++i) {
    MlirValue root = k->roots[i].value;
    if (isWhole(c, &k->roots[i]))
      continue;
    mloptPullDelinearize(c->pull, mlirValueGetType(root), c->kept, indices[i]);
    elements[i] = mloptPullElement(c->pull, root, indices[i]);
  }
  MloptPullScope then = mloptPullBeginGuard(c->pull, condition);
  for (intptr_t i = 0; i < k->numRoots; ++i)
    if (!isWhole(c, &k->roots[i]))
      mloptPullStore(c->pull, elements[i], k->roots[i].pointer,
                     mlirValueGetType(k->roots[i].value), indices[i]);
  mloptPullEndGuard(c->pull, condition, then);
}

void mloptEmitColumns(MloptKernel *kernel) {
  MloptPull *p = kernel->pull;
  Columns c = {.kernel = kernel,
               .pull = p,
               .b = mloptPullGetBuilder(kernel->pull),
               .tile = {.pull = p}};
  describe(&c);
  mloptPullSetHooks(c.pull, (MloptPullHooks){.load = mloptTileLoad,
                                             .insert = mloptTileInsert,
                                             .reduce = reduceStrip,
                                             .userData = &c.tile});
  mloptTileEnter(&c.tile);
  findStrip(&c);
  reduceAll(&c);
  // One thread for each column; those past the end compute column 0's results
  // once more.
  MlirValue inside, inStrip = mloptBuildCmpI(c.b, "ult", c.tid,
                                             mloptPullIndex(c.pull, c.width));
  MlirValue column =
      clamp(&c, mloptIndexAdd(p, c.strip, mloptIndexRemInt(p, c.tid, c.width)),
            mloptPullIndex(c.pull, c.columns), &inside);
  c.kept = mloptIndexAdd(p, mloptIndexMulInt(p, c.outer, c.columns), column);
  mloptPullBindSplit(c.pull, c.kept, c.outer, c.columns, column);
  MlirValue stores = mloptBuildBinary(c.b, "arith.andi", inStrip, inside);
  if (c.cluster > 1)
    stores = mloptBuildBinary(
        c.b, "arith.andi", stores,
        mloptBuildCmpI(c.b, "eq", c.rank, mloptPullIndex(c.pull, 0)));
  storeKept(&c, stores);
  mloptPullSetHooks(c.pull, (MloptPullHooks){.load = NULL});
  mloptTileDestroy(&c.tile);
}
