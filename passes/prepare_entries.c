//===- prepare_entries.c - Calling functions from the host ----------------===//
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
// declares (`exp`, `free`). What the host reads from a function, its `mlopt.*`
// attributes, is gone afterwards.
//
//===----------------------------------------------------------------------===//

#include "build.h"
#include "passes.h"

#include "mlir-c/Dialect/Bufferization.h"
#include "mlir-c/Dialect/Func.h"
#include "mlir-c/Dialect/Tensor.h"

#include <stdio.h>
#include <stdlib.h>

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

static bool isEmpty(MlirType tensor) { return mloptNumElements(tensor) == 0; }

/// The type of a result's buffer.
static MlirType bufferType(MlirType tensor) {
  MlirAttribute none = {NULL};
  MlirType element = mloptElementType(tensor);
  int64_t shape[MLOPT_MAX_RANK] = {0};
  intptr_t rank = isEmpty(tensor) ? 1 : mloptShape(tensor, shape);
  return mlirMemRefTypeGet(element, rank, shape, none, none);
}

/// Makes an empty argument one of type tensor<0x..>, unused: upstream passes
/// no bare pointer for shapes such as 4x0.
static void dropEmptyArgument(MlirBlock entry, intptr_t index) {
  MlirValue argument = mlirBlockGetArgument(entry, index);
  MlirType type = mlirValueGetType(argument);
  if (!isEmpty(type))
    return;
  MlirOperation first = mlirBlockGetFirstOperation(entry);
  MloptBuilder b = mloptBuilderBefore(first, mlirOperationGetLocation(first));
  MlirValue empty = mloptBuildValue(
      &b,
      (MloptOpSpec){.name = "tensor.empty", .numResults = 1, .results = &type});
  mlirValueReplaceAllUsesOfWith(argument, empty);
  int64_t zero = 0;
  mlirValueSetType(argument, mloptTensorType(1, &zero, mloptElementType(type)));
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
    if (isEmpty(mloptOperandType(ret, i)))
      continue;
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
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  for (intptr_t i = 0; i < numInputs; ++i) {
    dropEmptyArgument(entry, i);
    types[i] = mlirValueGetType(mlirBlockGetArgument(entry, i));
  }
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

static void run(MlirOperation module, MloptPass pass) {
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

static MlirDialectHandle (*const dependent[])(void) = {
    mlirGetDialectHandle__bufferization__, mlirGetDialectHandle__tensor__,
    NULL};

const MloptPassDef mloptPass_prepareEntries MLOPT_TABLE = {
    .argument = "mlopt-prepare-entries",
    .summary = "Give entry functions the calling convention of the host",
    .doc =
        "Functions that nothing in the module calls may be called by the "
        "host: their arguments are marked as not writable for "
        "one-shot-bufferize, and their results are written to memrefs that "
        "follow the arguments. All functions get the prefix `mlopt.`, which "
        "keeps them apart from the C library's. Every argument and result "
        "of an entry must be a ranked tensor of static shape; of one that is "
        "empty only the place in the list remains.",
    .anchor = "builtin.module",
    .dependent = dependent,
    .run = run,
};
