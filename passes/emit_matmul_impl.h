//===- emit_matmul_impl.h - A matrix product under construction ---*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the files that emit a matrix product share.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_EMIT_MATMUL_IMPL_H
#define MLOPT_PASSES_EMIT_MATMUL_IMPL_H

#include "emit_boxes.h"
#include "emit_matmul_epilogue.h"
#include "emit_reduce.h"
#include "nv_ring.h"
#include "nv_tma.h"
#include "nv_wgmma.h"
#include "schedule_matmul.h"

typedef struct MloptMatmul {
  MloptNv nv;
  MloptContractions all;
  MloptContraction c; ///< of all, the one that code is emitted for
  MloptMatmulSchedule s;
  MloptMatmulShared shared;
  MloptNvRing ring;
  MloptNvMma mma;
  MloptEpilogue epilogue;
  MlirBlock parameters;          ///< of the kernel: maps and pointers
  MlirValue thread;              ///< in its warpgroup
  MlirValue warpgroup;           ///< 0: producer
  MlirValue isFirst;             ///< of the block's threads
  MlirValue rank;                ///< of the block in its cluster
  MlirValue firstTile, tileStep; ///< of this cluster
  MlirValue firstStep, endStep;  ///< of this block, along k
  int64_t steps;                 ///< of all
  int64_t tilesM, tilesN;        ///< of clusters
  int64_t total;                 ///< of all contractions
  int64_t slabs;                 ///< of a consumer
  MloptMatmulResiduals residuals;
  MloptMatmulTail tail;  ///< of a schedule with it
  MlirValue isOwner;     ///< of a tile of the tail, this block
  MlirValue firstOfTail; ///< the first tile there that it has steps of
  MlirValue items;       ///< tiles that it has steps of, in all
  bool batched;
  bool isMasked; ///< what is beyond `mask` of each batch is left out
  MloptMask mask;
  bool isInputA, isInputB; ///< of the program: no kernel writes it
} MloptMatmul;

/// Where a tile starts, and which contraction's it is: null where there is one.
typedef struct MloptMatmulTile {
  MlirValue m, n, batch, part;
} MloptMatmulTile;

enum {
  MLOPT_MATMUL_WARPGROUP = 128,   ///< threads
  MLOPT_MATMUL_MOST_COLUMNS = 64, ///< of a block that is stored at once
  MLOPT_MATMUL_MOST_ELEMENTS = MLOPT_MATMUL_MOST_COLUMNS / 2, ///< of a thread
};

/// A warpgroup that multiplies.
typedef struct MloptMatmulConsumer {
  MlirValue index;   ///< 0 or 1
  MlirValue a, b;    ///< descriptors of stage 0
  MlirValue lane;    ///< in its warp
  MlirValue isFirst; ///< of the warpgroup
  MlirValue slots;   ///< offset of its store slots
  MlirValue barrier; ///< named, of the warpgroup
  /// Where this thread's fragment lies in a box, as elements of 16 and 32 bits.
  MlirValue halves[4], words[4];
} MloptMatmulConsumer;

/// What a block computes of a tile.
typedef struct MloptMatmulItem {
  MlirValue tile;       ///< its number
  MlirValue first, end; ///< steps
  /// i1: the sums go to another block; another one's come. Null where all steps
  /// of a tile are one block's, or a cluster's.
  MlirValue isSent, isReceived;
  MlirValue inTail; ///< the tile's number there
} MloptMatmulItem;

/// What reductions of rows gave for some columns of a slab, which hold whole
/// parts of rows: of each reduction and part, for each of a thread's two rows.
enum { MLOPT_MATMUL_MOST_PARTS = 4 };
typedef struct MloptMatmulReduced {
  MlirValue at[MLOPT_MAX_OF_ROWS][MLOPT_MATMUL_MOST_PARTS][2];
} MloptMatmulReduced;

/// A block of 64 rows on its way from the fragment to memory.
typedef struct MloptMatmulBlock {
  MlirValue axes[MLOPT_NUM_AXES]; ///< where it starts, i32
  MlirValue batch;                ///< as an index
  MlirValue rows[2],
      columns[MLOPT_MATMUL_MOST_COLUMNS / 8]; ///< of this thread, i32
  MlirValue rowIndices[2],
      columnIndices[MLOPT_MATMUL_MOST_COLUMNS / 8]; ///< inside of C
  int64_t numColumns;
  const MlirValue *sums[MLOPT_MAX_PRODUCTS]; ///< fragments from the block on
  MlirValue residuals[MLOPT_MAX_RESIDUALS][MLOPT_MATMUL_MOST_ELEMENTS];
  /// Of rows that are reduced, and the block's first column among those that
  /// are reduced together.
  const MloptMatmulReduced *reduced;
  int64_t first;
} MloptMatmulBlock;

// emit_matmul_tiles.c
/// Gives registers of the producer's threads away, or takes them.
void mloptMatmulSetRegisters(MloptMatmul *, bool increase);
/// The code of contraction `i` follows.
void mloptMatmulEnter(MloptMatmul *, intptr_t i);
/// The tile of a number (i32) in the list of all contractions' tiles.
MloptMatmulTile mloptMatmulLocate(MloptMatmul *, MlirValue number);
/// Stage, parity, and what a consumer's `turn` is.
enum { MLOPT_MATMUL_CARRIED = 3 };
/// A loop over the tiles from `first` on, or the block's items.
MloptNvScope mloptMatmulBeginTiles(MloptMatmul *, MlirValue first,
                                   MlirValue step, const MlirValue *start,
                                   MlirValue *outNumber, MlirValue *outCarried);
/// Whether tiles leave out steps in which a factor is zero.
bool mloptMatmulSkipsZeros(const MloptMatmul *);
/// Leaves an item the steps in which no factor is zero for the whole tile.
void mloptMatmulSkipZeros(MloptMatmul *, MloptMatmulTile, MloptMatmulItem *);
/// A loop over the steps of an item.
MloptNvScope mloptMatmulBeginSteps(MloptMatmul *, const MloptMatmulItem *,
                                   intptr_t numCarried, const MlirValue *start,
                                   MlirValue *outStep, MlirValue *outCarried);

// emit_matmul_produce.c
/// The code of the warpgroup that fills the stages.
void mloptMatmulProduce(MloptMatmul *);

// emit_matmul_consume.c
/// The code of the warpgroups that multiply them.
void mloptMatmulConsume(MloptMatmul *);

// emit_matmul_fold.c
/// A reduction of what is stored of a block, under way.
typedef struct MloptMatmulFold {
  const MloptFold *fold;
  MloptShared shared;
  /// What this thread has of each piece: a row's or a column's.
  MlirValue pieces[MLOPT_MATMUL_MOST_ELEMENTS];
} MloptMatmulFold;
/// Begins reduction `i` of a block.
void mloptMatmulOpenFold(const MloptMatmul *, intptr_t i, MloptMatmulFold *out);
/// Adds elements `e` and `e` + 1, neighbours along n, of the thread's part of a
/// block of so many columns.
void mloptMatmulFoldPair(MloptMatmul *, MloptMatmulFold *, int64_t columns,
                         int64_t e, const MlirValue *pair);
/// Stores what the block's pieces gave. The thread is in these two rows (i32),
/// `first` is the block's first column, `batch` an index.
void mloptMatmulStoreFold(MloptMatmul *, const MloptMatmulConsumer *,
                          MloptMatmulFold *, int64_t columns, MlirValue batch,
                          const MlirValue *rows, MlirValue first);

// emit_matmul_load.c
/// Where a step starts along k: steps do not reach beyond a run.
MlirValue mloptMatmulStartOfStep(MloptMatmul *, MlirValue step);
/// Where a stage of `bytes` each lies, of those from `start` of shared memory
/// on.
MlirValue mloptMatmulStageOffset(MloptMatmul *, MlirValue stage, int64_t start,
                                 int64_t bytes);
/// Starts the copies of a step's part of A into a stage, which the barrier
/// counts.
void mloptMatmulLoadA(MloptMatmul *, MloptMatmulTile, MlirValue step,
                      MlirValue stage, MlirValue barrier);
/// The same of B, or of this block's share of it for the cluster.
void mloptMatmulLoadB(MloptMatmul *, MloptMatmulTile, MlirValue step,
                      MlirValue stage, MlirValue barrier);

// emit_matmul_reduce.c
/// The columns whose rows are reduced before any of them is stored: whole parts
/// of rows in whole blocks.
int64_t mloptMatmulReducedColumns(const MloptMatmul *);
/// Reduces the rows of that many columns from the consumer's block `i` on, and
/// stores what is stored of the rows. The consumer's rows of the tile start at
/// `row`.
void mloptMatmulReduceRows(MloptMatmul *, const MloptMatmulConsumer *,
                           MloptMatmulTile, MlirValue row, int64_t i,
                           const MlirValue *fragment, MloptMatmulReduced *out);
/// Lets the epilogue read what reductions gave for the row of an element of a
/// block.
void mloptMatmulEnterRow(MloptMatmul *, const MloptMatmulBlock *,
                         int64_t element);

// emit_matmul_fill.c
/// Fills the stages of an item where the program computes a factor, by all of
/// the producer's threads; updates the place in the ring.
void mloptMatmulFill(MloptMatmul *, MloptMatmulTile, const MloptMatmulItem *,
                     MlirValue place[2]);

// emit_matmul_store.c
/// Where the consumer's thread stages its fragment for TMA.
void mloptMatmulPlaceFragment(MloptMatmul *, MloptMatmulConsumer *);
/// Stores the consumer's rows of a tile from their fragment. Store slots take
/// turns from tile to tile: `turn` (an i32) is the first one's. The ring stands
/// at the tile's residuals, and then behind them.
void mloptMatmulStoreTile(MloptMatmul *, const MloptMatmulConsumer *,
                          MloptMatmulTile, MlirValue turn, MlirValue *fragment,
                          MloptNvPlace *);
/// The first slot of the next tile.
MlirValue mloptMatmulNextTurn(MloptMatmul *, MlirValue turn);
/// Block `i` of a consumer whose rows of the tile start at `row`.
void mloptMatmulOpenBlock(MloptMatmul *, MloptMatmulTile, MlirValue row,
                          int64_t i, const MlirValue *fragment,
                          MloptMatmulBlock *out);
/// An output's elements `element` and the one behind it of this thread's part
/// of a block; for a slot, of 32 bits each.
void mloptMatmulEvaluate(MloptMatmul *, const MloptMatmulBlock *,
                         const MloptOutput *, bool forSlot, int64_t element,
                         MlirValue *out);
/// Waits until the store slot that is next has been read; ends a basic block.
void mloptMatmulAwaitSlot(MloptMatmul *, const MloptMatmulConsumer *);
/// Where block `i` starts of a consumer whose rows of the tile start at `row`.
void mloptMatmulBlockAxes(MloptMatmul *, MloptMatmulTile, MlirValue row,
                          int64_t i, MlirValue outAxes[MLOPT_NUM_AXES]);

// emit_matmul_residual.c
/// Loads the residuals of a tile; the ring's place moves on.
void mloptMatmulLoadResiduals(MloptMatmul *, MloptMatmulTile,
                              MloptNvPlace *place);
/// Reads those of a consumer's block, in the order of the fragment; of those
/// that are not loaded, null. Where the block is the last one of its stage,
/// that is given back.
void mloptMatmulReadResiduals(
    MloptMatmul *, const MloptMatmulConsumer *, int64_t block,
    MloptNvPlace *place,
    MlirValue out[MLOPT_MAX_RESIDUALS][MLOPT_MATMUL_MOST_ELEMENTS]);

// emit_matmul_rows.c
/// Stores a block of an output that mloptMatmulStoresRows, staged in the
/// consumer's first slot; `axes` (i32) is where it starts.
void mloptMatmulStoreRows(MloptMatmul *, const MloptMatmulConsumer *,
                          const MloptOutput *, const MlirValue *axes);

// emit_matmul_split.c
/// Sends each block of the fragment to the block of the cluster that stores it.
void mloptMatmulExchange(MloptMatmul *, const MloptMatmulConsumer *,
                         const MlirValue *fragment);
/// Whether this one stores block `i`; a scope to be ended.
MloptNvScope mloptMatmulBeginOwned(MloptMatmul *, const MloptMatmulConsumer *,
                                   int64_t i);
/// The sums of block `i`, in the order of k.
void mloptMatmulAddSplits(MloptMatmul *, const MloptMatmulConsumer *, int64_t i,
                          MlirValue *outBlock);

// emit_matmul_tail.c
/// Finds what the block has of a schedule's tail.
void mloptMatmulBeginTail(MloptMatmul *);
/// What the block computes in turn `number`, or of the tile of this number.
MloptMatmulItem mloptMatmulItemAt(MloptMatmul *, MlirValue number);
/// The place in the ring behind a tile's residuals, which an item whose sums
/// are sent has none of.
MloptNvPlace mloptMatmulPassResiduals(MloptMatmul *, const MloptMatmulItem *,
                                      MloptNvPlace);
/// Sends a consumer's sums of an item to the tile's owner.
void mloptMatmulSendSums(MloptMatmul *, const MloptMatmulConsumer *,
                         const MloptMatmulItem *, const MlirValue *fragment);
/// The accumulator `sum` with what another block sends of the item, if one
/// does.
MlirValue mloptMatmulReceiveSums(MloptMatmul *, const MloptMatmulConsumer *,
                                 const MloptMatmulItem *, MlirValue sum);

#endif // MLOPT_PASSES_EMIT_MATMUL_IMPL_H
