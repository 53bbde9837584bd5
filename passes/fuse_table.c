//===- fuse_table.c - What fusion knows about operations ------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row for each operation that is not elementwise, and the work of those
// that are more than an addition. An operation without a row is elementwise by
// its trait, or stays on the host.
//
//===----------------------------------------------------------------------===//

#include "fuse.h"

static const struct {
  const char *name, *text;
} reasons[] = {
#define MLOPT_FUSE_REASON(code, name, text) {name, text},
#include "fuse_reasons.def"
};

const char *mloptFuseReasonGetName(MloptFuseReason reason) {
  return reasons[reason].name;
}

const char *mloptFuseReasonGetText(MloptFuseReason reason) {
  return reasons[reason].text;
}

MloptFuseReason mloptFuseReasonFind(MlirStringRef name) {
  int i = 0;
  while (i < MLOPT_COUNT(reasons) && !mloptStrEq(name, reasons[i].name))
    ++i;
  return (MloptFuseReason)i;
}

/// Work: a multifunction operation costs some 8 additions, a function by
/// polynomials some 16, one in double-double steps 40.
static const struct {
  const MloptOpDef *def;
  MloptFuseTraits traits;
} rows[] = {
    {&mloptOp_constant, {MLOPT_ACCESS_CONSTANT, 0, MLOPT_FUSE_FUSED}},
    {&mloptOp_iota, {MLOPT_ACCESS_CREATE, 1, MLOPT_FUSE_FUSED}},
    {&mloptOp_reshape, {MLOPT_ACCESS_RESHAPE, 0, MLOPT_FUSE_FUSED}},
    {&mloptOp_transpose, {MLOPT_ACCESS_TRANSPOSE, 0, MLOPT_FUSE_FUSED}},
    {&mloptOp_broadcast, {MLOPT_ACCESS_BROADCAST, 0, MLOPT_FUSE_FUSED}},
    {&mloptOp_slice, {MLOPT_ACCESS_MOVE, 1, MLOPT_FUSE_FUSED}},
    {&mloptOp_pad, {MLOPT_ACCESS_MOVE, 4, MLOPT_FUSE_FUSED}},
    {&mloptOp_concat, {MLOPT_ACCESS_MOVE, 4, MLOPT_FUSE_FUSED}},
    {&mloptOp_reverse, {MLOPT_ACCESS_MOVE, 1, MLOPT_FUSE_FUSED}},
    {&mloptOp_dynamic_slice, {MLOPT_ACCESS_MOVE, 2, MLOPT_FUSE_FUSED}},
    {&mloptOp_dynamic_update_slice, {MLOPT_ACCESS_MOVE, 4, MLOPT_FUSE_FUSED}},
    {&mloptOp_gather, {MLOPT_ACCESS_GATHER, 8, MLOPT_FUSE_FUSED}},
    {&mloptOp_reduce, {MLOPT_ACCESS_REDUCE, 2, MLOPT_FUSE_FUSED}},
    {&mloptOp_arg_reduce, {MLOPT_ACCESS_REDUCE, 4, MLOPT_FUSE_FUSED}},
    {&mloptOp_dot, {MLOPT_ACCESS_ALONE, 2, MLOPT_FUSE_CONTRACTION}},
    {&mloptOp_conv, {MLOPT_ACCESS_ALONE, 2, MLOPT_FUSE_CONTRACTION}},
    {&mloptOp_scatter, {MLOPT_ACCESS_ALONE, 8, MLOPT_FUSE_SCATTER}},
    {&mloptOp_scan, {MLOPT_ACCESS_ALONE, 2, MLOPT_FUSE_SCAN}},
    {&mloptOp_sort, {MLOPT_ACCESS_ALONE, 8, MLOPT_FUSE_SORT}},
    {&mloptOp_reduce_window, {MLOPT_ACCESS_ALONE, 8, MLOPT_FUSE_WINDOW}},
    {&mloptOp_bitcast, {MLOPT_ACCESS_ELEMENTWISE, 0, MLOPT_FUSE_FUSED}},
    {&mloptOp_select, {MLOPT_ACCESS_ELEMENTWISE, 1, MLOPT_FUSE_FUSED}},
    {&mloptOp_clamp, {MLOPT_ACCESS_ELEMENTWISE, 2, MLOPT_FUSE_FUSED}},
// Elementwise operations of more work than one addition.
#define WORK(op, work)                                                         \
  {                                                                            \
    &mloptOp_##op, { MLOPT_ACCESS_ELEMENTWISE, work, MLOPT_FUSE_FUSED }        \
  }
    WORK(sqrt, 8),
    WORK(rsqrt, 8),
    WORK(div, 8),
    WORK(divu, 8),
    WORK(rem, 16),
    WORK(remu, 16),
    WORK(exp, 8),
    WORK(expm1, 16),
    WORK(log, 16),
    WORK(log1p, 16),
    WORK(logistic, 16),
    WORK(cbrt, 16),
    WORK(sin, 16),
    WORK(cos, 16),
    WORK(tan, 16),
    WORK(asin, 16),
    WORK(acos, 16),
    WORK(atan, 16),
    WORK(sinh, 16),
    WORK(cosh, 16),
    WORK(tanh, 16),
    WORK(asinh, 40),
    WORK(acosh, 40),
    WORK(atanh, 40),
    WORK(erf, 16),
    WORK(erfc, 40),
    WORK(pow, 40),
    WORK(atan2, 40),
#undef WORK
};

static bool isStaticTensor(MlirType type) {
  return mlirTypeIsARankedTensor(type) && mlirShapedTypeHasStaticShape(type);
}

/// Whether all operands and results are tensors of static shape; `*empty` when
/// one has no elements.
static bool hasStaticTensors(MlirOperation op, bool *empty) {
  intptr_t numOperands = mlirOperationGetNumOperands(op);
  intptr_t n = numOperands + mlirOperationGetNumResults(op);
  for (intptr_t i = 0; i < n; ++i) {
    MlirType type = i < numOperands ? mloptOperandType(op, i)
                                    : mloptResultType(op, i - numOperands);
    if (!isStaticTensor(type))
      return false;
    *empty |= mloptNumElements(type) == 0;
  }
  return true;
}

/// Whether the operation adds or multiplies floats in the order of `strict`.
static bool sumsInOrder(MlirOperation op) {
  MloptKind kind = mloptGetKind(op);
  return mloptIsA(op, &mloptOp_reduce) &&
         mloptGetNumerics(op) == MLOPT_NUMERICS_STRICT &&
         (kind == MLOPT_KIND_ADD || kind == MLOPT_KIND_MUL) &&
         mloptIsFloatElement(mloptElementType(mloptOperandType(op, 0)));
}

/// A bit cast between widths moves elements; a reduction of one element for
/// each result computes element by element; a sum in a given order has many
/// steps, which nothing else should repeat.
static void refine(MlirOperation op, MloptFuseTraits *traits) {
  bool isBitcast = mloptIsA(op, &mloptOp_bitcast);
  if (!isBitcast && traits->access != MLOPT_ACCESS_REDUCE)
    return;
  bool same = mloptNumElements(mloptOperandType(op, 0)) ==
              mloptNumElements(mloptResultType(op, 0));
  if (isBitcast && !same)
    traits->access = MLOPT_ACCESS_MOVE;
  if (!isBitcast && same)
    traits->access = MLOPT_ACCESS_RESHAPE;
  else if (!isBitcast && sumsInOrder(op))
    *traits = (MloptFuseTraits){MLOPT_ACCESS_ALONE, 2, MLOPT_FUSE_ORDERED};
}

MloptFuseTraits mloptFuseGetTraits(MlirOperation op) {
  const MloptFuseTraits host = {MLOPT_ACCESS_HOST, 0, MLOPT_FUSE_FOREIGN};
  const MloptOpDef *def = mloptGetOpDef(op);
  bool empty = false;
  if (!def || !hasStaticTensors(op, &empty))
    return host;
  MloptFuseTraits traits = host;
  if (def->traits & MLOPT_ELEMENTWISE)
    traits = (MloptFuseTraits){MLOPT_ACCESS_ELEMENTWISE, 1, MLOPT_FUSE_FUSED};
  for (int i = 0; i < MLOPT_COUNT(rows); ++i)
    if (rows[i].def == def)
      traits = rows[i].traits;
  if (traits.access == MLOPT_ACCESS_HOST)
    return host;
  if (empty && traits.access != MLOPT_ACCESS_CONSTANT)
    return (MloptFuseTraits){MLOPT_ACCESS_ALONE, 0, MLOPT_FUSE_EMPTY};
  refine(op, &traits);
  return traits;
}
