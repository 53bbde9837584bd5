//===- emit_rows.h - Reductions along the last dimensions ---------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the files that emit kernels of rows share (see emit_rows.c).
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_EMIT_ROWS_H
#define MLOPT_PASSES_EMIT_ROWS_H

#include "emit_reduce.h"
#include "mask.h"
#include "nv_ring.h"

enum {
  MLOPT_ROWS_MAX_HELD = 32,
  MLOPT_ROWS_MAX_TOGETHER = 8,
};

/// A reduction whose results are known, or that goes along with others.
typedef struct MloptAlong {
  MloptShared shared;
  bool isStreamed, isDone;
  MloptStreamed streamed;
  /// The number of one that finds the largest of what is streamed; -1: none.
  intptr_t largest;
  MlirValue results[MLOPT_PULL_MAX_CARRIED];
} MloptAlong;

/// The terms of the only stream of a row, as far as threads hold its elements:
/// exp(a - largest), 0 where the thread's largest a is -inf.
typedef struct MloptTerms {
  bool areHeld; ///< those of the open vectors
  intptr_t count;
  MlirValue a[MLOPT_ROWS_MAX_TURN * MLOPT_MAX_LANES];
  MlirValue values[MLOPT_ROWS_MAX_TURN * MLOPT_MAX_LANES];
  MlirValue largest;
  MlirValue m, factor;       ///< the row's largest a, and exp(largest - m)
  MlirValue sum, reciprocal; ///< of the row's exp(a - m); null: m is another
  MlirValue share;           ///< factor / sum
} MloptTerms;

typedef struct MloptRows {
  MloptKernel *kernel;
  MloptPull *pull;
  MloptBuilder *b;
  MloptTile tile;
  int64_t rows, columns;
  MlirValue thread;   ///< in its line
  MlirValue rowValid; ///< null when every line has a row
  MlirValue row;      ///< its number
  int64_t stretch;    ///< elements of a row that a block takes
  MlirValue rank;     ///< of the block in its cluster; null without one
  MlirValue begin;    ///< the first column of the block's stretch
  MlirValue end;      ///< its end, in the row
  bool isStarted;     ///< all blocks of the cluster are known to run
  bool isRead;        ///< reductions have gone along the held vectors together
  intptr_t numTogether;
  MloptAlong together[MLOPT_ROWS_MAX_TOGETHER];
  intptr_t numVectors;
  MloptVector vectors[MLOPT_ROWS_MAX_HELD];
  /// Null when the vector is always in the row.
  MlirValue valid[MLOPT_ROWS_MAX_HELD];
  MlirValue shift; ///< null where rows are whole vectors (emit_rows_shifted.c)
  MlirValue start; ///< position of the vector that the row starts in, then
  /// Whether an element of an edge is in the row; null of other vectors.
  MlirValue inRow[MLOPT_ROWS_MAX_HELD][MLOPT_MAX_LANES];
  MloptNv nv; ///< the copies of operands in shared memory, if there are any
  MloptNvRing ring;
  MloptTileCopy copies[MLOPT_MAX_STAGED];
  /// What is not copied, where that is little.
  intptr_t numRest;
  MloptVector rest[MLOPT_ROWS_MAX_TURN];
  MlirValue restValid[MLOPT_ROWS_MAX_TURN];
  MloptTerms terms;
  MlirBlock code; ///< what all threads of the block pass
  /// Of rows that end at a mask (emit_rows_masked.c): it, what is beyond it in
  /// parameters of the space's size, and the vectors of a thread that are open.
  bool isMasked;
  MloptMask mask;
  MlirAttribute reads;
  intptr_t numLive;
} MloptRows;

MlirValue mloptRowsAdd(MloptRows *, MlirValue, MlirValue);
MlirValue mloptRowsMultiply(MloptRows *, MlirValue, int64_t);

/// Whether element `k` of an open vector is in the row; null: it always is.
MlirValue mloptRowsIsValid(const MloptRows *, intptr_t v, int k);
/// The conjunction of two conditions, of which null is true.
MlirValue mloptRowsBoth(MloptRows *, MlirValue, MlirValue);

/// Finds where rows that are no whole number of vectors start.
void mloptRowsFindShift(MloptRows *);
/// Opens vector `v` of such a row, which starts at a multiple of its length
/// from the row's first vector on, for this thread or another, up to `most`.
void mloptRowsOpenShifted(MloptRows *, intptr_t v, MlirValue offset,
                          int64_t most);
/// Loads what the open vectors at the space's end need, which takes branches:
/// before anything waits for other loads.
void mloptRowsLoadEnds(MloptRows *);
/// Stores those of an edge's elements that are in the row.
void mloptRowsStoreEdge(MloptRows *, intptr_t v, MlirValue pointer,
                        const MlirValue *elements);

/// What goes on in one turn along a row, with its vectors open: from the values
/// that are carried to the next ones.
typedef void (*MloptRowsTurn)(MloptRows *, void *userData,
                              const MlirValue *carried, MlirValue *next);
/// Goes along the block's stretch of a row that is not held.
void mloptRowsAlong(MloptRows *, MloptRowsTurn, void *userData,
                    intptr_t numCarried, const MlirValue *init, MlirValue *out);

/// What element `k` of open vector `v` adds to the results.
void mloptRowsElements(MloptRows *, const MloptShared *, intptr_t v, int k,
                       MlirValue *out);
/// Adds the open vectors to `chains` running values of the results; element k
/// of a vector goes to chain k mod chains. `started`: they hold values already.
void mloptRowsAccumulate(MloptRows *, const MloptShared *, intptr_t chains,
                         bool started, MlirValue *partial);
/// What is combined across the threads of a row: the values of a reduction, or
/// the state of a stream, which is the largest a so far and the sum of exp(a -
/// largest), 0 in place of a largest of -inf.
typedef struct MloptAcross {
  const MloptShared *shared;
  MlirValue *values;
  bool isStream;
  /// A reduction before it that finds the largest a as well; may be null.
  const struct MloptAcross *largest;
} MloptAcross;
/// Each thread's values become those of all that share the row, with one
/// exchange for all `n`.
void mloptRowsAcrossLine(MloptRows *, intptr_t n, const MloptAcross *);
/// The sum of a stream's state for another largest a.
MlirValue mloptRowsRescale(MloptRows *, const MlirValue *state,
                           MlirValue largest);
/// Value `k` of the state of a stream that has met nothing.
MlirValue mloptRowsFreshState(MloptRows *, intptr_t k);
/// `count` values by one operation, halving; `values` is overwritten.
MlirValue mloptRowsFold(MloptRows *, const char *name, intptr_t count,
                        MlirValue *values);
/// The reduce hook; its user data is the tile.
bool mloptRowsReduce(void *tile, MlirOperation, const MlirValue *loops,
                     MlirValue *results);
/// Makes what results need of the exponentials and their sum simple, once all
/// is emitted.
void mloptRowsReuseTerms(MloptRows *);
/// Reduces all that can be in one go along a row, or in one exchange where it
/// is held.
void mloptRowsReduceTogether(MloptRows *);

/// Reads the mask that rows end at. False if there is none, or after a
/// diagnostic, when the builder has failed.
bool mloptRowsReadMask(MloptRows *);
/// Emits code for each number of vectors that a block's rows may have, by
/// `emit`, and lets the block's own one run.
void mloptRowsEmitMasked(MloptRows *, void (*emit)(MloptRows *));
/// Stores an open vector that may lie beyond the mask.
void mloptRowsStoreMasked(MloptRows *, intptr_t v,
                          MlirValue (*elements)[MLOPT_MAX_LANES]);
/// Whether the root is a result of the space's size.
bool mloptRowsIsWhole(const MloptRows *, const MloptRoot *);

/// Starts copying operands into shared memory, as far as the schedule says;
/// false after a diagnostic when they do not fit.
bool mloptRowsStage(MloptRows *);
/// Starts to bring the operands of a block further on into the L2, if the
/// schedule says so: whole accesses of rows that end at no mask.
void mloptRowsFetchAhead(MloptRows *);
/// Waits for the turn that starts at a column, from 0 in the stretch.
void mloptRowsWaitStage(MloptRows *, MlirValue column);

#endif // MLOPT_PASSES_EMIT_ROWS_H
