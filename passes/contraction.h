//===- contraction.h - Matrix products in tensor programs ---------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds C[b, m, n] = sum over k of A[b, m, k] * B[b, n, k] in the program of a
// kernel, whatever the operation is called: a linalg.generic of two parameters
// whose body multiplies and adds. Each of b, m, n, k may be several loops that
// lie next to each other in every tensor. C's innermost dimension is n.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_CONTRACTION_H
#define MLOPT_PASSES_CONTRACTION_H

#include "support.h"

/// How the loops of a contraction occur in its tensors.
typedef enum MloptAxis {
  MLOPT_AXIS_BATCH, ///< in all three
  MLOPT_AXIS_M,     ///< in A and C
  MLOPT_AXIS_N,     ///< in B and C
  MLOPT_AXIS_K,     ///< in A and B
  MLOPT_NUM_AXES
} MloptAxis;

typedef struct MloptMatrix {
  intptr_t parameter; ///< of the kernel
  MlirType type;      ///< a ranked tensor
  /// In elements; 0 where the tensor has no such axis or one of size 1.
  int64_t strides[MLOPT_NUM_AXES];
} MloptMatrix;

typedef struct MloptContraction {
  MlirOperation generic;
  MlirValue result; ///< what the program stores, in terms of the product
  bool isPlain;     ///< that is the product, or the product rounded
  /// Whether factors may be rounded and sums kept in less than their type: the
  /// multiplication allows approximations.
  bool isFast;
  bool isInOrder;  ///< sums are one chain
  bool isPromoted; ///< and are rounded as f32 is
  int64_t sizes[MLOPT_NUM_AXES];
  MloptMatrix a, b, c;
  MloptAxis axesOfC[MLOPT_MAX_RANK]; ///< of its dimensions
} MloptContraction;

/// Whether an operation sums products of two tensors from zero, whatever its
/// loops.
bool mloptIsProduct(MlirOperation);

/// Whether the program in this block, between casts of its arguments and one
/// bufferization.materialize_in_destination, is a contraction of two factors of
/// equally wide elements, both floats or both integers, in their type or a
/// wider one, followed by elementwise operations alone.
bool mloptFindContraction(MlirBlock program, MloptContraction *out);

#endif // MLOPT_PASSES_CONTRACTION_H
