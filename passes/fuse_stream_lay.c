//===- fuse_stream_lay.c - One layout from scores to weights --------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between the scores and what they weigh, dimensions keep the order that the
// first dot gives them: a transpose in a softmax moves behind it, and the
// second dot takes its weights as the left factor. JAX writes, for one of the
// reasons,
//
//   %t = mlopt.transpose %s perm [3, 0, 1, 2, 4]
//   %e = exp(%t - broadcast (transpose (reduce max %s)))
//   %o = mlopt.dot %v, (%e / broadcast (reduce add %e))
// which becomes
//   %e = exp(%s - broadcast (reduce max %s))
//   %u = mlopt.dot (%e / broadcast (reduce add %e)), %v
//   %o = mlopt.transpose %u ...
//
//===----------------------------------------------------------------------===//

#include "fuse_stream.h"

#include "match.h"

static bool isBy(MlirValue value, const MloptOpDef *def) {
  MlirOperation op = mloptDefiningOp(value);
  return !mlirOperationIsNull(op) && mloptIsA(op, def);
}

enum { MOST_OPERANDS = 3 };

static bool isElementwise(MlirOperation op) {
  return mloptGetOpDef(op) &&
         mloptFuseGetTraits(op).access == MLOPT_ACCESS_ELEMENTWISE &&
         mlirOperationGetNumOperands(op) <= MOST_OPERANDS;
}

/// The type with its dimensions in another order.
static MlirType permuted(MlirType type, const MloptInts *perm) {
  int64_t shape[MLOPT_MAX_RANK];
  for (intptr_t i = 0; i < perm->count; ++i)
    shape[i] = mloptDim(type, perm->at[i]);
  return mloptTensorType(perm->count, shape, mloptElementType(type));
}

static MlirValue transpose(MloptBuilder *b, MlirValue value,
                           const MloptInts *perm) {
  MlirType type = permuted(mlirValueGetType(value), perm);
  MlirNamedAttribute attr =
      mloptNamedAttr(b->context, "permutation",
                     mloptI64Array(b->context, perm->count, perm->at));
  return mloptBuildValue(b, (MloptOpSpec){.name = mloptOp_transpose.name,
                                          .numOperands = 1,
                                          .operands = &value,
                                          .numResults = 1,
                                          .results = &type,
                                          .numAttrs = 1,
                                          .attrs = &attr});
}

//===----------------------------------------------------------------------===//
// Transposes behind the softmax
//===----------------------------------------------------------------------===//

/// A copy of an operation before it, of other operands and another result.
static MlirOperation copyOf(MlirOperation op, intptr_t count,
                            const MlirValue *operands, MlirType type) {
  MlirOperation copy = mlirOperationClone(op);
  for (intptr_t i = 0; i < count; ++i)
    mlirOperationSetOperand(copy, i, operands[i]);
  mlirValueSetType(mloptResult(copy, 0), type);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(op), op, copy);
  return copy;
}

/// What repeats rows, for a tensor before its transpose: dimension i of the
/// transposed one is dimension perm[i] of it.
static MlirValue repeatBefore(MloptBuilder *b, MlirOperation broadcast,
                              const MloptInts *perm, MlirType type) {
  MloptInts dims = mloptGetInts(broadcast, "dims");
  MlirValue row = mloptOperand(broadcast, 0);
  for (intptr_t i = 0; i < dims.count; ++i)
    dims.at[i] = perm->at[dims.at[i]];
  while (isBy(row, &mloptOp_transpose)) {
    MloptInts of = mloptGetInts(mloptDefiningOp(row), "permutation"),
              moved = dims;
    for (intptr_t i = 0; i < of.count; ++i)
      moved.at[of.at[i]] = dims.at[i];
    dims = moved;
    row = mloptOperand(mloptDefiningOp(row), 0);
  }
  // Dimensions of the row in rising order.
  MloptInts order = {.count = 0};
  for (int64_t d = 0; d < mloptRank(type); ++d)
    for (intptr_t i = 0; i < dims.count; ++i)
      if (dims.at[i] == d)
        order.at[order.count++] = i;
  bool rises = true;
  for (intptr_t i = 0; i < order.count; ++i)
    rises &= order.at[i] == i;
  if (!rises) {
    row = transpose(b, row, &order);
    MloptInts sorted = dims;
    for (intptr_t i = 0; i < order.count; ++i)
      sorted.at[i] = dims.at[order.at[i]];
    dims = sorted;
  }
  if (b->failed)
    return row;
  MlirOperation copy = copyOf(broadcast, 1, &row, type);
  mloptSetInts(copy, "dims", &dims);
  // Behind the row's transpose, and before what reads it.
  mlirOperationMoveBefore(copy, b->before);
  return mloptResult(copy, 0);
}

/// An operand of elementwise code before a transpose that follows the code.
static MlirValue operandBefore(MloptBuilder *b, MlirValue value,
                               const MloptInts *perm, MlirType type) {
  MlirOperation op = mloptDefiningOp(value);
  if (isBy(value, &mloptOp_broadcast))
    return repeatBefore(b, op, perm, type);
  MlirAttribute splat = isBy(value, &mloptOp_constant) ? mloptAttr(op, "value")
                                                       : mlirAttributeGetNull();
  if (!mlirAttributeIsNull(splat) && mlirAttributeIsADenseElements(splat) &&
      mlirDenseElementsAttrIsSplat(splat)) {
    MlirOperation copy = copyOf(op, 0, NULL, type);
    mlirOperationSetInherentAttributeByName(
        copy, mloptStr("value"), mlirDenseElementsAttrReshapeGet(splat, type));
    mlirOperationMoveBefore(copy, b->before);
    return mloptResult(copy, 0);
  }
  MloptInts inverse = *perm;
  for (intptr_t i = 0; i < perm->count; ++i)
    inverse.at[perm->at[i]] = i;
  return transpose(b, value, &inverse);
}

/// A copy of elementwise code of a transposed tensor, of that tensor before;
/// null when it cannot be built.
static MlirOperation elementwiseBefore(MloptBuilder *b, MlirOperation op,
                                       MlirOperation moved,
                                       const MloptInts *perm) {
  MlirValue operands[MOST_OPERANDS], before = mloptOperand(moved, 0);
  intptr_t count = mlirOperationGetNumOperands(op);
  MlirType shape = mlirValueGetType(before);
  if (count > MOST_OPERANDS)
    return (MlirOperation){NULL};
  for (intptr_t i = 0; i < count; ++i) {
    MlirValue value = mloptOperand(op, i);
    MlirType type =
        mloptWithElementType(shape, mloptElementType(mlirValueGetType(value)));
    operands[i] = mlirValueEqual(value, mloptResult(moved, 0))
                      ? before
                      : operandBefore(b, value, perm, type);
  }
  MlirType type =
      mloptWithElementType(shape, mloptElementType(mloptResultType(op, 0)));
  return b->failed ? (MlirOperation){NULL} : copyOf(op, count, operands, type);
}

static MlirOperation reduceBefore(MlirOperation op, MlirOperation moved,
                                  const MloptInts *perm, MloptInts *outPerm) {
  MloptInts dims = mloptGetInts(op, "dims"), to = {.count = 0};
  MlirValue before = mloptOperand(moved, 0);
  MlirType type = mlirValueGetType(before);
  MloptInts kept = {.count = 0}; // dimensions of `before`, in its order
  for (intptr_t i = 0; i < dims.count; ++i)
    dims.at[i] = perm->at[dims.at[i]];
  int64_t shape[MLOPT_MAX_RANK];
  for (int64_t d = 0; d < mloptRank(type); ++d) {
    if (mloptHasInt(&dims, d)) {
      to.at[to.count++] = d;
    } else {
      shape[kept.count] = mloptDim(type, d);
      kept.at[kept.count++] = d;
    }
  }
  outPerm->count = 0;
  for (intptr_t i = 0; i < perm->count; ++i)
    for (intptr_t k = 0; k < kept.count; ++k)
      if (kept.at[k] == perm->at[i])
        outPerm->at[outPerm->count++] = k;
  MlirType result = mloptTensorType(kept.count, shape,
                                    mloptElementType(mloptResultType(op, 0)));
  MlirOperation copy = copyOf(op, 1, &before, result);
  mloptSetInts(copy, "dims", &to);
  return copy;
}

/// Erases a broadcast that nothing reads any more, and transposes of its row.
static void eraseRepeat(MlirValue value) {
  while ((isBy(value, &mloptOp_broadcast) || isBy(value, &mloptOp_transpose)) &&
         mlirOpOperandIsNull(mlirValueGetFirstUse(value))) {
    MlirOperation op = mloptDefiningOp(value);
    value = mloptOperand(op, 0);
    mlirOperationDestroy(op);
  }
}

/// Puts an operation that reads a transposed tensor before the transpose;
/// whether it could, and the transpose behind it.
static bool moveBehind(MlirOperation op, MlirOperation moved,
                       MlirOperation *out) {
  MloptInts perm = mloptGetInts(moved, "permutation"), behind = perm;
  MloptBuilder b = mloptBuilderBefore(op, mlirOperationGetLocation(op));
  MlirOperation copy = {NULL};
  if (mloptIsA(op, &mloptOp_reduce) && mloptGetKind(op) != MLOPT_KIND_NONE &&
      mlirOperationGetNumOperands(op) == 1)
    copy = reduceBefore(op, moved, &perm, &behind);
  else if (isElementwise(op))
    copy = elementwiseBefore(&b, op, moved, &perm);
  if (mlirOperationIsNull(copy))
    return false;
  MlirValue result = transpose(&b, mloptResult(copy, 0), &behind);
  if (b.failed)
    return false;
  MlirValue operands[MOST_OPERANDS];
  intptr_t count = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < count; ++i)
    operands[i] = mloptOperand(op, i);
  mlirValueReplaceAllUsesOfWith(mloptResult(op, 0), result);
  mlirOperationDestroy(op);
  for (intptr_t i = 0; i < count; ++i)
    if (!mlirValueEqual(operands[i], mloptResult(moved, 0)))
      eraseRepeat(operands[i]);
  *out = mlirOpResultGetOwner(result);
  return true;
}

/// A user of a transposed tensor, the first reduction if it has one, of those
/// that may stand before it; null if there is none left.
static bool moveOne(MlirOperation moved, MlirOperation *out) {
  for (int others = 0; others < 2; ++others)
    for (MlirOpOperand use = mlirValueGetFirstUse(mloptResult(moved, 0));
         !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
      MlirOperation op = mlirOpOperandGetOwner(use);
      if (mloptIsA(op, &mloptOp_reduce) == !others &&
          moveBehind(op, moved, out))
        return true;
    }
  return false;
}

/// Moves a transpose, and those that come of it, behind all that may stand
/// before them.
static void moveAll(MlirOperation moved) {
  MlirOperation next;
  while (moveOne(moved, &next))
    moveAll(next);
  if (mlirOpOperandIsNull(mlirValueGetFirstUse(mloptResult(moved, 0))))
    mlirOperationDestroy(moved);
}

/// Whether a value is elementwise code of a dot, or one. `*budget`: operations
/// that may be looked at.
static bool isOfDot(MlirValue value, int *budget) {
  MlirOperation op = mloptDefiningOp(value);
  if (mlirOperationIsNull(op) || --*budget < 0)
    return false;
  bool isOf = mloptIsA(op, &mloptOp_dot);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op);
       i < n && !isOf && isElementwise(op); ++i)
    isOf = isOfDot(mloptOperand(op, i), budget);
  return isOf;
}

/// A transpose between elementwise code of a dot and this value, which is such
/// code too; null if there is none. Those of masks stay. `*budget`: operations
/// that may be looked at.
static MlirOperation findTransposed(MlirValue value, int *budget) {
  const MlirOperation none = {NULL};
  MlirOperation op = mloptDefiningOp(value);
  if (mlirOperationIsNull(op) || --*budget < 0)
    return none;
  if (mloptIsA(op, &mloptOp_transpose))
    return isOfDot(mloptOperand(op, 0), budget) ? op : none;
  MlirOperation found = none;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op);
       i < n && mlirOperationIsNull(found) && isElementwise(op); ++i)
    found = findTransposed(mloptOperand(op, i), budget);
  return found;
}

/// The scores' transpose in front of exponentials of differences with rows;
/// null if there is none.
static MlirOperation findInSoftmax(MlirOperation exp) {
  enum { MOST_LOOKS = 64 };
  int budget = MOST_LOOKS;
  if (!mloptIsA(exp, &mloptOp_exp) || !isBy(mloptOperand(exp, 0), &mloptOp_sub))
    return (MlirOperation){NULL};
  MlirOperation sub = mloptDefiningOp(mloptOperand(exp, 0));
  return isBy(mloptOperand(sub, 1), &mloptOp_broadcast)
             ? findTransposed(mloptOperand(sub, 0), &budget)
             : (MlirOperation){NULL};
}

//===----------------------------------------------------------------------===//
// Weights on the left
//===----------------------------------------------------------------------===//

static const char *const batchOf[] = {"lhs_batch", "rhs_batch"};
static const char *const contractOf[] = {"lhs_contract", "rhs_contract"};

/// The dimensions of a factor that are neither batches nor summed.
static MloptInts freeOf(MlirOperation dot, intptr_t side, intptr_t rank) {
  MloptInts batch = mloptGetInts(dot, batchOf[side]);
  MloptInts contract = mloptGetInts(dot, contractOf[side]);
  MloptInts free = {.count = 0};
  for (int64_t d = 0; d < rank; ++d)
    if (!mloptHasInt(&batch, d) && !mloptHasInt(&contract, d))
      free.at[free.count++] = d;
  return free;
}

static intptr_t placeIn(const MloptInts *ints, int64_t value) {
  intptr_t i = 0;
  while (i < ints->count && ints->at[i] != value)
    ++i;
  return i;
}

/// The dot of the weights before their transposes, on the left; its result is
/// transposed to what it was.
static MlirOperation turn(MlirOperation dot, intptr_t side, MlirValue weights,
                          const MloptInts *perm) {
  MloptInts free[2];
  for (intptr_t i = 0; i < 2; ++i)
    free[i] = freeOf(dot, i, mloptRank(mloptOperandType(dot, i)));
  MloptInts batch = mloptFuseUnpermute(perm, mloptGetInts(dot, batchOf[side]));
  MloptInts contract =
      mloptFuseUnpermute(perm, mloptGetInts(dot, contractOf[side]));
  MloptInts otherBatch = mloptGetInts(dot, batchOf[1 - side]);
  MloptInts otherContract = mloptGetInts(dot, contractOf[1 - side]);
  MloptInts rows = mloptFuseUnpermute(perm, free[side]), sorted = {.count = 0};
  for (int64_t d = 0; d < perm->count; ++d)
    if (mloptHasInt(&rows, d))
      sorted.at[sorted.count++] = d;
  // The result's dimensions now, by those it had.
  MloptInts back = {.count = 0};
  intptr_t numBatch = batch.count;
  for (intptr_t i = 0; i < numBatch; ++i)
    back.at[back.count++] = i;
  for (intptr_t s = 0; s < 2; ++s)
    for (intptr_t i = 0; i < free[s].count; ++i)
      back.at[back.count++] = s == side
                                  ? numBatch + placeIn(&sorted, rows.at[i])
                                  : numBatch + sorted.count + i;
  MlirType old = mloptResultType(dot, 0);
  int64_t shape[MLOPT_MAX_RANK];
  for (intptr_t i = 0; i < back.count; ++i)
    shape[back.at[i]] = mloptDim(old, i);
  MlirValue factors[] = {weights, mloptOperand(dot, 1 - side)};
  MlirOperation turned =
      copyOf(dot, 2, factors,
             mloptTensorType(back.count, shape, mloptElementType(old)));
  mloptSetInts(turned, batchOf[0], &batch);
  mloptSetInts(turned, contractOf[0], &contract);
  mloptSetInts(turned, batchOf[1], &otherBatch);
  mloptSetInts(turned, contractOf[1], &otherContract);
  MloptBuilder b = mloptBuilderBefore(dot, mlirOperationGetLocation(dot));
  MlirValue result = transpose(&b, mloptResult(turned, 0), &back);
  if (b.failed)
    return dot;
  MlirValue transposed = mloptOperand(dot, side);
  mlirValueReplaceAllUsesOfWith(mloptResult(dot, 0), result);
  mlirOperationDestroy(dot);
  eraseRepeat(transposed);
  return turned;
}

/// Takes weights as the left factor of a dot, as they lie before transposes.
static MlirOperation turnDot(MlirOperation dot) {
  for (intptr_t side = 0; side < 2; ++side) {
    MlirValue weights = mloptOperand(dot, side);
    MloptInts perm = {.count = mloptRank(mlirValueGetType(weights))};
    for (intptr_t i = 0; i < perm.count; ++i)
      perm.at[i] = i;
    bool isMoved = side == 1;
    while (isBy(weights, &mloptOp_transpose)) {
      MloptInts of = mloptGetInts(mloptDefiningOp(weights), "permutation");
      perm = mloptFuseUnpermute(&of, perm);
      weights = mloptOperand(mloptDefiningOp(weights), 0);
      isMoved = true;
    }
    if (mloptFuseAreWeights(weights))
      return isMoved ? turn(dot, side, weights, &perm) : dot;
  }
  return dot;
}

void mloptFuseLayStreams(MlirBlock block) {
  enum { MOST_MOVES = 256 };
  MlirOperation next;
  int moves = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    MlirOperation moved = findInSoftmax(op);
    if (!mlirOperationIsNull(moved) && moves++ < MOST_MOVES) {
      // What comes next may be gone then.
      moveAll(moved);
      next = mlirBlockGetFirstOperation(block);
    }
  }
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (mloptIsA(op, &mloptOp_dot))
      op = turnDot(op);
}
