//===- strides.c - Moving constant elements about -------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "strides.h"

MloptStrides mloptRowMajor(MlirType type) {
  MloptStrides strides = {0};
  int64_t stride = 1;
  for (intptr_t i = mloptRank(type); i-- > 0; stride *= mloptDim(type, i))
    strides.at[i] = stride;
  return strides;
}

int64_t mloptPlaceOf(const MloptStrides *strides, intptr_t rank,
                     const int64_t *index) {
  int64_t place = strides->base;
  for (intptr_t i = 0; i < rank; ++i)
    place += index[i] * strides->at[i];
  return place;
}

bool mloptNextIndex(intptr_t rank, const int64_t *shape, int64_t *index) {
  for (intptr_t i = rank; i-- > 0;) {
    if (++index[i] < shape[i])
      return true;
    index[i] = 0;
  }
  return false;
}

void mloptCopyElements(intptr_t rank, const int64_t *shape, MloptElements *to,
                       const MloptStrides *toPlaces, const MloptElements *from,
                       const MloptStrides *fromPlaces) {
  int64_t index[MLOPT_MAX_RANK] = {0};
  do
    to->values[mloptPlaceOf(toPlaces, rank, index)] =
        mloptElementAt(from, mloptPlaceOf(fromPlaces, rank, index));
  while (mloptNextIndex(rank, shape, index));
}

MlirLogicalResult mloptFoldSplatConstant(MlirOperation op,
                                         MlirAttribute constant,
                                         MloptFoldResult *result) {
  uint64_t bits;
  if (!mloptReadSplat(constant, &bits))
    return mloptFailure();
  return mloptFoldToAttr(mloptSplatAttr(mloptResultType(op, 0), bits), result);
}

bool mloptIsSmallConstant(MlirAttribute attr) {
  if (mlirAttributeIsNull(attr) || !mlirAttributeIsADenseElements(attr) ||
      mlirDenseElementsAttrIsSplat(attr))
    return false;
  int64_t n = mlirElementsAttrGetNumElements(attr);
  return n > 0 && n <= MLOPT_FOLD_LIMIT;
}

MlirAttribute mloptReadStrided(MlirAttribute attr, const MloptStrides *places,
                               MlirType type) {
  MloptElements from, to;
  if (!mloptReadElements(attr, &from) || !mloptInitElements(type, false, &to))
    return mlirAttributeGetNull();
  int64_t shape[MLOPT_MAX_RANK];
  intptr_t rank = mloptShape(type, shape);
  MloptStrides toPlaces = mloptRowMajor(type);
  mloptCopyElements(rank, shape, &to, &toPlaces, &from, places);
  return mloptWriteElements(&to);
}
