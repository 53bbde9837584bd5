//===- fuse_axes.c - The axes of a kernel ---------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From layouts to axes: atoms, in the order of the first reduction's operand,
// are cut where any layout cuts them, put into the order of the largest tensor
// that the kernel reads whole, and joined again where all layouts have them
// side by side.
//
//===----------------------------------------------------------------------===//

#include "fuse_shape.h"

#include <stdlib.h>

enum { MAX_CUTS = 16 };

/// Where an atom is cut: rising strides, from 1 to its size.
typedef struct Cuts {
  int count;
  int64_t at[MAX_CUTS];
} Cuts;

static bool addCut(Cuts *cuts, int64_t stride) {
  int i = 0;
  while (i < cuts->count && cuts->at[i] < stride)
    ++i;
  if (i < cuts->count && cuts->at[i] == stride)
    return true;
  if (cuts->count == MAX_CUTS)
    return false;
  for (int j = cuts->count++; j > i; --j)
    cuts->at[j] = cuts->at[j - 1];
  cuts->at[i] = stride;
  return true;
}

static int numSlots(const MloptFuseShape *shape) {
  return shape->count + shape->numOutside;
}

static bool findCuts(const MloptFuseSpace *space, int count,
                     Cuts cuts[MLOPT_MAX_RANK]) {
  bool good = true;
  for (int a = 0; a < space->numAtoms; ++a)
    good &= addCut(&cuts[a], 1) && addCut(&cuts[a], space->sizes[a]);
  for (int i = 0; i < count; ++i)
    for (int p = 0; p < space->layouts[i].count; ++p) {
      const MloptFusePiece *piece = &space->layouts[i].at[p];
      good &= addCut(&cuts[piece->atom], piece->stride) &&
              addCut(&cuts[piece->atom], piece->stride * piece->size);
    }
  for (int a = 0; a < space->numAtoms; ++a)
    for (int i = 1; i < cuts[a].count; ++i)
      good &= cuts[a].at[i] % cuts[a].at[i - 1] == 0;
  return good;
}

/// Numbers what lies between cuts, atom by atom, outermost first.
static bool numberAxes(MloptFuseShape *shape, const MloptFuseSpace *space,
                       const Cuts cuts[MLOPT_MAX_RANK],
                       int first[MLOPT_MAX_RANK]) {
  for (int a = 0; a < space->numAtoms; ++a) {
    first[a] = shape->numAxes;
    for (int i = cuts[a].count - 1; i > 0; --i) {
      if (shape->numAxes == MLOPT_MAX_RANK)
        return false;
      shape->column[shape->numAxes] = space->column[a];
      shape->sizes[shape->numAxes++] = cuts[a].at[i] / cuts[a].at[i - 1];
    }
  }
  return true;
}

/// A layout in terms of axes.
static MloptFuseAxes axesOf(const MloptFuseLayout *layout,
                            const Cuts cuts[MLOPT_MAX_RANK],
                            const int first[MLOPT_MAX_RANK]) {
  MloptFuseAxes axes = {.known = layout->known};
  for (int p = 0; p < layout->count; ++p) {
    const MloptFusePiece *piece = &layout->at[p];
    const Cuts *c = &cuts[piece->atom];
    for (int i = c->count - 1; i > 0; --i)
      if (c->at[i - 1] >= piece->stride &&
          c->at[i] <= piece->stride * piece->size)
        axes.at[axes.count++] = first[piece->atom] + c->count - 1 - i;
  }
  return axes;
}

static int positionOf(const MloptFuseAxes *axes, int axis) {
  for (int i = 0; i < axes->count; ++i)
    if (axes->at[i] == axis)
      return i;
  return -1;
}

/// The slot of the largest tensor read that has all axes; -1 when none has.
static int findLargest(const MloptFuseShape *shape) {
  int64_t most = -1;
  int found = -1;
  for (int i = 0; i < shape->numOutside; ++i) {
    const MloptFuseAxes *axes = &shape->slots[shape->count + i];
    int64_t bytes = mloptFuseBytesOf(mlirValueGetType(shape->outside[i]));
    if (axes->known && axes->count == shape->numAxes && bytes > most) {
      most = bytes;
      found = shape->count + i;
    }
  }
  return found;
}

/// Renumbers the axes: axis `old` becomes `to[old]`.
static void renumber(MloptFuseShape *shape, const int to[MLOPT_MAX_RANK]) {
  int64_t sizes[MLOPT_MAX_RANK];
  bool column[MLOPT_MAX_RANK];
  for (int a = 0; a < shape->numAxes; ++a) {
    sizes[to[a]] = shape->sizes[a];
    column[to[a]] = shape->column[a];
  }
  memcpy(shape->sizes, sizes, sizeof sizes);
  memcpy(shape->column, column, sizeof column);
  for (int i = 0; i < numSlots(shape); ++i)
    for (int j = 0; j < shape->slots[i].count; ++j)
      shape->slots[i].at[j] = to[shape->slots[i].at[j]];
}

/// Puts the axes into the order of the slot.
static void orderAxes(MloptFuseShape *shape, int slot) {
  int to[MLOPT_MAX_RANK] = {0};
  for (int a = 0; a < shape->numAxes; ++a)
    to[a] = positionOf(&shape->slots[slot], a);
  renumber(shape, to);
}

/// Whether all values have axis `a + 1` right inside axis `a`, or neither.
static bool areOne(const MloptFuseShape *shape, int a) {
  if (shape->column[a] != shape->column[a + 1])
    return false;
  for (int i = 0; i < numSlots(shape); ++i) {
    const MloptFuseAxes *axes = &shape->slots[i];
    int outer = positionOf(axes, a), inner = positionOf(axes, a + 1);
    if ((outer < 0) != (inner < 0) || (outer >= 0 && inner != outer + 1))
      return false;
  }
  return true;
}

/// Makes one of axes that always stand side by side.
static void joinAxes(MloptFuseShape *shape) {
  for (int a = 0; a + 1 < shape->numAxes;) {
    if (!areOne(shape, a)) {
      ++a;
      continue;
    }
    shape->sizes[a] *= shape->sizes[a + 1];
    for (int b = a + 1; b + 1 < shape->numAxes; ++b) {
      shape->sizes[b] = shape->sizes[b + 1];
      shape->column[b] = shape->column[b + 1];
    }
    --shape->numAxes;
    for (int i = 0; i < numSlots(shape); ++i) {
      MloptFuseAxes *axes = &shape->slots[i];
      int kept = 0;
      for (int j = 0; j < axes->count; ++j)
        if (axes->at[j] != a + 1)
          axes->at[kept++] = axes->at[j] > a ? axes->at[j] - 1 : axes->at[j];
      axes->count = kept;
    }
  }
}

static bool findAxes(MloptFuseShape *shape, const MloptFuseSpace *space) {
  Cuts cuts[MLOPT_MAX_RANK] = {0};
  int first[MLOPT_MAX_RANK];
  if (!findCuts(space, numSlots(shape), cuts) ||
      !numberAxes(shape, space, cuts, first))
    return false;
  for (int i = 0; i < numSlots(shape); ++i)
    shape->slots[i] = axesOf(&space->layouts[i], cuts, first);
  int largest = findLargest(shape);
  if (largest >= 0)
    orderAxes(shape, largest);
  joinAxes(shape);
  return true;
}

//===----------------------------------------------------------------------===//
// What can be written along axes
//===----------------------------------------------------------------------===//

static bool sameAsResult(MloptFuseSpace *space, const MloptFuseNode *node,
                         const MloptFuseLayout *own) {
  for (int o = 0; o < node->numOperands; ++o) {
    if (!mloptFuseHasElementsOf(node, o))
      continue;
    const MloptFuseLayout *operand = mloptFuseOperandLayout(space, node, o);
    if (!operand->known || !mloptFuseLayoutEqual(own, operand))
      return false;
  }
  return true;
}

static bool reducesAxes(MloptFuseSpace *space, const MloptFuseNode *node,
                        const MloptFuseLayout *own) {
  const MloptFuseLayout *first = mloptFuseOperandLayout(space, node, 0);
  MloptFuseLayout kept, reduced;
  if (!first->known || !mloptFuseSplitReduced(node, first, &kept, &reduced) ||
      !mloptFuseLayoutEqual(own, &kept))
    return false;
  for (int o = 1; o < mloptFuseNumReduced(node); ++o) {
    const MloptFuseLayout *other = mloptFuseOperandLayout(space, node, o);
    if (!other->known || !mloptFuseLayoutEqual(first, other))
      return false;
  }
  return true;
}

static bool isAlongAxes(MloptFuseSpace *space, const MloptFuseNode *node,
                        const MloptFuseLayout *own) {
  MloptFuseLayout want;
  if (!own->known)
    return false;
  switch (node->traits.access) {
  case MLOPT_ACCESS_CONSTANT:
    return true;
  case MLOPT_ACCESS_ELEMENTWISE:
    return sameAsResult(space, node, own);
  case MLOPT_ACCESS_RESHAPE:
    return mloptIsA(node->op, &mloptOp_reshape) &&
           sameAsResult(space, node, own);
  case MLOPT_ACCESS_TRANSPOSE:
    want = mloptFuseTransposeLayout(node, own, false);
    break;
  case MLOPT_ACCESS_BROADCAST:
    want = mloptFuseBroadcastSource(node, own);
    break;
  case MLOPT_ACCESS_REDUCE:
    return reducesAxes(space, node, own);
  default:
    return false;
  }
  const MloptFuseLayout *operand = mloptFuseOperandLayout(space, node, 0);
  return want.known && operand->known && mloptFuseLayoutEqual(&want, operand);
}

/// Whether the order in which a reduction goes over its elements is part of
/// what it computes, and would become another; or an index along one axis is.
static bool keepsOrder(const MloptFuseShape *shape, int place) {
  const MloptFuseShaped *shaped = &shape->nodes[place];
  MlirOperation op = shape->graph->nodes[shaped->node].op;
  const MloptFuseAxes *from = &shape->slots[shaped->slots[0]];
  int last = -1, count = 0;
  bool rises = true;
  for (int i = 0; i < from->count; ++i) {
    if (positionOf(&shape->slots[place], from->at[i]) >= 0)
      continue;
    rises &= from->at[i] > last;
    last = from->at[i];
    ++count;
  }
  if (mloptIsA(op, &mloptOp_arg_reduce))
    return count == 1;
  bool ordered = mloptGetNumerics(op) == MLOPT_NUMERICS_STRICT ||
                 mlirAttributeIsNull(mloptAttr(op, "kind"));
  return count > 0 && (rises || !ordered);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Copies the nodes, and meets every value from outside.
static bool readNodes(MloptFuseShape *shape, MloptFuseSpace *space) {
  const MloptFuseBody *body = space->body;
  for (int i = 0; i < body->count; ++i) {
    const MloptFuseNode *node = &shape->graph->nodes[body->nodes[i]];
    MloptFuseShaped *shaped = &shape->nodes[i];
    *shaped = (MloptFuseShaped){.node = body->nodes[i],
                                .stored = body->stored[body->nodes[i]],
                                .firstValue = shape->numValues};
    shape->numValues += (int)mlirOperationGetNumResults(node->op);
    shaped->slots =
        calloc((size_t)node->numOperands + 1, sizeof *shaped->slots);
    ++shape->count;
    for (int o = 0; o < node->numOperands; ++o) {
      const MloptFuseLayout *layout = mloptFuseOperandLayout(space, node, o);
      if (!layout || !shaped->slots)
        return false;
      shaped->slots[o] = (int)(layout - space->layouts);
    }
  }
  shape->numOutside = space->numOutside;
  memcpy(shape->outside, space->outside, sizeof space->outside);
  shape->numValues += space->numOutside;
  return true;
}

bool mloptFuseShapeCreate(const MloptFuseGraph *graph,
                          const MloptFuseBody *body, MloptFuseShape *shape) {
  *shape = (MloptFuseShape){.graph = graph};
  MloptFuseSpace space;
  size_t count = (size_t)body->count + MLOPT_FUSE_MAX_OUTSIDE;
  shape->nodes = calloc(count, sizeof *shape->nodes);
  shape->slots = calloc(count, sizeof *shape->slots);
  bool good = mloptFuseSpaceCreate(graph, body, &space) && shape->nodes &&
              shape->slots && readNodes(shape, &space) &&
              findAxes(shape, &space);
  for (int i = 0; good && i < shape->count; ++i) {
    const MloptFuseNode *node = &graph->nodes[body->nodes[i]];
    shape->nodes[i].alongAxes =
        isAlongAxes(&space, node, &space.layouts[i]) &&
        (node->traits.access != MLOPT_ACCESS_REDUCE || keepsOrder(shape, i));
  }
  mloptFuseSpaceDestroy(&space);
  shape->along = calloc((size_t)shape->numValues + 1, sizeof *shape->along);
  shape->written = calloc((size_t)shape->numValues + 1, sizeof *shape->written);
  good &= shape->along && shape->written;
  if (!good)
    mloptFuseShapeDestroy(shape);
  return good;
}

void mloptFuseShapeDestroy(MloptFuseShape *shape) {
  for (int i = 0; shape->nodes && i < shape->count; ++i)
    free(shape->nodes[i].slots);
  free(shape->nodes);
  free(shape->slots);
  free(shape->along);
  free(shape->written);
  *shape = (MloptFuseShape){0};
}
