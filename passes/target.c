//===- target.c - What the GPU can do -------------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "target.h"

// CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability", column 9.0; multiprocessors: H100 SXM and H200 data sheets.
// Clusters of more than 8 blocks want cudaFuncAttributeNonPortableClusterSize.
// Measured on an H200: memory (a copy of 256 MB), products (8192 cubed) and
// launches (of a chain in a graph). Additions: 128 a cycle in each
// multiprocessor at 1.98 GHz.
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
    .sharedBytes = 227 * 1024,
    .clusterBlocks = 16,
    .portableCluster = 8,
    .memoryBytes = 4200000,
    .additions = 132 * 128 * 1980,
    .tensorProducts = 400000000,
    .launchNanoseconds = 1000,
};
