//===- tensor.c - Dense tensors in the host's memory ----------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tensor.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const MloptElementInfo infos[] = {
#define MLOPT_ELEMENT(id, ...) [MLOPT_##id] = {__VA_ARGS__},
#include "elements.def"
};

const MloptElementInfo *mloptElementInfo(MloptElement e) {
  return infos[e].name ? &infos[e] : NULL;
}

//===----------------------------------------------------------------------===//
// Shape and storage
//===----------------------------------------------------------------------===//

int64_t mloptTensorCount(const MloptTensor *t) {
  int64_t count = 1;
  for (int d = 0; d < t->rank; ++d)
    count *= t->shape[d];
  return count;
}

size_t mloptTensorBytes(const MloptTensor *t) {
  return (size_t)mloptTensorCount(t) * (size_t)infos[t->element].bytes;
}

bool mloptTensorSetType(MloptTensor *t, MloptElement element, int rank,
                        const int64_t *shape, MloptError *error) {
  *t = (MloptTensor){.element = element};
  if (rank < 0 || rank > MLOPT_TENSOR_MAX_RANK)
    return mloptSetError(error, "rank %d exceeds %d", rank,
                         (int)MLOPT_TENSOR_MAX_RANK);
  // Sizes of zero are left out of the product, so that no order of the
  // dimensions lets it overflow before the zero is met.
  int64_t bytes = infos[element].bytes;
  for (int d = 0; d < rank; ++d) {
    if (shape[d] < 0)
      return mloptSetError(error, "dimension %d has size %" PRId64, d,
                           shape[d]);
    if (shape[d] && bytes > (INT64_C(1) << 62) / shape[d])
      return mloptSetError(error, "the shape is too large for memory");
    bytes *= shape[d] ? shape[d] : 1;
    t->shape[d] = shape[d];
  }
  t->rank = rank;
  return true;
}

bool mloptTensorAllocate(MloptTensor *t, MloptError *error) {
  enum { ALIGNMENT = 64 };
  size_t bytes = mloptTensorBytes(t);
  size_t rounded = (bytes / ALIGNMENT + 1) * ALIGNMENT;
  t->data = aligned_alloc(ALIGNMENT, rounded);
  if (!t->data)
    return mloptSetError(error, "no memory for a tensor of %zu bytes", bytes);
  memset(t->data, 0, rounded);
  return true;
}

void mloptTensorRelease(MloptTensor *t) {
  free(t->data);
  t->data = NULL;
}

bool mloptTensorSameType(const MloptTensor *a, const MloptTensor *b) {
  return a->element == b->element && a->rank == b->rank &&
         !memcmp(a->shape, b->shape, (size_t)a->rank * sizeof *a->shape);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

uint64_t mloptTensorGetBits(const MloptTensor *t, int64_t i) {
  switch (infos[t->element].bytes) {
  case 1:
    return ((const uint8_t *)t->data)[i];
  case 2:
    return ((const uint16_t *)t->data)[i];
  case 4:
    return ((const uint32_t *)t->data)[i];
  default:
    return ((const uint64_t *)t->data)[i];
  }
}

void mloptTensorSetBits(MloptTensor *t, int64_t i, uint64_t bits) {
  switch (infos[t->element].bytes) {
  case 1:
    ((uint8_t *)t->data)[i] = (uint8_t)bits;
    break;
  case 2:
    ((uint16_t *)t->data)[i] = (uint16_t)bits;
    break;
  case 4:
    ((uint32_t *)t->data)[i] = (uint32_t)bits;
    break;
  default:
    ((uint64_t *)t->data)[i] = bits;
  }
}

double mloptTensorGet(const MloptTensor *t, int64_t i) {
  uint64_t bits = mloptTensorGetBits(t, i);
  if (mloptNumberIsFloat(t->element))
    return mloptNumberAsDouble(t->element, bits);
  return (double)mloptNumberToInt(t->element, bits);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// snprintf at the end of a string; what does not fit is cut.
__attribute__((format(printf, 3, 4))) static void
append(char *text, size_t size, const char *format, ...) {
  size_t used = strlen(text);
  va_list args;
  va_start(args, format);
  vsnprintf(text + used, size - used, format, args);
  va_end(args);
}

char *mloptTensorTypeText(const MloptTensor *t, char *text, size_t size) {
  snprintf(text, size, "tensor<");
  for (int d = 0; d < t->rank; ++d)
    append(text, size, "%" PRId64 "x", t->shape[d]);
  append(text, size, "%s>", infos[t->element].name);
  return text;
}

char *mloptTensorIndexText(const MloptTensor *t, int64_t i, char *text,
                           size_t size) {
  int64_t index[MLOPT_TENSOR_MAX_RANK];
  for (int d = t->rank; d-- > 0; i /= t->shape[d])
    index[d] = i % t->shape[d];
  snprintf(text, size, "[");
  for (int d = 0; d < t->rank; ++d)
    append(text, size, "%s%" PRId64, d ? ", " : "", index[d]);
  append(text, size, "]");
  return text;
}

char *mloptTensorValueText(const MloptTensor *t, int64_t i, char *text,
                           size_t size) {
  uint64_t bits = mloptTensorGetBits(t, i);
  if (t->isUnsigned) {
    snprintf(text, size, "%" PRIu64, bits);
    return text;
  }
  if (!mloptNumberIsFloat(t->element)) {
    snprintf(text, size, "%" PRId64, mloptNumberToInt(t->element, bits));
    return text;
  }
  // The fewest digits that read back as the same bits, 17 at most; but at least
  // those before the point, so that 10 is not 1e+01.
  double value = mloptNumberAsDouble(t->element, bits);
  int digits = 1;
  if (fabs(value) < 1e7)
    for (double power = 10; fabs(value) >= power; power *= 10)
      ++digits;
  for (; digits <= 17; ++digits) {
    snprintf(text, size, "%.*g", digits, value);
    if (isnan(value) ||
        mloptNumberFromDouble(t->element, strtod(text, NULL)) == bits)
      break;
  }
  return text;
}

void mloptTensorPrint(const MloptTensor *t, FILE *file) {
  enum { MOST = 32 };
  int64_t count = mloptTensorCount(t), shown = count < MOST ? count : MOST;
  for (int64_t i = 0; i < shown; ++i) {
    int64_t inner = 1; // elements inside one bracket of the depth at hand
    int opened = 0, closed = 0;
    for (int d = t->rank; d-- > 0;) {
      inner *= t->shape[d];
      opened += i % inner == 0;
      closed += (i + 1) % inner == 0;
    }
    fprintf(file, "%s%.*s", i ? ", " : "", opened, "[[[[[[[[[[[[[[[[");
    char text[64];
    fputs(mloptTensorValueText(t, i, text, sizeof text), file);
    fprintf(file, "%.*s", closed, "]]]]]]]]]]]]]]]]");
  }
  if (count == 0)
    fputs("[]", file);
  if (shown < count)
    fprintf(file, ", ... (%" PRId64 " elements)", count);
}
