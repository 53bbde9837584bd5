//===- fuse_factors.c - Factors as Tensor Cores take them -----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// wgmma transposes factors of 16 bits on the way; others it takes only where
// their rows run along the contracted dimensions. Where they do not, a
// transpose in front of the dot, which becomes a kernel of its own, costs
// little beside a product that cannot use the Tensor Cores:
//
//   %r = mlopt.dot %x, %w contract [1] x [0]
//        : (tensor<512x256xi8>, tensor<256x384xi8>) -> tensor<512x384xi32>
// becomes
//   %t = mlopt.transpose %w perm [1, 0] : tensor<256x384xi8> -> ...
//   %r = mlopt.dot %x, %t contract [1] x [1]
//
// Of a product's two TF32 matrices, one may lie otherwise: consumers load it
// into registers.
//
// So is the left factor of a dot that streams keys, where its rows are
// dimensions that lie apart, as those of grouped heads: [b, t, kv, g, d]
// becomes [b, kv, t, g, d].
//
// TMA takes rows whose stride is a multiple of 16 bytes. Others are copied with
// zeros behind them, which add nothing to a sum; so are rows of a large product
// that do not start with a line of memory, since TMA reads two for one there:
//
//   %r = mlopt.dot %x, %w contract [1] x [1]
//        : (tensor<512x333xbf16>, tensor<384x333xbf16>) -> tensor<512x384xbf16>
// becomes
//   %p = mlopt.pad %x, %zero low [0, 0] high [0, 3] interior [0, 0]
//   %q = mlopt.pad %w, %zero low [0, 0] high [0, 3] interior [0, 0]
//   %c = mlopt.concat %p, %q dim 0        one kernel
//   %s = mlopt.slice %c ..., %t = mlopt.slice %c ...
//   %r = mlopt.dot %s, %t contract [1] x [1]
//        : (tensor<512x336xbf16>, tensor<384x336xbf16>) -> tensor<512x384xbf16>
//
//===----------------------------------------------------------------------===//

#include "fold.h"
#include "fuse.h"
#include "match.h"
#include "target.h"

#include <math.h>

static const char *const batchOf[] = {"lhs_batch", "rhs_batch"};
static const char *const contractOf[] = {"lhs_contract", "rhs_contract"};

/// Narrower free dimensions are for kernels that take any layout, and so are
/// short rows, beside which the results are what takes time.
enum { LEAST_SIDE = 65, LEAST_DEPTH = 64, ROW_BYTES = 16, LINE_BYTES = 128 };

/// Whether wgmma multiplies these elements, but transposes none.
static bool hasOneLayout(MlirOperation dot) {
  MlirType element = mloptElementType(mloptOperandType(dot, 0));
  if (mlirTypeIsAF32(element))
    return mloptGetNumerics(dot) == MLOPT_NUMERICS_FAST;
  return mloptElementWidth(element) == 8;
}

/// Whether the last dimension of more than one element is contracted.
static bool runsAlong(MlirType type, const MloptInts *contract) {
  for (intptr_t i = mloptRank(type); i-- > 0;)
    if (mloptDim(type, i) != 1)
      return mloptHasInt(contract, i);
  return true;
}

/// Whether wgmma takes the factors the way that their rows run.
static bool areLaid(MlirOperation dot) {
  for (intptr_t side = 0; side < 2 && hasOneLayout(dot); ++side) {
    MloptInts contract = mloptGetInts(dot, contractOf[side]);
    if (!runsAlong(mloptOperandType(dot, side), &contract))
      return false;
  }
  return true;
}

/// Batch, free, contracted dimensions.
static MloptInts order(MlirType type, const MloptInts *batch,
                       const MloptInts *contract) {
  MloptInts perm = *batch;
  for (intptr_t i = 0; i < mloptRank(type); ++i)
    if (!mloptHasInt(batch, i) && !mloptHasInt(contract, i))
      perm.at[perm.count++] = i;
  for (intptr_t i = 0; i < contract->count; ++i)
    perm.at[perm.count++] = contract->at[i];
  return perm;
}

static void transposeFactor(MlirOperation dot, intptr_t side) {
  MlirType type = mloptOperandType(dot, side);
  MloptInts batch = mloptGetInts(dot, batchOf[side]);
  MloptInts contract = mloptGetInts(dot, contractOf[side]);
  MloptInts perm = order(type, &batch, &contract);
  int64_t shape[MLOPT_MAX_RANK];
  for (intptr_t i = 0; i < perm.count; ++i)
    shape[i] = mloptDim(type, perm.at[i]);
  MloptBuilder b = mloptBuilderBefore(dot, mlirOperationGetLocation(dot));
  MlirValue factor = mloptOperand(dot, side);
  MlirType result = mloptTensorType(perm.count, shape, mloptElementType(type));
  MlirNamedAttribute attr = mloptNamedAttr(
      b.context, "permutation", mloptI64Array(b.context, perm.count, perm.at));
  MlirValue laid =
      mloptBuildValue(&b, (MloptOpSpec){.name = mloptOp_transpose.name,
                                        .numOperands = 1,
                                        .operands = &factor,
                                        .numResults = 1,
                                        .results = &result,
                                        .numAttrs = 1,
                                        .attrs = &attr});
  if (b.failed)
    return;
  for (intptr_t i = 0; i < batch.count; ++i)
    batch.at[i] = i;
  for (intptr_t i = 0; i < contract.count; ++i)
    contract.at[i] = perm.count - contract.count + i;
  mloptSetInts(dot, batchOf[side], &batch);
  mloptSetInts(dot, contractOf[side], &contract);
  mlirOperationSetOperand(dot, side, laid);
}

static bool isAligned(MlirType type, int64_t size, int64_t bytes) {
  return size * mloptElementWidth(mloptElementType(type)) / 8 % bytes == 0;
}

static int64_t rowSize(MlirType type) {
  return mloptDim(type, mloptRank(type) - 1);
}

/// The elements of a factor for each of its batches and contracted indices.
static int64_t freeSize(MlirOperation dot, intptr_t side) {
  MlirType type = mloptOperandType(dot, side);
  MloptInts batch = mloptGetInts(dot, batchOf[side]);
  MloptInts contract = mloptGetInts(dot, contractOf[side]);
  int64_t others =
      mloptFuseSizeOf(type, &batch) * mloptFuseSizeOf(type, &contract);
  return others ? mloptNumElements(type) / others : 0;
}

/// Whether a factor is a matrix of f32, of the contracted dimension before
/// another one (`isAcross`) or behind it, and no other dot's.
static bool isOwnMatrix(MlirOperation dot, intptr_t side, bool isAcross) {
  MlirType type = mloptOperandType(dot, side);
  MloptInts contract = mloptGetInts(dot, contractOf[side]);
  MlirValue factor = mloptOperand(dot, side);
  for (MlirOpOperand use = mlirValueGetFirstUse(factor);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (mloptIsA(user, &mloptOp_dot) && !mlirOperationEqual(user, dot))
      return false;
  }
  return mlirTypeIsAF32(mloptElementType(type)) && mloptRank(type) == 2 &&
         contract.count == 1 && contract.at[0] == (isAcross ? 0 : 1);
}

bool mloptFuseMayLieAcross(MlirOperation dot, intptr_t side) {
  if (!mloptIsA(dot, &mloptOp_dot) ||
      mloptGetNumerics(dot) != MLOPT_NUMERICS_FAST ||
      !isOwnMatrix(dot, side, true) || !isOwnMatrix(dot, 1 - side, false))
    return false;
  bool areAligned = true;
  for (intptr_t i = 0; i < 2; ++i) {
    MlirType type = mloptOperandType(dot, i);
    areAligned &= isAligned(type, rowSize(type), ROW_BYTES);
  }
  return areAligned && freeSize(dot, 0) >= LEAST_SIDE &&
         freeSize(dot, 1) >= LEAST_SIDE;
}

static void layFactor(MlirOperation dot, intptr_t side) {
  MloptInts contract = mloptGetInts(dot, contractOf[side]);
  if (!runsAlong(mloptOperandType(dot, side), &contract) &&
      !mloptFuseMayLieAcross(dot, side))
    transposeFactor(dot, side);
}

void mloptFuseLayRows(MlirOperation dot) {
  MlirType type = mloptOperandType(dot, 0);
  MloptInts batch = mloptGetInts(dot, batchOf[0]);
  MloptInts contract = mloptGetInts(dot, contractOf[0]);
  MloptInts perm = order(type, &batch, &contract), rows = {.count = 0};
  for (intptr_t i = batch.count; i < perm.count - contract.count; ++i)
    rows.at[rows.count++] = perm.at[i];
  if (!mloptFuseAreTogether(type, &rows))
    transposeFactor(dot, 0);
}

//===----------------------------------------------------------------------===//
// Padded rows
//===----------------------------------------------------------------------===//

/// The place among the contracted dimensions of one that is some factor's last,
/// and whose rows are no multiple of so many bytes; -1 if there is none, or
/// more stands in the way.
static intptr_t findShortRow(MlirOperation dot, int64_t bytes) {
  intptr_t found = -1;
  for (intptr_t side = 0; side < 2; ++side) {
    MlirType type = mloptOperandType(dot, side);
    if (!mloptIsStatic(type) || !mloptNumElements(type))
      return -1;
    if (isAligned(type, rowSize(type), bytes))
      continue;
    MloptInts contract = mloptGetInts(dot, contractOf[side]);
    intptr_t place = contract.count;
    while (place-- > 0 && contract.at[place] != mloptRank(type) - 1)
      ;
    if (place < 0 || (found >= 0 && found != place))
      return -1;
    found = place;
  }
  return found;
}

static int64_t depthOf(MlirOperation dot, intptr_t place) {
  return mloptDim(mloptOperandType(dot, 0),
                  mloptGetInts(dot, contractOf[0]).at[place]);
}

/// The most bytes, up to eight, of which all rows start at a multiple.
static int64_t granuleOf(MlirOperation dot) {
  enum { MOST_BYTES = 8 };
  int64_t granule = MOST_BYTES;
  for (intptr_t side = 0; side < 2; ++side) {
    MlirType type = mloptOperandType(dot, side);
    int64_t bits = rowSize(type) * mloptElementWidth(mloptElementType(type));
    while (bits / 8 % granule)
      granule /= 2;
  }
  return granule;
}

/// Microseconds of a product on wgmma, of which a step after the other takes
/// its time.
static double productTime(double products, double depth) {
  const double reached = 0.6, stepTime = 0.07, step = 64;
  double time = products / reached / (double)mloptSm90.tensorProducts;
  return fmax(time, stepTime * depth / step);
}

/// Microseconds until the padded factors are there.
static double padTime(double bytes) {
  const double launches = 3, paddedBytes = 1.65e6;
  return launches + bytes / paddedBytes;
}

/// Whether reading a line for a row, not two, saves more time than padding
/// takes. Measured, a quarter of the time of 5880x7520x440, and a twelfth of
/// that of 4096x4096x4104, whose blocks have more to do than to read.
static bool paysForLines(MlirOperation dot) {
  enum { SHORT_DEPTH = 1024, SHORT_SHARE = 4, SHARE = 12 };
  double bytes = 0, products = 1, depth = 1;
  for (intptr_t side = 0; side < 2; ++side) {
    MlirType type = mloptOperandType(dot, side);
    MloptInts contract = mloptGetInts(dot, contractOf[side]);
    if (!runsAlong(type, &contract))
      return false;
    MloptInts batch = mloptGetInts(dot, batchOf[side]);
    double elements = (double)mloptNumElements(type);
    depth = (double)mloptFuseSizeOf(type, &contract);
    products *= elements / depth;
    if (side)
      products /= (double)mloptFuseSizeOf(type, &batch);
    bytes += elements * mloptElementWidth(mloptElementType(type)) / 8;
  }
  return padTime(bytes) < productTime(products * depth, depth) /
                              (depth < SHORT_DEPTH ? SHORT_SHARE : SHARE);
}

/// Whether padding the factors, and a product of them on wgmma, take less time
/// than one kernel on mma.sync that shifts elements into place, in
/// microseconds. Rates are of an H200, fitted to both ways for 54 sizes.
static bool pays(MlirOperation dot) {
  enum { SIDE = 64, STEP = 128, NARROW = 16, DIRECT = 8 };
  enum { FEW_SUMS = 1024, FEW_DEPTH = 8000 };
  // In place: rows of whole words are copied, others shifted.
  int64_t granule = granuleOf(dot);
  bool isCopied = granule >= 4;
  // Others than of 16 bits are multiplied one by one or as sums of terms.
  const double parts = hasOneLayout(dot) ? 6 : 1;
  const double reachedInPlace = (granule == 8 ? 0.19 : 0.12) / parts;
  double bytes = 0, depth = 1, blocks = 1, batches = 1, sums = 1;
  int64_t narrow = INT64_MAX;
  bool isAlong = true;
  for (intptr_t side = 0; side < 2; ++side) {
    MlirType type = mloptOperandType(dot, side);
    MloptInts batch = mloptGetInts(dot, batchOf[side]);
    MloptInts contract = mloptGetInts(dot, contractOf[side]);
    isAlong = isAlong && runsAlong(type, &contract);
    int64_t rows =
        mloptFuseSizeOf(type, &batch) * mloptFuseSizeOf(type, &contract);
    rows = mloptNumElements(type) / rows;
    depth = (double)mloptFuseSizeOf(type, &contract);
    batches = (double)mloptFuseSizeOf(type, &batch);
    blocks *= (double)((rows + SIDE - 1) / SIDE);
    sums *= (double)rows;
    narrow = rows < narrow ? rows : narrow;
    bytes += (double)mloptNumElements(type) *
             mloptElementWidth(mloptElementType(type)) / 8;
  }
  // A single row has its sums where the rows of the other factor are reduced,
  // which start anywhere.
  if (narrow == 1 && isAlong && !hasOneLayout(dot))
    return false;
  // Few sums leave most multiprocessors idle either way, until a block that
  // shifts takes longer than the kernel that pads.
  if (batches * sums < FEW_SUMS && (narrow <= DIRECT || depth < FEW_DEPTH))
    return false;
  // A narrow factor beside one that is streamed, or tiles of both.
  bool isNarrow = narrow <= NARROW, isDirect = narrow <= DIRECT && isAlong;
  double stepTime = isNarrow ? (isCopied ? 0.5 : 1.5) : (isCopied ? 0.9 : 2.3);
  double firstTime = isNarrow ? stepTime : 2;
  double bytesInPlace = isNarrow ? (granule == 8 ? 4e6
                                    : isCopied   ? 2.2e6
                                    : isDirect   ? 1.5e6
                                                 : 1.3e6)
                                 : (granule == 8 ? 1.6e6
                                    : isCopied   ? 9e5
                                                 : 6.7e5);
  double products = batches * sums * depth;
  // Rounds of blocks, or of clusters that share the steps of one.
  double rounds = batches * blocks / (double)mloptSm90.multiprocessors;
  double least = 1.0 / (double)mloptSm90.portableCluster;
  rounds = rounds > 1 ? rounds : rounds < least ? least : rounds;
  double steps = firstTime + stepTime * depth / STEP * rounds;
  double inPlace = products / (double)mloptSm90.tensorProducts / reachedInPlace;
  inPlace = fmax(inPlace, steps);
  inPlace = fmax(inPlace, bytes / bytesInPlace);
  // A stream is read again, in part from the L2 cache.
  const double bytesAgain = 1e7;
  double padded = isNarrow ? bytes / bytesAgain : productTime(products, depth);
  return padTime(bytes) + padded < inPlace;
}

/// Puts `count` zeros behind dimension `dim` of a factor.
static void padFactor(MlirOperation dot, intptr_t side, int64_t dim,
                      int64_t count) {
  MloptBuilder b = mloptBuilderBefore(dot, mlirOperationGetLocation(dot));
  MlirValue factor = mloptOperand(dot, side);
  MlirType type = mlirValueGetType(factor);
  MlirType scalar = mloptTensorType(0, NULL, mloptElementType(type));
  MlirNamedAttribute value =
      mloptNamedAttr(b.context, "value", mloptSplatAttr(scalar, 0));
  MlirValue zero =
      mloptBuildValue(&b, (MloptOpSpec){.name = mloptOp_constant.name,
                                        .numResults = 1,
                                        .results = &scalar,
                                        .numAttrs = 1,
                                        .attrs = &value});
  int64_t shape[MLOPT_MAX_RANK], none[MLOPT_MAX_RANK] = {0};
  int64_t high[MLOPT_MAX_RANK] = {0};
  intptr_t rank = mloptShape(type, shape);
  shape[dim] += count;
  high[dim] = count;
  MlirType padded = mloptTensorType(rank, shape, mloptElementType(type));
  MlirValue operands[] = {factor, zero};
  MlirNamedAttribute attrs[] = {
      mloptNamedAttr(b.context, "low", mloptI64Array(b.context, rank, none)),
      mloptNamedAttr(b.context, "high", mloptI64Array(b.context, rank, high)),
      mloptNamedAttr(b.context, "interior",
                     mloptI64Array(b.context, rank, none)),
  };
  MlirValue result =
      mloptBuildValue(&b, (MloptOpSpec){.name = mloptOp_pad.name,
                                        .numOperands = 2,
                                        .operands = operands,
                                        .numResults = 1,
                                        .results = &padded,
                                        .numAttrs = MLOPT_COUNT(attrs),
                                        .attrs = attrs});
  if (!b.failed)
    mlirOperationSetOperand(dot, side, result);
}

/// How many zeros to put behind a row of so many elements: whole lines of
/// memory, each of which TMA then reads once, but no more than an eighth.
static int64_t countZeros(int64_t size, int64_t bytes) {
  enum { MOST_SHARE = 8 };
  for (int64_t granule = LINE_BYTES;; granule /= 2) {
    int64_t count = granule / bytes - size % (granule / bytes);
    if (granule == ROW_BYTES || count <= size / MOST_SHARE)
      return count % (granule / bytes);
  }
}

static MlirValue sliceRows(MloptBuilder *b, MlirValue all, int64_t first,
                           MlirType type) {
  const int64_t starts[] = {first, 0}, strides[] = {1, 1};
  const int64_t limits[] = {first + mloptDim(type, 0), mloptDim(type, 1)};
  MlirNamedAttribute attrs[] = {
      mloptNamedAttr(b->context, "starts",
                     mloptI64Array(b->context, 2, starts)),
      mloptNamedAttr(b->context, "limits",
                     mloptI64Array(b->context, 2, limits)),
      mloptNamedAttr(b->context, "strides",
                     mloptI64Array(b->context, 2, strides)),
  };
  return mloptBuildValue(b, (MloptOpSpec){.name = mloptOp_slice.name,
                                          .numOperands = 1,
                                          .operands = &all,
                                          .numResults = 1,
                                          .results = &type,
                                          .numAttrs = MLOPT_COUNT(attrs),
                                          .attrs = attrs});
}

/// Puts the rows of two matrices below each other, so that one kernel writes
/// them, and reads them from there.
static void joinFactors(MlirOperation dot) {
  MlirType types[] = {mloptOperandType(dot, 0), mloptOperandType(dot, 1)};
  if (mloptRank(types[0]) != 2 || mloptRank(types[1]) != 2 ||
      mloptDim(types[0], 1) != mloptDim(types[1], 1) ||
      !mlirTypeEqual(mloptElementType(types[0]), mloptElementType(types[1])))
    return;
  MloptBuilder b = mloptBuilderBefore(dot, mlirOperationGetLocation(dot));
  MlirValue factors[] = {mloptOperand(dot, 0), mloptOperand(dot, 1)};
  int64_t first = mloptDim(types[0], 0);
  const int64_t shape[] = {first + mloptDim(types[1], 0),
                           mloptDim(types[0], 1)};
  MlirType both = mloptTensorType(2, shape, mloptElementType(types[0]));
  MlirNamedAttribute dim =
      mloptNamedAttr(b.context, "dim", mloptI64Attr(b.context, 0));
  MlirValue all = mloptBuildValue(&b, (MloptOpSpec){.name = mloptOp_concat.name,
                                                    .numOperands = 2,
                                                    .operands = factors,
                                                    .numResults = 1,
                                                    .results = &both,
                                                    .numAttrs = 1,
                                                    .attrs = &dim});
  for (intptr_t side = 0; side < 2; ++side)
    factors[side] = sliceRows(&b, all, side ? first : 0, types[side]);
  for (intptr_t side = 0; side < 2 && !b.failed; ++side)
    mlirOperationSetOperand(dot, side, factors[side]);
}

static void padFactors(MlirOperation dot) {
  intptr_t place = findShortRow(dot, ROW_BYTES);
  bool isTaken = place < 0;
  if (isTaken)
    place = findShortRow(dot, LINE_BYTES);
  MlirType element = mloptElementType(mloptOperandType(dot, 0));
  if (place < 0 || depthOf(dot, place) < LEAST_DEPTH || !areLaid(dot) ||
      (!mlirTypeIsABF16(element) && !mlirTypeIsAF16(element) &&
       !hasOneLayout(dot)) ||
      !(isTaken ? paysForLines : pays)(dot))
    return;
  int64_t depth = depthOf(dot, place);
  int64_t count = countZeros(depth, mloptElementWidth(element) / 8);
  for (intptr_t side = 0; side < 2; ++side)
    padFactor(dot, side, mloptGetInts(dot, contractOf[side]).at[place], count);
  joinFactors(dot);
}

//===----------------------------------------------------------------------===//
// Transposed factors
//===----------------------------------------------------------------------===//

/// Whether both factors are wide, and their depth fills rows that TMA takes, or
/// is worth filling up.
static bool areWorthLaying(MlirOperation dot) {
  int64_t depth = 0;
  for (intptr_t side = 0; side < 2; ++side) {
    MlirType type = mloptOperandType(dot, side);
    MloptInts contract = mloptGetInts(dot, contractOf[side]);
    if (!mloptIsStatic(type) || !mloptNumElements(type))
      return false;
    depth = mloptFuseSizeOf(type, &contract);
    if (freeSize(dot, side) < LEAST_SIDE)
      return false;
  }
  return isAligned(mloptOperandType(dot, 0), depth, ROW_BYTES) ||
         (depth >= LEAST_DEPTH && pays(dot));
}

static void layFactors(MlirOperation dot) {
  if (areLaid(dot) || !areWorthLaying(dot))
    return;
  for (intptr_t side = 0; side < 2; ++side)
    layFactor(dot, side);
}

void mloptFuseLayFactors(MlirOperation dot) {
  layFactors(dot);
  padFactors(dot);
}
