//===- import_sort.c - Sorting --------------------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A comparator that is wholly one of those that JAX writes becomes a number of
// keys, a direction and an order; any other becomes a region. JAX compares
// floats by total order after it has made all zeros and all NaNs alike, which
// is mlopt's order without `total_order`:
//
//   compare LT (a == 0 ? 0 : a != a ? NaN : a), (b likewise), TOTALORDER
//
// and several keys lexicographically:
//
//   a0 < b0 or (a0 == b0 and (a1 < b1 or ...))
//
//===----------------------------------------------------------------------===//

#include "import.h"

#include <math.h>

typedef struct Order {
  bool descending, isUnsigned, total;
} Order;

static MlirOperation definedBy(MlirValue v, const char *name) {
  MlirOperation none = {NULL};
  if (!mlirValueIsAOpResult(v))
    return none;
  MlirOperation op = mlirOpResultGetOwner(v);
  return mloptIsNamed(op, name) ? op : none;
}

/// Whether `v` is `select(compare(direction, x, other), constant, rest)` with a
/// float constant.
static bool isReplacement(MlirValue v, const char *direction, MlirValue x,
                          MlirValue *other, MlirAttribute *constant,
                          MlirValue *rest) {
  MlirOperation select = definedBy(v, "stablehlo.select");
  if (mlirOperationIsNull(select))
    return false;
  MlirOperation compare =
      definedBy(mloptOperand(select, 0), "stablehlo.compare");
  if (mlirOperationIsNull(compare) ||
      !mloptForeignIsEnum(compare, "comparison_direction", direction) ||
      mloptForeignIsEnum(compare, "compare_type", "TOTALORDER") ||
      !mlirValueEqual(mloptOperand(compare, 0), x))
    return false;
  *other = mloptOperand(compare, 1);
  *constant = mloptImportConstantOf(mloptOperand(select, 1));
  *rest = mloptOperand(select, 2);
  return !mlirAttributeIsNull(*constant) && mlirAttributeIsAFloat(*constant);
}

/// Whether `v` is float x with its zeros made +0 and its NaNs made positive.
static bool isCanonical(MlirValue v, MlirValue x) {
  MlirValue other, rest, again;
  MlirAttribute nan, zero;
  if (!isReplacement(v, "NE", x, &other, &nan, &rest) ||
      !mlirValueEqual(other, x) ||
      !isReplacement(rest, "EQ", x, &other, &zero, &again) ||
      !mlirValueEqual(again, x))
    return false;
  MlirAttribute isZero = mloptImportConstantOf(other);
  double value = mlirFloatAttrGetValueDouble(nan);
  return value != value && !signbit(value) && !mlirAttributeIsNull(isZero) &&
         mlirAttributeIsAFloat(isZero) &&
         mlirFloatAttrGetValueDouble(isZero) == 0.0 &&
         mloptImportIsNeutral(mloptOperand(mlirOpResultGetOwner(rest), 1),
                              MLOPT_KIND_ADD);
}

/// Whether `v` compares key k of two elements by `direction`.
static bool comparesKey(MlirValue v, MlirBlock body, int k,
                        const char *direction, bool *total) {
  MlirOperation op = definedBy(v, "stablehlo.compare");
  if (mlirOperationIsNull(op) ||
      !mloptForeignIsEnum(op, "comparison_direction", direction))
    return false;
  MlirValue x = mlirBlockGetArgument(body, 2 * k),
            y = mlirBlockGetArgument(body, 2 * k + 1);
  MlirValue a = mloptOperand(op, 0), b = mloptOperand(op, 1);
  bool plain = mlirValueEqual(a, x) && mlirValueEqual(b, y);
  if (!mloptIsFloatElement(mloptElementType(mlirValueGetType(x)))) {
    *total = false;
    return plain;
  }
  // Plain comparison of floats is no order where there are NaNs: a region.
  *total = plain;
  return mloptForeignIsEnum(op, "compare_type", "TOTALORDER") &&
         (plain || (isCanonical(a, x) && isCanonical(b, y)));
}

/// The number of leading keys that `v` compares, from key k on, by `order`;
/// 0 when it does something else.
static int countKeys(MlirValue v, MlirBlock body, int k, const Order *order) {
  int n = (int)(mlirBlockGetNumArguments(body) / 2);
  if (k == n)
    return 0;
  const char *direction = order->descending ? "GT" : "LT";
  MlirType type = mlirValueGetType(mlirBlockGetArgument(body, 2 * k));
  bool isUnsigned = mloptIsUnsignedElement(type), total;
  bool isFloat = mloptIsFloatElement(mloptElementType(type));
  if (!isFloat && isUnsigned != order->isUnsigned)
    return 0;
  if (comparesKey(v, body, k, direction, &total))
    return !isFloat || total == order->total ? 1 : 0;
  MlirOperation either = definedBy(v, "stablehlo.or");
  if (mlirOperationIsNull(either) ||
      !comparesKey(mloptOperand(either, 0), body, k, direction, &total) ||
      (isFloat && total != order->total))
    return 0;
  MlirOperation both = definedBy(mloptOperand(either, 1), "stablehlo.and");
  if (mlirOperationIsNull(both) ||
      !comparesKey(mloptOperand(both, 0), body, k, "EQ", &total) ||
      (isFloat && total != order->total))
    return 0;
  int rest = countKeys(mloptOperand(both, 1), body, k + 1, order);
  return rest ? rest + 1 : 0;
}

/// Finds the order of a comparator; 0 keys when it takes a region.
static int classify(MlirBlock body, Order *order) {
  MlirValue result = mloptOperand(mlirBlockGetTerminator(body), 0);
  for (int bits = 0; bits < 8; ++bits) {
    *order = (Order){bits & 1, bits & 2, bits & 4};
    int keys = countKeys(result, body, 0, order);
    if (keys)
      return keys;
  }
  return 0;
}

/// Builds mlopt.sort by keys, or by `region` when `keys` is 0.
static MlirOperation buildSort(MloptImport *in, intptr_t n,
                               const MlirValue *operands, int64_t dim, int keys,
                               Order order, MlirRegion region) {
  MlirContext context = in->builder->context;
  MlirAttribute unit = mlirUnitAttrGet(context);
  MlirType results[MLOPT_MAX_BODY_VALUES];
  MlirNamedAttribute attrs[5] = {
      mloptNamedAttr(context, "dim", mloptI64Attr(context, dim)),
      mloptNamedAttr(context, "num_keys",
                     mloptI64Attr(context, keys ? keys : 1))};
  intptr_t numAttrs = 2;
  for (intptr_t i = 0; i < n; ++i)
    results[i] = mlirValueGetType(operands[i]);
  if (order.descending)
    attrs[numAttrs++] = mloptNamedAttr(context, "descending", unit);
  if (order.isUnsigned)
    attrs[numAttrs++] = mloptNamedAttr(context, "unsigned_keys", unit);
  if (order.total)
    attrs[numAttrs++] = mloptNamedAttr(context, "total_order", unit);
  return mloptBuildOp(in->builder, (MloptOpSpec){.name = "mlopt.sort",
                                                 .numOperands = n,
                                                 .operands = operands,
                                                 .numResults = n,
                                                 .results = results,
                                                 .numAttrs = numAttrs,
                                                 .attrs = attrs,
                                                 .numRegions = 1,
                                                 .regions = &region});
}

void mloptImportSort(MloptImport *in) {
  MlirBlock body = mloptImportBodyOf(in->op, 0);
  int64_t rank = mloptRank(mloptOperandType(in->op, 0));
  int64_t dim = mloptForeignGetInt(in->op, "dimension", -1);
  Order order = {0};
  int keys = classify(body, &order);
  MlirRegion region;
  if (keys) {
    region = mlirRegionCreate();
  } else {
    int args[2 * MLOPT_MAX_BODY_VALUES], which = 0;
    for (int i = 0; i < 2 * (int)in->numOperands; ++i)
      args[i] = i;
    region = mloptImportScalarRegion(in->builder, body, 2 * in->numOperands,
                                     args, 1, &which);
    order = (Order){0};
  }
  MlirOperation op = buildSort(in, in->numOperands, in->operands,
                               dim < 0 ? dim + rank : dim, keys, order, region);
  for (intptr_t i = 0; i < in->numOperands && !in->builder->failed; ++i)
    in->results[i] = mloptResult(op, i);
}

//===----------------------------------------------------------------------===//
// Top-k
//===----------------------------------------------------------------------===//

/// The first k elements of the last dimension.
static MlirValue takeFirst(MloptImport *in, MlirValue x, MlirType result) {
  MlirContext context = in->builder->context;
  MloptDims starts = {0}, limits = {0}, strides = {0};
  starts.n = strides.n = limits.n = mloptShape(result, limits.at);
  for (intptr_t i = 0; i < starts.n; ++i)
    strides.at[i] = 1;
  MlirNamedAttribute attrs[] = {mloptImportDims(context, "starts", &starts),
                                mloptImportDims(context, "limits", &limits),
                                mloptImportDims(context, "strides", &strides)};
  return mloptImportBuild(in, "mlopt.slice", 1, &x, result, 3, attrs);
}

/// A stable descending sort of values with their positions, cut off.
void mloptImportTopK(MloptImport *in) {
  MlirContext context = in->builder->context;
  MlirType original = mloptElementType(mloptOperandType(in->op, 0));
  MlirType type = mlirValueGetType(in->operands[0]);
  int64_t dim = mloptRank(type) - 1;
  MlirType index = mloptElementType(mloptImportResultType(in, 1));
  MlirNamedAttribute attr =
      mloptNamedAttr(context, "dim", mloptI64Attr(context, dim));
  MlirValue operands[] = {in->operands[0],
                          mloptImportBuild(in, "mlopt.iota", 0, NULL,
                                           mloptWithElementType(type, index), 1,
                                           &attr)};
  Order order = {.descending = true,
                 .isUnsigned =
                     mloptIsUnsignedElement(original) || mloptIsI1(original),
                 .total = mloptIsFloatElement(original)};
  MlirOperation sort =
      buildSort(in, 2, operands, dim, 1, order, mlirRegionCreate());
  for (int i = 0; i < 2 && !in->builder->failed; ++i)
    in->results[i] =
        takeFirst(in, mloptResult(sort, i), mloptImportResultType(in, i));
}
