//===- contraction.c - Matrix products in tensor programs -----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "contraction_impl.h"

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

intptr_t mloptParameterOf(MlirValue tensor) {
  while (isView(tensor))
    tensor = mloptOperand(definerOf(tensor), 0);
  if (!isDefinedBy(tensor, "builtin.unrealized_conversion_cast"))
    return -1;
  MlirValue pointer = mloptOperand(definerOf(tensor), 0);
  return mlirValueIsABlockArgument(pointer)
             ? mlirBlockArgumentGetArgNumber(pointer)
             : -1;
}

bool mloptIsParallelGeneric(MlirOperation generic) {
  MlirAttribute kinds = mloptAttr(generic, "iterator_types");
  MlirAttribute parallel =
      mlirAttributeParseGet(mlirOperationGetContext(generic),
                            mloptStr("#linalg.iterator_type<parallel>"));
  for (intptr_t i = 0, n = mlirArrayAttrGetNumElements(kinds); i < n; ++i)
    if (!mlirAttributeEqual(mlirArrayAttrGetElement(kinds, i), parallel))
      return false;
  return true;
}

bool mloptIsIrregular(MlirOperation generic) {
  for (MlirOperation op = mlirBlockGetFirstOperation(bodyOf(generic));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (mloptIsNamed(op, "tensor.extract") ||
        mlirOperationGetNumRegions(op) > 0)
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

/// Whether `value` is the factor, as it is or widened.
static bool isFactor(MlirValue value, MlirValue factor) {
  if (isDefinedBy(value, "arith.extf") || isDefinedBy(value, "arith.extsi"))
    value = mloptOperand(definerOf(value), 0);
  return mlirValueEqual(value, factor);
}

/// The multiplication in acc + a * b, in either order each, where b is the
/// body's second argument; null if the body is something else.
static MlirOperation productOf(MlirOperation generic, MlirValue a) {
  MlirBlock body = bodyOf(generic);
  MlirValue b = mlirBlockGetArgument(body, 1);
  MlirValue sum = mloptOperand(mlirBlockGetTerminator(body), 0);
  bool isInteger = isDefinedBy(sum, "arith.addi");
  if (!isInteger && !isDefinedBy(sum, "arith.addf"))
    return (MlirOperation){NULL};
  MlirOperation add = definerOf(sum);
  MlirValue accumulator = mlirBlockGetArgument(body, 2);
  int other = mlirValueEqual(mloptOperand(add, 0), accumulator) ? 1 : 0;
  if (!mlirValueEqual(mloptOperand(add, 1 - other), accumulator) ||
      !isDefinedBy(mloptOperand(add, other),
                   isInteger ? "arith.muli" : "arith.mulf"))
    return (MlirOperation){NULL};
  MlirOperation product = definerOf(mloptOperand(add, other));
  int first = isFactor(mloptOperand(product, 0), a) ? 0 : 1;
  return isFactor(mloptOperand(product, first), a) &&
                 isFactor(mloptOperand(product, 1 - first), b)
             ? product
             : (MlirOperation){NULL};
}

MlirType mloptRoundsFactor(MlirOperation generic) {
  const MlirType none = {NULL};
  if (!mloptIsNamed(generic, "linalg.generic") ||
      mlirOperationGetNumResults(generic) != 1 || numInputs(generic) != 2 ||
      mloptIsParallelGeneric(generic) ||
      !mloptIsFilledWithZero(mloptOperand(generic, 2)))
    return none;
  MlirBlock body = bodyOf(generic);
  MlirOperation round = mlirBlockGetFirstOperation(body);
  if (!mloptIsNamed(round, "arith.truncf") ||
      !mlirValueEqual(mloptOperand(round, 0), mlirBlockGetArgument(body, 0)))
    return none;
  return mlirOperationIsNull(productOf(generic, mloptResult(round, 0)))
             ? none
             : mloptResultType(round, 0);
}

static bool isZero(MlirAttribute value) {
  if (mlirAttributeIsNull(value))
    return false;
  if (mlirAttributeIsAInteger(value))
    return mlirIntegerAttrGetValueInt(value) == 0;
  if (mlirAttributeIsADenseElements(value))
    return mlirDenseElementsAttrIsSplat(value) &&
           isZero(mlirDenseElementsAttrGetSplatValue(value));
  return mlirAttributeIsAFloat(value) &&
         mlirFloatAttrGetValueDouble(value) == 0;
}

bool mloptIsFilledWithZero(MlirValue tensor) {
  MlirOperation op = definerOf(tensor);
  if (mlirOperationIsNull(op))
    return false;
  if (mloptIsNamed(op, "arith.constant"))
    return isZero(mloptAttr(op, "value"));
  if (!mloptIsNamed(op, "linalg.generic") || numInputs(op) != 0)
    return false;
  MlirValue yielded = mloptOperand(mlirBlockGetTerminator(bodyOf(op)), 0);
  return isDefinedBy(yielded, "arith.constant") &&
         isZero(mloptAttr(definerOf(yielded), "value"));
}

static bool computesProduct(MlirOperation generic) {
  if (!mloptIsNamed(generic, "linalg.generic") ||
      mlirOperationGetNumResults(generic) != 1 || numInputs(generic) != 2 ||
      mloptIsParallelGeneric(generic))
    return false;
  return mloptElementWidth(mloptElementType(mloptOperandType(generic, 0))) ==
             mloptElementWidth(
                 mloptElementType(mloptOperandType(generic, 1))) &&
         !mlirOperationIsNull(
             productOf(generic, mlirBlockGetArgument(bodyOf(generic), 0))) &&
         mloptIsFilledWithZero(mloptOperand(generic, 2));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

bool mloptIsProduct(MlirOperation op) { return computesProduct(op); }

/// Whether the sums of a product have an order that no schedule changes.
static bool isInOrder(MlirOperation product) {
  MlirOperation add =
      definerOf(mloptOperand(mlirBlockGetTerminator(bodyOf(product)), 0));
  return !mlirAttributeIsNull(mloptAttr(add, "mlopt.ordered"));
}

static bool sameAttr(MlirOperation a, MlirOperation b, const char *name) {
  return mlirAttributeEqual(mloptAttr(a, name), mloptAttr(b, name));
}

/// Whether two products differ in one of their factors alone, `side` being the
/// other one.
static bool areAlike(MlirOperation a, MlirOperation b, intptr_t side) {
  return mlirValueEqual(mloptOperand(a, side), mloptOperand(b, side)) &&
         mlirTypeEqual(mloptOperandType(a, 1 - side),
                       mloptOperandType(b, 1 - side)) &&
         mlirTypeEqual(mloptResultType(a, 0), mloptResultType(b, 0)) &&
         sameAttr(a, b, "indexing_maps") && sameAttr(a, b, "mlopt.promote") &&
         isInOrder(a) == isInOrder(b);
}

/// The products in the program; false if there are none, or they share no
/// factor. `*side` is the operand that is A.
static bool readProducts(MlirBlock program, MloptContraction *c,
                         intptr_t *side) {
  for (MlirOperation op = mlirBlockGetFirstOperation(program);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!computesProduct(op))
      continue;
    if (c->numProducts == MLOPT_MAX_PRODUCTS)
      return false;
    c->products[c->numProducts++] = op;
  }
  *side = 0;
  if (c->numProducts > 1 && !areAlike(c->products[0], c->products[1], 0))
    *side = 1;
  for (intptr_t i = 1; i < c->numProducts; ++i)
    if (!areAlike(c->products[0], c->products[i], *side))
      return false;
  return c->numProducts > 0;
}

/// Whether a value is the product, perhaps under another shape.
static bool isSum(MlirValue value, MlirOperation product) {
  while (isView(value))
    value = mloptOperand(definerOf(value), 0);
  return mlirValueEqual(value, mloptResult(product, 0));
}

/// Whether the result is a generic that does nothing but truncate the product.
static bool isRounded(MlirValue result, MlirOperation product) {
  while (isView(result))
    result = mloptOperand(definerOf(result), 0);
  MlirOperation op = definerOf(result);
  if (!mloptIsNamed(op, "linalg.generic") || numInputs(op) != 1 ||
      mlirOperationGetNumResults(op) != 1 ||
      !isSum(mloptOperand(op, 0), product))
    return false;
  MlirBlock body = bodyOf(op);
  MlirValue yielded = mloptOperand(mlirBlockGetTerminator(body), 0);
  return isDefinedBy(yielded, "arith.truncf") &&
         mlirValueEqual(mloptOperand(definerOf(yielded), 0),
                        mlirBlockGetArgument(body, 0));
}

/// Whether nothing but so many products reads a factor, which then may be a
/// tensor map.
static bool isReadBy(MlirValue factor, intptr_t numProducts) {
  for (;; factor = mloptOperand(definerOf(factor), 0), numProducts = 1) {
    intptr_t uses = 0;
    for (MlirOpOperand use = mlirValueGetFirstUse(factor);
         !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
      ++uses;
    if (uses != numProducts)
      return false;
    if (mlirValueIsABlockArgument(factor))
      return true;
  }
}

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

static bool areEqual(const MloptAffine *a, const MloptAffine *b) {
  return a->constant == b->constant &&
         !memcmp(a->factor, b->factor, sizeof a->factor);
}

/// Whether two products' factors lie alike in their tensors, but perhaps
/// elsewhere: then, how much further the second one does.
static bool lieAlike(const MloptAccess *a, const MloptAccess *b,
                     int64_t *outFurther) {
  MloptAffine moved = a->position;
  *outFurther = b->position.constant - a->position.constant;
  moved.constant = b->position.constant;
  bool alike = b->isKnown && a->numBounds == b->numBounds &&
               areEqual(&moved, &b->position);
  for (int i = 0; alike && i < a->numBounds; ++i)
    alike = a->bounds[i].size == b->bounds[i].size &&
            areEqual(&a->bounds[i].index, &b->bounds[i].index);
  return alike;
}

/// The factors B of all products, given the first one's.
static bool readOthers(MloptContraction *c, intptr_t side) {
  MloptAccess first = mloptDescribeAccess(c->products[0], 1 - side);
  for (intptr_t i = 0; i < c->numProducts; ++i) {
    MloptAccess own = mloptDescribeAccess(c->products[i], 1 - side);
    int64_t further;
    if (!lieAlike(&first, &own, &further) ||
        !isReadBy(mloptOperand(c->products[i], 1 - side), 1))
      return false;
    c->parametersOfB[i] =
        mlirBlockArgumentGetArgNumber(mloptOperand(definerOf(own.tensor), 0));
    c->offsetsOfB[i] = c->b.offset + further;
    if (c->offsetsOfB[i] < 0)
      return false;
  }
  return true;
}

/// Reads axes and factors with A as operand `side`.
static bool readFactors(MloptContraction *c, intptr_t side) {
  MloptAxisLoops loops;
  return mloptSplitAxes(c, side, &loops) && mloptDescribeFactors(c, &loops) &&
         isReadBy(mloptOperand(c->products[0], side), c->numProducts) &&
         readOthers(c, side);
}

/// Whether the first output's innermost dimension is one of m.
static bool runsAlongM(const MloptContraction *c) {
  MloptStoreDigit digits[MLOPT_PLACE_MAX_DIGITS];
  return mloptOutputDigits(c, &c->outputs[0], digits) &&
         digits[0].axis == MLOPT_AXIS_M;
}

bool mloptFindContraction(MlirBlock program, MloptContraction *out) {
  *out = (MloptContraction){.sizes = {1, 1, 1, 1}};
  intptr_t side;
  if (!readProducts(program, out, &side) || !mloptFindOutputs(program, out))
    return false;
  MlirOperation product = out->products[0];
  out->isFast = mloptIsApproximate(
      productOf(product, mlirBlockGetArgument(bodyOf(product), 0)));
  out->isInOrder = isInOrder(product);
  out->isPromoted = !mlirAttributeIsNull(mloptAttr(product, "mlopt.promote"));
  bool found = readFactors(out, side);
  // The other way round: C transposed is B times A transposed.
  if (runsAlongM(out)) {
    side = 1 - side;
    found = out->numProducts == 1 && readFactors(out, side);
  }
  if (found)
    mloptFindResiduals(program, out);
  if (out->numProducts == 1)
    out->diagonal = mloptFindDiagonal(product, side);
  MlirValue stored = out->outputs[0].value;
  out->isPlain = out->numProducts == 1 && out->numOutputs == 1 &&
                 (isSum(stored, product) || isRounded(stored, product));
  return found;
}
