//===- entry.c - What a function takes, gives and checks ------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "entry.h"

#include "fold.h"

#include <stdlib.h>

/// A function of the module by its name; null if there is none.
static MlirOperation findFunction(const MloptSession *session,
                                  MlirStringRef name) {
  MlirOperation module = mlirModuleGetOperation(session->module);
  MlirSymbolTable symbols = mlirSymbolTableCreate(module);
  MlirOperation found = mlirSymbolTableLookup(symbols, name);
  mlirSymbolTableDestroy(symbols);
  return found;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// A text that is cut where the buffer ends.
typedef struct TypeText {
  char text[256];
} TypeText;

static void appendText(MlirStringRef part, void *userData) {
  TypeText *out = userData;
  size_t used = strlen(out->text), room = sizeof out->text - 1 - used;
  strncat(out->text, part.data, part.length < room ? part.length : room);
}

/// Describes an MLIR type for the host, or reports at the function.
static bool readType(MlirOperation function, MlirType type, const char *what,
                     intptr_t index, MloptTensor *out) {
  MlirLocation at = mlirOperationGetLocation(function);
  int64_t shape[MLOPT_MAX_RANK];
  MloptElement element =
      mloptIsTensor(type) ? mloptGetElement(type) : MLOPT_NO_ELEMENT;
  if (element == MLOPT_NO_ELEMENT || !mlirShapedTypeHasStaticShape(type)) {
    TypeText text = {""};
    mlirTypePrint(type, appendText, &text);
    mloptErrorAt(at,
                 "%s %d of the entry has type '%s'; only tensors of static "
                 "shape can be passed",
                 what, (int)index, text.text);
    return false;
  }
  MloptError why = {0};
  if (mloptTensorSetType(out, element, (int)mloptShape(type, shape), shape,
                         &why))
    return true;
  mloptErrorAt(at, "%s %d of the entry: %s", what, (int)index, why.text);
  return false;
}

static bool readSignature(MlirOperation function, MloptEntry *entry) {
  MlirType type = mlirTypeAttrGetValue(mloptAttr(function, "function_type"));
  entry->numInputs = (int)mlirFunctionTypeGetNumInputs(type);
  entry->numOutputs = (int)mlirFunctionTypeGetNumResults(type);
  entry->inputs = calloc((size_t)entry->numInputs + 1, sizeof(MloptTensor));
  entry->outputs = calloc((size_t)entry->numOutputs + 1, sizeof(MloptTensor));
  if (!entry->inputs || !entry->outputs)
    return false;
  for (int i = 0; i < entry->numInputs; ++i)
    if (!readType(function, mlirFunctionTypeGetInput(type, i), "argument", i,
                  &entry->inputs[i]))
      return false;
  for (int i = 0; i < entry->numOutputs; ++i)
    if (!readType(function, mlirFunctionTypeGetResult(type, i), "result", i,
                  &entry->outputs[i]))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Self-checking programs
//===----------------------------------------------------------------------===//

static bool readInteger(MlirAttribute dict, const char *name, int64_t fallback,
                        int64_t *out) {
  MlirAttribute attr = mloptDictGet(dict, name);
  *out = fallback;
  if (mlirAttributeIsNull(attr))
    return fallback >= 0;
  if (!mloptIsI64(attr))
    return false;
  *out = mlirIntegerAttrGetValueInt(attr);
  return *out >= 0;
}

/// Reads `kind` and the bounds that go with it; false if they are malformed.
static bool readRule(MlirAttribute dict, MloptRule *rule) {
  MlirAttribute kind = mloptDictGet(dict, "kind");
  if (mlirAttributeIsNull(kind) || !mlirAttributeIsAString(kind))
    return false;
  MlirStringRef name = mlirStringAttrGetValue(kind);
  if (mloptStrEq(name, "eq")) {
    *rule = (MloptRule){.kind = MLOPT_RULE_EXACT};
    return true;
  }
  if (mloptStrEq(name, "close")) {
    int64_t least = 0, most = 0;
    bool good = readInteger(dict, "min_ulp", 0, &least) &&
                readInteger(dict, "max_ulp", 3, &most);
    *rule = (MloptRule){MLOPT_RULE_ULP, (double)least, (double)most};
    return good;
  }
  MlirAttribute tolerance = mloptDictGet(dict, "tolerance");
  *rule = (MloptRule){MLOPT_RULE_ABSOLUTE, 0, 0.001};
  if (!mlirAttributeIsNull(tolerance)) {
    if (!mlirAttributeIsAFloat(tolerance))
      return false;
    rule->most = mlirFloatAttrGetValueDouble(tolerance);
  }
  return mloptStrEq(name, "almost_eq") && rule->most >= 0;
}

static bool readChecks(MlirOperation function, MloptEntry *entry) {
  MlirAttribute checks = mloptAttr(function, "mlopt.checks");
  if (mlirAttributeIsNull(checks))
    return true;
  intptr_t count = mlirArrayAttrGetNumElements(checks);
  entry->checks = calloc((size_t)count + 1, sizeof(MloptCheck));
  if (!entry->checks)
    return false;
  for (intptr_t i = 0; i < count; ++i) {
    MlirAttribute dict = mlirArrayAttrGetElement(checks, i);
    MloptCheck *check = &entry->checks[entry->numChecks++];
    int64_t actual = 0, expected = 0;
    bool good =
        mlirAttributeIsADictionary(dict) && readRule(dict, &check->rule) &&
        readInteger(dict, "actual", -1, &actual) &&
        readInteger(dict, "expected", -1, &expected) &&
        actual < entry->numOutputs && expected < entry->numOutputs &&
        mloptTensorSameType(&entry->outputs[actual], &entry->outputs[expected]);
    check->actual = (int)actual;
    check->expected = (int)expected;
    if (!good) {
      mloptErrorAt(mlirOperationGetLocation(function),
                   "'mlopt.checks' number %d is malformed, or compares what "
                   "are not two results of one type",
                   (int)i);
      return false;
    }
  }
  return true;
}

/// Names the entry and reads its signature.
static bool readFunction(MlirOperation function, MlirStringRef name,
                         MloptEntry *entry) {
  *entry = (MloptEntry){.name = strndup(name.data, name.length)};
  return entry->name && readSignature(function, entry);
}

/// Reads the functions of `mlopt.arguments_from`, whose results must be the
/// entry's last inputs.
static bool readSources(const MloptSession *session, MlirOperation function,
                        MloptEntry *entry) {
  MlirAttribute sources = mloptAttr(function, "mlopt.arguments_from");
  if (mlirAttributeIsNull(sources))
    return true;
  MlirLocation at = mlirOperationGetLocation(function);
  intptr_t count = mlirArrayAttrGetNumElements(sources);
  entry->sources = calloc((size_t)count + 1, sizeof(MloptEntry));
  if (!entry->sources)
    return false;
  int numValues = 0;
  for (intptr_t i = 0; i < count; ++i) {
    MlirAttribute symbol = mlirArrayAttrGetElement(sources, i);
    MlirOperation source = {NULL};
    MlirStringRef name = {NULL, 0};
    if (mlirAttributeIsAFlatSymbolRef(symbol)) {
      name = mlirFlatSymbolRefAttrGetValue(symbol);
      source = findFunction(session, name);
    }
    if (mlirOperationIsNull(source) || !mloptIsNamed(source, "func.func")) {
      mloptErrorAt(at, "'mlopt.arguments_from' number %d names no function",
                   (int)i);
      return false;
    }
    MloptEntry *out = &entry->sources[entry->numSources++];
    if (!readFunction(source, name, out))
      return false;
    numValues += out->numOutputs;
    if (out->numInputs) {
      mloptErrorAt(mlirOperationGetLocation(source),
                   "a function of 'mlopt.arguments_from' takes arguments");
      return false;
    }
  }
  int first = entry->numInputs - numValues;
  bool same = first >= 0;
  for (int s = 0, input = first; same && s < entry->numSources; ++s)
    for (int i = 0; same && i < entry->sources[s].numOutputs; ++i)
      same = mloptTensorSameType(&entry->inputs[input++],
                                 &entry->sources[s].outputs[i]);
  if (!same)
    mloptErrorAt(at, "the results of 'mlopt.arguments_from' are not the last "
                     "arguments of the entry");
  return same;
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

/// "@a, @b", the module's functions that have a body.
static void listFunctions(const MloptSession *session, char *text,
                          size_t size) {
  MlirOperation op =
      mlirBlockGetFirstOperation(mlirModuleGetBody(session->module));
  size_t used = 0;
  text[0] = 0;
  for (; !mlirOperationIsNull(op) && used + 8 < size;
       op = mlirOperationGetNextInBlock(op)) {
    if (!mloptIsNamed(op, "func.func"))
      continue;
    MlirStringRef name = mlirStringAttrGetValue(mloptAttr(op, "sym_name"));
    used += (size_t)snprintf(text + used, size - used, "%s@%.*s",
                             used ? ", " : "", (int)name.length, name.data);
  }
}

bool mloptEntryExpose(const MloptSession *session, const char *name) {
  MlirOperation module = mlirModuleGetOperation(session->module);
  MlirOperation function = findFunction(session, mloptStr(name));
  if (mlirOperationIsNull(function) || !mloptIsNamed(function, "func.func")) {
    char names[256];
    listFunctions(session, names, sizeof names);
    mloptErrorAt(mlirOperationGetLocation(module),
                 "there is no function @%s to run; the program has %s", name,
                 names[0] ? names : "none");
    return false;
  }
  MlirRegion body = mlirOperationGetRegion(function, 0);
  if (mlirBlockIsNull(mlirRegionGetFirstBlock(body))) {
    mloptErrorAt(mlirOperationGetLocation(function),
                 "function @%s has no body to run", name);
    return false;
  }
  mlirOperationRemoveAttributeByName(
      function, mlirSymbolTableGetVisibilityAttributeName());
  return true;
}

uint64_t mloptEntryFindUnsigned(const MloptSession *session, const char *name) {
  MlirOperation function = findFunction(session, mloptStr(name));
  MlirType type = mlirTypeAttrGetValue(mloptAttr(function, "function_type"));
  uint64_t found = 0;
  for (intptr_t i = 0; i < 64 && i < mlirFunctionTypeGetNumResults(type); ++i) {
    MlirType result = mlirFunctionTypeGetResult(type, i);
    if (mlirTypeIsAShaped(result))
      result = mlirShapedTypeGetElementType(result);
    if (mlirTypeIsAInteger(result) && mlirIntegerTypeIsUnsigned(result))
      found |= UINT64_C(1) << i;
  }
  return found;
}

bool mloptEntryRead(const MloptSession *session, const char *name,
                    MloptEntry *entry) {
  MlirOperation function = findFunction(session, mloptStr(name));
  if (readFunction(function, mloptStr(name), entry) &&
      readChecks(function, entry) && readSources(session, function, entry))
    return true;
  mloptEntryDestroy(entry);
  return false;
}

void mloptEntryDestroy(MloptEntry *entry) {
  for (int s = 0; s < entry->numSources; ++s)
    mloptEntryDestroy(&entry->sources[s]);
  free(entry->sources);
  free(entry->checks);
  free(entry->inputs);
  free(entry->outputs);
  free(entry->name);
  *entry = (MloptEntry){0};
}
