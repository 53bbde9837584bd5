//===- serialize_ptx.h - Around LLVM's NVPTX backend --------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_SERIALIZE_PTX_H
#define MLOPT_PASSES_SERIALIZE_PTX_H

#include "support.h"

#include <llvm-c/Types.h>

/// Whether everything in a gpu.module is known to become PTX. LLVM ends the
/// process when it meets an intrinsic or a type that the backend has no code
/// for, so what is not known is refused: one diagnostic at the operation.
bool mloptCheckForPtx(MlirOperation module);

/// Keeps ptxas from computing functions that the GPU's units approximate, where
/// their arguments are constant; whether there was one. For a module of LLVM
/// that is optimised.
bool mloptHideConstants(LLVMModuleRef module);

//===----------------------------------------------------------------------===//
// ptxas
//===----------------------------------------------------------------------===//

/// Finds NVIDIA's assembler: in $PATH, then in the `bin` of $CUDA_HOME and
/// $CUDA_PATH, then where CUDA installs itself. NULL if there is none; the
/// caller frees the path.
char *mloptFindPtxas(void);

/// What a kernel takes of a multiprocessor, as ptxas says: of each thread, and
/// static shared memory of a block. In bytes, but for registers.
typedef struct MloptUse {
  int registers, spillStores, spillLoads, shared;
} MloptUse;

/// What came of a text. Both are owned by the caller.
typedef struct MloptAssembled {
  char *cubin; ///< NULL if ptxas refused the text or could not be run
  size_t size;
  char *says; ///< its warnings and errors, or why it could not run; NULL: none
  MloptUse use; ///< of the text's last kernel
} MloptAssembled;

/// Runs ptxas in a process of its own. It warns about registers that spill.
MloptAssembled mloptAssemblePtx(const char *ptxas, const char *chip,
                                const char *text, size_t size);

#endif // MLOPT_PASSES_SERIALIZE_PTX_H
