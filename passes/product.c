//===- product.c - Sums of products over any loops ------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "product.h"

#include "contraction_impl.h"

static bool isParallel(MlirOperation generic, intptr_t loop) {
  MlirAttribute parallel =
      mlirAttributeParseGet(mlirOperationGetContext(generic),
                            mloptStr("#linalg.iterator_type<parallel>"));
  return mlirAttributeEqual(
      mlirArrayAttrGetElement(mloptAttr(generic, "iterator_types"), loop),
      parallel);
}

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

/// The argument of the body that a value is after casts; -1 if there is none.
static intptr_t argumentBehind(MlirValue value, MlirBlock body) {
  while (mlirValueIsAOpResult(value)) {
    MlirOperation op = mlirOpResultGetOwner(value);
    if (!mlirBlockEqual(mlirOperationGetBlock(op), body) ||
        mlirOperationGetNumOperands(op) != 1 ||
        mlirOperationGetNumResults(op) != 1 ||
        mlirOperationGetNumRegions(op) != 0)
      return -1;
    value = mloptOperand(op, 0);
  }
  return mlirBlockEqual(mlirBlockArgumentGetOwner(value), body)
             ? mlirBlockArgumentGetArgNumber(value)
             : -1;
}

/// acc + a * b, in either order each, of floats or of integers.
static bool readBody(MloptProduct *p) {
  MlirBlock body = bodyOf(p->generic);
  MlirValue sum = mloptOperand(mlirBlockGetTerminator(body), 0);
  bool floats = mloptIsFloatElement(p->sum);
  if (!mloptIsDefinedBy(sum, floats ? "arith.addf" : "arith.addi"))
    return false;
  MlirOperation add = mloptDefiningOp(sum);
  p->isOrdered = !mlirAttributeIsNull(mloptAttr(add, "mlopt.ordered"));
  MlirValue accumulator = mlirBlockGetArgument(body, 2);
  int other = mlirValueEqual(mloptOperand(add, 0), accumulator) ? 1 : 0;
  MlirValue product = mloptOperand(add, other);
  if (!mlirValueEqual(mloptOperand(add, 1 - other), accumulator) ||
      !mloptIsDefinedBy(product, floats ? "arith.mulf" : "arith.muli"))
    return false;
  bool found[2] = {false, false};
  for (int i = 0; i < 2; ++i) {
    MlirValue multiplied = mloptOperand(mloptDefiningOp(product), i);
    intptr_t argument = argumentBehind(multiplied, body);
    if (argument < 0 || argument > 1 || found[argument])
      return false;
    found[argument] = true;
    p->factors[argument] = (MloptFactor){
        .operand = argument,
        .element = mloptElementType(mloptOperandType(p->generic, argument)),
        .multiplied = multiplied};
  }
  return true;
}

static bool isSummed(MlirType type) {
  return mlirTypeIsAF32(type) || mlirTypeIsAF64(type) ||
         (mlirTypeIsAInteger(type) &&
          (mloptElementWidth(type) == 32 || mloptElementWidth(type) == 64));
}

/// Whether the operation is a sum of products that starts from zero.
static bool readGeneric(MlirOperation op, MloptProduct *out) {
  if (!mloptIsNamed(op, "linalg.generic") ||
      mlirOperationGetNumResults(op) != 1 || numInputs(op) != 2 ||
      !mlirTypeIsAShaped(mloptOperandType(op, 0)) ||
      !mlirTypeIsAShaped(mloptOperandType(op, 1)))
    return false;
  *out = (MloptProduct){.generic = op,
                        .sum = mloptElementType(mloptResultType(op, 0))};
  return isSummed(out->sum) && readBody(out) &&
         mloptIsFilledWithZero(mloptOperand(op, 2));
}

//===----------------------------------------------------------------------===//
// What comes of it
//===----------------------------------------------------------------------===//

static bool dependsOn(MlirValue value, MlirOperation product) {
  MlirOperation op = mloptDefiningOp(value);
  if (mlirOperationIsNull(op) || mlirOperationEqual(op, product))
    return !mlirOperationIsNull(op);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (dependsOn(mloptOperand(op, i), product))
      return true;
  return false;
}

static bool isElementwise(MlirOperation op) {
  return mloptIsNamed(op, "linalg.generic") && mloptIsParallelGeneric(op);
}

/// Operations that move elements and compute none.
static bool isMove(MlirOperation op) {
  static const char *const names[] = {
      "arith.constant",        "builtin.unrealized_conversion_cast",
      "tensor.collapse_shape", "tensor.empty",
      "tensor.expand_shape",   "tensor.extract_slice",
      "tensor.insert_slice"};
  for (int i = 0; i < MLOPT_COUNT(names); ++i)
    if (mloptIsNamed(op, names[i]))
      return true;
  return false;
}

/// Whether an element of a value that does not come from the product takes a
/// bounded number of operations.
static bool isBounded(MlirValue value) {
  MlirOperation op = mloptDefiningOp(value);
  if (mlirOperationIsNull(op) || !mlirTypeIsAShaped(mlirValueGetType(value)))
    return true;
  if (!isMove(op) && !isElementwise(op))
    return false;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (!isBounded(mloptOperand(op, i)))
      return false;
  return true;
}

/// Whether an element of a value needs the product, if at all, at the element
/// in the same place in row-major order alone, and no other sum.
static bool followsProduct(MlirValue value, MlirOperation product) {
  MlirOperation op = mloptDefiningOp(value);
  if (!dependsOn(value, product))
    return isBounded(value);
  if (mlirOperationEqual(op, product))
    return true;
  if (mloptIsNamed(op, "tensor.expand_shape") ||
      mloptIsNamed(op, "tensor.collapse_shape"))
    return followsProduct(mloptOperand(op, 0), product);
  if (!isElementwise(op) || mloptIsIrregular(op))
    return false;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    MlirValue operand = mloptOperand(op, i);
    bool inPlace = mlirAffineMapIsIdentity(mapOf(op, i));
    if (!followsProduct(operand, product) ||
        ((i >= numInputs(op) || dependsOn(operand, product)) && !inPlace))
      return false;
  }
  return true;
}

static bool sameCount(MlirType a, MlirType b) {
  return mloptNumElements(a) == mloptNumElements(b);
}

/// Whether the program has one sum, and stores what comes of it.
static bool readProgram(MlirBlock program, MloptProduct *out) {
  intptr_t numProducts = 0, numStores = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(program);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    MloptProduct product;
    if (readGeneric(op, &product)) {
      *out = product;
      ++numProducts;
    }
  }
  if (numProducts != 1)
    return false;
  for (MlirOperation op = mlirBlockGetFirstOperation(program);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!mloptIsNamed(op, "bufferization.materialize_in_destination"))
      continue;
    MlirValue value = mloptOperand(op, 0);
    ++numStores;
    if (!dependsOn(value, out->generic) ||
        !followsProduct(value, out->generic) ||
        mloptElementWidth(mloptElementType(mlirValueGetType(value))) < 8 ||
        !sameCount(mlirValueGetType(value), mloptResultType(out->generic, 0)))
      return false;
  }
  return numStores > 0;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static bool hasLoop(MlirAffineExpr expr, intptr_t loop) {
  if (mlirAffineExprIsADim(expr))
    return mlirAffineDimExprGetPosition(expr) == loop;
  if (mlirAffineExprIsAConstant(expr) || mlirAffineExprIsASymbol(expr))
    return false;
  return hasLoop(mlirAffineBinaryOpExprGetLHS(expr), loop) ||
         hasLoop(mlirAffineBinaryOpExprGetRHS(expr), loop);
}

static bool mapHasLoop(MlirAffineMap map, intptr_t loop) {
  for (intptr_t i = 0, n = mlirAffineMapGetNumResults(map); i < n; ++i)
    if (hasLoop(mlirAffineMapGetResult(map, i), loop))
      return true;
  return false;
}

static void addLoop(MloptProduct *p, MloptAxis axis, intptr_t loop) {
  MloptLoops *loops = &p->axes[axis];
  loops->at[loops->count++] = loop;
  loops->size *= p->sizes[loop];
}

/// Sorts the loops of the result in its order, then the others in theirs: those
/// in both factors or none are of the batch.
static bool splitLoops(MloptProduct *p) {
  MlirAffineMap maps[3];
  for (int i = 0; i < 3; ++i)
    maps[i] = mapOf(p->generic, i);
  p->numLoops = mlirAffineMapGetNumDims(maps[0]);
  if (p->numLoops > MLOPT_MAX_LOOPS_OF_PRODUCT ||
      !mlirAffineMapIsProjectedPermutation(maps[2]))
    return false;
  for (int axis = 0; axis < MLOPT_NUM_AXES; ++axis)
    p->axes[axis].size = 1;
  intptr_t numKept = mlirAffineMapGetNumResults(maps[2]);
  for (intptr_t i = 0; i < p->numLoops; ++i) {
    p->sizes[i] = mloptLoopSize(p->generic, i);
    if (p->sizes[i] <= 0 || isParallel(p->generic, i) != mapHasLoop(maps[2], i))
      return false;
    if (!isParallel(p->generic, i))
      addLoop(p, MLOPT_AXIS_K, i);
  }
  for (intptr_t d = 0; d < numKept; ++d) {
    intptr_t loop =
        mlirAffineDimExprGetPosition(mlirAffineMapGetResult(maps[2], d));
    bool inA = mapHasLoop(maps[0], loop), inB = mapHasLoop(maps[1], loop);
    addLoop(p,
            inA == inB ? MLOPT_AXIS_BATCH
            : inA      ? MLOPT_AXIS_M
                       : MLOPT_AXIS_N,
            loop);
  }
  return true;
}

/// The loop of the result's last dimension of more than one element; -1 if
/// there is none.
static intptr_t lastLoop(const MloptProduct *p) {
  MlirAffineMap map = mapOf(p->generic, 2);
  for (intptr_t d = mlirAffineMapGetNumResults(map); d-- > 0;) {
    intptr_t loop =
        mlirAffineDimExprGetPosition(mlirAffineMapGetResult(map, d));
    if (p->sizes[loop] > 1)
      return loop;
  }
  return -1;
}

static bool axisHas(const MloptLoops *loops, intptr_t loop) {
  for (intptr_t i = 0; i < loops->count; ++i)
    if (loops->at[i] == loop)
      return true;
  return false;
}

/// The other way round, so that n is the axis of the result's last dimension.
static bool orient(MloptProduct *p) {
  intptr_t last = lastLoop(p);
  if (axisHas(&p->axes[MLOPT_AXIS_N], last))
    return true;
  if (!axisHas(&p->axes[MLOPT_AXIS_M], last))
    return false;
  MloptFactor factor = p->factors[0];
  p->factors[0] = p->factors[1];
  p->factors[1] = factor;
  MloptLoops loops = p->axes[MLOPT_AXIS_M];
  p->axes[MLOPT_AXIS_M] = p->axes[MLOPT_AXIS_N];
  p->axes[MLOPT_AXIS_N] = loops;
  return true;
}

/// Where a factor's elements lie, or what they are computed from: 16-bit
/// floats, which Tensor Cores take.
static void readAccess(MlirOperation generic, MloptFactor *f) {
  MloptPrologue prologue;
  f->access = f->source = mloptDescribeAccess(generic, f->operand);
  f->read = f->element;
  f->isComputed = !f->access.isKnown &&
                  (mlirTypeIsABF16(f->element) || mlirTypeIsAF16(f->element)) &&
                  mloptFindPrologue(generic, f->operand, &prologue) &&
                  mlirOperationIsNull(prologue.gather);
  if (!f->isComputed)
    return;
  f->source = (MloptAccess){.isKnown = true,
                            .tensor = prologue.source,
                            .position = prologue.position};
  f->read = mloptElementType(prologue.type);
}

bool mloptFindProduct(MlirBlock program, MloptProduct *out) {
  if (!readProgram(program, out) || !splitLoops(out) || !orient(out))
    return false;
  out->diagonal = mloptFindDiagonal(out->generic, out->factors[0].operand);
  for (int i = 0; i < 2; ++i)
    readAccess(out->generic, &out->factors[i]);
  return true;
}
