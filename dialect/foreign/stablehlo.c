//===- stablehlo.c - The StableHLO dialect --------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every operation, attribute and type of StableHLO (as of version 1.20), in
// every form that it prints, so that what JAX and others write can be read. The
// operations verify and print in generic form; nothing else is known of them
// here. Semantics: https://github.com/openxla/stablehlo/blob/main/docs/spec.md.
//
//===----------------------------------------------------------------------===//

#include "tables.h"

#define OP(id, ...)                                                            \
  static const MloptOpDef id##Op MLOPT_TABLE = {.name = "stablehlo." #id,      \
                                                __VA_ARGS__};
#define OP_SPELT(id, spelling, ...)                                            \
  static const MloptOpDef id##Op MLOPT_TABLE = {.name = "stablehlo." spelling, \
                                                __VA_ARGS__};
#include "stablehlo_ops.def"

static const MloptOpDef *const ops[] = {
#define OP(id, ...) &id##Op,
#define OP_SPELT(id, spelling, ...) &id##Op,
#include "stablehlo_ops.def"
};

/// `!stablehlo.future<tensor<f32>, ...>`; its parameters are type attributes.
static intptr_t parseFuture(MloptParser p, intptr_t max,
                            MlirAttribute *params) {
  intptr_t n = 0;
  if (!mloptParseToken(p, "<"))
    return -1;
  do {
    MlirType type;
    if (n == max) {
      mloptParserError(p, "more than %ld types", (long)max);
      return -1;
    }
    if (!mloptParseType(p, &type))
      return -1;
    params[n++] = mlirTypeAttrGet(type);
  } while (mloptParseOptionalToken(p, ","));
  return mloptParseToken(p, ">") ? n : -1;
}

static void printFuture(MloptPrinter p, intptr_t n,
                        const MlirAttribute *params) {
  for (intptr_t i = 0; i < n; ++i) {
    mloptPrintText(p, i ? ", " : "<");
    mloptPrintType(p, mlirTypeAttrGetValue(params[i]));
  }
  mloptPrintText(p, ">");
}

static const MloptTypeDef types[] = {
    {"token", NULL, NULL, NULL}, {"future", NULL, parseFuture, printFuture}};

static const MloptAttrAlias aliases[] = {{"type_extensions", "bounds"},
                                         {NULL, NULL}};

const MloptDialectDef mloptStablehloDialect MLOPT_TABLE = {
    .ns = "stablehlo",
    .ops = ops,
    .numOps = MLOPT_COUNT(ops),
    .attrs = mloptStablehloAttrs,
    .numAttrs = MLOPT_NUM_STABLEHLO_ATTRS,
    .attrAliases = aliases,
    .types = types,
    .numTypes = MLOPT_COUNT(types),
    .parseOp = mloptForeignParseOp,
};
