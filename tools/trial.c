//===- trial.c - One program, run and judged ------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "trial.h"

#include "bench.h"
#include "npz.h"
#include "random.h"
#include "run.h"

#include <inttypes.h>
#include <stdlib.h>

/// One run: what it was asked, what was compiled, and the tensors.
typedef struct Run {
  const MloptTrial *options;
  FILE *out;
  MloptRunner runner;
  MloptTensor *inputs;
  MloptTensor *outputs;
  int numCompared;
  int numWrong;
} Run;

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// Inputs that the entry's source functions do not give.
static int numFreeInputs(const MloptEntry *entry) {
  int count = entry->numInputs;
  for (int s = 0; s < entry->numSources; ++s)
    count -= entry->sources[s].numOutputs;
  return count;
}

/// Reads PREFIX0, PREFIX1, ... of a file, which must hold just as many.
static bool readNumbered(const char *path, const char *prefix, int count,
                         const char *what, MloptTensor *tensors,
                         MloptError *error) {
  MloptNpz *npz = mloptNpzOpen(path, error);
  if (!npz)
    return false;
  bool good = true;
  for (int i = 0; good && i < count; ++i) {
    char name[32];
    snprintf(name, sizeof name, "%s%d", prefix, i);
    good = mloptNpzRead(npz, name, &tensors[i], error);
  }
  int found = mloptNpzCountNumbered(npz, prefix);
  if (good && found != count)
    good = mloptSetError(error,
                         "%s holds %d %ss (%s0 to %s%d), the entry has "
                         "%d",
                         path, found, what, prefix, prefix, found - 1, count);
  mloptNpzClose(npz);
  return good;
}

static bool makeInputs(Run *run, MloptError *error) {
  const MloptEntry *entry = &run->runner.entry;
  int numFree = numFreeInputs(entry);
  if (run->options->inputs) {
    if (!readNumbered(run->options->inputs, "in", numFree, "input", run->inputs,
                      error))
      return false;
  } else {
    for (int i = 0; i < numFree; ++i) {
      if (!mloptTensorAllocate(&run->inputs[i], error))
        return false;
      mloptFillRandom(&run->inputs[i], run->options->seed, i);
    }
  }
  return mloptRunSources(&run->runner, run->inputs, error);
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

static void compare(Run *run, const char *name, const MloptTensor *actual,
                    const MloptTensor *expected, MloptRule rule) {
  MloptComparison c = mloptCompare(actual, expected, rule);
  mloptPrintComparison(run->out, name, actual, expected, rule, &c);
  fputc('\n', run->out);
  ++run->numCompared;
  run->numWrong += c.numWrong != 0;
}

/// The outputs against tensors of their types, by the rule for references.
static void compareOutputs(Run *run, const char *prefix,
                           const MloptTensor *expected, double tolerance) {
  for (int i = 0; i < run->runner.entry.numOutputs; ++i) {
    char name[64];
    snprintf(name, sizeof name, "%s%d", prefix, i);
    MloptElement element = run->outputs[i].element;
    double bound = tolerance < 0 ? mloptElementInfo(element)->bound : tolerance;
    compare(run, name, &run->outputs[i], &expected[i],
            (MloptRule){MLOPT_RULE_RELATIVE, 0, bound});
  }
}

static bool compareWithFile(Run *run, MloptError *error) {
  const MloptEntry *entry = &run->runner.entry;
  MloptTensor *expected = mloptTensorsCreate(entry->numOutputs, entry->outputs);
  bool good = readNumbered(run->options->expect, "out", entry->numOutputs,
                           "output", expected, error);
  if (good)
    compareOutputs(run, "out", expected, run->options->tolerance);
  mloptTensorsDestroy(entry->numOutputs, expected);
  return good;
}

static bool compareWithOracle(Run *run, MloptError *error) {
  const MloptEntry *entry = &run->runner.entry;
  MloptTensor *expected = mloptTensorsCreate(entry->numOutputs, entry->outputs);
  bool good = mloptRunOracle(&run->runner, run->inputs, expected, error);
  if (good)
    compareOutputs(run, "oracle out", expected, -1);
  mloptTensorsDestroy(entry->numOutputs, expected);
  return good;
}

static void compareOwnChecks(Run *run) {
  const MloptEntry *entry = &run->runner.entry;
  for (int i = 0; i < entry->numChecks; ++i) {
    char name[64];
    snprintf(name, sizeof name, "check%d", i);
    compare(run, name, &run->outputs[entry->checks[i].actual],
            &run->outputs[entry->checks[i].expected], entry->checks[i].rule);
  }
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

static bool writeOutputs(const Run *run, MloptError *error) {
  enum { NAME = 32 };
  int count = run->runner.entry.numOutputs;
  if (!count)
    return mloptSetError(error, "the entry has no outputs to write to %s",
                         run->options->outputs);
  char *text = malloc((size_t)count * NAME);
  const char **names = malloc((size_t)count * sizeof *names);
  bool good = text && names;
  for (int i = 0; good && i < count; ++i) {
    snprintf(text + i * NAME, NAME, "out%d", i);
    names[i] = text + i * NAME;
  }
  good = good && mloptNpzWrite(run->options->outputs, count, names,
                               run->outputs, error);
  free(names);
  free(text);
  return good;
}

static void printOutputs(const Run *run) {
  for (int i = 0; i < run->runner.entry.numOutputs; ++i) {
    char type[256];
    fprintf(run->out, "out%d %s: ", i,
            mloptTensorTypeText(&run->outputs[i], type, sizeof type));
    mloptTensorPrint(&run->outputs[i], run->out);
    fputc('\n', run->out);
  }
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// Says where and how long; with `explain`, what took the time.
static void printHeader(const Run *run, double seconds) {
  const MloptRunner *runner = &run->runner;
  fprintf(run->out, "@%s on ", runner->entry.name);
  if (runner->device)
    fprintf(run->out, "cuda (%s)", mloptGetDeviceName(runner->device));
  else
    fprintf(run->out, "cpu");
  fprintf(run->out, ": compiled in %.1f ms, ran in %.3f ms\n",
          mloptSumTimes(&runner->times) * 1e3, seconds * 1e3);
  if (run->options->runner.explain)
    mloptPrintTimes(run->out, &runner->times);
}

/// Compares an output with what it was the first time, bit by bit.
static bool isSame(Run *run, uint64_t turn, int output,
                   const MloptTensor *again) {
  const MloptTensor *first = &run->outputs[output];
  if (!memcmp(first->data, again->data, mloptTensorBytes(first)))
    return true;
  int64_t at = 0;
  while (mloptTensorGetBits(first, at) == mloptTensorGetBits(again, at))
    ++at;
  char index[256], before[64], after[64];
  fprintf(run->out,
          "run %" PRIu64 ": out%d WRONG at %s: %s, but %s the first time\n",
          turn, output, mloptTensorIndexText(first, at, index, sizeof index),
          mloptTensorValueText(again, at, after, sizeof after),
          mloptTensorValueText(first, at, before, sizeof before));
  return false;
}

/// Runs again on the same inputs; each run must give the same bits.
static bool repeat(Run *run, MloptError *error) {
  const MloptEntry *entry = &run->runner.entry;
  MloptTensor *again = mloptTensorsCreate(entry->numOutputs, entry->outputs);
  bool good = again || mloptSetError(error, "no memory for a second run");
  bool same = true;
  for (uint64_t turn = 2; good && same && turn <= run->options->repeat;
       ++turn) {
    double seconds;
    good = mloptRunEntry(&run->runner, run->inputs, again, &seconds, error);
    for (int i = 0; good && i < entry->numOutputs; ++i)
      same &= isSame(run, turn, i, &again[i]);
  }
  mloptTensorsDestroy(entry->numOutputs, again);
  if (good && same)
    fprintf(run->out, "repeat: right, %" PRIu64 " runs gave the same bits\n",
            run->options->repeat);
  ++run->numCompared;
  run->numWrong += !same;
  return good;
}

/// Calls the entry, compares, writes, prints.
static bool callAndCheck(Run *run, MloptError *error) {
  const MloptTrial *options = run->options;
  double seconds;
  if (!makeInputs(run, error) ||
      !mloptRunEntry(&run->runner, run->inputs, run->outputs, &seconds, error))
    return false;
  printHeader(run, seconds);
  if (options->outputs && !writeOutputs(run, error))
    return false;
  compareOwnChecks(run);
  if (options->expect && !compareWithFile(run, error))
    return false;
  if (options->runner.withOracle && !compareWithOracle(run, error))
    return false;
  bool compared = run->numCompared;
  if (options->repeat > 1 && !repeat(run, error))
    return false;
  if (!compared && !options->bench)
    printOutputs(run);
  if (run->numWrong)
    fprintf(run->out, "WRONG: %d of %d comparisons\n", run->numWrong,
            run->numCompared);
  else if (run->numCompared)
    fprintf(run->out, "right: %d of %d comparisons\n", run->numCompared,
            run->numCompared);
  if (options->bench && !run->numWrong)
    return mloptBench(&run->runner, options->runner.program, run->inputs,
                      run->out, error);
  return true;
}

MloptVerdict mloptRunTrial(const MloptTrial *options, MloptMachine *machine,
                           FILE *out, MloptError *error) {
  Run run = {.options = options, .out = out};
  if (!mloptRunnerCreate(&options->runner, machine, &run.runner, error))
    return error->unsupported ? MLOPT_VERDICT_UNSUPPORTED : MLOPT_VERDICT_ERROR;
  const MloptEntry *entry = &run.runner.entry;
  run.inputs = mloptTensorsCreate(entry->numInputs, entry->inputs);
  run.outputs = mloptTensorsCreate(entry->numOutputs, entry->outputs);
  MloptVerdict verdict = MLOPT_VERDICT_ERROR;
  if (!run.inputs || !run.outputs)
    mloptSetError(error, "no memory for a run");
  else if (callAndCheck(&run, error))
    verdict = run.numWrong      ? MLOPT_VERDICT_WRONG
              : run.numCompared ? MLOPT_VERDICT_RIGHT
                                : MLOPT_VERDICT_UNJUDGED;
  mloptTensorsDestroy(entry->numOutputs, run.outputs);
  mloptTensorsDestroy(entry->numInputs, run.inputs);
  mloptRunnerDestroy(&run.runner);
  return verdict;
}
