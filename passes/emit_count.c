//===- emit_count.c - How many rows have each value -----------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum of ones where a number is that of a loop (MloptCount): a block takes a
// place of the other loops of the result, a chunk of rows, and counts all
// values in shared memory.
//
//   rows     [ r0 .. | .. | .. ]       `vectors` for each thread in a turn
//   numbers    |
//   shared   [ value 0 | value 1 | .. | none of them ]
//
// Whole numbers add up to the same in any order.
//
//===----------------------------------------------------------------------===//

#include "emit_reduce.h"
#include "emit_structured.h"
#include "target.h"

enum { MAX_EACH = 16 };

typedef struct Count {
  MloptKernel *kernel;
  MloptPull *pull;
  MloptBuilder *b;
  MloptCount count;
  MlirType type, number; ///< of the result; i32
  MlirValue array, tid;  ///< shared: of each value, and none
  MlirValue loops[2 * MLOPT_MAX_RANK + 1];
} Count;

static MlirValue apply(Count *s, const char *name, MlirValue x, int64_t n) {
  return mloptBuildBinary(s->b, name, x, mloptPullIndex(s->pull, n));
}

/// Adds one to the count of a value.
static void addOne(Count *s, MlirValue at) {
  MlirContext c = s->b->context;
  MlirType i64 = mlirIntegerTypeGet(c, 64);
  enum { ADD = 1, MONOTONIC = 2 };
  MlirNamedAttribute attrs[] = {
      mloptNamedAttr(c, "bin_op", mlirIntegerAttrGet(i64, ADD)),
      mloptNamedAttr(c, "ordering", mlirIntegerAttrGet(i64, MONOTONIC)),
      mloptNamedAttr(c, "syncscope", mloptStrAttr(c, "block"))};
  MlirValue operands[] = {mloptPullAddress(s->pull, s->array,
                                           mloptTensorType(0, NULL, s->number),
                                           at),
                          mloptBuildInt(s->b, s->number, 1)};
  mloptBuildValue(s->b, (MloptOpSpec){.name = "llvm.atomicrmw",
                                      .numOperands = 2,
                                      .operands = operands,
                                      .numResults = 1,
                                      .results = &s->number,
                                      .numAttrs = MLOPT_COUNT(attrs),
                                      .attrs = attrs});
}

/// Where the row's value is counted: with none, where it is no row.
static MlirValue slotOf(Count *s, MlirValue row) {
  const MloptCount *count = &s->count;
  MlirValue wanted[] = {count->number, count->isRow}, out[2];
  MlirValue end = mloptPullIndex(s->pull, count->rows);
  bool isMasked = !mlirValueIsNull(count->isRow), isCut;
  MlirValue inside = mloptBuildCmpI(s->b, "ult", row, end);
  int64_t turn = s->kernel->schedule.threads * s->kernel->schedule.vectors;
  isCut = count->rows % turn != 0;
  s->loops[count->rowLoop] =
      isCut ? mloptBuildBinary(s->b, "arith.minui", row,
                               mloptPullIndex(s->pull, count->rows - 1))
            : row;
  mloptPullGenericBody(s->pull, count->op, s->loops, isMasked ? 2 : 1, wanted,
                       out);
  MlirValue value = mloptBuildUnary(s->b, "arith.index_castui", out[0],
                                    mlirIndexTypeGet(s->b->context));
  MlirValue none = mloptPullIndex(s->pull, count->values);
  value = mloptBuildBinary(s->b, "arith.minui", value, none);
  if (isMasked)
    value = mloptBuildSelect(s->b, out[1], value, none);
  return isCut ? mloptBuildSelect(s->b, inside, value, none) : value;
}

static void countRows(Count *s) {
  const MloptSchedule *schedule = &s->kernel->schedule;
  MlirValue first, slots[MAX_EACH];
  MloptPullScope loop = mloptPullBeginFor(s->pull, 0, NULL, &first, NULL);
  for (int64_t v = 0; v < schedule->vectors; ++v)
    slots[v] = slotOf(s, mloptBuildBinary(s->b, "arith.addi", s->tid,
                                          apply(s, "arith.addi", first,
                                                v * schedule->threads)));
  for (int64_t v = 0; v < schedule->vectors; ++v)
    addOne(s, slots[v]);
  mloptPullEndFor(
      s->pull, loop, mloptPullIndex(s->pull, 0),
      mloptPullIndex(s->pull, s->count.rows),
      mloptPullIndex(s->pull, schedule->threads * schedule->vectors), 0, NULL,
      NULL, NULL);
}

/// The place of the block among the result's loops but that of the values.
static void openBlock(Count *s) {
  MlirType others = mloptLinesOf(s->type, s->count.valueLoop);
  MlirValue at[MLOPT_MAX_RANK];
  mloptPullDelinearize(s->pull, others,
                       mloptReadRegister(s->b, "nvvm.read.ptx.sreg.ctaid.x"),
                       at);
  for (intptr_t i = 0, n = mloptRank(others); i < n; ++i)
    s->loops[i < s->count.valueLoop ? i : i + 1] = at[i];
}

/// What the value's count is added to, and the sum is stored.
static void storeCount(Count *s) {
  MloptRoot *root = &s->kernel->roots[0];
  MlirValue at[MLOPT_MAX_RANK];
  memcpy(at, s->loops, mloptRank(s->type) * sizeof *at);
  at[s->count.valueLoop] = s->tid;
  intptr_t init = mlirOperationGetNumOperands(s->count.op) - 1;
  MlirValue count = mloptLoadShared(s->pull, s->array, s->number, s->tid);
  MlirValue start =
      mloptPullElement(s->pull, mloptOperand(s->count.op, init), at);
  mloptPullStore(s->pull, mloptBuildBinary(s->b, "arith.addi", start, count),
                 root->pointer, s->type, at);
  root->done = true;
}

void mloptEmitCount(MloptKernel *kernel) {
  Count s = {.kernel = kernel,
             .pull = kernel->pull,
             .b = mloptPullGetBuilder(kernel->pull),
             .type = mlirValueGetType(kernel->roots[0].value)};
  if (kernel->numRoots != 1 || kernel->schedule.vectors > MAX_EACH ||
      !mlirValueIsAOpResult(kernel->roots[0].value) ||
      !mloptDescribeCount(mlirOpResultGetOwner(kernel->roots[0].value),
                          &s.count) ||
      s.count.values >= kernel->schedule.threads) {
    s.b->failed = true;
    return;
  }
  s.number = mloptElementType(s.type);
  s.array = mloptAddShared(kernel, s.number, s.count.values + 1);
  s.tid = mloptReadRegister(s.b, "nvvm.read.ptx.sreg.tid.x");
  openBlock(&s);
  MlirValue isSlot = mloptBuildCmpI(s.b, "ult", s.tid,
                                    mloptPullIndex(s.pull, s.count.values + 1));
  MloptPullScope clear = mloptPullBeginGuard(s.pull, isSlot);
  mloptStoreShared(s.pull, s.array, mloptBuildInt(s.b, s.number, 0), s.tid);
  mloptPullEndGuard(s.pull, isSlot, clear);
  mloptBuildBarrier(s.b);
  countRows(&s);
  mloptBuildBarrier(s.b);
  MlirValue isValue =
      mloptBuildCmpI(s.b, "ult", s.tid, mloptPullIndex(s.pull, s.count.values));
  MloptPullScope store = mloptPullBeginGuard(s.pull, isValue);
  storeCount(&s);
  mloptPullEndGuard(s.pull, isValue, store);
}
