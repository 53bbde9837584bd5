//===- fuse_recompute.c - Values that are computed again ------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stored value that costs little is computed again by the kernels that read
// it, where that moves fewer bytes than storing it: from what its own kernel
// reads, and from the reductions in it; from what it stores anyway; or from a
// narrower value that it computes, and then stores.
//
//   kernel 0 reads x (bf16) and stores mean and x - mean (f32, used by kernel
//   1) becomes kernel 0 stores mean; kernel 1 reads x and mean
//
//   kernel 0 stores x = convert h (f32) and tanh x, used by kernel 1; becomes
//   kernel 0 stores h (bf16); kernel 1 computes x and tanh x
//
//===----------------------------------------------------------------------===//

#include "fuse_plan.h"

#include <stdlib.h>

/// Whether elements of a node can be computed again one by one.
static bool isCheap(const MloptFuseNode *node) {
  return node->traits.access != MLOPT_ACCESS_REDUCE &&
         node->traits.access != MLOPT_ACCESS_ALONE;
}

/// Where computing a node again begins, besides reductions and dots.
enum {
  FROM_FAR = -2,   ///< nowhere else
  FROM_STORED = -1 ///< at what is stored; or there and at one more node
};

/// Whether a kernel stores a node.
static bool isStored(const MloptFusePlan *plan, int node, int kernel) {
  return plan->home[node] == kernel &&
         mloptFuseIsReadElsewhere(plan, node, kernel, -1);
}

/// What it takes to compute a stored node again: it and what it reads of its
/// kernel, up to `from` and to reductions and dots, which are stored in its
/// place. False when that cannot be.
static bool collectSlice(MloptFusePlan *plan, int node, int from,
                         MloptFuseSet *slice) {
  int kernel = plan->home[node];
  bool can = true;
  mloptFuseSetAdd(plan, slice, node);
  for (int i = 0; i < slice->count; ++i) {
    const MloptFuseNode *n = &plan->graph->nodes[slice->at[i]];
    can &= mlirAttributeIsNull(n->group);
    for (int o = 0; o < n->numOperands; ++o) {
      int root = mloptFuseRootOf(plan->graph, n->operands[o]);
      if (root < 0 || !mloptFuseSetHas(&plan->within[root], kernel))
        continue;
      if (root == from || !isCheap(&plan->graph->nodes[root]))
        can &= plan->home[root] == kernel;
      else if (from == FROM_FAR || !isStored(plan, root, kernel))
        mloptFuseSetAdd(plan, slice, root);
    }
  }
  return can;
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

/// A slice that readers compute, for as long as it is not known to be good.
typedef struct Trial {
  int node, kernel;
  MloptFuseSet slice, readers;
  int numAdded; ///< pairs of a node and a reader that did not compute it
  int *added;
} Trial;

static void begin(MloptFusePlan *plan, Trial *t) {
  t->added = calloc((size_t)t->slice.count * t->readers.count * 2 + 1,
                    sizeof *t->added);
  plan->failed |= !t->added;
  for (int r = 0; t->added && r < t->readers.count; ++r)
    for (int i = 0; i < t->slice.count; ++i) {
      int node = t->slice.at[i], reader = t->readers.at[r];
      if (mloptFuseSetHas(&plan->within[node], reader))
        continue;
      mloptFuseSetAdd(plan, &plan->kernels[reader].members, node);
      mloptFuseSetAdd(plan, &plan->within[node], reader);
      t->added[2 * t->numAdded] = node;
      t->added[2 * t->numAdded++ + 1] = reader;
    }
  plan->home[t->node] = -1;
}

static void undo(MloptFusePlan *plan, Trial *t) {
  plan->home[t->node] = t->kernel;
  for (int i = 0; i < t->numAdded; ++i) {
    int node = t->added[2 * i], reader = t->added[2 * i + 1];
    mloptFuseSetDrop(&plan->kernels[reader].members, node);
    mloptFuseSetDrop(&plan->within[node], reader);
  }
}

/// What it saves, in bytes; 0 when it cannot be.
static double gainOf(MloptFusePlan *plan, const Trial *t) {
  double gain = plan->kernels[t->kernel].verdict.cost;
  const MloptFuseBody *rest = mloptFuseBodyOf(plan, t->kernel, -1);
  MloptFuseVerdict verdict = mloptFuseJudge(plan->graph, rest);
  if (rest->count && verdict.reason != MLOPT_FUSE_FUSED)
    return 0;
  gain -= rest->count ? verdict.cost : 0;
  for (int r = 0; r < t->readers.count; ++r) {
    verdict = mloptFuseJudgeKernels(plan, t->readers.at[r], -1);
    if (verdict.reason != MLOPT_FUSE_FUSED)
      return 0;
    gain += plan->kernels[t->readers.at[r]].verdict.cost - verdict.cost;
  }
  return gain;
}

/// Lets the readers of a node compute it from `from` on; what that saves. Stays
/// so if `keep`.
static double tryFrom(MloptFusePlan *plan, int node, int from, bool keep) {
  Trial t = {.node = node, .kernel = plan->home[node]};
  bool can = collectSlice(plan, node, from, &t.slice);
  collectReaders(plan, node, &t.readers);
  double gain = 0;
  if (can && t.readers.count) {
    begin(plan, &t);
    gain = plan->failed ? 0 : gainOf(plan, &t);
    if (!keep)
      undo(plan, &t);
  }
  if (keep) {
    mloptFuseRefresh(plan, t.kernel);
    for (int r = 0; r < t.readers.count; ++r)
      mloptFuseRefresh(plan, t.readers.at[r]);
  }
  free(t.slice.at);
  free(t.readers.at);
  free(t.added);
  return gain;
}

static bool recomputeNode(MloptFusePlan *plan, int node) {
  const MloptFuseNode *nodes = plan->graph->nodes;
  MloptFuseSet slice = {0};
  collectSlice(plan, node, FROM_FAR, &slice);
  int best = FROM_FAR;
  double most = tryFrom(plan, node, FROM_FAR, false);
  for (int i = 0; i < slice.count; ++i) {
    // The node itself stands first, for what is stored alone.
    int from = i == 0 ? FROM_STORED : slice.at[i];
    if (i > 0 && (nodes[from].bytes >= nodes[node].bytes ||
                  plan->home[from] != plan->home[node]))
      continue;
    double gain = tryFrom(plan, node, from, false);
    if (gain > most) {
      most = gain;
      best = from;
    }
  }
  free(slice.at);
  if (most > 0)
    tryFrom(plan, node, best, true);
  return most > 0;
}

bool mloptFuseRecompute(MloptFusePlan *plan) {
  bool any = false;
  for (int node = plan->graph->count; node-- > 0;) {
    const MloptFuseNode *n = &plan->graph->nodes[node];
    if (n->role == MLOPT_ROLE_COMPUTE && plan->home[node] >= 0 &&
        !n->readByHost && isCheap(n))
      any |= recomputeNode(plan, node);
  }
  return any;
}
