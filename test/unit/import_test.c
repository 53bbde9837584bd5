//===- import_test.c - The table of what import does ----------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A misspelt row would never match: each must name an operation that exists,
// once, and rename to one that exists.
//
//===----------------------------------------------------------------------===//

#include "import.h"
#include "mlopt-c/Dialect.h"

#include <stdio.h>

static int failed;

static void check(bool ok, const char *row, const char *what) {
  if (!ok)
    ++failed, printf("FAIL: %s %s\n", row, what);
}

int main(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mloptRegisterDialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  mlirContextLoadAllAvailableDialects(context);
  for (int i = 0; i < mloptNumImportRows; ++i) {
    const MloptImportRow *row = &mloptImportRows[i];
    const char *targets[] = {row->target, row->targetUnsigned, row->targetBool};
    check(mlirContextIsRegisteredOperation(context, mloptStr(row->name)),
          row->name, "is no operation");
    check(row->rewrite || row->refusal || row->check, row->name,
          "has neither a rewrite nor a refusal");
    check(!row->rewrite || !row->refusal, row->name,
          "has both a rewrite and a refusal");
    for (int t = 0; t < MLOPT_COUNT(targets); ++t)
      check(!targets[t] ||
                mlirContextIsRegisteredOperation(context, mloptStr(targets[t])),
            row->name, "becomes no operation");
    for (int j = 0; j < i; ++j)
      check(strcmp(row->name, mloptImportRows[j].name), row->name,
            "is there twice");
  }
  mlirContextDestroy(context);
  printf("%d rows, %d failed\n", mloptNumImportRows, failed);
  return failed != 0;
}
