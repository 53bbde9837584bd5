//===- jit.c - Compiled functions called in this process ------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "jit.h"

#include "passes.h"

#include "mlir-c/Dialect/LLVM.h"
#include "mlir-c/ExecutionEngine.h"

#include <stdlib.h>

/// LLVM's optimization level. Without loop unrolling 1 is no faster to compile,
/// and 0 gives code that is four times slower for a third of the time saved.
enum { OPT_LEVEL = 2 };

/// Calls a function with pointers to its arguments.
typedef void (*Packed)(void **arguments);

typedef struct Entry {
  char *name; ///< as the program has it
  intptr_t numBuffers;
  Packed call;
} Entry;

struct MloptJit {
  MlirExecutionEngine engine;
  intptr_t numEntries;
  Entry *entries;
};

/// The function's name in the program; empty when it is none of its functions
/// but one that lowering declared.
static MlirStringRef programName(MlirOperation func) {
  static const char prefix[] = MLOPT_ENTRY_PREFIX;
  size_t length = sizeof prefix - 1;
  MlirStringRef name = mlirStringAttrGetValue(mloptAttr(func, "sym_name"));
  if (name.length < length || strncmp(name.data, prefix, length))
    return (MlirStringRef){NULL, 0};
  return (MlirStringRef){name.data + length, name.length - length};
}

/// Adds the function to the table. The first look-up compiles the module.
static bool addEntry(MloptJit *jit, MlirOperation func, MloptError *error) {
  MlirStringRef name = programName(func);
  MlirType type = mlirTypeAttrGetValue(mloptAttr(func, "function_type"));
  void *code = mlirExecutionEngineLookupPacked(
      jit->engine, mlirStringAttrGetValue(mloptAttr(func, "sym_name")));
  if (!code)
    return mloptSetError(error, "cannot link function '%.*s'", (int)name.length,
                         name.data);
  Entry entry = {.name = strndup(name.data, name.length),
                 .numBuffers = mlirLLVMFunctionTypeGetNumInputs(type)};
  memcpy(&entry.call, &code, sizeof code);
  jit->entries =
      realloc(jit->entries, (size_t)(jit->numEntries + 1) * sizeof entry);
  jit->entries[jit->numEntries++] = entry;
  return true;
}

MloptJit *mloptJitCreate(MlirModule module, MloptError *error) {
  MloptJit *jit = calloc(1, sizeof *jit);
  jit->engine = mlirExecutionEngineCreate(module, OPT_LEVEL, 0, NULL,
                                          /*enableObjectDump=*/false,
                                          /*enablePIC=*/false);
  if (mlirExecutionEngineIsNull(jit->engine)) {
    mloptSetError(error, "cannot translate the module to LLVM IR");
    mloptJitDestroy(jit);
    return NULL;
  }
  for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (mloptIsNamed(op, "llvm.func") && programName(op).length &&
        !addEntry(jit, op, error)) {
      mloptJitDestroy(jit);
      return NULL;
    }
  }
  return jit;
}

void mloptJitDestroy(MloptJit *jit) {
  if (!jit)
    return;
  if (!mlirExecutionEngineIsNull(jit->engine))
    mlirExecutionEngineDestroy(jit->engine);
  for (intptr_t i = 0; i < jit->numEntries; ++i)
    free(jit->entries[i].name);
  free(jit->entries);
  free(jit);
}

bool mloptJitCall(const MloptJit *jit, const char *name, int numBuffers,
                  void *const *buffers, MloptError *error) {
  const Entry *entry = NULL;
  for (intptr_t i = 0; i < jit->numEntries && !entry; ++i)
    if (!strcmp(jit->entries[i].name, name))
      entry = &jit->entries[i];
  if (!entry)
    return mloptSetError(error, "no function '%s'", name);
  if (entry->numBuffers != numBuffers)
    return mloptSetError(error, "function '%s' takes %td buffers, not %d", name,
                         entry->numBuffers, numBuffers);
  // A packed call takes the address of each argument, here of each pointer.
  void **arguments = malloc(((size_t)numBuffers + 1) * sizeof *arguments);
  for (int i = 0; i < numBuffers; ++i)
    arguments[i] = (void *)&buffers[i];
  entry->call(arguments);
  free(arguments);
  return true;
}
