//===- target.h - What the GPU can do -----------------------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Limits of sm_90 as data. Schedules are chosen by them.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_TARGET_H
#define MLOPT_PASSES_TARGET_H

#include <stdint.h>

typedef struct MloptTarget {
  int64_t multiprocessors;   ///< that share the work of a grid
  int64_t warp;              ///< threads that run together
  int64_t threads;           ///< of a block, at most
  int64_t residentThreads;   ///< of a multiprocessor, at most
  int64_t registers;         ///< of a multiprocessor, 32 bits each
  int64_t accessBytes;       ///< of one thread's widest access
  int64_t sectorBytes;       ///< what memory moves at least
  int64_t blocks;            ///< of a grid along x, at most
  int64_t staticSharedBytes; ///< of a block, without a launch attribute
  int64_t sharedBytes;       ///< of a block, at most
  int64_t clusterBlocks;     ///< of a cluster, at most
  int64_t portableCluster;   ///< the same without asking the driver for more
  int64_t memoryBytes;       ///< to and from memory in a microsecond
  int64_t additions;         ///< of f32 in a microsecond
  int64_t tensorProducts;    ///< of 16-bit floats in a microsecond
  int64_t launchNanoseconds; ///< of a kernel that waits for another
} MloptTarget;

extern const MloptTarget mloptSm90;

#endif // MLOPT_PASSES_TARGET_H
