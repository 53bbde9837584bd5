//===- split_sorts.c - Sorts of long lines become several -----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block sorts as many rows as shared memory holds. Longer lines are sorted in
// runs of so many, which are then merged, two and two, a kernel for each
// doubling.
//
//   %r = mlopt.fusion (%a = %x : tensor<16384xf32>) -> ... {
//     %s = mlopt.sort %a dim 0
//     mlopt.yield %s
//   }
// becomes
//   %p = mlopt.fusion (%a = %x : ..) { mlopt.sort %a dim 0 to 4096 }
//   %q = mlopt.fusion (%a = %p : ..) { mlopt.sort %a dim 0 from 4096 to 8192 }
//   %r = mlopt.fusion (%a = %q : ..) { mlopt.sort %a dim 0 from 8192 }
//
// The first computes what is sorted, the last all that follows. Operands that
// the comparator does not read stay where they are, where they are wider than a
// row's number, which is sorted in their place.
//
//===----------------------------------------------------------------------===//

#include "split_sorts.h"
#include "target.h"
#include "to_linalg.h"

/// Takes what a program says of counts from its sort, for rows would go
/// anywhere if it were wrong.
static void forgetCounts(MlirOperation sort) {
  MlirValue operands[MLOPT_SORT_MAX_OPERANDS];
  intptr_t n = mlirOperationGetNumResults(sort);
  if (!mlirOperationRemoveAttributeByName(sort, mloptStr("counted")))
    return;
  for (intptr_t i = 0; i < n; ++i)
    operands[i] = mloptOperand(sort, i);
  mlirOperationSetOperands(sort, n, operands);
}

/// The one sort of a fusion; null if there is another number of them.
static MlirOperation findSort(MlirOperation fusion) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(fusion, 0));
  MlirOperation sort = {NULL};
  intptr_t numSorts = 0, numOps = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(body);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op), ++numOps)
    if (mloptIsNamed(op, "mlopt.sort")) {
      forgetCounts(op);
      sort = op;
      ++numSorts;
    }
  return numSorts == 1 && numOps <= MLOPT_MAX_PIECE_VALUES / 4
             ? sort
             : (MlirOperation){NULL};
}

//===----------------------------------------------------------------------===//
// Numbers of rows
//===----------------------------------------------------------------------===//

/// Whether what the comparator does not read is wider than a number.
static bool isWide(MlirOperation sort, const MloptSortRuns *runs) {
  enum { NUMBER_BITS = 32 };
  int64_t bits = 0;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(sort); i < n; ++i)
    if (!runs->isKey[i])
      bits += mloptElementWidth(mloptElementType(mloptOperandType(sort, i)));
  return bits > NUMBER_BITS && runs->size <= INT32_MAX;
}

/// Each row's number along the line.
static MlirValue buildNumbers(MloptBuilder *b, MlirType type, int64_t dim) {
  MloptGeneric g = {.numLoops = mloptRank(type)};
  mloptAddOutput(&g, mloptBuildEmpty(b, type),
                 mloptIdentityMap(b->context, g.numLoops));
  mloptBeginGeneric(b, &g);
  MlirValue number = mloptBuildUnary(&g.body, "arith.index_castui",
                                     mloptBuildLoopIndex(&g.body, dim),
                                     mloptElementType(type));
  return mloptEndGenericValue(b, &g, number);
}

/// The rows of `x` in the order of the numbers.
static MlirValue buildReordered(MloptBuilder *b, MlirValue x, MlirValue numbers,
                                int64_t dim) {
  if (b->failed)
    return x;
  MlirType type = mlirValueGetType(x);
  MloptGeneric g = {.numLoops = mloptRank(type)};
  mloptAddInput(&g, numbers, mloptIdentityMap(b->context, g.numLoops));
  mloptAddOutput(&g, mloptBuildEmpty(b, type),
                 mloptIdentityMap(b->context, g.numLoops));
  mloptBeginGeneric(b, &g);
  MlirValue at[MLOPT_MAX_RANK];
  for (intptr_t i = 0; i < g.numLoops; ++i)
    at[i] = i == dim ? mloptBuildToIndex(&g.body, mloptGenericArg(&g, 0), true)
                     : mloptBuildLoopIndex(&g.body, i);
  return mloptEndGenericValue(b, &g,
                              mloptBuildExtract(&g.body, x, g.numLoops, at));
}

/// Moves a comparator into a block that has arguments for keys alone.
static void moveComparator(MlirOperation sort, const MloptSortRuns *runs,
                           MlirBlock to) {
  MlirBlock from = mlirRegionGetFirstBlock(mlirOperationGetRegion(sort, 0));
  intptr_t next = 0;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(sort); i < n; ++i)
    for (intptr_t k = 0; runs->isKey[i] && k < 2; ++k)
      mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(from, 2 * i + k),
                                    mlirBlockGetArgument(to, next++));
  MlirOperation op = mlirBlockGetFirstOperation(from);
  while (!mlirOperationIsNull(op)) {
    MlirOperation following = mlirOperationGetNextInBlock(op);
    mlirOperationRemoveFromParent(op);
    mlirBlockAppendOwnedOperation(to, op);
    op = following;
  }
}

/// Sorts the keys and the rows' numbers in place of all operands; the new sort.
static MlirOperation numberRows(MlirOperation sort, const MloptSortRuns *runs) {
  MloptBuilder builder =
                   mloptBuilderBefore(sort, mlirOperationGetLocation(sort)),
               *b = &builder;
  MlirType line = mloptWithElementType(mloptOperandType(sort, 0),
                                       mlirIntegerTypeGet(b->context, 32));
  MlirValue operands[MLOPT_SORT_MAX_OPERANDS + 1];
  MlirType types[MLOPT_SORT_MAX_OPERANDS + 1];
  MlirType elements[2 * MLOPT_SORT_MAX_OPERANDS + 2];
  intptr_t n = mlirOperationGetNumOperands(sort), numKeys = 0;
  for (intptr_t i = 0; i < n; ++i)
    if (runs->isKey[i])
      operands[numKeys++] = mloptOperand(sort, i);
  operands[numKeys] = buildNumbers(b, line, runs->dim);
  for (intptr_t i = 0; i <= numKeys && !b->failed; ++i) {
    types[i] = mlirValueGetType(operands[i]);
    elements[2 * i] = elements[2 * i + 1] = mloptElementType(types[i]);
  }
  MlirBlock block;
  MlirRegion region = mloptCreateRegion(b, 2 * numKeys + 2, elements, &block);
  moveComparator(sort, runs, block);
  MlirNamedAttribute attrs[3] = {
      mloptNamedAttr(b->context, "dim", mloptAttr(sort, "dim")),
      mloptNamedAttr(b->context, "num_keys", mloptI64Attr(b->context, 1))};
  intptr_t numAttrs = 2;
  if (!mlirAttributeIsNull(mloptAttr(sort, "weak_order")))
    attrs[numAttrs++] =
        mloptNamedAttr(b->context, "weak_order", mloptAttr(sort, "weak_order"));
  MlirOperation numbered =
      mloptBuildOp(b, (MloptOpSpec){.name = "mlopt.sort",
                                    .numOperands = numKeys + 1,
                                    .operands = operands,
                                    .numResults = numKeys + 1,
                                    .results = types,
                                    .numAttrs = numAttrs,
                                    .attrs = attrs,
                                    .numRegions = 1,
                                    .regions = &region});
  intptr_t key = 0;
  for (intptr_t i = 0; i < n && !b->failed; ++i) {
    MlirValue old = mloptResult(sort, i);
    if (runs->isKey[i])
      mlirValueReplaceAllUsesOfWith(old, mloptResult(numbered, key++));
    else if (!mlirOpOperandIsNull(mlirValueGetFirstUse(old)))
      mlirValueReplaceAllUsesOfWith(
          old, buildReordered(b, mloptOperand(sort, i),
                              mloptResult(numbered, numKeys), runs->dim));
  }
  mlirOperationDestroy(sort);
  return b->failed ? (MlirOperation){NULL} : numbered;
}

//===----------------------------------------------------------------------===//
// One of the fusions
//===----------------------------------------------------------------------===//

MlirValue mloptSortedOperand(MloptPiece *p, MlirOperation sort,
                             MlirOperation before, intptr_t i) {
  return mlirOperationIsNull(before)
             ? mloptPieceNeed(p, mloptOperand(sort, i))
             : mloptPieceOperand(p, mloptResult(before, i));
}

MlirOperation mloptEndSorted(MloptPiece *p, MlirOperation sort,
                             MlirOperation sorted, bool isLast) {
  intptr_t n = mlirOperationGetNumResults(sort);
  for (intptr_t i = 0; i < n && !p->b.failed; ++i) {
    if (isLast)
      mloptPieceBind(p, mloptResult(sort, i), mloptResult(sorted, i));
    else
      mloptPieceYield(p, mloptResult(sorted, i));
  }
  MlirOperation yield = mlirBlockGetTerminator(
      mlirRegionGetFirstBlock(mlirOperationGetRegion(p->source, 0)));
  n = mlirOperationGetNumOperands(yield);
  for (intptr_t i = 0; isLast && i < n; ++i)
    mloptPieceYield(p, mloptPieceNeed(p, mloptOperand(yield, i)));
  return mloptEndPiece(p);
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// The sort of other operands, from runs of `from` rows to runs of `to`; 0
/// where the one says nothing, or nothing more.
static MlirOperation sortRuns(MloptPiece *p, MlirOperation sort,
                              const MlirValue *operands, int64_t from,
                              int64_t to) {
  MlirOperation copy = mloptPieceClone(p, sort, operands);
  if (mlirOperationIsNull(copy))
    return copy;
  if (from)
    mlirOperationSetAttributeByName(copy, mloptStr("from"),
                                    mloptI64Attr(p->b.context, from));
  if (to)
    mlirOperationSetAttributeByName(copy, mloptStr("to"),
                                    mloptI64Attr(p->b.context, to));
  return copy;
}

/// Sorts what the fusion sorts, or runs of it.
static MlirOperation buildRuns(MlirOperation fusion, MlirOperation sort,
                               MlirOperation before, int64_t from, int64_t to) {
  MloptPiece p;
  mloptBeginPiece(&p, fusion);
  MlirValue operands[MLOPT_SORT_MAX_OPERANDS];
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(sort); i < n; ++i)
    operands[i] = mloptSortedOperand(&p, sort, before, i);
  bool isFirst = mlirOperationIsNull(before);
  MlirOperation runs = sortRuns(&p, sort, operands, isFirst ? 0 : from, to);
  return mloptEndSorted(&p, sort, runs, !to);
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

/// What kernels take, in microseconds, was measured on an H200 with one line of
/// 2^14 to 2^24 keys of 8 to 64 bits and numbers of 32, both ways, the L2
/// empty: these are within a quarter of it. Of a kernel that sorts or merges
/// runs, what it takes at least, and what besides moving bytes, at a part of
/// the memory's rate; sorting runs takes longer than a merge by some. Of the
/// three for a digit the same. Keys of 64 bits are so merged up to 2^21 rows
/// (257 us, not 285), of 32 bits up to 2^14 (24), and narrower ones not
/// at all: 2^20 rows of 8, 16 and 32 bits in 16, 31 and 61 us, not 74, 83
/// and 81.
static const struct {
  double least, besides, rate, first, digit, digitRate;
} costs = {
    .least = 4.4,
    .besides = 2,
    .rate = 0.52,
    .first = 15,
    .digit = 7,
    .digitRate = 0.55,
};

/// Of one kernel that moves so many rows' bytes to memory and from it.
static double runsTime(double bytes) {
  double time =
      costs.besides + bytes / (costs.rate * (double)mloptSm90.memoryBytes);
  return time > costs.least ? time : costs.least;
}

static int64_t bytesOf(MlirType type) {
  unsigned bits = mloptElementWidth(mloptElementType(type));
  return bits < 8 ? 1 : bits / 8;
}

/// Whether sorting by digits takes less time than merging runs of so many rows.
static bool countsDigits(MlirOperation sort, int64_t run, MloptSortKey *key) {
  MlirType type = mloptOperandType(sort, 0);
  int64_t dim = mlirIntegerAttrGetValueInt(mloptAttr(sort, "dim"));
  int64_t rows = mloptNumElements(type), bytes = 0, kernels = 1;
  bool isWhole = true; // no two share a byte
  if (dim != mloptRank(type) - 1 || rows > INT32_MAX ||
      mloptRank(type) + 1 > MLOPT_MAX_RANK || !mloptReadSortKey(sort, key))
    return false;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(sort); i < n; ++i) {
    MlirType operand = mloptOperandType(sort, i);
    isWhole &= mloptElementWidth(mloptElementType(operand)) != 4;
    bytes += 2 * bytesOf(operand) * rows;
  }
  for (; run < mloptDim(type, dim); run *= 2)
    ++kernels;
  double runs = costs.first + (double)kernels * runsTime((double)bytes);
  bytes += bytesOf(mloptOperandType(sort, key->operand)) * rows;
  double digits =
      (double)mloptSortDigits(key) *
      (costs.digit +
       (double)bytes / (costs.digitRate * (double)mloptSm90.memoryBytes));
  return isWhole && digits < runs;
}

/// Sorts runs, then merges them two and two; the last of the fusions.
static MlirOperation splitRuns(MlirOperation fusion, MlirOperation sort,
                               int64_t size, int64_t run) {
  MlirOperation before = buildRuns(fusion, sort, (MlirOperation){NULL}, 0, run);
  for (; !mlirOperationIsNull(before) && run < size; run *= 2)
    before = buildRuns(fusion, sort, before, run, 2 * run < size ? 2 * run : 0);
  return before;
}

bool mloptSplitSort(MlirOperation fusion, bool *outFailed) {
  MlirOperation sort = findSort(fusion);
  *outFailed = false;
  if (mlirOperationIsNull(sort) ||
      mlirOperationGetNumOperands(sort) > MLOPT_SORT_MAX_OPERANDS ||
      !mlirAttributeIsNull(mloptAttr(sort, "from")) ||
      !mlirAttributeIsNull(mloptAttr(sort, "to")))
    return false;
  int64_t size = mloptDim(mloptOperandType(sort, 0),
                          mlirIntegerAttrGetValueInt(mloptAttr(sort, "dim")));
  int64_t run = mloptSortMostRows(sort);
  if (!run || run >= size)
    return false;
  MloptSortRuns runs;
  MloptSortKey key;
  mloptReadSortRuns(sort, &runs);
  if (runs.numKeys && isWide(sort, &runs))
    sort = numberRows(sort, &runs);
  *outFailed = mlirOperationIsNull(sort);
  if (*outFailed)
    return false;
  MlirOperation last = countsDigits(sort, run, &key)
                           ? mloptSplitDigits(fusion, sort, &key)
                           : splitRuns(fusion, sort, size, run);
  *outFailed = mlirOperationIsNull(last);
  if (*outFailed)
    return false;
  mloptReplaceSplit(fusion, last);
  return true;
}
