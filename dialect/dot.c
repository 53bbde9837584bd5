//===- dot.c - Contractions -----------------------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// dot and conv: sums of products, in an accumulation type that the program may
// choose. Folds evaluate integers and empty sums; factors are read before their
// conversion.
//
//===----------------------------------------------------------------------===//

#include "kind.h"
#include "match.h"
#include "strides.h"

static const MloptValueSpec twoTensors[] = {
    {"lhs", mloptIsTensor, "a ranked tensor", false},
    {"rhs", mloptIsTensor, "a ranked tensor", false},
};
static const MloptValueSpec tensorResult[] = {
    {"result", mloptIsTensor, "a ranked tensor", false}};

static bool isElementTypeAttr(MlirAttribute a) {
  return mloptIsTypeAttr(a) && mloptIsElement(mlirTypeAttrGetValue(a));
}
#define ACCUMULATE_SPEC                                                        \
  { "accumulate", isElementTypeAttr, "an element type", true, NULL }
#define UNSIGNED_SPEC                                                          \
  { "unsigned", mloptIsUnit, "a unit attribute", true, NULL }

/// Operands, accumulator and result are all floats or all integers.
static bool checkElements(const MloptSubject *s) {
  MlirOperation op = s->op;
  MlirType result = mloptElementType(mloptResultType(op, 0));
  bool isFloat = mloptIsFloatElement(result);
  for (intptr_t i = 0; i < 2; ++i)
    if (mloptIsFloatElement(mloptElementType(mloptOperandType(op, i))) !=
        isFloat)
      return mloptReject(
          s, "operand #%" PRIdPTR " must have %s elements as the result has", i,
          isFloat ? "float" : "integer");
  MlirAttribute accumulate = mloptAttr(op, "accumulate");
  if (!mlirAttributeIsNull(accumulate) &&
      mloptIsFloatElement(mlirTypeAttrGetValue(accumulate)) != isFloat)
    return mloptReject(s, "accumulates in another class of elements than "
                          "its result's");
  return !isFloat || mlirAttributeIsNull(mloptAttr(op, "unsigned")) ||
         mloptReject(s, "is 'unsigned', but its elements are floats");
}

/// The element type in which a contraction sums.
static MloptElement accumulatorOf(MlirOperation op) {
  MlirAttribute accumulate = mloptAttr(op, "accumulate");
  return mloptGetElement(
      mlirAttributeIsNull(accumulate)
          ? mloptAccumulationType(mloptElementType(mloptResultType(op, 0)))
          : mlirTypeAttrGetValue(accumulate));
}

/// Folds to zeros when there is nothing to sum, or one factor of all integer
/// products is 0.
static bool foldZeros(MlirOperation op, bool isEmptySum,
                      const MlirAttribute *constants,
                      MloptFoldResult *results) {
  MlirType type = mloptResultType(op, 0);
  uint64_t a, b;
  bool isZero = !mloptNumberIsFloat(mloptGetElement(type)) &&
                ((mloptReadSplat(constants[0], &a) && a == 0) ||
                 (mloptReadSplat(constants[1], &b) && b == 0));
  return (isEmptySum || isZero) &&
         !mloptFailed(mloptFoldToAttr(mloptSplatAttr(type, 0), results));
}

//===----------------------------------------------------------------------===//
// Factors before their conversion
//===----------------------------------------------------------------------===//
//
//   %a = mlopt.convert %x : tensor<4x8xbf16> -> tensor<4x8xf32>
//   %b = mlopt.convert %y : tensor<8x2xbf16> -> tensor<8x2xf32>
//   %r = mlopt.dot %a, %b contract [1] x [0] : (...) -> tensor<4x2xf32>
//     -> mlopt.dot %x, %y contract [1] x [0] : (...) -> tensor<4x2xf32>
//
// A contraction converts its factors to the accumulator's type itself, so what
// is computed stays the same; but half the bytes are read, and Tensor Cores
// take such factors. JAX writes the products of gradients with conversions. So
// does one factor, bf16 beside f32.

/// What a conversion widens without loss; null if `value` is no such result.
static MlirValue widenedFrom(MlirValue value, bool *isUnsigned) {
  MlirValue none = {NULL};
  if (!mlirValueIsAOpResult(value))
    return none;
  MlirOperation op = mlirOpResultGetOwner(value);
  *isUnsigned = mloptIsNamed(op, mloptOp_convertu.name);
  if (!*isUnsigned && !mloptIsNamed(op, mloptOp_convert.name))
    return none;
  MloptElement from =
      mloptGetElement(mloptElementType(mloptOperandType(op, 0)));
  MloptElement to = mloptGetElement(mloptElementType(mloptResultType(op, 0)));
  unsigned narrow = mloptNumberWidth(from), wide = mloptNumberWidth(to);
  bool isFloat = mloptNumberIsFloat(to);
  // Of the floats under 32 bits none holds all values of another; i1 has only
  // storage's rules.
  if (mloptNumberIsFloat(from) != isFloat || narrow >= wide ||
      wide < (isFloat ? 32u : 8u) || narrow < 8)
    return none;
  return mloptOperand(op, 0);
}

/// Whether a factor in f32 is bf16 widened, which is less to read and multiply
/// than f32 beside another one in f32.
static bool isWidenedBeside(MlirOperation op, MlirValue from, bool isUnsigned,
                            int other) {
  return !mlirValueIsNull(from) && !isUnsigned &&
         mlirTypeIsABF16(mloptElementType(mlirValueGetType(from))) &&
         mlirTypeIsAF32(mloptElementType(mloptOperandType(op, other)));
}

static MlirLogicalResult readUnconverted(MlirRewritePattern pattern,
                                         MlirOperation op,
                                         MlirPatternRewriter rewriter,
                                         void *data) {
  (void)pattern, (void)data;
  MlirValue factors[2];
  bool isUnsigned[2] = {false, false}, reads[2];
  for (int i = 0; i < 2; ++i)
    factors[i] = widenedFrom(mloptOperand(op, i), &isUnsigned[i]);
  bool areAlike = !mlirValueIsNull(factors[0]) &&
                  !mlirValueIsNull(factors[1]) &&
                  isUnsigned[0] == isUnsigned[1] &&
                  mlirTypeEqual(mloptElementType(mlirValueGetType(factors[0])),
                                mloptElementType(mlirValueGetType(factors[1])));
  for (int i = 0; i < 2; ++i)
    reads[i] =
        areAlike || isWidenedBeside(op, factors[i], isUnsigned[i], 1 - i);
  // The accumulator has to hold just what the conversions gave.
  int side = reads[0] ? 0 : 1;
  if (!reads[side] || accumulatorOf(op) != mloptGetElement(mloptElementType(
                                               mloptOperandType(op, side))))
    return mloptFailure();
  MlirRewriterBase base = mlirPatternRewriterAsBase(rewriter);
  mlirRewriterBaseStartOpModification(base, op);
  for (int i = 0; i < 2; ++i)
    if (reads[i])
      mlirOperationSetOperand(op, i, factors[i]);
  if (isUnsigned[side])
    mlirOperationSetInherentAttributeByName(
        op, mloptStr("unsigned"), mlirUnitAttrGet(mlirOperationGetContext(op)));
  else
    mlirOperationRemoveAttributeByName(op, mloptStr("unsigned"));
  mlirRewriterBaseFinalizeOpModification(base, op);
  return mloptSuccess();
}

static void addDotPatterns(MlirRewritePatternSet set, MlirContext context) {
  mloptAddPattern(set, context, &mloptOp_dot, readUnconverted);
}

static void addConvPatterns(MlirRewritePatternSet set, MlirContext context) {
  mloptAddPattern(set, context, &mloptOp_conv, readUnconverted);
}

//===----------------------------------------------------------------------===//
// dot
//===----------------------------------------------------------------------===//

typedef struct DotDims {
  MloptInts lhsBatch, rhsBatch, lhsContract, rhsContract;
} DotDims;

/// Pairs of dimensions, one of each operand.
static bool checkPairs(const MloptSubject *s, const char *what, MlirType lhs,
                       MlirType rhs, const MloptInts *a, const MloptInts *b) {
  if (a->count != b->count)
    return mloptReject(s,
                       "has %" PRIdPTR
                       " %s dimensions of the lhs, but %" PRIdPTR " of the rhs",
                       a->count, what, b->count);
  for (intptr_t i = 0; i < a->count; ++i) {
    int64_t m = mloptDim(lhs, a->at[i]), n = mloptDim(rhs, b->at[i]);
    if (!mloptSizesAgree(m, n))
      return mloptReject(s,
                         "%s dimension %" PRId64 " of the lhs has size %" PRId64
                         ", but %" PRId64 " of the rhs has %" PRId64,
                         what, a->at[i], m, b->at[i], n);
  }
  return true;
}

static bool readDotDims(const MloptSubject *s, MlirType lhs, MlirType rhs,
                        DotDims *d) {
  return mloptReadDims(s, "lhs_batch", mloptRank(lhs), &d->lhsBatch) &&
         mloptReadDims(s, "rhs_batch", mloptRank(rhs), &d->rhsBatch) &&
         mloptReadDims(s, "lhs_contract", mloptRank(lhs), &d->lhsContract) &&
         mloptReadDims(s, "rhs_contract", mloptRank(rhs), &d->rhsContract) &&
         mloptCheckDisjoint(s, "lhs_batch", &d->lhsBatch, "lhs_contract",
                            &d->lhsContract) &&
         mloptCheckDisjoint(s, "rhs_batch", &d->rhsBatch, "rhs_contract",
                            &d->rhsContract) &&
         checkPairs(s, "batch", lhs, rhs, &d->lhsBatch, &d->rhsBatch) &&
         checkPairs(s, "contracting", lhs, rhs, &d->lhsContract,
                    &d->rhsContract);
}

/// Where a result dimension comes from: dimension `lhs` and `rhs` of the
/// operands, or -1.
typedef struct DotDim {
  int64_t lhs, rhs;
} DotDim;

static intptr_t listResultDims(const DotDims *d, intptr_t lhsRank,
                               intptr_t rhsRank,
                               DotDim out[2 * MLOPT_MAX_RANK]) {
  intptr_t n = 0;
  for (intptr_t i = 0; i < d->lhsBatch.count; ++i)
    out[n++] = (DotDim){d->lhsBatch.at[i], d->rhsBatch.at[i]};
  for (intptr_t i = 0; i < lhsRank; ++i)
    if (!mloptHasInt(&d->lhsBatch, i) && !mloptHasInt(&d->lhsContract, i))
      out[n++] = (DotDim){i, -1};
  for (intptr_t i = 0; i < rhsRank; ++i)
    if (!mloptHasInt(&d->rhsBatch, i) && !mloptHasInt(&d->rhsContract, i))
      out[n++] = (DotDim){-1, i};
  return n;
}

static MlirLogicalResult verifyDot(MlirOperation op) {
  MloptSubject s = mloptOpSubject(op);
  MlirType lhs = mloptOperandType(op, 0), rhs = mloptOperandType(op, 1),
           result = mloptResultType(op, 0);
  DotDims d;
  if (!readDotDims(&s, lhs, rhs, &d) || !checkElements(&s))
    return mloptFailure();
  DotDim dims[2 * MLOPT_MAX_RANK];
  intptr_t n = listResultDims(&d, mloptRank(lhs), mloptRank(rhs), dims);
  if (mloptRank(result) != n)
    return mloptOpError(op,
                        "has a result of rank %" PRId64 ", but %" PRIdPTR
                        " batch and free dimensions",
                        mloptRank(result), n);
  for (intptr_t i = 0; i < n; ++i) {
    int64_t size = dims[i].lhs >= 0 ? mloptDim(lhs, dims[i].lhs)
                                    : mloptDim(rhs, dims[i].rhs);
    if (!mloptSizesAgree(size, mloptDim(result, i)))
      return mloptOpError(op,
                          "has size %" PRId64 " in result dimension %" PRIdPTR
                          ", but %" PRId64 " in the operand",
                          mloptDim(result, i), i, size);
  }
  return mloptSuccess();
}

static bool isEmptyDot(MlirOperation op) {
  MloptInts contract = mloptGetInts(op, "lhs_contract");
  for (intptr_t i = 0; i < contract.count; ++i)
    if (mloptDim(mloptOperandType(op, 0), contract.at[i]) == 0)
      return true;
  return false;
}

/// A dot of small integer constants under evaluation.
typedef struct DotFold {
  MloptElements lhs, rhs, result;
  MloptElement accumulator;
  bool isUnsigned;
  MloptStrides lhsPlaces, rhsPlaces;     ///< of a result index
  MloptStrides lhsContract, rhsContract; ///< of a contracting index
  intptr_t contractRank;
  int64_t contractShape[MLOPT_MAX_RANK];
} DotFold;

static void initPlaces(MlirOperation op, DotFold *f) {
  MlirType lhs = f->lhs.type, rhs = f->rhs.type;
  DotDims d = {mloptGetInts(op, "lhs_batch"), mloptGetInts(op, "rhs_batch"),
               mloptGetInts(op, "lhs_contract"),
               mloptGetInts(op, "rhs_contract")};
  DotDim dims[2 * MLOPT_MAX_RANK];
  intptr_t n = listResultDims(&d, mloptRank(lhs), mloptRank(rhs), dims);
  MloptStrides lhsRows = mloptRowMajor(lhs), rhsRows = mloptRowMajor(rhs);
  MloptStrides none = {0};
  f->lhsPlaces = f->rhsPlaces = f->lhsContract = f->rhsContract = none;
  for (intptr_t i = 0; i < n; ++i) {
    if (dims[i].lhs >= 0)
      f->lhsPlaces.at[i] = lhsRows.at[dims[i].lhs];
    if (dims[i].rhs >= 0)
      f->rhsPlaces.at[i] = rhsRows.at[dims[i].rhs];
  }
  f->contractRank = d.lhsContract.count;
  for (intptr_t i = 0; i < f->contractRank; ++i) {
    f->lhsContract.at[i] = lhsRows.at[d.lhsContract.at[i]];
    f->rhsContract.at[i] = rhsRows.at[d.rhsContract.at[i]];
    f->contractShape[i] = mloptDim(lhs, d.lhsContract.at[i]);
  }
}

static uint64_t sumOfProducts(const DotFold *f, const int64_t *at,
                              intptr_t rank) {
  MloptElement e = f->accumulator;
  int64_t lhs = mloptPlaceOf(&f->lhsPlaces, rank, at);
  int64_t rhs = mloptPlaceOf(&f->rhsPlaces, rank, at);
  int64_t k[MLOPT_MAX_RANK] = {0};
  uint64_t sum = 0;
  do {
    uint64_t a = mloptElementAt(
        &f->lhs, lhs + mloptPlaceOf(&f->lhsContract, f->contractRank, k));
    uint64_t b = mloptElementAt(
        &f->rhs, rhs + mloptPlaceOf(&f->rhsContract, f->contractRank, k));
    a = mloptNumberConvert(f->lhs.element, e, f->isUnsigned, a);
    b = mloptNumberConvert(f->rhs.element, e, f->isUnsigned, b);
    sum = mloptNumberAdd(e, sum, mloptNumberMul(e, a, b));
  } while (mloptNextIndex(f->contractRank, f->contractShape, k));
  return mloptNumberConvert(e, f->result.element, f->isUnsigned, sum);
}

static MlirLogicalResult foldDot(MlirOperation op,
                                 const MlirAttribute *constants,
                                 MloptFoldResult *results) {
  if (foldZeros(op, isEmptyDot(op), constants, results))
    return mloptSuccess();
  DotFold f = {.accumulator = accumulatorOf(op),
               .isUnsigned = !mlirAttributeIsNull(mloptAttr(op, "unsigned"))};
  MlirType type = mloptResultType(op, 0);
  if (mloptNumberIsFloat(f.accumulator) ||
      !mloptReadElements(constants[0], &f.lhs) ||
      !mloptReadElements(constants[1], &f.rhs) ||
      f.lhs.count > MLOPT_FOLD_LIMIT || f.rhs.count > MLOPT_FOLD_LIMIT ||
      !mloptInitElements(type, false, &f.result))
    return mloptFailure();
  initPlaces(op, &f);
  int64_t shape[MLOPT_MAX_RANK], at[MLOPT_MAX_RANK] = {0}, i = 0;
  intptr_t rank = mloptShape(type, shape);
  do
    f.result.values[i++] = sumOfProducts(&f, at, rank);
  while (mloptNextIndex(rank, shape, at));
  return mloptFoldToAttr(mloptWriteElements(&f.result), results);
}

static const MloptAttrSpec dotAttrs[] = {
    {"lhs_batch", mloptIsI64Array, "an array<i64>", false, "array<i64>"},
    {"rhs_batch", mloptIsI64Array, "an array<i64>", false, "array<i64>"},
    {"lhs_contract", mloptIsI64Array, "an array<i64>", false, NULL},
    {"rhs_contract", mloptIsI64Array, "an array<i64>", false, NULL},
    ACCUMULATE_SPEC,
    UNSIGNED_SPEC,
    MLOPT_NUMERICS_SPEC,
};

const MloptOpDef mloptOp_dot MLOPT_TABLE = {
    .name = "mlopt.dot",
    .traits = MLOPT_PURE,
    .operands = twoTensors,
    .numOperands = 2,
    .results = tensorResult,
    .numResults = 1,
    .attrs = dotAttrs,
    .numAttrs = MLOPT_COUNT(dotAttrs),
    .assembly = "operands (`batch` ints($lhs_batch)^ `x` ints($rhs_batch))? "
                "`contract` ints($lhs_contract) `x` ints($rhs_contract) "
                "(`accumulate` typeof($accumulate)^)? (`unsigned` "
                "unit($unsigned)^)? attr-dict `:` functional-type",
    .summary = "Sums of products along contracting dimensions",
    .doc =
        "`lhs_batch[i]` goes with `rhs_batch[i]`, `lhs_contract[i]` with "
        "`rhs_contract[i]`. The result's dimensions are the batch, the other "
        "dimensions of the lhs, then those of the rhs. Both operands are "
        "converted to the type `accumulate`, by default f32 for a result of "
        "narrower floats and the result's element type otherwise; products and "
        "sums, from zero, are formed there, and the sum is converted to the "
        "result once. Integers are sign-extended, with `unsigned` "
        "zero-extended, and wrap; over i1 the product is and, the sum or. An "
        "empty sum is 0. `strict` is one chain in rising order of the "
        "contracting index, row-major; it gives the same bits under every "
        "schedule, but a Tensor Core's chain is not a CPU's.",
    .example = "%r = mlopt.dot %a, %b batch [0] x [0] contract [2] x [1] : "
               "(tensor<2x4x8xf32>, tensor<2x8x3xf32>) -> tensor<2x4x3xf32>",
    .verify = verifyDot,
    .fold = foldDot,
    .canonicalizers = addDotPatterns,
};

//===----------------------------------------------------------------------===//
// conv
//===----------------------------------------------------------------------===//

/// Channels: x has `in`, a group of them meets each of w's `out`.
static bool checkChannels(const MloptSubject *s, int64_t groups, int64_t in,
                          int64_t perGroup, int64_t out) {
  if (groups < 1)
    return mloptReject(s, "needs at least one group, but has %" PRId64, groups);
  if (!mloptIsDynamic(out) && out % groups)
    return mloptReject(s,
                       "has %" PRId64 " output channels, which %" PRId64
                       " groups do not divide",
                       out, groups);
  if (mloptIsDynamic(in))
    return true;
  if (in % groups || !mloptSizesAgree(perGroup, in / groups))
    return mloptReject(s,
                       "has %" PRId64 " input channels in %" PRId64
                       " groups, but a kernel for %" PRId64 " each",
                       in, groups, perGroup);
  return true;
}

static bool checkSpatial(const MloptSubject *s, intptr_t spatial, MlirType x,
                         MlirType w, MlirType result) {
  MloptInts strides, low, high, inputDilation, windowDilation;
  if (!mloptReadInts(s, "strides", spatial, 1, &strides) ||
      !mloptReadInts(s, "low", spatial, INT64_MIN, &low) ||
      !mloptReadInts(s, "high", spatial, INT64_MIN, &high) ||
      !mloptReadInts(s, "input_dilation", spatial, 1, &inputDilation) ||
      !mloptReadInts(s, "window_dilation", spatial, 1, &windowDilation))
    return false;
  for (intptr_t i = 0; i < spatial; ++i) {
    MloptWindow window = {.size = mloptDim(w, i),
                          .stride = strides.at[i],
                          .low = low.at[i],
                          .high = high.at[i],
                          .baseDilation = inputDilation.at[i],
                          .windowDilation = windowDilation.at[i]};
    int64_t size, has = mloptDim(result, i + 1);
    if (window.size == 0)
      return mloptReject(
          s, "has a kernel of size 0 in spatial dimension %" PRIdPTR, i);
    if (!mloptCountWindows(s, i, mloptDim(x, i + 1), window, &size))
      return false;
    if (!mloptSizesAgree(size, has))
      return mloptReject(s,
                         "has a result of size %" PRId64
                         " in spatial dimension %" PRIdPTR
                         ", but the kernel fits %" PRId64 " times",
                         has, i, size);
  }
  return true;
}

static MlirLogicalResult verifyConv(MlirOperation op) {
  MloptSubject s = mloptOpSubject(op);
  MlirType x = mloptOperandType(op, 0), w = mloptOperandType(op, 1),
           result = mloptResultType(op, 0);
  int64_t rank = mloptRank(x);
  if (rank < 2 || mloptRank(w) != rank || mloptRank(result) != rank)
    return mloptOpError(op,
                        "needs input, kernel and result of one rank of at "
                        "least 2, but has %" PRId64 ", %" PRId64
                        " and %" PRId64,
                        rank, mloptRank(w), mloptRank(result));
  int64_t out = mloptDim(w, rank - 1);
  if (!checkElements(&s) ||
      !checkChannels(&s, mloptGetInt(op, "groups"), mloptDim(x, rank - 1),
                     mloptDim(w, rank - 2), out) ||
      !checkSpatial(&s, rank - 2, x, w, result))
    return mloptFailure();
  if (!mloptSizesAgree(mloptDim(result, 0), mloptDim(x, 0)))
    return mloptOpError(
        op, "has a result of batch size %" PRId64 ", but an input of %" PRId64,
        mloptDim(result, 0), mloptDim(x, 0));
  if (!mloptSizesAgree(mloptDim(result, rank - 1), out))
    return mloptOpError(
        op, "has a result of %" PRId64 " channels, but a kernel for %" PRId64,
        mloptDim(result, rank - 1), out);
  return mloptSuccess();
}

static MlirLogicalResult foldConv(MlirOperation op,
                                  const MlirAttribute *constants,
                                  MloptFoldResult *results) {
  MlirType x = mloptOperandType(op, 0);
  return mloptResultOf(
      foldZeros(op, mloptDim(x, mloptRank(x) - 1) == 0, constants, results));
}

static const MloptAttrSpec convAttrs[] = {
    {"strides", mloptIsI64Array, "an array<i64>", false, NULL},
    {"low", mloptIsI64Array, "an array<i64>", false, NULL},
    {"high", mloptIsI64Array, "an array<i64>", false, NULL},
    {"input_dilation", mloptIsI64Array, "an array<i64>", false, NULL},
    {"window_dilation", mloptIsI64Array, "an array<i64>", false, NULL},
    {"groups", mloptIsI64, "an i64", false, "1 : i64"},
    ACCUMULATE_SPEC,
    UNSIGNED_SPEC,
    MLOPT_NUMERICS_SPEC,
};

const MloptOpDef mloptOp_conv MLOPT_TABLE = {
    .name = "mlopt.conv",
    .traits = MLOPT_PURE,
    .operands = twoTensors,
    .numOperands = 2,
    .results = tensorResult,
    .numResults = 1,
    .attrs = convAttrs,
    .numAttrs = MLOPT_COUNT(convAttrs),
    .assembly =
        "operands (`strides` ints($strides)^)? (`low` ints($low)^)? (`high` "
        "ints($high)^)? (`input_dilation` ints($input_dilation)^)? "
        "(`window_dilation` ints($window_dilation)^)? (`groups` "
        "int($groups)^)? (`accumulate` typeof($accumulate)^)? (`unsigned` "
        "unit($unsigned)^)? attr-dict `:` functional-type",
    .summary = "Convolution in one layout",
    .doc =
        "Input [N, spatial.., Ci], kernel [spatial.., Ci / groups, Co], result "
        "[N, spatial.., Co]; every array has one entry for each spatial "
        "dimension. The input is dilated by `input_dilation` and padded by "
        "`low` and `high` (negative ones cut off) with zeros; the kernel's "
        "elements lie `window_dilation` apart and start at every multiple of "
        "`strides` where the kernel fits, first kernel element first (a "
        "correlation). Output channels c in group g = c / (Co / groups) see "
        "input channels g * Ci / groups and on. Types and accumulation are "
        "those of dot; positions without an element are not summed.",
    .example = "%r = mlopt.conv %x, %w strides [1, 1] low [1, 1] high [1, 1] "
               "input_dilation [1, 1] window_dilation [1, 1] : "
               "(tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) -> "
               "tensor<1x8x8x16xf32>",
    .verify = verifyConv,
    .fold = foldConv,
    .canonicalizers = addConvPatterns,
};
