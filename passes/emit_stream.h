//===- emit_stream.h - Kernels that stream keys -------------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_EMIT_STREAM_H
#define MLOPT_PASSES_EMIT_STREAM_H

#include "build.h"

/// Whether the kernel's schedule is that of a streamed program.
bool mloptIsStream(MlirOperation kernel);
/// Fills `code`, a block with the kernel's parameters, with what the tensor
/// program in `program` says. False after a diagnostic at the kernel.
bool mloptEmitStream(MlirOperation kernel, MlirBlock program, MlirBlock code);

#endif // MLOPT_PASSES_EMIT_STREAM_H
