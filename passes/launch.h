//===- launch.h - The operands of a gpu.launch_func ---------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Grid and block, the bytes of dynamic shared memory if the kernel takes any,
// then the kernel's arguments, the last of which it writes.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_LAUNCH_H
#define MLOPT_PASSES_LAUNCH_H

#include "build.h"

typedef struct MloptLaunch {
  const char *kernel; ///< and its gpu.module
  int64_t blocks, threads;
  int64_t sharedBytes;      ///< dynamic ones; 0 for none
  MlirAttribute tensorMaps; ///< `mlopt.tensor_maps`; null for none
  intptr_t numOutputs;      ///< of the arguments
  intptr_t numArguments;
  MlirValue *arguments;
  /// One of them that is filled with zeros before the kernel starts; null for
  /// none.
  MlirValue cleared;
} MloptLaunch;

enum { MLOPT_MAX_LAUNCH_ARGUMENTS = 256 };

void mloptBuildLaunch(MloptBuilder *, const MloptLaunch *);

/// The operand that is the kernel's first argument.
intptr_t mloptLaunchFirstArgument(MlirOperation);
/// The bytes of dynamic shared memory, a value; null if there are none.
MlirValue mloptLaunchSharedBytes(MlirOperation);

#endif // MLOPT_PASSES_LAUNCH_H
