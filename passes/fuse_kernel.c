//===- fuse_kernel.c - What one kernel would cost -------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Judges a set of nodes as a kernel. The cost is in bytes: those that the
// kernel moves, or the arithmetic if that takes longer, and a launch: what
// memory would move in that time, by the figures in target.c.
//
//===----------------------------------------------------------------------===//

#include "fuse.h"
#include "target.h"

#include <stdlib.h>

static const MloptTarget *const target = &mloptSm90;

/// Fewer rows than this leave most of the GPU idle when each is a block's.
enum { FEW_ROWS = 16 };

//===----------------------------------------------------------------------===//
// What a kernel holds
//===----------------------------------------------------------------------===//

bool mloptFuseBodyCreate(const MloptFuseGraph *graph, MloptFuseBody *body) {
  size_t count = (size_t)graph->count + 1;
  *body = (MloptFuseBody){.nodes = calloc(count, sizeof *body->nodes),
                          .holds = calloc(count, sizeof *body->holds),
                          .stored = calloc(count, sizeof *body->stored),
                          .runs = calloc(count, sizeof *body->runs)};
  return body->nodes && body->holds && body->stored && body->runs;
}

void mloptFuseBodyDestroy(MloptFuseBody *body) {
  free(body->nodes);
  free(body->holds);
  free(body->stored);
  free(body->runs);
}

void mloptFuseBodyClear(MloptFuseBody *body) {
  for (int i = 0; i < body->count; ++i)
    body->holds[body->nodes[i]] = body->stored[body->nodes[i]] = false;
  body->count = 0;
}

void mloptFuseBodyAdd(MloptFuseBody *body, int node) {
  if (body->holds[node])
    return;
  body->holds[node] = true;
  body->nodes[body->count++] = node;
}

static int compareNodes(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

static void sortNodes(MloptFuseBody *body) {
  qsort(body->nodes, (size_t)body->count, sizeof *body->nodes, compareNodes);
}

/// Drops the nodes that no stored one needs.
static void prune(const MloptFuseGraph *graph, MloptFuseBody *body) {
  for (int i = 0; i < body->count; ++i)
    body->runs[body->nodes[i]] = body->stored[body->nodes[i]];
  for (int i = body->count; i-- > 0;) {
    const MloptFuseNode *node = &graph->nodes[body->nodes[i]];
    if (!body->runs[body->nodes[i]])
      continue;
    for (int o = 0; o < node->numOperands; ++o) {
      int root = mloptFuseRootOf(graph, node->operands[o]);
      if (root >= 0)
        body->runs[root] = 1;
    }
  }
  int kept = 0;
  for (int i = 0; i < body->count; ++i) {
    int node = body->nodes[i];
    if (body->runs[node])
      body->nodes[kept++] = node;
    else
      body->holds[node] = false;
  }
  body->count = kept;
}

/// Adds a node that a held one reads, if it is free or a view inside.
static void hold(const MloptFuseGraph *graph, MloptFuseBody *body, int node) {
  if (node < 0)
    return;
  if (graph->nodes[node].role == MLOPT_ROLE_VIEW) {
    int root = mloptFuseRootOf(graph, node);
    if (root >= 0 && body->holds[root])
      mloptFuseBodyAdd(body, node);
  } else if (graph->nodes[node].role == MLOPT_ROLE_FREE) {
    mloptFuseBodyAdd(body, node);
  }
}

void mloptFuseBodyComplete(const MloptFuseGraph *graph, MloptFuseBody *body) {
  sortNodes(body);
  prune(graph, body);
  for (int i = 0; i < body->count; ++i) {
    const MloptFuseNode *node = &graph->nodes[body->nodes[i]];
    for (int o = 0; o < node->numOperands; ++o)
      hold(graph, body, node->operands[o]);
  }
  sortNodes(body);
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

/// How much of operand `o`, of `all` bytes, a node reads.
static int64_t bytesRead(const MloptFuseNode *node, int o, int64_t all) {
  bool selects = node->traits.access == MLOPT_ACCESS_GATHER ||
                 mloptIsA(node->op, &mloptOp_slice) ||
                 mloptIsA(node->op, &mloptOp_dynamic_slice);
  return selects && o == 0 && node->bytes < all ? node->bytes : all;
}

int64_t mloptFuseReadBytes(const MloptFuseGraph *graph,
                           const MloptFuseBody *body, MlirValue root) {
  int64_t all = mloptFuseBytesOf(mlirValueGetType(root)), sum = 0;
  for (int i = 0; i < body->count && sum < all; ++i) {
    const MloptFuseNode *node = &graph->nodes[body->nodes[i]];
    for (int o = 0; o < node->numOperands; ++o) {
      bool inside = node->operands[o] >= 0 && body->holds[node->operands[o]];
      if (!inside &&
          mlirValueEqual(mloptFuseRootValue(graph, node->from[o]), root))
        sum += bytesRead(node, o, all);
    }
  }
  return sum < all ? sum : all;
}

/// Adds up the distinct values read; how many there are, or -1 when too many.
static int addReads(const MloptFuseGraph *graph, const MloptFuseBody *body,
                    int64_t *bytes) {
  MlirValue roots[MLOPT_FUSE_MAX_OPERANDS];
  int count = 0;
  for (int i = 0; i < body->count; ++i) {
    const MloptFuseNode *node = &graph->nodes[body->nodes[i]];
    for (int o = 0; o < node->numOperands; ++o) {
      if (node->operands[o] >= 0 && body->holds[node->operands[o]])
        continue;
      MlirValue root = mloptFuseRootValue(graph, node->from[o]);
      int known = 0;
      while (known < count && !mlirValueEqual(roots[known], root))
        ++known;
      if (known < count)
        continue;
      if (count == MLOPT_FUSE_MAX_OPERANDS)
        return -1;
      roots[count++] = root;
      *bytes += mloptFuseReadBytes(graph, body, root);
    }
  }
  return count;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// How often each node's scalar code runs, when elements are computed where
/// they are needed and shared only between readers at the same place.
static double countWork(const MloptFuseGraph *graph, const MloptFuseBody *body,
                        int64_t rows) {
  double *runs = body->runs, work = 0;
  for (int i = 0; i < body->count; ++i)
    runs[body->nodes[i]] = 0;
  for (int i = body->count; i-- > 0;) {
    int at = body->nodes[i];
    const MloptFuseNode *node = &graph->nodes[at];
    if (body->stored[at] && runs[at] < (double)node->elements)
      runs[at] = (double)node->elements;
    // One value of a row is computed once for the row.
    if (node->elements <= rows && runs[at] > (double)node->elements)
      runs[at] = (double)node->elements;
    double need = runs[at];
    if (node->traits.access == MLOPT_ACCESS_REDUCE)
      need = (double)mloptNumElements(mlirValueGetType(node->from[0]));
    work += need * node->traits.work;
    for (int o = 0; o < node->numOperands; ++o) {
      int operand = node->operands[o];
      if (operand >= 0 && runs[operand] < need)
        runs[operand] = need;
    }
  }
  return work;
}

//===----------------------------------------------------------------------===//
// The verdict
//===----------------------------------------------------------------------===//

static MloptFuseReason checkLevers(const MloptFuseGraph *graph,
                                   const MloptFuseBody *body) {
  for (int i = 0; i < body->count; ++i) {
    const MloptFuseNode *a = &graph->nodes[body->nodes[i]];
    for (int j = 0; a->apart && a->role == MLOPT_ROLE_COMPUTE && j < i; ++j) {
      const MloptFuseNode *b = &graph->nodes[body->nodes[j]];
      if (b->apart && b->role == MLOPT_ROLE_COMPUTE &&
          mlirAttributeEqual(a->group, b->group))
        return MLOPT_FUSE_APART;
    }
  }
  return MLOPT_FUSE_FUSED;
}

/// An operation that is a kernel of its own suffers no other; a product, its
/// epilogue.
static MloptFuseReason checkAlone(const MloptFuseGraph *graph,
                                  const MloptFuseBody *body, bool *alone,
                                  MloptFuseReduced *reduced) {
  MloptFuseReason reason = MLOPT_FUSE_FUSED;
  bool contracts = false;
  int numCompute = 0;
  for (int i = 0; i < body->count; ++i) {
    const MloptFuseNode *node = &graph->nodes[body->nodes[i]];
    numCompute += node->role == MLOPT_ROLE_COMPUTE;
    contracts |= mloptFuseIsProduct(node->op);
    if (node->traits.access == MLOPT_ACCESS_ALONE)
      reason = node->traits.alone;
  }
  *alone = reason != MLOPT_FUSE_FUSED;
  if (numCompute <= 1)
    return MLOPT_FUSE_FUSED;
  return contracts ? mloptFuseCheckContraction(graph, body, reduced) : reason;
}

static bool reduces(const MloptFuseGraph *graph, const MloptFuseBody *body) {
  for (int i = 0; i < body->count; ++i)
    if (graph->nodes[body->nodes[i]].traits.access == MLOPT_ACCESS_REDUCE)
      return true;
  return false;
}

/// A pointwise kernel has results of one number of elements.
static MloptFuseReason checkPointwise(const MloptFuseGraph *graph,
                                      const MloptFuseBody *body) {
  int64_t elements = -1;
  for (int i = 0; i < body->count; ++i) {
    int64_t own = graph->nodes[body->nodes[i]].elements;
    if (!body->stored[body->nodes[i]])
      continue;
    if (elements >= 0 && own != elements)
      return MLOPT_FUSE_OTHER_SPACE;
    elements = own;
  }
  return MLOPT_FUSE_FUSED;
}

/// A row that is read again must stay on the chip, in the shared memory of a
/// cluster of blocks, unless the rows alone fill the GPU and so read it twice
/// as fast as two kernels would.
static bool rowFits(const MloptFuseRows *rows, int64_t bytes) {
  int64_t chip = target->clusterBlocks * target->sharedBytes;
  return !rows->rereads || rows->rows >= FEW_ROWS || bytes / rows->rows <= chip;
}

static void judgeSpace(const MloptFuseGraph *graph, const MloptFuseBody *body,
                       MloptFuseVerdict *verdict, MloptFuseRows *rows,
                       MloptFuseReduced *reduced) {
  bool alone;
  verdict->reason = checkAlone(graph, body, &alone, reduced);
  if (alone) {
    verdict->family = MLOPT_KERNEL_ALONE;
  } else if (reduces(graph, body)) {
    verdict->family = MLOPT_KERNEL_ROWS;
    verdict->reason = mloptFuseCheckRows(graph, body, rows);
  } else {
    verdict->reason = checkPointwise(graph, body);
  }
}

static double larger(double a, double b) { return a > b ? a : b; }

/// In bytes: a kernel that moves `bytes`, adds `work` times, and forms products
/// for so many microseconds; each overlaps the others, but bytes behind longer
/// work are not free either.
static double costOf(int64_t bytes, double work, double products) {
  const double seen = 0.125; // of the bytes' time
  double rate = (double)target->memoryBytes, moving = (double)bytes / rate;
  double longest = larger(larger(moving, work / target->additions), products);
  return rate * (target->launchNanoseconds / 1000.0 + longest + seen * moving);
}

/// What the second kernel costs that adds up the columns' sums of each piece.
static double costOfSums(const MloptFuseRows *rows) {
  MloptPieces pieces =
      mloptChoosePieces(rows->rows, rows->columns, rows->sumBytes);
  return costOf(2 * pieces.count * rows->columns * rows->sumBytes, 0, 0);
}

MloptFuseVerdict mloptFuseJudge(const MloptFuseGraph *graph,
                                const MloptFuseBody *body) {
  MloptFuseVerdict verdict = {.reason = MLOPT_FUSE_FUSED};
  MloptFuseRows rows = {0};
  MloptFuseReduced reduced = {0};
  judgeSpace(graph, body, &verdict, &rows, &reduced);
  if (verdict.reason == MLOPT_FUSE_FUSED)
    verdict.reason = checkLevers(graph, body);
  int64_t read = 0, stored = 0;
  int numStored = 0;
  if (addReads(graph, body, &read) < 0)
    verdict.reason = MLOPT_FUSE_TOO_MANY;
  for (int i = 0; i < body->count; ++i)
    if (body->stored[body->nodes[i]]) {
      stored += graph->nodes[body->nodes[i]].bytes;
      ++numStored;
    }
  if (numStored > MLOPT_FUSE_MAX_RESULTS)
    verdict.reason = MLOPT_FUSE_TOO_MANY;
  if (verdict.reason == MLOPT_FUSE_FUSED &&
      verdict.family == MLOPT_KERNEL_ROWS && !rowFits(&rows, read))
    verdict.reason = MLOPT_FUSE_ROW_TOO_LONG;
  verdict.bytes = read + stored;
  verdict.cost = costOf(verdict.bytes, countWork(graph, body, rows.rows),
                        mloptFuseProductTime(graph, body));
  if (verdict.reason == MLOPT_FUSE_FUSED && rows.sumBytes)
    verdict.cost += costOfSums(&rows);
  // The second kernel of what a product's tiles reduce.
  if (verdict.reason == MLOPT_FUSE_FUSED && reduced.pieceBytes)
    verdict.cost += costOf(2 * reduced.pieceBytes, 0, 0);
  if (verdict.reason == MLOPT_FUSE_FUSED && reduced.loss > 0)
    verdict.cost += reduced.loss * (double)target->memoryBytes;
  return verdict;
}
