//===- gpu.c - Programs on a GPU ------------------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu.h"

#include "artifact_build.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

/// The name of a program: that of its file, without folder and ending.
static void nameProgram(const char *path, char *name, size_t size) {
  const char *slash = strrchr(path, '/');
  const char *base = slash ? slash + 1 : path;
  const char *dot = strrchr(base, '.');
  size_t length = dot && dot != base ? (size_t)(dot - base) : strlen(base);
  snprintf(name, size, "%.*s", (int)length, base);
}

bool mloptGpuCompile(const MloptStaging *staging, MloptSession *session,
                     const char *path, MlirStringRef source, uint8_t **data,
                     size_t *size, MloptError *error) {
  char program[256];
  nameProgram(path, program, sizeof program);
  if (!mloptRunStages(staging, session, mloptCudaStages, MLOPT_STAGE_FUSED,
                      MLOPT_STAGE_PTX, error))
    return false;
  double start = mloptNow();
  bool good = !mloptFailed(
      mloptBuildArtifact(session->module, program, source, data, size));
  mloptAddTime(staging->times, "artifact", start);
  return good;
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

static MloptElement findElement(const char *name) {
  for (MloptElement e = MLOPT_F64; e <= MLOPT_INDEX; ++e)
    if (!strcmp(mloptElementInfo(e)->name, name))
      return e;
  return MLOPT_NO_ELEMENT;
}

static MloptTensor *readTypes(uint32_t count, const MloptTensorInfo *infos,
                              MloptError *error) {
  MloptTensor *types = calloc(count + 1u, sizeof *types);
  for (uint32_t i = 0; types && i < count; ++i) {
    MloptElement element = findElement(infos[i].element);
    bool good =
        element == MLOPT_NO_ELEMENT
            ? mloptSetError(error, "no element type %s", infos[i].element)
            : mloptTensorSetType(&types[i], element, (int)infos[i].rank,
                                 infos[i].shape, error);
    if (!good) {
      free(types);
      return NULL;
    }
  }
  return types;
}

static bool readSignature(const MloptEntryInfo *info, MloptEntry *entry,
                          MloptError *error) {
  *entry = (MloptEntry){.name = strdup(info->name),
                        .numInputs = (int)info->argument_count,
                        .numOutputs = (int)info->result_count};
  entry->inputs = readTypes(info->argument_count, info->arguments, error);
  entry->outputs = readTypes(info->result_count, info->results, error);
  return (entry->name && entry->inputs && entry->outputs) ||
         mloptSetError(error, "no memory for entry @%s", info->name);
}

static MloptCheck readCheck(const MloptCheckInfo *info) {
  MloptCheck check = {
      (int)info->actual, (int)info->expected, {.kind = MLOPT_RULE_EXACT}};
  if (info->kind == MLOPT_CHECK_CLOSE)
    check.rule = (MloptRule){MLOPT_RULE_ULP, (double)info->min_ulp,
                             (double)info->max_ulp};
  else if (info->kind == MLOPT_CHECK_ALMOST_EQUAL)
    check.rule = (MloptRule){MLOPT_RULE_ABSOLUTE, 0, info->tolerance};
  return check;
}

static bool readSources(const MloptArtifact *artifact,
                        const MloptEntryInfo *info, MloptEntry *entry,
                        MloptError *error) {
  entry->sources =
      calloc(info->argument_source_count + 1u, sizeof *entry->sources);
  for (uint32_t i = 0; entry->sources && i < info->argument_source_count; ++i)
    if (!readSignature(mloptGetEntry(artifact, info->argument_sources[i]),
                       &entry->sources[entry->numSources++], error))
      return false;
  return entry->sources || mloptSetError(error, "no memory for an entry");
}

static bool refuseEntry(const MloptArtifact *artifact, const char *name,
                        MloptError *error) {
  char names[512] = "";
  size_t used = 0;
  for (uint32_t i = 0, n = mloptGetEntryCount(artifact);
       i < n && used < sizeof names; ++i)
    used += (size_t)snprintf(names + used, sizeof names - used, "%s@%s",
                             i ? ", " : "", mloptGetEntry(artifact, i)->name);
  return mloptSetError(error,
                       "there is no function @%s to run; the program has %s",
                       name, names[0] ? names : "none");
}

bool mloptEntryFromArtifact(const MloptArtifact *artifact, const char *name,
                            MloptEntry *entry, MloptError *error) {
  *entry = (MloptEntry){0};
  const MloptEntryInfo *info =
      mloptGetEntry(artifact, mloptFindEntry(artifact, name));
  if (!info)
    return refuseEntry(artifact, name, error);
  bool good = readSignature(info, entry, error) &&
              readSources(artifact, info, entry, error);
  if (good) {
    entry->checks = calloc(info->check_count + 1u, sizeof *entry->checks);
    good = entry->checks || mloptSetError(error, "no memory for checks");
  }
  for (uint32_t i = 0; good && i < info->check_count; ++i)
    entry->checks[entry->numChecks++] = readCheck(&info->checks[i]);
  if (!good)
    mloptEntryDestroy(entry);
  return good;
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

struct MloptGpu {
  MloptArtifact *artifact; ///< borrowed; the program keeps it
  MloptProgram *program;
  uint32_t count;
  MloptInstance **instances; ///< of each entry; NULL until it is called
};

MloptGpu *mloptGpuLoad(MloptDevice *device, MloptArtifact *artifact,
                       MloptError *error) {
  MloptGpu *gpu = calloc(1, sizeof *gpu);
  uint32_t count = mloptGetEntryCount(artifact);
  MloptInstance **instances = calloc(count + 1u, sizeof *instances);
  if (!gpu || !instances) {
    mloptSetError(error, "no memory to load a program");
    free(gpu);
    free(instances);
    return NULL;
  }
  *gpu =
      (MloptGpu){.artifact = artifact, .count = count, .instances = instances};
  if (mloptTakeStatus(mloptLoadProgram(device, artifact, &gpu->program), NULL,
                      error))
    return gpu;
  mloptGpuDestroy(gpu);
  return NULL;
}

MloptProgram *mloptGpuProgram(const MloptGpu *gpu) { return gpu->program; }

void mloptGpuDestroy(MloptGpu *gpu) {
  if (!gpu)
    return;
  for (uint32_t i = 0; i < gpu->count; ++i)
    mloptReleaseInstance(gpu->instances[i]);
  mloptReleaseProgram(gpu->program);
  free(gpu->instances);
  free(gpu);
}

//===----------------------------------------------------------------------===//
// Calling
//===----------------------------------------------------------------------===//

// A tensor of i4 takes a byte for an element in tensor.h, and half a byte in
// the runtime's buffers.

/// Room for the runtime's form of a tensor: the tensor's own data unless it is
/// of i4.
static void *createBuffer(const MloptTensor *t) {
  return t->element == MLOPT_I4 ? calloc((size_t)mloptTensorCount(t) / 2 + 1, 1)
                                : t->data;
}

static void releaseBuffer(const MloptTensor *t, void *buffer) {
  if (buffer != t->data)
    free(buffer);
}

static void pack(const MloptTensor *t, uint8_t *buffer) {
  if (buffer == t->data)
    return;
  for (int64_t i = 0, n = mloptTensorCount(t); i < n; ++i)
    buffer[i / 2] |= (uint8_t)(mloptTensorGetBits(t, i) << (i % 2 * 4));
}

static void unpack(MloptTensor *t, const uint8_t *buffer) {
  if (buffer == t->data)
    return;
  for (int64_t i = 0, n = mloptTensorCount(t); i < n; ++i)
    mloptTensorSetBits(t, i, buffer[i / 2] >> (i % 2 * 4) & 15);
}

static MloptStatus *callInstance(MloptGpu *gpu, uint32_t entry, void **buffers,
                                 int numInputs) {
  MloptInstance **instance = &gpu->instances[entry];
  if (!*instance) {
    MloptStatus *status =
        mloptCreateInstance(gpu->program, entry, NULL, instance);
    if (status)
      return status;
  }
  return mloptRunOnHostData(*instance, (const void *const *)buffers,
                            buffers + numInputs);
}

bool mloptGpuCall(MloptGpu *gpu, const char *name, int numInputs,
                  const MloptTensor *inputs, int numOutputs,
                  MloptTensor *outputs, MloptError *error) {
  uint32_t entry = mloptFindEntry(gpu->artifact, name);
  void **buffers =
      calloc((size_t)(numInputs + numOutputs) + 1, sizeof *buffers);
  bool good = entry < gpu->count && buffers;
  for (int i = 0; good && i < numInputs; ++i)
    if ((good = (buffers[i] = createBuffer(&inputs[i]))))
      pack(&inputs[i], buffers[i]);
  for (int i = 0; good && i < numOutputs; ++i)
    good = (buffers[numInputs + i] = createBuffer(&outputs[i]));
  good = good ? mloptTakeStatus(callInstance(gpu, entry, buffers, numInputs),
                                NULL, error)
              : mloptSetError(error,
                              "cannot call @%s: no such entry, or no "
                              "memory",
                              name);
  for (int i = 0; good && i < numOutputs; ++i)
    unpack(&outputs[i], buffers[numInputs + i]);
  for (int i = 0; buffers && i < numInputs; ++i)
    releaseBuffer(&inputs[i], buffers[i]);
  for (int i = 0; buffers && i < numOutputs; ++i)
    releaseBuffer(&outputs[i], buffers[numInputs + i]);
  free(buffers);
  return good;
}
