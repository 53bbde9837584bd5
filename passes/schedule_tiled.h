//===- schedule_tiled.h - Tiles of any product --------------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides how a product that wgmma and TMA do not take is computed tile by
// tile: floats of up to 16 bits and i8 on mma.sync, f32 as sums of three bf16,
// wider integers one by one. The choice is `mlopt.schedule` on the kernel,
// which the emitter reads.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_SCHEDULE_TILED_H
#define MLOPT_PASSES_SCHEDULE_TILED_H

#include "launch.h"
#include "nv_mma.h"
#include "product.h"

/// `{family = "tiled", groups = 1, stages = 4, terms = 1, tile = [128, 128,
/// 32], warp = [64, 64]}`; `splits` is left out where it is 1.
typedef struct MloptTiledSchedule {
  int64_t tile[3]; ///< of m, n, k
  int64_t warp[2]; ///< the part of it that one warp computes
  int64_t stages;  ///< of tiles of the factors in shared memory; 0: none
  int64_t groups;  ///< of warps that share a tile's depth
  int64_t terms;   ///< 3: f32 as a sum of three bf16, for mma.sync; else 1
  int64_t splits;  ///< blocks, a cluster, that share a tile's k
} MloptTiledSchedule;

/// Whether factors come straight from memory into registers, one side being
/// short: no stages.
bool mloptTiledIsDirect(const MloptTiledSchedule *);
/// The factor of the longer side, 0 or 1.
int mloptTiledLongFactor(const MloptProduct *);

/// Elements along k that a lane of a direct kernel has side by side, which are
/// 16 bytes of the long factor; and of a factor, those of one access to memory:
/// 1 if two-byte elements are shifted into place, 0 if it cannot be read so.
int64_t mloptTiledLane(const MloptProduct *);
int64_t mloptTiledRunOfLane(const MloptProduct *, int factor);

/// Whether stages hold the source of a computed factor, from which lanes
/// compute their part of fragments for mma.sync.
bool mloptTiledKeepsSource(const MloptProduct *, const MloptTiledSchedule *);
/// What mma.sync multiplies of a product's factors (schedule_tiled_elements.c).
typedef enum MloptTiledCores {
  MLOPT_TILED_NO_CORES, ///< nothing, or numbers in terms, or f64
  MLOPT_TILED_HALVES,   ///< bf16 or f16
  MLOPT_TILED_BYTES,    ///< what lies in 8 bits until it is f16 in registers
  MLOPT_TILED_INTEGERS  ///< i8, to sums of i32
} MloptTiledCores;
MloptTiledCores mloptTiledCoresOf(const MloptProduct *);
bool mloptTiledUsesMma(const MloptProduct *);
/// The element type that a product's factor has in shared memory: 8 bits, bf16
/// or f16 for mma.sync, bf16 of one term beside f32, else the type of the sums.
MlirType mloptTiledStored(const MloptProduct *, int factor);
/// The same of a stage, which may hold the source of a computed factor.
MlirType mloptTiledStaged(const MloptProduct *, const MloptTiledSchedule *,
                          int factor);
/// How a factor's elements of 8 bits are encoded.
MloptNvByte mloptTiledByteOf(const MloptFactor *);
/// Whether f64 is multiplied 16 deep, which sm_90 alone does.
bool mloptTiledIsDeep(const MloptProduct *, const MloptTiledSchedule *);
/// Whether bf16 holds a factor's values: the first of three terms is enough.
bool mloptTiledIsOneTerm(const MloptFactor *);

int64_t mloptTiledThreads(const MloptTiledSchedule *);
/// Blocks that a multiprocessor is to hold at once; with more, ptxas has fewer
/// registers for each.
int64_t mloptTiledResident(const MloptTiledSchedule *);
/// Bytes of one stage of factor 0 or 1, and of all dynamic shared memory.
int64_t mloptTiledFactorBytes(const MloptProduct *, const MloptTiledSchedule *,
                              int factor);
int64_t mloptTiledSharedBytes(const MloptProduct *, const MloptTiledSchedule *);

/// Whether this family streams a product's large factor faster than any other
/// would.
bool mloptTiledIsSkinny(const MloptProduct *);
/// Whether there are so few sums that those of rows are fastest.
bool mloptTiledIsFew(const MloptProduct *);
/// The best tile by the cost model; false if another family is better.
/// `clusters`: whether the chip has them.
bool mloptScheduleTiled(const MloptProduct *, bool clusters,
                        MloptTiledSchedule *out);
/// Whether a kernel can have this schedule; a diagnostic at the operation if
/// not.
bool mloptVerifyTiled(MlirOperation, const MloptProduct *, bool clusters,
                      const MloptTiledSchedule *);

/// On a kernel for a chip that has an instruction from f8E4M3FN to f16.
#define MLOPT_KERNEL_CONVERTS "mlopt.converts"
/// The kernel's attributes.
void mloptTiledAnnotate(MlirOperation kernel, const MloptTiledSchedule *);
/// Reads `mlopt.schedule`; false if the kernel has none of this family.
bool mloptReadTiledSchedule(MlirOperation kernel, MloptTiledSchedule *out);
/// Completes the launch: grid, block, shared memory.
void mloptTiledLaunch(const MloptProduct *, const MloptTiledSchedule *,
                      MloptLaunch *);

#endif // MLOPT_PASSES_SCHEDULE_TILED_H
