//===- product_axes.c - What an access depends on -------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Questions of how a factor's position follows from an axis of a product: by
// which factor, along which loops, and how many elements lie side by side and
// start on multiples of as many.
//
//===----------------------------------------------------------------------===//

#include "product.h"

bool mloptIsLinear(const MloptProduct *p, const MloptAffine *f, MloptAxis axis,
                   int64_t *outFactor) {
  const MloptLoops *loops = &p->axes[axis];
  int64_t inner = 1, factor = 0;
  bool isFirst = true;
  for (intptr_t i = loops->count; i-- > 0;) {
    int64_t size = p->sizes[loops->at[i]], own = f->factor[loops->at[i]];
    if (size == 1)
      continue;
    if (isFirst)
      factor = own;
    else if (own != factor * inner)
      return false;
    isFirst = false;
    inner *= size;
  }
  *outFactor = factor;
  return true;
}

bool mloptDependsOnAxis(const MloptProduct *p, const MloptAffine *f,
                        MloptAxis axis) {
  const MloptLoops *loops = &p->axes[axis];
  for (intptr_t i = 0; i < loops->count; ++i)
    if (f->factor[loops->at[i]] && p->sizes[loops->at[i]] > 1)
      return true;
  return false;
}

intptr_t mloptInnerLoop(const MloptProduct *p, MloptAxis axis) {
  const MloptLoops *loops = &p->axes[axis];
  for (intptr_t i = loops->count; i-- > 0;)
    if (p->sizes[loops->at[i]] > 1)
      return loops->at[i];
  return -1;
}

bool mloptBoundsDependOn(const MloptProduct *p, const MloptAccess *access,
                         MloptAxis axis) {
  for (int i = 0; i < access->numBounds; ++i)
    if (mloptDependsOnAxis(p, &access->bounds[i].index, axis))
      return true;
  return false;
}

bool mloptRunsAlong(const MloptProduct *p, const MloptAccess *access,
                    MloptAxis axis) {
  int64_t factor;
  return access->isKnown && !mloptBoundsDependOn(p, access, axis) &&
         mloptIsLinear(p, &access->position, axis, &factor) && factor == 1;
}

/// The largest power of two up to `most` that divides `n`.
static int64_t commonPower(int64_t n, int64_t most) {
  while (most > 1 && n % most)
    most /= 2;
  return most;
}

int64_t mloptRunAlong(const MloptProduct *p, const MloptAccess *access,
                      MloptAxis axis, int64_t most) {
  const MloptAffine *position = &access->position;
  intptr_t inner = mloptInnerLoop(p, axis);
  int64_t factor, run;
  if (!access->isKnown || inner < 0 || position->factor[inner] != 1)
    return 1;
  bool isLinear = mloptIsLinear(p, position, axis, &factor) &&
                  !mloptBoundsDependOn(p, access, axis);
  run = commonPower(isLinear ? p->axes[axis].size : p->sizes[inner], most);
  run = commonPower(position->constant, run);
  for (intptr_t i = 0; i < p->numLoops; ++i)
    if (i != inner && p->sizes[i] > 1)
      run = commonPower(position->factor[i], run);
  for (int i = 0; i < access->numBounds; ++i)
    if (access->bounds[i].index.factor[inner])
      return 1;
  return run;
}
