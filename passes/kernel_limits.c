//===- kernel_limits.c - What a kernel says of its launch -----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernel_limits.h"

#include "support.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

static void set(MlirOperation kernel, const char *name, MlirAttribute value) {
  mlirOperationSetDiscardableAttributeByName(kernel, mloptStr(name), value);
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
