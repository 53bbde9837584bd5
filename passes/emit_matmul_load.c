//===- emit_matmul_load.c - From the factors to the stages ----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TMA copies a tile's part of a factor, a stage at a time: 128 bytes along k of
// all of its rows in one box, or where the factor runs along m or n, boxes of
// 128 bytes of these by the stage's rows along k. A box's place in the tensor
// map follows from where the stage starts in the indices of b, m, n and k, as
// contraction.h says.
//
//===----------------------------------------------------------------------===//

#include "emit_matmul_impl.h"

/// A box of a factor that starts at these indices, into this block or all of
/// the cluster.
static void loadBox(MloptMatmul *g, const MloptMatrix *factor, MlirValue map,
                    MlirValue offset, MlirValue barrier, const MlirValue *axes,
                    bool shared) {
  MlirValue at[MLOPT_MAX_MAP_RANK], moved[MLOPT_MAX_MAP_RANK];
  for (intptr_t i = 0; i < factor->rank; ++i) {
    at[i] = mloptMapIndexAt(&g->nv, &factor->dims[i].at, axes);
    if (factor->isPixels && i && i < factor->rank - 1)
      moved[i - 1] = mloptMapIndexAt(&g->nv, &factor->dims[i].offset, axes);
  }
  mloptNvLoadBox(&g->nv,
                 &(MloptNvBox){.map = map,
                               .offset = offset,
                               .barrier = barrier,
                               .rank = factor->rank,
                               .at = at,
                               .moved = factor->isPixels ? moved : NULL,
                               .blocks = shared ? (1 << g->s.cluster) - 1 : 0});
}

/// The tensor map of A, or of B of product `i`, for whichever contraction the
/// tile is.
static MlirValue mapOf(MloptMatmul *g, MloptMatmulTile tile, bool isB,
                       intptr_t product) {
  MloptNv *nv = &g->nv;
  MlirValue map = {NULL};
  intptr_t last = -1;
  for (intptr_t i = 0; i < g->all.count; ++i) {
    const MloptContraction *c = &g->all.at[i];
    intptr_t own = isB ? c->parametersOfB[product] : c->a.parameter;
    if (own == last)
      continue;
    MlirValue argument = mlirBlockGetArgument(g->parameters, own);
    map = i ? mloptBuildSelect(
                  nv->b,
                  mloptBuildCmpI(nv->b, "uge", tile.part, mloptNvInt(nv, i)),
                  argument, map)
            : argument;
    last = own;
  }
  return map;
}

MlirValue mloptMatmulStartOfStep(MloptMatmul *g, MlirValue step) {
  MloptNv *nv = &g->nv;
  int64_t depth = g->s.tile[2], run = g->c.run;
  if (run % depth == 0 || run == g->c.sizes[MLOPT_AXIS_K])
    return mloptNvMulInt(nv, step, depth);
  int64_t perRun = (run + depth - 1) / depth;
  return mloptNvAdd(nv, mloptNvMulInt(nv, mloptNvDivInt(nv, step, perRun), run),
                    mloptNvMulInt(nv, mloptNvRemInt(nv, step, perRun), depth));
}

/// A factor's part of a stage: one box, or one for each 128 bytes of its rows
/// where these are contiguous. `axes` are where it starts, and `axis` is that
/// of its rows.
static void loadFactor(MloptMatmul *g, const MloptMatrix *factor, MlirValue map,
                       MlirValue offset, MlirValue barrier, MloptAxis axis,
                       int64_t rows, const MlirValue *axes, bool shared) {
  MloptNv *nv = &g->nv;
  if (factor->isKMajor) {
    loadBox(g, factor, map, offset, barrier, axes, shared);
    return;
  }
  MlirValue at[MLOPT_NUM_AXES];
  memcpy(at, axes, sizeof at);
  // As many rows along k as elements in 128 bytes.
  for (int64_t i = 0; i < rows; i += g->s.tile[2]) {
    at[axis] = mloptNvAddInt(nv, axes[axis], i);
    loadBox(g, factor, map, mloptNvAddInt(nv, offset, i * MLOPT_NV_ROW_BYTES),
            barrier, at, shared);
  }
}

MlirValue mloptMatmulStageOffset(MloptMatmul *g, MlirValue stage, int64_t start,
                                 int64_t bytes) {
  return mloptNvAddInt(&g->nv, mloptNvMulInt(&g->nv, stage, bytes), start);
}

void mloptMatmulLoadA(MloptMatmul *g, MloptMatmulTile tile, MlirValue step,
                      MlirValue stage, MlirValue barrier) {
  const MlirValue axes[] = {[MLOPT_AXIS_BATCH] = tile.batch,
                            [MLOPT_AXIS_M] = tile.m,
                            [MLOPT_AXIS_K] = mloptMatmulStartOfStep(g, step)};
  loadFactor(g, &g->c.a, mapOf(g, tile, false, 0),
             mloptMatmulStageOffset(g, stage, g->shared.a, g->shared.aBytes),
             barrier, MLOPT_AXIS_M, g->s.tile[0], axes, false);
}

void mloptMatmulLoadB(MloptMatmul *g, MloptMatmulTile tile, MlirValue step,
                      MlirValue stage, MlirValue barrier) {
  MloptNv *nv = &g->nv;
  MlirValue axes[] = {[MLOPT_AXIS_BATCH] = tile.batch,
                      [MLOPT_AXIS_N] = tile.n,
                      [MLOPT_AXIS_K] = mloptMatmulStartOfStep(g, step)};
  MlirValue offset =
      mloptMatmulStageOffset(g, stage, g->shared.b, g->shared.bBytes);
  int64_t columns = mloptMatmulProductColumns(&g->c, &g->s);
  int64_t part = columns / g->s.cluster;
  if (g->s.cluster > 1) {
    MlirValue skipped = mloptNvMulInt(nv, g->rank, part);
    axes[MLOPT_AXIS_N] = mloptNvAdd(nv, axes[MLOPT_AXIS_N], skipped);
    offset =
        mloptNvAdd(nv, offset, mloptNvMulInt(nv, skipped, MLOPT_NV_ROW_BYTES));
  }
  // Columns of each product side by side, as if they were one's.
  for (intptr_t i = 0; i < g->c.numProducts; ++i)
    loadFactor(g, &g->c.b, mapOf(g, tile, true, i),
               mloptNvAddInt(nv, offset, i * columns * MLOPT_NV_ROW_BYTES),
               barrier, MLOPT_AXIS_N, part, axes, g->s.cluster > 1);
}
