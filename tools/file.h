//===- file.h - Files that appear whole ---------------------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a tool writes goes to a temporary name beside the target and is renamed
// once it is complete, so that no reader meets half a file and a failed run
// leaves the old one. A target that exists and is no regular file (a terminal,
// a pipe, /dev/null) is written in place.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_TOOLS_FILE_H
#define MLOPT_TOOLS_FILE_H

#include "error.h"

#include <stdio.h>

/// Calls `write` on a stream for `path`; NULL or "-" is standard output.
bool mloptWriteFile(const char *path, void (*write)(FILE *, void *userData),
                    void *userData, MloptError *);
/// Makes a directory and its parents, unless they are there.
bool mloptMakeDirectory(const char *path, MloptError *);

#endif // MLOPT_TOOLS_FILE_H
