//===- python.c - Runs called by CPython itself ---------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ctypes takes longer to make a call than the driver to launch a graph. So
// the Python module makes a built-in function of mloptRunFromPython, for which
// the interpreter looks up nothing and converts nothing. What that needs of
// Python is found in the process that calls; the library depends on none.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // RTLD_DEFAULT

#include "runtime.h"

#include <dlfcn.h>

/// Python's functions; an object is a void pointer.
typedef struct Python {
  void *(*PyLong_AsVoidPtr)(void *number);
  void *(*PyLong_FromVoidPtr)(void *pointer);
  void *(*PyErr_Occurred)(void);
  void *(*PyEval_SaveThread)(void);
  void (*PyEval_RestoreThread)(void *thread);
} Python;

static bool find(const char *name, void *out_function) {
  *(void **)out_function = dlsym(RTLD_DEFAULT, name);
  return *(void **)out_function;
}

/// Python's functions, looked up by the first call; NULL if they are not there.
/// Callers hold Python's lock.
static const Python *getPython(void) {
  static Python python;
  static bool found;
  if (!found)
    found = find("PyLong_AsVoidPtr", &python.PyLong_AsVoidPtr) &&
            find("PyLong_FromVoidPtr", &python.PyLong_FromVoidPtr) &&
            find("PyErr_Occurred", &python.PyErr_Occurred) &&
            find("PyEval_SaveThread", &python.PyEval_SaveThread) &&
            find("PyEval_RestoreThread", &python.PyEval_RestoreThread);
  return found ? &python : NULL;
}

void *mloptRunFromPython(void *self, void *const *arguments, intptr_t count) {
  const Python *python = getPython();
  if (!python || count < 1)
    return NULL;
  MloptInstance *instance = python->PyLong_AsVoidPtr(self);
  void *stream = python->PyLong_AsVoidPtr(arguments[0]);
  // Without pointers those that are bound.
  bool bind = count - 1 == (intptr_t)instance->pointer_count;
  uint64_t *pointers = instance->located;
  for (uint32_t i = 0; bind && i < instance->pointer_count; ++i)
    pointers[i] =
        (uint64_t)(uintptr_t)python->PyLong_AsVoidPtr(arguments[i + 1]);
  if (python->PyErr_Occurred())
    return NULL;
  void *thread = python->PyEval_SaveThread();
  MloptStatus *status = NULL;
  if (bind)
    status = mloptBindPointers(instance, pointers,
                               pointers + instance->entry->info.argument_count);
  if (!status)
    status = mloptRunInstance(instance, stream);
  python->PyEval_RestoreThread(thread);
  return python->PyLong_FromVoidPtr(status);
}
