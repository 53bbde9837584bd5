//===- fuse_share.c - Values that are read, not computed again ------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The way back from fuse_recompute.c: a value that two kernels compute is
// stored by one and read by the other, where that moves fewer bytes than what
// the other computes it from.
//
//   kernel 0 stores p (f32) and both compute h = convert p (bf16); becomes
//   kernel 0 stores h; kernel 1 reads h
//
//===----------------------------------------------------------------------===//

#include "fuse_plan.h"

#include <stdlib.h>

/// A node that `from` stores and `reader` no longer computes.
typedef struct Trial {
  int node, from, reader;
  int home;             ///< of the node before
  MloptFuseSet dropped; ///< nodes that the reader no longer needs
} Trial;

static void drop(MloptFusePlan *plan, Trial *t, int node) {
  mloptFuseSetAdd(plan, &t->dropped, node);
  mloptFuseSetDrop(&plan->kernels[t->reader].members, node);
  mloptFuseSetDrop(&plan->within[node], t->reader);
}

static void begin(MloptFusePlan *plan, Trial *t) {
  t->home = plan->home[t->node];
  plan->home[t->node] = t->from;
  drop(plan, t, t->node);
  const MloptFuseSet *members = &plan->kernels[t->reader].members;
  const MloptFuseBody *body = mloptFuseBodyOf(plan, t->reader, -1);
  for (int i = members->count; i-- > 0;)
    if (!body->holds[members->at[i]])
      drop(plan, t, members->at[i]);
}

static void undo(MloptFusePlan *plan, Trial *t) {
  plan->home[t->node] = t->home;
  for (int i = 0; i < t->dropped.count; ++i) {
    int node = t->dropped.at[i];
    mloptFuseSetAdd(plan, &plan->kernels[t->reader].members, node);
    mloptFuseSetAdd(plan, &plan->within[node], t->reader);
  }
}

/// What it saves, in bytes; 0 when it cannot be.
static double gainOf(MloptFusePlan *plan, const Trial *t) {
  double gain = 0;
  for (int i = 0; i < 2; ++i) {
    int kernel = i ? t->reader : t->from;
    MloptFuseVerdict now = mloptFuseJudgeKernels(plan, kernel, -1);
    if (now.reason != MLOPT_FUSE_FUSED)
      return 0;
    gain += plan->kernels[kernel].verdict.cost - now.cost;
  }
  return gain > 0 && !mloptFuseMakesCycle(plan, t->reader, t->reader) ? gain
                                                                      : 0;
}

static bool shareNode(MloptFusePlan *plan, int node, int from, int reader) {
  Trial t = {.node = node, .from = from, .reader = reader};
  begin(plan, &t);
  bool good = !plan->failed && gainOf(plan, &t) > 0;
  if (good) {
    // A node that the reader stored, but no kernel read, is stored nowhere.
    for (int i = 0; i < t.dropped.count; ++i)
      if (plan->home[t.dropped.at[i]] == reader)
        plan->home[t.dropped.at[i]] = -1;
    mloptFuseRefresh(plan, from);
    mloptFuseRefresh(plan, reader);
  } else {
    undo(plan, &t);
  }
  free(t.dropped.at);
  return good;
}

/// One reader of a node that several kernels compute, if that saves anything.
static bool shareOnce(MloptFusePlan *plan, int node) {
  const MloptFuseSet *within = &plan->within[node];
  for (int f = 0; f < within->count; ++f)
    for (int r = 0; r < within->count; ++r) {
      int from = within->at[f], reader = within->at[r];
      // What is stored, its kernel stores.
      bool can = f != r && (plan->home[node] < 0 || plan->home[node] == from);
      if (can && shareNode(plan, node, from, reader))
        return true;
    }
  return false;
}

bool mloptFuseShare(MloptFusePlan *plan) {
  bool any = false;
  for (int node = 0; node < plan->graph->count; ++node) {
    const MloptFuseNode *n = &plan->graph->nodes[node];
    while (n->role == MLOPT_ROLE_COMPUTE && mlirAttributeIsNull(n->group) &&
           plan->within[node].count > 1 && shareOnce(plan, node))
      any = true;
  }
  return any;
}
