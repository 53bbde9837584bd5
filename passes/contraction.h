//===- contraction.h - Matrix products in tensor programs ---------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds C[b, m, n] = sum over k of A(b, m, k) * B(b, n, k) in the program of a
// kernel, whatever the operation is called: a linalg.generic whose body
// multiplies and adds what lies in two parameters. Each of b, m, n, k may be
// several loops. What is stored runs along n.
//
// A factor is read in boxes of 128 bytes of up to 256 rows, through a tensor
// map of up to five dimensions. The innermost runs along k, or else along m or
// n; the rows run along the other one of the two. Either
//
// - the second dimension holds the rows, and all others have one place in a
// box:
//   a matrix in a batch, heads, slices of either, or
// - the rows are pixels: they run over all dimensions but the innermost, each
//   within a window that other loops move. A convolution's input of n images of
//   h x w pixels of c values, zero outside, is read tap by tap.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_CONTRACTION_H
#define MLOPT_PASSES_CONTRACTION_H

#include "place.h"
#include "prologue.h"

/// How the loops of a contraction occur in its tensors.
typedef enum MloptAxis {
  MLOPT_AXIS_BATCH, ///< in all three
  MLOPT_AXIS_M,     ///< in A and C
  MLOPT_AXIS_N,     ///< in B and C
  MLOPT_AXIS_K,     ///< in A and B
  MLOPT_NUM_AXES
} MloptAxis;

enum { MLOPT_MAX_MAP_RANK = 5, MLOPT_MAX_MAP_TERMS = 8 };

/// factor * ((index of the axis / step) % size); all of the index above where
/// size is 0.
typedef struct MloptMapTerm {
  MloptAxis axis;
  int64_t step, size, factor;
} MloptMapTerm;

/// constant + the sum of the terms.
typedef struct MloptMapIndex {
  int64_t constant;
  intptr_t count;
  MloptMapTerm terms[MLOPT_MAX_MAP_TERMS];
} MloptMapIndex;

typedef struct MloptMapDim {
  int64_t size, stride; ///< in elements; a stride of 0 is never stepped over
  MloptMapIndex at;     ///< of a box's first element
  /// Of pixels, but not of the outermost dimension: every `step`th is one, from
  /// `low` to size + `high`, and a box is moved by `offset`, never below 0.
  int64_t step, low, high;
  MloptMapIndex offset;
} MloptMapDim;

/// A factor in memory.
typedef struct MloptMatrix {
  intptr_t parameter; ///< of the kernel
  MlirType type;      ///< a ranked tensor
  bool isKMajor;      ///< the innermost dimension runs along k
  bool isPixels;      ///< boxes hold pixels
  int64_t offset;     ///< of the map in the parameter, in elements
  intptr_t rank;
  MloptMapDim dims[MLOPT_MAX_MAP_RANK]; ///< the innermost first
} MloptMatrix;

enum {
  MLOPT_MAX_PRODUCTS = 3,
  MLOPT_MAX_LISTED = 4,
  MLOPT_MAX_OUTPUTS = 4,
  MLOPT_MAX_FOLDS = 4,
  MLOPT_MAX_RESIDUALS = 2,
  MLOPT_MAX_OF_ROWS = 4
};

/// What the program stores: elementwise code of the products. Or a residual,
/// what that code reads one element of for each element of the products.
typedef struct MloptOutput {
  MlirValue value;
  MlirOperation generic; ///< whose body has the value, at its loops, which type
                         ///< and place are of; null: the value is a tensor
  intptr_t parameter;
  MlirType type;
  MloptPlace place; ///< of its elements in the products' results
} MloptOutput;

/// A reduction of what follows the products, in pieces of MLOPT_FOLD_LENGTH
/// neighbours along m or n, which lie inside of every tile.
typedef struct MloptFold {
  MlirOperation generic;
  MloptOutput input;  ///< what is reduced, without a parameter
  MloptOutput output; ///< what pieces give; of the axis, they are its digit
  MloptAxis axis;
} MloptFold;

enum { MLOPT_FOLD_LENGTH = 16 };

/// A digit of an axis' index, in the memory of an output.
typedef struct MloptStoreDigit {
  MloptAxis axis;
  int64_t size, step; ///< (index / step) % size
  int64_t stride;     ///< in elements
} MloptStoreDigit;

/// Which k a mask leaves of each index of m or n: up to, or from, that index
/// plus the offset; elsewhere a factor is zero.
typedef struct MloptDiagonal {
  bool isKnown, isFrom;
  MloptAxis axis; ///< m or n
  int64_t offset;
  intptr_t operand; ///< the factor, of the product's generic
} MloptDiagonal;
/// What `mlopt.zeros` says of a product (fuse_zeros.c), one operand of which
/// has its m, the other its n; not known where an axis is several loops.
MloptDiagonal mloptFindDiagonal(MlirOperation generic, intptr_t operandOfM);

/// One product, or several that share A and whose factors B are alike.
typedef struct MloptContraction {
  intptr_t numProducts;
  MlirOperation products[MLOPT_MAX_PRODUCTS]; ///< generics
  intptr_t parametersOfB[MLOPT_MAX_PRODUCTS];
  int64_t offsetsOfB[MLOPT_MAX_PRODUCTS]; ///< as MloptMatrix.offset
  intptr_t numOutputs;
  MloptOutput outputs[MLOPT_MAX_OUTPUTS];
  intptr_t numFolds;
  MloptFold folds[MLOPT_MAX_FOLDS];
  intptr_t numResiduals;
  MloptOutput residuals[MLOPT_MAX_RESIDUALS];
  bool isPlain;       ///< stores one product, as it is or rounded, as a matrix
  bool roundsSeveral; ///< several products, each rounded before it is read
  /// Whether factors may be rounded and sums kept in less than their type: the
  /// multiplication allows approximations.
  bool isFast;
  /// A or B is no tensor in memory but what the program computes; its
  /// dimensions' strides, if it lay there, say how rows count.
  bool computes[2];
  int64_t strides[MLOPT_MAX_RANK];
  MloptPrologue prologue; ///< of what one product computes
  /// Reductions that give one element for each row of the products' results,
  /// known to whoever emits what follows the products; and where these lie.
  intptr_t numOfRows;
  MlirOperation ofRows[MLOPT_MAX_OF_ROWS];
  MloptPlace placesOfRows[MLOPT_MAX_OF_ROWS];
  /// Of those that mloptFindRows has found: neighbours along n that are reduced
  /// to one, all of n or a part that each tile holds whole; what they combine
  /// with the accumulator, without parameters; and what is stored of the rows,
  /// an element for each.
  int64_t rowColumns;
  int64_t rowOperations; ///< scalar ones, for an element, in all that goes over
                         ///< the rows
  MloptOutput rowInputs[MLOPT_MAX_OF_ROWS];
  intptr_t numRowOutputs;
  MloptOutput rowOutputs[MLOPT_MAX_OF_ROWS];
  bool isInOrder;  ///< sums are one chain
  bool isPromoted; ///< and are rounded as f32 is
  MloptDiagonal diagonal;
  int64_t sizes[MLOPT_NUM_AXES];
  int64_t run; ///< boxes lie within so many indices of k, one after another
  MloptMatrix a, b; ///< b of the first product
  /// Of the dimensions of a product's result: their axis, and their step in its
  /// index.
  MloptAxis axesOfC[MLOPT_MAX_RANK];
  int64_t stepsOfC[MLOPT_MAX_RANK];
} MloptContraction;

/// What one kernel computes: a contraction, or several whose tiles are one
/// list. Those share a factor or more, each has its own outputs, nothing
/// depends on two of them, and stages of their tiles are alike: equal element
/// types, order of dimensions, and k. A shared factor is the same one, A or B,
/// in each.
typedef struct MloptContractions {
  intptr_t count;
  MloptContraction at[MLOPT_MAX_LISTED];
} MloptContractions;

/// Whether an operation sums products of two tensors from zero, whatever its
/// loops.
bool mloptIsProduct(MlirOperation);

/// Whether the program in this block, between casts of its arguments and one
/// bufferization.materialize_in_destination, is a contraction of two factors of
/// equally wide elements, both floats or both integers, in their type or a
/// wider one, that tensor maps describe, followed by elementwise operations
/// alone, of rows that are reduced too, and reductions of pieces of what these
/// give; or several of these, as a list.
bool mloptFindContractions(MlirBlock program, MloptContractions *out);

/// Scalar operations behind the products for an element; a function counts as
/// what it expands to.
int64_t mloptEpilogueOperations(const MloptContraction *);
/// The step of a place's digit in the index of its axis.
int64_t mloptAxisStep(const MloptContraction *, const MloptDigit *);
/// The digits of an output's position in memory, the innermost first; how many
/// there are.
intptr_t mloptOutputDigits(const MloptContraction *, const MloptOutput *,
                           MloptStoreDigit *out);

#endif // MLOPT_PASSES_CONTRACTION_H
