//===- strides.h - Moving constant elements about -----------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Folds of layout operations are copies between places that are linear in the
// index: index (i0, i1, ...) lives at base + i0 * at[0] + i1 * at[1] + ...
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_DIALECT_STRIDES_H
#define MLOPT_DIALECT_STRIDES_H

#include "fold.h"

typedef struct MloptStrides {
  int64_t base;
  int64_t at[MLOPT_MAX_RANK];
} MloptStrides;

/// Where the elements of a small constant of this type live.
MloptStrides mloptRowMajor(MlirType);
/// The place of an index.
int64_t mloptPlaceOf(const MloptStrides *, intptr_t rank, const int64_t *index);
/// Steps to the next index in row-major order; false after the last, with all
/// of them 0 again.
bool mloptNextIndex(intptr_t rank, const int64_t *shape, int64_t *index);

/// to[place] = from[place] for every index of a shape that is not empty.
void mloptCopyElements(intptr_t rank, const int64_t *shape, MloptElements *to,
                       const MloptStrides *toPlaces, const MloptElements *from,
                       const MloptStrides *fromPlaces);

/// Folds an operation's one result to the splat of the bits that this constant
/// is a splat of; fails when it is none.
MlirLogicalResult mloptFoldSplatConstant(MlirOperation, MlirAttribute,
                                         MloptFoldResult *);
/// Whether an attribute is a constant to read element by element: dense, no
/// splat, of a shape that is not empty and small enough to fold.
bool mloptIsSmallConstant(MlirAttribute);
/// The constant of `type` whose elements, in row-major order, are read from
/// these places of a small constant; null when there are too many or none.
MlirAttribute mloptReadStrided(MlirAttribute, const MloptStrides *,
                               MlirType type);

#endif // MLOPT_DIALECT_STRIDES_H
