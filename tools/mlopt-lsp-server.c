//===- mlopt-lsp-server.c - Editor support for .mlir files ----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's language server, knowing mlopt's dialects: diagnostics, hover text and
// go-to-definition in editors that speak the Language Server Protocol.
//
//===----------------------------------------------------------------------===//

#include "bridge/bridge.h"
#include "register.h"

int main(int argc, char **argv) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mloptRegisterEverything(registry);
  int code = mloptLspMain(argc, argv, registry);
  mlirDialectRegistryDestroy(registry);
  return code;
}
