//===- dynamic.c - Slices at places known at run time ---------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// dynamic_slice and dynamic_update_slice: a start index for each dimension
// follows the tensors, and is clamped so that the slice fits.
//
//===----------------------------------------------------------------------===//

#include "dialect.h"
#include "index.h"
#include "match.h"
#include "strides.h"

static const MloptValueSpec tensorResult[] = {
    {"result", mloptIsTensor, "a ranked tensor", false}};

static bool checkSliceFits(const MloptSubject *s, intptr_t dim, int64_t part,
                           int64_t size) {
  return mloptIsDynamic(part) || mloptIsDynamic(size) || part <= size ||
         mloptReject(s,
                     "has a slice of %" PRId64 " along dimension %" PRIdPTR
                     ", which has %" PRId64,
                     part, dim, size);
}

static bool checkNumIndices(const MloptSubject *s, intptr_t n, intptr_t rank) {
  return n == rank || mloptReject(s,
                                  "needs an index for each of %" PRIdPTR
                                  " dimensions, but has %" PRIdPTR,
                                  rank, n);
}

//===----------------------------------------------------------------------===//
// dynamic_slice
//===----------------------------------------------------------------------===//

static intptr_t inferDynamicSlice(const MloptOpDef *def,
                                  const MloptInferArgs *args,
                                  MlirType *results) {
  MloptSubject s;
  MloptInts sizes;
  if (!mloptInferSubject(def, args, &s))
    return -1;
  MlirType operand = args->operandTypes[0];
  intptr_t rank = mloptRank(operand);
  if (!checkNumIndices(&s, args->numOperands - 1, rank) ||
      !mloptReadInts(&s, "sizes", rank, 0, &sizes))
    return -1;
  for (intptr_t i = 0; i < rank; ++i)
    if (!checkSliceFits(&s, i, sizes.at[i], mloptDim(operand, i)))
      return -1;
  results[0] = mloptTensorType(rank, sizes.at, mloptElementType(operand));
  return 1;
}

/// The whole tensor, wherever it is said to start, or equal elements.
static MlirLogicalResult foldDynamicSlice(MlirOperation op,
                                          const MlirAttribute *constants,
                                          MloptFoldResult *results) {
  if (!mloptFailed(mloptFoldToOperand(op, 0, results)))
    return mloptSuccess();
  return mloptFoldSplatConstant(op, constants[0], results);
}

static const MloptValueSpec sliceOperands[] = {
    {"operand", mloptIsTensor, "a ranked tensor", false},
    {"starts", mloptIsRank0IntTensor, "an integer tensor of rank 0", true},
};
static const MloptAttrSpec sliceAttrs[] = {
    {"sizes", mloptIsI64Array, "an array<i64>", false, NULL},
    {"unsigned_indices", mloptIsUnit, "a unit attribute", true, NULL},
};

const MloptOpDef mloptOp_dynamic_slice MLOPT_TABLE = {
    .name = "mlopt.dynamic_slice",
    .traits = MLOPT_PURE,
    .operands = sliceOperands,
    .numOperands = MLOPT_COUNT(sliceOperands),
    .results = tensorResult,
    .numResults = 1,
    .attrs = sliceAttrs,
    .numAttrs = MLOPT_COUNT(sliceAttrs),
    .assembly = "operands `sizes` ints($sizes) (`unsigned_indices` "
                "unit($unsigned_indices)^)? attr-dict `:` functional-type",
    .summary = "A part of a tensor at a place known at run time",
    .doc = "One start index for each dimension, signed or with "
           "`unsigned_indices` unsigned, clamped to [0, size - sizes]: the "
           "slice is always whole.",
    .example = "%r = mlopt.dynamic_slice %x, %i, %j sizes [1, 4] : "
               "(tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> "
               "tensor<1x4xf32>",
    .fold = foldDynamicSlice,
    .inferTypes = inferDynamicSlice,
    .canonicalizers = mloptAddDynamicSlicePatterns,
};

//===----------------------------------------------------------------------===//
// dynamic_update_slice
//===----------------------------------------------------------------------===//

static intptr_t inferDynamicUpdateSlice(const MloptOpDef *def,
                                        const MloptInferArgs *args,
                                        MlirType *results) {
  MloptSubject s;
  if (!mloptInferSubject(def, args, &s))
    return -1;
  MlirType operand = args->operandTypes[0], update = args->operandTypes[1];
  intptr_t rank = mloptRank(operand);
  bool good =
      (mlirTypeEqual(mloptElementType(operand), mloptElementType(update)) ||
       mloptReject(&s, "has an update of another element type than its "
                       "operand")) &&
      (mloptRank(update) == rank ||
       mloptReject(&s,
                   "has an update of rank %" PRId64
                   " for an operand of rank %" PRIdPTR,
                   mloptRank(update), rank)) &&
      checkNumIndices(&s, args->numOperands - 2, rank);
  for (intptr_t i = 0; good && i < rank; ++i)
    good = checkSliceFits(&s, i, mloptDim(update, i), mloptDim(operand, i));
  if (!good)
    return -1;
  results[0] = operand;
  return 1;
}

static MlirLogicalResult foldUpdateElements(MlirOperation op,
                                            const MlirAttribute *constants,
                                            MloptFoldResult *results) {
  MloptElements to, from;
  MlirType type = mloptResultType(op, 0);
  if (!mloptReadElements(constants[0], &to) ||
      !mloptReadElements(constants[1], &from) || to.count > MLOPT_FOLD_LIMIT)
    return mloptFailure();
  for (int64_t i = 1; to.splat && i < to.count; ++i)
    to.values[i] = to.values[0];
  to.splat = false;
  int64_t shape[MLOPT_MAX_RANK], start;
  intptr_t rank = mloptShape(from.type, shape);
  MloptStrides places = mloptRowMajor(type), rows = mloptRowMajor(from.type);
  bool isUnsigned = !mlirAttributeIsNull(mloptAttr(op, "unsigned_indices"));
  for (intptr_t i = 0; i < rank; ++i) {
    if (mloptReadIndices(constants[2 + i], isUnsigned, 1, &start) < 0)
      return mloptFailure();
    places.base +=
        mloptClampStart(start, mloptDim(type, i), shape[i]) * places.at[i];
  }
  mloptCopyElements(rank, shape, &to, &places, &from, &rows);
  return mloptFoldToAttr(mloptWriteElements(&to), results);
}

static MlirLogicalResult foldDynamicUpdateSlice(MlirOperation op,
                                                const MlirAttribute *constants,
                                                MloptFoldResult *results) {
  MlirType update = mloptOperandType(op, 1);
  if (mloptIsEmpty(update))
    return mloptFoldToOperand(op, 0, results);
  if (mloptIsStatic(update) && !mloptFailed(mloptFoldToOperand(op, 1, results)))
    return mloptSuccess();
  uint64_t a, b;
  if (mloptReadSplat(constants[0], &a) && mloptReadSplat(constants[1], &b) &&
      a == b)
    return mloptFoldToOperand(op, 0, results);
  return foldUpdateElements(op, constants, results);
}

static const MloptValueSpec updateOperands[] = {
    {"operand", mloptIsTensor, "a ranked tensor", false},
    {"update", mloptIsTensor, "a ranked tensor", false},
    {"starts", mloptIsRank0IntTensor, "an integer tensor of rank 0", true},
};
static const MloptAttrSpec updateAttrs[] = {
    {"unsigned_indices", mloptIsUnit, "a unit attribute", true, NULL},
};

const MloptOpDef mloptOp_dynamic_update_slice MLOPT_TABLE = {
    .name = "mlopt.dynamic_update_slice",
    .traits = MLOPT_PURE,
    .operands = updateOperands,
    .numOperands = MLOPT_COUNT(updateOperands),
    .results = tensorResult,
    .numResults = 1,
    .attrs = updateAttrs,
    .numAttrs = MLOPT_COUNT(updateAttrs),
    .assembly = "operands (`unsigned_indices` unit($unsigned_indices)^)? "
                "attr-dict `:` functional-type",
    .summary = "A tensor with a part replaced at a place known at run time",
    .doc = "Start indices are clamped as in dynamic_slice, so that the whole "
           "update is written.",
    .example = "%r = mlopt.dynamic_update_slice %x, %u, %i, %j : "
               "(tensor<8x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) "
               "-> tensor<8x4xf32>",
    .fold = foldDynamicUpdateSlice,
    .inferTypes = inferDynamicUpdateSlice,
};
