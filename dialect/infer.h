//===- infer.h - Checks that inference and verifiers share --------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Type inference sees an operation's parts, a verifier the operation itself.
// Both look at it as a subject, so that one function states a rule for both.
// Everything that returns a bool here returns false after one diagnostic at the
// subject's location that names the operation, the limit and the value.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_DIALECT_INFER_H
#define MLOPT_DIALECT_INFER_H

#include "support.h"

#include <inttypes.h>

/// What is inferred or verified; borrowed.
typedef struct MloptSubject {
  const MloptOpDef *def;
  MlirLocation location;    ///< null: report nothing
  MlirOperation op;         ///< null while inferring
  MlirAttribute attributes; ///< the dictionary while inferring
} MloptSubject;

/// What is inferred. Parsers and builders infer before anything is verified, so
/// this checks operand types and attributes against the table first.
bool mloptInferSubject(const MloptOpDef *, const MloptInferArgs *,
                       MloptSubject *out);
MloptSubject mloptOpSubject(MlirOperation);
MlirAttribute mloptSubjectAttr(const MloptSubject *, const char *name);
/// Reports "'name' op <message>"; always false.
bool mloptReject(const MloptSubject *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static inline MlirLogicalResult mloptResultOf(bool good) {
  return good ? mloptSuccess() : mloptFailure();
}

/// The numbers of an `array<i64>`.
typedef struct MloptInts {
  intptr_t count;
  int64_t at[MLOPT_MAX_RANK];
} MloptInts;

/// Reads an attribute of a verified operation.
MloptInts mloptGetInts(MlirOperation, const char *name);
int64_t mloptGetInt(MlirOperation, const char *name);
bool mloptHasInt(const MloptInts *, int64_t value);

/// Exactly `count` numbers, each at least `least`.
bool mloptReadInts(const MloptSubject *, const char *name, intptr_t count,
                   int64_t least, MloptInts *out);
/// Distinct dimensions of something of this rank. An absent attribute is none.
bool mloptReadDims(const MloptSubject *, const char *name, intptr_t rank,
                   MloptInts *out);
/// The same, in rising order.
bool mloptReadSortedDims(const MloptSubject *, const char *name, intptr_t rank,
                         MloptInts *out);
/// One dimension of something of this rank.
bool mloptReadDim(const MloptSubject *, const char *name, intptr_t rank,
                  int64_t *out);
/// No dimension is in both lists.
bool mloptCheckDisjoint(const MloptSubject *, const char *nameA,
                        const MloptInts *a, const char *nameB,
                        const MloptInts *b);

/// A tensor of rank 0, which is how single elements travel between operations.
bool mloptIsRank0Tensor(MlirType);
bool mloptIsRank0IntTensor(MlirType);
bool mloptIsUnit(MlirAttribute);

/// Whether two sizes can be the same: `?` matches any.
static inline bool mloptSizesAgree(int64_t a, int64_t b) {
  return a == b || mloptIsDynamic(a) || mloptIsDynamic(b);
}
bool mloptShapesAgree(MlirType, MlirType);
/// The one of two agreeing sizes that says more.
static inline int64_t mloptMeetSizes(int64_t a, int64_t b) {
  return mloptIsDynamic(a) ? b : a;
}

/// A window that slides over one dimension, as reduce_window and conv have it.
typedef struct MloptWindow {
  int64_t size, stride, low, high, baseDilation, windowDilation;
} MloptWindow;
/// How many places the window has in a dimension of this size (`?` gives `?`).
bool mloptCountWindows(const MloptSubject *, intptr_t dim, int64_t size,
                       MloptWindow, int64_t *out);

#endif // MLOPT_DIALECT_INFER_H
