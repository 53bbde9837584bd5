//===- program.c - An artifact on a GPU -----------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code and constants are loaded and every launch of the plan is held against
// the code: threads, shared memory and, where the driver can tell, the sizes of
// a kernel's parameters, since the driver reads as many bytes as the code says.
// Whether a kernel takes more parameters than the plan gives can only be found
// out by a call that fails, which compute-sanitizer would report for every
// launch; such an artifact was made by hand.
//
//===----------------------------------------------------------------------===//

#include "runtime.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static MloptStatus *checkKernel(const MloptProgram *program,
                                const MloptPlanKernel *kernel,
                                CUfunction function) {
  MloptDevice *device = program->device;
  int threads = 0;
  CuResult error = device->cuda.funcGetAttribute(
      &threads, MLOPT_CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function);
  if (error)
    return mloptCreateCudaStatus(device, error, "cuFuncGetAttribute",
                                 "kernel %.128s", kernel->name);
  if (kernel->block_threads > (uint32_t)threads)
    return mloptCreateStatus(
        MLOPT_UNSUPPORTED,
        "kernel %.128s is launched with %u threads in a block, but %s takes at "
        "most %d of it; compile the program for %s",
        kernel->name, kernel->block_threads, device->name, threads,
        device->chip_name);
  if (kernel->dynamic_shared_bytes > device->shared_limit)
    return mloptCreateStatus(
        MLOPT_UNSUPPORTED,
        "kernel %.128s needs %u bytes of shared memory, %s has %u; compile the "
        "program for %s",
        kernel->name, kernel->dynamic_shared_bytes, device->name,
        device->shared_limit, device->chip_name);
  return NULL;
}

static MloptStatus *setAttributes(const MloptProgram *program,
                                  const MloptPlanKernel *kernel,
                                  CUfunction function) {
  enum { PORTABLE_CLUSTER = 8 };
  MloptDevice *device = program->device;
  CuResult error = MLOPT_CUDA_SUCCESS;
  const char *call = "cuFuncSetAttribute";
  if (kernel->dynamic_shared_bytes)
    error = device->cuda.funcSetAttribute(
        function, MLOPT_CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
        (int)kernel->dynamic_shared_bytes);
  if (!error && kernel->cluster_blocks > PORTABLE_CLUSTER)
    error = device->cuda.funcSetAttribute(
        function, MLOPT_CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
  // Otherwise loaded at the first launch, which cannot be done in a capture.
  if (!error && device->cuda.funcLoad) {
    call = "cuFuncLoad";
    error = device->cuda.funcLoad(function);
  }
  if (error)
    return mloptCreateCudaStatus(device, error, call,
                                 "kernel %.128s with %u bytes of shared memory",
                                 kernel->name, kernel->dynamic_shared_bytes);
  return NULL;
}

static MloptStatus *loadKernels(MloptProgram *program) {
  const MloptArtifact *artifact = program->artifact;
  MloptDevice *device = program->device;
  for (uint32_t i = 0; i < artifact->kernel_count; ++i) {
    const MloptPlanKernel *kernel = &artifact->kernels[i];
    CUfunction *function = &program->functions[i];
    CuResult error = device->cuda.moduleGetFunction(
        function, program->modules[kernel->module], kernel->name);
    if (error)
      return mloptCreateCudaStatus(
          device, error, "cuModuleGetFunction", "kernel %.128s of module %.64s",
          kernel->name, artifact->modules[kernel->module].name);
    MLOPT_TRY(checkKernel(program, kernel, *function));
    MLOPT_TRY(setAttributes(program, kernel, *function));
  }
  return NULL;
}

/// Whether the kernel takes the launch's arguments.
static MloptStatus *checkParameters(const MloptProgram *program,
                                    const MloptPlanLaunch *launch) {
  const MloptCuda *cuda = &program->device->cuda;
  const char *name = program->artifact->kernels[launch->kernel].name;
  CUfunction function = program->functions[launch->kernel];
  size_t offset, size;
  for (uint32_t i = 0; i < launch->argument_count; ++i)
    if (cuda->funcGetParamInfo(function, i, &offset, &size) ||
        size != launch->arguments[i].bytes)
      return mloptCreateStatus(
          MLOPT_BAD_ARTIFACT,
          "kernel %.128s does not take %u bytes as parameter %u; plan and code "
          "do not belong together, compile the program again",
          name, launch->arguments[i].bytes, i);
  return NULL;
}

static MloptStatus *checkLaunches(const MloptProgram *program) {
  const MloptArtifact *artifact = program->artifact;
  MloptDevice *device = program->device;
  for (uint32_t i = 0; i < artifact->entry_count; ++i)
    for (uint32_t j = 0; j < artifact->entries[i].segment_count; ++j) {
      const MloptPlanSegment *segment = &artifact->entries[i].segments[j];
      for (uint32_t k = 0; k < segment->step_count; ++k) {
        const MloptPlanStep *step = &segment->steps[k];
        if (step->kind != MLOPT_STEP_LAUNCH)
          continue;
        if (device->cuda.funcGetParamInfo)
          MLOPT_TRY(checkParameters(program, &step->launch));
        for (uint32_t l = 0; l < step->launch.argument_count; ++l)
          if (step->launch.arguments[l].map &&
              (!device->cuda.tensorMapEncodeTiled ||
               !device->cuda.tensorMapEncodeIm2col))
            return mloptCreateStatus(
                MLOPT_NO_DRIVER,
                "kernel %.128s needs tensor maps, which this NVIDIA driver "
                "lacks; update the driver",
                artifact->kernels[step->launch.kernel].name);
      }
    }
  return NULL;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

static MloptStatus *loadProgram(MloptProgram *program) {
  MloptDevice *device = program->device;
  const MloptArtifact *artifact = program->artifact;
  program->modules = calloc(artifact->module_count + 1u, sizeof(CUmodule));
  program->functions = calloc(artifact->kernel_count + 1u, sizeof(CUfunction));
  program->constants =
      calloc(artifact->constant_count + 1u, sizeof(CUdeviceptr));
  if (!program->modules || !program->functions || !program->constants)
    return mloptCreateHostMemoryStatus();
  MLOPT_TRY(mloptLoadModules(device, artifact, program->modules));
  MLOPT_TRY(loadKernels(program));
  MLOPT_TRY(checkLaunches(program));
  return mloptUploadConstants(device, artifact, &program->constant_block,
                              program->constants);
}

MloptStatus *mloptLoadProgram(MloptDevice *device, MloptArtifact *artifact,
                              MloptProgram **out_program) {
  *out_program = NULL;
  bool pushed;
  MLOPT_TRY(mloptEnterDevice(device, &pushed));
  MloptStatus *status = NULL;
  MloptProgram *program = calloc(1, sizeof *program);
  if (program) {
    atomic_init(&program->references, 1);
    program->device = mloptRetainDevice(device);
    program->artifact = mloptRetainArtifact(artifact);
    status = loadProgram(program);
  } else {
    status = mloptCreateHostMemoryStatus();
  }
  mloptLeaveDevice(device, pushed);
  if (status)
    mloptReleaseProgram(program);
  else
    *out_program = program;
  return status;
}

MloptProgram *mloptRetainProgram(MloptProgram *program) {
  atomic_fetch_add(&program->references, 1);
  return program;
}

void mloptReleaseProgram(MloptProgram *program) {
  if (!program || atomic_fetch_sub(&program->references, 1) != 1)
    return;
  bool pushed;
  mloptEnterDeviceToRelease(program->device, &pushed);
  for (uint32_t i = 0; program->modules && i < program->artifact->module_count;
       ++i)
    if (program->modules[i])
      program->device->cuda.moduleUnload(program->modules[i]);
  mloptFreeDevice(program->device, program->constant_block);
  mloptLeaveDevice(program->device, pushed);
  free(program->modules);
  free(program->functions);
  free(program->constants);
  mloptReleaseArtifact(program->artifact);
  mloptReleaseDevice(program->device);
  free(program);
}
