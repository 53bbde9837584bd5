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
MlirValue mloptNvDescribe(MloptNv *nv, MlirValue offset, bool kMajor) {
  const int64_t swizzle128 = INT64_C(1) << 62;
  const int64_t stride = INT64_C(1024 / 16) << 32;
  const int64_t leading = INT64_C(BLOCK_BYTES / 16) << 16;
  MlirValue address = mloptNvAddress(nv, mloptNvShared(nv, offset));
  address = mloptNvShrInt(nv, mloptNvAndInt(nv, address, 0x3ffff), 4);
  MlirValue wide = mloptBuildUnary(nv->b, "arith.extui", address, nv->i64);
  int64_t fixed = swizzle128 | stride | (kMajor ? 1 << 16 : leading);
  return mloptNvArith(nv, "arith.ori", wide, mloptNvLong(nv, fixed));
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

static void appendProduct(Text *ptx, const MloptNvMma *mma, int step,
                          int slab) {
  int size = (int)mma->n / 2, first = slab * size;
  append(ptx, " wgmma.mma_async.sync.aligned.m64n%dk%d.%s.%s.%s {", (int)mma->n,
         (int)(STEP_BYTES / mma->a.bytes), mma->isInteger ? "s32" : "f32",
         mma->a.name, mma->b.name);
  for (int i = 0; i < size; ++i)
    append(ptx, "%s$%d", i ? "," : "", first + i);
  append(ptx, "}, %s, b, %s", slab ? "c" : "a", step ? "always" : "more");
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
  appendProduct(ptx, mma, step, 0);
  if (mma->slabs == 1)
    return;
  append(ptx, " add.s64 c, a, %d;", BLOCK_BYTES / UNIT);
  appendProduct(ptx, mma, step, 1);
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
  append(&ptx,
         " wgmma.commit_group.sync.aligned;"
         " wgmma.wait_group.sync.aligned %d; }",
         pending);
  operands[n++] = a;
  operands[n++] = b;
  operands[n++] = accumulate;
  return mloptNvPtx(nv, ptx.at, constraints.at, n, operands,
                    mloptNvAccumulatorType(nv, mma));
}

MlirValue mloptNvMmaFinish(MloptNv *nv, const MloptNvMma *mma,
                           MlirValue accumulator) {
  Text constraints = {.used = 0};
  MlirValue operands[MLOPT_NV_MMA_MAX_FRAGMENT];
  intptr_t n = tieFragment(nv, mma, accumulator, &constraints, operands);
  append(&constraints, "~{memory}");
  return mloptNvPtx(nv, "wgmma.wait_group.sync.aligned 0;", constraints.at, n,
                    operands, mloptNvAccumulatorType(nv, mma));
}

MlirValue mloptNvMmaAdd(MloptNv *nv, const MloptNvMma *mma, MlirValue x,
                        MlirValue y) {
  MlirValue sum = mloptNvAccumulatorNone(nv, mma);
  for (int64_t i = 0, n = mloptNvFragmentSize(mma); i < n; ++i) {
    MlirValue operands[] = {sum, mloptNvArith(nv, "arith.addf",
                                              readRegister(nv, mma, x, i),
                                              readRegister(nv, mma, y, i))};
    char position[48];
    snprintf(position, sizeof position, "{position = array<i64: %d>}", (int)i);
    sum = mloptNvValue(nv, "llvm.insertvalue", 2, operands,
                       mloptNvAccumulatorType(nv, mma), position);
  }
  return sum;
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
