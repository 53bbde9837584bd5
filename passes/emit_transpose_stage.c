//===- emit_transpose_stage.c - Operands in shared memory -----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where both sides are whole numbers of vectors, a thread makes words of as
// many rows as a word has elements, and stores them in the results' order, so
// that a vector is one access there too. Pieces of 16 bytes are swapped within
// 128, by the vector that the words came from, so that a warp meets all banks
// both ways:
//
//   row 0  | a0 a1 | a2 a3 | ..        a0 b0 | c0 d0 | ..   words of bf16
//   row 1  | b0 b1 | b2 b3 | ..   ->   a1 b1 | c1 d1 | ..
//
// Elsewhere, shared memory has the operand's order, in rows of an odd number of
// words, so that a warp that goes down a column meets all banks. A row that
// starts anywhere is staged from the vector on that its first element lies in,
// and its elements are `skew` behind their places.
//
//===----------------------------------------------------------------------===//

#include "emit_transpose_impl.h"

enum {
  WORD_BYTES = 4,
  PIECE_BYTES = 16, ///< of shared memory, which has
  PIECES = 8        ///< of them side by side
};

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Whether an operand's last dimensions are those of the tile.
static bool liesAlong(const MloptTranspose *t, const MloptTransposeOperand *s) {
  bool same = true;
  for (intptr_t i = 0; i < t->p.numDims; ++i)
    same &= s->dims[s->numDims - t->p.numDims + i] == t->p.dims[i];
  return same;
}

/// The least odd number of words that holds a row.
static int64_t pitchOf(const MloptTranspose *t, int64_t bytes) {
  int64_t perWord = bytes < WORD_BYTES ? WORD_BYTES / bytes : 1;
  int64_t length = mloptTransposeRowVectors(t) * t->p.lanes;
  return (mloptDivideUp(length, perWord) | 1) * perWord;
}

/// Rows that make words of an operand of so many bytes each; 0 where they do
/// not fill pieces.
static int64_t wordRowsOf(const MloptTranspose *t, int64_t bytes) {
  int64_t rows = bytes < WORD_BYTES ? WORD_BYTES / bytes : 1;
  bool fits =
      !mloptTransposeIsSkewed(&t->p) && !mloptTransposeIsSkewed(&t->q) &&
      t->p.length % (PIECES * t->p.lanes) == 0 &&
      t->q.length * bytes % (PIECES * PIECE_BYTES) == 0 &&
      t->q.lanes % rows == 0 &&
      mloptTransposeShare(t, t->p.length / t->p.lanes * t->q.length / rows) *
              rows <=
          MLOPT_TRANSPOSE_MAX_VECTORS;
  return fits ? rows : 0;
}

void mloptTransposeCollect(MloptTranspose *t) {
  int64_t bytes = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(t->kernel->program);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
      MloptTransposeOperand s = {.numDims = t->rank};
      if (mloptFindTransposed(op, i, t->rank, s.dims) < 0 || !liesAlong(t, &s))
        continue;
      s.tensor = mloptOperand(op, i);
      s.pointer = mloptPullFindPointer(t->pull, s.tensor);
      MlirType element = mloptElementType(mlirValueGetType(s.tensor));
      int64_t each = (mloptElementWidth(element) + 7) / 8;
      s.perWord = wordRowsOf(t, each);
      s.pitch = s.perWord ? t->p.length : pitchOf(t, each);
      int64_t more = mloptTransposeRows(t) * s.pitch * each;
      if (mlirValueIsNull(s.pointer) ||
          t->numStaged == MLOPT_TRANSPOSE_MAX_OPERANDS ||
          bytes + more > MLOPT_TRANSPOSE_BYTES)
        continue;
      bytes += more;
      s.array =
          mloptAddShared(t->kernel, element, mloptTransposeRows(t) * s.pitch);
      t->staged[t->numStaged++] = s;
    }
  }
}

/// Where the row of an operand begins in the tile, `at` holding the indices of
/// all dimensions across.
static MlirValue beginOfRow(MloptTranspose *t, const MloptTransposeOperand *s,
                            MlirValue *at) {
  MlirValue indices[MLOPT_MAX_RANK], unused = {NULL};
  mloptTransposePlace(t, &t->p, mloptPullIndex(t->pull, 0), at, &unused);
  for (intptr_t i = 0; i < s->numDims; ++i)
    indices[i] = at[s->dims[i]];
  return mloptPullLinearize(t->pull, mlirValueGetType(s->tensor), indices);
}

/// Elements from the vector's on that the row begins in up to the row.
static MlirValue skewOf(MloptTranspose *t, const MloptTransposeOperand *s,
                        MlirValue row) {
  MlirValue at[MLOPT_MAX_RANK], indices[MLOPT_MAX_RANK];
  memcpy(at, t->base, sizeof at);
  mloptPullDelinearize(t->pull, t->q.type,
                       mloptIndexAdd(t->pull, t->q.begin, row), indices);
  for (intptr_t i = 0; i < t->q.numDims; ++i)
    at[t->q.dims[i]] = indices[i];
  return mloptIndexRemInt(t->pull, beginOfRow(t, s, at), t->p.lanes);
}

/// Loads the words of a vector of memory: number `along / lanes` of the row's,
/// which may reach over the end of the tensor.
static void loadSkewed(MloptTranspose *t, const MloptTransposeOperand *s,
                       MlirValue *at, MlirValue along, MlirValue *outWords) {
  MlirType type = mlirValueGetType(s->tensor);
  MlirValue begin = beginOfRow(t, s, at);
  MlirValue skew = mloptIndexRemInt(t->pull, begin, t->p.lanes);
  MlirValue first =
      mloptIndexAdd(t->pull, mloptIndexSub(t->pull, begin, skew), along);
  MloptVector vector;
  mloptTileVectorAt(&t->tile, first, (int)t->p.lanes, &vector);
  vector.size = mloptNumElements(type);
  vector.isWhole = mloptBuildCmpI(
      t->b, "ule", first, mloptPullIndex(t->pull, vector.size - t->p.lanes));
  t->tile.vector = &vector;
  mloptTileLoadToEnd(&t->tile, s->pointer, type, outWords);
  t->tile.vector = NULL;
}

/// Loads the words of the thread's vector that lies `along` a row.
static void loadStaged(MloptTranspose *t, const MloptTransposeOperand *s,
                       MlirValue row, MlirValue along, MlirValue *outWords) {
  MlirValue at[MLOPT_MAX_RANK], indices[MLOPT_MAX_RANK], unused = {NULL};
  memcpy(at, t->base, sizeof at);
  mloptTransposePlace(t, &t->q, row, at, &unused);
  if (mloptTransposeIsSkewed(&t->p)) {
    loadSkewed(t, s, at, along, outWords);
    return;
  }
  mloptTransposePlace(t, &t->p, along, at, &unused);
  for (intptr_t i = 0; i < s->numDims; ++i)
    indices[i] = at[s->dims[i]];
  MlirType type = mlirValueGetType(s->tensor);
  mloptTileLoadWords(&t->tile, s->pointer, type,
                     mloptPullLinearize(t->pull, type, indices),
                     (int)t->p.lanes, outWords);
}

static void stageRows(MloptTranspose *t, const MloptTransposeOperand *s) {
  int64_t rows = mloptTransposeRows(t), each = mloptTransposeRowVectors(t),
          lanes = t->p.lanes;
  int64_t count = mloptTransposeShare(t, rows * each);
  int64_t numWords =
      mloptTileCountWords(mlirValueGetType(s->tensor), (int)lanes);
  MlirValue words[MLOPT_TRANSPOSE_MAX_VECTORS][MLOPT_MAX_LANES], row, along,
      unused;
  for (int64_t v = 0; v < count; ++v) {
    mloptTransposeVector(t, v, rows, each, lanes, each, &row, &along, &unused);
    loadStaged(t, s, row, along, words[v]);
  }
  for (int64_t v = 0; v < count; ++v) {
    mloptTransposeVector(t, v, rows, each, lanes, each, &row, &along, &unused);
    int64_t perWord = lanes / numWords;
    MlirValue first = mloptIndexAdd(
        t->pull, mloptIndexMulInt(t->pull, row, s->pitch / perWord),
        mloptIndexDivInt(t->pull, along, perWord));
    for (int64_t k = 0; k < numWords; ++k)
      mloptStoreShared(t->pull, s->array, words[v][k],
                       mloptIndexAddInt(t->pull, first, k));
  }
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// The thread's words `v`: they come from vectors at `along` of rows from one
/// on. A warp takes eight vectors side by side.
static void wordsOf(MloptTranspose *t, const MloptTransposeOperand *s,
                    int64_t v, MlirValue *row, MlirValue *along) {
  enum { ROWS = 4 };
  int64_t groups = t->p.length / t->p.lanes / PIECES;
  int64_t total = t->p.length / t->p.lanes * (t->q.length / s->perWord);
  int64_t threads = t->kernel->schedule.threads;
  MlirValue number = mloptIndexAddInt(t->pull, t->tid, v * threads);
  if ((v + 1) * threads > total)
    number = mloptBuildSelect(
        t->b,
        mloptBuildCmpI(t->b, "ult", number, mloptPullIndex(t->pull, total)),
        number, mloptPullIndex(t->pull, 0));
  MlirValue warp = mloptIndexDivInt(t->pull, number, PIECES * ROWS);
  MlirValue lane = mloptIndexRemInt(t->pull, number, PIECES * ROWS);
  MlirValue vector = mloptIndexAdd(
      t->pull,
      mloptIndexMulInt(t->pull, mloptIndexRemInt(t->pull, warp, groups),
                       PIECES),
      mloptIndexRemInt(t->pull, lane, PIECES));
  MlirValue rows = mloptIndexAdd(
      t->pull,
      mloptIndexMulInt(t->pull, mloptIndexDivInt(t->pull, warp, groups), ROWS),
      mloptIndexDivInt(t->pull, lane, PIECES));
  *along = mloptIndexMulInt(t->pull, vector, t->p.lanes);
  *row = mloptIndexMulInt(t->pull, rows, s->perWord);
}

/// Where the word of rows from `row` on lies in its line of shared memory, in
/// elements, that of elements `along` the operand.
static MlirValue placeOfWord(MloptTranspose *t, const MloptTransposeOperand *s,
                             MlirValue along, MlirValue row) {
  int64_t bytes =
      (mloptElementWidth(mloptElementType(mlirValueGetType(s->tensor))) + 7) /
      8;
  MlirValue vector = mloptIndexDivInt(t->pull, along, t->p.lanes);
  MlirValue swapped = mloptIndexMulInt(
      t->pull, mloptIndexRemInt(t->pull, vector, PIECES), PIECE_BYTES / bytes);
  return mloptBuildBinary(t->b, "arith.xori", row, swapped);
}

static void stageWords(MloptTranspose *t, const MloptTransposeOperand *s) {
  MlirValue words[MLOPT_TRANSPOSE_MAX_VECTORS][MLOPT_MAX_LANES], row, along;
  MlirType element = mloptElementType(mlirValueGetType(s->tensor));
  int64_t total = t->p.length / t->p.lanes * (t->q.length / s->perWord);
  int64_t count = mloptTransposeShare(t, total);
  for (int64_t v = 0; v < count; ++v) {
    wordsOf(t, s, v, &row, &along);
    for (int64_t r = 0; r < s->perWord; ++r)
      loadStaged(t, s, mloptIndexAddInt(t->pull, row, r), along,
                 words[v * s->perWord + r]);
  }
  for (int64_t v = 0; v < count && !t->b->failed; ++v) {
    wordsOf(t, s, v, &row, &along);
    MlirValue place = placeOfWord(t, s, along, row);
    MlirValue elements[WORD_BYTES][MLOPT_MAX_LANES];
    for (int64_t r = 0; r < s->perWord; ++r)
      mloptTileUnpack(&t->tile, element, (int)t->p.lanes,
                      words[v * s->perWord + r], elements[r]);
    for (int64_t k = 0; k < t->p.lanes; ++k) {
      MlirValue word[MLOPT_MAX_LANES];
      for (int64_t r = 0; r < s->perWord; ++r)
        word[r] = elements[r][k];
      MlirValue line = mloptIndexAddInt(t->pull, along, k);
      MloptVector at = {
          .count = (int)s->perWord,
          .position[0] = mloptIndexAdd(
              t->pull, mloptIndexMulInt(t->pull, line, t->q.length), place)};
      mloptTileStore(&t->tile, &at, s->array, word);
    }
  }
}

void mloptTransposeHold(MloptTranspose *t) {
  for (int i = 0; i < t->numStaged; ++i) {
    MloptTransposeOperand *s = &t->staged[i];
    MlirType type = mlirValueGetType(s->tensor);
    int64_t bytes = (mloptElementWidth(mloptElementType(type)) + 7) / 8;
    int64_t most = PIECE_BYTES / bytes;
    int64_t each = t->q.lanes < most ? t->q.lanes : most;
    MlirValue line = mloptIndexMulInt(t->pull, t->localP, t->q.length);
    for (int64_t k = 0; k < t->q.lanes && s->perWord; k += each) {
      MlirValue row = mloptIndexAddInt(t->pull, t->localQ, k);
      mloptTileLoadVector(
          &t->tile, s->array, type,
          mloptIndexAdd(t->pull, line, placeOfWord(t, s, t->localP, row)),
          (int)each, &s->held[k]);
    }
  }
}

void mloptTransposeStage(MloptTranspose *t) {
  for (int i = 0; i < t->numStaged; ++i)
    if (t->staged[i].perWord)
      stageWords(t, &t->staged[i]);
    else
      stageRows(t, &t->staged[i]);
  mloptBuildBarrier(t->b);
}

MlirValue mloptTransposeElement(MloptTranspose *t,
                                const MloptTransposeOperand *s) {
  if (s->perWord)
    return s->held[t->tile.lane];
  MlirValue row = mloptIndexAddInt(t->pull, t->localQ, t->tile.lane);
  MlirValue column = t->localP;
  if (mloptTransposeIsSkewed(&t->p))
    column = mloptIndexAdd(t->pull, column, skewOf(t, s, row));
  return mloptLoadShared(
      t->pull, s->array, mloptElementType(mlirValueGetType(s->tensor)),
      mloptIndexAdd(t->pull, mloptIndexMulInt(t->pull, row, s->pitch), column));
}
