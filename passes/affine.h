//===- affine.h - Affine functions of loops -----------------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Indices and positions of a tensor's elements as functions of the loops around
// what reads them.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_AFFINE_H
#define MLOPT_PASSES_AFFINE_H

#include "support.h"

#include "mlir-c/AffineMap.h"

enum { MLOPT_MAX_LOOPS_OF_PRODUCT = 2 * MLOPT_MAX_RANK + 1 };

/// constant + the sum of factor[l] * loop l.
typedef struct MloptAffine {
  int64_t constant;
  int64_t factor[MLOPT_MAX_LOOPS_OF_PRODUCT];
} MloptAffine;

/// How an operand of a linalg.generic is read.
MlirAffineMap mloptIndexingMap(MlirOperation generic, intptr_t operand);
/// Whether that is in the order of the loops.
static inline bool mloptReadsInOrder(MlirOperation generic, intptr_t operand) {
  return mlirAffineMapIsIdentity(mloptIndexingMap(generic, operand));
}

/// Adds `scale` times another.
void mloptAddAffine(MloptAffine *, const MloptAffine *, int64_t scale);
/// The row-major position of an element with these indices.
MloptAffine mloptLinearAffine(MlirType, const MloptAffine *indices);
/// The indices in `from` of the element that has `indices` in `to`, another
/// shape of the same elements; false unless each dimension of `from` is a run
/// of dimensions of `to`.
bool mloptJoinAffine(MlirType from, MlirType to, const MloptAffine *indices,
                     MloptAffine *out);

/// One dimension of a slice, as tensor.extract_slice and tensor.insert_slice
/// have it; MLIR's mark stands for an offset that is not known.
typedef struct MloptSliceDim {
  int64_t offset, size, stride;
} MloptSliceDim;
MloptSliceDim mloptGetSliceDim(MlirOperation slice, intptr_t dim);

#endif // MLOPT_PASSES_AFFINE_H
