//===- dialect.c - The mlopt dialect --------------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Brings the operation tables together: the dialect's table, its attribute
// `#mlopt.numerics`, and the `mlopt.*` attributes that may stand on operations,
// arguments and results of other dialects. Any other `mlopt.*` attribute is an
// error wherever it stands.
//
//===----------------------------------------------------------------------===//

#include "dialect.h"

#include "assembly.h"
#include "mlopt-c/Dialect.h"
#include "mlopt_assembly.h"

static const MloptOpDef *const ops[] = {
#define MLOPT_OP(name) &mloptOp_##name,
#include "ops.def"
};

static bool parseOp(const MloptOpDef *def, MloptParser parser) {
  return mloptParseAssembly(def, mloptCustoms, mloptNumCustoms, parser);
}

static void printOp(const MloptOpDef *def, MlirOperation op,
                    MloptPrinter printer) {
  mloptPrintAssembly(def, mloptCustoms, mloptNumCustoms, op, printer);
}

static MlirOperation materializeConstant(MlirAttribute value, MlirType type,
                                         MlirLocation location) {
  if (!mloptIsTensorOrScalar(type) ||
      !mlirTypeEqual(mlirAttributeGetType(value), type))
    return (MlirOperation){NULL};
  MlirOperationState state =
      mlirOperationStateGet(mloptStr("mlopt.constant"), location);
  MlirNamedAttribute attr =
      mloptNamedAttr(mlirLocationGetContext(location), "value", value);
  mlirOperationStateAddAttributes(&state, 1, &attr);
  mlirOperationStateAddResults(&state, 1, &type);
  return mlirOperationCreate(&state);
}

//===----------------------------------------------------------------------===//
// #mlopt.numerics
//===----------------------------------------------------------------------===//

static const char *const numericsNames[] = {
    [MLOPT_NUMERICS_DEFAULT] = "default",
    [MLOPT_NUMERICS_STRICT] = "strict",
    [MLOPT_NUMERICS_FAST] = "fast",
};

static int numericsOf(MlirStringRef name) {
  for (int i = 0; i < MLOPT_COUNT(numericsNames); ++i)
    if (mloptStrEq(name, numericsNames[i]))
      return i;
  return -1;
}

static const char *verifyNumerics(intptr_t n, const MlirAttribute *params) {
  if (n == 1 && mlirAttributeIsAString(params[0]) &&
      numericsOf(mlirStringAttrGetValue(params[0])) >= 0)
    return NULL;
  return "must be one of strict, default, fast";
}

static intptr_t parseNumerics(MloptParser parser, intptr_t maxParams,
                              MlirAttribute *params) {
  MlirStringRef mode;
  if (!mloptParseToken(parser, "<") || !mloptParseKeyword(parser, &mode))
    return -1;
  if (numericsOf(mode) < 0) {
    mloptParserError(parser,
                     "unknown numerics mode '%.*s'; expected strict, default "
                     "or fast",
                     (int)mode.length, mode.data);
    return -1;
  }
  params[0] = mlirStringAttrGet(mloptParserGetContext(parser), mode);
  return mloptParseToken(parser, ">") ? 1 : -1;
}

static void printNumerics(MloptPrinter printer, intptr_t n,
                          const MlirAttribute *params) {
  mloptPrintText(printer, "<");
  mloptPrintString(printer, mlirStringAttrGetValue(params[0]));
  mloptPrintText(printer, ">");
}

static const MloptAttrDef attrs[] = {
    {"numerics", verifyNumerics, parseNumerics, printNumerics}};

bool mloptIsNumericsAttr(MlirAttribute attr) {
  return mloptAttrIsA(attr, &attrs[0]);
}

MloptNumerics mloptGetNumerics(MlirOperation op) {
  MlirAttribute attr = mloptAttr(op, "numerics");
  if (mlirAttributeIsNull(attr))
    return MLOPT_NUMERICS_DEFAULT;
  return (MloptNumerics)numericsOf(
      mlirStringAttrGetValue(mloptAttrGetParam(attr, 0)));
}

//===----------------------------------------------------------------------===//
// Attributes on operations of other dialects
//===----------------------------------------------------------------------===//

static bool isUnit(MlirAttribute a) { return mlirAttributeIsAUnit(a); }
static bool isDictionary(MlirAttribute a) {
  return mlirAttributeIsADictionary(a);
}
static bool isArray(MlirAttribute a) { return mlirAttributeIsAArray(a); }

static bool isCount(MlirAttribute a) {
  return !mlirAttributeIsNull(a) && mloptIsI64(a) &&
         mlirIntegerAttrGetValueInt(a) >= 0;
}

/// The numbers in an array of a dictionary; -1 if it has none of this name, -2
/// if that is none.
static intptr_t countOf(MlirAttribute dictionary, const char *name) {
  MlirAttribute value = mloptDictGet(dictionary, name);
  if (mlirAttributeIsNull(value))
    return -1;
  return mloptIsI64Array(value) ? mlirDenseArrayGetNumElements(value) : -2;
}

/// A tensor map: innermost dimension first, no stride for that one, at most
/// five dimensions. One of pixels has a box of channels and pixels, and of all
/// dimensions between the innermost and the outermost the window's corners and
/// the steps in it.
static bool isTensorMap(MlirAttribute map) {
  intptr_t rank = countOf(map, "dims"), windows = countOf(map, "low");
  bool isPixels = windows != -1;
  if (countOf(map, "high") != windows || countOf(map, "steps") != windows ||
      (isPixels && (rank < 3 || windows != rank - 2)))
    return false;
  MlirAttribute offset = mloptDictGet(map, "offset");
  if (!mlirAttributeIsNull(offset) && !isCount(offset))
    return false;
  MlirAttribute swizzle = mloptDictGet(map, "swizzle");
  MlirAttribute type = mloptDictGet(map, "type");
  if (mlirAttributeIsNull(swizzle) || !mloptIsI64(swizzle) ||
      mlirAttributeIsNull(type) || !mloptIsString(type))
    return false;
  int64_t bytes = mlirIntegerAttrGetValueInt(swizzle);
  return rank >= 1 && rank <= 5 && countOf(map, "strides") == rank - 1 &&
         countOf(map, "box") == (isPixels ? 2 : rank) &&
         (bytes == 0 || bytes == 32 || bytes == 64 || bytes == 128);
}

/// For each argument of a launch, its tensor map or `unit`.
static bool isTensorMaps(MlirAttribute maps) {
  if (!mlirAttributeIsAArray(maps))
    return false;
  for (intptr_t i = 0, n = mlirArrayAttrGetNumElements(maps); i < n; ++i) {
    MlirAttribute map = mlirArrayAttrGetElement(maps, i);
    if (!isUnit(map) && !(mlirAttributeIsADictionary(map) && isTensorMap(map)))
      return false;
  }
  return true;
}

/// A dictionary of these counts and no other entry but `known` ones.
static bool isCounts(MlirAttribute a, int numNames, const char *const *names,
                     bool all, intptr_t known) {
  if (!isDictionary(a))
    return false;
  for (int i = 0; i < numNames; ++i) {
    MlirAttribute value = mloptDictGet(a, names[i]);
    if (mlirAttributeIsNull(value) ? all : !isCount(value))
      return false;
    known += !mlirAttributeIsNull(value);
  }
  return known == mlirDictionaryAttrGetNumElements(a);
}

static bool isExpect(MlirAttribute a) {
  static const char *const names[] = {"kernels", "hbm_bytes"};
  if (!isDictionary(a))
    return false;
  MlirAttribute cores = mloptDictGet(a, "tensor_cores");
  bool hasCores = !mlirAttributeIsNull(cores);
  return (!hasCores || isUnit(cores)) &&
         isCounts(a, MLOPT_COUNT(names), names, false, hasCores);
}

static bool isTraffic(MlirAttribute a) {
  static const char *const names[] = {"kernels", "hbm_bytes", "least_bytes"};
  return isCounts(a, MLOPT_COUNT(names), names, true, 0);
}

/// Of a kernel: what a mask cuts off.
static bool isMasked(MlirAttribute a) {
  static const char *const names[] = {"columns", "offset", "rows", "reads",
                                      "keep"};
  if (!isDictionary(a) || !mloptDictHasOnly(a, MLOPT_COUNT(names), names))
    return false;
  for (int i = 0; i < 3; ++i)
    if (!isCount(mloptDictGet(a, names[i])))
      return false;
  MlirAttribute reads = mloptDictGet(a, "reads");
  bool isRead = mlirAttributeIsNull(reads) || mlirAttributeIsAArray(reads);
  for (intptr_t i = 0; isRead && !mlirAttributeIsNull(reads) &&
                       i < mlirArrayAttrGetNumElements(reads);
       ++i)
    isRead = mlirAttributeIsAFloat(mlirArrayAttrGetElement(reads, i));
  MlirAttribute keep = mloptDictGet(a, "keep");
  return isRead && (mlirAttributeIsNull(keep) || isUnit(keep));
}

static bool isStringAttr(MlirAttribute a) {
  return !mlirAttributeIsNull(a) && mlirAttributeIsAString(a);
}

static bool isLedger(MlirAttribute a) {
  if (!mlirAttributeIsAArray(a))
    return false;
  for (intptr_t i = 0, n = mlirArrayAttrGetNumElements(a); i < n; ++i) {
    MlirAttribute entry = mlirArrayAttrGetElement(a, i);
    if (!isDictionary(entry) || !isCount(mloptDictGet(entry, "operand")) ||
        !isCount(mloptDictGet(entry, "bytes")) ||
        !isStringAttr(mloptDictGet(entry, "reason")))
      return false;
  }
  return true;
}

/// Which operations one kernel must hold, or may not.
static bool isFuse(MlirAttribute a) {
  if (!isDictionary(a) || mlirDictionaryAttrGetNumElements(a) != 2 ||
      !isStringAttr(mloptDictGet(a, "group")) ||
      !isStringAttr(mloptDictGet(a, "keep")))
    return false;
  MlirStringRef keep = mlirStringAttrGetValue(mloptDictGet(a, "keep"));
  return mloptStrEq(keep, "together") || mloptStrEq(keep, "apart");
}

static const MloptDialectAttr dialectAttrs[] = {
    {"mlopt.numerics", "func.func", mloptIsNumericsAttr,
     "#mlopt.numerics<strict|default|fast>",
     "the mode of each operation in it that names none itself"},
    {"mlopt.expect", "func.func", isExpect,
     "a dictionary of kernels, hbm_bytes (i64, at least 0), tensor_cores (a "
     "unit)",
     "promises: at most so many kernels, bytes to and from device memory; all "
     "products on Tensor Cores. A broken one is an error"},
    {"mlopt.traffic", "func.func", isTraffic,
     "a dictionary of kernels, hbm_bytes, least_bytes (i64, at least 0)",
     "what fusion came to, and what any program must move"},
    {"mlopt.ledger", "mlopt.fusion", isLedger,
     "an array of {operand, reason, bytes}",
     "its operands that other kernels computed, why, and what that costs"},
    {"mlopt.fuse", NULL, isFuse,
     "{group = \"name\", keep = \"together\" or \"apart\"}",
     "operations of a group become one kernel whatever it costs, or no two of "
     "them share one. An error where they cannot, or where a group is both"},
    {"mlopt.ordered", NULL, isUnit, "a unit attribute", NULL},
    {"mlopt.checks", "func.func", isArray, "an array of checks", NULL},
    {"mlopt.arguments_from", "func.func", isArray,
     "an array of function symbols", NULL},
    {"mlopt.source", "func.func", isUnit, "a unit attribute", NULL},
    {"mlopt.num_results", "func.func", mloptIsI64, "an i64", NULL},
    {"mlopt.num_outputs", "gpu.launch_func", mloptIsI64, "an i64", NULL},
    {"mlopt.tensor_maps", "gpu.launch_func", isTensorMaps,
     "an array of unit, or {box, dims, strides, swizzle, type} of a tensor "
     "map",
     NULL},
    {"mlopt.waits", "gpu.launch_func", isUnit, "a unit attribute", NULL},
    {"mlopt.schedule", NULL, isDictionary, "a dictionary",
     "how a kernel is computed; on an mlopt.fusion of a product, the tile that "
     "it pins. An error at the fusion where the tile is illegal"},
    {"mlopt.promote", NULL, isUnit, "a unit attribute", NULL},
    {"mlopt.row", NULL, isUnit, "a unit attribute", NULL},
    {"mlopt.zeros", NULL, mloptIsI64Array,
     "an array of a factor, two sizes, 0 or 1, and an offset", NULL},
    {"mlopt.masked", "llvm.func", isMasked,
     "a dictionary of columns, offset, rows (i64, at least 0), reads (an array "
     "of floats), keep (a unit)",
     NULL},
    {"mlopt.absolute", "math.tanh", isUnit, "a unit attribute", NULL},
    {"mlopt.narrowed", NULL, isUnit, "a unit attribute", NULL},
    {"mlopt.inputs", "llvm.func", mloptIsI64Array,
     "an array of parameter numbers", NULL},
    {"mlopt.converts", "llvm.func", isUnit, "a unit attribute", NULL},
    {"mlopt.chip", "gpu.binary", mloptIsString, "a string", NULL},
    {"mlopt.arena_bytes", "func.func", mloptIsI64, "an i64", NULL},
};

const MloptDialectAttr *mloptGetDialectAttrs(int *outCount) {
  *outCount = MLOPT_COUNT(dialectAttrs);
  return dialectAttrs;
}

static MlirLogicalResult verifyAttribute(MlirOperation op,
                                         MlirNamedAttribute attr,
                                         intptr_t index, bool isArgument) {
  MlirStringRef name = mlirIdentifierStr(attr.name);
  for (int i = 0; i < MLOPT_COUNT(dialectAttrs); ++i) {
    if (!mloptStrEq(name, dialectAttrs[i].name))
      continue;
    const char *carrier = dialectAttrs[i].op;
    if (index >= 0 || (carrier && !mloptIsNamed(op, carrier)))
      return mloptOpError(op, "may not carry '%s', which stands on %s only",
                          dialectAttrs[i].name,
                          carrier ? carrier : "operations");
    if (!dialectAttrs[i].is(attr.attribute))
      return mloptOpError(op, "attribute '%s' must be %s", dialectAttrs[i].name,
                          dialectAttrs[i].what);
    return mloptSuccess();
  }
  return mloptOpError(op, "has the unknown attribute '%.*s' on %s",
                      (int)name.length, name.data,
                      index < 0    ? "the operation"
                      : isArgument ? "an argument"
                                   : "a result");
}

//===----------------------------------------------------------------------===//
// The dialect
//===----------------------------------------------------------------------===//

const MloptDialectDef mloptDialect MLOPT_TABLE = {
    .ns = "mlopt",
    .ops = ops,
    .numOps = MLOPT_COUNT(ops),
    .attrs = attrs,
    .numAttrs = MLOPT_COUNT(attrs),
    .parseOp = parseOp,
    .printOp = printOp,
    .materializeConstant = materializeConstant,
    .verifyAttribute = verifyAttribute,
    .strictAttributes = true,
};

MLOPT_EXPORT void mloptRegisterDialects(MlirDialectRegistry registry) {
  mlirDialectHandleInsertDialect(mlirGetDialectHandle__mlopt__(), registry);
  mlirDialectHandleInsertDialect(mlirGetDialectHandle__stablehlo__(), registry);
  mlirDialectHandleInsertDialect(mlirGetDialectHandle__chlo__(), registry);
  mloptRegisterLLVMTranslations(registry);
}
