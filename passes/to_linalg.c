//===- to_linalg.c - The pass convert-mlopt-to-linalg ---------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Level 4: a full conversion of mlopt on tensors to linalg on tensors, with
// arith and math scalars. Types do not change.
//
//   %r = mlopt.add %x, %y : tensor<4xf32>
// becomes
//   %0 = tensor.empty() : tensor<4xf32>
//   %r = linalg.generic {indexing_maps = [#id, #id, #id],
//                        iterator_types = ["parallel"]}
//       ins(%x, %y : ..) outs(%0 : ..) {
//     ^bb0(%a: f32, %b: f32, %_: f32):
//       %1 = arith.addf %a, %b : f32
//       linalg.yield %1 : f32
//   } -> tensor<4xf32>
//
// `mlopt.scan`, `mlopt.scatter` and `mlopt.sort` stay, each with a region of
// arith operations on scalars. Fusions stay around what was in them.
//
// Nothing folds: the CPU computes what the program says. A mode of
// `mlopt.numerics` ends here, as fastmath flags or an order of operations.
//
//===----------------------------------------------------------------------===//

#include "to_linalg.h"
#include "passes.h"

#include "mlir-c/Dialect/Arith.h"
#include "mlir-c/Dialect/LLVM.h"
#include "mlir-c/Dialect/Linalg.h"
#include "mlir-c/Dialect/Math.h"
#include "mlir-c/Dialect/SCF.h"
#include "mlir-c/Dialect/Tensor.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

bool mloptHasBody(MlirOperation op) {
  return mlirOperationGetNumRegions(op) > 0 &&
         !mlirBlockIsNull(
             mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)));
}

/// What a block's terminator yields once the block's arguments are `args`.
static void readYield(MlirBlock block, const MlirValue *args,
                      MlirValue *yielded) {
  MlirOperation yield = mlirBlockGetTerminator(block);
  intptr_t n = mlirOperationGetNumOperands(yield);
  for (intptr_t i = 0; i < n; ++i) {
    MlirValue value = mloptOperand(yield, i);
    if (mlirValueIsABlockArgument(value) &&
        mlirBlockEqual(mlirBlockArgumentGetOwner(value), block))
      value = args[mlirBlockArgumentGetArgNumber(value)];
    yielded[i] = value;
  }
}

void mloptInlineBody(MloptLowering *l, MlirBlock block, intptr_t numArgs,
                     const MlirValue *args, MlirValue *yielded) {
  MlirBlock source = mlirRegionGetFirstBlock(mlirOperationGetRegion(l->op, 0));
  MlirOperation yield = mlirBlockGetTerminator(source);
  readYield(source, args, yielded);
  mlirRewriterBaseMergeBlocks(l->b.rewriter, source, block, numArgs, args);
  mlirRewriterBaseEraseOp(l->b.rewriter, yield);
}

MlirOperation mloptRebuildWithBody(MloptLowering *l, intptr_t numOperands,
                                   const MlirValue *operands,
                                   intptr_t numResults, const MlirType *results,
                                   MlirRegion body, const char *const *drop) {
  enum { MAX_ATTRS = 32 };
  MlirNamedAttribute attrs[MAX_ATTRS];
  intptr_t numAttrs = 0, n = mlirOperationGetNumAttributes(l->op);
  for (intptr_t i = 0; i < n && numAttrs < MAX_ATTRS; ++i) {
    MlirNamedAttribute attr = mlirOperationGetAttribute(l->op, i);
    bool keep = true;
    for (const char *const *name = drop; *name; ++name)
      keep &= !mloptStrEq(mlirIdentifierStr(attr.name), *name);
    if (keep)
      attrs[numAttrs++] = attr;
  }
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(l->op));
  return mloptBuildOp(&l->b, (MloptOpSpec){.name = name.data,
                                           .numOperands = numOperands,
                                           .operands = operands,
                                           .numResults = numResults,
                                           .results = results,
                                           .numAttrs = numAttrs,
                                           .attrs = attrs,
                                           .numRegions = 1,
                                           .regions = &body});
}

//===----------------------------------------------------------------------===//
// Elementwise operations
//===----------------------------------------------------------------------===//

/// A generic of parallel loops. An operand of rank 0 or a bare scalar (the
/// condition of a select) is the same for all elements.
static void lowerElementwise(MloptLowering *l, const MloptScalarRow *row,
                             MlirValue *results) {
  MlirType result = mloptResultType(l->op, 0);
  MloptScalar s = {
      .op = l->op, .fastmath = l->fastmath, .result = mloptElementType(result)};
  if (!mlirTypeIsARankedTensor(result)) {
    s.b = &l->b;
    results[0] = mloptBuildScalar(&s, row, l->operands);
    return;
  }
  MloptGeneric g = {.numLoops = mloptRank(result)};
  MlirAffineMap identity = mloptIdentityMap(l->b.context, g.numLoops);
  for (intptr_t i = 0; i < l->numOperands; ++i) {
    MlirType type = mlirValueGetType(l->operands[i]);
    bool isOne = !mlirTypeIsARankedTensor(type) || mloptRank(type) == 0;
    mloptAddInput(&g, l->operands[i],
                  isOne ? mloptDimsMap(l->b.context, g.numLoops, 0, NULL)
                        : identity);
  }
  mloptAddOutput(&g, mloptBuildEmpty(&l->b, result), identity);
  mloptBeginGeneric(&l->b, &g);
  MlirValue elements[MLOPT_MAX_GENERIC_OPERANDS];
  for (intptr_t i = 0; i < l->numOperands; ++i)
    elements[i] = mloptGenericArg(&g, i);
  s.b = &g.body;
  results[0] =
      mloptEndGenericValue(&l->b, &g, mloptBuildScalar(&s, row, elements));
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// A row of one of the tables, and the pass' option: a pattern's user data.
typedef struct Binding {
  const MloptScalarRow *scalar; ///< or
  const MloptLoweringRow *row;
  bool wide;
} Binding;

/// The `fastmath` attribute of a mode; null for all but `fast`.
static MlirAttribute fastmathOf(MlirContext context, MloptNumerics mode) {
  if (mode != MLOPT_NUMERICS_FAST)
    return mlirAttributeGetNull();
  // Infinities and NaN keep their meaning: masks are made of them.
  return mlirAttributeParseGet(
      context, mloptStr("#arith.fastmath<reassoc,arcp,contract,afn>"));
}

/// Whether every result is a tensor of no elements.
static bool isEmpty(MlirOperation op) {
  intptr_t n = mlirOperationGetNumResults(op);
  for (intptr_t i = 0; i < n; ++i) {
    MlirType type = mloptResultType(op, i);
    if (!mlirTypeIsARankedTensor(type) || mloptNumElements(type) != 0)
      return false;
  }
  return n > 0;
}

static MlirLogicalResult convert(MlirConversionPattern pattern,
                                 MlirOperation op, intptr_t numOperands,
                                 MlirValue *operands,
                                 MlirConversionPatternRewriter rewriter,
                                 void *userData) {
  const Binding *binding = userData;
  MloptLowering l = {
      .b = mloptBuilderForConversion(rewriter, mlirOperationGetLocation(op)),
      .op = op,
      .numOperands = numOperands,
      .operands = operands,
      .fastmath = fastmathOf(mlirOperationGetContext(op), mloptGetNumerics(op)),
      .wide = binding->wide};
  intptr_t numResults = mlirOperationGetNumResults(op);
  MlirValue *results = calloc((size_t)numResults + 1, sizeof *results);
  if (isEmpty(op))
    for (intptr_t i = 0; i < numResults; ++i)
      results[i] = mloptBuildEmpty(&l.b, mloptResultType(op, i));
  else if (binding->scalar)
    lowerElementwise(&l, binding->scalar, results);
  else
    binding->row->lower(&l, results);
  for (intptr_t i = 0; i < numResults; ++i)
    l.b.failed |= mlirValueIsNull(results[i]);
  if (!l.b.failed)
    mlirRewriterBaseReplaceOpWithValues(l.b.rewriter, op, numResults, results);
  free(results);
  return l.b.failed ? mloptFailure() : mloptSuccess();
}

static MlirLogicalResult sameType(MlirType type, MlirType *converted,
                                  void *userData) {
  *converted = type;
  return mloptSuccess();
}

static MlirConversionTargetLegality isLegal(MlirOperation op, void *userData) {
  return MlirConversionTargetLegalityLegal;
}

MlirConversionTarget mloptCreateLoweringTarget(MlirContext context) {
  MlirConversionTarget target = mlirConversionTargetCreate(context);
  mlirConversionTargetMarkUnknownOpDynamicallyLegal(target, isLegal, NULL);
  return target;
}

static void addPattern(MlirRewritePatternSet patterns, MlirTypeConverter types,
                       MlirContext context, const MloptOpDef *def,
                       Binding *binding) {
  MlirConversionPatternCallbacks callbacks = {.matchAndRewrite = convert};
  mlirRewritePatternSetAdd(
      patterns,
      mlirConversionPatternAsRewritePattern(
          mlirOpConversionPatternCreate(mloptStr(def->name), 1, context, types,
                                        callbacks, binding, 0, NULL)));
}

enum { MAX_BINDINGS = 128 };

/// The lowerings as patterns; `bindings` must outlive them.
static MlirFrozenRewritePatternSet
createPatterns(MlirContext context, MlirTypeConverter types,
               const MloptLowerings *lowerings,
               Binding bindings[MAX_BINDINGS]) {
  MlirRewritePatternSet patterns = mlirRewritePatternSetCreate(context);
  int n = 0;
  for (int i = 0; i < lowerings->numScalars && n < MAX_BINDINGS; ++i) {
    const MloptScalarRow *scalar = &lowerings->scalars[i];
    bindings[n] = (Binding){.scalar = scalar, .wide = lowerings->wide};
    addPattern(patterns, types, context, scalar->def, &bindings[n++]);
  }
  for (int i = 0; i < lowerings->numRows && n < MAX_BINDINGS; ++i) {
    const MloptLoweringRow *row = &lowerings->rows[i];
    bindings[n] = (Binding){.row = row, .wide = lowerings->wide};
    addPattern(patterns, types, context, row->def, &bindings[n++]);
  }
  MlirFrozenRewritePatternSet frozen = mlirFreezeRewritePattern(patterns);
  mlirRewritePatternSetDestroy(patterns);
  return frozen;
}

MlirLogicalResult mloptRunLowerings(MlirOperation root,
                                    MlirConversionTarget target,
                                    const MloptLowerings *lowerings) {
  Binding bindings[MAX_BINDINGS];
  MlirTypeConverter types = mlirTypeConverterCreate();
  mlirTypeConverterAddConversion(types, sameType, NULL);
  MlirFrozenRewritePatternSet patterns =
      createPatterns(mlirOperationGetContext(root), types, lowerings, bindings);
  MlirConversionConfig config = mlirConversionConfigCreate();
  mlirConversionConfigSetFoldingMode(
      config, MLIR_DIALECT_CONVERSION_FOLDING_MODE_NEVER);
  MlirLogicalResult result =
      mlirApplyFullConversion(root, target, patterns, config);
  mlirConversionConfigDestroy(config);
  mlirFrozenRewritePatternSetDestroy(patterns);
  mlirTypeConverterDestroy(types);
  return result;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

// Elementwise operations are in mloptScalarRows.
static const MloptLoweringRow rows[] = {
    {&mloptOp_bitcast, mloptLowerBitcast},
    {&mloptOp_constant, mloptLowerConstant},
    {&mloptOp_iota, mloptLowerIota},
    {&mloptOp_broadcast, mloptLowerBroadcast},
    {&mloptOp_reshape, mloptLowerReshape},
    {&mloptOp_transpose, mloptLowerTranspose},
    {&mloptOp_slice, mloptLowerSlice},
    {&mloptOp_pad, mloptLowerPad},
    {&mloptOp_concat, mloptLowerConcat},
    {&mloptOp_reverse, mloptLowerReverse},
    {&mloptOp_gather, mloptLowerGather},
    {&mloptOp_scatter, mloptLowerScatter},
    {&mloptOp_dynamic_slice, mloptLowerDynamicSlice},
    {&mloptOp_dynamic_update_slice, mloptLowerDynamicUpdateSlice},
    {&mloptOp_reduce, mloptLowerReduce},
    {&mloptOp_arg_reduce, mloptLowerArgReduce},
    {&mloptOp_reduce_window, mloptLowerReduceWindow},
    {&mloptOp_scan, mloptLowerScan},
    {&mloptOp_sort, mloptLowerSort},
    {&mloptOp_dot, mloptLowerDot},
    {&mloptOp_conv, mloptLowerConv},
};

static bool isDynamic(MlirType type) {
  return mlirTypeIsARankedTensor(type) && !mlirShapedTypeHasStaticShape(type);
}

static MlirConversionTargetLegality hasBody(MlirOperation op, void *userData) {
  return mloptHasBody(op) ? MlirConversionTargetLegalityLegal
                          : MlirConversionTargetLegalityIllegal;
}

static MlirLogicalResult applyConversion(MlirOperation root, bool wide) {
  MlirConversionTarget target =
      mloptCreateLoweringTarget(mlirOperationGetContext(root));
  mlirConversionTargetAddIllegalDialect(target, mloptStr(mloptDialect.ns));
  const MloptOpDef *const structured[] = {&mloptOp_scan, &mloptOp_scatter,
                                          &mloptOp_sort};
  for (int i = 0; i < MLOPT_COUNT(structured); ++i)
    mlirConversionTargetAddDynamicallyLegalOp(
        target, mloptStr(structured[i]->name), hasBody, NULL);
  mlirConversionTargetAddLegalOp(target, mloptStr(mloptOp_fusion.name));
  // Ends a body that stays; every other yield goes with its operation.
  mlirConversionTargetAddLegalOp(target, mloptStr(mloptOp_yield.name));
  MloptLowerings lowerings = {mloptScalarRows, mloptNumScalarRows, rows,
                              MLOPT_COUNT(rows), wide};
  MlirLogicalResult result = mloptRunLowerings(root, target, &lowerings);
  mlirConversionTargetDestroy(target);
  return result;
}

/// One diagnostic at an operation that the lowerings do not take.
static MlirWalkResult checkOp(MlirOperation op, void *userData) {
  const MloptOpDef *def = mloptGetOpDef(op);
  size_t prefix = strlen(mloptDialect.ns);
  if (!def || strncmp(def->name, mloptDialect.ns, prefix) ||
      def->name[prefix] != '.')
    return MlirWalkResultAdvance;
  intptr_t numOperands = mlirOperationGetNumOperands(op);
  intptr_t numResults = mlirOperationGetNumResults(op);
  MlirLogicalResult result = mloptSuccess();
  for (intptr_t i = 0; i < numOperands + numResults; ++i) {
    bool isOperand = i < numOperands;
    intptr_t index = isOperand ? i : i - numOperands;
    if (isDynamic(isOperand ? mloptOperandType(op, index)
                            : mloptResultType(op, index))) {
      result = mloptOpError(op,
                            "%s %td has a dynamic shape, which lowering "
                            "does not support",
                            isOperand ? "operand" : "result", index);
      break;
    }
  }
  *(MlirLogicalResult *)userData = result;
  return mloptFailed(result) ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

MlirLogicalResult mloptCheckStatic(MlirOperation root) {
  MlirLogicalResult result = mloptSuccess();
  mlirOperationWalk(root, checkOp, &result, MlirWalkPreOrder);
  return result;
}

static void run(MlirOperation root, MloptPass pass) {
  MlirStringRef accumulate = mloptPassGetString(pass, 0);
  bool wide = mloptStrEq(accumulate, "f64");
  MlirLogicalResult result = mloptSuccess();
  if (!wide && accumulate.length > 0)
    result = mloptOpError(root, "accumulation type '%.*s' is not 'f64'",
                          (int)accumulate.length, accumulate.data);
  if (!mloptFailed(result))
    result = mloptCheckStatic(root);
  if (mloptFailed(result) || mloptFailed(applyConversion(root, wide)))
    mloptPassSignalFailure(pass);
}

static const MloptOptionDef options[] = {
    {.name = "accumulate",
     .kind = MLOPT_OPTION_STRING,
     .help = "Accumulate floats in reduce, reduce_window, scan, dot and conv "
             "in this type (f64) in place of the one each operation says",
     .stringDefault = ""},
};

static MlirDialectHandle (*const dependent[])(void) = {
    mlirGetDialectHandle__arith__, mlirGetDialectHandle__linalg__,
    mlirGetDialectHandle__llvm__,  mlirGetDialectHandle__math__,
    mlirGetDialectHandle__scf__,   mlirGetDialectHandle__tensor__,
    mlirGetDialectHandle__mlopt__, NULL};

const MloptPassDef mloptPass_convertMloptToLinalg MLOPT_TABLE = {
    .argument = "convert-mlopt-to-linalg",
    .summary = "Convert mlopt to linalg on tensors",
    .doc = "A full conversion: elementwise operations, layout operations, "
           "reductions and contractions become linalg.generic and tensor "
           "operations with arith and math scalars. scan, scatter and sort "
           "stay, with a region of scalars in place of a kind or keys. "
           "Fusions stay around what was in them. Shapes must be static. "
           "Nothing folds; the "
           "numerics mode becomes fastmath flags (fast) or the order of a "
           "reduction (strict). `accumulate` concerns kinds and contractions; "
           "regions are left as they are.",
    .anchor = "func.func",
    .options = options,
    .numOptions = MLOPT_COUNT(options),
    .dependent = dependent,
    .run = run,
};
