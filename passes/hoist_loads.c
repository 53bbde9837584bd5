//===- hoist_loads.c - Loads before what uses them ------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %a = address(0); %x = load %a; f(%x)     %a = address(0); %b = address(1)
//   %b = address(1); %y = load %b; f(%y)  -> %x = load %a; %y = load %b
//                                            f(%x); f(%y)
//
//===----------------------------------------------------------------------===//

#include "hoist_loads.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>
#include <string.h>

/// Operations of an address that are looked at, again where it is no tree.
enum { MAX_STEPS = 256 };

static bool isGlobalLoad(MlirOperation op) {
  return mloptIsNamed(op, "llvm.load") &&
         mlirLLVMPointerTypeGetAddressSpace(mloptOperandType(op, 0)) == 0;
}

/// Operations that depend on nothing but their operands.
static bool isPure(MlirOperation op) {
  static const char *const starts[] = {
      "arith.", "llvm.bitcast", "llvm.extractelement", "llvm.getelementptr",
      "nvvm.read.ptx.sreg."};
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  bool isPure = false;
  for (int i = 0; i < MLOPT_COUNT(starts); ++i)
    isPure |= name.length >= strlen(starts[i]) &&
              !memcmp(name.data, starts[i], strlen(starts[i]));
  return isPure;
}

/// What defines an operand, where that comes behind `last` in this block;
/// behind null comes everything.
static MlirOperation definedBehind(MlirBlock block, MlirValue operand,
                                   MlirOperation last) {
  MlirOperation none = {NULL};
  if (!mlirValueIsAOpResult(operand))
    return none;
  MlirOperation op = mlirOpResultGetOwner(operand);
  bool isBehind =
      mlirBlockEqual(mlirOperationGetBlock(op), block) &&
      (mlirOperationIsNull(last) || mlirOperationIsBeforeInBlock(last, op));
  return isBehind ? op : none;
}

/// Whether everything that an operation needs comes up to `last` or can be
/// moved there, no load among it; false after that many `steps`.
static bool isReady(MlirBlock block, MlirOperation op, MlirOperation last,
                    int *steps) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    MlirOperation def = definedBehind(block, mloptOperand(op, i), last);
    if (!mlirOperationIsNull(def) &&
        (--*steps < 0 || !isPure(def) || !isReady(block, def, last, steps)))
      return false;
  }
  return true;
}

/// Moves an operation behind `last`, what it needs first; it is the last then.
static void moveUp(MlirBlock block, MlirOperation op, MlirOperation *last) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    MlirOperation def = definedBehind(block, mloptOperand(op, i), *last);
    if (!mlirOperationIsNull(def))
      moveUp(block, def, last);
  }
  MlirOperation first = mlirBlockGetFirstOperation(block);
  if (!mlirOperationIsNull(*last))
    mlirOperationMoveAfter(op, *last);
  else if (!mlirOperationEqual(op, first))
    mlirOperationMoveBefore(op, first);
  *last = op;
}

bool mloptHoistLoads(MlirBlock block) {
  intptr_t count = 0, capacity = 0, moved = 0;
  MlirOperation *loads = NULL, last = {NULL};
  do {
    moved = count = 0;
    for (MlirOperation op = mlirOperationIsNull(last)
                                ? mlirBlockGetFirstOperation(block)
                                : mlirOperationGetNextInBlock(last);
         !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
      int steps = MAX_STEPS;
      if (!isGlobalLoad(op) || !isReady(block, op, last, &steps))
        continue;
      if (count == capacity) {
        capacity = capacity ? 2 * capacity : 16;
        MlirOperation *more = realloc(loads, (size_t)capacity * sizeof *more);
        if (!more) {
          free(loads);
          return false;
        }
        loads = more;
      }
      loads[count++] = op;
    }
    for (; moved < count; ++moved)
      moveUp(block, loads[moved], &last);
  } while (moved);
  free(loads);
  return true;
}
