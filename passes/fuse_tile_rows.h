//===- fuse_tile_rows.h - Rows of a product that a tile reduces ---*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What follows a dot has its elements, in some place, or one for each of its
// rows, or equal parts of rows, where a reduction has gone over them:
//
//   %p = mlopt.dot %x, %w               element (m, n)
//   %s = mlopt.reduce max %p dims [1]   row (m)
//   %b = mlopt.broadcast %s dims [0]    row (m), repeated
//   %r = mlopt.sub %p, %b               element (m, n)
//
// contraction_rows.c finds the same on level 4.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_FUSE_TILE_ROWS_H
#define MLOPT_PASSES_FUSE_TILE_ROWS_H

#include "fuse.h"
#include "place.h"

typedef struct MloptFuseTileRows {
  const MloptFuseGraph *graph;
  const MloptFuseBody *body;
  const MloptFuseNode *dot; ///< the body's only one
  /// Neighbours along the dimensions of the dot's right factor that are reduced
  /// to one; 0: nothing is.
  int64_t part;
  int count;      ///< of reductions
  int operations; ///< of what follows the dot, for an element
} MloptFuseTileRows;

/// Adds a reduction of what has the dot's elements in this place, if a tile of
/// wgmma can hold what it reduces: FUSED, or why not. `*out` is then where its
/// rows are.
MloptFuseReason mloptFuseReduceRow(MloptFuseTileRows *, const MloptFuseNode *,
                                   const MloptPlace *from, MloptPlace *out);
/// Whether a row is that of the elements in this place.
bool mloptFuseIsRowOf(const MloptFuseTileRows *, const MloptPlace *row,
                      const MloptPlace *elements);
/// How much longer the dot takes, in microseconds, in tiles that hold what is
/// reduced; negative if there are none.
double mloptFuseTileRowsLoss(const MloptFuseTileRows *);

#endif // MLOPT_PASSES_FUSE_TILE_ROWS_H
