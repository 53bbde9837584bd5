//===- contraction_impl.h - Inside the search for contractions ----*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_CONTRACTION_IMPL_H
#define MLOPT_PASSES_CONTRACTION_IMPL_H

#include "contraction.h"
#include "product_access.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"

static inline bool isView(MlirValue tensor) {
  return mloptIsDefinedBy(tensor, "tensor.expand_shape") ||
         mloptIsDefinedBy(tensor, "tensor.collapse_shape");
}

static inline MlirAffineMap mapOf(MlirOperation generic, intptr_t operand) {
  return mlirAffineMapAttrGetValue(
      mlirArrayAttrGetElement(mloptAttr(generic, "indexing_maps"), operand));
}

static inline MlirBlock bodyOf(MlirOperation generic) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(generic, 0));
}

static inline intptr_t numInputs(MlirOperation generic) {
  return mlirOperationGetNumOperands(generic) -
         mlirOperationGetNumResults(generic);
}

/// The loop of dimension `dim` of an operand; -1 if it is no single loop.
static inline int64_t loopOf(MlirAffineMap map, intptr_t dim) {
  MlirAffineExpr expression = mlirAffineMapGetResult(map, dim);
  return mlirAffineExprIsADim(expression)
             ? mlirAffineDimExprGetPosition(expression)
             : -1;
}

bool mloptIsParallelGeneric(MlirOperation);
/// Whether a body reads tensors at indices that it computes, or has loops.
bool mloptIsIrregular(MlirOperation generic);
/// Whether a tensor is a splat constant of zero, or a generic that yields one.
bool mloptIsFilledWithZero(MlirValue tensor);
/// The parameter that a tensor is, perhaps under another shape; -1 if it is
/// something else.
intptr_t mloptParameterOf(MlirValue tensor);

/// A loop of a contraction, or several that follow each other in both factors:
/// (index of the axis / step) % size.
typedef struct MloptAxisLoop {
  MloptAxis axis;
  int64_t size, step;
  int64_t factors[2];      ///< in the positions of A and B
  int bounds[2];           ///< the bound that it occurs in; -1
  int64_t boundFactors[2]; ///< there
} MloptAxisLoop;

/// The loops of more than one turn, axis by axis, the outermost first.
typedef struct MloptAxisLoops {
  MloptAccess access[2]; ///< of A and B
  intptr_t first[MLOPT_NUM_AXES + 1];
  MloptAxisLoop at[MLOPT_MAX_LOOPS_OF_PRODUCT];
} MloptAxisLoops;

/// Sorts the loops of the products into axes, A being operand `side`; false if
/// they are no contraction of what lies in memory (contraction_axes.c).
bool mloptSplitAxes(MloptContraction *, intptr_t side, MloptAxisLoops *out);
/// Finds the tensor maps of the factors; false if there are none
/// (contraction_boxes.c).
bool mloptDescribeFactors(MloptContraction *, const MloptAxisLoops *);

/// Where a value that is elementwise code of the products, and of the rows that
/// are known, has the products' elements; false if it is anything else.
bool mloptFindPlaceOf(const MloptContraction *, MlirValue, MloptPlace *out);
/// Where the body of an operation rounds its operand 0 before it multiplies it
/// with operand 1, and sums from zero: the type it is rounded to. Null if it
/// does anything else.
MlirType mloptRoundsFactor(MlirOperation generic);
/// Where the loops of a generic have the products' elements that it reads;
/// false if it reads none, or what does not follow from them in one place.
bool mloptFindPlaceInLoops(const MloptContraction *, MlirOperation generic,
                           MloptPlace *out);
/// Finds the reductions of rows, or of equal parts of rows, of a contraction
/// of one product whose axes are known, each perhaps of what follows from those
/// before it (contraction_rows.c).
void mloptFindRows(MlirBlock program, MloptContraction *);
/// Finds the outputs of a contraction whose products are known: what the
/// program stores that comes from them, element by element, or from rows that
/// are known. `*outStores` counts all that it stores. False if there are none,
/// or too many.
bool mloptFindOutputs(MlirBlock program, MloptContraction *,
                      intptr_t *outStores);
/// Finds the reductions of pieces among what the program stores, when axes are
/// known; false if there are too many.
bool mloptFindFolds(MlirBlock program, MloptContraction *);
/// Finds the residuals when the factors and the outputs are known.
void mloptFindResiduals(MlirBlock program, MloptContraction *);

#endif // MLOPT_PASSES_CONTRACTION_IMPL_H
