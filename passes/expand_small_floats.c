//===- expand_small_floats.c - f16, bf16 and f8 in f32 and integers -------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `mlopt-expand-small-floats` rewrites scalar arithmetic on f16, bf16,
// f8E4M3FN and f8E5M2: operands are extended to f32, which is exact, the
// operation happens in f32, and its result is rounded once to nearest even,
// by integer operations on its bits, straight from f32 or f64.
//
//   %r = arith.addf %a, %b : bf16
// becomes
//   %0 = <bits of %a, shifted up> : f32      likewise %1 from %b
//   %2 = arith.addf %0, %1 : f32
//   %3 = <bits of %2, rounded and shifted down> : i16
//   %r = arith.bitcast %3 : i16 to bf16
//
// Values keep their types, so memory, calls and control flow do not change.
// Afterwards nothing but arith.constant, arith.select and arith.bitcast
// produces or consumes a small float: what LLVM would make of the others
// depends on the machine (x86's bf16 conversion flushes denormals, others call
// into libgcc).
//
//===----------------------------------------------------------------------===//

#include "build.h"
#include "passes.h"

#include "mlir-c/Dialect/Arith.h"
#include "mlir-c/Dialect/LLVM.h"
#include "mlir-c/Dialect/Math.h"

#include <math.h>
#include <stdio.h>

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

/// A binary format: sign, exponent and `mantissa` bits, from the top.
typedef struct Format {
  bool (*is)(MlirType);
  unsigned width, mantissa;
  int bias;
  uint64_t overflow; ///< code of infinity; f8E4M3FN has none, and takes NaN
  uint64_t nan;      ///< code of the quiet NaN
} Format;

static const Format smallFormats[] = {
    {mlirTypeIsAF16, 16, 10, 15, 0x7C00, 0x7E00},
    {mlirTypeIsABF16, 16, 7, 127, 0x7F80, 0x7FC0},
    {mlirTypeIsAFloat8E4M3FN, 8, 3, 7, 0x7F, 0x7F},
    {mlirTypeIsAFloat8E5M2, 8, 2, 15, 0x7C, 0x7E},
};
static const Format wideFormats[] = {
    {mlirTypeIsAF32, 32, 23, 127, 0x7F800000, 0x7FC00000},
    {mlirTypeIsAF64, 64, 52, 1023, 0x7FF0000000000000, 0x7FF8000000000000},
};

static const Format *findFormat(const Format *formats, int count,
                                MlirType type) {
  for (int i = 0; i < count; ++i)
    if (formats[i].is(type))
      return &formats[i];
  return NULL;
}
static const Format *smallFormat(MlirType type) {
  return findFormat(smallFormats, MLOPT_COUNT(smallFormats), type);
}
static const Format *wideFormat(MlirType type) {
  return findFormat(wideFormats, MLOPT_COUNT(wideFormats), type);
}

static MlirType intType(MloptBuilder *b, unsigned width) {
  return mlirIntegerTypeGet(b->context, width);
}

/// `name(x, constant)` on integers.
static MlirValue withInt(MloptBuilder *b, const char *name, MlirValue x,
                         uint64_t constant) {
  if (b->failed)
    return x;
  return mloptBuildBinary(
      b, name, x, mloptBuildInt(b, mlirValueGetType(x), (int64_t)constant));
}

static MlirValue compareInt(MloptBuilder *b, const char *predicate, MlirValue x,
                            uint64_t constant) {
  return mloptBuildCmpI(
      b, predicate, x,
      mloptBuildInt(b, mlirValueGetType(x), (int64_t)constant));
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// A small float as f32, exactly.
static MlirValue extendToF32(MloptBuilder *b, const Format *from, MlirValue x) {
  const Format *f32 = &wideFormats[0];
  MlirType i32 = intType(b, 32), f32Type = mlirF32TypeGet(b->context);
  unsigned shift = f32->mantissa - from->mantissa;
  MlirValue code =
      mloptBuildUnary(b, "arith.bitcast", x, intType(b, from->width));
  MlirValue bits = mloptBuildUnary(b, "arith.extui", code, i32);
  if (from->bias == f32->bias)
    return mloptBuildUnary(b, "arith.bitcast",
                           withInt(b, "arith.shli", bits, shift), f32Type);

  // With the fields in place the value is too small by a power of two; the
  // product is exact, denormals included.
  uint64_t signMask = 1u << (from->width - 1);
  MlirValue magnitude = withInt(b, "arith.andi", bits, signMask - 1);
  MlirValue sign =
      withInt(b, "arith.shli", withInt(b, "arith.andi", bits, signMask),
              32 - from->width);
  MlirValue unscaled = mloptBuildUnary(
      b, "arith.bitcast", withInt(b, "arith.shli", magnitude, shift), f32Type);
  double scale = ldexp(1.0, f32->bias - from->bias);
  MlirValue scaled = mloptBuildBinary(b, "arith.mulf", unscaled,
                                      mloptBuildFloat(b, f32Type, scale));
  MlirValue finite = mloptBuildUnary(b, "arith.bitcast", scaled, i32);
  MlirValue special = withInt(b, "arith.ori", finite, f32->overflow);
  MlirValue isSpecial = compareInt(b, "uge", magnitude, from->overflow);
  MlirValue result = mloptBuildSelect(b, isSpecial, special, finite);
  return mloptBuildUnary(b, "arith.bitcast",
                         mloptBuildBinary(b, "arith.ori", result, sign),
                         f32Type);
}

/// `x >> shift`, to nearest, ties to even; `x` has room for the carry.
static MlirValue shiftRounded(MloptBuilder *b, MlirValue x, MlirValue shift) {
  MlirType type = mlirValueGetType(x);
  MlirValue one = mloptBuildInt(b, type, 1);
  MlirValue half = mloptBuildBinary(
      b, "arith.shli", one, mloptBuildBinary(b, "arith.subi", shift, one));
  MlirValue odd = mloptBuildBinary(
      b, "arith.andi", mloptBuildBinary(b, "arith.shrui", x, shift), one);
  MlirValue bump = mloptBuildBinary(
      b, "arith.addi", mloptBuildBinary(b, "arith.subi", half, one), odd);
  return mloptBuildBinary(b, "arith.shrui",
                          mloptBuildBinary(b, "arith.addi", x, bump), shift);
}

/// The rounded code of a magnitude that is no NaN. Where the exponent is below
/// the small format's normal range, the mantissa is shifted further down; that
/// gives denormals, and a carry out of them gives the smallest normal number.
static MlirValue roundMagnitude(MloptBuilder *b, const Format *from,
                                const Format *to, MlirValue magnitude) {
  MlirType type = mlirValueGetType(magnitude);
  unsigned shift = from->mantissa - to->mantissa;
  if (from->bias == to->bias) // the same exponents: infinity comes by carry
    return shiftRounded(b, magnitude, mloptBuildInt(b, type, shift));

  uint64_t implicit = UINT64_C(1) << from->mantissa;
  MlirValue lowest = mloptBuildInt(b, type, from->bias - to->bias + 1);
  MlirValue exponent = withInt(b, "arith.shrui", magnitude, from->mantissa);
  // A denormal of the wide format has no implicit one, but is rounded to zero
  // in any case.
  MlirValue mantissa =
      withInt(b, "arith.ori", withInt(b, "arith.andi", magnitude, implicit - 1),
              implicit);
  MlirValue normal = mloptBuildBinary(b, "arith.maxui", exponent, lowest);
  MlirValue below = mloptBuildBinary(b, "arith.subi", normal, exponent);
  MlirValue distance =
      withInt(b, "arith.minui", withInt(b, "arith.addi", below, shift),
              from->mantissa + 2);
  MlirValue rounded = shiftRounded(b, mantissa, distance);
  MlirValue field =
      withInt(b, "arith.shli",
              mloptBuildBinary(b, "arith.subi", normal, lowest), to->mantissa);
  MlirValue code = mloptBuildBinary(b, "arith.addi", rounded, field);
  return withInt(b, "arith.minui", code, to->overflow);
}

/// An f32 or f64 as a small float, rounded once to nearest even.
static MlirValue roundToSmall(MloptBuilder *b, const Format *from, MlirValue x,
                              const Format *to, MlirType toType) {
  MlirType wide = intType(b, from->width);
  uint64_t signMask = UINT64_C(1) << (from->width - 1);
  MlirValue bits = mloptBuildUnary(b, "arith.bitcast", x, wide);
  MlirValue magnitude = withInt(b, "arith.andi", bits, signMask - 1);
  MlirValue sign = withInt(
      b, "arith.andi", withInt(b, "arith.shrui", bits, from->width - to->width),
      UINT64_C(1) << (to->width - 1));
  MlirValue number = roundMagnitude(b, from, to, magnitude);
  MlirValue isNan = compareInt(b, "ugt", magnitude, from->overflow);
  MlirValue nan = mloptBuildInt(b, wide, (int64_t)to->nan);
  MlirValue code = mloptBuildBinary(
      b, "arith.ori", mloptBuildSelect(b, isNan, nan, number), sign);
  MlirValue narrow =
      mloptBuildUnary(b, "arith.trunci", code, intType(b, to->width));
  return mloptBuildUnary(b, "arith.bitcast", narrow, toType);
}

/// A 64-bit magnitude as an f64 that rounds to fewer bits as the integer would:
/// bits that f64 cannot hold are gathered in the lowest bit that it can.
static MlirValue stickyF64(MloptBuilder *b, MlirValue magnitude) {
  enum { PRECISION = 53, DROPPED = 64 - PRECISION };
  MlirType i64 = intType(b, 64), f64 = mlirF64TypeGet(b->context);
  MlirValue low = withInt(b, "arith.andi", magnitude, (1 << DROPPED) - 1);
  MlirValue sticky =
      mloptBuildUnary(b, "arith.extui", compareInt(b, "ne", low, 0), i64);
  MlirValue high = mloptBuildBinary(
      b, "arith.ori", withInt(b, "arith.shrui", magnitude, DROPPED), sticky);
  MlirValue large = mloptBuildBinary(
      b, "arith.mulf", mloptBuildUnary(b, "arith.uitofp", high, f64),
      mloptBuildFloat(b, f64, 1 << DROPPED));
  MlirValue small = mloptBuildUnary(b, "arith.uitofp", magnitude, f64);
  MlirValue fits = compareInt(b, "ult", magnitude, UINT64_C(1) << PRECISION);
  return mloptBuildSelect(b, fits, small, large);
}

/// Whether intToWide takes integers of this type.
static bool isConvertibleInt(MlirType type) {
  if (!mlirTypeIsAInteger(type))
    return false;
  unsigned width = mlirIntegerTypeGetWidth(type);
  return width <= 53 || width == 64;
}

/// An integer as a float from which rounding once more gives what rounding the
/// integer would.
static MlirValue intToWide(MloptBuilder *b, bool isSigned, MlirValue x) {
  const char *name = isSigned ? "arith.sitofp" : "arith.uitofp";
  MlirType type = mlirValueGetType(x), f64 = mlirF64TypeGet(b->context);
  unsigned width = mlirIntegerTypeGetWidth(type);
  if (width <= 24)
    return mloptBuildUnary(b, name, x, mlirF32TypeGet(b->context));
  if (width <= 53)
    return mloptBuildUnary(b, name, x, f64);
  if (!isSigned)
    return stickyF64(b, x);
  MlirValue zero = mloptBuildInt(b, type, 0);
  MlirValue isNegative = mloptBuildCmpI(b, "slt", x, zero);
  MlirValue positive = stickyF64(
      b, mloptBuildSelect(b, isNegative,
                          mloptBuildBinary(b, "arith.subi", zero, x), x));
  MlirValue negative = mloptBuildUnary(b, "arith.negf", positive, f64);
  return mloptBuildSelect(b, isNegative, negative, positive);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

typedef struct Site {
  MlirOperation op;
  const MlirValue *operands; ///< as many as `op` has
  MlirConversionPatternRewriter rewriter;
  bool isNative; ///< see `native` below
} Site;

/// f32 as bf16 by a GPU's conversion of two floats: that of one is a quarter as
/// fast. The element of index 0 is the second operand's.
static MlirValue roundToBf16(MloptBuilder *b, MlirValue x) {
  MlirType bf16 = mlirBF16TypeGet(b->context), pair = mloptPairType(bf16);
  MlirValue operands[] = {mloptBuildFloat(b, mlirF32TypeGet(b->context), 0), x};
  MlirValue rounded =
      mloptBuildIntrinsic(b, "llvm.nvvm.ff2bf16x2.rn", 2, operands, pair);
  MlirValue first[] = {rounded, mloptBuildInt(b, intType(b, 32), 0)};
  return mloptBuildValue(b, (MloptOpSpec){.name = "llvm.extractelement",
                                          .numOperands = 2,
                                          .operands = first,
                                          .numResults = 1,
                                          .results = &bf16});
}

/// A value of the type `to`, small or not, from one of f32 or f64.
static MlirValue convertWide(const Site *site, MloptBuilder *b, MlirValue x,
                             MlirType to) {
  MlirType from = mlirValueGetType(x);
  if (b->failed || mlirTypeEqual(from, to))
    return x;
  const Format *small = smallFormat(to);
  if (!small)
    return mloptBuildUnary(b, "arith.extf", x, to);
  if (site->isNative && mlirTypeIsAF32(from) && mlirTypeIsABF16(to))
    return roundToBf16(b, x);
  if (site->isNative && mlirTypeIsAF32(from) && mlirTypeIsAF16(to))
    return mloptBuildUnary(b, "arith.truncf", x, to);
  return roundToSmall(b, wideFormat(from), x, small, to);
}

/// A bf16 that is half of a vector of two, as f32: one instruction on the word,
/// where to take the half out first would be another. Null if it is none.
static MlirValue extendHalf(MloptBuilder *b, MlirValue x) {
  MlirValue none = {NULL};
  if (!mlirValueIsAOpResult(x) || b->failed)
    return none;
  MlirOperation op = mlirOpResultGetOwner(x);
  if (!mloptIsNamed(op, "llvm.extractelement") ||
      !mlirTypeEqual(mloptOperandType(op, 0),
                     mloptPairType(mlirBF16TypeGet(b->context))) ||
      !mlirValueIsAOpResult(mloptOperand(op, 1)))
    return none;
  MlirAttribute lane =
      mloptAttr(mlirOpResultGetOwner(mloptOperand(op, 1)), "value");
  if (mlirAttributeIsNull(lane) || !mlirAttributeIsAInteger(lane))
    return none;
  MlirValue word =
      mloptBuildUnary(b, "llvm.bitcast", mloptOperand(op, 0), intType(b, 32));
  MlirValue bits = mlirIntegerAttrGetValueInt(lane)
                       ? withInt(b, "arith.andi", word, 0xFFFF0000)
                       : withInt(b, "arith.shli", word, 16);
  return mloptBuildUnary(b, "arith.bitcast", bits, mlirF32TypeGet(b->context));
}

/// `x` in f32 if it is a small float, else itself.
static MlirValue widen(const Site *site, MloptBuilder *b, MlirValue x) {
  const Format *small = smallFormat(mlirValueGetType(x));
  if (small && site->isNative && mlirTypeIsAF16(mlirValueGetType(x)))
    return mloptBuildUnary(b, "arith.extf", x, mlirF32TypeGet(b->context));
  MlirValue half = site->isNative ? extendHalf(b, x) : (MlirValue){NULL};
  if (!mlirValueIsNull(half))
    return half;
  return small ? extendToF32(b, small, x) : x;
}

/// Replaces the operation, or fails if the builder did.
static MlirLogicalResult finish(const Site *site, MloptBuilder *b,
                                intptr_t numResults, const MlirValue *results) {
  if (b->failed)
    return mloptFailure();
  mlirRewriterBaseReplaceOpWithValues(b->rewriter, site->op, numResults,
                                      results);
  return mloptSuccess();
}

/// extf, truncf: between floats, one rounding at most.
static MlirLogicalResult expandFloatCast(const Site *site) {
  MlirAttribute mode = mloptAttr(site->op, "roundingmode");
  if (!mlirAttributeIsNull(mode) && mlirIntegerAttrGetValueInt(mode) != 0)
    return mloptFailure(); // not to_nearest_even
  MloptBuilder b = mloptBuilderForConversion(
      site->rewriter, mlirOperationGetLocation(site->op));
  MlirValue x = widen(site, &b, site->operands[0]);
  if (b.failed || !wideFormat(mlirValueGetType(x)))
    return mloptFailure();
  MlirValue result = convertWide(site, &b, x, mloptResultType(site->op, 0));
  return finish(site, &b, 1, &result);
}

/// sitofp, uitofp to a small float.
static MlirLogicalResult expandFromInt(const Site *site) {
  if (!isConvertibleInt(mlirValueGetType(site->operands[0])))
    return mloptFailure();
  MloptBuilder b = mloptBuilderForConversion(
      site->rewriter, mlirOperationGetLocation(site->op));
  bool isSigned = mloptIsNamed(site->op, "arith.sitofp");
  MlirValue wide = intToWide(&b, isSigned, site->operands[0]);
  MlirValue result = convertWide(site, &b, wide, mloptResultType(site->op, 0));
  return finish(site, &b, 1, &result);
}

/// Anything else: the same operation, with its attributes, on f32.
static MlirLogicalResult expandInF32(const Site *site) {
  enum { MAX_OPERANDS = 4, MAX_RESULTS = 2, MAX_ATTRS = 8 };
  MlirOperation op = site->op;
  intptr_t numOperands = mlirOperationGetNumOperands(op);
  intptr_t numResults = mlirOperationGetNumResults(op);
  intptr_t numAttrs = mlirOperationGetNumAttributes(op);
  if (numOperands > MAX_OPERANDS || numResults > MAX_RESULTS ||
      numAttrs > MAX_ATTRS)
    return mloptFailure();
  MloptBuilder b =
      mloptBuilderForConversion(site->rewriter, mlirOperationGetLocation(op));
  MlirValue operands[MAX_OPERANDS], results[MAX_RESULTS];
  MlirType types[MAX_RESULTS];
  MlirNamedAttribute attrs[MAX_ATTRS];
  for (intptr_t i = 0; i < numOperands; ++i)
    operands[i] = widen(site, &b, site->operands[i]);
  for (intptr_t i = 0; i < numResults; ++i) {
    types[i] = mloptResultType(op, i);
    if (smallFormat(types[i]))
      types[i] = mlirF32TypeGet(b.context);
  }
  for (intptr_t i = 0; i < numAttrs; ++i)
    attrs[i] = mlirOperationGetAttribute(op, i);
  char name[32];
  MlirStringRef opName = mlirIdentifierStr(mlirOperationGetName(op));
  snprintf(name, sizeof name, "%.*s", (int)opName.length, opName.data);
  MlirOperation wide =
      mloptBuildOp(&b, (MloptOpSpec){.name = name,
                                     .numOperands = numOperands,
                                     .operands = operands,
                                     .numResults = numResults,
                                     .results = types,
                                     .numAttrs = numAttrs,
                                     .attrs = attrs});
  for (intptr_t i = 0; i < numResults && !b.failed; ++i)
    results[i] =
        convertWide(site, &b, mloptResult(wide, i), mloptResultType(op, i));
  return finish(site, &b, numResults, results);
}

typedef struct Expansion {
  MlirLogicalResult (*expand)(const Site *);
  const char *names[48]; ///< operations, NULL-terminated
} Expansion;

/// Which operations are expanded, and how. An operation of arith or math that
/// is not here is refused, such as math.isnormal, which f32 would answer
/// differently.
static const Expansion expansions[] = {
    {expandFloatCast, {"arith.extf", "arith.truncf"}},
    {expandFromInt, {"arith.sitofp", "arith.uitofp"}},
    {expandInF32,
     {"arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.remf",
      "arith.negf", "arith.maximumf", "arith.minimumf", "arith.maxnumf",
      "arith.minnumf", "arith.cmpf", "arith.fptosi", "arith.fptoui"}},
    {expandInF32,
     {"math.absf",  "math.acos",  "math.acosh",    "math.asin",
      "math.asinh", "math.atan",  "math.atan2",    "math.atanh",
      "math.cbrt",  "math.ceil",  "math.clampf",   "math.copysign",
      "math.cos",   "math.cosh",  "math.erf",      "math.erfc",
      "math.exp",   "math.exp2",  "math.expm1",    "math.floor",
      "math.fma",   "math.fpowi", "math.isfinite", "math.isinf",
      "math.isnan", "math.log",   "math.log10",    "math.log1p",
      "math.log2",  "math.powf",  "math.round",    "math.roundeven",
      "math.rsqrt", "math.sin",   "math.sincos",   "math.sinh",
      "math.sqrt",  "math.tan",   "math.tanh",     "math.trunc"}},
};

/// An expansion while the pass runs.
typedef struct Rule {
  const Expansion *expansion;
  bool isNative;
} Rule;

static MlirLogicalResult matchAndRewrite(MlirConversionPattern pattern,
                                         MlirOperation op, intptr_t numOperands,
                                         MlirValue *operands,
                                         MlirConversionPatternRewriter rewriter,
                                         void *userData) {
  const Rule *rule = userData;
  if (mlirTypeIsAShaped(mlirValueGetType(operands[0])))
    return mloptFailure();
  Site site = {op, operands, rewriter, rule->isNative};
  return rule->expansion->expand(&site);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static bool hasSmallFloat(MlirOperation op) {
  intptr_t numOperands = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < numOperands; ++i)
    if (smallFormat(mloptElementType(mloptOperandType(op, i))))
      return true;
  intptr_t numResults = mlirOperationGetNumResults(op);
  for (intptr_t i = 0; i < numResults; ++i)
    if (smallFormat(mloptElementType(mloptResultType(op, i))))
      return true;
  return false;
}

static bool isIn(const char *dialect, MlirStringRef name) {
  size_t length = strlen(dialect);
  return name.length > length && !strncmp(name.data, dialect, length);
}

static bool isHalf(MlirType type) {
  return mloptIsHalf(mloptElementType(type));
}

/// What a GPU has instructions for: arithmetic on f16 and bf16, scalars and
/// pairs, that is rounded once, and conversions between f16 and f32.
static bool isInstruction(MlirOperation op) {
  static const char *const names[] = {
      "arith.addf",     "arith.subf",     "arith.mulf", "arith.negf",
      "arith.maximumf", "arith.minimumf", "math.absf"};
  MlirType from = mloptOperandType(op, 0), to = mloptResultType(op, 0);
  for (int i = 0; i < MLOPT_COUNT(names); ++i)
    if (mloptIsNamed(op, names[i]))
      return isHalf(to);
  return (mlirTypeIsAF32(from) && mlirTypeIsAF16(to) &&
          mloptIsNamed(op, "arith.truncf") &&
          mlirAttributeIsNull(mloptAttr(op, "roundingmode"))) ||
         (mlirTypeIsAF16(from) && mlirTypeIsAF32(to) &&
          mloptIsNamed(op, "arith.extf"));
}

/// Illegal: operations of arith and math on small floats, but for those that
/// only move bits and those that are instructions.
static MlirConversionTargetLegality legality(MlirOperation op, void *userData) {
  static const char *const moves[] = {"arith.constant", "arith.select",
                                      "arith.bitcast"};
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  bool computes = isIn("arith.", name) || isIn("math.", name);
  for (int i = 0; i < MLOPT_COUNT(moves); ++i)
    computes = computes && !mloptStrEq(name, moves[i]);
  const bool *isNative = userData;
  return computes && hasSmallFloat(op) && !(*isNative && isInstruction(op))
             ? MlirConversionTargetLegalityIllegal
             : MlirConversionTargetLegalityLegal;
}

static MlirLogicalResult keepType(MlirType type, MlirType *converted,
                                  void *userData) {
  *converted = type;
  return mloptSuccess();
}

static void addPatterns(MlirRewritePatternSet patterns, MlirContext context,
                        MlirTypeConverter converter, Rule *rules) {
  MlirConversionPatternCallbacks callbacks = {.matchAndRewrite =
                                                  matchAndRewrite};
  for (int i = 0; i < MLOPT_COUNT(expansions); ++i)
    for (const char *const *name = expansions[i].names; *name; ++name)
      mlirRewritePatternSetAdd(
          patterns,
          mlirConversionPatternAsRewritePattern(mlirOpConversionPatternCreate(
              mloptStr(*name), 1, context, converter, callbacks, &rules[i], 0,
              NULL)));
}

enum { OPTION_NATIVE };

static void run(MlirOperation func, MloptPass pass) {
  MlirContext context = mlirOperationGetContext(func);
  MlirTypeConverter converter = mlirTypeConverterCreate();
  mlirTypeConverterAddConversion(converter, keepType, NULL);
  MlirConversionTarget target = mlirConversionTargetCreate(context);
  bool native = mloptPassGetBool(pass, OPTION_NATIVE);
  Rule rules[MLOPT_COUNT(expansions)];
  for (int i = 0; i < MLOPT_COUNT(expansions); ++i)
    rules[i] = (Rule){&expansions[i], native};
  mlirConversionTargetMarkUnknownOpDynamicallyLegal(target, legality, &native);
  MlirRewritePatternSet patterns = mlirRewritePatternSetCreate(context);
  addPatterns(patterns, context, converter, rules);
  MlirFrozenRewritePatternSet frozen = mlirFreezeRewritePattern(patterns);
  mlirRewritePatternSetDestroy(patterns);
  MlirConversionConfig config = mlirConversionConfigCreate();
  if (mloptFailed(mlirApplyPartialConversion(func, target, frozen, config)))
    mloptPassSignalFailure(pass);
  mlirConversionConfigDestroy(config);
  mlirFrozenRewritePatternSetDestroy(frozen);
  mlirConversionTargetDestroy(target);
  mlirTypeConverterDestroy(converter);
}

static MlirDialectHandle (*const dependent[])(void) = {
    mlirGetDialectHandle__arith__, mlirGetDialectHandle__llvm__,
    mlirGetDialectHandle__math__, NULL};

static const MloptOptionDef options[] = {
    [OPTION_NATIVE] = {.name = "native",
                       .kind = MLOPT_OPTION_BOOL,
                       .help = "Leave f16 and bf16 to a GPU's instructions "
                               "where there are any; they give the same but "
                               "for NaNs, and round products below bf16's "
                               "normal range once instead of twice"},
};

const MloptPassDef mloptPass_expandSmallFloats MLOPT_TABLE = {
    .argument = "mlopt-expand-small-floats",
    .summary =
        "Compute f16, bf16 and f8 in f32, rounding by integer operations",
    .doc =
        "Rewrites every scalar operation of arith and math on f16, bf16, "
        "f8E4M3FN or f8E5M2: operands are extended to f32 exactly, the result "
        "is rounded once, to nearest even, from f32 (from f64 for a truncation "
        "of f64, and from the integer itself for a conversion). Denormals are "
        "exact; NaN gives the quiet NaN of the same sign; overflow gives "
        "infinity, in f8E4M3FN NaN. Types in memory stay as they are, and "
        "arith.constant, arith.select and arith.bitcast are left alone. An "
        "operation that cannot be computed so (math.isnormal, a rounding mode, "
        "vectors) is an error.",
    .dependent = dependent,
    .options = options,
    .numOptions = MLOPT_COUNT(options),
    .run = run,
};
