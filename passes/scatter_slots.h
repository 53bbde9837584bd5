//===- scatter_slots.h - Scatters whose windows do not overlap ----*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most scatters add whole rows to a table, or single elements: the operand's
// last dimensions are in a window whole, and indices say where in the others it
// lies. Such a place is a slot, and its number, in row-major order, says all
// that there is to say about a window.
//
//   operand  [ slots .. | inner .. ]      updates  [ batch .. , inner .. ]
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_SCATTER_SLOTS_H
#define MLOPT_PASSES_SCATTER_SLOTS_H

#include "dialect.h"
#include "index.h"

typedef struct MloptSlots {
  MloptIndexing indexing;
  bool isUnsigned;
  intptr_t numDims; ///< of the operand, that are no window's: its first ones
  int64_t count;    ///< slots
  int64_t inner;    ///< elements of one
  MlirType batch;   ///< the windows' space
  int64_t numWindows;
  bool isSorted; ///< the windows come in the order of their slots
  bool isInLine; ///< the updates of a window are neighbours
} MloptSlots;

/// Describes a scatter; false where its windows may overlap otherwise, or where
/// a number of 32 bits is too small.
bool mloptReadSlots(MlirOperation scatter, MloptSlots *out);

#endif // MLOPT_PASSES_SCATTER_SLOTS_H
