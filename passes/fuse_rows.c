//===- fuse_rows.c - Whether reductions share their rows ----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first reduction of a kernel spans its space: the dimensions of its
// operand are atoms, kept ones make the rows and reduced ones the columns. A
// layout says which atoms, or parts of atoms, a value's row-major order runs
// through:
//
//   %x           tensor<2x6x8>   [a0 a1 a2]       reduced over dimension 2
//   reshape %x   tensor<12x8>    [a0 a1 a2]       order, not shape, is what
//   counts transpose    tensor<8x12>    [a2 a0 a1] reduce %x    tensor<2x6> [a0
//   a1]
//
// Layouts spread from the first operand in both directions until nothing
// changes. A value that needs no reduction may be read anywhere, and its layout
// matters only where a reduction reads it; what follows a reduction must be
// computed in the row whose reduction it uses.
//
//===----------------------------------------------------------------------===//

#include "fuse.h"

#include <stdlib.h>

enum { MAX_PIECES = 2 * MLOPT_MAX_RANK, MAX_OUTSIDE = 96, MAX_ROUNDS = 8 };

/// `(index of atom / stride) mod size`
typedef struct Piece {
  int atom;
  int64_t stride, size;
} Piece;

typedef struct Layout {
  bool known;
  int count;
  Piece at[MAX_PIECES];
} Layout;

typedef struct Space {
  const MloptFuseGraph *graph;
  const MloptFuseBody *body;
  MloptFuseRows *rows;
  int numAtoms;
  int64_t sizes[MLOPT_MAX_RANK]; ///< of the atoms; units are dropped
  bool column[MLOPT_MAX_RANK];
  Layout *layouts; ///< of the body's nodes, then of values outside
  bool *after;     ///< whether the body's node depends on a reduction
  int numOutside;
  MlirValue outside[MAX_OUTSIDE];
  bool changed;
} Space;

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

static bool push(Layout *layout, Piece piece) {
  if (piece.size == 1)
    return true;
  Piece *last = layout->count ? &layout->at[layout->count - 1] : NULL;
  if (last && last->atom == piece.atom &&
      last->stride == piece.stride * piece.size) {
    last->stride = piece.stride;
    last->size *= piece.size;
    return true;
  }
  if (layout->count == MAX_PIECES)
    return false;
  layout->at[layout->count++] = piece;
  return true;
}

static bool equal(const Layout *a, const Layout *b) {
  if (a->count != b->count)
    return false;
  for (int i = 0; i < a->count; ++i)
    if (a->at[i].atom != b->at[i].atom || a->at[i].stride != b->at[i].stride ||
        a->at[i].size != b->at[i].size)
      return false;
  return true;
}

/// Cuts a layout into one for each dimension of a shape.
static bool cut(const Layout *layout, intptr_t rank, const int64_t *shape,
                Layout *dims) {
  int next = 0;
  Piece piece = {0, 0, 1};
  for (intptr_t d = 0; d < rank; ++d) {
    dims[d] = (Layout){.known = true};
    for (int64_t want = shape[d]; want > 1;) {
      if (piece.size == 1) {
        if (next == layout->count)
          return false;
        piece = layout->at[next++];
      }
      int64_t take = piece.size < want ? piece.size : want;
      if (want % take || piece.size % take)
        return false;
      int64_t rest = piece.size / take;
      if (!push(&dims[d], (Piece){piece.atom, piece.stride * rest, take}))
        return false;
      piece.size = rest;
      want /= take;
    }
  }
  return piece.size == 1 && next == layout->count;
}

static bool append(Layout *layout, const Layout *more) {
  for (int i = 0; i < more->count; ++i)
    if (!push(layout, more->at[i]))
      return false;
  return true;
}

/// The atoms of rows or of columns, in order.
static Layout atomsOf(const Space *space, bool column) {
  Layout layout = {.known = true};
  for (int a = 0; a < space->numAtoms; ++a)
    if (space->column[a] == column)
      push(&layout, (Piece){a, 1, space->sizes[a]});
  return layout;
}

/// Whether a layout runs through each atom of rows or columns, and no other,
/// exactly once.
static bool covers(const Space *space, const Layout *layout, bool column) {
  int64_t product = 1, all = column ? space->rows->columns : space->rows->rows;
  for (int i = 0; i < layout->count; ++i) {
    if (space->column[layout->at[i].atom] != column)
      return false;
    product *= layout->at[i].size;
  }
  return product == all;
}

static int64_t sizeOf(const Layout *layout) {
  int64_t size = 1;
  for (int i = 0; i < layout->count; ++i)
    size *= layout->at[i].size;
  return size;
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

/// The place of a node in the body, or -1.
static int placeOf(const MloptFuseBody *body, int node) {
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

/// The layout of operand `o`; NULL when there are too many values to know.
static Layout *layoutOf(Space *space, const MloptFuseNode *node, int o) {
  int operand = node->operands[o];
  if (operand >= 0 && space->body->holds[operand])
    return &space->layouts[placeOf(space->body, operand)];
  MlirValue root = mloptFuseRootValue(space->graph, node->from[o]);
  int i = 0;
  while (i < space->numOutside && !mlirValueEqual(space->outside[i], root))
    ++i;
  if (i == MAX_OUTSIDE)
    return NULL;
  if (i == space->numOutside)
    space->outside[space->numOutside++] = root;
  return &space->layouts[space->body->count + i];
}

static void learn(Space *space, Layout *layout, const Layout *news) {
  if (!layout || layout->known || !news->known)
    return;
  *layout = *news;
  space->changed = true;
}

//===----------------------------------------------------------------------===//
// Spreading
//===----------------------------------------------------------------------===//

static bool sameElements(const MloptFuseNode *node, int o) {
  return mloptNumElements(mlirValueGetType(node->from[o])) ==
         mloptNumElements(mloptResultType(node->op, 0));
}

static void spreadSame(Space *space, const MloptFuseNode *node, Layout *own) {
  for (int o = 0; o < node->numOperands; ++o) {
    if (!sameElements(node, o))
      continue;
    Layout *operand = layoutOf(space, node, o);
    learn(space, operand, own);
    if (operand)
      learn(space, own, operand);
  }
}

/// What a transposed operand's layout makes of the result's, or the reverse.
static Layout transposed(const MloptFuseNode *node, const Layout *from,
                         bool toResult) {
  MloptInts perm = mloptGetInts(node->op, "permutation");
  int64_t shape[MLOPT_MAX_RANK];
  MlirType type =
      toResult ? mlirValueGetType(node->from[0]) : mloptResultType(node->op, 0);
  intptr_t rank = mloptShape(type, shape);
  Layout dims[MLOPT_MAX_RANK], out = {.known = true};
  if (!cut(from, rank, shape, dims))
    return (Layout){0};
  for (intptr_t i = 0; i < rank; ++i) {
    intptr_t source = i;
    if (toResult)
      source = perm.at[i];
    else
      while (perm.at[source = (source + 1) % rank] != i)
        ;
    out.known &= append(&out, &dims[source]);
  }
  return out;
}

static void spreadTranspose(Space *space, const MloptFuseNode *node,
                            Layout *own) {
  Layout *operand = layoutOf(space, node, 0);
  if (!operand)
    return;
  if (own->known && !operand->known) {
    Layout news = transposed(node, own, false);
    learn(space, operand, &news);
  } else if (operand->known && !own->known) {
    Layout news = transposed(node, operand, true);
    learn(space, own, &news);
  }
}

/// The operand's layout that the result's gives.
static Layout broadcastSource(const MloptFuseNode *node, const Layout *own) {
  MloptInts to = mloptGetInts(node->op, "dims");
  MlirType type = mlirValueGetType(node->from[0]);
  int64_t shape[MLOPT_MAX_RANK];
  intptr_t rank = mloptShape(mloptResultType(node->op, 0), shape);
  Layout dims[MLOPT_MAX_RANK], out = {.known = true};
  if (!cut(own, rank, shape, dims))
    return (Layout){0};
  for (intptr_t i = 0; i < to.count; ++i)
    if (mloptDim(type, i) != 1)
      out.known &= append(&out, &dims[to.at[i]]);
  return out;
}

/// The result's layout, the new dimensions taken to be the atoms that the
/// operand lacks, in order. A guess, for when nothing else is known.
static Layout broadcastResult(const Space *space, const MloptFuseNode *node,
                              const Layout *from) {
  MloptInts to = mloptGetInts(node->op, "dims");
  MlirType type = mlirValueGetType(node->from[0]);
  MlirType result = mloptResultType(node->op, 0);
  int64_t shape[MLOPT_MAX_RANK], fresh[MLOPT_MAX_RANK];
  intptr_t rank = mloptShape(type, shape), resultRank = mloptRank(result);
  Layout olds[MLOPT_MAX_RANK], news[MLOPT_MAX_RANK], out = {.known = true};
  Layout missing = {.known = true};
  for (int a = 0; a < space->numAtoms; ++a) {
    bool there = false;
    for (int i = 0; i < from->count; ++i)
      there |= from->at[i].atom == a;
    if (!there)
      push(&missing, (Piece){a, 1, space->sizes[a]});
  }
  int source[MLOPT_MAX_RANK];
  for (intptr_t d = 0; d < resultRank; ++d) {
    source[d] = -1;
    for (intptr_t i = 0; i < to.count; ++i)
      if (to.at[i] == d && mloptDim(type, i) == mloptDim(result, d))
        source[d] = (int)i;
    fresh[d] = source[d] < 0 ? mloptDim(result, d) : 1;
  }
  if (!cut(from, rank, shape, olds) || !cut(&missing, resultRank, fresh, news))
    return (Layout){0};
  for (intptr_t d = 0; d < resultRank; ++d)
    out.known &= append(&out, source[d] < 0 ? &news[d] : &olds[source[d]]);
  return out;
}

static MloptInts reducedDims(const MloptFuseNode *node) {
  if (!mloptIsA(node->op, &mloptOp_arg_reduce))
    return mloptGetInts(node->op, "dims");
  return (MloptInts){.count = 1, .at = {mloptGetInt(node->op, "dim")}};
}

/// The kept and the reduced parts of a reduction's operand.
static bool splitReduced(const MloptFuseNode *node, const Layout *operand,
                         Layout *kept, Layout *reduced) {
  MloptInts dims = reducedDims(node);
  int64_t shape[MLOPT_MAX_RANK];
  intptr_t rank = mloptShape(mlirValueGetType(node->from[0]), shape);
  Layout parts[MLOPT_MAX_RANK];
  *kept = *reduced = (Layout){.known = true};
  if (!cut(operand, rank, shape, parts))
    return false;
  for (intptr_t d = 0; d < rank; ++d)
    if (!append(mloptHasInt(&dims, d) ? reduced : kept, &parts[d]))
      return false;
  return true;
}

/// How many of a reduction's operands are reduced.
static int numInputs(const MloptFuseNode *node) {
  return (int)mlirOperationGetNumResults(node->op) <= node->numOperands &&
                 !mloptIsA(node->op, &mloptOp_arg_reduce)
             ? (int)mlirOperationGetNumResults(node->op)
             : 1;
}

static void spreadReduce(Space *space, const MloptFuseNode *node, Layout *own) {
  for (int o = 0; o < numInputs(node); ++o) {
    Layout *operand = layoutOf(space, node, o), kept, reduced;
    Layout *first = layoutOf(space, node, 0);
    if (!operand || !first)
      return;
    learn(space, operand, first);
    if (operand->known && splitReduced(node, operand, &kept, &reduced))
      learn(space, own, &kept);
  }
}

/// The layout of a gather that takes one element of each row, the rows being
/// batch dimensions.
static Layout gathered(const Space *space, const MloptFuseNode *node,
                       const Layout *operand) {
  MloptInts batch = mloptGetInts(node->op, "operand_batching_dims");
  int64_t shape[MLOPT_MAX_RANK];
  intptr_t rank = mloptShape(mlirValueGetType(node->from[0]), shape);
  Layout dims[MLOPT_MAX_RANK], rows = {.known = true};
  if (!cut(operand, rank, shape, dims) || node->elements != space->rows->rows)
    return (Layout){0};
  for (intptr_t d = 0; d < rank; ++d)
    if (mloptHasInt(&batch, d))
      rows.known &= append(&rows, &dims[d]);
  rows.known &= covers(space, &rows, false);
  return rows;
}

static void spread(Space *space, int place) {
  const MloptFuseNode *node = &space->graph->nodes[space->body->nodes[place]];
  Layout *own = &space->layouts[place], *operand;
  switch (node->traits.access) {
  case MLOPT_ACCESS_ELEMENTWISE:
  case MLOPT_ACCESS_RESHAPE:
    spreadSame(space, node, own);
    return;
  case MLOPT_ACCESS_TRANSPOSE:
    spreadTranspose(space, node, own);
    return;
  case MLOPT_ACCESS_BROADCAST:
    operand = layoutOf(space, node, 0);
    if (operand && own->known && !operand->known) {
      Layout news = broadcastSource(node, own);
      learn(space, operand, &news);
    }
    return;
  case MLOPT_ACCESS_GATHER:
    operand = layoutOf(space, node, 0);
    if (operand && operand->known && !own->known) {
      Layout news = gathered(space, node, operand);
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
static void spreadAll(Space *space) {
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
static Layout reduceSource(const Space *space, const MloptFuseNode *node,
                           const Layout *own) {
  MloptInts dims = reducedDims(node);
  MlirType type = mlirValueGetType(node->from[0]);
  Layout rows = own->known ? *own : atomsOf(space, false);
  Layout columns = atomsOf(space, true), out = {.known = true};
  Layout kept[MLOPT_MAX_RANK], reduced[MLOPT_MAX_RANK];
  int64_t keptShape[MLOPT_MAX_RANK], reducedShape[MLOPT_MAX_RANK];
  intptr_t rank = mloptRank(type);
  for (intptr_t d = 0; d < rank; ++d) {
    bool isReduced = mloptHasInt(&dims, d);
    keptShape[d] = isReduced ? 1 : mloptDim(type, d);
    reducedShape[d] = isReduced ? mloptDim(type, d) : 1;
  }
  if (!cut(&rows, rank, keptShape, kept) ||
      !cut(&columns, rank, reducedShape, reduced))
    return (Layout){0};
  for (intptr_t d = 0; d < rank; ++d)
    out.known &= append(&out, mloptHasInt(&dims, d) ? &reduced[d] : &kept[d]);
  return out;
}

/// Guesses one layout that nothing determines; false when there is none.
static bool guess(Space *space) {
  space->changed = false;
  for (int i = 0; i < space->body->count && !space->changed; ++i) {
    const MloptFuseNode *node = &space->graph->nodes[space->body->nodes[i]];
    Layout *own = &space->layouts[i], news;
    MloptAccess access = node->traits.access;
    if (access != MLOPT_ACCESS_BROADCAST && access != MLOPT_ACCESS_REDUCE)
      continue;
    Layout *operand = layoutOf(space, node, 0);
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
// Checks
//===----------------------------------------------------------------------===//

static bool isAfter(const Space *space, const MloptFuseNode *node, int o) {
  int operand = node->operands[o];
  return operand >= 0 && space->body->holds[operand] &&
         space->after[placeOf(space->body, operand)];
}

static bool checkReduce(Space *space, const MloptFuseNode *node, Layout *own) {
  for (int o = 0; o < node->numOperands; ++o) {
    if (o >= numInputs(node)) {
      if (isAfter(space, node, o))
        return false;
      continue;
    }
    Layout *operand = layoutOf(space, node, o), kept, reduced;
    if (!operand || !operand->known ||
        !splitReduced(node, operand, &kept, &reduced) ||
        !covers(space, &kept, false) || !covers(space, &reduced, true) ||
        !own->known || !equal(own, &kept))
      return false;
  }
  return true;
}

/// Whether a gather takes an element of the row it is computed in.
static bool staysInRow(Space *space, const MloptFuseNode *node, Layout *own) {
  Layout *operand = layoutOf(space, node, 0);
  if (isAfter(space, node, 1) || !operand || !operand->known)
    return false;
  Layout rows = gathered(space, node, operand);
  return rows.known && equal(own, &rows);
}

/// Whether the node uses the reductions of the row it is computed in.
static bool checkAfter(Space *space, const MloptFuseNode *node, Layout *own) {
  if (!own->known)
    return false;
  if (node->traits.access == MLOPT_ACCESS_GATHER)
    return staysInRow(space, node, own);
  for (int o = 0; o < node->numOperands; ++o) {
    if (!isAfter(space, node, o))
      continue;
    Layout want = *own;
    if (node->traits.access == MLOPT_ACCESS_TRANSPOSE)
      want = transposed(node, own, false);
    else if (node->traits.access == MLOPT_ACCESS_BROADCAST)
      want = broadcastSource(node, own);
    else if ((node->traits.access != MLOPT_ACCESS_ELEMENTWISE &&
              node->traits.access != MLOPT_ACCESS_RESHAPE) ||
             !sameElements(node, o))
      return false;
    Layout *operand = layoutOf(space, node, o);
    if (!want.known || !operand->known || !equal(&want, operand))
      return false;
  }
  return true;
}

/// Results are whole rows or one element for each row.
static bool checkStored(Space *space, const Layout *own) {
  int64_t size = sizeOf(own), rows = space->rows->rows;
  if (!own->known)
    return false;
  return size == rows * space->rows->columns ||
         (size == rows && covers(space, own, false));
}

static MloptFuseReason checkNode(Space *space, int place) {
  int at = space->body->nodes[place];
  const MloptFuseNode *node = &space->graph->nodes[at];
  Layout *own = &space->layouts[place];
  bool after = false;
  for (int o = 0; o < node->numOperands; ++o)
    after |= isAfter(space, node, o);
  bool isReduce = node->traits.access == MLOPT_ACCESS_REDUCE;
  space->after[place] = after || isReduce;
  if (isReduce) {
    space->rows->rereads |= after;
    return checkReduce(space, node, own) ? MLOPT_FUSE_FUSED
                                         : MLOPT_FUSE_OTHER_ROWS;
  }
  if (after && !checkAfter(space, node, own))
    return MLOPT_FUSE_MOVED;
  space->rows->rereads |= after && sizeOf(own) > space->rows->rows;
  if (space->body->stored[at] && !checkStored(space, own))
    return MLOPT_FUSE_OTHER_SPACE;
  return MLOPT_FUSE_FUSED;
}

/// Makes atoms of the first reduction's operand.
static bool beginSpace(Space *space) {
  const MloptFuseBody *body = space->body;
  int place = 0;
  while (space->graph->nodes[body->nodes[place]].traits.access !=
         MLOPT_ACCESS_REDUCE)
    ++place;
  const MloptFuseNode *node = &space->graph->nodes[body->nodes[place]];
  MlirType type = mlirValueGetType(node->from[0]);
  MloptInts dims = reducedDims(node);
  Layout layout = {.known = true};
  *space->rows = (MloptFuseRows){.rows = 1, .columns = 1};
  for (intptr_t d = 0, rank = mloptRank(type); d < rank; ++d) {
    int64_t size = mloptDim(type, d);
    bool isReduced = mloptHasInt(&dims, d);
    *(isReduced ? &space->rows->columns : &space->rows->rows) *= size;
    space->column[space->numAtoms] = isReduced;
    space->sizes[space->numAtoms] = size;
    if (size > 1)
      push(&layout, (Piece){space->numAtoms++, 1, size});
  }
  Layout *operand = layoutOf(space, node, 0);
  if (operand)
    learn(space, operand, &layout);
  return operand != NULL;
}

MloptFuseReason mloptFuseCheckRows(const MloptFuseGraph *graph,
                                   const MloptFuseBody *body,
                                   MloptFuseRows *out) {
  Space space = {.graph = graph, .body = body, .rows = out};
  size_t count = (size_t)body->count;
  space.layouts = calloc(count + MAX_OUTSIDE, sizeof *space.layouts);
  space.after = calloc(count + 1, sizeof *space.after);
  MloptFuseReason reason = MLOPT_FUSE_TOO_MANY;
  if (space.layouts && space.after && beginSpace(&space)) {
    do
      spreadAll(&space);
    while (guess(&space));
    reason = MLOPT_FUSE_FUSED;
    for (int i = 0; i < body->count && reason == MLOPT_FUSE_FUSED; ++i)
      reason = checkNode(&space, i);
  }
  free(space.layouts);
  free(space.after);
  return reason;
}
