//===- emit_rows.c - Reductions along the last dimensions -----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A line of threads, a part of a warp or a whole block, takes a row and holds
// it in registers. Every operand is read once; every reduction of the program
// goes over the held elements, through shuffles and, between warps, through
// shared memory; then results are computed from the same registers.
//
//   row:  [ t0 t1 .. tN | t0 t1 .. tN | .. ]   one cell is a vector
//
//   partial of a thread -> lanes of the vector -> warp -> block
//
// Of a longer row a cluster of blocks holds a stretch each. What a block has
// reduced it writes into the shared memory of all, at the place of its rank:
//
//   block -> array [ b0 b1 .. bC ] in each block -> every thread
//
// A row too long even for that is read again for each reduction and for the
// results, and one that nobody needs to hold is not held: all its reductions go
// along it together. A sum of exp(a - m) does so while the row's m is not known
// yet, by the largest a that its thread has met, and is scaled in the end.
// Threads past the end of a row read its start and count as neutral.
//
//===----------------------------------------------------------------------===//

#include "emit_reduce.h"
#include "target.h"

#include "mlir-c/Dialect/LLVM.h"

#include <math.h>

enum { MAX_HELD = 32, UNROLLED = 4, MAX_CLUSTER = 16, MAX_TOGETHER = 8 };

/// A reduction whose results are known, or that goes along with others.
typedef struct Along {
  MloptShared shared;
  bool isStreamed, isDone;
  MloptStreamed streamed;
  MlirValue results[MLOPT_PULL_MAX_CARRIED];
} Along;

typedef struct Rows {
  MloptKernel *kernel;
  MloptPull *pull;
  MloptBuilder *b;
  MloptTile tile;
  int64_t rows, columns;
  MlirValue thread;   ///< in its line
  MlirValue rowValid; ///< null when every line has a row
  MlirValue row;      ///< its number
  int64_t stretch;    ///< elements of a row that a block takes
  MlirValue rank;     ///< of the block in its cluster; null without one
  MlirValue begin;    ///< the first column of the block's stretch; null: 0
  MlirValue end;      ///< its end, in the row
  bool isStarted;     ///< all blocks of the cluster are known to run
  intptr_t numTogether;
  Along together[MAX_TOGETHER];
  intptr_t numVectors;
  MloptVector vectors[MAX_HELD];
  MlirValue valid[MAX_HELD]; ///< null when the vector is always in the row
} Rows;

static MlirValue add(Rows *r, MlirValue a, MlirValue b) {
  return mloptBuildBinary(r->b, "arith.addi", a, b);
}
static MlirValue multiply(Rows *r, MlirValue a, int64_t n) {
  return n == 1 ? a
                : mloptBuildBinary(r->b, "arith.muli", a,
                                   mloptPullIndex(r->pull, n));
}
static MlirValue both(Rows *r, MlirValue a, MlirValue b) {
  return mlirValueIsNull(a)   ? b
         : mlirValueIsNull(b) ? a
                              : mloptBuildBinary(r->b, "arith.andi", a, b);
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// The block's stretch of the row.
static void findStretch(Rows *r) {
  const MloptSchedule *s = &r->kernel->schedule;
  int64_t vectors = (r->columns / s->lanes + s->cluster - 1) / s->cluster;
  r->stretch = s->cluster == 1 ? r->columns : vectors * s->lanes;
  r->end = mloptPullIndex(r->pull, r->columns);
  if (s->cluster == 1)
    return;
  MlirValue cluster = mloptPullIndex(r->pull, s->cluster);
  r->rank = mloptBuildBinary(r->b, "arith.remui", r->row, cluster);
  r->row = mloptBuildBinary(r->b, "arith.divui", r->row, cluster);
  r->begin = multiply(r, r->rank, r->stretch);
  MlirValue end = add(r, r->begin, mloptPullIndex(r->pull, r->stretch));
  r->end = r->stretch * s->cluster == r->columns
               ? end
               : mloptBuildBinary(r->b, "arith.minui", end, r->end);
  // No block writes into another's memory before it runs.
  mloptBuildOp(r->b, (MloptOpSpec){.name = "nvvm.cluster.arrive.relaxed"});
}

/// The threads' rows.
static void findRow(Rows *r) {
  const MloptSchedule *s = &r->kernel->schedule;
  int64_t lines = s->threads / s->line;
  MlirValue thread = mloptReadRegister(r->b, "nvvm.read.ptx.sreg.tid.x");
  r->row = mloptReadRegister(r->b, "nvvm.read.ptx.sreg.ctaid.x");
  r->thread = thread;
  findStretch(r);
  if (lines > 1) {
    MlirValue line = mloptPullIndex(r->pull, s->line);
    r->thread = mloptBuildBinary(r->b, "arith.remui", thread, line);
    r->row = add(r, multiply(r, r->row, lines),
                 mloptBuildBinary(r->b, "arith.divui", thread, line));
  }
  if (r->rows % lines) {
    r->rowValid =
        mloptBuildCmpI(r->b, "ult", r->row, mloptPullIndex(r->pull, r->rows));
    r->row =
        mloptBuildSelect(r->b, r->rowValid, r->row, mloptPullIndex(r->pull, 0));
  }
}

/// The vector that starts at a column. `mayEnd`: the column may lie past the
/// end of the stretch.
static void openVector(Rows *r, MlirValue column, bool mayEnd, MloptVector *out,
                       MlirValue *outValid) {
  *outValid = (MlirValue){NULL};
  if (mayEnd) {
    *outValid = mloptBuildCmpI(r->b, "ult", column, r->end);
    column =
        mloptBuildSelect(r->b, *outValid, column, mloptPullIndex(r->pull, 0));
  }
  mloptTileVectorIn(&r->tile, r->row, r->columns, column,
                    (int)r->kernel->schedule.lanes, out);
}

/// `count` vectors of each thread, the first ones from column `begin` on.
static void openVectors(Rows *r, MlirValue begin, intptr_t count, bool mayEnd) {
  const MloptSchedule *s = &r->kernel->schedule;
  int64_t width = s->line * s->lanes;
  MlirValue first = multiply(r, r->thread, s->lanes);
  if (!mlirValueIsNull(begin))
    first = add(r, begin, first);
  r->numVectors = count;
  for (intptr_t v = 0; v < count; ++v) {
    MlirValue column =
        v ? add(r, first, mloptPullIndex(r->pull, v * width)) : first;
    openVector(r, column, mayEnd || (v + 1) * width > r->stretch,
               &r->vectors[v], &r->valid[v]);
  }
}

/// A loop along a row that is not held; its body has the vectors open.
static MloptPullScope beginAlong(Rows *r, intptr_t numCarried,
                                 const MlirValue *init, MlirValue *carried) {
  const MloptSchedule *s = &r->kernel->schedule;
  MlirValue begin;
  MloptPullScope scope =
      mloptPullBeginFor(r->pull, numCarried, init, &begin, carried);
  mloptTileEnter(&r->tile);
  openVectors(r, begin, UNROLLED,
              r->stretch * s->cluster != r->columns ||
                  r->stretch % (s->line * s->lanes * UNROLLED) != 0);
  return scope;
}

static void endAlong(Rows *r, MloptPullScope scope, intptr_t numCarried,
                     const MlirValue *init, const MlirValue *next,
                     MlirValue *out) {
  const MloptSchedule *s = &r->kernel->schedule;
  mloptPullEndFor(
      r->pull, scope,
      mlirValueIsNull(r->begin) ? mloptPullIndex(r->pull, 0) : r->begin, r->end,
      mloptPullIndex(r->pull, s->line * s->lanes * UNROLLED), numCarried, init,
      next, out);
  mloptTileEnter(&r->tile);
  r->tile.vector = NULL;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// What element `k` of open vector `v` adds to the results.
static void openElements(Rows *r, const MloptShared *shared, intptr_t v, int k,
                         MlirValue *out) {
  MlirValue loops[2 * MLOPT_MAX_RANK + 1];
  r->tile.vector = &r->vectors[v];
  r->tile.lane = k;
  mloptSharedLoops(r->pull, shared, r->row, r->vectors[v].column[k], loops);
  mloptSharedElements(r->pull, shared, loops, r->valid[v], out);
}

/// Adds the open vectors to `chains` running values of the results; element k
/// of a vector goes to chain k mod chains. `started`: they hold values already.
static void accumulate(Rows *r, const MloptShared *shared, intptr_t chains,
                       bool started, MlirValue *partial) {
  const intptr_t n = shared->numResults;
  MlirValue elements[MLOPT_PULL_MAX_CARRIED];
  for (intptr_t v = 0; v < r->numVectors; ++v)
    for (int k = 0; k < r->vectors[v].count; ++k) {
      MlirValue *chain = &partial[k % chains * n];
      bool isFirst = !started && !v && k < chains;
      openElements(r, shared, v, k, isFirst ? chain : elements);
      if (!isFirst)
        mloptBuildStep(r->pull, shared, chain, elements);
    }
}

/// Each warp's values become those of all warps of the block.
static void acrossWarps(Rows *r, const MloptShared *s, MlirValue *values) {
  const int64_t warp = mloptSm90.warp;
  int64_t warps = r->kernel->schedule.line / warp, width = 1;
  while (width < warps)
    width *= 2;
  MlirValue arrays[MLOPT_PULL_MAX_CARRIED];
  MlirValue size = mloptPullIndex(r->pull, warp);
  MlirValue lane = mloptBuildBinary(r->b, "arith.remui", r->thread, size);
  MlirValue number = mloptBuildBinary(r->b, "arith.divui", r->thread, size);
  MlirValue first =
      mloptBuildCmpI(r->b, "eq", lane, mloptPullIndex(r->pull, 0));
  for (intptr_t i = 0; i < s->numResults; ++i)
    arrays[i] = mloptAddShared(r->kernel, mlirValueGetType(values[i]), warps);
  MloptPullScope then = mloptPullBeginBranch(r->pull);
  for (intptr_t i = 0; i < s->numResults; ++i)
    mloptStoreShared(r->pull, arrays[i], values[i], number);
  mloptPullEndGuard(r->pull, first, then);
  mloptBuildBarrier(r->b);
  MlirValue at = mloptBuildBinary(r->b, "arith.remui", lane,
                                  mloptPullIndex(r->pull, width));
  MlirValue there = {NULL};
  if (width != warps) {
    there = mloptBuildCmpI(r->b, "ult", at, mloptPullIndex(r->pull, warps));
    at = mloptBuildSelect(r->b, there, at, mloptPullIndex(r->pull, 0));
  }
  for (intptr_t i = 0; i < s->numResults; ++i) {
    values[i] =
        mloptLoadShared(r->pull, arrays[i], mlirValueGetType(values[i]), at);
    if (!mlirValueIsNull(there))
      values[i] = mloptBuildSelect(r->b, there, values[i],
                                   mloptBuildNeutral(r->pull, s, i));
  }
  mloptBuildWarpReduce(r->pull, s, 1, width, values);
}

static void waitForCluster(Rows *r) {
  mloptBuildOp(r->b, (MloptOpSpec){.name = "nvvm.cluster.wait"});
}

/// An array of this block in the block of the rank that the thread's number is.
static MlirValue elsewhere(Rows *r, MlirValue array) {
  MlirContext c = r->b->context;
  MlirType i32 = mlirIntegerTypeGet(c, 32), type = mlirLLVMPointerTypeGet(c, 7);
  MlirValue operands[] = {
      array, mloptBuildUnary(r->b, "arith.index_cast", r->thread, i32)};
  return mloptBuildValue(r->b, (MloptOpSpec){.name = "nvvm.mapa",
                                             .numOperands = 2,
                                             .operands = operands,
                                             .numResults = 1,
                                             .results = &type});
}

/// Each block's values become those of all blocks of the cluster.
static void acrossBlocks(Rows *r, const MloptShared *s, MlirValue *values) {
  const int64_t cluster = r->kernel->schedule.cluster;
  MlirValue arrays[MLOPT_PULL_MAX_CARRIED];
  MlirValue all[MAX_CLUSTER * MLOPT_PULL_MAX_CARRIED];
  if (!r->isStarted)
    waitForCluster(r);
  r->isStarted = true;
  MlirValue writes =
      mloptBuildCmpI(r->b, "ult", r->thread, mloptPullIndex(r->pull, cluster));
  for (intptr_t i = 0; i < s->numResults; ++i)
    arrays[i] = mloptAddShared(r->kernel, mlirValueGetType(values[i]), cluster);
  MloptPullScope then = mloptPullBeginBranch(r->pull);
  for (intptr_t i = 0; i < s->numResults; ++i)
    mloptStoreShared(r->pull, elsewhere(r, arrays[i]), values[i], r->rank);
  mloptPullEndGuard(r->pull, writes, then);
  mloptBuildOp(r->b, (MloptOpSpec){.name = "nvvm.cluster.arrive"});
  waitForCluster(r);
  for (int64_t k = 0; k < cluster; ++k)
    for (intptr_t i = 0; i < s->numResults; ++i)
      all[k * s->numResults + i] =
          mloptLoadShared(r->pull, arrays[i], mlirValueGetType(values[i]),
                          mloptPullIndex(r->pull, k));
  mloptBuildTree(r->pull, s, cluster, all);
  memcpy(values, all, s->numResults * sizeof *values);
}

/// Each thread's values become those of all that share the row.
static void acrossLine(Rows *r, const MloptShared *s, MlirValue *values) {
  const int64_t line = r->kernel->schedule.line, warp = mloptSm90.warp;
  mloptBuildWarpReduce(r->pull, s, 1, line < warp ? line : warp, values);
  if (line > warp)
    acrossWarps(r, s, values);
  if (r->kernel->schedule.cluster > 1)
    acrossBlocks(r, s, values);
}

/// The thread's own value of each result.
static void reduceOwn(Rows *r, const MloptShared *shared, MlirValue *out) {
  MlirValue partial[MLOPT_PULL_MAX_CARRIED * MLOPT_MAX_LANES];
  intptr_t chains = r->kernel->schedule.lanes, n = shared->numResults;
  if (r->kernel->schedule.vectors) {
    accumulate(r, shared, chains, false, partial);
  } else {
    while (chains * n > MLOPT_PULL_MAX_CARRIED)
      chains /= 2;
    intptr_t count = chains * n;
    MlirValue init[MLOPT_PULL_MAX_CARRIED], next[MLOPT_PULL_MAX_CARRIED];
    for (intptr_t i = 0; i < count; ++i)
      init[i] = mloptBuildNeutral(r->pull, shared, i % n);
    MloptPullScope along = beginAlong(r, count, init, next);
    accumulate(r, shared, chains, true, next);
    endAlong(r, along, count, init, next, partial);
  }
  mloptBuildTree(r->pull, shared, chains, partial);
  memcpy(out, partial, n * sizeof *out);
}

/// The reduce hook. Its user data is the tile, which is the first part of what
/// the load hook wants; so the rows are found around it.
static bool reduceRow(void *userData, MlirOperation op, const MlirValue *loops,
                      MlirValue *results) {
  Rows *r = (Rows *)((char *)userData - offsetof(Rows, tile));
  for (intptr_t i = 0; i < r->numTogether; ++i) {
    const Along *known = &r->together[i];
    if (!known->isDone || !mlirOperationEqual(known->shared.op, op) ||
        !mloptSharedIsAt(r->pull, &known->shared, r->row, loops))
      continue;
    memcpy(results, known->results, known->shared.numResults * sizeof *results);
    return true;
  }
  // Only where all threads of the block pass, and for the row that is open.
  if (!mlirBlockEqual(r->b->block, r->kernel->code) ||
      !mlirOperationIsNull(r->b->before))
    return false;
  MloptShared shared = mloptOpenShared(op);
  if (!mloptSharedIsAt(r->pull, &shared, r->row, loops))
    return false;
  MlirValue values[MLOPT_PULL_MAX_CARRIED];
  reduceOwn(r, &shared, values);
  acrossLine(r, &shared, values);
  mloptBuildFinal(r->pull, &shared, loops, values, results);
  return true;
}

//===----------------------------------------------------------------------===//
// Reductions along a row together
//===----------------------------------------------------------------------===//

static MlirValue f32(Rows *r, double value) {
  return mloptBuildFloat(r->b, mlirF32TypeGet(r->b->context), value);
}

/// exp(x - reference), which is 1 at most. The unit takes log2(e) times the
/// difference, rounded: that is off by |x - reference| 2^-24 of the term, next
/// to nothing of a sum that has a 1 in it.
static MlirValue exponential(Rows *r, MlirValue x, MlirValue reference) {
  MlirValue scaled = mloptBuildBinary(
      r->b, "arith.mulf", mloptBuildBinary(r->b, "arith.subf", x, reference),
      f32(r, M_LOG2E));
  if (r->b->failed)
    return scaled;
  MlirContext c = r->b->context;
  MlirType type = mlirValueGetType(scaled);
  MlirNamedAttribute attrs[] = {
      mloptNamedAttr(c, "intrin",
                     mloptStrAttr(c, "llvm.nvvm.ex2.approx.ftz.f32")),
      mloptNamedAttr(c, "operandSegmentSizes",
                     mlirAttributeParseGet(c, mloptStr("array<i32: 1, 0>"))),
      mloptNamedAttr(c, "op_bundle_sizes",
                     mlirAttributeParseGet(c, mloptStr("array<i32>")))};
  return mloptBuildValue(r->b, (MloptOpSpec){.name = "llvm.call_intrinsic",
                                             .numOperands = 1,
                                             .operands = &scaled,
                                             .numResults = 1,
                                             .results = &type,
                                             .numAttrs = MLOPT_COUNT(attrs),
                                             .attrs = attrs});
}

/// `count` values by one operation, halving; `values` is overwritten.
static MlirValue fold(Rows *r, const char *name, intptr_t count,
                      MlirValue *values) {
  for (; count > 1; count = (count + 1) / 2)
    for (intptr_t i = 0, half = (count + 1) / 2; i + half < count; ++i)
      values[i] = mloptBuildBinary(r->b, name, values[i], values[i + half]);
  return values[0];
}

enum { MAX_ELEMENTS = UNROLLED * MLOPT_MAX_LANES };

/// Adds the open vectors to a reduction of one result, halving first: what a
/// stream does with the same elements is then the same code.
static void accumulateTree(Rows *r, const MloptShared *shared,
                           MlirValue *partial) {
  MlirValue elements[MAX_ELEMENTS];
  intptr_t n = 0;
  for (intptr_t v = 0; v < r->numVectors; ++v)
    for (int k = 0; k < r->vectors[v].count; ++k)
      openElements(r, shared, v, k, &elements[n++]);
  mloptBuildTree(r->pull, shared, n, elements);
  mloptBuildStep(r->pull, shared, partial, elements);
}

/// Adds the open vectors to a sum of exp(a - m): `state` is the largest a so
/// far, then the sum for it.
static void stream(Rows *r, const Along *along, MlirValue *state) {
  MlirValue a[MAX_ELEMENTS], values[MAX_ELEMENTS];
  MlirValue loops[2 * MLOPT_MAX_RANK + 1];
  MlirValue none = f32(r, -INFINITY);
  intptr_t n = 0;
  for (intptr_t v = 0; v < r->numVectors; ++v) {
    r->tile.vector = &r->vectors[v];
    for (int k = 0; k < r->vectors[v].count; ++k, ++n) {
      r->tile.lane = k;
      mloptSharedLoops(r->pull, &along->shared, r->row, r->vectors[v].column[k],
                       loops);
      mloptPullGenericBody(r->pull, along->shared.op, loops, 1,
                           &along->streamed.a, &a[n]);
      if (!mlirValueIsNull(r->valid[v]))
        a[n] = mloptBuildSelect(r->b, r->valid[v], a[n], none);
    }
  }
  memcpy(values, a, n * sizeof *a);
  MlirValue most = mloptBuildBinary(r->b, "arith.maximumf", state[0],
                                    fold(r, "arith.maximumf", n, values));
  // As long as there is nothing but -inf, exp(a - 0) is 0 too.
  MlirValue reference = mloptBuildSelect(
      r->b, mloptBuildCmpF(r->b, "oeq", most, none), f32(r, 0), most);
  for (intptr_t i = 0; i < n; ++i)
    values[i] = exponential(r, a[i], reference);
  MlirValue scaled = mloptBuildBinary(r->b, "arith.mulf", state[1],
                                      exponential(r, state[0], reference));
  state[1] = mloptBuildBinary(r->b, "arith.addf", scaled,
                              fold(r, "arith.addf", n, values));
  state[0] = most;
}

/// The reductions of the program that can go along the row together.
static void findTogether(Rows *r) {
  for (MlirOperation op = mlirBlockGetFirstOperation(r->kernel->program);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!mloptIsReduction(op) || r->numTogether == MAX_TOGETHER)
      continue;
    Along *along = &r->together[r->numTogether];
    bool reads = false;
    for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
      reads |= mloptReadsReduction(mloptOperand(op, i));
    along->isStreamed = reads && mloptDescribeStreamed(op, &along->streamed);
    if (reads && !along->isStreamed)
      continue;
    along->shared = mloptOpenShared(op);
    ++r->numTogether;
  }
}

/// What a reduction carries along: its values, or the state of a stream.
static intptr_t numCarried(const Along *a) {
  return a->isStreamed ? 2 : a->shared.numResults;
}

/// The results of one, from the thread's own values.
static void finish(Rows *r, Along *a, MlirValue *values) {
  MlirValue loops[2 * MLOPT_MAX_RANK + 1] = {{NULL}};
  mloptSharedLoops(r->pull, &a->shared, r->row, mloptPullIndex(r->pull, 0),
                   loops);
  if (a->isStreamed) {
    MlirValue m = mloptPullGenericOperand(r->pull, a->shared.op,
                                          a->streamed.reference, loops);
    values[0] = mloptBuildBinary(r->b, "arith.mulf", values[1],
                                 exponential(r, values[0], m));
  }
  acrossLine(r, &a->shared, values);
  mloptBuildFinal(r->pull, &a->shared, loops, values, a->results);
  a->isDone = true;
}

static void reduceTogether(Rows *r) {
  MlirValue init[MLOPT_PULL_MAX_CARRIED], next[MLOPT_PULL_MAX_CARRIED];
  MlirValue own[MLOPT_PULL_MAX_CARRIED];
  intptr_t count = 0;
  findTogether(r);
  for (intptr_t n = 0; n < r->numTogether; ++n) {
    const Along *a = &r->together[n];
    if (count + numCarried(a) > MLOPT_PULL_MAX_CARRIED)
      r->numTogether = n;
    for (intptr_t i = 0; n < r->numTogether && i < numCarried(a); ++i)
      init[count++] = !a->isStreamed ? mloptBuildNeutral(r->pull, &a->shared, i)
                                     : f32(r, i ? 0 : -INFINITY);
  }
  if (!r->numTogether)
    return;
  MloptPullScope scope = beginAlong(r, count, init, next);
  MlirValue *state = next;
  for (intptr_t n = 0; n < r->numTogether; ++n) {
    const Along *a = &r->together[n];
    if (a->isStreamed)
      stream(r, a, state);
    else if (a->shared.numResults == 1)
      accumulateTree(r, &a->shared, state);
    else
      accumulate(r, &a->shared, 1, true, state);
    state += numCarried(a);
  }
  endAlong(r, scope, count, init, next, own);
  // A stream needs what the others have found.
  for (int streamed = 0; streamed < 2; ++streamed) {
    state = own;
    for (intptr_t n = 0; n < r->numTogether; ++n) {
      Along *a = &r->together[n];
      if (a->isStreamed == (streamed == 1))
        finish(r, a, state);
      state += numCarried(a);
    }
  }
}

/// In the order of the program, so that each finds the ones it needs.
static void reduceAll(Rows *r) {
  for (MlirOperation op = mlirBlockGetFirstOperation(r->kernel->program);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (mloptIsReduction(op)) {
      MlirValue result = mloptResult(op, 0), indices[MLOPT_MAX_RANK];
      mloptPullDelinearize(r->pull, mlirValueGetType(result), r->row, indices);
      mloptPullElement(r->pull, result, indices);
    }
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

static bool isWhole(const Rows *r, const MloptRoot *root) {
  return mloptNumElements(mlirValueGetType(root->value)) ==
             r->rows * r->columns &&
         (r->columns > 1);
}

/// Results of the space's shape, for the open vectors.
static void storeVectors(Rows *r) {
  MlirValue elements[MLOPT_MAX_TILE_ROOTS][MAX_HELD][MLOPT_MAX_LANES];
  MloptKernel *k = r->kernel;
  // A result may lie where an operand does: read all, then write.
  for (intptr_t v = 0; v < r->numVectors; ++v)
    for (intptr_t i = 0; i < k->numRoots; ++i)
      if (isWhole(r, &k->roots[i]))
        mloptTileEvaluate(&r->tile, &r->vectors[v], k->roots[i].value,
                          elements[i][v]);
  for (intptr_t v = 0; v < r->numVectors; ++v) {
    MlirValue condition = both(r, r->rowValid, r->valid[v]);
    MloptPullScope scope = mloptPullBeginGuard(r->pull, condition);
    for (intptr_t i = 0; i < k->numRoots; ++i)
      if (isWhole(r, &k->roots[i]))
        mloptTileStore(&r->tile, &r->vectors[v], k->roots[i].pointer,
                       elements[i][v]);
    mloptPullEndGuard(r->pull, condition, scope);
  }
}

static void storeWhole(Rows *r) {
  bool any = false;
  for (intptr_t i = 0; i < r->kernel->numRoots; ++i)
    any |= isWhole(r, &r->kernel->roots[i]);
  if (!any)
    return;
  if (r->kernel->schedule.vectors) {
    storeVectors(r);
    return;
  }
  MloptPullScope along = beginAlong(r, 0, NULL, NULL);
  storeVectors(r);
  endAlong(r, along, 0, NULL, NULL, NULL);
}

/// Results with one element for each row, by the line's first thread.
static void storeRows(Rows *r) {
  MloptKernel *k = r->kernel;
  MlirValue elements[MLOPT_MAX_TILE_ROOTS], indices[MLOPT_MAX_RANK];
  bool any = false;
  r->tile.vector = NULL;
  for (intptr_t i = 0; i < k->numRoots; ++i) {
    if (isWhole(r, &k->roots[i]))
      continue;
    any = true;
    mloptPullDelinearize(r->pull, mlirValueGetType(k->roots[i].value), r->row,
                         indices);
    elements[i] = mloptPullElement(r->pull, k->roots[i].value, indices);
  }
  if (!any)
    return;
  MlirValue zero = mloptPullIndex(r->pull, 0);
  MlirValue condition =
      both(r, r->rowValid, mloptBuildCmpI(r->b, "eq", r->thread, zero));
  if (!mlirValueIsNull(r->rank))
    condition = both(r, condition, mloptBuildCmpI(r->b, "eq", r->rank, zero));
  MloptPullScope scope = mloptPullBeginGuard(r->pull, condition);
  for (intptr_t i = 0; i < k->numRoots; ++i) {
    if (isWhole(r, &k->roots[i]))
      continue;
    MlirType type = mlirValueGetType(k->roots[i].value);
    mloptPullDelinearize(r->pull, type, r->row, indices);
    mloptPullStore(r->pull, elements[i], k->roots[i].pointer, type, indices);
  }
  mloptPullEndGuard(r->pull, condition, scope);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

void mloptEmitRows(MloptKernel *kernel) {
  Rows r = {.kernel = kernel,
            .pull = kernel->pull,
            .b = mloptPullGetBuilder(kernel->pull),
            .tile = {.pull = kernel->pull}};
  MloptReduction reduction;
  mloptFindReduction(kernel->program, &reduction);
  r.rows = reduction.outer;
  r.columns = reduction.middle;
  mloptPullSetHooks(r.pull, (MloptPullHooks){.load = mloptTileLoad,
                                             .insert = mloptTileInsert,
                                             .reduce = reduceRow,
                                             .userData = &r.tile});
  mloptTileEnter(&r.tile);
  findRow(&r);
  if (kernel->schedule.vectors)
    openVectors(&r, r.begin, kernel->schedule.vectors,
                r.stretch * kernel->schedule.cluster != r.columns);
  else
    reduceTogether(&r);
  reduceAll(&r);
  storeWhole(&r);
  storeRows(&r);
  mloptPullSetHooks(r.pull, (MloptPullHooks){.load = NULL});
  mloptTileDestroy(&r.tile);
}
