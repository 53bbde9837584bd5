//===- plugin.c - mlopt as a plugin of mlir-opt ---------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The entry points that MLIR looks up in a plugin library:
//
//   mlir-opt --load-dialect-plugin=libMLOpt.so --load-pass-plugin=libMLOpt.so
//
// They return structs that are plain C (mlir/Tools/Plugins). Passes of a plugin
// are no flags of their own there: name them in --pass-pipeline.
//
//===----------------------------------------------------------------------===//

#include "bridge/bridge.h"
#include "mlopt-c/Dialect.h"

#include <stdint.h>

/// MLIR_PLUGIN_API_VERSION.
enum { API_VERSION = 1 };

typedef struct PassPluginInfo {
  uint32_t apiVersion;
  const char *name;
  const char *version;
  void (*registerPasses)(void);
} PassPluginInfo;

typedef struct DialectPluginInfo {
  uint32_t apiVersion;
  const char *name;
  const char *version;
  void (*registerDialects)(void *registry);
} DialectPluginInfo;

static void registerDialects(void *pointer) {
  MlirDialectRegistry registry = {pointer};
  mloptRegisterDialects(registry);
}

MLOPT_EXPORT PassPluginInfo mlirGetPassPluginInfo(void);
MLOPT_EXPORT DialectPluginInfo mlirGetDialectPluginInfo(void);

PassPluginInfo mlirGetPassPluginInfo(void) {
  return (PassPluginInfo){API_VERSION, "mlopt", MLOPT_VERSION,
                          mloptRegisterPasses};
}

DialectPluginInfo mlirGetDialectPluginInfo(void) {
  return (DialectPluginInfo){API_VERSION, "mlopt", MLOPT_VERSION,
                             registerDialects};
}
