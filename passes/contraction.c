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
    tensor = mloptOperand(mloptDefiningOp(tensor), 0);
  if (!mloptIsDefinedBy(tensor, "builtin.unrealized_conversion_cast"))
    return -1;
  MlirValue pointer = mloptOperand(mloptDefiningOp(tensor), 0);
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
  if (mloptIsDefinedBy(value, "arith.extf") ||
      mloptIsDefinedBy(value, "arith.extsi"))
    value = mloptOperand(mloptDefiningOp(value), 0);
  return mlirValueEqual(value, factor);
}

/// The multiplication in acc + a * b, in either order each, where b is the
/// body's second argument; null if the body is something else.
static MlirOperation productOf(MlirOperation generic, MlirValue a) {
  MlirBlock body = bodyOf(generic);
  MlirValue b = mlirBlockGetArgument(body, 1);
  MlirValue sum = mloptOperand(mlirBlockGetTerminator(body), 0);
  bool isInteger = mloptIsDefinedBy(sum, "arith.addi");
  if (!isInteger && !mloptIsDefinedBy(sum, "arith.addf"))
    return (MlirOperation){NULL};
  MlirOperation add = mloptDefiningOp(sum);
  MlirValue accumulator = mlirBlockGetArgument(body, 2);
  int other = mlirValueEqual(mloptOperand(add, 0), accumulator) ? 1 : 0;
  if (!mlirValueEqual(mloptOperand(add, 1 - other), accumulator) ||
      !mloptIsDefinedBy(mloptOperand(add, other),
                        isInteger ? "arith.muli" : "arith.mulf"))
    return (MlirOperation){NULL};
  MlirOperation product = mloptDefiningOp(mloptOperand(add, other));
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
  MlirOperation op = mloptDefiningOp(tensor);
  if (mlirOperationIsNull(op))
    return false;
  if (mloptIsNamed(op, "arith.constant"))
    return isZero(mloptAttr(op, "value"));
  if (!mloptIsNamed(op, "linalg.generic") || numInputs(op) != 0)
    return false;
  MlirValue yielded = mloptOperand(mlirBlockGetTerminator(bodyOf(op)), 0);
  return mloptIsDefinedBy(yielded, "arith.constant") &&
         isZero(mloptAttr(mloptDefiningOp(yielded), "value"));
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
      mloptDefiningOp(mloptOperand(mlirBlockGetTerminator(bodyOf(product)), 0));
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

/// The products of a program.
typedef struct Products {
  intptr_t count;
  MlirOperation at[MLOPT_MAX_LISTED];
} Products;

/// Whether a value follows from one of these products: a reduction that does
/// may sum products, too.
static bool follows(const Products *products, MlirValue value) {
  MlirOperation op = mloptDefiningOp(value);
  for (intptr_t i = 0; i < products->count; ++i)
    if (!mlirOperationIsNull(op) && mlirOperationEqual(op, products->at[i]))
      return true;
  for (intptr_t i = 0, n = mlirOperationIsNull(op)
                               ? 0
                               : mlirOperationGetNumOperands(op);
       i < n; ++i)
    if (follows(products, mloptOperand(op, i)))
      return true;
  return false;
}

static bool readProducts(MlirBlock program, Products *out) {
  for (MlirOperation op = mlirBlockGetFirstOperation(program);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!computesProduct(op) || follows(out, mloptOperand(op, 0)) ||
        follows(out, mloptOperand(op, 1)))
      continue;
    if (out->count == MLOPT_MAX_LISTED)
      return false;
    out->at[out->count++] = op;
  }
  return out->count > 0;
}

/// Whether all products differ in one of their factors alone, `*side` being the
/// other one.
static bool areAllAlike(const Products *products, intptr_t *side) {
  const MlirOperation *at = products->at;
  *side = products->count > 1 && !areAlike(at[0], at[1], 0);
  bool alike = products->count <= MLOPT_MAX_PRODUCTS;
  for (intptr_t i = 1; alike && i < products->count; ++i)
    alike = areAlike(at[0], at[i], *side);
  return alike;
}

/// Whether a value is the product, perhaps under another shape.
static bool isSum(MlirValue value, MlirOperation product) {
  while (isView(value))
    value = mloptOperand(mloptDefiningOp(value), 0);
  return mlirValueEqual(value, mloptResult(product, 0));
}

/// Whether the result is a generic that does nothing but truncate the product.
static bool isRounded(MlirValue result, MlirOperation product) {
  while (isView(result))
    result = mloptOperand(mloptDefiningOp(result), 0);
  MlirOperation op = mloptDefiningOp(result);
  if (!mloptIsNamed(op, "linalg.generic") || numInputs(op) != 1 ||
      mlirOperationGetNumResults(op) != 1 ||
      !isSum(mloptOperand(op, 0), product))
    return false;
  MlirBlock body = bodyOf(op);
  MlirValue yielded = mloptOperand(mlirBlockGetTerminator(body), 0);
  return mloptIsDefinedBy(yielded, "arith.truncf") &&
         mlirValueEqual(mloptOperand(mloptDefiningOp(yielded), 0),
                        mlirBlockGetArgument(body, 0));
}

/// Whether all that a generic does with an operand begins with rounding it.
static bool roundsOperand(MlirOperation generic, intptr_t operand) {
  if (!mloptIsNamed(generic, "linalg.generic"))
    return false;
  MlirValue element = mlirBlockGetArgument(bodyOf(generic), operand);
  for (MlirOpOperand use = mlirValueGetFirstUse(element);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (!mloptIsNamed(mlirOpOperandGetOwner(use), "arith.truncf"))
      return false;
  return true;
}

/// Whether there are several products, and all that reads one rounds it first.
static bool roundsSeveral(const MloptContraction *c) {
  bool rounds = c->numProducts > 1;
  for (intptr_t i = 0; i < c->numProducts; ++i)
    for (MlirOpOperand use =
             mlirValueGetFirstUse(mloptResult(c->products[i], 0));
         !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
      rounds = rounds && roundsOperand(mlirOpOperandGetOwner(use),
                                       mlirOpOperandGetOperandNumber(use));
  return rounds;
}

/// Whether nothing but products reads a factor, each as operand `side`: it then
/// may be a tensor map.
static bool isFactorAlone(const Products *products, MlirValue factor,
                          intptr_t side) {
  intptr_t readers = 0;
  for (intptr_t i = 0; i < products->count; ++i)
    readers += mlirValueEqual(mloptOperand(products->at[i], side), factor);
  for (;; factor = mloptOperand(mloptDefiningOp(factor), 0), readers = 1) {
    intptr_t uses = 0;
    for (MlirOpOperand use = mlirValueGetFirstUse(factor);
         !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
      ++uses;
    if (uses != readers)
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
static bool readOthers(const Products *products, MloptContraction *c,
                       intptr_t side) {
  if (c->computes[1]) {
    c->parametersOfB[0] = -1;
    return c->numProducts == 1;
  }
  MloptAccess first = mloptDescribeAccess(c->products[0], 1 - side);
  for (intptr_t i = 0; i < c->numProducts; ++i) {
    MloptAccess own = mloptDescribeAccess(c->products[i], 1 - side);
    int64_t further;
    if (!lieAlike(&first, &own, &further) ||
        !isFactorAlone(products, mloptOperand(c->products[i], 1 - side),
                       1 - side))
      return false;
    c->parametersOfB[i] = mlirBlockArgumentGetArgNumber(
        mloptOperand(mloptDefiningOp(own.tensor), 0));
    c->offsetsOfB[i] = c->b.offset + further;
    if (c->offsetsOfB[i] < 0)
      return false;
  }
  return true;
}

/// Finds a factor that the program computes, of which there may be one; A is
/// operand `side`. It counts as if it lay in memory in row-major order.
static bool readPrologue(MloptContraction *c, intptr_t side) {
  MlirOperation product = c->products[0];
  c->prologue = (MloptPrologue){.operations = 0};
  for (int i = 0; i < 2; ++i) {
    intptr_t operand = i ? 1 - side : side;
    c->computes[i] = !mloptDescribeAccess(product, operand).isKnown;
    if (!c->computes[i])
      continue;
    if ((i && c->computes[0]) ||
        !mloptFindPrologue(product, operand, &c->prologue))
      return false;
    MlirType type = mloptOperandType(product, operand);
    int64_t stride = 1;
    for (intptr_t d = mloptRank(type); d-- > 0; stride *= mloptDim(type, d))
      c->strides[d] = stride;
  }
  return true;
}

/// Reads axes and factors with A as operand `side`.
static bool readFactors(const Products *products, MloptContraction *c,
                        intptr_t side) {
  MloptAxisLoops loops;
  return readPrologue(c, side) && mloptSplitAxes(c, side, &loops) &&
         mloptDescribeFactors(c, &loops) &&
         (c->computes[0] ||
          isFactorAlone(products, mloptOperand(c->products[0], side), side)) &&
         readOthers(products, c, side);
}

/// Whether the first output's innermost dimension is one of m.
static bool runsAlongM(const MloptContraction *c) {
  MloptStoreDigit digits[MLOPT_PLACE_MAX_DIGITS];
  return c->numOutputs && mloptOutputDigits(c, &c->outputs[0], digits) &&
         digits[0].axis == MLOPT_AXIS_M;
}

/// Reads a contraction whose products are known, of all in the program;
/// `side` is the operand that is A, unless one product is better taken the
/// other way round. `*outStores` counts what the program stores.
static bool readContraction(MlirBlock program, const Products *products,
                            intptr_t side, MloptContraction *c,
                            intptr_t *outStores) {
  MlirOperation product = c->products[0];
  c->isFast = mloptIsApproximate(
      productOf(product, mlirBlockGetArgument(bodyOf(product), 0)));
  c->isInOrder = isInOrder(product);
  c->isPromoted = !mlirAttributeIsNull(mloptAttr(product, "mlopt.promote"));
  bool found = readFactors(products, c, side);
  if (found && c->numProducts == 1)
    mloptFindRows(program, c);
  if (!mloptFindOutputs(program, c, outStores))
    return false;
  // The other way round: C transposed is B times A transposed.
  if (runsAlongM(c) && !c->numOfRows) {
    side = 1 - side;
    found = c->numProducts == 1 && readFactors(products, c, side);
  }
  // Of 32-bit factors, one whose rows do not run along k is A.
  if (found && c->numProducts == 1 && !c->numOfRows && c->a.isKMajor &&
      !c->b.isKMajor && mlirTypeIsAF32(mloptElementType(c->b.type))) {
    side = 1 - side;
    found = readFactors(products, c, side);
  }
  if (c->numProducts == 1)
    c->diagonal = mloptFindDiagonal(product, side);
  found = found && mloptFindFolds(program, c);
  if (c->numOfRows)
    c->rowOperations = (c->numOfRows + 1) * mloptEpilogueOperations(c);
  MlirValue stored = c->outputs[0].value;
  c->isPlain = c->numProducts == 1 && c->numOutputs == 1 && !c->numOfRows &&
               !c->numFolds &&
               (isSum(stored, product) || isRounded(stored, product));
  c->roundsSeveral = roundsSeveral(c);
  return found;
}

/// Products side by side in each tile, or one.
static bool readOne(MlirBlock program, const Products *products, intptr_t side,
                    MloptContractions *out) {
  MloptContraction *c = &out->at[0];
  *c = (MloptContraction){.sizes = {1, 1, 1, 1}};
  memcpy(c->products, products->at, sizeof c->products);
  c->numProducts = products->count;
  out->count = 1;
  intptr_t numStores;
  if (!readContraction(program, products, side, c, &numStores) ||
      c->numOutputs + c->numRowOutputs + c->numFolds != numStores)
    return false;
  mloptFindResiduals(program, c);
  return true;
}

static bool sameIndex(const MloptMapIndex *x, const MloptMapIndex *y) {
  bool same = x->constant == y->constant && x->count == y->count;
  for (intptr_t i = 0; same && i < x->count; ++i)
    same = x->terms[i].axis == y->terms[i].axis &&
           x->terms[i].step == y->terms[i].step &&
           x->terms[i].size == y->terms[i].size &&
           x->terms[i].factor == y->terms[i].factor;
  return same;
}

/// Whether boxes of two factors differ in their tensor maps alone.
static bool areLoadedAlike(const MloptMatrix *x, const MloptMatrix *y) {
  bool alike =
      x->isKMajor == y->isKMajor && !x->isPixels && !y->isPixels &&
      x->rank == y->rank &&
      mlirTypeEqual(mloptElementType(x->type), mloptElementType(y->type));
  for (intptr_t i = 0; alike && i < x->rank; ++i)
    alike = sameIndex(&x->dims[i].at, &y->dims[i].at);
  return alike;
}

/// Whether stages of two contractions' tiles are alike, and what may be tensor
/// maps is the same factor of both, or of one of them alone.
static bool areListed(const MloptContraction *x, const MloptContraction *y) {
  return areLoadedAlike(&x->a, &y->a) && areLoadedAlike(&x->b, &y->b) &&
         x->a.parameter != y->b.parameter && x->b.parameter != y->a.parameter &&
         x->sizes[MLOPT_AXIS_K] == y->sizes[MLOPT_AXIS_K] && x->run == y->run &&
         x->isFast == y->isFast && x->isInOrder == y->isInOrder &&
         x->isPromoted == y->isPromoted && !x->diagonal.isKnown &&
         !y->diagonal.isKnown &&
         mlirTypeEqual(mloptElementType(mloptResultType(x->products[0], 0)),
                       mloptElementType(mloptResultType(y->products[0], 0))) &&
         (x->a.parameter == y->a.parameter || x->b.parameter == y->b.parameter);
}

/// Each product in tiles of its own. What lies beside them is read from memory.
static bool readList(MlirBlock program, const Products *products,
                     MloptContractions *out) {
  intptr_t numOutputs = 0, numStores = 0;
  for (intptr_t i = 0; i < products->count; ++i) {
    MloptContraction *c = &out->at[i];
    *c = (MloptContraction){
        .sizes = {1, 1, 1, 1}, .numProducts = 1, .products = {products->at[i]}};
    if (!readContraction(program, products, 0, c, &numStores) ||
        (i && !areListed(&out->at[0], c)))
      return false;
    numOutputs += c->numOutputs + c->numRowOutputs + c->numFolds;
  }
  out->count = products->count;
  return numOutputs == numStores;
}

bool mloptFindContractions(MlirBlock program, MloptContractions *out) {
  Products products = {.count = 0};
  intptr_t side;
  if (!readProducts(program, &products))
    return false;
  return (areAllAlike(&products, &side) &&
          readOne(program, &products, side, out)) ||
         (products.count > 1 && readList(program, &products, out));
}
