//===- fuse_space.c - The index space of a kernel -------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction of a kernel spans its space: the dimensions of its operand are
// atoms, kept ones make the rows and reduced ones the columns. It is one that
// elements of its rows depend on, or else the first.
// Layouts spread from the first operand in both directions until nothing
// changes.
//
//===----------------------------------------------------------------------===//

#include "fuse_space.h"

#include <stdlib.h>

enum { MAX_ROUNDS = 8 };

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

int mloptFusePlaceOf(const MloptFuseBody *body, int node) {
  int low = 0, high = body->count;
  while (low < high) {
    int middle = (low + high) / 2;
    if (body->nodes[middle] < node)
      low = middle + 1;
    else
      high = middle;
  }
  return low < body->count && body->nodes[low] == node ? low : -1;
}

MloptFuseLayout *mloptFuseOperandLayout(MloptFuseSpace *space,
                                        const MloptFuseNode *node, int o) {
  int operand = node->operands[o];
  if (operand >= 0 && space->body->holds[operand])
    return &space->layouts[mloptFusePlaceOf(space->body, operand)];
  MlirValue root = mloptFuseRootValue(space->graph, node->from[o]);
  int i = 0;
  while (i < space->numOutside && !mlirValueEqual(space->outside[i], root))
    ++i;
  if (i == MLOPT_FUSE_MAX_OUTSIDE)
    return NULL;
  if (i == space->numOutside)
    space->outside[space->numOutside++] = root;
  return &space->layouts[space->body->count + i];
}

static void learn(MloptFuseSpace *space, MloptFuseLayout *layout,
                  const MloptFuseLayout *news) {
  if (!layout || layout->known || !news->known)
    return;
  *layout = *news;
  space->changed = true;
}

//===----------------------------------------------------------------------===//
// Atoms
//===----------------------------------------------------------------------===//

/// The atoms of rows or of columns, in order.
static MloptFuseLayout atomsOf(const MloptFuseSpace *space, bool column) {
  MloptFuseLayout layout = {.known = true};
  for (int a = 0; a < space->numAtoms; ++a)
    if (space->column[a] == column)
      mloptFuseLayoutPush(&layout, (MloptFusePiece){a, 1, space->sizes[a]});
  return layout;
}

bool mloptFuseLayoutCovers(const MloptFuseSpace *space,
                           const MloptFuseLayout *layout, bool column) {
  int64_t product = 1, all = column ? space->columns : space->rows;
  for (int i = 0; i < layout->count; ++i) {
    if (space->column[layout->at[i].atom] != column)
      return false;
    product *= layout->at[i].size;
  }
  return product == all;
}

//===----------------------------------------------------------------------===//
// Spreading
//===----------------------------------------------------------------------===//

bool mloptFuseHasElementsOf(const MloptFuseNode *node, int o) {
  return mloptNumElements(mlirValueGetType(node->from[o])) ==
         mloptNumElements(mloptResultType(node->op, 0));
}

static void spreadSame(MloptFuseSpace *space, const MloptFuseNode *node,
                       MloptFuseLayout *own) {
  for (int o = 0; o < node->numOperands; ++o) {
    if (!mloptFuseHasElementsOf(node, o))
      continue;
    MloptFuseLayout *operand = mloptFuseOperandLayout(space, node, o);
    learn(space, operand, own);
    if (operand)
      learn(space, own, operand);
  }
}

MloptFuseLayout mloptFuseTransposeLayout(const MloptFuseNode *node,
                                         const MloptFuseLayout *from,
                                         bool toResult) {
  MloptInts perm = mloptGetInts(node->op, "permutation");
  int64_t shape[MLOPT_MAX_RANK];
  MlirType type =
      toResult ? mlirValueGetType(node->from[0]) : mloptResultType(node->op, 0);
  intptr_t rank = mloptShape(type, shape);
  MloptFuseLayout dims[MLOPT_MAX_RANK], out = {.known = true};
  if (!mloptFuseLayoutCut(from, rank, shape, dims))
    return (MloptFuseLayout){0};
  for (intptr_t i = 0; i < rank; ++i) {
    intptr_t source = i;
    if (toResult)
      source = perm.at[i];
    else
      while (perm.at[source = (source + 1) % rank] != i)
        ;
    out.known &= mloptFuseLayoutAppend(&out, &dims[source]);
  }
  return out;
}

static void spreadTranspose(MloptFuseSpace *space, const MloptFuseNode *node,
                            MloptFuseLayout *own) {
  MloptFuseLayout *operand = mloptFuseOperandLayout(space, node, 0);
  if (!operand)
    return;
  if (own->known && !operand->known) {
    MloptFuseLayout news = mloptFuseTransposeLayout(node, own, false);
    learn(space, operand, &news);
  } else if (operand->known && !own->known) {
    MloptFuseLayout news = mloptFuseTransposeLayout(node, operand, true);
    learn(space, own, &news);
  }
}

MloptFuseLayout mloptFuseBroadcastSource(const MloptFuseNode *node,
                                         const MloptFuseLayout *own) {
  MloptInts to = mloptGetInts(node->op, "dims");
  MlirType type = mlirValueGetType(node->from[0]);
  int64_t shape[MLOPT_MAX_RANK];
  intptr_t rank = mloptShape(mloptResultType(node->op, 0), shape);
  MloptFuseLayout dims[MLOPT_MAX_RANK], out = {.known = true};
  if (!mloptFuseLayoutCut(own, rank, shape, dims))
    return (MloptFuseLayout){0};
  for (intptr_t i = 0; i < to.count; ++i)
    if (mloptDim(type, i) != 1)
      out.known &= mloptFuseLayoutAppend(&out, &dims[to.at[i]]);
  return out;
}

/// The result's layout, the new dimensions taken to be the atoms that the
/// operand lacks, in order. A guess, for when nothing else is known.
static MloptFuseLayout broadcastResult(const MloptFuseSpace *space,
                                       const MloptFuseNode *node,
                                       const MloptFuseLayout *from) {
  MloptInts to = mloptGetInts(node->op, "dims");
  MlirType type = mlirValueGetType(node->from[0]);
  MlirType result = mloptResultType(node->op, 0);
  int64_t shape[MLOPT_MAX_RANK], fresh[MLOPT_MAX_RANK];
  intptr_t rank = mloptShape(type, shape), resultRank = mloptRank(result);
  MloptFuseLayout olds[MLOPT_MAX_RANK], news[MLOPT_MAX_RANK],
      out = {.known = true};
  MloptFuseLayout missing = {.known = true};
  for (int a = 0; a < space->numAtoms; ++a) {
    bool there = false;
    for (int i = 0; i < from->count; ++i)
      there |= from->at[i].atom == a;
    if (!there)
      mloptFuseLayoutPush(&missing, (MloptFusePiece){a, 1, space->sizes[a]});
  }
  int source[MLOPT_MAX_RANK];
  for (intptr_t d = 0; d < resultRank; ++d) {
    source[d] = -1;
    for (intptr_t i = 0; i < to.count; ++i)
      if (to.at[i] == d && mloptDim(type, i) == mloptDim(result, d))
        source[d] = (int)i;
    fresh[d] = source[d] < 0 ? mloptDim(result, d) : 1;
  }
  if (!mloptFuseLayoutCut(from, rank, shape, olds) ||
      !mloptFuseLayoutCut(&missing, resultRank, fresh, news))
    return (MloptFuseLayout){0};
  for (intptr_t d = 0; d < resultRank; ++d)
    out.known &= mloptFuseLayoutAppend(&out, source[d] < 0 ? &news[d]
                                                           : &olds[source[d]]);
  return out;
}

static MloptInts reducedDims(const MloptFuseNode *node) {
  if (!mloptIsA(node->op, &mloptOp_arg_reduce))
    return mloptGetInts(node->op, "dims");
  return (MloptInts){.count = 1, .at = {mloptGetInt(node->op, "dim")}};
}

bool mloptFuseSplitReduced(const MloptFuseNode *node,
                           const MloptFuseLayout *operand,
                           MloptFuseLayout *kept, MloptFuseLayout *reduced) {
  MloptInts dims = reducedDims(node);
  int64_t shape[MLOPT_MAX_RANK];
  intptr_t rank = mloptShape(mlirValueGetType(node->from[0]), shape);
  MloptFuseLayout parts[MLOPT_MAX_RANK];
  *kept = *reduced = (MloptFuseLayout){.known = true};
  if (!mloptFuseLayoutCut(operand, rank, shape, parts))
    return false;
  for (intptr_t d = 0; d < rank; ++d)
    if (!mloptFuseLayoutAppend(mloptHasInt(&dims, d) ? reduced : kept,
                               &parts[d]))
      return false;
  return true;
}

int mloptFuseNumReduced(const MloptFuseNode *node) {
  return (int)mlirOperationGetNumResults(node->op) <= node->numOperands &&
                 !mloptIsA(node->op, &mloptOp_arg_reduce)
             ? (int)mlirOperationGetNumResults(node->op)
             : 1;
}

static void spreadReduce(MloptFuseSpace *space, const MloptFuseNode *node,
                         MloptFuseLayout *own) {
  for (int o = 0; o < mloptFuseNumReduced(node); ++o) {
    MloptFuseLayout *operand = mloptFuseOperandLayout(space, node, o), kept,
                    reduced;
    MloptFuseLayout *first = mloptFuseOperandLayout(space, node, 0);
    if (!operand || !first)
      return;
    learn(space, operand, first);
    if (operand->known && mloptFuseSplitReduced(node, operand, &kept, &reduced))
      learn(space, own, &kept);
  }
}

MloptFuseLayout mloptFuseGatheredLayout(const MloptFuseSpace *space,
                                        const MloptFuseNode *node,
                                        const MloptFuseLayout *operand) {
  MloptInts batch = mloptGetInts(node->op, "operand_batching_dims");
  int64_t shape[MLOPT_MAX_RANK];
  intptr_t rank = mloptShape(mlirValueGetType(node->from[0]), shape);
  MloptFuseLayout dims[MLOPT_MAX_RANK], rows = {.known = true};
  if (!mloptFuseLayoutCut(operand, rank, shape, dims) ||
      node->elements != space->rows)
    return (MloptFuseLayout){0};
  for (intptr_t d = 0; d < rank; ++d)
    if (mloptHasInt(&batch, d))
      rows.known &= mloptFuseLayoutAppend(&rows, &dims[d]);
  rows.known &= mloptFuseLayoutCovers(space, &rows, false);
  return rows;
}

static void spread(MloptFuseSpace *space, int place) {
  const MloptFuseNode *node = &space->graph->nodes[space->body->nodes[place]];
  MloptFuseLayout *own = &space->layouts[place], *operand;
  switch (node->traits.access) {
  case MLOPT_ACCESS_ELEMENTWISE:
  case MLOPT_ACCESS_RESHAPE:
    spreadSame(space, node, own);
    return;
  case MLOPT_ACCESS_TRANSPOSE:
    spreadTranspose(space, node, own);
    return;
  case MLOPT_ACCESS_BROADCAST:
    operand = mloptFuseOperandLayout(space, node, 0);
    if (operand && own->known && !operand->known) {
      MloptFuseLayout news = mloptFuseBroadcastSource(node, own);
      learn(space, operand, &news);
    }
    return;
  case MLOPT_ACCESS_GATHER:
    operand = mloptFuseOperandLayout(space, node, 0);
    if (operand && operand->known && !own->known) {
      MloptFuseLayout news = mloptFuseGatheredLayout(space, node, operand);
      learn(space, own, &news);
    }
    return;
  case MLOPT_ACCESS_REDUCE:
    spreadReduce(space, node, own);
    return;
  default:
    return;
  }
}

/// In both directions until nothing changes.
static void spreadAll(MloptFuseSpace *space) {
  int n = space->body->count;
  space->changed = true;
  for (int round = 0; space->changed && round < MAX_ROUNDS; ++round) {
    space->changed = false;
    for (int i = 0; i < n; ++i)
      spread(space, i);
    for (int i = n; i-- > 0;)
      spread(space, i);
  }
}

/// A reduction's operand: the rows of its result, or else all rows in order,
/// and the columns in order.
static MloptFuseLayout reduceSource(const MloptFuseSpace *space,
                                    const MloptFuseNode *node,
                                    const MloptFuseLayout *own) {
  MloptInts dims = reducedDims(node);
  MlirType type = mlirValueGetType(node->from[0]);
  MloptFuseLayout rows = own->known ? *own : atomsOf(space, false);
  MloptFuseLayout columns = atomsOf(space, true), out = {.known = true};
  MloptFuseLayout kept[MLOPT_MAX_RANK], reduced[MLOPT_MAX_RANK];
  int64_t keptShape[MLOPT_MAX_RANK], reducedShape[MLOPT_MAX_RANK];
  intptr_t rank = mloptRank(type);
  for (intptr_t d = 0; d < rank; ++d) {
    bool isReduced = mloptHasInt(&dims, d);
    keptShape[d] = isReduced ? 1 : mloptDim(type, d);
    reducedShape[d] = isReduced ? mloptDim(type, d) : 1;
  }
  if (!mloptFuseLayoutCut(&rows, rank, keptShape, kept) ||
      !mloptFuseLayoutCut(&columns, rank, reducedShape, reduced))
    return (MloptFuseLayout){0};
  for (intptr_t d = 0; d < rank; ++d)
    out.known &= mloptFuseLayoutAppend(&out, mloptHasInt(&dims, d) ? &reduced[d]
                                                                   : &kept[d]);
  return out;
}

/// Guesses one layout that nothing determines; false when there is none.
static bool guess(MloptFuseSpace *space) {
  space->changed = false;
  for (int i = 0; i < space->body->count && !space->changed; ++i) {
    const MloptFuseNode *node = &space->graph->nodes[space->body->nodes[i]];
    MloptFuseLayout *own = &space->layouts[i], news;
    MloptAccess access = node->traits.access;
    if (access != MLOPT_ACCESS_BROADCAST && access != MLOPT_ACCESS_REDUCE)
      continue;
    MloptFuseLayout *operand = mloptFuseOperandLayout(space, node, 0);
    if (!operand)
      continue;
    if (access == MLOPT_ACCESS_BROADCAST && operand->known && !own->known) {
      news = broadcastResult(space, node, operand);
      learn(space, own, &news);
    } else if (access == MLOPT_ACCESS_REDUCE && !operand->known) {
      news = reduceSource(space, node, own);
      learn(space, operand, &news);
    }
  }
  return space->changed;
}

//===----------------------------------------------------------------------===//
// The space
//===----------------------------------------------------------------------===//

/// Whether the result at a place of the body is spread over more elements, or
/// reduced again.
static bool isSpread(const MloptFuseSpace *space, int place) {
  const MloptFuseBody *body = space->body;
  double *depends = body->runs;
  int64_t elements = space->graph->nodes[body->nodes[place]].elements;
  for (int i = place; i < body->count; ++i) {
    const MloptFuseNode *node = &space->graph->nodes[body->nodes[i]];
    depends[body->nodes[i]] = i == place;
    for (int o = 0; o < node->numOperands; ++o) {
      int operand = node->operands[o];
      if (operand < body->nodes[place] || !body->holds[operand] ||
          !depends[operand])
        continue;
      if (node->elements > elements ||
          node->traits.access == MLOPT_ACCESS_REDUCE)
        return true;
      depends[body->nodes[i]] = 1;
    }
  }
  return false;
}

/// The reduction that spans the space: 2 points for one that is spread, 1 where
/// the elements reduced lie side by side, of equals the first.
static const MloptFuseNode *findSpanning(const MloptFuseSpace *space) {
  const MloptFuseNode *best = NULL;
  int most = -1;
  for (int i = 0; i < space->body->count; ++i) {
    const MloptFuseNode *node = &space->graph->nodes[space->body->nodes[i]];
    if (node->traits.access != MLOPT_ACCESS_REDUCE)
      continue;
    MloptInts dims = reducedDims(node);
    MlirType type = mlirValueGetType(node->from[0]);
    intptr_t last = mloptRank(type) - 1;
    while (last > 0 && mloptDim(type, last) == 1)
      --last;
    int points = 2 * isSpread(space, i) + mloptHasInt(&dims, last);
    if (points > most) {
      most = points;
      best = node;
    }
  }
  return best;
}

/// Makes atoms of the operand of the reduction that spans the space.
static bool beginSpace(MloptFuseSpace *space) {
  const MloptFuseNode *node = findSpanning(space);
  MlirType type = mlirValueGetType(node->from[0]);
  MloptInts dims = reducedDims(node);
  MloptFuseLayout layout = {.known = true};
  space->rows = space->columns = 1;
  for (intptr_t d = 0, rank = mloptRank(type); d < rank; ++d) {
    int64_t size = mloptDim(type, d);
    bool isReduced = mloptHasInt(&dims, d);
    *(isReduced ? &space->columns : &space->rows) *= size;
    space->column[space->numAtoms] = isReduced;
    space->sizes[space->numAtoms] = size;
    if (size > 1)
      mloptFuseLayoutPush(&layout,
                          (MloptFusePiece){space->numAtoms++, 1, size});
  }
  MloptFuseLayout *operand = mloptFuseOperandLayout(space, node, 0);
  if (operand)
    learn(space, operand, &layout);
  return operand != NULL;
}

bool mloptFuseSpaceCreate(const MloptFuseGraph *graph,
                          const MloptFuseBody *body, MloptFuseSpace *space) {
  *space = (MloptFuseSpace){.graph = graph, .body = body};
  size_t count = (size_t)body->count;
  space->layouts =
      calloc(count + MLOPT_FUSE_MAX_OUTSIDE, sizeof *space->layouts);
  if (!space->layouts || !beginSpace(space))
    return false;
  do
    spreadAll(space);
  while (guess(space));
  return true;
}

void mloptFuseSpaceDestroy(MloptFuseSpace *space) {
  free(space->layouts);
  *space = (MloptFuseSpace){0};
}
