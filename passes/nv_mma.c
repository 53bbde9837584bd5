//===- nv_mma.c - Products of one warp ------------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nv_mma.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdio.h>

/// PTX with several results of one type.
static void several(MloptNv *nv, const char *ptx, const char *constraints,
                    intptr_t numOperands, const MlirValue *operands,
                    MlirType type, int count, MlirValue *out) {
  MlirType types[4] = {type, type, type, type};
  MlirType all =
      mlirLLVMStructTypeLiteralGet(nv->b->context, count, types, false);
  MlirValue results =
      mloptNvPtx(nv, ptx, constraints, numOperands, operands, all);
  for (int i = 0; i < count; ++i) {
    char position[48];
    snprintf(position, sizeof position, "{position = array<i64: %d>}", i);
    out[i] = mloptNvValue(nv, "llvm.extractvalue", 1, &results, type, position);
  }
}

void mloptNvLoadMatrices(MloptNv *nv, MlirValue address, int64_t offset,
                         bool transposed, MlirValue out[4]) {
  char ptx[128];
  snprintf(ptx, sizeof ptx,
           "ldmatrix.sync.aligned.m8n8.x4%s.shared.b16 {$0, $1, $2, $3}, "
           "[$4+%d];",
           transposed ? ".trans" : "", (int)offset);
  several(nv, ptx, "=r,=r,=r,=r,r,~{memory}", 1, &address, nv->i32, 4, out);
}

void mloptNvMmaWarp(MloptNv *nv, const char *element, const MlirValue a[4],
                    const MlirValue b[2], MlirValue sum[4]) {
  char ptx[256];
  snprintf(ptx, sizeof ptx,
           "mma.sync.aligned.m16n8k16.row.col.f32.%s.%s.f32 {$0, $1, $2, $3}, "
           "{$4, $5, $6, $7}, {$8, $9}, {$0, $1, $2, $3};",
           element, element);
  MlirValue operands[] = {a[0], a[1],   a[2],   a[3],   b[0],
                          b[1], sum[0], sum[1], sum[2], sum[3]};
  several(nv, ptx, "=f,=f,=f,=f,r,r,r,r,r,r,0,1,2,3", 10, operands, nv->f32, 4,
          sum);
}

void mloptNvMmaWarpFrom(MloptNv *nv, const char *element, const MlirValue a[4],
                        const MlirValue b[2], const MlirValue *sum,
                        MlirValue out[4]) {
  MlirValue operands[10] = {a[0], a[1], a[2], a[3], b[0], b[1]};
  char ptx[256];
  snprintf(ptx, sizeof ptx,
           "mma.sync.aligned.m16n8k16.row.col.f32.%s.%s.f32 {$0, $1, $2, $3}, "
           "{$4, $5, $6, $7}, {$8, $9}, %s;",
           element, element,
           sum ? "{$10, $11, $12, $13}"
               : "{0f00000000, 0f00000000, 0f00000000, 0f00000000}");
  if (sum)
    memcpy(operands + 6, sum, 4 * sizeof *sum);
  several(nv, ptx,
          sum ? "=f,=f,=f,=f,r,r,r,r,r,r,f,f,f,f" : "=f,=f,=f,=f,r,r,r,r,r,r",
          sum ? 10 : 6, operands, nv->f32, 4, out);
}

void mloptNvMmaBytes(MloptNv *nv, bool aIsSigned, bool bIsSigned,
                     const MlirValue a[4], const MlirValue b[2],
                     MlirValue sum[4]) {
  char ptx[160];
  snprintf(ptx, sizeof ptx,
           "mma.sync.aligned.m16n8k32.row.col.s32.%s.%s.s32 {$0, $1, $2, $3}, "
           "{$4, $5, $6, $7}, {$8, $9}, {$0, $1, $2, $3};",
           aIsSigned ? "s8" : "u8", bIsSigned ? "s8" : "u8");
  MlirValue operands[] = {a[0], a[1],   a[2],   a[3],   b[0],
                          b[1], sum[0], sum[1], sum[2], sum[3]};
  several(nv, ptx, "=r,=r,=r,=r,r,r,r,r,r,r,0,1,2,3", 10, operands, nv->i32, 4,
          sum);
}

void mloptNvMmaDouble(MloptNv *nv, MlirValue a, MlirValue b, MlirValue sum[2]) {
  MlirValue operands[] = {a, b, sum[0], sum[1]};
  several(nv,
          "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {$0, $1}, {$2}, "
          "{$3}, {$0, $1};",
          "=d,=d,d,d,0,1", 4, operands, mlirF64TypeGet(nv->b->context), 2, sum);
}

void mloptNvMmaDoubleDeep(MloptNv *nv, const MlirValue a[8],
                          const MlirValue b[4], MlirValue sum[4]) {
  MlirValue operands[16];
  memcpy(operands, a, 8 * sizeof *a);
  memcpy(operands + 8, b, 4 * sizeof *b);
  memcpy(operands + 12, sum, 4 * sizeof *sum);
  several(nv,
          "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 "
          "{$0, $1, $2, $3}, {$4, $5, $6, $7, $8, $9, $10, $11}, "
          "{$12, $13, $14, $15}, {$0, $1, $2, $3};",
          "=d,=d,=d,=d,d,d,d,d,d,d,d,d,d,d,d,d,0,1,2,3", 16, operands,
          mlirF64TypeGet(nv->b->context), 4, sum);
}

/// What a pair of bf16 leaves of a pair of f32.
#define SUBTRACT_PAIR(pair)                                                    \
  " shl.b32 t, " pair ", 16; mov.b32 f, t; sub.rn.f32 x, x, f;"                \
  " and.b32 t, " pair ", 0xffff0000; mov.b32 f, t; sub.rn.f32 y, y, f;"

void mloptNvSplit(MloptNv *nv, MlirValue low, MlirValue high,
                  MlirValue out[3]) {
  MlirValue operands[] = {low, high};
  // The first term is cut off, since rounding could make it infinite.
  several(nv,
          "{ .reg .f32 x, y, f; .reg .b32 t; .reg .pred p, q;"
          " mov.b32 x, $3; mov.b32 y, $4; cvt.rz.bf16x2.f32 $0, y, "
          "x;" SUBTRACT_PAIR(
              "$0") " setp.num.f32 p, x, x; selp.f32 x, x, 0f00000000, p;"
                    " setp.num.f32 q, y, y; selp.f32 y, y, 0f00000000, q;"
                    " cvt.rn.bf16x2.f32 $1, y, x;" SUBTRACT_PAIR(
                        "$1") " cvt.rn.bf16x2.f32 $2, y, x; }",
          "=&r,=&r,=&r,f,f", 2, operands, nv->i32, 3, out);
}

// Bytes 0 and 1, or 2 and 3, as the upper halves of two f16.
#define UPPER_LOW(to, from) " prmt.b32 " to ", " from ", 0, 0x1404;"
#define UPPER_HIGH(to, from) " prmt.b32 " to ", " from ", 0, 0x3424;"

// The exponent and the mantissa where those of f16 end: 2^-8 of the number, if
// it is one. Of NaN, which n has the uppermost bit of, all other bits are set.
#define EXPAND_E4M3(pair, UPPER)                                               \
  UPPER("x", "$2")                                                             \
  " shr.u32 y, x, 1; and.b32 y, y, 0x3f803f80; and.b32 x, x, 0x80008000;"      \
  " or.b32 x, x, y; mul.rn.f16x2 x, x, s;" UPPER(                              \
      "y", "n") " and.b32 y, y, 0x80008000; shr.u32 z, y, 7; sub.u32 y, y, z;" \
                " or.b32 " pair ", x, y;"

/// How each encoding is widened, by the instruction if there is one. Integers
/// are the last bits of 1024 + x, of which 1024, or 1152 beside the sign, is
/// taken off.
static const struct {
  const char *converts, *otherwise;
} widenings[] = {
    [MLOPT_NV_E4M3] =
        {"{ .reg .b16 x, y; mov.b32 {x, y}, $2;"
         " cvt.rn.f16x2.e4m3x2 $0, x; cvt.rn.f16x2.e4m3x2 $1, y; }",
         "{ .reg .b32 n, s, x, y, z; mov.b32 s, 0x5c005c00;"
         " and.b32 n, $2, 0x7f7f7f7f; add.u32 n, n, 0x01010101;" EXPAND_E4M3(
             "$0", UPPER_LOW) EXPAND_E4M3("$1", UPPER_HIGH) " }"},
    [MLOPT_NV_E5M2] = {NULL,
                       "{" UPPER_LOW("$0", "$2") UPPER_HIGH("$1", "$2") " }"},
    [MLOPT_NV_S8] = {NULL,
                     "{ .reg .b32 x, s; xor.b32 x, $2, 0x80808080;"
                     " mov.b32 s, 0x64646464; prmt.b32 $0, x, s, 0x4140;"
                     " prmt.b32 $1, x, s, 0x4342; mov.b32 s, 0x64806480;"
                     " sub.rn.f16x2 $0, $0, s; sub.rn.f16x2 $1, $1, s; }"},
    [MLOPT_NV_U8] = {NULL,
                     "{ .reg .b32 s; mov.b32 s, 0x64646464;"
                     " prmt.b32 $0, $2, s, 0x4140;"
                     " prmt.b32 $1, $2, s, 0x4342; mov.b32 s, 0x64006400;"
                     " sub.rn.f16x2 $0, $0, s; sub.rn.f16x2 $1, $1, s; }"},
};

void mloptNvWidenBytes(MloptNv *nv, MloptNvByte byte, bool converts,
                       MlirValue word, MlirValue out[2]) {
  const char *ptx = converts && widenings[byte].converts
                        ? widenings[byte].converts
                        : widenings[byte].otherwise;
  several(nv, ptx, "=&r,=&r,r", 1, &word, nv->i32, 2, out);
}

MlirValue mloptNvHalfToBFloat(MloptNv *nv, MlirValue pair) {
  return mloptNvPtx(nv,
                    "{ .reg .b16 x, y; .reg .f32 f, g; mov.b32 {x, y}, $1;"
                    " cvt.f32.f16 f, x; cvt.f32.f16 g, y;"
                    " cvt.rn.bf16x2.f32 $0, g, f; }",
                    "=r,r", 1, &pair, nv->i32);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

void mloptNvCopyAsync(MloptNv *nv, MlirValue sharedAddress, int64_t offset,
                      MlirValue pointer, int64_t pointerOffset, int64_t bytes,
                      MlirValue condition) {
  char ptx[160];
  bool always = mlirValueIsNull(condition);
  // Only 16 bytes can go past the first-level cache.
  snprintf(ptx, sizeof ptx, "cp.async.%s.shared.global [$0+%d], [$1+%d], %d%s;",
           bytes == 16 ? "cg" : "ca", (int)offset, (int)pointerOffset,
           (int)bytes, always ? "" : ", $2");
  MlirValue operands[3] = {sharedAddress, pointer};
  if (!always)
    operands[2] = mloptBuildSelect(nv->b, condition, mloptNvInt(nv, bytes),
                                   mloptNvInt(nv, 0));
  mloptNvPtx(nv, ptx, always ? "r,l,~{memory}" : "r,l,r,~{memory}",
             always ? 2 : 3, operands, (MlirType){NULL});
}

void mloptNvCommitCopies(MloptNv *nv) {
  mloptNvPtx(nv, "cp.async.commit_group;", "~{memory}", 0, NULL,
             (MlirType){NULL});
}

void mloptNvWaitCopies(MloptNv *nv, int64_t groups) {
  char ptx[48];
  snprintf(ptx, sizeof ptx, "cp.async.wait_group %d;", (int)groups);
  mloptNvPtx(nv, ptx, "~{memory}", 0, NULL, (MlirType){NULL});
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// How an access of so many bytes is written; `type` has one or two letters.
typedef struct Words {
  int64_t bytes;
  int count;
  const char *type, *list, *constraint;
} Words;

static const Words rows[] = {
    {1, 1, "u8", "$%d", "h"},
    {2, 1, "u16", "$%d", "h"},
    {4, 1, "b32", "$%d", "r"},
    {8, 2, "v2.b32", "{$%d, $%d}", "r"},
    {16, 4, "v4.b32", "{$%d, $%d, $%d, $%d}", "r"},
};

static const Words *findWords(int64_t bytes) {
  const Words *row = rows;
  while (row->bytes != bytes)
    ++row;
  return row;
}

static size_t listWords(char *text, size_t size, const Words *row, int first) {
  return (size_t)snprintf(text, size, row->list, first, first + 1, first + 2,
                          first + 3);
}

/// A byte travels in a register of 16 bits.
static MlirType wordType(MloptNv *nv, const Words *row) {
  return row->bytes < 4 ? mlirIntegerTypeGet(nv->b->context, 16) : nv->i32;
}

int mloptNvLoadWords(MloptNv *nv, MlirValue pointer, int64_t bytes, bool once,
                     MlirValue condition, MlirValue out[4]) {
  const Words *row = findWords(bytes);
  bool always = mlirValueIsNull(condition);
  char ptx[320], list[32], constraints[48] = "";
  listWords(list, sizeof list, row, 0);
  size_t used = 0;
  if (!always) {
    used = (size_t)snprintf(ptx, sizeof ptx,
                            "{ .reg .pred p; setp.ne.b32 p, $%d, 0;",
                            row->count + 1);
    for (int i = 0; i < row->count; ++i)
      used += (size_t)snprintf(ptx + used, sizeof ptx - used, " mov.%s $%d, 0;",
                               row->bytes < 4 ? "b16" : "b32", i);
  }
  snprintf(ptx + used, sizeof ptx - used, " %sld.global.nc%s.%s %s, [$%d];%s",
           always ? "" : "@p ", once ? ".L1::no_allocate" : "", row->type, list,
           row->count, always ? "" : " }");
  used = 0;
  // Early, since zeros are written before the address is read.
  for (int i = 0; i < row->count; ++i)
    used += (size_t)snprintf(constraints + used, sizeof constraints - used,
                             "=&%s,", row->constraint);
  snprintf(constraints + used, sizeof constraints - used, "l%s",
           always ? "" : ",r");
  MlirValue operands[2] = {pointer};
  if (!always)
    operands[1] = mloptNvToInt(nv, condition);
  if (row->count == 1)
    out[0] = mloptNvPtx(nv, ptx, constraints, always ? 1 : 2, operands,
                        wordType(nv, row));
  else
    several(nv, ptx, constraints, always ? 1 : 2, operands, nv->i32, row->count,
            out);
  return row->count;
}

MlirValue mloptNvLoadHalves(MloptNv *nv, MlirValue pointer, int word,
                            MlirValue left, MlirValue toLast, MlirValue last) {
  char ptx[320];
  bool mayEnd = !mlirValueIsNull(toLast);
  int used = snprintf(
      ptx, sizeof ptx,
      "{ .reg .pred p, q; mov.b32 $0, 0; setp.gt.s32 p, $2, %d;", 2 * word);
  if (mayEnd)
    used += snprintf(ptx + used, sizeof ptx - (size_t)used,
                     " setp.eq.and.s32 q, $3, %d, p;"
                     " setp.ne.and.s32 p, $3, %d, p; @q mov.b32 $0, $4;",
                     4 * word, 4 * word);
  snprintf(ptx + used, sizeof ptx - (size_t)used,
           " @p ld.global.nc.b32 $0, [$1+%d]; }", 4 * word);
  MlirValue operands[] = {pointer, left, toLast, last};
  return mloptNvPtx(nv, ptx, mayEnd ? "=&r,l,r,r,r" : "=&r,l,r", mayEnd ? 4 : 2,
                    operands, nv->i32);
}

void mloptNvStoreWords(MloptNv *nv, MlirValue sharedAddress, int64_t offset,
                       int64_t bytes, const MlirValue *words) {
  const Words *row = findWords(bytes);
  char ptx[128], list[32], constraints[32] = "r";
  listWords(list, sizeof list, row, 1);
  snprintf(ptx, sizeof ptx, "st.shared.%s [$0+%d], %s;", row->type, (int)offset,
           list);
  MlirValue operands[5] = {sharedAddress};
  size_t used = 1;
  for (int i = 0; i < row->count; ++i) {
    operands[i + 1] = words[i];
    used += (size_t)snprintf(constraints + used, sizeof constraints - used,
                             ",%s", row->constraint);
  }
  snprintf(constraints + used, sizeof constraints - used, ",~{memory}");
  mloptNvPtx(nv, ptx, constraints, row->count + 1, operands, (MlirType){NULL});
}

static bool isWideElement(MlirType element) {
  return mlirTypeIsAF64(element) || (mlirTypeIsAInteger(element) &&
                                     mlirIntegerTypeGetWidth(element) == 64);
}

/// Loads elements of 32 or 64 bits, from "shared" or "shared::cluster".
static void loadElements(MloptNv *nv, const char *space, int count,
                         MlirValue address, int64_t offset, MlirType element,
                         MlirValue *out) {
  static const char *const heads[] = {"", "", "v2.", NULL, "v4."};
  static const char *const lists[] = {NULL, "$0", "{$0, $1}", NULL,
                                      "{$0, $1, $2, $3}"};
  bool isFloat = mlirTypeIsAFloat(element);
  bool isWide = isWideElement(element);
  const char *letter = isFloat ? (isWide ? "d" : "f") : isWide ? "l" : "r";
  char ptx[96], constraints[48] = "";
  snprintf(ptx, sizeof ptx, "ld.%s.%s%s%d %s, [$%d+%d];", space, heads[count],
           isFloat ? "f" : "b", isWide ? 64 : 32, lists[count], count,
           (int)offset);
  size_t used = 0;
  for (int i = 0; i < count; ++i)
    used += (size_t)snprintf(constraints + used, sizeof constraints - used,
                             "=%s,", letter);
  snprintf(constraints + used, sizeof constraints - used, "r,~{memory}");
  if (count > 1)
    several(nv, ptx, constraints, 1, &address, element, count, out);
  else
    out[0] = mloptNvPtx(nv, ptx, constraints, 1, &address, element);
}

/// Elements in 16 bytes.
static int countElements(MlirType element) {
  return isWideElement(element) ? 2 : 4;
}

int mloptNvLoadShared(MloptNv *nv, MlirValue sharedAddress, int64_t offset,
                      MlirType element, MlirValue out[4]) {
  int count = countElements(element);
  loadElements(nv, "shared", count, sharedAddress, offset, element, out);
  return count;
}

void mloptNvLoadSharedSome(MloptNv *nv, MlirValue sharedAddress, int64_t offset,
                           MlirType element, int count, MlirValue *out) {
  loadElements(nv, "shared", count, sharedAddress, offset, element, out);
}

int mloptNvLoadRemote(MloptNv *nv, MlirValue remoteAddress, int64_t offset,
                      MlirType element, bool isWhole, MlirValue *out) {
  int count = isWhole ? countElements(element) : 1;
  loadElements(nv, "shared::cluster", count, remoteAddress, offset, element,
               out);
  return count;
}

MlirValue mloptNvJoinHalves(MloptNv *nv, const MlirValue halves[2]) {
  if (nv->b->failed)
    return (MlirValue){NULL};
  MlirType type = mloptPairType(mlirValueGetType(halves[0]));
  MlirValue vector =
      mloptBuildValue(nv->b, (MloptOpSpec){.name = "llvm.mlir.poison",
                                           .numResults = 1,
                                           .results = &type});
  for (int i = 0; i < 2; ++i) {
    MlirValue operands[] = {vector, halves[i], mloptNvInt(nv, i)};
    vector = mloptBuildValue(nv->b, (MloptOpSpec){.name = "llvm.insertelement",
                                                  .numOperands = 3,
                                                  .operands = operands,
                                                  .numResults = 1,
                                                  .results = &type});
  }
  return mloptBuildUnary(nv->b, "llvm.bitcast", vector, nv->i32);
}
