//===- runtime_plans.h - Programs for the runtime's tests ---------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small artifacts, and the kernels that they name for the stand-in driver:
//
//   add1(in, out)            out[i] = in[i] + 1, eight f32
//   scale(in, out, f32 by)   out[i] = in[i] * by
//   sum(a, b, out)           out[i] = a[i] + b[i]
//   load(map, out)           out[i] = in[i] through a tensor map
//   less(a, i32 than, flag)  flag = a < than, a an i32, flag an i8
//   inc(a)                   ++a
//
// Unless it says otherwise a program takes x and gives y, tensor<8xf32>.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_TEST_RUNTIME_PLANS_H
#define MLOPT_TEST_RUNTIME_PLANS_H

#include "artifact_write.h"

#include <stdio.h>

enum { WIDTH = 8, BYTES = 32 };

extern int passed, failed;

/// Counts, and says where a check failed.
#define CHECK(condition) check((condition), #condition, __FILE__, __LINE__)
void check(bool good, const char *words, const char *file, int line);
/// A success; prints the message if it is none.
#define CHECK_OK(status) checkOk((status), __FILE__, __LINE__)
bool checkOk(MloptStatus *status, const char *file, int line);
/// A failure with this code whose message has these words.
#define CHECK_FAILS(status, code, words)                                       \
  checkFails((status), (code), (words), __FILE__, __LINE__)
void checkFails(MloptStatus *status, MloptCode code, const char *words,
                const char *file, int line);
/// Removes the test's folder, if it has one, and prints the counts; for main to
/// return.
int finish(const char *folder);

/// Gives the stand-in driver the kernels (runtime_kernels.c).
void defineKernels(void);
/// The text of the programs' module; empty of kernels, for the stand-in, unless
/// it is set to another.
extern const char *plan_ptx;

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

enum Kernels { ADD1, SCALE, SUM, LOAD, LESS, INC };

/// A writer with one module and all kernels.
MloptArtifactWriter *createWriter(void);
/// The entry "main" of x and y, with buffers x, y and three of 32 bytes at 0,
/// 256 and 512 of the arena, and segment 0.
enum Buffers { X, Y, A, B, C };
MloptEntryWriter *createMain(MloptArtifactWriter *writer);
/// A launch on buffers; `out` is the last pointer.
uint32_t launch(MloptEntryWriter *entry, uint32_t segment, enum Kernels kernel,
                uint32_t in, uint32_t other, uint32_t out, uint32_t scalar);

typedef MloptArtifactWriter *(*Plan)(void);

MloptArtifactWriter *planSingle(void);   ///< y = x + 1
MloptArtifactWriter *planChain(void);    ///< y = (x + 1) * 3 + 1, programmatic
MloptArtifactWriter *planBranches(void); ///< y = (x + 1) + (x * 2)
MloptArtifactWriter *planCopies(void);   ///< y = x through copies; z = 7s
MloptArtifactWriter *planMap(void);      ///< y = x through a map
MloptArtifactWriter *planConstant(void); ///< y = x + 0.5, 1.5, ..., 7.5
MloptArtifactWriter *planWeights(void);  ///< y = x + tensor w of w.safetensors
MloptArtifactWriter *planLoop(void);     ///< y = x, five times + 1
MloptArtifactWriter *planRepeat(void);   ///< y = x, three times + 1
MloptArtifactWriter *planSwitch(void);   ///< y = x + 1, x * 2 or x * 3 by i32 s
MloptArtifactWriter *planEmpty(void);    ///< no elements, no steps
MloptArtifactWriter *planChecks(void);   ///< checks itself, two sources

/// All of the above.
extern const Plan plans[];
extern const int plan_count;

/// The bytes of a plan, which the caller frees.
uint8_t *serialize(MloptArtifactWriter *taken_writer, size_t *out_size);
/// The artifact of a plan; its bytes are freed at `finish`.
MloptArtifact *readPlan(MloptArtifactWriter *taken_writer);
/// Makes the checksum right again after a change.
void seal(uint8_t *data, size_t size);

#endif // MLOPT_TEST_RUNTIME_PLANS_H
