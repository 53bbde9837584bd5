//===- import_values.c - Types and values while importing -----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How StableHLO's types map to mlopt's, the short spellings in which rewrites
// build operations, and what is known of constants before they are imported.
//
//===----------------------------------------------------------------------===//

#include "import.h"

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static bool isUnsigned(MlirType element) {
  return mlirTypeIsAInteger(element) && mlirIntegerTypeIsUnsigned(element);
}

bool mloptIsUnsignedElement(MlirType type) {
  return isUnsigned(mloptElementType(type));
}

MlirType mloptImportType(MlirType type) {
  MlirType element = mloptElementType(type);
  if (!isUnsigned(element))
    return type;
  MlirType signless = mlirIntegerTypeGet(mlirTypeGetContext(type),
                                         mlirIntegerTypeGetWidth(element));
  return mloptWithElementType(type, signless);
}

const char *mloptImportTypeProblem(MlirType type, bool *isDynamic) {
  *isDynamic = false;
  if (mlirTypeIsAUnrankedTensor(type))
    return "unranked tensors are not supported";
  if (!mlirTypeIsARankedTensor(type))
    return "only values of tensor type are supported";
  if (mloptRank(type) > MLOPT_MAX_RANK)
    return "a tensor has at most 16 dimensions";
  if (!mlirShapedTypeHasStaticShape(type)) {
    *isDynamic = true;
    return "dynamic sizes (`?`) are not supported";
  }
  if (!mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type)))
    return "tensor encodings are not supported";
  MlirType element = mloptElementType(type);
  if (mlirTypeIsAComplex(element))
    return "complex numbers are not supported";
  if (mloptStrEq(mlirDialectGetNamespace(mlirTypeGetDialect(element)), "quant"))
    return "quantized elements are not supported";
  if (!mloptIsElement(mloptImportType(element)) || mlirTypeIsAIndex(element))
    return "elements of this type are not supported";
  return NULL;
}

MlirType mloptImportResultType(const MloptImport *in, intptr_t result) {
  MlirType type = mloptImportType(mloptResultType(in->op, result));
  return mlirTypeIsNull(in->body)
             ? type
             : mloptWithElementType(in->body, mloptElementType(type));
}

const char *mloptImportTarget(const MloptImport *in, MlirType original) {
  if (in->row->targetBool && mloptIsI1(mloptElementType(original)))
    return in->row->targetBool;
  if (in->row->targetUnsigned && mloptIsUnsignedElement(original))
    return in->row->targetUnsigned;
  return in->row->target;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

MlirValue mloptImportBuild(MloptImport *in, const char *name, intptr_t n,
                           const MlirValue *operands, MlirType result,
                           intptr_t numAttrs, const MlirNamedAttribute *attrs) {
  return mloptBuildValue(in->builder, (MloptOpSpec){.name = name,
                                                    .numOperands = n,
                                                    .operands = operands,
                                                    .numResults = 1,
                                                    .results = &result,
                                                    .numAttrs = numAttrs,
                                                    .attrs = attrs});
}

MlirValue mloptImportUnary(MloptImport *in, const char *name, MlirValue x) {
  return mloptBuildUnary(in->builder, name, x, mlirValueGetType(x));
}

MlirValue mloptImportBinary(MloptImport *in, const char *name, MlirValue x,
                            MlirValue y) {
  return mloptBuildBinary(in->builder, name, x, y);
}

MlirValue mloptImportCompare(MloptImport *in, const char *predicate,
                             MlirValue x, MlirValue y) {
  MlirContext context = in->builder->context;
  MlirNamedAttribute attr =
      mloptNamedAttr(context, "predicate", mloptStrAttr(context, predicate));
  MlirValue operands[] = {x, y};
  MlirType result =
      mloptWithElementType(mlirValueGetType(x), mlirIntegerTypeGet(context, 1));
  return mloptImportBuild(in, "mlopt.compare", 2, operands, result, 1, &attr);
}

MlirValue mloptImportSelect(MloptImport *in, MlirValue cond, MlirValue x,
                            MlirValue y) {
  MlirValue operands[] = {cond, x, y};
  return mloptImportBuild(in, "mlopt.select", 3, operands, mlirValueGetType(x),
                          0, NULL);
}

MlirValue mloptImportConvert(MloptImport *in, MlirValue x, MlirType result) {
  if (mlirTypeEqual(mlirValueGetType(x), result))
    return x;
  return mloptBuildUnary(in->builder, "mlopt.convert", x, result);
}

MlirValue mloptImportBitcast(MloptImport *in, MlirValue x, MlirType result) {
  if (mlirTypeEqual(mlirValueGetType(x), result))
    return x;
  return mloptBuildUnary(in->builder, "mlopt.bitcast", x, result);
}

MlirValue mloptImportSplat(MloptImport *in, MlirType type,
                           MlirAttribute element) {
  MlirAttribute value = mlirTypeIsARankedTensor(type)
                            ? mlirDenseElementsAttrSplatGet(type, element)
                            : element;
  MlirNamedAttribute attr =
      mloptNamedAttr(in->builder->context, "value", value);
  return mloptImportBuild(in, "mlopt.constant", 0, NULL, type, 1, &attr);
}

MlirValue mloptImportFloat(MloptImport *in, MlirType type, double value) {
  return mloptImportSplat(in, type,
                          mlirFloatAttrDoubleGet(in->builder->context,
                                                 mloptElementType(type),
                                                 value));
}

MlirValue mloptImportInt(MloptImport *in, MlirType type, int64_t value) {
  return mloptImportSplat(in, type,
                          mlirIntegerAttrGet(mloptElementType(type), value));
}

MlirNamedAttribute mloptImportDims(MlirContext context, const char *name,
                                   const MloptDims *dims) {
  return mloptNamedAttr(context, name,
                        mloptI64Array(context, dims->n, dims->at));
}

MlirValue mloptImportReshape(MloptImport *in, MlirValue x, intptr_t rank,
                             const int64_t *shape) {
  MlirType type = mlirValueGetType(x);
  MlirType result = mloptTensorType(rank, shape, mloptElementType(type));
  if (mlirTypeEqual(type, result))
    return x;
  return mloptBuildUnary(in->builder, "mlopt.reshape", x, result);
}

MlirValue mloptImportTranspose(MloptImport *in, MlirValue x,
                               const int64_t *permutation) {
  MlirContext context = in->builder->context;
  MlirType type = mlirValueGetType(x);
  int64_t shape[MLOPT_MAX_RANK];
  intptr_t rank = mloptRank(type);
  bool same = true;
  for (intptr_t i = 0; i < rank; ++i) {
    shape[i] = mloptDim(type, permutation[i]);
    same &= permutation[i] == i;
  }
  if (same)
    return x;
  MlirNamedAttribute attr = mloptNamedAttr(
      context, "permutation", mloptI64Array(context, rank, permutation));
  return mloptImportBuild(in, "mlopt.transpose", 1, &x,
                          mloptTensorType(rank, shape, mloptElementType(type)),
                          1, &attr);
}

MlirValue mloptImportBroadcast(MloptImport *in, MlirValue x,
                               const int64_t *dims, MlirType result) {
  MlirContext context = in->builder->context;
  intptr_t rank = mloptRank(mlirValueGetType(x));
  bool same = mlirTypeEqual(mlirValueGetType(x), result);
  for (intptr_t i = 0; i < rank; ++i)
    same &= dims[i] == i;
  if (same)
    return x;
  MlirNamedAttribute attr =
      mloptNamedAttr(context, "dims", mloptI64Array(context, rank, dims));
  return mloptImportBuild(in, "mlopt.broadcast", 1, &x, result, 1, &attr);
}

//===----------------------------------------------------------------------===//
// Constants, before they are imported
//===----------------------------------------------------------------------===//

MlirAttribute mloptImportConstantOf(MlirValue value) {
  MlirAttribute none = mlirAttributeGetNull();
  while (mlirValueIsAOpResult(value)) {
    MlirOperation op = mlirOpResultGetOwner(value);
    if (mloptIsNamed(op, "stablehlo.constant")) {
      MlirAttribute elements = mloptAttr(op, "value");
      return mlirAttributeIsADenseElements(elements) &&
                     mlirDenseElementsAttrIsSplat(elements)
                 ? mlirDenseElementsAttrGetSplatValue(elements)
                 : none;
    }
    if (!mloptIsNamed(op, "stablehlo.broadcast_in_dim") &&
        !mloptIsNamed(op, "stablehlo.reshape"))
      return none;
    value = mloptOperand(op, 0);
  }
  return none;
}

bool mloptImportIsNeutral(MlirValue value, MloptKind kind) {
  MlirAttribute element = mloptImportConstantOf(value);
  if (mlirAttributeIsNull(element))
    return false;
  MlirType type = mlirAttributeGetType(element);
  MlirAttribute neutral = mloptKindGetNeutral(kind, mloptImportType(type));
  if (mlirAttributeIsNull(neutral))
    return false;
  if (!isUnsigned(type))
    return mlirAttributeEqual(element, neutral);
  unsigned unused = 64 - mlirIntegerTypeGetWidth(type);
  return mlirIntegerAttrGetValueUInt(element) << unused ==
         (uint64_t)mlirIntegerAttrGetValueInt(neutral) << unused;
}
