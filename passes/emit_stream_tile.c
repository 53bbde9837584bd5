//===- emit_stream_tile.c - The rows of a block and their keys ------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block takes the steps of keys that some of its rows need: bounds rise with
// the row, so that the first row has the least and the last one the largest.
//
//             keys  from    fullFrom     fullEnd     end
//   first row       |  cond.   |    full    |   cond.  |
//    last row           ...
//
//===----------------------------------------------------------------------===//

#include "emit_stream_impl.h"

static int64_t keysOf(const MloptStreamKernel *g) {
  return g->p.scores.sizes[MLOPT_AXIS_N];
}

static int64_t rowsOf(const MloptStreamKernel *g) {
  return g->p.scores.sizes[MLOPT_AXIS_M];
}

static int64_t totalSteps(const MloptStreamKernel *g) {
  return (keysOf(g) + g->s.tile[1] - 1) / g->s.tile[1];
}

/// Whether all rows of a tile lie in one turn of the bound.
static bool isUsable(const MloptStreamKernel *g, const MloptStreamBound *b) {
  int64_t turn = b->unit * b->size;
  return !b->step || turn >= rowsOf(g) || turn % g->s.tile[0] == 0;
}

static bool isAtLeast(const MloptStreamBound *b, int64_t key) {
  return !b->step && b->low >= key;
}

bool mloptStreamHasConditions(const MloptStreamKernel *g) {
  return !mlirValueIsNull(g->p.condition) || keysOf(g) % g->s.tile[1];
}

static int64_t least64(int64_t x, int64_t y) { return x < y ? x : y; }

/// Whether a tile has steps with conditions behind those without, other than
/// its last one.
static bool hasMoreBehind(const MloptStreamKernel *g) {
  const MloptStream *p = &g->p;
  int64_t total = totalSteps(g), rows = g->s.tile[0], keys = g->s.tile[1];
  if (!isUsable(g, &p->from) || !isUsable(g, &p->end) || g->storesAll)
    return true;
  for (int64_t i = 0, n = mloptStreamTilesOfBatch(p, &g->s); i < n; ++i) {
    int64_t first = i * rows, last = least64(first + rows, rowsOf(g)) - 1;
    int64_t from =
        least64(mloptStreamBoundAt(&p->from, first) / keys, total - 1);
    int64_t end = (mloptStreamBoundAt(&p->end, last) + keys - 1) / keys;
    int64_t full =
        least64(mloptStreamBoundAt(&p->fullEnd, first), keysOf(g)) / keys;
    if ((end > from + 1 ? end : from + 1) > full + 1)
      return true;
  }
  return false;
}

MloptStreamParts mloptStreamPartsOf(const MloptStreamKernel *g) {
  const MloptStreamBound *from = &g->p.fullFrom, *end = &g->p.fullEnd;
  bool all = mlirValueIsNull(g->p.condition);
  MloptStreamParts parts = {.full =
                                all || (isUsable(g, from) && isUsable(g, end) &&
                                        !(!end->step && end->low <= 0) &&
                                        !isAtLeast(from, keysOf(g)))};
  if (!mloptStreamHasConditions(g))
    return parts;
  parts.before = !parts.full || (!all && (from->step || from->low > 0));
  parts.behind =
      parts.full && !all && !isAtLeast(end, keysOf(g)) && hasMoreBehind(g);
  return parts;
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

static MlirValue least(MloptNv *nv, MlirValue x, MlirValue y) {
  return mloptNvArith(nv, "arith.minsi", x, y);
}

static MlirValue largest(MloptNv *nv, MlirValue x, MlirValue y) {
  return mloptNvArith(nv, "arith.maxsi", x, y);
}

/// A bound at a row; `otherwise` where tiles cannot use it.
static MlirValue boundAt(MloptStreamKernel *g, const MloptStreamBound *b,
                         MlirValue row, int64_t otherwise) {
  MloptNv *nv = &g->nv;
  if (!isUsable(g, b))
    return mloptNvInt(nv, otherwise);
  if (!b->step)
    return mloptNvInt(nv, b->low);
  MlirValue i = row;
  if (b->unit > 1)
    i = mloptNvDivInt(nv, i, b->unit);
  if (b->unit * b->size < rowsOf(g))
    i = mloptNvRemInt(nv, i, b->size);
  if (b->step > 1)
    i = mloptNvMulInt(nv, mloptNvDivInt(nv, i, b->step), b->step);
  i = largest(nv, mloptNvAddInt(nv, i, b->constant), mloptNvInt(nv, b->low));
  return least(nv, i, mloptNvInt(nv, b->high));
}

static MlirValue stepsDown(MloptStreamKernel *g, MlirValue keys) {
  return mloptNvDivInt(&g->nv, keys, g->s.tile[1]);
}

static MlirValue stepsUp(MloptStreamKernel *g, MlirValue keys) {
  return stepsDown(g, mloptNvAddInt(&g->nv, keys, g->s.tile[1] - 1));
}

static MlirValue between(MloptNv *nv, MlirValue x, MlirValue low,
                         MlirValue high) {
  return least(nv, largest(nv, x, low), high);
}

/// The part of a tile's steps that this block of a cluster takes.
static void shareSteps(MloptStreamKernel *g, MloptStreamTile *tile) {
  MloptNv *nv = &g->nv;
  if (g->s.splits == 1)
    return;
  MlirValue count = mloptNvArith(nv, "arith.subi", tile->end, tile->from);
  MlirValue ends[2];
  for (int i = 0; i < 2; ++i) {
    MlirValue turn = mloptNvAddInt(nv, g->rank, i);
    ends[i] = mloptNvDivInt(nv, mloptNvArith(nv, "arith.muli", count, turn),
                            g->s.splits);
  }
  tile->end = mloptNvAdd(nv, tile->from, ends[1]);
  tile->from = mloptNvAdd(nv, tile->from, ends[0]);
}

/// At least one step, so that every row gets a result.
static void findSteps(MloptStreamKernel *g, MloptStreamTile *tile) {
  MloptNv *nv = &g->nv;
  MlirValue first = tile->row;
  MlirValue last = least(nv, mloptNvAddInt(nv, first, g->s.tile[0] - 1),
                         mloptNvInt(nv, rowsOf(g) - 1));
  MlirValue most = mloptNvInt(nv, totalSteps(g) - 1);
  tile->from = least(nv, stepsDown(g, boundAt(g, &g->p.from, first, 0)), most);
  tile->end = largest(nv, stepsUp(g, boundAt(g, &g->p.end, last, keysOf(g))),
                      mloptNvAddInt(nv, tile->from, 1));
  if (g->storesAll) {
    tile->from = mloptNvInt(nv, 0);
    tile->end = mloptNvInt(nv, totalSteps(g));
  }
  shareSteps(g, tile);
  tile->fullFrom = tile->from;
  tile->fullEnd = mloptNvInt(nv, keysOf(g) / g->s.tile[1]);
  if (!mlirValueIsNull(g->p.condition)) {
    tile->fullFrom = stepsUp(g, boundAt(g, &g->p.fullFrom, last, keysOf(g)));
    tile->fullEnd = least(nv, tile->fullEnd,
                          stepsDown(g, boundAt(g, &g->p.fullEnd, first, 0)));
  }
  tile->fullFrom = between(nv, tile->fullFrom, tile->from, tile->end);
  tile->fullEnd = between(nv, tile->fullEnd, tile->fullFrom, tile->end);
  // A loop that is known to be taken once would become straight code, in which
  // ptxas moves exponentials down into the next step, and spills. It does not
  // know that these registers are 0.
  tile->fullFrom =
      mloptNvAdd(nv, tile->fullFrom, mloptNvRegister(nv, "ctaid.y"));
  tile->fullEnd = mloptNvAdd(nv, tile->fullEnd, mloptNvRegister(nv, "ctaid.z"));
  tile->end = mloptNvAdd(nv, tile->end, mloptNvRegister(nv, "ctaid.y"));
}

MlirValue mloptStreamStepAt(MloptStreamKernel *g, MlirValue back) {
  MloptNv *nv = &g->nv;
  return mloptNvArith(nv, "arith.subi", mloptNvAddInt(nv, g->tile.end, -1),
                      back);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// The tile of a number: those of some batches together, the ones with the most
/// keys first, or those of a batch in pairs.
static void locate(MloptStreamKernel *g, MlirValue number) {
  MloptNv *nv = &g->nv;
  int64_t tiles = mloptStreamTilesOfBatch(&g->p, &g->s);
  int64_t together = mloptStreamBatches(&g->p, &g->s);
  MlirValue group = mloptNvDivInt(nv, number, together * tiles);
  MlirValue within = mloptNvRemInt(nv, number, together * tiles);
  MlirValue tile = mloptNvDivInt(nv, within, g->s.paired ? 2 : together);
  MlirValue back =
      mloptNvArith(nv, "arith.subi", mloptNvInt(nv, tiles - 1), tile);
  if (g->s.paired)
    tile = mloptBuildSelect(
        nv->b, mloptNvEqInt(nv, mloptNvAndInt(nv, within, 1), 0), back, tile);
  else if (g->p.end.step)
    tile = back;
  MlirValue batch = mloptNvMulInt(nv, group, together);
  if (together > 1)
    batch = mloptNvAdd(nv, batch, mloptNvRemInt(nv, within, together));
  g->tile.batch = mloptNvRenew(nv, batch);
  g->tile.row = mloptNvRenew(nv, mloptNvMulInt(nv, tile, g->s.tile[0]));
  findSteps(g, &g->tile);
}

/// Turn `i` of a block: every so many tiles one, or one pair.
static MlirValue numberOf(MloptStreamKernel *g, MlirValue i) {
  MloptNv *nv = &g->nv;
  int64_t blocks = mloptStreamBlocks(&g->p, &g->s);
  MlirValue unit = g->s.paired ? mloptNvShrInt(nv, i, 1) : i;
  MlirValue number = mloptNvAdd(nv, mloptNvMulInt(nv, unit, blocks), g->number);
  return g->s.paired ? mloptNvAdd(nv, mloptNvMulInt(nv, number, 2),
                                  mloptNvAndInt(nv, i, 1))
                     : number;
}

MloptNvScope mloptStreamBeginTiles(MloptStreamKernel *g, intptr_t numCarried,
                                   const MlirValue *start,
                                   MlirValue *outCarried) {
  MloptNv *nv = &g->nv;
  int64_t perUnit = g->s.paired ? 2 : 1;
  int64_t units = mloptStreamTiles(&g->p, &g->s) / perUnit;
  int64_t blocks = mloptStreamBlocks(&g->p, &g->s);
  MlirValue more =
      mloptBuildCmpI(nv->b, "ult", g->number, mloptNvInt(nv, units % blocks));
  MlirValue turns = mloptNvMulInt(
      nv, mloptNvAddInt(nv, mloptNvToInt(nv, more), units / blocks), perUnit);
  MlirValue turn;
  MloptNvScope scope =
      mloptNvBeginFor(nv, mloptNvInt(nv, 0), turns, mloptNvInt(nv, 1),
                      numCarried, start, &turn, outCarried);
  locate(g, numberOf(g, turn));
  return scope;
}
