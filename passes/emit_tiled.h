//===- emit_tiled.h - Kernels of tiled products -------------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_EMIT_TILED_H
#define MLOPT_PASSES_EMIT_TILED_H

#include "emit_kernels.h"

/// Whether the kernel's schedule is that of a tiled product.
bool mloptIsTiled(MlirOperation kernel);
/// The threads of a block; 0 for another family.
int64_t mloptTiledThreadsOf(MlirOperation kernel);
/// Emits the kernel; the builder has failed after a diagnostic.
void mloptEmitTiled(MloptKernel *);

#endif // MLOPT_PASSES_EMIT_TILED_H
