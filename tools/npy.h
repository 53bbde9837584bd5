//===- npy.h - The header of numpy's .npy format ------------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes what stands before an array's bytes: the magic string, a
// version, a length and a Python dictionary with the keys `descr`,
// `fortran_order` and `shape` (numpy's documentation, "numpy.lib.format",
// versions 1.0 to 3.0). The input may be hostile: anything else is an error.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_TOOLS_NPY_H
#define MLOPT_TOOLS_NPY_H

#include "tensor.h"

typedef struct MloptNpyHeader {
  char kind;    ///< 'f' float, 'b' bool, 'i' signed or 'u' unsigned integer
  int bytes;    ///< of one element
  bool fortran; ///< the first dimension varies fastest
  int rank;
  int64_t shape[MLOPT_TENSOR_MAX_RANK];
} MloptNpyHeader;

/// The magic string, the version and the longest length field.
enum { MLOPT_NPY_PREFIX = 12 };

/// Reads the fixed part, of which `size` bytes are there, and gives the size of
/// the whole header. Fails when that is beyond 64 KiB.
bool mloptNpyHeaderSize(const uint8_t *bytes, size_t size, size_t *headerSize,
                        MloptError *);
/// Reads a whole header of the size that mloptNpyHeaderSize gave.
bool mloptNpyParseHeader(const uint8_t *bytes, size_t headerSize,
                         MloptNpyHeader *, MloptError *);
/// Writes a header of version 1.0 for data in row-major order, padded to a
/// multiple of 64; returns its size, at most `capacity`, which must be 1024 or
/// more.
size_t mloptNpyWriteHeader(const MloptNpyHeader *, char *out, size_t capacity);
/// "int32[4, 8]", for messages; returns `text`.
char *mloptNpyTypeText(const MloptNpyHeader *, char *text, size_t size);

#endif // MLOPT_TOOLS_NPY_H
