//===- pool.h - Memory that is freed all at once ------------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a plan is made of lives and dies together. Everything handed out is
// zeroed and aligned for any type.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_RUNTIME_POOL_H
#define MLOPT_RUNTIME_POOL_H

#include <stddef.h>

/// Zero-initialised is empty.
typedef struct MloptPool {
  struct MloptPoolBlock *blocks;
  char *next;
  size_t left;
} MloptPool;

/// `count` zeroed elements of `size` bytes; NULL when the host has no memory.
/// Never NULL for a count of 0.
void *mloptPoolAllocate(MloptPool *pool, size_t count, size_t size);
char *mloptPoolCopyText(MloptPool *pool, const char *text);
void mloptPoolFree(MloptPool *pool);

#endif // MLOPT_RUNTIME_POOL_H
