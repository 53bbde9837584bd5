//===- schedule_reductions.c - What reductions look like ------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a linalg.generic to what it reduces: which loops, and what lies outside
// and inside of them (MloptReduction), and how its body combines two elements,
// with the value that changes nothing. A body is known as a whole or not at
// all: one operation more, or a case of NaN less, makes it a region that stays
// as it is.
//
//===----------------------------------------------------------------------===//

#include "schedule.h"

#include "affine.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"

#include <math.h>

/// Takes the sizes of loops from the dimensions that they index alone; -1 where
/// there is none.
static void findSizes(MlirOperation op, MlirAttribute maps, intptr_t numLoops,
                      int64_t *sizes) {
  for (intptr_t i = 0; i < numLoops; ++i)
    sizes[i] = -1;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    MlirAffineMap map =
        mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, i));
    for (intptr_t j = 0, m = mlirAffineMapGetNumResults(map); j < m; ++j) {
      MlirAffineExpr expr = mlirAffineMapGetResult(map, j);
      if (mlirAffineExprIsADim(expr))
        sizes[mlirAffineDimExprGetPosition(expr)] =
            mloptDim(mloptOperandType(op, i), j);
    }
  }
}

bool mloptIsReduction(MlirOperation op) {
  MlirAttribute maps = mloptIsNamed(op, "linalg.generic")
                           ? mloptAttr(op, "indexing_maps")
                           : mlirAttributeGetNull();
  if (mlirAttributeIsNull(maps) || !mlirArrayAttrGetNumElements(maps))
    return false;
  // The last map is a result's: what it leaves out is reduced.
  MlirAffineMap map = mlirAffineMapAttrGetValue(
      mlirArrayAttrGetElement(maps, mlirArrayAttrGetNumElements(maps) - 1));
  intptr_t numLoops = mlirAffineMapGetNumDims(map);
  if (mlirAffineMapGetNumResults(map) >= numLoops)
    return false;
  int64_t sizes[2 * MLOPT_MAX_RANK + 1];
  if (numLoops > MLOPT_COUNT(sizes))
    return true;
  findSizes(op, maps, numLoops, sizes);
  for (intptr_t i = 0, n = mlirAffineMapGetNumResults(map); i < n; ++i) {
    MlirAffineExpr expr = mlirAffineMapGetResult(map, i);
    if (mlirAffineExprIsADim(expr))
      sizes[mlirAffineDimExprGetPosition(expr)] = 1;
  }
  for (intptr_t i = 0; i < numLoops; ++i)
    if (sizes[i] != 1)
      return true;
  return false;
}

/// Multiplies the sizes up.
static void findExtents(MloptReduction *r, const bool *isKept) {
  r->outer = r->middle = r->inner = 1;
  r->together = true;
  int64_t *extent = &r->outer;
  for (intptr_t i = 0; i < r->numLoops; ++i) {
    if (r->sizes[i] == 1)
      continue;
    if (isKept[i] && extent == &r->middle)
      extent = &r->inner;
    else if (!isKept[i])
      extent = &r->middle;
    r->together &= isKept[i] || r->inner == 1;
    *extent *= r->sizes[i];
  }
}

bool mloptDescribeReduction(MlirOperation op, MloptReduction *out) {
  *out = (MloptReduction){.numLoops = 0};
  MlirAttribute maps = mloptAttr(op, "indexing_maps");
  intptr_t numOperands = mlirOperationGetNumOperands(op);
  intptr_t numResults = mlirOperationGetNumResults(op);
  MlirAffineMap map =
      mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, numOperands - 1));
  for (intptr_t i = numOperands - numResults; i < numOperands; ++i)
    if (!mlirAffineMapEqual(
            map, mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, i))))
      return false;
  out->numLoops = mlirAffineMapGetNumDims(map);
  if (out->numLoops > MLOPT_MAX_RANK)
    return false;
  findSizes(op, maps, out->numLoops, out->sizes);
  out->numKept = mlirAffineMapGetNumResults(map);
  bool isKept[MLOPT_MAX_RANK] = {false};
  for (intptr_t i = 0; i < out->numKept; ++i) {
    MlirAffineExpr expr = mlirAffineMapGetResult(map, i);
    if (!mlirAffineExprIsADim(expr))
      return false;
    out->kept[i] = mlirAffineDimExprGetPosition(expr);
    if (i && out->kept[i] <= out->kept[i - 1])
      return false;
    isKept[out->kept[i]] = true;
  }
  for (intptr_t i = 0; i < out->numLoops; ++i) {
    if (out->sizes[i] < 1)
      return false;
    if (!isKept[i])
      out->reduced[out->numReduced++] = i;
  }
  findExtents(out, isKept);
  return true;
}

void mloptFindReduction(MlirBlock program, MloptReduction *out) {
  *out = (MloptReduction){.numLoops = 0};
  for (MlirOperation op = mlirBlockGetFirstOperation(program);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (mloptIsReduction(op)) {
      mloptDescribeReduction(op, out);
      return;
    }
}

/// What an operation leaves unchanged; integers by pattern.
typedef enum Neutral {
  NEUTRAL_MINUS_ZERO,
  NEUTRAL_ONE,
  NEUTRAL_MINUS_INFINITY,
  NEUTRAL_INFINITY,
  NEUTRAL_ZERO_BITS,
  NEUTRAL_ALL_BITS,
  NEUTRAL_INT_ONE,
  NEUTRAL_INT_MIN,
  NEUTRAL_INT_MAX,
} Neutral;

static const struct {
  const char *name;
  Neutral neutral;
} combiners[] = {
    {"arith.addf", NEUTRAL_MINUS_ZERO},
    {"arith.mulf", NEUTRAL_ONE},
    {"arith.maximumf", NEUTRAL_MINUS_INFINITY},
    {"arith.minimumf", NEUTRAL_INFINITY},
    {"arith.addi", NEUTRAL_ZERO_BITS},
    {"arith.muli", NEUTRAL_INT_ONE},
    {"arith.andi", NEUTRAL_ALL_BITS},
    {"arith.ori", NEUTRAL_ZERO_BITS},
    {"arith.xori", NEUTRAL_ZERO_BITS},
    {"arith.maxsi", NEUTRAL_INT_MIN},
    {"arith.minsi", NEUTRAL_INT_MAX},
    {"arith.maxui", NEUTRAL_ZERO_BITS},
    {"arith.minui", NEUTRAL_ALL_BITS},
};

static MlirAttribute neutralOf(Neutral neutral, MlirType type) {
  unsigned width = mloptElementWidth(type);
  MlirContext context = mlirTypeGetContext(type);
  switch (neutral) {
  case NEUTRAL_MINUS_ZERO:
    return mlirFloatAttrDoubleGet(context, type, -0.0);
  case NEUTRAL_ONE:
    return mlirFloatAttrDoubleGet(context, type, 1.0);
  case NEUTRAL_MINUS_INFINITY:
    return mlirFloatAttrDoubleGet(context, type, -INFINITY);
  case NEUTRAL_INFINITY:
    return mlirFloatAttrDoubleGet(context, type, INFINITY);
  case NEUTRAL_ZERO_BITS:
    return mlirIntegerAttrGet(type, 0);
  case NEUTRAL_ALL_BITS:
    return mlirIntegerAttrGet(type, -1);
  case NEUTRAL_INT_ONE:
    return mlirIntegerAttrGet(type, 1);
  case NEUTRAL_INT_MIN:
    return mlirIntegerAttrGet(type, (int64_t)(~UINT64_C(0) << (width - 1)));
  case NEUTRAL_INT_MAX:
    return mlirIntegerAttrGet(type,
                              (int64_t)((UINT64_C(1) << (width - 1)) - 1));
  }
  return mlirAttributeGetNull();
}

bool mloptDescribeCombiner(MlirOperation generic, intptr_t i,
                           MloptCombiner *out) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(generic, 0));
  intptr_t numInputs = mlirOperationGetNumOperands(generic) -
                       mlirOperationGetNumResults(generic);
  MlirValue accumulator = mlirBlockGetArgument(body, numInputs + i);
  MlirValue yielded = mloptOperand(mlirBlockGetTerminator(body), i);
  MlirType type = mlirValueGetType(yielded);
  if (!mlirValueIsAOpResult(yielded) || mloptElementWidth(type) < 8)
    return false;
  // f8 has no infinity and others no storage in shared memory; both are rare.
  if (mloptIsFloatElement(type) && mloptElementWidth(type) < 16)
    return false;
  MlirOperation op = mlirOpResultGetOwner(yielded);
  if (!mlirBlockEqual(mlirOperationGetBlock(op), body) ||
      mlirOperationGetNumOperands(op) != 2 ||
      !mlirAttributeIsNull(mloptAttr(op, "mlopt.ordered")))
    return false;
  MlirOpOperand use = mlirValueGetFirstUse(accumulator);
  if (mlirOpOperandIsNull(use) ||
      !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)) ||
      !mlirOperationEqual(mlirOpOperandGetOwner(use), op))
    return false;
  for (int row = 0; row < MLOPT_COUNT(combiners); ++row) {
    if (!mloptIsNamed(op, combiners[row].name))
      continue;
    *out = (MloptCombiner){op, mlirOpOperandGetOperandNumber(use),
                           neutralOf(combiners[row].neutral, type)};
    return true;
  }
  return false;
}

static MlirOperation definerOf(MlirValue value, const char *name) {
  if (mlirValueIsAOpResult(value) &&
      mloptIsNamed(mlirOpResultGetOwner(value), name))
    return mlirOpResultGetOwner(value);
  return (MlirOperation){NULL};
}

/// Whether an operation compares `a` with `b` by one of these predicates.
static bool compares(MlirOperation op, MlirValue a, MlirValue b,
                     const int64_t *predicates, int count) {
  if (mlirOperationIsNull(op) || !mlirValueEqual(mloptOperand(op, 0), a) ||
      !mlirValueEqual(mloptOperand(op, 1), b))
    return false;
  int64_t predicate = mlirIntegerAttrGetValueInt(mloptAttr(op, "predicate"));
  for (int i = 0; i < count; ++i)
    if (predicate == predicates[i])
      return true;
  return false;
}

/// Whether `take` says that x is better than `best`, or the first NaN.
static bool isStrict(MlirValue take, MlirValue x, MlirValue best) {
  // arith.cmpi: slt, sgt, ult, ugt; arith.cmpf: ogt, olt, ord, uno.
  static const int64_t integers[] = {2, 4, 6, 8}, floats[] = {2, 4};
  static const int64_t ordered[] = {7}, unordered[] = {14};
  if (compares(definerOf(take, "arith.cmpi"), x, best, integers, 4))
    return true;
  MlirOperation either = definerOf(take, "arith.ori");
  if (mlirOperationIsNull(either))
    return false;
  MlirOperation nan = definerOf(mloptOperand(either, 1), "arith.andi");
  return compares(definerOf(mloptOperand(either, 0), "arith.cmpf"), x, best,
                  floats, 2) &&
         !mlirOperationIsNull(nan) &&
         compares(definerOf(mloptOperand(nan, 0), "arith.cmpf"), x, x,
                  unordered, 1) &&
         compares(definerOf(mloptOperand(nan, 1), "arith.cmpf"), best, best,
                  ordered, 1);
}

bool mloptDescribeArgCombiner(MlirOperation generic, MloptArgCombiner *out) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(generic, 0));
  MlirOperation yield = mlirBlockGetTerminator(body);
  if (mlirOperationGetNumResults(generic) != 2)
    return false;
  intptr_t numInputs = mlirOperationGetNumOperands(generic) - 2;
  MlirOperation value = definerOf(mloptOperand(yield, 0), "arith.select");
  MlirOperation index = definerOf(mloptOperand(yield, 1), "arith.select");
  if (mlirOperationIsNull(value) || mlirOperationIsNull(index) ||
      !mlirValueEqual(mloptOperand(value, 0), mloptOperand(index, 0)))
    return false;
  *out = (MloptArgCombiner){.take = mloptOperand(value, 0),
                            .x = mloptOperand(value, 1),
                            .best = mloptOperand(value, 2),
                            .index = mloptOperand(index, 1)};
  // f8 and i1 have no place in shared memory.
  if (mloptElementWidth(mlirValueGetType(out->x)) < 16 ||
      mloptElementWidth(mlirValueGetType(out->index)) < 8)
    return false;
  // The index of the one loop that is reduced.
  MloptReduction r;
  MlirValue number = out->index;
  while (!mlirOperationIsNull(definerOf(number, "arith.index_cast")) ||
         !mlirOperationIsNull(definerOf(number, "arith.trunci")))
    number = mloptOperand(mlirOpResultGetOwner(number), 0);
  MlirOperation loop = definerOf(number, "linalg.index");
  return mlirValueEqual(out->best, mlirBlockGetArgument(body, numInputs)) &&
         mlirValueEqual(mloptOperand(index, 2),
                        mlirBlockGetArgument(body, numInputs + 1)) &&
         isStrict(out->take, out->x, out->best) && !mlirOperationIsNull(loop) &&
         mloptDescribeReduction(generic, &r) && r.numReduced == 1 &&
         mlirIntegerAttrGetValueInt(mloptAttr(loop, "dim")) == r.reduced[0];
}

//===----------------------------------------------------------------------===//
// Reductions that need others
//===----------------------------------------------------------------------===//

bool mloptReadsReduction(MlirValue value) {
  if (!mlirValueIsAOpResult(value))
    return false;
  MlirOperation op = mlirOpResultGetOwner(value);
  if (mloptIsReduction(op))
    return true;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (mloptReadsReduction(mloptOperand(op, i)))
      return true;
  return false;
}

/// Whether a value of a body comes from an input that needs a reduction, or
/// from an accumulator.
static bool bodyReadsReduction(MlirOperation generic, MlirValue value) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(generic, 0));
  if (mlirValueIsABlockArgument(value)) {
    intptr_t i = mlirBlockArgumentGetArgNumber(value);
    return i >= mlirOperationGetNumOperands(generic) -
                    mlirOperationGetNumResults(generic) ||
           mloptReadsReduction(mloptOperand(generic, i));
  }
  MlirOperation op = mlirOpResultGetOwner(value);
  if (!mlirBlockEqual(mlirOperationGetBlock(op), body))
    return false;
  bool reads = mlirOperationGetNumRegions(op) > 0;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n && !reads;
       ++i)
    reads = bodyReadsReduction(generic, mloptOperand(op, i));
  return reads;
}

/// Whether an operand is the same along the reduced loops.
static bool isAlongRow(const MloptReduction *r, MlirOperation generic,
                       intptr_t operand) {
  MlirAffineMap map = mloptIndexingMap(generic, operand);
  for (intptr_t i = 0; i < r->numReduced; ++i)
    for (intptr_t j = 0, n = mlirAffineMapGetNumResults(map); j < n; ++j)
      if (mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(map, j),
                                        r->reduced[i]))
        return false;
  return true;
}

/// The elementwise operation with the same loops that gives what a value of the
/// reduction's body is, and that value there; the reduction itself and the
/// value where there is none.
static MlirOperation findElement(MlirOperation generic, MlirValue *value) {
  if (!mlirValueIsABlockArgument(*value))
    return generic;
  intptr_t i = mlirBlockArgumentGetArgNumber(*value);
  MlirOperation producer =
      definerOf(mloptOperand(generic, i), "linalg.generic");
  if (mlirOperationIsNull(producer) || mloptIsReduction(producer) ||
      mlirOperationGetNumResults(producer) != 1 ||
      !mloptReadsInOrder(generic, i) ||
      !mloptReadsInOrder(producer, mlirOperationGetNumOperands(producer) - 1))
    return generic;
  *value = mloptOperand(mlirBlockGetTerminator(mlirRegionGetFirstBlock(
                            mlirOperationGetRegion(producer, 0))),
                        0);
  return producer;
}

bool mloptDescribeStreamed(MlirOperation generic, MloptStreamed *out) {
  MloptReduction r;
  MloptCombiner combiner;
  if (mlirOperationGetNumResults(generic) != 1 ||
      !mloptDescribeCombiner(generic, 0, &combiner) ||
      !mloptIsNamed(combiner.op, "arith.addf") ||
      !mlirTypeIsAF32(mloptResultType(combiner.op, 0)) ||
      !mloptDescribeReduction(generic, &r))
    return false;
  MlirValue element = mloptOperand(combiner.op, 1 - combiner.accumulator);
  out->generic = findElement(generic, &element);
  MlirOperation exp = definerOf(element, "math.exp");
  MlirOperation sub = mlirOperationIsNull(exp)
                          ? exp
                          : definerOf(mloptOperand(exp, 0), "arith.subf");
  if (mlirOperationIsNull(sub) ||
      !mlirValueIsABlockArgument(mloptOperand(sub, 1)))
    return false;
  out->exp = exp;
  out->a = mloptOperand(sub, 0);
  out->reference = mlirBlockArgumentGetArgNumber(mloptOperand(sub, 1));
  return out->reference + 1 < mlirOperationGetNumOperands(out->generic) &&
         !bodyReadsReduction(out->generic, out->a) &&
         mloptReadsReduction(mloptOperand(out->generic, out->reference)) &&
         isAlongRow(&r, out->generic, out->reference);
}

bool mloptWantsTerms(MlirBlock program) {
  intptr_t count = 0;
  bool narrowed = true;
  for (MlirOperation op = mlirBlockGetFirstOperation(program);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    MloptStreamed streamed;
    if (!mloptIsReduction(op) || !mloptDescribeStreamed(op, &streamed))
      continue;
    ++count;
    narrowed &= !mlirAttributeIsNull(mloptAttr(streamed.exp, "mlopt.narrowed"));
  }
  return narrowed && count == 1;
}
