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
//===----------------------------------------------------------------------===//

#include "fuse.h"
#include "match.h"
#include "schedule_matmul.h"

static const char *const batchOf[] = {"lhs_batch", "rhs_batch"};
static const char *const contractOf[] = {"lhs_contract", "rhs_contract"};

/// Products of narrower sides are bound by reading one factor, which other
/// kernels do (schedule_tiled.c).
enum { MOST_PIECES = 32, ROW_BYTES = 16, LEAST_SIDE = 33 };

/// A product that may be cut.
typedef struct Depth {
  MlirOperation dot;
  int64_t place[2]; ///< the contracted dimension of each factor
  int64_t rows[2];  ///< indices of each factor's free dimensions
  int64_t batches, size;
  int64_t bytes; ///< of an element
} Depth;

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
        contract.count != 1 || !mloptIsHalf(mloptElementType(type)) ||
        mloptRank(type) == MLOPT_MAX_RANK)
      return false;
    d->place[side] = contract.at[0];
    d->size = mloptDim(type, contract.at[0]);
    d->batches = mloptFuseSizeOf(type, &batch);
    d->rows[side] = mloptNumElements(type) / d->size / d->batches;
    d->bytes = mloptElementWidth(mloptElementType(type)) / 8;
  }
  if (d->rows[0] < LEAST_SIDE || d->rows[1] < LEAST_SIDE)
    return false;
  return mlirTypeEqual(mloptElementType(mloptOperandType(dot, 0)),
                       mloptElementType(mloptOperandType(dot, 1))) &&
         mloptRank(mloptResultType(dot, 0)) < MLOPT_MAX_RANK && sumsInF32(dot);
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

/// Cycles of the product in so many pieces, without adding them up; 0 if TMA
/// does not take them.
static int64_t cyclesOf(const Depth *d, int64_t pieces) {
  MloptContraction c = {
      .numProducts = 1,
      .isPlain = true,
      .sizes = {d->batches * pieces, d->rows[0], d->rows[1], d->size / pieces},
      .run = d->size / pieces,
      .a = matrixOf(d, 0, pieces),
      .b = matrixOf(d, 1, pieces)};
  for (int side = 0; side < 2; ++side)
    for (int i = 1; i < 3; ++i)
      if ((side ? c.b : c.a).dims[i].stride * d->bytes % ROW_BYTES)
        return 0;
  return mloptMatmulCycles(&c);
}

/// Cycles until the pieces are added up by another kernel: its launch, and
/// writing and reading them, measured.
static int64_t addCycles(const Depth *d, int64_t pieces) {
  enum { LAUNCH_CYCLES = 3000, BYTES_PER_CYCLE = 1700, SUM_BYTES = 4 };
  int64_t bytes = pieces * d->batches * d->rows[0] * d->rows[1] * SUM_BYTES;
  return LAUNCH_CYCLES + 2 * bytes / BYTES_PER_CYCLE;
}

/// How many pieces are fastest; 1 if the product stays whole.
static int64_t choosePieces(const Depth *d) {
  enum { GAIN = 20 }; // one in so many, for what the model does not know
  int64_t whole = cyclesOf(d, 1), best = whole - whole / GAIN, pieces = 1;
  for (int64_t i = 2; whole && i <= MOST_PIECES; ++i) {
    if (d->size % i)
      continue;
    int64_t cycles = cyclesOf(d, i);
    if (!cycles || cycles + addCycles(d, i) >= best)
      continue;
    best = cycles + addCycles(d, i);
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

/// The products of the pieces: f32, the pieces first.
static MlirOperation buildPieces(const Depth *d, MloptBuilder *b,
                                 int64_t pieces) {
  MlirOperation all = mlirOperationClone(d->dot);
  for (int side = 0; side < 2; ++side) {
    MloptInts batch = mloptGetInts(all, batchOf[side]);
    MloptInts contract = {.count = 1, .at = {d->place[side] + 1}};
    MloptInts moved = {.count = batch.count + 1, .at = {d->place[side]}};
    for (intptr_t i = 0; i < batch.count; ++i)
      moved.at[i + 1] = batch.at[i] + (batch.at[i] > d->place[side]);
    mloptSetInts(all, batchOf[side], &moved);
    mloptSetInts(all, contractOf[side], &contract);
    mlirOperationSetOperand(all, side, cutFactor(d, b, side, pieces));
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

MlirOperation mloptFuseCutDepth(MlirOperation dot) {
  Depth d;
  int64_t pieces = readDepth(dot, &d) ? choosePieces(&d) : 1;
  if (pieces == 1)
    return dot;
  MloptBuilder b = mloptBuilderBefore(dot, mlirOperationGetLocation(dot));
  MlirOperation all = buildPieces(&d, &b, pieces);
  MlirType result = mloptResultType(dot, 0);
  int64_t shape[MLOPT_MAX_RANK];
  intptr_t rank = mloptShape(result, shape);
  MlirValue sum =
      addPieces(&d, &b, mloptResult(all, 0),
                mloptTensorType(rank, shape, mlirF32TypeGet(b.context)));
  if (!mlirTypeIsAF32(mloptElementType(result)))
    sum = mloptBuildUnary(&b, mloptOp_convert.name, sum, result);
  if (b.failed)
    return dot;
  mlirValueReplaceAllUsesOfWith(mloptResult(dot, 0), sum);
  mlirOperationDestroy(dot);
  return all;
}
