//===- memory.c - Device memory and constants -----------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "file.h"
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

//===----------------------------------------------------------------------===//
// Allocation
//===----------------------------------------------------------------------===//

static MloptStatus *allocateWithHook(MloptDevice *device, uint64_t bytes,
                                     const char *what,
                                     CUdeviceptr *out_pointer) {
  uint64_t pointer = 0;
  if (device->options.allocate(device->options.user, bytes, &pointer))
    return mloptCreateStatus(MLOPT_OUT_OF_MEMORY,
                             "%s: the caller's allocator refused %llu bytes",
                             what, (unsigned long long)bytes);
  if (!pointer || pointer % MLOPT_DEVICE_ALIGNMENT) {
    if (pointer)
      device->options.release(device->options.user, pointer);
    return mloptCreateStatus(MLOPT_INVALID_ARGUMENT,
                             "%s: the caller's allocator returned address "
                             "%#llx, which is not aligned to %d",
                             what, (unsigned long long)pointer,
                             MLOPT_DEVICE_ALIGNMENT);
  }
  *out_pointer = pointer;
  return NULL;
}

MloptStatus *mloptAllocateDevice(MloptDevice *device, uint64_t bytes,
                                 const char *what, CUdeviceptr *out_pointer) {
  *out_pointer = 0;
  if (!bytes)
    return NULL;
  if (device->options.allocate)
    return allocateWithHook(device, bytes, what, out_pointer);
  CuResult error = device->cuda.memAlloc(out_pointer, bytes);
  if (!error)
    return NULL;
  *out_pointer = 0;
  size_t free_bytes = 0, total = 0;
  if (device->cuda.memGetInfo(&free_bytes, &total))
    free_bytes = total = 0;
  return mloptCreateCudaStatus(
      device, error, "cuMemAlloc",
      "%s needs %llu bytes on %s, which has %zu of %zu free", what,
      (unsigned long long)bytes, device->name, free_bytes, total);
}

void mloptFreeDevice(MloptDevice *device, CUdeviceptr pointer) {
  if (!pointer)
    return;
  if (device->options.release)
    device->options.release(device->options.user, pointer);
  else
    device->cuda.memFree(pointer);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static MloptStatus *mapWeightFiles(const MloptArtifact *artifact,
                                   MloptBytes *files) {
  for (uint32_t i = 0; i < artifact->weight_file_count; ++i) {
    size_t size =
        strlen(artifact->directory) + strlen(artifact->weight_files[i]) + 1;
    char *path = malloc(size);
    if (!path)
      return mloptCreateHostMemoryStatus();
    snprintf(path, size, "%s%s", artifact->directory,
             artifact->weight_files[i]);
    MloptStatus *status = mloptPrefixStatus(mloptMapFile(path, &files[i]),
                                            "weights of %s", artifact->name);
    free(path);
    MLOPT_TRY(status);
  }
  return NULL;
}

/// Copies the constants. cuMemcpyHtoD may return while bytes are still on their
/// way, and streams of the caller need not wait for the default one: so that is
/// waited for at the end.
static MloptStatus *upload(MloptDevice *device, const MloptArtifact *artifact,
                           const MloptBytes *files,
                           const CUdeviceptr *addresses) {
  for (uint32_t i = 0; i < artifact->constant_count; ++i) {
    const MloptPlanConstant *constant = &artifact->constants[i];
    const uint8_t *data = constant->data;
    if (!constant->type.byte_size)
      continue;
    if (!data)
      MLOPT_TRY(mloptFindWeight(files[constant->file],
                                artifact->weight_files[constant->file],
                                constant->tensor, &constant->type, &data));
    CuResult error =
        device->cuda.memcpyHtoD(addresses[i], data, constant->type.byte_size);
    if (error)
      return mloptCreateCudaStatus(device, error, "cuMemcpyHtoD",
                                   "cannot copy constant %.64s to the GPU",
                                   constant->type.name);
  }
  if (!artifact->constant_count)
    return NULL;
  CuResult error = device->cuda.streamSynchronize(NULL);
  return error ? mloptCreateCudaStatus(device, error, "cuStreamSynchronize",
                                       "cannot copy constants to the GPU")
               : NULL;
}

MloptStatus *mloptUploadConstants(MloptDevice *device,
                                  const MloptArtifact *artifact,
                                  CUdeviceptr *out_block,
                                  CUdeviceptr *out_addresses) {
  *out_block = 0;
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < artifact->constant_count; ++i) {
    out_addresses[i] = bytes;
    uint64_t size = artifact->constants[i].type.byte_size;
    size = (size + MLOPT_DEVICE_ALIGNMENT - 1) / MLOPT_DEVICE_ALIGNMENT *
           MLOPT_DEVICE_ALIGNMENT;
    if (__builtin_add_overflow(bytes, size, &bytes))
      return mloptCreateStatus(MLOPT_BAD_ARTIFACT,
                               "%s: its constants are too large",
                               artifact->name);
  }
  MloptBytes *files = calloc(artifact->weight_file_count + 1u, sizeof *files);
  if (!files)
    return mloptCreateHostMemoryStatus();
  MloptStatus *status = mapWeightFiles(artifact, files);
  if (!status)
    status = mloptAllocateDevice(device, bytes, "the program's constants",
                                 out_block);
  for (uint32_t i = 0; i < artifact->constant_count; ++i)
    out_addresses[i] += *out_block;
  if (!status)
    status = upload(device, artifact, files, out_addresses);
  for (uint32_t i = 0; i < artifact->weight_file_count; ++i)
    if (files[i].data)
      munmap((void *)files[i].data, files[i].size);
  free(files);
  return status;
}
