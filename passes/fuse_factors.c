//===- fuse_factors.c - Factors as Tensor Cores take them -----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// wgmma transposes factors of 16 bits on the way; others it takes only where
// their rows run along the contracted dimensions. Where they do not, a
// transpose in front of the dot, which becomes a kernel of its own, costs
// little beside a product that cannot use the Tensor Cores:
//
//   %r = mlopt.dot %x, %w contract [1] x [0]
//        : (tensor<512x256xi8>, tensor<256x384xi8>) -> tensor<512x384xi32>
// becomes
//   %t = mlopt.transpose %w perm [1, 0] : tensor<256x384xi8> -> ...
//   %r = mlopt.dot %x, %t contract [1] x [1]
//
//===----------------------------------------------------------------------===//

#include "fuse.h"
#include "match.h"

static const char *const batchOf[] = {"lhs_batch", "rhs_batch"};
static const char *const contractOf[] = {"lhs_contract", "rhs_contract"};

/// Narrower free dimensions are for kernels that take any layout.
enum { LEAST_SIDE = 65, ROW_BYTES = 16 };

/// Whether wgmma multiplies these elements, but transposes none.
static bool hasOneLayout(MlirOperation dot) {
  MlirType element = mloptElementType(mloptOperandType(dot, 0));
  if (mlirTypeIsAF32(element))
    return mloptGetNumerics(dot) == MLOPT_NUMERICS_FAST;
  return mloptElementWidth(element) == 8;
}

static int64_t product(MlirType type, const MloptInts *dims) {
  int64_t count = 1;
  for (intptr_t i = 0; i < dims->count; ++i)
    count *= mloptDim(type, dims->at[i]);
  return count;
}

/// Whether the last dimension of more than one element is contracted.
static bool runsAlong(MlirType type, const MloptInts *contract) {
  for (intptr_t i = mloptRank(type); i-- > 0;)
    if (mloptDim(type, i) != 1)
      return mloptHasInt(contract, i);
  return true;
}

/// Batch, free, contracted dimensions.
static MloptInts order(MlirType type, const MloptInts *batch,
                       const MloptInts *contract) {
  MloptInts perm = *batch;
  for (intptr_t i = 0; i < mloptRank(type); ++i)
    if (!mloptHasInt(batch, i) && !mloptHasInt(contract, i))
      perm.at[perm.count++] = i;
  for (intptr_t i = 0; i < contract->count; ++i)
    perm.at[perm.count++] = contract->at[i];
  return perm;
}

static void layFactor(MlirOperation dot, intptr_t side) {
  MlirType type = mloptOperandType(dot, side);
  MloptInts batch = mloptGetInts(dot, batchOf[side]);
  MloptInts contract = mloptGetInts(dot, contractOf[side]);
  if (runsAlong(type, &contract))
    return;
  MloptInts perm = order(type, &batch, &contract);
  int64_t shape[MLOPT_MAX_RANK];
  for (intptr_t i = 0; i < perm.count; ++i)
    shape[i] = mloptDim(type, perm.at[i]);
  MloptBuilder b = mloptBuilderBefore(dot, mlirOperationGetLocation(dot));
  MlirValue factor = mloptOperand(dot, side);
  MlirType result = mloptTensorType(perm.count, shape, mloptElementType(type));
  MlirNamedAttribute attr = mloptNamedAttr(
      b.context, "permutation", mloptI64Array(b.context, perm.count, perm.at));
  MlirValue laid =
      mloptBuildValue(&b, (MloptOpSpec){.name = mloptOp_transpose.name,
                                        .numOperands = 1,
                                        .operands = &factor,
                                        .numResults = 1,
                                        .results = &result,
                                        .numAttrs = 1,
                                        .attrs = &attr});
  if (b.failed)
    return;
  for (intptr_t i = 0; i < batch.count; ++i)
    batch.at[i] = i;
  for (intptr_t i = 0; i < contract.count; ++i)
    contract.at[i] = perm.count - contract.count + i;
  mloptSetInts(dot, batchOf[side], &batch);
  mloptSetInts(dot, contractOf[side], &contract);
  mlirOperationSetOperand(dot, side, laid);
}

void mloptFuseLayFactors(MlirOperation dot) {
  int64_t bytes = mloptElementWidth(mloptElementType(mloptOperandType(dot, 0)));
  int64_t depth = 0;
  if (!hasOneLayout(dot))
    return;
  for (intptr_t side = 0; side < 2; ++side) {
    MlirType type = mloptOperandType(dot, side);
    MloptInts batch = mloptGetInts(dot, batchOf[side]);
    MloptInts contract = mloptGetInts(dot, contractOf[side]);
    depth = product(type, &contract);
    if (!mloptIsStatic(type) || !mloptNumElements(type) ||
        mloptNumElements(type) / (depth * product(type, &batch)) < LEAST_SIDE)
      return;
  }
  if (depth * bytes / 8 % ROW_BYTES)
    return;
  for (intptr_t side = 0; side < 2; ++side)
    layFactor(dot, side);
}
