//===- emit_tiled_compute.c - Factors computed on the way -----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A factor may be what the program computes of a tensor in memory, its source
// (prologue.h): weights of eight bits, converted and scaled. Vectors of the
// source are loaded like those of any factor, and each element is evaluated
// where the loops stand at it, rounded as written:
//
//   words of the source -> elements -> the program's code -> words of the
//   factor
//
// What else that code reads is the same for all of a row, or for a run of k. Of
// a row, it is read once, before the first step.
//
// Where both factors run along k, stages hold the source, and lanes compute
// their part of the fragments of mma.sync, whose k may come in any order that
// both factors share: of 64 elements of bytes, lane t of four has
//
//   source: | t = 0: 0..15 | 1: 16..31 | 2: 32..47 | 3: 48..63 |   16 bytes
//   other:  the same elements                                      32 bytes
//
// and elements 4s, 4s+1 and 4s+2, 4s+3 are what product s counts as k = 2t,
// 2t+1 and 2t+8, 2t+9. Else they go through registers, and stages hold the
// factor.
//
//===----------------------------------------------------------------------===//

#include "emit_tiled_impl.h"

/// What the pull emitter's hook gets.
typedef struct Source {
  MloptTiled *g;
  MlirValue tensor, element;
} Source;

static bool sameIndices(const MloptTiledShared *a, intptr_t rank,
                        const MlirValue *indices) {
  for (intptr_t d = 0; d < rank; ++d)
    if (!mlirValueEqual(a->indices[d], indices[d]))
      return false;
  return true;
}

/// The source's element, or what is known already; else loads it.
static MlirValue load(void *userData, MlirValue tensor, MlirValue pointer,
                      const MlirValue *indices) {
  const Source *source = userData;
  MloptTiled *g = source->g;
  MlirType type = mlirValueGetType(tensor);
  intptr_t rank = mloptRank(type);
  if (mlirValueEqual(tensor, source->tensor))
    return source->element;
  for (int i = 0; i < g->numShared; ++i)
    if (mlirValueEqual(g->shared[i].tensor, tensor) &&
        sameIndices(&g->shared[i], rank, indices))
      return g->shared[i].element;
  MlirValue element = mloptPullLoad(g->pull, pointer, type, indices);
  if (g->numShared < MLOPT_TILED_MAX_SHARED) {
    MloptTiledShared *known = &g->shared[g->numShared++];
    *known = (MloptTiledShared){.tensor = tensor, .element = element};
    memcpy(known->indices, indices, (size_t)rank * sizeof *indices);
  }
  return element;
}

static MlirValue evaluate(MloptTiled *g, const MloptTiledFactor *f,
                          const MlirValue *loops, MlirValue element) {
  Source source = {g, f->source->tensor, element};
  mloptPullSetHooks(g->pull,
                    (MloptPullHooks){.load = load, .userData = &source});
  MlirValue computed =
      mloptPullGenericOperand(g->pull, g->p.generic, f->factor->operand, loops);
  mloptPullSetHooks(g->pull, (MloptPullHooks){.load = NULL});
  return computed;
}

/// An index that may be beyond an axis, or the last from which `count` are
/// inside.
static MlirValue keepInside(MloptTiled *g, MlirValue index, MloptAxis axis,
                            int64_t count) {
  int64_t last = g->p.axes[axis].size - count;
  return mloptBuildBinary(g->nv.b, "arith.minui", index,
                          mloptPullIndex(g->pull, last > 0 ? last : 0));
}

/// The loops of element `e` of vector `i`, whose tile starts at `k`. A run's
/// elements differ in one loop, if that is a multiple of it.
static void placeElement(MloptTiled *g, const MloptTiledFactor *f, int i,
                         int64_t e, MlirValue k, MlirValue *loops) {
  MloptAxis axis = f->alongK ? MLOPT_AXIS_K : f->axis;
  intptr_t inner = mloptInnerLoop(&g->p, axis);
  int64_t inRun = e % f->run;
  bool isShared = inner >= 0 && g->p.sizes[inner] % f->run == 0;
  if (inRun && isShared) {
    loops[inner] = mloptTiledAddInt(g, loops[inner], 1);
    return;
  }
  MlirValue depth = mloptTiledAdd(g, k, f->firstDepth);
  depth = mloptTiledAddInt(g, depth, f->alongK ? e : i * f->step);
  memcpy(loops, f->vectors[i].loops, sizeof f->vectors[i].loops);
  if (!f->alongK) {
    MlirValue tile = f->axis == MLOPT_AXIS_M ? g->tileM : g->tileN;
    MlirValue row = mloptTiledAddInt(g, mloptTiledAdd(g, tile, f->firstRow), e);
    mloptTiledSplit(g, f->axis,
                    keepInside(g, row, f->axis, isShared ? f->run : 1), loops);
  }
  mloptTiledSplit(
      g, MLOPT_AXIS_K,
      keepInside(g, depth, MLOPT_AXIS_K, f->alongK && isShared ? f->run : 1),
      loops);
}

void mloptTiledCompute(MloptTiled *g, const MloptTiledFactor *f, int i,
                       MlirValue k, MlirValue *elements) {
  MlirValue loops[MLOPT_MAX_LOOPS_OF_PRODUCT];
  MloptPullMark mark = mloptPullMark(g->pull);
  int numShared = g->numShared;
  int64_t size = g->p.axes[MLOPT_AXIS_K].size;
  MlirValue depth = mloptTiledAdd(g, k, f->firstDepth), inside = {NULL};
  for (int64_t e = 0; e < f->vector; ++e) {
    placeElement(g, f, i, e, k, loops);
    elements[e] = evaluate(g, f, loops, elements[e]);
    // Zeros of the source may be something else by now.
    if (size % f->depth == 0)
      continue;
    if (!f->alongK || e % f->run == 0)
      inside = mloptTiledBelow(
          g, mloptTiledAddInt(g, depth, f->alongK ? e : i * f->step), size);
    elements[e] = mloptBuildSelect(
        g->nv.b, inside, elements[e],
        mloptBuildFloat(g->nv.b, mlirValueGetType(elements[e]), 0));
  }
  mloptPullReset(g->pull, mark);
  g->numShared = numShared;
}

/// Reads what elements of a row share.
static void shareRows(MloptTiled *g, const MloptTiledFactor *f) {
  MlirValue loops[MLOPT_MAX_LOOPS_OF_PRODUCT];
  MlirValue zero = mloptPullPoison(g->pull, f->factor->read);
  for (int i = 0; i < f->count; ++i) {
    placeElement(g, f, i, 0, mloptPullIndex(g->pull, 0), loops);
    evaluate(g, f, loops, zero);
  }
}

//===----------------------------------------------------------------------===//
// Products of a source in shared memory
//===----------------------------------------------------------------------===//

enum { EIGHT = 8, QUAD = 4, FRAGMENT = 4, DEPTH = 16, MOST_BLOCKS = 8 };

/// The rows of a warp, eight at a time, as lanes have them in fragments.
typedef MlirValue Blocks[MOST_BLOCKS][MLOPT_TILED_MAX_WORDS];

static MlirValue firstRow(MloptTiled *g, int factor) {
  MloptNv *nv = &g->nv;
  MlirValue warp = factor ? g->warpN : g->warpM;
  return mloptNvAdd(nv, mloptNvMulInt(nv, warp, g->s.warp[factor]),
                    mloptNvDivInt(nv, g->lane, QUAD));
}

static MlirValue firstDepth(MloptTiled *g) {
  MloptNv *nv = &g->nv;
  MlirValue ofLane = mloptNvMulInt(nv, mloptNvAndInt(nv, g->lane, QUAD - 1),
                                   mloptTiledLane(&g->p));
  return mloptNvAdd(nv, mloptNvMulInt(nv, g->group, g->s.tile[2] / g->s.groups),
                    ofLane);
}

void mloptTiledSetUpComputed(MloptTiled *g) {
  for (int i = 0; i < 2; ++i) {
    const MloptTiledFactor *f = &g->factors[i];
    if (!f->factor->isComputed)
      continue;
    if (mloptTiledIsDirect(&g->s) || !mloptTiledKeepsSource(&g->p, &g->s)) {
      if (f->alongK)
        shareRows(g, f);
      continue;
    }
    g->computed = *f;
    g->computed.firstRow = mloptTiledToIndex(g, firstRow(g, i));
    g->computed.firstDepth = mloptTiledToIndex(g, firstDepth(g));
    g->computed.step = EIGHT;
    g->computed.count = (int)(g->s.warp[i] / EIGHT);
    g->computed.vector = mloptTiledLane(&g->p);
    mloptTiledPlaceRows(g, &g->computed);
    shareRows(g, &g->computed);
  }
}

/// Where the lane's elements of a factor start in a stage.
static MloptTiledPlace placeLane(MloptTiled *g, int factor, MlirValue slot) {
  MloptNv *nv = &g->nv;
  const MloptTiledFactor *f = &g->factors[factor];
  MlirValue bytes =
      mloptNvMulInt(nv, firstDepth(g), mloptElementWidth(f->stored) / 8);
  return mloptTiledPlaceAt(nv, f->matrix, mloptNvAdd(nv, f->start, slot),
                           firstRow(g, factor), mloptNvShrInt(nv, bytes, 4),
                           mloptNvAndInt(nv, bytes, MLOPT_TILED_PIECE - 1));
}

/// The lane's elements of a chunk that starts `depth` behind its first, in rows
/// `block` times eight further: those of a stage, in words.
static void loadLane(MloptTiled *g, int factor, const MloptTiledPlace *place,
                     int64_t block, int64_t depth, MlirValue *words) {
  int64_t bytes = mloptElementWidth(g->factors[factor].stored) / 8;
  int64_t piece = depth * bytes / MLOPT_TILED_PIECE;
  int64_t left = mloptTiledLane(&g->p) * bytes, offset;
  for (; left > 0; left -= MLOPT_TILED_PIECE, ++piece, words += 4) {
    MlirValue at = mloptTiledAddress(place, block * EIGHT, piece, &offset);
    int count = left < MLOPT_TILED_PIECE ? (int)left / 4 : 4;
    mloptNvLoadSharedSome(&g->nv, at, offset, g->nv.i32, count, words);
  }
}

/// The fragments' words of a chunk of k.
static void loadBlocks(MloptTiled *g, int factor, const MloptTiledPlace *place,
                       int64_t depth, MlirValue k, Blocks out) {
  bool isComputed = g->factors[factor].factor->isComputed;
  MloptTiledLoaded loaded = {.k = mloptTiledAddInt(g, k, depth)};
  for (int64_t i = 0; i < g->s.warp[factor] / EIGHT; ++i) {
    loadLane(g, factor, place, i, depth, isComputed ? loaded.words[i] : out[i]);
    if (isComputed)
      mloptTiledSettle(g, &g->computed, &loaded, (int)i, out[i]);
  }
}

void mloptTiledMultiplyComputed(MloptTiled *g, MlirValue slot, MlirValue k) {
  const char *element =
      mlirTypeIsABF16(g->p.factors[0].element) ? "bf16" : "f16";
  int longer = mloptTiledRowFactor(g);
  int64_t lane = mloptTiledLane(&g->p);
  int64_t rows = g->s.warp[longer] / (2 * EIGHT);
  int64_t columns = g->s.warp[!longer] / EIGHT;
  MloptTiledPlace places[] = {placeLane(g, 0, slot), placeLane(g, 1, slot)};
  Blocks a, b;
  for (int64_t depth = 0; depth < g->s.tile[2] / g->s.groups;
       depth += QUAD * lane) {
    loadBlocks(g, !longer, &places[!longer], depth, k, b);
    loadBlocks(g, longer, &places[longer], depth, k, a);
    for (int64_t w = 0; w < lane / 2; w += 2)
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j) {
          const MlirValue block[] = {a[2 * i][w], a[2 * i + 1][w],
                                     a[2 * i][w + 1], a[2 * i + 1][w + 1]};
          mloptNvMmaWarp(&g->nv, element, block, &b[j][w],
                         &g->sums[(i * columns + j) * FRAGMENT]);
        }
  }
}
