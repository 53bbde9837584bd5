//===- bridge_test.c - Table dialects under any compiler and many threads -===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Built with clang++ and with g++, and under ThreadSanitizer: the traits that
// the bridge answers for must be those that libMLIR asks for, and contexts on
// many threads must not share mutable state.
//
//===----------------------------------------------------------------------===//

#include "dialect.h"
#include "mlopt-c/Dialect.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int passed, failed;

static void check(bool ok, const char *what) {
  if (ok)
    ++passed;
  else
    ++failed, printf("FAIL: %s\n", what);
}

static MlirContext createContext(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mloptRegisterUpstreamDialects(registry);
  mloptRegisterDialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  return context;
}

static void keepSilent(MlirStringRef text, void *unused) {}

static MlirLogicalResult swallow(MlirDiagnostic diagnostic, void *count) {
  ++*(int *)count;
  return mlirLogicalResultSuccess();
}

/// Parses (which verifies), prints, and returns whether it went well.
static bool roundTrips(MlirContext context, const char *text) {
  int diagnostics = 0;
  MlirDiagnosticHandlerID handler = mlirContextAttachDiagnosticHandler(
      context, swallow, &diagnostics, NULL);
  MlirModule module = mlirModuleCreateParse(context, mloptStr(text));
  bool ok = !mlirModuleIsNull(module);
  if (ok) {
    mlirOperationPrint(mlirModuleGetOperation(module), keepSilent, NULL);
    mlirModuleDestroy(module);
  }
  mlirContextDetachDiagnosticHandler(context, handler);
  return ok && diagnostics == 0;
}

static bool passRuns(MlirContext context, const char *text,
                     const char *pipeline, int operationsLeft) {
  MlirModule module = mlirModuleCreateParse(context, mloptStr(text));
  if (mlirModuleIsNull(module))
    return false;
  MlirPassManager manager = mlirPassManagerCreate(context);
  bool ok = mlirLogicalResultIsSuccess(mlirParsePassPipeline(
                mlirPassManagerGetAsOpPassManager(manager), mloptStr(pipeline),
                keepSilent, NULL)) &&
            mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(
                manager, mlirModuleGetOperation(module)));
  MlirOperation func = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  int count = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(body);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    ++count;
  mlirPassManagerDestroy(manager);
  mlirModuleDestroy(module);
  return ok && count == operationsLeft;
}

static const char fusion[] =
    "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  %0 = mlopt.fusion (%a = %x : tensor<4xf32>) -> tensor<4xf32> {\n"
    "    %1 = mlopt.exp %a : tensor<4xf32>\n"
    "    mlopt.yield %1 : tensor<4xf32>\n"
    "  }\n"
    "  return %0 : tensor<4xf32>\n"
    "}\n";
static const char isolated[] =
    "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  %0 = mlopt.fusion (%a = %x : tensor<4xf32>) -> tensor<4xf32> {\n"
    "    mlopt.yield %x : tensor<4xf32>\n"
    "  }\n"
    "  return %0 : tensor<4xf32>\n"
    "}\n";
static const char duplicates[] =
    "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  %0 = mlopt.exp %x : tensor<4xf32>\n"
    "  %1 = mlopt.exp %x : tensor<4xf32>\n"
    "  %2 = mlopt.log %x : tensor<4xf32>\n"
    "  %3 = mlopt.add %0, %1 : tensor<4xf32>\n"
    "  return %3 : tensor<4xf32>\n"
    "}\n";

static void *useContext(void *out) {
  MlirContext context = createContext();
  bool ok = true;
  for (int i = 0; i < 4; ++i)
    ok &= roundTrips(context, fusion) &&
          passRuns(context, duplicates, "builtin.module(func.func(cse))", 3);
  mlirContextDestroy(context);
  *(bool *)out = ok;
  return NULL;
}

int main(void) {
  mloptRegisterUpstreamPasses();
  MlirContext context = createContext();
  check(roundTrips(context, fusion), "a table terminator ends a region");
  check(!roundTrips(context, isolated), "IsolatedFromAbove is enforced");
  check(passRuns(context, duplicates, "builtin.module(func.func(cse))", 3),
        "CSE and dead-code removal see pure operations");
  mlirContextDestroy(context);

  enum { THREADS = 8 };
  pthread_t threads[THREADS];
  bool ok[THREADS];
  for (int i = 0; i < THREADS; ++i)
    if (pthread_create(&threads[i], NULL, useContext, &ok[i]))
      abort();
  for (int i = 0; i < THREADS; ++i) {
    pthread_join(threads[i], NULL);
    check(ok[i], "contexts on many threads work alike");
  }
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
