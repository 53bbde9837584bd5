//===- emit_structured.h - Scans, scatters and sorts in kernels ---*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_EMIT_STRUCTURED_H
#define MLOPT_PASSES_EMIT_STRUCTURED_H

#include "emit_kernels.h"
#include "nv_tile.h"

/// A loop of all threads of the grid over [0, count).
typedef struct MloptGridLoop {
  MlirValue first, count, step;
} MloptGridLoop;
MloptPullScope mloptBeginGridLoop(MloptPull *, MloptGridLoop *, int64_t count,
                                  MlirValue *outIndex);
void mloptEndGridLoop(MloptPull *, const MloptGridLoop *, MloptPullScope);

/// Whether the operation computes its results in one go, in an order of its
/// own: mlopt.scan, mlopt.scatter, mlopt.sort with scalar regions.
bool mloptIsStructured(MlirOperation);

/// Takes results as a structured operation gives them, element by element,
/// which are bound at their indices, or all of a vector of its space.
typedef struct MloptElementSink {
  MlirType type; ///< of the results
  void (*storeVector)(void *userData, MloptTile *, const MloptVector *);
  void (*store)(void *userData, const MlirValue *indices);
  void *userData;
} MloptElementSink;
/// Emits it; `sink` is called where all results have the element at the same
/// indices.
void mloptEmitStructured(MloptKernel *, MlirOperation, MloptElementSink sink);
/// A scatter: see emit_scatter.c.
void mloptEmitScatter(MloptKernel *, MlirOperation, MloptElementSink sink);
/// One whose windows come in the order of their slots: emit_scatter_sorted.c.
void mloptEmitSortedScatter(MloptKernel *, MlirOperation,
                            MloptElementSink sink);
/// A scan or a sort that the schedule shares between threads.
void mloptEmitScan(MloptKernel *, MlirOperation, MloptElementSink sink);
void mloptEmitSort(MloptKernel *, MlirOperation, MloptElementSink sink);
/// A sort of lines whose values are counted: emit_sort_counted.c.
void mloptEmitCountedSort(MloptKernel *, MlirOperation, MloptElementSink sink);

/// What the body of a scan or scatter of one operand makes of two elements, the
/// first of which comes before the other.
MlirValue mloptCombineElements(MloptPull *, MlirOperation, MlirValue,
                               MlirValue);
/// The tensor type without one dimension: the space of its lines.
MlirType mloptLinesOf(MlirType, int64_t dim);
/// Puts one more index into a line's, for a tensor of this rank.
void mloptPutIndex(const MlirValue *line, intptr_t rank, int64_t dim,
                   MlirValue index, MlirValue *out);

#endif // MLOPT_PASSES_EMIT_STRUCTURED_H
