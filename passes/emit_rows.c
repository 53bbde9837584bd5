//===- emit_rows.c - Reductions along the last dimensions -----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A line of threads, a part of a warp or a whole block, takes a row and holds
// it in registers. Every operand is read once; every reduction of the program
// goes over the held elements, through shuffles and, between warps, through
// shared memory; then results are computed from the same registers.
//
//   row:  [ t0 t1 .. tN | t0 t1 .. tN | .. ]   one cell is a vector
//
//   partial of a thread -> lanes of the vector -> warp -> block
//
// Of a longer row a cluster of blocks holds a stretch each. What a block has
// reduced it writes into the shared memory of all, at the place of its rank:
//
//   block -> array [ b0 b1 .. bC ] in each block -> every thread
//
// A longer row is not held in registers. What of its operands fits is copied
// into shared memory at the start, a barrier for each turn, and read from there
// for each reduction and for the results; the rest is held in registers, or
// read again where it is more than those hold:
//
//   bulk copies   | turn 0 | turn 1 | ..  shared memory |  .. the L2, or memory
//   max, sum   -> each turn as soon as it is there -> results
//
// Reductions go along such a row together where they can. A sum of exp(a - m)
// does so while the row's m is not known yet, by the largest a that its thread
// has met, and is scaled in the end. Where the row is one turn and the results
// need its exponentials too, not to their last bits, threads hold those of the
// sum and scale them likewise. Threads past the end of a row read its start and
// count as neutral.
//
//===----------------------------------------------------------------------===//

#include "emit_rows.h"
#include "emit_pull_impl.h"
#include "target.h"

MlirValue mloptRowsAdd(MloptRows *r, MlirValue a, MlirValue b) {
  return mloptBuildBinary(r->b, "arith.addi", a, b);
}

MlirValue mloptRowsMultiply(MloptRows *r, MlirValue a, int64_t n) {
  return n == 1 ? a
                : mloptBuildBinary(r->b, "arith.muli", a,
                                   mloptPullIndex(r->pull, n));
}

MlirValue mloptRowsBoth(MloptRows *r, MlirValue a, MlirValue b) {
  return mlirValueIsNull(a)   ? b
         : mlirValueIsNull(b) ? a
                              : mloptBuildBinary(r->b, "arith.andi", a, b);
}

MlirValue mloptRowsIsValid(const MloptRows *r, intptr_t v, int k) {
  return mlirValueIsNull(r->inRow[v][k]) ? r->valid[v] : r->inRow[v][k];
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// The block's stretch of the row.
static void findStretch(MloptRows *r) {
  const MloptSchedule *s = &r->kernel->schedule;
  int64_t vectors = (r->columns / s->lanes + s->cluster - 1) / s->cluster;
  r->stretch = s->cluster == 1 ? r->columns : vectors * s->lanes;
  r->end = mloptPullIndex(r->pull, r->columns);
  if (s->cluster == 1)
    return;
  MlirValue cluster = mloptPullIndex(r->pull, s->cluster);
  r->rank = mloptBuildBinary(r->b, "arith.remui", r->row, cluster);
  r->row = mloptBuildBinary(r->b, "arith.divui", r->row, cluster);
  r->begin = mloptRowsMultiply(r, r->rank, r->stretch);
  MlirValue end =
      mloptRowsAdd(r, r->begin, mloptPullIndex(r->pull, r->stretch));
  r->end = r->stretch * s->cluster == r->columns
               ? end
               : mloptBuildBinary(r->b, "arith.minui", end, r->end);
  // No block writes into another's memory before it runs.
  mloptBuildOp(r->b, (MloptOpSpec){.name = "nvvm.cluster.arrive.relaxed"});
}

/// The threads' rows.
static void findRow(MloptRows *r) {
  const MloptSchedule *s = &r->kernel->schedule;
  int64_t lines = s->threads / s->line;
  MlirValue thread = mloptReadRegister(r->b, "nvvm.read.ptx.sreg.tid.x");
  r->row = mloptReadRegister(r->b, "nvvm.read.ptx.sreg.ctaid.x");
  r->thread = thread;
  findStretch(r);
  if (lines > 1) {
    MlirValue line = mloptPullIndex(r->pull, s->line);
    r->thread = mloptBuildBinary(r->b, "arith.remui", thread, line);
    r->row = mloptRowsAdd(r, mloptRowsMultiply(r, r->row, lines),
                          mloptBuildBinary(r->b, "arith.divui", thread, line));
  }
  if (r->rows % lines) {
    r->rowValid =
        mloptBuildCmpI(r->b, "ult", r->row, mloptPullIndex(r->pull, r->rows));
    r->row =
        mloptBuildSelect(r->b, r->rowValid, r->row, mloptPullIndex(r->pull, 0));
  }
  mloptRowsFindShift(r);
}

/// The vector that starts at a column. `mayEnd`: the column may lie past the
/// end of the stretch.
static void openVector(MloptRows *r, MlirValue column, bool mayEnd,
                       MloptVector *out, MlirValue *outValid) {
  *outValid = (MlirValue){NULL};
  if (mayEnd) {
    *outValid = mloptBuildCmpI(r->b, "ult", column, r->end);
    column =
        mloptBuildSelect(r->b, *outValid, column, mloptPullIndex(r->pull, 0));
  }
  mloptTileVectorIn(&r->tile, r->row, r->columns, column,
                    (int)r->kernel->schedule.lanes, out);
}

/// `count` vectors of each thread, the first ones from column `begin` on.
static void openVectors(MloptRows *r, MlirValue begin, intptr_t count,
                        bool mayEnd) {
  const MloptSchedule *s = &r->kernel->schedule;
  int64_t width = s->line * s->lanes;
  MlirValue first = mloptRowsMultiply(r, r->thread, s->lanes);
  if (!mlirValueIsNull(begin))
    first = mloptRowsAdd(r, begin, first);
  r->numVectors = count;
  for (intptr_t v = 0; v < count && !mlirValueIsNull(r->shift); ++v)
    mloptRowsOpenShifted(
        r, v,
        v ? mloptRowsAdd(r, first, mloptPullIndex(r->pull, v * width)) : first,
        (v + 1) * width - s->lanes);
  if (!mlirValueIsNull(r->shift)) {
    mloptRowsLoadEnds(r);
    return;
  }
  for (intptr_t v = 0; v < count; ++v) {
    MlirValue column =
        v ? mloptRowsAdd(r, first, mloptPullIndex(r->pull, v * width)) : first;
    bool isCut = r->isMasked && v == count - 1;
    openVector(r, column, mayEnd || isCut || (v + 1) * width > r->stretch,
               &r->vectors[v], &r->valid[v]);
  }
}

/// One loop along a row that is not held, from column `lower` of the stretch up
/// to below `upper`. `isStaged`: its operands are copied into shared memory.
static void goAlong(MloptRows *r, int64_t lower, int64_t upper, bool isStaged,
                    MloptRowsTurn turn, void *userData, intptr_t numCarried,
                    const MlirValue *init, MlirValue *out) {
  const MloptSchedule *s = &r->kernel->schedule;
  int64_t step = mloptRowsTurnElements(s);
  bool mayEnd = r->stretch * s->cluster != r->columns || upper > r->stretch ||
                (upper - lower) % step != 0;
  MlirValue column, carried[MLOPT_PULL_MAX_CARRIED];
  MlirValue next[MLOPT_PULL_MAX_CARRIED];
  const MloptTile outer = r->tile;
  MloptPullScope scope =
      mloptPullBeginFor(r->pull, numCarried, init, &column, carried);
  r->tile.block = r->b->block; // what was loaded before stays within reach
  if (isStaged)
    mloptRowsWaitStage(r, column);
  MlirValue begin =
      mlirValueIsNull(r->begin) ? column : mloptRowsAdd(r, r->begin, column);
  openVectors(r, begin, mloptRowsTurnVectors(s), mayEnd);
  for (intptr_t v = 0; isStaged && v < r->numVectors; ++v)
    r->vectors[v].copy = mloptRowsAdd(
        r, mloptRowsAdd(r, column, mloptRowsMultiply(r, r->thread, s->lanes)),
        mloptPullIndex(r->pull, v * s->line * s->lanes));
  turn(r, userData, carried, next);
  mloptPullEndFor(r->pull, scope, mloptPullIndex(r->pull, lower),
                  mloptPullIndex(r->pull, upper), mloptPullIndex(r->pull, step),
                  numCarried, init, next, out);
  r->tile.block = outer.block;
  r->tile.numLoads = outer.numLoads;
  r->tile.numInserts = outer.numInserts;
  r->tile.vector = NULL;
}

/// What is open now is what registers hold.
static void keepRest(MloptRows *r) {
  r->numRest = r->numVectors;
  memcpy(r->rest, r->vectors, r->numRest * sizeof *r->rest);
  memcpy(r->restValid, r->valid, r->numRest * sizeof *r->restValid);
}

/// Where little is left that is not copied, it is loaded once: registers hold
/// it. The loads come behind the copies, or ptxas would have the thread that
/// starts those compute with what is loaded first.
static void openRest(MloptRows *r) {
  const MloptSchedule *s = &r->kernel->schedule;
  int64_t staged = s->staged * mloptRowsTurnElements(s);
  int64_t width = s->line * s->lanes, rest = r->stretch - staged;
  if (!staged || rest <= 0 || rest > MLOPT_ROWS_MAX_TURN * width)
    return;
  MlirValue begin = mloptPullIndex(r->pull, staged);
  if (!mlirValueIsNull(r->begin))
    begin = mloptRowsAdd(r, r->begin, begin);
  openVectors(r, begin, mloptDivideUp(rest, width),
              r->stretch * s->cluster != r->columns || rest % width != 0);
  keepRest(r);
  MlirValue operands[MLOPT_MAX_STAGED], elements[MLOPT_MAX_LANES];
  intptr_t n =
      mloptFindStaged(r->kernel->program, r->rows * r->columns, operands);
  for (intptr_t i = 0; i < n; ++i)
    for (intptr_t v = 0; v < r->numRest; ++v)
      mloptTileEvaluate(&r->tile, &r->rest[v], operands[i], elements);
}

/// Where a single turn is all of the row and its terms are held, it is opened
/// once.
static void openOnly(MloptRows *r) {
  const MloptSchedule *s = &r->kernel->schedule;
  int64_t width = s->line * s->lanes;
  if (s->staged != 1 || r->stretch > mloptRowsTurnElements(s) ||
      !mloptWantsTerms(r->kernel->program))
    return;
  mloptRowsWaitStage(r, mloptPullIndex(r->pull, 0));
  openVectors(r, r->begin, mloptDivideUp(r->stretch, width),
              r->stretch * s->cluster != r->columns || r->stretch % width != 0);
  for (intptr_t v = 0; v < r->numVectors; ++v)
    r->vectors[v].copy =
        mloptRowsAdd(r, mloptRowsMultiply(r, r->thread, s->lanes),
                     mloptPullIndex(r->pull, v * width));
  keepRest(r);
}

/// Whether threads have registers for the terms of what they hold.
static bool holdsTerms(const MloptRows *r) {
  const MloptSchedule *s = &r->kernel->schedule;
  int64_t threads = s->threads * (s->resident > 1 ? s->resident : 1);
  return mloptWantsTerms(r->kernel->program) &&
         mloptSm90.registers / threads >= MLOPT_ROWS_TERM_REGISTERS;
}

/// A turn over what registers hold.
static void goAlongRest(MloptRows *r, MloptRowsTurn turn, void *userData,
                        const MlirValue *init, MlirValue *out) {
  r->numVectors = r->numRest;
  memcpy(r->vectors, r->rest, r->numRest * sizeof *r->rest);
  memcpy(r->valid, r->restValid, r->numRest * sizeof *r->restValid);
  r->terms.areHeld = holdsTerms(r);
  turn(r, userData, init, out);
  r->terms.areHeld = false;
  r->tile.vector = NULL;
}

void mloptRowsAlong(MloptRows *r, MloptRowsTurn turn, void *userData,
                    intptr_t numCarried, const MlirValue *init,
                    MlirValue *out) {
  const MloptSchedule *s = &r->kernel->schedule;
  int64_t staged = s->staged * mloptRowsTurnElements(s);
  MlirValue between[MLOPT_PULL_MAX_CARRIED];
  // What is not copied first, while the copies are on their way.
  if (r->numRest && staged >= r->stretch) {
    goAlongRest(r, turn, userData, init, out);
    return;
  }
  if (r->numRest)
    goAlongRest(r, turn, userData, init, between);
  else if (staged < r->stretch)
    goAlong(r, staged, r->stretch, false, turn, userData, numCarried, init,
            s->staged ? between : out);
  if (staged < r->stretch)
    init = between;
  if (s->staged)
    goAlong(r, 0, staged, true, turn, userData, numCarried, init, out);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

bool mloptRowsIsWhole(const MloptRows *r, const MloptRoot *root) {
  return mloptNumElements(mlirValueGetType(root->value)) ==
             r->rows * r->columns &&
         (r->columns > 1);
}

/// What was fetched from far away so far.
static intptr_t numFetched(const MloptTile *tile) {
  intptr_t count = tile->numInserts;
  for (intptr_t i = 0; i < tile->numLoads; ++i)
    count += !tile->loads[i].isCopy;
  return count;
}

typedef MlirValue Elements[MLOPT_MAX_TILE_ROOTS][MLOPT_MAX_LANES];

/// The elements of an open vector in the results of the space's shape.
static void evaluateVector(MloptRows *r, intptr_t v, Elements elements) {
  MloptKernel *k = r->kernel;
  for (intptr_t i = 0; i < k->numRoots; ++i)
    if (mloptRowsIsWhole(r, &k->roots[i]))
      mloptTileEvaluate(&r->tile, &r->vectors[v], k->roots[i].value,
                        elements[i]);
}

static void storeVector(MloptRows *r, intptr_t v, Elements elements) {
  MloptKernel *k = r->kernel;
  MlirValue condition = mloptRowsBoth(r, r->rowValid, r->valid[v]);
  bool isEdge = !mlirValueIsNull(r->inRow[v][0]);
  if (r->isMasked && !mlirValueIsNull(r->valid[v])) {
    mloptRowsStoreMasked(r, v, elements);
    return;
  }
  for (intptr_t i = 0; i < k->numRoots; ++i)
    if (mloptRowsIsWhole(r, &k->roots[i]) && isEdge)
      mloptRowsStoreEdge(r, v, k->roots[i].pointer, elements[i]);
    else if (mloptRowsIsWhole(r, &k->roots[i]))
      mloptTileStoreIf(&r->tile, &r->vectors[v], k->roots[i].pointer,
                       elements[i], condition);
}

/// Results of the space's shape, for the open vectors: one after the other,
/// which takes fewer registers. But loads do not pass stores, so where there is
/// something to fetch, it is fetched for all of them first.
static void storeVectors(MloptRows *r) {
  Elements elements[MLOPT_ROWS_MAX_HELD];
  intptr_t before = numFetched(&r->tile), evaluated = 1;
  evaluateVector(r, 0, elements[0]);
  if (numFetched(&r->tile) != before)
    while (evaluated < r->numVectors) {
      evaluateVector(r, evaluated, elements[evaluated]);
      ++evaluated;
    }
  for (intptr_t v = 0; v < r->numVectors; ++v) {
    if (v >= evaluated)
      evaluateVector(r, v, elements[v]);
    storeVector(r, v, elements[v]);
  }
}

static void storeTurn(MloptRows *r, void *userData, const MlirValue *carried,
                      MlirValue *next) {
  storeVectors(r);
}

static void storeWhole(MloptRows *r) {
  bool any = false;
  for (intptr_t i = 0; i < r->kernel->numRoots; ++i)
    any |= mloptRowsIsWhole(r, &r->kernel->roots[i]);
  if (!any)
    return;
  if (r->kernel->schedule.vectors) {
    storeVectors(r);
    return;
  }
  mloptRowsAlong(r, storeTurn, NULL, 0, NULL, NULL);
}

/// Results with one element for each row, by the line's first thread.
static void storeRows(MloptRows *r) {
  MloptKernel *k = r->kernel;
  MlirValue elements[MLOPT_MAX_TILE_ROOTS], indices[MLOPT_MAX_RANK];
  bool any = false;
  r->tile.vector = NULL;
  for (intptr_t i = 0; i < k->numRoots; ++i) {
    if (mloptRowsIsWhole(r, &k->roots[i]))
      continue;
    any = true;
    mloptPullDelinearize(r->pull, mlirValueGetType(k->roots[i].value), r->row,
                         indices);
    elements[i] = mloptPullElement(r->pull, k->roots[i].value, indices);
  }
  if (!any)
    return;
  MlirValue zero = mloptPullIndex(r->pull, 0);
  MlirValue condition = mloptRowsBoth(
      r, r->rowValid, mloptBuildCmpI(r->b, "eq", r->thread, zero));
  if (!mlirValueIsNull(r->rank))
    condition =
        mloptRowsBoth(r, condition, mloptBuildCmpI(r->b, "eq", r->rank, zero));
  MloptPullScope scope = mloptPullBeginGuard(r->pull, condition);
  for (intptr_t i = 0; i < k->numRoots; ++i) {
    if (mloptRowsIsWhole(r, &k->roots[i]))
      continue;
    MlirType type = mlirValueGetType(k->roots[i].value);
    mloptPullDelinearize(r->pull, type, r->row, indices);
    mloptPullStore(r->pull, elements[i], k->roots[i].pointer, type, indices);
  }
  mloptPullEndGuard(r->pull, condition, scope);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// In the order of the program, so that each finds the ones it needs.
static void reduceAll(MloptRows *r) {
  for (MlirOperation op = mlirBlockGetFirstOperation(r->kernel->program);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (mloptIsReduction(op)) {
      MlirValue result = mloptResult(op, 0), indices[MLOPT_MAX_RANK];
      mloptPullDelinearize(r->pull, mlirValueGetType(result), r->row, indices);
      mloptPullElement(r->pull, result, indices);
    }
}

/// Opens the row and reduces it.
static bool reduceRow(MloptRows *r) {
  const MloptSchedule *s = &r->kernel->schedule;
  if (s->vectors) {
    openVectors(r, r->begin, r->isMasked ? r->numLive : s->vectors,
                r->stretch * s->cluster != r->columns);
  } else {
    if (!mloptRowsStage(r))
      return false;
    openRest(r);
    if (s->staged)
      mloptBuildBarrier(r->b); // the others see the copies' barriers
    openOnly(r);
    mloptRowsReduceTogether(r);
  }
  reduceAll(r);
  return true;
}

static void emitRow(MloptRows *r) {
  if (!reduceRow(r))
    return;
  mloptRowsFetchAhead(r);
  storeWhole(r);
  storeRows(r);
  mloptRowsReuseTerms(r);
}

void mloptEmitRows(MloptKernel *kernel) {
  MloptRows r = {.kernel = kernel,
                 .code = kernel->code,
                 .pull = kernel->pull,
                 .b = mloptPullGetBuilder(kernel->pull),
                 .tile = {.pull = kernel->pull}};
  MloptReduction reduction;
  mloptFindReduction(kernel->program, &reduction);
  r.rows = reduction.outer;
  r.columns = reduction.middle;
  mloptPullSetHooks(r.pull, (MloptPullHooks){.load = mloptTileLoad,
                                             .insert = mloptTileInsert,
                                             .reduce = mloptRowsReduce,
                                             .userData = &r.tile});
  mloptTileEnter(&r.tile);
  findRow(&r);
  if (mloptRowsReadMask(&r))
    mloptRowsEmitMasked(&r, emitRow);
  else if (!r.b->failed)
    emitRow(&r);
  mloptPullSetHooks(r.pull, (MloptPullHooks){.load = NULL});
  mloptTileDestroy(&r.tile);
}
