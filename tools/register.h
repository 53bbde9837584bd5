//===- register.h - What the tools know of MLIR and mlopt ---------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What MLIR has between tensors and NVIDIA GPUs, as mlir-opt has it (dialects,
// extensions, passes; see bridge/Upstream.cpp), and what mlopt adds.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_TOOLS_REGISTER_H
#define MLOPT_TOOLS_REGISTER_H

#include "mlir-c/IR.h"

/// All of these dialects and passes. Call it once in a process.
void mloptRegisterEverything(MlirDialectRegistry);

#endif // MLOPT_TOOLS_REGISTER_H
