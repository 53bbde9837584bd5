//===- nv_mma.h - Products of one warp ----------------------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mma.sync, ldmatrix and cp.async, which every chip since sm_80 has. Fragments
// of the 16 x 8 x 16 product, as lane l holds them (g = l / 4, t = l % 4):
//
//   A, 16 x 16    {(g, 2t), (g, 2t+1)}, rows + 8, columns + 8, both + 8
//   B, 16 x 8     {(2t, g), (2t+1, g)}, rows + 8
//   C, 16 x 8     (g, 2t), (g, 2t+1), (g+8, 2t), (g+8, 2t+1)
//
// Of integers of 8 bits, 16 x 8 x 32, a register has k 4t .. 4t+3 in place of
// 2t, 2t+1.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_NV_MMA_H
#define MLOPT_PASSES_NV_MMA_H

#include "nv_build.h"

/// Four 8 x 8 matrices of 16-bit elements; lane l gives the address (i32, in
/// shared memory) of row l % 8 of matrix l / 8, `offset` bytes before it.
void mloptNvLoadMatrices(MloptNv *, MlirValue address, int64_t offset,
                         bool transposed, MlirValue out[4]);
/// sum += a * b, of elements "bf16" or "f16".
void mloptNvMmaWarp(MloptNv *, const char *element, const MlirValue a[4],
                    const MlirValue b[2], MlirValue sum[4]);

/// The same from other sums; null: zeros.
void mloptNvMmaWarpFrom(MloptNv *, const char *element, const MlirValue a[4],
                        const MlirValue b[2], const MlirValue *sum,
                        MlirValue out[4]);
/// sum += a * b of integers, to sums of i32 that wrap around.
void mloptNvMmaBytes(MloptNv *, bool aIsSigned, bool bIsSigned,
                     const MlirValue a[4], const MlirValue b[2],
                     MlirValue sum[4]);
/// sum += a * b of f64, 8 x 4 times 4 x 8: lane l has a (g, t), b (t, g), and
/// of the sums (g, 2t), (g, 2t+1).
void mloptNvMmaDouble(MloptNv *, MlirValue a, MlirValue b, MlirValue sum[2]);
/// The same of 16 x 16 times 16 x 8, which only sm_90 has and does twice as
/// fast: of a (g, 4i + t) and (g + 8, 4i + t) for each i, of b (4i + t, g), of
/// the sums (g, 2t), (g, 2t+1), (g + 8, 2t), (g + 8, 2t+1).
void mloptNvMmaDoubleDeep(MloptNv *, const MlirValue a[8], const MlirValue b[4],
                          MlirValue sum[4]);
/// A pair of f32 as the sum of three pairs of bf16, each as one i32, `low` in
/// its lower half. Exact for numbers above 2^-102; of what is not finite, the
/// first term is that and the others are zero.
void mloptNvSplit(MloptNv *, MlirValue low, MlirValue high, MlirValue out[3]);

/// How numbers of 8 bits are encoded.
typedef enum MloptNvByte {
  MLOPT_NV_E4M3,
  MLOPT_NV_E5M2,
  MLOPT_NV_S8,
  MLOPT_NV_U8
} MloptNvByte;
/// Four numbers of 8 bits, an i32, as two pairs of f16, which holds each. With
/// `converts`, e4m3 by the instruction that sm_89 and later have.
void mloptNvWidenBytes(MloptNv *, MloptNvByte, bool converts, MlirValue word,
                       MlirValue out[2]);
/// A pair of f16 as one of bf16, which must hold both.
MlirValue mloptNvHalfToBFloat(MloptNv *, MlirValue pair);

/// Starts a copy of 4, 8 or 16 bytes from global to shared memory, both so many
/// bytes after an address; where `condition` (i1, null: always) is false,
/// writes zeros and reads nothing.
void mloptNvCopyAsync(MloptNv *, MlirValue sharedAddress, int64_t offset,
                      MlirValue pointer, int64_t pointerOffset, int64_t bytes,
                      MlirValue condition);
/// Closes the group of copies that this thread has started.
void mloptNvCommitCopies(MloptNv *);
/// Waits until all but the newest `groups` are done.
void mloptNvWaitCopies(MloptNv *, int64_t groups);

/// Two floats of 16 bits as a word, the first in its lower half, in the form
/// that mlopt-pack-pairs looks for.
MlirValue mloptNvJoinHalves(MloptNv *, const MlirValue halves[2]);

/// Loads 1, 2, 4, 8 or 16 bytes of global memory that nobody writes meanwhile,
/// as integers of 32 bits, or one narrower; zeros where `condition` (i1, null:
/// always) is false. `once`: nobody on this multiprocessor reads them again.
/// Returns how many.
int mloptNvLoadWords(MloptNv *, MlirValue pointer, int64_t bytes, bool once,
                     MlirValue condition, MlirValue out[4]);
/// Loads word `word` after an aligned pointer likewise: two elements of 16
/// bits, of which `left` (i32) are there from the pointer on; zeros if neither
/// is. Where `toLast` (i32, null: nowhere) is the distance in bytes from the
/// pointer to the word, only its lower half is memory that may be read, and
/// `last` (i32) has it: a load of its own would hold up the one behind it.
MlirValue mloptNvLoadHalves(MloptNv *, MlirValue pointer, int word,
                            MlirValue left, MlirValue toLast, MlirValue last);
/// Loads 16 bytes of shared memory as elements of 32 or 64 bits. Returns how
/// many.
int mloptNvLoadShared(MloptNv *, MlirValue sharedAddress, int64_t offset,
                      MlirType element, MlirValue out[4]);
/// The same of `count` elements: 1, 2 or 4 of 32 bits, 1 or 2 of 64.
void mloptNvLoadSharedSome(MloptNv *, MlirValue sharedAddress, int64_t offset,
                           MlirType element, int count, MlirValue *out);
/// The same, or where `isWhole` is false one element, from another block's
/// (mloptNvRemoteAddress).
int mloptNvLoadRemote(MloptNv *, MlirValue remoteAddress, int64_t offset,
                      MlirType element, bool isWhole, MlirValue *out);
/// Stores as many words to shared memory.
void mloptNvStoreWords(MloptNv *, MlirValue sharedAddress, int64_t offset,
                       int64_t bytes, const MlirValue *words);

#endif // MLOPT_PASSES_NV_MMA_H
