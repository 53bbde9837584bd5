//===- value_map.c - What stands for a value ------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "value_map.h"

#include <stdlib.h>

void mloptValueMapDestroy(MloptValueMap *map) {
  free(map->from);
  free(map->to);
  *map = (MloptValueMap){0};
}

bool mloptValueMapAdd(MloptValueMap *map, MlirValue from, MlirValue to) {
  if (map->count == map->capacity) {
    intptr_t capacity = map->capacity ? 2 * map->capacity : 64;
    MlirValue *a = realloc(map->from, (size_t)capacity * sizeof *a);
    map->from = a ? a : map->from;
    MlirValue *b = realloc(map->to, (size_t)capacity * sizeof *b);
    map->to = b ? b : map->to;
    if (!a || !b)
      return false;
    map->capacity = capacity;
  }
  map->from[map->count] = from;
  map->to[map->count++] = to;
  return true;
}

bool mloptValueMapAddResults(MloptValueMap *map, MlirOperation from,
                             MlirOperation to) {
  bool good = true;
  for (intptr_t i = 0, n = mlirOperationGetNumResults(from); i < n; ++i)
    good &= mloptValueMapAdd(map, mloptResult(from, i), mloptResult(to, i));
  return good;
}

MlirValue mloptValueMapFind(const MloptValueMap *map, MlirValue from) {
  for (intptr_t i = map->count; i-- > 0;)
    if (mlirValueEqual(map->from[i], from))
      return map->to[i];
  return (MlirValue){NULL};
}
