//===- scan.c - Scan and sort ---------------------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations that work along one dimension and keep it.
//
//===----------------------------------------------------------------------===//

#include "kind.h"
#include "match.h"
#include "strides.h"

static const MloptValueSpec inputs[] = {
    {"inputs", mloptIsTensor, "a ranked tensor", true}};
static const MloptValueSpec outputs[] = {
    {"results", mloptIsTensor, "a ranked tensor", true}};

/// The lines of a small constant along a dimension: line i, of `count`, begins
/// at mloptLineBegin and has `size` elements `stride` apart.
typedef struct Lines {
  int64_t count, size, stride;
} Lines;

static Lines linesOf(MlirType type, int64_t dim) {
  MloptStrides rows = mloptRowMajor(type);
  int64_t size = mloptDim(type, dim);
  return (Lines){mloptNumElements(type) / size, size, rows.at[dim]};
}

static int64_t lineBegin(const Lines *lines, int64_t i) {
  return i / lines->stride * lines->stride * lines->size + i % lines->stride;
}

//===----------------------------------------------------------------------===//
// scan
//===----------------------------------------------------------------------===//

static intptr_t inferScan(const MloptOpDef *def, const MloptInferArgs *args,
                          MlirType *results) {
  MloptSubject s;
  MloptInputs in;
  int64_t dim;
  if (!mloptInferSubject(def, args, &s) ||
      !mloptReadInputs(&s, args->numOperands, args->operandTypes, &in) ||
      !mloptReadDim(&s, "dim", in.rank, &dim))
    return -1;
  for (intptr_t i = 0; i < in.count; ++i)
    results[i] = mloptTensorType(
        in.rank, in.shape, mloptInputsElement(&in, args->operandTypes, i));
  return in.count;
}

static MlirLogicalResult verifyScan(MlirOperation op) {
  return mloptResultOf(mloptCheckKindOrRegion(op));
}

/// Combines along the lines of a constant, in place.
static void scanElements(MlirOperation op, uint64_t start,
                         MloptElements *elements) {
  MloptBinaryFn combine = mloptKindGetFunction(mloptGetKind(op));
  Lines lines = linesOf(elements->type, mloptGetInt(op, "dim"));
  bool reverse = !mlirAttributeIsNull(mloptAttr(op, "reverse"));
  for (int64_t i = 0; i < lines.count; ++i) {
    uint64_t *line = &elements->values[lineBegin(&lines, i)], sum = start;
    for (int64_t j = 0; j < lines.size; ++j) {
      int64_t at = (reverse ? lines.size - 1 - j : j) * lines.stride;
      line[at] = sum = combine(elements->element, sum, line[at]);
    }
  }
}

/// Whether combining equal elements, however many, gives that element.
static bool keepsEqual(MloptKind kind) {
  return kind == MLOPT_KIND_MAX || kind == MLOPT_KIND_MIN ||
         kind == MLOPT_KIND_MAXU || kind == MLOPT_KIND_MINU ||
         kind == MLOPT_KIND_AND || kind == MLOPT_KIND_OR;
}

static MlirLogicalResult foldScan(MlirOperation op,
                                  const MlirAttribute *constants,
                                  MloptFoldResult *results) {
  MloptKind kind = mloptGetKind(op);
  if (kind == MLOPT_KIND_NONE)
    return mloptFailure();
  if (mloptDropNeutralInit(op, constants))
    return mloptSuccess();
  MlirType type = mloptOperandType(op, 0);
  MloptElement e = mloptGetElement(type);
  int64_t size = mloptDim(type, mloptGetInt(op, "dim"));
  bool hasInit = mlirOperationGetNumOperands(op) == 2;
  uint64_t start = mloptKindGetNeutralBits(kind, e), bits;
  if (!hasInit &&
      (size == 0 || (size == 1 && mloptKindKeepsOne(kind, e)) ||
       (keepsEqual(kind) && mloptReadSplat(constants[0], &bits))) &&
      !mloptFailed(mloptFoldToOperand(op, 0, results)))
    return mloptSuccess();
  if (hasInit && !mloptReadSplat(constants[1], &start))
    return mloptFailure();
  MloptElements elements;
  if (!mloptIsSmallConstant(constants[0]) ||
      !mloptReadElements(constants[0], &elements) ||
      (!mloptKindIsExact(kind, e) && (size > 1 || hasInit)))
    return mloptFailure();
  scanElements(op, start, &elements);
  return mloptFoldToAttr(mloptWriteElements(&elements), results);
}

static const MloptAttrSpec scanAttrs[] = {
    MLOPT_REDUCE_KIND_SPEC,
    {"dim", mloptIsI64, "an i64", false, NULL},
    {"reverse", mloptIsUnit, "a unit attribute", true, NULL},
    MLOPT_NUMERICS_SPEC,
};

const MloptOpDef mloptOp_scan MLOPT_TABLE = {
    .name = "mlopt.scan",
    .traits = MLOPT_SINGLE_BLOCK | MLOPT_RECURSIVE_EFFECTS,
    .operands = inputs,
    .numOperands = 1,
    .results = outputs,
    .numResults = 1,
    .attrs = scanAttrs,
    .numAttrs = MLOPT_COUNT(scanAttrs),
    .numRegions = 1,
    .assembly = "(kw($kind)^)? operands `dim` int($dim) (`reverse` "
                "unit($reverse)^)? attr-dict `:` functional-type (region^)?",
    .summary = "Running combination along a dimension",
    .doc =
        "Result element i is the start value combined with elements 0 to i "
        "along `dim`, in that order; with `reverse`, with elements size - 1 "
        "down to i. Kind, region, initial values (the start) and accumulation "
        "are as in reduce: each result is rounded from the accumulator, which "
        "goes on unrounded. `strict` combines one element after the other; "
        "other modes may group them.",
    .example = "%r = mlopt.scan add %x dim 1 : (tensor<2x4xf32>) -> "
               "tensor<2x4xf32>",
    .verify = verifyScan,
    .verifyRegions = mloptVerifyReductionRegion,
    .fold = foldScan,
    .inferTypes = inferScan,
};

//===----------------------------------------------------------------------===//
// sort
//===----------------------------------------------------------------------===//

static bool isSet(MlirOperation op, const char *name) {
  return !mlirAttributeIsNull(mloptAttr(op, name));
}

static bool hasComparator(MlirOperation op) {
  return !mlirBlockIsNull(
      mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)));
}

/// Counts of rows: i32, the lines' shape, then values and chunks, so many that
/// they cover a line.
static bool checkCounts(const MloptSubject *s, MlirType counts, MlirType rows,
                        int64_t dim) {
  int64_t length = mlirIntegerAttrGetValueInt(mloptSubjectAttr(s, "counted"));
  intptr_t rank = mloptRank(rows);
  if (dim != rank - 1)
    return mloptReject(
        s, "is counted along dimension %" PRId64 ", not the last of %" PRIdPTR,
        dim, rank);
  if (length < 1)
    return mloptReject(s,
                       "needs a chunk of at least 1 row, but 'counted' is "
                       "%" PRId64,
                       length);
  bool good = mloptRank(counts) == rank + 1 &&
              mlirTypeIsAInteger(mloptElementType(counts)) &&
              mloptElementWidth(mloptElementType(counts)) == 32;
  for (intptr_t i = 0; good && i < rank - 1; ++i)
    good = mloptSizesAgree(mloptDim(counts, i), mloptDim(rows, i));
  if (good && !mloptIsDynamic(mloptDim(rows, dim)))
    good = mloptSizesAgree(mloptDim(counts, rank),
                           (mloptDim(rows, dim) + length - 1) / length);
  return good ||
         mloptReject(s,
                     "needs counts of i32 for each line, value and chunk of "
                     "%" PRId64 " rows as its last operand",
                     length);
}

static intptr_t inferSort(const MloptOpDef *def, const MloptInferArgs *args,
                          MlirType *results) {
  MloptSubject s;
  int64_t dim;
  if (!mloptInferSubject(def, args, &s))
    return -1;
  bool isCounted = !mlirAttributeIsNull(mloptSubjectAttr(&s, "counted"));
  intptr_t n = args->numOperands - isCounted;
  bool good = n > 0 || mloptReject(&s, "needs at least one operand");
  for (intptr_t i = 0; good && i < n; ++i) {
    results[i] = args->operandTypes[i];
    good =
        mloptShapesAgree(results[0], results[i]) ||
        mloptReject(
            &s, "operand #%" PRIdPTR " has another shape than operand #0", i);
  }
  if (!good || !mloptReadDim(&s, "dim", mloptRank(results[0]), &dim) ||
      (isCounted && !checkCounts(&s, args->operandTypes[n], results[0], dim)))
    return -1;
  return n;
}

/// Runs before and after: absent, or powers of two that rise.
static MlirLogicalResult verifyRuns(MlirOperation op) {
  static const char *const names[] = {"from", "to"};
  int64_t least = 1;
  for (int i = 0; i < MLOPT_COUNT(names); ++i) {
    if (!isSet(op, names[i]))
      continue;
    int64_t run = mloptGetInt(op, names[i]);
    if (run < least || run & (run - 1))
      return mloptOpError(op,
                          "needs a power of two, %" PRId64
                          " at least, but '%s' is %" PRId64,
                          least, names[i], run);
    least = 2 * run;
  }
  return mloptSuccess();
}

static MlirLogicalResult verifySort(MlirOperation op) {
  intptr_t n = mlirOperationGetNumResults(op);
  if (mloptFailed(verifyRuns(op)))
    return mloptFailure();
  int64_t keys = mloptGetInt(op, "num_keys");
  if (!hasComparator(op)) {
    static const char *const ofRegions[] = {"weak_order", "counted"};
    for (int i = 0; i < MLOPT_COUNT(ofRegions); ++i)
      if (isSet(op, ofRegions[i]))
        return mloptOpError(op, "has '%s', but no region", ofRegions[i]);
    if (n > 0 && (keys < 1 || keys > n)) // having none is an error of its own
      return mloptOpError(
          op, "needs 1 to %" PRIdPTR " keys, but 'num_keys' is %" PRId64, n,
          keys);
    return mloptSuccess();
  }
  static const char *const orders[] = {"descending", "unsigned_keys",
                                       "total_order"};
  for (int i = 0; i < MLOPT_COUNT(orders); ++i)
    if (isSet(op, orders[i]))
      return mloptOpError(op, "has a region, which says the order, and '%s'",
                          orders[i]);
  return mloptSuccess();
}

static MlirType pairedType(MlirOperation op, intptr_t i) {
  return mloptElementType(mloptOperandType(op, i / 2));
}

static MlirType i1Type(MlirOperation op, intptr_t i) {
  (void)i;
  return mlirIntegerTypeGet(mlirOperationGetContext(op), 1);
}

static MlirLogicalResult verifySortRegion(MlirOperation op) {
  return mloptVerifyScalarRegion(op, 2 * mlirOperationGetNumResults(op),
                                 pairedType, 1, i1Type);
}

/// The order of a key, as bits that compare as unsigned numbers.
static uint64_t sortKey(MlirOperation op, MloptElement e, uint64_t bits) {
  uint64_t sign = UINT64_C(1) << (mloptNumberWidth(e) - 1);
  if (!mloptNumberIsFloat(e))
    return e == MLOPT_I1 || isSet(op, "unsigned_keys") ? bits : bits ^ sign;
  if (!isSet(op, "total_order")) {
    if (mloptNumberIsNaN(e, bits))
      return UINT64_MAX;
    bits = bits == sign ? 0 : bits;
  }
  return bits & sign ? ~bits & mloptNumberMask(e) : bits | sign;
}

typedef struct Rows {
  MlirOperation op;
  int64_t numKeys;
  intptr_t numOperands;
  MloptElements *operands;
} Rows;

/// Whether the row at place `a` goes before the one at `b`.
static bool goesBefore(const Rows *rows, int64_t a, int64_t b) {
  bool descending = isSet(rows->op, "descending");
  for (int64_t i = 0; i < rows->numKeys; ++i) {
    const MloptElements *keys = &rows->operands[i];
    uint64_t ka = sortKey(rows->op, keys->element, keys->values[a]);
    uint64_t kb = sortKey(rows->op, keys->element, keys->values[b]);
    if (ka != kb)
      return descending ? kb < ka : ka < kb;
  }
  return false;
}

static void swapRows(const Rows *rows, int64_t a, int64_t b) {
  for (intptr_t i = 0; i < rows->numOperands; ++i) {
    uint64_t *values = rows->operands[i].values, value = values[a];
    values[a] = values[b];
    values[b] = value;
  }
}

/// Sorts small constants, by insertion.
static void sortElements(const Rows *rows, int64_t dim) {
  Lines lines = linesOf(rows->operands[0].type, dim);
  for (int64_t i = 0; i < lines.count; ++i) {
    int64_t begin = lineBegin(&lines, i);
    for (int64_t j = 1; j < lines.size; ++j)
      for (int64_t k = begin + j * lines.stride;
           k > begin && goesBefore(rows, k, k - lines.stride);
           k -= lines.stride)
        swapRows(rows, k, k - lines.stride);
  }
}

/// Reads a constant, a small splat spelt out.
static bool readAll(MlirAttribute attr, MloptElements *out) {
  if (!mloptReadElements(attr, out) || out->count > MLOPT_FOLD_LIMIT)
    return false;
  for (int64_t i = 1; out->splat && i < out->count; ++i)
    out->values[i] = out->values[0];
  out->splat = false;
  return true;
}

/// Rows that are already in order: one at most, or all of equal keys.
static bool isInOrder(MlirOperation op, const MlirAttribute *constants) {
  int64_t size = mloptDim(mloptOperandType(op, 0), mloptGetInt(op, "dim"));
  if (size == 0 || size == 1)
    return true;
  uint64_t bits;
  int64_t keys = hasComparator(op) ? mlirOperationGetNumResults(op)
                                   : mloptGetInt(op, "num_keys");
  for (int64_t i = 0; i < keys; ++i)
    if (!mloptReadSplat(constants[i], &bits))
      return false;
  return true;
}

static MlirLogicalResult foldSort(MlirOperation op,
                                  const MlirAttribute *constants,
                                  MloptFoldResult *results) {
  enum { MAX_FOLDED = 4 };
  MloptElements operands[MAX_FOLDED];
  intptr_t n = mlirOperationGetNumResults(op);
  if (isInOrder(op, constants)) {
    MlirLogicalResult result = mloptSuccess();
    for (intptr_t i = 0; i < n && !mloptFailed(result); ++i)
      result = mloptFoldResultTo(op, i, mloptOperand(op, i), results);
    return result;
  }
  if (hasComparator(op) || n > MAX_FOLDED || isSet(op, "to"))
    return mloptFailure();
  for (intptr_t i = 0; i < n; ++i)
    if (!readAll(constants[i], &operands[i]))
      return mloptFailure();
  Rows rows = {op, mloptGetInt(op, "num_keys"), n, operands};
  sortElements(&rows, mloptGetInt(op, "dim"));
  for (intptr_t i = 0; i < n; ++i)
    results[i].attr = mloptWriteElements(&operands[i]);
  return mloptSuccess();
}

static const MloptAttrSpec sortAttrs[] = {
    {"dim", mloptIsI64, "an i64", false, NULL},
    {"num_keys", mloptIsI64, "an i64", false, "1 : i64"},
    {"descending", mloptIsUnit, "a unit attribute", true, NULL},
    {"unsigned_keys", mloptIsUnit, "a unit attribute", true, NULL},
    {"total_order", mloptIsUnit, "a unit attribute", true, NULL},
    {"weak_order", mloptIsUnit, "a unit attribute", true, NULL},
    {"from", mloptIsI64, "an i64", true, NULL},
    {"to", mloptIsI64, "an i64", true, NULL},
    {"counted", mloptIsI64, "an i64", true, NULL},
};

const MloptOpDef mloptOp_sort MLOPT_TABLE = {
    .name = "mlopt.sort",
    .traits = MLOPT_SINGLE_BLOCK | MLOPT_RECURSIVE_EFFECTS,
    .operands = inputs,
    .numOperands = 1,
    .results = outputs,
    .numResults = 1,
    .attrs = sortAttrs,
    .numAttrs = MLOPT_COUNT(sortAttrs),
    .numRegions = 1,
    .assembly = "operands `dim` int($dim) (`keys` int($num_keys)^)? "
                "(`descending` unit($descending)^)? (`unsigned_keys` "
                "unit($unsigned_keys)^)? (`total_order` unit($total_order)^)? "
                "(`weak_order` unit($weak_order)^)? (`from` int($from)^)? "
                "(`to` int($to)^)? (`counted` int($counted)^)? attr-dict `:` "
                "functional-type (region^)?",
    .summary = "Sorts along a dimension, all operands alike",
    .doc =
        "Reorders along `dim` the rows that the operands' elements at one "
        "index form. The first `num_keys` operands are keys, compared in "
        "turn. Integers compare as signed, with `unsigned_keys` as unsigned; "
        "i1 always as unsigned. Floats compare by value, -0.0 equal to +0.0 "
        "and every NaN equal to the others and after all else; with "
        "`total_order` by their bits: -NaN, -infinity, ..., -0.0, +0.0, ..., "
        "infinity, NaN. `descending` reverses the order of the keys, so that "
        "NaN comes first. A region replaces all of this: it takes a pair of "
        "scalars for each operand, a0, b0, a1, b1, ..., and yields whether row "
        "a goes before row b; if it is no strict weak order, some order of the "
        "rows results; `weak_order` promises that it is one. The sort is "
        "stable: equal rows keep their order. `from` "
        "promises that every run of so many rows, counted from the first, is "
        "in order; with `to` only every run of so many is sorted. Both are "
        "powers of two, the second the larger, and the last run of a line may "
        "be shorter. With `counted` the region compares a whole number from 0 "
        "on of row a with that of row b, and there is one operand more, of "
        "i32, which has the lines' shape, then a dimension for the values of "
        "that number and one for chunks of so many rows: how many rows of the "
        "line, up to the end of each chunk, have each value. That is a "
        "promise, and spares counting them.",
    .example = "%k, %v = mlopt.sort %a, %b dim 0 keys 1 : (tensor<8xf32>, "
               "tensor<8xi32>) -> (tensor<8xf32>, tensor<8xi32>)",
    .verify = verifySort,
    .verifyRegions = verifySortRegion,
    .fold = foldSort,
    .inferTypes = inferSort,
};
