//===- emit_boxes.h - Boxes of contractions in their tensor maps --*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the indices of a contraction's axes to the coordinates of a box, and
// from fragments of wgmma to boxes in shared memory: 64 rows of 128 bytes, with
// the 128-byte swizzle.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_EMIT_BOXES_H
#define MLOPT_PASSES_EMIT_BOXES_H

#include "contraction.h"
#include "nv_tma.h"
#include "nv_wgmma.h"

/// A place in a map, given the indices of the axes, i32.
MlirValue mloptMapIndexAt(MloptNv *, const MloptMapIndex *,
                          const MlirValue *axes);
/// Where a box of an output or a residual starts, as TMA counts: a coordinate
/// for each of the map's dimensions, whose number is returned.
intptr_t mloptBoxOfOutput(MloptNv *, const MloptContraction *,
                          const MloptOutput *, const MlirValue *axes,
                          MlirValue *out);

/// Where a thread's fragment lies in a box of elements of 16 bits, or else 32:
/// the four places are those of a row's 32-byte parts. `thread` is that in its
/// warpgroup.
void mloptPlaceFragment(MloptNv *, MlirValue thread, bool halves,
                        MlirValue out[4]);
/// Stages a block of a fragment in the box at offset `slot`: 32 elements of 16
/// bits, given as f32, or 16 of 32.
void mloptStageFragment(MloptNv *, MlirType element, const MlirValue places[4],
                        MlirValue slot, const MlirValue *elements);

#endif // MLOPT_PASSES_EMIT_BOXES_H
