//===- reduce.c - Reductions ----------------------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// reduce, arg_reduce and reduce_window. Folds evaluate kinds whose answer does
// not depend on order or accumulation type.
//
//===----------------------------------------------------------------------===//

#include "kind.h"
#include "match.h"
#include "strides.h"

static const MloptValueSpec inputs[] = {
    {"inputs", mloptIsTensor, "a ranked tensor", true}};
static const MloptValueSpec outputs[] = {
    {"results", mloptIsTensor, "a ranked tensor", true}};

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

/// The shape without some dimensions; returns its rank.
static intptr_t dropDims(intptr_t rank, const int64_t *shape,
                         const MloptInts *dims, int64_t *out) {
  intptr_t kept = 0;
  for (intptr_t i = 0; i < rank; ++i)
    if (!mloptHasInt(dims, i))
      out[kept++] = shape[i];
  return kept;
}

static intptr_t inferReduce(const MloptOpDef *def, const MloptInferArgs *args,
                            MlirType *results) {
  MloptSubject s;
  MloptInputs in;
  MloptInts dims;
  if (!mloptInferSubject(def, args, &s) ||
      !mloptReadInputs(&s, args->numOperands, args->operandTypes, &in) ||
      !mloptReadDims(&s, "dims", in.rank, &dims))
    return -1;
  int64_t shape[MLOPT_MAX_RANK];
  intptr_t rank = dropDims(in.rank, in.shape, &dims, shape);
  for (intptr_t i = 0; i < in.count; ++i)
    results[i] = mloptTensorType(
        rank, shape, mloptInputsElement(&in, args->operandTypes, i));
  return in.count;
}

static MlirLogicalResult verifyKindOrRegion(MlirOperation op) {
  return mloptResultOf(mloptCheckKindOrRegion(op));
}

/// How many elements make one result; -1 when unknown or past 64 bits.
static int64_t countReduced(MlirType type, const MloptInts *dims) {
  int64_t n = 1;
  for (intptr_t i = 0; i < dims->count; ++i) {
    int64_t size = mloptDim(type, dims->at[i]);
    if (mloptIsDynamic(size) || __builtin_mul_overflow(n, size, &n))
      return -1;
  }
  return n;
}

/// Folds a splat, or an input without elements.
static MlirLogicalResult foldEqualElements(MlirOperation op, MloptKind kind,
                                           int64_t n, bool hasInit,
                                           uint64_t init, MlirAttribute input,
                                           MloptFoldResult *results) {
  MlirType type = mloptResultType(op, 0);
  MloptElement e = mloptGetElement(type);
  uint64_t bits = 0;
  bool single = n <= 1 && !hasInit;
  if (n < 0 || (!single && !mloptKindIsExact(kind, e)) ||
      (n > 0 && !mloptReadSplat(input, &bits)))
    return mloptFailure();
  bits = mloptKindCombineEqual(kind, e, bits, n);
  if (hasInit)
    bits = mloptKindGetFunction(kind)(e, init, bits);
  return mloptFoldToAttr(mloptSplatAttr(type, bits), results);
}

/// Folds a small constant, starting from `start`.
static MlirLogicalResult foldElements(MlirOperation op, MloptKind kind,
                                      uint64_t start, MlirAttribute input,
                                      MloptFoldResult *results) {
  MloptElements from, to;
  MlirType type = mloptResultType(op, 0);
  if (!mloptReadElements(input, &from) || !mloptInitElements(type, false, &to))
    return mloptFailure();
  for (int64_t i = 0; i < to.count; ++i)
    to.values[i] = start;
  MloptInts dims = mloptGetInts(op, "dims");
  MloptStrides rows = mloptRowMajor(type), places = {0};
  int64_t shape[MLOPT_MAX_RANK], index[MLOPT_MAX_RANK] = {0};
  intptr_t rank = mloptShape(from.type, shape);
  for (intptr_t i = 0, kept = 0; i < rank; ++i)
    if (!mloptHasInt(&dims, i))
      places.at[i] = rows.at[kept++];
  int64_t i = 0;
  do {
    uint64_t *value = &to.values[mloptPlaceOf(&places, rank, index)];
    *value = mloptKindGetFunction(kind)(to.element, *value, from.values[i++]);
  } while (mloptNextIndex(rank, shape, index));
  return mloptFoldToAttr(mloptWriteElements(&to), results);
}

static MlirLogicalResult foldReduce(MlirOperation op,
                                    const MlirAttribute *constants,
                                    MloptFoldResult *results) {
  MloptKind kind = mloptGetKind(op);
  if (kind == MLOPT_KIND_NONE)
    return mloptFailure();
  if (mloptDropNeutralInit(op, constants))
    return mloptSuccess();
  MloptInts dims = mloptGetInts(op, "dims");
  MloptElement e = mloptGetElement(mloptOperandType(op, 0));
  bool hasInit = mlirOperationGetNumOperands(op) == 2;
  if (dims.count == 0 && !hasInit && mloptKindKeepsOne(kind, e) &&
      !mloptFailed(mloptFoldToOperand(op, 0, results)))
    return mloptSuccess();
  uint64_t init = mloptKindGetNeutralBits(kind, e);
  if (hasInit && !mloptReadSplat(constants[1], &init))
    return mloptFailure();
  int64_t n = countReduced(mloptOperandType(op, 0), &dims);
  if (!mloptIsSmallConstant(constants[0]))
    return foldEqualElements(op, kind, n, hasInit, init, constants[0], results);
  if (!mloptKindIsExact(kind, e) && (n > 1 || hasInit))
    return mloptFailure();
  return foldElements(op, kind, init, constants[0], results);
}

static const MloptAttrSpec reduceAttrs[] = {
    MLOPT_REDUCE_KIND_SPEC,
    {"dims", mloptIsI64Array, "an array<i64>", false, NULL},
    MLOPT_NUMERICS_SPEC,
};

const MloptOpDef mloptOp_reduce MLOPT_TABLE = {
    .name = "mlopt.reduce",
    .traits = MLOPT_SINGLE_BLOCK | MLOPT_RECURSIVE_EFFECTS,
    .operands = inputs,
    .numOperands = 1,
    .results = outputs,
    .numResults = 1,
    .attrs = reduceAttrs,
    .numAttrs = MLOPT_COUNT(reduceAttrs),
    .numRegions = 1,
    .assembly = "(kw($kind)^)? operands `dims` ints($dims) attr-dict `:` "
                "functional-type (region^)?",
    .summary = "Combines the elements along dimensions",
    .doc =
        "With a kind: one input, and optionally an initial value of rank 0. "
        "Each result element is the initial value and all elements along "
        "`dims` combined by `mlopt.<kind>`, accumulated in f32 for narrower "
        "floats and in the element type otherwise, and rounded once at the "
        "end. Integers wrap; max and min propagate NaN. Without an initial "
        "value it starts from the neutral element: 0 (+0.0 for a float add, so "
        "that a sum of -0.0 is +0.0), 1, the lowest or highest value "
        "(infinities for floats that have them), or all bits for and. No "
        "elements give the start value.\n\n"
        "With a region: N inputs and N initial values. The region takes N "
        "accumulators, of the initial values' types, then N elements, all "
        "scalars, and yields the new accumulators, which are the results' "
        "element types; nothing is widened.\n\n"
        "Order: `strict` adds element i, in row-major order over `dims`, to "
        "partial result i mod 256 in rising order, each starting from the "
        "neutral element, then halves the 256 partials (j += j + 128, 64, ... "
        "1), and combines the initial value with the result. A region in "
        "strict mode runs in row-major order from the initial values. Other "
        "modes choose an order that is fixed for a shape.",
    .example = "%r = mlopt.reduce add %x dims [1] : (tensor<2x4xf32>) -> "
               "tensor<2xf32>",
    .verify = verifyKindOrRegion,
    .verifyRegions = mloptVerifyReductionRegion,
    .fold = foldReduce,
    .inferTypes = inferReduce,
};

//===----------------------------------------------------------------------===//
// arg_reduce
//===----------------------------------------------------------------------===//

static const struct {
  MloptKind kind;
  MloptPredicate beats;
} argKinds[] = {
    {MLOPT_KIND_MAX, MLOPT_GT},
    {MLOPT_KIND_MIN, MLOPT_LT},
    {MLOPT_KIND_MAXU, MLOPT_UGT},
    {MLOPT_KIND_MINU, MLOPT_ULT},
};

static bool isArgKind(MlirAttribute attr) {
  for (int i = 0; i < MLOPT_COUNT(argKinds); ++i)
    if (mloptReadKind(attr) == argKinds[i].kind)
      return true;
  return false;
}

static MlirLogicalResult verifyArgReduce(MlirOperation op) {
  MloptSubject s = mloptOpSubject(op);
  MlirType from = mloptOperandType(op, 0), value = mloptResultType(op, 0),
           index = mloptResultType(op, 1);
  MlirType element = mloptElementType(from);
  MloptInts dim = {.count = 1};
  if (!mloptReadDim(&s, "dim", mloptRank(from), &dim.at[0]) ||
      !mloptCheckKindElement(&s, mloptGetKind(op), element))
    return mloptFailure();
  int64_t size = mloptDim(from, dim.at[0]);
  int64_t sizes[MLOPT_MAX_RANK], shape[MLOPT_MAX_RANK];
  intptr_t rank = dropDims(mloptShape(from, sizes), sizes, &dim, shape);
  MlirType expected = mloptTensorType(rank, shape, element);
  if (!mlirTypeEqual(mloptElementType(value), element) ||
      !mloptShapesAgree(value, expected))
    return mloptOpError(op,
                        "needs a value result of the operand's element "
                        "type and shape without dimension %" PRId64,
                        dim.at[0]);
  if (!mloptShapesAgree(index, expected))
    return mloptOpError(op,
                        "needs an index result of the operand's shape "
                        "without dimension %" PRId64,
                        dim.at[0]);
  unsigned width = mloptElementWidth(mloptElementType(index));
  if (width < 63 && size > INT64_C(1) << width)
    return mloptOpError(op,
                        "has %u-bit indices, too narrow for the size %" PRId64
                        " of dimension %" PRId64,
                        width, size, dim.at[0]);
  return mloptSuccess();
}

/// Whether `b`, at a higher index, replaces `a`.
static bool beats(MloptKind kind, MloptElement e, uint64_t b, uint64_t a) {
  if (mloptNumberIsFloat(e) &&
      (mloptNumberIsNaN(e, a) || mloptNumberIsNaN(e, b)))
    return !mloptNumberIsNaN(e, a);
  for (int i = 0; i < MLOPT_COUNT(argKinds); ++i)
    if (argKinds[i].kind == kind)
      return mloptNumberCompare(e, argKinds[i].beats, b, a);
  return false;
}

/// Fills the values and indices of a small constant's reduction along `dim`.
static void argReduceElements(MloptKind kind, int64_t dim,
                              const MloptElements *from, MloptElements *value,
                              MloptElements *index) {
  int64_t size = mloptDim(from->type, dim);
  MloptStrides rows = mloptRowMajor(from->type);
  int64_t stride = rows.at[dim];
  for (int64_t i = 0; i < value->count; ++i) {
    const uint64_t *line =
        &from->values[i / stride * stride * size + i % stride];
    int64_t best = 0;
    for (int64_t j = 1; j < size; ++j)
      if (beats(kind, from->element, line[j * stride], line[best * stride]))
        best = j;
    value->values[i] = line[best * stride];
    index->values[i] = (uint64_t)best;
  }
}

static MlirLogicalResult foldArgReduce(MlirOperation op,
                                       const MlirAttribute *constants,
                                       MloptFoldResult *results) {
  MlirType valueType = mloptResultType(op, 0);
  MlirType indexType = mloptResultType(op, 1);
  uint64_t bits;
  if (mloptReadSplat(constants[0], &bits)) {
    results[0].attr = mloptSplatAttr(valueType, bits);
    return mloptFoldToAttr(mloptSplatAttr(indexType, 0), &results[1]);
  }
  MloptElements from, value, index;
  if (!mloptIsSmallConstant(constants[0]) ||
      !mloptReadElements(constants[0], &from) ||
      !mloptInitElements(valueType, false, &value) ||
      !mloptInitElements(indexType, false, &index))
    return mloptFailure();
  argReduceElements(mloptGetKind(op), mloptGetInt(op, "dim"), &from, &value,
                    &index);
  results[0].attr = mloptWriteElements(&value);
  return mloptFoldToAttr(mloptWriteElements(&index), &results[1]);
}

static const MloptValueSpec argOperand[] = {
    {"operand", mloptIsTensor, "a ranked tensor", false}};
static const MloptValueSpec argResults[] = {
    {"value", mloptIsTensor, "a ranked tensor", false},
    {"index", mloptIsIntTensor, "a ranked tensor of integers", false},
};
static const MloptAttrSpec argAttrs[] = {
    {"kind", isArgKind, "one of max, min, maxu, minu", false, NULL},
    {"dim", mloptIsI64, "an i64", false, NULL},
};

const MloptOpDef mloptOp_arg_reduce MLOPT_TABLE = {
    .name = "mlopt.arg_reduce",
    .traits = MLOPT_PURE,
    .operands = argOperand,
    .numOperands = 1,
    .results = argResults,
    .numResults = MLOPT_COUNT(argResults),
    .attrs = argAttrs,
    .numAttrs = MLOPT_COUNT(argAttrs),
    .assembly = "kw($kind) $operand `dim` int($dim) attr-dict `:` "
                "type($operand) `->` type(results)",
    .summary = "The greatest or least element along a dimension, and where",
    .doc = "The index is that of the first NaN if there is one, else the "
           "lowest index of an element that no other beats by `gt` (max), `lt` "
           "(min), `ugt` (maxu) or `ult` (minu); so -0.0 and +0.0 tie. The "
           "value is the element there, its bits unchanged. The index type "
           "is any integer that holds every index as an unsigned number. An "
           "empty dimension gives the kind's neutral element and index 0.",
    .example = "%v, %i = mlopt.arg_reduce max %x dim 1 : tensor<2x4xf32> -> "
               "(tensor<2xf32>, tensor<2xi32>)",
    .verify = verifyArgReduce,
    .fold = foldArgReduce,
};

//===----------------------------------------------------------------------===//
// reduce_window
//===----------------------------------------------------------------------===//

typedef struct Windows {
  MloptInts window, strides, baseDilations, windowDilations, low, high;
} Windows;

static bool readWindows(const MloptSubject *s, intptr_t rank, Windows *w) {
  return mloptReadInts(s, "window", rank, 1, &w->window) &&
         mloptReadInts(s, "strides", rank, 1, &w->strides) &&
         mloptReadInts(s, "base_dilations", rank, 1, &w->baseDilations) &&
         mloptReadInts(s, "window_dilations", rank, 1, &w->windowDilations) &&
         mloptReadInts(s, "low", rank, INT64_MIN, &w->low) &&
         mloptReadInts(s, "high", rank, INT64_MIN, &w->high);
}

static intptr_t inferReduceWindow(const MloptOpDef *def,
                                  const MloptInferArgs *args,
                                  MlirType *results) {
  MloptSubject s;
  MloptInputs in;
  Windows w;
  if (!mloptInferSubject(def, args, &s) ||
      !mloptReadInputs(&s, args->numOperands, args->operandTypes, &in) ||
      !readWindows(&s, in.rank, &w))
    return -1;
  for (intptr_t i = 0; i < in.rank; ++i) {
    MloptWindow window = {.size = w.window.at[i],
                          .stride = w.strides.at[i],
                          .low = w.low.at[i],
                          .high = w.high.at[i],
                          .baseDilation = w.baseDilations.at[i],
                          .windowDilation = w.windowDilations.at[i]};
    if (!mloptCountWindows(&s, i, in.shape[i], window, &in.shape[i]))
      return -1;
  }
  for (intptr_t i = 0; i < in.count; ++i)
    results[i] = mloptTensorType(
        in.rank, in.shape, mloptInputsElement(&in, args->operandTypes, i));
  return in.count;
}

/// Windows of one element each, in place.
static bool isTrivial(MlirOperation op) {
  static const struct {
    const char *name;
    int64_t value;
  } trivial[] = {{"window", 1},
                 {"strides", 1},
                 {"base_dilations", 1},
                 {"low", 0},
                 {"high", 0}};
  for (int i = 0; i < MLOPT_COUNT(trivial); ++i) {
    MloptInts ints = mloptGetInts(op, trivial[i].name);
    for (intptr_t j = 0; j < ints.count; ++j)
      if (ints.at[j] != trivial[i].value)
        return false;
  }
  return true;
}

static MlirLogicalResult foldReduceWindow(MlirOperation op,
                                          const MlirAttribute *constants,
                                          MloptFoldResult *results) {
  if (mloptDropNeutralInit(op, constants))
    return mloptSuccess();
  MloptElement e = mloptGetElement(mloptOperandType(op, 0));
  if (mlirOperationGetNumOperands(op) != 1 || !isTrivial(op) ||
      !mloptKindKeepsOne(mloptGetKind(op), e))
    return mloptFailure();
  return mloptFoldToOperand(op, 0, results);
}

static const MloptAttrSpec windowAttrs[] = {
    MLOPT_REDUCE_KIND_SPEC,
    {"window", mloptIsI64Array, "an array<i64>", false, NULL},
    {"strides", mloptIsI64Array, "an array<i64>", false, NULL},
    {"base_dilations", mloptIsI64Array, "an array<i64>", false, NULL},
    {"window_dilations", mloptIsI64Array, "an array<i64>", false, NULL},
    {"low", mloptIsI64Array, "an array<i64>", false, NULL},
    {"high", mloptIsI64Array, "an array<i64>", false, NULL},
    MLOPT_NUMERICS_SPEC,
};

const MloptOpDef mloptOp_reduce_window MLOPT_TABLE = {
    .name = "mlopt.reduce_window",
    .traits = MLOPT_SINGLE_BLOCK | MLOPT_RECURSIVE_EFFECTS,
    .operands = inputs,
    .numOperands = 1,
    .results = outputs,
    .numResults = 1,
    .attrs = windowAttrs,
    .numAttrs = MLOPT_COUNT(windowAttrs),
    .numRegions = 1,
    .assembly =
        "(kw($kind)^)? operands (`window` ints($window)^)? (`strides` "
        "ints($strides)^)? (`base_dilations` ints($base_dilations)^)? "
        "(`window_dilations` ints($window_dilations)^)? (`low` ints($low)^)? "
        "(`high` ints($high)^)? attr-dict `:` functional-type (region^)?",
    .summary = "Combines the elements under a window that slides",
    .doc =
        "Kind, region, initial values, accumulation and results are as in "
        "reduce; every array has one entry for each dimension. Along each "
        "dimension, `base_dilations - 1` positions go between neighbours, then "
        "`low` before and `high` after (negative ones remove positions). The "
        "window covers `window` positions, `window_dilations` apart, and "
        "starts at every multiple of `strides` where it fits; if it fits "
        "nowhere the result is empty.\n\n"
        "With a kind, positions without an element are skipped and the "
        "initial value counts once. With a region, each such position is an "
        "element that has the initial value.",
    .example = "%r = mlopt.reduce_window max %x window [2] strides [2] "
               "base_dilations [1] window_dilations [1] low [0] high [0] : "
               "(tensor<8xf32>) -> tensor<4xf32>",
    .verify = verifyKindOrRegion,
    .verifyRegions = mloptVerifyReductionRegion,
    .fold = foldReduceWindow,
    .inferTypes = inferReduceWindow,
};
