//===- machine.c - What the programs of a process share -------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine.h"

bool mloptTakeStatus(MloptStatus *status, const char *before,
                     MloptError *error) {
  if (!status)
    return true;
  mloptSetError(error, "%s%s%s", before ? before : "", before ? ": " : "",
                mloptGetStatusMessage(status));
  error->unsupported = mloptGetStatusCode(status) == MLOPT_UNSUPPORTED;
  mloptReleaseStatus(status);
  return false;
}

bool mloptMachineChoose(MloptMachine *machine, MloptDeviceKind kind,
                        MloptDevice **gpu, MloptError *error) {
  *gpu = NULL;
  if (kind == MLOPT_DEVICE_CPU || (kind == MLOPT_DEVICE_AUTO && machine->noGpu))
    return true;
  MloptStatus *status =
      machine->gpu ? NULL : mloptOpenDevice(0, NULL, &machine->gpu);
  MloptCode code = mloptGetStatusCode(status);
  machine->noGpu = code == MLOPT_NO_DRIVER || code == MLOPT_NO_DEVICE;
  if (kind == MLOPT_DEVICE_AUTO && machine->noGpu) {
    mloptReleaseStatus(status);
    return true;
  }
  *gpu = machine->gpu;
  return mloptTakeStatus(
      status, kind == MLOPT_DEVICE_CUDA ? "--device=cuda" : NULL, error);
}

bool mloptMachineLostGpu(const MloptMachine *machine) {
  MloptStatus *status =
      machine->gpu ? mloptSynchronizeStream(machine->gpu, NULL) : NULL;
  bool lost = mloptGetStatusCode(status) == MLOPT_DEVICE_LOST;
  mloptReleaseStatus(status);
  return lost;
}

void mloptMachineDestroy(MloptMachine *machine) {
  mloptReleaseDevice(machine->gpu);
  if (!mlirDialectRegistryIsNull(machine->registry))
    mlirDialectRegistryDestroy(machine->registry);
  *machine = (MloptMachine){.noGpu = false};
}
