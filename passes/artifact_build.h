//===- artifact_build.h - From a launch plan to an artifact -------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_ARTIFACT_BUILD_H
#define MLOPT_PASSES_ARTIFACT_BUILD_H

#include "artifact_write.h"
#include "support.h"

/// Reads a module of launch plans, gpu.binary operations and constants (level
/// 6), and nothing else, into an artifact. `source`, the program as bytecode,
/// is stored with it; it may be empty. On success the caller frees `*outData`
/// with free(). Fails after a diagnostic at the operation that has no place in
/// an artifact, or at the module when the writer refused the whole.
MlirLogicalResult mloptBuildArtifact(MlirModule, const char *program,
                                     MlirStringRef source, uint8_t **outData,
                                     size_t *outSize);

#endif // MLOPT_PASSES_ARTIFACT_BUILD_H
