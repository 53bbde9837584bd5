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
  MlirOperation op = mloptDefiningOp(tensor);
  if (mlirOperationIsNull(op) || !mloptIsNamed(op, "linalg.generic") ||
      numInputs(op))
    return false;
  MlirValue yielded = mloptOperand(mlirBlockGetTerminator(bodyOf(op)), 0);
  return mloptIsDefinedBy(yielded, "arith.constant") &&
         mlirAttributeEqual(mloptAttr(mloptDefiningOp(yielded), "value"),
                            value);
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

/// The value behind changes of shape.
static MlirValue behindViews(MlirValue value) {
  while (isView(value))
    value = mloptOperand(mloptDefiningOp(value), 0);
  return value;
}

/// Where a reduction of what follows the scores has their rows, and which
/// dimension of raw it reduces; false if that is not one of them, or more.
static bool placeReduction(const MloptContraction *c, MlirOperation op,
                           MloptPlace *out, intptr_t *reduced) {
  MloptReduction r;
  MloptPlace place;
  if (!mloptDescribeReduction(op, &r) || r.numReduced != 1 ||
      !mlirAffineMapIsIdentity(mapOf(op, 0)) ||
      !mloptFindPlaceOf(c, mloptOperand(op, 0), &place))
    return false;
  MlirType raw = mloptResultType(c->products[0], 0);
  *out = (MloptPlace){.count = 0};
  *reduced = -1;
  for (intptr_t i = 0; i < place.count; ++i) {
    MloptDigit digit = place.at[i];
    if (digit.dim == r.reduced[0]) {
      if (*reduced >= 0 || digit.size != mloptDim(raw, digit.source))
        return false;
      *reduced = digit.source;
      continue;
    }
    digit.dim -= digit.dim > r.reduced[0];
    out->at[out->count++] = digit;
  }
  return *reduced >= 0;
}

/// Q and K: what `max` reduces is the n of their product.
static bool findScores(MloptStream *s) {
  MloptContraction *c = &s->scores;
  MlirType raw = mloptResultType(c->products[0], 0);
  MloptPlace rows;
  intptr_t key;
  c->numProducts = 1;
  if (!mlirTypeIsAF32(mloptElementType(raw)) ||
      !placeReduction(c, s->max, &rows, &key))
    return false;
  for (intptr_t side = 0; side < 2; ++side) {
    MloptAxisLoops loops;
    if (!mloptSplitAxes(c, side, &loops) || c->axesOfC[key] != MLOPT_AXIS_N ||
        c->sizes[MLOPT_AXIS_N] != mloptDim(raw, key))
      continue;
    c->numOfRows = 1;
    c->ofRows[0] = s->max;
    c->placesOfRows[0] = rows;
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

/// The dimension of the second product's result that each of raw's is; -1 for
/// none. False unless rows and batches count alike in both, and keys are
/// summed.
static bool matchDims(const MloptStream *s, intptr_t *outDims) {
  const MloptContraction *scores = &s->scores, *values = &s->values;
  MlirOperation second = values->products[0];
  MlirType raw = mloptResultType(scores->products[0], 0);
  MloptPlace place;
  for (intptr_t d = 0; d < mloptRank(raw); ++d)
    outDims[d] = -1;
  if (!mloptFindPlaceOf(scores, mloptOperand(second, 0), &place))
    return false;
  for (intptr_t i = 0; i < place.count; ++i) {
    const MloptDigit *digit = &place.at[i];
    intptr_t dim = dimOfResult(second, digit->dim), from = digit->source;
    bool isKey = scores->axesOfC[from] == MLOPT_AXIS_N;
    if (digit->size != mloptDim(raw, from) || isKey != (dim < 0))
      return false;
    if (!isKey && (values->axesOfC[dim] != scores->axesOfC[from] ||
                   values->stepsOfC[dim] != scores->stepsOfC[from]))
      return false;
    outDims[from] = dim;
  }
  return true;
}

/// Lays the weights out as if rows followed each other as those of Q do, which
/// the tiles of the second product have then, too.
static bool layWeights(MloptStream *s) {
  const MloptContraction *scores = &s->scores;
  MloptContraction *c = &s->values;
  MloptPlace place;
  if (!mloptFindPlaceOf(scores, mloptOperand(c->products[0], 0), &place))
    return false;
  for (intptr_t d = 0; d < MLOPT_MAX_RANK; ++d)
    c->strides[d] = 0;
  int64_t keys = scores->sizes[MLOPT_AXIS_N];
  int64_t ofAxis[MLOPT_NUM_AXES] = {[MLOPT_AXIS_N] = 1, [MLOPT_AXIS_M] = keys};
  ofAxis[MLOPT_AXIS_BATCH] = keys * scores->sizes[MLOPT_AXIS_M];
  for (intptr_t i = 0; i < place.count; ++i)
    c->strides[place.at[i].dim] = ofAxis[scores->axesOfC[place.at[i].source]] *
                                  scores->stepsOfC[place.at[i].source];
  return true;
}

/// Where the rows of `sum` and `max` lie in the second product's result.
static bool placeRows(MloptStream *s) {
  MloptContraction *c = &s->values;
  intptr_t dims[MLOPT_MAX_RANK], reduced;
  if (!matchDims(s, dims))
    return false;
  c->numOfRows = 2;
  c->ofRows[0] = s->max;
  c->ofRows[1] = s->sum;
  for (intptr_t i = 0; i < c->numOfRows; ++i) {
    MloptPlace *place = &c->placesOfRows[i];
    if (!placeReduction(&s->scores, c->ofRows[i], place, &reduced) ||
        s->scores.axesOfC[reduced] != MLOPT_AXIS_N)
      return false;
    for (intptr_t d = 0; d < place->count; ++d)
      place->at[d].source = dims[place->at[d].source];
  }
  return true;
}

/// The scores, where they are stored, as an output of their product: whether
/// there is one at most.
static bool findStoredScores(MlirBlock program, MloptStream *s) {
  MloptContraction alone = s->scores;
  MlirValue scores = behindViews(mloptOperand(s->max, 0));
  intptr_t numStores;
  alone.numOfRows = 0;
  if (!mloptFindOutputs(program, &alone, &numStores))
    return alone.numOutputs == 0;
  s->scores.numOutputs = alone.numOutputs;
  s->scores.outputs[0] = alone.outputs[0];
  return alone.numOutputs == 1 &&
         mlirValueEqual(behindViews(alone.outputs[0].value), scores);
}

/// V: what e is multiplied with, along the keys alone.
static bool findValues(MlirBlock program, MloptStream *s) {
  MloptContraction *c = &s->values;
  MloptAxisLoops loops;
  c->numProducts = 1;
  c->computes[0] = true;
  c->a.parameter = -1;
  if (!layWeights(s) || !mloptSplitAxes(c, 0, &loops) ||
      !mloptDescribeFactors(c, &loops))
    return false;
  bool alike = c->sizes[MLOPT_AXIS_K] == s->scores.sizes[MLOPT_AXIS_N] &&
               c->sizes[MLOPT_AXIS_M] == s->scores.sizes[MLOPT_AXIS_M] &&
               c->sizes[MLOPT_AXIS_BATCH] == s->scores.sizes[MLOPT_AXIS_BATCH];
  intptr_t numStores;
  return alike && placeRows(s) && findStoredScores(program, s) &&
         mloptFindOutputs(program, c, &numStores) && c->numOutputs > 0 &&
         c->numOutputs + c->numRowOutputs + s->scores.numOutputs == numStores;
}

//===----------------------------------------------------------------------===//
// What lies between them
//===----------------------------------------------------------------------===//

/// The value before a rounding that is an operation of its own.
static MlirValue beforeRounding(MlirValue weight) {
  MlirOperation op = mloptDefiningOp(weight);
  if (mlirOperationIsNull(op) || !mloptIsNamed(op, "linalg.generic") ||
      numInputs(op) != 1 || !mloptIsParallelGeneric(op))
    return weight;
  MlirValue yielded = mloptOperand(mlirBlockGetTerminator(bodyOf(op)), 0);
  bool rounds = mloptIsDefinedBy(yielded, "arith.truncf") &&
                mlirValueEqual(mloptOperand(mloptDefiningOp(yielded), 0),
                               mlirBlockGetArgument(bodyOf(op), 0));
  return rounds ? behindViews(mloptOperand(op, 0)) : weight;
}

/// The tensor that a body's value is an element of, behind changes of shape;
/// null if it is computed.
static MlirValue tensorBehind(MlirOperation generic, MlirValue value) {
  if (!mlirValueIsABlockArgument(value) ||
      mlirBlockArgumentGetArgNumber(value) >= numInputs(generic))
    return (MlirValue){NULL};
  return behindViews(
      mloptOperand(generic, mlirBlockArgumentGetArgNumber(value)));
}

static bool isElementOf(MlirOperation generic, MlirValue value,
                        MlirValue tensor) {
  MlirValue behind = tensorBehind(generic, value);
  return !mlirValueIsNull(behind) && mlirValueEqual(behind, tensor);
}

/// Whether a tensor is `max`, repeated along dimensions.
static bool isMax(const MloptStream *s, MlirValue value) {
  for (;;) {
    value = behindViews(value);
    MlirOperation op = mloptDefiningOp(value);
    if (mlirOperationIsNull(op) || mlirOperationEqual(op, s->max))
      return !mlirOperationIsNull(op);
    if (!mloptIsNamed(op, "linalg.generic") || numInputs(op) != 1 ||
        !mlirValueEqual(mloptOperand(mlirBlockGetTerminator(bodyOf(op)), 0),
                        mlirBlockGetArgument(bodyOf(op), 0)))
      return false;
    value = mloptOperand(op, 0);
  }
}

/// e is exp(score - max), and what the sum and the second product read. That
/// each element has those of its place, their places say.
static bool findExp(MloptStream *s) {
  MlirValue weights = behindViews(mloptOperand(s->sum, 0));
  MlirValue factor = behindViews(mloptOperand(s->values.products[0], 0));
  s->exp = mloptDefiningOp(weights);
  if (mlirOperationIsNull(s->exp) || !mloptIsNamed(s->exp, "linalg.generic") ||
      !mlirValueEqual(beforeRounding(factor), weights))
    return false;
  MlirOperation exp =
      mloptDefiningOp(mloptOperand(mlirBlockGetTerminator(bodyOf(s->exp)), 0));
  if (mlirOperationIsNull(exp) || !mloptIsNamed(exp, "math.exp") ||
      !mloptIsDefinedBy(mloptOperand(exp, 0), "arith.subf"))
    return false;
  MlirOperation sub = mloptDefiningOp(mloptOperand(exp, 0));
  MlirValue reference = tensorBehind(s->exp, mloptOperand(sub, 1));
  return !mlirValueIsNull(reference) && isMax(s, reference) &&
         isElementOf(s->exp, mloptOperand(sub, 0),
                     behindViews(mloptOperand(s->max, 0)));
}

/// The value of a constant scalar; NAN if it is none.
static double constantOf(MlirValue value) {
  MlirAttribute attr = mloptIsDefinedBy(value, "arith.constant")
                           ? mloptAttr(mloptDefiningOp(value), "value")
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
  if (!mloptIsDefinedBy(value, "arith.mulf"))
    return 0;
  MlirOperation mul = mloptDefiningOp(value);
  for (int side = 0; side < 2; ++side) {
    double scale = constantOf(mloptOperand(mul, side));
    if (isElementOf(s->score, mloptOperand(mul, 1 - side), raw) && scale > 0 &&
        isfinite(scale))
      return scale;
  }
  return 0;
}

/// The score's loops as digits of the axes.
static bool placeLoops(MloptStream *s) {
  MloptContraction alone = s->scores;
  alone.numOfRows = 0;
  MloptPlace place;
  MlirValue score = mloptResult(s->score, 0);
  MlirType raw = mloptResultType(alone.products[0], 0);
  MlirAffineMap map = mapOf(s->score, numInputs(s->score));
  if (!mlirAffineMapIsIdentity(map) || !mloptFindPlaceOf(&alone, score, &place))
    return false;
  for (intptr_t l = 0; l < mloptRank(mlirValueGetType(score)); ++l) {
    s->axes[l] = MLOPT_AXIS_BATCH;
    s->steps[l] = 1;
  }
  for (intptr_t i = 0; i < place.count; ++i) {
    const MloptDigit *digit = &place.at[i];
    if (digit->size != mloptDim(raw, digit->source))
      return false;
    s->axes[digit->dim] = alone.axesOfC[digit->source];
    s->steps[digit->dim] = alone.stepsOfC[digit->source];
  }
  return true;
}

/// The score's code, and its last select.
static bool findScore(MloptStream *s) {
  MlirValue score = behindViews(mloptOperand(s->max, 0));
  s->scale = 1;
  if (mlirValueEqual(score, mloptResult(s->scores.products[0], 0)))
    return true;
  s->score = mloptDefiningOp(score);
  if (mlirOperationIsNull(s->score) ||
      !mloptIsNamed(s->score, "linalg.generic") || !placeLoops(s))
    return false;
  s->kept = mloptOperand(mlirBlockGetTerminator(bodyOf(s->score)), 0);
  if (mloptIsDefinedBy(s->kept, "arith.select")) {
    MlirOperation select = mloptDefiningOp(s->kept);
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
