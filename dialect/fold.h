//===- fold.h - Constant elements in and out of folds -------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Folds read constant operands into a buffer of elements (number.h says what an
// element's bits are), compute, and write an attribute. A constant is a dense
// elements attribute of a ranked tensor, or the IntegerAttr or FloatAttr of a
// bare scalar. Only splats and constants of at most MLOPT_FOLD_LIMIT elements
// are read; empty ones and resources are not.
//
// The buffers are plain values of some 8 KB, meant for the stack: nothing here
// allocates or owns anything. Attributes belong to the context.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_DIALECT_FOLD_H
#define MLOPT_DIALECT_FOLD_H

#include "number.h"
#include "support.h"

/// How many distinct elements folding handles.
enum { MLOPT_FOLD_LIMIT = 1024 };

typedef struct MloptElements {
  MlirType type;        ///< a ranked tensor of static shape, or a bare element
  MloptElement element; ///< its element type
  int64_t count;        ///< elements of `type`, at least 1
  bool splat;           ///< values[0] stands for all of them
  uint64_t values[MLOPT_FOLD_LIMIT]; ///< row-major bits
} MloptElements;

/// The element type of a tensor or scalar type.
MloptElement mloptGetElement(MlirType);

/// Reads a constant. False when the attribute is null, no constant of element
/// types, empty, or too large to fold.
bool mloptReadElements(MlirAttribute, MloptElements *out);

/// Prepares `out` to take the values of a constant of this type; `values` is
/// not set. False when the type's shape is not static, empty, or has too many
/// elements for a constant that is no splat.
bool mloptInitElements(MlirType, bool splat, MloptElements *out);

/// The element at a row-major position.
static inline uint64_t mloptElementAt(const MloptElements *elements,
                                      int64_t position) {
  return elements->values[elements->splat ? 0 : position];
}

/// The constant as an attribute of its type; equal elements make a splat.
MlirAttribute mloptWriteElements(const MloptElements *);

/// The constant of this static type whose elements all have these bits. Null
/// when the type is empty or not static.
MlirAttribute mloptSplatAttr(MlirType, uint64_t bits);

/// Whether the attribute is a splat or scalar constant, and its bits.
bool mloptReadSplat(MlirAttribute, uint64_t *outBits);

/// How many of `values` are set.
static inline int64_t mloptStoredElements(const MloptElements *elements) {
  return elements->splat ? 1 : elements->count;
}

/// Fills a fold's one result and succeeds; a null attribute fails.
MlirLogicalResult mloptFoldToAttr(MlirAttribute, MloptFoldResult *);

#endif // MLOPT_DIALECT_FOLD_H
