//===- schedule_pointwise.c - Programs that compute element by element ----===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without reductions: vectors of elements, or squares of two dimensions where
// an operand lies along another one than the results.
//
//===----------------------------------------------------------------------===//

#include "schedule_impl.h"

#include "affine.h"
#include "target.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"

static const MloptTarget *const target = &mloptSm90;

enum { THREADS = MLOPT_BLOCK_THREADS, MAX_CLONED = MLOPT_MAX_CLONED };

/// Whether operand `i` of an elementwise operation over as many elements as the
/// space is the same for `count` neighbouring rows of `row` elements, and not
/// for all of a row.
static bool isRepeated(const MloptProgram *p, MlirOperation op, intptr_t i,
                       int64_t row, int64_t count) {
  if (!mloptIsNamed(op, "linalg.generic") ||
      mloptNumElements(mloptResultType(op, 0)) != mloptNumElements(p->space) ||
      i >= mlirOperationGetNumOperands(op) - mlirOperationGetNumResults(op))
    return false;
  MlirAttribute maps = mloptAttr(op, "indexing_maps");
  MlirAffineMap map =
      mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, i));
  MlirAffineMap out = mlirAffineMapAttrGetValue(
      mlirArrayAttrGetElement(maps, mlirArrayAttrGetNumElements(maps) - 1));
  if (!mlirAffineMapIsIdentity(out))
    return false;
  bool varies = false;
  int64_t inner = 1;
  for (intptr_t d = mlirAffineMapGetNumDims(map); d-- > 0 && inner <= row;) {
    int64_t size = mloptDim(mloptResultType(op, 0), d);
    bool isUsed = false;
    for (intptr_t r = 0; r < mlirAffineMapGetNumResults(map); ++r)
      isUsed |=
          mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(map, r), d);
    if (inner == row && size > 1)
      return !isUsed && varies && size % count == 0;
    varies |= isUsed && size > 1;
    inner *= size;
  }
  return false;
}

/// How many operands are the same for `count` neighbouring rows.
static intptr_t countRepeated(const MloptProgram *p, int64_t row,
                              int64_t count) {
  intptr_t repeated = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(p->block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
      repeated += isRepeated(p, op, i, row, count);
  return repeated;
}

/// The step from one of a thread's vectors to the next: as wide as the block,
/// or a row, where most operands are the same for all vectors.
static int64_t chooseStep(const MloptProgram *p, int64_t lanes, int64_t vectors,
                          int64_t width) {
  int64_t best = width, row = 1;
  intptr_t most = 0;
  for (intptr_t d = mloptRank(p->space); d-- > 1;) {
    row *= mloptDim(p->space, d);
    intptr_t saved = row % lanes || row < target->warp * lanes
                         ? 0
                         : countRepeated(p, row, vectors);
    best = saved > most ? row : best;
    most = saved > most ? saved : most;
  }
  return best;
}

int64_t mloptRowOf(MlirType space) {
  intptr_t last = mloptRank(space) - 1;
  while (last > 0 && mloptDim(space, last) == 1)
    --last;
  return last < 0 ? 1 : mloptDim(space, last);
}

/// Whether the vectors of a slice's rows start elsewhere than those of the rows
/// it lies in, side by side there.
static bool cutsUnevenly(MlirOperation op, MlirType outer, int64_t lanes) {
  intptr_t last = mloptRank(outer) - 1;
  while (last > 0 && mloptDim(outer, last) == 1)
    --last;
  if (last < 0)
    return false;
  MloptSliceDim d = mloptGetSliceDim(op, last);
  return d.stride == 1 && !mloptIsDynamic(d.offset) && d.size >= lanes &&
         (d.offset % lanes || d.size % lanes || mloptDim(outer, last) % lanes);
}

/// Whether operand `i` of an elementwise operation is read in another order,
/// but along rows, which are no whole number of vectors or go backwards.
static bool readsUnevenly(MlirOperation op, intptr_t i, int64_t lanes) {
  MlirAttribute maps = mloptAttr(op, "indexing_maps");
  MlirAffineMap map =
      mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, i));
  MlirType type = mloptOperandType(op, i);
  intptr_t rank = mlirAffineMapGetNumResults(map);
  if (!mlirTypeIsAShaped(type) || mlirAffineMapIsIdentity(map) || !rank ||
      mlirAffineMapGetNumDims(map) != mloptRank(mloptResultType(op, 0)))
    return false;
  MlirAffineExpr last = mlirAffineMapGetResult(map, rank - 1);
  return mlirAffineExprIsFunctionOfDim(last,
                                       mlirAffineMapGetNumDims(map) - 1) &&
         (mlirAffineExprIsABinary(last) || mloptDim(type, rank - 1) % lanes);
}

/// Whether much of what the program reads starts elsewhere than its vectors do,
/// and rows are so long that few vectors reach into the next. Without slices,
/// what each element takes alone is cheap, and not worth it where every warp
/// has such a vector (transpose of 127x513x257 bf16: 21.8 us, 23.0 with).
static bool isUneven(const MloptProgram *p, int64_t lanes) {
  enum { VECTORS = 4 };
  int64_t count = mloptNumElements(p->space), row = mloptRowOf(p->space);
  bool found = false;
  if (lanes == 1 || row < VECTORS * lanes)
    return false;
  for (MlirOperation op = mlirBlockGetFirstOperation(p->block);
       !mlirOperationIsNull(op) && !found;
       op = mlirOperationGetNextInBlock(op)) {
    if (mloptIsNamed(op, "tensor.insert_slice"))
      found = cutsUnevenly(op, mloptResultType(op, 0), lanes);
    else if (mloptIsNamed(op, "tensor.extract_slice"))
      found = mloptNumElements(mloptResultType(op, 0)) >= count &&
              cutsUnevenly(op, mloptOperandType(op, 0), lanes);
    else if (mloptIsNamed(op, "linalg.generic") &&
             2 * row >= 3 * target->warp * lanes)
      for (intptr_t i = 0, n = mlirOperationGetNumOperands(op) -
                               mlirOperationGetNumResults(op);
           i < n && !found; ++i)
        found = mlirTypeIsAShaped(mloptOperandType(op, i)) &&
                mloptNumElements(mloptOperandType(op, i)) >= count &&
                readsUnevenly(op, i, lanes);
  }
  return found;
}

/// The same, but that the elements of a slice at an odd place are loaded one by
/// one and stored together, where little is computed of each.
static int64_t pointwiseVector(const MloptProgram *p) {
  enum { MUCH = 12, FEW_BYTES = 4 };
  return p->granule * p->smallest <= FEW_BYTES && p->numScalars < MUCH
             ? mloptAtMost(target->accessBytes / p->smallest, 8)
             : mloptFullVector(p);
}

bool mloptChoosePointwise(MloptProgram *p, MloptSchedule *out) {
  if (p->numReductions || !p->sameCount || !p->isPlain)
    return false;
  int64_t count = mloptNumElements(p->space);
  mloptCountReads(p, count);
  int64_t most =
      mloptAtMost(target->accessBytes / p->smallest, MLOPT_MOST_LANES);
  int64_t lanes = pointwiseVector(p);
  bool uneven = 2 * most * p->numScalars <= MAX_CLONED && isUneven(p, most);
  lanes = uneven ? most : lanes;
  while (lanes > 1 &&
         (lanes * p->numScalars > MAX_CLONED ||
          mloptDivideUp(count, THREADS * lanes) * 2 < target->multiprocessors))
    lanes /= 2;
  // One vector for each thread: on an H200 a new block starts sooner than a
  // thread gets to its second vector (4.19 against 4.00 TB/s, 2^28 bf16). But
  // where there is much to compute, or a load waits for another, small blocks
  // whose threads have two: one under way while the other is computed, in
  // another row where these share what they read (bias and GELU, 8192x8192
  // bf16, of a copy's speed: 0.969 with one, 0.998 so, 0.988 with 256 threads
  // of four), or side by side in a warp (16384 gathered rows of 4096 bf16: 70.8
  // us, 73.7 with 256 threads of four).
  enum { MUCH = 12, FUNCTION = 4, AHEAD = 2, WAVES = 8, SMALL = 128 };
  int64_t vectors = 1, threads = THREADS, line = THREADS * lanes;
  bool isLarge =
      lanes * p->numScalars * AHEAD <= MAX_CLONED &&
      count >= WAVES * target->multiprocessors * THREADS * lanes * AHEAD;
  bool isHeavy = p->numScalars + FUNCTION * p->numFunctions >= MUCH;
  // What is loaded for an uneven vector as a whole comes in a branch.
  if (isLarge && !uneven && (isHeavy || p->gathers)) {
    vectors = AHEAD;
    threads = SMALL;
    line = isHeavy ? chooseStep(p, lanes, vectors, threads * lanes)
                   : target->warp * lanes;
  }
  int64_t blocks = mloptDivideUp(count, threads * lanes * vectors);
  if (blocks > target->blocks)
    return false;
  *out = (MloptSchedule){.family = MLOPT_FAMILY_POINTWISE,
                         .blocks = blocks,
                         .threads = threads,
                         .lanes = lanes,
                         .vectors = vectors,
                         .line = line,
                         .cluster = 1,
                         .uneven = uneven};
  return true;
}

intptr_t mloptFindTransposed(MlirOperation op, intptr_t i, intptr_t rank,
                             intptr_t *outDims) {
  if (!mloptIsNamed(op, "linalg.generic") || mloptIsReduction(op) ||
      i >= mlirOperationGetNumOperands(op) - mlirOperationGetNumResults(op))
    return -1;
  MlirValue value = mloptOperand(op, i);
  if (!mlirValueIsAOpResult(value) ||
      !mloptIsNamed(mlirOpResultGetOwner(value),
                    "builtin.unrealized_conversion_cast"))
    return -1;
  MlirAttribute maps = mloptAttr(op, "indexing_maps");
  MlirAffineMap map =
      mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, i));
  MlirAffineMap out = mlirAffineMapAttrGetValue(
      mlirArrayAttrGetElement(maps, mlirArrayAttrGetNumElements(maps) - 1));
  if (mlirAffineMapGetNumResults(map) != rank ||
      !mlirAffineMapIsPermutation(map) || !mlirAffineMapIsIdentity(out))
    return -1;
  for (intptr_t d = 0; d < rank; ++d)
    outDims[d] = mlirAffineDimExprGetPosition(mlirAffineMapGetResult(map, d));
  return outDims[rank - 1] == rank - 1 ? -1 : outDims[rank - 1];
}

bool mloptFindGroups(MlirBlock program, MlirType space, MloptGroups *out) {
  enum { ENOUGH = 64 };
  intptr_t rank = mloptRank(space), dims[MLOPT_MAX_RANK], line = -1;
  for (MlirOperation op = mlirBlockGetFirstOperation(program);
       !mlirOperationIsNull(op) && line < 0;
       op = mlirOperationGetNextInBlock(op))
    for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n && line < 0;
         ++i)
      line = mloptFindTransposed(op, i, rank, dims);
  if (line < 0)
    return false;
  *out = (MloptGroups){.across = rank, .sizeAlong = 1, .sizeAcross = 1};
  for (; out->across > 0 && out->across - 1 != line && out->sizeAcross < ENOUGH;
       ++out->numAcross)
    out->sizeAcross *= mloptDim(space, --out->across);
  intptr_t first = rank;
  for (; first > 0 && dims[first - 1] < out->across && out->sizeAlong < ENOUGH;
       ++out->numAlong)
    out->sizeAlong *= mloptDim(space, dims[--first]);
  memcpy(out->along, dims + first, out->numAlong * sizeof *dims);
  out->isDense = first > 0 && dims[first - 1] == rank - 1;
  return true;
}

/// The side of tiles that cut a dimension with the least waste; a multiple of
/// `lanes`, of some `wanted` elements.
static int64_t chooseSide(int64_t size, int64_t wanted, int64_t lanes) {
  enum { MANY = 16 };
  int64_t most = mloptDivideUp(wanted, lanes) * lanes, best = most;
  if (size <= most + lanes)
    return mloptDivideUp(size, lanes) * lanes;
  // Little is wasted where there are many.
  if (size >= MANY * most)
    return most;
  for (int64_t side = most; side >= lanes && side >= wanted / 4 * 3;
       side -= lanes)
    if (mloptDivideUp(size, side) * side < mloptDivideUp(size, best) * best)
      best = side;
  return best;
}

/// The lanes of vectors along a side of so many elements: as many as an access
/// takes where its rows are whole numbers of them, or so long that those which
/// start anywhere are worth it.
static int64_t chooseSideLanes(int64_t size, int64_t most) {
  enum { VECTORS = 8 };
  return size >= VECTORS * most ? most : mloptCommonPower(size, most);
}

/// How many bytes of shared memory an element of a tile takes.
static int64_t countStagedBytes(const MloptProgram *p) {
  intptr_t dims[MLOPT_MAX_RANK];
  int64_t bytes = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(p->block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
      if (mloptFindTransposed(op, i, mloptRank(p->space), dims) >= 0)
        bytes += (mloptElementWidth(
                      mloptElementType(mlirValueGetType(mloptOperand(op, i)))) +
                  7) /
                 8;
  return bytes;
}

/// Whether tiles of a side's length waste much of the last one.
static bool wastes(int64_t size, int64_t length) {
  enum { MANY = 8 };
  return size % length && size < MANY * length;
}

/// Whether larger tiles of this size still suit sides that are whole numbers of
/// vectors: `staged` bytes of each element fit, and there are enough tiles.
static bool suitsTile(const MloptProgram *p, const MloptGroups *g,
                      int64_t staged, int64_t line, int64_t across) {
  enum { TILE_BYTES = 32 * 1024, WAVES = 8 };
  int64_t tiles = mloptNumElements(p->space) / g->sizeAlong / g->sizeAcross *
                  mloptDivideUp(g->sizeAlong, line) *
                  mloptDivideUp(g->sizeAcross, across);
  return !wastes(g->sizeAlong, line) && !wastes(g->sizeAcross, across) &&
         line * across * staged <= TILE_BYTES &&
         tiles >= WAVES * target->multiprocessors &&
         line * across / THREADS * p->numScalars <= MAX_CLONED;
}

/// Tiles for sides that are whole numbers of vectors, from eight of an operand
/// by 128 bytes of a result on (8192x8192 bf16, of a copy's speed: 0.959 with
/// 64 by 64, 0.960 with 128 along the operand, 0.977 with 128 by 128). False
/// where even these do not suit.
static bool chooseEvenTile(const MloptProgram *p, const MloptGroups *g,
                           int64_t vectors, int64_t *outLine,
                           int64_t *outAcross) {
  enum { PIECES = 8, LINE_BYTES = 128 };
  int64_t line = PIECES * vectors, across = LINE_BYTES / p->smallest;
  const int64_t staged = countStagedBytes(p);
  if (wastes(g->sizeAlong, line) || wastes(g->sizeAcross, across) ||
      line * across * staged > MLOPT_TRANSPOSE_BYTES)
    return false;
  for (;;) {
    bool isWider = line <= across;
    if (suitsTile(p, g, staged, isWider ? 2 * line : line,
                  isWider ? across : 2 * across))
      *(isWider ? &line : &across) *= 2;
    else if (suitsTile(p, g, staged, 2 * line, across))
      line *= 2;
    else
      break;
  }
  *outLine = line;
  *outAcross = across;
  return true;
}

/// The blocks that leave a thread the registers for its part of so many vectors
/// and its places: ptxas would rather make some loads wait for others. Rows
/// that start anywhere take more places, and the elements of a vector as well.
static int64_t residentTiles(int64_t vectors, int64_t lanes, bool isSkewed) {
  enum { EACH = 4, PLACES = 24, MORE = 4 };
  int64_t registers = EACH * mloptDivideUp(vectors, THREADS) + PLACES +
                      (isSkewed ? 2 * lanes + MORE : 0);
  int64_t blocks = mloptAtLeast(target->registers / THREADS / registers, 1);
  return mloptAtMost(blocks, target->residentThreads / THREADS);
}

bool mloptChooseTranspose(MloptProgram *p, MloptSchedule *out) {
  // Elements of a side, of the longer one beside a short, and of a tile.
  enum { SIDE = 64, LONG = 1024, TILE = SIDE * SIDE, MOST = 6144, SHORT = 16 };
  enum { LINE_BYTES = 128 };
  MloptGroups g;
  if (p->numReductions || !p->sameShape || mloptRank(p->space) < 2 ||
      !mloptFindGroups(p->block, p->space, &g))
    return false;
  // Tiles that are mostly past an edge, or have no neighbours on one side, cost
  // more than they save.
  if (g.sizeAcross < SHORT || (g.sizeAlong < SHORT && !g.isDense))
    return false;
  int64_t count = mloptNumElements(p->space);
  mloptCountReads(p, count);
  int64_t most =
      mloptAtMost(mloptAtMost(target->accessBytes / p->smallest, p->granule),
                  MLOPT_MOST_LANES);
  int64_t lanes = chooseSideLanes(g.sizeAcross, most);
  int64_t vectors = chooseSideLanes(g.sizeAlong, most);
  bool isSkewed = g.sizeAlong % vectors || g.sizeAcross % lanes;
  int64_t line = 0, across = 0;
  if (isSkewed || !chooseEvenTile(p, &g, vectors, &line, &across)) {
    // Rows of operands that start anywhere are cut anywhere.
    int64_t step = g.sizeAlong % vectors ? 1 : vectors;
    int64_t side =
        isSkewed ? mloptAtLeast(LINE_BYTES / p->smallest, SIDE) : SIDE;
    line = chooseSide(g.sizeAlong, side, step);
    across =
        chooseSide(g.sizeAcross,
                   mloptAtMost(mloptAtLeast(TILE / line, side), LONG), lanes);
    if (across < SIDE)
      line = chooseSide(g.sizeAlong, mloptAtMost(TILE / across, LONG), step);
    if (!isSkewed && line * across > MOST)
      return false;
  }
  int64_t blocks = count / g.sizeAlong / g.sizeAcross *
                   mloptDivideUp(g.sizeAlong, line) *
                   mloptDivideUp(g.sizeAcross, across);
  if (blocks > target->blocks ||
      mloptDivideUp(line * across, THREADS) * p->numScalars > MAX_CLONED)
    return false;
  *out = (MloptSchedule){
      .family = MLOPT_FAMILY_TRANSPOSE,
      .blocks = blocks,
      .threads = THREADS,
      .lanes = lanes,
      .vectors = vectors,
      .line = line,
      .across = across,
      .cluster = 1,
      .resident = residentTiles(line * across / vectors, lanes, isSkewed)};
  return true;
}
