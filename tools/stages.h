//===- stages.h - Taking a program through its stages -------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the stages that passes.h lists, measures each, and writes the program
// after each where that is asked for.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_TOOLS_STAGES_H
#define MLOPT_TOOLS_STAGES_H

#include "passes.h"
#include "session.h"

/// What each step took, in order.
typedef struct MloptTimes {
  int count;
  struct {
    const char *step; ///< borrowed; a literal
    double seconds;
  } rows[16];
} MloptTimes;

/// Seconds since some moment.
double mloptNow(void);
/// Appends a step that began at `start` and ends now; returns now.
double mloptAddTime(MloptTimes *, const char *step, double start);
double mloptSumTimes(const MloptTimes *);
/// One line for each step, and one for the sum.
void mloptPrintTimes(FILE *, const MloptTimes *);

typedef struct MloptStaging {
  MloptStageOptions options;
  const char *dump; ///< a folder for the program after each stage, or NULL
  MloptTimes *times;
  FILE *ledger; ///< takes in words what was fused and why not, or NULL
} MloptStaging;

/// Makes the folder, and writes the program as it was read.
bool mloptBeginStaging(const MloptStaging *, MloptSession *, MloptError *);
/// Runs the stages of a device from `first` to `last`. Fails after diagnostics
/// or a message.
bool mloptRunStages(const MloptStaging *, MloptSession *, const MloptStage *,
                    MloptStage first, MloptStage last, MloptError *);

#endif // MLOPT_TOOLS_STAGES_H
