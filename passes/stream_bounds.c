//===- stream_bounds.c - Keys that a mask keeps ---------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A condition that compares affine functions of the row and of the key keeps an
// interval of keys for each row:
//
//   row >= key                       keys [0, row + 1)
//   row - key < 1024                 keys [row - 1023, all)
//   key < 512 or row >= key          keys [0, max(512, row + 1))
//   key / 64 == row / 64             keys [row / 64 * 64, row / 64 * 64 + 64)
//
// and, or and not make intervals of others. Each condition has two: outside of
// the outer one no key is kept, inside of the inner one all are. What is not
// known, such as a comparison of data, has all keys and none.
//
//===----------------------------------------------------------------------===//

#include "stream_impl.h"

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// Keys of a row: outside of [from, end) none is kept, inside of
/// [fullFrom, fullEnd) all are.
typedef struct Keys {
  MloptStreamBound from, end, fullFrom, fullEnd;
} Keys;

static MloptStreamBound fixed(int64_t key) {
  return (MloptStreamBound){.unit = 1, .size = 1, .low = key, .high = key};
}

static bool isFixedAt(const MloptStreamBound *bound, int64_t key) {
  return !bound->step && bound->low == key;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/// Whether a bound is at or below another one in all rows.
static bool isNeverAbove(const MloptStreamBound *a, const MloptStreamBound *b) {
  int64_t unit = most(a->unit, b->unit), size = most(a->size, b->size);
  for (int64_t i = 0; i < size; ++i)
    if (mloptStreamBoundAt(a, i * unit) > mloptStreamBoundAt(b, i * unit))
      return false;
  return true;
}

/// The larger, or the smaller, of two bounds; `other` where that is none.
static MloptStreamBound choose(MloptStreamBound a, MloptStreamBound b,
                               bool larger, MloptStreamBound other) {
  int64_t (*const of)(int64_t, int64_t) = larger ? most : least;
  if (isNeverAbove(&a, &b))
    return larger ? b : a;
  if (isNeverAbove(&b, &a))
    return larger ? a : b;
  if (a.step && b.step)
    return other;
  MloptStreamBound *rising = a.step ? &a : &b;
  int64_t key = a.step ? b.low : a.low;
  rising->low = of(rising->low, key);
  rising->high = of(rising->high, key);
  return *rising;
}

static Keys unknown(int64_t keys) {
  return (Keys){fixed(0), fixed(keys), fixed(0), fixed(0)};
}

static Keys exactly(MloptStreamBound from, MloptStreamBound end) {
  return (Keys){from, end, from, end};
}

static Keys both(Keys a, Keys b, int64_t keys) {
  return (Keys){choose(a.from, b.from, true, a.from),
                choose(a.end, b.end, false, a.end),
                choose(a.fullFrom, b.fullFrom, true, fixed(keys)),
                choose(a.fullEnd, b.fullEnd, false, fixed(0))};
}

static Keys either(Keys a, Keys b, int64_t keys) {
  Keys out = {choose(a.from, b.from, false, fixed(0)),
              choose(a.end, b.end, true, fixed(keys)), a.fullFrom, a.fullEnd};
  if (isFixedAt(&a.fullFrom, 0) && isFixedAt(&b.fullFrom, 0)) {
    out.fullEnd = choose(a.fullEnd, b.fullEnd, true, a.fullEnd);
  } else if (isFixedAt(&a.fullEnd, keys) && isFixedAt(&b.fullEnd, keys)) {
    out.fullFrom = choose(a.fullFrom, b.fullFrom, false, a.fullFrom);
  } else if (isFixedAt(&a.fullEnd, 0)) {
    out.fullFrom = b.fullFrom;
    out.fullEnd = b.fullEnd;
  }
  return out;
}

/// What lies outside of an interval that reaches to one end; `other` of any
/// other.
static void complement(const MloptStreamBound *from,
                       const MloptStreamBound *end, int64_t keys,
                       MloptStreamBound *outFrom, MloptStreamBound *outEnd) {
  if (isFixedAt(from, 0)) {
    *outFrom = *end;
    *outEnd = fixed(keys);
  } else if (isFixedAt(end, keys)) {
    *outFrom = fixed(0);
    *outEnd = *from;
  }
}

static Keys neither(Keys a, int64_t keys) {
  Keys out = unknown(keys);
  complement(&a.fullFrom, &a.fullEnd, keys, &out.from, &out.end);
  complement(&a.from, &a.end, keys, &out.fullFrom, &out.fullEnd);
  return out;
}

//===----------------------------------------------------------------------===//
// Affine functions
//===----------------------------------------------------------------------===//

/// (constant + row * (index of the row) + key * (index of the key)) / step,
/// rounded down, where both indices are loops of the score.
typedef struct Affine {
  bool isKnown;
  int64_t constant, row, key, step;
} Affine;

typedef struct Search {
  int64_t rows, keys; ///< the loops' sizes
  int64_t unit;       ///< rows of the product to each of the row's loop
} Search;

static const Affine unknownAffine = {.isKnown = false, .step = 1};

static Affine constantAffine(int64_t value) {
  return (Affine){.isKnown = true, .constant = value, .step = 1};
}

static Affine addAffine(Affine a, Affine b, int64_t scale) {
  return (Affine){a.isKnown && b.isKnown && a.step == 1 && b.step == 1,
                  a.constant + scale * b.constant, a.row + scale * b.row,
                  a.key + scale * b.key, 1};
}

/// Without the division.
static int64_t leastOf(const Search *s, Affine a) {
  return a.constant + least(0, a.row * (s->rows - 1)) +
         least(0, a.key * (s->keys - 1));
}

static int64_t mostOf(const Search *s, Affine a) {
  return a.constant + most(0, a.row * (s->rows - 1)) +
         most(0, a.key * (s->keys - 1));
}

/// The function, unless a value of this type may wrap.
static Affine inType(const Search *s, Affine a, MlirType type) {
  enum { SAFE = 40 }; // bits that no arithmetic here exceeds
  unsigned width = mlirTypeIsAIndex(type) ? 64 : mloptElementWidth(type);
  int64_t limit = (int64_t)1 << (width > SAFE ? SAFE : width - 1);
  return a.isKnown && leastOf(s, a) >= -limit && mostOf(s, a) < limit
             ? a
             : unknownAffine;
}

static int64_t intOf(MlirAttribute value, bool *isKnown) {
  if (mlirAttributeIsADenseElements(value) &&
      mlirDenseElementsAttrIsSplat(value))
    value = mlirDenseElementsAttrGetSplatValue(value);
  *isKnown = mlirAttributeIsAInteger(value);
  return *isKnown ? mlirIntegerAttrGetValueInt(value) : 0;
}

static Affine valueOf(const Search *, MlirOperation generic,
                      const Affine *loops, MlirValue);

/// An index divided by a positive constant.
static Affine divide(const Search *s, Affine a, Affine b) {
  bool isIndex = a.isKnown && a.step == 1 && !a.constant &&
                 leastOf(s, a) >= 0 && (!a.row || !a.key);
  if (!isIndex || !b.isKnown || b.row || b.key || b.step != 1 || b.constant < 1)
    return unknownAffine;
  a.step = b.constant;
  return a;
}

/// What defines an element of a tensor: a body's value with its loops, through
/// changes of shape by dimensions of one element. Null if it is data.
static MlirOperation followTensor(MlirValue tensor, intptr_t *numIndices,
                                  Affine *indices) {
  MlirOperation op = mloptDefiningOp(tensor);
  while (!mlirOperationIsNull(op) && isView(mloptResult(op, 0))) {
    MlirType from = mloptOperandType(op, 0), to = mloptResultType(op, 0);
    Affine moved[MLOPT_MAX_RANK];
    intptr_t d = 0, rank = mloptRank(to);
    for (intptr_t i = 0; i < mloptRank(from); ++i) {
      moved[i] = constantAffine(0);
      if (mloptDim(from, i) == 1)
        continue;
      while (d < rank && mloptDim(to, d) == 1)
        ++d;
      if (d == rank || mloptDim(to, d) != mloptDim(from, i))
        return (MlirOperation){NULL};
      moved[i] = indices[d++];
    }
    *numIndices = mloptRank(from);
    memcpy(indices, moved, sizeof moved);
    tensor = mloptOperand(op, 0);
    op = mloptDefiningOp(tensor);
  }
  return op;
}

/// The loops of the generic that defines a body's argument, at that element;
/// null if no such operation does.
static MlirOperation followArgument(MlirOperation generic, const Affine *loops,
                                    MlirValue argument, Affine *outLoops) {
  const MlirOperation none = {NULL};
  intptr_t i = mlirBlockArgumentGetArgNumber(argument);
  if (i >= numInputs(generic))
    return none;
  MlirAffineMap map = mapOf(generic, i);
  Affine indices[MLOPT_MAX_RANK];
  intptr_t count = mlirAffineMapGetNumResults(map);
  for (intptr_t d = 0; d < count; ++d) {
    int64_t loop = loopOf(map, d);
    indices[d] = loop >= 0 ? loops[loop] : constantAffine(0);
    if (loop < 0 && mloptDim(mloptOperandType(generic, i), d) != 1)
      return none;
  }
  MlirOperation op = followTensor(mloptOperand(generic, i), &count, indices);
  if (mlirOperationIsNull(op) || mloptIsNamed(op, "arith.constant"))
    return op;
  if (!mloptIsNamed(op, "linalg.generic") ||
      mlirOperationGetNumResults(op) != 1 || !mloptIsParallelGeneric(op))
    return none;
  MlirAffineMap result = mapOf(op, numInputs(op));
  if (mlirAffineMapGetNumDims(result) > MLOPT_MAX_RANK)
    return none;
  for (intptr_t l = 0; l < MLOPT_MAX_RANK; ++l)
    outLoops[l] = unknownAffine;
  for (intptr_t d = 0; d < count; ++d)
    if (loopOf(result, d) >= 0)
      outLoops[loopOf(result, d)] = indices[d];
  return op;
}

static Affine argumentOf(const Search *s, MlirOperation generic,
                         const Affine *loops, MlirValue argument) {
  Affine inner[MLOPT_MAX_RANK];
  MlirOperation op = followArgument(generic, loops, argument, inner);
  if (mlirOperationIsNull(op))
    return unknownAffine;
  if (mloptIsNamed(op, "arith.constant")) {
    Affine value = constantAffine(0);
    value.constant = intOf(mloptAttr(op, "value"), &value.isKnown);
    return value;
  }
  return valueOf(s, op, inner,
                 mloptOperand(mlirBlockGetTerminator(bodyOf(op)), 0));
}

/// An integer of a generic's body, whose loops have these values.
static Affine valueOf(const Search *s, MlirOperation generic,
                      const Affine *loops, MlirValue value) {
  if (mlirValueIsABlockArgument(value))
    return argumentOf(s, generic, loops, value);
  MlirOperation op = mlirOpResultGetOwner(value);
  MlirType type = mlirValueGetType(value);
  Affine out = unknownAffine;
  if (mloptIsNamed(op, "arith.constant")) {
    out.constant = intOf(mloptAttr(op, "value"), &out.isKnown);
  } else if (mloptIsNamed(op, "linalg.index")) {
    out = loops[mlirIntegerAttrGetValueInt(mloptAttr(op, "dim"))];
  } else if (mloptIsNamed(op, "arith.index_cast") ||
             mloptIsNamed(op, "arith.extsi") ||
             mloptIsNamed(op, "arith.trunci")) {
    out = valueOf(s, generic, loops, mloptOperand(op, 0));
  } else if (mloptIsNamed(op, "arith.addi") || mloptIsNamed(op, "arith.subi")) {
    out = addAffine(valueOf(s, generic, loops, mloptOperand(op, 0)),
                    valueOf(s, generic, loops, mloptOperand(op, 1)),
                    mloptIsNamed(op, "arith.addi") ? 1 : -1);
  } else if (mloptIsNamed(op, "arith.divsi") ||
             mloptIsNamed(op, "arith.divui")) {
    out = divide(s, valueOf(s, generic, loops, mloptOperand(op, 0)),
                 valueOf(s, generic, loops, mloptOperand(op, 1)));
  }
  return inType(s, out, type);
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

/// The keys from a row's key on; false where it does not rise with the row.
static bool boundAt(const Search *s, Affine at, MloptStreamBound *out) {
  if (at.row == 0)
    *out = fixed(least(most(at.constant, 0), s->keys));
  else
    *out =
        (MloptStreamBound){s->unit, s->rows, at.step, at.constant, 0, s->keys};
  return at.row == 0 || at.row == 1;
}

/// Where a >= b.
static Keys notBelow(const Search *s, Affine a, Affine b) {
  int64_t step = a.step;
  // row / step >= key / step where row / step * step + step > key.
  bool areSteps =
      step > 1 && b.step == step && a.row + b.row == 1 && a.key + b.key == 1;
  if (areSteps)
    a.step = b.step = 1;
  Affine x = addAffine(a, b, -1);
  MloptStreamBound bound;
  // row + constant - key >= 0, or key + constant - row >= 0.
  int64_t sign = x.key;
  if (!x.isKnown || (sign != 1 && sign != -1))
    return unknown(s->keys);
  Affine at = {true, -sign * x.constant, -sign * x.row, 0, 1};
  if (areSteps)
    at.step = step;
  if (sign < 0)
    at.constant += at.step;
  if (!boundAt(s, at, &bound))
    return unknown(s->keys);
  return sign < 0 ? exactly(fixed(0), bound) : exactly(bound, fixed(s->keys));
}

/// arith.cmpi's predicates.
enum { EQ, NE, SLT, SLE, SGT, SGE, ULT, ULE, UGT, UGE };

static Keys compared(const Search *s, int64_t predicate, Affine a, Affine b) {
  bool isSigned = predicate < ULT || (a.isKnown && b.isKnown &&
                                      leastOf(s, a) >= 0 && leastOf(s, b) >= 0);
  if (!isSigned)
    return unknown(s->keys);
  switch (predicate) {
  case EQ:
    return both(notBelow(s, a, b), notBelow(s, b, a), s->keys);
  case NE:
    return neither(both(notBelow(s, a, b), notBelow(s, b, a), s->keys),
                   s->keys);
  case SLT:
  case ULT:
    return neither(notBelow(s, a, b), s->keys);
  case SLE:
  case ULE:
    return notBelow(s, b, a);
  case SGT:
  case UGT:
    return neither(notBelow(s, b, a), s->keys);
  default:
    return notBelow(s, a, b);
  }
}

/// The keys where an i1 of a generic's body, whose loops have these values, is
/// true.
static Keys keysOf(const Search *s, MlirOperation generic, const Affine *loops,
                   MlirValue value) {
  if (mlirValueIsABlockArgument(value)) {
    Affine inner[MLOPT_MAX_RANK];
    MlirOperation op = followArgument(generic, loops, value, inner);
    if (mlirOperationIsNull(op) || mloptIsNamed(op, "arith.constant"))
      return unknown(s->keys);
    return keysOf(s, op, inner,
                  mloptOperand(mlirBlockGetTerminator(bodyOf(op)), 0));
  }
  MlirOperation op = mlirOpResultGetOwner(value);
  if (mloptIsNamed(op, "arith.cmpi"))
    return compared(s, mlirIntegerAttrGetValueInt(mloptAttr(op, "predicate")),
                    valueOf(s, generic, loops, mloptOperand(op, 0)),
                    valueOf(s, generic, loops, mloptOperand(op, 1)));
  if (mloptIsNamed(op, "arith.constant")) {
    bool isKnown;
    bool isTrue = intOf(mloptAttr(op, "value"), &isKnown) != 0;
    return exactly(fixed(0), fixed(isTrue ? s->keys : 0));
  }
  bool isAnd = mloptIsNamed(op, "arith.andi");
  bool isXor = mloptIsNamed(op, "arith.xori");
  if (!isAnd && !isXor && !mloptIsNamed(op, "arith.ori"))
    return unknown(s->keys);
  Keys a = keysOf(s, generic, loops, mloptOperand(op, 0));
  Keys b = keysOf(s, generic, loops, mloptOperand(op, 1));
  if (!isXor)
    return isAnd ? both(a, b, s->keys) : either(a, b, s->keys);
  // Not: against all keys.
  bool isNot = isFixedAt(&b.fullFrom, 0) && isFixedAt(&b.fullEnd, s->keys);
  return isNot ? neither(a, s->keys) : unknown(s->keys);
}

/// The keys that the condition of the score keeps, by its loop `row`; by none
/// where that is negative.
static Keys keysByLoop(const MloptStream *s, intptr_t row) {
  MlirType score = mloptResultType(s->score, 0);
  Search search = {.rows = row < 0 ? 1 : mloptDim(score, row),
                   .keys = s->scores.sizes[MLOPT_AXIS_N],
                   .unit = row < 0 ? 1 : s->steps[row]};
  Affine loops[MLOPT_MAX_RANK];
  for (intptr_t l = 0; l < mloptRank(score); ++l) {
    loops[l] = mloptDim(score, l) == 1 ? constantAffine(0) : unknownAffine;
    if (mloptDim(score, l) > 1 && s->axes[l] == MLOPT_AXIS_N)
      loops[l] = (Affine){.isKnown = true, .key = 1, .step = 1};
    else if (l == row)
      loops[l] = (Affine){.isKnown = true, .row = 1, .step = 1};
  }
  Keys keys = keysOf(&search, s->score, loops, s->condition);
  return s->keeps ? keys : neither(keys, search.keys);
}

void mloptFindStreamBounds(MloptStream *s) {
  Keys keys = exactly(fixed(0), fixed(s->scores.sizes[MLOPT_AXIS_N]));
  if (!mlirValueIsNull(s->condition)) {
    MlirType score = mloptResultType(s->score, 0);
    keys = keysByLoop(s, -1);
    for (intptr_t l = 0; l < mloptRank(score); ++l)
      if (mloptDim(score, l) > 1 && s->axes[l] == MLOPT_AXIS_M) {
        Keys more = keysByLoop(s, l);
        if (more.from.step || more.end.step || more.fullFrom.step ||
            more.fullEnd.step)
          keys = more;
      }
  }
  s->from = keys.from;
  s->end = keys.end;
  s->fullFrom = keys.fullFrom;
  s->fullEnd = keys.fullEnd;
}
