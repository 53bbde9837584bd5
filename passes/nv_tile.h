//===- nv_tile.h - Tiles of elements in registers -----------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which thread holds which elements, and what they are. The elements of a
// kernel's space are counted in row-major order, whatever shape a tensor gives
// them; a thread holds vectors of it, runs of neighbours. Any elementwise
// program is evaluated on an element through emit_pull.h, one copy for each;
// what it reads is loaded a vector at a time where the elements of the vector
// lie side by side, and once where they coincide.
//
//   vector of a thread:   [ e0 e1 e2 e3 ]   positions p p+1 .., (r, c) ..
//   x : tensor<RxC>       one access of 16 bytes
//   bias : tensor<C>      one access of 16 bytes
//   slice of it at 3      words of 4 bytes around it, shifted into place
//   scale : tensor<R>     one element
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_NV_TILE_H
#define MLOPT_PASSES_NV_TILE_H

#include "emit_pull.h"

enum { MLOPT_MAX_LANES = 16 };

/// Neighbouring elements of a space. Where the space has rows and the vector
/// lies in one, `column` is where; null otherwise.
typedef struct MloptVector {
  int count;
  MlirValue position[MLOPT_MAX_LANES]; ///< row-major, in the space
  MlirValue column[MLOPT_MAX_LANES];
  MlirValue copy; ///< of the first in copies in shared memory; null: nowhere
  /// Whether its last element is still in the space, of `size` elements; null
  /// where it always is.
  MlirValue isWhole;
  int64_t size;
} MloptVector;

/// A tensor of the space's size of which shared memory holds a part.
typedef struct MloptTileCopy {
  MlirValue tensor, pointer;
} MloptTileCopy;

/// An access that was made: the elements from `position` on.
typedef struct MloptTileLoad {
  MlirValue tensor, position;
  int count;
  bool isCopy; ///< it reads shared memory
  MlirValue elements[MLOPT_MAX_LANES];
} MloptTileLoad;

/// What a tensor.insert_slice gives on a vector, from the first one's indices.
typedef struct MloptTileInsert {
  MlirOperation op;
  MlirValue first[MLOPT_MAX_RANK];
  MlirValue elements[MLOPT_MAX_LANES];
} MloptTileInsert;

typedef struct MloptTile {
  MloptPull *pull;
  MlirBlock block;           ///< where `loads` may be used
  const MloptVector *vector; ///< being evaluated, and which element of it
  int lane;
  MloptTileLoad *loads;
  intptr_t numLoads, maxLoads;
  MloptTileInsert *inserts; ///< likewise to be used in `block`
  intptr_t numInserts, maxInserts;
  const MloptTileCopy *copies; ///< of what vectors with a `copy` read
  intptr_t numCopies;
  /// Whether vectors may cross the edges of inserted slices, and then whether
  /// this one crosses none, an i1: elements are poison where it does. Null: it
  /// cannot.
  bool mayCross;
  MlirValue crossesNone;
} MloptTile;

/// The load hook of a pull emitter; its user data is a tile.
MlirValue mloptTileLoad(void *tile, MlirValue tensor, MlirValue pointer,
                        const MlirValue *indices);
/// The insert hook: a branch for a whole vector, where it lies on one side.
MlirValue mloptTileInsert(void *tile, MlirOperation insert,
                          const MlirValue *indices);
/// Code goes to another block now: earlier loads are out of reach there.
void mloptTileEnter(MloptTile *);
void mloptTileDestroy(MloptTile *);

/// The vector of `count` elements whose first is at this position, a multiple
/// of `count`.
void mloptTileVectorAt(MloptTile *, MlirValue position, int count,
                       MloptVector *out);
/// The same in a row of `columns` elements, from a column on; both are
/// multiples of `count`.
void mloptTileVectorIn(MloptTile *, MlirValue row, int64_t columns,
                       MlirValue column, int count, MloptVector *out);
/// States that a vector lies in one row of `columns` elements, from any column
/// on; finds row and column.
void mloptTileSplitRow(MloptTile *, MloptVector *, int64_t columns);

/// Loads `count` elements from a position on that is a multiple of `count`.
void mloptTileLoadVector(MloptTile *, MlirValue pointer, MlirType tensor,
                         MlirValue position, int count, MlirValue *out);
/// The same from any position on.
void mloptTileLoadRun(MloptTile *, MlirValue pointer, MlirType tensor,
                      MlirValue position, int count, MlirValue *out);
/// Loads the words of the tile's `vector`, whose last elements may lie behind
/// the end of the tensor: those are as its last one.
void mloptTileLoadToEnd(MloptTile *, MlirValue pointer, MlirType tensor,
                        MlirValue *outWords);
/// mloptTileLoadVector in two steps: words as they are in memory, of which
/// there are as many as is returned, `count` at most; and their elements.
int mloptTileLoadWords(MloptTile *, MlirValue pointer, MlirType tensor,
                       MlirValue position, int count, MlirValue *outWords);
int mloptTileCountWords(MlirType tensor, int count);
void mloptTileUnpack(MloptTile *, MlirType element, int count,
                     const MlirValue *words, MlirValue *out);
/// Element `i` of an LLVM vector.
MlirValue mloptTileExtract(MloptTile *, MlirValue vector, int i,
                           MlirType element);
/// States what the elements of a tensor from a position on are, so that nobody
/// loads them in this block.
void mloptTileBind(MloptTile *, MlirValue tensor, MlirValue position, int count,
                   const MlirValue *elements);

/// Evaluates a tensor of the space's size on the vector's elements.
void mloptTileEvaluate(MloptTile *, const MloptVector *, MlirValue tensor,
                       MlirValue *out);
/// Stores them where a tensor of the space's size lies.
void mloptTileStore(MloptTile *, const MloptVector *, MlirValue pointer,
                    const MlirValue *elements);
/// The same where a condition, if not null, holds. What has to be computed for
/// it is so in any case.
void mloptTileStoreIf(MloptTile *, const MloptVector *, MlirValue pointer,
                      const MlirValue *elements, MlirValue condition);

/// `nvvm.read.ptx.sreg.*`, as an index.
MlirValue mloptReadRegister(MloptBuilder *, const char *name);

#endif // MLOPT_PASSES_NV_TILE_H
