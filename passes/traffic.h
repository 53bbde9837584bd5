//===- traffic.h - What kernels made after fusion cost ------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlopt-fuse states a function's kernels and bytes as `mlopt.traffic`, and why
// values pass between kernels as `mlopt.ledger`. A pass that makes kernels
// after it counts before and after, so that both stay true and promises can be
// checked once nothing changes any more.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_TRAFFIC_H
#define MLOPT_PASSES_TRAFFIC_H

#include "fuse.h"

/// The fusions in a function, and what they move if each reads its operands
/// whole.
MloptFuseTotals mloptCountFusions(MlirOperation func);
/// Adds to `mlopt.traffic`, where there is one, what has come since `before`,
/// and gives fusions without a ledger one with this reason.
void mloptAddTraffic(MlirOperation func, MloptFuseTotals before,
                     MloptFuseReason);

#endif // MLOPT_PASSES_TRAFFIC_H
