//===- run.c - Compile a program for the CPU and call it ------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "run.h"

#include "mlir-c/RegisterEverything.h"

#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

/// Writes "DIR/NN-name.mlir"; nothing without a folder.
static bool dumpStage(MloptSession *session, const char *dump, int number,
                      const char *name, MloptError *error) {
  if (!dump)
    return true;
  char path[4096];
  snprintf(path, sizeof path, "%s/%02d-%s.mlir", dump, number, name);
  return mloptSessionWrite(session, path, error);
}

static bool runStage(MloptSession *session, MloptStage stage,
                     MloptStageOptions options, const char *dump,
                     MloptError *error) {
  if (mloptFailed(mloptStageRun(session->module, stage, options)))
    return false;
  return dumpStage(session, dump, stage + 1, mloptStageGetName(stage), error);
}

/// The stages after the first, and machine code.
static MloptJit *compile(MloptSession *session, const char *accumulate,
                         const char *dump, MloptError *error) {
  MloptStageOptions options = {.accumulate = accumulate};
  for (int stage = MLOPT_STAGE_LINALG; stage <= MLOPT_STAGE_LLVM; ++stage)
    if (!runStage(session, (MloptStage)stage, options, dump, error))
      return NULL;
  return mloptJitCreate(session->module, error);
}

static MloptJit *compileOracle(MloptSession *session, MloptError *error) {
  MloptSession copy = *session;
  copy.module = mlirModuleFromOperation(
      mlirOperationClone(mlirModuleGetOperation(session->module)));
  MloptJit *oracle = compile(&copy, "f64", NULL, error);
  mlirModuleDestroy(copy.module);
  return oracle;
}

bool mloptRunnerCreate(MloptSession *session, const char *entry,
                       bool withOracle, const char *dump, MloptRunner *runner,
                       MloptError *error) {
  *runner = (MloptRunner){0};
  mlirRegisterAllLLVMTranslations(session->context);
  MloptStageOptions none = {NULL};
  if (!mloptEntryExpose(session, entry))
    return false;
  if (dump && (!mloptMakeDirectory(dump, error) ||
               !dumpStage(session, dump, 0, "input", error)))
    return false;
  double start = now();
  if (!runStage(session, MLOPT_STAGE_MLOPT, none, dump, error) ||
      !mloptEntryRead(session, entry, &runner->entry))
    return false;
  double imported = now();
  if (withOracle && !(runner->oracle = compileOracle(session, error))) {
    mloptRunnerDestroy(runner);
    return false;
  }
  double resumed = now();
  runner->jit = compile(session, NULL, dump, error);
  runner->compileSeconds = now() - resumed + (imported - start);
  if (runner->jit)
    return true;
  mloptRunnerDestroy(runner);
  return false;
}

void mloptRunnerDestroy(MloptRunner *runner) {
  mloptJitDestroy(runner->jit);
  mloptJitDestroy(runner->oracle);
  mloptEntryDestroy(&runner->entry);
  *runner = (MloptRunner){0};
}

//===----------------------------------------------------------------------===//
// Calling
//===----------------------------------------------------------------------===//

/// Allocates the outputs and calls the function with all buffers.
static bool call(const MloptJit *jit, const MloptEntry *entry,
                 const MloptTensor *inputs, MloptTensor *outputs,
                 double *seconds, MloptError *error) {
  int numBuffers = entry->numInputs + entry->numOutputs;
  void **buffers = malloc(((size_t)numBuffers + 1) * sizeof *buffers);
  if (!buffers)
    return mloptSetError(error, "no memory for a call");
  bool good = true;
  for (int i = 0; i < entry->numInputs; ++i)
    buffers[i] = inputs[i].data;
  for (int i = 0; good && i < entry->numOutputs; ++i) {
    good = mloptTensorAllocate(&outputs[i], error);
    buffers[entry->numInputs + i] = outputs[i].data;
  }
  double start = now();
  good = good && mloptJitCall(jit, entry->name, numBuffers, buffers, error);
  *seconds = now() - start;
  free(buffers);
  return good;
}

bool mloptRunSources(const MloptRunner *runner, MloptTensor *inputs,
                     MloptError *error) {
  const MloptEntry *entry = &runner->entry;
  MloptTensor *at = inputs + entry->numInputs;
  for (int s = entry->numSources; s-- > 0;) {
    double seconds;
    at -= entry->sources[s].numOutputs;
    if (!call(runner->jit, &entry->sources[s], NULL, at, &seconds, error))
      return false;
  }
  return true;
}

bool mloptRunEntry(const MloptRunner *runner, const MloptJit *jit,
                   const MloptTensor *inputs, MloptTensor *outputs,
                   double *seconds, MloptError *error) {
  return call(jit, &runner->entry, inputs, outputs, seconds, error);
}

MloptTensor *mloptTensorsCreate(int count, const MloptTensor *types) {
  MloptTensor *tensors = calloc((size_t)count + 1, sizeof *tensors);
  if (tensors && count)
    memcpy(tensors, types, (size_t)count * sizeof *tensors);
  return tensors;
}

void mloptTensorsDestroy(int count, MloptTensor *tensors) {
  for (int i = 0; tensors && i < count; ++i)
    mloptTensorRelease(&tensors[i]);
  free(tensors);
}
