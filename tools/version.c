//===- version.c - What was built from what -------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "version.h"

#include "mlopt_commit.h" // written by cmake/Commit.cmake with every build

const char mloptCommit[] = MLOPT_COMMIT;
