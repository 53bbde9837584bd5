//===- form_kernels.c - Cut a program into kernels ------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `mlopt-form-kernels` wraps every level-4 operation that computes or moves
// elements, and that no mlopt.fusion holds yet, in a fusion of its own. What
// costs nothing to compute again goes into each fusion that uses it: scalars
// and what they read, splat constants, tensors that depend on indices alone.
//
//   %c = arith.constant dense<1.0> : tensor<8xf32>
//   %r = linalg.generic ... ins(%x, %c) outs(%e)
// becomes
//   %r = mlopt.fusion (%a = %x : tensor<8xf32>) -> tensor<8xf32> {
//     %c = arith.constant dense<1.0> : tensor<8xf32>
//     %e = tensor.empty() : tensor<8xf32>
//     %0 = linalg.generic ... ins(%a, %c) outs(%e)
//     mlopt.yield %0 : tensor<8xf32>
//   }
//
// Afterwards a function holds fusions, reshapes, constants that are no splats,
// structured control flow, and for each condition of it one tensor.extract.
//
//===----------------------------------------------------------------------===//

#include "dialect.h"
#include "passes.h"
#include "traffic.h"
#include "value_map.h"

#include "mlir-c/Dialect/Tensor.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// What an operation is
//===----------------------------------------------------------------------===//

typedef enum Role {
  ROLE_CONTROL, ///< stays: control flow, returns, fusions, calls
  ROLE_VIEW,    ///< stays: another shape for the same memory
  ROLE_FREE,    ///< computed again wherever it is used
  ROLE_COMPUTE  ///< becomes a fusion
} Role;

static bool isShaped(MlirType type) { return mlirTypeIsAShaped(type); }

/// A linalg.generic that reads no tensor and reduces nothing: a fill, an iota.
static bool dependsOnIndicesAlone(MlirOperation op) {
  intptr_t numInputs =
      mlirOperationGetNumOperands(op) - mlirOperationGetNumResults(op);
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    bool read = i < numInputs || !mlirOpOperandIsNull(mlirValueGetFirstUse(
                                     mlirBlockGetArgument(body, i)));
    if (read && isShaped(mloptOperandType(op, i)))
      return false;
  }
  for (MlirOperation inner = mlirBlockGetFirstOperation(body);
       !mlirOperationIsNull(inner); inner = mlirOperationGetNextInBlock(inner))
    if (mloptIsNamed(inner, "tensor.extract"))
      return false;
  return true;
}

static Role roleOf(MlirOperation op) {
  static const struct {
    const char *name;
    Role role;
  } rows[] = {
      {"func.return", ROLE_CONTROL},
      {"mlopt.fusion", ROLE_CONTROL},
      {"scf.condition", ROLE_CONTROL},
      {"scf.for", ROLE_CONTROL},
      {"scf.if", ROLE_CONTROL},
      {"scf.index_switch", ROLE_CONTROL},
      {"scf.while", ROLE_CONTROL},
      {"scf.yield", ROLE_CONTROL},
      {"tensor.collapse_shape", ROLE_VIEW},
      {"tensor.expand_shape", ROLE_VIEW},
      {"tensor.empty", ROLE_FREE},
  };
  intptr_t row = MLOPT_FIND_ROW(op, rows);
  if (row >= 0)
    return rows[row].role;
  if (mloptIsNamed(op, "linalg.generic"))
    return dependsOnIndicesAlone(op) ? ROLE_FREE : ROLE_COMPUTE;
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i) {
    if (!isShaped(mloptResultType(op, i)))
      continue;
    MlirAttribute value = mloptAttr(op, "value");
    bool constant = mloptIsNamed(op, "arith.constant");
    if (!constant)
      return ROLE_COMPUTE;
    return mlirAttributeIsADenseElements(value) &&
                   mlirDenseElementsAttrIsSplat(value)
               ? ROLE_FREE
               : ROLE_CONTROL;
  }
  return ROLE_FREE;
}

//===----------------------------------------------------------------------===//
// Wrapping
//===----------------------------------------------------------------------===//

/// A fusion under construction: what stands for values inside.
typedef struct Wrap {
  MloptBuilder body;
  MlirBlock block;
  MloptValueMap map;
  intptr_t numOperands, maxOperands; ///< of the fusion
  MlirValue *operands;
  bool failed;
} Wrap;

static void addOperand(Wrap *wrap, MlirValue value) {
  if (wrap->numOperands == wrap->maxOperands) {
    intptr_t capacity = wrap->maxOperands ? 2 * wrap->maxOperands : 16;
    MlirValue *grown =
        realloc(wrap->operands, (size_t)capacity * sizeof *grown);
    if (!grown) {
      wrap->failed = true;
      return;
    }
    wrap->operands = grown;
    wrap->maxOperands = capacity;
  }
  wrap->operands[wrap->numOperands++] = value;
}

static void copyInto(Wrap *wrap, MlirOperation op);

/// Makes a value from outside available inside.
static void need(Wrap *wrap, MlirValue value) {
  if (wrap->failed || !mlirValueIsNull(mloptValueMapFind(&wrap->map, value)))
    return;
  MlirOperation definer = mloptDefiningOp(value);
  if (!mlirOperationIsNull(definer) && roleOf(definer) == ROLE_FREE) {
    copyInto(wrap, definer);
    return;
  }
  MlirValue argument = mlirBlockAddArgument(
      wrap->block, mlirValueGetType(value), wrap->body.location);
  wrap->failed |= !mloptValueMapAdd(&wrap->map, value, argument);
  addOperand(wrap, value);
}

/// What an operation inside `top` reads from outside of `top`.
typedef struct Captures {
  Wrap *wrap;
  MlirOperation top;
} Captures;

static MlirWalkResult needOperands(MlirOperation op, void *userData) {
  const Captures *captures = userData;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    MlirValue value = mloptOperand(op, i);
    if (!mloptIsDefinedInside(value, captures->top))
      need(captures->wrap, value);
  }
  return MlirWalkResultAdvance;
}

static void copyInto(Wrap *wrap, MlirOperation op) {
  Captures captures = {wrap, op};
  mlirOperationWalk(op, needOperands, &captures, MlirWalkPreOrder);
  if (wrap->failed)
    return;
  MlirOperation copy =
      mloptCloneWithMapping(op, wrap->map.count, wrap->map.from, wrap->map.to);
  mlirBlockAppendOwnedOperation(wrap->block, copy);
  wrap->failed |= !mloptValueMapAddResults(&wrap->map, op, copy);
}

static void beginWrap(Wrap *wrap, MlirOperation at, MlirRegion *outRegion) {
  MloptBuilder b = mloptBuilderBefore(at, mlirOperationGetLocation(at));
  *wrap = (Wrap){0};
  *outRegion = mloptCreateRegion(&b, 0, NULL, &wrap->block);
  wrap->body = mloptBuilderAtEnd(wrap->block, b.location);
}

/// Inserts the fusion before `at`, yielding what stands for `values`.
static MlirOperation endWrap(Wrap *wrap, MlirOperation at, MlirRegion region,
                             intptr_t numValues, const MlirValue *values) {
  MloptBuilder b = mloptBuilderBefore(at, mlirOperationGetLocation(at));
  enum { MAX_RESULTS = 64 };
  MlirType types[MAX_RESULTS];
  b.failed = wrap->failed || numValues > MAX_RESULTS;
  for (intptr_t i = 0; !b.failed && i < numValues; ++i)
    types[i] = mlirValueGetType(values[i]);
  if (!b.failed)
    mloptBuildOp(&wrap->body, (MloptOpSpec){.name = "mlopt.yield",
                                            .numOperands = numValues,
                                            .operands = values});
  MlirOperation fusion =
      mloptBuildOp(&b, (MloptOpSpec){.name = "mlopt.fusion",
                                     .numOperands = wrap->numOperands,
                                     .operands = wrap->operands,
                                     .numResults = numValues,
                                     .results = types,
                                     .numRegions = 1,
                                     .regions = &region});
  mloptValueMapDestroy(&wrap->map);
  free(wrap->operands);
  return fusion;
}

/// Replaces an operation by a fusion that holds it.
static bool wrapOperation(MlirOperation op) {
  Wrap wrap;
  MlirRegion region;
  beginWrap(&wrap, op, &region);
  copyInto(&wrap, op);
  enum { MAX_RESULTS = 64 };
  MlirValue inside[MAX_RESULTS];
  intptr_t n = mlirOperationGetNumResults(op);
  if (n > MAX_RESULTS)
    wrap.failed = true;
  for (intptr_t i = 0; !wrap.failed && i < n; ++i)
    inside[i] = mloptValueMapFind(&wrap.map, mloptResult(op, i));
  MlirOperation fusion = endWrap(&wrap, op, region, n, inside);
  if (mlirOperationIsNull(fusion))
    return false;
  for (intptr_t i = 0; i < n; ++i)
    mlirValueReplaceAllUsesOfWith(mloptResult(op, i), mloptResult(fusion, i));
  mlirOperationDestroy(op);
  return true;
}

/// Whether the host reads the condition as it is: an element of a tensor that
/// a fusion computes.
static bool isRead(MlirValue condition) {
  MlirOperation extract = mloptDefiningOp(condition);
  if (mlirOperationIsNull(extract) || !mloptIsNamed(extract, "tensor.extract"))
    return false;
  MlirOperation source = mloptDefiningOp(mloptOperand(extract, 0));
  return mlirOperationGetNumOperands(extract) == 1 &&
         !mlirOperationIsNull(source) && mloptIsNamed(source, "mlopt.fusion");
}

/// Computes a condition in a fusion, so that the host reads one element and
/// calculates nothing.
static bool wrapCondition(MlirOperation user, intptr_t operand) {
  MlirValue condition = mloptOperand(user, operand);
  if (isRead(condition))
    return true;
  Wrap wrap;
  MlirRegion region;
  beginWrap(&wrap, user, &region);
  need(&wrap, condition);
  MlirValue inside = mloptValueMapFind(&wrap.map, condition);
  // An index has no width that host and kernel agree on.
  bool isIndex = mlirTypeIsAIndex(mlirValueGetType(condition));
  MlirType element = isIndex ? mlirIntegerTypeGet(wrap.body.context, 64)
                             : mlirValueGetType(condition);
  if (isIndex)
    inside = mloptBuildUnary(&wrap.body, "arith.index_cast", inside, element);
  MlirValue tensor = mloptBuildUnary(&wrap.body, "tensor.from_elements", inside,
                                     mloptTensorType(0, NULL, element));
  wrap.failed |= wrap.body.failed;
  MlirOperation fusion = endWrap(&wrap, user, region, 1, &tensor);
  if (mlirOperationIsNull(fusion))
    return false;
  MloptBuilder b = mloptBuilderBefore(user, mlirOperationGetLocation(user));
  MlirValue read =
      mloptBuildUnary(&b, "tensor.extract", mloptResult(fusion, 0), element);
  if (isIndex)
    read = mloptBuildUnary(&b, "arith.index_cast", read,
                           mlirValueGetType(condition));
  mlirOperationSetOperand(user, operand, read);
  return true;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Whether the host itself uses a tensor that is otherwise computed again in
/// each kernel.
static bool isUsedByHost(MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i) {
    MlirValue value = mloptResult(op, i);
    if (!isShaped(mlirValueGetType(value)))
      continue;
    for (MlirOpOperand use = mlirValueGetFirstUse(value);
         !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
      Role role = roleOf(mlirOpOperandGetOwner(use));
      if (role == ROLE_CONTROL || role == ROLE_VIEW)
        return true;
    }
  }
  return false;
}

/// Copies the scalar constants that a fusion takes into it: folding may have
/// moved them out of a region inside, and the host hands out buffers alone.
static bool sinkConstants(MlirOperation fusion) {
  intptr_t n = mlirOperationGetNumOperands(fusion), kept = 0;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(fusion, 0));
  MlirValue *operands = malloc((n + 1) * sizeof *operands);
  if (!operands)
    return false;
  for (intptr_t i = 0; i < n; ++i) {
    MlirValue value = mloptOperand(fusion, i);
    MlirOperation definer = mloptDefiningOp(value);
    if (isShaped(mlirValueGetType(value)) || mlirOperationIsNull(definer) ||
        !mloptIsNamed(definer, "arith.constant")) {
      operands[kept++] = value;
      continue;
    }
    MlirOperation copy = mlirOperationClone(definer);
    mlirBlockInsertOwnedOperation(body, 0, copy);
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(body, kept),
                                  mloptResult(copy, 0));
    mlirBlockEraseArgument(body, (unsigned)kept);
  }
  if (kept < n)
    mlirOperationSetOperands(fusion, kept, operands);
  free(operands);
  return true;
}

static bool formInBlock(MlirBlock block);

static bool formInRegions(MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumRegions(op); i < n; ++i)
    for (MlirBlock block =
             mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
         !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
      if (!formInBlock(block))
        return false;
  return true;
}

static bool formForControl(MlirOperation op) {
  bool condition = mloptIsNamed(op, "scf.condition") ||
                   mloptIsNamed(op, "scf.if") ||
                   mloptIsNamed(op, "scf.index_switch");
  if (condition && !wrapCondition(op, 0))
    return false;
  return mloptIsNamed(op, "mlopt.fusion") ? sinkConstants(op)
                                          : formInRegions(op);
}

/// Erases what was copied into fusions and is used by nothing else, from the
/// operation `op` to the end of its block: users first.
static void eraseUnused(MlirOperation op) {
  if (mlirOperationIsNull(op))
    return;
  eraseUnused(mlirOperationGetNextInBlock(op));
  if (roleOf(op) != ROLE_FREE)
    return;
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i)
    if (!mlirOpOperandIsNull(mlirValueGetFirstUse(mloptResult(op, i))))
      return;
  mlirOperationDestroy(op);
}

static bool formInBlock(MlirBlock block) {
  MlirOperation next;
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    Role role = roleOf(op);
    bool ok = true;
    if (role == ROLE_CONTROL)
      ok = formForControl(op);
    else if (role == ROLE_COMPUTE || (role == ROLE_FREE && isUsedByHost(op)))
      ok = wrapOperation(op);
    if (!ok)
      return false;
  }
  eraseUnused(mlirBlockGetFirstOperation(block));
  return true;
}

static void run(MlirOperation func, MloptPass pass) {
  MloptFuseTotals before = mloptCountFusions(func);
  bool formed = formInRegions(func);
  if (formed)
    mloptAddTraffic(func, before, MLOPT_FUSE_FOREIGN);
  if (!formed) {
    mloptOpError(func, "cannot be cut into kernels: out of memory, or more "
                       "than 64 results of one operation");
    mloptPassSignalFailure(pass);
  }
}

static MlirDialectHandle (*const dependent[])(void) = {
    mlirGetDialectHandle__mlopt__, mlirGetDialectHandle__tensor__, NULL};

const MloptPassDef mloptPass_formKernels MLOPT_TABLE = {
    .argument = "mlopt-form-kernels",
    .summary = "Cut a level-4 function into mlopt.fusion operations",
    .doc = "Wraps each operation that computes or moves elements in a fusion "
           "of its own, with copies of the scalars, splat constants and index "
           "tensors it uses. Existing fusions stay. The condition of a loop or "
           "a branch becomes one element that a fusion computes and the host "
           "reads.",
    .anchor = "func.func",
    .dependent = dependent,
    .run = run,
};
