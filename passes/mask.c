//===- mask.c - What lies beyond a mask's diagonal ------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mask.h"

#include "contraction_impl.h"
#include "schedule.h"

#include <math.h>

/// What a value is beyond the mask: a number, or the index of a loop or of a
/// dimension plus a constant.
typedef enum Kind { UNKNOWN, NUMBER, INDEX } Kind;
typedef struct Value {
  Kind kind;
  double number; ///< of a condition, 0 or 1
  intptr_t dim;
  int64_t constant;
} Value;

/// `steps` bounds how many values are looked at: where two need a third, that
/// is visited twice.
typedef struct Walk {
  const MloptMask *mask; ///< null where masks are looked for
  const MloptBeyond *parameters;
  intptr_t count;
  MloptMask *found;
  int steps;
} Walk;
enum { MOST_STEPS = 1 << 14 };

/// A linalg.generic, and its loops that are the mask's rows and columns; -1
/// where they are not known.
typedef struct Space {
  MlirOperation generic;
  bool isAligned; ///< a turn's number is a place in a masked buffer
  int64_t row, column;
} Space;

static const Value unknown = {UNKNOWN, 0, 0, 0};

static Value numberOf(double number) {
  return (Value){.kind = NUMBER, .number = number};
}

static bool isNumber(Value v, double number) {
  return v.kind == NUMBER && v.number == number;
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

/// The last loop before `end` of more than one turn; -1 if there is none.
static int64_t lastLoop(MlirOperation generic, int64_t end) {
  while (end-- > 0)
    if (mloptLoopSize(generic, end) != 1)
      return end;
  return -1;
}

static Space openSpace(const Walk *w, MlirOperation generic, bool isAligned) {
  int64_t numLoops =
      mlirArrayAttrGetNumElements(mloptAttr(generic, "iterator_types"));
  int64_t column = lastLoop(generic, numLoops);
  int64_t row = column < 0 ? -1 : lastLoop(generic, column);
  if (!isAligned || row < 0 ||
      (w->mask && (mloptLoopSize(generic, row) != w->mask->rows ||
                   mloptLoopSize(generic, column) != w->mask->columns)))
    row = column = -1;
  return (Space){generic, isAligned, row, column};
}

/// A mask beyond which a comparison always comes out the same.
static void addMask(Walk *w, const Space *space, int64_t offset) {
  MloptMask mask = {mloptLoopSize(space->generic, space->row),
                    mloptLoopSize(space->generic, space->column), offset};
  // Every row has a column that is not beyond, and some columns are.
  if (offset < 0 || offset >= mask.columns - 1)
    return;
  for (intptr_t i = 0; i < w->count; ++i)
    if (w->found[i].rows == mask.rows && w->found[i].columns == mask.columns &&
        w->found[i].offset == mask.offset)
      return;
  if (w->count < MLOPT_MAX_MASKS)
    w->found[w->count++] = mask;
}

/// `high` > `low`, or >= where `orEqual`. Beyond the mask, column - row is
/// offset + 1 or more.
static Value compareIndices(Walk *w, const Space *space, Value high, Value low,
                            bool orEqual) {
  int64_t apart = high.constant - low.constant;
  if (space->row < 0)
    return unknown;
  if (high.dim == space->row && low.dim == space->column) {
    // Holds where column - row <= last.
    int64_t last = apart - !orEqual;
    if (!w->mask)
      addMask(w, space, last);
    else if (w->mask->offset >= last)
      return numberOf(0);
  } else if (high.dim == space->column && low.dim == space->row) {
    // Holds where column - row >= first.
    int64_t first = !orEqual - apart;
    if (!w->mask)
      addMask(w, space, first - 1);
    else if (w->mask->offset + 1 >= first)
      return numberOf(1);
  }
  return unknown;
}

static Value compare(Walk *w, const Space *space, MlirOperation op, Value x,
                     Value y) {
  enum { SLT = 2, SLE, SGT, SGE }; // arith::CmpIPredicate
  int64_t predicate = mlirIntegerAttrGetValueInt(mloptAttr(op, "predicate"));
  if (x.kind != INDEX || y.kind != INDEX)
    return unknown;
  switch (predicate) {
  case SLT:
  case SLE:
    return compareIndices(w, space, y, x, predicate == SLE);
  case SGT:
  case SGE:
    return compareIndices(w, space, x, y, predicate == SGE);
  default:
    return unknown;
  }
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

typedef enum Rule {
  SAME, ///< as its operand, which is zero, an infinity, an index or a condition
  NEGATE,
  ADD,
  SUBTRACT,
  MULTIPLY,
  DIVIDE,
  EXPONENTIAL,
  AND,
  OR
} Rule;

static const struct {
  const char *name;
  Rule rule;
} rules[] = {
    {"arith.addf", ADD},        {"arith.addi", ADD},
    {"arith.andi", AND},        {"arith.divf", DIVIDE},
    {"arith.extf", SAME},       {"arith.extsi", SAME},
    {"arith.index_cast", SAME}, {"arith.mulf", MULTIPLY},
    {"arith.negf", NEGATE},     {"arith.ori", OR},
    {"arith.subf", SUBTRACT},   {"arith.subi", SUBTRACT},
    {"arith.truncf", SAME},     {"arith.trunci", SAME},
    {"math.exp", EXPONENTIAL},  {"math.exp2", EXPONENTIAL},
};

/// Of integers, sums of an index and a constant that do not wrap.
static Value addIntegers(Value x, Value y, int sign) {
  enum { LARGE = 1 << 30 };
  if (x.kind != INDEX || y.kind != NUMBER || fabs(y.number) > LARGE)
    return unknown;
  x.constant += sign * (int64_t)y.number;
  return x.constant < LARGE && x.constant > -LARGE ? x : unknown;
}

/// An infinity stays one whatever is added.
static Value addFloats(Value x, Value y) {
  if (x.kind == NUMBER && y.kind == NUMBER &&
      (isinf(x.number) || isinf(y.number) || (!x.number && !y.number)))
    return numberOf(x.number + y.number);
  return x.kind == NUMBER && isinf(x.number)   ? x
         : y.kind == NUMBER && isinf(y.number) ? y
                                               : unknown;
}

/// Zero stays zero whatever it is multiplied with.
static Value multiply(Value x, Value y) {
  if ((isNumber(x, 0) && !(y.kind == NUMBER && isinf(y.number))) ||
      (isNumber(y, 0) && !(x.kind == NUMBER && isinf(x.number))))
    return numberOf(0);
  return x.kind == NUMBER && y.kind == NUMBER &&
                 (isinf(x.number) || isinf(y.number))
             ? numberOf(x.number * y.number)
             : unknown;
}

static Value divide(Value x, Value y) {
  if (isNumber(y, 0))
    return unknown;
  if (isNumber(x, 0))
    return x;
  return x.kind == NUMBER && y.kind == NUMBER && isinf(x.number) &&
                 !isinf(y.number)
             ? numberOf(x.number / y.number)
             : unknown;
}

static Value negate(Value x) {
  return x.kind == NUMBER ? numberOf(-x.number) : unknown;
}

static Value apply(Rule rule, MlirOperation op, Value x, Value y) {
  MlirType type = mloptResultType(op, 0);
  bool isInteger = !mloptIsFloatElement(type);
  switch (rule) {
  case SAME:
    // A narrow index might wrap; another number might be rounded.
    return x.kind == INDEX ? (mloptElementWidth(type) >= 32 ? x : unknown)
           : isInteger || (x.kind == NUMBER && (!x.number || isinf(x.number)))
               ? x
               : unknown;
  case NEGATE:
    return negate(x);
  case ADD:
    return !isInteger        ? addFloats(x, y)
           : x.kind == INDEX ? addIntegers(x, y, 1)
                             : addIntegers(y, x, 1);
  case SUBTRACT:
    return isInteger ? addIntegers(x, y, -1) : addFloats(x, negate(y));
  case MULTIPLY:
    return multiply(x, y);
  case DIVIDE:
    return divide(x, y);
  case EXPONENTIAL:
    return isNumber(x, -INFINITY) ? numberOf(0) : unknown;
  case AND:
    return isNumber(x, 0) || isNumber(y, 0)   ? numberOf(0)
           : isNumber(x, 1) && isNumber(y, 1) ? x
                                              : unknown;
  case OR:
    return isNumber(x, 1) || isNumber(y, 1)   ? numberOf(1)
           : isNumber(x, 0) && isNumber(y, 0) ? x
                                              : unknown;
  }
  return unknown;
}

static Value ofTensor(Walk *w, MlirValue tensor, bool isAligned);
static Value ofScalar(Walk *w, const Space *space, MlirValue value);

/// An element of an operand.
static Value ofArgument(Walk *w, const Space *space, MlirValue argument) {
  intptr_t i = mlirBlockArgumentGetArgNumber(argument);
  if (!mlirBlockEqual(mlirBlockArgumentGetOwner(argument),
                      bodyOf(space->generic)) ||
      i >= numInputs(space->generic))
    return unknown;
  MlirAffineMap map = mapOf(space->generic, i);
  Value v = ofTensor(w, mloptOperand(space->generic, i),
                     space->isAligned && mlirAffineMapIsIdentity(map));
  if (v.kind != INDEX)
    return v;
  v.dim = loopOf(map, v.dim);
  return v.dim < 0 ? unknown : v;
}

static Value ofConstant(MlirAttribute value) {
  return mlirAttributeIsAFloat(value)
             ? numberOf(mlirFloatAttrGetValueDouble(value))
         : !mlirAttributeIsAInteger(value) ? unknown
         : mloptIsI1(mlirAttributeGetType(value))
             ? numberOf(mlirIntegerAttrGetValueInt(value) != 0)
             : numberOf((double)mlirIntegerAttrGetValueInt(value));
}

static Value ofScalar(Walk *w, const Space *space, MlirValue value) {
  if (--w->steps < 0)
    return unknown;
  if (mlirValueIsABlockArgument(value))
    return ofArgument(w, space, value);
  MlirOperation op = mloptDefiningOp(value);
  if (mloptIsNamed(op, "arith.constant"))
    return ofConstant(mloptAttr(op, "value"));
  if (mloptIsNamed(op, "linalg.index"))
    return (Value){.kind = INDEX,
                   .dim = mlirIntegerAttrGetValueInt(mloptAttr(op, "dim"))};
  if (mloptIsNamed(op, "arith.select")) {
    Value condition = ofScalar(w, space, mloptOperand(op, 0));
    return condition.kind == NUMBER
               ? ofScalar(w, space, mloptOperand(op, condition.number ? 1 : 2))
               : unknown;
  }
  bool isComparison = mloptIsNamed(op, "arith.cmpi");
  intptr_t row = MLOPT_FIND_ROW(op, rules);
  if (row < 0 && !isComparison)
    return unknown;
  Value x = ofScalar(w, space, mloptOperand(op, 0));
  Value y = mlirOperationGetNumOperands(op) > 1
                ? ofScalar(w, space, mloptOperand(op, 1))
                : unknown;
  return isComparison ? compare(w, space, op, x, y)
                      : apply(rules[row].rule, op, x, y);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// The result of a body whose elements go where the loops stand.
static Value ofGeneric(Walk *w, MlirValue tensor, bool isAligned) {
  MlirOperation generic = mloptDefiningOp(tensor);
  intptr_t i = mlirOpResultGetResultNumber(tensor);
  if (!mloptIsParallelGeneric(generic) ||
      !mlirAffineMapIsIdentity(mapOf(generic, numInputs(generic) + i)))
    return unknown;
  Space space = openSpace(w, generic, isAligned);
  return ofScalar(w, &space,
                  mloptOperand(mlirBlockGetTerminator(bodyOf(generic)), i));
}

static Value ofTensor(Walk *w, MlirValue tensor, bool isAligned) {
  if (--w->steps < 0 || !mlirValueIsAOpResult(tensor))
    return unknown;
  MlirOperation op = mloptDefiningOp(tensor);
  if (mloptIsNamed(op, "linalg.generic"))
    return ofGeneric(w, tensor, isAligned);
  if (mloptIsNamed(op, "arith.constant")) {
    MlirAttribute value = mloptAttr(op, "value");
    return mlirAttributeIsADenseElements(value) &&
                   mlirDenseElementsAttrIsSplat(value)
               ? ofConstant(mlirDenseElementsAttrGetSplatValue(value))
               : unknown;
  }
  if (isView(tensor)) {
    // Places in memory stay the same, dimensions do not.
    Value v = ofTensor(w, mloptOperand(op, 0), isAligned);
    return v.kind == NUMBER ? v : unknown;
  }
  intptr_t parameter = mloptParameterOf(tensor);
  return isAligned && parameter >= 0 && w->parameters &&
                 w->parameters[parameter].isKnown
             ? numberOf(w->parameters[parameter].number)
             : unknown;
}

intptr_t mloptFindMasks(MlirBlock program, intptr_t count,
                        MloptMask masks[MLOPT_MAX_MASKS]) {
  Walk w = {.count = count, .found = masks};
  for (MlirOperation op = mlirBlockGetFirstOperation(program);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!mloptIsNamed(op, "linalg.generic") || !mloptIsParallelGeneric(op))
      continue;
    Space space = openSpace(&w, op, true);
    for (MlirOperation scalar = mlirBlockGetFirstOperation(bodyOf(op));
         !mlirOperationIsNull(scalar);
         scalar = mlirOperationGetNextInBlock(scalar)) {
      w.steps = MOST_STEPS;
      if (mloptIsNamed(scalar, "arith.cmpi"))
        ofScalar(&w, &space, mloptResult(scalar, 0));
    }
  }
  return w.count;
}

MloptBeyond mloptBeyondOf(MlirValue tensor, const MloptMask *mask,
                          const MloptBeyond *parameters) {
  Walk w = {.mask = mask, .parameters = parameters, .steps = MOST_STEPS};
  Value v = ofTensor(&w, tensor, true);
  return (MloptBeyond){v.kind == NUMBER, v.number};
}

bool mloptIsNeutralBeyond(MlirOperation reduction, const MloptMask *mask,
                          const MloptBeyond *parameters) {
  Walk w = {.mask = mask, .parameters = parameters, .steps = MOST_STEPS};
  Space space = openSpace(&w, reduction, true);
  for (intptr_t i = 0, n = mlirOperationGetNumResults(reduction); i < n; ++i) {
    MloptCombiner combiner;
    if (!mloptDescribeCombiner(reduction, i, &combiner) ||
        !mlirAttributeIsAFloat(combiner.neutral))
      return false;
    Value v = ofScalar(&w, &space,
                       mloptOperand(combiner.op, 1 - combiner.accumulator));
    if (!isNumber(v, mlirFloatAttrGetValueDouble(combiner.neutral)))
      return false;
  }
  return true;
}

bool mloptReadMask(MlirOperation kernel, MloptMask *out) {
  MlirAttribute attr = mloptAttr(kernel, MLOPT_MASKED);
  if (mlirAttributeIsNull(attr))
    return false;
  *out = (MloptMask){mlirIntegerAttrGetValueInt(mloptDictGet(attr, "rows")),
                     mlirIntegerAttrGetValueInt(mloptDictGet(attr, "columns")),
                     mlirIntegerAttrGetValueInt(mloptDictGet(attr, "offset"))};
  return true;
}
