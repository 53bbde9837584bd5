//===- merge_kernels.c - One kernel for equal programs --------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `mlopt-merge-kernels` keeps one gpu.module of those that differ in nothing
// but their name and lets all launches call it: the layers of a model are
// compiled, stored and loaded once.
//
//   gpu.module @a { llvm.func @a(%x) {...} }   gpu.module @a {...}
//   gpu.module @b { llvm.func @b(%x) {...} }
//   gpu.launch_func @a::@a                 ->  gpu.launch_func @a::@a
//   gpu.launch_func @b::@b                     gpu.launch_func @a::@a
//
// A kernel knows nothing of its launches, which keep their grids, arguments and
// tensor maps. It comes before mlopt-emit-kernels, where a kernel is still a
// short tensor program.
//
//===----------------------------------------------------------------------===//

#include "build.h"
#include "passes.h"

#include <stdlib.h>

/// A kernel's module and its text without its name; `kept` is itself, or the
/// first one that is equal. Name and text are owned.
typedef struct Kernel {
  MlirOperation module;
  char *name, *text;
  size_t size, capacity;
  uint64_t hash;
  intptr_t kept;
  bool failed;
} Kernel;

typedef struct Kernels {
  intptr_t count, capacity;
  Kernel *at;
} Kernels;

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

static void append(MlirStringRef part, void *userData) {
  Kernel *kernel = userData;
  if (kernel->size + part.length > kernel->capacity) {
    size_t capacity = 2 * (kernel->size + part.length);
    char *text = realloc(kernel->text, capacity);
    if (!text) {
      kernel->failed = true;
      return;
    }
    kernel->text = text;
    kernel->capacity = capacity;
  }
  memcpy(kernel->text + kernel->size, part.data, part.length);
  kernel->size += part.length;
  for (size_t i = 0; i < part.length; ++i) // FNV-1a
    kernel->hash =
        (kernel->hash ^ (uint8_t)part.data[i]) * UINT64_C(1099511628211);
}

static void setName(MlirOperation op, const char *name) {
  mlirOperationSetAttributeByName(
      op, mloptStr("sym_name"),
      mloptStrAttr(mlirOperationGetContext(op), name));
}

/// The kernel of a module that holds one and nothing else; null for others.
static MlirOperation onlyKernel(MlirOperation module) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  MlirOperation func = mlirBlockGetFirstOperation(body);
  bool only = !mlirOperationIsNull(func) && mloptIsNamed(func, "llvm.func") &&
              mlirOperationIsNull(mlirOperationGetNextInBlock(func)) &&
              mlirAttributeEqual(mloptAttr(func, "sym_name"),
                                 mloptAttr(module, "sym_name"));
  return only ? func : (MlirOperation){NULL};
}

static void printWithoutName(Kernel *kernel, MlirOperation func) {
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  mlirOpPrintingFlagsUseLocalScope(flags);
  setName(kernel->module, "kernel");
  setName(func, "kernel");
  mlirOperationPrintWithFlags(kernel->module, flags, append, kernel);
  setName(kernel->module, kernel->name);
  setName(func, kernel->name);
  mlirOpPrintingFlagsDestroy(flags);
}

static bool addKernel(Kernels *kernels, MlirOperation module,
                      MlirOperation func) {
  if (kernels->count == kernels->capacity) {
    intptr_t capacity = kernels->capacity ? 2 * kernels->capacity : 32;
    Kernel *at = realloc(kernels->at, (size_t)capacity * sizeof *at);
    if (!at)
      return false;
    kernels->at = at;
    kernels->capacity = capacity;
  }
  Kernel *kernel = &kernels->at[kernels->count];
  MlirStringRef name = mlirStringAttrGetValue(mloptAttr(module, "sym_name"));
  *kernel = (Kernel){.module = module,
                     .name = calloc(name.length + 1, 1),
                     .kept = kernels->count};
  if (!kernel->name)
    return false;
  ++kernels->count;
  memcpy(kernel->name, name.data, name.length);
  printWithoutName(kernel, func);
  for (intptr_t i = 0; i < kernels->count - 1; ++i) {
    const Kernel *other = &kernels->at[i];
    if (kernel->kept == kernels->count - 1 && other->kept == i &&
        other->hash == kernel->hash && other->size == kernel->size &&
        !memcmp(other->text, kernel->text, kernel->size))
      kernel->kept = i;
  }
  return !kernel->failed;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static MlirWalkResult callKept(MlirOperation op, void *userData) {
  const Kernels *kernels = userData;
  if (!mloptIsNamed(op, "gpu.launch_func"))
    return MlirWalkResultAdvance;
  MlirStringRef name =
      mlirSymbolRefAttrGetRootReference(mloptAttr(op, "kernel"));
  for (intptr_t i = 0; i < kernels->count; ++i) {
    if (!mloptStrEq(name, kernels->at[i].name) || kernels->at[i].kept == i)
      continue;
    MlirContext c = mlirOperationGetContext(op);
    MlirStringRef kept = mloptStr(kernels->at[kernels->at[i].kept].name);
    MlirAttribute nested = mlirFlatSymbolRefAttrGet(c, kept);
    mlirOperationSetAttributeByName(op, mloptStr("kernel"),
                                    mlirSymbolRefAttrGet(c, kept, 1, &nested));
    break;
  }
  return MlirWalkResultAdvance;
}

static void run(MlirOperation top, MloptPass pass) {
  Kernels kernels = {0};
  bool good = true;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(top, 0));
  for (MlirOperation op = mlirBlockGetFirstOperation(body);
       good && !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    MlirOperation func =
        mloptIsNamed(op, "gpu.module") ? onlyKernel(op) : (MlirOperation){NULL};
    if (!mlirOperationIsNull(func))
      good = addKernel(&kernels, op, func);
  }
  if (good)
    mlirOperationWalk(top, callKept, &kernels, MlirWalkPreOrder);
  else
    mloptPassSignalFailure(pass);
  for (intptr_t i = 0; i < kernels.count; ++i) {
    if (good && kernels.at[i].kept != i)
      mlirOperationDestroy(kernels.at[i].module);
    free(kernels.at[i].name);
    free(kernels.at[i].text);
  }
  free(kernels.at);
}

const MloptPassDef mloptPass_mergeKernels MLOPT_TABLE = {
    .argument = "mlopt-merge-kernels",
    .summary = "Keep one of equal kernels",
    .doc = "Of the gpu.modules that hold one kernel and differ in nothing but "
           "their name, the first one stays, and every gpu.launch_func of the "
           "others calls it. Launches keep their grids and arguments.",
    .anchor = "builtin.module",
    .run = run,
};
