//===- random.c - Seeded inputs -------------------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "random.h"

/// A well-mixed function of a counter: the output step of the SplitMix64
/// generator (Steele, Lea, Flood: "Fast splittable pseudorandom number
/// generators", 2014).
static uint64_t mix(uint64_t x) {
  x += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

/// The sum of four even 16-bit numbers, shifted to mean 0 and scaled to
/// variance 1: a bell without tails, exact but for the last multiplication.
static double bell(uint64_t bits) {
  const double sqrt3 = 1.7320508075688772;
  int64_t sum = 0;
  for (int i = 0; i < 4; ++i)
    sum += (int64_t)(bits >> (16 * i) & 0xffff);
  return (double)(sum - 2 * 0xffff) * (sqrt3 / 0x10000);
}

void mloptFillRandom(MloptTensor *t, uint64_t seed, int input) {
  uint64_t stream = mix(mix(seed) + (uint64_t)input);
  for (int64_t i = 0, n = mloptTensorCount(t); i < n; ++i) {
    uint64_t bits = mix(stream + (uint64_t)i);
    if (mloptNumberIsFloat(t->element))
      bits = mloptNumberFromDouble(t->element, bell(bits));
    else
      bits = bits >> 32 & (t->element == MLOPT_I1 ? 1 : 7);
    mloptTensorSetBits(t, i, bits);
  }
}
