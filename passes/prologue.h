//===- prologue.h - Factors that a kernel computes ----------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A factor of a product that does not lie in memory, but is elementwise code of
// one tensor that does, the source, and of values that its rows or its columns
// share: a cast, a scaling. Or the source's rows, chosen by indices that the
// kernel computes for each of them.
//
//   %f = generic(sitofp %w)           source    %w : tensor<NxKxi8>
//   %s = generic(broadcast %scale)    position  K n + k
//   %b = generic(mulf %f, %s)
//   generic(product %x, %b)
//
// What is computed rounds as written, so that a kernel that evaluates it
// (emit_pull.h) gives the bits of one that stores it first.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_PROLOGUE_H
#define MLOPT_PASSES_PROLOGUE_H

#include "affine.h"

typedef struct MloptPrologue {
  MlirValue factor; ///< the operand of the product
  MlirValue source; ///< what the kernel has a pointer to
  MlirType type;    ///< of the source, a ranked tensor
  /// Of the source's element, by the product's loops; of a gathered one, but
  /// for what the indices say.
  MloptAffine position;
  /// The operation whose body takes elements from where it computes, and what
  /// does so there with the source's; null if nothing does. Its loops by the
  /// product's; and the indices that it computes, which depend on the factor's
  /// rows alone, null where they are in the position.
  MlirOperation gather, extract;
  MloptAffine loops[MLOPT_MAX_RANK];
  MlirValue indices[MLOPT_MAX_RANK];
  /// Scalar operations for each element; 0: the factor is the source's
  /// elements.
  int64_t operations;
  /// The two loops of more than one turn that the factor has, the one that it
  /// is contiguous along last, and their sizes.
  intptr_t loopOf[2];
  int64_t sizes[2];
} MloptPrologue;

/// Whether an operand of a linalg.generic is such a factor, of two dimensions,
/// and how.
bool mloptFindPrologue(MlirOperation product, intptr_t operand,
                       MloptPrologue *out);

#endif // MLOPT_PASSES_PROLOGUE_H
