//===- import.c - convert-stablehlo-to-mlopt ------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass that brings StableHLO and CHLO, as JAX writes them, to mlopt on
// tensors:
//
//   func.func @f(%x: tensor<4xui8>) -> tensor<4xui8> {
//     %0 = stablehlo.divide %x, %x : tensor<4xui8>
// becomes
//   func.func @f(%x: tensor<4xi8>) -> tensor<4xi8> {
//     %0 = mlopt.divu %x, %x : tensor<4xi8>
//
// It is a full conversion: afterwards nothing of either dialect is left. What
// cannot be imported is found beforehand (import_preflight.c), so that a
// program is told of all of it at once; the conversion itself does not fail.
//
//===----------------------------------------------------------------------===//

#include "import.h"
#include "passes.h"

#include "mlir-c/Dialect/Arith.h"
#include "mlir-c/Dialect/Func.h"
#include "mlir-c/Dialect/SCF.h"
#include "mlir-c/Dialect/Tensor.h"

#include <stdlib.h>

static MlirLogicalResult convertType(MlirType type, MlirType *converted,
                                     void *userData) {
  (void)userData;
  *converted = mloptImportType(type);
  return mloptSuccess();
}

static MlirLogicalResult convertOp(MlirConversionPattern pattern,
                                   MlirOperation op, intptr_t numOperands,
                                   MlirValue *operands,
                                   MlirConversionPatternRewriter rewriter,
                                   void *userData) {
  MloptBuilder builder =
      mloptBuilderForConversion(rewriter, mlirOperationGetLocation(op));
  intptr_t numResults = mlirOperationGetNumResults(op);
  MlirValue *results = calloc((size_t)numResults + 1, sizeof *results);
  MloptImport in = {.row = userData,
                    .builder = &builder,
                    .op = op,
                    .numOperands = numOperands,
                    .operands = operands,
                    .results = results,
                    .conversion = rewriter,
                    .converter =
                        mlirConversionPatternGetTypeConverter(pattern)};
  in.row->rewrite(&in);
  if (!builder.failed)
    mlirRewriterBaseReplaceOpWithValues(builder.rewriter, op, numResults,
                                        results);
  free(results);
  return builder.failed ? mloptFailure() : mloptSuccess();
}

static MlirConversionTargetLegality isLegal(MlirOperation op, void *userData) {
  (void)op;
  (void)userData;
  return MlirConversionTargetLegalityLegal;
}

static MlirLogicalResult convert(MlirOperation module) {
  MlirContext context = mlirOperationGetContext(module);
  MlirConversionTarget target = mlirConversionTargetCreate(context);
  mlirConversionTargetAddIllegalDialect(target, mloptStr("stablehlo"));
  mlirConversionTargetAddIllegalDialect(target, mloptStr("chlo"));
  mlirConversionTargetMarkUnknownOpDynamicallyLegal(target, isLegal, NULL);

  MlirTypeConverter converter = mlirTypeConverterCreate();
  mlirTypeConverterAddConversion(converter, convertType, NULL);
  MlirRewritePatternSet patterns = mlirRewritePatternSetCreate(context);
  mloptPopulateFuncConversion(patterns, converter, target);
  MlirConversionPatternCallbacks callbacks = {.matchAndRewrite = convertOp};
  for (int i = 0; i < mloptNumImportRows; ++i) {
    if (!mloptImportRows[i].rewrite)
      continue;
    MlirConversionPattern pattern = mlirOpConversionPatternCreate(
        mloptStr(mloptImportRows[i].name), 1, context, converter, callbacks,
        (void *)&mloptImportRows[i], 0, NULL);
    mlirRewritePatternSetAdd(patterns,
                             mlirConversionPatternAsRewritePattern(pattern));
  }

  MlirConversionConfig config = mlirConversionConfigCreate();
  MlirFrozenRewritePatternSet frozen = mlirFreezeRewritePattern(patterns);
  MlirLogicalResult result =
      mlirApplyFullConversion(module, target, frozen, config);
  mlirFrozenRewritePatternSetDestroy(frozen);
  mlirConversionConfigDestroy(config);
  mlirTypeConverterDestroy(converter);
  mlirConversionTargetDestroy(target);
  return result;
}

//===----------------------------------------------------------------------===//
// Attributes that mean nothing here
//===----------------------------------------------------------------------===//

static bool isLeftover(MlirNamedAttribute attr) {
  MlirStringRef name = mlirIdentifierStr(attr.name);
  return !strncmp(name.data, "mhlo.", 5) ||
         (!strncmp(name.data, "jax.", 4) &&
          !mloptStrEq(name, "jax.result_info"));
}

/// A dictionary without leftovers.
static MlirAttribute cleanDict(MlirContext context, MlirAttribute dict) {
  intptr_t n = mlirDictionaryAttrGetNumElements(dict), kept = 0;
  MlirNamedAttribute *attrs = malloc(((size_t)n + 1) * sizeof *attrs);
  for (intptr_t i = 0; i < n; ++i) {
    attrs[kept] = mlirDictionaryAttrGetElement(dict, i);
    kept += !isLeftover(attrs[kept]);
  }
  MlirAttribute clean = mlirDictionaryAttrGet(context, kept, attrs);
  free(attrs);
  return clean;
}

static void cleanOp(MlirOperation op) {
  for (intptr_t i = mlirOperationGetNumDiscardableAttributes(op); i--;) {
    MlirNamedAttribute attr = mlirOperationGetDiscardableAttribute(op, i);
    if (isLeftover(attr))
      mlirOperationRemoveDiscardableAttributeByName(
          op, mlirIdentifierStr(attr.name));
  }
  static const char *const lists[] = {"arg_attrs", "res_attrs"};
  MlirContext context = mlirOperationGetContext(op);
  for (int l = 0; l < MLOPT_COUNT(lists); ++l) {
    MlirAttribute list = mloptAttr(op, lists[l]);
    if (mlirAttributeIsNull(list) || !mlirAttributeIsAArray(list))
      continue;
    intptr_t n = mlirArrayAttrGetNumElements(list);
    MlirAttribute *dicts = malloc(((size_t)n + 1) * sizeof *dicts);
    for (intptr_t i = 0; i < n; ++i)
      dicts[i] = cleanDict(context, mlirArrayAttrGetElement(list, i));
    mlirOperationSetInherentAttributeByName(
        op, mloptStr(lists[l]), mlirArrayAttrGet(context, n, dicts));
    free(dicts);
  }
}

static void cleanModule(MlirOperation module) {
  cleanOp(module);
  for (MlirOperation op =
           mlirBlockGetFirstOperation(mloptImportBodyOf(module, 0));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    cleanOp(op);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// A body must hold its code, to become a region of scalars. The inliner's own
/// pipeline would fold; there is none.
static const char inlineCalls[] = "builtin.module(inline{default-pipeline=})";

static void run(MlirOperation module, MloptPass pass) {
  bool callsInBodies;
  if (!mloptImportPreflight(module, true, &callsInBodies)) {
    mloptPassSignalFailure(pass);
    return;
  }
  cleanModule(module);
  mloptImportEntries(module);
  if ((callsInBodies &&
       (mloptFailed(mloptPassRunPipeline(pass, inlineCalls, module)) ||
        !mloptImportPreflight(module, false, &callsInBodies))) ||
      mloptFailed(convert(module)))
    mloptPassSignalFailure(pass);
}

static const char *const pipelines[] = {inlineCalls, NULL};
static MlirDialectHandle (*const dependent[])(void) = {
    mlirGetDialectHandle__mlopt__,  mlirGetDialectHandle__arith__,
    mlirGetDialectHandle__func__,   mlirGetDialectHandle__scf__,
    mlirGetDialectHandle__tensor__, NULL};

const MloptPassDef mloptPass_convertStablehloToMlopt MLOPT_TABLE = {
    .argument = "convert-stablehlo-to-mlopt",
    .summary = "Convert StableHLO and CHLO to mlopt",
    .doc =
        "Replaces all operations of StableHLO and CHLO by those of mlopt, scf "
        "and arith. Unsigned integers become signless ones under operations "
        "that read them unsigned. A program with unsupported operations is "
        "told of each of them and stays as it is.\n\n"
        "Calls of `@inputs` and `@expected` in a function that checks its "
        "results by `check.expect_eq`, `check.expect_close` or "
        "`check.expect_almost_eq` become arguments, and the compared values "
        "results; `mlopt.arguments_from` and `mlopt.checks` describe them. "
        "Functions that a reducer calls are inlined.",
    .anchor = "builtin.module",
    .dependent = dependent,
    .pipelines = pipelines,
    .run = run,
};
