//===- emit_sort_long.c - Sorts that merge two long runs ------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A piece of a line whose two halves are sorted runs in memory: warps find
// which rows of both are the piece's, all threads load their keys, and merge
// them in shared memory.
//
//   a: [ .. | left .. | .. ]   b: [ .. | right .. | .. ]   ->   piece
//
//===----------------------------------------------------------------------===//

#include "emit_search.h"
#include "emit_sort_impl.h"

/// The runs that the piece is merged from.
static MloptSortMerge openRuns(MloptSort *s) {
  MloptPull *p = s->pull;
  int64_t from = s->runs.from;
  MlirValue size = mloptPullIndex(p, s->runs.size);
  MloptSortMerge r = {.lane = mloptIndexRemInt(p, s->thread, MLOPT_SORT_WARP)};
  r.a = mloptIndexMulInt(p, mloptIndexDivInt(p, s->begin, 2 * from), 2 * from);
  r.b = mloptIndexAddInt(p, r.a, from);
  r.numA =
      mloptIndexMin(p, mloptIndexSub(p, size, r.a), mloptPullIndex(p, from));
  r.numB =
      mloptIndexMin(p, mloptIndexBeyond(p, size, r.b), mloptPullIndex(p, from));
  return r;
}

/// The same by a warp: of as many places as it has lanes, those whose row of a
/// goes first are counted.
static MlirValue findLongSplit(MloptSort *s, const MloptSortMerge *r,
                               MlirValue d, const MlirValue *within) {
  MloptPull *p = s->pull;
  MlirValue last = mloptPullIndex(p, s->runs.size - 1);
  MloptWarpSearch search;
  mloptBeginWarpSearch(p, r->lane, within[0], within[1], s->runs.from, &search);
  MlirValue row = search.place;
  MloptSortRow a, b;
  mloptSortPullKeys(s, mloptIndexMin(p, mloptIndexAdd(p, r->a, row), last), &a);
  MlirValue other = mloptIndexSub(p, mloptIndexAddInt(p, d, -1), row);
  mloptSortPullKeys(s, mloptIndexMin(p, mloptIndexAdd(p, r->b, other), last),
                    &b);
  MlirValue isFirst = mloptIndexArith(
      p, "arith.xori", mloptSortGoesBefore(s, &b, &a),
      mloptBuildInt(s->b, mlirIntegerTypeGet(s->b->context, 1), 1));
  return mloptEndWarpSearch(&search, isFirst);
}

/// Where the piece begins in a, and where it ends, found by two warps or, from
/// the middle to the parts, by one.
static void findEnds(MloptSort *s, const MloptSortMerge *r, MlirValue first,
                     MlirValue end, MlirValue splits) {
  MloptPull *p = s->pull;
  MlirType number = mlirIntegerTypeGet(s->b->context, 64);
  bool isUnknown = s->runs.order == MLOPT_ORDER_UNKNOWN;
  MlirValue warp = mloptIndexDivInt(p, s->thread, MLOPT_SORT_WARP), found[2],
            range[2];
  MlirValue looks =
      mloptIndexBelow(p, warp, mloptPullIndex(p, isUnknown ? 1 : 2));
  MloptPullScope guard = mloptPullBeginGuard(p, looks);
  if (isUnknown) {
    mloptSortFindPart(
        s, r, findLongSplit, mloptIndexDivInt(p, first, s->length),
        mloptPullIndex(p, mloptLogFrom(2 * s->runs.from / s->length)),
        s->length, found);
  } else {
    MlirValue d = mloptBuildSelect(
        s->b, mloptIndexBelow(p, warp, mloptPullIndex(p, 1)), first, end);
    mloptSortOpenRange(s, r, d, range);
    found[0] = findLongSplit(s, r, d, range);
  }
  MlirValue isLane = mloptIndexBelow(p, r->lane, mloptPullIndex(p, 1));
  MloptPullScope inner = mloptPullBeginGuard(p, isLane);
  for (int i = 0; i < (isUnknown ? 2 : 1); ++i)
    mloptStoreShared(
        p, splits,
        mloptBuildUnary(s->b, "arith.index_castui", found[i], number),
        isUnknown ? mloptPullIndex(p, i) : warp);
  mloptPullEndGuard(p, isLane, inner);
  mloptPullEndGuard(p, looks, guard);
  mloptBuildBarrier(s->b);
}

/// Finds which rows of the runs are the piece's.
static void splitRuns(MloptSort *s) {
  MloptPull *p = s->pull;
  MlirType index = mlirIndexTypeGet(s->b->context);
  MlirType number = mlirIntegerTypeGet(s->b->context, 64);
  MloptSortMerge r = openRuns(s);
  MlirValue first = mloptIndexSub(p, s->begin, r.a);
  MlirValue end = mloptIndexMin(p, mloptIndexAddInt(p, first, s->length),
                                mloptIndexAdd(p, r.numA, r.numB));
  MlirValue splits = mloptAddShared(s->kernel, number, 2), ends[2];
  findEnds(s, &r, first, end, splits);
  for (int i = 0; i < 2; ++i)
    ends[i] = mloptBuildUnary(
        s->b, "arith.index_castui",
        mloptLoadShared(p, splits, number, mloptPullIndex(p, i)), index);
  s->count = mloptIndexSub(p, end, first);
  s->numLeft = mloptIndexSub(p, ends[1], ends[0]);
  s->left = mloptIndexAdd(p, r.a, ends[0]);
  s->right = mloptIndexSub(
      p, mloptIndexAdd(p, r.b, mloptIndexSub(p, first, ends[0])), s->numLeft);
}

/// Where in the line a row of the piece has come from.
MlirValue mloptSortSourceOf(MloptSort *s, MlirValue place) {
  MloptPull *p = s->pull;
  MlirValue from = s->begin;
  if (s->runs.isMerge)
    from = mloptBuildSelect(s->b, mloptIndexBelow(p, place, s->numLeft),
                            s->left, s->right);
  return mloptIndexMin(p, mloptIndexAdd(p, from, place),
                       mloptPullIndex(p, s->runs.size - 1));
}

void mloptSortMergeLong(MloptSort *s) {
  MloptPull *p = s->pull;
  splitRuns(s);
  MloptSortRow rows[MLOPT_SORT_MAX_EACH];
  for (int64_t v = 0; v < s->each; ++v)
    mloptSortPullKeys(
        s, mloptSortSourceOf(s, mloptIndexAddInt(p, s->thread, v * s->threads)),
        &rows[v]);
  for (int64_t v = 0; v < s->each; ++v)
    mloptSortStoreKeys(s, &rows[v],
                       mloptIndexAddInt(p, s->thread, v * s->threads));
  mloptBuildBarrier(s->b);
  MloptSortMerge m = {.a = mloptPullIndex(p, 0),
                      .numA = s->numLeft,
                      .b = s->numLeft,
                      .numB = mloptIndexSub(p, s->count, s->numLeft),
                      .steps = mloptPullIndex(p, mloptLogFrom(s->length) + 1)};
  mloptSortMergeRows(s, &m, s->thread,
                     mloptPullIndex(p, mloptLogFrom(s->threads)), rows);
  mloptBuildBarrier(s->b);
  mloptSortStoreOwn(s, rows);
  mloptBuildBarrier(s->b);
}
