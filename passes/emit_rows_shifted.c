//===- emit_rows_shifted.c - Rows that start anywhere in a vector ---------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows whose length is no whole number of vectors start and end inside of one.
// Vectors lie where accesses are aligned all the same, from the one on that the
// row's first element lies in: its shift is how many elements of the row before
// it come first there.
//
//   memory:   | . . . 0 | 1 2 3 4 | 5 6 7 8 | 9 . . . |     shift 3
//   vectors:  |  edge   |  whole  |  whole  |  edge   |
//
// Of an edge, each element is in the row or not: those that are not count as
// neutral, and nobody stores them. Which vectors of a thread can be edges is
// known: the first ones of the row, and those that reach past its length.
//
//===----------------------------------------------------------------------===//

#include "emit_rows.h"

void mloptRowsFindShift(MloptRows *r) {
  const int64_t lanes = r->kernel->schedule.lanes;
  if (r->columns % lanes == 0)
    return;
  MlirValue start = mloptRowsMultiply(r, r->row, r->columns);
  r->shift = mloptBuildBinary(r->b, "arith.remui", start,
                              mloptPullIndex(r->pull, lanes));
  r->start = mloptBuildBinary(r->b, "arith.subi", start, r->shift);
}

/// The columns of an edge's elements: those that are not in the row are given
/// its first one. Columns before it are large numbers.
static void openEdge(MloptRows *r, intptr_t v, MlirValue column) {
  const int64_t size = r->rows * r->columns;
  MloptVector *vector = &r->vectors[v];
  MlirValue end = mloptPullIndex(r->pull, r->columns);
  for (int k = 0; k < vector->count; ++k) {
    MlirValue own =
        k ? mloptRowsAdd(r, column, mloptPullIndex(r->pull, k)) : column;
    r->inRow[v][k] = mloptBuildCmpI(r->b, "ult", own, end);
    vector->column[k] =
        mloptBuildSelect(r->b, r->inRow[v][k], own, mloptPullIndex(r->pull, 0));
  }
  if (size % vector->count == 0)
    return;
  vector->size = size;
  vector->isWhole =
      mloptBuildCmpI(r->b, "ule", vector->position[0],
                     mloptPullIndex(r->pull, size - vector->count));
}

void mloptRowsOpenShifted(MloptRows *r, intptr_t v, MlirValue offset,
                          int64_t most) {
  const int64_t lanes = r->kernel->schedule.lanes;
  MloptVector *vector = &r->vectors[v];
  MlirValue column = mloptBuildBinary(r->b, "arith.subi", offset, r->shift);
  bool mayEnd = most + lanes > r->columns;
  // Past the end: the first vector, all of whose elements are in no row.
  if (mayEnd && most >= r->columns + lanes - 1) {
    MlirValue end =
        mloptRowsAdd(r, r->shift, mloptPullIndex(r->pull, r->columns));
    offset = mloptBuildSelect(r->b, mloptBuildCmpI(r->b, "ult", offset, end),
                              offset, mloptPullIndex(r->pull, 0));
  }
  mloptTileVectorAt(&r->tile, mloptRowsAdd(r, r->start, offset), (int)lanes,
                    vector);
  bool isEdge = !v || mayEnd;
  if (isEdge)
    openEdge(r, v, column);
  for (int k = 0; k < lanes; ++k) {
    if (!isEdge)
      vector->column[k] =
          k ? mloptRowsAdd(r, column, mloptPullIndex(r->pull, k)) : column;
    mloptPullBindSplit(r->pull, vector->position[k], r->row, r->columns,
                       vector->column[k]);
  }
}

void mloptRowsLoadEnds(MloptRows *r) {
  MlirValue operands[MLOPT_MAX_STAGED], elements[MLOPT_MAX_LANES];
  intptr_t n =
      mloptFindStaged(r->kernel->program, r->rows * r->columns, operands);
  for (intptr_t v = 0; v < r->numVectors; ++v)
    for (intptr_t i = 0; i < n && !mlirValueIsNull(r->vectors[v].isWhole); ++i)
      mloptTileEvaluate(&r->tile, &r->vectors[v], operands[i], elements);
}

void mloptRowsStoreEdge(MloptRows *r, intptr_t v, MlirValue pointer,
                        const MlirValue *elements) {
  const MloptVector *vector = &r->vectors[v];
  const int last = vector->count - 1;
  MlirType element = mlirValueGetType(elements[0]);
  const int64_t size = r->rows * r->columns;
  MlirType flat = mloptTensorType(1, &size, element);
  MlirValue isWhole = mloptRowsBoth(
      r, r->rowValid, mloptRowsBoth(r, r->inRow[v][0], r->inRow[v][last]));
  mloptTileStoreIf(&r->tile, vector, pointer, elements, isWhole);
  MlirValue one = mloptBuildInt(r->b, mlirIntegerTypeGet(r->b->context, 1), 1);
  MlirValue isPart = mloptRowsBoth(
      r, r->rowValid, mloptBuildBinary(r->b, "arith.xori", isWhole, one));
  MloptPullScope scope = mloptPullBeginGuard(r->pull, isPart);
  for (int k = 0; k < vector->count; ++k) {
    MloptPullScope then = mloptPullBeginGuard(r->pull, r->inRow[v][k]);
    mloptPullStore(r->pull, elements[k], pointer, flat, &vector->position[k]);
    mloptPullEndGuard(r->pull, r->inRow[v][k], then);
  }
  mloptPullEndGuard(r->pull, isPart, scope);
}
