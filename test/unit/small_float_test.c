//===- small_float_test.c - Compiled f16, bf16 and f8 are exact -----------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles conversions and arithmetic of the small float types for the CPU and
// compares with a reference that shares nothing with mlopt-expand-small-floats:
// a table of all values of a type, in which a number is rounded by looking for
// its neighbours.
//
//   small_float_test            every small float; the points where rounding
//                               changes, as f32, f64 and i64; random numbers
//   small_float_test --all-f32  every f32 to each type; some minutes
//
//===----------------------------------------------------------------------===//

#include "jit.h"
#include "passes.h"
#include "register.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Reference
//===----------------------------------------------------------------------===//

typedef struct Type {
  const char *name;
  int width, mantissa, bias;
  unsigned overflow; ///< code of infinity, or of NaN where there is none
  bool infinity;
} Type;

static const Type types[] = {
    {"f16", 16, 10, 15, 0x7C00, true},
    {"bf16", 16, 7, 127, 0x7F80, true},
    {"f8E4M3FN", 8, 3, 7, 0x7F, false},
    {"f8E5M2", 8, 2, 15, 0x7C, true},
};

static unsigned signOf(const Type *t) { return 1u << (t->width - 1); }

static bool isNanCode(const Type *t, unsigned code) {
  unsigned magnitude = code & (signOf(t) - 1);
  return t->infinity ? magnitude > t->overflow : magnitude == t->overflow;
}

/// The value that a magnitude's fields spell, with no regard to infinity: for
/// the overflow code, what would come after the largest number.
static double valueOf(const Type *t, unsigned magnitude) {
  int exponent = (int)(magnitude >> t->mantissa);
  double fraction = magnitude & ((1u << t->mantissa) - 1);
  if (exponent == 0)
    return ldexp(fraction, 1 - t->bias - t->mantissa);
  return ldexp(fraction + (1 << t->mantissa), exponent - t->bias - t->mantissa);
}

static float decode(const Type *t, unsigned code) {
  unsigned magnitude = code & (signOf(t) - 1);
  float value = isNanCode(t, code)         ? NAN
                : magnitude == t->overflow ? INFINITY
                                           : (float)valueOf(t, magnitude);
  return code & signOf(t) ? -value : value;
}

/// The values of all magnitudes up to the overflow code, in rising order.
typedef struct Table {
  const Type *type;
  double values[0x7F81];
} Table;

static void fillTable(Table *table, const Type *t) {
  table->type = t;
  for (unsigned i = 0; i <= t->overflow; ++i)
    table->values[i] = valueOf(t, i);
}

/// The code nearest to `x`, ties to even. `*hint` is where to look first, and
/// becomes where `x` was found.
static unsigned encode(const Table *table, long double x, unsigned *hint) {
  const Type *t = table->type;
  if (isnan(x))
    return t->infinity ? t->overflow + 1 : t->overflow;
  unsigned sign = signbit(x) ? signOf(t) : 0, low = *hint, high = low + 1;
  x = fabsl(x);
  if (x < table->values[low] || x >= table->values[high])
    low = 0, high = t->overflow;
  while (high - low > 1) {
    unsigned middle = (low + high) / 2;
    if (table->values[middle] <= x)
      low = middle;
    else
      high = middle;
  }
  *hint = low;
  double middle = (table->values[low] + table->values[high]) / 2;
  bool up = x > middle || (x == middle && (low & 1));
  return sign | (low + up);
}

static bool sameCode(const Type *t, unsigned a, unsigned b) {
  return a == b || (isNanCode(t, a) && isNanCode(t, b));
}

//===----------------------------------------------------------------------===//
// Compiled functions
//===----------------------------------------------------------------------===//

enum { CHUNK = 1 << 16 };

static const char *const binaryOps[] = {
    "arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.maximumf"};
static const struct {
  const char *op, *from;
} roundings[] = {{"arith.truncf", "f32"},
                 {"arith.truncf", "f64"},
                 {"arith.sitofp", "i64"},
                 {"arith.uitofp", "i64"},
                 {"arith.sitofp", "i32"}};

/// @NAME(tensor of `from`) -> tensor of `to`, by `op`.
static void printCast(FILE *out, const char *name, const char *op,
                      const char *from, const char *to) {
  fprintf(out,
          "func.func @%s(%%x: tensor<%dx%s>) -> tensor<%dx%s> {\n"
          "  %%e = tensor.empty() : tensor<%dx%s>\n"
          "  %%r = linalg.map ins(%%x : tensor<%dx%s>)\n"
          "    outs(%%e : tensor<%dx%s>)\n"
          "    (%%a: %s, %%o: %s) {\n"
          "      %%b = %s %%a : %s to %s\n"
          "      linalg.yield %%b : %s\n    }\n"
          "  return %%r : tensor<%dx%s>\n}\n",
          name, CHUNK, from, CHUNK, to, CHUNK, to, CHUNK, from, CHUNK, to, from,
          to, op, from, to, to, CHUNK, to);
}

static void printBinary(FILE *out, const char *name, const char *op,
                        const char *type) {
  fprintf(out,
          "func.func @%s(%%x: tensor<%dx%s>, %%y: tensor<%dx%s>)\n"
          "    -> tensor<%dx%s> {\n"
          "  %%r = %s %%x, %%y : tensor<%dx%s>\n"
          "  return %%r : tensor<%dx%s>\n}\n",
          name, CHUNK, type, CHUNK, type, CHUNK, type, op, CHUNK, type, CHUNK,
          type);
}

static char *printProgram(const Type *t) {
  char *text, name[64];
  size_t size;
  FILE *out = open_memstream(&text, &size);
  printCast(out, "extend", "arith.extf", t->name, "f32");
  for (int i = 0; i < MLOPT_COUNT(roundings); ++i) {
    snprintf(name, sizeof name, "round%d", i);
    printCast(out, name, roundings[i].op, roundings[i].from, t->name);
  }
  for (int i = 0; i < MLOPT_COUNT(binaryOps); ++i) {
    snprintf(name, sizeof name, "binary%d", i);
    printBinary(out, name, binaryOps[i], t->name);
  }
  fclose(out);
  return text;
}

static MloptJit *compile(MlirContext context, const Type *t) {
  char *text = printProgram(t);
  MlirModule module = mlirModuleCreateParse(context, mloptStr(text));
  free(text);
  MloptJit *jit = NULL;
  MloptError error = {0};
  if (!mlirModuleIsNull(module)) {
    bool ok = true;
    for (int stage = 0; stage <= MLOPT_STAGE_LLVM && ok; ++stage)
      ok = !mloptFailed(mloptStageRun(module, stage, (MloptStageOptions){0}));
    if (ok)
      jit = mloptJitCreate(module, &error);
    mlirModuleDestroy(module);
  }
  if (!jit) {
    fprintf(stderr, "%s: cannot compile: %s\n", t->name, error.text);
    exit(1);
  }
  return jit;
}

static void call(MloptJit *jit, const char *name, int n, void *const *buffers) {
  MloptError error = {0};
  if (!mloptJitCall(jit, name, n, buffers, &error)) {
    fprintf(stderr, "%s\n", error.text);
    exit(1);
  }
}

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

/// A chunk of numbers of any type, on its way through compiled code.
typedef union Chunk {
  uint8_t u8[CHUNK];
  uint16_t u16[CHUNK];
  float f32[CHUNK];
  double f64[CHUNK];
  int32_t i32[CHUNK];
  int64_t i64[CHUNK];
} Chunk;

typedef struct Test {
  const Type *type;
  Table *table;
  MloptJit *jit;
  Chunk *in, *in2, *out;
  int used; ///< of `in`
  uint64_t random;
  int64_t checked, failed;
} Test;

static unsigned getCode(const Type *t, const Chunk *chunk, int i) {
  return t->width == 8 ? chunk->u8[i] : chunk->u16[i];
}
static void setCode(const Type *t, Chunk *chunk, int i, unsigned code) {
  if (t->width == 8)
    chunk->u8[i] = (uint8_t)code;
  else
    chunk->u16[i] = (uint16_t)code;
}

static void expect(Test *test, const char *what, long double x, unsigned got,
                   unsigned want) {
  ++test->checked;
  if (sameCode(test->type, got, want))
    return;
  if (test->failed++ < 10)
    fprintf(stderr, "%s %s: %.20Lg gives 0x%x, not 0x%x\n", test->type->name,
            what, x, got, want);
}

static uint64_t nextRandom(Test *test) { // xorshift64
  test->random ^= test->random << 13;
  test->random ^= test->random >> 7;
  test->random ^= test->random << 17;
  return test->random;
}

/// Element `i` of a chunk of inputs for rounding `r`.
static long double inputOf(const Chunk *chunk, int r, int i) {
  const char *from = roundings[r].from;
  if (!strcmp(from, "f32"))
    return chunk->f32[i];
  if (!strcmp(from, "f64"))
    return chunk->f64[i];
  if (!strcmp(from, "i32"))
    return chunk->i32[i];
  return !strcmp(roundings[r].op, "arith.uitofp")
             ? (long double)(uint64_t)chunk->i64[i]
             : (long double)chunk->i64[i];
}

/// Rounds the inputs gathered so far and compares.
static void flushInputs(Test *test, int r) {
  char name[16];
  snprintf(name, sizeof name, "round%d", r);
  call(test->jit, name, 2, (void *[]){test->in, test->out});
  unsigned hint = 0;
  for (int i = 0; i < test->used; ++i) {
    long double x = inputOf(test->in, r, i);
    expect(test, roundings[r].from, x, getCode(test->type, test->out, i),
           encode(test->table, x, &hint));
  }
  test->used = 0;
}

/// Gathers one number, in the type of rounding `r`; others are converted.
static void addInput(Test *test, int r, long double x) {
  const char *from = roundings[r].from;
  int i = test->used++;
  if (!strcmp(from, "f32"))
    test->in->f32[i] = (float)x;
  else if (!strcmp(from, "f64"))
    test->in->f64[i] = (double)x;
  else if (!strcmp(from, "i32"))
    test->in->i32[i] = fabsl(x) < 2147483647.0L ? (int32_t)x : INT32_MIN;
  else if (!strcmp(roundings[r].op, "arith.uitofp"))
    test->in->i64[i] = x >= 0 && x < 0x1p64L ? (int64_t)(uint64_t)x : -1;
  else
    test->in->i64[i] = fabsl(x) < 0x1p63L ? (int64_t)x : INT64_MIN;
  if (test->used == CHUNK)
    flushInputs(test, r);
}

/// Around a number, as near to it as the type of rounding `r` can come.
static void addAround(Test *test, int r, long double x) {
  bool isInt = roundings[r].from[0] == 'i';
  bool isF32 = !strcmp(roundings[r].from, "f32");
  for (int sign = -1; sign <= 1; sign += 2) {
    long double y = sign * x;
    addInput(test, r, y);
    for (int way = -1; way <= 1; way += 2)
      addInput(test, r,
               isInt   ? y + way
               : isF32 ? (long double)nextafterf((float)y, way * INFINITY)
                       : (long double)nextafter((double)y, way * INFINITY));
  }
}

/// Every value of the type and every point between two, and random bits.
static void testRounding(Test *test, int r) {
  for (unsigned code = 0; code < test->type->overflow; ++code) {
    double value = test->table->values[code];
    double next = test->table->values[code + 1];
    addAround(test, r, value);
    addAround(test, r, (value + next) / 2);
  }
  for (int i = 0; i < 2; ++i)
    addInput(test, r, i ? (long double)NAN : (long double)INFINITY);
  flushInputs(test, r);
  for (int i = 0; i < CHUNK; ++i)
    test->in->i64[i] = (int64_t)(nextRandom(test) >> (i % 64));
  test->used = CHUNK;
  flushInputs(test, r);
}

/// Every value: exactly an f32, from which it comes back.
static void testExtension(Test *test) {
  const Type *t = test->type;
  for (int i = 0; i < CHUNK; ++i)
    setCode(t, test->in, i, (unsigned)i);
  call(test->jit, "extend", 2, (void *[]){test->in, test->in2});
  call(test->jit, "round0", 2, (void *[]){test->in2, test->out});
  for (int i = 0; i < CHUNK; ++i) {
    unsigned code = getCode(t, test->in, i);
    float got = test->in2->f32[i], want = decode(t, code);
    ++test->checked;
    if (memcmp(&got, &want, sizeof got) && !(isnan(got) && isnan(want)) &&
        test->failed++ < 10)
      fprintf(stderr, "%s: 0x%x is %a, not %a\n", t->name, code, (double)got,
              (double)want);
    expect(test, "round trip", got, getCode(t, test->out, i), code);
  }
}

static float compute(int op, float a, float b) {
  switch (op) {
  case 0:
    return a + b;
  case 1:
    return a - b;
  case 2:
    return a * b;
  case 3:
    return a / b;
  }
  if (isnan(a) || isnan(b))
    return NAN;
  return a > b || (a == b && !signbit(a)) ? a : b;
}

/// Arithmetic: in f32, rounded once. All pairs of 8 bits, random ones of 16.
static void testBinary(Test *test, int op) {
  const Type *t = test->type;
  char name[16];
  snprintf(name, sizeof name, "binary%d", op);
  for (int i = 0; i < CHUNK; ++i) {
    uint64_t bits = t->width == 8 ? (uint64_t)i : nextRandom(test);
    setCode(t, test->in, i, (unsigned)bits & (2 * signOf(t) - 1));
    setCode(t, test->in2, i,
            (unsigned)(bits >> t->width) & (2 * signOf(t) - 1));
  }
  call(test->jit, name, 3, (void *[]){test->in, test->in2, test->out});
  unsigned hint = 0;
  for (int i = 0; i < CHUNK; ++i) {
    float x = compute(op, decode(t, getCode(t, test->in, i)),
                      decode(t, getCode(t, test->in2, i)));
    expect(test, binaryOps[op], x, getCode(t, test->out, i),
           encode(test->table, x, &hint));
  }
}

/// Every f32, in rising order of bits.
static void testAllF32(Test *test) {
  unsigned hint = 0;
  for (uint64_t start = 0; start < UINT64_C(1) << 32; start += CHUNK) {
    for (int i = 0; i < CHUNK; ++i)
      test->in->i32[i] = (int32_t)(uint32_t)(start + (unsigned)i);
    call(test->jit, "round0", 2, (void *[]){test->in, test->out});
    for (int i = 0; i < CHUNK; ++i)
      expect(test, "f32", test->in->f32[i], getCode(test->type, test->out, i),
             encode(test->table, test->in->f32[i], &hint));
  }
}

int main(int argc, char **argv) {
  bool all = argc == 2 && !strcmp(argv[1], "--all-f32");
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mloptRegisterEverything(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  Chunk *chunks = calloc(3, sizeof *chunks);
  Table *table = malloc(sizeof *table);
  int64_t failed = 0;
  for (int i = 0; i < MLOPT_COUNT(types); ++i) {
    fillTable(table, &types[i]);
    Test test = {.type = &types[i],
                 .table = table,
                 .jit = compile(context, &types[i]),
                 .in = &chunks[0],
                 .in2 = &chunks[1],
                 .out = &chunks[2],
                 .random = 88172645463325252u};
    if (all) {
      testAllF32(&test);
    } else {
      testExtension(&test);
      for (int r = 0; r < MLOPT_COUNT(roundings); ++r)
        testRounding(&test, r);
      for (int op = 0; op < MLOPT_COUNT(binaryOps); ++op)
        testBinary(&test, op);
    }
    printf("%s: %" PRId64 " of %" PRId64 " right\n", test.type->name,
           test.checked - test.failed, test.checked);
    failed += test.failed;
    mloptJitDestroy(test.jit);
  }
  free(chunks);
  free(table);
  mlirContextDestroy(context);
  return failed != 0;
}
