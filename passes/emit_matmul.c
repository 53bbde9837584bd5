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
//            n                                warpgroup 0   one thread starts
//            the
//        +-------+                                          loads, k after k,
//        of |   B   | k                                        tile after tile
//        +-------+                            warpgroup 1   rows 0-63 of a tile
//   +---+--------+                            warpgroup 2   rows 64-127
//   |   | 0-63   |
// m | A |--------|  a tile of C               Warpgroups 1 and 2 multiply, then
//   |   | 64-127 |                            convert, stage and store a tile,
//   +---+--------+                            while warpgroup 0 loads the next.
//     k
//
// Shared memory, everything aligned to 1,024 bytes but the barriers:
//
//   | A stage 0 .. S-1 | B stage 0 .. S-1 | store slots of 1, of 2 | barriers |
//
// A stage holds 64 of k of both factors, with the 128-byte swizzle, in the
// layout that nv_wgmma.h says. A store slot holds 64 rows of 128 bytes of C,
// swizzled alike. What a tile has beyond the edges of A, B and C, TMA reads as
// zero and does not write, so that no size need be a multiple of anything.
//
// Registers: the accumulator alone takes 128 of each thread in warpgroups 1 and
// 2, so warpgroup 0 gives its own away.
//
//===----------------------------------------------------------------------===//

#include "emit_matmul.h"

#include "emit_matmul_epilogue.h"
#include "nv_ring.h"
#include "nv_tma.h"
#include "nv_wgmma.h"
#include "schedule_matmul.h"

#include "mlir-c/Dialect/LLVM.h"

typedef struct Matmul {
  MloptNv nv;
  MloptContraction c;
  MloptMatmulSchedule s;
  MloptMatmulShared shared;
  MloptNvRing ring;
  MloptNvMma mma;
  MloptEpilogue epilogue;
  MlirValue a, b, out;           ///< tensor maps
  MlirValue thread;              ///< in its warpgroup
  MlirValue warpgroup;           ///< 0: producer
  MlirValue isFirst;             ///< of the block's threads
  MlirValue firstTile, tileStep; ///< of this block
  int64_t steps;                 ///< along k
  int64_t tilesM, tilesN, total;
  bool batched;
} Matmul;

/// Where a tile starts.
typedef struct Tile {
  MlirValue m, n, batch;
} Tile;

enum {
  WARPGROUP = 128,
  PIECE = 64, ///< rows or columns of a box
  PIECE_BYTES = PIECE * MLOPT_NV_ROW_BYTES,
};

//===----------------------------------------------------------------------===//
// Set-up
//===----------------------------------------------------------------------===//

static void readThreads(Matmul *g) {
  MloptNv *nv = &g->nv;
  MlirValue thread = mloptNvRegister(nv, "tid.x");
  g->isFirst = mloptNvEqInt(nv, thread, 0);
  g->thread = mloptNvAndInt(nv, thread, WARPGROUP - 1);
  g->warpgroup = mloptNvUniform(nv, mloptNvShrInt(nv, thread, 7));
  g->firstTile = mloptNvRegister(nv, "ctaid.x");
  g->tileStep = mloptNvRegister(nv, "nctaid.x");
}

static void initialise(Matmul *g) {
  MloptNv *nv = &g->nv;
  MloptNvScope once = mloptNvBeginIf(nv, g->isFirst);
  mloptNvPrefetchMap(nv, g->a);
  mloptNvPrefetchMap(nv, g->b);
  mloptNvPrefetchMap(nv, g->out);
  mloptNvRingInit(nv, &g->ring);
  mloptNvEndIf(nv, &once);
  mloptNvOp(nv, "nvvm.barrier0", 0, NULL, NULL);
}

/// 40 + 2 * 232 of the 512 that 128 lanes of a processor share.
static void setRegisters(Matmul *g, bool increase) {
  mloptNvOp(&g->nv, "nvvm.setmaxregister", 0, NULL,
            increase
                ? "{action = #nvvm<action increase>, regCount = 232 : i32}"
                : "{action = #nvvm<action decrease>, regCount = 40 : i32}");
}

/// The tile of a number: batch after batch, in each band after band of rows of
/// tiles, in each column after column, so that blocks that run side by side
/// share rows of A and columns of B in L2.
static Tile locate(Matmul *g, MlirValue number) {
  MloptNv *nv = &g->nv;
  int64_t perBand = g->s.band * g->tilesN;
  Tile tile = {.batch = mloptNvInt(nv, 0)};
  if (g->batched) {
    tile.batch = mloptNvDivInt(nv, number, g->tilesM * g->tilesN);
    number = mloptNvRemInt(nv, number, g->tilesM * g->tilesN);
  }
  MlirValue first =
      mloptNvMulInt(nv, mloptNvDivInt(nv, number, perBand), g->s.band);
  MlirValue inBand = mloptNvRemInt(nv, number, perBand);
  MlirValue left =
      mloptNvArith(nv, "arith.subi", mloptNvInt(nv, g->tilesM), first);
  MlirValue rows = mloptNvMin(nv, left, mloptNvInt(nv, g->s.band));
  MlirValue row = mloptNvArith(nv, "arith.remui", inBand, rows);
  MlirValue column = mloptNvArith(nv, "arith.divui", inBand, rows);
  tile.m = mloptNvMulInt(nv, mloptNvAdd(nv, first, row), g->s.tile[0]);
  tile.n = mloptNvMulInt(nv, column, g->s.tile[1]);
  return tile;
}

/// The block's tiles; both roles walk them with a place in the ring.
static MloptNvScope beginTiles(Matmul *g, const MlirValue *place,
                               MlirValue *outNumber, MlirValue *outPlace) {
  return mloptNvBeginFor(&g->nv, g->firstTile, mloptNvInt(&g->nv, g->total),
                         g->tileStep, 2, place, outNumber, outPlace);
}

/// The steps along k.
static MloptNvScope beginSteps(Matmul *g, intptr_t numCarried,
                               const MlirValue *start, MlirValue *outStep,
                               MlirValue *outCarried) {
  MloptNv *nv = &g->nv;
  return mloptNvBeginFor(nv, mloptNvInt(nv, 0), mloptNvInt(nv, g->steps),
                         mloptNvInt(nv, 1), numCarried, start, outStep,
                         outCarried);
}

//===----------------------------------------------------------------------===//
// The producer
//===----------------------------------------------------------------------===//

/// A factor's part of a stage: one box, or one for each 64 of its rows where
/// these are contiguous.
static void loadFactor(Matmul *g, const MloptMatrix *factor, MlirValue map,
                       MlirValue offset, MlirValue barrier, MlirValue row,
                       int64_t rows, MlirValue k, MlirValue batch) {
  MloptNv *nv = &g->nv;
  intptr_t rank = g->batched ? 3 : 2;
  if (factor->strides[MLOPT_AXIS_K] == 1) {
    MlirValue at[] = {k, row, batch};
    mloptNvLoadBox(nv, map, offset, barrier, rank, at);
    return;
  }
  for (int64_t i = 0; i < rows; i += PIECE) {
    MlirValue at[] = {mloptNvAddInt(nv, row, i), k, batch};
    mloptNvLoadBox(nv, map, mloptNvAddInt(nv, offset, i / PIECE * PIECE_BYTES),
                   barrier, rank, at);
  }
}

static MlirValue stageOffset(Matmul *g, MlirValue stage, int64_t start,
                             int64_t bytes) {
  return mloptNvAddInt(&g->nv, mloptNvMulInt(&g->nv, stage, bytes), start);
}

/// Loads one step of k when its stage is empty.
static void loadStage(Matmul *g, Tile tile, MlirValue step,
                      MloptNvPlace place) {
  MloptNv *nv = &g->nv;
  const MloptMatmulShared *s = &g->shared;
  MlirValue barrier =
      mloptNvRingAcquire(nv, &g->ring, place, s->aBytes + s->bBytes);
  MlirValue k = mloptNvMulInt(nv, step, g->s.tile[2]);
  loadFactor(g, &g->c.a, g->a, stageOffset(g, place.stage, s->a, s->aBytes),
             barrier, tile.m, g->s.tile[0], k, tile.batch);
  loadFactor(g, &g->c.b, g->b, stageOffset(g, place.stage, s->b, s->bBytes),
             barrier, tile.n, g->s.tile[1], k, tile.batch);
}

/// One thread walks over tiles and steps.
static void emitProducer(Matmul *g) {
  MloptNv *nv = &g->nv;
  setRegisters(g, false);
  MloptNvScope one = mloptNvBeginIf(nv, g->isFirst);
  MloptNvPlace first = mloptNvRingFirst(nv);
  MlirValue start[] = {first.stage, first.parity}, number, step;
  MlirValue outer[2], inner[2], end[2];
  MloptNvScope tiles = beginTiles(g, start, &number, outer);
  Tile tile = locate(g, number);
  MloptNvScope steps = beginSteps(g, 2, outer, &step, inner);
  MloptNvPlace place = {inner[0], inner[1]};
  loadStage(g, tile, step, place);
  MloptNvPlace after = mloptNvRingNext(nv, &g->ring, place);
  MlirValue next[] = {after.stage, after.parity};
  mloptNvEndFor(nv, &steps, next, end);
  mloptNvEndFor(nv, &tiles, end, outer);
  mloptNvEndIf(nv, &one);
}

//===----------------------------------------------------------------------===//
// The consumers: products
//===----------------------------------------------------------------------===//

typedef struct Consumer {
  MlirValue index;      ///< 0 or 1
  MlirValue a, b;       ///< descriptors of stage 0
  MlirValue leads;      ///< i32: the first lane of its warp
  MlirValue isFirst;    ///< of the warpgroup
  MlirValue slots;      ///< offset of its store slots
  MlirValue barrier;    ///< named, of the warpgroup
  MlirValue storeAt[4]; ///< where this thread stages its fragment
} Consumer;

static void startConsumer(Matmul *g, Consumer *w) {
  MloptNv *nv = &g->nv;
  const MloptMatmulShared *s = &g->shared;
  w->index = mloptNvAddInt(nv, g->warpgroup, -1);
  w->barrier = g->warpgroup;
  w->isFirst = mloptNvEqInt(nv, g->thread, 0);
  w->leads =
      mloptNvToInt(nv, mloptNvEqInt(nv, mloptNvAndInt(nv, g->thread, 31), 0));
  w->a = mloptNvDescribe(nv, stageOffset(g, w->index, s->a, PIECE_BYTES),
                         !g->mma.aAlongM);
  w->b = mloptNvDescribe(nv, mloptNvInt(nv, s->b), !g->mma.bAlongN);
  w->slots = stageOffset(g, w->index, s->store,
                         MLOPT_MATMUL_STORE_SLOTS * s->storeBytes);
}

/// The steps of a tile; one stage of products is under way while the next is
/// started, and a stage is given back when the one after it has started.
static void multiplyTile(Matmul *g, const Consumer *w, MloptNvPlace *place,
                         MlirValue *fragment) {
  MloptNv *nv = &g->nv;
  MlirValue none = mloptNvValue(nv, "llvm.mlir.undef", 0, NULL,
                                mloptNvAccumulatorType(nv, &g->mma), NULL);
  // Stage, parity, the stage before, the accumulator.
  MlirValue start[] = {place->stage, place->parity, place->stage, none};
  MlirValue step, in[4], end[4];
  MloptNvScope steps = beginSteps(g, 4, start, &step, in);
  MloptNvPlace here = {in[0], in[1]};
  mloptNvRingWait(nv, &g->ring, here);
  MlirValue a = mloptNvDescriptorAt(
      nv, w->a, mloptNvMulInt(nv, here.stage, g->shared.aBytes));
  MlirValue b = mloptNvDescriptorAt(
      nv, w->b, mloptNvMulInt(nv, here.stage, g->shared.bBytes));
  MlirValue later =
      mloptNvToInt(nv, mloptBuildCmpI(nv->b, "ne", step, mloptNvInt(nv, 0)));
  MlirValue sum = mloptNvMmaStage(nv, &g->mma, in[3], a, b, later);
  mloptNvRingRelease(nv, &g->ring, in[2],
                     mloptNvArith(nv, "arith.andi", later, w->leads));
  MloptNvPlace after = mloptNvRingNext(nv, &g->ring, here);
  MlirValue next[] = {after.stage, after.parity, here.stage, sum};
  mloptNvEndFor(nv, &steps, next, end);
  mloptNvMmaFinish(nv, &g->mma, end[3], fragment);
  mloptNvRingRelease(nv, &g->ring, end[2], w->leads);
  *place = (MloptNvPlace){end[0], end[1]};
}

//===----------------------------------------------------------------------===//
// The consumers: stores
//===----------------------------------------------------------------------===//

static bool isHalf(const Matmul *g) {
  return mloptElementWidth(mloptElementType(g->c.c.type)) == 16;
}

/// Elements of 16 bits go by stmatrix, whose lane l gives the address of row
/// l % 8 of 8 x 8 matrix l / 8 of four: rows 0-7 and 8-15 of the warp, then the
/// eight columns beside. f32 goes by pairs. Piece p of row r lies at p ^ r % 8;
/// the four places are those of a row's 32-byte parts, without what every
/// thread shares.
static void placeFragment(Matmul *g, Consumer *w) {
  MloptNv *nv = &g->nv;
  MlirValue lane = mloptNvAndInt(nv, g->thread, 31);
  MlirValue warp = mloptNvMulInt(nv, mloptNvShrInt(nv, g->thread, 5), 16);
  MlirValue row, piece, within, inEight;
  if (isHalf(g)) {
    MlirValue matrix = mloptNvShrInt(nv, lane, 3);
    inEight = mloptNvAndInt(nv, lane, 7);
    row = mloptNvAdd(nv, inEight,
                     mloptNvShlInt(nv, mloptNvAndInt(nv, matrix, 1), 3));
    piece = mloptNvShrInt(nv, matrix, 1);
    within = mloptNvInt(nv, 0);
  } else {
    row = inEight = mloptNvShrInt(nv, lane, 2);
    piece = mloptNvAndInt(nv, mloptNvShrInt(nv, lane, 1), 1);
    within = mloptNvShlInt(nv, mloptNvAndInt(nv, lane, 1), 3);
  }
  MlirValue start =
      mloptNvMulInt(nv, mloptNvAdd(nv, warp, row), MLOPT_NV_ROW_BYTES);
  start = mloptNvAdd(nv, start, within);
  for (int i = 0; i < 4; ++i) {
    MlirValue at =
        mloptNvXor(nv, mloptNvXor(nv, piece, inEight), mloptNvInt(nv, 2 * i));
    w->storeAt[i] = mloptNvAdd(nv, w->slots,
                               mloptNvAdd(nv, start, mloptNvShlInt(nv, at, 4)));
  }
}

/// Two elements of 16 bits, the first one low, rounded to nearest even.
static MlirValue pack(Matmul *g, MlirValue low, MlirValue high) {
  MloptNv *nv = &g->nv;
  const char *ptx = mlirTypeIsABF16(mloptElementType(g->c.c.type))
                        ? "cvt.rn.bf16x2.f32 $0, $2, $1;"
                        : "cvt.rn.f16x2.f32 $0, $2, $1;";
  MlirValue operands[] = {low, high};
  return mloptNvPtx(nv, ptx, "=r,f,f", 2, operands, nv->i32);
}

/// 32 bytes of each row: 16 columns of 16 bits.
static void stageHalves(Matmul *g, MlirValue at, const MlirValue *fragment) {
  MloptNv *nv = &g->nv;
  MlirValue operands[5] = {mloptNvShared(nv, at)};
  for (int i = 0; i < 4; ++i)
    operands[i + 1] = pack(g, fragment[2 * i], fragment[2 * i + 1]);
  mloptNvOp(nv, "nvvm.stmatrix", 5, operands,
            "{eltType = #nvvm.ld_st_matrix_elt_type<b16>,"
            " layout = #nvvm.mma_layout<row>,"
            " shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>}");
}

/// 32 bytes of each row: 8 columns of f32, in this thread rows r and r + 8.
static void stageSingles(Matmul *g, MlirValue at, const MlirValue *fragment) {
  MloptNv *nv = &g->nv;
  for (int i = 0; i < 2; ++i) {
    MlirValue place = mloptNvAddInt(nv, at, 8 * i * MLOPT_NV_ROW_BYTES);
    MlirValue operands[] = {mloptNvAddress(nv, mloptNvShared(nv, place)),
                            fragment[2 * i], fragment[2 * i + 1]};
    mloptNvPtx(nv, "st.shared.v2.f32 [$0], {$1, $2};", "r,f,f,~{memory}", 3,
               operands, (MlirType){NULL});
  }
}

/// Stages 128 bytes of each of the warpgroup's rows in a slot.
static void stageBlock(Matmul *g, const Consumer *w, int64_t slot,
                       const MlirValue *fragment) {
  MloptNv *nv = &g->nv;
  int perPart = isHalf(g) ? 8 : 4;
  for (int i = 0; i < 4; ++i) {
    MlirValue at =
        mloptNvAddInt(nv, w->storeAt[i], slot * g->shared.storeBytes);
    (isHalf(g) ? stageHalves : stageSingles)(g, at, fragment + i * perPart);
  }
}

/// The stored value in place of elements of the product. What lies outside of C
/// is computed from an element inside and not stored.
static void applyEpilogue(Matmul *g, const Consumer *w, Tile tile,
                          int64_t begin, int64_t end, MlirValue *fragment) {
  MloptNv *nv = &g->nv;
  int64_t sizeM = g->c.sizes[MLOPT_AXIS_M], sizeN = g->c.sizes[MLOPT_AXIS_N];
  MlirValue firstRow =
      mloptNvAdd(nv, tile.m, mloptNvMulInt(nv, w->index, MLOPT_NV_MMA_ROWS));
  MlirValue rows[2];
  for (int i = 0; i < 2; ++i) {
    rows[i] =
        mloptNvAdd(nv, firstRow, mloptNvFragmentRow(nv, g->thread, 2 * i));
    if (sizeM % g->s.tile[0])
      rows[i] = mloptNvMin(nv, rows[i], mloptNvInt(nv, sizeM - 1));
  }
  MlirValue first =
      mloptNvAdd(nv, tile.n, mloptNvFragmentColumn(nv, g->thread, 0));
  for (int64_t i = begin; i < end; ++i) {
    MlirValue column = mloptNvAddInt(nv, first, i / 4 * 8 + i % 2);
    if (sizeN % g->s.tile[1])
      column = mloptNvMin(nv, column, mloptNvInt(nv, sizeN - 1));
    MlirValue element = mloptEpilogueElement(
        &g->epilogue, fragment[i], rows[i / 2 % 2], column, tile.batch);
    // Exact, and what rounds it again is exact too.
    if (!nv->b->failed && !mlirTypeIsAF32(mlirValueGetType(element)))
      element = mloptBuildUnary(nv->b, "arith.extf", element, nv->f32);
    fragment[i] = element;
  }
}

/// The warpgroup's rows of the tile, block after block through two slots: while
/// TMA reads the one, threads fill the other.
static void storeTile(Matmul *g, const Consumer *w, Tile tile,
                      MlirValue *fragment) {
  MloptNv *nv = &g->nv;
  int64_t columns = mloptMatmulStoreColumns(&g->c);
  MlirValue row =
      mloptNvAdd(nv, tile.m, mloptNvMulInt(nv, w->index, MLOPT_NV_MMA_ROWS));
  for (int64_t i = 0; i < g->s.tile[1] / columns; ++i) {
    int64_t slot = i % MLOPT_MATMUL_STORE_SLOTS;
    if (!g->c.isPlain)
      applyEpilogue(g, w, tile, i * columns / 2, (i + 1) * columns / 2,
                    fragment);
    MloptNvScope first = mloptNvBeginIf(nv, w->isFirst);
    mloptNvWaitStoresRead(nv, MLOPT_MATMUL_STORE_SLOTS - 1);
    mloptNvEndIf(nv, &first);
    mloptNvBarrier(nv, w->barrier, WARPGROUP);
    stageBlock(g, w, slot, fragment + i * columns / 2);
    mloptNvFenceShared(nv);
    mloptNvBarrier(nv, w->barrier, WARPGROUP);
    first = mloptNvBeginIf(nv, w->isFirst);
    MlirValue at[] = {mloptNvAddInt(nv, tile.n, i * columns), row, tile.batch};
    mloptNvStoreBox(nv, g->out,
                    mloptNvAddInt(nv, w->slots, slot * g->shared.storeBytes),
                    g->batched ? 3 : 2, at);
    mloptNvCommitStores(nv);
    mloptNvEndIf(nv, &first);
  }
}

static void emitConsumer(Matmul *g) {
  MloptNv *nv = &g->nv;
  setRegisters(g, true);
  Consumer w;
  startConsumer(g, &w);
  placeFragment(g, &w);
  MloptNvPlace place = mloptNvRingFirst(nv);
  MlirValue start[] = {place.stage, place.parity}, number, in[2], end[2];
  MloptNvScope tiles = beginTiles(g, start, &number, in);
  Tile tile = locate(g, number);
  place = (MloptNvPlace){in[0], in[1]};
  MlirValue fragment[MLOPT_NV_MMA_MAX_FRAGMENT];
  multiplyTile(g, &w, &place, fragment);
  storeTile(g, &w, tile, fragment);
  MlirValue next[] = {place.stage, place.parity};
  mloptNvEndFor(nv, &tiles, next, end);
  MloptNvScope first = mloptNvBeginIf(nv, w.isFirst);
  mloptNvWaitStores(nv);
  mloptNvEndIf(nv, &first);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

bool mloptIsMatmul(MlirOperation kernel) {
  MloptMatmulSchedule schedule;
  return mloptReadMatmulSchedule(kernel, &schedule);
}

/// What the schedule and the program must agree on.
static bool check(Matmul *g, MlirOperation kernel, MlirBlock program) {
  if (!mloptReadMatmulSchedule(kernel, &g->s) ||
      !mloptFindContraction(program, &g->c)) {
    mloptOpError(kernel, "has the schedule of a matrix product, but its "
                         "program is none");
    return false;
  }
  return mloptVerifyMatmul(kernel, &g->c, &g->s);
}

static void carve(Matmul *g, MlirBlock code) {
  g->shared = mloptMatmulCarve(&g->s);
  g->ring = (MloptNvRing){.stages = g->s.stages,
                          .barriers = g->shared.rings,
                          .consumers = MLOPT_MATMUL_CONSUMERS * WARPGROUP / 32};
  MlirType factor = mloptElementType(g->c.a.type);
  g->mma = (MloptNvMma){.n = g->s.tile[1],
                        .element = mlirTypeIsABF16(factor) ? "bf16" : "f16",
                        .aAlongM = g->c.a.strides[MLOPT_AXIS_K] != 1,
                        .bAlongN = g->c.b.strides[MLOPT_AXIS_K] != 1};
  g->steps = (g->c.sizes[MLOPT_AXIS_K] + g->s.tile[2] - 1) / g->s.tile[2];
  g->batched = g->c.sizes[MLOPT_AXIS_BATCH] > 1;
  mloptMatmulTiles(&g->c, &g->s, &g->tilesM, &g->tilesN, &g->total);
  g->a = mlirBlockGetArgument(code, g->c.a.parameter);
  g->b = mlirBlockGetArgument(code, g->c.b.parameter);
  g->out = mlirBlockGetArgument(code, g->c.c.parameter);
}

bool mloptEmitMatmul(MlirOperation kernel, MlirBlock program, MlirBlock code) {
  Matmul g = {.batched = false};
  if (!check(&g, kernel, program))
    return false;
  MloptPull *pull = mloptPullCreate(code, mlirOperationGetLocation(kernel));
  if (!pull)
    return false;
  mloptEpilogueBegin(&g.epilogue, pull, &g.c, program, code);
  carve(&g, code);
  g.nv = mloptNvBegin(mloptPullGetBuilder(pull), kernel);
  readThreads(&g);
  initialise(&g);
  MloptNvScope role =
      mloptNvBeginIf(&g.nv, mloptNvEqInt(&g.nv, g.warpgroup, 0));
  emitProducer(&g);
  mloptNvElse(&g.nv, &role);
  emitConsumer(&g);
  mloptNvEndIf(&g.nv, &role);
  mloptNvOp(&g.nv, "llvm.return", 0, NULL, NULL);
  bool ok = mloptPullDestroy(pull);
  if (!ok)
    mloptOpError(kernel, "cannot be emitted as a matrix product");
  return ok;
}
