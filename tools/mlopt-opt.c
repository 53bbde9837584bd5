//===- mlopt-opt.c - Run passes on a file, as mlir-opt does ---------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's own driver over MLIR's and mlopt's dialects and passes: every flag and
// habit of mlir-opt.
//
//===----------------------------------------------------------------------===//

#include "bridge/bridge.h"
#include "register.h"

int main(int argc, char **argv) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mloptRegisterEverything(registry);
  int code =
      mloptOptMain(argc, argv, "mlopt's modular optimizer driver\n", registry);
  mlirDialectRegistryDestroy(registry);
  return code;
}
