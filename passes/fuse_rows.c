//===- fuse_rows.c - Whether reductions share their rows ----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value that needs no reduction may be read anywhere, and its layout matters
// only where a reduction reads it; what follows a reduction must be computed in
// the row whose reduction it uses.
//
//===----------------------------------------------------------------------===//

#include "fuse_space.h"

#include <stdlib.h>

typedef struct Check {
  MloptFuseSpace space;
  MloptFuseRows *rows;
  bool *after; ///< whether the body's node depends on a reduction
} Check;

static bool isAfter(Check *check, const MloptFuseNode *node, int o) {
  int operand = node->operands[o];
  return operand >= 0 && check->space.body->holds[operand] &&
         check->after[mloptFusePlaceOf(check->space.body, operand)];
}

static bool checkReduce(Check *check, const MloptFuseNode *node,
                        MloptFuseLayout *own) {
  for (int o = 0; o < node->numOperands; ++o) {
    if (o >= mloptFuseNumReduced(node)) {
      if (isAfter(check, node, o))
        return false;
      continue;
    }
    MloptFuseLayout *operand = mloptFuseOperandLayout(&check->space, node, o),
                    kept, reduced;
    if (!operand || !operand->known ||
        !mloptFuseSplitReduced(node, operand, &kept, &reduced) ||
        !mloptFuseLayoutCovers(&check->space, &kept, false) ||
        !mloptFuseLayoutCovers(&check->space, &reduced, true) || !own->known ||
        !mloptFuseLayoutEqual(own, &kept))
      return false;
  }
  return true;
}

/// Whether a gather takes an element of the row it is computed in.
static bool staysInRow(Check *check, const MloptFuseNode *node,
                       MloptFuseLayout *own) {
  MloptFuseLayout *operand = mloptFuseOperandLayout(&check->space, node, 0);
  if (isAfter(check, node, 1) || !operand || !operand->known)
    return false;
  MloptFuseLayout rows = mloptFuseGatheredLayout(&check->space, node, operand);
  return rows.known && mloptFuseLayoutEqual(own, &rows);
}

/// Whether the node uses the reductions of the row it is computed in.
static bool checkAfter(Check *check, const MloptFuseNode *node,
                       MloptFuseLayout *own) {
  if (!own->known)
    return false;
  if (node->traits.access == MLOPT_ACCESS_GATHER)
    return staysInRow(check, node, own);
  for (int o = 0; o < node->numOperands; ++o) {
    if (!isAfter(check, node, o))
      continue;
    MloptFuseLayout want = *own;
    if (node->traits.access == MLOPT_ACCESS_TRANSPOSE)
      want = mloptFuseTransposeLayout(node, own, false);
    else if (node->traits.access == MLOPT_ACCESS_BROADCAST)
      want = mloptFuseBroadcastSource(node, own);
    else if ((node->traits.access != MLOPT_ACCESS_ELEMENTWISE &&
              node->traits.access != MLOPT_ACCESS_RESHAPE) ||
             !mloptFuseHasElementsOf(node, o))
      return false;
    MloptFuseLayout *operand = mloptFuseOperandLayout(&check->space, node, o);
    if (!want.known || !operand->known || !mloptFuseLayoutEqual(&want, operand))
      return false;
  }
  return true;
}

/// Results are whole rows or one element for each row.
static bool checkStored(Check *check, const MloptFuseLayout *own) {
  int64_t size = mloptFuseLayoutSize(own), rows = check->space.rows;
  if (!own->known)
    return false;
  return size == rows * check->space.columns ||
         (size == rows && mloptFuseLayoutCovers(&check->space, own, false));
}

static MloptFuseReason checkNode(Check *check, int place) {
  int at = check->space.body->nodes[place];
  const MloptFuseNode *node = &check->space.graph->nodes[at];
  MloptFuseLayout *own = &check->space.layouts[place];
  bool after = false;
  for (int o = 0; o < node->numOperands; ++o)
    after |= isAfter(check, node, o);
  bool isReduce = node->traits.access == MLOPT_ACCESS_REDUCE;
  check->after[place] = after || isReduce;
  if (isReduce) {
    check->rows->rereads |= after;
    return checkReduce(check, node, own) ? MLOPT_FUSE_FUSED
                                         : MLOPT_FUSE_OTHER_ROWS;
  }
  if (after && !checkAfter(check, node, own))
    return MLOPT_FUSE_MOVED;
  check->rows->rereads |= after && mloptFuseLayoutSize(own) > check->space.rows;
  if (check->space.body->stored[at] && !checkStored(check, own))
    return MLOPT_FUSE_OTHER_SPACE;
  return MLOPT_FUSE_FUSED;
}

MloptFuseReason mloptFuseCheckRows(const MloptFuseGraph *graph,
                                   const MloptFuseBody *body,
                                   MloptFuseRows *out) {
  Check check = {.rows = out,
                 .after = calloc((size_t)body->count + 1, sizeof(bool))};
  MloptFuseReason reason = MLOPT_FUSE_TOO_MANY;
  if (mloptFuseSpaceCreate(graph, body, &check.space) && check.after) {
    *out = (MloptFuseRows){check.space.rows, check.space.columns, false};
    reason = MLOPT_FUSE_FUSED;
    for (int i = 0; i < body->count && reason == MLOPT_FUSE_FUSED; ++i)
      reason = checkNode(&check, i);
  }
  mloptFuseSpaceDestroy(&check.space);
  free(check.after);
  return reason;
}
