//===- emit_structured.c - Scans, scatters and sorts in kernels
//------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each is deterministic, and right for any size; none shares work between
// threads.
//
//   scan:     one thread for each line along the dimension, in order
//   sort:     one thread for each element, which counts the elements that go
//             before it; the count is its place, so the sort is stable
//   scatter:  one thread for each element of the result, which goes through
//             all windows in row-major order and combines those that cover it
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

static bool isSet(MlirOperation op, const char *name) {
  return !mlirAttributeIsNull(mloptAttr(op, name));
}

static bool refuse(MloptPull *pull, MlirOperation op, intptr_t count) {
  if (count <= MAX_VALUES)
    return false;
  mloptOpError(op, "cannot be emitted: %ld values exceed the limit of %d",
               (long)count, MAX_VALUES);
  mloptPullGetBuilder(pull)->failed = true;
  return true;
}

/// The tensor type without one dimension: the space of its lines.
static MlirType linesOf(MlirType type, int64_t dim) {
  int64_t shape[MLOPT_MAX_RANK];
  intptr_t rank = mloptShape(type, shape);
  memmove(shape + dim, shape + dim + 1, (rank - dim - 1) * sizeof *shape);
  return mloptTensorType(rank - 1, shape, mloptElementType(type));
}

/// Puts one more index into a line's.
static void withIndex(const MlirValue *line, intptr_t rank, int64_t dim,
                      MlirValue index, MlirValue *out) {
  for (intptr_t i = 0; i < rank; ++i)
    out[i] = i < dim ? line[i] : i == dim ? index : line[i - 1];
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

static void emitScan(MloptPull *pull, MlirOperation op, MloptElementSink sink) {
  MloptBuilder *b = mloptPullGetBuilder(pull);
  intptr_t n = mlirOperationGetNumResults(op);
  if (refuse(pull, op, n))
    return;
  MlirType type = mloptOperandType(op, 0);
  int64_t dim = intOf(op, "dim"), size = mloptDim(type, dim);
  intptr_t rank = mloptRank(type);
  MlirType lines = linesOf(type, dim);
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
  if (isSet(op, "reverse"))
    index =
        mloptBuildBinary(b, "arith.subi", mloptBuildIndex(b, size - 1), turn);
  withIndex(line, rank, dim, index, at);
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

static void emitSort(MloptPull *pull, MlirOperation op, MloptElementSink sink) {
  MloptBuilder *b = mloptPullGetBuilder(pull);
  intptr_t n = mlirOperationGetNumResults(op);
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
  MlirValue count = mloptBuildIndex(b, mloptDim(type, dim));
  MlirValue mine[MAX_VALUES], theirs[MAX_VALUES], place, before;
  for (intptr_t i = 0; i < n; ++i)
    mine[i] = mloptPullElement(pull, mloptOperand(op, i), at);
  MloptPullScope inner = mloptPullBeginFor(pull, 1, &zero, &turn, &before);
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
  mloptPullEndFor(pull, inner, zero, count, one, 1, &zero, &next, &place);
  memcpy(other, at, sizeof other);
  other[dim] = place;
  give(pull, op, sink, mine, other);
  mloptEndGridLoop(pull, &grid, outer);
}

//===----------------------------------------------------------------------===//
// scatter
//===----------------------------------------------------------------------===//

/// A scatter and the element of its result that is being computed.
typedef struct Scatter {
  MlirOperation op;
  MloptIndexing indexing;
  MlirType operand, indices, updates;
  MlirValue at[MLOPT_MAX_RANK];    ///< of the element
  MlirValue batch[MLOPT_MAX_RANK]; ///< of the window
} Scatter;

/// Component `c` of the window's index vector, as i64.
static MlirValue indexComponent(MloptPull *pull, const Scatter *s, intptr_t c) {
  MloptBuilder *b = mloptPullGetBuilder(pull);
  MlirValue at[MLOPT_MAX_RANK];
  int64_t vectorDim = s->indexing.indexVectorDim;
  intptr_t rank = mloptRank(s->indices);
  if (vectorDim == rank)
    memcpy(at, s->batch, sizeof at);
  else
    withIndex(s->batch, rank, vectorDim, mloptBuildIndex(b, c), at);
  MlirValue index = mloptPullElement(pull, mloptOperand(s->op, 1), at);
  MlirType i64 = mlirIntegerTypeGet(b->context, 64);
  if (b->failed || mlirTypeEqual(mlirValueGetType(index), i64))
    return index;
  if (mlirTypeIsAIndex(mlirValueGetType(index)))
    return mloptBuildUnary(b, "arith.index_cast", index, i64);
  return mloptBuildUnary(
      b, isSet(s->op, "unsigned_indices") ? "arith.extui" : "arith.extsi",
      index, i64);
}

/// Where the window starts in an operand dimension, as i64.
static MlirValue startOf(MloptPull *pull, const Scatter *s, int64_t dim) {
  MloptBuilder *b = mloptPullGetBuilder(pull);
  const MloptIndexing *x = &s->indexing;
  MlirType i64 = mlirIntegerTypeGet(b->context, 64);
  for (intptr_t c = 0; c < x->map.count; ++c)
    if (x->map.at[c] == dim)
      return indexComponent(pull, s, c);
  for (intptr_t i = 0; i < x->operandBatch.count; ++i)
    if (x->operandBatch.at[i] == dim) {
      // Batch dimensions are the indices' without the vector's.
      int64_t batchDim = x->indexBatch.at[i];
      batchDim -= batchDim > x->indexVectorDim;
      return mloptBuildUnary(b, "arith.index_castui", s->batch[batchDim], i64);
    }
  return mloptBuildInt(b, i64, 0);
}

/// Whether the window covers the element, and the indices of its update. All
/// comparisons are of 64 bits: an index that is out of range stays so.
static MlirValue covers(MloptPull *pull, const Scatter *s, MlirValue *update) {
  MloptBuilder *b = mloptPullGetBuilder(pull);
  MlirType i64 = mlirIntegerTypeGet(b->context, 64);
  MlirType index = mlirIndexTypeGet(b->context);
  MlirValue all = {NULL};
  intptr_t window = 0, batch = 0;
  for (int64_t d = 0, rank = mloptRank(s->operand); d < rank; ++d) {
    bool windowed = mloptIsWindowed(&s->indexing, d);
    int64_t size = 1, updateDim = -1;
    if (windowed) {
      updateDim = s->indexing.window.at[window++];
      size = mloptDim(s->updates, updateDim);
    }
    MlirValue start = startOf(pull, s, d);
    MlirValue relative = mloptBuildBinary(
        b, "arith.subi",
        mloptBuildUnary(b, "arith.index_castui", s->at[d], i64), start);
    MlirValue inside =
        mloptBuildCmpI(b, "ult", relative, mloptBuildInt(b, i64, size));
    // An unsigned index beyond 2^63 must not wrap round to the front.
    inside = mloptBuildBinary(
        b, "arith.andi", inside,
        isSet(s->op, "unsigned_indices")
            ? mloptBuildCmpI(b, "sge", start, mloptBuildInt(b, i64, 0))
            : mloptBuildInt(b, mlirIntegerTypeGet(b->context, 1), 1));
    all = mlirValueIsNull(all) ? inside
                               : mloptBuildBinary(b, "arith.andi", all, inside);
    if (windowed)
      update[updateDim] =
          mloptBuildUnary(b, "arith.index_castui", relative, index);
  }
  for (int64_t d = 0, rank = mloptRank(s->updates); d < rank; ++d)
    if (!mloptHasInt(&s->indexing.window, d))
      update[d] = s->batch[batch++];
  return mlirValueIsNull(all)
             ? mloptBuildInt(b, mlirIntegerTypeGet(b->context, 1), 1)
             : all;
}

static void emitScatter(MloptPull *pull, MlirOperation op,
                        MloptElementSink sink) {
  MloptBuilder *b = mloptPullGetBuilder(pull);
  Scatter s = {.op = op,
               .operand = mloptOperandType(op, 0),
               .indices = mloptOperandType(op, 1),
               .updates = mloptOperandType(op, 2)};
  MloptSubject subject = mloptOpSubject(op);
  if (!mloptReadIndexing(&subject, &mloptScatterNames, s.operand, s.indices,
                         &s.indexing)) {
    b->failed = true;
    return;
  }
  MlirType windows = mloptTensorType(s.indexing.batchRank, s.indexing.batch,
                                     mloptElementType(s.indices));
  MloptGridLoop grid;
  MlirValue position, turn, carried, result, update[MLOPT_MAX_RANK];
  MloptPullScope outer =
      mloptBeginGridLoop(pull, &grid, mloptNumElements(s.operand), &position);
  mloptPullDelinearize(pull, s.operand, position, s.at);
  MlirValue old = mloptPullElement(pull, mloptOperand(op, 0), s.at);
  MlirValue zero = mloptBuildIndex(b, 0), one = mloptBuildIndex(b, 1);
  MlirValue count = mloptBuildIndex(b, mloptNumElements(windows));
  MloptPullScope inner = mloptPullBeginFor(pull, 1, &old, &turn, &carried);
  mloptPullDelinearize(pull, windows, turn, s.batch);
  MlirValue condition = covers(pull, &s, update);
  MloptPullScope then = mloptPullBeginBranch(pull);
  MlirValue arguments[] = {carried,
                           mloptPullElement(pull, mloptOperand(op, 2), update)};
  MlirValue combined, next;
  mloptPullBody(pull, bodyOf(op), arguments, &combined);
  mloptPullEndBranch(pull, &then, 1, &combined);
  MloptPullScope otherwise = mloptPullBeginBranch(pull);
  mloptPullEndBranch(pull, &otherwise, 1, &carried);
  MlirType element = mloptElementType(s.operand);
  mloptPullBuildIf(pull, condition, then, otherwise, 1, &element, &next);
  mloptPullEndFor(pull, inner, zero, count, one, 1, &old, &next, &result);
  give(pull, op, sink, &result, s.at);
  mloptEndGridLoop(pull, &grid, outer);
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

static const struct {
  const MloptOpDef *def;
  void (*emit)(MloptPull *, MlirOperation, MloptElementSink);
} rows[] = {
    {&mloptOp_scan, emitScan},
    {&mloptOp_scatter, emitScatter},
    {&mloptOp_sort, emitSort},
};

bool mloptIsStructured(MlirOperation op) {
  for (int i = 0; i < MLOPT_COUNT(rows); ++i)
    if (mloptIsA(op, rows[i].def))
      return true;
  return false;
}

void mloptEmitStructured(MloptPull *pull, MlirOperation op,
                         MloptElementSink sink) {
  for (int i = 0; i < MLOPT_COUNT(rows); ++i)
    if (mloptIsA(op, rows[i].def))
      rows[i].emit(pull, op, sink);
}
