//===- chlo.c - The CHLO dialect ------------------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CHLO holds what front ends of StableHLO want beyond it: functions such as erf
// and acos, implicit broadcasting, top-k. Read in every form that it prints;
// printed in generic form.
//
//===----------------------------------------------------------------------===//

#include "tables.h"

#define OP(id, ...)                                                            \
  static const MloptOpDef id##Op MLOPT_TABLE = {.name = "chlo." #id,           \
                                                __VA_ARGS__};
#include "chlo_ops.def"

static const MloptOpDef *const ops[] = {
#define OP(id, ...) &id##Op,
#include "chlo_ops.def"
};

const MloptDialectDef mloptChloDialect MLOPT_TABLE = {
    .ns = "chlo",
    .ops = ops,
    .numOps = MLOPT_COUNT(ops),
    .attrs = mloptChloAttrs,
    .numAttrs = MLOPT_NUM_CHLO_ATTRS,
    .parseOp = mloptForeignParseOp,
};
