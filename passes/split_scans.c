//===- split_scans.c - Few long scans become many short ones --------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads of one block share a line. With fewer lines than multiprocessors, a
// line is cut: one kernel adds up the pieces but the last, one scans these
// sums, and one scans each piece, from what comes before it.
//
//   %r = mlopt.fusion (%a = %x : tensor<1000003xf32>) -> ... {
//     %s = mlopt.scan %a, %init dim 0
//     mlopt.yield %s
//   }
// becomes
//   %p = mlopt.fusion (%a = %x : ..) -> tensor<61xf32> {
//     %s = linalg.generic ... reduces d1 of %a's first 61 x 16384 elements
//   }
//   %q = mlopt.fusion (%a = %p : ..) -> tensor<61xf32> {
//     %s = mlopt.scan %a, %init dim 0
//   }
//   %r = mlopt.fusion (%a = %x : .., %b = %q : ..) -> tensor<1000003xf32> {
//     %l = mlopt.scan %padded, %neutral dim 1        of tensor<62x16384xf32>
//     %s = linalg.generic ... what %b says comes before the piece, then %l
//     %t = tensor.extract_slice of %s, collapsed
//   }
//
// The padding is never read: emit_scan.c knows where the line ends.
//
//===----------------------------------------------------------------------===//

#include "split_cut.h"
#include "target.h"
#include "to_linalg.h"

#include "mlir-c/AffineMap.h"

/// A scan that is cut into `count` pieces of `length`.
typedef struct Split {
  MlirOperation fusion, scan;
  MloptCombiner combiner;
  MlirType type, element;
  int64_t dim, size, count, length;
} Split;

/// Pieces so long that their sums cost little, and so many that all blocks have
/// some; no fewer than are worth two more kernels.
static bool choosePieces(Split *s) {
  enum { ROW_LENGTH = 16384, COLUMN_LENGTH = 256, LEAST = 4, WAVES = 4 };
  bool isRows = mloptScanIsRows(s->scan);
  int64_t lines = mloptNumElements(s->type) / s->size;
  int64_t blocks =
      isRows ? lines : (lines + mloptSm90.warp - 1) / mloptSm90.warp;
  int64_t least = isRows ? ROW_LENGTH : COLUMN_LENGTH;
  if (2 * blocks > mloptSm90.multiprocessors)
    return false;
  int64_t pieces = WAVES * mloptSm90.multiprocessors / blocks;
  s->length = (s->size / pieces / least + 1) * least;
  s->count = (s->size + s->length - 1) / s->length;
  return s->count >= LEAST;
}

static bool readSplit(MlirOperation fusion, Split *s) {
  *s = (Split){.fusion = fusion};
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(fusion, 0));
  intptr_t numScans = 0, numOps = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(body);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    ++numOps;
    if (!mloptIsNamed(op, "mlopt.scan"))
      continue;
    s->scan = op;
    ++numScans;
  }
  if (numScans != 1 || numOps > MLOPT_MAX_PIECE_VALUES / 4 ||
      !mloptScanIsFree(s->scan, &s->combiner) ||
      !mlirAttributeIsNull(mloptAttr(s->scan, "reverse")))
    return false;
  s->type = mloptOperandType(s->scan, 0);
  s->element = mloptElementType(s->type);
  s->dim = mlirIntegerAttrGetValueInt(mloptAttr(s->scan, "dim"));
  s->size = mloptDim(s->type, s->dim);
  MlirOperation yield = mlirBlockGetTerminator(body);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(yield); i < n; ++i)
    if (!mloptHaveSameShape(mloptOperandType(yield, i), s->type))
      return false;
  return mloptNumElements(s->type) && mloptRank(s->type) < MLOPT_MAX_RANK &&
         choosePieces(s);
}

/// The line's type with so many elements in place of its own, or so many pieces
/// of so many.
static MlirType withSize(const Split *s, int64_t size) {
  int64_t shape[MLOPT_MAX_RANK];
  intptr_t rank = mloptShape(s->type, shape);
  shape[s->dim] = size;
  return mloptTensorType(rank, shape, s->element);
}
static MlirType withPieces(const Split *s, int64_t count) {
  int64_t shape[MLOPT_MAX_RANK];
  intptr_t rank = mloptShape(s->type, shape);
  for (intptr_t i = rank; i > s->dim + 1; --i)
    shape[i] = shape[i - 1];
  shape[s->dim] = count;
  shape[s->dim + 1] = s->length;
  return mloptTensorType(rank + 1, shape, s->element);
}

/// All loops but that along a piece.
static MlirAffineMap overPieces(const Split *s) {
  int64_t dims[MLOPT_MAX_RANK];
  intptr_t rank = mloptRank(s->type);
  for (intptr_t i = 0; i < rank; ++i)
    dims[i] = i <= s->dim ? i : i + 1;
  return mloptDimsMap(mlirTypeGetContext(s->type), rank + 1, rank, dims);
}

/// The scan's combination in the body of a generic.
static MlirValue combine(const Split *s, MloptGeneric *g, MlirValue x,
                         MlirValue y) {
  const MlirValue from[] = {mloptOperand(s->combiner.op, 0),
                            mloptOperand(s->combiner.op, 1)};
  const MlirValue to[] = {x, y};
  MlirOperation copy = mloptCloneWithMapping(s->combiner.op, 2, from, to);
  mlirBlockAppendOwnedOperation(g->block, copy);
  return mloptResult(copy, 0);
}

/// A tensor of what changes nothing.
static MlirValue neutral(const Split *s, MloptBuilder *b, MlirType type) {
  return mloptBuildConstant(
      b, mlirDenseElementsAttrSplatGet(type, s->combiner.neutral));
}

/// `x` in a tensor that has other elements before or behind it along the line.
static MlirValue insertAt(const Split *s, MloptBuilder *b, MlirValue x,
                          MlirValue others, int64_t offset) {
  if (b->failed)
    return (MlirValue){NULL};
  MloptSlice slice = mloptWholeSlice(mlirValueGetType(x));
  slice.offsets[s->dim] = offset;
  return mloptBuildInsertSlice(b, x, others, &slice);
}

/// The sums of all pieces but the last.
static MlirOperation buildSums(const Split *s) {
  MloptPiece p;
  mloptBeginPiece(&p, s->fusion);
  MlirValue x = mloptPieceNeed(&p, mloptOperand(s->scan, 0));
  MlirType whole = withSize(s, (s->count - 1) * s->length);
  MloptSlice slice = mloptWholeSlice(whole);
  if (!p.b.failed && !mlirTypeEqual(whole, s->type))
    x = mloptBuildExtractSlice(&p.b, x, &slice, whole);
  x = mloptBuildReshape(&p.b, x, withPieces(s, s->count - 1));
  intptr_t rank = mloptRank(s->type) + 1;
  MloptGeneric g = {.numLoops = rank};
  g.reduction[s->dim + 1] = true;
  mloptAddInput(&g, x, mloptIdentityMap(p.b.context, rank));
  mloptAddOutput(&g, neutral(s, &p.b, withSize(s, s->count - 1)),
                 overPieces(s));
  mloptBeginGeneric(&p.b, &g);
  MlirValue sum =
      combine(s, &g, mloptGenericArg(&g, 1), mloptGenericArg(&g, 0));
  mloptPieceYield(&p, mloptEndGenericValue(&p.b, &g, sum));
  return mloptEndPiece(&p);
}

/// The scan over another tensor, from another start.
static MlirValue scanOf(const Split *s, MloptPiece *p, MlirValue x,
                        MlirValue init, int64_t dim) {
  if (p->b.failed)
    return (MlirValue){NULL};
  MlirOperation copy = mloptCloneWithMapping(s->scan, 2,
                                             (MlirValue[]){
                                                 mloptOperand(s->scan, 0),
                                                 mloptOperand(s->scan, 1),
                                             },
                                             (MlirValue[]){x, init});
  mlirOperationSetAttributeByName(copy, mloptStr("dim"),
                                  mloptI64Attr(p->b.context, dim));
  mlirValueSetType(mloptResult(copy, 0), mlirValueGetType(x));
  mlirBlockAppendOwnedOperation(p->block, copy);
  return mloptResult(copy, 0);
}

static MlirOperation buildBefore(const Split *s, MlirOperation sums) {
  MloptPiece p;
  mloptBeginPiece(&p, s->fusion);
  MlirValue x = mloptPieceOperand(&p, mloptResult(sums, 0));
  MlirValue init = mloptPieceNeed(&p, mloptOperand(s->scan, 1));
  mloptPieceYield(&p, scanOf(s, &p, x, init, s->dim));
  return mloptEndPiece(&p);
}

/// The pieces' scans, each after what comes before it, and all that follows.
static MlirOperation buildLast(const Split *s, MlirOperation before) {
  MloptPiece p;
  mloptBeginPiece(&p, s->fusion);
  MlirValue x = mloptPieceNeed(&p, mloptOperand(s->scan, 0));
  MlirValue init = mloptPieceNeed(&p, mloptOperand(s->scan, 1));
  MlirValue sums = mloptPieceOperand(&p, mloptResult(before, 0));
  MlirType padded = withSize(s, s->count * s->length);
  bool isPadded = !mlirTypeEqual(padded, s->type);
  if (isPadded)
    x = insertAt(s, &p.b, x, neutral(s, &p.b, padded), 0);
  x = mloptBuildReshape(&p.b, x, withPieces(s, s->count));
  MlirValue none = neutral(s, &p.b, mloptTensorType(0, NULL, s->element));
  MlirValue local = scanOf(s, &p, x, none, s->dim + 1);
  MlirAffineMap same =
      mlirAffineMapGet(p.b.context, mloptRank(s->type), 0, 0, NULL);
  sums = insertAt(s, &p.b, sums,
                  mloptBuildMapped(&p.b, init, same, withSize(s, s->count)), 1);
  intptr_t rank = mloptRank(s->type) + 1;
  MloptGeneric g = {.numLoops = rank};
  mloptAddInput(&g, sums, overPieces(s));
  mloptAddInput(&g, local, mloptIdentityMap(p.b.context, rank));
  mloptAddOutput(&g, mloptBuildEmpty(&p.b, withPieces(s, s->count)),
                 mloptIdentityMap(p.b.context, rank));
  mloptBeginGeneric(&p.b, &g);
  MlirValue sum =
      combine(s, &g, mloptGenericArg(&g, 0), mloptGenericArg(&g, 1));
  MlirValue all = mloptEndGenericValue(&p.b, &g, sum);
  all = mloptBuildReshape(&p.b, all, padded);
  MloptSlice slice = mloptWholeSlice(s->type);
  if (isPadded)
    all = mloptBuildExtractSlice(&p.b, all, &slice, s->type);
  mloptPieceBind(&p, mloptResult(s->scan, 0), all);
  MlirOperation yield = mlirBlockGetTerminator(
      mlirRegionGetFirstBlock(mlirOperationGetRegion(s->fusion, 0)));
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(yield); i < n; ++i)
    mloptPieceYield(&p, mloptPieceNeed(&p, mloptOperand(yield, i)));
  return mloptEndPiece(&p);
}

bool mloptSplitScan(MlirOperation fusion, bool *outFailed) {
  Split s;
  *outFailed = false;
  if (!readSplit(fusion, &s))
    return false;
  MlirOperation sums = buildSums(&s), before = {NULL}, last = {NULL};
  if (!mlirOperationIsNull(sums))
    before = buildBefore(&s, sums);
  if (!mlirOperationIsNull(before))
    last = buildLast(&s, before);
  *outFailed = mlirOperationIsNull(last);
  if (*outFailed)
    return false;
  mloptReplaceSplit(fusion, last);
  return true;
}
