//===- emit_transpose.c - Elementwise programs that transpose -------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results lie along the space's last dimension, some operands along another,
// `line` of the schedule. A block takes a square of the two. It reads such
// operands along their own direction into shared memory, and computes along
// the results' from there; all else is read as a pointwise kernel reads it.
//
//   operand [ j ][ i.. ] -> shared [ j ][ i.. ] -> vectors [ i ][ j.. ]
//
// Rows of shared memory are two elements longer than the square, so that
// neither direction meets in one bank. Past an edge, threads work on the
// square's first elements again and store nothing.
//
//===----------------------------------------------------------------------===//

#include "emit_reduce.h"

enum {
  SIDE = MLOPT_TRANSPOSE_SIDE,
  PITCH = SIDE + 2,
  MAX_STAGED = 4,
  MAX_VECTORS = 16
};

/// An operand in shared memory.
typedef struct Staged {
  MlirValue tensor;
  MlirValue pointer;
  intptr_t numDims;
  intptr_t dims[MLOPT_MAX_RANK]; ///< of the space, for each of its own
  MlirValue array;
} Staged;

typedef struct Transpose {
  MloptKernel *kernel;
  MloptPull *pull;
  MloptBuilder *b;
  MloptTile tile;
  MlirType space;
  intptr_t rank, p, q; ///< the operands' direction, the results'
  MlirValue tid;
  MlirValue base[MLOPT_MAX_RANK]; ///< indices of the square's first element
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

static void findSquare(Transpose *t) {
  int64_t counts[MLOPT_MAX_RANK];
  for (intptr_t i = 0; i < t->rank; ++i) {
    int64_t size = mloptDim(t->space, i);
    counts[i] = i == t->p || i == t->q ? (size + SIDE - 1) / SIDE : size;
  }
  t->tid = mloptReadRegister(t->b, "nvvm.read.ptx.sreg.tid.x");
  MlirValue block = mloptReadRegister(t->b, "nvvm.read.ptx.sreg.ctaid.x");
  for (intptr_t i = t->rank; i-- > 0;) {
    t->base[i] = i ? apply(t, "arith.remui", block, counts[i]) : block;
    if (i)
      block = apply(t, "arith.divui", block, counts[i]);
    if (i == t->p || i == t->q)
      t->base[i] = apply(t, "arith.muli", t->base[i], SIDE);
  }
}

/// base[dim] + local, or base[dim] past the edge; `outValid` says which and is
/// null where no square reaches it.
static MlirValue placeAt(Transpose *t, intptr_t dim, MlirValue local,
                         MlirValue *outValid) {
  MlirValue at = add(t, t->base[dim], local);
  *outValid = (MlirValue){NULL};
  int64_t size = mloptDim(t->space, dim);
  if (size % SIDE == 0)
    return at;
  *outValid = mloptBuildCmpI(t->b, "ult", at, mloptPullIndex(t->pull, size));
  return mloptBuildSelect(t->b, *outValid, at, t->base[dim]);
}

/// The thread's vector `v` of a square cut into vectors of `lanes`: its place
/// across the vectors' direction and along it.
static void vectorOf(Transpose *t, int64_t v, int64_t lanes, MlirValue *across,
                     MlirValue *along) {
  int64_t each = SIDE / lanes;
  MlirValue number =
      add(t, t->tid, mloptPullIndex(t->pull, v * t->kernel->schedule.threads));
  *across = apply(t, "arith.divui", number, each);
  *along = apply(t, "arith.muli", apply(t, "arith.remui", number, each), lanes);
}

static int64_t vectorsOf(const Transpose *t, int64_t lanes) {
  return SIDE * SIDE / (lanes * t->kernel->schedule.threads);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

static void collectStaged(Transpose *t) {
  int64_t bytes = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(t->kernel->program);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
      Staged s = {.numDims = 0};
      if (mloptFindTransposed(op, i, t->rank, s.dims) != t->p)
        continue;
      s.tensor = mloptOperand(op, i);
      s.numDims = t->rank;
      s.pointer = mloptPullFindPointer(t->pull, s.tensor);
      MlirType element = mloptElementType(mlirValueGetType(s.tensor));
      int64_t more = SIDE * PITCH * (mloptElementWidth(element) + 7) / 8;
      if (mlirValueIsNull(s.pointer) || t->numStaged == MAX_STAGED ||
          bytes + more > MLOPT_TRANSPOSE_BYTES)
        continue;
      bytes += more;
      s.array = mloptAddShared(t->kernel, element, SIDE * PITCH);
      t->staged[t->numStaged++] = s;
    }
  }
}

static void stage(Transpose *t) {
  int64_t lanes = t->kernel->schedule.vectors, count = vectorsOf(t, lanes);
  MlirValue elements[MAX_VECTORS][MLOPT_MAX_LANES];
  for (int s = 0; s < t->numStaged; ++s) {
    const Staged *staged = &t->staged[s];
    MlirType type = mlirValueGetType(staged->tensor);
    for (int64_t v = 0; v < count; ++v) {
      MlirValue q, p, ignored, at[MLOPT_MAX_RANK], indices[MLOPT_MAX_RANK];
      vectorOf(t, v, lanes, &q, &p);
      memcpy(at, t->base, sizeof at);
      at[t->q] = placeAt(t, t->q, q, &ignored);
      at[t->p] = placeAt(t, t->p, p, &ignored);
      for (intptr_t i = 0; i < staged->numDims; ++i)
        indices[i] = at[staged->dims[i]];
      mloptTileLoadVector(&t->tile, staged->pointer, type,
                          mloptPullLinearize(t->pull, type, indices),
                          (int)lanes, elements[v]);
    }
    for (int64_t v = 0; v < count; ++v) {
      MlirValue q, p;
      vectorOf(t, v, lanes, &q, &p);
      MlirValue first = add(t, apply(t, "arith.muli", q, PITCH), p);
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
        add(t, apply(t, "arith.muli", row, PITCH), t->localP));
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
    MlirValue inP, inQ, indices[MLOPT_MAX_RANK];
    MlirValue elements[MLOPT_MAX_TILE_ROOTS][MLOPT_MAX_LANES];
    vectorOf(t, v, lanes, &t->localP, &t->localQ);
    memcpy(indices, t->base, sizeof indices);
    indices[t->p] = placeAt(t, t->p, t->localP, &inP);
    indices[t->q] = placeAt(t, t->q, t->localQ, &inQ);
    MlirValue position = mloptPullLinearize(t->pull, t->space, indices);
    mloptTileVectorAt(&t->tile, position, (int)lanes, &vector);
    for (intptr_t r = 0; r < t->kernel->numRoots; ++r)
      mloptTileEvaluate(&t->tile, &vector, t->kernel->roots[r].value,
                        elements[r]);
    MlirValue valid = mlirValueIsNull(inP) ? inQ
                      : mlirValueIsNull(inQ)
                          ? inP
                          : mloptBuildBinary(t->b, "arith.andi", inP, inQ);
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
      .p = kernel->schedule.line,
  };
  t.rank = mloptRank(t.space);
  t.q = t.rank - 1;
  mloptTileEnter(&t.tile);
  findSquare(&t);
  collectStaged(&t);
  stage(&t);
  mloptPullSetHooks(t.pull, (MloptPullHooks){.load = load,
                                             .insert = mloptTileInsert,
                                             .userData = &t.tile});
  compute(&t);
  mloptPullSetHooks(t.pull, (MloptPullHooks){.load = NULL});
  mloptTileDestroy(&t.tile);
}
