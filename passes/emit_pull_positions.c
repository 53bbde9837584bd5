//===- emit_pull_positions.c - Indices and positions ----------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements are counted in row-major order; a reshape keeps that position and
// changes the indices. Which shape the program happens to use must not matter,
// so what is known of a position is kept as facts about values:
//
//   split   position = row * columns + column      column < columns
//   lane    position = first + k                   first a multiple of a vector
//   run     position = first + k                   first anywhere
//
// To find indices is then to split a shape where a fact splits the position,
// and only what is left is divided. Indices that were found once are found
// again, in either direction, without arithmetic. Unit dimensions are left out.
//
//===----------------------------------------------------------------------===//

#include "emit_pull_impl.h"

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

static void addFact(MloptPull *pull, MloptPullFact fact) {
  if (!pull->b.failed &&
      mloptPullGrow(pull, (void **)&pull->facts, pull->numFacts,
                    &pull->maxFacts, sizeof *pull->facts))
    pull->facts[pull->numFacts++] = fact;
}

void mloptPullBindSplit(MloptPull *pull, MlirValue position, MlirValue major,
                        int64_t extent, MlirValue minor) {
  addFact(pull, (MloptPullFact){.value = position,
                                .kind = MLOPT_PULL_SPLIT,
                                .base = major,
                                .extent = extent,
                                .minor = minor});
}

static MlirValue laneOf(MloptPull *pull, MloptPullFactKind kind,
                        MlirValue first, int lane, int count) {
  for (intptr_t i = pull->numFacts; i-- > 0;) {
    const MloptPullFact *fact = &pull->facts[i];
    if (fact->kind == kind && fact->lane == lane && fact->extent == count &&
        mlirValueEqual(fact->base, first))
      return fact->value;
  }
  MlirValue value =
      lane ? mloptPullAdd(pull, first, mloptPullIndex(pull, lane)) : first;
  addFact(pull, (MloptPullFact){.value = value,
                                .kind = kind,
                                .base = first,
                                .lane = lane,
                                .extent = count});
  return value;
}

MlirValue mloptPullLane(MloptPull *pull, MlirValue first, int lane, int count) {
  return laneOf(pull, MLOPT_PULL_LANE, first, lane, count);
}

MlirValue mloptPullRun(MloptPull *pull, MlirValue first, int lane, int count) {
  return laneOf(pull, MLOPT_PULL_RUN, first, lane, count);
}

static const MloptPullFact *findFact(const MloptPull *pull, MlirValue value,
                                     MloptPullFactKind kind) {
  for (intptr_t i = pull->numFacts; i-- > 0;)
    if (pull->facts[i].kind == kind &&
        mlirValueEqual(pull->facts[i].value, value))
      return &pull->facts[i];
  return NULL;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static MlirValue calculate(MloptPull *pull, MloptPullFactKind kind,
                           const char *name, MlirValue a, MlirValue b) {
  for (intptr_t i = pull->numFacts; i-- > 0;) {
    const MloptPullFact *fact = &pull->facts[i];
    if (fact->kind == kind && mlirValueEqual(fact->base, a) &&
        mlirValueEqual(fact->minor, b))
      return fact->value;
  }
  MlirValue value = mloptBuildBinary(&pull->b, name, a, b);
  addFact(pull,
          (MloptPullFact){.value = value, .kind = kind, .base = a, .minor = b});
  return value;
}

MlirValue mloptPullAdd(MloptPull *pull, MlirValue a, MlirValue b) {
  return calculate(pull, MLOPT_PULL_SUM, "arith.addi", a, b);
}

MlirValue mloptPullTimes(MloptPull *pull, MlirValue a, MlirValue b) {
  return calculate(pull, MLOPT_PULL_PRODUCT, "arith.muli", a, b);
}

MlirValue mloptPullMul(MloptPull *pull, MlirValue a, int64_t factor) {
  return factor == 1 ? a
                     : mloptPullTimes(pull, a, mloptPullIndex(pull, factor));
}

static MlirValue firstOf(const MloptPull *pull, MloptPullFactKind kind,
                         MlirValue value, int lane, int count) {
  const MloptPullFact *fact = findFact(pull, value, kind);
  return fact && fact->lane == lane && fact->extent == count
             ? fact->base
             : (MlirValue){NULL};
}

MlirValue mloptPullFindFirst(const MloptPull *pull, MlirValue value, int lane,
                             int count) {
  return firstOf(pull, MLOPT_PULL_LANE, value, lane, count);
}

MlirValue mloptPullFindRun(const MloptPull *pull, MlirValue value, int lane,
                           int count) {
  MlirValue first = mloptPullFindFirst(pull, value, lane, count);
  return mlirValueIsNull(first)
             ? firstOf(pull, MLOPT_PULL_RUN, value, lane, count)
             : first;
}

void mloptPullBindOuter(MloptPull *pull, MlirValue index) {
  addFact(pull, (MloptPullFact){.value = index, .kind = MLOPT_PULL_OUTER});
}

bool mloptPullIsOuter(const MloptPull *pull, MlirValue value) {
  return findFact(pull, value, MLOPT_PULL_OUTER) != NULL;
}

//===----------------------------------------------------------------------===//
// Shapes without unit dimensions
//===----------------------------------------------------------------------===//

static MloptPullPosition withoutUnits(MlirType tensor,
                                      const MlirValue *indices) {
  MloptPullPosition p = {.rank = 0};
  for (intptr_t i = 0, n = mloptRank(tensor); i < n; ++i) {
    if (mloptDim(tensor, i) == 1)
      continue;
    p.shape[p.rank] = mloptDim(tensor, i);
    p.indices[p.rank++] = indices ? indices[i] : (MlirValue){NULL};
  }
  return p;
}

/// Dimensions from `begin` to `end`.
static MloptPullPosition sliceOf(const MloptPullPosition *p, intptr_t begin,
                                 intptr_t end) {
  MloptPullPosition slice = {.rank = end - begin};
  memcpy(slice.shape, p->shape + begin, slice.rank * sizeof *p->shape);
  memcpy(slice.indices, p->indices + begin, slice.rank * sizeof *p->indices);
  return slice;
}

/// The dimension from which on there are `extent` elements, or -1.
static intptr_t boundaryOf(const MloptPullPosition *p, int64_t extent) {
  intptr_t begin = p->rank;
  int64_t count = 1;
  while (begin > 0 && count < extent)
    count *= p->shape[--begin];
  return count == extent ? begin : -1;
}

static bool sameShape(const MloptPullPosition *a, const MloptPullPosition *b) {
  return a->rank == b->rank &&
         !memcmp(a->shape, b->shape, a->rank * sizeof *a->shape);
}

static bool sameIndices(const MloptPullPosition *a,
                        const MloptPullPosition *b) {
  for (intptr_t i = 0; i < a->rank; ++i)
    if (!mlirValueEqual(a->indices[i], b->indices[i]))
      return false;
  return true;
}

static void addPosition(MloptPull *pull, const MloptPullPosition *position) {
  if (position->rank > 1 && !pull->b.failed &&
      mloptPullGrow(pull, (void **)&pull->positions, pull->numPositions,
                    &pull->maxPositions, sizeof *pull->positions))
    pull->positions[pull->numPositions++] = *position;
}

//===----------------------------------------------------------------------===//
// From indices to positions
//===----------------------------------------------------------------------===//

/// The position if it is known; null otherwise.
static MlirValue findPosition(MloptPull *pull, const MloptPullPosition *p) {
  if (!p->rank)
    return mloptPullIndex(pull, 0);
  if (p->rank == 1)
    return p->indices[0];
  for (intptr_t i = pull->numPositions; i-- > 0;)
    if (sameShape(&pull->positions[i], p) &&
        sameIndices(&pull->positions[i], p))
      return pull->positions[i].position;
  return (MlirValue){NULL};
}

static bool standsFor(MloptPull *pull, const MloptPullPosition *p,
                      MlirValue position) {
  MlirValue known = findPosition(pull, p);
  return !mlirValueIsNull(known) && mlirValueEqual(known, position);
}

/// The position that a fact puts together of what these indices stand for.
static MlirValue joinPosition(MloptPull *pull, const MloptPullPosition *p) {
  for (intptr_t i = pull->numFacts; i-- > 0;) {
    // The search may add constants, but no facts.
    const MloptPullFact *fact = &pull->facts[i];
    intptr_t at =
        fact->kind == MLOPT_PULL_SPLIT ? boundaryOf(p, fact->extent) : -1;
    if (at < 1 || at == p->rank)
      continue;
    MloptPullPosition major = sliceOf(p, 0, at);
    MloptPullPosition minor = sliceOf(p, at, p->rank);
    if (standsFor(pull, &minor, fact->minor) &&
        standsFor(pull, &major, fact->base))
      return fact->value;
  }
  return (MlirValue){NULL};
}

MlirValue mloptPullLinearize(MloptPull *pull, MlirType tensor,
                             const MlirValue *indices) {
  MloptPullPosition p = withoutUnits(tensor, indices);
  p.position = findPosition(pull, &p);
  if (!mlirValueIsNull(p.position))
    return p.position;
  p.position = joinPosition(pull, &p);
  if (mlirValueIsNull(p.position)) {
    p.position = p.indices[0];
    for (intptr_t i = 1; i < p.rank; ++i)
      p.position = mloptPullAdd(
          pull, mloptPullMul(pull, p.position, p.shape[i]), p.indices[i]);
  }
  addPosition(pull, &p);
  return p.position;
}

//===----------------------------------------------------------------------===//
// From positions to indices
//===----------------------------------------------------------------------===//

static void delinearize(MloptPull *pull, MloptPullPosition *p);

static bool findIndices(const MloptPull *pull, MloptPullPosition *p) {
  for (intptr_t i = pull->numPositions; i-- > 0;)
    if (sameShape(&pull->positions[i], p) &&
        mlirValueEqual(pull->positions[i].position, p->position)) {
      *p = pull->positions[i];
      return true;
    }
  return false;
}

/// Splits the shape where a fact splits the position.
static bool splitIndices(MloptPull *pull, MloptPullPosition *p) {
  for (intptr_t i = pull->numFacts; i-- > 0;) {
    const MloptPullFact fact = pull->facts[i];
    if (fact.kind != MLOPT_PULL_SPLIT ||
        !mlirValueEqual(fact.value, p->position))
      continue;
    intptr_t at = boundaryOf(p, fact.extent);
    if (at < 0)
      continue;
    MloptPullPosition major = sliceOf(p, 0, at);
    MloptPullPosition minor = sliceOf(p, at, p->rank);
    major.position = fact.base;
    minor.position = fact.minor;
    delinearize(pull, &major);
    delinearize(pull, &minor);
    memcpy(p->indices, major.indices, at * sizeof *p->indices);
    memcpy(p->indices + at, minor.indices, minor.rank * sizeof *p->indices);
    return true;
  }
  return false;
}

static void divide(MloptPull *pull, MloptPullPosition *p) {
  MlirValue rest = p->position;
  for (intptr_t i = p->rank; i-- > 1;) {
    MlirValue divisor = mloptPullIndex(pull, p->shape[i]);
    p->indices[i] = mloptBuildBinary(&pull->b, "arith.remui", rest, divisor);
    rest = mloptBuildBinary(&pull->b, "arith.divui", rest, divisor);
  }
  p->indices[0] = rest;
}

/// The lanes of a vector that fits into the last dimension differ there alone.
static void divideLane(MloptPull *pull, MloptPullPosition *p) {
  const MloptPullFact *found = findFact(pull, p->position, MLOPT_PULL_LANE);
  intptr_t last = p->rank - 1;
  if (!found || p->shape[last] % found->extent) {
    divide(pull, p);
    return;
  }
  const MloptPullFact fact = *found;
  int count = (int)fact.extent;
  if (!fact.lane) {
    divide(pull, p);
    mloptPullLane(pull, p->indices[last], 0, count);
    for (intptr_t i = 0; i < last; ++i)
      mloptPullBindOuter(pull, p->indices[i]);
    return;
  }
  MloptPullPosition first = *p;
  first.position = fact.base;
  delinearize(pull, &first);
  memcpy(p->indices, first.indices, p->rank * sizeof *p->indices);
  p->indices[last] = mloptPullLane(pull, first.indices[last], fact.lane, count);
}

/// Finds the indices of a position.
static void delinearize(MloptPull *pull, MloptPullPosition *p) {
  if (!p->rank || pull->b.failed || findIndices(pull, p))
    return;
  if (!splitIndices(pull, p)) {
    if (p->rank == 1)
      p->indices[0] = p->position;
    else
      divideLane(pull, p);
  }
  addPosition(pull, p);
}

void mloptPullDelinearize(MloptPull *pull, MlirType tensor, MlirValue position,
                          MlirValue *outIndices) {
  MloptPullPosition p = withoutUnits(tensor, NULL);
  p.position = position;
  delinearize(pull, &p);
  intptr_t next = 0;
  for (intptr_t i = 0, n = mloptRank(tensor); i < n; ++i)
    outIndices[i] =
        mloptDim(tensor, i) == 1 ? mloptPullIndex(pull, 0) : p.indices[next++];
}
