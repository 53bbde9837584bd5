//===- fuse_recompute.c - Values that are computed again ----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stored value that costs little is computed again by the kernels that read
// it, where that moves fewer bytes than storing it.
//
//===----------------------------------------------------------------------===//

#include "fuse_plan.h"

#include <stdlib.h>

/// What it takes to compute a stored node again: it and what it reads of its
/// kernel. Empty when a reduction or a kernel of its own is among it.
static void collectSlice(MloptFusePlan *plan, int node, MloptFuseSet *slice) {
  int kernel = plan->home[node];
  mloptFuseSetAdd(plan, slice, node);
  for (int i = 0; i < slice->count; ++i) {
    const MloptFuseNode *n = &plan->graph->nodes[slice->at[i]];
    MloptAccess access = n->traits.access;
    if (access == MLOPT_ACCESS_REDUCE || access == MLOPT_ACCESS_ALONE ||
        !mlirAttributeIsNull(n->group)) {
      slice->count = 0;
      return;
    }
    for (int o = 0; o < n->numOperands; ++o) {
      int root = mloptFuseRootOf(plan->graph, n->operands[o]);
      if (root >= 0 && mloptFuseSetHas(&plan->within[root], kernel))
        mloptFuseSetAdd(plan, slice, root);
    }
  }
}

/// The kernels that read a stored node without computing it.
static void collectReaders(MloptFusePlan *plan, int node, MloptFuseSet *out) {
  const MloptFuseNode *n = &plan->graph->nodes[node];
  for (int r = 0; r < n->numReaders; ++r) {
    const MloptFuseSet *within = &plan->within[n->readers[r]];
    for (int k = 0; k < within->count; ++k)
      if (!mloptFuseSetHas(&plan->within[node], within->at[k]))
        mloptFuseSetAdd(plan, out, within->at[k]);
  }
}

static double gainOfSlice(MloptFusePlan *plan, int node,
                          const MloptFuseSet *slice,
                          const MloptFuseSet *readers) {
  int kernel = plan->home[node];
  double gain = plan->kernels[kernel].verdict.cost;
  for (int r = 0; r < readers->count; ++r) {
    mloptFuseBodyClear(&plan->scratch);
    mloptFuseAddMembers(plan, readers->at[r]);
    for (int i = 0; i < slice->count; ++i)
      mloptFuseBodyAdd(&plan->scratch, slice->at[i]);
    MloptFuseVerdict verdict = mloptFuseJudge(
        plan->graph, mloptFuseCompleteBody(plan, readers->at[r], -1));
    if (verdict.reason != MLOPT_FUSE_FUSED)
      return 0;
    gain += plan->kernels[readers->at[r]].verdict.cost - verdict.cost;
  }
  plan->home[node] = -1;
  const MloptFuseBody *rest = mloptFuseBodyOf(plan, kernel, -1);
  if (rest->count)
    gain -= mloptFuseJudge(plan->graph, rest).cost;
  plan->home[node] = kernel;
  return gain;
}

static bool recomputeNode(MloptFusePlan *plan, int node) {
  MloptFuseSet slice = {0}, readers = {0};
  int kernel = plan->home[node];
  collectSlice(plan, node, &slice);
  collectReaders(plan, node, &readers);
  bool good = slice.count && readers.count &&
              gainOfSlice(plan, node, &slice, &readers) > 0;
  for (int r = 0; good && r < readers.count; ++r)
    for (int i = 0; i < slice.count; ++i) {
      mloptFuseSetAdd(plan, &plan->kernels[readers.at[r]].members, slice.at[i]);
      mloptFuseSetAdd(plan, &plan->within[slice.at[i]], readers.at[r]);
    }
  if (good) {
    plan->home[node] = -1;
    mloptFuseRefresh(plan, kernel);
    for (int r = 0; r < readers.count; ++r)
      mloptFuseRefresh(plan, readers.at[r]);
  }
  free(slice.at);
  free(readers.at);
  return good;
}

bool mloptFuseRecompute(MloptFusePlan *plan) {
  bool any = false;
  for (int node = plan->graph->count; node-- > 0;) {
    const MloptFuseNode *n = &plan->graph->nodes[node];
    if (n->role == MLOPT_ROLE_COMPUTE && plan->home[node] >= 0 &&
        !n->readByHost && n->traits.access != MLOPT_ACCESS_REDUCE)
      any |= recomputeNode(plan, node);
  }
  return any;
}
