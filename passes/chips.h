//===- chips.h - What PTX is written for --------------------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_CHIPS_H
#define MLOPT_PASSES_CHIPS_H

#include "support.h"

/// An architecture that PTX is made for.
typedef struct MloptChip {
  const char *name;
  int leastPtx; ///< the first PTX ISA version that has it, times ten
} MloptChip;

/// The row of a name such as "sm_90a"; NULL if there is none.
const MloptChip *mloptFindChip(const char *name);
/// What suits a GPU that calls itself "sm_90" best: with all features of just
/// that chip, else the nearest older chip. NULL if it is too old.
const MloptChip *mloptChipForDevice(const char *name);
/// "sm_80, sm_86, ...", for messages.
void mloptListChips(char *text, size_t size);

/// Whether its kernels can start before the one that they follow has ended.
bool mloptChipLaunchesEarly(const char *name);

/// Whether LLVM writes this version of PTX.
bool mloptIsPtxVersion(int version);
/// The version to write when nobody asks for one.
int mloptDefaultPtx(const MloptChip *);

#endif // MLOPT_PASSES_CHIPS_H
