//===- fuse_merge.c - Kernels that become one -----------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pairs of kernels, of which one reads what the other stores or both read the
// same data, become one, as long as that saves bytes. The pair that saves most
// goes first, so that the order in which the program is written decides
// nothing.
//
//===----------------------------------------------------------------------===//

#include "fuse_plan.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// Two kernels that may become one.
typedef struct Candidate {
  int a, b;
  int versionA, versionB; ///< of the two when the gain was found
  bool cycle;             ///< they could not then
  double gain;
} Candidate;

typedef struct Candidates {
  int count, capacity;
  Candidate *at;
} Candidates;

static void addCandidate(MloptFusePlan *plan, Candidates *list, int a, int b) {
  if (a == b || a < 0 || b < 0)
    return;
  for (int i = 0; i < list->count; ++i) {
    const Candidate *c = &list->at[i];
    if ((c->a == a && c->b == b) || (c->a == b && c->b == a))
      return;
  }
  if (list->count == list->capacity) {
    int capacity = list->capacity ? 2 * list->capacity : 64;
    Candidate *grown = realloc(list->at, (size_t)capacity * sizeof *grown);
    if (!grown) {
      plan->failed = true;
      return;
    }
    list->at = grown;
    list->capacity = capacity;
  }
  list->at[list->count++] = (Candidate){.a = a, .b = b, .versionA = -1};
}

/// What one kernel in place of two saves, in bytes; 0 when it cannot be.
static double gainOf(MloptFusePlan *plan, int a, int b) {
  MloptFuseVerdict both = mloptFuseJudgeKernels(plan, a, b);
  if (both.reason != MLOPT_FUSE_FUSED)
    return 0;
  return plan->kernels[a].verdict.cost + plan->kernels[b].verdict.cost -
         both.cost;
}

static void updateCandidate(MloptFusePlan *plan, Candidate *c) {
  int versionA = plan->kernels[c->a].version;
  int versionB = plan->kernels[c->b].version;
  if (c->versionA == versionA && c->versionB == versionB)
    return;
  *c = (Candidate){c->a,     c->b,  versionA,
                   versionB, false, gainOf(plan, c->a, c->b)};
}

/// After kernel `b` became part of `a`.
static void redirect(Candidates *list, int a, int b) {
  int kept = 0;
  for (int i = 0; i < list->count; ++i) {
    Candidate c = list->at[i];
    if (c.a == b || c.b == b)
      c.versionA = -1; // Its gain was that of another kernel.
    c.a = c.a == b ? a : c.a;
    c.b = c.b == b ? a : c.b;
    bool twice = c.a == c.b;
    for (int j = 0; !twice && (c.a == a || c.b == a) && j < kept; ++j)
      twice = (list->at[j].a == c.a && list->at[j].b == c.b) ||
              (list->at[j].a == c.b && list->at[j].b == c.a);
    if (!twice)
      list->at[kept++] = c;
  }
  list->count = kept;
}

/// Merges candidates while one saves anything; whether any did.
static bool mergeAll(MloptFusePlan *plan, Candidates *list) {
  bool merged = false;
  while (!plan->failed) {
    Candidate *best = NULL;
    for (int i = 0; i < list->count; ++i) {
      Candidate *c = &list->at[i];
      if (plan->kernels[c->a].dead || plan->kernels[c->b].dead)
        continue;
      updateCandidate(plan, c);
      if (c->gain > 0 && !c->cycle && (!best || c->gain > best->gain))
        best = c;
    }
    if (!best)
      break;
    int a = best->a, b = best->b;
    best->cycle = mloptFuseMakesCycle(plan, a, b);
    if (best->cycle)
      continue;
    mloptFuseMerge(plan, a, b);
    redirect(list, a, b);
    // What stood in the way of a merge may be inside one of the two now.
    for (int i = 0; i < list->count; ++i)
      list->at[i].cycle = false;
    merged = true;
  }
  return merged;
}

//===----------------------------------------------------------------------===//
// Producers and consumers
//===----------------------------------------------------------------------===//

bool mloptFuseMergeEdges(MloptFusePlan *plan) {
  Candidates list = {0};
  for (int node = 0; node < plan->graph->count; ++node) {
    const MloptFuseNode *n = &plan->graph->nodes[node];
    if (n->role != MLOPT_ROLE_COMPUTE || plan->home[node] < 0)
      continue;
    for (int r = 0; r < n->numReaders; ++r) {
      const MloptFuseSet *within = &plan->within[n->readers[r]];
      for (int k = 0; k < within->count; ++k)
        addCandidate(plan, &list, plan->home[node], within->at[k]);
    }
  }
  bool merged = mergeAll(plan, &list);
  free(list.at);
  return merged;
}

//===----------------------------------------------------------------------===//
// Siblings
//===----------------------------------------------------------------------===//

static bool isProduct(MloptFusePlan *plan, int kernel) {
  return mloptFuseProductTime(plan->graph, mloptFuseBodyOf(plan, kernel, -1)) >
         0;
}

/// Whether two kernels read enough of the same data to be worth it: a quarter
/// of what the smaller one moves. Tiles of products fill the GPU better
/// together, but for less than 128 rows beside a square of weights, which are
/// streamed best one by one (measured on an H200).
static bool shareData(MloptFusePlan *plan, int a, int b, MlirValue root) {
  int64_t shared =
      mloptFuseReadBytes(plan->graph, mloptFuseBodyOf(plan, a, -1), root);
  int64_t other =
      mloptFuseReadBytes(plan->graph, mloptFuseBodyOf(plan, b, -1), root);
  int64_t bytesA = plan->kernels[a].verdict.bytes;
  int64_t bytesB = plan->kernels[b].verdict.bytes;
  shared = shared < other ? shared : other;
  enum { LEAST_SHARE = 4, LEAST_SHARE_OF_PRODUCT = 48 };
  bool areProducts = isProduct(plan, a) && isProduct(plan, b);
  return (areProducts ? LEAST_SHARE_OF_PRODUCT : LEAST_SHARE) * shared >=
         (bytesA < bytesB ? bytesA : bytesB);
}

/// Whether operand `o` of the node is where the graph first meets its value.
static bool isFirstUse(const MloptFuseGraph *graph, int node, int o) {
  MlirValue value = graph->nodes[node].from[o];
  for (MlirOpOperand use = mlirValueGetFirstUse(value);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    int other = mlirOperationGetNumResults(user)
                    ? mloptFuseGraphFind(graph, mloptResult(user, 0))
                    : -1;
    if (other >= 0 &&
        (other < node ||
         (other == node && (int)mlirOpOperandGetOperandNumber(use) < o)))
      return false;
  }
  return true;
}

/// The kernels that read one value, each with the next.
static void addSiblings(MloptFusePlan *plan, Candidates *list, MlirValue root) {
  int last = -1;
  for (MlirOpOperand use = mlirValueGetFirstUse(root);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (mlirOperationGetNumResults(user) == 0)
      continue;
    int node = mloptFuseGraphFind(plan->graph, mloptResult(user, 0));
    if (node < 0)
      continue;
    if (plan->graph->nodes[node].role == MLOPT_ROLE_VIEW)
      addSiblings(plan, list, mloptResult(user, 0));
    if (plan->graph->nodes[node].role != MLOPT_ROLE_COMPUTE)
      continue;
    const MloptFuseSet *within = &plan->within[node];
    for (int k = 0; k < within->count; ++k) {
      int kernel = within->at[k];
      if (last >= 0 && last != kernel &&
          shareData(plan, last, kernel, mloptFuseRootValue(plan->graph, root)))
        addCandidate(plan, list, last, kernel);
      last = kernel;
    }
  }
}

bool mloptFuseMergeSiblings(MloptFusePlan *plan) {
  Candidates list = {0};
  for (int node = 0; node < plan->graph->count; ++node) {
    const MloptFuseNode *n = &plan->graph->nodes[node];
    if (n->role == MLOPT_ROLE_FREE)
      continue;
    // Values from outside are met as operands.
    for (int o = 0; n->role != MLOPT_ROLE_HOST && o < n->numOperands; ++o)
      if (n->operands[o] < 0 && isFirstUse(plan->graph, node, o))
        addSiblings(plan, &list, n->from[o]);
    for (intptr_t i = 0, m = mlirOperationGetNumResults(n->op); i < m; ++i)
      if (n->role != MLOPT_ROLE_VIEW)
        addSiblings(plan, &list, mloptResult(n->op, i));
  }
  bool merged = mergeAll(plan, &list);
  free(list.at);
  return merged;
}
