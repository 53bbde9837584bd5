//===- kind.c - Operations that combine by a kind or a region -------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one table of kinds, and the checks of the operations that have one.
//
//===----------------------------------------------------------------------===//

#include "kind.h"

#include "fold.h"
#include "match.h"

#include <math.h>

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

typedef enum Neutral { ZERO, ONE, LOWEST, HIGHEST, ALL_ONES } Neutral;

static const struct {
  const char *name;
  const MloptOpDef *op; ///< combines two values; its operands say of what types
  MloptBinaryFn function;
  Neutral neutral;
} kinds[] = {
    [MLOPT_KIND_NONE] = {0},
    [MLOPT_KIND_ADD] = {"add", &mloptOp_add, mloptNumberAdd, ZERO},
    [MLOPT_KIND_MUL] = {"mul", &mloptOp_mul, mloptNumberMul, ONE},
    [MLOPT_KIND_MAX] = {"max", &mloptOp_max, mloptNumberMax, LOWEST},
    [MLOPT_KIND_MIN] = {"min", &mloptOp_min, mloptNumberMin, HIGHEST},
    [MLOPT_KIND_MAXU] = {"maxu", &mloptOp_maxu, mloptNumberMaxu, ZERO},
    [MLOPT_KIND_MINU] = {"minu", &mloptOp_minu, mloptNumberMinu, ALL_ONES},
    [MLOPT_KIND_AND] = {"and", &mloptOp_and, mloptNumberAnd, ALL_ONES},
    [MLOPT_KIND_OR] = {"or", &mloptOp_or, mloptNumberOr, ZERO},
    [MLOPT_KIND_XOR] = {"xor", &mloptOp_xor, mloptNumberXor, ZERO},
    [MLOPT_KIND_SET] = {"set", NULL, NULL, ZERO},
};

MloptKind mloptReadKind(MlirAttribute attr) {
  if (mlirAttributeIsNull(attr) || !mlirAttributeIsAString(attr))
    return MLOPT_KIND_NONE;
  for (int i = MLOPT_KIND_ADD; i < MLOPT_COUNT(kinds); ++i)
    if (mloptStrEq(mlirStringAttrGetValue(attr), kinds[i].name))
      return (MloptKind)i;
  return MLOPT_KIND_NONE;
}

MloptKind mloptGetKind(MlirOperation op) {
  return mloptReadKind(mloptAttr(op, "kind"));
}

const char *mloptKindGetOpName(MloptKind kind) {
  return kinds[kind].op ? kinds[kind].op->name : NULL;
}

MloptBinaryFn mloptKindGetFunction(MloptKind kind) {
  return kinds[kind].function;
}

bool mloptIsReduceKind(MlirAttribute attr) {
  return mloptReadKind(attr) != MLOPT_KIND_NONE &&
         mloptReadKind(attr) != MLOPT_KIND_SET;
}

bool mloptIsScatterKind(MlirAttribute attr) {
  return mloptReadKind(attr) != MLOPT_KIND_NONE;
}

/// The least value of an element type; i1 counts as unsigned.
static uint64_t lowest(MloptElement e) {
  if (mloptNumberIsFloat(e))
    return mloptNumberFromDouble(e, e == MLOPT_F8E4M3FN ? -448.0 : -INFINITY);
  return e == MLOPT_I1 ? 0 : UINT64_C(1) << (mloptNumberWidth(e) - 1);
}

static uint64_t highest(MloptElement e) {
  if (mloptNumberIsFloat(e))
    return mloptNumberFromDouble(e, e == MLOPT_F8E4M3FN ? 448.0 : INFINITY);
  return e == MLOPT_I1 ? 1 : mloptNumberMask(e) >> 1;
}

uint64_t mloptKindGetNeutralBits(MloptKind kind, MloptElement e) {
  switch (kinds[kind].neutral) {
  case ZERO:
    return 0;
  case ONE:
    return mloptNumberOne(e);
  case LOWEST:
    return lowest(e);
  case HIGHEST:
    return highest(e);
  case ALL_ONES:
    return mloptNumberMask(e);
  }
  return 0;
}

MlirAttribute mloptKindGetNeutral(MloptKind kind, MlirType element) {
  return mloptSplatAttr(
      element, mloptKindGetNeutralBits(kind, mloptGetElement(element)));
}

MlirType mloptAccumulationType(MlirType element) {
  if (mloptIsFloatElement(element) && mloptElementWidth(element) < 32)
    return mlirF32TypeGet(mlirTypeGetContext(element));
  return element;
}

bool mloptKindIsExact(MloptKind kind, MloptElement e) {
  return kinds[kind].function &&
         (!mloptNumberIsFloat(e) || kind == MLOPT_KIND_MAX ||
          kind == MLOPT_KIND_MIN);
}

bool mloptKindKeepsOne(MloptKind kind, MloptElement e) {
  return kinds[kind].function &&
         !(kind == MLOPT_KIND_ADD && mloptNumberIsFloat(e));
}

uint64_t mloptKindCombineEqual(MloptKind kind, MloptElement e, uint64_t bits,
                               int64_t n) {
  MloptBinaryFn combine = kinds[kind].function;
  uint64_t all = mloptKindGetNeutralBits(kind, e);
  for (; n; n >>= 1, bits = combine(e, bits, bits))
    if (n & 1)
      all = combine(e, all, bits);
  return all;
}

bool mloptDropNeutralInit(MlirOperation op, const MlirAttribute *constants) {
  MloptKind kind = mloptGetKind(op);
  if (kind == MLOPT_KIND_NONE || mlirOperationGetNumOperands(op) != 2)
    return false;
  MloptElement e = mloptGetElement(mloptOperandType(op, 1));
  uint64_t bits;
  if (!mloptReadSplat(constants[1], &bits) ||
      bits != mloptKindGetNeutralBits(kind, e))
    return false;
  MlirValue input = mloptOperand(op, 0);
  mlirOperationSetOperands(op, 1, &input);
  return true;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

static bool checkInputShapes(const MloptSubject *s, const MlirType *types,
                             MloptInputs *in) {
  in->rank = mloptShape(types[0], in->shape);
  for (intptr_t i = 1; i < in->count; ++i) {
    if (!mloptShapesAgree(types[0], types[i]))
      return mloptReject(
          s, "input #%" PRIdPTR " has another shape than input #0", i);
    for (intptr_t d = 0; d < in->rank; ++d)
      in->shape[d] = mloptMeetSizes(in->shape[d], mloptDim(types[i], d));
  }
  return true;
}

bool mloptCheckKindElement(const MloptSubject *s, MloptKind kind,
                           MlirType element) {
  const MloptOpDef *combine = kinds[kind].op;
  return !combine || combine->operands[0].is(element) ||
         mloptReject(s, "of kind %s needs a %s", kinds[kind].name,
                     combine->operands[0].what);
}

bool mloptReadInputs(const MloptSubject *s, intptr_t numOperands,
                     const MlirType *types, MloptInputs *in) {
  in->kind = mloptReadKind(mloptSubjectAttr(s, "kind"));
  bool isKind = in->kind != MLOPT_KIND_NONE;
  in->count = isKind ? 1 : numOperands / 2;
  in->hasInits = numOperands > in->count;
  if (isKind && numOperands != 1 && numOperands != 2)
    return mloptReject(s,
                       "of a kind takes one input and at most one initial "
                       "value, but has %" PRIdPTR " operands",
                       numOperands);
  if (!isKind && (numOperands == 0 || numOperands % 2))
    return mloptReject(s,
                       "with a region takes inputs and as many initial values, "
                       "but has %" PRIdPTR " operands",
                       numOperands);
  if (!checkInputShapes(s, types, in))
    return false;
  for (intptr_t i = in->count; i < numOperands; ++i)
    if (mloptRank(types[i]) != 0)
      return mloptReject(s,
                         "initial value #%" PRIdPTR
                         " must have rank 0, but has rank %" PRId64,
                         i - in->count, mloptRank(types[i]));
  if (!isKind)
    return true;
  MlirType element = mloptElementType(types[0]);
  if (in->hasInits && !mlirTypeEqual(element, mloptElementType(types[1])))
    return mloptReject(s, "has an initial value of another element type than "
                          "its input");
  return mloptCheckKindElement(s, in->kind, element);
}

MlirType mloptInputsElement(const MloptInputs *in, const MlirType *types,
                            intptr_t i) {
  return mloptElementType(types[in->hasInits ? in->count + i : i]);
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

bool mloptCheckKindOrRegion(MlirOperation op) {
  bool isKind = !mlirAttributeIsNull(mloptAttr(op, "kind"));
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  if (isKind == mlirBlockIsNull(body))
    return true;
  (void)mloptOpError(op, isKind ? "has a kind and a region; one of them says "
                                  "how to combine"
                                : "needs a kind or a region");
  return false;
}

static MlirLogicalResult verifyYield(MlirOperation op, MlirOperation yield,
                                     intptr_t numYields,
                                     MloptRegionTypeFn yieldType) {
  if (!mloptIsA(yield, &mloptOp_yield))
    return mloptOpError(op, "has a region that does not end in mlopt.yield");
  intptr_t n = mlirOperationGetNumOperands(yield);
  if (n != numYields)
    return mloptOpError(yield,
                        "must yield %" PRIdPTR " values, but has %" PRIdPTR,
                        numYields, n);
  for (intptr_t i = 0; i < n; ++i)
    if (!mlirTypeEqual(mloptOperandType(yield, i), yieldType(op, i)))
      return mloptOpError(
          yield, "operand #%" PRIdPTR " has not the type that '%s' needs", i,
          mloptGetOpDef(op)->name);
  return mloptSuccess();
}

MlirLogicalResult mloptVerifyScalarRegion(MlirOperation op, intptr_t numArgs,
                                          MloptRegionTypeFn argType,
                                          intptr_t numYields,
                                          MloptRegionTypeFn yieldType) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  if (mlirBlockIsNull(body))
    return mloptSuccess();
  intptr_t n = mlirBlockGetNumArguments(body);
  if (n != numArgs)
    return mloptOpError(
        op, "needs a region of %" PRIdPTR " arguments, but it has %" PRIdPTR,
        numArgs, n);
  for (intptr_t i = 0; i < n; ++i)
    if (!mlirTypeEqual(mlirValueGetType(mlirBlockGetArgument(body, i)),
                       argType(op, i)))
      return mloptOpError(op,
                          "has a region whose argument #%" PRIdPTR
                          " has not the element type of its operand",
                          i);
  return verifyYield(op, mlirBlockGetTerminator(body), numYields, yieldType);
}

/// Accumulators have the types of the initial values, which are the second
/// half of the operands; elements follow.
static MlirType reductionType(MlirOperation op, intptr_t i) {
  intptr_t n = mlirOperationGetNumOperands(op);
  return mloptElementType(mloptOperandType(op, (i + n / 2) % n));
}

MlirLogicalResult mloptVerifyReductionRegion(MlirOperation op) {
  intptr_t n = mlirOperationGetNumOperands(op);
  return mloptVerifyScalarRegion(op, n, reductionType, n / 2, reductionType);
}
