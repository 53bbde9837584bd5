//===- assembly_test.c - Formats that can be read, and those that cannot --===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every operation of every table has a format that mloptCheckAssembly accepts,
// or callbacks, or (StableHLO and CHLO) the generic form only; and the check
// finds each kind of mistake.
//
//===----------------------------------------------------------------------===//

#include "dialect.h"
#include "foreign/tables.h"
#include "mlopt_assembly.h"

#include <stdio.h>

static int passed, failed;

static void check(bool ok, const char *what, const char *detail) {
  if (ok)
    ++passed;
  else
    ++failed, printf("FAIL: %s: %s\n", what, detail ? detail : "");
}

static void checkMlopt(void) {
  for (int i = 0; i < mloptDialect.numOps; ++i) {
    const MloptOpDef *def = mloptDialect.ops[i];
    check(def->assembly || (def->parse && def->print), def->name,
          "has no assembly");
    const char *complaint =
        def->assembly ? mloptCheckAssembly(def, mloptCustoms, mloptNumCustoms)
                      : NULL;
    check(!complaint, def->name, complaint);
  }
}

static void checkForeign(const MloptDialectDef *dialect) {
  for (int i = 0; i < dialect->numOps; ++i) {
    const MloptOpDef *def = dialect->ops[i];
    const char *complaint = def->assembly ? mloptForeignCheckFormat(def) : NULL;
    check(!complaint, def->name, complaint);
    check(def->traits & MLOPT_GENERIC_PRINT, def->name,
          "has no way to print its short form");
  }
}

//===----------------------------------------------------------------------===//
// Mistakes
//===----------------------------------------------------------------------===//

static const MloptValueSpec operands[] = {
    {"a", mloptIsAnyType, "any type", false},
    {"b", mloptIsAnyType, "any type", true}};
static const MloptValueSpec results[] = {
    {"r", mloptIsAnyType, "any type", false}};
static const MloptAttrSpec attrs[] = {
    {"k", mloptIsI64, "an integer", true, NULL}};

/// What the check says of a format for the lists above.
static const char *complaintOf(const char *assembly) {
  static const MloptCustom customs[] = {{"Known", NULL, NULL, NULL}};
  MloptOpDef def = {.name = "test.op",
                    .operands = operands,
                    .numOperands = MLOPT_COUNT(operands),
                    .results = results,
                    .numResults = MLOPT_COUNT(results),
                    .attrs = attrs,
                    .numAttrs = MLOPT_COUNT(attrs),
                    .assembly = assembly};
  return mloptCheckAssembly(&def, customs, MLOPT_COUNT(customs));
}

static const struct {
  const char *assembly, *complaint;
} formats[] = {
    {"operands attr-dict `:` functional-type", NULL},
    {"$a `,` $b attr-dict `:` type($a) `,` type($b) `->` type($r)", NULL},
    {"operands (`k` int($k)^)? attr-dict `:` type(operands)", NULL},
    {"operands custom<Known> attr-dict", NULL},
    {"operands `k", "a literal lacks its closing backtick"},
    {"operands ``", "a literal is empty"},
    {"operands `0123456789012345678901234567890123`", "a literal is too long"},
    {"$", "a '$' lacks its name"},
    {"$c", "a '$' names no operand and no attribute"},
    {"!", "a character begins no directive"},
    {"operand", "a directive is unknown"},
    {"number($k)", "a directive is unknown"},
    {"int(k)", "a directive lacks its '$' name"},
    {"int($a)", "a '$' names no attribute"},
    {"int($k", "a directive lacks its ')'"},
    {"type()", "'type' lacks its argument"},
    {"type(a)", "'type' takes a '$' name, operands or results"},
    {"type($k)", "'type' names no operand and no result"},
    {"custom<Known", "'custom<' lacks its name or '>'"},
    {"custom<Unknown>", "'custom' names no pair of functions"},
    {"(`k` (int($k)^)?)?", "groups are nested"},
    {"operands )?", "a ')' closes no group, or lacks its '?'"},
    {"(`k` int($k)^", "a group lacks its ')?'"},
    {"operands^ attr-dict", "a '^' is outside a group, or its second"},
    {"(`k` int($k))? operands attr-dict", "a group has no anchor"},
    {"(`k`^ int($k))? operands attr-dict", "an anchor cannot be absent"},
    {"(type($a) int($k)^)? operands attr-dict",
     "a group's first directive cannot decide whether it is there"},
    {"$b `,` $a attr-dict", "operands are not in the order of their specs"},
    {"operands `:` functional-type", "'attr-dict' is missing"},
    {"$a attr-dict `:` type($a)", "an operand is not printed"},
    {"operands region attr-dict", "a region is not printed"},
};

int main(void) {
  checkMlopt();
  checkForeign(&mloptStablehloDialect);
  checkForeign(&mloptChloDialect);
  for (int i = 0; i < MLOPT_COUNT(formats); ++i) {
    const char *complaint = complaintOf(formats[i].assembly);
    bool same = complaint && formats[i].complaint
                    ? !strcmp(complaint, formats[i].complaint)
                    : complaint == formats[i].complaint;
    check(same, formats[i].assembly, complaint);
  }
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
