//===- match.h - Looking at IR in folds and patterns --------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small questions about values, and the plumbing of a C rewrite pattern.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_DIALECT_MATCH_H
#define MLOPT_DIALECT_MATCH_H

#include "infer.h"

/// The operation of this table that defines the value, and that is not `user`
/// (unreachable code may be circular); null otherwise.
MlirOperation mloptDefinedBy(MlirValue, const MloptOpDef *, MlirOperation user);
/// The value of the `mlopt.constant` or `arith.constant` behind a value; null
/// when there is none.
MlirAttribute mloptConstantOf(MlirValue);
/// Reads a constant of at most `max` integers, sign-extended, or unsigned (past
/// INT64_MAX reads as INT64_MAX). Returns how many, or -1 when it is no such
/// constant.
int64_t mloptReadIndices(MlirAttribute, bool isUnsigned, int64_t max,
                         int64_t *out);

/// Whether a type has a static shape with no element at all.
bool mloptIsEmpty(MlirType);
/// Whether a type has a static shape.
static inline bool mloptIsStatic(MlirType t) {
  return mlirShapedTypeHasStaticShape(t);
}

void mloptSetInts(MlirOperation, const char *name, const MloptInts *);
/// Folds to operand `i` when it has the result's type.
MlirLogicalResult mloptFoldToOperand(MlirOperation, intptr_t i,
                                     MloptFoldResult *);
/// Folds to an existing value, or fails when its type is not that of result
/// `i`.
MlirLogicalResult mloptFoldResultTo(MlirOperation, intptr_t i, MlirValue,
                                    MloptFoldResult *);

typedef MlirLogicalResult (*MloptRewriteFn)(MlirRewritePattern, MlirOperation,
                                            MlirPatternRewriter, void *);
/// Adds a pattern rooted at the operations of a table.
void mloptAddPattern(MlirRewritePatternSet, MlirContext, const MloptOpDef *,
                     MloptRewriteFn);

#endif // MLOPT_DIALECT_MATCH_H
