//===- product_access.c - Where the factors of a product lie --------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operand's indices are affine functions of the loops. Slices, padding with
// zeros, transposes and reshapes between it and a parameter of the kernel
// change them to others, or add bounds.
//
//===----------------------------------------------------------------------===//

#include "product_access.h"

#include "contraction_impl.h"

/// Adds `scale` times an expression of dimensions that are these functions of
/// the loops; false if it is not affine without divisions.
static bool addExpr(MloptAffine *out, MlirAffineExpr expr,
                    const MloptAffine *dims, int64_t scale) {
  if (mlirAffineExprIsADim(expr)) {
    mloptAddAffine(out, &dims[mlirAffineDimExprGetPosition(expr)], scale);
    return true;
  }
  if (mlirAffineExprIsAConstant(expr)) {
    out->constant += scale * mlirAffineConstantExprGetValue(expr);
    return true;
  }
  if (mlirAffineExprIsAAdd(expr))
    return addExpr(out, mlirAffineBinaryOpExprGetLHS(expr), dims, scale) &&
           addExpr(out, mlirAffineBinaryOpExprGetRHS(expr), dims, scale);
  if (!mlirAffineExprIsAMul(expr))
    return false;
  MlirAffineExpr factor = mlirAffineBinaryOpExprGetRHS(expr);
  return mlirAffineExprIsAConstant(factor) &&
         addExpr(out, mlirAffineBinaryOpExprGetLHS(expr), dims,
                 scale * mlirAffineConstantExprGetValue(factor));
}

bool mloptApplyMap(MlirAffineMap map, const MloptAffine *dims,
                   MloptAffine *out) {
  for (intptr_t d = 0, n = mlirAffineMapGetNumResults(map); d < n; ++d) {
    out[d] = (MloptAffine){.constant = 0};
    if (!addExpr(&out[d], mlirAffineMapGetResult(map, d), dims, 1))
      return false;
  }
  return true;
}

/// The static offsets and strides of a slice that keeps its rank; false if it
/// is none.
static bool readSlice(MlirOperation op, intptr_t rank, int64_t *offsets,
                      int64_t *strides) {
  if (mloptI64ArrayGet(mloptAttr(op, "static_offsets"), offsets) != rank ||
      mloptI64ArrayGet(mloptAttr(op, "static_strides"), strides) != rank)
    return false;
  for (intptr_t i = 0; i < rank; ++i)
    if (mloptIsDynamic(offsets[i]) || mloptIsDynamic(strides[i]))
      return false;
  return true;
}

static bool followAccess(MloptAccess *, MlirValue, const MloptAffine *);

/// The source in a tensor of zeros: padding.
static bool followInsert(MloptAccess *access, MlirOperation op,
                         const MloptAffine *indices) {
  MlirValue source = mloptOperand(op, 0);
  intptr_t rank = mloptRank(mloptResultType(op, 0));
  int64_t offsets[MLOPT_MAX_RANK], strides[MLOPT_MAX_RANK];
  MloptAffine inner[MLOPT_MAX_RANK];
  if (mloptRank(mlirValueGetType(source)) != rank ||
      !readSlice(op, rank, offsets, strides) ||
      !mloptIsFilledWithZero(mloptOperand(op, 1)))
    return false;
  for (intptr_t d = 0; d < rank; ++d) {
    int64_t size = mloptDim(mlirValueGetType(source), d);
    inner[d] = indices[d];
    inner[d].constant -= offsets[d];
    if (size == mloptDim(mloptResultType(op, 0), d))
      continue;
    if (strides[d] != 1 || access->numBounds == MLOPT_MAX_BOUNDS)
      return false;
    access->bounds[access->numBounds].index = inner[d];
    access->bounds[access->numBounds++].size = size;
  }
  return followAccess(access, source, inner);
}

static bool followExtract(MloptAccess *access, MlirOperation op,
                          const MloptAffine *indices) {
  MlirValue source = mloptOperand(op, 0);
  intptr_t rank = mloptRank(mlirValueGetType(source));
  int64_t offsets[MLOPT_MAX_RANK], strides[MLOPT_MAX_RANK];
  MloptAffine outer[MLOPT_MAX_RANK];
  if (mloptRank(mloptResultType(op, 0)) != rank ||
      !readSlice(op, rank, offsets, strides))
    return false;
  for (intptr_t d = 0; d < rank; ++d) {
    outer[d] = (MloptAffine){.constant = offsets[d]};
    mloptAddAffine(&outer[d], &indices[d], strides[d]);
  }
  return followAccess(access, source, outer);
}

static bool isCast(MlirValue value) {
  return mloptIsDefinedBy(value, "builtin.unrealized_conversion_cast");
}

/// The parameter itself: its elements lie in row-major order.
static bool followCast(MloptAccess *access, MlirValue cast, MlirType type,
                       const MloptAffine *indices) {
  access->tensor = cast;
  access->position = mloptLinearAffine(type, indices);
  return mloptElementWidth(mloptElementType(type)) >= 8;
}

/// A reshape of a parameter, or one where each dimension of the source is a run
/// of dimensions of the result.
static bool followReshape(MloptAccess *access, MlirOperation op,
                          const MloptAffine *indices) {
  MlirValue source = mloptOperand(op, 0), root = source;
  while (isView(root))
    root = mloptOperand(mloptDefiningOp(root), 0);
  if (isCast(root))
    return followCast(access, root, mloptResultType(op, 0), indices);
  MloptAffine joined[MLOPT_MAX_RANK];
  return mloptJoinAffine(mlirValueGetType(source), mloptResultType(op, 0),
                         indices, joined) &&
         followAccess(access, source, joined);
}

/// Whether each element of a generic's result is one of its operand.
static bool isCopy(MlirOperation op) {
  if (!mloptIsNamed(op, "linalg.generic") || numInputs(op) != 1 ||
      mlirOperationGetNumResults(op) != 1 || !mloptIsParallelGeneric(op))
    return false;
  MlirBlock body = bodyOf(op);
  return mlirValueEqual(mloptOperand(mlirBlockGetTerminator(body), 0),
                        mlirBlockGetArgument(body, 0)) &&
         mlirAffineMapIsPermutation(mapOf(op, 1));
}

/// A transpose, or elements in reverse.
static bool followCopy(MloptAccess *access, MlirOperation op,
                       const MloptAffine *indices) {
  if (!isCopy(op))
    return false;
  MlirAffineMap to = mapOf(op, 1);
  MloptAffine loops[MLOPT_MAX_RANK], source[MLOPT_MAX_RANK];
  for (intptr_t d = 0, n = mlirAffineMapGetNumResults(to); d < n; ++d)
    loops[loopOf(to, d)] = indices[d];
  return mloptApplyMap(mapOf(op, 0), loops, source) &&
         followAccess(access, mloptOperand(op, 0), source);
}

/// How the indices of a result become those of the first operand.
static const struct {
  const char *name;
  bool (*follow)(MloptAccess *, MlirOperation, const MloptAffine *);
} moves[] = {
    {"linalg.generic", followCopy},
    {"tensor.collapse_shape", followReshape},
    {"tensor.expand_shape", followReshape},
    {"tensor.extract_slice", followExtract},
    {"tensor.insert_slice", followInsert},
};

static intptr_t findMove(MlirOperation op) { return MLOPT_FIND_ROW(op, moves); }

/// Finds the pointer behind a tensor whose element has these indices.
static bool followAccess(MloptAccess *access, MlirValue value,
                         const MloptAffine *indices) {
  if (!mlirValueIsAOpResult(value))
    return false;
  MlirOperation op = mlirOpResultGetOwner(value);
  if (isCast(value))
    return followCast(access, value, mlirValueGetType(value), indices);
  intptr_t row = findMove(op);
  return row >= 0 && moves[row].follow(access, op, indices);
}

bool mloptMovesElements(MlirOperation op) {
  return findMove(op) >= 0 &&
         (!mloptIsNamed(op, "linalg.generic") || isCopy(op));
}

bool mloptOperandIndices(MlirOperation generic, intptr_t operand,
                         MloptAffine *out) {
  MlirAffineMap map = mapOf(generic, operand);
  MloptAffine loops[MLOPT_MAX_LOOPS_OF_PRODUCT];
  for (intptr_t l = 0, n = mlirAffineMapGetNumDims(map); l < n; ++l) {
    loops[l] = (MloptAffine){.constant = 0};
    loops[l].factor[l] = 1;
  }
  return mloptApplyMap(map, loops, out);
}

MloptAccess mloptDescribeAccess(MlirOperation generic, intptr_t operand) {
  MloptAccess access = {.numBounds = 0};
  MloptAffine indices[MLOPT_MAX_RANK];
  access.isKnown =
      mloptOperandIndices(generic, operand, indices) &&
      followAccess(&access, mloptOperand(generic, operand), indices);
  return access;
}

MloptAccess mloptDescribeElement(MlirValue tensor, const MloptAffine *indices) {
  MloptAccess access = {.numBounds = 0};
  access.isKnown = followAccess(&access, tensor, indices);
  return access;
}

MloptAccess mloptDescribeComputed(MlirOperation generic, intptr_t operand,
                                  const int64_t *strides) {
  MloptAccess access = {.tensor = mloptOperand(generic, operand)};
  MloptAffine indices[MLOPT_MAX_RANK];
  access.isKnown = mloptOperandIndices(generic, operand, indices);
  intptr_t rank = mloptRank(mlirValueGetType(access.tensor));
  for (intptr_t d = 0; access.isKnown && d < rank; ++d)
    mloptAddAffine(&access.position, &indices[d], strides[d]);
  return access;
}

int64_t mloptLoopSize(MlirOperation generic, intptr_t loop) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(generic); i < n; ++i) {
    MlirAffineMap map = mapOf(generic, i);
    for (intptr_t d = 0, r = mlirAffineMapGetNumResults(map); d < r; ++d)
      if (loopOf(map, d) == loop)
        return mloptDim(mloptOperandType(generic, i), d);
  }
  return -1;
}
