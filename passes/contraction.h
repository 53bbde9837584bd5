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

#include "place.h"

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

enum { MLOPT_MAX_PRODUCTS = 2, MLOPT_MAX_OUTPUTS = 4 };

/// What the program stores: elementwise code of the products.
typedef struct MloptOutput {
  MlirValue value;
  intptr_t parameter;
  MlirType type;
  MloptPlace place; ///< of its elements in the products' results
} MloptOutput;

/// A digit of an axis' index, in the memory of an output.
typedef struct MloptStoreDigit {
  MloptAxis axis;
  int64_t size, step; ///< (index / step) % size
  int64_t stride;     ///< in elements
} MloptStoreDigit;

/// One product, or several that share A and whose factors B are alike.
typedef struct MloptContraction {
  intptr_t numProducts;
  MlirOperation products[MLOPT_MAX_PRODUCTS]; ///< generics
  intptr_t parametersOfB[MLOPT_MAX_PRODUCTS];
  intptr_t numOutputs;
  MloptOutput outputs[MLOPT_MAX_OUTPUTS];
  bool isPlain; ///< stores one product, as it is or rounded, as a matrix
  /// Whether factors may be rounded and sums kept in less than their type: the
  /// multiplication allows approximations.
  bool isFast;
  bool isInOrder;  ///< sums are one chain
  bool isPromoted; ///< and are rounded as f32 is
  int64_t sizes[MLOPT_NUM_AXES];
  MloptMatrix a, b; ///< b of the first product
  MloptAxis
      axesOfC[MLOPT_MAX_RANK]; ///< of the dimensions of a product's result
} MloptContraction;

/// Whether an operation sums products of two tensors from zero, whatever its
/// loops.
bool mloptIsProduct(MlirOperation);

/// Whether the program in this block, between casts of its arguments and one
/// bufferization.materialize_in_destination, is a contraction of two factors of
/// equally wide elements, both floats or both integers, in their type or a
/// wider one, followed by elementwise operations alone.
bool mloptFindContraction(MlirBlock program, MloptContraction *out);

/// Scalar operations behind the products for an element; a function counts as
/// what it expands to.
int64_t mloptEpilogueOperations(const MloptContraction *);
/// The step of a place's digit in the index of its axis.
int64_t mloptAxisStep(const MloptContraction *, const MloptDigit *);
/// The digits of an output's position in memory, the innermost first; how many
/// there are.
intptr_t mloptOutputDigits(const MloptContraction *, const MloptOutput *,
                           MloptStoreDigit *out);

#endif // MLOPT_PASSES_CONTRACTION_H
