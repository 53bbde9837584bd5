//===- launch.c - The operands of a gpu.launch_func -----------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "launch.h"

/// Grid and block come first; SHARED is a position in `operandSegmentSizes`.
enum { GRID_AND_BLOCK = 6, SHARED = 10 };

static bool hasShared(MlirOperation launch) {
  return mlirDenseI32ArrayGetElement(mloptAttr(launch, "operandSegmentSizes"),
                                     SHARED) != 0;
}

intptr_t mloptLaunchFirstArgument(MlirOperation launch) {
  return GRID_AND_BLOCK + hasShared(launch);
}

MlirValue mloptLaunchSharedBytes(MlirOperation launch) {
  return hasShared(launch) ? mloptOperand(launch, GRID_AND_BLOCK)
                           : (MlirValue){NULL};
}

static void clear(MloptBuilder *b, MlirValue buffer) {
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(buffer));
  MlirValue operands[] = {buffer, mloptBuildInt(b, element, 0)};
  mloptBuildOp(b, (MloptOpSpec){.name = "gpu.memset",
                                .numOperands = 2,
                                .operands = operands});
}

void mloptBuildLaunch(MloptBuilder *b, const MloptLaunch *launch) {
  MlirContext c = b->context;
  if (!mlirValueIsNull(launch->cleared))
    clear(b, launch->cleared);
  MlirValue one = mloptBuildIndex(b, 1);
  MlirValue operands[GRID_AND_BLOCK + 1 + MLOPT_MAX_LAUNCH_ARGUMENTS] = {
      mloptBuildIndex(b, launch->blocks),  one, one,
      mloptBuildIndex(b, launch->threads), one, one};
  intptr_t count = GRID_AND_BLOCK;
  bool shared = launch->sharedBytes > 0;
  if (shared)
    operands[count++] =
        mloptBuildInt(b, mlirIntegerTypeGet(c, 32), launch->sharedBytes);
  memcpy(operands + count, launch->arguments,
         launch->numArguments * sizeof *operands);
  MlirAttribute nested = mlirFlatSymbolRefAttrGet(c, mloptStr(launch->kernel));
  // Async, grid, block, cluster, shared memory, arguments, async object.
  const int32_t sizes[] = {
      0, 1, 1, 1, 1, 1, 1, 0, 0, 0, shared, (int32_t)launch->numArguments, 0};
  MlirNamedAttribute attrs[4] = {
      mloptNamedAttr(
          c, "kernel",
          mlirSymbolRefAttrGet(c, mloptStr(launch->kernel), 1, &nested)),
      mloptNamedAttr(c, "operandSegmentSizes",
                     mlirDenseI32ArrayGet(c, MLOPT_COUNT(sizes), sizes)),
      mloptNamedAttr(c, "mlopt.num_outputs",
                     mloptI64Attr(c, launch->numOutputs)),
  };
  intptr_t numAttrs = 3;
  if (!mlirAttributeIsNull(launch->tensorMaps))
    attrs[numAttrs++] =
        mloptNamedAttr(c, "mlopt.tensor_maps", launch->tensorMaps);
  mloptBuildOp(b, (MloptOpSpec){.name = "gpu.launch_func",
                                .numOperands = count + launch->numArguments,
                                .operands = operands,
                                .numAttrs = numAttrs,
                                .attrs = attrs});
}
