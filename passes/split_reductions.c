//===- split_reductions.c - Few long reductions become many short ones ----===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block of threads takes a row. With fewer rows than multiprocessors, most of
// the GPU stands idle, so `mlopt-split-reductions` cuts the reduced dimension:
// one kernel reduces the pieces, the next one the pieces' results.
//
//   %r = mlopt.fusion (%a = %x : tensor<268435456xbf16>) -> tensor<f32> {
//     %s = linalg.generic ... reduces d0 of %a into %zero
//     mlopt.yield %s
//   }
// becomes
//   %p = mlopt.fusion (%a = %x : ...) -> tensor<512xf32> {
//     %s = linalg.generic ... reduces d1 of %a[d0 * 524288 + d1] into %neutral
//     mlopt.yield %s
//   }
//   %r = mlopt.fusion (%a = %p : tensor<512xf32>) -> tensor<f32> {
//     %s = linalg.generic ... reduces d0 of %a into %zero
//     mlopt.yield %s
//   }
//
// What does not fill a piece is one of its own, reduced by a kernel beside the
// first. Results of the fusion that need every element again come last, in a
// kernel that reads what was reduced; where that reduces once more, it is split
// in its turn. How many pieces there are depends on the shape alone, and so
// does the order of every sum.
//
//===----------------------------------------------------------------------===//

#include "build.h"
#include "passes.h"
#include "schedule.h"
#include "traffic.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/Dialect/Linalg.h"
#include "mlir-c/Dialect/Tensor.h"

enum {
  MAX_REDUCTIONS = 8,
  MAX_VALUES = 2048,
  MAX_OPERANDS = 16,
  MAX_ROOTS = 64
};

//===----------------------------------------------------------------------===//
// Fusions from pieces of a fusion
//===----------------------------------------------------------------------===//

/// A fusion that computes some of another one's values.
typedef struct Piece {
  MlirOperation source; ///< the other one
  MlirRegion region;
  MlirBlock block;
  MloptBuilder b; ///< at the end of the block
  intptr_t count;
  MlirValue from[MAX_VALUES], to[MAX_VALUES];
  intptr_t numOperands, numYields;
  MlirValue operands[MAX_VALUES], yields[MAX_VALUES];
} Piece;

static void beginPiece(Piece *p, MlirOperation source) {
  MloptBuilder b = mloptBuilderBefore(source, mlirOperationGetLocation(source));
  *p = (Piece){.source = source};
  p->region = mloptCreateRegion(&b, 0, NULL, &p->block);
  p->b = mloptBuilderAtEnd(p->block, b.location);
}

static void bind(Piece *p, MlirValue from, MlirValue to) {
  p->b.failed |= p->count == MAX_VALUES;
  if (p->b.failed)
    return;
  p->from[p->count] = from;
  p->to[p->count++] = to;
}

static MlirValue find(const Piece *p, MlirValue value) {
  for (intptr_t i = p->count; i-- > 0;)
    if (mlirValueEqual(p->from[i], value))
      return p->to[i];
  return (MlirValue){NULL};
}

/// A value from outside, as an argument.
static MlirValue addOperand(Piece *p, MlirValue outside) {
  for (intptr_t i = 0; i < p->numOperands; ++i)
    if (mlirValueEqual(p->operands[i], outside))
      return mlirBlockGetArgument(p->block, i);
  p->b.failed |= p->numOperands == MAX_VALUES;
  if (p->b.failed)
    return (MlirValue){NULL};
  p->operands[p->numOperands++] = outside;
  return mlirBlockAddArgument(p->block, mlirValueGetType(outside),
                              p->b.location);
}

static MlirValue need(Piece *p, MlirValue value);

/// What an operation reads, in its regions too, is there first.
typedef struct Needs {
  Piece *piece;
  MlirOperation top;
} Needs;

static MlirWalkResult needOperands(MlirOperation op, void *userData) {
  const Needs *needs = userData;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (!mloptIsDefinedInside(mloptOperand(op, i), needs->top))
      need(needs->piece, mloptOperand(op, i));
  return MlirWalkResultAdvance;
}

/// A value of the source in the piece, with whatever computes it.
static MlirValue need(Piece *p, MlirValue value) {
  MlirValue known = find(p, value);
  if (!mlirValueIsNull(known) || p->b.failed)
    return known;
  if (mlirValueIsABlockArgument(value)) {
    intptr_t number = mlirBlockArgumentGetArgNumber(value);
    known = addOperand(p, mloptOperand(p->source, number));
    bind(p, value, known);
    return known;
  }
  MlirOperation op = mlirOpResultGetOwner(value);
  Needs needs = {p, op};
  mlirOperationWalk(op, needOperands, &needs, MlirWalkPreOrder);
  if (p->b.failed)
    return (MlirValue){NULL};
  MlirOperation copy = mloptCloneWithMapping(op, p->count, p->from, p->to);
  mlirBlockAppendOwnedOperation(p->block, copy);
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i)
    bind(p, mloptResult(op, i), mloptResult(copy, i));
  return find(p, value);
}

/// Yields a value; its number among the results.
static intptr_t addYield(Piece *p, MlirValue value) {
  p->b.failed |= p->numYields == MAX_VALUES || mlirValueIsNull(value);
  if (!p->b.failed)
    p->yields[p->numYields++] = value;
  return p->numYields - 1;
}

/// The fusion, before the source; null when building failed.
static MlirOperation endPiece(Piece *p) {
  MloptBuilder b = mloptBuilderBefore(p->source, p->b.location);
  MlirType types[MAX_VALUES];
  mloptBuildOp(&p->b, (MloptOpSpec){.name = "mlopt.yield",
                                    .numOperands = p->numYields,
                                    .operands = p->yields});
  b.failed = p->b.failed;
  for (intptr_t i = 0; i < p->numYields; ++i)
    types[i] = mlirValueGetType(p->yields[i]);
  return mloptBuildOp(&b, (MloptOpSpec){.name = "mlopt.fusion",
                                        .numOperands = p->numOperands,
                                        .operands = p->operands,
                                        .numResults = p->numYields,
                                        .results = types,
                                        .numRegions = 1,
                                        .regions = &p->region});
}

//===----------------------------------------------------------------------===//
// Reducing pieces
//===----------------------------------------------------------------------===//

/// How the loops of a reduction are cut: those before `loop` that are reduced
/// become loops of the result whole, `loop` is `count` pieces of `length` from
/// `begin` on.
typedef struct Cut {
  intptr_t loop;
  int64_t begin, count, length;
} Cut;

/// Loop `d` of the old space in the new one, which has one more behind the cut
/// loop.
static intptr_t moved(const Cut *cut, intptr_t d) {
  return d > cut->loop ? d + 1 : d;
}

static MlirAffineMap cutMap(MlirContext c, const MloptReduction *r,
                            const Cut *cut, MlirAffineMap map) {
  MlirAffineExpr dims[2 * MLOPT_MAX_RANK + 1];
  for (intptr_t d = 0; d < r->numLoops; ++d)
    dims[d] = mlirAffineDimExprGet(c, moved(cut, d));
  dims[cut->loop] = mlirAffineAddExprGet(
      mlirAffineAddExprGet(
          mlirAffineMulExprGet(mlirAffineDimExprGet(c, cut->loop),
                               mlirAffineConstantExprGet(c, cut->length)),
          mlirAffineConstantExprGet(c, cut->begin)),
      mlirAffineDimExprGet(c, cut->loop + 1));
  MlirAffineExpr results[2 * MLOPT_MAX_RANK];
  intptr_t n = mlirAffineMapGetNumResults(map);
  MlirAffineMap to = mlirAffineMapGet(c, r->numLoops + 1, 0, r->numLoops, dims);
  for (intptr_t i = 0; i < n; ++i)
    results[i] = mlirAffineExprCompose(mlirAffineMapGetResult(map, i), to);
  return mlirAffineMapGet(c, r->numLoops + 1, 0, n, results);
}

static bool isReduced(const MloptReduction *r, intptr_t loop) {
  for (intptr_t i = 0; i < r->numReduced; ++i)
    if (r->reduced[i] == loop)
      return true;
  return false;
}

/// The type of a cut reduction's result, the map to it, and the new loops'
/// iterator types.
static MlirType cutResult(const MloptReduction *r, const Cut *cut,
                          MlirType element, MlirAffineMap *outMap,
                          MlirAttribute *outIterators) {
  MlirContext c = mlirTypeGetContext(element);
  MlirAffineExpr results[2 * MLOPT_MAX_RANK];
  MlirAttribute iterators[2 * MLOPT_MAX_RANK + 2];
  int64_t shape[MLOPT_MAX_RANK + 1];
  intptr_t rank = 0;
  for (intptr_t d = 0; d <= r->numLoops; ++d) {
    bool within = d == cut->loop + 1;
    intptr_t old = d > cut->loop ? d - 1 : d;
    bool reduced = within || (old > cut->loop && isReduced(r, old));
    iterators[d] = mlirAttributeParseGet(
        c, mloptStr(reduced ? "#linalg.iterator_type<reduction>"
                            : "#linalg.iterator_type<parallel>"));
    if (reduced)
      continue;
    shape[rank] = d == cut->loop ? cut->count : r->sizes[old];
    results[rank++] = mlirAffineDimExprGet(c, d);
  }
  *outMap = mlirAffineMapGet(c, r->numLoops + 1, 0, rank, results);
  *outIterators = mlirArrayAttrGet(c, r->numLoops + 1, iterators);
  return mloptTensorType(rank, shape, element);
}

static MlirValue splat(MloptBuilder *b, MlirType type, MlirAttribute element) {
  return mloptBuildConstant(b, mlirDenseElementsAttrSplatGet(type, element));
}

static MlirOperation buildGeneric(Piece *p, intptr_t numInputs,
                                  intptr_t numOutputs,
                                  const MlirValue *operands,
                                  const MlirAttribute *maps,
                                  MlirAttribute iterators, MlirRegion region) {
  MlirContext c = p->b.context;
  const int32_t segments[] = {(int32_t)numInputs, (int32_t)numOutputs};
  MlirNamedAttribute attrs[] = {
      mloptNamedAttr(c, "indexing_maps",
                     mlirArrayAttrGet(c, numInputs + numOutputs, maps)),
      mloptNamedAttr(c, "iterator_types", iterators),
      mloptNamedAttr(c, "operandSegmentSizes",
                     mlirDenseI32ArrayGet(c, 2, segments))};
  MlirType types[MAX_OPERANDS];
  for (intptr_t i = 0; !p->b.failed && i < numOutputs; ++i)
    types[i] = mlirValueGetType(operands[numInputs + i]);
  return mloptBuildOp(&p->b,
                      (MloptOpSpec){.name = "linalg.generic",
                                    .numOperands = numInputs + numOutputs,
                                    .operands = operands,
                                    .numResults = numOutputs,
                                    .results = types,
                                    .numAttrs = MLOPT_COUNT(attrs),
                                    .attrs = attrs,
                                    .numRegions = 1,
                                    .regions = &region});
}

static MlirValue loopIndex(MloptBuilder *b, intptr_t loop) {
  MlirType index = mlirIndexTypeGet(b->context);
  MlirNamedAttribute dim =
      mloptNamedAttr(b->context, "dim", mloptI64Attr(b->context, loop));
  return mloptBuildValue(b, (MloptOpSpec){.name = "linalg.index",
                                          .numResults = 1,
                                          .results = &index,
                                          .numAttrs = 1,
                                          .attrs = &dim});
}

/// Where an old loop stands, in a body over the new ones.
static MlirValue cutIndex(Piece *p, MlirBlock body, MlirOperation index,
                          const Cut *cut) {
  MloptBuilder b = mloptBuilderAtEnd(body, p->b.location);
  intptr_t d = mlirIntegerAttrGetValueInt(mloptAttr(index, "dim"));
  MlirValue at = loopIndex(&b, moved(cut, d));
  if (d == cut->loop) {
    at = mloptBuildBinary(&b, "arith.muli", at,
                          mloptBuildIndex(&b, cut->length));
    at = mloptBuildBinary(&b, "arith.addi", at, loopIndex(&b, d + 1));
    at =
        mloptBuildBinary(&b, "arith.addi", at, mloptBuildIndex(&b, cut->begin));
  }
  p->b.failed |= b.failed;
  return at;
}

/// A copy of a reduction's body with one more input, of no use but its size, in
/// front of the accumulators.
static MlirRegion copyBody(Piece *p, MlirOperation op, const Cut *cut,
                           MlirType extra) {
  MlirBlock from = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)), to;
  intptr_t n = mlirBlockGetNumArguments(from), count = p->count;
  intptr_t numInputs = n - mlirOperationGetNumResults(op);
  MlirType types[MAX_OPERANDS + 1];
  for (intptr_t i = 0; i < n; ++i)
    types[i + (i >= numInputs)] =
        mlirValueGetType(mlirBlockGetArgument(from, i));
  types[numInputs] = extra;
  MlirRegion region = mloptCreateRegion(&p->b, n + 1, types, &to);
  for (intptr_t i = 0; i < n; ++i)
    bind(p, mlirBlockGetArgument(from, i),
         mlirBlockGetArgument(to, i + (i >= numInputs)));
  for (MlirOperation inner = mlirBlockGetFirstOperation(from);
       !mlirOperationIsNull(inner) && !p->b.failed;
       inner = mlirOperationGetNextInBlock(inner)) {
    if (mloptIsNamed(inner, "linalg.index")) {
      bind(p, mloptResult(inner, 0), cutIndex(p, to, inner, cut));
      continue;
    }
    MlirOperation copy = mloptCloneWithMapping(inner, p->count, p->from, p->to);
    mlirBlockAppendOwnedOperation(to, copy);
    for (intptr_t i = 0, m = mlirOperationGetNumResults(inner); i < m; ++i)
      bind(p, mloptResult(inner, i), mloptResult(copy, i));
  }
  p->count = count;
  return region;
}

/// The reduction, cut, in a piece; yields its results.
static void addCut(Piece *p, MlirOperation op, const MloptReduction *r,
                   const Cut *cut) {
  MlirContext c = p->b.context;
  intptr_t numResults = mlirOperationGetNumResults(op);
  intptr_t numInputs = mlirOperationGetNumOperands(op) - numResults;
  MlirAttribute maps = mloptAttr(op, "indexing_maps"), iterators;
  MlirValue operands[MAX_OPERANDS + 1];
  MlirAttribute newMaps[MAX_OPERANDS + 1];
  for (intptr_t i = 0; i < numInputs; ++i) {
    operands[i] = need(p, mloptOperand(op, i));
    newMaps[i] = mlirAffineMapAttrGet(
        cutMap(c, r, cut,
               mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, i))));
  }
  Needs needs = {p, op};
  mlirOperationWalk(op, needOperands, &needs, MlirWalkPreOrder);
  MlirType element = mlirIntegerTypeGet(c, 8);
  operands[numInputs] = mloptBuildValue(
      &p->b, (MloptOpSpec){.name = "tensor.empty",
                           .numResults = 1,
                           .results = (MlirType[]){
                               mloptTensorType(1, &cut->length, element)}});
  newMaps[numInputs] = mlirAffineMapAttrGet(mlirAffineMapGet(
      c, r->numLoops + 1, 0, 1,
      (MlirAffineExpr[]){mlirAffineDimExprGet(c, cut->loop + 1)}));
  for (intptr_t i = 0; i < numResults; ++i) {
    MloptCombiner combiner;
    MlirAffineMap map;
    mloptDescribeCombiner(op, i, &combiner);
    MlirType type = cutResult(r, cut, mloptElementType(mloptResultType(op, i)),
                              &map, &iterators);
    operands[numInputs + 1 + i] = splat(&p->b, type, combiner.neutral);
    newMaps[numInputs + 1 + i] = mlirAffineMapAttrGet(map);
  }
  MlirRegion region = copyBody(p, op, cut, element);
  MlirOperation cutOp = buildGeneric(p, numInputs + 1, numResults, operands,
                                     newMaps, iterators, region);
  for (intptr_t i = 0; i < numResults && !p->b.failed; ++i)
    addYield(p, mloptResult(cutOp, i));
}

//===----------------------------------------------------------------------===//
// Reducing the pieces' results
//===----------------------------------------------------------------------===//

/// A body that combines its first argument into its second.
static MlirRegion combineBody(Piece *p, const MloptCombiner *combiner,
                              MlirType element) {
  MlirBlock block;
  MlirType types[] = {element, element};
  MlirRegion region = mloptCreateRegion(&p->b, 2, types, &block);
  MlirValue from[] = {mloptOperand(combiner->op, combiner->accumulator),
                      mloptOperand(combiner->op, 1 - combiner->accumulator)};
  MlirValue to[] = {mlirBlockGetArgument(block, 1),
                    mlirBlockGetArgument(block, 0)};
  MlirOperation copy = mloptCloneWithMapping(combiner->op, 2, from, to);
  mlirBlockAppendOwnedOperation(block, copy);
  MloptBuilder b = mloptBuilderAtEnd(block, p->b.location);
  MlirValue combined = mloptResult(copy, 0);
  mloptBuildOp(&b, (MloptOpSpec){.name = "linalg.yield",
                                 .numOperands = 1,
                                 .operands = &combined});
  return region;
}

/// Result `i` of a reduction from the results of its pieces, which start from
/// `init`.
static MlirValue combine(Piece *p, MlirOperation op, intptr_t i,
                         const MloptReduction *r, const Cut *cut,
                         MlirValue pieces, MlirValue init) {
  MlirContext c = p->b.context;
  MloptCombiner combiner;
  MlirAffineMap identity;
  MlirAttribute iterators[MLOPT_MAX_RANK + 1], ignored;
  MlirAffineExpr results[MLOPT_MAX_RANK + 1];
  MlirType element = mloptElementType(mloptResultType(op, i));
  mloptDescribeCombiner(op, i, &combiner);
  cutResult(r, cut, element, &identity, &ignored);
  // The pieces' dimensions are the loops up to the cut one, and those kept.
  intptr_t rank = mlirAffineMapGetNumResults(identity), kept = 0;
  for (intptr_t dim = 0; dim < rank; ++dim) {
    intptr_t d =
        mlirAffineDimExprGetPosition(mlirAffineMapGetResult(identity, dim));
    bool reduced = isReduced(r, d > cut->loop ? d - 1 : d);
    iterators[dim] = mlirAttributeParseGet(
        c, mloptStr(reduced ? "#linalg.iterator_type<reduction>"
                            : "#linalg.iterator_type<parallel>"));
    if (!reduced)
      results[kept++] = mlirAffineDimExprGet(c, dim);
  }
  MlirAttribute maps[] = {
      mlirAffineMapAttrGet(mlirAffineMapMultiDimIdentityGet(c, rank)),
      mlirAffineMapAttrGet(mlirAffineMapGet(c, rank, 0, kept, results))};
  MlirValue operands[] = {pieces, init};
  MlirOperation all = buildGeneric(p, 1, 1, operands, maps,
                                   mlirArrayAttrGet(c, rank, iterators),
                                   combineBody(p, &combiner, element));
  return p->b.failed ? (MlirValue){NULL} : mloptResult(all, 0);
}

//===----------------------------------------------------------------------===//
// Fusions
//===----------------------------------------------------------------------===//

/// What is split: the reductions that read no other one's result.
typedef struct Split {
  MlirOperation fusion;
  MlirBlock body;
  intptr_t count;
  MlirOperation reductions[MAX_REDUCTIONS];
  MloptReduction loops[MAX_REDUCTIONS];
  Cut cuts[MAX_REDUCTIONS];
  int64_t rest; ///< elements of the cut loops in no piece
  bool isWhole; ///< nothing is cut; others wait for the reductions
} Split;

/// The divisor of a size that is nearest to the wanted one, within a factor of
/// two, and leaves multiples of `align`; 0 if there is none.
static int64_t nearestDivisor(int64_t size, int64_t wanted, int64_t align) {
  for (int64_t off = 0; off < wanted; ++off)
    for (int sign = -1; sign <= 1; sign += 2) {
      int64_t n = wanted + sign * off;
      if (2 * n >= wanted && size % n == 0 && size / n % align == 0)
        return n;
    }
  return 0;
}

/// Where a reduction is cut into about as many pieces.
static bool findCut(const MloptReduction *r, int64_t pieces, Cut *out,
                    int64_t *outRest) {
  enum { ALIGNED = 64 }; // elements, so that pieces start on an access
  int64_t before = 1, last = r->numReduced - 1;
  *outRest = 0;
  while (last > 0 && r->sizes[r->reduced[last]] == 1)
    --last;
  for (intptr_t i = 0; i <= last; ++i) {
    int64_t size = r->sizes[r->reduced[i]];
    bool isLast = i == last;
    if (before * size <= pieces && !isLast) {
      before *= size;
      continue;
    }
    int64_t align = isLast && r->inner == 1 ? ALIGNED : 1;
    int64_t wanted = (pieces + before - 1) / before;
    *out = (Cut){.loop = r->reduced[i],
                 .count = nearestDivisor(size, wanted, align)};
    if (out->count) {
      out->length = size / out->count;
      return before * out->count > 1;
    }
    // No divisor: what is left makes a piece, unless others are before it.
    out->count = before > 1 ? 1 : wanted;
    out->length = before > 1 ? size : size / wanted / align * align;
    *outRest = size - out->count * out->length;
    return out->length > 0 && before * out->count > 1;
  }
  return false;
}

/// A cut in front of the last reduced loops that lie together: those before
/// are left for the second kernel.
static Cut findLastGroup(const MloptReduction *r) {
  intptr_t first = r->numReduced - 1;
  intptr_t loop = r->reduced[first];
  for (; first > 0; --first) {
    intptr_t before = r->reduced[first - 1];
    int64_t between = 1;
    for (intptr_t d = before + 1; d < loop; ++d)
      between *= r->sizes[d];
    // Unit loops, wherever they lie, change nothing.
    if (between > 1 && r->sizes[before] > 1 && r->sizes[loop] > 1)
      break;
    loop = before;
  }
  return (Cut){.loop = loop, .count = 1, .length = r->sizes[loop]};
}

static MlirWalkResult countValues(MlirOperation op, void *count) {
  *(intptr_t *)count +=
      1 + mlirOperationGetNumResults(op) + 2 * mlirOperationGetNumOperands(op);
  return MlirWalkResultAdvance;
}

/// Cuts all reductions alike, where it pays or where there is no other way.
static bool findCuts(Split *s) {
  int64_t pieces = mloptChooseSplit(s->body);
  s->isWhole = !pieces && s->count;
  if (s->isWhole)
    return true;
  for (intptr_t i = 0; i < s->count; ++i) {
    const MloptReduction *r = &s->loops[i];
    Cut *cut = &s->cuts[i];
    int64_t rest = 0;
    if (!r->together)
      *cut = findLastGroup(r);
    else if (pieces < 2 || !findCut(r, pieces, cut, &rest))
      return false;
    // Unit loops aside all have the same, and so the same pieces.
    if (i &&
        (cut->count != s->cuts[0].count || cut->length != s->cuts[0].length ||
         rest != s->rest || r->together != s->loops[0].together))
      return false;
    s->rest = rest;
  }
  return s->count > 0;
}

static bool readSplit(MlirOperation fusion, Split *s) {
  *s = (Split){.fusion = fusion,
               .body =
                   mlirRegionGetFirstBlock(mlirOperationGetRegion(fusion, 0))};
  intptr_t numValues = 0;
  mlirOperationWalk(fusion, countValues, &numValues, MlirWalkPreOrder);
  if (numValues > MAX_VALUES || mlirOperationGetNumResults(fusion) > MAX_ROOTS)
    return false;
  for (MlirOperation op = mlirBlockGetFirstOperation(s->body);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    bool first = mloptIsReduction(op);
    for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); first && i < n;
         ++i)
      first = !mloptReadsReduction(mloptOperand(op, i));
    MloptCombiner combiner;
    for (intptr_t i = 0, n = mlirOperationGetNumResults(op); first && i < n;
         ++i)
      if (!mloptDescribeCombiner(op, i, &combiner))
        return false;
    if (!first)
      continue;
    if (s->count == MAX_REDUCTIONS ||
        mlirOperationGetNumOperands(op) > MAX_OPERANDS)
      return false;
    s->reductions[s->count] = op;
    if (!mloptDescribeReduction(op, &s->loops[s->count++]))
      return false;
  }
  return findCuts(s);
}

static int64_t spaceOf(const Split *s) {
  const MloptReduction *r = &s->loops[0];
  int64_t count = 1;
  for (intptr_t i = 0; i < r->numLoops; ++i)
    count *= r->sizes[i];
  return count;
}

/// Whether a value needs as many elements as are reduced, once the split
/// reductions' results are known.
static bool isLarge(const Split *s, MlirValue value) {
  if (!mlirValueIsAOpResult(value))
    return mlirTypeIsAShaped(mlirValueGetType(value)) &&
           mloptNumElements(mlirValueGetType(value)) >= spaceOf(s);
  MlirOperation op = mlirOpResultGetOwner(value);
  for (intptr_t i = 0; i < s->count; ++i)
    if (mlirOperationEqual(op, s->reductions[i]))
      return false;
  if (mlirTypeIsAShaped(mlirValueGetType(value)) &&
      mloptNumElements(mlirValueGetType(value)) >= spaceOf(s))
    return true;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (isLarge(s, mloptOperand(op, i)))
      return true;
  return false;
}

/// The piece behind all others.
static Cut restOf(const Split *s, intptr_t i) {
  const Cut *cut = &s->cuts[i];
  return (Cut){cut->loop, cut->count * cut->length, 1, s->rest};
}

static MlirOperation buildPieces(const Split *s, bool isRest, bool withRoots,
                                 intptr_t *numberOf) {
  Piece p;
  beginPiece(&p, s->fusion);
  for (intptr_t i = 0; i < s->count; ++i) {
    Cut cut = isRest ? restOf(s, i) : s->cuts[i];
    addCut(&p, s->reductions[i], &s->loops[i], &cut);
  }
  MlirOperation yield = mlirBlockGetTerminator(s->body);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(yield); i < n; ++i) {
    MlirValue root = mloptOperand(yield, i);
    if (withRoots && mlirValueIsAOpResult(root) && !mloptReadsReduction(root) &&
        mloptNumElements(mlirValueGetType(root)) == spaceOf(s))
      numberOf[i] = addYield(&p, need(&p, root));
  }
  return endPiece(&p);
}

/// Makes `value` of the source the result `number` of `fusion` in a piece.
static void bindResult(Piece *p, MlirValue value, MlirOperation fusion,
                       intptr_t number) {
  bind(p, value, addOperand(p, mloptResult(fusion, number)));
}

/// The kernel that reduces what the pieces gave, with all that needs no more.
static MlirOperation buildCombined(const Split *s, MlirOperation pieces,
                                   MlirOperation rest, intptr_t *numberOf,
                                   bool isWanted) {
  Piece p;
  beginPiece(&p, s->fusion);
  intptr_t next = 0;
  for (intptr_t k = 0; k < s->count; ++k) {
    MlirOperation op = s->reductions[k];
    Cut restCut = restOf(s, k);
    intptr_t numResults = mlirOperationGetNumResults(op);
    intptr_t numInputs = mlirOperationGetNumOperands(op) - numResults;
    for (intptr_t i = 0; i < numResults; ++i, ++next) {
      MlirValue value = need(&p, mloptOperand(op, numInputs + i));
      value = combine(&p, op, i, &s->loops[k], &s->cuts[k],
                      addOperand(&p, mloptResult(pieces, next)), value);
      if (!mlirOperationIsNull(rest))
        value = combine(&p, op, i, &s->loops[k], &restCut,
                        addOperand(&p, mloptResult(rest, next)), value);
      bind(&p, mloptResult(op, i), value);
      if (isWanted)
        addYield(&p, value);
    }
  }
  MlirOperation yield = mlirBlockGetTerminator(s->body);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(yield); i < n; ++i)
    if (!isLarge(s, mloptOperand(yield, i)))
      numberOf[i] = addYield(&p, need(&p, mloptOperand(yield, i)));
  return endPiece(&p);
}

/// The kernel of the roots that need every element again; `combined` yields the
/// reductions' results first.
static MlirOperation buildLast(const Split *s, MlirOperation combined,
                               const bool *isDone, intptr_t *numberOf) {
  Piece p;
  beginPiece(&p, s->fusion);
  intptr_t next = 0;
  for (intptr_t k = 0; k < s->count; ++k)
    for (intptr_t i = 0, n = mlirOperationGetNumResults(s->reductions[k]);
         i < n; ++i)
      bindResult(&p, mloptResult(s->reductions[k], i), combined, next++);
  MlirOperation yield = mlirBlockGetTerminator(s->body);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(yield); i < n; ++i)
    if (!isDone[i])
      numberOf[i] = addYield(&p, need(&p, mloptOperand(yield, i)));
  return endPiece(&p);
}

/// The kernel of reductions that stay whole, with all that needs no more.
static MlirOperation buildWhole(const Split *s, intptr_t *numberOf) {
  Piece p;
  beginPiece(&p, s->fusion);
  for (intptr_t k = 0; k < s->count; ++k)
    for (intptr_t i = 0, n = mlirOperationGetNumResults(s->reductions[k]);
         i < n; ++i)
      addYield(&p, need(&p, mloptResult(s->reductions[k], i)));
  MlirOperation yield = mlirBlockGetTerminator(s->body);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(yield); i < n; ++i) {
    MlirValue root = mloptOperand(yield, i);
    if (!isLarge(s, root) ||
        (mlirValueIsAOpResult(root) && !mloptReadsReduction(root) &&
         mloptNumElements(mlirValueGetType(root)) == spaceOf(s)))
      numberOf[i] = addYield(&p, need(&p, root));
  }
  return endPiece(&p);
}

enum { PIECES, COMBINED, LAST, NUM_PARTS, MOST_TURNS = 8 };

/// Splits a fusion into parts, null where there is none; false when building
/// failed.
static bool split(const Split *s, MlirOperation *parts) {
  MlirOperation yield = mlirBlockGetTerminator(s->body);
  intptr_t numRoots = mlirOperationGetNumOperands(yield);
  intptr_t numberOf[NUM_PARTS][MAX_ROOTS];
  bool isDone[MAX_ROOTS], isAll = true;
  MlirOperation rest = {NULL};
  for (int part = 0; part < NUM_PARTS; ++part)
    parts[part] = (MlirOperation){NULL};
  memset(numberOf, -1, sizeof numberOf);
  if (s->isWhole)
    parts[COMBINED] = buildWhole(s, numberOf[COMBINED]);
  else
    parts[PIECES] = buildPieces(s, false, !s->rest, numberOf[PIECES]);
  if (s->rest)
    rest = buildPieces(s, true, false, NULL);
  for (intptr_t i = 0; i < numRoots; ++i) {
    isDone[i] = numberOf[PIECES][i] >= 0 || numberOf[COMBINED][i] >= 0 ||
                !isLarge(s, mloptOperand(yield, i));
    isAll &= isDone[i];
  }
  if (mlirOperationIsNull(parts[s->isWhole ? COMBINED : PIECES]) ||
      (s->rest && mlirOperationIsNull(rest)))
    return false;
  if (!s->isWhole)
    parts[COMBINED] =
        buildCombined(s, parts[PIECES], rest, numberOf[COMBINED], !isAll);
  if (mlirOperationIsNull(parts[COMBINED]))
    return false;
  if (!isAll)
    parts[LAST] = buildLast(s, parts[COMBINED], isDone, numberOf[LAST]);
  if (!isAll && mlirOperationIsNull(parts[LAST]))
    return false;
  for (intptr_t i = 0; i < numRoots; ++i)
    for (int part = 0; part < NUM_PARTS; ++part)
      if (numberOf[part][i] >= 0) {
        mlirValueReplaceAllUsesOfWith(
            mloptResult(s->fusion, i),
            mloptResult(parts[part], numberOf[part][i]));
        break;
      }
  mlirOperationDestroy(s->fusion);
  return true;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Splits a fusion, and what is left of it where that must be split again.
static bool splitFusion(MlirOperation fusion, int turns) {
  Split s;
  MlirOperation parts[NUM_PARTS];
  if (!turns || !readSplit(fusion, &s))
    return true;
  if (!split(&s, parts))
    return false;
  for (int part = COMBINED; part < NUM_PARTS; ++part)
    if (!mlirOperationIsNull(parts[part]) &&
        !splitFusion(parts[part], turns - 1))
      return false;
  return true;
}

static bool splitInRegions(MlirOperation op);

static bool splitInBlock(MlirBlock block) {
  MlirOperation next;
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (!mloptIsNamed(op, "mlopt.fusion")) {
      if (!splitInRegions(op))
        return false;
      continue;
    }
    if (!splitFusion(op, MOST_TURNS))
      return false;
  }
  return true;
}

static bool splitInRegions(MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumRegions(op); i < n; ++i)
    for (MlirBlock block =
             mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
         !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
      if (!splitInBlock(block))
        return false;
  return true;
}

static void run(MlirOperation func, MloptPass pass) {
  MloptFuseTotals before = mloptCountFusions(func);
  if (splitInRegions(func)) {
    mloptAddTraffic(func, before, MLOPT_FUSE_SPLIT);
    return;
  }
  mloptOpError(func, "has a reduction whose pieces could not be built");
  mloptPassSignalFailure(pass);
}

static MlirDialectHandle (*const dependent[])(void) = {
    mlirGetDialectHandle__linalg__, mlirGetDialectHandle__tensor__, NULL};

const MloptPassDef mloptPass_splitReductions MLOPT_TABLE = {
    .argument = "mlopt-split-reductions",
    .summary = "Split reductions of few long rows between kernels",
    .doc = "A fusion that reduces too few rows or columns to keep the GPU busy "
           "becomes a fusion that reduces pieces of them, one that reduces the "
           "pieces' results, and one for results that need every element "
           "again. The number of pieces follows from the shape. Reduced "
           "dimensions that lie apart are reduced one group after the other, "
           "and reductions of columns that need each other's results in a "
           "fusion each. Promises were checked before, on fusions.",
    .anchor = "func.func",
    .dependent = dependent,
    .run = run,
};
