//===- binding.c - What depends on one set of pointers --------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A binding holds the kernels' parameters for one set of the caller's pointers
// and, for each piece, an executable graph with them. A set that is kept costs
// nothing to return to. A new set takes the place of the one unused for longest
// and patches what differs: about a microsecond for each kernel that takes a
// changed pointer. Another binding, with graphs of its own, is made only when
// a set that was given up comes back, so that a caller who alternates between
// buffers soon has all of them ready, and one who never repeats pays for no
// graphs but the first.
//
//===----------------------------------------------------------------------===//

#include "runtime.h"

#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

static void destroyGraphs(MloptInstance *instance, MloptBinding *binding) {
  for (uint32_t i = 0; i < instance->piece_count; ++i)
    if (binding->execs[i]) {
      instance->program->device->cuda.graphExecDestroy(binding->execs[i]);
      binding->execs[i] = NULL;
    }
}

static void releaseBinding(MloptInstance *instance, MloptBinding *binding) {
  if (binding->execs)
    destroyGraphs(instance, binding);
  free(binding->pointers);
  free(binding->values);
  free(binding->parameters);
  free(binding->execs);
  free(binding);
}

void mloptReleaseBindings(MloptInstance *instance) {
  for (uint32_t i = 0; i < instance->binding_count; ++i)
    releaseBinding(instance, instance->bindings[i]);
  instance->binding_count = 0;
  instance->current = NULL;
}

/// Writes what a kernel receives for an argument. Scalars are little-endian, so
/// that a kernel which takes fewer bytes finds them first.
static MloptStatus *encodeArgument(MloptInstance *instance,
                                   MloptBinding *binding, const MloptStep *step,
                                   uint32_t number) {
  const MloptPlanArgument *argument = instance->arguments[number];
  void *value = binding->parameters[number];
  if (argument->kind == MLOPT_ARGUMENT_SCALAR) {
    memcpy(value, &argument->bits, sizeof argument->bits);
    return NULL;
  }
  CUdeviceptr address = mloptGetAddress(instance, binding, &argument->place);
  if (argument->kind == MLOPT_ARGUMENT_MAP)
    return mloptEncodeMap(instance, step, argument->map, address, value);
  memcpy(value, &address, sizeof address);
  return NULL;
}

/// Everything that does not depend on the caller's pointers.
static MloptStatus *encodeFixed(MloptInstance *instance,
                                MloptBinding *binding) {
  for (uint32_t i = 0; i < instance->step_count; ++i) {
    const MloptStep *step = &instance->steps[i];
    if (step->plan->kind != MLOPT_STEP_LAUNCH)
      continue;
    for (uint32_t j = 0; j < step->plan->launch.argument_count; ++j) {
      uint32_t number = step->first_argument + j;
      const MloptPlanArgument *argument = instance->arguments[number];
      if (argument->kind == MLOPT_ARGUMENT_SCALAR ||
          argument->place.home == MLOPT_HOME_ARENA ||
          argument->place.home == MLOPT_HOME_CONSTANT)
        MLOPT_TRY(encodeArgument(instance, binding, step, number));
    }
  }
  return NULL;
}

static MloptStatus *createBinding(MloptInstance *instance,
                                  MloptBinding **out_binding) {
  *out_binding = NULL;
  MloptBinding *binding = calloc(1, sizeof *binding);
  if (!binding)
    return mloptCreateHostMemoryStatus();
  size_t alignment = _Alignof(CuTensorMap);
  size_t bytes = (instance->value_bytes / alignment + 1) * alignment;
  binding->pointers = calloc(instance->pointer_count + 1u, sizeof(uint64_t));
  binding->values = aligned_alloc(alignment, bytes);
  binding->parameters = calloc(instance->argument_count + 1u, sizeof(void *));
  binding->execs = calloc(instance->piece_count + 1u, sizeof(CUgraphExec));
  MloptStatus *status = NULL;
  if (!binding->pointers || !binding->values || !binding->parameters ||
      !binding->execs) {
    status = mloptCreateHostMemoryStatus();
  } else {
    for (uint32_t i = 0; i < instance->argument_count; ++i)
      binding->parameters[i] = binding->values + instance->value_offsets[i];
    status = encodeFixed(instance, binding);
  }
  if (status)
    releaseBinding(instance, binding);
  else
    *out_binding = binding;
  return status;
}

//===----------------------------------------------------------------------===//
// Rebinding
//===----------------------------------------------------------------------===//

/// Encodes the uses of changed pointers and lists their steps.
static MloptStatus *encodeChanged(MloptInstance *instance,
                                  MloptBinding *binding,
                                  uint32_t *out_dirty_count) {
  for (uint32_t i = 0; i < instance->use_count; ++i) {
    const MloptUse *use = &instance->uses[i];
    MloptStep *step = &instance->steps[use->step];
    if (!instance->changed[use->pointer])
      continue;
    if (!step->dirty) {
      step->dirty = true;
      instance->dirty_steps[(*out_dirty_count)++] = use->step;
    }
    if (use->argument != UINT32_MAX)
      MLOPT_TRY(encodeArgument(instance, binding, step, use->argument));
  }
  return NULL;
}

/// Gives the binding the instance's pointers. After a failure it is invalid, so
/// that the next call encodes everything, and its half-patched graphs are gone.
static MloptStatus *rebind(MloptInstance *instance, MloptBinding *binding) {
  for (uint32_t i = 0; i < instance->pointer_count; ++i)
    instance->changed[i] =
        !binding->valid || binding->pointers[i] != instance->pointers[i];
  memcpy(binding->pointers, instance->pointers,
         instance->pointer_count * sizeof *binding->pointers);
  uint32_t dirty_count = 0;
  MloptStatus *status = encodeChanged(instance, binding, &dirty_count);
  for (uint32_t i = 0; i < dirty_count; ++i) {
    MloptStep *step = &instance->steps[instance->dirty_steps[i]];
    step->dirty = false;
    if (!status && binding->execs[step->piece])
      status = mloptPatchStep(instance, binding, step);
  }
  if (status)
    destroyGraphs(instance, binding);
  binding->valid = !status;
  return status;
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

static uint64_t hashPointers(const MloptInstance *instance,
                             const uint64_t *pointers) {
  return mloptChecksum(0, pointers, instance->pointer_count * sizeof *pointers);
}

static bool wasGivenUp(const MloptInstance *instance, uint64_t hash) {
  for (int i = 0; i < MLOPT_HISTORY; ++i)
    if (instance->history[i] == hash)
      return true;
  return false;
}

static MloptBinding *giveUpOldest(MloptInstance *instance) {
  MloptBinding *oldest = instance->bindings[0];
  for (uint32_t i = 1; i < instance->binding_count; ++i) {
    MloptBinding *other = instance->bindings[i];
    if (oldest->valid && (!other->valid || other->last_use < oldest->last_use))
      oldest = other;
  }
  if (oldest->valid) {
    instance->history[instance->history_next] =
        hashPointers(instance, oldest->pointers);
    instance->history_next = (instance->history_next + 1) % MLOPT_HISTORY;
  }
  return oldest;
}

static const MloptTensorInfo *getTensor(const MloptEntryInfo *info,
                                        uint32_t pointer) {
  return pointer < info->argument_count
             ? &info->arguments[pointer]
             : &info->results[pointer - info->argument_count];
}

static MloptStatus *checkAllBound(const MloptInstance *instance) {
  const MloptEntryInfo *info = &instance->entry->info;
  for (uint32_t i = 0; i < instance->pointer_count; ++i) {
    bool argument = i < info->argument_count;
    uint32_t index = argument ? i : i - info->argument_count;
    const MloptTensorInfo *tensor = getTensor(info, i);
    if (!instance->pointers[i] && tensor->byte_size)
      return mloptCreateStatus(MLOPT_INVALID_ARGUMENT,
                               "entry %.128s: %s %u (%.64s) is not bound; call "
                               "mloptBindPointers first",
                               info->name, argument ? "argument" : "result",
                               index, tensor->name);
  }
  return NULL;
}

static MloptStatus *createOverlapStatus(const MloptInstance *instance,
                                        uint32_t result, uint32_t other) {
  const MloptEntryInfo *info = &instance->entry->info;
  bool argument = other < info->argument_count;
  uint32_t count = info->argument_count;
  return mloptCreateStatus(
      MLOPT_INVALID_ARGUMENT,
      "entry %.128s: result %u (%.64s) at %#llx and %s %u (%.64s) at %#llx "
      "share memory; a result needs memory of its own",
      info->name, result - count, getTensor(info, result)->name,
      (unsigned long long)instance->pointers[result],
      argument ? "argument" : "result", argument ? other : other - count,
      getTensor(info, other)->name,
      (unsigned long long)instance->pointers[other]);
}

/// Kernels read arguments after others have written results, so a result may
/// share memory with nothing.
static MloptStatus *checkApart(const MloptInstance *instance) {
  const MloptEntryInfo *info = &instance->entry->info;
  const uint64_t *at = instance->pointers;
  for (uint32_t i = info->argument_count; i < instance->pointer_count; ++i) {
    uint64_t end = at[i] + getTensor(info, i)->byte_size;
    for (uint32_t j = 0; j < i; ++j)
      if (at[j] < end && at[i] < at[j] + getTensor(info, j)->byte_size)
        return createOverlapStatus(instance, i, j);
  }
  return NULL;
}

MloptStatus *mloptChooseBinding(MloptInstance *instance) {
  MLOPT_TRY(checkAllBound(instance));
  MloptBinding *chosen = NULL;
  size_t size = instance->pointer_count * sizeof *instance->pointers;
  for (uint32_t i = 0; i < instance->binding_count && !chosen; ++i)
    if (instance->bindings[i]->valid &&
        !memcmp(instance->bindings[i]->pointers, instance->pointers, size))
      chosen = instance->bindings[i];
  if (chosen) {
    ++instance->statistics.bindings_recalled;
  } else {
    MLOPT_TRY(checkApart(instance));
    bool room = instance->binding_count < instance->binding_limit;
    bool recurs =
        !instance->has_graphs ||
        wasGivenUp(instance, hashPointers(instance, instance->pointers));
    if (!instance->binding_count || (room && recurs)) {
      MLOPT_TRY(createBinding(instance, &chosen));
      instance->bindings[instance->binding_count++] = chosen;
    } else {
      chosen = giveUpOldest(instance);
    }
    instance->current = NULL;
    MLOPT_TRY(rebind(instance, chosen));
  }
  chosen->last_use = ++instance->clock;
  instance->current = chosen;
  instance->rebound = false;
  return NULL;
}
