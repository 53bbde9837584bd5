//===- import_scatter.c - Scatters ----------------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scatter of several operands becomes one for each; the preflight walk has
// refused those whose body mixes them. A select_and_scatter becomes a window
// reduction over values and their positions, which finds each window's chosen
// element, and a scatter to those positions:
//
//   %v, %p = mlopt.reduce_window %x, %positions, %zero, %none {
//     ^bb0(%v, %p, %w, %q): take (%v, %p) if %q is none, or %p is not none and
//                           select(%v, %w); else (%w, %q) }
//   %r = mlopt.scatter add %init, %p, %source
//
// where no position is -1, outside of every dimension, so that a window that
// lies in the padding scatters nothing.
//
//===----------------------------------------------------------------------===//

#include "import.h"

#include <stdio.h>

/// How a scatter meets its indices.
typedef struct ScatterSpec {
  MloptScatterDims dims;
  bool isUnsigned, isUnique;
} ScatterSpec;

/// Builds a scatter whose updates combine as column i of the body says.
static MlirValue buildScatter(MloptImport *in, const ScatterSpec *spec,
                              MlirValue operand, MlirValue indices,
                              MlirValue updates, MlirBlock body, int i) {
  MlirContext context = in->builder->context;
  const MloptScatterDims *dims = &spec->dims;
  MlirNamedAttribute attrs[9] = {
      mloptImportDims(context, "update_window_dims", &dims->updateWindow),
      mloptImportDims(context, "inserted_window_dims", &dims->insertedWindow),
      mloptImportDims(context, "input_batching_dims", &dims->inputBatching),
      mloptImportDims(context, "scatter_indices_batching_dims",
                      &dims->scatterIndicesBatching),
      mloptImportDims(context, "scatter_dims_to_operand_dims",
                      &dims->scatterDimsToOperandDims),
      mloptNamedAttr(context, "index_vector_dim",
                     mloptI64Attr(context, dims->indexVectorDim))};
  intptr_t numAttrs = 6;
  if (spec->isUnique)
    attrs[numAttrs++] =
        mloptNamedAttr(context, "unique_indices", mlirUnitAttrGet(context));
  if (spec->isUnsigned)
    attrs[numAttrs++] =
        mloptNamedAttr(context, "unsigned_indices", mlirUnitAttrGet(context));

  MloptKind kind = mloptImportKind(body, i);
  MlirRegion region;
  if (kind != MLOPT_KIND_NONE) {
    attrs[numAttrs++] = mloptImportKindAttr(context, kind);
    region = mlirRegionCreate();
  } else {
    int args[] = {i, (int)(mlirBlockGetNumArguments(body) / 2) + i};
    region = mloptImportScalarRegion(in->builder, body, 2, args, 1, &i);
  }
  MlirValue operands[] = {operand, indices, updates};
  MlirType result = mlirValueGetType(operand);
  return mloptBuildValue(in->builder, (MloptOpSpec){.name = "mlopt.scatter",
                                                    .numOperands = 3,
                                                    .operands = operands,
                                                    .numResults = 1,
                                                    .results = &result,
                                                    .numAttrs = numAttrs,
                                                    .attrs = attrs,
                                                    .numRegions = 1,
                                                    .regions = &region});
}

void mloptImportScatter(MloptImport *in) {
  int n = (int)(in->numOperands / 2); // n operands, indices, n updates
  ScatterSpec spec = {
      .isUnsigned = mloptIsUnsignedElement(mloptOperandType(in->op, n)),
      .isUnique = mloptForeignGetBool(in->op, "unique_indices", false)};
  mloptForeignGetScatterDims(in->op, &spec.dims);
  MlirBlock body = mloptImportBodyOf(in->op, 0);
  for (int i = 0; i < n; ++i)
    in->results[i] = buildScatter(in, &spec, in->operands[i], in->operands[n],
                                  in->operands[n + 1 + i], body, i);
}

bool mloptImportCheckScatter(MlirOperation op, char reason[MLOPT_REASON_SIZE]) {
  int n = (int)(mlirOperationGetNumOperands(op) / 2);
  int group[MLOPT_MAX_BODY_VALUES];
  if (!mloptImportCheckBodies(op, reason))
    return false;
  if (mloptImportGroups(mloptImportBodyOf(op, 0), n, group) == n)
    return true;
  snprintf(reason, MLOPT_REASON_SIZE,
           "scattering several operands together is not supported");
  return false;
}

//===----------------------------------------------------------------------===//
// Select and scatter
//===----------------------------------------------------------------------===//

/// The region that keeps the chosen one of two (value, position) pairs.
static MlirRegion buildChoice(MloptImport *in, MlirType value,
                              MlirType position) {
  MlirType types[] = {value, position, value, position};
  MlirBlock block;
  MlirRegion region = mloptCreateRegion(in->builder, 4, types, &block);
  MloptBuilder inside = mloptBuilderAtEnd(block, in->builder->location);
  MlirValue v = mlirBlockGetArgument(block, 0),
            p = mlirBlockGetArgument(block, 1),
            w = mlirBlockGetArgument(block, 2),
            q = mlirBlockGetArgument(block, 3);
  MlirBlock select = mloptImportBodyOf(in->op, 0);
  MlirValue wanted = mloptOperand(mlirBlockGetTerminator(select), 0);
  MlirValue args[] = {v, w}, stays;
  mloptImportBody(&inside, select, value, args, 1, &wanted, &stays);

  MloptImport scalar = *in;
  scalar.builder = &inside;
  MlirValue zero = mloptImportInt(&scalar, position, 0);
  MlirValue isSome = mloptImportCompare(&scalar, "ge", p, zero);
  MlirValue isOther = mloptImportCompare(&scalar, "ge", q, zero);
  // q is none, or p is some and stays: by the order of booleans.
  MlirValue keep = mloptImportBinary(&scalar, "mlopt.and", isSome, stays);
  MlirValue yes =
      mloptImportInt(&scalar, mlirIntegerTypeGet(in->builder->context, 1), 1);
  keep = mloptImportSelect(&scalar, isOther, keep, yes);
  MlirValue yielded[] = {mloptImportSelect(&scalar, keep, v, w),
                         mloptImportSelect(&scalar, keep, p, q)};
  mloptBuildOp(&inside, (MloptOpSpec){.name = "mlopt.yield",
                                      .numOperands = 2,
                                      .operands = yielded});
  in->builder->failed |= inside.failed;
  return region;
}

/// The position, in row-major order, of the element that each window chooses.
static MlirValue buildPositions(MloptImport *in, MlirType position) {
  MlirContext context = in->builder->context;
  MlirValue x = in->operands[0];
  MlirType type = mlirValueGetType(x);
  intptr_t rank = mloptRank(type);
  MlirType scalar = mloptTensorType(0, NULL, mloptElementType(type));
  MlirType zeroType = mloptTensorType(0, NULL, position);
  int64_t flat = mloptNumElements(type), shape[MLOPT_MAX_RANK];
  mloptShape(type, shape);
  MlirNamedAttribute dim =
      mloptNamedAttr(context, "dim", mloptI64Attr(context, 0));
  MlirValue iota = mloptImportBuild(
      in, "mlopt.iota", 0, NULL, mloptTensorType(1, &flat, position), 1, &dim);
  iota = mloptImportReshape(in, iota, rank, shape);

  MloptDims window, strides, low, high, ones;
  mloptForeignGetInts(in->op, "window_dimensions", rank, 1, &window);
  mloptForeignGetInts(in->op, "window_strides", rank, 1, &strides);
  mloptForeignGetPadding(in->op, rank, &low, &high);
  ones.n = rank;
  for (intptr_t i = 0; i < rank; ++i)
    ones.at[i] = 1;
  MlirNamedAttribute attrs[] = {
      mloptImportDims(context, "window", &window),
      mloptImportDims(context, "strides", &strides),
      mloptImportDims(context, "base_dilations", &ones),
      mloptImportDims(context, "window_dilations", &ones),
      mloptImportDims(context, "low", &low),
      mloptImportDims(context, "high", &high)};
  MlirAttribute zero =
      mloptKindGetNeutral(MLOPT_KIND_ADD, mloptElementType(type));
  MlirValue operands[] = {x, iota, mloptImportSplat(in, scalar, zero),
                          mloptImportInt(in, zeroType, -1)};
  MlirType source = mlirValueGetType(in->operands[1]);
  MlirType results[] = {source, mloptWithElementType(source, position)};
  MlirRegion region = buildChoice(in, mloptElementType(type), position);
  MlirOperation op =
      mloptBuildOp(in->builder, (MloptOpSpec){.name = "mlopt.reduce_window",
                                              .numOperands = 4,
                                              .operands = operands,
                                              .numResults = 2,
                                              .results = results,
                                              .numAttrs = MLOPT_COUNT(attrs),
                                              .attrs = attrs,
                                              .numRegions = 1,
                                              .regions = &region});
  return in->builder->failed ? (MlirValue){NULL} : mloptResult(op, 1);
}

void mloptImportSelectAndScatter(MloptImport *in) {
  MlirContext context = in->builder->context;
  MlirType type = mloptImportResultType(in, 0);
  int64_t size = mloptNumElements(type), shape[MLOPT_MAX_RANK];
  intptr_t rank = mloptShape(type, shape);
  MlirType position = mlirIntegerTypeGet(context, size <= INT32_MAX ? 32 : 64);
  MlirValue positions = buildPositions(in, position);
  if (in->builder->failed)
    return;

  // Flat: one update for each window.
  int64_t windows = mloptNumElements(mlirValueGetType(positions));
  int64_t indexShape[] = {windows, 1};
  positions = mloptImportReshape(in, positions, 2, indexShape);
  MlirValue updates = mloptImportReshape(in, in->operands[1], 1, &windows);
  MlirType flat = mloptTensorType(1, &size, mloptElementType(type));
  MlirValue init = mloptImportBroadcast(in, in->operands[2], NULL, flat);
  ScatterSpec spec = {.dims = {.insertedWindow = {.n = 1},
                               .scatterDimsToOperandDims = {.n = 1},
                               .indexVectorDim = 1}};
  MlirValue result = buildScatter(in, &spec, init, positions, updates,
                                  mloptImportBodyOf(in->op, 1), 0);
  if (!in->builder->failed)
    in->results[0] = mloptImportReshape(in, result, rank, shape);
}
