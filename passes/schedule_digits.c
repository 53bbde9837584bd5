//===- schedule_digits.c - Rows that are counted, and placed --------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "schedule_impl.h"

#include "affine.h"
#include "target.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"

static const MloptTarget *const target = &mloptSm90;

enum {
  THREADS = 512,
  EACH = 16,      ///< rows of a thread that are sorted, at most
  COUNT_EACH = 8, ///< rows that it counts in a turn
  RESIDENT = 2,   ///< blocks of a multiprocessor
  WORD = 4,       ///< bytes of a register, and of a count
  ROW_WORDS = 32, ///< of a thread's rows, which its registers hold
  /// The same where a block has the multiprocessor alone: 16.7 million keys of
  /// 64 bits and numbers in 1901 us, not 2080 with half of the rows for each of
  /// two blocks.
  LONE_ROW_WORDS = 48,
};

static bool isOf(MlirBlock body, MlirValue value, const char *name,
                 MlirOperation *out) {
  if (!mlirValueIsAOpResult(value))
    return false;
  *out = mlirOpResultGetOwner(value);
  return mlirBlockEqual(mlirOperationGetBlock(*out), body) &&
         mloptIsNamed(*out, name);
}

static bool isOneUse(MlirValue value) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  return !mlirOpOperandIsNull(use) &&
         mlirOpOperandIsNull(mlirOpOperandGetNextUse(use));
}

/// Reads `number == loop`, the only place where the loop's number is used.
static bool readValue(MlirBlock body, MlirValue isOne, MloptCount *out) {
  enum { EQ = 0 };
  MlirOperation compare, cast, index;
  if (!isOf(body, isOne, "arith.cmpi", &compare) ||
      mlirIntegerAttrGetValueInt(mloptAttr(compare, "predicate")) != EQ)
    return false;
  for (intptr_t i = 0; i < 2; ++i) {
    if (!isOf(body, mloptOperand(compare, i), "arith.index_castui", &cast) ||
        !isOf(body, mloptOperand(cast, 0), "linalg.index", &index) ||
        !isOneUse(mloptResult(cast, 0)) || !isOneUse(mloptResult(index, 0)))
      continue;
    out->number = mloptOperand(compare, 1 - i);
    out->valueLoop = mlirIntegerAttrGetValueInt(mloptAttr(index, "dim"));
    return mlirTypeEqual(
        mlirValueGetType(out->number),
        mlirIntegerTypeGet(mlirTypeGetContext(mlirValueGetType(out->number)),
                           32));
  }
  return false;
}

/// Whether the loop of the values is read by nothing else.
static bool isLoopFree(MlirOperation generic, const MloptCount *count) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(generic, 0));
  intptr_t numIndices = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(body);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    numIndices +=
        mloptIsNamed(op, "linalg.index") &&
        mlirIntegerAttrGetValueInt(mloptAttr(op, "dim")) == count->valueLoop;
  MlirAttribute maps = mloptAttr(generic, "indexing_maps");
  bool isFree = numIndices == 1;
  for (intptr_t i = 0, n = mlirArrayAttrGetNumElements(maps); i + 1 < n; ++i) {
    MlirAffineMap map =
        mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, i));
    for (intptr_t r = 0; r < mlirAffineMapGetNumResults(map); ++r)
      isFree &= !mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(map, r),
                                               count->valueLoop);
  }
  return isFree;
}

bool mloptDescribeCount(MlirOperation generic, MloptCount *out) {
  MloptReduction loops;
  MloptCombiner combiner;
  MlirOperation one, both;
  *out = (MloptCount){.op = generic};
  if (!mloptIsReduction(generic) || mlirOperationGetNumResults(generic) != 1 ||
      !mloptDescribeReduction(generic, &loops) || loops.numReduced != 1 ||
      loops.reduced[0] != loops.numLoops - 1 ||
      !mloptDescribeCombiner(generic, 0, &combiner) ||
      !mloptIsNamed(combiner.op, "arith.addi"))
    return false;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(generic, 0));
  if (!isOf(body, mloptOperand(combiner.op, 1 - combiner.accumulator),
            "arith.extui", &one))
    return false;
  MlirValue isOne = mloptOperand(one, 0);
  bool found = readValue(body, isOne, out);
  if (!found && isOf(body, isOne, "arith.andi", &both))
    for (intptr_t i = 0; i < 2 && !found; ++i) {
      out->isRow = mloptOperand(both, 1 - i);
      found = readValue(body, mloptOperand(both, i), out);
    }
  out->numLoops = loops.numLoops;
  out->rowLoop = loops.reduced[0];
  out->rows = loops.sizes[out->rowLoop];
  if (!found || out->valueLoop == out->rowLoop || !isLoopFree(generic, out) ||
      mloptElementWidth(mloptElementType(mloptResultType(generic, 0))) != 32)
    return false;
  out->values = loops.sizes[out->valueLoop];
  return true;
}

bool mloptChooseCount(const MloptProgram *p, MloptSchedule *out) {
  MloptCount count;
  MlirOperation root = {NULL};
  for (MlirOperation op = mlirBlockGetFirstOperation(p->block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (mloptIsNamed(op, "bufferization.materialize_in_destination"))
      root = op;
  if (p->numRoots != 1 || p->numReductions != 1 ||
      !mlirValueIsAOpResult(mloptOperand(root, 0)) ||
      !mloptDescribeCount(mlirOpResultGetOwner(mloptOperand(root, 0)),
                          &count) ||
      count.values >= THREADS)
    return false;
  int64_t blocks = mloptNumElements(mloptOperandType(root, 0)) / count.values;
  if (!blocks || blocks > target->blocks)
    return false;
  *out = (MloptSchedule){
      .family = MLOPT_FAMILY_COUNT,
      .blocks = blocks,
      .threads = THREADS,
      .lanes = 1,
      .vectors = mloptAtMost(COUNT_EACH, mloptDivideUp(count.rows, THREADS)),
      .line = 1,
      .cluster = 1,
      .resident = RESIDENT};
  return true;
}

bool mloptReadCountedSort(MlirOperation sort, MloptCountedSort *out) {
  enum { ULT = 6 };
  MlirAttribute chunk = mloptAttr(sort, "counted");
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(sort, 0));
  intptr_t n = mlirOperationGetNumResults(sort);
  MlirOperation compare;
  if (mlirAttributeIsNull(chunk) || n > MLOPT_SORT_MAX_OPERANDS ||
      !isOf(body, mloptOperand(mlirBlockGetTerminator(body), 0), "arith.cmpi",
            &compare) ||
      mlirIntegerAttrGetValueInt(mloptAttr(compare, "predicate")) != ULT)
    return false;
  MlirType counts = mloptOperandType(sort, n);
  intptr_t rank = mloptRank(counts);
  *out =
      (MloptCountedSort){.dim = rank - 2,
                         .size = mloptDim(mloptOperandType(sort, 0), rank - 2),
                         .values = mloptDim(counts, rank - 2),
                         .chunk = mlirIntegerAttrGetValueInt(chunk),
                         .numChunks = mloptDim(counts, rank - 1)};
  MlirType number = mlirValueGetType(mloptOperand(compare, 0));
  bool isWhole = mlirTypeEqual(number, mloptElementType(counts));
  for (intptr_t i = 0; i < n; ++i) {
    for (intptr_t k = 0; k < 2; ++k)
      out->isKey[i] |= !mlirOpOperandIsNull(
          mlirValueGetFirstUse(mlirBlockGetArgument(body, 2 * i + k)));
    // Two share a byte.
    isWhole &=
        mloptElementWidth(mloptElementType(mloptOperandType(sort, i))) != 4;
  }
  return isWhole;
}

int64_t mloptCountedSortBytes(MlirOperation sort, const MloptCountedSort *s,
                              int64_t threads) {
  int64_t bytes = 0;
  for (intptr_t i = 0, n = mlirOperationGetNumResults(sort); i < n; ++i)
    bytes += mloptProgramBytes(mloptOperandType(sort, i));
  return (s->chunk + s->chunk / target->warp) * bytes +
         (threads / target->warp + 1) * s->values * WORD;
}

static int64_t wordsOf(MlirOperation sort) {
  int64_t words = 0;
  for (intptr_t i = 0, n = mlirOperationGetNumResults(sort); i < n; ++i)
    words += mloptDivideUp(mloptProgramBytes(mloptResultType(sort, i)), WORD);
  return words;
}

/// Whether threads sort as many rows as they can at most where a block has a
/// multiprocessor alone, and else not.
static bool isLone(int64_t words) {
  return words * EACH > ROW_WORDS && words * EACH <= LONE_ROW_WORDS;
}

int64_t mloptCountedSortRows(MlirOperation sort) {
  int64_t each = EACH, words = wordsOf(sort);
  int64_t most = isLone(words) ? LONE_ROW_WORDS : ROW_WORDS;
  int64_t blocks = (isLone(words) ? 1 : RESIDENT) * target->multiprocessors;
  int64_t rows = mloptNumElements(mloptResultType(sort, 0));
  while (each > 1 &&
         (words * each > most || rows < blocks * THREADS * each / 2))
    each /= 2;
  return THREADS * each;
}

bool mloptChooseCountedSort(const MloptProgram *p, MloptSchedule *out) {
  MlirOperation sort = mloptFindOnly(p, "mlopt.sort");
  MloptCountedSort s;
  if (mlirOperationIsNull(sort) || !mloptReadCountedSort(sort, &s) ||
      s.values > THREADS || s.chunk % THREADS || s.chunk > THREADS * EACH)
    return false;
  int64_t bytes = mloptCountedSortBytes(sort, &s, THREADS);
  int64_t blocks =
      mloptNumElements(mloptOperandType(sort, 0)) / s.size * s.numChunks;
  int64_t resident = isLone(wordsOf(sort)) ? 1 : RESIDENT;
  if (blocks > target->blocks || bytes > target->sharedBytes / resident)
    return false;
  *out = (MloptSchedule){.family = MLOPT_FAMILY_COUNTED_SORT,
                         .blocks = blocks,
                         .threads = THREADS,
                         .lanes = 1,
                         .vectors = s.chunk / THREADS,
                         .line = THREADS,
                         .cluster = 1,
                         .resident = resident,
                         .shared = bytes};
  return true;
}
