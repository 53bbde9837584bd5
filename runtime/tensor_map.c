//===- tensor_map.c - CUtensorMaps ----------------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plan's modes have the driver's numbers, which is asserted here; its
// sizes were checked when the plan was read.
//
//===----------------------------------------------------------------------===//

#include "runtime.h"

#include "artifact.pb-c.h"

#include <string.h>

#define SAME(plan, driver)                                                     \
  _Static_assert((int)MLOPT__##plan == (int)MLOPT_CU_TENSOR_MAP_##driver,      \
                 "a tensor map's mode")
SAME(SWIZZLE__SWIZZLE_NONE, SWIZZLE_NONE);
SAME(SWIZZLE__SWIZZLE_32B, SWIZZLE_32B);
SAME(SWIZZLE__SWIZZLE_64B, SWIZZLE_64B);
SAME(SWIZZLE__SWIZZLE_128B, SWIZZLE_128B);
SAME(L2_PROMOTION__L2_NONE, L2_PROMOTION_NONE);
SAME(L2_PROMOTION__L2_64B, L2_PROMOTION_L2_64B);
SAME(L2_PROMOTION__L2_128B, L2_PROMOTION_L2_128B);
SAME(L2_PROMOTION__L2_256B, L2_PROMOTION_L2_256B);
SAME(OUT_OF_BOUNDS__OOB_ZERO, FLOAT_OOB_FILL_NONE);
SAME(OUT_OF_BOUNDS__OOB_NAN, FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);

MloptStatus *mloptEncodeMap(MloptInstance *instance, const MloptStep *step,
                            const MloptPlanMap *map, CUdeviceptr address,
                            void *out_map) {
  MloptDevice *device = instance->program->device;
  CuTensorMap encoded;
  void *start = (void *)(uintptr_t)address;
  CuResult error;
  if (map->pixels)
    error = device->cuda.tensorMapEncodeIm2col(
        &encoded, map->type, map->rank, start, map->dims, map->strides,
        map->low, map->high, map->box[0], map->box[1], map->element_strides,
        MLOPT_CU_TENSOR_MAP_INTERLEAVE_NONE, map->swizzle, map->l2_promotion,
        map->out_of_bounds);
  else
    error = device->cuda.tensorMapEncodeTiled(
        &encoded, map->type, map->rank, start, map->dims, map->strides,
        map->box, map->element_strides, MLOPT_CU_TENSOR_MAP_INTERLEAVE_NONE,
        map->swizzle, map->l2_promotion, map->out_of_bounds);
  if (error) {
    char text[MLOPT_STEP_TEXT];
    return mloptCreateCudaStatus(
        device, error,
        map->pixels ? "cuTensorMapEncodeIm2col" : "cuTensorMapEncodeTiled",
        "a tensor map of %s", mloptDescribeStep(instance, step, text));
  }
  memcpy(out_map, &encoded, sizeof encoded);
  return NULL;
}
