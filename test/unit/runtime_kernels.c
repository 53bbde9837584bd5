//===- runtime_kernels.c - The tests' kernels for the stand-in ------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fake_cuda.h"
#include "runtime_plans.h"

static float *floats(void *parameter) { return *(float **)parameter; }

static void add1(void **parameters) {
  for (int i = 0; i < WIDTH; ++i)
    floats(parameters[1])[i] = floats(parameters[0])[i] + 1;
}

static void scale(void **parameters) {
  for (int i = 0; i < WIDTH; ++i)
    floats(parameters[1])[i] =
        floats(parameters[0])[i] * *(float *)parameters[2];
}

static void sum(void **parameters) {
  for (int i = 0; i < WIDTH; ++i)
    floats(parameters[2])[i] =
        floats(parameters[0])[i] + floats(parameters[1])[i];
}

static void load(void **parameters) {
  const uint64_t *map = parameters[0];
  const float *in = (const float *)(uintptr_t)map[0];
  for (uint64_t i = 0; i < map[1]; ++i)
    floats(parameters[1])[i] = in[i];
}

static void less(void **parameters) {
  **(int8_t **)parameters[2] =
      **(int32_t **)parameters[0] < *(int32_t *)parameters[1];
}

static void inc(void **parameters) { ++**(int32_t **)parameters[0]; }

void defineKernels(void) {
  fakeDefineKernel("add1", add1, 2, (size_t[]){8, 8});
  fakeDefineKernel("scale", scale, 3, (size_t[]){8, 8, 4});
  fakeDefineKernel("sum", sum, 3, (size_t[]){8, 8, 8});
  fakeDefineKernel("load", load, 2, (size_t[]){128, 8});
  fakeDefineKernel("less", less, 3, (size_t[]){8, 4, 8});
  fakeDefineKernel("inc", inc, 1, (size_t[]){8});
}
