//===- fuse_plan.c - Which operations become which kernels ----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each compute node starts as a kernel. Then, as long as it saves bytes: a
// kernel and one that reads it become one; a node that others read is computed
// again by them in place of being stored; two kernels that read the same data
// become one. The step that saves most goes first, so that the order in which
// the program is written decides nothing.
//
//===----------------------------------------------------------------------===//

#include "fuse.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Sets
//===----------------------------------------------------------------------===//

static bool has(const MloptFuseSet *set, int value) {
  for (int i = 0; i < set->count; ++i)
    if (set->at[i] == value)
      return true;
  return false;
}

static void add(MloptFusePlan *plan, MloptFuseSet *set, int value) {
  if (has(set, value))
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

static void drop(MloptFuseSet *set, int value) {
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
          !has(&plan->within[node], within->at[k]))
        return true;
  }
  return false;
}

/// Says which nodes of the scratch body are stored, and completes it.
static MloptFuseBody *completeScratch(MloptFusePlan *plan, int a, int b) {
  MloptFuseBody *body = &plan->scratch;
  for (int i = 0; i < body->count; ++i) {
    int node = body->nodes[i], home = plan->home[node];
    body->stored[node] = home >= 0 && (home == a || home == b) &&
                         mloptFuseIsReadElsewhere(plan, node, a, b);
  }
  mloptFuseBodyComplete(plan->graph, body);
  return body;
}

static void addMembers(MloptFusePlan *plan, int kernel) {
  const MloptFuseSet *members = &plan->kernels[kernel].members;
  for (int i = 0; i < members->count; ++i)
    mloptFuseBodyAdd(&plan->scratch, members->at[i]);
}

MloptFuseBody *mloptFuseBodyOf(MloptFusePlan *plan, int a, int b) {
  mloptFuseBodyClear(&plan->scratch);
  addMembers(plan, a);
  if (b >= 0)
    addMembers(plan, b);
  return completeScratch(plan, a, b);
}

static MloptFuseVerdict judge(MloptFusePlan *plan, int a, int b) {
  return mloptFuseJudge(plan->graph, mloptFuseBodyOf(plan, a, b));
}

/// Brings a kernel's members and verdict up to date; one that stores nothing
/// dies.
static void refresh(MloptFusePlan *plan, int kernel) {
  MloptFuseKernel *k = &plan->kernels[kernel];
  const MloptFuseBody *body = mloptFuseBodyOf(plan, kernel, -1);
  for (int i = k->members.count; i-- > 0;) {
    int node = k->members.at[i];
    if (body->holds[node])
      continue;
    drop(&k->members, node);
    drop(&plan->within[node], kernel);
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
// Cycles
//===----------------------------------------------------------------------===//

/// Pushes the kernels and host operations that a node reads from.
static int pushSources(MloptFusePlan *plan, int node, int top) {
  const MloptFuseNode *n = &plan->graph->nodes[node];
  for (int o = 0; o < n->numOperands; ++o) {
    int root = mloptFuseRootOf(plan->graph, n->operands[o]);
    if (root < 0)
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
    top = pushSources(plan, members->at[i], top);
  return top;
}

/// Whether one of two kernels needs the other through a third.
static bool makesCycle(MloptFusePlan *plan, int a, int b) {
  memset(plan->seen, 0,
         (size_t)(plan->count + plan->graph->count) * sizeof *plan->seen);
  plan->seen[a] = plan->seen[b] = true;
  int top = pushKernelSources(plan, a, 0);
  top = pushKernelSources(plan, b, top);
  // From now on, to meet one of the two again is a cycle.
  plan->seen[a] = plan->seen[b] = false;
  while (top > 0 && !plan->seen[a] && !plan->seen[b]) {
    int source = plan->stack[--top];
    top = source < plan->count ? pushKernelSources(plan, source, top)
                               : pushSources(plan, source - plan->count, top);
  }
  return plan->seen[a] || plan->seen[b];
}

MloptFuseReason mloptFuseWhyApart(MloptFusePlan *plan, int producer,
                                  int consumer) {
  MloptFuseReason reason = judge(plan, producer, consumer).reason;
  if (reason != MLOPT_FUSE_FUSED)
    return reason;
  return makesCycle(plan, producer, consumer) ? MLOPT_FUSE_CYCLE
                                              : MLOPT_FUSE_NO_GAIN;
}

//===----------------------------------------------------------------------===//
// Merging two kernels
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

/// Kernel `b` becomes part of `a`.
static void merge(MloptFusePlan *plan, int a, int b) {
  MloptFuseKernel *from = &plan->kernels[b];
  for (int i = 0; i < from->members.count; ++i) {
    int node = from->members.at[i];
    add(plan, &plan->kernels[a].members, node);
    drop(&plan->within[node], b);
    add(plan, &plan->within[node], a);
    if (plan->home[node] == b)
      plan->home[node] = a;
  }
  from->members.count = 0;
  from->dead = true;
  ++from->version;
  refresh(plan, a);
}

/// What one kernel in place of two saves, in bytes; 0 when it cannot be.
static double gainOf(MloptFusePlan *plan, int a, int b) {
  MloptFuseVerdict both = judge(plan, a, b);
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
    best->cycle = makesCycle(plan, a, b);
    if (best->cycle)
      continue;
    merge(plan, a, b);
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

static bool mergeEdges(MloptFusePlan *plan) {
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

/// Whether two kernels read enough of the same data to be worth it: a quarter
/// of what the smaller one moves.
static bool shareData(MloptFusePlan *plan, int a, int b, MlirValue root) {
  int64_t shared =
      mloptFuseReadBytes(plan->graph, mloptFuseBodyOf(plan, a, -1), root);
  int64_t other =
      mloptFuseReadBytes(plan->graph, mloptFuseBodyOf(plan, b, -1), root);
  int64_t bytesA = plan->kernels[a].verdict.bytes;
  int64_t bytesB = plan->kernels[b].verdict.bytes;
  shared = shared < other ? shared : other;
  return 4 * shared >= (bytesA < bytesB ? bytesA : bytesB);
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

static bool mergeSiblings(MloptFusePlan *plan) {
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

//===----------------------------------------------------------------------===//
// Computing again
//===----------------------------------------------------------------------===//

/// What it takes to compute a stored node again: it and what it reads of its
/// kernel. Empty when a reduction or a kernel of its own is among it.
static void collectSlice(MloptFusePlan *plan, int node, MloptFuseSet *slice) {
  int kernel = plan->home[node];
  add(plan, slice, node);
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
      if (root >= 0 && has(&plan->within[root], kernel))
        add(plan, slice, root);
    }
  }
}

/// The kernels that read a stored node without computing it.
static void collectReaders(MloptFusePlan *plan, int node, MloptFuseSet *out) {
  const MloptFuseNode *n = &plan->graph->nodes[node];
  for (int r = 0; r < n->numReaders; ++r) {
    const MloptFuseSet *within = &plan->within[n->readers[r]];
    for (int k = 0; k < within->count; ++k)
      if (!has(&plan->within[node], within->at[k]))
        add(plan, out, within->at[k]);
  }
}

static double gainOfSlice(MloptFusePlan *plan, int node,
                          const MloptFuseSet *slice,
                          const MloptFuseSet *readers) {
  int kernel = plan->home[node];
  double gain = plan->kernels[kernel].verdict.cost;
  for (int r = 0; r < readers->count; ++r) {
    mloptFuseBodyClear(&plan->scratch);
    addMembers(plan, readers->at[r]);
    for (int i = 0; i < slice->count; ++i)
      mloptFuseBodyAdd(&plan->scratch, slice->at[i]);
    MloptFuseVerdict verdict =
        mloptFuseJudge(plan->graph, completeScratch(plan, readers->at[r], -1));
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
      add(plan, &plan->kernels[readers.at[r]].members, slice.at[i]);
      add(plan, &plan->within[slice.at[i]], readers.at[r]);
    }
  if (good) {
    plan->home[node] = -1;
    refresh(plan, kernel);
    for (int r = 0; r < readers.count; ++r)
      refresh(plan, readers.at[r]);
  }
  free(slice.at);
  free(readers.at);
  return good;
}

static bool recompute(MloptFusePlan *plan) {
  bool any = false;
  for (int node = plan->graph->count; node-- > 0;) {
    const MloptFuseNode *n = &plan->graph->nodes[node];
    if (n->role == MLOPT_ROLE_COMPUTE && plan->home[node] >= 0 &&
        !n->readByHost && n->traits.access != MLOPT_ACCESS_REDUCE)
      any |= recomputeNode(plan, node);
  }
  return any;
}

//===----------------------------------------------------------------------===//
// Together
//===----------------------------------------------------------------------===//

/// Marks the nodes of a group and those between them.
static void markGroup(const MloptFuseGraph *graph, MlirAttribute group,
                      bool *marked, bool *reached) {
  for (int i = 0; i < graph->count; ++i) {
    const MloptFuseNode *n = &graph->nodes[i];
    reached[i] =
        !mlirAttributeIsNull(n->group) && mlirAttributeEqual(n->group, group);
    marked[i] = reached[i];
    for (int o = 0; o < n->numOperands; ++o)
      reached[i] |= n->operands[o] >= 0 && reached[n->operands[o]];
  }
  for (int i = graph->count; i-- > 0;)
    for (int o = 0; marked[i] && o < graph->nodes[i].numOperands; ++o) {
      int operand = graph->nodes[i].operands[o];
      if (operand >= 0 && reached[operand])
        marked[operand] = true;
    }
}

static MlirLogicalResult joinGroup(MloptFusePlan *plan, int first, bool *marked,
                                   bool *reached) {
  const MloptFuseGraph *graph = plan->graph;
  markGroup(graph, graph->nodes[first].group, marked, reached);
  int kernel = -1;
  MloptFuseReason reason = MLOPT_FUSE_FUSED;
  for (int i = 0; i < graph->count; ++i) {
    if (marked[i] && graph->nodes[i].role == MLOPT_ROLE_HOST)
      reason = MLOPT_FUSE_FOREIGN;
    if (!marked[i] || graph->nodes[i].role != MLOPT_ROLE_COMPUTE)
      continue;
    if (kernel < 0)
      kernel = plan->home[i];
    else if (plan->home[i] != kernel)
      merge(plan, kernel, plan->home[i]);
  }
  if (kernel >= 0 && reason == MLOPT_FUSE_FUSED)
    reason = plan->kernels[kernel].verdict.reason;
  if (reason == MLOPT_FUSE_FUSED)
    return mloptSuccess();
  MlirStringRef name = mlirStringAttrGetValue(graph->nodes[first].group);
  return mloptOpError(graph->nodes[first].op,
                      "cannot be in one kernel with the others of group "
                      "'%.*s': %s",
                      (int)name.length, name.data,
                      mloptFuseReasonGetText(reason));
}

static MlirLogicalResult joinGroups(MloptFusePlan *plan) {
  const MloptFuseGraph *graph = plan->graph;
  size_t count = (size_t)graph->count + 1;
  bool *marked = calloc(2 * count, sizeof *marked);
  MlirLogicalResult result = mloptResultOf(marked != NULL);
  for (int i = 0; i < graph->count && !mloptFailed(result); ++i) {
    const MloptFuseNode *n = &graph->nodes[i];
    bool isFirst = !mlirAttributeIsNull(n->group) && !n->apart;
    for (int j = 0; isFirst && j < i; ++j)
      isFirst = mlirAttributeIsNull(graph->nodes[j].group) ||
                !mlirAttributeEqual(graph->nodes[j].group, n->group);
    if (isFirst)
      result = joinGroup(plan, i, marked, marked + count);
  }
  free(marked);
  return result;
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
  plan->stack = calloc(2 * count, sizeof *plan->stack);
  plan->seen = calloc(2 * count, sizeof *plan->seen);
  if (!plan->kernels || !plan->home || !plan->within || !plan->stack ||
      !plan->seen || !mloptFuseBodyCreate(graph, &plan->scratch))
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
    add(plan, &plan->within[i], plan->count);
    add(plan, &plan->kernels[plan->count++].members, i);
  }
  return !plan->failed;
}

MlirLogicalResult mloptFusePlanCreate(const MloptFuseGraph *graph,
                                      MloptFusePlan *plan) {
  *plan = (MloptFusePlan){.graph = graph};
  if (!beginPlan(plan))
    return mloptFailure();
  for (int k = 0; k < plan->count; ++k)
    refresh(plan, k);
  if (mloptFailed(joinGroups(plan)))
    return mloptFailure();
  bool changed = true;
  while (changed && !plan->failed) {
    mergeEdges(plan);
    changed = recompute(plan);
    changed |= mergeSiblings(plan);
  }
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
  free(plan->stack);
  free(plan->seen);
  mloptFuseBodyDestroy(&plan->scratch);
  *plan = (MloptFusePlan){0};
}
