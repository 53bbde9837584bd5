//===- import_shape.c - Creation, layout and indexed access ---------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations that move elements. They differ from mlopt's in spelling only:
//
//   %0 = stablehlo.slice %x [1:5:2] : (tensor<8xui8>) -> tensor<2xui8>
// becomes
//   %0 = mlopt.slice %x starts [1] limits [5] strides [2]
//          : tensor<8xi8> -> tensor<2xi8>
//
// In a body, where tensors of rank 0 are scalars, reshapes and broadcasts to
// rank 0 are nothing, and constants are arith's.
//
//===----------------------------------------------------------------------===//

#include "import.h"

/// The imported operation with one attribute.
static void build(MloptImport *in, const char *name, const char *attrName,
                  MlirAttribute attr) {
  MlirNamedAttribute named =
      mloptNamedAttr(in->builder->context, attrName, attr);
  in->results[0] = mloptImportBuild(in, name, in->numOperands, in->operands,
                                    mloptImportResultType(in, 0), 1, &named);
}

/// A list of numbers under a new name.
static MlirNamedAttribute renamed(MloptImport *in, const char *from,
                                  const char *to) {
  MloptDims dims;
  mloptForeignGetInts(in->op, from, 0, 0, &dims);
  MlirContext context = in->builder->context;
  return mloptNamedAttr(context, to, mloptI64Array(context, dims.n, dims.at));
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

void mloptImportConstant(MloptImport *in) {
  MlirAttribute value = mloptAttr(in->op, "value");
  MlirType type = mloptImportType(mlirAttributeGetType(value));
  if (!mlirTypeEqual(type, mlirAttributeGetType(value))) {
    int64_t n = mloptNumElements(type);
    if (n && mlirDenseElementsAttrIsSplat(value))
      n = 1;
    size_t size = (mloptElementWidth(mloptElementType(type)) + 7) / 8;
    value = mlirDenseElementsAttrRawBufferGet(
        type, (size_t)n * size, mlirDenseElementsAttrGetRawData(value));
  }
  if (!mlirTypeIsNull(in->body)) {
    in->results[0] =
        mloptImportSplat(in, mloptImportResultType(in, 0),
                         mlirDenseElementsAttrGetSplatValue(value));
    return;
  }
  build(in, "mlopt.constant", "value", value);
}

void mloptImportConstantLike(MloptImport *in) {
  MlirAttribute value = mloptAttr(in->op, "value");
  MlirType type = mloptImportResultType(in, 0);
  if (mlirAttributeIsAFloat(value))
    in->results[0] =
        mloptImportFloat(in, type, mlirFloatAttrGetValueDouble(value));
  else
    in->results[0] =
        mloptImportInt(in, type, mloptForeignGetInt(in->op, "value", 0));
}

void mloptImportIota(MloptImport *in) {
  build(in, "mlopt.iota", "dim",
        mloptI64Attr(in->builder->context,
                     mloptForeignGetInt(in->op, "iota_dimension", 0)));
}

void mloptImportGetDimensionSize(MloptImport *in) {
  int64_t dim = mloptForeignGetInt(in->op, "dimension", 0);
  in->results[0] = mloptImportInt(in, mloptImportResultType(in, 0),
                                  mloptDim(mloptOperandType(in->op, 0), dim));
}

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

void mloptImportBroadcastInDim(MloptImport *in) {
  MloptDims dims;
  mloptForeignGetInts(in->op, "broadcast_dimensions", 0, 0, &dims);
  in->results[0] = mlirTypeIsNull(in->body)
                       ? mloptImportBroadcast(in, in->operands[0], dims.at,
                                              mloptImportResultType(in, 0))
                       : in->operands[0];
}

/// stablehlo.broadcast puts new dimensions in front.
void mloptImportBroadcastPrefix(MloptImport *in) {
  MlirType result = mloptImportResultType(in, 0);
  intptr_t rank = mloptRank(mlirValueGetType(in->operands[0]));
  int64_t dims[MLOPT_MAX_RANK];
  for (intptr_t i = 0; i < rank; ++i)
    dims[i] = mloptRank(result) - rank + i;
  in->results[0] = mloptImportBroadcast(in, in->operands[0], dims, result);
}

void mloptImportReshapeOp(MloptImport *in) {
  int64_t shape[MLOPT_MAX_RANK];
  intptr_t rank = mloptShape(mloptResultType(in->op, 0), shape);
  in->results[0] = mlirTypeIsNull(in->body)
                       ? mloptImportReshape(in, in->operands[0], rank, shape)
                       : in->operands[0];
}

void mloptImportTransposeOp(MloptImport *in) {
  MloptDims permutation;
  mloptForeignGetInts(in->op, "permutation", 0, 0, &permutation);
  in->results[0] = mloptImportTranspose(in, in->operands[0], permutation.at);
}

void mloptImportSlice(MloptImport *in) {
  MlirNamedAttribute attrs[] = {renamed(in, "start_indices", "starts"),
                                renamed(in, "limit_indices", "limits"),
                                renamed(in, "strides", "strides")};
  in->results[0] = mloptImportBuild(in, "mlopt.slice", 1, in->operands,
                                    mloptImportResultType(in, 0), 3, attrs);
}

void mloptImportPad(MloptImport *in) {
  MlirNamedAttribute attrs[] = {renamed(in, "edge_padding_low", "low"),
                                renamed(in, "edge_padding_high", "high"),
                                renamed(in, "interior_padding", "interior")};
  in->results[0] = mloptImportBuild(in, "mlopt.pad", 2, in->operands,
                                    mloptImportResultType(in, 0), 3, attrs);
}

void mloptImportConcatenate(MloptImport *in) {
  build(in, "mlopt.concat", "dim",
        mloptI64Attr(in->builder->context,
                     mloptForeignGetInt(in->op, "dimension", 0)));
}

void mloptImportReverse(MloptImport *in) {
  MlirNamedAttribute dims = renamed(in, "dimensions", "dims");
  build(in, "mlopt.reverse", "dims", dims.attribute);
}

//===----------------------------------------------------------------------===//
// Indexed access
//===----------------------------------------------------------------------===//

void mloptImportGather(MloptImport *in) {
  MlirContext context = in->builder->context;
  MloptGatherDims dims;
  mloptForeignGetGatherDims(in->op, &dims);
  MlirNamedAttribute attrs[] = {
      mloptImportDims(in->builder->context, "offset_dims", &dims.offset),
      mloptImportDims(in->builder->context, "collapsed_slice_dims",
                      &dims.collapsedSlice),
      mloptImportDims(in->builder->context, "operand_batching_dims",
                      &dims.operandBatching),
      mloptImportDims(in->builder->context, "start_indices_batching_dims",
                      &dims.startIndicesBatching),
      mloptImportDims(in->builder->context, "start_index_map",
                      &dims.startIndexMap),
      mloptNamedAttr(context, "index_vector_dim",
                     mloptI64Attr(context, dims.indexVectorDim)),
      renamed(in, "slice_sizes", "slice_sizes"),
      mloptNamedAttr(context, "unsigned_indices", mlirUnitAttrGet(context))};
  bool isUnsigned = mloptIsUnsignedElement(mloptOperandType(in->op, 1));
  in->results[0] = mloptImportBuild(in, "mlopt.gather", 2, in->operands,
                                    mloptImportResultType(in, 0),
                                    MLOPT_COUNT(attrs) - !isUnsigned, attrs);
}

/// A dynamic slice's unsigned starts, when the operands from `first` on are.
static intptr_t addUnsignedIndices(MloptImport *in, intptr_t first,
                                   MlirNamedAttribute *out) {
  MlirContext context = in->builder->context;
  if (first >= in->numOperands ||
      !mloptIsUnsignedElement(mloptOperandType(in->op, first)))
    return 0;
  *out = mloptNamedAttr(context, "unsigned_indices", mlirUnitAttrGet(context));
  return 1;
}

void mloptImportDynamicSlice(MloptImport *in) {
  MlirNamedAttribute attrs[2] = {renamed(in, "slice_sizes", "sizes")};
  intptr_t n = 1 + addUnsignedIndices(in, 1, &attrs[1]);
  in->results[0] =
      mloptImportBuild(in, "mlopt.dynamic_slice", in->numOperands, in->operands,
                       mloptImportResultType(in, 0), n, attrs);
}

void mloptImportDynamicUpdateSlice(MloptImport *in) {
  MlirNamedAttribute attr;
  intptr_t n = addUnsignedIndices(in, 2, &attr);
  in->results[0] =
      mloptImportBuild(in, "mlopt.dynamic_update_slice", in->numOperands,
                       in->operands, mloptImportResultType(in, 0), n, &attr);
}
