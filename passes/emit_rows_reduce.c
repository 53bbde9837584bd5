//===- emit_rows_reduce.c - Reductions of a row, one after the other ------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emit_rows.h"
#include "target.h"

#include "mlir-c/Dialect/LLVM.h"

enum { MAX_CLUSTER = 16 };

void mloptRowsElements(MloptRows *r, const MloptShared *shared, intptr_t v,
                       int k, MlirValue *out) {
  MlirValue loops[2 * MLOPT_MAX_RANK + 1];
  r->tile.vector = &r->vectors[v];
  r->tile.lane = k;
  mloptSharedLoops(r->pull, shared, r->row, r->vectors[v].column[k], loops);
  mloptSharedElements(
      r->pull, shared, loops,
      mlirValueIsNull(r->inRow[v][k]) ? r->valid[v] : r->inRow[v][k], out);
}

void mloptRowsAccumulate(MloptRows *r, const MloptShared *shared,
                         intptr_t chains, bool started, MlirValue *partial) {
  const intptr_t n = shared->numResults;
  MlirValue elements[MLOPT_PULL_MAX_CARRIED];
  for (intptr_t v = 0; v < r->numVectors; ++v)
    for (int k = 0; k < r->vectors[v].count; ++k) {
      MlirValue *chain = &partial[k % chains * n];
      bool isFirst = !started && !v && k < chains;
      mloptRowsElements(r, shared, v, k, isFirst ? chain : elements);
      if (!isFirst)
        mloptBuildStep(r->pull, shared, chain, elements);
    }
}

/// Each warp's values become those of all warps of the block.
static void acrossWarps(MloptRows *r, const MloptShared *s, MlirValue *values) {
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

static void waitForCluster(MloptRows *r) {
  mloptBuildOp(r->b, (MloptOpSpec){.name = "nvvm.cluster.wait"});
}

/// An array of this block in the block of the rank that the thread's number is.
static MlirValue elsewhere(MloptRows *r, MlirValue array) {
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
static void acrossBlocks(MloptRows *r, const MloptShared *s,
                         MlirValue *values) {
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

void mloptRowsAcrossLine(MloptRows *r, const MloptShared *s,
                         MlirValue *values) {
  const int64_t line = r->kernel->schedule.line, warp = mloptSm90.warp;
  mloptBuildWarpReduce(r->pull, s, 1, line < warp ? line : warp, values);
  if (line > warp)
    acrossWarps(r, s, values);
  if (r->kernel->schedule.cluster > 1)
    acrossBlocks(r, s, values);
}

/// A reduction that goes along the row alone.
typedef struct Alone {
  const MloptShared *shared;
  intptr_t chains;
} Alone;

static void accumulateTurn(MloptRows *r, void *userData,
                           const MlirValue *carried, MlirValue *next) {
  const Alone *alone = userData;
  memcpy(next, carried,
         alone->chains * alone->shared->numResults * sizeof *next);
  mloptRowsAccumulate(r, alone->shared, alone->chains, true, next);
}

/// The thread's own value of each result.
static void reduceOwn(MloptRows *r, const MloptShared *shared, MlirValue *out) {
  MlirValue partial[MLOPT_PULL_MAX_CARRIED * MLOPT_MAX_LANES];
  intptr_t chains = r->kernel->schedule.lanes, n = shared->numResults;
  if (r->kernel->schedule.vectors) {
    mloptRowsAccumulate(r, shared, chains, false, partial);
  } else {
    while (chains * n > MLOPT_PULL_MAX_CARRIED)
      chains /= 2;
    intptr_t count = chains * n;
    MlirValue init[MLOPT_PULL_MAX_CARRIED];
    for (intptr_t i = 0; i < count; ++i)
      init[i] = mloptBuildNeutral(r->pull, shared, i % n);
    Alone alone = {shared, chains};
    mloptRowsAlong(r, accumulateTurn, &alone, count, init, partial);
  }
  mloptBuildTree(r->pull, shared, chains, partial);
  memcpy(out, partial, n * sizeof *out);
}

/// The rows are found around the tile, which is what the load hook wants.
bool mloptRowsReduce(void *userData, MlirOperation op, const MlirValue *loops,
                     MlirValue *results) {
  MloptRows *r = (MloptRows *)((char *)userData - offsetof(MloptRows, tile));
  for (intptr_t i = 0; i < r->numTogether; ++i) {
    const MloptAlong *known = &r->together[i];
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
  mloptRowsAcrossLine(r, &shared, values);
  mloptBuildFinal(r->pull, &shared, loops, values, results);
  return true;
}
