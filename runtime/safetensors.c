//===- safetensors.c - Weights in files -----------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file: the size of the header in 8 bytes, the header, data. The header is
// one JSON object,
//
//   {"__metadata__": {...},
//    "w": {"dtype": "BF16", "shape": [16, 8], "data_offsets": [0, 256]}, ...}
//
// with offsets from the start of the data. One tensor is looked for; the rest
// is only skipped over.
//
//===----------------------------------------------------------------------===//

#include "runtime.h"

#include <string.h>

enum { DEPTH_LIMIT = 64, HEADER_LIMIT = 100 << 20 };

typedef struct Cursor {
  const char *at, *end;
} Cursor;

typedef struct Text {
  const char *start;
  size_t length;
} Text;

typedef struct Tensor {
  Text dtype;
  uint32_t rank;
  uint64_t shape[MLOPT_PLAN_RANK_LIMIT];
  uint64_t begin, end;
} Tensor;

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static void skipSpace(Cursor *cursor) {
  while (cursor->at < cursor->end && strchr(" \t\r\n", *cursor->at) &&
         *cursor->at)
    ++cursor->at;
}

/// Steps over this character, after spaces, if it comes next.
static bool take(Cursor *cursor, char character) {
  skipSpace(cursor);
  if (cursor->at == cursor->end || *cursor->at != character)
    return false;
  ++cursor->at;
  return true;
}

/// A string as it is written, escapes included.
static bool takeString(Cursor *cursor, Text *out_text) {
  if (!take(cursor, '"'))
    return false;
  const char *start = cursor->at;
  while (cursor->at < cursor->end && *cursor->at != '"') {
    cursor->at += *cursor->at == '\\';
    if (cursor->at < cursor->end)
      ++cursor->at;
  }
  *out_text = (Text){start, (size_t)(cursor->at - start)};
  return take(cursor, '"');
}

static bool takeNumber(Cursor *cursor, uint64_t *out_value) {
  skipSpace(cursor);
  const char *start = cursor->at;
  uint64_t value = 0;
  while (cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9')
    if (__builtin_mul_overflow(value, 10u, &value) ||
        __builtin_add_overflow(value, (uint64_t)(*cursor->at++ - '0'), &value))
      return false;
  *out_value = value;
  return cursor->at != start;
}

/// An array of at most `limit` natural numbers.
static bool takeNumbers(Cursor *cursor, uint32_t limit, uint64_t *out_values,
                        uint32_t *out_count) {
  *out_count = 0;
  if (!take(cursor, '['))
    return false;
  if (take(cursor, ']'))
    return true;
  do {
    if (*out_count == limit || !takeNumber(cursor, &out_values[*out_count]))
      return false;
    ++*out_count;
  } while (take(cursor, ','));
  return take(cursor, ']');
}

/// Steps over any value: only strings and brackets need understanding.
static bool skipValue(Cursor *cursor) {
  int depth = 0;
  Text text;
  do {
    skipSpace(cursor);
    if (cursor->at == cursor->end)
      return false;
    char next = *cursor->at;
    if (next == '"') {
      if (!takeString(cursor, &text))
        return false;
      continue;
    }
    if (!depth && (next == ',' || next == '}' || next == ']'))
      return false;
    depth += (next == '{' || next == '[') - (next == '}' || next == ']');
    ++cursor->at;
    // A bare word or number at the top goes on to the next separator.
    if (!depth && next != '}' && next != ']')
      while (cursor->at < cursor->end && !strchr(",}] \t\r\n", *cursor->at))
        ++cursor->at;
  } while (depth > 0 && depth <= DEPTH_LIMIT);
  return depth == 0;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static bool isText(Text text, const char *words) {
  return text.length == strlen(words) &&
         !memcmp(text.start, words, text.length);
}

static bool takeTensor(Cursor *cursor, Tensor *tensor) {
  bool has_type = false, has_shape = false, has_offsets = false;
  if (!take(cursor, '{'))
    return false;
  do {
    Text key;
    uint64_t offsets[2];
    uint32_t count;
    if (!takeString(cursor, &key) || !take(cursor, ':'))
      return false;
    if (isText(key, "dtype")) {
      has_type = takeString(cursor, &tensor->dtype);
      if (!has_type)
        return false;
    } else if (isText(key, "shape")) {
      has_shape = takeNumbers(cursor, MLOPT_PLAN_RANK_LIMIT, tensor->shape,
                              &tensor->rank);
      if (!has_shape)
        return false;
    } else if (isText(key, "data_offsets")) {
      has_offsets = takeNumbers(cursor, 2, offsets, &count) && count == 2;
      if (!has_offsets)
        return false;
      tensor->begin = offsets[0];
      tensor->end = offsets[1];
    } else if (!skipValue(cursor)) {
      return false;
    }
  } while (take(cursor, ','));
  return take(cursor, '}') && has_type && has_shape && has_offsets;
}

/// Whether a dtype of the file is stored as this element type is; signedness
/// makes no difference to the bits.
static bool isElement(Text dtype, const char *element) {
  static const struct {
    const char *element, *dtype;
  } elements[] = {
#define MLOPT_ELEMENT(name, bits, safetensors, dlpack) {name, safetensors},
#include "elements.def"
  };
  for (size_t i = 0; i < sizeof elements / sizeof *elements; ++i) {
    const char *wanted = elements[i].dtype;
    if (strcmp(elements[i].element, element) || !wanted)
      continue;
    if (isText(dtype, wanted))
      return true;
    return wanted[0] == 'I' && dtype.length && dtype.start[0] == 'U' &&
           isText((Text){dtype.start + 1, dtype.length - 1}, wanted + 1);
  }
  return false;
}

static MloptStatus *bad(const char *file_name, const char *tensor,
                        const char *what) {
  return mloptCreateStatus(MLOPT_BAD_ARTIFACT,
                           "weight file %.256s, tensor %.128s: %s", file_name,
                           tensor, what);
}

static MloptStatus *checkTensor(const Tensor *found, const char *file_name,
                                const char *tensor, const MloptTensorInfo *type,
                                uint64_t data_size) {
  if (!isElement(found->dtype, type->element))
    return bad(file_name, tensor,
               "the file has another element type than the "
               "program");
  bool same = found->rank == type->rank;
  for (uint32_t i = 0; same && i < type->rank; ++i)
    same = found->shape[i] == (uint64_t)type->shape[i];
  if (!same)
    return bad(file_name, tensor,
               "the file has another shape than the program");
  if (found->begin > found->end || found->end > data_size ||
      found->end - found->begin != type->byte_size)
    return bad(file_name, tensor, "its data lies outside the file");
  return NULL;
}

MloptStatus *mloptFindWeight(MloptBytes file, const char *file_name,
                             const char *tensor, const MloptTensorInfo *type,
                             const uint8_t **out_data) {
  uint64_t size = 0;
  if (file.size >= 8)
    memcpy(&size, file.data, 8);
  if (file.size < 8 || size > file.size - 8 || size > HEADER_LIMIT)
    return bad(file_name, tensor, "this is no .safetensors file");
  Cursor cursor = {(const char *)file.data + 8,
                   (const char *)file.data + 8 + size};
  if (!take(&cursor, '{'))
    return bad(file_name, tensor, "this is no .safetensors file");
  do {
    Text key;
    Tensor found = {0};
    if (!takeString(&cursor, &key) || !take(&cursor, ':'))
      break;
    if (!isText(key, tensor)) {
      if (!skipValue(&cursor))
        break;
      continue;
    }
    if (!takeTensor(&cursor, &found))
      return bad(file_name, tensor, "its header is damaged");
    MLOPT_TRY(
        checkTensor(&found, file_name, tensor, type, file.size - 8 - size));
    *out_data = file.data + 8 + size + found.begin;
    return NULL;
  } while (take(&cursor, ','));
  return bad(file_name, tensor, "the file has no such tensor");
}
