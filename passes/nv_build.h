//===- nv_build.h - Code of one warp-specialised kernel -----------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What kernels written in C are made of: 32-bit arithmetic, addresses in shared
// memory, scopes that nest, and the few pieces of PTX that no operation of nvvm
// says. Shared memory is one dynamic block, aligned to 1,024 bytes, which the
// 128-byte swizzle needs.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_NV_BUILD_H
#define MLOPT_PASSES_NV_BUILD_H

#include "build.h"

/// A kernel under construction. The builder is borrowed.
typedef struct MloptNv {
  MloptBuilder *b;
  MlirType i1, i32, i64, f32;
  MlirType sharedPointer; ///< !llvm.ptr<3>
  MlirType sharedBytes;   ///< i8, the unit of offsets
  MlirValue shared;       ///< where the dynamic block starts
} MloptNv;

/// The name of the dynamic block's symbol in a gpu.module.
#define MLOPT_NV_SHARED "dynamic_shared"

/// Declares the dynamic block in front of `kernel`, an llvm.func, and reads its
/// address at the builder's place.
MloptNv mloptNvBegin(MloptBuilder *, MlirOperation kernel);

/// An operation without results or with one, its attributes as MLIR text of a
/// dictionary ("{group = 1 : i32}"), NULL for none.
void mloptNvOp(MloptNv *, const char *name, intptr_t numOperands,
               const MlirValue *operands, const char *attributes);
MlirValue mloptNvValue(MloptNv *, const char *name, intptr_t numOperands,
                       const MlirValue *operands, MlirType result,
                       const char *attributes);
/// PTX with operands `$0`, `$1`, ... in the order results, operands; null for a
/// void one. It has side effects and is ordered with memory.
MlirValue mloptNvPtx(MloptNv *, const char *ptx, const char *constraints,
                     intptr_t numOperands, const MlirValue *operands,
                     MlirType result);

/// The same i32 as a value of this place: nothing is found to be equal to it,
/// and what is computed from it stays behind what is before.
MlirValue mloptNvRenew(MloptNv *, MlirValue);

// i32 arithmetic.
MlirValue mloptNvInt(MloptNv *, int64_t);
MlirValue mloptNvLong(MloptNv *, int64_t);
MlirValue mloptNvArith(MloptNv *, const char *name, MlirValue, MlirValue);
MlirValue mloptNvAdd(MloptNv *, MlirValue, MlirValue);
MlirValue mloptNvAddInt(MloptNv *, MlirValue, int64_t);
MlirValue mloptNvMulInt(MloptNv *, MlirValue, int64_t);
MlirValue mloptNvDivInt(MloptNv *, MlirValue, int64_t); ///< unsigned
MlirValue mloptNvRemInt(MloptNv *, MlirValue, int64_t); ///< unsigned
MlirValue mloptNvAndInt(MloptNv *, MlirValue, int64_t);
MlirValue mloptNvShrInt(MloptNv *, MlirValue, int64_t);
MlirValue mloptNvShlInt(MloptNv *, MlirValue, int64_t);
MlirValue mloptNvXor(MloptNv *, MlirValue, MlirValue);
MlirValue mloptNvEqInt(MloptNv *, MlirValue, int64_t);
MlirValue mloptNvMin(MloptNv *, MlirValue, MlirValue); ///< unsigned
MlirValue mloptNvToInt(MloptNv *, MlirValue condition);

/// Of `count` things dealt to `parts` in as equal runs as they go, the longer
/// ones first, those of number `part` (i32; not read where there is one part):
/// from *outFirst up to *outEnd.
void mloptNvShare(MloptNv *, int64_t count, int64_t parts, MlirValue part,
                  MlirValue *outFirst, MlirValue *outEnd);

/// A special register: "tid.x", "ctaid.x", "cluster.ctarank".
MlirValue mloptNvRegister(MloptNv *, const char *name);
/// The value of lane 0, which then lies in a uniform register.
MlirValue mloptNvUniform(MloptNv *, MlirValue);
/// A place in the dynamic block.
MlirValue mloptNvShared(MloptNv *, MlirValue offset);
/// Its 32-bit address.
MlirValue mloptNvAddress(MloptNv *, MlirValue pointer);
/// The address in another block of the cluster of what is at this one here.
MlirValue mloptNvRemoteAddress(MloptNv *, MlirValue address, MlirValue rank);
/// Stores four registers, f32 or i32, to 16 bytes of such an address.
void mloptNvStoreRemote4(MloptNv *, MlirValue address, const MlirValue *);
/// Loads four from 16 bytes of the dynamic block.
void mloptNvLoad4(MloptNv *, MlirValue offset, MlirType, MlirValue *out);
/// All threads of the cluster that have not ended. What they have written
/// before is seen behind it only if `releases`, which waits for memory.
void mloptNvClusterBarrier(MloptNv *, bool releases);
/// Named barrier `id` (a value) among `threads`.
void mloptNvBarrier(MloptNv *, MlirValue id, int64_t threads);
/// Arrives there without waiting.
void mloptNvBarrierArrive(MloptNv *, MlirValue id, int64_t threads);
/// An i32 as an index.
MlirValue mloptNvToIndex(MloptNv *, MlirValue);
/// What the kernels before this one have written may be read, and what they
/// read written, from here on. Before, the kernel is set up beside them.
void mloptNvWaitForKernels(MloptNv *);

enum { MLOPT_NV_MAX_CARRIED = 136 };

/// A loop or a branch: begin, build what is inside, end.
typedef struct MloptNvScope {
  MlirBlock outer;
  MlirOperation before;
  MlirRegion region, then;
  intptr_t numOperands;
  MlirValue operands[MLOPT_NV_MAX_CARRIED + 3]; ///< of the operation
} MloptNvScope;

/// `scf.for` over i32; `outCarried` are its arguments.
MloptNvScope mloptNvBeginFor(MloptNv *, MlirValue lower, MlirValue upper,
                             MlirValue step, intptr_t numCarried,
                             const MlirValue *init, MlirValue *outIndex,
                             MlirValue *outCarried);
/// `next` and `out` have an element for each carried value.
void mloptNvEndFor(MloptNv *, const MloptNvScope *, const MlirValue *next,
                   MlirValue *out);
MloptNvScope mloptNvBeginIf(MloptNv *, MlirValue condition);
/// Ends the first branch and begins the second.
void mloptNvElse(MloptNv *, MloptNvScope *);
void mloptNvEndIf(MloptNv *, const MloptNvScope *);

#endif // MLOPT_PASSES_NV_BUILD_H
