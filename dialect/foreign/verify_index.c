//===- verify_index.c - Indexed access ------------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dynamic slices, gather and scatter: their dimension numbers name dimensions
// that exist, once each, and their shapes fit together.
//
//===----------------------------------------------------------------------===//

#include "tables.h"

static MlirLogicalResult checkIndices(MlirOperation op, intptr_t first,
                                      intptr_t rank) {
  intptr_t n = mlirOperationGetNumOperands(op) - first;
  if (n != rank)
    return mloptOpError(op, "has %ld start indices, but needs %ld", (long)n,
                        (long)rank);
  for (intptr_t i = 0; i < n; ++i) {
    MlirType type = mloptOperandType(op, first + i);
    if (mloptRank(type) || !mlirTypeIsAInteger(mloptElementType(type)))
      return mloptOpError(op,
                          "start index %ld must be a scalar tensor of an "
                          "integer type",
                          (long)i);
  }
  return mloptSuccess();
}

/// A slice of these sizes lies in the operand and has the shape of `type`.
static MlirLogicalResult checkSlice(MlirOperation op, const char *what,
                                    MlirType type, const MloptDims *sizes) {
  MlirType operand = mloptOperandType(op, 0);
  if (!mloptForeignSameElement(operand, type))
    return mloptOpError(op, "%s has another element type than the operand",
                        what);
  for (intptr_t i = 0; i < sizes->n; ++i) {
    int64_t size = mloptDim(operand, i);
    if (!mloptIsDynamic(sizes->at[i]) && !mloptIsDynamic(size) &&
        (sizes->at[i] < 0 || sizes->at[i] > size))
      return mloptOpError(op,
                          "%s has size %lld in dimension %ld, which has "
                          "%lld",
                          what, (long long)sizes->at[i], (long)i,
                          (long long)size);
  }
  return mloptForeignCheckShape(op, what, type, sizes);
}

MlirLogicalResult mloptForeignVerifyDynamicSlice(MlirOperation op) {
  if (mloptForeignIsDeep(op))
    return mloptSuccess();
  MloptDims sizes;
  intptr_t rank = mloptRank(mloptOperandType(op, 0));
  if (mloptFailed(checkIndices(op, 1, rank)) ||
      mloptFailed(mloptForeignCheckInts(op, "slice_sizes", rank, 0, &sizes)))
    return mloptFailure();
  return checkSlice(op, "the result", mloptResultType(op, 0), &sizes);
}

MlirLogicalResult mloptForeignVerifyDynamicUpdateSlice(MlirOperation op) {
  if (mloptForeignIsDeep(op))
    return mloptSuccess();
  MlirType operand = mloptOperandType(op, 0), update = mloptOperandType(op, 1);
  MloptDims sizes;
  if (mloptRank(update) != mloptRank(operand))
    return mloptOpError(op, "the update has rank %lld, but must have %lld",
                        (long long)mloptRank(update),
                        (long long)mloptRank(operand));
  sizes.n = mloptShape(update, sizes.at);
  if (mloptFailed(checkIndices(op, 2, sizes.n)) ||
      mloptFailed(checkSlice(op, "the update", update, &sizes)))
    return mloptFailure();
  if (!mloptShapesAgree(operand, mloptResultType(op, 0)) ||
      !mloptForeignSameElement(operand, mloptResultType(op, 0)))
    return mloptOpError(op, "the operand and the result have different types");
  return mloptSuccess();
}

/// CHLO's top_k: values and indices of the k largest along the last dimension.
MlirLogicalResult mloptForeignVerifyTopK(MlirOperation op) {
  if (mloptForeignIsDeep(op))
    return mloptSuccess();
  MlirType operand = mloptOperandType(op, 0);
  int64_t k = mloptForeignGetInt(op, "k", 0);
  MloptDims shape;
  shape.n = mloptShape(operand, shape.at);
  if (!shape.n)
    return mloptOpError(op, "needs a dimension to search");
  int64_t *last = &shape.at[shape.n - 1];
  if (k < 0 || (!mloptIsDynamic(*last) && k > *last))
    return mloptOpError(op, "takes %lld of %lld elements", (long long)k,
                        (long long)*last);
  *last = k;
  if (!mlirTypeIsAInteger(mloptElementType(mloptResultType(op, 1))))
    return mloptOpError(op, "the indices must be integers");
  if (!mloptForeignSameElement(operand, mloptResultType(op, 0)))
    return mloptOpError(op, "changes the element type");
  if (mloptFailed(mloptForeignCheckShape(op, "result 0", mloptResultType(op, 0),
                                         &shape)))
    return mloptFailure();
  return mloptForeignCheckShape(op, "result 1", mloptResultType(op, 1), &shape);
}

//===----------------------------------------------------------------------===//
// Gather and scatter
//===----------------------------------------------------------------------===//

/// What gather and scatter have in common, in gather's terms: a window of each
/// index goes to or comes from a tensor that has the window's dimensions at
/// `window` and those of the indices, without their vector, elsewhere.
typedef struct Indexing {
  MlirType operand, indices, windowed;
  const char *windowedName;
  const MloptDims *window, *dropped, *operandBatching, *indicesBatching, *map;
  int64_t vectorDim;
  const char *windowDims, *droppedDims, *operandBatchingDims,
      *indicesBatchingDims, *mapDims;
} Indexing;

/// Dimensions of the operand in `dims` and among its batching ones are
/// distinct.
static MlirLogicalResult checkWithBatching(MlirOperation op, const Indexing *x,
                                           const char *name,
                                           const MloptDims *dims) {
  MloptDims both = *dims;
  for (intptr_t i = 0; i < x->operandBatching->n; ++i) {
    if (both.n == MLOPT_MAX_RANK)
      return mloptOpError(op, "%s and %s are too long together", name,
                          x->operandBatchingDims);
    both.at[both.n++] = x->operandBatching->at[i];
  }
  return mloptForeignCheckDims(op, name, &both, mloptRank(x->operand));
}

static MlirLogicalResult checkNumbers(MlirOperation op, const Indexing *x) {
  intptr_t indicesRank = mloptRank(x->indices);
  if (x->vectorDim < 0 || x->vectorDim > indicesRank)
    return mloptOpError(op,
                        "index_vector_dim is %lld, out of range for "
                        "indices of rank %ld",
                        (long long)x->vectorDim, (long)indicesRank);
  if (mloptFailed(checkWithBatching(op, x, x->droppedDims, x->dropped)) ||
      mloptFailed(checkWithBatching(op, x, x->mapDims, x->map)) ||
      mloptFailed(mloptForeignCheckDims(op, x->indicesBatchingDims,
                                        x->indicesBatching, indicesRank)) ||
      mloptFailed(mloptForeignCheckDims(op, x->windowDims, x->window,
                                        mloptRank(x->windowed))))
    return mloptFailure();
  for (intptr_t i = 0; i < x->indicesBatching->n; ++i)
    if (x->indicesBatching->at[i] == x->vectorDim)
      return mloptOpError(op, "%s has the index vector's dimension %lld",
                          x->indicesBatchingDims, (long long)x->vectorDim);
  for (intptr_t i = 1; i < x->window->n; ++i)
    if (x->window->at[i] < x->window->at[i - 1])
      return mloptOpError(op, "%s must be sorted", x->windowDims);
  return mloptSuccess();
}

static MlirLogicalResult checkCounts(MlirOperation op, const Indexing *x) {
  intptr_t rank = mloptRank(x->operand), indicesRank = mloptRank(x->indices);
  int64_t vector =
      x->vectorDim < indicesRank ? mloptDim(x->indices, x->vectorDim) : 1;
  if (!mloptSizesAgree(vector, x->map->n))
    return mloptOpError(op, "%s has %ld entries, but an index has %lld",
                        x->mapDims, (long)x->map->n, (long long)vector);
  if (x->operandBatching->n != x->indicesBatching->n)
    return mloptOpError(op, "%s has %ld entries, but %s has %ld",
                        x->operandBatchingDims, (long)x->operandBatching->n,
                        x->indicesBatchingDims, (long)x->indicesBatching->n);
  for (intptr_t i = 0; i < x->operandBatching->n; ++i)
    if (!mloptSizesAgree(mloptDim(x->operand, x->operandBatching->at[i]),
                         mloptDim(x->indices, x->indicesBatching->at[i])))
      return mloptOpError(op,
                          "batching dimensions %lld of the operand and "
                          "%lld of the indices have different sizes",
                          (long long)x->operandBatching->at[i],
                          (long long)x->indicesBatching->at[i]);
  intptr_t kept = rank - x->dropped->n - x->operandBatching->n;
  if (x->window->n != kept)
    return mloptOpError(op,
                        "%s has %ld entries, but the window has %ld "
                        "dimensions",
                        x->windowDims, (long)x->window->n, (long)kept);
  return mloptSuccess();
}

static bool contains(const MloptDims *dims, int64_t dim) {
  for (intptr_t i = 0; i < dims->n; ++i)
    if (dims->at[i] == dim)
      return true;
  return false;
}

/// The shape of `windowed`, given the window's sizes by operand dimension.
static MlirLogicalResult checkWindowed(MlirOperation op, const Indexing *x,
                                       const MloptDims *sizes) {
  intptr_t indicesRank = mloptRank(x->indices), window = 0, index = 0;
  MloptDims shape, kept = {0};
  for (intptr_t i = 0; i < sizes->n; ++i)
    if (!contains(x->dropped, i) && !contains(x->operandBatching, i))
      kept.at[kept.n++] = sizes->at[i];
  shape.n = kept.n + indicesRank - (x->vectorDim < indicesRank);
  if (shape.n != mloptRank(x->windowed))
    return mloptOpError(op, "%s has rank %lld, but must have %ld",
                        x->windowedName, (long long)mloptRank(x->windowed),
                        (long)shape.n);
  for (intptr_t i = 0; i < shape.n; ++i) {
    if (contains(x->window, i)) {
      shape.at[i] = kept.at[window++];
      continue;
    }
    index += index == x->vectorDim;
    shape.at[i] = mloptDim(x->indices, index++);
  }
  return mloptForeignCheckShape(op, x->windowedName, x->windowed, &shape);
}

static MlirLogicalResult checkIntegerIndices(MlirOperation op, MlirType type) {
  MlirType element = mloptElementType(type);
  return mlirTypeIsAInteger(element) || mlirTypeIsAIndex(element)
             ? mloptSuccess()
             : mloptOpError(op, "the indices must be integers");
}

MlirLogicalResult mloptForeignVerifyGather(MlirOperation op) {
  if (mloptForeignIsDeep(op))
    return mloptSuccess();
  MloptGatherDims dims;
  MloptDims sizes;
  mloptForeignGetGatherDims(op, &dims);
  Indexing x = {mloptOperandType(op, 0),
                mloptOperandType(op, 1),
                mloptResultType(op, 0),
                "the result",
                &dims.offset,
                &dims.collapsedSlice,
                &dims.operandBatching,
                &dims.startIndicesBatching,
                &dims.startIndexMap,
                dims.indexVectorDim,
                "offset_dims",
                "collapsed_slice_dims",
                "operand_batching_dims",
                "start_indices_batching_dims",
                "start_index_map"};
  if (mloptFailed(checkIntegerIndices(op, x.indices)) ||
      mloptFailed(mloptForeignCheckInts(op, "slice_sizes", mloptRank(x.operand),
                                        0, &sizes)) ||
      mloptFailed(checkNumbers(op, &x)) || mloptFailed(checkCounts(op, &x)))
    return mloptFailure();
  for (intptr_t i = 0; i < sizes.n; ++i) {
    int64_t size = mloptDim(x.operand, i);
    bool single = contains(x.dropped, i) || contains(x.operandBatching, i);
    if (sizes.at[i] < 0 || (!mloptIsDynamic(size) && sizes.at[i] > size) ||
        (single && sizes.at[i] > 1))
      return mloptOpError(op,
                          "slice_sizes has %lld for dimension %ld, out of "
                          "range",
                          (long long)sizes.at[i], (long)i);
  }
  if (!mloptForeignSameElement(x.operand, x.windowed))
    return mloptOpError(op, "changes the element type");
  return checkWindowed(op, &x, &sizes);
}

/// Input `i` of `n` with its update and its result.
static MlirLogicalResult checkUpdate(MlirOperation op,
                                     const MloptScatterDims *dims, intptr_t n,
                                     intptr_t i) {
  Indexing x = {mloptOperandType(op, i),
                mloptOperandType(op, n),
                mloptOperandType(op, n + 1 + i),
                "the update",
                &dims->updateWindow,
                &dims->insertedWindow,
                &dims->inputBatching,
                &dims->scatterIndicesBatching,
                &dims->scatterDimsToOperandDims,
                dims->indexVectorDim,
                "update_window_dims",
                "inserted_window_dims",
                "input_batching_dims",
                "scatter_indices_batching_dims",
                "scatter_dims_to_operand_dims"};
  if (!mloptShapesAgree(x.operand, mloptOperandType(op, 0)) ||
      !mloptShapesAgree(x.operand, mloptResultType(op, i)))
    return mloptOpError(op, "the inputs and results have different shapes");
  if (mloptFailed(checkIntegerIndices(op, x.indices)) ||
      mloptFailed(checkNumbers(op, &x)) || mloptFailed(checkCounts(op, &x)))
    return mloptFailure();
  // A window of an update may be smaller than the input.
  MloptDims sizes;
  sizes.n = mloptShape(x.operand, sizes.at);
  intptr_t window = 0;
  for (intptr_t d = 0; d < sizes.n; ++d) {
    if (contains(x.dropped, d) || contains(x.operandBatching, d))
      continue;
    int64_t size = mloptDim(x.windowed, x.window->at[window++]);
    if (!mloptIsDynamic(size) && !mloptIsDynamic(sizes.at[d]) &&
        size > sizes.at[d])
      return mloptOpError(
          op, "a window has size %lld in dimension %ld, which has %lld",
          (long long)size, (long)d, (long long)sizes.at[d]);
    sizes.at[d] = size;
  }
  return checkWindowed(op, &x, &sizes);
}

MlirLogicalResult mloptForeignVerifyScatter(MlirOperation op) {
  intptr_t numOperands = mlirOperationGetNumOperands(op);
  intptr_t n = numOperands / 2;
  if (mloptForeignIsDeep(op))
    return mloptSuccess();
  if (numOperands % 2 == 0 || n == 0)
    return mloptOpError(op,
                        "needs inputs, indices and as many updates, but "
                        "has %ld operands",
                        (long)numOperands);
  if (mlirOperationGetNumResults(op) != n)
    return mloptOpError(op, "has %ld inputs but %ld results", (long)n,
                        (long)mlirOperationGetNumResults(op));
  MloptScatterDims dims;
  mloptForeignGetScatterDims(op, &dims);
  for (intptr_t i = 0; i < n; ++i)
    if (mloptFailed(checkUpdate(op, &dims, n, i)))
      return mloptFailure();
  return mloptForeignCheckReducer(op, 0, n, 0, n + 1);
}
