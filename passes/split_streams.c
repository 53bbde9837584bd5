//===- split_streams.c - Pieces of sums of exponentials -------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What mlopt-split-reductions does with a sum of exp(a - m), for the row's
// largest a, m: a piece of it is summed with the piece's largest, p, beside
// which it is found, so that the row is read once,
//
//   p = largest a of the piece      s = sum of exp(a - p) over the piece
//
// and the kernel behind it, which knows the row's m, makes up for that:
//
//   sum of exp(a - m)  =  sum of s * exp(p - m) over the pieces
//
// As long as a piece has nothing but -inf, exp(a - 0) is 0 too: p - p is not.
//
//===----------------------------------------------------------------------===//

#include "split_cut.h"

#include <math.h>

static bool sameAttributes(MlirOperation a, MlirOperation b) {
  intptr_t n = mlirOperationGetNumAttributes(a);
  bool same = n == mlirOperationGetNumAttributes(b);
  for (intptr_t i = 0; same && i < n; ++i)
    same = mlirAttributeEqual(mlirOperationGetAttribute(a, i).attribute,
                              mlirOperationGetAttribute(b, i).attribute);
  return same;
}

/// Whether input `i` of one operation is read as input `j` of the other.
static bool sameInput(MlirOperation f, intptr_t i, MlirOperation g,
                      intptr_t j) {
  MlirAttribute fMaps = mloptAttr(f, "indexing_maps");
  MlirAttribute gMaps = mloptAttr(g, "indexing_maps");
  return mlirValueEqual(mloptOperand(f, i), mloptOperand(g, j)) &&
         mlirAttributeEqual(mlirArrayAttrGetElement(fMaps, i),
                            mlirArrayAttrGetElement(gMaps, j));
}

/// Whether a value of one body is computed as that of another one.
static bool sameValue(MlirOperation f, MlirValue x, MlirOperation g,
                      MlirValue y) {
  if (mlirValueEqual(x, y))
    return true;
  if (mlirValueIsABlockArgument(x) && mlirValueIsABlockArgument(y))
    return sameInput(f, mlirBlockArgumentGetArgNumber(x), g,
                     mlirBlockArgumentGetArgNumber(y));
  if (!mlirValueIsAOpResult(x) || !mlirValueIsAOpResult(y))
    return false;
  MlirOperation a = mlirOpResultGetOwner(x), b = mlirOpResultGetOwner(y);
  bool same =
      mlirIdentifierEqual(mlirOperationGetName(a), mlirOperationGetName(b)) &&
      mlirTypeEqual(mlirValueGetType(x), mlirValueGetType(y)) &&
      mlirOperationGetNumResults(a) == 1 &&
      mlirOperationGetNumResults(b) == 1 &&
      mlirOperationGetNumRegions(a) == 0 && sameAttributes(a, b) &&
      mlirOperationGetNumOperands(a) == mlirOperationGetNumOperands(b);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(a); same && i < n; ++i)
    same = sameValue(f, mloptOperand(a, i), g, mloptOperand(b, i));
  return same;
}

/// Whether a value repeats another one along loops.
static bool repeats(MlirValue value, MlirValue source) {
  while (!mlirValueEqual(value, source)) {
    if (!mlirValueIsAOpResult(value))
      return false;
    MlirOperation op = mlirOpResultGetOwner(value);
    if (!mloptIsNamed(op, "linalg.generic") || mloptIsReduction(op) ||
        mlirOperationGetNumOperands(op) != 2)
      return false;
    MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
    if (!mlirValueEqual(mloptOperand(mlirBlockGetTerminator(body), 0),
                        mlirBlockGetArgument(body, 0)))
      return false;
    value = mloptOperand(op, 0);
  }
  return true;
}

static bool sameLoops(const MloptReduction *a, const MloptReduction *b) {
  bool same = a->numLoops == b->numLoops && a->numKept == b->numKept &&
              a->numReduced == b->numReduced;
  for (intptr_t i = 0; same && i < a->numLoops; ++i)
    same = a->sizes[i] == b->sizes[i];
  for (intptr_t i = 0; same && i < a->numKept; ++i)
    same = a->kept[i] == b->kept[i];
  return same;
}

bool mloptIsStreamedWith(MlirOperation sum, MlirOperation max,
                         MloptStreamed *out) {
  MloptCombiner combiner;
  MloptReduction ofSum, ofMax;
  if (!mloptDescribeStreamed(sum, out) ||
      !mlirOperationEqual(out->generic, sum) ||
      mlirOperationGetNumResults(max) != 1 ||
      !mloptDescribeCombiner(max, 0, &combiner) ||
      !mloptIsNamed(combiner.op, "arith.maximumf") ||
      !mloptDescribeReduction(sum, &ofSum) ||
      !mloptDescribeReduction(max, &ofMax) || !sameLoops(&ofSum, &ofMax))
    return false;
  return repeats(mloptOperand(sum, out->reference), mloptResult(max, 0)) &&
         sameValue(sum, out->a, max,
                   mloptOperand(combiner.op, 1 - combiner.accumulator));
}

static MlirAttribute parallelLoops(MlirContext c, intptr_t rank) {
  MlirAttribute loops[MLOPT_MAX_RANK + 1];
  for (intptr_t d = 0; d < rank; ++d)
    loops[d] =
        mlirAttributeParseGet(c, mloptStr("#linalg.iterator_type<parallel>"));
  return mlirArrayAttrGet(c, rank, loops);
}

static void yield(MloptBuilder *b, MlirValue value) {
  mloptBuildOp(b, (MloptOpSpec){.name = "linalg.yield",
                                .numOperands = 1,
                                .operands = &value});
}

MlirValue mloptPieceReference(MloptPiece *p, MlirValue largest) {
  if (p->b.failed)
    return largest;
  MlirContext c = p->b.context;
  MlirType type = mlirValueGetType(largest);
  MlirType f32 = mloptElementType(type);
  MlirBlock block;
  MlirRegion region =
      mloptCreateRegion(&p->b, 2, (MlirType[]){f32, f32}, &block);
  MloptBuilder b = mloptBuilderAtEnd(block, p->b.location);
  MlirValue x = mlirBlockGetArgument(block, 0);
  MlirValue isNothing =
      mloptBuildCmpF(&b, "oeq", x, mloptBuildFloat(&b, f32, -INFINITY));
  yield(&b, mloptBuildSelect(&b, isNothing, mloptBuildFloat(&b, f32, 0), x));
  p->b.failed |= b.failed;
  int64_t shape[MLOPT_MAX_RANK];
  intptr_t rank = mloptShape(type, shape);
  MlirAttribute map =
      mlirAffineMapAttrGet(mlirAffineMapMultiDimIdentityGet(c, rank));
  MlirValue operands[] = {
      largest, mloptBuildValue(&p->b, (MloptOpSpec){.name = "tensor.empty",
                                                    .numResults = 1,
                                                    .results = &type})};
  MlirOperation op =
      mloptPieceGeneric(p, 1, 1, operands, (MlirAttribute[]){map, map},
                        parallelLoops(c, rank), region);
  return p->b.failed ? largest : mloptResult(op, 0);
}

MlirRegion mloptRescaledBody(MloptPiece *p) {
  MlirType f32 = mlirF32TypeGet(p->b.context);
  MlirBlock block;
  MlirRegion region =
      mloptCreateRegion(&p->b, 4, (MlirType[]){f32, f32, f32, f32}, &block);
  MloptBuilder b = mloptBuilderAtEnd(block, p->b.location);
  MlirValue sum = mlirBlockGetArgument(block, 0);
  MlirValue off =
      mloptBuildBinary(&b, "arith.subf", mlirBlockGetArgument(block, 1),
                       mlirBlockGetArgument(block, 2));
  MlirValue factor = mloptBuildUnary(&b, "math.exp", off, f32);
  yield(&b, mloptBuildBinary(&b, "arith.addf", mlirBlockGetArgument(block, 3),
                             mloptBuildBinary(&b, "arith.mulf", sum, factor)));
  p->b.failed |= b.failed;
  return region;
}
