//===- register.c - What the tools know of MLIR and mlopt -----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "register.h"

#include "bridge/bridge.h"
#include "mlopt-c/Dialect.h"
#include "passes.h"

void mloptRegisterEverything(MlirDialectRegistry registry) {
  mloptRegisterUpstreamDialects(registry);
  mloptRegisterUpstreamPasses();
  mloptRegisterDialects(registry);
  mloptRegisterPasses();
}
