//===- cuda.h - The CUDA driver, opened at run time ---------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Own declarations of the few driver types that are used, so that no CUDA is
// needed to build. Handles have the driver's names (C allows a typedef twice);
// structures and enumerations are spelt Cu... and have the driver's layout,
// which test/unit/runtime_cuda_header.c proves where cuda.h is to be had.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_RUNTIME_CUDA_H
#define MLOPT_RUNTIME_CUDA_H

#include "status.h"

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUkern_st *CUkernel;
typedef struct CUarray_st *CUarray;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUlinkState_st *CUlinkState;

// The driver's enumerations, passed as the unsigned they are.
typedef unsigned CuResult;
typedef unsigned CuDeviceAttribute;
typedef unsigned CuFunctionAttribute;
typedef unsigned CuJitOption;
typedef unsigned CuJitInputType;
typedef unsigned CuStreamCaptureStatus;
typedef unsigned CuLaunchAttributeId;
typedef unsigned CuGraphNodeType;
typedef unsigned CuMemoryType;
typedef unsigned CuTensorMapDataType;
typedef unsigned CuTensorMapInterleave;
typedef unsigned CuTensorMapSwizzle;
typedef unsigned CuTensorMapL2Promotion;
typedef unsigned CuTensorMapOobFill;

enum {
#define MLOPT_CUDA_CONSTANT(name, value) MLOPT_##name = value,
#define MLOPT_CUDA_ERROR(name, value, code, lost, advice) MLOPT_##name = value,
#include "cuda_constants.def"
};

typedef union CuLaunchAttributeValue {
  char pad[64];
  struct {
    unsigned x, y, z;
  } clusterDim;
  int programmaticStreamSerializationAllowed;
  uint64_t align;
} CuLaunchAttributeValue;

typedef struct CuLaunchAttribute {
  CuLaunchAttributeId id;
  char pad[4];
  CuLaunchAttributeValue value;
} CuLaunchAttribute;

typedef struct CuLaunchConfig {
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  CUstream hStream;
  CuLaunchAttribute *attrs;
  unsigned numAttrs;
} CuLaunchConfig;

typedef struct CuKernelNodeParams {
  CUfunction func;
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  void **kernelParams;
  void **extra;
  CUkernel kern;
  CUcontext ctx;
} CuKernelNodeParams;

typedef struct CuMemcpy3D {
  size_t srcXInBytes, srcY, srcZ, srcLOD;
  CuMemoryType srcMemoryType;
  const void *srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  void *reserved0;
  size_t srcPitch, srcHeight;
  size_t dstXInBytes, dstY, dstZ, dstLOD;
  CuMemoryType dstMemoryType;
  void *dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  void *reserved1;
  size_t dstPitch, dstHeight;
  size_t WidthInBytes, Height, Depth;
} CuMemcpy3D;

typedef struct CuMemcpyNodeParams {
  int flags;
  int reserved;
  CUcontext copyCtx;
  CuMemcpy3D copyParams;
} CuMemcpyNodeParams;

// What cuGraphExecMemsetNodeSetParams takes; graph nodes add a context.
typedef struct CuMemsetNodeParams {
  CUdeviceptr dst;
  size_t pitch;
  unsigned value;
  unsigned elementSize;
  size_t width, height;
} CuMemsetNodeParams;

typedef struct CuMemsetNodeParamsV2 {
  CUdeviceptr dst;
  size_t pitch;
  unsigned value;
  unsigned elementSize;
  size_t width, height;
  CUcontext ctx;
} CuMemsetNodeParamsV2;

typedef struct CuGraphNodeParams {
  CuGraphNodeType type;
  int reserved0[3];
  union {
    long long reserved1[29];
    CuKernelNodeParams kernel;
    CuMemcpyNodeParams memcpy;
    CuMemsetNodeParamsV2 memset;
  };
  long long reserved2;
} CuGraphNodeParams;

typedef struct CuGraphEdgeData {
  unsigned char from_port, to_port, type, reserved[5];
} CuGraphEdgeData;

typedef struct CuTensorMap {
  _Alignas(128) uint64_t opaque[16];
} CuTensorMap;

/// The driver's functions; filled once, then only read.
typedef struct MloptCuda {
  void *library;
#define MLOPT_CUDA(member, symbol, parameters) CuResult(*member) parameters;
#include "cuda_symbols.def"
} MloptCuda;

/// Opens the driver's library and finds its functions. Call mloptCloseCuda also
/// after a failure.
MLOPT_MUST_CHECK MloptStatus *mloptOpenCuda(MloptCuda *out_cuda);
void mloptCloseCuda(MloptCuda *cuda);

/// What the driver's error means: a status code, whether the context is lost,
/// and what a user can do.
typedef struct MloptCudaErrorInfo {
  MloptCode code;
  bool lost;
  const char *advice;
} MloptCudaErrorInfo;

MloptCudaErrorInfo mloptGetCudaErrorInfo(CuResult error);
/// "CUDA_ERROR_OUT_OF_MEMORY", also for errors newer than this library.
const char *mloptGetCudaErrorName(const MloptCuda *cuda, CuResult error);

#endif // MLOPT_RUNTIME_CUDA_H
