//===- artifact_write.c - Making an artifact ------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "artifact_writer.h"
#include "file.h"

#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Messages in the pool
//===----------------------------------------------------------------------===//

void *mloptWriterAllocate(MloptArtifactWriter *writer, size_t count,
                          size_t size) {
  void *memory = mloptPoolAllocate(&writer->pool, count, size);
  writer->failed |= !memory;
  return memory;
}

char *mloptWriterCopyText(MloptArtifactWriter *writer, const char *text) {
  char *copy = mloptPoolCopyText(&writer->pool, text);
  writer->failed |= !copy;
  return copy;
}

/// Makes room for one more in an array of `count` elements, which doubles when
/// the count is a power of two. Returns the array, or NULL.
static void *grow(MloptArtifactWriter *writer, void *array, size_t count,
                  size_t size) {
  if (count & (count - 1))
    return array;
  void *larger = mloptWriterAllocate(writer, count ? 2 * count : 1, size);
  if (larger && count)
    memcpy(larger, array, count * size);
  return larger;
}

uint32_t mloptWriterAppend(MloptArtifactWriter *writer, void **array,
                           size_t *count, size_t size, const void *value) {
  void *grown = writer->failed ? NULL : grow(writer, *array, *count, size);
  if (!grown)
    return 0;
  *array = grown;
  memcpy((char *)grown + *count * size, value, size);
  return (uint32_t)(*count)++;
}

Mlopt__Size *mloptWriterCreateSize(MloptArtifactWriter *writer,
                                   uint64_t value) {
  CREATE(writer, Mlopt__Size, size, mlopt__size__init);
  if (size) {
    size->form_case = MLOPT__SIZE__FORM_CONSTANT;
    size->constant = value;
  }
  return size;
}

Mlopt__Size *mloptWriterCreateOffset(MloptArtifactWriter *writer,
                                     uint64_t value) {
  return value ? mloptWriterCreateSize(writer, value) : NULL;
}

static Mlopt__Tensor *createTensor(MloptArtifactWriter *writer,
                                   const char *name, const char *element,
                                   uint32_t rank, const int64_t *shape) {
  CREATE(writer, Mlopt__Tensor, tensor, mlopt__tensor__init);
  if (!tensor)
    return NULL;
  tensor->name = mloptWriterCopyText(writer, name);
  tensor->element = mloptWriterCopyText(writer, element);
  for (uint32_t i = 0; i < rank; ++i) {
    Mlopt__Size *size = mloptWriterCreateSize(writer, (uint64_t)shape[i]);
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
  if (!plan) {
    mloptReleaseArtifactWriter(writer);
    return NULL;
  }
  plan->program = mloptWriterCopyText(writer, program);
  plan->producer = mloptWriterCopyText(writer, producer);
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
  MloptSectionParts *section = &writer->sections[number];
  uint64_t offset = (section->size + alignment - 1) / alignment * alignment;
  MloptPiecePart *piece = mloptWriterAllocate(writer, 1, sizeof *piece);
  if (piece)
    *piece = (MloptPiecePart){bytes, offset};
  mloptWriterAppend(writer, (void **)&section->pieces, &section->count,
                    sizeof piece, &piece);
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
  module->name = mloptWriterCopyText(writer, name);
  module->target = mloptWriterCopyText(writer, target);
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
  cubin->chip = mloptWriterCopyText(writer, chip);
  cubin->image = createSpan(writer, offset, size);
  APPEND(writer, writer->plan->modules[module], cubins, cubin);
}

uint32_t mloptAddKernel(MloptArtifactWriter *writer, uint32_t module,
                        const char *name) {
  CREATE(writer, Mlopt__Kernel, kernel, mlopt__kernel__init);
  if (!kernel)
    return 0;
  kernel->name = mloptWriterCopyText(writer, name);
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
  char *copy = mloptWriterCopyText(writer, file);
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
  weight->tensor = mloptWriterCopyText(writer, tensor);
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
  MloptEntryWriter *entry = mloptWriterAllocate(writer, 1, sizeof *entry);
  CREATE(writer, Mlopt__Entry, message, mlopt__entry__init);
  if (!entry || !message || writer->failed)
    return NULL;
  message->name = mloptWriterCopyText(writer, name);
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
  char *copy = mloptWriterCopyText(entry->writer, name);
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
    entry->message->arena_bytes = mloptWriterCreateOffset(entry->writer, bytes);
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
    buffer->arena_offset = mloptWriterCreateSize(entry->writer, place.offset);
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
    buffer->offset = mloptWriterCreateOffset(entry->writer, place.offset);
  buffer->bytes = mloptWriterCreateSize(entry->writer, bytes);
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
      const MloptPiecePart *piece = writer->sections[i].pieces[j];
      if (piece->bytes.size)
        memcpy(data + header.sections[i].offset + piece->offset,
               piece->bytes.data, piece->bytes.size);
    }
  header.checksum = mloptChecksum(mloptChecksum(0, &header, sizeof header),
                                  data + sizeof header, end - sizeof header);
  memcpy(data, &header, sizeof header);

  MloptArtifact *artifact;
  MloptStatus *status =
      mloptPrefixStatus(mloptReadArtifactFromMemory(data, end, NULL, &artifact),
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
  MloptStatus *status = mloptReplaceFile(path, &(MloptBytes){data, size}, 1);
  free(data);
  return status;
}
