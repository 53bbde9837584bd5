//===- fuse_contraction_dots.c - Which products share a kernel ------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enters: a body with a dot or a convolution. Leaves: how many it has, and
// whether their tiles lie side by side, are one list, or take a softmax of one
// another; or the reason why no kernel computes them together.
//
//===----------------------------------------------------------------------===//

#include "fuse_contraction_impl.h"

#include "match.h"

/// The factors come from memory.
static MloptFuseReason checkStream(MloptFuseCheck *check) {
  static const struct {
    int dot, side;
    bool alongSums;
  } factors[] = {{0, 0, true}, {0, 1, true}, {1, 1, false}};
  MloptFuseReason reason = MLOPT_FUSE_FUSED;
  for (int i = 0; i < MLOPT_COUNT(factors) && reason == MLOPT_FUSE_FUSED; ++i)
    reason = mloptFuseCheckStreamFactor(
        check->graph, check->body, check->dots[factors[i].dot], factors[i].side,
        factors[i].alongSums, check->moves);
  return reason;
}

static MloptFuseReason checkFactors(MloptFuseCheck *check,
                                    const MloptFuseNode *dot) {
  MloptFuseReason reason = MLOPT_FUSE_FUSED;
  for (int side = 0; side < 2 && reason == MLOPT_FUSE_FUSED; ++side) {
    bool mapped;
    reason = mloptFuseCheckFactor(check->graph, check->body, dot, side,
                                  check->moves, &mapped);
    if (reason == MLOPT_FUSE_PROLOGUE) {
      check->computes[side] = mapped = true;
      reason = mloptFuseCheckPrologue(check->graph, check->body, dot, side,
                                      check->moves);
    }
    check->mapped &= mapped;
  }
  // One of the two, and one for all dots.
  if ((check->computes[0] && check->computes[1]) ||
      (check->numDots > 1 && check->computes[check->side]))
    reason = MLOPT_FUSE_PROLOGUE;
  return reason;
}

bool mloptFuseReadsAnother(const MloptFuseCheck *check,
                           const MloptFuseNode *dot) {
  for (int o = 0; o < dot->numOperands; ++o) {
    int root = mloptFuseRootOf(check->graph, dot->operands[o]);
    if (root >= 0 && check->body->holds[root])
      return true;
  }
  return false;
}

/// Whether a node reads a dot, or what follows from one.
static bool followsDot(const MloptFuseCheck *check, const MloptFuseNode *node) {
  for (int o = 0; o < node->numOperands; ++o) {
    int root = mloptFuseRootOf(check->graph, node->operands[o]);
    if (root >= 0 && check->body->holds[root] && check->follows[root])
      return true;
  }
  return false;
}

bool mloptFuseShareFactor(MlirOperation a, MlirOperation b, int side) {
  static const char *const attrs[] = {
      "lhs_batch",  "rhs_batch", "lhs_contract",  "rhs_contract",
      "accumulate", "numerics",  "mlopt.promote", "mlopt.zeros"};
  for (int i = 0; i < MLOPT_COUNT(attrs); ++i)
    if (!mlirAttributeEqual(mloptAttr(a, attrs[i]), mloptAttr(b, attrs[i])))
      return false;
  return mloptIsA(a, &mloptOp_dot) && mloptIsA(b, &mloptOp_dot) &&
         mlirValueEqual(mloptOperand(a, 1 - side), mloptOperand(b, 1 - side));
}

/// Whether they differ in factor `side` alone.
static bool areAlike(const MloptFuseNode *a, const MloptFuseNode *b, int side) {
  return mloptFuseShareFactor(a->op, b->op, side) &&
         mlirTypeEqual(mlirValueGetType(a->from[side]),
                       mlirValueGetType(b->from[side])) &&
         mlirTypeEqual(mloptResultType(a->op, 0), mloptResultType(b->op, 0));
}

/// Whether stages of their tiles are alike, as in a list: the factors of both
/// lie in memory as they are.
static bool areListed(const MloptFuseCheck *check, const MloptFuseNode *a,
                      const MloptFuseNode *b) {
  MlirType x = mlirValueGetType(a->from[check->side]);
  MlirType y = mlirValueGetType(b->from[check->side]);
  return mloptFuseShareFactor(a->op, b->op, check->side) &&
         mloptRank(x) == mloptRank(y) &&
         mlirTypeEqual(mloptElementType(x), mloptElementType(y)) &&
         mlirAttributeIsNull(mloptAttr(a->op, "mlopt.zeros")) &&
         !mloptFuseReadsAnother(check, a) && !mloptFuseReadsAnother(check, b);
}

bool mloptFuseTakesDots(const MloptFuseCheck *check, const MloptFuseNode *dot) {
  enum { LEAST_BYTES = 32 }; // of one instruction's depth
  MlirType type = mlirValueGetType(dot->from[0]);
  MlirType element = mloptElementType(type);
  MlirType other = mloptElementType(mlirValueGetType(dot->from[1]));
  MlirAttribute accumulate = mloptAttr(dot->op, "accumulate");
  MloptInts contract = mloptGetInts(dot->op, "lhs_contract");
  int64_t depth = 1;
  for (intptr_t i = 0; i < contract.count; ++i)
    depth *= mloptDim(type, contract.at[i]);
  bool isFloat = mloptIsFloatElement(element);
  MlirType sum = !mlirAttributeIsNull(accumulate)
                     ? mlirTypeAttrGetValue(accumulate)
                 : isFloat ? mlirF32TypeGet(mlirTypeGetContext(type))
                           : mloptElementType(mloptResultType(dot->op, 0));
  unsigned width = mloptElementWidth(element);
  return check->graph->wgmma && check->mapped &&
         depth * width / 8 >= LEAST_BYTES &&
         (isFloat ? mlirTypeIsAF32(sum)
                  : width == 8 && mloptElementWidth(sum) == 32) &&
         (mlirTypeEqual(element, other) || (isFloat && width == 8));
}

/// Whether the second dot takes a softmax of the first, and keys are streamed.
static bool isStream(MloptFuseCheck *check, const MloptFuseNode *second) {
  return check->numDots == 1 &&
         mloptFuseMatchStream(second->op, &check->stream) == MLOPT_FUSE_FUSED &&
         mlirOperationIsNull(check->stream.scale) &&
         mlirOperationEqual(check->stream.first, check->dots[0]->op);
}

/// How tiles hold the dots, side by side or one each; false if neither.
static bool arrange(MloptFuseCheck *check) {
  const MloptFuseNode **dots = check->dots;
  check->side =
      check->numDots > 1 && mloptFuseShareFactor(dots[0]->op, dots[1]->op, 0)
          ? 0
          : 1;
  check->isList = check->numDots > MLOPT_MAX_PRODUCTS;
  for (int i = 1; i < check->numDots; ++i)
    check->isList |= !areAlike(dots[0], dots[i], check->side);
  for (int i = 1; check->isList && i < check->numDots; ++i)
    if (!areListed(check, dots[0], dots[i]))
      return false;
  return true;
}

MloptFuseReason mloptFuseCheckDots(MloptFuseCheck *check) {
  const MloptFuseBody *body = check->body;
  for (int i = 0; i < body->count; ++i) {
    const MloptFuseNode *node = &check->graph->nodes[body->nodes[i]];
    bool isDot = mloptFuseIsProduct(node->op);
    bool follows = followsDot(check, node);
    check->follows[body->nodes[i]] = isDot || follows;
    if (!isDot)
      continue;
    if (check->numDots == MLOPT_FUSE_MAX_DOTS || check->isStream)
      return MLOPT_FUSE_PRODUCTS;
    check->isStream = isStream(check, node);
    if (!check->isStream && follows)
      return MLOPT_FUSE_PRODUCTS;
    check->dots[check->numDots++] = node;
  }
  if (check->isStream)
    return checkStream(check);
  if (!arrange(check))
    return MLOPT_FUSE_PRODUCTS;
  MloptFuseReason reason = MLOPT_FUSE_FUSED;
  for (int i = 0; i < check->numDots && reason == MLOPT_FUSE_FUSED; ++i)
    reason = checkFactors(check, check->dots[i]);
  if (reason == MLOPT_FUSE_FUSED && check->numDots > 1 &&
      !mloptFuseTakesDots(check, check->dots[0]))
    return MLOPT_FUSE_PRODUCTS;
  return reason;
}
