//===- split_sorts.h - How sorts of long lines are split ----------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_SPLIT_SORTS_H
#define MLOPT_PASSES_SPLIT_SORTS_H

#include "split_cut.h"

/// Operand `i` of what one of the fusions sorts: the sort's, or where `before`
/// is not null, its result.
MlirValue mloptSortedOperand(MloptPiece *, MlirOperation sort,
                             MlirOperation before, intptr_t i);
/// Ends one of them with what it has sorted, or where it is the last with all
/// that follows; null when building failed.
MlirOperation mloptEndSorted(MloptPiece *, MlirOperation sort,
                             MlirOperation sorted, bool isLast);

/// What a comparator compares: the same value of both rows, a function of one
/// operand. NaNs are behind all other floats, or where that is said in front.
typedef struct MloptSortKey {
  MlirBlock body;     ///< of the comparator
  MlirValue value;    ///< of one of the rows, in the body
  MlirValue argument; ///< the row's operand in the body
  intptr_t operand;
  bool isSigned, isDescending, isNaNFirst;
} MloptSortKey;
/// Describes it; false where a comparator does anything else.
bool mloptReadSortKey(MlirOperation sort, MloptSortKey *out);
/// The digits that order the key.
int64_t mloptSortDigits(const MloptSortKey *);
/// Sorts by one digit after the other, the last first (split_digits.c); the
/// last of the fusions, null when building failed.
MlirOperation mloptSplitDigits(MlirOperation fusion, MlirOperation sort,
                               const MloptSortKey *);

#endif // MLOPT_PASSES_SPLIT_SORTS_H
