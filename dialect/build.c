//===- build.c - Building IR from C ---------------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "build.h"

MloptBuilder mloptBuilderForRewriter(MlirRewriterBase rewriter,
                                     MlirLocation location) {
  MloptBuilder b = {.context = mlirRewriterBaseGetContext(rewriter),
                    .location = location,
                    .rewriter = rewriter};
  return b;
}

MloptBuilder mloptBuilderForConversion(MlirConversionPatternRewriter rewriter,
                                       MlirLocation location) {
  return mloptBuilderForRewriter(
      mlirPatternRewriterAsBase(
          mlirConversionPatternRewriterAsPatternRewriter(rewriter)),
      location);
}

MloptBuilder mloptBuilderAtEnd(MlirBlock block, MlirLocation location) {
  MloptBuilder b = {.context = mlirLocationGetContext(location),
                    .location = location,
                    .block = block};
  return b;
}

MloptBuilder mloptBuilderBefore(MlirOperation op, MlirLocation location) {
  MloptBuilder b = mloptBuilderAtEnd(mlirOperationGetBlock(op), location);
  b.before = op;
  return b;
}

static void insert(MloptBuilder *b, MlirOperation op) {
  if (b->rewriter.ptr)
    mlirRewriterBaseInsert(b->rewriter, op);
  else if (!mlirOperationIsNull(b->before))
    mlirBlockInsertOwnedOperationBefore(b->block, b->before, op);
  else
    mlirBlockAppendOwnedOperation(b->block, op);
}

static MlirOperation fail(MloptBuilder *b, MloptOpSpec spec) {
  for (intptr_t i = 0; i < spec.numRegions; ++i)
    if (!mlirRegionIsNull(spec.regions[i]))
      mlirRegionDestroy(spec.regions[i]);
  b->failed = true;
  return (MlirOperation){NULL};
}

MlirOperation mloptBuildOp(MloptBuilder *b, MloptOpSpec spec) {
  if (b->failed)
    return fail(b, spec);
  for (intptr_t i = 0; i < spec.numOperands; ++i)
    if (mlirValueIsNull(spec.operands[i]))
      return fail(b, spec);
  MlirOperationState state =
      mlirOperationStateGet(mloptStr(spec.name), b->location);
  mlirOperationStateAddOperands(&state, spec.numOperands, spec.operands);
  mlirOperationStateAddAttributes(&state, spec.numAttrs, spec.attrs);
  mlirOperationStateAddOwnedRegions(&state, spec.numRegions, spec.regions);
  if (spec.numResults < 0)
    mlirOperationStateEnableResultTypeInference(&state);
  else
    mlirOperationStateAddResults(&state, spec.numResults, spec.results);
  MlirOperation op = mlirOperationCreate(&state);
  if (mlirOperationIsNull(op)) { // inference failed; it has reported
    b->failed = true;
    return op;
  }
  insert(b, op);
  return op;
}

MlirValue mloptBuildValue(MloptBuilder *b, MloptOpSpec spec) {
  MlirOperation op = mloptBuildOp(b, spec);
  return mlirOperationIsNull(op) ? (MlirValue){NULL} : mloptResult(op, 0);
}

MlirValue mloptBuildUnary(MloptBuilder *b, const char *name, MlirValue x,
                          MlirType result) {
  return mloptBuildValue(b, (MloptOpSpec){.name = name,
                                          .numOperands = 1,
                                          .operands = &x,
                                          .numResults = 1,
                                          .results = &result});
}

MlirValue mloptBuildBinary(MloptBuilder *b, const char *name, MlirValue x,
                           MlirValue y) {
  if (b->failed || mlirValueIsNull(x)) {
    b->failed = true;
    return (MlirValue){NULL};
  }
  MlirValue operands[] = {x, y};
  MlirType type = mlirValueGetType(x);
  return mloptBuildValue(b, (MloptOpSpec){.name = name,
                                          .numOperands = 2,
                                          .operands = operands,
                                          .numResults = 1,
                                          .results = &type});
}

MlirValue mloptBuildIntrinsic(MloptBuilder *b, const char *intrinsic,
                              intptr_t numOperands, const MlirValue *operands,
                              MlirType result) {
  MlirContext c = b->context;
  const int32_t segments[] = {(int32_t)numOperands, 0};
  MlirNamedAttribute attrs[] = {
      mloptNamedAttr(c, "intrin", mloptStrAttr(c, intrinsic)),
      mloptNamedAttr(c, "op_bundle_sizes", mlirDenseI32ArrayGet(c, 0, NULL)),
      mloptNamedAttr(c, "operandSegmentSizes",
                     mlirDenseI32ArrayGet(c, MLOPT_COUNT(segments), segments))};
  return mloptBuildValue(b, (MloptOpSpec){.name = "llvm.call_intrinsic",
                                          .numOperands = numOperands,
                                          .operands = operands,
                                          .numResults = 1,
                                          .results = &result,
                                          .numAttrs = MLOPT_COUNT(attrs),
                                          .attrs = attrs});
}

MlirValue mloptBuildSelect(MloptBuilder *b, MlirValue cond, MlirValue x,
                           MlirValue y) {
  if (b->failed || mlirValueIsNull(x)) {
    b->failed = true;
    return (MlirValue){NULL};
  }
  MlirValue operands[] = {cond, x, y};
  MlirType type = mlirValueGetType(x);
  return mloptBuildValue(b, (MloptOpSpec){.name = "arith.select",
                                          .numOperands = 3,
                                          .operands = operands,
                                          .numResults = 1,
                                          .results = &type});
}

/// The position of a spelling in a list that follows arith's enum order, -1 if
/// it is not there.
static int64_t predicateOf(const char *const *names, int count,
                           const char *name) {
  for (int i = 0; i < count; ++i)
    if (!strcmp(names[i], name))
      return i;
  return -1;
}

static MlirValue buildCmp(MloptBuilder *b, const char *op, int64_t predicate,
                          MlirValue x, MlirValue y) {
  if (predicate < 0)
    b->failed = true;
  MlirValue operands[] = {x, y};
  MlirType i1 = mlirIntegerTypeGet(b->context, 1);
  MlirNamedAttribute attr = mloptNamedAttr(b->context, "predicate",
                                           mloptI64Attr(b->context, predicate));
  return mloptBuildValue(b, (MloptOpSpec){.name = op,
                                          .numOperands = 2,
                                          .operands = operands,
                                          .numResults = 1,
                                          .results = &i1,
                                          .numAttrs = 1,
                                          .attrs = &attr});
}

MlirValue mloptBuildCmpI(MloptBuilder *b, const char *predicate, MlirValue x,
                         MlirValue y) {
  static const char *const names[] = {"eq",  "ne",  "slt", "sle", "sgt",
                                      "sge", "ult", "ule", "ugt", "uge"};
  return buildCmp(b, "arith.cmpi",
                  predicateOf(names, MLOPT_COUNT(names), predicate), x, y);
}

MlirValue mloptBuildCmpF(MloptBuilder *b, const char *predicate, MlirValue x,
                         MlirValue y) {
  static const char *const names[] = {
      "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
      "ueq",   "ugt", "uge", "ult", "ule", "une", "uno", "true"};
  return buildCmp(b, "arith.cmpf",
                  predicateOf(names, MLOPT_COUNT(names), predicate), x, y);
}

MlirValue mloptBuildConstant(MloptBuilder *b, MlirAttribute value) {
  MlirType type = mlirAttributeGetType(value);
  MlirNamedAttribute attr = mloptNamedAttr(b->context, "value", value);
  return mloptBuildValue(b, (MloptOpSpec){.name = "arith.constant",
                                          .numResults = 1,
                                          .results = &type,
                                          .numAttrs = 1,
                                          .attrs = &attr});
}

MlirValue mloptBuildInt(MloptBuilder *b, MlirType type, int64_t value) {
  return mloptBuildConstant(b, mlirIntegerAttrGet(type, value));
}

MlirValue mloptBuildFloat(MloptBuilder *b, MlirType type, double value) {
  return mloptBuildConstant(b, mlirFloatAttrDoubleGet(b->context, type, value));
}

MlirValue mloptBuildIndex(MloptBuilder *b, int64_t value) {
  return mloptBuildInt(b, mlirIndexTypeGet(b->context), value);
}

MlirRegion mloptCreateRegion(MloptBuilder *b, intptr_t numArgs,
                             const MlirType *argTypes, MlirBlock *outBlock) {
  MlirRegion region = mlirRegionCreate();
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  for (intptr_t i = 0; i < numArgs; ++i)
    mlirBlockAddArgument(block, argTypes[i], b->location);
  mlirRegionAppendOwnedBlock(region, block);
  *outBlock = block;
  return region;
}
