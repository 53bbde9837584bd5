//===- entry.h - What a function takes, gives and checks ----------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host's side of a function: the types of its inputs and outputs, and, for
// a program that checks itself, where its inputs come from and which outputs
// to compare. These are the attributes that importing such a program leaves on
// its entry:
//
//   mlopt.arguments_from = [@inputs, @expected]
//   mlopt.checks = [{kind = "close", actual = 0, expected = 1, max_ulp = 3}]
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_TOOLS_ENTRY_H
#define MLOPT_TOOLS_ENTRY_H

#include "compare.h"
#include "session.h"

/// One comparison that the program makes of its own results.
typedef struct MloptCheck {
  int actual;   ///< an output's index
  int expected; ///< likewise
  MloptRule rule;
} MloptCheck;

/// A function's signature, and how the host is to call and check it.
typedef struct MloptEntry {
  char *name;
  int numInputs;
  MloptTensor *inputs; ///< types only
  int numOutputs;
  MloptTensor *outputs; ///< types only
  /// Argument-less functions whose results are, in order, the last inputs.
  int numSources;
  struct MloptEntry *sources;
  int numChecks;
  MloptCheck *checks;
} MloptEntry;

/// Finds the function that is to run and makes it public, so that no pass drops
/// it. Reports if there is none, or none with a body.
bool mloptEntryExpose(const MloptSession *, const char *name);
/// Which of the first 64 results of a function, as it was read, are of unsigned
/// integers, a bit for each; the dialect's integers have no sign.
uint64_t mloptEntryFindUnsigned(const MloptSession *, const char *name);
/// Reads the signature of a function of the module, which has been through the
/// first stage. Its types must be tensors of static shape.
bool mloptEntryRead(const MloptSession *, const char *name, MloptEntry *);
void mloptEntryDestroy(MloptEntry *);

#endif // MLOPT_TOOLS_ENTRY_H
