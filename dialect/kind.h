//===- kind.h - Operations that combine by a kind or a region -----*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What reduce, reduce_window, scan and scatter share: the attribute `kind` or
// else a region of scalars that combines two values, inputs and initial values
// as operands, and the arithmetic of a kind on constants.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_DIALECT_KIND_H
#define MLOPT_DIALECT_KIND_H

#include "dialect.h"
#include "infer.h"
#include "number.h"

/// What a `kind` attribute says; NONE for anything else.
MloptKind mloptReadKind(MlirAttribute);
/// Rows of an attribute table: `kind` and `numerics`.
bool mloptIsReduceKind(MlirAttribute);
bool mloptIsScatterKind(MlirAttribute); ///< `set` too
#define MLOPT_REDUCE_KIND_SPEC                                                 \
  {                                                                            \
    "kind", mloptIsReduceKind,                                                 \
        "one of add, mul, max, min, maxu, minu, and, or, xor", true, NULL      \
  }
#define MLOPT_SCATTER_KIND_SPEC                                                \
  {                                                                            \
    "kind", mloptIsScatterKind,                                                \
        "one of add, mul, max, min, maxu, minu, and, or, xor, set", true, NULL \
  }
#define MLOPT_NUMERICS_SPEC                                                    \
  {                                                                            \
    "numerics", mloptIsNumericsAttr, "#mlopt.numerics<strict|default|fast>",   \
        true, NULL                                                             \
  }

/// The operands of reduce, reduce_window and scan: inputs, which agree in
/// shape, then no initial values or one for each input.
typedef struct MloptInputs {
  MloptKind kind;
  intptr_t count; ///< of inputs
  bool hasInits;
  int64_t shape[MLOPT_MAX_RANK]; ///< of the inputs together
  intptr_t rank;
} MloptInputs;

/// The kind's combining operation takes this element type.
bool mloptCheckKindElement(const MloptSubject *, MloptKind, MlirType element);
/// Sorts the operands and checks that the kind takes them.
bool mloptReadInputs(const MloptSubject *, intptr_t numOperands,
                     const MlirType *operandTypes, MloptInputs *out);
/// The element type of result `i`: that of its initial value, or of its input.
MlirType mloptInputsElement(const MloptInputs *, const MlirType *operandTypes,
                            intptr_t i);

/// An operation has a kind or a region, not both and not neither. For `verify`.
bool mloptCheckKindOrRegion(MlirOperation);
/// The type that an operation's region needs for its argument or yield `i`.
typedef MlirType (*MloptRegionTypeFn)(MlirOperation, intptr_t i);
/// The operation's region takes `numArgs` scalars and yields `numYields`, of
/// these types. For `verifyRegions`; an empty region holds.
MlirLogicalResult mloptVerifyScalarRegion(MlirOperation, intptr_t numArgs,
                                          MloptRegionTypeFn argType,
                                          intptr_t numYields,
                                          MloptRegionTypeFn yieldType);
/// The same for a reduction: accumulators, then elements; yields accumulators.
MlirLogicalResult mloptVerifyReductionRegion(MlirOperation);

/// The function that combines two elements of a kind; NULL for none and set.
MloptBinaryFn mloptKindGetFunction(MloptKind);
/// The bits of a kind's neutral element.
uint64_t mloptKindGetNeutralBits(MloptKind, MloptElement);
/// Whether combining constants gives one answer in every order and every
/// accumulation type: integers, and max and min.
bool mloptKindIsExact(MloptKind, MloptElement);
/// Whether combining one element with the neutral element gives that element:
/// always, but for +0.0 + -0.0.
bool mloptKindKeepsOne(MloptKind, MloptElement);
/// Combines n >= 0 equal elements of an exact kind.
uint64_t mloptKindCombineEqual(MloptKind, MloptElement, uint64_t bits,
                               int64_t n);
/// Drops an initial value that is the kind's neutral element, which changes
/// nothing by definition; false when there is none.
bool mloptDropNeutralInit(MlirOperation, const MlirAttribute *constants);

#endif // MLOPT_DIALECT_KIND_H
