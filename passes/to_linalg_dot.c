//===- to_linalg_dot.c - dot and conv -------------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contractions: a linalg.generic that multiplies two elements, both brought to
// the accumulation type, and adds the product to an accumulator that starts
// from zero. The contracted loops come last, so that loops in their order
// accumulate in rising order. A second generic rounds to the result's type.
//
//===----------------------------------------------------------------------===//

#include "to_linalg.h"

static MlirType accumulatorOf(MloptLowering *l) {
  MlirType element = mloptElementType(mloptResultType(l->op, 0));
  MlirAttribute attr = mloptAttr(l->op, "accumulate");
  MlirType type = mlirAttributeIsNull(attr) ? mloptAccumulationType(element)
                                            : mlirTypeAttrGetValue(attr);
  if (l->wide && mloptIsFloatElement(type))
    return mlirF64TypeGet(l->b.context);
  return type;
}

static bool readsUnsigned(MloptLowering *l) {
  return !mlirAttributeIsNull(mloptAttr(l->op, "unsigned"));
}

static MlirAttribute zeroAttr(MlirType type) {
  return mloptIsFloatElement(type)
             ? mlirFloatAttrDoubleGet(mlirTypeGetContext(type), type, 0)
             : mlirIntegerAttrGet(type, 0);
}

/// Says how sums are formed, where that is not free: one after the other, or
/// in f32 to the last bit whatever a Tensor Core does; and what of them is zero
/// (fuse_zeros.c).
static void orderSums(MloptLowering *l, MlirValue sums, MlirValue sum) {
  if (l->b.failed)
    return;
  MlirAttribute unit = mlirUnitAttrGet(l->b.context);
  if (mloptGetNumerics(l->op) == MLOPT_NUMERICS_STRICT)
    mlirOperationSetDiscardableAttributeByName(mlirOpResultGetOwner(sum),
                                               mloptStr("mlopt.ordered"), unit);
  if (!mlirAttributeIsNull(mloptAttr(l->op, "mlopt.promote")))
    mlirOperationSetDiscardableAttributeByName(mlirOpResultGetOwner(sums),
                                               mloptStr("mlopt.promote"), unit);
  MlirAttribute zeros = mloptAttr(l->op, "mlopt.zeros");
  if (!mlirAttributeIsNull(zeros))
    mlirOperationSetDiscardableAttributeByName(mlirOpResultGetOwner(sum),
                                               mloptStr("mlopt.zeros"), zeros);
}

/// Adds the accumulator, of type `sums`, which starts from zero, and the body;
/// the two factors are the generic's inputs.
static MlirValue contract(MloptLowering *l, MloptGeneric *g, MlirType sums,
                          MlirAffineMap sumsMap) {
  MloptBuilder *b = &l->b;
  MlirType type = mloptElementType(sums);
  MlirValue zero = mloptBuildConstant(b, zeroAttr(type));
  mloptAddOutput(g, mloptBuildFill(b, zero, sums), sumsMap);
  mloptBeginGeneric(b, g);
  MlirValue factors[2];
  for (int i = 0; i < 2; ++i)
    factors[i] = mloptBuildConvert(&g->body, mloptGenericArg(g, i), type,
                                   readsUnsigned(l));
  MlirValue product = mloptBuildCombine(&g->body, MLOPT_KIND_MUL, l->fastmath,
                                        factors[0], factors[1]);
  MlirValue sum = mloptBuildCombine(&g->body, MLOPT_KIND_ADD, l->fastmath,
                                    mloptGenericArg(g, 2), product);
  MlirValue result = mloptEndGenericValue(b, g, sum);
  orderSums(l, result, sum);
  return result;
}

/// Brings the sums to the result's element type.
static MlirValue roundSums(MloptLowering *l, MlirValue sums) {
  return mloptBuildCast(&l->b, sums,
                        mloptElementType(mloptResultType(l->op, 0)),
                        readsUnsigned(l));
}

//===----------------------------------------------------------------------===//
// dot
//===----------------------------------------------------------------------===//

/// Gives each free dimension of an operand the next loop.
static void addFreeLoops(const MloptInts *batch, const MloptInts *contracted,
                         intptr_t rank, int64_t *loops, int64_t *next) {
  for (intptr_t i = 0; i < rank; ++i)
    if (!mloptHasInt(batch, i) && !mloptHasInt(contracted, i))
      loops[i] = (*next)++;
}

void mloptLowerDot(MloptLowering *l, MlirValue *results) {
  MlirContext context = l->b.context;
  MloptInts batch[] = {mloptGetInts(l->op, "lhs_batch"),
                       mloptGetInts(l->op, "rhs_batch")};
  MloptInts contracted[] = {mloptGetInts(l->op, "lhs_contract"),
                            mloptGetInts(l->op, "rhs_contract")};
  // Loops: batch, left free, right free (the result's order), contracted.
  int64_t loops[2][MLOPT_MAX_RANK], next = batch[0].count;
  for (int side = 0; side < 2; ++side) {
    addFreeLoops(&batch[side], &contracted[side],
                 mloptRank(mloptOperandType(l->op, side)), loops[side], &next);
    for (intptr_t i = 0; i < batch[side].count; ++i)
      loops[side][batch[side].at[i]] = i;
  }
  int64_t resultRank = next;
  MloptGeneric g = {.numLoops = resultRank + contracted[0].count};
  for (intptr_t i = 0; i < contracted[0].count; ++i) {
    g.reduction[resultRank + i] = true;
    for (int side = 0; side < 2; ++side)
      loops[side][contracted[side].at[i]] = resultRank + i;
  }
  for (int side = 0; side < 2; ++side)
    mloptAddInput(&g, l->operands[side],
                  mloptDimsMap(context, g.numLoops,
                               mloptRank(mloptOperandType(l->op, side)),
                               loops[side]));
  MlirType sums =
      mloptWithElementType(mloptResultType(l->op, 0), accumulatorOf(l));
  MlirAffineMap map = mloptPrefixMap(context, g.numLoops, resultRank);
  results[0] = roundSums(l, contract(l, &g, sums, map));
}

//===----------------------------------------------------------------------===//
// conv
//===----------------------------------------------------------------------===//

/// The type with its dimension `dim` split in (groups, size / groups).
static MlirType splitType(MlirType type, intptr_t dim, int64_t groups) {
  int64_t shape[MLOPT_MAX_SHAPE];
  intptr_t rank = mloptShape(type, shape);
  for (intptr_t i = rank; i > dim + 1; --i)
    shape[i] = shape[i - 1];
  shape[dim + 1] = shape[dim] / groups;
  shape[dim] = groups;
  return mloptTensorType(rank + 1, shape, mloptElementType(type));
}

static MlirValue splitGroups(MloptBuilder *b, MlirValue x, intptr_t dim,
                             int64_t groups) {
  if (b->failed)
    return x;
  return mloptBuildReshape(b, x, splitType(mlirValueGetType(x), dim, groups));
}

/// The input, padded with zeros at its spatial dimensions 1 ..
static MlirValue padInput(MloptLowering *l) {
  MlirType type = mloptOperandType(l->op, 0);
  MloptInts low = mloptGetInts(l->op, "low");
  MloptInts high = mloptGetInts(l->op, "high");
  MloptInts dilation = mloptGetInts(l->op, "input_dilation");
  int64_t padding[3][MLOPT_MAX_RANK] = {{0}};
  for (intptr_t i = 0; i < low.count; ++i) {
    padding[0][i + 1] = low.at[i];
    padding[1][i + 1] = high.at[i];
    padding[2][i + 1] = dilation.at[i] - 1;
  }
  MlirValue zero = mloptBuildConstant(&l->b, zeroAttr(mloptElementType(type)));
  return mloptBuildPad(&l->b, l->operands[0], zero, padding[0], padding[1],
                       padding[2]);
}

void mloptLowerConv(MloptLowering *l, MlirValue *results) {
  MlirContext context = l->b.context;
  MloptInts strides = mloptGetInts(l->op, "strides");
  MloptInts dilation = mloptGetInts(l->op, "window_dilation");
  int64_t groups = mloptGetInt(l->op, "groups");
  bool grouped = groups > 1;
  MlirType sums =
      mloptWithElementType(mloptResultType(l->op, 0), accumulatorOf(l));
  intptr_t spatial = strides.count;
  MlirValue input = padInput(l), kernel = l->operands[1];
  MlirType split = sums;
  if (grouped) {
    input = splitGroups(&l->b, input, spatial + 1, groups);
    kernel = splitGroups(&l->b, kernel, spatial + 1, groups);
    split = splitType(sums, spatial + 1, groups);
  }
  // Loops: image, output position, group, output channel; then window position
  // and input channel.
  intptr_t channel = spatial + 1 + grouped, window = channel + 1;
  MloptGeneric g = {.numLoops = window + spatial + 1};
  MlirAffineExpr d[MLOPT_MAX_LOOPS];
  for (intptr_t i = 0; i < g.numLoops; ++i) {
    d[i] = mlirAffineDimExprGet(context, i);
    g.reduction[i] = i >= window;
  }
  MlirAffineExpr from[MLOPT_MAX_SHAPE], with[MLOPT_MAX_SHAPE];
  from[0] = d[0];
  for (intptr_t i = 0; i < spatial; ++i) {
    MlirAffineExpr position = mlirAffineMulExprGet(
        d[1 + i], mlirAffineConstantExprGet(context, strides.at[i]));
    MlirAffineExpr offset = mlirAffineMulExprGet(
        d[window + i], mlirAffineConstantExprGet(context, dilation.at[i]));
    from[1 + i] = mlirAffineAddExprGet(position, offset);
    with[i] = d[window + i];
  }
  if (grouped)
    from[spatial + 1] = with[spatial + 1] = d[spatial + 1];
  from[channel] = with[spatial] = d[window + spatial];
  with[channel] = d[channel];
  mloptAddInput(&g, input,
                mlirAffineMapGet(context, g.numLoops, 0, channel + 1, from));
  mloptAddInput(&g, kernel,
                mlirAffineMapGet(context, g.numLoops, 0, channel + 1, with));
  MlirAffineMap map = mloptPrefixMap(context, g.numLoops, channel + 1);
  MlirValue sum = contract(l, &g, split, map);
  results[0] = roundSums(l, mloptBuildReshape(&l->b, sum, sums));
}
