//===- kernel_limits.c - What a kernel says of its launch -----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernel_limits.h"

#include "launch.h"
#include "nv_tma.h"
#include "support.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

static void set(MlirOperation kernel, const char *name, MlirAttribute value) {
  mlirOperationSetDiscardableAttributeByName(kernel, mloptStr(name), value);
}

void mloptSetKernelThreads(MlirOperation kernel, int64_t threads) {
  const int32_t sizes[] = {(int32_t)threads, 1, 1};
  set(kernel, "nvvm.reqntid",
      mlirDenseI32ArrayGet(mlirOperationGetContext(kernel), 3, sizes));
}

void mloptSetKernelMaps(MlirOperation kernel, const bool *isMap) {
  MlirContext context = mlirOperationGetContext(kernel);
  MlirAttribute parameters[MLOPT_MAX_LAUNCH_ARGUMENTS];
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(kernel, 0));
  intptr_t n = mlirBlockGetNumArguments(entry);
  for (intptr_t i = 0; i < n; ++i)
    parameters[i] = isMap[i] ? mloptNvMapParameter(context)
                             : mlirDictionaryAttrGet(context, 0, NULL);
  mlirOperationSetInherentAttributeByName(
      kernel, mloptStr("arg_attrs"), mlirArrayAttrGet(context, n, parameters));
}

void mloptSetKernelCluster(MlirOperation kernel, int64_t blocks) {
  const int32_t sizes[] = {(int32_t)blocks, 1, 1};
  set(kernel, "nvvm.cluster_dim",
      mlirDenseI32ArrayGet(mlirOperationGetContext(kernel), 3, sizes));
}

void mloptSetKernelResident(MlirOperation kernel, int64_t blocks) {
  MlirContext context = mlirOperationGetContext(kernel);
  set(kernel, "nvvm.minctasm",
      mlirIntegerAttrGet(mlirIntegerTypeGet(context, 32), blocks));
}
