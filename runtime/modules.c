//===- modules.c - PTX and cubins to loaded modules -----------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each module: the artifact's cubin for this chip, else the cache's, else
// the driver's linker assembles the PTX. Modules are shared out over threads,
// since assembling one takes the driver up to half a second.
//
//===----------------------------------------------------------------------===//

#include "runtime.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOG_BYTES = 8192, THREAD_LIMIT = 64 };

//===----------------------------------------------------------------------===//
// Chips
//===----------------------------------------------------------------------===//

/// Splits "sm_90a" into 90 and 'a'.
static bool parseChip(const char *name, uint32_t *out_number,
                      char *out_suffix) {
  int end = 0;
  *out_suffix = 0;
  if (sscanf(name, "sm_%3u%n", out_number, &end) != 1 || !end)
    return false;
  *out_suffix = name[end];
  return !*out_suffix || !name[end + 1];
}

/// How well code for the chip `name` runs on this GPU; 0 for not at all. PTX is
/// assembled for any later chip, a cubin runs on its own generation only, and
/// code with architecture-specific features ("a") on its own chip only.
static uint32_t rateChip(const MloptDevice *device, const char *name,
                         bool is_ptx) {
  uint32_t number;
  char suffix;
  if (!parseChip(name, &number, &suffix) || number > device->chip)
    return 0;
  if (suffix == 'a')
    return number == device->chip ? UINT32_MAX : 0;
  bool same_generation = number / 10 == device->chip / 10;
  return same_generation || (is_ptx && !suffix) ? number : 0;
}

static const MloptPlanCubin *findCubin(const MloptDevice *device,
                                       const MloptPlanModule *module) {
  const MloptPlanCubin *best = NULL;
  uint32_t best_rate = 0;
  for (uint32_t i = 0; i < module->cubin_count; ++i) {
    uint32_t rate = rateChip(device, module->cubins[i].chip, false);
    if (rate > best_rate) {
      best = &module->cubins[i];
      best_rate = rate;
    }
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Assembling
//===----------------------------------------------------------------------===//

static MloptStatus *createAssemblyStatus(MloptDevice *device, CuResult error,
                                         const char *call,
                                         const MloptPlanModule *module,
                                         const char *log) {
  MloptStatus *status =
      mloptCreateCudaStatus(device, error, call, "module %.64s, PTX for %.32s",
                            module->name, module->target);
  if (!*log)
    return status;
  MloptStatus *with_log = mloptCreateDriverStatus(
      mloptGetStatusCode(status), (int)error, "%s; the assembler says: %s",
      mloptGetStatusMessage(status), log);
  mloptReleaseStatus(status);
  return with_log;
}

/// Assembles PTX into a copy that the caller frees.
static MloptStatus *assemble(MloptDevice *device, const MloptPlanModule *module,
                             MloptBytes *out_cubin) {
  MloptCuda *cuda = &device->cuda;
  char *log = calloc(1, LOG_BYTES);
  if (!log)
    return mloptCreateHostMemoryStatus();
  CuJitOption options[] = {MLOPT_CU_JIT_ERROR_LOG_BUFFER,
                           MLOPT_CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)(uintptr_t)(LOG_BYTES - 1)};
  CUlinkState link = NULL;
  void *image = NULL;
  size_t size = 0;
  const char *call = "cuLinkCreate";
  CuResult error = cuda->linkCreate(2, options, values, &link);
  if (error)
    link = NULL;
  if (!error) {
    call = "cuLinkAddData";
    error = cuda->linkAddData(link, MLOPT_CU_JIT_INPUT_PTX,
                              (void *)module->ptx.data, module->ptx.size,
                              module->name, 0, NULL, NULL);
  }
  if (!error) {
    call = "cuLinkComplete";
    error = cuda->linkComplete(link, &image, &size);
  }
  MloptStatus *status = NULL;
  uint8_t *copy = NULL;
  if (error)
    status = createAssemblyStatus(device, error, call, module, log);
  else if (!(copy = malloc(size)))
    status = mloptCreateHostMemoryStatus();
  else
    *out_cubin = (MloptBytes){memcpy(copy, image, size), size};
  if (link)
    cuda->linkDestroy(link);
  free(log);
  return status;
}

static MloptStatus *loadImage(MloptDevice *device,
                              const MloptPlanModule *module, const void *image,
                              CUmodule *out_module) {
  CuResult error = device->cuda.moduleLoadData(out_module, image);
  if (!error)
    return NULL;
  *out_module = NULL;
  return mloptCreateCudaStatus(device, error, "cuModuleLoadData",
                               "module %.64s", module->name);
}

/// Cached cubins that the driver refuses are assembled anew.
static MloptStatus *loadPtx(MloptDevice *device, const MloptPlanModule *module,
                            CUmodule *out_module) {
  MloptBytes cubin = mloptRecallCubin(device, module->ptx);
  if (cubin.data) {
    MloptStatus *status = loadImage(device, module, cubin.data, out_module);
    free((void *)cubin.data);
    if (!status) {
      mloptLog(device, MLOPT_LOG_DETAIL, "module %.64s: cubin from the cache",
               module->name);
      return NULL;
    }
    if (atomic_load(&device->lost))
      return status;
    mloptReleaseStatus(status);
  }
  MLOPT_TRY(assemble(device, module, &cubin));
  mloptLog(device, MLOPT_LOG_DETAIL, "module %.64s: assembled, %zu bytes",
           module->name, cubin.size);
  MloptStatus *status = loadImage(device, module, cubin.data, out_module);
  if (!status)
    mloptKeepCubin(device, module->ptx, cubin);
  free((void *)cubin.data);
  return status;
}

static MloptStatus *loadModule(MloptDevice *device,
                               const MloptPlanModule *module,
                               CUmodule *out_module) {
  const MloptPlanCubin *cubin = findCubin(device, module);
  if (cubin)
    return loadImage(device, module, cubin->image.data, out_module);
  if (module->ptx.data && rateChip(device, module->target, true))
    return loadPtx(device, module, out_module);
  return mloptCreateStatus(
      MLOPT_UNSUPPORTED,
      "module %.64s has %s for %.32s, which does not run on %s, a %s; compile "
      "the program for %s",
      module->name, module->ptx.data ? "PTX" : "cubins", module->target,
      device->name, device->chip_name, device->chip_name);
}

//===----------------------------------------------------------------------===//
// In parallel
//===----------------------------------------------------------------------===//

typedef struct Work {
  MloptDevice *device;
  const MloptArtifact *artifact;
  CUmodule *modules;
  MloptStatus **statuses;
  atomic_uint next;
} Work;

/// Loads modules until none is left.
static void *loadSome(void *argument) {
  Work *work = argument;
  for (;;) {
    uint32_t i = atomic_fetch_add(&work->next, 1);
    if (i >= work->artifact->module_count)
      return NULL;
    bool pushed;
    MloptStatus *status = mloptEnterDevice(work->device, &pushed);
    if (!status) {
      status = loadModule(work->device, &work->artifact->modules[i],
                          &work->modules[i]);
      mloptLeaveDevice(work->device, pushed);
    }
    work->statuses[i] = status;
  }
}

static uint32_t countThreads(const MloptDevice *device, uint32_t modules) {
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  uint32_t threads = device->options.compile_threads;
  if (!threads)
    threads = processors > 0 ? (uint32_t)processors : 1;
  if (threads > THREAD_LIMIT)
    threads = THREAD_LIMIT;
  return threads < modules ? threads : modules;
}

MloptStatus *mloptLoadModules(MloptDevice *device,
                              const MloptArtifact *artifact,
                              CUmodule *out_modules) {
  Work work = {device, artifact, out_modules, NULL, 0};
  work.statuses = calloc(artifact->module_count + 1u, sizeof *work.statuses);
  if (!work.statuses)
    return mloptCreateHostMemoryStatus();
  pthread_t threads[THREAD_LIMIT];
  uint32_t started = 0;
  uint32_t wanted = countThreads(device, artifact->module_count);
  // The calling thread works too, and alone if no other can be started.
  while (started + 1 < wanted &&
         !pthread_create(&threads[started], NULL, loadSome, &work))
    ++started;
  loadSome(&work);
  for (uint32_t i = 0; i < started; ++i)
    pthread_join(threads[i], NULL);
  MloptStatus *status = NULL;
  for (uint32_t i = 0; i < artifact->module_count; ++i)
    status = mloptJoinStatus(status, work.statuses[i]);
  free(work.statuses);
  return mloptPrefixStatus(status, "%s", artifact->name);
}
