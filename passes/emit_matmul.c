//===- emit_matmul.c - Kernels of matrix products -------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C[b, m, n] = sum over k of A[b, m, k] * B[b, n, k] on wgmma and TMA. Each
// block walks over tiles, its number plus a multiple of the number of blocks:
//
//            n
//        +-------+            warpgroup 0   one thread starts the loads, k
//        after |   B   | k                        k, tile after tile
//        +-------+            warpgroup 1   the upper half of a tile's rows
//   +---+--------+            warpgroup 2   the lower half
//   |   | 1      |
// m | A |--------|            Warpgroups 1 and 2 multiply, then convert, stage
//   |   | 2      |            and store, while warpgroup 0 loads the next tile.
//   +---+--------+            Where they alternate, each takes every other tile
//     k                       whole, and one multiplies while the other stores.
//
// Where the program computes a factor, the whole of warpgroup 0 fills its part
// of the stages (emit_matmul_fill.c).
//
// In a last round that is not full, blocks may share tiles
// (emit_matmul_tail.c).
//
// Products that share a factor, but no tile, have their tiles one after another
// in one list:
//
//   | of A * B1: 0 .. 63 | of A * B2: 64 .. 79 | of A * B3: 80 .. 95 |
//
// Steps are alike but for the tensor maps that the producer reads by; consumers
// branch for what a tile's products store.
//
// A cluster is blocks one below the other, whose tiles share their columns:
// each loads its part of B into all of them.
//
// Shared memory, everything aligned to 1,024 bytes but the barriers:
//
//   | A stage 0 .. S-1 | B stage 0 .. S-1 | store slots of 1, of 2 | barriers |
//
// A stage holds 128 bytes along k of both factors, with the 128-byte swizzle,
// in the layout that nv_wgmma.h says. A store slot holds 64 rows of 128 bytes
// of C, swizzled alike. What a tile has beyond the edges of A, B and C, TMA
// reads as zero and does not write, so that no size need be a multiple of
// anything.
//
// Registers: the accumulator alone takes 128 of each thread in warpgroups 1 and
// 2, so warpgroup 0 gives its own away.
//
//===----------------------------------------------------------------------===//

#include "emit_matmul.h"

#include "emit_matmul_impl.h"

//===----------------------------------------------------------------------===//
// Set-up
//===----------------------------------------------------------------------===//

static void readThreads(MloptMatmul *g) {
  MloptNv *nv = &g->nv;
  MlirValue thread = mloptNvRegister(nv, "tid.x");
  g->isFirst = mloptNvEqInt(nv, thread, 0);
  g->thread = mloptNvAndInt(nv, thread, MLOPT_MATMUL_WARPGROUP - 1);
  g->warpgroup = mloptNvUniform(nv, mloptNvShrInt(nv, thread, 7));
  g->firstTile = mloptNvRegister(nv, "ctaid.x");
  g->tileStep = mloptNvRegister(nv, "nctaid.x");
  int64_t blocks = mloptMatmulBlocks(&g->s);
  if (g->s.tail)
    mloptMatmulBeginTail(g);
  if (blocks == 1)
    return;
  g->rank = mloptNvRegister(nv, "cluster.ctarank");
  g->firstTile = mloptNvDivInt(nv, g->firstTile, blocks);
  g->tileStep = mloptNvDivInt(nv, g->tileStep, blocks);
}

/// No block may load into another before its barriers are set, or after it has
/// ended.
static void meet(MloptMatmul *g) {
  if (g->s.cluster > 1)
    mloptNvClusterBarrier(&g->nv, true);
}

static void initialise(MloptMatmul *g) {
  MloptNv *nv = &g->nv;
  MloptNvScope once = mloptNvBeginIf(nv, g->isFirst);
  for (intptr_t i = 0, n = mlirBlockGetNumArguments(g->parameters); i < n; ++i)
    if (mloptMatmulIsMapOfAny(&g->all, &g->s, i))
      mloptNvPrefetchMap(nv, mlirBlockGetArgument(g->parameters, i));
  mloptNvRingInit(nv, &g->ring);
  mloptNvEndIf(nv, &once);
  mloptNvOp(nv, "nvvm.barrier0", 0, NULL, NULL);
  meet(g);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

bool mloptIsMatmul(MlirOperation kernel) {
  MloptMatmulSchedule schedule;
  return mloptReadMatmulSchedule(kernel, &schedule);
}

/// What the schedule and the program must agree on.
static bool check(MloptMatmul *g, MlirOperation kernel, MlirBlock program) {
  if (!mloptReadMatmulSchedule(kernel, &g->s) ||
      !mloptFindContractions(program, &g->all)) {
    mloptOpError(kernel, "has the schedule of a matrix product, but its "
                         "program is none");
    return false;
  }
  g->isMasked = mloptReadMask(kernel, &g->mask);
  if (g->isMasked && !mloptMatmulCanMask(&g->all, &g->s, &g->mask)) {
    mloptOpError(kernel, "has a '" MLOPT_MASKED "' that its product or its "
                         "schedule does not allow");
    return false;
  }
  return mloptVerifyMatmul(kernel, &g->all, &g->s);
}

/// Whether no kernel writes a parameter.
static bool isInput(MlirOperation kernel, intptr_t parameter) {
  MlirAttribute inputs = mloptAttr(kernel, MLOPT_KERNEL_INPUTS);
  intptr_t n =
      mlirAttributeIsNull(inputs) ? 0 : mlirDenseArrayGetNumElements(inputs);
  for (intptr_t i = 0; i < n; ++i)
    if (mlirDenseI64ArrayGetElement(inputs, i) == parameter)
      return true;
  return false;
}

static void findInputs(MloptMatmul *g, MlirOperation kernel) {
  g->isInputA = g->isInputB = true;
  for (intptr_t i = 0; i < g->all.count; ++i) {
    const MloptContraction *c = &g->all.at[i];
    g->isInputA &= isInput(kernel, c->a.parameter);
    for (intptr_t j = 0; j < c->numProducts; ++j)
      g->isInputB &= isInput(kernel, c->parametersOfB[j]);
  }
}

static void carve(MloptMatmul *g, MlirBlock code) {
  g->shared = mloptMatmulCarve(&g->s);
  int64_t readers = g->s.alternate ? 1 : MLOPT_MATMUL_CONSUMERS;
  g->ring = (MloptNvRing){.stages = g->s.stages,
                          .barriers = g->shared.rings,
                          .consumers = readers * MLOPT_MATMUL_WARPGROUP / 32,
                          .blocks = g->s.cluster};
  // Thread by thread where they copy, warp by warp where they store.
  if (mloptMatmulFills(&g->c))
    g->ring.fillers = g->c.prologue.operations ? MLOPT_MATMUL_WARPGROUP / 32
                                               : MLOPT_MATMUL_WARPGROUP;
  g->slabs = mloptMatmulConsumerRows(&g->s) / MLOPT_NV_MMA_ROWS;
  g->mma = (MloptNvMma){.n = g->s.tile[1],
                        .slabs = g->slabs,
                        .isInteger = mlirTypeIsAInteger(mloptElementType(
                            mloptResultType(g->c.products[0], 0))),
                        .aAlongM = !g->c.a.isKMajor,
                        .bAlongN = !g->c.b.isKMajor};
  mloptMatmulFactor(&g->c.a, &g->mma.a);
  mloptMatmulFactor(&g->c.b, &g->mma.b);
  g->steps = mloptMatmulSteps(&g->c, &g->s);
  g->total = g->isMasked ? mloptMatmulTilesInMask(&g->c, &g->s, &g->mask) *
                               g->c.sizes[MLOPT_AXIS_BATCH]
                         : mloptMatmulTotal(&g->all, &g->s);
  g->tail = mloptMatmulTailOf(&g->c, &g->s);
  g->parameters = code;
}

bool mloptEmitMatmul(MlirOperation kernel, MlirBlock program, MlirBlock code) {
  MloptMatmul g = {.batched = false};
  if (!check(&g, kernel, program))
    return false;
  mloptMatmulEnter(&g, 0);
  MloptPull *pull = mloptPullCreate(code, mlirOperationGetLocation(kernel));
  if (!pull)
    return false;
  bool isMap[MLOPT_MAX_LAUNCH_ARGUMENTS];
  for (intptr_t i = 0, n = mlirBlockGetNumArguments(code); i < n; ++i)
    isMap[i] = mloptMatmulIsMapOfAny(&g.all, &g.s, i);
  mloptEpilogueBegin(&g.epilogue, pull, &g.c, program, code, isMap);
  carve(&g, code);
  findInputs(&g, kernel);
  g.nv = mloptNvBegin(mloptPullGetBuilder(pull), kernel);
  readThreads(&g);
  mloptNvShare(&g.nv, g.steps, g.s.splits, g.rank, &g.firstStep, &g.endStep);
  initialise(&g);
  MloptNvScope role =
      mloptNvBeginIf(&g.nv, mloptNvEqInt(&g.nv, g.warpgroup, 0));
  mloptMatmulProduce(&g);
  mloptNvElse(&g.nv, &role);
  mloptMatmulConsume(&g);
  mloptNvEndIf(&g.nv, &role);
  meet(&g);
  mloptNvOp(&g.nv, "llvm.return", 0, NULL, NULL);
  mloptEpilogueEnd(&g.epilogue);
  bool ok = mloptPullDestroy(pull);
  if (!ok)
    mloptOpError(kernel, "cannot be emitted as a matrix product");
  return ok;
}
