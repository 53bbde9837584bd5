//===- import_body.c - Bodies of reducers and their like ------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of a StableHLO reduce, reduce_window, scatter, sort or map computes
// on tensors of rank 0. Here a body is classified (is it just an addition?),
// taken apart into groups of results that do not depend on each other, and
// imported as far as some of its results need it, on bare scalars:
//
//   ^bb0(%a: tensor<f32>, %b: tensor<f32>):        ^bb0(%a: f32, %b: f32):
//     %0 = stablehlo.abs %b : tensor<f32>     ->     %0 = mlopt.abs %b : f32
//     %1 = stablehlo.add %a, %0 : tensor<f32>        %1 = mlopt.add %a, %0 :
//     f32 stablehlo.return %1 : tensor<f32>              mlopt.yield %1 : f32
//
// The preflight walk has checked that a body holds only operations whose row
// says `scalar`, and uses no value from outside.
//
//===----------------------------------------------------------------------===//

#include "import.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Importing
//===----------------------------------------------------------------------===//

typedef struct Renaming {
  MlirValue from, to;
} Renaming;

typedef struct Body {
  MloptBuilder *builder;
  MlirType type; ///< as MloptImport's `body`
  Renaming *renamings;
  intptr_t num, capacity;
} Body;

static void rename(Body *body, MlirValue from, MlirValue to) {
  if (body->num == body->capacity) {
    body->capacity = body->capacity ? 2 * body->capacity : 16;
    body->renamings =
        realloc(body->renamings, (size_t)body->capacity * sizeof(Renaming));
  }
  body->renamings[body->num++] = (Renaming){from, to};
}

static MlirValue importValue(Body *body, MlirValue value) {
  for (intptr_t i = body->num; i--;)
    if (mlirValueEqual(body->renamings[i].from, value))
      return body->renamings[i].to;
  MlirValue operands[4], result = {NULL};
  MlirOperation op = mlirOpResultGetOwner(value);
  intptr_t n = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < n && i < MLOPT_COUNT(operands); ++i)
    operands[i] = importValue(body, mloptOperand(op, i));
  MloptImport in = {.row = mloptImportFindRow(op),
                    .builder = body->builder,
                    .op = op,
                    .numOperands = n,
                    .operands = operands,
                    .results = &result,
                    .body = body->type};
  in.row->rewrite(&in);
  rename(body, value, result);
  return result;
}

void mloptImportBody(MloptBuilder *builder, MlirBlock source, MlirType type,
                     const MlirValue *args, intptr_t numWanted,
                     const MlirValue *wanted, MlirValue *out) {
  Body body = {.builder = builder, .type = type};
  intptr_t numArgs = mlirBlockGetNumArguments(source);
  for (intptr_t i = 0; i < numArgs; ++i)
    rename(&body, mlirBlockGetArgument(source, i), args[i]);
  for (intptr_t i = 0; i < numWanted; ++i)
    out[i] = importValue(&body, wanted[i]);
  free(body.renamings);
}

MlirRegion mloptImportScalarRegion(MloptBuilder *b, MlirBlock source,
                                   intptr_t numArgs, const int *args,
                                   intptr_t numResults, const int *which) {
  MlirValue values[2 * MLOPT_MAX_BODY_VALUES] = {{NULL}};
  MlirValue wanted[MLOPT_MAX_BODY_VALUES], yielded[MLOPT_MAX_BODY_VALUES];
  MlirType types[2 * MLOPT_MAX_BODY_VALUES];
  for (intptr_t i = 0; i < numArgs; ++i)
    types[i] = mloptImportType(mloptElementType(
        mlirValueGetType(mlirBlockGetArgument(source, args[i]))));
  MlirBlock block;
  MlirRegion region = mloptCreateRegion(b, numArgs, types, &block);
  for (intptr_t i = 0; i < numArgs; ++i)
    values[args[i]] = mlirBlockGetArgument(block, i);

  MlirOperation end = mlirBlockGetTerminator(source);
  for (intptr_t i = 0; i < numResults; ++i)
    wanted[i] = mloptOperand(end, which[i]);
  MloptBuilder inside = mloptBuilderAtEnd(block, b->location);
  mloptImportBody(&inside, source, types[0], values, numResults, wanted,
                  yielded);
  mloptBuildOp(&inside, (MloptOpSpec){.name = "mlopt.yield",
                                      .numOperands = numResults,
                                      .operands = yielded});
  b->failed |= inside.failed;
  return region;
}

//===----------------------------------------------------------------------===//
// Classifying
//===----------------------------------------------------------------------===//

/// The operations that are a kind by themselves; a boolean sum is an `or`, and
/// so on.
static const struct {
  const char *name;
  MloptKind kind, unsignedKind, boolKind;
} combiners[] = {
    {"stablehlo.add", MLOPT_KIND_ADD, MLOPT_KIND_ADD, MLOPT_KIND_OR},
    {"stablehlo.multiply", MLOPT_KIND_MUL, MLOPT_KIND_MUL, MLOPT_KIND_AND},
    {"stablehlo.maximum", MLOPT_KIND_MAX, MLOPT_KIND_MAXU, MLOPT_KIND_OR},
    {"stablehlo.minimum", MLOPT_KIND_MIN, MLOPT_KIND_MINU, MLOPT_KIND_AND},
    {"stablehlo.and", MLOPT_KIND_AND, MLOPT_KIND_AND, MLOPT_KIND_AND},
    {"stablehlo.or", MLOPT_KIND_OR, MLOPT_KIND_OR, MLOPT_KIND_OR},
    {"stablehlo.xor", MLOPT_KIND_XOR, MLOPT_KIND_XOR, MLOPT_KIND_XOR},
};

MloptKind mloptImportKind(MlirBlock body, intptr_t i) {
  intptr_t n = mlirBlockGetNumArguments(body) / 2;
  MlirValue x = mlirBlockGetArgument(body, i);
  MlirValue y = mlirBlockGetArgument(body, n + i);
  MlirValue result = mloptOperand(mlirBlockGetTerminator(body), i);
  if (mlirValueEqual(result, y))
    return MLOPT_KIND_SET;
  if (!mlirValueIsAOpResult(result))
    return MLOPT_KIND_NONE;
  MlirOperation op = mlirOpResultGetOwner(result);
  if (mlirOperationGetNumOperands(op) != 2)
    return MLOPT_KIND_NONE;
  MlirValue a = mloptOperand(op, 0), b = mloptOperand(op, 1);
  if (!(mlirValueEqual(a, x) && mlirValueEqual(b, y)) &&
      !(mlirValueEqual(a, y) && mlirValueEqual(b, x)))
    return MLOPT_KIND_NONE;
  for (int c = 0; c < MLOPT_COUNT(combiners); ++c) {
    if (!mloptIsNamed(op, combiners[c].name))
      continue;
    MlirType type = mlirValueGetType(x);
    if (mloptIsI1(mloptElementType(type)))
      return combiners[c].boolKind;
    return mloptIsUnsignedElement(type) ? combiners[c].unsignedKind
                                        : combiners[c].kind;
  }
  return MLOPT_KIND_NONE;
}

static const char *const kindNames[] = {
    [MLOPT_KIND_ADD] = "add",   [MLOPT_KIND_MUL] = "mul",
    [MLOPT_KIND_MAX] = "max",   [MLOPT_KIND_MIN] = "min",
    [MLOPT_KIND_MAXU] = "maxu", [MLOPT_KIND_MINU] = "minu",
    [MLOPT_KIND_AND] = "and",   [MLOPT_KIND_OR] = "or",
    [MLOPT_KIND_XOR] = "xor",   [MLOPT_KIND_SET] = "set"};

MlirNamedAttribute mloptImportKindAttr(MlirContext context, MloptKind kind) {
  return mloptNamedAttr(context, "kind",
                        mloptStrAttr(context, kindNames[kind]));
}

//===----------------------------------------------------------------------===//
// Taking apart
//===----------------------------------------------------------------------===//

typedef struct Dependence {
  MlirValue value;
  uint64_t columns; ///< bit i: depends on argument i or n + i
} Dependence;

static uint64_t columnsOf(const Dependence *known, intptr_t num,
                          MlirValue value) {
  for (intptr_t i = num; i--;)
    if (mlirValueEqual(known[i].value, value))
      return known[i].columns;
  return 0;
}

int mloptImportGroups(MlirBlock body, int n, int *group) {
  intptr_t num = 0, capacity = 2 * n;
  for (MlirOperation op = mlirBlockGetFirstOperation(body);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    capacity += mlirOperationGetNumResults(op);
  Dependence *known = malloc((size_t)capacity * sizeof *known);
  for (int i = 0; i < 2 * n; ++i)
    known[num++] = (Dependence){mlirBlockGetArgument(body, i), 1ull << i % n};
  MlirOperation end = mlirBlockGetTerminator(body);
  for (MlirOperation op = mlirBlockGetFirstOperation(body);
       !mlirOperationEqual(op, end); op = mlirOperationGetNextInBlock(op)) {
    uint64_t columns = 0;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
      columns |= columnsOf(known, num, mloptOperand(op, i));
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
      known[num++] = (Dependence){mloptResult(op, i), columns};
  }

  // A result belongs with every column that it reads; groups that share a
  // column merge into the one with the lower number.
  for (int i = 0; i < n; ++i)
    group[i] = i;
  for (int i = 0; i < n; ++i) {
    uint64_t columns = columnsOf(known, num, mloptOperand(end, i));
    for (int j = 0; j < n; ++j) {
      if (!(columns >> j & 1) || group[i] == group[j])
        continue;
      int from = group[i] > group[j] ? group[i] : group[j];
      int to = group[i] + group[j] - from;
      for (int k = 0; k < n; ++k)
        if (group[k] == from)
          group[k] = to;
    }
  }
  free(known);

  // Number them without gaps, in order of their first member.
  int count = 0;
  for (int i = 0; i < n; ++i)
    if (group[i] == i) {
      for (int k = i; k < n; ++k)
        if (group[k] == i)
          group[k] = ~count;
      ++count;
    }
  for (int i = 0; i < n; ++i)
    group[i] = ~group[i];
  return count;
}
