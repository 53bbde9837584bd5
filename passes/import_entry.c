//===- import_entry.c - Programs that check themselves --------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A StableHLO test calls functions for its inputs and for what it expects, and
// compares by custom calls. Here these leave its code, so that nothing can be
// computed through them before the program runs: the inputs become arguments,
// the compared values results, and attributes tell the host what to do:
//
//   func.func @main() -> T {
//     %0 = call @inputs() : () -> T
//     %1 = call @expected() : () -> T
//     %2 = stablehlo.abs %0 : T
//     stablehlo.custom_call @check.expect_close(%2, %1) : (T, T) -> ()
//     return %2 : T
//   }
// becomes
//   func.func @main(%0: T, %1: T) -> (T, T) attributes {
//       mlopt.arguments_from = [@inputs, @expected],
//       mlopt.checks = [{kind = "close", actual = 0, expected = 1, ...}]} {
//     %2 = stablehlo.abs %0 : T
//     return %2, %1 : T, T
//   }
//
//===----------------------------------------------------------------------===//

#include "import.h"

#include <stdio.h>
#include <stdlib.h>

/// The comparisons, with the bounds that a call may give and their defaults.
static const struct {
  const char *target, *kind;
  bool ulps, tolerance;
} checks[] = {
    {"check.expect_eq", "eq", false, false},
    {"check.expect_close", "close", true, false},
    {"check.expect_almost_eq", "almost_eq", false, true},
};
static const int64_t defaultMinUlp = 0, defaultMaxUlp = 3;
static const double defaultTolerance = 0.001;

/// The check that a custom call makes, or -1.
static int checkOf(MlirOperation op) {
  if (!mloptIsNamed(op, "stablehlo.custom_call"))
    return -1;
  MlirStringRef target =
      mlirStringAttrGetValue(mloptAttr(op, "call_target_name"));
  for (int i = 0; i < MLOPT_COUNT(checks); ++i)
    if (mloptStrEq(target, checks[i].target))
      return i;
  return -1;
}

bool mloptImportCheckCustomCall(MlirOperation op,
                                char reason[MLOPT_REASON_SIZE]) {
  if (checkOf(op) < 0) {
    MlirStringRef target =
        mlirStringAttrGetValue(mloptAttr(op, "call_target_name"));
    snprintf(reason, MLOPT_REASON_SIZE, "custom call '%.*s' is not known",
             target.length < 128 ? (int)target.length : 128, target.data);
    return false;
  }
  MlirBlock block = mlirOperationGetBlock(op);
  MlirOperation parent = mlirOperationGetParentOperation(op);
  if (mlirOperationGetNumOperands(op) == 2 &&
      mlirOperationGetNumResults(op) == 0 &&
      mloptIsNamed(parent, "func.func") &&
      mloptIsNamed(mlirBlockGetTerminator(block), "func.return") &&
      mlirBlockEqual(block, mloptImportBodyOf(parent, 0)))
    return true;
  snprintf(reason, MLOPT_REASON_SIZE,
           "a check compares two values at the top level of a function");
  return false;
}

/// A list that grows by one.
#define PUSH(list, num, item)                                                  \
  do {                                                                         \
    (list) = realloc((list), ((size_t)(num) + 1) * sizeof *(list));            \
    (list)[(num)++] = (item);                                                  \
  } while (0)

typedef struct Entry {
  MlirContext context;
  MlirOperation func;
  MlirBlock block;
  intptr_t numResults;
  MlirValue *results;
  intptr_t numSources;
  MlirAttribute *sources;
  intptr_t numChecks;
  MlirAttribute *checks;
} Entry;

/// The index of a result with this value, which is added if need be.
static int64_t resultIndex(Entry *entry, MlirValue value) {
  for (intptr_t i = 0; i < entry->numResults; ++i)
    if (mlirValueEqual(entry->results[i], value))
      return i;
  PUSH(entry->results, entry->numResults, value);
  return entry->numResults - 1;
}

static void takeCheck(Entry *entry, MlirOperation op, int check) {
  MlirContext context = entry->context;
  MlirNamedAttribute attrs[6] = {
      mloptNamedAttr(context, "kind",
                     mloptStrAttr(context, checks[check].kind)),
      mloptNamedAttr(
          context, "actual",
          mloptI64Attr(context, resultIndex(entry, mloptOperand(op, 0)))),
      mloptNamedAttr(
          context, "expected",
          mloptI64Attr(context, resultIndex(entry, mloptOperand(op, 1))))};
  intptr_t n = 3;
  if (checks[check].ulps) {
    int64_t least = mloptForeignGetInt(op, "min_ulp_difference", defaultMinUlp);
    int64_t most = mloptForeignGetInt(op, "max_ulp_difference", defaultMaxUlp);
    attrs[n++] =
        mloptNamedAttr(context, "min_ulp", mloptI64Attr(context, least));
    attrs[n++] =
        mloptNamedAttr(context, "max_ulp", mloptI64Attr(context, most));
  }
  if (checks[check].tolerance) {
    MlirAttribute given = mloptAttr(op, "tolerance");
    bool isGiven = !mlirAttributeIsNull(given) && mlirAttributeIsAFloat(given);
    double tolerance =
        isGiven ? mlirFloatAttrGetValueDouble(given) : defaultTolerance;
    attrs[n++] = mloptNamedAttr(
        context, "tolerance",
        mlirFloatAttrDoubleGet(context, mlirF64TypeGet(context), tolerance));
  }
  PUSH(entry->checks, entry->numChecks,
       mlirDictionaryAttrGet(context, n, attrs));
  mlirOperationDestroy(op);
}

/// Whether the operation calls a source of inputs or of expected results.
static bool isSourceCall(MlirOperation op) {
  if (!mloptIsNamed(op, "func.call") || mlirOperationGetNumOperands(op))
    return false;
  MlirStringRef callee = mlirFlatSymbolRefAttrGetValue(mloptAttr(op, "callee"));
  return mloptStrEq(callee, "inputs") || mloptStrEq(callee, "expected");
}

static void takeSource(Entry *entry, MlirOperation op,
                       MlirSymbolTable symbols) {
  MlirAttribute callee = mloptAttr(op, "callee");
  MlirOperation source =
      mlirSymbolTableLookup(symbols, mlirFlatSymbolRefAttrGetValue(callee));
  mlirOperationSetDiscardableAttributeByName(source, mloptStr("mlopt.source"),
                                             mlirUnitAttrGet(entry->context));
  PUSH(entry->sources, entry->numSources, callee);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue argument = mlirBlockAddArgument(
        entry->block, mloptResultType(op, i), mlirOperationGetLocation(op));
    mlirValueReplaceAllUsesOfWith(mloptResult(op, i), argument);
  }
  mlirOperationDestroy(op);
}

static void setList(const Entry *entry, const char *name, intptr_t n,
                    const MlirAttribute *list) {
  if (n)
    mlirOperationSetDiscardableAttributeByName(
        entry->func, mloptStr(name), mlirArrayAttrGet(entry->context, n, list));
}

/// Gives the function the type of its arguments and results as they are now.
static void updateType(Entry *entry) {
  intptr_t numArgs = mlirBlockGetNumArguments(entry->block);
  MlirType *types =
      malloc((size_t)(numArgs + entry->numResults + 1) * sizeof *types);
  for (intptr_t i = 0; i < numArgs; ++i)
    types[i] = mlirValueGetType(mlirBlockGetArgument(entry->block, i));
  for (intptr_t i = 0; i < entry->numResults; ++i)
    types[numArgs + i] = mlirValueGetType(entry->results[i]);
  mloptFuncSetType(entry->func,
                   mlirFunctionTypeGet(entry->context, numArgs, types,
                                       entry->numResults, types + numArgs));
  free(types);
}

static bool hasCheck(MlirBlock block) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (checkOf(op) >= 0)
      return true;
  return false;
}

static void importEntry(MlirOperation func, MlirSymbolTable symbols) {
  Entry entry = {.context = mlirOperationGetContext(func),
                 .func = func,
                 .block = mloptImportBodyOf(func, 0)};
  MlirOperation end = mlirBlockGetTerminator(entry.block), next;
  for (MlirOperation op = mlirBlockGetFirstOperation(entry.block);
       !mlirOperationEqual(op, end); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (isSourceCall(op))
      takeSource(&entry, op, symbols);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); ++i)
    PUSH(entry.results, entry.numResults, mloptOperand(end, i));
  for (MlirOperation op = mlirBlockGetFirstOperation(entry.block);
       !mlirOperationEqual(op, end); op = next) {
    next = mlirOperationGetNextInBlock(op);
    int check = checkOf(op);
    if (check >= 0)
      takeCheck(&entry, op, check);
  }
  mlirOperationSetOperands(end, entry.numResults, entry.results);
  updateType(&entry);
  setList(&entry, "mlopt.arguments_from", entry.numSources, entry.sources);
  setList(&entry, "mlopt.checks", entry.numChecks, entry.checks);
  free(entry.results);
  free(entry.sources);
  free(entry.checks);
}

void mloptImportEntries(MlirOperation module) {
  MlirSymbolTable symbols = mlirSymbolTableCreate(module);
  for (MlirOperation op =
           mlirBlockGetFirstOperation(mloptImportBodyOf(module, 0));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!mloptIsNamed(op, "func.func"))
      continue;
    MlirBlock block = mloptImportBodyOf(op, 0);
    if (!mlirBlockIsNull(block) && hasCheck(block))
      importEntry(op, symbols);
  }
  mlirSymbolTableDestroy(symbols);
}
