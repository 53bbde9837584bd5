//===- fuse_group.c - What mlopt.fuse keeps together ----------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations of a group that `mlopt.fuse` keeps together become one kernel, and
// those between them with them, whatever it costs; an error where they cannot.
//
//===----------------------------------------------------------------------===//

#include "fuse_plan.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// What groups ask for
//===----------------------------------------------------------------------===//

/// An operation that a group names.
typedef struct Member {
  MlirOperation op;
  MlirAttribute group, keep;
} Member;

typedef struct Members {
  int count, capacity;
  Member *at;
  bool failed; ///< out of memory, or after a diagnostic
} Members;

static void checkMember(Members *members, const Member *added) {
  MlirStringRef name = mlirStringAttrGetValue(added->group);
  for (int i = 0; i < members->count; ++i) {
    const Member *m = &members->at[i];
    if (!mlirAttributeEqual(m->group, added->group))
      continue;
    bool sameKeep = mlirAttributeEqual(m->keep, added->keep);
    bool together = mloptStrEq(mlirStringAttrGetValue(added->keep), "together");
    bool sameBlock = mlirBlockEqual(mlirOperationGetBlock(m->op),
                                    mlirOperationGetBlock(added->op));
    if (sameKeep && (sameBlock || !together))
      return;
    mloptOpError(added->op,
                 sameKeep ? "cannot be in one kernel with the others of group "
                            "'%.*s': they are in different blocks"
                          : "group '%.*s' is kept together and apart",
                 (int)name.length, name.data);
    members->failed = true;
    return;
  }
}

static MlirWalkResult addMember(MlirOperation op, void *userData) {
  Members *members = userData;
  MlirAttribute lever = mloptAttr(op, "mlopt.fuse");
  if (mlirAttributeIsNull(lever))
    return MlirWalkResultAdvance;
  Member added = {op, mloptDictGet(lever, "group"),
                  mloptDictGet(lever, "keep")};
  checkMember(members, &added);
  if (members->count == members->capacity) {
    int capacity = members->capacity ? 2 * members->capacity : 16;
    Member *grown = realloc(members->at, (size_t)capacity * sizeof *grown);
    if (!grown) {
      members->failed = true;
      return MlirWalkResultInterrupt;
    }
    members->at = grown;
    members->capacity = capacity;
  }
  members->at[members->count++] = added;
  return MlirWalkResultAdvance;
}

MlirLogicalResult mloptFuseCheckGroups(MlirOperation func) {
  Members members = {0};
  mlirOperationWalk(func, addMember, &members, MlirWalkPreOrder);
  free(members.at);
  return mloptResultOf(!members.failed);
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
    if (!marked[i] || plan->home[i] < 0)
      continue;
    if (kernel < 0)
      kernel = plan->home[i];
    else if (plan->home[i] != kernel)
      mloptFuseMerge(plan, kernel, plan->home[i]);
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

MlirLogicalResult mloptFuseJoinGroups(MloptFusePlan *plan) {
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
