//===- fake_cuda.h - Steering the stand-in driver -----------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stand-in for libcuda.so.1 has one GPU whose memory is the host's and
// whose kernels are functions of the test, run at once when launched. It
// records and counts calls, fails those it is told to, and knows what was not
// given back.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_TEST_FAKE_CUDA_H
#define MLOPT_TEST_FAKE_CUDA_H

#include <stddef.h>

/// `parameters` are pointers to the values, as kernels' launches take them.
typedef void (*FakeKernel)(void **parameters);

/// Makes modules have a kernel of this name, with parameters of these sizes.
/// The environment variable FAKE_CUDA_KERNELS ("f_kernel_0:2,f_kernel_1:3")
/// makes kernels that take so many pointers and do nothing, for a program that
/// has no such call.
void fakeDefineKernel(const char *name, FakeKernel body, int count,
                      const size_t *sizes);

/// What the driver says of itself and its GPU.
typedef struct FakeSetup {
  int devices, major, minor, driver_version, shared_limit, block_limit;
  size_t memory; ///< bytes; more is out of memory
  int capture;   ///< what cuStreamIsCapturing answers
} FakeSetup;

FakeSetup *fakeSetup(void);
/// The setup as it is at the start, no failures, counts, trace or context.
void fakeReset(void);

/// The `nth` call from now (1: the next) of a function, or of any for NULL,
/// returns this error; 0 for none. The environment variable FAKE_CUDA_FAIL
/// ("cuGraphLaunch:2:719") says it to a program that has no such call.
void fakeFail(const char *function, int nth, int error);
/// The function that failed last, NULL if none did.
const char *fakeFailed(void);
/// Calls of a function, or of any for NULL, since the reset.
int fakeCount(const char *function);
/// Objects and memory that were not given back.
int fakeLive(void);
/// The calls that put work on the GPU since the reset, one word each, with a
/// space in between: "add1 add1! copy fill graph(add1 scale)". A "!" follows a
/// kernel launched programmatically after the one before it.
const char *fakeTrace(void);

#endif // MLOPT_TEST_FAKE_CUDA_H
