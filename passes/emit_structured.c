//===- emit_structured.c - Scans and sorts in kernels ---------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each is deterministic, and right for any size; none shares work between
// threads, but for scans whose order is free (emit_scan.c) and sorts
// (emit_sort.c).
//
//   scan:     one thread for each line along the dimension, in order
//   sort:     one thread for each element, which counts the elements that go
//             before it; the count is its place, so the sort is stable.
//             Only where shared memory has no room for the keys
//
//===----------------------------------------------------------------------===//

#include "emit_structured.h"

#include "dialect.h"
#include "index.h"

#include <stdlib.h>

enum { MAX_VALUES = MLOPT_PULL_MAX_CARRIED };

static MlirBlock bodyOf(MlirOperation op) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
}

static int64_t intOf(MlirOperation op, const char *name) {
  return mlirIntegerAttrGetValueInt(mloptAttr(op, name));
}

static bool refuse(MloptPull *pull, MlirOperation op, intptr_t count) {
  if (count <= MAX_VALUES)
    return false;
  mloptOpError(op, "cannot be emitted: %ld values exceed the limit of %d",
               (long)count, MAX_VALUES);
  mloptPullGetBuilder(pull)->failed = true;
  return true;
}

MlirType mloptLinesOf(MlirType type, int64_t dim) {
  int64_t shape[MLOPT_MAX_RANK];
  intptr_t rank = mloptShape(type, shape);
  memmove(shape + dim, shape + dim + 1, (rank - dim - 1) * sizeof *shape);
  return mloptTensorType(rank - 1, shape, mloptElementType(type));
}

void mloptPutIndex(const MlirValue *line, intptr_t rank, int64_t dim,
                   MlirValue index, MlirValue *out) {
  for (intptr_t i = 0; i < rank; ++i)
    out[i] = i < dim ? line[i] : i == dim ? index : line[i - 1];
}

MlirValue mloptCombineElements(MloptPull *pull, MlirOperation op, MlirValue x,
                               MlirValue y) {
  MlirValue arguments[] = {x, y}, out = {NULL};
  mloptPullBody(pull, bodyOf(op), arguments, &out);
  return out;
}

/// Hands over the results' elements at some indices.
static void give(MloptPull *pull, MlirOperation op, MloptElementSink sink,
                 const MlirValue *elements, const MlirValue *indices) {
  mloptPullBindElements(pull, op, mloptRank(mloptResultType(op, 0)), indices,
                        elements);
  if (!mloptPullGetBuilder(pull)->failed)
    sink.store(sink.userData, indices);
}

//===----------------------------------------------------------------------===//
// scan
//===----------------------------------------------------------------------===//

static void emitScan(MloptKernel *kernel, MlirOperation op,
                     MloptElementSink sink) {
  MloptPull *pull = kernel->pull;
  MloptBuilder *b = mloptPullGetBuilder(pull);
  intptr_t n = mlirOperationGetNumResults(op);
  if (kernel->schedule.family == MLOPT_FAMILY_SCAN) {
    mloptEmitScan(kernel, op, sink);
    return;
  }
  if (refuse(pull, op, n))
    return;
  MlirType type = mloptOperandType(op, 0);
  int64_t dim = intOf(op, "dim"), size = mloptDim(type, dim);
  intptr_t rank = mloptRank(type);
  MlirType lines = mloptLinesOf(type, dim);
  MloptGridLoop grid;
  MlirValue position, line[MLOPT_MAX_RANK], at[MLOPT_MAX_RANK], turn;
  MloptPullScope outer =
      mloptBeginGridLoop(pull, &grid, mloptNumElements(lines), &position);
  mloptPullDelinearize(pull, lines, position, line);
  MlirValue zero = mloptBuildIndex(b, 0), one = mloptBuildIndex(b, 1);
  MlirValue count = mloptBuildIndex(b, size);
  MlirValue init[MAX_VALUES], carried[MAX_VALUES], next[MAX_VALUES];
  for (intptr_t i = 0; i < n; ++i)
    init[i] = mloptPullElement(pull, mloptOperand(op, n + i), NULL);
  MloptPullScope inner = mloptPullBeginFor(pull, n, init, &turn, carried);
  MlirValue index = turn;
  if (mloptHasAttr(op, "reverse"))
    index =
        mloptBuildBinary(b, "arith.subi", mloptBuildIndex(b, size - 1), turn);
  mloptPutIndex(line, rank, dim, index, at);
  MlirValue arguments[2 * MAX_VALUES];
  for (intptr_t i = 0; i < n; ++i) {
    arguments[i] = carried[i];
    arguments[n + i] = mloptPullElement(pull, mloptOperand(op, i), at);
  }
  mloptPullBody(pull, bodyOf(op), arguments, next);
  give(pull, op, sink, next, at);
  mloptPullEndFor(pull, inner, zero, count, one, n, init, next, carried);
  mloptEndGridLoop(pull, &grid, outer);
}

//===----------------------------------------------------------------------===//
// sort
//===----------------------------------------------------------------------===//

/// Whether row x goes before row y.
static MlirValue goesBefore(MloptPull *pull, MlirOperation op, intptr_t n,
                            const MlirValue *x, const MlirValue *y) {
  MlirValue arguments[2 * MAX_VALUES], before;
  for (intptr_t i = 0; i < n; ++i) {
    arguments[2 * i] = x[i];
    arguments[2 * i + 1] = y[i];
  }
  mloptPullBody(pull, bodyOf(op), arguments, &before);
  return before;
}

/// Where runs are sorted, narrows the rows of a line to the run that `row` is
/// in.
static void narrowToRun(MloptBuilder *b, MlirOperation op, MlirValue row,
                        MlirValue *begin, MlirValue *end) {
  if (!mloptHasAttr(op, "to"))
    return;
  MlirValue run = mloptBuildIndex(b, intOf(op, "to"));
  *begin = mloptBuildBinary(b, "arith.muli",
                            mloptBuildBinary(b, "arith.divui", row, run), run);
  *end = mloptBuildBinary(b, "arith.minui", *end,
                          mloptBuildBinary(b, "arith.addi", *begin, run));
}

/// Each element counts those that come before it, and goes there.
static void emitSort(MloptKernel *kernel, MlirOperation op,
                     MloptElementSink sink) {
  MloptPull *pull = kernel->pull;
  MloptBuilder *b = mloptPullGetBuilder(pull);
  intptr_t n = mlirOperationGetNumResults(op);
  if (kernel->schedule.family == MLOPT_FAMILY_SORT) {
    mloptEmitSort(kernel, op, sink);
    return;
  }
  if (kernel->schedule.family == MLOPT_FAMILY_COUNTED_SORT) {
    mloptEmitCountedSort(kernel, op, sink);
    return;
  }
  if (refuse(pull, op, n))
    return;
  MlirType type = mloptOperandType(op, 0);
  int64_t dim = intOf(op, "dim");
  MloptGridLoop grid;
  MlirValue position, at[MLOPT_MAX_RANK], other[MLOPT_MAX_RANK], turn;
  MloptPullScope outer =
      mloptBeginGridLoop(pull, &grid, mloptNumElements(type), &position);
  mloptPullDelinearize(pull, type, position, at);
  MlirValue zero = mloptBuildIndex(b, 0), one = mloptBuildIndex(b, 1);
  MlirValue begin = zero, end = mloptBuildIndex(b, mloptDim(type, dim));
  narrowToRun(b, op, at[dim], &begin, &end);
  MlirValue mine[MAX_VALUES], theirs[MAX_VALUES], place, before;
  for (intptr_t i = 0; i < n; ++i)
    mine[i] = mloptPullElement(pull, mloptOperand(op, i), at);
  MloptPullScope inner = mloptPullBeginFor(pull, 1, &begin, &turn, &before);
  memcpy(other, at, sizeof other);
  other[dim] = turn;
  for (intptr_t i = 0; i < n; ++i)
    theirs[i] = mloptPullElement(pull, mloptOperand(op, i), other);
  // Before mine, or equal and from further up.
  MlirValue first = mloptBuildCmpI(b, "ult", turn, at[dim]);
  MlirValue notAfter =
      mloptBuildBinary(b, "arith.xori", goesBefore(pull, op, n, mine, theirs),
                       mloptBuildInt(b, mlirIntegerTypeGet(b->context, 1), 1));
  MlirValue counts =
      mloptBuildBinary(b, "arith.ori", goesBefore(pull, op, n, theirs, mine),
                       mloptBuildBinary(b, "arith.andi", first, notAfter));
  MlirValue next = mloptBuildBinary(b, "arith.addi", before,
                                    mloptBuildSelect(b, counts, one, zero));
  mloptPullEndFor(pull, inner, begin, end, one, 1, &begin, &next, &place);
  memcpy(other, at, sizeof other);
  other[dim] = place;
  give(pull, op, sink, mine, other);
  mloptEndGridLoop(pull, &grid, outer);
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

static const struct {
  const MloptOpDef *def;
  void (*emit)(MloptKernel *, MlirOperation, MloptElementSink);
} rows[] = {
    {&mloptOp_scan, emitScan},
    {&mloptOp_scatter, mloptEmitScatter},
    {&mloptOp_sort, emitSort},
};

bool mloptIsStructured(MlirOperation op) {
  for (int i = 0; i < MLOPT_COUNT(rows); ++i)
    if (mloptIsA(op, rows[i].def))
      return true;
  return false;
}

void mloptEmitStructured(MloptKernel *kernel, MlirOperation op,
                         MloptElementSink sink) {
  for (int i = 0; i < MLOPT_COUNT(rows); ++i)
    if (mloptIsA(op, rows[i].def))
      rows[i].emit(kernel, op, sink);
}
