//===- emit_scan.c - Scans that threads share -----------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A line is what one scan goes along. Threads have neighbouring pieces of it,
// combine their own elements in order, then learn what comes before from each
// other: within a warp by shuffles, beyond it through shared memory. Turn by
// turn they go along the line and carry the result so far.
//
//   line:       | t0: e e e e | t1: e e e e | ..  | next turn ..
//   own         | a ab abc abcd | e ef efg efgh | ..
//   before      | carry       | carry abcd  | ..
//
// Along the last dimension (rows) the threads of a line are `line` of the
// schedule and pieces are vectors in memory, the first and last of which may
// reach out of the row. Along another (columns) a warp has 32 lines side by
// side, and the warps of a block are the pieces.
//
// The combination is associative, or in floats may be regrouped; the grouping
// depends on the shape alone. Elements out of the line are some of it again:
// those behind the end come last and change nothing that is stored, those
// before the start are dropped when the first element is met.
//
//===----------------------------------------------------------------------===//

#include "emit_index.h"
#include "emit_reduce.h"
#include "emit_structured.h"
#include "hoist_loads.h"
#include "target.h"

#include <stddef.h>

enum { WARP = 32 };

typedef struct Scan {
  MloptKernel *kernel;
  MloptPull *pull;
  MloptBuilder *b;
  MlirOperation op;
  MloptElementSink sink;
  MloptTile tile;
  MlirType type, element;
  int64_t dim, size, lanes;
  bool reverse, isRows;
  int64_t pieces;         ///< that meet in shared memory; 1: none do
  MlirValue tid, lane;    ///< thread of the block, of the warp
  MlirValue piece;        ///< of `pieces`, where the thread is
  MlirValue totals, slot; ///< shared: of each piece; where the line's begin
  int64_t stride;         ///< from one piece's total to the next
  MlirValue line[MLOPT_MAX_RANK]; ///< columns: its indices
  MlirValue isThere;              ///< the line is one; null: always
  MlirValue row, begin, skew;     ///< rows: see openRow
  /// Of the results: the scan's own or, where it is cut, that of the whole.
  MlirType whole;
  bool isCut;
  bool isEven;             ///< vectors of the whole start at multiples
  MlirType padded;         ///< all pieces side by side
  MlirValue outer, number; ///< which line of the whole, which piece of it
  MlirValue base, limit;   ///< where the piece begins; its elements
} Scan;

/// x, then y.
static MlirValue combine(Scan *s, MlirValue x, MlirValue y) {
  return mloptCombineElements(s->pull, s->op, x, y);
}

/// x, then y, where the condition holds; y alone elsewhere.
static MlirValue combineIf(Scan *s, MlirValue condition, MlirValue x,
                           MlirValue y) {
  return mloptBuildSelect(s->b, condition, combine(s, x, y), y);
}

//===----------------------------------------------------------------------===//
// Pieces of a whole
//===----------------------------------------------------------------------===//

static int64_t wholeSize(const Scan *s) {
  return mloptDim(s->whole, s->dim - 1);
}

/// Reads how the scan is cut.
static void openCut(Scan *s) {
  int64_t shape[MLOPT_MAX_RANK];
  intptr_t rank = mloptShape(s->whole, shape);
  s->isCut = mloptRank(s->type) != rank;
  s->isEven = true;
  if (!s->isCut)
    return;
  shape[s->dim - 1] = mloptDim(s->type, s->dim - 1) * s->size;
  s->padded = mloptTensorType(rank, shape, s->element);
  s->isEven = mloptNumElements(s->whole) == wholeSize(s) ||
              wholeSize(s) % s->lanes == 0;
}

/// States which piece the line is.
static void openPiece(Scan *s, MlirValue number) {
  MloptPull *p = s->pull;
  s->number = number;
  s->base = mloptPullTimes(p, number, mloptPullIndex(p, s->size));
  MlirValue left = mloptIndexSub(p, mloptPullIndex(p, wholeSize(s)), s->base);
  s->limit = mloptIndexApply(p, "arith.minui", left, s->size);
}

/// How many elements the line has, as a number or a value.
static MlirValue lengthOf(Scan *s) {
  return s->isCut ? s->limit : mloptPullIndex(s->pull, s->size);
}
static MlirValue isInside(Scan *s, MlirValue place) {
  return mloptBuildCmpI(s->b, "ult", place, lengthOf(s));
}
static MlirValue clamp(Scan *s, MlirValue place) {
  MloptPull *p = s->pull;
  MlirValue last = s->isCut ? mloptIndexApply(p, "arith.subi", s->limit, 1)
                            : mloptPullIndex(p, s->size - 1);
  return mloptBuildBinary(s->b, "arith.minui", place, last);
}

/// The insert hook: what a piece asks for is not padding.
static MlirValue insert(void *userData, MlirOperation op,
                        const MlirValue *indices) {
  Scan *s = (Scan *)((char *)userData - offsetof(Scan, tile));
  if (s->isCut &&
      mlirTypeEqual(mloptWithElementType(mloptResultType(op, 0), s->element),
                    s->padded) &&
      mloptDim(mloptOperandType(op, 0), s->dim - 1) == wholeSize(s))
    return mloptPullElement(s->pull, mloptOperand(op, 0), indices);
  return mloptTileInsert(userData, op, indices);
}

//===----------------------------------------------------------------------===//
// Between threads
//===----------------------------------------------------------------------===//

/// Turns each thread's total into that of all threads of its line in the warp
/// up to it. Gives what comes before the thread's own too, undefined in the
/// first.
static MlirValue acrossWarp(Scan *s, int64_t threads, MlirValue *total) {
  MlirType i32 = mlirIntegerTypeGet(s->b->context, 32);
  for (int64_t d = 1; d < threads; d *= 2) {
    MlirValue other =
        mloptBuildShuffle(s->b, "up", *total, mloptBuildInt(s->b, i32, d));
    MlirValue has =
        mloptBuildCmpI(s->b, "uge", s->lane, mloptPullIndex(s->pull, d));
    *total = combineIf(s, has, other, *total);
  }
  return mloptBuildShuffle(s->b, "up", *total, mloptBuildInt(s->b, i32, 1));
}

/// From the totals of all pieces, that of those before the thread's own,
/// undefined in the first one, and that of all.
static void acrossPieces(Scan *s, MlirValue *outBefore, MlirValue *outAll) {
  MloptPull *p = s->pull;
  MlirValue all = {NULL}, before = {NULL};
  for (int64_t i = 0; i < s->pieces; ++i) {
    MlirValue at = mloptIndexAdd(p, s->slot, mloptPullIndex(p, i * s->stride));
    MlirValue one = mloptLoadShared(p, s->totals, s->element, at);
    MlirValue isBefore =
        mloptBuildCmpI(s->b, "ugt", s->piece, mloptPullIndex(p, i));
    all = i ? combine(s, all, one) : one;
    before = i ? mloptBuildSelect(s->b, isBefore, all, before) : all;
  }
  *outBefore = before;
  *outAll = all;
}

/// What comes before the thread's elements in the line, whose own total is
/// given; adds those of all to what is carried.
static MlirValue prefixOf(Scan *s, MlirValue total, MlirValue *carried) {
  MloptPull *p = s->pull;
  int64_t line = s->kernel->schedule.line;
  int64_t inWarp = !s->isRows ? 1 : line < WARP ? line : WARP;
  MlirValue prefix = *carried, exclusive = {NULL}, all, before;
  if (inWarp > 1)
    exclusive = acrossWarp(s, inWarp, &total);
  if (s->pieces > 1) {
    MlirValue last = {NULL};
    if (s->isRows)
      last = mloptBuildCmpI(s->b, "eq", s->lane, mloptPullIndex(p, WARP - 1));
    MloptPullScope then = mloptPullBeginGuard(p, last);
    mloptStoreShared(
        p, s->totals, total,
        mloptIndexAdd(p, s->slot, mloptIndexMulInt(p, s->piece, s->stride)));
    mloptPullEndGuard(p, last, then);
    mloptBuildBarrier(s->b);
    acrossPieces(s, &before, &all);
    mloptBuildBarrier(s->b);
    prefix = mloptBuildSelect(s->b, mloptIndexBelowInt(p, s->piece, 1), prefix,
                              combine(s, prefix, before));
  } else {
    MlirType i32 = mlirIntegerTypeGet(s->b->context, 32);
    MlirValue last = mloptBuildBinary(
        s->b, "arith.ori",
        mloptBuildUnary(s->b, "arith.index_castui", s->tid, i32),
        mloptBuildInt(s->b, i32, inWarp - 1));
    all = inWarp > 1 ? mloptBuildShuffle(s->b, "idx", total, last) : total;
  }
  if (inWarp > 1)
    prefix = mloptBuildSelect(s->b, mloptIndexBelowInt(p, s->lane, 1), prefix,
                              combine(s, prefix, exclusive));
  *carried = combine(s, *carried, all);
  return prefix;
}

/// Turns elements, in the order of the scan, into results. `isFirst`, if not
/// null, says of each whether it is the line's first or before it.
static void scanElements(Scan *s, MlirValue *elements, const MlirValue *isFirst,
                         MlirValue *carried) {
  for (int64_t j = 1; j < s->lanes; ++j) {
    MlirValue one = elements[j], sum = combine(s, elements[j - 1], one);
    elements[j] = isFirst ? mloptBuildSelect(s->b, isFirst[j], one, sum) : sum;
  }
  MlirValue prefix = prefixOf(s, elements[s->lanes - 1], carried);
  for (int64_t j = 0; j < s->lanes; ++j)
    elements[j] = combine(s, prefix, elements[j]);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Where the row is. Vectors start at multiples of their length in memory, the
/// first one `skew` elements before the row (behind its end in reverse).
static void openRow(Scan *s) {
  MloptPull *p = s->pull;
  const MloptSchedule *schedule = &s->kernel->schedule;
  int64_t each = schedule->threads / schedule->line;
  int64_t lines = mloptNumElements(s->type) / s->size;
  MlirValue block = mloptReadRegister(s->b, "nvvm.read.ptx.sreg.ctaid.x");
  MlirValue number = mloptIndexAdd(p, mloptIndexMulInt(p, block, each),
                                   mloptIndexDivInt(p, s->tid, schedule->line));
  if (lines % each) {
    s->isThere = mloptIndexBelowInt(p, number, lines);
    number = mloptIndexApply(p, "arith.minui", number, lines - 1);
  }
  s->row = number;
  s->begin = mloptIndexMulInt(p, number, s->size);
  if (s->isCut) {
    int64_t pieces = mloptDim(s->type, s->dim - 1);
    bool isOne = mloptNumElements(s->whole) == wholeSize(s);
    s->outer =
        isOne ? mloptPullIndex(p, 0) : mloptIndexDivInt(p, number, pieces);
    openPiece(s, isOne ? number : mloptIndexRemInt(p, number, pieces));
  }
  if (s->size % s->lanes == 0)
    return;
  MlirValue edge = s->reverse
                       ? mloptIndexApply(p, "arith.addi", s->begin, s->size)
                       : s->begin;
  MlirValue skew = mloptIndexRemInt(p, edge, s->lanes);
  if (s->reverse)
    skew = mloptIndexRemInt(
        p, mloptIndexSub(p, mloptPullIndex(p, s->lanes), skew), s->lanes);
  s->skew = skew;
}

/// The column of the vector's first element in memory, `turn` elements on from
/// the row's first vector; below zero, it is the largest of numbers.
static MlirValue columnOf(Scan *s, MlirValue turn) {
  MloptPull *p = s->pull;
  MlirValue from =
      mlirValueIsNull(s->skew) ? turn : mloptIndexSub(p, turn, s->skew);
  return s->reverse
             ? mloptIndexSub(p, mloptPullIndex(p, s->size - s->lanes), from)
             : from;
}

/// Neighbours that lie in the row: in the scan's space, and in the results'.
typedef struct Place {
  MloptVector scan, whole;
} Place;

/// States that elements of a piece are some of the whole.
static void bindPiece(Scan *s, Place *place, MlirValue column) {
  const int count = place->scan.count;
  MlirValue first = mloptPullAdd(s->pull, s->base, column);
  bool isOne = mloptNumElements(s->whole) == wholeSize(s);
  mloptPullBindOuter(s->pull, s->outer);
  mloptPullBindOuter(s->pull, s->number);
  if (isOne)
    mloptTileVectorAt(&s->tile, first, count, &place->scan);
  place->whole = place->scan;
  MlirValue begin = mloptPullAdd(
      s->pull,
      mloptPullTimes(s->pull, s->outer, mloptPullIndex(s->pull, wholeSize(s))),
      first);
  for (int k = 0; k < count; ++k) {
    MlirValue own = mloptPullRun(s->pull, column, k, count);
    MlirValue at = isOne ? place->scan.position[k]
                         : mloptPullRun(s->pull, first, k, count);
    place->scan.column[k] = own;
    place->whole.column[k] = at;
    mloptPullBindSplit(s->pull, at, s->number, s->size, own);
    if (isOne)
      continue;
    place->whole.position[k] = s->isEven || count == 1
                                   ? mloptPullLane(s->pull, begin, k, count)
                                   : mloptPullRun(s->pull, begin, k, count);
    mloptPullBindSplit(s->pull, place->whole.position[k], s->outer,
                       wholeSize(s), at);
    mloptPullBindSplit(s->pull, place->scan.position[k], s->outer,
                       mloptDim(s->padded, s->dim - 1), at);
  }
}

/// The `count` elements from a column on.
static Place placeIn(Scan *s, MlirValue column, int64_t count) {
  MloptPull *p = s->pull;
  Place place;
  mloptTileVectorAt(&s->tile, mloptIndexAdd(p, s->begin, column), (int)count,
                    &place.scan);
  if (s->isCut) {
    bindPiece(s, &place, column);
    return place;
  }
  mloptPullBindOuter(p, s->row);
  for (int k = 0; k < count; ++k) {
    place.scan.column[k] = mloptPullRun(p, column, k, (int)count);
    mloptPullBindSplit(p, place.scan.position[k], s->row, s->size,
                       place.scan.column[k]);
  }
  place.whole = place.scan;
  return place;
}

/// Evaluates what is scanned on a vector, in the order of memory; a column out
/// of the row stands for another in it.
static void evaluate(Scan *s, MlirValue column, MlirValue isWhole,
                     MlirValue *out) {
  MloptPull *p = s->pull;
  MlirValue operand = mloptOperand(s->op, 0);
  MlirType types[MLOPT_MAX_LANES];
  MlirValue given[MLOPT_MAX_LANES];
  for (int64_t k = 0; k < s->lanes; ++k)
    types[k] = s->element;
  MloptPullScope then = mloptPullBeginBranch(p);
  mloptTileEnter(&s->tile);
  Place whole = placeIn(s, column, s->lanes);
  mloptTileEvaluate(&s->tile, &whole.scan, operand, given);
  if (!s->b->failed && !mloptHoistLoads(s->b->block))
    s->b->failed = true;
  mloptPullEndBranch(p, &then, s->lanes, given);
  MloptPullScope otherwise = mloptPullBeginBranch(p);
  mloptTileEnter(&s->tile);
  for (int64_t k = 0; k < s->lanes; ++k) {
    Place one =
        placeIn(s, clamp(s, mloptIndexApply(p, "arith.addi", column, k)), 1);
    mloptTileEvaluate(&s->tile, &one.scan, operand, &given[k]);
  }
  mloptPullEndBranch(p, &otherwise, s->lanes, given);
  mloptPullBuildIf(p, isWhole, then, otherwise, s->lanes, types, out);
}

/// Stores what follows from the scan's elements.
static void storeAt(Scan *s, MlirValue column, int64_t count,
                    const MlirValue *elements) {
  mloptTileEnter(&s->tile);
  Place place = placeIn(s, column, count);
  for (int64_t k = 0; k < count; ++k) {
    MlirValue at[MLOPT_MAX_RANK];
    mloptPullDelinearize(s->pull, s->type, place.scan.position[k], at);
    mloptPullBindElements(s->pull, s->op, mloptRank(s->type), at, &elements[k]);
  }
  s->sink.storeVector(s->sink.userData, &s->tile, &place.whole);
}

/// Stores a vector's results, those in the row.
static void storeVector(Scan *s, MlirValue column, MlirValue isWhole,
                        const MlirValue *elements) {
  MloptPull *p = s->pull;
  MloptPullScope then = mloptPullBeginBranch(p);
  if (s->isEven)
    storeAt(s, column, s->lanes, elements);
  mloptPullEndBranch(p, &then, 0, NULL);
  MloptPullScope otherwise = mloptPullBeginBranch(p);
  for (int64_t k = 0; k < s->lanes; ++k) {
    MlirValue at = mloptIndexApply(p, "arith.addi", column, k);
    MlirValue inside = mloptBothHold(p, isInside(s, at), s->isThere);
    MloptPullScope guard = mloptPullBeginGuard(p, inside);
    storeAt(s, at, 1, &elements[k]);
    mloptPullEndGuard(p, inside, guard);
  }
  mloptPullEndBranch(p, &otherwise, 0, NULL);
  MlirValue never =
      mloptBuildInt(s->b, mlirIntegerTypeGet(s->b->context, 1), 0);
  mloptPullBuildIf(p, s->isEven ? mloptBothHold(p, isWhole, s->isThere) : never,
                   then, otherwise, 0, NULL, NULL);
}

static void reverseOrder(Scan *s, MlirValue *elements) {
  for (int64_t k = 0; s->reverse && k < s->lanes / 2; ++k) {
    MlirValue other = elements[k];
    elements[k] = elements[s->lanes - 1 - k];
    elements[s->lanes - 1 - k] = other;
  }
}

static void emitRowsTurn(Scan *s, MlirValue first, MlirValue *carried) {
  MloptPull *p = s->pull;
  MlirValue elements[MLOPT_MAX_LANES], isFirst[MLOPT_MAX_LANES];
  MlirValue thread = mloptIndexRemInt(p, s->tid, s->kernel->schedule.line);
  MlirValue turn =
      mloptIndexAdd(p, first, mloptIndexMulInt(p, thread, s->lanes));
  MlirValue column = columnOf(s, turn);
  MlirValue isWhole =
      s->size < s->lanes
          ? mloptBuildInt(s->b, mlirIntegerTypeGet(s->b->context, 1), 0)
      : s->isCut
          ? mloptBuildCmpI(s->b, "ule",
                           mloptIndexApply(p, "arith.addi", column, s->lanes),
                           s->limit)
          : mloptIndexBelowInt(p, column, s->size - s->lanes + 1);
  evaluate(s, column, isWhole, elements);
  reverseOrder(s, elements);
  bool isSkewed = !mlirValueIsNull(s->skew);
  for (int64_t j = 1; j < s->lanes && isSkewed; ++j)
    isFirst[j] = mloptBuildCmpI(
        s->b, "ule", mloptIndexApply(p, "arith.addi", turn, j), s->skew);
  scanElements(s, elements, isSkewed ? isFirst : NULL, carried);
  reverseOrder(s, elements);
  storeVector(s, column, isWhole, elements);
}

static void openRows(Scan *s) {
  MloptPull *p = s->pull;
  int64_t line = s->kernel->schedule.line;
  s->lane = mloptIndexRemInt(p, s->tid, line < WARP ? line : WARP);
  s->pieces = line > WARP ? line / WARP : 1;
  s->stride = 1;
  if (s->pieces > 1) {
    s->piece = mloptIndexDivInt(p, mloptIndexRemInt(p, s->tid, line), WARP);
    s->slot = mloptIndexMulInt(p, mloptIndexDivInt(p, s->tid, line), s->pieces);
    s->totals = mloptAddShared(s->kernel, s->element,
                               s->kernel->schedule.threads / WARP);
  }
  openRow(s);
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

static void openColumns(Scan *s) {
  MloptPull *p = s->pull;
  int64_t shape[MLOPT_MAX_RANK], threads = s->kernel->schedule.threads;
  intptr_t rank = mloptShape(s->type, shape);
  for (intptr_t i = s->dim; i + 1 < rank; ++i)
    shape[i] = shape[i + 1];
  MlirType lines = mloptTensorType(rank - 1, shape, s->element);
  int64_t count = mloptNumElements(lines);
  s->lane = mloptIndexRemInt(p, s->tid, WARP);
  s->piece = mloptIndexDivInt(p, s->tid, WARP);
  s->pieces = threads / WARP;
  s->stride = WARP;
  s->slot = s->lane;
  if (s->pieces > 1)
    s->totals = mloptAddShared(s->kernel, s->element, threads);
  MlirValue block = mloptReadRegister(s->b, "nvvm.read.ptx.sreg.ctaid.x");
  MlirValue number =
      mloptIndexAdd(p, mloptIndexMulInt(p, block, WARP), s->lane);
  if (count % WARP) {
    s->isThere = mloptIndexBelowInt(p, number, count);
    number = mloptIndexApply(p, "arith.minui", number, count - 1);
  }
  mloptPullDelinearize(p, lines, number, s->line);
  if (s->isCut)
    openPiece(s, s->line[s->dim - 1]);
}

/// The indices of the line's element at a place in the order of the scan, in
/// the scan's space and in the results'.
static void placeAt(Scan *s, MlirValue place, MlirValue *at, MlirValue *whole) {
  MloptPull *p = s->pull;
  if (s->reverse)
    place = mloptIndexSub(p, mloptPullIndex(p, s->size - 1), place);
  for (intptr_t i = 0, rank = mloptRank(s->type); i < rank; ++i)
    at[i] = i < s->dim ? s->line[i] : i == s->dim ? place : s->line[i - 1];
  memcpy(whole, at, mloptRank(s->type) * sizeof *at);
  if (!s->isCut)
    return;
  for (intptr_t i = 0, rank = mloptRank(s->whole); i < rank; ++i)
    whole[i] = i == s->dim - 1 ? mloptPullAdd(p, s->base, place) : s->line[i];
  mloptPullDelinearize(p, s->type, mloptPullLinearize(p, s->padded, whole), at);
}

static void emitColumnsTurn(Scan *s, MlirValue first, MlirValue *carried) {
  MloptPull *p = s->pull;
  MlirValue elements[MLOPT_MAX_LANES], at[MLOPT_MAX_RANK];
  MlirValue whole[MLOPT_MAX_RANK];
  MlirValue turn =
      mloptIndexAdd(p, first, mloptIndexMulInt(p, s->piece, s->lanes));
  for (int64_t j = 0; j < s->lanes; ++j) {
    placeAt(s, clamp(s, mloptIndexApply(p, "arith.addi", turn, j)), at, whole);
    elements[j] = mloptPullElement(p, mloptOperand(s->op, 0), at);
  }
  if (!s->b->failed && !mloptHoistLoads(s->b->block))
    s->b->failed = true;
  scanElements(s, elements, NULL, carried);
  for (int64_t j = 0; j < s->lanes; ++j) {
    MlirValue place = mloptIndexApply(p, "arith.addi", turn, j);
    MlirValue inside = mloptBothHold(p, isInside(s, place), s->isThere);
    MloptPullScope guard = mloptPullBeginGuard(p, inside);
    placeAt(s, place, at, whole);
    mloptPullBindElements(p, s->op, mloptRank(s->type), at, &elements[j]);
    if (!s->b->failed)
      s->sink.store(s->sink.userData, whole);
    mloptPullEndGuard(p, inside, guard);
  }
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// Elements that the threads of a line have in a turn.
static int64_t turnOf(const Scan *s) {
  const MloptSchedule *schedule = &s->kernel->schedule;
  return s->lanes * (s->isRows ? schedule->line : schedule->threads / WARP);
}

void mloptEmitScan(MloptKernel *kernel, MlirOperation op,
                   MloptElementSink sink) {
  Scan s = {.kernel = kernel,
            .pull = kernel->pull,
            .b = mloptPullGetBuilder(kernel->pull),
            .op = op,
            .sink = sink,
            .tile = {.pull = kernel->pull},
            .type = mloptOperandType(op, 0),
            .dim = mlirIntegerAttrGetValueInt(mloptAttr(op, "dim")),
            .lanes = kernel->schedule.lanes,
            .reverse = !mlirAttributeIsNull(mloptAttr(op, "reverse"))};
  s.element = mloptElementType(s.type);
  s.size = mloptDim(s.type, s.dim);
  s.isRows = mloptScanIsRows(op);
  s.whole = sink.type;
  openCut(&s);
  s.tid = mloptReadRegister(s.b, "nvvm.read.ptx.sreg.tid.x");
  if (s.isRows)
    openRows(&s);
  else
    openColumns(&s);
  mloptPullSetHooks(s.pull, (MloptPullHooks){.load = mloptTileLoad,
                                             .insert = insert,
                                             .userData = &s.tile});
  MlirValue init = mloptPullElement(s.pull, mloptOperand(op, 1), NULL);
  MlirValue first, carried, last;
  int64_t turn = turnOf(&s);
  int64_t length = s.size + (mlirValueIsNull(s.skew) ? 0 : s.lanes - 1);
  MloptPullScope loop = mloptPullBeginFor(s.pull, 1, &init, &first, &carried);
  if (s.isRows)
    emitRowsTurn(&s, first, &carried);
  else
    emitColumnsTurn(&s, first, &carried);
  mloptPullEndFor(s.pull, loop, mloptPullIndex(s.pull, 0),
                  mloptPullIndex(s.pull, mloptDivideUp(length, turn) * turn),
                  mloptPullIndex(s.pull, turn), 1, &init, &carried, &last);
  mloptPullSetHooks(s.pull, (MloptPullHooks){.load = NULL});
  mloptTileDestroy(&s.tile);
}
