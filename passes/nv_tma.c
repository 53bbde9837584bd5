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

void mloptNvLoadBox(MloptNv *nv, const MloptNvBox *box) {
  MlirContext context = nv->b->context;
  MlirValue here = mloptNvShared(nv, box->offset);
  MlirType i16 = mlirIntegerTypeGet(context, 16);
  if (box->blocks)
    here = mloptNvValue(nv, "llvm.addrspacecast", 1, &here,
                        mlirLLVMPointerTypeGet(context, 7), NULL);
  MlirValue operands[2 * MAX_RANK + 4] = {here, box->map};
  intptr_t count = 2, windows = box->moved ? box->rank - 2 : 0;
  for (intptr_t i = 0; i < box->rank; ++i)
    operands[count++] = box->at[i];
  operands[count++] = box->barrier;
  for (intptr_t i = 0; i < windows; ++i)
    operands[count++] =
        mloptBuildUnary(nv->b, "arith.trunci", box->moved[i], i16);
  if (box->blocks)
    operands[count++] = mloptBuildInt(nv->b, i16, box->blocks);
  char attributes[160];
  snprintf(attributes, sizeof attributes,
           "{%smode = #nvvm.tma_load_mode<%s>,"
           " operandSegmentSizes = array<i32: 1, 1, %d, 1, %d, %d, 0, 0>}",
           box->blocks ? "" : "isCTAOnly = true, ",
           box->moved ? "im2col" : "tile", (int)box->rank, (int)windows,
           box->blocks != 0);
  mloptNvOp(nv, "nvvm.cp.async.bulk.tensor.shared.cluster.global", count,
            operands, attributes);
}

void mloptNvCopyBulk(MloptNv *nv, MlirValue to, MlirValue from, int64_t bytes,
                     MlirValue barrier) {
  MlirContext c = nv->b->context;
  MlirValue operands[] = {mloptNvValue(nv, "llvm.addrspacecast", 1, &to,
                                       mlirLLVMPointerTypeGet(c, 7), NULL),
                          mloptNvValue(nv, "llvm.addrspacecast", 1, &from,
                                       mlirLLVMPointerTypeGet(c, 1), NULL),
                          barrier, mloptNvInt(nv, bytes)};
  mloptNvOp(nv, "nvvm.cp.async.bulk.shared.cluster.global", 4, operands,
            "{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>}");
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
