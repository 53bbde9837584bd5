//===- fuse_space.h - The index space of a kernel -----------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dimensions of what a kernel reduces are atoms: kept ones make its rows
// and reduced ones its columns. A layout says which atoms, or parts of atoms, a
// value's row-major order runs through. Order counts, not shape:
//
//   %x              tensor<2x6x8>   [a0 a1 a2]     reduced over dimension 2
//   reshape %x      tensor<12x8>    [a0 a1 a2]
//   transpose       tensor<8x12>    [a2 a0 a1]
//   reduce %x       tensor<2x6>     [a0 a1]
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_FUSE_SPACE_H
#define MLOPT_PASSES_FUSE_SPACE_H

#include "fuse.h"

//===----------------------------------------------------------------------===//
// Layouts (fuse_layout.c)
//===----------------------------------------------------------------------===//

enum {
  MLOPT_FUSE_MAX_PIECES = 2 * MLOPT_MAX_RANK,
  MLOPT_FUSE_MAX_OUTSIDE = 96
};

/// `(index of atom / stride) mod size`
typedef struct MloptFusePiece {
  int atom;
  int64_t stride, size;
} MloptFusePiece;

typedef struct MloptFuseLayout {
  bool known;
  int count;
  MloptFusePiece at[MLOPT_FUSE_MAX_PIECES];
} MloptFuseLayout;

/// Adds a piece inside the others; false when there is no room.
bool mloptFuseLayoutPush(MloptFuseLayout *, MloptFusePiece);
bool mloptFuseLayoutAppend(MloptFuseLayout *, const MloptFuseLayout *more);
bool mloptFuseLayoutEqual(const MloptFuseLayout *, const MloptFuseLayout *);
/// Cuts a layout into one for each dimension of a shape; false where a
/// dimension would end inside a piece.
bool mloptFuseLayoutCut(const MloptFuseLayout *, intptr_t rank,
                        const int64_t *shape, MloptFuseLayout *dims);
/// The number of elements.
int64_t mloptFuseLayoutSize(const MloptFuseLayout *);

//===----------------------------------------------------------------------===//
// Spaces (fuse_space.c)
//===----------------------------------------------------------------------===//

typedef struct MloptFuseSpace {
  const MloptFuseGraph *graph;
  const MloptFuseBody *body;
  int64_t rows, columns;
  int numAtoms;
  int64_t sizes[MLOPT_MAX_RANK]; ///< of the atoms; units are dropped
  bool column[MLOPT_MAX_RANK];
  MloptFuseLayout *layouts; ///< of the body's nodes, then of values outside
  int numOutside;
  MlirValue outside[MLOPT_FUSE_MAX_OUTSIDE]; ///< behind their views
  bool changed;
} MloptFuseSpace;

/// Finds the layouts in a body that reduces; the caller destroys the space.
/// False when there are too many values, or no memory.
bool mloptFuseSpaceCreate(const MloptFuseGraph *, const MloptFuseBody *,
                          MloptFuseSpace *);
void mloptFuseSpaceDestroy(MloptFuseSpace *);

/// The place of a node in the body, or -1.
int mloptFusePlaceOf(const MloptFuseBody *, int node);
/// The layout of operand `o`; NULL when there are too many values to know.
MloptFuseLayout *mloptFuseOperandLayout(MloptFuseSpace *, const MloptFuseNode *,
                                        int o);
/// Whether a layout runs through each atom of rows or columns, and no other,
/// exactly once.
bool mloptFuseLayoutCovers(const MloptFuseSpace *, const MloptFuseLayout *,
                           bool column);
/// Whether operand `o` has as many elements as the result.
bool mloptFuseHasElementsOf(const MloptFuseNode *, int o);
/// What a transposed operand's layout makes of the result's, or the reverse.
MloptFuseLayout mloptFuseTransposeLayout(const MloptFuseNode *,
                                         const MloptFuseLayout *,
                                         bool toResult);
/// The layout of a broadcast's operand that the result's gives.
MloptFuseLayout mloptFuseBroadcastSource(const MloptFuseNode *,
                                         const MloptFuseLayout *);
/// How many of a reduction's operands are reduced.
int mloptFuseNumReduced(const MloptFuseNode *);
/// The kept and the reduced parts of a reduction's operand.
bool mloptFuseSplitReduced(const MloptFuseNode *,
                           const MloptFuseLayout *operand,
                           MloptFuseLayout *kept, MloptFuseLayout *reduced);
/// The layout of a gather that takes one element of each row, the rows being
/// batch dimensions.
MloptFuseLayout mloptFuseGatheredLayout(const MloptFuseSpace *,
                                        const MloptFuseNode *,
                                        const MloptFuseLayout *operand);

#endif // MLOPT_PASSES_FUSE_SPACE_H
