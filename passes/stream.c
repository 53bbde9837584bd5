//===- stream.c - Products whose keys are streamed ------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "stream_impl.h"

#include "schedule.h"

#include <math.h>

//===----------------------------------------------------------------------===//
// What there is
//===----------------------------------------------------------------------===//

/// Takes an operation for the one of its kind in the program; false if there is
/// another.
static bool take(MlirOperation *slot, MlirOperation op) {
  bool isFirst = mlirOperationIsNull(*slot);
  *slot = op;
  return isFirst;
}

static bool isFilledWith(MlirValue tensor, MlirAttribute value) {
  MlirOperation op = definerOf(tensor);
  if (mlirOperationIsNull(op) || !mloptIsNamed(op, "linalg.generic") ||
      numInputs(op))
    return false;
  MlirValue yielded = mloptOperand(mlirBlockGetTerminator(bodyOf(op)), 0);
  return isDefinedBy(yielded, "arith.constant") &&
         mlirAttributeEqual(mloptAttr(definerOf(yielded), "value"), value);
}

/// Whether an operation reduces its one operand in f32 by `name`, from what
/// that leaves unchanged.
static bool reducesBy(MlirOperation op, const char *name) {
  MloptCombiner combiner;
  if (mlirOperationGetNumResults(op) != 1 || numInputs(op) != 1 ||
      !mloptDescribeCombiner(op, 0, &combiner) ||
      !mloptIsNamed(combiner.op, name) ||
      !mlirTypeIsAF32(mloptResultType(combiner.op, 0)) ||
      !mlirValueEqual(mloptOperand(combiner.op, 1 - combiner.accumulator),
                      mlirBlockGetArgument(bodyOf(op), 0)))
    return false;
  return mloptIsFilledWithZero(mloptOperand(op, 1)) ||
         isFilledWith(mloptOperand(op, 1), combiner.neutral);
}

/// The products and reductions of the program, which has no others.
static bool findOperations(MlirBlock program, MloptStream *s) {
  bool alone = true;
  for (MlirOperation op = mlirBlockGetFirstOperation(program);
       !mlirOperationIsNull(op) && alone;
       op = mlirOperationGetNextInBlock(op)) {
    if (!mloptIsNamed(op, "linalg.generic") || mloptIsParallelGeneric(op))
      continue;
    MlirType rounded = mloptRoundsFactor(op);
    if (!mlirTypeIsNull(rounded) ||
        (mloptIsProduct(op) && !mlirOperationIsNull(s->scores.products[0]))) {
      alone = take(&s->values.products[0], op);
      s->weight = mlirTypeIsNull(rounded)
                      ? mloptElementType(mloptOperandType(op, 0))
                      : rounded;
    } else if (mloptIsProduct(op)) {
      alone = take(&s->scores.products[0], op);
    } else if (reducesBy(op, "arith.maximumf")) {
      alone = take(&s->max, op);
    } else {
      alone = reducesBy(op, "arith.addf") && take(&s->sum, op);
    }
  }
  return alone && !mlirOperationIsNull(s->scores.products[0]) &&
         !mlirOperationIsNull(s->values.products[0]) &&
         !mlirOperationIsNull(s->max) && !mlirOperationIsNull(s->sum);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Q and K: what is reduced is the n of their product.
static bool findScores(MloptStream *s) {
  MloptReduction r;
  if (!mloptDescribeReduction(s->max, &r) || r.numReduced != 1)
    return false;
  MloptContraction *c = &s->scores;
  MlirType raw = mloptResultType(c->products[0], 0);
  intptr_t key = r.reduced[0];
  if (r.numLoops != mloptRank(raw) || !mlirTypeIsAF32(mloptElementType(raw)))
    return false;
  for (intptr_t side = 0; side < 2; ++side) {
    MloptAxisLoops loops;
    c->numProducts = 1;
    if (mloptSplitAxes(c, side, &loops) && c->axesOfC[key] == MLOPT_AXIS_N &&
        c->sizes[MLOPT_AXIS_N] == mloptDim(raw, key))
      return mloptDescribeFactors(c, &loops);
  }
  return false;
}

/// The dimension of a product's result that a dimension of its factor is, if
/// one loop indexes both; -1 otherwise.
static intptr_t dimOfResult(MlirOperation product, intptr_t dim) {
  int64_t loop = loopOf(mapOf(product, 0), dim);
  MlirAffineMap result = mapOf(product, 2);
  for (intptr_t d = 0, n = mlirAffineMapGetNumResults(result); d < n; ++d)
    if (loop >= 0 && loopOf(result, d) == loop)
      return d;
  return -1;
}

/// Whether rows and batches count alike in both products, and where those of
/// `sum` lie in the second.
static bool placeRows(MloptStream *s) {
  MloptContraction *c = &s->values;
  MlirOperation second = c->products[0];
  MlirType raw = mloptResultType(s->scores.products[0], 0);
  MloptReduction r;
  if (!mloptDescribeReduction(s->sum, &r))
    return false;
  c->placeOfRows = (MloptPlace){.count = 0};
  for (intptr_t i = 0; i < r.numKept; ++i) {
    intptr_t from = r.kept[i], dim = dimOfResult(second, from);
    if (mloptDim(raw, from) == 1)
      continue;
    if (dim < 0 || c->axesOfC[dim] != s->scores.axesOfC[from] ||
        c->axesOfC[dim] == MLOPT_AXIS_N ||
        c->stepsOfC[dim] != s->scores.stepsOfC[from])
      return false;
    c->placeOfRows.at[c->placeOfRows.count++] =
        (MloptDigit){dim, mloptDim(raw, from), 1, i};
  }
  return true;
}

/// V: what e is multiplied with, along the keys alone.
static bool findValues(MlirBlock program, MloptStream *s) {
  MloptContraction *c = &s->values;
  MloptAxisLoops loops;
  c->numProducts = 1;
  c->computesA = true;
  c->a.parameter = -1;
  if (!mloptSplitAxes(c, 0, &loops) || !mloptDescribeFactors(c, &loops))
    return false;
  bool alike = c->sizes[MLOPT_AXIS_K] == s->scores.sizes[MLOPT_AXIS_N] &&
               c->sizes[MLOPT_AXIS_M] == s->scores.sizes[MLOPT_AXIS_M] &&
               c->sizes[MLOPT_AXIS_BATCH] == s->scores.sizes[MLOPT_AXIS_BATCH];
  if (!alike || !placeRows(s))
    return false;
  c->numOfRows = 2;
  c->ofRows[0] = s->max;
  c->ofRows[1] = s->sum;
  return mloptFindOutputs(program, c);
}

//===----------------------------------------------------------------------===//
// What lies between them
//===----------------------------------------------------------------------===//

/// The value before a rounding that is an operation of its own.
static MlirValue beforeRounding(MlirValue weight) {
  MlirOperation op = definerOf(weight);
  if (mlirOperationIsNull(op) || !mloptIsNamed(op, "linalg.generic") ||
      numInputs(op) != 1 || !mloptIsParallelGeneric(op) ||
      !mlirAffineMapIsIdentity(mapOf(op, 0)) ||
      !mlirAffineMapIsIdentity(mapOf(op, 1)))
    return weight;
  MlirValue yielded = mloptOperand(mlirBlockGetTerminator(bodyOf(op)), 0);
  bool rounds = isDefinedBy(yielded, "arith.truncf") &&
                mlirValueEqual(mloptOperand(definerOf(yielded), 0),
                               mlirBlockGetArgument(bodyOf(op), 0));
  return rounds ? mloptOperand(op, 0) : weight;
}

/// Whether a body's value is an element of this tensor in its place.
static bool isElementOf(MlirOperation generic, MlirValue value,
                        MlirValue tensor) {
  if (!mlirValueIsABlockArgument(value))
    return false;
  intptr_t i = mlirBlockArgumentGetArgNumber(value);
  return i < numInputs(generic) &&
         mlirValueEqual(mloptOperand(generic, i), tensor) &&
         mlirAffineMapIsIdentity(mapOf(generic, i));
}

/// The operand that `value` of a body is an element of; null if it is computed.
static MlirValue operandBehind(MlirOperation generic, MlirValue value) {
  if (!mlirValueIsABlockArgument(value) ||
      mlirBlockArgumentGetArgNumber(value) >= numInputs(generic))
    return (MlirValue){NULL};
  return mloptOperand(generic, mlirBlockArgumentGetArgNumber(value));
}

/// Whether a tensor is `max`, repeated along dimensions.
static bool isMax(const MloptStream *s, MlirValue value) {
  for (;;) {
    MlirOperation op = definerOf(value);
    if (mlirOperationIsNull(op))
      return false;
    if (mlirOperationEqual(op, s->max))
      return true;
    bool repeats =
        mloptIsNamed(op, "linalg.generic") && numInputs(op) == 1 &&
        mlirValueEqual(mloptOperand(mlirBlockGetTerminator(bodyOf(op)), 0),
                       mlirBlockGetArgument(bodyOf(op), 0));
    if (!repeats && !isView(value))
      return false;
    value = mloptOperand(op, 0);
  }
}

/// e is exp(score - max), each element from those in its place: the sum and the
/// second product read nothing else.
static bool findExp(MloptStream *s) {
  MlirValue weights = mloptOperand(s->sum, 0), score = mloptOperand(s->max, 0);
  s->exp = definerOf(weights);
  if (mlirOperationIsNull(s->exp) || !mloptIsNamed(s->exp, "linalg.generic") ||
      !mlirValueEqual(beforeRounding(mloptOperand(s->values.products[0], 0)),
                      weights))
    return false;
  MlirOperation exp =
      definerOf(mloptOperand(mlirBlockGetTerminator(bodyOf(s->exp)), 0));
  if (mlirOperationIsNull(exp) || !mloptIsNamed(exp, "math.exp") ||
      !isDefinedBy(mloptOperand(exp, 0), "arith.subf"))
    return false;
  MlirOperation sub = definerOf(mloptOperand(exp, 0));
  MlirValue reference = operandBehind(s->exp, mloptOperand(sub, 1));
  if (mlirValueIsNull(reference) || !isMax(s, reference) ||
      !isElementOf(s->exp, mloptOperand(sub, 0), score))
    return false;
  // Where the maximum is read, by the places of rows in raw.
  MloptContraction *c = &s->scores;
  c->numOfRows = 1;
  c->ofRows[0] = s->max;
  MloptReduction r;
  mloptDescribeReduction(s->max, &r);
  c->placeOfRows = (MloptPlace){.count = 0};
  for (intptr_t i = 0; i < r.numKept; ++i)
    if (r.sizes[r.kept[i]] != 1)
      c->placeOfRows.at[c->placeOfRows.count++] =
          (MloptDigit){r.kept[i], r.sizes[r.kept[i]], 1, i};
  return mloptFollowsInPlace(c, weights);
}

/// The value of a constant scalar; NAN if it is none.
static double constantOf(MlirValue value) {
  MlirAttribute attr = isDefinedBy(value, "arith.constant")
                           ? mloptAttr(definerOf(value), "value")
                           : mlirAttributeGetNull();
  return !mlirAttributeIsNull(attr) && mlirAttributeIsAFloat(attr)
             ? mlirFloatAttrGetValueDouble(attr)
             : NAN;
}

/// By which constant a body's value is raw times that; 0 if it is not.
static double scaleOf(const MloptStream *s, MlirValue value) {
  MlirValue raw = mloptResult(s->scores.products[0], 0);
  if (isElementOf(s->score, value, raw))
    return 1;
  if (!isDefinedBy(value, "arith.mulf"))
    return 0;
  MlirOperation mul = definerOf(value);
  for (int side = 0; side < 2; ++side) {
    double scale = constantOf(mloptOperand(mul, side));
    if (isElementOf(s->score, mloptOperand(mul, 1 - side), raw) && scale > 0 &&
        isfinite(scale))
      return scale;
  }
  return 0;
}

/// The score's code, and its last select.
static bool findScore(MloptStream *s) {
  MlirValue score = mloptOperand(s->max, 0);
  MlirValue raw = mloptResult(s->scores.products[0], 0);
  MloptContraction alone = s->scores;
  alone.numOfRows = 0;
  if (!mloptFollowsInPlace(&alone, score) ||
      !mlirTypeIsAF32(mloptElementType(mlirValueGetType(score))))
    return false;
  s->scale = 1;
  if (mlirValueEqual(score, raw))
    return true;
  s->score = definerOf(score);
  if (!mloptIsNamed(s->score, "linalg.generic") ||
      !mlirAffineMapIsIdentity(mapOf(s->score, numInputs(s->score))))
    return false;
  s->kept = mloptOperand(mlirBlockGetTerminator(bodyOf(s->score)), 0);
  if (isDefinedBy(s->kept, "arith.select")) {
    MlirOperation select = definerOf(s->kept);
    for (int side = 1; side <= 2; ++side)
      if (constantOf(mloptOperand(select, side)) == -INFINITY &&
          mlirValueIsNull(s->condition)) {
        s->condition = mloptOperand(select, 0);
        s->kept = mloptOperand(select, 3 - side);
        s->keeps = side == 2;
      }
  }
  s->scale = scaleOf(s, s->kept);
  return true;
}

bool mloptFindStream(MlirBlock program, MloptStream *out) {
  *out = (MloptStream){.scores = {.sizes = {1, 1, 1, 1}},
                       .values = {.sizes = {1, 1, 1, 1}}};
  if (!findOperations(program, out) || !findScores(out) || !findScore(out) ||
      !findExp(out) || !findValues(program, out))
    return false;
  mloptFindStreamBounds(out);
  return true;
}

bool mloptStreamTakes(MlirType weight, int64_t depth, int64_t columns) {
  (void)weight;
  (void)depth;
  (void)columns;
  return false;
}
