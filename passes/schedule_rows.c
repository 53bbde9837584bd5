//===- schedule_rows.c - Where rows are held ------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The schedule of reductions along the last dimensions (emit_rows.c): how many
// threads and blocks share a row, and whether registers hold it, shared memory,
// or nobody.
//
//===----------------------------------------------------------------------===//

#include "schedule_impl.h"

#include "affine.h"
#include "product_access.h"
#include "target.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"

static const MloptTarget *const target = &mloptSm90;

/// Elements that a thread holds of each operand.
enum { HELD = 32 };

int64_t mloptRowsTurnVectors(const MloptSchedule *s) {
  return s->turn ? s->turn : MLOPT_ROWS_MAX_TURN;
}

int64_t mloptRowsTurnElements(const MloptSchedule *s) {
  return s->line * s->lanes * mloptRowsTurnVectors(s);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Whether a generic reads an operand in the order of its loops, those of one
/// turn aside.
static bool readsRows(MlirOperation generic, intptr_t operand) {
  MlirAffineMap map = mloptIndexingMap(generic, operand);
  intptr_t count = mlirAffineMapGetNumResults(map), next = 0;
  for (intptr_t loop = 0; loop < mlirAffineMapGetNumDims(map); ++loop) {
    MlirAffineExpr index = {NULL};
    if (next < count)
      index = mlirAffineMapGetResult(map, next);
    if (!mlirAffineExprIsNull(index) && mlirAffineExprIsADim(index) &&
        mlirAffineDimExprGetPosition(index) == loop)
      ++next;
    else if (mloptLoopSize(generic, loop) != 1)
      return false;
  }
  return next == count;
}

/// Whether an operation reads the value row by row, element by element.
static bool isReadInOrder(MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if ((mloptIsNamed(op, "tensor.collapse_shape") ||
         mloptIsNamed(op, "tensor.expand_shape")) &&
        isReadInOrder(mloptResult(op, 0)))
      return true;
    if (mloptIsNamed(op, "linalg.generic") &&
        readsRows(op, mlirOpOperandGetOperandNumber(use)))
      return true;
  }
  return false;
}

intptr_t mloptFindStaged(MlirBlock program, int64_t elements, MlirValue *out) {
  intptr_t count = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(program);
       !mlirOperationIsNull(op) && count < MLOPT_MAX_STAGED;
       op = mlirOperationGetNextInBlock(op)) {
    if (!mloptIsNamed(op, "builtin.unrealized_conversion_cast"))
      continue;
    MlirType type = mloptResultType(op, 0);
    if (mlirTypeIsARankedTensor(type) && mloptNumElements(type) == elements &&
        mloptElementWidth(mloptElementType(type)) >= 8 &&
        isReadInOrder(mloptResult(op, 0)))
      out[count++] = mloptResult(op, 0);
  }
  return count;
}

//===----------------------------------------------------------------------===//
// In shared memory
//===----------------------------------------------------------------------===//

static int64_t within(int64_t a, int64_t least, int64_t most) {
  return a < least ? least : a < most ? a : most;
}

/// Blocks of so many threads that registers allow, which each quarter of a
/// multiprocessor deals out to its warps.
static int64_t blocksOf(int64_t threads, int64_t registers) {
  enum { QUARTERS = 4 };
  int64_t warps = target->registers / (registers * target->warp * QUARTERS);
  return warps * QUARTERS / mloptDivideUp(threads, target->warp);
}

/// The operands that can be staged: how many, bytes of a row of all, 0 where
/// there are none, and the largest power of two that divides those of each.
typedef struct Staged {
  int64_t count, bytes, power;
} Staged;

static Staged findStaged(const MloptProgram *p) {
  const MloptReduction *r = &p->reduction;
  MlirValue operands[MLOPT_MAX_STAGED];
  intptr_t n = mloptFindStaged(p->block, r->outer * r->middle, operands);
  Staged s = {n, 0, target->accessBytes * target->portableCluster};
  for (intptr_t i = 0; i < n; ++i) {
    int64_t row = r->middle * mloptProgramBytes(mlirValueGetType(operands[i]));
    s.bytes += row;
    s.power = mloptCommonPower(row, s.power);
  }
  return s;
}

/// Chooses for rows that are read more than once: blocks that keep them in
/// shared memory. False where no operand can be there.
static bool stageRow(const MloptProgram *p, int64_t lanes, MloptSchedule *out) {
  // Three blocks on a multiprocessor load, compute and store by turns; a row
  // that is too long for that goes to a cluster, if there are enough rows to
  // fill the GPU. Registers for a turn of 32 elements, without spilling.
  enum { BLOCKS = 3, THREADS = 1024, LEAST_THREADS = 256 };
  enum { REGISTERS = 48 };
  enum { BARRIERS = 16, RESERVED = 1024 };
  const int64_t rows = p->reduction.outer, warp = target->warp;
  const Staged staged = findStaged(p);
  int64_t bytes = staged.bytes, vectors = p->reduction.middle / lanes;
  int64_t room = target->sharedBytes - RESERVED;
  // Bulk copies are of whole accesses.
  if (!bytes || staged.power < target->accessBytes)
    return false;
  MloptSchedule s = {.family = MLOPT_FAMILY_ROWS, .lanes = lanes, .cluster = 1};
  while (rows > target->multiprocessors && bytes > room / BLOCKS &&
         s.cluster < target->portableCluster && vectors % 2 == 0 &&
         staged.power >= 2 * s.cluster * target->accessBytes) {
    s.cluster *= 2;
    bytes /= 2;
    vectors /= 2;
  }
  s.blocks = rows * s.cluster;
  int64_t beside = within(mloptDivideUp(s.blocks, target->multiprocessors), 1,
                          within(room / bytes, 1, BLOCKS + 1));
  int64_t most = within(THREADS / beside / warp * warp, LEAST_THREADS, THREADS);
  s.turn = most == THREADS ? 2 : MLOPT_ROWS_MAX_TURN;
  int64_t turns = mloptDivideUp(vectors, most * s.turn);
  s.threads = s.line =
      mloptDivideUp(mloptDivideUp(vectors, turns * s.turn), warp) * warp;
  int64_t each = mloptDivideUp(bytes * s.threads * s.turn, vectors) + BARRIERS;
  s.staged = within(turns, 0, room / each);
  if (!s.staged)
    return false;
  s.shared = s.staged * each;
  bool holds = turns == 1 && s.staged == 1 && mloptWantsTerms(p->block);
  s.resident =
      within(blocksOf(s.threads, holds ? MLOPT_ROWS_TERM_REGISTERS : REGISTERS),
             1, within(room / s.shared, 1, target->threads / warp));
  *out = s;
  // The rest is read again for each reduction, from the L2 if it is little.
  return 4 * s.staged >= 3 * turns && s.blocks <= target->blocks;
}

//===----------------------------------------------------------------------===//
// In registers
//===----------------------------------------------------------------------===//

/// How many results have as many elements as the space.
static int64_t countWhole(const MloptProgram *p) {
  const MloptReduction *r = &p->reduction;
  int64_t count = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(p->block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (mloptIsNamed(op, "bufferization.materialize_in_destination") &&
        mloptNumElements(mloptOperandType(op, 0)) ==
            r->outer * r->middle * r->inner)
      ++count;
  return count;
}

/// Whether a row is reduced again with what a reduction has found, other than
/// by a sum that can be streamed.
static bool reducesInTurn(const MloptProgram *p) {
  MloptStreamed streamed;
  for (MlirOperation op = mlirBlockGetFirstOperation(p->block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!mloptIsReduction(op) || mloptDescribeStreamed(op, &streamed))
      continue;
    for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
      if (mloptReadsReduction(mloptOperand(op, i)))
        return true;
  }
  return false;
}

/// Whether every element of the space is needed once: no result of its size,
/// and no reduction, needs another reduction, but for a sum that can be
/// streamed.
static bool isStreamed(const MloptProgram *p) {
  return !countWhole(p) && !reducesInTurn(p);
}

static bool anyStream(const MloptProgram *p) {
  MloptStreamed streamed;
  for (MlirOperation op = mlirBlockGetFirstOperation(p->block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (mloptIsReduction(op) && mloptDescribeStreamed(op, &streamed))
      return true;
  return false;
}

/// The threads that share a row, in how many blocks, and the vectors that each
/// holds; 0 when the row is too long for that.
typedef struct RowLine {
  int64_t line, cluster, held;
} RowLine;

/// For rows of so many vectors, of which a thread may hold `most`. `streams`:
/// a row's elements are needed once, so nobody need hold them.
static RowLine chooseLine(int64_t rows, int64_t vectors, int64_t most,
                          bool clusters, bool streams) {
  // A block of more threads is alone on its multiprocessor, and loads and
  // stores by turns; blocks of so many are several there. Longer rows go to a
  // cluster of them.
  enum { LINE = 256, MOST_LINE = 512, MANY = 2048 };
  const int64_t warp = target->warp;
  RowLine l = {.cluster = 1};
  const int64_t mostBlocks = clusters ? target->portableCluster : 1;
  while (vectors > MOST_LINE * most && !streams && l.cluster < mostBlocks &&
         mloptDivideUp(vectors, l.cluster) > LINE * most)
    l.cluster *= 2;
  // Few rows: more blocks for each, while each thread still has a vector. Where
  // nothing but the result is stored, a block is done with two vectors for each
  // of the most threads before several have met.
  const int64_t least = streams ? 2 * target->threads : LINE / 2;
  while (l.cluster < mostBlocks &&
         2 * l.cluster * rows <= target->multiprocessors &&
         vectors / (2 * l.cluster) >= least)
    l.cluster *= 2;
  vectors = mloptDivideUp(vectors, l.cluster);
  // A warp needs no barrier, where there are enough of them.
  if (vectors <= warp * (rows < MANY ? mloptAtMost(most, 2) : most))
    l.line = mloptAtMost(mloptPowerFrom(vectors), warp);
  else if (vectors <= 2 * warp * mloptAtMost(most, 2))
    l.line = 2 * warp;
  else
    l.line = mloptDivideUp(mloptDivideUp(vectors, most), warp) * warp;
  if (l.cluster > 1)
    l.line = mloptAtLeast(l.line, warp);
  l.held = mloptDivideUp(vectors, l.line);
  if (l.line > MOST_LINE) {
    l.line = rows * l.cluster < 2 * target->multiprocessors ? target->threads
                                                            : MOST_LINE;
    l.held = 0;
  }
  return l;
}

/// Where all wait for each other more than once, twice as many threads of a
/// block hold half as much: layer norm of 16384 x 4096 bf16 takes 66.5 us with
/// 256 threads, 67.2 with 128.
static void spreadLine(RowLine *l) {
  enum { FEWER = 128 };
  if (l->line != FEWER || l->held % 2)
    return;
  l->line *= 2;
  l->held /= 2;
}

/// The threads that share a short row of narrow vectors: each thread has
/// several, of 16 bytes in all, so that enough is under way, and what shares a
/// row shares a warp. False for other rows.
static bool chooseShortLine(int64_t vectors, int64_t most, int64_t bytes,
                            RowLine *out) {
  enum { MOST_HELD = 16 };
  int64_t held = mloptAtMost(most, mloptDivideUp(target->accessBytes, bytes));
  most = mloptAtMost(most, MOST_HELD);
  if (held == 1 || vectors > target->warp * most)
    return false;
  out->cluster = 1;
  out->line =
      mloptAtMost(mloptPowerFrom(mloptDivideUp(vectors, held)), target->warp);
  out->held = mloptDivideUp(vectors, out->line);
  return true;
}

/// How many blocks there is room for where threads hold HELD elements of the
/// one tensor that is read: twice as many registers do without spilling, and
/// ptxas would take more. Softmax of 32768 x 1024 bf16 takes 35.2 us so, 45.2
/// with three quarters of the registers.
static int64_t residentBlocks(const MloptProgram *p, int64_t lanes,
                              const RowLine *l, int64_t threads) {
  const int64_t each = 2 * HELD;
  if (l->held * lanes != HELD || p->numRead != 1 || l->cluster > 1 ||
      threads < MLOPT_BLOCK_THREADS / 2)
    return 0;
  return mloptAtMost(target->registers / (each * threads),
                     target->residentThreads / threads);
}

/// How many blocks ahead one fetches operands into the L2. Where rows of
/// several operands and as many results are held, few blocks have registers,
/// and they load little while they reduce and store. Add and RMS norm of 16384
/// x 4096 bf16 take 127.6 us with 12 MB between, 128.8 with 8, 130.5 with 4,
/// 129.7 without. Rows that store less than they read lose 3 %, and those of
/// one operand gain back to back only.
static int64_t blocksAhead(const MloptProgram *p, const MloptSchedule *s) {
  enum { BETWEEN = 12 << 20, LEAST = 4 };
  const Staged staged = findStaged(p);
  if (staged.count < 2 || countWhole(p) < staged.count || !s->vectors ||
      s->cluster > 1 || staged.power < target->accessBytes)
    return 0;
  int64_t ahead = BETWEEN / (staged.bytes * (s->threads / s->line));
  return s->blocks >= LEAST * ahead ? ahead : 0;
}

/// Whether a row of so many vectors is better in shared memory than in the
/// registers of threads that hold `most` of them.
static bool isLong(const MloptProgram *p, int64_t vectors, int64_t most) {
  // Blocks of more threads are too few on a multiprocessor: while all wait for
  // each other, nothing is loaded. And where a sum can be streamed, its row's
  // elements need not be waited for together.
  enum { THREADS = 256, STREAM_THREADS = 192, MOST_THREADS = 512, MUCH = 32 };
  // From shared memory, what comes before a reduction is computed again.
  return vectors > MOST_THREADS * most ||
         (p->numScalars <= MUCH &&
          vectors > (anyStream(p) ? STREAM_THREADS : THREADS) * most);
}

/// Whether nothing is read along a row but tensors of the space's size, in
/// order, and vectors of a row's length. Those start anew with each row, and
/// not where a vector of the others does: their elements are loaded one by one.
static bool readsInOrder(const MloptProgram *p, bool *outHasVector) {
  const int64_t rows = p->reduction.outer, columns = p->reduction.middle;
  MlirValue operands[MLOPT_MAX_STAGED];
  intptr_t rest = mloptFindStaged(p->block, rows * columns, operands);
  *outHasVector = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(p->block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!mloptIsNamed(op, "builtin.unrealized_conversion_cast") ||
        !mlirTypeIsARankedTensor(mloptResultType(op, 0)))
      continue;
    int64_t count = mloptNumElements(mloptResultType(op, 0));
    bool isOfRows = count == 1 || (count == rows && rows != columns);
    bool isVector = !isOfRows && rows > 1 && count == columns;
    if (!isOfRows && !isVector && count != rows * columns)
      return false;
    *outHasVector |= isVector;
    rest -= !isOfRows && !isVector;
  }
  return rest == 0;
}

/// Chooses for rows that are no whole number of full vectors: their vectors lie
/// where accesses are aligned (emit_rows_shifted.c). False for rows that are
/// short or long, and where not all is read so.
static bool shiftRow(const MloptProgram *p, int64_t held, MloptSchedule *out) {
  enum { MOST_LINE = 512, WARPS = 4, WASTE = 5 };
  // Beside elements that are loaded one by one, shorter vectors take as long,
  // and rows of fewer elements none: a vector of 4096 products with 14337
  // elements each takes 38.6 us with vectors of 4, 50.9 with 8, 50 without, and
  // one of 10807 with 2007 each 18, 20.3 and 17.5.
  enum { LANES_BESIDE = 4, LEAST_BESIDE = 2048 };
  const int64_t rows = p->reduction.outer, columns = p->reduction.middle;
  const int64_t warp = target->warp;
  bool hasVector;
  if (!readsInOrder(p, &hasVector) || (hasVector && columns < LEAST_BESIDE))
    return false;
  const int64_t full = mloptFullVector(p);
  const int64_t lanes = hasVector ? mloptAtMost(full, LANES_BESIDE) : full;
  int64_t vectors = mloptDivideUp(columns + lanes - 1, lanes);
  int64_t most = mloptAtLeast(mloptAtMost(held / lanes, 8), 1);
  if (lanes == 1 || p->numScalars * held > MLOPT_MAX_CLONED)
    return false;
  // A warp takes one vector more than others, since it needs no barrier.
  int64_t line = vectors <= warp * (most + 1)
                     ? warp
                     : mloptDivideUp(mloptDivideUp(vectors, most), warp) * warp;
  int64_t slots = mloptDivideUp(vectors, line);
  if (line > MOST_LINE || WASTE * vectors < (WASTE - 1) * slots * line)
    return false;
  int64_t threads = line == warp ? WARPS * warp : line;
  int64_t blocks = mloptDivideUp(rows, threads / line);
  RowLine l = {.line = line, .held = slots, .cluster = 1};
  *out = (MloptSchedule){.family = MLOPT_FAMILY_ROWS,
                         .blocks = blocks,
                         .threads = threads,
                         .lanes = lanes,
                         .vectors = slots,
                         .line = line,
                         .cluster = 1,
                         .resident = residentBlocks(p, lanes, &l, threads)};
  return rows * line >= target->multiprocessors * target->residentThreads / 4 &&
         blocks <= target->blocks;
}

bool mloptChooseRows(MloptProgram *p, bool clusters, MloptSchedule *out) {
  const MloptReduction *r = &p->reduction;
  int64_t rows = r->outer, columns = r->middle;
  // One thread adds up so few, in order; windows of 3 x 3 and 4 x 4 too, where
  // nothing of their size makes it add them up again for each element.
  enum { FEW = 3, FEW_ALONE = 17 };
  bool isAlone = p->numReductions == 1 && mloptRootsFit(p, false);
  if (r->inner > 1 || columns < (isAlone ? FEW_ALONE : FEW) ||
      !mloptRootsFit(p, true))
    return false;
  mloptCountReads(p, rows * columns);
  int64_t lanes = mloptCommonPower(mloptInnerSize(r), mloptFullVector(p));
  int64_t vectors = columns / lanes; // of a row
  int64_t most = mloptAtLeast(mloptAtMost(HELD / lanes, 16) /
                                  mloptAtLeast((p->numLarge + 1) / 2, 1),
                              1);
  while (most > 1 && most * lanes * p->numScalars > MLOPT_MAX_CLONED)
    most /= 2;
  bool streams = isStreamed(p);
  if (clusters && !streams && rows > target->multiprocessors / 2 &&
      isLong(p, vectors, most) && stageRow(p, lanes, out))
    return true;
  if (lanes < mloptFullVector(p) &&
      shiftRow(p, HELD / mloptAtLeast((p->numLarge + 1) / 2, 1), out))
    return true;
  RowLine l;
  bool isShort = chooseShortLine(vectors, most, lanes * p->smallest, &l);
  if (!isShort)
    l = chooseLine(rows, vectors, most, clusters, streams);
  if (!isShort && l.cluster == 1 && reducesInTurn(p))
    spreadLine(&l);
  // Small blocks even out the end; but thousands take long to start.
  int64_t threads =
      l.line < target->warp || isShort ? MLOPT_BLOCK_THREADS : l.line;
  if (l.line == target->warp && l.cluster == 1 && !isShort)
    threads = 4 * target->warp;
  int64_t blocks = mloptDivideUp(rows, threads / l.line) * l.cluster;
  if (blocks > target->blocks)
    return false;
  *out = (MloptSchedule){.family = MLOPT_FAMILY_ROWS,
                         .blocks = blocks,
                         .threads = threads,
                         .lanes = lanes,
                         .vectors = l.held,
                         .line = l.line,
                         .cluster = l.cluster,
                         .resident = residentBlocks(p, lanes, &l, threads)};
  // The same chips have the instruction.
  if (clusters)
    out->ahead = blocksAhead(p, out);
  return true;
}
