//===- traffic.c - What kernels made after fusion cost --------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "traffic.h"

#include <stdlib.h>

static MlirWalkResult count(MlirOperation op, void *userData) {
  MloptFuseTotals *totals = userData;
  if (!mloptIsA(op, &mloptOp_fusion))
    return MlirWalkResultAdvance;
  ++totals->kernels;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    totals->bytes += mloptFuseBytesOf(mloptOperandType(op, i));
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i)
    totals->bytes += mloptFuseBytesOf(mloptResultType(op, i));
  return MlirWalkResultSkip;
}

MloptFuseTotals mloptCountFusions(MlirOperation func) {
  MloptFuseTotals totals = {0};
  mlirOperationWalk(func, count, &totals, MlirWalkPreOrder);
  return totals;
}

/// The operation behind the views of a value; null for an argument.
static MlirOperation producerOf(MlirValue value) {
  while (mlirValueIsAOpResult(value)) {
    MlirOperation op = mlirOpResultGetOwner(value);
    if (!mloptIsNamed(op, "tensor.expand_shape") &&
        !mloptIsNamed(op, "tensor.collapse_shape"))
      return op;
    value = mloptOperand(op, 0);
  }
  return (MlirOperation){NULL};
}

static MlirWalkResult explain(MlirOperation op, void *userData) {
  const MloptFuseReason *reason = userData;
  if (!mloptIsA(op, &mloptOp_fusion))
    return MlirWalkResultAdvance;
  intptr_t n = mlirOperationGetNumOperands(op), numEntries = 0;
  MlirAttribute *entries = calloc((size_t)n + 1, sizeof *entries);
  bool has = !entries || !mlirAttributeIsNull(mloptAttr(op, "mlopt.ledger"));
  for (intptr_t i = 0; !has && i < n; ++i) {
    MlirOperation producer = producerOf(mloptOperand(op, i));
    if (!mlirOperationIsNull(producer) && mloptIsA(producer, &mloptOp_fusion))
      entries[numEntries++] =
          mloptFuseLedgerEntry(mlirOperationGetContext(op), i, *reason,
                               2 * mloptFuseBytesOf(mloptOperandType(op, i)));
  }
  if (numEntries)
    mlirOperationSetDiscardableAttributeByName(
        op, mloptStr("mlopt.ledger"),
        mlirArrayAttrGet(mlirOperationGetContext(op), numEntries, entries));
  free(entries);
  return MlirWalkResultSkip;
}

void mloptAddTraffic(MlirOperation func, MloptFuseTotals before,
                     MloptFuseReason reason) {
  MlirAttribute traffic = mloptAttr(func, "mlopt.traffic");
  MloptFuseTotals after = mloptCountFusions(func);
  if (mlirAttributeIsNull(traffic) || after.kernels == before.kernels)
    return;
  mlirOperationWalk(func, explain, &reason, MlirWalkPreOrder);
  after.kernels +=
      mlirIntegerAttrGetValueInt(mloptDictGet(traffic, "kernels")) -
      before.kernels;
  after.bytes +=
      mlirIntegerAttrGetValueInt(mloptDictGet(traffic, "hbm_bytes")) -
      before.bytes;
  MlirContext c = mlirOperationGetContext(func);
  MlirNamedAttribute entries[] = {
      mloptNamedAttr(c, "kernels", mloptI64Attr(c, after.kernels)),
      mloptNamedAttr(c, "hbm_bytes", mloptI64Attr(c, after.bytes)),
      mloptNamedAttr(c, "least_bytes", mloptDictGet(traffic, "least_bytes"))};
  mlirOperationSetDiscardableAttributeByName(
      func, mloptStr("mlopt.traffic"),
      mlirDictionaryAttrGet(c, MLOPT_COUNT(entries), entries));
}
