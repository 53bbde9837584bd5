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
// The first computes what is sorted, the last all that follows.
//
//===----------------------------------------------------------------------===//

#include "split_cut.h"

/// The one sort of a fusion; null if there is another number of them.
static MlirOperation findSort(MlirOperation fusion) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(fusion, 0));
  MlirOperation sort = {NULL};
  intptr_t numSorts = 0, numOps = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(body);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op), ++numOps)
    if (mloptIsNamed(op, "mlopt.sort")) {
      sort = op;
      ++numSorts;
    }
  return numSorts == 1 && numOps <= MLOPT_MAX_PIECE_VALUES / 4
             ? sort
             : (MlirOperation){NULL};
}

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
  intptr_t n = mlirOperationGetNumOperands(sort);
  bool isFirst = mlirOperationIsNull(before);
  for (intptr_t i = 0; i < n; ++i)
    operands[i] = isFirst ? mloptPieceNeed(&p, mloptOperand(sort, i))
                          : mloptPieceOperand(&p, mloptResult(before, i));
  MlirOperation runs = sortRuns(&p, sort, operands, isFirst ? 0 : from, to);
  for (intptr_t i = 0; i < n && !p.b.failed; ++i) {
    if (to)
      mloptPieceYield(&p, mloptResult(runs, i));
    else
      mloptPieceBind(&p, mloptResult(sort, i), mloptResult(runs, i));
  }
  MlirOperation yield = mlirBlockGetTerminator(
      mlirRegionGetFirstBlock(mlirOperationGetRegion(fusion, 0)));
  for (intptr_t i = 0, m = mlirOperationGetNumOperands(yield); !to && i < m;
       ++i)
    mloptPieceYield(&p, mloptPieceNeed(&p, mloptOperand(yield, i)));
  return mloptEndPiece(&p);
}

bool mloptSplitSort(MlirOperation fusion, bool *outFailed) {
  MlirOperation sort = findSort(fusion), before = {NULL};
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
  before = buildRuns(fusion, sort, before, 0, run);
  for (; !mlirOperationIsNull(before) && run < size; run *= 2)
    before = buildRuns(fusion, sort, before, run, 2 * run < size ? 2 * run : 0);
  *outFailed = mlirOperationIsNull(before);
  if (*outFailed)
    return false;
  for (intptr_t i = 0, n = mlirOperationGetNumResults(fusion); i < n; ++i)
    mlirValueReplaceAllUsesOfWith(mloptResult(fusion, i),
                                  mloptResult(before, i));
  mlirOperationDestroy(fusion);
  return true;
}
