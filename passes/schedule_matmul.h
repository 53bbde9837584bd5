//===- schedule_matmul.h - Tiles and launches of matrix products --*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides whether a contraction runs on wgmma and TMA, with which tile, and
// what its launch looks like. The choice is `mlopt.schedule` on the kernel,
// which the emitter reads; the maps are `mlopt.tensor_maps` on the launch.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_SCHEDULE_MATMUL_H
#define MLOPT_PASSES_SCHEDULE_MATMUL_H

#include "contraction.h"
#include "launch.h"
#include "mask.h"
#include "nv_wgmma.h"

enum {
  MLOPT_MATMUL_CONSUMERS = 2, ///< warpgroups that compute
  MLOPT_MATMUL_THREADS = 128 * (MLOPT_MATMUL_CONSUMERS + 1),
};

/// `{family = "matmul", band = 16, stages = 4, tile = [128, 256, 64]}`; what is
/// 1 or false by default is left out where it is.
typedef struct MloptMatmulSchedule {
  int64_t tile[3]; ///< of m, n, k
  int64_t stages;  ///< of the ring
  int64_t band;    ///< rows of tiles that are walked column by column
  int64_t cluster; ///< blocks, one below the other, that share tiles of B
  int64_t splits;  ///< blocks that share a tile's k; they are a cluster, too
  bool alternate;  ///< each consumer computes tiles of its own
  bool tail;       ///< blocks share the tiles of a last round that is not full
} MloptMatmulSchedule;

/// Where each part of the shared block starts.
typedef struct MloptMatmulShared {
  int64_t aBytes, bBytes;     ///< of a stage
  int64_t storeBytes;         ///< of a block that is stored at once
  int64_t a, b, store, rings; ///< offsets
  int64_t total;
} MloptMatmulShared;

enum { MLOPT_MATMUL_STORE_SLOTS = 2 }; ///< of each consumer

/// The tiles of a last round that is not full, and who computes them: each of
/// the last `tiles` blocks the first steps of one, each of the `helpers` before
/// them the others of up to `each` of these tiles.
typedef struct MloptMatmulTail {
  int64_t blocks, rounds; ///< full ones, before the tail
  int64_t tiles, helpers, each;
  int64_t firstSteps; ///< the owner's, of a tile
} MloptMatmulTail;

MloptMatmulShared mloptMatmulCarve(const MloptMatmulSchedule *);
/// Rows of A (0) or B (1) that TMA loads of a stage: no more than there are,
/// since for each row beyond them it would take as long as for one in memory. In
/// a stage those are whatever was there; of their sums none is stored, nor added
/// to others of its row.
int64_t mloptMatmulRowsOf(const MloptContractions *,
                          const MloptMatmulSchedule *, int factor);
/// The blocks of a cluster of the launch.
static inline int64_t mloptMatmulBlocks(const MloptMatmulSchedule *s) {
  return s->cluster * s->splits;
}
/// The rows of a tile that one consumer computes.
int64_t mloptMatmulConsumerRows(const MloptMatmulSchedule *);
/// Whether the producer's threads fill one factor's part of the stages, since
/// the program computes it (emit_matmul_fill.c).
static inline bool mloptMatmulFills(const MloptContraction *c) {
  return c->computes[0] || c->computes[1];
}
/// Whether consumers load A from its stages into registers, since the Tensor
/// Cores do not transpose it.
bool mloptMatmulLoadsA(const MloptContraction *);
/// Whether partial sums of one stage are added in f32 outside of the Tensor
/// Cores, whose own sums of 8-bit floats keep 14 bits: where the program does
/// not allow approximations.
bool mloptMatmulPromotes(const MloptContraction *);
/// Tiles along m and n, and of all batches, where one of m is that of a whole
/// cluster.
void mloptMatmulTiles(const MloptContraction *, const MloptMatmulSchedule *,
                      int64_t *outM, int64_t *outN, int64_t *outTotal);
/// Whether tiles leave out steps in which a factor is zero. Blocks that share a
/// tile, consumers that pass over each other's stages and stages that are
/// filled at once know their steps beforehand.
static inline bool mloptMatmulCanSkipZeros(const MloptContraction *c,
                                           const MloptMatmulSchedule *s) {
  return c->diagonal.isKnown && s->splits == 1 && !s->alternate && !s->tail;
}
/// The tiles of all contractions of a list.
int64_t mloptMatmulTotal(const MloptContractions *,
                         const MloptMatmulSchedule *);
/// The tail of a schedule that has one; of no tiles if it cannot.
MloptMatmulTail mloptMatmulTailOf(const MloptContraction *,
                                  const MloptMatmulSchedule *);
/// Stages of one tile.
int64_t mloptMatmulSteps(const MloptContraction *, const MloptMatmulSchedule *);
/// The columns of a tile that are one product's.
int64_t mloptMatmulProductColumns(const MloptContraction *,
                                  const MloptMatmulSchedule *);

// schedule_matmul_masked.c
/// Whether an output is matrices of the mask's size, with n along a row.
bool mloptIsMatricesOfMask(const MloptContraction *, const MloptOutput *,
                           const MloptMask *);
/// Whether a kernel can leave out the tiles that lie beyond a mask (mask.h), of
/// which there are some: its results are matrices of the mask's rows and
/// columns, and each block has several tiles.
bool mloptMatmulCanMask(const MloptContractions *, const MloptMatmulSchedule *,
                        const MloptMask *);
/// The tiles of a row of tiles that do not, and of all rows of a batch.
int64_t mloptMatmulRowInMask(const MloptContraction *,
                             const MloptMatmulSchedule *, const MloptMask *,
                             int64_t row);
int64_t mloptMatmulTilesInMask(const MloptContraction *,
                               const MloptMatmulSchedule *, const MloptMask *);

// schedule_matmul_launch.c
/// Whether TMA stores an output, in boxes of 64 rows of 128 bytes.
bool mloptMatmulStoresBoxes(const MloptContraction *, const MloptOutput *);
/// Whether threads store an output row by row from shared memory: one of rows
/// that TMA does not take, beside none that it does.
bool mloptMatmulStoresRows(const MloptContraction *, const MloptOutput *);
/// The columns of a box, or of a block that is stored by rows.
int64_t mloptMatmulStoreColumns(const MloptOutput *);
/// The dimensions of its map: the innermost of n, the innermost of m, others;
/// how many there are, 0 if TMA cannot store it.
intptr_t mloptMatmulBoxDigits(const MloptContraction *, const MloptOutput *,
                              MloptStoreDigit *out);
/// The columns that a consumer stores at once: a box of the narrowest output.
int64_t mloptMatmulBlockColumns(const MloptContraction *);
/// What TMA loads for the epilogue of a tile, in boxes like those of outputs:
/// residuals, into stages of the ring that come after those of the tile's
/// steps. Consumers that alternate have the time to load theirs.
typedef struct MloptMatmulResiduals {
  int64_t boxes;  ///< of a block of 64 rows of a consumer; 0: none is loaded
  int64_t blocks; ///< of each consumer that a stage holds
  int64_t stages; ///< of a tile
} MloptMatmulResiduals;
MloptMatmulResiduals mloptMatmulLoadsResiduals(const MloptContraction *,
                                               const MloptMatmulSchedule *);
/// The boxes of 64 rows of 128 bytes that a stage holds of A and of B for each
/// consumer.
void mloptMatmulStageBoxes(const MloptMatmulSchedule *, int64_t *outA,
                           int64_t *outB);
/// The blocks, of mloptMatmulBlockColumns of 64 rows each, that a consumer has
/// of a tile.
int64_t mloptMatmulConsumerBlocks(const MloptContraction *,
                                  const MloptMatmulSchedule *);
/// Whether a parameter of the kernel is a tensor map, of what this contraction
/// reads or stores.
bool mloptMatmulIsMap(const MloptContraction *, const MloptMatmulSchedule *,
                      intptr_t parameter);
/// And of any in a list.
bool mloptMatmulIsMapOfAny(const MloptContractions *,
                           const MloptMatmulSchedule *, intptr_t parameter);

/// The element type of a factor in the instruction; false if it takes none
/// such.
bool mloptMatmulFactor(const MloptMatrix *, MloptNvFactor *out);
/// How TMA calls the elements of a factor that has one.
const char *mloptMatmulMapType(const MloptMatrix *);

/// Whether TMA takes a factor that starts at this offset.
bool mloptMatmulReaches(const MloptMatrix *, int64_t offset);
/// The tensor map of a factor, in boxes of so many elements of so many rows;
/// and of an output or a residual, in boxes of columns of 64 rows.
MlirAttribute mloptMatmulMapOfFactor(MlirContext, const MloptMatrix *,
                                     int64_t offset, const int64_t box[2]);
MlirAttribute mloptMatmulMapOfOutput(MlirContext, const MloptContraction *,
                                     const MloptOutput *);

/// Whether a kernel can have this schedule; a diagnostic if not.
bool mloptVerifyMatmul(MlirOperation kernel, const MloptContractions *,
                       const MloptMatmulSchedule *);
/// The best tile by the cost model; false if the family does not take these
/// contractions.
bool mloptScheduleMatmul(const MloptContractions *, MloptMatmulSchedule *out);

/// Cycles of a product of 16-bit factors with the best tile, by the same model;
/// 0 if no tile is legal. Reads sizes, the run of k, and how the factors lie.
int64_t mloptMatmulCycles(const MloptContraction *);
/// And of a list of them, in one kernel.
int64_t mloptMatmulListCycles(const MloptContractions *);

/// The kernel's parameters that the program's inputs and constants are, which
/// no kernel writes: an attribute.
#define MLOPT_KERNEL_INPUTS "mlopt.inputs"

/// The kernel's attributes: its schedule, its size, its maps as parameters.
void mloptMatmulAnnotate(MlirOperation kernel, const MloptContractions *,
                         const MloptMatmulSchedule *);
/// Reads `mlopt.schedule`; false if the kernel has none of this family.
bool mloptReadMatmulSchedule(MlirOperation kernel, MloptMatmulSchedule *out);
/// The parameters that a kernel takes behind those of its program: with a tail,
/// where sums are sent through, f32 or i32 for each element of its tiles, and a
/// flag, i32, for each consumer's part of one, which is 0 when the kernel
/// starts. How many there are.
enum { MLOPT_MATMUL_MOST_SCRATCH = 2 };
intptr_t mloptMatmulScratch(MlirContext, const MloptContraction *,
                            const MloptMatmulSchedule *,
                            MlirType out[MLOPT_MATMUL_MOST_SCRATCH]);
/// Completes the launch: grid, block, shared memory, tensor maps.
void mloptMatmulLaunch(MlirContext, const MloptContractions *,
                       const MloptMatmulSchedule *, MloptLaunch *);

#endif // MLOPT_PASSES_SCHEDULE_MATMUL_H
