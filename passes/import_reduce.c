//===- import_reduce.c - Reductions and windows ---------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A StableHLO reduce is split into those of its results that do not depend on
// each other. A part becomes mlopt's reduce with a kind when its whole body is
// that kind, an arg_reduce when its whole body is the one that JAX writes for
// argmax and argmin, and else a reduce with a region:
//
//   %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add
//          across dimensions = [1]
//          : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
// becomes
//   %0 = mlopt.reduce add %x dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
//
// An initial value that changes nothing is dropped. Windows likewise; one of a
// kind that only grows along one dimension becomes a scan.
//
//===----------------------------------------------------------------------===//

#include "import.h"

#include <stdio.h>

/// One part of an operation with n inputs, n initial values and a body: the
/// columns `member`, all of them or those of one group.
typedef struct Part {
  int n;
  int member[MLOPT_MAX_BODY_VALUES];
} Part;

static Part partOf(const int *group, int n, int g) {
  Part part = {0};
  for (int i = 0; i < n; ++i)
    if (group[i] == g)
      part.member[part.n++] = i;
  return part;
}

/// The kind of a part; NONE where that takes a region. A reducer that returns
/// its second argument is no `set` here.
static MloptKind kindOf(MlirBlock body, const Part *part) {
  if (part->n != 1)
    return MLOPT_KIND_NONE;
  MloptKind kind = mloptImportKind(body, part->member[0]);
  return kind == MLOPT_KIND_SET ? MLOPT_KIND_NONE : kind;
}

/// Builds `name` for a part, with a kind, or with a region when that is NONE.
/// `inputs` stand for the part's operands; `attrs` has room for one more. An
/// initial value that changes nothing goes.
static void buildPart(MloptImport *in, const char *name, const Part *part,
                      MloptKind kind, const MlirValue *inputs,
                      intptr_t numAttrs, MlirNamedAttribute *attrs) {
  MlirBlock body = mloptImportBodyOf(in->op, 0);
  int n = (int)(in->numOperands / 2);
  MlirValue operands[2 * MLOPT_MAX_BODY_VALUES];
  MlirType results[MLOPT_MAX_BODY_VALUES];
  int args[2 * MLOPT_MAX_BODY_VALUES];
  for (int i = 0; i < part->n; ++i) {
    int column = part->member[i];
    operands[i] = inputs[i];
    operands[part->n + i] = in->operands[n + column];
    results[i] = mloptImportResultType(in, column);
    args[i] = column;
    args[part->n + i] = n + column;
  }
  intptr_t numOperands = 2 * part->n;
  MlirRegion region;
  if (kind != MLOPT_KIND_NONE) {
    attrs[numAttrs++] = mloptImportKindAttr(in->builder->context, kind);
    MlirValue init = mloptOperand(in->op, n + part->member[0]);
    if (mloptImportIsNeutral(init, kind))
      numOperands = 1;
    region = mlirRegionCreate();
  } else {
    region = mloptImportScalarRegion(in->builder, body, numOperands, args,
                                     part->n, part->member);
  }
  MlirOperation op =
      mloptBuildOp(in->builder, (MloptOpSpec){.name = name,
                                              .numOperands = numOperands,
                                              .operands = operands,
                                              .numResults = part->n,
                                              .results = results,
                                              .numAttrs = numAttrs,
                                              .attrs = attrs,
                                              .numRegions = 1,
                                              .regions = &region});
  for (int i = 0; i < part->n && !in->builder->failed; ++i)
    in->results[part->member[i]] = mloptResult(op, i);
}

//===----------------------------------------------------------------------===//
// Arg-reductions
//===----------------------------------------------------------------------===//

static bool isBinary(MlirValue v, const char *name, MlirValue *a,
                     MlirValue *b) {
  if (!mlirValueIsAOpResult(v))
    return false;
  MlirOperation op = mlirOpResultGetOwner(v);
  if (!mloptIsNamed(op, name))
    return false;
  *a = mloptOperand(op, 0);
  *b = mloptOperand(op, 1);
  return true;
}

static bool isCompare(MlirValue v, const char *direction, MlirValue x,
                      MlirValue y) {
  MlirValue a, b;
  if (!isBinary(v, "stablehlo.compare", &a, &b))
    return false;
  MlirOperation op = mlirOpResultGetOwner(v);
  return mloptForeignIsEnum(op, "comparison_direction", direction) &&
         !mloptForeignIsEnum(op, "compare_type", "TOTALORDER") &&
         mlirValueEqual(a, x) && mlirValueEqual(b, y);
}

static bool isSelect(MlirValue v, MlirValue *cond, MlirValue x, MlirValue y) {
  MlirValue a;
  if (!isBinary(v, "stablehlo.select", cond, &a))
    return false;
  MlirOperation op = mlirOpResultGetOwner(v);
  return mlirValueEqual(a, x) && mlirValueEqual(mloptOperand(op, 2), y);
}

/// Whether `pick`, which chooses the accumulated value x over y, is
/// "x is greater, or x is NaN"; integers may leave out the NaN.
static bool isPick(MlirValue pick, const char *direction, MlirValue x,
                   MlirValue y) {
  MlirValue a, b;
  if (isCompare(pick, direction, x, y))
    return !mloptIsFloatElement(mloptElementType(mlirValueGetType(x)));
  if (!isBinary(pick, "stablehlo.or", &a, &b))
    return false;
  return (isCompare(a, direction, x, y) && isCompare(b, "NE", x, x)) ||
         (isCompare(b, direction, x, y) && isCompare(a, "NE", x, x));
}

/// Whether `tie` is "the values are equal, and the first index is lower".
static bool isTie(MlirValue tie, MlirValue x, MlirValue y, MlirValue i,
                  MlirValue j) {
  MlirValue a, b;
  if (!isBinary(tie, "stablehlo.and", &a, &b))
    return false;
  if (isCompare(b, "EQ", x, y) || isCompare(b, "EQ", y, x)) {
    MlirValue other = a;
    a = b;
    b = other;
  }
  return (isCompare(a, "EQ", x, y) || isCompare(a, "EQ", y, x)) &&
         isCompare(b, "LT", i, j);
}

/// Whether the body, over values (columns v) and indices (columns i), is the
/// arg-reduction that prefers `direction`.
static bool isArgBody(MlirBlock body, int v, int i, const char *direction) {
  MlirOperation end = mlirBlockGetTerminator(body);
  MlirValue x = mlirBlockGetArgument(body, v),
            y = mlirBlockGetArgument(body, 2 + v),
            ix = mlirBlockGetArgument(body, i),
            iy = mlirBlockGetArgument(body, 2 + i);
  MlirValue pick, choice, a, b;
  if (!isSelect(mloptOperand(end, v), &pick, x, y) ||
      !isPick(pick, direction, x, y) ||
      !isSelect(mloptOperand(end, i), &choice, ix, iy) ||
      !isBinary(choice, "stablehlo.or", &a, &b))
    return false;
  return (mlirValueEqual(a, pick) && isTie(b, x, y, ix, iy)) ||
         (mlirValueEqual(b, pick) && isTie(a, x, y, ix, iy));
}

/// Whether the values count along dimension `dim` from 0, without wrapping.
static bool isIotaAlong(MlirValue value, int64_t dim) {
  MlirType type = mlirValueGetType(value);
  MlirType element = mloptElementType(type);
  unsigned bits = mloptElementWidth(element) - !mloptIsUnsignedElement(element);
  if (!mlirTypeIsAInteger(element) ||
      (bits < 63 && mloptDim(type, dim) > (int64_t)1 << bits))
    return false;
  while (mlirValueIsAOpResult(value)) {
    MlirOperation op = mlirOpResultGetOwner(value);
    if (mloptIsNamed(op, "stablehlo.iota"))
      return mloptForeignGetInt(op, "iota_dimension", 0) == dim;
    if (!mloptIsNamed(op, "stablehlo.broadcast_in_dim"))
      return false;
    MloptDims dims;
    mloptForeignGetInts(op, "broadcast_dimensions", 0, 0, &dims);
    intptr_t from = 0;
    while (from < dims.n && dims.at[from] != dim)
      ++from;
    value = mloptOperand(op, 0);
    if (from == dims.n ||
        mloptDim(mlirValueGetType(value), from) != mloptDim(type, dim))
      return false;
    dim = from;
    type = mlirValueGetType(value);
  }
  return false;
}

/// Builds an arg_reduce when the reduce is one as a whole: its body, the
/// indices that it reduces, and both initial values.
static bool buildArgReduce(MloptImport *in, const MloptDims *dims) {
  if (in->numOperands != 4 || dims->n != 1)
    return false;
  MlirBlock body = mloptImportBodyOf(in->op, 0);
  int64_t dim = dims->at[0];
  for (int v = 0; v < 2; ++v) {
    MlirValue x = mloptOperand(in->op, v),
              indices = mloptOperand(in->op, 1 - v);
    MlirType type = mlirValueGetType(x);
    bool isMax = isArgBody(body, v, 1 - v, "GT");
    if (!isMax && !isArgBody(body, v, 1 - v, "LT"))
      continue;
    MloptKind kind = isMax ? MLOPT_KIND_MAX : MLOPT_KIND_MIN, neutral = kind;
    if (mloptIsUnsignedElement(type))
      kind = neutral = isMax ? MLOPT_KIND_MAXU : MLOPT_KIND_MINU;
    if (mloptIsI1(mloptElementType(type)))
      neutral = isMax ? MLOPT_KIND_OR : MLOPT_KIND_AND;
    if (!isIotaAlong(indices, dim) ||
        !mloptImportIsNeutral(mloptOperand(in->op, 2 + v), neutral) ||
        !mloptImportIsNeutral(mloptOperand(in->op, 3 - v), MLOPT_KIND_ADD))
      return false;
    MlirContext context = in->builder->context;
    MlirNamedAttribute attrs[] = {
        mloptImportKindAttr(context, kind),
        mloptNamedAttr(context, "dim", mloptI64Attr(context, dim))};
    MlirType results[] = {mloptImportResultType(in, v),
                          mloptImportResultType(in, 1 - v)};
    MlirOperation op =
        mloptBuildOp(in->builder, (MloptOpSpec){.name = "mlopt.arg_reduce",
                                                .numOperands = 1,
                                                .operands = &in->operands[v],
                                                .numResults = 2,
                                                .results = results,
                                                .numAttrs = 2,
                                                .attrs = attrs});
    if (in->builder->failed)
      return true;
    in->results[v] = mloptResult(op, 0);
    in->results[1 - v] = mloptResult(op, 1);
    return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Reduce and map
//===----------------------------------------------------------------------===//

bool mloptImportCheckReduction(MlirOperation op,
                               char reason[MLOPT_REASON_SIZE]) {
  if (!mloptImportCheckBodies(op, reason))
    return false;
  intptr_t n = mlirOperationGetNumOperands(op) / 2;
  for (intptr_t i = 0; i < n; ++i) {
    MlirType input = mloptElementType(mloptOperandType(op, i));
    MlirType init = mloptElementType(mloptOperandType(op, n + i));
    if (mlirTypeEqual(input, init))
      continue;
    snprintf(reason, MLOPT_REASON_SIZE,
             "reducing elements of one type to another is not supported");
    return false;
  }
  return true;
}

void mloptImportReduce(MloptImport *in) {
  MloptDims dims;
  mloptForeignGetInts(in->op, "dimensions", 0, 0, &dims);
  if (buildArgReduce(in, &dims))
    return;
  MlirContext context = in->builder->context;
  MlirBlock body = mloptImportBodyOf(in->op, 0);
  int group[MLOPT_MAX_BODY_VALUES];
  int n = (int)(in->numOperands / 2);
  int numGroups = mloptImportGroups(body, n, group);
  for (int g = 0; g < numGroups; ++g) {
    Part part = partOf(group, n, g);
    MlirValue inputs[MLOPT_MAX_BODY_VALUES];
    for (int i = 0; i < part.n; ++i)
      inputs[i] = in->operands[part.member[i]];
    MlirNamedAttribute attrs[2] = {mloptNamedAttr(
        context, "dims", mloptI64Array(context, dims.n, dims.at))};
    buildPart(in, "mlopt.reduce", &part, kindOf(body, &part), inputs, 1, attrs);
  }
}

void mloptImportMap(MloptImport *in) {
  MlirBlock body = mloptImportBodyOf(in->op, 0);
  MlirValue result = mloptOperand(mlirBlockGetTerminator(body), 0);
  mloptImportBody(in->builder, body, mloptImportResultType(in, 0), in->operands,
                  1, &result, in->results);
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

typedef struct Windows {
  intptr_t rank;
  MloptDims size, strides, baseDilations, windowDilations, low, high;
} Windows;

static Windows readWindows(MloptImport *in) {
  Windows w = {.rank = mloptRank(mloptOperandType(in->op, 0))};
  mloptForeignGetInts(in->op, "window_dimensions", w.rank, 1, &w.size);
  mloptForeignGetInts(in->op, "window_strides", w.rank, 1, &w.strides);
  mloptForeignGetInts(in->op, "base_dilations", w.rank, 1, &w.baseDilations);
  mloptForeignGetInts(in->op, "window_dilations", w.rank, 1,
                      &w.windowDilations);
  mloptForeignGetPadding(in->op, w.rank, &w.low, &w.high);
  return w;
}

/// The dimension along which the windows of all elements up to one (or, in
/// reverse, from one on) lie, or -1.
static int64_t scanDim(MloptImport *in, const Windows *w, bool *reverse) {
  MlirType type = mloptOperandType(in->op, 0);
  int64_t dim = -1;
  for (intptr_t i = 0; i < w->rank; ++i) {
    int64_t size = mloptDim(type, i), padding = w->low.at[i] + w->high.at[i];
    if (w->strides.at[i] != 1 || w->baseDilations.at[i] != 1 ||
        w->windowDilations.at[i] != 1)
      return -1;
    if (w->size.at[i] == 1 && !w->low.at[i] && !w->high.at[i])
      continue;
    bool all = w->size.at[i] == size && padding == size - 1 &&
               (!w->low.at[i] || !w->high.at[i]);
    if (!all || dim >= 0)
      return -1;
    dim = i;
    *reverse = w->high.at[i] != 0;
  }
  return dim;
}

/// Whether combining with the initial value any number of times is the same as
/// once: padding then needs no elements of its own.
static bool isInitIdempotent(MloptImport *in, const Part *part,
                             MloptKind kind) {
  switch (kind) {
  case MLOPT_KIND_MAX:
  case MLOPT_KIND_MIN:
  case MLOPT_KIND_MAXU:
  case MLOPT_KIND_MINU:
  case MLOPT_KIND_AND:
  case MLOPT_KIND_OR:
    return true;
  default: {
    intptr_t n = in->numOperands / 2;
    return mloptImportIsNeutral(mloptOperand(in->op, n + part->member[0]),
                                kind);
  }
  }
}

/// The input with its padding and holes filled with the initial value, as
/// StableHLO defines windows. mlopt's skip both.
static MlirValue padInput(MloptImport *in, MlirValue x, MlirValue init,
                          const Windows *w) {
  MlirType type = mlirValueGetType(x);
  int64_t shape[MLOPT_MAX_RANK];
  MloptDims interior = w->baseDilations;
  for (intptr_t i = 0; i < w->rank; ++i) {
    int64_t size = mloptDim(type, i);
    interior.at[i] -= 1;
    shape[i] = size + w->low.at[i] + w->high.at[i] +
               (size ? (size - 1) * interior.at[i] : 0);
  }
  MlirNamedAttribute attrs[] = {
      mloptImportDims(in->builder->context, "low", &w->low),
      mloptImportDims(in->builder->context, "high", &w->high),
      mloptImportDims(in->builder->context, "interior", &interior)};
  MlirValue operands[] = {x, init};
  return mloptImportBuild(
      in, "mlopt.pad", 2, operands,
      mloptTensorType(w->rank, shape, mloptElementType(type)), 3, attrs);
}

/// StableHLO rounds every step of a running sum to the element type, and each
/// step is a result here: a scan by kind would keep a wider sum, a body does
/// what is written.
static MloptKind scanKind(MloptKind kind, MlirType element) {
  bool rounds = kind == MLOPT_KIND_ADD || kind == MLOPT_KIND_MUL;
  bool narrow = mloptIsFloatElement(element) && mloptElementWidth(element) < 32;
  return rounds && narrow ? MLOPT_KIND_NONE : kind;
}

static void importWindowPart(MloptImport *in, const Part *part, Windows w) {
  MlirContext context = in->builder->context;
  MloptKind kind = kindOf(mloptImportBodyOf(in->op, 0), part);
  intptr_t n = in->numOperands / 2;
  MlirValue inputs[MLOPT_MAX_BODY_VALUES];
  for (int i = 0; i < part->n; ++i)
    inputs[i] = in->operands[part->member[i]];

  bool reverse = false;
  bool plain = kind != MLOPT_KIND_NONE && isInitIdempotent(in, part, kind);
  int64_t dim = plain ? scanDim(in, &w, &reverse) : -1;
  if (dim >= 0) {
    MlirNamedAttribute attrs[3] = {
        mloptNamedAttr(context, "dim", mloptI64Attr(context, dim)),
        mloptNamedAttr(context, "reverse", mlirUnitAttrGet(context))};
    MlirType element = mloptElementType(mlirValueGetType(inputs[0]));
    buildPart(in, "mlopt.scan", part, scanKind(kind, element), inputs,
              reverse ? 2 : 1, attrs);
    return;
  }
  if (!plain && kind != MLOPT_KIND_NONE) {
    inputs[0] = padInput(in, inputs[0], in->operands[n + part->member[0]], &w);
    for (intptr_t i = 0; i < w.rank; ++i) {
      w.low.at[i] = w.high.at[i] = 0;
      w.baseDilations.at[i] = 1;
    }
  }
  MlirNamedAttribute attrs[7] = {
      mloptImportDims(in->builder->context, "window", &w.size),
      mloptImportDims(in->builder->context, "strides", &w.strides),
      mloptImportDims(in->builder->context, "base_dilations", &w.baseDilations),
      mloptImportDims(in->builder->context, "window_dilations",
                      &w.windowDilations),
      mloptImportDims(in->builder->context, "low", &w.low),
      mloptImportDims(in->builder->context, "high", &w.high)};
  buildPart(in, "mlopt.reduce_window", part, kind, inputs, 6, attrs);
}

void mloptImportReduceWindow(MloptImport *in) {
  int group[MLOPT_MAX_BODY_VALUES];
  int n = (int)(in->numOperands / 2);
  int numGroups = mloptImportGroups(mloptImportBodyOf(in->op, 0), n, group);
  for (int g = 0; g < numGroups; ++g) {
    Part part = partOf(group, n, g);
    importWindowPart(in, &part, readWindows(in));
  }
}
