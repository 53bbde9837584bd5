//===- mlopt-compile.c - Print what a program becomes ---------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a program of any level up to linalg through the stages of compilation
// and writes it as it is after one of them.
//
//===----------------------------------------------------------------------===//

#include "options.h"
#include "passes.h"
#include "session.h"

typedef enum Emit { EMIT_MLOPT, EMIT_LINALG, EMIT_LLVM } Emit;
typedef enum Device { DEVICE_CUDA, DEVICE_CPU } Device;

/// The last stage that each value of --emit runs.
static const MloptStage lastStage[] = {
    [EMIT_MLOPT] = MLOPT_STAGE_MLOPT,
    [EMIT_LINALG] = MLOPT_STAGE_LINALG,
    [EMIT_LLVM] = MLOPT_STAGE_LLVM,
};

typedef struct Options {
  const char *program;
  int emit;
  int device;
  const char *output;
} Options;

static int compileProgram(void *userData, MloptError *error) {
  const Options *options = userData;
  if (options->emit == EMIT_LLVM && options->device == DEVICE_CUDA) {
    mloptSetError(error, "--emit=llvm shows GPU kernels, which this version "
                         "does not make; add --device=cpu for the CPU's code");
    return MLOPT_EXIT_ERROR;
  }
  MloptSession session;
  if (!mloptSessionRead(options->program, &session))
    return MLOPT_EXIT_ERROR;
  bool good = true;
  for (int s = MLOPT_STAGE_MLOPT; good && s <= (int)lastStage[options->emit];
       ++s)
    good = !mloptFailed(mloptStageRun(session.module, (MloptStage)s,
                                      (MloptStageOptions){NULL}));
  if (!good)
    mloptSessionExplain(&session, error);
  good = good && mloptSessionWrite(&session, options->output, error);
  mloptSessionDestroy(&session);
  return good ? MLOPT_EXIT_RIGHT : MLOPT_EXIT_ERROR;
}

int main(int argc, char **argv) {
  Options options = {.emit = EMIT_MLOPT, .device = DEVICE_CUDA};
  const MloptFlag flags[] = {
      {"--emit", MLOPT_FLAG_CHOICE, "mlopt|linalg|llvm",
       "The level to write: the mlopt dialect on tensors (the default), linalg "
       "on tensors, or the llvm dialect.",
       &options.emit},
      {"--device", MLOPT_FLAG_CHOICE, "cuda|cpu",
       "What the llvm level is for; the levels above are the same for both.",
       &options.device},
      {"-o", MLOPT_FLAG_STRING, "FILE",
       "Write to this file instead of standard output.", &options.output},
  };
  const MloptCommand command = {
      .tool = "mlopt-compile",
      .operand = "PROGRAM.mlir",
      .summary = "Compiles a tensor program (StableHLO, the mlopt dialect, "
                 "linalg on tensors; text or bytecode; - for standard input) "
                 "down to a level and writes it as text.",
      .flags = flags,
      .numFlags = MLOPT_COUNT(flags),
      .notes = "Exit code: 0, or 2 after an error.\n\n"
               "  mlopt-compile softmax.mlir\n"
               "  mlopt-compile --emit=linalg softmax.mlir -o linalg.mlir\n"
               "  mlopt-compile --emit=llvm --device=cpu softmax.mlir\n",
  };
  return mloptToolMain(&command, argc, argv, &options.program, compileProgram,
                       &options);
}
