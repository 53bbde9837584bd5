//===- stream_bounds.c - Keys that a mask keeps ---------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "stream_impl.h"

static MloptStreamBound fixed(int64_t key) {
  return (MloptStreamBound){.size = 1, .low = key, .high = key};
}

void mloptFindStreamBounds(MloptStream *s) {
  int64_t keys = s->scores.sizes[MLOPT_AXIS_N];
  bool isMasked = !mlirValueIsNull(s->condition);
  s->from = fixed(0);
  s->end = fixed(keys);
  s->fullFrom = fixed(0);
  s->fullEnd = fixed(isMasked ? 0 : keys);
}
