//===- emit_transpose_impl.h - What emits a transpose -------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the files that emit a transposing kernel share: emit_transpose.c says
// what it does.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_EMIT_TRANSPOSE_IMPL_H
#define MLOPT_PASSES_EMIT_TRANSPOSE_IMPL_H

#include "emit_index.h"
#include "emit_reduce.h"

enum {
  MLOPT_TRANSPOSE_MAX_OPERANDS = 4, ///< in shared memory
  MLOPT_TRANSPOSE_MAX_VECTORS = 24  ///< of a thread
};

/// An operand in shared memory.
typedef struct MloptTransposeOperand {
  MlirValue tensor;
  MlirValue pointer;
  intptr_t numDims;
  intptr_t dims[MLOPT_MAX_RANK]; ///< of the space, for each of its own
  int64_t pitch;                 ///< elements from row to row
  int64_t perWord;               ///< rows that make words; 0: none do
  MlirValue array;
  MlirValue held[MLOPT_MAX_LANES]; ///< of words: the vector's elements
} MloptTransposeOperand;

/// A group of dimensions, of which a tile has a part.
typedef struct MloptTransposeSide {
  intptr_t numDims;
  intptr_t dims[MLOPT_MAX_RANK]; ///< of the space
  MlirType type;                 ///< of the dimensions alone
  int64_t size, length;          ///< elements in all, of a tile
  int64_t lanes;                 ///< of a vector
  MlirValue begin;               ///< of the tile
} MloptTransposeSide;

typedef struct MloptTranspose {
  MloptKernel *kernel;
  MloptPull *pull;
  MloptBuilder *b;
  MloptTile tile;
  MlirType space;
  intptr_t rank;
  MloptTransposeSide p, q; ///< the operands' direction, the results'
  MlirValue tid;
  MlirValue base[MLOPT_MAX_RANK]; ///< indices in all other dimensions
  int numStaged;
  MloptTransposeOperand staged[MLOPT_TRANSPOSE_MAX_OPERANDS];
  MlirValue localP, localQ; ///< of the vector that is computed
} MloptTranspose;

/// Whether the side's rows start anywhere.
static inline bool mloptTransposeIsSkewed(const MloptTransposeSide *side) {
  return side->size % side->lanes;
}

/// The rows that are staged, and the vectors that cover the tile's part of one.
static inline int64_t mloptTransposeRows(const MloptTranspose *t) {
  return t->q.length + (mloptTransposeIsSkewed(&t->q) ? t->q.lanes - 1 : 0);
}
static inline int64_t mloptTransposeRowVectors(const MloptTranspose *t) {
  int64_t before = mloptTransposeIsSkewed(&t->p) ? t->p.lanes - 1 : 0;
  return mloptDivideUp(t->p.length + before, t->p.lanes);
}

/// The vectors of a thread, of so many in all.
static inline int64_t mloptTransposeShare(const MloptTranspose *t,
                                          int64_t vectors) {
  return mloptDivideUp(vectors, t->kernel->schedule.threads);
}

/// Writes the indices of a place on a side, or of the tile's begin past the
/// edge; `*valid` says too which, and stays null where no tile reaches it.
void mloptTransposePlace(MloptTranspose *, const MloptTransposeSide *,
                         MlirValue local, MlirValue *at, MlirValue *valid);
/// The thread's vector `v` of `rows` that are cut into `each` vectors, its row
/// and its place in that; the first one where there are not so many. They are
/// dealt out by strips of so many vectors `beside` each other.
void mloptTransposeVector(MloptTranspose *, int64_t v, int64_t rows,
                          int64_t each, int64_t lanes, int64_t beside,
                          MlirValue *row, MlirValue *along, MlirValue *valid);

/// Finds the operands that lie along the tile, and makes room for them.
void mloptTransposeCollect(MloptTranspose *);
/// Copies their parts of the tile into shared memory.
void mloptTransposeStage(MloptTranspose *);
/// Loads what the vector at localP, localQ needs of words.
void mloptTransposeHold(MloptTranspose *);
/// The element of one that the tile's vector needs at its lane.
MlirValue mloptTransposeElement(MloptTranspose *,
                                const MloptTransposeOperand *);

#endif // MLOPT_PASSES_EMIT_TRANSPOSE_IMPL_H
