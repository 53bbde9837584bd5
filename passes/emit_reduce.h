//===- emit_reduce.h - Reductions shared between threads ----------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steps of a reduction that the families of reductions have in common. Every
// order is fixed by the schedule, so that results are the same in each run.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_EMIT_REDUCE_H
#define MLOPT_PASSES_EMIT_REDUCE_H

#include "emit_kernels.h"
#include "nv_tile.h"

/// A reduction of the program and how it combines. Its results are reduced
/// together: where several values are spoken of, they are one of each result,
/// in their order.
typedef struct MloptShared {
  MlirOperation op;
  intptr_t numInputs, numResults;
  MloptReduction loops;
  bool isArg; ///< one of the best and where it is
  MloptArgCombiner arg;
  MloptCombiner combiners[MLOPT_PULL_MAX_CARRIED]; ///< of each, otherwise
  MlirValue elements[MLOPT_PULL_MAX_CARRIED]; ///< of the body: what is combined
} MloptShared;

MloptShared mloptOpenShared(MlirOperation generic);
/// Where the loops stand at a position among the elements that are kept, and at
/// one among those that are reduced.
void mloptSharedLoops(MloptPull *, const MloptShared *, MlirValue kept,
                      MlirValue reduced, MlirValue *outLoops);
/// Whether `loops` (those reduced are null) stand at this position among the
/// elements that are kept.
bool mloptSharedIsAt(MloptPull *, const MloptShared *, MlirValue kept,
                     const MlirValue *loops);
/// What the point at `loops` adds to each result; the neutral element where
/// `valid`, if not null, is false.
void mloptSharedElements(MloptPull *, const MloptShared *,
                         const MlirValue *loops, MlirValue valid,
                         MlirValue *out);
/// What changes nothing in result `i`.
MlirValue mloptBuildNeutral(MloptPull *, const MloptShared *, intptr_t i);
/// Combines other values into some.
void mloptBuildStep(MloptPull *, const MloptShared *, MlirValue *into,
                    const MlirValue *from);
/// Combines `count` times as many into the first ones, halving; `values` is
/// overwritten.
void mloptBuildTree(MloptPull *, const MloptShared *, intptr_t count,
                    MlirValue *values);
/// Among the threads of a warp whose numbers differ in the bits from `least` up
/// to below `end`, powers of two; all get it.
void mloptBuildWarpReduce(MloptPull *, const MloptShared *, int64_t least,
                          int64_t end, MlirValue *values);
/// Among the threads of a line, of `schedule.line` threads; all get it.
/// `thread` is the number in the block. Where a line is more than a warp, all
/// threads of the block must pass.
void mloptBuildLineReduce(MloptKernel *, const MloptShared *, MlirValue thread,
                          MlirValue *values);
/// The loops' initial values and, behind them, what the threads have found.
void mloptBuildFinal(MloptPull *, const MloptShared *, const MlirValue *loops,
                     const MlirValue *found, MlirValue *out);

/// The value of another lane of the warp, by a `kind` of nvvm.shfl.sync:
/// "bfly", "idx" or "up". All lanes must pass.
MlirValue mloptBuildShuffle(MloptBuilder *, const char *kind, MlirValue,
                            MlirValue offset);

/// The lanes of the warp at which a condition holds, as bits of an i32, and how
/// many bits of an i32 are set, as an index. All lanes must pass the first.
MlirValue mloptBuildBallot(MloptBuilder *, MlirValue condition);
MlirValue mloptBuildCountLanes(MloptBuilder *, MlirValue lanes);

/// A new array in shared memory, as a pointer to its first element.
MlirValue mloptAddShared(MloptKernel *, MlirType element, int64_t count);
MlirValue mloptLoadShared(MloptPull *, MlirValue array, MlirType element,
                          MlirValue index);
void mloptStoreShared(MloptPull *, MlirValue array, MlirValue element,
                      MlirValue index);
void mloptBuildBarrier(MloptBuilder *);
/// What an array of this block is in the block of another rank (an index) of
/// its cluster.
MlirValue mloptBuildElsewhere(MloptBuilder *, MlirValue array, MlirValue rank);

#endif // MLOPT_PASSES_EMIT_REDUCE_H
