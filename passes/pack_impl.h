//===- pack_impl.h - Inside mlopt-pack-pairs ----------------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_PACK_IMPL_H
#define MLOPT_PASSES_PACK_IMPL_H

#include "build.h"

/// The 32-bit word that a value of eight bits is a byte of, and which; null if
/// it is none.
MlirValue mloptPackByteOf(MlirValue, int64_t *outByte);
/// Two bytes of a word, signed integers or f8E4M3FN, as a `pair` of bf16.
MlirValue mloptPackIntegers(MloptBuilder *, MlirValue word,
                            const int64_t bytes[2], MlirType pair);
MlirValue mloptPackE4m3(MloptBuilder *, MlirValue word, const int64_t bytes[2],
                        MlirType pair);

#endif // MLOPT_PASSES_PACK_IMPL_H
