//===- inline_fusions.c - The pass mlopt-inline-fusions -------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes every mlopt.fusion away and leaves what was in it, at any level: a
// fusion says what is one kernel, and the CPU has none.
//
//   %r = mlopt.fusion (%a = %x : T) -> T { %0 = mlopt.exp %a : T
//                                          mlopt.yield %0 : T }
// becomes
//   %r = mlopt.exp %x : T
//
//===----------------------------------------------------------------------===//

#include "passes.h"
#include "to_linalg.h"

#include "mlir-c/Dialect/Tensor.h"

static void inlineFusion(MloptLowering *l, MlirValue *results) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(l->op, 0));
  MlirOperation yield = mlirBlockGetTerminator(body);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(yield); i < n; ++i) {
    MlirValue value = mloptOperand(yield, i);
    results[i] = mlirValueIsABlockArgument(value)
                     ? l->operands[mlirBlockArgumentGetArgNumber(value)]
                     : value;
  }
  mlirRewriterBaseInlineBlockBefore(l->b.rewriter, body, l->op, l->numOperands,
                                    l->operands);
  mlirRewriterBaseEraseOp(l->b.rewriter, yield);
}

static void run(MlirOperation func, MloptPass pass) {
  static const MloptLoweringRow row = {&mloptOp_fusion, inlineFusion};
  const MloptLowerings lowerings = {.rows = &row, .numRows = 1};
  MlirConversionTarget target =
      mloptCreateLoweringTarget(mlirOperationGetContext(func));
  mlirConversionTargetAddIllegalOp(target, mloptStr(mloptOp_fusion.name));
  if (mloptFailed(mloptRunLowerings(func, target, &lowerings)))
    mloptPassSignalFailure(pass);
  mlirConversionTargetDestroy(target);
}

static MlirDialectHandle (*const dependent[])(void) = {
    mlirGetDialectHandle__tensor__, mlirGetDialectHandle__mlopt__, NULL};

const MloptPassDef mloptPass_inlineFusions MLOPT_TABLE = {
    .argument = "mlopt-inline-fusions",
    .summary = "Replace each mlopt.fusion by what is in it",
    .doc = "Undoes the grouping of mlopt-fuse, at level 3 or 4. What is "
           "computed does not change.",
    .anchor = "func.func",
    .dependent = dependent,
    .run = run,
};
