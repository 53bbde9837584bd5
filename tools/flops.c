//===- flops.c - The arithmetic of a program's contractions ---------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flops.h"

#include "infer.h"

/// A product and a sum for each element of the result and of what is summed.
static double flopsOf(MlirOperation op) {
  double each = 1;
  MlirType factor = mloptOperandType(op, 1);
  if (mloptIsNamed(op, "mlopt.dot")) {
    MloptInts dims = mloptGetInts(op, "rhs_contract");
    for (intptr_t i = 0; i < dims.count; ++i)
      each *= (double)mloptDim(factor, dims.at[i]);
  } else { // of a convolution: the kernel, without its output channels
    int64_t channels = mloptDim(factor, mloptRank(factor) - 1);
    each = channels ? (double)mloptNumElements(factor) / (double)channels : 0;
  }
  return 2 * (double)mloptNumElements(mloptResultType(op, 0)) * each;
}

static MlirWalkResult add(MlirOperation op, void *sum) {
  if (mloptIsNamed(op, "mlopt.dot") || mloptIsNamed(op, "mlopt.conv"))
    *(double *)sum += flopsOf(op);
  return MlirWalkResultAdvance;
}

typedef struct Search {
  const char *entry;
  double sum;
} Search;

static MlirWalkResult addEntry(MlirOperation op, void *data) {
  Search *search = data;
  MlirAttribute name = mloptAttr(op, "sym_name");
  if (!mloptIsNamed(op, "func.func"))
    return MlirWalkResultAdvance;
  if (mloptStrEq(mlirStringAttrGetValue(name), search->entry))
    mlirOperationWalk(op, add, &search->sum, MlirWalkPreOrder);
  return MlirWalkResultSkip;
}

double mloptCountFlops(MlirModule module, const char *entry) {
  Search search = {entry, 0};
  mlirOperationWalk(mlirModuleGetOperation(module), addEntry, &search,
                    MlirWalkPreOrder);
  return search.sum;
}
