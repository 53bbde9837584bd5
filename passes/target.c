//===- target.c - What the GPU can do -------------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "target.h"

// CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability", column 9.0; multiprocessors: H100 SXM and H200 data sheets.
const MloptTarget mloptSm90 = {
    .multiprocessors = 132,
    .warp = 32,
    .threads = 1024,
    .residentThreads = 2048,
    .registers = 65536,
    .accessBytes = 16,
    .sectorBytes = 32,
    .blocks = INT32_MAX,
    .staticSharedBytes = 48 * 1024,
};
