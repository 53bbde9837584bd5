//===- trial.h - One program, run and judged ----------------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives a program inputs from a file or from a seed, runs it, and compares what
// comes out with a file, with the program's own checks, with the oracle, or
// with what came out before.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_TOOLS_TRIAL_H
#define MLOPT_TOOLS_TRIAL_H

#include "run.h"

typedef struct MloptTrial {
  MloptRunnerOptions runner;
  const char *inputs;  ///< a file of arrays, or NULL: random
  const char *expect;  ///< likewise, or NULL
  const char *outputs; ///< a file to write, or NULL
  uint64_t seed;
  double tolerance; ///< negative: the type's own bound
  uint64_t repeat;  ///< runs; each must give the same bits
  bool bench;       ///< then it is timed, if nothing was wrong
} MloptTrial;

typedef enum MloptVerdict {
  MLOPT_VERDICT_RIGHT,
  MLOPT_VERDICT_WRONG,
  MLOPT_VERDICT_UNJUDGED,    ///< it ran; there was nothing to compare
  MLOPT_VERDICT_UNSUPPORTED, ///< not made for this GPU; a message says so
  MLOPT_VERDICT_ERROR        ///< after a message or diagnostics
} MloptVerdict;

/// Prints the comparisons, or the results if there are none, to `out`.
MloptVerdict mloptRunTrial(const MloptTrial *, MloptMachine *, FILE *out,
                           MloptError *);

#endif // MLOPT_TOOLS_TRIAL_H
