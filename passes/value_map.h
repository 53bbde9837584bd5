//===- value_map.h - What stands for a value ----------------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pairs of values, the newest first to be found. A map is a stack: to forget
// what was added, set `count` back. The arrays are what mloptCloneWithMapping
// takes.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_VALUE_MAP_H
#define MLOPT_PASSES_VALUE_MAP_H

#include "support.h"

typedef struct MloptValueMap {
  intptr_t count, capacity;
  MlirValue *from, *to;
} MloptValueMap;

/// Frees what it holds, and leaves it empty.
void mloptValueMapDestroy(MloptValueMap *);
/// False when out of memory.
bool mloptValueMapAdd(MloptValueMap *, MlirValue from, MlirValue to);
/// Adds each result of an operation and of its copy.
bool mloptValueMapAddResults(MloptValueMap *, MlirOperation from,
                             MlirOperation to);
/// What stands for a value; null when nothing does.
MlirValue mloptValueMapFind(const MloptValueMap *, MlirValue from);

#endif // MLOPT_PASSES_VALUE_MAP_H
