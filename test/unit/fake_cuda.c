//===- fake_cuda.c - A stand-in for libcuda.so.1 --------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See fake_cuda.h. One lock guards everything, kernels included.
//
//===----------------------------------------------------------------------===//

#include "fake_cuda.h"

#include "cuda.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))

#define MLOPT_CUDA(member, symbol, parameters) API CuResult symbol parameters;
#include "cuda_symbols.def"

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

enum Function {
#define MLOPT_CUDA(member, symbol, parameters) INDEX_##symbol,
#include "cuda_symbols.def"
  FUNCTION_COUNT
};

static const char *const names[] = {
#define MLOPT_CUDA(member, symbol, parameters) #symbol,
#include "cuda_symbols.def"
};

typedef struct Kernel {
  char name[64];
  FakeKernel body;
  int count;
  size_t sizes[16];
} Kernel;

struct CUctx_st {
  int retained;
};
struct CUmod_st {
  int unused;
};
struct CUfunc_st {
  const Kernel *kernel;
};
struct CUstream_st {
  int unused;
};
struct CUlinkState_st {
  char *image;
  size_t size;
  char *log;
};

/// What cuMemcpyHtoD has taken and not brought to the GPU.
typedef struct LateCopy {
  struct LateCopy *next;
  CUdeviceptr target;
  size_t bytes;
  char data[];
} LateCopy;

static const FakeSetup initial = {1, 9, 0, 12080, 232448, 1024, 1u << 30, 0};

static struct {
  pthread_mutex_t lock;
  FakeSetup setup;
  struct CUctx_st context;
  int counts[FUNCTION_COUNT];
  int fail_function, fail_in, fail_error, failed;
  int live;
  Kernel kernels[32];
  struct CUfunc_st functions[32];
  int kernel_count;
  LateCopy *late;
  char trace[1 << 16];
} fake = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .setup = {1, 9, 0, 12080, 232448, 1024, 1u << 30, 0},
          .failed = -1};

static _Thread_local CUcontext stack[16];
static _Thread_local int depth;

static int findFunction(const char *name) {
  for (int i = 0; i < FUNCTION_COUNT; ++i)
    if (!strcmp(names[i], name))
      return i;
  fprintf(stderr, "fake_cuda: no function %s\n", name);
  abort();
}

API FakeSetup *fakeSetup(void) { return &fake.setup; }

API void fakeReset(void) {
  fake.setup = initial;
  memset(fake.counts, 0, sizeof fake.counts);
  fake.fail_in = 0;
  fake.failed = -1;
  fake.trace[0] = 0;
  depth = 0; // a pop that was made to fail leaves its context
}

API void fakeFail(const char *function, int nth, int error) {
  fake.fail_function = function ? findFunction(function) : -1;
  fake.fail_in = error ? nth : 0;
  fake.fail_error = error;
  fake.failed = -1;
}

API const char *fakeFailed(void) {
  return fake.failed < 0 ? NULL : names[fake.failed];
}

API int fakeCount(const char *function) {
  if (function)
    return fake.counts[findFunction(function)];
  int sum = 0;
  for (int i = 0; i < FUNCTION_COUNT; ++i)
    sum += fake.counts[i];
  return sum;
}

API int fakeLive(void) { return fake.live; }

API const char *fakeTrace(void) { return fake.trace; }

static void trace(const char *before, const char *word) {
  size_t length = strlen(fake.trace);
  if (length + strlen(before) + strlen(word) < sizeof fake.trace)
    strcpy(stpcpy(fake.trace + length, before), word);
}

static void traceCall(const char *word) {
  trace(fake.trace[0] ? " " : "", word);
}

API void fakeDefineKernel(const char *name, FakeKernel body, int count,
                          const size_t *sizes) {
  Kernel *kernel = &fake.kernels[fake.kernel_count];
  fake.functions[fake.kernel_count++].kernel = kernel;
  snprintf(kernel->name, sizeof kernel->name, "%s", name);
  kernel->body = body;
  kernel->count = count;
  memcpy(kernel->sizes, sizes, (size_t)count * sizeof *sizes);
}

static void doNothing(void **parameters) { (void)parameters; }

/// Kernels that are there and leave their results as they are.
static void defineEmptyKernels(const char *words) {
  static const size_t pointers[16] = {8, 8, 8, 8, 8, 8, 8, 8,
                                      8, 8, 8, 8, 8, 8, 8, 8};
  char name[64];
  int count, length;
  while (sscanf(words, "%63[^:]:%d%n", name, &count, &length) == 2 &&
         count <= 16) {
    fakeDefineKernel(name, doNothing, count, pointers);
    words += length + strspn(words + length, ",");
  }
}

__attribute__((constructor)) static void readEnvironment(void) {
  const char *words = getenv("FAKE_CUDA_FAIL");
  char name[64];
  int nth, error;
  if (words && sscanf(words, "%63[^:]:%d:%d", name, &nth, &error) == 3)
    fakeFail(name, nth, error);
  words = getenv("FAKE_CUDA_KERNELS");
  if (words)
    defineEmptyKernels(words);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static CuResult countCall(int function, bool needs_context) {
  ++fake.counts[function];
  if (fake.fail_in &&
      (fake.fail_function < 0 || fake.fail_function == function) &&
      --fake.fail_in == 0) {
    fake.failed = function;
    return (CuResult)fake.fail_error;
  }
  if (needs_context && (!depth || stack[depth - 1] != &fake.context))
    return MLOPT_CUDA_ERROR_INVALID_CONTEXT;
  return MLOPT_CUDA_SUCCESS;
}

static void unlock(int *unused) { pthread_mutex_unlock(&fake.lock); }

/// Locks until the function returns, counts, and fails if that is due.
#define ENTER(symbol, needs_context)                                           \
  pthread_mutex_lock(&fake.lock);                                              \
  __attribute__((cleanup(unlock), unused)) int locked = 0;                     \
  CuResult entered = countCall(INDEX_##symbol, needs_context);                 \
  if (entered)                                                                 \
  return entered

/// The same for giving something back, which happens even if it fails, as in a
/// driver that reports an earlier error; but then it still counts as live.
#define ENTER_TO_FREE(symbol, needs_context, statement)                        \
  pthread_mutex_lock(&fake.lock);                                              \
  __attribute__((cleanup(unlock), unused)) int locked = 0;                     \
  CuResult entered = countCall(INDEX_##symbol, needs_context);                 \
  statement;                                                                   \
  fake.live -= !entered;                                                       \
  return entered

API CuResult cuGetErrorName(CuResult error, const char **name) {
  switch (error) {
#define MLOPT_CUDA_ERROR(row, value, code, lost, advice)                       \
  case value:                                                                  \
    *name = #row;                                                              \
    return MLOPT_CUDA_SUCCESS;
#include "cuda_constants.def"
  }
  *name = NULL;
  return MLOPT_CUDA_ERROR_INVALID_VALUE;
}

API CuResult cuGetErrorString(CuResult error, const char **text) {
  *text = "words of the driver";
  return MLOPT_CUDA_SUCCESS;
}

API CuResult cuInit(unsigned flags) {
  ENTER(cuInit, false);
  return MLOPT_CUDA_SUCCESS;
}

API CuResult cuDriverGetVersion(int *version) {
  ENTER(cuDriverGetVersion, false);
  *version = fake.setup.driver_version;
  return MLOPT_CUDA_SUCCESS;
}

API CuResult cuDeviceGetCount(int *count) {
  ENTER(cuDeviceGetCount, false);
  *count = fake.setup.devices;
  return MLOPT_CUDA_SUCCESS;
}

API CuResult cuDeviceGet(CUdevice *device, int ordinal) {
  ENTER(cuDeviceGet, false);
  *device = ordinal;
  return MLOPT_CUDA_SUCCESS;
}

API CuResult cuDeviceGetName(char *name, int length, CUdevice device) {
  ENTER(cuDeviceGetName, false);
  snprintf(name, (size_t)length, "Stand-in GPU");
  return MLOPT_CUDA_SUCCESS;
}

API CuResult cuDeviceGetAttribute(int *value, CuDeviceAttribute attribute,
                                  CUdevice device) {
  ENTER(cuDeviceGetAttribute, false);
  *value = attribute == MLOPT_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
               ? fake.setup.major
           : attribute == MLOPT_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR
               ? fake.setup.minor
               : fake.setup.shared_limit;
  return MLOPT_CUDA_SUCCESS;
}

API CuResult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  ENTER(cuDevicePrimaryCtxRetain, false);
  *context = &fake.context;
  ++fake.live;
  return MLOPT_CUDA_SUCCESS;
}

API CuResult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  ENTER_TO_FREE(cuDevicePrimaryCtxRelease_v2, false, (void)device);
}

API CuResult cuCtxGetCurrent(CUcontext *context) {
  ENTER(cuCtxGetCurrent, false);
  *context = depth ? stack[depth - 1] : NULL;
  return MLOPT_CUDA_SUCCESS;
}

API CuResult cuCtxPushCurrent_v2(CUcontext context) {
  ENTER(cuCtxPushCurrent_v2, false);
  stack[depth++] = context;
  return MLOPT_CUDA_SUCCESS;
}

API CuResult cuCtxPopCurrent_v2(CUcontext *context) {
  ENTER(cuCtxPopCurrent_v2, false);
  *context = stack[--depth];
  return MLOPT_CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

API CuResult cuLinkCreate_v2(unsigned count, CuJitOption *options,
                             void **values, CUlinkState *state) {
  ENTER(cuLinkCreate_v2, true);
  *state = calloc(1, sizeof **state);
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == MLOPT_CU_JIT_ERROR_LOG_BUFFER)
      (*state)->log = values[i];
  ++fake.live;
  return MLOPT_CUDA_SUCCESS;
}

API CuResult cuLinkAddData_v2(CUlinkState state, CuJitInputType type,
                              void *data, size_t size, const char *name,
                              unsigned count, CuJitOption *options,
                              void **values) {
  ENTER(cuLinkAddData_v2, true);
  if (strstr(data, "syntax error")) {
    strcpy(state->log, "line 1: syntax error");
    return MLOPT_CUDA_ERROR_INVALID_PTX;
  }
  state->image = malloc(size);
  memcpy(state->image, data, size);
  state->size = size;
  return MLOPT_CUDA_SUCCESS;
}

API CuResult cuLinkComplete(CUlinkState state, void **cubin, size_t *size) {
  ENTER(cuLinkComplete, true);
  *cubin = state->image;
  *size = state->size;
  return MLOPT_CUDA_SUCCESS;
}

static void freeLink(CUlinkState state) {
  free(state->image);
  free(state);
}

API CuResult cuLinkDestroy(CUlinkState state) {
  ENTER_TO_FREE(cuLinkDestroy, true, freeLink(state));
}

API CuResult cuModuleLoadData(CUmodule *module, const void *image) {
  ENTER(cuModuleLoadData, true);
  *module = calloc(1, sizeof **module);
  ++fake.live;
  return MLOPT_CUDA_SUCCESS;
}

API CuResult cuModuleUnload(CUmodule module) {
  ENTER_TO_FREE(cuModuleUnload, true, free(module));
}

API CuResult cuModuleGetFunction(CUfunction *function, CUmodule module,
                                 const char *name) {
  ENTER(cuModuleGetFunction, true);
  for (int i = 0; i < fake.kernel_count; ++i)
    if (!strcmp(fake.kernels[i].name, name)) {
      *function = &fake.functions[i];
      return MLOPT_CUDA_SUCCESS;
    }
  return MLOPT_CUDA_ERROR_NOT_FOUND;
}

API CuResult cuFuncGetAttribute(int *value, CuFunctionAttribute attribute,
                                CUfunction function) {
  ENTER(cuFuncGetAttribute, true);
  *value = fake.setup.block_limit;
  return MLOPT_CUDA_SUCCESS;
}

API CuResult cuFuncSetAttribute(CUfunction function,
                                CuFunctionAttribute attribute, int value) {
  ENTER(cuFuncSetAttribute, true);
  return MLOPT_CUDA_SUCCESS;
}

API CuResult cuFuncGetParamInfo(CUfunction function, size_t index,
                                size_t *offset, size_t *size) {
  ENTER(cuFuncGetParamInfo, true);
  if (index >= (size_t)function->kernel->count)
    return MLOPT_CUDA_ERROR_INVALID_VALUE;
  *offset = 0;
  *size = function->kernel->sizes[index];
  return MLOPT_CUDA_SUCCESS;
}

API CuResult cuFuncLoad(CUfunction function) {
  ENTER(cuFuncLoad, true);
  return MLOPT_CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

API CuResult cuMemGetInfo_v2(size_t *free_bytes, size_t *total) {
  ENTER(cuMemGetInfo_v2, true);
  *free_bytes = *total = fake.setup.memory;
  return MLOPT_CUDA_SUCCESS;
}

API CuResult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes) {
  ENTER(cuMemAlloc_v2, true);
  if (bytes > fake.setup.memory)
    return MLOPT_CUDA_ERROR_OUT_OF_MEMORY;
  void *memory = aligned_alloc(256, (bytes + 255) / 256 * 256);
  memset(memory, 0xcd, bytes);
  *pointer = (CUdeviceptr)(uintptr_t)memory;
  ++fake.live;
  return MLOPT_CUDA_SUCCESS;
}

static void finishCopies(void) {
  while (fake.late) {
    LateCopy *copy = fake.late;
    fake.late = copy->next;
    memcpy((void *)(uintptr_t)copy->target, copy->data, copy->bytes);
    free(copy);
  }
}

API CuResult cuMemFree_v2(CUdeviceptr pointer) {
  ENTER_TO_FREE(cuMemFree_v2, true, finishCopies();
                free((void *)(uintptr_t)pointer));
}

API CuResult cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags) {
  ENTER(cuMemHostAlloc, true);
  *pointer = malloc(bytes);
  ++fake.live;
  return MLOPT_CUDA_SUCCESS;
}

API CuResult cuMemFreeHost(void *pointer) {
  ENTER_TO_FREE(cuMemFreeHost, true, free(pointer));
}

#define COPY(symbol, target, source, bytes)                                    \
  ENTER(symbol, true);                                                         \
  memmove((void *)(uintptr_t)(target), (const void *)(uintptr_t)(source),      \
          bytes);                                                              \
  return MLOPT_CUDA_SUCCESS

/// From pageable memory, as all of the host's is that nobody pinned, a driver
/// may return while the bytes are still on their way; here they always are,
/// until the default stream is waited for.
API CuResult cuMemcpyHtoD_v2(CUdeviceptr target, const void *source,
                             size_t bytes) {
  ENTER(cuMemcpyHtoD_v2, true);
  LateCopy *copy = malloc(sizeof *copy + bytes);
  *copy = (LateCopy){.target = target, .bytes = bytes};
  memcpy(copy->data, source, bytes);
  LateCopy **last = &fake.late;
  while (*last)
    last = &(*last)->next;
  *last = copy;
  return MLOPT_CUDA_SUCCESS;
}

API CuResult cuMemcpyHtoDAsync_v2(CUdeviceptr target, const void *source,
                                  size_t bytes, CUstream stream) {
  COPY(cuMemcpyHtoDAsync_v2, target, source, bytes);
}

API CuResult cuMemcpyDtoHAsync_v2(void *target, CUdeviceptr source,
                                  size_t bytes, CUstream stream) {
  COPY(cuMemcpyDtoHAsync_v2, target, source, bytes);
}

static void copy(CUdeviceptr target, CUdeviceptr source, size_t bytes) {
  memcpy((void *)(uintptr_t)target, (const void *)(uintptr_t)source, bytes);
}

static void fill(const CuMemsetNodeParams *fill) {
  for (size_t i = 0; i < fill->width; ++i)
    memcpy((char *)(uintptr_t)fill->dst + i * fill->elementSize, &fill->value,
           fill->elementSize);
}

API CuResult cuMemcpyDtoDAsync_v2(CUdeviceptr target, CUdeviceptr source,
                                  size_t bytes, CUstream stream) {
  ENTER(cuMemcpyDtoDAsync_v2, true);
  traceCall("copy");
  copy(target, source, bytes);
  return MLOPT_CUDA_SUCCESS;
}

#define FILL(symbol, size)                                                     \
  ENTER(symbol, true);                                                         \
  traceCall("fill");                                                           \
  CuMemsetNodeParams params = {target, 0, value, size, count, 1};              \
  fill(&params);                                                               \
  return MLOPT_CUDA_SUCCESS

API CuResult cuMemsetD8Async(CUdeviceptr target, unsigned char value,
                             size_t count, CUstream stream) {
  FILL(cuMemsetD8Async, 1);
}

API CuResult cuMemsetD16Async(CUdeviceptr target, unsigned short value,
                              size_t count, CUstream stream) {
  FILL(cuMemsetD16Async, 2);
}

API CuResult cuMemsetD32Async(CUdeviceptr target, unsigned int value,
                              size_t count, CUstream stream) {
  FILL(cuMemsetD32Async, 4);
}

//===----------------------------------------------------------------------===//
// Streams and launches
//===----------------------------------------------------------------------===//

API CuResult cuStreamCreate(CUstream *stream, unsigned flags) {
  ENTER(cuStreamCreate, true);
  *stream = calloc(1, sizeof **stream);
  ++fake.live;
  return MLOPT_CUDA_SUCCESS;
}

API CuResult cuStreamDestroy_v2(CUstream stream) {
  ENTER_TO_FREE(cuStreamDestroy_v2, true, free(stream));
}

API CuResult cuStreamSynchronize(CUstream stream) {
  ENTER(cuStreamSynchronize, true);
  if (!stream)
    finishCopies();
  return MLOPT_CUDA_SUCCESS;
}

struct CUevent_st {
  int at;
};

API CuResult cuEventCreate(CUevent *event, unsigned flags) {
  ENTER(cuEventCreate, true);
  *event = calloc(1, sizeof **event);
  ++fake.live;
  return MLOPT_CUDA_SUCCESS;
}

/// Recording is what takes time here.
API CuResult cuEventRecord(CUevent event, CUstream stream) {
  ENTER(cuEventRecord, true);
  event->at = fake.counts[INDEX_cuEventRecord];
  return MLOPT_CUDA_SUCCESS;
}

API CuResult cuEventElapsedTime(float *ms, CUevent start, CUevent end) {
  ENTER(cuEventElapsedTime, true);
  *ms = (float)(end->at - start->at);
  return MLOPT_CUDA_SUCCESS;
}

API CuResult cuEventDestroy_v2(CUevent event) {
  ENTER_TO_FREE(cuEventDestroy_v2, true, free(event));
}

API CuResult cuStreamIsCapturing(CUstream stream,
                                 CuStreamCaptureStatus *status) {
  ENTER(cuStreamIsCapturing, true);
  *status = (CuStreamCaptureStatus)fake.setup.capture;
  return MLOPT_CUDA_SUCCESS;
}

API CuResult cuLaunchKernelEx(const CuLaunchConfig *config, CUfunction function,
                              void **parameters, void **extra) {
  ENTER(cuLaunchKernelEx, true);
  traceCall(function->kernel->name);
  for (unsigned i = 0; i < config->numAttrs; ++i)
    if (config->attrs[i].id ==
        MLOPT_CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
      trace("", "!");
  function->kernel->body(parameters);
  return MLOPT_CUDA_SUCCESS;
}

/// The map holds its address and how many elements it has, for the kernels.
API CuResult cuTensorMapEncodeTiled(
    CuTensorMap *map, CuTensorMapDataType type, uint32_t rank, void *address,
    const uint64_t *dims, const uint64_t *strides, const uint32_t *box,
    const uint32_t *element_strides, CuTensorMapInterleave interleave,
    CuTensorMapSwizzle swizzle, CuTensorMapL2Promotion promotion,
    CuTensorMapOobFill fill_mode) {
  ENTER(cuTensorMapEncodeTiled, true);
  if ((uintptr_t)map % 64 || (uintptr_t)address % 16)
    return MLOPT_CUDA_ERROR_INVALID_VALUE;
  memset(map, 0, sizeof *map);
  map->opaque[0] = (uint64_t)(uintptr_t)address;
  map->opaque[1] = 1;
  for (uint32_t i = 0; i < rank; ++i)
    map->opaque[1] *= dims[i];
  return MLOPT_CUDA_SUCCESS;
}

/// The same, of pixels.
API CuResult cuTensorMapEncodeIm2col(
    CuTensorMap *map, CuTensorMapDataType type, uint32_t rank, void *address,
    const uint64_t *dims, const uint64_t *strides, const int *low,
    const int *high, uint32_t channels, uint32_t pixels,
    const uint32_t *element_strides, CuTensorMapInterleave interleave,
    CuTensorMapSwizzle swizzle, CuTensorMapL2Promotion promotion,
    CuTensorMapOobFill fill_mode) {
  for (uint32_t i = 0; i + 2 < rank; ++i)
    if ((int64_t)dims[i + 1] + high[i] <= low[i])
      return MLOPT_CUDA_ERROR_INVALID_VALUE;
  uint32_t box[] = {channels, pixels};
  return cuTensorMapEncodeTiled(map, type, rank, address, dims, strides, box,
                                element_strides, interleave, swizzle, promotion,
                                fill_mode);
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

enum { NODE_LIMIT = 256 };

/// What a node does; kernel parameters are copied, as the driver does.
typedef struct Action {
  CuGraphNodeType type;
  const Kernel *kernel;
  char values[16][128];
  CuMemcpy3D copy;
  CuMemsetNodeParams fill;
} Action;

struct CUgraphNode_st {
  int index;
  bool programmatic;
};

struct CUgraph_st {
  int count;
  struct CUgraphNode_st nodes[NODE_LIMIT];
  Action *actions[NODE_LIMIT];
};

struct CUgraphExec_st {
  int count;
  bool programmatic[NODE_LIMIT];
  Action *actions[NODE_LIMIT];
};

static void setKernel(Action *action, const CuKernelNodeParams *params) {
  action->type = MLOPT_CU_GRAPH_NODE_TYPE_KERNEL;
  action->kernel = params->func->kernel;
  for (int i = 0; i < action->kernel->count; ++i)
    memcpy(action->values[i], params->kernelParams[i],
           action->kernel->sizes[i]);
}

static void runAction(const Action *action) {
  void *parameters[16];
  switch (action->type) {
  case MLOPT_CU_GRAPH_NODE_TYPE_MEMCPY:
    copy(action->copy.dstDevice, action->copy.srcDevice,
         action->copy.WidthInBytes);
    break;
  case MLOPT_CU_GRAPH_NODE_TYPE_MEMSET:
    fill(&action->fill);
    break;
  default:
    for (int i = 0; i < 16; ++i)
      parameters[i] = (void *)action->values[i];
    action->kernel->body(parameters);
    break;
  }
}

API CuResult cuGraphCreate(CUgraph *graph, unsigned flags) {
  ENTER(cuGraphCreate, true);
  *graph = calloc(1, sizeof **graph);
  ++fake.live;
  return MLOPT_CUDA_SUCCESS;
}

static void freeGraph(Action **actions, int count, void *graph) {
  for (int i = 0; i < count; ++i)
    free(actions[i]);
  free(graph);
}

API CuResult cuGraphDestroy(CUgraph graph) {
  ENTER_TO_FREE(cuGraphDestroy, true,
                freeGraph(graph->actions, graph->count, graph));
}

API CuResult cuGraphAddNode_v2(CUgraphNode *node, CUgraph graph,
                               const CUgraphNode *dependencies,
                               const CuGraphEdgeData *edges, size_t count,
                               CuGraphNodeParams *parameters) {
  ENTER(cuGraphAddNode_v2, true);
  Action *action = calloc(1, sizeof *action);
  if (parameters->type == MLOPT_CU_GRAPH_NODE_TYPE_MEMCPY)
    action->copy = parameters->memcpy.copyParams;
  else if (parameters->type == MLOPT_CU_GRAPH_NODE_TYPE_MEMSET)
    memcpy(&action->fill, &parameters->memset, sizeof action->fill);
  else
    setKernel(action, &parameters->kernel);
  action->type = parameters->type;
  graph->actions[graph->count] = action;
  *node = &graph->nodes[graph->count];
  (*node)->index = graph->count++;
  for (size_t i = 0; i < count; ++i) {
    if (dependencies[i] < graph->nodes || dependencies[i] >= *node)
      return MLOPT_CUDA_ERROR_INVALID_VALUE;
    (*node)->programmatic |=
        edges && edges[i].type == MLOPT_CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
  }
  return MLOPT_CUDA_SUCCESS;
}

API CuResult
cuGraphKernelNodeSetAttribute(CUgraphNode node, CuLaunchAttributeId attribute,
                              const CuLaunchAttributeValue *value) {
  ENTER(cuGraphKernelNodeSetAttribute, true);
  return MLOPT_CUDA_SUCCESS;
}

API CuResult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph,
                                         unsigned long long flags) {
  ENTER(cuGraphInstantiateWithFlags, true);
  *exec = calloc(1, sizeof **exec);
  (*exec)->count = graph->count;
  for (int i = 0; i < graph->count; ++i) {
    (*exec)->programmatic[i] = graph->nodes[i].programmatic;
    (*exec)->actions[i] = malloc(sizeof(Action));
    *(*exec)->actions[i] = *graph->actions[i];
  }
  ++fake.live;
  return MLOPT_CUDA_SUCCESS;
}

API CuResult cuGraphExecDestroy(CUgraphExec exec) {
  ENTER_TO_FREE(cuGraphExecDestroy, true,
                freeGraph(exec->actions, exec->count, exec));
}

API CuResult cuGraphExecKernelNodeSetParams_v2(
    CUgraphExec exec, CUgraphNode node, const CuKernelNodeParams *parameters) {
  ENTER(cuGraphExecKernelNodeSetParams_v2, true);
  setKernel(exec->actions[node->index], parameters);
  return MLOPT_CUDA_SUCCESS;
}

API CuResult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                            const CuMemcpy3D *params,
                                            CUcontext context) {
  ENTER(cuGraphExecMemcpyNodeSetParams, true);
  exec->actions[node->index]->copy = *params;
  return MLOPT_CUDA_SUCCESS;
}

API CuResult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                            const CuMemsetNodeParams *params,
                                            CUcontext context) {
  ENTER(cuGraphExecMemsetNodeSetParams, true);
  exec->actions[node->index]->fill = *params;
  return MLOPT_CUDA_SUCCESS;
}

API CuResult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  ENTER(cuGraphLaunch, true);
  traceCall("graph(");
  for (int i = 0; i < exec->count; ++i) {
    const Action *action = exec->actions[i];
    trace(i ? " " : "", action->type == MLOPT_CU_GRAPH_NODE_TYPE_MEMCPY ? "copy"
                        : action->type == MLOPT_CU_GRAPH_NODE_TYPE_MEMSET
                            ? "fill"
                            : action->kernel->name);
    trace("", exec->programmatic[i] ? "!" : "");
    runAction(action);
  }
  trace("", ")");
  return MLOPT_CUDA_SUCCESS;
}
