//===- runtime_failure_test.c - Failures and their words ------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each kind of failure is provoked once: no driver, the wrong GPU, no memory,
// code that does not fit, a damaged cache, missing weights, refused launches,
// a lost device.
//
//===----------------------------------------------------------------------===//

#include "cuda.h"
#include "fake_cuda.h"
#include "runtime_plans.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char cache[] = "/tmp/mlopt-failure-test-XXXXXX";

static uint64_t address(const void *pointer) {
  return (uint64_t)(uintptr_t)pointer;
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
  CHECK(fakeCount("cuFuncGetParamInfo") == 3); // as many as there are
  CHECK_FAILS(load(planKernel("//", "nothing", 32, 0, 4), NULL, ""),
              MLOPT_BAD_ARTIFACT, "kernel nothing of module m");
  CHECK_FAILS(load(planKernel("//", "scale", 32, 0, 8), NULL, ""),
              MLOPT_BAD_ARTIFACT,
              "kernel scale does not take 8 bytes as parameter 2");
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

static const char *join(const char *directory, const char *name) {
  static char path[512];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  return path;
}

/// A file of this size that takes no space, last used at this time.
static void makeFile(const char *path, off_t size, time_t used) {
  FILE *file = fopen(path, "a");
  CHECK(file && !fclose(file) && (!size || !truncate(path, size)));
  struct timespec times[] = {{.tv_sec = used}, {.tv_sec = used}};
  CHECK(!utimensat(AT_FDCWD, path, times, 0));
}

/// What was used the longest ago goes when the cache outgrows its limit; a hit
/// is a use.
static void testCacheLimit(void) {
  enum { LARGE = 400 << 20 };
  char directory[256];
  snprintf(directory, sizeof directory, "%s/limit", cache);
  CHECK(linksOf(directory) == 1);
  makeFile(cacheFile(directory), 0, 1000);
  makeFile(join(directory, "notes.txt"), LARGE, 1);
  makeFile(join(directory, "old.cubin"), LARGE, 2000);
  CHECK(linksOf(directory) == 0);
  makeFile(join(directory, "new.cubin"), LARGE, 3000);
  Hooks hooks = {0};
  CHECK_OK(load(planKernel("// other", "scale", 32, 0, 4), &hooks, directory));
  CHECK(!strcmp(hooks.last, "cubin cache: 1 old ones removed"));
  CHECK(access(join(directory, "old.cubin"), F_OK) != 0);
  CHECK(access(join(directory, "new.cubin"), F_OK) == 0);
  CHECK(access(join(directory, "notes.txt"), F_OK) == 0);
  CHECK(linksOf(directory) == 0);
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
  testDriver();
  testHooks();
  testMemory();
  testChips();
  testKernels();
  testCache();
  testCacheLimit();
  testWeights();
  testRunning();
  return finish(cache);
}
