//===- support.c - Small helpers over mlir-c ------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "support.h"

//===----------------------------------------------------------------------===//
// Operations and attributes
//===----------------------------------------------------------------------===//

bool mloptIsNamed(MlirOperation op, const char *name) {
  return mloptStrEq(mlirIdentifierStr(mlirOperationGetName(op)), name);
}

bool mloptIsApproximate(MlirOperation op) {
  // mlir-c cannot take the flags apart.
  static const char *const texts[] = {
      "#arith.fastmath<reassoc,arcp,contract,afn>", "#arith.fastmath<fast>"};
  MlirAttribute flags = mloptAttr(op, "fastmath");
  MlirContext context = mlirOperationGetContext(op);
  bool found = false;
  for (int i = 0; i < MLOPT_COUNT(texts) && !mlirAttributeIsNull(flags); ++i)
    found |= mlirAttributeEqual(
        flags, mlirAttributeParseGet(context, mloptStr(texts[i])));
  return found;
}

bool mloptDictHasOnly(MlirAttribute dict, int count, const char *const *names) {
  intptr_t found = 0;
  for (int i = 0; i < count; ++i)
    found += !mlirAttributeIsNull(mloptDictGet(dict, names[i]));
  return found == mlirDictionaryAttrGetNumElements(dict);
}

intptr_t mloptFindRow(MlirOperation op, const void *rows, intptr_t count,
                      size_t size) {
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  for (intptr_t i = 0; i < count; ++i) {
    const char *row = (const char *)rows + (size_t)i * size;
    if (mloptStrEq(name, *(const char *const *)row))
      return i;
  }
  return -1;
}

bool mloptIsDefinedInside(MlirValue value, MlirOperation op) {
  MlirBlock block = mlirValueIsABlockArgument(value)
                        ? mlirBlockArgumentGetOwner(value)
                        : mlirOperationGetBlock(mlirOpResultGetOwner(value));
  for (MlirOperation parent = mlirBlockGetParentOperation(block);
       !mlirOperationIsNull(parent);
       parent = mlirOperationGetParentOperation(parent))
    if (mlirOperationEqual(parent, op))
      return true;
  return false;
}

static MlirWalkResult setLocation(MlirOperation op, void *userData) {
  MlirLocation location = *(MlirLocation *)userData;
  mlirOperationSetLocation(op, location);
  for (intptr_t i = 0, n = mlirOperationGetNumRegions(op); i < n; ++i)
    for (MlirBlock block =
             mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
         !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
      for (intptr_t j = 0, m = mlirBlockGetNumArguments(block); j < m; ++j)
        mlirBlockArgumentSetLocation(mlirBlockGetArgument(block, j), location);
  return MlirWalkResultAdvance;
}

void mloptSetLocations(MlirOperation op, MlirLocation location) {
  mlirOperationWalk(op, setLocation, &location, MlirWalkPreOrder);
}

MlirNamedAttribute mloptNamedAttr(MlirContext context, const char *name,
                                  MlirAttribute attr) {
  return mlirNamedAttributeGet(mlirIdentifierGet(context, mloptStr(name)),
                               attr);
}

MlirAttribute mloptI64Array(MlirContext context, intptr_t n,
                            const int64_t *values) {
  return mlirDenseI64ArrayGet(context, n, values);
}

MlirAttribute mloptI64Attr(MlirContext context, int64_t value) {
  return mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), value);
}

MlirAttribute mloptStrAttr(MlirContext context, const char *value) {
  return mlirStringAttrGet(context, mloptStr(value));
}

intptr_t mloptI64ArrayGet(MlirAttribute attr, int64_t *out) {
  if (mlirAttributeIsNull(attr))
    return 0;
  intptr_t n = mlirDenseArrayGetNumElements(attr);
  for (intptr_t i = 0; i < n && i < MLOPT_MAX_RANK; ++i)
    out[i] = mlirDenseI64ArrayGetElement(attr, i);
  return n;
}

bool mloptIsI64Array(MlirAttribute a) {
  return mlirAttributeIsADenseI64Array(a);
}

bool mloptIsI64(MlirAttribute a) {
  if (!mlirAttributeIsAInteger(a))
    return false;
  MlirType t = mlirAttributeGetType(a);
  return mlirTypeIsAInteger(t) && mlirIntegerTypeGetWidth(t) == 64;
}

bool mloptIsBool(MlirAttribute a) { return mlirAttributeIsABool(a); }
bool mloptIsString(MlirAttribute a) { return mlirAttributeIsAString(a); }
bool mloptIsTypeAttr(MlirAttribute a) { return mlirAttributeIsAType(a); }
bool mloptIsAnyAttr(MlirAttribute a) { return !mlirAttributeIsNull(a); }

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

MlirType mloptElementType(MlirType t) {
  return mlirTypeIsAShaped(t) ? mlirShapedTypeGetElementType(t) : t;
}

bool mloptHaveSameShape(MlirType a, MlirType b) {
  return mlirTypeEqual(mloptWithElementType(a, mloptElementType(b)), b);
}

MlirType mloptPairType(MlirType element) {
  const int64_t two = 2;
  return mlirVectorTypeGet(1, &two, element);
}

MlirType mloptTensorType(intptr_t rank, const int64_t *shape,
                         MlirType element) {
  return mlirRankedTensorTypeGet(rank, shape, element, mlirAttributeGetNull());
}

MlirType mloptWithElementType(MlirType shaped, MlirType element) {
  if (!mlirTypeIsARankedTensor(shaped))
    return element;
  int64_t shape[MLOPT_MAX_RANK];
  intptr_t rank = mloptShape(shaped, shape);
  return mlirRankedTensorTypeGet(rank, shape, element,
                                 mlirRankedTensorTypeGetEncoding(shaped));
}

intptr_t mloptShape(MlirType t, int64_t *out) {
  intptr_t rank = mloptRank(t);
  for (intptr_t i = 0; i < rank && i < MLOPT_MAX_RANK; ++i)
    out[i] = mloptDim(t, i);
  return rank;
}

int64_t mloptNumElements(MlirType t) {
  int64_t n = 1;
  for (intptr_t i = 0, rank = mloptRank(t); i < rank; ++i)
    if (__builtin_mul_overflow(n, mloptDim(t, i), &n))
      return INT64_MAX;
  return n;
}

bool mloptIsRankedTensor(MlirType t) { return mlirTypeIsARankedTensor(t); }
bool mloptIsAnyType(MlirType t) { return !mlirTypeIsNull(t); }

bool mloptIsFloatElement(MlirType t) {
  return mlirTypeIsAF32(t) || mlirTypeIsAF64(t) || mlirTypeIsAF16(t) ||
         mlirTypeIsABF16(t) || mlirTypeIsAFloat8E4M3FN(t) ||
         mlirTypeIsAFloat8E5M2(t);
}

bool mloptIsIntElement(MlirType t) {
  if (mlirTypeIsAIndex(t))
    return true;
  if (!mlirTypeIsAInteger(t) || !mlirIntegerTypeIsSignless(t))
    return false;
  unsigned width = mlirIntegerTypeGetWidth(t);
  return width == 1 || width == 4 || width == 8 || width == 16 || width == 32 ||
         width == 64;
}

bool mloptIsI1(MlirType t) {
  return mlirTypeIsAInteger(t) && mlirIntegerTypeGetWidth(t) == 1;
}

bool mloptIsElement(MlirType t) {
  return mloptIsFloatElement(t) || mloptIsIntElement(t);
}

unsigned mloptElementWidth(MlirType t) {
  if (mlirTypeIsAIndex(t))
    return 64;
  return mlirTypeIsAInteger(t) ? mlirIntegerTypeGetWidth(t)
                               : mlirFloatTypeGetWidth(t);
}

bool mloptIsTensor(MlirType t) {
  return mlirTypeIsARankedTensor(t) && mloptRank(t) <= MLOPT_MAX_RANK &&
         mloptIsElement(mlirShapedTypeGetElementType(t));
}

bool mloptIsTensorOrScalar(MlirType t) {
  return mloptIsTensor(t) || mloptIsElement(t);
}

bool mloptIsFloatTensorOrScalar(MlirType t) {
  return mloptIsTensorOrScalar(t) && mloptIsFloatElement(mloptElementType(t));
}

bool mloptIsIntTensor(MlirType t) {
  return mloptIsTensor(t) && mloptIsIntElement(mloptElementType(t));
}

bool mloptIsIntTensorOrScalar(MlirType t) {
  return mloptIsTensorOrScalar(t) && mloptIsIntElement(mloptElementType(t));
}

bool mloptIsI1TensorOrScalar(MlirType t) {
  return mloptIsTensorOrScalar(t) && mloptIsI1(mloptElementType(t));
}
