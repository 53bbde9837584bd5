//===- host.c - Runs on host data -----------------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime.h"

#include <stdlib.h>

static uint64_t roundUp(uint64_t bytes) {
  return (bytes + MLOPT_DEVICE_ALIGNMENT - 1) / MLOPT_DEVICE_ALIGNMENT *
         MLOPT_DEVICE_ALIGNMENT;
}

static const MloptTensorInfo *getTensor(const MloptInstance *instance,
                                        uint32_t number) {
  const MloptEntryInfo *info = &instance->entry->info;
  return number < info->argument_count
             ? &info->arguments[number]
             : &info->results[number - info->argument_count];
}

/// The stream and one block for all tensors, made once.
static MloptStatus *prepare(MloptInstance *instance) {
  MloptDevice *device = instance->program->device;
  if (!instance->host_stream) {
    CuResult error = device->cuda.streamCreate(&instance->host_stream,
                                               MLOPT_CU_STREAM_NON_BLOCKING);
    if (error) {
      instance->host_stream = NULL;
      return mloptCreateCudaStatus(device, error, "cuStreamCreate",
                                   "a stream for runs on host data");
    }
  }
  if (instance->host_block)
    return NULL;
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < instance->pointer_count; ++i)
    if (__builtin_add_overflow(
            bytes, roundUp(getTensor(instance, i)->byte_size), &bytes))
      return mloptCreateStatus(MLOPT_OUT_OF_MEMORY,
                               "entry %.128s: its arguments and results are "
                               "too large",
                               instance->entry->info.name);
  MLOPT_TRY(mloptAllocateDevice(device, bytes,
                                "device copies of arguments and results",
                                &instance->host_block));
  instance->statistics.device_bytes += bytes;
  return NULL;
}

static MloptStatus *bindBlock(MloptInstance *instance, uint64_t *addresses) {
  CUdeviceptr at = instance->host_block;
  for (uint32_t i = 0; i < instance->pointer_count; ++i) {
    addresses[i] = at;
    at += roundUp(getTensor(instance, i)->byte_size);
  }
  return mloptBindPointers(instance, addresses,
                           addresses + instance->entry->info.argument_count);
}

static MloptStatus *copyIn(MloptInstance *instance, const uint64_t *addresses,
                           const void *const *arguments) {
  MloptDevice *device = instance->program->device;
  const MloptEntryInfo *info = &instance->entry->info;
  for (uint32_t i = 0; i < info->argument_count; ++i) {
    const MloptTensorInfo *tensor = &info->arguments[i];
    if (!tensor->byte_size)
      continue;
    CuResult error = device->cuda.memcpyHtoDAsync(
        addresses[i], arguments[i], tensor->byte_size, instance->host_stream);
    if (error)
      return mloptCreateCudaStatus(device, error, "cuMemcpyHtoDAsync",
                                   "entry %.128s: copying argument %u (%.64s)",
                                   info->name, i, tensor->name);
  }
  return NULL;
}

static MloptStatus *copyOut(MloptInstance *instance, const uint64_t *addresses,
                            void *const *results) {
  MloptDevice *device = instance->program->device;
  const MloptEntryInfo *info = &instance->entry->info;
  for (uint32_t i = 0; i < info->result_count; ++i) {
    const MloptTensorInfo *tensor = &info->results[i];
    if (!tensor->byte_size)
      continue;
    CuResult error = device->cuda.memcpyDtoHAsync(
        results[i], addresses[info->argument_count + i], tensor->byte_size,
        instance->host_stream);
    if (error)
      return mloptCreateCudaStatus(device, error, "cuMemcpyDtoHAsync",
                                   "entry %.128s: copying result %u (%.64s)",
                                   info->name, i, tensor->name);
  }
  return NULL;
}

MloptStatus *mloptRunOnHostData(MloptInstance *instance,
                                const void *const *arguments,
                                void *const *results) {
  MloptDevice *device = instance->program->device;
  uint64_t *addresses = calloc(instance->pointer_count + 1u, sizeof *addresses);
  if (!addresses)
    return mloptCreateHostMemoryStatus();
  bool pushed;
  MloptStatus *status = mloptEnterDevice(device, &pushed);
  if (status) {
    free(addresses);
    return status;
  }
  status = prepare(instance);
  if (!status)
    status = bindBlock(instance, addresses);
  if (!status)
    status = copyIn(instance, addresses, arguments);
  if (!status)
    status = mloptRunInstance(instance, instance->host_stream);
  if (!status)
    status = copyOut(instance, addresses, results);
  // Also after a failure: the caller's memory must be free of copies.
  if (instance->host_stream) {
    MloptStatus *late = mloptSynchronizeStream(device, instance->host_stream);
    status = mloptJoinStatus(status, late);
  }
  mloptLeaveDevice(device, pushed);
  free(addresses);
  return mloptPrefixStatus(status, "run of entry %.128s on host data",
                           instance->entry->info.name);
}
