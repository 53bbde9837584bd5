//===- launch.c - A run: segments, steps, loops ---------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run puts the pieces of segment 0 on the stream: a graph launch for two or
// more steps, a driver call for one, and host turns for loops and switches. On
// the way of a run that meets no failure nothing is allocated or locked here.
//
//===----------------------------------------------------------------------===//

#include "runtime.h"

typedef struct Run {
  MloptInstance *instance;
  MloptBinding *binding;
  CUstream stream;
  bool one_by_one; ///< no graphs: by mode, or the caller captures
} Run;

static MloptStatus *runSegment(const Run *run, uint32_t segment);

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static CuResult fill(const Run *run, const MloptPlanFill *plan) {
  const MloptCuda *cuda = &run->instance->program->device->cuda;
  CUdeviceptr target =
      mloptGetAddress(run->instance, run->binding, &plan->target);
  switch (plan->element_bytes) {
  case 1:
    return cuda->memsetD8Async(target, (unsigned char)plan->value, plan->count,
                               run->stream);
  case 2:
    return cuda->memsetD16Async(target, (unsigned short)plan->value,
                                plan->count, run->stream);
  default:
    return cuda->memsetD32Async(target, plan->value, plan->count, run->stream);
  }
}

static MloptStatus *createStepStatus(const Run *run, const MloptStep *step,
                                     const char *call, CuResult error) {
  char text[MLOPT_STEP_TEXT];
  return mloptCreateCudaStatus(run->instance->program->device, error, call,
                               "%s",
                               mloptDescribeStep(run->instance, step, text));
}

static MloptStatus *runStep(const Run *run, MloptStep *step) {
  MloptInstance *instance = run->instance;
  const MloptCuda *cuda = &instance->program->device->cuda;
  const MloptPlanStep *plan = step->plan;
  const char *call;
  CuResult error;
  ++instance->statistics.plain_steps;
  if (plan->kind == MLOPT_STEP_LAUNCH) {
    call = "cuLaunchKernelEx";
    step->config.hStream = run->stream;
    error = cuda->launchKernelEx(
        &step->config, step->function,
        run->binding->parameters + step->first_argument, NULL);
  } else if (plan->kind == MLOPT_STEP_COPY) {
    call = "cuMemcpyDtoDAsync";
    error = cuda->memcpyDtoDAsync(
        mloptGetAddress(instance, run->binding, &plan->copy.target),
        mloptGetAddress(instance, run->binding, &plan->copy.source),
        plan->copy.bytes, run->stream);
  } else {
    call = "cuMemsetAsync";
    error = fill(run, &plan->fill);
  }
  if (!error && instance->mode == MLOPT_LAUNCH_CHECKED) {
    call = "cuStreamSynchronize";
    error = cuda->streamSynchronize(run->stream);
  }
  return __builtin_expect(error, 0) ? createStepStatus(run, step, call, error)
                                    : NULL;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

static MloptStatus *readFlag(const Run *run, const MloptStep *step,
                             const MloptPlanFlag *flag, int64_t *out_value) {
  MloptInstance *instance = run->instance;
  const MloptCuda *cuda = &instance->program->device->cuda;
  *instance->flag = 0;
  CuResult error = cuda->memcpyDtoHAsync(
      instance->flag, mloptGetAddress(instance, run->binding, &flag->place),
      flag->bytes, run->stream);
  if (error)
    return createStepStatus(run, step, "cuMemcpyDtoHAsync", error);
  error = cuda->streamSynchronize(run->stream);
  if (error)
    return createStepStatus(run, step, "cuStreamSynchronize", error);
  uint32_t unused = 64 - 8 * flag->bytes; // bits above the flag's sign
  *out_value = (int64_t)((uint64_t)*instance->flag << unused) >> unused;
  return NULL;
}

static MloptStatus *runControl(const Run *run, const MloptStep *step) {
  const MloptPlanStep *plan = step->plan;
  int64_t value;
  if (plan->kind == MLOPT_STEP_WHILE) {
    for (;;) {
      MLOPT_TRY(runSegment(run, plan->while_loop.condition));
      MLOPT_TRY(readFlag(run, step, &plan->while_loop.flag, &value));
      if (!value)
        return NULL;
      MLOPT_TRY(runSegment(run, plan->while_loop.body));
    }
  }
  if (plan->kind == MLOPT_STEP_REPEAT) {
    for (uint64_t i = 0; i < plan->repeat.count; ++i)
      MLOPT_TRY(runSegment(run, plan->repeat.body));
    return NULL;
  }
  MLOPT_TRY(readFlag(run, step, &plan->switch_on.flag, &value));
  uint32_t last = plan->switch_on.case_count - 1;
  uint32_t chosen = value < 0 || value > last ? last : (uint32_t)value;
  return runSegment(run, plan->switch_on.cases[chosen]);
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

static MloptStatus *launchGraph(const Run *run, uint32_t number) {
  MloptInstance *instance = run->instance;
  MloptDevice *device = instance->program->device;
  CUgraphExec *exec = &run->binding->execs[number];
  if (__builtin_expect(!*exec, 0))
    MLOPT_TRY(mloptPrepareGraph(instance, run->binding, number));
  ++instance->statistics.graph_launches;
  CuResult error = device->cuda.graphLaunch(*exec, run->stream);
  if (__builtin_expect(error, 0)) {
    const MloptPiece *piece = &instance->pieces[number];
    char text[MLOPT_STEP_TEXT];
    return mloptCreateCudaStatus(
        device, error, "cuGraphLaunch", "a graph of %u steps from %s on",
        piece->count,
        mloptDescribeStep(instance, &instance->steps[piece->first], text));
  }
  return NULL;
}

static MloptStatus *runSegment(const Run *run, uint32_t segment) {
  MloptInstance *instance = run->instance;
  uint32_t end = instance->segment_pieces[segment + 1];
  for (uint32_t i = instance->segment_pieces[segment]; i < end; ++i) {
    const MloptPiece *piece = &instance->pieces[i];
    MloptStep *steps = &instance->steps[piece->first];
    if (piece->control) {
      MLOPT_TRY(runControl(run, steps));
    } else if (piece->count > 1 && !run->one_by_one) {
      MLOPT_TRY(launchGraph(run, i));
    } else {
      for (uint32_t j = 0; j < piece->count; ++j)
        MLOPT_TRY(runStep(run, &steps[j]));
    }
  }
  return NULL;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// Whether the caller captures the stream; a failure if that cannot be done.
static MloptStatus *checkCapture(const Run *run, bool *out_capturing) {
  MloptInstance *instance = run->instance;
  MloptDevice *device = instance->program->device;
  const char *name = instance->entry->info.name;
  CuStreamCaptureStatus capture = MLOPT_CU_STREAM_CAPTURE_STATUS_NONE;
  CuResult error = device->cuda.streamIsCapturing(run->stream, &capture);
  *out_capturing = capture == MLOPT_CU_STREAM_CAPTURE_STATUS_ACTIVE;
  if (error)
    return mloptCreateCudaStatus(device, error, "cuStreamIsCapturing",
                                 "entry %.128s on this stream", name);
  if (!*out_capturing)
    return NULL;
  if (instance->entry->info.has_control_flow)
    return mloptCreateStatus(
        MLOPT_INVALID_ARGUMENT,
        "entry %.128s has a loop or switch that the host turns, so it cannot "
        "be captured; run it outside of the capture",
        name);
  if (instance->mode == MLOPT_LAUNCH_CHECKED)
    return mloptCreateStatus(MLOPT_INVALID_ARGUMENT,
                             "entry %.128s: checked mode waits for each step, "
                             "which cannot be captured; use another mode",
                             name);
  return NULL;
}

static MloptStatus *runBound(MloptInstance *instance, CUstream stream) {
  Run run = {instance, instance->current, stream,
             instance->mode != MLOPT_LAUNCH_GRAPH};
  bool capturing = false;
  if (instance->has_graphs || instance->entry->info.has_control_flow ||
      instance->mode == MLOPT_LAUNCH_CHECKED)
    MLOPT_TRY(checkCapture(&run, &capturing));
  run.one_by_one |= capturing;
  MLOPT_TRY(runSegment(&run, 0));
  ++instance->statistics.runs;
  instance->statistics.captured_runs += capturing;
  return NULL;
}

MloptStatus *mloptRunInstance(MloptInstance *instance, void *stream) {
  MloptDevice *device = instance->program->device;
  bool pushed;
  MLOPT_TRY(mloptEnterDevice(device, &pushed));
  MloptStatus *status = instance->rebound ? mloptChooseBinding(instance) : NULL;
  if (!status)
    status = runBound(instance, stream);
  mloptLeaveDevice(device, pushed);
  return status;
}
