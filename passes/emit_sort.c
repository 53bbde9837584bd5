//===- emit_sort.c - Sorts that threads share -----------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `line` threads of the schedule take a piece of a line, `vectors` rows each.
// Shared memory holds the operands that the comparator reads and where each row
// has come from; the others are read once the order is known.
//
//   short runs:  load | each thread sorts its rows | threads merge: 2, 4, ..
//   long runs:   find the piece's parts of both runs | load | threads merge
//                | store, the other operands from where the rows came from
//
//   merge of a and b:   a [ .. i | .. ]    b [ .. d - i | .. ]
//
// A merge's row d and those behind it come from a[i ..] and b[d - i ..], where
// i is found by halving. A row of b goes first only if the comparator says so,
// which makes the sort stable. Where nobody knows that the comparator is an
// order, each i is looked for between two that are known, from the middle to
// the parts: then no row is lost, whatever it says.
//
//===----------------------------------------------------------------------===//

#include "emit_reduce.h"
#include "emit_structured.h"
#include "target.h"

#include "dialect.h"

enum { MAX_VALUES = MLOPT_PULL_MAX_CARRIED, MAX_EACH = 16, WARP = 32 };

typedef struct Sort {
  MloptKernel *kernel;
  MloptPull *pull;
  MloptBuilder *b;
  MlirOperation op;
  MloptSortRuns runs;
  intptr_t numOperands;
  MlirType types[MAX_VALUES];  ///< of elements
  MlirType stored[MAX_VALUES]; ///< as they are in memory
  int64_t each, threads;       ///< rows of a thread; threads of a piece
  int64_t length;              ///< rows of a piece, all of which it may lack
  bool isFull;                 ///< it has them all
  MlirValue arrays[MAX_VALUES], places; ///< shared: keys; where rows came from
  MlirType place;                       ///< of an element of `places`
  MlirValue thread, base;               ///< of the piece: number, first slot
  MlirValue isThere;                    ///< the piece is one; null: always
  MlirValue line[MLOPT_MAX_RANK];
  MlirValue begin, count; ///< the piece's first row in the line, its rows
  /// Long runs: rows that come from a, and where its part and b's begin.
  MlirValue numLeft, left, right;
} Sort;

/// A row: the elements of all operands that are keys, as they are in memory
/// (bits would each take a predicate), and a place.
typedef struct Row {
  MlirValue keys[MAX_VALUES], place;
} Row;

/// Two neighbouring runs that are merged: where they begin, and their rows.
typedef struct Merge {
  MlirValue a, numA, b, numB;
  MlirValue steps; ///< in shared memory: that halving takes at most
  MlirValue lane;  ///< in memory: of the warp that looks
} Merge;

/// How many of the first `d` merged rows come from a: range[0] to range[1].
typedef MlirValue (*FindFn)(Sort *, const Merge *, MlirValue d,
                            const MlirValue *range);

static int64_t logOf(int64_t n) {
  int64_t log = 0;
  while (INT64_C(1) << log < n)
    ++log;
  return log;
}

static MlirValue constant(Sort *s, int64_t n) {
  return mloptPullIndex(s->pull, n);
}
static MlirValue binary(Sort *s, const char *name, MlirValue x, MlirValue y) {
  return mloptBuildBinary(s->b, name, x, y);
}
static MlirValue apply(Sort *s, const char *name, MlirValue x, int64_t n) {
  return mloptBuildBinary(s->b, name, x, constant(s, n));
}
static MlirValue add(Sort *s, MlirValue x, MlirValue y) {
  return binary(s, "arith.addi", x, y);
}
static MlirValue addInt(Sort *s, MlirValue x, int64_t n) {
  return n ? apply(s, "arith.addi", x, n) : x;
}
static MlirValue subtract(Sort *s, MlirValue x, MlirValue y) {
  return binary(s, "arith.subi", x, y);
}
static MlirValue least(Sort *s, MlirValue x, MlirValue y) {
  return binary(s, "arith.minui", x, y);
}
/// x - y, or 0 where that is more.
static MlirValue beyond(Sort *s, MlirValue x, MlirValue y) {
  return subtract(s, binary(s, "arith.maxui", x, y), y);
}
static MlirValue isBelow(Sort *s, MlirValue x, MlirValue y) {
  return mloptBuildCmpI(s->b, "ult", x, y);
}
static MlirValue both(Sort *s, MlirValue x, MlirValue y) {
  return mlirValueIsNull(x)   ? y
         : mlirValueIsNull(y) ? x
                              : binary(s, "arith.andi", x, y);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

static bool isKey(const Sort *s, intptr_t i) { return s->runs.isKey[i]; }

/// An operand's element of a row.
static MlirValue elementOf(Sort *s, const Row *row, intptr_t i) {
  return isKey(s, i) ? mloptPullFromMemory(s->pull, row->keys[i], s->types[i])
                     : mloptPullPoison(s->pull, s->types[i]);
}

/// Whether row x goes before row y. NaNs go behind all else where floats are
/// merely compared, which makes that an order.
static MlirValue goesBefore(Sort *s, const Row *x, const Row *y) {
  MlirValue arguments[2 * MAX_VALUES], before = {NULL};
  for (intptr_t i = 0; i < s->numOperands; ++i) {
    arguments[2 * i] = elementOf(s, x, i);
    arguments[2 * i + 1] = elementOf(s, y, i);
  }
  if (s->runs.order == MLOPT_ORDER_FLOATS) {
    intptr_t key = 2 * s->runs.key;
    return binary(s, "arith.andi",
                  mloptBuildCmpF(s->b, "ord", arguments[key], arguments[key]),
                  mloptBuildCmpF(s->b, s->runs.isDescending ? "ugt" : "ult",
                                 arguments[key], arguments[key + 1]));
  }
  mloptPullBody(s->pull,
                mlirRegionGetFirstBlock(mlirOperationGetRegion(s->op, 0)),
                arguments, &before);
  return before;
}

static void selectRow(Sort *s, MlirValue condition, const Row *x, const Row *y,
                      Row *out) {
  for (intptr_t i = 0; i < s->numOperands; ++i)
    if (isKey(s, i))
      out->keys[i] = mloptBuildSelect(s->b, condition, x->keys[i], y->keys[i]);
  out->place = mloptBuildSelect(s->b, condition, x->place, y->place);
}

/// The slot of a row of the piece. An even number of rows for each thread would
/// make threads meet in the same banks, so every 32nd slot is left out.
static MlirValue slotOf(Sort *s, MlirValue row) {
  row = add(s, s->base, row);
  return s->each % 2 ? row : add(s, row, apply(s, "arith.shrui", row, 5));
}
static int64_t numSlots(const Sort *s) {
  int64_t rows = s->kernel->schedule.threads * s->each + s->each;
  return rows + rows / WARP + 1;
}

static void loadKeys(Sort *s, MlirValue row, Row *out) {
  MlirValue slot = slotOf(s, row);
  for (intptr_t i = 0; i < s->numOperands; ++i)
    if (isKey(s, i))
      out->keys[i] = mloptLoadShared(s->pull, s->arrays[i], s->stored[i], slot);
}

static MlirValue loadPlace(Sort *s, MlirValue row) {
  return mloptBuildUnary(
      s->b, "arith.index_castui",
      mloptLoadShared(s->pull, s->places, s->place, slotOf(s, row)),
      mlirIndexTypeGet(s->b->context));
}

static void storeKeys(Sort *s, const Row *row, MlirValue at) {
  MlirValue slot = slotOf(s, at);
  for (intptr_t i = 0; i < s->numOperands; ++i)
    if (isKey(s, i))
      mloptStoreShared(s->pull, s->arrays[i], row->keys[i], slot);
}

/// Stores the thread's rows behind each other.
static void storeOwn(Sort *s, const Row *rows) {
  for (int64_t v = 0; v < s->each; ++v) {
    MlirValue at = addInt(s, apply(s, "arith.muli", s->thread, s->each), v);
    storeKeys(s, &rows[v], at);
    mloptStoreShared(
        s->pull, s->places,
        mloptBuildUnary(s->b, "arith.index_castui", rows[v].place, s->place),
        slotOf(s, at));
  }
}

/// The indices of a row of the line.
static void indicesOf(Sort *s, MlirValue row, MlirValue *out) {
  mloptPutIndex(s->line, mloptRank(mloptOperandType(s->op, 0)), s->runs.dim,
                row, out);
}

/// Reads the keys of a row of the line from memory.
static void pullKeys(Sort *s, MlirValue row, Row *out) {
  MlirValue at[MLOPT_MAX_RANK];
  indicesOf(s, row, at);
  for (intptr_t i = 0; i < s->numOperands; ++i)
    if (isKey(s, i))
      out->keys[i] = mloptPullToMemory(
          s->pull, mloptPullElement(s->pull, mloptOperand(s->op, i), at));
}

//===----------------------------------------------------------------------===//
// Merging in shared memory
//===----------------------------------------------------------------------===//

static MlirValue findSplit(Sort *s, const Merge *m, MlirValue d,
                           const MlirValue *inits) {
  MlirValue range[2], next[2], out[2], ignored;
  MlirValue last = constant(s, s->threads * s->each - 1);
  MloptPullScope loop = mloptPullBeginFor(s->pull, 2, inits, &ignored, range);
  MlirValue middle = apply(s, "arith.shrui", add(s, range[0], range[1]), 1);
  Row a, b;
  loadKeys(s, least(s, add(s, m->a, middle), last), &a);
  MlirValue other = subtract(s, addInt(s, d, -1), middle);
  loadKeys(s, least(s, add(s, m->b, other), last), &b);
  MlirValue before = goesBefore(s, &b, &a);
  MlirValue isOpen = isBelow(s, range[0], range[1]);
  next[1] = mloptBuildSelect(s->b, before, middle, range[1]);
  MlirValue low =
      mloptBuildSelect(s->b, isOpen, addInt(s, middle, 1), range[0]);
  next[0] = mloptBuildSelect(s->b, before, range[0], low);
  mloptPullEndFor(s->pull, loop, constant(s, 0), m->steps, constant(s, 1), 2,
                  inits, next, out);
  return out[0];
}

/// All that may come from a among the first `d` rows.
static void openRange(Sort *s, const Merge *m, MlirValue d, MlirValue *range) {
  range[0] = beyond(s, d, m->numB);
  range[1] = least(s, d, m->numA);
}

/// Halves the merged rows, 2^levels parts of `length` rows, until part `number`
/// is left: the rows of a before it, and before its end. Each half is looked
/// for within the last one's.
static void findPart(Sort *s, const Merge *m, FindFn find, MlirValue number,
                     MlirValue levels, int64_t length, MlirValue *out) {
  MlirValue zero = constant(s, 0), one = constant(s, 1), level, part[3],
            next[3];
  MlirValue all = add(s, m->numA, m->numB), inits[] = {zero, m->numA, zero},
            last[3];
  MloptPullScope loop = mloptPullBeginFor(s->pull, 3, inits, &level, part);
  MlirValue half =
      binary(s, "arith.shli", one, subtract(s, addInt(s, levels, -1), level));
  MlirValue rows = apply(s, "arith.muli", half, length);
  MlirValue middle = add(s, part[2], rows), d = least(s, middle, all);
  MlirValue leftB = subtract(s, least(s, part[2], all), part[0]);
  MlirValue rightB = subtract(s, least(s, add(s, middle, rows), all), part[1]);
  MlirValue range[] = {binary(s, "arith.maxui", part[0], beyond(s, d, rightB)),
                       least(s, part[1], subtract(s, d, leftB))};
  MlirValue split = find(s, m, d, range);
  MlirValue isRight =
      mloptBuildCmpI(s->b, "ne", binary(s, "arith.andi", number, half), zero);
  next[0] = mloptBuildSelect(s->b, isRight, split, part[0]);
  next[1] = mloptBuildSelect(s->b, isRight, part[1], split);
  next[2] = mloptBuildSelect(s->b, isRight, middle, part[2]);
  mloptPullEndFor(s->pull, loop, zero, levels, one, 3, inits, next, last);
  out[0] = last[0];
  out[1] = last[1];
}

/// Part `number` of 2^levels of the merged rows, a thread's; they say where in
/// the piece they lie.
static void mergeRows(Sort *s, const Merge *m, MlirValue number,
                      MlirValue levels, Row *out) {
  MlirValue all = add(s, m->numA, m->numB), range[2];
  MlirValue first = apply(s, "arith.muli", number, s->each);
  MlirValue d = least(s, first, all), split, numA = m->numA, numB = m->numB;
  if (s->runs.order == MLOPT_ORDER_UNKNOWN) {
    findPart(s, m, findSplit, number, levels, s->each, range);
    split = range[0];
    numA = range[1];
    numB = subtract(s, least(s, addInt(s, first, s->each), all), numA);
  } else {
    openRange(s, m, d, range);
    split = findSplit(s, m, d, range);
  }
  MlirValue a = add(s, m->a, split), b = add(s, m->b, subtract(s, d, split));
  MlirValue endA = add(s, m->a, numA), endB = add(s, m->b, numB);
  Row rowA, rowB;
  loadKeys(s, a, &rowA);
  loadKeys(s, b, &rowB);
  for (int64_t v = 0; v < s->each; ++v) {
    MlirValue noneA = mloptBuildCmpI(s->b, "uge", a, endA);
    MlirValue before =
        binary(s, "arith.ori", noneA, goesBefore(s, &rowB, &rowA));
    MlirValue takesB = both(s, isBelow(s, b, endB), before);
    rowA.place = a;
    rowB.place = b;
    selectRow(s, takesB, &rowB, &rowA, &out[v]);
    if (v + 1 == s->each)
      break;
    MlirValue next = addInt(s, out[v].place, 1);
    b = mloptBuildSelect(s->b, takesB, next, b);
    a = mloptBuildSelect(s->b, takesB, a, next);
    Row loaded = {.place = next};
    loadKeys(s, next, &loaded);
    selectRow(s, takesB, &loaded, &rowB, &rowB);
    selectRow(s, takesB, &rowA, &loaded, &rowA);
  }
}

//===----------------------------------------------------------------------===//
// Short runs
//===----------------------------------------------------------------------===//

/// Loads the piece's keys; slots behind its rows get the last one's.
static void loadPiece(Sort *s) {
  Row rows[MAX_EACH];
  MlirValue last = addInt(s, s->count, -1);
  for (int64_t v = 0; v < s->each; ++v) {
    MlirValue row = addInt(s, s->thread, v * s->threads);
    pullKeys(s, add(s, s->begin, s->isFull ? row : least(s, row, last)),
             &rows[v]);
  }
  for (int64_t v = 0; v < s->each; ++v)
    storeKeys(s, &rows[v], addInt(s, s->thread, v * s->threads));
  mloptBuildBarrier(s->b);
}

/// Sorts the thread's rows by exchanging neighbours, as many times as there
/// are.
static void sortOwn(Sort *s) {
  Row rows[MAX_EACH];
  MlirValue isRow[MAX_EACH];
  MlirValue own = apply(s, "arith.muli", s->thread, s->each);
  for (int64_t v = 0; v < s->each; ++v) {
    rows[v].place = addInt(s, own, v);
    loadKeys(s, rows[v].place, &rows[v]);
    isRow[v] =
        s->isFull ? (MlirValue){NULL} : isBelow(s, rows[v].place, s->count);
  }
  for (int64_t round = 0; round < s->each; ++round)
    for (int64_t v = round % 2; v + 1 < s->each; v += 2) {
      Row x = rows[v], y = rows[v + 1];
      MlirValue swap = both(s, isRow[v + 1], goesBefore(s, &y, &x));
      selectRow(s, swap, &y, &x, &rows[v]);
      selectRow(s, swap, &x, &y, &rows[v + 1]);
    }
  storeOwn(s, rows);
  mloptBuildBarrier(s->b);
}

/// Merges the rows of one thread with those of its neighbour, then of two
/// threads with two, and so on.
static void mergeLevels(Sort *s) {
  int64_t levels = logOf((s->length + s->each - 1) / s->each);
  if (!levels)
    return;
  MlirValue level, one = constant(s, 1);
  MloptPullScope loop = mloptPullBeginFor(s->pull, 0, NULL, &level, NULL);
  MlirValue width = binary(s, "arith.shli", one, level); // in threads
  MlirValue number = binary(s, "arith.andi", s->thread,
                            addInt(s, apply(s, "arith.muli", width, 2), -1));
  Merge m;
  m.a = apply(s, "arith.muli", subtract(s, s->thread, number), s->each);
  MlirValue rows = apply(s, "arith.muli", width, s->each);
  m.b = add(s, m.a, rows);
  m.numA = least(s, beyond(s, s->count, m.a), rows);
  m.numB = least(s, beyond(s, s->count, m.b), rows);
  m.steps = addInt(s, level, logOf(s->each) + 1);
  Row merged[MAX_EACH];
  mergeRows(s, &m, number, addInt(s, level, 1), merged);
  for (int64_t v = 0; v < s->each; ++v)
    merged[v].place = loadPlace(s, merged[v].place);
  mloptBuildBarrier(s->b);
  storeOwn(s, merged);
  mloptBuildBarrier(s->b);
  mloptPullEndFor(s->pull, loop, constant(s, 0), constant(s, levels), one, 0,
                  NULL, NULL, NULL);
}

//===----------------------------------------------------------------------===//
// Long runs
//===----------------------------------------------------------------------===//

/// The runs that the piece is merged from.
static Merge openRuns(Sort *s) {
  int64_t from = s->runs.from;
  MlirValue size = constant(s, s->runs.size);
  Merge r = {.lane = apply(s, "arith.remui", s->thread, WARP)};
  r.a = apply(s, "arith.muli", apply(s, "arith.divui", s->begin, 2 * from),
              2 * from);
  r.b = addInt(s, r.a, from);
  r.numA = least(s, subtract(s, size, r.a), constant(s, from));
  r.numB = least(s, beyond(s, size, r.b), constant(s, from));
  return r;
}

/// The same by a warp: of as many places as it has lanes, those whose row of a
/// goes first are counted.
static MlirValue findLongSplit(Sort *s, const Merge *r, MlirValue d,
                               const MlirValue *inits) {
  MlirValue range[2], next[2], out[2], ignored;
  MlirValue last = constant(s, s->runs.size - 1);
  int64_t rounds = (logOf(s->runs.from) + 4) / 5;
  MloptPullScope loop = mloptPullBeginFor(s->pull, 2, inits, &ignored, range);
  MlirValue left = subtract(s, range[1], range[0]);
  MlirValue step = apply(s, "arith.divui", addInt(s, left, WARP - 1), WARP);
  MlirValue row = addInt(
      s, add(s, range[0], binary(s, "arith.muli", addInt(s, r->lane, 1), step)),
      -1);
  Row a, b;
  pullKeys(s, least(s, add(s, r->a, row), last), &a);
  MlirValue other = subtract(s, addInt(s, d, -1), row);
  pullKeys(s, least(s, add(s, r->b, other), last), &b);
  MlirValue isFirst =
      binary(s, "arith.xori", goesBefore(s, &b, &a),
             mloptBuildInt(s->b, mlirIntegerTypeGet(s->b->context, 1), 1));
  MlirValue inside =
      both(s, isBelow(s, row, range[1]), isBelow(s, range[0], range[1]));
  MlirValue found = mloptBuildCountLanes(
      s->b, mloptBuildBallot(s->b, both(s, inside, isFirst)));
  next[0] = add(s, range[0], binary(s, "arith.muli", found, step));
  next[1] = binary(s, "arith.maxui", next[0],
                   least(s, range[1], addInt(s, add(s, next[0], step), -1)));
  mloptPullEndFor(s->pull, loop, constant(s, 0),
                  constant(s, rounds ? rounds : 1), constant(s, 1), 2, inits,
                  next, out);
  return out[0];
}

/// Where the piece begins in a, and where it ends, found by two warps or, from
/// the middle to the parts, by one.
static void findEnds(Sort *s, const Merge *r, MlirValue first, MlirValue end,
                     MlirValue splits) {
  MlirType number = mlirIntegerTypeGet(s->b->context, 64);
  bool isUnknown = s->runs.order == MLOPT_ORDER_UNKNOWN;
  MlirValue warp = apply(s, "arith.divui", s->thread, WARP), found[2], range[2];
  MlirValue looks = isBelow(s, warp, constant(s, isUnknown ? 1 : 2));
  MloptPullScope guard = mloptPullBeginGuard(s->pull, looks);
  if (isUnknown) {
    findPart(s, r, findLongSplit, apply(s, "arith.divui", first, s->length),
             constant(s, logOf(2 * s->runs.from / s->length)), s->length,
             found);
  } else {
    MlirValue d =
        mloptBuildSelect(s->b, isBelow(s, warp, constant(s, 1)), first, end);
    openRange(s, r, d, range);
    found[0] = findLongSplit(s, r, d, range);
  }
  MlirValue isLane = isBelow(s, r->lane, constant(s, 1));
  MloptPullScope inner = mloptPullBeginGuard(s->pull, isLane);
  for (int i = 0; i < (isUnknown ? 2 : 1); ++i)
    mloptStoreShared(
        s->pull, splits,
        mloptBuildUnary(s->b, "arith.index_castui", found[i], number),
        isUnknown ? constant(s, i) : warp);
  mloptPullEndGuard(s->pull, isLane, inner);
  mloptPullEndGuard(s->pull, looks, guard);
  mloptBuildBarrier(s->b);
}

/// Finds which rows of the runs are the piece's.
static void splitRuns(Sort *s) {
  MlirType index = mlirIndexTypeGet(s->b->context);
  MlirType number = mlirIntegerTypeGet(s->b->context, 64);
  Merge r = openRuns(s);
  MlirValue first = subtract(s, s->begin, r.a);
  MlirValue end = least(s, addInt(s, first, s->length), add(s, r.numA, r.numB));
  MlirValue splits = mloptAddShared(s->kernel, number, 2), ends[2];
  findEnds(s, &r, first, end, splits);
  for (int i = 0; i < 2; ++i)
    ends[i] = mloptBuildUnary(
        s->b, "arith.index_castui",
        mloptLoadShared(s->pull, splits, number, constant(s, i)), index);
  s->count = subtract(s, end, first);
  s->numLeft = subtract(s, ends[1], ends[0]);
  s->left = add(s, r.a, ends[0]);
  s->right = subtract(s, add(s, r.b, subtract(s, first, ends[0])), s->numLeft);
}

/// Where in the line a row of the piece has come from.
static MlirValue sourceOf(Sort *s, MlirValue place) {
  MlirValue from = s->begin;
  if (s->runs.isMerge)
    from = mloptBuildSelect(s->b, isBelow(s, place, s->numLeft), s->left,
                            s->right);
  return least(s, add(s, from, place), constant(s, s->runs.size - 1));
}

static void mergeLong(Sort *s) {
  splitRuns(s);
  Row rows[MAX_EACH];
  for (int64_t v = 0; v < s->each; ++v)
    pullKeys(s, sourceOf(s, addInt(s, s->thread, v * s->threads)), &rows[v]);
  for (int64_t v = 0; v < s->each; ++v)
    storeKeys(s, &rows[v], addInt(s, s->thread, v * s->threads));
  mloptBuildBarrier(s->b);
  Merge m = {.a = constant(s, 0),
             .numA = s->numLeft,
             .b = s->numLeft,
             .numB = subtract(s, s->count, s->numLeft),
             .steps = constant(s, logOf(s->length) + 1)};
  mergeRows(s, &m, s->thread, constant(s, logOf(s->threads)), rows);
  mloptBuildBarrier(s->b);
  storeOwn(s, rows);
  mloptBuildBarrier(s->b);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

static void openPiece(Sort *s) {
  const MloptSchedule *schedule = &s->kernel->schedule;
  MlirType type = mloptOperandType(s->op, 0);
  int64_t size = s->runs.size, lines = mloptNumElements(type) / size;
  int64_t each = schedule->threads / schedule->line;
  int64_t pieces = (size + s->length - 1) / s->length;
  MlirValue tid = mloptReadRegister(s->b, "nvvm.read.ptx.sreg.tid.x");
  MlirValue number =
      apply(s, "arith.muli",
            mloptReadRegister(s->b, "nvvm.read.ptx.sreg.ctaid.x"), each);
  MlirValue slot = apply(s, "arith.divui", tid, s->threads);
  number = add(s, number, slot);
  s->thread = apply(s, "arith.remui", tid, s->threads);
  s->base = apply(s, "arith.muli", slot, s->threads * s->each);
  if (lines * pieces % each) {
    s->isThere = isBelow(s, number, constant(s, lines * pieces));
    number = least(s, number, constant(s, lines * pieces - 1));
  }
  mloptPullDelinearize(s->pull, mloptLinesOf(type, s->runs.dim),
                       apply(s, "arith.divui", number, pieces), s->line);
  s->begin = apply(s, "arith.muli", apply(s, "arith.remui", number, pieces),
                   s->length);
  s->count = constant(s, s->length);
  if (size % s->length)
    s->count = least(s, s->count, subtract(s, constant(s, size), s->begin));
  s->isFull = size % s->length == 0 && s->length == s->threads * s->each;
}

/// Hands over the piece's rows in order.
static void givePiece(Sort *s, MloptElementSink sink) {
  MlirValue elements[MAX_EACH][MAX_VALUES], at[MLOPT_MAX_RANK];
  for (int64_t v = 0; v < s->each; ++v) {
    Row row;
    MlirValue number = addInt(s, s->thread, v * s->threads);
    loadKeys(s, number, &row);
    indicesOf(s, sourceOf(s, loadPlace(s, number)), at);
    for (intptr_t i = 0; i < s->numOperands; ++i) {
      bool isUsed =
          !mlirOpOperandIsNull(mlirValueGetFirstUse(mloptResult(s->op, i)));
      elements[v][i] =
          isUsed && !isKey(s, i)
              ? mloptPullElement(s->pull, mloptOperand(s->op, i), at)
              : elementOf(s, &row, i);
    }
  }
  for (int64_t v = 0; v < s->each; ++v) {
    MlirValue number = addInt(s, s->thread, v * s->threads);
    MlirValue isRow =
        s->isFull ? (MlirValue){NULL} : isBelow(s, number, s->count);
    isRow = both(s, s->isThere, isRow);
    MloptPullScope then = mloptPullBeginGuard(s->pull, isRow);
    indicesOf(s, add(s, s->begin, number), at);
    mloptPullBindElements(s->pull, s->op, mloptRank(mloptOperandType(s->op, 0)),
                          at, elements[v]);
    if (!s->b->failed)
      sink.store(sink.userData, at);
    mloptPullEndGuard(s->pull, isRow, then);
  }
}

void mloptEmitSort(MloptKernel *kernel, MlirOperation op,
                   MloptElementSink sink) {
  const MloptSchedule *schedule = &kernel->schedule;
  Sort s = {.kernel = kernel,
            .pull = kernel->pull,
            .b = mloptPullGetBuilder(kernel->pull),
            .op = op,
            .numOperands = mlirOperationGetNumOperands(op),
            .each = schedule->vectors,
            .threads = schedule->line};
  if (!mloptReadSortRuns(op, &s.runs) || s.each > MAX_EACH) {
    s.b->failed = true;
    return;
  }
  s.length = s.runs.isMerge ? s.threads * s.each : s.runs.to;
  s.place = mlirIntegerTypeGet(s.b->context, 16);
  for (intptr_t i = 0; i < s.numOperands; ++i) {
    s.types[i] = mloptElementType(mloptOperandType(op, i));
    s.stored[i] = mloptPullMemoryType(s.types[i]);
    if (isKey(&s, i))
      s.arrays[i] = mloptAddShared(kernel, s.stored[i], numSlots(&s));
  }
  s.places = mloptAddShared(kernel, s.place, numSlots(&s));
  openPiece(&s);
  if (s.runs.isMerge) {
    mergeLong(&s);
  } else {
    loadPiece(&s);
    sortOwn(&s);
    mergeLevels(&s);
  }
  givePiece(&s, sink);
}
