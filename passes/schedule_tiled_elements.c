//===- schedule_tiled_elements.c - What mma.sync multiplies ---------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A factor whose values are all numbers of one 16-bit float needs no other: its
// products with another such factor are exact in f32. Which types these are
// follows from the factor's elements in memory and the casts behind them, each
// of which keeps every value:
//
//   bf16                   bf16
//   f16                    f16
//   f8E4M3FN, f8E5M2, i8   both: 4, 3 and 8 bits of a mantissa, and f16's
//                          exponents reach from 2^-24 to 2^15
//
//===----------------------------------------------------------------------===//

#include "schedule_tiled.h"

#include <stdint.h>

enum { IN_BF16 = 1, IN_F16 = 2 }; ///< types that hold a factor's values

/// Casts that keep each value, and how they take an integer.
static const struct {
  const char *name;
  bool isSigned, isUnsigned;
} casts[] = {
    {"arith.extf", false, false},  {"arith.extsi", true, false},
    {"arith.sitofp", true, false}, {"arith.extui", false, true},
    {"arith.uitofp", false, true},
};

/// Whether the casts behind a factor keep each value of 8 bits, and how they
/// take integers.
static bool areExact(const MloptFactor *f, bool *outSigned) {
  bool wasUnsigned = false;
  for (MlirValue value = f->multiplied; mlirValueIsAOpResult(value);) {
    MlirOperation op = mlirOpResultGetOwner(value);
    intptr_t row = MLOPT_FIND_ROW(op, casts);
    MlirType to = mlirValueGetType(value);
    // An integer of 8 bits is no float of 8 bits; and a negative one that was
    // extended is large without its sign.
    if (row < 0 || (mloptIsFloatElement(to) && mloptElementWidth(to) <= 8) ||
        (wasUnsigned && casts[row].isSigned))
      return false;
    wasUnsigned |= casts[row].isUnsigned;
    *outSigned = casts[row].isSigned;
    value = mloptOperand(op, 0);
  }
  return true;
}

/// The types of 16 bits that hold each value of a factor of f32.
static int holdersOf(const MloptFactor *f) {
  bool isSigned;
  if (!mlirTypeIsAF32(mlirValueGetType(f->multiplied)) ||
      !areExact(f, &isSigned))
    return 0;
  if (mlirTypeIsABF16(f->element))
    return IN_BF16;
  if (mlirTypeIsAF16(f->element))
    return IN_F16;
  return mloptElementWidth(f->element) <= 8 ? IN_BF16 | IN_F16 : 0;
}

bool mloptTiledIsOneTerm(const MloptFactor *f) {
  return (holdersOf(f) & IN_BF16) != 0;
}

/// Whether both factors lie in memory in 8 bits, other than truth values.
static bool areBytes(const MloptProduct *p) {
  for (int i = 0; i < 2; ++i)
    if (!p->factors[i].access.isKnown ||
        mloptElementWidth(p->factors[i].element) != 8)
      return false;
  return true;
}

MloptTiledCores mloptTiledCoresOf(const MloptProduct *p) {
  const MloptFactor *a = &p->factors[0], *b = &p->factors[1];
  bool isSigned;
  if (mlirTypeIsAInteger(p->sum))
    return mloptElementWidth(p->sum) == 32 && areBytes(p) &&
                   areExact(a, &isSigned) && areExact(b, &isSigned)
               ? MLOPT_TILED_INTEGERS
               : MLOPT_TILED_NO_CORES;
  if (!mlirTypeIsAF32(p->sum) || !(holdersOf(a) & holdersOf(b)))
    return MLOPT_TILED_NO_CORES;
  return areBytes(p) ? MLOPT_TILED_BYTES : MLOPT_TILED_HALVES;
}

bool mloptTiledUsesMma(const MloptProduct *p) {
  return mloptTiledCoresOf(p) != MLOPT_TILED_NO_CORES;
}

MlirType mloptTiledStored(const MloptProduct *p, int factor) {
  const MloptFactor *f = &p->factors[factor], *other = &p->factors[!factor];
  MlirContext context = mlirTypeGetContext(p->sum);
  switch (mloptTiledCoresOf(p)) {
  case MLOPT_TILED_HALVES:
    return mloptIsHalf(f->element)       ? f->element
           : mloptIsHalf(other->element) ? other->element
                                         : mlirF16TypeGet(context);
  case MLOPT_TILED_BYTES:
  case MLOPT_TILED_INTEGERS:
    return f->element;
  case MLOPT_TILED_NO_CORES:
    break;
  }
  return mloptTiledIsOneTerm(f) ? mlirBF16TypeGet(context) : p->sum;
}

MloptNvByte mloptTiledByteOf(const MloptFactor *f) {
  bool isSigned = true;
  if (mlirTypeIsAFloat8E4M3FN(f->element))
    return MLOPT_NV_E4M3;
  if (mlirTypeIsAFloat8E5M2(f->element))
    return MLOPT_NV_E5M2;
  areExact(f, &isSigned);
  return isSigned ? MLOPT_NV_S8 : MLOPT_NV_U8;
}
