//===- pack_bytes.c - Two bytes of a word as two bf16 ---------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What mlopt-pack-pairs makes of two elements of eight bits that lie in one
// 32-bit word and become bf16: one value of vector<2xbf16>, without converting
// each. Every element gets the bits that its conversion gives.
//
//===----------------------------------------------------------------------===//

#include "pack_impl.h"

/// The 32-bit word that a value of eight bits is a byte of, and which; null if
/// it is none.
MlirValue mloptPackByteOf(MlirValue value, int64_t *outByte) {
  enum { BYTE = 8, WORD = 32 };
  MlirValue none = {NULL}, word;
  if (mlirValueIsAOpResult(value) &&
      mloptIsNamed(mlirOpResultGetOwner(value), "arith.bitcast"))
    value = mloptOperand(mlirOpResultGetOwner(value), 0);
  if (!mlirValueIsAOpResult(value) ||
      !mloptIsNamed(mlirOpResultGetOwner(value), "arith.trunci"))
    return none;
  word = mloptOperand(mlirOpResultGetOwner(value), 0);
  MlirType type = mlirValueGetType(word);
  *outByte = 0;
  if (!mlirTypeIsAInteger(type) || mlirIntegerTypeGetWidth(type) != WORD)
    return none;
  MlirOperation shift = mloptDefiningOp(word);
  if (mlirOperationIsNull(shift) || !mloptIsNamed(shift, "arith.shrui"))
    return word;
  MlirValue by = mloptOperand(shift, 1);
  if (!mloptIsDefinedBy(by, "arith.constant"))
    return word;
  int64_t bits =
      mlirIntegerAttrGetValueInt(mloptAttr(mlirOpResultGetOwner(by), "value"));
  *outByte = bits / BYTE;
  return bits % BYTE ? none : mloptOperand(shift, 0);
}

static MlirValue withWord(MloptBuilder *b, const char *name, MlirValue x,
                          int64_t y) {
  return mloptBuildBinary(b, name, x, mloptBuildInt(b, mlirValueGetType(x), y));
}

/// Two bytes of a word in the upper or the lower halves of two of 16 bits, and
/// a constant in the others.
static MlirValue spreadBytes(MloptBuilder *b, MlirValue word,
                             const int64_t bytes[2], bool isUpper,
                             int64_t constant) {
  enum { CONSTANT = 4, DIGIT = 4, HALF = 8 };
  MlirType i32 = mlirValueGetType(word);
  int64_t selector = 0;
  for (int lane = 0; lane < 2; ++lane) {
    int64_t own = bytes[lane],
            both = isUpper ? CONSTANT | own << DIGIT : own | CONSTANT << DIGIT;
    selector |= both << HALF * lane;
  }
  MlirValue operands[] = {word, mloptBuildInt(b, i32, constant),
                          mloptBuildInt(b, i32, selector)};
  return mloptBuildIntrinsic(b, "llvm.nvvm.prmt", 3, operands, i32);
}

/// Two signed bytes as bf16, which holds them exactly. A GPU converts few
/// integers in a cycle, but below the upper byte of 128, which is 0x4300, the
/// seven lower bits are added to it, and the eighth, of weight -128, makes it
/// 256:
///
///   x = (0x4300 | x & 0x7F) - (0x4300 | x & 0x80)
MlirValue mloptPackIntegers(MloptBuilder *b, MlirValue word,
                            const int64_t bytes[2], MlirType pair) {
  enum { ABOVE = 0x43 };
  MlirValue spread = spreadBytes(b, word, bytes, false, ABOVE);
  MlirValue low = withWord(b, "arith.andi", spread, 0xFF7FFF7F);
  MlirValue sign = withWord(b, "arith.andi", spread, 0xFF80FF80);
  return mloptBuildBinary(b, "arith.subf",
                          mloptBuildUnary(b, "llvm.bitcast", low, pair),
                          mloptBuildUnary(b, "llvm.bitcast", sign, pair));
}

static MlirValue splatHalf(MloptBuilder *b, int64_t bits, MlirType pair) {
  MlirType i32 = mlirIntegerTypeGet(b->context, 32);
  return mloptBuildUnary(b, "llvm.bitcast",
                         mloptBuildInt(b, i32, bits << 16 | bits), pair);
}

/// Two f8E4M3FN as bf16: exponent and mantissa where bf16 has them make a
/// number 2^120 times smaller, be it subnormal. NaN becomes 480, and the
/// largest number is 448: of them, 1.1 2^119 is infinity and no number times,
/// and zero times that is NaN.
MlirValue mloptPackE4m3(MloptBuilder *b, MlirValue word, const int64_t bytes[2],
                        MlirType pair) {
  enum { SCALE = 0x7B80, LARGE = 0x7B0D, SHIFT = 4 };
  MlirValue spread = spreadBytes(b, word, bytes, true, 0);
  MlirValue magnitude = withWord(
      b, "arith.andi", withWord(b, "arith.shrui", spread, SHIFT), 0x07F007F0);
  MlirValue bits = mloptBuildBinary(
      b, "arith.ori", withWord(b, "arith.andi", spread, 0x80008000), magnitude);
  MlirValue value = mloptBuildBinary(
      b, "arith.mulf", mloptBuildUnary(b, "llvm.bitcast", bits, pair),
      splatHalf(b, SCALE, pair));
  MlirValue large =
      mloptBuildBinary(b, "arith.mulf", value, splatHalf(b, LARGE, pair));
  MlirValue operands[] = {large, splatHalf(b, 0, pair), value};
  return mloptBuildValue(b, (MloptOpSpec){.name = "llvm.intr.fma",
                                          .numOperands = 3,
                                          .operands = operands,
                                          .numResults = 1,
                                          .results = &pair});
}
