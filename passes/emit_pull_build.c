//===- emit_pull_build.c - Loops, branches and addresses ------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What emit_pull.h says of loops, branches and memory: code goes into a scope
// until it ends, and what was computed in it is forgotten then. In memory i1
// takes a byte, f8 is an integer, and two elements of four bits share a byte.
//
//===----------------------------------------------------------------------===//

#include "emit_pull_impl.h"

#include "mlir-c/Dialect/LLVM.h"

//===----------------------------------------------------------------------===//
// Loops and branches
//===----------------------------------------------------------------------===//

static MloptPullScope enter(MloptPull *pull, intptr_t numArgs,
                            const MlirType *types) {
  MloptPullScope scope = {.outer = pull->b.block,
                          .before = pull->b.before,
                          .numCached = pull->numCached,
                          .numPositions = pull->numPositions,
                          .numFacts = pull->numFacts};
  scope.region = mloptCreateRegion(&pull->b, numArgs, types, &scope.inner);
  pull->b.block = scope.inner;
  pull->b.before = (MlirOperation){NULL};
  return scope;
}

/// What was computed inside is not visible outside.
static void leave(MloptPull *pull, const MloptPullScope *scope, intptr_t n,
                  const MlirValue *yielded) {
  mloptBuildOp(&pull->b, (MloptOpSpec){.name = "scf.yield",
                                       .numOperands = n,
                                       .operands = yielded});
  pull->b.block = scope->outer;
  pull->b.before = scope->before;
  pull->numCached = scope->numCached;
  pull->numPositions = scope->numPositions;
  pull->numFacts = scope->numFacts;
}

MloptPullMark mloptPullMark(const MloptPull *pull) {
  return (MloptPullMark){pull->numCached, pull->numPositions, pull->numFacts};
}

void mloptPullReset(MloptPull *pull, MloptPullMark mark) {
  pull->numCached = mark.numCached;
  pull->numPositions = mark.numPositions;
  pull->numFacts = mark.numFacts;
}

MloptPullScope mloptPullBeginFor(MloptPull *pull, intptr_t numCarried,
                                 const MlirValue *init, MlirValue *outIndex,
                                 MlirValue *outCarried) {
  MlirType types[1 + MLOPT_PULL_MAX_CARRIED];
  types[0] = mlirIndexTypeGet(pull->b.context);
  for (intptr_t i = 0; i < numCarried; ++i)
    types[1 + i] =
        mlirValueIsNull(init[i]) ? types[0] : mlirValueGetType(init[i]);
  MloptPullScope scope = enter(pull, 1 + numCarried, types);
  *outIndex = mlirBlockGetArgument(scope.inner, 0);
  for (intptr_t i = 0; i < numCarried; ++i)
    outCarried[i] = mlirBlockGetArgument(scope.inner, 1 + i);
  return scope;
}

void mloptPullEndFor(MloptPull *pull, MloptPullScope scope, MlirValue lower,
                     MlirValue upper, MlirValue step, intptr_t numCarried,
                     const MlirValue *init, const MlirValue *next,
                     MlirValue *out) {
  leave(pull, &scope, numCarried, next);
  MlirValue operands[3 + MLOPT_PULL_MAX_CARRIED] = {lower, upper, step};
  MlirType types[MLOPT_PULL_MAX_CARRIED];
  for (intptr_t i = 0; i < numCarried; ++i) {
    operands[3 + i] = init[i];
    types[i] = mlirValueGetType(mlirBlockGetArgument(scope.inner, 1 + i));
  }
  MlirOperation loop =
      mloptBuildOp(&pull->b, (MloptOpSpec){.name = "scf.for",
                                           .numOperands = 3 + numCarried,
                                           .operands = operands,
                                           .numResults = numCarried,
                                           .results = types,
                                           .numRegions = 1,
                                           .regions = &scope.region});
  for (intptr_t i = 0; i < numCarried; ++i)
    out[i] = pull->b.failed ? (MlirValue){NULL} : mloptResult(loop, i);
}

MloptPullScope mloptPullBeginBranch(MloptPull *pull) {
  return enter(pull, 0, NULL);
}

void mloptPullEndBranch(MloptPull *pull, MloptPullScope *scope,
                        intptr_t numResults, const MlirValue *results) {
  leave(pull, scope, numResults, results);
}

void mloptPullBuildIf(MloptPull *pull, MlirValue condition, MloptPullScope then,
                      MloptPullScope otherwise, intptr_t numResults,
                      const MlirType *types, MlirValue *out) {
  MlirRegion regions[] = {then.region, otherwise.region};
  MlirOperation op =
      mloptBuildOp(&pull->b, (MloptOpSpec){.name = "scf.if",
                                           .numOperands = 1,
                                           .operands = &condition,
                                           .numResults = numResults,
                                           .results = types,
                                           .numRegions = 2,
                                           .regions = regions});
  for (intptr_t i = 0; i < numResults; ++i)
    out[i] = pull->b.failed ? (MlirValue){NULL} : mloptResult(op, i);
}

MloptPullScope mloptPullBeginGuard(MloptPull *pull, MlirValue condition) {
  return mlirValueIsNull(condition) ? (MloptPullScope){.region = {NULL}}
                                    : mloptPullBeginBranch(pull);
}

void mloptPullEndGuard(MloptPull *pull, MlirValue condition,
                       MloptPullScope then) {
  if (mlirValueIsNull(condition))
    return;
  mloptPullEndBranch(pull, &then, 0, NULL);
  MloptPullScope otherwise = mloptPullBeginBranch(pull);
  mloptPullEndBranch(pull, &otherwise, 0, NULL);
  mloptPullBuildIf(pull, condition, then, otherwise, 0, NULL, NULL);
}

//===----------------------------------------------------------------------===//
// Constants and memory
//===----------------------------------------------------------------------===//

MlirValue mloptPullIndex(MloptPull *pull, int64_t value) {
  for (intptr_t i = pull->numConstants; i-- > 0;)
    if (pull->constants[i].number == value)
      return pull->constants[i].value;
  if (pull->b.failed ||
      !mloptPullGrow(pull, (void **)&pull->constants, pull->numConstants,
                     &pull->maxConstants, sizeof *pull->constants))
    return (MlirValue){NULL};
  MloptBuilder b = mloptBuilderAtEnd(pull->entry, pull->b.location);
  b.before = mlirBlockGetFirstOperation(pull->entry);
  MlirValue constant = mloptBuildIndex(&b, value);
  pull->constants[pull->numConstants++] = (MloptPullConstant){value, constant};
  return constant;
}

/// The type an element has in memory: i1 takes a byte.
static MlirType storedType(MlirType element) {
  return mloptIsI1(element) ? mlirIntegerTypeGet(mlirTypeGetContext(element), 8)
                            : element;
}

/// llvm has no f8; memory holds it as the integer of its width.
MlirType mloptPullMemoryType(MlirType element) {
  MlirType stored = storedType(element);
  return mloptIsFloatElement(stored) && mloptElementWidth(stored) == 8
             ? mlirIntegerTypeGet(mlirTypeGetContext(element), 8)
             : stored;
}

MlirValue mloptPullAddress(MloptPull *pull, MlirValue pointer, MlirType tensor,
                           MlirValue position) {
  MlirContext context = pull->b.context;
  if (pull->b.failed)
    return (MlirValue){NULL};
  MlirType i64 = mlirIntegerTypeGet(context, 64);
  position = mloptBuildUnary(&pull->b, "arith.index_castui", position, i64);
  MlirType pointerType = mlirValueGetType(pointer);
  MlirValue operands[] = {pointer, position};
  const int32_t dynamic = INT32_MIN; // LLVM::GEPOp::kDynamicIndex
  MlirNamedAttribute attrs[] = {
      mloptNamedAttr(context, "rawConstantIndices",
                     mlirDenseI32ArrayGet(context, 1, &dynamic)),
      mloptNamedAttr(
          context, "elem_type",
          mlirTypeAttrGet(mloptPullMemoryType(mloptElementType(tensor)))),
  };
  return mloptBuildValue(&pull->b, (MloptOpSpec){.name = "llvm.getelementptr",
                                                 .numOperands = 2,
                                                 .operands = operands,
                                                 .numResults = 1,
                                                 .results = &pointerType,
                                                 .numAttrs = 2,
                                                 .attrs = attrs});
}

MlirValue mloptPullFromMemory(MloptPull *pull, MlirValue stored,
                              MlirType element) {
  MlirType type = mloptPullMemoryType(element);
  if (pull->b.failed || mlirTypeEqual(type, element))
    return stored;
  if (mloptIsI1(element))
    return mloptBuildCmpI(&pull->b, "ne", stored,
                          mloptBuildInt(&pull->b, type, 0));
  return mloptBuildUnary(&pull->b, "arith.bitcast", stored, element);
}

MlirValue mloptPullToMemory(MloptPull *pull, MlirValue element) {
  if (pull->b.failed)
    return element;
  MlirType type = mlirValueGetType(element);
  MlirType memory = mloptPullMemoryType(type);
  if (mlirTypeEqual(type, memory))
    return element;
  return mloptBuildUnary(&pull->b,
                         mloptIsI1(type) ? "arith.extui" : "arith.bitcast",
                         element, memory);
}

/// Four bits of a byte, the low ones for even positions.
static MlirValue loadHalf(MloptPull *pull, MlirValue pointer, MlirType tensor,
                          MlirValue position) {
  MloptBuilder *b = &pull->b;
  MlirType i8 = mlirIntegerTypeGet(b->context, 8);
  MlirValue two = mloptPullIndex(pull, 2), four = mloptPullIndex(pull, 4);
  MlirValue address =
      mloptPullAddress(pull, pointer, mloptWithElementType(tensor, i8),
                       mloptBuildBinary(b, "arith.divui", position, two));
  MlirValue odd = mloptBuildBinary(b, "arith.remui", position, two);
  MlirValue shift = mloptBuildUnary(
      b, "arith.index_cast", mloptBuildBinary(b, "arith.muli", odd, four), i8);
  MlirValue byte = mloptBuildUnary(b, "llvm.load", address, i8);
  return mloptBuildUnary(b, "arith.trunci",
                         mloptBuildBinary(b, "arith.shrui", byte, shift),
                         mloptElementType(tensor));
}

MlirValue mloptPullLoad(MloptPull *pull, MlirValue pointer, MlirType tensor,
                        const MlirValue *indices) {
  MlirType element = mloptElementType(tensor);
  if (mloptElementWidth(element) == 4)
    return loadHalf(pull, pointer, tensor,
                    mloptPullLinearize(pull, tensor, indices));
  MlirValue address = mloptPullAddress(
      pull, pointer, tensor, mloptPullLinearize(pull, tensor, indices));
  MlirValue stored = mloptBuildUnary(&pull->b, "llvm.load", address,
                                     mloptPullMemoryType(element));
  return mloptPullFromMemory(pull, stored, element);
}

void mloptPullStore(MloptPull *pull, MlirValue element, MlirValue pointer,
                    MlirType tensor, const MlirValue *indices) {
  MlirValue stored = mloptPullToMemory(pull, element);
  MlirValue address = mloptPullAddress(
      pull, pointer, tensor, mloptPullLinearize(pull, tensor, indices));
  MlirValue operands[] = {stored, address};
  mloptBuildOp(&pull->b, (MloptOpSpec){.name = "llvm.store",
                                       .numOperands = 2,
                                       .operands = operands});
}
