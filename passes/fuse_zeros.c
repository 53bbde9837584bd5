//===- fuse_zeros.c - Factors that a mask sets to zero --------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A select whose condition compares the indices of two dimensions gives a
// matrix that is zero on one side of a diagonal, and so does a softmax of one
// that gives -inf there:
//
//   %c = mlopt.compare ge, %row, %column        row and column: iotas
//   %s = mlopt.select %c, %x, %zero             zero where column > row
//
// A dot that contracts one of the two dimensions, and keeps the other, need not
// visit what is zero for a whole tile. It is told so before its factor becomes
// data of another kernel:
//
//   mlopt.dot %s, %y ... {mlopt.zeros = array<i64: 0, 1024, 512, 0, 0>}
//
// names the factor; the sizes of the dimension that is kept and of the one that
// is contracted, which are the only ones of their kind; whether what is left
// begins (1) or ends (0) at the diagonal; and where that is: depth <= kept +
// offset is left, or depth >= kept + offset. What is skipped is 0 times the
// other factor, which where that is infinite would be NaN; `strict` dots skip
// nothing.
//
//===----------------------------------------------------------------------===//

#include "fuse.h"
#include "match.h"

#include <math.h>

/// How far back through operations.
enum { MOST_STEPS = 16 };

/// An element is zero, or a condition false, where column > row + offset.
typedef struct Zeros {
  intptr_t row, column; ///< dimensions
  int64_t offset;
} Zeros;

/// An integer: the index of a dimension, and a constant; the constant alone
/// where `dim` is negative.
typedef struct Index {
  intptr_t dim;
  int64_t constant;
} Index;

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

/// The result's dimension that is dimension `dim` of the operand of what moves
/// or repeats elements; -1 if there is none.
static intptr_t followDim(MlirOperation op, intptr_t dim) {
  MlirType from = mloptOperandType(op, 0), to = mloptResultType(op, 0);
  if (mloptIsA(op, &mloptOp_broadcast)) {
    intptr_t at = mloptGetInts(op, "dims").at[dim];
    return mloptDim(to, at) == mloptDim(from, dim) ? at : -1;
  }
  if (mloptIsA(op, &mloptOp_transpose)) {
    MloptInts permutation = mloptGetInts(op, "permutation");
    for (intptr_t i = 0; i < permutation.count; ++i)
      if (permutation.at[i] == dim)
        return i;
    return -1;
  }
  if (!mloptIsA(op, &mloptOp_reshape))
    return dim;
  // The one of this size with as many elements behind each index.
  int64_t behind = 1, passed = 1;
  for (intptr_t i = mloptRank(from); i-- > dim + 1;)
    behind *= mloptDim(from, i);
  for (intptr_t i = mloptRank(to); i-- > 0; passed *= mloptDim(to, i))
    if (passed == behind && mloptDim(to, i) == mloptDim(from, dim))
      return i;
  return -1;
}

static bool movesElements(MlirOperation op) {
  return mloptIsA(op, &mloptOp_broadcast) || mloptIsA(op, &mloptOp_transpose) ||
         mloptIsA(op, &mloptOp_reshape);
}

static bool followZeros(MlirOperation op, Zeros *zeros) {
  zeros->row = followDim(op, zeros->row);
  zeros->column = followDim(op, zeros->column);
  return zeros->row >= 0 && zeros->column >= 0;
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

static bool readSplat(MlirValue value, MlirAttribute *out) {
  MlirAttribute constant = mloptConstantOf(value);
  if (mlirAttributeIsNull(constant) ||
      !mlirAttributeIsADenseElements(constant) ||
      !mlirDenseElementsAttrIsSplat(constant))
    return false;
  *out = mlirDenseElementsAttrGetSplatValue(constant);
  return true;
}

static bool indexOf(MlirValue value, int steps, Index *out) {
  enum { LARGE = 1 << 30 }; // no sum of two wraps
  MlirOperation op = mloptDefiningOp(value);
  MlirAttribute splat;
  if (readSplat(value, &splat)) {
    *out = (Index){-1, mlirAttributeIsAInteger(splat)
                           ? mlirIntegerAttrGetValueInt(splat)
                           : LARGE};
    return out->constant > -LARGE && out->constant < LARGE;
  }
  if (mlirOperationIsNull(op) || steps == MOST_STEPS)
    return false;
  if (mloptIsA(op, &mloptOp_iota)) {
    *out = (Index){mlirIntegerAttrGetValueInt(mloptAttr(op, "dim")), 0};
    return mloptElementWidth(mloptElementType(mlirValueGetType(value))) >= 32;
  }
  if (movesElements(op)) {
    if (!indexOf(mloptOperand(op, 0), steps + 1, out))
      return false;
    if (out->dim >= 0)
      out->dim = followDim(op, out->dim);
    return out->dim >= 0;
  }
  Index x, y;
  bool isSum = mloptIsA(op, &mloptOp_add), isRest = mloptIsA(op, &mloptOp_sub);
  if ((!isSum && !isRest) || !indexOf(mloptOperand(op, 0), steps + 1, &x) ||
      !indexOf(mloptOperand(op, 1), steps + 1, &y) || y.dim >= 0)
    return false;
  *out = (Index){x.dim, x.constant + (isSum ? y.constant : -y.constant)};
  return out->constant > -LARGE && out->constant < LARGE;
}

/// Where a comparison of two indices is false.
static bool falseWhereCompared(MlirOperation compare, int steps, Zeros *out) {
  MlirStringRef predicate =
      mlirStringAttrGetValue(mloptAttr(compare, "predicate"));
  bool isGreater = mloptStrEq(predicate, "gt") || mloptStrEq(predicate, "ge");
  bool isLess = mloptStrEq(predicate, "lt") || mloptStrEq(predicate, "le");
  bool isEqual = mloptStrEq(predicate, "ge") || mloptStrEq(predicate, "le");
  Index high, low; // true where high >= low, or high > low
  if ((!isGreater && !isLess) ||
      !indexOf(mloptOperand(compare, isLess), steps + 1, &high) ||
      !indexOf(mloptOperand(compare, isGreater), steps + 1, &low) ||
      high.dim < 0 || low.dim < 0 || high.dim == low.dim)
    return false;
  *out = (Zeros){high.dim, low.dim, high.constant - low.constant - !isEqual};
  return true;
}

static bool falseWhere(MlirValue condition, int steps, Zeros *out) {
  MlirOperation op = mloptDefiningOp(condition);
  if (mlirOperationIsNull(op) || steps == MOST_STEPS)
    return false;
  if (mloptIsA(op, &mloptOp_compare))
    return falseWhereCompared(op, steps, out);
  if (mloptIsA(op, &mloptOp_and))
    return falseWhere(mloptOperand(op, 0), steps + 1, out) ||
           falseWhere(mloptOperand(op, 1), steps + 1, out);
  return movesElements(op) && falseWhere(mloptOperand(op, 0), steps + 1, out) &&
         followZeros(op, out);
}

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

static bool isSplatOf(MlirValue value, bool zero) {
  MlirAttribute splat;
  if (!readSplat(value, &splat) || !mlirAttributeIsAFloat(splat))
    return false;
  double x = mlirFloatAttrGetValueDouble(splat);
  return zero ? x == 0 : x - x == 0; // finite
}

/// Whether a splat is -inf.
static bool isLeast(MlirValue value) {
  MlirAttribute splat;
  return readSplat(value, &splat) && mlirAttributeIsAFloat(splat) &&
         mlirFloatAttrGetValueDouble(splat) == -INFINITY;
}

/// The value for each row, of a kind, of the columns of `of`, behind what gives
/// it to all of them; null if it is something else.
static MlirOperation rowsOf(MlirValue value, MloptKind kind, MlirValue of,
                            intptr_t column) {
  const MlirOperation none = {NULL};
  MlirOperation op = mloptDefiningOp(value);
  intptr_t rank = mloptRank(mlirValueGetType(of));
  if (mlirOperationIsNull(op) || !mloptIsA(op, &mloptOp_broadcast))
    return none;
  MloptInts dims = mloptGetInts(op, "dims");
  for (intptr_t i = 0; i < dims.count; ++i)
    if (dims.count != rank - 1 || dims.at[i] != i + (i >= column))
      return none;
  op = mloptDefiningOp(mloptOperand(op, 0));
  // A maximum with -inf is what it was.
  if (!mlirOperationIsNull(op) && mloptIsA(op, &mloptOp_max))
    op = mloptDefiningOp(mloptOperand(op, isLeast(mloptOperand(op, 0))));
  if (mlirOperationIsNull(op) || !mloptIsA(op, &mloptOp_reduce) ||
      mloptGetKind(op) != kind || !mlirValueEqual(mloptOperand(op, 0), of))
    return none;
  MloptInts reduced = mloptGetInts(op, "dims");
  return reduced.count == 1 && reduced.at[0] == column ? op : none;
}

/// A softmax of what a mask sets to -inf. Where a row has anything but numbers
/// and -inf, all of it is NaN, of which the columns that are left are enough.
static bool zerosOfSoftmax(MlirOperation division, int steps, Zeros *out) {
  MlirOperation exp = mloptDefiningOp(mloptOperand(division, 0));
  MlirOperation difference = {NULL}, select = {NULL};
  if (!mlirOperationIsNull(exp) && mloptIsA(exp, &mloptOp_exp))
    difference = mloptDefiningOp(mloptOperand(exp, 0));
  if (!mlirOperationIsNull(difference) && mloptIsA(difference, &mloptOp_sub))
    select = mloptDefiningOp(mloptOperand(difference, 0));
  return !mlirOperationIsNull(select) && mloptIsA(select, &mloptOp_select) &&
         isLeast(mloptOperand(select, 2)) &&
         falseWhere(mloptOperand(select, 0), steps + 1, out) &&
         out->offset >= 0 &&
         !mlirOperationIsNull(rowsOf(mloptOperand(difference, 1),
                                     MLOPT_KIND_MAX, mloptResult(select, 0),
                                     out->column)) &&
         !mlirOperationIsNull(rowsOf(mloptOperand(division, 1), MLOPT_KIND_ADD,
                                     mloptResult(exp, 0), out->column));
}

static bool zerosOf(MlirValue value, int steps, Zeros *out) {
  MlirOperation op = mloptDefiningOp(value);
  if (mlirOperationIsNull(op) || steps == MOST_STEPS)
    return false;
  if (mloptIsA(op, &mloptOp_select))
    return isSplatOf(mloptOperand(op, 2), true) &&
           falseWhere(mloptOperand(op, 0), steps + 1, out);
  if (mloptIsA(op, &mloptOp_div))
    return zerosOfSoftmax(op, steps, out);
  if (mloptIsA(op, &mloptOp_mul)) {
    int scale = isSplatOf(mloptOperand(op, 0), false) ? 0 : 1;
    return isSplatOf(mloptOperand(op, scale), false) &&
           zerosOf(mloptOperand(op, 1 - scale), steps + 1, out);
  }
  bool keeps = mloptIsA(op, &mloptOp_convert) || mloptIsA(op, &mloptOp_neg);
  return (keeps || movesElements(op)) &&
         zerosOf(mloptOperand(op, 0), steps + 1, out) && followZeros(op, out);
}

/// Whether a dimension is the only one of more than one element among those
/// that are contracted, or that are neither that nor of the batch.
static bool isAlone(MlirType type, const MloptInts *batch,
                    const MloptInts *contract, intptr_t dim) {
  bool isContracted = mloptHasInt(contract, dim);
  for (intptr_t i = 0; i < mloptRank(type); ++i)
    if (i != dim && mloptDim(type, i) != 1 && !mloptHasInt(batch, i) &&
        mloptHasInt(contract, i) == isContracted)
      return false;
  return !mloptHasInt(batch, dim);
}

void mloptFuseMarkZeros(MlirOperation dot) {
  static const char *const batchOf[] = {"lhs_batch", "rhs_batch"};
  static const char *const contractOf[] = {"lhs_contract", "rhs_contract"};
  if (mloptGetNumerics(dot) == MLOPT_NUMERICS_STRICT)
    return;
  for (intptr_t side = 0; side < 2; ++side) {
    Zeros z;
    MlirType type = mloptOperandType(dot, side);
    MloptInts batch = mloptGetInts(dot, batchOf[side]);
    MloptInts contract = mloptGetInts(dot, contractOf[side]);
    if (!zerosOf(mloptOperand(dot, side), 0, &z) ||
        !isAlone(type, &batch, &contract, z.row) ||
        !isAlone(type, &batch, &contract, z.column))
      continue;
    bool isEnd = mloptHasInt(&contract, z.column);
    if (isEnd == mloptHasInt(&contract, z.row))
      continue;
    // Column <= row + offset is left: of the row's depth, or row >= column -
    // offset of the column's.
    int64_t row = mloptDim(type, z.row), column = mloptDim(type, z.column);
    int64_t values[] = {side, isEnd ? row : column, isEnd ? column : row,
                        !isEnd, isEnd ? z.offset : -z.offset};
    mlirOperationSetDiscardableAttributeByName(
        dot, mloptStr("mlopt.zeros"),
        mloptI64Array(mlirOperationGetContext(dot), MLOPT_COUNT(values),
                      values));
    return;
  }
}
