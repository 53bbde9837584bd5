/*===- mlopt-c/Dialect.h - The mlopt dialect for MLIR programs ----*- C -*-===*\
|*                                                                            *|
|* Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.         *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/* What another MLIR program links against: the dialects, in the manner of     */
/* mlir-c's dialect handles, and the registration of mlopt's passes.           */

#ifndef MLOPT_C_DIALECT_H
#define MLOPT_C_DIALECT_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The mlopt dialect; insert it into a registry or load it into a context. */
MlirDialectHandle mlirGetDialectHandle__mlopt__(void);
/** StableHLO and CHLO, for reading what JAX writes. */
MlirDialectHandle mlirGetDialectHandle__stablehlo__(void);
MlirDialectHandle mlirGetDialectHandle__chlo__(void);

/** Inserts all three. */
void mloptRegisterDialects(MlirDialectRegistry registry);

/** Registers every pass and pipeline of mlopt with MLIR's global registry. */
void mloptRegisterPasses(void);

#ifdef __cplusplus
}
#endif

#endif /* MLOPT_C_DIALECT_H */
