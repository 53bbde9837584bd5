//===- nv_ring.h - Stages filled by one role, emptied by another --*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A ring of stages in shared memory with two mbarriers each:
//
//   producer: wait empty[s] -> expect bytes, start TMA -> (TMA) full[s]
//   consumer: wait full[s]  -> read                    -> arrive empty[s]
//
// A place in the ring is the stage and the parity of the turn; both sides walk
// it alike. `empty` barriers start as if the consumers had just left, since a
// wait for the parity before the first one returns at once.
//
// A part of a stage may be filled by threads, which arrive at full[s] too: warp
// by warp when they have stored, or thread by thread when their copies are
// done.
//
// Where the blocks of a cluster fill each other's stages, a stage is empty when
// it is so in all of them: consumers arrive at the barriers of every block.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_NV_RING_H
#define MLOPT_PASSES_NV_RING_H

#include "nv_build.h"

typedef struct MloptNvRing {
  int64_t stages;
  int64_t barriers;  ///< where in shared memory: full[0..], then empty[0..]
  int64_t consumers; ///< warps of a block that empty a stage
  int64_t blocks;    ///< of the cluster that share what is loaded; 1 for none
  int64_t fillers;   ///< arrivals of those that fill a stage beside TMA
} MloptNvRing;

/// Carried through loops as two i32.
typedef struct MloptNvPlace {
  MlirValue stage, parity;
} MloptNvPlace;

/// The bytes that the barriers take.
int64_t mloptNvRingBytes(const MloptNvRing *);
/// For one thread, before the block's first barrier.
void mloptNvRingInit(MloptNv *, const MloptNvRing *);

MloptNvPlace mloptNvRingFirst(MloptNv *);
MloptNvPlace mloptNvRingNext(MloptNv *, const MloptNvRing *, MloptNvPlace);
/// The place `count` further.
MloptNvPlace mloptNvRingSkip(MloptNv *, const MloptNvRing *, MloptNvPlace,
                             int64_t count);

/// A producer waits for an empty stage.
void mloptNvRingAwaitEmpty(MloptNv *, const MloptNvRing *, MloptNvPlace);
/// The same for its one thread, which says how many bytes come; returns the
/// barrier that TMA completes.
MlirValue mloptNvRingAcquire(MloptNv *, const MloptNvRing *, MloptNvPlace,
                             int64_t bytes);
/// The same for a stage that is known to be empty, and the barrier of one that
/// was acquired.
MlirValue mloptNvRingExpect(MloptNv *, const MloptNvRing *, MlirValue stage,
                            int64_t bytes);
MlirValue mloptNvRingBarrier(MloptNv *, const MloptNvRing *, MlirValue stage);
/// A warp has stored its part of a stage, which what runs behind
/// mloptNvRingWait may read in any way. `lane`: of the thread in its warp.
void mloptNvRingFilled(MloptNv *, const MloptNvRing *, MlirValue stage,
                       MlirValue lane);
/// This thread's part is there when its copies (mloptNvCopyAsync) are done; a
/// consumer needs mloptNvFenceShared before wgmma reads it.
void mloptNvRingCopying(MloptNv *, const MloptNvRing *, MlirValue stage);
/// A consumer waits for the data.
void mloptNvRingWait(MloptNv *, const MloptNvRing *, MloptNvPlace);
/// A consumer's warp gives the stage back, if `condition` (an i32) is set.
/// `lane`: of the thread in its warp.
void mloptNvRingRelease(MloptNv *, const MloptNvRing *, MlirValue stage,
                        MlirValue lane, MlirValue condition);

#endif // MLOPT_PASSES_NV_RING_H
