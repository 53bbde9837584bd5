//===- fuse_contraction.c - What may share a kernel with a product --------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel of a dot computes a tile of the product in registers and may go on
// from there with an epilogue: elementwise code of the product's element and of
// other operands, each read where it is needed.
//
//   %p = mlopt.dot %a, %w ...        |
//   %c = mlopt.broadcast %bias ...   |  one kernel, which stores %r
//   %s = mlopt.add %p, %c            |
//   %r = mlopt.max %s, %zero         |
//
// The factors of the dot lie in memory: code that computes them would run again
// for each tile that reads them, so it is a kernel before this one.
//
//===----------------------------------------------------------------------===//

#include "fuse.h"

#include "match.h"
#include "target.h"

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

/// In microseconds. Tensor Cores take elements of up to 16 bits.
static double productTime(MlirOperation dot) {
  const MloptTarget *target = &mloptSm90;
  MlirType type = mloptOperandType(dot, 0);
  MloptInts contracted = mloptGetInts(dot, "lhs_contract");
  double products = (double)mloptNumElements(mloptResultType(dot, 0));
  for (intptr_t i = 0; i < contracted.count; ++i)
    products *= (double)mloptDim(type, contracted.at[i]);
  bool isNarrow = mloptElementWidth(mloptElementType(type)) <= 16;
  return products /
         (double)(isNarrow ? target->tensorProducts : target->additions);
}

double mloptFuseProductTime(const MloptFuseGraph *graph,
                            const MloptFuseBody *body) {
  double time = 0;
  for (int i = 0; i < body->count; ++i)
    if (mloptIsA(graph->nodes[body->nodes[i]].op, &mloptOp_dot))
      time += productTime(graph->nodes[body->nodes[i]].op);
  return time;
}

//===----------------------------------------------------------------------===//
// What belongs together
//===----------------------------------------------------------------------===//

/// Whether a node depends on the product; kept in the body's counters.
static bool depends(const MloptFuseBody *body, int node) {
  return node >= 0 && body->holds[node] && body->runs[node] != 0;
}

static bool readsProduct(const MloptFuseBody *body, const MloptFuseNode *node) {
  for (int o = 0; o < node->numOperands; ++o)
    if (depends(body, node->operands[o]))
      return true;
  return false;
}

/// The factors come from memory, be it under another shape.
static MloptFuseReason checkFactors(const MloptFuseBody *body,
                                    const MloptFuseNode *dot) {
  for (int o = 0; o < dot->numOperands; ++o)
    if (dot->operands[o] >= 0 && body->holds[dot->operands[o]])
      return MLOPT_FUSE_PROLOGUE;
  return MLOPT_FUSE_FUSED;
}

/// What depends on the product has its elements, in their order.
static MloptFuseReason checkFollower(const MloptFuseGraph *graph,
                                     const MloptFuseBody *body,
                                     const MloptFuseNode *node) {
  if (node->traits.access == MLOPT_ACCESS_REDUCE)
    return MLOPT_FUSE_CONTRACTION;
  if (node->traits.access != MLOPT_ACCESS_ELEMENTWISE &&
      !mloptIsA(node->op, &mloptOp_reshape))
    return MLOPT_FUSE_EPILOGUE;
  for (int o = 0; o < node->numOperands; ++o)
    if (depends(body, node->operands[o]) &&
        graph->nodes[node->operands[o]].elements != node->elements)
      return MLOPT_FUSE_EPILOGUE;
  return MLOPT_FUSE_FUSED;
}

/// What does not is read, and perhaps computed, for each element of a tile.
static MloptFuseReason checkOperand(const MloptFuseNode *node) {
  switch (node->traits.access) {
  case MLOPT_ACCESS_CONSTANT:
  case MLOPT_ACCESS_CREATE:
  case MLOPT_ACCESS_ELEMENTWISE:
  case MLOPT_ACCESS_RESHAPE:
  case MLOPT_ACCESS_TRANSPOSE:
  case MLOPT_ACCESS_BROADCAST:
    return mloptIsA(node->op, &mloptOp_reduce) ? MLOPT_FUSE_CONTRACTION
                                               : MLOPT_FUSE_FUSED;
  case MLOPT_ACCESS_REDUCE:
    return MLOPT_FUSE_CONTRACTION;
  default:
    return MLOPT_FUSE_EPILOGUE;
  }
}

/// One result goes out, in a type that tiles are stored in.
static MloptFuseReason checkResults(const MloptFuseGraph *graph,
                                    const MloptFuseBody *body) {
  int numStored = 0;
  for (int i = 0; i < body->count; ++i) {
    int node = body->nodes[i];
    if (!body->stored[node])
      continue;
    MlirType element =
        mloptElementType(mloptResultType(graph->nodes[node].op, 0));
    if (++numStored > 1 || body->runs[node] == 0 ||
        !(mlirTypeIsABF16(element) || mlirTypeIsAF16(element) ||
          mlirTypeIsAF32(element)))
      return MLOPT_FUSE_EPILOGUE;
  }
  return MLOPT_FUSE_FUSED;
}

/// One dot, and its factors.
static MloptFuseReason checkDots(const MloptFuseGraph *graph,
                                 const MloptFuseBody *body) {
  const MloptFuseNode *dot = NULL;
  for (int i = 0; i < body->count; ++i) {
    const MloptFuseNode *node = &graph->nodes[body->nodes[i]];
    if (!mloptIsA(node->op, &mloptOp_dot))
      continue;
    if (dot)
      return MLOPT_FUSE_TWO_PRODUCTS;
    dot = node;
  }
  return checkFactors(body, dot);
}

MloptFuseReason mloptFuseCheckContraction(const MloptFuseGraph *graph,
                                          const MloptFuseBody *body) {
  MloptFuseReason reason = checkDots(graph, body);
  for (int i = 0; i < body->count && reason == MLOPT_FUSE_FUSED; ++i) {
    const MloptFuseNode *node = &graph->nodes[body->nodes[i]];
    bool isDot = mloptIsA(node->op, &mloptOp_dot);
    bool follows = readsProduct(body, node);
    body->runs[body->nodes[i]] = isDot || follows;
    if (isDot)
      continue;
    if (node->traits.access == MLOPT_ACCESS_ALONE)
      reason = node->traits.alone;
    else
      reason = follows ? checkFollower(graph, body, node) : checkOperand(node);
  }
  return reason == MLOPT_FUSE_FUSED ? checkResults(graph, body) : reason;
}
