//===- fuse_plan.h - Inside the planning of kernels ---------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the files that change a plan share. Whoever changes the members of a
// kernel, or which kernel stores a node, refreshes the kernels it touched.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_FUSE_PLAN_H
#define MLOPT_PASSES_FUSE_PLAN_H

#include "fuse.h"

//===----------------------------------------------------------------------===//
// The plan (fuse_plan.c)
//===----------------------------------------------------------------------===//

bool mloptFuseSetHas(const MloptFuseSet *, int value);
/// Adds a value, unless it is there; marks the plan failed when out of memory.
void mloptFuseSetAdd(MloptFusePlan *, MloptFuseSet *, int value);
void mloptFuseSetDrop(MloptFuseSet *, int value);

/// Adds a kernel's nodes to the scratch body.
void mloptFuseAddMembers(MloptFusePlan *, int kernel);
/// Says which nodes of the scratch body kernel `a` or `b` (-1: none) stores,
/// and completes it.
MloptFuseBody *mloptFuseCompleteBody(MloptFusePlan *, int a, int b);
/// The verdict on two kernels (`b` -1: on one) as one.
MloptFuseVerdict mloptFuseJudgeKernels(MloptFusePlan *, int a, int b);
/// Brings a kernel's members and verdict up to date; one that stores nothing
/// dies.
void mloptFuseRefresh(MloptFusePlan *, int kernel);
/// Kernel `b` becomes part of `a`.
void mloptFuseMerge(MloptFusePlan *, int a, int b);
/// Whether one of two kernels needs the other through a third.
bool mloptFuseMakesCycle(MloptFusePlan *, int a, int b);

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

/// Makes one kernel of each group that `mlopt.fuse` keeps together; an error
/// where that cannot be (fuse_group.c).
MlirLogicalResult mloptFuseJoinGroups(MloptFusePlan *);
/// Makes one kernel of each softmax and the two dots around it where it may
/// stream the keys between them; false when out of memory (fuse_stream.c).
bool mloptFuseJoinStreams(MloptFusePlan *);
/// Makes one kernel of a producer and a consumer, while that saves anything;
/// whether any did (fuse_merge.c).
bool mloptFuseMergeEdges(MloptFusePlan *);
/// Likewise of two that read the same data.
bool mloptFuseMergeSiblings(MloptFusePlan *);
/// Computes stored values again where they are read, where that saves anything;
/// whether any did (fuse_recompute.c).
bool mloptFuseRecompute(MloptFusePlan *);
/// Reads values in place of computing them again, where that saves anything;
/// whether any did (fuse_share.c).
bool mloptFuseShare(MloptFusePlan *);

#endif // MLOPT_PASSES_FUSE_PLAN_H
