//===- nv_tma.c - Boxes between global and shared memory ------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nv_tma.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdio.h>

enum { MAX_RANK = 5 };

MlirAttribute mloptNvMapParameter(MlirContext context) {
  return mlirAttributeParseGet(
      context, mloptStr("{llvm.byval = !llvm.array<128 x i8>,"
                        " llvm.align = 64 : i64, nvvm.grid_constant}"));
}

void mloptNvPrefetchMap(MloptNv *nv, MlirValue map) {
  mloptNvOp(nv, "nvvm.prefetch", 1, &map, "{tensormap}");
}

void mloptNvLoadBox(MloptNv *nv, MlirValue map, MlirValue offset,
                    MlirValue barrier, intptr_t rank, const MlirValue *at) {
  MlirValue operands[MAX_RANK + 3] = {mloptNvShared(nv, offset), map};
  for (intptr_t i = 0; i < rank; ++i)
    operands[2 + i] = at[i];
  operands[2 + rank] = barrier;
  char attributes[160];
  snprintf(attributes, sizeof attributes,
           "{isCTAOnly = true, mode = #nvvm.tma_load_mode<tile>,"
           " operandSegmentSizes = array<i32: 1, 1, %d, 1, 0, 0, 0, 0>}",
           (int)rank);
  mloptNvOp(nv, "nvvm.cp.async.bulk.tensor.shared.cluster.global", 3 + rank,
            operands, attributes);
}

void mloptNvLoadBoxShared(MloptNv *nv, MlirValue map, MlirValue offset,
                          MlirValue barrier, intptr_t rank, const MlirValue *at,
                          int64_t blocks) {
  MlirValue here = mloptNvShared(nv, offset);
  MlirType clusterPointer = mlirLLVMPointerTypeGet(nv->b->context, 7);
  MlirValue operands[MAX_RANK + 4] = {
      mloptNvValue(nv, "llvm.addrspacecast", 1, &here, clusterPointer, NULL),
      map};
  for (intptr_t i = 0; i < rank; ++i)
    operands[2 + i] = at[i];
  operands[2 + rank] = barrier;
  operands[3 + rank] =
      mloptBuildInt(nv->b, mlirIntegerTypeGet(nv->b->context, 16), blocks);
  char attributes[128];
  snprintf(attributes, sizeof attributes,
           "{mode = #nvvm.tma_load_mode<tile>,"
           " operandSegmentSizes = array<i32: 1, 1, %d, 1, 0, 1, 0, 0>}",
           (int)rank);
  mloptNvOp(nv, "nvvm.cp.async.bulk.tensor.shared.cluster.global", 4 + rank,
            operands, attributes);
}

void mloptNvStoreBox(MloptNv *nv, MlirValue map, MlirValue offset,
                     intptr_t rank, const MlirValue *at) {
  MlirValue operands[MAX_RANK + 2] = {map, mloptNvShared(nv, offset)};
  for (intptr_t i = 0; i < rank; ++i)
    operands[2 + i] = at[i];
  char attributes[128];
  snprintf(attributes, sizeof attributes,
           "{mode = #nvvm.tma_store_mode<tile>,"
           " operandSegmentSizes = array<i32: 1, 1, %d, 0, 0>}",
           (int)rank);
  mloptNvOp(nv, "nvvm.cp.async.bulk.tensor.global.shared.cta", 2 + rank,
            operands, attributes);
}

void mloptNvCommitStores(MloptNv *nv) {
  mloptNvOp(nv, "nvvm.cp.async.bulk.commit.group", 0, NULL, NULL);
}

void mloptNvWaitStoresRead(MloptNv *nv, int groups) {
  char attributes[48];
  snprintf(attributes, sizeof attributes, "{group = %d : i32, read}", groups);
  mloptNvOp(nv, "nvvm.cp.async.bulk.wait_group", 0, NULL, attributes);
}

void mloptNvFenceShared(MloptNv *nv) {
  mloptNvOp(nv, "nvvm.fence.proxy", 0, NULL,
            "{kind = #nvvm.proxy_kind<async.shared>,"
            " space = #nvvm.shared_space<cta>}");
}
