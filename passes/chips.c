//===- chips.c - What PTX is written for ----------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "chips.h"

#include <stdio.h>

// Versions from "PTX ISA", the notes on the directive .target. Chips before
// sm_80 have no bf16.
// clang-format off
static const MloptChip chips[] = {
    {"sm_80",  70}, {"sm_86",   71}, {"sm_87",  74}, {"sm_89",   78},
    {"sm_90",  78}, {"sm_90a",  80},
    {"sm_100", 86}, {"sm_100a", 86}, {"sm_103", 88}, {"sm_103a", 88},
    {"sm_120", 87}, {"sm_120a", 87}, {"sm_121", 88}, {"sm_121a", 88},
};
// clang-format on

/// 8.6 is the oldest that has every TMA and wgmma form that kernels use.
enum { PREFERRED_PTX = 86 };

/// The first and the last of each run of versions that LLVM 22 writes.
static const int versions[][2] = {{70, 78}, {80, 88}, {90, 90}};

const MloptChip *mloptFindChip(const char *name) {
  for (int i = 0; i < MLOPT_COUNT(chips); ++i)
    if (!strcmp(chips[i].name, name))
      return &chips[i];
  return NULL;
}

/// 90 for "sm_90"; 0 for a chip whose code runs on no other ("sm_90a").
static int portableNumber(const char *name) {
  int number = 0, end = 0;
  return sscanf(name, "sm_%d%n", &number, &end) == 1 && !name[end] ? number : 0;
}

const MloptChip *mloptChipForDevice(const char *name) {
  char exact[32];
  snprintf(exact, sizeof exact, "%sa", name);
  const MloptChip *best = mloptFindChip(exact);
  if (best)
    return best;
  int bestNumber = 0;
  for (int i = 0; i < MLOPT_COUNT(chips); ++i) {
    int number = portableNumber(chips[i].name);
    if (number > bestNumber && number <= portableNumber(name)) {
      bestNumber = number;
      best = &chips[i];
    }
  }
  return best;
}

/// `griddepcontrol` is there from sm_90 on (PTX ISA).
bool mloptChipLaunchesEarly(const char *name) {
  int number = 0;
  return sscanf(name, "sm_%d", &number) == 1 && number >= 90;
}

void mloptListChips(char *text, size_t size) {
  size_t used = 0;
  for (int i = 0; i < MLOPT_COUNT(chips) && used < size; ++i)
    used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "",
                             chips[i].name);
}

bool mloptIsPtxVersion(int version) {
  for (int i = 0; i < MLOPT_COUNT(versions); ++i)
    if (version >= versions[i][0] && version <= versions[i][1])
      return true;
  return false;
}

int mloptDefaultPtx(const MloptChip *chip) {
  return chip->leastPtx > PREFERRED_PTX ? chip->leastPtx : PREFERRED_PTX;
}
