//===- fuse_ledger.c - What was fused, and why the rest was not -----------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each fusion carries an entry for each operand that another kernel, or an
// operation between kernels, computes:
//
//   mlopt.ledger = [{operand = 0, reason = "contraction", bytes = 4096}]
//
// where `bytes` is the traffic that fusing the edge would save. The function
// carries the totals as `mlopt.traffic`. The same goes out as remarks of the
// category mlopt-fuse, one for each edge, named by the reason.
//
//===----------------------------------------------------------------------===//

#include "fuse.h"

#include <stdio.h>
#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

static void remark(MlirOperation consumer, MlirOperation producer,
                   MloptFuseReason reason, int64_t bytes,
                   MlirStringRef function) {
  char text[32];
  snprintf(text, sizeof text, "%" PRId64, bytes);
  const MlirStringRef keys[] = {mloptStr("producer"), mloptStr("consumer"),
                                mloptStr("bytes")};
  const MlirStringRef values[] = {
      mlirIdentifierStr(mlirOperationGetName(producer)),
      mlirIdentifierStr(mlirOperationGetName(consumer)), mloptStr(text)};
  bool passed = reason <= MLOPT_FUSE_RECOMPUTED;
  mlirEmitOptimizationRemark(
      mlirOperationGetLocation(consumer),
      passed ? MlirRemarkKindPassed : MlirRemarkKindMissed,
      mloptStr(mloptFuseReasonGetName(reason)), mloptStr("mlopt-fuse"),
      mloptStr(""), function, mloptStr(mloptFuseReasonGetText(reason)),
      MLOPT_COUNT(keys), keys, values);
}

/// The edges between nodes of the scratch body.
static void remarkInside(MloptFusePlan *plan, int kernel,
                         MlirStringRef function) {
  const MloptFuseGraph *graph = plan->graph;
  const MloptFuseBody *body = &plan->scratch;
  for (int i = 0; i < body->count; ++i) {
    const MloptFuseNode *node = &graph->nodes[body->nodes[i]];
    if (node->role != MLOPT_ROLE_COMPUTE)
      continue;
    for (int o = 0; o < node->numOperands; ++o) {
      int root = mloptFuseRootOf(graph, node->operands[o]);
      if (root < 0 || graph->nodes[root].role != MLOPT_ROLE_COMPUTE ||
          !body->holds[root])
        continue;
      MloptFuseReason reason = plan->home[root] != kernel
                                   ? MLOPT_FUSE_RECOMPUTED
                               : body->stored[root] ? MLOPT_FUSE_SHARED
                                                    : MLOPT_FUSE_FUSED;
      remark(node->op, graph->nodes[root].op, reason, graph->nodes[root].bytes,
             function);
    }
  }
}

//===----------------------------------------------------------------------===//
// Ledgers
//===----------------------------------------------------------------------===//

/// The operation of the scratch body that reads the value, or a view of it.
static MlirOperation readerOf(const MloptFusePlan *plan, MlirValue value) {
  const MloptFuseBody *body = &plan->scratch;
  for (int i = 0; i < body->count; ++i) {
    const MloptFuseNode *node = &plan->graph->nodes[body->nodes[i]];
    for (int o = 0; o < node->numOperands; ++o)
      if (mlirValueEqual(mloptFuseRootValue(plan->graph, node->from[o]), value))
        return node->op;
  }
  return (MlirOperation){NULL};
}

/// Bytes that would not move if the kernel computed the value itself: what it
/// reads, and what is written for no one else.
static int64_t bytesOfEdge(const MloptFusePlan *plan, int kernel, int root,
                           MlirValue value) {
  int64_t bytes = mloptFuseReadBytes(plan->graph, &plan->scratch, value);
  return mloptFuseIsReadElsewhere(plan, root, kernel, -1)
             ? bytes
             : bytes + plan->graph->nodes[root].bytes;
}

MlirAttribute mloptFuseLedgerEntry(MlirContext c, intptr_t operand,
                                   MloptFuseReason reason, int64_t bytes) {
  MlirNamedAttribute entries[] = {
      mloptNamedAttr(c, "operand", mloptI64Attr(c, operand)),
      mloptNamedAttr(c, "reason",
                     mloptStrAttr(c, mloptFuseReasonGetName(reason))),
      mloptNamedAttr(c, "bytes", mloptI64Attr(c, bytes))};
  return mlirDictionaryAttrGet(c, MLOPT_COUNT(entries), entries);
}

MlirAttribute mloptFuseLedgerOf(MloptFusePlan *plan, int kernel,
                                MlirStringRef function, intptr_t numOperands,
                                const MlirValue *operands) {
  const MloptFuseGraph *graph = plan->graph;
  MlirAttribute *entries = calloc((size_t)numOperands + 1, sizeof *entries);
  intptr_t count = 0;
  if (!entries)
    return (MlirAttribute){NULL};
  remarkInside(plan, kernel, function);
  for (intptr_t i = 0; i < numOperands; ++i) {
    int root = mloptFuseRootOf(graph, mloptFuseGraphFind(graph, operands[i]));
    if (root < 0 || graph->nodes[root].traits.access == MLOPT_ACCESS_CONSTANT)
      continue;
    MlirValue value = mloptFuseRootValue(graph, operands[i]);
    mloptFuseBodyOf(plan, kernel, -1);
    int64_t bytes = bytesOfEdge(plan, kernel, root, value);
    MlirOperation reader = readerOf(plan, value);
    MloptFuseReason reason =
        plan->home[root] < 0
            ? MLOPT_FUSE_FOREIGN
            : mloptFuseWhyApart(plan, plan->home[root], kernel);
    remark(reader, graph->nodes[root].op, reason, bytes, function);
    entries[count++] =
        mloptFuseLedgerEntry(mlirOperationGetContext(reader), i, reason, bytes);
  }
  MlirAttribute ledger = {NULL};
  if (count)
    ledger =
        mlirArrayAttrGet(mlirAttributeGetContext(entries[0]), count, entries);
  free(entries);
  return ledger;
}
