//===- split_cut.c - Pieces of fusions, and of reductions -----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "split_cut.h"

#include "to_linalg.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"

//===----------------------------------------------------------------------===//
// Fusions from pieces of a fusion
//===----------------------------------------------------------------------===//

void mloptBeginPiece(MloptPiece *p, MlirOperation source) {
  MloptBuilder b = mloptBuilderBefore(source, mlirOperationGetLocation(source));
  *p = (MloptPiece){.source = source};
  p->region = mloptCreateRegion(&b, 0, NULL, &p->block);
  p->b = mloptBuilderAtEnd(p->block, b.location);
}

void mloptPieceBind(MloptPiece *p, MlirValue from, MlirValue to) {
  p->b.failed |= p->count == MLOPT_MAX_PIECE_VALUES;
  if (p->b.failed)
    return;
  p->from[p->count] = from;
  p->to[p->count++] = to;
}

static MlirValue find(const MloptPiece *p, MlirValue value) {
  for (intptr_t i = p->count; i-- > 0;)
    if (mlirValueEqual(p->from[i], value))
      return p->to[i];
  return (MlirValue){NULL};
}

MlirValue mloptPieceOperand(MloptPiece *p, MlirValue outside) {
  for (intptr_t i = 0; i < p->numOperands; ++i)
    if (mlirValueEqual(p->operands[i], outside))
      return mlirBlockGetArgument(p->block, i);
  p->b.failed |= p->numOperands == MLOPT_MAX_PIECE_VALUES;
  if (p->b.failed)
    return (MlirValue){NULL};
  p->operands[p->numOperands++] = outside;
  return mlirBlockAddArgument(p->block, mlirValueGetType(outside),
                              p->b.location);
}

/// What an operation reads, in its regions too, is there first.
typedef struct Needs {
  MloptPiece *piece;
  MlirOperation top;
} Needs;

static MlirWalkResult needOperands(MlirOperation op, void *userData) {
  const Needs *needs = userData;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (!mloptIsDefinedInside(mloptOperand(op, i), needs->top))
      mloptPieceNeed(needs->piece, mloptOperand(op, i));
  return MlirWalkResultAdvance;
}

MlirValue mloptPieceNeed(MloptPiece *p, MlirValue value) {
  MlirValue known = find(p, value);
  if (!mlirValueIsNull(known) || p->b.failed)
    return known;
  if (mlirValueIsABlockArgument(value)) {
    intptr_t number = mlirBlockArgumentGetArgNumber(value);
    known = mloptPieceOperand(p, mloptOperand(p->source, number));
    mloptPieceBind(p, value, known);
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
    mloptPieceBind(p, mloptResult(op, i), mloptResult(copy, i));
  return find(p, value);
}

static MlirWalkResult needInside(MlirOperation op, void *userData) {
  const Needs *needs = userData;
  return mlirOperationEqual(op, needs->top) ? MlirWalkResultAdvance
                                            : needOperands(op, userData);
}

MlirOperation mloptPieceClone(MloptPiece *p, MlirOperation op,
                              const MlirValue *operands) {
  Needs needs = {p, op};
  mlirOperationWalk(op, needInside, &needs, MlirWalkPreOrder);
  if (p->b.failed)
    return (MlirOperation){NULL};
  MlirOperation copy = mloptCloneWithMapping(op, p->count, p->from, p->to);
  mlirBlockAppendOwnedOperation(p->block, copy);
  // One value may be several operands: each is replaced on its own.
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    mlirOperationSetOperand(copy, i, operands[i]);
  return copy;
}

intptr_t mloptPieceYield(MloptPiece *p, MlirValue value) {
  p->b.failed |=
      p->numYields == MLOPT_MAX_PIECE_VALUES || mlirValueIsNull(value);
  if (!p->b.failed)
    p->yields[p->numYields++] = value;
  return p->numYields - 1;
}

MlirOperation mloptEndPiece(MloptPiece *p) {
  MloptBuilder b = mloptBuilderBefore(p->source, p->b.location);
  MlirType types[MLOPT_MAX_PIECE_VALUES];
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

/// Loop `d` of the old space in the new one, which has one more behind the cut
/// loop.
static intptr_t moved(const MloptCut *cut, intptr_t d) {
  return d > cut->loop ? d + 1 : d;
}

static MlirAffineMap cutMap(MlirContext c, const MloptReduction *r,
                            const MloptCut *cut, MlirAffineMap map) {
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
static MlirType cutResult(const MloptReduction *r, const MloptCut *cut,
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

MlirOperation mloptPieceGeneric(MloptPiece *p, intptr_t numInputs,
                                intptr_t numOutputs, const MlirValue *operands,
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
  MlirType types[MLOPT_MAX_CUT_OPERANDS];
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

/// Where an old loop stands, in a body over the new ones.
static MlirValue cutIndex(MloptPiece *p, MlirBlock body, MlirOperation index,
                          const MloptCut *cut) {
  MloptBuilder b = mloptBuilderAtEnd(body, p->b.location);
  intptr_t d = mlirIntegerAttrGetValueInt(mloptAttr(index, "dim"));
  MlirValue at = mloptBuildLoopIndex(&b, moved(cut, d));
  if (d == cut->loop) {
    at = mloptBuildBinary(&b, "arith.muli", at,
                          mloptBuildIndex(&b, cut->length));
    at = mloptBuildBinary(&b, "arith.addi", at, mloptBuildLoopIndex(&b, d + 1));
    at =
        mloptBuildBinary(&b, "arith.addi", at, mloptBuildIndex(&b, cut->begin));
  }
  p->b.failed |= b.failed;
  return at;
}

/// A copy of a reduction's body with one more input, of no use but its size, in
/// front of the accumulators.
static MlirRegion copyBody(MloptPiece *p, MlirOperation op, const MloptCut *cut,
                           MlirType extra) {
  MlirBlock from = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)), to;
  intptr_t n = mlirBlockGetNumArguments(from), count = p->count;
  intptr_t numInputs = n - mlirOperationGetNumResults(op);
  MlirType types[MLOPT_MAX_CUT_OPERANDS + 1];
  for (intptr_t i = 0; i < n; ++i)
    types[i + (i >= numInputs)] =
        mlirValueGetType(mlirBlockGetArgument(from, i));
  types[numInputs] = extra;
  MlirRegion region = mloptCreateRegion(&p->b, n + 1, types, &to);
  for (intptr_t i = 0; i < n; ++i)
    mloptPieceBind(p, mlirBlockGetArgument(from, i),
                   mlirBlockGetArgument(to, i + (i >= numInputs)));
  for (MlirOperation inner = mlirBlockGetFirstOperation(from);
       !mlirOperationIsNull(inner) && !p->b.failed;
       inner = mlirOperationGetNextInBlock(inner)) {
    if (mloptIsNamed(inner, "linalg.index")) {
      mloptPieceBind(p, mloptResult(inner, 0), cutIndex(p, to, inner, cut));
      continue;
    }
    MlirOperation copy = mloptCloneWithMapping(inner, p->count, p->from, p->to);
    mlirBlockAppendOwnedOperation(to, copy);
    for (intptr_t i = 0, m = mlirOperationGetNumResults(inner); i < m; ++i)
      mloptPieceBind(p, mloptResult(inner, i), mloptResult(copy, i));
  }
  p->count = count;
  return region;
}

MlirOperation mloptPieceCut(MloptPiece *p, MlirOperation op,
                            const MloptReduction *r, const MloptCut *cut,
                            intptr_t replaced, MlirValue with) {
  MlirContext c = p->b.context;
  intptr_t numResults = mlirOperationGetNumResults(op);
  intptr_t numInputs = mlirOperationGetNumOperands(op) - numResults;
  MlirAttribute maps = mloptAttr(op, "indexing_maps"), iterators;
  MlirValue operands[MLOPT_MAX_CUT_OPERANDS + 1];
  MlirAttribute newMaps[MLOPT_MAX_CUT_OPERANDS + 1];
  MlirType element = mlirIntegerTypeGet(c, 8);
  MlirAffineMap result;
  cutResult(r, cut, element, &result, &iterators);
  for (intptr_t i = 0; i < numInputs; ++i) {
    MlirAffineMap map =
        mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, i));
    operands[i] = i == replaced ? with : mloptPieceNeed(p, mloptOperand(op, i));
    newMaps[i] =
        mlirAffineMapAttrGet(i == replaced ? result : cutMap(c, r, cut, map));
  }
  Needs needs = {p, op};
  mlirOperationWalk(op, needInside, &needs, MlirWalkPreOrder);
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
    mloptDescribeCombiner(op, i, &combiner);
    MlirType type = cutResult(r, cut, mloptElementType(mloptResultType(op, i)),
                              &result, &iterators);
    operands[numInputs + 1 + i] = splat(&p->b, type, combiner.neutral);
    newMaps[numInputs + 1 + i] = mlirAffineMapAttrGet(result);
  }
  MlirRegion region = copyBody(p, op, cut, element);
  return mloptPieceGeneric(p, numInputs + 1, numResults, operands, newMaps,
                           iterators, region);
}

//===----------------------------------------------------------------------===//
// Reducing the pieces' results
//===----------------------------------------------------------------------===//

/// A body that combines its first argument into its second.
static MlirRegion combineBody(MloptPiece *p, const MloptCombiner *combiner,
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

/// Reduces the pieces' results by a body over elements of `numPieces` operands
/// of all pieces, then of some of the result's shape, the last of which it
/// starts from.
static MlirValue reducePieces(MloptPiece *p, const MloptReduction *r,
                              const MloptCut *cut, MlirRegion body,
                              intptr_t numPieces, intptr_t numOperands,
                              const MlirValue *operands) {
  enum { MOST = 4 };
  if (p->b.failed)
    return (MlirValue){NULL};
  MlirContext c = p->b.context;
  MlirAffineMap identity;
  MlirAttribute iterators[MLOPT_MAX_RANK + 1], ignored, maps[MOST];
  MlirAffineExpr results[MLOPT_MAX_RANK + 1];
  cutResult(r, cut, mlirIntegerTypeGet(c, 8), &identity, &ignored);
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
  for (intptr_t i = 0; i < numOperands; ++i)
    maps[i] = mlirAffineMapAttrGet(
        i < numPieces ? mlirAffineMapMultiDimIdentityGet(c, rank)
                      : mlirAffineMapGet(c, rank, 0, kept, results));
  MlirOperation all =
      mloptPieceGeneric(p, numOperands - 1, 1, operands, maps,
                        mlirArrayAttrGet(c, rank, iterators), body);
  return p->b.failed ? (MlirValue){NULL} : mloptResult(all, 0);
}

MlirValue mloptPieceCombine(MloptPiece *p, MlirOperation op, intptr_t i,
                            const MloptReduction *r, const MloptCut *cut,
                            MlirValue pieces, MlirValue init) {
  MloptCombiner combiner;
  MlirType element = mloptElementType(mloptResultType(op, i));
  mloptDescribeCombiner(op, i, &combiner);
  return reducePieces(p, r, cut, combineBody(p, &combiner, element), 1, 2,
                      (MlirValue[]){pieces, init});
}

MlirValue mloptPieceAppend(MloptPiece *p, MlirOperation op, intptr_t i,
                           const MloptReduction *r, const MloptCut *cut,
                           MlirValue pieces, const MloptCut *behind,
                           MlirValue more) {
  MlirAffineMap ignored;
  MlirAttribute iterators;
  MloptCombiner combiner;
  MloptCut all = *cut;
  if (p->b.failed)
    return (MlirValue){NULL};
  all.count += behind->count;
  mloptDescribeCombiner(op, i, &combiner);
  MlirValue value =
      splat(&p->b,
            cutResult(r, &all, mloptElementType(mloptResultType(op, i)),
                      &ignored, &iterators),
            combiner.neutral);
  MloptSlice slice = mloptWholeSlice(mlirValueGetType(pieces));
  value = mloptBuildInsertSlice(&p->b, pieces, value, &slice);
  slice = mloptWholeSlice(mlirValueGetType(more));
  // No loop in front of the cut one is left out of a piece's result.
  slice.offsets[cut->loop] = cut->count;
  return mloptBuildInsertSlice(&p->b, more, value, &slice);
}

MlirValue mloptPieceRescale(MloptPiece *p, const MloptReduction *r,
                            const MloptCut *cut, MlirValue sums,
                            MlirValue largest, MlirValue ofAll,
                            MlirValue init) {
  return reducePieces(p, r, cut, mloptRescaledBody(p), 2, 4,
                      (MlirValue[]){sums, largest, ofAll, init});
}

void mloptReplaceSplit(MlirOperation fusion, MlirOperation last) {
  for (intptr_t i = 0, n = mlirOperationGetNumResults(fusion); i < n; ++i)
    mlirValueReplaceAllUsesOfWith(mloptResult(fusion, i), mloptResult(last, i));
  mlirOperationDestroy(fusion);
}
