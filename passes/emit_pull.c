//===- emit_pull.c - Elements of tensor programs on demand ----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row for each operation that moves elements about: given the indices of an
// element of its result, which element of which operand is it? Operations that
// compute are in emit_pull_generic.c.
//
//===----------------------------------------------------------------------===//

#include "emit_pull_impl.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

MloptPull *mloptPullCreate(MlirBlock block, MlirLocation location) {
  MloptPull *pull = calloc(1, sizeof *pull);
  if (pull) {
    pull->b = mloptBuilderAtEnd(block, location);
    pull->entry = block;
  }
  return pull;
}

bool mloptPullDestroy(MloptPull *pull) {
  bool ok = !pull->b.failed;
  mloptValueMapDestroy(&pull->pointers);
  mloptValueMapDestroy(&pull->scalars);
  free(pull->cached);
  free(pull->positions);
  free(pull->facts);
  free(pull->constants);
  free(pull);
  return ok;
}

MloptBuilder *mloptPullGetBuilder(MloptPull *pull) { return &pull->b; }

bool mloptPullGrow(MloptPull *pull, void **array, intptr_t count,
                   intptr_t *capacity, size_t size) {
  if (count < *capacity)
    return true;
  intptr_t larger = *capacity ? 2 * *capacity : 32;
  void *grown = realloc(*array, larger * size);
  if (!grown) {
    pull->b.failed = true;
    return false;
  }
  *array = grown;
  *capacity = larger;
  return true;
}

void mloptPullSetHooks(MloptPull *pull, MloptPullHooks hooks) {
  pull->hooks = hooks;
}

void mloptPullBindPointer(MloptPull *pull, MlirValue tensor,
                          MlirValue pointer) {
  pull->b.failed |= !mloptValueMapAdd(&pull->pointers, tensor, pointer);
}

MlirValue mloptPullFindPointer(MloptPull *pull, MlirValue tensor) {
  return mloptValueMapFind(&pull->pointers, tensor);
}

void mloptPullBindScalar(MloptPull *pull, MlirValue scalar, MlirValue value) {
  pull->b.failed |= !mloptValueMapAdd(&pull->scalars, scalar, value);
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// The rectangle of an extract_slice or insert_slice.
typedef struct Slice {
  intptr_t rank;
  MlirValue offsets[MLOPT_MAX_RANK]; ///< null where zero
  int64_t numbers[MLOPT_MAX_RANK];   ///< the offsets that are constant
  int64_t sizes[MLOPT_MAX_RANK];
  int64_t strides[MLOPT_MAX_RANK];
  intptr_t dimOf[MLOPT_MAX_RANK]; ///< dimension of the slice's type, -1: unit
} Slice;

/// Reads it; `firstOffset` is the operand where dynamic offsets start and
/// `type` the slice's type, which may lack unit dimensions. Sizes and strides
/// are static at level 4.
static Slice readSlice(MloptPull *pull, MlirOperation op, intptr_t firstOffset,
                       MlirType type) {
  MlirAttribute offsets = mloptAttr(op, "static_offsets");
  Slice slice = {.rank = mlirDenseArrayGetNumElements(offsets)};
  mloptI64ArrayGet(mloptAttr(op, "static_sizes"), slice.sizes);
  mloptI64ArrayGet(mloptAttr(op, "static_strides"), slice.strides);
  intptr_t next = firstOffset, dim = 0, rank = mloptRank(type);
  for (intptr_t i = 0; i < slice.rank; ++i) {
    int64_t offset = mlirDenseI64ArrayGetElement(offsets, i);
    slice.numbers[i] = offset;
    if (mloptIsDynamic(offset))
      slice.offsets[i] = mloptPullScalar(pull, mloptOperand(op, next++));
    else if (offset)
      slice.offsets[i] = mloptPullIndex(pull, offset);
    bool kept = dim < rank && slice.sizes[i] == mloptDim(type, dim);
    slice.dimOf[i] = kept ? dim++ : -1;
  }
  return slice;
}

static MlirValue pullExtractSlice(MloptPull *pull, MlirOperation op,
                                  intptr_t result, const MlirValue *indices) {
  Slice slice = readSlice(pull, op, 1, mloptResultType(op, 0));
  MlirValue source[MLOPT_MAX_RANK];
  for (intptr_t i = 0; i < slice.rank; ++i) {
    MlirValue index =
        slice.dimOf[i] < 0 ? mloptPullIndex(pull, 0) : indices[slice.dimOf[i]];
    index = mloptPullMul(pull, index, slice.strides[i]);
    source[i] = mlirValueIsNull(slice.offsets[i])
                    ? index
                    : mloptPullAdd(pull, index, slice.offsets[i]);
  }
  return mloptPullElement(pull, mloptOperand(op, 0), source);
}

/// Whether dimension `i` of the destination lies in the slice at `index`, and
/// where; a null condition means always.
static MlirValue insideSlice(MloptPull *pull, const Slice *slice, intptr_t i,
                             int64_t size, MlirValue index, MlirValue *where) {
  MloptBuilder *b = &pull->b;
  *where = index;
  bool fromZero = mlirValueIsNull(slice->offsets[i]);
  if (fromZero && slice->strides[i] == 1 && slice->sizes[i] == size)
    return (MlirValue){NULL};
  // A sum with a constant is found again as the place of a vector.
  MlirValue relative =
      fromZero ? index
      : mloptIsDynamic(slice->numbers[i])
          ? mloptBuildBinary(b, "arith.subi", index, slice->offsets[i])
          : mloptPullAdd(pull, index, mloptPullIndex(pull, -slice->numbers[i]));
  MlirValue stride = mloptPullIndex(pull, slice->strides[i]);
  MlirValue count = mloptPullIndex(pull, slice->sizes[i]);
  // Unsigned, a position before the slice is beyond it too.
  *where = slice->strides[i] == 1
               ? relative
               : mloptBuildBinary(b, "arith.divui", relative, stride);
  MlirValue inside = mloptBuildCmpI(b, "ult", *where, count);
  if (slice->strides[i] == 1)
    return inside;
  MlirValue rest = mloptBuildBinary(b, "arith.remui", relative, stride);
  MlirValue onGrid = mloptBuildCmpI(b, "eq", rest, mloptPullIndex(pull, 0));
  return mloptBuildBinary(b, "arith.andi", inside, onGrid);
}

MlirValue mloptPullInsertCondition(MloptPull *pull, MlirOperation op,
                                   const MlirValue *indices, MlirValue *outAt) {
  MlirType type = mloptResultType(op, 0);
  Slice slice = readSlice(pull, op, 2, mloptOperandType(op, 0));
  MlirValue condition = {NULL};
  for (intptr_t i = 0; i < slice.rank; ++i) {
    MlirValue where, inside = insideSlice(pull, &slice, i, mloptDim(type, i),
                                          indices[i], &where);
    if (slice.dimOf[i] >= 0)
      outAt[slice.dimOf[i]] = where;
    if (mlirValueIsNull(inside))
      continue;
    condition =
        mlirValueIsNull(condition)
            ? inside
            : mloptBuildBinary(&pull->b, "arith.andi", condition, inside);
  }
  return condition;
}

/// Where the emitter knows no better, reads the slice's element, at its start
/// where there is none, and the destination's, and takes one: a vector's
/// elements then stay in one block.
static MlirValue pullInsertSlice(MloptPull *pull, MlirOperation op,
                                 intptr_t result, const MlirValue *indices) {
  MloptBuilder *b = &pull->b;
  MlirValue source = mloptOperand(op, 0), dest = mloptOperand(op, 1);
  MlirValue at[MLOPT_MAX_RANK], out = {NULL};
  if (pull->hooks.insert)
    out = pull->hooks.insert(pull->hooks.userData, op, indices);
  if (!mlirValueIsNull(out))
    return out;
  MlirValue condition = mloptPullInsertCondition(pull, op, indices, at);
  if (mlirValueIsNull(condition))
    return mloptPullElement(pull, source, at);
  for (intptr_t i = 0, n = mloptRank(mlirValueGetType(source)); i < n; ++i)
    at[i] = mloptBuildSelect(b, condition, at[i], mloptPullIndex(pull, 0));
  MlirValue inserted = mloptPullElement(pull, source, at);
  return mloptBuildSelect(b, condition, inserted,
                          mloptPullElement(pull, dest, indices));
}

//===----------------------------------------------------------------------===//
// Reshapes, creation
//===----------------------------------------------------------------------===//

MlirValue mloptPullPoison(MloptPull *pull, MlirType type) {
  return mloptBuildValue(
      &pull->b,
      (MloptOpSpec){.name = "ub.poison", .numResults = 1, .results = &type});
}

static MlirValue pullReshape(MloptPull *pull, MlirOperation op, intptr_t result,
                             const MlirValue *indices) {
  MlirValue source = mloptOperand(op, 0), at[MLOPT_MAX_RANK];
  MlirValue position =
      mloptPullLinearize(pull, mloptResultType(op, 0), indices);
  mloptPullDelinearize(pull, mlirValueGetType(source), position, at);
  return mloptPullElement(pull, source, at);
}

static MlirValue pullEmpty(MloptPull *pull, MlirOperation op, intptr_t result,
                           const MlirValue *indices) {
  return mloptPullPoison(pull, mloptElementType(mloptResultType(op, 0)));
}

static MlirValue pullConstant(MloptPull *pull, MlirOperation op,
                              intptr_t result, const MlirValue *indices) {
  MlirAttribute value = mloptAttr(op, "value");
  if (mlirAttributeIsADenseElements(value) &&
      mlirDenseElementsAttrIsSplat(value))
    return mloptBuildConstant(&pull->b,
                              mlirDenseElementsAttrGetSplatValue(value));
  mloptOpError(op, "cannot be emitted: only splat constants lie in a kernel");
  pull->b.failed = true;
  return (MlirValue){NULL};
}

/// Of two tensors by one scalar.
static MlirValue pullSelect(MloptPull *pull, MlirOperation op, intptr_t result,
                            const MlirValue *indices) {
  MlirValue condition = mloptPullScalar(pull, mloptOperand(op, 0));
  MlirValue a = mloptPullElement(pull, mloptOperand(op, 1), indices);
  MlirValue b = mloptPullElement(pull, mloptOperand(op, 2), indices);
  return mloptBuildSelect(&pull->b, condition, a, b);
}

static MlirValue pullFromElements(MloptPull *pull, MlirOperation op,
                                  intptr_t result, const MlirValue *indices) {
  if (mlirOperationGetNumOperands(op) == 1)
    return mloptPullScalar(pull, mloptOperand(op, 0));
  mloptOpError(op, "cannot be emitted: it has more than one element");
  pull->b.failed = true;
  return (MlirValue){NULL};
}

static MlirValue pullGeneric(MloptPull *pull, MlirOperation op, intptr_t result,
                             const MlirValue *indices) {
  const MlirValue *results = mloptPullGeneric(pull, op, result, indices);
  return results ? results[result] : (MlirValue){NULL};
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

static const struct {
  const char *name;
  MlirValue (*pull)(MloptPull *, MlirOperation, intptr_t result,
                    const MlirValue *indices);
} rows[] = {
    {"arith.constant", pullConstant},
    {"arith.select", pullSelect},
    {"linalg.generic", pullGeneric},
    {"tensor.collapse_shape", pullReshape},
    {"tensor.empty", pullEmpty},
    {"tensor.expand_shape", pullReshape},
    {"tensor.extract_slice", pullExtractSlice},
    {"tensor.from_elements", pullFromElements},
    {"tensor.insert_slice", pullInsertSlice},
};

MlirValue mloptPullElement(MloptPull *pull, MlirValue tensor,
                           const MlirValue *indices) {
  if (pull->b.failed)
    return (MlirValue){NULL};
  MlirValue pointer = mloptValueMapFind(&pull->pointers, tensor);
  if (!mlirValueIsNull(pointer))
    return pull->hooks.load ? pull->hooks.load(pull->hooks.userData, tensor,
                                               pointer, indices)
                            : mloptPullLoad(pull, pointer,
                                            mlirValueGetType(tensor), indices);
  if (mlirValueIsAOpResult(tensor)) {
    MlirOperation op = mlirOpResultGetOwner(tensor);
    intptr_t row = MLOPT_FIND_ROW(op, rows);
    if (row >= 0)
      return rows[row].pull(pull, op, mlirOpResultGetResultNumber(tensor),
                            indices);
    MlirValue bound = mloptPullFindElement(pull, tensor, indices);
    if (!mlirValueIsNull(bound))
      return bound;
    mloptOpError(op, "cannot be emitted into a kernel");
  } else {
    mloptErrorAt(pull->b.location,
                 "a kernel reads a tensor that is no parameter of it");
  }
  pull->b.failed = true;
  return (MlirValue){NULL};
}

MlirValue mloptPullScalar(MloptPull *pull, MlirValue scalar) {
  MlirValue known = mloptValueMapFind(&pull->scalars, scalar);
  if (!mlirValueIsNull(known) || pull->b.failed)
    return known;
  MlirOperation op = mloptDefiningOp(scalar);
  if (mlirOperationIsNull(op)) {
    mloptErrorAt(pull->b.location,
                 "a kernel reads a scalar that is no parameter of it");
    pull->b.failed = true;
    return known;
  }
  mloptPullOperation(pull, op, NULL);
  return mloptValueMapFind(&pull->scalars, scalar);
}
