//===- attr_tables.c - The attributes of StableHLO and CHLO ---------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row for each attribute: enumerations, which hold their case as a string,
// and structs, which hold one attribute for each field. StableHLO prints an
// enumeration as `#stablehlo<comparison_direction LT>` and a struct as
// `#stablehlo.dot<...>`.
//
//===----------------------------------------------------------------------===//

#include "tables.h"

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

/// Cases end with NULL. Angle brackets are optional, for every enumeration.
static intptr_t parseEnum(MloptParser p, const char *const *cases,
                          MlirAttribute *params) {
  bool bracket = mloptParseOptionalToken(p, "<");
  MlirStringRef name;
  const char *begin = mloptParserGetPosition(p);
  if (!mloptParseKeyword(p, &name))
    return -1;
  while (*cases && !mloptStrEq(name, *cases))
    ++cases;
  if (!*cases) {
    mloptParserErrorAt(p, begin, "unknown case '%.*s'", (int)name.length,
                       name.data);
    return -1;
  }
  params[0] = mlirStringAttrGet(mloptParserGetContext(p), name);
  return !bracket || mloptParseToken(p, ">") ? 1 : -1;
}

static void printEnum(MloptPrinter p, intptr_t n, const MlirAttribute *params) {
  (void)n;
  mloptPrintText(p, " ");
  mloptPrintString(p, mlirStringAttrGetValue(params[0]));
}

static void printBracketedEnum(MloptPrinter p, intptr_t n,
                               const MlirAttribute *params) {
  (void)n;
  mloptPrintText(p, "<");
  mloptPrintString(p, mlirStringAttrGetValue(params[0]));
  mloptPrintText(p, ">");
}

#define ENUM(name, ...)                                                        \
  static intptr_t parse##name(MloptParser p, intptr_t max,                     \
                              MlirAttribute *params) {                         \
    static const char *const cases[] = {__VA_ARGS__, NULL};                    \
    (void)max;                                                                 \
    return parseEnum(p, cases, params);                                        \
  }
ENUM(Direction, "EQ", "NE", "GE", "GT", "LE", "LT")
ENUM(CompareType, "NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED")
ENUM(Precision, "DEFAULT", "HIGH", "HIGHEST")
ENUM(FftType, "FFT", "IFFT", "RFFT", "IRFFT")
ENUM(Transpose, "TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT")
ENUM(Distribution, "UNIFORM", "NORMAL")
ENUM(Algorithm, "DEFAULT", "THREE_FRY", "PHILOX")
ENUM(AccuracyMode, "DEFAULT", "HIGHEST", "TOLERANCE")

//===----------------------------------------------------------------------===//
// Structs
//===----------------------------------------------------------------------===//

#define STRUCT(name, ...)                                                      \
  static const MloptField fieldsOf##name[] = {__VA_ARGS__};                    \
  static intptr_t parse##name(MloptParser p, intptr_t max,                     \
                              MlirAttribute *params) {                         \
    (void)max;                                                                 \
    if (!mloptParseToken(p, "<"))                                              \
      return -1;                                                               \
    return mloptParseFields(p, MLOPT_COUNT(fieldsOf##name), fieldsOf##name,    \
                            params);                                           \
  }                                                                            \
  static void print##name(MloptPrinter p, intptr_t n,                          \
                          const MlirAttribute *params) {                       \
    mloptPrintText(p, "<");                                                    \
    mloptPrintFields(p, (int)n, fieldsOf##name, params);                       \
  }
#define INTS MLOPT_FIELD_INTS
#define INT MLOPT_FIELD_INT

// clang-format off
STRUCT(Accuracy,
       {"atol", MLOPT_FIELD_FLOAT, true},
       {"rtol", MLOPT_FIELD_FLOAT, true},
       {"ulps", INT, true},
       {"mode", MLOPT_FIELD_ATTR, false})
STRUCT(Dot,
       {"lhs_batching_dimensions", INTS, true},
       {"rhs_batching_dimensions", INTS, true},
       {"lhs_contracting_dimensions", INTS, true},
       {"rhs_contracting_dimensions", INTS, true})
STRUCT(DotAlgorithm,
       {"lhs_precision_type", MLOPT_FIELD_TYPE, false},
       {"rhs_precision_type", MLOPT_FIELD_TYPE, false},
       {"accumulation_type", MLOPT_FIELD_TYPE, false},
       {"lhs_component_count", INT, false},
       {"rhs_component_count", INT, false},
       {"num_primitive_operations", INT, false},
       {"allow_imprecise_accumulation", MLOPT_FIELD_ATTR, false})
STRUCT(Gather,
       {"offset_dims", INTS, true},
       {"collapsed_slice_dims", INTS, true},
       {"operand_batching_dims", INTS, true},
       {"start_indices_batching_dims", INTS, true},
       {"start_index_map", INTS, true},
       {"index_vector_dim", INT, true})
STRUCT(Scatter,
       {"update_window_dims", INTS, true},
       {"inserted_window_dims", INTS, true},
       {"input_batching_dims", INTS, true},
       {"scatter_indices_batching_dims", INTS, true},
       {"scatter_dims_to_operand_dims", INTS, true},
       {"index_vector_dim", INT, true})
STRUCT(Channel,
       {"handle", INT, false},
       {"type", INT, false})
STRUCT(Alias,
       {"output_tuple_indices", INTS, false},
       {"operand_index", INT, false},
       {"operand_tuple_indices", INTS, false})
STRUCT(AxisRef,
       {"name", MLOPT_FIELD_STRING, false},
       {"sub_axis_info", MLOPT_FIELD_AXIS, true})
STRUCT(MeshAxis,
       {"name", MLOPT_FIELD_STRING, false},
       {"size", INT, false})
STRUCT(Mesh,
       {"axes", MLOPT_FIELD_AXES, false},
       {"device_ids", MLOPT_FIELD_ATTR, true})
STRUCT(MeshAxes,
       {"mesh", MLOPT_FIELD_ATTR, false},
       {"axes", MLOPT_FIELD_ATTR, false})
STRUCT(Ragged,
       {"lhs_batching_dimensions", INTS, true},
       {"rhs_batching_dimensions", INTS, true},
       {"lhs_contracting_dimensions", INTS, true},
       {"rhs_contracting_dimensions", INTS, true},
       {"lhs_ragged_dimensions", INTS, true},
       {"rhs_group_dimensions", INTS, true})
// clang-format on

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

/// `<3, ?>`, or `<bounds = [3, ?]>` as #stablehlo.type_extensions has it.
static intptr_t parseBounds(MloptParser p, intptr_t max,
                            MlirAttribute *params) {
  (void)max;
  if (!mloptParseToken(p, "<"))
    return -1;
  if (!mloptParseOptionalToken(p, "bounds")) {
    params[0] = mloptParseInts(p, true, NULL, ">");
    return mlirAttributeIsNull(params[0]) ? -1 : 1;
  }
  if (!mloptParseToken(p, "="))
    return -1;
  params[0] = mloptParseInts(p, true, "[", "]");
  return !mlirAttributeIsNull(params[0]) && mloptParseToken(p, ">") ? 1 : -1;
}

static void printBounds(MloptPrinter p, intptr_t n,
                        const MlirAttribute *params) {
  (void)n;
  mloptPrintInts(p, params[0], "<", ">");
}

/// `(pre_size)size`.
static intptr_t parseSubAxis(MloptParser p, intptr_t max,
                             MlirAttribute *params) {
  MlirContext context = mloptParserGetContext(p);
  int64_t preSize, size;
  (void)max;
  if (!mloptParseToken(p, "(") || !mloptParseInteger(p, &preSize) ||
      !mloptParseToken(p, ")") || !mloptParseInteger(p, &size))
    return -1;
  params[0] = mloptI64Attr(context, preSize);
  params[1] = mloptI64Attr(context, size);
  return 2;
}

static void printSubAxis(MloptPrinter p, intptr_t n,
                         const MlirAttribute *params) {
  (void)n;
  mloptPrintText(p, "(");
  mloptPrintInteger(p, mlirIntegerAttrGetValueInt(params[0]));
  mloptPrintText(p, ")");
  mloptPrintInteger(p, mlirIntegerAttrGetValueInt(params[1]));
}

//===----------------------------------------------------------------------===//
// The tables
//===----------------------------------------------------------------------===//

#define ENUM_ROW(name, parse)                                                  \
  { name, NULL, parse, printEnum }
#define STRUCT_ROW(name, id)                                                   \
  { name, NULL, parse##id, print##id }
#define SHARED_ROWS                                                            \
  [MLOPT_ATTR_COMPARISON_DIRECTION] =                                          \
      ENUM_ROW("comparison_direction", parseDirection),                        \
  [MLOPT_ATTR_COMPARISON_TYPE] =                                               \
      ENUM_ROW("comparison_type", parseCompareType),                           \
  [MLOPT_ATTR_PRECISION] = ENUM_ROW("precision", parsePrecision)

const MloptAttrDef mloptStablehloAttrs[MLOPT_NUM_STABLEHLO_ATTRS] = {
    SHARED_ROWS,
    [MLOPT_ATTR_FFT_TYPE] = ENUM_ROW("fft_type", parseFftType),
    [MLOPT_ATTR_TRANSPOSE] = ENUM_ROW("transpose", parseTranspose),
    [MLOPT_ATTR_RNG_DISTRIBUTION] =
        ENUM_ROW("rng_distribution", parseDistribution),
    [MLOPT_ATTR_RNG_ALGORITHM] = ENUM_ROW("rng_algorithm", parseAlgorithm),
    [MLOPT_ATTR_RESULT_ACCURACY_MODE] = {"result_accuracy_mode", NULL,
                                         parseAccuracyMode, printBracketedEnum},
    [MLOPT_ATTR_RESULT_ACCURACY] = STRUCT_ROW("result_accuracy", Accuracy),
    [MLOPT_ATTR_DOT] = STRUCT_ROW("dot", Dot),
    [MLOPT_ATTR_DOT_ALGORITHM] = STRUCT_ROW("dot_algorithm", DotAlgorithm),
    [MLOPT_ATTR_GATHER] = STRUCT_ROW("gather", Gather),
    [MLOPT_ATTR_SCATTER] = STRUCT_ROW("scatter", Scatter),
    [MLOPT_ATTR_CONV] = {"conv", NULL, mloptParseConvAttr, mloptPrintConvAttr},
    [MLOPT_ATTR_CHANNEL_HANDLE] = STRUCT_ROW("channel_handle", Channel),
    [MLOPT_ATTR_OUTPUT_OPERAND_ALIAS] =
        STRUCT_ROW("output_operand_alias", Alias),
    [MLOPT_ATTR_BOUNDS] = STRUCT_ROW("bounds", Bounds),
    [MLOPT_ATTR_SUB_AXIS_INFO] = STRUCT_ROW("sub_axis_info", SubAxis),
    [MLOPT_ATTR_AXIS_REF] = STRUCT_ROW("axis_ref", AxisRef),
    [MLOPT_ATTR_MESH_AXIS] = STRUCT_ROW("mesh_axis", MeshAxis),
    [MLOPT_ATTR_MESH] = STRUCT_ROW("mesh", Mesh),
    [MLOPT_ATTR_REPLICA_GROUP_MESH_AXES] =
        STRUCT_ROW("replica_group_mesh_axes", MeshAxes),
};

const MloptAttrDef mloptChloAttrs[MLOPT_NUM_CHLO_ATTRS] = {
    SHARED_ROWS,
    [MLOPT_ATTR_RAGGED_DOT] = STRUCT_ROW("ragged_dot", Ragged),
};

const MloptAttrDef *mloptForeignAttr(const MloptOpDef *def,
                                     MloptForeignAttr row) {
  bool chlo = !strncmp(def->name, "chlo.", 5);
  return chlo ? &mloptChloAttrs[row] : &mloptStablehloAttrs[row];
}

MlirAttribute mloptParseCase(MloptParser p, const MloptOpDef *def,
                             MloptForeignAttr row) {
  MlirAttribute attr = {NULL}, param;
  const MloptAttrDef *attrDef = mloptForeignAttr(def, row);
  if (mloptParseOptionalAlias(p, &attr) || attrDef->parse(p, 1, &param) < 0)
    return attr;
  return mloptAttrGet(mloptParserGetContext(p), attrDef, 1, &param);
}

//===----------------------------------------------------------------------===//
// Predicates
//===----------------------------------------------------------------------===//

#define STABLEHLO_PREDICATE(name, row)                                         \
  bool mloptForeignIs##name(MlirAttribute attr) {                              \
    return mloptAttrIsA(attr, &mloptStablehloAttrs[row]);                      \
  }
#define SHARED_PREDICATE(name, row)                                            \
  bool mloptForeignIs##name(MlirAttribute attr) {                              \
    return mloptAttrIsA(attr, &mloptStablehloAttrs[row]) ||                    \
           mloptAttrIsA(attr, &mloptChloAttrs[row]);                           \
  }
SHARED_PREDICATE(Direction, MLOPT_ATTR_COMPARISON_DIRECTION)
SHARED_PREDICATE(CompareType, MLOPT_ATTR_COMPARISON_TYPE)
STABLEHLO_PREDICATE(Fft, MLOPT_ATTR_FFT_TYPE)
STABLEHLO_PREDICATE(Transpose, MLOPT_ATTR_TRANSPOSE)
STABLEHLO_PREDICATE(Distribution, MLOPT_ATTR_RNG_DISTRIBUTION)
STABLEHLO_PREDICATE(Algorithm, MLOPT_ATTR_RNG_ALGORITHM)
STABLEHLO_PREDICATE(Accuracy, MLOPT_ATTR_RESULT_ACCURACY)
STABLEHLO_PREDICATE(Dot, MLOPT_ATTR_DOT)
STABLEHLO_PREDICATE(DotAlgorithm, MLOPT_ATTR_DOT_ALGORITHM)
STABLEHLO_PREDICATE(Gather, MLOPT_ATTR_GATHER)
STABLEHLO_PREDICATE(Scatter, MLOPT_ATTR_SCATTER)
STABLEHLO_PREDICATE(Conv, MLOPT_ATTR_CONV)
STABLEHLO_PREDICATE(Channel, MLOPT_ATTR_CHANNEL_HANDLE)
bool mloptForeignIsRagged(MlirAttribute attr) {
  return mloptAttrIsA(attr, &mloptChloAttrs[MLOPT_ATTR_RAGGED_DOT]);
}
