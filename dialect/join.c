//===- join.c - Operations that put tensors together ----------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// pad and concat. Bits of elements are never changed.
//
//===----------------------------------------------------------------------===//

#include "dialect.h"
#include "match.h"
#include "strides.h"

static const MloptValueSpec tensorResult[] = {
    {"result", mloptIsTensor, "a ranked tensor", false}};

//===----------------------------------------------------------------------===//
// pad
//===----------------------------------------------------------------------===//

typedef struct Padding {
  MloptInts low, high, interior;
} Padding;

/// The size of a padded dimension; false when it is negative or overflows.
static bool paddedSize(int64_t size, int64_t low, int64_t high,
                       int64_t interior, int64_t *out) {
  int64_t gaps = 0;
  return !(size > 0 && __builtin_mul_overflow(size - 1, interior, &gaps)) &&
         !__builtin_add_overflow(size, gaps, out) &&
         !__builtin_add_overflow(*out, low, out) &&
         !__builtin_add_overflow(*out, high, out) && *out >= 0;
}

static intptr_t inferPad(const MloptOpDef *def, const MloptInferArgs *args,
                         MlirType *results) {
  MloptSubject s;
  if (!mloptInferSubject(def, args, &s))
    return -1;
  MlirType from = args->operandTypes[0];
  MlirType element = mloptElementType(from);
  intptr_t rank = mloptRank(from);
  int64_t shape[MLOPT_MAX_RANK];
  Padding p;
  if (!mloptReadInts(&s, "low", rank, INT64_MIN, &p.low) ||
      !mloptReadInts(&s, "high", rank, INT64_MIN, &p.high) ||
      !mloptReadInts(&s, "interior", rank, 0, &p.interior))
    return -1;
  bool good = mlirTypeEqual(element, mloptElementType(args->operandTypes[1])) ||
              mloptReject(&s, "pads with another element type");
  for (intptr_t i = 0; good && i < rank; ++i) {
    shape[i] = mloptDim(from, i);
    if (!mloptIsDynamic(shape[i]) &&
        !paddedSize(shape[i], p.low.at[i], p.high.at[i], p.interior.at[i],
                    &shape[i]))
      good = mloptReject(
          &s,
          "pads dimension %" PRIdPTR " of size %" PRId64 " by low %" PRId64
          ", high %" PRId64 " and interior %" PRId64
          ", to a size that is negative or past 64 bits",
          i, mloptDim(from, i), p.low.at[i], p.high.at[i], p.interior.at[i]);
  }
  if (!good)
    return -1;
  results[0] = mloptTensorType(rank, shape, element);
  return 1;
}

static Padding getPadding(MlirOperation op) {
  return (Padding){mloptGetInts(op, "low"), mloptGetInts(op, "high"),
                   mloptGetInts(op, "interior")};
}

static bool addsNothing(const Padding *p) {
  for (intptr_t i = 0; i < p->low.count; ++i)
    if (p->low.at[i] || p->high.at[i] || p->interior.at[i])
      return false;
  return true;
}

/// Writes the operand's elements that negative padding does not cut off.
static void placeElements(const Padding *p, const MloptElements *from,
                          MloptElements *to) {
  int64_t shape[MLOPT_MAX_RANK], toShape[MLOPT_MAX_RANK];
  int64_t index[MLOPT_MAX_RANK] = {0}, at[MLOPT_MAX_RANK];
  intptr_t rank = mloptShape(from->type, shape);
  (void)mloptShape(to->type, toShape);
  MloptStrides rows = mloptRowMajor(to->type);
  int64_t i = 0;
  do {
    bool inside = true;
    for (intptr_t d = 0; d < rank; ++d) {
      at[d] = p->low.at[d];
      if (index[d])
        at[d] += index[d] * (p->interior.at[d] + 1);
      inside = inside && at[d] >= 0 && at[d] < toShape[d];
    }
    if (inside)
      to->values[mloptPlaceOf(&rows, rank, at)] = mloptElementAt(from, i);
    ++i;
  } while (mloptNextIndex(rank, shape, index));
}

static MlirLogicalResult foldPad(MlirOperation op,
                                 const MlirAttribute *constants,
                                 MloptFoldResult *results) {
  Padding p = getPadding(op);
  if (addsNothing(&p) && !mloptFailed(mloptFoldToOperand(op, 0, results)))
    return mloptSuccess();
  uint64_t padding, inner;
  MloptElements from, to;
  MlirType type = mloptResultType(op, 0);
  if (!mloptReadSplat(constants[1], &padding))
    return mloptFailure();
  if (mloptIsEmpty(mloptOperandType(op, 0)) ||
      (mloptReadSplat(constants[0], &inner) && inner == padding))
    return mloptFoldToAttr(mloptSplatAttr(type, padding), results);
  if (!mloptReadElements(constants[0], &from) ||
      from.count > MLOPT_FOLD_LIMIT || !mloptInitElements(type, false, &to))
    return mloptFailure();
  for (int64_t i = 0; i < to.count; ++i)
    to.values[i] = padding;
  placeElements(&p, &from, &to);
  return mloptFoldToAttr(mloptWriteElements(&to), results);
}

static const MloptValueSpec padOperands[] = {
    {"operand", mloptIsTensor, "a ranked tensor", false},
    {"value", mloptIsRank0Tensor, "a tensor of rank 0", false},
};
static const MloptAttrSpec padAttrs[] = {
    {"low", mloptIsI64Array, "an array<i64>", false, NULL},
    {"high", mloptIsI64Array, "an array<i64>", false, NULL},
    {"interior", mloptIsI64Array, "an array<i64>", false, NULL},
};

const MloptOpDef mloptOp_pad MLOPT_TABLE = {
    .name = "mlopt.pad",
    .traits = MLOPT_PURE,
    .operands = padOperands,
    .numOperands = MLOPT_COUNT(padOperands),
    .results = tensorResult,
    .numResults = 1,
    .attrs = padAttrs,
    .numAttrs = MLOPT_COUNT(padAttrs),
    .assembly = "operands `low` ints($low) `high` ints($high) `interior` "
                "ints($interior) attr-dict `:` type(operands) `->` "
                "type($result)",
    .summary = "Puts a value around and between elements",
    .doc =
        "First `interior[i]` copies of `value` go between each two neighbours "
        "along dimension i, then `low[i]` before and `high[i]` after. A "
        "negative low or high removes that many positions instead, values and "
        "elements alike. interior is not negative, and so is no result size.",
    .example = "%r = mlopt.pad %x, %v low [1] high [-1] interior [0] : "
               "tensor<4xf32>, tensor<f32> -> tensor<4xf32>",
    .fold = foldPad,
    .inferTypes = inferPad,
};

//===----------------------------------------------------------------------===//
// concat
//===----------------------------------------------------------------------===//

/// Appends one more operand to a shape along `dim`; the rest must agree.
static bool appendOperand(const MloptSubject *s, intptr_t operand, int64_t dim,
                          MlirType type, intptr_t rank, int64_t *shape) {
  if (mloptRank(type) != rank)
    return mloptReject(s,
                       "operand #%" PRIdPTR " has rank %" PRId64
                       ", but operand #0 has %" PRIdPTR,
                       operand, mloptRank(type), rank);
  for (intptr_t i = 0; i < rank; ++i) {
    int64_t size = mloptDim(type, i);
    if (i == dim) {
      if (mloptIsDynamic(size) || mloptIsDynamic(shape[i]))
        shape[i] = mlirShapedTypeGetDynamicSize();
      else if (__builtin_add_overflow(shape[i], size, &shape[i]))
        return mloptReject(
            s, "the size of dimension %" PRIdPTR " does not fit in 64 bits", i);
      continue;
    }
    if (!mloptSizesAgree(shape[i], size))
      return mloptReject(s,
                         "operand #%" PRIdPTR " has size %" PRId64
                         " in dimension %" PRIdPTR
                         ", but those before it have %" PRId64,
                         operand, size, i, shape[i]);
    shape[i] = mloptMeetSizes(shape[i], size);
  }
  return true;
}

static intptr_t inferConcat(const MloptOpDef *def, const MloptInferArgs *args,
                            MlirType *results) {
  MloptSubject s;
  if (!mloptInferSubject(def, args, &s))
    return -1;
  bool good =
      args->numOperands > 0 || mloptReject(&s, "needs at least one operand");
  if (!good)
    return -1;
  MlirType element = mloptElementType(args->operandTypes[0]);
  int64_t dim, shape[MLOPT_MAX_RANK];
  intptr_t rank = mloptShape(args->operandTypes[0], shape);
  good = mloptReadDim(&s, "dim", rank, &dim);
  for (intptr_t i = 1; good && i < args->numOperands; ++i) {
    MlirType type = args->operandTypes[i];
    good = mlirTypeEqual(mloptElementType(type), element)
               ? appendOperand(&s, i, dim, type, rank, shape)
               : mloptReject(&s,
                             "operand #%" PRIdPTR
                             " has another element type than operand #0",
                             i);
  }
  if (!good)
    return -1;
  results[0] = mloptTensorType(rank, shape, element);
  return 1;
}

/// Longer operand lists are left alone: assembly reads so many at most.
enum { MAX_FLAT_OPERANDS = 64 };

/// Drops empty operands and takes apart concats along the same dimension.
/// False when there is nothing to do.
static bool flattenConcat(MlirOperation op) {
  MlirValue flat[MAX_FLAT_OPERANDS];
  int64_t dim = mloptGetInt(op, "dim");
  intptr_t count = 0, n = mlirOperationGetNumOperands(op);
  bool changed = false;
  for (intptr_t i = 0; i < n; ++i) {
    MlirValue value = mloptOperand(op, i);
    MlirOperation inner = mloptDefinedBy(value, &mloptOp_concat, op);
    bool nested =
        !mlirOperationIsNull(inner) && mloptGetInt(inner, "dim") == dim;
    intptr_t parts = nested ? mlirOperationGetNumOperands(inner) : 1;
    if (count + parts > MAX_FLAT_OPERANDS)
      return false;
    if (n > 1 && mloptDim(mlirValueGetType(value), dim) == 0) {
      changed = true;
      continue;
    }
    for (intptr_t j = 0; j < parts; ++j)
      flat[count++] = nested ? mloptOperand(inner, j) : value;
    changed = changed || nested;
  }
  if (!changed || count == 0)
    return false;
  mlirOperationSetOperands(op, count, flat);
  return true;
}

/// Folds operands that are splats of the same bits.
static MlirLogicalResult foldEqualSplats(MlirOperation op,
                                         const MlirAttribute *constants,
                                         MloptFoldResult *results) {
  uint64_t first, bits;
  if (!mloptReadSplat(constants[0], &first))
    return mloptFailure();
  for (intptr_t i = 1, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (!mloptReadSplat(constants[i], &bits) || bits != first)
      return mloptFailure();
  return mloptFoldSplatConstant(op, constants[0], results);
}

static MlirLogicalResult foldConcat(MlirOperation op,
                                    const MlirAttribute *constants,
                                    MloptFoldResult *results) {
  intptr_t n = mlirOperationGetNumOperands(op);
  if (n == 1)
    return mloptFoldToOperand(op, 0, results);
  if (flattenConcat(op) ||
      !mloptFailed(foldEqualSplats(op, constants, results)))
    return mloptSuccess();
  MloptElements from, to;
  MlirType type = mloptResultType(op, 0);
  if (!mloptInitElements(type, false, &to))
    return mloptFailure();
  MloptStrides places = mloptRowMajor(type);
  int64_t dim = mloptGetInt(op, "dim");
  for (intptr_t i = 0; i < n; ++i) {
    int64_t shape[MLOPT_MAX_RANK];
    if (!mloptReadElements(constants[i], &from))
      return mloptFailure();
    intptr_t rank = mloptShape(from.type, shape);
    MloptStrides rows = mloptRowMajor(from.type);
    mloptCopyElements(rank, shape, &to, &places, &from, &rows);
    places.base += shape[dim] * places.at[dim];
  }
  return mloptFoldToAttr(mloptWriteElements(&to), results);
}

static const MloptValueSpec concatOperands[] = {
    {"operands", mloptIsTensor, "a ranked tensor", true}};
static const MloptAttrSpec concatAttrs[] = {
    {"dim", mloptIsI64, "an i64", false, NULL}};

const MloptOpDef mloptOp_concat MLOPT_TABLE = {
    .name = "mlopt.concat",
    .traits = MLOPT_PURE,
    .operands = concatOperands,
    .numOperands = 1,
    .results = tensorResult,
    .numResults = 1,
    .attrs = concatAttrs,
    .numAttrs = MLOPT_COUNT(concatAttrs),
    .assembly = "operands `dim` int($dim) attr-dict `:` functional-type",
    .summary = "Tensors one after another along a dimension",
    .doc = "One operand or more, of one rank and element type, that agree in "
           "every size but that of `dim`; empty ones add nothing.",
    .example = "%r = mlopt.concat %a, %b dim 0 : (tensor<2xf32>, "
               "tensor<3xf32>) -> tensor<5xf32>",
    .fold = foldConcat,
    .inferTypes = inferConcat,
};
