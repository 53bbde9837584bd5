//===- plan_read.h - Checking a plan, shared parts ----------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// plan_read.c reads code, data, signatures and buffers; plan_steps.c reads what
// an entry does with them.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_RUNTIME_PLAN_READ_H
#define MLOPT_RUNTIME_PLAN_READ_H

#include "artifact.h"

#include "artifact.pb-c.h"

/// A buffer of an entry: a stretch of the arena or of a tensor.
typedef struct MloptPlanBuffer {
  MloptPlace place;
  uint64_t bytes;
} MloptPlanBuffer;

/// The entry being read, and where in it, for messages.
typedef struct MloptPlanReader {
  MloptArtifact *artifact;
  MloptPlanEntry *entry;
  const Mlopt__Entry *message;
  MloptTensorInfo *arguments, *results;
  uint32_t buffer_count;
  MloptPlanBuffer *buffers;
  /// For each result, whether a step writes to it.
  bool *written;
  uint32_t segment, step;
} MloptPlanReader;

/// "artifact: entry main: " and the words.
MLOPT_MUST_CHECK MloptStatus *
mloptCreateEntryStatus(const MloptPlanReader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3), returns_nonnull));

/// Evaluates a size. `what` names it in messages.
MLOPT_MUST_CHECK MloptStatus *mloptReadSize(const MloptArtifact *artifact,
                                            const Mlopt__Size *size,
                                            const char *what,
                                            uint64_t *out_value);
/// An absent offset is 0.
MLOPT_MUST_CHECK MloptStatus *mloptReadOffset(const MloptArtifact *artifact,
                                              const Mlopt__Size *offset,
                                              const char *what,
                                              uint64_t *out_value);

/// Whether [offset, offset + bytes) lies in [0, limit).
static inline bool mloptIsWithin(uint64_t offset, uint64_t bytes,
                                 uint64_t limit) {
  return offset <= limit && bytes <= limit - offset;
}

/// Reads and checks all segments of the reader's entry.
MLOPT_MUST_CHECK MloptStatus *mloptReadSegments(MloptPlanReader *reader);

#endif // MLOPT_RUNTIME_PLAN_READ_H
