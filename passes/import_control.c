//===- import_control.c - Loops, branches and calls -----------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Control flow becomes scf's. The regions move into the new operation as they
// are; the conversion goes on inside them, and ends each block with what its
// new parent wants:
//
//   %0 = stablehlo.while(%i = %x) : tensor<i32>
//   cond { ... stablehlo.return %c } do { ... stablehlo.return %y }
// becomes
//   %0 = scf.while (%i = %x) : (tensor<i32>) -> tensor<i32> {
//     ... scf.condition(%cond) %i } do { ^bb0(%i): ... scf.yield %y }
//
//===----------------------------------------------------------------------===//

#include "import.h"

#include <stdlib.h>

/// Moves a region of the operation into a new one, with imported argument
/// types.
static void moveRegion(MloptImport *in, intptr_t from, MlirOperation to,
                       intptr_t index) {
  MlirRegion region = mlirOperationGetRegion(to, index);
  MlirBlock placeholder = mlirRegionGetFirstBlock(region);
  mlirRewriterBaseInlineRegionBefore(
      in->builder->rewriter, mlirOperationGetRegion(in->op, from), placeholder);
  mlirRewriterBaseEraseBlock(in->builder->rewriter, placeholder);
  if (mloptFailed(mlirConversionPatternRewriterConvertRegionTypes(
          in->conversion, region, in->converter)))
    in->builder->failed = true;
}

/// Builds an operation with the imported results of the original.
static MlirOperation buildWithResults(MloptImport *in, MloptOpSpec spec) {
  spec.numResults = mlirOperationGetNumResults(in->op);
  MlirType *results = malloc((size_t)(spec.numResults + 1) * sizeof *results);
  for (intptr_t i = 0; i < spec.numResults; ++i)
    results[i] = mloptImportResultType(in, i);
  spec.results = results;
  MlirOperation op = mloptBuildOp(in->builder, spec);
  for (intptr_t i = 0; i < spec.numResults && !in->builder->failed; ++i)
    in->results[i] = mloptResult(op, i);
  free(results);
  return op;
}

/// Builds scf's operation with a placeholder block in each region, and gives
/// it the regions `order` of the original.
static void build(MloptImport *in, MloptOpSpec spec, const int *order) {
  MlirRegion *regions = malloc((size_t)spec.numRegions * sizeof *regions);
  for (intptr_t i = 0; i < spec.numRegions; ++i) {
    MlirBlock block;
    regions[i] = mloptCreateRegion(in->builder, 0, NULL, &block);
  }
  spec.regions = regions;
  MlirOperation op = buildWithResults(in, spec);
  for (intptr_t i = 0; i < spec.numRegions && !in->builder->failed; ++i)
    moveRegion(in, order[i], op, i);
  free(regions);
}

/// The one element of a tensor of rank 0.
static MlirValue extract(MloptImport *in, MlirValue x) {
  return mloptBuildUnary(in->builder, "tensor.extract", x,
                         mloptElementType(mlirValueGetType(x)));
}

void mloptImportWhile(MloptImport *in) {
  build(in,
        (MloptOpSpec){.name = "scf.while",
                      .numOperands = in->numOperands,
                      .operands = in->operands,
                      .numRegions = 2},
        (int[]){0, 1});
}

void mloptImportIf(MloptImport *in) {
  MlirValue condition = extract(in, in->operands[0]);
  build(in,
        (MloptOpSpec){.name = "scf.if",
                      .numOperands = 1,
                      .operands = &condition,
                      .numRegions = 2},
        (int[]){0, 1});
}

/// An index that names no branch takes the last: scf's default, which comes
/// first.
void mloptImportCase(MloptImport *in) {
  MlirContext context = in->builder->context;
  MlirValue index =
      mloptBuildUnary(in->builder, "arith.index_cast",
                      extract(in, in->operands[0]), mlirIndexTypeGet(context));
  intptr_t n = mlirOperationGetNumRegions(in->op);
  int *order = malloc((size_t)n * sizeof *order);
  int64_t *cases = malloc((size_t)n * sizeof *cases);
  order[0] = (int)n - 1;
  for (int i = 0; i + 1 < n; ++i) {
    order[i + 1] = i;
    cases[i] = i;
  }
  MlirNamedAttribute attr =
      mloptNamedAttr(context, "cases", mloptI64Array(context, n - 1, cases));
  build(in,
        (MloptOpSpec){.name = "scf.index_switch",
                      .numOperands = 1,
                      .operands = &index,
                      .numAttrs = 1,
                      .attrs = &attr,
                      .numRegions = n},
        order);
  free(order);
  free(cases);
}

void mloptImportReturn(MloptImport *in) {
  MlirOperation parent = mlirOperationGetParentOperation(in->op);
  MlirBlock block = mlirOperationGetBlock(in->op);
  MlirRegion before = mlirOperationGetRegion(parent, 0);
  if (!mloptIsNamed(parent, "scf.while") ||
      !mlirRegionEqual(mlirBlockGetParentRegion(block), before)) {
    mloptBuildOp(in->builder, (MloptOpSpec){.name = "scf.yield",
                                            .numOperands = in->numOperands,
                                            .operands = in->operands});
    return;
  }
  intptr_t n = mlirBlockGetNumArguments(block);
  MlirValue *operands = malloc((size_t)(n + 1) * sizeof *operands);
  operands[0] = extract(in, in->operands[0]);
  for (intptr_t i = 0; i < n; ++i)
    operands[1 + i] = mlirBlockGetArgument(block, i);
  mloptBuildOp(in->builder, (MloptOpSpec){.name = "scf.condition",
                                          .numOperands = 1 + n,
                                          .operands = operands});
  free(operands);
}

/// A composite is a call of its decomposition.
void mloptImportComposite(MloptImport *in) {
  MlirNamedAttribute callee = mloptNamedAttr(
      in->builder->context, "callee", mloptAttr(in->op, "decomposition"));
  buildWithResults(in, (MloptOpSpec){.name = "func.call",
                                     .numOperands = in->numOperands,
                                     .operands = in->operands,
                                     .numAttrs = 1,
                                     .attrs = &callee});
}
