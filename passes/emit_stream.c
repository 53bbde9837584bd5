//===- emit_stream.c - Kernels that stream keys ---------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What stream.h finds, on wgmma and TMA. A block walks over tiles of rows of Q,
// and with each over the steps of keys that its rows need:
//
//              keys
//        +-------+-----+         warpgroup 0    one thread starts the loads: Q
//        after |   K   | depth                  of a tile, K and V of its steps
//        +-------+-----+         warpgroup 1    64 rows: scores, weights, sums
//   +---+--------------+         warpgroup 2    the next 64 rows
//   | Q | 1   | weights|   V  |  1 to 3 of these compute
//   +---+-----|--------|   |  |
//   |   | 2   | scores |   v  |  What the weights and V add up to stays in
//   +---+--------------+------+  registers until the last step.
//
// Shared memory, everything aligned to 1,024 bytes but the barriers:
//
//   | Q 0, 1 | K stage 0 .. S-1 | V stage 0 .. S-1 | stores of 1, .. | barriers
//
// Q has two stages where a block takes several tiles, so that a tile's rows are
// there when it begins. Scores that the program stores go through the stores'
// part, step by step. Where the blocks of a cluster share the keys of few rows,
// they leave what they have for each other there (emit_stream_split.c).
//
// A box is 128 bytes wide, with the 128-byte swizzle, and as many rows high as
// the tile has rows or keys; one that is wider lies as boxes, one after
// another. Q and K run along the depth of their product, V along its columns.
//
//===----------------------------------------------------------------------===//

#include "emit_stream.h"

#include "emit_stream_impl.h"
#include "schedule_matmul.h"

#include <stdio.h>

enum { PIECE = MLOPT_NV_ROW_BYTES / 2 }; ///< elements of a box's row

//===----------------------------------------------------------------------===//
// Set-up
//===----------------------------------------------------------------------===//

static void readThreads(MloptStreamKernel *g) {
  MloptNv *nv = &g->nv;
  MlirValue thread = mloptNvRegister(nv, "tid.x");
  g->isFirst = mloptNvEqInt(nv, thread, 0);
  g->thread = mloptNvAndInt(nv, thread, MLOPT_STREAM_WARPGROUP - 1);
  g->warpgroup = mloptNvUniform(nv, mloptNvShrInt(nv, thread, 7));
  g->number = mloptNvRegister(nv, "ctaid.x");
  if (g->s.splits > 1) {
    g->rank = mloptNvRegister(nv, "cluster.ctarank");
    g->number = mloptNvDivInt(nv, g->number, g->s.splits);
  }
}

static void initialise(MloptStreamKernel *g) {
  MloptNv *nv = &g->nv;
  MloptNvScope once = mloptNvBeginIf(nv, g->isFirst);
  for (intptr_t i = 0, n = mlirBlockGetNumArguments(g->parameters); i < n; ++i)
    if (mloptStreamIsMap(&g->p, &g->s, i))
      mloptNvPrefetchMap(nv, mlirBlockGetArgument(g->parameters, i));
  mloptNvRingInit(nv, &g->q);
  mloptNvRingInit(nv, &g->k);
  mloptNvRingInit(nv, &g->v);
  mloptNvEndIf(nv, &once);
  mloptNvOp(nv, "nvvm.barrier0", 0, NULL, NULL);
}

static void setRegisters(MloptStreamKernel *g, bool increase) {
  char text[96];
  bool isTwo = mloptStreamConsumers(&g->s) == 2;
  if (mloptStreamConsumers(&g->s) == 1)
    return;
  snprintf(text, sizeof text,
           "{action = #nvvm<action %s>, regCount = %d : i32}",
           increase ? "increase" : "decrease",
           increase ? (int)mloptStreamRegisters(&g->s)
           : isTwo  ? 24
                    : 32);
  mloptNvOp(&g->nv, "nvvm.setmaxregister", 0, NULL, text);
}

//===----------------------------------------------------------------------===//
// The producer
//===----------------------------------------------------------------------===//

/// `rows` of a factor from these indices on, all that it has along `along`.
static void loadRows(MloptStreamKernel *g, const MloptMatrix *factor,
                     MloptAxis along, int64_t rows, int64_t width,
                     const MlirValue *axes, MlirValue offset,
                     MlirValue barrier) {
  MloptNv *nv = &g->nv;
  MlirValue from[MLOPT_NUM_AXES], at[MLOPT_MAX_MAP_RANK];
  memcpy(from, axes, sizeof from);
  for (int64_t i = 0; i * PIECE < width; ++i) {
    from[along] = mloptNvInt(nv, i * PIECE);
    for (intptr_t d = 0; d < factor->rank; ++d)
      at[d] = mloptMapIndexAt(nv, &factor->dims[d].at, from);
    mloptNvLoadBox(
        nv,
        &(MloptNvBox){
            .map = mlirBlockGetArgument(g->parameters, factor->parameter),
            .offset = mloptNvAddInt(nv, offset, i * rows * MLOPT_NV_ROW_BYTES),
            .barrier = barrier,
            .rank = factor->rank,
            .at = at});
  }
}

static MlirValue stageOffset(MloptStreamKernel *g, MlirValue stage,
                             int64_t start, int64_t bytes) {
  return mloptNvAddInt(&g->nv, mloptNvMulInt(&g->nv, stage, bytes), start);
}

static void loadQ(MloptStreamKernel *g, MloptNvPlace place) {
  MloptNv *nv = &g->nv;
  const MlirValue axes[MLOPT_NUM_AXES] = {
      [MLOPT_AXIS_BATCH] = g->tile.batch, [MLOPT_AXIS_M] = g->tile.row};
  MlirValue barrier = mloptNvRingAcquire(nv, &g->q, place, g->shared.qBytes);
  loadRows(g, &g->p.scores.a, MLOPT_AXIS_K, g->s.tile[0],
           g->p.scores.sizes[MLOPT_AXIS_K], axes,
           stageOffset(g, place.stage, g->shared.q, g->shared.qBytes), barrier);
}

static void loadStep(MloptStreamKernel *g, MlirValue step, MloptNvPlace place) {
  MloptNv *nv = &g->nv;
  MlirValue key = mloptNvMulInt(nv, step, g->s.tile[1]);
  const MlirValue ofK[MLOPT_NUM_AXES] = {
      [MLOPT_AXIS_BATCH] = g->tile.batch, [MLOPT_AXIS_N] = key};
  const MlirValue ofV[MLOPT_NUM_AXES] = {
      [MLOPT_AXIS_BATCH] = g->tile.batch, [MLOPT_AXIS_K] = key};
  MlirValue barrier = mloptNvRingAcquire(nv, &g->k, place, g->shared.kBytes);
  loadRows(g, &g->p.scores.b, MLOPT_AXIS_K, g->s.tile[1],
           g->p.scores.sizes[MLOPT_AXIS_K], ofK,
           stageOffset(g, place.stage, g->shared.k, g->shared.kBytes), barrier);
  barrier = mloptNvRingAcquire(nv, &g->v, place, g->shared.vBytes);
  loadRows(g, &g->p.values.b, MLOPT_AXIS_N, g->s.tile[1],
           g->p.values.sizes[MLOPT_AXIS_N], ofV,
           stageOffset(g, place.stage, g->shared.v, g->shared.vBytes), barrier);
}

/// The steps of a tile, the last one first; K and V go through their rings
/// alike.
static MloptNvPlace loadSteps(MloptStreamKernel *g, MloptNvPlace place) {
  MloptNv *nv = &g->nv;
  MlirValue start[] = {place.stage, place.parity}, in[2], out[2], back;
  MlirValue count = mloptNvArith(nv, "arith.subi", g->tile.end, g->tile.from);
  MloptNvScope steps = mloptNvBeginFor(nv, mloptNvInt(nv, 0), count,
                                       mloptNvInt(nv, 1), 2, start, &back, in);
  MloptNvPlace here = {in[0], in[1]};
  loadStep(g, mloptStreamStepAt(g, back), here);
  MloptNvPlace after = mloptNvRingNext(nv, &g->k, here);
  MlirValue next[] = {after.stage, after.parity};
  mloptNvEndFor(nv, &steps, next, out);
  return (MloptNvPlace){out[0], out[1]};
}

/// One thread walks over tiles and steps.
static void produce(MloptStreamKernel *g) {
  MloptNv *nv = &g->nv;
  MloptNvScope one = mloptNvBeginIf(nv, g->isFirst);
  MloptNvPlace first = mloptNvRingFirst(nv);
  MlirValue start[] = {first.stage, first.parity, first.stage, first.parity};
  MlirValue in[4], out[4];
  MloptNvScope tiles = mloptStreamBeginTiles(g, 4, start, in);
  MloptNvPlace q = {in[0], in[1]}, place = {in[2], in[3]};
  loadQ(g, q);
  place = loadSteps(g, place);
  q = mloptNvRingNext(nv, &g->q, q);
  MlirValue next[] = {q.stage, q.parity, place.stage, place.parity};
  mloptNvEndFor(nv, &tiles, next, out);
  mloptNvEndIf(nv, &one);
  // Consumers meet twice in mloptStreamCombine.
  for (int i = 0; g->s.splits > 1 && i < 2; ++i)
    mloptNvClusterBarrier(nv, false);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

bool mloptIsStream(MlirOperation kernel) {
  MloptStreamSchedule schedule;
  return mloptReadStreamSchedule(kernel, &schedule);
}

/// What the pull emitter finds where a reduction stands.
static bool readReduction(void *userData, MlirOperation generic,
                          const MlirValue *loops, MlirValue *results) {
  const MloptStreamKernel *g = userData;
  const struct {
    MlirOperation op;
    MlirValue value;
  } known[] = {
      {g->p.scores.products[0], g->raw},
      {g->p.max, g->rowMax},
      {g->p.sum, g->rowSum},
      {g->p.values.products[0], g->epilogue.sums[0][g->epilogue.tile.lane]}};
  for (size_t i = 0; i < MLOPT_COUNT(known); ++i)
    if (mlirOperationEqual(generic, known[i].op)) {
      results[0] = known[i].value;
      return true;
    }
  return false;
}

static void carve(MloptStreamKernel *g, MlirBlock code) {
  const int64_t warps = mloptStreamConsumers(&g->s) * 4;
  g->shared = mloptStreamCarve(&g->p, &g->s);
  g->q = (MloptNvRing){.stages = g->shared.qStages,
                       .barriers = g->shared.qRing,
                       .consumers = warps,
                       .blocks = 1};
  g->k = (MloptNvRing){.stages = g->s.stages,
                       .barriers = g->shared.kRing,
                       .consumers = warps,
                       .blocks = 1};
  g->v = g->k;
  g->v.barriers = g->shared.vRing;
  MloptNvFactor factor;
  mloptMatmulFactor(&g->p.scores.a, &factor);
  g->scores =
      (MloptNvMma){.n = g->s.tile[1], .slabs = 1, .a = factor, .b = factor};
  g->sums = (MloptNvMma){.n = g->p.values.sizes[MLOPT_AXIS_N],
                         .slabs = 1,
                         .a = factor,
                         .b = factor,
                         .bAlongN = true};
  g->parameters = code;
}

static bool check(MloptStreamKernel *g, MlirOperation kernel,
                  MlirBlock program) {
  if (!mloptReadStreamSchedule(kernel, &g->s) ||
      !mloptFindStream(program, &g->p)) {
    mloptOpError(kernel, "has the schedule of a streamed kernel, but its "
                         "program is none");
    return false;
  }
  MloptMask mask;
  g->storesAll = g->p.scores.numOutputs && !mloptReadMask(kernel, &mask);
  return mloptVerifyStream(kernel, &g->p, &g->s);
}

bool mloptEmitStream(MlirOperation kernel, MlirBlock program, MlirBlock code) {
  MloptStreamKernel g = {.raw = {NULL}};
  if (!check(&g, kernel, program))
    return false;
  MloptPull *pull = mloptPullCreate(code, mlirOperationGetLocation(kernel));
  if (!pull)
    return false;
  bool isMap[MLOPT_MAX_LAUNCH_ARGUMENTS];
  for (intptr_t i = 0, n = mlirBlockGetNumArguments(code); i < n; ++i)
    isMap[i] = mloptStreamIsMap(&g.p, &g.s, i);
  mloptEpilogueBegin(&g.epilogue, pull, &g.p.values, program, code, isMap);
  mloptPullSetHooks(pull, (MloptPullHooks){.load = mloptTileLoad,
                                           .reduce = readReduction,
                                           .userData = &g});
  carve(&g, code);
  g.nv = mloptNvBegin(mloptPullGetBuilder(pull), kernel);
  readThreads(&g);
  initialise(&g);
  mloptNvWaitForKernels(&g.nv);
  MloptNvScope role =
      mloptNvBeginIf(&g.nv, mloptNvEqInt(&g.nv, g.warpgroup, 0));
  setRegisters(&g, false);
  produce(&g);
  mloptNvElse(&g.nv, &role);
  setRegisters(&g, true);
  mloptStreamConsume(&g);
  mloptNvEndIf(&g.nv, &role);
  mloptNvOp(&g.nv, "llvm.return", 0, NULL, NULL);
  mloptEpilogueEnd(&g.epilogue);
  bool ok = mloptPullDestroy(pull);
  if (!ok)
    mloptOpError(kernel, "cannot be emitted as a streamed kernel");
  return ok;
}
