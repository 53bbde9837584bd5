//===- outline_impl.h - Inside mlopt-outline-kernels --------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_OUTLINE_IMPL_H
#define MLOPT_PASSES_OUTLINE_IMPL_H

#include "launch.h"
#include "value_map.h"

/// The most buffers of a kernel, and the most values of a loop.
enum { MLOPT_MAX_PARAMETERS = 256 };

/// A function on its way.
typedef struct MloptOutline {
  MlirContext context;
  MlirOperation func; ///< the original
  MlirStringRef name;
  MloptBuilder module;     ///< before the function
  MloptBuilder allocs;     ///< at the new function's start
  MloptValueMap map;       ///< a tensor, and its buffer; a scalar, and its copy
  MlirValue *destinations; ///< for each result: who writes it, or null
  intptr_t numResults;
  MlirBlock entry; ///< of the new function
  int numKernels, numGlobals;
  bool wgmma; ///< kernels may use it
  bool failed;
} MloptOutline;

/// Says what stands for a value of the original function.
void mloptOutlineBind(MloptOutline *, MlirValue from, MlirValue to);
/// What stands for it; null if nothing does.
MlirValue mloptOutlineFind(const MloptOutline *, MlirValue);
/// Reports once why the function cannot be a launch plan.
void mloptOutlineRefuse(MloptOutline *, MlirOperation, const char *why);

/// A new buffer for a tensor type, at the function's start.
MlirValue mloptOutlineAllocate(MloptOutline *, MlirType tensor);
/// Copies a buffer into another of any shape and the same size; nothing when
/// the two are one.
void mloptOutlineCopy(MloptBuilder *, MlirValue from, MlirValue to);

/// Appends what a block's operations become to another block.
void mloptOutlineBlock(MloptOutline *, MlirBlock from, MlirBlock to);

// outline_control.c
void mloptOutlineWhile(MloptOutline *, MloptBuilder *, MlirOperation);
/// scf.if and scf.index_switch.
void mloptOutlineBranches(MloptOutline *, MloptBuilder *, MlirOperation);

// outline_family.c
/// Chooses the family of a kernel that holds the program of a fusion, and
/// completes the launch.
void mloptOutlineChooseFamily(MloptOutline *, MlirOperation fusion,
                              MlirOperation kernel, MloptLaunch *);

// outline_prologue.c
/// Takes what computes factors out of the bodies of the fusion's products.
/// False when out of memory.
bool mloptOutlineCutPrologues(MlirOperation fusion);

// outline_factors.c
/// Gives each factor of a product in the fusion an operand that nothing else in
/// it reads, where it is an operand at all. False when out of memory.
bool mloptOutlineSplitFactors(MlirOperation fusion);

#endif // MLOPT_PASSES_OUTLINE_IMPL_H
