//===- schedule_both.c - Blocks that go down pieces of rows ---------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that reduce rows and, beside them, columns in pieces of rows
// (emit_both.c): which shapes suit them, and how many pieces there are, which
// fusion and mlopt-split-reductions ask; and the schedule. All three follow
// from the shape alone, so that they agree.
//
//===----------------------------------------------------------------------===//

#include "schedule_impl.h"
#include "target.h"

static const MloptTarget *const target = &mloptSm90;

static int64_t atMost(int64_t a, int64_t most) { return a < most ? a : most; }

int64_t mloptNearestDivisor(int64_t size, int64_t wanted, int64_t align) {
  for (int64_t off = 0; off < wanted; ++off)
    for (int sign = -1; sign <= 1; sign += 2) {
      int64_t n = wanted + sign * off;
      if (2 * n >= wanted && size % n == 0 && size / n % align == 0)
        return n;
    }
  return 0;
}

/// How a block goes down its piece of rows: lines of threads, each a row at a
/// time, of which a thread has `width` elements.
typedef struct Descent {
  int64_t width, line, lines;
} Descent;

enum { BLOCKS = 2 }; ///< of a multiprocessor

/// False where a block cannot hold a row and the sums of its columns.
static bool chooseDescent(int64_t columns, int64_t bytes, Descent *out) {
  enum {
    BLOCK = 512, ///< two of them on a multiprocessor load and add by turns:
                 ///< RMS norm backward, 16384 x 4096 bf16, takes 109 us so,
                 ///< 118 to 126 with 256 threads of either width
    WIDTH = 8,   ///< a vector of 16-bit floats
    SUMS = 128,  ///< bytes of a thread's registers
    LEAST = 64,  ///< columns, so that a line has a sector or two to read
  };
  out->width = columns <= BLOCK * WIDTH ? WIDTH : 2 * WIDTH;
  if (columns < LEAST || columns > BLOCK * out->width || columns % WIDTH ||
      out->width * bytes > SUMS)
    return false;
  int64_t line = mloptDivideUp(columns, out->width);
  out->line = 1;
  while (out->line < line && out->line < target->warp)
    out->line *= 2;
  if (line > target->warp)
    out->line = mloptDivideUp(line, target->warp) * target->warp;
  // The largest power of two that a block has room for.
  out->lines = mloptPowerFrom(BLOCK / out->line / 2 + 1);
  // What the lines have found meets in shared memory; a little is left for what
  // warps have found of rows.
  int64_t room = target->staticSharedBytes - target->staticSharedBytes / 8;
  while (out->lines > 1 && out->lines * columns * bytes > room)
    out->lines /= 2;
  return columns * bytes <= room;
}

MloptPieces mloptChoosePieces(int64_t rows, int64_t columns, int64_t bytes) {
  // Steps of a block down its piece; an eighth fewer pieces than wanted will
  // do.
  enum { STEPS = 4, EIGHTHS = 8 };
  Descent d;
  if (!chooseDescent(columns, bytes, &d))
    return (MloptPieces){0, 0, 0};
  int64_t steps = mloptDivideUp(rows, d.lines);
  int64_t wanted = atMost(BLOCKS * target->multiprocessors, steps / STEPS);
  if (2 * wanted < target->multiprocessors)
    return (MloptPieces){0, 0, 0};
  int64_t whole =
      rows % d.lines ? 0 : mloptNearestDivisor(rows / d.lines, wanted, 1);
  if (EIGHTHS * whole >= (EIGHTHS - 1) * wanted)
    return (MloptPieces){whole, rows / whole, 0};
  // A sum over one row is no reduction.
  int64_t length = d.lines * mloptDivideUp(steps, wanted);
  while (rows % length == 1)
    length += d.lines;
  return (MloptPieces){rows / length, length, rows % length};
}

/// The reductions of a kernel: of rows, of columns in pieces, and of columns in
/// the rows left over.
typedef struct Kinds {
  MloptReduction rows, pieces, rest;
  int64_t bytes; ///< of each column's results
} Kinds;

/// Adds a reduction to those of its kind, which are over the same space.
static bool addKind(MloptReduction *kind, const MloptReduction *r) {
  if (!kind->numLoops)
    *kind = *r;
  return kind->outer == r->outer && kind->middle == r->middle &&
         kind->inner == r->inner;
}

/// False when there are not rows and pieces, or others.
static bool findKinds(MlirBlock block, Kinds *out) {
  *out = (Kinds){.bytes = 0};
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    MloptReduction r;
    if (!mloptIsReduction(op))
      continue;
    if (!mloptDescribeReduction(op, &r) || !r.together)
      return false;
    bool isPieces = r.inner > 1 && addKind(&out->pieces, &r);
    if (!isPieces && !addKind(r.inner == 1 ? &out->rows : &out->rest, &r))
      return false;
    if (r.inner > 1 && mlirOperationGetNumResults(op) > 1)
      return false;
    out->bytes += isPieces ? mloptProgramBytes(mloptResultType(op, 0)) : 0;
  }
  const MloptReduction *rows = &out->rows, *pieces = &out->pieces;
  const MloptReduction *rest = &out->rest;
  bool hasRest = rest->numLoops > 0;
  return rows->numLoops && pieces->numLoops && rows->middle == pieces->inner &&
         (!hasRest || (rest->outer == 1 && rest->inner == pieces->inner &&
                       rest->middle < pieces->middle)) &&
         rows->outer ==
             pieces->outer * pieces->middle + (hasRest ? rest->middle : 0);
}

/// Whether every result is of rows or of the space, or what a piece of columns
/// gives.
static bool rootsFitBoth(const MloptProgram *p, int64_t rows, int64_t columns) {
  for (MlirOperation op = mlirBlockGetFirstOperation(p->block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!mloptIsNamed(op, "bufferization.materialize_in_destination"))
      continue;
    MlirValue root = mloptOperand(op, 0);
    MloptReduction r;
    bool isPiece = mlirValueIsAOpResult(root) &&
                   mloptIsReduction(mlirOpResultGetOwner(root)) &&
                   mloptDescribeReduction(mlirOpResultGetOwner(root), &r) &&
                   r.inner > 1;
    int64_t count = mloptNumElements(mlirValueGetType(root));
    if (!isPiece && count != rows && count != rows * columns)
      return false;
  }
  return true;
}

bool mloptChooseBoth(MloptProgram *p, MloptSchedule *out) {
  enum {
    MAX_CLONED = 4096, ///< copies of operations, as for other families
    FEW = 96, ///< bytes of a thread's sums and of what it loads ahead: beside
              ///< them, half a multiprocessor's registers do without spilling
  };
  Kinds kinds;
  Descent d;
  if (!findKinds(p->block, &kinds) ||
      !chooseDescent(kinds.rows.middle, kinds.bytes, &d) ||
      !rootsFitBoth(p, kinds.rows.outer, kinds.rows.middle))
    return false;
  const MloptReduction rows = kinds.rows;
  const int64_t blocks = kinds.pieces.outer + (kinds.rest.numLoops > 0);
  mloptCountReads(p, rows.outer * rows.middle);
  intptr_t inner = rows.numLoops - 1;
  while (rows.sizes[inner] == 1)
    --inner;
  int64_t lanes = mloptCommonPower(
      rows.sizes[inner],
      atMost(atMost(target->accessBytes / p->smallest, p->granule), d.width));
  int64_t vectors = mloptDivideUp(rows.middle, d.line * lanes);
  if (vectors * lanes * p->numScalars > MAX_CLONED || blocks > target->blocks)
    return false;
  int64_t held = d.width * (kinds.bytes + p->numLarge * p->smallest);
  *out = (MloptSchedule){.family = MLOPT_FAMILY_BOTH,
                         .blocks = blocks,
                         .threads = d.line * d.lines,
                         .lanes = lanes,
                         .vectors = vectors,
                         .line = d.line,
                         .cluster = 1,
                         .resident = held <= FEW ? BLOCKS : 0};
  return true;
}
