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

#include "affine.h"
#include "nv_tile.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"

typedef struct Store {
  MloptTile tile; ///< first: what a pull emitter's hooks get
  MloptTiled *g;
  MlirType product; ///< the product's type
  MlirType outer;   ///< without its last dimensions, which are loops of n
  MlirType inner;   ///< these alone
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

static intptr_t loopOf(const Store *s, intptr_t dim) {
  MlirAffineMap map = mloptIndexingMap(s->g->p.generic, 2);
  return mlirAffineDimExprGetPosition(mlirAffineMapGetResult(map, dim));
}

static bool isOfN(const Store *s, intptr_t loop) {
  const MloptLoops *loops = &s->g->p.axes[MLOPT_AXIS_N];
  for (intptr_t i = 0; i < loops->count; ++i)
    if (loops->at[i] == loop)
      return true;
  return s->g->p.sizes[loop] == 1;
}

/// Cuts the product's shape where its last dimensions are of n.
static void splitShape(Store *s) {
  int64_t shape[MLOPT_MAX_RANK];
  intptr_t rank = mloptShape(s->product, shape), outer = rank;
  MlirType element = mloptElementType(s->product);
  while (outer > 0 && isOfN(s, loopOf(s, outer - 1)))
    --outer;
  s->outer = mloptTensorType(outer, shape, element);
  s->inner = mloptTensorType(rank - outer, shape + outer, element);
}

/// The elements that a thread computes at once: 16 bytes of the narrowest
/// result, eight at most, if rows are a multiple of that.
static int64_t chooseVector(const Store *s) {
  const MloptKernel *kernel = s->g->kernel;
  int64_t most = 1, area = s->g->s.tile[0] * s->g->s.tile[1];
  for (intptr_t i = 0; i < kernel->numRoots; ++i) {
    MlirType type = mlirValueGetType(kernel->roots[i].value);
    int64_t count = MLOPT_TILED_PIECE / bytesOf(mloptElementType(type));
    most = count > most ? count : most;
  }
  while (most > 8 || (most > 1 && most * s->g->threads > area) ||
         mloptNumElements(s->inner) % most)
    most /= 2;
  return most;
}

/// Sums from an address and an offset on, 16 bytes of them or one: those of all
/// blocks of the cluster.
static void loadSums(Store *s, MlirValue at, int64_t offset, bool isWhole,
                     MlirValue *out) {
  MloptTiled *g = s->g;
  MloptNv *nv = &g->nv;
  const char *add = mloptIsFloatElement(g->p.sum) ? "arith.addf" : "arith.addi";
  for (int64_t rank = 0; rank < g->s.splits; ++rank) {
    MlirValue part[MLOPT_TILED_PIECE / 4];
    MlirValue there = mloptNvRemoteAddress(nv, at, mloptNvInt(nv, rank));
    int count = mloptNvLoadRemote(nv, there, offset, g->p.sum, isWhole,
                                  rank ? part : out);
    for (int i = 0; rank && i < count; ++i)
      out[i] = mloptBuildBinary(nv->b, add, out[i], part[i]);
  }
}

/// The staged sums of the vector in this row and column of the tile.
static void readSums(Store *s, MlirValue row, MlirValue column) {
  MloptTiled *g = s->g;
  MloptNv *nv = &g->nv;
  int64_t width = bytesOf(g->p.sum), perPiece = MLOPT_TILED_PIECE / width;
  bool isWhole = s->vector >= perPiece;
  MlirValue bytes = mloptNvMulInt(nv, column, width);
  MloptTiledPlace place = mloptTiledPlaceAt(
      nv, mloptTiledSumMatrix(g), g->start, row, mloptNvShrInt(nv, bytes, 4),
      mloptNvAndInt(nv, bytes, MLOPT_TILED_PIECE - 1));
  for (int64_t i = 0; i < s->vector; i += isWhole ? perPiece : 1) {
    int64_t offset;
    MlirValue at = mloptTiledAddress(&place, 0, i / perPiece, &offset);
    if (!isWhole)
      offset += i * width;
    if (g->s.splits > 1) {
      loadSums(s, at, offset, isWhole, &s->sums[i]);
    } else if (isWhole) {
      mloptNvLoadShared(nv, at, offset, g->p.sum, &s->sums[i]);
    } else {
      at = mloptNvAddInt(nv, at, offset);
      s->sums[i] = mloptBuildUnary(
          nv->b, "llvm.load",
          mloptBuildUnary(nv->b, "llvm.inttoptr", at, nv->sharedPointer),
          g->p.sum);
    }
  }
}

/// The vector from m and n on.
static void openVector(Store *s, MlirValue m, MlirValue n, MloptVector *out) {
  MloptTiled *g = s->g;
  MloptPull *pull = g->pull;
  intptr_t outer = mloptRank(s->outer), rank = mloptRank(s->product);
  MlirValue loops[MLOPT_MAX_LOOPS_OF_PRODUCT], indices[MLOPT_MAX_RANK];
  memcpy(loops, g->batchLoops, sizeof loops);
  mloptTiledSplit(g, MLOPT_AXIS_M, m, loops);
  mloptTiledSplit(g, MLOPT_AXIS_N, n, loops);
  for (intptr_t d = 0; d < rank; ++d)
    indices[d] = loops[loopOf(s, d)];
  int64_t columns = mloptNumElements(s->inner);
  MlirValue column = columns == g->p.axes[MLOPT_AXIS_N].size
                         ? n
                         : mloptPullLinearize(pull, s->inner, indices + outer);
  mloptTileVectorIn(&s->tile, mloptPullLinearize(pull, s->outer, indices),
                    columns, column, (int)s->vector, out);
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
  if (g->s.tile[0] * line < g->threads)
    inside = mloptTiledBelow(g, mloptTiledToIndex(g, row), g->s.tile[0]);
  int64_t sizeM = g->p.axes[MLOPT_AXIS_M].size;
  int64_t sizeN = g->p.axes[MLOPT_AXIS_N].size;
  if (sizeM % g->s.tile[0])
    inside = mloptTiledAnd(g, inside, mloptTiledBelow(g, m, sizeM));
  if (sizeN % g->s.tile[1])
    inside = mloptTiledAnd(g, inside, mloptTiledBelow(g, n, sizeN));
  MloptPullScope scope = mloptPullBeginGuard(g->pull, inside);
  mloptTileEnter(&s->tile);
  readSums(s, row, column);
  MloptVector vector;
  openVector(s, m, n, &vector);
  for (intptr_t i = 0; i < g->kernel->numRoots; ++i) {
    MlirValue elements[MLOPT_MAX_LANES];
    const MloptRoot *root = &g->kernel->roots[i];
    mloptTileEvaluate(&s->tile, &vector, root->value, elements);
    mloptTileStore(&s->tile, &vector, root->pointer, elements);
  }
  mloptPullEndGuard(g->pull, inside, scope);
}

void mloptTiledStoreTile(MloptTiled *g) {
  MloptNv *nv = &g->nv;
  MloptPull *pull = g->pull;
  Store s = {.g = g,
             .tile = {.pull = pull},
             .product = mloptResultType(g->p.generic, 0)};
  splitShape(&s);
  s.vector = chooseVector(&s);
  mloptPullSetHooks(pull, (MloptPullHooks){.load = mloptTileLoad,
                                           .reduce = readSum,
                                           .userData = &s});
  // Several turns at once, so that none waits for the one before.
  enum { ELEMENTS_AT_ONCE = 8 };
  int64_t area = g->s.tile[0] * g->s.tile[1];
  int64_t count = area < g->threads ? 1 : area / s.vector / g->threads;
  int64_t atOnce = ELEMENTS_AT_ONCE / s.vector;
  while (count % atOnce)
    atOnce /= 2;
  MlirValue first = mloptPullIndex(pull, 0), turn;
  if (g->s.splits > 1)
    first = mloptTiledToIndex(g, mloptNvMulInt(nv, g->rank, atOnce));
  MloptPullScope loop = mloptPullBeginFor(pull, 0, NULL, &turn, NULL);
  MlirValue number = mloptNvAdd(
      nv, g->thread, mloptNvMulInt(nv, mloptTiledToInt(g, turn), g->threads));
  for (int64_t i = 0; i < atOnce; ++i)
    storeVector(&s, mloptNvAddInt(nv, number, i * g->threads));
  mloptPullEndFor(pull, loop, first, mloptPullIndex(pull, count),
                  mloptPullIndex(pull, atOnce * g->s.splits), 0, NULL, NULL,
                  NULL);
  mloptTileDestroy(&s.tile);
}
