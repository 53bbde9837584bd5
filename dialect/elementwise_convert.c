//===- elementwise_convert.c - Conversion of element types ----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// convert, convertu, bitcast and reduce_precision.
//
//===----------------------------------------------------------------------===//

#include "elementwise.h"

static bool shapesAgree(MlirType a, MlirType b) {
  return mloptIsRankedTensor(a) == mloptIsRankedTensor(b) &&
         (!mloptIsRankedTensor(a) || mloptShapesAgree(a, b));
}

//===----------------------------------------------------------------------===//
// convert, convertu
//===----------------------------------------------------------------------===//

static MlirLogicalResult verifySameShape(MlirOperation op) {
  MlirType from = mloptOperandType(op, 0), to = mloptResultType(op, 0);
  if (!shapesAgree(from, to))
    return mloptOpError(op, "keeps the shape, but goes from '%s' to '%s'",
                        mloptTypeText(from).text, mloptTypeText(to).text);
  return mloptSuccess();
}

static MlirLogicalResult verifyConvertu(MlirOperation op) {
  MlirType from = mloptOperandType(op, 0), to = mloptResultType(op, 0);
  if (mloptIsFloatTensorOrScalar(from) && mloptIsFloatTensorOrScalar(to))
    return mloptOpError(
        op, "needs integers on one side, but goes from '%s' to '%s'",
        mloptTypeText(from).text, mloptTypeText(to).text);
  return verifySameShape(op);
}

/// Whether every value of `from` has a place of its own in `to`, for types of
/// one kind: then converting there and back changes nothing.
static bool isLossless(MloptElement from, MloptElement to) {
  if (mloptNumberIsFloat(from) != mloptNumberIsFloat(to))
    return false;
  if (!mloptNumberIsFloat(from))
    return mloptNumberWidth(from) <= mloptNumberWidth(to);
  bool small = from == MLOPT_F8E4M3FN || from == MLOPT_F8E5M2;
  return to == MLOPT_F64 || (to == MLOPT_F32 && from != MLOPT_F64) ||
         (to == MLOPT_F16 && small) || (to == MLOPT_BF16 && small);
}

static MlirLogicalResult foldThereAndBack(MlirOperation op,
                                          MloptFoldResult *results) {
  MlirOperation inner =
      mloptDefinedBy(mloptOperand(op, 0), mloptGetOpDef(op), op);
  if (mlirOperationIsNull(inner))
    return mloptFailure();
  MlirValue x = mloptOperand(inner, 0);
  MloptElement from = mloptGetElement(mlirValueGetType(x));
  MloptElement between = mloptGetElement(mloptResultType(inner, 0));
  if (!isLossless(from, between) || mlirValueEqual(x, mloptResult(op, 0)))
    return mloptFailure();
  return mloptFoldResultTo(op, 0, x, results);
}

static MlirLogicalResult foldConversion(MlirOperation op,
                                        const MlirAttribute *constants,
                                        MloptFoldResult *results,
                                        bool isUnsigned) {
  MloptElements x, r;
  if (!mloptFailed(mloptFoldToOperand(op, 0, results)))
    return mloptSuccess();
  if (!mloptReadElements(constants[0], &x))
    return foldThereAndBack(op, results);
  if (!mloptInitElements(mloptResultType(op, 0), x.splat, &r))
    return mloptFailure();
  for (int64_t i = 0, n = mloptStoredElements(&x); i < n; ++i)
    r.values[i] =
        mloptNumberConvert(x.element, r.element, isUnsigned, x.values[i]);
  return mloptFoldToAttr(mloptWriteElements(&r), results);
}

static MlirLogicalResult foldConvert(MlirOperation op,
                                     const MlirAttribute *constants,
                                     MloptFoldResult *results) {
  return foldConversion(op, constants, results, /*isUnsigned=*/false);
}

static MlirLogicalResult foldConvertu(MlirOperation op,
                                      const MlirAttribute *constants,
                                      MloptFoldResult *results) {
  return foldConversion(op, constants, results, /*isUnsigned=*/true);
}

#define CONVERSION(op, ...)                                                    \
  const MloptOpDef mloptOp_##op MLOPT_TABLE = {                                \
      .name = "mlopt." #op,                                                    \
      .traits = MLOPT_PURE | MLOPT_ELEMENTWISE,                                \
      OPERANDS(VALUE("x", ELEMENTS)),                                          \
      RESULT(ELEMENTS),                                                        \
      ATTRS(NUMERICS),                                                         \
      .assembly = "$x attr-dict `:` type($x) `->` type($result)",              \
      __VA_ARGS__}

CONVERSION(convert, .summary = "The same values in another element type",
           .doc =
               "Between floats, and from integers to floats: rounded to "
               "nearest even, once, from the exact value; beyond the range "
               "infinity, NaN in f8E4M3FN. From floats to integers: rounded "
               "towards zero, then saturated; NaN gives 0. Between integers: "
               "the low bits, or extended by the sign. To i1: whether the "
               "value differs from 0, as a NaN does. From i1: 0 or 1. Other "
               "integers are signed.",
           .example = "%r = mlopt.convert %x : tensor<4xi32> -> tensor<4xf32>",
           .verify = verifySameShape, .fold = foldConvert);

CONVERSION(convertu, .summary = "convert with unsigned integers",
           .doc =
               "As convert, but an integer operand is unsigned, and so is an "
               "integer result of a float: negative values saturate to 0. "
               "Integers extend with zeros. One side must be of integers.",
           .example = "%r = mlopt.convertu %x : tensor<4xi8> -> tensor<4xf32>",
           .verify = verifyConvertu, .fold = foldConvertu);

//===----------------------------------------------------------------------===//
// bitcast
//===----------------------------------------------------------------------===//

/// Whether `parts` is `whole` and a last dimension of `ratio`.
static bool isSplitShape(MlirType whole, MlirType parts, int64_t ratio) {
  if (!mloptIsRankedTensor(whole) || !mloptIsRankedTensor(parts))
    return false;
  intptr_t rank = mloptRank(whole);
  if (mloptRank(parts) != rank + 1)
    return false;
  for (intptr_t i = 0; i < rank; ++i)
    if (!mloptSizesAgree(mloptDim(whole, i), mloptDim(parts, i)))
      return false;
  return mloptSizesAgree(mloptDim(parts, rank), ratio);
}

static MlirLogicalResult verifyBitcast(MlirOperation op) {
  MlirType from = mloptOperandType(op, 0), to = mloptResultType(op, 0);
  MloptElement a = mloptGetElement(from), b = mloptGetElement(to);
  bool fixed =
      a == MLOPT_I1 || a == MLOPT_INDEX || b == MLOPT_I1 || b == MLOPT_INDEX;
  if (a != b && fixed)
    return mloptOpError(op,
                        "cannot reinterpret i1 or index, but goes from '%s' to "
                        "'%s'",
                        mloptTypeText(from).text, mloptTypeText(to).text);
  int64_t wide = mloptNumberWidth(a), narrow = mloptNumberWidth(b);
  if (wide == narrow)
    return verifySameShape(op);
  int64_t ratio = wide > narrow ? wide / narrow : narrow / wide;
  if (wide > narrow ? isSplitShape(from, to, ratio)
                    : isSplitShape(to, from, ratio))
    return mloptSuccess();
  return mloptOpError(
      op,
      "keeps the shape up to a last dimension of the narrower type of %" PRId64
      " elements, but goes from '%s' to '%s'",
      ratio, mloptTypeText(from).text, mloptTypeText(to).text);
}

/// The bits of result element `i`, the first element being the lowest bits.
static uint64_t castElement(const MloptElements *from, MloptElement to,
                            int64_t i) {
  unsigned wide = mloptNumberWidth(from->element),
           narrow = mloptNumberWidth(to);
  if (wide >= narrow) {
    int64_t ratio = wide / narrow;
    return mloptElementAt(from, i / ratio) >> (i % ratio * narrow) &
           mloptNumberMask(to);
  }
  int64_t ratio = narrow / wide;
  uint64_t bits = 0;
  for (int64_t part = 0; part < ratio; ++part)
    bits |= mloptElementAt(from, i * ratio + part) << (part * wide);
  return bits;
}

static MlirLogicalResult foldBitcast(MlirOperation op,
                                     const MlirAttribute *constants,
                                     MloptFoldResult *results) {
  if (!mloptFailed(mloptFoldToOperand(op, 0, results)))
    return mloptSuccess();
  MlirOperation inner =
      mloptDefinedBy(mloptOperand(op, 0), &mloptOp_bitcast, op);
  if (!mlirOperationIsNull(inner)) {
    MlirValue x = mloptOperand(inner, 0);
    return mlirValueEqual(x, mloptResult(op, 0))
               ? mloptFailure()
               : mloptFoldResultTo(op, 0, x, results);
  }
  MloptElements x, r;
  MlirType to = mloptResultType(op, 0);
  if (!mloptReadElements(constants[0], &x))
    return mloptFailure();
  bool narrower =
      mloptNumberWidth(mloptGetElement(to)) < mloptNumberWidth(x.element);
  if (!mloptInitElements(to, x.splat && !narrower, &r))
    return mloptFailure();
  for (int64_t i = 0, n = mloptStoredElements(&r); i < n; ++i)
    r.values[i] = castElement(&x, r.element, i);
  return mloptFoldToAttr(mloptWriteElements(&r), results);
}

const MloptOpDef mloptOp_bitcast MLOPT_TABLE = {
    .name = "mlopt.bitcast",
    .traits = MLOPT_PURE,
    OPERANDS(VALUE("x", NUMBERS_OR_I1)),
    RESULT(NUMBERS_OR_I1),
    .assembly = "$x attr-dict `:` type($x) `->` type($result)",
    .summary = "The same bits as another element type",
    .doc = "Types of one width keep the shape. A narrower result type adds a "
           "last dimension of the ratio of the widths, a wider one takes such "
           "a dimension away; the first element holds the lowest bits. i1 and "
           "index cast to themselves only. NaN bits are kept.",
    .example = "%r = mlopt.bitcast %x : tensor<4xi32> -> tensor<4x2xf16>",
    .verify = verifyBitcast,
    .fold = foldBitcast,
};

//===----------------------------------------------------------------------===//
// reduce_precision
//===----------------------------------------------------------------------===//

/// An attribute, cut to what still means "all of them".
static unsigned getBits(MlirOperation op, const char *name) {
  int64_t bits = mloptGetInt(op, name);
  return bits > 64 ? 64 : (unsigned)bits;
}

static MlirLogicalResult verifyReducePrecision(MlirOperation op) {
  static const struct {
    const char *name;
    int64_t least;
  } limits[] = {{"exponent_bits", 1}, {"mantissa_bits", 0}};
  for (int i = 0; i < MLOPT_COUNT(limits); ++i) {
    int64_t bits = mloptGetInt(op, limits[i].name);
    if (bits < limits[i].least)
      return mloptOpError(op,
                          "'%s' must be at least %" PRId64 ", but is %" PRId64,
                          limits[i].name, limits[i].least, bits);
  }
  return mloptSuccess();
}

static MlirLogicalResult foldReducePrecision(MlirOperation op,
                                             const MlirAttribute *constants,
                                             MloptFoldResult *results) {
  unsigned exponent = getBits(op, "exponent_bits");
  unsigned mantissa = getBits(op, "mantissa_bits");
  MloptElements x, r;
  if (!mloptReadElements(constants[0], &x)) {
    MloptElement e = mloptGetElement(mloptResultType(op, 0));
    bool whole = mloptNumberKeepsPrecision(e, exponent, mantissa);
    return whole ? mloptFoldToOperand(op, 0, results) : mloptFailure();
  }
  if (!mloptInitElements(mloptResultType(op, 0), x.splat, &r))
    return mloptFailure();
  for (int64_t i = 0, n = mloptStoredElements(&x); i < n; ++i)
    r.values[i] =
        mloptNumberReducePrecision(x.element, exponent, mantissa, x.values[i]);
  return mloptFoldToAttr(mloptWriteElements(&r), results);
}

const MloptOpDef mloptOp_reduce_precision MLOPT_TABLE = {
    .name = "mlopt.reduce_precision",
    .traits = MLOPT_PURE | MLOPT_SAME_TYPE | MLOPT_ELEMENTWISE,
    OPERANDS(VALUE("x", FLOATS)),
    RESULT(FLOATS),
    ATTRS({"exponent_bits", mloptIsI64, "an i64", false, NULL},
          {"mantissa_bits", mloptIsI64, "an i64", false, NULL}),
    .assembly = "$x `exponent` int($exponent_bits) `mantissa` "
                "int($mantissa_bits) attr-dict `:` type($result)",
    .summary = "Values as a narrower float type would hold them",
    .doc = "Works on the bits of the operand's own type. First, if "
           "mantissa_bits is less than the type's, the mantissa field is "
           "rounded to that many bits, to nearest even, a carry going into the "
           "exponent; a denormal rounds at the same bit. Then, if "
           "exponent_bits is less than the type's, with r = "
           "2^(exponent_bits - 1) - 1, values of an exponent above r become "
           "infinite (NaN in f8E4M3FN) and those of an exponent of -r or less "
           "zero, with their sign: the reduced type has no denormals. NaN "
           "gives NaN. exponent_bits is at least 1, mantissa_bits at least 0.",
    .example =
        "%r = mlopt.reduce_precision %x exponent 5 mantissa 10 : tensor<4xf32>",
    .verify = verifyReducePrecision,
    .fold = foldReducePrecision,
};
