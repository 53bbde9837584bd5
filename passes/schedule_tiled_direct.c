//===- schedule_tiled_direct.c - Products with a short side, read once ----===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which products a kernel computes without shared memory, whose lanes load what
// they multiply (emit_tiled_direct.c), and in what tiles: one side has eight
// rows or fewer, and the other factor is read as fast as memory gives it.
//
//===----------------------------------------------------------------------===//

#include "schedule_tiled_impl.h"
#include "target.h"

bool mloptTiledIsDirect(const MloptTiledSchedule *s) { return !s->stages; }

enum { DIRECT_THREADS = 512 }; ///< of a multiprocessor, of 128 registers each

int64_t mloptTiledResident(const MloptTiledSchedule *s) {
  int64_t resident =
      mloptTiledIsDirect(s) ? DIRECT_THREADS / mloptTiledThreads(s) : 1;
  return resident > 1 ? resident : 1;
}

/// Whether the elements of the large factor are read once, other than those of
/// a convolution's input.
bool mloptTiledIsStreamed(const MloptProduct *p, MloptAxis axis) {
  const MloptAccess *access = &p->factors[axis == MLOPT_AXIS_N].source;
  return !access->isKnown ||
         p->axes[axis].size * p->axes[MLOPT_AXIS_K].size <=
             mloptNumElements(mlirValueGetType(access->tensor));
}

/// Of the fragments of a direct kernel; eight lanes have a line of memory.
enum { LANES = 8, DIRECT_COLUMNS = 8, DIRECT_ROWS = 8 };

int64_t mloptTiledLane(const MloptProduct *p) {
  return MLOPT_TILED_LANE_BYTES /
         mloptTiledBytesOf(p->factors[mloptTiledLongFactor(p)].read);
}

int64_t mloptTiledRunOfLane(const MloptProduct *p, int factor) {
  enum { WORD = 4, HALF = 2, MOST_BYTES = 32 };
  const MloptFactor *f = &p->factors[factor];
  int64_t bytes = mloptTiledBytesOf(f->read), lane = mloptTiledLane(p);
  int64_t most = lane < MLOPT_TILED_LANE_BYTES / bytes
                     ? lane
                     : MLOPT_TILED_LANE_BYTES / bytes;
  int64_t run = mloptRunAlong(p, &f->source, MLOPT_AXIS_K, most);
  if (lane * bytes > MOST_BYTES ||
      (run < most && !mloptRunsAlong(p, &f->source, MLOPT_AXIS_K)))
    return 0;
  if (run * bytes >= WORD)
    return run;
  return bytes == HALF && lane == LANES && !f->isComputed ? 1 : 0;
}

/// Whether the long factor comes as words that are shifted into place.
static bool isShifted(const MloptProduct *p) {
  return mloptTiledRunOfLane(p, mloptTiledLongFactor(p)) == 1;
}

/// Whether lanes can read both factors so, be it in several accesses.
static bool isReadable(const MloptProduct *p) {
  if (!mloptTiledUsesMma(p))
    return false;
  for (int i = 0; i < 2; ++i) {
    const MloptFactor *f = &p->factors[i];
    if (!f->source.isKnown || !mloptTiledRunOfLane(p, i) ||
        !mlirTypeEqual(f->element, mloptTiledStored(p, i)))
      return false;
  }
  return true;
}

static int64_t lineOf(const MloptProduct *p) {
  return LANES * mloptTiledLane(p);
}

/// Whether lanes read both factors in accesses of 16 bytes.
static bool isWhole(const MloptProduct *p) {
  for (int i = 0; i < 2; ++i)
    if (mloptTiledRunOfLane(p, i) * mloptTiledBytesOf(p->factors[i].read) <
        MLOPT_TILED_LANE_BYTES)
      return false;
  return true;
}

/// Words that a lane has of the long factor in so many lines of rows: those
/// that are carried to the next step, and those of one line's fragments if they
/// are others.
static int64_t wordsOf(const MloptProduct *p, int64_t lines, int64_t rows) {
  const MloptFactor *f = &p->factors[mloptTiledLongFactor(p)];
  int64_t words = lines * rows;
  if (f->isComputed)
    return words + rows / 4 * mloptTiledLane(p) / 2;
  // Seven for four where they are shifted.
  return isShifted(p) ? words + words * 3 / 4 : words;
}

/// What is legal of a direct kernel: whole fragments, lines, and registers.
bool mloptTiledIsDirectTile(const MloptProduct *p,
                            const MloptTiledSchedule *s) {
  enum { MOST_WORDS = 128, MOST_LINES = 4, MOST_THREADS = 1024 };
  int rows = mloptTiledLongFactor(p);
  if (!isReadable(p) || s->terms != 1 || s->groups < 1)
    return false;
  for (int i = 0; i < 2; ++i) {
    int64_t least = i == rows ? DIRECT_ROWS : DIRECT_COLUMNS;
    if (s->warp[i] < least || s->warp[i] % least || s->tile[i] < s->warp[i] ||
        s->tile[i] % s->warp[i])
      return false;
  }
  int64_t line = lineOf(p), lines = s->tile[2] / line / s->groups;
  int64_t words = wordsOf(p, lines, s->warp[rows]);
  // A lane has twice two fragments' sums, of which half are right.
  int64_t sums = 4 * s->warp[0] * s->warp[1] / mloptSm90.warp;
  return lines > 0 && lines <= MOST_LINES &&
         s->tile[2] == lines * line * s->groups && words + sums <= MOST_WORDS &&
         mloptTiledThreads(s) <= MOST_THREADS;
}

bool mloptTiledIsForRows(const MloptProduct *p) {
  enum { MOST_NARROW = 2, MOST_DEPTH = 512, MOST_SUMS = 6144 };
  int64_t m = p->axes[MLOPT_AXIS_M].size, n = p->axes[MLOPT_AXIS_N].size;
  int64_t narrow = m < n ? m : n;
  if (narrow == 1 && isReadable(p) && isShifted(p))
    return true;
  return !isWhole(p) &&
         (mloptTiledIsFew(p) || (narrow <= MOST_NARROW && m * n < MOST_SUMS &&
                                 p->axes[MLOPT_AXIS_K].size <= MOST_DEPTH));
}

/// A kernel that reads a side of up to eight beside the other factor, as fast
/// as memory gives that: warps of 16 rows, two lines deep, as many groups as
/// make enough of them. Measured from 1x1024x1024 to 8x14336x4096, and shifted
/// 2x4360x909.
bool mloptTiledChooseDirect(const MloptProduct *p, bool clusters,
                            MloptTiledSchedule *out) {
  enum { LEAST_OTHER = 512, ROWS = 16, LINES = 2 };
  enum { WARPS = 10, LEAST_WARPS = 4, LEAST_GROUPS = 2, MOST_GROUPS = 8 };
  int rows = mloptTiledLongFactor(p);
  int64_t m = p->axes[MLOPT_AXIS_M].size, n = p->axes[MLOPT_AXIS_N].size;
  int64_t k = p->axes[MLOPT_AXIS_K].size;
  if ((m < n ? m : n) > DIRECT_COLUMNS || (m < n ? n : m) < LEAST_OTHER ||
      p->isOrdered || !isReadable(p) || mloptTiledIsForRows(p) ||
      !mloptTiledIsStreamed(p, rows ? MLOPT_AXIS_N : MLOPT_AXIS_M))
    return false;
  // Shifted lines come one a step, to twice as many warps.
  int64_t share = isShifted(p) ? 2 : 1, depth = LINES / share * lineOf(p);
  int64_t most = MOST_GROUPS * share,
          warps = WARPS * MLOPT_TILED_PROCESSORS * share;
  if (k < depth)
    return false;
  MloptTiledSchedule s = {.groups = 1, .terms = 1, .splits = 1};
  s.tile[rows] = s.warp[rows] = ROWS;
  s.tile[!rows] = s.warp[!rows] = DIRECT_COLUMNS;
  int64_t tiles = mloptTiledCountTiles(p, &s);
  while (s.groups < most && s.groups * depth < k &&
         (s.groups < LEAST_GROUPS ||
          s.groups * tiles < (s.groups < MOST_GROUPS ? share : 1) * warps))
    s.groups *= 2;
  s.tile[2] = s.groups * depth;
  if (s.groups < LEAST_WARPS)
    s.tile[rows] *= LEAST_WARPS / s.groups;
  // Two blocks of eight warps for each multiprocessor.
  for (MloptTiledSchedule more = s; clusters && s.groups == most;) {
    more.splits *= 2;
    if (tiles * more.splits > 2 * MLOPT_TILED_PROCESSORS ||
        mloptTiledSplitFault(p, &more))
      break;
    s.splits = more.splits;
  }
  *out = s;
  return true;
}
