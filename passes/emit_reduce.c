//===- emit_reduce.c - Reductions shared between threads ------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emit_reduce.h"

#include "target.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdio.h>

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

MloptShared mloptOpenShared(MlirOperation generic) {
  MloptShared s = {.op = generic,
                   .numResults = mlirOperationGetNumResults(generic)};
  s.numInputs = mlirOperationGetNumOperands(generic) - s.numResults;
  mloptDescribeReduction(generic, &s.loops);
  s.isArg = mloptDescribeArgCombiner(generic, &s.arg);
  if (s.isArg) {
    s.elements[0] = s.arg.x;
    s.elements[1] = s.arg.index;
  }
  for (intptr_t i = 0; i < s.numResults && !s.isArg; ++i) {
    mloptDescribeCombiner(generic, i, &s.combiners[i]);
    s.elements[i] =
        mloptOperand(s.combiners[i].op, 1 - s.combiners[i].accumulator);
  }
  return s;
}

/// Splits a position among some of the loops.
static void openLoops(MloptPull *pull, const MloptReduction *r, intptr_t count,
                      const intptr_t *loops, MlirValue position,
                      MlirValue *out) {
  int64_t sizes[2 * MLOPT_MAX_RANK];
  MlirValue indices[2 * MLOPT_MAX_RANK];
  for (intptr_t i = 0; i < count; ++i)
    sizes[i] = r->sizes[loops[i]];
  mloptPullDelinearize(
      pull,
      mloptTensorType(count, sizes,
                      mlirF32TypeGet(mloptPullGetBuilder(pull)->context)),
      position, indices);
  for (intptr_t i = 0; i < count; ++i)
    out[loops[i]] = indices[i];
}

void mloptSharedLoops(MloptPull *pull, const MloptShared *s, MlirValue kept,
                      MlirValue reduced, MlirValue *outLoops) {
  openLoops(pull, &s->loops, s->loops.numKept, s->loops.kept, kept, outLoops);
  openLoops(pull, &s->loops, s->loops.numReduced, s->loops.reduced, reduced,
            outLoops);
}

bool mloptSharedIsAt(MloptPull *pull, const MloptShared *s, MlirValue kept,
                     const MlirValue *loops) {
  MlirValue at[2 * MLOPT_MAX_RANK + 1];
  openLoops(pull, &s->loops, s->loops.numKept, s->loops.kept, kept, at);
  for (intptr_t i = 0; i < s->loops.numKept; ++i) {
    intptr_t loop = s->loops.kept[i];
    if (s->loops.sizes[loop] > 1 && !mlirValueEqual(loops[loop], at[loop]))
      return false;
  }
  return true;
}

MlirValue mloptBuildNeutral(MloptPull *pull, const MloptShared *s, intptr_t i) {
  if (!s->isArg)
    return mloptBuildConstant(mloptPullGetBuilder(pull),
                              s->combiners[i].neutral);
  // A fill, which is the same everywhere.
  MlirValue loops[2 * MLOPT_MAX_RANK + 1];
  for (intptr_t d = 0; d < s->loops.numLoops; ++d)
    loops[d] = mloptPullIndex(pull, 0);
  return mloptPullGenericOperand(pull, s->op, s->numInputs + i, loops);
}

void mloptSharedElements(MloptPull *pull, const MloptShared *shared,
                         const MlirValue *loops, MlirValue valid,
                         MlirValue *out) {
  mloptPullGenericBody(pull, shared->op, loops, shared->numResults,
                       shared->elements, out);
  for (intptr_t i = 0; i < shared->numResults && !mlirValueIsNull(valid); ++i)
    out[i] = mloptBuildSelect(mloptPullGetBuilder(pull), valid, out[i],
                              mloptBuildNeutral(pull, shared, i));
}

/// One more step, as the combiner's operation does it.
static MlirValue combine(MloptPull *pull, const MloptCombiner *combiner,
                         MlirValue accumulator, MlirValue element) {
  MloptBuilder *b = mloptPullGetBuilder(pull);
  if (b->failed)
    return (MlirValue){NULL};
  MlirValue from[] = {mloptOperand(combiner->op, combiner->accumulator),
                      mloptOperand(combiner->op, 1 - combiner->accumulator)};
  MlirValue to[] = {accumulator, element};
  MlirOperation copy = mloptCloneWithMapping(combiner->op, 2, from, to);
  mlirBlockAppendOwnedOperation(b->block, copy);
  return mloptResult(copy, 0);
}

/// The condition under which `x` goes before `best`, as the body has it.
static MlirValue takes(MloptPull *pull, const MloptArgCombiner *arg,
                       MlirValue x, MlirValue best) {
  MlirValue block[] = {x, best};
  return mloptPullBodySlice(pull, arg->take, 2,
                            (MlirValue[]){arg->x, arg->best}, block);
}

/// The better one, of equals the one with the smaller index.
static void combineArg(MloptPull *pull, const MloptArgCombiner *arg,
                       MlirValue *into, const MlirValue *from) {
  MloptBuilder *b = mloptPullGetBuilder(pull);
  MlirValue isBetter = takes(pull, arg, from[0], into[0]);
  MlirValue isWorse = takes(pull, arg, into[0], from[0]);
  MlirValue isEarlier = mloptBuildCmpI(b, "ult", from[1], into[1]);
  MlirValue one = mloptBuildInt(b, mlirIntegerTypeGet(b->context, 1), 1);
  MlirValue isTied = mloptBuildBinary(b, "arith.xori", isWorse, one);
  MlirValue take =
      mloptBuildBinary(b, "arith.ori", isBetter,
                       mloptBuildBinary(b, "arith.andi", isTied, isEarlier));
  for (int i = 0; i < 2; ++i)
    into[i] = mloptBuildSelect(b, take, from[i], into[i]);
}

void mloptBuildStep(MloptPull *pull, const MloptShared *s, MlirValue *into,
                    const MlirValue *from) {
  if (s->isArg) {
    combineArg(pull, &s->arg, into, from);
    return;
  }
  for (intptr_t i = 0; i < s->numResults; ++i)
    into[i] = combine(pull, &s->combiners[i], into[i], from[i]);
}

void mloptBuildTree(MloptPull *pull, const MloptShared *s, intptr_t count,
                    MlirValue *values) {
  while (count > 1) {
    intptr_t half = (count + 1) / 2;
    for (intptr_t i = 0; i + half < count; ++i)
      mloptBuildStep(pull, s, values + i * s->numResults,
                     values + (i + half) * s->numResults);
    count = half;
  }
}

void mloptBuildFinal(MloptPull *pull, const MloptShared *s,
                     const MlirValue *loops, const MlirValue *found,
                     MlirValue *out) {
  for (intptr_t i = 0; i < s->numResults; ++i)
    out[i] = mloptPullGenericOperand(pull, s->op, s->numInputs + i, loops);
  mloptBuildStep(pull, s, out, found);
}

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

static MlirValue shuffleWord(MloptBuilder *b, const char *kind, MlirValue word,
                             MlirValue offset) {
  MlirType i32 = mlirIntegerTypeGet(b->context, 32);
  char text[32];
  snprintf(text, sizeof text, "#nvvm<shfl_kind %s>", kind);
  // The last lane to read from; upwards, the first.
  int64_t edge = strcmp(kind, "up") ? mloptSm90.warp - 1 : 0;
  MlirValue operands[] = {mloptBuildInt(b, i32, -1), word, offset,
                          mloptBuildInt(b, i32, edge)};
  MlirNamedAttribute attr = mloptNamedAttr(
      b->context, "kind", mlirAttributeParseGet(b->context, mloptStr(text)));
  return mloptBuildValue(b, (MloptOpSpec){.name = "nvvm.shfl.sync",
                                          .numOperands = 4,
                                          .operands = operands,
                                          .numResults = 1,
                                          .results = &i32,
                                          .numAttrs = 1,
                                          .attrs = &attr});
}

static MlirValue castBits(MloptBuilder *b, MlirValue x, MlirType type) {
  return mlirTypeEqual(mlirValueGetType(x), type)
             ? x
             : mloptBuildUnary(b, "arith.bitcast", x, type);
}

MlirValue mloptBuildShuffle(MloptBuilder *b, const char *kind, MlirValue value,
                            MlirValue offset) {
  if (b->failed)
    return value;
  MlirType type = mlirValueGetType(value);
  unsigned width = mloptElementWidth(type);
  MlirType i32 = mlirIntegerTypeGet(b->context, 32);
  MlirType bits = mlirIntegerTypeGet(b->context, width);
  MlirValue x = castBits(b, value, bits);
  if (width == 32) {
    x = shuffleWord(b, kind, x, offset);
  } else if (width < 32) {
    x = shuffleWord(b, kind, mloptBuildUnary(b, "arith.extui", x, i32), offset);
    x = mloptBuildUnary(b, "arith.trunci", x, bits);
  } else {
    MlirValue shift = mloptBuildInt(b, bits, 32);
    MlirValue high = mloptBuildUnary(
        b, "arith.trunci", mloptBuildBinary(b, "arith.shrui", x, shift), i32);
    MlirValue low = mloptBuildUnary(b, "arith.trunci", x, i32);
    high = mloptBuildUnary(b, "arith.extui", shuffleWord(b, kind, high, offset),
                           bits);
    low = mloptBuildUnary(b, "arith.extui", shuffleWord(b, kind, low, offset),
                          bits);
    x = mloptBuildBinary(b, "arith.ori", low,
                         mloptBuildBinary(b, "arith.shli", high, shift));
  }
  return castBits(b, x, type);
}

MlirValue mloptBuildBallot(MloptBuilder *b, MlirValue condition) {
  MlirType i32 = mlirIntegerTypeGet(b->context, 32);
  MlirValue operands[] = {mloptBuildInt(b, i32, -1), condition};
  MlirNamedAttribute kind =
      mloptNamedAttr(b->context, "kind",
                     mlirAttributeParseGet(
                         b->context, mloptStr("#nvvm<vote_sync_kind ballot>")));
  return mloptBuildValue(b, (MloptOpSpec){.name = "nvvm.vote.sync",
                                          .numOperands = 2,
                                          .operands = operands,
                                          .numResults = 1,
                                          .results = &i32,
                                          .numAttrs = 1,
                                          .attrs = &kind});
}

MlirValue mloptBuildCountLanes(MloptBuilder *b, MlirValue lanes) {
  return mloptBuildUnary(b, "arith.index_castui",
                         mloptBuildUnary(b, "math.ctpop", lanes,
                                         mlirIntegerTypeGet(b->context, 32)),
                         mlirIndexTypeGet(b->context));
}

void mloptBuildWarpReduce(MloptPull *pull, const MloptShared *s, int64_t least,
                          int64_t end, MlirValue *values) {
  MlirValue others[MLOPT_PULL_MAX_CARRIED];
  MloptBuilder *b = mloptPullGetBuilder(pull);
  MlirType i32 = mlirIntegerTypeGet(b->context, 32);
  for (int64_t offset = end / 2; offset >= least && offset; offset /= 2) {
    for (intptr_t i = 0; i < s->numResults; ++i)
      others[i] = mloptBuildShuffle(b, "bfly", values[i],
                                    mloptBuildInt(b, i32, offset));
    mloptBuildStep(pull, s, values, others);
  }
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

MlirValue mloptAddShared(MloptKernel *kernel, MlirType element, int64_t count) {
  MloptBuilder *b = mloptPullGetBuilder(kernel->pull);
  MloptBuilder before = mloptBuilderBefore(kernel->func, b->location);
  MlirContext c = b->context;
  char name[32];
  snprintf(name, sizeof name, "shared_%d", kernel->numShared++);
  MlirRegion region = mlirRegionCreate();
  MlirNamedAttribute attrs[] = {
      mloptNamedAttr(c, "sym_name", mloptStrAttr(c, name)),
      mloptNamedAttr(c, "global_type",
                     mlirTypeAttrGet(mlirLLVMArrayTypeGet(
                         mloptPullMemoryType(element), (unsigned)count))),
      mloptNamedAttr(c, "linkage",
                     mlirLLVMLinkageAttrGet(c, MlirLLVMLinkageInternal)),
      mloptNamedAttr(c, "addr_space",
                     mlirIntegerAttrGet(mlirIntegerTypeGet(c, 32), 3)),
      mloptNamedAttr(c, "alignment", mloptI64Attr(c, mloptSm90.accessBytes)),
  };
  mloptBuildOp(&before, (MloptOpSpec){.name = "llvm.mlir.global",
                                      .numAttrs = MLOPT_COUNT(attrs),
                                      .attrs = attrs,
                                      .numRegions = 1,
                                      .regions = &region});
  b->failed |= before.failed;
  MlirNamedAttribute symbol = mloptNamedAttr(
      c, "global_name", mlirFlatSymbolRefAttrGet(c, mloptStr(name)));
  MlirType pointer = mlirLLVMPointerTypeGet(c, 3);
  return mloptBuildValue(b, (MloptOpSpec){.name = "llvm.mlir.addressof",
                                          .numResults = 1,
                                          .results = &pointer,
                                          .numAttrs = 1,
                                          .attrs = &symbol});
}

MlirValue mloptLoadShared(MloptPull *pull, MlirValue array, MlirType element,
                          MlirValue index) {
  MlirType stored = mloptPullMemoryType(element);
  MlirValue address =
      mloptPullAddress(pull, array, mloptTensorType(0, NULL, element), index);
  return mloptPullFromMemory(
      pull,
      mloptBuildUnary(mloptPullGetBuilder(pull), "llvm.load", address, stored),
      element);
}

void mloptStoreShared(MloptPull *pull, MlirValue array, MlirValue element,
                      MlirValue index) {
  MloptBuilder *b = mloptPullGetBuilder(pull);
  if (b->failed)
    return;
  MlirType type = mlirValueGetType(element);
  MlirValue operands[] = {
      mloptPullToMemory(pull, element),
      mloptPullAddress(pull, array, mloptTensorType(0, NULL, type), index)};
  mloptBuildOp(b, (MloptOpSpec){.name = "llvm.store",
                                .numOperands = 2,
                                .operands = operands});
}

/// Each warp's values become those of all warps of its line: row n of an array
/// is line n's, an element each warp's.
static void acrossWarps(MloptKernel *kernel, const MloptShared *s,
                        MlirValue thread, MlirValue *values) {
  MloptPull *pull = kernel->pull;
  MloptBuilder *b = mloptPullGetBuilder(pull);
  const int64_t warp = mloptSm90.warp;
  int64_t warps = kernel->schedule.line / warp, width = 1;
  while (width < warps)
    width *= 2;
  MlirValue arrays[MLOPT_PULL_MAX_CARRIED];
  MlirValue size = mloptPullIndex(pull, warp);
  MlirValue lane = mloptBuildBinary(b, "arith.remui", thread, size);
  MlirValue number = mloptBuildBinary(b, "arith.divui", thread, size);
  MlirValue first = mloptBuildCmpI(b, "eq", lane, mloptPullIndex(pull, 0));
  for (intptr_t i = 0; i < s->numResults; ++i)
    arrays[i] = mloptAddShared(kernel, mlirValueGetType(values[i]),
                               kernel->schedule.threads / warp);
  MloptPullScope then = mloptPullBeginGuard(pull, first);
  for (intptr_t i = 0; i < s->numResults; ++i)
    mloptStoreShared(pull, arrays[i], values[i], number);
  mloptPullEndGuard(pull, first, then);
  mloptBuildBarrier(b);
  MlirValue at =
      mloptBuildBinary(b, "arith.remui", lane, mloptPullIndex(pull, width));
  MlirValue there = {NULL};
  if (width != warps) {
    there = mloptBuildCmpI(b, "ult", at, mloptPullIndex(pull, warps));
    at = mloptBuildSelect(b, there, at, mloptPullIndex(pull, 0));
  }
  if (kernel->schedule.threads > kernel->schedule.line) {
    MlirValue line =
        mloptBuildBinary(b, "arith.divui", number, mloptPullIndex(pull, warps));
    at = mloptBuildBinary(
        b, "arith.addi", at,
        mloptBuildBinary(b, "arith.muli", line, mloptPullIndex(pull, warps)));
  }
  for (intptr_t i = 0; i < s->numResults; ++i) {
    values[i] =
        mloptLoadShared(pull, arrays[i], mlirValueGetType(values[i]), at);
    if (!mlirValueIsNull(there))
      values[i] =
          mloptBuildSelect(b, there, values[i], mloptBuildNeutral(pull, s, i));
  }
  mloptBuildWarpReduce(pull, s, 1, width, values);
}

void mloptBuildLineReduce(MloptKernel *kernel, const MloptShared *s,
                          MlirValue thread, MlirValue *values) {
  const int64_t line = kernel->schedule.line, warp = mloptSm90.warp;
  mloptBuildWarpReduce(kernel->pull, s, 1, line < warp ? line : warp, values);
  if (line > warp)
    acrossWarps(kernel, s, thread, values);
}

void mloptBuildBarrier(MloptBuilder *b) {
  mloptBuildOp(b, (MloptOpSpec){.name = "nvvm.barrier0"});
}

MlirValue mloptBuildElsewhere(MloptBuilder *b, MlirValue array,
                              MlirValue rank) {
  if (b->failed)
    return array;
  MlirType type = mlirLLVMPointerTypeGet(b->context, 7);
  MlirValue operands[] = {array,
                          mloptBuildUnary(b, "arith.index_cast", rank,
                                          mlirIntegerTypeGet(b->context, 32))};
  return mloptBuildValue(b, (MloptOpSpec){.name = "nvvm.mapa",
                                          .numOperands = 2,
                                          .operands = operands,
                                          .numResults = 1,
                                          .results = &type});
}
