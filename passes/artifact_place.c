//===- artifact_place.c - Where the values of a launch plan lie -----------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a memref of the host function to the buffer of the artifact that it is:
// an argument, a result, a part of the arena or a constant, each added once.
// What lies elsewhere refuses the artifact. Symbols have the numbers in which
// they were added.
//
//===----------------------------------------------------------------------===//

#include "artifact_impl.h"
#include "target.h"

#include <stdlib.h>

void mloptPushSymbol(MloptArtifactBuild *build, MloptSymbols *symbols,
                     const char *name) {
  if (symbols->count == symbols->capacity) {
    uint32_t capacity = symbols->capacity ? 2 * symbols->capacity : 16;
    const char **names =
        realloc(symbols->names, capacity * sizeof *symbols->names);
    if (!names) {
      build->failed = true;
      return;
    }
    symbols->names = names;
    symbols->capacity = capacity;
  }
  symbols->names[symbols->count++] = name;
}

uint32_t mloptFindSymbol(const MloptSymbols *symbols, MlirStringRef name) {
  for (uint32_t i = 0; i < symbols->count; ++i)
    if (mloptStrEq(name, symbols->names[i]))
      return i;
  return UINT32_MAX;
}

int64_t mloptConstantIndex(MlirValue value) {
  if (!mlirValueIsAOpResult(value))
    return -1;
  MlirOperation op = mlirOpResultGetOwner(value);
  return mloptIsNamed(op, "arith.constant")
             ? mlirIntegerAttrGetValueInt(mloptAttr(op, "value"))
             : -1;
}

/// Argument, result, view of the arena or constant; false for all else.
static bool findPlace(const MloptArtifactBuild *build, MlirValue value,
                      MloptPlace *out) {
  if (mlirValueIsABlockArgument(value)) {
    intptr_t n = mlirBlockArgumentGetArgNumber(value);
    bool isResult = n >= build->numArguments;
    *out = (MloptPlace){isResult ? MLOPT_HOME_RESULT : MLOPT_HOME_ARGUMENT,
                        (uint32_t)(isResult ? n - build->numArguments : n), 0};
    return mlirBlockEqual(mlirBlockArgumentGetOwner(value),
                          build->entryBlock) &&
           n < build->numArguments + build->numResults;
  }
  MlirOperation op = mlirOpResultGetOwner(value);
  if (mloptIsNamed(op, "builtin.unrealized_conversion_cast"))
    return findPlace(build, mloptOperand(op, 0), out);
  if (mloptIsNamed(op, "memref.view")) {
    int64_t offset = mloptConstantIndex(mloptOperand(op, 1));
    *out = (MloptPlace){MLOPT_HOME_ARENA, 0, (uint64_t)offset};
    return offset >= 0;
  }
  if (mloptIsNamed(op, "memref.get_global")) {
    uint32_t constant =
        mloptFindSymbol(&build->constants,
                        mlirFlatSymbolRefAttrGetValue(mloptAttr(op, "name")));
    *out = (MloptPlace){MLOPT_HOME_CONSTANT, constant, 0};
    return constant != UINT32_MAX;
  }
  return false;
}

static MloptValuePlace *addPlace(MloptArtifactBuild *build) {
  if (build->numPlaces == build->maxPlaces) {
    intptr_t capacity = build->maxPlaces ? 2 * build->maxPlaces : 64;
    MloptValuePlace *places = realloc(build->places, capacity * sizeof *places);
    if (!places) {
      build->failed = true;
      return NULL;
    }
    build->places = places;
    build->maxPlaces = capacity;
  }
  return &build->places[build->numPlaces++];
}

const MloptValuePlace *mloptMemoryOf(MloptArtifactBuild *build, MlirValue value,
                                     MlirOperation user) {
  for (intptr_t i = 0; i < build->numPlaces; ++i)
    if (mlirValueEqual(build->places[i].value, value))
      return &build->places[i];
  MloptPlace place;
  if (!mlirTypeIsAMemRef(mlirValueGetType(value)) ||
      !findPlace(build, value, &place)) {
    mloptRefuseArtifact(build, user, "it uses memory of unknown place");
    return NULL;
  }
  MloptValuePlace *entry = addPlace(build);
  if (!entry)
    return NULL;
  MlirType type = mlirValueGetType(value);
  *entry = (MloptValuePlace){
      .value = value, .place = place, .bytes = mloptBufferBytes(type)};
  // Threads access what lies side by side together, up to 16 bytes at once.
  uint32_t alignment = 1;
  while (alignment < mloptSm90.accessBytes && 2 * alignment <= entry->bytes)
    alignment *= 2;
  entry->buffer = mloptAddBuffer(build->entry, place, entry->bytes, alignment);
  return entry;
}
