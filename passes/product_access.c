//===- product_access.c - Where the factors of a product lie --------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operand's indices are affine functions of the loops. Slices, padding with
// zeros and reshapes between it and a parameter of the kernel change them to
// others, or add bounds.
//
//===----------------------------------------------------------------------===//

#include "product.h"

#include "contraction_impl.h"

static void addScaled(MloptAffine *out, const MloptAffine *x, int64_t scale) {
  out->constant += scale * x->constant;
  for (int i = 0; i < MLOPT_MAX_LOOPS_OF_PRODUCT; ++i)
    out->factor[i] += scale * x->factor[i];
}

/// Adds `scale` times an expression; false if it is not affine without
/// divisions.
static bool addExpr(MloptAffine *out, MlirAffineExpr expr, int64_t scale) {
  if (mlirAffineExprIsADim(expr)) {
    out->factor[mlirAffineDimExprGetPosition(expr)] += scale;
    return true;
  }
  if (mlirAffineExprIsAConstant(expr)) {
    out->constant += scale * mlirAffineConstantExprGetValue(expr);
    return true;
  }
  if (mlirAffineExprIsAAdd(expr))
    return addExpr(out, mlirAffineBinaryOpExprGetLHS(expr), scale) &&
           addExpr(out, mlirAffineBinaryOpExprGetRHS(expr), scale);
  if (!mlirAffineExprIsAMul(expr))
    return false;
  MlirAffineExpr factor = mlirAffineBinaryOpExprGetRHS(expr);
  return mlirAffineExprIsAConstant(factor) &&
         addExpr(out, mlirAffineBinaryOpExprGetLHS(expr),
                 scale * mlirAffineConstantExprGetValue(factor));
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
    addScaled(&outer[d], &indices[d], strides[d]);
  }
  return followAccess(access, source, outer);
}

/// Dimensions [first, last) of a shape as one index.
static MloptAffine joinDims(MlirType type, const MloptAffine *indices,
                            intptr_t first, intptr_t last) {
  MloptAffine joined = {.constant = 0};
  int64_t stride = 1;
  for (intptr_t d = last; d-- > first;) {
    addScaled(&joined, &indices[d], stride);
    stride *= mloptDim(type, d);
  }
  return joined;
}

/// A reshape where each dimension of the source is a run of dimensions of the
/// result.
static bool followReshape(MloptAccess *access, MlirOperation op,
                          const MloptAffine *indices) {
  MlirValue source = mloptOperand(op, 0);
  MlirType from = mlirValueGetType(source), to = mloptResultType(op, 0);
  intptr_t next = 0, rank = mloptRank(to);
  MloptAffine joined[MLOPT_MAX_RANK];
  for (intptr_t d = 0; d < mloptRank(from); ++d) {
    intptr_t first = next;
    int64_t size = 1;
    while (next < rank && size < mloptDim(from, d))
      size *= mloptDim(to, next++);
    if (size != mloptDim(from, d))
      return false;
    joined[d] = joinDims(to, indices, first, next);
  }
  for (; next < rank; ++next)
    if (mloptDim(to, next) != 1)
      return false;
  return followAccess(access, source, joined);
}

/// Finds the pointer behind a tensor whose element has these indices.
static bool followAccess(MloptAccess *access, MlirValue value,
                         const MloptAffine *indices) {
  if (!mlirValueIsAOpResult(value))
    return false;
  MlirOperation op = mlirOpResultGetOwner(value);
  if (mloptIsNamed(op, "builtin.unrealized_conversion_cast")) {
    MlirType type = mlirValueGetType(value);
    access->tensor = value;
    access->position = joinDims(type, indices, 0, mloptRank(type));
    return mloptElementWidth(mloptElementType(type)) >= 8;
  }
  static const struct {
    const char *name;
    bool (*follow)(MloptAccess *, MlirOperation, const MloptAffine *);
  } rows[] = {
      {"tensor.collapse_shape", followReshape},
      {"tensor.expand_shape", followReshape},
      {"tensor.extract_slice", followExtract},
      {"tensor.insert_slice", followInsert},
  };
  for (int i = 0; i < MLOPT_COUNT(rows); ++i)
    if (mloptIsNamed(op, rows[i].name))
      return rows[i].follow(access, op, indices);
  return false;
}

MloptAccess mloptDescribeAccess(const MloptProduct *p, intptr_t operand) {
  MloptAccess access = {.numBounds = 0};
  MlirAffineMap map = mlirAffineMapAttrGetValue(
      mlirArrayAttrGetElement(mloptAttr(p->generic, "indexing_maps"), operand));
  MloptAffine indices[MLOPT_MAX_RANK];
  intptr_t rank = mlirAffineMapGetNumResults(map);
  for (intptr_t d = 0; d < rank; ++d) {
    indices[d] = (MloptAffine){.constant = 0};
    if (!addExpr(&indices[d], mlirAffineMapGetResult(map, d), 1))
      return access;
  }
  access.isKnown =
      followAccess(&access, mloptOperand(p->generic, operand), indices);
  return access;
}

//===----------------------------------------------------------------------===//
// What an access depends on
//===----------------------------------------------------------------------===//

bool mloptIsLinear(const MloptProduct *p, const MloptAffine *f, MloptAxis axis,
                   int64_t *outFactor) {
  const MloptLoops *loops = &p->axes[axis];
  int64_t inner = 1, factor = 0;
  bool isFirst = true;
  for (intptr_t i = loops->count; i-- > 0;) {
    int64_t size = p->sizes[loops->at[i]], own = f->factor[loops->at[i]];
    if (size == 1)
      continue;
    if (isFirst)
      factor = own;
    else if (own != factor * inner)
      return false;
    isFirst = false;
    inner *= size;
  }
  *outFactor = factor;
  return true;
}

bool mloptDependsOnAxis(const MloptProduct *p, const MloptAffine *f,
                        MloptAxis axis) {
  const MloptLoops *loops = &p->axes[axis];
  for (intptr_t i = 0; i < loops->count; ++i)
    if (f->factor[loops->at[i]] && p->sizes[loops->at[i]] > 1)
      return true;
  return false;
}

intptr_t mloptInnerLoop(const MloptProduct *p, MloptAxis axis) {
  const MloptLoops *loops = &p->axes[axis];
  for (intptr_t i = loops->count; i-- > 0;)
    if (p->sizes[loops->at[i]] > 1)
      return loops->at[i];
  return -1;
}

bool mloptBoundsDependOn(const MloptProduct *p, const MloptAccess *access,
                         MloptAxis axis) {
  for (int i = 0; i < access->numBounds; ++i)
    if (mloptDependsOnAxis(p, &access->bounds[i].index, axis))
      return true;
  return false;
}

/// The largest power of two up to `most` that divides `n`.
static int64_t commonPower(int64_t n, int64_t most) {
  while (most > 1 && n % most)
    most /= 2;
  return most;
}

int64_t mloptRunAlong(const MloptProduct *p, const MloptAccess *access,
                      MloptAxis axis, int64_t most) {
  const MloptAffine *position = &access->position;
  intptr_t inner = mloptInnerLoop(p, axis);
  int64_t factor, run;
  if (!access->isKnown || inner < 0 || position->factor[inner] != 1)
    return 1;
  bool isLinear = mloptIsLinear(p, position, axis, &factor) &&
                  !mloptBoundsDependOn(p, access, axis);
  run = commonPower(isLinear ? p->axes[axis].size : p->sizes[inner], most);
  run = commonPower(position->constant, run);
  for (intptr_t i = 0; i < p->numLoops; ++i)
    if (i != inner && p->sizes[i] > 1)
      run = commonPower(position->factor[i], run);
  for (int i = 0; i < access->numBounds; ++i)
    if (access->bounds[i].index.factor[inner])
      return 1;
  return run;
}
