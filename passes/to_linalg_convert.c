//===- to_linalg_convert.c - Conversions of scalars -----------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `mlopt.convert`, `mlopt.convertu`, `mlopt.reduce_precision` and bit casts of
// one element, as arith operations. Conversions between floats stay single
// extf and truncf operations, so that rounding straight from the source is left
// to what lowers those.
//
//===----------------------------------------------------------------------===//

#include "fold.h"
#include "to_linalg.h"

#include <math.h>

static MlirType intTypeOfWidth(MloptBuilder *b, unsigned width) {
  return mlirIntegerTypeGet(b->context, width);
}

static MlirValue convertFloat(MloptBuilder *b, MlirValue x, MlirType to) {
  unsigned width = mloptElementWidth(mlirValueGetType(x));
  if (width < mloptElementWidth(to))
    return mloptBuildUnary(b, "arith.extf", x, to);
  if (width > mloptElementWidth(to))
    return mloptBuildUnary(b, "arith.truncf", x, to);
  // Two formats of one width: through f32, which holds both exactly.
  MlirValue wide =
      mloptBuildUnary(b, "arith.extf", x, mlirF32TypeGet(b->context));
  return mloptBuildUnary(b, "arith.truncf", wide, to);
}

/// Truncates towards zero, saturates, and makes NaN 0. The conversion itself
/// may be poison; where it is, another value is selected.
static MlirValue saturate(MloptBuilder *b, MlirValue x, MlirType to,
                          bool isUnsigned) {
  MlirType from = mlirValueGetType(x);
  unsigned width = mloptElementWidth(to);
  int64_t min = isUnsigned ? 0 : (int64_t)(UINT64_MAX << (width - 1));
  int64_t max = isUnsigned ? -1 : (int64_t) ~(UINT64_MAX << (width - 1));
  MlirValue tooLarge =
      mloptBuildFloat(b, from, ldexp(1, (int)width - !isUnsigned));
  MlirValue lowest = mloptBuildFloat(b, from, (double)min);
  MlirValue r =
      mloptBuildUnary(b, isUnsigned ? "arith.fptoui" : "arith.fptosi", x, to);
  r = mloptBuildSelect(b, mloptBuildCmpF(b, "oge", x, tooLarge),
                       mloptBuildInt(b, to, max), r);
  r = mloptBuildSelect(b, mloptBuildCmpF(b, "ole", x, lowest),
                       mloptBuildInt(b, to, min), r);
  return mloptBuildSelect(b, mloptBuildCmpF(b, "uno", x, x),
                          mloptBuildInt(b, to, 0), r);
}

static MlirValue convertInt(MloptBuilder *b, MlirValue x, MlirType to,
                            bool isUnsigned) {
  MlirType from = mlirValueGetType(x);
  unsigned width = mloptElementWidth(from);
  if (mlirTypeIsAIndex(to))
    return mloptBuildUnary(
        b, isUnsigned ? "arith.index_castui" : "arith.index_cast", x, to);
  if (width > mloptElementWidth(to))
    return mloptBuildUnary(b, "arith.trunci", x, to);
  if (width < mloptElementWidth(to))
    return mloptBuildUnary(b, isUnsigned ? "arith.extui" : "arith.extsi", x,
                           to);
  return x;
}

MlirValue mloptBuildConvert(MloptBuilder *b, MlirValue x, MlirType to,
                            bool isUnsigned) {
  if (b->failed || mlirValueIsNull(x))
    return (MlirValue){NULL};
  MlirType from = mlirValueGetType(x);
  if (mlirTypeEqual(from, to))
    return x;
  if (mlirTypeIsAIndex(from)) // floats and narrower integers want a width
    return mloptBuildConvert(
        b, mloptBuildUnary(b, "arith.index_cast", x, intTypeOfWidth(b, 64)), to,
        isUnsigned);
  bool fromFloat = mloptIsFloatElement(from), toFloat = mloptIsFloatElement(to);
  if (fromFloat && toFloat)
    return convertFloat(b, x, to);
  if (fromFloat && mloptIsI1(to))
    return mloptBuildCmpF(b, "une", x, mloptBuildFloat(b, from, 0));
  if (fromFloat) {
    MlirType f32 = mlirF32TypeGet(b->context);
    if (mloptElementWidth(from) < 32)
      x = mloptBuildUnary(b, "arith.extf", x, f32);
    if (!mlirTypeIsAIndex(to))
      return saturate(b, x, to, isUnsigned);
    MlirValue wide = saturate(b, x, intTypeOfWidth(b, 64), isUnsigned);
    return mloptBuildUnary(b, "arith.index_cast", wide, to);
  }
  isUnsigned |= mloptIsI1(from);
  if (toFloat)
    return mloptBuildUnary(b, isUnsigned ? "arith.uitofp" : "arith.sitofp", x,
                           to);
  if (mloptIsI1(to))
    return mloptBuildCmpI(b, "ne", x, mloptBuildInt(b, from, 0));
  return convertInt(b, x, to, isUnsigned);
}

MlirValue mloptBuildToBits(MloptBuilder *b, MlirValue x) {
  if (b->failed || mlirValueIsNull(x))
    return (MlirValue){NULL};
  MlirType type = mlirValueGetType(x);
  if (!mloptIsFloatElement(type))
    return x;
  return mloptBuildUnary(b, "arith.bitcast", x,
                         intTypeOfWidth(b, mloptElementWidth(type)));
}

//===----------------------------------------------------------------------===//
// reduce_precision
//===----------------------------------------------------------------------===//

/// A float's magnitude as an integer, and how its bits are laid out.
typedef struct Magnitude {
  MloptBuilder *b;
  MlirType type;    ///< integer of the float's width
  int mantissa;     ///< stored mantissa bits
  int exponent;     ///< exponent bits
  int64_t overflow; ///< infinity, or NaN where there is none
} Magnitude;

static Magnitude describeMagnitude(MloptBuilder *b, MlirType floatType) {
  MloptElement e = mloptGetElement(floatType);
  int width = (int)mloptNumberWidth(e);
  // One is the bias, an odd number, over a mantissa of zeros.
  int mantissa = __builtin_ctzll(mloptNumberOne(e));
  return (Magnitude){b, intTypeOfWidth(b, width), mantissa,
                     width - mantissa - 1,
                     (int64_t)mloptNumberFromDouble(e, INFINITY)};
}

static MlirValue intOp(Magnitude *m, const char *name, MlirValue x,
                       int64_t value) {
  return mloptBuildBinary(m->b, name, x, mloptBuildInt(m->b, m->type, value));
}

/// Rounds to nearest even at a mantissa bit; a carry raises the exponent.
static MlirValue roundMantissa(Magnitude *m, MlirValue x, int64_t bits) {
  if (bits >= m->mantissa)
    return x;
  int64_t drop = m->mantissa - bits, half = INT64_C(1) << (drop - 1);
  MlirValue odd = intOp(m, "arith.andi", intOp(m, "arith.shrui", x, drop), 1);
  MlirValue biased = mloptBuildBinary(m->b, "arith.addi",
                                      intOp(m, "arith.addi", x, half - 1), odd);
  return intOp(m, "arith.andi", biased, -(INT64_C(1) << drop));
}

/// Exponents out of the narrower range become overflow or zero.
static MlirValue limitExponent(Magnitude *m, MlirValue x, int64_t bits) {
  if (bits >= m->exponent)
    return x;
  MloptBuilder *b = m->b;
  int64_t bias = (INT64_C(1) << (m->exponent - 1)) - 1;
  int64_t reach = (INT64_C(1) << (bits - 1)) - 1;
  MlirValue exponent = intOp(m, "arith.shrui", x, m->mantissa);
  MlirValue high = mloptBuildInt(b, m->type, bias + reach);
  MlirValue low = mloptBuildInt(b, m->type, bias - reach);
  MlirValue r = mloptBuildSelect(b, mloptBuildCmpI(b, "ule", exponent, low),
                                 mloptBuildInt(b, m->type, 0), x);
  return mloptBuildSelect(b, mloptBuildCmpI(b, "ugt", exponent, high),
                          mloptBuildInt(b, m->type, m->overflow), r);
}

MlirValue mloptBuildReducePrecision(MloptBuilder *b, MlirValue x,
                                    int64_t exponentBits,
                                    int64_t mantissaBits) {
  if (b->failed || mlirValueIsNull(x))
    return (MlirValue){NULL};
  MlirType type = mlirValueGetType(x);
  Magnitude m = describeMagnitude(b, type);
  MlirValue bits = mloptBuildToBits(b, x);
  int64_t signBit = (int64_t)(UINT64_C(1) << (m.mantissa + m.exponent));
  MlirValue sign = intOp(&m, "arith.andi", bits, signBit);
  MlirValue magnitude = mloptBuildBinary(b, "arith.xori", bits, sign);
  magnitude = roundMantissa(&m, magnitude, mantissaBits);
  magnitude = limitExponent(&m, magnitude, exponentBits);
  magnitude = intOp(&m, "arith.minui", magnitude, m.overflow);
  MlirValue reduced =
      mloptBuildUnary(b, "arith.bitcast",
                      mloptBuildBinary(b, "arith.ori", sign, magnitude), type);
  return mloptBuildSelect(b, mloptBuildCmpF(b, "uno", x, x), x, reduced);
}
