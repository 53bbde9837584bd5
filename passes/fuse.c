//===- fuse.c - The pass mlopt-fuse ---------------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Level 2 to level 3: every operation that computes or moves elements goes into
// an mlopt.fusion, which becomes one kernel.
//
//   %m = mlopt.reduce max %x dims [1] : (tensor<8x64xf32>) -> tensor<8xf32>
//   %b = mlopt.broadcast %m dims [0] : tensor<8xf32> -> tensor<8x64xf32>
//   %r = mlopt.sub %x, %b : tensor<8x64xf32>
// becomes
//   %r = mlopt.fusion (%a = %x : tensor<8x64xf32>) -> tensor<8x64xf32> { ... }
//
// What is computed does not change: a fusion holds the same operations, with
// their roundings, in every mode of mlopt.numerics, but for dots of f32 and a
// softmax between two dots (fuse_split.c, fuse_stream.c), where `strict` keeps
// both; `strict` reductions keep their order because it is a property of the
// operation, not of the kernel.
// Afterwards a block holds fusions, reshapes, constants that are no splats,
// control flow, and what is of another dialect.
//
//===----------------------------------------------------------------------===//

#include "fuse.h"
#include "passes.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static MlirLogicalResult fuseRegions(MlirOperation op, MlirStringRef function,
                                     bool wgmma, MloptFuseTotals *totals);

static MlirLogicalResult fuseBlock(MlirBlock block, MlirStringRef function,
                                   bool wgmma, MloptFuseTotals *totals) {
  MlirLogicalResult result = mloptResultOf(mloptFusePrepare(block, wgmma));
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op) && !mloptFailed(result);
       op = mlirOperationGetNextInBlock(op))
    if (!mloptGetOpDef(op))
      result = fuseRegions(op, function, wgmma, totals);
  MloptFuseGraph graph;
  MloptFusePlan plan = {0};
  if (!mloptFailed(result))
    result = mloptResultOf(mloptFuseGraphCreate(block, wgmma, &graph));
  else
    graph = (MloptFuseGraph){0};
  if (!mloptFailed(result))
    result = mloptFusePlanCreate(&graph, wgmma, &plan);
  if (!mloptFailed(result))
    result = mloptResultOf(mloptFuseBuild(&plan, function, totals));
  if (plan.graph)
    mloptFusePlanDestroy(&plan);
  mloptFuseGraphDestroy(&graph);
  return result;
}

static MlirLogicalResult fuseRegions(MlirOperation op, MlirStringRef function,
                                     bool wgmma, MloptFuseTotals *totals) {
  for (intptr_t i = 0, n = mlirOperationGetNumRegions(op); i < n; ++i)
    for (MlirBlock block =
             mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
         !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
      if (!mlirOperationIsNull(mlirBlockGetTerminator(block)) &&
          mloptFailed(fuseBlock(block, function, wgmma, totals)))
        return mloptFailure();
  return mloptSuccess();
}

/// What the function must move whatever its kernels: the arguments that it
/// uses, once, and its results.
static int64_t leastBytes(MlirOperation func) {
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  int64_t bytes = 0;
  for (intptr_t i = 0, n = mlirBlockGetNumArguments(entry); i < n; ++i) {
    MlirValue argument = mlirBlockGetArgument(entry, i);
    MlirType type = mlirValueGetType(argument);
    int64_t all = mloptFuseBytesOf(type), sum = 0;
    for (MlirOpOperand use = mlirValueGetFirstUse(argument);
         !mlirOpOperandIsNull(use) && sum < all;
         use = mlirOpOperandGetNextUse(use)) {
      MlirOperation user = mlirOpOperandGetOwner(use);
      int64_t read = all;
      bool selects = mloptIsA(user, &mloptOp_gather) ||
                     mloptIsA(user, &mloptOp_slice) ||
                     mloptIsA(user, &mloptOp_dynamic_slice);
      if (selects && mlirOpOperandGetOperandNumber(use) == 0)
        read = mloptFuseBytesOf(mloptResultType(user, 0));
      sum += read;
    }
    bytes += sum < all ? sum : all;
  }
  MlirOperation terminator = mlirBlockGetTerminator(entry);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(terminator); i < n; ++i)
    bytes += mloptFuseBytesOf(mloptOperandType(terminator, i));
  return bytes;
}

enum { OPTION_WGMMA };

static void run(MlirOperation func, MloptPass pass) {
  MlirRegion body = mlirOperationGetRegion(func, 0);
  if (mlirBlockIsNull(mlirRegionGetFirstBlock(body)))
    return;
  MlirContext c = mlirOperationGetContext(func);
  MlirStringRef name = mlirStringAttrGetValue(mloptAttr(func, "sym_name"));
  MloptFuseTotals totals = {0};
  int64_t least = leastBytes(func);
  bool wgmma = mloptPassGetBool(pass, OPTION_WGMMA);
  if (mloptFailed(mloptFuseCheckGroups(func)) ||
      mloptFailed(fuseRegions(func, name, wgmma, &totals))) {
    mloptPassSignalFailure(pass);
    return;
  }
  MlirNamedAttribute entries[] = {
      mloptNamedAttr(c, "kernels", mloptI64Attr(c, totals.kernels)),
      mloptNamedAttr(c, "hbm_bytes", mloptI64Attr(c, totals.bytes)),
      mloptNamedAttr(c, "least_bytes", mloptI64Attr(c, least))};
  mlirOperationSetDiscardableAttributeByName(
      func, mloptStr("mlopt.traffic"),
      mlirDictionaryAttrGet(c, MLOPT_COUNT(entries), entries));
}

static MlirDialectHandle (*const dependent[])(void) = {
    mlirGetDialectHandle__mlopt__, NULL};

static const MloptOptionDef options[] = {
    [OPTION_WGMMA] = {.name = "wgmma",
                      .kind = MLOPT_OPTION_BOOL,
                      .help = "Bring dots into the form that wgmma takes, "
                              "which sm_90a alone has"},
};

const MloptPassDef mloptPass_fuse MLOPT_TABLE = {
    .argument = "mlopt-fuse",
    .summary = "Group mlopt operations into mlopt.fusion, one for each kernel",
    .doc =
        "Every operation that computes or moves elements goes into a "
        "fusion; what costs nothing to compute again goes into each that "
        "uses it. Two kernels become one when that moves fewer bytes and "
        "one kernel can do it: elementwise and layout operations, gathers "
        "and reductions over the same rows in any order; a dot or a "
        "convolution with the slices, transposes and reshapes that say where "
        "its factors lie, where tensor maps reach them, and with the "
        "elementwise and layout operations on its result, with `wgmma` also "
        "the reductions of rows of it that a tile holds, and with `wgmma`, "
        "where that is faster, with what computes one of its factors: "
        "elementwise operations of one tensor and of what its rows or columns "
        "share, or a gather of rows; two dots that share "
        "a factor; with `wgmma`, two dots of 16-bit floats around a softmax of "
        "any scores, whose kernel takes the keys piece by piece. Scatters, "
        "scans, sorts and window reductions stay "
        "alone. Each fusion says in `mlopt.ledger` which operands "
        "other kernels computed, why they are not part of it and what it "
        "would save; the function says in `mlopt.traffic` how many kernels "
        "there are, how many bytes they move, and how many any program must. "
        "Remarks of the category `mlopt-fuse` say the same for each edge. "
        "Results do not change, but for this: with `wgmma`, a large dot of f32 "
        "becomes one of bf16 terms with sums in f32, whose products lie within "
        "2^-23 of the exact ones where the factors exceed 2^-110. And unless "
        "it "
        "is `strict`, a softmax between two dots that are one kernel is not "
        "divided by its sum before the second dot but after it, by a "
        "multiplication with the inverse in f32: exponentials are rounded to "
        "the factors' type in place of probabilities, with the same relative "
        "error of half their last place, 2^-9 of bf16. For `wgmma`, "
        "factors of other than 16 bits are transposed where their "
        "rows do not run along the contracted dimensions, and factors of a "
        "large "
        "dot are padded with zeros along those where rows are no multiple of "
        "16 bytes.",
    .anchor = "func.func",
    .dependent = dependent,
    .options = options,
    .numOptions = MLOPT_COUNT(options),
    .run = run,
};
