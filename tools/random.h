//===- random.h - Seeded inputs -----------------------------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values for a program that is run without an input file. They depend on the
// seed, the input's number and the element's index alone, and are the same on
// every machine: integer arithmetic and one scaling make them.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_TOOLS_RANDOM_H
#define MLOPT_TOOLS_RANDOM_H

#include "tensor.h"

/// Fills an allocated tensor: floats bell-shaped with mean 0, variance 1 and no
/// value beyond 3.5; integers evenly from 0 to 7, so that they can be indices;
/// booleans evenly.
void mloptFillRandom(MloptTensor *, uint64_t seed, int input);

#endif // MLOPT_TOOLS_RANDOM_H
