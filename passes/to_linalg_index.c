//===- to_linalg_index.c - Indexed access ---------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gather: a linalg.generic over the result whose body computes a position and
// reads the operand there. Dynamic slices: slices with clamped offsets.
// scatter: stays, its kind turned into a region.
//
//===----------------------------------------------------------------------===//

#include "to_linalg.h"

//===----------------------------------------------------------------------===//
// gather
//===----------------------------------------------------------------------===//

MloptAddressing mloptDescribeAddressing(MlirOperation op,
                                        const MloptIndexingNames *names) {
  MloptAddressing a = {0};
  MloptSubject subject = mloptOpSubject(op);
  MlirType operand = mloptOperandType(op, 0);
  mloptReadIndexing(&subject, names, operand, mloptOperandType(op, 1), &a.dims);
  a.isUnsigned = !mlirAttributeIsNull(mloptAttr(op, "unsigned_indices"));
  mloptShape(operand, a.limits);
  return a;
}

/// Entry `k` of the index vector at `place` in the indices.
static MlirValue buildStart(MloptBuilder *b, const MloptAddressing *a,
                            MlirValue indices, const MlirValue *place,
                            int64_t k) {
  if (b->failed)
    return (MlirValue){NULL};
  MlirValue full[MLOPT_MAX_RANK];
  intptr_t rank = mloptRank(mlirValueGetType(indices));
  for (intptr_t i = 0; i < rank; ++i)
    full[i] = i == a->dims.indexVectorDim ? mloptBuildIndex(b, k) : place[i];
  MlirValue entry = mloptBuildExtract(b, indices, rank, full);
  // Unsigned starts are limited even so, lest an offset make them wrap.
  if (!a->clamps && !a->isUnsigned)
    return mloptBuildToIndex(b, entry, false);
  return mloptBuildClampIndex(b, entry, a->limits[a->dims.map.at[k]],
                              a->isUnsigned);
}

void mloptBuildAddress(MloptBuilder *b, const MloptAddressing *a,
                       MlirValue indices, intptr_t rank, const MlirValue *at,
                       intptr_t operandRank, MlirValue *position) {
  const MloptIndexing *x = &a->dims;
  // What is no window walks the indices, but for the vector's dimension.
  MlirValue place[MLOPT_MAX_RANK + 1] = {{NULL}};
  for (intptr_t i = 0, next = 0; i < rank; ++i) {
    if (mloptHasInt(&x->window, i))
      continue;
    next += next == x->indexVectorDim;
    place[next++] = at[i];
  }
  for (intptr_t d = 0; d < operandRank; ++d)
    position[d] = (MlirValue){NULL};
  for (intptr_t k = 0; k < x->map.count; ++k)
    position[x->map.at[k]] = buildStart(b, a, indices, place, k);
  for (intptr_t k = 0; k < x->operandBatch.count; ++k)
    position[x->operandBatch.at[k]] = place[x->indexBatch.at[k]];
  for (intptr_t d = 0, window = 0; d < operandRank; ++d) {
    bool hasStart = !mlirValueIsNull(position[d]);
    if (mloptIsWindowed(x, d)) {
      MlirValue offset = at[x->window.at[window++]];
      position[d] = hasStart
                        ? mloptBuildBinary(b, "arith.addi", position[d], offset)
                        : offset;
    } else if (!hasStart) {
      position[d] = mloptBuildIndex(b, 0);
    }
  }
}

void mloptLowerGather(MloptLowering *l, MlirValue *results) {
  MlirType type = mloptResultType(l->op, 0);
  intptr_t operandRank = mloptRank(mloptOperandType(l->op, 0));
  MloptAddressing a = mloptDescribeAddressing(l->op, &mloptGatherNames);
  MloptInts sizes = mloptGetInts(l->op, "slice_sizes");
  a.clamps = true;
  for (intptr_t d = 0; d < sizes.count; ++d)
    a.limits[d] -= sizes.at[d];
  MloptGeneric g = {.numLoops = mloptRank(type)};
  mloptAddOutput(&g, mloptBuildEmpty(&l->b, type),
                 mloptIdentityMap(l->b.context, g.numLoops));
  mloptBeginGeneric(&l->b, &g);
  MlirValue at[MLOPT_MAX_RANK], position[MLOPT_MAX_RANK];
  for (intptr_t i = 0; i < g.numLoops; ++i)
    at[i] = mloptBuildLoopIndex(&g.body, i);
  mloptBuildAddress(&g.body, &a, l->operands[1], g.numLoops, at, operandRank,
                    position);
  MlirValue element =
      mloptBuildExtract(&g.body, l->operands[0], operandRank, position);
  results[0] = mloptEndGenericValue(&l->b, &g, element);
}

//===----------------------------------------------------------------------===//
// Dynamic slices
//===----------------------------------------------------------------------===//

static bool readsUnsigned(MloptLowering *l) {
  return !mlirAttributeIsNull(mloptAttr(l->op, "unsigned_indices"));
}

/// The slice of `size` whose offsets are operands `first` .., clamped so that
/// it lies in a tensor of this type.
static MloptSlice clampedSlice(MloptLowering *l, MlirType type, MlirType size,
                               intptr_t first) {
  bool isUnsigned = readsUnsigned(l);
  MloptSlice slice = mloptWholeSlice(size);
  for (intptr_t i = 0; i < slice.rank; ++i) {
    int64_t last = mloptDim(type, i) - slice.sizes[i];
    if (last == 0)
      continue; // only one place to be
    MlirValue start = mloptBuildExtract(&l->b, l->operands[first + i], 0, NULL);
    slice.dynamicOffsets[i] =
        mloptBuildClampIndex(&l->b, start, last, isUnsigned);
  }
  return slice;
}

void mloptLowerDynamicSlice(MloptLowering *l, MlirValue *results) {
  MlirType result = mloptResultType(l->op, 0);
  MloptSlice slice = clampedSlice(l, mloptOperandType(l->op, 0), result, 1);
  results[0] = mloptBuildExtractSlice(&l->b, l->operands[0], &slice, result);
}

void mloptLowerDynamicUpdateSlice(MloptLowering *l, MlirValue *results) {
  MlirType update = mloptOperandType(l->op, 1);
  if (mloptNumElements(update) == 0) {
    results[0] = l->operands[0];
    return;
  }
  MloptSlice slice = clampedSlice(l, mloptOperandType(l->op, 0), update, 2);
  results[0] =
      mloptBuildInsertSlice(&l->b, l->operands[1], l->operands[0], &slice);
}

//===----------------------------------------------------------------------===//
// scatter
//===----------------------------------------------------------------------===//

void mloptLowerScatter(MloptLowering *l, MlirValue *results) {
  MlirType type = mloptResultType(l->op, 0), element = mloptElementType(type);
  MlirType types[] = {element, element};
  MlirBlock block;
  MlirRegion region = mloptCreateRegion(&l->b, 2, types, &block);
  MloptBuilder body = mloptBuilderAtEnd(block, l->b.location);
  MlirValue next = mloptBuildCombine(&body, mloptGetKind(l->op), l->fastmath,
                                     mlirBlockGetArgument(block, 0),
                                     mlirBlockGetArgument(block, 1));
  mloptBuildOp(&body, (MloptOpSpec){.name = mloptOp_yield.name,
                                    .numOperands = 1,
                                    .operands = &next});
  l->b.failed |= body.failed;
  static const char *const drop[] = {"kind", "numerics", NULL};
  MlirOperation op = mloptRebuildWithBody(l, l->numOperands, l->operands, 1,
                                          &type, region, drop);
  if (!mlirOperationIsNull(op))
    results[0] = mloptResult(op, 0);
}
