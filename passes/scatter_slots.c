//===- scatter_slots.c - Scatters whose windows do not overlap ------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scatter_slots.h"

#include "schedule_impl.h"
#include "target.h"

bool mloptReadSlots(MlirOperation scatter, MloptSlots *out) {
  MlirType operand = mloptOperandType(scatter, 0);
  MlirType indices = mloptOperandType(scatter, 1);
  MlirType updates = mloptOperandType(scatter, 2);
  MloptSubject subject = mloptOpSubject(scatter);
  *out = (MloptSlots){.count = 1, .inner = 1};
  MloptIndexing *x = &out->indexing;
  if (!mloptReadIndexing(&subject, &mloptScatterNames, operand, indices, x))
    return false;
  out->isUnsigned =
      !mlirAttributeIsNull(mloptAttr(scatter, "unsigned_indices"));
  out->isSorted = !mlirAttributeIsNull(mloptAttr(scatter, "sorted_indices"));
  intptr_t rank = mloptRank(operand);
  out->numDims = rank - x->window.count;
  for (intptr_t d = 0; d < rank; ++d) {
    int64_t size = mloptDim(operand, d);
    if (d < out->numDims) {
      if (mloptIsWindowed(x, d) ||
          (!mloptHasInt(&x->map, d) && !mloptHasInt(&x->operandBatch, d)))
        return false;
      out->count *= size;
      continue;
    }
    if (!mloptIsWindowed(x, d) || mloptHasInt(&x->map, d) ||
        mloptDim(updates, x->window.at[d - out->numDims]) != size)
      return false;
    out->inner *= size;
  }
  out->isInLine = true;
  for (intptr_t i = 0; i < x->window.count; ++i)
    out->isInLine &= x->window.at[i] == x->batchRank + i;
  out->batch =
      mloptTensorType(x->batchRank, x->batch, mloptElementType(indices));
  out->numWindows = mloptNumElements(out->batch);
  return out->count > 0 && out->count < INT32_MAX && out->inner > 0 &&
         out->numWindows < INT32_MAX;
}

bool mloptChooseSortedScatter(const MloptProgram *p, MloptSchedule *out) {
  // Vectors of a thread; blocks of each multiprocessor.
  enum { EACH = 4, SCALAR_EACH = 8, LEAST_BLOCKS = 4 };
  MlirOperation scatter = mloptFindOnly(p, "mlopt.scatter");
  MloptSlots slots;
  if (mlirOperationIsNull(scatter) || !p->sameShape ||
      !mloptReadSlots(scatter, &slots) || !slots.isSorted || !slots.isInLine ||
      !slots.numWindows ||
      mloptElementWidth(mloptElementType(mloptOperandType(scatter, 0))) == 4)
    return false;
  int64_t bytes = mloptProgramBytes(mloptOperandType(scatter, 0));
  int64_t lanes = mloptCommonPower(
      slots.inner, mloptAtMost(mloptSm90.accessBytes / bytes, 8));
  int64_t count = slots.count * slots.inner / lanes;
  int64_t each = lanes > 1 || slots.inner == 1 ? EACH : SCALAR_EACH;
  int64_t blocks = mloptAtLeast(
      mloptDivideUp(count, MLOPT_BLOCK_THREADS * each),
      mloptAtMost(count, LEAST_BLOCKS * mloptSm90.multiprocessors));
  if (blocks > mloptSm90.blocks)
    return false;
  int64_t range = mloptDivideUp(count, blocks);
  *out = (MloptSchedule){.family = MLOPT_FAMILY_SORTED_SCATTER,
                         .blocks = blocks,
                         .threads = MLOPT_BLOCK_THREADS,
                         .lanes = lanes,
                         .vectors = mloptDivideUp(range, MLOPT_BLOCK_THREADS),
                         .line = 1,
                         .cluster = 1,
                         .resident = lanes > 1 ? LEAST_BLOCKS : 0};
  return true;
}
