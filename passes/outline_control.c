//===- outline_control.c - Loops and branches of launch plans -------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What scf.while, scf.if and scf.index_switch carry lives in buffers, so that
// the operations themselves carry nothing:
//
//   %r = scf.while (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> { ... }
// becomes
//   memref.copy %x, %buffer
//   scf.while : () -> () { ... } do { ...; memref.copy %next, %buffer }
//
//===----------------------------------------------------------------------===//

#include "outline_impl.h"

static MlirRegion translateRegion(MloptOutline *o, MlirOperation op,
                                  intptr_t i) {
  MlirBlock block;
  MlirRegion region = mloptCreateRegion(&o->allocs, 0, NULL, &block);
  mloptOutlineBlock(o, mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i)),
                    block);
  return region;
}

/// What a turn yields, into the loop's buffers. One that holds another
/// buffer's old value is set aside before any is written.
static void copyYielded(MloptOutline *o, MloptBuilder *b, MlirOperation yield,
                        intptr_t count, const MlirValue *carried) {
  MlirValue aside[MLOPT_MAX_PARAMETERS];
  for (intptr_t i = 0; i < count; ++i) {
    MlirValue value = mloptOutlineFind(o, mloptOperand(yield, i));
    aside[i] = value;
    for (intptr_t j = 0; j < i; ++j)
      if (mlirValueEqual(carried[j], value) &&
          !mlirValueEqual(value, carried[i])) {
        aside[i] =
            mloptOutlineAllocate(o, mlirValueGetType(mloptOperand(yield, i)));
        mloptOutlineCopy(b, value, aside[i]);
        break;
      }
  }
  for (intptr_t i = 0; i < count; ++i)
    mloptOutlineCopy(b, aside[i], carried[i]);
}

void mloptOutlineWhile(MloptOutline *o, MloptBuilder *b, MlirOperation loop) {
  intptr_t count = mlirOperationGetNumOperands(loop);
  MlirBlock before = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  MlirBlock after = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 1));
  MlirOperation condition = mlirBlockGetTerminator(before);
  MlirValue carried[MLOPT_MAX_PARAMETERS];
  if (count > MLOPT_MAX_PARAMETERS) {
    mloptOutlineRefuse(o, loop, "a loop carries at most 256 values");
    return;
  }
  for (intptr_t i = 0; i < count; ++i) {
    MlirValue initial = mloptOperand(loop, i);
    if (!mlirTypeIsAShaped(mlirValueGetType(initial))) {
      mloptOutlineRefuse(o, loop, "it carries a scalar");
      return;
    }
    carried[i] = mloptOutlineAllocate(o, mlirValueGetType(initial));
    mloptOutlineCopy(b, mloptOutlineFind(o, initial), carried[i]);
    mloptOutlineBind(o, mlirBlockGetArgument(before, i), carried[i]);
  }
  MlirRegion regions[2];
  regions[0] = translateRegion(o, loop, 0);
  for (intptr_t i = 1, n = mlirOperationGetNumOperands(condition); i < n; ++i) {
    MlirValue forwarded = mloptOutlineFind(o, mloptOperand(condition, i));
    mloptOutlineBind(o, mlirBlockGetArgument(after, i - 1), forwarded);
    mloptOutlineBind(o, mloptResult(loop, i - 1), forwarded);
  }
  MlirBlock block;
  regions[1] = mloptCreateRegion(b, 0, NULL, &block);
  mloptOutlineBlock(o, after, block);
  if (!o->failed) {
    // Before the scf.yield that mloptOutlineBlock has put there.
    MloptBuilder end =
        mloptBuilderBefore(mlirBlockGetTerminator(block), b->location);
    copyYielded(o, &end, mlirBlockGetTerminator(after), count, carried);
    o->failed |= end.failed;
  }
  mloptBuildOp(
      b,
      (MloptOpSpec){.name = "scf.while", .numRegions = 2, .regions = regions});
}

/// scf.if and scf.index_switch: each branch copies what it yields.
void mloptOutlineBranches(MloptOutline *o, MloptBuilder *b, MlirOperation op) {
  enum { MAX_BRANCHES = 64 };
  intptr_t count = mlirOperationGetNumResults(op);
  intptr_t numRegions = mlirOperationGetNumRegions(op);
  if (numRegions > MAX_BRANCHES || count > MLOPT_MAX_PARAMETERS) {
    mloptOutlineRefuse(o, op, "a branch has at most 64 cases and 256 results");
    return;
  }
  MlirValue results[MLOPT_MAX_PARAMETERS];
  for (intptr_t i = 0; i < count; ++i)
    results[i] = mloptOutlineAllocate(o, mlirValueGetType(mloptResult(op, i)));
  MlirRegion regions[MAX_BRANCHES];
  for (intptr_t r = 0; r < numRegions; ++r) {
    MlirBlock from = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
    regions[r] = mlirRegionCreate();
    if (mlirBlockIsNull(from))
      continue;
    MlirBlock block = mlirBlockCreate(0, NULL, NULL);
    mlirRegionAppendOwnedBlock(regions[r], block);
    mloptOutlineBlock(o, from, block);
    if (o->failed)
      continue;
    MloptBuilder end =
        mloptBuilderBefore(mlirBlockGetTerminator(block), b->location);
    for (intptr_t i = 0; i < count; ++i)
      mloptOutlineCopy(
          &end,
          mloptOutlineFind(o, mloptOperand(mlirBlockGetTerminator(from), i)),
          results[i]);
    o->failed |= end.failed;
  }
  for (intptr_t i = 0; i < count; ++i)
    mloptOutlineBind(o, mloptResult(op, i), results[i]);
  MlirValue condition = mloptOutlineFind(o, mloptOperand(op, 0));
  MlirAttribute cases = mloptAttr(op, "cases");
  MlirNamedAttribute attr = {.name = {NULL}};
  if (!mlirAttributeIsNull(cases))
    attr = mloptNamedAttr(o->context, "cases", cases);
  mloptBuildOp(b, (MloptOpSpec){.name = mloptIsNamed(op, "scf.if")
                                            ? "scf.if"
                                            : "scf.index_switch",
                                .numOperands = 1,
                                .operands = &condition,
                                .numAttrs = mlirAttributeIsNull(cases) ? 0 : 1,
                                .attrs = &attr,
                                .numRegions = numRegions,
                                .regions = regions});
}
