//===- compare.c - Whether a tensor is the one expected -------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compare.h"

#include <inttypes.h>
#include <math.h>

/// How far the float of these bits is from zero, in floats of its type, with
/// its sign.
static double ordinal(MloptElement element, uint64_t bits) {
  uint64_t signBit = UINT64_C(1) << (mloptNumberWidth(element) - 1);
  double magnitude = (double)(bits & ~signBit);
  return bits & signBit ? -magnitude : magnitude;
}

/// The distance of two floats, neither NaN, in floats of their type. A double
/// counts far beyond any bound exactly: up to 2^53.
static double ulpDistance(MloptElement element, uint64_t a, uint64_t b) {
  double x = mloptNumberAsDouble(element, a);
  double y = mloptNumberAsDouble(element, b);
  if (x == y)
    return 0;
  if (isinf(x) || isinf(y))
    return (double)INFINITY;
  // Same sign: subtract the integers, since doubles may round those of f64.
  uint64_t signBit = UINT64_C(1) << (mloptNumberWidth(element) - 1);
  if (!((a ^ b) & signBit))
    return (double)(a > b ? a - b : b - a);
  return fabs(ordinal(element, a) - ordinal(element, b));
}

static double largestMagnitude(const MloptTensor *t) {
  double largest = 0;
  for (int64_t i = 0, n = mloptTensorCount(t); i < n; ++i) {
    double x = fabs(mloptTensorGet(t, i));
    if (isfinite(x) && x > largest)
      largest = x;
  }
  return largest;
}

/// The error of element `i` in the rule's measure.
static double elementError(const MloptTensor *actual,
                           const MloptTensor *expected, int64_t i,
                           MloptRuleKind kind, double scale) {
  uint64_t a = mloptTensorGetBits(actual, i);
  uint64_t b = mloptTensorGetBits(expected, i);
  double x = mloptTensorGet(actual, i), y = mloptTensorGet(expected, i);
  if (!mloptNumberIsFloat(actual->element))
    return a == b ? 0 : fabs(x - y) > 0 ? fabs(x - y) : 1;
  if (isnan(x) || isnan(y))
    return isnan(x) && isnan(y) ? 0 : (double)INFINITY;
  if (x == y)
    return 0;
  if (kind == MLOPT_RULE_ULP)
    return ulpDistance(actual->element, a, b);
  double error = fabs(x - y);
  return kind == MLOPT_RULE_RELATIVE ? error / scale : error;
}

MloptComparison mloptCompare(const MloptTensor *actual,
                             const MloptTensor *expected, MloptRule rule) {
  MloptComparison c = {mloptTensorCount(actual), 0, -1, 0, -1};
  bool isFloat = mloptNumberIsFloat(actual->element);
  double scale = largestMagnitude(expected);
  double most = isFloat && rule.kind != MLOPT_RULE_EXACT ? rule.most : 0;
  double least = isFloat && rule.kind == MLOPT_RULE_ULP ? rule.least : 0;
  for (int64_t i = 0; i < c.count; ++i) {
    double error = elementError(actual, expected, i, rule.kind, scale);
    if (error > c.largestError) {
      c.largestError = error;
      c.largestAt = i;
    }
    if (error <= most && error >= least)
      continue;
    if (c.numWrong++ == 0)
      c.firstWrong = i;
  }
  return c;
}

/// "3.1e-06 of the largest magnitude", "2 ulp", "0.001".
static void printError(FILE *file, double error, MloptRuleKind kind,
                       bool isFloat) {
  fprintf(file, "%.3g", error);
  if (kind == MLOPT_RULE_RELATIVE && isFloat)
    fprintf(file, " of the largest magnitude");
  else if (kind == MLOPT_RULE_ULP && isFloat)
    fprintf(file, " ulp");
}

void mloptPrintComparison(FILE *file, const char *name,
                          const MloptTensor *actual,
                          const MloptTensor *expected, MloptRule rule,
                          const MloptComparison *c) {
  char type[256], index[256], value[64], wanted[64];
  bool isFloat = mloptNumberIsFloat(actual->element);
  fprintf(file, "%s %s: ", name,
          mloptTensorTypeText(actual, type, sizeof type));
  if (c->numWrong) {
    fprintf(file, "WRONG in %" PRId64 " of %" PRId64 " elements, first at %s: ",
            c->numWrong, c->count,
            mloptTensorIndexText(actual, c->firstWrong, index, sizeof index));
    fprintf(
        file, "%s where %s is expected; ",
        mloptTensorValueText(actual, c->firstWrong, value, sizeof value),
        mloptTensorValueText(expected, c->firstWrong, wanted, sizeof wanted));
  } else {
    fprintf(file, "right, ");
  }
  if (c->largestAt < 0) {
    fprintf(file, "all elements equal");
  } else {
    fprintf(file, "largest error ");
    printError(file, c->largestError, rule.kind, isFloat);
    fprintf(file, " at %s",
            mloptTensorIndexText(actual, c->largestAt, index, sizeof index));
  }
  if (isFloat && rule.kind != MLOPT_RULE_EXACT)
    fprintf(file, " (bound %.3g)", rule.most);
}
