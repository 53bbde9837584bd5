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
// Sums of columns beside reductions of rows, of which a block takes some from
// top to bottom, are cut into pieces of rows for the same reason. Reductions of
// what follows a product are cut into pieces that every tile of it holds whole.
//
// Few elements that fill no piece are reduced with the pieces' results, each as
// if it were one; a length that leaves few is looked for. More are a piece of
// their own, reduced by a kernel beside the first, or where columns are reduced
// beside rows, by the same one. Results of the fusion that need every element
// again come last, in a kernel that reads what was reduced; where that reduces
// once more, it is split in its turn, but for sums of exponentials that
// split_streams.c cuts together with the largest element. How many pieces there
// are depends on the shape alone, and so does the order of every sum.
//
//===----------------------------------------------------------------------===//

#include "passes.h"
#include "split_impl.h"
#include "traffic.h"

#include "mlir-c/Dialect/Linalg.h"
#include "mlir-c/Dialect/Tensor.h"

//===----------------------------------------------------------------------===//
// Fusions
//===----------------------------------------------------------------------===//

/// Whether a value comes from one of the reductions.
static bool dependsOn(const MloptSplit *s, MlirValue value) {
  if (!mlirValueIsAOpResult(value))
    return false;
  MlirOperation op = mlirOpResultGetOwner(value);
  for (intptr_t i = 0; i < s->count; ++i)
    if (mlirOperationEqual(op, s->reductions[i]))
      return true;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (dependsOn(s, mloptOperand(op, i)))
      return true;
  return false;
}

static int64_t spaceOf(const MloptSplit *s) {
  const MloptReduction *r = &s->loops[0];
  int64_t count = 1;
  for (intptr_t i = 0; i < r->numLoops; ++i)
    count *= r->sizes[i];
  return count;
}

/// Whether a value needs as many elements as are reduced, once the split
/// reductions' results are known.
static bool isLarge(const MloptSplit *s, MlirValue value) {
  if (!mlirValueIsAOpResult(value))
    return mlirTypeIsAShaped(mlirValueGetType(value)) &&
           mloptNumElements(mlirValueGetType(value)) >= spaceOf(s);
  MlirOperation op = mlirOpResultGetOwner(value);
  for (intptr_t i = 0; i < s->count; ++i)
    if (mlirOperationEqual(op, s->reductions[i]))
      return false;
  for (intptr_t i = 0; i < s->numStreams; ++i)
    if (mlirOperationEqual(op, s->streams[i].sum))
      return false;
  if (mlirTypeIsAShaped(mlirValueGetType(value)) &&
      mloptNumElements(mlirValueGetType(value)) >= spaceOf(s))
    return true;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (isLarge(s, mloptOperand(op, i)))
      return true;
  return false;
}

/// The pieces, what is left over as one more, or each element of that as one.
enum { CUTS = 1, REST = 2, EACH = 4 };

static MloptCut cutOf(const MloptSplit *s, intptr_t i, int which) {
  const MloptCut *cut = &s->cuts[i];
  int64_t behind = cut->count * cut->length;
  if (which == CUTS)
    return *cut;
  return which == REST ? (MloptCut){cut->loop, behind, 1, s->rest}
                       : (MloptCut){cut->loop, behind, s->rest, 1};
}

/// The reductions, then the sums that are cut with them.
typedef struct Cuts {
  MlirOperation reductions[MLOPT_SPLIT_REDUCTIONS];
  MlirOperation streams[MLOPT_MAX_TILE_ROOTS];
} Cuts;

/// Adds all, cut.
static Cuts cutAll(MloptPiece *p, const MloptSplit *s, int which) {
  Cuts cuts = {0};
  for (intptr_t i = 0; i < s->count; ++i) {
    MloptCut cut = cutOf(s, i, which);
    cuts.reductions[i] = mloptPieceCut(p, s->reductions[i], &s->loops[i], &cut,
                                       -1, (MlirValue){NULL});
  }
  for (intptr_t n = 0; n < s->numStreams && !p->b.failed; ++n) {
    const MloptSplitStream *stream = &s->streams[n];
    intptr_t i = stream->max;
    MloptCut cut = cutOf(s, i, which);
    MlirValue reference =
        mloptPieceReference(p, mloptResult(cuts.reductions[i], 0));
    cuts.streams[n] = mloptPieceCut(p, stream->sum, &s->loops[i], &cut,
                                    stream->streamed.reference, reference);
  }
  return cuts;
}

/// The same, and yields what they give.
static void yieldAll(MloptPiece *p, const MloptSplit *s, int which) {
  Cuts cuts = cutAll(p, s, which);
  for (intptr_t i = 0; i < s->count && !p->b.failed; ++i)
    for (intptr_t j = 0, n = mlirOperationGetNumResults(cuts.reductions[i]);
         j < n; ++j)
      mloptPieceYield(p, mloptResult(cuts.reductions[i], j));
  for (intptr_t n = 0; n < s->numStreams && !p->b.failed; ++n)
    mloptPieceYield(p, mloptResult(cuts.streams[n], 0));
}

/// The kernel of pieces, or of what is left over.
static MlirOperation buildPieces(const MloptSplit *s, int which, bool withRoots,
                                 intptr_t *numberOf) {
  MloptPiece p;
  mloptBeginPiece(&p, s->fusion);
  if (which & CUTS)
    yieldAll(&p, s, CUTS);
  if (which & REST)
    yieldAll(&p, s, REST);
  MlirOperation yield = mlirBlockGetTerminator(s->body);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(yield); i < n; ++i) {
    MlirValue root = mloptOperand(yield, i);
    bool isWhole = mlirValueIsAOpResult(root) && !mloptReadsReduction(root) &&
                   mloptNumElements(mlirValueGetType(root)) == spaceOf(s);
    if (withRoots && (s->isBeside ? !dependsOn(s, root) : isWhole))
      numberOf[i] = mloptPieceYield(&p, mloptPieceNeed(&p, root));
  }
  return mloptEndPiece(&p);
}

/// Makes `value` of the source the result `number` of `fusion` in a piece.
static void bindResult(MloptPiece *p, MlirValue value, MlirOperation fusion,
                       intptr_t number) {
  mloptPieceBind(p, value, mloptPieceOperand(p, mloptResult(fusion, number)));
}

/// What the kernel that combines starts from.
typedef struct Combine {
  const MloptSplit *s;
  MloptPiece *p;
  MlirOperation pieces, rest; ///< kernels; `rest` is null if there is none
  Cuts left;                  ///< of few elements, here
} Combine;

/// Result `number` of the pieces and, behind them, those of few elements:
/// result `i` of an operation that is cut like reduction `k`.
static MlirValue piecesOf(const Combine *c, intptr_t number, intptr_t k,
                          MlirOperation op, intptr_t i, MlirOperation left) {
  const MloptSplit *s = c->s;
  MlirValue value = mloptPieceOperand(c->p, mloptResult(c->pieces, number));
  if (!s->isFew || c->p->b.failed)
    return value;
  MloptCut each = cutOf(s, k, EACH);
  return mloptPieceAppend(c->p, op, i, &s->loops[k], &s->cuts[k], value, &each,
                          mloptResult(left, i));
}

/// How many there are.
static MloptCut combinedCut(const MloptSplit *s, intptr_t k) {
  MloptCut cut = s->cuts[k];
  cut.count += s->isFew ? s->rest : 0;
  return cut;
}

/// The sums that the reductions' pieces are made up for, from the same kernels.
static void combineStreams(const Combine *c, bool isWanted) {
  const MloptSplit *s = c->s;
  MloptPiece *p = c->p;
  intptr_t next = mloptSplitResultOf(s, s->count);
  for (intptr_t n = 0; n < s->numStreams; ++n, ++next) {
    MlirOperation sum = s->streams[n].sum;
    intptr_t i = s->streams[n].max, largest = mloptSplitResultOf(s, i);
    intptr_t numInputs = mlirOperationGetNumOperands(sum) - 1;
    MlirValue ofAll = mloptPieceNeed(p, mloptResult(s->reductions[i], 0));
    MlirValue value = mloptPieceNeed(p, mloptOperand(sum, numInputs));
    MloptCut cut = combinedCut(s, i), restCut = cutOf(s, i, REST);
    value = mloptPieceRescale(
        p, &s->loops[i], &cut, piecesOf(c, next, i, sum, 0, c->left.streams[n]),
        piecesOf(c, largest, i, s->reductions[i], 0, c->left.reductions[i]),
        ofAll, value);
    if (!mlirOperationIsNull(c->rest))
      value = mloptPieceRescale(
          p, &s->loops[i], &restCut,
          mloptPieceOperand(p, mloptResult(c->rest, next)),
          mloptPieceOperand(p, mloptResult(c->rest, largest)), ofAll, value);
    mloptPieceBind(p, mloptResult(sum, 0), value);
    if (isWanted)
      mloptPieceYield(p, value);
  }
}

/// The kernel that reduces what the pieces gave, with all that needs no more.
/// `rest`, if not null, gave what is left over; behind the pieces, where it is
/// the same kernel.
static MlirOperation buildCombined(const MloptSplit *s, MlirOperation pieces,
                                   MlirOperation rest, intptr_t *numberOf,
                                   bool isWanted) {
  MloptPiece p;
  mloptBeginPiece(&p, s->fusion);
  Combine c = {.s = s, .p = &p, .pieces = pieces, .rest = rest};
  if (s->isFew)
    c.left = cutAll(&p, s, EACH);
  intptr_t next = 0;
  intptr_t behind =
      mlirOperationEqual(pieces, rest) ? mloptSplitResultOf(s, s->count) : 0;
  for (intptr_t k = 0; k < s->count; ++k) {
    MlirOperation op = s->reductions[k];
    next = s->isFold ? s->firsts[k] : next;
    MloptCut cut = combinedCut(s, k), restCut = cutOf(s, k, REST);
    intptr_t numResults = mlirOperationGetNumResults(op);
    intptr_t numInputs = mlirOperationGetNumOperands(op) - numResults;
    for (intptr_t i = 0; i < numResults; ++i, ++next) {
      MlirValue value = mloptPieceNeed(&p, mloptOperand(op, numInputs + i));
      value = mloptPieceCombine(
          &p, op, i, &s->loops[k], &cut,
          piecesOf(&c, next, k, op, i, c.left.reductions[k]), value);
      if (!mlirOperationIsNull(rest))
        value = mloptPieceCombine(
            &p, op, i, &s->loops[k], &restCut,
            mloptPieceOperand(&p, mloptResult(rest, behind + next)), value);
      mloptPieceBind(&p, mloptResult(op, i), value);
      if (isWanted)
        mloptPieceYield(&p, value);
    }
  }
  combineStreams(&c, isWanted);
  MlirOperation yield = mlirBlockGetTerminator(s->body);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(yield); i < n; ++i) {
    MlirValue root = mloptOperand(yield, i);
    if (s->isBeside ? dependsOn(s, root) : !isLarge(s, root))
      numberOf[i] = mloptPieceYield(&p, mloptPieceNeed(&p, root));
  }
  return mloptEndPiece(&p);
}

/// The kernel of the roots that need every element again; `combined` yields the
/// reductions' results first.
static MlirOperation buildLast(const MloptSplit *s, MlirOperation combined,
                               const bool *isDone, intptr_t *numberOf) {
  MloptPiece p;
  mloptBeginPiece(&p, s->fusion);
  intptr_t next = 0;
  for (intptr_t k = 0; k < s->count; ++k)
    for (intptr_t i = 0, n = mlirOperationGetNumResults(s->reductions[k]);
         i < n; ++i)
      bindResult(&p, mloptResult(s->reductions[k], i), combined, next++);
  for (intptr_t n = 0; n < s->numStreams; ++n)
    bindResult(&p, mloptResult(s->streams[n].sum, 0), combined, next++);
  MlirOperation yield = mlirBlockGetTerminator(s->body);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(yield); i < n; ++i)
    if (!isDone[i])
      numberOf[i] =
          mloptPieceYield(&p, mloptPieceNeed(&p, mloptOperand(yield, i)));
  return mloptEndPiece(&p);
}

/// The kernel of reductions that stay whole, with all that needs no more. With
/// `columns`, what does not depend on those reductions.
static MlirOperation buildWhole(const MloptSplit *s, const MloptSplit *columns,
                                intptr_t *numberOf) {
  MloptPiece p;
  mloptBeginPiece(&p, s->fusion);
  for (intptr_t k = 0; k < s->count; ++k)
    for (intptr_t i = 0, n = mlirOperationGetNumResults(s->reductions[k]);
         i < n; ++i)
      mloptPieceYield(&p, mloptPieceNeed(&p, mloptResult(s->reductions[k], i)));
  MlirOperation yield = mlirBlockGetTerminator(s->body);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(yield); i < n; ++i) {
    MlirValue root = mloptOperand(yield, i);
    bool isReady = !isLarge(s, root) ||
                   (mlirValueIsAOpResult(root) && !mloptReadsReduction(root) &&
                    mloptNumElements(mlirValueGetType(root)) == spaceOf(s));
    if (columns ? !dependsOn(columns, root) : isReady)
      numberOf[i] = mloptPieceYield(&p, mloptPieceNeed(&p, root));
  }
  return mloptEndPiece(&p);
}

enum { PIECES, COMBINED, LAST, NUM_PARTS, MOST_TURNS = 8 };

static void replaceRoots(const MloptSplit *s, MlirOperation by,
                         const intptr_t *numberOf) {
  for (intptr_t i = 0, n = mlirOperationGetNumResults(s->fusion); i < n; ++i)
    if (numberOf[i] >= 0)
      mlirValueReplaceAllUsesOfWith(mloptResult(s->fusion, i),
                                    mloptResult(by, numberOf[i]));
}

/// Splits a fusion into parts, null where there is none; false when building
/// failed.
static bool split(const MloptSplit *s, MlirOperation *parts) {
  MlirOperation yield = mlirBlockGetTerminator(s->body);
  intptr_t numRoots = mlirOperationGetNumOperands(yield);
  intptr_t numberOf[NUM_PARTS][MLOPT_SPLIT_ROOTS];
  bool isDone[MLOPT_SPLIT_ROOTS], isAll = true;
  MlirOperation rest = {NULL};
  for (int part = 0; part < NUM_PARTS; ++part)
    parts[part] = (MlirOperation){NULL};
  memset(numberOf, -1, sizeof numberOf);
  MloptSplit rows = *s;
  if (s->isBeside && s->isWhole)
    mloptFindBeside(&rows, true);
  if (s->isWhole)
    parts[COMBINED] =
        buildWhole(&rows, s->isBeside ? s : NULL, numberOf[COMBINED]);
  else if (s->isBeside)
    rest = parts[PIECES] =
        buildPieces(s, s->rest ? CUTS | REST : CUTS, true, numberOf[PIECES]);
  else
    parts[PIECES] = buildPieces(s, CUTS, !s->rest, numberOf[PIECES]);
  if (s->rest && !s->isBeside && !s->isFew)
    rest = buildPieces(s, REST, false, NULL);
  for (intptr_t i = 0; i < numRoots; ++i) {
    isDone[i] =
        numberOf[PIECES][i] >= 0 || numberOf[COMBINED][i] >= 0 ||
        (s->isBeside ? !s->isWhole : !isLarge(s, mloptOperand(yield, i)));
    isAll &= isDone[i];
  }
  if (mlirOperationIsNull(parts[s->isWhole ? COMBINED : PIECES]) ||
      (s->rest && !s->isFew && mlirOperationIsNull(rest)))
    return false;
  if (!s->isWhole)
    parts[COMBINED] =
        buildCombined(s, parts[PIECES], s->rest ? rest : (MlirOperation){NULL},
                      numberOf[COMBINED], !isAll);
  if (mlirOperationIsNull(parts[COMBINED]))
    return false;
  if (!isAll)
    parts[LAST] = buildLast(&rows, parts[COMBINED], isDone, numberOf[LAST]);
  if (!isAll && mlirOperationIsNull(parts[LAST]))
    return false;
  // A root of several parts is the first one's.
  for (int part = 0; part < NUM_PARTS; ++part)
    if (!mlirOperationIsNull(parts[part]))
      replaceRoots(s, parts[part], numberOf[part]);
  mlirOperationDestroy(s->fusion);
  return true;
}

static bool splitFusion(MlirOperation fusion, int turns);

static bool reduceAlike(const MloptReduction *a, const MloptReduction *b) {
  return a->numLoops == b->numLoops && a->numReduced == b->numReduced &&
         !memcmp(a->sizes, b->sizes, sizeof a->sizes) &&
         !memcmp(a->reduced, b->reduced, sizeof a->reduced);
}

/// Splits a product from what its pieces give: a kernel for each space that is
/// reduced.
static bool splitFolds(const MloptSplit *s, int turns) {
  intptr_t numberOf[MLOPT_SPLIT_ROOTS], count = 0;
  MlirOperation combined[MLOPT_SPLIT_REDUCTIONS];
  bool isDone[MLOPT_SPLIT_REDUCTIONS] = {false};
  memset(numberOf, -1, sizeof numberOf);
  MlirOperation pieces = buildPieces(s, CUTS, true, numberOf);
  if (mlirOperationIsNull(pieces))
    return false;
  replaceRoots(s, pieces, numberOf);
  for (intptr_t k = 0; k < s->count; ++k) {
    if (isDone[k])
      continue;
    MloptSplit alike = *s;
    alike.count = 0;
    for (intptr_t i = k; i < s->count; ++i) {
      if (isDone[i] || !reduceAlike(&s->loops[k], &s->loops[i]))
        continue;
      isDone[i] = true;
      alike.reductions[alike.count] = s->reductions[i];
      alike.loops[alike.count] = s->loops[i];
      alike.cuts[alike.count] = s->cuts[i];
      alike.firsts[alike.count++] = s->firsts[i];
    }
    memset(numberOf, -1, sizeof numberOf);
    combined[count] =
        buildCombined(&alike, pieces, (MlirOperation){NULL}, numberOf, false);
    if (mlirOperationIsNull(combined[count]))
      return false;
    replaceRoots(s, combined[count++], numberOf);
  }
  mlirOperationDestroy(s->fusion);
  for (intptr_t i = 0; i < count; ++i)
    if (!splitFusion(combined[i], turns - 1))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Splits a fusion, and what is left of it where that must be split again.
static bool splitFusion(MlirOperation fusion, int turns) {
  MloptSplit s;
  MlirOperation parts[NUM_PARTS];
  bool failed;
  MlirOperation sorted;
  if (mloptSplitScatter(fusion, &sorted, &failed))
    return splitFusion(sorted, turns);
  if (failed)
    return false;
  if (mloptSplitScan(fusion, &failed) || failed ||
      mloptSplitSort(fusion, &failed) || failed)
    return !failed;
  if (!turns || !mloptReadSplit(fusion, &s))
    return true;
  if (s.isFold)
    return splitFolds(&s, turns);
  if (!split(&s, parts))
    return false;
  // Where a kernel takes few elements beside the pieces, it is not split again.
  for (int part = s.isFew ? LAST : COMBINED; part < NUM_PARTS; ++part)
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
  mloptOpError(func, "has a reduction or scan whose pieces could not be built");
  mloptPassSignalFailure(pass);
}

static MlirDialectHandle (*const dependent[])(void) = {
    mlirGetDialectHandle__linalg__, mlirGetDialectHandle__tensor__, NULL};

const MloptPassDef mloptPass_splitReductions MLOPT_TABLE = {
    .argument = "mlopt-split-reductions",
    .summary =
        "Split long reductions, scans, sorts and scatters between kernels",
    .doc = "A fusion that reduces too few rows or columns to keep the GPU busy "
           "becomes a fusion that reduces pieces of them, one that reduces the "
           "pieces' results, and one for results that need every element "
           "again. The number of pieces follows from the shape; few elements "
           "that fill none are reduced with the results, more are a piece. The "
           "largest element of a row and the sum of exponentials of what is "
           "below it are found together, a piece's sum with its own largest. "
           "Reduced dimensions that lie apart are reduced one group after the "
           "other, and reductions of columns that need each other's results in "
           "a fusion each. Columns that are reduced beside rows are reduced in "
           "pieces of rows, a block's each, and reductions of what follows a "
           "product in pieces of 16 elements. Scans of too few lines become a "
           "fusion that adds up pieces of them, one that scans the sums, and "
           "one that scans the pieces from there. Sorts of lines that a block "
           "does not hold are split, and the windows of a large scatter are "
           "sorted by where they go before it combines them.",
    .anchor = "func.func",
    .dependent = dependent,
    .run = run,
};
