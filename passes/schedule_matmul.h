//===- schedule_matmul.h - Tiles and launches of matrix products --*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides whether a contraction runs on wgmma and TMA, with which tile, and
// what its launch looks like. The choice is `mlopt.schedule` on the kernel,
// which the emitter reads; the maps are `mlopt.tensor_maps` on the launch.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_SCHEDULE_MATMUL_H
#define MLOPT_PASSES_SCHEDULE_MATMUL_H

#include "contraction.h"
#include "launch.h"

enum {
  MLOPT_MATMUL_CONSUMERS = 2, ///< warpgroups that compute
  MLOPT_MATMUL_THREADS = 128 * (MLOPT_MATMUL_CONSUMERS + 1),
};

/// `{family = "matmul", band = 16, stages = 4, tile = [128, 256, 64]}`.
typedef struct MloptMatmulSchedule {
  int64_t tile[3]; ///< of m, n, k
  int64_t stages;  ///< of the ring
  int64_t band;    ///< rows of tiles that are walked column by column
} MloptMatmulSchedule;

/// Where each part of the shared block starts.
typedef struct MloptMatmulShared {
  int64_t aBytes, bBytes;     ///< of a stage
  int64_t storeBytes;         ///< of a block that is stored at once
  int64_t a, b, store, rings; ///< offsets
  int64_t total;
} MloptMatmulShared;

enum { MLOPT_MATMUL_STORE_SLOTS = 2 }; ///< of each consumer

MloptMatmulShared mloptMatmulCarve(const MloptMatmulSchedule *);
/// Tiles along m and n, and of all batches.
void mloptMatmulTiles(const MloptContraction *, const MloptMatmulSchedule *,
                      int64_t *outM, int64_t *outN, int64_t *outTotal);
/// The columns of C that are stored at once: 128 bytes.
int64_t mloptMatmulStoreColumns(const MloptContraction *);

/// Whether a kernel can have this schedule; a diagnostic if not.
bool mloptVerifyMatmul(MlirOperation kernel, const MloptContraction *,
                       const MloptMatmulSchedule *);
/// The best tile by the cost model; false if the family does not take this
/// contraction.
bool mloptScheduleMatmul(const MloptContraction *, MloptMatmulSchedule *out);

/// The kernel's attributes: its schedule, its size, its maps as parameters.
void mloptMatmulAnnotate(MlirOperation kernel, const MloptContraction *,
                         const MloptMatmulSchedule *);
/// Reads `mlopt.schedule`; false if the kernel has none of this family.
bool mloptReadMatmulSchedule(MlirOperation kernel, MloptMatmulSchedule *out);
/// Completes the launch: grid, block, shared memory, tensor maps.
void mloptMatmulLaunch(MlirContext, const MloptContraction *,
                       const MloptMatmulSchedule *, MloptLaunch *);

#endif // MLOPT_PASSES_SCHEDULE_MATMUL_H
