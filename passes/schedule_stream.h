//===- schedule_stream.h - Tiles and launches of streamed kernels -*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides with which tile a streamed program (stream.h) runs, and what its
// launch looks like. The choice is `mlopt.schedule` on the kernel, which the
// emitter reads; the maps are `mlopt.tensor_maps` on the launch.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_SCHEDULE_STREAM_H
#define MLOPT_PASSES_SCHEDULE_STREAM_H

#include "launch.h"
#include "mask.h"
#include "nv_ring.h"
#include "nv_wgmma.h"
#include "stream.h"

/// `{family = "stream", stages = 2, tile = [128, 128]}`, with `paired`, and
/// with `splits` where they are not 1.
typedef struct MloptStreamSchedule {
  int64_t tile[2]; ///< rows of a block, 64 for each warpgroup; keys of a step
  int64_t stages;  ///< of the rings of K and of V
  int64_t splits;  ///< blocks that share a tile's keys; they are a cluster
  /// A block walks over pairs of a batch's tiles, the first with the last, the
  /// second with the one before that: so blocks get as many keys each where
  /// those of a tile rise with its rows.
  bool paired;
} MloptStreamSchedule;

enum { MLOPT_STREAM_MOST_SPLITS = 8 };

/// Where each part of the shared block starts.
typedef struct MloptStreamShared {
  int64_t qStages;        ///< for the rows of a tile, and of the next one
  int64_t qBytes;         ///< of a stage
  int64_t kBytes, vBytes; ///< of a stage
  int64_t boxes;          ///< of a warpgroup that are staged at once
  int64_t storeBytes;     ///< of these, or of what it leaves for other blocks
  int64_t q, k, v, store; ///< offsets
  int64_t qRing, kRing, vRing;
  int64_t total;
} MloptStreamShared;

/// Warpgroups that compute, and threads with the one that loads.
int64_t mloptStreamConsumers(const MloptStreamSchedule *);
int64_t mloptStreamThreads(const MloptStreamSchedule *);
/// Registers of a thread that computes; where two warpgroups do, they take over
/// those of the one that loads but 24, where three do, but 32.
int64_t mloptStreamRegisters(const MloptStreamSchedule *);
MloptStreamShared mloptStreamCarve(const MloptStream *,
                                   const MloptStreamSchedule *);
/// The tiles of a batch, and of all.
int64_t mloptStreamTilesOfBatch(const MloptStream *,
                                const MloptStreamSchedule *);
int64_t mloptStreamTiles(const MloptStream *, const MloptStreamSchedule *);
/// The blocks, or clusters, that share them: one for each processor, or, where
/// tiles differ in their keys and are no pairs, as many, which the GPU deals
/// out.
int64_t mloptStreamBlocks(const MloptStream *, const MloptStreamSchedule *);
/// Whether each of them takes one tile.
bool mloptStreamIsAlone(const MloptStream *, const MloptStreamSchedule *);
/// Batches whose keys and values stay in L2 while their tiles are dealt out,
/// the ones with the most keys first; 1 where that does not matter.
int64_t mloptStreamBatches(const MloptStream *, const MloptStreamSchedule *);
/// Whether scores are stored that lie as a mask (mask.h) counts them, and each
/// row's steps go as far as it does.
bool mloptStreamCanMask(const MloptStream *, const MloptMask *);
/// Whether TMA stores an output of rows of sums.
bool mloptStreamStoresBoxes(const MloptStream *, const MloptStreamSchedule *,
                            const MloptOutput *);
/// Whether a parameter of the kernel is a tensor map.
bool mloptStreamIsMap(const MloptStream *, const MloptStreamSchedule *,
                      intptr_t parameter);

/// Whether the family takes weights of this type, scores that are sums of
/// `depth` products, and results of so many columns.
bool mloptStreamTakes(MlirType weight, int64_t depth, int64_t columns);
/// The best tile; false if the family does not take this program.
bool mloptScheduleStream(const MloptStream *, MloptStreamSchedule *out);
/// Whether a kernel can have this schedule; a diagnostic if not.
bool mloptVerifyStream(MlirOperation kernel, const MloptStream *,
                       const MloptStreamSchedule *);

/// The kernel's attributes: its schedule, its size, its maps as parameters.
void mloptStreamAnnotate(MlirOperation kernel, const MloptStream *,
                         const MloptStreamSchedule *);
/// Reads `mlopt.schedule`; false if the kernel has none of this family.
bool mloptReadStreamSchedule(MlirOperation kernel, MloptStreamSchedule *out);
/// Completes the launch: grid, block, shared memory, tensor maps.
void mloptStreamLaunch(MlirContext, const MloptStream *,
                       const MloptStreamSchedule *, MloptLaunch *);

#endif // MLOPT_PASSES_SCHEDULE_STREAM_H
