//===- import_dot.c - Matrix products and convolutions --------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// dot_general is mlopt.dot by another name. A convolution is brought to the
// one layout that mlopt.conv has: operands are transposed to [batch, spatial..,
// features] and [spatial.., input features, output features], a reversed
// kernel is reversed, and batch groups become feature groups:
//
//   x[(g n), s.., c] -> x[n, s.., (g c)], groups = g
//
// The precision that StableHLO asks for is not needed: products of mlopt are
// never computed in less than the type of the operands.
//
//===----------------------------------------------------------------------===//

#include "import.h"

#include <stdio.h>

/// `unsigned` for a product of unsigned integers; how many were added.
static intptr_t addUnsigned(MloptImport *in, MlirNamedAttribute *out) {
  if (!mloptIsUnsignedElement(mloptOperandType(in->op, 0)))
    return 0;
  MlirContext context = in->builder->context;
  *out = mloptNamedAttr(context, "unsigned", mlirUnitAttrGet(context));
  return 1;
}

static void buildDot(MloptImport *in, const MloptDotDims *dims) {
  MlirContext context = in->builder->context;
  MlirNamedAttribute attrs[5] = {
      mloptImportDims(context, "lhs_batch", &dims->lhsBatch),
      mloptImportDims(context, "rhs_batch", &dims->rhsBatch),
      mloptImportDims(context, "lhs_contract", &dims->lhsContract),
      mloptImportDims(context, "rhs_contract", &dims->rhsContract)};
  intptr_t n = 4 + addUnsigned(in, &attrs[4]);
  in->results[0] = mloptImportBuild(in, "mlopt.dot", 2, in->operands,
                                    mloptImportResultType(in, 0), n, attrs);
}

void mloptImportDotGeneral(MloptImport *in) {
  MloptDotDims dims;
  mloptForeignGetDotDims(in->op, &dims);
  buildDot(in, &dims);
}

void mloptImportDot(MloptImport *in) {
  MloptDotDims dims = {
      .lhsContract = {.n = 1,
                      .at = {mloptRank(mloptOperandType(in->op, 0)) - 1}},
      .rhsContract = {.n = 1}};
  buildDot(in, &dims);
}

bool mloptImportCheckDot(MlirOperation op, char reason[MLOPT_REASON_SIZE]) {
  MlirType lhs = mloptOperandType(op, 0), rhs = mloptOperandType(op, 1);
  if (mloptIsI1(mloptElementType(lhs)) || mloptIsI1(mloptElementType(rhs)))
    snprintf(reason, MLOPT_REASON_SIZE,
             "products of booleans are not supported");
  else if (mloptIsUnsignedElement(lhs) != mloptIsUnsignedElement(rhs))
    snprintf(reason, MLOPT_REASON_SIZE,
             "products of signed and unsigned integers are not supported");
  else
    return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

bool mloptImportCheckConvolution(MlirOperation op,
                                 char reason[MLOPT_REASON_SIZE]) {
  if (mloptRank(mloptOperandType(op, 0)) < MLOPT_MAX_RANK)
    return mloptImportCheckDot(op, reason);
  snprintf(reason, MLOPT_REASON_SIZE,
           "a convolution has at most 13 spatial dimensions");
  return false;
}

/// Moves groups of the batch (dimension 0) into the features (the last one):
/// [(g n), s.., c] becomes [n, s.., (g c)].
static MlirValue groupBatch(MloptImport *in, MlirValue x, int64_t groups) {
  int64_t shape[MLOPT_MAX_RANK], permutation[MLOPT_MAX_RANK];
  intptr_t rank = mloptRank(mlirValueGetType(x));
  mloptShape(mlirValueGetType(x), shape + 1);
  shape[0] = groups;
  shape[1] /= groups;
  x = mloptImportReshape(in, x, rank + 1, shape);
  for (intptr_t i = 0; i + 1 < rank; ++i)
    permutation[i] = i + 1;
  permutation[rank - 1] = 0;
  permutation[rank] = rank;
  x = mloptImportTranspose(in, x, permutation);
  shape[rank] *= groups;
  return mloptImportReshape(in, x, rank, shape + 1);
}

static MlirValue reverseKernel(MloptImport *in, MlirValue w) {
  MlirContext context = in->builder->context;
  intptr_t spatial = mloptRank(mlirValueGetType(w)) - 2;
  MloptDims reversed, dims = {0};
  mloptForeignGetBools(in->op, "window_reversal", spatial, &reversed);
  for (intptr_t i = 0; i < spatial; ++i)
    if (reversed.at[i])
      dims.at[dims.n++] = i;
  if (!dims.n)
    return w;
  MlirNamedAttribute attr = mloptImportDims(context, "dims", &dims);
  return mloptImportBuild(in, "mlopt.reverse", 1, &w, mlirValueGetType(w), 1,
                          &attr);
}

/// [first, spatial.., last] as a permutation.
static void arrange(int64_t first, const MloptDims *spatial, int64_t *out) {
  out[0] = first;
  for (intptr_t i = 0; i < spatial->n; ++i)
    out[1 + i] = spatial->at[i];
}

/// The operands in mlopt's layout.
static void arrangeOperands(MloptImport *in, const MloptConvDims *dims,
                            int64_t batchGroups, MlirValue out[2]) {
  int64_t permutation[MLOPT_MAX_RANK];
  intptr_t spatial = dims->inputSpatial.n;
  arrange(dims->inputBatch, &dims->inputSpatial, permutation);
  permutation[1 + spatial] = dims->inputFeature;
  out[0] = mloptImportTranspose(in, in->operands[0], permutation);
  if (batchGroups > 1)
    out[0] = groupBatch(in, out[0], batchGroups);
  for (intptr_t i = 0; i < spatial; ++i)
    permutation[i] = dims->kernelSpatial.at[i];
  permutation[spatial] = dims->kernelInput;
  permutation[spatial + 1] = dims->kernelOutput;
  out[1] =
      reverseKernel(in, mloptImportTranspose(in, in->operands[1], permutation));
}

void mloptImportConvolution(MloptImport *in) {
  MlirContext context = in->builder->context;
  MloptConvDims dims;
  mloptForeignGetConvDims(in->op, &dims);
  intptr_t spatial = dims.inputSpatial.n;
  int64_t batchGroups = mloptForeignGetInt(in->op, "batch_group_count", 1);
  int64_t groups = mloptForeignGetInt(in->op, "feature_group_count", 1);
  MlirValue operands[2];
  arrangeOperands(in, &dims, batchGroups, operands);

  MloptDims strides, inputDilation, windowDilation, low, high;
  mloptForeignGetInts(in->op, "window_strides", spatial, 1, &strides);
  mloptForeignGetInts(in->op, "lhs_dilation", spatial, 1, &inputDilation);
  mloptForeignGetInts(in->op, "rhs_dilation", spatial, 1, &windowDilation);
  mloptForeignGetPadding(in->op, spatial, &low, &high);
  MlirNamedAttribute attrs[7] = {
      mloptImportDims(context, "strides", &strides),
      mloptImportDims(context, "low", &low),
      mloptImportDims(context, "high", &high),
      mloptImportDims(context, "input_dilation", &inputDilation),
      mloptImportDims(context, "window_dilation", &windowDilation),
      mloptNamedAttr(context, "groups",
                     mloptI64Attr(context, groups * batchGroups))};
  intptr_t numAttrs = 6 + addUnsigned(in, &attrs[6]);

  // The result comes as [batch, spatial.., features]: position p of StableHLO's
  // layout is dimension back[p] of it.
  int64_t layout[MLOPT_MAX_RANK], back[MLOPT_MAX_RANK], shape[MLOPT_MAX_RANK];
  arrange(dims.outputBatch, &dims.outputSpatial, layout);
  layout[1 + spatial] = dims.outputFeature;
  MlirType result = mloptImportResultType(in, 0);
  for (intptr_t i = 0; i < spatial + 2; ++i) {
    back[layout[i]] = i;
    shape[i] = mloptDim(result, layout[i]);
  }
  MlirValue conv = mloptImportBuild(
      in, "mlopt.conv", 2, operands,
      mloptTensorType(spatial + 2, shape, mloptElementType(result)), numAttrs,
      attrs);
  if (!in->builder->failed)
    in->results[0] = mloptImportTranspose(in, conv, back);
}
