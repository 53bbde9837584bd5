//===- elementwise.c - What the elementwise operations share --------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See elementwise.h; the operations are in elementwise_unary.c,
// elementwise_binary.c, elementwise_choice.c and elementwise_convert.c.
//
//===----------------------------------------------------------------------===//

#include "elementwise.h"

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

bool mloptIsWholeTensorOrScalar(MlirType t) {
  return mloptIsIntTensorOrScalar(t) &&
         mloptElementWidth(mloptElementType(t)) >= 8;
}

bool mloptIsWholeOrI1TensorOrScalar(MlirType t) {
  return mloptIsWholeTensorOrScalar(t) || mloptIsI1TensorOrScalar(t);
}

bool mloptIsNumberTensorOrScalar(MlirType t) {
  return mloptIsWholeTensorOrScalar(t) || mloptIsFloatTensorOrScalar(t);
}

bool mloptIsNumberOrI1TensorOrScalar(MlirType t) {
  return mloptIsNumberTensorOrScalar(t) || mloptIsI1TensorOrScalar(t);
}

static void appendText(MlirStringRef piece, void *userData) {
  MloptTypeText *out = userData;
  size_t used = strlen(out->text), left = sizeof out->text - 1 - used;
  size_t n = piece.length < left ? piece.length : left;
  memcpy(out->text + used, piece.data, n);
  out->text[used + n] = '\0';
}

MloptTypeText mloptTypeText(MlirType type) {
  MloptTypeText out = {""};
  mlirTypePrint(type, appendText, &out);
  return out;
}

MlirType mloptI1Like(MlirType type) {
  MlirType i1 = mlirIntegerTypeGet(mlirTypeGetContext(type), 1);
  return mloptIsTensor(type) ? mloptWithElementType(type, i1) : i1;
}

intptr_t mloptInferI1Result(const MloptOpDef *def, const MloptInferArgs *args,
                            MlirType *results) {
  MloptSubject s;
  if (!mloptInferSubject(def, args, &s))
    return -1;
  results[0] = mloptI1Like(args->operandTypes[0]);
  return 1;
}

MlirLogicalResult mloptVerifyResult(MlirOperation op, MlirType expected) {
  MlirType type = mloptResultType(op, 0);
  if (mlirTypeEqual(type, expected))
    return mloptSuccess();
  return mloptOpError(op, "result must be '%s', but is '%s'",
                      mloptTypeText(expected).text, mloptTypeText(type).text);
}

MlirLogicalResult mloptVerifyI1Result(MlirOperation op) {
  return mloptVerifyResult(op, mloptI1Like(mloptOperandType(op, 0)));
}

//===----------------------------------------------------------------------===//
// Folds
//===----------------------------------------------------------------------===//

MlirLogicalResult mloptFoldToBits(MlirOperation op, uint64_t bits,
                                  MloptFoldResult *results) {
  return mloptFoldToAttr(mloptSplatAttr(mloptResultType(op, 0), bits), results);
}

/// f(f(x)) is f(x), or x.
static MlirLogicalResult foldTwice(MlirOperation op, MloptFoldResult *results) {
  const MloptOpDef *def = mloptGetOpDef(op);
  MlirOperation inner = mloptDefinedBy(mloptOperand(op, 0), def, op);
  if (mlirOperationIsNull(inner))
    return mloptFailure();
  if (def->traits & MLOPT_IDEMPOTENT)
    return mloptFoldToOperand(op, 0, results);
  MlirValue x = mloptOperand(inner, 0);
  // Two of them may be each other's operand in unreachable code.
  if (!(def->traits & MLOPT_INVOLUTION) ||
      mlirValueEqual(x, mloptResult(op, 0)))
    return mloptFailure();
  return mloptFoldResultTo(op, 0, x, results);
}

MlirLogicalResult mloptFoldUnary(MlirOperation op,
                                 const MlirAttribute *constants,
                                 MloptFoldResult *results, MloptUnaryFn f) {
  MloptElements x, r;
  if (!mloptReadElements(constants[0], &x))
    return foldTwice(op, results);
  if (!mloptInitElements(mloptResultType(op, 0), x.splat, &r))
    return mloptFailure();
  for (int64_t i = 0, n = mloptStoredElements(&x); i < n; ++i)
    r.values[i] = f(x.element, x.values[i]);
  return mloptFoldToAttr(mloptWriteElements(&r), results);
}

MlirLogicalResult mloptFoldBinary(MlirOperation op,
                                  const MlirAttribute *constants,
                                  MloptFoldResult *results, MloptBinaryFn f) {
  MloptElements a, b, r;
  if (!mloptReadElements(constants[0], &a) ||
      !mloptReadElements(constants[1], &b) ||
      !mloptInitElements(mloptResultType(op, 0), a.splat && b.splat, &r))
    return mloptFailure();
  for (int64_t i = 0, n = mloptStoredElements(&r); i < n; ++i)
    r.values[i] = f(a.element, mloptElementAt(&a, i), mloptElementAt(&b, i));
  return mloptFoldToAttr(mloptWriteElements(&r), results);
}
