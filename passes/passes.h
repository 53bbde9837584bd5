//===- passes.h - Passes and pipelines ----------------------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constants that passes.def lists, their registration, and the stages that
// a program goes through, as text: mlopt-compile, mlopt-run and the pipelines
// of mlopt-opt all run these texts.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_PASSES_H
#define MLOPT_PASSES_PASSES_H

#include "support.h"

#include <stdio.h>

#define MLOPT_PASS(name) extern const MloptPassDef mloptPass_##name;
#define MLOPT_PIPELINE(name) extern const MloptPipelineDef mloptPipeline_##name;
#include "passes.def"

/// Registers every pass and pipeline of passes.def. Call it once, before any
/// pipeline is parsed.
MLOPT_EXPORT void mloptRegisterPasses(void);

/// What gives its operand, and no folder looks through: an argument that
/// functions may not be evaluated for, from convert-mlopt-to-linalg to
/// mlopt-expand-math.
#define MLOPT_HIDDEN "llvm.intr.ssa.copy"

/// What a program has become after each stage.
typedef enum MloptStage {
  MLOPT_STAGE_MLOPT,   ///< mlopt on tensors (level 2)
  MLOPT_STAGE_FUSED,   ///< GPU: fusions, one for each kernel (level 3)
  MLOPT_STAGE_LINALG,  ///< linalg on tensors (level 4)
  MLOPT_STAGE_LOOPS,   ///< CPU: scf loops over memrefs, host calling convention
  MLOPT_STAGE_LLVM,    ///< CPU: the llvm dialect
  MLOPT_STAGE_PLAN,    ///< GPU: a launch plan, tensor programs in kernels (5)
  MLOPT_STAGE_KERNELS, ///< GPU: the llvm dialect in kernels
  MLOPT_STAGE_PTX,     ///< GPU: PTX in gpu.binary (level 6)
  MLOPT_NUM_STAGES
} MloptStage;

/// The stages on the way to each device, in order; MLOPT_NUM_STAGES ends them.
extern const MloptStage mloptCpuStages[], mloptCudaStages[];

typedef struct MloptStageOptions {
  /// Element type in which float reductions, scans and contractions accumulate,
  /// "f64" for the oracle; NULL for what each operation says.
  const char *accumulate;
  const char *chip; ///< "sm_89"; NULL for sm_90a
  int ptx;          ///< ISA version times ten; 0 for what suits the chip
  /// A path, without quotes, or "search": what makes cubins. NULL for none.
  const char *ptxas;
} MloptStageOptions;

/// "mlopt", "fused", "linalg", "loops", "llvm", "plan", "kernels" or "ptx".
const char *mloptStageGetName(MloptStage);

/// Room for the text of any stage.
enum { MLOPT_STAGE_TEXT_SIZE = 2048 };
/// Writes the elements of a stage's pipeline on `builtin.module`.
void mloptStageGetText(MloptStage, MloptStageOptions,
                       char text[MLOPT_STAGE_TEXT_SIZE]);

/// What lowering puts before the name of each function.
#define MLOPT_ENTRY_PREFIX "mlopt."

/// Runs one stage on a module that has been through the ones before it, or
/// that was written at that level. Fails after diagnostics.
MlirLogicalResult mloptStageRun(MlirModule, MloptStage, MloptStageOptions);

/// Writes what mlopt-fuse decided in a module of level 3, in words, or as a
/// picture of kernels and the edges between them for Graphviz's dot.
void mloptWriteLedger(MlirModule, FILE *);
void mloptWriteLedgerGraph(MlirModule, FILE *);

#endif // MLOPT_PASSES_PASSES_H
