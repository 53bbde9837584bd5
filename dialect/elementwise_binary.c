//===- elementwise_binary.c - Elementwise operations of two operands ------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row for each operation, and one table of the identities that fold with
// one constant operand or two equal ones. Commutative operations have their
// operands in one order, so that the order in which they were written decides
// nothing that follows: what is defined first is the left one, but a constant
// the right one, so that identities look there only.
//
//===----------------------------------------------------------------------===//

#include "elementwise.h"

#include <math.h>

//===----------------------------------------------------------------------===//
// Identities
//===----------------------------------------------------------------------===//

/// Element types that an identity holds for.
typedef enum Domain { INTS, FLOATS, ANY, I1 } Domain;

/// What the right operand is: every element is this constant, or it is the
/// left operand itself.
typedef enum Right {
  ZERO,       ///< +0.0 of a float
  MINUS_ZERO, ///< -0.0
  ONE,
  ONES,     ///< all bits: -1, the greatest unsigned integer
  LEAST,    ///< the most negative integer, -inf
  GREATEST, ///< the most positive signed integer, +inf
  WIDTH,    ///< an unsigned integer of at least the width in bits
  SAME
} Right;

/// What the operation gives then.
typedef enum Gives { LEFT, RIGHT, GIVES_ZERO, GIVES_ONE, GIVES_ONES } Gives;

typedef struct Identity {
  const MloptOpDef *op;
  Domain domain;
  Right right;
  Gives gives;
} Identity;

// x + 0.0 and x - -0.0 are not here: they give +0 for -0. Nor is any float
// identity that loses a NaN, as x * 0.0 or x - x. Integers divide by zero as
// the rows of div and rem define it. i1 is an integer; its sum is `or`.
static const Identity identities[] = {
    {&mloptOp_add, INTS, ZERO, LEFT},
    {&mloptOp_add, FLOATS, MINUS_ZERO, LEFT},
    {&mloptOp_add, I1, ONE, RIGHT},
    {&mloptOp_add, I1, SAME, LEFT},
    {&mloptOp_sub, ANY, ZERO, LEFT},
    {&mloptOp_sub, INTS, SAME, GIVES_ZERO},
    {&mloptOp_mul, ANY, ONE, LEFT},
    {&mloptOp_mul, INTS, ZERO, RIGHT},
    {&mloptOp_mul, I1, SAME, LEFT},
    {&mloptOp_div, ANY, ONE, LEFT},
    {&mloptOp_div, INTS, ZERO, GIVES_ONES},
    {&mloptOp_divu, INTS, ONE, LEFT},
    {&mloptOp_divu, INTS, ZERO, GIVES_ONES},
    {&mloptOp_rem, INTS, ONE, GIVES_ZERO},
    {&mloptOp_rem, INTS, ONES, GIVES_ZERO},
    {&mloptOp_rem, INTS, ZERO, LEFT},
    {&mloptOp_rem, INTS, SAME, GIVES_ZERO},
    {&mloptOp_remu, INTS, ONE, GIVES_ZERO},
    {&mloptOp_remu, INTS, ZERO, LEFT},
    {&mloptOp_remu, INTS, SAME, GIVES_ZERO},
    {&mloptOp_pow, INTS, ZERO, GIVES_ONE},
    {&mloptOp_pow, INTS, ONE, LEFT},
    {&mloptOp_max, ANY, SAME, LEFT},
    {&mloptOp_max, ANY, LEAST, LEFT},
    {&mloptOp_max, INTS, GREATEST, RIGHT},
    {&mloptOp_maxu, INTS, SAME, LEFT},
    {&mloptOp_maxu, INTS, ZERO, LEFT},
    {&mloptOp_maxu, INTS, ONES, RIGHT},
    {&mloptOp_min, ANY, SAME, LEFT},
    {&mloptOp_min, INTS, LEAST, RIGHT},
    {&mloptOp_min, ANY, GREATEST, LEFT},
    {&mloptOp_minu, INTS, SAME, LEFT},
    {&mloptOp_minu, INTS, ZERO, RIGHT},
    {&mloptOp_minu, INTS, ONES, LEFT},
    {&mloptOp_and, INTS, SAME, LEFT},
    {&mloptOp_and, INTS, ZERO, RIGHT},
    {&mloptOp_and, INTS, ONES, LEFT},
    {&mloptOp_or, INTS, SAME, LEFT},
    {&mloptOp_or, INTS, ZERO, LEFT},
    {&mloptOp_or, INTS, ONES, RIGHT},
    {&mloptOp_xor, INTS, SAME, GIVES_ZERO},
    {&mloptOp_xor, INTS, ZERO, LEFT},
    {&mloptOp_shl, INTS, ZERO, LEFT},
    {&mloptOp_shl, INTS, WIDTH, GIVES_ZERO},
    {&mloptOp_shrs, INTS, ZERO, LEFT},
    {&mloptOp_shru, INTS, ZERO, LEFT},
    {&mloptOp_shru, INTS, WIDTH, GIVES_ZERO},
};

static bool isIn(MloptElement e, Domain domain) {
  switch (domain) {
  case INTS:
    return !mloptNumberIsFloat(e);
  case FLOATS:
    return mloptNumberIsFloat(e);
  case ANY:
    return true;
  case I1:
    return e == MLOPT_I1;
  }
  return false;
}

/// The least or greatest value of an element type, in signed order; for a float
/// without infinities a NaN, which no identity may match.
static uint64_t extreme(MloptElement e, bool least) {
  if (mloptNumberIsFloat(e))
    return mloptNumberFromDouble(e,
                                 least ? -(double)INFINITY : (double)INFINITY);
  if (e == MLOPT_I1)
    return !least;
  uint64_t mask = mloptNumberMask(e);
  return least ? mask - (mask >> 1) : mask >> 1;
}

static bool isConstant(MloptElement e, Right right, uint64_t bits) {
  switch (right) {
  case ZERO:
    return bits == 0;
  case MINUS_ZERO:
    return bits == mloptNumberNeg(e, 0);
  case ONE:
    return bits == mloptNumberOne(e);
  case ONES:
    return bits == mloptNumberMask(e);
  case LEAST:
  case GREATEST:
    return bits == extreme(e, right == LEAST) && e != MLOPT_F8E4M3FN;
  case WIDTH:
    return bits >= mloptNumberWidth(e);
  case SAME:
    break;
  }
  return false;
}

/// `right` is what a constant right operand has in every element.
static MlirLogicalResult give(MlirOperation op, Gives gives, uint64_t right,
                              MloptFoldResult *results) {
  MloptElement e = mloptGetElement(mloptResultType(op, 0));
  switch (gives) {
  case LEFT:
    return mloptFoldToOperand(op, 0, results);
  case RIGHT:
    return mloptFoldToBits(op, right, results);
  case GIVES_ZERO:
    return mloptFoldToBits(op, 0, results);
  case GIVES_ONE:
    return mloptFoldToBits(op, 1, results);
  case GIVES_ONES:
    return mloptFoldToBits(op, mloptNumberMask(e), results);
  }
  return mloptFailure();
}

static MlirLogicalResult foldIdentity(MlirOperation op,
                                      const MlirAttribute *constants,
                                      MloptFoldResult *results) {
  MloptElement e = mloptGetElement(mloptResultType(op, 0));
  bool same = mlirValueEqual(mloptOperand(op, 0), mloptOperand(op, 1));
  uint64_t bits = 0;
  bool constant = mloptReadSplat(constants[1], &bits);
  for (int i = 0; i < MLOPT_COUNT(identities); ++i) {
    const Identity *identity = &identities[i];
    if (!mloptIsA(op, identity->op) || !isIn(e, identity->domain))
      continue;
    if (identity->right == SAME
            ? same
            : constant && isConstant(e, identity->right, bits))
      return give(op, identity->gives, bits, results);
  }
  return mloptFailure();
}

/// Whether `a` is defined before `b`, where both are in one block.
static bool isBefore(MlirValue a, MlirValue b) {
  bool first = mlirValueIsABlockArgument(a);
  bool second = mlirValueIsABlockArgument(b);
  MlirOperation opA = {NULL}, opB = {NULL};
  if (!first)
    opA = mlirOpResultGetOwner(a);
  if (!second)
    opB = mlirOpResultGetOwner(b);
  if (!mlirBlockEqual(
          first ? mlirBlockArgumentGetOwner(a) : mlirOperationGetBlock(opA),
          second ? mlirBlockArgumentGetOwner(b) : mlirOperationGetBlock(opB)))
    return false;
  if (first && second)
    return mlirBlockArgumentGetArgNumber(a) < mlirBlockArgumentGetArgNumber(b);
  return first || (!second && mlirOperationIsBeforeInBlock(opA, opB));
}

static void swapOperands(MlirOperation op) {
  MlirValue left = mloptOperand(op, 0), right = mloptOperand(op, 1);
  mlirOperationSetOperand(op, 0, right);
  mlirOperationSetOperand(op, 1, left);
}

static MlirLogicalResult fold(MlirOperation op, const MlirAttribute *constants,
                              MloptFoldResult *results, MloptBinaryFn f) {
  bool left = !mlirAttributeIsNull(constants[0]);
  bool right = !mlirAttributeIsNull(constants[1]);
  if (left && right && !mloptFailed(mloptFoldBinary(op, constants, results, f)))
    return mloptSuccess();
  bool wrong =
      left ? !right
           : !right && isBefore(mloptOperand(op, 1), mloptOperand(op, 0));
  if (wrong && (mloptGetOpDef(op)->traits & MLOPT_COMMUTATIVE)) {
    swapOperands(op);
    return mloptSuccess();
  }
  return foldIdentity(op, constants, results);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

#define BINARY(op, types, extraTraits, fold_, ...)                             \
  const MloptOpDef mloptOp_##op MLOPT_TABLE = {                                \
      .name = "mlopt." #op,                                                    \
      .traits =                                                                \
          MLOPT_PURE | MLOPT_SAME_TYPE | MLOPT_ELEMENTWISE | (extraTraits),    \
      OPERANDS(VALUE("lhs", types), VALUE("rhs", types)),                      \
      RESULT(types),                                                           \
      .assembly = "$lhs `,` $rhs attr-dict `:` type($result)",                 \
      .fold = fold_,                                                           \
      __VA_ARGS__}

#define EXACT(op, types, extraTraits, f, ...)                                  \
  static MlirLogicalResult fold_##op(MlirOperation o,                          \
                                     const MlirAttribute *constants,           \
                                     MloptFoldResult *results) {               \
    return fold(o, constants, results, f);                                     \
  }                                                                            \
  BINARY(op, types, extraTraits, fold_##op, __VA_ARGS__)

EXACT(add, NUMBERS_OR_I1, MLOPT_COMMUTATIVE, mloptNumberAdd, ATTRS(NUMERICS),
      .summary = "Sum", .doc = ROUNDED_ONCE "Integers wrap. On i1, `or`.",
      .example = "%r = mlopt.add %a, %b : tensor<4xf32>");

EXACT(sub, NUMBERS, 0, mloptNumberSub, ATTRS(NUMERICS), .summary = "Difference",
      .doc = ROUNDED_ONCE "Integers wrap.",
      .example = "%r = mlopt.sub %a, %b : tensor<4xf32>");

EXACT(mul, NUMBERS_OR_I1, MLOPT_COMMUTATIVE, mloptNumberMul, ATTRS(NUMERICS),
      .summary = "Product", .doc = ROUNDED_ONCE "Integers wrap. On i1, `and`.",
      .example = "%r = mlopt.mul %a, %b : tensor<4xf32>");

EXACT(div, NUMBERS, 0, mloptNumberDiv, ATTRS(NUMERICS),
      .summary = "Quotient, of signed integers",
      .doc = ROUNDED_ONCE
      "Integers round towards zero; x / 0 is -1, and the least one divided by "
      "-1 is itself.",
      .example = "%r = mlopt.div %a, %b : tensor<4xf32>");

EXACT(divu, WHOLES, 0, mloptNumberDivu,
      .summary = "Quotient of unsigned integers",
      .doc = "Rounds towards zero; x / 0 has all bits set.",
      .example = "%r = mlopt.divu %a, %b : tensor<4xi32>");

EXACT(rem, NUMBERS, 0, mloptNumberRem, ATTRS(NUMERICS),
      .summary = "Remainder, of signed integers",
      .doc =
          "lhs - n * rhs, n being the quotient rounded towards zero. Floats: "
          "exact, with the sign of lhs, also of a zero; NaN for an infinite "
          "lhs or a zero rhs, lhs for an infinite rhs. Integers: x rem 0 is "
          "x, and the least one rem -1 is 0.",
      .example = "%r = mlopt.rem %a, %b : tensor<4xf32>");

EXACT(remu, WHOLES, 0, mloptNumberRemu,
      .summary = "Remainder of unsigned integers", .doc = "x remu 0 is x.",
      .example = "%r = mlopt.remu %a, %b : tensor<4xi32>");

/// Powers of floats are approximations and do not fold.
static MlirLogicalResult foldPow(MlirOperation op,
                                 const MlirAttribute *constants,
                                 MloptFoldResult *results) {
  if (mloptNumberIsFloat(mloptGetElement(mloptResultType(op, 0))))
    return mloptFailure();
  return fold(op, constants, results, mloptNumberPow);
}

BINARY(pow, NUMBERS, 0, foldPow, ATTRS(NUMERICS),
       .summary = "lhs to the power rhs",
       .doc = "Floats: as C's pow, so that pow(x, 0) and pow(1, x) are 1 also "
              "for NaN, and negative lhs give NaN unless rhs is "
              "integral. " ROUNDED_ONCE
              "The value before it is an approximation within the error that "
              "the numerics mode states; not folded. Integers: the product "
              "wraps, rhs is signed; for negative rhs 1 gives 1, -1 gives 1 or "
              "-1, 0 gives -1 (as 1 / 0), and all others give 0.",
       .example = "%r = mlopt.pow %a, %b : tensor<4xf32>");

BINARY(atan2, FLOATS, 0, NULL, ATTRS(NUMERICS),
       .summary = "The angle of the point (rhs, lhs), in radians",
       .doc = "As C's atan2, in [-pi, pi], signed zeros told apart; NaN gives "
              "NaN. " ROUNDED_ONCE
              "The value before it is an approximation within the error that "
              "the numerics mode states; not folded.",
       .example = "%r = mlopt.atan2 %y, %x : tensor<4xf32>");

EXACT(
    max, NUMBERS_OR_I1, MLOPT_COMMUTATIVE | MLOPT_IDEMPOTENT, mloptNumberMax,
    .summary = "The greater, of signed integers",
    .doc = "Floats: NaN if either is NaN; +0 is greater than -0. On i1, `or`.",
    .example = "%r = mlopt.max %a, %b : tensor<4xf32>");

EXACT(maxu, WHOLES, MLOPT_COMMUTATIVE | MLOPT_IDEMPOTENT, mloptNumberMaxu,
      .summary = "The greater of unsigned integers",
      .doc = "The operand that is greater as an unsigned number.",
      .example = "%r = mlopt.maxu %a, %b : tensor<4xi32>");

EXACT(min, NUMBERS_OR_I1, MLOPT_COMMUTATIVE | MLOPT_IDEMPOTENT, mloptNumberMin,
      .summary = "The lesser, of signed integers",
      .doc = "Floats: NaN if either is NaN; -0 is less than +0. On i1, `and`.",
      .example = "%r = mlopt.min %a, %b : tensor<4xf32>");

EXACT(minu, WHOLES, MLOPT_COMMUTATIVE | MLOPT_IDEMPOTENT, mloptNumberMinu,
      .summary = "The lesser of unsigned integers",
      .doc = "The operand that is less as an unsigned number.",
      .example = "%r = mlopt.minu %a, %b : tensor<4xi32>");

EXACT(and, WHOLES_OR_I1, MLOPT_COMMUTATIVE | MLOPT_IDEMPOTENT, mloptNumberAnd,
      .summary = "Bitwise and", .doc = "Logical on i1.",
      .example = "%r = mlopt.and %a, %b : tensor<4xi1>");

EXACT(or, WHOLES_OR_I1, MLOPT_COMMUTATIVE | MLOPT_IDEMPOTENT, mloptNumberOr,
      .summary = "Bitwise or", .doc = "Logical on i1.",
      .example = "%r = mlopt.or %a, %b : tensor<4xi1>");

EXACT(xor, WHOLES_OR_I1, MLOPT_COMMUTATIVE, mloptNumberXor,
      .summary = "Bitwise exclusive or", .doc = "Logical on i1.",
      .example = "%r = mlopt.xor %a, %b : tensor<4xi1>");

EXACT(shl, WHOLES, 0, mloptNumberShl, .summary = "Shift to the left",
      .doc = "rhs is unsigned; an amount of the width or more gives 0.",
      .example = "%r = mlopt.shl %a, %b : tensor<4xi32>");

EXACT(shrs, WHOLES, 0, mloptNumberShrs,
      .summary = "Shift to the right, filling with the sign",
      .doc = "rhs is unsigned; an amount of the width or more gives 0, or -1 "
             "for negative lhs.",
      .example = "%r = mlopt.shrs %a, %b : tensor<4xi32>");

EXACT(shru, WHOLES, 0, mloptNumberShru,
      .summary = "Shift to the right, filling with zeros",
      .doc = "rhs is unsigned; an amount of the width or more gives 0.",
      .example = "%r = mlopt.shru %a, %b : tensor<4xi32>");
