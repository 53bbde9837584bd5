//===- verify_dot.c - Contractions and windows ----------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dot products and convolutions: the dimensions they name exist, paired ones
// have equal sizes, and the result has the shape that follows.
//
//===----------------------------------------------------------------------===//

#include "tables.h"

//===----------------------------------------------------------------------===//
// Dot
//===----------------------------------------------------------------------===//

/// The dimensions of one side, batch and contracting, distinct together.
static MlirLogicalResult checkSide(MlirOperation op, const char *name,
                                   MlirType type, const MloptDims *batch,
                                   const MloptDims *contract) {
  MloptDims both = *batch;
  for (intptr_t i = 0; i < contract->n; ++i) {
    if (both.n == MLOPT_MAX_RANK)
      return mloptOpError(op, "%s has too many dimensions", name);
    both.at[both.n++] = contract->at[i];
  }
  return mloptForeignCheckDims(op, name, &both, mloptRank(type));
}

static MlirLogicalResult checkPairs(MlirOperation op, const char *name,
                                    const MloptDims *lhs,
                                    const MloptDims *rhs) {
  if (lhs->n != rhs->n)
    return mloptOpError(op,
                        "has %ld %s dimensions on one side and %ld on the "
                        "other",
                        (long)lhs->n, name, (long)rhs->n);
  for (intptr_t i = 0; i < lhs->n; ++i) {
    int64_t a = mloptDim(mloptOperandType(op, 0), lhs->at[i]);
    int64_t b = mloptDim(mloptOperandType(op, 1), rhs->at[i]);
    if (!mloptSizesAgree(a, b))
      return mloptOpError(op,
                          "%s dimensions %lld and %lld have sizes %lld and "
                          "%lld",
                          name, (long long)lhs->at[i], (long long)rhs->at[i],
                          (long long)a, (long long)b);
  }
  return mloptSuccess();
}

/// Appends the sizes of the dimensions that are in neither list.
static bool appendFree(MlirType type, const MloptDims *batch,
                       const MloptDims *contract, MloptDims *shape) {
  bool taken[MLOPT_MAX_RANK] = {false};
  for (intptr_t i = 0; i < batch->n; ++i)
    taken[batch->at[i]] = true;
  for (intptr_t i = 0; i < contract->n; ++i)
    taken[contract->at[i]] = true;
  for (intptr_t i = 0, rank = mloptRank(type); i < rank; ++i) {
    if (taken[i])
      continue;
    if (shape->n == MLOPT_MAX_RANK)
      return false;
    shape->at[shape->n++] = mloptDim(type, i);
  }
  return true;
}

static MlirLogicalResult checkDot(MlirOperation op, const MloptDotDims *dims) {
  MlirType lhs = mloptOperandType(op, 0), rhs = mloptOperandType(op, 1);
  if (mloptFailed(checkSide(op, "the left side", lhs, &dims->lhsBatch,
                            &dims->lhsContract)) ||
      mloptFailed(checkSide(op, "the right side", rhs, &dims->rhsBatch,
                            &dims->rhsContract)) ||
      mloptFailed(
          checkPairs(op, "batching", &dims->lhsBatch, &dims->rhsBatch)) ||
      mloptFailed(checkPairs(op, "contracting", &dims->lhsContract,
                             &dims->rhsContract)))
    return mloptFailure();
  MloptDims shape = {0};
  for (intptr_t i = 0; i < dims->lhsBatch.n; ++i)
    shape.at[shape.n++] = mloptDim(lhs, dims->lhsBatch.at[i]);
  if (!appendFree(lhs, &dims->lhsBatch, &dims->lhsContract, &shape) ||
      !appendFree(rhs, &dims->rhsBatch, &dims->rhsContract, &shape))
    return mloptOpError(op, "the result has more than %d dimensions",
                        MLOPT_MAX_RANK);
  return mloptForeignCheckShape(op, "the result", mloptResultType(op, 0),
                                &shape);
}

MlirLogicalResult mloptForeignVerifyDotGeneral(MlirOperation op) {
  if (mloptForeignIsDeep(op))
    return mloptSuccess();
  MloptDotDims dims;
  mloptForeignGetDotDims(op, &dims);
  return checkDot(op, &dims);
}

/// Vectors and matrices: the last dimension of the left side with the first of
/// the right one.
MlirLogicalResult mloptForeignVerifyDot(MlirOperation op) {
  int64_t lhs = mloptRank(mloptOperandType(op, 0));
  int64_t rhs = mloptRank(mloptOperandType(op, 1));
  if (lhs < 1 || lhs > 2 || rhs < 1 || rhs > 2)
    return mloptOpError(op,
                        "needs vectors or matrices, but has ranks %lld and "
                        "%lld",
                        (long long)lhs, (long long)rhs);
  if (mloptForeignIsDeep(op))
    return mloptSuccess();
  MloptDotDims dims = {.lhsContract = {1, {lhs - 1}}, .rhsContract = {1, {0}}};
  return checkDot(op, &dims);
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

int64_t mloptForeignWindowSize(int64_t size, int64_t dilation, int64_t low,
                               int64_t high, int64_t window,
                               int64_t windowDilation, int64_t stride) {
  if (mloptIsDynamic(size) || mloptIsDynamic(window))
    return mlirShapedTypeGetDynamicSize();
  // In 128 bits: the attributes may be anything.
  __int128 padded =
      (size ? (__int128)(size - 1) * dilation + 1 : 0) + (__int128)low + high;
  __int128 covered = window ? (__int128)(window - 1) * windowDilation + 1 : 0;
  if (padded <= 0 || padded < covered)
    return 0;
  __int128 count = (padded - covered) / stride + 1;
  return count > INT64_MAX ? INT64_MAX : (int64_t)count;
}

/// `padding` has the type tensor<n x 2 x i64>, or no elements.
static MlirLogicalResult checkPadding(MlirOperation op, intptr_t n,
                                      MloptDims *low, MloptDims *high) {
  MlirAttribute attr = mloptAttr(op, "padding");
  if (!mlirAttributeIsNull(attr)) {
    MlirType type = mlirAttributeGetType(attr);
    if (mlirElementsAttrGetNumElements(attr) &&
        (mloptRank(type) != 2 || mloptDim(type, 0) != n ||
         mloptDim(type, 1) != 2))
      return mloptOpError(op, "attribute 'padding' must have the shape %ldx2",
                          (long)n);
  }
  mloptForeignGetPadding(op, n, low, high);
  return mloptSuccess();
}

static bool isEmpty(MlirOperation op, const char *name) {
  MlirAttribute attr = mloptAttr(op, name);
  return mlirAttributeIsNull(attr) || !mlirDenseArrayGetNumElements(attr);
}

/// `n` entries, one or more each; ones when absent or empty.
static MlirLogicalResult checkPositive(MlirOperation op, const char *name,
                                       intptr_t n, MloptDims *out) {
  if (isEmpty(op, name)) {
    mloptForeignGetInts(op, name, n, 1, out);
    return mloptSuccess();
  }
  if (mloptFailed(mloptForeignCheckInts(op, name, n, 1, out)))
    return mloptFailure();
  return mloptForeignCheckLeast(op, name, out, 1);
}

MlirLogicalResult mloptForeignCheckWindow(MlirOperation op, MlirType operand,
                                          MloptDims *sizes) {
  intptr_t n = mloptRank(operand);
  MloptDims window, stride, dilation, windowDilation, low, high;
  if (mloptFailed(checkPositive(op, "window_dimensions", n, &window)) ||
      mloptFailed(checkPositive(op, "window_strides", n, &stride)) ||
      mloptFailed(checkPositive(op, "base_dilations", n, &dilation)) ||
      mloptFailed(checkPositive(op, "window_dilations", n, &windowDilation)) ||
      mloptFailed(checkPadding(op, n, &low, &high)))
    return mloptFailure();
  sizes->n = n;
  for (intptr_t i = 0; i < n; ++i)
    sizes->at[i] = mloptForeignWindowSize(mloptDim(operand, i), dilation.at[i],
                                          low.at[i], high.at[i], window.at[i],
                                          windowDilation.at[i], stride.at[i]);
  return mloptSuccess();
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

/// Two named dimensions and the spatial ones are all dimensions of the tensor.
static MlirLogicalResult checkLayout(MlirOperation op, const char *name,
                                     MlirType type, int64_t first,
                                     int64_t second, const MloptDims *spatial) {
  MloptDims all = *spatial;
  if (mloptRank(type) != all.n + 2 || all.n + 2 > MLOPT_MAX_RANK)
    return mloptOpError(op,
                        "%s has rank %lld, but dim_numbers name %ld "
                        "dimensions",
                        name, (long long)mloptRank(type), (long)(all.n + 2));
  all.at[all.n++] = first;
  all.at[all.n++] = second;
  return mloptForeignCheckDims(op, name, &all, all.n);
}

static MlirLogicalResult checkGroups(MlirOperation op,
                                     const MloptConvDims *dims) {
  MlirType lhs = mloptOperandType(op, 0), rhs = mloptOperandType(op, 1);
  int64_t features = mloptForeignGetInt(op, "feature_group_count", 1);
  int64_t batches = mloptForeignGetInt(op, "batch_group_count", 1);
  if (features < 1 || batches < 1)
    return mloptOpError(op, "needs one group or more");
  if (features > 1 && batches > 1)
    return mloptOpError(op, "cannot group both features and batches");
  int64_t batch = mloptDim(lhs, dims->inputBatch);
  int64_t feature = mloptDim(lhs, dims->inputFeature);
  int64_t input = mloptDim(rhs, dims->kernelInput);
  int64_t output = mloptDim(rhs, dims->kernelOutput);
  if (!mloptIsDynamic(batch) && batch % batches)
    return mloptOpError(op, "batch size %lld is no multiple of %lld groups",
                        (long long)batch, (long long)batches);
  if (!mloptIsDynamic(feature) &&
      (feature % features || !mloptSizesAgree(feature / features, input)))
    return mloptOpError(op,
                        "the kernel takes %lld features of each group, but "
                        "%lld groups share %lld",
                        (long long)input, (long long)features,
                        (long long)feature);
  if (!mloptIsDynamic(output) && (output % features || output % batches))
    return mloptOpError(op,
                        "%lld output features are no multiple of the "
                        "number of groups",
                        (long long)output);
  return mloptSuccess();
}

MlirLogicalResult mloptForeignVerifyConvolution(MlirOperation op) {
  if (mloptForeignIsDeep(op))
    return mloptSuccess();
  MlirType lhs = mloptOperandType(op, 0), rhs = mloptOperandType(op, 1);
  MlirType result = mloptResultType(op, 0);
  MloptConvDims dims;
  mloptForeignGetConvDims(op, &dims);
  if (mloptFailed(checkLayout(op, "the input", lhs, dims.inputBatch,
                              dims.inputFeature, &dims.inputSpatial)) ||
      mloptFailed(checkLayout(op, "the kernel", rhs, dims.kernelInput,
                              dims.kernelOutput, &dims.kernelSpatial)) ||
      mloptFailed(checkLayout(op, "the result", result, dims.outputBatch,
                              dims.outputFeature, &dims.outputSpatial)))
    return mloptFailure();
  intptr_t n = dims.inputSpatial.n;
  if (dims.kernelSpatial.n != n || dims.outputSpatial.n != n)
    return mloptOpError(op, "has different numbers of spatial dimensions");
  MloptDims stride, lhsDilation, rhsDilation, low, high, shape = {n + 2, {0}};
  if (mloptFailed(checkPositive(op, "window_strides", n, &stride)) ||
      mloptFailed(checkPositive(op, "lhs_dilation", n, &lhsDilation)) ||
      mloptFailed(checkPositive(op, "rhs_dilation", n, &rhsDilation)) ||
      mloptFailed(checkPadding(op, n, &low, &high)) ||
      mloptFailed(checkGroups(op, &dims)))
    return mloptFailure();
  MlirAttribute reversal = mloptAttr(op, "window_reversal");
  if (!isEmpty(op, "window_reversal") &&
      mlirDenseArrayGetNumElements(reversal) != n)
    return mloptOpError(op,
                        "attribute 'window_reversal' has %ld entries, but "
                        "needs %ld",
                        (long)mlirDenseArrayGetNumElements(reversal), (long)n);
  int64_t batch = mloptDim(lhs, dims.inputBatch);
  shape.at[dims.outputBatch] =
      mloptIsDynamic(batch)
          ? batch
          : batch / mloptForeignGetInt(op, "batch_group_count", 1);
  shape.at[dims.outputFeature] = mloptDim(rhs, dims.kernelOutput);
  for (intptr_t i = 0; i < n; ++i)
    shape.at[dims.outputSpatial.at[i]] = mloptForeignWindowSize(
        mloptDim(lhs, dims.inputSpatial.at[i]), lhsDilation.at[i], low.at[i],
        high.at[i], mloptDim(rhs, dims.kernelSpatial.at[i]), rhsDilation.at[i],
        stride.at[i]);
  return mloptForeignCheckShape(op, "the result", result, &shape);
}
