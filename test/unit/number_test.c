//===- number_test.c - Tests of the arithmetic on elements ----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares number.c with slow references that share no code with it: a float
// type is the sorted list of its values, rounding is a search for the nearest,
// integers are computed in 128 bits. All codes of the 8-bit and 16-bit types
// are tried as sources of conversions, all pairs of the 8-bit ones as operands.
//
//===----------------------------------------------------------------------===//

#include "number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static long passed, failed;

static void check(bool ok, const char *what, uint64_t a, uint64_t b,
                  uint64_t got, uint64_t want) {
  if (ok) {
    ++passed;
    return;
  }
  if (++failed <= 20)
    printf("%s of %#llx, %#llx: got %#llx, want %#llx\n", what,
           (unsigned long long)a, (unsigned long long)b,
           (unsigned long long)got, (unsigned long long)want);
}

static void expect(const char *what, uint64_t a, uint64_t b, uint64_t got,
                   uint64_t want) {
  check(got == want, what, a, b, got, want);
}

/// A fixed sequence of well-mixed 64-bit values.
static uint64_t nextRandom(uint64_t *state) {
  *state += 0x9E3779B97F4A7C15;
  uint64_t z = *state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

static double bitsToF64(uint64_t bits) {
  double d;
  memcpy(&d, &bits, sizeof d);
  return d;
}
static uint64_t f64ToBits(double d) {
  uint64_t bits;
  memcpy(&bits, &d, sizeof bits);
  return bits;
}
static double bitsToF32(uint64_t bits) {
  uint32_t low = (uint32_t)bits;
  float f;
  memcpy(&f, &low, sizeof f);
  return (double)f;
}
static uint64_t f32ToBits(float f) {
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return bits;
}

//===----------------------------------------------------------------------===//
// Small floats as lists of values
//===----------------------------------------------------------------------===//

typedef struct SmallFloat {
  MloptElement element;
  const char *name;
  int exponentBits, mantissaBits;
  unsigned count; ///< finite codes from +0 up
  bool infinity;
  double values[1 << 15]; ///< and one more: where the next one would be
} SmallFloat;

static SmallFloat small[] = {
    {MLOPT_F16, "f16", 5, 10, 0x7C00, true, {0}},
    {MLOPT_BF16, "bf16", 8, 7, 0x7F80, true, {0}},
    {MLOPT_F8E4M3FN, "f8E4M3FN", 4, 3, 0x7F, false, {0}},
    {MLOPT_F8E5M2, "f8E5M2", 5, 2, 0x7C, true, {0}},
};
enum { NUM_SMALL = 4 };

static void listValues(SmallFloat *f) {
  double step = pow(2, 2 - (1 << (f->exponentBits - 1)) - f->mantissaBits);
  double value = 0;
  unsigned perStep = 1u << f->mantissaBits;
  for (unsigned code = 0; code <= f->count; ++code) {
    f->values[code] = value;
    // The first two runs, denormals and the lowest normals, share a step.
    if (code >= 2 * perStep && code % perStep == 0)
      step *= 2;
    value += step;
  }
}

static uint64_t signOf(const SmallFloat *f) {
  return UINT64_C(1) << (f->exponentBits + f->mantissaBits);
}

/// The nearest code, ties to the even one; not for NaN.
static uint64_t nearest(const SmallFloat *f, double x) {
  uint64_t sign = signbit(x) ? signOf(f) : 0;
  x = fabs(x);
  unsigned low = 0, high = f->count; // values[low] <= x, if x < values[high]
  if (x >= f->values[high])
    return sign | f->count; // the infinity, or the NaN in its place
  while (high - low > 1) {
    unsigned middle = (low + high) / 2;
    if (f->values[middle] <= x)
      low = middle;
    else
      high = middle;
  }
  double below = x - f->values[low], above = f->values[high] - x;
  if (below < above || (below == above && low % 2 == 0))
    return sign | low;
  return sign | high;
}

static bool isNaNCode(const SmallFloat *f, uint64_t code) {
  code &= signOf(f) - 1;
  return f->infinity ? code > f->count : code == f->count;
}

static double valueOf(const SmallFloat *f, uint64_t code) {
  uint64_t magnitude = code & (signOf(f) - 1);
  double value = isNaNCode(f, code)      ? (double)NAN
                 : magnitude == f->count ? (double)INFINITY
                                         : f->values[magnitude];
  return code & signOf(f) ? -value : value;
}

static void expectSmall(const char *what, const SmallFloat *f, uint64_t a,
                        uint64_t b, uint64_t got, double want) {
  if (isnan(want))
    expect(what, a, b, got, mloptNumberNaN(f->element));
  else
    expect(what, a, b, got, nearest(f, want));
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// x and its neighbours, from f64 and from f32.
static void testRounding(const SmallFloat *f, double x) {
  double around[] = {x, nextafter(x, -INFINITY), nextafter(x, INFINITY)};
  for (int i = 0; i < 3; ++i) {
    uint64_t bits = f64ToBits(around[i]);
    expectSmall("f64 to small", f, bits, 0,
                mloptNumberConvert(MLOPT_F64, f->element, false, bits),
                around[i]);
  }
  float middle = (float)x;
  float near[] = {middle, nextafterf(middle, -INFINITY),
                  nextafterf(middle, INFINITY)};
  for (int i = 0; i < 3; ++i) {
    uint64_t bits = f32ToBits(near[i]);
    expectSmall("f32 to small", f, bits, 0,
                mloptNumberConvert(MLOPT_F32, f->element, false, bits),
                (double)near[i]);
  }
}

static void testConversionsTo(const SmallFloat *f) {
  // Every value and every tie between two neighbours, with either sign.
  for (unsigned code = 0; code < f->count; ++code) {
    double tie = (f->values[code] + f->values[code + 1]) / 2;
    testRounding(f, f->values[code]);
    testRounding(f, -f->values[code]);
    testRounding(f, tie);
    testRounding(f, -tie);
  }
  double special[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 1e300,
                      -1e300,      1e-300,           4.9e-324};
  for (int i = 0; i < 7; ++i)
    testRounding(f, special[i]);
  for (int64_t i = INT16_MIN; i <= INT16_MAX; ++i) {
    uint64_t bits = (uint64_t)i & 0xFFFF;
    expectSmall("i16 to small", f, bits, 0,
                mloptNumberConvert(MLOPT_I16, f->element, false, bits),
                (double)i);
    expectSmall("u16 to small", f, bits, 0,
                mloptNumberConvert(MLOPT_I16, f->element, true, bits),
                (double)bits);
  }
}

/// The integer a float converts to, in 128 bits.
static uint64_t saturate(double x, unsigned width, bool isUnsigned) {
  if (isnan(x))
    return 0;
  __int128 min = isUnsigned ? 0 : -((__int128)1 << (width - 1));
  __int128 max = ((__int128)1 << (isUnsigned ? width : width - 1)) - 1;
  __int128 value = fabs(x) > 1e30 ? (x < 0 ? min : max) : (__int128)x;
  value = value < min ? min : value > max ? max : value;
  return (uint64_t)(value & (((__int128)1 << width) - 1));
}

static const MloptElement ints[] = {MLOPT_I4,  MLOPT_I8,  MLOPT_I16,
                                    MLOPT_I32, MLOPT_I64, MLOPT_INDEX};

static void testFloatToInt(MloptElement from, uint64_t bits, double value) {
  for (int i = 0; i < 6; ++i)
    for (int isUnsigned = 0; isUnsigned < 2; ++isUnsigned)
      expect("float to int", bits, (uint64_t)isUnsigned,
             mloptNumberConvert(from, ints[i], isUnsigned, bits),
             saturate(value, mloptNumberWidth(ints[i]), isUnsigned));
  expect("float to i1", bits, 0,
         mloptNumberConvert(from, MLOPT_I1, false, bits), value != 0);
}

/// Every code of a small float as the source.
static void testConversionsFrom(const SmallFloat *f) {
  for (uint64_t code = 0; code < 2 * signOf(f); ++code) {
    double value = valueOf(f, code);
    bool nan = isNaNCode(f, code);
    expect("is NaN", code, 0, mloptNumberIsNaN(f->element, code), nan);
    expect("is finite", code, 0, mloptNumberIsfinite(f->element, code),
           isfinite(value) != 0);
    expect("small to f64", code, 0,
           mloptNumberConvert(f->element, MLOPT_F64, false, code),
           nan ? mloptNumberNaN(MLOPT_F64) : f64ToBits(value));
    expect("small to f32", code, 0,
           mloptNumberConvert(f->element, MLOPT_F32, false, code),
           nan ? mloptNumberNaN(MLOPT_F32) : f32ToBits((float)value));
    for (int i = 0; i < NUM_SMALL; ++i)
      expectSmall("small to small", &small[i], code, 0,
                  mloptNumberConvert(f->element, small[i].element, false, code),
                  value);
    testFloatToInt(f->element, code, value);
  }
}

static void testWideConversions(void) {
  uint64_t state = 1;
  for (int i = 0; i < 200000; ++i) {
    // Random lengths make ties and carries likely.
    uint64_t bits = nextRandom(&state) >> (nextRandom(&state) % 64);
    if (i % 3 == 0)
      bits <<= nextRandom(&state) % 64;
    int64_t value = (int64_t)bits;
    expect("i64 to f64", bits, 0,
           mloptNumberConvert(MLOPT_I64, MLOPT_F64, false, bits),
           f64ToBits((double)value));
    expect("u64 to f64", bits, 0,
           mloptNumberConvert(MLOPT_I64, MLOPT_F64, true, bits),
           f64ToBits((double)bits));
    expect("i64 to f32", bits, 0,
           mloptNumberConvert(MLOPT_I64, MLOPT_F32, false, bits),
           f32ToBits((float)value));
    expect("u64 to f32", bits, 0,
           mloptNumberConvert(MLOPT_I64, MLOPT_F32, true, bits),
           f32ToBits((float)bits));
    double wide = bitsToF64(nextRandom(&state));
    if (!isnan(wide))
      expect("f64 to f32", f64ToBits(wide), 0,
             mloptNumberFromDouble(MLOPT_F32, wide), f32ToBits((float)wide));
    double narrow = bitsToF32(nextRandom(&state));
    testFloatToInt(MLOPT_F64, f64ToBits(narrow), narrow);
  }
  double edges[] = {0.5,
                    1.5,
                    -0.5,
                    -0.0,
                    127.9,
                    128,
                    -128,
                    -129,
                    2147483647.5,
                    -2e9,
                    0x1p31,
                    0x1p63,
                    0x1p64,
                    -0x1p63,
                    -0x1p64,
                    255.99,
                    0x1.fffffffffffffp62,
                    -0x1.0000000000001p63};
  for (unsigned i = 0; i < sizeof edges / sizeof *edges; ++i)
    testFloatToInt(MLOPT_F64, f64ToBits(edges[i]), edges[i]);
  testFloatToInt(MLOPT_F64, mloptNumberNaN(MLOPT_F64), (double)NAN);
}

static void testIntConversions(void) {
  for (uint64_t bits = 0; bits < 256; ++bits) {
    expect("i8 to i16", bits, 0,
           mloptNumberConvert(MLOPT_I8, MLOPT_I16, false, bits),
           (uint64_t)(uint16_t)(int8_t)bits);
    expect("u8 to i16", bits, 0,
           mloptNumberConvert(MLOPT_I8, MLOPT_I16, true, bits), bits);
    expect("i8 to i4", bits, 0,
           mloptNumberConvert(MLOPT_I8, MLOPT_I4, false, bits), bits & 15);
    expect("i8 to i1", bits, 0,
           mloptNumberConvert(MLOPT_I8, MLOPT_I1, false, bits), bits != 0);
  }
  expect("i4 to i8", 9, 0, mloptNumberConvert(MLOPT_I4, MLOPT_I8, false, 9),
         0xF9);
  expect("u4 to i8", 9, 0, mloptNumberConvert(MLOPT_I4, MLOPT_I8, true, 9), 9);
  expect("i1 to i8", 1, 0, mloptNumberConvert(MLOPT_I1, MLOPT_I8, false, 1), 1);
  expect("i1 to f32", 1, 0, mloptNumberConvert(MLOPT_I1, MLOPT_F32, false, 1),
         0x3F800000);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

// The exact result, or one in f64, whose 53 bits are more than twice those of a
// small float and two: rounding it again gives the correctly rounded result.
static void testSmallPair(const SmallFloat *f, uint64_t a, uint64_t b) {
  MloptElement e = f->element;
  double x = valueOf(f, a), y = valueOf(f, b);
  expectSmall("add", f, a, b, mloptNumberAdd(e, a, b), x + y);
  expectSmall("sub", f, a, b, mloptNumberSub(e, a, b), x - y);
  expectSmall("mul", f, a, b, mloptNumberMul(e, a, b), x * y);
  expectSmall("div", f, a, b, mloptNumberDiv(e, a, b), x / y);
  expectSmall("rem", f, a, b, mloptNumberRem(e, a, b), fmod(x, y));
  bool unordered = isnan(x) || isnan(y);
  double high = x > y || (x == y && !signbit(x)) ? x : y;
  double low = x < y || (x == y && signbit(x)) ? x : y;
  expectSmall("max", f, a, b, mloptNumberMax(e, a, b),
              unordered ? (double)NAN : high);
  expectSmall("min", f, a, b, mloptNumberMin(e, a, b),
              unordered ? (double)NAN : low);
  bool results[] = {x == y, x != y, x<y, x <= y, x> y, x >= y};
  for (int p = MLOPT_EQ; p <= MLOPT_GE; ++p)
    expect("compare", a, b, mloptNumberCompare(e, (MloptPredicate)p, a, b),
           results[p]);
}

static void testSmallUnary(const SmallFloat *f, uint64_t a) {
  MloptElement e = f->element;
  double x = valueOf(f, a);
  expect("neg", a, 0, mloptNumberNeg(e, a), a ^ signOf(f));
  expect("abs", a, 0, mloptNumberAbs(e, a), a & (signOf(f) - 1));
  double sign = isnan(x) || x == 0 ? x : x > 0 ? 1 : -1;
  expectSmall("sign", f, a, 0, mloptNumberSign(e, a), sign);
  double below = x - fmod(x, 1);
  if (isinf(x))
    below = x;
  if (below > x)
    below -= 1;
  double fraction = isinf(x) ? 0 : x - below;
  if (fraction < 0) { // truncation went up
    below -= 1;
    fraction += 1;
  }
  double above = fraction > 0 ? below + 1 : below;
  double away = fraction == 0.5  ? (x > 0 ? above : below)
                : fraction > 0.5 ? above
                                 : below;
  double even = fraction == 0.5 ? (fmod(below, 2) == 0 ? below : above) : away;
  // Zero results keep the sign.
  expectSmall("floor", f, a, 0, mloptNumberFloor(e, a), copysign(below, x));
  expectSmall("ceil", f, a, 0, mloptNumberCeil(e, a), copysign(above, x));
  expectSmall("round", f, a, 0, mloptNumberRound(e, a), copysign(away, x));
  expectSmall("roundeven", f, a, 0, mloptNumberRoundeven(e, a),
              copysign(even, x));
  expectSmall("sqrt", f, a, 0, mloptNumberSqrt(e, a), sqrt(x));
}

static void testSmallArithmetic(const SmallFloat *f) {
  uint64_t codes = 2 * signOf(f);
  for (uint64_t a = 0; a < codes; ++a)
    testSmallUnary(f, a);
  if (codes == 256) {
    for (uint64_t a = 0; a < codes; ++a)
      for (uint64_t b = 0; b < codes; ++b)
        testSmallPair(f, a, b);
    return;
  }
  uint64_t state = 2;
  for (int i = 0; i < 100000; ++i) {
    uint64_t r = nextRandom(&state);
    testSmallPair(f, r & 0xFFFF, r >> 16 & 0xFFFF);
    testSmallPair(f, r & 0xFFFF, (r & 0xFC00) | (r >> 16 & 0x3FF));
  }
}

static void testWideFloats(void) {
  MloptElement e = MLOPT_F32;
  uint64_t tiny = 1, half = f32ToBits(0.5f), one = f32ToBits(1);
  expect("denormal sum", tiny, tiny, mloptNumberAdd(e, tiny, tiny), 2);
  expect("denormal half", tiny, half, mloptNumberMul(e, tiny, half), 0);
  expect("-0 + 0", 0x80000000, 0, mloptNumberAdd(e, 0x80000000, 0), 0);
  expect("-0 + -0", 0x80000000, 0x80000000,
         mloptNumberAdd(e, 0x80000000, 0x80000000), 0x80000000);
  expect("1 / 3", one, 0, mloptNumberDiv(e, one, f32ToBits(3)), 0x3EAAAAAB);
  expect("0 / 0", 0, 0, mloptNumberDiv(e, 0, 0), 0x7FC00000);
  expect("sqrt 2", 0, 0, mloptNumberSqrt(e, f32ToBits(2)), 0x3FB504F3);
  // In f64 where f32 would lose the second operand.
  double sum = 1 + 0x1p-40;
  expect("f64 sum", 0, 0,
         mloptNumberAdd(MLOPT_F64, f64ToBits(1), f64ToBits(0x1p-40)),
         f64ToBits(sum));
  expect("f64 sqrt", 0, 0, mloptNumberSqrt(MLOPT_F64, f64ToBits(2)),
         f64ToBits(0x1.6a09e667f3bcdp+0));
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static int powReference(int base, int exponent) {
  if (exponent < 0) {
    if (base == 0)
      return -1;
    if (base == -1)
      return exponent % 2 ? -1 : 1;
    return base == 1;
  }
  int result = 1;
  for (int i = 0; i < exponent; ++i)
    result = (int8_t)(result * base);
  return result;
}

static void testIntPair(int a, int b) {
  MloptElement e = MLOPT_I8;
  uint64_t x = (uint8_t)a, y = (uint8_t)b;
  uint64_t results[][2] = {
      {mloptNumberAdd(e, x, y), (uint8_t)(a + b)},
      {mloptNumberSub(e, x, y), (uint8_t)(a - b)},
      {mloptNumberMul(e, x, y), (uint8_t)(a * b)},
      {mloptNumberDiv(e, x, y), (uint8_t)(b ? a / b : -1)},
      {mloptNumberRem(e, x, y), (uint8_t)(b ? a % b : a)},
      {mloptNumberDivu(e, x, y), y ? x / y : 255},
      {mloptNumberRemu(e, x, y), y ? x % y : x},
      {mloptNumberPow(e, x, y), (uint8_t)powReference(a, b)},
      {mloptNumberMax(e, x, y), (uint8_t)(a > b ? a : b)},
      {mloptNumberMin(e, x, y), (uint8_t)(a < b ? a : b)},
      {mloptNumberMaxu(e, x, y), x > y ? x : y},
      {mloptNumberMinu(e, x, y), x < y ? x : y},
      {mloptNumberAnd(e, x, y), x & y},
      {mloptNumberOr(e, x, y), x | y},
      {mloptNumberXor(e, x, y), x ^ y},
      {mloptNumberShl(e, x, y), y < 8 ? (uint8_t)(x << y) : 0},
      {mloptNumberShru(e, x, y), y < 8 ? x >> y : 0},
      {mloptNumberShrs(e, x, y), (uint8_t)(a >> (y < 8 ? y : 7))},
      {mloptNumberCompare(e, MLOPT_LT, x, y), a < b},
      {mloptNumberCompare(e, MLOPT_LE, x, y), a <= b},
      {mloptNumberCompare(e, MLOPT_GT, x, y), a > b},
      {mloptNumberCompare(e, MLOPT_GE, x, y), a >= b},
      {mloptNumberCompare(e, MLOPT_EQ, x, y), a == b},
      {mloptNumberCompare(e, MLOPT_NE, x, y), a != b},
      {mloptNumberCompare(e, MLOPT_ULT, x, y), x < y},
      {mloptNumberCompare(e, MLOPT_ULE, x, y), x <= y},
      {mloptNumberCompare(e, MLOPT_UGT, x, y), x > y},
      {mloptNumberCompare(e, MLOPT_UGE, x, y), x >= y},
  };
  for (unsigned i = 0; i < sizeof results / sizeof *results; ++i) {
    char what[32];
    snprintf(what, sizeof what, "i8 function %u", i);
    expect(what, x, y, results[i][0], results[i][1]);
  }
}

static void testInts(void) {
  for (int a = -128; a < 128; ++a) {
    for (int b = -128; b < 128; ++b)
      testIntPair(a, b);
    uint64_t x = (uint8_t)a;
    expect("abs", x, 0, mloptNumberAbs(MLOPT_I8, x), (uint8_t)(a < 0 ? -a : a));
    expect("neg", x, 0, mloptNumberNeg(MLOPT_I8, x), (uint8_t)-a);
    expect("sign", x, 0, mloptNumberSign(MLOPT_I8, x),
           (uint8_t)((a > 0) - (a < 0)));
    expect("not", x, 0, mloptNumberNot(MLOPT_I8, x), x ^ 255);
    unsigned ones = 0, zeros = 0;
    for (int i = 0; i < 8; ++i)
      ones += x >> i & 1;
    while (zeros < 8 && !(x >> (7 - zeros) & 1))
      ++zeros;
    expect("ctpop", x, 0, mloptNumberCtpop(MLOPT_I8, x), ones);
    expect("ctlz", x, 0, mloptNumberCtlz(MLOPT_I8, x), zeros);
  }
  uint64_t min = UINT64_C(1) << 63, minusOne = ~UINT64_C(0);
  MloptElement e = MLOPT_I64;
  expect("i64 div", min, minusOne, mloptNumberDiv(e, min, minusOne), min);
  expect("i64 rem", min, minusOne, mloptNumberRem(e, min, minusOne), 0);
  expect("i64 div", min, 0, mloptNumberDiv(e, min, 0), minusOne);
  expect("i64 abs", min, 0, mloptNumberAbs(e, min), min);
  expect("i64 shl", 1, 64, mloptNumberShl(e, 1, 64), 0);
  expect("i64 shrs", min, 64, mloptNumberShrs(e, min, 64), minusOne);
  expect("i64 ctlz", 0, 0, mloptNumberCtlz(e, 0), 64);
  for (uint64_t a = 0; a < 2; ++a)
    for (uint64_t b = 0; b < 2; ++b) {
      expect("i1 add", a, b, mloptNumberAdd(MLOPT_I1, a, b), a | b);
      expect("i1 mul", a, b, mloptNumberMul(MLOPT_I1, a, b), a & b);
      expect("i1 max", a, b, mloptNumberMax(MLOPT_I1, a, b), a | b);
      expect("i1 min", a, b, mloptNumberMin(MLOPT_I1, a, b), a & b);
      expect("i1 lt", a, b, mloptNumberCompare(MLOPT_I1, MLOPT_LT, a, b),
             a < b);
    }
}

//===----------------------------------------------------------------------===//
// Reduced precision
//===----------------------------------------------------------------------===//

/// Among the reduced format's normals, reducing is converting there and back;
/// below them, what stays below after rounding becomes zero.
static void testReducePrecision(void) {
  uint64_t state = 3;
  for (int i = 0; i < 200000; ++i) {
    uint64_t bits = nextRandom(&state) & 0xFFFFFFFF;
    double x = bitsToF32(bits);
    if (isnan(x))
      continue;
    expect("reduce to bf16", bits, 0,
           mloptNumberReducePrecision(MLOPT_F32, 8, 7, bits),
           f32ToBits((float)valueOf(&small[1], nearest(&small[1], x))));
    double magnitude = fabs(x);
    if (magnitude >= 0x1p-14)
      x = valueOf(&small[0], nearest(&small[0], x));
    else if (magnitude < 0x1.ffep-15)
      x = copysign(0, x);
    else
      x = copysign(0x1p-14, x);
    expect("reduce to f16", bits, 0,
           mloptNumberReducePrecision(MLOPT_F32, 5, 10, bits),
           f32ToBits((float)x));
  }
  expect("reduce infinity", 0, 0,
         mloptNumberReducePrecision(MLOPT_F32, 5, 10, 0xFF800000), 0xFF800000);
  expect("reduce NaN", 0, 0,
         mloptNumberReducePrecision(MLOPT_F32, 5, 10, 0xFF800001), 0x7FC00000);
  expect("reduce 480", 0, 0,
         mloptNumberReducePrecision(MLOPT_F8E4M3FN, 4, 0, 0x7E), 0x7F);
  expect("reduce within", 0, 0,
         mloptNumberReducePrecision(MLOPT_F16, 11, 52, 0x3555), 0x3555);
}

int main(void) {
  for (int i = 0; i < NUM_SMALL; ++i)
    listValues(&small[i]);
  for (int i = 0; i < NUM_SMALL; ++i) {
    testConversionsTo(&small[i]);
    testConversionsFrom(&small[i]);
    testSmallArithmetic(&small[i]);
  }
  testWideConversions();
  testIntConversions();
  testWideFloats();
  testInts();
  testReducePrecision();
  printf("%ld passed, %ld failed\n", passed, failed);
  return failed != 0;
}
