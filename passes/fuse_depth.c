//===- fuse_depth.c - Long products of few tiles become many short ones ---===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product whose tiles are fewer than multiprocessors leaves most of the GPU
// idle. Where its contracted dimension is long, it is cut into pieces, a batch
// of products whose sums another kernel adds, together with what follows them:
//
//   %r = mlopt.dot %x, %w contract [1] x [1]
//        : (tensor<256x16384xbf16>, tensor<256x16384xbf16>)
//        -> tensor<256x256xbf16>
// becomes
//   %a = mlopt.reshape %x : ... -> tensor<256x8x2048xbf16>, %b likewise
//   %p = mlopt.dot %a, %b batch [1] x [1] contract [2] x [2]
//        : (...) -> tensor<8x256x256xf32>
//   %s = mlopt.reduce add %p dims [0] : (...) -> tensor<256x256xf32>
//   %r = mlopt.convert %s
//
// Blocks of a cluster that share a tile's k (schedule_matmul.c) need no second
// kernel, but are at most eight, and meet. The cost model of tiles decides.
//
// Products that share a factor are one kernel, whose tiles are many though
// those of each are few. So the model is asked for all of them together, and
// they are cut alike, with one reshape of that factor, or not at all.
//
//===----------------------------------------------------------------------===//

#include "fuse.h"
#include "fuse_stream.h"
#include "match.h"
#include "schedule_matmul.h"

#include <stdlib.h>

static const char *const batchOf[] = {"lhs_batch", "rhs_batch"};
static const char *const contractOf[] = {"lhs_contract", "rhs_contract"};

/// Products of narrower sides are bound by reading one factor, which other
/// kernels do (schedule_tiled.c).
enum { MOST_PIECES = 32, ROW_BYTES = 16, LEAST_SIDE = 33 };

/// A product whose factors are of 16 bits.
typedef struct Depth {
  MlirOperation dot;
  int64_t place[2]; ///< the contracted dimension of each factor
  int64_t rows[2];  ///< indices of each factor's free dimensions
  int64_t batches, size;
  int64_t bytes; ///< of an element
  bool canCut;
} Depth;

/// Products that one kernel computes if they stay whole: the first, and those
/// that share its factor 1 - `side` and follow from none of them.
typedef struct Group {
  int count, side;
  Depth at[MLOPT_MAX_LISTED];
} Group;

/// Whether sums are formed in f32, in any order.
static bool sumsInF32(MlirOperation dot) {
  MlirAttribute accumulate = mloptAttr(dot, "accumulate");
  MlirType result = mloptElementType(mloptResultType(dot, 0));
  bool isF32 = mlirAttributeIsNull(accumulate)
                   ? mloptIsHalf(result) || mlirTypeIsAF32(result)
                   : mlirTypeIsAF32(mlirTypeAttrGetValue(accumulate));
  return isF32 && mloptGetNumerics(dot) != MLOPT_NUMERICS_STRICT;
}

static bool readDepth(MlirOperation dot, Depth *d) {
  *d = (Depth){.dot = dot, .batches = 1};
  for (intptr_t side = 0; side < 2; ++side) {
    MlirType type = mloptOperandType(dot, side);
    MloptInts batch = mloptGetInts(dot, batchOf[side]);
    MloptInts contract = mloptGetInts(dot, contractOf[side]);
    if (!mloptIsStatic(type) || !mloptNumElements(type) ||
        contract.count != 1 || !mloptIsHalf(mloptElementType(type)))
      return false;
    d->place[side] = contract.at[0];
    d->size = mloptDim(type, contract.at[0]);
    d->batches = mloptFuseSizeOf(type, &batch);
    d->rows[side] = mloptNumElements(type) / d->size / d->batches;
    d->bytes = mloptElementWidth(mloptElementType(type)) / 8;
    d->canCut = (!side || d->canCut) && mloptRank(type) < MLOPT_MAX_RANK &&
                d->rows[side] >= LEAST_SIDE;
  }
  d->canCut &= mloptRank(mloptResultType(dot, 0)) < MLOPT_MAX_RANK;
  return mlirTypeEqual(mloptElementType(mloptOperandType(dot, 0)),
                       mloptElementType(mloptOperandType(dot, 1))) &&
         sumsInF32(dot);
}

static bool runsAlong(const Depth *d, int side) {
  return d->place[side] == mloptRank(mloptOperandType(d->dot, side)) - 1;
}

/// The factor as tensor maps of so many pieces describe it: how far its rows
/// and its pieces are apart.
static MloptMatrix matrixOf(const Depth *d, int side, int64_t pieces) {
  MlirType type = mloptOperandType(d->dot, side);
  int64_t row = mloptDim(type, mloptRank(type) - 1);
  bool alongK = runsAlong(d, side);
  MloptMatrix m = {.type = type, .isKMajor = alongK, .rank = 3};
  m.dims[1].stride = row;
  m.dims[2].stride = d->size / pieces * (alongK ? 1 : row);
  return m;
}

static bool isReached(const MloptMatrix *m, int64_t bytes) {
  return m->dims[1].stride * bytes % ROW_BYTES == 0 &&
         m->dims[2].stride * bytes % ROW_BYTES == 0;
}

/// Whether tiles hold the products side by side, not as a list.
static bool areAlike(const Group *g) {
  for (int i = 1; i < g->count; ++i)
    if (!mlirTypeEqual(mloptOperandType(g->at[i].dot, g->side),
                       mloptOperandType(g->at[0].dot, g->side)) ||
        !mlirTypeEqual(mloptResultType(g->at[i].dot, 0),
                       mloptResultType(g->at[0].dot, 0)))
      return false;
  return g->count <= MLOPT_MAX_PRODUCTS;
}

/// Cycles of one kernel of the products in so many pieces, without adding them
/// up; 0 if TMA does not take them.
static int64_t cyclesOf(const Group *g, int64_t pieces) {
  bool alike = areAlike(g);
  MloptContractions list = {.count = alike ? 1 : g->count};
  // The factor that products side by side share is A.
  int a = alike ? 1 - g->side : 0, b = 1 - a;
  for (int i = 0; i < list.count; ++i) {
    const Depth *d = &g->at[i];
    MloptContraction *c = &list.at[i];
    *c = (MloptContraction){.numProducts = alike ? g->count : 1,
                            .isPlain = true,
                            .sizes = {d->batches * pieces, d->rows[a],
                                      d->rows[b], d->size / pieces},
                            .run = d->size / pieces,
                            .a = matrixOf(d, a, pieces),
                            .b = matrixOf(d, b, pieces)};
    if (!isReached(&c->a, d->bytes) || !isReached(&c->b, d->bytes))
      return 0;
  }
  return mloptMatmulListCycles(&list);
}

/// Cycles until the pieces are added up by other kernels: their launches, and
/// writing and reading them, measured.
static int64_t addCycles(const Group *g, int64_t pieces) {
  enum { LAUNCH_CYCLES = 3000, BYTES_PER_CYCLE = 1700, SUM_BYTES = 4 };
  int64_t elements = 0;
  for (int i = 0; i < g->count; ++i)
    elements += g->at[i].batches * g->at[i].rows[0] * g->at[i].rows[1];
  int64_t bytes = elements * pieces * SUM_BYTES;
  return g->count * LAUNCH_CYCLES + 2 * bytes / BYTES_PER_CYCLE;
}

/// How many pieces are fastest; 1 if the products stay whole, as they do beside
/// one that cannot be cut.
static int64_t choosePieces(const Group *g) {
  enum { GAIN = 20 }; // one in so many, for what the model does not know
  for (int i = 0; i < g->count; ++i)
    if (!g->at[i].canCut)
      return 1;
  int64_t whole = cyclesOf(g, 1), best = whole - whole / GAIN, pieces = 1;
  for (int64_t i = 2; whole && i <= MOST_PIECES; ++i) {
    if (g->at[0].size % i)
      continue;
    int64_t cycles = cyclesOf(g, i);
    if (!cycles || cycles + addCycles(g, i) >= best)
      continue;
    best = cycles + addCycles(g, i);
    pieces = i;
  }
  return pieces;
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

/// A factor with its contracted dimension as two: pieces, and within one.
static MlirValue cutFactor(const Depth *d, MloptBuilder *b, int side,
                           int64_t pieces) {
  MlirType type = mloptOperandType(d->dot, side);
  int64_t shape[MLOPT_MAX_RANK + 1];
  intptr_t rank = mloptShape(type, shape), place = d->place[side];
  memmove(shape + place + 2, shape + place + 1,
          (size_t)(rank - place - 1) * sizeof *shape);
  shape[place] = pieces;
  shape[place + 1] = d->size / pieces;
  return mloptBuildUnary(
      b, mloptOp_reshape.name, mloptOperand(d->dot, side),
      mloptTensorType(rank + 1, shape, mloptElementType(type)));
}

/// The products of the pieces: f32, the pieces first. `shared` is the factor
/// that others of the group read, once cut.
static MlirOperation buildPieces(const Depth *d, MloptBuilder *b,
                                 int64_t pieces, int side, MlirValue *shared) {
  if (mlirValueIsNull(*shared))
    *shared = cutFactor(d, b, 1 - side, pieces);
  MlirOperation all = mlirOperationClone(d->dot);
  mlirOperationSetOperand(all, 1 - side, *shared);
  mlirOperationSetOperand(all, side, cutFactor(d, b, side, pieces));
  for (int s = 0; s < 2; ++s) {
    MloptInts batch = mloptGetInts(all, batchOf[s]);
    MloptInts contract = {.count = 1, .at = {d->place[s] + 1}};
    MloptInts moved = {.count = batch.count + 1, .at = {d->place[s]}};
    for (intptr_t i = 0; i < batch.count; ++i)
      moved.at[i + 1] = batch.at[i] + (batch.at[i] > d->place[s]);
    mloptSetInts(all, batchOf[s], &moved);
    mloptSetInts(all, contractOf[s], &contract);
  }
  MlirType result = mloptResultType(d->dot, 0);
  int64_t shape[MLOPT_MAX_RANK + 1] = {pieces};
  intptr_t rank = mloptShape(result, shape + 1);
  mlirValueSetType(
      mloptResult(all, 0),
      mloptTensorType(rank + 1, shape, mlirF32TypeGet(b->context)));
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(d->dot), d->dot,
                                      all);
  return all;
}

/// The sum of all pieces.
static MlirValue addPieces(const Depth *d, MloptBuilder *b, MlirValue all,
                           MlirType result) {
  const int64_t first = 0;
  MlirContext c = b->context;
  MlirNamedAttribute attrs[] = {
      mloptNamedAttr(c, "kind", mloptStrAttr(c, "add")),
      mloptNamedAttr(c, "dims", mloptI64Array(c, 1, &first)),
      mloptNamedAttr(c, "numerics", mloptAttr(d->dot, "numerics")),
  };
  bool hasMode = !mlirAttributeIsNull(attrs[2].attribute);
  MlirRegion none = mlirRegionCreate();
  return mloptBuildValue(b, (MloptOpSpec){.name = mloptOp_reduce.name,
                                          .numOperands = 1,
                                          .operands = &all,
                                          .numResults = 1,
                                          .results = &result,
                                          .numAttrs = 2 + hasMode,
                                          .attrs = attrs,
                                          .numRegions = 1,
                                          .regions = &none});
}

static void cutDot(const Depth *d, int64_t pieces, int side,
                   MlirValue *shared) {
  MlirOperation dot = d->dot;
  MloptBuilder b = mloptBuilderBefore(dot, mlirOperationGetLocation(dot));
  MlirOperation all = buildPieces(d, &b, pieces, side, shared);
  MlirType result = mloptResultType(dot, 0);
  int64_t shape[MLOPT_MAX_RANK];
  intptr_t rank = mloptShape(result, shape);
  MlirValue sum =
      addPieces(d, &b, mloptResult(all, 0),
                mloptTensorType(rank, shape, mlirF32TypeGet(b.context)));
  if (!mlirTypeIsAF32(mloptElementType(result)))
    sum = mloptBuildUnary(&b, mloptOp_convert.name, sum, result);
  if (b.failed)
    return;
  mlirValueReplaceAllUsesOfWith(mloptResult(dot, 0), sum);
  mlirOperationDestroy(dot);
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// The dots of a block that are not yet decided on.
typedef struct Block {
  MloptFuseGraph graph;
  bool *isOpen;  ///< of each node
  bool *follows; ///< and whether it follows from one of a group
} Block;

static void drop(Block *b, MlirOperation dot) {
  int node = mloptFuseGraphFind(&b->graph, mloptResult(dot, 0));
  if (node >= 0)
    b->isOpen[node] = false;
}

/// Dots that stay as they are: in a kernel with a softmax between two, or apart
/// from others.
static void findOpen(Block *b) {
  for (int i = 0; i < b->graph.count; ++i) {
    const MloptFuseNode *node = &b->graph.nodes[i];
    Depth d;
    MloptFuseStream stream;
    b->isOpen[i] = mloptIsA(node->op, &mloptOp_dot) && readDepth(node->op, &d);
    if (!b->isOpen[i] ||
        mloptFuseMatchStream(node->op, &stream) != MLOPT_FUSE_FUSED)
      continue;
    drop(b, stream.first);
    drop(b, node->op);
  }
}

static bool followsGroup(const Block *b, const MloptFuseNode *node) {
  for (int o = 0; o < node->numOperands; ++o)
    if (node->operands[o] >= 0 && b->follows[node->operands[o]])
      return true;
  return false;
}

/// The group of a dot that others follow from, with those that share its factor
/// 1 - `side`.
static Group gather(Block *b, int first, int side) {
  Group g = {.count = 1, .side = side};
  const MloptFuseNode *nodes = b->graph.nodes;
  readDepth(nodes[first].op, &g.at[0]);
  memset(b->follows, 0, (size_t)b->graph.count * sizeof *b->follows);
  b->follows[first] = true;
  for (int i = first + 1; i < b->graph.count; ++i) {
    b->follows[i] = followsGroup(b, &nodes[i]);
    if (b->follows[i] || !b->isOpen[i] || g.count == MLOPT_MAX_LISTED ||
        nodes[first].apart || nodes[i].apart ||
        !mloptFuseShareFactor(nodes[first].op, nodes[i].op, side))
      continue;
    b->follows[i] = true;
    readDepth(nodes[i].op, &g.at[g.count++]);
  }
  return g;
}

static void decide(Block *b, int first) {
  Group left = gather(b, first, 1), right = gather(b, first, 0);
  const Group *g = right.count > left.count ? &right : &left;
  int64_t pieces = choosePieces(g);
  MlirValue shared = {NULL};
  for (int i = 0; i < g->count; ++i) {
    drop(b, g->at[i].dot);
    if (pieces > 1)
      cutDot(&g->at[i], pieces, g->side, &shared);
  }
}

bool mloptFuseCutDepth(MlirBlock block) {
  Block b = {0};
  bool done = mloptFuseGraphCreate(block, true, &b.graph);
  b.isOpen = calloc((size_t)b.graph.count + 1, sizeof *b.isOpen);
  b.follows = calloc((size_t)b.graph.count + 1, sizeof *b.follows);
  done = done && b.isOpen && b.follows;
  if (done)
    findOpen(&b);
  for (int i = 0; done && i < b.graph.count; ++i)
    if (b.isOpen[i])
      decide(&b, i);
  free(b.isOpen);
  free(b.follows);
  mloptFuseGraphDestroy(&b.graph);
  return done;
}
