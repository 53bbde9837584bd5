//===- jit_test.c - Compiled functions keep their contract ----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs over four floats (@main: two inputs, two results) that lowering to
// the CPU could get wrong: results that are inputs or each other, buffers that
// loops swap, names that the C library has too, arithmetic that an optimizer
// would like to contract. Every one is called often and must not leak.
//
//===----------------------------------------------------------------------===//

#include "jit.h"
#include "passes.h"
#include "register.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Program {
  const char *name;
  const char *body; ///< %x, %y: !t, four floats; returns two of them
  float out0[4], out1[4];
  const char *before; ///< other functions, or NULL
} Program;

static const float inX[4] = {1, 2, 3, 4}, inY[4] = {5, 6, 7, 8};

static const Program programs[] = {
    {.name = "both results are an input",
     .body = "return %x, %x : !t, !t",
     .out0 = {1, 2, 3, 4},
     .out1 = {1, 2, 3, 4}},
    {.name = "results swap the inputs",
     .body = "return %y, %x : !t, !t",
     .out0 = {5, 6, 7, 8},
     .out1 = {1, 2, 3, 4}},
    {.name = "both results are one value",
     .body = "%s = arith.addf %x, %y : !t\n"
             "return %s, %s : !t, !t",
     .out0 = {6, 8, 10, 12},
     .out1 = {6, 8, 10, 12}},
    {.name = "an input is updated and returned as it was",
     .body = "%c0 = arith.constant 0 : index\n"
             "%f = arith.constant 9.0 : f32\n"
             "%s = tensor.insert %f into %x[%c0] : !t\n"
             "return %s, %x : !t, !t",
     .out0 = {9, 2, 3, 4},
     .out1 = {1, 2, 3, 4}},
    {.name = "a constant is updated and returned as it was",
     .body = "%c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : !t\n"
             "%c0 = arith.constant 0 : index\n"
             "%f = arith.constant 9.0 : f32\n"
             "%s = tensor.insert %f into %c[%c0] : !t\n"
             "return %s, %c : !t, !t",
     .out0 = {9, 2, 3, 4},
     .out1 = {1, 2, 3, 4}},
    {.name = "a strided slice is updated",
     .body = "%a = tensor.extract_slice %x[0] [2] [2] : !t to tensor<2xf32>\n"
             "%s = tensor.insert_slice %a into %y[1] [2] [2]\n"
             "  : tensor<2xf32> into !t\n"
             "return %s, %y : !t, !t",
     .out0 = {5, 1, 7, 3},
     .out1 = {5, 6, 7, 8}},
    {.name = "a loop swaps its buffers",
     .body = "%c0 = arith.constant 0 : index\n"
             "%c1 = arith.constant 1 : index\n"
             "%c3 = arith.constant 3 : index\n"
             "%r:2 = scf.for %i = %c0 to %c3 step %c1\n"
             "    iter_args(%a = %x, %b = %y) -> (!t, !t) {\n"
             "  %s = arith.addf %a, %a : !t\n"
             "  scf.yield %b, %s : !t, !t\n"
             "}\n"
             "return %r#0, %r#1 : !t, !t",
     .out0 = {10, 12, 14, 16},
     .out1 = {4, 8, 12, 16}},
    {.name = "a branch yields one of two buffers",
     .body = "%c0 = arith.constant 0 : index\n"
             "%a = tensor.extract %x[%c0] : !t\n"
             "%b = tensor.extract %y[%c0] : !t\n"
             "%c = arith.cmpf olt, %a, %b : f32\n"
             "%s = arith.addf %x, %y : !t\n"
             "%r = scf.if %c -> !t {\n"
             "  scf.yield %s : !t\n"
             "} else {\n"
             "  scf.yield %x : !t\n"
             "}\n"
             "%u = tensor.insert %a into %r[%c0] : !t\n"
             "return %u, %s : !t, !t",
     .out0 = {1, 8, 10, 12},
     .out1 = {6, 8, 10, 12}},
    {.name = "a loop runs until its data says so",
     .body = "%c0 = arith.constant 0 : index\n"
             "%limit = arith.constant 50.0 : f32\n"
             "%r:2 = scf.while (%a = %x, %b = %y) : (!t, !t) -> (!t, !t) {\n"
             "  %f = tensor.extract %a[%c0] : !t\n"
             "  %c = arith.cmpf olt, %f, %limit : f32\n"
             "  scf.condition(%c) %b, %a : !t, !t\n"
             "} do {\n"
             "^bb0(%a: !t, %b: !t):\n"
             "  %s = arith.addf %a, %b : !t\n"
             "  scf.yield %s, %a : !t, !t\n"
             "}\n"
             "return %r#0, %r#1 : !t, !t",
     .out0 = {5, 6, 7, 8},
     .out1 = {51, 62, 73, 84}},
    {.name = "names are the C library's",
     .before = "func.func private @exp(%x: !t) -> !t attributes {no_inline} {\n"
               "  %s = arith.addf %x, %x : !t\n"
               "  return %s : !t\n"
               "}\n"
               "func.func @free(%x: !t) -> !t {\n"
               "  return %x : !t\n"
               "}\n",
     .body = "%a = func.call @exp(%x) : (!t) -> !t\n"
             "%z = arith.subf %x, %x : !t\n"
             "%d = arith.extf %z : !t to tensor<4xf64>\n"
             "%e = math.exp %d : tensor<4xf64>\n"
             "%f = arith.truncf %e : tensor<4xf64> to !t\n"
             "return %a, %f : !t, !t",
     .out0 = {2, 4, 6, 8},
     .out1 = {1, 1, 1, 1}},
    {.name = "a product and a sum round twice",
     .body = "%c = arith.constant dense<0x3F800800> : !t\n"
             "%m = arith.constant dense<-1.0> : !t\n"
             "%z = arith.subf %x, %x : !t\n"
             "%a = arith.addf %z, %c : !t\n"
             "%p = arith.mulf %a, %a : !t\n"
             "%s = arith.addf %p, %m : !t\n"
             "return %s, %p : !t, !t",
     .out0 = {0x1p-11f, 0x1p-11f, 0x1p-11f, 0x1p-11f},
     .out1 = {0x1.002p0f, 0x1.002p0f, 0x1.002p0f, 0x1.002p0f}},
    {.name = "denormals stay",
     .body = "%c = arith.constant dense<0x00800000> : !t\n"
             "%h = arith.constant dense<0.5> : !t\n"
             "%d = arith.mulf %c, %h : !t\n"
             "%s = arith.mulf %d, %x : !t\n"
             "return %d, %s : !t, !t",
     .out0 = {0x1p-127f, 0x1p-127f, 0x1p-127f, 0x1p-127f},
     .out1 = {0x1p-127f, 0x1p-126f, 0x1.8p-126f, 0x1p-125f}},
    {.name = "maximum and minimum know signed zeros and NaN",
     .body = "%a = arith.constant dense<[0.0, -0.0, 0x7FC00000, 1.0]> : !t\n"
             "%b = arith.constant dense<[-0.0, 0.0, 1.0, 0x7FC00000]> : !t\n"
             "%z = arith.subf %x, %x : !t\n"
             "%n = arith.constant dense<-0.0> : !t\n"
             "%o = arith.mulf %z, %n : !t\n"
             "%c = arith.addf %a, %o : !t\n"
             "%s = arith.maximumf %c, %b : !t\n"
             "%t = arith.minimumf %b, %c : !t\n"
             "return %s, %t : !t, !t",
     .out0 = {0.0f, 0.0f, NAN, NAN},
     .out1 = {-0.0f, -0.0f, NAN, NAN}},
    {.name = "tensors are empty, or a single element",
     .body =
         "%e = tensor.empty() : tensor<0x4xf32>\n"
         "%t = arith.addf %e, %e : tensor<0x4xf32>\n"
         "%c = tensor.concat dim(0) %t, %row\n"
         "  : (tensor<0x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>\n"
         "%f = tensor.collapse_shape %c [[0, 1]] : tensor<1x4xf32> into !t\n"
         "%s = arith.constant dense<3.0> : tensor<f32>\n"
         "%v = tensor.extract %s[] : tensor<f32>\n"
         "%w = tensor.splat %v : !t\n"
         "return %f, %w : !t, !t",
     .out0 = {1, 2, 3, 4},
     .out1 = {3, 3, 3, 3}},
};

static MloptJit *compile(MlirContext context, const Program *p) {
  char *text;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  fprintf(out,
          "!t = tensor<4xf32>\n%s"
          "func.func @main(%%x: !t, %%y: !t) -> (!t, !t) {\n"
          "%%row = tensor.expand_shape %%x [[0, 1]] output_shape [1, 4]\n"
          "  : !t into tensor<1x4xf32>\n%s\n}\n",
          p->before ? p->before : "", p->body);
  fclose(out);
  MlirModule module = mlirModuleCreateParse(context, mloptStr(text));
  free(text);
  if (mlirModuleIsNull(module))
    return NULL;
  MloptJit *jit = NULL;
  MloptError error = {0};
  bool ok = true;
  for (int stage = 0; stage <= MLOPT_STAGE_LLVM && ok; ++stage)
    ok = !mloptFailed(mloptStageRun(module, stage, (MloptStageOptions){0}));
  if (ok)
    jit = mloptJitCreate(module, &error);
  mlirModuleDestroy(module);
  return jit;
}

static bool same(const float *a, const float *b) {
  for (int i = 0; i < 4; ++i)
    if (memcmp(&a[i], &b[i], sizeof *a) && !(isnan(a[i]) && isnan(b[i])))
      return false;
  return true;
}

static void complain(const Program *p, const char *what, const float *got) {
  fprintf(stderr, "%s: %s: %a %a %a %a\n", p->name, what, (double)got[0],
          (double)got[1], (double)got[2], (double)got[3]);
}

/// Calls the program often; what it allocates must not grow by a buffer each.
static bool runProgram(const MloptJit *jit, const Program *p) {
  enum { CALLS = 200, GUARD = 4, SMALLEST = 16 };
  float x[4], y[4], out[2][4 + GUARD];
  size_t used = 0;
  for (int i = 0; i < CALLS; ++i) {
    memcpy(x, inX, sizeof x);
    memcpy(y, inY, sizeof y);
    memset(out, 0x55, sizeof out);
    MloptError error = {0};
    if (!mloptJitCall(jit, "main", 4, (void *[]){x, y, out[0], out[1]},
                      &error)) {
      fprintf(stderr, "%s: %s\n", p->name, error.text);
      return false;
    }
    if (i == 0)
      used = mallinfo2().uordblks;
  }
  bool ok = true;
  if (!same(x, inX) || !same(y, inY))
    complain(p, "inputs changed", x), ok = false;
  if (!same(out[0], p->out0))
    complain(p, "result 0", out[0]), ok = false;
  if (!same(out[1], p->out1))
    complain(p, "result 1", out[1]), ok = false;
  size_t now = mallinfo2().uordblks;
  if (now > used + (size_t)CALLS * SMALLEST) {
    fprintf(stderr, "%s: leaks %zu bytes in %d calls\n", p->name, now - used,
            CALLS - 1);
    ok = false;
  }
  return ok;
}

/// Wrong calls are messages.
static bool testErrors(const MloptJit *jit) {
  MloptError error = {0}, error2 = {0};
  bool ok = !mloptJitCall(jit, "other", 0, NULL, &error) &&
            strstr(error.text, "no function 'other'") &&
            !mloptJitCall(jit, "main", 0, NULL, &error2) &&
            strstr(error2.text, "takes 4 buffers, not 0");
  if (!ok)
    fprintf(stderr, "wrong calls: '%s', '%s'\n", error.text, error2.text);
  return ok;
}

int main(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mloptRegisterEverything(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  int failed = 0;
  for (int i = 0; i < MLOPT_COUNT(programs); ++i) {
    MloptJit *jit = compile(context, &programs[i]);
    if (!jit)
      fprintf(stderr, "%s: does not compile\n", programs[i].name);
    failed += !jit || !runProgram(jit, &programs[i]) || !testErrors(jit);
    mloptJitDestroy(jit);
  }
  mlirContextDestroy(context);
  printf("%d of %d programs right\n", MLOPT_COUNT(programs) - failed,
         MLOPT_COUNT(programs));
  return failed != 0;
}
