//===- tables.h - Inside the StableHLO and CHLO tables ------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the files of this folder share: the spelling of the rows of
// stablehlo_ops.def and chlo_ops.def, the readers of the dialects' attributes,
// and the verifiers.
//
// Constraints are loose: types are checked as far as the conversion to mlopt
// relies on them, counts of operands, regions and attributes always.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_DIALECT_FOREIGN_TABLES_H
#define MLOPT_DIALECT_FOREIGN_TABLES_H

#include "assembly.h"
#include "foreign/foreign.h"
#include "infer.h"

//===----------------------------------------------------------------------===//
// Rows: OP(identifier, TRAITS(...), OPERANDS(...), RESULTS(...), ...)
//===----------------------------------------------------------------------===//

#define TRAITS(set) .traits = MLOPT_GENERIC_PRINT | (set)
#define PURE TRAITS(MLOPT_PURE)
#define EFFECTS TRAITS(0)
/// Regions of one block, whose effects are the operation's.
#define WITH_BODY TRAITS(MLOPT_RECURSIVE_EFFECTS | MLOPT_SINGLE_BLOCK)

#define TENSOR(name)                                                           \
  { name, mloptIsRankedTensor, "a ranked tensor", false }
#define TENSORS(name)                                                          \
  { name, mloptIsRankedTensor, "a ranked tensor", true }
#define VALUE(name)                                                            \
  { name, mloptIsAnyType, "any type", false }
#define VALUES(name)                                                           \
  { name, mloptIsAnyType, "any type", true }
#define OPERANDS(...)                                                          \
  .operands = (const MloptValueSpec[]){__VA_ARGS__},                           \
  .numOperands = MLOPT_COUNT(((const MloptValueSpec[]){__VA_ARGS__}))
#define RESULTS(...)                                                           \
  .results = (const MloptValueSpec[]){__VA_ARGS__},                            \
  .numResults = MLOPT_COUNT(((const MloptValueSpec[]){__VA_ARGS__}))

/// What it must be is one of the IS_ words, two members.
#define ATTR(name, ...)                                                        \
  { name, __VA_ARGS__, false, NULL }
#define OPT(name, ...)                                                         \
  { name, __VA_ARGS__, true, NULL }
#define IS_INTS mloptIsI64Array, "array<i64>"
#define IS_INT mloptIsI64, "a 64-bit integer"
#define IS_BOOL mloptIsBool, "a boolean"
#define IS_UNIT mloptForeignIsUnit, "a unit attribute"
#define IS_STRING mloptIsString, "a string"
#define IS_ANY mloptIsAnyAttr, "any attribute"
#define IS_I32 mloptForeignIsI32, "a 32-bit integer"
#define IS_F32 mloptForeignIsF32, "a 32-bit float"
#define IS_BOOLS mloptForeignIsBools, "array<i1>"
#define IS_I32S mloptForeignIsI32s, "array<i32>"
#define IS_DENSE mloptForeignIsDenseI64, "dense 64-bit integers"
#define IS_ELEMENTS mloptForeignIsElements, "the elements of a tensor"
#define IS_ARRAY mloptForeignIsArray, "an array"
#define IS_DICT mloptForeignIsDict, "a dictionary"
#define IS_SYMBOL mloptForeignIsSymbol, "a symbol reference"
#define IS_DIRECTION mloptForeignIsDirection, "a comparison direction"
#define IS_COMPARE_TYPE mloptForeignIsCompareType, "a comparison type"
#define IS_FFT mloptForeignIsFft, "an FFT type"
#define IS_TRANSPOSE mloptForeignIsTranspose, "a transpose mode"
#define IS_DISTRIBUTION mloptForeignIsDistribution, "an RNG distribution"
#define IS_ALGORITHM mloptForeignIsAlgorithm, "an RNG algorithm"
#define IS_ACCURACY mloptForeignIsAccuracy, "a result accuracy"
#define IS_DOT mloptForeignIsDot, "#stablehlo.dot"
#define IS_DOT_ALGORITHM mloptForeignIsDotAlgorithm, "#stablehlo.dot_algorithm"
#define IS_GATHER mloptForeignIsGather, "#stablehlo.gather"
#define IS_SCATTER mloptForeignIsScatter, "#stablehlo.scatter"
#define IS_CONV mloptForeignIsConv, "#stablehlo.conv"
#define IS_CHANNEL mloptForeignIsChannel, "#stablehlo.channel_handle"
#define IS_RAGGED mloptForeignIsRagged, "#chlo.ragged_dot"
#define ATTRS(...)                                                             \
  .attrs = (const MloptAttrSpec[]){__VA_ARGS__},                               \
  .numAttrs = MLOPT_COUNT(((const MloptAttrSpec[]){__VA_ARGS__}))

#define REGIONS(n) .numRegions = n
#define FORMAT(text) .assembly = text
#define VERIFY(name) .verify = mloptForeignVerify##name
#define PARSE(name) .parse = mloptForeignParse##name

bool mloptForeignIsUnit(MlirAttribute);
bool mloptForeignIsI32(MlirAttribute);
bool mloptForeignIsF32(MlirAttribute);
bool mloptForeignIsBools(MlirAttribute);
bool mloptForeignIsI32s(MlirAttribute);
bool mloptForeignIsDenseI64(MlirAttribute);
bool mloptForeignIsElements(MlirAttribute);
bool mloptForeignIsArray(MlirAttribute);
bool mloptForeignIsDict(MlirAttribute);
bool mloptForeignIsSymbol(MlirAttribute);
bool mloptForeignIsDirection(MlirAttribute);
bool mloptForeignIsCompareType(MlirAttribute);
bool mloptForeignIsFft(MlirAttribute);
bool mloptForeignIsTranspose(MlirAttribute);
bool mloptForeignIsDistribution(MlirAttribute);
bool mloptForeignIsAlgorithm(MlirAttribute);
bool mloptForeignIsAccuracy(MlirAttribute);
bool mloptForeignIsDot(MlirAttribute);
bool mloptForeignIsDotAlgorithm(MlirAttribute);
bool mloptForeignIsGather(MlirAttribute);
bool mloptForeignIsScatter(MlirAttribute);
bool mloptForeignIsConv(MlirAttribute);
bool mloptForeignIsChannel(MlirAttribute);
bool mloptForeignIsRagged(MlirAttribute);

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// The rows of both dialects' attribute tables, by index.
typedef enum MloptForeignAttr {
  MLOPT_ATTR_COMPARISON_DIRECTION,
  MLOPT_ATTR_COMPARISON_TYPE,
  MLOPT_ATTR_PRECISION,
  MLOPT_NUM_SHARED_ATTRS,
  // StableHLO only:
  MLOPT_ATTR_FFT_TYPE = MLOPT_NUM_SHARED_ATTRS,
  MLOPT_ATTR_TRANSPOSE,
  MLOPT_ATTR_RNG_DISTRIBUTION,
  MLOPT_ATTR_RNG_ALGORITHM,
  MLOPT_ATTR_RESULT_ACCURACY_MODE,
  MLOPT_ATTR_RESULT_ACCURACY,
  MLOPT_ATTR_DOT,
  MLOPT_ATTR_DOT_ALGORITHM,
  MLOPT_ATTR_GATHER,
  MLOPT_ATTR_SCATTER,
  MLOPT_ATTR_CONV,
  MLOPT_ATTR_CHANNEL_HANDLE,
  MLOPT_ATTR_OUTPUT_OPERAND_ALIAS,
  MLOPT_ATTR_BOUNDS,
  MLOPT_ATTR_SUB_AXIS_INFO,
  MLOPT_ATTR_AXIS_REF,
  MLOPT_ATTR_MESH_AXIS,
  MLOPT_ATTR_MESH,
  MLOPT_ATTR_REPLICA_GROUP_MESH_AXES,
  MLOPT_NUM_STABLEHLO_ATTRS,
  // CHLO only:
  MLOPT_ATTR_RAGGED_DOT = MLOPT_NUM_SHARED_ATTRS,
  MLOPT_NUM_CHLO_ATTRS,
} MloptForeignAttr;

extern const MloptAttrDef mloptStablehloAttrs[MLOPT_NUM_STABLEHLO_ATTRS];
extern const MloptAttrDef mloptChloAttrs[MLOPT_NUM_CHLO_ATTRS];

/// An attribute of the dialect that the operation belongs to.
const MloptAttrDef *mloptForeignAttr(const MloptOpDef *, MloptForeignAttr);

/// The kinds of value that a struct attribute's field holds.
typedef enum MloptFieldKind {
  MLOPT_FIELD_INTS,   ///< `[1, ?]`, an array<i64>
  MLOPT_FIELD_INT,    ///< an i64
  MLOPT_FIELD_FLOAT,  ///< an f64
  MLOPT_FIELD_STRING, ///< in quotes
  MLOPT_FIELD_TYPE,   ///< a bare type, kept as a type attribute
  MLOPT_FIELD_ATTR,   ///< in full
  MLOPT_FIELD_AXIS,   ///< `(1)2`, a sub-axis
  MLOPT_FIELD_AXES,   ///< `[<...>, <...>]`, axes of a mesh
} MloptFieldKind;

typedef struct MloptField {
  const char *name;
  MloptFieldKind kind;
  bool optional; ///< absent: no integers, zero, or the unit attribute
} MloptField;

/// `name = value, ...>` in any order, after a `<`; one parameter for each
/// field. Returns their number, or -1 after an error.
intptr_t mloptParseFields(MloptParser, int numFields, const MloptField *,
                          MlirAttribute *params);
/// The same text, without the fields that are absent.
void mloptPrintFields(MloptPrinter, int numFields, const MloptField *,
                      const MlirAttribute *params);

/// `[1, 2]` between the two tokens, the first NULL when it was read already;
/// `?` is the dynamic size where `dynamic`. Null after an error.
MlirAttribute mloptParseInts(MloptParser, bool dynamic, const char *open,
                             const char *close);
void mloptPrintInts(MloptPrinter, MlirAttribute ints, const char *open,
                    const char *close);
/// A bare case of an enumeration of the operation's dialect; null after an
/// error.
MlirAttribute mloptParseCase(MloptParser, const MloptOpDef *, MloptForeignAttr);

/// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]` as the parameters of
/// #stablehlo.conv; their number, or -1.
intptr_t mloptParseConvDims(MloptParser, MlirAttribute *params);
intptr_t mloptParseConvAttr(MloptParser, intptr_t maxParams,
                            MlirAttribute *params);
void mloptPrintConvAttr(MloptPrinter, intptr_t numParams,
                        const MlirAttribute *params);
enum { MLOPT_NUM_CONV_PARAMS = 9 };

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

bool mloptForeignParseOp(const MloptOpDef *, MloptParser);
/// A complaint about an operation's format, or NULL.
const char *mloptForeignCheckFormat(const MloptOpDef *);

#define MLOPT_FOREIGN_PARSER(name)                                             \
  bool mloptForeignParse##name(const MloptOpDef *, MloptParser);
MLOPT_FOREIGN_PARSER(Constant)
MLOPT_FOREIGN_PARSER(Reduce)
MLOPT_FOREIGN_PARSER(While)
MLOPT_FOREIGN_PARSER(Barrier)
MLOPT_FOREIGN_PARSER(Scan)
#undef MLOPT_FOREIGN_PARSER

// Directives of several files, see MloptCustom.
#define MLOPT_FOREIGN_DIRECTIVE(name)                                          \
  bool mloptForeignRead##name(const MloptOpDef *, MloptParser,                 \
                              MloptAssemblyState *);
MLOPT_FOREIGN_DIRECTIVE(ConvDims)
MLOPT_FOREIGN_DIRECTIVE(Window)
#undef MLOPT_FOREIGN_DIRECTIVE

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

// Every tensor has at most MLOPT_MAX_RANK dimensions where these look at its
// shape; operations with a larger one are not looked at, and conversion refuses
// them. A size `?` equals any other.

#define MLOPT_FOREIGN_VERIFIER(name)                                           \
  MlirLogicalResult mloptForeignVerify##name(MlirOperation);
// verify.c
MLOPT_FOREIGN_VERIFIER(SameShape)
MLOPT_FOREIGN_VERIFIER(SameType)
MLOPT_FOREIGN_VERIFIER(Predicate)
MLOPT_FOREIGN_VERIFIER(Select)
MLOPT_FOREIGN_VERIFIER(Clamp)
MLOPT_FOREIGN_VERIFIER(ReducePrecision)
MLOPT_FOREIGN_VERIFIER(BitcastConvert)
MLOPT_FOREIGN_VERIFIER(Constant)
MLOPT_FOREIGN_VERIFIER(Iota)
MLOPT_FOREIGN_VERIFIER(Broadcast)
MLOPT_FOREIGN_VERIFIER(BroadcastInDim)
MLOPT_FOREIGN_VERIFIER(Reshape)
MLOPT_FOREIGN_VERIFIER(Transpose)
MLOPT_FOREIGN_VERIFIER(Reverse)
MLOPT_FOREIGN_VERIFIER(Concatenate)
MLOPT_FOREIGN_VERIFIER(Pad)
MLOPT_FOREIGN_VERIFIER(Slice)
MLOPT_FOREIGN_VERIFIER(Dimension)
MLOPT_FOREIGN_VERIFIER(GetTupleElement)
MLOPT_FOREIGN_VERIFIER(Pairwise)
MLOPT_FOREIGN_VERIFIER(Broadcasting)
// verify_index.c
MLOPT_FOREIGN_VERIFIER(DynamicSlice)
MLOPT_FOREIGN_VERIFIER(DynamicUpdateSlice)
MLOPT_FOREIGN_VERIFIER(TopK)
MLOPT_FOREIGN_VERIFIER(Gather)
MLOPT_FOREIGN_VERIFIER(Scatter)
// verify_body.c
MLOPT_FOREIGN_VERIFIER(Reduce)
MLOPT_FOREIGN_VERIFIER(ReduceWindow)
MLOPT_FOREIGN_VERIFIER(SelectAndScatter)
MLOPT_FOREIGN_VERIFIER(Map)
MLOPT_FOREIGN_VERIFIER(Sort)
MLOPT_FOREIGN_VERIFIER(Branches)
MLOPT_FOREIGN_VERIFIER(While)
MLOPT_FOREIGN_VERIFIER(Scan)
// verify_dot.c
MLOPT_FOREIGN_VERIFIER(Dot)
MLOPT_FOREIGN_VERIFIER(DotGeneral)
MLOPT_FOREIGN_VERIFIER(Convolution)
#undef MLOPT_FOREIGN_VERIFIER

/// Whether an operand or result has more dimensions than a MloptDims holds.
bool mloptForeignIsDeep(MlirOperation);
/// One type, or one of them of another dialect (quantized).
bool mloptForeignSameElement(MlirType, MlirType);
/// Both of it for tensors; equality for any other types.
bool mloptForeignSameType(MlirType, MlirType);

// Each reports what is wrong and fails:

/// The attribute has `n` entries; they go to `out`. When absent, `fill`.
MlirLogicalResult mloptForeignCheckInts(MlirOperation, const char *name,
                                        intptr_t n, int64_t fill,
                                        MloptDims *out);
/// No entry is below `least`.
MlirLogicalResult mloptForeignCheckLeast(MlirOperation, const char *name,
                                         const MloptDims *, int64_t least);
/// The entries are distinct dimensions of a tensor of this rank.
MlirLogicalResult mloptForeignCheckDims(MlirOperation, const char *name,
                                        const MloptDims *, intptr_t rank);
/// The type is a tensor of this shape.
MlirLogicalResult mloptForeignCheckShape(MlirOperation, const char *what,
                                         MlirType, const MloptDims *shape);
/// The region is one block of `numArgs` scalar tensors that returns as many
/// scalar tensors as `numResults` says.
MlirLogicalResult mloptForeignCheckBody(MlirOperation, intptr_t region,
                                        intptr_t numArgs, intptr_t numResults);
/// The same for a body that combines, with 2n arguments and n results: argument
/// i, argument n + i and what it returns have the elements of the operation's
/// result i, which can hold those of operands `first` + i and `second` + i.
MlirLogicalResult mloptForeignCheckReducer(MlirOperation, intptr_t region,
                                           intptr_t n, intptr_t first,
                                           intptr_t second);
/// How far a window slides over each dimension: the attributes window_*,
/// base_dilations and padding as the four lists, and the sizes it gives.
MlirLogicalResult mloptForeignCheckWindow(MlirOperation, MlirType operand,
                                          MloptDims *sizes);
/// ceil((padded - dilated window + 1) / stride), at least 0.
int64_t mloptForeignWindowSize(int64_t size, int64_t dilation, int64_t low,
                               int64_t high, int64_t window,
                               int64_t windowDilation, int64_t stride);

#endif // MLOPT_DIALECT_FOREIGN_TABLES_H
