//===- nv_tma.h - Boxes between global and shared memory ----------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tensor memory accelerator moves boxes of a tensor that a tensor map, a
// kernel parameter of 128 bytes, describes. What lies outside of the tensor
// reads as zero and is not written. One thread starts a copy.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_NV_TMA_H
#define MLOPT_PASSES_NV_TMA_H

#include "nv_build.h"

/// What a box's innermost dimension takes with the 128-byte swizzle: the
/// 16-byte piece p of row r lies at piece p ^ (r % 8) of the row.
enum { MLOPT_NV_ROW_BYTES = 128 };

/// The attributes that make a parameter of an llvm.func a tensor map.
MlirAttribute mloptNvMapParameter(MlirContext);
/// Brings a map into the cache.
void mloptNvPrefetchMap(MloptNv *, MlirValue map);
/// A box to be loaded.
typedef struct MloptNvBox {
  MlirValue map;
  MlirValue offset;  ///< of the shared block
  MlirValue barrier; ///< counts its bytes
  intptr_t rank;
  const MlirValue *at; ///< the innermost coordinate first, i32
  /// Of pixels, by how much the windows are moved: of the rank - 2 dimensions
  /// between the innermost and the outermost, i32, never below 0. Else NULL.
  const MlirValue *moved;
  /// The blocks of the cluster that get it, one bit each, with the barrier at
  /// the same place there; 0 for this block alone.
  int64_t blocks;
} MloptNvBox;
/// Starts its copy.
void mloptNvLoadBox(MloptNv *, const MloptNvBox *);
/// Starts a copy of so many bytes that lie in a row, a multiple of 16, to a
/// pointer into shared memory; both ends lie on multiples of 16. It needs no
/// map.
void mloptNvCopyBulk(MloptNv *, MlirValue to, MlirValue from, int64_t bytes,
                     MlirValue barrier);
/// Starts a copy from `offset`, in the open group.
void mloptNvStoreBox(MloptNv *, MlirValue map, MlirValue offset, intptr_t rank,
                     const MlirValue *at);
/// Closes the group of stores.
void mloptNvCommitStores(MloptNv *);
/// Waits until all but the newest `groups` have read their memory, or are done.
void mloptNvWaitStoresRead(MloptNv *, int groups);
/// Orders this thread's writes to shared memory before copies that start later.
void mloptNvFenceShared(MloptNv *);

#endif // MLOPT_PASSES_NV_TMA_H
