//===- emit_sort_counted.c - Sorts by numbers that are counted ------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block takes a chunk of a line, `vectors` rows for each thread. Rows of one
// number go behind those of smaller ones, of the chunks before, and of the
// chunk's rows before them, so their places are known. In shared memory the
// chunk is sorted first: then neighbours go to neighbours. Blocks that run side
// by side have chunks side by side, whose rows of one number go to one place:
// that is what the memory likes (16.7 million rows of i32 in 585 us; in 785 us
// where each block had a run of eight chunks).
//
//   chunk    | warp 0: 32 rows, 32 rows, .. | warp 1 ..  |  in the line's order
//   shared   | rows, sorted, operand by operand |
//            | of each warp and number: rows, then the first one's slot |
//            | of each number: what leads from there to its place in the line |
//
//   lanes of one number find each other; warps count their numbers
//   | threads add up a number's counts over the warps, then over the numbers
//   | rows to their slots | rows from there to their places in the line
//
// Slots behind a line's end count as rows of the last number: they come behind
// all others, and are not stored.
//
//===----------------------------------------------------------------------===//

#include "emit_reduce.h"
#include "emit_structured.h"
#include "nv_build.h"
#include "target.h"

#include "dialect.h"

enum { MAX_VALUES = MLOPT_PULL_MAX_CARRIED, MAX_EACH = 16 };
enum { WARP_BITS = 5, WARP = 1 << WARP_BITS };
enum { HALF = 16 };   ///< bits: numbers, and rows of a warp, are fewer
enum { AT_ONCE = 4 }; ///< rows that a thread loads before it stores them

typedef struct Sort {
  MloptKernel *kernel;
  MloptPull *pull;
  MloptBuilder *b;
  MloptNv nv; ///< the dynamic shared memory
  MlirOperation op;
  MloptCountedSort sort;
  intptr_t numOperands;
  MlirType types[MAX_VALUES];  ///< of elements
  MlirType stored[MAX_VALUES]; ///< as they are in memory
  MlirType index, number;      ///< i32, of numbers and counts
  int64_t each, threads;       ///< rows of a thread
  /// Shared: the rows' operands; of each warp and number; of each number; of
  /// the warps of threads that have numbers.
  MlirValue arrays[MAX_VALUES], counts, shifts, sums;
  MlirValue tid, warp, lane, isNumber;
  MlirValue line[MLOPT_MAX_RANK], chunk;
  MlirValue begin, end; ///< of the chunk in the line
} Sort;

/// A thread's rows.
typedef struct Rows {
  bool areAll; ///< the chunk has a row for each slot
  MlirValue elements[MAX_EACH][MAX_VALUES]; ///< as they are in memory
  MlirValue numbers[MAX_EACH];              ///< as indices
  /// The number, and behind it how many of the warp's rows before have it, in
  /// one register.
  MlirValue ranks[MAX_EACH];
} Rows;

static MlirValue constant(Sort *s, int64_t n) {
  return mloptPullIndex(s->pull, n);
}
static MlirValue binary(Sort *s, const char *name, MlirValue x, MlirValue y) {
  return mloptBuildBinary(s->b, name, x, y);
}
static MlirValue apply(Sort *s, const char *name, MlirValue x, int64_t n) {
  return binary(s, name, x, constant(s, n));
}
static MlirValue add(Sort *s, MlirValue x, MlirValue y) {
  return binary(s, "arith.addi", x, y);
}
static MlirValue addInt(Sort *s, MlirValue x, int64_t n) {
  return n ? apply(s, "arith.addi", x, n) : x;
}
static MlirValue isBelow(Sort *s, MlirValue x, MlirValue y) {
  return mloptBuildCmpI(s->b, "ult", x, y);
}
static MlirValue toIndex(Sort *s, MlirValue number) {
  return mloptBuildUnary(s->b, "arith.index_cast", number, s->index);
}
static MlirValue toNumber(Sort *s, MlirValue index) {
  return mloptBuildUnary(s->b, "arith.index_cast", index, s->number);
}
static MlirValue load(Sort *s, MlirValue array, MlirValue at) {
  return toIndex(s, mloptLoadShared(s->pull, array, s->number, at));
}
static void store(Sort *s, MlirValue array, MlirValue index, MlirValue at) {
  mloptStoreShared(s->pull, array, toNumber(s, index), at);
}

/// All lanes of the warp see what the others have stored.
static void warpBarrier(Sort *s) {
  MlirValue all = mloptBuildInt(s->b, s->number, -1);
  mloptBuildOp(s->b, (MloptOpSpec){.name = "nvvm.bar.warp.sync",
                                   .numOperands = 1,
                                   .operands = &all});
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// The number of a row, as an index: what the comparator compares.
static MlirValue numberOf(Sort *s, const MlirValue *elements) {
  MlirValue arguments[2 * MAX_VALUES], before = {NULL};
  for (intptr_t i = 0; i < s->numOperands; ++i)
    arguments[2 * i] = arguments[2 * i + 1] =
        s->sort.isKey[i]
            ? mloptPullFromMemory(s->pull, elements[i], s->types[i])
            : mloptPullPoison(s->pull, s->types[i]);
  mloptPullBody(s->pull,
                mlirRegionGetFirstBlock(mlirOperationGetRegion(s->op, 0)),
                arguments, &before);
  if (s->b->failed)
    return before;
  return toIndex(s, mloptOperand(mlirOpResultGetOwner(before), 0));
}

/// The lanes of the warp whose numbers are the same as the lane's.
static MlirValue findPeers(Sort *s, MlirValue number) {
  MlirValue bits = toNumber(s, number), peers = {NULL};
  for (int64_t bit = 1; bit < s->sort.values; bit *= 2) {
    MlirValue operands[] = {bits, mloptBuildInt(s->b, s->number, bit)};
    // As PTX, for LLVM would test the bit again to turn the votes round: six
    // instructions, not four (16.7 million rows of i32 in 812 us, not 795).
    MlirValue lanes =
        mloptNvPtx(&s->nv,
                   "{ .reg .pred p; and.b32 $0, $1, $2; setp.ne.u32 p, $0, 0; "
                   "vote.sync.ballot.b32 $0, p, -1; @!p not.b32 $0, $0; }",
                   "=&r,r,n", 2, operands, s->number);
    peers =
        mlirValueIsNull(peers) ? lanes : binary(s, "arith.andi", peers, lanes);
  }
  return mlirValueIsNull(peers) ? mloptBuildInt(s->b, s->number, -1) : peers;
}

/// What comes before a thread's count, among those of all numbers; all threads
/// pass.
static MlirValue addUp(Sort *s, MlirValue count) {
  MlirValue own = toNumber(s, count), sum = own;
  MlirValue zero = mloptBuildInt(s->b, s->number, 0);
  for (int64_t offset = 1; offset < WARP; offset *= 2) {
    MlirValue other = mloptBuildShuffle(s->b, "up", sum,
                                        mloptBuildInt(s->b, s->number, offset));
    MlirValue isThere =
        mloptBuildCmpI(s->b, "uge", s->lane, constant(s, offset));
    sum = add(s, sum, mloptBuildSelect(s->b, isThere, other, zero));
  }
  MlirValue isLast = mloptBuildCmpI(s->b, "eq", s->lane, constant(s, WARP - 1));
  MloptPullScope then = mloptPullBeginGuard(s->pull, isLast);
  mloptStoreShared(s->pull, s->sums, sum, s->warp);
  mloptPullEndGuard(s->pull, isLast, then);
  mloptBuildBarrier(s->b);
  MlirValue before = binary(s, "arith.subi", sum, own);
  for (int64_t w = 0; w * WARP < s->sort.values; ++w) {
    MlirValue other =
        mloptLoadShared(s->pull, s->sums, s->number, constant(s, w));
    MlirValue isBefore = isBelow(s, constant(s, w), s->warp);
    before = add(s, before, mloptBuildSelect(s->b, isBefore, other, zero));
  }
  return toIndex(s, before);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

static void indicesOf(Sort *s, MlirValue row, MlirValue *out) {
  mloptPutIndex(s->line, mloptRank(mloptOperandType(s->op, 0)), s->sort.dim,
                row, out);
}

/// A row of the thread in the line: each warp's are behind each other.
static MlirValue rowOf(Sort *s, int64_t v) {
  MlirValue own =
      add(s, apply(s, "arith.muli", s->warp, WARP * s->each), s->lane);
  return addInt(s, add(s, s->begin, own), v * WARP);
}

/// Reads the rows' operands that are keys, or all others; behind the chunk's
/// end its last row's.
static void loadRows(Sort *s, Rows *r, bool keys) {
  MlirValue at[MLOPT_MAX_RANK];
  for (int64_t v = 0; v < s->each; ++v) {
    MlirValue row = rowOf(s, v);
    if (!r->areAll)
      row = binary(s, "arith.minui", row, addInt(s, s->end, -1));
    indicesOf(s, row, at);
    for (intptr_t i = 0; i < s->numOperands; ++i)
      if (s->sort.isKey[i] == keys)
        r->elements[v][i] = mloptPullToMemory(
            s->pull, mloptPullElement(s->pull, mloptOperand(s->op, i), at));
  }
}

/// Reads the keys and finds their numbers.
static void openRows(Sort *s, Rows *r) {
  loadRows(s, r, true);
  for (int64_t v = 0; v < s->each; ++v) {
    r->numbers[v] = numberOf(s, r->elements[v]);
    if (!r->areAll)
      r->numbers[v] =
          mloptBuildSelect(s->b, isBelow(s, rowOf(s, v), s->end), r->numbers[v],
                           constant(s, s->sort.values - 1));
  }
}

static MlirValue packRank(Sort *s, MlirValue number, MlirValue rank) {
  MlirValue both =
      binary(s, "arith.ori", number, apply(s, "arith.shli", rank, HALF));
  return mloptNvRenew(&s->nv, toNumber(s, both));
}

static void unpackRank(Sort *s, MlirValue both, MlirValue *outNumber,
                       MlirValue *outRank) {
  MlirValue half = mloptBuildInt(s->b, s->number, HALF);
  MlirValue mask = mloptBuildInt(s->b, s->number, (1 << HALF) - 1);
  *outNumber = toIndex(s, binary(s, "arith.andi", both, mask));
  *outRank = toIndex(s, binary(s, "arith.shrui", both, half));
}

/// Counts the warp's rows by their numbers, and notes how many of the same are
/// before each.
static void rankRows(Sort *s, Rows *r) {
  int64_t values = s->sort.values;
  MlirValue own = apply(s, "arith.muli", s->warp, values);
  MlirValue one = mloptBuildInt(s->b, s->number, 1);
  MlirValue lower = binary(
      s, "arith.subi", binary(s, "arith.shli", one, toNumber(s, s->lane)), one);
  for (int64_t from = 0; from < values; from += WARP) {
    MlirValue at = addInt(s, s->lane, from);
    MlirValue isThere =
        values % WARP ? isBelow(s, at, constant(s, values)) : (MlirValue){NULL};
    MloptPullScope then = mloptPullBeginGuard(s->pull, isThere);
    store(s, s->counts, constant(s, 0), add(s, own, at));
    mloptPullEndGuard(s->pull, isThere, then);
  }
  warpBarrier(s);
  for (int64_t v = 0; v < s->each; ++v) {
    MlirValue at = add(s, own, r->numbers[v]);
    MlirValue peers = findPeers(s, r->numbers[v]);
    MlirValue before =
        mloptBuildCountLanes(s->b, binary(s, "arith.andi", peers, lower));
    MlirValue count = load(s, s->counts, at);
    r->ranks[v] = packRank(s, r->numbers[v], add(s, count, before));
    warpBarrier(s);
    MlirValue isFirst = mloptBuildCmpI(s->b, "eq", before, constant(s, 0));
    MloptPullScope then = mloptPullBeginGuard(s->pull, isFirst);
    store(s, s->counts, add(s, count, mloptBuildCountLanes(s->b, peers)), at);
    mloptPullEndGuard(s->pull, isFirst, then);
    warpBarrier(s);
  }
}

/// The chunk's rows of the thread's number, 0 for threads without one.
static MlirValue countAll(Sort *s) {
  MlirValue sum = constant(s, 0), all;
  MloptPullScope then = mloptPullBeginBranch(s->pull);
  for (int64_t w = 0; w < s->threads / WARP; ++w)
    sum =
        add(s, sum, load(s, s->counts, addInt(s, s->tid, w * s->sort.values)));
  mloptPullEndBranch(s->pull, &then, 1, &sum);
  MlirValue none = constant(s, 0);
  MloptPullScope otherwise = mloptPullBeginBranch(s->pull);
  mloptPullEndBranch(s->pull, &otherwise, 1, &none);
  mloptPullBuildIf(s->pull, s->isNumber, then, otherwise, 1, &s->index, &all);
  return all;
}

/// Turns the warps' counts of the thread's number into where their rows begin
/// in the chunk, and the place in the line of the first into what is added.
static void placeWarps(Sort *s, MlirValue first) {
  MloptPullScope then = mloptPullBeginGuard(s->pull, s->isNumber);
  MlirValue place = load(s, s->shifts, s->tid);
  store(s, s->shifts, binary(s, "arith.subi", place, first), s->tid);
  for (int64_t w = 0; w < s->threads / WARP; ++w) {
    MlirValue at = addInt(s, s->tid, w * s->sort.values);
    MlirValue count = load(s, s->counts, at);
    store(s, s->counts, first, at);
    first = add(s, first, count);
  }
  mloptPullEndGuard(s->pull, s->isNumber, then);
}

/// The slot of a row of the chunk: every 33rd is left out, lest the first rows
/// of numbers that come up equally often meet in one bank.
static MlirValue slotOf(Sort *s, MlirValue row) {
  return add(s, row, apply(s, "arith.shrui", row, WARP_BITS));
}

/// Puts the rows' operands where they belong in the chunk: those that are keys,
/// all others, or where all slots have rows both.
static void exchangeRows(Sort *s, const Rows *r, bool keys) {
  MlirValue own = apply(s, "arith.muli", s->warp, s->sort.values);
  for (int64_t v = 0; v < s->each; ++v) {
    MlirValue number, rank;
    unpackRank(s, r->ranks[v], &number, &rank);
    MlirValue first = load(s, s->counts, add(s, own, number));
    MlirValue at = slotOf(s, add(s, rank, first));
    for (intptr_t i = 0; i < s->numOperands; ++i)
      if (r->areAll || s->sort.isKey[i] == keys)
        mloptStoreShared(s->pull, s->arrays[i], r->elements[v][i], at);
  }
}

/// Hands over some of the chunk's rows, in order, from slots of the thread on.
static void giveRows(Sort *s, const Rows *r, int64_t from, int64_t count,
                     MloptElementSink sink) {
  MlirValue elements[AT_ONCE][MAX_VALUES], places[AT_ONCE], rows[AT_ONCE];
  for (int64_t v = 0; v < count; ++v) {
    rows[v] = addInt(s, s->tid, (from + v) * s->threads);
    MlirValue slot = addInt(s, slotOf(s, s->tid),
                            (from + v) * (s->threads + s->threads / WARP));
    for (intptr_t i = 0; i < s->numOperands; ++i)
      elements[v][i] =
          mloptLoadShared(s->pull, s->arrays[i], s->stored[i], slot);
    places[v] = add(s, rows[v], load(s, s->shifts, numberOf(s, elements[v])));
    for (intptr_t i = 0; i < s->numOperands; ++i)
      elements[v][i] =
          mloptPullFromMemory(s->pull, elements[v][i], s->types[i]);
  }
  MlirValue end = binary(s, "arith.subi", s->end, s->begin);
  for (int64_t v = 0; v < count; ++v) {
    MlirValue at[MLOPT_MAX_RANK];
    MlirValue isRow = r->areAll ? (MlirValue){NULL} : isBelow(s, rows[v], end);
    MloptPullScope then = mloptPullBeginGuard(s->pull, isRow);
    indicesOf(s, places[v], at);
    mloptPullBindElements(s->pull, s->op, mloptRank(mloptOperandType(s->op, 0)),
                          at, elements[v]);
    if (!s->b->failed)
      sink.store(sink.userData, at);
    mloptPullEndGuard(s->pull, isRow, then);
  }
}

/// Sorts the chunk and stores it. What is no key is read early, but where rows
/// may lack: their clamped addresses take the registers.
static void sortRows(Sort *s, bool areAll, MloptElementSink sink) {
  Rows r = {.areAll = areAll};
  openRows(s, &r);
  rankRows(s, &r);
  if (areAll)
    loadRows(s, &r, false);
  mloptBuildBarrier(s->b);
  placeWarps(s, addUp(s, countAll(s)));
  mloptBuildBarrier(s->b);
  exchangeRows(s, &r, true);
  if (!areAll) {
    loadRows(s, &r, false);
    exchangeRows(s, &r, false);
  }
  mloptBuildBarrier(s->b);
  for (int64_t v = 0; v < s->each; v += AT_ONCE)
    giveRows(s, &r, v, s->each - v < AT_ONCE ? s->each - v : AT_ONCE, sink);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

static MlirValue carve(Sort *s, int64_t *offset, int64_t bytes) {
  MlirValue array = mloptNvShared(&s->nv, mloptNvInt(&s->nv, *offset));
  *offset += bytes;
  return array;
}

static void openShared(Sort *s) {
  enum { NUMBER = 4 };
  int64_t offset = 0;
  s->nv = mloptNvBegin(s->b, s->kernel->func);
  // Wider elements first: each array is then aligned as it must be.
  for (unsigned bytes = 8; bytes > 0; bytes /= 2)
    for (intptr_t i = 0; i < s->numOperands; ++i)
      if (mloptElementWidth(s->stored[i]) == 8 * bytes)
        s->arrays[i] =
            carve(s, &offset, (s->sort.chunk + s->sort.chunk / WARP) * bytes);
  s->counts = carve(s, &offset, s->threads / WARP * s->sort.values * NUMBER);
  s->shifts = carve(s, &offset, s->sort.values * NUMBER);
  s->sums = mloptAddShared(s->kernel, s->number, s->threads / WARP);
}

static void openChunk(Sort *s) {
  MlirType type = mloptOperandType(s->op, 0);
  MlirValue block = mloptReadRegister(s->b, "nvvm.read.ptx.sreg.ctaid.x");
  s->tid = mloptReadRegister(s->b, "nvvm.read.ptx.sreg.tid.x");
  s->warp = apply(s, "arith.divui", s->tid, WARP);
  s->lane = apply(s, "arith.remui", s->tid, WARP);
  s->isNumber = isBelow(s, s->tid, constant(s, s->sort.values));
  s->chunk = apply(s, "arith.remui", block, s->sort.numChunks);
  mloptPullDelinearize(s->pull, mloptLinesOf(type, s->sort.dim),
                       apply(s, "arith.divui", block, s->sort.numChunks),
                       s->line);
  s->begin = apply(s, "arith.muli", s->chunk, s->sort.chunk);
  s->end = binary(s, "arith.minui", addInt(s, s->begin, s->sort.chunk),
                  constant(s, s->sort.size));
}

/// Rows of the line up to the end of a chunk that have the thread's number.
static MlirValue countUpTo(Sort *s, MlirValue chunk) {
  MlirValue at[MLOPT_MAX_RANK];
  memcpy(at, s->line, s->sort.dim * sizeof *at);
  at[s->sort.dim] =
      binary(s, "arith.minui", s->tid, constant(s, s->sort.values - 1));
  at[s->sort.dim + 1] = chunk;
  return toIndex(
      s, mloptPullElement(s->pull, mloptOperand(s->op, s->numOperands), at));
}

/// Notes where the chunk's first row of the thread's number goes.
static void findPlaces(Sort *s) {
  MlirValue zero = constant(s, 0);
  MlirValue all =
      mloptBuildSelect(s->b, s->isNumber,
                       countUpTo(s, constant(s, s->sort.numChunks - 1)), zero);
  MlirValue isFirst = mloptBuildCmpI(s->b, "eq", s->chunk, zero);
  MlirValue previous =
      mloptBuildSelect(s->b, isFirst, zero, addInt(s, s->chunk, -1));
  MlirValue before =
      mloptBuildSelect(s->b, isFirst, zero, countUpTo(s, previous));
  MlirValue place = add(s, addUp(s, all), before);
  MloptPullScope then = mloptPullBeginGuard(s->pull, s->isNumber);
  store(s, s->shifts, place, s->tid);
  mloptPullEndGuard(s->pull, s->isNumber, then);
}

/// Sorts a chunk that has a row for each slot, or a line's last.
static void sortChunk(Sort *s, MloptElementSink sink) {
  MlirValue whole = {NULL};
  findPlaces(s);
  bool isEven = s->sort.size % s->sort.chunk == 0;
  if (!isEven)
    whole = mloptBuildCmpI(s->b, "ne", s->chunk,
                           constant(s, s->sort.numChunks - 1));
  MloptPullScope then = mloptPullBeginGuard(s->pull, whole);
  sortRows(s, true, sink);
  mloptPullEndGuard(s->pull, whole, then);
  if (isEven)
    return;
  MlirValue last =
      mloptBuildCmpI(s->b, "eq", s->chunk, constant(s, s->sort.numChunks - 1));
  then = mloptPullBeginGuard(s->pull, last);
  sortRows(s, false, sink);
  mloptPullEndGuard(s->pull, last, then);
}

void mloptEmitCountedSort(MloptKernel *kernel, MlirOperation op,
                          MloptElementSink sink) {
  const MloptSchedule *schedule = &kernel->schedule;
  Sort s = {.kernel = kernel,
            .pull = kernel->pull,
            .b = mloptPullGetBuilder(kernel->pull),
            .op = op,
            .numOperands = mlirOperationGetNumResults(op),
            .each = schedule->vectors,
            .threads = schedule->threads};
  if (!mloptReadCountedSort(op, &s.sort) || s.each > MAX_EACH ||
      s.numOperands > MAX_VALUES || s.sort.values > s.threads ||
      s.sort.chunk != s.threads * s.each ||
      mloptCountedSortBytes(op, &s.sort, s.threads) > schedule->shared) {
    mloptOpError(op, "does not fit its kernel's " MLOPT_SCHEDULE);
    s.b->failed = true;
    return;
  }
  s.index = mlirIndexTypeGet(s.b->context);
  s.number = mlirIntegerTypeGet(s.b->context, 32);
  for (intptr_t i = 0; i < s.numOperands; ++i) {
    s.types[i] = mloptElementType(mloptOperandType(op, i));
    s.stored[i] = mloptPullMemoryType(s.types[i]);
  }
  openShared(&s);
  openChunk(&s);
  sortChunk(&s, sink);
}
