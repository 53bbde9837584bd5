//===- fuse_shape.c - One spelling for a kernel's body --------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes a body along its axes. Reshapes and transposes that only spell the
// same elements differently go away; they are left where a value that has other
// dimensions meets the axes.
//
//   %y = mlopt.transpose %x perm [1, 0] : tensor<16x64xf32> ->
//   tensor<64x16xf32> %m = mlopt.reduce max %y dims [0] : (tensor<64x16xf32>)
//   -> tensor<16xf32>
// becomes
//   %m = mlopt.reduce max %x dims [1] : (tensor<16x64xf32>) -> tensor<16xf32>
//
// A value inside is known along its axes, in their order, or as the program
// writes it, or both; each is made from the other when it is asked for.
//
//===----------------------------------------------------------------------===//

#include "fuse_shape.h"
#include "match.h"

#include <stdlib.h>

typedef struct Write {
  MloptFuseShape *shape;
  MloptBuilder b;
} Write;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The axes of a value, lowest first.
static MloptFuseAxes sorted(const MloptFuseAxes *axes) {
  MloptFuseAxes out = {.known = true};
  for (int a = 0; a < MLOPT_MAX_RANK; ++a)
    for (int i = 0; i < axes->count; ++i)
      if (axes->at[i] == a)
        out.at[out.count++] = a;
  return out;
}

static int positionOf(const MloptFuseAxes *axes, int axis) {
  int i = 0;
  while (i < axes->count && axes->at[i] != axis)
    ++i;
  return i;
}

static MlirType typeOf(const MloptFuseShape *shape, const MloptFuseAxes *axes,
                       MlirType element) {
  int64_t sizes[MLOPT_MAX_RANK];
  for (int i = 0; i < axes->count; ++i)
    sizes[i] = shape->sizes[axes->at[i]];
  return mloptTensorType(axes->count, sizes, element);
}

/// A result's type along its axes.
static MlirType alongType(const Write *w, int slot, MlirType written) {
  MloptFuseAxes axes = sorted(&w->shape->slots[slot]);
  return typeOf(w->shape, &axes, mloptElementType(written));
}

MlirType mloptFuseShapeOperandType(const MloptFuseShape *shape, int outside) {
  MlirType type = mlirValueGetType(shape->outside[outside]);
  const MloptFuseAxes *axes = &shape->slots[shape->count + outside];
  return axes->known ? typeOf(shape, axes, mloptElementType(type)) : type;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static MlirValue reshape(Write *w, MlirValue value, MlirType type) {
  return mlirTypeEqual(mlirValueGetType(value), type)
             ? value
             : mloptBuildUnary(&w->b, mloptOp_reshape.name, value, type);
}

/// From one order of axes to another; both have the same ones.
static MlirValue reorder(Write *w, MlirValue value, const MloptFuseAxes *from,
                         const MloptFuseAxes *to) {
  MloptInts perm = {.count = to->count};
  bool same = true;
  for (int i = 0; i < to->count; ++i) {
    perm.at[i] = positionOf(from, to->at[i]);
    same &= perm.at[i] == i;
  }
  if (same)
    return value;
  MlirType type =
      typeOf(w->shape, to, mloptElementType(mlirValueGetType(value)));
  MlirNamedAttribute attr =
      mloptNamedAttr(w->b.context, "permutation",
                     mlirDenseI64ArrayGet(w->b.context, perm.count, perm.at));
  return mloptBuildValue(&w->b, (MloptOpSpec){.name = mloptOp_transpose.name,
                                              .numOperands = 1,
                                              .operands = &value,
                                              .numResults = 1,
                                              .results = &type,
                                              .numAttrs = 1,
                                              .attrs = &attr});
}

/// The number of a value that operand `o` of a node is.
static int valueOf(const MloptFuseShape *shape, const MloptFuseShaped *shaped,
                   int o) {
  int slot = shaped->slots[o];
  if (slot >= shape->count)
    return shape->numValues - shape->numOutside + slot - shape->count;
  MlirValue value = shape->graph->nodes[shaped->node].from[o];
  return shape->nodes[slot].firstValue +
         (int)mlirOpResultGetResultNumber(value);
}

/// A value's elements in its own order, under any shape.
static MlirValue inOrder(Write *w, int value, int slot) {
  const MloptFuseAxes *axes = &w->shape->slots[slot];
  if (!mlirValueIsNull(w->shape->written[value]))
    return w->shape->written[value];
  MloptFuseAxes from = sorted(axes);
  return reorder(w, w->shape->along[value], &from, axes);
}

static MlirValue alongAxes(Write *w, int value, int slot) {
  MlirValue *along = &w->shape->along[value];
  if (mlirValueIsNull(*along)) {
    const MloptFuseAxes *axes = &w->shape->slots[slot];
    MlirValue written = w->shape->written[value];
    MloptFuseAxes to = sorted(axes);
    MlirType element = mloptElementType(mlirValueGetType(written));
    *along = reorder(w, reshape(w, written, typeOf(w->shape, axes, element)),
                     axes, &to);
  }
  return *along;
}

/// Operand `o` of a node, as the program writes it.
static MlirValue asWritten(Write *w, const MloptFuseShaped *shaped, int o) {
  MlirValue from = w->shape->graph->nodes[shaped->node].from[o];
  MlirValue value = inOrder(w, valueOf(w->shape, shaped, o), shaped->slots[o]);
  return w->b.failed ? value : reshape(w, value, mlirValueGetType(from));
}

static MlirValue operandAlong(Write *w, const MloptFuseShaped *shaped, int o) {
  return alongAxes(w, valueOf(w->shape, shaped, o), shaped->slots[o]);
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// Copies an operation whose first `numAlong` operands, or with -1 those of the
/// result's size, are given along their axes.
static MlirOperation copyNode(Write *w, const MloptFuseShaped *shaped,
                              int numAlong) {
  const MloptFuseNode *node = &w->shape->graph->nodes[shaped->node];
  size_t size = (size_t)node->numOperands + 1;
  MlirValue *to = malloc(size * sizeof *to);
  w->b.failed |= !to;
  for (int o = 0; !w->b.failed && o < node->numOperands; ++o) {
    bool isAlong =
        numAlong < 0 ? mloptFuseHasElementsOf(node, o) : o < numAlong;
    to[o] = isAlong ? operandAlong(w, shaped, o) : asWritten(w, shaped, o);
  }
  MlirOperation copy = {NULL};
  if (!w->b.failed) {
    copy = mloptCloneWithMapping(node->op, node->numOperands, node->from, to);
    // One value may be needed in two ways.
    for (intptr_t o = 0, n = mlirOperationGetNumOperands(copy); o < n; ++o)
      mlirOperationSetOperand(copy, o, to[o]);
    mlirBlockAppendOwnedOperation(w->b.block, copy);
  }
  free(to);
  return copy;
}

/// Binds a copy's results, along the axes.
static void bindAlong(Write *w, int place, MlirOperation copy) {
  const MloptFuseShaped *shaped = &w->shape->nodes[place];
  for (intptr_t r = 0, n = mlirOperationGetNumResults(copy); r < n; ++r) {
    MlirValue result = mloptResult(copy, r);
    mlirValueSetType(result, alongType(w, place, mlirValueGetType(result)));
    w->shape->along[shaped->firstValue + r] = result;
  }
}

static void writeConstant(Write *w, int place) {
  const MloptFuseShaped *shaped = &w->shape->nodes[place];
  MlirOperation op = w->shape->graph->nodes[shaped->node].op;
  MlirType type = alongType(w, place, mloptResultType(op, 0));
  MlirNamedAttribute value = mloptNamedAttr(
      w->b.context, "value",
      mlirDenseElementsAttrReshapeGet(mloptAttr(op, "value"), type));
  w->shape->along[shaped->firstValue] =
      mloptBuildValue(&w->b, (MloptOpSpec){.name = mloptOp_constant.name,
                                           .numResults = 1,
                                           .results = &type,
                                           .numAttrs = 1,
                                           .attrs = &value});
}

static void writeBroadcast(Write *w, int place) {
  const MloptFuseShaped *shaped = &w->shape->nodes[place];
  MloptFuseAxes from = sorted(&w->shape->slots[shaped->slots[0]]);
  MloptFuseAxes to = sorted(&w->shape->slots[place]);
  MloptInts dims = {.count = from.count};
  for (int i = 0; i < from.count; ++i)
    dims.at[i] = positionOf(&to, from.at[i]);
  if (from.count == to.count) {
    w->shape->along[shaped->firstValue] = operandAlong(w, shaped, 0);
    return;
  }
  MlirOperation copy = copyNode(w, shaped, 1);
  if (w->b.failed)
    return;
  mloptSetInts(copy, "dims", &dims);
  bindAlong(w, place, copy);
}

static void writeReduce(Write *w, int place) {
  const MloptFuseShaped *shaped = &w->shape->nodes[place];
  const MloptFuseNode *node = &w->shape->graph->nodes[shaped->node];
  const MloptFuseAxes *kept = &w->shape->slots[place];
  MloptFuseAxes from = sorted(&w->shape->slots[shaped->slots[0]]);
  MloptInts dims = {.count = 0};
  for (int i = 0; i < from.count; ++i)
    if (positionOf(kept, from.at[i]) == kept->count)
      dims.at[dims.count++] = i;
  MlirOperation copy = copyNode(w, shaped, mloptFuseNumReduced(node));
  if (w->b.failed)
    return;
  if (mloptIsA(node->op, &mloptOp_arg_reduce))
    mlirOperationSetInherentAttributeByName(
        copy, mloptStr("dim"), mloptI64Attr(w->b.context, dims.at[0]));
  else
    mloptSetInts(copy, "dims", &dims);
  bindAlong(w, place, copy);
}

static void writeAsWritten(Write *w, int place) {
  const MloptFuseShaped *shaped = &w->shape->nodes[place];
  MlirOperation copy = copyNode(w, shaped, 0);
  if (w->b.failed)
    return;
  for (intptr_t r = 0, n = mlirOperationGetNumResults(copy); r < n; ++r)
    w->shape->written[shaped->firstValue + r] = mloptResult(copy, r);
}

static void writeNode(Write *w, int place) {
  const MloptFuseShaped *shaped = &w->shape->nodes[place];
  if (!shaped->alongAxes) {
    writeAsWritten(w, place);
    return;
  }
  switch (w->shape->graph->nodes[shaped->node].traits.access) {
  case MLOPT_ACCESS_CONSTANT:
    writeConstant(w, place);
    return;
  case MLOPT_ACCESS_RESHAPE:
  case MLOPT_ACCESS_TRANSPOSE:
    w->shape->along[shaped->firstValue] = operandAlong(w, shaped, 0);
    return;
  case MLOPT_ACCESS_BROADCAST:
    writeBroadcast(w, place);
    return;
  case MLOPT_ACCESS_REDUCE:
    writeReduce(w, place);
    return;
  default: {
    MlirOperation copy = copyNode(w, shaped, -1);
    if (!w->b.failed)
      bindAlong(w, place, copy);
    return;
  }
  }
}

intptr_t mloptFuseShapeWrite(MloptFuseShape *shape, MlirBlock block,
                             MlirLocation location, MlirValue *yields) {
  Write w = {.shape = shape, .b = mloptBuilderAtEnd(block, location)};
  intptr_t numYields = 0;
  for (int i = 0; i < shape->numOutside; ++i)
    shape->written[shape->numValues - shape->numOutside + i] =
        mlirBlockGetArgument(block, i);
  for (int i = 0; i < shape->count && !w.b.failed; ++i) {
    const MloptFuseShaped *shaped = &shape->nodes[i];
    MlirOperation op = shape->graph->nodes[shaped->node].op;
    writeNode(&w, i);
    for (intptr_t r = 0, n = mlirOperationGetNumResults(op);
         shaped->stored && !w.b.failed && r < n; ++r)
      if (!mlirOpOperandIsNull(mlirValueGetFirstUse(mloptResult(op, r))))
        yields[numYields++] = inOrder(&w, shaped->firstValue + (int)r, i);
  }
  return w.b.failed ? -1 : numYields;
}
