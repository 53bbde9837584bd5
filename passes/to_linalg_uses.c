//===- to_linalg_uses.c - What uses show of an error ----------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How exact an operation has to be that is computed in f32, by what becomes of
// its result in the same kernel:
//
//   %e = mlopt.exp %d : tensor<4x8xf32>
//   %q = mlopt.div %e, %sum : tensor<4x8xf32>
//   %y = mlopt.convert %q : tensor<4x8xf32> -> tensor<4x8xbf16>
//
// Products and quotients hand a relative error on, and the rounding to bf16
// hides one far smaller than its own.
//
//===----------------------------------------------------------------------===//

#include "to_linalg.h"

#include "fold.h"
#include "number.h"

#include <math.h>

/// Whether an operation adds a constant of magnitude 1 or more to operand `i`.
static bool addsToOnes(MlirOperation sum, unsigned i) {
  uint64_t bits = 0;
  if (!mloptIsNamed(sum, mloptOp_add.name))
    return false;
  MlirValue other = mloptOperand(sum, i ? 0 : 1);
  return mlirValueIsAOpResult(other) &&
         mloptIsNamed(mlirOpResultGetOwner(other), mloptOp_constant.name) &&
         mloptReadSplat(mloptAttr(mlirOpResultGetOwner(other), "value"),
                        &bits) &&
         fabs(mloptNumberAsDouble(MLOPT_F32, bits)) >= 1;
}

bool mloptIsAddedToOnes(MlirOperation op) {
  MlirOpOperand use = mlirValueGetFirstUse(mloptResult(op, 0));
  bool added = mlirTypeIsAF32(mloptElementType(mloptResultType(op, 0))) &&
               !mlirOpOperandIsNull(use);
  for (; added && !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    added = addsToOnes(mlirOpOperandGetOwner(use),
                       mlirOpOperandGetOperandNumber(use));
  return added;
}

/// Whether an operation multiplies or divides.
static bool isProduct(MlirOperation op) {
  return mloptIsA(op, &mloptOp_mul) || mloptIsA(op, &mloptOp_div);
}

/// Whether an operation moves elements and does nothing to them.
static bool isMove(MlirOperation op) {
  return mloptIsA(op, &mloptOp_broadcast) || mloptIsA(op, &mloptOp_reshape) ||
         mloptIsA(op, &mloptOp_transpose);
}

static bool isSum(MlirOperation op) {
  return mloptIsA(op, &mloptOp_reduce) && mloptGetKind(op) == MLOPT_KIND_ADD &&
         mlirOperationGetNumOperands(op) == 1;
}

/// What may become of a value before it is rounded: the errors of its factors
/// add up. `isPositive`: sums of it may be among that.
typedef struct Allowance {
  int products, operations;
  bool isPositive;
} Allowance;

/// Whether all uses of a value lead to roundings, within what is allowed.
static bool isRounded(MlirValue value, Allowance left) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  bool rounded = left.operations-- > 0 && !mlirOpOperandIsNull(use);
  for (; rounded && !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (mlirOperationGetNumResults(op) != 1)
      return false;
    MlirType type = mloptElementType(mloptResultType(op, 0));
    if (mloptIsA(op, &mloptOp_convert)) {
      rounded = mloptIsFloatElement(type) && mloptElementWidth(type) < 32;
      continue;
    }
    Allowance then = left;
    if (isProduct(op))
      rounded = then.products-- > 0;
    else
      rounded = isMove(op) || (isSum(op) && left.isPositive);
    then.isPositive &= !isProduct(op);
    rounded = rounded && isRounded(mloptResult(op, 0), then);
  }
  return rounded;
}

bool mloptIsNarrowed(MlirOperation op) {
  MlirType type = mloptElementType(mloptResultType(op, 0));
  if (mloptElementWidth(type) < 32)
    return true;
  // A softmax takes a sum, a broadcast and a quotient.
  return mlirTypeIsAF32(type) &&
         isRounded(mloptResult(op, 0),
                   (Allowance){.products = 2,
                               .operations = 6,
                               .isPositive = mloptIsA(op, &mloptOp_exp)});
}
