//===- fuse_rows.c - Whether reductions share their rows ------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value that needs no reduction may be read anywhere, and its layout matters
// only where a reduction reads it; what follows a reduction must be computed in
// the row whose reduction it uses. Columns of the same space may be added up
// beside its rows, of whatever is computed in them: gradients of a
// normalisation's input and of its weights, say. What follows such a sum is
// computed in its column alone.
//
//===----------------------------------------------------------------------===//

#include "fuse_space.h"
#include "fuse_stream.h"

#include <stdlib.h>

typedef struct Check {
  MloptFuseSpace space;
  MloptFuseRows *rows;
  bool *after;   ///< whether the body's node depends on a row's reduction
  bool *beneath; ///< or on a column's
} Check;

static bool isOneOf(Check *check, const bool *set, const MloptFuseNode *node,
                    int o) {
  int operand = node->operands[o];
  return operand >= 0 && check->space.body->holds[operand] &&
         set[mloptFusePlaceOf(check->space.body, operand)];
}

static bool isAfter(Check *check, const MloptFuseNode *node, int o) {
  return isOneOf(check, check->after, node, o);
}

static bool isBeneath(Check *check, const MloptFuseNode *node, int o) {
  return isOneOf(check, check->beneath, node, o);
}

/// Whether a reduction goes over the rows' columns, or with `down` over the
/// columns' rows.
static bool checkReduce(Check *check, const MloptFuseNode *node,
                        MloptFuseLayout *own, bool down) {
  for (int o = 0; o < node->numOperands; ++o) {
    if (isBeneath(check, node, o))
      return false;
    if (o >= mloptFuseNumReduced(node)) {
      if (isAfter(check, node, o))
        return false;
      continue;
    }
    MloptFuseLayout *operand = mloptFuseOperandLayout(&check->space, node, o),
                    kept, reduced;
    if (!operand || !operand->known ||
        !mloptFuseSplitReduced(node, operand, &kept, &reduced) ||
        !mloptFuseLayoutCovers(&check->space, &kept, down) ||
        !mloptFuseLayoutCovers(&check->space, &reduced, !down) || !own->known ||
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

/// Whether the node uses the reductions of the row, or of the column, that it
/// is computed in.
static bool checkAfter(Check *check, const MloptFuseNode *node,
                       MloptFuseLayout *own) {
  if (!own->known)
    return false;
  if (node->traits.access == MLOPT_ACCESS_GATHER)
    return staysInRow(check, node, own);
  for (int o = 0; o < node->numOperands; ++o) {
    if (!isAfter(check, node, o) && !isBeneath(check, node, o))
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

/// A sum of columns: no region, whose pieces nothing can combine, and no part
/// of the order that `strict` gives.
static bool isSum(const MloptFuseNode *node) {
  return mloptIsA(node->op, &mloptOp_reduce) &&
         mlirOperationGetNumResults(node->op) == 1 &&
         !mlirAttributeIsNull(mloptAttr(node->op, "kind"));
}

/// Results are whole rows, or one element for each row; those of a column, one
/// for each column.
static bool checkStored(Check *check, const MloptFuseLayout *own,
                        bool beneath) {
  int64_t size = mloptFuseLayoutSize(own), rows = check->space.rows;
  if (!own->known)
    return false;
  if (beneath)
    return mloptFuseLayoutCovers(&check->space, own, true);
  return size == rows * check->space.columns ||
         (size == rows && mloptFuseLayoutCovers(&check->space, own, false));
}

int64_t mloptFuseSumBytes(MlirType type) {
  unsigned bits = mloptElementWidth(mloptElementType(type));
  if (mloptIsFloatElement(mloptElementType(type)) && bits < 32)
    bits = 32;
  return bits < 8 ? 1 : bits / 8;
}

static MloptFuseReason checkReduction(Check *check, int place, bool after) {
  const MloptFuseNode *node =
      &check->space.graph->nodes[check->space.body->nodes[place]];
  MloptFuseLayout *own = &check->space.layouts[place];
  if (checkReduce(check, node, own, false)) {
    check->after[place] = true;
    check->rows->rereads |= after && !mloptFuseIsStreamedSum(node->op);
    return MLOPT_FUSE_FUSED;
  }
  if (!isSum(node) || !checkReduce(check, node, own, true))
    return MLOPT_FUSE_OTHER_ROWS;
  check->beneath[place] = true;
  check->rows->sumBytes += mloptFuseSumBytes(mloptResultType(node->op, 0));
  check->rows->rereads |= after;
  return MLOPT_FUSE_FUSED;
}

static MloptFuseReason checkNode(Check *check, int place) {
  int at = check->space.body->nodes[place];
  const MloptFuseNode *node = &check->space.graph->nodes[at];
  MloptFuseLayout *own = &check->space.layouts[place];
  bool after = false, beneath = false;
  for (int o = 0; o < node->numOperands; ++o) {
    after |= isAfter(check, node, o);
    beneath |= isBeneath(check, node, o);
  }
  if (node->traits.access == MLOPT_ACCESS_REDUCE)
    return checkReduction(check, place, after);
  check->after[place] = after;
  check->beneath[place] = beneath;
  if ((after && beneath) ||
      ((after || beneath) && !checkAfter(check, node, own)))
    return MLOPT_FUSE_MOVED;
  // What is not stored is read by a reduction, in the end.
  check->rows->rereads |= after && check->space.body->stored[at] &&
                          mloptFuseLayoutSize(own) > check->space.rows;
  if ((check->space.body->stored[at] || beneath) &&
      !checkStored(check, own, beneath))
    return MLOPT_FUSE_OTHER_SPACE;
  return MLOPT_FUSE_FUSED;
}

MloptFuseReason mloptFuseCheckRows(const MloptFuseGraph *graph,
                                   const MloptFuseBody *body,
                                   MloptFuseRows *out) {
  size_t count = (size_t)body->count + 1;
  Check check = {.rows = out,
                 .after = calloc(count, sizeof(bool)),
                 .beneath = calloc(count, sizeof(bool))};
  MloptFuseReason reason = MLOPT_FUSE_TOO_MANY;
  if (mloptFuseSpaceCreate(graph, body, &check.space) && check.after &&
      check.beneath) {
    *out = (MloptFuseRows){check.space.rows, check.space.columns, 0, false};
    reason = MLOPT_FUSE_FUSED;
    for (int i = 0; i < body->count && reason == MLOPT_FUSE_FUSED; ++i)
      reason = checkNode(&check, i);
  }
  if (reason == MLOPT_FUSE_FUSED && out->sumBytes &&
      !mloptChoosePieces(out->rows, out->columns, out->sumBytes).count)
    reason = MLOPT_FUSE_OTHER_ROWS;
  mloptFuseSpaceDestroy(&check.space);
  free(check.after);
  free(check.beneath);
  return reason;
}
