//===- emit_pull_impl.h - Inside the pull emitter -----------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_EMIT_PULL_IMPL_H
#define MLOPT_PASSES_EMIT_PULL_IMPL_H

#include "emit_pull.h"
#include "value_map.h"

#include "mlir-c/AffineMap.h"

/// A structured operation evaluated at one point of its iteration space, so
/// that a value used twice at the same indices is computed once.
typedef struct MloptPullCached {
  MlirOperation op;
  MlirAffineMap map; ///< from the loops to the indices
  intptr_t rank;
  MlirValue indices[MLOPT_MAX_RANK];
  intptr_t numResults;
  MlirValue results[MLOPT_PULL_MAX_CARRIED];
} MloptPullCached;

/// Indices in a shape and their position; unit dimensions left out.
typedef struct MloptPullPosition {
  intptr_t rank;
  int64_t shape[MLOPT_MAX_RANK];
  MlirValue indices[MLOPT_MAX_RANK];
  MlirValue position;
} MloptPullPosition;

typedef enum MloptPullFactKind {
  MLOPT_PULL_SPLIT,  ///< value = base * extent + minor
  MLOPT_PULL_LANE,   ///< value = base + lane, of a vector of `extent`
  MLOPT_PULL_RUN,    ///< the same, but that the base is any number
  MLOPT_PULL_OUTER,  ///< all lanes of a vector share it
  MLOPT_PULL_SUM,    ///< value = base + minor
  MLOPT_PULL_PRODUCT ///< value = base * minor
} MloptPullFactKind;

/// What is known of a position or an index.
typedef struct MloptPullFact {
  MlirValue value;
  MloptPullFactKind kind;
  MlirValue base, minor;
  int64_t extent;
  int lane;
} MloptPullFact;

/// An index constant at the kernel's start.
typedef struct MloptPullConstant {
  int64_t number;
  MlirValue value;
} MloptPullConstant;

struct MloptPull {
  MloptBuilder b;
  MlirBlock entry; ///< where constants go
  MloptPullHooks hooks;
  MloptValueMap pointers; ///< of tensors in memory
  MloptValueMap scalars;
  MloptPullCached *cached;
  intptr_t numCached, maxCached;
  MloptPullPosition *positions;
  intptr_t numPositions, maxPositions;
  MloptPullFact *facts;
  intptr_t numFacts, maxFacts;
  MloptPullConstant *constants;
  intptr_t numConstants, maxConstants;
};

/// By a constant; like mloptPullTimes.
MlirValue mloptPullMul(MloptPull *, MlirValue, int64_t factor);

/// Binds the results of a scalar operation of the program: copies it, or looks
/// up what it reads. `point` is where the loops of the linalg.generic around it
/// stand; NULL outside of one.
void mloptPullOperation(MloptPull *, MlirOperation, const void *point);

/// What mloptPullBindElements has bound; null when there is none.
MlirValue mloptPullFindElement(MloptPull *, MlirValue tensor,
                               const MlirValue *indices);

/// Evaluates a linalg.generic where its parallel loops stand at the element of
/// result `result` that has these indices. Null on failure.
const MlirValue *mloptPullGeneric(MloptPull *, MlirOperation, intptr_t result,
                                  const MlirValue *indices);

#endif // MLOPT_PASSES_EMIT_PULL_IMPL_H
