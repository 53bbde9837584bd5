//===- schedule_matmul_masked.c - Tiles that nobody reads -----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which tiles of a product's results lie beyond a mask (mask.h) altogether:
//
//            columns: tiles of n
//   m     [ x x|. .|. .|. . ]     the first row of tiles has one tile,
//         [ x x|x .|. .|. . ]     the second has two
//         [ ---+---+---+--- ]
//         [ x x|x x|. .|. . ]
//
// The others are numbered row by row, so that blocks share them evenly.
//
//===----------------------------------------------------------------------===//

#include "schedule_matmul.h"
#include "target.h"

int64_t mloptMatmulRowInMask(const MloptContraction *c,
                             const MloptMatmulSchedule *s,
                             const MloptMask *mask, int64_t row) {
  int64_t end = (row + 1) * s->tile[0];
  end = end < c->sizes[MLOPT_AXIS_M] ? end : c->sizes[MLOPT_AXIS_M];
  return mloptDivideUp(mloptMaskEnd(mask, end - 1), s->tile[1]);
}

int64_t mloptMatmulTilesInMask(const MloptContraction *c,
                               const MloptMatmulSchedule *s,
                               const MloptMask *mask) {
  int64_t tilesM, tilesN, total, sum = 0;
  mloptMatmulTiles(c, s, &tilesM, &tilesN, &total);
  for (int64_t row = 0; row < tilesM; ++row)
    sum += mloptMatmulRowInMask(c, s, mask, row);
  return sum;
}

bool mloptIsMatricesOfMask(const MloptContraction *c, const MloptOutput *output,
                           const MloptMask *mask) {
  MloptStoreDigit digits[MLOPT_PLACE_MAX_DIGITS];
  intptr_t n = mloptOutputDigits(c, output, digits);
  if (n < 2 || digits[0].axis != MLOPT_AXIS_N || digits[0].step != 1 ||
      digits[0].stride != 1 || digits[0].size != mask->columns ||
      digits[1].axis != MLOPT_AXIS_M || digits[1].step != 1 ||
      digits[1].stride != mask->columns || digits[1].size != mask->rows)
    return false;
  for (intptr_t i = 2; i < n; ++i)
    if (digits[i].axis != MLOPT_AXIS_BATCH)
      return false;
  return true;
}

bool mloptMatmulCanMask(const MloptContractions *all,
                        const MloptMatmulSchedule *s, const MloptMask *mask) {
  // A row is found by comparing with the start of each. Vectors that readers
  // take whole (16 elements at most) lie in one tile.
  enum { MOST_ROWS = 64, VECTOR = 16 };
  const MloptContraction *c = &all->at[0];
  int64_t tilesM, tilesN, total;
  mloptMatmulTiles(c, s, &tilesM, &tilesN, &total);
  if (all->count > 1 || c->numProducts > 1 || c->numFolds || c->numOfRows ||
      s->cluster > 1 || s->splits > 1 || s->tail || s->tile[1] % VECTOR ||
      tilesM > MOST_ROWS || total <= mloptSm90.multiprocessors ||
      mask->offset < 0 || c->sizes[MLOPT_AXIS_M] != mask->rows ||
      c->sizes[MLOPT_AXIS_N] != mask->columns)
    return false;
  for (intptr_t i = 0; i < c->numOutputs; ++i)
    if (!mloptIsMatricesOfMask(c, &c->outputs[i], mask))
      return false;
  return mloptMatmulRowInMask(c, s, mask, 0) < tilesN;
}
