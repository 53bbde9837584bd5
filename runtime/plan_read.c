//===- plan_read.c - Checking a plan's code, data and signatures ----------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plan_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  NAME_LIMIT = 4096, // bytes
  ENTRY_LIMIT = 4096
};
/// More than any GPU has; sums of two such sizes do not overflow.
static const uint64_t byte_limit = (uint64_t)1 << 47;

static MloptStatus *bad(const MloptArtifact *artifact, const char *format, ...)
    __attribute__((format(printf, 2, 3), returns_nonnull));
static MloptStatus *bad(const MloptArtifact *artifact, const char *format,
                        ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return mloptCreateStatus(MLOPT_BAD_ARTIFACT, "%s: %s", artifact->name, text);
}

MloptStatus *mloptCreateEntryStatus(const MloptPlanReader *reader,
                                    const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return bad(reader->artifact, "entry %.64s: %s", reader->entry->info.name,
             text);
}

/// Pool memory for `count` elements, into a typed pointer.
#define ALLOCATE(artifact, pointer, count)                                     \
  (((pointer) =                                                                \
        mloptPoolAllocate(&(artifact)->pool, (count), sizeof *(pointer)))      \
       ? NULL                                                                  \
       : mloptCreateHostMemoryStatus())

MloptStatus *mloptReadSize(const MloptArtifact *artifact,
                           const Mlopt__Size *size, const char *what,
                           uint64_t *out_value) {
  if (!size || size->form_case != MLOPT__SIZE__FORM_CONSTANT)
    return bad(artifact,
               "%s is missing, or of a form that needs a newer "
               "runtime",
               what);
  if (size->constant > byte_limit)
    return bad(artifact, "%s is %llu, which is out of range", what,
               (unsigned long long)size->constant);
  *out_value = size->constant;
  return NULL;
}

MloptStatus *mloptReadOffset(const MloptArtifact *artifact,
                             const Mlopt__Size *offset, const char *what,
                             uint64_t *out_value) {
  *out_value = 0;
  return offset ? mloptReadSize(artifact, offset, what, out_value) : NULL;
}

/// Copies a name that ends up in messages and driver calls.
static MloptStatus *readName(MloptArtifact *artifact, const char *name,
                             const char *what, const char **out_name) {
  size_t length = name ? strnlen(name, NAME_LIMIT + 1) : 0;
  if (length == 0 || length > NAME_LIMIT)
    return bad(artifact, "%s has a name of %s bytes", what,
               length ? "too many" : "no");
  for (size_t i = 0; i < length; ++i)
    if ((unsigned char)name[i] < 0x20 || name[i] == 0x7f)
      return bad(artifact, "%s has a control character in its name", what);
  *out_name = mloptPoolCopyText(&artifact->pool, name);
  return *out_name ? NULL : mloptCreateHostMemoryStatus();
}

static MloptStatus *readSpan(const MloptArtifact *artifact,
                             MloptSection section, const Mlopt__Span *span,
                             const char *what, MloptBytes *out_bytes) {
  MloptBytes whole = artifact->sections[section];
  if (!span || !mloptIsWithin(span->offset, span->size, whole.size))
    return bad(artifact, "%s lies outside its section", what);
  *out_bytes = (MloptBytes){whole.data + span->offset, span->size};
  return NULL;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

/// The driver takes an ELF image without its size and follows what is in it, so
/// that its tables must lie in the image.
static bool isWholeElf(MloptBytes image) {
  const uint8_t *data = image.data;
  if (image.size < 64 || memcmp(data, "\177ELF\2\1", 6))
    return false;
  uint64_t phoff, shoff;
  uint16_t sizes[5]; // phentsize, phnum, shentsize, shnum, shstrndx
  memcpy(&phoff, data + 32, 8);
  memcpy(&shoff, data + 40, 8);
  memcpy(sizes, data + 54, sizeof sizes);
  if (!mloptIsWithin(phoff, (uint64_t)sizes[0] * sizes[1], image.size) ||
      !mloptIsWithin(shoff, (uint64_t)sizes[2] * sizes[3], image.size) ||
      (sizes[1] && sizes[0] < 56) || (sizes[3] && sizes[2] < 64))
    return false;
  for (uint32_t i = 0; i < sizes[3]; ++i) {
    const uint8_t *header = data + shoff + (uint64_t)i * sizes[2];
    uint32_t type;
    uint64_t offset, size;
    memcpy(&type, header + 4, 4);
    memcpy(&offset, header + 24, 8);
    memcpy(&size, header + 32, 8);
    bool takes_no_room = type == 8; // SHT_NOBITS
    if (!takes_no_room && !mloptIsWithin(offset, size, image.size))
      return false;
  }
  return true;
}

static MloptStatus *readCubins(MloptArtifact *artifact,
                               const Mlopt__Module *message,
                               MloptPlanModule *module) {
  MloptPlanCubin *cubins;
  MLOPT_TRY(ALLOCATE(artifact, cubins, message->n_cubins));
  for (size_t i = 0; i < message->n_cubins; ++i) {
    const Mlopt__Cubin *cubin = message->cubins[i];
    MLOPT_TRY(readName(artifact, cubin->chip, "a cubin", &cubins[i].chip));
    MLOPT_TRY(readSpan(artifact, MLOPT_SECTION_CUBINS, cubin->image, "a cubin",
                       &cubins[i].image));
    if (!isWholeElf(cubins[i].image))
      return bad(artifact,
                 "module %.64s: the cubin for %.32s is no whole ELF "
                 "image",
                 module->name, cubins[i].chip);
  }
  module->cubin_count = (uint32_t)message->n_cubins;
  module->cubins = cubins;
  return NULL;
}

static MloptStatus *readModules(MloptArtifact *artifact,
                                const Mlopt__Plan *plan) {
  MLOPT_TRY(ALLOCATE(artifact, artifact->modules, plan->n_modules));
  artifact->module_count = (uint32_t)plan->n_modules;
  for (size_t i = 0; i < plan->n_modules; ++i) {
    const Mlopt__Module *message = plan->modules[i];
    MloptPlanModule *module = &artifact->modules[i];
    MLOPT_TRY(readName(artifact, message->name, "a module", &module->name));
    MLOPT_TRY(readName(artifact, message->target, "a module's target",
                       &module->target));
    MLOPT_TRY(readCubins(artifact, message, module));
    if (!message->ptx) {
      if (!module->cubin_count)
        return bad(artifact, "module %.64s has no code", module->name);
      continue;
    }
    MLOPT_TRY(readSpan(artifact, MLOPT_SECTION_PTX, message->ptx, "a PTX text",
                       &module->ptx));
    const MloptBytes *ptx = &module->ptx;
    if (!ptx->size || memchr(ptx->data, 0, ptx->size) !=
                          (const void *)(ptx->data + ptx->size - 1))
      return bad(artifact,
                 "module %.64s: the PTX is not one text closed by a "
                 "zero byte",
                 module->name);
  }
  return NULL;
}

static MloptStatus *readKernels(MloptArtifact *artifact,
                                const Mlopt__Plan *plan) {
  MLOPT_TRY(ALLOCATE(artifact, artifact->kernels, plan->n_kernels));
  artifact->kernel_count = (uint32_t)plan->n_kernels;
  for (size_t i = 0; i < plan->n_kernels; ++i) {
    MloptPlanKernel *kernel = &artifact->kernels[i];
    MLOPT_TRY(
        readName(artifact, plan->kernels[i]->name, "a kernel", &kernel->name));
    kernel->module = plan->kernels[i]->module;
    if (kernel->module >= artifact->module_count)
      return bad(artifact, "kernel %.64s is in module %u of %u", kernel->name,
                 kernel->module, artifact->module_count);
  }
  return NULL;
}

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

bool mloptGetTensorBytes(const char *element, uint32_t rank,
                         const int64_t *shape, uint64_t *out_bytes) {
  static const struct {
    const char *name;
    uint32_t bits;
  } elements[] = {
#define MLOPT_ELEMENT(name, bits, safetensors, dlpack) {name, bits},
#include "elements.def"
  };
  uint64_t bits = 0;
  for (size_t i = 0; i < sizeof elements / sizeof *elements; ++i)
    if (!strcmp(elements[i].name, element))
      bits = elements[i].bits;
  if (!bits)
    return false;
  for (uint32_t i = 0; i < rank; ++i)
    if (shape[i] < 0 || __builtin_mul_overflow(bits, (uint64_t)shape[i], &bits))
      return false;
  *out_bytes = bits / 8 + (bits % 8 != 0);
  return *out_bytes <= byte_limit;
}

static MloptStatus *readTensor(MloptArtifact *artifact,
                               const Mlopt__Tensor *message, const char *what,
                               MloptTensorInfo *out_info) {
  if (!message)
    return bad(artifact, "%s has no type", what);
  MLOPT_TRY(readName(artifact, message->name, what, &out_info->name));
  MLOPT_TRY(readName(artifact, message->element, "an element type",
                     &out_info->element));
  if (message->n_shape > MLOPT_PLAN_RANK_LIMIT)
    return bad(artifact, "%s %.64s has rank %zu, more than %d", what,
               out_info->name, message->n_shape, MLOPT_PLAN_RANK_LIMIT);
  int64_t *shape;
  MLOPT_TRY(ALLOCATE(artifact, shape, message->n_shape));
  for (size_t i = 0; i < message->n_shape; ++i) {
    uint64_t size;
    MLOPT_TRY(mloptReadSize(artifact, message->shape[i], "a dimension", &size));
    shape[i] = (int64_t)size;
  }
  out_info->rank = (uint32_t)message->n_shape;
  out_info->shape = shape;
  out_info->alignment = 1;
  if (!mloptGetTensorBytes(out_info->element, out_info->rank, shape,
                           &out_info->byte_size))
    return bad(artifact, "%s %.64s has the unknown type %.32s, or is too large",
               what, out_info->name, out_info->element);
  return NULL;
}

static MloptStatus *readTensors(MloptArtifact *artifact, size_t count,
                                Mlopt__Tensor **messages, const char *what,
                                MloptTensorInfo **out_infos) {
  MLOPT_TRY(ALLOCATE(artifact, *out_infos, count));
  for (size_t i = 0; i < count; ++i)
    MLOPT_TRY(readTensor(artifact, messages[i], what, &(*out_infos)[i]));
  return NULL;
}

/// A file beside the artifact or below: a plan must not reach elsewhere.
static bool isNearbyPath(const char *path) {
  if (*path == '/')
    return false;
  for (const char *part = path; part; part = strchr(part, '/')) {
    part += *part == '/';
    if (!strncmp(part, "..", 2) && (part[2] == '/' || !part[2]))
      return false;
  }
  return true;
}

static MloptStatus *readConstants(MloptArtifact *artifact,
                                  const Mlopt__Plan *plan) {
  MLOPT_TRY(ALLOCATE(artifact, artifact->weight_files, plan->n_weight_files));
  artifact->weight_file_count = (uint32_t)plan->n_weight_files;
  for (size_t i = 0; i < plan->n_weight_files; ++i) {
    MLOPT_TRY(readName(artifact, plan->weight_files[i], "a weight file",
                       &artifact->weight_files[i]));
    if (!isNearbyPath(artifact->weight_files[i]))
      return bad(artifact,
                 "weight file %.64s is not below the artifact's "
                 "folder",
                 artifact->weight_files[i]);
  }
  MLOPT_TRY(ALLOCATE(artifact, artifact->constants, plan->n_constants));
  artifact->constant_count = (uint32_t)plan->n_constants;
  MloptBytes section = artifact->sections[MLOPT_SECTION_CONSTANTS];
  for (size_t i = 0; i < plan->n_constants; ++i) {
    const Mlopt__Constant *message = plan->constants[i];
    MloptPlanConstant *constant = &artifact->constants[i];
    MLOPT_TRY(readTensor(artifact, message->type, "constant", &constant->type));
    const char *name = constant->type.name;
    if (message->place_case == MLOPT__CONSTANT__PLACE_SECTION_OFFSET) {
      uint64_t offset = message->section_offset;
      if (offset % MLOPT_SECTION_ALIGNMENT ||
          !mloptIsWithin(offset, constant->type.byte_size, section.size))
        return bad(artifact, "constant %.64s lies outside its section", name);
      constant->data = section.data + offset;
    } else if (message->place_case == MLOPT__CONSTANT__PLACE_WEIGHT &&
               message->weight) {
      constant->file = message->weight->file;
      if (constant->file >= artifact->weight_file_count)
        return bad(artifact, "constant %.64s is in weight file %u of %u", name,
                   constant->file, artifact->weight_file_count);
      MLOPT_TRY(readName(artifact, message->weight->tensor, "a weight",
                         &constant->tensor));
    } else {
      return bad(artifact, "constant %.64s is nowhere", name);
    }
  }
  return NULL;
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

/// Where a buffer is, and in which tensor; NULL in the arena.
static MloptStatus *readHome(MloptPlanReader *reader,
                             const Mlopt__Buffer *message, uint32_t number,
                             MloptPlace *place, MloptTensorInfo **outTensor) {
  const MloptArtifact *artifact = reader->artifact;
  const MloptEntryInfo *info = &reader->entry->info;
  uint64_t offset = 0;
  *outTensor = NULL;
  switch (message->home_case) {
  case MLOPT__BUFFER__HOME_ARENA_OFFSET:
    place->home = MLOPT_HOME_ARENA;
    MLOPT_TRY(mloptReadSize(artifact, message->arena_offset,
                            "a buffer's offset", &offset));
    place->offset += offset;
    return NULL;
  case MLOPT__BUFFER__HOME_ARGUMENT:
    place->home = MLOPT_HOME_ARGUMENT;
    place->index = message->argument;
    if (message->argument < info->argument_count)
      *outTensor = &reader->arguments[message->argument];
    break;
  case MLOPT__BUFFER__HOME_RESULT:
    place->home = MLOPT_HOME_RESULT;
    place->index = message->result;
    if (message->result < info->result_count)
      *outTensor = &reader->results[message->result];
    break;
  case MLOPT__BUFFER__HOME_CONSTANT:
    place->home = MLOPT_HOME_CONSTANT;
    place->index = message->constant;
    if (message->constant < artifact->constant_count)
      *outTensor = &artifact->constants[message->constant].type;
    break;
  default:
    return mloptCreateEntryStatus(reader, "buffer %u is nowhere", number);
  }
  if (*outTensor)
    return NULL;
  return mloptCreateEntryStatus(
      reader, "buffer %u is in tensor %u, which does not exist", number,
      place->index);
}

static MloptStatus *readBuffer(MloptPlanReader *reader,
                               const Mlopt__Buffer *message, uint32_t number) {
  const MloptArtifact *artifact = reader->artifact;
  MloptPlanBuffer *buffer = &reader->buffers[number];
  MloptTensorInfo *tensor;
  MLOPT_TRY(
      mloptReadSize(artifact, message->bytes, "a buffer", &buffer->bytes));
  MLOPT_TRY(mloptReadOffset(artifact, message->offset, "a buffer's offset",
                            &buffer->place.offset));
  MLOPT_TRY(readHome(reader, message, number, &buffer->place, &tensor));
  uint64_t limit = tensor ? tensor->byte_size : reader->entry->info.arena_bytes;
  if (!mloptIsWithin(buffer->place.offset, buffer->bytes, limit))
    return mloptCreateEntryStatus(reader,
                                  "buffer %u of %llu bytes at %llu does not "
                                  "fit into %llu bytes",
                                  number, (unsigned long long)buffer->bytes,
                                  (unsigned long long)buffer->place.offset,
                                  (unsigned long long)limit);
  uint32_t alignment = message->alignment ? message->alignment : 1;
  if (alignment & (alignment - 1) || alignment > MLOPT_DEVICE_ALIGNMENT ||
      buffer->place.offset % alignment)
    return mloptCreateEntryStatus(
        reader, "buffer %u at %llu cannot be aligned to %u", number,
        (unsigned long long)buffer->place.offset, alignment);
  if (tensor && tensor->alignment < alignment)
    tensor->alignment = alignment;
  return NULL;
}

static MloptStatus *readChecks(MloptPlanReader *reader) {
  MloptArtifact *artifact = reader->artifact;
  MloptEntryInfo *info = &reader->entry->info;
  const Mlopt__Entry *message = reader->message;
  MloptCheckInfo *checks;
  MLOPT_TRY(ALLOCATE(artifact, checks, message->n_checks));
  for (size_t i = 0; i < message->n_checks; ++i) {
    const Mlopt__Check *check = message->checks[i];
    if ((unsigned)check->kind > MLOPT_CHECK_ALMOST_EQUAL ||
        check->actual >= info->result_count ||
        check->expected >= info->result_count ||
        check->min_ulp > check->max_ulp || !(check->tolerance >= 0))
      return mloptCreateEntryStatus(reader, "check %zu is out of range", i);
    checks[i] = (MloptCheckInfo){(MloptCheckKind)check->kind,
                                 check->actual,
                                 check->expected,
                                 check->min_ulp,
                                 check->max_ulp,
                                 check->tolerance};
  }
  info->check_count = (uint32_t)message->n_checks;
  info->checks = checks;
  return NULL;
}

static bool sameType(const MloptTensorInfo *a, const MloptTensorInfo *b) {
  return !strcmp(a->element, b->element) && a->rank == b->rank &&
         !memcmp(a->shape, b->shape, a->rank * sizeof *a->shape);
}

/// The sources' results must be the entry's trailing arguments. Entries are
/// all read, up to their signatures.
static MloptStatus *readSources(MloptPlanReader *reader) {
  MloptArtifact *artifact = reader->artifact;
  MloptEntryInfo *info = &reader->entry->info;
  const Mlopt__Entry *message = reader->message;
  uint32_t *sources;
  MLOPT_TRY(ALLOCATE(artifact, sources, message->n_argument_sources));
  uint64_t count = 0;
  for (size_t i = 0; i < message->n_argument_sources; ++i) {
    const char *name;
    MLOPT_TRY(readName(artifact, message->argument_sources[i],
                       "an argument source", &name));
    sources[i] = mloptFindEntry(artifact, name);
    const MloptEntryInfo *source = mloptGetEntry(artifact, sources[i]);
    if (!source || source == info || source->argument_count)
      return mloptCreateEntryStatus(
          reader, "its source %.64s is no entry without arguments", name);
    count += source->result_count;
  }
  info->argument_source_count = (uint32_t)message->n_argument_sources;
  info->argument_sources = sources;
  bool same = count <= info->argument_count;
  uint64_t at = info->argument_count - count;
  for (size_t i = 0; same && i < message->n_argument_sources; ++i) {
    const MloptEntryInfo *source = &artifact->entries[sources[i]].info;
    for (uint32_t j = 0; same && j < source->result_count; ++j)
      same = sameType(&source->results[j], &info->arguments[at++]);
  }
  return same ? NULL
              : mloptCreateEntryStatus(
                    reader, "its sources do not give its trailing arguments");
}

static MloptStatus *readSignature(MloptPlanReader *reader) {
  MloptArtifact *artifact = reader->artifact;
  MloptEntryInfo *info = &reader->entry->info;
  const Mlopt__Entry *message = reader->message;
  MLOPT_TRY(readName(artifact, message->name, "an entry", &info->name));
  if (mloptFindEntry(artifact, info->name) !=
      (uint32_t)(reader->entry - artifact->entries))
    return bad(artifact, "two entries are named %.64s", info->name);
  MLOPT_TRY(readTensors(artifact, message->n_arguments, message->arguments,
                        "argument", &reader->arguments));
  info->argument_count = (uint32_t)message->n_arguments;
  info->arguments = reader->arguments;
  MLOPT_TRY(readTensors(artifact, message->n_results, message->results,
                        "result", &reader->results));
  info->result_count = (uint32_t)message->n_results;
  info->results = reader->results;
  return NULL;
}

static MloptStatus *readBody(MloptPlanReader *reader) {
  MloptArtifact *artifact = reader->artifact;
  MloptEntryInfo *info = &reader->entry->info;
  const Mlopt__Entry *message = reader->message;
  MLOPT_TRY(mloptReadOffset(artifact, message->arena_bytes, "the arena's size",
                            &info->arena_bytes));
  MLOPT_TRY(ALLOCATE(artifact, reader->buffers, message->n_buffers));
  reader->buffer_count = (uint32_t)message->n_buffers;
  for (uint32_t i = 0; i < reader->buffer_count; ++i)
    MLOPT_TRY(readBuffer(reader, message->buffers[i], i));
  MLOPT_TRY(readChecks(reader));
  MLOPT_TRY(readSources(reader));
  MLOPT_TRY(ALLOCATE(artifact, reader->written, info->result_count));
  MLOPT_TRY(mloptReadSegments(reader));
  for (uint32_t i = 0; i < info->result_count; ++i)
    if (!reader->written[i] && info->results[i].byte_size)
      return mloptCreateEntryStatus(reader, "no step writes result %.64s",
                                    info->results[i].name);
  return NULL;
}

MloptStatus *mloptReadPlan(MloptArtifact *artifact, const Mlopt__Plan *plan) {
  MLOPT_TRY(
      readName(artifact, plan->program, "the program", &artifact->program));
  MLOPT_TRY(
      readName(artifact, plan->producer, "the producer", &artifact->producer));
  MLOPT_TRY(readModules(artifact, plan));
  MLOPT_TRY(readKernels(artifact, plan));
  MLOPT_TRY(readConstants(artifact, plan));
  if (!plan->n_entries || plan->n_entries > ENTRY_LIMIT)
    return bad(artifact, "it has %zu entries, not 1 to %d", plan->n_entries,
               ENTRY_LIMIT);
  MLOPT_TRY(ALLOCATE(artifact, artifact->entries, plan->n_entries));
  MloptPlanReader *readers;
  MLOPT_TRY(ALLOCATE(artifact, readers, plan->n_entries));
  for (size_t i = 0; i < plan->n_entries; ++i) {
    readers[i] = (MloptPlanReader){.artifact = artifact,
                                   .entry = &artifact->entries[i],
                                   .message = plan->entries[i]};
    artifact->entry_count = (uint32_t)i + 1;
    MLOPT_TRY(readSignature(&readers[i]));
  }
  for (size_t i = 0; i < plan->n_entries; ++i)
    MLOPT_TRY(readBody(&readers[i]));
  return NULL;
}
