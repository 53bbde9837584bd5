//===- instance.c - An entry with its arena; binding pointers -------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Creating an instance lays out everything that runs will need: the flat list
// of steps with their launch configurations, the pieces they form, where in a
// binding each kernel parameter lives, and which of them depend on pointers of
// the caller. Runs then allocate nothing.
//
//===----------------------------------------------------------------------===//

#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_BINDINGS = 8, BINDING_LIMIT = 1024 };

const char *mloptDescribeStep(const MloptInstance *instance,
                              const MloptStep *step,
                              char text[MLOPT_STEP_TEXT]) {
  const char *kind = "kernel ", *name = "";
  if (step->plan->kind == MLOPT_STEP_LAUNCH)
    name = instance->program->artifact->kernels[step->plan->launch.kernel].name;
  else
    kind = step->plan->kind == MLOPT_STEP_COPY   ? "a copy"
           : step->plan->kind == MLOPT_STEP_FILL ? "a fill"
                                                 : "a loop or switch";
  snprintf(text, MLOPT_STEP_TEXT,
           "%s%.256s (entry %.128s, segment %u, step %u)", kind, name,
           instance->entry->info.name, step->segment, step->number);
  return text;
}

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

static void *allocate(MloptInstance *instance, size_t count, size_t size) {
  return mloptPoolAllocate(&instance->pool, count, size);
}

/// Whether the step may start before the one just before it in its piece has
/// ended, when both are put on one stream.
static bool followsProgrammatically(const MloptPlanStep *plan,
                                    uint32_t number) {
  for (uint32_t i = 0; i < plan->edge_count; ++i)
    if (plan->edges[i].programmatic && plan->edges[i].step + 1 == number)
      return true;
  return false;
}

static void setConfig(MloptInstance *instance, MloptStep *step) {
  const MloptPlanLaunch *launch = &step->plan->launch;
  CuLaunchConfig *config = &step->config;
  *config = (CuLaunchConfig){.gridDimX = launch->grid[0],
                             .gridDimY = launch->grid[1],
                             .gridDimZ = launch->grid[2],
                             .blockDimX = launch->block[0],
                             .blockDimY = launch->block[1],
                             .blockDimZ = launch->block[2],
                             .sharedMemBytes = launch->dynamic_shared_bytes,
                             .attrs = step->attributes};
  if (launch->cluster[0]) {
    CuLaunchAttribute *attribute = &step->attributes[config->numAttrs++];
    attribute->id = MLOPT_CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute->value.clusterDim.x = launch->cluster[0];
    attribute->value.clusterDim.y = launch->cluster[1];
    attribute->value.clusterDim.z = launch->cluster[2];
  }
  if (followsProgrammatically(step->plan, step->number)) {
    CuLaunchAttribute *attribute = &step->attributes[config->numAttrs++];
    attribute->id = MLOPT_CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    attribute->value.programmaticStreamSerializationAllowed = 1;
  }
  step->function = instance->program->functions[launch->kernel];
}

static void addUse(MloptInstance *instance, uint32_t step, uint32_t argument,
                   const MloptPlace *place) {
  if (place->home != MLOPT_HOME_ARGUMENT && place->home != MLOPT_HOME_RESULT)
    return;
  uint32_t pointer = place->index;
  if (place->home == MLOPT_HOME_RESULT)
    pointer += instance->entry->info.argument_count;
  instance->uses[instance->use_count++] = (MloptUse){pointer, step, argument};
  instance->steps[step].external = true;
}

static void layOutArguments(MloptInstance *instance, uint32_t number) {
  MloptStep *step = &instance->steps[number];
  const MloptPlanLaunch *launch = &step->plan->launch;
  for (uint32_t i = 0; i < launch->argument_count; ++i) {
    const MloptPlanArgument *argument = &launch->arguments[i];
    uint32_t alignment = argument->map ? _Alignof(CuTensorMap) : 8;
    uint32_t offset = (instance->value_bytes + alignment - 1) & -alignment;
    uint32_t at = instance->argument_count++;
    instance->arguments[at] = argument;
    instance->value_offsets[at] = offset;
    instance->value_bytes =
        offset + (argument->map ? (uint32_t)sizeof(CuTensorMap) : 8);
    if (argument->kind != MLOPT_ARGUMENT_SCALAR)
      addUse(instance, number, at, &argument->place);
  }
}

/// Appends a step, to the last piece if it can follow there.
static void layOutStep(MloptInstance *instance, uint32_t segment,
                       uint32_t number) {
  uint32_t at = instance->step_count++;
  MloptStep *step = &instance->steps[at];
  step->plan = &instance->entry->segments[segment].steps[number];
  step->segment = segment;
  step->number = number;
  step->first_argument = instance->argument_count;
  bool control = mloptIsControlStep(step->plan);
  MloptPiece *last = instance->piece_count
                         ? &instance->pieces[instance->piece_count - 1]
                         : NULL;
  if (!last || control || last->control || last->segment != segment) {
    last = &instance->pieces[instance->piece_count++];
    *last = (MloptPiece){.segment = segment, .first = at, .control = control};
  }
  ++last->count;
  step->piece = instance->piece_count - 1;
  if (instance->mode == MLOPT_LAUNCH_GRAPH && last->count > 1)
    instance->has_graphs = true;
  if (step->plan->kind == MLOPT_STEP_LAUNCH) {
    setConfig(instance, step);
    layOutArguments(instance, at);
  } else if (step->plan->kind == MLOPT_STEP_COPY) {
    addUse(instance, at, UINT32_MAX, &step->plan->copy.source);
    addUse(instance, at, UINT32_MAX, &step->plan->copy.target);
  } else if (step->plan->kind == MLOPT_STEP_FILL) {
    addUse(instance, at, UINT32_MAX, &step->plan->fill.target);
  }
}

static MloptStatus *layOut(MloptInstance *instance) {
  const MloptPlanEntry *entry = instance->entry;
  size_t steps = 0, arguments = 0;
  for (uint32_t i = 0; i < entry->segment_count; ++i) {
    steps += entry->segments[i].step_count;
    for (uint32_t j = 0; j < entry->segments[i].step_count; ++j)
      if (entry->segments[i].steps[j].kind == MLOPT_STEP_LAUNCH)
        arguments += entry->segments[i].steps[j].launch.argument_count;
  }
  instance->pointer_count =
      entry->info.argument_count + entry->info.result_count;
  instance->pointers =
      allocate(instance, instance->pointer_count, sizeof(uint64_t));
  instance->changed = allocate(instance, instance->pointer_count, sizeof(bool));
  instance->located =
      allocate(instance, instance->pointer_count, sizeof(uint64_t));
  instance->steps = allocate(instance, steps, sizeof(MloptStep));
  instance->pieces = allocate(instance, steps, sizeof(MloptPiece));
  instance->dirty_steps = allocate(instance, steps, sizeof(uint32_t));
  instance->arguments =
      allocate(instance, arguments, sizeof(MloptPlanArgument *));
  instance->value_offsets = allocate(instance, arguments, sizeof(uint32_t));
  // A copy uses two places.
  instance->uses = allocate(instance, arguments + 2 * steps, sizeof(MloptUse));
  instance->segment_pieces =
      allocate(instance, entry->segment_count + 1u, sizeof(uint32_t));
  instance->bindings =
      allocate(instance, instance->binding_limit, sizeof(MloptBinding *));
  if (!instance->pointers || !instance->changed || !instance->located ||
      !instance->steps || !instance->pieces || !instance->dirty_steps ||
      !instance->arguments || !instance->value_offsets || !instance->uses ||
      !instance->segment_pieces || !instance->bindings)
    return mloptCreateHostMemoryStatus();
  for (uint32_t i = 0; i < entry->segment_count; ++i) {
    instance->segment_pieces[i] = instance->piece_count;
    for (uint32_t j = 0; j < entry->segments[i].step_count; ++j)
      layOutStep(instance, i, j);
  }
  instance->segment_pieces[entry->segment_count] = instance->piece_count;
  return NULL;
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

static MloptStatus *allocateMemory(MloptInstance *instance) {
  MloptDevice *device = instance->program->device;
  const MloptEntryInfo *info = &instance->entry->info;
  char what[256];
  snprintf(what, sizeof what, "the arena of entry %.128s", info->name);
  MLOPT_TRY(
      mloptAllocateDevice(device, info->arena_bytes, what, &instance->arena));
  instance->statistics.device_bytes = info->arena_bytes;
  if (!info->has_control_flow)
    return NULL;
  void *flag = NULL;
  CuResult error = device->cuda.memHostAlloc(&flag, sizeof *instance->flag, 0);
  if (error)
    return mloptCreateCudaStatus(device, error, "cuMemHostAlloc",
                                 "page-locked memory for the flags of entry "
                                 "%.128s",
                                 info->name);
  instance->flag = flag;
  return NULL;
}

MloptStatus *mloptCreateInstance(MloptProgram *program, uint32_t entry,
                                 const MloptInstanceOptions *options,
                                 MloptInstance **out_instance) {
  *out_instance = NULL;
  if (entry >= program->artifact->entry_count)
    return mloptCreateStatus(
        MLOPT_INVALID_ARGUMENT, "%s has %u entries, there is no entry %u",
        program->artifact->name, program->artifact->entry_count, entry);
  uint32_t limit = options ? options->remembered_bindings : 0;
  if ((options && (unsigned)options->mode > MLOPT_LAUNCH_CHECKED) ||
      limit > BINDING_LIMIT)
    return mloptCreateStatus(MLOPT_INVALID_ARGUMENT,
                             "launch mode %d with %u remembered bindings; "
                             "there are modes 0 to 2 and at most %d bindings",
                             options ? (int)options->mode : 0, limit,
                             BINDING_LIMIT);
  bool pushed;
  MLOPT_TRY(mloptEnterDevice(program->device, &pushed));
  MloptStatus *status = NULL;
  MloptInstance *instance = calloc(1, sizeof *instance);
  if (instance) {
    instance->program = mloptRetainProgram(program);
    instance->entry = &program->artifact->entries[entry];
    instance->mode = options ? options->mode : MLOPT_LAUNCH_GRAPH;
    instance->binding_limit = limit ? limit : DEFAULT_BINDINGS;
    instance->rebound = true;
    status = layOut(instance);
    if (!status)
      status = allocateMemory(instance);
  } else {
    status = mloptCreateHostMemoryStatus();
  }
  mloptLeaveDevice(program->device, pushed);
  if (status)
    mloptReleaseInstance(instance);
  else
    *out_instance = instance;
  return status;
}

void mloptReleaseInstance(MloptInstance *instance) {
  if (!instance)
    return;
  MloptDevice *device = instance->program->device;
  bool pushed;
  mloptEnterDeviceToRelease(device, &pushed);
  mloptReleaseBindings(instance);
  for (uint32_t i = 0; i < instance->piece_count; ++i)
    if (instance->pieces[i].graph)
      device->cuda.graphDestroy(instance->pieces[i].graph);
  mloptFreeDevice(device, instance->arena);
  mloptFreeDevice(device, instance->host_block);
  if (instance->flag)
    device->cuda.memFreeHost(instance->flag);
  if (instance->host_stream)
    device->cuda.streamDestroy(instance->host_stream);
  mloptLeaveDevice(device, pushed);
  mloptPoolFree(&instance->pool);
  mloptReleaseProgram(instance->program);
  free(instance);
}

void mloptGetStatistics(const MloptInstance *instance,
                        MloptStatistics *out_statistics) {
  *out_statistics = instance->statistics;
}

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

static MloptStatus *createPointerStatus(const MloptInstance *instance,
                                        const char *kind, uint32_t index,
                                        const MloptTensorInfo *tensor,
                                        uint64_t pointer) {
  const char *entry = instance->entry->info.name;
  if (!pointer)
    return mloptCreateStatus(
        MLOPT_INVALID_ARGUMENT,
        "entry %.128s: %s %u (%.64s) needs %llu bytes of device memory, the "
        "pointer is null",
        entry, kind, index, tensor->name,
        (unsigned long long)tensor->byte_size);
  return mloptCreateStatus(
      MLOPT_INVALID_ARGUMENT,
      "entry %.128s: %s %u (%.64s) is at %#llx, its kernels need a multiple of "
      "%u; copy it to aligned memory, or compile without the assumption",
      entry, kind, index, tensor->name, (unsigned long long)pointer,
      tensor->alignment);
}

/// A tensor without elements fits anywhere.
static inline bool fits(const MloptTensorInfo *tensor, uint64_t pointer) {
  return !tensor->byte_size ||
         (pointer && !(pointer & (tensor->alignment - 1)));
}

static MloptStatus *checkPointers(const MloptInstance *instance,
                                  const char *kind, uint32_t count,
                                  const MloptTensorInfo *tensors,
                                  const uint64_t *pointers) {
  for (uint32_t i = 0; i < count; ++i)
    if (__builtin_expect(!fits(&tensors[i], pointers[i]), 0))
      return createPointerStatus(instance, kind, i, &tensors[i], pointers[i]);
  return NULL;
}

static inline void setPointer(MloptInstance *instance, uint32_t at,
                              const MloptTensorInfo *tensor, uint64_t pointer) {
  if (!tensor->byte_size)
    return;
  instance->rebound |= instance->pointers[at] != pointer;
  instance->pointers[at] = pointer;
}

MloptStatus *mloptBindPointers(MloptInstance *instance,
                               const uint64_t *arguments,
                               const uint64_t *results) {
  const MloptEntryInfo *info = &instance->entry->info;
  MLOPT_TRY(checkPointers(instance, "argument", info->argument_count,
                          info->arguments, arguments));
  MLOPT_TRY(checkPointers(instance, "result", info->result_count, info->results,
                          results));
  for (uint32_t i = 0; i < info->argument_count; ++i)
    setPointer(instance, i, &info->arguments[i], arguments[i]);
  for (uint32_t i = 0; i < info->result_count; ++i)
    setPointer(instance, info->argument_count + i, &info->results[i],
               results[i]);
  return NULL;
}

static MloptStatus *bindOne(MloptInstance *instance, const char *kind,
                            uint32_t index, uint32_t count,
                            const MloptTensorInfo *tensors, uint32_t first,
                            uint64_t pointer) {
  if (index >= count)
    return mloptCreateStatus(
        MLOPT_INVALID_ARGUMENT, "entry %.128s has %u %ss, there is no %s %u",
        instance->entry->info.name, count, kind, kind, index);
  if (!fits(&tensors[index], pointer))
    return createPointerStatus(instance, kind, index, &tensors[index], pointer);
  setPointer(instance, first + index, &tensors[index], pointer);
  return NULL;
}

MloptStatus *mloptBindArgument(MloptInstance *instance, uint32_t index,
                               uint64_t pointer) {
  const MloptEntryInfo *info = &instance->entry->info;
  return bindOne(instance, "argument", index, info->argument_count,
                 info->arguments, 0, pointer);
}

MloptStatus *mloptBindResult(MloptInstance *instance, uint32_t index,
                             uint64_t pointer) {
  const MloptEntryInfo *info = &instance->entry->info;
  return bindOne(instance, "result", index, info->result_count, info->results,
                 info->argument_count, pointer);
}
