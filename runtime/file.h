//===- file.h - Files written whole or not at all -----------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_RUNTIME_FILE_H
#define MLOPT_RUNTIME_FILE_H

#include "artifact.h"

/// Writes the pieces one after the other to a new file beside `path`, which
/// then takes its place: readers see the old content or the new, never a part.
MLOPT_MUST_CHECK MloptStatus *
mloptReplaceFile(const char *path, const MloptBytes *pieces, size_t count);

/// Maps a regular file; an empty one maps to no data. Unmap it with munmap.
MLOPT_MUST_CHECK MloptStatus *mloptMapFile(const char *path,
                                           MloptBytes *out_bytes);

/// Removes the cubins of a folder that were used the longest ago until it holds
/// no more than so many bytes of them; returns how many.
uint32_t mloptTrimCache(const char *directory, uint64_t limit);

#endif // MLOPT_RUNTIME_FILE_H
