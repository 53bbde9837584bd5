//===- to_linalg_sort.c - The order of a sort -----------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sort by keys becomes a sort by a comparator: row a goes before row b when
// its first key that differs does.
//
//===----------------------------------------------------------------------===//

#include "to_linalg.h"

/// A float's bits as a signed integer that orders floats totally: below zero,
/// the magnitude counts down.
static MlirValue orderedBits(MloptBuilder *b, MlirValue x) {
  MlirValue bits = mloptBuildToBits(b, x);
  MlirType type = mlirValueGetType(bits);
  unsigned width = mloptElementWidth(type);
  MlirValue magnitude =
      mloptBuildInt(b, type, (int64_t) ~(UINT64_MAX << (width - 1)));
  MlirValue isNegative =
      mloptBuildCmpI(b, "slt", bits, mloptBuildInt(b, type, 0));
  return mloptBuildSelect(
      b, isNegative, mloptBuildBinary(b, "arith.xori", bits, magnitude), bits);
}

/// Whether key x is less than key y.
static MlirValue isLess(MlirOperation sort, MloptBuilder *b, MlirValue x,
                        MlirValue y) {
  MlirType type = mlirValueGetType(x);
  if (!mloptIsFloatElement(type)) {
    bool isUnsigned = mloptHasAttr(sort, "unsigned_keys") || mloptIsI1(type);
    return mloptBuildCmpI(b, isUnsigned ? "ult" : "slt", x, y);
  }
  if (mloptHasAttr(sort, "total_order"))
    return mloptBuildCmpI(b, "slt", orderedBits(b, x), orderedBits(b, y));
  // NaN is greater than all else.
  MlirValue number = mloptBuildCmpF(b, "ord", x, x);
  MlirValue lessOrNaN = mloptBuildCmpF(b, "ult", x, y);
  return mloptBuildBinary(b, "arith.andi", number, lessOrNaN);
}

/// before(k) = less(k) or not greater(k) and before(k + 1)
static MlirRegion keysBody(MloptLowering *l) {
  MlirType types[MLOPT_MAX_GENERIC_OPERANDS];
  for (intptr_t i = 0; i < l->numOperands; ++i)
    types[2 * i] = types[2 * i + 1] =
        mloptElementType(mloptOperandType(l->op, i));
  MlirBlock block;
  MlirRegion region =
      mloptCreateRegion(&l->b, 2 * l->numOperands, types, &block);
  MloptBuilder body = mloptBuilderAtEnd(block, l->b.location), *b = &body;
  bool descending = mloptHasAttr(l->op, "descending");
  int64_t numKeys = mloptGetInt(l->op, "num_keys");
  MlirValue before = {NULL};
  for (int64_t k = numKeys; k-- > 0;) {
    MlirValue x = mlirBlockGetArgument(block, 2 * k + descending);
    MlirValue y = mlirBlockGetArgument(block, 2 * k + !descending);
    MlirValue less = isLess(l->op, b, x, y);
    if (k == numKeys - 1) {
      before = less;
      continue;
    }
    MlirValue no = mloptBuildInt(b, mlirIntegerTypeGet(b->context, 1), 0);
    MlirValue rest = mloptBuildSelect(b, isLess(l->op, b, y, x), no, before);
    before = mloptBuildBinary(b, "arith.ori", less, rest);
  }
  mloptBuildOp(b, (MloptOpSpec){.name = mloptOp_yield.name,
                                .numOperands = 1,
                                .operands = &before});
  l->b.failed |= body.failed;
  return region;
}

void mloptLowerSort(MloptLowering *l, MlirValue *results) {
  MlirType types[MLOPT_MAX_GENERIC_OPERANDS];
  for (intptr_t i = 0; i < l->numOperands; ++i)
    types[i] = mloptResultType(l->op, i);
  static const char *const drop[] = {"num_keys", "descending", "unsigned_keys",
                                     "total_order", NULL};
  MlirOperation op = mloptRebuildWithBody(
      l, l->numOperands, l->operands, l->numOperands, types, keysBody(l), drop);
  if (!mlirOperationIsNull(op))
    mlirOperationSetAttributeByName(op, mloptStr("weak_order"),
                                    mlirUnitAttrGet(l->b.context));
  for (intptr_t i = 0; i < l->numOperands && !mlirOperationIsNull(op); ++i)
    results[i] = mloptResult(op, i);
}
