//===- fuse_build.c - From a plan to fusions ------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the block anew before its terminator, every operation and kernel after
// what it reads, and then takes the old operations away.
//
//===----------------------------------------------------------------------===//

#include "fuse_shape.h"

#include <stdlib.h>

/// A node of the new block.
typedef struct Made {
  bool done;
  MlirValue *results; ///< what stands for its results; NULL: the same
} Made;

typedef struct Build {
  MloptFusePlan *plan;
  const MloptFuseGraph *graph;
  MlirStringRef function;
  MloptFuseTotals *totals;
  MlirOperation terminator;
  Made *made;       ///< for each node
  bool *kernelDone; ///< for each kernel
  bool failed;
} Build;

static void makeNode(Build *build, int node);

/// What stands for a value of the old block in the new one.
static MlirValue outerOf(const Build *build, MlirValue value) {
  int node = mloptFuseGraphFind(build->graph, value);
  if (node < 0 || !build->made[node].results)
    return value;
  return build->made[node].results[mlirOpResultGetResultNumber(value)];
}

static MlirValue *makeResults(Build *build, int node) {
  intptr_t n = mlirOperationGetNumResults(build->graph->nodes[node].op);
  Made *made = &build->made[node];
  made->done = true;
  made->results = calloc((size_t)n + 1, sizeof *made->results);
  build->failed |= !made->results;
  return made->results;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// A fusion under construction.
typedef struct Fusion {
  int count;    ///< of nodes
  int *nodes;   ///< of the body
  bool *stored; ///< for each of them
  intptr_t numOperands, numBound, numYields;
  MlirValue *operands;  ///< values of the old block
  MlirValue *from, *to; ///< values of the old block, and inside
  MlirValue *yields;    ///< inside
  bool isShaped;        ///< the body is written along its axes
  MloptFuseShape shape;
} Fusion;

static bool isOperand(const Fusion *f, MlirValue value) {
  for (intptr_t i = 0; i < f->numOperands; ++i)
    if (mlirValueEqual(f->operands[i], value))
      return true;
  return false;
}

/// Copies what the scratch body says before it is used again.
static bool readBody(Build *build, int kernel, Fusion *f) {
  const MloptFuseGraph *graph = build->graph;
  const MloptFuseBody *body = mloptFuseBodyOf(build->plan, kernel, -1);
  size_t values = 1, results = 1;
  for (int i = 0; i < body->count; ++i) {
    const MloptFuseNode *node = &graph->nodes[body->nodes[i]];
    values += (size_t)node->numOperands;
    results += (size_t)mlirOperationGetNumResults(node->op);
  }
  *f = (Fusion){.count = body->count,
                .nodes = malloc(((size_t)body->count + 1) * sizeof *f->nodes),
                .stored = malloc((size_t)body->count + 1),
                .operands = malloc(values * sizeof *f->operands),
                .from = malloc((values + results) * sizeof *f->from),
                .to = malloc((values + results) * sizeof *f->to),
                .yields = malloc(results * sizeof *f->yields)};
  if (!f->nodes || !f->stored || !f->operands || !f->from || !f->to ||
      !f->yields)
    return false;
  bool reduces =
      build->plan->kernels[kernel].verdict.family == MLOPT_KERNEL_ROWS;
  f->isShaped = reduces && mloptFuseShapeCreate(graph, body, &f->shape);
  for (int i = 0; i < f->shape.numOutside; ++i)
    f->operands[f->numOperands++] = f->shape.outside[i];
  for (int i = 0; i < body->count; ++i) {
    const MloptFuseNode *node = &graph->nodes[body->nodes[i]];
    f->nodes[i] = body->nodes[i];
    f->stored[i] = body->stored[body->nodes[i]];
    for (int o = 0; o < node->numOperands; ++o) {
      bool inside = node->operands[o] >= 0 && body->holds[node->operands[o]];
      if (!f->isShaped && !inside && !isOperand(f, node->from[o]))
        f->operands[f->numOperands++] = node->from[o];
    }
  }
  return true;
}

static void freeFusion(Fusion *f) {
  free(f->nodes);
  free(f->stored);
  free(f->operands);
  free(f->from);
  free(f->to);
  free(f->yields);
  mloptFuseShapeDestroy(&f->shape);
}

/// Clones the body's operations into a block whose arguments are the operands.
static void fillBlock(const MloptFuseGraph *graph, Fusion *f, MlirBlock block) {
  for (intptr_t i = 0; i < f->numOperands; ++i) {
    f->from[f->numBound] = f->operands[i];
    f->to[f->numBound++] = mlirBlockGetArgument(block, i);
  }
  for (int i = 0; i < f->count; ++i) {
    MlirOperation op = graph->nodes[f->nodes[i]].op;
    MlirOperation copy = mloptCloneWithMapping(op, f->numBound, f->from, f->to);
    mlirBlockAppendOwnedOperation(block, copy);
    for (intptr_t r = 0, n = mlirOperationGetNumResults(op); r < n; ++r) {
      f->from[f->numBound] = mloptResult(op, r);
      f->to[f->numBound++] = mloptResult(copy, r);
      if (f->stored[i] &&
          !mlirOpOperandIsNull(mlirValueGetFirstUse(mloptResult(op, r))))
        f->yields[f->numYields++] = mloptResult(copy, r);
    }
  }
}

/// The same elements under another shape.
static MlirValue viewAs(MloptBuilder *b, MlirValue value, MlirType type) {
  return mlirTypeEqual(mlirValueGetType(value), type)
             ? value
             : mloptBuildUnary(b, mloptOp_reshape.name, value, type);
}

static MlirOperation insertFusion(Build *build, Fusion *f, MlirAttribute ledger,
                                  MlirLocation location) {
  MloptBuilder b = mloptBuilderBefore(build->terminator, location);
  size_t count = (size_t)(f->numOperands + f->numBound + f->count) + 64;
  MlirType *types = malloc(count * 4 * sizeof *types);
  MlirValue *operands = malloc(count * sizeof *operands);
  MlirBlock block;
  b.failed |= !types || !operands;
  for (intptr_t i = 0; !b.failed && i < f->numOperands; ++i) {
    operands[i] = outerOf(build, f->operands[i]);
    if (f->isShaped)
      operands[i] =
          viewAs(&b, operands[i], mloptFuseShapeOperandType(&f->shape, (int)i));
    types[i] = mlirValueGetType(operands[i]);
  }
  MlirOperation fusion = {NULL};
  if (!b.failed) {
    MlirRegion region = mloptCreateRegion(&b, f->numOperands, types, &block);
    if (f->isShaped)
      f->numYields = mloptFuseShapeWrite(&f->shape, block, location, f->yields);
    else
      fillBlock(build->graph, f, block);
    build->failed |= f->numYields < 0;
    f->numYields = f->numYields < 0 ? 0 : f->numYields;
    MloptBuilder inside = mloptBuilderAtEnd(block, location);
    mloptBuildOp(&inside, (MloptOpSpec){.name = mloptOp_yield.name,
                                        .numOperands = f->numYields,
                                        .operands = f->yields});
    for (intptr_t i = 0; i < f->numYields; ++i)
      types[i] = mlirValueGetType(f->yields[i]);
    MlirNamedAttribute attr = {.attribute = ledger};
    if (!mlirAttributeIsNull(ledger))
      attr = mloptNamedAttr(b.context, "mlopt.ledger", ledger);
    b.failed |= inside.failed;
    fusion =
        mloptBuildOp(&b, (MloptOpSpec){.name = mloptOp_fusion.name,
                                       .numOperands = f->numOperands,
                                       .operands = operands,
                                       .numResults = f->numYields,
                                       .results = types,
                                       .numAttrs = !mlirAttributeIsNull(ledger),
                                       .attrs = &attr,
                                       .numRegions = 1,
                                       .regions = &region});
  }
  free(types);
  free(operands);
  return fusion;
}

/// Remembers what the fusion's results stand for.
static void bindResults(Build *build, const Fusion *f, MlirOperation fusion) {
  MloptBuilder b =
      mloptBuilderBefore(build->terminator, mlirOperationGetLocation(fusion));
  intptr_t next = 0;
  for (int i = 0; i < f->count; ++i) {
    if (!f->stored[i])
      continue;
    MlirOperation op = build->graph->nodes[f->nodes[i]].op;
    MlirValue *results = makeResults(build, f->nodes[i]);
    for (intptr_t r = 0, n = mlirOperationGetNumResults(op); results && r < n;
         ++r)
      if (!mlirOpOperandIsNull(mlirValueGetFirstUse(mloptResult(op, r))))
        results[r] =
            viewAs(&b, mloptResult(fusion, next++), mloptResultType(op, r));
  }
}

static void makeKernel(Build *build, int kernel) {
  if (build->kernelDone[kernel])
    return;
  build->kernelDone[kernel] = true;
  Fusion f;
  bool good = readBody(build, kernel, &f) && f.count > 0;
  for (intptr_t i = 0; good && i < f.numOperands; ++i) {
    int node = mloptFuseGraphFind(build->graph, f.operands[i]);
    if (node >= 0)
      makeNode(build, node);
  }
  MlirOperation fusion = {NULL};
  if (good && !build->failed) {
    mloptFuseMarkRows(build->graph, mloptFuseBodyOf(build->plan, kernel, -1));
    MlirAttribute ledger = mloptFuseLedgerOf(
        build->plan, kernel, build->function, f.numOperands, f.operands);
    MlirLocation location =
        mlirOperationGetLocation(build->graph->nodes[f.nodes[f.count - 1]].op);
    fusion = insertFusion(build, &f, ledger, location);
  }
  if (!mlirOperationIsNull(fusion)) {
    bindResults(build, &f, fusion);
    ++build->totals->kernels;
    build->totals->bytes += build->plan->kernels[kernel].verdict.bytes;
  }
  build->failed |= mlirOperationIsNull(fusion);
  freeFusion(&f);
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

static void makeView(Build *build, int node) {
  const MloptFuseNode *n = &build->graph->nodes[node];
  MlirValue source = outerOf(build, n->from[0]);
  MlirOperation copy = mloptCloneWithMapping(n->op, 1, &n->from[0], &source);
  mlirBlockInsertOwnedOperationBefore(build->graph->block, build->terminator,
                                      copy);
  MlirValue *results = makeResults(build, node);
  if (results)
    results[0] = mloptResult(copy, 0);
}

/// Puts a node, and before it what it reads, before the terminator.
static void makeNode(Build *build, int node) {
  const MloptFuseNode *n = &build->graph->nodes[node];
  if (build->failed || build->made[node].done)
    return;
  if (n->role == MLOPT_ROLE_COMPUTE || n->role == MLOPT_ROLE_FREE) {
    if (build->plan->home[node] >= 0)
      makeKernel(build, build->plan->home[node]);
    return;
  }
  build->made[node].done = true;
  for (int o = 0; o < n->numOperands; ++o)
    if (n->operands[o] >= 0)
      makeNode(build, n->operands[o]);
  if (n->role == MLOPT_ROLE_VIEW)
    makeView(build, node);
  else if (!mlirOperationEqual(n->op, build->terminator))
    mlirOperationMoveBefore(n->op, build->terminator);
}

/// Replaces the old values and takes the old operations away.
static void finish(Build *build) {
  const MloptFuseGraph *graph = build->graph;
  for (int i = 0; i < graph->count; ++i) {
    MlirOperation op = graph->nodes[i].op;
    intptr_t n = mlirOperationGetNumResults(op);
    for (intptr_t r = 0; build->made[i].results && r < n; ++r)
      if (!mlirValueIsNull(build->made[i].results[r]))
        mlirValueReplaceAllUsesOfWith(mloptResult(op, r),
                                      build->made[i].results[r]);
  }
  for (int i = graph->count; i-- > 0;)
    if (graph->nodes[i].role != MLOPT_ROLE_HOST)
      mlirOperationDestroy(graph->nodes[i].op);
}

bool mloptFuseBuild(MloptFusePlan *plan, MlirStringRef function,
                    MloptFuseTotals *totals) {
  const MloptFuseGraph *graph = plan->graph;
  Build build = {.plan = plan,
                 .graph = graph,
                 .function = function,
                 .totals = totals,
                 .terminator = mlirBlockGetTerminator(graph->block)};
  build.made = calloc((size_t)graph->count + 1, sizeof *build.made);
  build.kernelDone = calloc((size_t)plan->count + 1, sizeof(bool));
  build.failed = !build.made || !build.kernelDone;
  for (int i = 0; i < graph->count && !build.failed; ++i)
    if (graph->nodes[i].role == MLOPT_ROLE_HOST)
      makeNode(&build, i);
  if (!build.failed)
    finish(&build);
  for (int i = 0; build.made && i < graph->count; ++i)
    free(build.made[i].results);
  free(build.made);
  free(build.kernelDone);
  return !build.failed;
}
