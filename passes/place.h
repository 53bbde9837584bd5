//===- place.h - Where the elements of a tensor came from ---------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor that holds the elements of another one, each once, in another shape
// or order: its indices are digits of the other's indices, from the outermost
// to the innermost. Transposing [4, 6, 8] after a reshape from [4, 48] gives
//
//   dimension of the result   digit of the source
//   0, of size 6              index 1, divided by 8, modulo 6
//   1, of size 4              index 0
//   2, of size 8              index 1, modulo 8
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_PLACE_H
#define MLOPT_PASSES_PLACE_H

#include "support.h"

/// Of index `source` of the source: (index / step) % size. Sizes of 1 are left
/// out.
typedef struct MloptDigit {
  intptr_t source;
  int64_t size, step;
  intptr_t dim; ///< of the tensor, whose index it is a digit of
} MloptDigit;

enum { MLOPT_PLACE_MAX_DIGITS = 2 * MLOPT_MAX_RANK };

typedef struct MloptPlace {
  intptr_t count;
  MloptDigit at[MLOPT_PLACE_MAX_DIGITS]; ///< the outermost first
} MloptPlace;

/// The source itself.
MloptPlace mloptPlaceOfTensor(MlirType source);
/// Its elements in the same order under another shape; false where a dimension
/// holds a part of a digit that is no digit itself.
bool mloptPlaceReshape(MloptPlace *, MlirType to);
/// Dimension `i` becomes dimension `to[i]`.
void mloptPlacePermute(MloptPlace *, intptr_t rank, const intptr_t *to);
/// Joins digits that are one.
void mloptPlaceNormalize(MloptPlace *);
/// Whether two tensors hold the same element at each index; normalizes both.
bool mloptPlaceEqual(MloptPlace *, MloptPlace *);

#endif // MLOPT_PASSES_PLACE_H
