//===- emit_pointwise.c - Elementwise programs, vector by vector ----------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every result has as many elements as the space. A block computes a stretch of
// it, each thread several vectors, a block's width apart:
//
//   stretch:  [ t0 t1 .. tN | t0 t1 .. tN | ... ]    one cell is a vector
//
// All are loaded and computed before any is stored, so that as many accesses as
// possible are under way. The last stretch may be short: its vectors are
// guarded one by one, and the last elements that fill no vector too.
//
//===----------------------------------------------------------------------===//

#include "emit_kernels.h"
#include "nv_tile.h"

enum { MAX_VECTORS = 16 };

typedef struct Pointwise {
  MloptKernel *kernel;
  MloptTile tile;
  int64_t count; ///< elements of the space
} Pointwise;

/// Computes and stores `count` vectors.
static void emitVectors(Pointwise *p, intptr_t count,
                        const MlirValue *positions, int lanes) {
  MloptKernel *k = p->kernel;
  mloptTileEnter(&p->tile);
  MloptVector vectors[MAX_VECTORS];
  MlirValue elements[MLOPT_MAX_TILE_ROOTS][MAX_VECTORS][MLOPT_MAX_LANES];
  for (intptr_t v = 0; v < count; ++v)
    mloptTileVectorAt(&p->tile, positions[v], lanes, &vectors[v]);
  // A result may lie where an operand does: read all, then write.
  for (intptr_t v = 0; v < count; ++v)
    for (intptr_t r = 0; r < k->numRoots; ++r)
      mloptTileEvaluate(&p->tile, &vectors[v], k->roots[r].value,
                        elements[r][v]);
  for (intptr_t v = 0; v < count; ++v)
    for (intptr_t r = 0; r < k->numRoots; ++r)
      mloptTileStore(&p->tile, &vectors[v], k->roots[r].pointer,
                     elements[r][v]);
}

static MlirValue addIndex(Pointwise *p, MlirValue a, MlirValue b) {
  return mloptBuildBinary(mloptPullGetBuilder(p->kernel->pull), "arith.addi", a,
                          b);
}

/// The elements from `position` on that fill no vector.
static void emitRest(Pointwise *p, MlirValue position) {
  MloptPull *pull = p->kernel->pull;
  MlirValue at;
  MloptPullScope scope = mloptPullBeginFor(pull, 0, NULL, &at, NULL);
  emitVectors(p, 1, &at, 1);
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
  if (p->count >= s->lanes)
    emitVectors(p, 1, &position, (int)s->lanes);
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

void mloptEmitPointwise(MloptKernel *k) {
  MloptPull *pull = k->pull;
  MloptBuilder *b = mloptPullGetBuilder(pull);
  const MloptSchedule *s = &k->schedule;
  MlirType space = mlirValueGetType(k->roots[0].value);
  Pointwise p = {
      .kernel = k, .tile = {.pull = pull}, .count = mloptNumElements(space)};
  mloptPullSetHooks(pull, (MloptPullHooks){.load = mloptTileLoad,
                                           .insert = mloptTileInsert,
                                           .userData = &p.tile});
  int64_t stretch = s->threads * s->lanes * s->vectors;
  MlirValue thread = mloptReadRegister(b, "nvvm.read.ptx.sreg.tid.x");
  MlirValue block = mloptReadRegister(b, "nvvm.read.ptx.sreg.ctaid.x");
  MlirValue begin =
      mloptBuildBinary(b, "arith.muli", block, mloptPullIndex(pull, stretch));
  MlirValue first = addIndex(&p, begin,
                             mloptBuildBinary(b, "arith.muli", thread,
                                              mloptPullIndex(pull, s->lanes)));
  MlirValue positions[MAX_VECTORS];
  for (int64_t v = 0; v < s->vectors; ++v)
    positions[v] =
        addIndex(&p, first, mloptPullIndex(pull, v * s->threads * s->lanes));
  if (p.count % stretch == 0) {
    emitVectors(&p, s->vectors, positions, (int)s->lanes);
  } else if (p.count < stretch) {
    emitGuarded(&p, first);
  } else {
    MlirValue whole = mloptBuildCmpI(b, "ult", block,
                                     mloptPullIndex(pull, p.count / stretch));
    MloptPullScope then = mloptPullBeginBranch(pull);
    emitVectors(&p, s->vectors, positions, (int)s->lanes);
    mloptPullEndBranch(pull, &then, 0, NULL);
    MloptPullScope otherwise = mloptPullBeginBranch(pull);
    emitGuarded(&p, first);
    mloptPullEndBranch(pull, &otherwise, 0, NULL);
    mloptPullBuildIf(pull, whole, then, otherwise, 0, NULL, NULL);
  }
  mloptPullSetHooks(pull, (MloptPullHooks){.load = NULL});
  mloptTileDestroy(&p.tile);
}
