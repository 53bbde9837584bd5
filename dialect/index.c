//===- index.c - gather and scatter ---------------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both take StableHLO's dimension numbers, flattened into array<i64>
// attributes; one function checks them for both.
//
//===----------------------------------------------------------------------===//

#include "index.h"

#include "kind.h"
#include "match.h"
#include "strides.h"

//===----------------------------------------------------------------------===//
// Dimension numbers
//===----------------------------------------------------------------------===//

const MloptIndexingNames mloptGatherNames = {
    "offset_dims", "collapsed_slice_dims", "operand_batching_dims",
    "start_indices_batching_dims", "start_index_map"};
const MloptIndexingNames mloptScatterNames = {
    "update_window_dims", "inserted_window_dims", "input_batching_dims",
    "scatter_indices_batching_dims", "scatter_dims_to_operand_dims"};

/// The dimensions of the indices: the index vector and the batch.
static bool readIndexDims(const MloptSubject *s, MlirType indices,
                          MloptIndexing *x) {
  int64_t shape[MLOPT_MAX_RANK];
  intptr_t rank = mloptShape(indices, shape);
  if (!mloptReadDim(s, "index_vector_dim", rank + 1, &x->indexVectorDim))
    return false;
  x->batchRank = 0;
  for (intptr_t i = 0; i < rank; ++i)
    if (i != x->indexVectorDim)
      x->batch[x->batchRank++] = shape[i];
  int64_t components = x->indexVectorDim < rank ? shape[x->indexVectorDim] : 1;
  return mloptIsDynamic(components) || components == x->map.count ||
         mloptReject(s,
                     "has index vectors of %" PRId64 " components for %" PRIdPTR
                     " mapped dimensions",
                     components, x->map.count);
}

/// Operand and index dimensions that go together.
static bool checkBatching(const MloptSubject *s,
                          const MloptIndexingNames *names, MlirType operand,
                          MlirType indices, const MloptIndexing *x) {
  if (x->operandBatch.count != x->indexBatch.count)
    return mloptReject(s,
                       "'%s' has %" PRIdPTR " entries, but '%s' has %" PRIdPTR,
                       names->operandBatch, x->operandBatch.count,
                       names->indexBatch, x->indexBatch.count);
  if (mloptHasInt(&x->indexBatch, x->indexVectorDim))
    return mloptReject(s, "'%s' names the index vector dimension %" PRId64,
                       names->indexBatch, x->indexVectorDim);
  for (intptr_t i = 0; i < x->operandBatch.count; ++i) {
    int64_t a = mloptDim(operand, x->operandBatch.at[i]);
    int64_t b = mloptDim(indices, x->indexBatch.at[i]);
    if (!mloptSizesAgree(a, b))
      return mloptReject(s,
                         "batching dimension #%" PRIdPTR " has size %" PRId64
                         " in the operand, but %" PRId64 " in the indices",
                         i, a, b);
  }
  return true;
}

bool mloptReadIndexing(const MloptSubject *s, const MloptIndexingNames *names,
                       MlirType operand, MlirType indices, MloptIndexing *x) {
  intptr_t rank = mloptRank(operand);
  if (!mloptReadDims(s, names->map, rank, &x->map) ||
      !readIndexDims(s, indices, x) ||
      !mloptReadSortedDims(s, names->window, MLOPT_MAX_RANK, &x->window))
    return false;
  intptr_t windowedRank = x->window.count + x->batchRank;
  if (windowedRank > MLOPT_MAX_RANK)
    return mloptReject(s,
                       "has %" PRIdPTR " window and %" PRIdPTR
                       " batch dimensions, more than %d together",
                       x->window.count, x->batchRank, MLOPT_MAX_RANK);
  if (!mloptReadSortedDims(s, names->window, windowedRank, &x->window) ||
      !mloptReadSortedDims(s, names->collapsed, rank, &x->collapsed) ||
      !mloptReadSortedDims(s, names->operandBatch, rank, &x->operandBatch) ||
      !mloptReadDims(s, names->indexBatch, mloptRank(indices),
                     &x->indexBatch) ||
      !mloptCheckDisjoint(s, names->collapsed, &x->collapsed,
                          names->operandBatch, &x->operandBatch) ||
      !mloptCheckDisjoint(s, names->map, &x->map, names->operandBatch,
                          &x->operandBatch) ||
      !checkBatching(s, names, operand, indices, x))
    return false;
  intptr_t covered =
      x->window.count + x->collapsed.count + x->operandBatch.count;
  return covered == rank ||
         mloptReject(s,
                     "'%s', '%s' and '%s' cover %" PRIdPTR
                     " dimensions of an operand of rank %" PRIdPTR,
                     names->window, names->collapsed, names->operandBatch,
                     covered, rank);
}

//===----------------------------------------------------------------------===//
// gather
//===----------------------------------------------------------------------===//

static bool readSliceSizes(const MloptSubject *s, MlirType operand,
                           const MloptIndexing *x, MloptInts *sizes) {
  if (!mloptReadInts(s, "slice_sizes", mloptRank(operand), 0, sizes))
    return false;
  for (intptr_t i = 0; i < sizes->count; ++i) {
    int64_t window = sizes->at[i], size = mloptDim(operand, i);
    if (!mloptIsDynamic(size) && window > size)
      return mloptReject(s,
                         "takes %" PRId64 " elements along dimension %" PRIdPTR
                         ", which has %" PRId64,
                         window, i, size);
    bool noBatch = mloptHasInt(&x->operandBatch, i) && size <= 0;
    if (!mloptIsWindowed(x, i) && window != 1 && !(noBatch && window == 0))
      return mloptReject(s,
                         "must take 1 element along dimension %" PRIdPTR
                         ", which is not in the result, but takes %" PRId64,
                         i, window);
  }
  return true;
}

static intptr_t inferGather(const MloptOpDef *def, const MloptInferArgs *args,
                            MlirType *results) {
  MloptSubject s;
  MloptIndexing x;
  MloptInts sizes;
  if (!mloptInferSubject(def, args, &s))
    return -1;
  MlirType operand = args->operandTypes[0];
  if (!mloptReadIndexing(&s, &mloptGatherNames, operand, args->operandTypes[1],
                         &x) ||
      !readSliceSizes(&s, operand, &x, &sizes))
    return -1;
  int64_t shape[MLOPT_MAX_RANK];
  intptr_t rank = x.window.count + x.batchRank, dim = 0, batch = 0;
  for (intptr_t i = 0; i < rank; ++i) {
    if (!mloptHasInt(&x.window, i)) {
      shape[i] = x.batch[batch++];
      continue;
    }
    while (!mloptIsWindowed(&x, dim))
      ++dim;
    shape[i] = sizes.at[dim++];
  }
  results[0] = mloptTensorType(rank, shape, mloptElementType(operand));
  return 1;
}

/// A constant gather: what every result element looks at.
typedef struct Gather {
  MloptIndexing x;
  MloptInts sizes;
  MlirType operand;
  MloptStrides indexPlaces; ///< of a batch index, component 0
  int64_t componentStride;
} Gather;

static bool initGather(MlirOperation op, Gather *g) {
  MloptSubject s = mloptOpSubject(op);
  MlirType indices = mloptOperandType(op, 1);
  g->operand = mloptOperandType(op, 0);
  if (!mloptReadIndexing(&s, &mloptGatherNames, g->operand, indices, &g->x) ||
      !readSliceSizes(&s, g->operand, &g->x, &g->sizes))
    return false;
  MloptStrides rows = mloptRowMajor(indices);
  g->indexPlaces = (MloptStrides){0};
  g->componentStride = 0;
  for (intptr_t i = 0, batch = 0, n = mloptRank(indices); i < n; ++i) {
    if (i == g->x.indexVectorDim)
      g->componentStride = rows.at[i];
    else
      g->indexPlaces.at[batch++] = rows.at[i];
  }
  return true;
}

/// The operand index that result index `at` reads.
static void readsFrom(const Gather *g, const int64_t *starts, const int64_t *at,
                      int64_t *out) {
  const MloptIndexing *x = &g->x;
  int64_t batchIndex[MLOPT_MAX_RANK], windowIndex[MLOPT_MAX_RANK];
  intptr_t rank = x->window.count + x->batchRank, batch = 0, window = 0;
  for (intptr_t i = 0; i < rank; ++i) {
    if (mloptHasInt(&x->window, i))
      windowIndex[window++] = at[i];
    else
      batchIndex[batch++] = at[i];
  }
  int64_t base = mloptPlaceOf(&g->indexPlaces, batch, batchIndex);
  for (intptr_t i = 0; i < g->sizes.count; ++i)
    out[i] = 0;
  for (intptr_t i = 0; i < x->map.count; ++i) {
    int64_t dim = x->map.at[i];
    out[dim] = mloptClampStart(starts[base + i * g->componentStride],
                               mloptDim(g->operand, dim), g->sizes.at[dim]);
  }
  for (intptr_t i = 0; i < x->operandBatch.count; ++i) {
    int64_t dim = x->indexBatch.at[i];
    out[x->operandBatch.at[i]] = batchIndex[dim - (dim > x->indexVectorDim)];
  }
  window = 0;
  for (intptr_t i = 0; i < g->sizes.count; ++i)
    if (mloptIsWindowed(x, i))
      out[i] += windowIndex[window++];
}

static MlirLogicalResult foldGather(MlirOperation op,
                                    const MlirAttribute *constants,
                                    MloptFoldResult *results) {
  if (!mloptIsSmallConstant(constants[0]))
    return mloptFoldSplatConstant(op, constants[0], results);
  Gather g;
  MloptElements from, to;
  MlirType type = mloptResultType(op, 0);
  int64_t starts[MLOPT_FOLD_LIMIT];
  bool isUnsigned = !mlirAttributeIsNull(mloptAttr(op, "unsigned_indices"));
  if (!mloptReadElements(constants[0], &from) ||
      !mloptInitElements(type, false, &to) ||
      mloptReadIndices(constants[1], isUnsigned, MLOPT_FOLD_LIMIT, starts) <
          0 ||
      !initGather(op, &g))
    return mloptFailure();
  int64_t shape[MLOPT_MAX_RANK], at[MLOPT_MAX_RANK] = {0};
  int64_t source[MLOPT_MAX_RANK], i = 0;
  intptr_t rank = mloptShape(type, shape);
  MloptStrides rows = mloptRowMajor(from.type);
  do {
    readsFrom(&g, starts, at, source);
    to.values[i++] = from.values[mloptPlaceOf(&rows, g.sizes.count, source)];
  } while (mloptNextIndex(rank, shape, at));
  return mloptFoldToAttr(mloptWriteElements(&to), results);
}

static const MloptValueSpec gatherOperands[] = {
    {"operand", mloptIsTensor, "a ranked tensor", false},
    {"indices", mloptIsIntTensor, "a ranked tensor of integers", false},
};
static const MloptValueSpec tensorResult[] = {
    {"result", mloptIsTensor, "a ranked tensor", false}};
static const MloptAttrSpec gatherAttrs[] = {
    {"offset_dims", mloptIsI64Array, "an array<i64>", false, "array<i64>"},
    {"collapsed_slice_dims", mloptIsI64Array, "an array<i64>", false,
     "array<i64>"},
    {"operand_batching_dims", mloptIsI64Array, "an array<i64>", false,
     "array<i64>"},
    {"start_indices_batching_dims", mloptIsI64Array, "an array<i64>", false,
     "array<i64>"},
    {"start_index_map", mloptIsI64Array, "an array<i64>", false, "array<i64>"},
    {"index_vector_dim", mloptIsI64, "an i64", false, NULL},
    {"slice_sizes", mloptIsI64Array, "an array<i64>", false, NULL},
    {"unsigned_indices", mloptIsUnit, "a unit attribute", true, NULL},
};

const MloptOpDef mloptOp_gather MLOPT_TABLE = {
    .name = "mlopt.gather",
    .traits = MLOPT_PURE,
    .operands = gatherOperands,
    .numOperands = MLOPT_COUNT(gatherOperands),
    .results = tensorResult,
    .numResults = 1,
    .attrs = gatherAttrs,
    .numAttrs = MLOPT_COUNT(gatherAttrs),
    .assembly =
        "operands (`offset_dims` ints($offset_dims)^)? "
        "(`collapsed_slice_dims` ints($collapsed_slice_dims)^)? "
        "(`operand_batching_dims` ints($operand_batching_dims)^)? "
        "(`start_indices_batching_dims` ints($start_indices_batching_dims)^)? "
        "(`start_index_map` ints($start_index_map)^)? (`index_vector_dim` "
        "int($index_vector_dim)^)? (`slice_sizes` ints($slice_sizes)^)? "
        "(`unsigned_indices` unit($unsigned_indices)^)? attr-dict `:` "
        "functional-type",
    .summary = "Windows of a tensor at places given by another",
    .doc =
        "The indices without `index_vector_dim` are the batch; along it lies "
        "an index vector for each batch position (a rank as "
        "`index_vector_dim` makes every index a vector of one). Component k "
        "is the start along operand dimension `start_index_map[k]`, clamped to "
        "[0, size - slice_sizes]: no index is out of range. Operand dimension "
        "`operand_batching_dims[k]` starts at the batch position along "
        "`start_indices_batching_dims[k]`, all others at 0. The window of "
        "`slice_sizes` elements there loses the dimensions of "
        "`collapsed_slice_dims` and `operand_batching_dims`, along which it "
        "has one element, and fills the result dimensions `offset_dims`; the "
        "other result dimensions are the batch, in order. Indices are signed, "
        "or with `unsigned_indices` unsigned. Bits are kept.",
    .example = "%r = mlopt.gather %x, %i offset_dims [1] collapsed_slice_dims "
               "[0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 4] "
               ": (tensor<8x4xf32>, tensor<3xi32>) -> tensor<3x4xf32>",
    .fold = foldGather,
    .inferTypes = inferGather,
    .canonicalizers = mloptAddGatherPatterns,
};

//===----------------------------------------------------------------------===//
// scatter
//===----------------------------------------------------------------------===//

static bool checkUpdates(const MloptSubject *s, MlirType operand,
                         MlirType updates, const MloptIndexing *x) {
  intptr_t rank = x->window.count + x->batchRank, dim = 0, batch = 0;
  if (mloptRank(updates) != rank)
    return mloptReject(s,
                       "needs updates of rank %" PRIdPTR ", but has %" PRId64,
                       rank, mloptRank(updates));
  for (intptr_t i = 0; i < rank; ++i) {
    int64_t size = mloptDim(updates, i);
    if (!mloptHasInt(&x->window, i)) {
      if (!mloptSizesAgree(size, x->batch[batch]))
        return mloptReject(s,
                           "has updates of size %" PRId64
                           " in dimension %" PRIdPTR
                           ", but indices of %" PRId64,
                           size, i, x->batch[batch]);
      ++batch;
      continue;
    }
    while (!mloptIsWindowed(x, dim))
      ++dim;
    int64_t room = mloptDim(operand, dim++);
    if (!mloptIsDynamic(size) && !mloptIsDynamic(room) && size > room)
      return mloptReject(s,
                         "has a window of %" PRId64
                         " in update dimension %" PRIdPTR
                         ", more than the %" PRId64 " of the operand",
                         size, i, room);
  }
  return true;
}

static intptr_t inferScatter(const MloptOpDef *def, const MloptInferArgs *args,
                             MlirType *results) {
  MloptSubject s;
  MloptIndexing x;
  if (!mloptInferSubject(def, args, &s))
    return -1;
  MlirType operand = args->operandTypes[0], updates = args->operandTypes[2];
  MlirType element = mloptElementType(operand);
  bool sameElement = mlirTypeEqual(element, mloptElementType(updates)) ||
                     mloptReject(&s, "has updates of another element type "
                                     "than its operand");
  MloptKind kind = mloptReadKind(mloptSubjectAttr(&s, "kind"));
  if (!sameElement || !mloptCheckKindElement(&s, kind, element) ||
      !mloptReadIndexing(&s, &mloptScatterNames, operand, args->operandTypes[1],
                         &x) ||
      !checkUpdates(&s, operand, updates, &x))
    return -1;
  results[0] = operand;
  return 1;
}

static MlirLogicalResult verifyScatter(MlirOperation op) {
  return mloptResultOf(mloptCheckKindOrRegion(op));
}

static MlirType elementOf(MlirOperation op, intptr_t i) {
  (void)i;
  return mloptElementType(mloptOperandType(op, 0));
}

static MlirLogicalResult verifyScatterRegion(MlirOperation op) {
  return mloptVerifyScalarRegion(op, 2, elementOf, 1, elementOf);
}

/// Nothing to write, or neutral elements to combine with.
static MlirLogicalResult foldScatter(MlirOperation op,
                                     const MlirAttribute *constants,
                                     MloptFoldResult *results) {
  MlirType updates = mloptOperandType(op, 2);
  if (mloptIsEmpty(updates))
    return mloptFoldToOperand(op, 0, results);
  MloptKind kind = mloptGetKind(op);
  MloptElement e = mloptGetElement(updates);
  uint64_t bits;
  if (!mloptKindKeepsOne(kind, e) || !mloptReadSplat(constants[2], &bits) ||
      bits != mloptKindGetNeutralBits(kind, e))
    return mloptFailure();
  return mloptFoldToOperand(op, 0, results);
}

static const MloptValueSpec scatterOperands[] = {
    {"operand", mloptIsTensor, "a ranked tensor", false},
    {"indices", mloptIsIntTensor, "a ranked tensor of integers", false},
    {"updates", mloptIsTensor, "a ranked tensor", false},
};
static const MloptAttrSpec scatterAttrs[] = {
    MLOPT_SCATTER_KIND_SPEC,
    {"update_window_dims", mloptIsI64Array, "an array<i64>", false,
     "array<i64>"},
    {"inserted_window_dims", mloptIsI64Array, "an array<i64>", false,
     "array<i64>"},
    {"input_batching_dims", mloptIsI64Array, "an array<i64>", false,
     "array<i64>"},
    {"scatter_indices_batching_dims", mloptIsI64Array, "an array<i64>", false,
     "array<i64>"},
    {"scatter_dims_to_operand_dims", mloptIsI64Array, "an array<i64>", false,
     "array<i64>"},
    {"index_vector_dim", mloptIsI64, "an i64", false, NULL},
    {"sorted_indices", mloptIsUnit, "a unit attribute", true, NULL},
    {"unique_indices", mloptIsUnit, "a unit attribute", true, NULL},
    {"unsigned_indices", mloptIsUnit, "a unit attribute", true, NULL},
    MLOPT_NUMERICS_SPEC,
};

const MloptOpDef mloptOp_scatter MLOPT_TABLE = {
    .name = "mlopt.scatter",
    .traits = MLOPT_SINGLE_BLOCK | MLOPT_RECURSIVE_EFFECTS,
    .operands = scatterOperands,
    .numOperands = MLOPT_COUNT(scatterOperands),
    .results = tensorResult,
    .numResults = 1,
    .attrs = scatterAttrs,
    .numAttrs = MLOPT_COUNT(scatterAttrs),
    .numRegions = 1,
    .assembly =
        "(kw($kind)^)? operands (`update_window_dims` "
        "ints($update_window_dims)^)? (`inserted_window_dims` "
        "ints($inserted_window_dims)^)? (`input_batching_dims` "
        "ints($input_batching_dims)^)? (`scatter_indices_batching_dims` "
        "ints($scatter_indices_batching_dims)^)? "
        "(`scatter_dims_to_operand_dims` "
        "ints($scatter_dims_to_operand_dims)^)? (`index_vector_dim` "
        "int($index_vector_dim)^)? (`sorted_indices` unit($sorted_indices)^)? "
        "(`unique_indices` unit($unique_indices)^)? "
        "(`unsigned_indices` unit($unsigned_indices)^)? attr-dict `:` "
        "functional-type (region^)?",
    .summary = "Combines windows into a tensor at places given by another",
    .doc = "The result is the operand, into which every update element is "
           "combined in row-major order of the updates: the element there "
           "becomes `mlopt.<kind>(element, update)`, the update itself with "
           "`set`, or what the region yields for (element, update); each is "
           "rounded to the element type. Dimension numbers are those of gather "
           "with the updates in the place of its result, but starts are not "
           "clamped: an update element whose index is out of range in any "
           "dimension, computed without wrapping, is skipped, and only it. "
           "`unique_indices` promises that no two update elements go to one "
           "place, `sorted_indices` that windows come in the row-major order "
           "of where they start, and behind them those of which no element is "
           "in range.",
    .example = "%r = mlopt.scatter add %x, %i, %u update_window_dims [1] "
               "inserted_window_dims [0] scatter_dims_to_operand_dims [0] "
               "index_vector_dim 1 : (tensor<8x4xf32>, tensor<3xi32>, "
               "tensor<3x4xf32>) -> tensor<8x4xf32>",
    .verify = verifyScatter,
    .verifyRegions = verifyScatterRegion,
    .fold = foldScatter,
    .inferTypes = inferScatter,
};
