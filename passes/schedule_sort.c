//===- schedule_sort.c - Sorts that threads share -------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "schedule_impl.h"

#include "target.h"

static const MloptTarget *const target = &mloptSm90;

enum {
  EACH = 8,           ///< rows of a thread, where a line has many
  MOST_EACH = 9,      ///< and where that leaves fewer threads without any
  MOST_THREADS = 512, ///< of a piece
  LEAST_THREADS = 32, ///< of a piece of many: two warps look for its parts
  PLACE_BYTES = 2,    ///< where a row has come from, in its piece
  SPARE_BYTES = 2048, ///< slots that stay empty lest threads meet in banks
};

static bool isRead(MlirBlock body, intptr_t argument) {
  return !mlirOpOperandIsNull(
      mlirValueGetFirstUse(mlirBlockGetArgument(body, argument)));
}

/// Bytes of a row in shared memory.
static int64_t rowBytes(MlirOperation sort) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(sort, 0));
  int64_t bytes = PLACE_BYTES;
  for (intptr_t i = 0, n = mlirOperationGetNumResults(sort); i < n; ++i)
    if (isRead(body, 2 * i) || isRead(body, 2 * i + 1))
      bytes += mloptProgramBytes(mloptOperandType(sort, i));
  return bytes;
}

static bool fits(MlirOperation sort, int64_t rows) {
  return rows * rowBytes(sort) * 33 / 32 + SPARE_BYTES <=
         target->staticSharedBytes;
}

int64_t mloptSortMostRows(MlirOperation sort) {
  int64_t threads = MOST_THREADS;
  while (threads > LEAST_THREADS && !fits(sort, threads * EACH))
    threads /= 2;
  return threads > LEAST_THREADS ? threads * EACH : 0;
}

static int64_t runOf(MlirOperation op, const char *name, int64_t otherwise) {
  MlirAttribute attr = mloptAttr(op, name);
  return mlirAttributeIsNull(attr) ? otherwise
                                   : mlirIntegerAttrGetValueInt(attr);
}

/// Reads a comparator that is one comparison of the two elements of an operand.
static void readOrder(MlirOperation sort, MloptSortRuns *out) {
  static const struct {
    const char *name;
    int64_t predicate; ///< of the operation's enumeration
    MloptOrder order;
    bool isDescending;
  } rows[] = {{"arith.cmpf", 2, MLOPT_ORDER_FLOATS, true},  // ogt
              {"arith.cmpf", 4, MLOPT_ORDER_FLOATS, false}, // olt
              {"arith.cmpi", 2, MLOPT_ORDER_KNOWN, false},  // slt
              {"arith.cmpi", 4, MLOPT_ORDER_KNOWN, true},   // sgt
              {"arith.cmpi", 6, MLOPT_ORDER_KNOWN, false},  // ult
              {"arith.cmpi", 8, MLOPT_ORDER_KNOWN, true}};  // ugt
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(sort, 0));
  MlirValue result = mloptOperand(mlirBlockGetTerminator(body), 0);
  if (!mlirAttributeIsNull(mloptAttr(sort, "weak_order")))
    out->order = MLOPT_ORDER_KNOWN;
  if (!mlirValueIsAOpResult(result))
    return;
  MlirOperation compare = mlirOpResultGetOwner(result);
  for (int i = 0; i < MLOPT_COUNT(rows); ++i)
    if (mloptIsNamed(compare, rows[i].name) &&
        mlirIntegerAttrGetValueInt(mloptAttr(compare, "predicate")) ==
            rows[i].predicate)
      for (intptr_t k = 0, n = mlirOperationGetNumOperands(sort); k < n; ++k)
        if (mlirValueEqual(mloptOperand(compare, 0),
                           mlirBlockGetArgument(body, 2 * k)) &&
            mlirValueEqual(mloptOperand(compare, 1),
                           mlirBlockGetArgument(body, 2 * k + 1))) {
          out->order = rows[i].order;
          out->isDescending = rows[i].isDescending;
          out->key = k;
        }
}

bool mloptReadSortRuns(MlirOperation sort, MloptSortRuns *out) {
  intptr_t n = mlirOperationGetNumOperands(sort);
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(sort, 0));
  MlirType type = mloptOperandType(sort, 0);
  int64_t most = mloptSortMostRows(sort);
  if (n > MLOPT_SORT_MAX_OPERANDS || mlirBlockIsNull(body) || !most ||
      !mlirAttributeIsNull(mloptAttr(sort, "counted")))
    return false;
  *out = (MloptSortRuns){.dim = runOf(sort, "dim", 0)};
  out->size = mloptDim(type, out->dim);
  out->from = runOf(sort, "from", 1);
  out->to = mloptAtMost(runOf(sort, "to", out->size), out->size);
  out->isMerge = out->to > most;
  bool isWhole = true;
  for (intptr_t i = 0; i < n; ++i) {
    out->isKey[i] = isRead(body, 2 * i) || isRead(body, 2 * i + 1);
    out->numKeys += out->isKey[i];
    // Two share a byte.
    isWhole &=
        mloptElementWidth(mloptElementType(mloptOperandType(sort, i))) != 4;
  }
  readOrder(sort, out);
  return isWhole && mloptNumElements(type) > 0 &&
         (!out->isMerge || (out->from >= most && out->to <= 2 * out->from));
}

/// Rows of a thread and threads of a piece that leave the fewest without a row.
static void sharePiece(int64_t rows, int64_t *outEach, int64_t *outThreads) {
  int64_t best = INT64_MAX;
  for (int64_t each = MOST_EACH; each > 0; --each) {
    int64_t threads = mloptPowerFrom(mloptDivideUp(rows, each));
    if (threads > MOST_THREADS || (threads > 1 && each < EACH / 2) ||
        threads * each >= best)
      continue;
    best = threads * each;
    *outEach = each;
    *outThreads = threads;
  }
}

bool mloptChooseSort(const MloptProgram *p, MloptSchedule *out) {
  MlirOperation sort = mloptFindOnly(p, "mlopt.sort");
  MloptSortRuns runs;
  if (mlirOperationIsNull(sort) || !mloptReadSortRuns(sort, &runs))
    return false;
  int64_t each = EACH, line = mloptSortMostRows(sort) / EACH;
  if (!runs.isMerge)
    sharePiece(runs.to, &each, &line);
  int64_t threads = mloptAtLeast(line, MLOPT_BLOCK_THREADS);
  while (threads > line && !fits(sort, threads * each))
    threads /= 2;
  int64_t length = runs.isMerge ? line * each : runs.to;
  int64_t lines = mloptNumElements(mloptOperandType(sort, 0)) / runs.size;
  int64_t blocks =
      mloptDivideUp(lines * mloptDivideUp(runs.size, length), threads / line);
  if (blocks > target->blocks || !fits(sort, threads * each))
    return false;
  *out = (MloptSchedule){.family = MLOPT_FAMILY_SORT,
                         .blocks = blocks,
                         .threads = threads,
                         .lanes = 1,
                         .vectors = each,
                         .line = line,
                         .cluster = 1};
  return true;
}
