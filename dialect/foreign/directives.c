//===- directives.c - Custom directives of StableHLO's and CHLO's formats -===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the formats in stablehlo_ops.def and chlo_ops.def call `custom<Name>`.
// Only reading is here: operations of both dialects print in generic form.
//
//===----------------------------------------------------------------------===//

#include "tables.h"

#include <ctype.h>

/// What every directive takes; most need only the parser.
#define DIRECTIVE(name)                                                        \
  static bool read##name(const MloptOpDef *def, MloptParser p,                 \
                         MloptAssemblyState *state)

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static bool takeInputs(MloptParser p, const char *begin, MlirType function,
                       MloptAssemblyState *state) {
  intptr_t n = mlirFunctionTypeGetNumInputs(function);
  if (n != state->numOperands)
    return mloptParserErrorAt(p, begin, "%ld operands but %ld operand types",
                              (long)state->numOperands, (long)n);
  for (intptr_t i = 0; i < n; ++i)
    state->types[i] = mlirFunctionTypeGetInput(function, i);
  return true;
}

/// `(operand types) -> result type`, already parsed, from `begin` on.
static bool takeFunction(MloptParser p, const char *begin, MlirType function,
                         MloptAssemblyState *state) {
  if (!takeInputs(p, begin, function, state))
    return false;
  if (mlirFunctionTypeGetNumResults(function) != 1)
    return mloptParserErrorAt(p, begin, "expected one result type");
  mloptParserAddResultType(p, mlirFunctionTypeGetResult(function, 0));
  state->resultsDone = true;
  return true;
}

/// Gives every operand from `first` on, and the one result, their types.
static bool takeTypes(MloptParser p, MloptAssemblyState *state, intptr_t first,
                      MlirType operand, MlirType result) {
  for (intptr_t i = first; i < state->numOperands; ++i)
    state->types[i] = operand;
  mloptParserAddResultType(p, result);
  state->resultsDone = true;
  return true;
}

/// One type for all operands and the result, or a function type.
DIRECTIVE(SameType) {
  (void)def;
  MlirType type;
  const char *begin = mloptParserGetPosition(p);
  if (!mloptParseType(p, &type))
    return false;
  return mlirTypeIsAFunction(type) ? takeFunction(p, begin, type, state)
                                   : takeTypes(p, state, 0, type, type);
}

/// The result's type, whose real part is that of the operands; or a function
/// type.
DIRECTIVE(ComplexType) {
  (void)def;
  MlirType type;
  const char *begin = mloptParserGetPosition(p);
  if (!mloptParseType(p, &type))
    return false;
  if (mlirTypeIsAFunction(type))
    return takeFunction(p, begin, type, state);
  if (!mlirTypeIsARankedTensor(type) ||
      !mlirTypeIsAComplex(mloptElementType(type)))
    return mloptParserErrorAt(p, begin, "expected a tensor of complex numbers");
  if (mloptRank(type) > MLOPT_MAX_RANK)
    return mloptParserErrorAt(p, begin, "a tensor has at most %d dimensions",
                              MLOPT_MAX_RANK);
  MlirType real = mlirComplexTypeGetElementType(mloptElementType(type));
  return takeTypes(p, state, 0, mloptWithElementType(type, real), type);
}

/// The result's tuple type, whose parts are the operands' types.
DIRECTIVE(TupleType) {
  (void)def;
  MlirType type;
  const char *begin = mloptParserGetPosition(p);
  if (!mloptParseType(p, &type))
    return false;
  if (!mlirTypeIsATuple(type))
    return mloptParserErrorAt(p, begin, "expected a tuple type");
  intptr_t n = mlirTupleTypeGetNumTypes(type);
  if (n != state->numOperands)
    return mloptParserErrorAt(p, begin, "%ld operands but a tuple of %ld types",
                              (long)state->numOperands, (long)n);
  for (intptr_t i = 0; i < n; ++i)
    state->types[i] = mlirTupleTypeGetType(type, i);
  return takeTypes(p, state, n, type, type);
}

/// `predicate type, type of all else`, or a function type.
DIRECTIVE(SelectType) {
  (void)def;
  MlirType predicate, type;
  const char *begin = mloptParserGetPosition(p);
  if (!mloptParseType(p, &predicate))
    return false;
  if (mlirTypeIsAFunction(predicate))
    return takeFunction(p, begin, predicate, state);
  if (!mloptParseToken(p, ",") || !mloptParseType(p, &type))
    return false;
  state->types[0] = predicate;
  return takeTypes(p, state, 1, type, type);
}

//===----------------------------------------------------------------------===//
// Operands and regions
//===----------------------------------------------------------------------===//

/// `%a, %b,`: each with its comma, up to what is no operand.
DIRECTIVE(OperandsWithComma) {
  (void)def;
  intptr_t operand;
  while ((operand = mloptParseOptionalOperand(p)) >= 0) {
    if (state->numOperands == MLOPT_COUNT(state->operands))
      return mloptParserError(p, "more than %d operands",
                              MLOPT_COUNT(state->operands));
    state->operands[state->numOperands++] = operand;
    if (!mloptParseToken(p, ","))
      return false;
  }
  return true;
}

/// `({...}, {...})`, when there.
DIRECTIVE(Regions) {
  (void)def, (void)state;
  if (!mloptParseOptionalToken(p, "("))
    return true;
  do {
    if (!mloptParseRegion(p, 0, NULL))
      return false;
  } while (mloptParseOptionalToken(p, ","));
  return mloptParseToken(p, ")");
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

static bool addAttribute(MloptParser p, const char *name, MlirAttribute value) {
  if (mlirAttributeIsNull(value))
    return false;
  mloptParserAddAttribute(p, name, value);
  return true;
}

/// A case of an enumeration.
#define CASE_DIRECTIVE(name, row, attr)                                        \
  DIRECTIVE(name) {                                                            \
    (void)state;                                                               \
    return addAttribute(p, attr, mloptParseCase(p, def, row));                 \
  }
CASE_DIRECTIVE(Direction, MLOPT_ATTR_COMPARISON_DIRECTION,
               "comparison_direction")
CASE_DIRECTIVE(FftType, MLOPT_ATTR_FFT_TYPE, "fft_type")
CASE_DIRECTIVE(Distribution, MLOPT_ATTR_RNG_DISTRIBUTION, "rng_distribution")
CASE_DIRECTIVE(Algorithm, MLOPT_ATTR_RNG_ALGORITHM, "rng_algorithm")

/// `, FLOAT`, when there.
DIRECTIVE(OptionalCompareType) {
  (void)state;
  return !mloptParseOptionalToken(p, ",") ||
         addAttribute(p, "compare_type",
                      mloptParseCase(p, def, MLOPT_ATTR_COMPARISON_TYPE));
}

static MlirAttribute i32(MloptParser p, int64_t value) {
  return mlirIntegerAttrGet(mlirIntegerTypeGet(mloptParserGetContext(p), 32),
                            value);
}

/// The index of get_tuple_element.
DIRECTIVE(Index) {
  (void)def, (void)state;
  int64_t value;
  return mloptParseInteger(p, &value) &&
         addAttribute(p, "index", i32(p, value));
}

/// `@target` or `@"any target"`.
DIRECTIVE(Target) {
  (void)def, (void)state;
  MlirAttribute name;
  return mloptParseSymbolName(p, &name) &&
         addAttribute(p, "call_target_name", name);
}

/// Reads digits; false when there are none, or too many for an i32.
static bool readNumber(MlirStringRef text, size_t *at, int64_t *out) {
  size_t begin = *at;
  *out = 0;
  for (; *at < text.length && isdigit((unsigned char)text.data[*at]); ++*at)
    if ((*out = *out * 10 + (text.data[*at] - '0')) > INT32_MAX)
      return false;
  return *at > begin;
}

/// `e8m10`.
DIRECTIVE(ExponentMantissa) {
  (void)def, (void)state;
  MlirStringRef text;
  int64_t exponent, mantissa;
  size_t at = 1;
  const char *begin = mloptParserGetPosition(p);
  if (!mloptParseKeyword(p, &text))
    return false;
  if (text.data[0] != 'e' || !readNumber(text, &at, &exponent) ||
      at == text.length || text.data[at++] != 'm' ||
      !readNumber(text, &at, &mantissa) || at != text.length)
    return mloptParserErrorAt(p, begin,
                              "expected a format such as e8m10, found '%.*s'",
                              (int)text.length, text.data);
  return addAttribute(p, "exponent_bits", i32(p, exponent)) &&
         addAttribute(p, "mantissa_bits", i32(p, mantissa));
}

/// `[start:limit:stride, start:limit]`.
DIRECTIVE(SliceRanges) {
  (void)def, (void)state;
  int64_t start[MLOPT_MAX_RANK], limit[MLOPT_MAX_RANK], stride[MLOPT_MAX_RANK];
  intptr_t n = 0;
  if (!mloptParseToken(p, "["))
    return false;
  if (!mloptParseOptionalToken(p, "]")) {
    do {
      if (n == MLOPT_MAX_RANK)
        return mloptParserError(p, "a tensor has at most %d dimensions",
                                MLOPT_MAX_RANK);
      stride[n] = 1;
      if (!mloptParseInteger(p, &start[n]) || !mloptParseToken(p, ":") ||
          !mloptParseInteger(p, &limit[n]) ||
          (mloptParseOptionalToken(p, ":") &&
           !mloptParseInteger(p, &stride[n])))
        return false;
      ++n;
    } while (mloptParseOptionalToken(p, ","));
    if (!mloptParseToken(p, "]"))
      return false;
  }
  MlirContext context = mloptParserGetContext(p);
  mloptParserAddAttribute(p, "start_indices", mloptI64Array(context, n, start));
  mloptParserAddAttribute(p, "limit_indices", mloptI64Array(context, n, limit));
  mloptParserAddAttribute(p, "strides", mloptI64Array(context, n, stride));
  return true;
}

//===----------------------------------------------------------------------===//
// Dot
//===----------------------------------------------------------------------===//

/// `name = [0] x [1]`, the name already read.
static bool parsePair(MloptParser p, MlirAttribute *lhs, MlirAttribute *rhs) {
  if (!mloptParseToken(p, "="))
    return false;
  *lhs = mloptParseInts(p, false, "[", "]");
  if (mlirAttributeIsNull(*lhs) || !mloptParseToken(p, "x"))
    return false;
  *rhs = mloptParseInts(p, false, "[", "]");
  return !mlirAttributeIsNull(*rhs);
}

/// `batching_dims = [0] x [0], contracting_dims = [2] x [1]`, the first part
/// optional.
DIRECTIVE(DotDims) {
  (void)def, (void)state;
  MlirContext context = mloptParserGetContext(p);
  MlirAttribute params[4];
  params[0] = params[1] = mloptI64Array(context, 0, NULL);
  if (mloptParseOptionalToken(p, "batching_dims") &&
      (!parsePair(p, &params[0], &params[1]) || !mloptParseToken(p, ",")))
    return false;
  if (!mloptParseToken(p, "contracting_dims") ||
      !parsePair(p, &params[2], &params[3]))
    return false;
  return addAttribute(
      p, "dot_dimension_numbers",
      mloptAttrGet(context, &mloptStablehloAttrs[MLOPT_ATTR_DOT], 4, params));
}

/// `= [DEFAULT, HIGHEST]`, after `precision`.
static bool parsePrecision(MloptParser p, const MloptOpDef *def) {
  MlirAttribute values[MLOPT_MAX_RANK];
  intptr_t n = 0;
  if (!mloptParseToken(p, "=") || !mloptParseToken(p, "["))
    return false;
  if (!mloptParseOptionalToken(p, "]")) {
    do {
      if (n == MLOPT_COUNT(values))
        return mloptParserError(p, "more than %d precisions",
                                MLOPT_COUNT(values));
      values[n] = mloptParseCase(p, def, MLOPT_ATTR_PRECISION);
      if (mlirAttributeIsNull(values[n++]))
        return false;
    } while (mloptParseOptionalToken(p, ","));
    if (!mloptParseToken(p, "]"))
      return false;
  }
  return addAttribute(p, "precision_config",
                      mlirArrayAttrGet(mloptParserGetContext(p), n, values));
}

/// `, precision = [...]`, when there.
DIRECTIVE(Precision) {
  (void)state;
  return !mloptParseOptionalToken(p, ",") ||
         (mloptParseToken(p, "precision") && parsePrecision(p, def));
}

/// `, precision = [...], algorithm = <...>`, each optional.
DIRECTIVE(PrecisionAndAlgorithm) {
  (void)state;
  if (!mloptParseOptionalToken(p, ","))
    return true;
  if (mloptParseOptionalToken(p, "precision")) {
    if (!parsePrecision(p, def))
      return false;
    if (!mloptParseOptionalToken(p, ","))
      return true;
  }
  const MloptAttrDef *algorithm =
      &mloptStablehloAttrs[MLOPT_ATTR_DOT_ALGORITHM];
  MlirAttribute params[MLOPT_MAX_RANK];
  intptr_t n;
  if (!mloptParseToken(p, "algorithm") || !mloptParseToken(p, "=") ||
      (n = algorithm->parse(p, MLOPT_MAX_RANK, params)) < 0)
    return false;
  return addAttribute(
      p, "algorithm",
      mloptAttrGet(mloptParserGetContext(p), algorithm, n, params));
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static const MloptCustom customs[] = {
    {"SameType", readSameType, NULL, NULL},
    {"ComplexType", readComplexType, NULL, NULL},
    {"TupleType", readTupleType, NULL, NULL},
    {"SelectType", readSelectType, NULL, NULL},
    {"OperandsWithComma", readOperandsWithComma, NULL, NULL},
    {"Regions", readRegions, NULL, NULL},
    {"Direction", readDirection, NULL, NULL},
    {"OptionalCompareType", readOptionalCompareType, NULL, NULL},
    {"FftType", readFftType, NULL, NULL},
    {"Distribution", readDistribution, NULL, NULL},
    {"Algorithm", readAlgorithm, NULL, NULL},
    {"Index", readIndex, NULL, NULL},
    {"Target", readTarget, NULL, NULL},
    {"ExponentMantissa", readExponentMantissa, NULL, NULL},
    {"SliceRanges", readSliceRanges, NULL, NULL},
    {"DotDims", readDotDims, NULL, NULL},
    {"Precision", readPrecision, NULL, NULL},
    {"PrecisionAndAlgorithm", readPrecisionAndAlgorithm, NULL, NULL},
    {"ConvDims", mloptForeignReadConvDims, NULL, NULL},
    {"Window", mloptForeignReadWindow, NULL, NULL},
};

bool mloptForeignParseOp(const MloptOpDef *def, MloptParser parser) {
  return mloptParseAssembly(def, customs, MLOPT_COUNT(customs), parser);
}

const char *mloptForeignCheckFormat(const MloptOpDef *def) {
  return mloptCheckAssembly(def, customs, MLOPT_COUNT(customs));
}
