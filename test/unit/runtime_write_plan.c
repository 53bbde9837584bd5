//===- runtime_write_plan.c - Writes the tests' programs to files ---------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// runtime_write_plan FOLDER: writes all programs of runtime_plans.h there, as
// 0.mlopt, 1.mlopt, ...; the seeds of the fuzzer.
//
//===----------------------------------------------------------------------===//

#include "runtime_plans.h"

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  for (int i = 0; i < plan_count; ++i) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%d.mlopt", argv[1], i);
    MloptArtifactWriter *writer = plans[i]();
    CHECK_OK(mloptWriteArtifact(writer, path));
    mloptReleaseArtifactWriter(writer);
  }
  return finish(NULL);
}
