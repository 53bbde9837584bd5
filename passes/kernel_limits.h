//===- kernel_limits.h - What a kernel says of its launch ---------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes of a kernel's function that become directives of PTX.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_KERNEL_LIMITS_H
#define MLOPT_PASSES_KERNEL_LIMITS_H

#include "mlir-c/IR.h"

/// Fixes how many threads a block has.
void mloptSetKernelThreads(MlirOperation kernel, int64_t threads);

/// Says of each parameter of an `llvm.func` whether it is a tensor map, which
/// the driver copies to where TMA reads it.
void mloptSetKernelMaps(MlirOperation kernel, const bool *isMap);

/// Puts that many blocks side by side into a cluster.
void mloptSetKernelCluster(MlirOperation kernel, int64_t blocks);

/// Limits registers so that as many blocks are on a multiprocessor at once.
/// With one, ptxas takes what the threads leave rather than spill for a second.
void mloptSetKernelResident(MlirOperation kernel, int64_t blocks);

#endif // MLOPT_PASSES_KERNEL_LIMITS_H
