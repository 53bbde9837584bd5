//===- nv_tile.c - Tiles of elements in registers -------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nv_tile_impl.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

MlirValue mloptReadRegister(MloptBuilder *b, const char *name) {
  MlirType i32 = mlirIntegerTypeGet(b->context, 32);
  MlirValue value = mloptBuildValue(
      b, (MloptOpSpec){.name = name, .numResults = 1, .results = &i32});
  return mloptBuildUnary(b, "arith.index_castui", value,
                         mlirIndexTypeGet(b->context));
}

void mloptTileEnter(MloptTile *tile) {
  tile->block = mloptPullGetBuilder(tile->pull)->block;
  tile->numLoads = tile->numInserts = 0;
}

void mloptTileDestroy(MloptTile *tile) {
  free(tile->loads);
  free(tile->inserts);
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

void mloptTileVectorAt(MloptTile *tile, MlirValue position, int count,
                       MloptVector *out) {
  *out = (MloptVector){.count = count};
  for (int k = 0; k < count; ++k)
    out->position[k] = mloptPullLane(tile->pull, position, k, count);
}

void mloptTileVectorIn(MloptTile *tile, MlirValue row, int64_t columns,
                       MlirValue column, int count, MloptVector *out) {
  MloptPull *pull = tile->pull;
  MloptBuilder *b = mloptPullGetBuilder(pull);
  MlirValue begin =
      mloptBuildBinary(b, "arith.muli", row, mloptPullIndex(pull, columns));
  mloptTileVectorAt(tile, mloptBuildBinary(b, "arith.addi", begin, column),
                    count, out);
  for (int k = 0; k < count; ++k) {
    out->column[k] = mloptPullLane(pull, column, k, count);
    mloptPullBindSplit(pull, out->position[k], row, columns, out->column[k]);
  }
}

void mloptTileSplitRow(MloptTile *tile, MloptVector *vector, int64_t columns) {
  MloptPull *pull = tile->pull;
  MloptBuilder *b = mloptPullGetBuilder(pull);
  MlirValue size = mloptPullIndex(pull, columns), first = vector->position[0];
  MlirValue row = mloptBuildBinary(b, "arith.divui", first, size);
  MlirValue column = mloptBuildBinary(b, "arith.remui", first, size);
  mloptPullBindOuter(pull, row);
  for (int k = 0; k < vector->count; ++k) {
    vector->column[k] = columns % vector->count
                            ? mloptPullRun(pull, column, k, vector->count)
                            : mloptPullLane(pull, column, k, vector->count);
    mloptPullBindSplit(pull, vector->position[k], row, columns,
                       vector->column[k]);
  }
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// How far back the arithmetic of an index is followed.
enum { MAX_DEPTH = 16 };

/// Whether all elements of the vector see the same value: it does not come from
/// where they are, or only from indices that they share.
static bool isSharedWithin(const MloptTile *tile, MlirValue value, int depth) {
  const MloptVector *v = tile->vector;
  for (int k = 0; k < v->count; ++k)
    if (mlirValueEqual(value, v->position[k]) ||
        (!mlirValueIsNull(v->column[k]) && mlirValueEqual(value, v->column[k])))
      return false;
  if (mlirValueIsABlockArgument(value) ||
      mloptIsDefinedBy(value, "arith.constant") ||
      mloptPullIsOuter(tile->pull, value))
    return true;
  MlirOperation op = mlirOpResultGetOwner(value);
  if (!depth || mlirOperationGetNumRegions(op))
    return false;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (!isSharedWithin(tile, mloptOperand(op, i), depth - 1))
      return false;
  return true;
}

bool mloptTileIsShared(const MloptTile *tile, MlirValue value) {
  return isSharedWithin(tile, value, MAX_DEPTH);
}

/// Whether a value is known to be a multiple of a number.
static bool isMultiple(MlirValue value, int64_t of) {
  if (!mlirValueIsAOpResult(value))
    return of == 1;
  MlirOperation op = mlirOpResultGetOwner(value);
  if (mloptIsDefinedBy(value, "arith.constant"))
    return mlirIntegerAttrGetValueInt(mloptAttr(op, "value")) % of == 0;
  if (mloptIsNamed(op, "arith.muli"))
    return isMultiple(mloptOperand(op, 0), of) ||
           isMultiple(mloptOperand(op, 1), of);
  if (mloptIsNamed(op, "arith.addi"))
    return isMultiple(mloptOperand(op, 0), of) &&
           isMultiple(mloptOperand(op, 1), of);
  return of == 1;
}

/// The index of the vector's first element where this one's is an index along
/// the vector, or that plus a multiple of the vector's length that all share;
/// null otherwise.
static MlirValue firstOf(MloptTile *tile, MlirValue index) {
  const MloptVector *v = tile->vector;
  MlirValue first = mloptPullFindFirst(tile->pull, index, tile->lane, v->count);
  if (!mlirValueIsNull(first) || !mlirValueIsAOpResult(index))
    return first;
  MlirOperation op = mlirOpResultGetOwner(index);
  if (!mloptIsNamed(op, "arith.addi"))
    return (MlirValue){NULL};
  for (int i = 0; i < 2; ++i) {
    MlirValue offset = mloptOperand(op, 1 - i);
    first = mloptPullFindFirst(tile->pull, mloptOperand(op, i), tile->lane,
                               v->count);
    if (!mlirValueIsNull(first) && isMultiple(offset, v->count) &&
        mloptTileIsShared(tile, offset))
      return mloptPullAdd(tile->pull, first, offset);
  }
  return (MlirValue){NULL};
}

static bool isConstantOf(MlirValue value, int64_t *out) {
  bool found = mloptIsDefinedBy(value, "arith.constant");
  if (found)
    *out = mlirIntegerAttrGetValueInt(
        mloptAttr(mlirOpResultGetOwner(value), "value"));
  return found;
}

/// What is subtracted from a constant to give `offset + along`, or null.
static MlirValue negatedOf(MlirValue along) {
  int64_t factor = 0;
  if (!mlirValueIsAOpResult(along))
    return (MlirValue){NULL};
  MlirOperation op = mlirOpResultGetOwner(along);
  return mloptIsNamed(op, "arith.muli") &&
                 isConstantOf(mloptOperand(op, 1), &factor) && factor == -1
             ? mloptOperand(op, 0)
             : (MlirValue){NULL};
}

MloptRun mloptTileRunOf(MloptTile *tile, MlirValue index) {
  const int count = tile->vector->count;
  MloptPull *pull = tile->pull;
  MloptRun run = {.first = mloptPullFindRun(pull, index, tile->lane, count)};
  if (!mlirValueIsNull(run.first) || !mlirValueIsAOpResult(index) ||
      !mloptIsNamed(mlirOpResultGetOwner(index), "arith.addi"))
    return run;
  for (int i = 0; i < 2 && mlirValueIsNull(run.first); ++i) {
    MlirValue along = mloptOperand(mlirOpResultGetOwner(index), i);
    MlirValue offset = mloptOperand(mlirOpResultGetOwner(index), 1 - i);
    MlirValue negated = negatedOf(along), first;
    int64_t number = 0;
    if (mlirValueIsNull(negated)) {
      first = mloptPullFindRun(pull, along, tile->lane, count);
      if (!mlirValueIsNull(first) && mloptTileIsShared(tile, offset))
        run.first = mloptPullAdd(pull, first, offset);
    } else if (isConstantOf(offset, &number)) {
      first = mloptPullFindRun(pull, negated, tile->lane, count);
      if (mlirValueIsNull(first))
        continue;
      int64_t least = number - (count - 1);
      MlirValue even = mloptPullFindFirst(pull, negated, tile->lane, count);
      run = (MloptRun){
          .first = mloptPullAdd(
              pull, mloptPullTimes(pull, first, mloptPullIndex(pull, -1)),
              mloptPullIndex(pull, least)),
          .isBackwards = true,
          .isEven = !mlirValueIsNull(even) && least % count == 0};
    }
  }
  return run;
}

/// The last dimension of more than one element; -1 if there is none.
static intptr_t innerDim(MlirType tensor) {
  intptr_t inner = mloptRank(tensor) - 1;
  while (inner >= 0 && mloptDim(tensor, inner) == 1)
    --inner;
  return inner;
}

/// The position of the vector's first element in a tensor where all of them
/// lie side by side, on a multiple of the vector's length; null otherwise.
static MlirValue sideBySide(MloptTile *tile, MlirType tensor,
                            const MlirValue *indices, MlirValue position) {
  const MloptVector *v = tile->vector;
  MlirValue known =
      mloptPullFindFirst(tile->pull, position, tile->lane, v->count);
  if (!mlirValueIsNull(known))
    return known;
  intptr_t rank = mloptRank(tensor), inner = innerDim(tensor);
  // The one dimension of a tensor needs no whole number of vectors.
  if (inner < 0 || (mloptDim(tensor, inner) % v->count &&
                    mloptDim(tensor, inner) != mloptNumElements(tensor)))
    return (MlirValue){NULL};
  MlirValue first[MLOPT_MAX_RANK];
  for (intptr_t i = 0; i < rank; ++i) {
    first[i] = i == inner ? firstOf(tile, indices[i]) : indices[i];
    if (mlirValueIsNull(first[i]) || (i != inner && mloptDim(tensor, i) != 1 &&
                                      !mloptTileIsShared(tile, indices[i])))
      return (MlirValue){NULL};
  }
  return mloptPullLinearize(tile->pull, tensor, first);
}

/// The same for the position in a tensor where they are neighbours in it.
static MloptRun neighbours(MloptTile *tile, MlirType tensor,
                           const MlirValue *indices) {
  intptr_t rank = mloptRank(tensor), inner = innerDim(tensor);
  MlirValue first[MLOPT_MAX_RANK];
  MloptRun run = {.first = {NULL}}, none = run;
  if (inner < 0)
    return none;
  for (intptr_t i = 0; i < rank; ++i) {
    first[i] = indices[i];
    if (i == inner) {
      run = mloptTileRunOf(tile, indices[i]);
      first[i] = run.first;
    }
    if (mlirValueIsNull(first[i]) || (i != inner && mloptDim(tensor, i) != 1 &&
                                      !mloptTileIsShared(tile, indices[i])))
      return none;
  }
  run.first = mloptPullLinearize(tile->pull, tensor, first);
  run.isEven &= mloptDim(tensor, inner) % tile->vector->count == 0;
  return run;
}

static MloptTileLoad *findLoad(MloptTile *tile, MlirValue tensor,
                               MlirValue position, int count) {
  for (intptr_t i = tile->numLoads; i-- > 0;) {
    MloptTileLoad *load = &tile->loads[i];
    if (load->count == count && mlirValueEqual(load->tensor, tensor) &&
        mlirValueEqual(load->position, position))
      return load;
  }
  return NULL;
}

static MloptTileLoad *addLoad(MloptTile *tile) {
  return mloptPullGrow(tile->pull, (void **)&tile->loads, tile->numLoads,
                       &tile->maxLoads, sizeof *tile->loads)
             ? &tile->loads[tile->numLoads++]
             : NULL;
}

void mloptTileBind(MloptTile *tile, MlirValue tensor, MlirValue position,
                   int count, const MlirValue *elements) {
  MloptTileLoad *load = addLoad(tile);
  if (!load)
    return;
  *load =
      (MloptTileLoad){.tensor = tensor, .position = position, .count = count};
  memcpy(load->elements, elements, count * sizeof *elements);
}

bool mloptTileIsAtVector(const MloptTile *tile) {
  const MloptBuilder *b = mloptPullGetBuilder(tile->pull);
  return !b->failed && tile->vector && mlirBlockEqual(b->block, tile->block) &&
         mlirOperationIsNull(b->before);
}

/// Loads the elements from a position on, or all of the vector from the copy
/// of the tensor, if there is one.
static void loadElements(MloptTile *tile, MlirValue tensor, MlirValue pointer,
                         MloptTileLoad *load, bool isEven) {
  const MloptVector *v = tile->vector;
  if (!isEven) {
    mloptTileLoadRun(tile, pointer, mlirValueGetType(tensor), load->position,
                     load->count, load->elements);
    return;
  }
  MlirValue from = load->position;
  bool isVector = !mlirValueIsNull(v->copy) && load->count == v->count &&
                  mlirValueEqual(from, v->position[0]);
  for (intptr_t i = 0; isVector && i < tile->numCopies; ++i)
    if (mlirValueEqual(tile->copies[i].tensor, tensor)) {
      pointer = tile->copies[i].pointer;
      from = v->copy;
      load->isCopy = true;
    }
  MlirType type = mlirValueGetType(tensor);
  MlirValue words[MLOPT_MAX_LANES];
  if (!mlirValueIsNull(v->isWhole) && load->count == v->count &&
      mlirValueEqual(load->position, v->position[0]))
    mloptTileLoadToEnd(tile, pointer, type, words);
  else
    mloptTileLoadWords(tile, pointer, type, from, load->count, words);
  if (!mloptPullGetBuilder(tile->pull)->failed)
    mloptTileUnpack(tile, mloptElementType(type), load->count, words,
                    load->elements);
}

MlirValue mloptTileLoad(void *userData, MlirValue tensor, MlirValue pointer,
                        const MlirValue *indices) {
  MloptTile *tile = userData;
  MloptPull *pull = tile->pull;
  MlirType type = mlirValueGetType(tensor);
  // Inside a branch, the other elements of the vector may not be there.
  if (!mloptTileIsAtVector(tile))
    return mloptPullLoad(pull, pointer, type, indices);
  MlirValue position = mloptPullLinearize(pull, type, indices);
  MloptRun run = {.first = sideBySide(tile, type, indices, position),
                  .isEven = true};
  if (mlirValueIsNull(run.first) && tile->vector->count > 1)
    run = neighbours(tile, type, indices);
  int count = mlirValueIsNull(run.first) ? 1 : tile->vector->count;
  if (count == 1)
    run = (MloptRun){.first = position, .isEven = true};
  MloptTileLoad *load = findLoad(tile, tensor, run.first, count);
  if (!load) {
    load = addLoad(tile);
    if (!load)
      return (MlirValue){NULL};
    *load = (MloptTileLoad){
        .tensor = tensor, .position = run.first, .count = count};
    loadElements(tile, tensor, pointer, load, run.isEven);
  }
  return load->elements[count == 1        ? 0
                        : run.isBackwards ? count - 1 - tile->lane
                                          : tile->lane];
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

void mloptTileEvaluate(MloptTile *tile, const MloptVector *vector,
                       MlirValue tensor, MlirValue *out) {
  tile->vector = vector;
  for (int k = 0; k < vector->count; ++k) {
    MlirValue indices[MLOPT_MAX_RANK];
    tile->lane = k;
    mloptPullDelinearize(tile->pull, mlirValueGetType(tensor),
                         vector->position[k], indices);
    out[k] = mloptPullElement(tile->pull, tensor, indices);
  }
}
