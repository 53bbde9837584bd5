//===- to_linalg_layout.c - Creation, layout and bit casts ----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What only moves elements: a linalg.generic whose input map says where each
// result element comes from, or tensor operations on slices.
//
//===----------------------------------------------------------------------===//

#include "to_linalg.h"

void mloptLowerConstant(MloptLowering *l, MlirValue *results) {
  results[0] = mloptBuildConstant(&l->b, mloptAttr(l->op, "value"));
}

void mloptLowerIota(MloptLowering *l, MlirValue *results) {
  MlirType type = mloptResultType(l->op, 0);
  MloptGeneric g = {.numLoops = mloptRank(type)};
  mloptAddOutput(&g, mloptBuildEmpty(&l->b, type),
                 mloptIdentityMap(l->b.context, g.numLoops));
  mloptBeginGeneric(&l->b, &g);
  MlirValue index = mloptBuildLoopIndex(&g.body, mloptGetInt(l->op, "dim"));
  MlirValue value =
      mloptBuildConvert(&g.body, index, mloptElementType(type), false);
  results[0] = mloptEndGenericValue(&l->b, &g, value);
}

void mloptLowerBroadcast(MloptLowering *l, MlirValue *results) {
  MlirType operand = mloptOperandType(l->op, 0);
  MlirType result = mloptResultType(l->op, 0);
  MloptInts dims = mloptGetInts(l->op, "dims");
  for (intptr_t i = 0; i < dims.count; ++i)
    if (mloptDim(operand, i) == 1)
      dims.at[i] = -1;
  results[0] = mloptBuildMapped(
      &l->b, l->operands[0],
      mloptDimsMap(l->b.context, mloptRank(result), dims.count, dims.at),
      result);
}

void mloptLowerReshape(MloptLowering *l, MlirValue *results) {
  results[0] =
      mloptBuildReshape(&l->b, l->operands[0], mloptResultType(l->op, 0));
}

void mloptLowerTranspose(MloptLowering *l, MlirValue *results) {
  // Result dimension i is operand dimension at[i]; the map wants the inverse.
  MloptInts permutation = mloptGetInts(l->op, "permutation");
  int64_t inverse[MLOPT_MAX_RANK];
  for (intptr_t i = 0; i < permutation.count; ++i)
    inverse[permutation.at[i]] = i;
  results[0] = mloptBuildMapped(
      &l->b, l->operands[0],
      mloptDimsMap(l->b.context, permutation.count, permutation.count, inverse),
      mloptResultType(l->op, 0));
}

void mloptLowerReverse(MloptLowering *l, MlirValue *results) {
  MlirContext context = l->b.context;
  MlirType type = mloptResultType(l->op, 0);
  MloptInts dims = mloptGetInts(l->op, "dims");
  MlirAffineExpr exprs[MLOPT_MAX_RANK];
  intptr_t rank = mloptRank(type);
  for (intptr_t i = 0; i < rank; ++i) {
    exprs[i] = mlirAffineDimExprGet(context, i);
    if (mloptHasInt(&dims, i)) // size - 1 - d
      exprs[i] = mlirAffineAddExprGet(
          mlirAffineMulExprGet(exprs[i],
                               mlirAffineConstantExprGet(context, -1)),
          mlirAffineConstantExprGet(context, mloptDim(type, i) - 1));
  }
  results[0] =
      mloptBuildMapped(&l->b, l->operands[0],
                       mlirAffineMapGet(context, rank, 0, rank, exprs), type);
}

void mloptLowerSlice(MloptLowering *l, MlirValue *results) {
  MlirType result = mloptResultType(l->op, 0);
  MloptInts starts = mloptGetInts(l->op, "starts");
  MloptInts strides = mloptGetInts(l->op, "strides");
  MloptSlice slice = mloptWholeSlice(result); // its sizes are the result's
  for (intptr_t i = 0; i < slice.rank; ++i) {
    slice.offsets[i] = starts.at[i];
    slice.strides[i] = strides.at[i];
  }
  results[0] = mloptBuildExtractSlice(&l->b, l->operands[0], &slice, result);
}

void mloptLowerPad(MloptLowering *l, MlirValue *results) {
  MlirValue scalar = mloptBuildExtract(&l->b, l->operands[1], 0, NULL);
  results[0] = mloptBuildPad(
      &l->b, l->operands[0], scalar, mloptGetInts(l->op, "low").at,
      mloptGetInts(l->op, "high").at, mloptGetInts(l->op, "interior").at);
}

void mloptLowerConcat(MloptLowering *l, MlirValue *results) {
  int64_t dim = mloptGetInt(l->op, "dim"), offset = 0;
  results[0] = mloptBuildEmpty(&l->b, mloptResultType(l->op, 0));
  for (intptr_t i = 0; i < l->numOperands; ++i) {
    MloptSlice slice = mloptWholeSlice(mloptOperandType(l->op, i));
    slice.offsets[dim] = offset;
    offset += slice.sizes[dim];
    if (slice.sizes[dim] > 0)
      results[0] =
          mloptBuildInsertSlice(&l->b, l->operands[i], results[0], &slice);
  }
}

//===----------------------------------------------------------------------===//
// Bit casts
//===----------------------------------------------------------------------===//

static MlirValue castBits(MloptBuilder *b, MlirValue x, MlirType to) {
  if (b->failed || mlirTypeEqual(mlirValueGetType(x), to))
    return x;
  return mloptBuildUnary(b, "arith.bitcast", x, to);
}

/// Of equal widths, element by element.
static MlirValue castElements(MloptBuilder *b, MlirValue x, MlirType element) {
  if (b->failed)
    return x;
  MlirType type = mlirValueGetType(x);
  if (mlirTypeEqual(mloptElementType(type), element))
    return x;
  MloptGeneric g = {.numLoops = mloptRank(type)};
  MlirAffineMap identity = mloptIdentityMap(b->context, g.numLoops);
  mloptAddInput(&g, x, identity);
  mloptAddOutput(&g, mloptBuildEmpty(b, mloptWithElementType(type, element)),
                 identity);
  mloptBeginGeneric(b, &g);
  MlirValue cast = castBits(&g.body, mloptGenericArg(&g, 0), element);
  return mloptEndGenericValue(b, &g, cast);
}

/// Where part `loop` of a wide element starts, in bits, as an integer `type`.
static MlirValue partShift(MloptBuilder *b, int64_t loop, unsigned partWidth,
                           MlirType type) {
  MlirValue part =
      mloptBuildConvert(b, mloptBuildLoopIndex(b, loop), type, true);
  return mloptBuildBinary(b, "arith.muli", part,
                          mloptBuildInt(b, type, partWidth));
}

/// Each element becomes several, along a new last dimension, lowest bits first.
static MlirValue splitElements(MloptBuilder *b, MlirValue x, MlirType result) {
  intptr_t rank = mloptRank(result);
  unsigned width = mloptElementWidth(mloptElementType(result));
  MloptGeneric g = {.numLoops = rank};
  mloptAddInput(&g, x, mloptPrefixMap(b->context, rank, rank - 1));
  mloptAddOutput(&g, mloptBuildEmpty(b, result),
                 mloptIdentityMap(b->context, rank));
  mloptBeginGeneric(b, &g);
  MlirValue bits = mloptBuildToBits(&g.body, mloptGenericArg(&g, 0));
  MlirValue shift = partShift(&g.body, rank - 1, width, mlirValueGetType(bits));
  MlirValue low = mloptBuildBinary(&g.body, "arith.shrui", bits, shift);
  MlirValue part = mloptBuildConvert(
      &g.body, low, mlirIntegerTypeGet(b->context, width), true);
  return mloptEndGenericValue(
      b, &g, castBits(&g.body, part, mloptElementType(result)));
}

/// The elements along the last dimension become one, lowest bits first.
static MlirValue joinElements(MloptBuilder *b, MlirValue x, MlirType result) {
  MlirType type = mlirValueGetType(x);
  intptr_t rank = mloptRank(type);
  unsigned width = mloptElementWidth(mloptElementType(type));
  MlirType wide = mlirIntegerTypeGet(
      b->context, mloptElementWidth(mloptElementType(result)));
  MloptGeneric g = {.numLoops = rank};
  g.reduction[rank - 1] = true;
  mloptAddInput(&g, x, mloptIdentityMap(b->context, rank));
  mloptAddOutput(&g,
                 mloptBuildFill(b, mloptBuildInt(b, wide, 0),
                                mloptWithElementType(result, wide)),
                 mloptPrefixMap(b->context, rank, rank - 1));
  mloptBeginGeneric(b, &g);
  MlirValue bits = mloptBuildToBits(&g.body, mloptGenericArg(&g, 0));
  MlirValue part = mloptBuildBinary(
      &g.body, "arith.shli", mloptBuildConvert(&g.body, bits, wide, true),
      partShift(&g.body, rank - 1, width, wide));
  MlirValue joined =
      mloptBuildBinary(&g.body, "arith.ori", mloptGenericArg(&g, 1), part);
  return castElements(b, mloptEndGenericValue(b, &g, joined),
                      mloptElementType(result));
}

void mloptLowerBitcast(MloptLowering *l, MlirValue *results) {
  MlirType result = mloptResultType(l->op, 0);
  MlirType element = mloptElementType(result);
  unsigned from =
      mloptElementWidth(mloptElementType(mloptOperandType(l->op, 0)));
  unsigned to = mloptElementWidth(element);
  if (!mlirTypeIsARankedTensor(result))
    results[0] = castBits(&l->b, l->operands[0], element);
  else if (from > to)
    results[0] = splitElements(&l->b, l->operands[0], result);
  else if (from < to)
    results[0] = joinElements(&l->b, l->operands[0], result);
  else
    results[0] = castElements(&l->b, l->operands[0], element);
}
