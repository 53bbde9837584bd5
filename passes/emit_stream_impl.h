//===- emit_stream_impl.h - A streamed kernel under construction --*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the files that emit a streamed kernel share. A fragment of scores has
// its rows along m and its columns along the keys of a step; one of sums, its
// columns along those of V. A thread holds two rows of either.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_EMIT_STREAM_IMPL_H
#define MLOPT_PASSES_EMIT_STREAM_IMPL_H

#include "emit_boxes.h"
#include "emit_matmul_epilogue.h"
#include "schedule_stream.h"

enum {
  MLOPT_STREAM_WARPGROUP = 128, ///< threads
  MLOPT_STREAM_ROWS = 2,        ///< of a thread
  MLOPT_STREAM_QUAD = 4,        ///< threads side by side that share them
  MLOPT_STREAM_MAX_SCORES = 128,
};

/// A block's rows, and the steps of keys that they need: [from, end), of which
/// those in [fullFrom, fullEnd) need no condition. All i32.
typedef struct MloptStreamTile {
  MlirValue batch, row;
  MlirValue from, fullFrom, fullEnd, end;
} MloptStreamTile;

typedef struct MloptStreamKernel {
  MloptEpilogue epilogue; ///< first: what the pull emitter's hooks get
  MloptNv nv;
  MloptStream p;
  MloptStreamSchedule s;
  MloptStreamShared shared;
  MloptNvRing q, k, v;
  MloptNvMma scores, sums;
  MlirBlock parameters; ///< of the kernel: maps and pointers
  MlirValue thread;     ///< in its warpgroup
  MlirValue warpgroup;  ///< 0: producer
  MlirValue isFirst;    ///< of the block's threads
  MlirValue number;     ///< of the block, or of the cluster
  MlirValue rank;       ///< in the cluster, of blocks that share keys
  bool storesAll;       ///< of the scores, -inf too: all steps are taken
  MloptStreamTile tile;
  /// What the pull emitter finds at an element: the product of Q and K there,
  /// and the row's largest score and sum.
  MlirValue raw, rowMax, rowSum;
} MloptStreamKernel;

/// A warpgroup that computes.
typedef struct MloptStreamConsumer {
  MlirValue index;      ///< 0, 1, ..
  MlirValue lane;       ///< in its warp
  MlirValue isFirst;    ///< of the warpgroup
  MlirValue barrier;    ///< named, of the warpgroup
  MlirValue batch, row; ///< of its first one
  /// Of this thread's rows: where they are, and an index within the tensors.
  MlirValue rows[MLOPT_STREAM_ROWS], rowIndices[MLOPT_STREAM_ROWS];
  MlirValue batchIndex;
  MlirValue column; ///< of this thread's first element in a fragment
  MlirValue q;      ///< descriptor, of the tile's stage
  MlirValue k, v;   ///< of stage 0
} MloptStreamConsumer;

// emit_stream_tile.c
/// The tiles of this block; both roles walk them alike. Inside, `tile` is the
/// one that they are at.
MloptNvScope mloptStreamBeginTiles(MloptStreamKernel *, intptr_t numCarried,
                                   const MlirValue *start,
                                   MlirValue *outCarried);
/// A step of the tile, counted from its last one.
MlirValue mloptStreamStepAt(MloptStreamKernel *, MlirValue back);
/// Whether some steps need conditions, and, if so, whether there are such
/// before and behind those that need none, and whether there are these.
bool mloptStreamHasConditions(const MloptStreamKernel *);
typedef struct MloptStreamParts {
  bool before, full, behind;
} MloptStreamParts;
MloptStreamParts mloptStreamPartsOf(const MloptStreamKernel *);

// emit_stream_scores.c
/// The products of a step's fragment as numbers whose order is that of the
/// scores; a score is so many times its number.
double mloptStreamScores(MloptStreamKernel *, const MloptStreamConsumer *,
                         MlirValue step, bool conditional, MlirValue *scores);

/// Whether they may be computed while products are under way: no function is
/// called for them, in which ptxas would forget of accumulators.
bool mloptStreamOverlaps(const MloptStreamKernel *);

// emit_stream_softmax.c
/// The running state of two rows of a thread.
typedef struct MloptStreamRows {
  MlirValue max[MLOPT_STREAM_ROWS]; ///< in the scores' numbers
  MlirValue sum[MLOPT_STREAM_ROWS]; ///< of this thread's elements
} MloptStreamRows;
MloptStreamRows mloptStreamRowsStart(MloptStreamKernel *);
/// Turns scores into weights and takes them into the rows; `outRepair` is what
/// sums so far are to be multiplied by.
void mloptStreamSoftmax(MloptStreamKernel *, double scale, MlirValue *scores,
                        MloptStreamRows *,
                        MlirValue outRepair[MLOPT_STREAM_ROWS]);
/// The rows' results: the largest score, the sum over all threads, and their
/// fragment of sums; the latter two are NaN where all scores are -inf, since
/// exp(-inf - -inf) is.
void mloptStreamRowsFinish(MloptStreamKernel *, double scale, MloptStreamRows *,
                           MlirValue *sums);

/// The state of rows from those of parts of their keys, in this order, and what
/// each part's sums are to be multiplied by.
MloptStreamRows
mloptStreamMergeRows(MloptStreamKernel *, double scale, int64_t count,
                     const MloptStreamRows *parts,
                     MlirValue (*outRepairs)[MLOPT_STREAM_ROWS]);

// emit_stream_split.c
/// Combines the state and the fragment of sums with those of the other blocks
/// that share the tile's keys: `sums` becomes this block's part of the columns.
void mloptStreamCombine(MloptStreamKernel *, double scale, MloptStreamRows *,
                        MlirValue *sums);

// emit_stream_store.c
/// The columns of rows that this block stores, of which each thread has half as
/// many elements.
int64_t mloptStreamColumns(const MloptStreamKernel *);
/// Stores a step's scores, given as numbers of which they are so many times,
/// where the program stores them.
void mloptStreamStoreScores(MloptStreamKernel *, const MloptStreamConsumer *,
                            MlirValue step, double scale,
                            const MlirValue *scores);
/// Stores the outputs of the consumer's rows.
void mloptStreamStore(MloptStreamKernel *, const MloptStreamConsumer *,
                      const MloptStreamRows *, const MlirValue *sums);

// emit_stream_consume.c
void mloptStreamConsume(MloptStreamKernel *);

#endif // MLOPT_PASSES_EMIT_STREAM_IMPL_H
