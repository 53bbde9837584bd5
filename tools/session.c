//===- session.c - A program read from a file -----------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "session.h"

#include "mlir-c/Diagnostics.h"
#include "options.h"
#include "register.h"

#include <llvm-c/ErrorHandling.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

static void printText(MlirStringRef text, void *file) {
  fwrite(text.data, 1, text.length, file);
}

/// The place in a file that a location stems from; null if there is none.
static MlirLocation filePlace(MlirLocation at) {
  for (;;) {
    if (mlirLocationIsAFileLineColRange(at))
      return at;
    if (mlirLocationIsAName(at)) {
      at = mlirLocationNameGetChildLoc(at);
    } else if (mlirLocationIsACallSite(at)) {
      at = mlirLocationCallSiteGetCallee(at);
    } else if (mlirLocationIsAFused(at) &&
               mlirLocationFusedGetNumLocations(at) == 1) {
      MlirLocation only;
      mlirLocationFusedGetLocations(at, &only);
      at = only;
    } else {
      return (MlirLocation){NULL};
    }
  }
}

/// The next character of the line, EOF at its end.
static int nextOnLine(FILE *file) {
  int c = getc(file);
  return c == '\n' ? EOF : c;
}

/// Shows the line of the file that a diagnostic is about, with a caret below;
/// of a long line (constants may fill megabytes) the part around the caret.
static void printSourceLine(const char *path, int line, int column) {
  enum { BEFORE = 50, WIDTH = 100 };
  FILE *file = fopen(path, "r");
  if (!file)
    return;
  int c = 0;
  while (line > 1 && (c = getc(file)) != EOF)
    line -= c == '\n';
  int first = column > BEFORE ? column - BEFORE : 1, at = 1;
  for (; at < first + WIDTH && (c = nextOnLine(file)) != EOF; ++at)
    if (at >= first)
      fputc(c == '\t' ? ' ' : c, stderr);
  fprintf(stderr, "\n%*s^\n", column - first, "");
  fclose(file);
}

static void printDiagnostic(MlirDiagnostic diagnostic) {
  static const char *const severities[] = {
      [MlirDiagnosticError] = "error",
      [MlirDiagnosticWarning] = "warning",
      [MlirDiagnosticNote] = "note",
      [MlirDiagnosticRemark] = "remark",
  };
  MlirLocation place = filePlace(mlirDiagnosticGetLocation(diagnostic));
  char path[1024] = "";
  int line = 0, column = 0;
  if (!mlirLocationIsNull(place)) {
    MlirStringRef file =
        mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(place));
    line = mlirLocationFileLineColRangeGetStartLine(place);
    column = mlirLocationFileLineColRangeGetStartColumn(place);
    snprintf(path, sizeof path, "%.*s", (int)file.length, file.data);
    // Lines count from 1; a location without one stands for the whole file.
    if (line > 0)
      fprintf(stderr, "%s:%d:%d: ", path, line, column);
    else
      fprintf(stderr, "%s: ", path);
  }
  fprintf(stderr, "%s: ", severities[mlirDiagnosticGetSeverity(diagnostic)]);
  mlirDiagnosticPrint(diagnostic, printText, stderr);
  fputc('\n', stderr);
  if (line > 0 && column > 0)
    printSourceLine(path, line, column);
}

/// Collects the start of a text, to look at it.
typedef struct Prefix {
  char text[32];
} Prefix;

static void keepPrefix(MlirStringRef text, void *userData) {
  Prefix *prefix = userData;
  size_t used = strlen(prefix->text);
  size_t room = sizeof prefix->text - 1 - used;
  strncat(prefix->text, text.data, text.length < room ? text.length : room);
}

/// MLIR attaches the operation in full to errors about it. It may hold
/// megabytes of constants, and the location has said which one it is.
static bool showsOperation(MlirDiagnostic note) {
  Prefix prefix = {""};
  mlirDiagnosticPrint(note, keepPrefix, &prefix);
  return !strncmp(prefix.text, "see current operation", 21);
}

static MlirLogicalResult handleDiagnostic(MlirDiagnostic diagnostic,
                                          void *userData) {
  MloptSession *session = userData;
  session->numErrors +=
      mlirDiagnosticGetSeverity(diagnostic) == MlirDiagnosticError;
  printDiagnostic(diagnostic);
  for (intptr_t i = 0, n = mlirDiagnosticGetNumNotes(diagnostic); i < n; ++i)
    if (!showsOperation(mlirDiagnosticGetNote(diagnostic, i)))
      printDiagnostic(mlirDiagnosticGetNote(diagnostic, i));
  return mloptSuccess();
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// LLVM's answer to a program that it has no code for. What can be known to
/// meet it is refused before.
static void endProcess(const char *reason) {
  fprintf(stderr,
          "error: LLVM gave up, which mlopt should have prevented: %s\n",
          reason);
  _exit(MLOPT_EXIT_ERROR);
}

/// One thread: a program is one function or a few, and the pool would cost more
/// to start than it saves.
static void createContext(MloptSessionRegistry *registry,
                          MloptSession *session) {
  if (mlirDialectRegistryIsNull(*registry)) {
    *registry = mlirDialectRegistryCreate();
    mloptRegisterEverything(*registry);
    LLVMInstallFatalErrorHandler(endProcess);
  }
  session->context = mlirContextCreateWithRegistry(*registry, false);
  mlirContextAttachDiagnosticHandler(session->context, handleDiagnostic,
                                     session, NULL);
  session->numErrors = 0;
}

/// Whether there is a module; without one the context goes.
static bool keepModule(MlirModule module, MloptSession *session) {
  session->module = module;
  if (!mlirModuleIsNull(module))
    return true;
  mlirContextDestroy(session->context);
  return false;
}

bool mloptSessionRead(MloptSessionRegistry *registry, const char *path,
                      MloptSession *session) {
  createContext(registry, session);
  return keepModule(
      mlirModuleCreateParseFromFile(session->context, mloptStr(path)), session);
}

bool mloptSessionReadMemory(MloptSessionRegistry *registry,
                            MlirStringRef program, MloptSession *session) {
  createContext(registry, session);
  return keepModule(mlirModuleCreateParse(session->context, program), session);
}

void mloptSessionDestroy(MloptSession *session) {
  mlirModuleDestroy(session->module);
  mlirContextDestroy(session->context);
}

void mloptSessionExplain(const MloptSession *session, MloptError *error) {
  if (!session->numErrors)
    mloptSetError(error, "the program could not be compiled, and no pass said "
                         "why");
}

static void writeModule(FILE *file, void *userData) {
  MloptSession *session = userData;
  mlirOperationPrint(mlirModuleGetOperation(session->module), printText, file);
}

bool mloptSessionWrite(MloptSession *session, const char *path,
                       MloptError *error) {
  return mloptWriteFile(path, writeModule, session, error);
}

/// Bytecode under way; `data` is NULL once memory is out.
typedef struct Bytes {
  char *data;
  size_t size, capacity;
} Bytes;

static void appendBytes(MlirStringRef part, void *userData) {
  Bytes *bytes = userData;
  if (bytes->size + part.length > bytes->capacity) {
    bytes->capacity = 2 * bytes->capacity + part.length;
    char *more = bytes->data ? realloc(bytes->data, bytes->capacity) : NULL;
    if (!more)
      free(bytes->data);
    bytes->data = more;
  }
  if (bytes->data)
    memcpy(bytes->data + bytes->size, part.data, part.length);
  bytes->size += part.length;
}

char *mloptSessionGetBytecode(const MloptSession *session, size_t *size) {
  Bytes bytes = {malloc(4096), 0, 4096};
  MlirOperation copy =
      mlirOperationClone(mlirModuleGetOperation(session->module));
  mloptSetLocations(copy, mlirLocationUnknownGet(session->context));
  mlirOperationWriteBytecode(copy, appendBytes, &bytes);
  mlirOperationDestroy(copy);
  *size = bytes.size;
  return bytes.data;
}
