//===- tensor.h - Dense tensors in the host's memory --------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor of static shape, row-major and without gaps, in the layout that
// compiled code takes: floats by their bits, i1 as a byte 0 or 1, i4 as a byte
// 0 to 15, index as 64 bits. number.h computes with single elements,
// elements.def says how each type is stored and judged.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_TOOLS_TENSOR_H
#define MLOPT_TOOLS_TENSOR_H

#include "error.h"
#include "number.h"

#include <stddef.h>
#include <stdio.h>

typedef struct MloptElementInfo {
  const char *name;
  int bytes;
  char npyKind;
  int npyBytes;
  double bound;
} MloptElementInfo;

/// The table's row; NULL for MLOPT_NO_ELEMENT.
const MloptElementInfo *mloptElementInfo(MloptElement);

enum { MLOPT_TENSOR_MAX_RANK = 16 };

typedef struct MloptTensor {
  MloptElement element;
  int rank;
  int64_t shape[MLOPT_TENSOR_MAX_RANK];
  bool isUnsigned; ///< how integers are printed, and nothing else
  void *data;      ///< owned, 64-byte aligned, never null after allocation
} MloptTensor;

/// The product of the shape, checked where the shape was set.
int64_t mloptTensorCount(const MloptTensor *);
size_t mloptTensorBytes(const MloptTensor *);
/// Sets type and shape, without data. Fails on a negative size, a rank that is
/// too high or a size in bytes past 2^62.
bool mloptTensorSetType(MloptTensor *, MloptElement, int rank,
                        const int64_t *shape, MloptError *);
/// Allocates zeroed data for the type that is set.
bool mloptTensorAllocate(MloptTensor *, MloptError *);
/// Frees the data; the type stays.
void mloptTensorRelease(MloptTensor *);
bool mloptTensorSameType(const MloptTensor *, const MloptTensor *);

/// The bits of element `i`, zero-extended.
uint64_t mloptTensorGetBits(const MloptTensor *, int64_t i);
void mloptTensorSetBits(MloptTensor *, int64_t i, uint64_t bits);
/// The value of element `i`; exact but for 64-bit integers past 2^53.
double mloptTensorGet(const MloptTensor *, int64_t i);

/// "tensor<4x8xf32>", cut to fit; returns `text`.
char *mloptTensorTypeText(const MloptTensor *, char *text, size_t size);
/// "[1, 3]" for row-major element `i`, cut to fit; returns `text`.
char *mloptTensorIndexText(const MloptTensor *, int64_t i, char *text,
                           size_t size);
/// Element `i` with as many digits as tell it from its neighbours.
char *mloptTensorValueText(const MloptTensor *, int64_t i, char *text,
                           size_t size);
/// The elements in nested brackets; only the first ones of a large tensor.
void mloptTensorPrint(const MloptTensor *, FILE *);

#endif // MLOPT_TOOLS_TENSOR_H
