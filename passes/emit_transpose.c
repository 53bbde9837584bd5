//===- emit_transpose.c - Elementwise programs that transpose -------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results lie along the space's last dimensions, some operands along others:
// two groups, each long enough for wide accesses (MloptGroups). A block takes a
// tile of both, at one place in all other dimensions. It reads such operands
// along their own direction into shared memory, and computes along the results'
// from there; all else is read as a pointwise kernel reads it.
//
//   operand [ q ][ p.. ] -> shared memory -> vectors [ p ][ q.. ]
//
// Past an edge, threads work on the tile's first elements again and store
// nothing.
//
// Rows that are no whole number of vectors start anywhere in memory, and both
// sides take the vectors of memory still. A row of an operand is staged from
// the vector on that its first element lies in, `skew` elements before it. Of
// a result, a tile stores the vectors that start in it; the last of them needs
// some elements of the next tile, which are staged too.
//
//   operand  | s s a a | a a a a | a . . . |     a: of the tile, s: skew
//   result   | . . . h | v v v v | v v v + |     v: stored as vectors,
//                                                +: of the next tile
//
// A row's first elements, h, and its last ones, which fill no vector, are
// stored one by one.
//
//===----------------------------------------------------------------------===//

#include "emit_transpose_impl.h"

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static MloptTransposeSide sideOf(MlirType space, intptr_t numDims,
                                 const intptr_t *dims, int64_t length,
                                 int64_t lanes) {
  MloptTransposeSide side = {
      .numDims = numDims, .size = 1, .length = length, .lanes = lanes};
  int64_t shape[MLOPT_MAX_RANK];
  for (intptr_t i = 0; i < numDims; ++i) {
    side.dims[i] = dims[i];
    side.size *= shape[i] = mloptDim(space, dims[i]);
  }
  side.type = mloptTensorType(numDims, shape, mloptElementType(space));
  return side;
}

static bool findSides(MloptTranspose *t) {
  MloptGroups g;
  intptr_t across[MLOPT_MAX_RANK];
  if (!mloptFindGroups(t->kernel->program, t->space, &g)) {
    mloptOpError(t->kernel->func, "has nothing to transpose");
    t->b->failed = true;
    return false;
  }
  for (intptr_t i = 0; i < g.numAcross; ++i)
    across[i] = g.across + i;
  const MloptSchedule *s = &t->kernel->schedule;
  t->p = sideOf(t->space, g.numAlong, g.along, s->line, s->vectors);
  t->q = sideOf(t->space, g.numAcross, across, s->across, s->lanes);
  if (mloptNumElements(t->space) >= t->p.lanes &&
      (mloptTransposeIsSkewed(&t->p) || t->p.length % t->p.lanes == 0) &&
      mloptTransposeShare(t, mloptTransposeRows(t) *
                                 mloptTransposeRowVectors(t)) <=
          MLOPT_TRANSPOSE_MAX_VECTORS)
    return true;
  mloptOpError(t->kernel->func,
               "cannot hold tiles of %lld by %lld elements in vectors of %lld",
               (long long)s->line, (long long)s->across, (long long)s->vectors);
  t->b->failed = true;
  return false;
}

/// Where a side's tile begins, by its number, which is taken off the block's.
static MlirValue beginOf(MloptTranspose *t, const MloptTransposeSide *side,
                         MlirValue *block) {
  int64_t count = mloptDivideUp(side->size, side->length);
  MlirValue number = mloptIndexRemInt(t->pull, *block, count);
  *block = mloptIndexDivInt(t->pull, *block, count);
  return mloptIndexMulInt(t->pull, number, side->length);
}

static bool hasDim(const MloptTransposeSide *side, intptr_t dim) {
  bool found = false;
  for (intptr_t i = 0; i < side->numDims; ++i)
    found |= side->dims[i] == dim;
  return found;
}

/// Neighbouring blocks go along the results first, then through the other
/// dimensions.
static void findTile(MloptTranspose *t) {
  t->tid = mloptReadRegister(t->b, "nvvm.read.ptx.sreg.tid.x");
  MlirValue block = mloptReadRegister(t->b, "nvvm.read.ptx.sreg.ctaid.x");
  t->q.begin = beginOf(t, &t->q, &block);
  bool hasP = false;
  for (intptr_t i = t->rank; i-- > 0;) {
    if (hasDim(&t->p, i) && !hasP) {
      t->p.begin = beginOf(t, &t->p, &block);
      hasP = true;
    } else if (!hasDim(&t->p, i) && !hasDim(&t->q, i)) {
      t->base[i] = mloptIndexRemInt(t->pull, block, mloptDim(t->space, i));
      block = mloptIndexDivInt(t->pull, block, mloptDim(t->space, i));
    }
  }
}

static MlirValue both(MloptTranspose *t, MlirValue a, MlirValue b) {
  return mlirValueIsNull(a)   ? b
         : mlirValueIsNull(b) ? a
                              : mloptBuildBinary(t->b, "arith.andi", a, b);
}

void mloptTransposePlace(MloptTranspose *t, const MloptTransposeSide *side,
                         MlirValue local, MlirValue *at, MlirValue *valid) {
  MlirValue place = mloptIndexAdd(t->pull, side->begin, local),
            indices[MLOPT_MAX_RANK];
  if (side->size % side->length || mloptTransposeIsSkewed(side)) {
    MlirValue inside =
        mloptBuildCmpI(t->b, "ult", place, mloptPullIndex(t->pull, side->size));
    place = mloptBuildSelect(t->b, inside, place, side->begin);
    *valid = both(t, *valid, inside);
  }
  mloptPullDelinearize(t->pull, side->type, place, indices);
  for (intptr_t i = 0; i < side->numDims; ++i)
    at[side->dims[i]] = indices[i];
}

void mloptTransposeVector(MloptTranspose *t, int64_t v, int64_t rows,
                          int64_t each, int64_t lanes, int64_t beside,
                          MlirValue *row, MlirValue *along, MlirValue *valid) {
  int64_t threads = t->kernel->schedule.threads, total = rows * each;
  MlirValue number = mloptIndexAddInt(t->pull, t->tid, v * threads);
  if ((v + 1) * threads > total) {
    *valid =
        mloptBuildCmpI(t->b, "ult", number, mloptPullIndex(t->pull, total));
    number = mloptBuildSelect(t->b, *valid, number, mloptPullIndex(t->pull, 0));
  }
  MlirValue place = mloptIndexRemInt(t->pull, number, beside);
  *row = mloptIndexDivInt(t->pull, number, beside);
  if (beside != each) {
    MlirValue strip = mloptIndexDivInt(t->pull, *row, rows);
    *row = mloptIndexRemInt(t->pull, *row, rows);
    place =
        mloptIndexAdd(t->pull, place, mloptIndexMulInt(t->pull, strip, beside));
  }
  *along = mloptIndexMulInt(t->pull, place, lanes);
}

/// The load hook: from shared memory where the element lies there.
static MlirValue load(void *userData, MlirValue tensor, MlirValue pointer,
                      const MlirValue *indices) {
  MloptTranspose *t =
      (MloptTranspose *)((char *)userData - offsetof(MloptTranspose, tile));
  MlirValue own[MLOPT_MAX_RANK];
  if (t->tile.vector)
    mloptPullDelinearize(t->pull, t->space,
                         t->tile.vector->position[t->tile.lane], own);
  for (int s = 0; s < t->numStaged && t->tile.vector; ++s) {
    const MloptTransposeOperand *staged = &t->staged[s];
    bool same = mlirValueEqual(staged->tensor, tensor);
    for (intptr_t i = 0; same && i < staged->numDims; ++i)
      same = mlirValueEqual(indices[i], own[staged->dims[i]]);
    if (same)
      return mloptTransposeElement(t, staged);
  }
  return mloptTileLoad(userData, tensor, pointer, indices);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

static void evaluate(MloptTranspose *t, const MloptVector *vector,
                     MlirValue elements[][MLOPT_MAX_LANES]) {
  for (intptr_t r = 0; r < t->kernel->numRoots; ++r)
    mloptTileEvaluate(&t->tile, vector, t->kernel->roots[r].value, elements[r]);
}

static void store(MloptTranspose *t, const MloptVector *vector, MlirValue valid,
                  MlirValue elements[][MLOPT_MAX_LANES]) {
  MloptPullScope then = mloptPullBeginGuard(t->pull, valid);
  for (intptr_t r = 0; r < t->kernel->numRoots; ++r)
    mloptTileStore(&t->tile, vector, t->kernel->roots[r].pointer, elements[r]);
  mloptPullEndGuard(t->pull, valid, then);
}

/// Computes and stores the elements at places of the tile from one up to
/// another, of a row that begins at this position.
static void computeElements(MloptTranspose *t, MlirValue row, MlirValue from,
                            MlirValue to) {
  MlirValue elements[MLOPT_MAX_TILE_ROOTS][MLOPT_MAX_LANES];
  MloptVector one;
  MloptPullScope loop = mloptPullBeginFor(t->pull, 0, NULL, &t->localQ, NULL);
  mloptTileEnter(&t->tile);
  mloptTileVectorAt(&t->tile, mloptIndexAdd(t->pull, row, t->localQ), 1, &one);
  evaluate(t, &one, elements);
  store(t, &one, (MlirValue){NULL}, elements);
  mloptPullEndFor(t->pull, loop, from, to, mloptPullIndex(t->pull, 1), 0, NULL,
                  NULL, NULL);
  mloptTileEnter(&t->tile);
}

/// Computes and stores the vector of memory that a row of the tile has at
/// `slot`, which lies in the row of the result as a whole where that goes on so
/// far, or else as many elements as that has. `indices`: of the row.
static void computeSkewed(MloptTranspose *t, MlirValue *indices, MlirValue slot,
                          MlirValue valid) {
  const int64_t lanes = t->q.lanes;
  MlirValue elements[MLOPT_MAX_TILE_ROOTS][MLOPT_MAX_LANES], unused = {NULL};
  MlirValue zero = mloptPullIndex(t->pull, 0);
  mloptTransposePlace(t, &t->q, zero, indices, &unused);
  MlirValue row = mloptPullLinearize(t->pull, t->space, indices);
  MlirValue skew =
      mloptIndexRemInt(t->pull, mloptIndexSub(t->pull, zero, row), lanes);
  MlirValue first = mloptIndexAdd(t->pull, slot, skew);
  MlirValue end =
      mloptIndexSub(t->pull, mloptPullIndex(t->pull, t->q.size), t->q.begin);
  MlirValue last = mloptIndexAddInt(t->pull, first, lanes);
  MlirValue isWhole = both(t, valid, mloptBuildCmpI(t->b, "ule", last, end));
  MloptPullScope then = mloptPullBeginBranch(t->pull);
  mloptTileEnter(&t->tile);
  MloptVector vector;
  t->localQ = first;
  mloptTileVectorAt(&t->tile, mloptIndexAdd(t->pull, row, first), (int)lanes,
                    &vector);
  mloptTileSplitRow(&t->tile, &vector, t->q.size);
  evaluate(t, &vector, elements);
  store(t, &vector, (MlirValue){NULL}, elements);
  mloptPullEndBranch(t->pull, &then, 0, NULL);
  MloptPullScope otherwise = mloptPullBeginBranch(t->pull);
  MlirValue to = mloptIndexMin(t->pull, last, end);
  if (!mlirValueIsNull(valid))
    to = mloptBuildSelect(t->b, valid, to, zero);
  computeElements(t, row, first, to);
  mloptPullEndBranch(t->pull, &otherwise, 0, NULL);
  mloptPullBuildIf(t->pull, isWhole, then, otherwise, 0, NULL, NULL);
  MlirValue isFirst =
      both(t, valid,
           mloptBuildCmpI(t->b, "eq", mloptIndexAdd(t->pull, t->q.begin, slot),
                          zero));
  computeElements(
      t, row, zero,
      mloptIndexMin(t->pull, end, mloptBuildSelect(t->b, isFirst, skew, zero)));
}

/// The vectors of a result's row that a warp takes side by side; those of other
/// rows come behind. All of them, but where so many would meet in one bank:
/// they lie as many rows apart as they have lanes, so that only few have banks
/// of their own (8191x8192 i8: 52 us with 8, 41 with 2).
static int64_t besideOf(const MloptTranspose *t, int64_t rows, int64_t each) {
  enum { BANKS = 32, MOST_CONFLICTS = 4 };
  int64_t apart = BANKS / t->q.lanes;
  bool isHeld = t->numStaged && t->staged[0].perWord;
  return isHeld || each < MOST_CONFLICTS * apart || each % apart ||
                 rows % (BANKS / apart)
             ? each
             : apart;
}

static void compute(MloptTranspose *t) {
  int64_t rows = t->p.length, lanes = t->q.lanes, each = t->q.length / lanes;
  int64_t beside = besideOf(t, rows, each);
  for (int64_t v = 0, n = mloptTransposeShare(t, rows * each); v < n; ++v) {
    MloptVector vector;
    MlirValue valid = {NULL}, indices[MLOPT_MAX_RANK], slot;
    MlirValue elements[MLOPT_MAX_TILE_ROOTS][MLOPT_MAX_LANES];
    mloptTransposeVector(t, v, rows, each, lanes, beside, &t->localP, &slot,
                         &valid);
    memcpy(indices, t->base, sizeof indices);
    mloptTransposePlace(t, &t->p, t->localP, indices, &valid);
    if (mloptTransposeIsSkewed(&t->q)) {
      computeSkewed(t, indices, slot, valid);
      continue;
    }
    t->localQ = slot;
    mloptTransposePlace(t, &t->q, slot, indices, &valid);
    MlirValue position = mloptPullLinearize(t->pull, t->space, indices);
    mloptTileVectorAt(&t->tile, position, (int)lanes, &vector);
    mloptTransposeHold(t);
    evaluate(t, &vector, elements);
    store(t, &vector, valid, elements);
  }
}

void mloptEmitTranspose(MloptKernel *kernel) {
  MloptTranspose t = {
      .kernel = kernel,
      .pull = kernel->pull,
      .b = mloptPullGetBuilder(kernel->pull),
      .tile = {.pull = kernel->pull},
      .space = mlirValueGetType(kernel->roots[0].value),
  };
  t.rank = mloptRank(t.space);
  if (!findSides(&t))
    return;
  mloptTileEnter(&t.tile);
  findTile(&t);
  mloptTransposeCollect(&t);
  mloptTransposeStage(&t);
  mloptPullSetHooks(t.pull, (MloptPullHooks){.load = load,
                                             .insert = mloptTileInsert,
                                             .userData = &t.tile});
  compute(&t);
  mloptPullSetHooks(t.pull, (MloptPullHooks){.load = NULL});
  mloptTileDestroy(&t.tile);
}
