//===- machine.h - What the programs of a process share -----------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's dialects and passes, and a GPU: each is slow to start, so it is
// started when the first program needs it and kept for the others.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_TOOLS_MACHINE_H
#define MLOPT_TOOLS_MACHINE_H

#include "mlopt_runtime.h"
#include "session.h"

typedef enum MloptDeviceKind {
  MLOPT_DEVICE_AUTO, ///< the GPU if there is one, else the CPU
  MLOPT_DEVICE_CPU,
  MLOPT_DEVICE_CUDA
} MloptDeviceKind;

/// Zero at the start.
typedef struct MloptMachine {
  MloptSessionRegistry registry;
  MloptDevice *gpu;
  bool noGpu; ///< it was looked for
} MloptMachine;

/// Sets `*gpu` to the GPU, or to NULL where the kind asks for the CPU or leaves
/// the choice and there is no driver or no GPU.
bool mloptMachineChoose(MloptMachine *, MloptDeviceKind, MloptDevice **gpu,
                        MloptError *);
/// Whether nothing can run on the GPU any more in this process.
bool mloptMachineLostGpu(const MloptMachine *);
void mloptMachineDestroy(MloptMachine *);

/// Takes a runtime's status: true for success; else its message, after the
/// words in front if there are any, goes to the error.
bool mloptTakeStatus(MloptStatus *, const char *before, MloptError *);

#endif // MLOPT_TOOLS_MACHINE_H
