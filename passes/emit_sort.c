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

#include "emit_sort_impl.h"

//===----------------------------------------------------------------------===//
// Short runs
//===----------------------------------------------------------------------===//

/// Loads the piece's keys; slots behind its rows get the last one's.
static void loadPiece(MloptSort *s) {
  MloptPull *p = s->pull;
  MloptSortRow rows[MLOPT_SORT_MAX_EACH];
  MlirValue last = mloptIndexAddInt(p, s->count, -1);
  for (int64_t v = 0; v < s->each; ++v) {
    MlirValue row = mloptIndexAddInt(p, s->thread, v * s->threads);
    mloptSortPullKeys(
        s,
        mloptIndexAdd(p, s->begin,
                      s->isFull ? row : mloptIndexMin(p, row, last)),
        &rows[v]);
  }
  for (int64_t v = 0; v < s->each; ++v)
    mloptSortStoreKeys(s, &rows[v],
                       mloptIndexAddInt(p, s->thread, v * s->threads));
  mloptBuildBarrier(s->b);
}

/// Sorts the thread's rows by exchanging neighbours, as many times as there
/// are.
static void sortOwn(MloptSort *s) {
  MloptPull *p = s->pull;
  MloptSortRow rows[MLOPT_SORT_MAX_EACH];
  MlirValue isRow[MLOPT_SORT_MAX_EACH];
  MlirValue own = mloptIndexMulInt(p, s->thread, s->each);
  for (int64_t v = 0; v < s->each; ++v) {
    rows[v].place = mloptIndexAddInt(p, own, v);
    mloptSortLoadKeys(s, rows[v].place, &rows[v]);
    isRow[v] = s->isFull ? (MlirValue){NULL}
                         : mloptIndexBelow(p, rows[v].place, s->count);
  }
  for (int64_t round = 0; round < s->each; ++round)
    for (int64_t v = round % 2; v + 1 < s->each; v += 2) {
      MloptSortRow x = rows[v], y = rows[v + 1];
      MlirValue swap =
          mloptBothHold(p, isRow[v + 1], mloptSortGoesBefore(s, &y, &x));
      mloptSortSelectRow(s, swap, &y, &x, &rows[v]);
      mloptSortSelectRow(s, swap, &x, &y, &rows[v + 1]);
    }
  mloptSortStoreOwn(s, rows);
  mloptBuildBarrier(s->b);
}

/// Merges the rows of one thread with those of its neighbour, then of two
/// threads with two, and so on.
static void mergeLevels(MloptSort *s) {
  MloptPull *p = s->pull;
  int64_t levels = mloptLogFrom((s->length + s->each - 1) / s->each);
  if (!levels)
    return;
  MlirValue level, one = mloptPullIndex(p, 1);
  MloptPullScope loop = mloptPullBeginFor(p, 0, NULL, &level, NULL);
  MlirValue width = mloptIndexArith(p, "arith.shli", one, level); // in threads
  MlirValue number =
      mloptIndexArith(p, "arith.andi", s->thread,
                      mloptIndexAddInt(p, mloptIndexMulInt(p, width, 2), -1));
  MloptSortMerge m;
  m.a = mloptIndexMulInt(p, mloptIndexSub(p, s->thread, number), s->each);
  MlirValue rows = mloptIndexMulInt(p, width, s->each);
  m.b = mloptIndexAdd(p, m.a, rows);
  m.numA = mloptIndexMin(p, mloptIndexBeyond(p, s->count, m.a), rows);
  m.numB = mloptIndexMin(p, mloptIndexBeyond(p, s->count, m.b), rows);
  m.steps = mloptIndexAddInt(p, level, mloptLogFrom(s->each) + 1);
  MloptSortRow merged[MLOPT_SORT_MAX_EACH];
  mloptSortMergeRows(s, &m, number, mloptIndexAddInt(p, level, 1), merged);
  for (int64_t v = 0; v < s->each; ++v)
    merged[v].place = mloptSortLoadPlace(s, merged[v].place);
  mloptBuildBarrier(s->b);
  mloptSortStoreOwn(s, merged);
  mloptBuildBarrier(s->b);
  mloptPullEndFor(p, loop, mloptPullIndex(p, 0), mloptPullIndex(p, levels), one,
                  0, NULL, NULL, NULL);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

static void openPiece(MloptSort *s) {
  MloptPull *p = s->pull;
  const MloptSchedule *schedule = &s->kernel->schedule;
  MlirType type = mloptOperandType(s->op, 0);
  int64_t size = s->runs.size, lines = mloptNumElements(type) / size;
  int64_t each = schedule->threads / schedule->line;
  int64_t pieces = (size + s->length - 1) / s->length;
  MlirValue tid = mloptReadRegister(s->b, "nvvm.read.ptx.sreg.tid.x");
  MlirValue number = mloptIndexMulInt(
      p, mloptReadRegister(s->b, "nvvm.read.ptx.sreg.ctaid.x"), each);
  MlirValue slot = mloptIndexDivInt(p, tid, s->threads);
  number = mloptIndexAdd(p, number, slot);
  s->thread = mloptIndexRemInt(p, tid, s->threads);
  s->base = mloptIndexMulInt(p, slot, s->threads * s->each);
  if (lines * pieces % each) {
    s->isThere = mloptIndexBelow(p, number, mloptPullIndex(p, lines * pieces));
    number = mloptIndexMin(p, number, mloptPullIndex(p, lines * pieces - 1));
  }
  mloptPullDelinearize(p, mloptLinesOf(type, s->runs.dim),
                       mloptIndexDivInt(p, number, pieces), s->line);
  s->begin =
      mloptIndexMulInt(p, mloptIndexRemInt(p, number, pieces), s->length);
  s->count = mloptPullIndex(p, s->length);
  if (size % s->length)
    s->count = mloptIndexMin(
        p, s->count, mloptIndexSub(p, mloptPullIndex(p, size), s->begin));
  s->isFull = size % s->length == 0 && s->length == s->threads * s->each;
}

/// Hands over the piece's rows in order.
static void givePiece(MloptSort *s, MloptElementSink sink) {
  MloptPull *p = s->pull;
  MlirValue elements[MLOPT_SORT_MAX_EACH][MLOPT_PULL_MAX_CARRIED],
      at[MLOPT_MAX_RANK];
  for (int64_t v = 0; v < s->each; ++v) {
    MloptSortRow row;
    MlirValue number = mloptIndexAddInt(p, s->thread, v * s->threads);
    mloptSortLoadKeys(s, number, &row);
    mloptSortIndicesOf(s, mloptSortSourceOf(s, mloptSortLoadPlace(s, number)),
                       at);
    for (intptr_t i = 0; i < s->numOperands; ++i) {
      bool isUsed =
          !mlirOpOperandIsNull(mlirValueGetFirstUse(mloptResult(s->op, i)));
      elements[v][i] = isUsed && !mloptSortIsKey(s, i)
                           ? mloptPullElement(p, mloptOperand(s->op, i), at)
                           : mloptSortElementOf(s, &row, i);
    }
  }
  for (int64_t v = 0; v < s->each; ++v) {
    MlirValue number = mloptIndexAddInt(p, s->thread, v * s->threads);
    MlirValue isRow =
        s->isFull ? (MlirValue){NULL} : mloptIndexBelow(p, number, s->count);
    isRow = mloptBothHold(p, s->isThere, isRow);
    MloptPullScope then = mloptPullBeginGuard(p, isRow);
    mloptSortIndicesOf(s, mloptIndexAdd(p, s->begin, number), at);
    mloptPullBindElements(p, s->op, mloptRank(mloptOperandType(s->op, 0)), at,
                          elements[v]);
    if (!s->b->failed)
      sink.store(sink.userData, at);
    mloptPullEndGuard(p, isRow, then);
  }
}

void mloptEmitSort(MloptKernel *kernel, MlirOperation op,
                   MloptElementSink sink) {
  const MloptSchedule *schedule = &kernel->schedule;
  MloptSort s = {.kernel = kernel,
                 .pull = kernel->pull,
                 .b = mloptPullGetBuilder(kernel->pull),
                 .op = op,
                 .numOperands = mlirOperationGetNumOperands(op),
                 .each = schedule->vectors,
                 .threads = schedule->line};
  if (!mloptReadSortRuns(op, &s.runs) || s.each > MLOPT_SORT_MAX_EACH) {
    s.b->failed = true;
    return;
  }
  s.length = s.runs.isMerge ? s.threads * s.each : s.runs.to;
  s.place = mlirIntegerTypeGet(s.b->context, 16);
  for (intptr_t i = 0; i < s.numOperands; ++i) {
    s.types[i] = mloptElementType(mloptOperandType(op, i));
    s.stored[i] = mloptPullMemoryType(s.types[i]);
    if (mloptSortIsKey(&s, i))
      s.arrays[i] = mloptAddShared(kernel, s.stored[i], mloptSortNumSlots(&s));
  }
  s.places = mloptAddShared(kernel, s.place, mloptSortNumSlots(&s));
  openPiece(&s);
  if (s.runs.isMerge) {
    mloptSortMergeLong(&s);
  } else {
    loadPiece(&s);
    sortOwn(&s);
    mergeLevels(&s);
  }
  givePiece(&s, sink);
}
