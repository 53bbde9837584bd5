//===- nv_wgmma.c - Products on the Tensor Cores of Hopper ----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stage is one piece of PTX. The operation nvvm.wgmma.mma_async has no
// run-time flag for the start from zero, and nothing orders what uses an
// accumulator after its wait; here every register goes through the piece, so
// that LLVM moves no use across it. ptxas keeps uses behind the wait as long as
// no function is called between products and wait: whoever starts products sees
// to it that no division is computed there (mloptNvRenew; test/emit/
// wgmma-window.test).
//
//===----------------------------------------------------------------------===//

#include "nv_wgmma.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdarg.h>
#include <stdio.h>

enum {
  STEP_BYTES = 32, ///< of an instruction along k
  STEPS = MLOPT_NV_MMA_STAGE_BYTES / STEP_BYTES,
  BLOCK_BYTES = 64 * 128, ///< of 64 rows of 128 bytes
  UNIT = 16,              ///< of addresses in descriptors
};

/// Text of limited length; what does not fit is cut, which the size of the
/// largest product rules out.
typedef struct Text {
  char at[16384];
  size_t used;
} Text;

__attribute__((format(printf, 2, 3))) static void
append(Text *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(text->at + text->used, sizeof text->at - text->used, format,
                    arguments);
  va_end(arguments);
  if (n > 0)
    text->used += (size_t)n;
  if (text->used >= sizeof text->at)
    text->used = sizeof text->at - 1;
}

static MlirType registerType(const MloptNv *nv, const MloptNvMma *mma) {
  return mma->isInteger ? nv->i32 : nv->f32;
}

MlirType mloptNvAccumulatorType(MloptNv *nv, const MloptNvMma *mma) {
  MlirType types[MLOPT_NV_MMA_MAX_FRAGMENT];
  int64_t size = mloptNvFragmentSize(mma);
  for (int64_t i = 0; i < size; ++i)
    types[i] = registerType(nv, mma);
  return mlirLLVMStructTypeLiteralGet(nv->b->context, size, types, false);
}

MlirValue mloptNvAccumulatorNone(MloptNv *nv, const MloptNvMma *mma) {
  return mloptNvValue(nv, "llvm.mlir.undef", 0, NULL,
                      mloptNvAccumulatorType(nv, mma), NULL);
}

MlirValue mloptNvAccumulatorZero(MloptNv *nv, const MloptNvMma *mma) {
  return mloptNvValue(nv, "llvm.mlir.zero", 0, NULL,
                      mloptNvAccumulatorType(nv, mma), NULL);
}

static MlirValue readRegister(MloptNv *nv, const MloptNvMma *mma,
                              MlirValue accumulator, int64_t i) {
  char position[48];
  snprintf(position, sizeof position, "{position = array<i64: %d>}", (int)i);
  return mloptNvValue(nv, "llvm.extractvalue", 1, &accumulator,
                      registerType(nv, mma), position);
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

/// Addresses and distances are in units of 16 bytes. Eight rows of 128 bytes
/// are an atom of the swizzle, and the next atom along the rows is 1,024 bytes
/// on. The leading distance, between blocks of 64 along m or n, means nothing
/// when rows run along k.
static MlirValue describe(MloptNv *nv, MlirValue offset, int64_t leading) {
  const int64_t swizzle128 = INT64_C(1) << 62;
  const int64_t stride = (int64_t)(1024 / UNIT) << 32;
  MlirValue address = mloptNvAddress(nv, mloptNvShared(nv, offset));
  address = mloptNvShrInt(nv, mloptNvAndInt(nv, address, 0x3ffff), 4);
  MlirValue wide = mloptBuildUnary(nv->b, "arith.extui", address, nv->i64);
  return mloptNvArith(
      nv, "arith.ori", wide,
      mloptNvLong(nv, swizzle128 | stride | leading / UNIT << 16));
}

MlirValue mloptNvDescribe(MloptNv *nv, MlirValue offset, bool kMajor) {
  return describe(nv, offset, kMajor ? UNIT : BLOCK_BYTES);
}

MlirValue mloptNvDescribeAcross(MloptNv *nv, MlirValue offset,
                                int64_t further) {
  return describe(nv, offset, further);
}

MlirValue mloptNvDescriptorAt(MloptNv *nv, MlirValue descriptor,
                              MlirValue bytes) {
  MlirValue units = mloptBuildUnary(nv->b, "arith.extui",
                                    mloptNvShrInt(nv, bytes, 4), nv->i64);
  return mloptNvAdd(nv, descriptor, units);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// "=f,=f,...,0,1,..." and the operands that go with it.
static intptr_t tieFragment(MloptNv *nv, const MloptNvMma *mma,
                            MlirValue accumulator, Text *constraints,
                            MlirValue *operands) {
  int64_t size = mloptNvFragmentSize(mma);
  for (int64_t i = 0; i < size; ++i)
    append(constraints, mma->isInteger ? "=r," : "=f,");
  for (int64_t i = 0; i < size; ++i) {
    append(constraints, "%d,", (int)i);
    operands[i] = readRegister(nv, mma, accumulator, i);
  }
  return size;
}

/// One instruction deep: 32 bytes of each row of a k-major block, as many rows
/// of 128 bytes of the other kind as 32 bytes are elements.
static int stepUnits(bool kMajor) {
  return kMajor ? STEP_BYTES / UNIT : 16 * 128 / UNIT;
}

/// `a` is A's operand: a descriptor, or registers.
static void appendProduct(Text *ptx, const MloptNvMma *mma, int step, int slab,
                          const char *a) {
  int size = (int)mma->n / 2, first = slab * size;
  append(ptx, " wgmma.mma_async.sync.aligned.m64n%dk%d.%s.%s.%s {", (int)mma->n,
         (int)(STEP_BYTES / mma->a.bytes), mma->isInteger ? "s32" : "f32",
         mma->a.name, mma->b.name);
  for (int i = 0; i < size; ++i)
    append(ptx, "%s$%d", i ? "," : "", first + i);
  append(ptx, "}, %s, b, %s", a, step ? "always" : "more");
  if (!mma->isInteger)
    append(ptx, ", 1, 1");
  if (mma->a.transposes)
    append(ptx, ", %d, %d", mma->aAlongM, mma->bAlongN);
  append(ptx, ";");
}

/// The slabs' products of one depth; their blocks of A lie one after another.
static void appendStep(Text *ptx, const MloptNvMma *mma, int step) {
  int size = (int)mloptNvFragmentSize(mma);
  if (step)
    append(ptx, " add.s64 a, a, %d; add.s64 b, b, %d;",
           stepUnits(!mma->aAlongM), stepUnits(!mma->bAlongN));
  else
    append(ptx, " mov.b64 a, $%d; mov.b64 b, $%d;", 2 * size, 2 * size + 1);
  appendProduct(ptx, mma, step, 0, "a");
  if (mma->slabs == 1)
    return;
  append(ptx, " add.s64 c, a, %d;", BLOCK_BYTES / UNIT);
  appendProduct(ptx, mma, step, 1, "c");
}

/// The products that `ptx` starts, whose operands are the `n` ones of the
/// accumulator and these, and a wait until `pending` groups of them are left.
static MlirValue emitStage(MloptNv *nv, const MloptNvMma *mma, Text *ptx,
                           const Text *constraints, intptr_t n,
                           MlirValue *operands, MlirValue a, MlirValue b,
                           MlirValue accumulate, int pending) {
  append(ptx,
         " wgmma.commit_group.sync.aligned;"
         " wgmma.wait_group.sync.aligned %d; }",
         pending);
  operands[n++] = a;
  operands[n++] = b;
  operands[n++] = accumulate;
  return mloptNvPtx(nv, ptx->at, constraints->at, n, operands,
                    mloptNvAccumulatorType(nv, mma));
}

MlirValue mloptNvMmaStage(MloptNv *nv, const MloptNvMma *mma,
                          MlirValue accumulator, MlirValue a, MlirValue b,
                          MlirValue accumulate, int pending) {
  Text ptx = {.used = 0}, constraints = {.used = 0};
  MlirValue operands[MLOPT_NV_MMA_MAX_FRAGMENT + 3];
  intptr_t n = tieFragment(nv, mma, accumulator, &constraints, operands);
  append(&constraints, "l,l,r,~{memory}");
  append(&ptx,
         "{ .reg .pred more, always; .reg .b64 a, b, c;"
         " setp.ne.b32 more, $%d, 0; setp.ne.b32 always, 1, 0;"
         " wgmma.fence.sync.aligned;",
         (int)(2 * n + 2));
  for (int step = 0; step < STEPS; ++step)
    appendStep(&ptx, mma, step);
  return emitStage(nv, mma, &ptx, &constraints, n, operands, a, b, accumulate,
                   pending);
}

//===----------------------------------------------------------------------===//
// A through registers
//===----------------------------------------------------------------------===//

/// "mov" and "add" that leave an instruction's descriptor in a register.
static void appendDescriptor(Text *ptx, char name, intptr_t operand,
                             int64_t units) {
  append(ptx, " add.s64 %c, $%d, %d;", name, (int)operand, (int)units);
}

static void appendRegisters(Text *ptx, int64_t first, int64_t count) {
  append(ptx, "{");
  for (int64_t i = 0; i < count; ++i)
    append(ptx, "%s$%d", i ? "," : "", (int)(first + i));
  append(ptx, "}");
}

/// Of 32-bit elements: 32 of m by a stage of k, swizzled in pieces of 16 bytes.
enum { LOADED_K = 8, LOADED_BLOCK_BYTES = 32 * 128, PIECE_SHIFT = 4 };

MlirValue mloptNvLoadedA(MloptNv *nv, MlirValue offset, MlirValue thread) {
  MlirValue warp = mloptNvShrInt(nv, thread, 5);
  MlirValue row = mloptNvShrInt(nv, mloptNvAndInt(nv, thread, 31), 2);
  MlirValue depth = mloptNvAndInt(nv, thread, 3);
  // Two warps' rows in a block; of a warp's, eight are two pieces.
  MlirValue block =
      mloptNvMulInt(nv, mloptNvShrInt(nv, warp, 1), LOADED_BLOCK_BYTES);
  MlirValue piece =
      mloptNvAdd(nv, mloptNvMulInt(nv, mloptNvAndInt(nv, warp, 1), 4),
                 mloptNvShrInt(nv, row, 2));
  MlirValue swizzled =
      mloptNvMulInt(nv, mloptNvXor(nv, piece, depth), 1 << PIECE_SHIFT);
  MlirValue within = mloptNvMulInt(nv, mloptNvAndInt(nv, row, 3), 4);
  MlirValue at = mloptNvAdd(nv, block, mloptNvMulInt(nv, depth, 128));
  at = mloptNvAdd(nv, mloptNvAdd(nv, at, swizzled), within);
  return mloptNvAdd(nv, mloptNvAddress(nv, mloptNvShared(nv, offset)), at);
}

/// The loads of a stage: element `i` of a step lies two pieces further for
/// eight rows, and four, in rows of memory that are four further, for k.
static void appendLoads(Text *ptx, const MloptNvMma *mma, intptr_t address) {
  for (int i = 0; i < 4; ++i)
    append(ptx, " xor.b32 p%d, $%d, %d;", i, (int)address,
           (i % 2 * 2 + i / 2 * 4) << PIECE_SHIFT);
  for (int slab = 0; slab < (int)mma->slabs; ++slab)
    for (int step = 0; step < STEPS; ++step)
      for (int i = 0; i < 4; ++i)
        append(ptx, " ld.shared.b32 x%d, [p%d+%d];",
               (slab * STEPS + step) * 4 + i, i,
               slab * BLOCK_BYTES + (step * LOADED_K + i / 2 * 4) * 128);
}

MlirValue mloptNvMmaStageLoaded(MloptNv *nv, const MloptNvMma *mma,
                                MlirValue accumulator, MlirValue a, MlirValue b,
                                MlirValue accumulate) {
  Text ptx = {.used = 0}, constraints = {.used = 0};
  MlirValue operands[MLOPT_NV_MMA_MAX_FRAGMENT + 3];
  intptr_t n = tieFragment(nv, mma, accumulator, &constraints, operands);
  append(&constraints, "r,l,r,~{memory}");
  append(&ptx,
         "{ .reg .pred more, always; .reg .b64 b; .reg .b32 p<4>, x<%d>;"
         " setp.ne.b32 more, $%d, 0; setp.ne.b32 always, 1, 0;",
         (int)mma->slabs * STEPS * 4, (int)(2 * n + 2));
  appendLoads(&ptx, mma, 2 * n);
  append(&ptx, " wgmma.fence.sync.aligned;");
  for (int step = 0; step < STEPS; ++step) {
    appendDescriptor(&ptx, 'b', 2 * n + 1, step * stepUnits(true));
    for (int slab = 0; slab < (int)mma->slabs; ++slab) {
      char loaded[48];
      int x = (slab * STEPS + step) * 4;
      snprintf(loaded, sizeof loaded, "{x%d,x%d,x%d,x%d}", x, x + 1, x + 2,
               x + 3);
      appendProduct(&ptx, mma, step, slab, loaded);
    }
  }
  return emitStage(nv, mma, &ptx, &constraints, n, operands, a, b, accumulate,
                   0);
}

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

MlirValue mloptNvMmaWait(MloptNv *nv, const MloptNvMma *mma,
                         MlirValue accumulator, int pending) {
  Text constraints = {.used = 0};
  MlirValue operands[MLOPT_NV_MMA_MAX_FRAGMENT];
  intptr_t n = tieFragment(nv, mma, accumulator, &constraints, operands);
  append(&constraints, "~{memory}");
  char ptx[48];
  snprintf(ptx, sizeof ptx, "wgmma.wait_group.sync.aligned %d;", pending);
  return mloptNvPtx(nv, ptx, constraints.at, n, operands,
                    mloptNvAccumulatorType(nv, mma));
}

MlirValue mloptNvMmaFinish(MloptNv *nv, const MloptNvMma *mma,
                           MlirValue accumulator) {
  return mloptNvMmaWait(nv, mma, accumulator, 0);
}

//===----------------------------------------------------------------------===//
// Products in steps
//===----------------------------------------------------------------------===//

/// Units from a block's start to instruction `step`.
static int unitsTo(int64_t step, bool kMajor, int64_t further) {
  if (!kMajor)
    return (int)(step * stepUnits(false));
  return (int)(step / STEPS * further / UNIT + step % STEPS * stepUnits(true));
}

/// The instruction's name, up to its operands.
static void appendName(Text *ptx, const MloptNvMma *mma) {
  append(ptx, " wgmma.mma_async.sync.aligned.m64n%dk16.f32.%s.%s ", (int)mma->n,
         mma->a.name, mma->b.name);
}

enum { K16 = 16 }; ///< elements of an instruction along k

MlirValue mloptNvMmaStart(MloptNv *nv, const MloptNvMma *mma, int64_t depth,
                          MloptNvBlock a, MloptNvBlock b) {
  Text ptx = {.used = 0}, constraints = {.used = 0};
  int64_t size = mloptNvFragmentSize(mma);
  MlirValue operands[] = {a.descriptor, b.descriptor};
  for (int64_t i = 0; i < size; ++i)
    append(&constraints, "=f,");
  append(&constraints, "l,l,~{memory}");
  append(&ptx, "{ .reg .pred more; .reg .b64 a, b;"
               " wgmma.fence.sync.aligned;");
  for (int64_t step = 0; step < depth / K16; ++step) {
    if (step < 2)
      append(&ptx, " setp.ne.b32 more, %d, 0;", step > 0);
    appendDescriptor(&ptx, 'a', size, unitsTo(step, !mma->aAlongM, a.further));
    appendDescriptor(&ptx, 'b', size + 1,
                     unitsTo(step, !mma->bAlongN, b.further));
    appendName(&ptx, mma);
    appendRegisters(&ptx, 0, size);
    append(&ptx, ", a, b, more, 1, 1, %d, %d;", mma->aAlongM, mma->bAlongN);
  }
  append(&ptx, " wgmma.commit_group.sync.aligned; }");
  return mloptNvPtx(nv, ptx.at, constraints.at, 2, operands,
                    mloptNvAccumulatorType(nv, mma));
}

MlirValue mloptNvMmaStartFrom(MloptNv *nv, const MloptNvMma *mma, int64_t depth,
                              MlirValue accumulator, const MlirValue *a,
                              MloptNvBlock b) {
  Text ptx = {.used = 0}, constraints = {.used = 0};
  MlirValue operands[2 * MLOPT_NV_MMA_MAX_FRAGMENT];
  int64_t n = tieFragment(nv, mma, accumulator, &constraints, operands);
  int64_t firstOfA = 2 * n, numOfA = depth / 4;
  append(&ptx, "{ .reg .pred more; .reg .b64 b; setp.ne.b32 more, 1, 0;"
               " wgmma.fence.sync.aligned;");
  for (int64_t step = 0; step < depth / K16; ++step) {
    appendDescriptor(&ptx, 'b', firstOfA + numOfA,
                     unitsTo(step, !mma->bAlongN, b.further));
    appendName(&ptx, mma);
    appendRegisters(&ptx, 0, n);
    append(&ptx, ", ");
    appendRegisters(&ptx, firstOfA + 4 * step, 4);
    append(&ptx, ", b, more, 1, 1, %d;", mma->bAlongN);
  }
  append(&ptx, " wgmma.commit_group.sync.aligned; }");
  for (int64_t i = 0; i < numOfA; ++i) {
    append(&constraints, "r,");
    operands[n + i] = a[i];
  }
  append(&constraints, "l,~{memory}");
  operands[n + numOfA] = b.descriptor;
  return mloptNvPtx(nv, ptx.at, constraints.at, n + numOfA + 1, operands,
                    mloptNvAccumulatorType(nv, mma));
}

MlirValue mloptNvPackPair(MloptNv *nv, MlirType type, MlirValue low,
                          MlirValue high) {
  const char *ptx = mlirTypeIsABF16(type) ? "cvt.rn.bf16x2.f32 $0, $2, $1;"
                                          : "cvt.rn.f16x2.f32 $0, $2, $1;";
  MlirValue operands[] = {low, high};
  return mloptNvPtx(nv, ptx, "=r,f,f", 2, operands, nv->i32);
}

void mloptNvPin(MloptNv *nv, intptr_t count, MlirValue *registers) {
  if (nv->b->failed)
    return;
  Text constraints = {.used = 0};
  MlirType type = mlirValueGetType(registers[0]);
  MlirType types[MLOPT_NV_MMA_MAX_FRAGMENT];
  for (intptr_t i = 0; i < count; ++i) {
    append(&constraints, mlirTypeIsAF32(type) ? "=f," : "=r,");
    types[i] = type;
  }
  for (intptr_t i = 0; i < count; ++i)
    append(&constraints, "%d,", (int)i);
  append(&constraints, "~{memory}");
  MlirValue all = mloptNvPtx(
      nv, "", constraints.at, count, registers,
      mlirLLVMStructTypeLiteralGet(nv->b->context, count, types, false));
  for (intptr_t i = 0; i < count; ++i) {
    char position[48];
    snprintf(position, sizeof position, "{position = array<i64: %d>}", (int)i);
    registers[i] =
        mloptNvValue(nv, "llvm.extractvalue", 1, &all, type, position);
  }
}

MlirValue mloptNvAccumulatorFrom(MloptNv *nv, const MloptNvMma *mma,
                                 const MlirValue *fragment) {
  MlirValue all = mloptNvAccumulatorNone(nv, mma);
  for (int64_t i = 0, n = mloptNvFragmentSize(mma); i < n; ++i) {
    MlirValue operands[] = {all, fragment[i]};
    char position[48];
    snprintf(position, sizeof position, "{position = array<i64: %d>}", (int)i);
    all = mloptNvValue(nv, "llvm.insertvalue", 2, operands,
                       mloptNvAccumulatorType(nv, mma), position);
  }
  return all;
}

MlirValue mloptNvMmaAdd(MloptNv *nv, const MloptNvMma *mma, MlirValue x,
                        MlirValue y) {
  MlirValue sums[MLOPT_NV_MMA_MAX_FRAGMENT];
  for (int64_t i = 0, n = mloptNvFragmentSize(mma); i < n; ++i)
    sums[i] =
        mloptNvArith(nv, mma->isInteger ? "arith.addi" : "arith.addf",
                     readRegister(nv, mma, x, i), readRegister(nv, mma, y, i));
  return mloptNvAccumulatorFrom(nv, mma, sums);
}

void mloptNvMmaFragment(MloptNv *nv, const MloptNvMma *mma,
                        MlirValue accumulator, MlirValue *outFragment) {
  for (int64_t i = 0, n = mloptNvFragmentSize(mma); i < n; ++i)
    outFragment[i] = readRegister(nv, mma, accumulator, i);
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

MlirValue mloptNvFragmentRow(MloptNv *nv, MlirValue thread, int64_t i) {
  MlirValue warp = mloptNvShrInt(nv, thread, 5);
  MlirValue quad = mloptNvShrInt(nv, mloptNvAndInt(nv, thread, 31), 2);
  return mloptNvAddInt(nv, mloptNvAdd(nv, mloptNvMulInt(nv, warp, 16), quad),
                       8 * (i / 2 % 2));
}

MlirValue mloptNvFragmentColumn(MloptNv *nv, MlirValue thread, int64_t i) {
  MlirValue pair = mloptNvMulInt(nv, mloptNvAndInt(nv, thread, 3), 2);
  return mloptNvAddInt(nv, pair, 8 * (i / 4) + i % 2);
}
