//===- flops.h - The arithmetic of a program's contractions -------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_TOOLS_FLOPS_H
#define MLOPT_TOOLS_FLOPS_H

#include "support.h"

/// Multiplications and additions in the dots and convolutions of a function at
/// level 2, with static shapes; what is in a loop or branch counts once.
double mloptCountFlops(MlirModule, const char *entry);

#endif // MLOPT_TOOLS_FLOPS_H
