//===- lower_cpu.c - What upstream's way to the CPU lacks -----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `mlopt-prepare-entries`, before bufferization, gives functions that nothing
// in the module calls the convention of the host: arguments are not written
// to, and results are written to buffers that the host passes in.
//
//   func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> { ... return %r }
// becomes
//   func.func @mlopt.f(%x: tensor<4xf32> {bufferization.writable = false},
//                      %out: memref<4xf32>) {
//     ...
//     bufferization.materialize_in_destination %r in restrict writable %out
//     return
//   }
//
// The prefix keeps a program's names apart from the C library's, which lowering
// declares (`exp`, `malloc`). What the host reads from a function, its
// `mlopt.*` attributes, is gone afterwards.
//
// `mlopt-call-libm` makes elementary functions calls into the C library. For
// want of a declaration, upstream's convert-math-to-libm calls functions that
// no C library has (rsqrtf), and refuses what it does not know (copysign); and
// convert-math-to-llvm spells log1p and expm1 out, which loses small arguments.
//
// `mlopt-lower-copies`, after bufferization, turns copies between strided
// buffers into linalg, so that they become loops and not calls into a runtime
// library.
//
//===----------------------------------------------------------------------===//

#include "build.h"
#include "passes.h"

#include "mlir-c/Dialect/Bufferization.h"
#include "mlir-c/Dialect/Func.h"
#include "mlir-c/Dialect/Linalg.h"

#include <stdio.h>
#include <stdlib.h>

//===----------------------------------------------------------------------===//
// mlopt-prepare-entries
//===----------------------------------------------------------------------===//

typedef struct CallSearch {
  MlirStringRef callee;
  bool found;
} CallSearch;

static MlirWalkResult findCall(MlirOperation op, void *userData) {
  CallSearch *search = userData;
  if (!mloptIsNamed(op, "func.call"))
    return MlirWalkResultAdvance;
  MlirStringRef callee = mlirFlatSymbolRefAttrGetValue(mloptAttr(op, "callee"));
  search->found = mlirStringRefEqual(callee, search->callee);
  return search->found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static bool isCalled(MlirOperation module, MlirStringRef name) {
  CallSearch search = {name, false};
  mlirOperationWalk(module, findCall, &search, MlirWalkPreOrder);
  return search.found;
}

static void renameFunc(MlirOperation module, MlirOperation func,
                       MlirStringRef name) {
  size_t size = name.length + sizeof MLOPT_ENTRY_PREFIX;
  char *prefixed = malloc(size);
  snprintf(prefixed, size, MLOPT_ENTRY_PREFIX "%.*s", (int)name.length,
           name.data);
  if (isCalled(module, name))
    mlirSymbolTableReplaceAllSymbolUses(name, mloptStr(prefixed), module);
  mlirOperationSetInherentAttributeByName(
      func, mloptStr("sym_name"),
      mloptStrAttr(mlirOperationGetContext(func), prefixed));
  free(prefixed);
}

/// Removes what the module's host has read already; it need not hold once
/// results have become arguments.
static void dropHostAttributes(MlirOperation func) {
  for (intptr_t i = mlirOperationGetNumDiscardableAttributes(func); i-- > 0;) {
    MlirNamedAttribute attr = mlirOperationGetDiscardableAttribute(func, i);
    MlirStringRef name = mlirIdentifierStr(attr.name);
    if (name.length > 6 && !strncmp(name.data, "mlopt.", 6))
      mlirOperationRemoveDiscardableAttributeByName(func, name);
  }
}

/// LLVM would unroll nests of small constant extents, whole nests at a time:
/// code that runs once then takes five times as long to compile.
static void forbidUnrolling(MlirOperation func) {
  MlirContext context = mlirOperationGetContext(func);
  MlirAttribute optsize = mloptStrAttr(context, "optsize");
  mlirOperationSetDiscardableAttributeByName(
      func, mloptStr("passthrough"), mlirArrayAttrGet(context, 1, &optsize));
}

static bool isStaticTensor(MlirType type) {
  return mlirTypeIsARankedTensor(type) && mlirShapedTypeHasStaticShape(type) &&
         mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type));
}

static MlirType bufferType(MlirType tensor) {
  int64_t shape[MLOPT_MAX_RANK];
  return mlirMemRefTypeGet(mloptElementType(tensor), mloptShape(tensor, shape),
                           shape, (MlirAttribute){NULL}, (MlirAttribute){NULL});
}

/// One diagnostic and false when the host cannot call the function.
static bool checkSignature(MlirOperation func, MlirType type) {
  intptr_t numInputs = mlirFunctionTypeGetNumInputs(type);
  intptr_t count = numInputs + mlirFunctionTypeGetNumResults(type);
  for (intptr_t i = 0; i < count; ++i) {
    bool isInput = i < numInputs;
    intptr_t index = isInput ? i : i - numInputs;
    MlirType t = isInput ? mlirFunctionTypeGetInput(type, index)
                         : mlirFunctionTypeGetResult(type, index);
    const char *what = isInput ? "argument" : "result";
    if (!isStaticTensor(t)) {
      mloptOpError(func, "%s %td is no ranked tensor of static shape", what,
                   index);
      return false;
    }
    if (mloptRank(t) > MLOPT_MAX_RANK) {
      mloptOpError(func, "%s %td has %td dimensions, more than %d", what, index,
                   (intptr_t)mloptRank(t), MLOPT_MAX_RANK);
      return false;
    }
  }
  return true;
}

/// Writes a return's operands to the last arguments of the function.
static void writeResults(MlirOperation ret, MlirBlock entry,
                         intptr_t numInputs) {
  intptr_t n = mlirOperationGetNumOperands(ret);
  MloptBuilder b = mloptBuilderBefore(ret, mlirOperationGetLocation(ret));
  MlirAttribute unit = mlirUnitAttrGet(b.context);
  MlirNamedAttribute attrs[] = {mloptNamedAttr(b.context, "restrict", unit),
                                mloptNamedAttr(b.context, "writable", unit)};
  for (intptr_t i = 0; i < n; ++i) {
    MlirValue operands[] = {mloptOperand(ret, i),
                            mlirBlockGetArgument(entry, numInputs + i)};
    mloptBuildOp(
        &b, (MloptOpSpec){.name = "bufferization.materialize_in_destination",
                          .numOperands = 2,
                          .operands = operands,
                          .numAttrs = 2,
                          .attrs = attrs});
  }
  mlirOperationSetOperands(ret, 0, NULL);
}

/// Makes results arguments; false after a diagnostic.
static bool prepareEntry(MlirOperation func) {
  MlirContext context = mlirOperationGetContext(func);
  MlirType type = mlirTypeAttrGetValue(mloptAttr(func, "function_type"));
  if (!checkSignature(func, type))
    return false;
  intptr_t numInputs = mlirFunctionTypeGetNumInputs(type);
  intptr_t numResults = mlirFunctionTypeGetNumResults(type);
  intptr_t count = numInputs + numResults;
  MlirType *types = malloc((size_t)(count + 1) * sizeof *types);
  MlirRegion body = mlirOperationGetRegion(func, 0);
  MlirBlock entry = mlirRegionGetFirstBlock(body);
  for (intptr_t i = 0; i < numInputs; ++i)
    types[i] = mlirFunctionTypeGetInput(type, i);
  for (intptr_t i = 0; i < numResults; ++i) {
    types[numInputs + i] = bufferType(mlirFunctionTypeGetResult(type, i));
    mlirBlockAddArgument(entry, types[numInputs + i],
                         mlirOperationGetLocation(func));
  }
  mloptFuncSetType(func, mlirFunctionTypeGet(context, count, types, 0, NULL));
  free(types);

  for (intptr_t i = 0; i < numInputs; ++i)
    mlirFuncSetArgAttr(func, i, mloptStr("bufferization.writable"),
                       mlirBoolAttrGet(context, false));
  for (intptr_t i = numInputs; i < count; ++i)
    mlirFuncSetArgAttr(func, i, mloptStr("llvm.noalias"),
                       mlirUnitAttrGet(context));
  // The host is outside of the module.
  mlirOperationRemoveAttributeByName(func, mloptStr("sym_visibility"));
  for (MlirBlock block = entry; !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block)) {
    MlirOperation last = mlirBlockGetTerminator(block);
    if (!mlirOperationIsNull(last) && mloptIsNamed(last, "func.return"))
      writeResults(last, entry, numInputs);
  }
  return true;
}

static void runPrepareEntries(MlirOperation module, MloptPass pass) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  for (MlirOperation op = mlirBlockGetFirstOperation(body);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!mloptIsNamed(op, "func.func"))
      continue;
    MlirStringRef name = mlirStringAttrGetValue(mloptAttr(op, "sym_name"));
    dropHostAttributes(op);
    forbidUnrolling(op);
    if (mlirBlockIsNull(
            mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)))) {
      mloptOpError(op, "'%.*s' has no body", (int)name.length, name.data);
      mloptPassSignalFailure(pass);
    } else if (!isCalled(module, name) && !prepareEntry(op)) {
      mloptPassSignalFailure(pass);
    }
    renameFunc(module, op, name);
  }
}

static MlirDialectHandle (*const prepareEntriesDependent[])(void) = {
    mlirGetDialectHandle__bufferization__, NULL};

const MloptPassDef mloptPass_prepareEntries MLOPT_TABLE = {
    .argument = "mlopt-prepare-entries",
    .summary = "Give entry functions the calling convention of the host",
    .doc = "Functions that nothing in the module calls may be called by the "
           "host: their arguments are marked as not writable for "
           "one-shot-bufferize, and their results are written to memrefs that "
           "follow the arguments. All functions get the prefix `mlopt.`, which "
           "keeps them apart from the C library's. Every argument and result "
           "of an entry must be a ranked tensor of static shape.",
    .anchor = "builtin.module",
    .dependent = prepareEntriesDependent,
    .run = runPrepareEntries,
};

//===----------------------------------------------------------------------===//
// mlopt-lower-copies
//===----------------------------------------------------------------------===//

static bool isDense(MlirValue buffer) {
  return mlirAffineMapIsIdentity(
      mlirMemRefTypeGetAffineMap(mlirValueGetType(buffer)));
}

static MlirLogicalResult lowerCopy(MlirRewritePattern pattern, MlirOperation op,
                                   MlirPatternRewriter rewriter,
                                   void *userData) {
  MlirValue operands[] = {mloptOperand(op, 0), mloptOperand(op, 1)};
  if (isDense(operands[0]) && isDense(operands[1]))
    return mloptFailure(); // becomes a memcpy
  MloptBuilder b = mloptBuilderForRewriter(mlirPatternRewriterAsBase(rewriter),
                                           mlirOperationGetLocation(op));
  int32_t segments[] = {1, 1};
  MlirNamedAttribute attr =
      mloptNamedAttr(b.context, "operandSegmentSizes",
                     mlirDenseI32ArrayGet(b.context, 2, segments));
  MlirRegion region = mlirRegionCreate();
  MlirOperation copy = mloptBuildOp(&b, (MloptOpSpec){.name = "linalg.copy",
                                                      .numOperands = 2,
                                                      .operands = operands,
                                                      .numAttrs = 1,
                                                      .attrs = &attr,
                                                      .numRegions = 1,
                                                      .regions = &region});
  if (b.failed)
    return mloptFailure();
  mlirLinalgFillBuiltinNamedOpRegion(copy);
  mlirRewriterBaseEraseOp(b.rewriter, op);
  return mloptSuccess();
}

static void runLowerCopies(MlirOperation func, MloptPass pass) {
  MlirContext context = mlirOperationGetContext(func);
  MlirRewritePatternSet patterns = mlirRewritePatternSetCreate(context);
  MlirRewritePatternCallbacks callbacks = {.matchAndRewrite = lowerCopy};
  mlirRewritePatternSetAdd(
      patterns, mlirOpRewritePatternCreate(mloptStr("memref.copy"), 1, context,
                                           callbacks, NULL, 0, NULL));
  MlirFrozenRewritePatternSet frozen = mlirFreezeRewritePattern(patterns);
  mlirRewritePatternSetDestroy(patterns);
  mlirWalkAndApplyPatterns(func, frozen);
  mlirFrozenRewritePatternSetDestroy(frozen);
}

static MlirDialectHandle (*const lowerCopiesDependent[])(void) = {
    mlirGetDialectHandle__linalg__, NULL};

const MloptPassDef mloptPass_lowerCopies MLOPT_TABLE = {
    .argument = "mlopt-lower-copies",
    .summary = "Turn copies between strided buffers into linalg.copy",
    .doc = "A memref.copy whose source or target has a layout other than the "
           "identity would be lowered to a call into MLIR's runner library; as "
           "linalg.copy it becomes loops.",
    .anchor = "func.func",
    .dependent = lowerCopiesDependent,
    .run = runLowerCopies,
};

//===----------------------------------------------------------------------===//
// mlopt-call-libm
//===----------------------------------------------------------------------===//

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

static void runCallLibm(MlirOperation module, MloptPass pass) {
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

static MlirDialectHandle (*const callLibmDependent[])(void) = {
    mlirGetDialectHandle__func__, NULL};

const MloptPassDef mloptPass_callLibm MLOPT_TABLE = {
    .argument = "mlopt-call-libm",
    .summary = "Call the C library for elementary functions",
    .doc = "Turns exp, log, sin and the other functions of math that are no "
           "machine instruction into calls of the C library's function for f32 "
           "or f64, and declares it.",
    .anchor = "builtin.module",
    .dependent = callLibmDependent,
    .run = runCallLibm,
};
