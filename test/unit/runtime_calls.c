//===- runtime_calls.c - What a call costs without Python -----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libmlopt_calls.so, for test/bench/launches.py: batches of calls of an
// instance that Python made, so that those of C and of Python can be timed in
// turn, in one process and on one program. Each returns the microseconds of a
// call, or a negative number if one failed.
//
//===----------------------------------------------------------------------===//

#include "runtime.h"

#include <time.h>

#define CALLS_API __attribute__((visibility("default")))

CALLS_API double mloptTimeRuns(MloptInstance *instance, CUstream stream,
                               int count);
CALLS_API double mloptTimeBoundRuns(MloptInstance *instance, CUstream stream,
                                    int count, const uint64_t *pointers,
                                    int sets);
CALLS_API double mloptTimeDriver(MloptInstance *instance, CUstream stream,
                                 int count);

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static bool passed(MloptStatus *status) {
  bool good = !status;
  mloptReleaseStatus(status);
  return good;
}

double mloptTimeRuns(MloptInstance *instance, CUstream stream, int count) {
  double start = now();
  for (int i = 0; i < count; ++i)
    if (!passed(mloptRunInstance(instance, stream)))
      return -1;
  return (now() - start) / count;
}

/// Each run on the next of `sets` sets of pointers, arguments then results.
double mloptTimeBoundRuns(MloptInstance *instance, CUstream stream, int count,
                          const uint64_t *pointers, int sets) {
  const MloptEntryInfo *info = &instance->entry->info;
  uint32_t each = info->argument_count + info->result_count;
  double start = now();
  for (int i = 0; i < count; ++i) {
    const uint64_t *set = pointers + (size_t)(i % sets) * each;
    if (!passed(mloptBindPointers(instance, set, set + info->argument_count)) ||
        !passed(mloptRunInstance(instance, stream)))
      return -1;
  }
  return (now() - start) / count;
}

/// The driver's call that a run of one kernel, or of one graph, comes to.
double mloptTimeDriver(MloptInstance *instance, CUstream stream, int count) {
  const MloptCuda *cuda = &instance->program->device->cuda;
  const MloptBinding *binding = instance->current;
  if (instance->piece_count != 1 || !binding)
    return -1;
  MloptStep *step = instance->steps;
  step->config.hStream = stream;
  CuResult error = MLOPT_CUDA_SUCCESS;
  double start = now();
  for (int i = 0; i < count && !error; ++i)
    error = binding->execs[0]
                ? cuda->graphLaunch(binding->execs[0], stream)
                : cuda->launchKernelEx(&step->config, step->function,
                                       binding->parameters, NULL);
  return error ? -1 : (now() - start) / count;
}
