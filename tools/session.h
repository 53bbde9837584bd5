//===- session.h - A program read from a file ---------------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module with the context it lives in. Diagnostics go to standard error as
// `file:line:column: error: message`; a function that fails has reported why.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_TOOLS_SESSION_H
#define MLOPT_TOOLS_SESSION_H

#include "file.h"
#include "support.h"

typedef struct MloptSession {
  MlirContext context;
  MlirModule module;
  int numErrors; ///< diagnostics that were errors
} MloptSession;

/// All dialects and passes, for every session of the process: made by the first
/// and destroyed by whoever holds it. Null at the start.
typedef MlirDialectRegistry MloptSessionRegistry;

/// Reads text or bytecode; "-" is standard input. The session stays where it is
/// until it is destroyed.
bool mloptSessionRead(MloptSessionRegistry *, const char *path, MloptSession *);
/// The same from memory, which may go afterwards.
bool mloptSessionReadMemory(MloptSessionRegistry *, MlirStringRef program,
                            MloptSession *);
void mloptSessionDestroy(MloptSession *);
/// Sets a message if something failed without an error diagnostic.
void mloptSessionExplain(const MloptSession *, MloptError *);
/// Writes the module as text; a NULL path is standard output.
bool mloptSessionWrite(MloptSession *, const char *path, MloptError *);
/// The module as bytecode without locations, which would name this machine's
/// files; the caller frees it. NULL without memory.
char *mloptSessionGetBytecode(const MloptSession *, size_t *size);

#endif // MLOPT_TOOLS_SESSION_H
