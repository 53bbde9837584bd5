//===- index_patterns.c - Constant indices become slices ------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %r = mlopt.dynamic_slice %x, %c5 sizes [2] : ...
//     -> mlopt.slice %x starts [5] limits [7] strides [1] : ...
//
// and a gather of one window likewise, with a reshape to the result's shape.
// Starts are clamped here, once and for all.
//
//===----------------------------------------------------------------------===//

#include "dialect.h"
#include "fold.h"
#include "index.h"
#include "match.h"

static bool readsUnsigned(MlirOperation op) {
  return !mlirAttributeIsNull(mloptAttr(op, "unsigned_indices"));
}

/// Replaces `op` by the part of its first operand that begins at the clamped
/// `starts` and has `sizes` elements, in the shape of its result.
static MlirLogicalResult replaceBySlice(MlirOperation op,
                                        MlirPatternRewriter rewriter,
                                        MloptInts starts, MloptInts sizes) {
  MlirType from = mloptOperandType(op, 0), to = mloptResultType(op, 0);
  if (!mloptIsStatic(from) || !mloptIsStatic(to))
    return mloptFailure();
  MloptInts limits = starts, strides = starts;
  for (intptr_t i = 0; i < starts.count; ++i) {
    starts.at[i] =
        mloptClampStart(starts.at[i], mloptDim(from, i), sizes.at[i]);
    limits.at[i] = starts.at[i] + sizes.at[i];
    strides.at[i] = 1;
  }
  MlirRewriterBase base = mlirPatternRewriterAsBase(rewriter);
  MloptBuilder b = mloptBuilderForRewriter(base, mlirOperationGetLocation(op));
  MlirNamedAttribute attrs[] = {
      mloptNamedAttr(b.context, "starts",
                     mloptI64Array(b.context, starts.count, starts.at)),
      mloptNamedAttr(b.context, "limits",
                     mloptI64Array(b.context, limits.count, limits.at)),
      mloptNamedAttr(b.context, "strides",
                     mloptI64Array(b.context, strides.count, strides.at)),
  };
  MlirValue operand = mloptOperand(op, 0);
  MlirValue part =
      mloptBuildValue(&b, (MloptOpSpec){.name = mloptOp_slice.name,
                                        .numOperands = 1,
                                        .operands = &operand,
                                        .numResults = -1,
                                        .numAttrs = MLOPT_COUNT(attrs),
                                        .attrs = attrs});
  if (!b.failed && !mlirTypeEqual(mlirValueGetType(part), to))
    part = mloptBuildUnary(&b, mloptOp_reshape.name, part, to);
  if (b.failed)
    return mloptFailure();
  mlirRewriterBaseReplaceOpWithValues(base, op, 1, &part);
  return mloptSuccess();
}

static MlirLogicalResult sliceForDynamicSlice(MlirRewritePattern pattern,
                                              MlirOperation op,
                                              MlirPatternRewriter rewriter,
                                              void *data) {
  (void)pattern, (void)data;
  MloptInts sizes = mloptGetInts(op, "sizes");
  MloptInts starts = {.count = sizes.count};
  for (intptr_t i = 0; i < starts.count; ++i)
    if (mloptReadIndices(mloptConstantOf(mloptOperand(op, 1 + i)),
                         readsUnsigned(op), 1, &starts.at[i]) < 0)
      return mloptFailure();
  return replaceBySlice(op, rewriter, starts, sizes);
}

static MlirLogicalResult sliceForGather(MlirRewritePattern pattern,
                                        MlirOperation op,
                                        MlirPatternRewriter rewriter,
                                        void *data) {
  (void)pattern, (void)data;
  MloptSubject s = mloptOpSubject(op);
  MloptIndexing x;
  MloptInts sizes = mloptGetInts(op, "slice_sizes");
  MlirType operand = mloptOperandType(op, 0);
  if (!mloptReadIndexing(&s, &mloptGatherNames, operand,
                         mloptOperandType(op, 1), &x))
    return mloptFailure();
  for (intptr_t i = 0; i < x.batchRank; ++i)
    if (x.batch[i] != 1)
      return mloptFailure();
  int64_t components[MLOPT_MAX_RANK];
  if (x.map.count &&
      mloptReadIndices(mloptConstantOf(mloptOperand(op, 1)), readsUnsigned(op),
                       x.map.count, components) < 0)
    return mloptFailure();
  MloptInts starts = {.count = sizes.count};
  for (intptr_t i = 0; i < x.map.count; ++i)
    starts.at[x.map.at[i]] = components[i];
  return replaceBySlice(op, rewriter, starts, sizes);
}

void mloptAddGatherPatterns(MlirRewritePatternSet set, MlirContext context) {
  mloptAddPattern(set, context, &mloptOp_gather, sliceForGather);
}

void mloptAddDynamicSlicePatterns(MlirRewritePatternSet set,
                                  MlirContext context) {
  mloptAddPattern(set, context, &mloptOp_dynamic_slice, sliceForDynamicSlice);
}
