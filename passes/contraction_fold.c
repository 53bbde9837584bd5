//===- contraction_fold.c - Reductions of what follows products -----------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum over rows or columns of what follows products goes beyond a tile, but
// falls into pieces that do not: of MLOPT_FOLD_LENGTH neighbours along m or n.
// A linalg.generic that reduces nothing but such pieces reads its operand where
// mlopt-split-reductions has cut a loop:
//
//   ins(%y) maps (d0, d1, d2) -> (d0 * 16 + d1, d2)   d1 is reduced
//   outs    maps (d0, d1, d2) -> (d0, d2)
//
//===----------------------------------------------------------------------===//

#include "contraction_impl.h"

#include "schedule.h"

/// An index of the operand: a loop, or a loop of pieces and one within them.
typedef struct Index {
  intptr_t loop, within; ///< -1: no pieces
} Index;

static bool readIndex(MlirAffineExpr expr, Index *out) {
  if (mlirAffineExprIsADim(expr)) {
    *out = (Index){mlirAffineDimExprGetPosition(expr), -1};
    return true;
  }
  if (!mlirAffineExprIsAAdd(expr))
    return false;
  MlirAffineExpr pieces = mlirAffineBinaryOpExprGetLHS(expr);
  MlirAffineExpr within = mlirAffineBinaryOpExprGetRHS(expr);
  if (!mlirAffineExprIsAMul(pieces) || !mlirAffineExprIsADim(within))
    return false;
  MlirAffineExpr loop = mlirAffineBinaryOpExprGetLHS(pieces);
  MlirAffineExpr length = mlirAffineBinaryOpExprGetRHS(pieces);
  if (!mlirAffineExprIsADim(loop) || !mlirAffineExprIsAConstant(length) ||
      mlirAffineConstantExprGetValue(length) != MLOPT_FOLD_LENGTH)
    return false;
  *out = (Index){mlirAffineDimExprGetPosition(loop),
                 mlirAffineDimExprGetPosition(within)};
  return true;
}

/// The dimension of the result that a loop is; -1 if it is reduced.
static intptr_t dimOf(MlirAffineMap result, intptr_t loop) {
  for (intptr_t d = 0, n = mlirAffineMapGetNumResults(result); d < n; ++d)
    if (loopOf(result, d) == loop)
      return d;
  return -1;
}

/// The place of pieces from that of what is reduced: without the digit within
/// them, whose axis is found. False unless that is the innermost one of m or n,
/// and nothing else is reduced.
static bool placePieces(const MloptContraction *c, MlirOperation op,
                        const MloptPlace *input, MloptFold *out) {
  MlirAffineMap map = mapOf(op, 0);
  MlirAffineMap result = mapOf(op, mlirOperationGetNumOperands(op) - 1);
  MloptPlace place = {.count = 0};
  intptr_t to[MLOPT_MAX_RANK] = {0}, found = 0;
  for (intptr_t dim = 0; dim < mlirAffineMapGetNumResults(map); ++dim) {
    Index index;
    if (!readIndex(mlirAffineMapGetResult(map, dim), &index))
      return false;
    to[dim] = dimOf(result, index.loop);
    bool isCut = index.within >= 0, isOne = true;
    if (isCut && dimOf(result, index.within) >= 0)
      return false;
    for (intptr_t i = 0; i < input->count; ++i) {
      MloptDigit digit = input->at[i];
      if (digit.dim != dim)
        continue;
      isOne = false;
      bool isLast = i + 1 == input->count || input->at[i + 1].dim != dim;
      if (isCut && isLast) {
        out->axis = c->axesOfC[digit.source];
        if (digit.size % MLOPT_FOLD_LENGTH || mloptAxisStep(c, &digit) != 1)
          return false;
        digit.size /= MLOPT_FOLD_LENGTH;
        digit.step *= MLOPT_FOLD_LENGTH;
        ++found;
      }
      if (digit.size > 1)
        place.at[place.count++] = digit;
    }
    if ((to[dim] < 0 || (isCut && isOne)) && !(isOne && !isCut))
      return false;
    to[dim] = to[dim] < 0 ? 0 : to[dim];
  }
  mloptPlacePermute(&place, mlirAffineMapGetNumResults(result), to);
  out->output.place = place;
  return found == 1 && (out->axis == MLOPT_AXIS_M || out->axis == MLOPT_AXIS_N);
}

/// Whether the body reads its first argument, and no input behind it.
static bool readsFirstAlone(MlirOperation op) {
  for (intptr_t i = 1; i < numInputs(op); ++i)
    if (!mlirOpOperandIsNull(
            mlirValueGetFirstUse(mlirBlockGetArgument(bodyOf(op), i))))
      return false;
  return numInputs(op) > 0;
}

/// Whether a store's value is such a reduction.
static bool readFold(const MloptContraction *c, MlirOperation store,
                     MloptFold *out) {
  MlirValue value = mloptOperand(store, 0);
  MlirOperation op = mloptDefiningOp(value);
  MloptCombiner combiner;
  if (!mloptIsDefinedBy(value, "linalg.generic") ||
      mlirOperationGetNumResults(op) != 1 || mloptIsParallelGeneric(op) ||
      mloptIsProduct(op) || mloptIsIrregular(op) || !readsFirstAlone(op) ||
      !mloptDescribeCombiner(op, 0, &combiner))
    return false;
  *out = (MloptFold){
      .generic = op,
      .input = {.value = mloptOperand(op, 0),
                .parameter = -1,
                .type = mloptOperandType(op, 0)},
      .output = {.value = value,
                 .parameter = mloptParameterOf(mloptOperand(store, 1)),
                 .type = mlirValueGetType(value)}};
  if (out->output.parameter < 0 ||
      !mloptFindPlaceOf(c, out->input.value, &out->input.place) ||
      !placePieces(c, op, &out->input.place, out))
    return false;
  mloptPlaceNormalize(&out->output.place);
  return true;
}

bool mloptFindFolds(MlirBlock program, MloptContraction *c) {
  for (MlirOperation op = mlirBlockGetFirstOperation(program);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    MloptFold fold;
    if (!mloptIsNamed(op, "bufferization.materialize_in_destination") ||
        !readFold(c, op, &fold))
      continue;
    if (c->numFolds == MLOPT_MAX_FOLDS)
      return false;
    c->folds[c->numFolds++] = fold;
  }
  return true;
}
