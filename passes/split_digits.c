//===- split_digits.c - Sorts by one digit after the other ----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows whose order one key says are sorted by its last digit, then by the one
// before it, and so on: each sort is stable, so what the last ones have ordered
// stays. A digit has so few values that its rows can be counted, and then every
// row's place is known. For each digit of eight bits, three fusions:
//
//   %c = mlopt.fusion (%a = %keys : tensor<1048576xi32>)
//       -> tensor<256x256xi32> {
//     linalg.generic ... of each value and chunk of 4096 rows, how many have it
//   }
//   %s = mlopt.fusion (%a = %c : ..) -> tensor<256x256xi32> {
//     mlopt.scan %a, %zero dim 1    up to the end of each chunk
//   }
//   %r:2 = mlopt.fusion (%a = %keys, %b = %rows, %c = %s : ..) -> ... {
//     mlopt.sort %a, %b, %c dim 0 counted 4096    by (key >> shift) & 255
//   }
//
// The key's bits are first made such that they compare as unsigned numbers.
//
// Reference: Merrill and Grimshaw, High Performance and Scalable Radix Sorting,
// 2011, which scatters so after a scan of each block's counts.
//
//===----------------------------------------------------------------------===//

#include "schedule.h"
#include "split_sorts.h"
#include "to_linalg.h"

enum { DIGIT = 8, WORD = 32 };

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

static bool isIn(MlirBlock body, MlirValue value) {
  return mlirValueIsAOpResult(value) &&
         mlirBlockEqual(mlirOperationGetBlock(mlirOpResultGetOwner(value)),
                        body);
}

static bool isArgument(MlirBlock body, MlirValue value) {
  return mlirValueIsABlockArgument(value) &&
         mlirBlockEqual(mlirBlockArgumentGetOwner(value), body);
}

static bool haveSameAttributes(MlirOperation x, MlirOperation y) {
  intptr_t n = mlirOperationGetNumAttributes(x);
  bool same = n == mlirOperationGetNumAttributes(y);
  for (intptr_t i = 0; same && i < n; ++i)
    same = mlirAttributeEqual(mlirOperationGetAttribute(x, i).attribute,
                              mlirOperationGetAttribute(y, i).attribute);
  return same;
}

/// Whether y is of one row what x is of the other, `out->argument` of it;
/// `*steps` is how far to look.
static bool mirrors(MlirValue x, MlirValue y, MloptSortKey *out, int *steps) {
  if (--*steps < 0)
    return false;
  if (isArgument(out->body, x)) {
    intptr_t number = mlirBlockArgumentGetArgNumber(x);
    bool isFirst = mlirValueIsNull(out->argument);
    if (isFirst)
      out->argument = x;
    return mlirValueEqual(out->argument, x) && isArgument(out->body, y) &&
           mlirBlockArgumentGetArgNumber(y) == (number ^ 1);
  }
  if (!isIn(out->body, x) || !isIn(out->body, y))
    return mlirValueEqual(x, y);
  MlirOperation a = mlirOpResultGetOwner(x), b = mlirOpResultGetOwner(y);
  intptr_t n = mlirOperationGetNumOperands(a);
  bool same =
      mlirIdentifierEqual(mlirOperationGetName(a), mlirOperationGetName(b)) &&
      mlirOperationGetNumResults(a) == 1 && !mlirOperationGetNumRegions(a) &&
      mlirTypeEqual(mlirValueGetType(x), mlirValueGetType(y)) &&
      n == mlirOperationGetNumOperands(b) && haveSameAttributes(a, b);
  for (intptr_t i = 0; same && i < n; ++i)
    same = mirrors(mloptOperand(a, i), mloptOperand(b, i), out, steps);
  return same;
}

static MlirOperation ownerOf(MlirBlock body, MlirValue value,
                             const char *name) {
  MlirOperation op =
      isIn(body, value) ? mlirOpResultGetOwner(value) : (MlirOperation){NULL};
  return !mlirOperationIsNull(op) && mloptIsNamed(op, name)
             ? op
             : (MlirOperation){NULL};
}

static bool isPredicate(MlirOperation compare, int64_t predicate) {
  return mlirIntegerAttrGetValueInt(mloptAttr(compare, "predicate")) ==
         predicate;
}

/// The comparison in `x is a number and x < y or one of them is none`, which
/// puts NaNs behind all else; null where it is anything else.
static MlirOperation findLessOrNaN(MlirBlock body, MlirOperation both) {
  enum { ORD = 7, ULT = 11 };
  for (intptr_t i = 0; i < 2; ++i) {
    MlirOperation number = ownerOf(body, mloptOperand(both, i), "arith.cmpf");
    MlirOperation less = ownerOf(body, mloptOperand(both, 1 - i), "arith.cmpf");
    if (!mlirOperationIsNull(number) && !mlirOperationIsNull(less) &&
        isPredicate(number, ORD) && isPredicate(less, ULT) &&
        mlirValueEqual(mloptOperand(number, 0), mloptOperand(less, 0)) &&
        mlirValueEqual(mloptOperand(number, 1), mloptOperand(less, 0)))
      return less;
  }
  return (MlirOperation){NULL};
}

/// The comparison that a comparator is, and whether it asks for more, for
/// signed integers, for a number first.
static MlirOperation findCompare(MlirBlock body, bool *isMore, bool *isSigned,
                                 bool *isOrdered) {
  static const struct {
    const char *name;
    int64_t predicate; ///< of the operation's enumeration
    bool isMore, isSigned;
  } rows[] = {
      {"arith.cmpf", 2, true, false},  // ogt
      {"arith.cmpf", 4, false, false}, // olt
      {"arith.cmpi", 2, false, true},  // slt
      {"arith.cmpi", 4, true, true},   // sgt
      {"arith.cmpi", 6, false, false}, // ult
      {"arith.cmpi", 8, true, false},  // ugt
  };
  MlirValue result = mloptOperand(mlirBlockGetTerminator(body), 0);
  MlirOperation both = ownerOf(body, result, "arith.andi");
  *isMore = *isSigned = *isOrdered = false;
  if (!mlirOperationIsNull(both)) {
    *isOrdered = true;
    return findLessOrNaN(body, both);
  }
  for (int i = 0; i < MLOPT_COUNT(rows); ++i) {
    MlirOperation compare = ownerOf(body, result, rows[i].name);
    if (mlirOperationIsNull(compare) ||
        !isPredicate(compare, rows[i].predicate))
      continue;
    *isMore = rows[i].isMore;
    *isSigned = rows[i].isSigned;
    return compare;
  }
  return (MlirOperation){NULL};
}

bool mloptReadSortKey(MlirOperation sort, MloptSortKey *out) {
  enum { STEPS = 64, LEAST_FLOAT = 16 };
  int steps = STEPS;
  bool isMore, isOrdered;
  *out = (MloptSortKey){
      .body = mlirRegionGetFirstBlock(mlirOperationGetRegion(sort, 0))};
  MlirOperation compare =
      findCompare(out->body, &isMore, &out->isSigned, &isOrdered);
  if (mlirOperationIsNull(compare) ||
      !mirrors(mloptOperand(compare, 0), mloptOperand(compare, 1), out,
               &steps) ||
      mlirValueIsNull(out->argument))
    return false;
  intptr_t number = mlirBlockArgumentGetArgNumber(out->argument);
  out->value = mloptOperand(compare, 0);
  out->operand = number / 2;
  out->isDescending = isMore != (number % 2 == 1);
  out->isNaNFirst = isOrdered && out->isDescending;
  MlirType type = mlirValueGetType(out->value);
  return mloptIsFloatElement(type) ? mloptElementWidth(type) >= LEAST_FLOAT
                                   : mlirTypeIsAInteger(type);
}

int64_t mloptSortDigits(const MloptSortKey *key) {
  return (mloptElementWidth(mlirValueGetType(key->value)) + DIGIT - 1) / DIGIT;
}

//===----------------------------------------------------------------------===//
// Digits
//===----------------------------------------------------------------------===//

/// A sort by digits under construction.
typedef struct Digits {
  MlirOperation fusion, sort;
  const MloptSortKey *key;
  MlirType type; ///< of the keys
  int64_t size, chunk, numChunks;
  int64_t shift, values; ///< of the digit
} Digits;

/// Copies of a comparator's operations for one row.
typedef struct Copies {
  const MloptSortKey *key;
  MloptPiece *piece;
  MloptBuilder *b;
  intptr_t count;
  MlirValue from[MLOPT_MAX_PIECE_VALUES], to[MLOPT_MAX_PIECE_VALUES];
} Copies;

static void bindCopy(Copies *c, MlirValue from, MlirValue to) {
  c->b->failed |= c->count == MLOPT_MAX_PIECE_VALUES;
  if (c->b->failed)
    return;
  c->from[c->count] = from;
  c->to[c->count++] = to;
}

static void copyValue(Copies *c, MlirValue value) {
  for (intptr_t i = 0; i < c->count; ++i)
    if (mlirValueEqual(c->from[i], value))
      return;
  if (!isIn(c->key->body, value)) {
    bindCopy(c, value, mloptPieceNeed(c->piece, value));
    return;
  }
  MlirOperation op = mlirOpResultGetOwner(value);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    copyValue(c, mloptOperand(op, i));
  if (c->b->failed)
    return;
  MlirOperation copy = mloptCloneWithMapping(op, c->count, c->from, c->to);
  mlirBlockAppendOwnedOperation(c->b->block, copy);
  bindCopy(c, value, mloptResult(copy, 0));
}

/// What the comparator compares, of a row with this operand.
static MlirValue buildValue(const Digits *d, MloptPiece *p, MloptBuilder *b,
                            MlirValue operand) {
  Copies c = {.key = d->key, .piece = p, .b = b};
  bindCopy(&c, d->key->argument, operand);
  copyValue(&c, d->key->value);
  for (intptr_t i = 0; i < c.count && !b->failed; ++i)
    if (mlirValueEqual(c.from[i], d->key->value))
      return c.to[i];
  b->failed = true;
  return operand;
}

/// The bits of a float as unsigned ones in its order, -0.0 equal to +0.0.
static MlirValue buildFloatOrder(const Digits *d, MloptBuilder *b,
                                 MlirValue x) {
  if (b->failed)
    return x;
  MlirType type = mlirValueGetType(x);
  MlirValue bits = mloptBuildToBits(b, x);
  unsigned width = mloptElementWidth(type);
  MlirType integer = mlirIntegerTypeGet(b->context, width);
  MlirValue zero = mloptBuildInt(b, integer, 0);
  MlirValue ones = mloptBuildInt(b, integer, -1);
  MlirValue sign =
      mloptBuildInt(b, integer, (int64_t)(UINT64_MAX << (width - 1)));
  MlirValue isZero = mloptBuildCmpF(b, "oeq", x, mloptBuildFloat(b, type, 0));
  bits = mloptBuildSelect(b, isZero, zero, bits);
  MlirValue isNegative = mloptBuildCmpI(b, "slt", bits, zero);
  bits = mloptBuildBinary(b, "arith.xori", bits,
                          mloptBuildSelect(b, isNegative, ones, sign));
  if (d->key->isDescending)
    bits = mloptBuildBinary(b, "arith.xori", bits, ones);
  return mloptBuildSelect(b, mloptBuildCmpF(b, "uno", x, x),
                          d->key->isNaNFirst ? zero : ones, bits);
}

/// The bits of an integer as unsigned ones in its order.
static MlirValue buildIntOrder(const Digits *d, MloptBuilder *b, MlirValue x) {
  if (b->failed)
    return x;
  MlirType type = mlirValueGetType(x);
  uint64_t sign = UINT64_MAX << (mloptElementWidth(type) - 1);
  uint64_t flipped =
      (d->key->isSigned ? sign : 0) ^ (d->key->isDescending ? UINT64_MAX : 0);
  return flipped ? mloptBuildBinary(b, "arith.xori", x,
                                    mloptBuildInt(b, type, (int64_t)flipped))
                 : x;
}

/// The digit of a row with this operand, an i32.
static MlirValue buildDigit(const Digits *d, MloptPiece *p, MloptBuilder *b,
                            MlirValue operand) {
  MlirValue x = buildValue(d, p, b, operand);
  if (b->failed)
    return x;
  bool isFloat = mloptIsFloatElement(mlirValueGetType(x));
  x = isFloat ? buildFloatOrder(d, b, x) : buildIntOrder(d, b, x);
  if (b->failed)
    return x;
  MlirType type = mlirValueGetType(x), i32 = mlirIntegerTypeGet(b->context, 32);
  unsigned width = mloptElementWidth(type);
  if (d->shift)
    x = mloptBuildBinary(b, "arith.shrui", x, mloptBuildInt(b, type, d->shift));
  if (width != WORD)
    x = mloptBuildUnary(b, width > WORD ? "arith.trunci" : "arith.extui", x,
                        i32);
  return mloptBuildBinary(b, "arith.andi", x,
                          mloptBuildInt(b, i32, d->values - 1));
}

//===----------------------------------------------------------------------===//
// Fusions
//===----------------------------------------------------------------------===//

/// One for each line, value and chunk.
static MlirType countsType(const Digits *d) {
  int64_t shape[MLOPT_MAX_RANK];
  intptr_t rank = mloptShape(d->type, shape);
  shape[rank - 1] = d->values;
  shape[rank] = d->numChunks;
  return mloptTensorType(rank + 1, shape,
                         mlirIntegerTypeGet(mlirTypeGetContext(d->type), 32));
}

static MlirValue zeros(MloptBuilder *b, MlirType type) {
  return mloptBuildConstant(
      b, mlirDenseElementsAttrSplatGet(
             type, mlirIntegerAttrGet(mloptElementType(type), 0)));
}

/// Whether the row at the loops has the value at them, as 0 or 1.
static MlirValue buildIsCounted(const Digits *d, MloptPiece *p, MloptBuilder *b,
                                MlirValue keys) {
  intptr_t rank = mloptRank(d->type);
  MlirType i32 = mlirIntegerTypeGet(b->context, 32);
  MlirValue at[MLOPT_MAX_RANK], isRow = {NULL};
  for (intptr_t i = 0; i < rank - 1; ++i)
    at[i] = mloptBuildLoopIndex(b, i);
  MlirValue row = mloptBuildBinary(
      b, "arith.addi",
      mloptBuildBinary(b, "arith.muli", mloptBuildLoopIndex(b, rank),
                       mloptBuildIndex(b, d->chunk)),
      mloptBuildLoopIndex(b, rank + 1));
  if (d->size % d->chunk) {
    isRow = mloptBuildCmpI(b, "ult", row, mloptBuildIndex(b, d->size));
    row = mloptBuildBinary(b, "arith.minui", row,
                           mloptBuildIndex(b, d->size - 1));
  }
  at[rank - 1] = row;
  MlirValue digit = buildDigit(d, p, b, mloptBuildExtract(b, keys, rank, at));
  MlirValue value = mloptBuildUnary(b, "arith.index_castui",
                                    mloptBuildLoopIndex(b, rank - 1), i32);
  MlirValue isOne = mloptBuildCmpI(b, "eq", digit, value);
  if (!mlirValueIsNull(isRow))
    isOne = mloptBuildBinary(b, "arith.andi", isOne, isRow);
  return mloptBuildUnary(b, "arith.extui", isOne, i32);
}

/// Counts each chunk's rows by their values.
static MlirOperation buildCounts(const Digits *d, MlirOperation before) {
  MloptPiece p;
  mloptBeginPiece(&p, d->fusion);
  MlirValue keys = mloptSortedOperand(&p, d->sort, before, d->key->operand);
  intptr_t rank = mloptRank(d->type);
  MlirContext c = p.b.context;
  const int64_t row = rank + 1;
  MloptGeneric g = {.numLoops = rank + 2};
  g.reduction[row] = true;
  // Nothing else says how many rows a chunk has.
  mloptAddInput(
      &g,
      mloptBuildEmpty(&p.b,
                      mloptTensorType(1, &d->chunk, mlirIntegerTypeGet(c, 8))),
      mloptDimsMap(c, g.numLoops, 1, &row));
  mloptAddOutput(&g, zeros(&p.b, countsType(d)),
                 mloptPrefixMap(c, g.numLoops, rank + 1));
  mloptBeginGeneric(&p.b, &g);
  MlirValue one = buildIsCounted(d, &p, &g.body, keys);
  MlirValue sum =
      mloptBuildBinary(&g.body, "arith.addi", mloptGenericArg(&g, 1), one);
  mloptPieceYield(&p, mloptEndGenericValue(&p.b, &g, sum));
  return mloptEndPiece(&p);
}

/// Adds up the counts along the chunks.
static MlirOperation buildSums(const Digits *d, MlirOperation counts) {
  MloptPiece p;
  mloptBeginPiece(&p, d->fusion);
  MlirType i32 = mlirIntegerTypeGet(p.b.context, 32), type = countsType(d);
  MlirValue operands[] = {mloptPieceOperand(&p, mloptResult(counts, 0)),
                          zeros(&p.b, mloptTensorType(0, NULL, i32))};
  MlirBlock block;
  MlirType elements[] = {i32, i32};
  MlirRegion region = mloptCreateRegion(&p.b, 2, elements, &block);
  MloptBuilder body = mloptBuilderAtEnd(block, p.b.location);
  MlirValue sum =
      mloptBuildBinary(&body, "arith.addi", mlirBlockGetArgument(block, 0),
                       mlirBlockGetArgument(block, 1));
  mloptBuildOp(
      &body,
      (MloptOpSpec){.name = "mlopt.yield", .numOperands = 1, .operands = &sum});
  p.b.failed |= body.failed;
  MlirNamedAttribute dim = mloptNamedAttr(
      p.b.context, "dim", mloptI64Attr(p.b.context, mloptRank(type) - 1));
  MlirOperation scan = mloptBuildOp(&p.b, (MloptOpSpec){.name = "mlopt.scan",
                                                        .numOperands = 2,
                                                        .operands = operands,
                                                        .numResults = 1,
                                                        .results = &type,
                                                        .numAttrs = 1,
                                                        .attrs = &dim,
                                                        .numRegions = 1,
                                                        .regions = &region});
  if (!p.b.failed)
    mloptPieceYield(&p, mloptResult(scan, 0));
  return mloptEndPiece(&p);
}

/// A comparator of digits.
static MlirRegion digitBody(const Digits *d, MloptPiece *p, intptr_t n,
                            const MlirType *types) {
  MlirType elements[2 * MLOPT_SORT_MAX_OPERANDS];
  for (intptr_t i = 0; i < n; ++i)
    elements[2 * i] = elements[2 * i + 1] = mloptElementType(types[i]);
  MlirBlock block;
  MlirRegion region = mloptCreateRegion(&p->b, 2 * n, elements, &block);
  MloptBuilder body = mloptBuilderAtEnd(block, p->b.location);
  MlirValue digits[2];
  for (intptr_t i = 0; i < 2; ++i)
    digits[i] = buildDigit(
        d, p, &body, mlirBlockGetArgument(block, 2 * d->key->operand + i));
  MlirValue before = mloptBuildCmpI(&body, "ult", digits[0], digits[1]);
  mloptBuildOp(&body, (MloptOpSpec){.name = "mlopt.yield",
                                    .numOperands = 1,
                                    .operands = &before});
  p->b.failed |= body.failed;
  return region;
}

/// Sorts by the digit.
static MlirOperation buildSort(const Digits *d, MlirOperation before,
                               MlirOperation sums, bool isLast) {
  MloptPiece p;
  mloptBeginPiece(&p, d->fusion);
  MlirValue operands[MLOPT_SORT_MAX_OPERANDS + 1];
  MlirType types[MLOPT_SORT_MAX_OPERANDS];
  intptr_t n = mlirOperationGetNumOperands(d->sort);
  for (intptr_t i = 0; i < n; ++i)
    operands[i] = mloptSortedOperand(&p, d->sort, before, i);
  operands[n] = mloptPieceOperand(&p, mloptResult(sums, 0));
  for (intptr_t i = 0; i < n; ++i)
    types[i] = mloptOperandType(d->sort, i);
  MlirRegion region = digitBody(d, &p, n, types);
  MlirContext c = p.b.context;
  MlirNamedAttribute attrs[] = {
      mloptNamedAttr(c, "dim", mloptAttr(d->sort, "dim")),
      mloptNamedAttr(c, "num_keys", mloptI64Attr(c, 1)),
      mloptNamedAttr(c, "weak_order", mlirUnitAttrGet(c)),
      mloptNamedAttr(c, "counted", mloptI64Attr(c, d->chunk))};
  MlirOperation sorted =
      mloptBuildOp(&p.b, (MloptOpSpec){.name = "mlopt.sort",
                                       .numOperands = n + 1,
                                       .operands = operands,
                                       .numResults = n,
                                       .results = types,
                                       .numAttrs = MLOPT_COUNT(attrs),
                                       .attrs = attrs,
                                       .numRegions = 1,
                                       .regions = &region});
  return mloptEndSorted(&p, d->sort, sorted, isLast);
}

MlirOperation mloptSplitDigits(MlirOperation fusion, MlirOperation sort,
                               const MloptSortKey *key) {
  MlirType type = mloptOperandType(sort, key->operand);
  Digits d = {.fusion = fusion,
              .sort = sort,
              .key = key,
              .type = type,
              .size = mloptDim(type, mloptRank(type) - 1),
              .chunk = mloptCountedSortRows(sort)};
  d.numChunks = (d.size + d.chunk - 1) / d.chunk;
  int64_t width = mloptElementWidth(mlirValueGetType(key->value));
  MlirOperation before = {NULL};
  for (; d.shift < width; d.shift += DIGIT) {
    int64_t bits = width - d.shift < DIGIT ? width - d.shift : DIGIT;
    d.values = INT64_C(1) << bits;
    MlirOperation sums = {NULL}, counts = buildCounts(&d, before);
    if (!mlirOperationIsNull(counts))
      sums = buildSums(&d, counts);
    if (mlirOperationIsNull(sums))
      return sums;
    before = buildSort(&d, before, sums, d.shift + DIGIT >= width);
    if (mlirOperationIsNull(before))
      break;
  }
  return before;
}
