//===- stages.c - Taking a program through its stages ---------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "stages.h"

#include <time.h>

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

double mloptNow(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double mloptAddTime(MloptTimes *times, const char *step, double start) {
  double end = mloptNow();
  if (times->count < MLOPT_COUNT(times->rows)) {
    times->rows[times->count].step = step;
    times->rows[times->count++].seconds = end - start;
  }
  return end;
}

double mloptSumTimes(const MloptTimes *times) {
  double sum = 0;
  for (int i = 0; i < times->count; ++i)
    sum += times->rows[i].seconds;
  return sum;
}

void mloptPrintTimes(FILE *file, const MloptTimes *times) {
  for (int i = 0; i < times->count; ++i)
    fprintf(file, "%-10s %9.1f ms\n", times->rows[i].step,
            times->rows[i].seconds * 1e3);
  fprintf(file, "%-10s %9.1f ms\n", "total", mloptSumTimes(times) * 1e3);
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// Writes "DIR/NN-name.mlir"; nothing without a folder.
static bool dumpProgram(const MloptStaging *staging, MloptSession *session,
                        int number, const char *name, MloptError *error) {
  if (!staging->dump)
    return true;
  char path[4096];
  snprintf(path, sizeof path, "%s/%02d-%s.mlir", staging->dump, number, name);
  return mloptSessionWrite(session, path, error);
}

static void writePicture(FILE *file, void *userData) {
  mloptWriteLedgerGraph(((MloptSession *)userData)->module, file);
}

/// What fusion decided: in words, and as a picture beside the program.
static bool explainFusion(const MloptStaging *staging, MloptSession *session,
                          MloptError *error) {
  if (staging->ledger)
    mloptWriteLedger(session->module, staging->ledger);
  if (!staging->dump)
    return true;
  char path[4096];
  snprintf(path, sizeof path, "%s/fused.dot", staging->dump);
  return mloptWriteFile(path, writePicture, session, error);
}

bool mloptBeginStaging(const MloptStaging *staging, MloptSession *session,
                       MloptError *error) {
  return !staging->dump || (mloptMakeDirectory(staging->dump, error) &&
                            dumpProgram(staging, session, 0, "input", error));
}

bool mloptRunStages(const MloptStaging *staging, MloptSession *session,
                    const MloptStage *stages, MloptStage first, MloptStage last,
                    MloptError *error) {
  bool started = false;
  for (int i = 0; stages[i] != MLOPT_NUM_STAGES; ++i) {
    started |= stages[i] == first;
    if (!started)
      continue;
    const char *name = mloptStageGetName(stages[i]);
    double start = mloptNow();
    bool good = !mloptFailed(
        mloptStageRun(session->module, stages[i], staging->options));
    mloptAddTime(staging->times, name, start);
    if (!good || !dumpProgram(staging, session, i + 1, name, error))
      return false;
    if (stages[i] == MLOPT_STAGE_FUSED &&
        !explainFusion(staging, session, error))
      return false;
    if (stages[i] == last)
      break;
  }
  return true;
}
