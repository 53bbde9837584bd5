//===- to_linalg.h - Lowering mlopt to linalg ---------------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the files of `convert-mlopt-to-linalg` share. Each operation has one row
// in a table: a lowering of its own, or, for elementwise operations, the scalar
// operations that compute one element. Lowerings see static shapes and at least
// one element in each result; the driver sees to the rest.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_TO_LINALG_H
#define MLOPT_PASSES_TO_LINALG_H

#include "dialect.h"
#include "index.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"

//===----------------------------------------------------------------------===//
// Lowerings
//===----------------------------------------------------------------------===//

enum {
  /// Verifiers allow 64 operands where they meet in one linalg.generic.
  MLOPT_MAX_GENERIC_OPERANDS = 128,
  /// Convolutions by groups have one dimension more inside.
  MLOPT_MAX_SHAPE = MLOPT_MAX_RANK + 1,
  /// Loops of a window or a convolution.
  MLOPT_MAX_LOOPS = 2 * MLOPT_MAX_SHAPE
};

/// An operation on its way to linalg.
typedef struct MloptLowering {
  MloptBuilder b; ///< inserts before the operation
  MlirOperation op;
  intptr_t numOperands;
  const MlirValue *operands; ///< what the operands became
  MlirAttribute fastmath;    ///< for float arithmetic; null: as written
  bool wide;                 ///< float accumulators are f64
} MloptLowering;

/// Builds what replaces the operation's results; a failed builder fails it.
typedef void (*MloptLowerFn)(MloptLowering *, MlirValue *results);

typedef struct MloptLoweringRow {
  const MloptOpDef *def;
  MloptLowerFn lower;
} MloptLoweringRow;

typedef struct MloptScalarRow MloptScalarRow;
/// The lowerings of a pass.
typedef struct MloptLowerings {
  const MloptScalarRow *scalars; ///< of elementwise operations
  int numScalars;
  const MloptLoweringRow *rows;
  int numRows;
  bool wide; ///< see MloptLowering
} MloptLowerings;

/// A conversion target to which every operation is legal; the caller owns it.
MlirConversionTarget mloptCreateLoweringTarget(MlirContext);
/// A full conversion by these lowerings, without folding.
MlirLogicalResult mloptRunLowerings(MlirOperation root, MlirConversionTarget,
                                    const MloptLowerings *);

/// One diagnostic and failure when an mlopt operation inside has a dynamic
/// shape.
MlirLogicalResult mloptCheckStatic(MlirOperation root);

/// Whether the operation (scatter, scan, sort, reduce) has a region in place of
/// a kind or keys.
bool mloptHasBody(MlirOperation);

/// Moves the operation's body to the end of `block`, its arguments replaced by
/// `args`, and takes its yield away. `yielded` gets what it yielded.
void mloptInlineBody(MloptLowering *, MlirBlock block, intptr_t numArgs,
                     const MlirValue *args, MlirValue *yielded);

/// The operation once more, with `body` in place of kind or keys; the
/// attributes named in `drop` (NULL-terminated) are left out.
MlirOperation mloptRebuildWithBody(MloptLowering *, intptr_t numOperands,
                                   const MlirValue *operands,
                                   intptr_t numResults, const MlirType *results,
                                   MlirRegion body, const char *const *drop);

// to_linalg_layout.c
void mloptLowerBitcast(MloptLowering *, MlirValue *);
void mloptLowerBroadcast(MloptLowering *, MlirValue *);
void mloptLowerConcat(MloptLowering *, MlirValue *);
void mloptLowerConstant(MloptLowering *, MlirValue *);
void mloptLowerIota(MloptLowering *, MlirValue *);
void mloptLowerPad(MloptLowering *, MlirValue *);
void mloptLowerReshape(MloptLowering *, MlirValue *);
void mloptLowerReverse(MloptLowering *, MlirValue *);
void mloptLowerSlice(MloptLowering *, MlirValue *);
void mloptLowerTranspose(MloptLowering *, MlirValue *);
// to_linalg_index.c
void mloptLowerDynamicSlice(MloptLowering *, MlirValue *);
void mloptLowerDynamicUpdateSlice(MloptLowering *, MlirValue *);
void mloptLowerGather(MloptLowering *, MlirValue *);
void mloptLowerScatter(MloptLowering *, MlirValue *);
// to_linalg_reduce.c
void mloptLowerArgReduce(MloptLowering *, MlirValue *);
void mloptLowerReduce(MloptLowering *, MlirValue *);
void mloptLowerReduceWindow(MloptLowering *, MlirValue *);
void mloptLowerScan(MloptLowering *, MlirValue *);
// to_linalg_sort.c
void mloptLowerSort(MloptLowering *, MlirValue *);
// to_linalg_dot.c
void mloptLowerConv(MloptLowering *, MlirValue *);
void mloptLowerDot(MloptLowering *, MlirValue *);

//===----------------------------------------------------------------------===//
// Scalars (to_linalg_scalar.c)
//===----------------------------------------------------------------------===//

/// One element of an elementwise operation.
typedef struct MloptScalar {
  MloptBuilder *b;
  MlirOperation op;       ///< holds the attributes; null for a mere kind
  MlirAttribute fastmath; ///< null: as written
  MlirType result;        ///< type of the result's element
} MloptScalar;

/// How an elementwise operation computes an element: by one operation for each
/// class of element type, or where that is NULL by `lower`.
struct MloptScalarRow {
  const MloptOpDef *def;
  const char *floatOp; ///< "arith.addf"
  const char *intOp;   ///< "arith.addi"
  const char *boolOp;  ///< for i1
  MlirValue (*lower)(MloptScalar *, const MlirValue *x);
  /// Several float operations stand for one: do them in f32 at least.
  bool widen;
};

extern const MloptScalarRow mloptScalarRows[];
extern const int mloptNumScalarRows;

/// Computes one element from the operands' elements.
MlirValue mloptBuildScalar(MloptScalar *, const MloptScalarRow *,
                           const MlirValue *x);

/// Combines two scalars of one type as the kind says.
MlirValue mloptBuildCombine(MloptBuilder *, MloptKind, MlirAttribute fastmath,
                            MlirValue a, MlirValue b);

// to_linalg_uses.c

/// Whether all that reads the operation's result, an f32, adds a constant to
/// it, of magnitude 1 or more: the sum does not show how exact a small one is.
bool mloptIsAddedToOnes(MlirOperation);
/// Whether the operation's result is rounded to 16 bits or less at once, or is
/// an f32 and all that becomes of it is, after at most two products or
/// quotients and sums of exponentials: that does not show how exact its last
/// bits are.
bool mloptIsNarrowed(MlirOperation);

// to_linalg_convert.c

/// `mlopt.convert` (`mlopt.convertu` when `isUnsigned`) of a scalar.
MlirValue mloptBuildConvert(MloptBuilder *, MlirValue x, MlirType to,
                            bool isUnsigned);
/// `mlopt.reduce_precision` of a float scalar.
MlirValue mloptBuildReducePrecision(MloptBuilder *, MlirValue x,
                                    int64_t exponentBits, int64_t mantissaBits);
/// The bits of a float scalar as an integer of its width; an integer stays as
/// it is.
MlirValue mloptBuildToBits(MloptBuilder *, MlirValue x);

//===----------------------------------------------------------------------===//
// Structured operations (to_linalg_build.c)
//===----------------------------------------------------------------------===//

/// A linalg.generic while it is built: inputs come before outputs.
typedef struct MloptGeneric {
  intptr_t numLoops;
  bool reduction[MLOPT_MAX_LOOPS]; ///< for each loop
  intptr_t numInputs;
  intptr_t numValues;
  MlirValue values[MLOPT_MAX_GENERIC_OPERANDS];
  MlirAffineMap maps[MLOPT_MAX_GENERIC_OPERANDS];
  MlirRegion region;
  MlirBlock block;   ///< its arguments are the elements of the values
  MloptBuilder body; ///< appends to the block
} MloptGeneric;

/// Adds a tensor or scalar that is read; before any output.
void mloptAddInput(MloptGeneric *, MlirValue, MlirAffineMap);
/// Adds a tensor whose elements are the initial accumulators, or unread.
void mloptAddOutput(MloptGeneric *, MlirValue, MlirAffineMap);
/// Makes the block and the body's builder.
void mloptBeginGeneric(MloptBuilder *, MloptGeneric *);
static inline MlirValue mloptGenericArg(const MloptGeneric *g, intptr_t i) {
  return mlirBlockGetArgument(g->block, i);
}
/// `linalg.index`.
MlirValue mloptBuildLoopIndex(MloptBuilder *, int64_t loop);
/// Ends the body with these values, one for each output, and inserts the
/// operation.
MlirOperation mloptEndGeneric(MloptBuilder *, MloptGeneric *,
                              const MlirValue *yielded);
/// The same for one output; its result.
MlirValue mloptEndGenericValue(MloptBuilder *, MloptGeneric *, MlirValue);

/// A generic of parallel loops over `result` that copies `x` through `map`.
MlirValue mloptBuildMapped(MloptBuilder *, MlirValue x, MlirAffineMap map,
                           MlirType result);
/// Elementwise `mlopt.convert`; the value itself when nothing changes.
MlirValue mloptBuildCast(MloptBuilder *, MlirValue x, MlirType element,
                         bool isUnsigned);

/// `(d0, ..) -> (d[dims[0]], ..)`; -1 stands for the constant 0.
MlirAffineMap mloptDimsMap(MlirContext, intptr_t numLoops, intptr_t numDims,
                           const int64_t *dims);
/// `(d0, ..) -> (d0, .., d(n-1))`.
MlirAffineMap mloptPrefixMap(MlirContext, intptr_t numLoops, intptr_t n);
static inline MlirAffineMap mloptIdentityMap(MlirContext context,
                                             intptr_t rank) {
  return mlirAffineMapMultiDimIdentityGet(context, rank);
}

/// `tensor.empty` of a static type.
MlirValue mloptBuildEmpty(MloptBuilder *, MlirType);
/// `linalg.fill` of an empty tensor.
MlirValue mloptBuildFill(MloptBuilder *, MlirValue scalar, MlirType);
/// `tensor.extract`.
MlirValue mloptBuildExtract(MloptBuilder *, MlirValue tensor, intptr_t rank,
                            const MlirValue *indices);

/// A rectangle with strides; offsets[i] counts where dynamicOffsets[i] is null.
typedef struct MloptSlice {
  intptr_t rank;
  int64_t offsets[MLOPT_MAX_RANK];
  int64_t sizes[MLOPT_MAX_RANK];
  int64_t strides[MLOPT_MAX_RANK];
  MlirValue dynamicOffsets[MLOPT_MAX_RANK];
} MloptSlice;
/// All of a type: zero offsets, unit strides.
MloptSlice mloptWholeSlice(MlirType);
/// `tensor.extract_slice`; `result` may drop unit dimensions.
MlirValue mloptBuildExtractSlice(MloptBuilder *, MlirValue, const MloptSlice *,
                                 MlirType result);
/// `tensor.insert_slice`; `source` may lack unit dimensions.
MlirValue mloptBuildInsertSlice(MloptBuilder *, MlirValue source,
                                MlirValue dest, const MloptSlice *);

/// Row-major reshape by collapse_shape and expand_shape; no zero sizes.
MlirValue mloptBuildReshape(MloptBuilder *, MlirValue, MlirType);
/// `mlopt.pad` with a scalar; the value itself when nothing is padded.
MlirValue mloptBuildPad(MloptBuilder *, MlirValue x, MlirValue scalar,
                        const int64_t *low, const int64_t *high,
                        const int64_t *interior);

/// An integer scalar as an index, for offsets and positions.
MlirValue mloptBuildToIndex(MloptBuilder *, MlirValue, bool isUnsigned);
/// The index brought into [0, limit].
MlirValue mloptBuildClampIndex(MloptBuilder *, MlirValue, int64_t limit,
                               bool isUnsigned);

/// How gather and scatter address their operand.
typedef struct MloptAddressing {
  MloptIndexing dims;
  bool isUnsigned;                ///< how the indices read
  bool clamps;                    ///< starts to [0, limit]
  int64_t limits[MLOPT_MAX_RANK]; ///< no start beyond; for each operand dim
} MloptAddressing;

/// The operand position that belongs to the position `at`, of rank `rank`, in
/// gather's result or scatter's updates.
void mloptBuildAddress(MloptBuilder *, const MloptAddressing *,
                       MlirValue indices, intptr_t rank, const MlirValue *at,
                       intptr_t operandRank, MlirValue *position);
/// Reads the dimension numbers; the limits are the operand's sizes.
MloptAddressing mloptDescribeAddressing(MlirOperation,
                                        const MloptIndexingNames *);

#endif // MLOPT_PASSES_TO_LINALG_H
