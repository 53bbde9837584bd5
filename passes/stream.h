//===- stream.h - Products whose keys are streamed ----------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds in the program of a kernel, whatever its operations are called,
//
//   raw(b, r, k)   = sum over i of Q(b, r, i) * K(b, k, i)
//   score(b, r, k) = elementwise code of raw
//   max(b, r)      = the largest score along k
//   e(b, r, k)     = exp(score - max)
//   sum(b, r)      = sum over k of e
//   o(b, r, c)     = sum over k of round(e) * V(b, k, c)
//
// and outputs that are elementwise code of o and sum, or of max and sum alone,
// an element for each row, or the scores. The keys k can be taken piece by
// piece, with one m, l and row of o for each row, because exp turns a
// difference into a factor: for the keys seen so far and any m,
//
//   l = sum of exp(score - m),    o = sum of exp(score - m) * V
//
// and another m' is repaired by one factor that does not depend on k,
//
//   exp(score - m') = exp(score - m) * exp(m - m')
//
// which sums let through. With m the largest score so far nothing overflows,
// and at the end m, l and o are max, sum and o, except for roundings.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_STREAM_H
#define MLOPT_PASSES_STREAM_H

#include "contraction.h"

/// A key that depends on the row: with i = row / unit % size,
///
///   (i / step) * step + constant, but at least `low` and at most `high`
///
/// so that it rises with i; `low` where step is 0. A unit is of several rows
/// where they have keys alike, as those of a group of heads.
typedef struct MloptStreamBound {
  int64_t unit, size, step, constant, low, high;
} MloptStreamBound;

/// Its value.
static inline int64_t mloptStreamBoundAt(const MloptStreamBound *bound,
                                         int64_t row) {
  if (!bound->step)
    return bound->low;
  int64_t i = row / bound->unit % bound->size;
  int64_t at = i / bound->step * bound->step + bound->constant;
  at = at < bound->low ? bound->low : at;
  return at > bound->high ? bound->high : at;
}

typedef struct MloptStream {
  /// Q times K: rows are its m and keys its n. Q, K and V have tensor maps. Its
  /// output, if it has one, is the scores.
  MloptContraction scores;
  /// e times V: rows are its m, keys its k, what is stored runs along n. The
  /// indices of batch and m are the same in both. Its outputs of rows are those
  /// of max and sum.
  MloptContraction values;
  /// The elementwise linalg.generic that gives the scores; null where they are
  /// raw. Its loop l runs over (index of axes[l] / steps[l]) % its size.
  MlirOperation score;
  MloptAxis axes[MLOPT_MAX_RANK];
  int64_t steps[MLOPT_MAX_RANK];
  /// Of its body, as far as one last select says so: the score is `kept` where
  /// `condition` is `keeps`, and -inf elsewhere. The condition is null without
  /// such a select, and both are null without `score`.
  MlirValue condition, kept;
  bool keeps;
  /// `kept` is raw * scale, of a positive scale, in one operation; 0 where it
  /// is something else.
  double scale;
  MlirOperation max, exp, sum; ///< linalg.generics
  MlirType weight;             ///< what e is rounded to
  /// Keys outside of [from, end) have the score -inf; those within
  /// [fullFrom, fullEnd) have the condition that keeps. All rise with the row.
  MloptStreamBound from, end, fullFrom, fullEnd;
} MloptStream;

/// Whether the program in this block, between casts of its arguments and
/// bufferization.materialize_in_destination, is that.
bool mloptFindStream(MlirBlock program, MloptStream *out);

#endif // MLOPT_PASSES_STREAM_H
