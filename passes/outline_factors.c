//===- outline_factors.c - Factors as parameters of their own -------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel may read the factors of a product through tensor maps, which code
// around the product cannot. So where that code reads a factor too, or both
// factors are one, the fusion takes the tensor twice; products may share it:
//
//   fusion (%a = %x, %b = %w) { contract(%a, %b); ... + %a }
// becomes
//   fusion (%a = %x, %b = %w, %c = %x) { contract(%c, %b); ... + %a }
//
//===----------------------------------------------------------------------===//

#include "outline_impl.h"

#include "contraction.h"
#include "product_access.h"

#include <stdlib.h>

/// Whether anything reads a value but products, as their factor `side`.
static bool isReadOtherwise(MlirValue value, intptr_t side) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (mlirOpOperandGetOperandNumber(use) != side ||
        !mloptIsProduct(mlirOpOperandGetOwner(use)))
      return true;
  return false;
}

static bool hasOneUse(MlirValue value) {
  return mlirOpOperandIsNull(
      mlirOpOperandGetNextUse(mlirValueGetFirstUse(value)));
}

/// The argument of the body behind what moves factor `side`; -1 if it is
/// something else, or nothing but products reads it there.
static intptr_t sharedArgument(MlirValue value, intptr_t side) {
  bool shared = isReadOtherwise(value, side);
  while (mlirValueIsAOpResult(value) &&
         mloptMovesElements(mlirOpResultGetOwner(value))) {
    value = mloptOperand(mlirOpResultGetOwner(value), 0);
    shared |= !hasOneUse(value);
  }
  return shared && mlirValueIsABlockArgument(value)
             ? mlirBlockArgumentGetArgNumber(value)
             : -1;
}

/// Copies the moves between an argument and their last result.
static MlirValue copyMoves(MlirValue value, MlirValue argument) {
  if (mlirValueIsABlockArgument(value))
    return argument;
  MlirOperation move = mlirOpResultGetOwner(value);
  MlirValue source = copyMoves(mloptOperand(move, 0), argument);
  MlirOperation copy = mlirOperationClone(move);
  mlirOperationSetOperand(copy, 0, source);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(move), move, copy);
  return mloptResult(copy, 0);
}

/// Erases moves from the last one on that nothing reads any more.
static void eraseMoves(MlirValue value) {
  while (mlirValueIsAOpResult(value) &&
         mlirOpOperandIsNull(mlirValueGetFirstUse(value))) {
    MlirOperation move = mlirOpResultGetOwner(value);
    value = mloptOperand(move, 0);
    mlirOperationDestroy(move);
  }
}

/// Gives an operand of the body's operation an argument of its own.
static bool split(MlirOperation fusion, MlirOperation op, intptr_t operand,
                  intptr_t argument) {
  MlirBlock body = mlirOperationGetBlock(op);
  intptr_t n = mlirOperationGetNumOperands(fusion);
  MlirValue *operands = malloc((size_t)(n + 1) * sizeof *operands);
  if (!operands)
    return false;
  for (intptr_t i = 0; i < n; ++i)
    operands[i] = mloptOperand(fusion, i);
  operands[n] = operands[argument];
  mlirOperationSetOperands(fusion, n + 1, operands);
  free(operands);
  MlirValue added =
      mlirBlockAddArgument(body, mlirValueGetType(mloptOperand(fusion, n)),
                           mlirOperationGetLocation(fusion));
  MlirValue moved = mloptOperand(op, operand);
  mlirOperationSetOperand(op, operand, copyMoves(moved, added));
  eraseMoves(moved);
  return true;
}

bool mloptOutlineSplitFactors(MlirOperation fusion) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(fusion, 0));
  for (MlirOperation op = mlirBlockGetFirstOperation(body);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!mloptIsProduct(op))
      continue;
    for (intptr_t i = 0; i < 2; ++i) {
      intptr_t argument = sharedArgument(mloptOperand(op, i), i);
      if (argument >= 0 && !split(fusion, op, i, argument))
        return false;
    }
  }
  return true;
}
