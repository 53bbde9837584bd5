//===- nv_wgmma.h - Products on the Tensor Cores of Hopper --------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warpgroup, 128 threads, adds the product of a 64 x 64 and a 64 x n block in
// shared memory to an accumulator of 64 x n in its registers; four instructions
// of depth 16 make a stage.
//
// Blocks lie as TMA leaves them with the 128-byte swizzle. One whose rows run
// along k ("k-major") has a row of 128 bytes for each m or n. One whose rows
// run along m or n has, for each 64 of them, 64 rows, one for each k.
//
// The fragment: thread t = 32 w + l of the warpgroup holds, as element i,
//
//   row    16 w + l / 4 + 8 ((i / 2) % 2)
//   column 8 (i / 4) + 2 (l % 4) + i % 2
//
// Reference: PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions".
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_NV_WGMMA_H
#define MLOPT_PASSES_NV_WGMMA_H

#include "nv_build.h"

enum {
  MLOPT_NV_MMA_ROWS = 64,  ///< of a warpgroup's product
  MLOPT_NV_MMA_DEPTH = 64, ///< of a stage, in elements of 16 bits
  MLOPT_NV_MMA_MAX_N = 256,
  MLOPT_NV_MMA_MAX_FRAGMENT = MLOPT_NV_MMA_MAX_N / 2,
};

typedef struct MloptNvMma {
  int64_t n;
  const char *element;   ///< of the factors: "bf16", "f16"
  bool aAlongM, bAlongN; ///< not k-major
} MloptNvMma;

/// Registers of a thread's fragment.
static inline int64_t mloptNvFragmentSize(const MloptNvMma *mma) {
  return mma->n / 2;
}
/// The accumulator as one value: a struct of f32.
MlirType mloptNvAccumulatorType(MloptNv *, const MloptNvMma *);

/// The matrix descriptor of a block at `offset` of the shared block.
MlirValue mloptNvDescribe(MloptNv *, MlirValue offset, bool kMajor);
/// The descriptor of the block `bytes` (an i32) further.
MlirValue mloptNvDescriptorAt(MloptNv *, MlirValue descriptor, MlirValue bytes);

/// Starts the products of a stage and waits until all before them have ended.
/// `accumulate` (an i32) is 0 where the accumulator starts from zero.
MlirValue mloptNvMmaStage(MloptNv *, const MloptNvMma *, MlirValue accumulator,
                          MlirValue a, MlirValue b, MlirValue accumulate);
/// Waits for all and writes the fragment's registers.
void mloptNvMmaFinish(MloptNv *, const MloptNvMma *, MlirValue accumulator,
                      MlirValue *outFragment);

/// Row and column of element `i` of the fragment of `thread` in its warpgroup.
MlirValue mloptNvFragmentRow(MloptNv *, MlirValue thread, int64_t i);
MlirValue mloptNvFragmentColumn(MloptNv *, MlirValue thread, int64_t i);

#endif // MLOPT_PASSES_NV_WGMMA_H
