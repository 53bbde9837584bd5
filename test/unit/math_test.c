//===- math_test.c - Elementary functions keep within their bounds --------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   math_test [THOUSANDS [NAME ...]]
//
// Compiles each function of math_accuracy.def for the CPU, in f32 and f64, and
// compares it with the C library's in a wider format (f64, x87's 64-bit
// mantissa) on so many thousand arguments: all exponents alike, ordinary
// numbers, and where functions end. Without arguments, 100 thousand of each,
// and only what exceeds its bound is printed. A NaN or an infinity must be one
// in both.
//
//===----------------------------------------------------------------------===//

#include "jit.h"
#include "passes.h"
#include "register.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef long double (*Unary)(long double);
typedef long double (*Binary)(long double, long double);

static long double rsqrtWide(long double x) { return 1 / sqrtl(x); }

static const struct {
  const char *op;
  Unary unary;
  Binary binary;
} references[] = {
    {"acos", acosl, NULL},      {"acosh", acoshl, NULL}, {"asin", asinl, NULL},
    {"asinh", asinhl, NULL},    {"atan", atanl, NULL},   {"atan2", NULL, atan2l},
    {"atanh", atanhl, NULL},    {"cbrt", cbrtl, NULL},   {"cos", cosl, NULL},
    {"cosh", coshl, NULL},      {"erf", erfl, NULL},     {"erfc", erfcl, NULL},
    {"exp", expl, NULL},        {"exp2", exp2l, NULL},   {"expm1", expm1l, NULL},
    {"log", logl, NULL},        {"log10", log10l, NULL}, {"log1p", log1pl, NULL},
    {"log2", log2l, NULL},      {"powf", NULL, powl},
    {"rsqrt", rsqrtWide, NULL}, {"sin", sinl, NULL},     {"sinh", sinhl, NULL},
    {"tan", tanl, NULL},        {"tanh", tanhl, NULL},
};

static const struct {
  const char *op;
  double bounds[2]; ///< f32, f64
} bounds[] = {
#define MLOPT_ACCURACY(op, f32, f64, nv_f32, nv_bf16) {#op, {f32, f64}},
#include "math_accuracy.def"
};

enum { CHUNK = 1000 };

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static uint64_t nextRandom(uint64_t *state) {
  uint64_t z = *state += 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

static const double specials[] = {
    0.0,       -0.0,     1.0,       -1.0,    0.5,      -0.5,
    INFINITY,  -INFINITY, NAN,      2.0,     -2.0,     3.0,
    1e-310,    -1e-310,  5e-324,    1e-45,   -1e-40,   1.17549435e-38,
    88.72284,  -103.97208, 709.782712893384, -745.1332191019411,
    127.99999, -149.0,   1023.5,    -1074.5, 3.4028235e38, 1.7976931348623157e308,
    10.5,      -10.5,    27.25,     1e10,    -1e22,    0.9999999};

/// The i-th argument.
static double drawArgument(uint64_t *state, int i, bool isF64) {
  uint64_t bits = nextRandom(state);
  if (i < MLOPT_COUNT(specials))
    return specials[i];
  double unit = (double)(int64_t)nextRandom(state) * 0x1p-63; // -1 to 1
  switch (i % 4) {
  case 0: // any number
    if (isF64) {
      double x;
      memcpy(&x, &bits, sizeof x);
      return x;
    } else {
      uint32_t low = (uint32_t)bits;
      float x;
      memcpy(&x, &low, sizeof x);
      return (double)x;
    }
  case 1:
    return unit * 12;
  case 2:
    return unit * (isF64 ? 750 : 100);
  default: // near the powers of two
    return ldexp(1 + unit * 0x1p-3, (int)(bits % 16) - 8);
  }
}

//===----------------------------------------------------------------------===//
// One function
//===----------------------------------------------------------------------===//

typedef struct Measured {
  double worst;
  double at[2], got;
  long double exact;
} Measured;

/// The distance in units in the last place of the format.
static double measure(double got, long double exact, bool isF64) {
  if (isnan(got) || isnan(exact))
    return isnan(got) && isnan(exact) ? 0 : INFINITY;
  int digits = isF64 ? 52 : 23, least = isF64 ? -1022 : -126;
  int most = isF64 ? 1023 : 127;
  // An infinity is the number after the largest.
  long double end = ldexpl(1, most + 1);
  long double y = got, wanted = exact;
  y = y > end ? end : y < -end ? -end : y;
  wanted = wanted > end ? end : wanted < -end ? -end : wanted;
  int exponent;
  frexpl(wanted, &exponent);
  exponent = exponent - 1 > most ? most : exponent - 1;
  exponent = wanted == 0 || exponent < least ? least : exponent;
  return (double)(fabsl(y - wanted) / ldexpl(1, exponent - digits));
}

static MloptJit *compileFunction(MlirContext context, const char *op,
                                 bool isBinary, bool isF64) {
  char text[512];
  snprintf(text, sizeof text,
           "!t = tensor<%dx%s>\n"
           "func.func @main(%%x: !t, %%y: !t) -> !t {\n"
           "  %%r = math.%s %%x%s : !t\n"
           "  return %%r : !t\n"
           "}\n",
           CHUNK, isF64 ? "f64" : "f32", op, isBinary ? ", %y" : "");
  MlirModule module = mlirModuleCreateParse(context, mloptStr(text));
  if (mlirModuleIsNull(module))
    return NULL;
  bool ok = true;
  for (int i = 0; ok && mloptCpuStages[i] != MLOPT_NUM_STAGES; ++i)
    ok = !mloptFailed(
        mloptStageRun(module, mloptCpuStages[i], (MloptStageOptions){0}));
  MloptError error;
  MloptJit *jit = ok ? mloptJitCreate(module, &error) : NULL;
  mlirModuleDestroy(module);
  return jit;
}

static bool measureFunction(const MloptJit *jit, int row, bool isF64,
                            int chunks, Measured *out) {
  static double x[CHUNK], y[CHUNK], r[CHUNK];
  static float xf[CHUNK], yf[CHUNK], rf[CHUNK];
  uint64_t state = (uint64_t)row * 2 + isF64;
  *out = (Measured){.worst = -1};
  for (int chunk = 0; chunk < chunks; ++chunk) {
    for (int i = 0; i < CHUNK; ++i) {
      int place = chunk * CHUNK + i;
      x[i] = drawArgument(&state, place, isF64);
      // Every pair of specials comes up.
      int n = MLOPT_COUNT(specials);
      y[i] = place < n * n ? specials[place / n]
                           : drawArgument(&state, n + place % 4, isF64);
      if (place < n * n)
        x[i] = specials[place % n];
      xf[i] = (float)x[i];
      yf[i] = (float)y[i];
      if (!isF64) {
        x[i] = (double)xf[i];
        y[i] = (double)yf[i];
      }
    }
    void *buffers[] = {isF64 ? (void *)x : xf, isF64 ? (void *)y : yf,
                       isF64 ? (void *)r : rf};
    MloptError error;
    if (!mloptJitCall(jit, "main", MLOPT_COUNT(buffers), buffers, &error))
      return false;
    for (int i = 0; i < CHUNK; ++i) {
      double got = isF64 ? r[i] : (double)rf[i];
      long double exact = references[row].unary
                              ? references[row].unary(x[i])
                              : references[row].binary(x[i], y[i]);
      double error = measure(got, exact, isF64);
      if (error > out->worst)
        *out = (Measured){error, {x[i], y[i]}, got, exact};
    }
  }
  return true;
}

static bool isWanted(int argc, char **argv, const char *op) {
  bool wanted = argc < 3;
  for (int i = 2; i < argc; ++i)
    wanted |= !strcmp(argv[i], op);
  return wanted;
}

int main(int argc, char **argv) {
  int chunks = argc > 1 ? atoi(argv[1]) : 100, failed = 0;
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mloptRegisterEverything(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  for (int row = 0; row < MLOPT_COUNT(references); ++row) {
    const char *op = references[row].op;
    if (!isWanted(argc, argv, op))
      continue;
    if (strcmp(op, bounds[row].op)) {
      fprintf(stderr, "math_accuracy.def: %s where %s is due\n", bounds[row].op,
              op);
      return 1;
    }
    for (int isF64 = 0; isF64 < 2; ++isF64) {
      MloptJit *jit =
          compileFunction(context, op, references[row].binary, isF64);
      Measured m;
      bool ok = jit && measureFunction(jit, row, isF64, chunks, &m);
      mloptJitDestroy(jit);
      if (!ok) {
        fprintf(stderr, "%s: cannot be compiled\n", op);
        return 1;
      }
      bool exceeds = !(m.worst <= bounds[row].bounds[isF64]);
      failed += exceeds;
      if (exceeds || argc > 1)
        printf("%-6s %s %8.4f ulp%s at %.17g, %.17g: %.17g, exactly %.21Lg\n",
               op, isF64 ? "f64" : "f32", m.worst,
               exceeds ? " exceeds its bound" : "", m.at[0], m.at[1], m.got,
               m.exact);
    }
  }
  mlirContextDestroy(context);
  return failed ? 1 : 0;
}
