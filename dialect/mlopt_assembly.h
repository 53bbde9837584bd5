//===- mlopt_assembly.h - Assembly that no format can say ---------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The `custom<...>` directives of the mlopt operations' formats.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_DIALECT_MLOPT_ASSEMBLY_H
#define MLOPT_DIALECT_MLOPT_ASSEMBLY_H

#include "assembly.h"

extern const MloptCustom mloptCustoms[];
extern const int mloptNumCustoms;

#endif // MLOPT_DIALECT_MLOPT_ASSEMBLY_H
