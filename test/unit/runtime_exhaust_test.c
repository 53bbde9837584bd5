//===- runtime_exhaust_test.c - Every call and allocation fails once ------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A whole session is run over and over; each time one driver call, or one
// allocation of host memory, more gets through before one fails. Whatever fails
// must say so, leave nothing behind, and work when it is asked again.
//
//===----------------------------------------------------------------------===//

#include "cuda.h"
#include "fake_cuda.h"
#include "runtime_plans.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char cache[] = "/tmp/mlopt-exhaust-test-XXXXXX";

static uint64_t address(const void *pointer) {
  return (uint64_t)(uintptr_t)pointer;
}

//===----------------------------------------------------------------------===//
// Each call once
//===----------------------------------------------------------------------===//

/// How often a call reported a failure, and the last message.
static int reports;
static char report[1024];

static bool good(MloptStatus *status) {
  if (status) {
    ++reports;
    snprintf(report, sizeof report, "%s", mloptGetStatusMessage(status));
  }
  mloptReleaseStatus(status);
  return !status;
}

/// Asks again after one failure: the second time it must work.
#define TWICE(expression)                                                      \
  do {                                                                         \
    if (!good(expression))                                                     \
      CHECK_OK(expression);                                                    \
  } while (0)

typedef struct Case {
  Plan plan;
  MloptInstanceOptions options;
  const char *cache;
} Case;

static void runSession(const Case *row) {
  _Alignas(256) static float x[2][WIDTH], y[2][WIDTH], z[2][WIDTH];
  int32_t s = 1;
  MloptDevice *device;
  MloptProgram *program;
  MloptInstance *instance;
  MloptDeviceOptions options = {.cache_directory = row->cache,
                                .compile_threads = 1};
  TWICE(mloptOpenDevice(0, &options, &device));
  MloptArtifact *artifact = readPlan(row->plan());
  TWICE(mloptLoadProgram(device, artifact, &program));
  TWICE(mloptCreateInstance(program, 0, &row->options, &instance));
  const MloptEntryInfo *info = mloptGetEntry(artifact, 0);
  for (int i = 0; i < 8; ++i) {
    int set = i & 1;
    x[set][2] = (float)i;
    y[set][2] = -1;
    uint64_t arguments[] = {address(x[set]),
                            info->arguments[1 % info->argument_count].rank
                                ? address(x[1 - set])
                                : address(&s)};
    uint64_t results[] = {address(y[set]), address(z[set])};
    CHECK_OK(mloptBindPointers(instance, arguments, results));
    TWICE(mloptRunInstance(instance, NULL));
    CHECK(y[set][2] >= (float)i);
  }
  const void *in[] = {x[0], info->argument_count > 1 && !info->arguments[1].rank
                                ? (const void *)&s
                                : x[1]};
  void *out[] = {y[0], z[0]};
  y[0][2] = -1;
  TWICE(mloptRunOnHostData(instance, in, out));
  CHECK(y[0][2] >= x[0][2]);
  mloptReleaseArtifact(artifact);
  mloptReleaseInstance(instance);
  mloptReleaseProgram(program);
  mloptReleaseDevice(device);
}

/// Calls whose failure changes nothing that could be reported: giving things
/// back, asking for what only improves a message or a check.
static bool isSilent(const char *function) {
  static const char *const silent[] = {"cuDevicePrimaryCtxRelease_v2",
                                       "cuCtxPopCurrent_v2",
                                       "cuLinkDestroy",
                                       "cuModuleUnload",
                                       "cuMemGetInfo_v2",
                                       "cuMemFree_v2",
                                       "cuMemFreeHost",
                                       "cuStreamDestroy_v2",
                                       "cuGraphDestroy",
                                       "cuGraphExecDestroy",
                                       "cuFuncGetParamInfo"};
  for (size_t i = 0; i < sizeof silent / sizeof *silent; ++i)
    if (!strcmp(function, silent[i]))
      return true;
  return false;
}

static void testEachCall(const Case *row) {
  for (int nth = 1;; ++nth) {
    fakeReset();
    reports = 0;
    int live = fakeLive();
    fakeFail(NULL, nth, MLOPT_CUDA_ERROR_OPERATING_SYSTEM);
    runSession(row);
    const char *function = fakeFailed();
    if (!function) {
      CHECK(nth > 50 && reports == 0 && fakeLive() == live);
      break;
    }
    if (isSilent(function)) {
      // What could not be given back is the driver's; the rest must be.
      CHECK(reports <= 1);
      continue;
    }
    // Looking at the context also goes before giving back; a cubin that the
    // driver refuses may have come from the cache.
    bool may_be_silent = !strcmp(function, "cuCtxGetCurrent") ||
                         !strcmp(function, "cuCtxPushCurrent_v2") ||
                         (!strcmp(function, "cuModuleLoadData") && *row->cache);
    CHECK(reports == 1 || (reports == 0 && may_be_silent));
    if (reports != 1 && !may_be_silent)
      printf("  call %d, %s: %d reports\n", nth, function, reports);
    CHECK(!reports || strstr(report, "CUDA_ERROR_OPERATING_SYSTEM (words of "
                                     "the driver); an operating system call"));
    if (reports || !strcmp(function, "cuModuleLoadData"))
      CHECK(fakeLive() == live);
  }
}

static void testEveryCall(void) {
  const Case rows[] = {
      {planSingle, {0}, ""},
      {planChain, {0}, ""},
      {planChain, {MLOPT_LAUNCH_PLAIN, 2}, cache},
      {planChain, {MLOPT_LAUNCH_CHECKED, 0}, ""},
      {planBranches, {0}, cache},
      {planCopies, {0}, ""},
      {planCopies, {MLOPT_LAUNCH_PLAIN, 0}, ""},
      {planMap, {0}, ""},
      {planConstant, {0}, ""},
      {planLoop, {0}, ""},
      {planSwitch, {0}, ""},
      {planRepeat, {0}, ""},
      {planChecks, {0}, ""},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    testEachCall(&rows[i]);
  fakeReset();
}

//===----------------------------------------------------------------------===//
// Each allocation once
//===----------------------------------------------------------------------===//

// The linker sends the library's calls here (--wrap).
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

/// The allocation from now that fails, 0 for none.
static int allocation_to_fail;

static bool mayAllocate(void) {
  return !allocation_to_fail || --allocation_to_fail;
}

void *__wrap_malloc(size_t size) {
  return mayAllocate() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size) {
  return mayAllocate() ? __real_calloc(count, size) : NULL;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return mayAllocate() ? __real_aligned_alloc(alignment, size) : NULL;
}

/// Runs this with the countdown; what is left of it goes on afterwards. The
/// test's own allocations are not counted.
#define COUNTED(expression)                                                    \
  do {                                                                         \
    allocation_to_fail = *left;                                                \
    MloptStatus *counted = (expression);                                       \
    *left = allocation_to_fail;                                                \
    allocation_to_fail = 0;                                                    \
    if (counted) {                                                             \
      ++reports;                                                               \
      CHECK_FAILS(counted, MLOPT_OUT_OF_MEMORY, "the host has no memory");     \
      CHECK_OK(expression);                                                    \
    }                                                                          \
  } while (0)

static void runCountedSession(const uint8_t *data, size_t size, int *left) {
  _Alignas(256) static float x[2][WIDTH], y[2][WIDTH];
  MloptDevice *device;
  MloptArtifact *artifact;
  MloptProgram *program;
  MloptInstance *instance;
  char *text;
  MloptDeviceOptions options = {.cache_directory = "", .compile_threads = 1};
  COUNTED(mloptReadArtifactFromMemory(data, size, cache, &artifact));
  COUNTED(mloptExplainArtifact(artifact, &text));
  COUNTED(mloptOpenDevice(0, &options, &device));
  COUNTED(mloptLoadProgram(device, artifact, &program));
  COUNTED(mloptCreateInstance(program, 0, NULL, &instance));
  for (int i = 0; i < 6; ++i) {
    uint64_t arguments[] = {address(x[i & 1]), address(x[0])};
    uint64_t results[] = {address(y[i & 1]), address(y[1 - (i & 1)])};
    CHECK_OK(mloptBindPointers(instance, arguments, results));
    COUNTED(mloptRunInstance(instance, NULL));
  }
  const void *in[] = {x[0], x[1]};
  void *out[] = {y[0], y[1]};
  COUNTED(mloptRunOnHostData(instance, in, out));
  mloptReleaseText(text);
  mloptReleaseArtifact(artifact);
  mloptReleaseInstance(instance);
  mloptReleaseProgram(program);
  mloptReleaseDevice(device);
}

static void testEveryAllocation(void) {
  for (int i = 0; i < plan_count; ++i) {
    if (plans[i] == planWeights)
      continue; // its file is the business of testWeights
    size_t size;
    uint8_t *data = serialize(plans[i](), &size);
    for (int nth = 1;; ++nth) {
      fakeReset();
      int left = nth, live = fakeLive();
      reports = 0;
      runCountedSession(data, size, &left);
      CHECK(fakeLive() == live);
      if (left) {
        CHECK(nth > 20 && reports == 0);
        break;
      }
      CHECK(reports == 1);
    }
    free(data);
  }
  // The writer reports at its end what failed in between.
  for (int nth = 1;; ++nth) {
    allocation_to_fail = nth;
    MloptArtifactWriter *writer = createWriter();
    if (writer)
      launch(createMain(writer), 0, ADD1, X, 0, Y, 0);
    uint8_t *data = NULL;
    size_t size;
    MloptStatus *status =
        writer ? mloptSerializeArtifact(writer, &data, &size) : NULL;
    bool done = allocation_to_fail != 0;
    allocation_to_fail = 0;
    if (done)
      CHECK_OK(status);
    else if (writer)
      CHECK_FAILS(status, MLOPT_OUT_OF_MEMORY, "the host has no memory");
    free(data);
    mloptReleaseArtifactWriter(writer);
    if (done)
      break;
  }
}

int main(void) {
  if (!mkdtemp(cache))
    return 1;
  defineKernels();
  testEveryCall();
  testEveryAllocation();
  return finish(cache);
}
