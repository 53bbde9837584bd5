//===- run.c - A program that can be called -------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "run.h"

#include "chips.h"
#include "flops.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

static MloptJit *compileForCpu(const MloptStaging *staging,
                               MloptSession *session, MloptError *error) {
  if (!mloptRunStages(staging, session, mloptCpuStages, MLOPT_STAGE_LINALG,
                      MLOPT_STAGE_LLVM, error))
    return NULL;
  double start = mloptNow();
  MloptJit *jit = mloptJitCreate(session->module, error);
  mloptAddTime(staging->times, "jit", start);
  return jit;
}

static MloptJit *compileOracle(MloptSession *session, MloptError *error) {
  MloptTimes ignored = {0};
  MloptStaging staging = {.options = {.accumulate = "f64"}, .times = &ignored};
  MloptSession copy = *session;
  copy.module = mlirModuleFromOperation(
      mlirOperationClone(mlirModuleGetOperation(session->module)));
  MloptJit *oracle = compileForCpu(&staging, &copy, error);
  mlirModuleDestroy(copy.module);
  return oracle;
}

static bool load(MloptRunner *runner, MloptError *error) {
  double start = mloptNow();
  runner->gpu = mloptGpuLoad(runner->device, runner->artifact, error);
  mloptAddTime(&runner->times, "load", start);
  return runner->gpu != NULL;
}

/// An artifact in memory of what the session holds.
static bool compileForGpu(const MloptRunnerOptions *options,
                          MloptStaging *staging, MloptSession *session,
                          MloptRunner *runner, MloptError *error) {
  const char *chip =
      runner->device ? mloptGetDeviceChip(runner->device) : "sm_90";
  const MloptChip *target = mloptChipForDevice(chip);
  if (!target)
    return mloptSetError(error, "kernels cannot be compiled for %s", chip);
  staging->options.chip = target->name;
  size_t size;
  return mloptGpuCompile(staging, session, options->program,
                         (MlirStringRef){NULL, 0}, &runner->data, &size,
                         error) &&
         mloptTakeStatus(mloptReadArtifactFromMemory(runner->data, size, NULL,
                                                     &runner->artifact),
                         NULL, error);
}

/// The first stage, which finds out what the entry is; then what is asked for.
static bool compileSession(const MloptRunnerOptions *options,
                           MloptSession *session, MloptRunner *runner,
                           bool onlyShow, MloptError *error) {
  MloptStaging staging = {.dump = options->dump,
                          .times = &runner->times,
                          .ledger = options->explain ? stderr : NULL};
  if (!mloptEntryExpose(session, options->entry))
    return false;
  uint64_t isUnsigned = mloptEntryFindUnsigned(session, options->entry);
  if (!mloptBeginStaging(&staging, session, error) ||
      !mloptRunStages(&staging, session, mloptCpuStages, MLOPT_STAGE_MLOPT,
                      MLOPT_STAGE_MLOPT, error) ||
      !mloptEntryRead(session, options->entry, &runner->entry))
    return false;
  for (int i = 0; i < 64 && i < runner->entry.numOutputs; ++i)
    runner->entry.outputs[i].isUnsigned = isUnsigned >> i & 1;
  if (options->withFlops)
    runner->flops = mloptCountFlops(session->module, options->entry);
  if (onlyShow)
    return compileForGpu(options, &staging, session, runner, error);
  if (options->withOracle && !(runner->oracle = compileOracle(session, error)))
    return false;
  if (runner->device)
    return compileForGpu(options, &staging, session, runner, error) &&
           load(runner, error);
  runner->jit = compileForCpu(&staging, session, error);
  return runner->jit != NULL;
}

/// Compiles what the session holds and ends the session.
static bool useSession(const MloptRunnerOptions *options, MloptSession *session,
                       MloptRunner *runner, bool onlyShow, MloptError *error) {
  bool good = compileSession(options, session, runner, onlyShow, error);
  if (!good)
    mloptSessionExplain(session, error);
  mloptSessionDestroy(session);
  return good;
}

//===----------------------------------------------------------------------===//
// Artifacts
//===----------------------------------------------------------------------===//

bool mloptIsArtifact(const char *path) {
  static const char magic[] = {'M', 'L', 'O', 'P', 'T', '\r', '\n', '\x1a'};
  const char *dot = strrchr(path, '.');
  if (dot && !strcmp(dot, ".mlopt"))
    return true;
  char start[sizeof magic];
  FILE *file = strcmp(path, "-") ? fopen(path, "rb") : NULL;
  bool same = file && fread(start, sizeof start, 1, file) == 1 &&
              !memcmp(start, magic, sizeof magic);
  if (file)
    fclose(file);
  return same;
}

/// The program that an artifact holds.
static bool readSource(const MloptArtifact *artifact, MloptMachine *machine,
                       MloptSession *session, MloptError *error) {
  size_t size;
  const void *source = mloptGetSource(artifact, &size);
  if (!source)
    return mloptSetError(error, "the artifact does not hold its program, which "
                                "the CPU would need");
  return mloptSessionReadMemory(&machine->registry,
                                mlirStringRefCreate(source, size), session);
}

static bool readArtifact(const MloptRunnerOptions *options, MloptRunner *runner,
                         MloptError *error) {
  double start = mloptNow();
  bool good = mloptTakeStatus(
      mloptReadArtifact(options->program, &runner->artifact), NULL, error);
  mloptAddTime(&runner->times, "read", start);
  return good;
}

/// What is found out from the program beside its artifact.
static bool useSource(const MloptRunnerOptions *options, MloptRunner *runner,
                      MloptSession *session, MloptError *error) {
  if (options->withOracle && !(runner->oracle = compileOracle(session, error)))
    return false;
  if (!options->withFlops)
    return true;
  MloptTimes ignored = {0};
  MloptStaging staging = {.times = &ignored};
  if (!mloptRunStages(&staging, session, mloptCpuStages, MLOPT_STAGE_MLOPT,
                      MLOPT_STAGE_MLOPT, error))
    return false;
  runner->flops = mloptCountFlops(session->module, options->entry);
  return true;
}

static bool useArtifact(const MloptRunnerOptions *options,
                        MloptMachine *machine, MloptRunner *runner,
                        MloptError *error) {
  MloptSession session;
  if (!readArtifact(options, runner, error))
    return false;
  if (!runner->device)
    return readSource(runner->artifact, machine, &session, error) &&
           useSession(options, &session, runner, false, error);
  if (options->dump)
    return mloptSetError(error, "--dump: %s has been through all stages",
                         options->program);
  if (!mloptEntryFromArtifact(runner->artifact, options->entry, &runner->entry,
                              error) ||
      !load(runner, error))
    return false;
  if (!options->withOracle && !options->withFlops)
    return true;
  if (!readSource(runner->artifact, machine, &session, error))
    return false;
  bool good = useSource(options, runner, &session, error);
  if (!good)
    mloptSessionExplain(&session, error);
  mloptSessionDestroy(&session);
  return good;
}

//===----------------------------------------------------------------------===//
// Runners
//===----------------------------------------------------------------------===//

static bool useFile(const MloptRunnerOptions *options, MloptMachine *machine,
                    MloptRunner *runner, bool onlyShow, MloptError *error) {
  if (mloptIsArtifact(options->program))
    return onlyShow ? readArtifact(options, runner, error)
                    : useArtifact(options, machine, runner, error);
  MloptSession session;
  double start = mloptNow();
  bool good = mloptSessionRead(&machine->registry, options->program, &session);
  mloptAddTime(&runner->times, "parse", start);
  return good && useSession(options, &session, runner, onlyShow, error);
}

bool mloptRunnerCreate(const MloptRunnerOptions *options, MloptMachine *machine,
                       MloptRunner *runner, MloptError *error) {
  *runner = (MloptRunner){.device = NULL};
  if (mloptMachineChoose(machine, options->device, &runner->device, error) &&
      useFile(options, machine, runner, false, error))
    return true;
  mloptRunnerDestroy(runner);
  return false;
}

bool mloptShowProgram(const MloptRunnerOptions *options, MloptMachine *machine,
                      char **text, MloptError *error) {
  MloptRunner runner = {.device = NULL};
  bool good =
      useFile(options, machine, &runner, true, error) &&
      mloptTakeStatus(mloptExplainArtifact(runner.artifact, text), NULL, error);
  mloptRunnerDestroy(&runner);
  return good;
}

void mloptRunnerDestroy(MloptRunner *runner) {
  mloptGpuDestroy(runner->gpu);
  mloptJitDestroy(runner->jit);
  mloptJitDestroy(runner->oracle);
  mloptEntryDestroy(&runner->entry);
  mloptReleaseArtifact(runner->artifact);
  free(runner->data);
  *runner = (MloptRunner){.device = NULL};
}

//===----------------------------------------------------------------------===//
// Calling
//===----------------------------------------------------------------------===//

static bool callJit(const MloptJit *jit, const MloptEntry *entry,
                    const MloptTensor *inputs, MloptTensor *outputs,
                    MloptError *error) {
  int numBuffers = entry->numInputs + entry->numOutputs;
  void **buffers = malloc(((size_t)numBuffers + 1) * sizeof *buffers);
  if (!buffers)
    return mloptSetError(error, "no memory for a call");
  for (int i = 0; i < numBuffers; ++i)
    buffers[i] = i < entry->numInputs ? inputs[i].data
                                      : outputs[i - entry->numInputs].data;
  bool good = mloptJitCall(jit, entry->name, numBuffers, buffers, error);
  free(buffers);
  return good;
}

/// Allocates the outputs and calls: `jit` if it is given, else the GPU.
static bool call(const MloptRunner *runner, const MloptJit *jit,
                 const MloptEntry *entry, const MloptTensor *inputs,
                 MloptTensor *outputs, double *seconds, MloptError *error) {
  for (int i = 0; i < entry->numOutputs; ++i)
    if (!outputs[i].data && !mloptTensorAllocate(&outputs[i], error))
      return false;
  double start = mloptNow();
  bool good = jit ? callJit(jit, entry, inputs, outputs, error)
                  : mloptGpuCall(runner->gpu, entry->name, entry->numInputs,
                                 inputs, entry->numOutputs, outputs, error);
  *seconds = mloptNow() - start;
  return good;
}

bool mloptRunSources(const MloptRunner *runner, MloptTensor *inputs,
                     MloptError *error) {
  const MloptEntry *entry = &runner->entry;
  MloptTensor *at = inputs + entry->numInputs;
  for (int s = entry->numSources; s-- > 0;) {
    double seconds;
    at -= entry->sources[s].numOutputs;
    if (!call(runner, runner->jit, &entry->sources[s], NULL, at, &seconds,
              error))
      return false;
  }
  return true;
}

bool mloptRunEntry(const MloptRunner *runner, const MloptTensor *inputs,
                   MloptTensor *outputs, double *seconds, MloptError *error) {
  return call(runner, runner->jit, &runner->entry, inputs, outputs, seconds,
              error);
}

bool mloptRunOracle(const MloptRunner *runner, const MloptTensor *inputs,
                    MloptTensor *outputs, MloptError *error) {
  double seconds;
  return call(runner, runner->oracle, &runner->entry, inputs, outputs, &seconds,
              error);
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
