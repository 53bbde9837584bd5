//===- parsers.c - Operations whose syntax is no format -------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constants, reduce, while, optimization_barrier and CHLO's scan pair operands
// with initial values or region arguments, or build a region from a name, and
// so are parsed by hand:
//
//   stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [0]
//       : (T, U) -> V
//   stablehlo.reduce(%x init: %i) across dimensions = [0] : (T, U) -> V
//    reducer(%a: U, %b: U) { ... }
//   stablehlo.while(%a = %x) : T cond { ... } do { ... }
//
//===----------------------------------------------------------------------===//

#include "tables.h"

enum { MAX_VALUES = 256 };

/// Handles of operands or region arguments.
typedef struct Handles {
  intptr_t n;
  intptr_t at[MAX_VALUES];
} Handles;

static bool append(MloptParser p, Handles *list, intptr_t handle) {
  if (handle < 0)
    return false;
  if (list->n == MAX_VALUES)
    return mloptParserError(p, "more than %d values", MAX_VALUES);
  list->at[list->n++] = handle;
  return true;
}

/// Resolves operands against the types of a function's inputs from `first` on.
static bool resolve(MloptParser p, const Handles *list, MlirType function,
                    intptr_t first) {
  for (intptr_t i = 0; i < list->n; ++i)
    if (!mloptResolveOperand(p, list->at[i],
                             mlirFunctionTypeGetInput(function, first + i)))
      return false;
  return true;
}

static void addResults(MloptParser p, MlirType function) {
  intptr_t n = mlirFunctionTypeGetNumResults(function);
  for (intptr_t i = 0; i < n; ++i)
    mloptParserAddResultType(p, mlirFunctionTypeGetResult(function, i));
}

/// `: (types) -> types` with one type for each of `numOperands`.
static bool parseFunction(MloptParser p, intptr_t numOperands, MlirType *out) {
  if (!mloptParseToken(p, ":"))
    return false;
  const char *begin = mloptParserGetPosition(p);
  if (!mloptParseType(p, out))
    return false;
  if (!mlirTypeIsAFunction(*out))
    return mloptParserErrorAt(p, begin, "expected a function type");
  intptr_t n = mlirFunctionTypeGetNumInputs(*out);
  return n == numOperands ||
         mloptParserErrorAt(p, begin, "%ld operands but %ld operand types",
                            (long)numOperands, (long)n);
}

//===----------------------------------------------------------------------===//
// constant
//===----------------------------------------------------------------------===//

/// `<{...}>`, after the first bracket.
static bool parseProperties(MloptParser p) {
  MlirAttribute dict;
  const char *begin = mloptParserGetPosition(p);
  if (!mloptParseAttribute(p, (MlirType){NULL}, &dict))
    return false;
  if (!mlirAttributeIsADictionary(dict))
    return mloptParserErrorAt(p, begin, "expected a dictionary");
  for (intptr_t i = 0, n = mlirDictionaryAttrGetNumElements(dict); i < n; ++i) {
    MlirNamedAttribute named = mlirDictionaryAttrGetElement(dict, i);
    MlirStringRef name = mlirIdentifierStr(named.name);
    // Identifiers are kept with a final zero.
    mloptParserAddAttribute(p, name.data, named.attribute);
  }
  return mloptParseToken(p, ">");
}

/// `stablehlo.constant dense<1> : tensor<i32>`, or `() {...} : () -> type`.
bool mloptForeignParseConstant(const MloptOpDef *def, MloptParser p) {
  (void)def;
  MlirAttribute value;
  MlirType type;
  if (mloptParseOptionalToken(p, "(")) {
    if (!mloptParseToken(p, ")") ||
        (mloptParseOptionalToken(p, "<") && !parseProperties(p)) ||
        !mloptParseOptionalAttrDict(p) || !parseFunction(p, 0, &type))
      return false;
    addResults(p, type);
    return true;
  }
  if (!mloptParseOptionalAttrDict(p))
    return false;
  const char *begin = mloptParserGetPosition(p);
  if (!mloptParseAttribute(p, (MlirType){NULL}, &value))
    return false;
  if (!mlirAttributeIsAElements(value))
    return mloptParserErrorAt(p, begin, "expected the elements of a tensor");
  mloptParserAddAttribute(p, "value", value);
  mloptParserAddResultType(p, mlirAttributeGetType(value));
  return true;
}

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

/// `(%x init: %i), (%y init: %j)`.
static bool parseInputs(MloptParser p, Handles *inputs, Handles *inits) {
  do {
    if (!mloptParseToken(p, "(") || !append(p, inputs, mloptParseOperand(p)) ||
        !mloptParseToken(p, "init") || !mloptParseToken(p, ":") ||
        !append(p, inits, mloptParseOperand(p)) || !mloptParseToken(p, ")"))
      return false;
  } while (mloptParseOptionalToken(p, ","));
  return true;
}

/// The commutative operation of two operands that a reducer may be named by.
static bool isReducer(const MloptDialectDef *dialect, MlirStringRef name) {
  for (int i = 0; i < dialect->numOps; ++i)
    if ((dialect->ops[i]->traits & MLOPT_COMMUTATIVE) &&
        mloptStrEq(name, dialect->ops[i]->name))
      return true;
  return false;
}

static MlirOperation createOp(MlirStringRef name, MlirLocation location,
                              intptr_t numOperands, const MlirValue *operands,
                              const MlirType *result) {
  MlirOperationState state = mlirOperationStateGet(name, location);
  mlirOperationStateAddOperands(&state, numOperands, operands);
  if (result)
    mlirOperationStateAddResults(&state, 1, result);
  return mlirOperationCreate(&state);
}

/// Fills a region with `name` applied to its two arguments, scalars of the
/// first input's element type.
static bool buildReducer(MloptParser p, const char *begin, MlirStringRef name,
                         MlirType function) {
  MlirType input = mlirFunctionTypeGetInput(function, 0);
  if (!mlirTypeIsAShaped(input))
    return mloptParserErrorAt(p, begin, "expected tensor operands");
  MlirType scalar = mloptTensorType(0, NULL, mloptElementType(input));
  MlirType types[2] = {scalar, scalar};
  MlirLocation location = mloptParserGetLocation(p);
  MlirLocation locations[2] = {location, location};
  MlirBlock block = mlirBlockCreate(2, types, locations);
  mlirRegionAppendOwnedBlock(mloptParserAddRegion(p), block);
  MlirValue args[2] = {mlirBlockGetArgument(block, 0),
                       mlirBlockGetArgument(block, 1)};
  MlirOperation inner = createOp(name, location, 2, args, &scalar);
  mlirBlockAppendOwnedOperation(block, inner);
  MlirValue value = mloptResult(inner, 0);
  mlirBlockAppendOwnedOperation(
      block, createOp(mloptStr("stablehlo.return"), location, 1, &value, NULL));
  return true;
}

/// `reducer(%a: T, %b: T) (%c: U, %d: U) { ... }`; the region's arguments are
/// all first ones, then all second ones.
static bool parseReducer(MloptParser p) {
  Handles first = {0}, second = {0};
  if (!mloptParseToken(p, "reducer"))
    return false;
  while (mloptParseOptionalToken(p, "("))
    if (!append(p, &first, mloptParseArgument(p, true)) ||
        !mloptParseToken(p, ",") ||
        !append(p, &second, mloptParseArgument(p, true)) ||
        !mloptParseToken(p, ")"))
      return false;
  for (intptr_t i = 0; i < second.n; ++i)
    if (!append(p, &first, second.at[i]))
      return false;
  return mloptParseRegion(p, first.n, first.at);
}

bool mloptForeignParseReduce(const MloptOpDef *def, MloptParser p) {
  (void)def;
  Handles inputs = {0}, inits = {0};
  MlirStringRef name = {NULL, 0};
  MlirAttribute dimensions;
  MlirType function;
  if (!parseInputs(p, &inputs, &inits))
    return false;
  const char *begin = mloptParserGetPosition(p);
  if (mloptParseOptionalToken(p, "applies")) {
    begin = mloptParserGetPosition(p);
    if (!mloptParseKeyword(p, &name))
      return false;
    if (!isReducer(&mloptStablehloDialect, name))
      return mloptParserErrorAt(p, begin,
                                "'%.*s' is no commutative StableHLO operation "
                                "of two operands",
                                (int)name.length, name.data);
  }
  if (!mloptParseToken(p, "across") || !mloptParseToken(p, "dimensions") ||
      !mloptParseToken(p, "="))
    return false;
  dimensions = mloptParseInts(p, false, "[", "]");
  if (mlirAttributeIsNull(dimensions) || !mloptParseOptionalAttrDict(p) ||
      !parseFunction(p, inputs.n + inits.n, &function))
    return false;
  mloptParserAddAttribute(p, "dimensions", dimensions);
  if (!resolve(p, &inputs, function, 0) ||
      !resolve(p, &inits, function, inputs.n))
    return false;
  addResults(p, function);
  return name.data ? buildReducer(p, begin, name, function) : parseReducer(p);
}

//===----------------------------------------------------------------------===//
// while, optimization_barrier
//===----------------------------------------------------------------------===//

/// `T, U`: resolves the operands and gives the results their types.
static bool parsePairwiseTypes(MloptParser p, const Handles *operands,
                               const Handles *arguments) {
  for (intptr_t i = 0; i < operands->n; ++i) {
    MlirType type;
    if (!mloptParseToken(p, i ? "," : ":") || !mloptParseType(p, &type) ||
        !mloptResolveOperand(p, operands->at[i], type))
      return false;
    mloptParserAddResultType(p, type);
    if (arguments)
      mloptSetArgumentType(p, arguments->at[i], type);
  }
  return true;
}

bool mloptForeignParseWhile(const MloptOpDef *def, MloptParser p) {
  (void)def;
  Handles arguments = {0}, operands = {0};
  if (!mloptParseToken(p, "("))
    return false;
  if (!mloptParseOptionalToken(p, ")")) {
    do {
      if (!append(p, &arguments, mloptParseArgument(p, false)) ||
          !mloptParseToken(p, "=") ||
          !append(p, &operands, mloptParseOperand(p)))
        return false;
    } while (mloptParseOptionalToken(p, ","));
    if (!mloptParseToken(p, ")"))
      return false;
  }
  return parsePairwiseTypes(p, &operands, &arguments) &&
         (!mloptParseOptionalToken(p, "attributes") ||
          mloptParseOptionalAttrDict(p)) &&
         mloptParseToken(p, "cond") &&
         mloptParseRegion(p, arguments.n, arguments.at) &&
         mloptParseToken(p, "do") &&
         mloptParseRegion(p, arguments.n, arguments.at);
}

/// `%a, %b : T, U`, or `()` for nothing.
bool mloptForeignParseBarrier(const MloptOpDef *def, MloptParser p) {
  (void)def;
  Handles operands = {0};
  if (!mloptParseOptionalAttrDict(p))
    return false;
  if (mloptParseOptionalToken(p, "("))
    return mloptParseToken(p, ")");
  do {
    if (!append(p, &operands, mloptParseOperand(p)))
      return false;
  } while (mloptParseOptionalToken(p, ","));
  return parsePairwiseTypes(p, &operands, NULL);
}

//===----------------------------------------------------------------------===//
// scan
//===----------------------------------------------------------------------===//

/// `(%a, %b)`.
static bool parseOperands(MloptParser p, Handles *list) {
  if (!mloptParseToken(p, "("))
    return false;
  if (mloptParseOptionalToken(p, ")"))
    return true;
  do {
    if (!append(p, list, mloptParseOperand(p)))
      return false;
  } while (mloptParseOptionalToken(p, ","));
  return mloptParseToken(p, ")");
}

static void addSegments(MloptParser p, const char *name, intptr_t first,
                        intptr_t second) {
  int32_t sizes[2] = {(int32_t)first, (int32_t)second};
  mloptParserAddAttribute(
      p, name, mlirDenseI32ArrayGet(mloptParserGetContext(p), 2, sizes));
}

/// `chlo.scan(%x) inits (%i) dimension=0 { ... } : (T, U) -> (T, U)`.
bool mloptForeignParseScan(const MloptOpDef *def, MloptParser p) {
  (void)def;
  Handles inputs = {0}, inits = {0};
  int64_t dimension;
  MlirType function;
  const char *begin = mloptParserGetPosition(p);
  if (!parseOperands(p, &inputs) || !mloptParseToken(p, "inits") ||
      !parseOperands(p, &inits) || !mloptParseToken(p, "dimension") ||
      !mloptParseToken(p, "=") || !mloptParseInteger(p, &dimension) ||
      (mloptParseOptionalToken(p, "attributes") &&
       !mloptParseOptionalAttrDict(p)) ||
      !mloptParseRegion(p, 0, NULL) ||
      !parseFunction(p, inputs.n + inits.n, &function))
    return false;
  intptr_t numOutputs = mlirFunctionTypeGetNumResults(function) - inits.n;
  if (numOutputs < 0)
    return mloptParserErrorAt(p, begin, "%ld initial values but %ld results",
                              (long)inits.n, (long)(numOutputs + inits.n));
  mloptParserAddAttribute(p, "dimension",
                          mloptI64Attr(mloptParserGetContext(p), dimension));
  addSegments(p, "operandSegmentSizes", inputs.n, inits.n);
  addSegments(p, "resultSegmentSizes", numOutputs, inits.n);
  addResults(p, function);
  return resolve(p, &inputs, function, 0) &&
         resolve(p, &inits, function, inputs.n);
}
