//===- schedule_program.c - What a kernel's program looks like ------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the block of a kernel's program to the numbers that families are chosen
// by (schedule_impl.h). Reads iterator types, indexing maps and scalar regions
// alone.
//
//===----------------------------------------------------------------------===//

#include "schedule_impl.h"

#include "affine.h"

int64_t mloptProgramBytes(MlirType type) {
  unsigned bits = mloptElementWidth(mloptElementType(type));
  return bits < 8 ? 1 : bits / 8;
}

/// Whether an operation is a function that takes many instructions.
static bool isFunction(MlirOperation op) {
  static const char math[] = "math.";
  static const char *const cheap[] = {
      "math.absf",  "math.absi",  "math.ceil", "math.copysign",
      "math.ctpop", "math.floor", "math.fma",  "math.roundeven",
      "math.sqrt",  "math.trunc"};
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  bool found =
      name.length > strlen(math) && !memcmp(name.data, math, strlen(math));
  for (int i = 0; i < MLOPT_COUNT(cheap); ++i)
    found &= !mloptIsNamed(op, cheap[i]);
  return found;
}

static void countBody(MloptProgram *p, MlirOperation op) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  for (MlirOperation inner = mlirBlockGetFirstOperation(body);
       !mlirOperationIsNull(inner);
       inner = mlirOperationGetNextInBlock(inner)) {
    ++p->numScalars;
    p->numFunctions += isFunction(inner);
    p->gathers |= mloptIsNamed(inner, "tensor.extract");
  }
}

static bool hasRegions(MlirOperation op) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  for (MlirOperation inner = mlirBlockGetFirstOperation(body);
       !mlirOperationIsNull(inner); inner = mlirOperationGetNextInBlock(inner))
    if (mlirOperationGetNumRegions(inner))
      return true;
  return false;
}

static void addReduction(MloptProgram *p, MlirOperation op) {
  MloptReduction reduction;
  bool described = mloptDescribeReduction(op, &reduction);
  if (!p->numReductions++)
    p->reduction = reduction;
  p->sameReductions &= described && reduction.outer == p->reduction.outer &&
                       reduction.middle == p->reduction.middle &&
                       reduction.inner == p->reduction.inner;
  MloptCombiner combiner;
  MloptArgCombiner arg;
  if (!mloptDescribeArgCombiner(op, &arg))
    for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i)
      p->combines &= mloptDescribeCombiner(op, i, &combiner);
  p->combines &= !hasRegions(op);
}

static void addRoot(MloptProgram *p, MlirType type) {
  if (!p->numRoots++ || mloptNumElements(type) > mloptNumElements(p->space)) {
    p->sameShape &= p->numRoots == 1;
    p->sameCount &= p->numRoots == 1;
    p->space = type;
  }
  p->sameShape &= mloptHaveSameShape(type, p->space);
  p->sameCount &= mloptNumElements(type) == mloptNumElements(p->space);
  int64_t bytes = mloptProgramBytes(type);
  p->smallest = bytes < p->smallest ? bytes : p->smallest;
}

/// Operations whose elements a tile finds for a vector at once.
static const char *const views[] = {"arith.constant",
                                    "linalg.generic",
                                    "tensor.collapse_shape",
                                    "tensor.empty",
                                    "tensor.expand_shape",
                                    "tensor.extract_slice",
                                    "tensor.from_elements",
                                    "tensor.insert_slice",
                                    "tensor.extract",
                                    "llvm.return",
                                    "builtin.unrealized_conversion_cast",
                                    "bufferization.materialize_in_destination"};

static bool isView(MlirOperation op) {
  for (int i = 0; i < MLOPT_COUNT(views); ++i)
    if (mloptIsNamed(op, views[i]))
      return true;
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i)
    if (mlirTypeIsAShaped(mloptResultType(op, i)))
      return false;
  return true;
}

int64_t mloptCommonPower(int64_t n, int64_t most) {
  int64_t power = 1;
  while (2 * power <= most && n % (2 * power) == 0)
    power *= 2;
  return power;
}

/// Narrows vectors so that none lies on both sides of an edge of a slice.
static void addInsert(MloptProgram *p, MlirOperation insert) {
  MlirType type = mloptResultType(insert, 0);
  intptr_t last = mloptRank(type) - 1;
  while (last > 0 && mloptDim(type, last) == 1)
    --last;
  if (last < 0)
    return;
  MloptSliceDim d = mloptGetSliceDim(insert, last);
  if (d.size == mloptDim(type, last))
    return;
  p->granule =
      mloptIsDynamic(d.offset)
          ? 1
          : mloptCommonPower(d.offset, mloptCommonPower(d.size, p->granule));
}

/// Elements of four bits share a byte, and only one thread may write it.
static bool isPacked(MlirOperation op) {
  return mloptIsNamed(op, "builtin.unrealized_conversion_cast") &&
         mloptElementWidth(mloptElementType(mloptResultType(op, 0))) == 4;
}

MloptProgram mloptReadProgram(MlirBlock block) {
  MloptProgram p = {.block = block,
                    .sameShape = true,
                    .sameCount = true,
                    .isPlain = true,
                    .smallest = 8,
                    .granule = MLOPT_MOST_LANES,
                    .sameReductions = true,
                    .combines = true};
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    p.isPlain &= isView(op) && !isPacked(op);
    p.scatters |= mloptIsNamed(op, "mlopt.scatter");
    if (mloptIsNamed(op, "bufferization.materialize_in_destination"))
      addRoot(&p, mloptOperandType(op, 0));
    if (mloptIsNamed(op, "linalg.generic"))
      countBody(&p, op);
    if (mloptIsNamed(op, "tensor.insert_slice"))
      addInsert(&p, op);
    if (mloptIsReduction(op))
      addReduction(&p, op);
  }
  return p;
}

void mloptCountReads(MloptProgram *p, int64_t elements) {
  for (MlirOperation op = mlirBlockGetFirstOperation(p->block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!mloptIsNamed(op, "builtin.unrealized_conversion_cast") ||
        !mlirTypeIsARankedTensor(mloptResultType(op, 0)))
      continue;
    MlirType type = mloptResultType(op, 0);
    ++p->numRead;
    if (mloptNumElements(type) < elements)
      continue;
    ++p->numLarge;
    int64_t bytes = mloptProgramBytes(type);
    p->smallest = bytes < p->smallest ? bytes : p->smallest;
  }
}
