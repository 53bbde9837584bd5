//===- runtime_gpu.c - The runtime on a real GPU --------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The programs of runtime_plans.h: right answers by graph, plainly and
// captured, then what a call costs beside the bare driver call. Needs a Hopper
// GPU, the NVIDIA driver and nothing else; --time for the second part.
//
//===----------------------------------------------------------------------===//

#include "runtime_gpu_setting.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

static void testAnswers(void) {
  static const struct {
    Plan plan;
    float add, times, index; // y[i] = x[i] * times + add + i * index
  } rows[] = {{planSingle, 1, 1, 0},      {planChain, 4, 3, 0},
              {planBranches, 1, 3, 0},    {planMap, 0, 1, 0},
              {planConstant, 0.5f, 1, 1}, {planCopies, 0, 1, 0},
              {planRepeat, 3, 1, 0},      {planLoop, 5, 1, 0}};
  for (size_t i = 0; i < 3 * sizeof rows / sizeof *rows; ++i) {
    Setting s;
    float x[WIDTH], y[WIDTH];
    int16_t z[WIDTH];
    bool good = setUp(&s, rows[i / 3].plan(), (MloptLaunchMode)(i % 3));
    for (int turn = 0; good && turn < 4; ++turn) {
      for (int j = 0; j < WIDTH; ++j)
        x[j] = (float)(turn * 10 + j), y[j] = -1;
      // Odd turns use other device memory.
      uint64_t base = s.block + (turn % 2 ? 4096 : 0);
      uint64_t results[] = {base + 256, base + 512};
      good = driverOk(
                 s.device->cuda.memcpyHtoDAsync(base, x, sizeof x, s.stream)) &&
             CHECK_OK(mloptBindPointers(s.instance, &base, results)) &&
             CHECK_OK(mloptRunInstance(s.instance, s.stream)) &&
             driverOk(s.device->cuda.memcpyDtoHAsync(y, base + 256, sizeof y,
                                                     s.stream)) &&
             CHECK_OK(mloptSynchronizeStream(s.device, s.stream));
      for (int j = 0; good && j < WIDTH; ++j)
        CHECK(y[j] == x[j] * rows[i / 3].times + rows[i / 3].add +
                          (float)j * rows[i / 3].index);
    }
    const void *in[] = {x};
    void *out[] = {y, z};
    if (good)
      CHECK_OK(mloptRunOnHostData(s.instance, in, out));
    tearDown(&s);
  }
}

/// The caller captures a run, and replays it on changed data.
static void testCapture(void) {
  Setting s;
  float x[WIDTH] = {1, 2, 3, 4, 5, 6, 7, 8}, y[WIDTH] = {0};
  CUgraph graph = NULL;
  CUgraphExec exec = NULL;
  if (setUp(&s, planChain(), MLOPT_LAUNCH_GRAPH)) {
    MloptCuda *cuda = &s.device->cuda;
    CuResult (*begin)(CUstream, unsigned) = NULL;
    CuResult (*end)(CUstream, CUgraph *) = NULL;
    *(void **)&begin = dlsym(cuda->library, "cuStreamBeginCapture_v2");
    *(void **)&end = dlsym(cuda->library, "cuStreamEndCapture");
    uint64_t base = s.block, result = s.block + 256;
    CHECK_OK(mloptBindPointers(s.instance, &base, &result));
    bool good = driverOk(begin(s.stream, 2)) && // CAPTURE_MODE_RELAXED
                CHECK_OK(mloptRunInstance(s.instance, s.stream)) &&
                driverOk(end(s.stream, &graph)) &&
                driverOk(cuda->graphInstantiate(&exec, graph, 0)) &&
                driverOk(cuda->memcpyHtoDAsync(base, x, sizeof x, s.stream)) &&
                driverOk(cuda->graphLaunch(exec, s.stream)) &&
                driverOk(cuda->memcpyDtoHAsync(y, result, sizeof y, s.stream));
    CHECK_OK(mloptSynchronizeStream(s.device, s.stream));
    for (int i = 0; good && i < WIDTH; ++i)
      CHECK(y[i] == (x[i] + 1) * 3 + 1);
    if (exec)
      driverOk(cuda->graphExecDestroy(exec));
    if (graph)
      driverOk(cuda->graphDestroy(graph));
  }
  tearDown(&s);
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

enum { CALLS = 2000, BATCH = 50 };

typedef void (*Call)(Setting *s, int number);

static void callOurs(Setting *s, int number) {
  CHECK_OK(mloptRunInstance(s->instance, s->stream));
}

/// Binds one of `sets` sets of pointers and runs.
static int sets;
static void callBound(Setting *s, int number) {
  uint64_t base = s->block + (uint64_t)(number % sets) * 512;
  uint64_t result = base + 256;
  CHECK_OK(mloptBindPointers(s->instance, &base, &result));
  CHECK_OK(mloptRunInstance(s->instance, s->stream));
}

static void callBare(Setting *s, int number) {
  MloptCuda *cuda = &s->device->cuda;
  MloptStep *step = s->instance->steps;
  if (s->instance->current->execs[0]) {
    CHECK(!cuda->graphLaunch(s->instance->current->execs[0], s->stream));
    return;
  }
  step->config.hStream = s->stream;
  CHECK(!cuda->launchKernelEx(&step->config, step->function,
                              s->instance->current->parameters, NULL));
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/// The median over batches of the CPU time of a call in microseconds; the queue
/// is empty when a batch begins. Also the time until the GPU is done.
static double timeCalls(Setting *s, Call call, double *out_whole) {
  double times[CALLS / BATCH], wholes[CALLS / BATCH];
  for (int i = 0; i < CALLS / BATCH; ++i) {
    double start = now();
    for (int j = 0; j < BATCH; ++j)
      call(s, i * BATCH + j);
    times[i] = (now() - start) / BATCH;
    CHECK_OK(mloptSynchronizeStream(s->device, s->stream));
    wholes[i] = (now() - start) / BATCH;
  }
  qsort(times, CALLS / BATCH, sizeof *times, compare);
  qsort(wholes, CALLS / BATCH, sizeof *wholes, compare);
  *out_whole = wholes[CALLS / BATCH / 2];
  return times[CALLS / BATCH / 2];
}

static void timeProgram(const char *name, MloptArtifactWriter *writer,
                        int steps) {
  Setting s;
  double whole, unused;
  if (setUp(&s, writer, MLOPT_LAUNCH_GRAPH)) {
    sets = 1;
    callBound(&s, 0);
    double ours = timeCalls(&s, callOurs, &whole);
    double bare = timeCalls(&s, callBare, &unused);
    double again = timeCalls(&s, callOurs, &whole);
    printf("%s: a call %.2f and %.2f us, the bare driver's %.2f us; %.2f us a "
           "kernel back to back\n",
           name, ours, again, bare, whole / steps);
    sets = 4;
    timeCalls(&s, callBound, &unused);
    printf("%s: four sets of pointers in turn %.2f us\n", name,
           timeCalls(&s, callBound, &unused));
    sets = 100;
    printf("%s: a hundred sets in turn %.2f us\n", name,
           timeCalls(&s, callBound, &unused));
  }
  tearDown(&s);
}

int main(int argc, char **argv) {
  plan_ptx = gpu_ptx;
  if (argc > 1 && !strcmp(argv[1], "--ptx")) {
    fputs(gpu_ptx, stdout);
    return 0;
  }
  testAnswers();
  testCapture();
  if (argc > 1 && !strcmp(argv[1], "--time")) {
    timeProgram("one kernel", planSingle(), 1);
    timeProgram("a chain of 64", planLong(), LONG_CHAIN);
  }
  return finish(NULL);
}
