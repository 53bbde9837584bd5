//===- fuse_graph.c - The operations of a block as a graph ----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One node for each operation of a block. Operations on the host read what the
// operations inside them read. A splat constant, and whatever depends on such
// and on indices alone, is free: computing it again moves no byte.
//
//===----------------------------------------------------------------------===//

#include "fuse.h"

#include <stdlib.h>

int64_t mloptFuseBytesOf(MlirType type) {
  if (!mlirTypeIsARankedTensor(type) || !mlirShapedTypeHasStaticShape(type))
    return 0;
  unsigned bits = mloptElementWidth(mloptElementType(type));
  return mloptNumElements(type) * ((bits + 7) / 8);
}

//===----------------------------------------------------------------------===//
// From operations to nodes
//===----------------------------------------------------------------------===//

static size_t hashOf(MlirOperation op, int numSlots) {
  uint64_t h = (uint64_t)(uintptr_t)op.ptr * 0x9e3779b97f4a7c15u;
  return (size_t)(h >> 32) & (size_t)(numSlots - 1);
}

static void insert(MloptFuseGraph *graph, int node) {
  size_t at = hashOf(graph->nodes[node].op, graph->numSlots);
  while (graph->slots[at] >= 0)
    at = (at + 1) & (size_t)(graph->numSlots - 1);
  graph->slots[at] = node;
}

int mloptFuseGraphFind(const MloptFuseGraph *graph, MlirValue value) {
  if (!mlirValueIsAOpResult(value))
    return -1;
  MlirOperation op = mlirOpResultGetOwner(value);
  size_t at = hashOf(op, graph->numSlots);
  for (; graph->slots[at] >= 0; at = (at + 1) & (size_t)(graph->numSlots - 1))
    if (mlirOperationEqual(graph->nodes[graph->slots[at]].op, op))
      return graph->slots[at];
  return -1;
}

int mloptFuseRootOf(const MloptFuseGraph *graph, int node) {
  while (node >= 0 && graph->nodes[node].role == MLOPT_ROLE_VIEW)
    node = graph->nodes[node].operands[0];
  return node;
}

MlirValue mloptFuseRootValue(const MloptFuseGraph *graph, MlirValue value) {
  int node = mloptFuseGraphFind(graph, value);
  while (node >= 0 && graph->nodes[node].role == MLOPT_ROLE_VIEW) {
    value = graph->nodes[node].from[0];
    node = graph->nodes[node].operands[0];
  }
  return value;
}

//===----------------------------------------------------------------------===//
// Reading a block
//===----------------------------------------------------------------------===//

/// Values from outside that an operation and those inside it read, counted or
/// collected.
typedef struct Reads {
  MlirOperation top;
  int count;
  MlirValue *values; ///< NULL while counting
} Reads;

static MlirWalkResult collectReads(MlirOperation op, void *userData) {
  Reads *reads = userData;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    MlirValue value = mloptOperand(op, i);
    if (mloptIsDefinedInside(value, reads->top))
      continue;
    if (reads->values)
      reads->values[reads->count] = value;
    ++reads->count;
  }
  return MlirWalkResultAdvance;
}

/// The operation's own operands come first, in order.
static bool readOperands(const MloptFuseGraph *graph, MloptFuseNode *node) {
  Reads reads = {.top = node->op};
  mlirOperationWalk(node->op, collectReads, &reads, MlirWalkPreOrder);
  node->from = malloc(((size_t)reads.count + 1) * sizeof *node->from);
  node->operands = malloc(((size_t)reads.count + 1) * sizeof *node->operands);
  if (!node->from || !node->operands)
    return false;
  reads = (Reads){.top = node->op, .values = node->from};
  mlirOperationWalk(node->op, collectReads, &reads, MlirWalkPreOrder);
  node->numOperands = reads.count;
  for (int i = 0; i < reads.count; ++i)
    node->operands[i] = mloptFuseGraphFind(graph, node->from[i]);
  return true;
}

static bool isSplat(MlirOperation constant) {
  MlirAttribute value = mloptAttr(constant, "value");
  return mlirAttributeIsADenseElements(value) &&
         mlirDenseElementsAttrIsSplat(value);
}

static MloptFuseRole roleOf(const MloptFuseGraph *graph,
                            const MloptFuseNode *node) {
  bool free = true;
  for (int i = 0; i < node->numOperands; ++i)
    free &= node->operands[i] >= 0 &&
            graph->nodes[node->operands[i]].role == MLOPT_ROLE_FREE;
  switch (node->traits.access) {
  case MLOPT_ACCESS_HOST:
    return MLOPT_ROLE_HOST;
  case MLOPT_ACCESS_CONSTANT:
    return isSplat(node->op) && !node->apart ? MLOPT_ROLE_FREE
                                             : MLOPT_ROLE_HOST;
  case MLOPT_ACCESS_REDUCE:
  case MLOPT_ACCESS_ALONE:
    return MLOPT_ROLE_COMPUTE;
  default:
    if (free && !node->apart)
      return MLOPT_ROLE_FREE;
    return mloptIsA(node->op, &mloptOp_reshape) ? MLOPT_ROLE_VIEW
                                                : MLOPT_ROLE_COMPUTE;
  }
}

static void readLever(MloptFuseNode *node) {
  MlirAttribute lever = mloptAttr(node->op, "mlopt.fuse");
  if (mlirAttributeIsNull(lever))
    return;
  node->group = mloptDictGet(lever, "group");
  node->apart =
      mloptStrEq(mlirStringAttrGetValue(mloptDictGet(lever, "keep")), "apart");
}

static bool readNode(MloptFuseGraph *graph, MloptFuseNode *node) {
  if (!readOperands(graph, node))
    return false;
  node->traits = mloptFuseGetTraits(node->op);
  readLever(node);
  node->role = roleOf(graph, node);
  for (intptr_t i = 0, n = mlirOperationGetNumResults(node->op); i < n; ++i) {
    MlirValue result = mloptResult(node->op, i);
    MlirType type = mlirValueGetType(result);
    if (mlirOpOperandIsNull(mlirValueGetFirstUse(result)) ||
        !mlirTypeIsARankedTensor(type))
      continue;
    node->elements = mloptNumElements(type);
    node->bytes += mloptFuseBytesOf(type);
  }
  return true;
}

/// Adds `reader` (-1: the host) to the nodes behind views that it reads.
static bool addReader(MloptFuseGraph *graph, int operand, int reader) {
  int root = mloptFuseRootOf(graph, operand);
  if (root < 0)
    return true;
  MloptFuseNode *node = &graph->nodes[root];
  if (reader < 0) {
    node->readByHost = true;
    return true;
  }
  if (node->numReaders && node->readers[node->numReaders - 1] == reader)
    return true;
  int *grown = realloc(node->readers,
                       ((size_t)node->numReaders + 1) * sizeof *node->readers);
  if (!grown)
    return false;
  node->readers = grown;
  node->readers[node->numReaders++] = reader;
  return true;
}

static bool readReaders(MloptFuseGraph *graph) {
  for (int i = 0; i < graph->count; ++i) {
    const MloptFuseNode *node = &graph->nodes[i];
    bool isHost = node->role == MLOPT_ROLE_HOST;
    if (!isHost && node->role != MLOPT_ROLE_COMPUTE)
      continue;
    for (int o = 0; o < node->numOperands; ++o)
      if (!addReader(graph, node->operands[o], isHost ? -1 : i))
        return false;
  }
  return true;
}

bool mloptFuseGraphCreate(MlirBlock block, bool wgmma, MloptFuseGraph *graph) {
  *graph = (MloptFuseGraph){.block = block, .numSlots = 16, .wgmma = wgmma};
  int count = 0;
  MlirOperation op = mlirBlockGetFirstOperation(block);
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    ++count;
  while (graph->numSlots < 2 * count)
    graph->numSlots *= 2;
  graph->nodes = calloc((size_t)count + 1, sizeof *graph->nodes);
  graph->slots = malloc((size_t)graph->numSlots * sizeof *graph->slots);
  if (!graph->nodes || !graph->slots)
    return false;
  memset(graph->slots, -1, (size_t)graph->numSlots * sizeof *graph->slots);
  op = mlirBlockGetFirstOperation(block);
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    MloptFuseNode *node = &graph->nodes[graph->count];
    node->op = op;
    ++graph->count;
    if (!readNode(graph, node))
      return false;
    insert(graph, graph->count - 1);
  }
  return readReaders(graph);
}

void mloptFuseGraphDestroy(MloptFuseGraph *graph) {
  for (int i = 0; graph->nodes && i < graph->count; ++i) {
    free(graph->nodes[i].operands);
    free(graph->nodes[i].from);
    free(graph->nodes[i].readers);
  }
  free(graph->nodes);
  free(graph->slots);
  *graph = (MloptFuseGraph){0};
}
