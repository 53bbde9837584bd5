//===- emit_rows_stream.c - Reductions of a row in one go along it --------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emit_rows.h"

#include <math.h>

static MlirValue f32(MloptRows *r, double value) {
  return mloptBuildFloat(r->b, mlirF32TypeGet(r->b->context), value);
}

/// exp(x - reference), which is 1 at most. The unit takes log2(e) times the
/// difference, rounded: that is off by |x - reference| 2^-24 of the term, next
/// to nothing of a sum that has a 1 in it.
static MlirValue exponential(MloptRows *r, MlirValue x, MlirValue reference) {
  MlirValue scaled = mloptBuildBinary(
      r->b, "arith.mulf", mloptBuildBinary(r->b, "arith.subf", x, reference),
      f32(r, M_LOG2E));
  if (r->b->failed)
    return scaled;
  MlirContext c = r->b->context;
  MlirType type = mlirValueGetType(scaled);
  MlirNamedAttribute attrs[] = {
      mloptNamedAttr(c, "intrin",
                     mloptStrAttr(c, "llvm.nvvm.ex2.approx.ftz.f32")),
      mloptNamedAttr(c, "operandSegmentSizes",
                     mlirAttributeParseGet(c, mloptStr("array<i32: 1, 0>"))),
      mloptNamedAttr(c, "op_bundle_sizes",
                     mlirAttributeParseGet(c, mloptStr("array<i32>")))};
  return mloptBuildValue(r->b, (MloptOpSpec){.name = "llvm.call_intrinsic",
                                             .numOperands = 1,
                                             .operands = &scaled,
                                             .numResults = 1,
                                             .results = &type,
                                             .numAttrs = MLOPT_COUNT(attrs),
                                             .attrs = attrs});
}

/// `count` values by one operation, halving; `values` is overwritten.
static MlirValue fold(MloptRows *r, const char *name, intptr_t count,
                      MlirValue *values) {
  for (; count > 1; count = (count + 1) / 2)
    for (intptr_t i = 0, half = (count + 1) / 2; i + half < count; ++i)
      values[i] = mloptBuildBinary(r->b, name, values[i], values[i + half]);
  return values[0];
}

enum { MAX_ELEMENTS = MLOPT_ROWS_MAX_TURN * MLOPT_MAX_LANES };

/// Adds the open vectors to a reduction of one result, halving first: what a
/// stream does with the same elements is then the same code.
static void accumulateTree(MloptRows *r, const MloptShared *shared,
                           MlirValue *partial) {
  MlirValue elements[MAX_ELEMENTS];
  intptr_t n = 0;
  for (intptr_t v = 0; v < r->numVectors; ++v)
    for (int k = 0; k < r->vectors[v].count; ++k)
      mloptRowsElements(r, shared, v, k, &elements[n++]);
  mloptBuildTree(r->pull, shared, n, elements);
  mloptBuildStep(r->pull, shared, partial, elements);
}

/// Adds the open vectors to a sum of exp(a - m): `state` is the largest a so
/// far, then the sum for it.
static void stream(MloptRows *r, const MloptAlong *along, MlirValue *state) {
  MlirValue a[MAX_ELEMENTS], values[MAX_ELEMENTS];
  MlirValue loops[2 * MLOPT_MAX_RANK + 1];
  MlirValue none = f32(r, -INFINITY);
  intptr_t n = 0;
  for (intptr_t v = 0; v < r->numVectors; ++v) {
    r->tile.vector = &r->vectors[v];
    for (int k = 0; k < r->vectors[v].count; ++k, ++n) {
      r->tile.lane = k;
      mloptSharedLoops(r->pull, &along->shared, r->row, r->vectors[v].column[k],
                       loops);
      mloptPullGenericBody(r->pull, along->streamed.generic, loops, 1,
                           &along->streamed.a, &a[n]);
      if (!mlirValueIsNull(r->valid[v]))
        a[n] = mloptBuildSelect(r->b, r->valid[v], a[n], none);
    }
  }
  memcpy(values, a, n * sizeof *a);
  MlirValue most = mloptBuildBinary(r->b, "arith.maximumf", state[0],
                                    fold(r, "arith.maximumf", n, values));
  // As long as there is nothing but -inf, exp(a - 0) is 0 too.
  MlirValue reference = mloptBuildSelect(
      r->b, mloptBuildCmpF(r->b, "oeq", most, none), f32(r, 0), most);
  for (intptr_t i = 0; i < n; ++i)
    values[i] = exponential(r, a[i], reference);
  MlirValue scaled = mloptBuildBinary(r->b, "arith.mulf", state[1],
                                      exponential(r, state[0], reference));
  state[1] = mloptBuildBinary(r->b, "arith.addf", scaled,
                              fold(r, "arith.addf", n, values));
  state[0] = most;
}

/// The reductions of the program that can go along the row together.
static void findTogether(MloptRows *r) {
  for (MlirOperation op = mlirBlockGetFirstOperation(r->kernel->program);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!mloptIsReduction(op) || r->numTogether == MLOPT_ROWS_MAX_TOGETHER)
      continue;
    MloptAlong *along = &r->together[r->numTogether];
    bool reads = false;
    for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
      reads |= mloptReadsReduction(mloptOperand(op, i));
    along->isStreamed = reads && mloptDescribeStreamed(op, &along->streamed);
    if (reads && !along->isStreamed)
      continue;
    along->shared = mloptOpenShared(op);
    ++r->numTogether;
  }
}

/// What a reduction carries along: its values, or the state of a stream.
static intptr_t numCarried(const MloptAlong *a) {
  return a->isStreamed ? 2 : a->shared.numResults;
}

/// The results of one, from the thread's own values.
static void finish(MloptRows *r, MloptAlong *a, MlirValue *values) {
  MlirValue loops[2 * MLOPT_MAX_RANK + 1] = {{NULL}};
  mloptSharedLoops(r->pull, &a->shared, r->row, mloptPullIndex(r->pull, 0),
                   loops);
  if (a->isStreamed) {
    MlirValue m = mloptPullGenericOperand(r->pull, a->streamed.generic,
                                          a->streamed.reference, loops);
    values[0] = mloptBuildBinary(r->b, "arith.mulf", values[1],
                                 exponential(r, values[0], m));
  }
  mloptRowsAcrossLine(r, &a->shared, values);
  mloptBuildFinal(r->pull, &a->shared, loops, values, a->results);
  a->isDone = true;
}

/// One turn of all that go together.
static void togetherTurn(MloptRows *r, void *userData, const MlirValue *carried,
                         MlirValue *next) {
  MlirValue *state = next;
  for (intptr_t n = 0; n < r->numTogether; ++n) {
    const MloptAlong *a = &r->together[n];
    memcpy(state, carried, numCarried(a) * sizeof *state);
    if (a->isStreamed)
      stream(r, a, state);
    else if (a->shared.numResults == 1)
      accumulateTree(r, &a->shared, state);
    else
      mloptRowsAccumulate(r, &a->shared, 1, true, state);
    state += numCarried(a);
    carried += numCarried(a);
  }
}

void mloptRowsReduceTogether(MloptRows *r) {
  MlirValue init[MLOPT_PULL_MAX_CARRIED], own[MLOPT_PULL_MAX_CARRIED];
  intptr_t count = 0;
  findTogether(r);
  for (intptr_t n = 0; n < r->numTogether; ++n) {
    const MloptAlong *a = &r->together[n];
    if (count + numCarried(a) > MLOPT_PULL_MAX_CARRIED)
      r->numTogether = n;
    for (intptr_t i = 0; n < r->numTogether && i < numCarried(a); ++i)
      init[count++] = !a->isStreamed ? mloptBuildNeutral(r->pull, &a->shared, i)
                                     : f32(r, i ? 0 : -INFINITY);
  }
  if (!r->numTogether)
    return;
  mloptRowsAlong(r, togetherTurn, NULL, count, init, own);
  // A stream needs what the others have found.
  for (int streamed = 0; streamed < 2; ++streamed) {
    MlirValue *state = own;
    for (intptr_t n = 0; n < r->numTogether; ++n) {
      MloptAlong *a = &r->together[n];
      if (a->isStreamed == (streamed == 1))
        finish(r, a, state);
      state += numCarried(a);
    }
  }
}
