//===- diagonal.c - Which steps of a product a mask leaves ----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "diagonal.h"

#include "contraction_impl.h"

//===----------------------------------------------------------------------===//
// Finding it
//===----------------------------------------------------------------------===//

static bool hasLoop(MlirAffineMap map, int64_t loop) {
  for (intptr_t i = 0, n = mlirAffineMapGetNumResults(map); i < n; ++i)
    if (loopOf(map, i) == loop)
      return true;
  return false;
}

/// The size of the one loop of more than one turn that an operand has and, of
/// the other one, has not (`kept`) or has, but not the sums; 0 if there are
/// several.
static int64_t sizeOfLoop(MlirOperation generic, intptr_t operand, bool kept) {
  MlirAffineMap own = mapOf(generic, operand),
                other = mapOf(generic, 1 - operand), sums = mapOf(generic, 2);
  int64_t size = 0;
  for (intptr_t i = 0, n = mlirAffineMapGetNumResults(own); i < n; ++i) {
    int64_t loop = loopOf(own, i), turns;
    if (loop < 0)
      return 0;
    if (hasLoop(other, loop) == kept || hasLoop(sums, loop) != kept ||
        (turns = mloptLoopSize(generic, loop)) == 1)
      continue;
    if (size)
      return 0;
    size = turns;
  }
  return size;
}

MloptDiagonal mloptFindDiagonal(MlirOperation generic, intptr_t operandOfM) {
  enum { FACTOR, KEPT, DEPTH, IS_FROM, OFFSET, COUNT };
  const MloptDiagonal none = {.isKnown = false};
  MlirBlock body = bodyOf(generic);
  MlirOperation add =
      mloptDefiningOp(mloptOperand(mlirBlockGetTerminator(body), 0));
  MlirAttribute zeros = mloptAttr(add, "mlopt.zeros");
  int64_t values[COUNT];
  if (mlirAttributeIsNull(zeros) ||
      mlirDenseArrayGetNumElements(zeros) != COUNT ||
      !mlirAttributeIsNull(mloptAttr(add, "mlopt.ordered")))
    return none;
  mloptI64ArrayGet(zeros, values);
  // The multiplication has the factors in the order of the dot.
  int other =
      mlirValueEqual(mloptOperand(add, 0), mlirBlockGetArgument(body, 2));
  MlirValue factor = mloptOperand(mloptDefiningOp(mloptOperand(add, other)),
                                  values[FACTOR] != 0);
  while (mlirValueIsAOpResult(factor))
    factor = mloptOperand(mloptDefiningOp(factor), 0);
  intptr_t operand = mlirBlockArgumentGetArgNumber(factor);
  if (sizeOfLoop(generic, operand, true) != values[KEPT] ||
      sizeOfLoop(generic, operand, false) != values[DEPTH])
    return none;
  return (MloptDiagonal){true, values[IS_FROM] != 0,
                         operand == operandOfM ? MLOPT_AXIS_M : MLOPT_AXIS_N,
                         values[OFFSET], operand};
}

//===----------------------------------------------------------------------===//
// Using it
//===----------------------------------------------------------------------===//

void mloptDiagonalNarrow(MloptNv *nv, const MloptDiagonal *d, MlirValue start,
                         int64_t rows, int64_t depth, MlirValue *first,
                         MlirValue *end) {
  MlirValue zero = mloptNvInt(nv, 0), k;
  if (!d->isKnown)
    return;
  if (d->isFrom) {
    k = mloptNvAddInt(nv, start, d->offset);
    k = mloptNvArith(nv, "arith.maxsi", k, zero);
    *first =
        mloptNvArith(nv, "arith.maxsi", *first, mloptNvDivInt(nv, k, depth));
    return;
  }
  // Behind the last row's last k.
  k = mloptNvAddInt(nv, start, rows + d->offset + depth - 1);
  k = mloptNvArith(nv, "arith.maxsi", k, zero);
  *end = mloptNvMin(nv, *end, mloptNvDivInt(nv, k, depth));
}
