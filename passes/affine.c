//===- affine.c - Affine functions of loops -------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "affine.h"

MlirAffineMap mloptIndexingMap(MlirOperation generic, intptr_t operand) {
  return mlirAffineMapAttrGetValue(
      mlirArrayAttrGetElement(mloptAttr(generic, "indexing_maps"), operand));
}

void mloptAddAffine(MloptAffine *out, const MloptAffine *x, int64_t scale) {
  out->constant += scale * x->constant;
  for (int i = 0; i < MLOPT_MAX_LOOPS_OF_PRODUCT; ++i)
    out->factor[i] += scale * x->factor[i];
}

/// Dimensions [first, last) of a shape as one index.
static MloptAffine joinDims(MlirType type, const MloptAffine *indices,
                            intptr_t first, intptr_t last) {
  MloptAffine joined = {.constant = 0};
  int64_t stride = 1;
  for (intptr_t d = last; d-- > first;) {
    mloptAddAffine(&joined, &indices[d], stride);
    stride *= mloptDim(type, d);
  }
  return joined;
}

MloptAffine mloptLinearAffine(MlirType type, const MloptAffine *indices) {
  return joinDims(type, indices, 0, mloptRank(type));
}

bool mloptJoinAffine(MlirType from, MlirType to, const MloptAffine *indices,
                     MloptAffine *out) {
  intptr_t next = 0, rank = mloptRank(to);
  for (intptr_t d = 0; d < mloptRank(from); ++d) {
    intptr_t first = next;
    int64_t size = 1;
    while (next < rank && size < mloptDim(from, d))
      size *= mloptDim(to, next++);
    if (size != mloptDim(from, d))
      return false;
    out[d] = joinDims(to, indices, first, next);
  }
  for (; next < rank; ++next)
    if (mloptDim(to, next) != 1)
      return false;
  return true;
}

MloptSliceDim mloptGetSliceDim(MlirOperation slice, intptr_t dim) {
  return (MloptSliceDim){
      .offset =
          mlirDenseI64ArrayGetElement(mloptAttr(slice, "static_offsets"), dim),
      .size =
          mlirDenseI64ArrayGetElement(mloptAttr(slice, "static_sizes"), dim),
      .stride =
          mlirDenseI64ArrayGetElement(mloptAttr(slice, "static_strides"), dim)};
}
