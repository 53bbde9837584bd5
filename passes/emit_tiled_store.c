//===- emit_tiled_store.c - From staged sums to the results ---------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The threads walk over the tile in rows of n, a vector each at a time. What
// the program does with an element of the product is evaluated for each element
// of the vector, with the staged sum in the product's place; what else it reads
// comes in vectors where it lies so (nv_tile.h).
//
//===----------------------------------------------------------------------===//

#include "emit_tiled_impl.h"
#include "nv_tile.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"

typedef struct Store {
  MloptTile tile; ///< first: what a pull emitter's hooks get
  MloptTiled *g;
  MlirType product; ///< the product's type
  int64_t vector;   ///< elements
  MlirValue sums[MLOPT_MAX_LANES];
} Store;

static int64_t bytesOf(MlirType element) {
  return mloptElementWidth(mloptPullMemoryType(element)) / 8;
}

/// The pull emitter asks for the product: it is the vector's sum.
static bool readSum(void *userData, MlirOperation generic,
                    const MlirValue *loops, MlirValue *results) {
  const Store *s = userData;
  if (!mlirOperationEqual(generic, s->g->p.generic))
    return false;
  results[0] = s->sums[s->tile.lane];
  return true;
}

/// The elements that a thread computes at once: 16 bytes of the narrowest
/// result, if rows of the product and of all results are multiples of that.
static int64_t chooseVector(const Store *s) {
  const MloptKernel *kernel = s->g->kernel;
  int64_t most = MLOPT_TILED_PIECE / 2, threads = s->g->threads;
  int64_t widest = 1;
  for (intptr_t i = 0; i < kernel->numRoots; ++i) {
    int64_t bytes =
        bytesOf(mloptElementType(mlirValueGetType(kernel->roots[i].value)));
    widest =
        MLOPT_TILED_PIECE / bytes > widest ? MLOPT_TILED_PIECE / bytes : widest;
  }
  most = widest < most ? widest : most;
  while (most > s->g->s.tile[0] * s->g->s.tile[1] / threads)
    most /= 2;
  for (intptr_t i = -1; i < kernel->numRoots; ++i) {
    MlirType type =
        i < 0 ? s->product : mlirValueGetType(kernel->roots[i].value);
    intptr_t inner = mloptRank(type) - 1;
    while (inner > 0 && mloptDim(type, inner) == 1)
      --inner;
    while (most > 1 && (inner < 0 || mloptDim(type, inner) % most))
      most /= 2;
  }
  return most;
}

/// The staged sums of the vector in this row and column of the tile.
static void readSums(Store *s, MlirValue row, MlirValue column) {
  MloptTiled *g = s->g;
  MloptNv *nv = &g->nv;
  int64_t width = bytesOf(g->p.sum), perPiece = MLOPT_TILED_PIECE / width;
  MlirValue bytes = mloptNvMulInt(nv, column, width);
  MloptTiledPlace place = mloptTiledPlaceAt(
      nv, mloptTiledSumMatrix(g), g->start, row, mloptNvShrInt(nv, bytes, 4),
      mloptNvAndInt(nv, bytes, MLOPT_TILED_PIECE - 1));
  for (int64_t i = 0; i < s->vector; ++i) {
    int64_t offset;
    MlirValue at = mloptTiledAddress(&place, 0, i / perPiece, &offset);
    if (s->vector >= perPiece) {
      if (i % perPiece == 0)
        mloptNvLoadShared(nv, at, offset, g->p.sum, &s->sums[i]);
      continue;
    }
    at = mloptNvAddInt(nv, at, offset + i * width);
    s->sums[i] = mloptBuildUnary(
        nv->b, "llvm.load",
        mloptBuildUnary(nv->b, "llvm.inttoptr", at, nv->sharedPointer),
        g->p.sum);
  }
}

/// Where the product's dimensions stand at these indices of m and n.
static void productIndices(Store *s, MlirValue m, MlirValue n,
                           MlirValue *outIndices) {
  MloptTiled *g = s->g;
  MlirValue loops[MLOPT_MAX_LOOPS_OF_PRODUCT];
  memcpy(loops, g->batchLoops, sizeof loops);
  mloptTiledSplit(g, MLOPT_AXIS_M, m, loops);
  mloptTiledSplit(g, MLOPT_AXIS_N, n, loops);
  MlirAffineMap map = mlirAffineMapAttrGetValue(
      mlirArrayAttrGetElement(mloptAttr(g->p.generic, "indexing_maps"), 2));
  for (intptr_t d = 0, r = mlirAffineMapGetNumResults(map); d < r; ++d)
    outIndices[d] =
        loops[mlirAffineDimExprGetPosition(mlirAffineMapGetResult(map, d))];
}

static bool sameShape(MlirType a, MlirType b) {
  return mlirTypeEqual(mloptWithElementType(a, mloptElementType(b)), b);
}

/// Computes and stores the vector at m and n for one result.
static void storeRoot(Store *s, const MloptRoot *root, const MlirValue *indices,
                      MlirValue position) {
  MlirType type = mlirValueGetType(root->value);
  MloptVector vector;
  MlirValue elements[MLOPT_MAX_LANES];
  s->tile.space = type;
  if (sameShape(type, s->product))
    mloptTileVectorFrom(&s->tile, indices, position, (int)s->vector, &vector);
  else
    mloptTileVectorAt(&s->tile, position, (int)s->vector, &vector);
  mloptTileEvaluate(&s->tile, &vector, root->value, elements);
  mloptTileStore(&s->tile, &vector, root->pointer, elements);
}

static void storeVector(Store *s, MlirValue number) {
  MloptTiled *g = s->g;
  MloptNv *nv = &g->nv;
  int64_t line = g->s.tile[1] / s->vector;
  MlirValue row = mloptNvDivInt(nv, number, line);
  MlirValue column =
      mloptNvMulInt(nv, mloptNvRemInt(nv, number, line), s->vector);
  MlirValue m = mloptTiledAdd(g, g->tileM, mloptTiledToIndex(g, row));
  MlirValue n = mloptTiledAdd(g, g->tileN, mloptTiledToIndex(g, column));
  MlirValue inside = {NULL};
  int64_t sizeM = g->p.axes[MLOPT_AXIS_M].size;
  int64_t sizeN = g->p.axes[MLOPT_AXIS_N].size;
  if (sizeM % g->s.tile[0])
    inside = mloptTiledBelow(g, m, sizeM);
  if (sizeN % g->s.tile[1])
    inside = mloptTiledAnd(g, inside, mloptTiledBelow(g, n, sizeN));
  MloptPullScope scope;
  bool isGuarded = !mlirValueIsNull(inside);
  if (isGuarded)
    scope = mloptPullBeginBranch(g->pull);
  mloptTileEnter(&s->tile);
  readSums(s, row, column);
  MlirValue indices[MLOPT_MAX_RANK];
  productIndices(s, m, n, indices);
  MlirValue position = mloptPullLinearize(g->pull, s->product, indices);
  for (intptr_t i = 0; i < g->kernel->numRoots; ++i)
    storeRoot(s, &g->kernel->roots[i], indices, position);
  if (!isGuarded)
    return;
  mloptPullEndBranch(g->pull, &scope, 0, NULL);
  MloptPullScope otherwise = mloptPullBeginBranch(g->pull);
  mloptPullEndBranch(g->pull, &otherwise, 0, NULL);
  mloptPullBuildIf(g->pull, inside, scope, otherwise, 0, NULL, NULL);
}

void mloptTiledStoreTile(MloptTiled *g) {
  MloptNv *nv = &g->nv;
  MloptPull *pull = g->pull;
  Store s = {.g = g,
             .tile = {.pull = pull},
             .product = mloptResultType(g->p.generic, 0)};
  s.vector = chooseVector(&s);
  mloptPullSetHooks(pull, (MloptPullHooks){.load = mloptTileLoad,
                                           .reduce = readSum,
                                           .userData = &s});
  int64_t count = g->s.tile[0] * g->s.tile[1] / s.vector / g->threads;
  MlirValue turn;
  MloptPullScope loop = mloptPullBeginFor(pull, 0, NULL, &turn, NULL);
  MlirValue number = mloptNvAdd(
      nv, g->thread, mloptNvMulInt(nv, mloptTiledToInt(g, turn), g->threads));
  storeVector(&s, number);
  mloptPullEndFor(pull, loop, mloptPullIndex(pull, 0),
                  mloptPullIndex(pull, count), mloptPullIndex(pull, 1), 0, NULL,
                  NULL, NULL);
  mloptTileDestroy(&s.tile);
}
