//===- compare.h - Whether a tensor is the one expected -----------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Four rules, all of which want a NaN exactly where one is expected and take
// +0 and -0 for equal; integers and booleans are compared exactly by each.
//
//   RELATIVE  |actual - expected| over the largest finite magnitude of the
//             expected tensor is at most `most`; infinities match exactly
//   EXACT     equal values
//   ULP       between `least` and `most` floats of the type apart; an infinity
//             is infinitely far from all but itself
//   ABSOLUTE  |actual - expected| is at most `most`; infinities match exactly
//
// ULP, EXACT and ABSOLUTE are StableHLO's check.expect_close, expect_eq and
// expect_almost_eq.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_TOOLS_COMPARE_H
#define MLOPT_TOOLS_COMPARE_H

#include "tensor.h"

typedef enum MloptRuleKind {
  MLOPT_RULE_RELATIVE,
  MLOPT_RULE_EXACT,
  MLOPT_RULE_ULP,
  MLOPT_RULE_ABSOLUTE
} MloptRuleKind;

typedef struct MloptRule {
  MloptRuleKind kind;
  double least; ///< for ULP
  double most;
} MloptRule;

typedef struct MloptComparison {
  int64_t count;       ///< elements
  int64_t numWrong;    ///< of those
  int64_t firstWrong;  ///< row-major, -1 if all are right
  double largestError; ///< in the rule's measure; infinite for a wrong NaN
  int64_t largestAt;   ///< where; -1 if no element differs
} MloptComparison;

/// Compares two tensors of the same type.
MloptComparison mloptCompare(const MloptTensor *actual,
                             const MloptTensor *expected, MloptRule);

/// One line, without its end: "out0 tensor<4xf32>: right, ..." or "... WRONG
/// ..." with the first wrong index, both values, and the largest error.
void mloptPrintComparison(FILE *, const char *name, const MloptTensor *actual,
                          const MloptTensor *expected, MloptRule,
                          const MloptComparison *);

#endif // MLOPT_TOOLS_COMPARE_H
