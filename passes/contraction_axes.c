//===- contraction_axes.c - The loops of matrix products ------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop belongs to the axis of the tensors that it occurs in. The loops of m
// and k are in the order that they have in A's memory, those of n in B's, so
// that as many as can count as one: of a convolution
//
//   m: n, oh, ow    n: co    k: kh, kw, c
//
// of which neither m's, since padding keeps ow within its row, nor k's, since
// the taps lie apart, are one.
//
//===----------------------------------------------------------------------===//

#include "contraction_impl.h"

/// Whether a loop occurs in an operand's access.
static bool reads(const MloptAccess *access, intptr_t loop) {
  if (access->position.factor[loop])
    return true;
  for (int i = 0; i < access->numBounds; ++i)
    if (access->bounds[i].index.factor[loop])
      return true;
  return false;
}

static bool writes(MlirAffineMap result, intptr_t loop) {
  for (intptr_t d = 0, n = mlirAffineMapGetNumResults(result); d < n; ++d)
    if (loopOf(result, d) == loop)
      return true;
  return false;
}

static MloptAxis axisOf(const MloptAccess access[2], MlirAffineMap result,
                        intptr_t loop) {
  static const MloptAxis axes[8] = {
      MLOPT_NUM_AXES, MLOPT_NUM_AXES, MLOPT_NUM_AXES, MLOPT_AXIS_K,
      MLOPT_NUM_AXES, MLOPT_AXIS_M,   MLOPT_AXIS_N,   MLOPT_AXIS_BATCH};
  return axes[reads(&access[0], loop) + 2 * reads(&access[1], loop) +
              4 * writes(result, loop)];
}

/// Drops the bounds that no iteration is outside of; false if all are.
static bool dropBounds(MloptAccess *access, const int64_t *sizes,
                       intptr_t numLoops) {
  int kept = 0;
  for (int i = 0; i < access->numBounds; ++i) {
    const MloptAffine *index = &access->bounds[i].index;
    int64_t least = index->constant, most = index->constant;
    for (intptr_t l = 0; l < numLoops; ++l) {
      int64_t reach = index->factor[l] * (sizes[l] - 1);
      *(reach < 0 ? &least : &most) += reach;
    }
    if (most < 0 || least >= access->bounds[i].size)
      return false;
    if (least < 0 || most >= access->bounds[i].size)
      access->bounds[kept++] = access->bounds[i];
  }
  access->numBounds = kept;
  return true;
}

/// The bound that a loop occurs in; -1 if it occurs in none, -2 in several.
static int boundOf(const MloptAccess *access, intptr_t loop) {
  int found = -1;
  for (int i = 0; i < access->numBounds; ++i)
    if (access->bounds[i].index.factor[loop])
      found = found == -1 ? i : -2;
  return found;
}

static int64_t magnitude(int64_t x) { return x < 0 ? -x : x; }

/// Whether loop `x` comes before `y` of its axis, both numbers of the
/// generic's. Sums in order keep theirs, and so do those that memory does not
/// order.
static bool isBefore(const MloptContraction *c, const MloptAxisLoops *loops,
                     MloptAxis axis, intptr_t x, intptr_t y) {
  if (axis == MLOPT_AXIS_BATCH || (axis == MLOPT_AXIS_K && c->isInOrder))
    return x < y;
  const int64_t *factors =
      loops->access[axis == MLOPT_AXIS_N ? 1 : 0].position.factor;
  int64_t ofX = magnitude(factors[x]), ofY = magnitude(factors[y]);
  return ofX != ofY ? ofX > ofY : x < y;
}

/// The loops of an axis, sorted; how many there are.
static intptr_t sortLoops(const MloptContraction *c,
                          const MloptAxisLoops *loops, const MloptAxis *axes,
                          const int64_t *sizes, intptr_t numLoops,
                          MloptAxis axis, intptr_t *out) {
  intptr_t count = 0;
  for (intptr_t l = 0; l < numLoops; ++l) {
    if (axes[l] != axis || sizes[l] == 1)
      continue;
    intptr_t at = count++;
    for (; at > 0 && isBefore(c, loops, axis, l, out[at - 1]); --at)
      out[at] = out[at - 1];
    out[at] = l;
  }
  return count;
}

/// Whether a loop goes on where the next one of its axis ends, in both factors.
static bool goesOn(const MloptAxisLoop *outer, const MloptAxisLoop *inner) {
  for (int side = 0; side < 2; ++side)
    if (outer->bounds[side] >= 0 || inner->bounds[side] >= 0 ||
        outer->factors[side] != inner->factors[side] * inner->size)
      return false;
  return true;
}

/// Appends a loop of an axis whose first loop is `first`.
static bool addLoop(MloptAxisLoops *loops, intptr_t *count, MloptAxis axis,
                    intptr_t first, intptr_t loop, int64_t size) {
  MloptAxisLoop added = {.axis = axis, .size = size, .step = 1};
  for (int side = 0; side < 2; ++side) {
    const MloptAccess *access = &loops->access[side];
    int bound = boundOf(access, loop);
    if (bound < -1)
      return false;
    added.bounds[side] = bound;
    added.factors[side] = access->position.factor[loop];
    if (bound >= 0)
      added.boundFactors[side] = access->bounds[bound].index.factor[loop];
  }
  MloptAxisLoop *last = &loops->at[*count - 1];
  if (*count > first && goesOn(last, &added)) {
    last->size *= size;
    memcpy(last->factors, added.factors, sizeof added.factors);
  } else {
    loops->at[(*count)++] = added;
  }
  return true;
}

/// The dimensions of a product's result in the indices of their axes.
static void placeResult(MloptContraction *c, MlirAffineMap result,
                        const MloptAxis *axes, const intptr_t *sorted,
                        intptr_t numSorted, MloptAxis axis) {
  MlirType type = mloptResultType(c->products[0], 0);
  int64_t step = 1;
  for (intptr_t i = numSorted; i-- > 0;)
    for (intptr_t d = 0, n = mloptRank(type); d < n; ++d)
      if (loopOf(result, d) == sorted[i]) {
        c->stepsOfC[d] = step;
        step *= mloptDim(type, d);
      }
  for (intptr_t d = 0, n = mloptRank(type); d < n; ++d)
    if (axes[loopOf(result, d)] == axis)
      c->axesOfC[d] = axis;
}

/// The accesses, and the axis and the size of each of the generic's loops.
static bool readLoops(MloptContraction *c, intptr_t side, MloptAxisLoops *out,
                      int64_t *sizes, MloptAxis *axes) {
  MlirOperation product = c->products[0];
  MlirAffineMap result = mapOf(product, 2);
  intptr_t numLoops = mlirAffineMapGetNumDims(result);
  if (numLoops > MLOPT_MAX_LOOPS_OF_PRODUCT ||
      !mlirAffineMapIsProjectedPermutation(result))
    return false;
  for (intptr_t l = 0; l < numLoops; ++l)
    if ((sizes[l] = mloptLoopSize(product, l)) <= 0)
      return false;
  for (int i = 0; i < 2; ++i) {
    intptr_t operand = i ? 1 - side : side;
    out->access[i] = c->computes[i]
                         ? mloptDescribeComputed(product, operand, c->strides)
                         : mloptDescribeAccess(product, operand);
    if (!out->access[i].isKnown ||
        !dropBounds(&out->access[i], sizes, numLoops))
      return false;
  }
  for (intptr_t l = 0; l < numLoops; ++l) {
    axes[l] = axisOf(out->access, result, l);
    if (axes[l] == MLOPT_NUM_AXES && sizes[l] > 1)
      return false;
  }
  return true;
}

bool mloptSplitAxes(MloptContraction *c, intptr_t side, MloptAxisLoops *out) {
  int64_t sizes[MLOPT_MAX_LOOPS_OF_PRODUCT];
  MloptAxis axes[MLOPT_MAX_LOOPS_OF_PRODUCT];
  intptr_t sorted[MLOPT_MAX_LOOPS_OF_PRODUCT], count = 0;
  if (!readLoops(c, side, out, sizes, axes))
    return false;
  MlirAffineMap result = mapOf(c->products[0], 2);
  for (int axis = 0; axis < MLOPT_NUM_AXES; ++axis) {
    intptr_t n = sortLoops(c, out, axes, sizes, mlirAffineMapGetNumDims(result),
                           (MloptAxis)axis, sorted);
    out->first[axis] = count;
    c->sizes[axis] = 1;
    for (intptr_t i = 0; i < n; ++i)
      if (!addLoop(out, &count, (MloptAxis)axis, out->first[axis], sorted[i],
                   sizes[sorted[i]]))
        return false;
    placeResult(c, result, axes, sorted, n, (MloptAxis)axis);
    for (intptr_t i = count; i-- > out->first[axis];) {
      out->at[i].step = c->sizes[axis];
      c->sizes[axis] *= out->at[i].size;
    }
  }
  out->first[MLOPT_NUM_AXES] = count;
  return true;
}
