//===- emit_sort_impl.h - A sort under construction ---------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the files that emit a sort share.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_EMIT_SORT_IMPL_H
#define MLOPT_PASSES_EMIT_SORT_IMPL_H

#include "dialect.h"
#include "emit_index.h"
#include "emit_reduce.h"
#include "emit_structured.h"

enum {
  MLOPT_SORT_MAX_EACH = 16, ///< rows of a thread
  MLOPT_SORT_WARP = 32,
};

typedef struct MloptSort {
  MloptKernel *kernel;
  MloptPull *pull;
  MloptBuilder *b;
  MlirOperation op;
  MloptSortRuns runs;
  intptr_t numOperands;
  MlirType types[MLOPT_PULL_MAX_CARRIED];  ///< of elements
  MlirType stored[MLOPT_PULL_MAX_CARRIED]; ///< as they are in memory
  int64_t each, threads; ///< rows of a thread; threads of a piece
  int64_t length;        ///< rows of a piece, all of which it may lack
  bool isFull;           ///< it has them all
  MlirValue arrays[MLOPT_PULL_MAX_CARRIED],
      places;             ///< shared: keys; where rows came from
  MlirType place;         ///< of an element of `places`
  MlirValue thread, base; ///< of the piece: number, first slot
  MlirValue isThere;      ///< the piece is one; null: always
  MlirValue line[MLOPT_MAX_RANK];
  MlirValue begin, count; ///< the piece's first row in the line, its rows
  /// Long runs: rows that come from a, and where its part and b's begin.
  MlirValue numLeft, left, right;
} MloptSort;

/// A row: the elements of all operands that are keys, as they are in memory
/// (bits would each take a predicate), and a place.
typedef struct MloptSortRow {
  MlirValue keys[MLOPT_PULL_MAX_CARRIED], place;
} MloptSortRow;

/// Two neighbouring runs that are merged: where they begin, and their rows.
typedef struct MloptSortMerge {
  MlirValue a, numA, b, numB;
  MlirValue steps; ///< in shared memory: that halving takes at most
  MlirValue lane;  ///< in memory: of the warp that looks
} MloptSortMerge;

/// How many of the first `d` merged rows come from a: range[0] to range[1].
typedef MlirValue (*MloptSortFindFn)(MloptSort *, const MloptSortMerge *,
                                     MlirValue d, const MlirValue *range);

// emit_sort_rows.c
bool mloptSortIsKey(const MloptSort *, intptr_t operand);
/// An operand's element of a row.
MlirValue mloptSortElementOf(MloptSort *, const MloptSortRow *, intptr_t i);
/// Whether row x goes before row y.
MlirValue mloptSortGoesBefore(MloptSort *, const MloptSortRow *x,
                              const MloptSortRow *y);
/// Row x where the condition holds, else y.
void mloptSortSelectRow(MloptSort *, MlirValue condition, const MloptSortRow *x,
                        const MloptSortRow *y, MloptSortRow *out);
/// Slots of the arrays in shared memory.
int64_t mloptSortNumSlots(const MloptSort *);
/// Loads and stores the keys of a row of the piece, or where it has come from.
void mloptSortLoadKeys(MloptSort *, MlirValue row, MloptSortRow *out);
MlirValue mloptSortLoadPlace(MloptSort *, MlirValue row);
void mloptSortStoreKeys(MloptSort *, const MloptSortRow *, MlirValue at);
/// Stores the thread's rows behind each other.
void mloptSortStoreOwn(MloptSort *, const MloptSortRow *);
/// The indices of a row of the line.
void mloptSortIndicesOf(MloptSort *, MlirValue row, MlirValue *out);
/// Reads the keys of a row of the line from memory.
void mloptSortPullKeys(MloptSort *, MlirValue row, MloptSortRow *out);
/// All that may come from a among the first `d` merged rows.
void mloptSortOpenRange(MloptSort *, const MloptSortMerge *, MlirValue d,
                        MlirValue *range);
/// The rows of a before part `number` of 2^levels, of `length` rows, and before
/// its end.
void mloptSortFindPart(MloptSort *, const MloptSortMerge *, MloptSortFindFn,
                       MlirValue number, MlirValue levels, int64_t length,
                       MlirValue *out);
/// Part `number` of 2^levels of the merged rows, a thread's; they say where in
/// the piece they lie.
void mloptSortMergeRows(MloptSort *, const MloptSortMerge *, MlirValue number,
                        MlirValue levels, MloptSortRow *out);

// emit_sort_long.c
/// Merges the piece's parts of two long runs.
void mloptSortMergeLong(MloptSort *);
/// Where in the line a row of the piece has come from.
MlirValue mloptSortSourceOf(MloptSort *, MlirValue place);

#endif // MLOPT_PASSES_EMIT_SORT_IMPL_H
