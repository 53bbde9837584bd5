//===- file.c - Files written whole or not at all -------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool writeAll(int file, MloptBytes piece) {
  while (piece.size) {
    ssize_t done = write(file, piece.data, piece.size);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return false;
    piece.data += done;
    piece.size -= (size_t)done;
  }
  return true;
}

/// Opens a file that nobody else has: other threads and processes may be
/// writing the same path.
static int openBeside(const char *path, char *name, size_t size) {
  int file = -1;
  for (int attempt = 0; attempt < 100; ++attempt) {
    snprintf(name, size, "%s.%ld.%d.tmp", path, (long)getpid(), attempt);
    file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0 || errno != EEXIST)
      break;
  }
  return file;
}

MloptStatus *mloptReplaceFile(const char *path, const MloptBytes *pieces,
                              size_t count) {
  size_t size = strlen(path) + 32;
  char *name = malloc(size);
  if (!name)
    return mloptCreateHostMemoryStatus();
  int file = openBeside(path, name, size);
  bool good = file >= 0;
  for (size_t i = 0; good && i < count; ++i)
    good = writeAll(file, pieces[i]);
  int error = errno;
  if (file >= 0 && close(file) && good) {
    good = false;
    error = errno;
  }
  if (good && rename(name, path)) {
    good = false;
    error = errno;
  }
  if (!good && file >= 0)
    unlink(name);
  free(name);
  return good ? NULL
              : mloptCreateStatus(MLOPT_IO, "cannot write %s: %s", path,
                                  strerror(error));
}

MloptStatus *mloptMapFile(const char *path, MloptBytes *out_bytes) {
  *out_bytes = (MloptBytes){NULL, 0};
  int file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat info;
  if (file < 0 || fstat(file, &info)) {
    MloptStatus *status = mloptCreateStatus(MLOPT_IO, "cannot open %s: %s",
                                            path, strerror(errno));
    if (file >= 0)
      close(file);
    return status;
  }
  if (!S_ISREG(info.st_mode)) {
    close(file);
    return mloptCreateStatus(MLOPT_IO, "%s is no regular file", path);
  }
  size_t size = (size_t)info.st_size;
  void *data = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0) : NULL;
  int error = errno;
  close(file);
  if (data == MAP_FAILED)
    return mloptCreateStatus(MLOPT_IO, "cannot map %s: %s", path,
                             strerror(error));
  *out_bytes = (MloptBytes){data, size};
  return NULL;
}
