//===- access.c - Reading StableHLO and CHLO operations -------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What enters is an operation that verified; what leaves are the parameters of
// its attributes as C values.
//
//===----------------------------------------------------------------------===//

#include "tables.h"

static void readInts(MlirAttribute ints, MloptDims *out) {
  intptr_t n = mlirDenseArrayGetNumElements(ints);
  out->n = n < MLOPT_MAX_RANK ? n : MLOPT_MAX_RANK;
  for (intptr_t i = 0; i < out->n; ++i)
    out->at[i] = mlirDenseI64ArrayGetElement(ints, i);
}

/// Parameter `i` of a struct attribute.
static void getInts(MlirAttribute attr, intptr_t i, MloptDims *out) {
  readInts(mloptAttrGetParam(attr, i), out);
}
static int64_t getInt(MlirAttribute attr, intptr_t i) {
  return mlirIntegerAttrGetValueInt(mloptAttrGetParam(attr, i));
}

void mloptForeignGetDotDims(MlirOperation op, MloptDotDims *out) {
  MlirAttribute attr = mloptAttr(op, "dot_dimension_numbers");
  getInts(attr, 0, &out->lhsBatch);
  getInts(attr, 1, &out->rhsBatch);
  getInts(attr, 2, &out->lhsContract);
  getInts(attr, 3, &out->rhsContract);
}

void mloptForeignGetGatherDims(MlirOperation op, MloptGatherDims *out) {
  MlirAttribute attr = mloptAttr(op, "dimension_numbers");
  getInts(attr, 0, &out->offset);
  getInts(attr, 1, &out->collapsedSlice);
  getInts(attr, 2, &out->operandBatching);
  getInts(attr, 3, &out->startIndicesBatching);
  getInts(attr, 4, &out->startIndexMap);
  out->indexVectorDim = getInt(attr, 5);
}

void mloptForeignGetScatterDims(MlirOperation op, MloptScatterDims *out) {
  MlirAttribute attr = mloptAttr(op, "scatter_dimension_numbers");
  getInts(attr, 0, &out->updateWindow);
  getInts(attr, 1, &out->insertedWindow);
  getInts(attr, 2, &out->inputBatching);
  getInts(attr, 3, &out->scatterIndicesBatching);
  getInts(attr, 4, &out->scatterDimsToOperandDims);
  out->indexVectorDim = getInt(attr, 5);
}

void mloptForeignGetConvDims(MlirOperation op, MloptConvDims *out) {
  MlirAttribute attr = mloptAttr(op, "dimension_numbers");
  out->inputBatch = getInt(attr, 0);
  out->inputFeature = getInt(attr, 1);
  getInts(attr, 2, &out->inputSpatial);
  out->kernelInput = getInt(attr, 3);
  out->kernelOutput = getInt(attr, 4);
  getInts(attr, 5, &out->kernelSpatial);
  out->outputBatch = getInt(attr, 6);
  out->outputFeature = getInt(attr, 7);
  getInts(attr, 8, &out->outputSpatial);
}

MlirStringRef mloptForeignGetEnum(MlirOperation op, const char *name) {
  MlirAttribute attr = mloptAttr(op, name);
  if (mlirAttributeIsNull(attr))
    return mloptStr("");
  return mlirStringAttrGetValue(mloptAttrGetParam(attr, 0));
}

bool mloptForeignIsEnum(MlirOperation op, const char *name, const char *value) {
  return mloptStrEq(mloptForeignGetEnum(op, name), value);
}

bool mloptForeignGetBool(MlirOperation op, const char *name, bool byDefault) {
  MlirAttribute attr = mloptAttr(op, name);
  return mlirAttributeIsNull(attr) ? byDefault : mlirBoolAttrGetValue(attr);
}

int64_t mloptForeignGetInt(MlirOperation op, const char *name,
                           int64_t byDefault) {
  MlirAttribute attr = mloptAttr(op, name);
  return mlirAttributeIsNull(attr) ? byDefault
                                   : mlirIntegerAttrGetValueInt(attr);
}

static void fillWith(intptr_t n, int64_t value, MloptDims *out) {
  out->n = n < MLOPT_MAX_RANK ? n : MLOPT_MAX_RANK;
  for (intptr_t i = 0; i < out->n; ++i)
    out->at[i] = value;
}

bool mloptForeignGetInts(MlirOperation op, const char *name, intptr_t n,
                         int64_t fill, MloptDims *out) {
  MlirAttribute attr = mloptAttr(op, name);
  fillWith(n, fill, out);
  if (mlirAttributeIsNull(attr))
    return false;
  if (mlirDenseArrayGetNumElements(attr))
    readInts(attr, out);
  return true;
}

bool mloptForeignGetBools(MlirOperation op, const char *name, intptr_t n,
                          MloptDims *out) {
  MlirAttribute attr = mloptAttr(op, name);
  fillWith(n, 0, out);
  if (mlirAttributeIsNull(attr))
    return false;
  if (mlirDenseArrayGetNumElements(attr) == n)
    for (intptr_t i = 0; i < out->n; ++i)
      out->at[i] = mlirDenseBoolArrayGetElement(attr, i);
  return true;
}

void mloptForeignGetPadding(MlirOperation op, intptr_t n, MloptDims *low,
                            MloptDims *high) {
  MlirAttribute attr = mloptAttr(op, "padding");
  fillWith(n, 0, low);
  fillWith(n, 0, high);
  if (mlirAttributeIsNull(attr) || !mlirElementsAttrGetNumElements(attr))
    return;
  bool splat = mlirDenseElementsAttrIsSplat(attr);
  for (intptr_t i = 0; i < low->n; ++i) {
    low->at[i] = mlirDenseElementsAttrGetInt64Value(attr, splat ? 0 : 2 * i);
    high->at[i] =
        mlirDenseElementsAttrGetInt64Value(attr, splat ? 0 : 2 * i + 1);
  }
}
