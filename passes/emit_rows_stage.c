//===- emit_rows_stage.c - Operands of a row in shared memory -------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread starts bulk copies of the block's stretch of each operand, turn by
// turn; the barrier of a turn counts the bytes of all. Nothing is copied twice
// into the same place, so nobody waits for a place to be free.
//
//   | operand 0: turn 0, 1, .. | operand 1: turn 0, 1, .. | barriers |
//
// Of rows that registers hold, a block that has its own may bring those of a
// block further on into the L2, which that one then need not wait for long:
//
//   block b:          load, reduce | fetch the operands of block b + ahead |
//   store block b + ahead:  load (from the L2), reduce | ..
//
//===----------------------------------------------------------------------===//

#include "emit_rows.h"
#include "nv_tma.h"
#include "target.h"

#include "mlir-c/Dialect/LLVM.h"

/// What of a stretch is copied in one turn.
static int64_t elementsOf(const MloptRows *r, int64_t turn) {
  int64_t size = mloptRowsTurnElements(&r->kernel->schedule);
  int64_t left = r->stretch - turn * size;
  return left < size ? left : size;
}

static int64_t bytesOf(MlirType tensor) {
  return mloptElementWidth(mloptPullMemoryType(mloptElementType(tensor))) / 8;
}

/// Finds where the copies lie, behind each other; the bytes of an element of
/// all.
static int64_t carve(MloptRows *r) {
  const MloptSchedule *s = &r->kernel->schedule;
  MlirValue operands[MLOPT_MAX_STAGED];
  r->tile.numCopies =
      mloptFindStaged(r->kernel->program, r->rows * r->columns, operands);
  int64_t size = s->staged * mloptRowsTurnElements(s), bytes = 0;
  for (intptr_t i = 0; i < r->tile.numCopies; ++i) {
    r->copies[i] = (MloptTileCopy){
        operands[i], mloptNvShared(&r->nv, mloptNvInt(&r->nv, bytes * size))};
    bytes += bytesOf(mlirValueGetType(operands[i]));
  }
  r->tile.copies = r->copies;
  r->ring = (MloptNvRing){.stages = s->staged,
                          .barriers = bytes * size,
                          .consumers = 1,
                          .blocks = 1};
  return bytes;
}

/// Starts the copies of one turn.
static void startTurn(MloptRows *r, int64_t turn, int64_t bytes) {
  MloptNv *nv = &r->nv;
  int64_t count = elementsOf(r, turn);
  int64_t from = turn * mloptRowsTurnElements(&r->kernel->schedule);
  MlirValue barrier =
      mloptNvRingExpect(nv, &r->ring, mloptNvInt(nv, turn), count * bytes);
  MlirValue column = mloptPullIndex(r->pull, from);
  if (!mlirValueIsNull(r->begin))
    column = mloptRowsAdd(r, r->begin, column);
  MlirValue position =
      mloptRowsAdd(r, mloptRowsMultiply(r, r->row, r->columns), column);
  for (intptr_t i = 0; i < r->tile.numCopies; ++i) {
    MlirType type = mlirValueGetType(r->copies[i].tensor);
    MlirValue to = mloptPullAddress(r->pull, r->copies[i].pointer, type,
                                    mloptPullIndex(r->pull, from));
    MlirValue source = mloptPullAddress(
        r->pull, mloptPullFindPointer(r->pull, r->copies[i].tensor), type,
        position);
    mloptNvCopyBulk(nv, to, source, count * bytesOf(type), barrier);
  }
}

/// Starts to bring what a block further on reads of an operand into the L2.
static void fetchOperand(MloptRows *r, MlirValue operand, MlirValue position,
                         int64_t count) {
  MlirType type = mlirValueGetType(operand);
  MlirValue address = mloptPullAddress(
      r->pull, mloptPullFindPointer(r->pull, operand), type, position);
  MlirValue operands[] = {
      mloptBuildUnary(r->b, "llvm.addrspacecast", address,
                      mlirLLVMPointerTypeGet(r->b->context, 1)),
      mloptBuildInt(r->b, mlirIntegerTypeGet(r->b->context, 32),
                    count * bytesOf(type))};
  mloptBuildOp(r->b, (MloptOpSpec){.name = "nvvm.cp.async.bulk.prefetch",
                                   .numOperands = 2,
                                   .operands = operands});
}

void mloptRowsFetchAhead(MloptRows *r) {
  const MloptSchedule *s = &r->kernel->schedule;
  int64_t lines = s->threads / s->line, count = lines * r->columns;
  int64_t last = r->rows / lines - s->ahead;
  if (!s->ahead || last <= 0 || r->isMasked)
    return;
  MlirValue operands[MLOPT_MAX_STAGED];
  intptr_t n =
      mloptFindStaged(r->kernel->program, r->rows * r->columns, operands);
  MlirValue block = mloptReadRegister(r->b, "nvvm.read.ptx.sreg.ctaid.x");
  MlirValue isFirst = mloptBuildCmpI(
      r->b, "eq", mloptReadRegister(r->b, "nvvm.read.ptx.sreg.tid.x"),
      mloptPullIndex(r->pull, 0));
  MlirValue condition = mloptRowsBoth(
      r, isFirst,
      mloptBuildCmpI(r->b, "ult", block, mloptPullIndex(r->pull, last)));
  MloptPullScope scope = mloptPullBeginGuard(r->pull, condition);
  MlirValue position = mloptRowsMultiply(
      r, mloptRowsAdd(r, block, mloptPullIndex(r->pull, s->ahead)), count);
  for (intptr_t i = 0; i < n; ++i)
    if (count * bytesOf(mlirValueGetType(operands[i])) %
            mloptSm90.accessBytes ==
        0)
      fetchOperand(r, operands[i], position, count);
  mloptPullEndGuard(r->pull, condition, scope);
}

bool mloptRowsStage(MloptRows *r) {
  const MloptSchedule *s = &r->kernel->schedule;
  if (!s->staged)
    return true;
  r->nv = mloptNvBegin(r->b, r->kernel->func);
  int64_t bytes = carve(r);
  if (r->ring.barriers + mloptNvRingBytes(&r->ring) > s->shared) {
    mloptOpError(r->kernel->func,
                 "stages %lld bytes of rows, more than its schedule's 'shared'",
                 (long long)r->ring.barriers);
    r->b->failed = true;
    return false;
  }
  MlirValue isFirst =
      mloptBuildCmpI(r->b, "eq", r->thread, mloptPullIndex(r->pull, 0));
  MloptPullScope then = mloptPullBeginBranch(r->pull);
  mloptNvRingInit(&r->nv, &r->ring);
  for (int64_t turn = 0; turn < s->staged; ++turn)
    startTurn(r, turn, bytes);
  mloptPullEndGuard(r->pull, isFirst, then);
  return true;
}

void mloptRowsWaitStage(MloptRows *r, MlirValue column) {
  MlirValue turn = mloptBuildBinary(
      r->b, "arith.divui", column,
      mloptPullIndex(r->pull, mloptRowsTurnElements(&r->kernel->schedule)));
  MloptNvPlace place = {
      mloptBuildUnary(r->b, "arith.index_cast", turn, r->nv.i32),
      mloptNvInt(&r->nv, 0)};
  mloptNvRingWait(&r->nv, &r->ring, place);
}
