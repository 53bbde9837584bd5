//===- bench.c - How fast a program runs ----------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bench.h"

#include "timer.h"
#include "version.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/// Seconds for each regime, and the bytes of inputs that runs go round in, so
/// that sustained ones find nothing useful in the L2.
static const double regimeSeconds = 1;
static const uint64_t rotatedBytes = UINT64_C(1) << 28;
enum { MAX_SETS = 32, WARM_RUNS = 3 };

/// A program on a GPU with several sets of its tensors.
typedef struct Bench {
  const MloptEntryInfo *info;
  MloptInstance *instance;
  uint64_t sets;
  CUdeviceptr block;  ///< all sets, one after the other
  uint64_t *pointers; ///< of each set: arguments, then results
  uint64_t movedBytes;
  CUdeviceptr copied; ///< for the copy: read from, then written to
} Bench;

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static uint64_t align(uint64_t bytes) { return (bytes + 255) / 256 * 256; }

static const MloptTensorInfo *tensorInfo(const MloptEntryInfo *info,
                                         uint32_t i) {
  return i < info->argument_count ? &info->arguments[i]
                                  : &info->results[i - info->argument_count];
}

/// Fewer than one non-zero byte in eight.
static bool isMostlyZero(const MloptTensor *t) {
  const uint8_t *bytes = t->data;
  size_t size = mloptTensorBytes(t), set = 0;
  for (size_t i = 0; i < size; ++i)
    set += bytes[i] != 0;
  return size >= 4096 && set < size / 8;
}

static bool refuseZeros(const MloptEntry *entry, const MloptTensor *inputs,
                        MloptError *error) {
  for (int i = 0; i < entry->numInputs; ++i)
    if (isMostlyZero(&inputs[i]))
      return mloptSetError(error,
                           "--bench: input %d is mostly zeros, on which a GPU "
                           "runs faster than on data",
                           i);
  return true;
}

/// Lays out the sets and fills their arguments.
static bool fillSets(Bench *bench, MloptTimer *timer, const MloptTensor *inputs,
                     MloptError *error) {
  const MloptEntryInfo *info = bench->info;
  uint32_t count = info->argument_count + info->result_count;
  CUdeviceptr at = bench->block;
  for (uint64_t set = 0; set < bench->sets; ++set)
    for (uint32_t i = 0; i < count; ++i) {
      uint64_t bytes = tensorInfo(info, i)->byte_size;
      uint64_t *pointer = &bench->pointers[set * count + i];
      *pointer = at;
      at += align(bytes);
      if (i >= info->argument_count || !bytes)
        continue;
      MloptCuda *cuda = &timer->device->cuda;
      bool good =
          set ? mloptTakeCuda(timer,
                              cuda->memcpyDtoDAsync(*pointer,
                                                    bench->pointers[i], bytes,
                                                    timer->stream),
                              "cuMemcpyDtoDAsync", error)
              : mloptTakeCuda(timer,
                              cuda->memcpyHtoDAsync(*pointer, inputs[i].data,
                                                    bytes, timer->stream),
                              "cuMemcpyHtoDAsync", error);
      if (!good)
        return false;
    }
  return mloptTimerWait(timer, error);
}

static bool createSets(Bench *bench, MloptTimer *timer,
                       const MloptTensor *inputs, MloptError *error) {
  const MloptEntryInfo *info = bench->info;
  uint32_t count = info->argument_count + info->result_count;
  uint64_t taken = 0, each = 0;
  for (uint32_t i = 0; i < count; ++i) {
    uint64_t bytes = tensorInfo(info, i)->byte_size;
    bench->movedBytes += bytes;
    taken += i < info->argument_count ? bytes : 0;
    each += align(bytes);
  }
  bench->sets = rotatedBytes / (taken ? taken : 1) + 1;
  bench->sets = bench->sets > MAX_SETS ? MAX_SETS : bench->sets;
  bench->pointers = calloc(bench->sets * count + 1, sizeof(uint64_t));
  return (bench->pointers || mloptSetError(error, "no memory to time")) &&
         mloptTakeStatus(mloptAllocateDevice(timer->device, bench->sets * each,
                                             "the tensors", &bench->block),
                         NULL, error) &&
         mloptTakeStatus(mloptAllocateDevice(timer->device,
                                             align(bench->movedBytes) + 256,
                                             "the copy", &bench->copied),
                         NULL, error) &&
         fillSets(bench, timer, inputs, error);
}

//===----------------------------------------------------------------------===//
// What is timed
//===----------------------------------------------------------------------===//

static bool runProgram(MloptTimer *timer, void *data, uint64_t run,
                       MloptError *error) {
  Bench *bench = data;
  uint32_t count = bench->info->argument_count + bench->info->result_count;
  uint64_t *set = &bench->pointers[run % bench->sets * count];
  MloptStatus *status = mloptBindPointers(bench->instance, set,
                                          set + bench->info->argument_count);
  if (!status)
    status = mloptRunInstance(bench->instance, timer->stream);
  return !status || mloptTakeStatus(status, NULL, error);
}

/// Half of the bytes are read, half written.
static bool runCopy(MloptTimer *timer, void *data, uint64_t run,
                    MloptError *error) {
  Bench *bench = data;
  uint64_t half = bench->movedBytes / 2;
  return mloptTakeCuda(timer,
                       timer->device->cuda.memcpyDtoDAsync(
                           bench->copied + align(half), bench->copied,
                           half ? half : 1, timer->stream),
                       "cuMemcpyDtoDAsync", error);
}

//===----------------------------------------------------------------------===//
// The report
//===----------------------------------------------------------------------===//

static void printTime(FILE *out, double ms) {
  fprintf(out, ms < 1 ? "%.2f us" : "%.3f ms", ms < 1 ? ms * 1e3 : ms);
}

/// What is done in a millisecond, in the unit that suits the program.
static double rateOf(const MloptRunner *runner, const Bench *bench, double ms) {
  return runner->flops > 0 ? runner->flops / ms * 1e-9
                           : (double)bench->movedBytes / ms * 1e-6;
}

static void printWords(const MloptRunner *runner, const Bench *bench,
                       const MloptContender *ours, const MloptContender *copy,
                       FILE *out) {
  const char *unit = runner->flops > 0 ? "TFLOP/s" : "GB/s";
  fprintf(out, "burst ");
  printTime(out, ours->ms);
  fprintf(out, ", %.5g %s; sustained ", rateOf(runner, bench, ours->ms), unit);
  printTime(out, ours->sustainedMs);
  fprintf(out, ", %.5g %s; %u kernels\n",
          rateOf(runner, bench, ours->sustainedMs), unit,
          bench->info->launch_count);
  fprintf(out, "a copy of as many bytes, %llu: ",
          (unsigned long long)bench->movedBytes);
  printTime(out, copy->ms);
  fprintf(out, ", %.3f of the program's time\n", copy->ms / ours->ms);
}

static void printString(FILE *out, const char *text) {
  fputc('"', out);
  for (; *text; ++text) {
    if (*text == '"' || *text == '\\')
      fputc('\\', out);
    if ((unsigned char)*text >= ' ')
      fputc(*text, out);
  }
  fputc('"', out);
}

static void printJson(const MloptRunner *runner, const Bench *bench,
                      const char *program, const MloptContender *ours,
                      const MloptContender *copy, FILE *out) {
  char date[32];
  time_t now = time(NULL);
  struct tm parts;
  strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S+00:00",
           gmtime_r(&now, &parts));
  const char *rate = runner->flops > 0 ? "tflops" : "gbps";
  fprintf(out, "{\"date\": \"%s\", \"version\": \"%s\", \"commit\": ", date,
          MLOPT_VERSION);
  if (*mloptCommit)
    printString(out, mloptCommit);
  else
    fputs("null", out);
  fputs(", \"machine\": {\"gpu\": ", out);
  printString(out, mloptGetDeviceName(runner->device));
  fprintf(out, ", \"cuda\": \"%d.%d\"}, \"case\": ",
          runner->device->driver_version / 1000,
          runner->device->driver_version % 1000 / 10);
  printString(out, program);
  fprintf(out,
          ", \"kind\": \"bench\", \"ours\": {\"kernels\": %u, \"ms\": %.5g, "
          "\"ms_quartiles\": [%.5g, %.5g], \"repetitions\": %d, "
          "\"sustained_ms\": %.5g, \"%s\": %.5g}, \"peers\": {}, ",
          bench->info->launch_count, ours->ms, ours->quartiles[0],
          ours->quartiles[1], ours->repetitions, ours->sustainedMs, rate,
          rateOf(runner, bench, ours->ms));
  if (runner->flops > 0)
    fprintf(out, "\"flops\": %.17g, ", runner->flops);
  fprintf(out,
          "\"inputs\": {\"sets\": %llu}, \"moved_bytes\": %llu, \"ceiling\": "
          "{\"what\": \"copy of as many bytes\", \"ms\": %.5g}, \"%s\": %.5g, "
          "\"of_ceiling\": %.5g}\n",
          (unsigned long long)bench->sets,
          (unsigned long long)bench->movedBytes, copy->ms, rate,
          rateOf(runner, bench, ours->ms), copy->ms / ours->ms);
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

static bool measure(Bench *bench, MloptTimer *timer, MloptContender both[2],
                    MloptError *error) {
  both[0] = (MloptContender){.run = runProgram, .data = bench};
  both[1] = (MloptContender){.run = runCopy, .data = bench};
  return mloptTimerWarm(timer, &both[0], WARM_RUNS * bench->sets, error) &&
         mloptTimerWarm(timer, &both[1], WARM_RUNS, error) &&
         mloptTimeBurst(timer, 2, both, regimeSeconds, error) &&
         mloptTimeSustained(timer, &both[0], regimeSeconds, error);
}

bool mloptBench(const MloptRunner *runner, const char *program,
                const MloptTensor *inputs, FILE *out, MloptError *error) {
  if (!runner->device)
    return mloptSetError(error, "--bench times programs on a GPU");
  if (!refuseZeros(&runner->entry, inputs, error))
    return false;
  MloptTimer timer;
  if (!mloptTimerCreate(&timer, runner->device, error))
    return false;
  uint32_t entry = mloptFindEntry(runner->artifact, runner->entry.name);
  Bench bench = {.info = mloptGetEntry(runner->artifact, entry)};
  MloptContender both[2];
  MloptInstanceOptions options = {.remembered_bindings = MAX_SETS};
  bool good =
      mloptTakeStatus(mloptCreateInstance(mloptGpuProgram(runner->gpu), entry,
                                          &options, &bench.instance),
                      NULL, error) &&
      createSets(&bench, &timer, inputs, error) &&
      measure(&bench, &timer, both, error);
  if (good) {
    printWords(runner, &bench, &both[0], &both[1], out);
    printJson(runner, &bench, program, &both[0], &both[1], out);
  }
  mloptReleaseInstance(bench.instance);
  mloptFreeDevice(timer.device, bench.copied);
  mloptFreeDevice(timer.device, bench.block);
  free(bench.pointers);
  mloptTimerDestroy(&timer);
  return good;
}
