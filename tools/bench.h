//===- bench.h - How fast a program runs --------------------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_TOOLS_BENCH_H
#define MLOPT_TOOLS_BENCH_H

#include "run.h"

/// Times the entry on the GPU, burst and sustained (timer.h), beside a copy of
/// as many bytes as it takes and gives. Prints that in words, then as one line
/// of JSON of the form that test/bench/compare.py writes; its commit is that of
/// this tool, null if there is none. Inputs that are mostly zeros are refused:
/// they draw less power and run faster than data does.
bool mloptBench(const MloptRunner *, const char *program,
                const MloptTensor *inputs, FILE *out, MloptError *);

#endif // MLOPT_TOOLS_BENCH_H
