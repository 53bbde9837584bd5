//===- pool.c - Memory that is freed all at once --------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pool.h"

#include <stdlib.h>
#include <string.h>

typedef struct MloptPoolBlock {
  struct MloptPoolBlock *before;
  _Alignas(max_align_t) char data[];
} Block;

void *mloptPoolAllocate(MloptPool *pool, size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes) ||
      __builtin_add_overflow(bytes, sizeof(max_align_t) - 1, &bytes))
    return NULL;
  bytes -= bytes % sizeof(max_align_t);
  if (bytes > pool->left || !pool->blocks) {
    size_t room = bytes > 4096 ? bytes : 4096;
    size_t whole;
    if (__builtin_add_overflow(room, sizeof(Block), &whole))
      return NULL;
    Block *block = calloc(1, whole);
    if (!block)
      return NULL;
    block->before = pool->blocks;
    pool->blocks = block;
    pool->next = block->data;
    pool->left = room;
  }
  void *result = pool->next;
  pool->next += bytes;
  pool->left -= bytes;
  return result;
}

char *mloptPoolCopyText(MloptPool *pool, const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = mloptPoolAllocate(pool, size, 1);
  return copy ? memcpy(copy, text, size) : NULL;
}

void mloptPoolFree(MloptPool *pool) {
  for (Block *block = pool->blocks; block;) {
    Block *before = block->before;
    free(block);
    block = before;
  }
  *pool = (MloptPool){0};
}
