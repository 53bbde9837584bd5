//===- elementwise.h - What the elementwise operations share ------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For dialect/elementwise*.c: the element types that operands may have,
// pieces of the operation tables, and the folds that run an element function
// over constants. An operation folds constants only when its result is exact or
// correctly rounded, so that folding gives the bits of execution.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_DIALECT_ELEMENTWISE_H
#define MLOPT_DIALECT_ELEMENTWISE_H

#include "assembly.h"
#include "dialect.h"
#include "fold.h"
#include "infer.h"
#include "match.h"

/// i8 to i64 and index; i4 is storage that only converts.
bool mloptIsWholeTensorOrScalar(MlirType);
bool mloptIsWholeOrI1TensorOrScalar(MlirType);
bool mloptIsNumberTensorOrScalar(MlirType); ///< those integers, and floats
bool mloptIsNumberOrI1TensorOrScalar(MlirType);

// Classes of element types: what a value spec asks, and the words for it.
#define IS_FLOATS mloptIsFloatTensorOrScalar
#define WHAT_FLOATS "tensor or scalar of floats"
#define IS_WHOLES mloptIsWholeTensorOrScalar
#define WHAT_WHOLES "tensor or scalar of i8, i16, i32, i64 or index"
#define IS_WHOLES_OR_I1 mloptIsWholeOrI1TensorOrScalar
#define WHAT_WHOLES_OR_I1 "tensor or scalar of i1, i8, i16, i32, i64 or index"
#define IS_NUMBERS mloptIsNumberTensorOrScalar
#define WHAT_NUMBERS "tensor or scalar of floats, i8, i16, i32, i64 or index"
#define IS_NUMBERS_OR_I1 mloptIsNumberOrI1TensorOrScalar
#define WHAT_NUMBERS_OR_I1                                                     \
  "tensor or scalar of floats, i1, i8, i16, i32, i64 or index"
#define IS_ELEMENTS mloptIsTensorOrScalar
#define WHAT_ELEMENTS "tensor or scalar of floats, integers or index"
#define IS_BOOLS mloptIsI1TensorOrScalar
#define WHAT_BOOLS "tensor or scalar of i1"

// Operands, results and attributes of a table. The arrays have static storage.
#define VALUE(name, types)                                                     \
  { name, IS_##types, WHAT_##types, false }
#define OPERANDS(...)                                                          \
  .operands = (const MloptValueSpec[]){__VA_ARGS__},                           \
  .numOperands =                                                               \
      sizeof((MloptValueSpec[]){__VA_ARGS__}) / sizeof(MloptValueSpec)
#define RESULT(types)                                                          \
  .results = (const MloptValueSpec[]){VALUE("result", types)}, .numResults = 1
#define ATTRS(...)                                                             \
  .attrs = (const MloptAttrSpec[]){__VA_ARGS__},                               \
  .numAttrs = sizeof((MloptAttrSpec[]){__VA_ARGS__}) / sizeof(MloptAttrSpec)

/// An operation that can round a float carries its numerics mode.
#define NUMERICS                                                               \
  {                                                                            \
    "numerics", mloptIsNumericsAttr, "#mlopt.numerics<strict|default|fast>",   \
        true, NULL                                                             \
  }

/// Says in `doc` how a float result is rounded.
#define ROUNDED_ONCE                                                           \
  "Floats narrower than f32 are computed in f32; the result is rounded to "    \
  "nearest even, once. Beyond 448 f8E4M3FN, which has no infinity, gives "     \
  "NaN. "

/// A type's text, cut short when very long, for a diagnostic's arguments.
typedef struct MloptTypeText {
  char text[160];
} MloptTypeText;
MloptTypeText mloptTypeText(MlirType);

/// i1 of a tensor's shape; bare i1 for any type that is no tensor of the
/// dialect, also for one that nothing has verified yet.
MlirType mloptI1Like(MlirType);

/// An i1 result of operand 0's shape.
intptr_t mloptInferI1Result(const MloptOpDef *, const MloptInferArgs *,
                            MlirType *results);
MlirLogicalResult mloptVerifyI1Result(MlirOperation);
/// Checks for exactly this result type: where one type is printed for all, no
/// other may differ from it by as much as a `?`.
MlirLogicalResult mloptVerifyResult(MlirOperation, MlirType);

/// Folds a constant operand; an idempotent operation of itself to its operand,
/// and an involution of itself to its operand's operand.
MlirLogicalResult mloptFoldUnary(MlirOperation, const MlirAttribute *constants,
                                 MloptFoldResult *, MloptUnaryFn);
/// Folds two constant operands.
MlirLogicalResult mloptFoldBinary(MlirOperation, const MlirAttribute *constants,
                                  MloptFoldResult *, MloptBinaryFn);
/// Folds to the constant whose every element has these bits.
MlirLogicalResult mloptFoldToBits(MlirOperation, uint64_t bits,
                                  MloptFoldResult *);

/// custom<SelectTypes>: the type of the values, and before it the condition's
/// where it is not i1 of their shape.
bool mloptParseSelectTypes(const MloptOpDef *, MloptParser,
                           MloptAssemblyState *);
void mloptPrintSelectTypes(const MloptOpDef *, MlirOperation, MloptPrinter);

#endif // MLOPT_DIALECT_ELEMENTWISE_H
