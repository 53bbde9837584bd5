//===- prologue.c - Factors that a kernel computes ------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks from the product's operand back to what lies in memory, the indices
// being functions of the product's loops all the way: one of the tensors there
// is as large as the factor, and the others depend on one of its loops, or on
// none.
//
//===----------------------------------------------------------------------===//

#include "prologue.h"

#include "contraction_impl.h"

/// Tensors beside the source.
enum { MOST_SHARED = 8 };
typedef struct Search {
  MloptPrologue *p;
  int numSources, numShared;
  MlirValue shared[MOST_SHARED];
} Search;

static bool follow(Search *, MlirValue, const MloptAffine *indices);

static bool isConstant(MlirValue value) {
  return mloptIsDefinedBy(value, "arith.constant");
}

/// Whether an index depends on the factor's loop `i`.
static bool dependsOn(const MloptPrologue *p, const MloptAffine *index, int i) {
  return index->factor[p->loopOf[i]] != 0;
}

//===----------------------------------------------------------------------===//
// What lies in memory
//===----------------------------------------------------------------------===//

static bool addSource(Search *s, MlirValue tensor, MlirType type,
                      const MloptAffine *position) {
  s->p->source = tensor;
  s->p->type = type;
  s->p->position = *position;
  unsigned width = mloptElementWidth(mloptElementType(type));
  // Neighbours of the factor are neighbours there.
  return ++s->numSources == 1 && width >= 8 && width <= 32 &&
         position->factor[s->p->loopOf[1]] == 1;
}

/// A tensor in memory: the source, if it has an element for each of the
/// factor's.
static bool reach(Search *s, const MloptAccess *access) {
  if (access->numBounds)
    return false;
  if (!dependsOn(s->p, &access->position, 0) ||
      !dependsOn(s->p, &access->position, 1)) {
    if (s->numShared < MOST_SHARED)
      s->shared[s->numShared] = access->tensor;
    return s->numShared++ < MOST_SHARED;
  }
  return addSource(s, access->tensor, mlirValueGetType(access->tensor),
                   &access->position);
}

//===----------------------------------------------------------------------===//
// Gathered elements
//===----------------------------------------------------------------------===//

/// The loop that a value in a body counts; -1 if it is none.
static int64_t countedLoop(MlirValue value) {
  return mloptIsDefinedBy(value, "linalg.index")
             ? mlirIntegerAttrGetValueInt(
                   mloptAttr(mloptDefiningOp(value), "dim"))
             : -1;
}

/// Whether a tensor is elementwise code of what lies in memory.
static bool isElementwise(MlirValue tensor) {
  MlirOperation op = mloptDefiningOp(tensor);
  if (mlirOperationIsNull(op))
    return false;
  if (isConstant(tensor) || mloptIsNamed(op, "tensor.empty") ||
      mloptParameterOf(tensor) >= 0)
    return true;
  if (!isView(tensor) && (!mloptIsNamed(op, "linalg.generic") ||
                          !mloptIsParallelGeneric(op) || mloptIsIrregular(op)))
    return false;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (!isElementwise(mloptOperand(op, i)))
      return false;
  return true;
}

/// Whether a value in the body of a gather is the same for all of a row.
static bool isOfRow(const MloptPrologue *p, MlirValue value) {
  MlirBlock body = bodyOf(p->gather);
  int64_t loop = countedLoop(value);
  if (loop >= 0)
    return !dependsOn(p, &p->loops[loop], 1);
  if (mlirValueIsABlockArgument(value)) {
    MloptAffine indices[MLOPT_MAX_RANK];
    intptr_t operand = mlirBlockArgumentGetArgNumber(value);
    if (!mlirBlockEqual(mlirBlockArgumentGetOwner(value), body) ||
        operand >= numInputs(p->gather) ||
        !mloptApplyMap(mapOf(p->gather, operand), p->loops, indices))
      return false;
    intptr_t rank = mlirAffineMapGetNumResults(mapOf(p->gather, operand));
    for (intptr_t d = 0; d < rank; ++d)
      if (dependsOn(p, &indices[d], 1))
        return false;
    return true;
  }
  MlirOperation op = mloptDefiningOp(value);
  if (!mlirBlockEqual(mlirOperationGetBlock(op), body))
    return isConstant(value);
  if (mlirOperationGetNumRegions(op))
    return false;
  bool isRead = mloptIsNamed(op, "tensor.extract");
  if (isRead && !isElementwise(mloptOperand(op, 0)))
    return false;
  for (intptr_t i = isRead, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (!isOfRow(p, mloptOperand(op, i)))
      return false;
  return true;
}

/// An extract in the body of the gather whose element is not the same for all
/// of a row: of a tensor in memory, by indices that a row shares but for the
/// one along it.
static bool reachGathered(Search *s, MlirOperation extract) {
  MloptPrologue *p = s->p;
  MlirValue source = mloptOperand(extract, 0);
  if (!mlirOperationIsNull(p->extract) ||
      !mloptIsDefinedBy(source, "builtin.unrealized_conversion_cast"))
    return false;
  p->extract = extract;
  MlirType type = mlirValueGetType(source);
  MloptAffine known[MLOPT_MAX_RANK];
  for (intptr_t d = 0, rank = mloptRank(type); d < rank; ++d) {
    MlirValue index = mloptOperand(extract, d + 1);
    int64_t loop = countedLoop(index);
    known[d] = (MloptAffine){.constant = 0};
    if (loop >= 0)
      known[d] = p->loops[loop];
    else if (isOfRow(p, index))
      p->indices[d] = index;
    else
      return false;
  }
  MloptAffine position = mloptLinearAffine(type, known);
  return addSource(s, source, type, &position);
}

static bool hasExtracts(MlirOperation generic) {
  MlirBlock body = bodyOf(generic);
  for (MlirOperation op = mlirBlockGetFirstOperation(body);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (mloptIsNamed(op, "tensor.extract"))
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// What is computed
//===----------------------------------------------------------------------===//

/// The body of a generic whose loops are these functions; counts what it
/// computes of each element.
static bool followBody(Search *s, MlirOperation generic,
                       const MloptAffine *loops) {
  MloptPrologue *p = s->p;
  MlirBlock body = bodyOf(generic);
  bool gathers = hasExtracts(generic);
  if (gathers && !mlirOperationIsNull(p->gather))
    return false;
  if (gathers) {
    intptr_t numLoops = mlirAffineMapGetNumDims(mapOf(generic, 0));
    p->gather = generic;
    memcpy(p->loops, loops, (size_t)numLoops * sizeof *loops);
  }
  MlirOperation end = mlirBlockGetTerminator(body);
  for (MlirOperation op = mlirBlockGetFirstOperation(body);
       !mlirOperationEqual(op, end); op = mlirOperationGetNextInBlock(op)) {
    if (mlirOperationGetNumRegions(op))
      return false;
    if (gathers && isOfRow(p, mloptResult(op, 0)))
      continue;
    if (mloptIsNamed(op, "tensor.extract")) {
      if (!reachGathered(s, op))
        return false;
    } else {
      p->operations += !mloptIsNamed(op, "arith.constant") &&
                       !mloptIsNamed(op, "linalg.index");
    }
  }
  return true;
}

static bool followGeneric(Search *s, MlirOperation op,
                          const MloptAffine *indices) {
  MlirAffineMap to = mapOf(op, numInputs(op));
  MloptAffine loops[MLOPT_MAX_RANK] = {{.constant = 0}};
  if (mlirOperationGetNumResults(op) != 1 || !mloptIsParallelGeneric(op) ||
      !mlirAffineMapIsPermutation(to))
    return false;
  for (intptr_t d = 0, n = mlirAffineMapGetNumResults(to); d < n; ++d)
    loops[loopOf(to, d)] = indices[d];
  if (!followBody(s, op, loops))
    return false;
  for (intptr_t i = 0; i < numInputs(op); ++i) {
    MlirValue input = mloptOperand(op, i);
    MloptAffine at[MLOPT_MAX_RANK];
    if (mlirTypeIsAShaped(mlirValueGetType(input))
            ? !mloptApplyMap(mapOf(op, i), loops, at) || !follow(s, input, at)
            : !isConstant(input))
      return false;
  }
  return true;
}

static bool followView(Search *s, MlirValue value, const MloptAffine *indices) {
  MlirValue source = mloptOperand(mloptDefiningOp(value), 0);
  MloptAffine joined[MLOPT_MAX_RANK];
  return mloptJoinAffine(mlirValueGetType(source), mlirValueGetType(value),
                         indices, joined) &&
         follow(s, source, joined);
}

static bool follow(Search *s, MlirValue value, const MloptAffine *indices) {
  if (isConstant(value))
    return true;
  MloptAccess access = mloptDescribeElement(value, indices);
  if (access.isKnown)
    return reach(s, &access);
  if (isView(value))
    return followView(s, value, indices);
  return mloptIsDefinedBy(value, "linalg.generic") &&
         followGeneric(s, mloptDefiningOp(value), indices);
}

/// The loops of more than one turn that an operand's dimensions are.
static bool readLoops(MlirOperation product, intptr_t operand,
                      MloptPrologue *p) {
  MlirAffineMap map = mapOf(product, operand);
  MlirType type = mloptOperandType(product, operand);
  int count = 0;
  for (intptr_t d = 0, n = mlirAffineMapGetNumResults(map); d < n; ++d) {
    if (mloptDim(type, d) == 1)
      continue;
    if (count == MLOPT_COUNT(p->loopOf) || loopOf(map, d) < 0)
      return false;
    p->loopOf[count] = loopOf(map, d);
    p->sizes[count++] = mloptDim(type, d);
  }
  return count == MLOPT_COUNT(p->loopOf);
}

static bool comesFrom(MlirValue tensor, MlirValue source) {
  MlirOperation op = mloptDefiningOp(tensor);
  if (mlirValueEqual(tensor, source) || mlirOperationIsNull(op))
    return mlirValueEqual(tensor, source);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (comesFrom(mloptOperand(op, i), source))
      return true;
  return false;
}

/// Whether the one source is not read otherwise too: a kernel that has loaded
/// its element asks for no other.
static bool hasSource(const Search *s) {
  const MloptPrologue *p = s->p;
  bool isRead = s->numSources != 1;
  for (int i = 0; i < s->numShared; ++i)
    isRead |= mlirValueEqual(s->shared[i], p->source);
  for (MlirOperation op = mlirOperationIsNull(p->gather)
                              ? p->gather
                              : mlirBlockGetFirstOperation(bodyOf(p->gather));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    isRead |= mloptIsNamed(op, "tensor.extract") &&
              !mlirOperationEqual(op, p->extract) &&
              comesFrom(mloptOperand(op, 0), p->source);
  return !isRead;
}

bool mloptFindPrologue(MlirOperation product, intptr_t operand,
                       MloptPrologue *out) {
  *out = (MloptPrologue){.factor = mloptOperand(product, operand)};
  MloptAffine indices[MLOPT_MAX_RANK];
  Search search = {.p = out};
  return mlirTypeIsAShaped(mlirValueGetType(out->factor)) &&
         readLoops(product, operand, out) &&
         mloptOperandIndices(product, operand, indices) &&
         follow(&search, out->factor, indices) && hasSource(&search);
}
