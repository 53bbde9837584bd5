//===- foreign.h - Reading StableHLO and CHLO operations ----------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// StableHLO and CHLO come in and are converted; mlopt never builds them. So
// the tables are private to this folder, and what conversion needs is here:
// the parameters of their attributes as C values. Every function expects an
// operation that verified; an attribute that the operation lacks reads as the
// default that the two dialects give it.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_DIALECT_FOREIGN_FOREIGN_H
#define MLOPT_DIALECT_FOREIGN_FOREIGN_H

#include "support.h"

/// A list of dimensions or of one number for each dimension.
typedef struct MloptDims {
  intptr_t n; ///< at most MLOPT_MAX_RANK
  int64_t at[MLOPT_MAX_RANK];
} MloptDims;

/// `dot_dimension_numbers` of stablehlo.dot_general.
typedef struct MloptDotDims {
  MloptDims lhsBatch, rhsBatch, lhsContract, rhsContract;
} MloptDotDims;
void mloptForeignGetDotDims(MlirOperation, MloptDotDims *out);

/// `dimension_numbers` of stablehlo.gather and stablehlo.dynamic_gather.
typedef struct MloptGatherDims {
  MloptDims offset, collapsedSlice, operandBatching, startIndicesBatching,
      startIndexMap;
  int64_t indexVectorDim;
} MloptGatherDims;
void mloptForeignGetGatherDims(MlirOperation, MloptGatherDims *out);

/// `scatter_dimension_numbers` of stablehlo.scatter.
typedef struct MloptScatterDims {
  MloptDims updateWindow, insertedWindow, inputBatching, scatterIndicesBatching,
      scatterDimsToOperandDims;
  int64_t indexVectorDim;
} MloptScatterDims;
void mloptForeignGetScatterDims(MlirOperation, MloptScatterDims *out);

/// `dimension_numbers` of stablehlo.convolution: where each logical dimension
/// lies. `spatial.at[i]` is the position of spatial dimension i.
typedef struct MloptConvDims {
  int64_t inputBatch, inputFeature;
  MloptDims inputSpatial;
  int64_t kernelInput, kernelOutput;
  MloptDims kernelSpatial;
  int64_t outputBatch, outputFeature;
  MloptDims outputSpatial;
} MloptConvDims;
void mloptForeignGetConvDims(MlirOperation, MloptConvDims *out);

/// An enumeration's value ("LT" of `#stablehlo<comparison_direction LT>`);
/// empty when the operation has no such attribute.
MlirStringRef mloptForeignGetEnum(MlirOperation, const char *name);
/// The same, compared.
bool mloptForeignIsEnum(MlirOperation, const char *name, const char *value);
/// A boolean attribute; `byDefault` when absent.
bool mloptForeignGetBool(MlirOperation, const char *name, bool byDefault);
/// An integer attribute of any width; `byDefault` when absent.
int64_t mloptForeignGetInt(MlirOperation, const char *name, int64_t byDefault);
/// An `array<i64>`; false when absent. `n` entries of `fill` when absent or
/// empty.
bool mloptForeignGetInts(MlirOperation, const char *name, intptr_t n,
                         int64_t fill, MloptDims *out);
/// `window_reversal`, an `array<i1>`, as zeros and ones; likewise.
bool mloptForeignGetBools(MlirOperation, const char *name, intptr_t n,
                          MloptDims *out);
/// `padding`, an n x 2 tensor of i64; zeros when absent or empty.
void mloptForeignGetPadding(MlirOperation, intptr_t n, MloptDims *low,
                            MloptDims *high);

#endif // MLOPT_DIALECT_FOREIGN_FOREIGN_H
