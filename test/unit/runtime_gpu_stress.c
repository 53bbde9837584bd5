//===- runtime_gpu_stress.c - Long and failing runs on a real GPU ---------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   runtime_gpu_stress flat     many runs, memory of GPU and host flat
//   runtime_gpu_stress turns    sets of pointers that come, go and come again
//   runtime_gpu_stress threads  eight threads on eight streams
//   runtime_gpu_stress refused  no memory, refused launches; then all is well
//   runtime_gpu_stress lost     a kernel's fault; then nothing runs, and says
//   so runtime_gpu_stress named    the same where the kernel is to be named
//
// Run by hand on a Hopper GPU. The last two leave the process without a GPU, so
// each is a process of its own.
//
//===----------------------------------------------------------------------===//

#include "runtime_gpu_setting.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static bool bindSet(Setting *s, int set) {
  uint64_t base = s->block + (uint64_t)set * 1024;
  uint64_t results[] = {base + 256, base + 512};
  return CHECK_OK(mloptBindPointers(s->instance, &base, results));
}

static bool runSet(Setting *s, int set) {
  return bindSet(s, set) && CHECK_OK(mloptRunInstance(s->instance, s->stream));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

typedef struct Memory {
  size_t gpu_free, host_used;
} Memory;

static Memory measure(const Setting *s) {
  Memory memory = {0};
  size_t total;
  driverOk(s->device->cuda.memGetInfo(&memory.gpu_free, &total));
  memory.host_used = mallinfo2().uordblks;
  return memory;
}

/// Sets in turn: more than an instance remembers, and some again and again.
static bool runMany(Setting *s, int count) {
  bool good = true;
  for (int i = 0; good && i < count; ++i)
    good = runSet(s, i & 64 ? i % 4 : i % 24);
  return good && CHECK_OK(mloptSynchronizeStream(s->device, s->stream));
}

static void testFlat(const char *name, MloptArtifactWriter *writer, int runs) {
  Setting s;
  if (setUp(&s, writer, MLOPT_LAUNCH_GRAPH) && runMany(&s, 500)) {
    Memory before = measure(&s);
    double start = now();
    runMany(&s, runs);
    double us = (now() - start) / runs;
    Memory after = measure(&s);
    printf("%s: %d runs, %.2f us each; GPU memory %+lld, host memory %+lld "
           "bytes\n",
           name, runs, us,
           (long long)before.gpu_free - (long long)after.gpu_free,
           (long long)after.host_used - (long long)before.host_used);
    CHECK(after.gpu_free == before.gpu_free);
    // The C library keeps some of what the driver gives back.
    CHECK(after.host_used < before.host_used + 65536);
  }
  tearDown(&s);
}

static void testFlatLoading(int turns) {
  Setting first;
  if (setUp(&first, planSingle(), MLOPT_LAUNCH_GRAPH)) {
    Memory before = {0}, after;
    for (int i = 0; i <= turns; ++i) {
      Setting s;
      if (setUp(&s, planChain(), MLOPT_LAUNCH_GRAPH))
        runMany(&s, 4);
      tearDown(&s);
      if (i == turns / 4)
        before = measure(&first);
    }
    after = measure(&first);
    printf("loading and releasing %d times: GPU memory %+lld, host memory "
           "%+lld bytes\n",
           turns - turns / 4,
           (long long)before.gpu_free - (long long)after.gpu_free,
           (long long)after.host_used - (long long)before.host_used);
    CHECK(after.gpu_free == before.gpu_free);
  }
  tearDown(&first);
}

static void testAllFlat(void) {
  testFlat("one kernel", planSingle(), 1000000);
  testFlat("a chain", planChain(), 10000);
  testFlat("branches", planBranches(), 10000);
  testFlat("copies and fills", planCopies(), 10000);
  testFlat("a tensor map", planMap(), 10000);
  testFlat("a constant", planConstant(), 10000);
  testFlat("a repeated stretch", planRepeat(), 10000);
  testFlat("a loop", planLoop(), 10000);
  testFlatLoading(40);
}

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

enum { SETS = 60 };

/// `count` runs on the first `sets` sets in turn; what they gave is looked at.
static bool runTurns(Setting *s, CUstream stream, int sets, int count) {
  MloptCuda *cuda = &s->device->cuda;
  float x[SETS][WIDTH], y[SETS][WIDTH];
  bool good = true;
  for (int i = 0; good && i < count; ++i)
    good =
        bindSet(s, i % sets) && CHECK_OK(mloptRunInstance(s->instance, stream));
  for (int i = 0; good && i < sets && i < count; ++i) {
    uint64_t base = s->block + (uint64_t)i * 1024;
    good = driverOk(cuda->memcpyDtoHAsync(x[i], base, sizeof *x, stream)) &&
           driverOk(cuda->memcpyDtoHAsync(y[i], base + 256, sizeof *y, stream));
  }
  good = good && CHECK_OK(mloptSynchronizeStream(s->device, stream));
  for (int i = 0; good && i < sets && i < count; ++i)
    for (int j = 0; j < WIDTH; ++j)
      CHECK(y[i][j] == x[i][j] + LONG_CHAIN);
  return good;
}

/// More sets than are remembered, and between them few again and again, on the
/// default stream too.
static void testTurns(void) {
  Setting s;
  if (setUp(&s, planLong(), MLOPT_LAUNCH_GRAPH)) {
    driverOk(
        s.device->cuda.memsetD32Async(s.block, 0, BLOCK_BYTES / 4, s.stream));
    bool good = CHECK_OK(mloptSynchronizeStream(s.device, s.stream));
    for (int turn = 0; good && turn < 200; ++turn) {
      CUstream stream = turn % 2 ? s.stream : NULL;
      good = runTurns(&s, stream, 4, 16) && runTurns(&s, stream, 4, 50) &&
             runTurns(&s, stream, SETS, 16) && runTurns(&s, stream, SETS, 50) &&
             runTurns(&s, stream, 1, 16) && runTurns(&s, stream, 12, 50);
    }
    MloptStatistics counts;
    mloptGetStatistics(s.instance, &counts);
    printf("turns: %llu runs, %llu graphs built, %llu steps patched, %llu "
           "bindings recalled\n",
           (unsigned long long)counts.runs,
           (unsigned long long)counts.graphs_built,
           (unsigned long long)counts.steps_patched,
           (unsigned long long)counts.bindings_recalled);
  }
  tearDown(&s);
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

enum { THREADS = 8, THREAD_RUNS = 20000 };

typedef struct Worker {
  pthread_t thread;
  MloptProgram *program;
  MloptDevice *device;
  int number, wrong;
} Worker;

/// Runs on a stream and with memory of its own; every answer is looked at now
/// and then.
static void *work(void *argument) {
  Worker *worker = argument;
  MloptCuda *cuda = &worker->device->cuda;
  MloptInstance *instance = NULL;
  bool pushed = false;
  CUstream stream = NULL;
  CUdeviceptr block = 0;
  MloptStatus *status =
      mloptCreateInstance(worker->program, 0, NULL, &instance);
  bool good = !status &&
              !(status = mloptEnterDevice(worker->device, &pushed)) &&
              !cuda->streamCreate(&stream, MLOPT_CU_STREAM_NON_BLOCKING) &&
              !cuda->memAlloc(&block, 4096);
  uint64_t arguments[] = {block}, results[] = {block + 256};
  for (int i = 0; good && i < THREAD_RUNS; ++i) {
    float x[WIDTH], y[WIDTH] = {0};
    bool look = i % 500 == 0;
    for (int j = 0; j < WIDTH; ++j)
      x[j] = (float)(worker->number * 1000 + i % 97 + j);
    if (look)
      good = !cuda->memcpyHtoDAsync(block, x, sizeof x, stream);
    good = good &&
           !(status = mloptBindPointers(instance, arguments, results)) &&
           !(status = mloptRunInstance(instance, stream));
    if (good && look) {
      good = !cuda->memcpyDtoHAsync(y, block + 256, sizeof y, stream) &&
             !cuda->streamSynchronize(stream);
      for (int j = 0; j < WIDTH; ++j)
        worker->wrong += y[j] != (x[j] + 1) * 3 + 1;
    }
  }
  worker->wrong += !good;
  if (status)
    printf("thread %d: %s\n", worker->number, mloptGetStatusMessage(status));
  mloptReleaseStatus(status);
  if (stream)
    worker->wrong += cuda->streamSynchronize(stream) != MLOPT_CUDA_SUCCESS;
  mloptReleaseInstance(instance);
  if (block)
    cuda->memFree(block);
  if (stream)
    cuda->streamDestroy(stream);
  mloptLeaveDevice(worker->device, pushed);
  return NULL;
}

static void testThreads(void) {
  Setting s;
  Worker workers[THREADS];
  if (setUp(&s, planChain(), MLOPT_LAUNCH_GRAPH)) {
    double start = now();
    for (int i = 0; i < THREADS; ++i) {
      workers[i] =
          (Worker){.program = s.program, .device = s.device, .number = i};
      CHECK(!pthread_create(&workers[i].thread, NULL, work, &workers[i]));
    }
    for (int i = 0; i < THREADS; ++i) {
      pthread_join(workers[i].thread, NULL);
      CHECK(workers[i].wrong == 0);
    }
    printf("%d threads: %d runs each, %.2f us a run of a thread\n", THREADS,
           THREAD_RUNS, (now() - start) / THREAD_RUNS);
  }
  tearDown(&s);
}

//===----------------------------------------------------------------------===//
// Refusals
//===----------------------------------------------------------------------===//

/// Prints a failure's words and checks its kind.
static void expect(MloptStatus *status, MloptCode code, const char *words) {
  printf("  %s\n", mloptGetStatusMessage(status));
  CHECK_FAILS(status, code, words);
}

static MloptArtifactWriter *planHuge(void) {
  MloptArtifactWriter *writer = createWriter();
  MloptEntryWriter *entry = createMain(writer);
  mloptSetArenaBytes(entry, UINT64_C(1) << 42);
  launch(entry, 0, ADD1, X, 0, Y, 0);
  return writer;
}

/// A kernel that is compiled for another number of threads than its launch has
/// is refused when it is launched or, among others, when its graph is.
static MloptArtifactWriter *planMisfit(bool among_others) {
  static const char text[] =
      ".version 8.6\n.target sm_90a\n.address_size 64\n"
      ".visible .entry misfit(.param .u64 a, .param .u64 b) .reqntid 64\n"
      "{ ret; }\n";
  MloptArtifactWriter *writer = createWriter();
  uint32_t module =
      mloptAddModule(writer, "misfits", "sm_90a", text, sizeof text - 1);
  const MloptLaunchArgument arguments[] = {{.kind = MLOPT_ARGUMENT_POINTER,
                                            .buffer = X,
                                            .access = MLOPT_ACCESS_READ},
                                           {.kind = MLOPT_ARGUMENT_POINTER,
                                            .buffer = Y,
                                            .access = MLOPT_ACCESS_WRITE}};
  MloptLaunchParts misfit = {.kernel = mloptAddKernel(writer, module, "misfit"),
                             .grid = {1, 1, 1},
                             .block = {32, 1, 1},
                             .argument_count = 2,
                             .arguments = arguments};
  MloptEntryWriter *entry = createMain(writer);
  mloptAddLaunch(entry, 0, &misfit);
  if (among_others)
    launch(entry, 0, ADD1, X, 0, A, 0);
  return writer;
}

static void testMisfit(bool in_graph) {
  Setting s;
  if (setUp(&s, planMisfit(in_graph), MLOPT_LAUNCH_GRAPH))
    for (int i = 0; i < 2 && bindSet(&s, i); ++i)
      expect(mloptRunInstance(s.instance, s.stream), MLOPT_LAUNCH,
             in_graph ? "graph" : "kernel misfit (entry main, segment 0");
  tearDown(&s);
}

static void testNoMemory(void) {
  Setting s;
  if (setUp(&s, planChain(), MLOPT_LAUNCH_GRAPH) && runSet(&s, 0)) {
    MloptProgram *program = NULL;
    MloptInstance *instance;
    MloptArtifact *artifact = readPlan(planHuge());
    if (CHECK_OK(mloptLoadProgram(s.device, artifact, &program)))
      expect(mloptCreateInstance(program, 0, NULL, &instance),
             MLOPT_OUT_OF_MEMORY, "the arena of entry main");
    mloptReleaseProgram(program);
    mloptReleaseArtifact(artifact);
    CHECK(runSet(&s, 1));
    CHECK_OK(mloptSynchronizeStream(s.device, s.stream));
  }
  tearDown(&s);
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

/// A pointer that is none makes a kernel fault. Everything later says so.
static void testLost(MloptLaunchMode mode) {
  Setting s;
  if (setUp(&s, planChain(), mode) && runSet(&s, 0)) {
    uint64_t nowhere = 4096, result = s.block + 256;
    CHECK_OK(mloptBindPointers(s.instance, &nowhere, &result));
    if (mode == MLOPT_LAUNCH_CHECKED) {
      expect(mloptRunInstance(s.instance, s.stream), MLOPT_DEVICE_LOST,
             "kernel add1 (entry main, segment 0, step 0)");
    } else {
      CHECK_OK(mloptRunInstance(s.instance, s.stream));
      expect(mloptSynchronizeStream(s.device, s.stream), MLOPT_DEVICE_LOST,
             "CUDA_ERROR_ILLEGAL_ADDRESS");
    }
    expect(mloptRunInstance(s.instance, s.stream), MLOPT_DEVICE_LOST, "lost");
    MloptDevice *again;
    MloptStatus *status = mloptOpenDevice(0, NULL, &again);
    printf("  opened again: %s\n", mloptGetStatusMessage(status));
    mloptReleaseStatus(status);
    mloptReleaseDevice(again);
  }
  // What can be given back without the GPU is.
  mloptReleaseInstance(s.instance);
  mloptReleaseProgram(s.program);
  mloptReleaseDevice(s.device);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  plan_ptx = gpu_ptx;
  if (!strcmp(what, "flat"))
    testAllFlat();
  else if (!strcmp(what, "turns"))
    testTurns();
  else if (!strcmp(what, "threads"))
    testThreads();
  else if (!strcmp(what, "refused")) {
    testMisfit(false);
    testMisfit(true);
    testNoMemory();
  } else if (!strcmp(what, "lost"))
    testLost(MLOPT_LAUNCH_GRAPH);
  else if (!strcmp(what, "named"))
    testLost(MLOPT_LAUNCH_CHECKED);
  else
    printf("usage: runtime_gpu_stress flat|turns|threads|refused|lost|named\n");
  return finish(NULL);
}
