//===- expand_math.c - Elementary functions as arithmetic -----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `mlopt-expand-math` replaces each elementary function by its body in
// math.mlir or, for the GPU, in math_nvptx.mlir; the build holds both in this
// library with their calls inlined:
//
//   %r = math.tanh %x : f32
// becomes
//   the operations of @tanh_f32, its argument replaced by %x
//
// A function of a narrower float is extended to f32 and its result rounded, by
// operations that mlopt-expand-small-floats knows. Afterwards no float
// operation is left that is not a single instruction, or a few correctly
// rounded ones, wherever the code runs.
//
//===----------------------------------------------------------------------===//

#include "build.h"
#include "passes.h"

#include "mlir-c/Dialect/Arith.h"
#include "mlir-c/Dialect/Func.h"
#include "mlir-c/Dialect/LLVM.h"
#include "mlir-c/Dialect/Math.h"
#include "mlir-c/Dialect/SCF.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/// The public functions of math.mlir and math_nvptx.mlir, as MLIR prints them.
extern const char mloptMathText[];

/// The operations that functions stand for: NAME_f32 and NAME_f64, and for
/// `nvptx` nv_NAME_f32, nv_NAME_bf16, nv_NAME_fast, nv_NAME_absolute and
/// nv_NAME_narrowed where those exist.
static const char *const operations[] = {
    "arith.remf", "math.acos",  "math.acosh", "math.asin",   "math.asinh",
    "math.atan",  "math.atan2", "math.atanh", "math.cbrt",   "math.cos",
    "math.cosh",  "math.erf",   "math.erfc",  "math.exp",    "math.exp2",
    "math.expm1", "math.fpowi", "math.log",   "math.log10",  "math.log1p",
    "math.log2",  "math.powf",  "math.round", "math.rsqrt",  "math.sin",
    "math.sinh",  "math.tan",   "math.tanh",  "math.sincos",
};

enum {
  TYPE_F32,
  TYPE_F64,
  TYPE_BF16,
  TYPE_F16,
  TYPE_FAST,
  TYPE_ABSOLUTE,
  TYPE_NARROWED,
  NUM_TYPES
};
static const char *const typeNames[NUM_TYPES] = {
    "f32", "f64", "bf16", "f16", "fast", "absolute", "narrowed"};

/// The attributes of an operation on f32 whose uses hide something of its
/// error.
static const char absoluteMark[] = "mlopt.absolute";
static const char narrowedMark[] = "mlopt.narrowed";

/// An operation while the pass runs: its functions are parsed when they are
/// first needed.
typedef struct Use {
  const char *op, *name;              ///< the operation's and the functions'
  MlirOperation functions[NUM_TYPES]; ///< owned; null where there is none
  bool isParsed[NUM_TYPES];
  bool isNvptx;
} Use;

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// The function of this name, which the caller owns; null if there is none.
static MlirOperation parseFunction(MlirContext context, const char *prefix,
                                   const char *name, const char *suffix) {
  char start[64];
  snprintf(start, sizeof start, "func.func @%s%s_%s(", prefix, name, suffix);
  const char *text = strstr(mloptMathText, start);
  const char *end = text ? strstr(text, "\n  }\n") : NULL;
  if (!end)
    return (MlirOperation){NULL};
  char *copy = strndup(text, (size_t)(end - text) + strlen("\n  }"));
  MlirOperation function = {NULL};
  if (copy)
    function = mlirOperationCreateParse(context, mloptStr(copy),
                                        mloptStr("math.mlir"));
  free(copy);
  return function;
}

/// The function for one type; null if there is none.
static MlirOperation getFunction(Use *use, MlirContext context, int type) {
  MlirOperation *function = &use->functions[type];
  if (use->isParsed[type])
    return *function;
  use->isParsed[type] = true;
  const char *suffix = typeNames[type];
  if (use->isNvptx)
    *function = parseFunction(context, "nv_", use->name, suffix);
  if (mlirOperationIsNull(*function) && type <= TYPE_F64)
    *function = parseFunction(context, "", use->name, suffix);
  return *function;
}

/// The function for an operation, by its first result's type: f32's for smaller
/// floats that have none of their own.
static MlirOperation findFunction(Use *use, MlirOperation op) {
  MlirType type = mloptResultType(op, 0);
  MlirContext context = mlirTypeGetContext(type);
  if (mlirTypeIsAF64(type))
    return getFunction(use, context, TYPE_F64);
  MlirOperation function = {NULL};
  if (mlirTypeIsABF16(type))
    function = getFunction(use, context, TYPE_BF16);
  if (mlirOperationIsNull(function) && mloptIsApproximate(op))
    function = getFunction(use, context, TYPE_FAST);
  if (mlirOperationIsNull(function) && mloptHasAttr(op, absoluteMark))
    function = getFunction(use, context, TYPE_ABSOLUTE);
  if (mlirOperationIsNull(function) && mloptHasAttr(op, narrowedMark))
    function = getFunction(use, context, TYPE_NARROWED);
  return mlirOperationIsNull(function) ? getFunction(use, context, TYPE_F32)
                                       : function;
}

//===----------------------------------------------------------------------===//
// The pattern
//===----------------------------------------------------------------------===//

/// A float in another format; other values, and of that format, as they are.
static MlirValue convert(MloptBuilder *b, MlirValue x, MlirType to) {
  MlirType from = mlirValueGetType(x);
  if (!mloptIsFloatElement(from) || mlirTypeEqual(from, to))
    return x;
  bool isWider = mloptElementWidth(to) > mloptElementWidth(from);
  return mloptBuildUnary(b, isWider ? "arith.extf" : "arith.truncf", x, to);
}

/// Whether the function takes what the operation does from operand `first` on:
/// an exponent of another width than i32 it does not.
static bool takesOperands(MlirBlock body, MlirOperation op, intptr_t first) {
  intptr_t n = mlirOperationGetNumOperands(op) - first;
  bool same = mlirBlockGetNumArguments(body) == n;
  for (intptr_t i = 0; i < n && same; ++i) {
    MlirType type = mloptOperandType(op, first + i);
    same = mloptIsFloatElement(type) ||
           mlirTypeEqual(mlirValueGetType(mlirBlockGetArgument(body, i)), type);
  }
  return same;
}

/// Puts a function in place of the operation, on these operands.
static void inlineFunction(MlirOperation op, MlirOperation function,
                           intptr_t numOperands, const MlirValue *operands,
                           MlirPatternRewriter patternRewriter) {
  enum { MAX_VALUES = 3 };
  MlirType type = mloptResultType(op, 0);
  MlirOperation copy = mlirOperationClone(function);
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(copy, 0));
  MlirLocation location = mlirOperationGetLocation(op);
  mloptSetLocations(copy, location);
  MlirOperation end = mlirBlockGetTerminator(body);
  MlirRewriterBase rewriter = mlirPatternRewriterAsBase(patternRewriter);
  MloptBuilder b = mloptBuilderForRewriter(rewriter, location);
  MlirValue converted[MAX_VALUES], results[MAX_VALUES];
  intptr_t numResults = mlirOperationGetNumResults(op);
  for (intptr_t i = 0; i < numOperands; ++i)
    converted[i] = convert(&b, operands[i],
                           mlirValueGetType(mlirBlockGetArgument(body, i)));
  mlirRewriterBaseInlineBlockBefore(rewriter, body, op, numOperands, converted);
  for (intptr_t i = 0; i < numResults; ++i)
    results[i] = convert(&b, mloptOperand(end, i), type);
  mlirRewriterBaseEraseOp(rewriter, end);
  mlirRewriterBaseReplaceOpWithValues(rewriter, op, numResults, results);
  mlirOperationDestroy(copy);
}

/// Puts the function in place of the operation, on its operands from `first`
/// on.
static MlirLogicalResult expandOn(MlirOperation op, intptr_t first,
                                  MlirPatternRewriter rewriter, Use *use) {
  enum { MAX_OPERANDS = 3 };
  MlirType type = mloptResultType(op, 0);
  if (mlirTypeIsAShaped(type))
    return mloptFailure();
  MlirOperation function = findFunction(use, op);
  if (mlirOperationIsNull(function))
    return mloptOpError(op, "math.mlir has no function for it");
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  if (!takesOperands(body, op, first))
    return mloptFailure();
  MlirValue operands[MAX_OPERANDS];
  intptr_t numOperands = mlirOperationGetNumOperands(op) - first;
  for (intptr_t i = 0; i < numOperands; ++i)
    operands[i] = mloptOperand(op, first + i);
  inlineFunction(op, function, numOperands, operands, rewriter);
  return mloptSuccess();
}

static MlirLogicalResult expand(MlirRewritePattern pattern, MlirOperation op,
                                MlirPatternRewriter rewriter, void *userData) {
  return expandOn(op, 0, rewriter, userData);
}

/// What was hidden need not be any more.
static MlirLogicalResult unhide(MlirRewritePattern pattern, MlirOperation op,
                                MlirPatternRewriter rewriter, void *userData) {
  MlirValue x = mloptOperand(op, 0);
  mlirRewriterBaseReplaceOpWithValues(mlirPatternRewriterAsBase(rewriter), op,
                                      1, &x);
  return mloptSuccess();
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

/// Whether it is the reciprocal of an f32.
static bool isReciprocal(MlirOperation division) {
  MlirValue one = mloptOperand(division, 0);
  if (!mlirTypeIsAF32(mloptResultType(division, 0)) ||
      !mlirValueIsAOpResult(one) ||
      !mloptIsNamed(mlirOpResultGetOwner(one), "arith.constant"))
    return false;
  return mlirFloatAttrGetValueDouble(
             mloptAttr(mlirOpResultGetOwner(one), "value")) == 1;
}

/// The function of a reciprocal takes the divisor alone.
static MlirLogicalResult expandReciprocal(MlirRewritePattern pattern,
                                          MlirOperation op,
                                          MlirPatternRewriter rewriter,
                                          void *userData) {
  return isReciprocal(op) && !mloptIsApproximate(op) &&
                 !mloptHasAttr(op, narrowedMark)
             ? expandOn(op, 1, rewriter, userData)
             : mloptFailure();
}

/// The reciprocal of an f32's divisor where that is a power of two, by which a
/// product is the quotient; 0 otherwise.
static double powerOfTwo(MlirOperation division) {
  enum { MOST_EXPONENT = 100 }; // neither is subnormal
  MlirValue divisor = mloptOperand(division, 1);
  if (!mlirTypeIsAF32(mloptResultType(division, 0)) ||
      !mlirValueIsAOpResult(divisor) ||
      !mloptIsNamed(mlirOpResultGetOwner(divisor), "arith.constant"))
    return 0;
  double value = mlirFloatAttrGetValueDouble(
      mloptAttr(mlirOpResultGetOwner(divisor), "value"));
  int exponent;
  bool isPower =
      fabs(frexp(value, &exponent)) == 0.5 && abs(exponent) <= MOST_EXPONENT;
  return isPower ? 1 / value : 0;
}

static MlirLogicalResult expandPower(MlirRewritePattern pattern,
                                     MlirOperation op,
                                     MlirPatternRewriter rewriter,
                                     void *userData) {
  double reciprocal = powerOfTwo(op);
  if (reciprocal == 0)
    return mloptFailure();
  MlirRewriterBase base = mlirPatternRewriterAsBase(rewriter);
  MloptBuilder b = mloptBuilderForRewriter(base, mlirOperationGetLocation(op));
  MlirValue product =
      mloptBuildBinary(&b, "arith.mulf", mloptOperand(op, 0),
                       mloptBuildFloat(&b, mloptResultType(op, 0), reciprocal));
  if (b.failed)
    return mloptFailure();
  mlirRewriterBaseReplaceOpWithValues(base, op, 1, &product);
  return mloptSuccess();
}

/// The attributes of a quotient whose divisor others share, and of one that is
/// rounded together with another.
static const char sharedMark[] = "shared_divisor";
static const char roundedMark[] = "rounded_quotient";

/// Whether enough quotients share the divisor of one that work on it pays.
static bool isDivisorShared(MlirOperation division) {
  enum { ENOUGH = 4 };
  MlirValue divisor = mloptOperand(division, 1);
  if (!mlirValueIsAOpResult(divisor) ||
      !mlirBlockEqual(mlirOperationGetBlock(mlirOpResultGetOwner(divisor)),
                      mlirOperationGetBlock(division)))
    return true; // outside of the loop, if there is one
  int count = 0;
  for (MlirOpOperand use = mlirValueGetFirstUse(divisor);
       !mlirOpOperandIsNull(use) && count < ENOUGH;
       use = mlirOpOperandGetNextUse(use))
    count += mloptIsNamed(mlirOpOperandGetOwner(use), "arith.divf");
  return count == ENOUGH;
}

/// The division whose result is a value that nothing else uses; null otherwise.
static MlirOperation quotientOf(MlirValue value) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  MlirOperation op = mloptDefiningOp(value);
  return !mlirOperationIsNull(op) && mloptIsNamed(op, "arith.divf") &&
                 !mlirOpOperandIsNull(use) &&
                 mlirOpOperandIsNull(mlirOpOperandGetNextUse(use))
             ? op
             : (MlirOperation){NULL};
}

/// Finds the two divisions, by the same divisor, whose quotients an
/// llvm.fptrunc rounds to bf16 or f16.
static bool findQuotients(MlirOperation rounding, MlirOperation out[2]) {
  MlirType type = mloptResultType(rounding, 0);
  if (!mlirTypeIsAVector(type) || mloptNumElements(type) != 2 ||
      mloptElementWidth(mloptElementType(type)) != 16 ||
      !mlirTypeIsAF32(mloptElementType(mloptOperandType(rounding, 0))))
    return false;
  MlirValue vector = mloptOperand(rounding, 0);
  for (int lane = 2; lane-- > 0;) {
    if (!mlirValueIsAOpResult(vector))
      return false;
    MlirOperation insert = mlirOpResultGetOwner(vector);
    if (!mloptIsNamed(insert, "llvm.insertelement"))
      return false;
    out[lane] = quotientOf(mloptOperand(insert, 1));
    if (mlirOperationIsNull(out[lane]))
      return false;
    vector = mloptOperand(insert, 0);
  }
  return mlirValueEqual(mloptOperand(out[0], 1), mloptOperand(out[1], 1));
}

/// Whether it is a quotient that is not much simpler than others.
static bool isFullQuotient(MlirOperation op) {
  return mloptIsNamed(op, "arith.divf") && powerOfTwo(op) == 0 &&
         !mloptIsApproximate(op);
}

/// Marks the quotients of f32 by a common divisor, while all are there.
static MlirWalkResult markShared(MlirOperation op, void *userData) {
  if (isFullQuotient(op) && mlirTypeIsAF32(mloptResultType(op, 0)) &&
      !isReciprocal(op) && !mloptHasAttr(op, narrowedMark) &&
      isDivisorShared(op))
    mlirOperationSetDiscardableAttributeByName(
        op, mloptStr(sharedMark), mlirUnitAttrGet(mlirOperationGetContext(op)));
  MlirOperation pair[2];
  if (mloptIsNamed(op, "llvm.fptrunc") && findQuotients(op, pair) &&
      mloptHasAttr(pair[0], sharedMark) && mloptHasAttr(pair[1], sharedMark))
    for (int lane = 0; lane < 2; ++lane)
      mlirOperationSetDiscardableAttributeByName(
          pair[lane], mloptStr(roundedMark),
          mlirUnitAttrGet(mlirOperationGetContext(op)));
  return MlirWalkResultAdvance;
}

static MlirLogicalResult expandNarrowed(MlirRewritePattern pattern,
                                        MlirOperation op,
                                        MlirPatternRewriter rewriter,
                                        void *userData) {
  return mloptHasAttr(op, narrowedMark) && isFullQuotient(op)
             ? expand(pattern, op, rewriter, userData)
             : mloptFailure();
}

static MlirLogicalResult expandShared(MlirRewritePattern pattern,
                                      MlirOperation op,
                                      MlirPatternRewriter rewriter,
                                      void *userData) {
  return mloptHasAttr(op, sharedMark) && !mloptHasAttr(op, roundedMark)
             ? expand(pattern, op, rewriter, userData)
             : mloptFailure();
}

/// Two quotients that are rounded together. They have no users then, and stay
/// as they are.
static MlirLogicalResult expandRounded(MlirRewritePattern pattern,
                                       MlirOperation op,
                                       MlirPatternRewriter rewriter,
                                       void *userData) {
  MlirOperation quotients[2];
  if (!findQuotients(op, quotients) || !mloptHasAttr(quotients[0], roundedMark))
    return mloptFailure();
  MlirType type = mloptElementType(mloptResultType(op, 0));
  MlirOperation function =
      getFunction(userData, mlirTypeGetContext(type),
                  mlirTypeIsABF16(type) ? TYPE_BF16 : TYPE_F16);
  MlirValue operands[] = {mloptOperand(quotients[0], 0),
                          mloptOperand(quotients[1], 0),
                          mloptOperand(quotients[0], 1)};
  inlineFunction(op, function, MLOPT_COUNT(operands), operands, rewriter);
  return mloptSuccess();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

enum { OPTION_NVPTX };

typedef MlirLogicalResult (*Rewrite)(MlirRewritePattern, MlirOperation,
                                     MlirPatternRewriter, void *userData);

static void addPattern(MlirRewritePatternSet patterns, MlirContext context,
                       Rewrite rewrite, Use *use) {
  MlirRewritePatternCallbacks callbacks = {.matchAndRewrite = rewrite};
  mlirRewritePatternSetAdd(
      patterns, mlirOpRewritePatternCreate(mloptStr(use->op), 1, context,
                                           callbacks, use, 0, NULL));
}

static void releaseUse(Use *use) {
  for (int type = 0; type < NUM_TYPES; ++type)
    if (!mlirOperationIsNull(use->functions[type]))
      mlirOperationDestroy(use->functions[type]);
}

static void run(MlirOperation top, MloptPass pass) {
  MlirContext context = mlirOperationGetContext(top);
  bool isNvptx = mloptPassGetBool(pass, OPTION_NVPTX);
  Use uses[MLOPT_COUNT(operations)] = {0};
  Use quotients = {.op = "arith.divf", .name = "divf", .isNvptx = isNvptx};
  Use hidden = {.op = MLOPT_HIDDEN};
  Use rounded = {.op = "llvm.fptrunc", .name = "divf2", .isNvptx = isNvptx};
  Use reciprocals = {.op = "arith.divf", .name = "recip", .isNvptx = isNvptx};
  MlirRewritePatternSet patterns = mlirRewritePatternSetCreate(context);
  for (int i = 0; i < MLOPT_COUNT(operations); ++i) {
    uses[i] = (Use){.op = operations[i],
                    .name = strchr(operations[i], '.') + 1,
                    .isNvptx = isNvptx};
    addPattern(patterns, context, expand, &uses[i]);
  }
  addPattern(patterns, context, unhide, &hidden);
  if (isNvptx) {
    mlirOperationWalk(top, markShared, NULL, MlirWalkPreOrder);
    addPattern(patterns, context, expandNarrowed, &quotients);
    addPattern(patterns, context, expandShared, &quotients);
    addPattern(patterns, context, expandRounded, &rounded);
    addPattern(patterns, context, expandReciprocal, &reciprocals);
    addPattern(patterns, context, expandPower, &reciprocals);
  }
  MlirFrozenRewritePatternSet frozen = mlirFreezeRewritePattern(patterns);
  mlirRewritePatternSetDestroy(patterns);
  mlirWalkAndApplyPatterns(top, frozen);
  mlirFrozenRewritePatternSetDestroy(frozen);
  for (int i = 0; i < MLOPT_COUNT(operations); ++i)
    releaseUse(&uses[i]);
  releaseUse(&quotients);
  releaseUse(&rounded);
  releaseUse(&reciprocals);
}

static MlirDialectHandle (*const dependent[])(void) = {
    mlirGetDialectHandle__arith__, mlirGetDialectHandle__func__,
    mlirGetDialectHandle__llvm__,  mlirGetDialectHandle__math__,
    mlirGetDialectHandle__scf__,   NULL};

static const MloptOptionDef options[] = {
    [OPTION_NVPTX] = {.name = "nvptx",
                      .kind = MLOPT_OPTION_BOOL,
                      .help = "Take the functions of math_nvptx.mlir, where "
                              "there are any"},
};

const MloptPassDef mloptPass_expandMath MLOPT_TABLE = {
    .argument = "mlopt-expand-math",
    .summary = "Replace elementary functions by arithmetic",
    .doc = "Every elementary function, the remainder and rounding half away "
           "from zero become the operations that compute them, those of "
           "passes/math.mlir, or with `nvptx` those of passes/math_nvptx.mlir "
           "where it has one: no function of the C library or of CUDA's is "
           "called. Functions of f16, bf16 and f8 are computed in f32 and "
           "rounded once. With `nvptx`, f32 functions whose fastmath flags let "
           "them be approximated (numerics mode `fast`) become what the "
           "special function units give; no flag reaches a function's parts. "
           "`mlopt.absolute` marks a math.tanh of f32 to which a constant of 1 "
           "or more is added, outside of mode `strict`: its error counts as a "
           "part of 1, which the sum rounds to, not of a small result. "
           "`mlopt.narrowed` marks a math.exp or arith.divf, outside of mode "
           "`strict`, of 16 bits or less, or of f32 of which nothing but two "
           "products or quotients and sums of exponentials is made, in the "
           "same kernel, before a rounding to 16 bits or less: the relative "
           "error of what is computed in f32 is then far below the rounding's.",
    .dependent = dependent,
    .options = options,
    .numOptions = MLOPT_COUNT(options),
    .run = run,
};
