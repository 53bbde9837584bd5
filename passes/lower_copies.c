//===- lower_copies.c - Strided copies as loops ---------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `mlopt-lower-copies`, after bufferization, turns copies between buffers with
// strides into linalg, so that they become loops and not calls into a runtime
// library.
//
//   memref.copy %a, %b : memref<2xf32> to memref<2xf32, strided<[4]>>
// becomes
//   linalg.copy ins(%a : memref<2xf32>) outs(%b : memref<2xf32, strided<[4]>>)
//
//===----------------------------------------------------------------------===//

#include "build.h"
#include "passes.h"

#include "mlir-c/Dialect/Linalg.h"

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

static void run(MlirOperation func, MloptPass pass) {
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

static MlirDialectHandle (*const dependent[])(void) = {
    mlirGetDialectHandle__linalg__, NULL};

const MloptPassDef mloptPass_lowerCopies MLOPT_TABLE = {
    .argument = "mlopt-lower-copies",
    .summary = "Turn copies between strided buffers into linalg.copy",
    .doc = "A memref.copy whose source or target has a layout other than the "
           "identity would be lowered to a call into MLIR's runner library; as "
           "linalg.copy it becomes loops.",
    .anchor = "func.func",
    .dependent = dependent,
    .run = run,
};
