//===- contraction.c - Matrix products in tensor programs -----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "contraction.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

static MlirOperation definerOf(MlirValue value) {
  return mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value)
                                     : (MlirOperation){NULL};
}

static bool isDefinedBy(MlirValue value, const char *name) {
  MlirOperation op = definerOf(value);
  return !mlirOperationIsNull(op) && mloptIsNamed(op, name);
}

static bool isView(MlirValue tensor) {
  return isDefinedBy(tensor, "tensor.expand_shape") ||
         isDefinedBy(tensor, "tensor.collapse_shape");
}

/// The parameter that a tensor is, perhaps under another shape; -1 if it is
/// something else.
static intptr_t parameterOf(MlirValue tensor) {
  while (isView(tensor))
    tensor = mloptOperand(definerOf(tensor), 0);
  if (!isDefinedBy(tensor, "builtin.unrealized_conversion_cast"))
    return -1;
  MlirValue pointer = mloptOperand(definerOf(tensor), 0);
  return mlirValueIsABlockArgument(pointer)
             ? mlirBlockArgumentGetArgNumber(pointer)
             : -1;
}

/// The one operation that stores; null if there are more.
static MlirOperation onlyStore(MlirBlock program) {
  MlirOperation store = {NULL};
  for (MlirOperation op = mlirBlockGetFirstOperation(program);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!mloptIsNamed(op, "bufferization.materialize_in_destination"))
      continue;
    if (!mlirOperationIsNull(store))
      return (MlirOperation){NULL};
    store = op;
  }
  return store;
}

static MlirAffineMap mapOf(MlirOperation generic, intptr_t operand) {
  return mlirAffineMapAttrGetValue(
      mlirArrayAttrGetElement(mloptAttr(generic, "indexing_maps"), operand));
}

static MlirBlock bodyOf(MlirOperation generic) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(generic, 0));
}

static intptr_t numInputs(MlirOperation generic) {
  return mlirOperationGetNumOperands(generic) -
         mlirOperationGetNumResults(generic);
}

static bool isParallel(MlirOperation generic) {
  MlirAttribute kinds = mloptAttr(generic, "iterator_types");
  MlirAttribute parallel =
      mlirAttributeParseGet(mlirOperationGetContext(generic),
                            mloptStr("#linalg.iterator_type<parallel>"));
  for (intptr_t i = 0, n = mlirArrayAttrGetNumElements(kinds); i < n; ++i)
    if (!mlirAttributeEqual(mlirArrayAttrGetElement(kinds, i), parallel))
      return false;
  return true;
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

/// A tensor of zeros: a splat constant, or a generic that yields one.
static bool isFilledWithZero(MlirValue tensor) {
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
      isParallel(generic))
    return false;
  return mloptElementWidth(mloptElementType(mloptOperandType(generic, 0))) ==
             mloptElementWidth(
                 mloptElementType(mloptOperandType(generic, 1))) &&
         !mlirOperationIsNull(productOf(generic)) &&
         isFilledWithZero(mloptOperand(generic, 2));
}

//===----------------------------------------------------------------------===//
// What follows the product
//===----------------------------------------------------------------------===//

/// Whether a value comes from the product.
static bool dependsOn(MlirValue value, MlirOperation product) {
  MlirOperation op = definerOf(value);
  if (mlirOperationIsNull(op) || mlirOperationEqual(op, product))
    return !mlirOperationIsNull(op);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (dependsOn(mloptOperand(op, i), product))
      return true;
  return false;
}

/// Whether a body reads tensors at indices that it computes.
static bool extracts(MlirOperation generic) {
  for (MlirOperation op = mlirBlockGetFirstOperation(bodyOf(generic));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (mloptIsNamed(op, "tensor.extract") ||
        mlirOperationGetNumRegions(op) > 0)
      return true;
  return false;
}

/// Whether each element of a value takes a bounded number of operations, and
/// none of the product but the element in the same place.
static bool isElementwise(MlirValue value, MlirOperation product) {
  MlirOperation op = definerOf(value);
  if (mlirOperationIsNull(op) || mlirOperationEqual(op, product))
    return !mlirOperationIsNull(op);
  if (mloptIsNamed(op, "arith.constant") || mloptIsNamed(op, "tensor.empty") ||
      parameterOf(value) >= 0)
    return true;
  if (!mloptIsNamed(op, "linalg.generic") || !isParallel(op) || extracts(op))
    return false;
  intptr_t n = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < n; ++i) {
    bool place = mlirAffineMapIsIdentity(mapOf(op, i));
    bool isOutput = i >= numInputs(op);
    if (!isElementwise(mloptOperand(op, i), product) ||
        ((isOutput || dependsOn(mloptOperand(op, i), product)) && !place))
      return false;
  }
  return true;
}

bool mloptIsProduct(MlirOperation op) { return computesProduct(op); }

/// The product in the program; null if there is none or more than one.
static MlirOperation onlyProduct(MlirBlock program) {
  MlirOperation product = {NULL};
  for (MlirOperation op = mlirBlockGetFirstOperation(program);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!computesProduct(op))
      continue;
    if (!mlirOperationIsNull(product))
      return (MlirOperation){NULL};
    product = op;
  }
  return product;
}

/// Whether the result is a generic that does nothing but truncate the product.
static bool isRounded(MlirValue result, MlirOperation product) {
  MlirOperation op = definerOf(result);
  MlirBlock body = bodyOf(op);
  if (numInputs(op) != 1 ||
      !mlirValueEqual(mloptOperand(op, 0), mloptResult(product, 0)))
    return false;
  MlirValue yielded = mloptOperand(mlirBlockGetTerminator(body), 0);
  return isDefinedBy(yielded, "arith.truncf") &&
         mlirValueEqual(mloptOperand(definerOf(yielded), 0),
                        mlirBlockGetArgument(body, 0));
}

/// A factor is read through a tensor map, by the product alone.
static bool isReadOnce(MlirValue factor) {
  for (;; factor = mloptOperand(definerOf(factor), 0)) {
    MlirOpOperand use = mlirValueGetFirstUse(factor);
    if (!mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)))
      return false;
    if (mlirValueIsABlockArgument(factor))
      return true;
  }
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

/// The loop of dimension `dim` of an operand; -1 if it is no single loop.
static int64_t loopOf(MlirAffineMap map, intptr_t dim) {
  MlirAffineExpr expression = mlirAffineMapGetResult(map, dim);
  return mlirAffineExprIsADim(expression)
             ? mlirAffineDimExprGetPosition(expression)
             : -1;
}

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

static bool splitAxes(MloptContraction *c) {
  MlirAffineMap maps[3];
  for (int i = 0; i < 3; ++i)
    maps[i] = mapOf(c->generic, i);
  intptr_t numLoops = mlirAffineMapGetNumDims(maps[0]);
  Axes axes = {.count = {0}};
  if (numLoops > MLOPT_MAX_RANK)
    return false;
  for (intptr_t i = 0; i < numLoops; ++i)
    axes.of[i] = axisOf(maps, i);
  MloptMatrix *matrices[] = {&c->a, &c->b, &c->c};
  for (int i = 0; i < 3; ++i)
    if (!addTensor(&axes, maps[i], mloptOperandType(c->generic, i), matrices[i],
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
  MloptMatrix *matrices[] = {&c->a, &c->b, &c->c};
  int64_t size = c->sizes[MLOPT_AXIS_M];
  c->sizes[MLOPT_AXIS_M] = c->sizes[MLOPT_AXIS_N];
  c->sizes[MLOPT_AXIS_N] = size;
  for (int i = 0; i < 3; ++i) {
    int64_t *strides = matrices[i]->strides, stride = strides[MLOPT_AXIS_M];
    strides[MLOPT_AXIS_M] = strides[MLOPT_AXIS_N];
    strides[MLOPT_AXIS_N] = stride;
  }
  for (int i = 0; i < MLOPT_MAX_RANK; ++i)
    if (c->axesOfC[i] == MLOPT_AXIS_M || c->axesOfC[i] == MLOPT_AXIS_N)
      c->axesOfC[i] =
          c->axesOfC[i] == MLOPT_AXIS_M ? MLOPT_AXIS_N : MLOPT_AXIS_M;
}

bool mloptFindContraction(MlirBlock program, MloptContraction *out) {
  *out = (MloptContraction){.sizes = {1, 1, 1, 1}};
  MlirOperation store = onlyStore(program);
  out->generic = onlyProduct(program);
  if (mlirOperationIsNull(store) || mlirOperationIsNull(out->generic))
    return false;
  out->result = mloptOperand(store, 0);
  MlirValue product = mloptResult(out->generic, 0);
  if (!dependsOn(out->result, out->generic) ||
      !isElementwise(out->result, out->generic) || !splitAxes(out))
    return false;
  out->isPlain = mlirValueEqual(out->result, product) ||
                 isRounded(out->result, out->generic);
  out->isFast = isApproximate(productOf(out->generic));
  out->isInOrder = !mlirAttributeIsNull(mloptAttr(
      definerOf(mloptOperand(mlirBlockGetTerminator(bodyOf(out->generic)), 0)),
      "mlopt.ordered"));
  out->isPromoted =
      !mlirAttributeIsNull(mloptAttr(out->generic, "mlopt.promote"));
  out->a.parameter = parameterOf(mloptOperand(out->generic, 0));
  out->b.parameter = parameterOf(mloptOperand(out->generic, 1));
  out->c.parameter = parameterOf(mloptOperand(store, 1));
  out->c.type = mlirValueGetType(out->result);
  if (out->a.parameter < 0 || out->b.parameter < 0 || out->c.parameter < 0 ||
      !isReadOnce(mloptOperand(out->generic, 0)) ||
      !isReadOnce(mloptOperand(out->generic, 1)))
    return false;
  if (out->c.strides[MLOPT_AXIS_M] == 1)
    exchange(out);
  return out->c.strides[MLOPT_AXIS_N] == 1;
}
