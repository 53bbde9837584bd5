//===- cubin_cache.c - Cubins on disk -------------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One file for each PTX, driver version and chip, named by their hash:
//
//   header, PTX, cubin
//
// The PTX is kept and compared, so a hash that two texts share does no harm.
// Files appear whole (see file.h). A cache that cannot be read or written is
// no failure: it is logged, and the PTX is assembled again. It holds at most
// half a gigabyte, which is thousands of kernels; see cache_trim.c.
//
//===----------------------------------------------------------------------===//

#include "file.h"
#include "runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

typedef struct CacheHeader {
  char magic[8];
  uint32_t version, driver, chip, zero;
  uint64_t ptx_size, cubin_size;
  uint64_t checksum; ///< of the cubin
} CacheHeader;

#define CACHE_MAGIC "MLOPTCUB"
enum { CACHE_VERSION = 1, CACHE_LIMIT = 1 << 29 };

static CacheHeader createHeader(const MloptDevice *device, MloptBytes ptx) {
  CacheHeader header = {.version = CACHE_VERSION,
                        .driver = (uint32_t)device->driver_version,
                        .chip = device->chip,
                        .ptx_size = ptx.size};
  memcpy(header.magic, CACHE_MAGIC, sizeof header.magic);
  return header;
}

/// The file's path, which the caller frees; NULL without host memory.
static char *createPath(const MloptDevice *device, const CacheHeader *key,
                        MloptBytes ptx) {
  uint64_t hash =
      mloptChecksum(mloptChecksum(0, key, sizeof *key), ptx.data, ptx.size);
  size_t size = strlen(device->cache_directory) + 32;
  char *path = malloc(size);
  if (path)
    snprintf(path, size, "%s/%016llx.cubin", device->cache_directory,
             (unsigned long long)hash);
  return path;
}

MloptBytes mloptRecallCubin(MloptDevice *device, MloptBytes ptx) {
  MloptBytes none = {NULL, 0}, file;
  if (!*device->cache_directory)
    return none;
  CacheHeader key = createHeader(device, ptx), header;
  char *path = createPath(device, &key, ptx);
  if (!path)
    return none;
  MloptStatus *missing = mloptMapFile(path, &file);
  if (!missing)
    utimensat(AT_FDCWD, path, NULL, 0); // it was used now
  free(path);
  if (missing || !file.data) {
    mloptReleaseStatus(missing);
    return none;
  }
  uint8_t *copy = NULL;
  size_t before = sizeof header + ptx.size;
  if (file.size > before) {
    memcpy(&header, file.data, sizeof header);
    key.cubin_size = file.size - before;
    key.checksum = mloptChecksum(0, file.data + before, (size_t)key.cubin_size);
    if (!memcmp(&key, &header, sizeof key) &&
        !memcmp(file.data + sizeof header, ptx.data, ptx.size))
      copy = malloc((size_t)key.cubin_size);
    if (copy)
      memcpy(copy, file.data + before, (size_t)key.cubin_size);
  }
  munmap((void *)file.data, file.size);
  return copy ? (MloptBytes){copy, (size_t)key.cubin_size} : none;
}

/// Makes the directory and what is above it.
static bool makeDirectories(char *path) {
  for (char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
    if (slash)
      *slash = 0;
    bool made = !mkdir(path, 0700) || errno == EEXIST;
    if (slash)
      *slash = '/';
    if (!made || !slash)
      return made;
  }
}

void mloptKeepCubin(MloptDevice *device, MloptBytes ptx, MloptBytes cubin) {
  if (!*device->cache_directory)
    return;
  CacheHeader header = createHeader(device, ptx);
  char *path = createPath(device, &header, ptx);
  char *directory = strdup(device->cache_directory);
  if (path && directory) {
    header.cubin_size = cubin.size;
    header.checksum = mloptChecksum(0, cubin.data, cubin.size);
    MloptBytes pieces[] = {
        {(const uint8_t *)&header, sizeof header}, ptx, cubin};
    MloptStatus *status =
        makeDirectories(directory)
            ? mloptReplaceFile(path, pieces, 3)
            : mloptCreateStatus(MLOPT_IO, "cannot make folder %s: %s",
                                directory, strerror(errno));
    if (status)
      mloptLog(device, MLOPT_LOG_WARNING, "cubin cache: %s",
               mloptGetStatusMessage(status));
    mloptReleaseStatus(status);
    uint32_t removed = mloptTrimCache(directory, CACHE_LIMIT);
    if (removed)
      mloptLog(device, MLOPT_LOG_DETAIL, "cubin cache: %u old ones removed",
               removed);
  }
  free(directory);
  free(path);
}
