//===- emit_scatter.c - Scatters in kernels -------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A result is right and the same in each run if every element combines the
// updates that meet it in row-major order of the windows. So blocks share the
// result, not the updates: each has a range of it and looks for its windows.
//
//   result:   [ block 0: tile, tile .. | block 1: tile, tile .. | ... ]
//   windows:  [ warp 0 | warp 1 | ... ] of every block, which notes those that
//             meet its range, in order, in a list in shared memory
//
// Then the threads go through the lists in the order of the warps, for one tile
// after the other, each thread with the elements of its own in registers.
// Where a list runs over, the block looks at as many windows as fit into the
// lists at a time, for each tile.
//
//===----------------------------------------------------------------------===//

#include "emit_index.h"
#include "emit_reduce.h"
#include "emit_structured.h"
#include "hoist_loads.h"
#include "target.h"

#include "dialect.h"
#include "index.h"

/// Bytes of all lists, elements of a thread in a tile, and windows that a lane
/// looks at in one turn.
enum { LIST_BYTES = 32768, PER_THREAD = 4, AT_ONCE = 4 };

typedef struct Scatter {
  MloptKernel *kernel;
  MloptPull *pull;
  MloptBuilder *b;
  MlirOperation op;
  MloptIndexing indexing;
  MlirType operand, indices, updates;
  MlirType windows; ///< their space
  int64_t numWindows, numElements;
  int64_t range, perThread; ///< elements of a block; of a thread in a tile
  int64_t span;             ///< from a window's first element to its last
  int64_t list;             ///< windows that a warp's list holds
  MlirType number; ///< of a window or an element, in the lists: i32 or i64
  MlirValue tid, warp;
  MlirValue lists, places, counts; ///< shared: windows, where they start
} Scatter;

/// A window: its indices among all, and where it starts in each dimension of
/// the operand, as i64.
typedef struct Window {
  MlirValue batch[MLOPT_MAX_RANK], start[MLOPT_MAX_RANK];
} Window;

static MlirType i64Of(Scatter *s) {
  return mlirIntegerTypeGet(s->b->context, 64);
}
static MlirValue toLong(Scatter *s, MlirValue index) {
  return mloptBuildUnary(s->b, "arith.index_castui", index, i64Of(s));
}
static MlirValue toNumber(Scatter *s, MlirValue index) {
  return mloptBuildUnary(s->b, "arith.index_castui", index, s->number);
}
static MlirValue toIndex(Scatter *s, MlirValue x) {
  return mloptBuildUnary(s->b, "arith.index_castui", x,
                         mlirIndexTypeGet(s->b->context));
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// Component `c` of the window's index vector, as i64.
static MlirValue indexComponent(Scatter *s, const Window *w, intptr_t c) {
  MlirValue at[MLOPT_MAX_RANK];
  int64_t vectorDim = s->indexing.indexVectorDim;
  for (intptr_t i = 0, rank = mloptRank(s->indices); i < rank; ++i)
    at[i] = i < vectorDim    ? w->batch[i]
            : i == vectorDim ? mloptPullIndex(s->pull, c)
                             : w->batch[i - 1];
  MlirValue index = mloptPullElement(s->pull, mloptOperand(s->op, 1), at);
  MlirType i64 = i64Of(s);
  if (s->b->failed || mlirTypeEqual(mlirValueGetType(index), i64))
    return index;
  if (mlirTypeIsAIndex(mlirValueGetType(index)))
    return mloptBuildUnary(s->b, "arith.index_cast", index, i64);
  bool isUnsigned = !mlirAttributeIsNull(mloptAttr(s->op, "unsigned_indices"));
  return mloptBuildUnary(s->b, isUnsigned ? "arith.extui" : "arith.extsi",
                         index, i64);
}

static MlirValue startOf(Scatter *s, const Window *w, int64_t dim) {
  const MloptIndexing *x = &s->indexing;
  for (intptr_t c = 0; c < x->map.count; ++c)
    if (x->map.at[c] == dim)
      return indexComponent(s, w, c);
  for (intptr_t i = 0; i < x->operandBatch.count; ++i)
    if (x->operandBatch.at[i] == dim) {
      // Batch dimensions are the indices' without the vector's.
      int64_t batchDim = x->indexBatch.at[i];
      batchDim -= batchDim > x->indexVectorDim;
      return toLong(s, w->batch[batchDim]);
    }
  return mloptBuildInt(s->b, i64Of(s), 0);
}

static void openWindow(Scatter *s, MlirValue number, Window *w) {
  mloptPullDelinearize(s->pull, s->windows, number, w->batch);
  for (int64_t d = 0, rank = mloptRank(s->operand); d < rank; ++d)
    w->start[d] = startOf(s, w, d);
}

/// The dimension of the updates that goes along one of the operand; -1 where
/// windows have one element in it.
static int64_t windowDim(const Scatter *s, int64_t dim) {
  intptr_t window = 0;
  for (int64_t d = 0; d < dim; ++d)
    window += mloptIsWindowed(&s->indexing, d);
  return mloptIsWindowed(&s->indexing, dim) ? s->indexing.window.at[window]
                                            : -1;
}

static int64_t windowSize(const Scatter *s, int64_t dim) {
  int64_t along = windowDim(s, dim);
  return along < 0 ? 1 : mloptDim(s->updates, along);
}

/// Whether a part of the window lies in the operand, and the position of the
/// first element that does. All comparisons of starts are of 64 bits: an index
/// that is out of range stays so.
static MlirValue findPlace(Scatter *s, const Window *w, MlirValue *outPlace) {
  MloptPull *p = s->pull;
  MlirType i64 = i64Of(s);
  MlirValue zero = mloptBuildInt(s->b, i64, 0), exists = {NULL};
  MlirValue first[MLOPT_MAX_RANK];
  for (int64_t d = 0, rank = mloptRank(s->operand); d < rank; ++d) {
    MlirValue inside = mloptBothHold(
        p,
        mloptBuildCmpI(s->b, "sgt", w->start[d],
                       mloptBuildInt(s->b, i64, -windowSize(s, d))),
        mloptBuildCmpI(s->b, "slt", w->start[d],
                       mloptBuildInt(s->b, i64, mloptDim(s->operand, d))));
    exists =
        mlirValueIsNull(exists) ? inside : mloptBothHold(p, exists, inside);
    MlirValue from = mloptBuildBinary(s->b, "arith.maxsi", w->start[d], zero);
    first[d] = toIndex(s, mloptBuildSelect(s->b, inside, from, zero));
  }
  *outPlace = mloptPullLinearize(p, s->operand, first);
  return mlirValueIsNull(exists)
             ? mloptBuildInt(s->b, mlirIntegerTypeGet(s->b->context, 1), 1)
             : exists;
}

/// Whether elements from a place on over a window's span meet [begin, end).
static MlirValue meets(Scatter *s, MlirValue place, MlirValue begin,
                       MlirValue end) {
  MloptPull *p = s->pull;
  return mloptBothHold(
      p, mloptBuildCmpI(s->b, "ult", place, end),
      mloptBuildCmpI(s->b, "uge", mloptIndexAddInt(p, place, s->span), begin));
}

/// Whether the window covers an element, and the indices of its update.
static MlirValue covers(Scatter *s, const Window *w, const MlirValue *at,
                        MlirValue *update) {
  MloptPull *p = s->pull;
  MlirType i64 = i64Of(s);
  MlirValue all = mloptBuildInt(s->b, mlirIntegerTypeGet(s->b->context, 1), 1);
  for (int64_t d = 0, rank = mloptRank(s->operand); d < rank; ++d) {
    MlirValue relative =
        mloptBuildBinary(s->b, "arith.subi", toLong(s, at[d]), w->start[d]);
    all = mloptBothHold(
        p, all,
        mloptBuildCmpI(s->b, "ult", relative,
                       mloptBuildInt(s->b, i64, windowSize(s, d))));
    if (windowDim(s, d) >= 0)
      update[windowDim(s, d)] = toIndex(s, relative);
  }
  intptr_t batch = 0;
  for (int64_t d = 0, rank = mloptRank(s->updates); d < rank; ++d)
    if (!mloptHasInt(&s->indexing.window, d))
      update[d] = w->batch[batch++];
  return all;
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

/// The warp notes windows, of which each lane has one, behind `count` others.
/// Those from `end` on are none.
static MlirValue noteWindows(Scatter *s, MlirValue number, MlirValue end,
                             MlirValue begin, MlirValue stop, MlirValue count) {
  MloptPull *p = s->pull;
  MlirType i32 = mlirIntegerTypeGet(s->b->context, 32);
  MlirValue lower = mloptBuildValue(
      s->b, (MloptOpSpec){.name = "nvvm.read.ptx.sreg.lanemask.lt",
                          .numResults = 1,
                          .results = &i32});
  MlirValue list = mloptIndexMulInt(p, s->warp, s->list);
  MlirValue isThere = mloptBuildCmpI(s->b, "ult", number, end);
  number = mloptIndexMin(p, number, mloptPullIndex(p, s->numWindows - 1));
  Window window;
  MlirValue place;
  openWindow(s, number, &window);
  MlirValue exists = mloptBothHold(p, isThere, findPlace(s, &window, &place));
  MlirValue isFound = mloptBothHold(p, exists, meets(s, place, begin, stop));
  MlirValue all = mloptBuildBallot(s->b, isFound);
  MlirValue at = mloptIndexAdd(
      p, count,
      mloptBuildCountLanes(s->b,
                           mloptBuildBinary(s->b, "arith.andi", all, lower)));
  MlirValue fits = mloptBothHold(
      p, isFound, mloptBuildCmpI(s->b, "ult", at, mloptPullIndex(p, s->list)));
  MloptPullScope then = mloptPullBeginGuard(p, fits);
  mloptStoreShared(p, s->lists, toNumber(s, number),
                   mloptIndexAdd(p, list, at));
  mloptStoreShared(p, s->places, toNumber(s, place),
                   mloptIndexAdd(p, list, at));
  mloptPullEndGuard(p, fits, then);
  return mloptIndexAdd(p, count, mloptBuildCountLanes(s->b, all));
}

/// The warp notes the windows from `first` to below `end` that meet
/// [begin, stop), and how many they are; no more than the list holds.
static void emitSearch(Scatter *s, MlirValue first, MlirValue end,
                       MlirValue begin, MlirValue stop) {
  MloptPull *p = s->pull;
  const int64_t warpSize = mloptSm90.warp;
  MlirValue zero = mloptPullIndex(p, 0), base, count, found;
  MlirValue lane = mloptBuildBinary(s->b, "arith.remui", s->tid,
                                    mloptPullIndex(p, warpSize));
  MloptPullScope loop = mloptPullBeginFor(p, 1, &zero, &base, &count);
  for (int u = 0; u < AT_ONCE; ++u)
    count = noteWindows(
        s, mloptIndexAdd(p, mloptIndexAddInt(p, base, u * warpSize), lane), end,
        begin, stop, count);
  if (!s->b->failed && !mloptHoistLoads(s->b->block))
    s->b->failed = true;
  mloptPullEndFor(p, loop, first, end, mloptPullIndex(p, AT_ONCE * warpSize), 1,
                  &zero, &count, &found);
  mloptStoreShared(p, s->counts, toNumber(s, found), s->warp);
}

static MlirValue loadNumber(Scatter *s, MlirValue array, MlirValue at) {
  return toIndex(s, mloptLoadShared(s->pull, array, s->number, at));
}

/// Whether a warp has found more windows than its list holds.
static MlirValue runsOver(Scatter *s) {
  int64_t warps = s->kernel->schedule.threads / mloptSm90.warp;
  MlirValue most = mloptPullIndex(s->pull, 0);
  for (int64_t w = 0; w < warps; ++w)
    most =
        mloptBuildBinary(s->b, "arith.maxui", most,
                         loadNumber(s, s->counts, mloptPullIndex(s->pull, w)));
  return mloptBuildCmpI(s->b, "ugt", most, mloptPullIndex(s->pull, s->list));
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// A block's tile: [begin, end), and the thread's elements of it.
typedef struct Tile {
  MlirValue begin, end;
  MlirValue position[PER_THREAD], isThere[PER_THREAD];
  MlirValue at[PER_THREAD][MLOPT_MAX_RANK];
} Tile;

static void openTile(Scatter *s, MlirValue begin, MlirValue end, Tile *tile) {
  MloptPull *p = s->pull;
  int64_t threads = s->kernel->schedule.threads;
  tile->begin = begin;
  tile->end =
      mloptIndexMin(p, mloptIndexAddInt(p, begin, threads * s->perThread), end);
  for (int64_t e = 0; e < s->perThread; ++e) {
    MlirValue position =
        mloptIndexAdd(p, mloptIndexAddInt(p, begin, e * threads), s->tid);
    tile->isThere[e] = mloptBuildCmpI(s->b, "ult", position, tile->end);
    tile->position[e] =
        mloptBuildSelect(s->b, tile->isThere[e], position, begin);
    mloptPullDelinearize(p, s->operand, tile->position[e], tile->at[e]);
  }
}

/// Combines one window into the thread's elements.
static void applyWindow(Scatter *s, const Tile *tile, MlirValue number,
                        const MlirValue *values, MlirValue *next) {
  Window window;
  openWindow(s, number, &window);
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(s->op, 0));
  MlirType element = mloptElementType(s->operand);
  for (int64_t e = 0; e < s->perThread; ++e) {
    MlirValue update[MLOPT_MAX_RANK], combined;
    MlirValue condition = covers(s, &window, tile->at[e], update);
    MloptPullScope then = mloptPullBeginBranch(s->pull);
    MlirValue arguments[] = {
        values[e], mloptPullElement(s->pull, mloptOperand(s->op, 2), update)};
    mloptPullBody(s->pull, body, arguments, &combined);
    mloptPullEndBranch(s->pull, &then, 1, &combined);
    MloptPullScope otherwise = mloptPullBeginBranch(s->pull);
    mloptPullEndBranch(s->pull, &otherwise, 1, &values[e]);
    mloptPullBuildIf(s->pull, condition, then, otherwise, 1, &element,
                     &next[e]);
  }
}

/// Goes through all lists, for the tile.
static void applyLists(Scatter *s, const Tile *tile, const MlirValue *values,
                       MlirValue *out) {
  MloptPull *p = s->pull;
  const intptr_t n = s->perThread;
  MlirValue zero = mloptPullIndex(p, 0), one = mloptPullIndex(p, 1);
  // From a register, lest LLVM write the loops out for each of so few.
  MlirValue warps = mloptBuildBinary(
      s->b, "arith.divui", mloptReadRegister(s->b, "nvvm.read.ptx.sreg.ntid.x"),
      mloptPullIndex(p, mloptSm90.warp));
  MlirValue warp, turn, outer[PER_THREAD], inner[PER_THREAD];
  MlirValue applied[PER_THREAD], next[PER_THREAD], last[PER_THREAD];
  MlirType types[PER_THREAD];
  for (intptr_t e = 0; e < n; ++e)
    types[e] = mloptElementType(s->operand);
  MloptPullScope lists = mloptPullBeginFor(p, n, values, &warp, outer);
  MlirValue count = mloptIndexMin(p, loadNumber(s, s->counts, warp),
                                  mloptPullIndex(p, s->list));
  MlirValue list = mloptIndexMulInt(p, warp, s->list);
  MloptPullScope entries = mloptPullBeginFor(p, n, outer, &turn, inner);
  MlirValue at = mloptIndexAdd(p, list, turn);
  MlirValue condition =
      meets(s, loadNumber(s, s->places, at), tile->begin, tile->end);
  MloptPullScope then = mloptPullBeginBranch(p);
  applyWindow(s, tile, loadNumber(s, s->lists, at), inner, applied);
  mloptPullEndBranch(p, &then, n, applied);
  MloptPullScope otherwise = mloptPullBeginBranch(p);
  mloptPullEndBranch(p, &otherwise, n, inner);
  mloptPullBuildIf(p, condition, then, otherwise, n, types, next);
  mloptPullEndFor(p, entries, zero, count, one, n, outer, next, last);
  mloptPullEndFor(p, lists, zero, warps, one, n, values, last, out);
}

/// The tile's elements with all windows: those in the lists or, where `over`
/// says that these have run over, as many at a time as fit.
static void applyAll(Scatter *s, const Tile *tile, MlirValue over,
                     const MlirValue *values, MlirValue *out) {
  MloptPull *p = s->pull;
  int64_t batch = s->kernel->schedule.threads / mloptSm90.warp * s->list;
  if (s->numWindows <= batch) {
    applyLists(s, tile, values, out);
    return;
  }
  const intptr_t n = s->perThread;
  MlirValue first, carried[PER_THREAD], next[PER_THREAD];
  MlirValue all = mloptPullIndex(p, s->numWindows);
  MlirValue stop = mloptBuildSelect(s->b, over, all, mloptPullIndex(p, 1));
  MloptPullScope loop = mloptPullBeginFor(p, n, values, &first, carried);
  MloptPullScope then = mloptPullBeginGuard(p, over);
  MlirValue begin = mloptIndexMin(
      p, mloptIndexAdd(p, first, mloptIndexMulInt(p, s->warp, s->list)), all);
  MlirValue end = mloptIndexMin(p, mloptIndexAddInt(p, begin, s->list), all);
  mloptBuildBarrier(s->b);
  emitSearch(s, begin, end, tile->begin, tile->end);
  mloptBuildBarrier(s->b);
  mloptPullEndGuard(p, over, then);
  applyLists(s, tile, carried, next);
  mloptPullEndFor(p, loop, mloptPullIndex(p, 0), stop, mloptPullIndex(p, batch),
                  n, values, next, out);
}

/// Hands over the tile's elements.
static void giveTile(Scatter *s, const Tile *tile, const MlirValue *values,
                     MloptElementSink sink) {
  for (int64_t e = 0; e < s->perThread; ++e) {
    MloptPullScope then = mloptPullBeginGuard(s->pull, tile->isThere[e]);
    mloptPullBindElements(s->pull, s->op, mloptRank(s->operand), tile->at[e],
                          &values[e]);
    if (!s->b->failed)
      sink.store(sink.userData, tile->at[e]);
    mloptPullEndGuard(s->pull, tile->isThere[e], then);
  }
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

static bool describe(Scatter *s) {
  const MloptSchedule *schedule = &s->kernel->schedule;
  s->operand = mloptOperandType(s->op, 0);
  s->indices = mloptOperandType(s->op, 1);
  s->updates = mloptOperandType(s->op, 2);
  MloptSubject subject = mloptOpSubject(s->op);
  if (!mloptReadIndexing(&subject, &mloptScatterNames, s->operand, s->indices,
                         &s->indexing))
    return false;
  s->windows = mloptTensorType(s->indexing.batchRank, s->indexing.batch,
                               mloptElementType(s->indices));
  s->numWindows = mloptNumElements(s->windows);
  s->numElements = mloptNumElements(s->operand);
  s->range = mloptDivideUp(s->numElements, schedule->blocks);
  s->perThread = mloptDivideUp(s->range, schedule->threads);
  if (s->perThread > PER_THREAD)
    s->perThread = PER_THREAD;
  bool isNarrow = s->numWindows <= INT32_MAX && s->numElements <= INT32_MAX;
  s->number = mlirIntegerTypeGet(s->b->context, isNarrow ? 32 : 64);
  s->list = LIST_BYTES / (schedule->threads / mloptSm90.warp) /
            (isNarrow ? 2 * 4 : 2 * 8);
  int64_t stride = 1;
  for (intptr_t d = mloptRank(s->operand); d-- > 0;) {
    s->span += (windowSize(s, d) - 1) * stride;
    stride *= mloptDim(s->operand, d);
  }
  return true;
}

/// The first search: all windows, for the block's range.
static void searchRange(Scatter *s, MlirValue begin, MlirValue end) {
  MloptPull *p = s->pull;
  int64_t warps = s->kernel->schedule.threads / mloptSm90.warp;
  int64_t share = mloptDivideUp(s->numWindows, warps);
  s->lists = mloptAddShared(s->kernel, s->number, warps * s->list);
  s->places = mloptAddShared(s->kernel, s->number, warps * s->list);
  s->counts = mloptAddShared(s->kernel, s->number, warps);
  MlirValue all = mloptPullIndex(p, s->numWindows);
  MlirValue first = mloptIndexMin(p, mloptIndexMulInt(p, s->warp, share), all);
  emitSearch(s, first, mloptIndexMin(p, mloptIndexAddInt(p, first, share), all),
             begin, end);
  mloptBuildBarrier(s->b);
}

void mloptEmitScatter(MloptKernel *kernel, MlirOperation op,
                      MloptElementSink sink) {
  MloptPull *p = kernel->pull;
  MloptPull *pull = p;
  MloptBuilder *b = mloptPullGetBuilder(pull);
  if (kernel->schedule.family == MLOPT_FAMILY_SORTED_SCATTER) {
    mloptEmitSortedScatter(kernel, op, sink);
    return;
  }
  Scatter s = {.kernel = kernel, .pull = pull, .b = b, .op = op};
  if (!describe(&s)) {
    b->failed = true;
    return;
  }
  s.tid = mloptReadRegister(b, "nvvm.read.ptx.sreg.tid.x");
  s.warp = mloptBuildBinary(b, "arith.divui", s.tid,
                            mloptPullIndex(pull, mloptSm90.warp));
  MlirValue all = mloptPullIndex(pull, s.numElements);
  MlirValue begin = mloptIndexMin(
      p,
      mloptIndexMulInt(p, mloptReadRegister(b, "nvvm.read.ptx.sreg.ctaid.x"),
                       s.range),
      all);
  MlirValue end = mloptIndexMin(p, mloptIndexAddInt(p, begin, s.range), all),
            over = {NULL};
  if (s.numWindows)
    searchRange(&s, begin, end);
  if (s.numWindows > s.list * kernel->schedule.threads / mloptSm90.warp)
    over = runsOver(&s);
  MlirValue first, old[PER_THREAD], values[PER_THREAD];
  MloptPullScope tiles = mloptPullBeginFor(pull, 0, NULL, &first, NULL);
  Tile tile;
  openTile(&s, first, end, &tile);
  for (int64_t e = 0; e < s.perThread; ++e)
    old[e] = mloptPullElement(pull, mloptOperand(op, 0), tile.at[e]);
  if (s.numWindows)
    applyAll(&s, &tile, over, old, values);
  else
    memcpy(values, old, sizeof values);
  giveTile(&s, &tile, values, sink);
  mloptPullEndFor(pull, tiles, begin, end,
                  mloptPullIndex(pull, kernel->schedule.threads * s.perThread),
                  0, NULL, NULL, NULL);
}
