//===- elementwise_choice.c - Comparison and choice -----------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// compare, select and clamp.
//
//===----------------------------------------------------------------------===//

#include "elementwise.h"

static bool valuesEqual(MlirOperation op, intptr_t i, intptr_t j) {
  return mlirValueEqual(mloptOperand(op, i), mloptOperand(op, j));
}

//===----------------------------------------------------------------------===//
// compare
//===----------------------------------------------------------------------===//

/// The predicate that an attribute spells, or -1.
static int predicateOf(MlirAttribute attr) {
  if (!mlirAttributeIsAString(attr))
    return -1;
  for (int i = 0; i < MLOPT_NUM_PREDICATES; ++i)
    if (mloptStrEq(mlirStringAttrGetValue(attr), mloptPredicateNames[i]))
      return i;
  return -1;
}

static bool isPredicate(MlirAttribute attr) { return predicateOf(attr) >= 0; }

static MloptPredicate getPredicate(MlirOperation op) {
  return (MloptPredicate)predicateOf(mloptAttr(op, "predicate"));
}

static MlirLogicalResult verifyCompare(MlirOperation op) {
  MlirType a = mloptOperandType(op, 0), b = mloptOperandType(op, 1);
  if (!mlirTypeEqual(a, b))
    return mloptOpError(op,
                        "compares operands of one type, but got '%s' and '%s'",
                        mloptTypeText(a).text, mloptTypeText(b).text);
  MloptPredicate predicate = getPredicate(op);
  if (predicate >= MLOPT_ULT && mloptIsFloatTensorOrScalar(a))
    return mloptOpError(op, "predicate '%s' compares integers, but got '%s'",
                        mloptPredicateNames[predicate], mloptTypeText(a).text);
  return mloptVerifyI1Result(op);
}

/// The predicate that compares the operands in the other order.
static const MloptPredicate mirrored[MLOPT_NUM_PREDICATES] = {
    [MLOPT_EQ] = MLOPT_EQ,   [MLOPT_NE] = MLOPT_NE,   [MLOPT_LT] = MLOPT_GT,
    [MLOPT_LE] = MLOPT_GE,   [MLOPT_GT] = MLOPT_LT,   [MLOPT_GE] = MLOPT_LE,
    [MLOPT_ULT] = MLOPT_UGT, [MLOPT_ULE] = MLOPT_UGE, [MLOPT_UGT] = MLOPT_ULT,
    [MLOPT_UGE] = MLOPT_ULE,
};

/// Moves a constant to the right.
static void swapCompared(MlirOperation op, MloptPredicate predicate) {
  MlirValue a = mloptOperand(op, 0), b = mloptOperand(op, 1);
  mlirOperationSetOperand(op, 0, b);
  mlirOperationSetOperand(op, 1, a);
  mlirOperationSetInherentAttributeByName(
      op, mloptStr("predicate"),
      mloptStrAttr(mlirOperationGetContext(op),
                   mloptPredicateNames[mirrored[predicate]]));
}

static MlirLogicalResult foldConstantCompare(MlirOperation op,
                                             const MlirAttribute *constants,
                                             MloptPredicate predicate,
                                             MloptFoldResult *results) {
  MloptElements a, b, r;
  if (!mloptReadElements(constants[0], &a) ||
      !mloptReadElements(constants[1], &b) ||
      !mloptInitElements(mloptResultType(op, 0), a.splat && b.splat, &r))
    return mloptFailure();
  for (int64_t i = 0, n = mloptStoredElements(&r); i < n; ++i)
    r.values[i] = mloptNumberCompare(
        a.element, predicate, mloptElementAt(&a, i), mloptElementAt(&b, i));
  return mloptFoldToAttr(mloptWriteElements(&r), results);
}

static MlirLogicalResult foldCompare(MlirOperation op,
                                     const MlirAttribute *constants,
                                     MloptFoldResult *results) {
  MloptPredicate predicate = getPredicate(op);
  MloptElement e = mloptGetElement(mloptOperandType(op, 0));
  bool left = !mlirAttributeIsNull(constants[0]);
  bool right = !mlirAttributeIsNull(constants[1]);
  if (left && right)
    return foldConstantCompare(op, constants, predicate, results);
  if (left) {
    swapCompared(op, predicate);
    return mloptSuccess();
  }
  if (valuesEqual(op, 0, 1)) {
    bool equal = mloptNumberCompare(e, predicate, 0, 0);
    // NaN differs from itself: of floats only "less" and "greater" are known.
    if (!mloptNumberIsFloat(e) || (!equal && predicate != MLOPT_NE))
      return mloptFoldToBits(op, equal, results);
  }
  uint64_t bits;
  if (e == MLOPT_I1 && mloptReadSplat(constants[1], &bits) &&
      ((predicate == MLOPT_EQ && bits) || (predicate == MLOPT_NE && !bits)))
    return mloptFoldToOperand(op, 0, results);
  return mloptFailure();
}

const MloptOpDef mloptOp_compare MLOPT_TABLE = {
    .name = "mlopt.compare",
    .traits = MLOPT_PURE | MLOPT_ELEMENTWISE,
    OPERANDS(VALUE("lhs", NUMBERS_OR_I1), VALUE("rhs", NUMBERS_OR_I1)),
    RESULT(BOOLS),
    ATTRS({"predicate", isPredicate,
           "one of eq, ne, lt, le, gt, ge, ult, ule, ugt, uge", false, NULL}),
    .assembly = "kw($predicate) `,` $lhs `,` $rhs attr-dict `:` type($lhs)",
    .summary = "Comparison of two values of one type",
    .doc = "The result is i1 of the operands' shape. eq, ne, lt, le, gt and ge "
           "compare floats, and integers as signed; i1 counts as unsigned. "
           "With a NaN ne is true and all others are false; -0 equals +0. ult, "
           "ule, ugt and uge compare integers as unsigned.",
    .example = "%r = mlopt.compare lt, %a, %b : tensor<4xf32>",
    .verify = verifyCompare,
    .fold = foldCompare,
    .inferTypes = mloptInferI1Result,
};

//===----------------------------------------------------------------------===//
// select
//===----------------------------------------------------------------------===//

/// Whether a condition type can choose between values of a type.
static bool isConditionOf(MlirType condition, MlirType values) {
  if (!mloptIsRankedTensor(values) || !mloptIsRankedTensor(condition))
    return !mloptIsRankedTensor(condition);
  return mloptRank(condition) == 0 || mloptShapesAgree(condition, values);
}

static MlirLogicalResult verifySelect(MlirOperation op) {
  MlirType c = mloptOperandType(op, 0);
  MlirType a = mloptOperandType(op, 1), b = mloptOperandType(op, 2);
  if (!mlirTypeEqual(a, b))
    return mloptOpError(
        op, "selects between values of one type, but got '%s' and '%s'",
        mloptTypeText(a).text, mloptTypeText(b).text);
  if (!isConditionOf(c, a))
    return mloptOpError(op,
                        "condition must be a single i1 or have the shape of "
                        "'%s', but got '%s'",
                        mloptTypeText(a).text, mloptTypeText(c).text);
  return mloptVerifyResult(op, a);
}

static intptr_t inferSelect(const MloptOpDef *def, const MloptInferArgs *args,
                            MlirType *results) {
  MloptSubject s;
  if (!mloptInferSubject(def, args, &s))
    return -1;
  results[0] = args->operandTypes[1];
  return 1;
}

static MlirLogicalResult foldConstantSelect(MlirOperation op,
                                            const MlirAttribute *constants,
                                            MloptFoldResult *results) {
  MloptElements c, a, b, r;
  if (!mloptReadElements(constants[0], &c) ||
      !mloptReadElements(constants[1], &a) ||
      !mloptReadElements(constants[2], &b) ||
      !mloptInitElements(mloptResultType(op, 0), c.splat && a.splat && b.splat,
                         &r))
    return mloptFailure();
  for (int64_t i = 0, n = mloptStoredElements(&r); i < n; ++i)
    r.values[i] = mloptElementAt(mloptElementAt(&c, i) ? &a : &b, i);
  return mloptFoldToAttr(mloptWriteElements(&r), results);
}

static MlirLogicalResult foldSelect(MlirOperation op,
                                    const MlirAttribute *constants,
                                    MloptFoldResult *results) {
  if (valuesEqual(op, 1, 2))
    return mloptFoldToOperand(op, 1, results);
  uint64_t c, a, b;
  if (mloptReadSplat(constants[0], &c))
    return mloptFoldToOperand(op, c ? 1 : 2, results);
  // Choosing between true and false is the condition, if it has the shape.
  if (mloptGetElement(mloptOperandType(op, 1)) == MLOPT_I1 &&
      mloptReadSplat(constants[1], &a) && mloptReadSplat(constants[2], &b) &&
      a && !b)
    return mloptFoldToOperand(op, 0, results);
  return foldConstantSelect(op, constants, results);
}

bool mloptParseSelectTypes(const MloptOpDef *def, MloptParser parser,
                           MloptAssemblyState *state) {
  (void)def;
  MlirType first, values;
  if (!mloptParseType(parser, &first))
    return false;
  values = first;
  if (!mloptParseOptionalToken(parser, ","))
    first = mloptI1Like(values);
  else if (!mloptParseType(parser, &values))
    return false;
  state->types[0] = first;
  state->types[1] = state->types[2] = values;
  return true;
}

void mloptPrintSelectTypes(const MloptOpDef *def, MlirOperation op,
                           MloptPrinter printer) {
  (void)def;
  MlirType c = mloptOperandType(op, 0), values = mloptOperandType(op, 1);
  if (!mlirTypeEqual(c, mloptI1Like(values))) {
    mloptPrintType(printer, c);
    mloptPrintText(printer, ", ");
  }
  mloptPrintType(printer, values);
}

const MloptOpDef mloptOp_select MLOPT_TABLE = {
    .name = "mlopt.select",
    .traits = MLOPT_PURE,
    OPERANDS(VALUE("condition", BOOLS), VALUE("on_true", NUMBERS_OR_I1),
             VALUE("on_false", NUMBERS_OR_I1)),
    RESULT(NUMBERS_OR_I1),
    .assembly = "$condition `,` $on_true `,` $on_false attr-dict `:` "
                "custom<SelectTypes>",
    .summary = "One of two values, by a condition",
    .doc = "Takes each element from on_true where the condition holds, "
           "otherwise from on_false, with the bits it has. The condition has "
           "the shape of the values, or is a single i1, bare or of rank 0, for "
           "all elements; then its type is printed before theirs.",
    .example = "%r = mlopt.select %c, %a, %b : tensor<4xf32>",
    .verify = verifySelect,
    .fold = foldSelect,
    .inferTypes = inferSelect,
};

//===----------------------------------------------------------------------===//
// clamp
//===----------------------------------------------------------------------===//

static MlirLogicalResult foldClamp(MlirOperation op,
                                   const MlirAttribute *constants,
                                   MloptFoldResult *results) {
  MloptElements low, x, high, r;
  if (!mloptReadElements(constants[0], &low) ||
      !mloptReadElements(constants[1], &x) ||
      !mloptReadElements(constants[2], &high) ||
      !mloptInitElements(mloptResultType(op, 0),
                         low.splat && x.splat && high.splat, &r))
    return mloptFailure();
  MloptElement e = r.element;
  for (int64_t i = 0, n = mloptStoredElements(&r); i < n; ++i) {
    uint64_t raised =
        mloptNumberMax(e, mloptElementAt(&low, i), mloptElementAt(&x, i));
    r.values[i] = mloptNumberMin(e, raised, mloptElementAt(&high, i));
  }
  return mloptFoldToAttr(mloptWriteElements(&r), results);
}

const MloptOpDef mloptOp_clamp MLOPT_TABLE = {
    .name = "mlopt.clamp",
    .traits = MLOPT_PURE | MLOPT_SAME_TYPE | MLOPT_ELEMENTWISE,
    OPERANDS(VALUE("low", NUMBERS_OR_I1), VALUE("x", NUMBERS_OR_I1),
             VALUE("high", NUMBERS_OR_I1)),
    RESULT(NUMBERS_OR_I1),
    .assembly = "$low `,` $x `,` $high attr-dict `:` type($result)",
    .summary = "A value kept between two bounds",
    .doc = "min(max(low, x), high), with the rules of max and min: a NaN in "
           "any operand gives NaN, and where low exceeds high the result is "
           "high. Integers are signed; i1 counts as unsigned.",
    .example = "%r = mlopt.clamp %low, %x, %high : tensor<4xf32>",
    .fold = foldClamp,
};
