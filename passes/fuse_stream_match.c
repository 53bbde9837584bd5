//===- fuse_stream_match.c - Softmax between two dots ---------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks back from the second dot. The scores may be read outside, since the
// kernel can store them on the way, and so may what rows have in the end, their
// maximum and their sum. Of what lies behind the scores nothing may, unless it
// is better computed again from these (fuse_stream.c).
//
//===----------------------------------------------------------------------===//

#include "fuse_stream.h"

#include "match.h"
#include "schedule_stream.h"

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

static bool isBy(MlirOperation op, const MloptOpDef *def) {
  return !mlirOperationIsNull(op) && mloptIsA(op, def);
}

MlirValue mloptFuseRowBehind(MlirValue value, MlirType type) {
  const MlirValue none = {NULL};
  MlirOperation op = mloptDefiningOp(value);
  MlirType whole = mlirValueGetType(value);
  intptr_t rank = mloptRank(type);
  if (!isBy(op, &mloptOp_broadcast) || mloptRank(whole) != rank)
    return none;
  MlirType from = mloptOperandType(op, 0);
  MloptInts dims = mloptGetInts(op, "dims");
  int64_t last = -1, rows = 1, covered = 1;
  for (intptr_t d = 0; d < rank - 1; ++d) {
    if (mloptDim(whole, d) != mloptDim(type, d))
      return none;
    rows *= mloptDim(type, d);
  }
  for (intptr_t i = 0; i < dims.count; ++i) {
    if (mloptDim(from, i) == 1)
      continue;
    if (dims.at[i] <= last || dims.at[i] == rank - 1)
      return none;
    last = dims.at[i];
    covered *= mloptDim(from, i);
  }
  return covered == rows ? mloptOperand(op, 0) : none;
}

/// The operation that computes a value, behind reshapes.
static MlirOperation behindReshapes(MlirValue value) {
  MlirOperation op = mloptDefiningOp(value);
  while (isBy(op, &mloptOp_reshape))
    op = mloptDefiningOp(mloptOperand(op, 0));
  return op;
}

/// Whether an operation reduces the last dimension by this kind.
static bool reducesRows(MlirOperation op, MloptKind kind) {
  if (!isBy(op, &mloptOp_reduce) || mloptGetKind(op) != kind ||
      mlirOperationGetNumOperands(op) != 1)
    return false;
  MlirType type = mloptOperandType(op, 0);
  MloptInts dims = mloptGetInts(op, "dims");
  return dims.count == 1 && dims.at[0] == mloptRank(type) - 1;
}

//===----------------------------------------------------------------------===//
// What is inside
//===----------------------------------------------------------------------===//

bool mloptFuseStreamHolds(const MloptFuseStream *s, MlirOperation op) {
  for (int i = 0; i < s->count; ++i)
    if (mlirOperationEqual(s->inside[i], op))
      return true;
  return false;
}

static bool add(MloptFuseStream *s, MlirOperation op) {
  if (mloptFuseStreamHolds(s, op))
    return true;
  if (s->count == MLOPT_FUSE_MAX_STREAM)
    return false;
  s->inside[s->count++] = op;
  return true;
}

/// The operations between a row's value and what repeats it.
static bool addRepeats(MloptFuseStream *s, MlirValue repeated) {
  MlirOperation op = mloptDefiningOp(repeated);
  bool fits = add(s, op);
  for (op = mloptDefiningOp(mloptOperand(op, 0));
       isBy(op, &mloptOp_reshape) && fits;
       op = mloptDefiningOp(mloptOperand(op, 0)))
    fits = add(s, op);
  return fits;
}

/// Elementwise code between the scores and a dot, which it finds: false where
/// there are two, or none.
typedef struct Scores {
  MloptFuseStream *stream;
  MlirType type; ///< the scores', whatever their elements
  int numKnown;
  MlirOperation known[MLOPT_FUSE_MAX_STREAM];
  bool reads[MLOPT_FUSE_MAX_STREAM];
  bool failed;
} Scores;

static bool hasShape(MlirValue value, MlirType type) {
  MlirType own = mlirValueGetType(value);
  return mlirTypeIsARankedTensor(own) &&
         mlirTypeEqual(mloptWithElementType(own, mloptElementType(type)), type);
}

/// Whether a value is elementwise code of the dot in the same place; adds it
/// then.
static bool readsDot(Scores *scores, MlirValue value) {
  MlirOperation op = mloptDefiningOp(value);
  if (mlirOperationIsNull(op) || !hasShape(value, scores->type))
    return false;
  for (int i = 0; i < scores->numKnown; ++i)
    if (mlirOperationEqual(scores->known[i], op))
      return scores->reads[i];
  bool reads = false;
  if (mloptIsA(op, &mloptOp_dot)) {
    MlirOperation *first = &scores->stream->first;
    scores->failed |=
        !mlirOperationIsNull(*first) && !mlirOperationEqual(*first, op);
    *first = op;
    reads = true;
  } else if (mloptFuseGetTraits(op).access == MLOPT_ACCESS_ELEMENTWISE) {
    for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
      reads |= readsDot(scores, mloptOperand(op, i));
  }
  if (scores->numKnown == MLOPT_FUSE_MAX_STREAM) {
    scores->failed = true;
    return false;
  }
  scores->known[scores->numKnown] = op;
  scores->reads[scores->numKnown++] = reads;
  if (reads)
    scores->failed |= !add(scores->stream, op);
  return reads;
}

static bool findFirst(MloptFuseStream *s, MlirValue scores) {
  Scores search = {.stream = s, .type = mlirValueGetType(scores)};
  return readsDot(&search, scores) && !search.failed;
}

//===----------------------------------------------------------------------===//
// The softmax
//===----------------------------------------------------------------------===//

/// From weights back to the exponentials: their rounding and the scale of their
/// rows. Null if there are none.
static MlirOperation findExp(MloptFuseStream *s, MlirValue weights) {
  MlirOperation op = mloptDefiningOp(weights);
  if (isBy(op, &mloptOp_convert)) {
    s->round = op;
    op = mloptDefiningOp(mloptOperand(op, 0));
  }
  bool divides = isBy(op, &mloptOp_div);
  if (divides || isBy(op, &mloptOp_mul)) {
    MlirType type = mloptResultType(op, 0);
    for (intptr_t i = 1; i >= (divides ? 1 : 0); --i)
      if (mlirOperationIsNull(s->scale) &&
          !mlirValueIsNull(mloptFuseRowBehind(mloptOperand(op, i), type))) {
        s->scale = op;
        s->scaleOperand = i;
      }
    if (!mlirOperationIsNull(s->scale))
      op = mloptDefiningOp(mloptOperand(op, 1 - s->scaleOperand));
  }
  return isBy(op, &mloptOp_exp) ? op : (MlirOperation){NULL};
}

bool mloptFuseAreWeights(MlirValue value) {
  MloptFuseStream s = {.count = 0};
  return !mlirOperationIsNull(findExp(&s, value));
}

/// The one reduction of the exponentials; null if there is another.
static MlirOperation findSum(MlirOperation exp) {
  MlirOperation sum = {NULL};
  for (MlirOpOperand use = mlirValueGetFirstUse(mloptResult(exp, 0));
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (reducesRows(user, MLOPT_KIND_ADD) && mlirOperationIsNull(sum))
      sum = user;
  }
  return sum;
}

/// The reduction that gives the rows' largest elements, which an operation
/// takes off them; null if it does anything else.
static MlirOperation findMax(MlirOperation sub) {
  const MlirOperation none = {NULL};
  if (!isBy(sub, &mloptOp_sub))
    return none;
  MlirValue row =
      mloptFuseRowBehind(mloptOperand(sub, 1), mloptResultType(sub, 0));
  MlirOperation max = mlirValueIsNull(row) ? none : behindReshapes(row);
  return reducesRows(max, MLOPT_KIND_MAX) &&
                 mlirValueEqual(mloptOperand(max, 0), mloptOperand(sub, 0))
             ? max
             : none;
}

bool mloptFuseIsStreamedSum(MlirOperation op) {
  if (!reducesRows(op, MLOPT_KIND_ADD) ||
      !mlirTypeIsAF32(mloptElementType(mloptOperandType(op, 0))))
    return false;
  MlirOperation exp = mloptDefiningOp(mloptOperand(op, 0));
  return isBy(exp, &mloptOp_exp) &&
         !mlirOperationIsNull(findMax(mloptDefiningOp(mloptOperand(exp, 0))));
}

/// Adds the softmax; false where it is none.
static bool findSoftmax(MloptFuseStream *s, MlirOperation dot) {
  s->exp = findExp(s, mloptOperand(dot, 0));
  if (mlirOperationIsNull(s->exp))
    return false;
  s->sum = findSum(s->exp);
  s->sub = mloptDefiningOp(mloptOperand(s->exp, 0));
  s->max = findMax(s->sub);
  if (mlirOperationIsNull(s->sum) || mlirOperationIsNull(s->max))
    return false;
  MlirValue repeated = mloptOperand(s->sub, 1);
  bool fits = add(s, s->exp) && add(s, s->sum) && add(s, s->sub) &&
              add(s, s->max) && addRepeats(s, repeated);
  if (!mlirOperationIsNull(s->round))
    fits &= add(s, s->round);
  if (!mlirOperationIsNull(s->scale))
    fits &= add(s, s->scale) &&
            add(s, mloptDefiningOp(mloptOperand(s->scale, s->scaleOperand)));
  return fits && findFirst(s, mloptOperand(s->max, 0));
}

//===----------------------------------------------------------------------===//
// What stands against it
//===----------------------------------------------------------------------===//

static bool isStrict(const MloptFuseStream *s) {
  for (int i = 0; i < s->count; ++i)
    if (mloptGetNumerics(s->inside[i]) == MLOPT_NUMERICS_STRICT)
      return true;
  return mloptGetNumerics(s->second) == MLOPT_NUMERICS_STRICT;
}

bool mloptFuseStreamReader(const MloptFuseStream *s, MlirOpOperand use) {
  MlirOperation user = mlirOpOperandGetOwner(use);
  bool isFactor = mlirOperationEqual(user, s->second) &&
                  mlirOpOperandGetOperandNumber(use) == 0;
  return isFactor || mloptFuseStreamHolds(s, user);
}

/// Whether something outside reads an operation's result; `computes`: something
/// other than the end of a function or of a region.
static bool isRead(const MloptFuseStream *s, MlirOperation op, bool computes) {
  if (mlirOperationIsNull(op))
    return false;
  for (MlirOpOperand use = mlirValueGetFirstUse(mloptResult(op, 0));
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (!mloptFuseStreamReader(s, use) &&
        (!computes || mloptGetOpDef(mlirOpOperandGetOwner(use))))
      return true;
  return false;
}

MlirOperation mloptFuseStreamScores(const MloptFuseStream *s) {
  return mloptDefiningOp(mloptOperand(s->max, 0));
}

/// Whether TMA stores scores: rows of whole 16 bytes of f32.
static bool storesScores(const MloptFuseStream *s) {
  enum { GRAIN = 4 };
  MlirType type = mloptOperandType(s->max, 0);
  return mlirTypeIsAF32(mloptElementType(type)) &&
         mloptDim(type, mloptRank(type) - 1) % GRAIN == 0;
}

/// Whether something else reads what is inside and neither stored nor computed
/// again there. That pays where others need the scores anyway, as gradients do
/// that take exponentials or probabilities of f32; rounded ones alone had
/// better be stored.
static bool isReadOutside(MloptFuseStream *s) {
  MlirOperation scores = mloptFuseStreamScores(s);
  s->isShared = isRead(s, s->sub, true) || isRead(s, s->exp, true) ||
                isRead(s, s->scale, true);
  bool isStored = s->isShared || isRead(s, scores, false);
  for (int i = 0; i < s->count; ++i) {
    MlirOperation op = s->inside[i];
    bool isKnown = mlirOperationEqual(op, s->max) ||
                   mlirOperationEqual(op, s->sum) ||
                   mlirOperationEqual(op, scores) || isBy(op, &mloptOp_reshape);
    bool isBehind =
        mlirOperationEqual(op, s->sub) || mlirOperationEqual(op, s->exp) ||
        mlirOperationEqual(op, s->scale) || mlirOperationEqual(op, s->round) ||
        isBy(op, &mloptOp_broadcast);
    if (!isKnown && !(isBehind && s->isShared) && isRead(s, op, false))
      return true;
  }
  return isStored && !storesScores(s);
}

/// Factors of one 16-bit type, everything between them in f32.
static bool hasTypes(const MloptFuseStream *s) {
  MlirType factor = mloptElementType(mloptOperandType(s->second, 1));
  bool fits = mlirTypeIsABF16(factor) || mlirTypeIsAF16(factor);
  const MlirOperation dots[] = {s->first, s->second};
  for (int d = 0; d < 2; ++d) {
    fits &= mloptFuseSumsInF32(dots[d]);
    for (intptr_t i = 0; i < 2; ++i)
      fits &=
          mlirTypeEqual(mloptElementType(mloptOperandType(dots[d], i)), factor);
  }
  return fits && mlirTypeIsAF32(mloptElementType(mloptResultType(s->exp, 0)));
}

/// Whether dimensions are 0, 1, ... in both factors.
static bool leadTo(MlirOperation dot, intptr_t count) {
  MloptInts lhs = mloptGetInts(dot, "lhs_batch");
  MloptInts rhs = mloptGetInts(dot, "rhs_batch");
  bool lead = lhs.count == count && rhs.count == count;
  for (intptr_t i = 0; lead && i < count; ++i)
    lead = lhs.at[i] == i;
  return lead;
}

/// Keys are one dimension, the last of the scores and of the second product's
/// left factor, whose others lead its result. Columns are one dimension too.
static bool hasLayout(const MloptFuseStream *s) {
  intptr_t rank = mloptRank(mloptResultType(s->first, 0));
  MloptInts sums = mloptGetInts(s->first, "rhs_contract");
  MloptInts depth = mloptGetInts(s->first, "lhs_contract");
  MloptInts keys = mloptGetInts(s->second, "lhs_contract");
  intptr_t batch = mloptGetInts(s->first, "lhs_batch").count;
  return sums.count == 1 && keys.count == 1 && keys.at[0] == rank - 1 &&
         leadTo(s->second, batch) &&
         mloptRank(mloptOperandType(s->first, 1)) == batch + 2 &&
         mloptRank(mloptOperandType(s->second, 1)) == batch + 2 &&
         depth.at[0] == mloptRank(mloptOperandType(s->first, 0)) - 1 &&
         sums.at[0] == batch + 1;
}

/// The sizes that pay off, and that kernels take.
static bool hasSizes(const MloptFuseStream *s) {
  enum { FEW_KEYS = 32 };
  MlirType scores = mloptResultType(s->first, 0);
  MlirType values = mloptResultType(s->second, 0);
  intptr_t rank = mloptRank(scores);
  MlirType q = mloptOperandType(s->first, 0);
  int64_t depth = mloptDim(q, mloptGetInts(s->first, "lhs_contract").at[0]);
  int64_t columns = mloptDim(values, rank - 1);
  return mloptDim(scores, rank - 1) >= FEW_KEYS &&
         mloptStreamTakes(mloptElementType(q), depth, columns);
}

MloptFuseReason mloptFuseMatchStream(MlirOperation dot, MloptFuseStream *out) {
  *out = (MloptFuseStream){.second = dot};
  if (!mloptIsA(dot, &mloptOp_dot) || !findSoftmax(out, dot))
    return MLOPT_NUM_FUSE_REASONS;
  if (isStrict(out))
    return MLOPT_FUSE_STREAM_STRICT;
  if (isReadOutside(out))
    return MLOPT_FUSE_STREAM_READ;
  if (!hasTypes(out))
    return MLOPT_FUSE_STREAM_TYPE;
  if (!hasLayout(out))
    return MLOPT_FUSE_STREAM_LAYOUT;
  return hasSizes(out) ? MLOPT_FUSE_FUSED : MLOPT_FUSE_STREAM_SIZE;
}
