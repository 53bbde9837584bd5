//===- emit_scatter_sorted.c - Scatters of sorted windows -----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks share the result, each a range of it, and its threads the elements.
// Windows come in the order of their slots, so a block's are neighbours, and in
// them those of each element: both are found by halving.
//
//   result:   [ block 0: tile, tile .. | block 1 .. ]      tile: `vectors` for
//   slots:    [ 0 0 1 4 4 4 | 5 7 7 .. ]                   each thread
//
// A part of the windows' slots at a time lies in shared memory, and of windows
// of one element the updates with them, so that a thread with many of them does
// not wait for each. Every element combines its updates in their order.
//
//===----------------------------------------------------------------------===//

#include "emit_reduce.h"
#include "emit_structured.h"
#include "hoist_loads.h"
#include "scatter_slots.h"
#include "target.h"

enum { PART = 1024, MAX_EACH = 16, WARP = 32, AT_ONCE = 4 };

typedef struct Scatter {
  MloptKernel *kernel;
  MloptPull *pull;
  MloptBuilder *b;
  MlirOperation op;
  MloptSlots slots;
  MlirType operand, element, number; ///< i32, of a slot
  int64_t each, range; ///< elements of a thread in a tile; of a block
  MlirValue tid;
  MlirValue shared, values; ///< of a part: slots; updates, or null
} Scatter;

/// A block's tile, and the thread's elements of it.
typedef struct Tile {
  MlirValue isThere[MAX_EACH], slot[MAX_EACH];
  MlirValue at[MAX_EACH][MLOPT_MAX_RANK];
} Tile;

static MlirValue constant(Scatter *s, int64_t n) {
  return mloptPullIndex(s->pull, n);
}
static MlirValue binary(Scatter *s, const char *name, MlirValue x,
                        MlirValue y) {
  return mloptBuildBinary(s->b, name, x, y);
}
static MlirValue apply(Scatter *s, const char *name, MlirValue x, int64_t n) {
  return binary(s, name, x, constant(s, n));
}
static MlirValue add(Scatter *s, MlirValue x, MlirValue y) {
  return binary(s, "arith.addi", x, y);
}
static MlirValue addInt(Scatter *s, MlirValue x, int64_t n) {
  return n ? apply(s, "arith.addi", x, n) : x;
}
static MlirValue subtract(Scatter *s, MlirValue x, MlirValue y) {
  return binary(s, "arith.subi", x, y);
}
static MlirValue least(Scatter *s, MlirValue x, MlirValue y) {
  return binary(s, "arith.minui", x, y);
}
static MlirValue isBelow(Scatter *s, MlirValue x, MlirValue y) {
  return mloptBuildCmpI(s->b, "ult", x, y);
}
static MlirValue both(Scatter *s, MlirValue x, MlirValue y) {
  return binary(s, "arith.andi", x, y);
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// The slot of a window, as an index; the number of slots where it is in none.
static MlirValue slotOf(Scatter *s, MlirValue window) {
  const MloptIndexing *x = &s->slots.indexing;
  MlirType indices = mloptOperandType(s->op, 1);
  MlirType i64 = mlirIntegerTypeGet(s->b->context, 64);
  MlirType index = mlirIndexTypeGet(s->b->context);
  MlirValue batch[MLOPT_MAX_RANK], inside = {NULL}, slot = {NULL};
  mloptPullDelinearize(s->pull, s->slots.batch, window, batch);
  for (intptr_t d = 0; d < s->slots.numDims; ++d) {
    int64_t size = mloptDim(s->operand, d);
    MlirValue place = {NULL}, at[MLOPT_MAX_RANK], fits;
    for (intptr_t c = 0; c < x->map.count; ++c) {
      if (x->map.at[c] != d)
        continue;
      for (intptr_t i = 0, rank = mloptRank(indices); i < rank; ++i)
        at[i] = i < x->indexVectorDim    ? batch[i]
                : i == x->indexVectorDim ? constant(s, c)
                                         : batch[i - 1];
      place = mloptPullElement(s->pull, mloptOperand(s->op, 1), at);
    }
    for (intptr_t i = 0; i < x->operandBatch.count; ++i)
      if (x->operandBatch.at[i] == d)
        place = batch[x->indexBatch.at[i] -
                      (x->indexBatch.at[i] > x->indexVectorDim)];
    if (s->b->failed)
      return place;
    if (mlirTypeIsAIndex(mlirValueGetType(place)))
      fits = isBelow(s, place, constant(s, size));
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
    inside = d ? both(s, inside, fits) : fits;
    slot = d ? add(s, apply(s, "arith.muli", slot, size), place) : place;
  }
  MlirValue none = constant(s, s->slots.count);
  return s->slots.numDims ? mloptBuildSelect(s->b, inside, slot, none)
                          : constant(s, 0);
}

/// A window's update of an element at these indices of the operand.
static MlirValue updateOf(Scatter *s, MlirValue window, const MlirValue *at) {
  const MloptIndexing *x = &s->slots.indexing;
  MlirValue batch[MLOPT_MAX_RANK], update[MLOPT_MAX_RANK];
  mloptPullDelinearize(s->pull, s->slots.batch, window, batch);
  intptr_t next = 0;
  for (intptr_t i = 0, rank = mloptRank(mloptOperandType(s->op, 2)); i < rank;
       ++i)
    if (!mloptHasInt(&x->window, i))
      update[i] = batch[next++];
  for (intptr_t i = 0; i < x->window.count; ++i)
    update[x->window.at[i]] = at[s->slots.numDims + i];
  return mloptPullElement(s->pull, mloptOperand(s->op, 2), update);
}

static int64_t logOf(int64_t n) {
  int64_t log = 0;
  while (INT64_C(1) << log < n)
    ++log;
  return log;
}

/// The first window whose slot is `slot` or behind it, found by a warp.
static MlirValue findWindow(Scatter *s, MlirValue slot, MlirValue lane) {
  int64_t count = s->slots.numWindows;
  MlirValue inits[] = {constant(s, 0), constant(s, count)};
  MlirValue range[2], next[2], out[2], ignored;
  int64_t rounds = (logOf(count) + 4) / 5;
  MloptPullScope loop = mloptPullBeginFor(s->pull, 2, inits, &ignored, range);
  MlirValue left = subtract(s, range[1], range[0]);
  MlirValue step = apply(s, "arith.divui", addInt(s, left, WARP - 1), WARP);
  MlirValue window = addInt(
      s, add(s, range[0], binary(s, "arith.muli", addInt(s, lane, 1), step)),
      -1);
  MlirValue before =
      isBelow(s, slotOf(s, least(s, window, constant(s, count - 1))), slot);
  MlirValue inside =
      both(s, isBelow(s, window, range[1]), isBelow(s, range[0], range[1]));
  MlirValue found = mloptBuildCountLanes(
      s->b, mloptBuildBallot(s->b, both(s, inside, before)));
  next[0] = add(s, range[0], binary(s, "arith.muli", found, step));
  next[1] = binary(s, "arith.maxui", next[0],
                   least(s, range[1], addInt(s, add(s, next[0], step), -1)));
  mloptPullEndFor(s->pull, loop, constant(s, 0),
                  constant(s, rounds ? rounds : 1), constant(s, 1), 2, inits,
                  next, out);
  return out[0];
}

/// The windows of the elements from `begin` to below `end`: from out[0] to
/// below out[1]. The block's first two warps look for them.
static void findWindows(Scatter *s, MlirValue begin, MlirValue end,
                        MlirValue *out) {
  MlirType index = mlirIndexTypeGet(s->b->context);
  MlirValue ends = mloptAddShared(s->kernel, s->number, 2);
  MlirValue warp = apply(s, "arith.divui", s->tid, WARP);
  MlirValue lane = apply(s, "arith.remui", s->tid, WARP);
  MlirValue isOne = isBelow(s, warp, constant(s, 2));
  MlirValue isFirst = isBelow(s, warp, constant(s, 1));
  MloptPullScope guard = mloptPullBeginGuard(s->pull, isOne);
  MlirValue first = apply(s, "arith.divui", begin, s->slots.inner);
  MlirValue last = apply(s, "arith.divui", addInt(s, end, s->slots.inner - 1),
                         s->slots.inner);
  MlirValue window =
      findWindow(s, mloptBuildSelect(s->b, isFirst, first, last), lane);
  MlirValue isLane = isBelow(s, lane, constant(s, 1));
  MloptPullScope inner = mloptPullBeginGuard(s->pull, isLane);
  mloptStoreShared(
      s->pull, ends,
      mloptBuildUnary(s->b, "arith.index_castui", window, s->number), warp);
  mloptPullEndGuard(s->pull, isLane, inner);
  mloptPullEndGuard(s->pull, isOne, guard);
  mloptBuildBarrier(s->b);
  for (int i = 0; i < 2; ++i)
    out[i] = mloptBuildUnary(
        s->b, "arith.index_castui",
        mloptLoadShared(s->pull, ends, s->number, constant(s, i)), index);
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
  int64_t threads = s->kernel->schedule.threads;
  MlirValue slots[MAX_EACH], values[MAX_EACH];
  MlirValue last = addInt(s, end, -1), none = constant(s, s->slots.count);
  int64_t turns = PART / threads;
  for (int64_t v = 0; v < turns; ++v) {
    MlirValue window = add(s, addInt(s, first, v * threads), s->tid);
    MlirValue isThere = isBelow(s, window, end);
    window = least(s, window, last);
    slots[v] = mloptBuildSelect(s->b, isThere, slotOf(s, window), none);
    // All of a window's indices are zero.
    MlirValue at[MLOPT_MAX_RANK];
    for (int i = 0; i < MLOPT_MAX_RANK; ++i)
      at[i] = constant(s, 0);
    if (!mlirValueIsNull(s->values))
      values[v] = updateOf(s, window, at);
  }
  for (int64_t v = 0; v < turns; ++v) {
    MlirValue at = addInt(s, s->tid, v * threads);
    mloptStoreShared(
        s->pull, s->shared,
        mloptBuildUnary(s->b, "arith.index_castui", slots[v], s->number), at);
    if (!mlirValueIsNull(s->values))
      mloptStoreShared(s->pull, s->values, values[v], at);
  }
}

/// The first windows of the part whose slots are not below each of some.
static void findInPart(Scatter *s, int64_t n, const MlirValue *slots,
                       MlirValue *out) {
  MlirValue inits[2 * MAX_EACH], found[2 * MAX_EACH], next[2 * MAX_EACH], turn;
  for (int64_t i = 0; i < n; ++i)
    inits[i] = constant(s, 0);
  MloptPullScope loop = mloptPullBeginFor(s->pull, n, inits, &turn, found);
  MlirValue step =
      binary(s, "arith.maxui", constant(s, 1),
             binary(s, "arith.shrui", constant(s, PART / 2), turn));
  for (int64_t i = 0; i < n; ++i) {
    MlirValue beyond = add(s, found[i], step);
    MlirValue before = isBelow(s, loadSlot(s, addInt(s, beyond, -1)), slots[i]);
    next[i] = mloptBuildSelect(s->b, before, beyond, found[i]);
  }
  mloptPullEndFor(s->pull, loop, constant(s, 0), constant(s, logOf(PART) + 1),
                  constant(s, 1), n, inits, next, out);
}

static MlirValue combine(Scatter *s, MlirValue value, MlirValue update) {
  MlirValue arguments[] = {value, update}, out = {NULL};
  mloptPullBody(s->pull,
                mlirRegionGetFirstBlock(mlirOperationGetRegion(s->op, 0)),
                arguments, &out);
  return out;
}

/// Combines the updates from `begin` to below `end` of a part into an element,
/// `count` of them in a turn, so that their loads wait side by side.
static MlirValue combineTurns(Scatter *s, MlirValue first, const MlirValue *at,
                              MlirValue begin, MlirValue end, int64_t count,
                              MlirValue value) {
  MlirValue turn, old, updates[AT_ONCE], next, out;
  MloptPullScope loop = mloptPullBeginFor(s->pull, 1, &value, &turn, &old);
  for (int64_t i = 0; i < count; ++i) {
    MlirValue window = addInt(s, turn, i);
    updates[i] = mlirValueIsNull(s->values)
                     ? updateOf(s, add(s, first, window), at)
                     : mloptLoadShared(s->pull, s->values, s->element, window);
  }
  if (!s->b->failed && !mloptHoistLoads(s->b->block))
    s->b->failed = true;
  next = old;
  for (int64_t i = 0; i < count; ++i)
    next = combine(s, next, updates[i]);
  mloptPullEndFor(s->pull, loop, begin, end, constant(s, count), 1, &value,
                  &next, &out);
  return out;
}

/// Combines the part's updates into the thread's elements.
static void combinePart(Scatter *s, const Tile *tile, MlirValue first,
                        const MlirValue *old, MlirValue *out) {
  MlirValue slots[2 * MAX_EACH], ends[2 * MAX_EACH];
  for (int64_t e = 0; e < s->each; ++e) {
    slots[2 * e] = tile->slot[e];
    slots[2 * e + 1] = addInt(s, tile->slot[e], 1);
  }
  findInPart(s, 2 * s->each, slots, ends);
  for (int64_t e = 0; e < s->each; ++e) {
    MlirValue begin = ends[2 * e], end = ends[2 * e + 1];
    MlirValue whole = subtract(s, end, begin);
    whole = add(s, begin,
                subtract(s, whole, apply(s, "arith.remui", whole, AT_ONCE)));
    MlirValue value =
        combineTurns(s, first, tile->at[e], begin, whole, AT_ONCE, old[e]);
    out[e] = combineTurns(s, first, tile->at[e], whole, end, 1, value);
  }
}

/// Combines all updates of the windows from ends[0] to below ends[1].
static void combineAll(Scatter *s, const Tile *tile, const MlirValue *ends,
                       const MlirValue *old, MlirValue *out) {
  MlirValue first, values[MAX_EACH], next[MAX_EACH];
  MloptPullScope loop =
      mloptPullBeginFor(s->pull, s->each, old, &first, values);
  mloptBuildBarrier(s->b);
  loadPart(s, first, ends[1]);
  mloptBuildBarrier(s->b);
  combinePart(s, tile, first, values, next);
  mloptPullEndFor(s->pull, loop, ends[0], ends[1], constant(s, PART), s->each,
                  old, next, out);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

static void openTile(Scatter *s, MlirValue begin, MlirValue end, Tile *tile) {
  int64_t threads = s->kernel->schedule.threads;
  for (int64_t e = 0; e < s->each; ++e) {
    MlirValue position = add(s, addInt(s, begin, e * threads), s->tid);
    tile->isThere[e] = isBelow(s, position, end);
    position = mloptBuildSelect(s->b, tile->isThere[e], position, begin);
    tile->slot[e] = apply(s, "arith.divui", position, s->slots.inner);
    mloptPullDelinearize(s->pull, s->operand, position, tile->at[e]);
  }
}

static void giveTile(Scatter *s, const Tile *tile, const MlirValue *values,
                     MloptElementSink sink) {
  for (int64_t e = 0; e < s->each; ++e) {
    MloptPullScope then = mloptPullBeginGuard(s->pull, tile->isThere[e]);
    mloptPullBindElements(s->pull, s->op, mloptRank(s->operand), tile->at[e],
                          &values[e]);
    if (!s->b->failed)
      sink.store(sink.userData, tile->at[e]);
    mloptPullEndGuard(s->pull, tile->isThere[e], then);
  }
}

void mloptEmitSortedScatter(MloptKernel *kernel, MlirOperation op,
                            MloptElementSink sink) {
  const MloptSchedule *schedule = &kernel->schedule;
  Scatter s = {.kernel = kernel,
               .pull = kernel->pull,
               .b = mloptPullGetBuilder(kernel->pull),
               .op = op,
               .operand = mloptOperandType(op, 0),
               .each = schedule->vectors};
  s.element = mloptElementType(s.operand);
  s.number = mlirIntegerTypeGet(s.b->context, 32);
  if (!mloptReadSlots(op, &s.slots) || s.each > MAX_EACH) {
    s.b->failed = true;
    return;
  }
  int64_t count = mloptNumElements(s.operand);
  s.range = (count + schedule->blocks - 1) / schedule->blocks;
  s.tid = mloptReadRegister(s.b, "nvvm.read.ptx.sreg.tid.x");
  s.shared = mloptAddShared(kernel, s.number, PART + 1);
  if (s.slots.inner == 1)
    s.values = mloptAddShared(kernel, s.element, PART + 1);
  MlirValue all = constant(&s, count), ends[2];
  MlirValue block = mloptReadRegister(s.b, "nvvm.read.ptx.sreg.ctaid.x");
  MlirValue begin = least(&s, apply(&s, "arith.muli", block, s.range), all);
  MlirValue end = least(&s, addInt(&s, begin, s.range), all), first;
  MlirValue old[MAX_EACH], values[MAX_EACH];
  findWindows(&s, begin, end, ends);
  MloptPullScope tiles = mloptPullBeginFor(s.pull, 0, NULL, &first, NULL);
  Tile tile;
  openTile(&s, first, end, &tile);
  for (int64_t e = 0; e < s.each; ++e)
    old[e] = mloptPullElement(s.pull, mloptOperand(op, 0), tile.at[e]);
  combineAll(&s, &tile, ends, old, values);
  giveTile(&s, &tile, values, sink);
  mloptPullEndFor(s.pull, tiles, begin, end,
                  constant(&s, schedule->threads * s.each), 0, NULL, NULL,
                  NULL);
}
