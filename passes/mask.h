//===- mask.h - What lies beyond a mask's diagonal ----------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A condition that compares the indices of two neighbouring dimensions cuts
// each matrix of a buffer in two, along a diagonal:
//
//            columns
//   rows   [ x x . . . . ]     x: column <= row + offset
//          [ x x x . . . ]     .: beyond it
//          [ x x x x . . ]
//
// What a kernel's program has there follows from its scalar regions and from
// what is there in the buffers that it reads: a score of -inf, a probability of
// 0. Buffers have no shape, so a mask counts an element's place in memory: its
// column is place % columns, its row (place / columns) % rows.
//
// What is called a number here stands for what the program would compute where
// nothing that it multiplies by zero, or subtracts from an infinity, is one
// itself: as for mlopt.zeros (fuse_zeros.c).
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_MASK_H
#define MLOPT_PASSES_MASK_H

#include "support.h"

typedef struct MloptMask {
  int64_t rows, columns, offset;
} MloptMask;

/// What is known to lie beyond a mask in a parameter of a kernel.
typedef struct MloptBeyond {
  bool isKnown;
  double number;
} MloptBeyond;

enum { MLOPT_MAX_MASKS = 4 };
/// Adds the masks that comparisons in a kernel's program make to `count`
/// others, once each; how many there are then, MLOPT_MAX_MASKS at most.
intptr_t mloptFindMasks(MlirBlock program, intptr_t count,
                        MloptMask masks[MLOPT_MAX_MASKS]);

/// What a tensor of the program holds beyond a mask; `parameters` are the
/// kernel's.
MloptBeyond mloptBeyondOf(MlirValue tensor, const MloptMask *,
                          const MloptBeyond *parameters);
/// Whether what a reduction along the last loop combines beyond a mask changes
/// nothing.
bool mloptIsNeutralBeyond(MlirOperation reduction, const MloptMask *,
                          const MloptBeyond *parameters);

/// What a kernel is told of a mask: an attribute, `{columns, offset, rows}`.
/// Of a product (schedule_matmul.h): nobody reads its results beyond it, and
/// tiles that lie there are left out. Of a streamed kernel (schedule_stream.h):
/// likewise of its scores. Of rows (emit_rows_masked.c): what is
/// there in each parameter of its space's size, in the program's order, is not
/// read but taken from the array `reads`; a unit `keep` says that somebody
/// reads the results there, so that they are stored.
#define MLOPT_MASKED "mlopt.masked"
/// False if a kernel has none.
bool mloptReadMask(MlirOperation kernel, MloptMask *out);

/// The last column that is not beyond a mask in row `row`, and one.
static inline int64_t mloptMaskEnd(const MloptMask *mask, int64_t row) {
  int64_t end = row + mask->offset + 1;
  return end < mask->columns ? end : mask->columns;
}

#endif // MLOPT_PASSES_MASK_H
