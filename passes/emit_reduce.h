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

/// A reduction of the program and how each result combines.
typedef struct MloptShared {
  MlirOperation op;
  intptr_t numInputs, numResults;
  MloptReduction loops;
  MloptCombiner combiners[MLOPT_PULL_MAX_CARRIED];
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
/// One more step, as the combiner's operation does it.
MlirValue mloptBuildStep(MloptPull *, const MloptCombiner *,
                         MlirValue accumulator, MlirValue element);
MlirValue mloptBuildNeutral(MloptPull *, const MloptCombiner *);
/// All of them, halving; `values` is overwritten.
MlirValue mloptBuildTree(MloptPull *, const MloptCombiner *, intptr_t count,
                         MlirValue *values);
/// Among the `width` (a power of two) neighbours of a warp; all get it.
MlirValue mloptBuildWarpReduce(MloptPull *, const MloptCombiner *,
                               MlirValue value, int64_t width);

/// Among the threads of a warp whose numbers are the same modulo `width`, a
/// power of two; all get it.
MlirValue mloptBuildWarpReduceBeyond(MloptPull *, const MloptCombiner *,
                                     MlirValue value, int64_t width);

/// A new array in shared memory, as a pointer to its first element.
MlirValue mloptAddShared(MloptKernel *, MlirType element, int64_t count);
MlirValue mloptLoadShared(MloptPull *, MlirValue array, MlirType element,
                          MlirValue index);
void mloptStoreShared(MloptPull *, MlirValue array, MlirValue element,
                      MlirValue index);
void mloptBuildBarrier(MloptBuilder *);

#endif // MLOPT_PASSES_EMIT_REDUCE_H
