//===- emit_matmul_epilogue.h - What follows a matrix product -----*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The elementwise code between products and what the kernel stores, computed in
// registers for one or two neighbours along n at a time.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_EMIT_MATMUL_EPILOGUE_H
#define MLOPT_PASSES_EMIT_MATMUL_EPILOGUE_H

#include "contraction.h"
#include "nv_tile.h"

enum { MLOPT_EPILOGUE_LANES = 2 };

typedef struct MloptEpilogue {
  MloptTile tile; ///< first: what the pull emitter's hooks get
  const MloptContraction *contraction;
  /// Of each product where the pull emitter stands, and its neighbour.
  MlirValue sums[MLOPT_MAX_PRODUCTS][MLOPT_EPILOGUE_LANES];
  /// Of the source of a factor that is computed, the elements of the vector;
  /// null where none is.
  const MlirValue *source;
  /// What the contraction's reductions of rows gave for the row there.
  MlirValue rows[MLOPT_MAX_OF_ROWS];
  /// Likewise of each residual; null where it lies in memory.
  MlirValue residuals[MLOPT_MAX_RESIDUALS][MLOPT_EPILOGUE_LANES];
} MloptEpilogue;

/// Elements of a tile, `lanes` of them from (batch, m, n) on along n. The axes'
/// indices are of type index and lie inside of the product.
typedef struct MloptEpiloguePoint {
  MlirValue axes[MLOPT_NUM_AXES]; ///< k's is not looked at
  int lanes;
} MloptEpiloguePoint;

/// Binds the program's parameters to those of `code`, but not those of factors
/// and outputs that are tensor maps, as `isMap` says. The pull emitter is
/// borrowed, and so is the epilogue by it.
void mloptEpilogueBegin(MloptEpilogue *, MloptPull *, const MloptContraction *,
                        MlirBlock program, MlirBlock code, const bool *isMap);
void mloptEpilogueEnd(MloptEpilogue *);
/// The code of a tile begins where the pull emitter stands.
void mloptEpilogueEnter(MloptEpilogue *);

/// How many neighbours along n can be taken at once: 2 where n is even and the
/// output's innermost digit.
int mloptEpilogueLanes(const MloptContraction *, const MloptOutput *);

/// An output's elements at a point where the products are `sums`. With
/// `rounded` false, what they are rounded from where that is f32 and their last
/// step.
void mloptEpilogueEvaluate(MloptEpilogue *, const MloptOutput *,
                           const MloptEpiloguePoint *, bool rounded,
                           MlirValue *out);

/// An output's indices where its products stand at these indices of the axes.
void mloptEpilogueIndices(MloptEpilogue *, const MloptOutput *,
                          const MlirValue *axes, MlirValue *outIndices);

/// Where these elements lie in the output, for mloptTileStore, perhaps in a
/// branch.
void mloptEpilogueAim(MloptEpilogue *, const MloptOutput *,
                      const MloptEpiloguePoint *, MloptVector *out);

#endif // MLOPT_PASSES_EMIT_MATMUL_EPILOGUE_H
