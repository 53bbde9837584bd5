//===- fuse_stream.c - Kernels that stream keys ---------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A softmax between two dots becomes one kernel with them. First the rows of
// probabilities are scaled after the second dot, in f32:
//
//   %d = mlopt.div %e, (broadcast %l) : tensor<8x64xf32>
//   %p = mlopt.convert %d : tensor<8x64xf32> -> tensor<8x64xbf16>
//   %o = mlopt.dot %p, %v contract [1] x [0] : (...) -> tensor<8x16xf32>
// becomes
//   %p = mlopt.convert %e : tensor<8x64xf32> -> tensor<8x64xbf16>
//   %u = mlopt.dot %p, %v contract [1] x [0] : (...) -> tensor<8x16xf32>
//   %i = mlopt.div 1, %l : tensor<8xf32>
//   %o = mlopt.mul %u, (broadcast %i) : tensor<8x16xf32>
//
// Exponentials are rounded in place of probabilities: of a half of the last
// place of the factors' type each, as before.
//
// Where something else reads exponentials or probabilities, as gradients do,
// the kernel stores the scores and what rows have in the end, from which the
// readers compute them again: the two dots get exponentials of their own.
//
//   %e = mlopt.exp (%s - broadcast %m)     read by the dots and others
// becomes
//   %i = mlopt.exp (%s - broadcast %m)     read by the dots
//   %e = mlopt.exp (%s - broadcast %m)     read by others
//
//===----------------------------------------------------------------------===//

#include "fuse_stream.h"
#include "fuse_plan.h"

#include "fold.h"
#include "match.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Scaling rows later
//===----------------------------------------------------------------------===//

/// A copy of an operation with other operands and the result's type `type`.
static MlirValue copyWith(MlirOperation op, intptr_t operand, MlirValue value,
                          MlirType type) {
  MlirOperation copy = mlirOperationClone(op);
  mlirOperationSetOperand(copy, operand, value);
  mlirValueSetType(mloptResult(copy, 0), type);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(op), op, copy);
  return mloptResult(copy, 0);
}

/// What each row is multiplied with: the row's value, or its inverse.
static MlirValue factorOfRow(MloptBuilder *b, const MloptFuseStream *s) {
  enum { ONE = 0x3f800000 }; // of f32
  MlirOperation repeat =
      mlirOpResultGetOwner(mloptOperand(s->scale, s->scaleOperand));
  MlirValue row = mloptOperand(repeat, 0);
  if (mloptIsA(s->scale, &mloptOp_mul))
    return row;
  MlirValue one = mloptFuseSplat(b, mlirValueGetType(row), ONE);
  return mloptFuseBinary(b, &mloptOp_div, one, row, s->scale);
}

/// Gives the stream a difference, and exponentials, that nothing else reads.
static void computeApart(MloptFuseStream *s) {
  MlirOperation repeat = mlirOpResultGetOwner(mloptOperand(s->sub, 1));
  MlirOperation *const chain[] = {&repeat, &s->sub, &s->exp};
  const intptr_t operands[] = {-1, 1, 0}; // that the one before gives
  MlirOperation before = s->exp;
  for (size_t i = 0; i < MLOPT_COUNT(chain); ++i) {
    MlirOperation copy = mlirOperationClone(*chain[i]);
    if (operands[i] >= 0)
      mlirOperationSetOperand(copy, operands[i], mloptResult(*chain[i - 1], 0));
    mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(before), before,
                                        copy);
    *chain[i] = copy;
  }
  mlirOperationSetOperand(s->sum, 0, mloptResult(s->exp, 0));
}

static void eraseUnread(MlirOperation op) {
  if (!mlirOperationIsNull(op) &&
      mlirOpOperandIsNull(mlirValueGetFirstUse(mloptResult(op, 0))))
    mlirOperationDestroy(op);
}

MlirOperation mloptFuseDelayScale(MlirOperation second) {
  MloptFuseStream s;
  if (mloptFuseMatchStream(second, &s) != MLOPT_FUSE_FUSED)
    return (MlirOperation){NULL};
  mloptFuseLayRows(s.first);
  if (s.isShared)
    computeApart(&s);
  else if (mlirOperationIsNull(s.scale))
    return second;
  MloptBuilder b = mloptBuilderBefore(second, mlirOperationGetLocation(second));
  MlirType f32 = mlirF32TypeGet(b.context);
  MlirValue weights = mloptResult(s.exp, 0);
  if (!mlirOperationIsNull(s.round))
    weights = mloptBuildUnary(&b, mloptOp_convert.name, weights,
                              mloptResultType(s.round, 0));
  if (mlirOperationIsNull(s.scale)) {
    if (!b.failed)
      mlirOperationSetOperand(second, 0, weights);
    eraseUnread(s.round);
    return second;
  }
  MlirType result = mloptResultType(second, 0);
  MlirType wide = mloptWithElementType(result, f32);
  MlirValue factor = factorOfRow(&b, &s);
  if (b.failed)
    return second;
  MlirValue sums = copyWith(second, 0, weights, wide);
  MlirOperation repeat =
      mlirOpResultGetOwner(mloptOperand(s.scale, s.scaleOperand));
  MlirOperation again = mlirOperationClone(repeat);
  mlirOperationSetOperand(again, 0, factor);
  mlirValueSetType(mloptResult(again, 0), wide);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(second), second,
                                      again);
  MlirValue scaled =
      mloptFuseBinary(&b, &mloptOp_mul, sums, mloptResult(again, 0), s.scale);
  if (!mlirTypeEqual(result, wide))
    scaled = mloptBuildUnary(&b, mloptOp_convert.name, scaled, result);
  mlirValueReplaceAllUsesOfWith(mloptResult(second, 0), scaled);
  mlirOperationDestroy(second);
  eraseUnread(s.round);
  eraseUnread(s.scale);
  eraseUnread(repeat);
  return mlirOpResultGetOwner(sums);
}

//===----------------------------------------------------------------------===//
// Joining
//===----------------------------------------------------------------------===//

static int nodeOf(const MloptFuseGraph *graph, MlirOperation op) {
  return mloptFuseGraphFind(graph, mloptResult(op, 0));
}

/// What markStream knows of a node.
typedef struct Mark {
  bool marked;
  bool follows; ///< elementwise code of the second dot, in another order
  bool ofRows;  ///< of the rows' sums, and not of that
} Mark;

static bool isMoved(const MloptFuseNode *n) {
  MloptAccess access = n->traits.access;
  return access == MLOPT_ACCESS_ELEMENTWISE || access == MLOPT_ACCESS_RESHAPE ||
         access == MLOPT_ACCESS_TRANSPOSE;
}

/// Marks the nodes of a stream, what multiplies the second dot's rows by
/// something of their sums, and what lies between.
static void markStream(const MloptFuseGraph *graph, const MloptFuseStream *s,
                       Mark *marks) {
  int second = nodeOf(graph, s->second), sum = nodeOf(graph, s->sum);
  for (int i = 0; i < graph->count; ++i) {
    const MloptFuseNode *n = &graph->nodes[i];
    bool follows = false, ofRows = false;
    for (int o = 0; o < n->numOperands; ++o) {
      int operand = n->operands[o];
      follows |= operand >= 0 && marks[operand].follows;
      ofRows |= operand >= 0 && marks[operand].ofRows;
    }
    bool isInside = i == second || mloptFuseStreamHolds(s, n->op);
    bool goesOn = !isInside && n->role != MLOPT_ROLE_HOST;
    follows &=
        goesOn && isMoved(n) && n->elements == graph->nodes[second].elements;
    ofRows &= goesOn;
    marks[i] = (Mark){.marked = isInside || (follows && ofRows),
                      .follows = i == second || follows,
                      .ofRows = i == sum || (ofRows && !follows)};
  }
  for (int i = graph->count; i-- > 0;)
    for (int o = 0; marks[i].marked && o < graph->nodes[i].numOperands; ++o) {
      int operand = graph->nodes[i].operands[o];
      if (operand >= 0 && (marks[operand].follows || marks[operand].ofRows))
        marks[operand].marked = true;
    }
}

/// Why the marked nodes cannot be one kernel; FUSED if they can.
static MloptFuseReason judgeMarked(MloptFusePlan *plan, const Mark *marks) {
  const MloptFuseGraph *graph = plan->graph;
  MloptFuseBody *body = &plan->scratch;
  mloptFuseBodyClear(body);
  for (int i = 0; i < graph->count; ++i)
    if (marks[i].marked && graph->nodes[i].role == MLOPT_ROLE_COMPUTE)
      mloptFuseBodyAdd(body, i);
  for (int i = 0; i < body->count; ++i) {
    const MloptFuseNode *n = &graph->nodes[body->nodes[i]];
    bool stored = n->readByHost;
    for (int r = 0; r < n->numReaders; ++r)
      stored |= !body->holds[n->readers[r]];
    body->stored[body->nodes[i]] = stored;
  }
  mloptFuseBodyComplete(graph, body);
  return mloptFuseJudge(graph, body).reason;
}

static void joinStream(MloptFusePlan *plan, const Mark *marks) {
  int kernel = -1;
  for (int i = 0; i < plan->graph->count; ++i) {
    if (!marks[i].marked || plan->home[i] < 0 || plan->home[i] == kernel ||
        plan->graph->nodes[i].role != MLOPT_ROLE_COMPUTE)
      continue;
    if (kernel < 0)
      kernel = plan->home[i];
    else
      mloptFuseMerge(plan, kernel, plan->home[i]);
  }
}

bool mloptFuseJoinStreams(MloptFusePlan *plan) {
  const MloptFuseGraph *graph = plan->graph;
  size_t count = (size_t)graph->count + 1;
  Mark *marks = calloc(count, sizeof *marks);
  for (int i = 0; marks && i < graph->count; ++i) {
    MloptFuseStream stream;
    MloptFuseReason reason = mloptFuseMatchStream(graph->nodes[i].op, &stream);
    if (reason == MLOPT_NUM_FUSE_REASONS)
      continue;
    markStream(graph, &stream, marks);
    if (reason == MLOPT_FUSE_FUSED)
      reason = judgeMarked(plan, marks);
    if (reason == MLOPT_FUSE_FUSED)
      joinStream(plan, marks);
    for (int n = 0; n < graph->count; ++n)
      if (n == i || mloptFuseStreamHolds(&stream, graph->nodes[n].op))
        plan->unstreamed[n] = reason;
  }
  bool ok = marks != NULL;
  free(marks);
  return ok;
}
