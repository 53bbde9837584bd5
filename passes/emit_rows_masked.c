//===- emit_rows_masked.c - Rows that end at a mask -----------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Beyond a mask (mask.h) each reduction of a row's elements is neutral and each
// result a number, so that nothing is read there. The vectors that
// threads hold of a row lie one behind the other; a block's rows are neighbours
// and need as many as its last row, for each number of which there is code:
//
//   row:      [ vector 0 | vector 1 | vector 2 | vector 3 ]
//   needed:   [ all      | up to the row's end ]
//
// Of the last vector that is needed, threads beyond the row's end, rounded up
// to a thread's lanes, read the row's start. What they store is computed from
// what is known to be beyond the mask in the parameters, so that a row of
// nothing but -inf has the NaNs that its program says.
//
//===----------------------------------------------------------------------===//

#include "emit_rows.h"

static int64_t widthOf(const MloptRows *r) {
  return r->kernel->schedule.line * r->kernel->schedule.lanes;
}

/// Rows that a block has.
static int64_t linesOf(const MloptRows *r) {
  return r->kernel->schedule.threads / r->kernel->schedule.line;
}

/// The next parameter of the space's size from an operation on; null if there
/// is none.
static MlirOperation nextWhole(const MloptRows *r, MlirOperation op) {
  while (!mlirOperationIsNull(op) &&
         !(mloptIsNamed(op, "builtin.unrealized_conversion_cast") &&
           mlirTypeIsARankedTensor(mloptResultType(op, 0)) &&
           mloptNumElements(mloptResultType(op, 0)) == r->rows * r->columns))
    op = mlirOperationGetNextInBlock(op);
  return op;
}

/// Whether there is a number for each of them.
static bool areAllRead(const MloptRows *r) {
  intptr_t count = 0;
  for (MlirOperation op =
           nextWhole(r, mlirBlockGetFirstOperation(r->kernel->program));
       !mlirOperationIsNull(op);
       op = nextWhole(r, mlirOperationGetNextInBlock(op)), ++count)
    if (count >= mlirArrayAttrGetNumElements(r->reads) ||
        !mlirTypeEqual(
            mloptElementType(mloptResultType(op, 0)),
            mlirAttributeGetType(mlirArrayAttrGetElement(r->reads, count))))
      return false;
  return count == mlirArrayAttrGetNumElements(r->reads);
}

bool mloptRowsReadMask(MloptRows *r) {
  const MloptSchedule *s = &r->kernel->schedule;
  if (!mloptReadMask(r->kernel->func, &r->mask))
    return false;
  const MloptMask *m = &r->mask;
  r->reads = mloptDictGet(mloptAttr(r->kernel->func, MLOPT_MASKED), "reads");
  int64_t lines = linesOf(r);
  r->isMasked = s->cluster == 1 && s->vectors > 0 && m->offset >= 0 &&
                m->columns == r->columns && m->rows > 0 &&
                r->columns == s->vectors * widthOf(r) &&
                r->rows % m->rows == 0 && m->rows % lines == 0 &&
                m->offset % lines == 0 && widthOf(r) % lines == 0 &&
                !mlirAttributeIsNull(r->reads) && areAllRead(r);
  if (!r->isMasked) {
    mloptOpError(r->kernel->func,
                 "has a '" MLOPT_MASKED "' that its rows do not fit");
    r->b->failed = true;
  }
  return r->isMasked;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The vector of each thread that lies `v` behind its first one.
static void openAnywhere(MloptRows *r, intptr_t v, MloptVector *out) {
  const int64_t lanes = r->kernel->schedule.lanes;
  mloptTileVectorIn(&r->tile, r->row, r->columns,
                    mloptRowsAdd(r, mloptRowsMultiply(r, r->thread, lanes),
                                 mloptPullIndex(r->pull, v * widthOf(r))),
                    (int)lanes, out);
}

/// States what the parameters hold at a vector, none of which is read there.
static void bindReads(MloptRows *r, const MloptVector *vector) {
  MlirOperation op =
      nextWhole(r, mlirBlockGetFirstOperation(r->kernel->program));
  for (intptr_t i = 0; !mlirOperationIsNull(op); ++i) {
    MlirValue elements[MLOPT_MAX_LANES];
    elements[0] =
        mloptBuildConstant(r->b, mlirArrayAttrGetElement(r->reads, i));
    for (int k = 1; k < vector->count; ++k)
      elements[k] = elements[0];
    mloptTileBind(&r->tile, mloptResult(op, 0), vector->position[0],
                  vector->count, elements);
    op = nextWhole(r, mlirOperationGetNextInBlock(op));
  }
}

/// Stores what is beyond the mask in place of elements where `valid` does not
/// hold; everywhere, if it is null.
static void store(MloptRows *r, intptr_t v, MlirValue valid,
                  MlirValue (*elements)[MLOPT_MAX_LANES]) {
  MloptVector vector;
  openAnywhere(r, v, &vector);
  bindReads(r, &vector);
  for (intptr_t i = 0; i < r->kernel->numRoots; ++i) {
    const MloptRoot *root = &r->kernel->roots[i];
    MlirValue stored[MLOPT_MAX_LANES];
    if (!mloptRowsIsWhole(r, root))
      continue;
    mloptTileEvaluate(&r->tile, &vector, root->value, stored);
    for (int k = 0; k < vector.count && !mlirValueIsNull(valid); ++k)
      stored[k] = mloptBuildSelect(r->b, valid, elements[i][k], stored[k]);
    mloptTileStore(&r->tile, &vector, root->pointer, stored);
  }
}

void mloptRowsStoreMasked(MloptRows *r, intptr_t v,
                          MlirValue (*elements)[MLOPT_MAX_LANES]) {
  store(r, v, r->valid[v], elements);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// What ends at the mask in a row: so many columns, before they are limited.
static MlirValue endOf(MloptRows *r, MlirValue row) {
  MlirValue inMatrix = mloptBuildBinary(r->b, "arith.remui", row,
                                        mloptPullIndex(r->pull, r->mask.rows));
  return mloptRowsAdd(r, inMatrix, mloptPullIndex(r->pull, r->mask.offset + 1));
}

static MlirValue divideUp(MloptRows *r, MlirValue x, int64_t by) {
  return mloptBuildBinary(r->b, "arith.divui",
                          mloptRowsAdd(r, x, mloptPullIndex(r->pull, by - 1)),
                          mloptPullIndex(r->pull, by));
}

/// The vectors that the block's last row needs, and where the thread's own row
/// ends.
static MlirValue findEnds(MloptRows *r) {
  const MloptSchedule *s = &r->kernel->schedule;
  int64_t lines = linesOf(r);
  MlirValue last = mloptRowsAdd(
      r,
      mloptRowsMultiply(
          r, mloptReadRegister(r->b, "nvvm.read.ptx.sreg.ctaid.x"), lines),
      mloptPullIndex(r->pull, lines - 1));
  MlirValue end =
      mloptRowsMultiply(r, divideUp(r, endOf(r, r->row), s->lanes), s->lanes);
  r->end = mloptBuildBinary(r->b, "arith.minui", end,
                            mloptPullIndex(r->pull, r->columns));
  return mloptBuildBinary(r->b, "arith.minui",
                          divideUp(r, endOf(r, last), widthOf(r)),
                          mloptPullIndex(r->pull, s->vectors));
}

void mloptRowsEmitMasked(MloptRows *r, void (*emit)(MloptRows *)) {
  bool keeps = !mlirAttributeIsNull(
      mloptDictGet(mloptAttr(r->kernel->func, MLOPT_MASKED), "keep"));
  MlirValue needed = findEnds(r);
  const int64_t vectors = r->kernel->schedule.vectors;
  for (r->numLive = 1; r->numLive <= vectors; ++r->numLive) {
    MlirValue isOwn =
        mloptBuildCmpI(r->b, "eq", needed, mloptPullIndex(r->pull, r->numLive));
    MloptPullScope scope = mloptPullBeginGuard(r->pull, isOwn);
    r->code = r->b->block;
    mloptTileEnter(&r->tile);
    emit(r);
    for (intptr_t v = r->numLive; keeps && v < vectors; ++v)
      store(r, v, (MlirValue){NULL}, NULL);
    mloptPullEndGuard(r->pull, isOwn, scope);
    r->numTogether = 0;
    r->terms.count = 0;
  }
  mloptTileEnter(&r->tile);
}
