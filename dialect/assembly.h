//===- assembly.h - The assembly format of table operations -------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads an operation's `assembly` string, nearly a subset of ODS'
// assemblyFormat, and parses or prints the operation by it. Directives:
//
//   `text`            a keyword or punctuation
//   $operand          an operand; a comma-separated list when variadic
//   $attr             an attribute in full
//   operands          all operands, comma-separated
//   kw($attr)         a string attribute as a bare keyword: `add`
//   int($attr)        an i64 attribute as a bare integer
//   ints($attr)       an array<i64> as `[1, 2]`
//   unit($attr)       a unit attribute: nothing, the literal before it says it
//   typeof($attr)     a type attribute as a bare type
//   type($x)          the type(s) of an operand or a result
//   type(operands) type(results)   comma-separated; results in parentheses
//                     unless there is exactly one
//   functional-type   `(operand types) -> result types`
//   attr-dict         the attributes no other directive printed
//   region            the next region
//   custom<Name>      a pair of functions of the dialect, see MloptCustom
//   ( ... )?          an optional group; printed when its anchor, the one
//                     directive marked with `^`, is present (an attribute that
//                     is set, a variadic operand that is not empty, a region
//                     that is not empty). Its first directive decides on
//                     parsing: a literal, an operand or a region.
//
// Types may be left out: an operand without a type directive takes the first
// type that the format reads; results without one are that type too when the
// operation is MLOPT_SAME_TYPE, and are inferred otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_DIALECT_ASSEMBLY_H
#define MLOPT_DIALECT_ASSEMBLY_H

#include "support.h"

/// Operands parsed but not resolved yet, shared by the directives of one parse:
/// custom directives append their handles to `operands` in operand order and
/// either set the same number of `types`, or leave that to a type directive.
typedef struct MloptAssemblyState {
  intptr_t numOperands;
  intptr_t operands[256];
  intptr_t numTypes;
  MlirType types[256];
  bool resultsDone; ///< result types were added
} MloptAssemblyState;

typedef struct MloptCustom {
  const char *name;
  bool (*parse)(const MloptOpDef *, MloptParser, MloptAssemblyState *);
  void (*print)(const MloptOpDef *, MlirOperation, MloptPrinter);
  /// Attributes the directive covers, left out of attr-dict; NULL-terminated.
  const char *const *attrs;
} MloptCustom;

/// Parses an operation by its format. Errors name the missing token.
bool mloptParseAssembly(const MloptOpDef *, const MloptCustom *customs,
                        int numCustoms, MloptParser);
/// Prints it; the leading name is already printed.
void mloptPrintAssembly(const MloptOpDef *, const MloptCustom *customs,
                        int numCustoms, MlirOperation, MloptPrinter);
/// A complaint about a format that cannot be read, or NULL; a unit test runs
/// it over every table.
const char *mloptCheckAssembly(const MloptOpDef *, const MloptCustom *customs,
                               int numCustoms);

#endif // MLOPT_DIALECT_ASSEMBLY_H
