//===- product.h - Sums of products over any loops ----------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds C[b, m, n] = sum over k of A(b, m, k) * B(b, n, k) in the program of a
// kernel where each of b, m, n, k stands for any number of loops and A and B
// are whatever the program computes: a matrix product with any strides, a
// convolution, one of padded or reshaped factors. contraction.h finds those
// whose tensors are matrices; this one, all others.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_PRODUCT_H
#define MLOPT_PASSES_PRODUCT_H

#include "contraction.h"
#include "product_access.h"
#include "prologue.h"

/// Loops that count as one index, the outermost first.
typedef struct MloptLoops {
  intptr_t count;
  intptr_t at[MLOPT_MAX_LOOPS_OF_PRODUCT];
  int64_t size; ///< of all together
} MloptLoops;

typedef struct MloptFactor {
  intptr_t operand; ///< of the generic
  MlirType element; ///< of that operand
  /// The value in the body that is multiplied: the operand's element after
  /// casts.
  MlirValue multiplied;
  MloptAccess access;
  /// Elements are computed one by one from those of another tensor in memory.
  bool isComputed;
  MlirType read; ///< the element type of what lies in memory
  MloptAccess
      source; ///< and where: of `access`, or of what it is computed from
} MloptFactor;

typedef struct MloptProduct {
  MlirOperation generic;
  intptr_t numLoops;
  int64_t sizes[MLOPT_MAX_LOOPS_OF_PRODUCT];
  MloptLoops axes[MLOPT_NUM_AXES];
  MloptFactor factors[2]; ///< A, of b, m, k; B, of b, n, k
  MlirType sum;           ///< the type of the sums
  bool isOrdered;         ///< each sum is one chain in rising order of k
  MloptDiagonal diagonal;
} MloptProduct;

/// Whether the program in this block is a product, in f32, f64, i32 or i64,
/// and what comes of its elements one by one.
bool mloptFindProduct(MlirBlock program, MloptProduct *out);

/// Whether an affine function depends on the loops of an axis as on one index,
/// by this factor.
bool mloptIsLinear(const MloptProduct *, const MloptAffine *, MloptAxis,
                   int64_t *outFactor);
/// Whether elements lie side by side along an axis, wherever they start.
bool mloptRunsAlong(const MloptProduct *, const MloptAccess *, MloptAxis);
/// Whether it depends on them at all.
bool mloptDependsOnAxis(const MloptProduct *, const MloptAffine *, MloptAxis);

/// The innermost loop of an axis of more than one turn; -1 if there is none.
intptr_t mloptInnerLoop(const MloptProduct *, MloptAxis);
/// Whether an access has a bound that depends on an axis.
bool mloptBoundsDependOn(const MloptProduct *, const MloptAccess *, MloptAxis);
/// How many elements from a multiple of that number on along an axis lie side
/// by side, on a multiple of it, inside or outside of all bounds together: a
/// power of two up to `most`.
int64_t mloptRunAlong(const MloptProduct *, const MloptAccess *, MloptAxis,
                      int64_t most);

#endif // MLOPT_PASSES_PRODUCT_H
