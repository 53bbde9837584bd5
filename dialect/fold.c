//===- fold.c - Constant elements in and out of folds ---------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR keeps a dense constant as packed bytes, an element rounded up to whole
// bytes, except i1, whose packing is left to the accessors. A scalar constant
// passes through a 0-d tensor, so that its bits, those of a NaN too, come and
// go as they are.
//
//===----------------------------------------------------------------------===//

#include "fold.h"

MloptElement mloptGetElement(MlirType type) {
  static const struct {
    bool (*is)(MlirType);
    MloptElement element;
  } others[] = {
      {mlirTypeIsAF64, MLOPT_F64},
      {mlirTypeIsAF32, MLOPT_F32},
      {mlirTypeIsAF16, MLOPT_F16},
      {mlirTypeIsABF16, MLOPT_BF16},
      {mlirTypeIsAFloat8E4M3FN, MLOPT_F8E4M3FN},
      {mlirTypeIsAFloat8E5M2, MLOPT_F8E5M2},
      {mlirTypeIsAIndex, MLOPT_INDEX},
  };
  MlirType t = mloptElementType(type);
  for (int i = 0; i < MLOPT_COUNT(others); ++i)
    if (others[i].is(t))
      return others[i].element;
  if (!mloptIsIntElement(t))
    return MLOPT_NO_ELEMENT;
  unsigned width = mlirIntegerTypeGetWidth(t);
  for (int e = MLOPT_I1; e <= MLOPT_I64; ++e)
    if (mloptNumberWidth((MloptElement)e) == width)
      return (MloptElement)e;
  return MLOPT_NO_ELEMENT;
}

/// The number of elements of a static type, or -1; also where there are more
/// than any constant has.
static int64_t countElements(MlirType type) {
  if (!mloptIsRankedTensor(type))
    return 1;
  if (!mlirShapedTypeHasStaticShape(type))
    return -1;
  int64_t n = 1;
  for (intptr_t i = 0, rank = mloptRank(type); i < rank; ++i)
    if (__builtin_mul_overflow(n, mloptDim(type, i), &n))
      return -1;
  return n;
}

static MlirType scalarTensor(MlirType element) {
  return mloptTensorType(0, NULL, element);
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

static size_t bytesOf(MloptElement e) { return (mloptNumberWidth(e) + 7) / 8; }

static uint64_t readBits(MloptElement e, const void *from) {
  uint8_t u8;
  uint16_t u16;
  uint32_t u32;
  uint64_t u64;
  switch (bytesOf(e)) {
  case 1:
    memcpy(&u8, from, sizeof u8);
    return u8 & mloptNumberMask(e);
  case 2:
    memcpy(&u16, from, sizeof u16);
    return u16;
  case 4:
    memcpy(&u32, from, sizeof u32);
    return u32;
  default:
    memcpy(&u64, from, sizeof u64);
    return u64;
  }
}

static void writeBits(MloptElement e, uint64_t bits, void *to) {
  uint8_t u8 = (uint8_t)bits;
  uint16_t u16 = (uint16_t)bits;
  uint32_t u32 = (uint32_t)bits;
  switch (bytesOf(e)) {
  case 1:
    memcpy(to, &u8, sizeof u8);
    return;
  case 2:
    memcpy(to, &u16, sizeof u16);
    return;
  case 4:
    memcpy(to, &u32, sizeof u32);
    return;
  default:
    memcpy(to, &bits, sizeof bits);
  }
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

bool mloptInitElements(MlirType type, bool splat, MloptElements *out) {
  out->type = type;
  out->element = mloptGetElement(type);
  out->count = countElements(type);
  out->splat = splat;
  return out->element != MLOPT_NO_ELEMENT && out->count >= 1 &&
         (splat || out->count <= MLOPT_FOLD_LIMIT);
}

bool mloptReadElements(MlirAttribute attr, MloptElements *out) {
  if (mlirAttributeIsNull(attr))
    return false;
  MlirType type = mlirAttributeGetType(attr);
  if (mlirAttributeIsAInteger(attr) || mlirAttributeIsAFloat(attr)) {
    if (!mloptIsElement(type))
      return false;
    attr = mlirDenseElementsAttrSplatGet(scalarTensor(type), attr);
  } else if (!mlirAttributeIsADenseElements(attr) ||
             !mloptIsRankedTensor(type)) {
    return false;
  }
  if (!mloptInitElements(type, mlirDenseElementsAttrIsSplat(attr), out))
    return false;
  int64_t n = mloptStoredElements(out);
  if (out->element == MLOPT_I1) {
    for (int64_t i = 0; i < n; ++i)
      out->values[i] = mlirDenseElementsAttrGetBoolValue(attr, i);
    return true;
  }
  const char *data = mlirDenseElementsAttrGetRawData(attr);
  size_t size = bytesOf(out->element);
  for (int64_t i = 0; i < n; ++i)
    out->values[i] = readBits(out->element, data + (size_t)i * size);
  return true;
}

static MlirAttribute splatAttr(MlirType type, MloptElement e, uint64_t bits) {
  MlirType tensor = mloptIsRankedTensor(type) ? type : scalarTensor(type);
  uint64_t bytes;
  MlirAttribute attr;
  if (e == MLOPT_I1) {
    attr = mlirDenseElementsAttrBoolSplatGet(tensor, bits != 0);
  } else {
    writeBits(e, bits, &bytes);
    attr = mlirDenseElementsAttrRawBufferGet(tensor, bytesOf(e), &bytes);
  }
  return mlirTypeEqual(tensor, type) ? attr
                                     : mlirDenseElementsAttrGetSplatValue(attr);
}

MlirAttribute mloptSplatAttr(MlirType type, uint64_t bits) {
  MloptElement e = mloptGetElement(type);
  if (e == MLOPT_NO_ELEMENT || countElements(type) < 1)
    return mlirAttributeGetNull();
  return splatAttr(type, e, bits);
}

static bool allEqual(const MloptElements *elements) {
  for (int64_t i = 1, n = mloptStoredElements(elements); i < n; ++i)
    if (elements->values[i] != elements->values[0])
      return false;
  return true;
}

MlirAttribute mloptWriteElements(const MloptElements *elements) {
  MloptElement e = elements->element;
  if (allEqual(elements))
    return splatAttr(elements->type, e, elements->values[0]);
  if (e == MLOPT_I1) {
    int bools[MLOPT_FOLD_LIMIT];
    for (int64_t i = 0; i < elements->count; ++i)
      bools[i] = elements->values[i] != 0;
    return mlirDenseElementsAttrBoolGet(elements->type, elements->count, bools);
  }
  char bytes[MLOPT_FOLD_LIMIT * sizeof(uint64_t)];
  size_t size = bytesOf(e);
  for (int64_t i = 0; i < elements->count; ++i)
    writeBits(e, elements->values[i], bytes + (size_t)i * size);
  return mlirDenseElementsAttrRawBufferGet(
      elements->type, (size_t)elements->count * size, bytes);
}

bool mloptReadSplat(MlirAttribute attr, uint64_t *outBits) {
  MloptElements elements;
  if (!mloptReadElements(attr, &elements) || !elements.splat)
    return false;
  *outBits = elements.values[0];
  return true;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

MlirLogicalResult mloptFoldToAttr(MlirAttribute attr, MloptFoldResult *result) {
  if (mlirAttributeIsNull(attr))
    return mloptFailure();
  result->attr = attr;
  return mloptSuccess();
}
