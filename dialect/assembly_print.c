//===- assembly_print.c - Printing by a format ----------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What enters is an operation; what leaves is its text after the name, which
// assembly_parse.c reads back to the same operation.
//
//===----------------------------------------------------------------------===//

#include "assembly_format.h"

#include <ctype.h>

typedef struct Writer {
  const Format *format;
  MlirOperation op;
  MloptPrinter printer;
  bool afterPunctuation;
  int region; ///< the next to print
} Writer;

/// Spaces as ODS puts them: none inside brackets or before a comma.
static void printSpace(Writer *w, const char *literal) {
  bool space;
  if (!literal || isalnum((unsigned char)*literal) || literal[1])
    space = !w->afterPunctuation;
  else if (w->afterPunctuation)
    space = false;
  else
    space = !strchr("<>(){}[],", *literal);
  if (space)
    mloptPrintText(w->printer, " ");
  w->afterPunctuation = literal && strchr("(<[{", literal[strlen(literal) - 1]);
}

static void printComma(Writer *w, intptr_t i) {
  if (i)
    mloptPrintText(w->printer, ", ");
}

static void printOperands(Writer *w, intptr_t begin, intptr_t end) {
  for (intptr_t i = begin; i < end; ++i) {
    printComma(w, i - begin);
    mloptPrintOperand(w->printer, mloptOperand(w->op, i));
  }
}

static void printOperandTypes(Writer *w, intptr_t begin, intptr_t end) {
  for (intptr_t i = begin; i < end; ++i) {
    printComma(w, i - begin);
    mloptPrintType(w->printer, mloptOperandType(w->op, i));
  }
}

static void printResultTypes(Writer *w) {
  intptr_t n = mlirOperationGetNumResults(w->op);
  if (n != 1)
    mloptPrintText(w->printer, "(");
  for (intptr_t i = 0; i < n; ++i) {
    printComma(w, i);
    mloptPrintType(w->printer, mloptResultType(w->op, i));
  }
  if (n != 1)
    mloptPrintText(w->printer, ")");
}

/// Where the values of spec `i` end, of `total` that begin with it.
static intptr_t specEnd(const MloptValueSpec *specs, int i, intptr_t total) {
  return specs[i].variadic ? total : i + 1;
}

static void printTypeDirective(Writer *w, const Directive *d) {
  const MloptOpDef *def = w->format->def;
  intptr_t numOperands = mlirOperationGetNumOperands(w->op);
  switch (d->kind) {
  case OPERAND_TYPE:
    printOperandTypes(w, d->index,
                      specEnd(def->operands, d->index, numOperands));
    break;
  case RESULT_TYPE: {
    intptr_t end =
        specEnd(def->results, d->index, mlirOperationGetNumResults(w->op));
    for (intptr_t i = d->index; i < end; ++i) {
      printComma(w, i - d->index);
      mloptPrintType(w->printer, mloptResultType(w->op, i));
    }
    break;
  }
  case OPERAND_TYPES:
    printOperandTypes(w, 0, numOperands);
    break;
  case RESULT_TYPES:
    printResultTypes(w);
    break;
  default:
    mloptPrintText(w->printer, "(");
    printOperandTypes(w, 0, numOperands);
    mloptPrintText(w->printer, ") -> ");
    printResultTypes(w);
  }
}

static void printInts(Writer *w, MlirAttribute attr) {
  mloptPrintText(w->printer, "[");
  intptr_t n = mlirDenseArrayGetNumElements(attr);
  for (intptr_t i = 0; i < n; ++i) {
    printComma(w, i);
    mloptPrintInteger(w->printer, mlirDenseI64ArrayGetElement(attr, i));
  }
  mloptPrintText(w->printer, "]");
}

static void printAttrDirective(Writer *w, const Directive *d) {
  MlirAttribute attr = mloptAttr(w->op, w->format->def->attrs[d->index].name);
  if (mlirAttributeIsNull(attr) || d->kind == UNIT)
    return;
  printSpace(w, NULL);
  // An attribute of another kind is printed in full: the operation does not
  // verify, and whoever prints it wants to see why.
  if (d->kind == KEYWORD && mlirAttributeIsAString(attr))
    mloptPrintString(w->printer, mlirStringAttrGetValue(attr));
  else if (d->kind == INT && mlirAttributeIsAInteger(attr))
    mloptPrintInteger(w->printer, mlirIntegerAttrGetValueInt(attr));
  else if (d->kind == INTS && mlirAttributeIsADenseI64Array(attr))
    printInts(w, attr);
  else if (d->kind == TYPEOF && mlirAttributeIsAType(attr))
    mloptPrintType(w->printer, mlirTypeAttrGetValue(attr));
  else
    mloptPrintAttribute(w->printer, attr);
}

/// The attributes that other directives print.
static void printAttrDict(Writer *w) {
  const Format *f = w->format;
  const char *elided[2 * MAX_DIRECTIVES];
  intptr_t n = 0;
  for (int i = 0; i < f->count; ++i) {
    const Directive *d = &f->list[i];
    if (isAttrDirective(d))
      elided[n++] = f->def->attrs[d->index].name;
    if (d->kind != CUSTOM || !f->customs[d->index].attrs)
      continue;
    for (const char *const *name = f->customs[d->index].attrs; *name; ++name)
      if (n < MLOPT_COUNT(elided))
        elided[n++] = *name;
  }
  mloptPrintOptionalAttrDict(w->printer, w->op, n, elided);
}

static void printDirective(Writer *w, const Directive *d) {
  const MloptOpDef *def = w->format->def;
  intptr_t numOperands = mlirOperationGetNumOperands(w->op);
  switch (d->kind) {
  case LITERAL:
    printSpace(w, d->text);
    mloptPrintText(w->printer, d->text);
    break;
  case OPERAND:
  case OPERANDS: {
    intptr_t begin = d->kind == OPERAND ? d->index : 0;
    intptr_t end = d->kind == OPERAND
                       ? specEnd(def->operands, d->index, numOperands)
                       : numOperands;
    if (begin < end)
      printSpace(w, NULL);
    printOperands(w, begin, end);
    break;
  }
  case OPERAND_TYPE:
  case RESULT_TYPE:
  case OPERAND_TYPES:
  case RESULT_TYPES:
  case FUNCTIONAL_TYPE:
    printSpace(w, NULL);
    printTypeDirective(w, d);
    break;
  case ATTR_DICT:
    printAttrDict(w);
    break;
  case REGION:
    printSpace(w, NULL);
    mloptPrintRegion(w->printer, mlirOperationGetRegion(w->op, w->region++),
                     true);
    break;
  case CUSTOM:
    printSpace(w, NULL);
    w->format->customs[d->index].print(def, w->op, w->printer);
    break;
  case GROUP:
  case END_GROUP:
    break;
  default:
    printAttrDirective(w, d);
  }
}

/// Whether an attribute is there and not at its default.
static bool isAttrSet(Writer *w, const MloptAttrSpec *spec) {
  MlirAttribute attr = mloptAttr(w->op, spec->name);
  if (mlirAttributeIsNull(attr) || !spec->byDefault)
    return !mlirAttributeIsNull(attr);
  MlirContext context = mlirOperationGetContext(w->op);
  return !mlirAttributeEqual(
      attr, mlirAttributeParseGet(context, mloptStr(spec->byDefault)));
}

static bool isPresent(Writer *w, const Directive *anchor) {
  const MloptOpDef *def = w->format->def;
  switch (anchor->kind) {
  case OPERAND:
    return mlirOperationGetNumOperands(w->op) > anchor->index;
  case OPERANDS:
  case OPERAND_TYPES:
    return mlirOperationGetNumOperands(w->op) > 0;
  case RESULT_TYPE:
    return mlirOperationGetNumResults(w->op) > anchor->index;
  case REGION: {
    MlirRegion region = mlirOperationGetRegion(w->op, w->region);
    return !mlirBlockIsNull(mlirRegionGetFirstBlock(region));
  }
  default:
    return isAttrSet(w, &def->attrs[anchor->index]);
  }
}

void mloptPrintAssembly(const MloptOpDef *def, const MloptCustom *customs,
                        int numCustoms, MlirOperation op,
                        MloptPrinter printer) {
  Format format;
  if (mloptReadFormat(def, customs, numCustoms, &format))
    return;
  Writer w = {.format = &format, .op = op, .printer = printer};
  for (int i = 0; i < format.count; ++i) {
    const Directive *d = &format.list[i];
    if (d->kind == GROUP && !isPresent(&w, &format.list[d->anchor])) {
      for (; format.list[i].kind != END_GROUP; ++i)
        w.region += format.list[i].kind == REGION;
      continue;
    }
    printDirective(&w, d);
  }
}
