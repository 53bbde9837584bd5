//===- jit.h - Compiled functions called in this process ----------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module that has been through MLOPT_STAGE_LLVM becomes machine code, and its
// entry functions are called with buffers: first the arguments', then the
// results', each dense and row-major in the layout of tensor.h. The code
// neither keeps nor frees a buffer, and writes to results alone.
//
// Floating-point code is as the module says: no contraction, no flushing of
// denormals, rounding to nearest even.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_TOOLS_JIT_H
#define MLOPT_TOOLS_JIT_H

#include "error.h"
#include "support.h"

typedef struct MloptJit MloptJit;

/// Compiles all functions of the module, which may be destroyed afterwards.
/// NULL after a message.
MloptJit *mloptJitCreate(MlirModule, MloptError *);
/// Takes NULL too.
void mloptJitDestroy(MloptJit *);

/// Calls the function that the program names `name`. Results must not overlap
/// each other or an argument; buffers of elements that have padding bits (i1,
/// i4) hold zeros there. May be called from many threads at once.
bool mloptJitCall(const MloptJit *, const char *name, int numBuffers,
                  void *const *buffers, MloptError *);

#endif // MLOPT_TOOLS_JIT_H
