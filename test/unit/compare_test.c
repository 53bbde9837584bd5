//===- compare_test.c - The rules by which tensors are compared -----------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each case is two short tensors and a rule, with the verdict and the largest
// error that must come out.
//
//===----------------------------------------------------------------------===//

#include "compare.h"

#include <math.h>

static int passed, failed;

#define inf ((double)INFINITY)
#define nan_ ((double)NAN)

typedef struct Case {
  const char *what;
  MloptElement element;
  MloptRule rule;
  double actual[3], expected[3];
  int numWrong, firstWrong;
  double largestError;
} Case;

#define RELATIVE(most)                                                         \
  { MLOPT_RULE_RELATIVE, 0, most }
#define EXACT                                                                  \
  { MLOPT_RULE_EXACT, 0, 0 }
#define ULP(least, most)                                                       \
  { MLOPT_RULE_ULP, least, most }
#define ABSOLUTE(most)                                                         \
  { MLOPT_RULE_ABSOLUTE, 0, most }

// clang-format off
static const Case cases[] = {
    {"scaled by the largest magnitude", MLOPT_F64, RELATIVE(0.01),
     {1, 2, 100}, {1.5, 2, 100}, 0, -1, 0.005},
    {"beyond the bound", MLOPT_F64, RELATIVE(0.01),
     {1, 2, 100}, {1, 4, 100}, 1, 1, 0.02},
    {"infinities do not scale", MLOPT_F64, RELATIVE(0.5),
     {inf, 1, 4}, {inf, 2, 4}, 0, -1, 0.25},
    {"an infinity where none is", MLOPT_F64, RELATIVE(0.5),
     {inf, 1, 4}, {4, 1, 4}, 1, 0, inf},
    {"the other infinity", MLOPT_F64, RELATIVE(0.5),
     {inf, 1, 4}, {-inf, 1, 4}, 1, 0, inf},
    {"a missing infinity", MLOPT_F64, RELATIVE(0.5),
     {4, 1, 4}, {inf, 1, 4}, 1, 0, inf},
    {"NaN where NaN is", MLOPT_F32, RELATIVE(1e-4),
     {nan_, 1, 2}, {nan_, 1, 2}, 0, -1, 0},
    {"NaN where none is", MLOPT_F32, RELATIVE(1e-4),
     {nan_, 1, nan_}, {1, 1, 2}, 2, 0, inf},
    {"no NaN where one is", MLOPT_F32, RELATIVE(1e-4),
     {1, 1, 2}, {1, nan_, 2}, 1, 1, inf},
    {"all expected are zero", MLOPT_F32, RELATIVE(1e-4),
     {0, -0.0, 0x1p-140}, {0, 0, 0}, 1, 2, inf},
    {"an infinite bound lets no NaN through", MLOPT_F32, RELATIVE(1e30),
     {nan_, 1, 1}, {1, 1, 1}, 1, 0, inf},
    {"integers have no bound", MLOPT_I32, RELATIVE(1e3),
     {1, 2, 3}, {1, 2, 4}, 1, 2, 1},

    {"zeros are equal", MLOPT_F32, EXACT,
     {0, -0.0, 1}, {-0.0, 0, 1}, 0, -1, 0},
    {"NaNs are equal", MLOPT_BF16, EXACT,
     {nan_, 1, 2}, {nan_, 1, 2}, 0, -1, 0},
    {"one bit", MLOPT_F32, EXACT,
     {1, 1 + 0x1p-23, 1}, {1, 1, 1}, 1, 1, 0x1p-23},
    {"booleans", MLOPT_I1, EXACT, {0, 1, 1}, {0, 1, 0}, 1, 2, 1},
    {"four bits", MLOPT_I4, EXACT, {-8, 7, 0}, {-8, 7, 0}, 0, -1, 0},

    {"three units", MLOPT_F32, ULP(0, 3),
     {1 + 0x3p-23, 1, 1 - 0x3p-24}, {1, 1, 1}, 0, -1, 3},
    {"four units", MLOPT_F32, ULP(0, 3),
     {1, 1 + 0x4p-23, 1}, {1, 1, 1}, 1, 1, 4},
    {"units of bf16", MLOPT_BF16, ULP(0, 3),
     {1 + 0x3p-7, 1, 1}, {1, 1, 1}, 0, -1, 3},
    {"units of f64", MLOPT_F64, ULP(0, 3),
     {1 + 0x4p-52, 1, 1}, {1, 1, 1}, 1, 0, 4},
    {"across zero", MLOPT_F32, ULP(0, 3),
     {0x2p-149, 0, -0.0}, {-0x2p-149, -0.0, 0}, 1, 0, 4},
    {"zero to the least denormal", MLOPT_F16, ULP(0, 1),
     {-0.0, 0x1p-24, 0}, {0x1p-24, 0, 0}, 0, -1, 1},
    {"infinity is far from the largest float", MLOPT_F16, ULP(0, 3),
     {inf, 1, 1}, {65504, 1, 1}, 1, 0, inf},
    {"too close", MLOPT_F32, ULP(1, 3),
     {1 + 0x1p-23, 1, 1 + 0x1p-23}, {1, 1, 1}, 1, 1, 1},
    {"integers under ulp", MLOPT_I8, ULP(0, 3),
     {1, 2, 3}, {1, 3, 3}, 1, 1, 1},

    {"within", MLOPT_F32, ABSOLUTE(0.25),
     {1.25, 100.25, -0.25}, {1, 100, 0}, 0, -1, 0.25},
    {"beyond", MLOPT_F32, ABSOLUTE(0.25),
     {1, 100.5, 0}, {1, 100, 0}, 1, 1, 0.5},
    {"infinities match exactly", MLOPT_F32, ABSOLUTE(0.25),
     {inf, -inf, nan_}, {inf, -inf, nan_}, 0, -1, 0},
};
// clang-format on

static void fill(MloptTensor *t, MloptElement element, const double *values) {
  const int64_t size = 3;
  MloptError error = {0};
  mloptTensorSetType(t, element, 1, &size, &error);
  mloptTensorAllocate(t, &error);
  for (int i = 0; i < size; ++i)
    mloptTensorSetBits(t, i,
                       mloptNumberIsFloat(element)
                           ? mloptNumberFromDouble(element, values[i])
                           : (uint64_t)(int64_t)values[i] &
                                 mloptNumberMask(element));
}

static void testCase(const Case *c) {
  MloptTensor actual, expected;
  fill(&actual, c->element, c->actual);
  fill(&expected, c->element, c->expected);
  MloptComparison got = mloptCompare(&actual, &expected, c->rule);
  bool good = got.numWrong == c->numWrong && got.firstWrong == c->firstWrong &&
              got.largestError == c->largestError &&
              (got.largestAt >= 0) == (c->largestError > 0);
  if (good) {
    ++passed;
  } else {
    ++failed;
    printf("FAIL: %s: %lld wrong, first %lld, largest error %g\n  ", c->what,
           (long long)got.numWrong, (long long)got.firstWrong,
           got.largestError);
    mloptPrintComparison(stdout, "x", &actual, &expected, c->rule, &got);
    printf("\n");
  }
  mloptTensorRelease(&actual);
  mloptTensorRelease(&expected);
}

int main(void) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    testCase(&cases[i]);
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
