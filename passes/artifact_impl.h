//===- artifact_impl.h - Inside the making of an artifact ---------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_ARTIFACT_IMPL_H
#define MLOPT_PASSES_ARTIFACT_IMPL_H

#include "artifact_write.h"
#include "support.h"

/// Memory that the writer borrows until the artifact is written.
typedef struct MloptKept {
  struct MloptKept *next;
} MloptKept;

/// Names in the order of the writer's numbers.
typedef struct MloptSymbols {
  const char **names;
  uint32_t count, capacity;
} MloptSymbols;

/// A value that is memory, and the writer's buffer for it.
typedef struct MloptValuePlace {
  MlirValue value;
  uint32_t buffer;
  MloptPlace place;
  uint64_t bytes;
} MloptValuePlace;

typedef struct MloptArtifactBuild {
  MloptArtifactWriter *writer;
  MloptEntryWriter *entry;
  MloptSymbols kernels, constants;
  // Of the current entry.
  MlirBlock entryBlock;
  intptr_t numArguments, numResults;
  uint64_t arenaBytes;
  intptr_t numPlaces, maxPlaces;
  MloptValuePlace *places;
  MloptKept *kept;
  bool failed;
} MloptArtifactBuild;

/// Zeroed memory that lives until the artifact is written; NULL sets `failed`.
void *mloptKeep(MloptArtifactBuild *, size_t size);
const char *mloptKeepName(MloptArtifactBuild *, MlirStringRef);
/// Reports once, and returns false.
bool mloptRefuseArtifact(MloptArtifactBuild *, MlirOperation, const char *why);
void mloptPushSymbol(MloptArtifactBuild *, MloptSymbols *, const char *name);
/// The number of a name; UINT32_MAX if it is not there.
uint32_t mloptFindSymbol(const MloptSymbols *, MlirStringRef name);

enum { MLOPT_ELEMENT_NAME = 32 };
/// "f32"; the spelling of MLIR.
void mloptElementName(MlirType, char name[MLOPT_ELEMENT_NAME]);
uint64_t mloptBufferBytes(MlirType);

/// Where a value lies; NULL after a diagnostic at `user`.
const MloptValuePlace *mloptMemoryOf(MloptArtifactBuild *, MlirValue,
                                     MlirOperation user);
/// The constant behind an index value; -1 if there is none.
int64_t mloptConstantIndex(MlirValue);

/// The operations of a block as the steps of a segment.
void mloptAddSteps(MloptArtifactBuild *, MlirBlock, uint32_t segment);

#endif // MLOPT_PASSES_ARTIFACT_IMPL_H
