//===- match.c - Looking at IR in folds and patterns ----------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "match.h"

#include "dialect.h"
#include "fold.h"

MlirOperation mloptDefinedBy(MlirValue value, const MloptOpDef *def,
                             MlirOperation user) {
  MlirOperation op = mloptDefiningOp(value);
  if (mlirOperationIsNull(op) || !mloptIsA(op, def) ||
      mlirOperationEqual(op, user))
    return (MlirOperation){NULL};
  return op;
}

MlirAttribute mloptConstantOf(MlirValue value) {
  MlirOperation op = mloptDefiningOp(value);
  if (mlirOperationIsNull(op) ||
      (!mloptIsA(op, &mloptOp_constant) && !mloptIsNamed(op, "arith.constant")))
    return mlirAttributeGetNull();
  return mloptAttr(op, "value");
}

int64_t mloptReadIndices(MlirAttribute attr, bool isUnsigned, int64_t max,
                         int64_t *out) {
  MloptElements in;
  if (!mloptReadElements(attr, &in) || in.count > max)
    return -1;
  for (int64_t i = 0; i < in.count; ++i) {
    uint64_t bits = mloptElementAt(&in, i);
    if (isUnsigned)
      out[i] = bits > INT64_MAX ? INT64_MAX : (int64_t)bits;
    else
      out[i] = mloptNumberToInt(in.element, bits);
  }
  return in.count;
}

bool mloptIsEmpty(MlirType type) {
  if (!mloptIsStatic(type))
    return false;
  for (intptr_t i = 0, rank = mloptRank(type); i < rank; ++i)
    if (mloptDim(type, i) == 0)
      return true;
  return false;
}

void mloptSetInts(MlirOperation op, const char *name, const MloptInts *ints) {
  mlirOperationSetInherentAttributeByName(
      op, mloptStr(name),
      mloptI64Array(mlirOperationGetContext(op), ints->count, ints->at));
}

MlirLogicalResult mloptFoldToOperand(MlirOperation op, intptr_t i,
                                     MloptFoldResult *results) {
  return mloptFoldResultTo(op, 0, mloptOperand(op, i), results);
}

MlirLogicalResult mloptFoldResultTo(MlirOperation op, intptr_t i,
                                    MlirValue value, MloptFoldResult *results) {
  if (!mlirTypeEqual(mlirValueGetType(value), mloptResultType(op, i)))
    return mloptFailure();
  results[i].value = value;
  return mloptSuccess();
}

void mloptAddPattern(MlirRewritePatternSet set, MlirContext context,
                     const MloptOpDef *def, MloptRewriteFn rewrite) {
  MlirRewritePatternCallbacks callbacks = {.matchAndRewrite = rewrite};
  mlirRewritePatternSetAdd(
      set, mlirOpRewritePatternCreate(mloptStr(def->name), 1, context,
                                      callbacks, NULL, 0, NULL));
}
