//===- outline_prologue.c - Factors out of the bodies of products ---------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// linalg-fuse-elementwise-ops puts what computes a factor into the body of the
// product, and a program may come in so. Kernels of products read two factors,
// so that what computes one becomes an operation of its own again:
//
//   %r = generic(%x, %w, %scale) { acc + x * (bf16(w) * scale) }
// becomes
//   %f = generic(%w, %scale) { bf16(w) * scale }   // of parallel loops
//   %r = generic(%x, %f) { acc + x * f }
//
// Factors that are no more than casts of one operand stay, to other types than
// f16 and bf16, or where both are beside few rows: kernels convert what they
// load (product.h).
//
//===----------------------------------------------------------------------===//

#include "outline_impl.h"

#include "contraction_impl.h"
#include "to_linalg.h"

enum { MAX_OPERATIONS = 64, FEW_ROWS = 64 };

/// One of the two values that a body multiplies.
typedef struct Side {
  MlirValue multiplied; ///< in the product's type
  MlirOperation widens; ///< from the factor's; null if they are the same
  MlirValue factor;     ///< an argument of the body, or computed there
  bool reads[MLOPT_MAX_GENERIC_OPERANDS]; ///< inputs
  bool loops[MLOPT_MAX_LOOPS];            ///< that it depends on
  intptr_t count;
  MlirOperation at[MAX_OPERATIONS]; ///< that compute it, in order
} Side;

typedef struct Cut {
  MlirOperation product, add, multiply;
  MlirBlock body;
  intptr_t numLoops;
  Side sides[2];
} Cut;

//===----------------------------------------------------------------------===//
// What computes a factor
//===----------------------------------------------------------------------===//

static bool hasDim(MlirAffineExpr expr, intptr_t loop) {
  return mlirAffineExprIsFunctionOfDim(expr, loop);
}

static void addLoops(const Cut *cut, Side *side, MlirAffineMap map) {
  for (intptr_t d = 0, n = mlirAffineMapGetNumResults(map); d < n; ++d)
    for (intptr_t l = 0; l < cut->numLoops; ++l)
      side->loops[l] |= hasDim(mlirAffineMapGetResult(map, d), l);
}

/// Whether a tensor comes from a sum, as the weights of attention do.
static bool comesFromSum(MlirValue tensor) {
  MlirOperation op = mloptDefiningOp(tensor);
  if (mlirOperationIsNull(op))
    return false;
  if (mloptIsNamed(op, "linalg.generic") && !mloptIsParallelGeneric(op))
    return true;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (comesFromSum(mloptOperand(op, i)))
      return true;
  return false;
}

/// Adds what a value needs; false if it cannot be taken out.
static bool addValue(const Cut *cut, Side *side, MlirValue value) {
  if (mlirValueIsABlockArgument(value)) {
    intptr_t i = mlirBlockArgumentGetArgNumber(value);
    if (!mlirBlockEqual(mlirBlockArgumentGetOwner(value), cut->body))
      return true; // of the fusion
    if (i >= numInputs(cut->product) ||
        comesFromSum(mloptOperand(cut->product, i)))
      return false;
    side->reads[i] = true;
    addLoops(cut, side, mapOf(cut->product, i));
    return true;
  }
  MlirOperation op = mloptDefiningOp(value);
  if (!mlirBlockEqual(mlirOperationGetBlock(op), cut->body))
    return true;
  for (intptr_t i = 0; i < side->count; ++i)
    if (mlirOperationEqual(side->at[i], op))
      return true;
  if (mlirOperationGetNumRegions(op) || side->count == MAX_OPERATIONS)
    return false;
  if (mloptIsNamed(op, "linalg.index"))
    side->loops[mlirIntegerAttrGetValueInt(mloptAttr(op, "dim"))] = true;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (!addValue(cut, side, mloptOperand(op, i)))
      return false;
  if (side->count == MAX_OPERATIONS)
    return false;
  side->at[side->count++] = op;
  return true;
}

static bool isOfFactorType(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  return mlirTypeIsABF16(type) || mlirTypeIsAF16(type);
}

/// Whether a factor is no more than casts of one argument.
static bool isCast(const Side *side) {
  for (intptr_t i = 0; i < side->count; ++i)
    if (mlirOperationGetNumOperands(side->at[i]) != 1)
      return false;
  return true;
}

static bool readSide(const Cut *cut, MlirValue multiplied, Side *side) {
  side->multiplied = side->factor = multiplied;
  if (mloptIsDefinedBy(multiplied, "arith.extf") ||
      mloptIsDefinedBy(multiplied, "arith.extsi")) {
    side->widens = mloptDefiningOp(multiplied);
    side->factor = mloptOperand(side->widens, 0);
  }
  return addValue(cut, side, side->factor);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Reads acc + x * y, in either order.
static bool readBody(Cut *cut) {
  MlirOperation yield = mlirBlockGetTerminator(cut->body);
  MlirValue sum = mloptOperand(yield, 0);
  bool isInteger = mloptIsDefinedBy(sum, "arith.addi");
  if (!isInteger && !mloptIsDefinedBy(sum, "arith.addf"))
    return false;
  cut->add = mloptDefiningOp(sum);
  MlirValue acc = mlirBlockGetArgument(cut->body, numInputs(cut->product));
  int other = mlirValueEqual(mloptOperand(cut->add, 0), acc) ? 1 : 0;
  MlirValue product = mloptOperand(cut->add, other);
  if (!mlirValueEqual(mloptOperand(cut->add, 1 - other), acc) ||
      !mloptIsDefinedBy(product, isInteger ? "arith.muli" : "arith.mulf"))
    return false;
  cut->multiply = mloptDefiningOp(product);
  return readSide(cut, mloptOperand(cut->multiply, 0), &cut->sides[0]) &&
         readSide(cut, mloptOperand(cut->multiply, 1), &cut->sides[1]);
}

/// Indices of loops of the result that one side alone depends on; 0 if it has
/// no such loop.
static int64_t countRows(const Cut *cut, int side) {
  MlirAffineMap result = mapOf(cut->product, numInputs(cut->product));
  int64_t rows = 0;
  for (intptr_t d = 0, n = mlirAffineMapGetNumResults(result); d < n; ++d) {
    int64_t loop = loopOf(result, d);
    if (loop >= 0 && cut->sides[side].loops[loop] &&
        !cut->sides[1 - side].loops[loop])
      rows = (rows ? rows : 1) * mloptLoopSize(cut->product, loop);
  }
  return rows;
}

/// Whether a side is to be taken out.
static bool isComputed(const Cut *cut, int side) {
  const Side *s = &cut->sides[side];
  return s->count > 0 &&
         (!isCast(s) ||
          (isOfFactorType(s->factor) && (!cut->sides[1 - side].count ||
                                         countRows(cut, 1 - side) > FEW_ROWS)));
}

/// Whether a generic is a product of two factors with rows of their own, one of
/// which it computes.
static bool readProduct(MlirOperation op, Cut *cut) {
  if (!mloptIsNamed(op, "linalg.generic") ||
      mlirOperationGetNumResults(op) != 1 || mloptIsParallelGeneric(op) ||
      mlirOperationGetNumOperands(op) > MLOPT_MAX_GENERIC_OPERANDS)
    return false;
  *cut = (Cut){.product = op, .body = bodyOf(op)};
  cut->numLoops = mlirAffineMapGetNumDims(mapOf(op, 0));
  return cut->numLoops <= MLOPT_MAX_LOOPS && readBody(cut) &&
         countRows(cut, 0) * countRows(cut, 1) > 1 &&
         (isComputed(cut, 0) || isComputed(cut, 1));
}

//===----------------------------------------------------------------------===//
// Taking out
//===----------------------------------------------------------------------===//

/// The loops of a factor as its dimensions: in the order of an input that has
/// them all, so that neighbours stay neighbours, or in their own.
static intptr_t orderLoops(const Cut *cut, const Side *side, int64_t *out) {
  intptr_t count = 0;
  for (intptr_t l = 0; l < cut->numLoops; ++l)
    if (side->loops[l])
      out[count++] = l;
  for (intptr_t i = 0; i < numInputs(cut->product); ++i) {
    MlirAffineMap map = mapOf(cut->product, i);
    if (!side->reads[i] || mlirAffineMapGetNumResults(map) != count ||
        !mlirAffineMapIsProjectedPermutation(map))
      continue;
    for (intptr_t d = 0; d < count; ++d)
      out[d] = loopOf(map, d);
    break;
  }
  return count;
}

/// A map of the product's loops as one of a factor's dimensions.
static MlirAffineMap mapOfDims(MlirContext c, MlirAffineMap map,
                               intptr_t numLoops, intptr_t count,
                               const int64_t *order) {
  MlirAffineExpr loops[MLOPT_MAX_LOOPS], results[MLOPT_MAX_RANK];
  for (intptr_t l = 0; l < numLoops; ++l)
    loops[l] = mlirAffineConstantExprGet(c, 0);
  for (intptr_t d = 0; d < count; ++d)
    loops[order[d]] = mlirAffineDimExprGet(c, d);
  MlirAffineMap change = mlirAffineMapGet(c, count, 0, numLoops, loops);
  intptr_t n = mlirAffineMapGetNumResults(map);
  for (intptr_t d = 0; d < n; ++d)
    results[d] = mlirAffineExprCompose(mlirAffineMapGetResult(map, d), change);
  return mlirAffineMapGet(c, count, 0, n, results);
}

/// Copies an operation with its operands renamed; its result.
static MlirValue copyTo(MloptBuilder *b, MlirOperation op, MloptValueMap *map) {
  MlirOperation copy =
      mloptCloneWithMapping(op, map->count, map->from, map->to);
  mlirBlockAppendOwnedOperation(b->block, copy);
  b->failed |= !mloptValueMapAddResults(map, op, copy);
  return mloptResult(copy, 0);
}

/// The operation that computes a side; `*outMap`: its result's dimensions by
/// the product's loops.
static MlirValue takeOut(MloptBuilder *b, const Cut *cut, const Side *side,
                         MlirAffineMap *outMap) {
  int64_t order[MLOPT_MAX_LOOPS], shape[MLOPT_MAX_LOOPS];
  intptr_t count = orderLoops(cut, side, order);
  MloptGeneric g = {.numLoops = count};
  MloptValueMap map = {.count = 0};
  for (intptr_t d = 0; d < count; ++d)
    shape[d] = mloptLoopSize(cut->product, order[d]);
  for (intptr_t i = 0; i < numInputs(cut->product); ++i)
    if (side->reads[i])
      mloptAddInput(&g, mloptOperand(cut->product, i),
                    mapOfDims(b->context, mapOf(cut->product, i), cut->numLoops,
                              count, order));
  MlirType type = mloptTensorType(count, shape, mlirValueGetType(side->factor));
  mloptAddOutput(&g, mloptBuildEmpty(b, type),
                 mloptIdentityMap(b->context, count));
  mloptBeginGeneric(b, &g);
  intptr_t next = 0;
  for (intptr_t i = 0; i < numInputs(cut->product); ++i)
    if (side->reads[i])
      b->failed |= !mloptValueMapAdd(&map, mlirBlockGetArgument(cut->body, i),
                                     mloptGenericArg(&g, next++));
  for (intptr_t i = 0; i < side->count && !b->failed; ++i) {
    MlirOperation op = side->at[i];
    if (!mloptIsNamed(op, "linalg.index")) {
      copyTo(&g.body, op, &map);
      continue;
    }
    int64_t loop = mlirIntegerAttrGetValueInt(mloptAttr(op, "dim")), d = 0;
    while (order[d] != loop)
      ++d;
    b->failed |= !mloptValueMapAdd(&map, mloptResult(op, 0),
                                   mloptBuildLoopIndex(&g.body, d));
  }
  *outMap = mloptDimsMap(b->context, cut->numLoops, count, order);
  MlirValue out =
      b->failed
          ? (MlirValue){NULL}
          : mloptEndGenericValue(b, &g, mloptValueMapFind(&map, side->factor));
  mloptValueMapDestroy(&map);
  return out;
}

/// The body of the product of two factors that are its arguments.
static MlirValue multiply(const Cut *cut, MloptGeneric *g, MloptValueMap *map) {
  for (int i = 0; i < 2; ++i) {
    const Side *side = &cut->sides[i];
    MlirValue factor = mloptGenericArg(g, i);
    if (!mlirOperationIsNull(side->widens)) {
      MloptValueMap one = {.count = 0};
      g->body.failed |= !mloptValueMapAdd(&one, side->factor, factor);
      factor = copyTo(&g->body, side->widens, &one);
      mloptValueMapDestroy(&one);
    }
    g->body.failed |= !mloptValueMapAdd(map, side->multiplied, factor);
  }
  MlirValue acc = mlirBlockGetArgument(cut->body, numInputs(cut->product));
  g->body.failed |= !mloptValueMapAdd(map, acc, mloptGenericArg(g, 2));
  copyTo(&g->body, cut->multiply, map);
  return copyTo(&g->body, cut->add, map);
}

static bool cutProduct(const Cut *cut) {
  MlirOperation old = cut->product;
  MloptBuilder b = mloptBuilderBefore(old, mlirOperationGetLocation(old));
  MloptGeneric g = {.numLoops = cut->numLoops};
  MlirAffineMap result = mapOf(old, numInputs(old));
  for (intptr_t l = 0; l < cut->numLoops; ++l)
    g.reduction[l] = true;
  for (intptr_t d = 0, n = mlirAffineMapGetNumResults(result); d < n; ++d)
    g.reduction[loopOf(result, d)] = false;
  for (int i = 0; i < 2; ++i) {
    const Side *side = &cut->sides[i];
    MlirAffineMap map;
    MlirValue factor;
    if (isComputed(cut, i)) {
      factor = takeOut(&b, cut, side, &map);
    } else {
      intptr_t argument = mlirBlockArgumentGetArgNumber(side->factor);
      factor = mloptOperand(old, argument);
      map = mapOf(old, argument);
    }
    mloptAddInput(&g, factor, map);
  }
  if (b.failed)
    return false;
  mloptAddOutput(&g, mloptOperand(old, numInputs(old)), result);
  mloptBeginGeneric(&b, &g);
  MloptValueMap map = {.count = 0};
  MlirOperation made =
      mloptEndGeneric(&b, &g, (MlirValue[]){multiply(cut, &g, &map)});
  mloptValueMapDestroy(&map);
  if (b.failed)
    return false;
  for (intptr_t i = 0, n = mlirOperationGetNumDiscardableAttributes(old); i < n;
       ++i) {
    MlirNamedAttribute attr = mlirOperationGetDiscardableAttribute(old, i);
    mlirOperationSetDiscardableAttributeByName(
        made, mlirIdentifierStr(attr.name), attr.attribute);
  }
  mlirValueReplaceAllUsesOfWith(mloptResult(old, 0), mloptResult(made, 0));
  mlirOperationDestroy(old);
  return true;
}

bool mloptOutlineCutPrologues(MlirOperation fusion) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(fusion, 0));
  MlirOperation next;
  for (MlirOperation op = mlirBlockGetFirstOperation(body);
       !mlirOperationIsNull(op); op = next) {
    Cut cut;
    next = mlirOperationGetNextInBlock(op);
    if (readProduct(op, &cut) && !cutProduct(&cut))
      return false;
  }
  return true;
}
