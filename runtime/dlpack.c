//===- dlpack.c - Tensors as DLPack describes them ------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A DLTensor says where it is and what: all that would make a kernel read the
// wrong memory is held against the signature, and what is left is an address.
//
//===----------------------------------------------------------------------===//

#include "runtime.h"

#include <stdio.h>
#include <string.h>

/// DLTensor of dlpack.h; its layout is DLPack's ABI.
typedef struct DLTensor {
  uint64_t data;
  int32_t device_type, device;
  int32_t rank;
  uint8_t code, bits;
  uint16_t lanes;
  const int64_t *shape;
  const int64_t *strides; ///< in elements; NULL: dense
  uint64_t byte_offset;
} DLTensor;

/// DLDeviceType and DLDataTypeCode.
enum { DL_CUDA = 2, DL_CUDA_MANAGED = 13 };
enum { DL_INT = 0, DL_UINT = 1 };

static const struct {
  const char *name;
  uint8_t bits, code;
} elements[] = {
#define MLOPT_ELEMENT(name, bits, safetensors, dlpack) {name, bits, dlpack},
#include "elements.def"
};

/// Integers have no sign here, and what is packed comes as a row of bytes.
static bool hasElements(const DLTensor *tensor, const MloptTensorInfo *type,
                        bool *out_packed) {
  size_t row = 0;
  while (strcmp(elements[row].name, type->element) != 0)
    ++row; // the artifact's reader knows no others
  *out_packed = elements[row].bits < 8;
  bool same_code = tensor->code == elements[row].code ||
                   (elements[row].code == DL_INT && tensor->code == DL_UINT);
  return same_code && tensor->lanes == 1 &&
         tensor->bits == (*out_packed ? 8 : elements[row].bits);
}

static bool hasShape(const DLTensor *tensor, uint32_t rank,
                     const int64_t *shape) {
  return tensor->rank == (int32_t)rank &&
         (!rank || !memcmp(tensor->shape, shape, rank * sizeof *shape));
}

/// Where there is nothing to step over, strides may be anything.
static bool isDense(const DLTensor *tensor) {
  int64_t step = 1;
  bool dense = true, empty = false;
  for (int32_t i = tensor->rank; tensor->strides && i-- > 0;) {
    dense &= tensor->shape[i] <= 1 || tensor->strides[i] == step;
    empty |= !tensor->shape[i];
    step *= tensor->shape[i];
  }
  return dense || empty;
}

static void printShape(uint32_t rank, const int64_t *shape, char *text,
                       size_t size) {
  size_t used = 0;
  text[0] = 0;
  for (uint32_t i = 0; i < rank && used < size; ++i)
    used += (size_t)snprintf(text + used, size - used, "%s%lld", i ? "x" : "",
                             (long long)shape[i]);
}

/// Why a tensor does not fit, in words that follow its name.
static void explain(const DLTensor *tensor, const MloptTensorInfo *type,
                    int device, uint32_t rank, const int64_t *shape, char *text,
                    size_t size) {
  enum { SHAPE_TEXT = 128 };
  char have[SHAPE_TEXT], want[SHAPE_TEXT];
  bool packed;
  if (tensor->device_type != DL_CUDA && tensor->device_type != DL_CUDA_MANAGED)
    snprintf(text, size, "is on the CPU; the program is on GPU %d", device);
  else if (tensor->device != device)
    snprintf(text, size, "is on GPU %d; the program is on GPU %d",
             tensor->device, device);
  else if (!hasElements(tensor, type, &packed))
    snprintf(text, size,
             "elements are of DLPack's type %u with %u bits, not %s",
             tensor->code, tensor->bits, type->element);
  else if (!hasShape(tensor, rank, shape)) {
    printShape((uint32_t)tensor->rank, tensor->shape, have, sizeof have);
    printShape(rank, shape, want, sizeof want);
    snprintf(text, size, "shape is (%s), not (%s)", have, want);
  } else
    snprintf(text, size, "is not contiguous; make it so first");
}

/// The address of a tensor that fits.
static MloptStatus *locate(const MloptProgram *program,
                           const MloptEntryInfo *info, uint32_t index,
                           const DLTensor *tensor, uint64_t *out_pointer) {
  bool is_argument = index < info->argument_count;
  uint32_t number = is_argument ? index : index - info->argument_count;
  const MloptTensorInfo *type =
      is_argument ? &info->arguments[number] : &info->results[number];
  int device = program->device->ordinal;
  bool packed = false;
  bool fits = (tensor->device_type == DL_CUDA ||
               tensor->device_type == DL_CUDA_MANAGED) &&
              tensor->device == device && hasElements(tensor, type, &packed);
  const int64_t bytes = (int64_t)type->byte_size;
  uint32_t rank = packed ? 1 : type->rank;
  const int64_t *shape = packed ? &bytes : type->shape;
  *out_pointer = tensor->data + tensor->byte_offset;
  if (fits && hasShape(tensor, rank, shape) && isDense(tensor))
    return NULL;
  char why[512];
  explain(tensor, type, device, rank, shape, why, sizeof why);
  return mloptCreateStatus(MLOPT_INVALID_ARGUMENT, "%.128s: %s %u (%.64s): %s",
                           info->name, is_argument ? "argument" : "result",
                           number, type->name, why);
}

MloptStatus *mloptLocateDLTensor(const MloptProgram *program, uint32_t entry,
                                 uint32_t index, const void *tensor,
                                 uint64_t *out_pointer) {
  *out_pointer = 0;
  const MloptEntryInfo *info = mloptGetEntry(program->artifact, entry);
  if (!info || index >= info->argument_count + info->result_count)
    return mloptCreateStatus(MLOPT_INVALID_ARGUMENT,
                             "%s has no entry %u that takes a tensor %u",
                             program->artifact->name, entry, index);
  return locate(program, info, index, tensor, out_pointer);
}

MloptStatus *mloptBindDLTensors(MloptInstance *instance,
                                const void *const *arguments,
                                const void *const *results) {
  const MloptEntryInfo *info = &instance->entry->info;
  uint64_t *pointers = instance->located;
  for (uint32_t i = 0; i < instance->pointer_count; ++i)
    MLOPT_TRY(locate(instance->program, info, i,
                     i < info->argument_count
                         ? arguments[i]
                         : results[i - info->argument_count],
                     &pointers[i]));
  return mloptBindPointers(instance, pointers, pointers + info->argument_count);
}
