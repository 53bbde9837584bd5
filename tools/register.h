//===- register.h - What the tools know of MLIR and mlopt -------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All of MLIR's dialects, extensions and passes, as mlir-opt has them, and
// mlopt's own.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_TOOLS_REGISTER_H
#define MLOPT_TOOLS_REGISTER_H

#include "mlir-c/IR.h"

/// Every dialect and pass of MLIR and mlopt. Call it once in a process.
void mloptRegisterEverything(MlirDialectRegistry);

#endif // MLOPT_TOOLS_REGISTER_H
