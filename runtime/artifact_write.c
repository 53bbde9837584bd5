//===- artifact_write.c - Making an artifact --------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The message grows in a pool while parts are added; a pool without memory
// leaves NULL in it and sets `failed`, which writing reports.
//
//===----------------------------------------------------------------------===//

#include "artifact_write.h"

#include "artifact.pb-c.h"
#include "file.h"

#include <stdlib.h>
#include <string.h>

/// Bytes that go into a section at `offset`.
typedef struct Piece {
  MloptBytes bytes;
  uint64_t offset;
} Piece;

typedef struct Section {
  size_t count;
  Piece **pieces;
  uint64_t size;
} Section;

struct MloptArtifactWriter {
  MloptPool pool;
  bool failed;
  Mlopt__Plan *plan;
  Section sections[MLOPT_SECTION_COUNT];
};

struct MloptEntryWriter {
  MloptArtifactWriter *writer;
  Mlopt__Entry *message;
};

//===----------------------------------------------------------------------===//
// Messages in the pool
//===----------------------------------------------------------------------===//

static void *allocate(MloptArtifactWriter *writer, size_t count, size_t size) {
  void *memory = mloptPoolAllocate(&writer->pool, count, size);
  writer->failed |= !memory;
  return memory;
}

static char *copyText(MloptArtifactWriter *writer, const char *text) {
  char *copy = mloptPoolCopyText(&writer->pool, text);
  writer->failed |= !copy;
  return copy;
}

/// A message of type `Mlopt__name`, initialised.
#define CREATE(writer, type, variable, init)                                   \
  type *variable = allocate((writer), 1, sizeof(type));                        \
  if (variable)                                                                \
  init(variable)

/// Makes room for one more in an array of `count` elements, which doubles when
/// the count is a power of two. Returns the array, or NULL.
static void *grow(MloptArtifactWriter *writer, void *array, size_t count,
                  size_t size) {
  if (count & (count - 1))
    return array;
  void *larger = allocate(writer, count ? 2 * count : 1, size);
  if (larger && count)
    memcpy(larger, array, count * size);
  return larger;
}

/// Appends to a repeated field; the number of the new element.
#define APPEND(writer, message, field, value)                                  \
  appendGrown((writer), (void **)&(message)->field, &(message)->n_##field,     \
              sizeof *(message)->field, &(value))

static uint32_t appendGrown(MloptArtifactWriter *writer, void **array,
                            size_t *count, size_t size, const void *value) {
  void *grown = writer->failed ? NULL : grow(writer, *array, *count, size);
  if (!grown)
    return 0;
  *array = grown;
  memcpy((char *)grown + *count * size, value, size);
  return (uint32_t)(*count)++;
}

static Mlopt__Size *createSize(MloptArtifactWriter *writer, uint64_t value) {
  CREATE(writer, Mlopt__Size, size, mlopt__size__init);
  if (size) {
    size->form_case = MLOPT__SIZE__FORM_CONSTANT;
    size->constant = value;
  }
  return size;
}

/// 0 is said by absence.
static Mlopt__Size *createOffset(MloptArtifactWriter *writer, uint64_t value) {
  return value ? createSize(writer, value) : NULL;
}

static Mlopt__Tensor *createTensor(MloptArtifactWriter *writer,
                                   const char *name, const char *element,
                                   uint32_t rank, const int64_t *shape) {
  CREATE(writer, Mlopt__Tensor, tensor, mlopt__tensor__init);
  if (!tensor)
    return NULL;
  tensor->name = copyText(writer, name);
  tensor->element = copyText(writer, element);
  for (uint32_t i = 0; i < rank; ++i) {
    Mlopt__Size *size = createSize(writer, (uint64_t)shape[i]);
    APPEND(writer, tensor, shape, size);
  }
  return tensor;
}

MloptArtifactWriter *mloptCreateArtifactWriter(const char *program,
                                               const char *producer) {
  MloptArtifactWriter *writer = calloc(1, sizeof *writer);
  if (!writer)
    return NULL;
  CREATE(writer, Mlopt__Plan, plan, mlopt__plan__init);
  if (plan) {
    plan->program = copyText(writer, program);
    plan->producer = copyText(writer, producer);
  }
  writer->plan = plan;
  return writer;
}

void mloptReleaseArtifactWriter(MloptArtifactWriter *writer) {
  if (!writer)
    return;
  mloptPoolFree(&writer->pool);
  free(writer);
}

//===----------------------------------------------------------------------===//
// Code and data
//===----------------------------------------------------------------------===//

/// Reserves `size` bytes of a section, of which the first `bytes.size` are
/// given and the rest zero.
static uint64_t addPiece(MloptArtifactWriter *writer, MloptSection number,
                         MloptBytes bytes, uint64_t size, uint64_t alignment) {
  Section *section = &writer->sections[number];
  uint64_t offset = (section->size + alignment - 1) / alignment * alignment;
  Piece *piece = allocate(writer, 1, sizeof *piece);
  if (piece)
    *piece = (Piece){bytes, offset};
  appendGrown(writer, (void **)&section->pieces, &section->count, sizeof piece,
              &piece);
  section->size = offset + size;
  return offset;
}

static Mlopt__Span *createSpan(MloptArtifactWriter *writer, uint64_t offset,
                               uint64_t size) {
  CREATE(writer, Mlopt__Span, span, mlopt__span__init);
  if (span) {
    span->offset = offset;
    span->size = size;
  }
  return span;
}

uint32_t mloptAddModule(MloptArtifactWriter *writer, const char *name,
                        const char *target, const char *ptx, size_t size) {
  CREATE(writer, Mlopt__Module, module, mlopt__module__init);
  if (!module)
    return 0;
  module->name = copyText(writer, name);
  module->target = copyText(writer, target);
  if (size) {
    MloptBytes text = {(const uint8_t *)ptx, size};
    uint64_t offset = addPiece(writer, MLOPT_SECTION_PTX, text, size + 1, 1);
    module->ptx = createSpan(writer, offset, size + 1);
  }
  return APPEND(writer, writer->plan, modules, module);
}

void mloptAddCubin(MloptArtifactWriter *writer, uint32_t module,
                   const char *chip, const void *image, size_t size) {
  CREATE(writer, Mlopt__Cubin, cubin, mlopt__cubin__init);
  if (!cubin || writer->failed)
    return;
  MloptBytes bytes = {image, size};
  uint64_t offset = addPiece(writer, MLOPT_SECTION_CUBINS, bytes, size,
                             MLOPT_SECTION_ALIGNMENT);
  cubin->chip = copyText(writer, chip);
  cubin->image = createSpan(writer, offset, size);
  APPEND(writer, writer->plan->modules[module], cubins, cubin);
}

uint32_t mloptAddKernel(MloptArtifactWriter *writer, uint32_t module,
                        const char *name) {
  CREATE(writer, Mlopt__Kernel, kernel, mlopt__kernel__init);
  if (!kernel)
    return 0;
  kernel->name = copyText(writer, name);
  kernel->module = module;
  return APPEND(writer, writer->plan, kernels, kernel);
}

uint32_t mloptAddConstant(MloptArtifactWriter *writer, const char *name,
                          const char *element, uint32_t rank,
                          const int64_t *shape, const void *data) {
  CREATE(writer, Mlopt__Constant, constant, mlopt__constant__init);
  if (!constant)
    return 0;
  uint64_t size = 0;
  // An impossible type is found when the artifact is read back.
  if (!mloptGetTensorBytes(element, rank, shape, &size))
    size = 0;
  MloptBytes bytes = {data, size};
  constant->type = createTensor(writer, name, element, rank, shape);
  constant->place_case = MLOPT__CONSTANT__PLACE_SECTION_OFFSET;
  constant->section_offset = addPiece(writer, MLOPT_SECTION_CONSTANTS, bytes,
                                      size, MLOPT_SECTION_ALIGNMENT);
  return APPEND(writer, writer->plan, constants, constant);
}

static uint32_t findWeightFile(MloptArtifactWriter *writer, const char *file) {
  for (size_t i = 0; i < writer->plan->n_weight_files; ++i)
    if (!strcmp(writer->plan->weight_files[i], file))
      return (uint32_t)i;
  char *copy = copyText(writer, file);
  return APPEND(writer, writer->plan, weight_files, copy);
}

uint32_t mloptAddWeight(MloptArtifactWriter *writer, const char *name,
                        const char *element, uint32_t rank,
                        const int64_t *shape, const char *file,
                        const char *tensor) {
  CREATE(writer, Mlopt__Constant, constant, mlopt__constant__init);
  CREATE(writer, Mlopt__Weight, weight, mlopt__weight__init);
  if (!constant || !weight || writer->failed)
    return 0;
  weight->file = findWeightFile(writer, file);
  weight->tensor = copyText(writer, tensor);
  constant->type = createTensor(writer, name, element, rank, shape);
  constant->place_case = MLOPT__CONSTANT__PLACE_WEIGHT;
  constant->weight = weight;
  return APPEND(writer, writer->plan, constants, constant);
}

void mloptSetSource(MloptArtifactWriter *writer, const void *data,
                    size_t size) {
  addPiece(writer, MLOPT_SECTION_SOURCE, (MloptBytes){data, size}, size, 1);
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

MloptEntryWriter *mloptAddEntry(MloptArtifactWriter *writer, const char *name) {
  MloptEntryWriter *entry = allocate(writer, 1, sizeof *entry);
  CREATE(writer, Mlopt__Entry, message, mlopt__entry__init);
  if (!entry || !message || writer->failed)
    return NULL;
  message->name = copyText(writer, name);
  *entry = (MloptEntryWriter){writer, message};
  APPEND(writer, writer->plan, entries, message);
  return entry;
}

uint32_t mloptAddArgument(MloptEntryWriter *entry, const char *name,
                          const char *element, uint32_t rank,
                          const int64_t *shape) {
  if (!entry)
    return 0;
  Mlopt__Tensor *tensor =
      createTensor(entry->writer, name, element, rank, shape);
  return APPEND(entry->writer, entry->message, arguments, tensor);
}

uint32_t mloptAddResult(MloptEntryWriter *entry, const char *name,
                        const char *element, uint32_t rank,
                        const int64_t *shape) {
  if (!entry)
    return 0;
  Mlopt__Tensor *tensor =
      createTensor(entry->writer, name, element, rank, shape);
  return APPEND(entry->writer, entry->message, results, tensor);
}

void mloptAddArgumentSource(MloptEntryWriter *entry, const char *name) {
  if (!entry)
    return;
  char *copy = copyText(entry->writer, name);
  APPEND(entry->writer, entry->message, argument_sources, copy);
}

void mloptAddCheck(MloptEntryWriter *entry, const MloptCheckInfo *check) {
  if (!entry)
    return;
  CREATE(entry->writer, Mlopt__Check, message, mlopt__check__init);
  if (!message)
    return;
  message->kind = (Mlopt__CheckKind)check->kind;
  message->actual = check->actual;
  message->expected = check->expected;
  message->min_ulp = check->min_ulp;
  message->max_ulp = check->max_ulp;
  message->tolerance = check->tolerance;
  APPEND(entry->writer, entry->message, checks, message);
}

void mloptSetArenaBytes(MloptEntryWriter *entry, uint64_t bytes) {
  if (entry)
    entry->message->arena_bytes = createOffset(entry->writer, bytes);
}

uint32_t mloptAddBuffer(MloptEntryWriter *entry, MloptPlace place,
                        uint64_t bytes, uint32_t alignment) {
  if (!entry)
    return 0;
  CREATE(entry->writer, Mlopt__Buffer, buffer, mlopt__buffer__init);
  if (!buffer)
    return 0;
  switch (place.home) {
  case MLOPT_HOME_ARENA:
    buffer->home_case = MLOPT__BUFFER__HOME_ARENA_OFFSET;
    buffer->arena_offset = createSize(entry->writer, place.offset);
    break;
  case MLOPT_HOME_ARGUMENT:
    buffer->home_case = MLOPT__BUFFER__HOME_ARGUMENT;
    buffer->argument = place.index;
    break;
  case MLOPT_HOME_RESULT:
    buffer->home_case = MLOPT__BUFFER__HOME_RESULT;
    buffer->result = place.index;
    break;
  case MLOPT_HOME_CONSTANT:
    buffer->home_case = MLOPT__BUFFER__HOME_CONSTANT;
    buffer->constant = place.index;
    break;
  }
  if (place.home != MLOPT_HOME_ARENA)
    buffer->offset = createOffset(entry->writer, place.offset);
  buffer->bytes = createSize(entry->writer, bytes);
  buffer->alignment = alignment;
  return APPEND(entry->writer, entry->message, buffers, buffer);
}

uint32_t mloptAddSegment(MloptEntryWriter *entry) {
  if (!entry)
    return 0;
  CREATE(entry->writer, Mlopt__Segment, segment, mlopt__segment__init);
  return APPEND(entry->writer, entry->message, segments, segment);
}

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
  message->offset = createOffset(writer, argument->offset);
  message->access = (Mlopt__Access)argument->access;
  message->data_type = copyText(writer, argument->type);
  bool strided = false;
  for (uint32_t i = 0; i < map->rank && i < 5; ++i) {
    Mlopt__Size *size = createSize(writer, map->dims[i]);
    APPEND(writer, message, dims, size);
    if (i) {
      size = createSize(writer, map->strides[i - 1]);
      APPEND(writer, message, strides, size);
    }
    APPEND(writer, message, box, map->box[i]);
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
    pointer->offset = createOffset(writer, argument->offset);
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
  uint32_t number =
      addStep(entry, segment, MLOPT__STEP__ACTION_LAUNCH, &step);
  CREATE(writer, Mlopt__Launch, launch, mlopt__launch__init);
  if (!step || !launch)
    return 0;
  step->launch = launch;
  launch->kernel = parts->kernel;
  for (int i = 0; i < 3; ++i) {
    Mlopt__Size *size = createSize(writer, parts->grid[i]);
    APPEND(writer, launch, grid, size);
    APPEND(writer, launch, block, parts->block[i]);
    if (parts->cluster[0])
      APPEND(writer, launch, cluster, parts->cluster[i]);
  }
  launch->dynamic_shared_bytes =
      createOffset(writer, parts->dynamic_shared_bytes);
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
  copy->source_offset = createOffset(entry->writer, source_offset);
  copy->target = target;
  copy->target_offset = createOffset(entry->writer, target_offset);
  copy->bytes = createSize(entry->writer, bytes);
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
  fill->target_offset = createOffset(entry->writer, target_offset);
  fill->element_bytes = element_bytes;
  fill->value = value;
  fill->count = createSize(entry->writer, count);
  step->fill = fill;
  return number;
}

static Mlopt__Flag *createFlag(MloptArtifactWriter *writer,
                               MloptFlagParts parts) {
  CREATE(writer, Mlopt__Flag, flag, mlopt__flag__init);
  if (flag) {
    flag->buffer = parts.buffer;
    flag->offset = createOffset(writer, parts.offset);
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
  repeat->count = createSize(entry->writer, count);
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

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static uint64_t roundUp(uint64_t size) {
  return (size + MLOPT_SECTION_ALIGNMENT - 1) / MLOPT_SECTION_ALIGNMENT *
         MLOPT_SECTION_ALIGNMENT;
}

MloptStatus *mloptSerializeArtifact(MloptArtifactWriter *writer,
                                    uint8_t **out_data, size_t *out_size) {
  *out_data = NULL;
  *out_size = 0;
  if (writer->failed)
    return mloptCreateHostMemoryStatus();
  MloptArtifactHeader header = {.version = MLOPT_ARTIFACT_VERSION,
                                .header_size = sizeof header};
  memcpy(header.magic, MLOPT_ARTIFACT_MAGIC, sizeof header.magic);
  writer->sections[MLOPT_SECTION_PLAN].size =
      mlopt__plan__get_packed_size(writer->plan);
  uint64_t end = sizeof header;
  for (int i = 0; i < MLOPT_SECTION_COUNT; ++i) {
    header.sections[i].offset = roundUp(end);
    header.sections[i].size = writer->sections[i].size;
    end = header.sections[i].offset + header.sections[i].size;
  }
  header.file_size = end;
  uint8_t *data = calloc(1, end);
  if (!data)
    return mloptCreateHostMemoryStatus();
  mlopt__plan__pack(writer->plan,
                    data + header.sections[MLOPT_SECTION_PLAN].offset);
  for (int i = 0; i < MLOPT_SECTION_COUNT; ++i)
    for (size_t j = 0; j < writer->sections[i].count; ++j) {
      const Piece *piece = writer->sections[i].pieces[j];
      if (piece->bytes.size)
        memcpy(data + header.sections[i].offset + piece->offset,
               piece->bytes.data, piece->bytes.size);
    }
  header.checksum =
      mloptChecksum(mloptChecksum(0, &header, sizeof header),
                    data + sizeof header, end - sizeof header);
  memcpy(data, &header, sizeof header);

  MloptArtifact *artifact;
  MloptStatus *status = mloptPrefixStatus(
      mloptReadArtifactFromMemory(data, end, NULL, &artifact),
      "the plan that was put together is wrong");
  mloptReleaseArtifact(artifact);
  if (status) {
    free(data);
    return status;
  }
  *out_data = data;
  *out_size = end;
  return NULL;
}

MloptStatus *mloptWriteArtifact(MloptArtifactWriter *writer, const char *path) {
  uint8_t *data;
  size_t size;
  MLOPT_TRY(mloptSerializeArtifact(writer, &data, &size));
  MloptStatus *status =
      mloptWriteFile(path, &(MloptBytes){data, size}, 1);
  free(data);
  return status;
}
