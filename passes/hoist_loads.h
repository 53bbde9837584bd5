//===- hoist_loads.h - Loads before what uses them ----------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emitters ask for elements one by one, and each brings its loads along. A
// thread that waits for one load after the other leaves the memory idle: ptxas
// seldom moves a load over the arithmetic of the element before it.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_HOIST_LOADS_H
#define MLOPT_PASSES_HOIST_LOADS_H

#include "build.h"

/// Moves the loads from global memory of a block, with the arithmetic of their
/// addresses, to its start: first all that wait for no other load of it, then
/// those that wait for these, and so on. No store of the block may write what
/// they read. False after running out of memory.
bool mloptHoistLoads(MlirBlock);

#endif // MLOPT_PASSES_HOIST_LOADS_H
