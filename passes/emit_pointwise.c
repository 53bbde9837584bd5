//===- emit_pointwise.c - Elementwise programs, vector by vector ----------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every result has as many elements as the space. A thread computes several
// vectors, a line apart: the line is a row where an operand is the same for all
// rows, and so is read once for all vectors, or as wide as the block.
//
//   line 0:    [ t0 t1 .. tN | next block .. | ... ]    one cell is a vector
//   line 1:    [ t0 t1 .. tN | next block .. | ... ]
//
// All vectors are loaded before any is computed, so that as many accesses as
// possible are under way. Where the space is no whole number of lines, the last
// block's vectors may reach past the end. They are guarded one by one, and the
// last elements that fill no vector too.
//
// An uneven program reads from where no vector starts: slices at odd places,
// rows of odd lengths in another order. A vector that lies in one row and on
// one side of every edge is computed as a whole (nv_tile.h says how it is then
// loaded), the others, few in a row, element by element.
//
//===----------------------------------------------------------------------===//

#include "emit_kernels.h"
#include "hoist_loads.h"
#include "nv_tile.h"

enum {
  MAX_VECTORS = 16,
  MAX_ELEMENTS = MLOPT_MAX_TILE_ROOTS * MLOPT_MAX_LANES
};

typedef struct Pointwise {
  MloptKernel *kernel;
  MloptTile tile;
  int64_t count; ///< elements of the space
} Pointwise;

/// Computes and stores `count` vectors. What a vector reads comes before it is
/// stored: a result may lie where an operand does.
static void emitVectors(Pointwise *p, intptr_t count,
                        const MloptVector *vectors) {
  MloptKernel *k = p->kernel;
  MloptBuilder *b = mloptPullGetBuilder(k->pull);
  mloptTileEnter(&p->tile);
  MlirValue elements[MLOPT_MAX_TILE_ROOTS][MLOPT_MAX_LANES];
  for (intptr_t v = 0; v < count; ++v) {
    for (intptr_t r = 0; r < k->numRoots; ++r)
      mloptTileEvaluate(&p->tile, &vectors[v], k->roots[r].value, elements[r]);
    for (intptr_t r = 0; r < k->numRoots; ++r)
      mloptTileStore(&p->tile, &vectors[v], k->roots[r].pointer, elements[r]);
  }
  if (!b->failed && !mloptHoistLoads(b->block))
    b->failed = true;
}

/// Evaluates the vector as one that lies in a row of the space as a whole and
/// crosses no edge of a slice. Writes the elements of all roots, poison where
/// that is not so, and behind them whether it is.
static void evaluateWhole(Pointwise *p, const MloptVector *vector,
                          MlirValue *out) {
  MloptKernel *k = p->kernel;
  MloptBuilder *b = mloptPullGetBuilder(k->pull);
  const int lanes = vector->count;
  const int64_t row = mloptRowOf(mlirValueGetType(k->roots[0].value));
  MloptTile *tile = &p->tile;
  MloptVector inRow = *vector;
  MlirType types[MAX_ELEMENTS + 1];
  for (intptr_t i = 0; i < k->numRoots * lanes; ++i)
    types[i] = mloptElementType(mlirValueGetType(k->roots[i / lanes].value));
  types[k->numRoots * lanes] = mlirIntegerTypeGet(b->context, 1);
  MlirValue column = mloptBuildBinary(b, "arith.remui", vector->position[0],
                                      mloptPullIndex(k->pull, row));
  MlirValue fits =
      mloptBuildCmpI(b, "ule", column, mloptPullIndex(k->pull, row - lanes));
  MlirValue given[MAX_ELEMENTS + 1];
  MloptPullScope then = mloptPullBeginBranch(k->pull);
  mloptTileEnter(tile);
  mloptTileSplitRow(tile, &inRow, row);
  tile->mayCross = true;
  tile->crossesNone = (MlirValue){NULL};
  for (intptr_t r = 0; r < k->numRoots; ++r)
    mloptTileEvaluate(tile, &inRow, k->roots[r].value, given + r * lanes);
  tile->mayCross = false;
  given[k->numRoots * lanes] =
      mlirValueIsNull(tile->crossesNone)
          ? mloptBuildInt(b, types[k->numRoots * lanes], 1)
          : tile->crossesNone;
  if (!b->failed && !mloptHoistLoads(b->block))
    b->failed = true;
  mloptPullEndBranch(k->pull, &then, k->numRoots * lanes + 1, given);
  MloptPullScope otherwise = mloptPullBeginBranch(k->pull);
  for (intptr_t i = 0; i < k->numRoots * lanes; ++i)
    given[i] = mloptPullPoison(k->pull, types[i]);
  given[k->numRoots * lanes] = mloptBuildInt(b, types[k->numRoots * lanes], 0);
  mloptPullEndBranch(k->pull, &otherwise, k->numRoots * lanes + 1, given);
  mloptPullBuildIf(k->pull, fits, then, otherwise, k->numRoots * lanes + 1,
                   types, out);
  mloptTileEnter(tile);
}

/// Computes and stores a vector: as a whole, where it is one, element by
/// element elsewhere.
static void emitUneven(Pointwise *p, const MloptVector *vector) {
  MloptKernel *k = p->kernel;
  const int lanes = vector->count;
  MlirValue elements[MAX_ELEMENTS + 1];
  evaluateWhole(p, vector, elements);
  MloptPullScope then = mloptPullBeginBranch(k->pull);
  for (intptr_t r = 0; r < k->numRoots; ++r)
    mloptTileStore(&p->tile, vector, k->roots[r].pointer, elements + r * lanes);
  mloptPullEndBranch(k->pull, &then, 0, NULL);
  MloptPullScope otherwise = mloptPullBeginBranch(k->pull);
  emitVectors(p, 1, vector);
  mloptPullEndBranch(k->pull, &otherwise, 0, NULL);
  mloptPullBuildIf(k->pull, elements[k->numRoots * lanes], then, otherwise, 0,
                   NULL, NULL);
}

/// Computes and stores `count` vectors, as the schedule says.
static void emitAll(Pointwise *p, intptr_t count, const MloptVector *vectors) {
  if (!p->kernel->schedule.uneven) {
    emitVectors(p, count, vectors);
    return;
  }
  for (intptr_t v = 0; v < count; ++v)
    emitUneven(p, &vectors[v]);
}

static MlirValue addIndex(Pointwise *p, MlirValue a, MlirValue b) {
  return mloptBuildBinary(mloptPullGetBuilder(p->kernel->pull), "arith.addi", a,
                          b);
}

static MlirValue multiplyIndex(Pointwise *p, MlirValue a, int64_t factor) {
  MloptPull *pull = p->kernel->pull;
  return mloptBuildBinary(mloptPullGetBuilder(pull), "arith.muli", a,
                          mloptPullIndex(pull, factor));
}

/// The elements from `position` on that fill no vector.
static void emitRest(Pointwise *p, MlirValue position) {
  MloptPull *pull = p->kernel->pull;
  MlirValue at;
  MloptVector vector;
  MloptPullScope scope = mloptPullBeginFor(pull, 0, NULL, &at, NULL);
  mloptTileVectorAt(&p->tile, at, 1, &vector);
  emitVectors(p, 1, &vector);
  mloptPullEndFor(pull, scope, position, mloptPullIndex(pull, p->count),
                  mloptPullIndex(pull, 1), 0, NULL, NULL, NULL);
}

/// Vectors that may reach past the end.
static void emitGuarded(Pointwise *p, MlirValue first) {
  MloptPull *pull = p->kernel->pull;
  const MloptSchedule *s = &p->kernel->schedule;
  MloptBuilder *b = mloptPullGetBuilder(pull);
  MlirValue offset;
  MloptPullScope loop = mloptPullBeginFor(pull, 0, NULL, &offset, NULL);
  MlirValue position = addIndex(p, first, offset);
  MlirValue last = mloptPullIndex(pull, p->count - s->lanes);
  MlirValue whole = p->count < s->lanes
                        ? mloptBuildInt(b, mlirIntegerTypeGet(b->context, 1), 0)
                        : mloptBuildCmpI(b, "ule", position, last);
  MloptPullScope then = mloptPullBeginBranch(pull);
  if (p->count >= s->lanes) {
    MloptVector vector;
    mloptTileVectorAt(&p->tile, position, (int)s->lanes, &vector);
    emitAll(p, 1, &vector);
  }
  mloptPullEndBranch(pull, &then, 0, NULL);
  MloptPullScope otherwise = mloptPullBeginBranch(pull);
  if (p->count % s->lanes)
    emitRest(p, position);
  mloptPullEndBranch(pull, &otherwise, 0, NULL);
  mloptPullBuildIf(pull, whole, then, otherwise, 0, NULL, NULL);
  int64_t step = s->threads * s->lanes;
  mloptPullEndFor(pull, loop, mloptPullIndex(pull, 0),
                  mloptPullIndex(pull, step * s->vectors),
                  mloptPullIndex(pull, step), 0, NULL, NULL, NULL);
}

/// Vectors a block's width apart, of stretches of which the last is short.
static void emitStretches(Pointwise *p, MlirValue block, MlirValue thread) {
  MloptPull *pull = p->kernel->pull;
  const MloptSchedule *s = &p->kernel->schedule;
  int64_t width = s->threads * s->lanes, stretch = width * s->vectors;
  MlirValue first = addIndex(p, multiplyIndex(p, block, stretch),
                             multiplyIndex(p, thread, s->lanes));
  if (p->count < stretch) {
    emitGuarded(p, first);
    return;
  }
  MlirValue whole = mloptBuildCmpI(mloptPullGetBuilder(pull), "ult", block,
                                   mloptPullIndex(pull, p->count / stretch));
  MloptPullScope then = mloptPullBeginBranch(pull);
  MloptVector vectors[MAX_VECTORS];
  for (int64_t v = 0; v < s->vectors; ++v)
    mloptTileVectorAt(&p->tile,
                      addIndex(p, first, mloptPullIndex(pull, v * width)),
                      (int)s->lanes, &vectors[v]);
  emitAll(p, s->vectors, vectors);
  mloptPullEndBranch(pull, &then, 0, NULL);
  MloptPullScope otherwise = mloptPullBeginBranch(pull);
  emitGuarded(p, first);
  mloptPullEndBranch(pull, &otherwise, 0, NULL);
  mloptPullBuildIf(pull, whole, then, otherwise, 0, NULL, NULL);
}

/// A thread has the same columns of as many lines as it has vectors, all of
/// which are there.
static void emitLines(Pointwise *p, MlirValue block, MlirValue thread) {
  MloptPull *pull = p->kernel->pull;
  const MloptSchedule *s = &p->kernel->schedule;
  MloptBuilder *b = mloptPullGetBuilder(pull);
  int64_t perRow = s->line / s->lanes;
  int64_t total = p->count / s->vectors / s->lanes;
  MlirValue index = addIndex(p, multiplyIndex(p, block, s->threads), thread);
  MlirValue inside = {NULL};
  if (total % s->threads)
    inside = mloptBuildCmpI(b, "ult", index, mloptPullIndex(pull, total));
  MlirValue group =
      mloptBuildBinary(b, "arith.divui", index, mloptPullIndex(pull, perRow));
  MlirValue column = multiplyIndex(
      p,
      mloptBuildBinary(b, "arith.remui", index, mloptPullIndex(pull, perRow)),
      s->lanes);
  MloptPullScope then = mloptPullBeginGuard(pull, inside);
  MlirValue row = multiplyIndex(p, group, s->vectors);
  MloptVector vectors[MAX_VECTORS];
  for (int v = 0; v < s->vectors; ++v)
    mloptTileVectorIn(&p->tile, mloptPullLane(pull, row, v, (int)s->vectors),
                      s->line, column, (int)s->lanes, &vectors[v]);
  emitVectors(p, s->vectors, vectors);
  mloptPullEndGuard(pull, inside, then);
}

void mloptEmitPointwise(MloptKernel *k) {
  MloptPull *pull = k->pull;
  MloptBuilder *b = mloptPullGetBuilder(pull);
  MlirType space = mlirValueGetType(k->roots[0].value);
  Pointwise p = {
      .kernel = k, .tile = {.pull = pull}, .count = mloptNumElements(space)};
  mloptPullSetHooks(pull, (MloptPullHooks){.load = mloptTileLoad,
                                           .insert = mloptTileInsert,
                                           .userData = &p.tile});
  MlirValue thread = mloptReadRegister(b, "nvvm.read.ptx.sreg.tid.x");
  MlirValue block = mloptReadRegister(b, "nvvm.read.ptx.sreg.ctaid.x");
  if (p.count % (k->schedule.line * k->schedule.vectors) == 0 &&
      !k->schedule.uneven)
    emitLines(&p, block, thread);
  else
    emitStretches(&p, block, thread);
  mloptPullSetHooks(pull, (MloptPullHooks){.load = NULL});
  mloptTileDestroy(&p.tile);
}
