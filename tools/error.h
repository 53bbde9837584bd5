//===- error.h - Messages of the command-line tools ---------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a tool's function says when it fails: it writes one message and returns
// false; `main` prints it after the tool's name and exits. The first message
// written stays, since later ones follow from it.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_TOOLS_ERROR_H
#define MLOPT_TOOLS_ERROR_H

#include <stdbool.h>

typedef struct MloptError {
  char text[1024];
  bool unsupported; ///< the program was made for another machine
} MloptError;

/// Formats the message, cut to fit, if there is none yet; returns false.
bool mloptSetError(MloptError *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif // MLOPT_TOOLS_ERROR_H
