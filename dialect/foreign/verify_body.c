//===- verify_body.c - Operations with bodies -----------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each region is one block that takes and returns what its operation hands it
// and expects back.
//
//===----------------------------------------------------------------------===//

#include "tables.h"

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// The region's only block, ended by a return; null after an error.
static MlirBlock getBody(MlirOperation op, intptr_t region) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, region));
  if (mlirBlockIsNull(block)) {
    mloptOpError(op, "region %ld is empty", (long)region);
    return block;
  }
  MlirOperation last = mlirBlockGetTerminator(block);
  if (mlirOperationIsNull(last) || !mloptIsNamed(last, "stablehlo.return")) {
    mloptOpError(op, "region %ld must end in stablehlo.return", (long)region);
    block.ptr = NULL;
  }
  return block;
}

static MlirLogicalResult checkArgumentCount(MlirOperation op, MlirBlock block,
                                            intptr_t region, intptr_t n) {
  intptr_t found = mlirBlockGetNumArguments(block);
  return found == n ? mloptSuccess()
                    : mloptOpError(op,
                                   "region %ld has %ld arguments, but "
                                   "needs %ld",
                                   (long)region, (long)found, (long)n);
}

static MlirLogicalResult checkReturnCount(MlirOperation op, MlirBlock block,
                                          intptr_t region, intptr_t n) {
  intptr_t found = mlirOperationGetNumOperands(mlirBlockGetTerminator(block));
  return found == n ? mloptSuccess()
                    : mloptOpError(op,
                                   "region %ld returns %ld values, but "
                                   "needs %ld",
                                   (long)region, (long)found, (long)n);
}

static MlirType getArgument(MlirBlock block, intptr_t i) {
  return mlirValueGetType(mlirBlockGetArgument(block, i));
}

static bool isScalarTensor(MlirType type) {
  return mlirTypeIsARankedTensor(type) && mloptRank(type) == 0;
}

MlirLogicalResult mloptForeignCheckBody(MlirOperation op, intptr_t region,
                                        intptr_t numArgs, intptr_t numResults) {
  MlirBlock block = getBody(op, region);
  if (mlirBlockIsNull(block) ||
      mloptFailed(checkArgumentCount(op, block, region, numArgs)) ||
      mloptFailed(checkReturnCount(op, block, region, numResults)))
    return mloptFailure();
  MlirOperation last = mlirBlockGetTerminator(block);
  for (intptr_t i = 0; i < numArgs; ++i)
    if (!isScalarTensor(getArgument(block, i)))
      return mloptOpError(op,
                          "argument %ld of region %ld must be a scalar "
                          "tensor",
                          (long)i, (long)region);
  for (intptr_t i = 0; i < numResults; ++i)
    if (!isScalarTensor(mloptOperandType(last, i)))
      return mloptOpError(op,
                          "value %ld that region %ld returns must be a "
                          "scalar tensor",
                          (long)i, (long)region);
  return mloptSuccess();
}

/// Whether elements of `from` may be reduced as elements of `to`: the same kind
/// of number, not narrower.
static bool isPromotable(MlirType from, MlirType to) {
  from = mloptElementType(from);
  to = mloptElementType(to);
  if (mloptForeignSameElement(from, to))
    return true;
  if (mlirTypeIsAInteger(from) && mlirTypeIsAInteger(to))
    return mlirIntegerTypeIsUnsigned(from) == mlirIntegerTypeIsUnsigned(to) &&
           mlirIntegerTypeGetWidth(from) <= mlirIntegerTypeGetWidth(to);
  return mlirTypeIsAFloat(from) && mlirTypeIsAFloat(to) &&
         mlirFloatTypeGetWidth(from) <= mlirFloatTypeGetWidth(to);
}

MlirLogicalResult mloptForeignCheckReducer(MlirOperation op, intptr_t region,
                                           intptr_t n, intptr_t first,
                                           intptr_t second) {
  if (mloptFailed(mloptForeignCheckBody(op, region, 2 * n, n)))
    return mloptFailure();
  MlirBlock block = getBody(op, region);
  MlirOperation last = mlirBlockGetTerminator(block);
  for (intptr_t i = 0; i < n; ++i) {
    MlirType type = mloptResultType(op, i);
    if (!mloptForeignSameElement(getArgument(block, i), type) ||
        !mloptForeignSameElement(getArgument(block, n + i), type) ||
        !mloptForeignSameElement(mloptOperandType(last, i), type))
      return mloptOpError(op,
                          "region %ld combines other elements than result "
                          "%ld has",
                          (long)region, (long)i);
    if (!isPromotable(mloptOperandType(op, first + i), type) ||
        !isPromotable(mloptOperandType(op, second + i), type))
      return mloptOpError(op,
                          "the elements that result %ld combines cannot "
                          "hold those of its operands",
                          (long)i);
  }
  return mloptSuccess();
}

/// Argument `i * stride + k`, k < stride, has the elements of operand i; the
/// value returned has those of `returned`.
static MlirLogicalResult checkElements(MlirOperation op, intptr_t region,
                                       intptr_t n, intptr_t stride,
                                       MlirType returned) {
  if (mloptFailed(mloptForeignCheckBody(op, region, n * stride, 1)))
    return mloptFailure();
  MlirBlock block = getBody(op, region);
  for (intptr_t i = 0; i < n * stride; ++i)
    if (!mloptForeignSameElement(getArgument(block, i),
                                 mloptOperandType(op, i / stride)))
      return mloptOpError(op,
                          "argument %ld of region %ld has other elements "
                          "than operand %ld",
                          (long)i, (long)region, (long)(i / stride));
  return mloptForeignSameElement(
             mloptOperandType(mlirBlockGetTerminator(block), 0), returned)
             ? mloptSuccess()
             : mloptOpError(op, "region %ld returns a value of the wrong type",
                            (long)region);
}

static MlirType getI1(MlirOperation op) {
  return mlirIntegerTypeGet(mlirOperationGetContext(op), 1);
}

/// The region returns values of the operation's result types.
static MlirLogicalResult checkReturnsResults(MlirOperation op, MlirBlock block,
                                             intptr_t region) {
  intptr_t n = mlirOperationGetNumResults(op);
  if (mloptFailed(checkReturnCount(op, block, region, n)))
    return mloptFailure();
  MlirOperation last = mlirBlockGetTerminator(block);
  for (intptr_t i = 0; i < n; ++i) {
    MlirType found = mloptOperandType(last, i);
    MlirType result = mloptResultType(op, i);
    if (mloptForeignSameType(found, result))
      continue;
    return mloptOpError(op, "region %ld returns another type than result %ld",
                        (long)region, (long)i);
  }
  return mloptSuccess();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

MlirLogicalResult mloptForeignVerifyBranches(MlirOperation op) {
  intptr_t n = mlirOperationGetNumRegions(op);
  if (!isScalarTensor(mloptOperandType(op, 0)))
    return mloptOpError(op, "the operand must be a scalar tensor");
  if (!n)
    return mloptOpError(op, "needs a branch");
  for (intptr_t i = 0; i < n; ++i) {
    MlirBlock block = getBody(op, i);
    if (mlirBlockIsNull(block) ||
        mloptFailed(checkArgumentCount(op, block, i, 0)) ||
        mloptFailed(checkReturnsResults(op, block, i)))
      return mloptFailure();
  }
  return mloptSuccess();
}

MlirLogicalResult mloptForeignVerifyWhile(MlirOperation op) {
  intptr_t n = mlirOperationGetNumOperands(op);
  if (mloptFailed(mloptForeignVerifyPairwise(op)))
    return mloptFailure();
  for (intptr_t region = 0; region < 2; ++region) {
    MlirBlock block = getBody(op, region);
    if (mlirBlockIsNull(block) ||
        mloptFailed(checkArgumentCount(op, block, region, n)))
      return mloptFailure();
    for (intptr_t i = 0; i < n; ++i)
      if (!mloptForeignSameType(
              mlirValueGetType(mlirBlockGetArgument(block, i)),
              mloptOperandType(op, i)))
        return mloptOpError(op,
                            "argument %ld of region %ld has another type "
                            "than operand %ld",
                            (long)i, (long)region, (long)i);
    if (region == 1)
      return checkReturnsResults(op, block, region);
    if (mloptFailed(checkReturnCount(op, block, region, 1)))
      return mloptFailure();
    MlirType condition = mloptOperandType(mlirBlockGetTerminator(block), 0);
    if (!isScalarTensor(condition) || !mloptIsI1(mloptElementType(condition)))
      return mloptOpError(op, "the condition must return a tensor<i1>");
  }
  return mloptSuccess();
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// `n` inputs of one shape with as many scalar initial values and results.
static MlirLogicalResult checkInputs(MlirOperation op, intptr_t n) {
  if (mlirOperationGetNumOperands(op) != 2 * n || n == 0)
    return mloptOpError(op,
                        "needs inputs and as many initial values, but has "
                        "%ld operands",
                        (long)mlirOperationGetNumOperands(op));
  if (mlirOperationGetNumResults(op) != n)
    return mloptOpError(op, "has %ld inputs but %ld results", (long)n,
                        (long)mlirOperationGetNumResults(op));
  for (intptr_t i = 0; i < n; ++i) {
    if (!mloptShapesAgree(mloptOperandType(op, i), mloptOperandType(op, 0)))
      return mloptOpError(op, "the inputs have different shapes");
    if (mloptRank(mloptOperandType(op, n + i)))
      return mloptOpError(op, "initial value %ld must be a scalar tensor",
                          (long)i);
  }
  return mloptForeignCheckReducer(op, 0, n, 0, n);
}

static MlirLogicalResult checkResultShapes(MlirOperation op,
                                           const MloptDims *shape) {
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i)
    if (mloptFailed(mloptForeignCheckShape(op, "a result",
                                           mloptResultType(op, i), shape)))
      return mloptFailure();
  return mloptSuccess();
}

MlirLogicalResult mloptForeignVerifyReduce(MlirOperation op) {
  if (mloptForeignIsDeep(op))
    return mloptSuccess();
  if (mloptFailed(checkInputs(op, mlirOperationGetNumOperands(op) / 2)))
    return mloptFailure();
  MlirType input = mloptOperandType(op, 0);
  MloptDims dims, shape = {0};
  mloptForeignGetInts(op, "dimensions", 0, 0, &dims);
  if (mloptFailed(
          mloptForeignCheckDims(op, "dimensions", &dims, mloptRank(input))))
    return mloptFailure();
  bool gone[MLOPT_MAX_RANK] = {false};
  for (intptr_t i = 0; i < dims.n; ++i)
    gone[dims.at[i]] = true;
  for (intptr_t i = 0; i < mloptRank(input); ++i)
    if (!gone[i])
      shape.at[shape.n++] = mloptDim(input, i);
  return checkResultShapes(op, &shape);
}

MlirLogicalResult mloptForeignVerifyReduceWindow(MlirOperation op) {
  if (mloptForeignIsDeep(op))
    return mloptSuccess();
  MloptDims sizes;
  if (mloptFailed(checkInputs(op, mlirOperationGetNumOperands(op) / 2)) ||
      mloptFailed(mloptForeignCheckWindow(op, mloptOperandType(op, 0), &sizes)))
    return mloptFailure();
  return checkResultShapes(op, &sizes);
}

MlirLogicalResult mloptForeignVerifySelectAndScatter(MlirOperation op) {
  if (mloptForeignIsDeep(op))
    return mloptSuccess();
  MlirType operand = mloptOperandType(op, 0);
  MloptDims sizes;
  if (!mloptShapesAgree(operand, mloptResultType(op, 0)))
    return mloptOpError(op, "the operand and the result have different shapes");
  if (mloptRank(mloptOperandType(op, 2)))
    return mloptOpError(op, "the initial value must be a scalar tensor");
  if (mloptFailed(mloptForeignCheckWindow(op, operand, &sizes)) ||
      mloptFailed(mloptForeignCheckShape(op, "the source",
                                         mloptOperandType(op, 1), &sizes)) ||
      mloptFailed(checkElements(op, 0, 1, 2, getI1(op))))
    return mloptFailure();
  return mloptForeignCheckReducer(op, 1, 1, 1, 2);
}

MlirLogicalResult mloptForeignVerifyMap(MlirOperation op) {
  if (mloptForeignIsDeep(op))
    return mloptSuccess();
  intptr_t n = mlirOperationGetNumOperands(op);
  MlirType result = mloptResultType(op, 0);
  MloptDims dims;
  if (mloptFailed(
          mloptForeignCheckInts(op, "dimensions", mloptRank(result), 0, &dims)))
    return mloptFailure();
  for (intptr_t i = 0; i < dims.n; ++i)
    if (dims.at[i] != i)
      return mloptOpError(op, "attribute 'dimensions' must be 0, 1, 2, ...");
  if (mloptFailed(mloptForeignVerifySameShape(op)))
    return mloptFailure();
  return checkElements(op, 0, n, 1, result);
}

MlirLogicalResult mloptForeignVerifySort(MlirOperation op) {
  if (mloptForeignIsDeep(op))
    return mloptSuccess();
  intptr_t n = mlirOperationGetNumOperands(op);
  if (!n)
    return mloptOpError(op, "needs an operand");
  if (mloptFailed(mloptForeignVerifyPairwise(op)))
    return mloptFailure();
  int64_t rank = mloptRank(mloptOperandType(op, 0));
  int64_t dim = mloptForeignGetInt(op, "dimension", -1);
  if (dim < -rank || dim >= rank)
    return mloptOpError(op,
                        "has dimension %lld, out of range for a tensor of "
                        "rank %lld",
                        (long long)dim, (long long)rank);
  for (intptr_t i = 1; i < n; ++i)
    if (!mloptShapesAgree(mloptOperandType(op, 0), mloptOperandType(op, i)))
      return mloptOpError(op, "the operands have different shapes");
  return checkElements(op, 0, n, 2, getI1(op));
}

//===----------------------------------------------------------------------===//
// chlo.scan
//===----------------------------------------------------------------------===//

static int32_t segment(MlirOperation op, const char *name, intptr_t i) {
  return mlirDenseI32ArrayGetElement(mloptAttr(op, name), i);
}

/// The two segments are not negative and add up to `n`.
static MlirLogicalResult checkSegments(MlirOperation op, const char *name,
                                       intptr_t n) {
  bool right = mlirDenseArrayGetNumElements(mloptAttr(op, name)) == 2 &&
               segment(op, name, 0) >= 0 && segment(op, name, 1) >= 0 &&
               (int64_t)segment(op, name, 0) + segment(op, name, 1) == n;
  return right ? mloptSuccess()
               : mloptOpError(op,
                              "attribute '%s' must be two sizes that add "
                              "up to %ld",
                              name, (long)n);
}

MlirLogicalResult mloptForeignVerifyScan(MlirOperation op) {
  if (mloptFailed(checkSegments(op, "operandSegmentSizes",
                                mlirOperationGetNumOperands(op))) ||
      mloptFailed(checkSegments(op, "resultSegmentSizes",
                                mlirOperationGetNumResults(op))))
    return mloptFailure();
  MlirBlock block = getBody(op, 0);
  if (mlirBlockIsNull(block) ||
      mloptFailed(
          checkArgumentCount(op, block, 0, mlirOperationGetNumOperands(op))))
    return mloptFailure();
  return checkReturnCount(op, block, 0, mlirOperationGetNumResults(op));
}
