//===- artifact_writer.h - The message being put together ---------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by artifact_write.c and artifact_steps.c. The message grows in a pool;
// a pool without memory leaves NULL in it and sets `failed`, which writing
// reports.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_RUNTIME_ARTIFACT_WRITER_H
#define MLOPT_RUNTIME_ARTIFACT_WRITER_H

#include "artifact_write.h"

#include "artifact.pb-c.h"

/// Bytes that go into a section at `offset`.
typedef struct MloptPiecePart {
  MloptBytes bytes;
  uint64_t offset;
} MloptPiecePart;

typedef struct MloptSectionParts {
  size_t count;
  MloptPiecePart **pieces;
  uint64_t size;
} MloptSectionParts;

struct MloptArtifactWriter {
  MloptPool pool;
  bool failed;
  Mlopt__Plan *plan;
  MloptSectionParts sections[MLOPT_SECTION_COUNT];
};

struct MloptEntryWriter {
  MloptArtifactWriter *writer;
  Mlopt__Entry *message;
};

void *mloptWriterAllocate(MloptArtifactWriter *writer, size_t count,
                          size_t size);
char *mloptWriterCopyText(MloptArtifactWriter *writer, const char *text);
Mlopt__Size *mloptWriterCreateSize(MloptArtifactWriter *writer, uint64_t value);
/// 0 is said by absence.
Mlopt__Size *mloptWriterCreateOffset(MloptArtifactWriter *writer,
                                     uint64_t value);
/// Appends an element of `size` bytes to an array; its number.
uint32_t mloptWriterAppend(MloptArtifactWriter *writer, void **array,
                           size_t *count, size_t size, const void *value);

/// Declares an initialised message, NULL without memory.
#define CREATE(writer, type, variable, init)                                   \
  type *variable = mloptWriterAllocate((writer), 1, sizeof(type));             \
  if (variable)                                                                \
  init(variable)

/// Appends to a repeated field; the number of the new element.
#define APPEND(writer, message, field, value)                                  \
  mloptWriterAppend((writer), (void **)&(message)->field,                      \
                    &(message)->n_##field, sizeof *(message)->field, &(value))

#endif // MLOPT_RUNTIME_ARTIFACT_WRITER_H
