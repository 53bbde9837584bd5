//===- mlopt_assembly.c - Assembly that no format can say -----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fusion binds its operands to the arguments of its region:
//
//   %r = mlopt.fusion (%a = %x : T, %b = %y : U) -> V { ... }
//
//===----------------------------------------------------------------------===//

#include "mlopt_assembly.h"

#include "elementwise.h"

enum { MAX_BINDINGS = MLOPT_COUNT(((MloptAssemblyState *)0)->operands) };

/// `%argument = %operand : type`
static bool parseBinding(MloptParser p, MloptAssemblyState *state,
                         intptr_t *arguments) {
  intptr_t n = state->numOperands;
  if (n == MAX_BINDINGS)
    return mloptParserError(p, "more than %d operands", MAX_BINDINGS);
  arguments[n] = mloptParseArgument(p, /*withType=*/false);
  if (arguments[n] < 0 || !mloptParseToken(p, "="))
    return false;
  state->operands[n] = mloptParseOperand(p);
  if (state->operands[n] < 0 || !mloptParseToken(p, ":") ||
      !mloptParseType(p, &state->types[n]))
    return false;
  mloptSetArgumentType(p, arguments[n], state->types[n]);
  state->numTypes = ++state->numOperands;
  return true;
}

static bool parseResultType(MloptParser p) {
  MlirType type;
  if (!mloptParseType(p, &type))
    return false;
  mloptParserAddResultType(p, type);
  return true;
}

/// `-> type` or `-> (types)`
static bool parseResultTypes(MloptParser p, MloptAssemblyState *state) {
  state->resultsDone = true;
  if (!mloptParseToken(p, "->"))
    return false;
  if (!mloptParseOptionalToken(p, "("))
    return parseResultType(p);
  if (mloptParseOptionalToken(p, ")"))
    return true;
  do
    if (!parseResultType(p))
      return false;
  while (mloptParseOptionalToken(p, ","));
  return mloptParseToken(p, ")");
}

static bool parseFusion(const MloptOpDef *def, MloptParser p,
                        MloptAssemblyState *state) {
  (void)def;
  intptr_t arguments[MAX_BINDINGS];
  if (!mloptParseToken(p, "("))
    return false;
  if (!mloptParseOptionalToken(p, ")")) {
    do
      if (!parseBinding(p, state, arguments))
        return false;
    while (mloptParseOptionalToken(p, ","));
    if (!mloptParseToken(p, ")"))
      return false;
  }
  return parseResultTypes(p, state) &&
         mloptParseRegion(p, state->numOperands, arguments);
}

static void printBindings(MlirOperation op, MloptPrinter p) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  mloptPrintText(p, "(");
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    mloptPrintText(p, i ? ", " : "");
    mloptPrintOperand(p, mlirBlockGetArgument(body, i));
    mloptPrintText(p, " = ");
    mloptPrintOperand(p, mloptOperand(op, i));
    mloptPrintText(p, " : ");
    mloptPrintType(p, mloptOperandType(op, i));
  }
  mloptPrintText(p, ")");
}

static void printFusion(const MloptOpDef *def, MlirOperation op,
                        MloptPrinter p) {
  (void)def;
  intptr_t n = mlirOperationGetNumResults(op);
  printBindings(op, p);
  mloptPrintText(p, n == 1 ? " -> " : " -> (");
  for (intptr_t i = 0; i < n; ++i) {
    mloptPrintText(p, i ? ", " : "");
    mloptPrintType(p, mloptResultType(op, i));
  }
  mloptPrintText(p, n == 1 ? " " : ") ");
  mloptPrintRegion(p, mlirOperationGetRegion(op, 0), /*printArguments=*/false);
}

const MloptCustom mloptCustoms[] = {
    {"Fusion", parseFusion, printFusion, NULL},
    {"SelectTypes", mloptParseSelectTypes, mloptPrintSelectTypes, NULL},
};
const int mloptNumCustoms = MLOPT_COUNT(mloptCustoms);
