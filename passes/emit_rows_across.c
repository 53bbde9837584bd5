//===- emit_rows_across.c - Values of threads that share a row ------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the threads of a row have found of several reductions becomes that of
// all: through shuffles in a warp, shared memory in a block, and that of the
// others in a cluster, with one barrier for all reductions at each level.
//
//   thread -> warp -> array [ w0 w1 .. wW ] -> block
//          -> array [ b0 b1 .. bC ] in each block -> cluster
//
// The state of a stream, the largest a and the sum of exp(a - largest), takes
// the largest of all first, then the sum of the sums that are scaled to it.
//
//===----------------------------------------------------------------------===//

#include "emit_rows.h"
#include "target.h"

enum { MAX_CLUSTER = 16 };

/// Values of several reductions, one behind the other.
typedef MlirValue Values[MLOPT_PULL_MAX_CARRIED];

static intptr_t countOf(const MloptAcross *a) {
  return a->isStream ? 2 : a->shared->numResults;
}

/// The largest of a stream that another reduction has found too.
static const MlirValue *largestOf(const MloptAcross *all, const MloptAcross *a,
                                  const MlirValue *values) {
  for (; all != a->largest; ++all)
    values += countOf(all);
  return values;
}

//===----------------------------------------------------------------------===//
// In a warp
//===----------------------------------------------------------------------===//

/// Combines a value of threads whose numbers differ in the bits below `end`.
static MlirValue butterfly(MloptRows *r, const char *name, int64_t end,
                           MlirValue value) {
  MlirType i32 = mlirIntegerTypeGet(r->b->context, 32);
  for (int64_t offset = end / 2; offset; offset /= 2)
    value =
        mloptBuildBinary(r->b, name, value,
                         mloptBuildShuffle(r->b, "bfly", value,
                                           mloptBuildInt(r->b, i32, offset)));
  return value;
}

static void acrossThreads(MloptRows *r, intptr_t n, const MloptAcross *all,
                          int64_t end) {
  for (intptr_t i = 0; i < n; ++i)
    if (!all[i].isStream)
      mloptBuildWarpReduce(r->pull, all[i].shared, 1, end, all[i].values);
  for (intptr_t i = 0; i < n; ++i) {
    MlirValue *state = all[i].values;
    if (!all[i].isStream)
      continue;
    MlirValue largest = all[i].largest
                            ? all[i].largest->values[0]
                            : butterfly(r, "arith.maximumf", end, state[0]);
    state[1] =
        butterfly(r, "arith.addf", end, mloptRowsRescale(r, state, largest));
    state[0] = largest;
  }
}

//===----------------------------------------------------------------------===//
// Through shared memory
//===----------------------------------------------------------------------===//

/// A new array for each value; none for a largest that another has.
static void addArrays(MloptRows *r, intptr_t n, const MloptAcross *all,
                      int64_t count, MlirValue *out) {
  for (intptr_t i = 0; i < n; ++i)
    for (intptr_t k = 0; k < countOf(&all[i]); ++k, ++out)
      *out = all[i].largest && !k
                 ? (MlirValue){NULL}
                 : mloptAddShared(r->kernel, mlirValueGetType(all[i].values[k]),
                                  count);
}

/// Stores the values at an index of the arrays; of those of another block of
/// the cluster, if it is not null.
static void store(MloptRows *r, intptr_t n, const MloptAcross *all,
                  const MlirValue *arrays, MlirValue index, MlirValue block) {
  for (intptr_t i = 0; i < n; ++i)
    for (intptr_t k = 0; k < countOf(&all[i]); ++k, ++arrays)
      if (!mlirValueIsNull(*arrays))
        mloptStoreShared(r->pull,
                         mlirValueIsNull(block)
                             ? *arrays
                             : mloptBuildElsewhere(r->b, *arrays, block),
                         all[i].values[k], index);
}

/// Loads them; where `there`, if not null, is false, what changes nothing.
static void load(MloptRows *r, intptr_t n, const MloptAcross *all,
                 const MlirValue *arrays, MlirValue index, MlirValue there,
                 MlirValue *out) {
  const MlirValue *loaded = out;
  for (intptr_t i = 0; i < n; ++i)
    for (intptr_t k = 0; k < countOf(&all[i]); ++k, ++arrays, ++out) {
      if (mlirValueIsNull(*arrays)) {
        *out = *largestOf(all, &all[i], loaded);
        continue;
      }
      *out = mloptLoadShared(r->pull, *arrays,
                             mlirValueGetType(all[i].values[k]), index);
      if (!mlirValueIsNull(there))
        *out = mloptBuildSelect(
            r->b, there, *out,
            all[i].isStream ? mloptRowsFreshState(r, k)
                            : mloptBuildNeutral(r->pull, all[i].shared, k));
    }
}

/// Each warp's values become those of all warps of the block.
static void acrossWarps(MloptRows *r, intptr_t n, const MloptAcross *all) {
  const int64_t warp = mloptSm90.warp;
  int64_t warps = r->kernel->schedule.line / warp, width = 1;
  while (width < warps)
    width *= 2;
  Values arrays, loaded;
  MlirValue size = mloptPullIndex(r->pull, warp);
  MlirValue lane = mloptBuildBinary(r->b, "arith.remui", r->thread, size);
  MlirValue number = mloptBuildBinary(r->b, "arith.divui", r->thread, size);
  MlirValue first =
      mloptBuildCmpI(r->b, "eq", lane, mloptPullIndex(r->pull, 0));
  addArrays(r, n, all, warps, arrays);
  MloptPullScope then = mloptPullBeginBranch(r->pull);
  store(r, n, all, arrays, number, (MlirValue){NULL});
  mloptPullEndGuard(r->pull, first, then);
  mloptBuildBarrier(r->b);
  MlirValue at = mloptBuildBinary(r->b, "arith.remui", lane,
                                  mloptPullIndex(r->pull, width));
  MlirValue there = {NULL};
  if (width != warps) {
    there = mloptBuildCmpI(r->b, "ult", at, mloptPullIndex(r->pull, warps));
    at = mloptBuildSelect(r->b, there, at, mloptPullIndex(r->pull, 0));
  }
  load(r, n, all, arrays, at, there, loaded);
  const MlirValue *from = loaded;
  for (intptr_t i = 0; i < n; from += countOf(&all[i++]))
    memcpy(all[i].values, from, countOf(&all[i]) * sizeof *from);
  acrossThreads(r, n, all, width);
}

static void waitForCluster(MloptRows *r) {
  mloptBuildOp(r->b, (MloptOpSpec){.name = "nvvm.cluster.wait"});
}

/// Combines the values of all blocks, from `at` on of each.
static void combineBlocks(MloptRows *r, const MloptAcross *a,
                          const Values *blocks, intptr_t at) {
  const int64_t cluster = r->kernel->schedule.cluster;
  const intptr_t n = countOf(a);
  MlirValue values[MAX_CLUSTER * MLOPT_PULL_MAX_CARRIED];
  if (!a->isStream) {
    for (int64_t k = 0; k < cluster; ++k)
      memcpy(values + k * n, blocks[k] + at, n * sizeof *values);
    mloptBuildTree(r->pull, a->shared, cluster, values);
    memcpy(a->values, values, n * sizeof *values);
    return;
  }
  for (int64_t k = 0; k < cluster; ++k)
    values[k] = blocks[k][at];
  MlirValue largest = a->largest
                          ? a->largest->values[0]
                          : mloptRowsFold(r, "arith.maximumf", cluster, values);
  for (int64_t k = 0; k < cluster; ++k)
    values[k] = mloptRowsRescale(r, blocks[k] + at, largest);
  a->values[0] = largest;
  a->values[1] = mloptRowsFold(r, "arith.addf", cluster, values);
}

/// Each block's values become those of all blocks of the cluster.
static void acrossBlocks(MloptRows *r, intptr_t n, const MloptAcross *all) {
  const int64_t cluster = r->kernel->schedule.cluster;
  Values arrays, blocks[MAX_CLUSTER];
  if (!r->isStarted)
    waitForCluster(r);
  r->isStarted = true;
  MlirValue writes =
      mloptBuildCmpI(r->b, "ult", r->thread, mloptPullIndex(r->pull, cluster));
  addArrays(r, n, all, cluster, arrays);
  MloptPullScope then = mloptPullBeginBranch(r->pull);
  store(r, n, all, arrays, r->rank, r->thread);
  mloptPullEndGuard(r->pull, writes, then);
  mloptBuildOp(r->b, (MloptOpSpec){.name = "nvvm.cluster.arrive"});
  waitForCluster(r);
  for (int64_t k = 0; k < cluster; ++k)
    load(r, n, all, arrays, mloptPullIndex(r->pull, k), (MlirValue){NULL},
         blocks[k]);
  intptr_t at = 0;
  for (intptr_t i = 0; i < n; at += countOf(&all[i++]))
    combineBlocks(r, &all[i], blocks, at);
}

void mloptRowsAcrossLine(MloptRows *r, intptr_t n, const MloptAcross *all) {
  const int64_t line = r->kernel->schedule.line, warp = mloptSm90.warp;
  acrossThreads(r, n, all, line < warp ? line : warp);
  if (line > warp)
    acrossWarps(r, n, all);
  if (r->kernel->schedule.cluster > 1)
    acrossBlocks(r, n, all);
}
