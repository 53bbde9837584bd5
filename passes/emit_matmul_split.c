//===- emit_matmul_split.c - Tiles whose k several blocks share -----------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The blocks of a cluster have each multiplied a part of k. The blocks of 128
// bytes that a tile is stored in are dealt out among them; each sends its sums
// of such a block to the one that stores it, through distributed shared memory,
// and that one adds them in the order of k, the same for every run.
//
//   rank 0: k 0..31   sums of [0 1 2 3]        receives 0 and 2 of both, stores
//   rank 1: k 32..63  sums of [0 1 2 3]        receives 1 and 3 of both, stores
//
// They land where the stages were, which nobody reads any more:
//
//   | first block of rank 0, of rank 1, .. | second block of rank 0, .. | ..
//
// each as groups of four registers of all threads, so that neighbouring threads
// access neighbouring 16 bytes.
//
//===----------------------------------------------------------------------===//

#include "emit_matmul_impl.h"

#include "mlir-c/Dialect/LLVM.h"

enum { GROUP = 4, REGISTER_BYTES = 4 };

static int64_t blockSize(const MloptMatmul *g) {
  return mloptMatmulBlockColumns(&g->c) / 2;
}

static int64_t blockBytes(const MloptMatmul *g) {
  return blockSize(g) * REGISTER_BYTES * MLOPT_MATMUL_WARPGROUP;
}

/// Block `i` of this consumer among those of the tile.
static MlirValue numberOf(MloptMatmul *g, const MloptMatmulConsumer *w,
                          int64_t i) {
  return mloptNvAddInt(
      &g->nv,
      mloptNvMulInt(&g->nv, w->index, mloptMatmulConsumerBlocks(&g->c, &g->s)),
      i);
}

/// The thread's first group of block `i` from `rank`, in whoever stores it.
static MlirValue placeOf(MloptMatmul *g, const MloptMatmulConsumer *w,
                         int64_t i, MlirValue rank) {
  MloptNv *nv = &g->nv;
  MlirValue turn = mloptNvDivInt(nv, numberOf(g, w, i), g->s.splits);
  MlirValue block = mloptNvAdd(nv, mloptNvMulInt(nv, turn, g->s.splits), rank);
  return mloptNvAdd(nv, mloptNvMulInt(nv, block, blockBytes(g)),
                    mloptNvMulInt(nv, g->thread, GROUP * REGISTER_BYTES));
}

static MlirValue ownerOf(MloptMatmul *g, const MloptMatmulConsumer *w,
                         int64_t i) {
  return mloptNvRemInt(&g->nv, numberOf(g, w, i), g->s.splits);
}

/// Between groups of a thread.
static int64_t groupStride(void) {
  return (int64_t)GROUP * REGISTER_BYTES * MLOPT_MATMUL_WARPGROUP;
}

void mloptMatmulExchange(MloptMatmul *g, const MloptMatmulConsumer *w,
                         const MlirValue *fragment) {
  MloptNv *nv = &g->nv;
  mloptNvClusterBarrier(nv, false); // all stages have been read
  for (int64_t i = 0; i < mloptMatmulConsumerBlocks(&g->c, &g->s); ++i) {
    const MlirValue *block = fragment + i * blockSize(g);
    MlirValue here =
        mloptNvAddress(nv, mloptNvShared(nv, placeOf(g, w, i, g->rank)));
    MlirValue there = mloptNvRemoteAddress(nv, here, ownerOf(g, w, i));
    for (int64_t r = 0; r < blockSize(g); r += GROUP)
      mloptNvStoreRemote4(
          nv, mloptNvAddInt(nv, there, r / GROUP * groupStride()), block + r);
  }
  mloptNvClusterBarrier(nv, true); // all sums have arrived
}

MloptNvScope mloptMatmulBeginOwned(MloptMatmul *g, const MloptMatmulConsumer *w,
                                   int64_t i) {
  return mloptNvBeginIf(
      &g->nv, mloptBuildCmpI(g->nv.b, "eq", ownerOf(g, w, i), g->rank));
}

void mloptMatmulAddSplits(MloptMatmul *g, const MloptMatmulConsumer *w,
                          int64_t i, MlirValue *outBlock) {
  MloptNv *nv = &g->nv;
  MlirType type = g->mma.isInteger ? nv->i32 : nv->f32;
  const char *add = g->mma.isInteger ? "arith.addi" : "arith.addf";
  for (int64_t split = 0; split < g->s.splits; ++split) {
    MlirValue place = placeOf(g, w, i, mloptNvInt(nv, split));
    for (int64_t r = 0; r < blockSize(g); r += GROUP) {
      MlirValue part[GROUP];
      mloptNvLoad4(nv, mloptNvAddInt(nv, place, r / GROUP * groupStride()),
                   type, part);
      for (int64_t j = 0; j < GROUP; ++j)
        outBlock[r + j] =
            split ? mloptNvArith(nv, add, outBlock[r + j], part[j]) : part[j];
    }
  }
}
