//===- emit_tiled.c - Kernels of tiled products ---------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C[b, m, n] = sum over k of A(b, m, k) * B(b, n, k), one block of threads for
// each tile of C. All threads load; each warp multiplies its part of the tile,
// or, with two groups of warps, one half of the depth of each step:
//
//                n                           step k: wait for stage k, then
//            +-------+  B: rows of n           - start loading step k + S - 1
//            +-------+  or of k, S stages      - multiply stage k
//    +---+   +---+---+                         - store what went through
//    |   |   | 0 | 1 |  warps                    registers
//  m |   |   +---+---+
//    |   |   | 2 | 3 |                       The stage that is filled was read
//    +---+   +---+---+                       in step k - 1.
//    A, S stages
//
// Elements go from global to shared memory by cp.async where they are stored as
// they are and four bytes or more lie side by side; else through registers,
// where they change their type. What lies outside of A or B is zero.
//
// Where one side is short, the factors may go straight into registers instead
// (emit_tiled_direct.c).
//
// Afterwards the sums go to shared memory in rows of n, and each thread
// computes and stores vectors of the results. Blocks of a cluster may share a
// tile's steps: each then reads the sums of all, in the order of k, for its
// part of the vectors.
//
// Shared memory: | stage 0: A, B | ... | stage S-1 |, then in their place the
// sums: | group 0: rows of n | group 1 | ..., added up in that of group 0.
//
//===----------------------------------------------------------------------===//

#include "emit_tiled.h"

#include "diagonal.h"
#include "emit_tiled_impl.h"

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

static MlirValue binary(MloptTiled *g, const char *name, MlirValue x,
                        MlirValue y) {
  return mloptBuildBinary(g->nv.b, name, x, y);
}

MlirValue mloptTiledAdd(MloptTiled *g, MlirValue x, MlirValue y) {
  if (mlirValueIsNull(x) || mlirValueIsNull(y))
    return mlirValueIsNull(x) ? y : x;
  return binary(g, "arith.addi", x, y);
}

MlirValue mloptTiledAddInt(MloptTiled *g, MlirValue x, int64_t y) {
  return y ? mloptTiledAdd(g, x, mloptPullIndex(g->pull, y)) : x;
}

MlirValue mloptTiledMulInt(MloptTiled *g, MlirValue x, int64_t y) {
  if (mlirValueIsNull(x) || !y)
    return (MlirValue){NULL};
  return y == 1 ? x : binary(g, "arith.muli", x, mloptPullIndex(g->pull, y));
}

MlirValue mloptTiledBelow(MloptTiled *g, MlirValue x, int64_t bound) {
  return mloptBuildCmpI(g->nv.b, "ult", x, mloptPullIndex(g->pull, bound));
}

MlirValue mloptTiledAnd(MloptTiled *g, MlirValue x, MlirValue y) {
  if (mlirValueIsNull(x) || mlirValueIsNull(y))
    return mlirValueIsNull(x) ? y : x;
  return binary(g, "arith.andi", x, y);
}

MlirValue mloptTiledToIndex(MloptTiled *g, MlirValue x) {
  return mloptBuildUnary(g->nv.b, "arith.index_castui", x,
                         mlirIndexTypeGet(g->nv.b->context));
}

MlirValue mloptTiledToInt(MloptTiled *g, MlirValue x) {
  return mloptBuildUnary(g->nv.b, "arith.index_castui", x, g->nv.i32);
}

void mloptTiledSplit(MloptTiled *g, MloptAxis axis, MlirValue index,
                     MlirValue *loops) {
  const MloptLoops *all = &g->p.axes[axis];
  intptr_t first = 0; // the outermost of more than one turn
  while (first < all->count && g->p.sizes[all->at[first]] == 1)
    ++first;
  for (intptr_t i = all->count; i-- > 0;) {
    intptr_t loop = all->at[i];
    MlirValue size = mloptPullIndex(g->pull, g->p.sizes[loop]);
    if (g->p.sizes[loop] == 1) {
      loops[loop] = mloptPullIndex(g->pull, 0);
    } else if (i == first) {
      loops[loop] = index;
    } else {
      loops[loop] = binary(g, "arith.remui", index, size);
      index = binary(g, "arith.divui", index, size);
    }
  }
}

//===----------------------------------------------------------------------===//
// Places in shared memory
//===----------------------------------------------------------------------===//

static int64_t pieces(MloptTiledMatrix m) {
  return m.rowBytes / MLOPT_TILED_PIECE;
}

/// The bits of a piece that the swizzle changes.
static int64_t mask(MloptTiledMatrix m) {
  return (pieces(m) < 8 ? pieces(m) : 8) - 1;
}

static int64_t rowsOfLine(MloptTiledMatrix m) {
  return m.rowBytes < MLOPT_TILED_LINE ? MLOPT_TILED_LINE / m.rowBytes : 1;
}

static int64_t swizzleOf(MloptTiledMatrix m, int64_t row) {
  if (m.shared)
    return row * m.shared & mask(m);
  return m.apart ? (row / m.apart & 3) * 2 : row / rowsOfLine(m) & mask(m);
}

static MlirValue buildSwizzle(MloptNv *nv, MloptTiledMatrix m, MlirValue row) {
  if (m.shared)
    return mloptNvAndInt(nv, mloptNvMulInt(nv, row, m.shared), mask(m));
  if (m.apart)
    return mloptNvMulInt(
        nv, mloptNvAndInt(nv, mloptNvDivInt(nv, row, m.apart), 3), 2);
  return mloptNvAndInt(nv, mloptNvDivInt(nv, row, rowsOfLine(m)), mask(m));
}

MloptTiledPlace mloptTiledPlaceAt(MloptNv *nv, MloptTiledMatrix m,
                                  MlirValue start, MlirValue row,
                                  MlirValue piece, MlirValue within) {
  MloptTiledPlace place = {.matrix = m};
  MlirValue own =
      mloptNvShlInt(nv, mloptNvXor(nv, piece, buildSwizzle(nv, m, row)), 4);
  MlirValue base = mloptNvAdd(nv, start, mloptNvMulInt(nv, row, m.rowBytes));
  if (!mlirValueIsNull(within))
    base = mloptNvAdd(nv, base, within);
  for (int64_t i = 0; i <= mask(m); ++i)
    place.at[i] = mloptNvAdd(
        nv, base,
        i ? mloptNvXor(nv, own, mloptNvInt(nv, i * MLOPT_TILED_PIECE)) : own);
  return place;
}

MlirValue mloptTiledAddress(const MloptTiledPlace *place, int64_t row,
                            int64_t piece, int64_t *outOffset) {
  MloptTiledMatrix m = place->matrix;
  int64_t low = piece & mask(m), swizzle = swizzleOf(m, row);
  *outOffset = row * m.rowBytes + (piece - low) * MLOPT_TILED_PIECE;
  return place->at[low ^ swizzle];
}

//===----------------------------------------------------------------------===//
// The block
//===----------------------------------------------------------------------===//

static void readThreads(MloptTiled *g) {
  MloptNv *nv = &g->nv;
  g->thread = mloptNvRegister(nv, "tid.x");
  g->lane = mloptNvAndInt(nv, g->thread, 31);
  MlirValue warp = mloptNvUniform(nv, mloptNvShrInt(nv, g->thread, 5));
  int64_t warpsN = g->s.tile[1] / g->s.warp[1];
  int64_t warps = g->s.tile[0] / g->s.warp[0] * warpsN;
  g->group = mloptNvDivInt(nv, warp, warps);
  warp = mloptNvRemInt(nv, warp, warps);
  g->warpM = mloptNvDivInt(nv, warp, warpsN);
  g->warpN = mloptNvRemInt(nv, warp, warpsN);
  g->start = mloptNvAddress(nv, nv->shared);
  if (g->s.splits > 1)
    g->rank = mloptNvRegister(nv, "cluster.ctarank");
}

/// The block's tile: batch after batch, in each band after band of eight rows
/// of tiles, in each column after column, so that blocks that run side by side
/// share rows of A and columns of B in L2.
static void locateTile(MloptTiled *g) {
  enum { BAND = 8 };
  MloptNv *nv = &g->nv;
  int64_t tilesM = mloptDivideUp(g->p.axes[MLOPT_AXIS_M].size, g->s.tile[0]);
  int64_t tilesN = mloptDivideUp(g->p.axes[MLOPT_AXIS_N].size, g->s.tile[1]);
  MlirValue number =
      mloptNvDivInt(nv, mloptNvRegister(nv, "ctaid.x"), g->s.splits);
  MlirValue batch = mloptNvDivInt(nv, number, tilesM * tilesN);
  number = mloptNvRemInt(nv, number, tilesM * tilesN);
  MlirValue first =
      mloptNvMulInt(nv, mloptNvDivInt(nv, number, BAND * tilesN), BAND);
  MlirValue inBand = mloptNvRemInt(nv, number, BAND * tilesN);
  MlirValue left =
      mloptNvArith(nv, "arith.subi", mloptNvInt(nv, tilesM), first);
  MlirValue rows = mloptNvMin(nv, left, mloptNvInt(nv, BAND));
  MlirValue row = mloptNvArith(nv, "arith.remui", inBand, rows);
  MlirValue column = mloptNvArith(nv, "arith.divui", inBand, rows);
  g->tileM = mloptTiledToIndex(
      g, mloptNvMulInt(nv, mloptNvAdd(nv, first, row), g->s.tile[0]));
  g->tileN = mloptTiledToIndex(g, mloptNvMulInt(nv, column, g->s.tile[1]));
  mloptTiledSplit(g, MLOPT_AXIS_BATCH, mloptTiledToIndex(g, batch),
                  g->batchLoops);
}

//===----------------------------------------------------------------------===//
// Steps along k
//===----------------------------------------------------------------------===//

/// Leaves out the steps in which a factor is zero for the whole tile.
static void skipZeros(MloptTiled *g) {
  const MloptDiagonal *d = &g->p.diagonal;
  bool isN = d->axis == MLOPT_AXIS_N;
  if (d->isKnown)
    mloptDiagonalNarrow(
        &g->nv, d, mloptTiledToInt(g, isN ? g->tileN : g->tileM),
        g->s.tile[isN], g->s.tile[2], &g->firstStep, &g->endStep);
}

static bool copies(const MloptTiled *g) {
  return g->factors[0].isCopied || g->factors[1].isCopied;
}

/// The step that comes in this one's place: each tile starts with another, so
/// that blocks that run side by side read other parts of their rows, which lie
/// in other banks of memory. What is beyond the last step stays there.
static MlirValue turnStep(MloptTiled *g, MlirValue step) {
  MloptNv *nv = &g->nv;
  if (mlirValueIsNull(g->turn))
    return step;
  MlirValue count = mloptNvArith(nv, "arith.subi", g->endStep, g->firstStep);
  MlirValue turned = mloptNvAdd(nv, step, g->turn);
  MlirValue isInside = mloptBuildCmpI(nv->b, "ult", turned, g->endStep);
  turned = mloptBuildSelect(nv->b, isInside, turned,
                            mloptNvArith(nv, "arith.subi", turned, count));
  return mloptBuildSelect(nv->b, mloptBuildCmpI(nv->b, "ult", step, g->endStep),
                          turned, step);
}

MlirValue mloptTiledDepthOf(MloptTiled *g, MlirValue step) {
  return mloptTiledToIndex(
      g, mloptNvMulInt(&g->nv, turnStep(g, step), g->s.tile[2]));
}

/// By how many steps a tile turns whose rows of the long factor no other reads.
/// (A source in shared memory gains nothing by it.)
static void chooseTurn(MloptTiled *g) {
  MloptNv *nv = &g->nv;
  int shorter = !mloptTiledLongFactor(&g->p);
  MloptAxis axis = shorter ? MLOPT_AXIS_N : MLOPT_AXIS_M;
  bool isKept =
      !mloptTiledIsDirect(&g->s) && mloptTiledKeepsSource(&g->p, &g->s);
  if (!g->usesMma || g->p.axes[axis].size > g->s.tile[shorter] || isKept ||
      g->p.isOrdered || g->p.diagonal.isKnown)
    return;
  MlirValue tile =
      mloptNvDivInt(nv, mloptNvRegister(nv, "ctaid.x"), g->s.splits);
  g->turn =
      mloptNvArith(nv, "arith.remui", tile,
                   mloptNvArith(nv, "arith.subi", g->endStep, g->firstStep));
}

static MlirValue nextSlot(MloptTiled *g, MlirValue slot) {
  MloptNv *nv = &g->nv;
  MlirValue next = mloptNvAddInt(nv, slot, g->stageBytes);
  MlirValue wraps = mloptNvEqInt(nv, next, g->s.stages * g->stageBytes);
  return mloptBuildSelect(nv->b, wraps, mloptNvInt(nv, 0), next);
}

static void loadStep(MloptTiled *g, MlirValue step, MlirValue slot,
                     MloptTiledLoaded loaded[2]) {
  MlirValue k = mloptTiledDepthOf(g, step);
  for (int i = 0; i < 2; ++i)
    mloptTiledLoad(g, &g->factors[i], k, slot, &loaded[i]);
  if (copies(g))
    mloptNvCommitCopies(&g->nv);
}

static void storeStep(MloptTiled *g, MlirValue slot,
                      const MloptTiledLoaded loaded[2]) {
  for (int i = 0; i < 2; ++i)
    mloptTiledStoreLoaded(g, &g->factors[i], slot, &loaded[i]);
}

static void fillStages(MloptTiled *g) {
  MloptNv *nv = &g->nv;
  for (int64_t i = 0; i < g->s.stages - 1; ++i) {
    if (i >= mloptDivideUp(
                 g->steps,
                 g->s.splits)) { // as many groups of copies as there are stages
      if (copies(g))
        mloptNvCommitCopies(nv);
      continue;
    }
    MloptTiledLoaded loaded[2];
    MlirValue slot = mloptNvInt(nv, i * g->stageBytes);
    loadStep(g, mloptNvAddInt(nv, g->firstStep, i), slot, loaded);
    storeStep(g, slot, loaded);
  }
}

static void clearSums(MloptTiled *g) {
  MlirValue zero = mloptIsFloatElement(g->p.sum)
                       ? mloptBuildFloat(g->nv.b, g->p.sum, 0)
                       : mloptBuildInt(g->nv.b, g->p.sum, 0);
  for (intptr_t i = 0; i < mloptTiledNumSums(g); ++i)
    g->sums[i] = zero;
}

static void multiplySteps(MloptTiled *g) {
  MloptNv *nv = &g->nv;
  intptr_t n = mloptTiledNumSums(g);
  // The slot to read, the slot to fill, the sums.
  MlirValue start[MLOPT_TILED_MAX_SUMS + 2], in[MLOPT_TILED_MAX_SUMS + 2];
  MlirValue step;
  start[0] = mloptNvInt(nv, 0);
  start[1] = mloptNvInt(nv, (g->s.stages - 1) * g->stageBytes);
  memcpy(start + 2, g->sums, n * sizeof *start);
  MloptNvScope steps = mloptNvBeginFor(
      nv, g->firstStep, g->endStep, mloptNvInt(nv, 1), n + 2, start, &step, in);
  memcpy(g->sums, in + 2, n * sizeof *in);
  if (copies(g))
    mloptNvWaitCopies(nv, g->s.stages - 2);
  mloptNvOp(nv, "nvvm.barrier0", 0, NULL, NULL);
  MloptTiledLoaded loaded[2];
  loadStep(g, mloptNvAddInt(nv, step, g->s.stages - 1), in[1], loaded);
  mloptTiledMultiply(g, in[0], mloptTiledDepthOf(g, step));
  storeStep(g, in[1], loaded);
  start[0] = nextSlot(g, in[0]);
  start[1] = nextSlot(g, in[1]);
  memcpy(start + 2, g->sums, n * sizeof *start);
  mloptNvEndFor(nv, &steps, start, in);
  memcpy(g->sums, in + 2, n * sizeof *in);
  if (copies(g))
    mloptNvWaitCopies(nv, 0);
  mloptNvOp(nv, "nvvm.barrier0", 0, NULL, NULL);
}

/// A step whose first fragments were read in the one before: the barrier comes
/// in its middle, between products that need not wait for it, and frees the
/// stage that the step before has read.
static void multiplyAhead(MloptTiled *g, MlirValue step, MlirValue slots[2],
                          MlirValue *ahead) {
  MloptNv *nv = &g->nv;
  MloptTiledLoaded loaded[2];
  MlirValue next = nextSlot(g, slots[0]);
  mloptTiledMultiplyFirst(g, slots[0], ahead);
  mloptNvWaitCopies(nv, g->s.stages - 3);
  mloptNvOp(nv, "nvvm.barrier0", 0, NULL, NULL);
  loadStep(g, mloptNvAddInt(nv, step, g->s.stages - 1), slots[1], loaded);
  mloptTiledMultiplyRest(g, slots[0], next, ahead);
  storeStep(g, slots[1], loaded);
  slots[1] = slots[0];
  slots[0] = next;
}

/// Two steps in each turn, so that what is read ahead has registers of its own;
/// the second one may be beyond the last and multiply zeros.
static void multiplyStepsAhead(MloptTiled *g) {
  MloptNv *nv = &g->nv;
  intptr_t n = mloptTiledNumSums(g), numAhead = mloptTiledCountAhead(g);
  // The slots, what is read ahead, the sums.
  MlirValue start[MLOPT_NV_MAX_CARRIED], in[MLOPT_NV_MAX_CARRIED], step;
  MlirValue *sums = start + 2 + numAhead;
  start[0] = mloptNvInt(nv, 0);
  start[1] = mloptNvInt(nv, (g->s.stages - 1) * g->stageBytes);
  mloptNvWaitCopies(nv, g->s.stages - 2);
  mloptNvOp(nv, "nvvm.barrier0", 0, NULL, NULL);
  mloptTiledReadAhead(g, start[0], start + 2);
  memcpy(sums, g->sums, n * sizeof *sums);
  MloptNvScope steps =
      mloptNvBeginFor(nv, g->firstStep, g->endStep, mloptNvInt(nv, 2),
                      2 + numAhead + n, start, &step, in);
  memcpy(g->sums, in + 2 + numAhead, n * sizeof *in);
  for (int i = 0; i < 2; ++i)
    multiplyAhead(g, mloptNvAddInt(nv, step, i), in, in + 2);
  memcpy(start, in, (2 + numAhead) * sizeof *in);
  memcpy(sums, g->sums, n * sizeof *sums);
  mloptNvEndFor(nv, &steps, start, in);
  memcpy(g->sums, in + 2 + numAhead, n * sizeof *in);
  mloptNvWaitCopies(nv, 0);
  mloptNvOp(nv, "nvvm.barrier0", 0, NULL, NULL);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

bool mloptIsTiled(MlirOperation kernel) {
  MloptTiledSchedule schedule;
  return mloptReadTiledSchedule(kernel, &schedule);
}

int64_t mloptTiledThreadsOf(MlirOperation kernel) {
  MloptTiledSchedule schedule;
  return mloptReadTiledSchedule(kernel, &schedule)
             ? mloptTiledThreads(&schedule)
             : 0;
}

/// What the schedule and the program must agree on.
static bool check(MloptTiled *g) {
  MlirOperation func = g->kernel->func;
  if (!mloptReadTiledSchedule(func, &g->s) ||
      !mloptFindProduct(g->kernel->program, &g->p)) {
    mloptOpError(func, "has the schedule of a tiled product, but its program "
                       "is none");
    return false;
  }
  return mloptVerifyTiled(func, &g->p, true, &g->s);
}

void mloptEmitTiled(MloptKernel *kernel) {
  MloptTiled g = {.kernel = kernel, .pull = kernel->pull};
  MloptBuilder *b = mloptPullGetBuilder(kernel->pull);
  if (!check(&g)) {
    b->failed = true;
    return;
  }
  g.nv = mloptNvBegin(b, kernel->func);
  g.threads = mloptTiledThreads(&g.s);
  g.cores = mloptTiledCoresOf(&g.p);
  g.converts =
      !mlirAttributeIsNull(mloptAttr(kernel->func, MLOPT_KERNEL_CONVERTS));
  g.usesMma = g.cores != MLOPT_TILED_NO_CORES;
  g.steps = mloptDivideUp(g.p.axes[MLOPT_AXIS_K].size, g.s.tile[2]);
  int64_t aBytes = mloptTiledFactorBytes(&g.p, &g.s, 0);
  g.stageBytes = aBytes + mloptTiledFactorBytes(&g.p, &g.s, 1);
  readThreads(&g);
  mloptNvShare(&g.nv, g.steps, g.s.splits, g.rank, &g.firstStep, &g.endStep);
  g.endDepth = mloptTiledDepthOf(&g, g.endStep);
  locateTile(&g);
  skipZeros(&g);
  chooseTurn(&g);
  mloptTiledSetUpFactor(&g, 0, 0);
  mloptTiledSetUpFactor(&g, 1, aBytes);
  mloptTiledSetUpComputed(&g);
  clearSums(&g);
  if (mloptTiledIsDirect(&g.s)) {
    mloptTiledMultiplyDirect(&g);
  } else {
    fillStages(&g);
    (mloptTiledIsDeep(&g.p, &g.s) ? multiplyStepsAhead : multiplySteps)(&g);
  }
  mloptTiledStageSums(&g);
  if (g.s.splits > 1)
    mloptNvClusterBarrier(&g.nv, true); // all sums are there
  mloptTiledStoreTile(&g);
  if (g.s.splits > 1)
    mloptNvClusterBarrier(&g.nv, false); // and read
}
