//===- place.c - Where the elements of a tensor came from -----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "place.h"

MloptPlace mloptPlaceOfTensor(MlirType source) {
  MloptPlace place = {.count = 0};
  for (intptr_t dim = 0, rank = mloptRank(source); dim < rank; ++dim)
    if (mloptDim(source, dim) != 1)
      place.at[place.count++] =
          (MloptDigit){dim, mloptDim(source, dim), 1, dim};
  return place;
}

/// Divides digit `i` so that its outer part has this size.
static bool split(MloptPlace *place, intptr_t i, int64_t outer) {
  MloptDigit *digit = &place->at[i];
  if (digit->size % outer || place->count == MLOPT_PLACE_MAX_DIGITS)
    return false;
  memmove(digit + 1, digit, (size_t)(place->count - i) * sizeof *digit);
  ++place->count;
  digit[1].size /= outer;
  digit[0].size = outer;
  digit[0].step *= digit[1].size;
  return true;
}

bool mloptPlaceReshape(MloptPlace *place, MlirType to) {
  MloptPlace out = *place;
  intptr_t next = 0;
  for (intptr_t dim = 0, rank = mloptRank(to); dim < rank; ++dim) {
    int64_t left = mloptDim(to, dim);
    for (; left > 1; ++next) {
      if (next == out.count)
        return false;
      if (left % out.at[next].size && !split(&out, next, left))
        return false;
      out.at[next].dim = dim;
      left /= out.at[next].size;
    }
  }
  *place = out;
  return true;
}

void mloptPlacePermute(MloptPlace *place, intptr_t rank, const intptr_t *to) {
  MloptPlace out = {.count = 0};
  for (intptr_t dim = 0; dim < rank; ++dim)
    for (intptr_t i = 0; i < place->count; ++i)
      if (to[place->at[i].dim] == dim) {
        out.at[out.count] = place->at[i];
        out.at[out.count++].dim = dim;
      }
  *place = out;
}

void mloptPlaceNormalize(MloptPlace *place) {
  intptr_t kept = 0;
  for (intptr_t i = 0; i < place->count; ++i) {
    MloptDigit digit = place->at[i], *last = &place->at[kept - 1];
    if (kept && last->dim == digit.dim && last->source == digit.source &&
        last->step == digit.step * digit.size) {
      last->size *= digit.size;
      last->step = digit.step;
    } else {
      place->at[kept++] = digit;
    }
  }
  place->count = kept;
}

bool mloptPlaceEqual(MloptPlace *a, MloptPlace *b) {
  mloptPlaceNormalize(a);
  mloptPlaceNormalize(b);
  bool equal = a->count == b->count;
  for (intptr_t i = 0; equal && i < a->count; ++i)
    equal = a->at[i].source == b->at[i].source &&
            a->at[i].size == b->at[i].size && a->at[i].step == b->at[i].step &&
            a->at[i].dim == b->at[i].dim;
  return equal;
}
