//===- file.c - Files that appear whole -----------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/// Whether all that was written to the stream reached its file.
static bool finish(FILE *file, bool close) {
  bool good = !ferror(file) && fflush(file) == 0;
  return close ? (fclose(file) == 0) & good : good;
}

static bool writeStream(FILE *file, bool close, const char *name,
                        void (*write)(FILE *, void *), void *userData,
                        MloptError *error) {
  write(file, userData);
  errno = 0;
  if (finish(file, close))
    return true;
  return mloptSetError(error, "cannot write %s: %s", name,
                       errno ? strerror(errno) : "output error");
}

/// Writes beside `path` under a name of this process' own, then renames.
static bool replaceFile(const char *path, void (*write)(FILE *, void *),
                        void *userData, MloptError *error) {
  size_t size = strlen(path) + 32;
  char *temporary = malloc(size);
  if (!temporary)
    return mloptSetError(error, "no memory to write %s", path);
  snprintf(temporary, size, "%s.%ld.tmp", path, (long)getpid());
  FILE *file = fopen(temporary, "w");
  bool good = file != NULL;
  if (!good)
    mloptSetError(error, "cannot write %s: %s", path, strerror(errno));
  else if (!(good = writeStream(file, true, path, write, userData, error)))
    unlink(temporary);
  else if (!(good = rename(temporary, path) == 0)) {
    mloptSetError(error, "cannot write %s: %s", path, strerror(errno));
    unlink(temporary);
  }
  free(temporary);
  return good;
}

bool mloptWriteFile(const char *path, void (*write)(FILE *, void *),
                    void *userData, MloptError *error) {
  if (!path || !strcmp(path, "-"))
    return writeStream(stdout, false, "standard output", write, userData,
                       error);
  struct stat status;
  if (stat(path, &status) != 0 || S_ISREG(status.st_mode))
    return replaceFile(path, write, userData, error);
  if (S_ISDIR(status.st_mode))
    return mloptSetError(error, "cannot write %s: it is a directory", path);
  FILE *file = fopen(path, "w");
  if (!file)
    return mloptSetError(error, "cannot write %s: %s", path, strerror(errno));
  return writeStream(file, true, path, write, userData, error);
}

bool mloptMakeDirectory(const char *path, MloptError *error) {
  char *copy = strdup(path);
  if (!copy)
    return mloptSetError(error, "no memory to make directory %s", path);
  // Each prefix that ends before a slash, then the whole.
  bool good = true;
  for (char *at = copy + 1; good; ++at) {
    char here = *at;
    if (here != '/' && here)
      continue;
    *at = 0;
    if (mkdir(copy, 0777) != 0 && errno != EEXIST)
      good = mloptSetError(error, "cannot make directory %s: %s", copy,
                           strerror(errno));
    *at = here;
    if (!here)
      break;
  }
  struct stat status;
  if (good && (stat(path, &status) != 0 || !S_ISDIR(status.st_mode)))
    good = mloptSetError(error, "%s is no directory", path);
  free(copy);
  return good;
}
