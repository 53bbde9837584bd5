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
/// Reads an element of a tensor bound to a pointer in place of mloptPullLoad,
/// so that an emitter may load several at once or keep what it has loaded.
typedef MlirValue (*MloptPullLoadFn)(void *userData, MlirValue tensor,
                                     MlirValue pointer,
                                     const MlirValue *indices);
/// Computes all results of a reduction whose parallel loops stand at `loops`
/// (the others are null); false where it leaves that to nested loops.
typedef bool (*MloptPullReduceFn)(void *userData, MlirOperation generic,
                                  const MlirValue *loops, MlirValue *results);
/// An element of what a tensor.insert_slice gives, where the emitter can do
/// better than a branch for each; null where it cannot.
typedef MlirValue (*MloptPullInsertFn)(void *userData, MlirOperation insert,
                                       const MlirValue *indices);
typedef struct MloptPullHooks {
  MloptPullLoadFn load;     ///< NULL: mloptPullLoad
  MloptPullInsertFn insert; ///< NULL: a branch
  MloptPullReduceFn reduce; ///< NULL: nested loops, in order
  void *userData;
} MloptPullHooks;
void mloptPullSetHooks(MloptPull *, MloptPullHooks);

/// Whether an element of what a tensor.insert_slice gives comes from its
/// source, and from where; a null condition means always.
MlirValue mloptPullInsertCondition(MloptPull *, MlirOperation insert,
                                   const MlirValue *indices, MlirValue *outAt);
/// The pointer; null when there is none.
MlirValue mloptPullFindPointer(MloptPull *, MlirValue tensor);
/// A scalar value of the program, and what stands for it.
void mloptPullBindScalar(MloptPull *, MlirValue scalar, MlirValue value);

/// The elements of an operation's results at `indices`, computed elsewhere, for
/// as long as the innermost loop or branch goes on.
void mloptPullBindElements(MloptPull *, MlirOperation, intptr_t rank,
                           const MlirValue *indices, const MlirValue *elements);

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

/// Runs the body of a linalg.generic with its loops at `loops`, up to what it
/// yields, without the operations that need accumulators. Writes the value of
/// `wanted[i]`, a value of the body, to out[i].
void mloptPullGenericBody(MloptPull *, MlirOperation generic,
                          const MlirValue *loops, intptr_t numWanted,
                          const MlirValue *wanted, MlirValue *out);
/// A value of a body that follows from `count` others, `from`, when they are
/// `to`; copies the operations between.
MlirValue mloptPullBodySlice(MloptPull *, MlirValue value, intptr_t count,
                             const MlirValue *from, const MlirValue *to);
/// The element of one operand of a linalg.generic with its loops at `loops`.
MlirValue mloptPullGenericOperand(MloptPull *, MlirOperation generic,
                                  intptr_t operand, const MlirValue *loops);

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
/// States that a position is major * extent + minor, minor below extent. Shapes
/// that are cut at the same place then need no division.
void mloptPullBindSplit(MloptPull *, MlirValue position, MlirValue major,
                        int64_t extent, MlirValue minor);
/// The position first + lane, `first` being a multiple of `count` and lane
/// below it: they are the lanes of a vector.
MlirValue mloptPullLane(MloptPull *, MlirValue first, int lane, int count);
/// The first of the vector whose lane this position or index is; null if it is
/// not known as one.
MlirValue mloptPullFindFirst(const MloptPull *, MlirValue, int lane, int count);
/// The same two for a run of neighbours that starts anywhere.
MlirValue mloptPullRun(MloptPull *, MlirValue first, int lane, int count);
MlirValue mloptPullFindRun(const MloptPull *, MlirValue, int lane, int count);
/// States that an index is the same for all lanes of a vector, and whether that
/// is known.
void mloptPullBindOuter(MloptPull *, MlirValue index);
bool mloptPullIsOuter(const MloptPull *, MlirValue index);
/// The address of an element, and the type of the elements in memory (i1 takes
/// a byte, f8 is an integer there).
MlirValue mloptPullAddress(MloptPull *, MlirValue pointer, MlirType tensor,
                           MlirValue position);
MlirType mloptPullMemoryType(MlirType element);
/// An element as it is in memory, and back.
MlirValue mloptPullToMemory(MloptPull *, MlirValue element);
MlirValue mloptPullFromMemory(MloptPull *, MlirValue stored, MlirType element);
/// A sum of two indices; the same one is one value, so that addresses can be
/// compared.
MlirValue mloptPullAdd(MloptPull *, MlirValue, MlirValue);
/// The product; likewise.
MlirValue mloptPullTimes(MloptPull *, MlirValue, MlirValue);
/// A value of a type that nobody uses.
MlirValue mloptPullPoison(MloptPull *, MlirType);
/// A constant, one value for each in the kernel.
MlirValue mloptPullIndex(MloptPull *, int64_t);

/// A loop or a branch under construction. Code goes into it until it ends.
typedef struct MloptPullScope {
  MlirBlock outer, inner;
  MlirOperation before; ///< where in `outer` code went, if not to its end
  MlirRegion region;
  intptr_t numCached, numPositions, numFacts;
} MloptPullScope;

/// What is known so far. Code that an emitter puts into a scope of its own is
/// out of reach behind it, so what was learnt there is forgotten.
typedef struct MloptPullMark {
  intptr_t numCached, numPositions, numFacts;
} MloptPullMark;
MloptPullMark mloptPullMark(const MloptPull *);
void mloptPullReset(MloptPull *, MloptPullMark);

enum { MLOPT_PULL_MAX_CARRIED = 64 };
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
/// Code without results that runs where `condition` holds; always, if it is
/// null.
MloptPullScope mloptPullBeginGuard(MloptPull *, MlirValue condition);
void mloptPullEndGuard(MloptPull *, MlirValue condition, MloptPullScope);

/// Room for one more of an array of `size` bytes each; false, and a failed
/// builder, when memory is out.
bool mloptPullGrow(MloptPull *, void **array, intptr_t count,
                   intptr_t *capacity, size_t size);

#endif // MLOPT_PASSES_EMIT_PULL_H
