//===- product_access.h - Where the factors of a product lie ------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A factor that lies in memory is described by its access: the position of an
// element, and the bounds outside of which it is zero, as affine functions of
// the loops of the operation that reads it. Padding by one before a convolution
// with a kernel of three, loops (ow, kw, c) over rows of 8 pixels of 4 values:
//
//   position  -4 + 4 ow + 4 kw + c
//   bound     -1 + ow + kw in [0, 8)
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_PRODUCT_ACCESS_H
#define MLOPT_PASSES_PRODUCT_ACCESS_H

#include "affine.h"

#include "mlir-c/AffineMap.h"

enum { MLOPT_MAX_BOUNDS = 4 };

/// Where an operand's elements lie: element `position` of `tensor`, which the
/// kernel has a pointer to, or zero unless each bound is in [0, size).
typedef struct MloptAccess {
  bool isKnown; ///< false: elements are computed on demand
  MlirValue tensor;
  MloptAffine position;
  int numBounds;
  struct {
    MloptAffine index;
    int64_t size;
  } bounds[MLOPT_MAX_BOUNDS];
} MloptAccess;

/// Where the elements of an operand of a linalg.generic lie, which has at most
/// MLOPT_MAX_LOOPS_OF_PRODUCT loops.
MloptAccess mloptDescribeAccess(MlirOperation generic, intptr_t operand);
/// The same of a tensor's element with these indices, functions of the loops.
MloptAccess mloptDescribeElement(MlirValue tensor, const MloptAffine *indices);
/// The results of a map whose dimensions are these functions of the loops;
/// false if one is not affine without divisions.
bool mloptApplyMap(MlirAffineMap, const MloptAffine *dims, MloptAffine *out);
/// The indices of an operand's element as functions of the generic's loops;
/// likewise.
bool mloptOperandIndices(MlirOperation generic, intptr_t operand,
                         MloptAffine *out);
/// The same as if the operand itself lay in memory, with these strides.
MloptAccess mloptDescribeComputed(MlirOperation generic, intptr_t operand,
                                  const int64_t *strides);
/// How often a loop runs: the size of a dimension that it indexes alone; -1 if
/// there is none.
int64_t mloptLoopSize(MlirOperation generic, intptr_t loop);
/// Whether an operation gives the elements of its first operand another place,
/// and computes none, in a way that an access may follow.
bool mloptMovesElements(MlirOperation);

#endif // MLOPT_PASSES_PRODUCT_ACCESS_H
