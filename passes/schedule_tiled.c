//===- schedule_tiled.c - Tiles of any product ----------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a product to the tile it is computed in: the tables of legal tiles, the
// choice among them by what they cost (schedule_tiled_cost.c), of products with
// a short side or any other, and the check of a tile that a kernel asks for.
// The choice depends on sizes, types and layouts, and on whether the chip has
// clusters.
//
//===----------------------------------------------------------------------===//

#include "schedule_tiled_impl.h"

#include "target.h"

#include <inttypes.h>

//===----------------------------------------------------------------------===//
// Legal tiles
//===----------------------------------------------------------------------===//

/// For mma.sync; of elements of 8 bits, tiles are twice as deep. A warp of 64 x
/// 64 reads least of shared memory for each product; smaller ones make more
/// tiles. Two groups keep a multiprocessor busy that has one small tile.
static const MloptTiledSchedule mmaTiles[] = {
    {{128, 128, 32}, {64, 64}, 4, 1, 1, 1},
    {{128, 64, 32}, {64, 32}, 4, 1, 1, 1},
    {{64, 128, 32}, {32, 64}, 4, 1, 1, 1},
    {{64, 64, 32}, {32, 32}, 4, 1, 1, 1},
    {{64, 64, 64}, {32, 32}, 4, 2, 1, 1},
    {{64, 64, 128}, {32, 32}, 3, 2, 1, 1},
    {{64, 32, 64}, {32, 16}, 4, 2, 1, 1},
    {{32, 64, 64}, {16, 32}, 4, 2, 1, 1},
    {{32, 32, 64}, {16, 16}, 4, 2, 1, 1},
    {{64, 16, 128}, {16, 16}, 4, 2, 1, 1},
    {{16, 64, 128}, {16, 16}, 4, 2, 1, 1},
};

/// For mma.sync where m or n is so small that a kernel does little but stream
/// the other factor: many bytes under way on every multiprocessor, few rows of
/// the small factor to read beside them. In pairs, the second for when the
/// tiles of the first would be too few; those of wide n, then of wide m.
static const MloptTiledSchedule skinnyTiles[] = {
    {{16, 64, 128}, {16, 16}, 3, 2, 1, 1},
    {{16, 32, 256}, {16, 16}, 4, 4, 1, 1},
    {{64, 16, 128}, {16, 16}, 3, 2, 1, 1},
    {{32, 16, 256}, {16, 16}, 4, 4, 1, 1},
    {{32, 64, 128}, {16, 32}, 4, 2, 1, 1},
    {{32, 32, 256}, {16, 16}, 3, 2, 1, 1},
    {{64, 32, 128}, {32, 16}, 4, 2, 1, 1},
    {{32, 32, 256}, {16, 16}, 3, 2, 1, 1},
    {{64, 64, 128}, {32, 32}, 3, 2, 1, 1},
    {{64, 32, 128}, {32, 16}, 4, 2, 1, 1},
    {{64, 64, 128}, {32, 32}, 3, 2, 1, 1},
    {{32, 64, 128}, {16, 32}, 4, 2, 1, 1},
};
/// The same pairs for up to 16 where stages hold copies of 16-bit elements: few
/// warps, which meet in each step, and multiply as fast as memory gives. Two of
/// 16x32 took 31.7 us for 16x14336x4096, four 31.8, eight 32.1.
static const MloptTiledSchedule skinnyCopiedTiles[] = {
    {{16, 64, 128}, {16, 32}, 3, 1, 1, 1},
    {{16, 32, 256}, {16, 32}, 4, 4, 1, 1},
    {{64, 16, 128}, {32, 16}, 3, 1, 1, 1},
    {{32, 16, 256}, {32, 16}, 4, 4, 1, 1},
};
/// The same for up to 16 where the large factor runs along its own rows, of
/// which whole lines are read: those of wide n, then of wide m.
static const MloptTiledSchedule skinnyAcrossTiles[] = {
    {{16, 64, 128}, {16, 16}, 4, 2, 1, 1},
    {{64, 16, 128}, {16, 16}, 4, 2, 1, 1},
};
/// The same where the large factor is computed from elements of eight bits: as
/// many bytes of it under way.
static const MloptTiledSchedule skinnyByteTiles[] = {
    {{16, 64, 512}, {16, 32}, 2, 4, 1, 1},
    {{16, 32, 512}, {16, 32}, 3, 8, 1, 1},
    {{64, 16, 512}, {32, 16}, 2, 4, 1, 1},
    {{32, 16, 512}, {32, 16}, 3, 8, 1, 1},
    {{32, 64, 256}, {32, 32}, 2, 4, 1, 1},
    {{32, 32, 256}, {32, 16}, 4, 4, 1, 1},
    {{64, 32, 256}, {32, 32}, 2, 4, 1, 1},
    {{32, 32, 256}, {16, 32}, 4, 4, 1, 1},
    {{64, 64, 128}, {64, 32}, 4, 2, 1, 1},
    {{64, 32, 256}, {64, 16}, 3, 4, 1, 1},
    {{64, 64, 128}, {32, 64}, 4, 2, 1, 1},
    {{32, 64, 256}, {16, 64}, 3, 4, 1, 1},
};
/// The same for f32 in three terms.
static const MloptTiledSchedule skinnySplitTiles[] = {
    {{32, 64, 64}, {32, 32}, 4, 4, 3, 1}, {{32, 32, 128}, {32, 32}, 3, 8, 3, 1},
    {{64, 32, 64}, {32, 32}, 4, 4, 3, 1}, {{32, 32, 128}, {32, 32}, 3, 8, 3, 1},
    {{64, 64, 32}, {32, 32}, 4, 2, 3, 1}, {{64, 32, 64}, {32, 32}, 4, 4, 3, 1},
    {{64, 64, 32}, {32, 32}, 4, 2, 3, 1}, {{32, 64, 64}, {32, 32}, 4, 4, 3, 1},
};

/// For wider integers, one multiplication at a time: of a warp's 4 x 8 lanes,
/// each computes an eighth of its columns and a quarter of its rows.
static const MloptTiledSchedule i32Tiles[] = {
    {{128, 128, 16}, {32, 64}, 4, 1, 1, 1},
    {{64, 64, 16}, {32, 32}, 4, 1, 1, 1},
    {{32, 64, 16}, {16, 32}, 4, 1, 1, 1},
};
/// For f32 on mma.sync, six products of 16 bits for one of 32. A warp converts
/// its own part of the factors.
static const MloptTiledSchedule splitTiles[] = {
    {{128, 128, 16}, {64, 32}, 4, 1, 3, 1},
    {{128, 64, 16}, {64, 32}, 4, 1, 3, 1},
    {{64, 64, 16}, {32, 32}, 4, 1, 3, 1},
    {{32, 64, 16}, {32, 32}, 4, 1, 3, 1},
};
/// The same where the second factor has one term, three products for one: no
/// part of the first is converted by two warps.
static const MloptTiledSchedule oneTermTiles[] = {
    {{128, 128, 16}, {32, 64}, 4, 1, 3, 1},
    {{128, 64, 32}, {32, 64}, 3, 1, 3, 1},
    {{64, 64, 32}, {16, 64}, 4, 1, 3, 1},
    {{32, 64, 16}, {16, 64}, 4, 1, 3, 1},
};
/// For f64 on its own mma.sync.
static const MloptTiledSchedule f64Tiles[] = {
    {{64, 64, 8}, {32, 32}, 4, 1, 1, 1},
    {{32, 64, 8}, {16, 32}, 4, 1, 1, 1},
};
/// The same 16 deep, on sm_90. Two blocks of a multiprocessor, 128 threads
/// each, wait in turn. Warps of 32 x 64 are as large as registers hold, which
/// read less of shared memory than smaller ones for each product.
static const MloptTiledSchedule f64DeepTiles[] = {
    {{64, 128, 16}, {32, 64}, 4, 1, 1, 1},
    {{128, 64, 16}, {64, 32}, 4, 1, 1, 1},
    {{64, 64, 16}, {32, 32}, 4, 1, 1, 1},
    {{32, 64, 16}, {16, 32}, 4, 1, 1, 1},
};
static const MloptTiledSchedule i64Tiles[] = {
    {{64, 64, 16}, {32, 32}, 3, 1, 1, 1},
    {{32, 64, 16}, {16, 32}, 3, 1, 1, 1},
};

bool mloptTiledIsDeep(const MloptProduct *p, const MloptTiledSchedule *s) {
  return mlirTypeIsAF64(p->sum) && s->tile[2] == f64DeepTiles[0].tile[2];
}

int mloptTiledLongFactor(const MloptProduct *p) {
  return p->axes[MLOPT_AXIS_M].size >= p->axes[MLOPT_AXIS_N].size ? 0 : 1;
}

bool mloptTiledKeepsSource(const MloptProduct *p, const MloptTiledSchedule *s) {
  enum { LEAST_BYTES = 4, QUAD = 4 };
  int64_t depth = s->tile[2] / s->groups;
  bool areRead = !p->isOrdered && !mloptTiledIsDirect(s) &&
                 mloptTiledCoresOf(p) == MLOPT_TILED_HALVES &&
                 depth % (QUAD * mloptTiledLane(p)) == 0 &&
                 p->factors[0].isComputed != p->factors[1].isComputed;
  for (int i = 0; i < 2 && areRead; ++i) {
    const MloptFactor *f = &p->factors[i];
    int64_t least = LEAST_BYTES / mloptTiledBytesOf(f->read);
    areRead = mloptRunAlong(p, &f->source, MLOPT_AXIS_K,
                            MLOPT_TILED_LANE_BYTES) >= (least ? least : 1);
  }
  return areRead;
}

MlirType mloptTiledStaged(const MloptProduct *p, const MloptTiledSchedule *s,
                          int factor) {
  const MloptFactor *f = &p->factors[factor];
  return f->isComputed && mloptTiledKeepsSource(p, s)
             ? f->read
             : mloptTiledStored(p, factor);
}

int64_t mloptTiledThreads(const MloptTiledSchedule *s) {
  return s->tile[0] / s->warp[0] * (s->tile[1] / s->warp[1]) * s->groups *
         mloptSm90.warp;
}

int64_t mloptTiledFactorBytes(const MloptProduct *p,
                              const MloptTiledSchedule *s, int factor) {
  return s->tile[factor] * s->tile[2] *
         mloptTiledBytesOf(mloptTiledStaged(p, s, factor));
}

int64_t mloptTiledSharedBytes(const MloptProduct *p,
                              const MloptTiledSchedule *s) {
  int64_t stages = s->stages * (mloptTiledFactorBytes(p, s, 0) +
                                mloptTiledFactorBytes(p, s, 1));
  int64_t sums =
      s->groups * s->tile[0] * s->tile[1] * mloptTiledBytesOf(p->sum);
  return stages > sums ? stages : sums;
}

int64_t mloptTiledCountTiles(const MloptProduct *p,
                             const MloptTiledSchedule *s) {
  return mloptDivideUp(p->axes[MLOPT_AXIS_M].size, s->tile[0]) *
         mloptDivideUp(p->axes[MLOPT_AXIS_N].size, s->tile[1]) *
         p->axes[MLOPT_AXIS_BATCH].size;
}

int64_t mloptTiledCountSteps(const MloptProduct *p,
                             const MloptTiledSchedule *s) {
  return mloptDivideUp(p->axes[MLOPT_AXIS_K].size, s->tile[2]);
}

enum { MOST_SPLITS = 8 }; ///< blocks of a cluster on every chip that has them

/// What is wrong with the blocks that share a tile's k; NULL if nothing is.
const char *mloptTiledSplitFault(const MloptProduct *p,
                                 const MloptTiledSchedule *s) {
  if (s->splits == 1)
    return NULL;
  if (s->splits < 1 || s->splits > MOST_SPLITS || s->splits & (s->splits - 1))
    return "a cluster has 1, 2, 4 or 8 blocks";
  if (p->isOrdered)
    return "the sums of a strict product are one chain";
  if (mloptTiledCountSteps(p, s) < s->splits)
    return "a split of k is empty";
  return NULL;
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

/// A tile of the tables for this product.
static MloptTiledSchedule fit(const MloptProduct *p, MloptTiledSchedule s) {
  if (mloptTiledUsesMma(p) && mloptTiledBytesOf(mloptTiledStored(p, 0)) == 1)
    s.tile[2] *= 2;
  return s;
}

static const MloptTiledSchedule *tilesOf(const MloptProduct *p, bool clusters,
                                         int *outCount) {
  if (mloptTiledUsesMma(p)) {
    *outCount = MLOPT_COUNT(mmaTiles);
    return mmaTiles;
  }
  if (mlirTypeIsAF32(p->sum) && mloptTiledIsOneTerm(&p->factors[1])) {
    *outCount = MLOPT_COUNT(oneTermTiles);
    return oneTermTiles;
  }
  if (mlirTypeIsAF32(p->sum)) {
    *outCount = MLOPT_COUNT(splitTiles);
    return splitTiles;
  }
  if (mlirTypeIsAF64(p->sum)) {
    *outCount = clusters ? MLOPT_COUNT(f64DeepTiles) : MLOPT_COUNT(f64Tiles);
    return clusters ? f64DeepTiles : f64Tiles;
  }
  bool isWide = mloptTiledBytesOf(p->sum) == 8;
  *outCount = isWide ? MLOPT_COUNT(i64Tiles) : MLOPT_COUNT(i32Tiles);
  return isWide ? i64Tiles : i32Tiles;
}

static const MloptTiledSchedule *skinnyTilesOf(const MloptProduct *p,
                                               int *outCount) {
  *outCount = 0;
  const MloptFactor *large = &p->factors[mloptTiledLongFactor(p)];
  if (mloptTiledUsesMma(p) && large->isComputed &&
      mloptTiledBytesOf(large->read) == 1) {
    *outCount = MLOPT_COUNT(skinnyByteTiles);
    return skinnyByteTiles;
  }
  if (mloptTiledUsesMma(p)) {
    *outCount = MLOPT_COUNT(skinnyTiles);
    return skinnyTiles;
  }
  if (mlirTypeIsAF32(p->sum))
    *outCount = MLOPT_COUNT(skinnySplitTiles);
  return skinnySplitTiles;
}

/// Whether a multiprocessor has at most one block.
static bool isFew(const MloptProduct *p, const MloptTiledSchedule *s) {
  return mloptTiledCountTiles(p, s) * s->splits <= MLOPT_TILED_PROCESSORS;
}

/// Divides k among as many blocks as there are multiprocessors for all tiles.
static void splitSteps(const MloptProduct *p, MloptTiledSchedule *s) {
  MloptTiledSchedule more = *s;
  for (more.splits *= 2; isFew(p, &more) && !mloptTiledSplitFault(p, &more);
       more.splits *= 2)
    s->splits = more.splits;
}

/// Whether elements of the large factor, of 16 bits, lie side by side along its
/// own rows and not along k.
static bool runsAcross(const MloptProduct *p) {
  int large = mloptTiledLongFactor(p);
  const MloptAccess *access = &p->factors[large].access;
  MloptAxis axis = large ? MLOPT_AXIS_N : MLOPT_AXIS_M;
  return mloptTiledUsesMma(p) && access->isKnown &&
         mloptTiledBytesOf(mloptTiledStored(p, large)) == 2 &&
         mloptRunAlong(p, access, axis, 2) >
             mloptRunAlong(p, access, MLOPT_AXIS_K, 2);
}

/// Whether wgmma and TMA take both factors: elements of one type, or both
/// floats of 8 bits, of which 16 bytes lie side by side from multiples of that
/// on.
static bool isForWgmma(const MloptProduct *p) {
  enum { TMA_BYTES = 16 }; // of which strides are multiples
  MlirType a = p->factors[0].element, b = p->factors[1].element;
  bool areFloats = mloptIsFloatElement(a) && mloptIsFloatElement(b);
  if (!mloptTiledUsesMma(p) || areFloats != mlirTypeIsAF32(p->sum) ||
      (!mlirTypeEqual(a, b) &&
       !(mloptTiledBytesOf(a) == 1 && mloptTiledBytesOf(b) == 1)))
    return false;
  for (int i = 0; i < 2; ++i) {
    const MloptAccess *access = &p->factors[i].access;
    int64_t most = TMA_BYTES / mloptTiledBytesOf(p->factors[i].element);
    MloptAxis axis = i ? MLOPT_AXIS_N : MLOPT_AXIS_M;
    // What is computed is so in any place.
    if (access->isKnown &&
        mloptRunAlong(p, access, MLOPT_AXIS_K, most) < most &&
        mloptRunAlong(p, access, axis, most) < most)
      return false;
  }
  return true;
}

/// Whether both factors are copied to stages, 16 bytes of two-byte elements at
/// a time.
static bool areCopied(const MloptProduct *p) {
  return isForWgmma(p) && mloptTiledBytesOf(mloptTiledStored(p, 0)) == 2 &&
         !p->factors[0].isComputed && !p->factors[1].isComputed &&
         p->factors[0].access.isKnown && p->factors[1].access.isKnown;
}

/// The first pair that holds the small side; of that, the second where the
/// first would leave multiprocessors idle, and then a part of k for each block
/// if the chip has clusters. False if there is none.
static bool chooseSkinny(const MloptProduct *p, bool clusters,
                         MloptTiledSchedule *out) {
  int small = p->axes[MLOPT_AXIS_M].size < p->axes[MLOPT_AXIS_N].size ? 0 : 1;
  int64_t size = p->axes[small ? MLOPT_AXIS_N : MLOPT_AXIS_M].size;
  int count, i = 2 * small;
  const MloptTiledSchedule *tiles = skinnyTilesOf(p, &count);
  while (i < count && tiles[i].tile[small] < size)
    i += 4;
  if (i >= count)
    return false;
  bool second = mloptTiledCountTiles(p, &tiles[i]) <
                MLOPT_TILED_PROCESSORS - MLOPT_TILED_PROCESSORS / 8;
  bool isFirst = i < MLOPT_COUNT(skinnyCopiedTiles) && areCopied(p);
  if (runsAcross(p) && size <= skinnyAcrossTiles[small].tile[small])
    *out = fit(p, skinnyAcrossTiles[small]);
  else
    *out = fit(p, (isFirst ? skinnyCopiedTiles : tiles)[i + second]);
  if (clusters)
    splitSteps(p, out);
  return true;
}

bool mloptTiledIsSkinny(const MloptProduct *p) {
  MloptTiledSchedule schedule;
  if (mloptTiledChooseDirect(p, false, &schedule))
    return true;
  if (mloptTiledIsForRows(p))
    return false;
  enum { LEAST_OTHER = 1024, LEAST_DEPTH = 512, WGMMA_SIDE = 64 };
  enum { FILLING = 100 * 128 }; // columns of as many tiles of wgmma
  int64_t m = p->axes[MLOPT_AXIS_M].size, n = p->axes[MLOPT_AXIS_N].size;
  // Rows or columns that fill most of a tile of wgmma, too, or as much of many,
  // or less where it transposes what ldmatrix would.
  int64_t least = (m < n ? n : m) < FILLING ? WGMMA_SIDE / 2
                  : m < n && runsAcross(p)  ? WGMMA_SIDE / 32
                                            : WGMMA_SIDE / 4;
  bool computes = p->factors[0].isComputed || p->factors[1].isComputed;
  if (!computes && (m < n ? m : n) > least && isForWgmma(p))
    return false;
  // Heads of 64 fill a tile of wgmma, and their batch every multiprocessor.
  bool fills =
      m >= WGMMA_SIDE && n >= WGMMA_SIDE && p->axes[MLOPT_AXIS_BATCH].size > 1;
  return !p->isOrdered && !fills && (m < n ? n : m) >= LEAST_OTHER &&
         p->axes[MLOPT_AXIS_K].size >= LEAST_DEPTH &&
         mloptTiledIsStreamed(p, m < n ? MLOPT_AXIS_N : MLOPT_AXIS_M) &&
         chooseSkinny(p, false, &schedule);
}

static int64_t countSums(const MloptProduct *p) {
  return p->axes[MLOPT_AXIS_M].size * p->axes[MLOPT_AXIS_N].size *
         p->axes[MLOPT_AXIS_BATCH].size;
}

static int64_t narrowSide(const MloptProduct *p) {
  int64_t m = p->axes[MLOPT_AXIS_M].size, n = p->axes[MLOPT_AXIS_N].size;
  return m < n ? m : n;
}

enum { LEAST_SIDE = 8, LEAST_DEPTH = 8 };

bool mloptTiledIsFew(const MloptProduct *p) {
  enum { FEW_SUMS = 1024 };
  return narrowSide(p) < LEAST_SIDE && countSums(p) < FEW_SUMS;
}

/// Whether enough of the tiles is inside. A thread for each element, or a few
/// for each sum, do better where there are few.
static bool fillsTiles(const MloptProduct *p) {
  enum { MANY_SUMS = 6144, MANY_ELEMENTS = 1 << 20, LEAST = 2 };
  int64_t k = p->axes[MLOPT_AXIS_K].size, count = countSums(p);
  bool isMany = count >= MANY_SUMS && k >= LEAST_DEPTH;
  return narrowSide(p) >= (isMany ? LEAST : LEAST_SIDE) &&
         k >= (count >= MANY_ELEMENTS ? LEAST : LEAST_DEPTH);
}

/// The tile that the cost model finds best.
static bool chooseAny(const MloptProduct *p, bool clusters,
                      MloptTiledSchedule *out) {
  if (!fillsTiles(p))
    return false;
  enum { MOST_TILES = 1 << 30 };
  int count;
  const MloptTiledSchedule *tiles = tilesOf(p, clusters, &count);
  int64_t best = 0;
  for (int i = 0; i < count; ++i) {
    MloptTiledSchedule candidate = fit(p, tiles[i]);
    if (mloptTiledCountTiles(p, &candidate) > MOST_TILES ||
        (p->isOrdered && candidate.groups > 1))
      continue;
    for (; candidate.splits == 1 || (clusters && isFew(p, &candidate) &&
                                     !mloptTiledSplitFault(p, &candidate));
         candidate.splits *= 2) {
      int64_t cycles = mloptTiledCost(p, &candidate);
      if (best && cycles >= best)
        continue;
      best = cycles;
      *out = candidate;
    }
  }
  return best > 0;
}

bool mloptScheduleTiled(const MloptProduct *p, bool clusters,
                        MloptTiledSchedule *out) {
  return mloptTiledChooseDirect(p, clusters, out) ||
         (mloptTiledIsSkinny(p) ? chooseSkinny(p, clusters, out)
                                : chooseAny(p, clusters, out));
}

/// Whether a tile is one of the table.
static bool isListed(const MloptProduct *p, const MloptTiledSchedule *s,
                     const MloptTiledSchedule *tiles, int count) {
  for (int i = 0; i < count; ++i) {
    MloptTiledSchedule tile = fit(p, tiles[i]);
    tile.splits = s->splits;
    if (!memcmp(s, &tile, sizeof tile))
      return true;
  }
  return false;
}

/// Whether a tile is one for a product's element types.
static bool isLegal(const MloptProduct *p, bool clusters,
                    const MloptTiledSchedule *s) {
  int count;
  const MloptTiledSchedule *tiles = tilesOf(p, false, &count);
  if (isListed(p, s, tiles, count))
    return true;
  tiles = tilesOf(p, clusters, &count);
  if (isListed(p, s, tiles, count))
    return true;
  if (isListed(p, s, skinnyCopiedTiles, MLOPT_COUNT(skinnyCopiedTiles)) &&
      areCopied(p))
    return true;
  tiles = skinnyTilesOf(p, &count);
  return isListed(p, s, tiles, count);
}

bool mloptVerifyTiled(MlirOperation kernel, const MloptProduct *p,
                      bool clusters, const MloptTiledSchedule *s) {
  if (p->isOrdered && s->groups > 1) {
    mloptOpError(kernel,
                 "has an illegal schedule: %" PRId64
                 " groups would divide a sum that is strictly one chain",
                 s->groups);
    return false;
  }
  const char *fault = mloptTiledSplitFault(p, s);
  if (fault) {
    mloptOpError(kernel, "has an illegal schedule: %" PRId64 " splits: %s",
                 s->splits, fault);
    return false;
  }
  if (mloptTiledIsDirect(s) ? mloptTiledIsDirectTile(p, s)
                            : isLegal(p, clusters, s))
    return true;
  mloptOpError(kernel,
               "has an illegal schedule: tile %" PRId64 "x%" PRId64 "x%" PRId64
               " with warps of %" PRId64 "x%" PRId64 ", %" PRId64
               " stages and %" PRId64
               " groups is none for its element types and chip",
               s->tile[0], s->tile[1], s->tile[2], s->warp[0], s->warp[1],
               s->stages, s->groups);
  return false;
}

void mloptTiledLaunch(const MloptProduct *p, const MloptTiledSchedule *s,
                      MloptLaunch *launch) {
  launch->blocks = mloptTiledCountTiles(p, s) * s->splits;
  launch->threads = mloptTiledThreads(s);
  launch->sharedBytes = mloptTiledSharedBytes(p, s);
}
