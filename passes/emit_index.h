//===- emit_index.h - Arithmetic on indices in kernels ------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What emitters write where they compute places, of values of index type, where
// the pull stands. Other than of mloptPullAdd and mloptPullTimes, a sum is a
// new value each time.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_EMIT_INDEX_H
#define MLOPT_PASSES_EMIT_INDEX_H

#include "emit_pull.h"

/// An operation of two indices, by its name, and of an index and a constant.
static inline MlirValue mloptIndexArith(MloptPull *p, const char *name,
                                        MlirValue x, MlirValue y) {
  return mloptBuildBinary(mloptPullGetBuilder(p), name, x, y);
}
static inline MlirValue mloptIndexApply(MloptPull *p, const char *name,
                                        MlirValue x, int64_t n) {
  return mloptIndexArith(p, name, x, mloptPullIndex(p, n));
}

static inline MlirValue mloptIndexAdd(MloptPull *p, MlirValue x, MlirValue y) {
  return mloptIndexArith(p, "arith.addi", x, y);
}
static inline MlirValue mloptIndexAddInt(MloptPull *p, MlirValue x, int64_t n) {
  return n ? mloptIndexApply(p, "arith.addi", x, n) : x;
}
static inline MlirValue mloptIndexSub(MloptPull *p, MlirValue x, MlirValue y) {
  return mloptIndexArith(p, "arith.subi", x, y);
}
static inline MlirValue mloptIndexMulInt(MloptPull *p, MlirValue x, int64_t n) {
  return mloptIndexApply(p, "arith.muli", x, n);
}
static inline MlirValue mloptIndexDivInt(MloptPull *p, MlirValue x, int64_t n) {
  return mloptIndexApply(p, "arith.divui", x, n);
}
static inline MlirValue mloptIndexRemInt(MloptPull *p, MlirValue x, int64_t n) {
  return mloptIndexApply(p, "arith.remui", x, n);
}
static inline MlirValue mloptIndexMin(MloptPull *p, MlirValue x, MlirValue y) {
  return mloptIndexArith(p, "arith.minui", x, y);
}
static inline MlirValue mloptIndexMax(MloptPull *p, MlirValue x, MlirValue y) {
  return mloptIndexArith(p, "arith.maxui", x, y);
}
/// x - y, or 0 where y is more.
static inline MlirValue mloptIndexBeyond(MloptPull *p, MlirValue x,
                                         MlirValue y) {
  return mloptIndexSub(p, mloptIndexMax(p, x, y), y);
}
static inline MlirValue mloptIndexBelow(MloptPull *p, MlirValue x,
                                        MlirValue y) {
  return mloptBuildCmpI(mloptPullGetBuilder(p), "ult", x, y);
}
static inline MlirValue mloptIndexBelowInt(MloptPull *p, MlirValue x,
                                           int64_t n) {
  return mloptIndexBelow(p, x, mloptPullIndex(p, n));
}
/// Whether two conditions (i1) hold, where null is one that always does.
static inline MlirValue mloptBothHold(MloptPull *p, MlirValue x, MlirValue y) {
  return mlirValueIsNull(x)   ? y
         : mlirValueIsNull(y) ? x
                              : mloptIndexArith(p, "arith.andi", x, y);
}

#endif // MLOPT_PASSES_EMIT_INDEX_H
