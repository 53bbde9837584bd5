//===- nv_ring.c - Stages filled by one role, emptied by another ----------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nv_ring.h"

#include "nv_tma.h"

enum { BARRIER_BYTES = 8 };

int64_t mloptNvRingBytes(const MloptNvRing *ring) {
  return 2 * BARRIER_BYTES * ring->stages;
}

static MlirValue full(MloptNv *nv, const MloptNvRing *ring, MlirValue stage) {
  return mloptNvShared(
      nv, mloptNvAddInt(nv, mloptNvMulInt(nv, stage, BARRIER_BYTES),
                        ring->barriers));
}

static MlirValue empty(MloptNv *nv, const MloptNvRing *ring, MlirValue stage) {
  return mloptNvShared(
      nv, mloptNvAddInt(nv, mloptNvMulInt(nv, stage, BARRIER_BYTES),
                        ring->barriers + BARRIER_BYTES * ring->stages));
}

void mloptNvRingInit(MloptNv *nv, const MloptNvRing *ring) {
  for (int64_t i = 0; i < ring->stages; ++i) {
    MlirValue stage = mloptNvInt(nv, i);
    MlirValue filled[] = {full(nv, ring, stage),
                          mloptNvInt(nv, 1 + ring->fillers)};
    MlirValue emptied[] = {empty(nv, ring, stage),
                           mloptNvInt(nv, ring->consumers * ring->blocks)};
    mloptNvOp(nv, "nvvm.mbarrier.init", 2, filled, NULL);
    mloptNvOp(nv, "nvvm.mbarrier.init", 2, emptied, NULL);
  }
  mloptNvOp(nv, "nvvm.fence.mbarrier.init", 0, NULL, NULL);
}

MloptNvPlace mloptNvRingFirst(MloptNv *nv) {
  return (MloptNvPlace){mloptNvInt(nv, 0), mloptNvInt(nv, 0)};
}

MloptNvPlace mloptNvRingNext(MloptNv *nv, const MloptNvRing *ring,
                             MloptNvPlace place) {
  MlirValue next = mloptNvAddInt(nv, place.stage, 1);
  MlirValue wraps = mloptNvEqInt(nv, next, ring->stages);
  return (MloptNvPlace){mloptBuildSelect(nv->b, wraps, mloptNvInt(nv, 0), next),
                        mloptNvXor(nv, place.parity, mloptNvToInt(nv, wraps))};
}

MloptNvPlace mloptNvRingSkip(MloptNv *nv, const MloptNvRing *ring,
                             MloptNvPlace place, int64_t count) {
  int64_t turns = count / ring->stages;
  MlirValue next = mloptNvAddInt(nv, place.stage, count % ring->stages);
  MlirValue wraps =
      mloptBuildCmpI(nv->b, "uge", next, mloptNvInt(nv, ring->stages));
  MlirValue turned =
      mloptNvXor(nv, mloptNvToInt(nv, wraps), mloptNvInt(nv, turns % 2));
  return (MloptNvPlace){mloptBuildSelect(nv->b, wraps,
                                         mloptNvAddInt(nv, next, -ring->stages),
                                         next),
                        mloptNvXor(nv, place.parity, turned)};
}

/// Waits until the phase of this parity has ended. The labels are local to the
/// braces.
static void wait(MloptNv *nv, MlirValue barrier, MlirValue parity) {
  MlirValue operands[] = {mloptNvAddress(nv, barrier), parity};
  mloptNvPtx(nv,
             "{ .reg .pred done;"
             " again: mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;"
             " @done bra.uni go;"
             " bra.uni again;"
             " go: }",
             "r,r,~{memory}", 2, operands, (MlirType){NULL});
}

void mloptNvRingAwaitEmpty(MloptNv *nv, const MloptNvRing *ring,
                           MloptNvPlace place) {
  wait(nv, empty(nv, ring, place.stage),
       mloptNvXor(nv, place.parity, mloptNvInt(nv, 1)));
}

MlirValue mloptNvRingAcquire(MloptNv *nv, const MloptNvRing *ring,
                             MloptNvPlace place, int64_t bytes) {
  mloptNvRingAwaitEmpty(nv, ring, place);
  return mloptNvRingExpect(nv, ring, place.stage, bytes);
}

MlirValue mloptNvRingExpect(MloptNv *nv, const MloptNvRing *ring,
                            MlirValue stage, int64_t bytes) {
  MlirValue operands[] = {full(nv, ring, stage), mloptNvInt(nv, bytes)};
  mloptNvOp(nv, "nvvm.mbarrier.arrive.expect_tx", 2, operands, NULL);
  return operands[0];
}

MlirValue mloptNvRingBarrier(MloptNv *nv, const MloptNvRing *ring,
                             MlirValue stage) {
  return full(nv, ring, stage);
}

void mloptNvRingFilled(MloptNv *nv, const MloptNvRing *ring, MlirValue stage,
                       MlirValue lane) {
  mloptNvFenceShared(nv);
  MlirValue operands[] = {mloptNvAddress(nv, full(nv, ring, stage)), lane};
  mloptNvPtx(nv,
             "{ .reg .pred p; bar.warp.sync -1; setp.eq.b32 p, $1, 0;"
             " @p mbarrier.arrive.release.cta.shared::cta.b64 _, [$0]; }",
             "r,r,~{memory}", 2, operands, (MlirType){NULL});
}

void mloptNvRingCopying(MloptNv *nv, const MloptNvRing *ring, MlirValue stage) {
  MlirValue address = mloptNvAddress(nv, full(nv, ring, stage));
  mloptNvPtx(nv, "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [$0];",
             "r,~{memory}", 1, &address, (MlirType){NULL});
}

void mloptNvRingWait(MloptNv *nv, const MloptNvRing *ring, MloptNvPlace place) {
  wait(nv, full(nv, ring, place.stage), place.parity);
}

/// Predicated, so that the main loop stays one basic block around its waits.
/// Lane i arrives in block i of the cluster. That its warp has read the stage
/// the wait for its products says; a release at the cluster's scope would be a
/// memory barrier of the whole GPU in each step.
void mloptNvRingRelease(MloptNv *nv, const MloptNvRing *ring, MlirValue stage,
                        MlirValue lane, MlirValue condition) {
  MlirValue arrives = mloptNvArith(
      nv, "arith.andi", condition,
      mloptNvToInt(nv, mloptBuildCmpI(nv->b, "ult", lane,
                                      mloptNvInt(nv, ring->blocks))));
  MlirValue operands[] = {mloptNvAddress(nv, empty(nv, ring, stage)), arrives,
                          lane};
  if (ring->blocks == 1)
    mloptNvPtx(nv,
               "{ .reg .pred p; setp.ne.b32 p, $1, 0;"
               " @p mbarrier.arrive.release.cta.shared::cta.b64 _, [$0]; }",
               "r,r,~{memory}", 2, operands, (MlirType){NULL});
  else
    mloptNvPtx(nv,
               "{ .reg .pred p; .reg .b32 there; setp.ne.b32 p, $1, 0;"
               " @p mapa.shared::cluster.u32 there, $0, $2;"
               " @p mbarrier.arrive.shared::cluster.b64 _, [there]; }",
               "r,r,r,~{memory}", 3, operands, (MlirType){NULL});
}
