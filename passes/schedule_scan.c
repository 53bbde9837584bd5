//===- schedule_scan.c - Scans that threads share -------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which scans threads may share, and how: a line whose elements are neighbours
// in memory has a warp or more of its own, and of lines side by side a block
// takes as many as a warp has lanes. Chosen from sizes and types alone, so that
// the order in which elements are combined is fixed for a shape.
//
//===----------------------------------------------------------------------===//

#include "schedule_impl.h"

#include "target.h"

static const MloptTarget *const target = &mloptSm90;

bool mloptScanIsRows(MlirOperation scan) {
  MlirType type = mloptOperandType(scan, 0);
  int64_t inner = 1;
  for (int64_t i = mlirIntegerAttrGetValueInt(mloptAttr(scan, "dim")) + 1;
       i < mloptRank(type); ++i)
    inner *= mloptDim(type, i);
  return inner == 1;
}

bool mloptScanIsFree(MlirOperation scan, MloptCombiner *out) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(scan, 0));
  if (mlirOperationGetNumResults(scan) != 1 ||
      !mloptDescribeCombiner(scan, 0, out))
    return false;
  for (intptr_t i = 0; i < 2; ++i)
    if (!mlirValueEqual(mloptOperand(out->op, i),
                        mlirBlockGetArgument(body, i)))
      return false;
  // f16 and bf16 are scanned so only where someone asks for each rounding.
  MlirType type = mloptElementType(mloptOperandType(scan, 0));
  return !mloptIsFloatElement(type) || mloptElementWidth(type) >= 32;
}

bool mloptScanIsCut(MlirOperation scan, MlirType whole) {
  MlirType type = mloptOperandType(scan, 0);
  intptr_t rank = mloptRank(type);
  int64_t dim = mlirIntegerAttrGetValueInt(mloptAttr(scan, "dim"));
  if (mloptRank(whole) != rank - 1 || !dim)
    return false;
  for (intptr_t i = 0; i < rank - 1; ++i)
    if (i != dim - 1 &&
        mloptDim(whole, i) != mloptDim(type, i < dim ? i : i + 1))
      return false;
  int64_t size = mloptDim(whole, dim - 1);
  return size <= mloptDim(type, dim - 1) * mloptDim(type, dim) &&
         size > (mloptDim(type, dim - 1) - 1) * mloptDim(type, dim);
}

/// Whether a result has elements of which two share a byte.
static bool storesHalfBytes(const MloptProgram *p) {
  for (MlirOperation op = mlirBlockGetFirstOperation(p->block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (mloptIsNamed(op, "bufferization.materialize_in_destination") &&
        mloptElementWidth(mloptElementType(mloptOperandType(op, 0))) < 8 &&
        !mloptIsI1(mloptElementType(mloptOperandType(op, 0))))
      return true;
  return false;
}

/// Threads of a block at most. The registers of a full block's threads cannot
/// hold what a turn takes of wide elements; along columns neither of narrow
/// ones, which ptxas moves by halves of registers.
static int64_t mostThreads(int64_t bytes, bool isRows) {
  enum { WORD = 4 };
  bool isFull = bytes == WORD || (bytes < WORD && isRows);
  return isFull ? target->threads : target->threads / 2;
}

/// Threads of a row: a warp, or as many as half the row gives something to do,
/// until the GPU is full.
static int64_t threadsOfRow(int64_t rows, int64_t size, int64_t lanes,
                            int64_t most) {
  const int64_t full = target->multiprocessors * target->residentThreads / 2;
  int64_t threads = 1;
  while (threads < target->warp && threads * lanes < size)
    threads *= 2;
  while (threads < most && rows * threads < full && 2 * threads * lanes <= size)
    threads *= 2;
  return threads;
}

bool mloptChooseScan(MloptProgram *p, MloptSchedule *out) {
  enum { LANES = 4, ROW_THREADS = 256 };
  MloptCombiner combiner;
  MlirOperation scan = mloptFindOnly(p, "mlopt.scan");
  if (mlirOperationIsNull(scan) || !p->sameShape || storesHalfBytes(p) ||
      !mloptScanIsFree(scan, &combiner))
    return false;
  MlirType type = mloptOperandType(scan, 0);
  int64_t dim = mlirIntegerAttrGetValueInt(mloptAttr(scan, "dim"));
  int64_t size = mloptDim(type, dim), count = mloptNumElements(type);
  if (!count ||
      (mloptNumElements(p->space) != count && !mloptScanIsCut(scan, p->space)))
    return false;
  mloptCountReads(p, count);
  int64_t lines = count / size, line = target->warp, threads, blocks;
  int64_t lanes = LANES;
  const bool isRows = mloptScanIsRows(scan);
  const int64_t most =
      mostThreads(mloptElementWidth(mloptElementType(type)) / 8, isRows);
  if (isRows) {
    lanes =
        mloptAtLeast(mloptAtMost(target->accessBytes / p->smallest, 8), LANES);
    line = threadsOfRow(lines, size, lanes, most);
    threads = mloptAtLeast(line, ROW_THREADS);
    blocks = mloptDivideUp(lines, threads / line);
  } else {
    threads = target->warp;
    while (threads < most && 2 * threads / target->warp * lanes <= size)
      threads *= 2;
    blocks = mloptDivideUp(lines, target->warp);
  }
  if (blocks > target->blocks)
    return false;
  *out = (MloptSchedule){.family = MLOPT_FAMILY_SCAN,
                         .blocks = blocks,
                         .threads = threads,
                         .lanes = lanes,
                         .vectors = 1,
                         .line = line,
                         .cluster = 1};
  return true;
}
