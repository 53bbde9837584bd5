//===- artifact.c - The artifact's file and its header --------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a file or memory to a checked MloptArtifact: header, sections, checksum,
// then the message, unpacked with a limit on what it may allocate. plan_read.c
// does the rest.
//
//===----------------------------------------------------------------------===//

#include "artifact.h"

#include "artifact.pb-c.h"
#include "file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

_Static_assert(sizeof(MloptArtifactHeader) == 128, "the file's header");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "sections are used in place");

/// A plan of this size describes a hundred thousand launches.
enum { PLAN_LIMIT = 16 << 20 };

//===----------------------------------------------------------------------===//
// Checksum
//===----------------------------------------------------------------------===//

// Four independent FNV-like lanes of 64-bit words, so that the multiplications
// overlap: weights of many gigabytes are read as fast as memory allows.
uint64_t mloptChecksum(uint64_t state, const void *data, size_t size) {
  const uint64_t prime = 0x9E3779B185EBCA87u;
  const uint8_t *bytes = data;
  uint64_t lanes[4];
  for (int i = 0; i < 4; ++i)
    lanes[i] = state + prime * (uint64_t)(i + 1);
  size_t left = size;
  for (; left >= 32; left -= 32, bytes += 32) {
    uint64_t words[4];
    memcpy(words, bytes, 32);
    for (int i = 0; i < 4; ++i) {
      uint64_t mixed = (lanes[i] ^ words[i]) * prime;
      lanes[i] = mixed ^ mixed >> 29;
    }
  }
  uint64_t hash = size * prime;
  for (int i = 0; i < 4; ++i) {
    hash = (hash ^ lanes[i]) * prime;
    hash ^= hash >> 32;
  }
  for (; left; --left, ++bytes)
    hash = (hash ^ *bytes) * prime;
  return hash ^ hash >> 31;
}

//===----------------------------------------------------------------------===//
// Header and sections
//===----------------------------------------------------------------------===//

static MloptStatus *bad(const MloptArtifact *artifact, const char *what) {
  return mloptCreateStatus(MLOPT_BAD_ARTIFACT,
                           "%s: %s; compile the program again", artifact->name,
                           what);
}

static bool allZero(const uint8_t *data, size_t size) {
  for (size_t i = 0; i < size; ++i)
    if (data[i])
      return false;
  return true;
}

static MloptStatus *readSections(MloptArtifact *artifact,
                                 const MloptArtifactHeader *header) {
  uint64_t end = sizeof *header;
  for (int i = 0; i < MLOPT_SECTION_COUNT; ++i) {
    uint64_t offset = header->sections[i].offset;
    uint64_t size = header->sections[i].size;
    if (offset % MLOPT_SECTION_ALIGNMENT || offset < end ||
        offset - end >= MLOPT_SECTION_ALIGNMENT || offset > artifact->size ||
        size > artifact->size - offset ||
        !allZero(artifact->data + end, offset - end))
      return bad(artifact, "a section is not where it must be");
    artifact->sections[i] = (MloptBytes){artifact->data + offset, size};
    end = offset + size;
  }
  if (end != artifact->size)
    return bad(artifact, "there are bytes after the last section");
  return NULL;
}

static MloptStatus *readHeader(MloptArtifact *artifact) {
  MloptArtifactHeader header;
  if (artifact->size < sizeof header ||
      memcmp(artifact->data, MLOPT_ARTIFACT_MAGIC, sizeof header.magic))
    return mloptCreateStatus(MLOPT_BAD_ARTIFACT,
                             "%s: not an mlopt artifact; mlopt-compile makes "
                             "one of a program",
                             artifact->name);
  memcpy(&header, artifact->data, sizeof header);
  if (header.version != MLOPT_ARTIFACT_VERSION ||
      header.header_size != sizeof header)
    return mloptCreateStatus(MLOPT_BAD_ARTIFACT,
                             "%s: the artifact has version %u, this runtime "
                             "reads version %d; compile the program again",
                             artifact->name, header.version,
                             MLOPT_ARTIFACT_VERSION);
  if (header.file_size != artifact->size)
    return bad(artifact, "the file is cut short or has grown");
  uint64_t checksum = header.checksum;
  header.checksum = 0;
  uint64_t state = mloptChecksum(0, &header, sizeof header);
  state = mloptChecksum(state, artifact->data + sizeof header,
                        artifact->size - sizeof header);
  if (state != checksum)
    return bad(artifact, "the checksum does not match: the file is damaged");
  if (!allZero(header.zeros, sizeof header.zeros))
    return bad(artifact, "the header's reserved bytes are not zero");
  return readSections(artifact, &header);
}

//===----------------------------------------------------------------------===//
// Message
//===----------------------------------------------------------------------===//

// An empty message takes two bytes in the file and many times that unpacked;
// the budget keeps a small hostile file from asking for all memory.
typedef struct Budget {
  size_t left;
  bool host_failed;
} Budget;

static void *budgetAllocate(void *user, size_t size) {
  Budget *budget = user;
  if (size > budget->left)
    return NULL;
  budget->left -= size;
  void *memory = malloc(size);
  budget->host_failed |= !memory;
  return memory;
}

static void budgetFree(void *user, void *memory) { free(memory); }

static MloptStatus *readMessage(MloptArtifact *artifact) {
  MloptBytes section = artifact->sections[MLOPT_SECTION_PLAN];
  if (section.size > PLAN_LIMIT)
    return bad(artifact, "the plan is larger than 16 MiB");
  Budget budget = {((size_t)1 << 20) + 40 * section.size, false};
  ProtobufCAllocator allocator = {budgetAllocate, budgetFree, &budget};
  Mlopt__Plan *plan =
      mlopt__plan__unpack(&allocator, section.size, section.data);
  if (!plan)
    return budget.host_failed ? mloptCreateHostMemoryStatus()
                              : bad(artifact, "the plan is no valid message");
  MloptStatus *status = mloptReadPlan(artifact, plan);
  mlopt__plan__free_unpacked(plan, &allocator);
  return status;
}

//===----------------------------------------------------------------------===//
// Public
//===----------------------------------------------------------------------===//

static MloptArtifact *createArtifact(const char *name, const char *directory,
                                     size_t directory_length) {
  MloptArtifact *artifact = calloc(1, sizeof *artifact);
  if (!artifact)
    return NULL;
  atomic_init(&artifact->references, 1);
  artifact->name = mloptPoolCopyText(&artifact->pool, name);
  char *copy = mloptPoolAllocate(&artifact->pool, directory_length + 1, 1);
  if (copy)
    memcpy(copy, directory, directory_length);
  artifact->directory = copy;
  if (!artifact->name || !copy) {
    mloptReleaseArtifact(artifact);
    return NULL;
  }
  return artifact;
}

static MloptStatus *finishRead(MloptArtifact *artifact, MloptStatus *status,
                               MloptArtifact **out_artifact) {
  if (!status)
    status = readHeader(artifact);
  if (!status)
    status = readMessage(artifact);
  if (status)
    mloptReleaseArtifact(artifact);
  else
    *out_artifact = artifact;
  return status;
}

MloptStatus *mloptReadArtifact(const char *path, MloptArtifact **out_artifact) {
  *out_artifact = NULL;
  const char *slash = strrchr(path, '/');
  size_t length = slash ? (size_t)(slash - path) + 1 : 0;
  MloptArtifact *artifact = createArtifact(path, path, length);
  if (!artifact)
    return mloptCreateHostMemoryStatus();
  MloptBytes file;
  MloptStatus *status = mloptMapFile(path, &file);
  artifact->data = file.data;
  artifact->size = file.size;
  artifact->mapped = file.data != NULL;
  return finishRead(artifact, status, out_artifact);
}

MloptStatus *mloptReadArtifactFromMemory(const void *data, size_t size,
                                         const char *weights_directory,
                                         MloptArtifact **out_artifact) {
  *out_artifact = NULL;
  char *directory = NULL;
  size_t length = weights_directory ? strlen(weights_directory) : 0;
  if (length && weights_directory[length - 1] != '/') {
    directory = malloc(length + 1);
    if (!directory)
      return mloptCreateHostMemoryStatus();
    memcpy(directory, weights_directory, length);
    directory[length++] = '/';
  }
  const char *folder = directory           ? directory
                       : weights_directory ? weights_directory
                                           : "";
  MloptArtifact *artifact =
      createArtifact("artifact in memory", folder, length);
  free(directory);
  if (!artifact)
    return mloptCreateHostMemoryStatus();
  artifact->data = data;
  artifact->size = size;
  return finishRead(artifact, NULL, out_artifact);
}

MloptArtifact *mloptRetainArtifact(MloptArtifact *artifact) {
  atomic_fetch_add(&artifact->references, 1);
  return artifact;
}

void mloptReleaseArtifact(MloptArtifact *artifact) {
  if (!artifact || atomic_fetch_sub(&artifact->references, 1) != 1)
    return;
  if (artifact->mapped)
    munmap((void *)artifact->data, artifact->size);
  mloptPoolFree(&artifact->pool);
  free(artifact);
}

uint32_t mloptGetEntryCount(const MloptArtifact *artifact) {
  return artifact->entry_count;
}

const MloptEntryInfo *mloptGetEntry(const MloptArtifact *artifact,
                                    uint32_t entry) {
  return entry < artifact->entry_count ? &artifact->entries[entry].info : NULL;
}

uint32_t mloptFindEntry(const MloptArtifact *artifact, const char *name) {
  uint32_t i = 0;
  while (i < artifact->entry_count &&
         strcmp(artifact->entries[i].info.name, name))
    ++i;
  return i;
}

const void *mloptGetSource(const MloptArtifact *artifact, size_t *out_size) {
  MloptBytes source = artifact->sections[MLOPT_SECTION_SOURCE];
  *out_size = source.size;
  return source.size ? source.data : NULL;
}
