//===- emit_sort_rows.c - Rows of a sort, and merges of them --------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of the operands that are keys, in memory and in the piece's part of
// shared memory, the comparator on two of them, and the merge of two
// neighbouring runs there (see emit_sort.c): from the runs' places and a
// thread's number to the rows that are its own. What is merged stays where it
// is.
//
//===----------------------------------------------------------------------===//

#include "emit_sort_impl.h"

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

bool mloptSortIsKey(const MloptSort *s, intptr_t i) { return s->runs.isKey[i]; }

/// An operand's element of a row.
MlirValue mloptSortElementOf(MloptSort *s, const MloptSortRow *row,
                             intptr_t i) {
  return mloptSortIsKey(s, i)
             ? mloptPullFromMemory(s->pull, row->keys[i], s->types[i])
             : mloptPullPoison(s->pull, s->types[i]);
}

/// Whether row x goes before row y. NaNs go behind all else where floats are
/// merely compared, which makes that an order.
MlirValue mloptSortGoesBefore(MloptSort *s, const MloptSortRow *x,
                              const MloptSortRow *y) {
  MloptPull *p = s->pull;
  MlirValue arguments[2 * MLOPT_PULL_MAX_CARRIED], before = {NULL};
  for (intptr_t i = 0; i < s->numOperands; ++i) {
    arguments[2 * i] = mloptSortElementOf(s, x, i);
    arguments[2 * i + 1] = mloptSortElementOf(s, y, i);
  }
  if (s->runs.order == MLOPT_ORDER_FLOATS) {
    intptr_t key = 2 * s->runs.key;
    return mloptIndexArith(
        p, "arith.andi",
        mloptBuildCmpF(s->b, "ord", arguments[key], arguments[key]),
        mloptBuildCmpF(s->b, s->runs.isDescending ? "ugt" : "ult",
                       arguments[key], arguments[key + 1]));
  }
  mloptPullBody(p, mlirRegionGetFirstBlock(mlirOperationGetRegion(s->op, 0)),
                arguments, &before);
  return before;
}

void mloptSortSelectRow(MloptSort *s, MlirValue condition,
                        const MloptSortRow *x, const MloptSortRow *y,
                        MloptSortRow *out) {
  for (intptr_t i = 0; i < s->numOperands; ++i)
    if (mloptSortIsKey(s, i))
      out->keys[i] = mloptBuildSelect(s->b, condition, x->keys[i], y->keys[i]);
  out->place = mloptBuildSelect(s->b, condition, x->place, y->place);
}

/// The slot of a row of the piece. An even number of rows for each thread would
/// make threads meet in the same banks, so every 32nd slot is left out.
static MlirValue slotOf(MloptSort *s, MlirValue row) {
  MloptPull *p = s->pull;
  row = mloptIndexAdd(p, s->base, row);
  return s->each % 2
             ? row
             : mloptIndexAdd(p, row, mloptIndexApply(p, "arith.shrui", row, 5));
}
int64_t mloptSortNumSlots(const MloptSort *s) {
  int64_t rows = s->kernel->schedule.threads * s->each + s->each;
  return rows + rows / MLOPT_SORT_WARP + 1;
}

void mloptSortLoadKeys(MloptSort *s, MlirValue row, MloptSortRow *out) {
  MlirValue slot = slotOf(s, row);
  for (intptr_t i = 0; i < s->numOperands; ++i)
    if (mloptSortIsKey(s, i))
      out->keys[i] = mloptLoadShared(s->pull, s->arrays[i], s->stored[i], slot);
}

MlirValue mloptSortLoadPlace(MloptSort *s, MlirValue row) {
  return mloptBuildUnary(
      s->b, "arith.index_castui",
      mloptLoadShared(s->pull, s->places, s->place, slotOf(s, row)),
      mlirIndexTypeGet(s->b->context));
}

void mloptSortStoreKeys(MloptSort *s, const MloptSortRow *row, MlirValue at) {
  MlirValue slot = slotOf(s, at);
  for (intptr_t i = 0; i < s->numOperands; ++i)
    if (mloptSortIsKey(s, i))
      mloptStoreShared(s->pull, s->arrays[i], row->keys[i], slot);
}

/// Stores the thread's rows behind each other.
void mloptSortStoreOwn(MloptSort *s, const MloptSortRow *rows) {
  MloptPull *p = s->pull;
  for (int64_t v = 0; v < s->each; ++v) {
    MlirValue at =
        mloptIndexAddInt(p, mloptIndexMulInt(p, s->thread, s->each), v);
    mloptSortStoreKeys(s, &rows[v], at);
    mloptStoreShared(
        p, s->places,
        mloptBuildUnary(s->b, "arith.index_castui", rows[v].place, s->place),
        slotOf(s, at));
  }
}

/// The indices of a row of the line.
void mloptSortIndicesOf(MloptSort *s, MlirValue row, MlirValue *out) {
  mloptPutIndex(s->line, mloptRank(mloptOperandType(s->op, 0)), s->runs.dim,
                row, out);
}

/// Reads the keys of a row of the line from memory.
void mloptSortPullKeys(MloptSort *s, MlirValue row, MloptSortRow *out) {
  MlirValue at[MLOPT_MAX_RANK];
  mloptSortIndicesOf(s, row, at);
  for (intptr_t i = 0; i < s->numOperands; ++i)
    if (mloptSortIsKey(s, i))
      out->keys[i] = mloptPullToMemory(
          s->pull, mloptPullElement(s->pull, mloptOperand(s->op, i), at));
}

//===----------------------------------------------------------------------===//
// Merging in shared memory
//===----------------------------------------------------------------------===//

static MlirValue findSplit(MloptSort *s, const MloptSortMerge *m, MlirValue d,
                           const MlirValue *inits) {
  MloptPull *p = s->pull;
  MlirValue range[2], next[2], out[2], ignored;
  MlirValue last = mloptPullIndex(p, s->threads * s->each - 1);
  MloptPullScope loop = mloptPullBeginFor(p, 2, inits, &ignored, range);
  MlirValue middle = mloptIndexApply(p, "arith.shrui",
                                     mloptIndexAdd(p, range[0], range[1]), 1);
  MloptSortRow a, b;
  mloptSortLoadKeys(s, mloptIndexMin(p, mloptIndexAdd(p, m->a, middle), last),
                    &a);
  MlirValue other = mloptIndexSub(p, mloptIndexAddInt(p, d, -1), middle);
  mloptSortLoadKeys(s, mloptIndexMin(p, mloptIndexAdd(p, m->b, other), last),
                    &b);
  MlirValue before = mloptSortGoesBefore(s, &b, &a);
  MlirValue isOpen = mloptIndexBelow(p, range[0], range[1]);
  next[1] = mloptBuildSelect(s->b, before, middle, range[1]);
  MlirValue low =
      mloptBuildSelect(s->b, isOpen, mloptIndexAddInt(p, middle, 1), range[0]);
  next[0] = mloptBuildSelect(s->b, before, range[0], low);
  mloptPullEndFor(p, loop, mloptPullIndex(p, 0), m->steps, mloptPullIndex(p, 1),
                  2, inits, next, out);
  return out[0];
}

/// All that may come from a among the first `d` rows.
void mloptSortOpenRange(MloptSort *s, const MloptSortMerge *m, MlirValue d,
                        MlirValue *range) {
  MloptPull *p = s->pull;
  range[0] = mloptIndexBeyond(p, d, m->numB);
  range[1] = mloptIndexMin(p, d, m->numA);
}

/// Halves the merged rows, 2^levels parts of `length` rows, until part `number`
/// is left: the rows of a before it, and before its end. Each half is looked
/// for within the last one's.
void mloptSortFindPart(MloptSort *s, const MloptSortMerge *m,
                       MloptSortFindFn find, MlirValue number, MlirValue levels,
                       int64_t length, MlirValue *out) {
  MloptPull *p = s->pull;
  MlirValue zero = mloptPullIndex(p, 0), one = mloptPullIndex(p, 1), level,
            part[3], next[3];
  MlirValue all = mloptIndexAdd(p, m->numA, m->numB),
            inits[] = {zero, m->numA, zero}, last[3];
  MloptPullScope loop = mloptPullBeginFor(p, 3, inits, &level, part);
  MlirValue half =
      mloptIndexArith(p, "arith.shli", one,
                      mloptIndexSub(p, mloptIndexAddInt(p, levels, -1), level));
  MlirValue rows = mloptIndexMulInt(p, half, length);
  MlirValue middle = mloptIndexAdd(p, part[2], rows),
            d = mloptIndexMin(p, middle, all);
  MlirValue leftB = mloptIndexSub(p, mloptIndexMin(p, part[2], all), part[0]);
  MlirValue rightB = mloptIndexSub(
      p, mloptIndexMin(p, mloptIndexAdd(p, middle, rows), all), part[1]);
  MlirValue range[] = {
      mloptIndexMax(p, part[0], mloptIndexBeyond(p, d, rightB)),
      mloptIndexMin(p, part[1], mloptIndexSub(p, d, leftB))};
  MlirValue split = find(s, m, d, range);
  MlirValue isRight = mloptBuildCmpI(
      s->b, "ne", mloptIndexArith(p, "arith.andi", number, half), zero);
  next[0] = mloptBuildSelect(s->b, isRight, split, part[0]);
  next[1] = mloptBuildSelect(s->b, isRight, part[1], split);
  next[2] = mloptBuildSelect(s->b, isRight, middle, part[2]);
  mloptPullEndFor(p, loop, zero, levels, one, 3, inits, next, last);
  out[0] = last[0];
  out[1] = last[1];
}

/// Part `number` of 2^levels of the merged rows, a thread's; they say where in
/// the piece they lie.
void mloptSortMergeRows(MloptSort *s, const MloptSortMerge *m, MlirValue number,
                        MlirValue levels, MloptSortRow *out) {
  MloptPull *p = s->pull;
  MlirValue all = mloptIndexAdd(p, m->numA, m->numB), range[2];
  MlirValue first = mloptIndexMulInt(p, number, s->each);
  MlirValue d = mloptIndexMin(p, first, all), split, numA = m->numA,
            numB = m->numB;
  if (s->runs.order == MLOPT_ORDER_UNKNOWN) {
    mloptSortFindPart(s, m, findSplit, number, levels, s->each, range);
    split = range[0];
    numA = range[1];
    numB = mloptIndexSub(
        p, mloptIndexMin(p, mloptIndexAddInt(p, first, s->each), all), numA);
  } else {
    mloptSortOpenRange(s, m, d, range);
    split = findSplit(s, m, d, range);
  }
  MlirValue a = mloptIndexAdd(p, m->a, split),
            b = mloptIndexAdd(p, m->b, mloptIndexSub(p, d, split));
  MlirValue endA = mloptIndexAdd(p, m->a, numA),
            endB = mloptIndexAdd(p, m->b, numB);
  MloptSortRow rowA, rowB;
  mloptSortLoadKeys(s, a, &rowA);
  mloptSortLoadKeys(s, b, &rowB);
  for (int64_t v = 0; v < s->each; ++v) {
    MlirValue noneA = mloptBuildCmpI(s->b, "uge", a, endA);
    MlirValue before = mloptIndexArith(p, "arith.ori", noneA,
                                       mloptSortGoesBefore(s, &rowB, &rowA));
    MlirValue takesB = mloptBothHold(p, mloptIndexBelow(p, b, endB), before);
    rowA.place = a;
    rowB.place = b;
    mloptSortSelectRow(s, takesB, &rowB, &rowA, &out[v]);
    if (v + 1 == s->each)
      break;
    MlirValue next = mloptIndexAddInt(p, out[v].place, 1);
    b = mloptBuildSelect(s->b, takesB, next, b);
    a = mloptBuildSelect(s->b, takesB, a, next);
    MloptSortRow loaded = {.place = next};
    mloptSortLoadKeys(s, next, &loaded);
    mloptSortSelectRow(s, takesB, &loaded, &rowB, &rowB);
    mloptSortSelectRow(s, takesB, &rowA, &loaded, &rowA);
  }
}
