//===- fuse_layout.c - Orders of elements ---------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An order of elements as pieces of dimensions, the outermost first (see
// fuse_space.h). Neighbours that follow each other are one piece, so that equal
// orders have equal pieces.
//
//===----------------------------------------------------------------------===//

#include "fuse_space.h"

bool mloptFuseLayoutPush(MloptFuseLayout *layout, MloptFusePiece piece) {
  if (piece.size == 1)
    return true;
  MloptFusePiece *last = layout->count ? &layout->at[layout->count - 1] : NULL;
  if (last && last->atom == piece.atom &&
      last->stride == piece.stride * piece.size) {
    last->stride = piece.stride;
    last->size *= piece.size;
    return true;
  }
  if (layout->count == MLOPT_FUSE_MAX_PIECES)
    return false;
  layout->at[layout->count++] = piece;
  return true;
}

bool mloptFuseLayoutEqual(const MloptFuseLayout *a, const MloptFuseLayout *b) {
  if (a->count != b->count)
    return false;
  for (int i = 0; i < a->count; ++i)
    if (a->at[i].atom != b->at[i].atom || a->at[i].stride != b->at[i].stride ||
        a->at[i].size != b->at[i].size)
      return false;
  return true;
}

bool mloptFuseLayoutCut(const MloptFuseLayout *layout, intptr_t rank,
                        const int64_t *shape, MloptFuseLayout *dims) {
  int next = 0;
  MloptFusePiece piece = {0, 0, 1};
  for (intptr_t d = 0; d < rank; ++d) {
    dims[d] = (MloptFuseLayout){.known = true};
    for (int64_t want = shape[d]; want > 1;) {
      if (piece.size == 1) {
        if (next == layout->count)
          return false;
        piece = layout->at[next++];
      }
      int64_t take = piece.size < want ? piece.size : want;
      if (want % take || piece.size % take)
        return false;
      int64_t rest = piece.size / take;
      if (!mloptFuseLayoutPush(
              &dims[d],
              (MloptFusePiece){piece.atom, piece.stride * rest, take}))
        return false;
      piece.size = rest;
      want /= take;
    }
  }
  return piece.size == 1 && next == layout->count;
}

bool mloptFuseLayoutAppend(MloptFuseLayout *layout,
                           const MloptFuseLayout *more) {
  for (int i = 0; i < more->count; ++i)
    if (!mloptFuseLayoutPush(layout, more->at[i]))
      return false;
  return true;
}

int64_t mloptFuseLayoutSize(const MloptFuseLayout *layout) {
  int64_t size = 1;
  for (int i = 0; i < layout->count; ++i)
    size *= layout->at[i].size;
  return size;
}
