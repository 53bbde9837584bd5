//===- artifact_steps.c - Making the steps of an artifact -----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "artifact_writer.h"

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static uint32_t addStep(MloptEntryWriter *entry, uint32_t segment,
                        Mlopt__Step__ActionCase action, Mlopt__Step **out) {
  CREATE(entry->writer, Mlopt__Step, step, mlopt__step__init);
  *out = NULL;
  if (entry->writer->failed || segment >= entry->message->n_segments)
    return 0;
  step->action_case = action;
  *out = step;
  return APPEND(entry->writer, entry->message->segments[segment], steps, step);
}

static Mlopt__TensorMap *createMap(MloptArtifactWriter *writer,
                                   const MloptLaunchArgument *argument) {
  CREATE(writer, Mlopt__TensorMap, message, mlopt__tensor_map__init);
  if (!message)
    return NULL;
  const MloptPlanMap *map = &argument->map;
  message->buffer = argument->buffer;
  message->offset = mloptWriterCreateOffset(writer, argument->offset);
  message->access = (Mlopt__Access)argument->access;
  message->data_type = mloptWriterCopyText(writer, argument->type);
  bool strided = false;
  for (uint32_t i = 0; i < map->rank && i < 5; ++i) {
    Mlopt__Size *size = mloptWriterCreateSize(writer, map->dims[i]);
    APPEND(writer, message, dims, size);
    if (i) {
      size = mloptWriterCreateSize(writer, map->strides[i - 1]);
      APPEND(writer, message, strides, size);
    }
    if (!map->pixels || i < 2)
      APPEND(writer, message, box, map->box[i]);
    if (map->pixels && i && i + 1 < map->rank) {
      APPEND(writer, message, low, map->low[i - 1]);
      APPEND(writer, message, high, map->high[i - 1]);
    }
    strided |= map->element_strides[i] > 1;
  }
  for (uint32_t i = 0; strided && i < map->rank && i < 5; ++i)
    APPEND(writer, message, element_strides, map->element_strides[i]);
  message->swizzle = (Mlopt__Swizzle)map->swizzle;
  message->l2_promotion = (Mlopt__L2Promotion)map->l2_promotion;
  message->out_of_bounds = (Mlopt__OutOfBounds)map->out_of_bounds;
  return message;
}

static Mlopt__Argument *createArgument(MloptArtifactWriter *writer,
                                       const MloptLaunchArgument *argument) {
  CREATE(writer, Mlopt__Argument, message, mlopt__argument__init);
  if (!message)
    return NULL;
  if (argument->kind == MLOPT_ARGUMENT_POINTER) {
    CREATE(writer, Mlopt__Pointer, pointer, mlopt__pointer__init);
    if (!pointer)
      return NULL;
    pointer->buffer = argument->buffer;
    pointer->offset = mloptWriterCreateOffset(writer, argument->offset);
    pointer->access = (Mlopt__Access)argument->access;
    message->kind_case = MLOPT__ARGUMENT__KIND_POINTER;
    message->pointer = pointer;
  } else if (argument->kind == MLOPT_ARGUMENT_SCALAR) {
    CREATE(writer, Mlopt__Scalar, scalar, mlopt__scalar__init);
    if (!scalar)
      return NULL;
    scalar->bytes = argument->bytes;
    scalar->value_case = MLOPT__SCALAR__VALUE_BITS;
    scalar->bits = argument->bits;
    message->kind_case = MLOPT__ARGUMENT__KIND_SCALAR;
    message->scalar = scalar;
  } else {
    message->kind_case = MLOPT__ARGUMENT__KIND_TENSOR_MAP;
    message->tensor_map = createMap(writer, argument);
  }
  return message;
}

uint32_t mloptAddLaunch(MloptEntryWriter *entry, uint32_t segment,
                        const MloptLaunchParts *parts) {
  Mlopt__Step *step;
  if (!entry)
    return 0;
  MloptArtifactWriter *writer = entry->writer;
  uint32_t number = addStep(entry, segment, MLOPT__STEP__ACTION_LAUNCH, &step);
  CREATE(writer, Mlopt__Launch, launch, mlopt__launch__init);
  if (!step || !launch)
    return 0;
  step->launch = launch;
  launch->kernel = parts->kernel;
  for (int i = 0; i < 3; ++i) {
    Mlopt__Size *size = mloptWriterCreateSize(writer, parts->grid[i]);
    APPEND(writer, launch, grid, size);
    APPEND(writer, launch, block, parts->block[i]);
    if (parts->cluster[0])
      APPEND(writer, launch, cluster, parts->cluster[i]);
  }
  launch->dynamic_shared_bytes =
      mloptWriterCreateOffset(writer, parts->dynamic_shared_bytes);
  for (uint32_t i = 0; i < parts->argument_count; ++i) {
    Mlopt__Argument *argument = createArgument(writer, &parts->arguments[i]);
    APPEND(writer, launch, arguments, argument);
  }
  return number;
}

uint32_t mloptAddCopy(MloptEntryWriter *entry, uint32_t segment,
                      uint32_t source, uint64_t source_offset, uint32_t target,
                      uint64_t target_offset, uint64_t bytes) {
  Mlopt__Step *step;
  if (!entry)
    return 0;
  uint32_t number = addStep(entry, segment, MLOPT__STEP__ACTION_COPY, &step);
  CREATE(entry->writer, Mlopt__Copy, copy, mlopt__copy__init);
  if (!step || !copy)
    return 0;
  copy->source = source;
  copy->source_offset = mloptWriterCreateOffset(entry->writer, source_offset);
  copy->target = target;
  copy->target_offset = mloptWriterCreateOffset(entry->writer, target_offset);
  copy->bytes = mloptWriterCreateSize(entry->writer, bytes);
  step->copy = copy;
  return number;
}

uint32_t mloptAddFill(MloptEntryWriter *entry, uint32_t segment,
                      uint32_t target, uint64_t target_offset,
                      uint32_t element_bytes, uint32_t value, uint64_t count) {
  Mlopt__Step *step;
  if (!entry)
    return 0;
  uint32_t number = addStep(entry, segment, MLOPT__STEP__ACTION_FILL, &step);
  CREATE(entry->writer, Mlopt__Fill, fill, mlopt__fill__init);
  if (!step || !fill)
    return 0;
  fill->target = target;
  fill->target_offset = mloptWriterCreateOffset(entry->writer, target_offset);
  fill->element_bytes = element_bytes;
  fill->value = value;
  fill->count = mloptWriterCreateSize(entry->writer, count);
  step->fill = fill;
  return number;
}

static Mlopt__Flag *createFlag(MloptArtifactWriter *writer,
                               MloptFlagParts parts) {
  CREATE(writer, Mlopt__Flag, flag, mlopt__flag__init);
  if (flag) {
    flag->buffer = parts.buffer;
    flag->offset = mloptWriterCreateOffset(writer, parts.offset);
    flag->bytes = parts.bytes;
  }
  return flag;
}

uint32_t mloptAddWhile(MloptEntryWriter *entry, uint32_t segment,
                       uint32_t condition, MloptFlagParts flag, uint32_t body) {
  Mlopt__Step *step;
  if (!entry)
    return 0;
  uint32_t number =
      addStep(entry, segment, MLOPT__STEP__ACTION_WHILE_LOOP, &step);
  CREATE(entry->writer, Mlopt__While, loop, mlopt__while__init);
  if (!step || !loop)
    return 0;
  loop->condition = condition;
  loop->flag = createFlag(entry->writer, flag);
  loop->body = body;
  step->while_loop = loop;
  return number;
}

uint32_t mloptAddRepeat(MloptEntryWriter *entry, uint32_t segment,
                        uint64_t count, uint32_t body) {
  Mlopt__Step *step;
  if (!entry)
    return 0;
  uint32_t number = addStep(entry, segment, MLOPT__STEP__ACTION_REPEAT, &step);
  CREATE(entry->writer, Mlopt__Repeat, repeat, mlopt__repeat__init);
  if (!step || !repeat)
    return 0;
  repeat->count = mloptWriterCreateSize(entry->writer, count);
  repeat->body = body;
  step->repeat = repeat;
  return number;
}

uint32_t mloptAddSwitch(MloptEntryWriter *entry, uint32_t segment,
                        MloptFlagParts flag, uint32_t case_count,
                        const uint32_t *cases) {
  Mlopt__Step *step;
  if (!entry)
    return 0;
  uint32_t number =
      addStep(entry, segment, MLOPT__STEP__ACTION_SWITCH_ON, &step);
  CREATE(entry->writer, Mlopt__Switch, message, mlopt__switch__init);
  if (!step || !message)
    return 0;
  message->flag = createFlag(entry->writer, flag);
  for (uint32_t i = 0; i < case_count; ++i)
    APPEND(entry->writer, message, cases, cases[i]);
  step->switch_on = message;
  return number;
}

void mloptAddEdge(MloptEntryWriter *entry, uint32_t segment, uint32_t before,
                  bool programmatic) {
  if (!entry || segment >= entry->message->n_segments ||
      !entry->message->segments[segment]->n_steps)
    return;
  Mlopt__Segment *message = entry->message->segments[segment];
  CREATE(entry->writer, Mlopt__Edge, edge, mlopt__edge__init);
  if (!edge)
    return;
  edge->step = before;
  edge->programmatic = programmatic;
  APPEND(entry->writer, message->steps[message->n_steps - 1], after, edge);
}
