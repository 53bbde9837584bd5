//===- emit_tiled_impl.h - Inside kernels of tiled products -------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_EMIT_TILED_IMPL_H
#define MLOPT_PASSES_EMIT_TILED_IMPL_H

#include "emit_kernels.h"
#include "nv_mma.h"
#include "schedule_tiled.h"

enum {
  MLOPT_TILED_MAX_VECTORS = 64, ///< of a factor, that a thread loads
  MLOPT_TILED_MAX_WORDS = 8,    ///< of a vector
  MLOPT_TILED_MAX_SHARED = 64,  ///< elements that are kept
  MLOPT_TILED_MAX_SUMS = 128,   ///< of a thread
  MLOPT_TILED_PIECE = 16,       ///< bytes that the swizzle moves
  MLOPT_TILED_SHIFTED = 8, ///< elements of a vector that is shifted into place
  MLOPT_TILED_LINE = 128,  ///< bytes that all banks have
};

//===----------------------------------------------------------------------===//
// Places in shared memory
//===----------------------------------------------------------------------===//

/// A matrix in shared memory in rows of 32, 64 or a multiple of 128 bytes.
/// Piece p of row r, 16 bytes, lies at piece p ^ s(r), where s depends on the
/// place of the row in its eight lines of 128 bytes: neither eight rows of one
/// piece nor eight pieces of one row are in one bank.
typedef struct MloptTiledMatrix {
  int64_t rowBytes;
  /// Not 0: s(r) is twice r divided by this instead, so that two neighbouring
  /// pieces of rows so far apart are in different banks.
  int64_t apart;
  /// Not 0: s(r) is this times r, so that as many neighbouring pieces of rows
  /// that follow each other are in different banks.
  int64_t shared;
} MloptTiledMatrix;

/// Where a thread's accesses start, for each value that the swizzle adds.
typedef struct MloptTiledPlace {
  MloptTiledMatrix matrix;
  MlirValue at[8]; ///< i32
} MloptTiledPlace;

/// The place of a row and a piece (i32) of a matrix that starts at `start`, an
/// address, and `within` bytes (i32 or null) after the piece's start.
MloptTiledPlace mloptTiledPlaceAt(MloptNv *, MloptTiledMatrix, MlirValue start,
                                  MlirValue row, MlirValue piece,
                                  MlirValue within);
/// The address, plus `outOffset`, so many rows and pieces further. They must
/// not share a bit with the place's own row and piece.
MlirValue mloptTiledAddress(const MloptTiledPlace *, int64_t row, int64_t piece,
                            int64_t *outOffset);

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

/// How the loops of k are found from a position along k.
typedef enum MloptTiledDepth {
  MLOPT_TILED_LINEAR,  ///< no need to: elements depend on the position alone
  MLOPT_TILED_UNIFORM, ///< all but the innermost are the same in a tile
  MLOPT_TILED_EACH     ///< for each vector
} MloptTiledDepth;

/// One vector of a factor's tile, as one thread loads it.
typedef struct MloptTiledVector {
  MlirValue inRange; ///< along m or n; null: always
  MlirValue left;    ///< elements from here on, of a shifted factor along it
  MlirValue pointer; ///< without what depends on the tile's start along k
  int64_t offset;    ///< bytes after it
  MlirValue bounds[MLOPT_MAX_BOUNDS];          ///< indices, likewise
  MlirValue loops[MLOPT_MAX_LOOPS_OF_PRODUCT]; ///< of the batch and m or n
} MloptTiledVector;

/// A factor: its tile has `rows` along m or n, `depth` along k.
typedef struct MloptTiledFactor {
  const MloptFactor *factor;
  const MloptAccess *source; ///< what lies in memory
  MloptAxis axis;
  int64_t rows, depth;
  bool alongK;          ///< neighbours in shared memory are along k
  int64_t vector;       ///< elements that a thread has side by side
  int64_t run;          ///< of them, those of one access to memory
  bool isShifted;       ///< by an element, where it starts at an odd one
  MlirValue last;       ///< i32: the tensor's last element, where it is the
                        ///< first half of a word that ends beyond the tensor
  bool isCopied;        ///< by cp.async, without registers
  bool isReadOnce;      ///< by one thread
  bool isConverted;     ///< elements change their type on the way
  int64_t elementBytes; ///< in global memory
  MlirType stored;      ///< in shared memory
  MloptTiledMatrix matrix;
  int64_t bytes;   ///< of a stage
  MlirValue start; ///< address of stage 0
  MloptTiledDepth depthKind;
  int64_t depthFactor;            ///< of the position, along k
  MlirValue firstRow, firstDepth; ///< of the thread's first vector, index
  int64_t step;                   ///< rows or depth to the next
  int count;
  MloptTiledVector vectors[MLOPT_TILED_MAX_VECTORS];
  MloptTiledPlace place;
} MloptTiledFactor;

/// What a thread has loaded of a factor and not stored yet.
typedef struct MloptTiledLoaded {
  MlirValue words[MLOPT_TILED_MAX_VECTORS][MLOPT_TILED_MAX_WORDS];
  MlirValue k;                              ///< index: where it starts
  MlirValue shift[MLOPT_TILED_MAX_VECTORS]; ///< i32, bits
  MlirValue left[MLOPT_TILED_MAX_VECTORS];
} MloptTiledLoaded;

/// An element that code of a factor reads beside its source.
typedef struct MloptTiledShared {
  MlirValue tensor, indices[MLOPT_MAX_RANK], element;
} MloptTiledShared;

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

typedef struct MloptTiled {
  MloptKernel *kernel;
  MloptPull *pull;
  MloptNv nv;
  MloptProduct p;
  MloptTiledSchedule s;
  int64_t threads, stageBytes, steps;
  bool usesMma;
  MloptTiledCores cores;
  bool converts;                 ///< the chip, f8E4M3FN to f16
  MlirValue thread, lane;        ///< i32
  MlirValue warpM, warpN, group; ///< i32
  MlirValue rank;                ///< i32, of the block in its cluster
  MlirValue firstStep, endStep;  ///< i32, of this block
  MlirValue turn;                ///< i32, or null: steps that it turns by
  MlirValue endDepth;            ///< index: k where endStep starts
  MlirValue start;               ///< address of the dynamic block
  MlirValue tileM, tileN;        ///< index: where the block's tile starts
  MlirValue batchLoops[MLOPT_MAX_LOOPS_OF_PRODUCT];
  MloptTiledFactor factors[2];
  MloptTiledFactor computed; ///< what a lane has of it in fragments
  int numShared;
  MloptTiledShared shared[MLOPT_TILED_MAX_SHARED];
  MlirValue sums[MLOPT_TILED_MAX_SUMS];
} MloptTiled;

// Arithmetic on indices; null counts as zero.
MlirValue mloptTiledAdd(MloptTiled *, MlirValue, MlirValue);
MlirValue mloptTiledAddInt(MloptTiled *, MlirValue, int64_t);
MlirValue mloptTiledMulInt(MloptTiled *, MlirValue, int64_t);
MlirValue mloptTiledBelow(MloptTiled *, MlirValue, int64_t bound);
MlirValue mloptTiledAnd(MloptTiled *, MlirValue, MlirValue); ///< null: true
MlirValue mloptTiledToIndex(MloptTiled *, MlirValue);        ///< from i32
MlirValue mloptTiledToInt(MloptTiled *, MlirValue);          ///< to i32
/// The position along k (index) where a step starts (i32).
MlirValue mloptTiledDepthOf(MloptTiled *, MlirValue step);
/// Writes where the loops of an axis stand at this index of it.
void mloptTiledSplit(MloptTiled *, MloptAxis, MlirValue index,
                     MlirValue *loops);

// emit_tiled_place.c
/// Decides how a factor is loaded, and computes what does not depend on k.
void mloptTiledSetUpFactor(MloptTiled *, int factor, int64_t start);
/// Where the loops of rows stand in each vector of a computed factor; rows
/// beyond it count as its last.
void mloptTiledPlaceRows(MloptTiled *, MloptTiledFactor *);
/// What the loops of an axis add to an affine function; null for nothing.
MlirValue mloptTiledSumAlong(MloptTiled *, const MloptAffine *, MloptAxis,
                             const MlirValue *loops);
/// A pointer so many bytes on, a value of i64.
MlirValue mloptTiledAdvance(MloptTiled *, MlirValue pointer, MlirValue bytes);
/// A pointer so many elements (index, or null) of so many bytes on; parts of a
/// position may be negative.
MlirValue mloptTiledAdvanceBy(MloptTiled *, MlirValue pointer,
                              MlirValue elements, int64_t bytes);
/// How many elements there are from an index on, as i32; may be negative.
MlirValue mloptTiledCountLeft(MloptTiled *, MlirValue index, int64_t size);

// emit_tiled_load.c
/// Starts loading the tile at `k` (index) of a factor for the stage at `slot`
/// (i32: the bytes to it).
void mloptTiledLoad(MloptTiled *, MloptTiledFactor *, MlirValue k,
                    MlirValue slot, MloptTiledLoaded *out);
/// The words of a vector as it is loaded.
int mloptTiledLoadedWords(const MloptTiledFactor *);
/// The words that vector `i` is in shared memory or in a fragment; returns
/// their bytes.
int64_t mloptTiledSettle(MloptTiled *, const MloptTiledFactor *,
                         const MloptTiledLoaded *, int i,
                         MlirValue words[MLOPT_TILED_MAX_WORDS]);
/// Stores what was loaded there.
void mloptTiledStoreLoaded(MloptTiled *, MloptTiledFactor *, MlirValue slot,
                           const MloptTiledLoaded *);

// emit_tiled_compute.c
/// The elements of vector `i` of a factor that is computed, in place of its
/// source's, where the tile starts at `k` (index).
void mloptTiledCompute(MloptTiled *, const MloptTiledFactor *, int i,
                       MlirValue k, MlirValue *elements);
/// Before the first step, finds where computed factors' rows are, and reads
/// what the elements of one share.
void mloptTiledSetUpComputed(MloptTiled *);
/// Adds the products of a stage that starts at `k` (index) to the sums, where
/// it holds the source of a factor.
void mloptTiledMultiplyComputed(MloptTiled *, MlirValue slot, MlirValue k);

// emit_tiled_multiply.c
intptr_t mloptTiledNumSums(const MloptTiled *);
/// A fragment of a factor as mma.sync takes it: of bytes, each half of its k is
/// a fragment of halves of its own, so that there are two.
typedef struct MloptTiledFragment {
  MlirValue words[2][4];
} MloptTiledFragment;
int mloptTiledTurns(const MloptTiled *);
/// Of `count` words, 4 of sixteen rows or 2 of eight, the upper k last.
void mloptTiledMakeFragment(MloptTiled *, int factor, int count,
                            const MlirValue *words, MloptTiledFragment *out);
/// sum += rows * columns, of which `rowFactor` is the factor of the rows.
void mloptTiledMultiplyFragments(MloptTiled *, int rowFactor,
                                 const MlirValue *rows,
                                 const MlirValue *columns, MlirValue sum[4]);
/// The factor whose rows are those of the fragments of sums.
int mloptTiledRowFactor(const MloptTiled *);
/// Adds the products of a stage, whose k start at `k` (index), to the sums.
void mloptTiledMultiply(MloptTiled *, MlirValue slot, MlirValue k);
/// Puts the sums into shared memory, in rows of n, as `mloptTiledSumMatrix`
/// says.
void mloptTiledStageSums(MloptTiled *);
MloptTiledMatrix mloptTiledSumMatrix(const MloptTiled *);

// emit_tiled_direct.c
/// Adds the products of the block's steps to the sums, without shared memory.
void mloptTiledMultiplyDirect(MloptTiled *);

// emit_tiled_wide.c: the same for f32 in three terms, and for f64
/// Whether these do it.
bool mloptTiledIsWide(const MloptTiled *);
/// How many k of a step a lane has: those of neighbours for rows along k.
int64_t mloptTiledWideDepth(const MloptTiled *);
void mloptTiledMultiplyWide(MloptTiled *, MlirValue slot);
/// f64 16 deep, where what a step multiplies first is read in the step before:
/// how many values that is, and reading it.
intptr_t mloptTiledCountAhead(const MloptTiled *);
void mloptTiledReadAhead(MloptTiled *, MlirValue slot, MlirValue *ahead);
/// Multiplies a first part of a step, then the rest, which also reads ahead
/// from the next step's stage.
void mloptTiledMultiplyFirst(MloptTiled *, MlirValue slot, MlirValue *ahead);
void mloptTiledMultiplyRest(MloptTiled *, MlirValue slot, MlirValue next,
                            MlirValue *ahead);
/// The row or column of the tile where the lane's first sum is, and how far
/// from there sum `i` is.
MlirValue mloptTiledWideStart(MloptTiled *, int factor);
int64_t mloptTiledWideOffset(const MloptTiled *, int factor, intptr_t i);

// emit_tiled_store.c
/// Computes what is stored from the staged sums.
void mloptTiledStoreTile(MloptTiled *);

#endif // MLOPT_PASSES_EMIT_TILED_IMPL_H
