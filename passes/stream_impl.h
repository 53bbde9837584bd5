//===- stream_impl.h - Inside the search for streamed products ----*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_STREAM_IMPL_H
#define MLOPT_PASSES_STREAM_IMPL_H

#include "stream.h"

#include "contraction_impl.h"

/// Finds the keys that a row's condition keeps, as far as it follows from the
/// indices of the row and the key (stream_bounds.c).
void mloptFindStreamBounds(MloptStream *);

#endif // MLOPT_PASSES_STREAM_IMPL_H
