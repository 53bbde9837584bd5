//===- version.h - What was built from what -----------------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_TOOLS_VERSION_H
#define MLOPT_TOOLS_VERSION_H

/// The commit that the tools were built from, with + after it if files had been
/// changed since; empty if that was no checkout.
extern const char mloptCommit[];

#endif // MLOPT_TOOLS_VERSION_H
