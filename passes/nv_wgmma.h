//===- nv_wgmma.h - Products on the Tensor Cores of Hopper --------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warpgroup, 128 threads, adds the product of two blocks in shared memory,
// one or two slabs of 64 rows by n columns, to an accumulator in its registers.
// A stage is 128 bytes deep along k: four instructions for each slab.
//
// Blocks lie as TMA leaves them with the 128-byte swizzle. One whose rows run
// along k ("k-major") has a row of 128 bytes for each m or n. One whose rows
// run along m or n, which only elements of 16 bits may, has, for each 64 of
// them, 64 rows, one for each k.
//
// The fragment: thread t = 32 w + l of the warpgroup holds, as element i of a
// slab,
//
//   row    16 w + l / 4 + 8 ((i / 2) % 2)
//   column 8 (i / 4) + 2 (l % 4) + i % 2
//
// An A of 32-bit elements whose rows run along m has, for each 32 of them, 32
// rows, one for each k, and is loaded into registers: each instruction, eight
// deep, takes from a thread the elements
//
//   row  16 w + l / 4 + 8 (i % 2)      k  l % 4 + 4 (i / 2),      i < 4
//
// A may lie in registers instead, as bf16 or f16: for each 16 along k four of
// two neighbours each, in the places of a fragment's elements 0-1, 2-3, 4-5 and
// 6-7. So a fragment of n columns, rounded and packed two by two, is the A of a
// product whose k are those columns.
//
// Reference: PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions".
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_NV_WGMMA_H
#define MLOPT_PASSES_NV_WGMMA_H

#include "nv_build.h"

enum {
  MLOPT_NV_MMA_ROWS = 64,         ///< of a slab
  MLOPT_NV_MMA_STAGE_BYTES = 128, ///< of a stage along k
  MLOPT_NV_MMA_MAX_N = 256,
  MLOPT_NV_MMA_MAX_FRAGMENT = MLOPT_NV_MMA_MAX_N / 2,
};

/// An element type of factors.
typedef struct MloptNvFactor {
  const char *name; ///< in PTX
  int64_t bytes;
  bool transposes; ///< its rows may run along m or n
  bool isLoaded;   ///< its rows may run along m, through registers
} MloptNvFactor;

typedef struct MloptNvMma {
  int64_t n, slabs;      ///< a fragment of slabs * n / 2 registers
  MloptNvFactor a, b;    ///< of one size
  bool isInteger;        ///< the accumulator: i32, not f32
  bool aAlongM, bAlongN; ///< not k-major
} MloptNvMma;

/// Registers of a thread's fragment.
static inline int64_t mloptNvFragmentSize(const MloptNvMma *mma) {
  return mma->slabs * mma->n / 2;
}
/// The accumulator as one value: a struct of f32 or i32.
MlirType mloptNvAccumulatorType(MloptNv *, const MloptNvMma *);
/// One that need not be set, since a product starts from zero; and zeros.
MlirValue mloptNvAccumulatorNone(MloptNv *, const MloptNvMma *);
MlirValue mloptNvAccumulatorZero(MloptNv *, const MloptNvMma *);

/// The matrix descriptor of a block at `offset` of the shared block.
MlirValue mloptNvDescribe(MloptNv *, MlirValue offset, bool kMajor);
/// The same of one whose rows do not run along k, where the next 64 of m or n
/// are `further` bytes on.
MlirValue mloptNvDescribeAcross(MloptNv *, MlirValue offset, int64_t further);
/// The descriptor of the block `bytes` (an i32) further.
MlirValue mloptNvDescriptorAt(MloptNv *, MlirValue descriptor, MlirValue bytes);

/// Starts the products of a stage and waits until all but the newest `pending`
/// stages have ended. `accumulate` (an i32) is 0 where the accumulator starts
/// from zero.
MlirValue mloptNvMmaStage(MloptNv *, const MloptNvMma *, MlirValue accumulator,
                          MlirValue a, MlirValue b, MlirValue accumulate,
                          int pending);
/// Where this thread's elements of an A that is loaded start in a block at
/// `offset` of the shared block, as an i32 address.
MlirValue mloptNvLoadedA(MloptNv *, MlirValue offset, MlirValue thread);
/// The products of a stage, and all before, from start to end, `a` such an
/// address.
MlirValue mloptNvMmaStageLoaded(MloptNv *, const MloptNvMma *,
                                MlirValue accumulator, MlirValue a, MlirValue b,
                                MlirValue accumulate);
/// The same in steps, for products of 16-bit elements that are under way beside
/// others. A block of `depth` elements along k, a multiple of 16: if it is
/// k-major, 128 bytes of each row, then `further` bytes on the next 128.
typedef struct MloptNvBlock {
  MlirValue descriptor;
  int64_t further;
} MloptNvBlock;
/// Starts a product of one slab from zero, as a group.
MlirValue mloptNvMmaStart(MloptNv *, const MloptNvMma *, int64_t depth,
                          MloptNvBlock a, MloptNvBlock b);
/// Starts one that is added, with A in depth / 4 registers.
MlirValue mloptNvMmaStartFrom(MloptNv *, const MloptNvMma *, int64_t depth,
                              MlirValue accumulator, const MlirValue *a,
                              MloptNvBlock b);
/// Waits until all but the newest `pending` groups have ended, among them the
/// accumulator's.
MlirValue mloptNvMmaWait(MloptNv *, const MloptNvMma *, MlirValue accumulator,
                         int pending);
/// Two f32 as such a register of A, the first one low, rounded to nearest even;
/// `type` is bf16 or f16.
MlirValue mloptNvPackPair(MloptNv *, MlirType type, MlirValue low,
                          MlirValue high);
/// Registers, all f32 or all i32, as values of this place: what is computed for
/// them is so before what comes behind.
void mloptNvPin(MloptNv *, intptr_t count, MlirValue *registers);
/// An accumulator with these registers.
MlirValue mloptNvAccumulatorFrom(MloptNv *, const MloptNvMma *,
                                 const MlirValue *fragment);
/// Waits for all.
MlirValue mloptNvMmaFinish(MloptNv *, const MloptNvMma *,
                           MlirValue accumulator);
/// The sum of two accumulators, neither under way.
MlirValue mloptNvMmaAdd(MloptNv *, const MloptNvMma *, MlirValue x,
                        MlirValue y);
/// The registers of one that has ended, slab after slab.
void mloptNvMmaFragment(MloptNv *, const MloptNvMma *, MlirValue accumulator,
                        MlirValue *outFragment);

/// Row and column of element `i` of a slab of `thread` in its warpgroup.
MlirValue mloptNvFragmentRow(MloptNv *, MlirValue thread, int64_t i);
MlirValue mloptNvFragmentColumn(MloptNv *, MlirValue thread, int64_t i);

#endif // MLOPT_PASSES_NV_WGMMA_H
