//===- number.c - Exact arithmetic on single elements ---------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "number.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Host arithmetic stands for the compiled program's.
_Static_assert(FLT_EVAL_METHOD == 0, "float and double in their own precision");

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

typedef struct Format {
  unsigned width;
  unsigned mantissa; ///< stored mantissa bits of a float; 0 for integers
  uint64_t overflow; ///< a float's infinity, or NaN where there is none
  uint64_t nan;      ///< canonical NaN
} Format;

// Exponent bits are what width and mantissa leave beside the sign.
static const Format formats[] = {
    [MLOPT_F64] = {64, 52, 0x7FF0000000000000, 0x7FF8000000000000},
    [MLOPT_F32] = {32, 23, 0x7F800000, 0x7FC00000},
    [MLOPT_F16] = {16, 10, 0x7C00, 0x7E00},
    [MLOPT_BF16] = {16, 7, 0x7F80, 0x7FC0},
    [MLOPT_F8E4M3FN] = {8, 3, 0x7F, 0x7F},
    [MLOPT_F8E5M2] = {8, 2, 0x7C, 0x7E},
    [MLOPT_I1] = {.width = 1},
    [MLOPT_I4] = {.width = 4},
    [MLOPT_I8] = {.width = 8},
    [MLOPT_I16] = {.width = 16},
    [MLOPT_I32] = {.width = 32},
    [MLOPT_I64] = {.width = 64},
    [MLOPT_INDEX] = {.width = 64},
};

static uint64_t lowBits(unsigned n) {
  return n >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1;
}

bool mloptNumberIsFloat(MloptElement e) { return formats[e].mantissa != 0; }
unsigned mloptNumberWidth(MloptElement e) { return formats[e].width; }
uint64_t mloptNumberMask(MloptElement e) { return lowBits(formats[e].width); }
uint64_t mloptNumberNaN(MloptElement e) { return formats[e].nan; }

static uint64_t signBit(MloptElement e) {
  return UINT64_C(1) << (formats[e].width - 1);
}

static unsigned exponentWidth(MloptElement e) {
  return formats[e].width - formats[e].mantissa - 1;
}

static int exponentBias(MloptElement e) {
  return (1 << (exponentWidth(e) - 1)) - 1;
}

bool mloptNumberIsNaN(MloptElement e, uint64_t bits) {
  uint64_t magnitude = bits & ~signBit(e);
  const Format *f = &formats[e];
  // Where there is no infinity, the code in its place is the NaN.
  return f->overflow == f->nan ? magnitude == f->nan : magnitude > f->overflow;
}

uint64_t mloptNumberOne(MloptElement e) {
  if (!mloptNumberIsFloat(e))
    return 1;
  return (uint64_t)exponentBias(e) << formats[e].mantissa;
}

double mloptNumberAsDouble(MloptElement e, uint64_t bits) {
  if (mloptNumberIsNaN(e, bits))
    return (double)NAN;
  bool negative = bits & signBit(e);
  uint64_t magnitude = bits & ~signBit(e);
  double value;
  if (e == MLOPT_F64) {
    memcpy(&value, &magnitude, sizeof value);
  } else if (magnitude == formats[e].overflow) {
    value = (double)INFINITY;
  } else {
    unsigned m = formats[e].mantissa;
    int exponent = (int)(magnitude >> m);
    uint64_t mantissa = magnitude & lowBits(m);
    if (exponent == 0)
      exponent = 1; // denormal: the exponent of the smallest normal
    else
      mantissa |= UINT64_C(1) << m;
    value = ldexp((double)mantissa, exponent - exponentBias(e) - (int)m);
  }
  return negative ? -value : value;
}

/// Rounds mantissa * 2^exponent to the float type, to nearest even.
static uint64_t roundTo(MloptElement e, bool negative, uint64_t mantissa,
                        int exponent) {
  uint64_t sign = negative ? signBit(e) : 0;
  if (mantissa == 0)
    return sign;
  int m = (int)formats[e].mantissa, bias = exponentBias(e);
  int top = 63 - __builtin_clzll(mantissa) + exponent; // 2^top <= value
  if (top > bias + 1)
    return sign | formats[e].overflow;
  // The weight of the result's last bit; denormals share the lowest normals'.
  int smallest = 1 - bias;
  int last = (top > smallest ? top : smallest) - m;
  int drop = last - exponent;
  uint64_t kept;
  if (drop <= 0) {
    kept = mantissa << -drop;
  } else if (drop > 64) {
    kept = 0; // below half of the last bit
  } else {
    uint64_t rest = mantissa & lowBits((unsigned)drop);
    uint64_t half = UINT64_C(1) << (drop - 1);
    kept = drop == 64 ? 0 : mantissa >> drop;
    kept += rest > half || (rest == half && (kept & 1));
  }
  // `kept` carries the implicit bit of a normal into the exponent field, as
  // does a round up to the next power of two.
  uint64_t field = (uint64_t)(last + m - smallest);
  uint64_t magnitude = (field << m) + kept;
  if (magnitude > formats[e].overflow)
    magnitude = formats[e].overflow;
  return sign | magnitude;
}

uint64_t mloptNumberFromDouble(MloptElement e, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (mloptNumberIsNaN(MLOPT_F64, bits))
    return formats[e].nan;
  if (e == MLOPT_F64)
    return bits;
  bool negative = bits >> 63;
  int exponent = (int)(bits >> 52 & 0x7FF);
  uint64_t mantissa = bits & lowBits(52);
  if (exponent == 0x7FF)
    return (negative ? signBit(e) : 0) | formats[e].overflow;
  if (exponent == 0)
    exponent = 1;
  else
    mantissa |= UINT64_C(1) << 52;
  return roundTo(e, negative, mantissa, exponent - 1075);
}

//===----------------------------------------------------------------------===//
// Integers and conversion
//===----------------------------------------------------------------------===//

int64_t mloptNumberToInt(MloptElement e, uint64_t bits) {
  if (e == MLOPT_I1)
    return (int64_t)bits;
  uint64_t sign = signBit(e);
  return (int64_t)((bits ^ sign) - sign);
}

static uint64_t fromInt(MloptElement e, uint64_t value) {
  return value & mloptNumberMask(e);
}

/// Truncates towards zero and saturates; NaN gives 0.
static uint64_t floatToInt(MloptElement to, bool isUnsigned, double value) {
  if (to == MLOPT_I1)
    return value != 0;
  if (isnan(value))
    return 0;
  unsigned width = formats[to].width;
  double limit = ldexp(1, (int)width - (isUnsigned ? 0 : 1));
  if (value >= limit)
    return isUnsigned ? mloptNumberMask(to) : signBit(to) - 1;
  if (isUnsigned)
    return value <= 0 ? 0 : (uint64_t)value;
  if (value <= -limit)
    return signBit(to);
  return fromInt(to, (uint64_t)(int64_t)value);
}

uint64_t mloptNumberConvert(MloptElement from, MloptElement to, bool isUnsigned,
                            uint64_t bits) {
  if (mloptNumberIsFloat(from)) {
    double value = mloptNumberAsDouble(from, bits);
    return mloptNumberIsFloat(to) ? mloptNumberFromDouble(to, value)
                                  : floatToInt(to, isUnsigned, value);
  }
  uint64_t value = isUnsigned ? bits : (uint64_t)mloptNumberToInt(from, bits);
  if (mloptNumberIsFloat(to)) {
    bool negative = !isUnsigned && (int64_t)value < 0;
    return roundTo(to, negative, negative ? -value : value, 0);
  }
  return to == MLOPT_I1 ? value != 0 : fromInt(to, value);
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

const char *const mloptPredicateNames[MLOPT_NUM_PREDICATES] = {
    [MLOPT_EQ] = "eq",   [MLOPT_NE] = "ne",   [MLOPT_LT] = "lt",
    [MLOPT_LE] = "le",   [MLOPT_GT] = "gt",   [MLOPT_GE] = "ge",
    [MLOPT_ULT] = "ult", [MLOPT_ULE] = "ule", [MLOPT_UGT] = "ugt",
    [MLOPT_UGE] = "uge",
};

bool mloptNumberCompare(MloptElement e, MloptPredicate predicate, uint64_t a,
                        uint64_t b) {
  bool less, equal, unordered = false;
  if (mloptNumberIsFloat(e)) {
    double x = mloptNumberAsDouble(e, a), y = mloptNumberAsDouble(e, b);
    less = x < y;
    equal = x == y;
    unordered = isnan(x) || isnan(y);
  } else if (predicate >= MLOPT_ULT) {
    less = a < b;
    equal = a == b;
  } else {
    less = mloptNumberToInt(e, a) < mloptNumberToInt(e, b);
    equal = a == b;
  }
  switch (predicate) {
  case MLOPT_EQ:
    return equal;
  case MLOPT_NE:
    return !equal;
  case MLOPT_LT:
  case MLOPT_ULT:
    return less;
  case MLOPT_LE:
  case MLOPT_ULE:
    return less || equal;
  case MLOPT_GT:
  case MLOPT_UGT:
    return !less && !equal && !unordered;
  case MLOPT_GE:
  case MLOPT_UGE:
    return !less && !unordered;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Functions of one element
//===----------------------------------------------------------------------===//

uint64_t mloptNumberAbs(MloptElement e, uint64_t x) {
  if (mloptNumberIsFloat(e))
    return x & ~signBit(e);
  return x & signBit(e) ? fromInt(e, -x) : x;
}

uint64_t mloptNumberNeg(MloptElement e, uint64_t x) {
  return mloptNumberIsFloat(e) ? x ^ signBit(e) : fromInt(e, -x);
}

uint64_t mloptNumberSign(MloptElement e, uint64_t x) {
  if (mloptNumberIsFloat(e)) {
    if (mloptNumberIsNaN(e, x))
      return formats[e].nan;
    uint64_t sign = x & signBit(e);
    return x == sign ? x : sign | mloptNumberOne(e);
  }
  if (x & signBit(e))
    return mloptNumberMask(e);
  return x != 0;
}

// The nearest integers of a float are floats of its type.
uint64_t mloptNumberCeil(MloptElement e, uint64_t x) {
  return mloptNumberFromDouble(e, ceil(mloptNumberAsDouble(e, x)));
}
uint64_t mloptNumberFloor(MloptElement e, uint64_t x) {
  return mloptNumberFromDouble(e, floor(mloptNumberAsDouble(e, x)));
}
uint64_t mloptNumberRound(MloptElement e, uint64_t x) {
  return mloptNumberFromDouble(e, round(mloptNumberAsDouble(e, x)));
}
uint64_t mloptNumberRoundeven(MloptElement e, uint64_t x) {
  return mloptNumberFromDouble(e, nearbyint(mloptNumberAsDouble(e, x)));
}

uint64_t mloptNumberSqrt(MloptElement e, uint64_t x) {
  double value = mloptNumberAsDouble(e, x);
  if (e != MLOPT_F64)
    value = (double)sqrtf((float)value);
  else
    value = sqrt(value);
  return mloptNumberFromDouble(e, value);
}

uint64_t mloptNumberIsfinite(MloptElement e, uint64_t x) {
  return (x & ~signBit(e)) < formats[e].overflow;
}

uint64_t mloptNumberNot(MloptElement e, uint64_t x) { return fromInt(e, ~x); }

uint64_t mloptNumberCtpop(MloptElement e, uint64_t x) {
  (void)e;
  return (uint64_t)__builtin_popcountll(x);
}

uint64_t mloptNumberCtlz(MloptElement e, uint64_t x) {
  unsigned width = formats[e].width;
  return x == 0 ? width : (unsigned)__builtin_clzll(x) - (64 - width);
}

//===----------------------------------------------------------------------===//
// Functions of two elements
//===----------------------------------------------------------------------===//

// A float operation: in f64 for f64, in f32 and rounded once for all others.
#define FLOAT_BINARY(name, expr64, expr32)                                     \
  static uint64_t name(MloptElement e, uint64_t a, uint64_t b) {               \
    double x = mloptNumberAsDouble(e, a), y = mloptNumberAsDouble(e, b);       \
    if (e == MLOPT_F64)                                                        \
      return mloptNumberFromDouble(e, expr64);                                 \
    float u = (float)x, v = (float)y;                                          \
    return mloptNumberFromDouble(e, (double)expr32);                           \
  }
FLOAT_BINARY(addFloats, (x + y), (u + v))
FLOAT_BINARY(subFloats, (x - y), (u - v))
FLOAT_BINARY(mulFloats, (x * y), (u * v))
FLOAT_BINARY(divFloats, (x / y), (u / v))
FLOAT_BINARY(remFloats, fmod(x, y), fmodf(u, v))

uint64_t mloptNumberAdd(MloptElement e, uint64_t a, uint64_t b) {
  if (mloptNumberIsFloat(e))
    return addFloats(e, a, b);
  return e == MLOPT_I1 ? a | b : fromInt(e, a + b);
}

uint64_t mloptNumberSub(MloptElement e, uint64_t a, uint64_t b) {
  return mloptNumberIsFloat(e) ? subFloats(e, a, b) : fromInt(e, a - b);
}

uint64_t mloptNumberMul(MloptElement e, uint64_t a, uint64_t b) {
  return mloptNumberIsFloat(e) ? mulFloats(e, a, b) : fromInt(e, a * b);
}

uint64_t mloptNumberDiv(MloptElement e, uint64_t a, uint64_t b) {
  if (mloptNumberIsFloat(e))
    return divFloats(e, a, b);
  if (b == 0)
    return mloptNumberMask(e);
  if (b == mloptNumberMask(e)) // -1: MIN / -1 wraps to MIN
    return fromInt(e, -a);
  return fromInt(e,
                 (uint64_t)(mloptNumberToInt(e, a) / mloptNumberToInt(e, b)));
}

uint64_t mloptNumberDivu(MloptElement e, uint64_t a, uint64_t b) {
  return b == 0 ? mloptNumberMask(e) : a / b;
}

uint64_t mloptNumberRem(MloptElement e, uint64_t a, uint64_t b) {
  if (mloptNumberIsFloat(e))
    return remFloats(e, a, b);
  if (b == 0)
    return a;
  if (b == mloptNumberMask(e)) // -1, where MIN % -1 would overflow
    return 0;
  return fromInt(e,
                 (uint64_t)(mloptNumberToInt(e, a) % mloptNumberToInt(e, b)));
}

uint64_t mloptNumberRemu(MloptElement e, uint64_t a, uint64_t b) {
  (void)e;
  return b == 0 ? a : a % b;
}

uint64_t mloptNumberPow(MloptElement e, uint64_t a, uint64_t b) {
  if (b & signBit(e)) {
    if (a == 0 || (a == mloptNumberMask(e) && (b & 1)))
      return mloptNumberMask(e);
    return a == 1 || a == mloptNumberMask(e);
  }
  uint64_t result = 1;
  for (; b; b >>= 1, a *= a)
    if (b & 1)
      result *= a;
  return fromInt(e, result);
}

/// The greater of two floats, or the lesser; +0 is greater than -0.
static uint64_t pickFloat(MloptElement e, uint64_t a, uint64_t b,
                          bool greater) {
  if (mloptNumberIsNaN(e, a) || mloptNumberIsNaN(e, b))
    return formats[e].nan;
  double x = mloptNumberAsDouble(e, a), y = mloptNumberAsDouble(e, b);
  bool less = x < y || (x == y && (a & signBit(e)) > (b & signBit(e)));
  return less == greater ? b : a;
}

uint64_t mloptNumberMax(MloptElement e, uint64_t a, uint64_t b) {
  if (mloptNumberIsFloat(e))
    return pickFloat(e, a, b, /*greater=*/true);
  return mloptNumberCompare(e, MLOPT_LT, a, b) ? b : a;
}

uint64_t mloptNumberMaxu(MloptElement e, uint64_t a, uint64_t b) {
  (void)e;
  return a < b ? b : a;
}

uint64_t mloptNumberMin(MloptElement e, uint64_t a, uint64_t b) {
  if (mloptNumberIsFloat(e))
    return pickFloat(e, a, b, /*greater=*/false);
  return mloptNumberCompare(e, MLOPT_LT, a, b) ? a : b;
}

uint64_t mloptNumberMinu(MloptElement e, uint64_t a, uint64_t b) {
  (void)e;
  return a < b ? a : b;
}

uint64_t mloptNumberAnd(MloptElement e, uint64_t a, uint64_t b) {
  (void)e;
  return a & b;
}

uint64_t mloptNumberOr(MloptElement e, uint64_t a, uint64_t b) {
  (void)e;
  return a | b;
}

uint64_t mloptNumberXor(MloptElement e, uint64_t a, uint64_t b) {
  (void)e;
  return a ^ b;
}

uint64_t mloptNumberShl(MloptElement e, uint64_t a, uint64_t b) {
  return b >= formats[e].width ? 0 : fromInt(e, a << b);
}

uint64_t mloptNumberShru(MloptElement e, uint64_t a, uint64_t b) {
  return b >= formats[e].width ? 0 : a >> b;
}

uint64_t mloptNumberShrs(MloptElement e, uint64_t a, uint64_t b) {
  unsigned last = formats[e].width - 1; // as far as the sign bit goes
  return fromInt(e,
                 (uint64_t)(mloptNumberToInt(e, a) >> (b > last ? last : b)));
}

//===----------------------------------------------------------------------===//
// Reduced precision
//===----------------------------------------------------------------------===//

uint64_t mloptNumberReducePrecision(MloptElement e, unsigned exponentBits,
                                    unsigned mantissaBits, uint64_t bits) {
  const Format *f = &formats[e];
  if (mloptNumberIsNaN(e, bits))
    return f->nan;
  uint64_t sign = bits & signBit(e), magnitude = bits & ~signBit(e);
  if (mantissaBits < f->mantissa) {
    unsigned drop = f->mantissa - mantissaBits;
    uint64_t half = UINT64_C(1) << (drop - 1);
    magnitude += half - 1 + (magnitude >> drop & 1);
    magnitude &= ~lowBits(drop);
  }
  if (exponentBits < exponentWidth(e)) {
    int reach = (1 << (exponentBits - 1)) - 1;
    int exponent = (int)(magnitude >> f->mantissa);
    if (exponent > exponentBias(e) + reach)
      magnitude = f->overflow;
    else if (exponent <= exponentBias(e) - reach)
      magnitude = 0;
  }
  if (magnitude > f->overflow)
    magnitude = f->overflow;
  return sign | magnitude;
}

bool mloptNumberKeepsPrecision(MloptElement e, unsigned exponentBits,
                               unsigned mantissaBits) {
  return exponentBits >= exponentWidth(e) &&
         mantissaBits >= formats[e].mantissa;
}
