//===- fuse_split.c - Products in f32 as products in bf16 -----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The 24 bits of an f32 are three bf16 of 8 bits each, x = x1 + x2 + x3,
// exactly, when each term is what the ones before leave, cut off. Of the nine
// products of two such sums, the three smallest are below 2^-22 of the whole;
// the other six are one product in bf16, of factors six times as deep, the
// smallest terms first:
//
//   a: [.., k] becomes [.., 6, k]   a3 a2 a1 a2 a1 a1
//   b: [.., k] becomes [.., 6, k]   b1 b2 b3 b1 b2 b1
//
//   %r = mlopt.dot %a, %b contract [1] x [1] : f32
// becomes
//   %r = mlopt.dot %a6, %b6 contract [1, 2] x [1, 2] {mlopt.promote} : bf16,
//   f32
//
// mlopt.promote: sums are kept in f32 outside of the Tensor Cores, which cut
// off rather than round. The error is that of a chain in f32 (measured: see
// test/bench). What is not finite stands in the last place alone, so that no
// other term makes a NaN of an infinity. Six products on Tensor Cores take less
// than half the time of one without them.
//
//===----------------------------------------------------------------------===//

#include "fuse.h"
#include "match.h"
#include "target.h"

enum { TERMS = 6 };

/// Which term of each factor stands in each place.
static const int termsOf[2][TERMS] = {{3, 2, 1, 2, 1, 1}, {1, 2, 3, 1, 2, 1}};

static const char *const batchOf[] = {"lhs_batch", "rhs_batch"};
static const char *const contractOf[] = {"lhs_contract", "rhs_contract"};

//===----------------------------------------------------------------------===//
// Elementwise code
//===----------------------------------------------------------------------===//

/// A factor being split: its builder and the types of what it becomes.
typedef struct Split {
  MloptBuilder b;
  MlirType f32, i32, i1; ///< tensors
} Split;

static MlirValue binary(Split *s, const MloptOpDef *op, MlirValue x,
                        MlirValue y) {
  return mloptBuildBinary(&s->b, op->name, x, y);
}

static MlirValue constant(Split *s, MlirType type, MlirAttribute element) {
  MlirNamedAttribute attr = mloptNamedAttr(
      s->b.context, "value", mlirDenseElementsAttrSplatGet(type, element));
  return mloptBuildValue(&s->b, (MloptOpSpec){.name = mloptOp_constant.name,
                                              .numResults = 1,
                                              .results = &type,
                                              .numAttrs = 1,
                                              .attrs = &attr});
}

static MlirValue bits(Split *s, uint32_t value) {
  return constant(s, s->i32,
                  mlirIntegerAttrGet(mloptElementType(s->i32), (int32_t)value));
}

static MlirValue bitcast(Split *s, MlirValue x, MlirType type) {
  return mloptBuildUnary(&s->b, mloptOp_bitcast.name, x, type);
}

static MlirValue compare(Split *s, const char *predicate, MlirValue x,
                         MlirValue y) {
  MlirNamedAttribute attr = mloptNamedAttr(
      s->b.context, "predicate", mloptStrAttr(s->b.context, predicate));
  MlirValue operands[] = {x, y};
  return mloptBuildValue(&s->b, (MloptOpSpec){.name = mloptOp_compare.name,
                                              .numOperands = 2,
                                              .operands = operands,
                                              .numResults = 1,
                                              .results = &s->i1,
                                              .numAttrs = 1,
                                              .attrs = &attr});
}

static MlirValue choose(Split *s, MlirValue condition, MlirValue x,
                        MlirValue y) {
  MlirValue operands[] = {condition, x, y};
  return mloptBuildValue(&s->b, (MloptOpSpec){.name = mloptOp_select.name,
                                              .numOperands = 3,
                                              .operands = operands,
                                              .numResults = 1,
                                              .results = &s->f32});
}

/// The first 8 bits of a float, cut off.
static MlirValue cut(Split *s, MlirValue x) {
  MlirValue high =
      binary(s, &mloptOp_and, bitcast(s, x, s->i32), bits(s, 0xffff0000));
  return bitcast(s, high, s->f32);
}

static MlirValue isFinite(Split *s, MlirValue x) {
  MlirValue exponent =
      binary(s, &mloptOp_and, bitcast(s, x, s->i32), bits(s, 0x7f800000));
  return compare(s, "ne", exponent, bits(s, 0x7f800000));
}

/// The terms of `x` in their places along dimension `dim`.
static MlirValue placeTerms(Split *s, MlirValue x, int64_t dim,
                            const int *terms) {
  MlirNamedAttribute attr =
      mloptNamedAttr(s->b.context, "dim", mloptI64Attr(s->b.context, dim));
  MlirValue place =
      mloptBuildValue(&s->b, (MloptOpSpec){.name = mloptOp_iota.name,
                                           .numResults = 1,
                                           .results = &s->i32,
                                           .numAttrs = 1,
                                           .attrs = &attr});
  MlirValue term[4] = {{NULL}, cut(s, x)};
  MlirValue rest = binary(s, &mloptOp_sub, x, term[1]);
  term[2] = cut(s, rest);
  term[3] = binary(s, &mloptOp_sub, rest, term[2]);
  MlirValue out = term[terms[TERMS - 1]];
  for (int i = TERMS - 1; i-- > 0;)
    if (terms[i] != terms[TERMS - 1])
      out = choose(s, compare(s, "eq", place, bits(s, (uint32_t)i)),
                   term[terms[i]], out);
  MlirValue zero = constant(
      s, s->f32,
      mlirFloatAttrDoubleGet(s->b.context, mloptElementType(s->f32), 0));
  MlirValue special =
      choose(s, compare(s, "eq", place, bits(s, TERMS - 1)), x, zero);
  return choose(s, isFinite(s, x), out, special);
}

/// The factor with its terms, along a new dimension at `dim`.
static MlirValue splitFactor(MlirOperation dot, intptr_t side, int64_t dim) {
  MlirValue factor = mloptOperand(dot, side);
  MlirType type = mlirValueGetType(factor);
  int64_t shape[MLOPT_MAX_RANK], dims[MLOPT_MAX_RANK];
  intptr_t rank = mloptRank(type);
  for (intptr_t i = 0; i < rank; ++i) {
    dims[i] = i + (i >= dim);
    shape[dims[i]] = mloptDim(type, i);
  }
  shape[dim] = TERMS;
  Split s = {.b = mloptBuilderBefore(dot, mlirOperationGetLocation(dot))};
  MlirContext c = s.b.context;
  s.f32 = mloptTensorType(rank + 1, shape, mlirF32TypeGet(c));
  s.i32 = mloptTensorType(rank + 1, shape, mlirIntegerTypeGet(c, 32));
  s.i1 = mloptTensorType(rank + 1, shape, mlirIntegerTypeGet(c, 1));
  MlirNamedAttribute attr =
      mloptNamedAttr(c, "dims", mloptI64Array(c, rank, dims));
  MlirValue repeated =
      mloptBuildValue(&s.b, (MloptOpSpec){.name = mloptOp_broadcast.name,
                                          .numOperands = 1,
                                          .operands = &factor,
                                          .numResults = 1,
                                          .results = &s.f32,
                                          .numAttrs = 1,
                                          .attrs = &attr});
  MlirValue terms = placeTerms(&s, repeated, dim, termsOf[side]);
  MlirType bf16 = mloptTensorType(rank + 1, shape, mlirBF16TypeGet(c));
  MlirValue out = mloptBuildUnary(&s.b, mloptOp_convert.name, terms, bf16);
  return s.b.failed ? (MlirValue){NULL} : out;
}

//===----------------------------------------------------------------------===//
// The dot
//===----------------------------------------------------------------------===//

static bool isConsecutive(const MloptInts *dims) {
  for (intptr_t i = 1; i < dims->count; ++i)
    if (dims->at[i] != dims->at[i - 1] + 1)
      return false;
  return dims->count > 0 && dims->count < MLOPT_MAX_RANK;
}

static double count(MlirType type, const MloptInts *dims) {
  double elements = 1;
  for (intptr_t i = 0; i < dims->count; ++i)
    elements *= (double)mloptDim(type, dims->at[i]);
  return elements;
}

/// Whether the six products, and writing and reading their factors, take less
/// time than one kernel that splits its factors itself, for mma.sync. Rates are
/// shares of the peaks that were measured. The factors must not crowd out
/// everything else in memory, either.
static bool pays(MlirOperation dot) {
  const double reachedInPlace = 0.77, reached = 0.6, most = 4e9, launches = 6;
  const double bytesPerTime = 4e6; // copied, in a microsecond
  double products = (double)mloptNumElements(mloptResultType(dot, 0));
  double bytes = 0, depth = 1;
  for (intptr_t side = 0; side < 2; ++side) {
    MlirType type = mloptOperandType(dot, side);
    MloptInts contract = mloptGetInts(dot, contractOf[side]);
    depth = count(type, &contract);
    bytes += (double)mloptNumElements(type) * TERMS * 2;
  }
  products *= depth;
  double one = products / (reachedInPlace * (double)mloptSm90.additions);
  double six = TERMS * products / (reached * (double)mloptSm90.tensorProducts) +
               1.5 * bytes / bytesPerTime + launches;
  return six < one && bytes < most;
}

static bool isSplit(MlirOperation dot) {
  enum { ROW_ELEMENTS = 8, LEAST_SIDE = 65 };
  if (mloptGetNumerics(dot) != MLOPT_NUMERICS_DEFAULT ||
      !mlirTypeIsAF32(mloptElementType(mloptResultType(dot, 0))))
    return false;
  for (intptr_t side = 0; side < 2; ++side) {
    MlirType type = mloptOperandType(dot, side);
    MloptInts batch = mloptGetInts(dot, batchOf[side]);
    MloptInts contract = mloptGetInts(dot, contractOf[side]);
    if (!mlirTypeIsAF32(mloptElementType(type)) || !mloptIsStatic(type) ||
        !mloptNumElements(type) || mloptRank(type) >= MLOPT_MAX_RANK ||
        !isConsecutive(&contract))
      return false;
    double free = (double)mloptNumElements(type) / count(type, &batch) /
                  count(type, &contract);
    // What TMA takes, and no narrow product.
    if (mloptDim(type, mloptRank(type) - 1) % ROW_ELEMENTS || free < LEAST_SIDE)
      return false;
  }
  return pays(dot);
}

void mloptFuseSplitDot(MlirOperation dot) {
  if (!isSplit(dot))
    return;
  MlirContext c = mlirOperationGetContext(dot);
  MlirValue factors[2];
  for (intptr_t side = 0; side < 2; ++side) {
    MloptInts contract = mloptGetInts(dot, contractOf[side]);
    factors[side] = splitFactor(dot, side, contract.at[0]);
    if (mlirValueIsNull(factors[side]))
      return;
  }
  for (intptr_t side = 0; side < 2; ++side) {
    MloptInts batch = mloptGetInts(dot, batchOf[side]);
    MloptInts contract = mloptGetInts(dot, contractOf[side]);
    int64_t first = contract.at[0];
    for (intptr_t i = 0; i < batch.count; ++i)
      batch.at[i] += batch.at[i] >= first;
    contract.at[contract.count] = first + contract.count;
    ++contract.count;
    mloptSetInts(dot, batchOf[side], &batch);
    mloptSetInts(dot, contractOf[side], &contract);
    mlirOperationSetOperand(dot, side, factors[side]);
  }
  mlirOperationSetDiscardableAttributeByName(dot, mloptStr("mlopt.promote"),
                                             mlirUnitAttrGet(c));
}
