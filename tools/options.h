//===- options.h - Command lines of the tools ---------------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tool describes its command line in one table, from which it is parsed and
// --help is printed. (mlopt-opt has MLIR's own command line instead.)
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_TOOLS_OPTIONS_H
#define MLOPT_TOOLS_OPTIONS_H

#include "error.h"

#include <stddef.h>

/// What a tool exits with.
enum {
  MLOPT_EXIT_RIGHT = 0,
  MLOPT_EXIT_WRONG = 1, ///< a wrong number
  MLOPT_EXIT_ERROR = 2  ///< in the program, the input or the machine
};

typedef enum MloptFlagKind {
  MLOPT_FLAG_SWITCH,   ///< --name; `out` is a bool
  MLOPT_FLAG_STRING,   ///< --name=TEXT; `out` is a const char *
  MLOPT_FLAG_OPTIONAL, ///< the same; --name alone gives ""
  MLOPT_FLAG_COUNT,    ///< --name=N, N >= 0; `out` is a uint64_t
  MLOPT_FLAG_NUMBER,   ///< --name=R, R >= 0 and finite; `out` is a double
  MLOPT_FLAG_CHOICE    ///< --name=a|b|c; `out` is an int, the index
} MloptFlagKind;

typedef struct MloptFlag {
  const char *name; ///< "--device"; "-o" takes its value as the next argument
  MloptFlagKind kind;
  const char *value; ///< its placeholder in --help; a choice's values "a|b|c"
  const char *help;
  size_t out; ///< where in the command's options, offsetof
} MloptFlag;

typedef struct MloptCommand {
  const char *tool;
  const char *operand; ///< the argument that is no option, "PROGRAM.mlir", or
                       ///< NULL
  bool many;           ///< any number of those instead of just one
  const char *summary; ///< a paragraph
  const MloptFlag *flags;
  int numFlags;
  const char *notes; ///< what --help ends with: exit codes, examples
  void *options;     ///< a struct that holds the defaults beforehand
} MloptCommand;

/// What a tool does once its command line is read; returns the exit code. With
/// MLOPT_EXIT_ERROR it sets a message, or has reported diagnostics.
typedef int (*MloptToolBody)(void *userData, MloptError *);

/// The whole of a tool's main: reads the command line into the options and
/// `operand`, runs the body, prints "tool: error: message" if there is one.
/// With `many`, `operand` has room for `argc` pointers, and NULL follows the
/// last.
int mloptToolMain(const MloptCommand *, int argc, char **argv,
                  const char **operand, MloptToolBody, void *userData);

/// Reads a line of words as a command line of options and one operand, which
/// must be there; the words stay in `line`, which is cut up.
bool mloptParseLine(const MloptCommand *, char *line, const char **operand,
                    MloptError *);

#endif // MLOPT_TOOLS_OPTIONS_H
