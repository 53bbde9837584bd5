//===- emit_scatter_sorted.c - Scatters of sorted windows -----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks share the result, each a range of it, and its threads the elements, in
// vectors that lie in one slot each. Windows come in the order of their slots,
// so a block's are neighbours, and in them those of each vector: both are found
// by halving.
//
//   result:   [ block 0 | block 1 | ... ]            `vectors` for each thread
//   slots:    [ 0 0 1 4 4 4 | 5 7 7 .. ]             of the windows
//
// A part of the windows' slots at a time lies in shared memory, and of windows
// of one element the updates with them, so that a thread with many of them does
// not wait for each. Every element combines its updates in their order.
//
//===----------------------------------------------------------------------===//

#include "emit_reduce.h"
#include "emit_search.h"
#include "emit_structured.h"
#include "hoist_loads.h"
#include "scatter_slots.h"
#include "target.h"

/// The windows of a part; of a turn, whose loads wait side by side.
enum { PART = 1024, ROWS_PART = 256, AT_ONCE = 4 };
enum { MAX_EACH = 8, MAX_VALUES = MLOPT_PULL_MAX_CARRIED, WARP = 32 };

typedef struct Scatter {
  MloptKernel *kernel;
  MloptPull *pull;
  MloptBuilder *b;
  MlirOperation op;
  MloptSlots slots;
  MloptTile tile;
  MlirType operand, element, number; ///< i32, of a slot
  int64_t lanes, perSlot;    ///< elements of a vector; vectors of a slot
  int64_t each, range, part; ///< vectors of a thread, of a block; windows
  MlirValue tid;
  MlirValue shared, values; ///< of a part: slots; updates, or null
} Scatter;

/// A vector of the thread: elements of a slot from a column on.
typedef struct Own {
  MloptVector vector;
  MlirValue isThere, slot, column;
  MlirValue values[MLOPT_MAX_LANES];
} Own;

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// The slot of a window, as an index; the number of slots where it is in none.
static MlirValue slotOf(Scatter *s, MlirValue window) {
  MloptPull *p = s->pull;
  const MloptIndexing *x = &s->slots.indexing;
  MlirType indices = mloptOperandType(s->op, 1);
  MlirType i64 = mlirIntegerTypeGet(s->b->context, 64);
  MlirType index = mlirIndexTypeGet(s->b->context);
  MlirValue batch[MLOPT_MAX_RANK], inside = {NULL}, slot = {NULL};
  mloptPullDelinearize(p, s->slots.batch, window, batch);
  for (intptr_t d = 0; d < s->slots.numDims; ++d) {
    int64_t size = mloptDim(s->operand, d);
    MlirValue place = {NULL}, at[MLOPT_MAX_RANK], fits;
    for (intptr_t c = 0; c < x->map.count; ++c) {
      if (x->map.at[c] != d)
        continue;
      for (intptr_t i = 0, rank = mloptRank(indices); i < rank; ++i)
        at[i] = i < x->indexVectorDim    ? batch[i]
                : i == x->indexVectorDim ? mloptPullIndex(p, c)
                                         : batch[i - 1];
      place = mloptPullElement(p, mloptOperand(s->op, 1), at);
    }
    for (intptr_t i = 0; i < x->operandBatch.count; ++i)
      if (x->operandBatch.at[i] == d)
        place = batch[x->indexBatch.at[i] -
                      (x->indexBatch.at[i] > x->indexVectorDim)];
    if (s->b->failed)
      return place;
    if (mlirTypeIsAIndex(mlirValueGetType(place)))
      fits = mloptIndexBelow(p, place, mloptPullIndex(p, size));
    else {
      // All of its bits are compared: an index may have fewer.
      MlirType type = mlirValueGetType(place);
      if (mlirIntegerTypeGetWidth(type) < 64)
        place = mloptBuildUnary(
            s->b, s->slots.isUnsigned ? "arith.extui" : "arith.extsi", place,
            i64);
      fits = mloptBuildCmpI(s->b, "ult", place, mloptBuildInt(s->b, i64, size));
      place = mloptBuildUnary(s->b, "arith.index_castui", place, index);
    }
    inside = d ? mloptBothHold(p, inside, fits) : fits;
    slot = d ? mloptIndexAdd(p, mloptIndexMulInt(p, slot, size), place) : place;
  }
  MlirValue none = mloptPullIndex(p, s->slots.count);
  return s->slots.numDims ? mloptBuildSelect(s->b, inside, slot, none)
                          : mloptPullIndex(p, 0);
}

/// A vector of what has slots or windows, `inner` elements each.
static void vectorIn(Scatter *s, MlirValue slot, MlirValue column,
                     MloptVector *out) {
  mloptPullBindOuter(s->pull, slot);
  if (s->slots.inner == 1)
    mloptTileVectorAt(&s->tile, slot, 1, out);
  else
    mloptTileVectorIn(&s->tile, slot, s->slots.inner, column, (int)s->lanes,
                      out);
}

/// A window's updates of a vector's elements.
static void updatesOf(Scatter *s, MlirValue window, MlirValue column,
                      MlirValue *out) {
  MloptVector vector;
  vectorIn(s, window, column, &vector);
  mloptTileEvaluate(&s->tile, &vector, mloptOperand(s->op, 2), out);
}

/// The first window whose slot is `slot` or behind it, found by a warp.
static MlirValue findWindow(Scatter *s, MlirValue slot, MlirValue lane) {
  MloptPull *p = s->pull;
  int64_t count = s->slots.numWindows;
  MloptWarpSearch search;
  mloptBeginWarpSearch(p, lane, mloptPullIndex(p, 0), mloptPullIndex(p, count),
                       count, &search);
  MlirValue window =
      mloptIndexMin(p, search.place, mloptPullIndex(p, count - 1));
  return mloptEndWarpSearch(&search,
                            mloptIndexBelow(p, slotOf(s, window), slot));
}

/// The windows of the vectors from `begin` to below `end`: from out[0] to
/// below out[1]. The block's first two warps look for them.
static void findWindows(Scatter *s, MlirValue begin, MlirValue end,
                        MlirValue *out) {
  MloptPull *p = s->pull;
  MlirType index = mlirIndexTypeGet(s->b->context);
  MlirValue ends = mloptAddShared(s->kernel, s->number, 2);
  MlirValue warp = mloptIndexDivInt(p, s->tid, WARP);
  MlirValue lane = mloptIndexRemInt(p, s->tid, WARP);
  MlirValue isOne = mloptIndexBelow(p, warp, mloptPullIndex(p, 2));
  MlirValue isFirst = mloptIndexBelow(p, warp, mloptPullIndex(p, 1));
  MloptPullScope guard = mloptPullBeginGuard(p, isOne);
  MlirValue first = mloptIndexDivInt(p, begin, s->perSlot);
  MlirValue last =
      mloptIndexDivInt(p, mloptIndexAddInt(p, end, s->perSlot - 1), s->perSlot);
  MlirValue window =
      findWindow(s, mloptBuildSelect(s->b, isFirst, first, last), lane);
  MlirValue isLane = mloptIndexBelow(p, lane, mloptPullIndex(p, 1));
  MloptPullScope inner = mloptPullBeginGuard(p, isLane);
  mloptStoreShared(
      p, ends, mloptBuildUnary(s->b, "arith.index_castui", window, s->number),
      warp);
  mloptPullEndGuard(p, isLane, inner);
  mloptPullEndGuard(p, isOne, guard);
  mloptBuildBarrier(s->b);
  for (int i = 0; i < 2; ++i)
    out[i] = mloptBuildUnary(
        s->b, "arith.index_castui",
        mloptLoadShared(p, ends, s->number, mloptPullIndex(p, i)), index);
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static MlirValue loadSlot(Scatter *s, MlirValue at) {
  return mloptBuildUnary(s->b, "arith.index_castui",
                         mloptLoadShared(s->pull, s->shared, s->number, at),
                         mlirIndexTypeGet(s->b->context));
}

/// Loads the part of the windows from `first` on, up to below `end`. What is
/// behind it is in no slot.
static void loadPart(Scatter *s, MlirValue first, MlirValue end) {
  MloptPull *p = s->pull;
  int64_t threads = s->kernel->schedule.threads, turns = s->part / threads;
  MlirValue slots[MAX_EACH], values[MAX_EACH], zero = mloptPullIndex(p, 0);
  MlirValue last = mloptIndexAddInt(p, end, -1),
            none = mloptPullIndex(p, s->slots.count);
  for (int64_t v = 0; v < turns; ++v) {
    MlirValue window =
        mloptIndexAdd(p, mloptIndexAddInt(p, first, v * threads), s->tid);
    MlirValue isThere = mloptIndexBelow(p, window, end);
    window = mloptIndexMin(p, window, last);
    slots[v] = mloptBuildSelect(s->b, isThere, slotOf(s, window), none);
    if (!mlirValueIsNull(s->values))
      updatesOf(s, window, zero, &values[v]);
  }
  for (int64_t v = 0; v < turns; ++v) {
    MlirValue at = mloptIndexAddInt(p, s->tid, v * threads);
    mloptStoreShared(
        p, s->shared,
        mloptBuildUnary(s->b, "arith.index_castui", slots[v], s->number), at);
    if (!mlirValueIsNull(s->values))
      mloptStoreShared(p, s->values, values[v], at);
  }
}

/// The first windows of the part whose slots are not below each of some.
static void findInPart(Scatter *s, int64_t n, const MlirValue *slots,
                       MlirValue *out) {
  MloptPull *p = s->pull;
  MlirValue inits[2 * MAX_EACH], found[2 * MAX_EACH], next[2 * MAX_EACH], turn;
  for (int64_t i = 0; i < n; ++i)
    inits[i] = mloptPullIndex(p, 0);
  MloptPullScope loop = mloptPullBeginFor(p, n, inits, &turn, found);
  MlirValue step = mloptIndexMax(
      p, mloptPullIndex(p, 1),
      mloptIndexArith(p, "arith.shrui", mloptPullIndex(p, s->part / 2), turn));
  for (int64_t i = 0; i < n; ++i) {
    MlirValue beyond = mloptIndexAdd(p, found[i], step);
    MlirValue before = mloptIndexBelow(
        p, loadSlot(s, mloptIndexAddInt(p, beyond, -1)), slots[i]);
    next[i] = mloptBuildSelect(s->b, before, beyond, found[i]);
  }
  mloptPullEndFor(p, loop, mloptPullIndex(p, 0),
                  mloptPullIndex(p, mloptLogFrom(s->part) + 1),
                  mloptPullIndex(p, 1), n, inits, next, out);
}

/// Combines the updates from `begin` to below `end` of a part, which starts
/// with window `first`, into a vector, `count` of them in a turn.
static void combineTurns(Scatter *s, MlirValue first, const Own *own,
                         MlirValue begin, MlirValue end, int64_t count,
                         const MlirValue *values, MlirValue *out) {
  MloptPull *p = s->pull;
  MlirValue turn, next[MLOPT_MAX_LANES], updates[AT_ONCE][MLOPT_MAX_LANES];
  MloptPullScope loop = mloptPullBeginFor(p, s->lanes, values, &turn, next);
  mloptTileEnter(&s->tile);
  for (int64_t i = 0; i < count; ++i) {
    MlirValue window = mloptIndexAddInt(p, turn, i);
    if (mlirValueIsNull(s->values))
      updatesOf(s, mloptIndexAdd(p, first, window), own->column, updates[i]);
    else
      updates[i][0] = mloptLoadShared(p, s->values, s->element, window);
  }
  if (!s->b->failed && !mloptHoistLoads(s->b->block))
    s->b->failed = true;
  for (int64_t i = 0; i < count; ++i)
    for (int64_t k = 0; k < s->lanes; ++k)
      next[k] = mloptCombineElements(p, s->op, next[k], updates[i][k]);
  mloptPullEndFor(p, loop, begin, end, mloptPullIndex(p, count), s->lanes,
                  values, next, out);
}

/// Combines the part's updates into the thread's vectors, `lanes` values each.
static void combinePart(Scatter *s, const Own *own, MlirValue first,
                        const MlirValue *old, MlirValue *out) {
  MloptPull *p = s->pull;
  MlirValue slots[2 * MAX_EACH], ends[2 * MAX_EACH];
  for (int64_t v = 0; v < s->each; ++v) {
    slots[2 * v] = own[v].slot;
    slots[2 * v + 1] = mloptIndexAddInt(p, own[v].slot, 1);
  }
  findInPart(s, 2 * s->each, slots, ends);
  for (int64_t v = 0; v < s->each; ++v) {
    MlirValue begin = ends[2 * v], end = ends[2 * v + 1];
    MlirValue rest = mloptIndexRemInt(p, mloptIndexSub(p, end, begin), AT_ONCE);
    MlirValue whole = mloptIndexSub(p, end, rest), values[MLOPT_MAX_LANES];
    combineTurns(s, first, &own[v], begin, whole, AT_ONCE, old + v * s->lanes,
                 values);
    combineTurns(s, first, &own[v], whole, end, 1, values, out + v * s->lanes);
  }
}

/// Combines all updates of the windows from ends[0] to below ends[1].
static void combineAll(Scatter *s, Own *own, const MlirValue *ends) {
  MloptPull *p = s->pull;
  MlirValue first, old[MAX_VALUES], values[MAX_VALUES], next[MAX_VALUES];
  int64_t n = s->each * s->lanes;
  for (int64_t i = 0; i < n; ++i)
    old[i] = own[i / s->lanes].values[i % s->lanes];
  MloptPullScope loop = mloptPullBeginFor(p, n, old, &first, values);
  mloptTileEnter(&s->tile);
  mloptBuildBarrier(s->b);
  loadPart(s, first, ends[1]);
  mloptBuildBarrier(s->b);
  combinePart(s, own, first, values, next);
  mloptPullEndFor(p, loop, ends[0], ends[1], mloptPullIndex(p, s->part), n, old,
                  next, values);
  for (int64_t i = 0; i < n; ++i)
    own[i / s->lanes].values[i % s->lanes] = values[i];
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// Finds the thread's vectors of those from `begin` to below `end`, and what
/// the operand has there.
static void openVectors(Scatter *s, MlirValue begin, MlirValue end, Own *own) {
  MloptPull *p = s->pull;
  int64_t threads = s->kernel->schedule.threads;
  mloptTileEnter(&s->tile);
  for (int64_t v = 0; v < s->each; ++v) {
    MlirValue number =
        mloptIndexAdd(p, mloptIndexAddInt(p, begin, v * threads), s->tid);
    own[v].isThere = mloptIndexBelow(p, number, end);
    number = mloptBuildSelect(s->b, own[v].isThere, number, begin);
    own[v].slot = mloptIndexDivInt(p, number, s->perSlot);
    own[v].column =
        mloptIndexMulInt(p, mloptIndexRemInt(p, number, s->perSlot), s->lanes);
    vectorIn(s, own[v].slot, own[v].column, &own[v].vector);
  }
  for (int64_t v = 0; v < s->each; ++v)
    mloptTileEvaluate(&s->tile, &own[v].vector, mloptOperand(s->op, 0),
                      own[v].values);
}

static void giveVector(Scatter *s, Own *own, MloptElementSink sink) {
  MloptPullScope then = mloptPullBeginGuard(s->pull, own->isThere);
  mloptTileEnter(&s->tile);
  for (int64_t k = 0; k < s->lanes; ++k) {
    MlirValue at[MLOPT_MAX_RANK];
    mloptPullDelinearize(s->pull, s->operand, own->vector.position[k], at);
    mloptPullBindElements(s->pull, s->op, mloptRank(s->operand), at,
                          &own->values[k]);
  }
  if (!s->b->failed)
    sink.storeVector(sink.userData, &s->tile, &own->vector);
  mloptPullEndGuard(s->pull, own->isThere, then);
}

static bool describe(Scatter *s) {
  const MloptSchedule *schedule = &s->kernel->schedule;
  s->operand = mloptOperandType(s->op, 0);
  s->element = mloptElementType(s->operand);
  s->number = mlirIntegerTypeGet(s->b->context, 32);
  s->each = schedule->vectors;
  s->lanes = schedule->lanes;
  if (!mloptReadSlots(s->op, &s->slots) || s->slots.inner % s->lanes ||
      s->each > MAX_EACH || s->each * s->lanes > MAX_VALUES)
    return false;
  s->perSlot = s->slots.inner / s->lanes;
  s->part = s->slots.inner == 1 ? PART : ROWS_PART;
  int64_t count = s->slots.count * s->perSlot;
  s->range = (count + schedule->blocks - 1) / schedule->blocks;
  return s->range <= schedule->threads * s->each;
}

void mloptEmitSortedScatter(MloptKernel *kernel, MlirOperation op,
                            MloptElementSink sink) {
  MloptPull *p = kernel->pull;
  Scatter s = {.kernel = kernel,
               .pull = p,
               .b = mloptPullGetBuilder(kernel->pull),
               .op = op,
               .tile = {.pull = p}};
  if (!describe(&s)) {
    s.b->failed = true;
    return;
  }
  s.tid = mloptReadRegister(s.b, "nvvm.read.ptx.sreg.tid.x");
  s.shared = mloptAddShared(kernel, s.number, s.part);
  if (s.slots.inner == 1)
    s.values = mloptAddShared(kernel, s.element, s.part);
  mloptPullSetHooks(s.pull, (MloptPullHooks){.load = mloptTileLoad,
                                             .insert = mloptTileInsert,
                                             .userData = &s.tile});
  MlirValue all = mloptPullIndex(p, s.slots.count * s.perSlot), ends[2];
  MlirValue block = mloptReadRegister(s.b, "nvvm.read.ptx.sreg.ctaid.x");
  MlirValue begin = mloptIndexMin(p, mloptIndexMulInt(p, block, s.range), all);
  MlirValue end = mloptIndexMin(p, mloptIndexAddInt(p, begin, s.range), all);
  Own own[MAX_EACH];
  openVectors(&s, begin, end, own);
  findWindows(&s, begin, end, ends);
  combineAll(&s, own, ends);
  for (int64_t v = 0; v < s.each; ++v)
    giveVector(&s, &own[v], sink);
  mloptPullSetHooks(s.pull, (MloptPullHooks){.load = NULL});
  mloptTileDestroy(&s.tile);
}
