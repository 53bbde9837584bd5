//===- split_find.c - Which reductions of a fusion are cut, and where -----===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a fusion to what mlopt-split-reductions makes of it (MloptSplit): the
// reductions that read no other one's result, all cut alike, with the sums that
// can be cut together with them. Whether and in how many pieces depends on the
// shape alone. Nothing is changed here.
//
//===----------------------------------------------------------------------===//

#include "contraction.h"
#include "split_impl.h"

/// The number of the last reduced loop that has more than one turn.
static intptr_t lastReduced(const MloptReduction *r) {
  intptr_t last = r->numReduced - 1;
  while (last > 0 && r->sizes[r->reduced[last]] == 1)
    --last;
  return last;
}

/// The length of about as many pieces that do not fill the size: the nearest
/// that leaves few, within an eighth, `longer` rather than shorter. Where there
/// is none, of the two next to it the one that leaves less.
static int64_t uneven(int64_t size, int64_t wanted, int64_t align, int64_t few,
                      bool longer) {
  enum { EIGHTHS = 8 };
  int64_t below = size / wanted / align * align, above = below + align;
  for (int turn = 0; below && few && turn < 2; ++turn)
    for (int64_t off = 0; EIGHTHS * off <= below; off += align) {
      int64_t length = longer == !turn ? below + off : below - off;
      if (size % length <= few)
        return length;
    }
  return below && size % below <= size % above ? below : above;
}

bool mloptFindCut(const MloptReduction *r, int64_t pieces, int64_t few,
                  MloptCut *out, int64_t *outRest) {
  enum { ALIGNED = 64 }; // elements, so that pieces start on an access
  int64_t before = 1, last = lastReduced(r);
  *outRest = 0;
  for (intptr_t i = 0; i <= last; ++i) {
    int64_t size = r->sizes[r->reduced[i]];
    bool isLast = i == last;
    if (before * size <= pieces && !isLast) {
      before *= size;
      continue;
    }
    int64_t align = isLast && r->inner == 1 ? ALIGNED : 1;
    int64_t wanted = (pieces + before - 1) / before;
    *out = (MloptCut){.loop = r->reduced[i],
                      .count = mloptNearestDivisor(size, wanted, align)};
    if (out->count) {
      out->length = size / out->count;
      return before * out->count > 1;
    }
    // No divisor: what is left makes a piece, unless others are before it.
    // Pieces of columns are rather longer, since more of them may not run at
    // once; those of rows are not, since threads may not hold more (three sums
    // of 3000017 f32: 13.1 us with 168 pieces, 9.6 with 186).
    few = isLast ? few : 0;
    out->length =
        before > 1 ? size : uneven(size, wanted, align, few, r->inner > 1);
    out->count = size / out->length;
    *outRest = size - out->count * out->length;
    return before * out->count > 1;
  }
  return false;
}

/// A cut in front of the last reduced loops that lie together: those before
/// are left for the second kernel.
static MloptCut findLastGroup(const MloptReduction *r) {
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
  return (MloptCut){.loop = loop, .count = 1, .length = r->sizes[loop]};
}

static MlirWalkResult countValues(MlirOperation op, void *count) {
  *(intptr_t *)count +=
      1 + mlirOperationGetNumResults(op) + 2 * mlirOperationGetNumOperands(op);
  return MlirWalkResultAdvance;
}

/// Whether an argument has narrower elements.
static bool readsNarrower(MlirBlock body, unsigned bits) {
  for (intptr_t i = 0, n = mlirBlockGetNumArguments(body); i < n; ++i) {
    MlirType type = mlirValueGetType(mlirBlockGetArgument(body, i));
    if (mlirTypeIsAShaped(type) &&
        mloptElementWidth(mloptElementType(type)) < bits)
      return true;
  }
  return false;
}

/// How many elements of the cut loop may be left to be reduced with what the
/// pieces gave. One more kernel for so few costs more: the sum of 127 x 127 x
/// 127 f64 takes 11.0 us in three, 9.1 in two.
static int64_t fewLeft(const MloptSplit *s) {
  enum { FEW_OF_ROW = 1024, FEW_OF_COLUMN = 128, STRIP_BITS = 512 };
  int64_t inner = s->loops[0].inner;
  if (inner == 1)
    return FEW_OF_ROW;
  // Columns that are gone down twice are two kernels, which are found behind
  // the pieces only. And narrow elements make wide strips, few for the pieces'
  // results: two sums of 262147 x 96 bf16 take 22.3 us back to back, 21.9 with
  // a kernel for 95 rows.
  MlirType result = mloptResultType(s->reductions[0], 0);
  unsigned bits = mloptElementWidth(mloptElementType(result));
  bool isNarrow = inner * bits > STRIP_BITS && readsNarrower(s->body, bits);
  return s->numStreams || isNarrow ? 0 : FEW_OF_COLUMN;
}

/// Cuts all reductions alike, where it pays or where there is no other way.
static bool findCuts(MloptSplit *s) {
  int64_t pieces = mloptChooseSplit(s->body);
  s->isWhole = !pieces && s->count;
  if (s->isWhole)
    return true;
  const int64_t few = s->count ? fewLeft(s) : 0;
  for (intptr_t i = 0; i < s->count; ++i) {
    const MloptReduction *r = &s->loops[i];
    MloptCut *cut = &s->cuts[i];
    int64_t rest = 0;
    if (!r->together)
      *cut = findLastGroup(r);
    else if (pieces < 2 || !mloptFindCut(r, pieces, few, cut, &rest))
      return false;
    // Unit loops aside all have the same, and so the same pieces.
    if (i &&
        (cut->count != s->cuts[0].count || cut->length != s->cuts[0].length ||
         rest != s->rest || r->together != s->loops[0].together))
      return false;
    s->rest = rest;
    // Elements that are reduced themselves are a piece.
    s->isFew = rest && rest <= few && cut->loop == r->reduced[lastReduced(r)];
  }
  return s->count > 0;
}

/// The number of a reduction's first result.
intptr_t mloptSplitResultOf(const MloptSplit *s, intptr_t reduction) {
  intptr_t count = 0;
  for (intptr_t i = 0; i < reduction; ++i)
    count += mlirOperationGetNumResults(s->reductions[i]);
  return count;
}

/// Sums that the reductions' pieces can be made up for, as many as a kernel may
/// have results.
static void findStreams(MloptSplit *s) {
  const intptr_t most = MLOPT_MAX_TILE_ROOTS - mloptSplitResultOf(s, s->count);
  for (MlirOperation op = mlirBlockGetFirstOperation(s->body);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    for (intptr_t i = 0;
         mloptIsReduction(op) && i < s->count && s->numStreams < most; ++i) {
      MloptSplitStream *stream = &s->streams[s->numStreams];
      *stream = (MloptSplitStream){.sum = op, .max = i};
      if (!mlirOperationEqual(op, s->reductions[i]) &&
          mlirOperationGetNumOperands(op) <= MLOPT_MAX_CUT_OPERANDS &&
          mloptIsStreamedWith(op, s->reductions[i], &stream->streamed)) {
        ++s->numStreams;
        break;
      }
    }
}

/// Whether another reduction, or more elements than a value has, follow from
/// it.
static bool isNeededAgain(MlirValue value) {
  int64_t elements = mloptNumElements(mlirValueGetType(value));
  for (MlirOpOperand use = mlirValueGetFirstUse(value);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (mloptIsReduction(user))
      return true;
    for (intptr_t i = 0, n = mlirOperationGetNumResults(user); i < n; ++i)
      if (mloptNumElements(mloptResultType(user, i)) > elements ||
          isNeededAgain(mloptResult(user, i)))
        return true;
  }
  return false;
}

/// Whether fusion says that a reduction is one of rows that a product's tile
/// holds whole.
static bool isMarkedRow(MlirOperation op) {
  MloptCombiner combiner;
  return mlirOperationGetNumResults(op) == 1 &&
         mloptDescribeCombiner(op, 0, &combiner) &&
         !mlirAttributeIsNull(mloptAttr(combiner.op, "mlopt.row"));
}

/// Whether a body reduces such rows. Those of a gradient of a norm, which are
/// sums of products too, are none.
static bool holdsRows(MlirBlock body) {
  bool found = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(body);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    found |= mloptIsReduction(op) && isMarkedRow(op);
  return found;
}

/// Finds the reductions of what follows products, cut as contraction.h says;
/// false where there are none, or they cannot be.
static bool findFolds(MloptSplit *s) {
  bool hasProduct = false;
  s->count = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(s->body);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    hasProduct |= mloptIsProduct(op);
    if (!mloptIsReduction(op) || mloptIsProduct(op) ||
        (hasProduct && (isMarkedRow(op) || isNeededAgain(mloptResult(op, 0)))))
      continue;
    MloptReduction *r = &s->loops[s->count];
    MloptCombiner combiner;
    if (!hasProduct || s->count == MLOPT_MAX_FOLDS ||
        mlirOperationGetNumOperands(op) != 2 ||
        !mloptDescribeReduction(op, r) || r->numLoops == MLOPT_MAX_RANK ||
        !mloptDescribeCombiner(op, 0, &combiner))
      return false;
    intptr_t loop = r->reduced[lastReduced(r)];
    int64_t size = r->sizes[loop];
    if (size % MLOPT_FOLD_LENGTH)
      return false;
    s->cuts[s->count] = (MloptCut){.loop = loop,
                                   .count = size / MLOPT_FOLD_LENGTH,
                                   .length = MLOPT_FOLD_LENGTH};
    s->firsts[s->count] = s->count;
    s->reductions[s->count++] = op;
  }
  s->isFold = s->isBeside = s->count > 0;
  return s->isFold;
}

bool mloptReadSplit(MlirOperation fusion, MloptSplit *s) {
  *s = (MloptSplit){
      .fusion = fusion,
      .body = mlirRegionGetFirstBlock(mlirOperationGetRegion(fusion, 0))};
  intptr_t numValues = 0;
  mlirOperationWalk(fusion, countValues, &numValues, MlirWalkPreOrder);
  if (numValues > MLOPT_MAX_PIECE_VALUES ||
      mlirOperationGetNumResults(fusion) > MLOPT_SPLIT_ROOTS)
    return false;
  if (findFolds(s))
    return true;
  if (holdsRows(s->body))
    return false;
  if (mloptFindBeside(s, false)) {
    mloptCutBeside(s);
    return true;
  }
  s->count = 0;
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
    if (s->count == MLOPT_SPLIT_REDUCTIONS ||
        mlirOperationGetNumOperands(op) > MLOPT_MAX_CUT_OPERANDS)
      return false;
    s->reductions[s->count] = op;
    if (!mloptDescribeReduction(op, &s->loops[s->count++]))
      return false;
  }
  findStreams(s);
  if (!findCuts(s))
    return false;
  if (s->isWhole)
    s->numStreams = 0;
  return true;
}
