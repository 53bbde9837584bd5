//===- emit_pull_generic.c - One point of a linalg.generic ----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops that an output's map names stand at the element that is wanted; the
// others are reductions and become scf.for nests, in the order of the iteration
// space, which is the order of the CPU path, so that both round alike.
//
//   out(i) = generic(reduction k)  ->  acc = init(i); for k: acc = body(...,
//   acc)
//
//===----------------------------------------------------------------------===//

#include "emit_pull_impl.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"

#include <stdlib.h>

/// A linalg.generic and where its loops stand; null: still to be opened.
typedef struct Point {
  MlirOperation op;
  MlirBlock body;
  intptr_t numOperands, numInputs, numLoops;
  MlirAttribute maps;
  MlirValue loops[2 * MLOPT_MAX_RANK + 1];
} Point;

static MlirAffineMap mapOf(const Point *point, intptr_t operand) {
  return mlirAffineMapAttrGetValue(
      mlirArrayAttrGetElement(point->maps, operand));
}

static Point openPoint(MlirOperation op) {
  Point point = {.op = op,
                 .body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)),
                 .numOperands = mlirOperationGetNumOperands(op),
                 .maps = mloptAttr(op, "indexing_maps")};
  point.numInputs = point.numOperands - mlirOperationGetNumResults(op);
  if (point.numOperands)
    point.numLoops = mlirAffineMapGetNumDims(mapOf(&point, 0));
  return point;
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

static MlirValue buildExpr(MloptPull *pull, const Point *point,
                           MlirAffineExpr expr) {
  if (mlirAffineExprIsADim(expr))
    return point->loops[mlirAffineDimExprGetPosition(expr)];
  if (mlirAffineExprIsAConstant(expr))
    return mloptPullIndex(pull, mlirAffineConstantExprGetValue(expr));
  if (mlirAffineExprIsACeilDiv(expr)) {
    mloptOpError(point->op, "cannot be emitted: its indexing map rounds up");
    pull->b.failed = true;
    return (MlirValue){NULL};
  }
  MlirValue a = buildExpr(pull, point, mlirAffineBinaryOpExprGetLHS(expr));
  MlirValue b = buildExpr(pull, point, mlirAffineBinaryOpExprGetRHS(expr));
  if (mlirAffineExprIsAAdd(expr))
    return mloptPullAdd(pull, a, b);
  if (mlirAffineExprIsAMul(expr))
    return mloptPullTimes(pull, a, b);
  return mloptBuildBinary(
      &pull->b, mlirAffineExprIsAMod(expr) ? "arith.remui" : "arith.divui", a,
      b);
}

static MlirValue operandElement(MloptPull *pull, const Point *point,
                                intptr_t operand) {
  MlirValue value = mloptOperand(point->op, operand);
  if (!mlirTypeIsAShaped(mlirValueGetType(value)))
    return mloptPullScalar(pull, value);
  MlirAffineMap map = mapOf(point, operand);
  MlirValue indices[MLOPT_MAX_RANK];
  for (intptr_t i = 0, n = mlirAffineMapGetNumResults(map); i < n; ++i)
    indices[i] = buildExpr(pull, point, mlirAffineMapGetResult(map, i));
  return mloptPullElement(pull, value, indices);
}

/// How often a loop runs: the size of a dimension that it indexes alone.
static int64_t loopSize(const Point *point, intptr_t loop) {
  for (intptr_t i = 0; i < point->numOperands; ++i) {
    MlirAffineMap map = mapOf(point, i);
    for (intptr_t j = 0, n = mlirAffineMapGetNumResults(map); j < n; ++j) {
      MlirAffineExpr expr = mlirAffineMapGetResult(map, j);
      if (mlirAffineExprIsADim(expr) &&
          mlirAffineDimExprGetPosition(expr) == loop)
        return mloptDim(mloptOperandType(point->op, i), j);
    }
  }
  return -1;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// In an operation that was copied with regions, what reads tensors or loops.
typedef struct Nested {
  MloptPull *pull;
  const Point *point;
} Nested;

static MlirWalkResult resolveNested(MlirOperation op, void *userData) {
  const Nested *nested = userData;
  MloptPull *pull = nested->pull;
  MlirValue value;
  if (mloptIsNamed(op, "linalg.index") && nested->point) {
    value =
        nested->point->loops[mlirIntegerAttrGetValueInt(mloptAttr(op, "dim"))];
  } else if (mloptIsNamed(op, "tensor.extract")) {
    MloptBuilder outer = pull->b;
    intptr_t numCached = pull->numCached, numPositions = pull->numPositions;
    intptr_t numFacts = pull->numFacts;
    pull->b.block = mlirOperationGetBlock(op);
    pull->b.before = op;
    MlirValue indices[MLOPT_MAX_RANK];
    for (intptr_t i = 1, n = mlirOperationGetNumOperands(op); i < n; ++i)
      indices[i - 1] = mloptOperand(op, i);
    value = mloptPullElement(pull, mloptOperand(op, 0), indices);
    pull->numCached = numCached;
    pull->numPositions = numPositions;
    pull->numFacts = numFacts;
    outer.failed = pull->b.failed;
    pull->b = outer;
  } else {
    return MlirWalkResultAdvance;
  }
  if (pull->b.failed)
    return MlirWalkResultInterrupt;
  mlirValueReplaceAllUsesOfWith(mloptResult(op, 0), value);
  mlirOperationDestroy(op);
  return MlirWalkResultAdvance;
}

static void copyOperation(MloptPull *pull, MlirOperation op,
                          const Point *point) {
  MlirOperation copy = mloptCloneWithMapping(
      op, pull->scalars.count, pull->scalars.from, pull->scalars.to);
  if (mlirOperationIsNull(pull->b.before))
    mlirBlockAppendOwnedOperation(pull->b.block, copy);
  else
    mlirBlockInsertOwnedOperationBefore(pull->b.block, pull->b.before, copy);
  if (mlirOperationGetNumRegions(op)) {
    Nested nested = {pull, point};
    mlirOperationWalk(copy, resolveNested, &nested, MlirWalkPostOrder);
  }
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i)
    mloptPullBindScalar(pull, mloptResult(op, i), mloptResult(copy, i));
}

void mloptPullOperation(MloptPull *pull, MlirOperation op, const void *at) {
  const Point *point = at;
  if (pull->b.failed)
    return;
  if (mloptIsNamed(op, "linalg.index") && point) {
    int64_t loop = mlirIntegerAttrGetValueInt(mloptAttr(op, "dim"));
    mloptPullBindScalar(pull, mloptResult(op, 0), point->loops[loop]);
  } else if (mloptIsNamed(op, "tensor.extract")) {
    MlirValue indices[MLOPT_MAX_RANK];
    for (intptr_t i = 1, n = mlirOperationGetNumOperands(op); i < n; ++i)
      indices[i - 1] = mloptPullScalar(pull, mloptOperand(op, i));
    mloptPullBindScalar(pull, mloptResult(op, 0),
                        mloptPullElement(pull, mloptOperand(op, 0), indices));
  } else {
    // Operands from outside the body, so that the copy finds them.
    for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
      mloptPullScalar(pull, mloptOperand(op, i));
    if (!pull->b.failed)
      copyOperation(pull, op, point);
  }
}

/// A value of a body, by the inputs and operations that it needs alone; they
/// come before it, so each finds its operands.
static MlirValue pullBodyValue(MloptPull *pull, MlirValue value,
                               const Point *point) {
  MlirValue known = mloptValueMapFind(&pull->scalars, value);
  if (mlirValueIsNull(known) && !pull->b.failed &&
      mlirValueIsABlockArgument(value) &&
      mlirBlockEqual(mlirBlockArgumentGetOwner(value), point->body)) {
    known = operandElement(pull, point, mlirBlockArgumentGetArgNumber(value));
    mloptPullBindScalar(pull, value, known);
  }
  if (!mlirValueIsNull(known) || pull->b.failed ||
      !mlirValueIsAOpResult(value) ||
      !mlirBlockEqual(mlirOperationGetBlock(mlirOpResultGetOwner(value)),
                      point->body))
    return mlirValueIsNull(known) ? mloptPullScalar(pull, value) : known;
  MlirOperation op = mlirOpResultGetOwner(value);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (!mlirTypeIsAShaped(mloptOperandType(op, i)))
      pullBodyValue(pull, mloptOperand(op, i), point);
  // What regions read of the body is found by the copy.
  for (intptr_t i = 0; mlirOperationGetNumRegions(op) && i < point->numInputs;
       ++i)
    pullBodyValue(pull, mlirBlockGetArgument(point->body, i), point);
  mloptPullOperation(pull, op, point);
  return mloptValueMapFind(&pull->scalars, value);
}

/// Runs a block of scalar operations; writes what its terminator yields.
static void runOperations(MloptPull *pull, MlirBlock body, const Point *point,
                          MlirValue *yielded) {
  MlirOperation yield = mlirBlockGetTerminator(body);
  for (MlirOperation op = mlirBlockGetFirstOperation(body);
       !mlirOperationEqual(op, yield) && !pull->b.failed;
       op = mlirOperationGetNextInBlock(op))
    mloptPullOperation(pull, op, point);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(yield); i < n; ++i)
    yielded[i] = mloptPullScalar(pull, mloptOperand(yield, i));
}

void mloptPullBody(MloptPull *pull, MlirBlock body, const MlirValue *arguments,
                   MlirValue *yielded) {
  intptr_t numScalars = pull->scalars.count;
  for (intptr_t i = 0, n = mlirBlockGetNumArguments(body); i < n; ++i)
    mloptPullBindScalar(pull, mlirBlockGetArgument(body, i), arguments[i]);
  runOperations(pull, body, NULL, yielded);
  pull->scalars.count = numScalars;
}

/// Runs the body at the point; `accumulators` (may be NULL) stand for the
/// outputs' elements. Writes what it yields.
static void runBody(MloptPull *pull, const Point *point,
                    const MlirValue *accumulators, MlirValue *yielded) {
  intptr_t numScalars = pull->scalars.count;
  for (intptr_t i = 0; i < point->numOperands; ++i) {
    MlirValue argument = mlirBlockGetArgument(point->body, i);
    if (mlirOpOperandIsNull(mlirValueGetFirstUse(argument)))
      continue;
    bool carried = accumulators && i >= point->numInputs;
    mloptPullBindScalar(pull, argument,
                        carried ? accumulators[i - point->numInputs]
                                : operandElement(pull, point, i));
  }
  runOperations(pull, point->body, point, yielded);
  pull->scalars.count = numScalars;
}

/// Opens the loops from `loop` on that do not stand yet, then runs the body.
static void reduceFrom(MloptPull *pull, Point *point, intptr_t loop,
                       intptr_t numCarried, const MlirValue *accumulators,
                       MlirValue *out) {
  while (loop < point->numLoops && !mlirValueIsNull(point->loops[loop]))
    ++loop;
  if (loop == point->numLoops || pull->b.failed) {
    runBody(pull, point, accumulators, out);
    return;
  }
  MlirValue lower = mloptPullIndex(pull, 0), step = mloptPullIndex(pull, 1);
  MlirValue upper = mloptPullIndex(pull, loopSize(point, loop));
  MlirValue carried[MLOPT_PULL_MAX_CARRIED], next[MLOPT_PULL_MAX_CARRIED];
  MloptPullScope scope = mloptPullBeginFor(pull, numCarried, accumulators,
                                           &point->loops[loop], carried);
  reduceFrom(pull, point, loop + 1, numCarried, carried, next);
  mloptPullEndFor(pull, scope, lower, upper, step, numCarried, accumulators,
                  next, out);
  point->loops[loop] = (MlirValue){NULL};
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

static const MlirValue *findCached(const MloptPull *pull, MlirOperation op,
                                   MlirAffineMap map,
                                   const MlirValue *indices) {
  intptr_t rank = mlirAffineMapGetNumResults(map);
  for (intptr_t i = pull->numCached; i-- > 0;) {
    const MloptPullCached *c = &pull->cached[i];
    bool same =
        mlirOperationEqual(c->op, op) && mlirAffineMapEqual(c->map, map);
    for (intptr_t j = 0; same && j < rank; ++j)
      same = mlirValueEqual(c->indices[j], indices[j]);
    if (same)
      return c->results;
  }
  return NULL;
}

static MloptPullCached *addCached(MloptPull *pull) {
  return mloptPullGrow(pull, (void **)&pull->cached, pull->numCached,
                       &pull->maxCached, sizeof *pull->cached)
             ? &pull->cached[pull->numCached++]
             : NULL;
}

static Point pointAt(MlirOperation op, const MlirValue *loops) {
  Point point = openPoint(op);
  memcpy(point.loops, loops, point.numLoops * sizeof *loops);
  return point;
}

void mloptPullGenericBody(MloptPull *pull, MlirOperation op,
                          const MlirValue *loops, intptr_t numWanted,
                          const MlirValue *wanted, MlirValue *out) {
  Point point = pointAt(op, loops);
  intptr_t numScalars = pull->scalars.count;
  for (intptr_t i = 0; i < numWanted; ++i)
    out[i] = pullBodyValue(pull, wanted[i], &point);
  pull->scalars.count = numScalars;
}

MlirValue mloptPullBodySlice(MloptPull *pull, MlirValue value, intptr_t count,
                             const MlirValue *from, const MlirValue *to) {
  MlirOperation generic = mlirBlockGetParentOperation(
      mlirOperationGetBlock(mlirOpResultGetOwner(value)));
  Point point = openPoint(generic);
  intptr_t numScalars = pull->scalars.count;
  for (intptr_t i = 0; i < count; ++i)
    mloptPullBindScalar(pull, from[i], to[i]);
  MlirValue out = pullBodyValue(pull, value, &point);
  pull->scalars.count = numScalars;
  return out;
}

MlirValue mloptPullGenericOperand(MloptPull *pull, MlirOperation op,
                                  intptr_t operand, const MlirValue *loops) {
  Point point = pointAt(op, loops);
  return operandElement(pull, &point, operand);
}

void mloptPullBindElements(MloptPull *pull, MlirOperation op, intptr_t rank,
                           const MlirValue *indices,
                           const MlirValue *elements) {
  intptr_t n = mlirOperationGetNumResults(op);
  bool fits = !pull->b.failed && n <= MLOPT_PULL_MAX_CARRIED;
  MloptPullCached *entry = fits ? addCached(pull) : NULL;
  pull->b.failed |= !entry;
  if (!entry)
    return;
  *entry = (MloptPullCached){
      .op = op,
      .map = mlirAffineMapMultiDimIdentityGet(pull->b.context, rank),
      .rank = rank,
      .numResults = n};
  memcpy(entry->indices, indices, rank * sizeof *indices);
  memcpy(entry->results, elements, n * sizeof *elements);
}

MlirValue mloptPullFindElement(MloptPull *pull, MlirValue tensor,
                               const MlirValue *indices) {
  intptr_t rank = mloptRank(mlirValueGetType(tensor));
  const MlirValue *known = findCached(
      pull, mlirOpResultGetOwner(tensor),
      mlirAffineMapMultiDimIdentityGet(pull->b.context, rank), indices);
  return known ? known[mlirOpResultGetResultNumber(tensor)] : (MlirValue){NULL};
}

const MlirValue *mloptPullGeneric(MloptPull *pull, MlirOperation op,
                                  intptr_t result, const MlirValue *indices) {
  Point point = openPoint(op);
  MlirAffineMap outMap = mapOf(&point, point.numInputs + result);
  intptr_t rank = mlirAffineMapGetNumResults(outMap);
  const MlirValue *known = findCached(pull, op, outMap, indices);
  if (known)
    return known;
  intptr_t numResults = mlirOperationGetNumResults(op);
  if (numResults > MLOPT_PULL_MAX_CARRIED) {
    mloptOpError(op, "cannot be emitted: %ld results exceed the limit of %d",
                 (long)numResults, MLOPT_PULL_MAX_CARRIED);
    pull->b.failed = true;
    return NULL;
  }
  bool reduces = false;
  for (intptr_t i = 0; i < rank; ++i) {
    MlirAffineExpr expr = mlirAffineMapGetResult(outMap, i);
    if (mlirAffineExprIsADim(expr))
      point.loops[mlirAffineDimExprGetPosition(expr)] = indices[i];
  }
  for (intptr_t i = 0; i < point.numLoops; ++i) {
    if (mlirValueIsNull(point.loops[i]) && loopSize(&point, i) == 1)
      point.loops[i] = mloptPullIndex(pull, 0);
    reduces |= mlirValueIsNull(point.loops[i]);
  }

  MlirValue results[MLOPT_PULL_MAX_CARRIED];
  if (reduces && pull->hooks.reduce &&
      pull->hooks.reduce(pull->hooks.userData, op, point.loops, results)) {
    // The emitter has shared it between threads.
  } else if (reduces) {
    MlirValue init[MLOPT_PULL_MAX_CARRIED];
    for (intptr_t i = 0; i < numResults; ++i)
      init[i] = operandElement(pull, &point, point.numInputs + i);
    reduceFrom(pull, &point, 0, numResults, init, results);
  } else {
    runBody(pull, &point, NULL, results);
  }
  MloptPullCached *entry = pull->b.failed ? NULL : addCached(pull);
  if (!entry)
    return NULL;
  *entry = (MloptPullCached){
      .op = op, .map = outMap, .rank = rank, .numResults = numResults};
  memcpy(entry->indices, indices, rank * sizeof *indices);
  memcpy(entry->results, results, numResults * sizeof *results);
  return entry->results;
}
