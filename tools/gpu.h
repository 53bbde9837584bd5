//===- gpu.h - Programs on a GPU ----------------------------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program becomes an artifact, in memory, and the runtime runs that: what
// mlopt-run runs is what mlopt-compile writes.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_TOOLS_GPU_H
#define MLOPT_TOOLS_GPU_H

#include "entry.h"
#include "machine.h"
#include "stages.h"

/// Takes a module that has been through the first stage through the others, and
/// makes an artifact that is named after the program's file and holds `source`,
/// the program as bytecode, which may be empty. The caller frees `*data`.
bool mloptGpuCompile(const MloptStaging *, MloptSession *, const char *path,
                     MlirStringRef source, uint8_t **data, size_t *size,
                     MloptError *);

/// Reads the signature and the checks of an artifact's entry.
bool mloptEntryFromArtifact(const MloptArtifact *, const char *name,
                            MloptEntry *, MloptError *);

typedef struct MloptGpu MloptGpu;

/// Puts the artifact's code and constants on a GPU. NULL after a message.
MloptGpu *mloptGpuLoad(MloptDevice *, MloptArtifact *, MloptError *);
/// What was loaded, borrowed.
MloptProgram *mloptGpuProgram(const MloptGpu *);
/// Takes NULL too.
void mloptGpuDestroy(MloptGpu *);
/// Calls an entry of this name and of these types; the outputs are allocated.
bool mloptGpuCall(MloptGpu *, const char *name, int numInputs,
                  const MloptTensor *inputs, int numOutputs,
                  MloptTensor *outputs, MloptError *);

#endif // MLOPT_TOOLS_GPU_H
