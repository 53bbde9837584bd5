//===- attrs.c - Parts of StableHLO's and CHLO's attributes ---------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists of integers, cases of enumerations, and attributes that are lists of
// named fields: what the rows of stablehlo_attrs.c are made of. What enters is
// text, what leaves is the list of attributes that a table attribute holds.
//
//===----------------------------------------------------------------------===//

#include "tables.h"

enum { MAX_INTS = 256 };

//===----------------------------------------------------------------------===//
// Predicates
//===----------------------------------------------------------------------===//

static bool isIntegerOfWidth(MlirAttribute attr, unsigned width) {
  if (!mlirAttributeIsAInteger(attr))
    return false;
  MlirType type = mlirAttributeGetType(attr);
  return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == width;
}

bool mloptForeignIsUnit(MlirAttribute a) { return mlirAttributeIsAUnit(a); }
bool mloptForeignIsI32(MlirAttribute a) { return isIntegerOfWidth(a, 32); }
bool mloptForeignIsF32(MlirAttribute a) {
  return mlirAttributeIsAFloat(a) && mlirTypeIsAF32(mlirAttributeGetType(a));
}
bool mloptForeignIsBools(MlirAttribute a) {
  return mlirAttributeIsADenseBoolArray(a);
}
bool mloptForeignIsI32s(MlirAttribute a) {
  return mlirAttributeIsADenseI32Array(a);
}
bool mloptForeignIsDenseI64(MlirAttribute a) {
  if (!mlirAttributeIsADenseIntElements(a))
    return false;
  MlirType element = mlirShapedTypeGetElementType(mlirAttributeGetType(a));
  return mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) == 64;
}
bool mloptForeignIsElements(MlirAttribute a) {
  return mlirAttributeIsAElements(a);
}
bool mloptForeignIsArray(MlirAttribute a) { return mlirAttributeIsAArray(a); }
bool mloptForeignIsDict(MlirAttribute a) {
  return mlirAttributeIsADictionary(a);
}
bool mloptForeignIsSymbol(MlirAttribute a) {
  return mlirAttributeIsAFlatSymbolRef(a);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static bool parseInt(MloptParser p, bool dynamic, int64_t *out) {
  if (!dynamic || !mloptParseOptionalToken(p, "?"))
    return mloptParseInteger(p, out);
  *out = mlirShapedTypeGetDynamicSize();
  return true;
}

MlirAttribute mloptParseInts(MloptParser p, bool dynamic, const char *open,
                             const char *close) {
  int64_t values[MAX_INTS];
  intptr_t n = 0;
  MlirAttribute none = {NULL};
  if (open && !mloptParseToken(p, open))
    return none;
  if (!mloptParseOptionalToken(p, close)) {
    do {
      if (n == MAX_INTS) {
        mloptParserError(p, "more than %d integers", MAX_INTS);
        return none;
      }
      if (!parseInt(p, dynamic, &values[n++]))
        return none;
    } while (mloptParseOptionalToken(p, ","));
    if (!mloptParseToken(p, close))
      return none;
  }
  return mloptI64Array(mloptParserGetContext(p), n, values);
}

void mloptPrintInts(MloptPrinter p, MlirAttribute ints, const char *open,
                    const char *close) {
  mloptPrintText(p, open);
  for (intptr_t i = 0, n = mlirDenseArrayGetNumElements(ints); i < n; ++i) {
    int64_t value = mlirDenseI64ArrayGetElement(ints, i);
    if (i)
      mloptPrintText(p, ", ");
    if (mloptIsDynamic(value))
      mloptPrintText(p, "?");
    else
      mloptPrintInteger(p, value);
  }
  mloptPrintText(p, close);
}

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

/// `(pre_size)size`, or the attribute in full.
static bool parseAxis(MloptParser p, const MloptAttrDef *axis,
                      MlirAttribute *out) {
  int alias = mloptParseOptionalAlias(p, out);
  if (alias)
    return alias > 0;
  MlirAttribute params[2];
  if (axis->parse(p, 2, params) < 0)
    return false;
  *out = mloptAttrGet(mloptParserGetContext(p), axis, 2, params);
  return true;
}

/// `[<...>, ...]`, each also in full.
static bool parseAxes(MloptParser p, const MloptAttrDef *axis,
                      MlirAttribute *out) {
  MlirAttribute axes[MLOPT_MAX_RANK];
  intptr_t n = 0;
  if (!mloptParseToken(p, "["))
    return false;
  if (!mloptParseOptionalToken(p, "]")) {
    do {
      if (n == MLOPT_MAX_RANK)
        return mloptParserError(p, "a mesh has at most %d axes",
                                MLOPT_MAX_RANK);
      if (!parseAxis(p, axis, &axes[n++]))
        return false;
    } while (mloptParseOptionalToken(p, ","));
    if (!mloptParseToken(p, "]"))
      return false;
  }
  *out = mlirArrayAttrGet(mloptParserGetContext(p), n, axes);
  return true;
}

static bool parseField(MloptParser p, const MloptField *field,
                       MlirAttribute *out) {
  MlirContext context = mloptParserGetContext(p);
  MlirType any = {NULL};
  const char *begin = mloptParserGetPosition(p);
  switch (field->kind) {
  case MLOPT_FIELD_INTS:
    *out = mloptParseInts(p, true, "[", "]");
    return !mlirAttributeIsNull(*out);
  case MLOPT_FIELD_INT: {
    int64_t value;
    if (!mloptParseInteger(p, &value))
      return false;
    *out = mloptI64Attr(context, value);
    return true;
  }
  case MLOPT_FIELD_FLOAT:
    return mloptParseAttribute(p, mlirF64TypeGet(context), out);
  case MLOPT_FIELD_STRING:
    return mloptParseAttribute(p, any, out) &&
           (mlirAttributeIsAString(*out) ||
            mloptParserErrorAt(p, begin, "expected a string for '%s'",
                               field->name));
  case MLOPT_FIELD_TYPE: {
    MlirType type;
    if (!mloptParseType(p, &type))
      return false;
    *out = mlirTypeAttrGet(type);
    return true;
  }
  case MLOPT_FIELD_ATTR:
    return mloptParseAttribute(p, any, out);
  case MLOPT_FIELD_AXIS:
    return parseAxis(p, &mloptStablehloAttrs[MLOPT_ATTR_SUB_AXIS_INFO], out);
  case MLOPT_FIELD_AXES:
    return parseAxes(p, &mloptStablehloAttrs[MLOPT_ATTR_MESH_AXIS], out);
  }
  return false;
}

static int findField(int numFields, const MloptField *fields,
                     MlirStringRef name) {
  for (int i = 0; i < numFields; ++i)
    if (mloptStrEq(name, fields[i].name))
      return i;
  return -1;
}

/// What an optional field that was left out holds. A null attribute cannot be
/// a parameter, so that fields without a zero hold the unit attribute.
static MlirAttribute absent(MlirContext context, MloptFieldKind kind) {
  switch (kind) {
  case MLOPT_FIELD_INTS:
    return mloptI64Array(context, 0, NULL);
  case MLOPT_FIELD_INT:
    return mloptI64Attr(context, 0);
  case MLOPT_FIELD_FLOAT:
    return mlirFloatAttrDoubleGet(context, mlirF64TypeGet(context), 0.0);
  default:
    return mlirUnitAttrGet(context);
  }
}

intptr_t mloptParseFields(MloptParser p, int numFields,
                          const MloptField *fields, MlirAttribute *params) {
  MlirContext context = mloptParserGetContext(p);
  const char *open = mloptParserGetPosition(p);
  for (int i = 0; i < numFields; ++i)
    params[i] = (MlirAttribute){NULL};
  while (!mloptParseOptionalToken(p, ">")) {
    MlirStringRef name;
    const char *begin = mloptParserGetPosition(p);
    if (!mloptParseKeyword(p, &name))
      return -1;
    int i = findField(numFields, fields, name);
    if (i < 0 || !mlirAttributeIsNull(params[i])) {
      mloptParserErrorAt(p, begin, "%s field '%.*s'",
                         i < 0 ? "unknown" : "repeated", (int)name.length,
                         name.data);
      return -1;
    }
    if (!mloptParseToken(p, "=") || !parseField(p, &fields[i], &params[i]))
      return -1;
    if (mloptParseOptionalToken(p, ","))
      continue;
    if (!mloptParseToken(p, ">"))
      return -1;
    break;
  }
  for (int i = 0; i < numFields; ++i) {
    if (!mlirAttributeIsNull(params[i]))
      continue;
    if (!fields[i].optional) {
      mloptParserErrorAt(p, open, "field '%s' is missing", fields[i].name);
      return -1;
    }
    params[i] = absent(context, fields[i].kind);
  }
  return numFields;
}

static void printField(MloptPrinter p, MloptFieldKind kind,
                       MlirAttribute value) {
  if (kind == MLOPT_FIELD_INTS)
    mloptPrintInts(p, value, "[", "]");
  else if (kind == MLOPT_FIELD_INT || kind == MLOPT_FIELD_FLOAT)
    mloptPrintAttributeWithoutType(p, value);
  else if (kind == MLOPT_FIELD_TYPE)
    mloptPrintType(p, mlirTypeAttrGetValue(value));
  else
    mloptPrintAttribute(p, value);
}

void mloptPrintFields(MloptPrinter p, int numFields, const MloptField *fields,
                      const MlirAttribute *params) {
  const char *separator = "";
  for (int i = 0; i < numFields; ++i) {
    MlirContext context = mlirAttributeGetContext(params[i]);
    if (fields[i].optional &&
        mlirAttributeEqual(params[i], absent(context, fields[i].kind)))
      continue;
    mloptPrintText(p, separator);
    mloptPrintText(p, fields[i].name);
    mloptPrintText(p, " = ");
    printField(p, fields[i].kind, params[i]);
    separator = ", ";
  }
  mloptPrintText(p, ">");
}
