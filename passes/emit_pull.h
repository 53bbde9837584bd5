//===- emit_pull.h - Elements of tensor programs on demand --------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds scalar code that computes one element of a tensor value at given
// indices, from the level-4 operations that define the value, down to loads
// from the pointers that stand for the program's arguments. Any tensor program
// can be emitted so; what it costs is recomputation, which the caller avoids by
// cutting the program into kernels first.
//
// Reads iterator types, indexing maps and scalar regions only.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_EMIT_PULL_H
#define MLOPT_PASSES_EMIT_PULL_H

#include "build.h"

typedef struct MloptPull MloptPull;

/// Starts appending to `block`. The caller owns the result.
MloptPull *mloptPullCreate(MlirBlock block, MlirLocation);
/// Whether everything was built.
bool mloptPullDestroy(MloptPull *);
/// The builder, positioned where the code goes now.
MloptBuilder *mloptPullGetBuilder(MloptPull *);

/// A tensor value whose elements lie at `pointer` (!llvm.ptr) in row-major
/// order; i1 takes a byte.
void mloptPullBindPointer(MloptPull *, MlirValue tensor, MlirValue pointer);
/// A scalar value of the program, and what stands for it.
void mloptPullBindScalar(MloptPull *, MlirValue scalar, MlirValue value);

/// The element of a tensor value at `indices` (of type index). When it cannot
/// be computed, one diagnostic at the operation that stands in the way.
MlirValue mloptPullElement(MloptPull *, MlirValue tensor,
                           const MlirValue *indices);
/// The value of a scalar of the program.
MlirValue mloptPullScalar(MloptPull *, MlirValue scalar);

/// Runs the scalar operations of a block, its arguments replaced, and writes
/// what its terminator yields.
void mloptPullBody(MloptPull *, MlirBlock, const MlirValue *arguments,
                   MlirValue *yielded);

/// Address arithmetic on a bound or any other pointer.
MlirValue mloptPullLoad(MloptPull *, MlirValue pointer, MlirType tensor,
                        const MlirValue *indices);
void mloptPullStore(MloptPull *, MlirValue element, MlirValue pointer,
                    MlirType tensor, const MlirValue *indices);
/// Row-major position of indices in a static shape, and back.
MlirValue mloptPullLinearize(MloptPull *, MlirType tensor,
                             const MlirValue *indices);
void mloptPullDelinearize(MloptPull *, MlirType tensor, MlirValue position,
                          MlirValue *outIndices);

/// A loop or a branch under construction. Code goes into it until it ends.
typedef struct MloptPullScope {
  MlirBlock outer, inner;
  MlirOperation before; ///< where in `outer` code went, if not to its end
  MlirRegion region;
  intptr_t numCached;
} MloptPullScope;

enum { MLOPT_PULL_MAX_CARRIED = 16 };
/// `scf.for` from `lower` to `upper`; `outIndex` and `outCarried` are the
/// block's arguments.
MloptPullScope mloptPullBeginFor(MloptPull *, intptr_t numCarried,
                                 const MlirValue *init, MlirValue *outIndex,
                                 MlirValue *outCarried);
/// Ends it with the next values of what is carried; `out` gets the last ones.
void mloptPullEndFor(MloptPull *, MloptPullScope, MlirValue lower,
                     MlirValue upper, MlirValue step, intptr_t numCarried,
                     const MlirValue *init, const MlirValue *next,
                     MlirValue *out);
/// One branch of an `scf.if`.
MloptPullScope mloptPullBeginBranch(MloptPull *);
void mloptPullEndBranch(MloptPull *, MloptPullScope *, intptr_t numResults,
                        const MlirValue *results);
/// The `scf.if` of two ended branches.
void mloptPullBuildIf(MloptPull *, MlirValue condition, MloptPullScope then,
                      MloptPullScope otherwise, intptr_t numResults,
                      const MlirType *types, MlirValue *out);

#endif // MLOPT_PASSES_EMIT_PULL_H
