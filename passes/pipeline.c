//===- pipeline.c - The order of passes -----------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that happens to a program, in order, on one screen. What runs on
// the CPU is the reference, so nothing here folds, simplifies or fuses above
// level 4; canonicalize below it only tidies loops and buffers.
//
//===----------------------------------------------------------------------===//

#include "chips.h"
#include "passes.h"

#include <stdio.h>

/// Each stage's passes, with places for options; see mloptStageGetText.
// clang-format off
static const struct {
  const char *name, *text;
} stages[MLOPT_NUM_STAGES] = {
[MLOPT_STAGE_MLOPT] = {"mlopt",
  "convert-stablehlo-to-mlopt,func.func(mlopt-push-numerics),"
  // The inliner would canonicalize, and so fold, every function it visits.
  "inline{default-pipeline=},"
  "symbol-dce"},

[MLOPT_STAGE_FUSED] = {"fused",
  "func.func(mlopt-push-numerics),canonicalize,cse,func.func(mlopt-fuse{wgmma=%d},mlopt-check-promises)"},

[MLOPT_STAGE_LINALG] = {"linalg",
  // Again, for programs that start behind the first stage.
  "func.func(mlopt-push-numerics,convert-mlopt-to-linalg{accumulate=%s})"},

[MLOPT_STAGE_LOOPS] = {"loops",
  "inline{default-pipeline=},"
  "func.func(mlopt-inline-fusions,mlopt-expand-structured),"
  "convert-elementwise-to-linalg,"
  // Buffers.
  "mlopt-prepare-entries,"
  "one-shot-bufferize{bufferize-function-boundaries"
  " function-boundary-type-conversion=identity-layout-map"
  " unknown-type-conversion=identity-layout-map"
  " allow-return-allocs-from-loops buffer-alignment=64},"
  "canonicalize,cse,"
  // Every buffer freed where its last owner ends, in loops too.
  "ownership-based-buffer-deallocation,canonicalize,"
  "buffer-deallocation-simplification,bufferization-lower-deallocations,"
  "convert-bufferization-to-memref,"
  // The helper takes memrefs of dynamic size, which bare pointers cannot be.
  "inline{default-pipeline=},symbol-dce,"
  // Loops.
  "func.func(mlopt-lower-copies,convert-linalg-to-loops,lower-affine),"
  "mlopt-expand-math,func.func(mlopt-expand-small-floats),"
  "canonicalize,cse,func.func(optimize-allocation-liveness)"},

[MLOPT_STAGE_LLVM] = {"llvm",
  "expand-strided-metadata,lower-affine,convert-scf-to-cf,"
  // No arith-expand: its maximumf loses signed zeros.
  "convert-math-to-funcs,convert-math-to-llvm,"
  "finalize-memref-to-llvm{use-aligned-alloc},"
  "convert-func-to-llvm{use-bare-ptr-memref-call-conv},"
  "convert-arith-to-llvm,convert-index-to-llvm,convert-cf-to-llvm,"
  "convert-ub-to-llvm,reconcile-unrealized-casts,"
  "mlopt-erase-small-floats"},

[MLOPT_STAGE_PLAN] = {"plan",
  // The simple elementwise chain becomes one operation, and so one kernel.
  // It composes index maps into affine.apply, which kernels do not know.
  "linalg-generalize-named-ops,func.func(linalg-fuse-elementwise-ops),"
  "lower-affine,canonicalize,cse,"
  "func.func(mlopt-form-kernels,mlopt-split-reductions,mlopt-check-promises),"
  "mlopt-outline-kernels{wgmma=%d},mlopt-skip-masked,mlopt-plan-memory"},

[MLOPT_STAGE_KERNELS] = {"kernels",
  "mlopt-merge-kernels,"
  "gpu.module(mlopt-emit-kernels),mlopt-lower-kernels{early-launch=%d}"},

[MLOPT_STAGE_PTX] = {"ptx",
  "mlopt-serialize-to-ptx{chip=%s ptx=%d ptxas='%s'}"},
};
// clang-format on

const MloptStage mloptCpuStages[] = {MLOPT_STAGE_MLOPT, MLOPT_STAGE_LINALG,
                                     MLOPT_STAGE_LOOPS, MLOPT_STAGE_LLVM,
                                     MLOPT_NUM_STAGES};
const MloptStage mloptCudaStages[] = {MLOPT_STAGE_MLOPT,   MLOPT_STAGE_FUSED,
                                      MLOPT_STAGE_LINALG,  MLOPT_STAGE_PLAN,
                                      MLOPT_STAGE_KERNELS, MLOPT_STAGE_PTX,
                                      MLOPT_NUM_STAGES};

const char *mloptStageGetName(MloptStage stage) { return stages[stage].name; }

void mloptStageGetText(MloptStage stage, MloptStageOptions options,
                       char text[MLOPT_STAGE_TEXT_SIZE]) {
  const char *format = stages[stage].text;
  if (stage == MLOPT_STAGE_LINALG)
    snprintf(text, MLOPT_STAGE_TEXT_SIZE, format,
             options.accumulate ? options.accumulate : "");
  else if (stage == MLOPT_STAGE_PLAN || stage == MLOPT_STAGE_FUSED)
    snprintf(text, MLOPT_STAGE_TEXT_SIZE, format,
             !options.chip || !strcmp(options.chip, "sm_90a"));
  else if (stage == MLOPT_STAGE_KERNELS)
    snprintf(text, MLOPT_STAGE_TEXT_SIZE, format,
             mloptChipLaunchesEarly(options.chip ? options.chip : "sm_90a"));
  else if (stage == MLOPT_STAGE_PTX)
    snprintf(text, MLOPT_STAGE_TEXT_SIZE, format,
             options.chip ? options.chip : "sm_90a", options.ptx,
             options.ptxas ? options.ptxas : "");
  else
    snprintf(text, MLOPT_STAGE_TEXT_SIZE, "%s", format);
}

static void ignoreText(MlirStringRef text, void *userData) {
  (void)text;
  (void)userData;
}

MlirLogicalResult mloptStageRun(MlirModule module, MloptStage stage,
                                MloptStageOptions options) {
  char text[MLOPT_STAGE_TEXT_SIZE];
  mloptStageGetText(stage, options, text);
  MlirOperation op = mlirModuleGetOperation(module);
  MlirPassManager manager = mlirPassManagerCreate(mlirModuleGetContext(module));
  MlirLogicalResult result =
      mlirOpPassManagerAddPipeline(mlirPassManagerGetAsOpPassManager(manager),
                                   mloptStr(text), ignoreText, NULL);
  if (mloptFailed(result))
    mloptOpError(op, "pipeline '%s' is not available: passes not registered",
                 stages[stage].name);
  else
    result = mlirPassManagerRunOnOp(manager, op);
  mlirPassManagerDestroy(manager);
  return result;
}

//===----------------------------------------------------------------------===//
// Pipelines and registration
//===----------------------------------------------------------------------===//

static void appendStage(MloptPass pipeline, MloptStage stage,
                        MloptStageOptions options) {
  char text[MLOPT_STAGE_TEXT_SIZE];
  mloptStageGetText(stage, options, text);
  mloptPassAppend(pipeline, "%s", text);
}

/// The stages of a device after the first.
static void appendStages(MloptPass pipeline, const MloptStage *stages,
                         MloptStageOptions options) {
  for (int i = 1; stages[i] != MLOPT_NUM_STAGES; ++i) {
    if (i > 1)
      mloptPassAppend(pipeline, ",");
    appendStage(pipeline, stages[i], options);
  }
}

static void buildImport(MloptPass options) {
  appendStage(options, MLOPT_STAGE_MLOPT, (MloptStageOptions){0});
}

const MloptPipelineDef mloptPipeline_import MLOPT_TABLE = {
    .argument = "mlopt-import",
    .summary = "From StableHLO to the mlopt dialect",
    .doc = "Converts StableHLO and CHLO, inlines calls and drops what nothing "
           "uses. Programs that are in the mlopt dialect or in linalg already "
           "pass through.",
    .build = buildImport,
};

static const MloptOptionDef toCpuOptions[] = {
    {.name = "accumulate",
     .kind = MLOPT_OPTION_STRING,
     .help = "Accumulate float reductions, scans and contractions in this "
             "type (f64) in place of the one each operation says",
     .stringDefault = ""},
};

static void buildToCpu(MloptPass options) {
  char accumulate[16];
  MlirStringRef value = mloptPassGetString(options, 0);
  snprintf(accumulate, sizeof accumulate, "%.*s", (int)value.length,
           value.data);
  appendStages(options, mloptCpuStages,
               (MloptStageOptions){.accumulate = accumulate});
}

const MloptPipelineDef mloptPipeline_toCpu MLOPT_TABLE = {
    .argument = "mlopt-to-cpu",
    .summary = "From the mlopt dialect to the llvm dialect for the CPU",
    .doc = "Lowers to linalg on tensors, to loops over buffers and to the llvm "
           "dialect, rewriting nothing on the way: what it computes is the "
           "reference. Entry functions take bare pointers: the arguments' "
           "buffers, then the results'.",
    .options = toCpuOptions,
    .numOptions = MLOPT_COUNT(toCpuOptions),
    .build = buildToCpu,
};

static const MloptOptionDef toGpuOptions[] = {
    {.name = "chip",
     .kind = MLOPT_OPTION_STRING,
     .help = "GPU architecture to compile for",
     .stringDefault = "sm_90a"},
    {.name = "ptx",
     .kind = MLOPT_OPTION_INT,
     .help = "PTX ISA version, times ten; 0: 86, or the first that has the "
             "chip"},
};

static void buildToGpu(MloptPass options) {
  char chip[16];
  MlirStringRef value = mloptPassGetString(options, 0);
  snprintf(chip, sizeof chip, "%.*s", (int)value.length, value.data);
  appendStages(options, mloptCudaStages,
               (MloptStageOptions){.chip = chip,
                                   .ptx = (int)mloptPassGetInt(options, 1)});
}

const MloptPipelineDef mloptPipeline_toGpu MLOPT_TABLE = {
    .argument = "mlopt-to-gpu",
    .summary = "From the mlopt dialect to PTX and launch plans",
    .doc = "Lowers to linalg on tensors, cuts each function into kernels, "
           "plans its memory and compiles the kernels to PTX.",
    .options = toGpuOptions,
    .numOptions = MLOPT_COUNT(toGpuOptions),
    .build = buildToGpu,
};

void mloptRegisterPasses(void) {
#define MLOPT_PASS(name) mloptRegisterPass(&mloptPass_##name);
#define MLOPT_PIPELINE(name) mloptRegisterPipeline(&mloptPipeline_##name);
#include "passes.def"
}
