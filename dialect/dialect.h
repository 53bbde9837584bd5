//===- dialect.h - The mlopt dialect ------------------------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operation tables by name, and the enumerations that their keyword
// attributes spell. Ownership, everywhere in mlopt: `create` and `parse` return
// something the caller owns, `get` borrows, a parameter documented as taken is
// consumed, also on failure.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_DIALECT_DIALECT_H
#define MLOPT_DIALECT_DIALECT_H

#include "build.h"
#include "support.h"

#define MLOPT_OP(name) extern const MloptOpDef mloptOp_##name;
#include "ops.def"

/// An attribute of the dialect that stands on operations of any.
typedef struct MloptDialectAttr {
  const char *name;
  const char *op; ///< the operation that may carry it; NULL: any
  bool (*is)(MlirAttribute);
  const char *what; ///< what it must be
  const char *doc;  ///< NULL: the compiler's own
} MloptDialectAttr;
/// All of them.
const MloptDialectAttr *mloptGetDialectAttrs(int *outCount);

/// How two values combine in reduce, reduce_window, scan and scatter; the
/// spelling of the attribute `kind`. `set` (the second value) is for scatter.
typedef enum MloptKind {
  MLOPT_KIND_NONE, ///< no attribute: the operation has a region
  MLOPT_KIND_ADD,
  MLOPT_KIND_MUL,
  MLOPT_KIND_MAX,
  MLOPT_KIND_MIN,
  MLOPT_KIND_MAXU,
  MLOPT_KIND_MINU,
  MLOPT_KIND_AND,
  MLOPT_KIND_OR,
  MLOPT_KIND_XOR,
  MLOPT_KIND_SET
} MloptKind;
/// Reads `kind`; MLOPT_KIND_NONE when absent.
MloptKind mloptGetKind(MlirOperation);
/// The mlopt operation that combines two values of a kind ("mlopt.add"); NULL
/// for NONE and SET.
const char *mloptKindGetOpName(MloptKind);
/// The kind's neutral element as a scalar attribute of the element type: +0.0
/// for a float add (documented with reduce), -inf for a float max, ...
MlirAttribute mloptKindGetNeutral(MloptKind, MlirType element);

/// `numerics`: `#mlopt.numerics<strict|default|fast>`.
typedef enum MloptNumerics {
  MLOPT_NUMERICS_DEFAULT,
  MLOPT_NUMERICS_STRICT,
  MLOPT_NUMERICS_FAST
} MloptNumerics;
/// The operation's mode; default when it has no such attribute.
MloptNumerics mloptGetNumerics(MlirOperation);
bool mloptIsNumericsAttr(MlirAttribute);

/// The element type in which a reduction, scan, dot or conv over `element`
/// accumulates: f32 for narrower floats, otherwise the type itself.
MlirType mloptAccumulationType(MlirType element);

#endif // MLOPT_DIALECT_DIALECT_H
