//===- mlopt-run.c - Run programs and check their numbers -----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One program is run with everything it prints. Several share the GPU and the
// compiler, and each gets a line: so a list of hundreds takes as long as their
// kernels do.
//
//===----------------------------------------------------------------------===//

#include "options.h"
#include "trial.h"

#include <errno.h>
#include <stdlib.h>

typedef struct Options {
  MloptTrial trial;
  int device;
  const char *list;
  bool show;
} Options;

/// The command line, and what it asks for.
typedef struct Tool {
  const MloptCommand *command;
  const char **programs; ///< NULL after the last
  Options options;       ///< the flags write here
  MloptMachine machine;
  int numPassed, numFailed, numSkipped;
} Tool;

//===----------------------------------------------------------------------===//
// One program
//===----------------------------------------------------------------------===//

static MloptTrial trialOf(const Options *options, const char *program) {
  MloptTrial trial = options->trial;
  trial.runner.program = program;
  trial.runner.withFlops = trial.bench;
  trial.runner.device = (MloptDeviceKind)options->device;
  return trial;
}

static int showOne(Tool *tool, MloptError *error) {
  MloptTrial trial = trialOf(&tool->options, tool->programs[0]);
  char *text;
  if (!mloptShowProgram(&trial.runner, &tool->machine, &text, error))
    return MLOPT_EXIT_ERROR;
  fputs(text, stdout);
  mloptReleaseText(text);
  return MLOPT_EXIT_RIGHT;
}

static int runOne(Tool *tool, MloptError *error) {
  MloptTrial trial = trialOf(&tool->options, tool->programs[0]);
  switch (mloptRunTrial(&trial, &tool->machine, stdout, error)) {
  case MLOPT_VERDICT_RIGHT:
  case MLOPT_VERDICT_UNJUDGED:
    return MLOPT_EXIT_RIGHT;
  case MLOPT_VERDICT_WRONG:
    return MLOPT_EXIT_WRONG;
  case MLOPT_VERDICT_UNSUPPORTED:
  case MLOPT_VERDICT_ERROR:
    break;
  }
  return MLOPT_EXIT_ERROR;
}

//===----------------------------------------------------------------------===//
// Several programs
//===----------------------------------------------------------------------===//

/// Those lines of a report that say what is wrong, set in.
static void printWrong(char *report) {
  char *rest = NULL;
  for (char *line = strtok_r(report, "\n", &rest); line;
       line = strtok_r(NULL, "\n", &rest))
    if (strstr(line, "WRONG"))
      printf("  %s\n", line);
}

/// Runs one of several; a line for it, and more if it failed.
static void runNext(Tool *tool, const Options *options, const char *program) {
  char *report = NULL;
  size_t size;
  FILE *out = open_memstream(&report, &size);
  MloptError error = {0};
  MloptTrial trial = trialOf(options, program);
  MloptVerdict verdict =
      out ? mloptRunTrial(&trial, &tool->machine, out, &error)
          : MLOPT_VERDICT_ERROR;
  if (out)
    fclose(out);
  switch (verdict) {
  case MLOPT_VERDICT_RIGHT:
    ++tool->numPassed;
    printf("passed %s\n", program);
    break;
  case MLOPT_VERDICT_UNJUDGED:
    ++tool->numSkipped;
    printf("skipped %s: it ran, and there is nothing to compare\n", program);
    break;
  case MLOPT_VERDICT_UNSUPPORTED:
    ++tool->numSkipped;
    printf("skipped %s: %s\n", program, error.text);
    break;
  case MLOPT_VERDICT_WRONG:
    ++tool->numFailed;
    printf("FAILED %s\n", program);
    printWrong(report);
    break;
  case MLOPT_VERDICT_ERROR:
    ++tool->numFailed;
    printf("FAILED %s: %s\n", program,
           error.text[0] ? error.text : "it does not compile");
    break;
  }
  fflush(stdout);
  free(report);
}

/// The GPU is found before the first program, so that a machine without one is
/// one error, not hundreds; and one that a program broke ends the run.
static bool checkGpu(Tool *tool, MloptError *error) {
  MloptDevice *gpu;
  if (!mloptMachineChoose(&tool->machine, (MloptDeviceKind)tool->options.device,
                          &gpu, error))
    return false;
  return !mloptMachineLostGpu(&tool->machine) ||
         mloptSetError(error, "the GPU is lost to this process; the programs "
                              "that follow were not run");
}

static bool runLine(Tool *tool, char *line, const Options *base,
                    MloptError *error) {
  line[strcspn(line, "\n")] = 0;
  if (!line[strspn(line, " \t")] || line[0] == '#')
    return true;
  const char *program;
  tool->options = *base;
  if (!mloptParseLine(tool->command, line, &program, error))
    return false;
  runNext(tool, &tool->options, program);
  return checkGpu(tool, error);
}

/// Each line is a program and the options for it.
static bool runList(Tool *tool, MloptError *error) {
  Options base = tool->options;
  bool isInput = !strcmp(base.list, "-");
  FILE *file = isInput ? stdin : fopen(base.list, "r");
  if (!file)
    return mloptSetError(error, "cannot read %s: %s", base.list,
                         strerror(errno));
  char *line = NULL;
  size_t capacity = 0;
  bool good = true;
  while (good && getline(&line, &capacity, file) >= 0)
    good = runLine(tool, line, &base, error);
  free(line);
  if (!isInput)
    fclose(file);
  tool->options = base;
  return good;
}

static int runAll(Tool *tool, MloptError *error) {
  bool good = checkGpu(tool, error);
  for (const char **p = tool->programs; good && *p; ++p) {
    runNext(tool, &tool->options, *p);
    good = checkGpu(tool, error);
  }
  if (good && tool->options.list)
    good = runList(tool, error);
  printf("%d passed, %d failed, %d skipped\n", tool->numPassed, tool->numFailed,
         tool->numSkipped);
  fflush(stdout);
  return !good             ? MLOPT_EXIT_ERROR
         : tool->numFailed ? MLOPT_EXIT_WRONG
                           : MLOPT_EXIT_RIGHT;
}

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

static int runTool(void *userData, MloptError *error) {
  Tool *tool = userData;
  const Options *options = &tool->options;
  bool several = options->list || (tool->programs[0] && tool->programs[1]);
  int code = MLOPT_EXIT_ERROR;
  if (!several && !tool->programs[0])
    mloptSetError(error, "no PROGRAM given; 'mlopt-run --help' explains");
  else if (several && (options->show || options->trial.outputs ||
                       options->trial.bench || options->trial.runner.dump))
    mloptSetError(error, "--show, --outputs, --bench and --dump are for one "
                         "program");
  else
    code = options->show ? showOne(tool, error)
           : several     ? runAll(tool, error)
                         : runOne(tool, error);
  mloptMachineDestroy(&tool->machine);
  return code;
}

static const char notes[] =
    "Exit code: 0 all right; 1 a wrong number; 2 an error in the program, the\n"
    "input or the machine. Of several programs, 1 if one failed.\n\n"
    "  mlopt-run softmax.mlir --seed=3\n"
    "  mlopt-run softmax.mlir --inputs=s.npz --expect=s.npz\n"
    "  mlopt-run softmax.mlopt --device=cuda --oracle --repeat=10\n"
    "  mlopt-run softmax.mlopt --device=cuda --expect=s.npz --bench\n"
    "  mlopt-run softmax.mlir --device=cpu --dump=stages\n"
    "  mlopt-run *.mlopt\n";

static const MloptFlag flags[] = {
    {"--entry", MLOPT_FLAG_STRING, "NAME",
     "The function to run; \"main\" if not given.",
     offsetof(Options, trial.runner.entry)},
    {"--device", MLOPT_FLAG_CHOICE, "auto|cpu|cuda",
     "Where to run. auto, the default, takes the GPU if the NVIDIA driver "
     "finds one, else the CPU.",
     offsetof(Options, device)},
    {"--inputs", MLOPT_FLAG_STRING, "F.npz",
     "Read the arguments from arrays in0, in1, ... of this file. Without it "
     "they are random.",
     offsetof(Options, trial.inputs)},
    {"--expect", MLOPT_FLAG_STRING, "F.npz",
     "Compare the results with arrays out0, out1, ... of this file: floats "
     "within a bound relative to the largest magnitude of the output (f32 "
     "1e-4, bf16 2e-2), integers and booleans exactly, NaN where NaN is.",
     offsetof(Options, trial.expect)},
    {"--outputs", MLOPT_FLAG_STRING, "F.npz",
     "Write the results to this file, as out0, out1, ...",
     offsetof(Options, trial.outputs)},
    {"--seed", MLOPT_FLAG_COUNT, "N",
     "The seed of random arguments; 0 if not given.",
     offsetof(Options, trial.seed)},
    {"--tolerance", MLOPT_FLAG_NUMBER, "R",
     "The bound of --expect for floats, in place of the type's.",
     offsetof(Options, trial.tolerance)},
    {"--oracle", MLOPT_FLAG_SWITCH, NULL,
     "Also run on the CPU with f64 accumulators in reductions, scans and "
     "contractions, and compare the results with that run's, within the "
     "type's bound.",
     offsetof(Options, trial.runner.withOracle)},
    {"--repeat", MLOPT_FLAG_COUNT, "N",
     "Run N times; every run must give the same bits.",
     offsetof(Options, trial.repeat)},
    {"--bench", MLOPT_FLAG_SWITCH, NULL,
     "Then time it on the GPU, if nothing was wrong: single runs with the L2 "
     "emptied before each and runs back to back, beside a copy of as many "
     "bytes. The last line is JSON, as test/bench/compare.py writes it, with "
     "the commit that this tool was built from.",
     offsetof(Options, trial.bench)},
    {"--list", MLOPT_FLAG_STRING, "FILE",
     "Run the programs of this file too, each on a line of its own with the "
     "options for it alone; lines that start with # are left out.",
     offsetof(Options, list)},
    {"--show", MLOPT_FLAG_SWITCH, NULL,
     "Print the program's signature, plan, kernels, memory and constants in "
     "words, as they are in its artifact, and run nothing.",
     offsetof(Options, show)},
    {"--explain", MLOPT_FLAG_SWITCH, NULL,
     "Print what became one kernel and why the rest did not (on a GPU), and "
     "how long each step of compiling and loading took.",
     offsetof(Options, trial.runner.explain)},
    {"--dump", MLOPT_FLAG_STRING, "DIR",
     "Write the program as read and after each stage to DIR/NN-STAGE.mlir, "
     "and for a GPU a picture of the kernels and what passes between them to "
     "DIR/fused.dot.",
     offsetof(Options, trial.runner.dump)},
};

int main(int argc, char **argv) {
  Tool tool = {.options.trial = {.runner.entry = "main", .tolerance = -1}};
  const MloptCommand command = {
      .tool = "mlopt-run",
      .operand = "PROGRAM...",
      .many = true,
      .summary =
          "Compiles a tensor program (StableHLO, the mlopt dialect, linalg on "
          "tensors; text or bytecode; - for standard input) or loads what "
          "mlopt-compile made of it (.mlopt), runs it, and prints its results "
          "or compares them. A program that carries its own checks "
          "(check.expect_* of StableHLO's tests) is checked without options. "
          "Of several programs each gets a line that says how it went.",
      .flags = flags,
      .numFlags = MLOPT_COUNT(flags),
      .notes = notes,
      .options = &tool.options,
  };
  tool.command = &command;
  tool.programs = calloc((size_t)argc + 1, sizeof *tool.programs);
  if (!tool.programs)
    return MLOPT_EXIT_ERROR;
  int code = mloptToolMain(&command, argc, argv, tool.programs, runTool, &tool);
  free(tool.programs);
  return code;
}
