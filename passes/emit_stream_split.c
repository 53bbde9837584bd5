//===- emit_stream_split.c - Tiles whose keys several blocks share --------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The blocks of a cluster have each taken a part of a tile's steps, and have
// m, l and O of their keys. Each leaves them in its shared memory, combines a
// part of the columns of all of them, which it reads through distributed shared
// memory in the order of the keys, and stores that:
//
//   rank 0: steps 0..31    m l O        m' = max(m of all)
//   rank 1: steps 32..63   m l O        l' = sum of l * exp(m - m')
//                                       O' = sum of O * exp(m - m')
//
// as groups of four registers of all threads, the ones of O and then the rows',
// so that neighbouring threads access neighbouring 16 bytes.
//
//===----------------------------------------------------------------------===//

#include "emit_stream_impl.h"

#include "nv_mma.h"

enum {
  GROUP = 4,
  GROUP_BYTES = 16,
  STRIDE = GROUP_BYTES * MLOPT_STREAM_WARPGROUP
};

/// The groups of O that a thread holds.
static int64_t groupsOf(const MloptStreamKernel *g) {
  return mloptNvFragmentSize(&g->sums) / GROUP;
}

/// The rows of a block's state are one group.
static void loadRows(MloptStreamKernel *g, MlirValue there,
                     MloptStreamRows *out) {
  MlirValue group[GROUP];
  mloptNvLoadRemote(&g->nv, there, groupsOf(g) * STRIDE, g->nv.f32, true,
                    group);
  for (int row = 0; row < MLOPT_STREAM_ROWS; ++row) {
    out->max[row] = group[row];
    out->sum[row] = group[MLOPT_STREAM_ROWS + row];
  }
}

/// Leaves what this block has where the others find it.
static void leave(MloptStreamKernel *g, MlirValue here,
                  const MloptStreamRows *rows, const MlirValue *sums) {
  MloptNv *nv = &g->nv;
  MlirValue own = mloptNvRemoteAddress(nv, here, g->rank);
  const MlirValue group[GROUP] = {rows->max[0], rows->max[1], rows->sum[0],
                                  rows->sum[1]};
  for (int64_t i = 0; i < groupsOf(g); ++i)
    mloptNvStoreRemote4(nv, mloptNvAddInt(nv, own, i * STRIDE),
                        sums + i * GROUP);
  mloptNvStoreRemote4(nv, mloptNvAddInt(nv, own, groupsOf(g) * STRIDE), group);
}

void mloptStreamCombine(MloptStreamKernel *g, double scale,
                        MloptStreamRows *rows, MlirValue *sums) {
  MloptNv *nv = &g->nv;
  int64_t splits = g->s.splits, share = groupsOf(g) / splits;
  MlirValue there[MLOPT_STREAM_MOST_SPLITS];
  MloptStreamRows parts[MLOPT_STREAM_MOST_SPLITS];
  MlirValue repairs[MLOPT_STREAM_MOST_SPLITS][MLOPT_STREAM_ROWS];
  MlirValue here = mloptNvAddress(
      nv, mloptNvShared(
              nv, mloptNvAddInt(nv, mloptNvMulInt(nv, g->thread, GROUP_BYTES),
                                g->shared.store)));
  leave(g, here, rows, sums);
  mloptNvClusterBarrier(nv, true); // all have left theirs
  for (int64_t i = 0; i < splits; ++i) {
    there[i] = mloptNvRemoteAddress(nv, here, mloptNvInt(nv, i));
    loadRows(g, there[i], &parts[i]);
  }
  *rows = mloptStreamMergeRows(g, scale, splits, parts, repairs);
  MlirValue first = mloptNvMulInt(nv, g->rank, share * STRIDE);
  for (int64_t i = 0; i < splits; ++i)
    for (int64_t j = 0; j < share; ++j) {
      MlirValue group[GROUP];
      mloptNvLoadRemote(nv, mloptNvAdd(nv, there[i], first), j * STRIDE,
                        nv->f32, true, group);
      for (int e = 0; e < GROUP; ++e) {
        MlirValue *sum = &sums[j * GROUP + e];
        MlirValue part = mloptNvArith(nv, "arith.mulf", group[e],
                                      repairs[i][e / MLOPT_STREAM_ROWS]);
        *sum = i ? mloptNvArith(nv, "arith.addf", *sum, part) : part;
      }
    }
  // And have read them: a load may be under way beside a relaxed arrival, and
  // the block that it reads from, gone.
  mloptNvClusterBarrier(nv, true);
}
