//===- import_preflight.c - What cannot be imported -----------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks at a whole program before anything is changed, so that it is told of
// all its unsupported operations at once, each at its own place:
//
//   'stablehlo.fft' op cannot be imported: complex numbers are not supported
//
// What passes here, the rewrites can handle. Dynamic sizes, which tend to be
// everywhere in a program or nowhere, are reported once.
//
//===----------------------------------------------------------------------===//

#include "import.h"

#include <stdio.h>

typedef struct Preflight {
  bool failed;
  bool sawDynamic;
  bool callsInBodies; ///< whether a body calls a function
  bool allowCalls;    ///< whether it may
} Preflight;

static bool refuse(char reason[MLOPT_REASON_SIZE], const char *why) {
  snprintf(reason, MLOPT_REASON_SIZE, "%s", why);
  return false;
}

/// Whether the operation stands in the body of another.
static bool isInBody(MlirOperation op) {
  MlirOperation parent = mlirOperationGetParentOperation(op);
  if (mlirOperationIsNull(parent))
    return false;
  const MloptImportRow *row = mloptImportFindRow(parent);
  return row && row->bodies;
}

//===----------------------------------------------------------------------===//
// Checks of rows
//===----------------------------------------------------------------------===//

bool mloptImportCheckArithmetic(MlirOperation op,
                                char reason[MLOPT_REASON_SIZE]) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirType element = mloptElementType(mloptOperandType(op, i));
    if (mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) == 4)
      return refuse(reason, "4-bit integers can only be converted");
  }
  return true;
}

bool mloptImportCheckFloats(MlirOperation op, char reason[MLOPT_REASON_SIZE]) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (!mloptIsFloatElement(mloptElementType(mloptOperandType(op, i))))
      return refuse(reason, "it is a function of floats");
  return true;
}

bool mloptImportCheckConstantLike(MlirOperation op,
                                  char reason[MLOPT_REASON_SIZE]) {
  MlirAttribute value = mloptAttr(op, "value");
  MlirType type = mloptImportType(mloptResultType(op, 0));
  if (mloptIsFloatElement(mloptElementType(type))
          ? mlirAttributeIsAFloat(value)
          : mlirAttributeIsAInteger(value))
    return true;
  return refuse(reason, "its value is not of the type of its elements");
}

bool mloptImportCheckBitcast(MlirOperation op, char reason[MLOPT_REASON_SIZE]) {
  MlirType from = mloptImportType(mloptOperandType(op, 0));
  MlirType to = mloptImportType(mloptResultType(op, 0));
  if (mlirTypeEqual(from, to) ||
      (mloptElementWidth(mloptElementType(from)) >= 8 &&
       mloptElementWidth(mloptElementType(to)) >= 8))
    return true;
  return refuse(reason,
                "elements of less than 8 bits cannot be cast to another type");
}

static void sawElided(MlirStringRef text, void *userData) {
  static const char elided[] = "__elided__";
  for (size_t i = 0; i + sizeof elided - 1 <= text.length; ++i)
    if (!memcmp(text.data + i, elided, sizeof elided - 1))
      *(bool *)userData = true;
}

bool mloptImportCheckConstant(MlirOperation op,
                              char reason[MLOPT_REASON_SIZE]) {
  MlirAttribute value = mloptAttr(op, "value");
  if (mlirAttributeIsADenseElements(value))
    return true;
  if (!mlirAttributeIsADenseResourceElements(value) || isInBody(op))
    return refuse(reason, "its elements must be dense");
  bool isElided = false;
  mlirAttributePrint(value, sawElided, &isElided);
  if (isElided)
    return refuse(reason, "its elements were left out of the text");
  if (mloptIsUnsignedElement(mlirAttributeGetType(value)))
    return refuse(reason, "a resource of unsigned integers is not supported");
  return true;
}

bool mloptImportCheckBodies(MlirOperation op, char reason[MLOPT_REASON_SIZE]) {
  if (mlirOperationGetNumOperands(op) > MLOPT_MAX_BODY_VALUES)
    return refuse(reason, "it has more than 64 operands");
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i) {
    MlirBlock body = mloptImportBodyOf(op, i);
    if (mlirBlockIsNull(body) ||
        !mlirBlockIsNull(mlirBlockGetNextInRegion(body)) ||
        !mloptIsNamed(mlirBlockGetTerminator(body), "stablehlo.return"))
      return refuse(reason, "a body must be one block");
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

typedef struct Text {
  char text[MLOPT_REASON_SIZE];
  size_t size;
} Text;

static void append(MlirStringRef part, void *userData) {
  Text *out = userData;
  size_t room = sizeof out->text - 1 - out->size;
  size_t n = part.length < room ? part.length : room;
  memcpy(out->text + out->size, part.data, n);
  out->size += n;
}

static bool checkType(Preflight *state, MlirOperation op, MlirType type) {
  bool isDynamic;
  const char *problem = mloptImportTypeProblem(type, &isDynamic);
  if (!problem)
    return true;
  state->failed = true;
  if (isDynamic && state->sawDynamic)
    return false;
  state->sawDynamic |= isDynamic;
  Text text = {.size = 0};
  mlirTypePrint(type, append, &text);
  mloptOpError(op, "cannot be imported: type '%s': %s", text.text, problem);
  return false;
}

static void checkSignature(Preflight *state, MlirOperation func) {
  MlirType type = mlirTypeAttrGetValue(mloptAttr(func, "function_type"));
  bool good = true;
  for (intptr_t i = 0; good && i < mlirFunctionTypeGetNumInputs(type); ++i)
    good = checkType(state, func, mlirFunctionTypeGetInput(type, i));
}

static void fail(Preflight *state, MlirOperation op, const char *reason) {
  state->failed = true;
  mloptOpError(op, "cannot be imported: %s", reason);
}

/// Whether the operation may stand in a body: one on scalars that come from
/// the same body.
static bool checkInBody(Preflight *state, MlirOperation op,
                        const MloptImportRow *row) {
  if (mloptIsNamed(op, "stablehlo.return"))
    return true;
  if (mloptIsNamed(op, "func.call")) {
    state->callsInBodies = true;
    if (!state->allowCalls)
      fail(state, op, "a recursive call in a body is not supported");
    return false;
  }
  if (!row || !row->scalar || mlirOperationGetNumResults(op) != 1) {
    fail(state, op, "it is not supported in the body of another operation");
    return false;
  }
  if (mloptRank(mloptResultType(op, 0))) {
    fail(state, op, "a body computes on tensors of rank 0");
    return false;
  }
  MlirBlock block = mlirOperationGetBlock(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mloptOperand(op, i);
    MlirBlock from = mlirValueIsABlockArgument(value)
                         ? mlirBlockArgumentGetOwner(value)
                         : mlirOperationGetBlock(mlirOpResultGetOwner(value));
    if (!mlirBlockEqual(block, from)) {
      fail(state, op, "a body may not use values from outside");
      return false;
    }
  }
  return true;
}

static void checkOperation(Preflight *state, MlirOperation op,
                           const MloptImportRow *row) {
  char reason[MLOPT_REASON_SIZE];
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (!checkType(state, op, mloptOperandType(op, i)))
      return;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (!checkType(state, op, mloptResultType(op, i)))
      return;
  if (row->check && !row->check(op, reason))
    fail(state, op, reason);
}

static MlirWalkResult visit(MlirOperation op, void *userData) {
  Preflight *state = userData;
  if (mloptIsNamed(op, "func.func"))
    checkSignature(state, op);
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  bool isForeign =
      !strncmp(name.data, "stablehlo.", 10) || !strncmp(name.data, "chlo.", 5);
  const MloptImportRow *row = isForeign ? mloptImportFindRow(op) : NULL;
  if (isForeign && (!row || row->refusal))
    fail(state, op, row ? row->refusal : "it is not supported");
  else if ((!isInBody(op) || checkInBody(state, op, row)) && isForeign)
    checkOperation(state, op, row);
  return MlirWalkResultAdvance;
}

bool mloptImportPreflight(MlirOperation module, bool allowCalls,
                          bool *outCallsInBodies) {
  Preflight state = {.allowCalls = allowCalls};
  mlirOperationWalk(module, visit, &state, MlirWalkPreOrder);
  *outCallsInBodies = state.callsInBodies;
  return !state.failed;
}
