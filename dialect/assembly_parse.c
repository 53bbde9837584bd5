//===- assembly_parse.c - Parsing by a format -----------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What enters is the text after an operation's name; what leaves is its
// operands, attributes, regions and result types, in the parser's operation
// state. Operands are resolved and attributes added at the end, when every
// type is known and a dictionary cannot repeat what a directive said.
//
//===----------------------------------------------------------------------===//

#include "assembly_format.h"

enum { MAX_LIST = 256 };

typedef enum Outcome { FAILED, DONE, ABSENT } Outcome;

typedef struct Reader {
  const Format *format;
  MloptParser parser;
  MloptAssemblyState state;
  MlirType first; ///< what the first type directive gave, or null
  int numAttrs;   ///< attributes to add once the dictionary was read
  struct {
    const char *name, *position;
    MlirAttribute value;
  } attrs[MAX_DIRECTIVES];
} Reader;

static Outcome outcome(bool ok) { return ok ? DONE : FAILED; }

/// `FAILED` when the thing is needed, `ABSENT` when it may be left out.
static Outcome missing(bool optional) { return optional ? ABSENT : FAILED; }

static bool addOperand(Reader *r, intptr_t operand) {
  if (r->state.numOperands == MAX_LIST)
    return mloptParserError(r->parser, "more than %d operands", MAX_LIST);
  r->state.operands[r->state.numOperands++] = operand;
  return true;
}

/// A comma-separated list of operands; nothing when there is no `%`.
static Outcome parseOperandList(Reader *r) {
  intptr_t operand = mloptParseOptionalOperand(r->parser);
  if (operand < 0)
    return ABSENT;
  if (!addOperand(r, operand))
    return FAILED;
  while (mloptParseOptionalToken(r->parser, ","))
    if ((operand = mloptParseOperand(r->parser)) < 0 || !addOperand(r, operand))
      return FAILED;
  return DONE;
}

static Outcome parseOperandSpec(Reader *r, int index, bool optional) {
  if (r->format->def->operands[index].variadic) {
    Outcome o = parseOperandList(r);
    return o == ABSENT && !optional ? DONE : o;
  }
  intptr_t operand = optional ? mloptParseOptionalOperand(r->parser)
                              : mloptParseOperand(r->parser);
  if (operand < 0)
    return missing(optional);
  return outcome(addOperand(r, operand));
}

/// Parses a type and remembers the first one.
static bool parseType(Reader *r, MlirType *out) {
  if (!mloptParseType(r->parser, out))
    return false;
  if (mlirTypeIsNull(r->first))
    r->first = *out;
  return true;
}

/// `n` comma-separated types for the operands from `begin` on.
static bool parseOperandTypes(Reader *r, intptr_t begin, intptr_t n) {
  for (intptr_t i = begin; i < begin + n; ++i) {
    if (i > begin && !mloptParseToken(r->parser, ","))
      return false;
    if (!parseType(r, &r->state.types[i]))
      return false;
  }
  return true;
}

static bool parseResultType(Reader *r) {
  MlirType type;
  if (!parseType(r, &type))
    return false;
  mloptParserAddResultType(r->parser, type);
  r->state.resultsDone = true;
  return true;
}

static bool parseResultTypeList(Reader *r) {
  do {
    if (!parseResultType(r))
      return false;
  } while (mloptParseOptionalToken(r->parser, ","));
  return true;
}

/// One type, or any number in parentheses.
static bool parseResultTypes(Reader *r) {
  if (!mloptParseOptionalToken(r->parser, "("))
    return parseResultType(r);
  r->state.resultsDone = true;
  if (mloptParseOptionalToken(r->parser, ")"))
    return true;
  return parseResultTypeList(r) && mloptParseToken(r->parser, ")");
}

static bool parseFunctionalType(Reader *r) {
  MloptParser p = r->parser;
  const char *begin = mloptParserGetPosition(p);
  intptr_t expected = r->state.numOperands, n = 0;
  if (!mloptParseToken(p, "("))
    return false;
  if (!mloptParseOptionalToken(p, ")")) {
    do {
      MlirType type;
      if (!parseType(r, &type))
        return false;
      if (n < expected)
        r->state.types[n] = type;
      ++n;
    } while (mloptParseOptionalToken(p, ","));
    if (!mloptParseToken(p, ")"))
      return false;
  }
  if (n != expected)
    return mloptParserErrorAt(p, begin, "%ld operands but %ld operand types",
                              (long)expected, (long)n);
  return mloptParseToken(p, "->") && parseResultTypes(r);
}

static Outcome parseTypeDirective(Reader *r, const Directive *d) {
  const MloptOpDef *def = r->format->def;
  switch (d->kind) {
  case OPERAND_TYPE: {
    bool variadic = def->operands[d->index].variadic;
    intptr_t left = r->state.numOperands - d->index;
    if (!variadic && left < 1)
      return outcome(mloptParserError(r->parser, "operand '%s' is missing",
                                      def->operands[d->index].name));
    return outcome(parseOperandTypes(r, d->index, variadic ? left : 1));
  }
  case RESULT_TYPE:
    return outcome(def->results[d->index].variadic ? parseResultTypeList(r)
                                                   : parseResultType(r));
  case OPERAND_TYPES:
    return outcome(parseOperandTypes(r, 0, r->state.numOperands));
  case RESULT_TYPES:
    return outcome(parseResultTypes(r));
  default:
    return outcome(parseFunctionalType(r));
  }
}

static Outcome parseInts(Reader *r, bool optional, MlirAttribute *out) {
  int64_t values[MAX_LIST];
  intptr_t n = 0;
  MloptParser p = r->parser;
  int alias = mloptParseOptionalAlias(p, out);
  if (alias)
    return outcome(alias > 0);
  if (optional && !mloptParseOptionalToken(p, "["))
    return ABSENT;
  if (!optional && !mloptParseToken(p, "["))
    return FAILED;
  if (!mloptParseOptionalToken(p, "]")) {
    do {
      if (n == MAX_LIST)
        return outcome(mloptParserError(p, "more than %d integers", MAX_LIST));
      if (!mloptParseInteger(p, &values[n++]))
        return FAILED;
    } while (mloptParseOptionalToken(p, ","));
    if (!mloptParseToken(p, "]"))
      return FAILED;
  }
  *out = mloptI64Array(mloptParserGetContext(p), n, values);
  return DONE;
}

static Outcome parseKeyword(Reader *r, bool optional, MlirAttribute *out) {
  MlirStringRef text;
  if (!(optional ? mloptParseOptionalKeyword(r->parser, &text)
                 : mloptParseKeyword(r->parser, &text)))
    return missing(optional);
  *out = mlirStringAttrGet(mloptParserGetContext(r->parser), text);
  return DONE;
}

static Outcome parseAttrValue(Reader *r, const Directive *d, bool optional,
                              MlirAttribute *out) {
  MloptParser p = r->parser;
  MlirContext context = mloptParserGetContext(p);
  switch (d->kind) {
  case KEYWORD:
    return parseKeyword(r, optional, out);
  case INT: {
    int64_t value;
    if (!(optional ? mloptParseOptionalInteger(p, &value)
                   : mloptParseInteger(p, &value)))
      return missing(optional);
    *out = mloptI64Attr(context, value);
    return DONE;
  }
  case INTS:
    return parseInts(r, optional, out);
  case UNIT:
    *out = mlirUnitAttrGet(context);
    return DONE;
  case TYPEOF: {
    MlirType type;
    if (!mloptParseType(p, &type))
      return FAILED;
    *out = mlirTypeAttrGet(type);
    return DONE;
  }
  default:
    if (optional)
      return mloptParseOptionalAttribute(p, out) ? DONE : ABSENT;
    // A string would take the `: type` that follows it, unless it has one.
    if (r->format->def->attrs[d->index].is == mloptIsString)
      return outcome(mloptParseAttribute(p, mlirNoneTypeGet(context), out));
    return outcome(mloptParseAttribute(p, (MlirType){NULL}, out));
  }
}

static Outcome parseAttrDirective(Reader *r, const Directive *d,
                                  bool optional) {
  MlirAttribute value;
  const char *position = mloptParserGetPosition(r->parser);
  Outcome o = parseAttrValue(r, d, optional, &value);
  if (o != DONE)
    return o;
  r->attrs[r->numAttrs].position = position;
  r->attrs[r->numAttrs].name = r->format->def->attrs[d->index].name;
  r->attrs[r->numAttrs++].value = value;
  return DONE;
}

static Outcome parseCustom(Reader *r, int index) {
  // A custom directive that sets types appends them beside its operands.
  r->state.numTypes = r->state.numOperands;
  return outcome(
      r->format->customs[index].parse(r->format->def, r->parser, &r->state));
}

static Outcome parseRegion(Reader *r, bool optional) {
  if (!optional)
    return outcome(mloptParseRegion(r->parser, 0, NULL));
  int found = mloptParseOptionalRegion(r->parser, 0, NULL);
  return found < 0 ? FAILED : found ? DONE : ABSENT;
}

static Outcome parseDirective(Reader *r, const Directive *d, bool optional) {
  switch (d->kind) {
  case LITERAL:
    if (!(optional ? mloptParseOptionalToken(r->parser, d->text)
                   : mloptParseToken(r->parser, d->text)))
      return missing(optional);
    return DONE;
  case OPERAND:
    return parseOperandSpec(r, d->index, optional);
  case OPERANDS: {
    Outcome o = parseOperandList(r);
    return o == ABSENT && !optional ? DONE : o;
  }
  case ATTR:
  case KEYWORD:
  case INT:
  case INTS:
  case UNIT:
  case TYPEOF:
    return parseAttrDirective(r, d, optional);
  case OPERAND_TYPE:
  case RESULT_TYPE:
  case OPERAND_TYPES:
  case RESULT_TYPES:
  case FUNCTIONAL_TYPE:
    return parseTypeDirective(r, d);
  case ATTR_DICT:
    return outcome(mloptParseOptionalAttrDict(r->parser));
  case REGION:
    return parseRegion(r, optional);
  case CUSTOM:
    return parseCustom(r, d->index);
  case GROUP:
  case END_GROUP:
    break;
  }
  return DONE;
}

/// An absent group still has its regions, empty.
static void skipGroup(Reader *r, const Directive *group) {
  for (const Directive *d = group + 1; d->kind != END_GROUP; ++d)
    if (d->kind == REGION)
      mloptParserAddRegion(r->parser);
}

static bool parseDirectives(Reader *r) {
  const Directive *list = r->format->list;
  for (int i = 0; i < r->format->count; ++i) {
    bool opens = i > 0 && list[i - 1].kind == GROUP;
    Outcome o = parseDirective(r, &list[i], opens);
    if (o == FAILED)
      return false;
    if (o == ABSENT) {
      skipGroup(r, &list[i - 1]);
      i = list[i - 1].index;
    }
  }
  return true;
}

/// Adds attributes, resolves operands and adds result types, in the order that
/// inference needs.
static bool finishParse(Reader *r) {
  const MloptOpDef *def = r->format->def;
  MloptParser p = r->parser;
  for (int i = 0; i < r->numAttrs; ++i) {
    if (!mlirAttributeIsNull(mloptParserGetAttribute(p, r->attrs[i].name)))
      return mloptParserErrorAt(p, r->attrs[i].position,
                                "attribute '%s' is given twice",
                                r->attrs[i].name);
    mloptParserAddAttribute(p, r->attrs[i].name, r->attrs[i].value);
  }
  for (intptr_t i = 0; i < r->state.numOperands; ++i) {
    MlirType type = r->state.types[i];
    if (mlirTypeIsNull(type))
      type = r->first;
    if (mlirTypeIsNull(type))
      return mloptParserError(p, "the type of operand %ld is missing", (long)i);
    if (!mloptResolveOperand(p, r->state.operands[i], type))
      return false;
  }
  if (r->state.resultsDone || !def->numResults)
    return true;
  if (!(def->traits & MLOPT_SAME_TYPE) || mlirTypeIsNull(r->first))
    return mloptParserInferTypes(p);
  for (int i = 0; i < def->numResults; ++i)
    mloptParserAddResultType(p, r->first);
  return true;
}

bool mloptParseAssembly(const MloptOpDef *def, const MloptCustom *customs,
                        int numCustoms, MloptParser parser) {
  Format format;
  const char *complaint = mloptReadFormat(def, customs, numCustoms, &format);
  if (complaint)
    return mloptParserError(parser, "the format of '%s' cannot be read: %s",
                            def->name, complaint);
  Reader reader = {.format = &format, .parser = parser};
  return parseDirectives(&reader) && finishParse(&reader);
}
