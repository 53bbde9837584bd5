//===- npy.c - The header of numpy's .npy format --------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dictionary is read by a recursive-descent parser over the three forms of
// value that numpy writes: a string, True or False, and a tuple of integers.
//
//===----------------------------------------------------------------------===//

#include "npy.h"

#include <inttypes.h>
#include <string.h>

static const uint8_t magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
enum { LARGEST_HEADER = 64 * 1024 };

bool mloptNpyHeaderSize(const uint8_t *bytes, size_t size, size_t *headerSize,
                        MloptError *error) {
  *headerSize = 0;
  if (size < sizeof magic + 4 || memcmp(bytes, magic, sizeof magic))
    return mloptSetError(error, "not in .npy format");
  int version = bytes[6];
  if (version < 1 || version > 3)
    return mloptSetError(error, "its .npy version %d.%d is not known", version,
                         bytes[7]);
  size_t fixed = version == 1 ? 10 : 12;
  if (size < fixed)
    return mloptSetError(error, "its .npy header is truncated");
  size_t length = bytes[8] | (size_t)bytes[9] << 8;
  if (version > 1)
    length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
  if (length > LARGEST_HEADER - fixed)
    return mloptSetError(error, "its .npy header of %zu bytes exceeds %d",
                         length, (int)LARGEST_HEADER);
  *headerSize = fixed + length;
  return true;
}

//===----------------------------------------------------------------------===//
// The dictionary
//===----------------------------------------------------------------------===//

typedef struct Reader {
  const char *at, *end;
} Reader;

static void skipSpace(Reader *r) {
  while (r->at < r->end &&
         (*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r'))
    ++r->at;
}

/// Consumes `text` after white space if it stands there.
static bool accept(Reader *r, const char *text) {
  skipSpace(r);
  size_t length = strlen(text);
  if ((size_t)(r->end - r->at) < length || memcmp(r->at, text, length))
    return false;
  r->at += length;
  return true;
}

/// Reads a quoted string without escapes into `out`.
static bool readString(Reader *r, char *out, size_t size) {
  skipSpace(r);
  if (r->at == r->end || (*r->at != '\'' && *r->at != '"'))
    return false;
  char quote = *r->at++;
  size_t length = 0;
  for (; r->at < r->end && *r->at != quote; ++r->at) {
    if (*r->at == '\\' || length + 1 >= size)
      return false;
    out[length++] = *r->at;
  }
  out[length] = 0;
  return r->at < r->end && r->at++ != NULL;
}

static bool readSize(Reader *r, int64_t *out) {
  skipSpace(r);
  const char *start = r->at;
  *out = 0;
  for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; ++r->at)
    if (__builtin_mul_overflow(*out, 10, out) ||
        __builtin_add_overflow(*out, *r->at - '0', out))
      return false;
  accept(r, "L"); // Python 2 wrote long integers so
  return r->at > start;
}

/// `()`, `(3,)`, `(3, 4)`.
static bool readShape(Reader *r, MloptNpyHeader *header) {
  if (!accept(r, "("))
    return false;
  header->rank = 0;
  while (!accept(r, ")")) {
    if (header->rank == MLOPT_TENSOR_MAX_RANK ||
        !readSize(r, &header->shape[header->rank++]))
      return false;
    if (!accept(r, ","))
      return accept(r, ")");
  }
  return true;
}

/// `<f4`, `|b1`: byte order, kind, size. Only the host's order is read, and
/// hosts are little-endian.
static bool parseDescr(const char *descr, MloptNpyHeader *header,
                       MloptError *error) {
  size_t length = strlen(descr);
  char bytes = length == 3 ? descr[2] : 0;
  bool known = strchr("<|=>", descr[0]) && length == 3 &&
               (descr[1] == 'f'   ? strchr("248", bytes)
                : descr[1] == 'b' ? strchr("1", bytes)
                                  : strchr("1248", bytes)) &&
               strchr("fbiu", descr[1]);
  if (!known)
    return mloptSetError(error,
                         "its element type '%s' is no float, integer or bool "
                         "of a known width",
                         descr);
  header->kind = descr[1];
  header->bytes = bytes - '0';
  if (descr[0] == '>' && header->bytes > 1)
    return mloptSetError(error, "its element type '%s' is big-endian", descr);
  return true;
}

bool mloptNpyParseHeader(const uint8_t *bytes, size_t headerSize,
                         MloptNpyHeader *header, MloptError *error) {
  *header = (MloptNpyHeader){0};
  Reader r = {(const char *)bytes + (bytes[6] == 1 ? 10 : 12),
              (const char *)bytes + headerSize};
  enum { DESCR = 1, ORDER = 2, SHAPE = 4 };
  int seen = 0;
  char descr[64] = "";
  bool good = accept(&r, "{");
  while (good && !accept(&r, "}")) {
    char key[32];
    good = readString(&r, key, sizeof key) && accept(&r, ":");
    if (!good)
      break;
    int field = !strcmp(key, "descr")           ? DESCR
                : !strcmp(key, "fortran_order") ? ORDER
                : !strcmp(key, "shape")         ? SHAPE
                                                : 0;
    good = field && !(seen & field);
    seen |= field;
    if (field == DESCR)
      good = good && readString(&r, descr, sizeof descr);
    else if (field == SHAPE)
      good = good && readShape(&r, header);
    else
      good = good &&
             ((header->fortran = accept(&r, "True")) || accept(&r, "False"));
    if (good && !accept(&r, ",")) {
      good = accept(&r, "}");
      break;
    }
  }
  skipSpace(&r);
  if (!good || seen != (DESCR | ORDER | SHAPE) || r.at != r.end)
    return mloptSetError(error, "its .npy header is not what numpy writes for "
                                "an array of numbers");
  return parseDescr(descr, header, error);
}

size_t mloptNpyWriteHeader(const MloptNpyHeader *header, char *out,
                           size_t capacity) {
  enum { FIXED = 10, ALIGNMENT = 64 };
  memcpy(out, magic, sizeof magic);
  out[6] = 1;
  out[7] = 0;
  char order = header->bytes == 1 ? '|' : '<';
  int used = FIXED + snprintf(out + FIXED, capacity - FIXED,
                              "{'descr': '%c%c%d', 'fortran_order': False, "
                              "'shape': (",
                              order, header->kind, header->bytes);
  for (int d = 0; d < header->rank; ++d)
    used += snprintf(out + used, capacity - (size_t)used, "%s%" PRId64,
                     d ? ", " : "", header->shape[d]);
  used += snprintf(out + used, capacity - (size_t)used, "%s), }",
                   header->rank == 1 ? "," : "");
  int size = (used + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  memset(out + used, ' ', (size_t)(size - used - 1));
  out[size - 1] = '\n';
  out[8] = (char)((size - FIXED) & 0xff);
  out[9] = (char)((size - FIXED) >> 8);
  return (size_t)size;
}

char *mloptNpyTypeText(const MloptNpyHeader *header, char *text, size_t size) {
  const char *kind = header->kind == 'f'   ? "float"
                     : header->kind == 'b' ? "bool"
                     : header->kind == 'u' ? "uint"
                                           : "int";
  int used = header->kind == 'b'
                 ? snprintf(text, size, "%s[", kind)
                 : snprintf(text, size, "%s%d[", kind, header->bytes * 8);
  for (int d = 0; d < header->rank && used < (int)size; ++d)
    used += snprintf(text + used, size - (size_t)used, "%s%" PRId64,
                     d ? ", " : "", header->shape[d]);
  if (used < (int)size)
    snprintf(text + used, size - (size_t)used, "]");
  return text;
}
