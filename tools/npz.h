//===- npz.h - Named arrays in numpy's .npz files -----------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An .npz file is a zip archive with one NAME.npy for each array. The container
// is read and written by minizip, zlib's companion: small, it can be linked
// statically, and it checks the CRC of what it reads.
//
// How element types travel is in elements.def. Reading accepts either
// signedness of the right width, and both memory orders; a value that the
// tensor's type cannot hold exactly is an error that names its index.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_TOOLS_NPZ_H
#define MLOPT_TOOLS_NPZ_H

#include "npy.h"

typedef struct MloptNpz MloptNpz;

/// Opens for reading; the caller closes it. NULL after an error.
MloptNpz *mloptNpzOpen(const char *path, MloptError *);
void mloptNpzClose(MloptNpz *);
/// How many arrays there are named PREFIX and a number without leading zeros.
int mloptNpzCountNumbered(const MloptNpz *, const char *prefix);
/// Reads the array `name` into a tensor whose type is set and whose data is
/// not allocated yet. On failure no data is left behind.
bool mloptNpzRead(MloptNpz *, const char *name, MloptTensor *, MloptError *);

/// Writes `count` tensors under `names`. The file appears, or replaces what was
/// there, only when all of it is written.
bool mloptNpzWrite(const char *path, int count, const char *const *names,
                   const MloptTensor *tensors, MloptError *);

#endif // MLOPT_TOOLS_NPZ_H
