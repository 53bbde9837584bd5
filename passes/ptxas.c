//===- ptxas.c - NVIDIA's assembler as a process --------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas reads and writes files, so each text gets a folder of its own that is
// gone afterwards. The file in it always has the same name, for the cubin names
// it, and the same text is to give the same bytes.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // posix_spawn_file_actions_addchdir_np
#include "serialize_ptx.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

//===----------------------------------------------------------------------===//
// Finding it
//===----------------------------------------------------------------------===//

/// "folder/below/ptxas" if that can be run; NULL otherwise.
static char *tryFolder(const char *folder, size_t length, const char *below) {
  char *path = malloc(length + strlen(below) + sizeof "/ptxas");
  if (!path)
    return NULL;
  sprintf(path, "%.*s%s/ptxas", (int)length, folder, below);
  if (length && access(path, X_OK) == 0)
    return path;
  free(path);
  return NULL;
}

char *mloptFindPtxas(void) {
  const char *search = getenv("PATH");
  for (const char *at = search ? search : ""; *at;) {
    size_t length = strcspn(at, ":");
    char *found = tryFolder(at, length, "");
    if (found)
      return found;
    at += length + (at[length] == ':');
  }
  const char *homes[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"),
                         "/usr/local/cuda"};
  for (int i = 0; i < MLOPT_COUNT(homes); ++i) {
    char *found =
        homes[i] ? tryFolder(homes[i], strlen(homes[i]), "/bin") : NULL;
    if (found)
      return found;
  }
  return NULL;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// What a descriptor gives until its end, closed by a zero; NULL without memory
/// or on a read error. The caller frees it.
static char *readAll(int fd, size_t *outSize) {
  size_t size = 0, capacity = 4096;
  char *data = malloc(capacity);
  while (data) {
    ssize_t got = read(fd, data + size, capacity - 1 - size);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0) {
      data[size] = 0;
      *outSize = size;
      if (got == 0)
        return data;
      break;
    }
    size += (size_t)got;
    if (size + 1 < capacity)
      continue;
    char *more = realloc(data, capacity *= 2);
    if (!more)
      break;
    data = more;
  }
  free(data);
  return NULL;
}

static bool writeAll(const char *path, const char *text, size_t size) {
  FILE *file = fopen(path, "w");
  bool good = file && fwrite(text, 1, size, file) == size;
  if (file && fclose(file))
    good = false;
  return good;
}

static char *readFile(const char *path, size_t *outSize) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  char *data = fd < 0 ? NULL : readAll(fd, outSize);
  if (fd >= 0)
    close(fd);
  return data;
}

//===----------------------------------------------------------------------===//
// Running it
//===----------------------------------------------------------------------===//

static char *explain(const char *format, const char *what, int error) {
  char *text;
  return asprintf(&text, format, what, strerror(error)) < 0 ? NULL : text;
}

/// Runs ptxas in `folder`; whether it succeeded. `*says` is what it printed.
static bool runIn(const char *folder, const char *ptxas, const char *chip,
                  char **says) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) {
    *says = explain("no pipe to %s: %s", ptxas, errno);
    return false;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, folder);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  char *arguments[] = {
      (char *)ptxas, "-arch",      (char *)chip, "--warn-on-spills",
      "-v",          "kernel.ptx", "-o",         "kernel.cubin",
      NULL};
  pid_t child;
  int error = posix_spawn(&child, ptxas, &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  int status = -1;
  if (error) {
    *says = explain("cannot run %s: %s", ptxas, error);
  } else {
    size_t size = 0;
    *says = readAll(ends[0], &size);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
      ;
    while (*says && size && (*says)[size - 1] == '\n')
      (*says)[--size] = 0;
    if (*says && !size) {
      free(*says);
      *says = NULL;
    }
  }
  close(ends[0]);
  return status == 0;
}

/// Reads one line of what `-v` adds; false if it is something else, such as
/// what ptxas says of wgmma that it serialises:
///
///   ptxas info    : Used 168 registers, used 9 barriers, 400 bytes smem
///       0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
///   ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async ...
static bool readUse(const char *line, MloptUse *use) {
  static const char info[] = "ptxas info ";
  bool isInfo = !strncmp(line, info, sizeof info - 1);
  if (!isInfo && line[0] != ' ')
    return false;
  if (sscanf(line, " %*d bytes stack frame, %d bytes spill stores, %d",
             &use->spillStores, &use->spillLoads) == 2)
    return true;
  const char *used = strstr(line, "Used "),
             *shared = strstr(line, " bytes smem");
  if (used && sscanf(used, "Used %d registers", &use->registers) == 1) {
    while (shared && shared > used && shared[-1] >= '0' && shared[-1] <= '9')
      --shared;
    use->shared = shared ? atoi(shared) : 0;
  }
  return !isInfo || !strstr(line, "(C");
}

/// Leaves of a text what is no line about use; NULL if nothing is left.
static char *takeUse(char *says, MloptUse *use) {
  char *end = says;
  for (char *line = says; line && *line;) {
    size_t length = strcspn(line, "\n");
    char *next = line + length + (line[length] == '\n');
    line[length] = 0;
    if (!readUse(line, use)) {
      if (end > says)
        *end++ = '\n';
      memmove(end, line, length);
      end += length;
    }
    line = next;
  }
  if (end > says) {
    *end = 0;
    return says;
  }
  free(says);
  return NULL;
}

MloptAssembled mloptAssemblePtx(const char *ptxas, const char *chip,
                                const char *text, size_t size) {
  MloptAssembled out = {0};
  const char *temporary = getenv("TMPDIR");
  char folder[4096], source[4200], target[4200];
  snprintf(folder, sizeof folder, "%s/mlopt-XXXXXX",
           temporary && *temporary ? temporary : "/tmp");
  if (!mkdtemp(folder)) {
    out.says = explain("no folder %s: %s", folder, errno);
    return out;
  }
  snprintf(source, sizeof source, "%s/kernel.ptx", folder);
  snprintf(target, sizeof target, "%s/kernel.cubin", folder);
  if (!writeAll(source, text, size))
    out.says = explain("cannot write %s: %s", source, errno);
  else if (runIn(folder, ptxas, chip, &out.says) &&
           !(out.cubin = readFile(target, &out.size)) && !out.says)
    out.says = explain("cannot read %s: %s", target, errno);
  if (out.says)
    out.says = takeUse(out.says, &out.use);
  unlink(source);
  unlink(target);
  rmdir(folder);
  return out;
}
