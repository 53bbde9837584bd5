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

/// Whether `value` is the body's argument `argument`, as it is or widened.
static bool isFactor(MlirValue value, MlirBlock body, intptr_t argument) {
  if (isDefinedBy(value, "arith.extf") || isDefinedBy(value, "arith.extsi"))
    value = mloptOperand(definerOf(value), 0);
  return mlirValueEqual(value, mlirBlockGetArgument(body, argument));
}

/// The multiplication in acc + a * b, in either order each; null if the body is
/// something else.
static MlirOperation productOf(MlirOperation generic) {
  MlirBlock body = bodyOf(generic);
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
  int first = isFactor(mloptOperand(product, 0), body, 0) ? 0 : 1;
  return isFactor(mloptOperand(product, first), body, 0) &&
                 isFactor(mloptOperand(product, 1 - first), body, 1)
             ? product
             : (MlirOperation){NULL};
}

/// Whether the flags of an operation let it be approximated.
static bool isApproximate(MlirOperation op) {
  MlirContext context = mlirOperationGetContext(op);
  MlirAttribute flags = mloptAttr(op, "fastmath");
  return !mlirAttributeIsNull(flags) &&
         (mlirAttributeEqual(
              flags, mlirAttributeParseGet(
                         context, mloptStr("#arith.fastmath<reassoc,arcp,"
                                           "contract,afn>"))) ||
          mlirAttributeEqual(
              flags, mlirAttributeParseGet(context,
                                           mloptStr("#arith.fastmath<fast>"))));
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
         !mlirOperationIsNull(productOf(generic)) &&
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

/// Whether the result is a generic that does nothing but truncate the product.
static bool isRounded(MlirValue result, MlirOperation product) {
  MlirOperation op = definerOf(result);
  if (!mloptIsNamed(op, "linalg.generic") || numInputs(op) != 1 ||
      mlirOperationGetNumResults(op) != 1 ||
      !mlirValueEqual(mloptOperand(op, 0), mloptResult(product, 0)))
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
// Axes
//===----------------------------------------------------------------------===//

static bool hasLoop(MlirAffineMap map, int64_t loop) {
  for (intptr_t i = 0, n = mlirAffineMapGetNumResults(map); i < n; ++i)
    if (loopOf(map, i) == loop)
      return true;
  return false;
}

static MloptAxis axisOf(const MlirAffineMap maps[3], int64_t loop) {
  static const MloptAxis axes[8] = {
      MLOPT_NUM_AXES, MLOPT_NUM_AXES, MLOPT_NUM_AXES, MLOPT_AXIS_K,
      MLOPT_NUM_AXES, MLOPT_AXIS_M,   MLOPT_AXIS_N,   MLOPT_AXIS_BATCH};
  return axes[hasLoop(maps[0], loop) + 2 * hasLoop(maps[1], loop) +
              4 * hasLoop(maps[2], loop)];
}

/// The loops of each axis in the order of the first tensor that has it.
typedef struct Axes {
  MloptAxis of[MLOPT_MAX_RANK];
  intptr_t count[MLOPT_NUM_AXES];
  int64_t loops[MLOPT_NUM_AXES][MLOPT_MAX_RANK];
} Axes;

/// Adds the dimensions of one tensor, innermost first: the loops of an axis
/// must lie next to each other, in the same order as in the other tensors.
static bool addTensor(Axes *axes, MlirAffineMap map, MlirType type,
                      MloptMatrix *matrix, int64_t *sizes) {
  intptr_t seen[MLOPT_NUM_AXES] = {0};
  MloptAxis last = MLOPT_NUM_AXES;
  int64_t stride = 1;
  matrix->type = type;
  for (intptr_t dim = mloptRank(type); dim-- > 0;) {
    int64_t loop = loopOf(map, dim), size = mloptDim(type, dim);
    if (loop < 0 || axes->of[loop] == MLOPT_NUM_AXES)
      return false;
    MloptAxis axis = axes->of[loop];
    if (size == 1)
      continue;
    intptr_t at = seen[axis]++;
    if (at && axis != last)
      return false;
    if (at == axes->count[axis]) {
      axes->loops[axis][axes->count[axis]++] = loop;
      sizes[axis] *= size;
    } else if (axes->loops[axis][at] != loop) {
      return false;
    }
    if (!at)
      matrix->strides[axis] = stride;
    stride *= size;
    last = axis;
  }
  return true;
}

static bool splitAxes(MloptContraction *c, intptr_t side) {
  const intptr_t operands[] = {side, 1 - side, 2};
  MlirAffineMap maps[3];
  for (int i = 0; i < 3; ++i)
    maps[i] = mapOf(c->products[0], operands[i]);
  intptr_t numLoops = mlirAffineMapGetNumDims(maps[0]);
  Axes axes = {.count = {0}};
  if (numLoops > MLOPT_MAX_RANK)
    return false;
  for (intptr_t i = 0; i < numLoops; ++i)
    axes.of[i] = axisOf(maps, i);
  MloptMatrix result, *matrices[] = {&c->a, &c->b, &result};
  for (int i = 0; i < 3; ++i)
    if (!addTensor(&axes, maps[i],
                   mloptOperandType(c->products[0], operands[i]), matrices[i],
                   c->sizes))
      return false;
  for (intptr_t i = 0, n = mlirAffineMapGetNumResults(maps[2]); i < n; ++i)
    c->axesOfC[i] = axes.of[loopOf(maps[2], i)];
  return true;
}

/// The other way round: C transposed is B times A transposed.
static void exchange(MloptContraction *c) {
  MloptMatrix a = c->a;
  c->a = c->b;
  c->b = a;
  c->parametersOfB[0] = a.parameter;
  MloptMatrix *matrices[] = {&c->a, &c->b};
  int64_t size = c->sizes[MLOPT_AXIS_M];
  c->sizes[MLOPT_AXIS_M] = c->sizes[MLOPT_AXIS_N];
  c->sizes[MLOPT_AXIS_N] = size;
  for (int i = 0; i < 2; ++i) {
    int64_t *strides = matrices[i]->strides, stride = strides[MLOPT_AXIS_M];
    strides[MLOPT_AXIS_M] = strides[MLOPT_AXIS_N];
    strides[MLOPT_AXIS_N] = stride;
  }
  for (int i = 0; i < MLOPT_MAX_RANK; ++i)
    if (c->axesOfC[i] == MLOPT_AXIS_M || c->axesOfC[i] == MLOPT_AXIS_N)
      c->axesOfC[i] =
          c->axesOfC[i] == MLOPT_AXIS_M ? MLOPT_AXIS_N : MLOPT_AXIS_M;
}

/// The parameters that are the factors; false if they are something else.
static bool readFactors(MloptContraction *c, intptr_t side) {
  MlirValue a = mloptOperand(c->products[0], side);
  c->a.parameter = mloptParameterOf(a);
  if (c->a.parameter < 0 || !isReadBy(a, c->numProducts))
    return false;
  for (intptr_t i = 0; i < c->numProducts; ++i) {
    MlirValue b = mloptOperand(c->products[i], 1 - side);
    c->parametersOfB[i] = mloptParameterOf(b);
    if (c->parametersOfB[i] < 0 || !isReadBy(b, 1))
      return false;
  }
  c->b.parameter = c->parametersOfB[0];
  return true;
}

bool mloptFindContraction(MlirBlock program, MloptContraction *out) {
  *out = (MloptContraction){.sizes = {1, 1, 1, 1}};
  intptr_t side;
  if (!readProducts(program, out, &side) || !mloptFindOutputs(program, out) ||
      !splitAxes(out, side) || !readFactors(out, side))
    return false;
  MlirOperation product = out->products[0];
  out->isFast = isApproximate(productOf(product));
  out->isInOrder = isInOrder(product);
  out->isPromoted = !mlirAttributeIsNull(mloptAttr(product, "mlopt.promote"));
  MloptStoreDigit digits[MLOPT_PLACE_MAX_DIGITS];
  intptr_t n = mloptOutputDigits(out, &out->outputs[0], digits);
  if (n && digits[0].axis == MLOPT_AXIS_M) {
    if (out->numProducts > 1)
      return false;
    exchange(out);
  }
  MlirValue stored = out->outputs[0].value;
  out->isPlain = out->numProducts == 1 && out->numOutputs == 1 &&
                 (mlirValueEqual(stored, mloptResult(product, 0)) ||
                  isRounded(stored, product));
  return true;
}
