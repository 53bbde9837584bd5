//===- npz.c - Named arrays in numpy's .npz files -------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "npz.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unzip.h>
#include <zip.h>

struct MloptNpz {
  unzFile archive;
  char *path;
};

static const char suffix[] = ".npy";

/// The longest name of an entry that is looked at, and its end.
enum { ENTRY_NAME = 256 };

/// The array type that a tensor travels as.
static MloptNpyHeader travelType(const MloptTensor *t) {
  const MloptElementInfo *info = mloptElementInfo(t->element);
  MloptNpyHeader h = {.kind = info->npyKind, .bytes = info->npyBytes};
  if (t->element == MLOPT_I4) {
    h.kind = 'u';
    h.rank = 1;
    h.shape[0] = (mloptTensorCount(t) + 1) / 2;
    return h;
  }
  h.rank = t->rank;
  memcpy(h.shape, t->shape, sizeof h.shape);
  return h;
}

static int64_t arrayCount(const MloptNpyHeader *h) {
  int64_t count = 1;
  for (int d = 0; d < h->rank; ++d)
    count *= h->shape[d];
  return count;
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

/// Whether the record that ends an archive, of 22 bytes and a comment, ends the
/// file. minizip reads zeros past the end and so misses a short last record.
static bool endsWhole(unzFile archive, const char *path) {
  enum { RECORD = 22 };
  unz_global_info64 info;
  FILE *file = fopen(path, "rb");
  char mark[4] = {0};
  bool good = file && unzGetGlobalInfo64(archive, &info) == UNZ_OK &&
              fseek(file, -(long)(RECORD + info.size_comment), SEEK_END) == 0 &&
              fread(mark, 1, sizeof mark, file) == sizeof mark &&
              !memcmp(mark, "PK\5\6", sizeof mark);
  if (file)
    fclose(file);
  return good;
}

MloptNpz *mloptNpzOpen(const char *path, MloptError *error) {
  if (access(path, R_OK) != 0) {
    mloptSetError(error, "cannot read %s: %s", path, strerror(errno));
    return NULL;
  }
  unzFile archive = unzOpen64(path);
  if (archive && !endsWhole(archive, path)) {
    unzClose(archive);
    archive = NULL;
  }
  if (!archive) {
    mloptSetError(error, "cannot read %s: it is no whole zip archive", path);
    return NULL;
  }
  MloptNpz *npz = malloc(sizeof *npz);
  char *copy = strdup(path);
  if (!npz || !copy) {
    mloptSetError(error, "no memory to read %s", path);
    free(npz);
    free(copy);
    unzClose(archive);
    return NULL;
  }
  *npz = (MloptNpz){archive, copy};
  return npz;
}

void mloptNpzClose(MloptNpz *npz) {
  if (!npz)
    return;
  unzClose(npz->archive);
  free(npz->path);
  free(npz);
}

/// Makes an array's entry the archive's current one.
static bool locate(const MloptNpz *npz, const char *name) {
  char entry[ENTRY_NAME];
  int length = snprintf(entry, sizeof entry, "%s%s", name, suffix);
  return length < (int)sizeof entry &&
         unzLocateFile(npz->archive, entry, /*case sensitive*/ 1) == UNZ_OK;
}

/// Goes to the first entry, or on to the next, and takes its name. False at the
/// end, or where the directory is damaged.
static bool nextEntry(const MloptNpz *npz, bool first, char name[ENTRY_NAME]) {
  memset(name, 0, ENTRY_NAME);
  return (first ? unzGoToFirstFile(npz->archive)
                : unzGoToNextFile(npz->archive)) == UNZ_OK &&
         unzGetCurrentFileInfo64(npz->archive, NULL, name, ENTRY_NAME - 1, NULL,
                                 0, NULL, 0) == UNZ_OK;
}

/// Whether an entry's name is PREFIX, a number and the suffix.
static bool isNumbered(const char *entry, const char *prefix) {
  size_t length = strlen(prefix);
  if (strncmp(entry, prefix, length))
    return false;
  const char *digits = entry + length;
  size_t count = strspn(digits, "0123456789");
  return count && (count == 1 || digits[0] != '0') &&
         !strcmp(digits + count, suffix);
}

int mloptNpzCountNumbered(const MloptNpz *npz, const char *prefix) {
  int count = 0;
  char entry[ENTRY_NAME];
  for (bool more = nextEntry(npz, true, entry); more;
       more = nextEntry(npz, false, entry))
    count += isNumbered(entry, prefix);
  return count;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// One array being read.
typedef struct Source {
  const MloptNpz *npz;
  const char *name;
  uint64_t size; ///< of the whole .npy, as the archive states it
} Source;

static bool readBytes(Source *s, void *out, size_t size, MloptError *error) {
  enum { MOST = 1 << 30 }; // minizip counts in unsigned and answers in int
  for (size_t done = 0; done < size;) {
    size_t want = size - done < MOST ? size - done : MOST;
    int got =
        unzReadCurrentFile(s->npz->archive, (char *)out + done, (unsigned)want);
    if (got < 0)
      return mloptSetError(error, "%s: \"%s\" is damaged", s->npz->path,
                           s->name);
    if (got == 0)
      return mloptSetError(error, "%s: \"%s\" is truncated", s->npz->path,
                           s->name);
    done += (size_t)got;
  }
  return true;
}

/// Says where a complaint about a header comes from.
static bool headerError(const Source *s, const MloptError *why,
                        MloptError *error) {
  return mloptSetError(error, "%s: \"%s\": %s", s->npz->path, s->name,
                       why->text);
}

/// Reads the header and checks that the array has the type and the number of
/// bytes that the tensor needs.
static bool readHeader(Source *s, const MloptTensor *t, MloptNpyHeader *header,
                       MloptError *error) {
  uint8_t prefix[MLOPT_NPY_PREFIX] = {0};
  size_t first = s->size < sizeof prefix ? s->size : sizeof prefix, size;
  MloptError why = {0};
  if (!readBytes(s, prefix, first, error))
    return false;
  if (!mloptNpyHeaderSize(prefix, first, &size, &why))
    return headerError(s, &why, error);
  if (size < first || size > s->size)
    return mloptSetError(error, "%s: \"%s\" has a truncated .npy header",
                         s->npz->path, s->name);
  uint8_t *bytes = malloc(size);
  if (!bytes)
    return mloptSetError(error, "no memory for a header of %zu bytes", size);
  memcpy(bytes, prefix, first);
  bool good = readBytes(s, bytes + first, size - first, error);
  if (good && !mloptNpyParseHeader(bytes, size, header, &why))
    good = headerError(s, &why, error);
  free(bytes);
  if (!good)
    return false;

  MloptNpyHeader want = travelType(t);
  bool sameKind = header->kind == want.kind ||
                  (strchr("iu", header->kind) && strchr("iu", want.kind));
  if (!sameKind || header->bytes != want.bytes || header->rank != want.rank ||
      memcmp(header->shape, want.shape,
             (size_t)want.rank * sizeof *want.shape)) {
    char type[256], wanted[256], got[256];
    return mloptSetError(
        error, "%s: \"%s\" is %s, but %s takes %s%s", s->npz->path, s->name,
        mloptNpyTypeText(header, got, sizeof got),
        mloptTensorTypeText(t, type, sizeof type),
        mloptNpyTypeText(&want, wanted, sizeof wanted),
        t->element == MLOPT_I4 ? " (two to a byte, low half first)" : "");
  }
  uint64_t data = (uint64_t)arrayCount(&want) * (uint64_t)want.bytes;
  if (s->size - size != data)
    return mloptSetError(error,
                         "%s: \"%s\" holds %" PRIu64 " bytes of data where "
                         "%" PRIu64 " are needed",
                         s->npz->path, s->name, s->size - size, data);
  return true;
}

/// The raw array's element that becomes the tensor's row-major element `i`.
static int64_t sourceIndex(const MloptNpyHeader *h, int64_t i) {
  if (!h->fortran)
    return i;
  int64_t index[MLOPT_TENSOR_MAX_RANK], offset = 0;
  for (int d = h->rank; d-- > 0; i /= h->shape[d])
    index[d] = i % h->shape[d];
  for (int d = h->rank; d-- > 0;)
    offset = offset * h->shape[d] + index[d];
  return offset;
}

static uint64_t rawBits(const uint8_t *raw, int bytes, int64_t i) {
  uint64_t bits = 0;
  memcpy(&bits, raw + i * bytes, (size_t)bytes);
  return bits;
}

/// Moves the array's elements into the tensor.
static bool convert(const Source *s, const MloptNpyHeader *h,
                    const uint8_t *raw, MloptTensor *t, MloptError *error) {
  bool isFloat = mloptNumberIsFloat(t->element);
  bool asFloat32 = isFloat && mloptElementInfo(t->element)->bytes != h->bytes;
  for (int64_t i = 0, n = mloptTensorCount(t); i < n; ++i) {
    if (t->element == MLOPT_I4) {
      mloptTensorSetBits(t, i, raw[i / 2] >> (i % 2 * 4) & 15);
      continue;
    }
    uint64_t bits = rawBits(raw, h->bytes, sourceIndex(h, i));
    double value = 0;
    bool fits = true;
    if (asFloat32) {
      value = mloptNumberAsDouble(MLOPT_F32, bits);
      bits = mloptNumberFromDouble(t->element, value);
      double back = mloptNumberAsDouble(t->element, bits);
      fits = value == back || (value != value && back != back);
    } else if (t->element == MLOPT_I1) {
      value = (double)bits;
      fits = bits <= 1;
    }
    if (!fits) {
      char index[256];
      return mloptSetError(error,
                           "%s: \"%s\" holds %.9g at %s, which is no value of "
                           "type %s",
                           s->npz->path, s->name, value,
                           mloptTensorIndexText(t, i, index, sizeof index),
                           mloptElementInfo(t->element)->name);
    }
    mloptTensorSetBits(t, i, bits);
  }
  return true;
}

/// Reads the rest of the entry, which is the data, and closes it: only then
/// does minizip compare the checksum.
static bool readData(Source *s, const MloptNpyHeader *h, MloptTensor *t,
                     MloptError *error) {
  size_t size = (size_t)arrayCount(h) * (size_t)h->bytes;
  uint8_t *raw = malloc(size ? size : 1);
  if (!raw)
    return mloptSetError(error, "no memory for %zu bytes of %s", size,
                         s->npz->path);
  bool good = readBytes(s, raw, size, error);
  if (good && unzCloseCurrentFile(s->npz->archive) != UNZ_OK)
    good = mloptSetError(error, "%s: \"%s\" is damaged: its CRC is another",
                         s->npz->path, s->name);
  good = good && mloptTensorAllocate(t, error) && convert(s, h, raw, t, error);
  free(raw);
  return good;
}

/// "in0, in1, ...", for a message about a name that is not there.
static void listNames(const MloptNpz *npz, char *text, size_t size) {
  size_t used = 0;
  text[0] = 0;
  char entry[ENTRY_NAME];
  for (bool more = nextEntry(npz, true, entry); more;
       more = nextEntry(npz, false, entry)) {
    size_t length = strlen(entry);
    if (length > strlen(suffix) &&
        !strcmp(entry + length - strlen(suffix), suffix))
      length -= strlen(suffix);
    if (!length)
      continue;
    int wrote = snprintf(text + used, size - used, "%s%.*s", used ? ", " : "",
                         (int)length, entry);
    used += (size_t)wrote;
    if (used + 8 >= size) {
      strcpy(text + size - 5, " ...");
      return;
    }
  }
}

bool mloptNpzRead(MloptNpz *npz, const char *name, MloptTensor *t,
                  MloptError *error) {
  if (!locate(npz, name)) {
    char names[256];
    listNames(npz, names, sizeof names);
    return mloptSetError(error, "%s has no array \"%s\"; it has %s", npz->path,
                         name, names[0] ? names : "none");
  }
  unz_file_info64 info;
  if (unzGetCurrentFileInfo64(npz->archive, &info, NULL, 0, NULL, 0, NULL, 0) !=
          UNZ_OK ||
      unzOpenCurrentFile(npz->archive) != UNZ_OK)
    return mloptSetError(error,
                         "%s: \"%s\" cannot be read: it is damaged, or "
                         "neither stored nor deflated",
                         npz->path, name);
  Source s = {npz, name, info.uncompressed_size};
  MloptNpyHeader header;
  if (readHeader(&s, t, &header, error) && readData(&s, &header, t, error))
    return true;
  mloptTensorRelease(t);
  unzCloseCurrentFile(npz->archive);
  return false;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// The bytes of one .npy file; the caller frees them. NULL without memory.
static uint8_t *encode(const MloptTensor *t, size_t *size) {
  MloptNpyHeader h = travelType(t);
  char header[1024];
  size_t headerSize = mloptNpyWriteHeader(&h, header, sizeof header);
  size_t data = (size_t)arrayCount(&h) * (size_t)h.bytes;
  uint8_t *out = calloc(1, headerSize + data);
  if (!out)
    return NULL;
  *size = headerSize + data;
  memcpy(out, header, headerSize);
  uint8_t *at = out + headerSize;
  bool asFloat32 = mloptNumberIsFloat(t->element) &&
                   mloptElementInfo(t->element)->bytes != h.bytes;
  if (!asFloat32 && t->element != MLOPT_I4) {
    memcpy(at, t->data, data);
    return out;
  }
  for (int64_t i = 0, n = mloptTensorCount(t); i < n; ++i) {
    uint64_t bits = mloptTensorGetBits(t, i);
    if (asFloat32) {
      float value = (float)mloptNumberAsDouble(t->element, bits);
      memcpy(at + i * (int64_t)sizeof value, &value, sizeof value);
    } else {
      at[i / 2] |= (uint8_t)(bits << (i % 2 * 4));
    }
  }
  return out;
}

/// The same bytes for the same tensors: with the format's first date.
static const zip_fileinfo fixedDate = {
    .tmz_date = {.tm_mday = 1, .tm_year = 1980}};

static bool writeBytes(zipFile archive, const uint8_t *bytes, size_t size) {
  enum { MOST = 1 << 30 }; // minizip counts in unsigned
  for (size_t done = 0, part; done < size; done += part) {
    part = size - done < MOST ? size - done : MOST;
    if (zipWriteInFileInZip(archive, bytes + done, (unsigned)part) != ZIP_OK)
      return false;
  }
  return true;
}

static bool addArray(zipFile archive, const char *name, const MloptTensor *t) {
  size_t size = 0;
  uint8_t *bytes = encode(t, &size);
  if (!bytes)
    return false;
  char entry[ENTRY_NAME];
  snprintf(entry, sizeof entry, "%s%s", name, suffix);
  bool isLarge = size >= UINT32_MAX;
  bool good =
      zipOpenNewFileInZip64(archive, entry, &fixedDate, NULL, 0, NULL, 0, NULL,
                            Z_DEFLATED, Z_BEST_SPEED, isLarge) == ZIP_OK &&
      writeBytes(archive, bytes, size) && zipCloseFileInZip(archive) == ZIP_OK;
  free(bytes);
  return good;
}

static bool writeArchive(const char *path, int count, const char *const *names,
                         const MloptTensor *tensors) {
  zipFile archive = zipOpen64(path, APPEND_STATUS_CREATE);
  if (!archive)
    return false;
  bool good = true;
  for (int i = 0; good && i < count; ++i)
    good = addArray(archive, names[i], &tensors[i]);
  return (zipClose(archive, NULL) == ZIP_OK) & good;
}

bool mloptNpzWrite(const char *path, int count, const char *const *names,
                   const MloptTensor *tensors, MloptError *error) {
  size_t size = strlen(path) + 32;
  char *temporary = malloc(size);
  if (!temporary)
    return mloptSetError(error, "no memory to write %s", path);
  snprintf(temporary, size, "%s.%ld.tmp", path, (long)getpid());
  errno = 0;
  bool good = writeArchive(temporary, count, names, tensors) &&
              rename(temporary, path) == 0;
  if (!good) {
    mloptSetError(error, "cannot write %s: %s", path,
                  errno ? strerror(errno) : "output error");
    unlink(temporary);
  }
  free(temporary);
  return good;
}
