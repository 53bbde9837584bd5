//===- fuse_prepare.c - One spelling for what fuses -----------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before fusion, what computes the same is written the same:
//
// - A broadcast, transpose or reduction that keeps the row-major order is a
//   reshape; of what +0.0 is added to, where floats are summed.
// - A dot reads a transposed factor as it lies, and gives its transposed by
//   swapping the factors. For wgmma, one in f32 becomes one in bf16
//   (fuse_split.c), and factors lie as it takes them (fuse_factors.c).
// - A splat constant stands in the block that uses it.
//
//   %t = mlopt.transpose %w perm [1, 0] : tensor<16x8xf32> -> tensor<8x16xf32>
//   %r = mlopt.dot %x, %t contract [1] x [0]
// becomes
//   %r = mlopt.dot %x, %w contract [1] x [1]
//
//===----------------------------------------------------------------------===//

#include "fold.h"
#include "fuse.h"
#include "fuse_stream.h"
#include "match.h"

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// Whether a broadcast only adds or moves no element: dimensions of size 1.
static bool keepsOrder(MlirOperation op, const char *attr) {
  MlirType from = mloptOperandType(op, 0), to = mloptResultType(op, 0);
  if (mloptNumElements(from) != mloptNumElements(to) ||
      mloptNumElements(to) == 0)
    return false;
  MloptInts dims = mloptGetInts(op, attr);
  MlirType sized = mloptStrEq(mloptStr(attr), "dims") ? from : to;
  int64_t last = -1;
  for (intptr_t i = 0; i < dims.count; ++i) {
    if (mloptDim(sized, i) == 1)
      continue;
    if (dims.at[i] < last)
      return false;
    last = dims.at[i];
  }
  return true;
}

/// A reduction of one element each by a kind.
static bool reducesNothing(MlirOperation op) {
  MlirType type = mloptOperandType(op, 0);
  return mloptGetKind(op) != MLOPT_KIND_NONE && mloptNumElements(type) != 0 &&
         mloptNumElements(type) == mloptNumElements(mloptResultType(op, 0));
}

/// Whether that adds the element to +0.0, which makes another zero of -0.0.
static bool addsZero(MlirOperation op) {
  return mloptIsA(op, &mloptOp_reduce) && mloptGetKind(op) == MLOPT_KIND_ADD &&
         mloptIsFloatElement(mloptElementType(mloptOperandType(op, 0)));
}

static bool isView(MlirOperation op) {
  if (mlirOperationGetNumOperands(op) != 1 ||
      mlirOperationGetNumResults(op) != 1 ||
      !mloptIsStatic(mloptOperandType(op, 0)) ||
      !mloptIsStatic(mloptResultType(op, 0)))
    return false;
  if (mloptIsA(op, &mloptOp_broadcast))
    return keepsOrder(op, "dims");
  if (mloptIsA(op, &mloptOp_transpose))
    return keepsOrder(op, "permutation");
  return mloptIsA(op, &mloptOp_reduce) && reducesNothing(op);
}

MlirValue mloptFuseSplat(MloptBuilder *b, MlirType type, uint64_t bits) {
  MlirNamedAttribute value =
      mloptNamedAttr(b->context, "value", mloptSplatAttr(type, bits));
  return mloptBuildValue(b, (MloptOpSpec){.name = mloptOp_constant.name,
                                          .numResults = 1,
                                          .results = &type,
                                          .numAttrs = 1,
                                          .attrs = &value});
}

MlirValue mloptFuseBinary(MloptBuilder *b, const MloptOpDef *def, MlirValue x,
                          MlirValue y, MlirOperation like) {
  MlirType type = mlirValueGetType(x);
  MlirValue operands[] = {x, y};
  MlirNamedAttribute mode =
      mloptNamedAttr(b->context, "numerics", mloptAttr(like, "numerics"));
  return mloptBuildValue(
      b, (MloptOpSpec){.name = def->name,
                       .numOperands = 2,
                       .operands = operands,
                       .numResults = 1,
                       .results = &type,
                       .numAttrs = !mlirAttributeIsNull(mode.attribute),
                       .attrs = &mode});
}

/// Its operand and +0.0.
static MlirValue plusZero(MloptBuilder *b, MlirOperation op) {
  MlirValue x = mloptOperand(op, 0);
  return mloptFuseBinary(b, &mloptOp_add, x,
                         mloptFuseSplat(b, mlirValueGetType(x), 0), op);
}

/// Writes what keeps the row-major order as a reshape.
static void rewriteViews(MlirBlock block) {
  MlirOperation next;
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (!mloptGetOpDef(op) || !isView(op))
      continue;
    MloptBuilder b = mloptBuilderBefore(op, mlirOperationGetLocation(op));
    MlirValue view =
        mloptBuildUnary(&b, mloptOp_reshape.name,
                        addsZero(op) ? plusZero(&b, op) : mloptOperand(op, 0),
                        mloptResultType(op, 0));
    if (b.failed)
      continue;
    mlirValueReplaceAllUsesOfWith(mloptResult(op, 0), view);
    mlirOperationDestroy(op);
  }
}

//===----------------------------------------------------------------------===//
// Dots
//===----------------------------------------------------------------------===//

static const char *const batchOf[] = {"lhs_batch", "rhs_batch"};
static const char *const contractOf[] = {"lhs_contract", "rhs_contract"};

bool mloptFuseSumsInF32(MlirOperation dot) {
  MlirAttribute accumulate = mloptAttr(dot, "accumulate");
  return mlirAttributeIsNull(accumulate) ||
         mlirTypeIsAF32(mlirTypeAttrGetValue(accumulate));
}

int64_t mloptFuseSizeOf(MlirType type, const MloptInts *dims) {
  int64_t count = 1;
  for (intptr_t i = 0; i < dims->count; ++i)
    count *= mloptDim(type, dims->at[i]);
  return count;
}

MloptInts mloptFuseUnpermute(const MloptInts *perm, MloptInts dims) {
  for (intptr_t i = 0; i < dims.count; ++i)
    dims.at[i] = perm->at[dims.at[i]];
  return dims;
}

bool mloptFuseAreTogether(MlirType type, const MloptInts *dims) {
  int64_t last = -1;
  for (intptr_t i = 0; i < dims->count; ++i) {
    if (mloptDim(type, dims->at[i]) == 1)
      continue;
    for (int64_t d = last + 1; last >= 0 && d < dims->at[i]; ++d)
      if (mloptDim(type, d) != 1)
        return false;
    if (dims->at[i] < last)
      return false;
    last = dims->at[i];
  }
  return true;
}

/// Whether a dot may read a tensor in place of its transposed: its free
/// dimensions keep their order, and those of each axis lie next to each other,
/// as the emitters of contractions want them.
static bool isReadable(MlirType type, const MloptInts *perm,
                       const MloptInts *batch, const MloptInts *contract) {
  MloptInts free = {.count = 0};
  for (intptr_t i = 0; i < perm->count; ++i)
    if (!mloptHasInt(batch, perm->at[i]) && !mloptHasInt(contract, perm->at[i]))
      free.at[free.count++] = perm->at[i];
  for (intptr_t i = 1; i < free.count; ++i)
    if (free.at[i] < free.at[i - 1])
      return false;
  return mloptFuseAreTogether(type, &free) &&
         mloptFuseAreTogether(type, batch) &&
         mloptFuseAreTogether(type, contract);
}

/// Contracting another dimension adds the same products in the same order.
static void readTransposed(MlirOperation dot, intptr_t side) {
  MlirOperation transpose =
      mloptDefinedBy(mloptOperand(dot, side), &mloptOp_transpose, dot);
  if (mlirOperationIsNull(transpose))
    return;
  MloptInts perm = mloptGetInts(transpose, "permutation");
  MloptInts batch = mloptFuseUnpermute(&perm, mloptGetInts(dot, batchOf[side]));
  MloptInts contract =
      mloptFuseUnpermute(&perm, mloptGetInts(dot, contractOf[side]));
  if (!isReadable(mloptOperandType(transpose, 0), &perm, &batch, &contract))
    return;
  mloptSetInts(dot, batchOf[side], &batch);
  mloptSetInts(dot, contractOf[side], &contract);
  mlirOperationSetOperand(dot, side, mloptOperand(transpose, 0));
}

/// The dot's one reader, if it transposes the product's rows and columns; null
/// otherwise.
static MlirOperation swapsProduct(MlirOperation dot) {
  const MlirOperation none = {NULL};
  MlirOpOperand use = mlirValueGetFirstUse(mloptResult(dot, 0));
  if (mlirOpOperandIsNull(use) ||
      !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)))
    return none;
  MlirOperation reader = mlirOpOperandGetOwner(use);
  if (!mloptIsA(reader, &mloptOp_transpose))
    return none;
  MloptInts perm = mloptGetInts(reader, "permutation");
  intptr_t numBatch = mloptGetInts(dot, batchOf[0]).count;
  intptr_t numContract = mloptGetInts(dot, contractOf[0]).count;
  intptr_t numRows =
      mloptRank(mloptOperandType(dot, 0)) - numBatch - numContract;
  intptr_t numColumns = perm.count - numBatch - numRows;
  for (intptr_t i = 0; i < perm.count; ++i) {
    intptr_t from = i < numBatch                ? i
                    : i < numBatch + numColumns ? i + numRows
                                                : i - numColumns;
    if (perm.at[i] != from)
      return none;
  }
  return reader;
}

/// Computes the transposed product in the product's place: its factors swapped,
/// the same products and sums. Returns the dot there is now.
static MlirOperation swapFactors(MlirOperation dot) {
  MlirOperation transpose = swapsProduct(dot);
  if (mlirOperationIsNull(transpose))
    return dot;
  MlirOperation swapped = mlirOperationClone(dot);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(dot), dot, swapped);
  mlirValueSetType(mloptResult(swapped, 0), mloptResultType(transpose, 0));
  for (intptr_t side = 0; side < 2; ++side) {
    MloptInts batch = mloptGetInts(dot, batchOf[1 - side]);
    MloptInts contract = mloptGetInts(dot, contractOf[1 - side]);
    mloptSetInts(swapped, batchOf[side], &batch);
    mloptSetInts(swapped, contractOf[side], &contract);
    mlirOperationSetOperand(swapped, side, mloptOperand(dot, 1 - side));
  }
  mlirValueReplaceAllUsesOfWith(mloptResult(transpose, 0),
                                mloptResult(swapped, 0));
  mlirOperationDestroy(transpose);
  mlirOperationDestroy(dot);
  return swapped;
}

static void rewriteDots(MlirBlock block) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!mloptIsA(op, &mloptOp_dot))
      continue;
    for (intptr_t side = 0; side < 2; ++side)
      readTransposed(op, side);
    // Weights of a softmax stay on the left (fuse_stream_lay.c).
    if (!mloptFuseAreWeights(mloptOperand(op, 0)))
      op = swapFactors(op);
    mloptFuseMarkZeros(op);
  }
}

/// Dots as wgmma takes them. Those of a softmax between two are one kernel,
/// whose factors fit as they are.
static void rewriteForWgmma(MlirBlock block) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!mloptIsA(op, &mloptOp_dot))
      continue;
    MlirOperation streams = mloptFuseDelayScale(op);
    if (mlirOperationIsNull(streams)) {
      mloptFuseSplitDot(op);
      mloptFuseLayFactors(op);
    } else {
      op = streams;
    }
  }
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Copies splat constants to the blocks that use them, so that no kernel reads
/// them from memory.
static void sinkConstants(MlirBlock block) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!mloptIsA(op, &mloptOp_constant))
      continue;
    MlirOpOperand next;
    for (MlirOpOperand use = mlirValueGetFirstUse(mloptResult(op, 0));
         !mlirOpOperandIsNull(use); use = next) {
      next = mlirOpOperandGetNextUse(use);
      MlirOperation user = mlirOpOperandGetOwner(use);
      MlirBlock inner = mlirOperationGetBlock(user);
      if (mlirBlockEqual(inner, block))
        continue;
      MlirOperation copy = mlirOperationClone(op);
      mlirBlockInsertOwnedOperationBefore(inner, user, copy);
      mlirOperationSetOperand(user, mlirOpOperandGetOperandNumber(use),
                              mloptResult(copy, 0));
    }
  }
}

bool mloptFusePrepare(MlirBlock block, bool wgmma) {
  sinkConstants(block);
  if (wgmma)
    mloptFuseLayStreams(block);
  rewriteViews(block);
  rewriteDots(block);
  if (wgmma)
    rewriteForWgmma(block);
  return !wgmma || mloptFuseCutDepth(block);
}
