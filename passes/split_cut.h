//===- split_cut.h - Pieces of fusions, and of reductions ---------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What mlopt-split-reductions builds with: a new fusion from values of another
// one, and in it a reduction whose loops are cut.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_SPLIT_CUT_H
#define MLOPT_PASSES_SPLIT_CUT_H

#include "build.h"
#include "schedule.h"

enum { MLOPT_MAX_PIECE_VALUES = 2048, MLOPT_MAX_CUT_OPERANDS = 16 };

/// A fusion that computes some of another one's values.
typedef struct MloptPiece {
  MlirOperation source; ///< the other one
  MlirRegion region;
  MlirBlock block;
  MloptBuilder b; ///< at the end of the block
  intptr_t count;
  MlirValue from[MLOPT_MAX_PIECE_VALUES], to[MLOPT_MAX_PIECE_VALUES];
  intptr_t numOperands, numYields;
  MlirValue operands[MLOPT_MAX_PIECE_VALUES], yields[MLOPT_MAX_PIECE_VALUES];
} MloptPiece;

void mloptBeginPiece(MloptPiece *, MlirOperation source);
/// Says what stands for a value of the source.
void mloptPieceBind(MloptPiece *, MlirValue from, MlirValue to);
/// A value from outside, as an argument.
MlirValue mloptPieceOperand(MloptPiece *, MlirValue outside);
/// A value of the source in the piece, with whatever computes it.
MlirValue mloptPieceNeed(MloptPiece *, MlirValue);
/// Yields a value; its number among the results.
intptr_t mloptPieceYield(MloptPiece *, MlirValue);
/// A copy of an operation of the source with other operands, at the end of the
/// piece, with what its regions read; null when building failed.
MlirOperation mloptPieceClone(MloptPiece *, MlirOperation,
                              const MlirValue *operands);
/// The fusion, before the source; null when building failed.
MlirOperation mloptEndPiece(MloptPiece *);

/// How the loops of a reduction are cut: those before `loop` that are reduced
/// become loops of the result whole, `loop` is `count` pieces of `length` from
/// `begin` on.
typedef struct MloptCut {
  intptr_t loop;
  int64_t begin, count, length;
} MloptCut;

/// A linalg.generic; null when building failed.
MlirOperation mloptPieceGeneric(MloptPiece *, intptr_t numInputs,
                                intptr_t numOutputs, const MlirValue *operands,
                                const MlirAttribute *maps,
                                MlirAttribute iterators, MlirRegion);

/// Adds a reduction of the source, cut. Input `replaced`, unless it is -1, is
/// what each piece has in `with`.
MlirOperation mloptPieceCut(MloptPiece *, MlirOperation reduction,
                            const MloptReduction *, const MloptCut *,
                            intptr_t replaced, MlirValue with);
/// Result `i` of a reduction from the results of its pieces, which start from
/// `init`.
MlirValue mloptPieceCombine(MloptPiece *, MlirOperation reduction, intptr_t i,
                            const MloptReduction *, const MloptCut *,
                            MlirValue pieces, MlirValue init);

/// The results `i` of pieces and of more of them, `behind` those.
MlirValue mloptPieceAppend(MloptPiece *, MlirOperation reduction, intptr_t i,
                           const MloptReduction *, const MloptCut *,
                           MlirValue pieces, const MloptCut *behind,
                           MlirValue more);

/// Whether a sum is one of exp(a - m) and `max` gives m, the largest a
/// (split_streams.c).
bool mloptIsStreamedWith(MlirOperation sum, MlirOperation max, MloptStreamed *);
/// What pieces are summed with: their largest elements, or 0 for -inf.
MlirValue mloptPieceReference(MloptPiece *, MlirValue largest);
/// The sum from those of the pieces, their largest elements and that of all;
/// starts from `init`.
MlirValue mloptPieceRescale(MloptPiece *, const MloptReduction *,
                            const MloptCut *, MlirValue sums, MlirValue largest,
                            MlirValue ofAll, MlirValue init);
/// A body over a piece's sum, its largest element, that of all and the
/// accumulator, which adds the sum, made up for.
MlirRegion mloptRescaledBody(MloptPiece *);

/// Puts the last of the fusions that one became in its place, and erases it.
void mloptReplaceSplit(MlirOperation fusion, MlirOperation last);

/// Cuts the scan of a fusion that has too few lines (split_scans.c); false
/// where it has none, or where building failed, which `*outFailed` says.
bool mloptSplitScan(MlirOperation fusion, bool *outFailed);
/// Turns the sort of a fusion whose lines are too long for a block into several
/// (split_sorts.c); likewise.
bool mloptSplitSort(MlirOperation fusion, bool *outFailed);
/// Sorts the windows of a fusion's scatter, where they are many, in a fusion of
/// its own, `*outSorted` (split_scatters.c); likewise.
bool mloptSplitScatter(MlirOperation fusion, MlirOperation *outSorted,
                       bool *outFailed);

#endif // MLOPT_PASSES_SPLIT_CUT_H
