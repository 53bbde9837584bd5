//===- emit_transpose.c - Elementwise programs that transpose -------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results lie along the space's last dimensions, some operands along others:
// two groups, each long enough for wide accesses (MloptGroups). A block takes a
// tile of both, at one place in all other dimensions. It reads such operands
// along their own direction into shared memory, and computes along the results'
// from there; all else is read as a pointwise kernel reads it.
//
//   operand [ q ][ p.. ] -> shared [ q ][ p.. ] -> vectors [ p ][ q.. ]
//
// Rows of shared memory are an odd number of words, so that a warp that goes
// down a column meets all banks. Past an edge, threads work on the tile's first
// elements again and store nothing.
//
//===----------------------------------------------------------------------===//

#include "emit_reduce.h"

enum {
  MAX_STAGED = 4,
  MAX_VECTORS = MLOPT_TRANSPOSE_ELEMENTS / 256, ///< of a thread
  WORD_BYTES = 4
};

/// An operand in shared memory.
typedef struct Staged {
  MlirValue tensor;
  MlirValue pointer;
  intptr_t numDims;
  intptr_t dims[MLOPT_MAX_RANK]; ///< of the space, for each of its own
  int64_t pitch;                 ///< elements from row to row
  MlirValue array;
} Staged;

/// A group of dimensions, of which a tile has a part.
typedef struct Side {
  intptr_t numDims;
  intptr_t dims[MLOPT_MAX_RANK]; ///< of the space
  MlirType type;                 ///< of the dimensions alone
  int64_t size, length;          ///< elements in all, of a tile
  MlirValue begin;               ///< of the tile
} Side;

typedef struct Transpose {
  MloptKernel *kernel;
  MloptPull *pull;
  MloptBuilder *b;
  MloptTile tile;
  MlirType space;
  intptr_t rank;
  Side p, q; ///< the operands' direction, the results'
  MlirValue tid;
  MlirValue base[MLOPT_MAX_RANK]; ///< indices in all other dimensions
  int numStaged;
  Staged staged[MAX_STAGED];
  MlirValue localP, localQ; ///< of the vector that is computed
} Transpose;

static MlirValue apply(Transpose *t, const char *name, MlirValue x, int64_t n) {
  return mloptBuildBinary(t->b, name, x, mloptPullIndex(t->pull, n));
}
static MlirValue add(Transpose *t, MlirValue x, MlirValue y) {
  return mloptBuildBinary(t->b, "arith.addi", x, y);
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static Side sideOf(MlirType space, intptr_t numDims, const intptr_t *dims,
                   int64_t length) {
  Side side = {.numDims = numDims, .size = 1, .length = length};
  int64_t shape[MLOPT_MAX_RANK];
  for (intptr_t i = 0; i < numDims; ++i) {
    side.dims[i] = dims[i];
    side.size *= shape[i] = mloptDim(space, dims[i]);
  }
  side.type = mloptTensorType(numDims, shape, mloptElementType(space));
  return side;
}

static bool findSides(Transpose *t) {
  MloptGroups g;
  intptr_t across[MLOPT_MAX_RANK];
  if (!mloptFindGroups(t->kernel->program, t->space, &g)) {
    mloptOpError(t->kernel->func, "has nothing to transpose");
    t->b->failed = true;
    return false;
  }
  for (intptr_t i = 0; i < g.numAcross; ++i)
    across[i] = g.across + i;
  t->p = sideOf(t->space, g.numAlong, g.along, t->kernel->schedule.line);
  t->q = sideOf(t->space, g.numAcross, across, t->kernel->schedule.across);
  return true;
}

/// Where a side's tile begins, by its number, which is taken off the block's.
static MlirValue beginOf(Transpose *t, const Side *side, MlirValue *block) {
  int64_t count = mloptDivideUp(side->size, side->length);
  MlirValue number = apply(t, "arith.remui", *block, count);
  *block = apply(t, "arith.divui", *block, count);
  return apply(t, "arith.muli", number, side->length);
}

static bool hasDim(const Side *side, intptr_t dim) {
  bool found = false;
  for (intptr_t i = 0; i < side->numDims; ++i)
    found |= side->dims[i] == dim;
  return found;
}

/// Neighbouring blocks go along the results first, then through the other
/// dimensions.
static void findTile(Transpose *t) {
  t->tid = mloptReadRegister(t->b, "nvvm.read.ptx.sreg.tid.x");
  MlirValue block = mloptReadRegister(t->b, "nvvm.read.ptx.sreg.ctaid.x");
  t->q.begin = beginOf(t, &t->q, &block);
  bool hasP = false;
  for (intptr_t i = t->rank; i-- > 0;) {
    if (hasDim(&t->p, i) && !hasP) {
      t->p.begin = beginOf(t, &t->p, &block);
      hasP = true;
    } else if (!hasDim(&t->p, i) && !hasDim(&t->q, i)) {
      t->base[i] = apply(t, "arith.remui", block, mloptDim(t->space, i));
      block = apply(t, "arith.divui", block, mloptDim(t->space, i));
    }
  }
}

static MlirValue both(Transpose *t, MlirValue a, MlirValue b) {
  return mlirValueIsNull(a)   ? b
         : mlirValueIsNull(b) ? a
                              : mloptBuildBinary(t->b, "arith.andi", a, b);
}

/// Writes the indices of a place on a side, or of the tile's begin past the
/// edge; `*valid` says too which, and stays null where no tile reaches it.
static void placeAt(Transpose *t, const Side *side, MlirValue local,
                    MlirValue *at, MlirValue *valid) {
  MlirValue place = add(t, side->begin, local), indices[MLOPT_MAX_RANK];
  if (side->size % side->length) {
    MlirValue inside =
        mloptBuildCmpI(t->b, "ult", place, mloptPullIndex(t->pull, side->size));
    place = mloptBuildSelect(t->b, inside, place, side->begin);
    *valid = both(t, *valid, inside);
  }
  mloptPullDelinearize(t->pull, side->type, place, indices);
  for (intptr_t i = 0; i < side->numDims; ++i)
    at[side->dims[i]] = indices[i];
}

/// The thread's vector `v` of a tile cut into vectors of `lanes` along a side,
/// its place across and along; the first one where there are not so many.
static void vectorOf(Transpose *t, int64_t v, const Side *side, int64_t lanes,
                     MlirValue *across, MlirValue *along, MlirValue *valid) {
  int64_t each = side->length / lanes, threads = t->kernel->schedule.threads;
  int64_t total = t->p.length * t->q.length / lanes;
  MlirValue number = add(t, t->tid, mloptPullIndex(t->pull, v * threads));
  if ((v + 1) * threads > total) {
    *valid =
        mloptBuildCmpI(t->b, "ult", number, mloptPullIndex(t->pull, total));
    number = mloptBuildSelect(t->b, *valid, number, mloptPullIndex(t->pull, 0));
  }
  *across = apply(t, "arith.divui", number, each);
  *along = apply(t, "arith.muli", apply(t, "arith.remui", number, each), lanes);
}

static int64_t vectorsOf(const Transpose *t, int64_t lanes) {
  return mloptDivideUp(t->p.length * t->q.length,
                       lanes * t->kernel->schedule.threads);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Whether an operand's last dimensions are those of the tile.
static bool liesAlong(const Transpose *t, const Staged *s) {
  bool same = true;
  for (intptr_t i = 0; i < t->p.numDims; ++i)
    same &= s->dims[s->numDims - t->p.numDims + i] == t->p.dims[i];
  return same;
}

/// The least odd number of words that holds a row.
static int64_t pitchOf(const Transpose *t, int64_t bytes) {
  int64_t perWord = bytes < WORD_BYTES ? WORD_BYTES / bytes : 1;
  return (mloptDivideUp(t->p.length, perWord) | 1) * perWord;
}

static void collectStaged(Transpose *t) {
  int64_t bytes = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(t->kernel->program);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
      Staged s = {.numDims = t->rank};
      if (mloptFindTransposed(op, i, t->rank, s.dims) < 0 || !liesAlong(t, &s))
        continue;
      s.tensor = mloptOperand(op, i);
      s.pointer = mloptPullFindPointer(t->pull, s.tensor);
      MlirType element = mloptElementType(mlirValueGetType(s.tensor));
      int64_t each = (mloptElementWidth(element) + 7) / 8;
      s.pitch = pitchOf(t, each);
      int64_t more = t->q.length * s.pitch * each;
      if (mlirValueIsNull(s.pointer) || t->numStaged == MAX_STAGED ||
          bytes + more > MLOPT_TRANSPOSE_BYTES)
        continue;
      bytes += more;
      s.array = mloptAddShared(t->kernel, element, t->q.length * s.pitch);
      t->staged[t->numStaged++] = s;
    }
  }
}

static void stage(Transpose *t) {
  int64_t lanes = t->kernel->schedule.vectors, count = vectorsOf(t, lanes);
  MlirValue elements[MAX_VECTORS][MLOPT_MAX_LANES], ignored;
  for (int s = 0; s < t->numStaged; ++s) {
    const Staged *staged = &t->staged[s];
    MlirType type = mlirValueGetType(staged->tensor);
    for (int64_t v = 0; v < count; ++v) {
      MlirValue q, p, at[MLOPT_MAX_RANK], indices[MLOPT_MAX_RANK];
      ignored = (MlirValue){NULL};
      vectorOf(t, v, &t->p, lanes, &q, &p, &ignored);
      memcpy(at, t->base, sizeof at);
      placeAt(t, &t->q, q, at, &ignored);
      placeAt(t, &t->p, p, at, &ignored);
      for (intptr_t i = 0; i < staged->numDims; ++i)
        indices[i] = at[staged->dims[i]];
      mloptTileLoadVector(&t->tile, staged->pointer, type,
                          mloptPullLinearize(t->pull, type, indices),
                          (int)lanes, elements[v]);
    }
    for (int64_t v = 0; v < count; ++v) {
      MlirValue q, p;
      vectorOf(t, v, &t->p, lanes, &q, &p, &ignored);
      MlirValue first = add(t, apply(t, "arith.muli", q, staged->pitch), p);
      for (int64_t k = 0; k < lanes; ++k)
        mloptStoreShared(t->pull, staged->array, elements[v][k],
                         add(t, first, mloptPullIndex(t->pull, k)));
    }
  }
  mloptBuildBarrier(t->b);
}

/// The load hook: from shared memory where the element lies there.
static MlirValue load(void *userData, MlirValue tensor, MlirValue pointer,
                      const MlirValue *indices) {
  Transpose *t = (Transpose *)((char *)userData - offsetof(Transpose, tile));
  MlirValue own[MLOPT_MAX_RANK];
  if (t->tile.vector)
    mloptPullDelinearize(t->pull, t->space,
                         t->tile.vector->position[t->tile.lane], own);
  for (int s = 0; s < t->numStaged && t->tile.vector; ++s) {
    const Staged *staged = &t->staged[s];
    bool same = mlirValueEqual(staged->tensor, tensor);
    for (intptr_t i = 0; same && i < staged->numDims; ++i)
      same = mlirValueEqual(indices[i], own[staged->dims[i]]);
    if (!same)
      continue;
    MlirValue row = add(t, t->localQ, mloptPullIndex(t->pull, t->tile.lane));
    return mloptLoadShared(
        t->pull, staged->array, mloptElementType(mlirValueGetType(tensor)),
        add(t, apply(t, "arith.muli", row, staged->pitch), t->localP));
  }
  return mloptTileLoad(userData, tensor, pointer, indices);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

static void store(Transpose *t, const MloptVector *vector, MlirValue valid,
                  MlirValue elements[][MLOPT_MAX_LANES]) {
  MloptPullScope then = mloptPullBeginGuard(t->pull, valid);
  for (intptr_t r = 0; r < t->kernel->numRoots; ++r)
    mloptTileStore(&t->tile, vector, t->kernel->roots[r].pointer, elements[r]);
  mloptPullEndGuard(t->pull, valid, then);
}

static void compute(Transpose *t) {
  int64_t lanes = t->kernel->schedule.lanes, count = vectorsOf(t, lanes);
  for (int64_t v = 0; v < count; ++v) {
    MloptVector vector;
    MlirValue valid = {NULL}, indices[MLOPT_MAX_RANK];
    MlirValue elements[MLOPT_MAX_TILE_ROOTS][MLOPT_MAX_LANES];
    vectorOf(t, v, &t->q, lanes, &t->localP, &t->localQ, &valid);
    memcpy(indices, t->base, sizeof indices);
    placeAt(t, &t->p, t->localP, indices, &valid);
    placeAt(t, &t->q, t->localQ, indices, &valid);
    MlirValue position = mloptPullLinearize(t->pull, t->space, indices);
    mloptTileVectorAt(&t->tile, position, (int)lanes, &vector);
    for (intptr_t r = 0; r < t->kernel->numRoots; ++r)
      mloptTileEvaluate(&t->tile, &vector, t->kernel->roots[r].value,
                        elements[r]);
    store(t, &vector, valid, elements);
  }
}

void mloptEmitTranspose(MloptKernel *kernel) {
  Transpose t = {
      .kernel = kernel,
      .pull = kernel->pull,
      .b = mloptPullGetBuilder(kernel->pull),
      .tile = {.pull = kernel->pull},
      .space = mlirValueGetType(kernel->roots[0].value),
  };
  t.rank = mloptRank(t.space);
  if (!findSides(&t))
    return;
  mloptTileEnter(&t.tile);
  findTile(&t);
  collectStaged(&t);
  stage(&t);
  mloptPullSetHooks(t.pull, (MloptPullHooks){.load = load,
                                             .insert = mloptTileInsert,
                                             .userData = &t.tile});
  compute(&t);
  mloptPullSetHooks(t.pull, (MloptPullHooks){.load = NULL});
  mloptTileDestroy(&t.tile);
}
