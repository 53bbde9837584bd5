//===- to_linalg_build.c - Building linalg and tensor operations ----------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The structured operations of level 4, each as one call. All types are static;
// an operation that would do nothing is not built.
//
//===----------------------------------------------------------------------===//

#include "to_linalg.h"

#include "mlir-c/Dialect/Linalg.h"

//===----------------------------------------------------------------------===//
// linalg.generic
//===----------------------------------------------------------------------===//

void mloptAddOutput(MloptGeneric *g, MlirValue value, MlirAffineMap map) {
  g->values[g->numValues] = value;
  g->maps[g->numValues++] = map;
}

void mloptAddInput(MloptGeneric *g, MlirValue value, MlirAffineMap map) {
  mloptAddOutput(g, value, map);
  g->numInputs = g->numValues;
}

void mloptBeginGeneric(MloptBuilder *b, MloptGeneric *g) {
  MlirType types[MLOPT_MAX_GENERIC_OPERANDS];
  for (intptr_t i = 0; i < g->numValues; ++i) {
    bool isNull = mlirValueIsNull(g->values[i]);
    b->failed |= isNull; // the block has all its arguments even so
    types[i] = isNull ? mlirIndexTypeGet(b->context)
                      : mloptElementType(mlirValueGetType(g->values[i]));
  }
  g->region = mloptCreateRegion(b, g->numValues, types, &g->block);
  g->body = mloptBuilderAtEnd(g->block, b->location);
  g->body.failed = b->failed;
}

MlirValue mloptBuildLoopIndex(MloptBuilder *b, int64_t loop) {
  MlirType index = mlirIndexTypeGet(b->context);
  MlirNamedAttribute dim =
      mloptNamedAttr(b->context, "dim", mloptI64Attr(b->context, loop));
  return mloptBuildValue(b, (MloptOpSpec){.name = "linalg.index",
                                          .numResults = 1,
                                          .results = &index,
                                          .numAttrs = 1,
                                          .attrs = &dim});
}

/// `operandSegmentSizes` of an operation with variadic operand groups.
static MlirNamedAttribute segments(MloptBuilder *b, intptr_t n,
                                   const int32_t *sizes) {
  return mloptNamedAttr(b->context, "operandSegmentSizes",
                        mlirDenseI32ArrayGet(b->context, n, sizes));
}

static MlirAttribute iteratorTypes(MloptBuilder *b, const MloptGeneric *g) {
  MlirAttribute parallel = mlirAttributeParseGet(
      b->context, mloptStr("#linalg.iterator_type<parallel>"));
  MlirAttribute reduction = mlirAttributeParseGet(
      b->context, mloptStr("#linalg.iterator_type<reduction>"));
  MlirAttribute types[MLOPT_MAX_LOOPS];
  for (intptr_t i = 0; i < g->numLoops; ++i)
    types[i] = g->reduction[i] ? reduction : parallel;
  return mlirArrayAttrGet(b->context, g->numLoops, types);
}

MlirOperation mloptEndGeneric(MloptBuilder *b, MloptGeneric *g,
                              const MlirValue *yielded) {
  intptr_t numOutputs = g->numValues - g->numInputs;
  mloptBuildOp(&g->body, (MloptOpSpec){.name = "linalg.yield",
                                       .numOperands = numOutputs,
                                       .operands = yielded});
  b->failed |= g->body.failed;
  if (b->failed) {
    mlirRegionDestroy(g->region);
    return (MlirOperation){NULL};
  }
  MlirAttribute maps[MLOPT_MAX_GENERIC_OPERANDS];
  MlirType results[MLOPT_MAX_GENERIC_OPERANDS];
  for (intptr_t i = 0; i < g->numValues; ++i) {
    maps[i] = mlirAffineMapAttrGet(g->maps[i]);
    if (i >= g->numInputs)
      results[i - g->numInputs] = mlirValueGetType(g->values[i]);
  }
  int32_t sizes[] = {(int32_t)g->numInputs, (int32_t)numOutputs};
  MlirNamedAttribute attrs[] = {
      mloptNamedAttr(b->context, "indexing_maps",
                     mlirArrayAttrGet(b->context, g->numValues, maps)),
      mloptNamedAttr(b->context, "iterator_types", iteratorTypes(b, g)),
      segments(b, 2, sizes)};
  return mloptBuildOp(b, (MloptOpSpec){.name = "linalg.generic",
                                       .numOperands = g->numValues,
                                       .operands = g->values,
                                       .numResults = numOutputs,
                                       .results = results,
                                       .numAttrs = MLOPT_COUNT(attrs),
                                       .attrs = attrs,
                                       .numRegions = 1,
                                       .regions = &g->region});
}

MlirValue mloptEndGenericValue(MloptBuilder *b, MloptGeneric *g,
                               MlirValue yielded) {
  MlirOperation op = mloptEndGeneric(b, g, &yielded);
  return mlirOperationIsNull(op) ? (MlirValue){NULL} : mloptResult(op, 0);
}

MlirValue mloptBuildMapped(MloptBuilder *b, MlirValue x, MlirAffineMap map,
                           MlirType result) {
  MloptGeneric g = {.numLoops = mloptRank(result)};
  mloptAddInput(&g, x, map);
  mloptAddOutput(&g, mloptBuildEmpty(b, result),
                 mloptIdentityMap(b->context, g.numLoops));
  mloptBeginGeneric(b, &g);
  return mloptEndGenericValue(b, &g, mloptGenericArg(&g, 0));
}

MlirValue mloptBuildCast(MloptBuilder *b, MlirValue x, MlirType element,
                         bool isUnsigned) {
  if (b->failed)
    return x;
  MlirType type = mlirValueGetType(x);
  if (mlirTypeEqual(mloptElementType(type), element))
    return x;
  MloptGeneric g = {.numLoops = mloptRank(type)};
  MlirAffineMap identity = mloptIdentityMap(b->context, g.numLoops);
  mloptAddInput(&g, x, identity);
  mloptAddOutput(&g, mloptBuildEmpty(b, mloptWithElementType(type, element)),
                 identity);
  mloptBeginGeneric(b, &g);
  MlirValue cast =
      mloptBuildConvert(&g.body, mloptGenericArg(&g, 0), element, isUnsigned);
  return mloptEndGenericValue(b, &g, cast);
}

MlirAffineMap mloptDimsMap(MlirContext context, intptr_t numLoops,
                           intptr_t numDims, const int64_t *dims) {
  MlirAffineExpr exprs[MLOPT_MAX_LOOPS];
  for (intptr_t i = 0; i < numDims; ++i)
    exprs[i] = dims[i] < 0 ? mlirAffineConstantExprGet(context, 0)
                           : mlirAffineDimExprGet(context, dims[i]);
  return mlirAffineMapGet(context, numLoops, 0, numDims, exprs);
}

MlirAffineMap mloptPrefixMap(MlirContext context, intptr_t numLoops,
                             intptr_t n) {
  int64_t dims[MLOPT_MAX_LOOPS];
  for (intptr_t i = 0; i < n; ++i)
    dims[i] = i;
  return mloptDimsMap(context, numLoops, n, dims);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

MlirValue mloptBuildEmpty(MloptBuilder *b, MlirType type) {
  return mloptBuildValue(
      b,
      (MloptOpSpec){.name = "tensor.empty", .numResults = 1, .results = &type});
}

MlirValue mloptBuildFill(MloptBuilder *b, MlirValue scalar, MlirType type) {
  MlirValue operands[] = {scalar, mloptBuildEmpty(b, type)};
  MlirNamedAttribute sizes = segments(b, 2, (int32_t[]){1, 1});
  MlirRegion region = mlirRegionCreate();
  MlirOperation op = mloptBuildOp(b, (MloptOpSpec){.name = "linalg.fill",
                                                   .numOperands = 2,
                                                   .operands = operands,
                                                   .numResults = 1,
                                                   .results = &type,
                                                   .numAttrs = 1,
                                                   .attrs = &sizes,
                                                   .numRegions = 1,
                                                   .regions = &region});
  if (mlirOperationIsNull(op))
    return (MlirValue){NULL};
  mlirLinalgFillBuiltinNamedOpRegion(op);
  return mloptResult(op, 0);
}

MlirValue mloptBuildExtract(MloptBuilder *b, MlirValue tensor, intptr_t rank,
                            const MlirValue *indices) {
  if (b->failed)
    return (MlirValue){NULL};
  MlirValue operands[MLOPT_MAX_RANK + 1] = {tensor};
  for (intptr_t i = 0; i < rank; ++i)
    operands[i + 1] = indices[i];
  MlirType element = mloptElementType(mlirValueGetType(tensor));
  return mloptBuildValue(b, (MloptOpSpec){.name = "tensor.extract",
                                          .numOperands = rank + 1,
                                          .operands = operands,
                                          .numResults = 1,
                                          .results = &element});
}

MloptSlice mloptWholeSlice(MlirType type) {
  MloptSlice slice = {0};
  slice.rank = mloptShape(type, slice.sizes);
  for (intptr_t i = 0; i < slice.rank; ++i)
    slice.strides[i] = 1;
  return slice;
}

/// extract_slice or insert_slice: `tensors` come before the dynamic offsets.
static MlirValue buildSliceOp(MloptBuilder *b, const char *name,
                              intptr_t numTensors, const MlirValue *tensors,
                              const MloptSlice *slice, MlirType result) {
  MlirValue operands[MLOPT_MAX_RANK + 2];
  int64_t offsets[MLOPT_MAX_RANK];
  intptr_t n = 0;
  for (intptr_t i = 0; i < numTensors; ++i)
    operands[n++] = tensors[i];
  for (intptr_t i = 0; i < slice->rank; ++i) {
    bool isStatic = mlirValueIsNull(slice->dynamicOffsets[i]);
    offsets[i] =
        isStatic ? slice->offsets[i] : mlirShapedTypeGetDynamicStrideOrOffset();
    if (!isStatic)
      operands[n++] = slice->dynamicOffsets[i];
  }
  int32_t sizes[] = {1, 1, (int32_t)(n - numTensors), 0, 0};
  intptr_t skip = 2 - numTensors; // one tensor segment for each tensor
  MlirNamedAttribute attrs[] = {
      mloptNamedAttr(b->context, "static_offsets",
                     mloptI64Array(b->context, slice->rank, offsets)),
      mloptNamedAttr(b->context, "static_sizes",
                     mloptI64Array(b->context, slice->rank, slice->sizes)),
      mloptNamedAttr(b->context, "static_strides",
                     mloptI64Array(b->context, slice->rank, slice->strides)),
      segments(b, 5 - skip, sizes + skip)};
  return mloptBuildValue(b, (MloptOpSpec){.name = name,
                                          .numOperands = n,
                                          .operands = operands,
                                          .numResults = 1,
                                          .results = &result,
                                          .numAttrs = MLOPT_COUNT(attrs),
                                          .attrs = attrs});
}

MlirValue mloptBuildExtractSlice(MloptBuilder *b, MlirValue x,
                                 const MloptSlice *slice, MlirType result) {
  return buildSliceOp(b, "tensor.extract_slice", 1, &x, slice, result);
}

MlirValue mloptBuildInsertSlice(MloptBuilder *b, MlirValue source,
                                MlirValue dest, const MloptSlice *slice) {
  if (b->failed)
    return (MlirValue){NULL};
  MlirValue tensors[] = {source, dest};
  return buildSliceOp(b, "tensor.insert_slice", 2, tensors, slice,
                      mlirValueGetType(dest));
}

//===----------------------------------------------------------------------===//
// Reshape
//===----------------------------------------------------------------------===//

/// Groups the dimensions of `fine` so that each group's product is a dimension
/// of `coarse`; null when there is no such grouping.
static MlirAttribute reassociation(MlirType coarse, MlirType fine) {
  MlirContext context = mlirTypeGetContext(coarse);
  intptr_t numGroups = mloptRank(coarse), rank = mloptRank(fine), next = 0;
  MlirAttribute groups[MLOPT_MAX_SHAPE], dims[MLOPT_MAX_SHAPE];
  for (intptr_t i = 0; i < numGroups; ++i) {
    intptr_t size = 0;
    int64_t product = 1;
    while (next < rank &&
           (size == 0 || product < mloptDim(coarse, i) || i + 1 == numGroups)) {
      product *= mloptDim(fine, next);
      dims[size++] = mloptI64Attr(context, next++);
    }
    if (size == 0 || product != mloptDim(coarse, i))
      return mlirAttributeGetNull();
    groups[i] = mlirArrayAttrGet(context, size, dims);
  }
  return mlirArrayAttrGet(context, numGroups, groups);
}

static MlirValue buildCollapse(MloptBuilder *b, MlirValue x, MlirType result,
                               MlirAttribute groups) {
  MlirNamedAttribute attr = mloptNamedAttr(b->context, "reassociation", groups);
  return mloptBuildValue(b, (MloptOpSpec){.name = "tensor.collapse_shape",
                                          .numOperands = 1,
                                          .operands = &x,
                                          .numResults = 1,
                                          .results = &result,
                                          .numAttrs = 1,
                                          .attrs = &attr});
}

static MlirValue buildExpand(MloptBuilder *b, MlirValue x, MlirType result,
                             MlirAttribute groups) {
  int64_t shape[MLOPT_MAX_SHAPE];
  intptr_t rank = mloptRank(result);
  for (intptr_t i = 0; i < rank; ++i)
    shape[i] = mloptDim(result, i);
  MlirNamedAttribute attrs[] = {
      mloptNamedAttr(b->context, "reassociation", groups),
      mloptNamedAttr(b->context, "static_output_shape",
                     mloptI64Array(b->context, rank, shape))};
  return mloptBuildValue(b, (MloptOpSpec){.name = "tensor.expand_shape",
                                          .numOperands = 1,
                                          .operands = &x,
                                          .numResults = 1,
                                          .results = &result,
                                          .numAttrs = MLOPT_COUNT(attrs),
                                          .attrs = attrs});
}

MlirValue mloptBuildReshape(MloptBuilder *b, MlirValue x, MlirType result) {
  if (b->failed)
    return (MlirValue){NULL};
  MlirType type = mlirValueGetType(x);
  if (mlirTypeEqual(type, result))
    return x;
  MlirAttribute groups = {NULL};
  if (mloptRank(type) >= mloptRank(result))
    groups = reassociation(result, type);
  if (!mlirAttributeIsNull(groups))
    return buildCollapse(b, x, result, groups);
  if (mloptRank(type) <= mloptRank(result))
    groups = reassociation(type, result);
  if (!mlirAttributeIsNull(groups))
    return buildExpand(b, x, result, groups);
  int64_t count = mloptNumElements(type);
  MlirType flat = mloptTensorType(1, &count, mloptElementType(type));
  return mloptBuildReshape(b, mloptBuildReshape(b, x, flat), result);
}

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

/// Which elements of a dimension survive padding, and where they go.
static bool padDim(int64_t size, int64_t low, int64_t high, int64_t interior,
                   int64_t *from, int64_t *count, int64_t *to) {
  int64_t step = interior + 1;
  int64_t padded = low + high + (size > 0 ? (size - 1) * step + 1 : 0);
  *from = low < 0 ? (-low + step - 1) / step : 0;
  *to = low + *from * step;
  int64_t fits = *to < padded ? (padded - *to + step - 1) / step : 0;
  int64_t left = size - *from;
  *count = fits < left ? fits : left;
  return *count > 0;
}

MlirValue mloptBuildPad(MloptBuilder *b, MlirValue x, MlirValue scalar,
                        const int64_t *low, const int64_t *high,
                        const int64_t *interior) {
  if (b->failed)
    return (MlirValue){NULL};
  MlirType type = mlirValueGetType(x), element = mloptElementType(type);
  MloptSlice source = mloptWholeSlice(type), dest = source;
  int64_t shape[MLOPT_MAX_RANK];
  bool same = true, survives = true;
  for (intptr_t i = 0; i < source.rank; ++i) {
    int64_t size = mloptDim(type, i);
    shape[i] =
        low[i] + high[i] + size + (size > 1 ? size - 1 : 0) * interior[i];
    same &= low[i] == 0 && high[i] == 0 && shape[i] == size;
    survives &= padDim(size, low[i], high[i], interior[i], &source.offsets[i],
                       &source.sizes[i], &dest.offsets[i]);
    dest.sizes[i] = source.sizes[i];
    dest.strides[i] = interior[i] + 1;
  }
  if (same)
    return x;
  MlirType result = mloptTensorType(source.rank, shape, element);
  MlirValue filled = mloptBuildFill(b, scalar, result);
  if (!survives)
    return filled;
  MlirType kept = mloptTensorType(source.rank, source.sizes, element);
  MlirValue part = mlirTypeEqual(kept, type)
                       ? x
                       : mloptBuildExtractSlice(b, x, &source, kept);
  return mloptBuildInsertSlice(b, part, filled, &dest);
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

MlirValue mloptBuildToIndex(MloptBuilder *b, MlirValue x, bool isUnsigned) {
  return mloptBuildConvert(b, x, mlirIndexTypeGet(b->context), isUnsigned);
}

MlirValue mloptBuildClampIndex(MloptBuilder *b, MlirValue x, int64_t limit,
                               bool isUnsigned) {
  if (b->failed)
    return x;
  // An index may have 32 bits: what has more is clamped before.
  MlirType index = mlirIndexTypeGet(b->context), type = mlirValueGetType(x);
  if (!mlirTypeIsAInteger(type) || mlirIntegerTypeGetWidth(type) <= 32) {
    type = index;
    x = mloptBuildToIndex(b, x, isUnsigned);
  }
  MlirValue top = mlirTypeEqual(type, index) ? mloptBuildIndex(b, limit)
                                             : mloptBuildInt(b, type, limit);
  MlirValue zero = mlirTypeEqual(type, index) ? mloptBuildIndex(b, 0)
                                              : mloptBuildInt(b, type, 0);
  if (!isUnsigned)
    x = mloptBuildBinary(b, "arith.maxsi", x, zero);
  x = mloptBuildBinary(b, isUnsigned ? "arith.minui" : "arith.minsi", x, top);
  return mloptBuildToIndex(b, x, isUnsigned);
}
