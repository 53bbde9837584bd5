//===- fuse_plan.c - Which operations become which kernels ----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each compute node starts as a kernel. Then, as long as it saves bytes: a
// kernel and one that reads it become one; a node that others read is computed
// again by them in place of being stored, or the other way around; two kernels
// that read the same data become one. The step that saves most goes first, so
// that the order in which the program is written decides nothing.
//
//===----------------------------------------------------------------------===//

#include "fuse_plan.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Sets
//===----------------------------------------------------------------------===//

bool mloptFuseSetHas(const MloptFuseSet *set, int value) {
  for (int i = 0; i < set->count; ++i)
    if (set->at[i] == value)
      return true;
  return false;
}

void mloptFuseSetAdd(MloptFusePlan *plan, MloptFuseSet *set, int value) {
  if (mloptFuseSetHas(set, value))
    return;
  if (set->count == set->capacity) {
    int capacity = set->capacity ? 2 * set->capacity : 4;
    int *grown = realloc(set->at, (size_t)capacity * sizeof *grown);
    if (!grown) {
      plan->failed = true;
      return;
    }
    set->at = grown;
    set->capacity = capacity;
  }
  set->at[set->count++] = value;
}

void mloptFuseSetDrop(MloptFuseSet *set, int value) {
  for (int i = 0; i < set->count; ++i)
    if (set->at[i] == value) {
      set->at[i] = set->at[--set->count];
      return;
    }
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

bool mloptFuseIsReadElsewhere(const MloptFusePlan *plan, int node, int a,
                              int b) {
  const MloptFuseNode *n = &plan->graph->nodes[node];
  if (n->readByHost)
    return true;
  for (int r = 0; n->role == MLOPT_ROLE_COMPUTE && r < n->numReaders; ++r) {
    const MloptFuseSet *within = &plan->within[n->readers[r]];
    for (int k = 0; k < within->count; ++k)
      if (within->at[k] != a && within->at[k] != b &&
          !mloptFuseSetHas(&plan->within[node], within->at[k]))
        return true;
  }
  return false;
}

MloptFuseBody *mloptFuseCompleteBody(MloptFusePlan *plan, int a, int b) {
  MloptFuseBody *body = &plan->scratch;
  for (int i = 0; i < body->count; ++i) {
    int node = body->nodes[i], home = plan->home[node];
    body->stored[node] = home >= 0 && (home == a || home == b) &&
                         mloptFuseIsReadElsewhere(plan, node, a, b);
  }
  mloptFuseBodyComplete(plan->graph, body);
  return body;
}

void mloptFuseAddMembers(MloptFusePlan *plan, int kernel) {
  const MloptFuseSet *members = &plan->kernels[kernel].members;
  for (int i = 0; i < members->count; ++i)
    mloptFuseBodyAdd(&plan->scratch, members->at[i]);
}

MloptFuseBody *mloptFuseBodyOf(MloptFusePlan *plan, int a, int b) {
  mloptFuseBodyClear(&plan->scratch);
  mloptFuseAddMembers(plan, a);
  if (b >= 0)
    mloptFuseAddMembers(plan, b);
  return mloptFuseCompleteBody(plan, a, b);
}

MloptFuseVerdict mloptFuseJudgeKernels(MloptFusePlan *plan, int a, int b) {
  return mloptFuseJudge(plan->graph, mloptFuseBodyOf(plan, a, b));
}

void mloptFuseRefresh(MloptFusePlan *plan, int kernel) {
  MloptFuseKernel *k = &plan->kernels[kernel];
  const MloptFuseBody *body = mloptFuseBodyOf(plan, kernel, -1);
  for (int i = k->members.count; i-- > 0;) {
    int node = k->members.at[i];
    if (body->holds[node])
      continue;
    mloptFuseSetDrop(&k->members, node);
    mloptFuseSetDrop(&plan->within[node], kernel);
    if (plan->home[node] == kernel)
      plan->home[node] = -1;
  }
  ++k->version;
  k->dead = k->members.count == 0;
  k->verdict = mloptFuseJudge(plan->graph, body);
  if (k->dead)
    k->verdict.cost = 0;
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

void mloptFuseMerge(MloptFusePlan *plan, int a, int b) {
  MloptFuseKernel *from = &plan->kernels[b];
  for (int i = 0; i < from->members.count; ++i) {
    int node = from->members.at[i];
    mloptFuseSetAdd(plan, &plan->kernels[a].members, node);
    mloptFuseSetDrop(&plan->within[node], b);
    mloptFuseSetAdd(plan, &plan->within[node], a);
    if (plan->home[node] == b)
      plan->home[node] = a;
  }
  from->members.count = 0;
  from->dead = true;
  ++from->version;
  mloptFuseRefresh(plan, a);
}

//===----------------------------------------------------------------------===//
// Cycles
//===----------------------------------------------------------------------===//

/// Pushes the kernels and host operations that a node reads from; `kernel` (-1:
/// the host) computes the node, and some of what it reads.
static int pushSources(MloptFusePlan *plan, int node, int kernel, int top) {
  const MloptFuseNode *n = &plan->graph->nodes[node];
  for (int o = 0; o < n->numOperands; ++o) {
    int root = mloptFuseRootOf(plan->graph, n->operands[o]);
    if (root < 0 || mloptFuseSetHas(&plan->within[root], kernel))
      continue;
    bool isHost = plan->graph->nodes[root].role == MLOPT_ROLE_HOST;
    int source = isHost ? plan->count + root : plan->home[root];
    if (source < 0 || plan->seen[source])
      continue;
    plan->seen[source] = true;
    plan->stack[top++] = source;
  }
  return top;
}

static int pushKernelSources(MloptFusePlan *plan, int kernel, int top) {
  const MloptFuseSet *members = &plan->kernels[kernel].members;
  for (int i = 0; i < members->count; ++i)
    top = pushSources(plan, members->at[i], kernel, top);
  return top;
}

bool mloptFuseMakesCycle(MloptFusePlan *plan, int a, int b) {
  memset(plan->seen, 0,
         (size_t)(plan->count + plan->graph->count) * sizeof *plan->seen);
  plan->seen[a] = plan->seen[b] = true;
  int top = pushKernelSources(plan, a, 0);
  top = pushKernelSources(plan, b, top);
  // From now on, to meet one of the two again is a cycle.
  plan->seen[a] = plan->seen[b] = false;
  while (top > 0 && !plan->seen[a] && !plan->seen[b]) {
    int source = plan->stack[--top];
    top = source < plan->count
              ? pushKernelSources(plan, source, top)
              : pushSources(plan, source - plan->count, -1, top);
  }
  return plan->seen[a] || plan->seen[b];
}

/// Why two dots around a softmax that both kernels hold parts of are not one
/// kernel; FUSED where there are none.
static MloptFuseReason whyUnstreamed(const MloptFusePlan *plan, int a, int b) {
  MloptFuseReason reasons[2] = {MLOPT_FUSE_FUSED, MLOPT_FUSE_FUSED};
  const int kernels[] = {a, b};
  for (int k = 0; k < 2; ++k) {
    const MloptFuseSet *members = &plan->kernels[kernels[k]].members;
    for (int i = 0; i < members->count; ++i)
      if (plan->unstreamed[members->at[i]] != MLOPT_FUSE_FUSED)
        reasons[k] = plan->unstreamed[members->at[i]];
  }
  return reasons[0] == MLOPT_FUSE_FUSED ? MLOPT_FUSE_FUSED : reasons[1];
}

MloptFuseReason mloptFuseWhyApart(MloptFusePlan *plan, int producer,
                                  int consumer) {
  MloptFuseReason reason =
      mloptFuseJudgeKernels(plan, producer, consumer).reason;
  bool isOfDots =
      reason == MLOPT_FUSE_CONTRACTION || reason == MLOPT_FUSE_ROW_TOO_WIDE ||
      reason == MLOPT_FUSE_PROLOGUE || reason == MLOPT_FUSE_PRODUCTS;
  MloptFuseReason unstreamed =
      isOfDots ? whyUnstreamed(plan, producer, consumer) : MLOPT_FUSE_FUSED;
  if (unstreamed != MLOPT_FUSE_FUSED)
    return unstreamed;
  if (reason != MLOPT_FUSE_FUSED)
    return reason;
  return mloptFuseMakesCycle(plan, producer, consumer) ? MLOPT_FUSE_CYCLE
                                                       : MLOPT_FUSE_NO_GAIN;
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

/// A kernel for each compute node, and for what is free but the host reads.
static bool beginPlan(MloptFusePlan *plan) {
  const MloptFuseGraph *graph = plan->graph;
  size_t count = (size_t)graph->count + 1;
  plan->kernels = calloc(count, sizeof *plan->kernels);
  plan->home = malloc(count * sizeof *plan->home);
  plan->within = calloc(count, sizeof *plan->within);
  plan->unstreamed = calloc(count, sizeof *plan->unstreamed);
  plan->stack = calloc(2 * count, sizeof *plan->stack);
  plan->seen = calloc(2 * count, sizeof *plan->seen);
  if (!plan->kernels || !plan->home || !plan->within || !plan->unstreamed ||
      !plan->stack || !plan->seen ||
      !mloptFuseBodyCreate(graph, &plan->scratch))
    return false;
  for (int i = 0; i < graph->count; ++i) {
    const MloptFuseNode *n = &graph->nodes[i];
    bool isUsed = n->numReaders || n->readByHost;
    bool isKernel = n->role == MLOPT_ROLE_COMPUTE
                        ? isUsed
                        : n->role == MLOPT_ROLE_FREE && n->readByHost;
    plan->home[i] = isKernel ? plan->count : -1;
    if (!isKernel)
      continue;
    mloptFuseSetAdd(plan, &plan->within[i], plan->count);
    mloptFuseSetAdd(plan, &plan->kernels[plan->count++].members, i);
  }
  return !plan->failed;
}

MlirLogicalResult mloptFusePlanCreate(const MloptFuseGraph *graph, bool wgmma,
                                      MloptFusePlan *plan) {
  *plan = (MloptFusePlan){.graph = graph};
  if (!beginPlan(plan))
    return mloptFailure();
  for (int k = 0; k < plan->count; ++k)
    mloptFuseRefresh(plan, k);
  if (mloptFailed(mloptFuseJoinGroups(plan)) ||
      (wgmma && !mloptFuseJoinStreams(plan)))
    return mloptFailure();
  bool changed = true;
  while (changed && !plan->failed) {
    mloptFuseMergeEdges(plan);
    changed = mloptFuseRecompute(plan);
    changed |= mloptFuseShare(plan);
    changed |= mloptFuseMergeSiblings(plan);
  }
  plan->scratch.mayFold = true;
  mloptFuseMergeEdges(plan);
  return mloptResultOf(!plan->failed);
}

void mloptFusePlanDestroy(MloptFusePlan *plan) {
  for (int k = 0; plan->kernels && k < plan->count; ++k)
    free(plan->kernels[k].members.at);
  for (int i = 0; plan->within && i < plan->graph->count; ++i)
    free(plan->within[i].at);
  free(plan->kernels);
  free(plan->home);
  free(plan->within);
  free(plan->unstreamed);
  free(plan->stack);
  free(plan->seen);
  mloptFuseBodyDestroy(&plan->scratch);
  *plan = (MloptFusePlan){0};
}
