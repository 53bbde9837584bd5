//===- elementwise_unary.c - Elementwise operations of one operand --------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row for each operation. EXACT rows have an element function in number.c
// and fold constants with it; FUNCTION rows approximate and do not fold.
//
//===----------------------------------------------------------------------===//

#include "elementwise.h"

#define UNARY(op, types, extraTraits, ...)                                     \
  const MloptOpDef mloptOp_##op MLOPT_TABLE = {                                \
      .name = "mlopt." #op,                                                    \
      .traits =                                                                \
          MLOPT_PURE | MLOPT_SAME_TYPE | MLOPT_ELEMENTWISE | (extraTraits),    \
      OPERANDS(VALUE("x", types)),                                             \
      RESULT(types),                                                           \
      .assembly = "$x attr-dict `:` type($result)",                            \
      __VA_ARGS__}

#define FOLD(op, f)                                                            \
  static MlirLogicalResult fold_##op(MlirOperation o,                          \
                                     const MlirAttribute *constants,           \
                                     MloptFoldResult *results) {               \
    return mloptFoldUnary(o, constants, results, f);                           \
  }

#define EXACT(op, types, extraTraits, f, ...)                                  \
  FOLD(op, f)                                                                  \
  UNARY(op, types, extraTraits, .fold = fold_##op, __VA_ARGS__)

#define FUNCTION(op, summary_, doc_)                                           \
  UNARY(op, FLOATS, 0, ATTRS(NUMERICS), .summary = summary_,                   \
        .doc = doc_ " NaN gives NaN. " ROUNDED_ONCE                            \
                    "The value before it is an approximation within the "      \
                    "error that the numerics mode states; not folded.",        \
        .example = "%r = mlopt." #op " %x : tensor<4xf32>")

//===----------------------------------------------------------------------===//
// Sign and rounding to integers
//===----------------------------------------------------------------------===//

EXACT(abs, NUMBERS, MLOPT_IDEMPOTENT, mloptNumberAbs,
      .summary = "Absolute value",
      .doc = "Floats lose their sign bit, NaNs too. The least integer is its "
             "own absolute value.",
      .example = "%r = mlopt.abs %x : tensor<4xf32>");

EXACT(neg, NUMBERS, MLOPT_INVOLUTION, mloptNumberNeg, .summary = "Negation",
      .doc = "Floats change their sign bit, those of zeros and NaNs too. "
             "Integers wrap: the least one is its own negation.",
      .example = "%r = mlopt.neg %x : tensor<4xf32>");

EXACT(sign, NUMBERS, MLOPT_IDEMPOTENT, mloptNumberSign,
      .summary = "-1, 0 or 1 by the sign",
      .doc = "Floats: NaN gives NaN, -0 and +0 give themselves. Integers are "
             "signed.",
      .example = "%r = mlopt.sign %x : tensor<4xf32>");

EXACT(ceil, FLOATS, MLOPT_IDEMPOTENT, mloptNumberCeil,
      .summary = "The nearest integral value not below",
      .doc = "Exact. NaN gives NaN, infinities and zeros give themselves; "
             "values in (-1, 0) give -0.",
      .example = "%r = mlopt.ceil %x : tensor<4xf32>");

EXACT(floor, FLOATS, MLOPT_IDEMPOTENT, mloptNumberFloor,
      .summary = "The nearest integral value not above",
      .doc = "Exact. NaN gives NaN, infinities and zeros give themselves.",
      .example = "%r = mlopt.floor %x : tensor<4xf32>");

EXACT(round, FLOATS, MLOPT_IDEMPOTENT, mloptNumberRound,
      .summary = "The nearest integral value, halves away from zero",
      .doc = "Exact: 0.5 gives 1, -2.5 gives -3. NaN gives NaN, infinities and "
             "zeros give themselves; a zero result has the sign of x.",
      .example = "%r = mlopt.round %x : tensor<4xf32>");

EXACT(roundeven, FLOATS, MLOPT_IDEMPOTENT, mloptNumberRoundeven,
      .summary = "The nearest integral value, halves to the even one",
      .doc = "Exact: 0.5 gives 0, 1.5 and 2.5 give 2. NaN gives NaN, "
             "infinities and zeros give themselves; a zero result has the sign "
             "of x.",
      .example = "%r = mlopt.roundeven %x : tensor<4xf32>");

FOLD(isfinite, mloptNumberIsfinite)
const MloptOpDef mloptOp_isfinite MLOPT_TABLE = {
    .name = "mlopt.isfinite",
    .traits = MLOPT_PURE | MLOPT_ELEMENTWISE,
    OPERANDS(VALUE("x", FLOATS)),
    RESULT(BOOLS),
    .assembly = "$x attr-dict `:` type($x)",
    .summary = "Whether a float is neither infinite nor NaN",
    .doc = "The result is i1 of the operand's shape.",
    .example = "%r = mlopt.isfinite %x : tensor<4xf32>",
    .verify = mloptVerifyI1Result,
    .fold = fold_isfinite,
    .inferTypes = mloptInferI1Result,
};

//===----------------------------------------------------------------------===//
// Roots, exponentials and logarithms
//===----------------------------------------------------------------------===//

EXACT(sqrt, FLOATS, 0, mloptNumberSqrt, ATTRS(NUMERICS),
      .summary = "Square root",
      .doc = "Correctly rounded: " ROUNDED_ONCE
             "Zeros give themselves, other negative values and NaN give NaN.",
      .example = "%r = mlopt.sqrt %x : tensor<4xf32>");

FUNCTION(rsqrt, "1 / sqrt(x)",
         "+0 gives +inf and -0 -inf, +inf gives +0, other negative values give "
         "NaN.");
FUNCTION(cbrt, "Cube root",
         "Defined for negative values; zeros and infinities give themselves.");
FUNCTION(exp, "e to the power x", "-inf gives +0 and +inf +inf.");
FUNCTION(expm1, "exp(x) - 1, precise near 0",
         "Zeros give themselves, -inf gives -1 and +inf +inf.");
FUNCTION(log, "Natural logarithm",
         "Zeros give -inf, other negative values NaN, +inf gives +inf.");
FUNCTION(log1p, "log(1 + x), precise near 0",
         "Zeros give themselves, -1 gives -inf, values below -1 NaN, +inf "
         "gives +inf.");
FUNCTION(logistic, "1 / (1 + exp(-x))", "-inf gives +0 and +inf 1.");

//===----------------------------------------------------------------------===//
// Trigonometric and hyperbolic functions
//===----------------------------------------------------------------------===//

FUNCTION(sin, "Sine of radians", "Zeros give themselves, infinities NaN.");
FUNCTION(cos, "Cosine of radians", "Infinities give NaN.");
FUNCTION(tan, "Tangent of radians", "Zeros give themselves, infinities NaN.");
FUNCTION(asin, "Arc sine in radians",
         "Zeros give themselves, values outside [-1, 1] NaN.");
FUNCTION(acos, "Arc cosine in radians",
         "1 gives +0, values outside [-1, 1] NaN.");
FUNCTION(atan, "Arc tangent in radians",
         "Zeros give themselves, infinities half of pi with their sign.");
FUNCTION(sinh, "Hyperbolic sine", "Zeros and infinities give themselves.");
FUNCTION(cosh, "Hyperbolic cosine", "Zeros give 1, infinities +inf.");
FUNCTION(tanh, "Hyperbolic tangent",
         "Zeros give themselves, infinities 1 with their sign.");
FUNCTION(asinh, "Inverse hyperbolic sine",
         "Zeros and infinities give themselves.");
FUNCTION(acosh, "Inverse hyperbolic cosine",
         "1 gives +0, +inf +inf, values below 1 NaN.");
FUNCTION(atanh, "Inverse hyperbolic tangent",
         "Zeros give themselves, -1 and 1 infinities of their sign, values "
         "beyond NaN.");
FUNCTION(erf, "Error function",
         "Zeros give themselves, infinities 1 with their sign.");
FUNCTION(erfc, "1 - erf(x), precise where that is small",
         "-inf gives 2 and +inf +0.");

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

EXACT(not, WHOLES_OR_I1, MLOPT_INVOLUTION, mloptNumberNot,
      .summary = "Bitwise complement", .doc = "On i1, logical negation.",
      .example = "%r = mlopt.not %x : tensor<4xi1>");

EXACT(ctpop, WHOLES, 0, mloptNumberCtpop, .summary = "Number of set bits",
      .doc = "The result has the operand's type.",
      .example = "%r = mlopt.ctpop %x : tensor<4xi32>");

EXACT(ctlz, WHOLES, 0, mloptNumberCtlz, .summary = "Number of leading zeros",
      .doc = "0 gives the width. The result has the operand's type.",
      .example = "%r = mlopt.ctlz %x : tensor<4xi32>");
