//===- cache_trim.c - The size of the cubin cache -------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After a cubin is added, those that were used the longest ago are removed
// until the folder holds no more than a limit. A file's time is that of its
// last use. Other processes may add and remove at the same time: who has a file
// open keeps it, and what is gone already is none of our concern.
//
//===----------------------------------------------------------------------===//

#include "file.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct CacheFile {
  char *name; ///< owned
  uint64_t bytes;
  struct timespec used;
} CacheFile;

typedef struct CacheFiles {
  CacheFile *files;
  size_t count, capacity;
  uint64_t bytes;
} CacheFiles;

static bool isCubin(const char *name) {
  const char *dot = strrchr(name, '.');
  return dot && !strcmp(dot, ".cubin");
}

/// False without host memory.
static bool addFile(CacheFiles *list, const char *name,
                    const struct stat *info) {
  if (list->count == list->capacity) {
    size_t capacity = list->capacity ? 2 * list->capacity : 64;
    CacheFile *files = calloc(capacity, sizeof *files);
    if (!files)
      return false;
    if (list->count)
      memcpy(files, list->files, list->count * sizeof *files);
    free(list->files);
    list->files = files;
    list->capacity = capacity;
  }
  char *copy = strdup(name);
  if (!copy)
    return false;
  list->files[list->count++] =
      (CacheFile){copy, (uint64_t)info->st_size, info->st_mtim};
  list->bytes += (uint64_t)info->st_size;
  return true;
}

static int compareUse(const void *a, const void *b) {
  const struct timespec *x = &((const CacheFile *)a)->used;
  const struct timespec *y = &((const CacheFile *)b)->used;
  if (x->tv_sec != y->tv_sec)
    return x->tv_sec < y->tv_sec ? -1 : 1;
  return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

uint32_t mloptTrimCache(const char *directory, uint64_t limit) {
  DIR *folder = opendir(directory);
  if (!folder)
    return 0;
  CacheFiles list = {0};
  bool good = true;
  struct stat info;
  for (struct dirent *entry; good && (entry = readdir(folder));)
    if (isCubin(entry->d_name) &&
        !fstatat(dirfd(folder), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) &&
        S_ISREG(info.st_mode))
      good = addFile(&list, entry->d_name, &info);
  if (list.bytes > limit)
    qsort(list.files, list.count, sizeof *list.files, compareUse);
  uint32_t removed = 0;
  for (size_t i = 0; i < list.count && list.bytes > limit; ++i) {
    removed += !unlinkat(dirfd(folder), list.files[i].name, 0);
    list.bytes -= list.files[i].bytes;
  }
  for (size_t i = 0; i < list.count; ++i)
    free(list.files[i].name);
  free(list.files);
  closedir(folder);
  return removed;
}
