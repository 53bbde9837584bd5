//===- runtime_failure_test.c - Every driver call fails once --------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A whole session is run over and over; each time one driver call, or one
// allocation of host memory, more gets through before one fails. Whatever fails
// must say so, leave nothing behind, and work when it is asked again. Then the
// failures with words of their own.
//
//===----------------------------------------------------------------------===//

#include "cuda.h"
#include "fake_cuda.h"
#include "runtime_plans.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char cache[] = "/tmp/mlopt-failure-test-XXXXXX";

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

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

static void testDriver(void) {
  MloptDevice *device;
  int live = fakeLive();
  setenv("MLOPT_LIBCUDA", "/no/such/libcuda.so", 1);
  CHECK_FAILS(mloptOpenDevice(0, NULL, &device), MLOPT_NO_DRIVER,
              "cannot open the NVIDIA driver's library /no/such/libcuda.so");
  setenv("MLOPT_LIBCUDA", "libm.so.6", 1);
  CHECK_FAILS(mloptOpenDevice(0, NULL, &device), MLOPT_NO_DRIVER,
              "libm.so.6 has no cuGetErrorName");
  unsetenv("MLOPT_LIBCUDA");
  CHECK_FAILS(mloptOpenDevice(1, NULL, &device), MLOPT_NO_DEVICE,
              "there is no GPU 1, the driver sees 1");
  fakeFail("cuInit", 1, MLOPT_CUDA_ERROR_NO_DEVICE);
  CHECK_FAILS(mloptOpenDevice(0, NULL, &device), MLOPT_NO_DEVICE,
              "cuInit: CUDA_ERROR_NO_DEVICE");
  fakeFail("cuInit", 1, MLOPT_CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
  CHECK_FAILS(mloptOpenDevice(0, NULL, &device), MLOPT_NO_DRIVER,
              "reboot after the update");
  fakeFail("cuInit", 1, 12345);
  CHECK_FAILS(mloptOpenDevice(0, NULL, &device), MLOPT_LAUNCH,
              "an error unknown to the driver");
  MloptDeviceOptions half = {.release = (void (*)(void *, uint64_t))1};
  CHECK_FAILS(mloptOpenDevice(0, &half, &device), MLOPT_INVALID_ARGUMENT,
              "hooks come together");
  CHECK(!device && fakeLive() == live);
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

typedef struct Hooks {
  int logs, allocations, refuse;
  uint64_t skew;
  char last[512];
} Hooks;

static int allocate(void *user, uint64_t bytes, uint64_t *out_pointer) {
  Hooks *hooks = user;
  if (hooks->refuse)
    return 1;
  ++hooks->allocations;
  *out_pointer =
      address(aligned_alloc(256, (bytes + 511) / 256 * 256)) + hooks->skew;
  return 0;
}

static void release(void *user, uint64_t pointer) {
  Hooks *hooks = user;
  --hooks->allocations;
  free((void *)(uintptr_t)(pointer - hooks->skew));
}

static void logLine(void *user, MloptLogLevel level, const char *message) {
  Hooks *hooks = user;
  ++hooks->logs;
  snprintf(hooks->last, sizeof hooks->last, "%s", message);
}

/// Loads a plan and creates its first entry; the first failure.
static MloptStatus *load(MloptArtifact *taken_artifact, Hooks *hooks,
                         const char *directory) {
  MloptDevice *device;
  MloptProgram *program;
  MloptInstance *instance = NULL;
  int live = fakeLive();
  MloptDeviceOptions options = {.user = hooks,
                                .allocate = hooks ? allocate : NULL,
                                .release = hooks ? release : NULL,
                                .log = hooks ? logLine : NULL,
                                .cache_directory = directory};
  CHECK_OK(mloptOpenDevice(0, &options, &device));
  MloptStatus *status = mloptLoadProgram(device, taken_artifact, &program);
  if (!status)
    status = mloptCreateInstance(program, 0, NULL, &instance);
  mloptReleaseInstance(instance);
  mloptReleaseProgram(program);
  mloptReleaseArtifact(taken_artifact);
  mloptReleaseDevice(device);
  CHECK(fakeLive() == live && (!hooks || hooks->allocations == 0));
  return status;
}

static void testHooks(void) {
  Hooks hooks = {0};
  fakeReset();
  CHECK_OK(load(readPlan(planConstant()), &hooks, ""));
  CHECK(fakeCount("cuMemAlloc_v2") == 0);
  CHECK(strstr(hooks.last, "module m: assembled"));
  hooks.refuse = 1;
  CHECK_FAILS(load(readPlan(planConstant()), &hooks, ""), MLOPT_OUT_OF_MEMORY,
              "constants: the caller's allocator refused 512 bytes");
  CHECK_FAILS(load(readPlan(planSingle()), &hooks, ""), MLOPT_OUT_OF_MEMORY,
              "the arena of entry main: the caller's allocator refused 768");
  hooks.refuse = 0;
  hooks.skew = 128;
  CHECK_FAILS(load(readPlan(planSingle()), &hooks, ""), MLOPT_INVALID_ARGUMENT,
              "not aligned to 256");
}

static void testMemory(void) {
  fakeReset();
  fakeSetup()->memory = 700;
  CHECK_FAILS(load(readPlan(planSingle()), NULL, ""), MLOPT_OUT_OF_MEMORY,
              "the arena of entry main needs 768 bytes on Stand-in GPU, which "
              "has 700 of 700 free: cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY");
  fakeReset();
}

static MloptArtifact *planForChip(const char *ptx_target, const char *chip) {
  static uint8_t elf[64];
  memcpy(elf, "\177ELF\2\1", 6);
  MloptArtifactWriter *writer = mloptCreateArtifactWriter("t", "tests");
  mloptAddModule(writer, "m", ptx_target, "//", *ptx_target ? 2 : 0);
  if (!*ptx_target) {
    mloptReleaseArtifactWriter(writer);
    writer = mloptCreateArtifactWriter("t", "tests");
    mloptAddModule(writer, "m", "none", NULL, 0);
  }
  if (chip)
    mloptAddCubin(writer, 0, chip, elf, sizeof elf);
  mloptAddKernel(writer, 0, "add1");
  launch(createMain(writer), 0, ADD1, X, 0, Y, 0);
  return readPlan(writer);
}

static void testChips(void) {
  static const struct {
    int major, minor;
    const char *ptx, *cubin;
    int links; // -1: refused
  } rows[] = {
      {9, 0, "sm_90a", NULL, 1},    {9, 0, "sm_90a", "sm_90a", 0},
      {9, 0, "sm_80", "sm_90", 0},  {9, 0, "sm_80", "sm_80", 1},
      {9, 0, "", "sm_80", -1},      {8, 0, "sm_90a", "sm_90a", -1},
      {10, 0, "sm_90a", NULL, -1},  {10, 0, "sm_90", NULL, 1},
      {8, 9, "", "sm_86", 0},       {8, 6, "", "sm_89", -1},
      {10, 3, "sm_100f", NULL, 1},  {12, 0, "sm_100f", NULL, -1},
      {9, 0, "sm_90abc", NULL, -1}, {9, 0, "gfx90a", NULL, -1},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    fakeReset();
    fakeSetup()->major = rows[i].major;
    fakeSetup()->minor = rows[i].minor;
    MloptStatus *status =
        load(planForChip(rows[i].ptx, rows[i].cubin), NULL, "");
    if (rows[i].links < 0)
      CHECK_FAILS(status, MLOPT_UNSUPPORTED, "compile the program for sm_");
    else if (CHECK_OK(status))
      CHECK(fakeCount("cuLinkCreate_v2") == rows[i].links);
  }
  fakeReset();
}

static MloptArtifact *planKernel(const char *ptx, const char *kernel,
                                 uint32_t threads, uint32_t shared,
                                 uint32_t scalar_bytes) {
  MloptArtifactWriter *writer = mloptCreateArtifactWriter("t", "tests");
  mloptAddModule(writer, "m", "sm_90", ptx, strlen(ptx));
  mloptAddKernel(writer, 0, kernel);
  MloptLaunchArgument arguments[] = {
      {.kind = MLOPT_ARGUMENT_POINTER, .access = MLOPT_ACCESS_READ},
      {.kind = MLOPT_ARGUMENT_POINTER, .buffer = Y},
      {.kind = MLOPT_ARGUMENT_SCALAR, .bytes = scalar_bytes}};
  MloptLaunchParts parts = {.grid = {16, 1, 1},
                            .block = {threads, 1, 1},
                            .cluster = {16, 1, 1},
                            .dynamic_shared_bytes = shared,
                            .argument_count = scalar_bytes ? 3 : 2,
                            .arguments = arguments};
  mloptAddLaunch(createMain(writer), 0, &parts);
  return readPlan(writer);
}

static void testKernels(void) {
  fakeReset();
  CHECK_OK(load(planKernel("//", "scale", 32, 100, 4), NULL, ""));
  CHECK(fakeCount("cuFuncSetAttribute") == 2);
  CHECK_FAILS(load(planKernel("//", "nothing", 32, 0, 4), NULL, ""),
              MLOPT_BAD_ARTIFACT, "kernel nothing of module m");
  CHECK_FAILS(load(planKernel("//", "scale", 32, 0, 8), NULL, ""),
              MLOPT_BAD_ARTIFACT,
              "kernel scale does not take 8 bytes as parameter 2");
  CHECK_FAILS(load(planKernel("//", "scale", 32, 0, 0), NULL, ""),
              MLOPT_BAD_ARTIFACT, "takes more than the plan's 2 parameters");
  CHECK_FAILS(load(planKernel("//", "scale", 32, 232449, 4), NULL, ""),
              MLOPT_UNSUPPORTED, "needs 232449 bytes of shared memory");
  fakeSetup()->block_limit = 512;
  CHECK_FAILS(load(planKernel("//", "scale", 513, 0, 4), NULL, ""),
              MLOPT_UNSUPPORTED, "launched with 513 threads");
  CHECK_FAILS(load(planKernel("syntax error", "scale", 32, 0, 4), NULL, ""),
              MLOPT_COMPILE, "the assembler says: line 1: syntax error");
  fakeReset();
}

//===----------------------------------------------------------------------===//
// The cubin cache
//===----------------------------------------------------------------------===//

/// The one file in the cache.
static const char *cacheFile(const char *directory) {
  static char path[512];
  char command[512];
  snprintf(command, sizeof command, "ls %s/*.cubin", directory);
  FILE *list = popen(command, "r");
  if (!list || !fgets(path, sizeof path, list))
    path[0] = 0;
  pclose(list);
  path[strcspn(path, "\n")] = 0;
  return path;
}

static int linksOf(const char *directory) {
  fakeReset();
  CHECK_OK(load(readPlan(planSingle()), NULL, directory));
  return fakeCount("cuLinkCreate_v2");
}

static void testCache(void) {
  char directory[256];
  snprintf(directory, sizeof directory, "%s/a/b", cache);
  CHECK(linksOf(directory) == 1);
  CHECK(linksOf(directory) == 0);
  const char *path = cacheFile(directory);
  FILE *file = fopen(path, "r+b");
  CHECK(file != NULL);
  if (!file)
    return;
  fseek(file, -1, SEEK_END);
  fputc(7, file);
  fclose(file);
  CHECK(linksOf(directory) == 1); // damaged
  CHECK(linksOf(directory) == 0);
  CHECK(truncate(path, 10) == 0);
  CHECK(linksOf(directory) == 1);
  CHECK(truncate(path, 0) == 0);
  CHECK(linksOf(directory) == 1);
  fakeReset();
  fakeSetup()->driver_version = 13000; // another driver, another cubin
  CHECK_OK(load(readPlan(planSingle()), NULL, directory));
  CHECK(fakeCount("cuLinkCreate_v2") == 1);
  fakeReset();
  // A cubin from the cache that the driver refuses is made anew.
  fakeFail("cuModuleLoadData", 1, MLOPT_CUDA_ERROR_INVALID_IMAGE);
  CHECK_OK(load(readPlan(planSingle()), NULL, directory));
  CHECK(fakeCount("cuLinkCreate_v2") == 1);
  Hooks hooks = {0};
  CHECK_OK(load(readPlan(planSingle()), &hooks, "/dev/null/cache"));
  CHECK(strstr(hooks.last, "cubin cache: cannot make folder"));
  setenv("XDG_CACHE_HOME", cache, 1);
  CHECK(linksOf(NULL) == 1 && linksOf(NULL) == 0);
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", cache, 1);
  CHECK(linksOf(NULL) == 1 && linksOf(NULL) == 0);
  unsetenv("HOME");
  CHECK(linksOf(NULL) == 1 && linksOf(NULL) == 1);
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

static void writeWeights(const char *json) {
  char path[256];
  snprintf(path, sizeof path, "%s/w.safetensors", cache);
  float values[WIDTH] = {1, 2, 3, 4, 5, 6, 7, 8};
  uint64_t length = strlen(json);
  MloptBytes pieces[] = {{(const uint8_t *)&length, 8},
                         {(const uint8_t *)json, length},
                         {(const uint8_t *)values, sizeof values}};
  FILE *file = fopen(path, "wb");
  for (int i = 0; i < 3; ++i)
    fwrite(pieces[i].data, 1, pieces[i].size, file);
  fclose(file);
}

static MloptStatus *loadWeights(void) {
  size_t size;
  uint8_t *data = serialize(planWeights(), &size);
  MloptArtifact *artifact;
  CHECK_OK(mloptReadArtifactFromMemory(data, size, cache, &artifact));
  MloptStatus *status = load(artifact, NULL, "");
  free(data);
  return status;
}

static void testWeights(void) {
  fakeReset();
  CHECK_FAILS(loadWeights(), MLOPT_IO, "w.safetensors: No such file");
  writeWeights("{\"w\":{\"dtype\":\"F32\",\"shape\":[8],\"data_offsets\":"
               "[0,32]}}");
  CHECK_OK(loadWeights());
  writeWeights("{\"w\":{\"dtype\":\"F16\",\"shape\":[8],\"data_offsets\":"
               "[0,32]}}");
  CHECK_FAILS(loadWeights(), MLOPT_BAD_ARTIFACT,
              "weight file w.safetensors, tensor w: the file has another "
              "element type");
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

static void testRunning(void) {
  static const struct {
    const char *function;
    int nth, error;
    MloptCode code;
    const char *words;
  } rows[] = {
      {"cuGraphInstantiateWithFlags", 1, MLOPT_CUDA_ERROR_INVALID_VALUE,
       MLOPT_LAUNCH,
       "cannot build the CUDA graph of entry main, segment 0, 3 steps "
       "(MLOPT_LAUNCH_PLAIN would run them without a graph)"},
      {"cuGraphAddNode_v2", 2, MLOPT_CUDA_ERROR_NOT_SUPPORTED,
       MLOPT_UNSUPPORTED, "kernel scale (entry main, segment 0, step 1)"},
      {"cuGraphLaunch", 1, MLOPT_CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
       MLOPT_LAUNCH, "a graph of 3 steps from kernel add1"},
      {"cuStreamIsCapturing", 1, MLOPT_CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
       MLOPT_LAUNCH, "the default stream cannot be used"},
  };
  _Alignas(256) float x[WIDTH] = {0}, y[WIDTH];
  uint64_t argument = address(x), result = address(y);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    fakeReset();
    int live = fakeLive();
    MloptDevice *device;
    MloptProgram *program;
    MloptInstance *instance;
    MloptDeviceOptions options = {.cache_directory = ""};
    CHECK_OK(mloptOpenDevice(0, &options, &device));
    MloptArtifact *artifact = readPlan(planChain());
    CHECK_OK(mloptLoadProgram(device, artifact, &program));
    CHECK_OK(mloptCreateInstance(program, 0, NULL, &instance));
    CHECK_OK(mloptBindPointers(instance, &argument, &result));
    fakeFail(rows[i].function, rows[i].nth, rows[i].error);
    MloptStatus *status = mloptRunInstance(instance, NULL);
    CHECK(mloptGetStatusDriverError(status) == rows[i].error);
    CHECK_FAILS(status, rows[i].code, rows[i].words);
    CHECK_OK(mloptRunInstance(instance, NULL));
    fakeFail("cuStreamSynchronize", 1, MLOPT_CUDA_ERROR_ECC_UNCORRECTABLE);
    CHECK_FAILS(mloptSynchronizeStream(device, NULL), MLOPT_DEVICE_LOST,
                "the GPU's memory failed");
    CHECK_FAILS(mloptSynchronizeStream(device, NULL), MLOPT_DEVICE_LOST,
                "was lost by an earlier error");
    mloptReleaseInstance(instance);
    mloptReleaseProgram(program);
    mloptReleaseArtifact(artifact);
    mloptReleaseDevice(device);
    CHECK(fakeLive() == live);
  }
}

int main(void) {
  if (!mkdtemp(cache))
    return 1;
  defineKernels();
  testEveryCall();
  testEveryAllocation();
  testDriver();
  testHooks();
  testMemory();
  testChips();
  testKernels();
  testCache();
  testWeights();
  testRunning();
  return finish();
}
