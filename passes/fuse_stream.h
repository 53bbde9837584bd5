//===- fuse_stream.h - Products whose keys may be streamed --------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two dots with a softmax of any scores between them:
//
//   %r = mlopt.dot %q, %k ...            raw scores
//   %s = elementwise code of %r          scores
//   %m = mlopt.reduce max %s dims [last]
//   %e = mlopt.exp (%s - broadcast %m)
//   %l = mlopt.reduce add %e dims [last]
//   %p = convert (%e / broadcast %l)     or another value of the row
//   %o = mlopt.dot %p, %v ...
//
// stream.h proves on level 4 that a kernel may take the keys, which the last
// dimension of the scores runs over, piece by piece. This finds the same in the
// program and decides whether it becomes such a kernel.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_FUSE_STREAM_H
#define MLOPT_PASSES_FUSE_STREAM_H

#include "fuse.h"

enum { MLOPT_FUSE_MAX_STREAM = 64 };

typedef struct MloptFuseStream {
  MlirOperation first, second; ///< the dots
  MlirOperation max, sub, exp, sum;
  /// What multiplies or divides each row of exponentials before `second`, and
  /// which operand the row's value is; null: nothing.
  MlirOperation scale;
  intptr_t scaleOperand;
  MlirOperation round; ///< the conversion of the exponentials; null: none
  bool isShared; ///< others read the exponentials, or what is made of them
  /// All of these but `second`, and what lies between them.
  int count;
  MlirOperation inside[MLOPT_FUSE_MAX_STREAM];
} MloptFuseStream;

/// Whether a dot is the second of such a pair, and a kernel may stream the
/// keys: FUSED, or why not; MLOPT_NUM_FUSE_REASONS where it is no such dot.
MloptFuseReason mloptFuseMatchStream(MlirOperation dot, MloptFuseStream *out);
bool mloptFuseStreamHolds(const MloptFuseStream *, MlirOperation);
/// Whether a use of what is inside is inside too, or `second`'s.
bool mloptFuseStreamReader(const MloptFuseStream *, MlirOpOperand use);
/// What gives the scores, which the kernel stores if something outside reads
/// them.
MlirOperation mloptFuseStreamScores(const MloptFuseStream *);
/// Where a value repeats one element for each row of a type, a row being all of
/// its last dimension: the value repeated. Null if it does anything else.
MlirValue mloptFuseRowBehind(MlirValue, MlirType);

/// Whether an operation sums up exponentials of what rows' elements are below
/// the largest, in f32: it goes along a row together with the reduction to that
/// one.
bool mloptFuseIsStreamedSum(MlirOperation);

/// Whether a value is exponentials, perhaps rounded and their rows scaled.
bool mloptFuseAreWeights(MlirValue);

/// Gives the dimensions of a softmax between two dots the order that the first
/// one gives them, and makes it the left factor of the second
/// (fuse_stream_lay.c).
void mloptFuseLayStreams(MlirBlock);

/// Scales the rows of `second`'s result in place of those of the exponentials,
/// which sums let through, so that they need not be known before it. Returns
/// the dot there is now; null where keys are not streamed.
MlirOperation mloptFuseDelayScale(MlirOperation second);

#endif // MLOPT_PASSES_FUSE_STREAM_H
