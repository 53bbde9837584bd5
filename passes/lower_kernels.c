//===- lower_kernels.c - Kernels to the llvm and nvvm dialects
//-------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `mlopt-lower-kernels` runs upstream's conversions inside every gpu.module and
// leaves the host alone. The one choice it makes: `index` is 32 bits wide where
// every tensor is small enough, since 64-bit address arithmetic costs a GPU
// several instructions each.
//
//===----------------------------------------------------------------------===//

#include "passes.h"

/// Positions plus a stride of the whole grid stay below 2^31.
static const int64_t most32 = INT64_C(1) << 30;

#define PIPELINE(width)                                                        \
  "builtin.module(gpu.module(mlopt-expand-small-floats{native-bf16}),"         \
  "mlopt-expand-math,gpu.module(canonicalize,cse,"                             \
  "convert-scf-to-cf,convert-math-to-llvm,"                                    \
  "convert-arith-to-llvm{index-bitwidth=" width "},convert-ub-to-llvm),"       \
  "convert-cf-to-llvm{index-bitwidth=" width "},"                              \
  "gpu.module(convert-nvvm-to-llvm,reconcile-unrealized-casts,canonicalize))"
enum { NARROW, WIDE };
static const char *const pipelines[] = {
    [NARROW] = PIPELINE("32"), [WIDE] = PIPELINE("64"), NULL};

static MlirWalkResult findLarge(MlirOperation op, void *isLarge) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    MlirType type = mlirValueGetType(mlirOperationGetOperand(op, i));
    if (mlirTypeIsAShaped(type) && mlirShapedTypeHasRank(type) &&
        mlirShapedTypeHasStaticShape(type) && mloptNumElements(type) > most32)
      *(bool *)isLarge = true;
  }
  return *(bool *)isLarge ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static void run(MlirOperation module, MloptPass pass) {
  bool isLarge = false;
  mlirOperationWalk(module, findLarge, &isLarge, MlirWalkPreOrder);
  if (mloptFailed(mloptPassRunPipeline(pass, pipelines[isLarge ? WIDE : NARROW],
                                       module)))
    mloptPassSignalFailure(pass);
}

const MloptPassDef mloptPass_lowerKernels MLOPT_TABLE = {
    .argument = "mlopt-lower-kernels",
    .summary = "Convert the code in kernels to the llvm and nvvm dialects",
    .doc =
        "Runs upstream's conversions of scf, arith, math and cf inside every "
        "gpu.module. `index` becomes i32 when no buffer of the module has "
        "more than 2^30 elements, i64 otherwise.",
    .anchor = "builtin.module",
    .pipelines = pipelines,
    .run = run,
};
