//===- contraction_epilogue.c - What follows matrix products --------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between the products and what the program stores may lie elementwise code,
// of other tensors too, and changes of shape and order. Each value on the way
// holds the products' elements in some place, which place.h describes; wherever
// two of them meet, it must be the same one.
//
//===----------------------------------------------------------------------===//

#include "contraction_impl.h"

/// How a value depends on the products.
typedef enum Follow {
  FOLLOW_NOT,   ///< not at all
  FOLLOW_PLACE, ///< each element on the one in its place
  FOLLOW_ROW,   ///< on what is known of the row in its place
  FOLLOW_BAD    ///< in a way that a tile does not allow, or it is no such code
} Follow;

/// Values that are known.
enum { MAX_KNOWN = 64 };
typedef struct Walk {
  const MloptContraction *c;
  int count;
  MlirValue values[MAX_KNOWN];
  Follow follows[MAX_KNOWN];
  MloptPlace places[MAX_KNOWN];
} Walk;

static Follow follow(Walk *walk, MlirValue value, MloptPlace *out);

static bool isProduct(const MloptContraction *c, MlirOperation op) {
  for (intptr_t i = 0; i < c->numProducts; ++i)
    if (mlirOperationEqual(op, c->products[i]))
      return true;
  return false;
}

/// Takes a place from the dimensions of a tensor to the loops of its map.
static bool toLoops(MlirAffineMap map, MlirType type, MloptPlace *place) {
  intptr_t to[MLOPT_MAX_RANK];
  intptr_t numLoops = mlirAffineMapGetNumDims(map);
  if (numLoops > MLOPT_MAX_RANK)
    return false;
  for (intptr_t dim = 0, rank = mloptRank(type); dim < rank; ++dim) {
    to[dim] = loopOf(map, dim);
    if (to[dim] < 0 && mloptDim(type, dim) != 1)
      return false;
  }
  mloptPlacePermute(place, numLoops, to);
  return true;
}

/// And from the loops to the dimensions of a result, which has no others but
/// for rows, whose elements it may repeat.
static bool toResult(MlirAffineMap map, MlirType type, Follow follows,
                     MloptPlace *place) {
  intptr_t to[MLOPT_MAX_RANK];
  for (intptr_t loop = 0; loop < MLOPT_MAX_RANK; ++loop)
    to[loop] = -1;
  intptr_t rank = mloptRank(type);
  for (intptr_t dim = 0; dim < rank; ++dim)
    if (loopOf(map, dim) >= 0)
      to[loopOf(map, dim)] = dim;
  int64_t left = mloptNumElements(type);
  for (intptr_t i = 0; i < place->count; ++i) {
    if (to[place->at[i].dim] < 0)
      return false;
    left /= place->at[i].size;
  }
  mloptPlacePermute(place, rank, to);
  return left == 1 || follows == FOLLOW_ROW;
}

/// The place of the row, or the part of it that is reduced, that holds an
/// element in this place.
static MloptPlace rowOf(const MloptContraction *c, const MloptPlace *place) {
  MloptPlace row = {.count = 0};
  for (intptr_t i = 0; i < place->count; ++i) {
    MloptDigit digit = place->at[i];
    int64_t step = mloptAxisStep(c, &digit), part = c->rowColumns;
    if (c->axesOfC[digit.source] == MLOPT_AXIS_N) {
      if (!part || step * digit.size <= part)
        continue;
      if (step < part) {
        digit.size = step * digit.size / part;
        digit.step = part / c->stepsOfC[digit.source];
      }
    }
    row.at[row.count++] = digit;
  }
  return row;
}

/// Joins how two operands of an operation follow, both places by its loops.
static Follow join(const MloptContraction *c, Follow a, MloptPlace *placeA,
                   Follow b, MloptPlace *placeB) {
  if (a == FOLLOW_NOT) {
    *placeA = *placeB;
    return b;
  }
  MloptPlace rowA = a == b ? *placeA : rowOf(c, placeA);
  MloptPlace rowB = a == b ? *placeB : rowOf(c, placeB);
  if (!mloptPlaceEqual(&rowA, &rowB))
    return FOLLOW_BAD;
  if (a == FOLLOW_ROW)
    *placeA = *placeB;
  return a == FOLLOW_ROW ? b : a;
}

/// How the first operands of a generic are followed, by its loops.
static Follow followOperands(Walk *walk, MlirOperation op, intptr_t count,
                             MloptPlace *out) {
  Follow follows = FOLLOW_NOT;
  for (intptr_t i = 0; i < count; ++i) {
    MloptPlace place;
    Follow one = follow(walk, mloptOperand(op, i), &place);
    if (one == FOLLOW_NOT)
      continue;
    if (one == FOLLOW_BAD ||
        !toLoops(mapOf(op, i), mloptOperandType(op, i), &place))
      return FOLLOW_BAD;
    follows = join(walk->c, follows, out, one, &place);
    if (follows == FOLLOW_BAD)
      return FOLLOW_BAD;
  }
  return follows;
}

static Follow followGeneric(Walk *walk, MlirOperation op, MlirValue value,
                            MloptPlace *out) {
  if (!mloptIsParallelGeneric(op) || mloptIsIrregular(op))
    return FOLLOW_BAD;
  Follow follows =
      followOperands(walk, op, mlirOperationGetNumOperands(op), out);
  if (follows == FOLLOW_BAD)
    return FOLLOW_BAD;
  MlirAffineMap map =
      mapOf(op, numInputs(op) + mlirOpResultGetResultNumber(value));
  return follows == FOLLOW_NOT ||
                 toResult(map, mlirValueGetType(value), follows, out)
             ? follows
             : FOLLOW_BAD;
}

/// A reshape, of rows where each is there once.
static Follow followView(Walk *walk, MlirValue value, MloptPlace *out) {
  MlirType type = mlirValueGetType(value);
  Follow follows = follow(walk, mloptOperand(mloptDefiningOp(value), 0), out);
  int64_t elements = 1;
  for (intptr_t i = 0; follows == FOLLOW_ROW && i < out->count; ++i)
    elements *= out->at[i].size;
  if (follows == FOLLOW_ROW && elements != mloptNumElements(type))
    return FOLLOW_BAD;
  bool hasPlace = follows == FOLLOW_PLACE || follows == FOLLOW_ROW;
  return hasPlace && !mloptPlaceReshape(out, type) ? FOLLOW_BAD : follows;
}

static Follow followOperation(Walk *walk, MlirValue value, MloptPlace *out) {
  MlirOperation op = mloptDefiningOp(value);
  if (mlirOperationIsNull(op))
    return FOLLOW_BAD;
  for (intptr_t i = 0; i < walk->c->numResiduals; ++i)
    if (mlirValueEqual(walk->c->residuals[i].value, value)) {
      *out = walk->c->residuals[i].place;
      return FOLLOW_PLACE;
    }
  if (isProduct(walk->c, op)) {
    *out = mloptPlaceOfTensor(mlirValueGetType(value));
    return FOLLOW_PLACE;
  }
  for (intptr_t i = 0; i < walk->c->numOfRows; ++i)
    if (mlirOperationEqual(op, walk->c->ofRows[i])) {
      *out = walk->c->placesOfRows[i];
      return FOLLOW_ROW;
    }
  if (mloptIsNamed(op, "arith.constant") || mloptIsNamed(op, "tensor.empty") ||
      (mloptParameterOf(value) >= 0 && !isView(value)))
    return FOLLOW_NOT;
  if (mloptIsNamed(op, "linalg.generic"))
    return followGeneric(walk, op, value, out);
  return isView(value) ? followView(walk, value, out) : FOLLOW_BAD;
}

static Follow follow(Walk *walk, MlirValue value, MloptPlace *out) {
  for (int i = 0; i < walk->count; ++i)
    if (mlirValueEqual(walk->values[i], value)) {
      *out = walk->places[i];
      return walk->follows[i];
    }
  Follow follows = followOperation(walk, value, out);
  if (walk->count == MAX_KNOWN)
    return FOLLOW_BAD;
  walk->values[walk->count] = value;
  walk->follows[walk->count] = follows;
  if (follows == FOLLOW_PLACE || follows == FOLLOW_ROW)
    walk->places[walk->count] = *out;
  ++walk->count;
  return follows;
}

bool mloptFindPlaceInLoops(const MloptContraction *c, MlirOperation generic,
                           MloptPlace *out) {
  Walk walk = {.c = c, .count = 0};
  bool follows =
      followOperands(&walk, generic, numInputs(generic), out) == FOLLOW_PLACE;
  if (follows)
    mloptPlaceNormalize(out);
  return follows;
}

bool mloptFindPlaceOf(const MloptContraction *c, MlirValue value,
                      MloptPlace *out) {
  Walk walk = {.c = c, .count = 0};
  bool follows = follow(&walk, value, out) == FOLLOW_PLACE;
  if (follows)
    mloptPlaceNormalize(out);
  return follows;
}

/// Whether an output of rows has an element for each.
static bool isEachOnce(const MloptOutput *output) {
  int64_t elements = 1;
  for (intptr_t i = 0; i < output->place.count; ++i)
    elements *= output->place.at[i].size;
  return elements == mloptNumElements(output->type);
}

bool mloptFindOutputs(MlirBlock program, MloptContraction *c,
                      intptr_t *outStores) {
  Walk walk = {.c = c, .count = 0};
  *outStores = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(program);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!mloptIsNamed(op, "bufferization.materialize_in_destination"))
      continue;
    ++*outStores;
    MlirValue value = mloptOperand(op, 0);
    MloptOutput output = {.value = value,
                          .parameter = mloptParameterOf(mloptOperand(op, 1)),
                          .type = mlirValueGetType(value)};
    Follow follows =
        output.parameter < 0 ? FOLLOW_BAD : follow(&walk, value, &output.place);
    bool isRow = follows == FOLLOW_ROW && isEachOnce(&output);
    if (follows != FOLLOW_PLACE && !isRow)
      continue;
    if (isRow ? c->numRowOutputs == MLOPT_MAX_OF_ROWS
              : c->numOutputs == MLOPT_MAX_OUTPUTS)
      return false;
    mloptPlaceNormalize(&output.place);
    if (isRow)
      c->rowOutputs[c->numRowOutputs++] = output;
    else
      c->outputs[c->numOutputs++] = output;
  }
  return c->numOutputs + c->numRowOutputs > 0;
}

/// Whether the outputs follow from the residuals too, each element from those
/// in its place.
static bool followsResiduals(const MloptContraction *c) {
  Walk walk = {.c = c, .count = 0};
  for (intptr_t i = 0; i < c->numOutputs; ++i) {
    MloptPlace place, known = c->outputs[i].place;
    if (follow(&walk, c->outputs[i].value, &place) != FOLLOW_PLACE ||
        !mloptPlaceEqual(&place, &known))
      return false;
  }
  for (intptr_t i = 0; i < c->numFolds; ++i) {
    MloptPlace place, known = c->folds[i].input.place;
    if (follow(&walk, c->folds[i].input.value, &place) != FOLLOW_PLACE ||
        !mloptPlaceEqual(&place, &known))
      return false;
  }
  return true;
}

/// Whether a value comes from another, or from what a body reads of it.
static bool comesFrom(MlirValue value, MlirValue from) {
  MlirOperation op = mloptDefiningOp(value);
  if (mlirValueEqual(value, from) || mlirOperationIsNull(op))
    return mlirValueEqual(value, from);
  bool isGeneric = mloptIsNamed(op, "linalg.generic");
  for (MlirOperation step = isGeneric ? mlirBlockGetFirstOperation(bodyOf(op))
                                      : (MlirOperation){NULL};
       !mlirOperationIsNull(step); step = mlirOperationGetNextInBlock(step))
    if (mloptIsNamed(step, "tensor.extract") &&
        comesFrom(mloptOperand(step, 0), from))
      return true;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (comesFrom(mloptOperand(op, i), from))
      return true;
  return false;
}

/// Whether a factor that the program computes comes from a value.
static bool isOfPrologue(const MloptContraction *c, MlirValue value) {
  return !mlirValueIsNull(c->prologue.factor) &&
         comesFrom(c->prologue.factor, value);
}

static bool isOtherwiseUsed(const MloptContraction *c, intptr_t parameter) {
  bool isUsed = parameter == c->a.parameter;
  for (intptr_t i = 0; i < c->numProducts; ++i)
    isUsed |= parameter == c->parametersOfB[i];
  for (intptr_t i = 0; i < c->numOutputs; ++i)
    isUsed |= parameter == c->outputs[i].parameter;
  return isUsed;
}

void mloptFindResiduals(MlirBlock program, MloptContraction *c) {
  MlirType product = mloptResultType(c->products[0], 0);
  // A residual passes by once, and rows are read for each reduction.
  if (c->numOfRows)
    return;
  for (MlirOperation op = mlirBlockGetFirstOperation(program);
       !mlirOperationIsNull(op) && c->numResiduals < MLOPT_MAX_RESIDUALS;
       op = mlirOperationGetNextInBlock(op)) {
    if (!mloptIsNamed(op, "builtin.unrealized_conversion_cast"))
      continue;
    MloptOutput residual = {.value = mloptResult(op, 0),
                            .parameter = mloptParameterOf(mloptResult(op, 0)),
                            .type = mloptResultType(op, 0),
                            .place = mloptPlaceOfTensor(product)};
    if (residual.parameter < 0 || isOtherwiseUsed(c, residual.parameter) ||
        isOfPrologue(c, residual.value) ||
        mlirOpOperandIsNull(mlirValueGetFirstUse(residual.value)) ||
        mloptNumElements(residual.type) != mloptNumElements(product) ||
        !mloptPlaceReshape(&residual.place, residual.type))
      continue;
    mloptPlaceNormalize(&residual.place);
    c->residuals[c->numResiduals++] = residual;
    if (!followsResiduals(c))
      --c->numResiduals;
  }
}

/// Generics that an output of the contraction comes from, but for products.
typedef struct Epilogue {
  int count;
  MlirOperation at[MAX_KNOWN];
} Epilogue;

static bool isIn(const Epilogue *e, MlirOperation op) {
  for (int i = 0; i < e->count; ++i)
    if (mlirOperationEqual(e->at[i], op))
      return true;
  return false;
}

static void addToEpilogue(const MloptContraction *c, MlirValue value,
                          Epilogue *e) {
  MlirOperation op = mloptDefiningOp(value);
  if (mlirOperationIsNull(op) || e->count == MAX_KNOWN || isIn(e, op) ||
      isProduct(c, op))
    return;
  e->at[e->count++] = op;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    addToEpilogue(c, mloptOperand(op, i), e);
}

int64_t mloptEpilogueOperations(const MloptContraction *c) {
  enum { FUNCTION = 8 }; // and a division; instructions
  int64_t count = 0;
  Epilogue epilogue = {.count = 0};
  for (intptr_t i = 0; i < c->numOutputs; ++i)
    addToEpilogue(c, c->outputs[i].value, &epilogue);
  for (intptr_t i = 0; i < c->numRowOutputs; ++i)
    addToEpilogue(c, c->rowOutputs[i].value, &epilogue);
  for (intptr_t i = 0; i < c->numFolds; ++i)
    addToEpilogue(c, c->folds[i].output.value, &epilogue);
  for (int i = 0; i < epilogue.count; ++i) {
    MlirOperation op = epilogue.at[i];
    if (!mloptIsNamed(op, "linalg.generic"))
      continue;
    MlirOperation end = mlirBlockGetTerminator(bodyOf(op));
    for (MlirOperation step = mlirBlockGetFirstOperation(bodyOf(op));
         !mlirOperationEqual(step, end);
         step = mlirOperationGetNextInBlock(step)) {
      MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(step));
      bool isFunction = mloptStrEq(name, "arith.divf") ||
                        (name.length > 5 && !memcmp(name.data, "math.", 5));
      count += isFunction ? FUNCTION : 1;
    }
  }
  return count;
}

//===----------------------------------------------------------------------===//
// Digits
//===----------------------------------------------------------------------===//

int64_t mloptAxisStep(const MloptContraction *c, const MloptDigit *digit) {
  return digit->step * c->stepsOfC[digit->source];
}

intptr_t mloptOutputDigits(const MloptContraction *c, const MloptOutput *output,
                           MloptStoreDigit *out) {
  intptr_t count = 0;
  int64_t stride = 1;
  for (intptr_t i = output->place.count; i-- > 0;) {
    const MloptDigit *digit = &output->place.at[i];
    MloptAxis axis = c->axesOfC[digit->source];
    int64_t step = mloptAxisStep(c, digit);
    MloptStoreDigit *last = count ? &out[count - 1] : NULL;
    if (last && last->axis == axis && last->step * last->size == step)
      last->size *= digit->size;
    else
      out[count++] = (MloptStoreDigit){axis, digit->size, step, stride};
    stride *= digit->size;
  }
  return count;
}
