//===- build.h - Building IR from C -------------------------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A builder is a context, a location, a place to insert, and a failed flag.
// A null operand or a failed creation sets the flag, and later calls return
// null and do nothing, so that code that builds checks once, at its end.
// Values and operations are borrowed from the IR they were inserted in.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_DIALECT_BUILD_H
#define MLOPT_DIALECT_BUILD_H

#include "support.h"

typedef struct MloptBuilder {
  MlirContext context;
  MlirLocation location;
  MlirRewriterBase rewriter; ///< inserts at the rewriter's point, or
  MlirBlock block;           ///< appends here when the rewriter is null
  MlirOperation before;      ///< in `block`, before this one, if not null
  bool failed;
} MloptBuilder;

/// Inserts where the rewriter stands, and tells it.
MloptBuilder mloptBuilderForRewriter(MlirRewriterBase, MlirLocation);
/// The same, for a dialect conversion's rewriter.
MloptBuilder mloptBuilderForConversion(MlirConversionPatternRewriter,
                                       MlirLocation);
/// Appends to a block.
MloptBuilder mloptBuilderAtEnd(MlirBlock, MlirLocation);
/// Inserts before an operation.
MloptBuilder mloptBuilderBefore(MlirOperation, MlirLocation);

typedef struct MloptOpSpec {
  const char *name;
  intptr_t numOperands;
  const MlirValue *operands;
  intptr_t numResults;
  const MlirType *results; ///< NULL with numResults -1: infer them
  intptr_t numAttrs;
  const MlirNamedAttribute *attrs;
  intptr_t numRegions;
  const MlirRegion *regions; ///< taken, also on failure
} MloptOpSpec;

/// Creates and inserts; null when the builder has failed.
MlirOperation mloptBuildOp(MloptBuilder *, MloptOpSpec);
/// The same; the first result.
MlirValue mloptBuildValue(MloptBuilder *, MloptOpSpec);

// One-result operations of the usual arities.
MlirValue mloptBuildUnary(MloptBuilder *, const char *name, MlirValue x,
                          MlirType result);
/// The result has the type of `a`.
MlirValue mloptBuildBinary(MloptBuilder *, const char *name, MlirValue a,
                           MlirValue b);
/// `llvm.call_intrinsic` of an intrinsic's full name.
MlirValue mloptBuildIntrinsic(MloptBuilder *, const char *intrinsic,
                              intptr_t numOperands, const MlirValue *operands,
                              MlirType result);
/// `arith.select`.
MlirValue mloptBuildSelect(MloptBuilder *, MlirValue cond, MlirValue a,
                           MlirValue b);
/// `arith.cmpi` / `arith.cmpf` by predicate spelling ("slt", "olt", "uno").
MlirValue mloptBuildCmpI(MloptBuilder *, const char *predicate, MlirValue a,
                         MlirValue b);
MlirValue mloptBuildCmpF(MloptBuilder *, const char *predicate, MlirValue a,
                         MlirValue b);

/// `arith.constant` of an integer, index or float scalar type. The float is
/// rounded to the type.
MlirValue mloptBuildInt(MloptBuilder *, MlirType, int64_t);
MlirValue mloptBuildFloat(MloptBuilder *, MlirType, double);
MlirValue mloptBuildIndex(MloptBuilder *, int64_t);
/// `arith.constant` of any typed attribute.
MlirValue mloptBuildConstant(MloptBuilder *, MlirAttribute);

/// A region of one block with these argument types, all at the builder's
/// location; the caller owns it until it is given to an operation.
MlirRegion mloptCreateRegion(MloptBuilder *, intptr_t numArgs,
                             const MlirType *argTypes, MlirBlock *outBlock);

#endif // MLOPT_DIALECT_BUILD_H
