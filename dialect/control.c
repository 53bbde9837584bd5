//===- control.c - Grouping -----------------------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fusion, a region that becomes one kernel, and yield, which ends every region
// of the dialect. Canonicalisation keeps a fusion's interface small:
//
//   %r:3 = mlopt.fusion (%a = %x : T, %b = %x : T, %c = %y : T) -> (T, T, T) {
//     %0 = mlopt.add %a, %b : T
//     mlopt.yield %0, %0, %a : T, T, T
//   }
//
// becomes a fusion of %x alone with one result; the second result is the first
// and the third is %x.
//
//===----------------------------------------------------------------------===//

#include "dialect.h"
#include "match.h"

/// Longer interfaces are left as they are.
enum { MAX_VALUES = 256 };

static MlirBlock bodyOf(MlirOperation fusion) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(fusion, 0));
}

static bool isUsed(MlirValue value) {
  return !mlirOpOperandIsNull(mlirValueGetFirstUse(value));
}

//===----------------------------------------------------------------------===//
// fusion
//===----------------------------------------------------------------------===//

static MlirLogicalResult checkFusionYield(MlirOperation op,
                                          MlirOperation yield) {
  if (!mloptIsA(yield, &mloptOp_yield))
    return mloptOpError(op, "needs a region that ends in mlopt.yield");
  intptr_t n = mlirOperationGetNumResults(op);
  if (mlirOperationGetNumOperands(yield) != n)
    return mloptOpError(yield,
                        "must yield %" PRIdPTR " values, but has %" PRIdPTR, n,
                        mlirOperationGetNumOperands(yield));
  for (intptr_t i = 0; i < n; ++i)
    if (!mlirTypeEqual(mloptOperandType(yield, i), mloptResultType(op, i)))
      return mloptOpError(
          yield,
          "operand #%" PRIdPTR " has not the type of the fusion's result", i);
  return mloptSuccess();
}

static MlirLogicalResult verifyFusion(MlirOperation op) {
  MlirBlock body = bodyOf(op);
  if (mlirBlockIsNull(body))
    return mloptOpError(op, "needs a body");
  intptr_t n = mlirOperationGetNumOperands(op);
  if (mlirBlockGetNumArguments(body) != n)
    return mloptOpError(op,
                        "needs one region argument for each of %" PRIdPTR
                        " operands, but has %" PRIdPTR,
                        n, mlirBlockGetNumArguments(body));
  for (intptr_t i = 0; i < n; ++i)
    if (!mlirTypeEqual(mloptOperandType(op, i),
                       mlirValueGetType(mlirBlockGetArgument(body, i))))
      return mloptOpError(
          op, "region argument #%" PRIdPTR " has not the type of its operand",
          i);
  return checkFusionYield(op, mlirBlockGetTerminator(body));
}

/// The operand that a value inside a fusion is, or null.
static MlirValue operandBehind(MlirOperation fusion, MlirValue inside) {
  if (!mlirValueIsABlockArgument(inside) ||
      !mlirBlockEqual(mlirBlockArgumentGetOwner(inside), bodyOf(fusion)))
    return (MlirValue){NULL};
  return mloptOperand(fusion, mlirBlockArgumentGetArgNumber(inside));
}

/// A fusion that computes nothing is its operands.
static MlirLogicalResult foldFusion(MlirOperation op,
                                    const MlirAttribute *constants,
                                    MloptFoldResult *results) {
  (void)constants;
  MlirOperation yield = mlirBlockGetTerminator(bodyOf(op));
  intptr_t n = mlirOperationGetNumResults(op);
  for (intptr_t i = 0; i < n; ++i) {
    results[i].value = operandBehind(op, mloptOperand(yield, i));
    if (mlirValueIsNull(results[i].value))
      return mloptFailure();
  }
  return n ? mloptSuccess() : mloptFailure();
}

/// The first earlier position of the same value, or -1.
static intptr_t findEarlier(MlirOperation op, intptr_t i) {
  for (intptr_t j = 0; j < i; ++j)
    if (mlirValueEqual(mloptOperand(op, j), mloptOperand(op, i)))
      return j;
  return -1;
}

static bool canSimplifyOperands(MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (!isUsed(mlirBlockGetArgument(bodyOf(op), i)) || findEarlier(op, i) >= 0)
      return true;
  return false;
}

/// Drops operands that come twice, then those that the body does not use.
static MlirLogicalResult simplifyOperands(MlirRewritePattern pattern,
                                          MlirOperation op,
                                          MlirPatternRewriter rewriter,
                                          void *data) {
  (void)pattern, (void)data;
  MlirBlock body = bodyOf(op);
  intptr_t n = mlirOperationGetNumOperands(op), kept = 0;
  if (n > MAX_VALUES || !canSimplifyOperands(op))
    return mloptFailure();
  MlirRewriterBase base = mlirPatternRewriterAsBase(rewriter);
  mlirRewriterBaseStartOpModification(base, op);
  for (intptr_t i = 0; i < n; ++i) {
    intptr_t twin = findEarlier(op, i);
    if (twin >= 0)
      mlirRewriterBaseReplaceAllUsesWith(base, mlirBlockGetArgument(body, i),
                                         mlirBlockGetArgument(body, twin));
  }
  MlirValue operands[MAX_VALUES];
  for (intptr_t i = 0; i < n; ++i) {
    if (isUsed(mlirBlockGetArgument(body, kept)))
      operands[kept++] = mloptOperand(op, i);
    else
      mlirBlockEraseArgument(body, (unsigned)kept);
  }
  mlirOperationSetOperands(op, kept, operands);
  mlirRewriterBaseFinalizeOpModification(base, op);
  return mloptSuccess();
}

/// A fusion with the attributes and the body of `op`, which loses its body, and
/// results of these types; inserted before it.
static MlirOperation rebuildFusion(MlirOperation op, MlirRewriterBase base,
                                   intptr_t numResults,
                                   const MlirType *results) {
  MlirOperationState state = mlirOperationStateGet(
      mloptStr(mloptOp_fusion.name), mlirOperationGetLocation(op));
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    MlirValue operand = mloptOperand(op, i);
    mlirOperationStateAddOperands(&state, 1, &operand);
  }
  intptr_t numAttrs = mlirOperationGetNumDiscardableAttributes(op);
  for (intptr_t i = 0; i < numAttrs; ++i) {
    MlirNamedAttribute attr = mlirOperationGetDiscardableAttribute(op, i);
    mlirOperationStateAddAttributes(&state, 1, &attr);
  }
  MlirRegion region = mlirRegionCreate();
  mlirRegionTakeBody(region, mlirOperationGetRegion(op, 0));
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  mlirOperationStateAddResults(&state, numResults, results);
  return mlirRewriterBaseInsert(base, mlirOperationCreate(&state));
}

/// Drops results that are operands, that come twice, or that nothing uses.
static MlirLogicalResult simplifyResults(MlirRewritePattern pattern,
                                         MlirOperation op,
                                         MlirPatternRewriter rewriter,
                                         void *data) {
  (void)pattern, (void)data;
  MlirOperation yield = mlirBlockGetTerminator(bodyOf(op));
  MlirRewriterBase base = mlirPatternRewriterAsBase(rewriter);
  intptr_t n = mlirOperationGetNumResults(op), kept = 0;
  MlirType types[MAX_VALUES];
  MlirValue yields[MAX_VALUES];
  intptr_t from[MAX_VALUES]; // the result's new position, or -1
  if (n > MAX_VALUES)
    return mloptFailure();
  for (intptr_t i = 0; i < n; ++i) {
    MlirValue inside = mloptOperand(yield, i), result = mloptResult(op, i);
    MlirValue operand = operandBehind(op, inside);
    intptr_t twin = findEarlier(yield, i);
    from[i] = -1;
    if (!isUsed(result))
      continue;
    if (!mlirValueIsNull(operand)) {
      mlirRewriterBaseReplaceAllUsesWith(base, result, operand);
    } else if (twin >= 0 && from[twin] >= 0) {
      from[i] = from[twin];
    } else {
      types[kept] = mlirValueGetType(result);
      yields[kept] = inside;
      from[i] = kept++;
    }
  }
  if (kept == n)
    return mloptFailure();
  mlirRewriterBaseStartOpModification(base, yield);
  mlirOperationSetOperands(yield, kept, yields);
  mlirRewriterBaseFinalizeOpModification(base, yield);
  MlirOperation fusion = rebuildFusion(op, base, kept, types);
  for (intptr_t i = 0; i < n; ++i)
    if (from[i] >= 0)
      mlirRewriterBaseReplaceAllUsesWith(base, mloptResult(op, i),
                                         mloptResult(fusion, from[i]));
  mlirRewriterBaseEraseOp(base, op);
  return mloptSuccess();
}

static void addFusionPatterns(MlirRewritePatternSet set, MlirContext context) {
  mloptAddPattern(set, context, &mloptOp_fusion, simplifyResults);
  mloptAddPattern(set, context, &mloptOp_fusion, simplifyOperands);
}

static const MloptValueSpec anyOperands[] = {
    {"operands", mloptIsAnyType, "of any type", true}};
static const MloptValueSpec anyResults[] = {
    {"results", mloptIsAnyType, "of any type", true}};

const MloptOpDef mloptOp_fusion MLOPT_TABLE = {
    .name = "mlopt.fusion",
    .traits = MLOPT_ISOLATED_FROM_ABOVE | MLOPT_SINGLE_BLOCK |
              MLOPT_RECURSIVE_EFFECTS,
    .operands = anyOperands,
    .numOperands = 1,
    .results = anyResults,
    .numResults = 1,
    .numRegions = 1,
    .assembly = "custom<Fusion> attr-dict",
    .summary = "Operations that become one kernel",
    .doc = "Runs its region, whose arguments are the operands and which sees "
           "nothing else from outside, and returns what `mlopt.yield` gives. "
           "It changes no value: its operations compute what they would "
           "compute outside.",
    .example = "%r = mlopt.fusion (%a = %x : tensor<4xf32>) -> tensor<4xf32> "
               "{ %0 = mlopt.exp %a : tensor<4xf32> mlopt.yield %0 : "
               "tensor<4xf32> }",
    .verifyRegions = verifyFusion,
    .fold = foldFusion,
    .canonicalizers = addFusionPatterns,
};

//===----------------------------------------------------------------------===//
// yield
//===----------------------------------------------------------------------===//

static MlirLogicalResult verifyYield(MlirOperation op) {
  MlirOperation parent = mlirOperationGetParentOperation(op);
  const MloptOpDef *def =
      mlirOperationIsNull(parent) ? NULL : mloptGetOpDef(parent);
  if (def && def->numRegions && !strncmp(def->name, "mlopt.", 6))
    return mloptSuccess();
  return mloptOpError(op, "must end a region of an mlopt operation");
}

const MloptOpDef mloptOp_yield MLOPT_TABLE = {
    .name = "mlopt.yield",
    .traits = MLOPT_TERMINATOR | MLOPT_PURE | MLOPT_RETURN_LIKE,
    .operands = anyOperands,
    .numOperands = 1,
    .assembly = "attr-dict ($operands^ `:` type($operands))?",
    .summary = "The values that a region gives to its operation",
    .doc = "Ends the region of fusion, and those of reduce, reduce_window, "
           "scan, scatter and sort, whose documentation says what they yield.",
    .example = "mlopt.yield %a, %b : tensor<4xf32>, tensor<4xf32>",
    .verify = verifyYield,
};
