//===- runtime_cuda_header.c - Our declarations against cuda.h ------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled where a CUDA toolkit is found; compiling is the test. Sizes, offsets
// and constants are asserted, and every row of cuda_symbols.def is declared
// again with the driver's own types, which the compiler refuses if it differs
// from cuda.h in anything.
//
//===----------------------------------------------------------------------===//

#include <cuda.h>

#include "../../runtime/cuda.h"

#include <stdio.h>

#define SAME_SIZE(ours, theirs)                                                \
  _Static_assert(sizeof(ours) == sizeof(theirs) &&                             \
                     _Alignof(ours) == _Alignof(theirs),                       \
                 #ours)
#define SAME_PLACE(ours, theirs, member)                                       \
  _Static_assert(offsetof(ours, member) == offsetof(theirs, member) &&         \
                     sizeof(((ours *)0)->member) ==                            \
                         sizeof(((theirs *)0)->member),                        \
                 #ours "." #member)

SAME_SIZE(CuResult, CUresult);
SAME_SIZE(CuDeviceAttribute, CUdevice_attribute);
SAME_SIZE(CuFunctionAttribute, CUfunction_attribute);
SAME_SIZE(CuJitOption, CUjit_option);
SAME_SIZE(CuJitInputType, CUjitInputType);
SAME_SIZE(CuStreamCaptureStatus, CUstreamCaptureStatus);
SAME_SIZE(CuLaunchAttributeId, CUlaunchAttributeID);
SAME_SIZE(CuTensorMapDataType, CUtensorMapDataType);

SAME_SIZE(CuLaunchAttributeValue, CUlaunchAttributeValue);
SAME_PLACE(CuLaunchAttributeValue, CUlaunchAttributeValue, clusterDim);
SAME_PLACE(CuLaunchAttributeValue, CUlaunchAttributeValue,
           programmaticStreamSerializationAllowed);
SAME_SIZE(CuLaunchAttribute, CUlaunchAttribute);
SAME_PLACE(CuLaunchAttribute, CUlaunchAttribute, id);
SAME_PLACE(CuLaunchAttribute, CUlaunchAttribute, value);

SAME_SIZE(CuLaunchConfig, CUlaunchConfig);
SAME_PLACE(CuLaunchConfig, CUlaunchConfig, gridDimX);
SAME_PLACE(CuLaunchConfig, CUlaunchConfig, gridDimZ);
SAME_PLACE(CuLaunchConfig, CUlaunchConfig, blockDimX);
SAME_PLACE(CuLaunchConfig, CUlaunchConfig, blockDimZ);
SAME_PLACE(CuLaunchConfig, CUlaunchConfig, sharedMemBytes);
SAME_PLACE(CuLaunchConfig, CUlaunchConfig, hStream);
SAME_PLACE(CuLaunchConfig, CUlaunchConfig, attrs);
SAME_PLACE(CuLaunchConfig, CUlaunchConfig, numAttrs);

SAME_SIZE(CuKernelNodeParams, CUDA_KERNEL_NODE_PARAMS_v2);
SAME_SIZE(CuKernelNodeParams, CUDA_KERNEL_NODE_PARAMS_v3);
SAME_PLACE(CuKernelNodeParams, CUDA_KERNEL_NODE_PARAMS_v2, func);
SAME_PLACE(CuKernelNodeParams, CUDA_KERNEL_NODE_PARAMS_v2, gridDimX);
SAME_PLACE(CuKernelNodeParams, CUDA_KERNEL_NODE_PARAMS_v2, blockDimX);
SAME_PLACE(CuKernelNodeParams, CUDA_KERNEL_NODE_PARAMS_v2, sharedMemBytes);
SAME_PLACE(CuKernelNodeParams, CUDA_KERNEL_NODE_PARAMS_v2, kernelParams);
SAME_PLACE(CuKernelNodeParams, CUDA_KERNEL_NODE_PARAMS_v2, extra);
SAME_PLACE(CuKernelNodeParams, CUDA_KERNEL_NODE_PARAMS_v2, kern);
SAME_PLACE(CuKernelNodeParams, CUDA_KERNEL_NODE_PARAMS_v2, ctx);
SAME_PLACE(CuKernelNodeParams, CUDA_KERNEL_NODE_PARAMS_v3, kern);
SAME_PLACE(CuKernelNodeParams, CUDA_KERNEL_NODE_PARAMS_v3, ctx);

SAME_SIZE(CuMemcpy3D, CUDA_MEMCPY3D);
SAME_PLACE(CuMemcpy3D, CUDA_MEMCPY3D, srcMemoryType);
SAME_PLACE(CuMemcpy3D, CUDA_MEMCPY3D, srcDevice);
SAME_PLACE(CuMemcpy3D, CUDA_MEMCPY3D, srcPitch);
SAME_PLACE(CuMemcpy3D, CUDA_MEMCPY3D, dstMemoryType);
SAME_PLACE(CuMemcpy3D, CUDA_MEMCPY3D, dstDevice);
SAME_PLACE(CuMemcpy3D, CUDA_MEMCPY3D, dstPitch);
SAME_PLACE(CuMemcpy3D, CUDA_MEMCPY3D, WidthInBytes);
SAME_PLACE(CuMemcpy3D, CUDA_MEMCPY3D, Depth);
SAME_SIZE(CuMemcpyNodeParams, CUDA_MEMCPY_NODE_PARAMS);
SAME_PLACE(CuMemcpyNodeParams, CUDA_MEMCPY_NODE_PARAMS, copyCtx);
SAME_PLACE(CuMemcpyNodeParams, CUDA_MEMCPY_NODE_PARAMS, copyParams);

SAME_SIZE(CuMemsetNodeParams, CUDA_MEMSET_NODE_PARAMS);
SAME_PLACE(CuMemsetNodeParams, CUDA_MEMSET_NODE_PARAMS, dst);
SAME_PLACE(CuMemsetNodeParams, CUDA_MEMSET_NODE_PARAMS, value);
SAME_PLACE(CuMemsetNodeParams, CUDA_MEMSET_NODE_PARAMS, elementSize);
SAME_PLACE(CuMemsetNodeParams, CUDA_MEMSET_NODE_PARAMS, width);
SAME_PLACE(CuMemsetNodeParams, CUDA_MEMSET_NODE_PARAMS, height);
SAME_SIZE(CuMemsetNodeParamsV2, CUDA_MEMSET_NODE_PARAMS_v2);
SAME_PLACE(CuMemsetNodeParamsV2, CUDA_MEMSET_NODE_PARAMS_v2, width);
SAME_PLACE(CuMemsetNodeParamsV2, CUDA_MEMSET_NODE_PARAMS_v2, ctx);

SAME_SIZE(CuGraphNodeParams, CUgraphNodeParams);
SAME_PLACE(CuGraphNodeParams, CUgraphNodeParams, type);
SAME_PLACE(CuGraphNodeParams, CUgraphNodeParams, kernel);
SAME_PLACE(CuGraphNodeParams, CUgraphNodeParams, memcpy);
SAME_PLACE(CuGraphNodeParams, CUgraphNodeParams, memset);
SAME_PLACE(CuGraphNodeParams, CUgraphNodeParams, reserved2);

SAME_SIZE(CuGraphEdgeData, CUgraphEdgeData);
SAME_PLACE(CuGraphEdgeData, CUgraphEdgeData, from_port);
SAME_PLACE(CuGraphEdgeData, CUgraphEdgeData, to_port);
SAME_PLACE(CuGraphEdgeData, CUgraphEdgeData, type);
SAME_SIZE(CuTensorMap, CUtensorMap);

#define MLOPT_CUDA_CONSTANT(name, value)                                       \
  _Static_assert((int)name == (int)MLOPT_##name, #name);
#define MLOPT_CUDA_ERROR(name, value, code, lost, advice)                      \
  _Static_assert((int)name == (int)MLOPT_##name, #name);
#include "../../runtime/cuda_constants.def"

#define MLOPT_TENSOR_MAP_TYPE(name, bytes, number, driver_name)                \
  _Static_assert(number == (int)driver_name, name);
#include "../../runtime/tensor_map.def"

#define CuResult CUresult
#define CuDeviceAttribute CUdevice_attribute
#define CuFunctionAttribute CUfunction_attribute
#define CuJitOption CUjit_option
#define CuJitInputType CUjitInputType
#define CuStreamCaptureStatus CUstreamCaptureStatus
#define CuLaunchAttributeId CUlaunchAttributeID
#define CuLaunchAttributeValue CUlaunchAttributeValue
#define CuLaunchConfig CUlaunchConfig
#define CuKernelNodeParams CUDA_KERNEL_NODE_PARAMS_v2
#define CuMemcpy3D CUDA_MEMCPY3D
#define CuMemsetNodeParams CUDA_MEMSET_NODE_PARAMS
#define CuGraphNodeParams CUgraphNodeParams
#define CuGraphEdgeData CUgraphEdgeData
#define CuTensorMap CUtensorMap
#define CuTensorMapDataType CUtensorMapDataType
#define CuTensorMapInterleave CUtensorMapInterleave
#define CuTensorMapSwizzle CUtensorMapSwizzle
#define CuTensorMapL2Promotion CUtensorMapL2promotion
#define CuTensorMapOobFill CUtensorMapFloatOOBfill
#define uint64_t cuuint64_t
#define uint32_t cuuint32_t
#define MLOPT_CUDA(member, symbol, parameters) CUresult symbol parameters;
#include "../../runtime/cuda_symbols.def"

int main(void) {
  puts("1 passed, 0 failed");
  return 0;
}
