//===- assembly_format.h - A format as directives -----------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What dialect/assembly_format.c reads from a format string and the parser and
// the printer walk over. Private to the assembly*.c files.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_DIALECT_ASSEMBLY_FORMAT_H
#define MLOPT_DIALECT_ASSEMBLY_FORMAT_H

#include "assembly.h"

enum { MAX_DIRECTIVES = 64, MAX_LITERAL = 32 };

typedef enum Kind {
  LITERAL,
  OPERAND,
  ATTR,
  OPERANDS,
  KEYWORD,
  INT,
  INTS,
  UNIT,
  TYPEOF,
  OPERAND_TYPE,
  RESULT_TYPE,
  OPERAND_TYPES,
  RESULT_TYPES,
  FUNCTIONAL_TYPE,
  ATTR_DICT,
  REGION,
  CUSTOM,
  GROUP,
  END_GROUP
} Kind;

typedef struct Directive {
  Kind kind;
  int index;              ///< of the operand, result, attribute or custom;
                          ///< of a group: where its END_GROUP is
  int anchor;             ///< of a group: its marked directive, -1 for none
  char text[MAX_LITERAL]; ///< of a literal
} Directive;

typedef struct Format {
  const MloptOpDef *def;
  const MloptCustom *customs;
  int numCustoms;
  int count;
  Directive list[MAX_DIRECTIVES];
} Format;

/// Whether the directive stands for an attribute.
static inline bool isAttrDirective(const Directive *d) {
  return d->kind == ATTR || d->kind == KEYWORD || d->kind == INT ||
         d->kind == INTS || d->kind == UNIT || d->kind == TYPEOF;
}

/// Reads `def->assembly`; a complaint, or NULL.
const char *mloptReadFormat(const MloptOpDef *, const MloptCustom *customs,
                            int numCustoms, Format *);

#endif // MLOPT_DIALECT_ASSEMBLY_FORMAT_H
