//===- product.c - Sums of products over any loops ------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "product.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"

static MlirOperation definerOf(MlirValue value) {
  return mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value)
                                     : (MlirOperation){NULL};
}

static bool isDefinedBy(MlirValue value, const char *name) {
  MlirOperation op = definerOf(value);
  return !mlirOperationIsNull(op) && mloptIsNamed(op, name);
}

static MlirBlock bodyOf(MlirOperation generic) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(generic, 0));
}

static MlirAffineMap mapOf(MlirOperation generic, intptr_t operand) {
  return mlirAffineMapAttrGetValue(
      mlirArrayAttrGetElement(mloptAttr(generic, "indexing_maps"), operand));
}

static intptr_t numInputs(MlirOperation generic) {
  return mlirOperationGetNumOperands(generic) -
         mlirOperationGetNumResults(generic);
}

static bool isParallel(MlirOperation generic, intptr_t loop) {
  MlirAttribute parallel =
      mlirAttributeParseGet(mlirOperationGetContext(generic),
                            mloptStr("#linalg.iterator_type<parallel>"));
  return mlirAttributeEqual(
      mlirArrayAttrGetElement(mloptAttr(generic, "iterator_types"), loop),
      parallel);
}

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

/// The argument of the body that a value is after casts; -1 if there is none.
static intptr_t argumentBehind(MlirValue value, MlirBlock body) {
  while (mlirValueIsAOpResult(value)) {
    MlirOperation op = mlirOpResultGetOwner(value);
    if (!mlirBlockEqual(mlirOperationGetBlock(op), body) ||
        mlirOperationGetNumOperands(op) != 1 ||
        mlirOperationGetNumResults(op) != 1 ||
        mlirOperationGetNumRegions(op) != 0)
      return -1;
    value = mloptOperand(op, 0);
  }
  return mlirBlockEqual(mlirBlockArgumentGetOwner(value), body)
             ? mlirBlockArgumentGetArgNumber(value)
             : -1;
}

/// acc + a * b, in either order each, of floats or of integers.
static bool readBody(MloptProduct *p) {
  MlirBlock body = bodyOf(p->generic);
  MlirValue sum = mloptOperand(mlirBlockGetTerminator(body), 0);
  bool floats = mloptIsFloatElement(p->sum);
  if (!isDefinedBy(sum, floats ? "arith.addf" : "arith.addi"))
    return false;
  MlirOperation add = definerOf(sum);
  MlirValue accumulator = mlirBlockGetArgument(body, 2);
  int other = mlirValueEqual(mloptOperand(add, 0), accumulator) ? 1 : 0;
  MlirValue product = mloptOperand(add, other);
  if (!mlirValueEqual(mloptOperand(add, 1 - other), accumulator) ||
      !isDefinedBy(product, floats ? "arith.mulf" : "arith.muli"))
    return false;
  bool found[2] = {false, false};
  for (int i = 0; i < 2; ++i) {
    MlirValue multiplied = mloptOperand(definerOf(product), i);
    intptr_t argument = argumentBehind(multiplied, body);
    if (argument < 0 || argument > 1 || found[argument])
      return false;
    found[argument] = true;
    p->factors[argument] = (MloptFactor){
        .operand = argument,
        .element = mloptElementType(mloptOperandType(p->generic, argument)),
        .multiplied = multiplied};
  }
  return true;
}

static bool isZero(MlirAttribute value) {
  if (mlirAttributeIsNull(value))
    return false;
  if (mlirAttributeIsADenseElements(value))
    return mlirDenseElementsAttrIsSplat(value) &&
           isZero(mlirDenseElementsAttrGetSplatValue(value));
  return mlirAttributeIsAFloat(value) ? mlirFloatAttrGetValueDouble(value) == 0
         : mlirAttributeIsAInteger(value)
             ? mlirIntegerAttrGetValueInt(value) == 0
             : false;
}

/// A tensor of zeros: a splat constant, or a generic that yields one.
static bool isFilledWithZero(MlirValue tensor) {
  MlirOperation op = definerOf(tensor);
  if (mlirOperationIsNull(op))
    return false;
  if (mloptIsNamed(op, "arith.constant"))
    return isZero(mloptAttr(op, "value"));
  if (!mloptIsNamed(op, "linalg.generic") || numInputs(op) != 0)
    return false;
  MlirValue yielded = mloptOperand(mlirBlockGetTerminator(bodyOf(op)), 0);
  return isDefinedBy(yielded, "arith.constant") &&
         isZero(mloptAttr(definerOf(yielded), "value"));
}

static bool isSummed(MlirType type) {
  return mlirTypeIsAF32(type) || mlirTypeIsAF64(type) ||
         (mlirTypeIsAInteger(type) &&
          (mloptElementWidth(type) == 32 || mloptElementWidth(type) == 64));
}

/// Whether the operation is a sum of products that starts from zero.
static bool readGeneric(MlirOperation op, MloptProduct *out) {
  if (!mloptIsNamed(op, "linalg.generic") ||
      mlirOperationGetNumResults(op) != 1 || numInputs(op) != 2 ||
      !mlirTypeIsAShaped(mloptOperandType(op, 0)) ||
      !mlirTypeIsAShaped(mloptOperandType(op, 1)))
    return false;
  *out = (MloptProduct){.generic = op,
                        .sum = mloptElementType(mloptResultType(op, 0))};
  return isSummed(out->sum) && readBody(out) &&
         isFilledWithZero(mloptOperand(op, 2));
}

//===----------------------------------------------------------------------===//
// What comes of it
//===----------------------------------------------------------------------===//

static bool dependsOn(MlirValue value, MlirOperation product) {
  MlirOperation op = definerOf(value);
  if (mlirOperationIsNull(op) || mlirOperationEqual(op, product))
    return !mlirOperationIsNull(op);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (dependsOn(mloptOperand(op, i), product))
      return true;
  return false;
}

static bool isElementwise(MlirOperation op) {
  if (!mloptIsNamed(op, "linalg.generic"))
    return false;
  for (intptr_t i = 0, n = mlirAffineMapGetNumDims(mapOf(op, 0)); i < n; ++i)
    if (!isParallel(op, i))
      return false;
  for (MlirOperation inner = mlirBlockGetFirstOperation(bodyOf(op));
       !mlirOperationIsNull(inner); inner = mlirOperationGetNextInBlock(inner))
    if (mloptIsNamed(inner, "tensor.extract") ||
        mlirOperationGetNumRegions(inner) > 0)
      return false;
  return true;
}

/// Whether an element of a value needs the product, if at all, at the element
/// in the same place in row-major order alone, and no other sum.
static bool followsProduct(MlirValue value, MlirOperation product) {
  MlirOperation op = definerOf(value);
  if (mlirOperationIsNull(op) || mlirOperationEqual(op, product))
    return !mlirOperationIsNull(op);
  if (mloptIsNamed(op, "arith.constant") || mloptIsNamed(op, "tensor.empty") ||
      mloptIsNamed(op, "builtin.unrealized_conversion_cast"))
    return true;
  if (mloptIsNamed(op, "tensor.expand_shape") ||
      mloptIsNamed(op, "tensor.collapse_shape"))
    return followsProduct(mloptOperand(op, 0), product);
  if (!isElementwise(op))
    return false;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    MlirValue operand = mloptOperand(op, i);
    bool inPlace = mlirAffineMapIsIdentity(mapOf(op, i));
    if (!followsProduct(operand, product) ||
        ((i >= numInputs(op) || dependsOn(operand, product)) && !inPlace))
      return false;
  }
  return true;
}

static bool sameCount(MlirType a, MlirType b) {
  return mloptNumElements(a) == mloptNumElements(b);
}

/// Whether the program has one sum, and stores what comes of it.
static bool readProgram(MlirBlock program, MloptProduct *out) {
  intptr_t numProducts = 0, numStores = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(program);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    MloptProduct product;
    if (readGeneric(op, &product)) {
      *out = product;
      ++numProducts;
    }
  }
  if (numProducts != 1)
    return false;
  for (MlirOperation op = mlirBlockGetFirstOperation(program);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!mloptIsNamed(op, "bufferization.materialize_in_destination"))
      continue;
    MlirValue value = mloptOperand(op, 0);
    ++numStores;
    if (!dependsOn(value, out->generic) ||
        !followsProduct(value, out->generic) ||
        mloptElementWidth(mloptElementType(mlirValueGetType(value))) < 8 ||
        !sameCount(mlirValueGetType(value), mloptResultType(out->generic, 0)))
      return false;
  }
  return numStores > 0;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static bool hasLoop(MlirAffineExpr expr, intptr_t loop) {
  if (mlirAffineExprIsADim(expr))
    return mlirAffineDimExprGetPosition(expr) == loop;
  if (mlirAffineExprIsAConstant(expr) || mlirAffineExprIsASymbol(expr))
    return false;
  return hasLoop(mlirAffineBinaryOpExprGetLHS(expr), loop) ||
         hasLoop(mlirAffineBinaryOpExprGetRHS(expr), loop);
}

static bool mapHasLoop(MlirAffineMap map, intptr_t loop) {
  for (intptr_t i = 0, n = mlirAffineMapGetNumResults(map); i < n; ++i)
    if (hasLoop(mlirAffineMapGetResult(map, i), loop))
      return true;
  return false;
}

/// How often a loop runs: the size of a dimension that it indexes alone.
static int64_t sizeOf(MlirOperation generic, intptr_t loop) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(generic); i < n; ++i) {
    MlirAffineMap map = mapOf(generic, i);
    for (intptr_t d = 0, r = mlirAffineMapGetNumResults(map); d < r; ++d) {
      MlirAffineExpr expr = mlirAffineMapGetResult(map, d);
      if (mlirAffineExprIsADim(expr) &&
          mlirAffineDimExprGetPosition(expr) == loop)
        return mloptDim(mloptOperandType(generic, i), d);
    }
  }
  return -1;
}

static void addLoop(MloptProduct *p, MloptAxis axis, intptr_t loop) {
  MloptLoops *loops = &p->axes[axis];
  loops->at[loops->count++] = loop;
  loops->size *= p->sizes[loop];
}

/// Sorts the loops of the result in its order, then the others in theirs: those
/// in both factors or none are of the batch.
static bool splitLoops(MloptProduct *p) {
  MlirAffineMap maps[3];
  for (int i = 0; i < 3; ++i)
    maps[i] = mapOf(p->generic, i);
  p->numLoops = mlirAffineMapGetNumDims(maps[0]);
  if (p->numLoops > MLOPT_MAX_LOOPS_OF_PRODUCT ||
      !mlirAffineMapIsProjectedPermutation(maps[2]))
    return false;
  for (int axis = 0; axis < MLOPT_NUM_AXES; ++axis)
    p->axes[axis].size = 1;
  intptr_t numKept = mlirAffineMapGetNumResults(maps[2]);
  for (intptr_t i = 0; i < p->numLoops; ++i) {
    p->sizes[i] = sizeOf(p->generic, i);
    if (p->sizes[i] <= 0 || isParallel(p->generic, i) != mapHasLoop(maps[2], i))
      return false;
    if (!isParallel(p->generic, i))
      addLoop(p, MLOPT_AXIS_K, i);
  }
  for (intptr_t d = 0; d < numKept; ++d) {
    intptr_t loop =
        mlirAffineDimExprGetPosition(mlirAffineMapGetResult(maps[2], d));
    bool inA = mapHasLoop(maps[0], loop), inB = mapHasLoop(maps[1], loop);
    addLoop(p,
            inA == inB ? MLOPT_AXIS_BATCH
            : inA      ? MLOPT_AXIS_M
                       : MLOPT_AXIS_N,
            loop);
  }
  return true;
}

/// The loop of the result's last dimension of more than one element; -1 if
/// there is none.
static intptr_t lastLoop(const MloptProduct *p) {
  MlirAffineMap map = mapOf(p->generic, 2);
  for (intptr_t d = mlirAffineMapGetNumResults(map); d-- > 0;) {
    intptr_t loop =
        mlirAffineDimExprGetPosition(mlirAffineMapGetResult(map, d));
    if (p->sizes[loop] > 1)
      return loop;
  }
  return -1;
}

static bool axisHas(const MloptLoops *loops, intptr_t loop) {
  for (intptr_t i = 0; i < loops->count; ++i)
    if (loops->at[i] == loop)
      return true;
  return false;
}

/// The other way round, so that n is the axis of the result's last dimension.
static bool orient(MloptProduct *p) {
  intptr_t last = lastLoop(p);
  if (axisHas(&p->axes[MLOPT_AXIS_N], last))
    return true;
  if (!axisHas(&p->axes[MLOPT_AXIS_M], last))
    return false;
  MloptFactor factor = p->factors[0];
  p->factors[0] = p->factors[1];
  p->factors[1] = factor;
  MloptLoops loops = p->axes[MLOPT_AXIS_M];
  p->axes[MLOPT_AXIS_M] = p->axes[MLOPT_AXIS_N];
  p->axes[MLOPT_AXIS_N] = loops;
  return true;
}

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

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

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
      !isFilledWithZero(mloptOperand(op, 1)))
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
  MlirOperation op = definerOf(value);
  if (mlirOperationIsNull(op))
    return false;
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

static MloptAccess describeAccess(const MloptProduct *p, intptr_t operand) {
  MloptAccess access = {.numBounds = 0};
  MlirAffineMap map = mapOf(p->generic, operand);
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

bool mloptFindProduct(MlirBlock program, MloptProduct *out) {
  if (!readProgram(program, out) || !splitLoops(out) || !orient(out))
    return false;
  for (int i = 0; i < 2; ++i)
    out->factors[i].access = describeAccess(out, out->factors[i].operand);
  return true;
}
