//===- nv_build.c - Code of one warp-specialised kernel -------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nv_build.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdio.h>

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

enum { MAX_ATTRS = 8 };

/// The entries of a dictionary written as text.
static intptr_t parseAttributes(MloptNv *nv, const char *text,
                                MlirNamedAttribute *attrs) {
  if (!text)
    return 0;
  MlirAttribute dict = mlirAttributeParseGet(nv->b->context, mloptStr(text));
  if (mlirAttributeIsNull(dict) || !mlirAttributeIsADictionary(dict) ||
      mlirDictionaryAttrGetNumElements(dict) > MAX_ATTRS) {
    nv->b->failed = true;
    return 0;
  }
  intptr_t count = mlirDictionaryAttrGetNumElements(dict);
  for (intptr_t i = 0; i < count; ++i)
    attrs[i] = mlirDictionaryAttrGetElement(dict, i);
  return count;
}

static MlirOperation build(MloptNv *nv, const char *name, intptr_t numOperands,
                           const MlirValue *operands, intptr_t numResults,
                           MlirType result, const char *attributes) {
  MlirNamedAttribute attrs[MAX_ATTRS];
  intptr_t numAttrs = parseAttributes(nv, attributes, attrs);
  return mloptBuildOp(nv->b, (MloptOpSpec){.name = name,
                                           .numOperands = numOperands,
                                           .operands = operands,
                                           .numResults = numResults,
                                           .results = &result,
                                           .numAttrs = numAttrs,
                                           .attrs = attrs});
}

void mloptNvOp(MloptNv *nv, const char *name, intptr_t numOperands,
               const MlirValue *operands, const char *attributes) {
  build(nv, name, numOperands, operands, 0, (MlirType){NULL}, attributes);
}

MlirValue mloptNvValue(MloptNv *nv, const char *name, intptr_t numOperands,
                       const MlirValue *operands, MlirType result,
                       const char *attributes) {
  MlirOperation op =
      build(nv, name, numOperands, operands, 1, result, attributes);
  return mlirOperationIsNull(op) ? (MlirValue){NULL} : mloptResult(op, 0);
}

MlirValue mloptNvPtx(MloptNv *nv, const char *ptx, const char *constraints,
                     intptr_t numOperands, const MlirValue *operands,
                     MlirType result) {
  MlirContext c = nv->b->context;
  MlirNamedAttribute attrs[] = {
      mloptNamedAttr(c, "asm_string", mloptStrAttr(c, ptx)),
      mloptNamedAttr(c, "constraints", mloptStrAttr(c, constraints)),
      mloptNamedAttr(c, "has_side_effects", mlirUnitAttrGet(c)),
  };
  MlirOperation op =
      mloptBuildOp(nv->b, (MloptOpSpec){.name = "llvm.inline_asm",
                                        .numOperands = numOperands,
                                        .operands = operands,
                                        .numResults = !mlirTypeIsNull(result),
                                        .results = &result,
                                        .numAttrs = MLOPT_COUNT(attrs),
                                        .attrs = attrs});
  return mlirOperationIsNull(op) || mlirTypeIsNull(result) ? (MlirValue){NULL}
                                                           : mloptResult(op, 0);
}

MlirValue mloptNvRenew(MloptNv *nv, MlirValue value) {
  return mloptNvPtx(nv, "mov.b32 $0, $1;", "=r,r", 1, &value, nv->i32);
}

//===----------------------------------------------------------------------===//
// The dynamic block
//===----------------------------------------------------------------------===//

MloptNv mloptNvBegin(MloptBuilder *b, MlirOperation kernel) {
  MlirContext c = b->context;
  MloptNv nv = {.b = b,
                .i1 = mlirIntegerTypeGet(c, 1),
                .i32 = mlirIntegerTypeGet(c, 32),
                .i64 = mlirIntegerTypeGet(c, 64),
                .f32 = mlirF32TypeGet(c),
                .sharedPointer = mlirLLVMPointerTypeGet(c, 3),
                .sharedBytes = mlirIntegerTypeGet(c, 8)};
  MloptBuilder outside = mloptBuilderBefore(kernel, b->location);
  MlirRegion region = mlirRegionCreate();
  MlirNamedAttribute attrs[] = {
      mloptNamedAttr(c, "sym_name", mloptStrAttr(c, MLOPT_NV_SHARED)),
      mloptNamedAttr(c, "addr_space", mlirIntegerAttrGet(nv.i32, 3)),
      mloptNamedAttr(c, "alignment", mlirIntegerAttrGet(nv.i64, 1024)),
      mloptNamedAttr(c, "global_type",
                     mlirTypeAttrGet(mlirLLVMArrayTypeGet(nv.sharedBytes, 0))),
      mloptNamedAttr(c, "linkage",
                     mlirLLVMLinkageAttrGet(c, MlirLLVMLinkageExternal)),
  };
  mloptBuildOp(&outside, (MloptOpSpec){.name = "llvm.mlir.global",
                                       .numAttrs = MLOPT_COUNT(attrs),
                                       .attrs = attrs,
                                       .numRegions = 1,
                                       .regions = &region});
  b->failed |= outside.failed;
  nv.shared =
      mloptNvValue(&nv, "llvm.mlir.addressof", 0, NULL, nv.sharedPointer,
                   "{global_name = @" MLOPT_NV_SHARED "}");
  return nv;
}

MlirValue mloptNvShared(MloptNv *nv, MlirValue offset) {
  MlirContext c = nv->b->context;
  const int32_t dynamic = INT32_MIN;
  MlirValue operands[] = {nv->shared, offset};
  MlirNamedAttribute attrs[] = {
      mloptNamedAttr(c, "elem_type", mlirTypeAttrGet(nv->sharedBytes)),
      mloptNamedAttr(c, "rawConstantIndices",
                     mlirDenseI32ArrayGet(c, 1, &dynamic)),
  };
  return mloptBuildValue(nv->b, (MloptOpSpec){.name = "llvm.getelementptr",
                                              .numOperands = 2,
                                              .operands = operands,
                                              .numResults = 1,
                                              .results = &nv->sharedPointer,
                                              .numAttrs = MLOPT_COUNT(attrs),
                                              .attrs = attrs});
}

MlirValue mloptNvAddress(MloptNv *nv, MlirValue pointer) {
  return mloptNvValue(nv, "llvm.ptrtoint", 1, &pointer, nv->i32, NULL);
}

MlirValue mloptNvRemoteAddress(MloptNv *nv, MlirValue address, MlirValue rank) {
  MlirValue operands[] = {address, rank};
  return mloptNvPtx(nv, "mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r", 2,
                    operands, nv->i32);
}

void mloptNvStoreRemote4(MloptNv *nv, MlirValue address,
                         const MlirValue *registers) {
  if (nv->b->failed)
    return;
  MlirValue operands[5] = {address};
  memcpy(operands + 1, registers, 4 * sizeof *registers);
  bool isFloat = mlirTypeIsAF32(mlirValueGetType(registers[0]));
  mloptNvPtx(nv, "st.shared::cluster.v4.b32 [$0], {$1, $2, $3, $4};",
             isFloat ? "r,f,f,f,f,~{memory}" : "r,r,r,r,r,~{memory}", 5,
             operands, (MlirType){NULL});
}

void mloptNvLoad4(MloptNv *nv, MlirValue offset, MlirType type,
                  MlirValue *out) {
  MlirType types[] = {type, type, type, type};
  MlirValue address = mloptNvAddress(nv, mloptNvShared(nv, offset));
  bool isFloat = mlirTypeIsAF32(type);
  MlirValue all = mloptNvPtx(
      nv, "ld.shared.v4.b32 {$0, $1, $2, $3}, [$4];",
      isFloat ? "=f,=f,=f,=f,r,~{memory}" : "=r,=r,=r,=r,r,~{memory}", 1,
      &address, mlirLLVMStructTypeLiteralGet(nv->b->context, 4, types, false));
  for (int i = 0; i < 4; ++i) {
    char position[48];
    snprintf(position, sizeof position, "{position = array<i64: %d>}", i);
    out[i] = mloptNvValue(nv, "llvm.extractvalue", 1, &all, type, position);
  }
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

MlirValue mloptNvInt(MloptNv *nv, int64_t value) {
  return mloptBuildInt(nv->b, nv->i32, value);
}
MlirValue mloptNvLong(MloptNv *nv, int64_t value) {
  return mloptBuildInt(nv->b, nv->i64, value);
}
MlirValue mloptNvArith(MloptNv *nv, const char *name, MlirValue x,
                       MlirValue y) {
  return mloptBuildBinary(nv->b, name, x, y);
}
MlirValue mloptNvAdd(MloptNv *nv, MlirValue x, MlirValue y) {
  return mloptNvArith(nv, "arith.addi", x, y);
}
MlirValue mloptNvAddInt(MloptNv *nv, MlirValue x, int64_t y) {
  return y ? mloptNvAdd(nv, x, mloptNvInt(nv, y)) : x;
}
MlirValue mloptNvMulInt(MloptNv *nv, MlirValue x, int64_t y) {
  return y == 1 ? x : mloptNvArith(nv, "arith.muli", x, mloptNvInt(nv, y));
}
MlirValue mloptNvDivInt(MloptNv *nv, MlirValue x, int64_t y) {
  return y == 1 ? x : mloptNvArith(nv, "arith.divui", x, mloptNvInt(nv, y));
}
MlirValue mloptNvRemInt(MloptNv *nv, MlirValue x, int64_t y) {
  return mloptNvArith(nv, "arith.remui", x, mloptNvInt(nv, y));
}
MlirValue mloptNvAndInt(MloptNv *nv, MlirValue x, int64_t y) {
  return mloptNvArith(nv, "arith.andi", x, mloptNvInt(nv, y));
}
MlirValue mloptNvShrInt(MloptNv *nv, MlirValue x, int64_t y) {
  return mloptNvArith(nv, "arith.shrui", x, mloptNvInt(nv, y));
}
MlirValue mloptNvShlInt(MloptNv *nv, MlirValue x, int64_t y) {
  return mloptNvArith(nv, "arith.shli", x, mloptNvInt(nv, y));
}
MlirValue mloptNvXor(MloptNv *nv, MlirValue x, MlirValue y) {
  return mloptNvArith(nv, "arith.xori", x, y);
}
MlirValue mloptNvEqInt(MloptNv *nv, MlirValue x, int64_t y) {
  return mloptBuildCmpI(nv->b, "eq", x, mloptNvInt(nv, y));
}
MlirValue mloptNvMin(MloptNv *nv, MlirValue x, MlirValue y) {
  return mloptNvArith(nv, "arith.minui", x, y);
}

void mloptNvShare(MloptNv *nv, int64_t count, int64_t parts, MlirValue part,
                  MlirValue *outFirst, MlirValue *outEnd) {
  *outFirst = mloptNvInt(nv, 0);
  *outEnd = mloptNvInt(nv, count);
  if (parts == 1)
    return;
  int64_t share = count / parts, rest = count % parts;
  MlirValue next = mloptNvAddInt(nv, part, 1);
  *outFirst = mloptNvAdd(nv, mloptNvMulInt(nv, part, share),
                         mloptNvMin(nv, part, mloptNvInt(nv, rest)));
  *outEnd = mloptNvAdd(nv, mloptNvMulInt(nv, next, share),
                       mloptNvMin(nv, next, mloptNvInt(nv, rest)));
}
MlirValue mloptNvToInt(MloptNv *nv, MlirValue condition) {
  return mloptBuildUnary(nv->b, "arith.extui", condition, nv->i32);
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

MlirValue mloptNvRegister(MloptNv *nv, const char *name) {
  char op[64];
  snprintf(op, sizeof op, "nvvm.read.ptx.sreg.%s", name);
  return mloptNvValue(nv, op, 0, NULL, nv->i32, NULL);
}

MlirValue mloptNvUniform(MloptNv *nv, MlirValue value) {
  MlirValue operands[] = {mloptNvInt(nv, -1), value, mloptNvInt(nv, 0),
                          mloptNvInt(nv, 31)};
  return mloptNvValue(nv, "nvvm.shfl.sync", 4, operands, nv->i32,
                      "{kind = #nvvm<shfl_kind idx>}");
}

void mloptNvClusterBarrier(MloptNv *nv, bool releases) {
  mloptNvOp(nv,
            releases ? "nvvm.cluster.arrive" : "nvvm.cluster.arrive.relaxed", 0,
            NULL, NULL);
  mloptNvOp(nv, "nvvm.cluster.wait", 0, NULL, NULL);
}

void mloptNvBarrier(MloptNv *nv, MlirValue id, int64_t threads) {
  MlirValue operands[] = {id, mloptNvInt(nv, threads)};
  mloptNvOp(nv, "nvvm.barrier", 2, operands,
            "{operandSegmentSizes = array<i32: 1, 1, 0>}");
}

void mloptNvBarrierArrive(MloptNv *nv, MlirValue id, int64_t threads) {
  MlirValue operands[] = {id, mloptNvInt(nv, threads)};
  mloptNvPtx(nv, "barrier.cta.arrive.aligned $0, $1;", "r,r,~{memory}", 2,
             operands, (MlirType){NULL});
}

MlirValue mloptNvToIndex(MloptNv *nv, MlirValue value) {
  return mloptBuildUnary(nv->b, "arith.index_castui", value,
                         mlirIndexTypeGet(nv->b->context));
}

void mloptNvWaitForKernels(MloptNv *nv) {
  mloptNvOp(nv, "nvvm.griddepcontrol", 0, NULL,
            "{kind = #nvvm<grid_dep_action wait>}");
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

static MlirType typeOf(const MloptNv *nv, MlirValue value) {
  return mlirValueIsNull(value) ? nv->i32 : mlirValueGetType(value);
}

static MloptNvScope enter(MloptNv *nv, intptr_t numArgs, const MlirType *types,
                          MlirBlock *outBlock) {
  MloptNvScope scope = {.outer = nv->b->block, .before = nv->b->before};
  scope.region = mloptCreateRegion(nv->b, numArgs, types, outBlock);
  nv->b->block = *outBlock;
  nv->b->before = (MlirOperation){NULL};
  return scope;
}

static void leave(MloptNv *nv, const MloptNvScope *scope) {
  nv->b->block = scope->outer;
  nv->b->before = scope->before;
}

MloptNvScope mloptNvBeginFor(MloptNv *nv, MlirValue lower, MlirValue upper,
                             MlirValue step, intptr_t numCarried,
                             const MlirValue *init, MlirValue *outIndex,
                             MlirValue *outCarried) {
  MlirType types[MLOPT_NV_MAX_CARRIED + 1] = {nv->i32};
  for (intptr_t i = 0; i < numCarried; ++i)
    types[i + 1] = typeOf(nv, init[i]);
  MlirBlock block;
  MloptNvScope scope = enter(nv, numCarried + 1, types, &block);
  MlirValue bounds[] = {lower, upper, step};
  scope.numOperands = numCarried + 3;
  memcpy(scope.operands, bounds, sizeof bounds);
  memcpy(scope.operands + 3, init, numCarried * sizeof *init);
  *outIndex = mlirBlockGetArgument(block, 0);
  for (intptr_t i = 0; i < numCarried; ++i)
    outCarried[i] = mlirBlockGetArgument(block, i + 1);
  return scope;
}

void mloptNvEndFor(MloptNv *nv, const MloptNvScope *scope,
                   const MlirValue *next, MlirValue *out) {
  intptr_t numCarried = scope->numOperands - 3;
  mloptNvOp(nv, "scf.yield", numCarried, next, NULL);
  leave(nv, scope);
  MlirType types[MLOPT_NV_MAX_CARRIED];
  for (intptr_t i = 0; i < numCarried; ++i)
    types[i] = typeOf(nv, scope->operands[i + 3]);
  // Unrolled, the pieces of PTX inside would only take longer to compile.
  MlirNamedAttribute rolled = mloptNamedAttr(
      nv->b->context, "llvm.loop_annotation",
      mlirAttributeParseGet(nv->b->context,
                            mloptStr("#llvm.loop_annotation<unroll = "
                                     "<disable = true>>")));
  MlirOperation loop =
      mloptBuildOp(nv->b, (MloptOpSpec){.name = "scf.for",
                                        .numOperands = scope->numOperands,
                                        .operands = scope->operands,
                                        .numResults = numCarried,
                                        .results = types,
                                        .numAttrs = 1,
                                        .attrs = &rolled,
                                        .numRegions = 1,
                                        .regions = &scope->region});
  for (intptr_t i = 0; i < numCarried; ++i)
    out[i] =
        mlirOperationIsNull(loop) ? (MlirValue){NULL} : mloptResult(loop, i);
}

MloptNvScope mloptNvBeginIf(MloptNv *nv, MlirValue condition) {
  MlirBlock block;
  MloptNvScope scope = enter(nv, 0, NULL, &block);
  scope.numOperands = 1;
  scope.operands[0] = condition;
  return scope;
}

void mloptNvElse(MloptNv *nv, MloptNvScope *scope) {
  mloptNvOp(nv, "scf.yield", 0, NULL, NULL);
  scope->then = scope->region;
  MlirBlock block;
  scope->region = mloptCreateRegion(nv->b, 0, NULL, &block);
  nv->b->block = block;
}

void mloptNvEndIf(MloptNv *nv, const MloptNvScope *scope) {
  mloptNvOp(nv, "scf.yield", 0, NULL, NULL);
  leave(nv, scope);
  bool both = !mlirRegionIsNull(scope->then);
  MlirRegion regions[] = {both ? scope->then : scope->region,
                          both ? scope->region : mlirRegionCreate()};
  mloptBuildOp(nv->b, (MloptOpSpec){.name = "scf.if",
                                    .numOperands = 1,
                                    .operands = scope->operands,
                                    .numRegions = 2,
                                    .regions = regions});
}
