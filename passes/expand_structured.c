//===- expand_structured.c - scan, scatter and sort as loops --------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `mlopt-expand-structured`, on the CPU's way only: what
// convert-mlopt-to-linalg left as mlopt operations with a region of scalars
// becomes scf loops over tensors, which one-shot-bufferize updates in place.
//
//   scan:    for each line along `dim`: for i: acc = f(acc, x[i]); out[i] = acc
//   scatter: for each update, in row-major order: if its place exists,
//            x[place] = f(x[place], update)
//   sort:    for each line: merge sort from the bottom up, log2(n) times
//            merging neighbours of `width` rows into a second buffer and
//            copying it back; a row from the right goes first only if the
//            comparator says so, which makes the sort stable.
//
//===----------------------------------------------------------------------===//

#include "passes.h"
#include "to_linalg.h"

#include "mlir-c/Dialect/Arith.h"
#include "mlir-c/Dialect/Linalg.h"
#include "mlir-c/Dialect/SCF.h"
#include "mlir-c/Dialect/Tensor.h"

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

enum { MAX_CARRIED = 96 };

/// An scf.for while it is built, and what it carries.
typedef struct Loop {
  MlirValue bounds[3]; ///< low, high, step
  intptr_t numCarried;
  MlirValue inits[MAX_CARRIED];
  MlirRegion region;
  MlirBlock block;
  MloptBuilder body; ///< appends to the block
} Loop;

static void beginLoop(MloptBuilder *b, Loop *loop, MlirValue low,
                      MlirValue high, MlirValue step, intptr_t numCarried,
                      const MlirValue *inits) {
  MlirType types[MAX_CARRIED + 1] = {mlirIndexTypeGet(b->context)};
  loop->bounds[0] = low;
  loop->bounds[1] = high;
  loop->bounds[2] = step;
  loop->numCarried = numCarried;
  for (intptr_t i = 0; i < numCarried; ++i) {
    b->failed |= mlirValueIsNull(inits[i]);
    loop->inits[i] = inits[i];
    types[i + 1] = b->failed ? types[0] : mlirValueGetType(inits[i]);
  }
  loop->region = mloptCreateRegion(b, numCarried + 1, types, &loop->block);
  loop->body = mloptBuilderAtEnd(loop->block, b->location);
  loop->body.failed = b->failed;
}

static MlirValue loopIndex(const Loop *loop) {
  return mlirBlockGetArgument(loop->block, 0);
}
static MlirValue carried(const Loop *loop, intptr_t i) {
  return mlirBlockGetArgument(loop->block, i + 1);
}

static void buildYield(MloptBuilder *b, intptr_t n, const MlirValue *values) {
  mloptBuildOp(
      b,
      (MloptOpSpec){.name = "scf.yield", .numOperands = n, .operands = values});
}

/// Carries `next` on; `results` gets what the loop ends with.
static void endLoop(MloptBuilder *b, Loop *loop, const MlirValue *next,
                    MlirValue *results) {
  buildYield(&loop->body, loop->numCarried, next);
  b->failed |= loop->body.failed;
  MlirValue operands[MAX_CARRIED + 3];
  MlirType types[MAX_CARRIED];
  memcpy(operands, loop->bounds, sizeof loop->bounds);
  for (intptr_t i = 0; i < loop->numCarried; ++i) {
    operands[i + 3] = loop->inits[i];
    types[i] = mlirValueGetType(carried(loop, i));
  }
  MlirOperation op =
      mloptBuildOp(b, (MloptOpSpec){.name = "scf.for",
                                    .numOperands = loop->numCarried + 3,
                                    .operands = operands,
                                    .numResults = loop->numCarried,
                                    .results = types,
                                    .numRegions = 1,
                                    .regions = &loop->region});
  for (intptr_t i = 0; i < loop->numCarried; ++i)
    results[i] =
        mlirOperationIsNull(op) ? (MlirValue){NULL} : mloptResult(op, i);
}

/// Loops over all dimensions of a shape but `skip` (-1: none), outermost first.
typedef struct Nest {
  intptr_t depth;
  Loop loops[MLOPT_MAX_RANK];
  MlirValue at[MLOPT_MAX_RANK]; ///< position; null at `skip`
  intptr_t numCarried;
  MlirValue carried[MAX_CARRIED]; ///< in the innermost body
} Nest;

/// Returns the builder of the innermost body, or `b` when there are no loops.
static MloptBuilder *beginNest(MloptBuilder *b, Nest *nest, MlirType shape,
                               int64_t skip, intptr_t numCarried,
                               const MlirValue *inits) {
  nest->depth = 0;
  nest->numCarried = numCarried;
  memcpy(nest->carried, inits, (size_t)numCarried * sizeof *inits);
  for (intptr_t i = 0; i < mloptRank(shape); ++i) {
    nest->at[i] = (MlirValue){NULL};
    if (i == skip)
      continue;
    Loop *loop = &nest->loops[nest->depth++];
    beginLoop(b, loop, mloptBuildIndex(b, 0),
              mloptBuildIndex(b, mloptDim(shape, i)), mloptBuildIndex(b, 1),
              numCarried, nest->carried);
    nest->at[i] = loopIndex(loop);
    for (intptr_t k = 0; k < numCarried; ++k)
      nest->carried[k] = carried(loop, k);
    b = &loop->body;
  }
  return b;
}

static void endNest(MloptBuilder *b, Nest *nest, const MlirValue *next,
                    MlirValue *results) {
  MlirValue values[MAX_CARRIED];
  memcpy(values, next, (size_t)nest->numCarried * sizeof *next);
  for (intptr_t i = nest->depth; i-- > 0;)
    endLoop(i ? &nest->loops[i - 1].body : b, &nest->loops[i], values, values);
  memcpy(results, values, (size_t)nest->numCarried * sizeof *values);
}

/// `tensor.insert`.
static MlirValue buildInsert(MloptBuilder *b, MlirValue scalar,
                             MlirValue tensor, intptr_t rank,
                             const MlirValue *at) {
  if (b->failed)
    return (MlirValue){NULL};
  MlirValue operands[MLOPT_MAX_RANK + 2] = {scalar, tensor};
  memcpy(operands + 2, at, (size_t)rank * sizeof *at);
  MlirType type = mlirValueGetType(tensor);
  return mloptBuildValue(b, (MloptOpSpec){.name = "tensor.insert",
                                          .numOperands = rank + 2,
                                          .operands = operands,
                                          .numResults = 1,
                                          .results = &type});
}

//===----------------------------------------------------------------------===//
// scan
//===----------------------------------------------------------------------===//

static void expandScan(MloptLowering *l, MlirValue *results) {
  MloptBuilder *b = &l->b;
  intptr_t n = l->numOperands / 2;
  MlirType type = mloptOperandType(l->op, 0);
  intptr_t rank = mloptRank(type);
  int64_t dim = mloptGetInt(l->op, "dim"), size = mloptDim(type, dim);
  bool reverse = !mlirAttributeIsNull(mloptAttr(l->op, "reverse"));
  MlirValue start[MAX_CARRIED], outs[MAX_CARRIED];
  for (intptr_t i = 0; i < n; ++i) {
    start[i] = mloptBuildExtract(b, l->operands[n + i], 0, NULL);
    outs[i] = mloptBuildEmpty(b, mloptResultType(l->op, i));
  }
  Nest lines;
  MloptBuilder *in = beginNest(b, &lines, type, dim, n, outs);

  Loop line; // carries accumulators, then outputs
  memcpy(start + n, lines.carried, (size_t)n * sizeof *start);
  beginLoop(in, &line, mloptBuildIndex(in, 0), mloptBuildIndex(in, size),
            mloptBuildIndex(in, 1), 2 * n, start);
  lines.at[dim] = loopIndex(&line);
  if (reverse)
    lines.at[dim] =
        mloptBuildBinary(&line.body, "arith.subi",
                         mloptBuildIndex(&line.body, size - 1), lines.at[dim]);
  MlirValue args[MAX_CARRIED], next[MAX_CARRIED];
  for (intptr_t i = 0; i < n; ++i) {
    args[i] = carried(&line, i);
    args[n + i] = mloptBuildExtract(&line.body, l->operands[i], rank, lines.at);
  }
  mloptInlineBody(l, line.block, 2 * n, args, next);
  for (intptr_t i = 0; i < n; ++i)
    next[n + i] =
        buildInsert(&line.body, next[i], carried(&line, n + i), rank, lines.at);
  MlirValue ends[MAX_CARRIED];
  endLoop(in, &line, next, ends);
  endNest(b, &lines, ends + n, results);
}

//===----------------------------------------------------------------------===//
// scatter
//===----------------------------------------------------------------------===//

/// Whether the position lies in the tensor, as far as starts lead astray.
static MlirValue buildIsInside(MloptBuilder *b, const MloptAddressing *a,
                               const MlirValue *position) {
  MlirValue inside = mloptBuildInt(b, mlirIntegerTypeGet(b->context, 1), 1);
  for (intptr_t k = 0; k < a->dims.map.count; ++k) {
    int64_t d = a->dims.map.at[k];
    MlirValue fits =
        mloptBuildCmpI(b, "ult", position[d], mloptBuildIndex(b, a->limits[d]));
    inside = mloptBuildBinary(b, "arith.andi", inside, fits);
  }
  return inside;
}

/// The tensor with one update combined into it, at the end of `block`.
static MlirValue buildUpdate(MloptLowering *l, MlirBlock block,
                             MlirValue tensor, MlirValue update, intptr_t rank,
                             const MlirValue *position) {
  MloptBuilder b = mloptBuilderAtEnd(block, l->b.location);
  MlirValue args[] = {mloptBuildExtract(&b, tensor, rank, position), update};
  MlirValue combined;
  mloptInlineBody(l, block, 2, args, &combined);
  MlirValue updated = buildInsert(&b, combined, tensor, rank, position);
  l->b.failed |= b.failed;
  return updated;
}

static MlirValue buildUpdateIf(MloptLowering *l, MloptBuilder *b,
                               MlirValue condition, MlirValue tensor,
                               MlirValue update, intptr_t rank,
                               const MlirValue *position) {
  if (b->failed)
    return (MlirValue){NULL};
  MlirType type = mlirValueGetType(tensor);
  MlirBlock blocks[2];
  MlirRegion regions[2];
  for (int i = 0; i < 2; ++i)
    regions[i] = mloptCreateRegion(b, 0, NULL, &blocks[i]);
  MlirValue updated = buildUpdate(l, blocks[0], tensor, update, rank, position);
  MlirValue yielded[] = {updated, tensor};
  for (int i = 0; i < 2; ++i) {
    MloptBuilder in = mloptBuilderAtEnd(blocks[i], b->location);
    buildYield(&in, 1, &yielded[i]);
    b->failed |= in.failed;
  }
  return mloptBuildValue(b, (MloptOpSpec){.name = "scf.if",
                                          .numOperands = 1,
                                          .operands = &condition,
                                          .numResults = 1,
                                          .results = &type,
                                          .numRegions = 2,
                                          .regions = regions});
}

static void expandScatter(MloptLowering *l, MlirValue *results) {
  MlirOperation op = l->op;
  MlirType operand = mloptOperandType(op, 0), updates = mloptOperandType(op, 2);
  intptr_t rank = mloptRank(operand), updateRank = mloptRank(updates);
  MloptAddressing a = mloptDescribeAddressing(op, &mloptScatterNames);
  Nest nest;
  MloptBuilder *in = beginNest(&l->b, &nest, updates, -1, 1, &l->operands[0]);
  MlirValue position[MLOPT_MAX_RANK];
  mloptBuildAddress(in, &a, l->operands[1], updateRank, nest.at, rank,
                    position);
  MlirValue update = mloptBuildExtract(in, l->operands[2], updateRank, nest.at);
  MlirValue next = buildUpdateIf(l, in, buildIsInside(in, &a, position),
                                 nest.carried[0], update, rank, position);
  endNest(&l->b, &nest, &next, results);
}

//===----------------------------------------------------------------------===//
// sort
//===----------------------------------------------------------------------===//

/// A sort of the n operands' lines of `size` rows.
typedef struct Sort {
  MloptLowering *l;
  intptr_t n;
  int64_t size, from, to; ///< of a line; of its runs, before and after
} Sort;

/// Loops over k in [low, end): takes the next row of [low, middle) or of
/// [middle, end) from `rows` to `merged`.
static void mergeRuns(const Sort *s, MloptBuilder *b, MlirValue low,
                      MlirValue middle, MlirValue end, const MlirValue *rows,
                      const MlirValue *merged, MlirValue *results) {
  MlirValue inits[MAX_CARRIED] = {low, middle};
  memcpy(inits + 2, merged, (size_t)s->n * sizeof *merged);
  Loop loop;
  beginLoop(b, &loop, low, end, mloptBuildIndex(b, 1), s->n + 2, inits);
  MloptBuilder *in = &loop.body;
  MlirValue left = carried(&loop, 0), right = carried(&loop, 1);
  // An exhausted run is read at the last row, and what is read is not used.
  MlirValue last = mloptBuildIndex(in, s->size - 1);
  MlirValue leftAt = mloptBuildBinary(in, "arith.minsi", left, last);
  MlirValue rightAt = mloptBuildBinary(in, "arith.minsi", right, last);
  MlirValue args[MAX_CARRIED], next[MAX_CARRIED], before;
  for (intptr_t i = 0; i < s->n; ++i) {
    args[2 * i] = mloptBuildExtract(in, rows[i], 1, &rightAt);
    args[2 * i + 1] = mloptBuildExtract(in, rows[i], 1, &leftAt);
  }
  mloptInlineBody(s->l, loop.block, 2 * s->n, args, &before);
  MlirValue leftDone = mloptBuildCmpI(in, "sge", left, middle);
  MlirValue rightLeft = mloptBuildCmpI(in, "slt", right, end);
  MlirValue takeRight =
      mloptBuildBinary(in, "arith.andi", rightLeft,
                       mloptBuildBinary(in, "arith.ori", leftDone, before));
  MlirValue one = mloptBuildIndex(in, 1), k = loopIndex(&loop);
  next[0] = mloptBuildSelect(in, takeRight, left,
                             mloptBuildBinary(in, "arith.addi", left, one));
  next[1] = mloptBuildSelect(
      in, takeRight, mloptBuildBinary(in, "arith.addi", right, one), right);
  for (intptr_t i = 0; i < s->n; ++i) {
    MlirValue row =
        mloptBuildSelect(in, takeRight, args[2 * i], args[2 * i + 1]);
    next[i + 2] = buildInsert(in, row, carried(&loop, i + 2), 1, &k);
  }
  MlirValue ends[MAX_CARRIED];
  endLoop(b, &loop, next, ends);
  memcpy(results, ends + 2, (size_t)s->n * sizeof *results);
}

/// Loops over pairs of runs of `width` rows.
static void mergePairs(const Sort *s, MloptBuilder *b, MlirValue width,
                       const MlirValue *rows, const MlirValue *merged,
                       MlirValue *results) {
  Loop loop;
  MlirValue size = mloptBuildIndex(b, s->size);
  beginLoop(b, &loop, mloptBuildIndex(b, 0), size,
            mloptBuildBinary(b, "arith.addi", width, width), s->n, merged);
  MloptBuilder *in = &loop.body;
  MlirValue low = loopIndex(&loop), carriedIn[MAX_CARRIED], next[MAX_CARRIED];
  MlirValue middle = mloptBuildBinary(
      in, "arith.minsi", mloptBuildBinary(in, "arith.addi", low, width), size);
  MlirValue end =
      mloptBuildBinary(in, "arith.minsi",
                       mloptBuildBinary(in, "arith.addi", middle, width), size);
  for (intptr_t i = 0; i < s->n; ++i)
    carriedIn[i] = carried(&loop, i);
  mergeRuns(s, in, low, middle, end, rows, carriedIn, next);
  endLoop(b, &loop, next, results);
}

/// Copies a line into another, in place.
static MlirValue copyLine(MloptBuilder *b, MlirValue from, MlirValue to) {
  MloptGeneric g = {.numLoops = 1};
  mloptAddInput(&g, from, mloptIdentityMap(b->context, 1));
  mloptAddOutput(&g, to, mloptIdentityMap(b->context, 1));
  mloptBeginGeneric(b, &g);
  return mloptEndGenericValue(b, &g, mloptGenericArg(&g, 0));
}

/// Sorts lines; `rows` and the buffers `merged` are replaced.
static void sortLines(const Sort *s, MloptBuilder *b, MlirValue *rows,
                      MlirValue *merged) {
  int64_t rounds = 0;
  while (s->from << rounds < s->to)
    ++rounds;
  MlirValue inits[MAX_CARRIED], next[MAX_CARRIED];
  memcpy(inits, rows, (size_t)s->n * sizeof *rows);
  memcpy(inits + s->n, merged, (size_t)s->n * sizeof *merged);
  Loop loop;
  beginLoop(b, &loop, mloptBuildIndex(b, 0), mloptBuildIndex(b, rounds),
            mloptBuildIndex(b, 1), 2 * s->n, inits);
  MloptBuilder *in = &loop.body;
  MlirValue width = mloptBuildBinary(
      in, "arith.shli", mloptBuildIndex(in, s->from), loopIndex(&loop));
  MlirValue buffers[MAX_CARRIED];
  for (intptr_t i = 0; i < 2 * s->n; ++i)
    buffers[i] = carried(&loop, i);
  mergePairs(s, in, width, buffers, buffers + s->n, next + s->n);
  for (intptr_t i = 0; i < s->n; ++i)
    next[i] = copyLine(in, next[s->n + i], buffers[i]);
  endLoop(b, &loop, next, next);
  memcpy(rows, next, (size_t)s->n * sizeof *rows);
  memcpy(merged, next + s->n, (size_t)s->n * sizeof *merged);
}

/// The rows of a run as an attribute says, or of a line at most.
static int64_t runOf(MlirOperation op, const char *name, int64_t otherwise) {
  if (mlirAttributeIsNull(mloptAttr(op, name)))
    return otherwise;
  int64_t size = mloptDim(mloptOperandType(op, 0), mloptGetInt(op, "dim"));
  int64_t run = mloptGetInt(op, name);
  return run < size ? run : size;
}

static void expandSort(MloptLowering *l, MlirValue *results) {
  MloptBuilder *b = &l->b;
  MlirType type = mloptOperandType(l->op, 0);
  int64_t dim = mloptGetInt(l->op, "dim");
  int64_t size = mloptDim(type, dim);
  Sort s = {l, mlirOperationGetNumResults(l->op), size, runOf(l->op, "from", 1),
            runOf(l->op, "to", size)};
  MlirValue inits[MAX_CARRIED], next[MAX_CARRIED];
  MlirType lineTypes[MAX_CARRIED];
  for (intptr_t i = 0; i < s.n; ++i) {
    lineTypes[i] = mloptTensorType(
        1, &s.size, mloptElementType(mloptOperandType(l->op, i)));
    inits[i] = l->operands[i];
    inits[s.n + i] = mloptBuildEmpty(b, lineTypes[i]);
  }
  Nest nest;
  MloptBuilder *in = beginNest(b, &nest, type, dim, 2 * s.n, inits);
  MloptSlice line = mloptWholeSlice(type);
  for (intptr_t i = 0; i < line.rank; ++i)
    if (i != dim) {
      line.sizes[i] = 1;
      line.dynamicOffsets[i] = nest.at[i];
    }
  MlirValue rows[MAX_CARRIED], *merged = next + s.n;
  for (intptr_t i = 0; i < s.n; ++i) {
    rows[i] = mloptBuildExtractSlice(in, nest.carried[i], &line, lineTypes[i]);
    merged[i] = nest.carried[s.n + i];
  }
  sortLines(&s, in, rows, merged);
  for (intptr_t i = 0; i < s.n; ++i)
    next[i] = mloptBuildInsertSlice(in, rows[i], nest.carried[i], &line);
  endNest(b, &nest, next, next);
  memcpy(results, next, (size_t)s.n * sizeof *results);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static const MloptLoweringRow rows[] = {
    {&mloptOp_scan, expandScan},
    {&mloptOp_scatter, expandScatter},
    {&mloptOp_sort, expandSort},
};

/// One diagnostic at an operation that still has a kind or keys.
static MlirWalkResult checkBody(MlirOperation op, void *userData) {
  bool mine = false;
  for (int i = 0; i < MLOPT_COUNT(rows); ++i)
    mine |= mloptIsA(op, rows[i].def);
  if (!mine || mloptHasBody(op))
    return MlirWalkResultAdvance;
  *(MlirLogicalResult *)userData =
      mloptOpError(op, "has no region; convert-mlopt-to-linalg gives it one");
  return MlirWalkResultInterrupt;
}

static void run(MlirOperation root, MloptPass pass) {
  MlirLogicalResult result = mloptCheckStatic(root);
  if (!mloptFailed(result))
    mlirOperationWalk(root, checkBody, &result, MlirWalkPreOrder);
  if (mloptFailed(result)) {
    mloptPassSignalFailure(pass);
    return;
  }
  MlirConversionTarget target =
      mloptCreateLoweringTarget(mlirOperationGetContext(root));
  for (int i = 0; i < MLOPT_COUNT(rows); ++i)
    mlirConversionTargetAddIllegalOp(target, mloptStr(rows[i].def->name));
  MloptLowerings lowerings = {NULL, 0, rows, MLOPT_COUNT(rows), false};
  if (mloptFailed(mloptRunLowerings(root, target, &lowerings)))
    mloptPassSignalFailure(pass);
  mlirConversionTargetDestroy(target);
}

static MlirDialectHandle (*const dependent[])(void) = {
    mlirGetDialectHandle__arith__, mlirGetDialectHandle__linalg__,
    mlirGetDialectHandle__scf__, mlirGetDialectHandle__tensor__, NULL};

const MloptPassDef mloptPass_expandStructured MLOPT_TABLE = {
    .argument = "mlopt-expand-structured",
    .summary = "Expand scan, scatter and sort into loops over tensors",
    .doc = "mlopt.scan, mlopt.scatter and mlopt.sort, each with a region of "
           "scalars as convert-mlopt-to-linalg leaves them, become scf loops "
           "that read and write tensors element by element: a scatter in "
           "row-major order of its updates, a sort as a stable merge sort. For "
           "the CPU; other targets have kernels for these.",
    .anchor = "func.func",
    .dependent = dependent,
    .run = run,
};
