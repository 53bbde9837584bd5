//===- assembly_format.c - Reading and checking formats -------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What enters is an operation's format string; what leaves is its list of
// directives, or a complaint about the string. A format is read anew for each
// operation, into an array on the stack: it is a few dozen characters, and so
// nothing is cached between threads.
//
// Operands are given in the order of their specs and only the last spec is
// variadic, so that operand spec i begins at operand i.
//
//===----------------------------------------------------------------------===//

#include "assembly_format.h"

#include <ctype.h>

//===----------------------------------------------------------------------===//
// Reading a format
//===----------------------------------------------------------------------===//

typedef struct Cursor {
  const char *at;
  int group; ///< the open group's directive, or -1
} Cursor;

static void skipSpace(Cursor *c) {
  while (*c->at == ' ' || *c->at == '\n')
    ++c->at;
}

/// Reads `[A-Za-z0-9_-]*` into `out`; false when it does not fit.
static bool readName(Cursor *c, char out[MAX_LITERAL]) {
  int n = 0;
  while (isalnum((unsigned char)*c->at) || *c->at == '_' || *c->at == '-') {
    if (n == MAX_LITERAL - 1)
      return false;
    out[n++] = *c->at++;
  }
  out[n] = '\0';
  return n > 0;
}

static int findValue(const MloptValueSpec *specs, int n, const char *name) {
  for (int i = 0; i < n; ++i)
    if (!strcmp(specs[i].name, name))
      return i;
  return -1;
}

static int findAttr(const MloptOpDef *def, const char *name) {
  for (int i = 0; i < def->numAttrs; ++i)
    if (!strcmp(def->attrs[i].name, name))
      return i;
  return -1;
}

static int findCustom(const Format *f, const char *name) {
  for (int i = 0; i < f->numCustoms; ++i)
    if (!strcmp(f->customs[i].name, name))
      return i;
  return -1;
}

/// After a backtick.
static const char *readLiteral(Cursor *c, Directive *d) {
  int n = 0;
  for (; *c->at && *c->at != '`'; ++c->at) {
    if (n == MAX_LITERAL - 1)
      return "a literal is too long";
    d->text[n++] = *c->at;
  }
  if (!*c->at)
    return "a literal lacks its closing backtick";
  ++c->at;
  d->kind = LITERAL;
  return n ? NULL : "a literal is empty";
}

/// After a `$`, on its own.
static const char *readVariable(Cursor *c, const MloptOpDef *def,
                                Directive *d) {
  char name[MAX_LITERAL];
  if (!readName(c, name))
    return "a '$' lacks its name";
  d->kind = OPERAND;
  d->index = findValue(def->operands, def->numOperands, name);
  if (d->index >= 0)
    return NULL;
  d->kind = ATTR;
  d->index = findAttr(def, name);
  return d->index >= 0 ? NULL : "a '$' names no operand and no attribute";
}

static const struct {
  const char *name;
  Kind kind;
} words[] =
    {
        {"operands", OPERANDS},
        {"functional-type", FUNCTIONAL_TYPE},
        {"attr-dict", ATTR_DICT},
        {"region", REGION},
},
  attrWords[] = {
      {"kw", KEYWORD}, {"int", INT},       {"ints", INTS},
      {"unit", UNIT},  {"typeof", TYPEOF},
};

/// After `type(`, up to the closing parenthesis.
static const char *readType(Cursor *c, const MloptOpDef *def, Directive *d) {
  char name[MAX_LITERAL];
  bool variable = *c->at == '$';
  c->at += variable;
  if (!readName(c, name))
    return "'type' lacks its argument";
  if (!variable) {
    d->kind = !strcmp(name, "operands") ? OPERAND_TYPES : RESULT_TYPES;
    return !strcmp(name, "operands") || !strcmp(name, "results")
               ? NULL
               : "'type' takes a '$' name, operands or results";
  }
  d->kind = OPERAND_TYPE;
  d->index = findValue(def->operands, def->numOperands, name);
  if (d->index >= 0)
    return NULL;
  d->kind = RESULT_TYPE;
  d->index = findValue(def->results, def->numResults, name);
  return d->index >= 0 ? NULL : "'type' names no operand and no result";
}

/// `name(...)` after the parenthesis.
static const char *readCall(Cursor *c, const MloptOpDef *def, const char *word,
                            Directive *d) {
  const char *complaint = "a directive is unknown";
  if (!strcmp(word, "type")) {
    complaint = readType(c, def, d);
  } else {
    for (int i = 0; i < MLOPT_COUNT(attrWords); ++i) {
      char name[MAX_LITERAL];
      if (strcmp(attrWords[i].name, word))
        continue;
      if (*c->at++ != '$' || !readName(c, name))
        return "a directive lacks its '$' name";
      d->kind = attrWords[i].kind;
      d->index = findAttr(def, name);
      complaint = d->index >= 0 ? NULL : "a '$' names no attribute";
      break;
    }
  }
  if (!complaint && *c->at++ != ')')
    complaint = "a directive lacks its ')'";
  return complaint;
}

static const char *readWord(Cursor *c, const Format *f, Directive *d) {
  char word[MAX_LITERAL];
  if (!readName(c, word))
    return "a character begins no directive";
  if (*c->at == '(') {
    ++c->at;
    return readCall(c, f->def, word, d);
  }
  if (*c->at == '<') {
    char name[MAX_LITERAL];
    ++c->at;
    if (strcmp(word, "custom") || !readName(c, name) || *c->at++ != '>')
      return "'custom<' lacks its name or '>'";
    d->kind = CUSTOM;
    d->index = findCustom(f, name);
    return d->index >= 0 ? NULL : "'custom' names no pair of functions";
  }
  for (int i = 0; i < MLOPT_COUNT(words); ++i)
    if (!strcmp(words[i].name, word)) {
      d->kind = words[i].kind;
      return NULL;
    }
  return "a directive is unknown";
}

/// The opening or closing of a group.
static const char *readGroup(Cursor *c, Format *f, Directive *d) {
  if (*c->at++ == '(') {
    if (c->group >= 0)
      return "groups are nested";
    d->kind = GROUP;
    c->group = f->count;
    return NULL;
  }
  if (c->group < 0 || *c->at++ != '?')
    return "a ')' closes no group, or lacks its '?'";
  d->kind = END_GROUP;
  f->list[c->group].index = f->count;
  c->group = -1;
  return NULL;
}

const char *mloptReadFormat(const MloptOpDef *def, const MloptCustom *customs,
                            int numCustoms, Format *f) {
  f->def = def;
  f->customs = customs;
  f->numCustoms = numCustoms;
  f->count = 0;
  Cursor c = {def->assembly, -1};
  for (skipSpace(&c); *c.at; skipSpace(&c)) {
    if (f->count == MAX_DIRECTIVES)
      return "there are too many directives";
    Directive *d = &f->list[f->count];
    const char *complaint;
    *d = (Directive){.index = -1, .anchor = -1};
    if (*c.at == '`') {
      ++c.at;
      complaint = readLiteral(&c, d);
    } else if (*c.at == '$') {
      ++c.at;
      complaint = readVariable(&c, def, d);
    } else if (*c.at == '(' || *c.at == ')') {
      complaint = readGroup(&c, f, d);
    } else {
      complaint = readWord(&c, f, d);
    }
    if (complaint)
      return complaint;
    if (*c.at == '^') {
      ++c.at;
      if (c.group < 0 || f->list[c.group].anchor >= 0)
        return "a '^' is outside a group, or its second";
      f->list[c.group].anchor = f->count;
    }
    ++f->count;
  }
  return c.group < 0 ? NULL : "a group lacks its ')?'";
}

//===----------------------------------------------------------------------===//
// Checking a format
//===----------------------------------------------------------------------===//

static const char *checkGroup(const Format *f, const Directive *group) {
  if (group->anchor < 0)
    return "a group has no anchor";
  switch (f->list[group->anchor].kind) {
  case LITERAL:
  case OPERAND_TYPE:
  case RESULT_TYPES:
  case FUNCTIONAL_TYPE:
  case ATTR_DICT:
  case CUSTOM:
    return "an anchor cannot be absent";
  default:
    break;
  }
  switch (group[1].kind) {
  case LITERAL:
  case OPERAND:
  case OPERANDS:
  case ATTR:
  case KEYWORD:
  case INT:
  case INTS:
  case REGION:
    return NULL;
  default:
    return "a group's first directive cannot decide whether it is there";
  }
}

const char *mloptCheckAssembly(const MloptOpDef *def,
                               const MloptCustom *customs, int numCustoms) {
  Format f;
  const char *complaint = mloptReadFormat(def, customs, numCustoms, &f);
  if (complaint)
    return complaint;
  int operands = 0, results = 0, regions = 0;
  bool custom = false, hasDict = false;
  for (int i = 0; i < f.count; ++i) {
    const Directive *d = &f.list[i];
    complaint = d->kind == GROUP ? checkGroup(&f, d) : NULL;
    if (complaint)
      return complaint;
    if (d->kind == OPERAND && d->index != operands && !custom)
      return "operands are not in the order of their specs";
    if (d->kind == RESULT_TYPE && d->index != results && !custom)
      return "result types are not in the order of their specs";
    operands += d->kind == OPERAND;
    operands = d->kind == OPERANDS ? def->numOperands : operands;
    results += d->kind == RESULT_TYPE;
    if (d->kind == RESULT_TYPES || d->kind == FUNCTIONAL_TYPE)
      results = def->numResults;
    regions += d->kind == REGION;
    custom = custom || d->kind == CUSTOM;
    hasDict = hasDict || d->kind == ATTR_DICT;
  }
  if (!hasDict)
    return "'attr-dict' is missing";
  if (custom)
    return NULL;
  if (operands != def->numOperands)
    return "an operand is not printed";
  if (results && results != def->numResults)
    return "a result type is not printed";
  return regions == def->numRegions ? NULL : "a region is not printed";
}
