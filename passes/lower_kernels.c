//===- lower_kernels.c - Kernels to the llvm and nvvm dialects ------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `mlopt-lower-kernels` runs upstream's conversions inside every gpu.module and
// leaves the host alone. `index` is 32 bits wide where every tensor is small
// enough, since 64-bit address arithmetic costs a GPU several instructions
// each.
//
// With the option `early-launch`, a kernel may be started while the one before
// it still runs (programmatic dependent launch). Its threads first let the
// kernel after it start, then wait until the kernels before it have ended and
// their writes are seen:
//
//   llvm.func @k(...) attributes {gpu.kernel, nvvm.kernel} {
//     nvvm.griddepcontrol launch_dependents
//     nvvm.griddepcontrol wait
//
// A kernel that waits by itself, where it is set up, is given the first of the
// two alone. Since every kernel waits, what it follows indirectly has ended
// too. What runs before the wait may touch no global memory but inputs of the
// program (MLOPT_KERNEL_INPUTS). The launches say with `mlopt.waits` that it is
// safe, which it is not for a kernel that claims by ld.global.nc that what it
// reads does not change while it runs. Which of them do start early is decided
// in artifact_steps.c. On an H200 a chain of 64 small kernels takes 0.71 us a
// kernel in this order, 0.80 if they wait first, 1.00 without.
//
//===----------------------------------------------------------------------===//

#include "build.h"
#include "passes.h"

#include "mlir-c/Dialect/NVVM.h"

#include <stdio.h>

enum { OPTION_EARLY_LAUNCH };

/// Positions plus a stride of the whole grid stay below 2^31.
static const int64_t most32 = INT64_C(1) << 30;

// Functions come between two packings: the first finds what they are computed
// from in pairs, the second their results.
#define PIPELINE(width)                                                        \
  "builtin.module(gpu.module(mlopt-pack-pairs),mlopt-expand-math{nvptx},"      \
  "gpu.module(mlopt-pack-pairs,mlopt-join-rare,"                               \
  "mlopt-expand-small-floats{native},"                                         \
  "canonicalize,cse,convert-scf-to-cf,convert-math-to-llvm,"                   \
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

//===----------------------------------------------------------------------===//
// Early launch
//===----------------------------------------------------------------------===//

static void buildGridControl(MloptBuilder *b, const char *kind) {
  char text[64];
  snprintf(text, sizeof text, "#nvvm<grid_dep_action %s>", kind);
  MlirNamedAttribute attr = mloptNamedAttr(
      b->context, "kind", mlirAttributeParseGet(b->context, mloptStr(text)));
  mloptBuildOp(b, (MloptOpSpec){.name = "nvvm.griddepcontrol",
                                .numAttrs = 1,
                                .attrs = &attr});
}

static MlirWalkResult findWait(MlirOperation op, void *waits) {
  *(bool *)waits |= mloptIsNamed(op, "nvvm.griddepcontrol");
  return MlirWalkResultAdvance;
}

static MlirWalkResult findUnchanging(MlirOperation op, void *found) {
  static const char load[] = "ld.global.nc";
  if (!mloptIsNamed(op, "llvm.inline_asm"))
    return MlirWalkResultAdvance;
  MlirStringRef text = mlirStringAttrGetValue(mloptAttr(op, "asm_string"));
  for (size_t i = 0; i + sizeof load - 1 <= text.length; ++i)
    *(bool *)found |= !memcmp(text.data + i, load, sizeof load - 1);
  return *(bool *)found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

typedef struct EarlyLaunch {
  MlirSymbolTable symbols; ///< of the host's module
  bool failed;
} EarlyLaunch;

static void markLaunch(EarlyLaunch *early, MlirOperation launch) {
  MlirOperation module = mlirSymbolTableLookup(
      early->symbols,
      mlirSymbolRefAttrGetRootReference(mloptAttr(launch, "kernel")));
  bool unchanging = mlirOperationIsNull(module);
  if (!unchanging)
    mlirOperationWalk(module, findUnchanging, &unchanging, MlirWalkPreOrder);
  if (!unchanging)
    mlirOperationSetAttributeByName(
        launch, mloptStr("mlopt.waits"),
        mlirUnitAttrGet(mlirOperationGetContext(launch)));
}

static MlirWalkResult waitFirst(MlirOperation op, void *userData) {
  EarlyLaunch *early = userData;
  if (mloptIsNamed(op, "gpu.launch_func"))
    markLaunch(early, op);
  if (!mloptIsNamed(op, "llvm.func") ||
      mlirAttributeIsNull(mloptAttr(op, "nvvm.kernel")))
    return MlirWalkResultAdvance;
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  MloptBuilder b = mloptBuilderBefore(mlirBlockGetFirstOperation(entry),
                                      mlirOperationGetLocation(op));
  bool waits = false;
  mlirOperationWalk(op, findWait, &waits, MlirWalkPreOrder);
  buildGridControl(&b, "launch_dependents");
  if (!waits)
    buildGridControl(&b, "wait");
  early->failed |= b.failed;
  return MlirWalkResultSkip;
}

static void run(MlirOperation module, MloptPass pass) {
  bool isLarge = false;
  mlirOperationWalk(module, findLarge, &isLarge, MlirWalkPreOrder);
  if (mloptFailed(mloptPassRunPipeline(pass, pipelines[isLarge ? WIDE : NARROW],
                                       module))) {
    mloptPassSignalFailure(pass);
    return;
  }
  if (!mloptPassGetBool(pass, OPTION_EARLY_LAUNCH))
    return;
  EarlyLaunch early = {mlirSymbolTableCreate(module), false};
  mlirOperationWalk(module, waitFirst, &early, MlirWalkPreOrder);
  mlirSymbolTableDestroy(early.symbols);
  if (early.failed)
    mloptPassSignalFailure(pass);
}

static MlirDialectHandle (*const dependent[])(void) = {
    mlirGetDialectHandle__nvvm__, NULL};

static const MloptOptionDef options[] = {
    [OPTION_EARLY_LAUNCH] = {.name = "early-launch",
                             .kind = MLOPT_OPTION_BOOL,
                             .help = "Let a kernel start before the one that "
                                     "it follows has ended, and wait for it, "
                                     "which takes sm_90 or later"},
};

const MloptPassDef mloptPass_lowerKernels MLOPT_TABLE = {
    .argument = "mlopt-lower-kernels",
    .summary = "Convert the code in kernels to the llvm and nvvm dialects",
    .doc =
        "Runs upstream's conversions of scf, arith, math and cf inside every "
        "gpu.module. `index` becomes i32 when no buffer of the module has "
        "more than 2^30 elements, i64 otherwise.",
    .anchor = "builtin.module",
    .dependent = dependent,
    .options = options,
    .numOptions = MLOPT_COUNT(options),
    .pipelines = pipelines,
    .run = run,
};
