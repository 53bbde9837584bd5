//===- mlopt-compile.c - Make an artifact, or print a level ---------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a program of any level up to linalg through the stages of compilation
// and writes it as it is after one of them, or as the artifact that the runtime
// loads.
//
//===----------------------------------------------------------------------===//

#include "chips.h"
#include "gpu.h"
#include "options.h"

#include "mlir-c/Dialect/GPU.h"

#include <stdlib.h>

typedef enum Emit {
  EMIT_MLOPT,
  EMIT_FUSED,
  EMIT_LINALG,
  EMIT_PLAN,
  EMIT_LLVM,
  EMIT_PTX,
  EMIT_ARTIFACT,
  EMIT_BY_NAME ///< an artifact if the output ends in .mlopt, else level mlopt
} Emit;
typedef enum Device { DEVICE_CUDA, DEVICE_CPU } Device;

typedef struct Options {
  const char *program;
  int emit;
  int device;
  const char *output;
  const char *chip;
  uint64_t ptx;
  const char *ptxas; ///< NULL: none; "": to be found
  bool explain;
  const char *dump; ///< a folder, or NULL
} Options;

/// The last stage of each value of --emit, for both devices; MLOPT_NUM_STAGES
/// where the device has none.
static const MloptStage lastStages[][2] = {
    [EMIT_MLOPT] = {MLOPT_STAGE_MLOPT, MLOPT_STAGE_MLOPT},
    [EMIT_FUSED] = {MLOPT_STAGE_FUSED, MLOPT_NUM_STAGES},
    [EMIT_LINALG] = {MLOPT_STAGE_LINALG, MLOPT_STAGE_LINALG},
    [EMIT_PLAN] = {MLOPT_STAGE_PLAN, MLOPT_NUM_STAGES},
    [EMIT_LLVM] = {MLOPT_STAGE_KERNELS, MLOPT_STAGE_LLVM},
    [EMIT_PTX] = {MLOPT_STAGE_PTX, MLOPT_NUM_STAGES},
    [EMIT_ARTIFACT] = {MLOPT_STAGE_PTX, MLOPT_NUM_STAGES},
};

static bool endsIn(const char *text, const char *end) {
  size_t length = strlen(text), tail = strlen(end);
  return length > tail && !strcmp(text + length - tail, end);
}

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

static bool checkOptions(Options *options, MloptError *error) {
  bool toArtifact = options->output && endsIn(options->output, ".mlopt");
  if (options->emit == EMIT_BY_NAME)
    options->emit = toArtifact ? EMIT_ARTIFACT : EMIT_MLOPT;
  if (lastStages[options->emit][options->device] == MLOPT_NUM_STAGES)
    return mloptSetError(error, "--emit=fused, plan, ptx and artifact are "
                                "for the GPU, not for --device=cpu");
  if (options->emit == EMIT_ARTIFACT && !options->output)
    return mloptSetError(error, "an artifact goes to a file: add -o FILE, or "
                                "-o - for standard output");
  char chips[256];
  mloptListChips(chips, sizeof chips);
  const MloptChip *chip = mloptFindChip(options->chip);
  if (!chip)
    return mloptSetError(error, "option '--chip' wants one of %s, not '%s'",
                         chips, options->chip);
  if (options->ptx && !mloptIsPtxVersion((int)options->ptx))
    return mloptSetError(error,
                         "option '--ptx' wants a version that LLVM writes, "
                         "such as 80 or 86, not '%d'",
                         (int)options->ptx);
  if (options->ptx && (int)options->ptx < chip->leastPtx)
    return mloptSetError(error, "--ptx=%d is too old for %s, which wants %d",
                         (int)options->ptx, chip->name, chip->leastPtx);
  if (options->ptxas && strpbrk(options->ptxas, "'\""))
    return mloptSetError(error, "option '--ptxas' wants a path without quotes");
  return true;
}

static MloptStageOptions stageOptions(const Options *options) {
  const char *ptxas = options->ptxas;
  return (MloptStageOptions){.chip = options->chip,
                             .ptx = (int)options->ptx,
                             .ptxas = ptxas && !*ptxas ? "search" : ptxas};
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

typedef struct Artifact {
  uint8_t *data;
  size_t size;
} Artifact;

static void writeBytes(FILE *file, void *userData) {
  const Artifact *artifact = userData;
  fwrite(artifact->data, 1, artifact->size, file);
}

/// The text of every kernel, one after the other.
static void writePtx(FILE *file, void *userData) {
  const MloptSession *session = userData;
  for (MlirOperation op =
           mlirBlockGetFirstOperation(mlirModuleGetBody(session->module));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!mloptIsNamed(op, "gpu.binary"))
      continue;
    MlirStringRef text = mlirGPUObjectAttrGetObject(
        mlirArrayAttrGetElement(mloptAttr(op, "objects"), 0));
    fwrite(text.data, 1, text.length, file);
  }
}

/// From the first stage's result to the file.
static bool writeArtifact(const Options *options, const MloptStaging *staging,
                          MloptSession *session, MloptError *error) {
  Artifact artifact = {NULL, 0};
  double start = mloptNow();
  size_t size;
  char *source = mloptSessionGetBytecode(session, &size);
  mloptAddTime(staging->times, "source", start);
  bool good = source || mloptSetError(error, "no memory for the program");
  good = good && mloptGpuCompile(staging, session, options->program,
                                 mlirStringRefCreate(source, size),
                                 &artifact.data, &artifact.size, error);
  start = mloptNow();
  good = good && mloptWriteFile(options->output, writeBytes, &artifact, error);
  mloptAddTime(staging->times, "write", start);
  free(artifact.data);
  free(source);
  return good;
}

static bool compileSession(const Options *options, const MloptStaging *staging,
                           MloptSession *session, MloptError *error) {
  const MloptStage *stages =
      options->device == DEVICE_CPU ? mloptCpuStages : mloptCudaStages;
  bool toArtifact = options->emit == EMIT_ARTIFACT;
  MloptStage last = lastStages[options->emit][options->device];
  if (!mloptBeginStaging(staging, session, error) ||
      !mloptRunStages(staging, session, stages, MLOPT_STAGE_MLOPT,
                      toArtifact ? MLOPT_STAGE_MLOPT : last, error))
    return false;
  if (toArtifact)
    return writeArtifact(options, staging, session, error);
  return options->emit == EMIT_PTX
             ? mloptWriteFile(options->output, writePtx, session, error)
             : mloptSessionWrite(session, options->output, error);
}

static int compileProgram(void *userData, MloptError *error) {
  Options *options = userData;
  MloptMachine machine = {.noGpu = true};
  MloptTimes times = {0};
  MloptSession session;
  double start = mloptNow();
  if (!checkOptions(options, error) ||
      !mloptSessionRead(&machine.registry, options->program, &session))
    return MLOPT_EXIT_ERROR;
  mloptAddTime(&times, "parse", start);
  MloptStaging staging = {.options = stageOptions(options),
                          .times = &times,
                          .ledger = options->explain ? stderr : NULL,
                          .dump = options->dump};
  bool good = compileSession(options, &staging, &session, error);
  if (!good)
    mloptSessionExplain(&session, error);
  mloptSessionDestroy(&session);
  mloptMachineDestroy(&machine);
  if (good && options->explain)
    mloptPrintTimes(stderr, &times);
  return good ? MLOPT_EXIT_RIGHT : MLOPT_EXIT_ERROR;
}

static const char notes[] =
    "Exit code: 0, or 2 after an error.\n\n"
    "  mlopt-compile softmax.mlir -o softmax.mlopt\n"
    "  mlopt-compile softmax.mlir -o softmax.mlopt --ptxas --explain\n"
    "  mlopt-compile --emit=ptx --chip=sm_89 softmax.mlir\n"
    "  mlopt-compile --emit=llvm --device=cpu softmax.mlir\n";

static const MloptFlag flags[] = {
    {"-o", MLOPT_FLAG_STRING, "FILE",
     "Write to this file instead of standard output; an artifact if it ends "
     "in .mlopt.",
     offsetof(Options, output)},
    {"--emit", MLOPT_FLAG_CHOICE, "mlopt|fused|linalg|plan|llvm|ptx|artifact",
     "What to write: the mlopt dialect on tensors (the default without a "
     ".mlopt to write), the same with what becomes one kernel put together, "
     "linalg on tensors, the launch plan with tensor programs in its "
     "kernels, the llvm dialect, the kernels' PTX, or the artifact.",
     offsetof(Options, emit)},
    {"--device", MLOPT_FLAG_CHOICE, "cuda|cpu",
     "What the levels below mlopt are for.", offsetof(Options, device)},
    {"--chip", MLOPT_FLAG_STRING, "CHIP",
     "The GPU architecture: sm_90a, the default, or sm_80, sm_89, sm_100, "
     "...",
     offsetof(Options, chip)},
    {"--ptx", MLOPT_FLAG_COUNT, "N",
     "The PTX ISA version, times ten: 86 if not given, or what the chip "
     "wants. An older one runs on older drivers.",
     offsetof(Options, ptx)},
    {"--ptxas", MLOPT_FLAG_OPTIONAL, "PATH",
     "Also assemble the kernels with NVIDIA's ptxas, found in $PATH or in "
     "CUDA's folders if no path is given. The artifact then holds cubins "
     "and loads faster.",
     offsetof(Options, ptxas)},
    {"--explain", MLOPT_FLAG_SWITCH, NULL,
     "Print on standard error what became one kernel, and for every value "
     "that passes between kernels why and how many bytes that costs; then "
     "how long each step took.",
     offsetof(Options, explain)},
    {"--dump", MLOPT_FLAG_STRING, "DIR",
     "Write the program as read and after each stage to DIR/NN-STAGE.mlir, "
     "and a picture of the kernels and what passes between them to "
     "DIR/fused.dot.",
     offsetof(Options, dump)},
};

int main(int argc, char **argv) {
  Options options = {
      .emit = EMIT_BY_NAME, .device = DEVICE_CUDA, .chip = "sm_90a"};
  const MloptCommand command = {
      .tool = "mlopt-compile",
      .operand = "PROGRAM.mlir",
      .summary = "Compiles a tensor program (StableHLO, the mlopt dialect, "
                 "linalg on tensors; text or bytecode; - for standard input) "
                 "to an artifact that the runtime and mlopt-run load, or down "
                 "to a level that it writes as text.",
      .flags = flags,
      .numFlags = MLOPT_COUNT(flags),
      .notes = notes,
      .options = &options,
  };
  return mloptToolMain(&command, argc, argv, &options.program, compileProgram,
                       &options);
}
