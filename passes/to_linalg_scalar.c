//===- to_linalg_scalar.c - Elementwise operations on scalars -------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one table that says what an elementwise operation computes on one
// element, in arith and math operations. It serves the bodies of linalg.generic
// and the regions of reduce, scan, scatter and sort alike.
//
// Single operations keep the element type, f16 and bf16 included: what lowers
// those computes in f32 and rounds once. Where several float operations stand
// for one, they are done in f32 here.
//
//===----------------------------------------------------------------------===//

#include "to_linalg.h"

#include "passes.h"

#include <math.h>

static MlirType typeOf(MlirValue x) { return mlirValueGetType(x); }

//===----------------------------------------------------------------------===//
// Functions of what is known
//===----------------------------------------------------------------------===//

/// Operations on the way from one to what it depends on.
typedef struct Path {
  MlirOperation ops[64];
  int count;
} Path;

/// Whether what an operation gives depends on constants alone. What is too deep
/// to be seen through does not.
static bool isKnown(MlirOperation op, Path *path) {
  for (int i = 0; i < path->count; ++i)
    if (mlirOperationEqual(path->ops[i], op))
      return true;
  if (path->count == MLOPT_COUNT(path->ops))
    return false;
  path->ops[path->count++] = op;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    MlirValue x = mloptOperand(op, i);
    if (!mlirValueIsAOpResult(x) || !isKnown(mlirOpResultGetOwner(x), path))
      return false;
  }
  return true;
}

/// MLIR evaluates functions of f32 and f64 constants by the C library of the
/// machine that compiles, not by math.mlir. Where an argument may turn out to
/// be one, it is hidden until mlopt-expand-math has put the function's own
/// operations there.
static MlirValue hideKnown(MloptScalar *s, MlirValue x) {
  Path path = {.count = 0};
  bool isEvaluated = mlirTypeIsAF32(typeOf(x)) || mlirTypeIsAF64(typeOf(x));
  return isEvaluated && !mlirOperationIsNull(s->op) && isKnown(s->op, &path)
             ? mloptBuildUnary(s->b, MLOPT_HIDDEN, x, typeOf(x))
             : x;
}

/// One operation on floats, under the fastmath flags.
static MlirValue floatOp(MloptScalar *s, const char *name, intptr_t n,
                         const MlirValue *operands) {
  enum { MAX_OPERANDS = 2 };
  MlirType type = typeOf(operands[0]);
  MlirValue x[MAX_OPERANDS];
  bool isFunction = !strncmp(name, "math.", 5);
  for (intptr_t i = 0; i < n; ++i)
    x[i] = isFunction ? hideKnown(s, operands[i]) : operands[i];
  bool flags = !mlirAttributeIsNull(s->fastmath);
  MlirNamedAttribute attr = {0};
  if (flags)
    attr = mloptNamedAttr(s->b->context, "fastmath", s->fastmath);
  return mloptBuildValue(s->b, (MloptOpSpec){.name = name,
                                             .numOperands = n,
                                             .operands = x,
                                             .numResults = 1,
                                             .results = &type,
                                             .numAttrs = flags,
                                             .attrs = &attr});
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static MlirValue zeroLike(MloptScalar *s, MlirValue x) {
  return mloptBuildConstant(
      s->b, mloptIsFloatElement(typeOf(x))
                ? mlirFloatAttrDoubleGet(s->b->context, typeOf(x), 0)
                : mlirIntegerAttrGet(typeOf(x), 0));
}

static MlirValue intLike(MloptScalar *s, MlirValue x, int64_t value) {
  return mloptBuildInt(s->b, typeOf(x), value);
}

/// The least signed integer of x's width.
static MlirValue minLike(MloptScalar *s, MlirValue x) {
  return intLike(s, x,
                 (int64_t)(UINT64_MAX << (mloptElementWidth(typeOf(x)) - 1)));
}

static MlirValue binary(MloptScalar *s, const char *name, MlirValue a,
                        MlirValue b) {
  return mloptBuildBinary(s->b, name, a, b);
}

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

static MlirValue lowerNegInt(MloptScalar *s, const MlirValue *x) {
  return binary(s, "arith.subi", zeroLike(s, *x), *x);
}

static MlirValue lowerAbsInt(MloptScalar *s, const MlirValue *x) {
  return binary(s, "arith.maxsi", *x, lowerNegInt(s, x));
}

/// Zeros and NaN are their own sign.
static MlirValue lowerSign(MloptScalar *s, const MlirValue *x) {
  bool isFloat = mloptIsFloatElement(typeOf(*x));
  MlirValue zero = zeroLike(s, *x), one, minus, above, below;
  if (isFloat) {
    one = mloptBuildFloat(s->b, typeOf(*x), 1);
    minus = mloptBuildFloat(s->b, typeOf(*x), -1);
    above = mloptBuildCmpF(s->b, "ogt", *x, zero);
    below = mloptBuildCmpF(s->b, "olt", *x, zero);
  } else {
    one = intLike(s, *x, 1);
    minus = intLike(s, *x, -1);
    above = mloptBuildCmpI(s->b, "sgt", *x, zero);
    below = mloptBuildCmpI(s->b, "slt", *x, zero);
  }
  MlirValue negative = mloptBuildSelect(s->b, below, minus, *x);
  return mloptBuildSelect(s->b, above, one, negative);
}

static MlirValue lowerIsfinite(MloptScalar *s, const MlirValue *x) {
  MlirType type = typeOf(*x);
  if (mlirTypeIsAFloat8E4M3FN(type)) // has no infinity
    return mloptBuildCmpF(s->b, "ord", *x, *x);
  MlirValue magnitude = mloptBuildUnary(s->b, "math.absf", *x, type);
  return mloptBuildCmpF(s->b, "olt", magnitude,
                        mloptBuildFloat(s->b, type, INFINITY));
}

/// 1 / (1 + exp(-x))
static MlirValue lowerLogistic(MloptScalar *s, const MlirValue *x) {
  MlirValue one = mloptBuildFloat(s->b, typeOf(*x), 1);
  MlirValue minus = floatOp(s, "arith.negf", 1, x);
  MlirValue terms[] = {one, floatOp(s, "math.exp", 1, &minus)};
  MlirValue parts[] = {one, floatOp(s, "arith.addf", 2, terms)};
  return floatOp(s, "arith.divf", 2, parts);
}

static MlirValue lowerNot(MloptScalar *s, const MlirValue *x) {
  return binary(s, "arith.xori", *x, intLike(s, *x, -1));
}

//===----------------------------------------------------------------------===//
// Integer division, powers and shifts
//===----------------------------------------------------------------------===//

/// Where x / y traps or overflows: y == 0, and signed MIN / -1.
static MlirValue divisorOne(MloptScalar *s, const MlirValue *x,
                            MlirValue isZero, bool isSigned) {
  MlirValue bad = isZero;
  if (isSigned) {
    MlirValue least = mloptBuildCmpI(s->b, "eq", x[0], minLike(s, x[0]));
    MlirValue minus = mloptBuildCmpI(s->b, "eq", x[1], intLike(s, x[1], -1));
    bad = binary(s, "arith.ori", bad, binary(s, "arith.andi", least, minus));
  }
  return mloptBuildSelect(s->b, bad, intLike(s, x[1], 1), x[1]);
}

/// x / 0 is all ones; MIN / 1 is what MIN / -1 is to be.
static MlirValue divide(MloptScalar *s, const MlirValue *x, bool isSigned) {
  MlirValue isZero = mloptBuildCmpI(s->b, "eq", x[1], zeroLike(s, x[1]));
  MlirValue quotient = binary(s, isSigned ? "arith.divsi" : "arith.divui", x[0],
                              divisorOne(s, x, isZero, isSigned));
  return mloptBuildSelect(s->b, isZero, intLike(s, x[0], -1), quotient);
}

/// x rem 0 is x; MIN rem 1 is what MIN rem -1 is to be.
static MlirValue takeRemainder(MloptScalar *s, const MlirValue *x,
                               bool isSigned) {
  MlirValue isZero = mloptBuildCmpI(s->b, "eq", x[1], zeroLike(s, x[1]));
  MlirValue rest = binary(s, isSigned ? "arith.remsi" : "arith.remui", x[0],
                          divisorOne(s, x, isZero, isSigned));
  return mloptBuildSelect(s->b, isZero, x[0], rest);
}

static MlirValue lowerDivInt(MloptScalar *s, const MlirValue *x) {
  return divide(s, x, true);
}
static MlirValue lowerDivu(MloptScalar *s, const MlirValue *x) {
  return divide(s, x, false);
}
static MlirValue lowerRemInt(MloptScalar *s, const MlirValue *x) {
  return takeRemainder(s, x, true);
}
static MlirValue lowerRemu(MloptScalar *s, const MlirValue *x) {
  return takeRemainder(s, x, false);
}

/// base ** exponent for an exponent that is not negative, by squaring.
static MlirValue powerLoop(MloptScalar *s, MlirValue base, MlirValue exponent) {
  MloptBuilder *b = s->b;
  MlirType type = typeOf(base), index = mlirIndexTypeGet(b->context);
  MlirType args[] = {index, type, type, type};
  MlirBlock block;
  MlirRegion region = mloptCreateRegion(b, MLOPT_COUNT(args), args, &block);
  MloptBuilder body = mloptBuilderAtEnd(block, b->location);
  MloptScalar in = {.b = &body};
  MlirValue result = mlirBlockGetArgument(block, 1);
  MlirValue square = mlirBlockGetArgument(block, 2);
  MlirValue rest = mlirBlockGetArgument(block, 3);
  MlirValue one = intLike(&in, rest, 1);
  MlirValue isOdd = mloptBuildCmpI(
      &body, "ne", binary(&in, "arith.andi", rest, one), zeroLike(&in, rest));
  MlirValue next[] = {
      mloptBuildSelect(&body, isOdd, binary(&in, "arith.muli", result, square),
                       result),
      binary(&in, "arith.muli", square, square),
      binary(&in, "arith.shrui", rest, one)};
  mloptBuildOp(
      &body,
      (MloptOpSpec){.name = "scf.yield", .numOperands = 3, .operands = next});
  MlirValue operands[] = {mloptBuildIndex(b, 0),
                          mloptBuildIndex(b, mloptElementWidth(type)),
                          mloptBuildIndex(b, 1),
                          intLike(s, base, 1),
                          base,
                          exponent};
  return mloptBuildValue(b, (MloptOpSpec){.name = "scf.for",
                                          .numOperands = MLOPT_COUNT(operands),
                                          .operands = operands,
                                          .numResults = 3,
                                          .results = args + 1,
                                          .numRegions = 1,
                                          .regions = &region});
}

/// A negative exponent: the reciprocal, as integer division has it.
static MlirValue lowerPowInt(MloptScalar *s, const MlirValue *x) {
  MloptBuilder *b = s->b;
  MlirValue zero = zeroLike(s, x[0]), one = intLike(s, x[0], 1);
  MlirValue minus = intLike(s, x[0], -1);
  MlirValue isOdd =
      mloptBuildCmpI(b, "ne", binary(s, "arith.andi", x[1], one), zero);
  MlirValue inverse =
      mloptBuildSelect(b, mloptBuildCmpI(b, "eq", x[0], minus),
                       mloptBuildSelect(b, isOdd, minus, one), zero);
  inverse =
      mloptBuildSelect(b, mloptBuildCmpI(b, "eq", x[0], one), one, inverse);
  inverse =
      mloptBuildSelect(b, mloptBuildCmpI(b, "eq", x[0], zero), minus, inverse);
  return mloptBuildSelect(b, mloptBuildCmpI(b, "slt", x[1], zero), inverse,
                          powerLoop(s, x[0], x[1]));
}

/// Amounts, read unsigned, of at least the width shift everything out.
static MlirValue shiftOut(MloptScalar *s, const MlirValue *x,
                          const char *name) {
  int64_t width = mloptElementWidth(typeOf(x[1]));
  MlirValue fits =
      width == 1 ? mloptBuildCmpI(s->b, "eq", x[1], zeroLike(s, x[1]))
                 : mloptBuildCmpI(s->b, "ult", x[1], intLike(s, x[1], width));
  return mloptBuildSelect(s->b, fits, binary(s, name, x[0], x[1]),
                          zeroLike(s, x[0]));
}

static MlirValue lowerShl(MloptScalar *s, const MlirValue *x) {
  return shiftOut(s, x, "arith.shli");
}
static MlirValue lowerShru(MloptScalar *s, const MlirValue *x) {
  return shiftOut(s, x, "arith.shrui");
}
static MlirValue lowerShrs(MloptScalar *s, const MlirValue *x) {
  MlirValue last = intLike(s, x[1], mloptElementWidth(typeOf(x[1])) - 1);
  return binary(s, "arith.shrsi", x[0], binary(s, "arith.minui", x[1], last));
}

//===----------------------------------------------------------------------===//
// Comparison, choice and conversion
//===----------------------------------------------------------------------===//

static MlirValue lowerCompare(MloptScalar *s, const MlirValue *x) {
  static const struct {
    const char *spelling, *floats, *ints, *bools;
  } rows[] = {
      {"eq", "oeq", "eq", "eq"},   {"ne", "une", "ne", "ne"},
      {"lt", "olt", "slt", "ult"}, {"le", "ole", "sle", "ule"},
      {"gt", "ogt", "sgt", "ugt"}, {"ge", "oge", "sge", "uge"},
      {"ult", NULL, "ult", "ult"}, {"ule", NULL, "ule", "ule"},
      {"ugt", NULL, "ugt", "ugt"}, {"uge", NULL, "uge", "uge"},
  };
  MlirStringRef spelling =
      mlirStringAttrGetValue(mloptAttr(s->op, "predicate"));
  for (int i = 0; i < MLOPT_COUNT(rows); ++i) {
    if (!mloptStrEq(spelling, rows[i].spelling))
      continue;
    if (mloptIsFloatElement(typeOf(x[0])))
      return mloptBuildCmpF(s->b, rows[i].floats, x[0], x[1]);
    return mloptBuildCmpI(
        s->b, mloptIsI1(typeOf(x[0])) ? rows[i].bools : rows[i].ints, x[0],
        x[1]);
  }
  s->b->failed = true; // the verifier knows the same predicates
  return (MlirValue){NULL};
}

static MlirValue lowerSelect(MloptScalar *s, const MlirValue *x) {
  return mloptBuildSelect(s->b, x[0], x[1], x[2]);
}

/// min(max(low, x), high)
static MlirValue lowerClamp(MloptScalar *s, const MlirValue *x) {
  MlirValue raised =
      mloptBuildCombine(s->b, MLOPT_KIND_MAX, s->fastmath, x[0], x[1]);
  return mloptBuildCombine(s->b, MLOPT_KIND_MIN, s->fastmath, raised, x[2]);
}

static MlirValue lowerConvert(MloptScalar *s, const MlirValue *x) {
  return mloptBuildConvert(s->b, *x, s->result, false);
}

static MlirValue lowerConvertu(MloptScalar *s, const MlirValue *x) {
  return mloptBuildConvert(s->b, *x, s->result, true);
}

static MlirValue lowerReducePrecision(MloptScalar *s, const MlirValue *x) {
  return mloptBuildReducePrecision(
      s->b, *x, mlirIntegerAttrGetValueInt(mloptAttr(s->op, "exponent_bits")),
      mlirIntegerAttrGetValueInt(mloptAttr(s->op, "mantissa_bits")));
}

/// Says of an operation what its uses hide of its error. Of `strict` a function
/// is the same wherever it stands.
static MlirValue markError(MloptScalar *s, MlirValue y, const char *mark,
                           bool (*isHidden)(MlirOperation)) {
  if (!s->b->failed && !mlirOperationIsNull(s->op) &&
      mloptGetNumerics(s->op) != MLOPT_NUMERICS_STRICT && isHidden(s->op))
    mlirOperationSetDiscardableAttributeByName(mlirOpResultGetOwner(y),
                                               mloptStr(mark),
                                               mlirUnitAttrGet(s->b->context));
  return y;
}

static MlirValue lowerTanh(MloptScalar *s, const MlirValue *x) {
  return markError(s, floatOp(s, "math.tanh", 1, x), "mlopt.absolute",
                   mloptIsAddedToOnes);
}

static MlirValue lowerExp(MloptScalar *s, const MlirValue *x) {
  return markError(s, floatOp(s, "math.exp", 1, x), "mlopt.narrowed",
                   mloptIsNarrowed);
}

static MlirValue lowerDiv(MloptScalar *s, const MlirValue *x) {
  if (!mloptIsFloatElement(typeOf(x[0])))
    return lowerDivInt(s, x);
  return markError(s, floatOp(s, "arith.divf", 2, x), "mlopt.narrowed",
                   mloptIsNarrowed);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

// clang-format off
const MloptScalarRow mloptScalarRows[] = {
    {&mloptOp_abs, "math.absf", NULL, NULL, lowerAbsInt, false},
    {&mloptOp_neg, "arith.negf", NULL, NULL, lowerNegInt, false},
    {&mloptOp_sign, NULL, NULL, NULL, lowerSign, false},
    {&mloptOp_ceil, "math.ceil", NULL, NULL, NULL, false},
    {&mloptOp_floor, "math.floor", NULL, NULL, NULL, false},
    {&mloptOp_round, "math.round", NULL, NULL, NULL, false},
    {&mloptOp_roundeven, "math.roundeven", NULL, NULL, NULL, false},
    {&mloptOp_isfinite, NULL, NULL, NULL, lowerIsfinite, false},
    {&mloptOp_sqrt, "math.sqrt", NULL, NULL, NULL, false},
    {&mloptOp_rsqrt, "math.rsqrt", NULL, NULL, NULL, false},
    {&mloptOp_cbrt, "math.cbrt", NULL, NULL, NULL, false},
    {&mloptOp_exp, NULL, NULL, NULL, lowerExp, false},
    {&mloptOp_expm1, "math.expm1", NULL, NULL, NULL, false},
    {&mloptOp_log, "math.log", NULL, NULL, NULL, false},
    {&mloptOp_log1p, "math.log1p", NULL, NULL, NULL, false},
    {&mloptOp_logistic, NULL, NULL, NULL, lowerLogistic, true},
    {&mloptOp_sin, "math.sin", NULL, NULL, NULL, false},
    {&mloptOp_cos, "math.cos", NULL, NULL, NULL, false},
    {&mloptOp_tan, "math.tan", NULL, NULL, NULL, false},
    {&mloptOp_asin, "math.asin", NULL, NULL, NULL, false},
    {&mloptOp_acos, "math.acos", NULL, NULL, NULL, false},
    {&mloptOp_atan, "math.atan", NULL, NULL, NULL, false},
    {&mloptOp_sinh, "math.sinh", NULL, NULL, NULL, false},
    {&mloptOp_cosh, "math.cosh", NULL, NULL, NULL, false},
    {&mloptOp_tanh, NULL, NULL, NULL, lowerTanh, false},
    {&mloptOp_asinh, "math.asinh", NULL, NULL, NULL, false},
    {&mloptOp_acosh, "math.acosh", NULL, NULL, NULL, false},
    {&mloptOp_atanh, "math.atanh", NULL, NULL, NULL, false},
    {&mloptOp_erf, "math.erf", NULL, NULL, NULL, false},
    {&mloptOp_erfc, "math.erfc", NULL, NULL, NULL, false},
    {&mloptOp_not, NULL, NULL, NULL, lowerNot, false},
    {&mloptOp_ctpop, NULL, "math.ctpop", NULL, NULL, false},
    {&mloptOp_ctlz, NULL, "math.ctlz", NULL, NULL, false},

    {&mloptOp_add, "arith.addf", "arith.addi", "arith.ori", NULL, false},
    {&mloptOp_sub, "arith.subf", "arith.subi", NULL, NULL, false},
    {&mloptOp_mul, "arith.mulf", "arith.muli", "arith.andi", NULL, false},
    {&mloptOp_div, NULL, NULL, NULL, lowerDiv, false},
    {&mloptOp_divu, NULL, NULL, NULL, lowerDivu, false},
    {&mloptOp_rem, "arith.remf", NULL, NULL, lowerRemInt, false},
    {&mloptOp_remu, NULL, NULL, NULL, lowerRemu, false},
    {&mloptOp_pow, "math.powf", NULL, NULL, lowerPowInt, false},
    {&mloptOp_atan2, "math.atan2", NULL, NULL, NULL, false},
    {&mloptOp_max, "arith.maximumf", "arith.maxsi", "arith.ori", NULL, false},
    {&mloptOp_maxu, NULL, "arith.maxui", NULL, NULL, false},
    {&mloptOp_min, "arith.minimumf", "arith.minsi", "arith.andi", NULL, false},
    {&mloptOp_minu, NULL, "arith.minui", NULL, NULL, false},
    {&mloptOp_and, NULL, "arith.andi", NULL, NULL, false},
    {&mloptOp_or, NULL, "arith.ori", NULL, NULL, false},
    {&mloptOp_xor, NULL, "arith.xori", NULL, NULL, false},
    {&mloptOp_shl, NULL, NULL, NULL, lowerShl, false},
    {&mloptOp_shrs, NULL, NULL, NULL, lowerShrs, false},
    {&mloptOp_shru, NULL, NULL, NULL, lowerShru, false},

    {&mloptOp_compare, NULL, NULL, NULL, lowerCompare, false},
    {&mloptOp_select, NULL, NULL, NULL, lowerSelect, false},
    {&mloptOp_clamp, NULL, NULL, NULL, lowerClamp, false},
    {&mloptOp_convert, NULL, NULL, NULL, lowerConvert, false},
    {&mloptOp_convertu, NULL, NULL, NULL, lowerConvertu, false},
    {&mloptOp_reduce_precision, NULL, NULL, NULL, lowerReducePrecision, false},
};
// clang-format on
const int mloptNumScalarRows = MLOPT_COUNT(mloptScalarRows);

static intptr_t numOperandsOf(const MloptScalarRow *row) {
  return row->def->numOperands;
}

/// Computes in f32 and rounds once.
static MlirValue buildWidened(MloptScalar *s, const MloptScalarRow *row,
                              const MlirValue *x) {
  MlirValue wide[3];
  for (intptr_t i = 0; i < numOperandsOf(row); ++i)
    wide[i] =
        mloptBuildConvert(s->b, x[i], mlirF32TypeGet(s->b->context), false);
  return mloptBuildConvert(s->b, row->lower(s, wide), s->result, false);
}

MlirValue mloptBuildScalar(MloptScalar *s, const MloptScalarRow *row,
                           const MlirValue *x) {
  if (s->b->failed)
    return (MlirValue){NULL};
  MlirType type = typeOf(x[0]);
  bool isFloat = mloptIsFloatElement(type);
  if (row->widen && isFloat && mloptElementWidth(type) < 32)
    return buildWidened(s, row, x);
  const char *name = isFloat ? row->floatOp : row->intOp;
  if (mloptIsI1(type) && row->boolOp)
    name = row->boolOp;
  if (!name && row->lower)
    return row->lower(s, x);
  if (name && isFloat)
    return floatOp(s, name, numOperandsOf(row), x);
  if (name && numOperandsOf(row) == 1)
    return mloptBuildUnary(s->b, name, x[0], type);
  if (name)
    return binary(s, name, x[0], x[1]);
  s->b->failed = true; // no such operation on these elements
  return (MlirValue){NULL};
}

MlirValue mloptBuildCombine(MloptBuilder *b, MloptKind kind,
                            MlirAttribute fastmath, MlirValue x, MlirValue y) {
  if (kind == MLOPT_KIND_SET)
    return y;
  MlirValue operands[] = {x, y};
  MloptScalar s = {.b = b, .fastmath = fastmath, .result = typeOf(x)};
  const char *name = mloptKindGetOpName(kind);
  for (int i = 0; name && i < mloptNumScalarRows; ++i)
    if (!strcmp(mloptScalarRows[i].def->name, name))
      return mloptBuildScalar(&s, &mloptScalarRows[i], operands);
  b->failed = true;
  return (MlirValue){NULL};
}
