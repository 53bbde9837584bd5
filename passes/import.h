//===- import.h - Inside convert-stablehlo-to-mlopt ---------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table says what becomes of each StableHLO and CHLO operation: a row names
// the operation, why it may be refused, and the function that rewrites it. The
// same rewrite serves an operation of a function, where it works on tensors,
// and one in the body of a reducer, a scatter or a comparator, where tensors of
// rank 0 have become bare scalars.
//
// A rewrite reads the original operation, whose types still tell signed from
// unsigned integers, and values that are imported already. It never fails: the
// preflight walk has refused everything that it could not handle.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_IMPORT_H
#define MLOPT_PASSES_IMPORT_H

#include "dialect.h"
#include "foreign/foreign.h"

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

typedef struct MloptImport MloptImport;

/// Room for the reason why an operation cannot be imported.
enum { MLOPT_REASON_SIZE = 256 };

typedef struct MloptImportRow {
  const char *name; ///< "stablehlo.add"
  /// Fills `results`; NULL for an operation that is gone before conversion.
  void (*rewrite)(MloptImport *);
  /// The mlopt operation, for rewrites that serve many rows; where it differs,
  /// the one for unsigned operands and the one for booleans.
  const char *target, *targetUnsigned, *targetBool;
  /// Whether it works on scalars, in the body of another operation.
  bool scalar;
  /// Whether its regions are such bodies.
  bool bodies;
  /// Writes why this very operation cannot be imported and returns false.
  bool (*check)(MlirOperation, char reason[MLOPT_REASON_SIZE]);
  /// Why no operation of the name can be imported.
  const char *refusal;
} MloptImportRow;

extern const MloptImportRow mloptImportRows[];
extern const int mloptNumImportRows;

/// The row of an operation; NULL when the table does not have it.
const MloptImportRow *mloptImportFindRow(MlirOperation);

/// One operation on its way.
struct MloptImport {
  const MloptImportRow *row;
  MloptBuilder *builder;
  MlirOperation op; ///< the original, untouched
  intptr_t numOperands;
  const MlirValue *operands; ///< imported
  MlirValue *results;        ///< to fill, one for each of `op`
  /// In a function only: the conversion that the operation is part of.
  MlirConversionPatternRewriter conversion;
  MlirTypeConverter converter;
  /// Null in a function. In a body, the type that a tensor of rank 0 has
  /// become, but for its element: a bare scalar, or the tensor that
  /// stablehlo.map ranges over.
  MlirType body;
};

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// What a type becomes: unsigned integers lose their sign.
MlirType mloptImportType(MlirType);
/// Why a type cannot be imported, or NULL. `*isDynamic` tells the one reason
/// that a program is told once.
const char *mloptImportTypeProblem(MlirType, bool *isDynamic);
/// Whether the elements are unsigned integers, for what is not imported yet.
bool mloptIsUnsignedElement(MlirType);
/// The type of a result of the operation, imported, in a body or not.
MlirType mloptImportResultType(const MloptImport *, intptr_t result);
/// The imported operation's name by the element type of an operand.
const char *mloptImportTarget(const MloptImport *, MlirType original);

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// An operation of one result with attributes.
MlirValue mloptImportBuild(MloptImport *, const char *name, intptr_t n,
                           const MlirValue *operands, MlirType result,
                           intptr_t numAttrs, const MlirNamedAttribute *attrs);
MlirValue mloptImportUnary(MloptImport *, const char *name, MlirValue);
MlirValue mloptImportBinary(MloptImport *, const char *name, MlirValue,
                            MlirValue);
/// `mlopt.compare` by predicate ("lt", "ult").
MlirValue mloptImportCompare(MloptImport *, const char *predicate, MlirValue,
                             MlirValue);
MlirValue mloptImportSelect(MloptImport *, MlirValue cond, MlirValue,
                            MlirValue);
MlirValue mloptImportConvert(MloptImport *, MlirValue, MlirType result);
MlirValue mloptImportBitcast(MloptImport *, MlirValue, MlirType result);
/// A constant of `type`, a static tensor or a scalar, all of one element.
MlirValue mloptImportSplat(MloptImport *, MlirType type, MlirAttribute element);
MlirValue mloptImportFloat(MloptImport *, MlirType type, double);
MlirValue mloptImportInt(MloptImport *, MlirType type, int64_t);
MlirValue mloptImportReshape(MloptImport *, MlirValue, intptr_t rank,
                             const int64_t *shape);
MlirValue mloptImportTranspose(MloptImport *, MlirValue,
                               const int64_t *permutation);
/// `dims[i]` of the result is dimension i of the operand; the operand itself
/// when nothing changes.
MlirValue mloptImportBroadcast(MloptImport *, MlirValue, const int64_t *dims,
                               MlirType result);

/// `name = array<i64: ...>`.
MlirNamedAttribute mloptImportDims(MlirContext, const char *name,
                                   const MloptDims *);

/// The one element of a constant, seen through operations that only spread it;
/// null when `value` is no such constant. The element keeps its original type.
MlirAttribute mloptImportConstantOf(MlirValue value);
/// Whether `value`, not imported yet, is the constant that changes nothing.
bool mloptImportIsNeutral(MlirValue value, MloptKind);

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// The first block of a region of the operation.
static inline MlirBlock mloptImportBodyOf(MlirOperation op, intptr_t region) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, region));
}

/// Imports, at `builder`, what the values `wanted` of a body depend on; its
/// block arguments stand for `args` (null where nothing wanted depends on one).
/// `body` as in MloptImport.
void mloptImportBody(MloptBuilder *builder, MlirBlock source, MlirType body,
                     const MlirValue *args, intptr_t numWanted,
                     const MlirValue *wanted, MlirValue *out);

/// A region of scalars, ended by mlopt.yield: the results `which` of a body,
/// its arguments `args`, both by number. The caller owns it.
MlirRegion mloptImportScalarRegion(MloptBuilder *, MlirBlock source,
                                   intptr_t numArgs, const int *args,
                                   intptr_t numResults, const int *which);

/// How a body of 2n arguments combines arguments i and n + i into its result
/// i; NONE when that takes a region.
MloptKind mloptImportKind(MlirBlock body, intptr_t i);

/// `kind = "add"`.
MlirNamedAttribute mloptImportKindAttr(MlirContext, MloptKind);

/// The most operands that an operation with a body may have.
enum { MLOPT_MAX_BODY_VALUES = 64 };

/// Numbers each of the body's n results by the group of those that depend on
/// each other; returns how many groups there are.
int mloptImportGroups(MlirBlock body, int n, int *group);

//===----------------------------------------------------------------------===//
// Phases of the pass, and rewrites by file
//===----------------------------------------------------------------------===//

/// Reports everything that cannot be imported; false if there is any. Calls in
/// bodies may be allowed, and are found.
bool mloptImportPreflight(MlirOperation module, bool allowCalls,
                          bool *outCallsInBodies);

/// Turns calls of `@inputs` and `@expected`, and check.expect_* custom calls,
/// into arguments and results of the function that has them, with the
/// attributes `mlopt.arguments_from` and `mlopt.checks`.
void mloptImportEntries(MlirOperation module);

#define MLOPT_CHECK(name)                                                      \
  bool mloptImportCheck##name(MlirOperation, char reason[MLOPT_REASON_SIZE]);
MLOPT_CHECK(CustomCall)
MLOPT_CHECK(Bodies)
MLOPT_CHECK(Scatter)
MLOPT_CHECK(Reduction)
MLOPT_CHECK(Arithmetic)
MLOPT_CHECK(Bitcast)
MLOPT_CHECK(Floats)
MLOPT_CHECK(Constant)
MLOPT_CHECK(ConstantLike)
MLOPT_CHECK(Dot)
MLOPT_CHECK(Convolution)
MLOPT_CHECK(Bessel)
#undef MLOPT_CHECK

#define MLOPT_REWRITE(name) void mloptImport##name(MloptImport *);
// import_elementwise.c
MLOPT_REWRITE(Elementwise)
MLOPT_REWRITE(Broadcasting)
MLOPT_REWRITE(Power)
MLOPT_REWRITE(SelectOp)
MLOPT_REWRITE(CompareOp)
MLOPT_REWRITE(BroadcastCompare)
MLOPT_REWRITE(BroadcastNextAfter)
MLOPT_REWRITE(BroadcastPower)
MLOPT_REWRITE(Clamp)
MLOPT_REWRITE(ConvertOp)
MLOPT_REWRITE(BitcastConvert)
MLOPT_REWRITE(ReducePrecision)
MLOPT_REWRITE(Forward)
// import_shape.c
MLOPT_REWRITE(Constant)
MLOPT_REWRITE(ConstantLike)
MLOPT_REWRITE(Iota)
MLOPT_REWRITE(BroadcastInDim)
MLOPT_REWRITE(BroadcastPrefix)
MLOPT_REWRITE(ReshapeOp)
MLOPT_REWRITE(TransposeOp)
MLOPT_REWRITE(Slice)
MLOPT_REWRITE(Pad)
MLOPT_REWRITE(Concatenate)
MLOPT_REWRITE(Reverse)
MLOPT_REWRITE(Gather)
MLOPT_REWRITE(DynamicSlice)
MLOPT_REWRITE(DynamicUpdateSlice)
MLOPT_REWRITE(GetDimensionSize)
// import_reduce.c
MLOPT_REWRITE(Reduce)
MLOPT_REWRITE(ReduceWindow)
MLOPT_REWRITE(Map)
// import_scatter.c
MLOPT_REWRITE(Scatter)
MLOPT_REWRITE(SelectAndScatter)
// import_sort.c
MLOPT_REWRITE(Sort)
MLOPT_REWRITE(TopK)
// import_dot.c
MLOPT_REWRITE(DotGeneral)
MLOPT_REWRITE(Dot)
MLOPT_REWRITE(Convolution)
// import_control.c
MLOPT_REWRITE(While)
MLOPT_REWRITE(If)
MLOPT_REWRITE(Case)
MLOPT_REWRITE(Return)
MLOPT_REWRITE(Composite)
// import_math.c
MLOPT_REWRITE(Square)
MLOPT_REWRITE(IsInf)
MLOPT_REWRITE(IsPosInf)
MLOPT_REWRITE(IsNegInf)
MLOPT_REWRITE(ErfInv)
MLOPT_REWRITE(NextAfter)
MLOPT_REWRITE(Lgamma)
MLOPT_REWRITE(Digamma)
MLOPT_REWRITE(BesselI1e)
#undef MLOPT_REWRITE

#endif // MLOPT_PASSES_IMPORT_H
