//===- schedule_impl.h - What schedules are chosen from -----------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the files that choose a schedule share: a summary of a kernel's program.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_SCHEDULE_IMPL_H
#define MLOPT_PASSES_SCHEDULE_IMPL_H

#include "schedule.h"

enum { MLOPT_MOST_LANES = 16 }; ///< elements of a vector

/// A summary of the tensor program in a kernel or a fusion.
typedef struct MloptProgram {
  MlirBlock block;
  intptr_t numRoots;
  MlirType space;     ///< of the largest root
  bool sameShape;     ///< all roots have it
  bool sameCount;     ///< or as many elements
  bool isPlain;       ///< elementwise operations, reductions and views alone
  int64_t granule;    ///< elements that lie on one side of an inserted slice
  int64_t smallest;   ///< bytes of an element: the smallest read or written
  intptr_t numRead;   ///< tensors read
  intptr_t numLarge;  ///< tensors read that have as many elements as the space
  int64_t numScalars; ///< operations in bodies
  int64_t numFunctions; ///< elementary functions among them
  bool gathers;         ///< a body reads elements that data says
  bool scatters;        ///< it has a scatter
  intptr_t numReductions;
  MloptReduction reduction; ///< the first
  bool sameReductions;      ///< all have its extents
  bool combines;            ///< all by known operations
} MloptProgram;

MloptProgram mloptReadProgram(MlirBlock);
/// Counts what the program reads, once its space is known to have so many
/// elements.
void mloptCountReads(MloptProgram *, int64_t elements);

/// Chooses for reductions of rows beside others of columns, in pieces of rows;
/// false for any other program.
bool mloptChooseBoth(MloptProgram *, MloptSchedule *out);

/// Bytes of an element in memory; one where two share a byte.
int64_t mloptProgramBytes(MlirType);
/// The largest power of two up to `most` that divides `n`.
int64_t mloptCommonPower(int64_t n, int64_t most);

/// Whether every result has as many elements as are kept, or with `allowWhole`
/// as the space.
bool mloptRootsFit(const MloptProgram *, bool allowWhole);
/// The size of the space's last dimension among those that are reduced, or
/// `kept` and lie behind them: vectors must not reach past it.
int64_t mloptInnerSize(const MloptReduction *);
/// Elements of a vector of 16 bytes, eight at most: of wider elements beside
/// it a thread makes two accesses.
int64_t mloptFullVector(const MloptProgram *);

/// Chooses for programs without reductions that compute element by element;
/// false for others, and the second where none lies across.
bool mloptChoosePointwise(MloptProgram *, MloptSchedule *out);
bool mloptChooseTranspose(MloptProgram *, MloptSchedule *out);

/// The one scan, scatter or sort of a program, by its name; null where it has
/// none, or another one of the three.
MlirOperation mloptFindOnly(const MloptProgram *, const char *name);

/// Chooses for a scan that may be regrouped, and what follows it.
bool mloptChooseScan(MloptProgram *, MloptSchedule *out);

/// Chooses for a program of one scatter whose windows are sorted, and what
/// follows it.
bool mloptChooseSortedScatter(const MloptProgram *, MloptSchedule *out);

/// Chooses for a program of one sort, and what follows it.
bool mloptChooseSort(const MloptProgram *, MloptSchedule *out);

/// Chooses for a program that counts values, or sorts by them (emit_count.c,
/// emit_sort_counted.c).
bool mloptChooseCount(const MloptProgram *, MloptSchedule *out);
bool mloptChooseCountedSort(const MloptProgram *, MloptSchedule *out);

/// Chooses for reductions along the last dimensions; false for others.
bool mloptChooseRows(MloptProgram *, bool clusters, MloptSchedule *out);

enum {
  MLOPT_BLOCK_THREADS = 256, ///< where nothing asks for another number
  /// Bodies are cloned for each element that a thread holds; that many
  /// operations are still worth compiling.
  MLOPT_MAX_CLONED = 4096,
};

static inline int64_t mloptAtMost(int64_t a, int64_t most) {
  return a < most ? a : most;
}
static inline int64_t mloptAtLeast(int64_t a, int64_t least) {
  return a > least ? a : least;
}
/// The smallest power of two that is at least `n`.
static inline int64_t mloptPowerFrom(int64_t n) {
  int64_t power = 1;
  while (power < n)
    power *= 2;
  return power;
}

#endif // MLOPT_PASSES_SCHEDULE_IMPL_H
