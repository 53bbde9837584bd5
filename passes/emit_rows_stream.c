//===- emit_rows_stream.c - Reductions of a row in one go along it --------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emit_rows.h"

#include "mlir-c/AffineMap.h"

#include <math.h>

static MlirValue f32(MloptBuilder *b, double value) {
  return mloptBuildFloat(b, mlirF32TypeGet(b->context), value);
}

/// What one of the chip's units gives, which flushes denormals.
static MlirValue approximate(MloptBuilder *b, const char *intrinsic,
                             MlirValue x) {
  if (b->failed)
    return x;
  MlirContext c = b->context;
  MlirType type = mlirValueGetType(x);
  MlirNamedAttribute attrs[] = {
      mloptNamedAttr(c, "intrin", mloptStrAttr(c, intrinsic)),
      mloptNamedAttr(c, "operandSegmentSizes",
                     mlirAttributeParseGet(c, mloptStr("array<i32: 1, 0>"))),
      mloptNamedAttr(c, "op_bundle_sizes",
                     mlirAttributeParseGet(c, mloptStr("array<i32>")))};
  return mloptBuildValue(b, (MloptOpSpec){.name = "llvm.call_intrinsic",
                                          .numOperands = 1,
                                          .operands = &x,
                                          .numResults = 1,
                                          .results = &type,
                                          .numAttrs = MLOPT_COUNT(attrs),
                                          .attrs = attrs});
}

/// exp(x - reference), which is 1 at most. The unit takes log2(e) times the
/// difference, rounded: that is off by |x - reference| 2^-24 of the term, next
/// to nothing of a sum that has a 1 in it.
static MlirValue exponential(MloptBuilder *b, MlirValue x,
                             MlirValue reference) {
  MlirValue difference = mloptBuildBinary(b, "arith.subf", x, reference);
  return approximate(
      b, "llvm.nvvm.ex2.approx.ftz.f32",
      mloptBuildBinary(b, "arith.mulf", difference, f32(b, M_LOG2E)));
}

MlirValue mloptRowsFold(MloptRows *r, const char *name, intptr_t count,
                        MlirValue *values) {
  for (; count > 1; count = (count + 1) / 2)
    for (intptr_t i = 0, half = (count + 1) / 2; i + half < count; ++i)
      values[i] = mloptBuildBinary(r->b, name, values[i], values[i + half]);
  return values[0];
}

MlirValue mloptRowsFreshState(MloptRows *r, intptr_t k) {
  return f32(r->b, k ? 0 : -INFINITY);
}

/// As long as there is nothing but -inf, exp(a - 0) is 0 too.
static MlirValue referenceOf(MloptRows *r, MlirValue largest) {
  return mloptBuildSelect(
      r->b, mloptBuildCmpF(r->b, "oeq", largest, f32(r->b, -INFINITY)),
      f32(r->b, 0), largest);
}

MlirValue mloptRowsRescale(MloptRows *r, const MlirValue *state,
                           MlirValue largest) {
  return mloptBuildBinary(r->b, "arith.mulf", state[1],
                          exponential(r->b, state[0], referenceOf(r, largest)));
}

enum { MAX_ELEMENTS = MLOPT_ROWS_MAX_TURN * MLOPT_MAX_LANES };

/// The pair of small floats that two elements are, extended; null if they are
/// anything else.
static MlirValue pairOf(MlirValue a, MlirValue b) {
  MlirValue pair = {NULL}, both[] = {a, b};
  for (int i = 0; i < 2; ++i) {
    if (!mlirValueIsAOpResult(both[i]) ||
        !mloptIsNamed(mlirOpResultGetOwner(both[i]), "arith.extf"))
      return (MlirValue){NULL};
    MlirValue narrow = mloptOperand(mlirOpResultGetOwner(both[i]), 0);
    if (!mlirValueIsAOpResult(narrow) ||
        !mloptIsNamed(mlirOpResultGetOwner(narrow), "llvm.extractelement"))
      return (MlirValue){NULL};
    MlirOperation extract = mlirOpResultGetOwner(narrow);
    MlirOperation lane = mlirOpResultGetOwner(mloptOperand(extract, 1));
    if (!mloptIsNamed(lane, "arith.constant") ||
        mlirIntegerAttrGetValueInt(mloptAttr(lane, "value")) != i ||
        (i && !mlirValueEqual(pair, mloptOperand(extract, 0))))
      return (MlirValue){NULL};
    pair = mloptOperand(extract, 0);
  }
  return mloptNumElements(mlirValueGetType(pair)) == 2 ? pair
                                                       : (MlirValue){NULL};
}

/// The largest of elements that are pairs of extended small floats, found
/// before they are extended; false if they are not.
static bool largestPair(MloptRows *r, const MloptShared *shared, intptr_t n,
                        const MlirValue *elements, MlirValue *out) {
  MlirValue pairs[MAX_ELEMENTS / 2];
  intptr_t chains = r->vectors[0].count / 2;
  if (!mloptIsNamed(shared->combiners[0].op, "arith.maximumf") || !chains)
    return false;
  for (intptr_t i = 0; i < n / 2; ++i) {
    pairs[i] = pairOf(elements[2 * i], elements[2 * i + 1]);
    if (mlirValueIsNull(pairs[i]))
      return false;
    if (i >= chains)
      pairs[i % chains] =
          mloptBuildBinary(r->b, "arith.maximumf", pairs[i % chains], pairs[i]);
  }
  MlirValue pair = mloptRowsFold(r, "arith.maximumf", chains, pairs);
  if (r->b->failed)
    return false;
  MlirType element = mloptElementType(mlirValueGetType(pair));
  for (int i = 0; i < 2; ++i)
    out[i] = mloptBuildUnary(r->b, "arith.extf",
                             mloptTileExtract(&r->tile, pair, i, element),
                             mlirValueGetType(elements[0]));
  out[0] = mloptBuildBinary(r->b, "arith.maximumf", out[0], out[1]);
  return true;
}

/// Adds the open vectors to a reduction of one result, halving first, so that
/// little waits for each other.
static void accumulateTree(MloptRows *r, const MloptShared *shared,
                           MlirValue *partial) {
  MlirValue elements[MAX_ELEMENTS];
  intptr_t n = 0;
  for (intptr_t v = 0; v < r->numVectors; ++v)
    for (int k = 0; k < r->vectors[v].count; ++k)
      mloptRowsElements(r, shared, v, k, &elements[n++]);
  MlirValue largest[2];
  if (largestPair(r, shared, n, elements, largest))
    elements[0] = largest[0];
  else
    mloptBuildTree(r->pull, shared, n, elements);
  mloptBuildStep(r->pull, shared, partial, elements);
}

/// The a of a stream of all open elements, and how many.
static intptr_t streamElements(MloptRows *r, const MloptAlong *along,
                               MlirValue *out) {
  MlirValue loops[2 * MLOPT_MAX_RANK + 1];
  intptr_t n = 0;
  for (intptr_t v = 0; v < r->numVectors; ++v) {
    r->tile.vector = &r->vectors[v];
    for (int k = 0; k < r->vectors[v].count; ++k, ++n) {
      r->tile.lane = k;
      mloptSharedLoops(r->pull, &along->shared, r->row, r->vectors[v].column[k],
                       loops);
      mloptPullGenericBody(r->pull, along->streamed.generic, loops, 1,
                           &along->streamed.a, &out[n]);
      MlirValue valid = mloptRowsIsValid(r, v, k);
      if (!mlirValueIsNull(valid))
        out[n] =
            mloptBuildSelect(r->b, valid, out[n], mloptRowsFreshState(r, 0));
    }
  }
  return n;
}

/// Adds the open vectors to the state of a stream. `largest`, if not null, is
/// what a reduction has found with them.
static void stream(MloptRows *r, const MloptAlong *along,
                   const MlirValue *carried, const MlirValue *largest,
                   MlirValue *out) {
  MlirValue a[MAX_ELEMENTS], values[MAX_ELEMENTS];
  intptr_t n = streamElements(r, along, a);
  if (largest) {
    out[0] = *largest;
  } else {
    memcpy(values, a, n * sizeof *a);
    out[0] = mloptBuildBinary(r->b, "arith.maximumf", carried[0],
                              mloptRowsFold(r, "arith.maximumf", n, values));
  }
  MlirValue reference = referenceOf(r, out[0]);
  for (intptr_t i = 0; i < n; ++i)
    values[i] = exponential(r->b, a[i], reference);
  if (r->terms.areHeld) {
    r->terms.count = n;
    r->terms.largest = out[0];
    memcpy(r->terms.a, a, n * sizeof *a);
    memcpy(r->terms.values, values, n * sizeof *values);
  }
  out[1] =
      mloptBuildBinary(r->b, "arith.addf", mloptRowsRescale(r, carried, out[0]),
                       mloptRowsFold(r, "arith.addf", n, values));
}

/// The tensor that a value of a body is an element of, where that is read in
/// order; null otherwise.
static MlirValue tensorOf(MlirOperation generic, MlirValue element) {
  if (!mlirValueIsABlockArgument(element))
    return (MlirValue){NULL};
  intptr_t i = mlirBlockArgumentGetArgNumber(element);
  MlirAffineMap map = mlirAffineMapAttrGetValue(
      mlirArrayAttrGetElement(mloptAttr(generic, "indexing_maps"), i));
  return mlirAffineMapIsIdentity(map) ? mloptOperand(generic, i)
                                      : (MlirValue){NULL};
}

/// The number of an earlier reduction to the largest of what is streamed; -1 if
/// there is none.
static intptr_t findLargest(const MloptRows *r, const MloptAlong *along) {
  MlirValue tensor = tensorOf(along->streamed.generic, along->streamed.a);
  for (intptr_t i = 0; i < r->numTogether && !mlirValueIsNull(tensor); ++i) {
    const MloptShared *s = &r->together[i].shared;
    if (!r->together[i].isStreamed && !s->isArg && s->numResults == 1 &&
        mloptIsNamed(s->combiners[0].op, "arith.maximumf") &&
        mlirValueEqual(tensor, tensorOf(s->op, s->elements[0])))
      return i;
  }
  return -1;
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
    along->largest = along->isStreamed ? findLargest(r, along) : -1;
    ++r->numTogether;
  }
}

/// What a reduction carries along: its values, or the state of a stream.
static intptr_t numCarried(const MloptAlong *a) {
  return a->isStreamed ? 2 : a->shared.numResults;
}

/// One turn of all that go together.
static void togetherTurn(MloptRows *r, void *userData, const MlirValue *carried,
                         MlirValue *next) {
  const MlirValue *found[MLOPT_ROWS_MAX_TOGETHER];
  for (intptr_t n = 0; n < r->numTogether; ++n) {
    const MloptAlong *a = &r->together[n];
    found[n] = next;
    if (a->isStreamed) {
      stream(r, a, carried, a->largest < 0 ? NULL : found[a->largest], next);
    } else {
      memcpy(next, carried, numCarried(a) * sizeof *next);
      if (a->shared.numResults == 1)
        accumulateTree(r, &a->shared, next);
      else
        mloptRowsAccumulate(r, &a->shared, 1, true, next);
    }
    next += numCarried(a);
    carried += numCarried(a);
  }
}

/// Whether a value is a number, or extended from it.
static bool isFrom(MlirValue value, MlirValue number) {
  if (mlirValueIsAOpResult(value) &&
      mloptIsNamed(mlirOpResultGetOwner(value), "arith.extf"))
    value = mloptOperand(mlirOpResultGetOwner(value), 0);
  return mlirValueEqual(value, number);
}

/// Notes what results may need of a sum whose terms are 1 at most, one of them
/// 1, since m is the largest a.
static void noteTerms(MloptRows *r, const MloptAlong *a, MlirValue m) {
  MloptTerms *terms = &r->terms;
  if (a->largest < 0 || !isFrom(m, r->together[a->largest].results[0]) ||
      !mlirTypeIsAF32(mlirValueGetType(a->results[0])))
    return;
  terms->m = m;
  terms->sum = a->results[0];
  terms->reciprocal =
      approximate(r->b, "llvm.nvvm.rcp.approx.ftz.f", terms->sum);
  if (!terms->count)
    return;
  terms->factor = exponential(r->b, terms->largest, m);
  terms->share =
      mloptBuildBinary(r->b, "arith.mulf", terms->factor, terms->reciprocal);
}

/// The results, from the values of the whole row.
static void finish(MloptRows *r, MloptAlong *a, MlirValue *values) {
  MlirValue loops[2 * MLOPT_MAX_RANK + 1] = {{NULL}}, m = {NULL};
  mloptSharedLoops(r->pull, &a->shared, r->row, mloptPullIndex(r->pull, 0),
                   loops);
  if (a->isStreamed) {
    m = mloptPullGenericOperand(r->pull, a->streamed.generic,
                                a->streamed.reference, loops);
    values[0] = mloptBuildBinary(r->b, "arith.mulf", values[1],
                                 exponential(r->b, values[0], m));
  }
  mloptBuildFinal(r->pull, &a->shared, loops, values, a->results);
  a->isDone = true;
  if (a->isStreamed && !r->b->failed)
    noteTerms(r, a, m);
}

/// From the values of a thread to the results.
static void finishAll(MloptRows *r, MlirValue *own) {
  MloptAcross across[MLOPT_ROWS_MAX_TOGETHER];
  MlirValue *values = own;
  for (intptr_t n = 0; n < r->numTogether; ++n) {
    const MloptAlong *a = &r->together[n];
    across[n] =
        (MloptAcross){.shared = &a->shared,
                      .values = values,
                      .isStream = a->isStreamed,
                      .largest = a->largest < 0 ? NULL : &across[a->largest]};
    values += numCarried(a);
  }
  mloptRowsAcrossLine(r, r->numTogether, across);
  // A stream's reference needs what the others have found.
  for (int streamed = 0; streamed < 2; ++streamed)
    for (intptr_t n = 0; n < r->numTogether; ++n)
      if (r->together[n].isStreamed == (streamed == 1))
        finish(r, &r->together[n], across[n].values);
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
                                     : mloptRowsFreshState(r, i);
  }
  if (!r->numTogether)
    return;
  mloptRowsAlong(r, togetherTurn, NULL, count, init, own);
  finishAll(r, own);
}

//===----------------------------------------------------------------------===//
// Terms
//===----------------------------------------------------------------------===//

/// Whether two values are the same, or the same one extended.
static bool isSame(MlirValue x, MlirValue y) {
  if (mlirValueEqual(x, y))
    return true;
  if (!mlirValueIsAOpResult(x) || !mlirValueIsAOpResult(y))
    return false;
  MlirOperation a = mlirOpResultGetOwner(x), b = mlirOpResultGetOwner(y);
  return mloptIsNamed(a, "arith.extf") && mloptIsNamed(b, "arith.extf") &&
         mlirTypeEqual(mlirValueGetType(x), mlirValueGetType(y)) &&
         mlirValueEqual(mloptOperand(a, 0), mloptOperand(b, 0));
}

/// Whether an operation gives the exponential of an element less m.
static bool isTerm(const MloptTerms *terms, MlirOperation op) {
  if (!mloptIsNamed(op, "math.exp") ||
      mlirAttributeIsNull(mloptAttr(op, "mlopt.narrowed")) ||
      !mlirValueIsAOpResult(mloptOperand(op, 0)))
    return false;
  MlirOperation sub = mlirOpResultGetOwner(mloptOperand(op, 0));
  return mloptIsNamed(sub, "arith.subf") &&
         mlirTypeIsAF32(mloptResultType(sub, 0)) &&
         isSame(mloptOperand(sub, 1), terms->m);
}

/// The exponential of an element less m: of the term, if it is held.
static MlirValue buildTerm(MloptBuilder *b, const MloptTerms *terms,
                           MlirOperation op) {
  MlirValue a = mloptOperand(mlirOpResultGetOwner(mloptOperand(op, 0)), 0);
  for (intptr_t i = 0; i < terms->count; ++i)
    if (isSame(a, terms->a[i]))
      return mloptBuildBinary(b, "arith.mulf", terms->values[i], terms->factor);
  return exponential(b, a, terms->m);
}

/// Whether an operation divides by the sum.
static bool isShare(const MloptTerms *terms, MlirOperation op) {
  return mloptIsNamed(op, "arith.divf") &&
         !mlirAttributeIsNull(mloptAttr(op, "mlopt.narrowed")) &&
         mlirValueEqual(mloptOperand(op, 1), terms->sum);
}

/// The share of a number in the sum.
static MlirValue buildShare(MloptBuilder *b, const MloptTerms *terms,
                            MlirValue x) {
  MlirOperation op =
      mlirValueIsAOpResult(x) ? mlirOpResultGetOwner(x) : (MlirOperation){NULL};
  bool isHeld = terms->count && !mlirOperationIsNull(op) &&
                mloptIsNamed(op, "arith.mulf") &&
                mlirValueEqual(mloptOperand(op, 1), terms->factor);
  return isHeld ? mloptBuildBinary(b, "arith.mulf", mloptOperand(op, 0),
                                   terms->share)
                : mloptBuildBinary(b, "arith.mulf", x, terms->reciprocal);
}

static void simplify(MloptRows *r, MlirOperation op) {
  const MloptTerms *terms = &r->terms;
  bool isExponential = isTerm(terms, op);
  if (!isExponential && !isShare(terms, op))
    return;
  MloptBuilder b = mloptBuilderBefore(op, mlirOperationGetLocation(op));
  MlirValue simple = isExponential ? buildTerm(&b, terms, op)
                                   : buildShare(&b, terms, mloptOperand(op, 0));
  if (b.failed)
    return;
  mlirValueReplaceAllUsesOfWith(mloptResult(op, 0), simple);
  mlirOperationDestroy(op);
}

/// From an operation on to the end of its block, and inside of them.
static void simplifyFrom(MloptRows *r, MlirOperation op) {
  for (MlirOperation next; !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    for (intptr_t i = 0, n = mlirOperationGetNumRegions(op); i < n; ++i)
      for (MlirBlock block =
               mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
           !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
        simplifyFrom(r, mlirBlockGetFirstOperation(block));
    simplify(r, op);
  }
}

void mloptRowsReuseTerms(MloptRows *r) {
  if (!mlirValueIsNull(r->terms.sum) && !r->b->failed &&
      mloptWantsTerms(r->kernel->program))
    simplifyFrom(r, mlirOpResultGetOwner(r->terms.reciprocal));
}
