//===- nv_tile_impl.h - What the files of nv_tile share -----------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_NV_TILE_IMPL_H
#define MLOPT_PASSES_NV_TILE_IMPL_H

#include "nv_tile.h"

/// Where the elements of a vector lie along a dimension.
typedef struct MloptRun {
  MlirValue first;  ///< the least index; null where they are no neighbours
  bool isBackwards; ///< it is the last element's
  bool isEven;      ///< it is a multiple of the vector's length
} MloptRun;
/// Where the vector's elements are, this one's index being given: an index
/// along the vector, or that and a number that all share, or a constant minus
/// it.
MloptRun mloptTileRunOf(MloptTile *, MlirValue index);

/// Whether all elements of the vector see the same value.
bool mloptTileIsShared(const MloptTile *, MlirValue);

/// Whether code goes where the vector's other elements may be computed too.
bool mloptTileIsAtVector(const MloptTile *);

#endif // MLOPT_PASSES_NV_TILE_IMPL_H
