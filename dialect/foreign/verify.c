//===- verify.c - Elementwise and layout operations -----------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the conversion to mlopt relies on, checked where the program came in, so
// that a wrong program is refused in its own words. Called after the counts and
// kinds in the tables hold.
//
//===----------------------------------------------------------------------===//

#include "tables.h"

//===----------------------------------------------------------------------===//
// Shared checks
//===----------------------------------------------------------------------===//

static bool isDeepType(MlirType type) {
  return mlirTypeIsARankedTensor(type) && mloptRank(type) > MLOPT_MAX_RANK;
}

bool mloptForeignIsDeep(MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (isDeepType(mloptOperandType(op, i)))
      return true;
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i)
    if (isDeepType(mloptResultType(op, i)))
      return true;
  return false;
}

static bool isBuiltin(MlirType type) {
  return mloptStrEq(mlirDialectGetNamespace(mlirTypeGetDialect(type)),
                    "builtin");
}

bool mloptForeignSameElement(MlirType a, MlirType b) {
  a = mloptElementType(a);
  b = mloptElementType(b);
  return mlirTypeEqual(a, b) || !isBuiltin(a) || !isBuiltin(b);
}

bool mloptForeignSameType(MlirType a, MlirType b) {
  if (!mlirTypeIsARankedTensor(a) || !mlirTypeIsARankedTensor(b))
    return mlirTypeEqual(a, b);
  return mloptShapesAgree(a, b) && mloptForeignSameElement(a, b);
}

MlirLogicalResult mloptForeignCheckInts(MlirOperation op, const char *name,
                                        intptr_t n, int64_t fill,
                                        MloptDims *out) {
  MlirAttribute attr = mloptAttr(op, name);
  if (!mlirAttributeIsNull(attr) && mlirDenseArrayGetNumElements(attr) != n)
    return mloptOpError(op, "attribute '%s' has %ld entries, but needs %ld",
                        name, (long)mlirDenseArrayGetNumElements(attr),
                        (long)n);
  mloptForeignGetInts(op, name, n, fill, out);
  return mloptSuccess();
}

MlirLogicalResult mloptForeignCheckLeast(MlirOperation op, const char *name,
                                         const MloptDims *dims, int64_t least) {
  for (intptr_t i = 0; i < dims->n; ++i)
    if (dims->at[i] < least)
      return mloptOpError(op,
                          "attribute '%s' has the entry %lld, but the "
                          "least is %lld",
                          name, (long long)dims->at[i], (long long)least);
  return mloptSuccess();
}

MlirLogicalResult mloptForeignCheckDims(MlirOperation op, const char *name,
                                        const MloptDims *dims, intptr_t rank) {
  bool seen[MLOPT_MAX_RANK] = {false};
  for (intptr_t i = 0; i < dims->n; ++i) {
    int64_t dim = dims->at[i];
    if (dim < 0 || dim >= rank)
      return mloptOpError(op,
                          "%s has dimension %lld, out of range for a "
                          "tensor of rank %ld",
                          name, (long long)dim, (long)rank);
    if (seen[dim])
      return mloptOpError(op, "%s has dimension %lld twice", name,
                          (long long)dim);
    seen[dim] = true;
  }
  return mloptSuccess();
}

MlirLogicalResult mloptForeignCheckShape(MlirOperation op, const char *what,
                                         MlirType type,
                                         const MloptDims *shape) {
  if (mloptRank(type) != shape->n)
    return mloptOpError(op, "%s has rank %lld, but must have %ld", what,
                        (long long)mloptRank(type), (long)shape->n);
  for (intptr_t i = 0; i < shape->n; ++i)
    if (!mloptSizesAgree(mloptDim(type, i), shape->at[i]))
      return mloptOpError(op,
                          "%s has size %lld in dimension %ld, but must "
                          "have %lld",
                          what, (long long)mloptDim(type, i), (long)i,
                          (long long)shape->at[i]);
  return mloptSuccess();
}

/// One dimension given as an integer attribute.
static MlirLogicalResult checkDim(MlirOperation op, const char *name,
                                  intptr_t rank) {
  MloptDims dims = {1, {mloptForeignGetInt(op, name, 0)}};
  return mloptForeignCheckDims(op, name, &dims, rank);
}

static void getShape(MlirType type, MloptDims *out) {
  out->n = mloptShape(type, out->at);
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

/// Operands from `first` on have the shape of the result, and its element type
/// when `element`.
static MlirLogicalResult checkSame(MlirOperation op, intptr_t first,
                                   bool element) {
  MlirType result = mloptResultType(op, 0);
  for (intptr_t i = first, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    MlirType type = mloptOperandType(op, i);
    if (!mloptShapesAgree(type, result))
      return mloptOpError(op,
                          "operand %ld and the result have different "
                          "shapes",
                          (long)i);
    if (element && !mloptForeignSameElement(type, result))
      return mloptOpError(op,
                          "operand %ld and the result have different "
                          "element types",
                          (long)i);
  }
  return mloptSuccess();
}

MlirLogicalResult mloptForeignVerifySameShape(MlirOperation op) {
  return checkSame(op, 0, false);
}

MlirLogicalResult mloptForeignVerifySameType(MlirOperation op) {
  return checkSame(op, 0, true);
}

MlirLogicalResult mloptForeignVerifyPredicate(MlirOperation op) {
  if (!mloptIsI1(mloptElementType(mloptResultType(op, 0))))
    return mloptOpError(op, "the result's elements must be i1");
  intptr_t last = mlirOperationGetNumOperands(op) - 1;
  if (!mloptForeignSameElement(mloptOperandType(op, 0),
                               mloptOperandType(op, last)))
    return mloptOpError(op, "the operands have different element types");
  return checkSame(op, 0, false);
}

MlirLogicalResult mloptForeignVerifySelect(MlirOperation op) {
  MlirType predicate = mloptOperandType(op, 0);
  if (!mloptIsI1(mloptElementType(predicate)))
    return mloptOpError(op, "the predicate's elements must be i1");
  if (mloptFailed(checkSame(op, mloptRank(predicate) ? 0 : 1, false)))
    return mloptFailure();
  return checkSame(op, 1, true);
}

MlirLogicalResult mloptForeignVerifyClamp(MlirOperation op) {
  MlirType result = mloptResultType(op, 0);
  for (intptr_t i = 0; i < 3; ++i) {
    MlirType type = mloptOperandType(op, i);
    bool scalar = i != 1 && mloptRank(type) == 0;
    if (!scalar && !mloptShapesAgree(type, result))
      return mloptOpError(op,
                          "operand %ld and the result have different "
                          "shapes",
                          (long)i);
    if (!mloptForeignSameElement(type, result))
      return mloptOpError(op,
                          "operand %ld and the result have different "
                          "element types",
                          (long)i);
  }
  return mloptSuccess();
}

MlirLogicalResult mloptForeignVerifyReducePrecision(MlirOperation op) {
  int64_t exponent = mloptForeignGetInt(op, "exponent_bits", 0);
  int64_t mantissa = mloptForeignGetInt(op, "mantissa_bits", 0);
  if (exponent < 1)
    return mloptOpError(op, "needs one exponent bit or more, but has %lld",
                        (long long)exponent);
  if (mantissa < 0)
    return mloptOpError(op, "cannot have %lld mantissa bits",
                        (long long)mantissa);
  return checkSame(op, 0, true);
}

/// Where dimension `i` of an operand lies in the result: by the attribute
/// for an operand of lower rank, else aligned at the last dimension.
static int64_t broadcastDim(const MloptDims *dims, int64_t rank,
                            int64_t resultRank, int64_t i) {
  return rank < resultRank && dims->n == rank ? dims->at[i]
                                              : resultRank - rank + i;
}

/// CHLO's operations with implicit broadcasting.
MlirLogicalResult mloptForeignVerifyBroadcasting(MlirOperation op) {
  if (mloptForeignIsDeep(op))
    return mloptSuccess();
  const char *name = "broadcast_dimensions";
  intptr_t n = mlirOperationGetNumOperands(op);
  MlirType result = mloptResultType(op, 0);
  int64_t least = MLOPT_MAX_RANK, rank = mloptRank(result);
  MloptDims dims = {0};
  for (intptr_t i = 0; i < n; ++i)
    if (mloptRank(mloptOperandType(op, i)) < least)
      least = mloptRank(mloptOperandType(op, i));
  // Between operands of one rank the attribute means nothing.
  if (least < rank && !mlirAttributeIsNull(mloptAttr(op, name)) &&
      (mloptFailed(mloptForeignCheckInts(op, name, least, 0, &dims)) ||
       mloptFailed(mloptForeignCheckDims(op, name, &dims, rank))))
    return mloptFailure();
  for (intptr_t i = 0; i < n; ++i) {
    MlirType type = mloptOperandType(op, i);
    if (mloptRank(type) > rank)
      return mloptOpError(op, "operand %ld has more dimensions than the result",
                          (long)i);
    for (int64_t d = 0; d < mloptRank(type); ++d) {
      int64_t at = broadcastDim(&dims, mloptRank(type), rank, d);
      int64_t from = mloptDim(type, d), to = mloptDim(result, at);
      if (from != 1 && !mloptSizesAgree(from, to))
        return mloptOpError(op,
                            "cannot broadcast size %lld of operand %ld to "
                            "%lld in result dimension %lld",
                            (long long)from, (long)i, (long long)to,
                            (long long)at);
    }
  }
  return mloptSuccess();
}

/// The width of an element in bits; 0 when it is no number.
static int64_t elementWidth(MlirType type) {
  MlirType element = mloptElementType(type);
  if (mlirTypeIsAComplex(element))
    return 2 * elementWidth(mlirComplexTypeGetElementType(element));
  if (mlirTypeIsAInteger(element))
    return mlirIntegerTypeGetWidth(element);
  return mlirTypeIsAFloat(element) ? mlirFloatTypeGetWidth(element) : 0;
}

MlirLogicalResult mloptForeignVerifyBitcastConvert(MlirOperation op) {
  MlirType from = mloptOperandType(op, 0), to = mloptResultType(op, 0);
  int64_t fromWidth = elementWidth(from), toWidth = elementWidth(to);
  if (!fromWidth || !toWidth || mloptForeignIsDeep(op))
    return mloptSuccess();
  MlirType wide = fromWidth > toWidth ? from : to;
  MlirType narrow = fromWidth > toWidth ? to : from;
  int64_t wideWidth = elementWidth(wide), narrowWidth = elementWidth(narrow);
  MloptDims shape;
  getShape(wide, &shape);
  if (wideWidth % narrowWidth || shape.n == MLOPT_MAX_RANK)
    return mloptOpError(op, "cannot turn elements of %lld bits into %lld",
                        (long long)fromWidth, (long long)toWidth);
  if (wideWidth != narrowWidth)
    shape.at[shape.n++] = wideWidth / narrowWidth;
  return mloptForeignCheckShape(op, "the tensor of the narrower elements",
                                narrow, &shape);
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

MlirLogicalResult mloptForeignVerifyConstant(MlirOperation op) {
  MlirType value = mlirAttributeGetType(mloptAttr(op, "value"));
  MlirType result = mloptResultType(op, 0);
  if (!mlirShapedTypeHasRank(value) || !mloptShapesAgree(value, result) ||
      !mloptForeignSameElement(value, result))
    return mloptOpError(op, "the value and the result have different types");
  return mloptSuccess();
}

MlirLogicalResult mloptForeignVerifyIota(MlirOperation op) {
  return checkDim(op, "iota_dimension", mloptRank(mloptResultType(op, 0)));
}

MlirLogicalResult mloptForeignVerifyDimension(MlirOperation op) {
  return checkDim(op, "dimension", mloptRank(mloptOperandType(op, 0)));
}

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

MlirLogicalResult mloptForeignVerifyBroadcast(MlirOperation op) {
  if (mloptForeignIsDeep(op))
    return mloptSuccess();
  MlirType operand = mloptOperandType(op, 0), result = mloptResultType(op, 0);
  MloptDims shape, tail;
  getShape(operand, &tail);
  if (mloptRank(result) < tail.n)
    return mloptOpError(op, "the result has fewer dimensions than the operand");
  if (mloptFailed(mloptForeignCheckInts(op, "broadcast_sizes",
                                        mloptRank(result) - tail.n, 0, &shape)))
    return mloptFailure();
  for (intptr_t i = 0; i < tail.n; ++i)
    shape.at[shape.n++] = tail.at[i];
  return mloptForeignCheckShape(op, "the result", result, &shape);
}

MlirLogicalResult mloptForeignVerifyBroadcastInDim(MlirOperation op) {
  if (mloptForeignIsDeep(op))
    return mloptSuccess();
  MlirType operand = mloptOperandType(op, 0), result = mloptResultType(op, 0);
  const char *name = "broadcast_dimensions";
  MloptDims dims;
  if (mloptFailed(
          mloptForeignCheckInts(op, name, mloptRank(operand), 0, &dims)) ||
      mloptFailed(mloptForeignCheckDims(op, name, &dims, mloptRank(result))))
    return mloptFailure();
  for (intptr_t i = 0; i < dims.n; ++i) {
    int64_t from = mloptDim(operand, i), to = mloptDim(result, dims.at[i]);
    if (from != 1 && !mloptSizesAgree(from, to))
      return mloptOpError(op,
                          "cannot broadcast size %lld to %lld in result "
                          "dimension %lld",
                          (long long)from, (long long)to,
                          (long long)dims.at[i]);
  }
  return mloptForeignSameElement(operand, result)
             ? mloptSuccess()
             : mloptOpError(op, "changes the element type");
}

MlirLogicalResult mloptForeignVerifyReshape(MlirOperation op) {
  MlirType operand = mloptOperandType(op, 0), result = mloptResultType(op, 0);
  if (!mloptForeignSameElement(operand, result))
    return mloptOpError(op, "changes the element type");
  if (!mlirShapedTypeHasStaticShape(operand) ||
      !mlirShapedTypeHasStaticShape(result) ||
      mloptNumElements(operand) == mloptNumElements(result))
    return mloptSuccess();
  return mloptOpError(op, "turns %lld elements into %lld",
                      (long long)mloptNumElements(operand),
                      (long long)mloptNumElements(result));
}

MlirLogicalResult mloptForeignVerifyTranspose(MlirOperation op) {
  if (mloptForeignIsDeep(op))
    return mloptSuccess();
  MlirType operand = mloptOperandType(op, 0), result = mloptResultType(op, 0);
  MloptDims permutation, shape;
  if (mloptFailed(mloptForeignCheckInts(op, "permutation", mloptRank(operand),
                                        0, &permutation)) ||
      mloptFailed(mloptForeignCheckDims(op, "permutation", &permutation,
                                        mloptRank(operand))))
    return mloptFailure();
  shape.n = permutation.n;
  for (intptr_t i = 0; i < shape.n; ++i)
    shape.at[i] = mloptDim(operand, permutation.at[i]);
  return mloptForeignCheckShape(op, "the result", result, &shape);
}

MlirLogicalResult mloptForeignVerifyReverse(MlirOperation op) {
  MloptDims dims;
  if (mloptForeignIsDeep(op))
    return mloptSuccess();
  mloptForeignGetInts(op, "dimensions", 0, 0, &dims);
  if (mloptFailed(mloptForeignCheckDims(op, "dimensions", &dims,
                                        mloptRank(mloptOperandType(op, 0)))))
    return mloptFailure();
  return checkSame(op, 0, true);
}

MlirLogicalResult mloptForeignVerifyConcatenate(MlirOperation op) {
  intptr_t n = mlirOperationGetNumOperands(op);
  if (mloptForeignIsDeep(op))
    return mloptSuccess();
  if (!n)
    return mloptOpError(op, "needs an operand");
  MloptDims shape;
  getShape(mloptOperandType(op, 0), &shape);
  if (mloptFailed(checkDim(op, "dimension", shape.n)))
    return mloptFailure();
  int64_t *total = &shape.at[mloptForeignGetInt(op, "dimension", 0)];
  int64_t sum = 0;
  for (intptr_t i = 0; i < n; ++i) {
    MlirType type = mloptOperandType(op, i);
    *total = mlirShapedTypeGetDynamicSize();
    if (mloptFailed(mloptForeignCheckShape(op, "an operand", type, &shape)))
      return mloptFailure();
    if (!mloptForeignSameElement(type, mloptResultType(op, 0)))
      return mloptOpError(op,
                          "operand %ld and the result have different "
                          "element types",
                          (long)i);
    int64_t size = mloptDim(type, total - shape.at);
    if (mloptIsDynamic(size) || mloptIsDynamic(sum) ||
        __builtin_add_overflow(sum, size, &sum))
      sum = *total;
  }
  *total = sum;
  return mloptForeignCheckShape(op, "the result", mloptResultType(op, 0),
                                &shape);
}

MlirLogicalResult mloptForeignVerifyPad(MlirOperation op) {
  if (mloptForeignIsDeep(op))
    return mloptSuccess();
  MlirType operand = mloptOperandType(op, 0);
  MloptDims low, high, interior, shape;
  getShape(operand, &shape);
  if (mloptFailed(
          mloptForeignCheckInts(op, "edge_padding_low", shape.n, 0, &low)) ||
      mloptFailed(
          mloptForeignCheckInts(op, "edge_padding_high", shape.n, 0, &high)) ||
      mloptFailed(mloptForeignCheckInts(op, "interior_padding", shape.n, 0,
                                        &interior)) ||
      mloptFailed(mloptForeignCheckLeast(op, "interior_padding", &interior, 0)))
    return mloptFailure();
  if (mloptRank(mloptOperandType(op, 1)))
    return mloptOpError(op, "the padding value must be a scalar tensor");
  if (!mloptForeignSameElement(operand, mloptOperandType(op, 1)) ||
      !mloptForeignSameElement(operand, mloptResultType(op, 0)))
    return mloptOpError(op, "mixes element types");
  for (intptr_t i = 0; i < shape.n; ++i) {
    int64_t size = shape.at[i];
    if (mloptIsDynamic(size))
      continue;
    // In 128 bits: the attributes may be anything.
    __int128 padded = (__int128)low.at[i] + high.at[i] + size;
    if (size > 0)
      padded += (__int128)(size - 1) * interior.at[i];
    if (padded < 0 || padded > INT64_MAX)
      return mloptOpError(op, "gives dimension %ld an impossible size",
                          (long)i);
    shape.at[i] = (int64_t)padded;
  }
  return mloptForeignCheckShape(op, "the result", mloptResultType(op, 0),
                                &shape);
}

MlirLogicalResult mloptForeignVerifySlice(MlirOperation op) {
  if (mloptForeignIsDeep(op))
    return mloptSuccess();
  MloptDims start, limit, stride, shape;
  getShape(mloptOperandType(op, 0), &shape);
  if (mloptFailed(
          mloptForeignCheckInts(op, "start_indices", shape.n, 0, &start)) ||
      mloptFailed(
          mloptForeignCheckInts(op, "limit_indices", shape.n, 0, &limit)) ||
      mloptFailed(mloptForeignCheckInts(op, "strides", shape.n, 0, &stride)) ||
      mloptFailed(mloptForeignCheckLeast(op, "start_indices", &start, 0)) ||
      mloptFailed(mloptForeignCheckLeast(op, "strides", &stride, 1)))
    return mloptFailure();
  for (intptr_t i = 0; i < shape.n; ++i) {
    int64_t size = shape.at[i];
    if (start.at[i] > limit.at[i] ||
        (!mloptIsDynamic(size) && limit.at[i] > size))
      return mloptOpError(op,
                          "takes [%lld, %lld) of dimension %ld, which has "
                          "size %lld",
                          (long long)start.at[i], (long long)limit.at[i],
                          (long)i, (long long)size);
    int64_t count = limit.at[i] - start.at[i];
    shape.at[i] = count ? (count - 1) / stride.at[i] + 1 : 0;
  }
  return mloptForeignCheckShape(op, "the result", mloptResultType(op, 0),
                                &shape);
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

MlirLogicalResult mloptForeignVerifyGetTupleElement(MlirOperation op) {
  MlirType tuple = mloptOperandType(op, 0);
  int64_t index = mloptForeignGetInt(op, "index", 0);
  if (!mlirTypeIsATuple(tuple))
    return mloptOpError(op, "the operand must be a tuple");
  if (index < 0 || index >= mlirTupleTypeGetNumTypes(tuple))
    return mloptOpError(op, "has index %lld into a tuple of %ld",
                        (long long)index,
                        (long)mlirTupleTypeGetNumTypes(tuple));
  return mloptSuccess();
}

MlirLogicalResult mloptForeignVerifyPairwise(MlirOperation op) {
  intptr_t n = mlirOperationGetNumOperands(op);
  if (mlirOperationGetNumResults(op) != n)
    return mloptOpError(op, "has %ld operands but %ld results", (long)n,
                        (long)mlirOperationGetNumResults(op));
  for (intptr_t i = 0; i < n; ++i)
    if (!mloptForeignSameType(mloptOperandType(op, i), mloptResultType(op, i)))
      return mloptOpError(op, "operand %ld and result %ld have different types",
                          (long)i, (long)i);
  return mloptSuccess();
}
