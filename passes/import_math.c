//===- import_math.c - Functions that mlopt has no operation for ----------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CHLO's special functions, written out. Floats narrower than f32 are computed
// in f32 and rounded once. Sources of the approximations, each checked against
// high-precision values over its range:
//
//   erf_inv    M. Giles, "Approximating the erfinv function", GPU Computing
//              Gems 2 (2011): polynomials in -log(1 - x^2)
//   lgamma,    C. Lanczos, "A precision approximation of the gamma function",
//   digamma    SIAM J. Numer. Anal. 1 (1964), with g = 7 and nine terms
//   bessel_i1e S. Moshier, Cephes: Chebyshev series below and above 8
//
//===----------------------------------------------------------------------===//

#include "import.h"

#include <math.h>
#include <stdio.h>

#define PI 3.14159265358979323846

//===----------------------------------------------------------------------===//
// Spelling
//===----------------------------------------------------------------------===//

static MlirValue add(MloptImport *in, MlirValue x, MlirValue y) {
  return mloptImportBinary(in, "mlopt.add", x, y);
}
static MlirValue sub(MloptImport *in, MlirValue x, MlirValue y) {
  return mloptImportBinary(in, "mlopt.sub", x, y);
}
static MlirValue mul(MloptImport *in, MlirValue x, MlirValue y) {
  return mloptImportBinary(in, "mlopt.mul", x, y);
}
static MlirValue divide(MloptImport *in, MlirValue x, MlirValue y) {
  return mloptImportBinary(in, "mlopt.div", x, y);
}
static MlirValue neg(MloptImport *in, MlirValue x) {
  return mloptImportUnary(in, "mlopt.neg", x);
}
/// A number of x's type.
static MlirValue num(MloptImport *in, MlirValue x, double value) {
  return mloptImportFloat(in, mlirValueGetType(x), value);
}
/// The Horner scheme, highest power first.
static MlirValue polynomial(MloptImport *in, MlirValue x, int n,
                            const double *coefficients) {
  MlirValue p = num(in, x, coefficients[0]);
  for (int i = 1; i < n; ++i)
    p = add(in, mul(in, p, x), num(in, x, coefficients[i]));
  return p;
}

/// The operand, widened to f32 when its type is narrower.
static MlirValue widened(MloptImport *in, MlirValue x) {
  MlirType type = mlirValueGetType(x);
  if (mloptElementWidth(mloptElementType(type)) >= 32)
    return x;
  MlirType f32 = mlirF32TypeGet(in->builder->context);
  return mloptImportConvert(in, x, mloptWithElementType(type, f32));
}

/// The result, rounded to the type that the operation has.
static void finish(MloptImport *in, MlirValue x) {
  if (!in->builder->failed)
    in->results[0] = mloptImportConvert(in, x, mloptImportResultType(in, 0));
}

//===----------------------------------------------------------------------===//
// Simple ones
//===----------------------------------------------------------------------===//

void mloptImportSquare(MloptImport *in) {
  in->results[0] = mul(in, in->operands[0], in->operands[0]);
}

void mloptImportIsInf(MloptImport *in) {
  MlirValue x = mloptImportUnary(in, "mlopt.abs", in->operands[0]);
  in->results[0] = mloptImportCompare(in, "eq", x, num(in, x, INFINITY));
}
void mloptImportIsPosInf(MloptImport *in) {
  MlirValue x = in->operands[0];
  in->results[0] = mloptImportCompare(in, "eq", x, num(in, x, INFINITY));
}
void mloptImportIsNegInf(MloptImport *in) {
  MlirValue x = in->operands[0];
  in->results[0] = mloptImportCompare(in, "eq", x, num(in, x, -INFINITY));
}

/// Steps on the bits, which grow with the magnitude.
void mloptImportNextAfter(MloptImport *in) {
  MlirValue x = in->operands[0], y = in->operands[1];
  MlirType type = mlirValueGetType(x);
  unsigned width = mloptElementWidth(mloptElementType(type));
  MlirType bitsType = mloptWithElementType(
      type, mlirIntegerTypeGet(in->builder->context, width));
  MlirValue xBits = mloptImportBitcast(in, x, bitsType);
  MlirValue yBits = mloptImportBitcast(in, y, bitsType);
  MlirValue one = mloptImportInt(in, bitsType, 1);
  MlirValue zero = mloptImportInt(in, bitsType, 0);
  MlirValue sign = mloptImportInt(in, bitsType, -(int64_t)1 << (width - 1));
  MlirValue rest = mloptImportInt(in, bitsType, ~(-(int64_t)1 << (width - 1)));

  MlirValue xSize = mloptImportBinary(in, "mlopt.and", xBits, rest);
  MlirValue ySize = mloptImportBinary(in, "mlopt.and", yBits, rest);
  MlirValue signs = mloptImportBinary(in, "mlopt.xor", xBits, yBits);
  MlirValue shrinks = mloptImportBinary(
      in, "mlopt.or", mloptImportCompare(in, "lt", signs, zero),
      mloptImportCompare(in, "gt", xSize, ySize));
  MlirValue step =
      mloptImportSelect(in, shrinks, mloptImportInt(in, bitsType, -1), one);
  MlirValue next = mloptImportBinary(in, "mlopt.add", xBits, step);
  // From a zero, to the least number of y's sign.
  MlirValue least = mloptImportBinary(
      in, "mlopt.or", mloptImportBinary(in, "mlopt.and", yBits, sign), one);
  next = mloptImportSelect(in, mloptImportCompare(in, "eq", xSize, zero), least,
                           next);

  MlirValue result = mloptImportBitcast(in, next, type);
  result = mloptImportSelect(in, mloptImportCompare(in, "eq", x, y), y, result);
  MlirValue isNaN =
      mloptImportBinary(in, "mlopt.or", mloptImportCompare(in, "ne", x, x),
                        mloptImportCompare(in, "ne", y, y));
  in->results[0] = mloptImportSelect(in, isNaN, add(in, x, y), result);
}

//===----------------------------------------------------------------------===//
// The inverse error function
//===----------------------------------------------------------------------===//

// Polynomials in w - 2.5 for w < 5, in sqrt(w) - 3 beyond.
static const double erfInvNear32[] = {
    2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
    -4.39150654e-06, 0.00021858087,  -0.00125372503,
    -0.00417768164,  0.246640727,    1.50140941};
static const double erfInvFar32[] = {
    -0.000200214257, 0.000100950558, 0.00134934322,
    -0.00367342844,  0.00573950773,  -0.0076224613,
    0.00943887047,   1.00167406,     2.83297682};

// Polynomials in w - 3.125 for w < 6.25, in sqrt(w) - 3.25 for w < 16, in
// sqrt(w) - 5 beyond.
static const double erfInvNear64[] = {
    -3.6444120640178196996e-21, -1.685059138182016589e-19,
    1.2858480715256400167e-18,  1.115787767802518096e-17,
    -1.333171662854620906e-16,  2.0972767875968561637e-17,
    6.6376381343583238325e-15,  -4.0545662729752068639e-14,
    -8.1519341976054721522e-14, 2.6335093153082322977e-12,
    -1.2975133253453532498e-11, -5.4154120542946279317e-11,
    1.051212273321532285e-09,   -4.1126339803469836976e-09,
    -2.9070369957882005086e-08, 4.2347877827932403518e-07,
    -1.3654692000834678645e-06, -1.3882523362786468719e-05,
    0.0001867342080340571352,   -0.00074070253416626697512,
    -0.0060336708714301490533,  0.24015818242558961693,
    1.6536545626831027356};
static const double erfInvMiddle64[] = {
    2.2137376921775787049e-09,  9.0756561938885390979e-08,
    -2.7517406297064545428e-07, 1.8239629214389227755e-08,
    1.5027403968909827627e-06,  -4.013867526981545969e-06,
    2.9234449089955446044e-06,  1.2475304481671778723e-05,
    -4.7318229009055733981e-05, 6.8284851459573175448e-05,
    2.4031110387097893999e-05,  -0.0003550375203628474796,
    0.00095328937973738049703,  -0.0016882755560235047313,
    0.0024914420961078508066,   -0.0037512085075692412107,
    0.005370914553590063617,    1.0052589676941592334,
    3.0838856104922207635};
static const double erfInvFar64[] = {
    -2.7109920616438573243e-11, -2.5556418169965252055e-10,
    1.5076572693500548083e-09,  -3.7894654401267369937e-09,
    7.6157012080783393804e-09,  -1.4960026627149240478e-08,
    2.9147953450901080826e-08,  -6.7711997758452339498e-08,
    2.2900482228026654717e-07,  -9.9298272942317002539e-07,
    4.5260625972231537039e-06,  -1.9681778105531670567e-05,
    7.5995277030017761139e-05,  -0.00021503011930044477347,
    -0.00013871931833622122026, 1.0103004648645343977,
    4.8499064014085844221};

/// One polynomial of erf_inv, in w or in its root, less `center`.
static MlirValue erfInvPiece(MloptImport *in, MlirValue w, double center, int n,
                             const double *coefficients) {
  return polynomial(in, sub(in, w, num(in, w, center)), n, coefficients);
}

void mloptImportErfInv(MloptImport *in) {
  MlirValue x = widened(in, in->operands[0]);
  // w = -log(1 - x^2), whose product is exact enough where x is near 1.
  MlirValue one = num(in, x, 1.0);
  MlirValue rest = mul(in, sub(in, one, x), add(in, one, x));
  MlirValue w = neg(in, mloptImportUnary(in, "mlopt.log", rest));
  MlirValue root = mloptImportUnary(in, "mlopt.sqrt", w), near, far;
  double nearEnd;
  if (mlirTypeIsAF64(mloptElementType(mlirValueGetType(x)))) {
    near = erfInvPiece(in, w, 3.125, MLOPT_COUNT(erfInvNear64), erfInvNear64);
    MlirValue middle = erfInvPiece(in, root, 3.25, MLOPT_COUNT(erfInvMiddle64),
                                   erfInvMiddle64);
    far = erfInvPiece(in, root, 5.0, MLOPT_COUNT(erfInvFar64), erfInvFar64);
    far = mloptImportSelect(
        in, mloptImportCompare(in, "lt", w, num(in, w, 16.0)), middle, far);
    nearEnd = 6.25;
  } else {
    near = erfInvPiece(in, w, 2.5, MLOPT_COUNT(erfInvNear32), erfInvNear32);
    far = erfInvPiece(in, root, 3.0, MLOPT_COUNT(erfInvFar32), erfInvFar32);
    nearEnd = 5.0;
  }
  MlirValue p = mloptImportSelect(
      in, mloptImportCompare(in, "lt", w, num(in, w, nearEnd)), near, far);
  // At 1 and -1 the far polynomial is of an infinity.
  MlirValue isOne =
      mloptImportCompare(in, "eq", mloptImportUnary(in, "mlopt.abs", x), one);
  p = mloptImportSelect(in, isOne, num(in, x, INFINITY), p);
  finish(in, mul(in, p, x));
}

//===----------------------------------------------------------------------===//
// Gamma
//===----------------------------------------------------------------------===//

static const double lanczosG = 7.0;
static const double lanczosBase = 0.99999999999980993227684700473478;
static const double lanczos[] = {
    676.520368121885098567009190444019, -1259.13921672240287047156078755283,
    771.3234287776530788486528258894,   -176.61502916214059906584551354,
    12.507343278686904814458936853,     -0.13857109526572011689554707,
    9.984369578019570859563e-6,         1.50563273514931155834e-7};

/// What both functions start with: z, where gamma(z + 1) is approximated, and
/// the logarithm of t = z + g + 1/2.
typedef struct Lanczos {
  MlirValue reflects, z, t, logT;
} Lanczos;

static Lanczos startLanczos(MloptImport *in, MlirValue x) {
  Lanczos l;
  l.reflects = mloptImportCompare(in, "lt", x, num(in, x, 0.5));
  l.z = mloptImportSelect(in, l.reflects, neg(in, x),
                          sub(in, x, num(in, x, 1.0)));
  MlirValue g = num(in, x, lanczosG + 0.5);
  l.t = add(in, l.z, g);
  l.logT = add(in, num(in, x, log(lanczosG + 0.5)),
               mloptImportUnary(in, "mlopt.log1p", divide(in, l.z, g)));
  return l;
}

void mloptImportLgamma(MloptImport *in) {
  MlirValue x = widened(in, in->operands[0]);
  Lanczos l = startLanczos(in, x);
  MlirValue sum = num(in, x, lanczosBase);
  for (int i = 0; i < MLOPT_COUNT(lanczos); ++i)
    sum = add(
        in, sum,
        divide(in, num(in, x, lanczos[i]), add(in, l.z, num(in, x, i + 1.0))));
  // log gamma(z + 1) = log sqrt(2 pi) + (z + 1/2 - t / log t) log t + log sum
  MlirValue factor =
      sub(in, add(in, l.z, num(in, x, 0.5)), divide(in, l.t, l.logT));
  MlirValue y = add(in, num(in, x, 0.5 * log(2 * PI)), mul(in, factor, l.logT));
  y = add(in, y, mloptImportUnary(in, "mlopt.log", sum));

  // gamma(x) gamma(1 - x) = pi / sin(pi x), by the fraction of |x| that is
  // nearer to an integer; infinite at those.
  MlirValue size = mloptImportUnary(in, "mlopt.abs", x);
  MlirValue fraction = sub(in, size, mloptImportUnary(in, "mlopt.floor", size));
  fraction = mloptImportSelect(
      in, mloptImportCompare(in, "gt", fraction, num(in, x, 0.5)),
      sub(in, num(in, x, 1.0), fraction), fraction);
  MlirValue logSin = mloptImportUnary(
      in, "mlopt.log",
      mloptImportUnary(in, "mlopt.sin", mul(in, num(in, x, PI), fraction)));
  MlirValue isFinite =
      mloptImportCompare(in, "ne", logSin, num(in, x, -INFINITY));
  MlirValue reflected = mloptImportSelect(
      in, isFinite, sub(in, sub(in, num(in, x, log(PI)), logSin), y),
      neg(in, logSin));
  y = mloptImportSelect(in, l.reflects, reflected, y);
  MlirValue isInf = mloptImportCompare(in, "eq", size, num(in, x, INFINITY));
  finish(in, mloptImportSelect(in, isInf, num(in, x, INFINITY), y));
}

void mloptImportDigamma(MloptImport *in) {
  MlirValue x = widened(in, in->operands[0]);
  Lanczos l = startLanczos(in, x);
  // The derivative of lgamma's formula: log t + sum' / sum - g / t.
  MlirValue sum = num(in, x, lanczosBase), slope = num(in, x, 0.0);
  for (int i = 0; i < MLOPT_COUNT(lanczos); ++i) {
    MlirValue at = add(in, l.z, num(in, x, i + 1.0));
    MlirValue term = divide(in, num(in, x, lanczos[i]), at);
    sum = add(in, sum, term);
    slope = sub(in, slope, divide(in, term, at));
  }
  MlirValue y = sub(in, add(in, l.logT, divide(in, slope, sum)),
                    divide(in, num(in, x, lanczosG), l.t));

  // digamma(1 - x) - digamma(x) = pi / tan(pi x), with x reduced to [-1/2, 1/2]
  MlirValue whole =
      mloptImportUnary(in, "mlopt.floor", add(in, x, num(in, x, 0.5)));
  MlirValue angle = mul(in, num(in, x, PI), sub(in, x, whole));
  MlirValue cotangent = divide(
      in, mul(in, num(in, x, PI), mloptImportUnary(in, "mlopt.cos", angle)),
      mloptImportUnary(in, "mlopt.sin", angle));
  y = mloptImportSelect(in, l.reflects, sub(in, y, cotangent), y);
  // Poles at zero and the negative integers.
  MlirValue isPole = mloptImportBinary(
      in, "mlopt.and", mloptImportCompare(in, "le", x, num(in, x, 0.0)),
      mloptImportCompare(in, "eq", x, mloptImportUnary(in, "mlopt.floor", x)));
  finish(in, mloptImportSelect(in, isPole, num(in, x, NAN), y));
}

//===----------------------------------------------------------------------===//
// Bessel
//===----------------------------------------------------------------------===//

// exp(-x) I1(x) / x on [0, 8], and exp(-x) sqrt(x) I1(x) beyond, highest term
// first.
static const double besselNear[] = {
    9.38153738649577178388e-9, -4.44505912879632808065e-8,
    2.00329475355213526229e-7, -8.56872026469545474066e-7,
    3.47025130813767847674e-6, -1.32731636560394358279e-5,
    4.78156510755005422638e-5, -1.61760815825896745588e-4,
    5.12285956168575772895e-4, -1.51357245063125314899e-3,
    4.15642294431288815669e-3, -1.05640848946261981558e-2,
    2.47264490306265168283e-2, -5.29459812080949914269e-2,
    1.02643658689847095384e-1, -1.76416518357834055153e-1,
    2.52587186443633654823e-1};
static const double besselFar[] = {
    -3.83538038596423702205e-9, -2.63146884688951950684e-8,
    -2.51223623787020892529e-7, -3.88256480887769039346e-6,
    -1.10588938762623716291e-4, -9.76109749136146840777e-3,
    7.78576235018280120474e-1};

/// A Chebyshev series in x / 2, by Clenshaw's recurrence.
static MlirValue chebyshev(MloptImport *in, MlirValue x, int n,
                           const double *coefficients) {
  MlirValue b0 = num(in, x, coefficients[0]), b1 = num(in, x, 0.0), b2 = b1;
  for (int i = 1; i < n; ++i) {
    b2 = b1;
    b1 = b0;
    b0 = add(in, sub(in, mul(in, x, b1), b2), num(in, x, coefficients[i]));
  }
  return mul(in, sub(in, b0, b2), num(in, x, 0.5));
}

void mloptImportBesselI1e(MloptImport *in) {
  MlirValue x = widened(in, in->operands[0]);
  MlirValue size = mloptImportUnary(in, "mlopt.abs", x);
  MlirValue two = num(in, x, 2.0);
  MlirValue near = chebyshev(in, sub(in, divide(in, size, two), two),
                             MLOPT_COUNT(besselNear), besselNear);
  MlirValue far =
      chebyshev(in, sub(in, divide(in, num(in, x, 32.0), size), two),
                MLOPT_COUNT(besselFar), besselFar);
  far = divide(in, far, mloptImportUnary(in, "mlopt.sqrt", size));
  MlirValue y =
      mloptImportSelect(in, mloptImportCompare(in, "le", size, num(in, x, 8.0)),
                        mul(in, near, size), far);
  y = mloptImportSelect(in, mloptImportCompare(in, "lt", x, num(in, x, 0.0)),
                        neg(in, y), y);
  finish(in, y);
}

bool mloptImportCheckBessel(MlirOperation op, char reason[MLOPT_REASON_SIZE]) {
  if (!mlirTypeIsAF64(mloptElementType(mloptOperandType(op, 0))))
    return mloptImportCheckFloats(op, reason);
  snprintf(reason, MLOPT_REASON_SIZE, "its f64 form is not supported");
  return false;
}
