//===- call_libm.c - Elementary functions from the C library ------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `mlopt-call-libm` makes elementary functions calls into the C library, and
// leaves to convert-math-to-llvm what is an instruction or exact.
//
//   %r = math.tanh %x : f32
// becomes
//   %r = func.call @tanhf(%x) : (f32) -> f32
//
// Upstream's convert-math-to-libm calls functions that no C library has
// (rsqrtf) and refuses what is none (copysign); convert-math-to-llvm spells
// log1p(x) as log(1 + x), which loses small arguments.
//
//===----------------------------------------------------------------------===//

#include "build.h"
#include "passes.h"

#include "mlir-c/Dialect/Func.h"

#include <stdio.h>

/// An elementary function and its name for f64; for f32, with an `f`.
typedef struct Function {
  const char *op, *name;
} Function;

static const Function functions[] = {
    {"math.acos", "acos"},   {"math.acosh", "acosh"}, {"math.asin", "asin"},
    {"math.asinh", "asinh"}, {"math.atan", "atan"},   {"math.atan2", "atan2"},
    {"math.atanh", "atanh"}, {"math.cbrt", "cbrt"},   {"math.cos", "cos"},
    {"math.cosh", "cosh"},   {"math.erf", "erf"},     {"math.erfc", "erfc"},
    {"math.exp", "exp"},     {"math.exp2", "exp2"},   {"math.expm1", "expm1"},
    {"math.log", "log"},     {"math.log10", "log10"}, {"math.log1p", "log1p"},
    {"math.log2", "log2"},   {"math.powf", "pow"},    {"math.sin", "sin"},
    {"math.sinh", "sinh"},   {"math.tan", "tan"},     {"math.tanh", "tanh"},
};

/// A function while the pass runs.
typedef struct LibmCalls {
  const Function *function;
  intptr_t arity[2]; ///< operands of the calls so far, f64 and f32; 0: none
} LibmCalls;

enum { LIBM_NAME_SIZE = 16 };
static const char *libmName(const Function *f, bool isF32,
                            char name[LIBM_NAME_SIZE]) {
  snprintf(name, LIBM_NAME_SIZE, "%s%s", f->name, isF32 ? "f" : "");
  return name;
}

static MlirLogicalResult callLibm(MlirRewritePattern pattern, MlirOperation op,
                                  MlirPatternRewriter rewriter,
                                  void *userData) {
  LibmCalls *calls = userData;
  MlirType type = mloptResultType(op, 0);
  bool isF32 = mlirTypeIsAF32(type);
  if (!isF32 && !mlirTypeIsAF64(type))
    return mloptFailure();
  MloptBuilder b = mloptBuilderForRewriter(mlirPatternRewriterAsBase(rewriter),
                                           mlirOperationGetLocation(op));
  intptr_t n = mlirOperationGetNumOperands(op);
  MlirValue operands[2];
  for (intptr_t i = 0; i < n; ++i)
    operands[i] = mloptOperand(op, i);
  char name[LIBM_NAME_SIZE];
  MlirNamedAttribute callee = mloptNamedAttr(
      b.context, "callee",
      mlirFlatSymbolRefAttrGet(
          b.context, mloptStr(libmName(calls->function, isF32, name))));
  MlirOperation call = mloptBuildOp(&b, (MloptOpSpec){.name = "func.call",
                                                      .numOperands = n,
                                                      .operands = operands,
                                                      .numResults = 1,
                                                      .results = &type,
                                                      .numAttrs = 1,
                                                      .attrs = &callee});
  if (b.failed)
    return mloptFailure();
  calls->arity[isF32] = n;
  mlirRewriterBaseReplaceOpWithOperation(b.rewriter, op, call);
  return mloptSuccess();
}

/// Declares a function that calls use: without side effects, errno included.
static void declareLibm(MlirOperation module, const LibmCalls *calls,
                        bool isF32) {
  MloptBuilder b = mloptBuilderAtEnd(
      mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0)),
      mlirOperationGetLocation(module));
  MlirType type = isF32 ? mlirF32TypeGet(b.context) : mlirF64TypeGet(b.context);
  MlirType inputs[] = {type, type};
  char name[LIBM_NAME_SIZE];
  MlirNamedAttribute attrs[] = {
      mloptNamedAttr(
          b.context, "sym_name",
          mloptStrAttr(b.context, libmName(calls->function, isF32, name))),
      mloptNamedAttr(b.context, "function_type",
                     mlirTypeAttrGet(mlirFunctionTypeGet(
                         b.context, calls->arity[isF32], inputs, 1, &type))),
      mloptNamedAttr(b.context, "sym_visibility",
                     mloptStrAttr(b.context, "private")),
      mloptNamedAttr(b.context, "llvm.readnone", mlirUnitAttrGet(b.context))};
  MlirRegion body = mlirRegionCreate();
  mloptBuildOp(&b, (MloptOpSpec){.name = "func.func",
                                 .numAttrs = MLOPT_COUNT(attrs),
                                 .attrs = attrs,
                                 .numRegions = 1,
                                 .regions = &body});
}

static void run(MlirOperation module, MloptPass pass) {
  MlirContext context = mlirOperationGetContext(module);
  LibmCalls calls[MLOPT_COUNT(functions)] = {0};
  MlirRewritePatternCallbacks callbacks = {.matchAndRewrite = callLibm};
  MlirRewritePatternSet patterns = mlirRewritePatternSetCreate(context);
  for (int i = 0; i < MLOPT_COUNT(functions); ++i) {
    calls[i].function = &functions[i];
    mlirRewritePatternSetAdd(
        patterns,
        mlirOpRewritePatternCreate(mloptStr(functions[i].op), 1, context,
                                   callbacks, &calls[i], 0, NULL));
  }
  MlirFrozenRewritePatternSet frozen = mlirFreezeRewritePattern(patterns);
  mlirRewritePatternSetDestroy(patterns);
  mlirWalkAndApplyPatterns(module, frozen);
  mlirFrozenRewritePatternSetDestroy(frozen);
  for (int i = 0; i < MLOPT_COUNT(functions); ++i)
    for (int isF32 = 0; isF32 < 2; ++isF32)
      if (calls[i].arity[isF32])
        declareLibm(module, &calls[i], isF32);
}

static MlirDialectHandle (*const dependent[])(void) = {
    mlirGetDialectHandle__func__, NULL};

const MloptPassDef mloptPass_callLibm MLOPT_TABLE = {
    .argument = "mlopt-call-libm",
    .summary = "Call the C library for elementary functions",
    .doc = "Turns exp, log, sin and the other functions of math that are no "
           "machine instruction into calls of the C library's function for f32 "
           "or f64, and declares it.",
    .anchor = "builtin.module",
    .dependent = dependent,
    .run = run,
};
