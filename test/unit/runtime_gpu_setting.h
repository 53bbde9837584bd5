//===- runtime_gpu_setting.h - The tests' programs on a GPU -------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_TEST_RUNTIME_GPU_SETTING_H
#define MLOPT_TEST_RUNTIME_GPU_SETTING_H

#include "runtime.h"
#include "runtime_plans.h"

/// The kernels of runtime_plans.h in PTX, for a Hopper GPU: plan_ptx for these
/// programs. Each waits for the kernels before it, since it may be launched
/// programmatically.
extern const char gpu_ptx[];

/// A program on GPU 0, with a stream, and its context current.
typedef struct Setting {
  MloptDevice *device;
  MloptProgram *program;
  MloptInstance *instance;
  CUstream stream;
  CUdeviceptr block; ///< room for tensors at multiples of 256
  bool pushed;
} Setting;

enum { BLOCK_BYTES = 1 << 16, LONG_CHAIN = 64 };

/// Y = X + 64, a kernel for each one.
MloptArtifactWriter *planLong(void);

bool driverOk(CuResult error);
/// False if something failed, which is counted.
bool setUp(Setting *s, MloptArtifactWriter *taken_writer, MloptLaunchMode mode);
void tearDown(Setting *s);
/// Microseconds.
double now(void);

#endif // MLOPT_TEST_RUNTIME_GPU_SETTING_H
