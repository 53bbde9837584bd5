//===- to_linalg_reduce.c - Reductions, windows and scans -----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction is a linalg.generic whose accumulators start from the inits, or
// from the neutral element of its kind. Sums and products accumulate in the
// accumulation type; a second generic rounds them, once. Other kinds are exact
// in the element type. Loops in their order visit elements in rising order.
//
// A strict sum or product over n elements, in row-major order, is built as
// DESIGN's formula has it, so that no schedule can change its bits:
//   [k, n] -> padded with neutral elements to [k, m * 256]
//     -> [k, m, 256], reduced over m in rising order -> [k, 256]
//     -> halved: [k, 0:128] + [k, 128:256], and so on -> [k, 1].
// An init is combined with the total. For n < 256 the next power of two takes
// the place of 256: what is left out only adds neutral elements, which change
// no bits, since a partial sum starts from +0.0 and never becomes -0.0.
//
//===----------------------------------------------------------------------===//

#include "to_linalg.h"

/// A reduction by kind: one input, perhaps an init.
typedef struct KindReduction {
  MloptKind kind;
  MlirType element;     ///< of the input
  MlirType accumulator; ///< of the sum
} KindReduction;

static KindReduction describeKind(MloptLowering *l) {
  MlirType element = mloptElementType(mloptOperandType(l->op, 0));
  KindReduction r = {mloptGetKind(l->op), element, element};
  bool rounds = r.kind == MLOPT_KIND_ADD || r.kind == MLOPT_KIND_MUL;
  if (rounds && mloptIsFloatElement(element))
    r.accumulator =
        l->wide ? mlirF64TypeGet(l->b.context) : mloptAccumulationType(element);
  return r;
}

/// The kind's neutral element in the accumulator's type, where the element
/// type's is exact.
static MlirAttribute neutralOf(const KindReduction *r) {
  MlirAttribute neutral = mloptKindGetNeutral(r->kind, r->element);
  if (!mlirAttributeIsAFloat(neutral))
    return neutral;
  return mlirFloatAttrDoubleGet(mlirTypeGetContext(r->accumulator),
                                r->accumulator,
                                mlirFloatAttrGetValueDouble(neutral));
}

static MlirValue neutralScalar(MloptLowering *l, const KindReduction *r) {
  return mloptBuildConstant(&l->b, neutralOf(r));
}

/// The init as a scalar in a type.
static MlirValue initScalar(MloptLowering *l, intptr_t operand, MlirType type) {
  MlirValue scalar = mloptBuildExtract(&l->b, l->operands[operand], 0, NULL);
  return mloptBuildConvert(&l->b, scalar, type, false);
}

static MlirValue startScalar(MloptLowering *l, const KindReduction *r) {
  return l->numOperands > 1 ? initScalar(l, 1, r->accumulator)
                            : neutralScalar(l, r);
}

/// Ends a generic by combining its last value, an accumulator, with its first
/// as the kind says.
static MlirValue endKind(MloptLowering *l, const KindReduction *r,
                         MloptGeneric *g) {
  MlirValue element =
      mloptBuildConvert(&g->body, mloptGenericArg(g, 0), r->accumulator, false);
  MlirValue sum =
      mloptBuildCombine(&g->body, r->kind, l->fastmath,
                        mloptGenericArg(g, g->numValues - 1), element);
  return mloptEndGenericValue(&l->b, g, sum);
}

/// Ends a generic by the operation's region, for which the n accumulators come
/// before the elements, the generic's first n inputs.
static void endBody(MloptLowering *l, MloptGeneric *g, intptr_t n,
                    MlirValue *results) {
  MlirValue args[MLOPT_MAX_GENERIC_OPERANDS];
  MlirValue yielded[MLOPT_MAX_GENERIC_OPERANDS];
  for (intptr_t i = 0; i < n; ++i) {
    args[i] = mloptGenericArg(g, g->numInputs + i);
    args[n + i] = mloptGenericArg(g, i);
  }
  mloptInlineBody(l, g->block, 2 * n, args, yielded);
  MlirOperation op = mloptEndGeneric(&l->b, g, yielded);
  for (intptr_t i = 0; i < n && !mlirOperationIsNull(op); ++i)
    results[i] = mloptResult(op, i);
}

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

/// Loops over the operand, and the map to what is kept of it.
static MlirAffineMap reduceLoops(MloptLowering *l, MloptGeneric *g) {
  MloptInts dims = mloptGetInts(l->op, "dims");
  int64_t kept[MLOPT_MAX_RANK];
  intptr_t numKept = 0;
  g->numLoops = mloptRank(mloptOperandType(l->op, 0));
  for (intptr_t i = 0; i < g->numLoops; ++i) {
    g->reduction[i] = mloptHasInt(&dims, i);
    if (!g->reduction[i])
      kept[numKept++] = i;
  }
  return mloptDimsMap(l->b.context, g->numLoops, numKept, kept);
}

static MlirValue reduceInOrder(MloptLowering *l, const KindReduction *r) {
  MloptGeneric g = {0};
  MlirAffineMap kept = reduceLoops(l, &g);
  mloptAddInput(&g, l->operands[0], mloptIdentityMap(l->b.context, g.numLoops));
  MlirType sums =
      mloptWithElementType(mloptResultType(l->op, 0), r->accumulator);
  mloptAddOutput(&g, mloptBuildFill(&l->b, startScalar(l, r), sums), kept);
  mloptBeginGeneric(&l->b, &g);
  return endKind(l, r, &g);
}

/// The operand as [k, n] in the accumulator's type: k results, n elements of
/// each, in row-major order.
static MlirValue gatherReduced(MloptLowering *l, const KindReduction *r,
                               int64_t n) {
  MlirType type = mloptOperandType(l->op, 0);
  MloptInts dims = mloptGetInts(l->op, "dims");
  intptr_t rank = mloptRank(type), next = 0;
  int64_t shape[MLOPT_MAX_RANK], loopOf[MLOPT_MAX_RANK];
  for (int reduced = 0; reduced < 2; ++reduced)
    for (intptr_t i = 0; i < rank; ++i)
      if (mloptHasInt(&dims, i) == (bool)reduced) {
        shape[next] = mloptDim(type, i);
        loopOf[i] = next++;
      }
  MlirType moved = mloptTensorType(rank, shape, r->accumulator);
  MloptGeneric g = {.numLoops = rank};
  mloptAddInput(&g, l->operands[0],
                mloptDimsMap(l->b.context, rank, rank, loopOf));
  mloptAddOutput(&g, mloptBuildEmpty(&l->b, moved),
                 mloptIdentityMap(l->b.context, rank));
  mloptBeginGeneric(&l->b, &g);
  MlirValue element =
      mloptBuildConvert(&g.body, mloptGenericArg(&g, 0), r->accumulator, false);
  int64_t flat[] = {mloptNumElements(type) / n, n};
  return mloptBuildReshape(&l->b, mloptEndGenericValue(&l->b, &g, element),
                           mloptTensorType(2, flat, r->accumulator));
}

/// Gives what combines elements of a reduction or a scan a unit attribute,
/// which stays with it where bodies are joined.
static void markCombiners(MloptLowering *l, MlirValue reduced,
                          const char *name) {
  MlirOperation op = mlirOpResultGetOwner(reduced);
  MlirOperation yield = mlirBlockGetTerminator(
      mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)));
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(yield); i < n; ++i)
    if (mlirValueIsAOpResult(mloptOperand(yield, i)))
      mlirOperationSetDiscardableAttributeByName(
          mlirOpResultGetOwner(mloptOperand(yield, i)), mloptStr(name),
          mlirUnitAttrGet(l->b.context));
}

/// Says that a strict reduction or scan combines in the order of its loops:
/// emitters may change no order that is part of the result.
static void keepOrder(MloptLowering *l, MlirValue reduced) {
  if (!l->b.failed && mloptGetNumerics(l->op) == MLOPT_NUMERICS_STRICT)
    markCombiners(l, reduced, "mlopt.ordered");
}

/// [k, n] to partials [k, width].
static MlirValue partialSums(MloptLowering *l, const KindReduction *r,
                             MlirValue x, int64_t n, int64_t width) {
  MloptBuilder *b = &l->b;
  if (b->failed)
    return x;
  int64_t k = mloptDim(mlirValueGetType(x), 0), m = (n + width - 1) / width;
  MlirValue padded =
      mloptBuildPad(b, x, neutralScalar(l, r), (int64_t[]){0, 0},
                    (int64_t[]){0, m * width - n}, (int64_t[]){0, 0});
  MlirValue rounds = mloptBuildReshape(
      b, padded, mloptTensorType(3, (int64_t[]){k, m, width}, r->accumulator));
  MlirType partials = mloptTensorType(2, (int64_t[]){k, width}, r->accumulator);
  MloptGeneric g = {.numLoops = 3, .reduction = {false, true, false}};
  mloptAddInput(&g, rounds, mloptIdentityMap(b->context, 3));
  mloptAddOutput(&g, mloptBuildFill(b, neutralScalar(l, r), partials),
                 mloptDimsMap(b->context, 3, 2, (int64_t[]){0, 2}));
  mloptBeginGeneric(b, &g);
  MlirValue sums = endKind(l, r, &g);
  keepOrder(l, sums);
  return sums;
}

/// Elementwise combination of two tensors of the accumulator's type.
static MlirValue combineTensors(MloptLowering *l, const KindReduction *r,
                                MlirValue x, MlirValue y) {
  if (l->b.failed)
    return x;
  MlirType type = mlirValueGetType(x);
  MloptGeneric g = {.numLoops = mloptRank(type)};
  MlirAffineMap identity = mloptIdentityMap(l->b.context, g.numLoops);
  mloptAddInput(&g, x, identity);
  mloptAddInput(&g, y, identity);
  mloptAddOutput(&g, mloptBuildEmpty(&l->b, type), identity);
  mloptBeginGeneric(&l->b, &g);
  MlirValue sum =
      mloptBuildCombine(&g.body, r->kind, l->fastmath, mloptGenericArg(&g, 0),
                        mloptGenericArg(&g, 1));
  return mloptEndGenericValue(&l->b, &g, sum);
}

/// Halves [k, width] to [k, 1].
static MlirValue halve(MloptLowering *l, const KindReduction *r, MlirValue x,
                       int64_t width) {
  for (; width > 1 && !l->b.failed; width /= 2) {
    MloptSlice half = mloptWholeSlice(mlirValueGetType(x));
    half.sizes[1] = width / 2;
    MlirType type = mloptTensorType(2, half.sizes, r->accumulator);
    MlirValue low = mloptBuildExtractSlice(&l->b, x, &half, type);
    half.offsets[1] = width / 2;
    MlirValue high = mloptBuildExtractSlice(&l->b, x, &half, type);
    x = combineTensors(l, r, low, high);
  }
  return x;
}

static MlirValue reduceStrictly(MloptLowering *l, const KindReduction *r,
                                int64_t n) {
  int64_t width = 1;
  while (width < n && width < 256)
    width *= 2;
  MlirValue partials = partialSums(l, r, gatherReduced(l, r, n), n, width);
  MlirType sums =
      mloptWithElementType(mloptResultType(l->op, 0), r->accumulator);
  MlirValue total =
      mloptBuildReshape(&l->b, halve(l, r, partials, width), sums);
  if (l->numOperands == 1)
    return total;
  MlirValue init =
      mloptBuildFill(&l->b, initScalar(l, 1, r->accumulator), sums);
  return combineTensors(l, r, init, total);
}

/// How many elements go into one result.
static int64_t numReduced(MloptLowering *l) {
  MloptInts dims = mloptGetInts(l->op, "dims");
  int64_t n = 1;
  for (intptr_t i = 0; i < dims.count; ++i)
    n *= mloptDim(mloptOperandType(l->op, 0), dims.at[i]);
  return n;
}

static void reduceByBody(MloptLowering *l, MlirValue *results) {
  intptr_t n = l->numOperands / 2;
  MloptGeneric g = {0};
  MlirAffineMap kept = reduceLoops(l, &g);
  for (intptr_t i = 0; i < n; ++i)
    mloptAddInput(&g, l->operands[i],
                  mloptIdentityMap(l->b.context, g.numLoops));
  for (intptr_t i = 0; i < n; ++i) {
    MlirType type = mloptResultType(l->op, i);
    MlirValue init = initScalar(l, n + i, mloptElementType(type));
    mloptAddOutput(&g, mloptBuildFill(&l->b, init, type), kept);
  }
  mloptBeginGeneric(&l->b, &g);
  endBody(l, &g, n, results);
  keepOrder(l, results[0]);
}

void mloptLowerReduce(MloptLowering *l, MlirValue *results) {
  if (mloptHasBody(l->op)) {
    reduceByBody(l, results);
    return;
  }
  KindReduction r = describeKind(l);
  int64_t n = numReduced(l);
  bool rounds = r.kind == MLOPT_KIND_ADD || r.kind == MLOPT_KIND_MUL;
  bool strictly = rounds && mloptIsFloatElement(r.element) && n > 0 &&
                  mloptGetInts(l->op, "dims").count > 0 &&
                  mloptGetNumerics(l->op) == MLOPT_NUMERICS_STRICT;
  MlirValue sum = strictly ? reduceStrictly(l, &r, n) : reduceInOrder(l, &r);
  // A product's kernel reduces rows that its tiles hold whole.
  if (!l->b.failed && !mlirAttributeIsNull(mloptAttr(l->op, "mlopt.row")))
    markCombiners(l, sum, "mlopt.row");
  results[0] = mloptBuildCast(&l->b, sum, r.element, false);
}

//===----------------------------------------------------------------------===//
// arg_reduce
//===----------------------------------------------------------------------===//

/// Whether x goes before the best so far: it is better, or the first NaN.
static MlirValue isBetter(MloptBuilder *b, MloptKind kind, MlirValue x,
                          MlirValue best) {
  MlirType type = mlirValueGetType(x);
  bool greater = kind == MLOPT_KIND_MAX || kind == MLOPT_KIND_MAXU;
  if (!mloptIsFloatElement(type)) {
    bool isUnsigned =
        kind == MLOPT_KIND_MAXU || kind == MLOPT_KIND_MINU || mloptIsI1(type);
    const char *predicate =
        greater ? (isUnsigned ? "ugt" : "sgt") : (isUnsigned ? "ult" : "slt");
    return mloptBuildCmpI(b, predicate, x, best);
  }
  MlirValue better = mloptBuildCmpF(b, greater ? "ogt" : "olt", x, best);
  MlirValue isNaN = mloptBuildCmpF(b, "uno", x, x);
  MlirValue hadNone = mloptBuildCmpF(b, "ord", best, best);
  return mloptBuildBinary(b, "arith.ori", better,
                          mloptBuildBinary(b, "arith.andi", isNaN, hadNone));
}

void mloptLowerArgReduce(MloptLowering *l, MlirValue *results) {
  MloptBuilder *b = &l->b;
  KindReduction r = describeKind(l);
  int64_t dim = mloptGetInt(l->op, "dim"), kept[MLOPT_MAX_RANK];
  MlirType values = mloptResultType(l->op, 0);
  MlirType indices = mloptResultType(l->op, 1);
  MloptGeneric g = {.numLoops = mloptRank(mloptOperandType(l->op, 0))};
  for (intptr_t i = 0; i + 1 < g.numLoops; ++i)
    kept[i] = i < dim ? i : i + 1;
  g.reduction[dim] = true;
  MlirAffineMap map =
      mloptDimsMap(b->context, g.numLoops, g.numLoops - 1, kept);
  mloptAddInput(&g, l->operands[0], mloptIdentityMap(b->context, g.numLoops));
  mloptAddOutput(&g, mloptBuildFill(b, neutralScalar(l, &r), values), map);
  MlirType indexType = mloptElementType(indices);
  mloptAddOutput(&g, mloptBuildFill(b, mloptBuildInt(b, indexType, 0), indices),
                 map);
  mloptBeginGeneric(b, &g);
  MlirValue x = mloptGenericArg(&g, 0), best = mloptGenericArg(&g, 1);
  MlirValue index = mloptBuildConvert(
      &g.body, mloptBuildLoopIndex(&g.body, dim), indexType, true);
  MlirValue take = isBetter(&g.body, r.kind, x, best);
  MlirValue next[] = {
      mloptBuildSelect(&g.body, take, x, best),
      mloptBuildSelect(&g.body, take, index, mloptGenericArg(&g, 2))};
  MlirOperation op = mloptEndGeneric(b, &g, next);
  for (intptr_t i = 0; i < 2 && !mlirOperationIsNull(op); ++i)
    results[i] = mloptResult(op, i);
}

//===----------------------------------------------------------------------===//
// reduce_window
//===----------------------------------------------------------------------===//

/// Loops over the result, then over the window; `map` leads into the operand.
/// The last input, a tensor of the window's shape, is there for its shape.
static void windowLoops(MloptLowering *l, MloptGeneric *g, MlirAffineMap *map,
                        MlirAffineMap *windowMap, MlirType *windowType) {
  MlirContext context = l->b.context;
  MloptInts window = mloptGetInts(l->op, "window");
  MloptInts strides = mloptGetInts(l->op, "strides");
  MloptInts dilations = mloptGetInts(l->op, "window_dilations");
  MlirAffineExpr exprs[MLOPT_MAX_RANK];
  int64_t dims[MLOPT_MAX_RANK];
  g->numLoops = 2 * window.count;
  for (intptr_t i = 0; i < window.count; ++i) {
    dims[i] = window.count + i;
    g->reduction[dims[i]] = true;
    exprs[i] = mlirAffineAddExprGet(
        mlirAffineMulExprGet(mlirAffineDimExprGet(context, i),
                             mlirAffineConstantExprGet(context, strides.at[i])),
        mlirAffineMulExprGet(
            mlirAffineDimExprGet(context, dims[i]),
            mlirAffineConstantExprGet(context, dilations.at[i])));
  }
  *map = mlirAffineMapGet(context, g->numLoops, 0, window.count, exprs);
  *windowMap = mloptDimsMap(context, g->numLoops, window.count, dims);
  *windowType =
      mloptTensorType(window.count, window.at, mlirIntegerTypeGet(context, 1));
}

/// An operand with what its padding and dilation contribute.
static MlirValue padWindowed(MloptLowering *l, intptr_t operand,
                             MlirValue scalar) {
  MloptInts interior = mloptGetInts(l->op, "base_dilations");
  for (intptr_t i = 0; i < interior.count; ++i)
    --interior.at[i];
  return mloptBuildPad(&l->b, l->operands[operand], scalar,
                       mloptGetInts(l->op, "low").at,
                       mloptGetInts(l->op, "high").at, interior.at);
}

/// What stands where a kind's window meets no element, and changes nothing.
static MlirValue skippedElement(MloptLowering *l, const KindReduction *r) {
  if (r->kind == MLOPT_KIND_ADD && mloptIsFloatElement(r->element))
    return mloptBuildFloat(&l->b, r->element, -0.0); // keeps a sum of -0.0
  return mloptBuildConstant(&l->b, mloptKindGetNeutral(r->kind, r->element));
}

static void windowByBody(MloptLowering *l, MloptGeneric *g, MlirAffineMap map,
                         MlirValue window, MlirAffineMap windowMap,
                         MlirAffineMap out, MlirValue *results) {
  intptr_t n = l->numOperands / 2;
  for (intptr_t i = 0; i < n; ++i) {
    MlirType element = mloptElementType(mloptOperandType(l->op, i));
    mloptAddInput(g, padWindowed(l, i, initScalar(l, n + i, element)), map);
  }
  mloptAddInput(g, window, windowMap);
  for (intptr_t i = 0; i < n; ++i) {
    MlirType type = mloptResultType(l->op, i);
    MlirValue start = initScalar(l, n + i, mloptElementType(type));
    mloptAddOutput(g, mloptBuildFill(&l->b, start, type), out);
  }
  mloptBeginGeneric(&l->b, g);
  endBody(l, g, n, results);
}

void mloptLowerReduceWindow(MloptLowering *l, MlirValue *results) {
  MloptBuilder *b = &l->b;
  MloptGeneric g = {0};
  MlirAffineMap map, windowMap;
  MlirType windowType;
  windowLoops(l, &g, &map, &windowMap, &windowType);
  MlirValue window = mloptBuildEmpty(b, windowType);
  MlirAffineMap out = mloptPrefixMap(b->context, g.numLoops, g.numLoops / 2);
  if (mloptHasBody(l->op)) {
    windowByBody(l, &g, map, window, windowMap, out, results);
    return;
  }
  KindReduction r = describeKind(l);
  MlirType sums =
      mloptWithElementType(mloptResultType(l->op, 0), r.accumulator);
  mloptAddInput(&g, padWindowed(l, 0, skippedElement(l, &r)), map);
  mloptAddInput(&g, window, windowMap);
  mloptAddOutput(&g, mloptBuildFill(b, startScalar(l, &r), sums), out);
  mloptBeginGeneric(b, &g);
  results[0] = mloptBuildCast(b, endKind(l, &r, &g), r.element, false);
}

//===----------------------------------------------------------------------===//
// scan
//===----------------------------------------------------------------------===//

/// The body that combines an accumulator with an element.
static MlirRegion kindBody(MloptLowering *l, const KindReduction *r) {
  MlirType types[] = {r->accumulator, r->accumulator};
  MlirBlock block;
  MlirRegion region = mloptCreateRegion(&l->b, 2, types, &block);
  MloptBuilder body = mloptBuilderAtEnd(block, l->b.location);
  MlirValue sum = mloptBuildCombine(&body, r->kind, l->fastmath,
                                    mlirBlockGetArgument(block, 0),
                                    mlirBlockGetArgument(block, 1));
  mloptBuildOp(&body, (MloptOpSpec){.name = mloptOp_yield.name,
                                    .numOperands = 1,
                                    .operands = &sum});
  l->b.failed |= body.failed;
  return region;
}

/// A scan by kind becomes one by region, over the accumulator's type.
void mloptLowerScan(MloptLowering *l, MlirValue *results) {
  MloptBuilder *b = &l->b;
  KindReduction r = describeKind(l);
  MlirType type = mloptOperandType(l->op, 0);
  MlirType sums = mloptWithElementType(type, r.accumulator);
  MlirType scalar = mloptTensorType(0, NULL, r.accumulator);
  MlirValue operands[2] = {
      mloptBuildCast(b, l->operands[0], r.accumulator, false)};
  if (l->numOperands > 1)
    operands[1] = mloptBuildCast(b, l->operands[1], r.accumulator, false);
  else
    operands[1] = mloptBuildConstant(
        b, mlirDenseElementsAttrSplatGet(scalar, neutralOf(&r)));
  static const char *const drop[] = {"kind", "numerics", NULL};
  MlirOperation op =
      mloptRebuildWithBody(l, 2, operands, 1, &sums, kindBody(l, &r), drop);
  if (mlirOperationIsNull(op))
    return;
  if (mloptIsFloatElement(r.element))
    keepOrder(l, mloptResult(op, 0));
  results[0] = mloptBuildCast(b, mloptResult(op, 0), r.element, false);
}
