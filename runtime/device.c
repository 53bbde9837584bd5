//===- device.c - One GPU: driver, context, faults ------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

void mloptLog(MloptDevice *device, MloptLogLevel level, const char *format,
              ...) {
  if (!device->options.log)
    return;
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  device->options.log(device->options.user, level, text);
}

MloptStatus *mloptCreateCudaStatus(MloptDevice *device, CuResult error,
                                   const char *call, const char *format, ...) {
  char what[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  MloptCudaErrorInfo info = mloptGetCudaErrorInfo(error);
  if (info.lost)
    atomic_store(&device->lost, error);
  const char *words = NULL;
  if (device->cuda.getErrorString(error, &words) != MLOPT_CUDA_SUCCESS)
    words = NULL;
  return mloptCreateDriverStatus(info.code, (int)error, "%s: %s: %s (%s); %s",
                                 what, call,
                                 mloptGetCudaErrorName(&device->cuda, error),
                                 words ? words : "no description", info.advice);
}

//===----------------------------------------------------------------------===//
// Context
//===----------------------------------------------------------------------===//

static CuResult makeCurrent(MloptDevice *device, bool *out_pushed) {
  CUcontext current = NULL;
  *out_pushed = false;
  CuResult error = device->cuda.ctxGetCurrent(&current);
  if (error || current == device->context)
    return error;
  error = device->cuda.ctxPushCurrent(device->context);
  *out_pushed = !error;
  return error;
}

MloptStatus *mloptEnterDevice(MloptDevice *device, bool *out_pushed) {
  *out_pushed = false;
  CuResult lost = atomic_load_explicit(&device->lost, memory_order_relaxed);
  if (lost)
    return mloptCreateDriverStatus(
        MLOPT_DEVICE_LOST, (int)lost,
        "%s was lost by an earlier error, %s, and nothing runs on it any more "
        "in this process; %s",
        device->name, mloptGetCudaErrorName(&device->cuda, lost),
        mloptGetCudaErrorInfo(lost).advice);
  CuResult error = makeCurrent(device, out_pushed);
  if (error)
    return mloptCreateCudaStatus(device, error, "cuCtxPushCurrent",
                                 "cannot use the context of %s", device->name);
  return NULL;
}

void mloptEnterDeviceToRelease(MloptDevice *device, bool *out_pushed) {
  // Where this fails the frees that follow fail too, which changes nothing.
  if (makeCurrent(device, out_pushed))
    *out_pushed = false;
}

void mloptLeaveDevice(MloptDevice *device, bool pushed) {
  CUcontext popped;
  if (pushed)
    device->cuda.ctxPopCurrent(&popped);
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

/// Where cubins are kept; the caller frees it. NULL without host memory.
static char *findCacheDirectory(const char *asked) {
  const char *base = getenv("XDG_CACHE_HOME"), *below = "/mlopt";
  if (asked) {
    base = asked;
    below = "";
  } else if (!base || *base != '/') { // the XDG standard ignores relative ones
    base = getenv("HOME");
    below = "/.cache/mlopt";
    if (!base || *base != '/')
      base = below = "";
  }
  size_t size = strlen(base) + strlen(below) + 1;
  char *path = malloc(size);
  if (path)
    snprintf(path, size, "%s%s", base, below);
  return path;
}

static MloptStatus *queryDevice(MloptDevice *device) {
  MloptCuda *cuda = &device->cuda;
  int major = 0, minor = 0, shared = 0;
  CuResult error =
      cuda->deviceGetName(device->name, sizeof device->name, device->device);
  if (!error)
    error = cuda->deviceGetAttribute(
        &major, MLOPT_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
        device->device);
  if (!error)
    error = cuda->deviceGetAttribute(
        &minor, MLOPT_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
        device->device);
  if (!error)
    error = cuda->deviceGetAttribute(
        &shared, MLOPT_CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
        device->device);
  if (error)
    return mloptCreateCudaStatus(device, error, "cuDeviceGetAttribute",
                                 "cannot query the GPU");
  device->name[sizeof device->name - 1] = 0;
  device->chip = (uint32_t)(major * 10 + minor);
  device->shared_limit = (uint32_t)shared;
  snprintf(device->chip_name, sizeof device->chip_name, "sm_%u", device->chip);
  return NULL;
}

static MloptStatus *openDevice(MloptDevice *device, int ordinal) {
  MloptCuda *cuda = &device->cuda;
  MLOPT_TRY(mloptOpenCuda(cuda));
  CuResult error = cuda->init(0);
  if (error)
    return mloptCreateCudaStatus(device, error, "cuInit",
                                 "the NVIDIA driver does not start");
  error = cuda->driverGetVersion(&device->driver_version);
  if (error)
    return mloptCreateCudaStatus(device, error, "cuDriverGetVersion",
                                 "the NVIDIA driver has no version");
  int count = 0;
  error = cuda->deviceGetCount(&count);
  if (error)
    return mloptCreateCudaStatus(device, error, "cuDeviceGetCount",
                                 "cannot count the GPUs");
  if (ordinal < 0 || ordinal >= count)
    return mloptCreateStatus(MLOPT_NO_DEVICE,
                             "there is no GPU %d, the driver sees %d; check "
                             "nvidia-smi and CUDA_VISIBLE_DEVICES, or run on "
                             "the CPU",
                             ordinal, count);
  device->ordinal = ordinal;
  error = cuda->deviceGet(&device->device, ordinal);
  if (error)
    return mloptCreateCudaStatus(device, error, "cuDeviceGet",
                                 "cannot open GPU %d", ordinal);
  MLOPT_TRY(queryDevice(device));
  error = cuda->primaryRetain(&device->context, device->device);
  if (error) {
    device->context = NULL;
    return mloptCreateCudaStatus(device, error, "cuDevicePrimaryCtxRetain",
                                 "cannot make a context on %s", device->name);
  }
  return NULL;
}

MloptStatus *mloptOpenDevice(int ordinal, const MloptDeviceOptions *options,
                             MloptDevice **out_device) {
  *out_device = NULL;
  if (options && !options->allocate != !options->release)
    return mloptCreateStatus(MLOPT_INVALID_ARGUMENT,
                             "allocate and release hooks come together; only "
                             "one was given");
  MloptDevice *device = calloc(1, sizeof *device);
  if (!device)
    return mloptCreateHostMemoryStatus();
  atomic_init(&device->references, 1);
  atomic_init(&device->lost, MLOPT_CUDA_SUCCESS);
  if (options)
    device->options = *options;
  device->cache_directory =
      findCacheDirectory(options ? options->cache_directory : NULL);
  device->options.cache_directory = NULL;
  MloptStatus *status = device->cache_directory ? openDevice(device, ordinal)
                                                : mloptCreateHostMemoryStatus();
  if (status)
    mloptReleaseDevice(device);
  else
    *out_device = device;
  return status;
}

MloptDevice *mloptRetainDevice(MloptDevice *device) {
  atomic_fetch_add(&device->references, 1);
  return device;
}

void mloptReleaseDevice(MloptDevice *device) {
  if (!device || atomic_fetch_sub(&device->references, 1) != 1)
    return;
  if (device->context)
    device->cuda.primaryRelease(device->device);
  mloptCloseCuda(&device->cuda);
  free(device->cache_directory);
  free(device);
}

const char *mloptGetDeviceName(const MloptDevice *device) {
  return device->name;
}

const char *mloptGetDeviceChip(const MloptDevice *device) {
  return device->chip_name;
}

MloptStatus *mloptSynchronizeStream(MloptDevice *device, void *stream) {
  bool pushed;
  MLOPT_TRY(mloptEnterDevice(device, &pushed));
  CuResult error = device->cuda.streamSynchronize(stream);
  MloptStatus *status =
      error ? mloptCreateCudaStatus(device, error, "cuStreamSynchronize",
                                    "work on the stream failed")
            : NULL;
  mloptLeaveDevice(device, pushed);
  return status;
}
