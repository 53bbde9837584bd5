//===- runtime_test.c - Loading and running -------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that works: answers, which driver calls are made for them, what is
// patched, recalled and captured, and that nothing stays behind.
//
//===----------------------------------------------------------------------===//

#include "cuda.h"
#include "fake_cuda.h"
#include "runtime_plans.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char cache[] = "/tmp/mlopt-runtime-test-XXXXXX";

/// A program on the stand-in GPU, with two sets of tensors in "device" memory.
typedef struct Setting {
  MloptDevice *device;
  MloptProgram *program;
  MloptInstance *instance;
  _Alignas(256) float x[2][WIDTH], y[2][WIDTH];
} Setting;

static MloptDevice *openDevice(void) {
  MloptDevice *device;
  MloptDeviceOptions options = {.cache_directory = cache};
  CHECK_OK(mloptOpenDevice(0, &options, &device));
  return device;
}

static void setUp(Setting *setting, Plan plan,
                  const MloptInstanceOptions *options) {
  fakeReset();
  setting->device = openDevice();
  MloptArtifact *artifact = readPlan(plan());
  CHECK_OK(mloptLoadProgram(setting->device, artifact, &setting->program));
  mloptReleaseArtifact(artifact);
  CHECK_OK(
      mloptCreateInstance(setting->program, 0, options, &setting->instance));
  for (int i = 0; i < WIDTH; ++i) {
    setting->x[0][i] = (float)i;
    setting->x[1][i] = 100 + (float)i;
    setting->y[0][i] = setting->y[1][i] = -1;
  }
  fakeReset();
}

static void tearDown(Setting *setting) {
  fakeReset();
  mloptReleaseInstance(setting->instance);
  mloptReleaseProgram(setting->program);
  mloptReleaseDevice(setting->device);
  CHECK(fakeLive() == 0);
}

static uint64_t address(const void *pointer) {
  return (uint64_t)(uintptr_t)pointer;
}

static void bind(Setting *setting, int from, int to) {
  uint64_t arguments[] = {address(setting->x[from])};
  uint64_t results[] = {address(setting->y[to])};
  CHECK_OK(mloptBindPointers(setting->instance, arguments, results));
}

static void runSet(Setting *setting, int from, int to) {
  bind(setting, from, to);
  CHECK_OK(mloptRunInstance(setting->instance, NULL));
}

static MloptStatistics statistics(const Setting *setting) {
  MloptStatistics result;
  mloptGetStatistics(setting->instance, &result);
  return result;
}

static bool isChain(const Setting *setting, int from, int to) {
  for (int i = 0; i < WIDTH; ++i)
    if (setting->y[to][i] != (setting->x[from][i] + 1) * 3 + 1)
      return false;
  return true;
}

/// One kernel is one launch, and nothing else but looking at the context.
static void testSingle(void) {
  Setting s;
  setUp(&s, planSingle, NULL);
  runSet(&s, 0, 0);
  CHECK(s.y[0][3] == 4);
  fakeReset();
  bind(&s, 0, 0);
  CHECK_OK(mloptRunInstance(s.instance, NULL));
  CHECK(fakeCount("cuLaunchKernelEx") == 1);
  CHECK(fakeCount("cuCtxGetCurrent") == 1);
  // No context of the thread's own: ours is pushed and popped.
  CHECK(fakeCount(NULL) == 4);
  runSet(&s, 1, 0);
  CHECK(s.y[0][3] == 104);
  tearDown(&s);
}

/// Several kernels are one graph with programmatic edges, built once.
static void testChain(void) {
  Setting s;
  setUp(&s, planChain, NULL);
  runSet(&s, 0, 0);
  CHECK(isChain(&s, 0, 0));
  CHECK(!strcmp(fakeTrace(), "graph(add1 scale! add1!)"));
  fakeReset();
  CHECK_OK(mloptRunInstance(s.instance, NULL));
  CHECK(fakeCount("cuGraphLaunch") == 1);
  CHECK(fakeCount("cuStreamIsCapturing") == 1);
  CHECK(fakeCount(NULL) == 5);
  CHECK(statistics(&s).graphs_built == 1);
  tearDown(&s);
}

/// New pointers patch the kernels that take them; seen ones cost nothing.
static void testRebinding(void) {
  Setting s;
  setUp(&s, planChain, NULL);
  runSet(&s, 0, 0);
  CHECK(statistics(&s).steps_patched == 0);
  runSet(&s, 1, 0); // only the first kernel takes x
  CHECK(isChain(&s, 1, 0));
  CHECK(statistics(&s).steps_patched == 1);
  runSet(&s, 1, 1); // only the last takes y
  CHECK(isChain(&s, 1, 1));
  CHECK(statistics(&s).steps_patched == 2);
  CHECK(statistics(&s).graphs_built == 1);
  // The first set returns: it gets a graph of its own, and from now on both
  // are free.
  runSet(&s, 0, 0);
  CHECK(statistics(&s).graphs_built == 2);
  MloptStatistics before = statistics(&s);
  for (int i = 0; i < 10; ++i) {
    runSet(&s, i % 2, i % 2);
    CHECK(isChain(&s, i % 2, i % 2));
  }
  MloptStatistics after = statistics(&s);
  CHECK(after.graphs_built == before.graphs_built);
  CHECK(after.steps_patched == before.steps_patched);
  // The first of the ten was bound already.
  CHECK(after.bindings_recalled == before.bindings_recalled + 9);
  tearDown(&s);
}

/// A patch that fails half way leaves no trace in later answers.
static void testFailedPatch(void) {
  Setting s;
  setUp(&s, planChain, NULL);
  runSet(&s, 0, 0);
  bind(&s, 1, 1);
  fakeFail("cuGraphExecKernelNodeSetParams_v2", 2,
           MLOPT_CUDA_ERROR_INVALID_VALUE);
  CHECK_FAILS(mloptRunInstance(s.instance, NULL), MLOPT_LAUNCH,
              "new pointers for kernel add1 (entry main, segment 0, step 2)");
  s.x[0][0] = 50;
  runSet(&s, 0, 0);
  CHECK(isChain(&s, 0, 0) && s.y[1][0] == -1);
  runSet(&s, 1, 1);
  CHECK(isChain(&s, 1, 1) && isChain(&s, 0, 0));
  CHECK(fakeCount("cuGraphExecDestroy") == 1);
  tearDown(&s);
}

/// Sets beyond the limit take each other's place, with right answers.
static void testManyBindings(void) {
  Setting s;
  setUp(&s, planChain, &(MloptInstanceOptions){.remembered_bindings = 3});
  enum { SETS = 7 };
  static _Alignas(256) float x[SETS][64], y[SETS][64];
  for (int round = 0; round < 50; ++round) {
    int i = (round * 5 + round / 7) % SETS;
    for (int j = 0; j < WIDTH; ++j)
      x[i][j] = (float)(round + j);
    uint64_t argument = address(x[i]), result = address(y[(i + 1) % SETS]);
    CHECK_OK(mloptBindArgument(s.instance, 0, argument));
    CHECK_OK(mloptBindResult(s.instance, 0, result));
    CHECK_OK(mloptRunInstance(s.instance, NULL));
    CHECK(y[(i + 1) % SETS][2] == ((float)round + 2 + 1) * 3 + 1);
  }
  CHECK(statistics(&s).graphs_built <= 3);
  tearDown(&s);
}

static void testPlain(void) {
  Setting s;
  setUp(&s, planChain, &(MloptInstanceOptions){.mode = MLOPT_LAUNCH_PLAIN});
  runSet(&s, 0, 0);
  CHECK(isChain(&s, 0, 0));
  CHECK(!strcmp(fakeTrace(), "add1 scale! add1!"));
  CHECK(fakeCount("cuGraphCreate") == 0);
  tearDown(&s);
}

static void testChecked(void) {
  Setting s;
  setUp(&s, planChain, &(MloptInstanceOptions){.mode = MLOPT_LAUNCH_CHECKED});
  runSet(&s, 0, 0);
  CHECK(isChain(&s, 0, 0));
  CHECK(fakeCount("cuStreamSynchronize") == 3);
  fakeFail("cuStreamSynchronize", 2, MLOPT_CUDA_ERROR_ILLEGAL_ADDRESS);
  CHECK_FAILS(mloptRunInstance(s.instance, NULL), MLOPT_DEVICE_LOST,
              "kernel scale (entry main, segment 0, step 1)");
  CHECK_FAILS(mloptRunInstance(s.instance, NULL), MLOPT_DEVICE_LOST,
              "lost by an earlier error, CUDA_ERROR_ILLEGAL_ADDRESS");
  MloptInstance *other;
  CHECK_FAILS(mloptCreateInstance(s.program, 0, NULL, &other),
              MLOPT_DEVICE_LOST, "restart the process");
  CHECK(!other);
  tearDown(&s);
}

/// While the caller captures, kernels go into the capture one by one.
static void testCapture(void) {
  Setting s;
  setUp(&s, planChain, NULL);
  fakeSetup()->capture = 1;
  runSet(&s, 0, 0);
  CHECK(!strcmp(fakeTrace(), "add1 scale! add1!"));
  CHECK(fakeCount("cuGraphCreate") == 0);
  CHECK(statistics(&s).captured_runs == 1);
  fakeSetup()->capture = 0;
  runSet(&s, 0, 0);
  CHECK(isChain(&s, 0, 0));
  CHECK(statistics(&s).graph_launches == 1);
  tearDown(&s);

  setUp(&s, planLoop, NULL);
  fakeSetup()->capture = 1;
  bind(&s, 0, 0);
  CHECK_FAILS(mloptRunInstance(s.instance, NULL), MLOPT_INVALID_ARGUMENT,
              "cannot be captured");
  tearDown(&s);

  setUp(&s, planChain, &(MloptInstanceOptions){.mode = MLOPT_LAUNCH_CHECKED});
  fakeSetup()->capture = 1;
  bind(&s, 0, 0);
  CHECK_FAILS(mloptRunInstance(s.instance, NULL), MLOPT_INVALID_ARGUMENT,
              "checked mode");
  tearDown(&s);
}

/// Answers of the other programs, with and without graphs.
static void testPrograms(void) {
  static const struct {
    Plan plan;
    float add, times, index; // y[i] = x[i] * times + add + i * index
    const char *trace;
  } rows[] = {
      {planBranches, 1, 3, 0, "graph(add1 scale sum)"},
      {planMap, 0, 1, 0, "graph(fill load)"},
      {planConstant, 0.5f, 1, 1, "sum"},
      {planRepeat, 3, 1, 0, "copy graph(add1 copy inc)"},
      {planLoop, 5, 1, 0, "graph(copy fill) less graph(add1 copy inc) less"},
  };
  for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; ++i) {
    Setting s;
    bool plain = i % 2;
    setUp(&s, rows[i / 2].plan,
          &(MloptInstanceOptions){.mode = plain ? MLOPT_LAUNCH_PLAIN
                                                : MLOPT_LAUNCH_GRAPH});
    for (int j = 0; j < 2; ++j) {
      runSet(&s, j, 1 - j);
      for (int k = 0; k < WIDTH; ++k)
        CHECK(s.y[1 - j][k] == s.x[j][k] * rows[i / 2].times + rows[i / 2].add +
                                   (float)k * rows[i / 2].index);
      const char *expected = rows[i / 2].trace;
      CHECK(plain || j || !strncmp(fakeTrace(), expected, strlen(expected)));
    }
    tearDown(&s);
  }
}

static void testCopies(void) {
  Setting s;
  setUp(&s, planCopies, NULL);
  int16_t z[2][WIDTH] = {{0}};
  for (int i = 0; i < 6; ++i) {
    uint64_t argument = address(s.x[i % 2]);
    uint64_t results[] = {address(s.y[i % 2]), address(z[i % 2])};
    memset(z, 0, sizeof z);
    CHECK_OK(mloptBindPointers(s.instance, &argument, results));
    CHECK_OK(mloptRunInstance(s.instance, NULL));
    CHECK(s.y[i % 2][5] == s.x[i % 2][5]);
    CHECK(z[i % 2][7] == 7 && z[1 - i % 2][7] == 0);
  }
  CHECK(statistics(&s).steps_patched > 0);
  tearDown(&s);
}

static void testSwitch(void) {
  Setting s;
  setUp(&s, planSwitch, NULL);
  static const struct {
    int32_t flag;
    float times, add;
  } rows[] = {{0, 1, 1}, {1, 2, 0}, {2, 3, 0}, {3, 3, 0}, {-1, 3, 0}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    uint64_t arguments[] = {address(s.x[0]), address(&rows[i].flag)};
    uint64_t result = address(s.y[0]);
    CHECK_OK(mloptBindPointers(s.instance, arguments, &result));
    CHECK_OK(mloptRunInstance(s.instance, NULL));
    CHECK(s.y[0][6] == s.x[0][6] * rows[i].times + rows[i].add);
  }
  tearDown(&s);
}

static void testEmpty(void) {
  Setting s;
  setUp(&s, planEmpty, NULL);
  uint64_t none = 0;
  CHECK_OK(mloptBindPointers(s.instance, &none, &none));
  CHECK_OK(mloptRunInstance(s.instance, NULL));
  const void *argument = NULL;
  void *result = NULL;
  CHECK_OK(mloptRunOnHostData(s.instance, &argument, &result));
  tearDown(&s);
}

static void testHostData(void) {
  Setting s;
  setUp(&s, planChain, NULL);
  for (int i = 0; i < 3; ++i) {
    const void *argument = s.x[i % 2];
    void *result = s.y[i % 2];
    CHECK_OK(mloptRunOnHostData(s.instance, &argument, &result));
    CHECK(isChain(&s, i % 2, i % 2));
  }
  CHECK(fakeCount("cuMemAlloc_v2") == 1);
  CHECK(fakeCount("cuStreamCreate") == 1);
  CHECK(statistics(&s).device_bytes == 768 + 512);
  CHECK_OK(mloptSynchronizeStream(s.device, NULL));
  tearDown(&s);
}

/// What the caller can do wrong.
static void testBadCalls(void) {
  Setting s;
  setUp(&s, planSingle, NULL);
  uint64_t good = address(s.x[0]), odd = good + 4, null = 0;
  CHECK_FAILS(mloptRunInstance(s.instance, NULL), MLOPT_INVALID_ARGUMENT,
              "argument 0 (x) is not bound");
  CHECK_FAILS(mloptBindPointers(s.instance, &odd, &good),
              MLOPT_INVALID_ARGUMENT, "need a multiple of 16");
  CHECK_FAILS(mloptBindPointers(s.instance, &good, &null),
              MLOPT_INVALID_ARGUMENT, "result 0 (y) needs 32 bytes");
  CHECK_FAILS(mloptBindArgument(s.instance, 1, good), MLOPT_INVALID_ARGUMENT,
              "has 1 arguments, there is no argument 1");
  CHECK_FAILS(mloptBindResult(s.instance, 0, odd), MLOPT_INVALID_ARGUMENT,
              "result 0 (y)");
  MloptInstance *instance;
  CHECK_FAILS(mloptCreateInstance(s.program, 7, NULL, &instance),
              MLOPT_INVALID_ARGUMENT, "there is no entry 7");
  MloptInstanceOptions options = {.mode = (MloptLaunchMode)9};
  CHECK_FAILS(mloptCreateInstance(s.program, 0, &options, &instance),
              MLOPT_INVALID_ARGUMENT, "launch mode 9");
  runSet(&s, 0, 0);
  CHECK(s.y[0][0] == 1);
  mloptReleaseStatus(NULL);
  CHECK(mloptGetStatusCode(NULL) == MLOPT_OK);
  tearDown(&s);
}

/// Releases in any order.
/// A result shares memory with nothing: found when the set is run, since
/// tensors may be bound one by one.
static void testOverlap(void) {
  Setting s;
  setUp(&s, planCopies, NULL);
  uint64_t x = address(s.x[0]), results[] = {address(s.y[0]), address(s.y[1])};
  CHECK_OK(mloptBindPointers(s.instance, &x, results));
  CHECK_OK(mloptRunInstance(s.instance, NULL));
  CHECK_OK(mloptBindResult(s.instance, 0, x + 16));
  CHECK_FAILS(mloptRunInstance(s.instance, NULL), MLOPT_INVALID_ARGUMENT,
              "result 0 (y) at ");
  CHECK_FAILS(mloptRunInstance(s.instance, NULL), MLOPT_INVALID_ARGUMENT,
              " and argument 0 (x) at ");
  CHECK_OK(mloptBindArgument(s.instance, 0, address(s.y[0])));
  CHECK_OK(mloptRunInstance(s.instance, NULL));
  results[1] = results[0] + sizeof(float) * WIDTH - 2;
  CHECK_OK(mloptBindPointers(s.instance, &x, results));
  CHECK_FAILS(mloptRunInstance(s.instance, NULL), MLOPT_INVALID_ARGUMENT,
              " and result 0 (y) at ");
  results[1] = results[0] + sizeof(float) * WIDTH; // side by side
  CHECK_OK(mloptBindPointers(s.instance, &x, results));
  CHECK_OK(mloptRunInstance(s.instance, NULL));
  tearDown(&s);
}

//===----------------------------------------------------------------------===//
// DLPack
//===----------------------------------------------------------------------===//

/// DLTensor of dlpack.h.
typedef struct Exchanged {
  uint64_t data;
  int32_t device_type, device, rank;
  uint8_t code, bits;
  uint16_t lanes;
  const int64_t *shape, *strides;
  uint64_t byte_offset;
} Exchanged;

static const int64_t eight[] = {WIDTH}, one_step[] = {1};

static Exchanged exchange(const void *data) {
  return (Exchanged){address(data) - 4, 2, 0, 1, 2, 32, 1, eight, one_step, 4};
}

static void testExchange(void) {
  Setting s;
  setUp(&s, planChain, NULL);
  Exchanged x = exchange(s.x[0]), y = exchange(s.y[0]);
  const void *in[] = {&x}, *out[] = {&y};
  CHECK_OK(mloptBindDLTensors(s.instance, in, out));
  CHECK_OK(mloptRunInstance(s.instance, NULL));
  CHECK(isChain(&s, 0, 0));
  x = exchange(s.x[1]);
  x.strides = NULL;   // dense
  x.device_type = 13; // managed memory
  CHECK_OK(mloptBindDLTensors(s.instance, in, out));
  CHECK_OK(mloptRunInstance(s.instance, NULL));
  CHECK(isChain(&s, 1, 0));
  uint64_t at;
  CHECK_OK(mloptLocateDLTensor(s.program, 0, 1, &y, &at));
  CHECK(at == address(s.y[0]));
  CHECK_FAILS(mloptLocateDLTensor(s.program, 0, 2, &y, &at),
              MLOPT_INVALID_ARGUMENT, "has no entry 0 that takes a tensor 2");
  CHECK_FAILS(mloptLocateDLTensor(s.program, 1, 0, &y, &at),
              MLOPT_INVALID_ARGUMENT, "has no entry 1");
  tearDown(&s);
}

/// What would make a kernel read the wrong memory is refused, by name, and the
/// set that was bound stays.
static void testBadExchange(void) {
  static const int64_t two[] = {2, 4}, nine[] = {9}, far[] = {2};
  Setting s;
  setUp(&s, planChain, NULL);
  runSet(&s, 0, 0);
  Exchanged good = exchange(s.x[1]), y = exchange(s.y[1]);
  const struct {
    int32_t device_type, device, rank;
    uint8_t code, bits;
    uint16_t lanes;
    const int64_t *shape, *strides;
    const char *words;
  } rows[] = {
      {1, 0, 1, 2, 32, 1, eight, one_step, "is on the CPU; the program is on"},
      {2, 3, 1, 2, 32, 1, eight, one_step, "is on GPU 3; the program is on"},
      {2, 0, 1, 2, 64, 1, eight, one_step, "type 2 with 64 bits, not f32"},
      {2, 0, 1, 0, 32, 1, eight, one_step, "type 0 with 32 bits, not f32"},
      {2, 0, 1, 2, 32, 2, eight, one_step, "not f32"},
      {2, 0, 1, 2, 32, 1, nine, one_step, "shape is (9), not (8)"},
      {2, 0, 2, 2, 32, 1, two, NULL, "shape is (2x4), not (8)"},
      {2, 0, 0, 2, 32, 1, NULL, NULL, "shape is (), not (8)"},
      {2, 0, 1, 2, 32, 1, eight, far, "is not contiguous"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    Exchanged bad = {good.data,       rows[i].device_type, rows[i].device,
                     rows[i].rank,    rows[i].code,        rows[i].bits,
                     rows[i].lanes,   rows[i].shape,       rows[i].strides,
                     good.byte_offset};
    const void *in[] = {&bad}, *out[] = {&y};
    CHECK_FAILS(mloptBindDLTensors(s.instance, in, out), MLOPT_INVALID_ARGUMENT,
                rows[i].words);
    CHECK_FAILS(mloptBindDLTensors(s.instance, out, in), MLOPT_INVALID_ARGUMENT,
                "main: result 0 (y): ");
  }
  s.y[0][0] = 0;
  CHECK_OK(mloptRunInstance(s.instance, NULL));
  CHECK(isChain(&s, 0, 0));
  tearDown(&s);
}

/// Empty tensors may have any strides; integers any sign; a scalar no shape.
static void testOddExchange(void) {
  static const int64_t empty[] = {0, 4}, odd[] = {77, 5}, none[] = {0};
  Setting s;
  setUp(&s, planEmpty, NULL);
  Exchanged x = {0, 2, 0, 2, 2, 32, 1, empty, odd, 0};
  Exchanged y = {0, 2, 0, 1, 4, 16, 1, none, odd, 0};
  const void *in[] = {&x}, *out[] = {&y};
  CHECK_OK(mloptBindDLTensors(s.instance, in, out));
  CHECK_OK(mloptRunInstance(s.instance, NULL));
  tearDown(&s);
  setUp(&s, planSwitch, NULL);
  int32_t number = 1;
  Exchanged scalar = {address(&number), 2, 0, 0, 1, 32, 1, NULL, NULL, 0};
  x = exchange(s.x[0]);
  y = exchange(s.y[0]);
  const void *both[] = {&x, &scalar};
  CHECK_OK(mloptBindDLTensors(s.instance, both, out));
  CHECK_OK(mloptRunInstance(s.instance, NULL));
  CHECK(s.y[0][3] == 6);
  tearDown(&s);
}

//===----------------------------------------------------------------------===//
// Lifetimes, threads
//===----------------------------------------------------------------------===//

static void testReleaseOrder(void) {
  Setting s;
  setUp(&s, planChain, NULL);
  mloptReleaseDevice(s.device);
  mloptReleaseProgram(s.program);
  runSet(&s, 0, 0);
  CHECK(isChain(&s, 0, 0));
  s.device = NULL;
  s.program = NULL;
  tearDown(&s);
}

static size_t hostBytes(void) { return mallinfo2().uordblks; }

/// Ten thousand runs over changing buffers leave memory as it was.
static void testFlat(void) {
  Setting s;
  setUp(&s, planChain, NULL);
  for (int i = 0; i < 100; ++i)
    runSet(&s, i % 2, i / 2 % 2);
  int live = fakeLive();
  size_t bytes = hostBytes();
  for (int i = 0; i < 10000; ++i) {
    bind(&s, i % 2, i / 2 % 2);
    MloptStatus *status = mloptRunInstance(s.instance, NULL);
    if (status)
      CHECK_OK(status);
  }
  CHECK(fakeLive() == live);
  CHECK(hostBytes() == bytes);
  CHECK(isChain(&s, 1, 1));
  tearDown(&s);
}

static void *runThread(void *argument) {
  Setting *shared = argument;
  static atomic_int wrong;
  MloptInstance *instance;
  MloptStatus *status =
      mloptCreateInstance(shared->program, 0, NULL, &instance);
  _Alignas(256) float x[WIDTH], y[WIDTH];
  uint64_t in = address(x), out = address(y);
  for (int i = 0; !status && i < 500; ++i) {
    for (int j = 0; j < WIDTH; ++j)
      x[j] = (float)(i + j);
    status = mloptBindPointers(instance, &in, &out);
    if (!status)
      status = mloptRunInstance(instance, NULL);
    wrong += y[3] != ((float)i + 3 + 1) * 3 + 1;
  }
  wrong += status != NULL;
  mloptReleaseStatus(status);
  mloptReleaseInstance(instance);
  return wrong ? shared : NULL;
}

/// Eight threads, an instance each, one program.
static void testThreads(void) {
  Setting s;
  setUp(&s, planChain, NULL);
  pthread_t threads[8];
  for (int i = 0; i < 8; ++i)
    pthread_create(&threads[i], NULL, runThread, &s);
  for (int i = 0; i < 8; ++i) {
    void *wrong;
    pthread_join(threads[i], &wrong);
    CHECK(!wrong);
  }
  tearDown(&s);
}

/// A hundred modules, assembled by several threads.
static void testManyModules(void) {
  Setting s = {0};
  fakeReset();
  MloptArtifactWriter *writer = planSingle();
  for (int i = 0; i < 100; ++i) {
    static char texts[100][32];
    snprintf(texts[i], sizeof texts[i], "// %d", i);
    mloptAddModule(writer, "more", "sm_80", texts[i], strlen(texts[i]));
  }
  MloptDeviceOptions options = {.cache_directory = "", .compile_threads = 8};
  CHECK_OK(mloptOpenDevice(0, &options, &s.device));
  MloptArtifact *artifact = readPlan(writer);
  CHECK_OK(mloptLoadProgram(s.device, artifact, &s.program));
  CHECK(fakeCount("cuLinkComplete") == 101);
  CHECK(fakeCount("cuModuleLoadData") == 101);
  for (uint32_t i = 1; i < artifact->module_count; ++i)
    CHECK(artifact->modules[i].ptx.size > 4);
  mloptReleaseArtifact(artifact);
  tearDown(&s);
}

int main(void) {
  if (!mkdtemp(cache))
    return 1;
  defineKernels();
  testSingle();
  testChain();
  testRebinding();
  testFailedPatch();
  testManyBindings();
  testPlain();
  testChecked();
  testCapture();
  testPrograms();
  testCopies();
  testSwitch();
  testEmpty();
  testHostData();
  testBadCalls();
  testOverlap();
  testExchange();
  testBadExchange();
  testOddExchange();
  testReleaseOrder();
  testFlat();
  testThreads();
  testManyModules();
  return finish(cache);
}
