//===- emit_rows_reduce.c - Reductions of a row, one after the other ------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The elements that a thread has of the open row, or of all its turns along it,
// to one value of each result of a reduction: first its own, in several chains
// that do not wait for each other, then those of the row's threads. A result
// that was found with others of the row is taken from there.
//
//===----------------------------------------------------------------------===//

#include "emit_rows.h"

void mloptRowsElements(MloptRows *r, const MloptShared *shared, intptr_t v,
                       int k, MlirValue *out) {
  MlirValue loops[2 * MLOPT_MAX_RANK + 1];
  r->tile.vector = &r->vectors[v];
  r->tile.lane = k;
  mloptSharedLoops(r->pull, shared, r->row, r->vectors[v].column[k], loops);
  mloptSharedElements(r->pull, shared, loops, mloptRowsIsValid(r, v, k), out);
}

void mloptRowsAccumulate(MloptRows *r, const MloptShared *shared,
                         intptr_t chains, bool started, MlirValue *partial) {
  const intptr_t n = shared->numResults;
  MlirValue elements[MLOPT_PULL_MAX_CARRIED];
  for (intptr_t v = 0; v < r->numVectors; ++v)
    for (int k = 0; k < r->vectors[v].count; ++k) {
      MlirValue *chain = &partial[k % chains * n];
      bool isFirst = !started && !v && k < chains;
      mloptRowsElements(r, shared, v, k, isFirst ? chain : elements);
      if (!isFirst)
        mloptBuildStep(r->pull, shared, chain, elements);
    }
}

/// A reduction that goes along the row alone.
typedef struct Alone {
  const MloptShared *shared;
  intptr_t chains;
} Alone;

static void accumulateTurn(MloptRows *r, void *userData,
                           const MlirValue *carried, MlirValue *next) {
  const Alone *alone = userData;
  memcpy(next, carried,
         alone->chains * alone->shared->numResults * sizeof *next);
  mloptRowsAccumulate(r, alone->shared, alone->chains, true, next);
}

/// The thread's own value of each result.
static void reduceOwn(MloptRows *r, const MloptShared *shared, MlirValue *out) {
  MlirValue partial[MLOPT_PULL_MAX_CARRIED * MLOPT_MAX_LANES];
  intptr_t chains = r->kernel->schedule.lanes, n = shared->numResults;
  if (r->kernel->schedule.vectors) {
    mloptRowsAccumulate(r, shared, chains, false, partial);
  } else {
    while (chains * n > MLOPT_PULL_MAX_CARRIED)
      chains /= 2;
    intptr_t count = chains * n;
    MlirValue init[MLOPT_PULL_MAX_CARRIED];
    for (intptr_t i = 0; i < count; ++i)
      init[i] = mloptBuildNeutral(r->pull, shared, i % n);
    Alone alone = {shared, chains};
    mloptRowsAlong(r, accumulateTurn, &alone, count, init, partial);
  }
  mloptBuildTree(r->pull, shared, chains, partial);
  memcpy(out, partial, n * sizeof *out);
}

/// The rows are found around the tile, which is what the load hook wants.
bool mloptRowsReduce(void *userData, MlirOperation op, const MlirValue *loops,
                     MlirValue *results) {
  MloptRows *r = (MloptRows *)((char *)userData - offsetof(MloptRows, tile));
  for (intptr_t i = 0; i < r->numTogether; ++i) {
    const MloptAlong *known = &r->together[i];
    if (!known->isDone || !mlirOperationEqual(known->shared.op, op) ||
        !mloptSharedIsAt(r->pull, &known->shared, r->row, loops))
      continue;
    memcpy(results, known->results, known->shared.numResults * sizeof *results);
    return true;
  }
  // Only where all threads of the block pass, and for the row that is open.
  if (!mlirBlockEqual(r->b->block, r->code) ||
      !mlirOperationIsNull(r->b->before))
    return false;
  MloptShared shared = mloptOpenShared(op);
  if (!mloptSharedIsAt(r->pull, &shared, r->row, loops))
    return false;
  MlirValue values[MLOPT_PULL_MAX_CARRIED];
  reduceOwn(r, &shared, values);
  MloptAcross across = {.shared = &shared, .values = values};
  mloptRowsAcrossLine(r, 1, &across);
  mloptBuildFinal(r->pull, &shared, loops, values, results);
  return true;
}
