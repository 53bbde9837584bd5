//===- layout.c - Operations that move elements ---------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// broadcast, reshape, transpose, slice and reverse: each result element is one
// operand element. Folds compose two of a kind and evaluate on constants; a
// constant's bits are never changed. pad and concat are in join.c.
//
//===----------------------------------------------------------------------===//

#include "dialect.h"
#include "match.h"
#include "strides.h"

static const MloptValueSpec tensorOperand[] = {
    {"operand", mloptIsTensor, "a ranked tensor", false}};
static const MloptValueSpec tensorResult[] = {
    {"result", mloptIsTensor, "a ranked tensor", false}};

static bool checkSameElement(const MloptSubject *s, MlirType a, MlirType b) {
  return mlirTypeEqual(mloptElementType(a), mloptElementType(b)) ||
         mloptReject(s, "changes the element type");
}

/// Folds to the constant read from these places of operand 0.
static MlirLogicalResult foldStrided(MlirOperation op, MlirAttribute constant,
                                     const MloptStrides *places,
                                     MloptFoldResult *results) {
  return mloptFoldToAttr(
      mloptReadStrided(constant, places, mloptResultType(op, 0)), results);
}

//===----------------------------------------------------------------------===//
// broadcast
//===----------------------------------------------------------------------===//

static MlirLogicalResult verifyBroadcast(MlirOperation op) {
  MloptSubject s = mloptOpSubject(op);
  MlirType from = mloptOperandType(op, 0), to = mloptResultType(op, 0);
  MloptInts dims;
  if (!checkSameElement(&s, from, to) ||
      !mloptReadDims(&s, "dims", mloptRank(to), &dims))
    return mloptFailure();
  if (dims.count != mloptRank(from))
    return mloptOpError(op,
                        "'dims' needs one entry for each of the %" PRId64
                        " operand dimensions, but has %" PRIdPTR,
                        mloptRank(from), dims.count);
  for (intptr_t i = 0; i < dims.count; ++i) {
    int64_t a = mloptDim(from, i), b = mloptDim(to, dims.at[i]);
    if (a != 1 && !mloptSizesAgree(a, b))
      return mloptOpError(op,
                          "operand dimension %" PRIdPTR " has size %" PRId64
                          ", but must be 1 or the %" PRId64
                          " of result dimension %" PRId64,
                          i, a, b, dims.at[i]);
  }
  return mloptSuccess();
}

static bool isIdentity(const MloptInts *dims) {
  for (intptr_t i = 0; i < dims->count; ++i)
    if (dims->at[i] != i)
      return false;
  return true;
}

static MlirLogicalResult foldBroadcast(MlirOperation op,
                                       const MlirAttribute *constants,
                                       MloptFoldResult *results) {
  MloptInts dims = mloptGetInts(op, "dims");
  MlirType from = mloptOperandType(op, 0);
  if (isIdentity(&dims) && mloptIsStatic(from) &&
      !mloptFailed(mloptFoldToOperand(op, 0, results)))
    return mloptSuccess();
  MlirOperation inner =
      mloptDefinedBy(mloptOperand(op, 0), &mloptOp_broadcast, op);
  if (!mlirOperationIsNull(inner)) {
    MloptInts composed = mloptGetInts(inner, "dims");
    for (intptr_t i = 0; i < composed.count; ++i)
      composed.at[i] = dims.at[composed.at[i]];
    mlirOperationSetOperand(op, 0, mloptOperand(inner, 0));
    mloptSetInts(op, "dims", &composed);
    return mloptSuccess();
  }
  if (!mloptIsSmallConstant(constants[0]))
    return mloptFoldSplatConstant(op, constants[0], results);
  MloptStrides rows = mloptRowMajor(from), places = {0};
  for (intptr_t i = 0; i < dims.count; ++i)
    if (mloptDim(from, i) != 1)
      places.at[dims.at[i]] = rows.at[i];
  return foldStrided(op, constants[0], &places, results);
}

static const MloptAttrSpec broadcastAttrs[] = {
    {"dims", mloptIsI64Array, "an array<i64>", false, NULL}};

const MloptOpDef mloptOp_broadcast MLOPT_TABLE = {
    .name = "mlopt.broadcast",
    .traits = MLOPT_PURE,
    .operands = tensorOperand,
    .numOperands = 1,
    .results = tensorResult,
    .numResults = 1,
    .attrs = broadcastAttrs,
    .numAttrs = MLOPT_COUNT(broadcastAttrs),
    .assembly = "$operand `dims` ints($dims) attr-dict `:` type($operand) `->` "
                "type($result)",
    .summary = "Repeats a tensor along new dimensions and those of size 1",
    .doc = "Operand dimension i becomes result dimension `dims[i]`; the "
           "entries are distinct but need not rise. An operand dimension of "
           "size 1 repeats its element, any other has the size of its result "
           "dimension. Result dimensions that `dims` does not name repeat "
           "everything.",
    .example = "%r = mlopt.broadcast %x dims [1] : tensor<4xf32> -> "
               "tensor<2x4xf32>",
    .verify = verifyBroadcast,
    .fold = foldBroadcast,
};

//===----------------------------------------------------------------------===//
// reshape
//===----------------------------------------------------------------------===//

/// The element count of a static type; -1 when it does not fit in 64 bits.
static int64_t countElements(MlirType type) {
  int64_t n = 1;
  if (mloptIsEmpty(type))
    return 0;
  for (intptr_t i = 0, rank = mloptRank(type); i < rank; ++i)
    if (__builtin_mul_overflow(n, mloptDim(type, i), &n))
      return -1;
  return n;
}

static MlirLogicalResult verifyReshape(MlirOperation op) {
  MloptSubject s = mloptOpSubject(op);
  MlirType from = mloptOperandType(op, 0), to = mloptResultType(op, 0);
  if (!checkSameElement(&s, from, to))
    return mloptFailure();
  if (!mloptIsStatic(from) || !mloptIsStatic(to))
    return mloptSuccess();
  int64_t a = countElements(from), b = countElements(to);
  if (a < 0 || b < 0)
    return mloptOpError(op, "has more elements than fit in 64 bits");
  if (a != b)
    return mloptOpError(op,
                        "must keep the element count, but goes from %" PRId64
                        " to %" PRId64,
                        a, b);
  return mloptSuccess();
}

static MlirLogicalResult foldReshape(MlirOperation op,
                                     const MlirAttribute *constants,
                                     MloptFoldResult *results) {
  MlirType to = mloptResultType(op, 0);
  if (!mloptIsStatic(to))
    return mloptFailure();
  if (!mloptFailed(mloptFoldToOperand(op, 0, results)))
    return mloptSuccess();
  MlirOperation inner =
      mloptDefinedBy(mloptOperand(op, 0), &mloptOp_reshape, op);
  if (!mlirOperationIsNull(inner)) {
    mlirOperationSetOperand(op, 0, mloptOperand(inner, 0));
    return mloptSuccess();
  }
  MlirAttribute value = constants[0];
  if (mlirAttributeIsNull(value) || !mlirAttributeIsADenseElements(value))
    return mloptFailure();
  return mloptFoldToAttr(mlirDenseElementsAttrReshapeGet(value, to), results);
}

const MloptOpDef mloptOp_reshape MLOPT_TABLE = {
    .name = "mlopt.reshape",
    .traits = MLOPT_PURE,
    .operands = tensorOperand,
    .numOperands = 1,
    .results = tensorResult,
    .numResults = 1,
    .assembly = "$operand attr-dict `:` type($operand) `->` type($result)",
    .summary = "The same elements in row-major order under another shape",
    .doc = "The element count stays. With a `?` in either type it is the "
           "program's promise that the counts agree.",
    .example = "%r = mlopt.reshape %x : tensor<2x6xf32> -> tensor<3x4xf32>",
    .verify = verifyReshape,
    .fold = foldReshape,
};

//===----------------------------------------------------------------------===//
// transpose
//===----------------------------------------------------------------------===//

static intptr_t inferTranspose(const MloptOpDef *def,
                               const MloptInferArgs *args, MlirType *results) {
  MloptSubject s;
  if (!mloptInferSubject(def, args, &s))
    return -1;
  MlirType from = args->operandTypes[0];
  intptr_t rank = mloptRank(from);
  int64_t shape[MLOPT_MAX_RANK];
  MloptInts perm;
  if (!mloptReadInts(&s, "permutation", rank, INT64_MIN, &perm) ||
      !mloptReadDims(&s, "permutation", rank, &perm))
    return -1;
  for (intptr_t i = 0; i < rank; ++i)
    shape[i] = mloptDim(from, perm.at[i]);
  results[0] = mloptTensorType(rank, shape, mloptElementType(from));
  return 1;
}

static MlirLogicalResult foldTranspose(MlirOperation op,
                                       const MlirAttribute *constants,
                                       MloptFoldResult *results) {
  MloptInts perm = mloptGetInts(op, "permutation");
  if (isIdentity(&perm) && !mloptFailed(mloptFoldToOperand(op, 0, results)))
    return mloptSuccess();
  MlirOperation inner =
      mloptDefinedBy(mloptOperand(op, 0), &mloptOp_transpose, op);
  if (!mlirOperationIsNull(inner)) {
    MloptInts first = mloptGetInts(inner, "permutation");
    for (intptr_t i = 0; i < perm.count; ++i)
      perm.at[i] = first.at[perm.at[i]];
    mlirOperationSetOperand(op, 0, mloptOperand(inner, 0));
    mloptSetInts(op, "permutation", &perm);
    return mloptSuccess();
  }
  if (!mloptIsSmallConstant(constants[0]))
    return mloptFoldSplatConstant(op, constants[0], results);
  MloptStrides rows = mloptRowMajor(mloptOperandType(op, 0)), places = {0};
  for (intptr_t i = 0; i < perm.count; ++i)
    places.at[i] = rows.at[perm.at[i]];
  return foldStrided(op, constants[0], &places, results);
}

static const MloptAttrSpec transposeAttrs[] = {
    {"permutation", mloptIsI64Array, "an array<i64>", false, NULL}};

const MloptOpDef mloptOp_transpose MLOPT_TABLE = {
    .name = "mlopt.transpose",
    .traits = MLOPT_PURE,
    .operands = tensorOperand,
    .numOperands = 1,
    .results = tensorResult,
    .numResults = 1,
    .attrs = transposeAttrs,
    .numAttrs = MLOPT_COUNT(transposeAttrs),
    .assembly = "$operand `perm` ints($permutation) attr-dict `:` "
                "type($operand) `->` type($result)",
    .summary = "Permutes dimensions",
    .doc = "Result dimension i is operand dimension `permutation[i]`.",
    .example = "%r = mlopt.transpose %x perm [1, 0] : tensor<2x4xf32> -> "
               "tensor<4x2xf32>",
    .fold = foldTranspose,
    .inferTypes = inferTranspose,
};

//===----------------------------------------------------------------------===//
// slice
//===----------------------------------------------------------------------===//

typedef struct Slice {
  MloptInts starts, limits, strides;
} Slice;

static int64_t sliceSize(const Slice *slice, intptr_t i) {
  int64_t span = slice->limits.at[i] - slice->starts.at[i];
  return span == 0 ? 0 : (span - 1) / slice->strides.at[i] + 1;
}

static bool checkSliceDim(const MloptSubject *s, intptr_t dim, int64_t start,
                          int64_t limit, int64_t size) {
  if (start > limit)
    return mloptReject(s,
                       "starts dimension %" PRIdPTR " at %" PRId64
                       ", past its limit %" PRId64,
                       dim, start, limit);
  if (!mloptIsDynamic(size) && limit > size)
    return mloptReject(s,
                       "limits dimension %" PRIdPTR " at %" PRId64
                       ", past its size %" PRId64,
                       dim, limit, size);
  return true;
}

static intptr_t inferSlice(const MloptOpDef *def, const MloptInferArgs *args,
                           MlirType *results) {
  MloptSubject s;
  if (!mloptInferSubject(def, args, &s))
    return -1;
  MlirType from = args->operandTypes[0];
  intptr_t rank = mloptRank(from);
  int64_t shape[MLOPT_MAX_RANK];
  Slice slice;
  if (!mloptReadInts(&s, "starts", rank, 0, &slice.starts) ||
      !mloptReadInts(&s, "limits", rank, 0, &slice.limits) ||
      !mloptReadInts(&s, "strides", rank, 1, &slice.strides))
    return -1;
  for (intptr_t i = 0; i < rank; ++i) {
    if (!checkSliceDim(&s, i, slice.starts.at[i], slice.limits.at[i],
                       mloptDim(from, i)))
      return -1;
    shape[i] = sliceSize(&slice, i);
  }
  results[0] = mloptTensorType(rank, shape, mloptElementType(from));
  return 1;
}

static Slice getSlice(MlirOperation op) {
  return (Slice){mloptGetInts(op, "starts"), mloptGetInts(op, "limits"),
                 mloptGetInts(op, "strides")};
}

/// Makes a slice of a slice read the first operand. The sums stay in range:
/// every element that is taken exists in the first operand.
static void composeSlices(MlirOperation op, MlirOperation inner) {
  Slice first = getSlice(inner), slice = getSlice(op);
  for (intptr_t i = 0; i < slice.starts.count; ++i) {
    int64_t n = sliceSize(&slice, i);
    int64_t start = first.starts.at[i], stride = 1;
    if (n > 0)
      start += slice.starts.at[i] * first.strides.at[i];
    if (n > 1)
      stride = slice.strides.at[i] * first.strides.at[i];
    slice.starts.at[i] = start;
    slice.limits.at[i] = n > 0 ? start + (n - 1) * stride + 1 : start;
    slice.strides.at[i] = stride;
  }
  mlirOperationSetOperand(op, 0, mloptOperand(inner, 0));
  mloptSetInts(op, "starts", &slice.starts);
  mloptSetInts(op, "limits", &slice.limits);
  mloptSetInts(op, "strides", &slice.strides);
}

static MlirLogicalResult foldSlice(MlirOperation op,
                                   const MlirAttribute *constants,
                                   MloptFoldResult *results) {
  // A slice of the whole size is the whole.
  MlirType from = mloptOperandType(op, 0);
  if (mloptIsStatic(from) && !mloptFailed(mloptFoldToOperand(op, 0, results)))
    return mloptSuccess();
  MlirOperation inner = mloptDefinedBy(mloptOperand(op, 0), &mloptOp_slice, op);
  if (!mlirOperationIsNull(inner))
    return composeSlices(op, inner), mloptSuccess();
  if (!mloptIsSmallConstant(constants[0]))
    return mloptFoldSplatConstant(op, constants[0], results);
  Slice slice = getSlice(op);
  MloptStrides rows = mloptRowMajor(from), places = {0};
  for (intptr_t i = 0; i < slice.starts.count; ++i) {
    // Strides past the size of the constant are never stepped.
    places.at[i] =
        sliceSize(&slice, i) > 1 ? rows.at[i] * slice.strides.at[i] : 0;
    places.base += rows.at[i] * slice.starts.at[i];
  }
  return foldStrided(op, constants[0], &places, results);
}

static const MloptAttrSpec sliceAttrs[] = {
    {"starts", mloptIsI64Array, "an array<i64>", false, NULL},
    {"limits", mloptIsI64Array, "an array<i64>", false, NULL},
    {"strides", mloptIsI64Array, "an array<i64>", false, NULL},
};

const MloptOpDef mloptOp_slice MLOPT_TABLE = {
    .name = "mlopt.slice",
    .traits = MLOPT_PURE,
    .operands = tensorOperand,
    .numOperands = 1,
    .results = tensorResult,
    .numResults = 1,
    .attrs = sliceAttrs,
    .numAttrs = MLOPT_COUNT(sliceAttrs),
    .assembly = "$operand `starts` ints($starts) `limits` ints($limits) "
                "`strides` ints($strides) attr-dict `:` type($operand) `->` "
                "type($result)",
    .summary = "A regular part of a tensor at places known at compile time",
    .doc = "Along dimension i the elements `starts[i]`, `starts[i] + "
           "strides[i]`, ... below `limits[i]`. Requires 0 <= start <= limit "
           "<= size and stride >= 1; nothing is clamped.",
    .example = "%r = mlopt.slice %x starts [0, 1] limits [2, 4] strides [1, 2] "
               ": tensor<2x4xf32> -> tensor<2x2xf32>",
    .fold = foldSlice,
    .inferTypes = inferSlice,
};

//===----------------------------------------------------------------------===//
// reverse
//===----------------------------------------------------------------------===//

static MlirLogicalResult verifyReverse(MlirOperation op) {
  MloptSubject s = mloptOpSubject(op);
  MloptInts dims;
  return mloptResultOf(
      mloptReadDims(&s, "dims", mloptRank(mloptOperandType(op, 0)), &dims));
}

/// Makes a reverse of a reverse read the first operand, turning what only one
/// of them turns.
static void composeReverses(MlirOperation op, MlirOperation inner) {
  MloptInts a = mloptGetInts(op, "dims"), b = mloptGetInts(inner, "dims");
  MloptInts both = {0};
  for (int64_t i = 0, rank = mloptRank(mloptResultType(op, 0)); i < rank; ++i)
    if (mloptHasInt(&a, i) != mloptHasInt(&b, i))
      both.at[both.count++] = i;
  mlirOperationSetOperand(op, 0, mloptOperand(inner, 0));
  mloptSetInts(op, "dims", &both);
}

static MlirLogicalResult foldReverse(MlirOperation op,
                                     const MlirAttribute *constants,
                                     MloptFoldResult *results) {
  MlirType type = mloptOperandType(op, 0);
  MloptInts dims = mloptGetInts(op, "dims");
  bool moves = false;
  for (intptr_t i = 0; i < dims.count; ++i)
    moves = moves || (mloptDim(type, dims.at[i]) != 0 &&
                      mloptDim(type, dims.at[i]) != 1);
  if (!moves)
    return mloptFoldToOperand(op, 0, results);
  MlirOperation inner =
      mloptDefinedBy(mloptOperand(op, 0), &mloptOp_reverse, op);
  if (!mlirOperationIsNull(inner))
    return composeReverses(op, inner), mloptSuccess();
  if (!mloptIsSmallConstant(constants[0]))
    return mloptFoldSplatConstant(op, constants[0], results);
  MloptStrides places = mloptRowMajor(type);
  for (intptr_t i = 0; i < dims.count; ++i) {
    int64_t *stride = &places.at[dims.at[i]];
    places.base += (mloptDim(type, dims.at[i]) - 1) * *stride;
    *stride = -*stride;
  }
  return foldStrided(op, constants[0], &places, results);
}

static const MloptAttrSpec reverseAttrs[] = {
    {"dims", mloptIsI64Array, "an array<i64>", false, NULL}};

const MloptOpDef mloptOp_reverse MLOPT_TABLE = {
    .name = "mlopt.reverse",
    .traits = MLOPT_PURE | MLOPT_SAME_TYPE,
    .operands = tensorOperand,
    .numOperands = 1,
    .results = tensorResult,
    .numResults = 1,
    .attrs = reverseAttrs,
    .numAttrs = MLOPT_COUNT(reverseAttrs),
    .assembly = "$operand `dims` ints($dims) attr-dict `:` type($operand)",
    .summary = "Turns dimensions around",
    .doc = "Along each dimension of `dims`, element i is operand element "
           "size - 1 - i.",
    .example = "%r = mlopt.reverse %x dims [0] : tensor<4xf32>",
    .verify = verifyReverse,
    .fold = foldReverse,
};
