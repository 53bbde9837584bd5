//===- graph.c - A stretch of steps as a CUDA graph -----------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The graph is built node by node from the plan's edges, so that steps without
// an edge run side by side and programmatic edges let a kernel start while the
// one before it drains. Edges to steps outside the piece are kept by the order
// of the stream.
//
//===----------------------------------------------------------------------===//

#include "runtime.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

static CuKernelNodeParams getKernelParams(const MloptBinding *binding,
                                          const MloptStep *step) {
  const CuLaunchConfig *config = &step->config;
  return (CuKernelNodeParams){.func = step->function,
                              .gridDimX = config->gridDimX,
                              .gridDimY = config->gridDimY,
                              .gridDimZ = config->gridDimZ,
                              .blockDimX = config->blockDimX,
                              .blockDimY = config->blockDimY,
                              .blockDimZ = config->blockDimZ,
                              .sharedMemBytes = config->sharedMemBytes,
                              .kernelParams =
                                  binding->parameters + step->first_argument};
}

CuMemcpy3D mloptGetCopyParams(const MloptInstance *instance,
                              const MloptBinding *binding,
                              const MloptPlanCopy *copy) {
  return (CuMemcpy3D){
      .srcMemoryType = MLOPT_CU_MEMORYTYPE_DEVICE,
      .srcDevice = mloptGetAddress(instance, binding, &copy->source),
      .srcPitch = copy->bytes,
      .srcHeight = 1,
      .dstMemoryType = MLOPT_CU_MEMORYTYPE_DEVICE,
      .dstDevice = mloptGetAddress(instance, binding, &copy->target),
      .dstPitch = copy->bytes,
      .dstHeight = 1,
      .WidthInBytes = copy->bytes,
      .Height = 1,
      .Depth = 1};
}

CuMemsetNodeParams mloptGetFillParams(const MloptInstance *instance,
                                      const MloptBinding *binding,
                                      const MloptPlanFill *fill) {
  return (CuMemsetNodeParams){
      .dst = mloptGetAddress(instance, binding, &fill->target),
      .value = fill->value,
      .elementSize = fill->element_bytes,
      .width = fill->count,
      .height = 1};
}

static CuGraphNodeParams getNodeParams(const MloptInstance *instance,
                                       const MloptBinding *binding,
                                       const MloptStep *step) {
  CuGraphNodeParams params = {.type = MLOPT_CU_GRAPH_NODE_TYPE_KERNEL};
  CUcontext context = instance->program->device->context;
  switch (step->plan->kind) {
  case MLOPT_STEP_COPY:
    params.type = MLOPT_CU_GRAPH_NODE_TYPE_MEMCPY;
    params.memcpy.copyCtx = context;
    params.memcpy.copyParams =
        mloptGetCopyParams(instance, binding, &step->plan->copy);
    break;
  case MLOPT_STEP_FILL: {
    CuMemsetNodeParams fill =
        mloptGetFillParams(instance, binding, &step->plan->fill);
    params.type = MLOPT_CU_GRAPH_NODE_TYPE_MEMSET;
    params.memset = (CuMemsetNodeParamsV2){.dst = fill.dst,
                                           .value = fill.value,
                                           .elementSize = fill.elementSize,
                                           .width = fill.width,
                                           .height = fill.height,
                                           .ctx = context};
    break;
  }
  default:
    params.kernel = getKernelParams(binding, step);
    break;
  }
  return params;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

/// Room for the edges of any one step.
typedef struct Edges {
  CUgraphNode *nodes;
  CuGraphEdgeData *data;
} Edges;

/// Collects the step's edges within its piece; returns how many, and whether
/// any is programmatic.
static uint32_t collectEdges(const MloptInstance *instance,
                             const MloptPiece *piece, const MloptStep *step,
                             Edges edges, bool *out_programmatic) {
  uint32_t count = 0;
  *out_programmatic = false;
  uint32_t first_number = instance->steps[piece->first].number;
  for (uint32_t i = 0; i < step->plan->edge_count; ++i) {
    const MloptPlanEdge *edge = &step->plan->edges[i];
    if (edge->step < first_number)
      continue;
    edges.nodes[count] =
        instance->steps[piece->first + edge->step - first_number].node;
    edges.data[count] = (CuGraphEdgeData){0};
    if (edge->programmatic) {
      edges.data[count].from_port =
          MLOPT_CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
      edges.data[count].type = MLOPT_CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
      *out_programmatic = true;
    }
    ++count;
  }
  return count;
}

static MloptStatus *addNode(MloptInstance *instance,
                            const MloptBinding *binding,
                            const MloptPiece *piece, MloptStep *step,
                            Edges edges) {
  MloptDevice *device = instance->program->device;
  char text[MLOPT_STEP_TEXT];
  bool programmatic;
  uint32_t count = collectEdges(instance, piece, step, edges, &programmatic);
  CuGraphNodeParams params = getNodeParams(instance, binding, step);
  CuResult error = device->cuda.graphAddNode(
      &step->node, piece->graph, edges.nodes, programmatic ? edges.data : NULL,
      count, &params);
  if (error)
    return mloptCreateCudaStatus(device, error, "cuGraphAddNode", "%s",
                                 mloptDescribeStep(instance, step, text));
  bool cluster =
      step->plan->kind == MLOPT_STEP_LAUNCH && step->plan->launch.cluster[0];
  if (!cluster)
    return NULL;
  error = device->cuda.graphKernelNodeSetAttribute(
      step->node, step->attributes[0].id, &step->attributes[0].value);
  if (error)
    return mloptCreateCudaStatus(device, error, "cuGraphKernelNodeSetAttribute",
                                 "the cluster of %s",
                                 mloptDescribeStep(instance, step, text));
  return NULL;
}

static MloptStatus *buildGraph(MloptInstance *instance,
                               const MloptBinding *binding, MloptPiece *piece) {
  MloptDevice *device = instance->program->device;
  uint32_t most = 0;
  for (uint32_t i = 0; i < piece->count; ++i) {
    uint32_t count = instance->steps[piece->first + i].plan->edge_count;
    most = count > most ? count : most;
  }
  Edges edges = {calloc(most + 1u, sizeof *edges.nodes),
                 calloc(most + 1u, sizeof *edges.data)};
  MloptStatus *status = NULL;
  CuResult error = MLOPT_CUDA_SUCCESS;
  if (!edges.nodes || !edges.data)
    status = mloptCreateHostMemoryStatus();
  else
    error = device->cuda.graphCreate(&piece->graph, 0);
  if (error) {
    piece->graph = NULL;
    status = mloptCreateCudaStatus(device, error, "cuGraphCreate", "a graph");
  }
  for (uint32_t i = 0; !status && i < piece->count; ++i)
    status = addNode(instance, binding, piece,
                     &instance->steps[piece->first + i], edges);
  free(edges.nodes);
  free(edges.data);
  if (status && piece->graph) {
    device->cuda.graphDestroy(piece->graph);
    piece->graph = NULL;
  }
  return status;
}

/// Gives a graph made from another binding's nodes this binding's parameters.
static MloptStatus *patchPiece(MloptInstance *instance, MloptBinding *binding,
                               const MloptPiece *piece) {
  for (uint32_t i = 0; i < piece->count; ++i) {
    const MloptStep *step = &instance->steps[piece->first + i];
    if (step->external)
      MLOPT_TRY(mloptPatchStep(instance, binding, step));
  }
  return NULL;
}

static MloptStatus *prepare(MloptInstance *instance, MloptBinding *binding,
                            uint32_t number) {
  MloptDevice *device = instance->program->device;
  MloptPiece *piece = &instance->pieces[number];
  bool fresh = !piece->graph;
  if (fresh)
    MLOPT_TRY(buildGraph(instance, binding, piece));
  CUgraphExec *exec = &binding->execs[number];
  CuResult error = device->cuda.graphInstantiate(exec, piece->graph, 0);
  if (error) {
    *exec = NULL;
    return mloptCreateCudaStatus(device, error, "cuGraphInstantiate",
                                 "%u steps", piece->count);
  }
  MloptStatus *status = fresh ? NULL : patchPiece(instance, binding, piece);
  if (status) {
    device->cuda.graphExecDestroy(*exec);
    *exec = NULL;
    return status;
  }
  ++instance->statistics.graphs_built;
  mloptLog(device, MLOPT_LOG_DETAIL,
           "entry %.128s: graph of %u steps for binding %u",
           instance->entry->info.name, piece->count, instance->binding_count);
  return NULL;
}

MloptStatus *mloptPrepareGraph(MloptInstance *instance, MloptBinding *binding,
                               uint32_t piece) {
  MloptStatus *status = prepare(instance, binding, piece);
  if (!status)
    return NULL;
  return mloptPrefixStatus(
      status,
      "cannot build the CUDA graph of entry %.128s, segment %u, %u steps "
      "(MLOPT_LAUNCH_PLAIN would run them without a graph)",
      instance->entry->info.name, instance->pieces[piece].segment,
      instance->pieces[piece].count);
}

MloptStatus *mloptPatchStep(MloptInstance *instance, MloptBinding *binding,
                            const MloptStep *step) {
  MloptDevice *device = instance->program->device;
  CUgraphExec exec = binding->execs[step->piece];
  const char *call;
  CuResult error;
  if (step->plan->kind == MLOPT_STEP_COPY) {
    CuMemcpy3D params =
        mloptGetCopyParams(instance, binding, &step->plan->copy);
    call = "cuGraphExecMemcpyNodeSetParams";
    error = device->cuda.graphExecMemcpyNodeSetParams(exec, step->node, &params,
                                                      device->context);
  } else if (step->plan->kind == MLOPT_STEP_FILL) {
    CuMemsetNodeParams params =
        mloptGetFillParams(instance, binding, &step->plan->fill);
    call = "cuGraphExecMemsetNodeSetParams";
    error = device->cuda.graphExecMemsetNodeSetParams(exec, step->node, &params,
                                                      device->context);
  } else {
    CuKernelNodeParams params = getKernelParams(binding, step);
    call = "cuGraphExecKernelNodeSetParams";
    error =
        device->cuda.graphExecKernelNodeSetParams(exec, step->node, &params);
  }
  if (error) {
    char text[MLOPT_STEP_TEXT];
    return mloptCreateCudaStatus(device, error, call, "new pointers for %s",
                                 mloptDescribeStep(instance, step, text));
  }
  ++instance->statistics.steps_patched;
  return NULL;
}
