//===- contraction_boxes.c - Tensor maps of factors -----------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From where the elements of a factor lie, as a function of the loops, to the
// dimensions of a tensor map and the place of a box in them:
//
//   position  c + 256 (ow + kw - 1) + 14336 (oh + kh - 1) + 802816 n
//   bounds    ow + kw - 1 and oh + kh - 1 in [0, 56)
// becomes
//   dimension  size  stride  at       low  high  offset
//   0          256   1       c
//   1          56    256     ow - 1   -1   -1    kw
//   2          56    14336   oh - 1   -1   -1    kh
//   3          32    802816  n
//
// The innermost dimension is one of the loops whose factor is 1, the rows are
// the loops of the other axis; a bound is a dimension's size, so that TMA reads
// zero beyond it. Loops that have one place in a box have dimensions of their
// own, or where all dimensions belong to pixels, move the innermost's start.
//
// Rows and places along k that a box has beyond the end of k must be zero in
// both factors, since zero times what lies there may be no number.
//
//===----------------------------------------------------------------------===//

#include "contraction_impl.h"

/// Rows or elements of a box where the innermost dimension does not run along
/// k.
enum { PIECE = 64, ROW_BYTES = 128 };

/// Neighbours among the loops, [first, last).
typedef struct Group {
  intptr_t first, last;
} Group;

/// A tensor map on its way.
typedef struct Boxes {
  const MloptContraction *c;
  const MloptAxisLoops *loops;
  const MloptAccess *access;
  int side;
  MloptAxis along, across; ///< of the innermost dimension and of the rows
  bool placed[MLOPT_MAX_LOOPS_OF_PRODUCT];
  int dimOfBound[MLOPT_MAX_BOUNDS]; ///< -1 before it has one
  /// The most by which loops move a window.
  int64_t reach[MLOPT_MAX_MAP_RANK];
  MloptMatrix *m;
} Boxes;

static const MloptAxisLoop *loopAt(const Boxes *x, intptr_t i) {
  return &x->loops->at[i];
}

static int64_t factorOf(const Boxes *x, intptr_t i) {
  return loopAt(x, i)->factors[x->side];
}

static int boundOf(const Boxes *x, intptr_t i) {
  return loopAt(x, i)->bounds[x->side];
}

static int64_t inBound(const Boxes *x, intptr_t i) {
  return loopAt(x, i)->boundFactors[x->side];
}

static int64_t sizeOf(const Boxes *x, Group group) {
  int64_t size = 1;
  for (intptr_t i = group.first; i < group.last; ++i)
    size *= loopAt(x, i)->size;
  return size;
}

/// k's part of a box, in indices: a whole stage.
static int64_t stageOfK(const Boxes *x) {
  return ROW_BYTES / (mloptElementWidth(mloptElementType(x->m->type)) / 8);
}

static bool fillsStages(const Boxes *x) { return x->c->run % stageOfK(x) == 0; }

/// The innermost of these loops, and those around it that it goes on in, up to
/// `most` indices together.
static Group innermost(const Boxes *x, Group of, int64_t most) {
  Group group = {of.last - 1, of.last};
  int64_t size = loopAt(x, group.first)->size;
  if (boundOf(x, group.first) >= 0)
    return group;
  for (; group.first > of.first; --group.first) {
    intptr_t outer = group.first - 1;
    int64_t stride = factorOf(x, of.last - 1) * size;
    size *= loopAt(x, outer)->size;
    if (boundOf(x, outer) >= 0 || factorOf(x, outer) != stride || size > most)
      break;
  }
  return group;
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

static bool addTerm(const Boxes *x, MloptMapIndex *index, Group group,
                    int64_t factor) {
  MloptAxis axis = loopAt(x, group.first)->axis;
  bool isOutermost = group.first == x->loops->first[axis];
  if (index->count == MLOPT_MAX_MAP_TERMS)
    return false;
  index->terms[index->count++] =
      (MloptMapTerm){axis, loopAt(x, group.last - 1)->step,
                     isOutermost ? 0 : sizeOf(x, group), factor};
  return true;
}

/// Adds a loop that has one place in a box; one that runs backwards counts from
/// its end, where `*outFirst` then is.
static bool addFixed(const Boxes *x, MloptMapIndex *index, intptr_t loop,
                     int64_t factor, int64_t *outFirst) {
  *outFirst = factor < 0 ? factor * (loopAt(x, loop)->size - 1) : 0;
  index->constant -= *outFirst;
  return addTerm(x, index, (Group){loop, loop + 1}, factor);
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// The stride of a bound's index in the position; 0 if it has none.
static int64_t strideOfBound(const Boxes *x, int bound) {
  int64_t stride = 0;
  for (intptr_t i = 0; i < x->loops->first[MLOPT_NUM_AXES]; ++i) {
    if (boundOf(x, i) != bound)
      continue;
    int64_t own = inBound(x, i) ? factorOf(x, i) / inBound(x, i) : 0;
    if (own <= 0 || own * inBound(x, i) != factorOf(x, i) ||
        (stride && own != stride))
      return 0;
    stride = own;
  }
  return stride;
}

/// A dimension that ends where a bound does.
static bool addBoundDim(Boxes *x, int bound) {
  MloptMatrix *m = x->m;
  if (m->rank == MLOPT_MAX_MAP_RANK)
    return false;
  int64_t start = x->access->bounds[bound].index.constant;
  x->dimOfBound[bound] = (int)m->rank;
  m->dims[m->rank++] = (MloptMapDim){.size = x->access->bounds[bound].size,
                                     .stride = strideOfBound(x, bound),
                                     .at = {.constant = start},
                                     .step = 1};
  m->offset -= m->dims[m->rank - 1].stride * start;
  return m->dims[m->rank - 1].stride > 0;
}

/// A dimension for a group of loops.
static bool addGroup(Boxes *x, Group group) {
  MloptMatrix *m = x->m;
  for (intptr_t i = group.first; i < group.last; ++i)
    x->placed[i] = true;
  int bound = boundOf(x, group.first);
  if (bound >= 0)
    return addBoundDim(x, bound) &&
           addTerm(x, &m->dims[m->rank - 1].at, group, inBound(x, group.first));
  if (m->rank == MLOPT_MAX_MAP_RANK || factorOf(x, group.last - 1) <= 0)
    return false;
  m->dims[m->rank++] = (MloptMapDim){.size = sizeOf(x, group),
                                     .stride = factorOf(x, group.last - 1),
                                     .step = 1};
  return addTerm(x, &m->dims[m->rank - 1].at, group, 1);
}

//===----------------------------------------------------------------------===//
// The innermost dimension
//===----------------------------------------------------------------------===//

static Group loopsOf(const Boxes *x, MloptAxis axis) {
  return (Group){x->loops->first[axis], x->loops->first[axis + 1]};
}

static bool runsAlong(const Boxes *x, MloptAxis axis) {
  Group loops = loopsOf(x, axis);
  return loops.first < loops.last && factorOf(x, loops.last - 1) == 1;
}

static bool addInnermost(Boxes *x) {
  Group loops = loopsOf(x, x->along);
  bool isK = x->along == MLOPT_AXIS_K;
  Group group = innermost(x, loops, isK ? x->c->run : INT64_MAX);
  bool bounded = boundOf(x, group.first) >= 0;
  if (bounded && inBound(x, group.first) != 1)
    return false;
  // A box lies within the group.
  if (isK ? sizeOf(x, group) != x->c->run || (bounded && !fillsStages(x))
          : group.first > loops.first && sizeOf(x, group) % PIECE)
    return false;
  return addGroup(x, group);
}

//===----------------------------------------------------------------------===//
// The rows
//===----------------------------------------------------------------------===//

/// The loops that the rows of a box run over.
static Group loopsOfRows(const Boxes *x) {
  Group loops = loopsOf(x, x->across);
  if (x->across == MLOPT_AXIS_K && x->c->run < x->c->sizes[MLOPT_AXIS_K])
    loops.first = loops.last - 1;
  return loops;
}

/// Whether the rows are one dimension of a map that is no one of pixels.
static bool areRows(const Boxes *x, Group loops) {
  if (loops.first == loops.last)
    return true;
  Group group = innermost(x, loops, INT64_MAX);
  return group.first == loops.first &&
         (boundOf(x, group.first) < 0 ||
          (inBound(x, group.first) == 1 &&
           (x->across != MLOPT_AXIS_K || fillsStages(x))));
}

static bool addRows(Boxes *x, Group loops) {
  MloptMatrix *m = x->m;
  if (loops.first < loops.last)
    return addGroup(x, loops);
  m->dims[m->rank++] = (MloptMapDim){.size = 1, .step = 1};
  return true;
}

/// The outermost dimension of pixels is no window: one of size 1 where the last
/// one, of this loop, is. TMA faults where a box starts outside of a window, so
/// that rows beyond the last start in the next.
static bool closeWindow(Boxes *x, intptr_t loop) {
  MloptMatrix *m = x->m;
  if (m->rank == MLOPT_MAX_MAP_RANK)
    return false;
  MloptMapTerm *within = &m->dims[m->rank - 1].at.terms[0];
  within->size = loopAt(x, loop)->size;
  m->dims[m->rank++] = (MloptMapDim){
      .size = 1,
      .at = {.count = 1,
             .terms = {{within->axis, within->step * within->size, 0, 1}}},
      .step = 1};
  return true;
}

/// Pixels: a dimension for each loop or more of the rows.
static bool addPixels(Boxes *x, Group loops) {
  MloptMatrix *m = x->m;
  m->isPixels = true;
  bool bounded = false;
  while (loops.first < loops.last) {
    Group group = innermost(x, loops, INT64_MAX);
    bounded = boundOf(x, group.first) >= 0;
    if (!addGroup(x, group))
      return false;
    MloptMapDim *dim = &m->dims[m->rank - 1];
    if (bounded) {
      dim->step = inBound(x, group.first);
      dim->low = dim->at.constant;
      dim->high = dim->low + (sizeOf(x, group) - 1) * dim->step + 1 - dim->size;
    }
    if (dim->step < 1)
      return false;
    loops.last = group.first;
  }
  return !bounded || closeWindow(x, loopsOfRows(x).first);
}

//===----------------------------------------------------------------------===//
// What has one place in a box
//===----------------------------------------------------------------------===//

/// Moves the window of pixels in their dimension.
static bool moveWindow(Boxes *x, int at, intptr_t loop) {
  MloptMapDim *dim = &x->m->dims[at];
  int64_t factor = inBound(x, loop), first;
  if (!addFixed(x, &dim->offset, loop, factor, &first))
    return false;
  x->reach[at] += (factor < 0 ? -factor : factor) * (loopAt(x, loop)->size - 1);
  // What the offset does not reach below 0 is the window's start.
  dim->low += first;
  dim->high += first;
  dim->at.constant += first;
  return true;
}

static bool placeBounded(Boxes *x, intptr_t loop) {
  int bound = boundOf(x, loop), *dim = &x->dimOfBound[bound];
  if (*dim < 0 && (x->m->isPixels || !addBoundDim(x, bound)))
    return false;
  if (x->m->isPixels && *dim > 0)
    return moveWindow(x, *dim, loop);
  return addTerm(x, &x->m->dims[*dim].at, (Group){loop, loop + 1},
                 inBound(x, loop));
}

/// The innermost dimension reaches over what a loop steps over.
static bool moveInnermost(Boxes *x, intptr_t loop) {
  MloptMapDim *dim = &x->m->dims[0];
  int64_t factor = factorOf(x, loop), first;
  for (int i = 0; i < x->access->numBounds; ++i)
    if (x->dimOfBound[i] == 0)
      return false;
  if ((x->along == MLOPT_AXIS_K && !fillsStages(x)) ||
      !addFixed(x, &dim->at, loop, factor, &first))
    return false;
  x->m->offset += first;
  dim->size += (factor < 0 ? -factor : factor) * (loopAt(x, loop)->size - 1);
  return true;
}

static bool placeLoop(Boxes *x, intptr_t loop) {
  MloptMatrix *m = x->m;
  int64_t factor = factorOf(x, loop), first;
  if (boundOf(x, loop) >= 0)
    return placeBounded(x, loop);
  if (!factor)
    return true;
  if (m->isPixels || m->rank == MLOPT_MAX_MAP_RANK)
    return moveInnermost(x, loop);
  MloptMapDim *dim = &m->dims[m->rank++];
  *dim = (MloptMapDim){.size = loopAt(x, loop)->size,
                       .stride = factor < 0 ? -factor : factor,
                       .step = 1};
  if (!addFixed(x, &dim->at, loop, factor < 0 ? -1 : 1, &first))
    return false;
  m->offset += first * dim->stride;
  return true;
}

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

/// What TMA takes of windows, by the rank of the map: CUDA driver API,
/// cuTensorMapEncodeIm2col.
static bool arePixelsLegal(const Boxes *x) {
  const MloptMatrix *m = x->m;
  static const int64_t corners[] = {[3] = 1 << 15, [4] = 1 << 7, [5] = 1 << 4};
  static const int64_t offsets[] = {[3] = 1 << 16, [4] = 1 << 8, [5] = 1 << 5};
  enum { MOST_STEP = 8 };
  for (intptr_t i = 1; m->isPixels && i < m->rank - 1; ++i) {
    const MloptMapDim *dim = &m->dims[i];
    if (dim->step > MOST_STEP || dim->low < -corners[m->rank] ||
        dim->low >= corners[m->rank] || dim->high < -corners[m->rank] ||
        dim->high >= corners[m->rank] || x->reach[i] >= offsets[m->rank])
      return false;
  }
  return true;
}

static bool describe(Boxes *x) {
  Group rows = loopsOfRows(x);
  for (int i = 0; i < x->access->numBounds; ++i)
    x->dimOfBound[i] = -1;
  x->m->offset = x->access->position.constant;
  if (!addInnermost(x) ||
      !(areRows(x, rows) ? addRows(x, rows) : addPixels(x, rows)))
    return false;
  for (intptr_t i = 0; i < x->loops->first[MLOPT_NUM_AXES]; ++i)
    if (!x->placed[i] && !placeLoop(x, i))
      return false;
  for (int i = 0; i < x->access->numBounds; ++i)
    if (x->dimOfBound[i] < 0)
      return false;
  return x->m->offset >= 0 && arePixelsLegal(x);
}

/// The map of A or B, whose rows' or columns' axis is `axis`.
static bool describeFactor(const MloptContraction *c,
                           const MloptAxisLoops *loops, int side,
                           MloptMatrix *m) {
  MloptAxis axis = side ? MLOPT_AXIS_N : MLOPT_AXIS_M;
  Boxes x = {.c = c,
             .loops = loops,
             .access = &loops->access[side],
             .side = side,
             .along = MLOPT_AXIS_K,
             .across = axis,
             .m = m};
  *m = (MloptMatrix){
      .parameter = c->computes[side] ? -1 : mloptParameterOf(x.access->tensor),
      .type = mlirValueGetType(x.access->tensor),
      .isKMajor = runsAlong(&x, MLOPT_AXIS_K),
  };
  if (!m->isKMajor) {
    x.along = axis;
    x.across = MLOPT_AXIS_K;
  }
  return runsAlong(&x, x.along) && describe(&x);
}

bool mloptDescribeFactors(MloptContraction *c, const MloptAxisLoops *loops) {
  intptr_t last = loops->first[MLOPT_AXIS_K + 1] - 1;
  if (last < loops->first[MLOPT_AXIS_K])
    return false;
  c->run = c->sizes[MLOPT_AXIS_K];
  for (int i = 0; i < 2; ++i) {
    // What a stream has in registers needs no boxes.
    bool isStreamed = c->computes[0] && mlirValueIsNull(c->prologue.factor);
    if ((isStreamed || describeFactor(c, loops, 0, &c->a)) &&
        describeFactor(c, loops, 1, &c->b))
      return true;
    c->run = loops->at[last].size;
  }
  return false;
}
