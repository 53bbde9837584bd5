//===- mlopt-run.c - Run a program and check its numbers ------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a program of any level up to linalg, compiles it in this process, gives
// it inputs from a file or from a seed, and compares what comes out with a
// file, with the program's own checks, or with the oracle.
//
//===----------------------------------------------------------------------===//

#include "npz.h"
#include "options.h"
#include "random.h"
#include "run.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>

typedef enum Device { DEVICE_AUTO, DEVICE_CPU, DEVICE_CUDA } Device;

typedef struct Options {
  const char *program;
  const char *entry;
  int device;
  const char *inputs;
  const char *expect;
  const char *outputs;
  uint64_t seed;
  double tolerance; ///< negative: the type's own bound
  bool oracle;
  const char *dump;
} Options;

/// One run: what it was asked, what was compiled, and the tensors.
typedef struct Run {
  const Options *options;
  MloptRunner runner;
  MloptTensor *inputs;
  MloptTensor *outputs;
  int numCompared;
  int numWrong;
} Run;

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

/// Fails unless the driver is there and sees a GPU.
static bool findGpu(MloptError *error) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver)
    return mloptSetError(error, "--device=cuda: this machine has no NVIDIA "
                                "driver (libcuda.so.1)");
  int (*init)(unsigned), (*count)(int *), devices = 0;
  *(void **)&init = dlsym(driver, "cuInit");
  *(void **)&count = dlsym(driver, "cuDeviceGetCount");
  if (!init || !count || init(0) != 0 || count(&devices) != 0 || !devices)
    return mloptSetError(error, "--device=cuda: the NVIDIA driver finds no "
                                "usable GPU on this machine");
  return true;
}

static bool checkDevice(Device device, MloptError *error) {
  if (device != DEVICE_CUDA)
    return true;
  return findGpu(error) &&
         mloptSetError(error, "--device=cuda: this version of mlopt-run runs "
                              "programs on the CPU only");
}

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
  mloptPrintComparison(stdout, name, actual, expected, rule, &c);
  putchar('\n');
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
  double seconds;
  bool good = mloptRunEntry(&run->runner, run->runner.oracle, run->inputs,
                            expected, &seconds, error);
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
    printf("out%d %s: ", i,
           mloptTensorTypeText(&run->outputs[i], type, sizeof type));
    mloptTensorPrint(&run->outputs[i], stdout);
    putchar('\n');
  }
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

/// Calls the entry, compares, writes, prints.
static bool callAndCheck(Run *run, MloptError *error) {
  const Options *options = run->options;
  double seconds;
  if (!makeInputs(run, error) ||
      !mloptRunEntry(&run->runner, run->runner.jit, run->inputs, run->outputs,
                     &seconds, error))
    return false;
  printf("@%s on cpu: compiled in %.1f ms, ran in %.3f ms\n",
         run->runner.entry.name, run->runner.compileSeconds * 1e3,
         seconds * 1e3);
  if (options->outputs && !writeOutputs(run, error))
    return false;
  compareOwnChecks(run);
  if (options->expect && !compareWithFile(run, error))
    return false;
  if (options->oracle && !compareWithOracle(run, error))
    return false;
  if (!run->numCompared)
    printOutputs(run);
  else if (run->numWrong)
    printf("WRONG: %d of %d comparisons\n", run->numWrong, run->numCompared);
  else
    printf("right: %d of %d comparisons\n", run->numCompared, run->numCompared);
  return true;
}

static int runProgram(void *userData, MloptError *error) {
  const Options *options = userData;
  MloptSession session;
  if (!checkDevice((Device)options->device, error) ||
      !mloptSessionRead(options->program, &session))
    return MLOPT_EXIT_ERROR;
  Run run = {.options = options};
  int code = MLOPT_EXIT_ERROR;
  if (mloptRunnerCreate(&session, options->entry, options->oracle,
                        options->dump, &run.runner, error)) {
    const MloptEntry *entry = &run.runner.entry;
    run.inputs = mloptTensorsCreate(entry->numInputs, entry->inputs);
    run.outputs = mloptTensorsCreate(entry->numOutputs, entry->outputs);
    if (run.inputs && run.outputs && callAndCheck(&run, error))
      code = run.numWrong ? MLOPT_EXIT_WRONG : MLOPT_EXIT_RIGHT;
    mloptTensorsDestroy(entry->numOutputs, run.outputs);
    mloptTensorsDestroy(entry->numInputs, run.inputs);
    mloptRunnerDestroy(&run.runner);
  }
  if (code == MLOPT_EXIT_ERROR)
    mloptSessionExplain(&session, error);
  mloptSessionDestroy(&session);
  return code;
}

int main(int argc, char **argv) {
  Options options = {.entry = "main", .tolerance = -1};
  const MloptFlag flags[] = {
      {"--entry", MLOPT_FLAG_STRING, "NAME",
       "The function to run; \"main\" if not given.", &options.entry},
      {"--device", MLOPT_FLAG_CHOICE, "auto|cpu|cuda",
       "Where to run. auto, the default, takes the CPU in this version.",
       &options.device},
      {"--inputs", MLOPT_FLAG_STRING, "F.npz",
       "Read the arguments from arrays in0, in1, ... of this file. Without it "
       "they are random.",
       &options.inputs},
      {"--expect", MLOPT_FLAG_STRING, "F.npz",
       "Compare the results with arrays out0, out1, ... of this file: floats "
       "within a bound relative to the largest magnitude of the output (f32 "
       "1e-4, bf16 2e-2), integers and booleans exactly, NaN where NaN is.",
       &options.expect},
      {"--outputs", MLOPT_FLAG_STRING, "F.npz",
       "Write the results to this file, as out0, out1, ...", &options.outputs},
      {"--seed", MLOPT_FLAG_COUNT, "N",
       "The seed of random arguments; 0 if not given.", &options.seed},
      {"--tolerance", MLOPT_FLAG_NUMBER, "R",
       "The bound of --expect for floats, in place of the type's.",
       &options.tolerance},
      {"--oracle", MLOPT_FLAG_SWITCH, NULL,
       "Also run with f64 accumulators in reductions, scans and contractions, "
       "and compare the results with that run's, within the type's bound.",
       &options.oracle},
      {"--dump", MLOPT_FLAG_STRING, "DIR",
       "Write the program as read and after each stage to DIR/NN-STAGE.mlir.",
       &options.dump},
  };
  const MloptCommand command = {
      .tool = "mlopt-run",
      .operand = "PROGRAM.mlir",
      .summary =
          "Compiles a tensor program (StableHLO, the mlopt dialect, linalg on "
          "tensors; text or bytecode; - for standard input), runs it, and "
          "prints its results or compares them. A program that carries its own "
          "checks (check.expect_* of StableHLO's tests) is checked without "
          "options.",
      .flags = flags,
      .numFlags = MLOPT_COUNT(flags),
      .notes = "Exit code: 0 all right; 1 a wrong number; 2 an error in the "
               "program, the\ninput or the machine.\n\n"
               "  mlopt-run softmax.mlir --seed=3\n"
               "  mlopt-run softmax.mlir --inputs=s.npz --expect=s.npz\n"
               "  mlopt-run softmax.mlir --oracle --dump=stages\n",
  };
  return mloptToolMain(&command, argc, argv, &options.program, runProgram,
                       &options);
}
