//===- emit_both.c - Reductions of rows, and of columns beside them -------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block goes down a piece of the rows. Its lines of threads each hold a row
// at a time in registers, reduce it, compute its results, and add what each of
// its elements gives to the sums of the columns, which stay in registers too:
//
//   row 0   [ t0 t1 .. tN | t0 t1 .. tN ]   line 0        sums of the thread's
//   row 1   [ t0 t1 .. tN | t0 t1 .. tN ]   line 1        columns: s0 s1 ..
//   row 2   [ t0 t1 .. tN | t0 t1 .. tN ]   line 0 ...
//
//   sums of a thread -> shared memory -> those of all lines, in order -> the
//   piece's row of the result
//
// Another kernel adds up the pieces (mlopt-split-reductions). Every operand is
// read once, and a row ahead: while a line reduces one, the next is under way
// to its registers, and with it what other kernels have found of that row.
//
// The rows that fill no piece are the last block's, and their sums other
// results. Lines past the end of a piece take its last row again, which counts
// as neutral and is not stored.
//
//===----------------------------------------------------------------------===//

#include "emit_index.h"
#include "emit_pull_impl.h"
#include "emit_reduce.h"
#include "nv_build.h"
#include "target.h"

enum { MAX_HELD = 16, MAX_SUMS = 8, MAX_AHEAD = 8, MAX_OF_ROW = 4 };

typedef struct Both {
  MloptKernel *kernel;
  MloptPull *pull;
  MloptBuilder *b;
  MloptTile tile;
  int64_t rows, columns;
  int64_t pieces;   ///< whole ones
  int64_t length;   ///< rows of a piece
  int64_t rest;     ///< rows of the last block, where they are fewer; or 0
  bool mayEnd;      ///< whether a line may go past the end of a piece
  MlirValue tid;    ///< in the block
  MlirValue thread; ///< in its line
  MlirValue line;   ///< number
  MlirValue piece;
  MlirBlock body;     ///< of the loop over rows
  MlirValue end;      ///< rows of the block's piece
  MlirValue row;      ///< its number among all
  MlirValue down;     ///< and in the piece
  MlirValue rowValid; ///< null when it is always in the piece
  intptr_t numSums, numRests;
  MloptShared sums[MAX_SUMS];
  MloptShared rests[MAX_SUMS]; ///< the same sums over the rows left over
  MloptVector vectors[MAX_HELD];
  MlirValue valid[MAX_HELD]; ///< null when the vector is always in the row
  intptr_t numAhead;         ///< operands that are loaded a row ahead
  MlirValue ahead[MAX_AHEAD];
  int words[MAX_AHEAD]; ///< of a vector of each
  intptr_t numOfRow;    ///< operands of one element for each row, likewise
  MlirValue ofRow[MAX_OF_ROW];
} Both;

static MlirValue add(Both *s, MlirValue a, MlirValue b) {
  return mloptPullAdd(s->pull, a, b);
}
static MlirValue multiply(Both *s, MlirValue a, int64_t n) {
  return mloptPullMul(s->pull, a, n);
}

/// How many lines a block has.
static int64_t linesOf(const Both *s) {
  return s->kernel->schedule.threads / s->kernel->schedule.line;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static void describe(Both *s) {
  for (MlirOperation op = mlirBlockGetFirstOperation(s->kernel->program);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    MloptReduction r;
    if (!mloptIsReduction(op) || !mloptDescribeReduction(op, &r))
      continue;
    if (r.inner == 1) {
      s->rows = r.outer;
      s->columns = r.middle;
    } else if (!s->numSums || (s->pieces == r.outer && s->length == r.middle)) {
      s->pieces = r.outer;
      s->length = r.middle;
      s->sums[s->numSums++] = mloptOpenShared(op);
    } else {
      s->rest = r.middle;
      s->rests[s->numRests++] = mloptOpenShared(op);
    }
  }
  s->mayEnd = s->length % linesOf(s) || s->rest % linesOf(s);
}

static void findThread(Both *s) {
  MloptPull *p = s->pull;
  const int64_t line = s->kernel->schedule.line;
  s->piece = mloptReadRegister(s->b, "nvvm.read.ptx.sreg.ctaid.x");
  s->tid = s->thread = mloptReadRegister(s->b, "nvvm.read.ptx.sreg.tid.x");
  s->line = mloptPullIndex(p, 0);
  s->end = mloptPullIndex(p, s->length);
  if (s->rest)
    s->end = mloptBuildSelect(s->b, mloptIndexBelowInt(p, s->piece, s->pieces),
                              s->end, mloptPullIndex(p, s->rest));
  if (linesOf(s) == 1)
    return;
  s->thread = mloptIndexRemInt(p, s->tid, line);
  s->line = mloptIndexDivInt(p, s->tid, line);
}

/// A line's row of the piece, or the last one.
static MlirValue clampRow(Both *s, MlirValue down) {
  MlirValue last =
      mloptBuildBinary(s->b, "arith.subi", s->end, mloptPullIndex(s->pull, 1));
  return s->mayEnd ? mloptBuildBinary(s->b, "arith.minui", down, last) : down;
}

/// The row of the piece that the line has now. Its number is put together as
/// the maps of the sums have it, so that both are known to be the same.
static void findRow(Both *s, MlirValue step) {
  const MloptShared *sum = &s->sums[0];
  const MloptReduction *r = &sum->loops;
  MlirValue loops[2 * MLOPT_MAX_RANK + 1], indices[MLOPT_MAX_RANK];
  int64_t sizes[MLOPT_MAX_RANK];
  intptr_t rank = 0, last = r->reduced[r->numReduced - 1];
  s->down = add(s, step, s->line);
  if (s->mayEnd)
    s->rowValid = mloptBuildCmpI(s->b, "ult", s->down, s->end);
  s->down = clampRow(s, s->down);
  MlirValue kept = multiply(s, s->piece, s->columns);
  mloptPullBindSplit(s->pull, kept, s->piece, s->columns,
                     mloptPullIndex(s->pull, 0));
  mloptSharedLoops(s->pull, sum, kept, s->down, loops);
  for (intptr_t d = 0; d <= last; ++d) {
    sizes[rank] = r->sizes[d];
    indices[rank] = loops[d];
    // The cut dimension: which part of it, and where in there.
    if (d + 1 == r->reduced[0]) {
      sizes[rank] *= r->sizes[++d];
      indices[rank] = add(s, multiply(s, indices[rank], r->sizes[d]), loops[d]);
    }
    ++rank;
  }
  s->row = mloptPullLinearize(
      s->pull, mloptTensorType(rank, sizes, mlirF32TypeGet(s->b->context)),
      indices);
}

/// The column of the thread's vector, or 0 where that is past the row's end.
static MlirValue columnOf(Both *s, intptr_t v, MlirValue *outValid) {
  MloptPull *p = s->pull;
  const MloptSchedule *schedule = &s->kernel->schedule;
  const int64_t width = schedule->line * schedule->lanes;
  MlirValue column = add(s, multiply(s, s->thread, schedule->lanes),
                         mloptPullIndex(p, v * width));
  *outValid = (MlirValue){NULL};
  if ((v + 1) * width <= s->columns)
    return column;
  *outValid = mloptIndexBelowInt(p, column, s->columns);
  return mloptBuildSelect(s->b, *outValid, column, mloptPullIndex(p, 0));
}

/// The thread's vectors of the row.
static void openVectors(Both *s) {
  for (intptr_t v = 0; v < s->kernel->schedule.vectors; ++v) {
    MlirValue column = columnOf(s, v, &s->valid[v]);
    mloptTileVectorIn(&s->tile, s->row, s->columns, column,
                      (int)s->kernel->schedule.lanes, &s->vectors[v]);
  }
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// The operands of the space's size, and those of one element for each row,
/// whose next row is under way.
static void findAhead(Both *s) {
  const MloptSchedule *schedule = &s->kernel->schedule;
  intptr_t values = 0;
  for (intptr_t n = 0; n < s->numSums; ++n)
    values += schedule->vectors * schedule->lanes * s->sums[n].numResults;
  for (MlirOperation op = mlirBlockGetFirstOperation(s->kernel->program);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!mloptIsNamed(op, "builtin.unrealized_conversion_cast") ||
        !mlirTypeIsARankedTensor(mloptResultType(op, 0)))
      continue;
    int64_t elements = mloptNumElements(mloptResultType(op, 0));
    bool isOfRow = elements == s->rows && s->numOfRow < MAX_OF_ROW;
    bool isWhole = elements == s->rows * s->columns && s->numAhead < MAX_AHEAD;
    // At most a word for each element.
    intptr_t words = isOfRow ? 1 : schedule->vectors * schedule->lanes;
    if ((!isOfRow && !isWhole) || values + words > MLOPT_PULL_MAX_CARRIED)
      continue;
    values += words;
    if (isOfRow)
      s->ofRow[s->numOfRow++] = mloptResult(op, 0);
    else
      s->ahead[s->numAhead++] = mloptResult(op, 0);
  }
}

/// Loads what the thread has of a row of the piece, of those operands. Returns
/// the number of values.
static intptr_t loadAhead(Both *s, MlirValue down, MlirValue *out) {
  const MloptSchedule *schedule = &s->kernel->schedule;
  MlirValue row = add(s, multiply(s, s->piece, s->length), down);
  MlirValue begin = multiply(s, row, s->columns);
  intptr_t count = 0;
  for (intptr_t i = 0; i < s->numAhead; ++i)
    for (intptr_t v = 0; v < schedule->vectors; ++v) {
      MlirValue valid;
      MlirValue position = add(s, begin, columnOf(s, v, &valid));
      s->words[i] = mloptTileLoadWords(
          &s->tile, mloptPullFindPointer(s->pull, s->ahead[i]),
          mlirValueGetType(s->ahead[i]), position, (int)schedule->lanes,
          out + count);
      count += s->words[i];
    }
  for (intptr_t i = 0; i < s->numOfRow; ++i) {
    MlirType type = mlirValueGetType(s->ofRow[i]);
    MlirValue indices[MLOPT_MAX_RANK];
    mloptPullDelinearize(s->pull, type, row, indices);
    out[count++] = mloptPullLoad(
        s->pull, mloptPullFindPointer(s->pull, s->ofRow[i]), type, indices);
  }
  return count;
}

/// The open row's elements, from the words that were loaded before.
static void bindAhead(Both *s, const MlirValue *words) {
  const int lanes = (int)s->kernel->schedule.lanes;
  for (intptr_t i = 0; i < s->numAhead; ++i)
    for (intptr_t v = 0; v < s->kernel->schedule.vectors; ++v) {
      MlirType element = mloptElementType(mlirValueGetType(s->ahead[i]));
      MlirValue elements[MLOPT_MAX_LANES];
      mloptTileUnpack(&s->tile, element, lanes, words, elements);
      mloptTileBind(&s->tile, s->ahead[i], s->vectors[v].position[0], lanes,
                    elements);
      words += s->words[i];
    }
  for (intptr_t i = 0; i < s->numOfRow; ++i)
    mloptTileBind(&s->tile, s->ofRow[i], s->row, 1, &words[i]);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// The reduce hook: where all threads of the block pass, and for the open row.
static bool reduceRow(void *userData, MlirOperation op, const MlirValue *loops,
                      MlirValue *results) {
  Both *s = (Both *)((char *)userData - offsetof(Both, tile));
  if (!mlirBlockEqual(s->b->block, s->body) ||
      !mlirOperationIsNull(s->b->before))
    return false;
  MloptShared shared = mloptOpenShared(op);
  if (!mloptSharedIsAt(s->pull, &shared, s->row, loops))
    return false;
  const intptr_t lanes = s->kernel->schedule.lanes, n = shared.numResults;
  MlirValue partial[MLOPT_PULL_MAX_CARRIED * MLOPT_MAX_LANES];
  MlirValue elements[MLOPT_PULL_MAX_CARRIED], at[2 * MLOPT_MAX_RANK + 1];
  for (intptr_t v = 0; v < s->kernel->schedule.vectors; ++v) {
    s->tile.vector = &s->vectors[v];
    for (int k = 0; k < lanes; ++k) {
      s->tile.lane = k;
      mloptSharedLoops(s->pull, &shared, s->row, s->vectors[v].column[k], at);
      mloptSharedElements(s->pull, &shared, at, s->valid[v],
                          v ? elements : &partial[k * n]);
      if (v)
        mloptBuildStep(s->pull, &shared, &partial[k * n], elements);
    }
  }
  mloptBuildTree(s->pull, &shared, lanes, partial);
  mloptBuildLineReduce(s->kernel, &shared, s->tid, partial);
  mloptBuildFinal(s->pull, &shared, loops, partial, results);
  return true;
}

/// In the order of the program, so that each finds the ones it needs. Returns
/// how many there are.
static intptr_t reduceRows(Both *s) {
  intptr_t count = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(s->kernel->program);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    MloptReduction r;
    if (!mloptIsReduction(op) || !mloptDescribeReduction(op, &r) || r.inner > 1)
      continue;
    MlirValue result = mloptResult(op, 0), indices[MLOPT_MAX_RANK];
    mloptPullDelinearize(s->pull, mlirValueGetType(result), s->row, indices);
    mloptPullElement(s->pull, result, indices);
    ++count;
  }
  return count;
}

/// The sum that a root is a result of; NULL for a root of rows.
static const MloptShared *sumOf(const Both *s, const MloptRoot *root) {
  const MloptShared *found = NULL;
  for (intptr_t n = 0; n < s->numSums + s->numRests; ++n) {
    const MloptShared *sum =
        n < s->numSums ? &s->sums[n] : &s->rests[n - s->numSums];
    if (mlirValueIsAOpResult(root->value) &&
        mlirOperationEqual(mlirOpResultGetOwner(root->value), sum->op))
      found = sum;
  }
  return found;
}

static bool isWhole(const Both *s, const MloptRoot *root) {
  return !sumOf(s, root) && mloptNumElements(mlirValueGetType(root->value)) ==
                                s->rows * s->columns;
}

/// Results of the space's shape. One may lie where an operand does: read all,
/// then write.
static void storeWhole(Both *s) {
  MloptPull *p = s->pull;
  MlirValue elements[MLOPT_MAX_TILE_ROOTS][MAX_HELD][MLOPT_MAX_LANES];
  MloptKernel *k = s->kernel;
  for (intptr_t v = 0; v < k->schedule.vectors; ++v)
    for (intptr_t i = 0; i < k->numRoots; ++i)
      if (isWhole(s, &k->roots[i]))
        mloptTileEvaluate(&s->tile, &s->vectors[v], k->roots[i].value,
                          elements[i][v]);
  for (intptr_t v = 0; v < k->schedule.vectors; ++v) {
    MlirValue valid = mloptBothHold(p, s->rowValid, s->valid[v]);
    MloptPullScope scope = mloptPullBeginGuard(p, valid);
    for (intptr_t i = 0; i < k->numRoots; ++i)
      if (isWhole(s, &k->roots[i]))
        mloptTileStore(&s->tile, &s->vectors[v], k->roots[i].pointer,
                       elements[i][v]);
    mloptPullEndGuard(p, valid, scope);
  }
}

/// Results with one element for each row, by the line's first thread.
static void storeRows(Both *s) {
  MloptPull *p = s->pull;
  MloptKernel *k = s->kernel;
  MlirValue elements[MLOPT_MAX_TILE_ROOTS];
  MlirValue indices[MLOPT_MAX_TILE_ROOTS][MLOPT_MAX_RANK];
  s->tile.vector = NULL;
  for (intptr_t i = 0; i < k->numRoots; ++i) {
    MloptRoot *root = &k->roots[i];
    if (sumOf(s, root) || isWhole(s, root))
      continue;
    mloptPullDelinearize(p, mlirValueGetType(root->value), s->row, indices[i]);
    elements[i] = mloptPullElement(p, root->value, indices[i]);
  }
  MlirValue first =
      mloptBothHold(p, s->rowValid, mloptIndexBelowInt(p, s->thread, 1));
  MloptPullScope then = mloptPullBeginGuard(p, first);
  for (intptr_t i = 0; i < k->numRoots; ++i) {
    MloptRoot *root = &k->roots[i];
    if (!sumOf(s, root) && !isWhole(s, root))
      mloptPullStore(p, elements[i], root->pointer,
                     mlirValueGetType(root->value), indices[i]);
  }
  mloptPullEndGuard(p, first, then);
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

/// A sum as a value of this place, where LLVM would add at the end of the row
/// and hold what it adds till then.
static MlirValue addHere(Both *s, MlirValue sum) {
  MloptNv nv = {.b = s->b};
  MlirType type = mlirValueGetType(sum);
  return mlirTypeIsAF32(type)
             ? mloptNvPtx(&nv, "mov.b32 $0, $1;", "=f,f", 1, &sum, type)
             : sum;
}

/// Adds the row's elements to the running sums: those of each sum, vector by
/// vector, lane by lane. What vectors past the row's end add up, nobody reads.
static void accumulate(Both *s, MlirValue *values) {
  MloptPull *p = s->pull;
  const intptr_t lanes = s->kernel->schedule.lanes;
  for (intptr_t n = 0; n < s->numSums; ++n) {
    const MloptShared *sum = &s->sums[n];
    for (intptr_t v = 0; v < s->kernel->schedule.vectors; ++v) {
      s->tile.vector = &s->vectors[v];
      for (int k = 0; k < lanes; ++k, values += sum->numResults) {
        MlirValue elements[MLOPT_PULL_MAX_CARRIED];
        MlirValue loops[2 * MLOPT_MAX_RANK + 1];
        s->tile.lane = k;
        MlirValue column = s->vectors[v].column[k];
        MlirValue kept = add(s, multiply(s, s->piece, s->columns), column);
        mloptPullBindSplit(p, kept, s->piece, s->columns, column);
        mloptSharedLoops(p, sum, kept, s->down, loops);
        mloptSharedElements(p, sum, loops, s->rowValid, elements);
        mloptBuildStep(p, sum, values, elements);
        for (intptr_t i = 0; i < sum->numResults; ++i)
          values[i] = addHere(s, values[i]);
      }
    }
  }
}

/// The sums that the block starts with; how many values they are.
static intptr_t beginSums(Both *s, MlirValue *out) {
  const MloptSchedule *schedule = &s->kernel->schedule;
  intptr_t count = 0;
  for (intptr_t n = 0; n < s->numSums; ++n)
    for (intptr_t k = 0; k < schedule->vectors * schedule->lanes; ++k)
      for (intptr_t i = 0; i < s->sums[n].numResults; ++i)
        out[count++] = mloptBuildNeutral(s->pull, &s->sums[n], i);
  return count;
}

/// Stores what was found for the column of a piece as the result of a sum.
static void storeSum(Both *s, const MloptShared *sum, MlirValue piece,
                     MlirValue column, const MlirValue *found) {
  MlirValue result, loops[2 * MLOPT_MAX_RANK + 1];
  MlirValue kept = add(s, multiply(s, piece, s->columns), column);
  mloptPullBindSplit(s->pull, kept, piece, s->columns, column);
  mloptSharedLoops(s->pull, sum, kept, mloptPullIndex(s->pull, 0), loops);
  mloptBuildFinal(s->pull, sum, loops, found, &result);
  for (intptr_t i = 0; i < s->kernel->numRoots; ++i) {
    MloptRoot *root = &s->kernel->roots[i];
    MlirValue indices[MLOPT_MAX_RANK];
    if (sumOf(s, root) != sum)
      continue;
    MlirType tensor = mlirValueGetType(root->value);
    mloptPullDelinearize(s->pull, tensor, kept, indices);
    mloptPullStore(s->pull, result, root->pointer, tensor, indices);
  }
}

/// The same of sum `n`, of which what all lines have found is in an array.
static void storeColumn(Both *s, intptr_t n, MlirValue array, MlirType type,
                        MlirValue column) {
  MloptPull *p = s->pull;
  enum { MAX_LINES = 128 };
  MlirValue values[MAX_LINES];
  for (int64_t l = 0; l < linesOf(s); ++l)
    values[l] = mloptLoadShared(
        p, array, type, add(s, column, mloptPullIndex(p, l * s->columns)));
  mloptBuildTree(p, &s->sums[n], linesOf(s), values);
  if (!s->rest) {
    storeSum(s, &s->sums[n], s->piece, column, values);
    return;
  }
  MlirValue isPiece = mloptIndexBelowInt(p, s->piece, s->pieces);
  MloptPullScope then = mloptPullBeginBranch(p);
  storeSum(s, &s->sums[n], s->piece, column, values);
  mloptPullEndBranch(p, &then, 0, NULL);
  MloptPullScope otherwise = mloptPullBeginBranch(p);
  storeSum(s, &s->rests[n], mloptPullIndex(p, 0), column, values);
  mloptPullEndBranch(p, &otherwise, 0, NULL);
  mloptPullBuildIf(p, isPiece, then, otherwise, 0, NULL, NULL);
}

/// Adds up what the lines have found of sum `n` and stores it, one thread for a
/// column.
static void finishSum(Both *s, intptr_t n, const MlirValue *own) {
  MloptPull *p = s->pull;
  const MloptSchedule *schedule = &s->kernel->schedule;
  MlirType type = mlirValueGetType(own[0]);
  MlirValue array = mloptAddShared(s->kernel, type, linesOf(s) * s->columns);
  MlirValue begin = multiply(s, s->line, s->columns);
  MlirValue first = multiply(s, s->thread, schedule->lanes);
  for (intptr_t v = 0; v < schedule->vectors; ++v) {
    int64_t at = v * schedule->line * schedule->lanes;
    MlirValue column = add(s, first, mloptPullIndex(p, at));
    MlirValue valid = {NULL};
    if (at + schedule->line * schedule->lanes > s->columns)
      valid = mloptIndexBelowInt(p, column, s->columns);
    MloptPullScope then = mloptPullBeginGuard(p, valid);
    for (int64_t k = 0; k < schedule->lanes; ++k)
      mloptStoreShared(p, array, own[v * schedule->lanes + k],
                       add(s, add(s, begin, column), mloptPullIndex(p, k)));
    mloptPullEndGuard(p, valid, then);
  }
  mloptBuildBarrier(s->b);
  for (int64_t at = 0; at < s->columns; at += schedule->threads) {
    MlirValue column = add(s, s->tid, mloptPullIndex(p, at));
    MlirValue valid = {NULL};
    if (at + schedule->threads > s->columns)
      valid = mloptIndexBelowInt(p, column, s->columns);
    MloptPullScope then = mloptPullBeginGuard(p, valid);
    storeColumn(s, n, array, type, column);
    mloptPullEndGuard(p, valid, then);
  }
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// Goes down the piece; `out` gets the thread's own sums.
static void goDown(Both *s, MlirValue *out) {
  MlirValue init[MLOPT_PULL_MAX_CARRIED], next[MLOPT_PULL_MAX_CARRIED];
  MlirValue ahead[MLOPT_PULL_MAX_CARRIED], step;
  const int64_t lines = linesOf(s);
  findAhead(s);
  intptr_t numSums = beginSums(s, init);
  intptr_t numWords = loadAhead(s, clampRow(s, s->line), init + numSums);
  intptr_t count = numSums + numWords;
  MloptPullScope scope = mloptPullBeginFor(s->pull, count, init, &step, next);
  s->body = s->b->block;
  mloptTileEnter(&s->tile);
  findRow(s, step);
  openVectors(s);
  // The last row is loaded twice, which nobody waits for.
  MlirValue following = add(s, step, mloptPullIndex(s->pull, lines));
  if (s->mayEnd)
    following = clampRow(s, add(s, following, s->line));
  else
    following =
        add(s,
            mloptBuildBinary(s->b, "arith.minui", following,
                             mloptBuildBinary(s->b, "arith.subi", s->end,
                                              mloptPullIndex(s->pull, lines))),
            s->line);
  loadAhead(s, following, ahead);
  bindAhead(s, next + numSums);
  // The sums as soon as what they add is known, with the reductions that this
  // needs: the fewest registers are held where warps wait for each other.
  accumulate(s, next);
  intptr_t numReduced = reduceRows(s);
  storeWhole(s);
  storeRows(s);
  // Where warps meet but once for a row, none may be a row ahead of another.
  if (numReduced < 2 && s->kernel->schedule.line > mloptSm90.warp)
    mloptBuildBarrier(s->b);
  memcpy(next + numSums, ahead, numWords * sizeof *ahead);
  mloptPullEndFor(s->pull, scope, mloptPullIndex(s->pull, 0), s->end,
                  mloptPullIndex(s->pull, lines), count, init, next, out);
  mloptTileEnter(&s->tile);
  s->tile.vector = NULL;
}

void mloptEmitBoth(MloptKernel *kernel) {
  Both s = {.kernel = kernel,
            .pull = kernel->pull,
            .b = mloptPullGetBuilder(kernel->pull),
            .tile = {.pull = kernel->pull}};
  MlirValue own[MLOPT_PULL_MAX_CARRIED];
  describe(&s);
  mloptPullSetHooks(s.pull, (MloptPullHooks){.load = mloptTileLoad,
                                             .insert = mloptTileInsert,
                                             .reduce = reduceRow,
                                             .userData = &s.tile});
  findThread(&s);
  goDown(&s, own);
  const MlirValue *sums = own;
  for (intptr_t n = 0; n < s.numSums; ++n) {
    finishSum(&s, n, sums);
    sums += kernel->schedule.vectors * kernel->schedule.lanes;
  }
  mloptPullSetHooks(s.pull, (MloptPullHooks){.load = NULL});
  mloptTileDestroy(&s.tile);
}
