//===- nv_tile_insert.c - Inserted slices, vector by vector ---------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Concatenations and padding are slices inserted into each other. A vector that
// lies in a slice, or outside of it, as a whole takes one branch:
//
//   destination  | d d d d d | s s s s s s | d d ..
//   vectors        [ d d ]     [ s s s s ]         a branch each
//   one across            [ d d s s ]              computed element by element
//
//===----------------------------------------------------------------------===//

#include "nv_tile_impl.h"

#include "affine.h"

/// Whether a vector along a dimension lies in the slice or outside as a whole.
static bool isWholeAlong(MlirOperation insert, intptr_t dim, int count) {
  MloptSliceDim d = mloptGetSliceDim(insert, dim);
  return !mloptIsDynamic(d.offset) && d.stride == 1 && d.offset % count == 0 &&
         d.size % count == 0;
}

/// Whether a slice has at least so many neighbours along a dimension.
static bool isAtLeast(MlirOperation insert, intptr_t dim, int count) {
  MloptSliceDim d = mloptGetSliceDim(insert, dim);
  return !mloptIsDynamic(d.offset) && d.stride == 1 && d.size >= count;
}

/// The indices of all lanes, given one's; false where the vector may lie on
/// both sides of an edge.
static bool findLanes(MloptTile *tile, MlirOperation insert,
                      const MlirValue *indices,
                      MlirValue lanes[][MLOPT_MAX_RANK]) {
  const int count = tile->vector->count;
  MlirType type = mloptResultType(insert, 0);
  for (intptr_t i = 0, rank = mloptRank(type); i < rank; ++i) {
    MlirValue first = {NULL};
    bool shared = mloptDim(type, i) == 1 || mloptTileIsShared(tile, indices[i]);
    if (!shared)
      first = mloptPullFindFirst(tile->pull, indices[i], tile->lane, count);
    if (!shared && (mlirValueIsNull(first) || !isWholeAlong(insert, i, count)))
      return false;
    for (int k = 0; k < count; ++k)
      lanes[k][i] =
          shared ? indices[i] : mloptPullLane(tile->pull, first, k, count);
  }
  return true;
}

/// The same where vectors may cross an edge, along one dimension; false where
/// the slice may lie within a vector, so that its ends do not tell.
static bool findRuns(MloptTile *tile, MlirOperation insert,
                     const MlirValue *indices,
                     MlirValue lanes[][MLOPT_MAX_RANK]) {
  const int count = tile->vector->count;
  MlirType type = mloptResultType(insert, 0);
  intptr_t numAlong = 0;
  for (intptr_t i = 0, rank = mloptRank(type); i < rank; ++i) {
    MloptRun run = {.first = {NULL}};
    bool shared = mloptDim(type, i) == 1 || mloptTileIsShared(tile, indices[i]);
    if (!shared)
      run = mloptTileRunOf(tile, indices[i]);
    if (!shared && (mlirValueIsNull(run.first) || run.isBackwards ||
                    numAlong++ || !isAtLeast(insert, i, count)))
      return false;
    for (int k = 0; k < count; ++k)
      lanes[k][i] =
          shared ? indices[i] : mloptPullRun(tile->pull, run.first, k, count);
  }
  return true;
}

static const MloptTileInsert *findInsert(const MloptTile *tile,
                                         MlirOperation insert,
                                         const MlirValue *first) {
  intptr_t rank = mloptRank(mloptResultType(insert, 0));
  for (intptr_t i = tile->numInserts; i-- > 0;) {
    const MloptTileInsert *known = &tile->inserts[i];
    bool same = mlirOperationEqual(known->op, insert);
    for (intptr_t d = 0; same && d < rank; ++d)
      same = mlirValueEqual(known->first[d], first[d]);
    if (same)
      return known;
  }
  return NULL;
}

static MlirValue truth(MloptBuilder *b, bool value) {
  return mloptBuildInt(b, mlirIntegerTypeGet(b->context, 1), value);
}

/// All lanes of one side, in a branch of its own; with `mayCross` whether the
/// vector crosses no edge there too.
static MloptPullScope insertSide(MloptTile *tile, MlirValue tensor,
                                 MlirValue lanes[][MLOPT_MAX_RANK]) {
  const MloptTile outer = *tile;
  const int count = tile->vector->count;
  MloptBuilder *b = mloptPullGetBuilder(tile->pull);
  MlirValue given[MLOPT_MAX_LANES + 1];
  MloptPullScope scope = mloptPullBeginBranch(tile->pull);
  tile->block = b->block;
  tile->crossesNone = (MlirValue){NULL};
  for (int k = 0; k < count; ++k) {
    tile->lane = k;
    given[k] = mloptPullElement(tile->pull, tensor, lanes[k]);
  }
  given[count] =
      mlirValueIsNull(tile->crossesNone) ? truth(b, true) : tile->crossesNone;
  mloptPullEndBranch(tile->pull, &scope, count + tile->mayCross, given);
  tile->block = outer.block;
  tile->lane = outer.lane;
  tile->numLoads = outer.numLoads;
  tile->numInserts = outer.numInserts;
  tile->crossesNone = outer.crossesNone;
  return scope;
}

/// The destination's side, and that of vectors that cross: `meets`, in part.
static MloptPullScope outside(MloptTile *tile, MlirValue tensor,
                              MlirValue meets, const MlirType *types,
                              MlirValue lanes[][MLOPT_MAX_RANK]) {
  const int count = tile->vector->count;
  MloptBuilder *b = mloptPullGetBuilder(tile->pull);
  MlirValue given[MLOPT_MAX_LANES + 1];
  MloptPullScope scope = mloptPullBeginBranch(tile->pull);
  MloptPullScope crossing = mloptPullBeginBranch(tile->pull);
  for (int k = 0; k < count; ++k)
    given[k] = mloptPullPoison(tile->pull, types[k]);
  given[count] = truth(b, false);
  mloptPullEndBranch(tile->pull, &crossing, count + 1, given);
  MloptPullScope beyond = insertSide(tile, tensor, lanes);
  mloptPullBuildIf(tile->pull, meets, crossing, beyond, count + 1, types,
                   given);
  mloptPullEndBranch(tile->pull, &scope, count + 1, given);
  return scope;
}

/// Notes what an inserted slice says of crossings.
static void addCrossing(MloptTile *tile, MlirValue none) {
  tile->crossesNone =
      mlirValueIsNull(tile->crossesNone)
          ? none
          : mloptBuildBinary(mloptPullGetBuilder(tile->pull), "arith.andi",
                             tile->crossesNone, none);
}

MlirValue mloptTileInsert(void *userData, MlirOperation insert,
                          const MlirValue *indices) {
  MloptTile *tile = userData;
  MlirValue lanes[MLOPT_MAX_LANES][MLOPT_MAX_RANK];
  MlirValue at[MLOPT_MAX_LANES][MLOPT_MAX_RANK];
  if (!mloptTileIsAtVector(tile) || tile->vector->count == 1)
    return (MlirValue){NULL};
  bool isWhole = findLanes(tile, insert, indices, lanes);
  if (!isWhole && (!tile->mayCross || !findRuns(tile, insert, indices, lanes)))
    return (MlirValue){NULL};
  const MloptTileInsert *known = findInsert(tile, insert, lanes[0]);
  if (known)
    return known->elements[tile->lane];
  const int count = tile->vector->count;
  MloptTileInsert built = {.op = insert};
  memcpy(built.first, lanes[0], sizeof built.first);
  MloptBuilder *b = mloptPullGetBuilder(tile->pull);
  MlirValue first = {NULL}, last = {NULL}, given[MLOPT_MAX_LANES + 1];
  for (int k = count; k-- > 0;) {
    first = mloptPullInsertCondition(tile->pull, insert, lanes[k], at[k]);
    last = k == count - 1 ? first : last;
  }
  if (mlirValueIsNull(first))
    return (MlirValue){NULL};
  MlirType types[MLOPT_MAX_LANES + 1];
  for (int k = 0; k < count; ++k)
    types[k] = mloptElementType(mloptResultType(insert, 0));
  types[count] = mlirIntegerTypeGet(b->context, 1);
  MlirValue all =
      isWhole ? first : mloptBuildBinary(b, "arith.andi", first, last);
  MlirValue any =
      isWhole ? first : mloptBuildBinary(b, "arith.ori", first, last);
  MloptPullScope then = insertSide(tile, mloptOperand(insert, 0), at);
  MloptPullScope otherwise =
      isWhole ? insertSide(tile, mloptOperand(insert, 1), lanes)
              : outside(tile, mloptOperand(insert, 1), any, types, lanes);
  mloptPullBuildIf(tile->pull, all, then, otherwise, count + tile->mayCross,
                   types, given);
  memcpy(built.elements, given, count * sizeof *given);
  if (tile->mayCross)
    addCrossing(tile, given[count]);
  if (!mloptPullGrow(tile->pull, (void **)&tile->inserts, tile->numInserts,
                     &tile->maxInserts, sizeof *tile->inserts))
    return (MlirValue){NULL};
  tile->inserts[tile->numInserts++] = built;
  return built.elements[tile->lane];
}
