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
//===----------------------------------------------------------------------===//

#include "emit_kernels.h"
#include "hoist_loads.h"
#include "nv_tile.h"

enum { MAX_VECTORS = 16 };

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
    emitVectors(p, 1, &vector);
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
  emitVectors(p, s->vectors, vectors);
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
  if (p.count % (k->schedule.line * k->schedule.vectors) == 0)
    emitLines(&p, block, thread);
  else
    emitStretches(&p, block, thread);
  mloptPullSetHooks(pull, (MloptPullHooks){.load = NULL});
  mloptTileDestroy(&p.tile);
}
