//===- conv.c - Dimensions and windows of convolutions --------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Convolutions spell where their dimensions lie as three lists,
//
//   [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]
//
// (batch, feature, input and output feature, and spatial dimensions by
// number), kept as nine parameters: for each list the positions of its two
// letters and of its spatial dimensions. `#stablehlo.conv<raw ...>` names the
// nine one by one, so that invalid ones can be written and refused.
//
//===----------------------------------------------------------------------===//

#include "tables.h"

static const MloptField fields[MLOPT_NUM_CONV_PARAMS] = {
    {"input_batch_dimension", MLOPT_FIELD_INT, true},
    {"input_feature_dimension", MLOPT_FIELD_INT, true},
    {"input_spatial_dimensions", MLOPT_FIELD_INTS, true},
    {"kernel_input_feature_dimension", MLOPT_FIELD_INT, true},
    {"kernel_output_feature_dimension", MLOPT_FIELD_INT, true},
    {"kernel_spatial_dimensions", MLOPT_FIELD_INTS, true},
    {"output_batch_dimension", MLOPT_FIELD_INT, true},
    {"output_feature_dimension", MLOPT_FIELD_INT, true},
    {"output_spatial_dimensions", MLOPT_FIELD_INTS, true},
};

/// The two letters of each list.
static const char *const letters[3] = {"bf", "io", "bf"};

//===----------------------------------------------------------------------===//
// Dimension numbers
//===----------------------------------------------------------------------===//

/// One entry: sets `*slot` to 0 or 1 for a letter, to 2 + i for spatial
/// dimension i.
static bool parseEntry(MloptParser p, const char *pair, int64_t *slot) {
  int64_t number;
  MlirStringRef name;
  const char *begin = mloptParserGetPosition(p);
  if (mloptParseOptionalInteger(p, &number)) {
    if (number < 0 || number >= MLOPT_MAX_RANK - 2)
      return mloptParserErrorAt(p, begin,
                                "spatial dimension %lld is out of range",
                                (long long)number);
    *slot = number + 2;
    return true;
  }
  if (!mloptParseKeyword(p, &name))
    return false;
  const char *letter =
      name.length == 1 ? strchr(pair, name.data[0]) : (const char *)NULL;
  if (!letter)
    return mloptParserErrorAt(p, begin,
                              "expected '%c', '%c' or a number, found '%.*s'",
                              pair[0], pair[1], (int)name.length, name.data);
  *slot = letter - pair;
  return true;
}

/// One list, as three parameters.
static bool parseConvList(MloptParser p, const char *pair,
                          MlirAttribute *params) {
  int64_t position[MLOPT_MAX_RANK];
  int n = 0;
  for (int i = 0; i < MLOPT_MAX_RANK; ++i)
    position[i] = -1;
  if (!mloptParseToken(p, "["))
    return false;
  do {
    int64_t slot;
    const char *begin = mloptParserGetPosition(p);
    if (!parseEntry(p, pair, &slot))
      return false;
    if (position[slot] >= 0)
      return mloptParserErrorAt(p, begin, "a dimension is repeated");
    position[slot] = n++;
  } while (mloptParseOptionalToken(p, ","));
  for (int i = 0; i < n || i < 2; ++i) {
    if (position[i] >= 0)
      continue;
    if (i < 2)
      return mloptParserError(p, "dimension '%c' is missing", pair[i]);
    return mloptParserError(p, "spatial dimension %d is missing", i - 2);
  }
  if (!mloptParseToken(p, "]"))
    return false;
  MlirContext context = mloptParserGetContext(p);
  params[0] = mloptI64Attr(context, position[0]);
  params[1] = mloptI64Attr(context, position[1]);
  params[2] = mloptI64Array(context, n - 2, position + 2);
  return true;
}

intptr_t mloptParseConvDims(MloptParser p, MlirAttribute *params) {
  bool ok = parseConvList(p, letters[0], params) && mloptParseToken(p, "x") &&
            parseConvList(p, letters[1], params + 3) &&
            mloptParseToken(p, "->") &&
            parseConvList(p, letters[2], params + 6);
  return ok ? MLOPT_NUM_CONV_PARAMS : -1;
}

intptr_t mloptParseConvAttr(MloptParser p, intptr_t maxParams,
                            MlirAttribute *params) {
  (void)maxParams;
  if (!mloptParseToken(p, "<"))
    return -1;
  if (mloptParseOptionalToken(p, "raw"))
    return mloptParseFields(p, MLOPT_NUM_CONV_PARAMS, fields, params);
  intptr_t n = mloptParseConvDims(p, params);
  return n > 0 && mloptParseToken(p, ">") ? n : -1;
}

/// Fills `entry` with what lies at each position: a letter, or '0' + i. False
/// when the parameters do not cover the positions exactly.
static bool arrange(const char *pair, const MlirAttribute *params, int64_t n,
                    char *entry) {
  memset(entry, 0, n);
  for (int64_t i = 0; i < n; ++i) {
    int64_t at = i < 2 ? mlirIntegerAttrGetValueInt(params[i])
                       : mlirDenseI64ArrayGetElement(params[2], i - 2);
    if (at < 0 || at >= n || entry[at])
      return false;
    entry[at] = (char)(i < 2 ? pair[i] : '0' + (i - 2));
  }
  return true;
}

void mloptPrintConvAttr(MloptPrinter p, intptr_t numParams,
                        const MlirAttribute *params) {
  char entries[3][MLOPT_MAX_RANK];
  int64_t ranks[3];
  for (int list = 0; list < 3; ++list) {
    const MlirAttribute *three = params + (ptrdiff_t)list * 3;
    ranks[list] = mlirDenseArrayGetNumElements(three[2]) + 2;
    if (ranks[list] > MLOPT_MAX_RANK ||
        !arrange(letters[list], three, ranks[list], entries[list])) {
      mloptPrintText(p, "<raw ");
      mloptPrintFields(p, (int)numParams, fields, params);
      return;
    }
  }
  static const char *const before[3] = {"<[", "x[", "->["};
  for (int list = 0; list < 3; ++list) {
    mloptPrintText(p, before[list]);
    for (int64_t i = 0; i < ranks[list]; ++i) {
      char entry = entries[list][i];
      mloptPrintText(p, i ? ", " : "");
      if (entry < 'a')
        mloptPrintInteger(p, entry - '0');
      else
        mloptPrintString(p, (MlirStringRef){&entry, 1});
    }
    mloptPrintText(p, "]");
  }
  mloptPrintText(p, ">");
}

bool mloptForeignReadConvDims(const MloptOpDef *def, MloptParser p,
                              MloptAssemblyState *state) {
  (void)def, (void)state;
  MlirAttribute params[MLOPT_NUM_CONV_PARAMS];
  if (mloptParseConvDims(p, params) < 0)
    return false;
  mloptParserAddAttribute(p, "dimension_numbers",
                          mloptAttrGet(mloptParserGetContext(p),
                                       &mloptStablehloAttrs[MLOPT_ATTR_CONV],
                                       MLOPT_NUM_CONV_PARAMS, params));
  return true;
}

//===----------------------------------------------------------------------===//
// Window
//===----------------------------------------------------------------------===//

/// `[[0, 1], [2, 3]]` as a tensor<nx2xi64>.
static MlirAttribute parsePadding(MloptParser p) {
  int64_t values[2 * MLOPT_MAX_RANK];
  int64_t shape[2] = {0, 2};
  MlirAttribute none = {NULL};
  if (!mloptParseToken(p, "["))
    return none;
  if (!mloptParseOptionalToken(p, "]")) {
    do {
      int64_t *pair = &values[2 * shape[0]];
      if (shape[0]++ == MLOPT_MAX_RANK) {
        mloptParserError(p, "more than %d pairs of padding", MLOPT_MAX_RANK);
        return none;
      }
      if (!mloptParseToken(p, "[") || !mloptParseInteger(p, &pair[0]) ||
          !mloptParseToken(p, ",") || !mloptParseInteger(p, &pair[1]) ||
          !mloptParseToken(p, "]"))
        return none;
    } while (mloptParseOptionalToken(p, ","));
    if (!mloptParseToken(p, "]"))
      return none;
  }
  MlirType i64 = mlirIntegerTypeGet(mloptParserGetContext(p), 64);
  MlirType type = mloptTensorType(2, shape, i64);
  return mlirDenseElementsAttrInt64Get(type, 2 * shape[0], values);
}

/// `[0, 1]` or `[false, true]` as an array<i1>.
static MlirAttribute parseReversal(MloptParser p) {
  const char *begin = mloptParserGetPosition(p);
  MlirAttribute ints = mloptParseInts(p, false, "[", "]");
  if (mlirAttributeIsNull(ints))
    return ints;
  int values[MLOPT_MAX_RANK];
  intptr_t n = mlirDenseArrayGetNumElements(ints);
  if (n > MLOPT_MAX_RANK) {
    mloptParserErrorAt(p, begin, "more than %d window dimensions",
                       MLOPT_MAX_RANK);
    return (MlirAttribute){NULL};
  }
  for (intptr_t i = 0; i < n; ++i)
    values[i] = mlirDenseI64ArrayGetElement(ints, i) != 0;
  return mlirDenseBoolArrayGet(mloptParserGetContext(p), n, values);
}

/// The short names inside `window = {...}`.
static const struct {
  const char *name, *attr;
  MlirAttribute (*parse)(MloptParser);
} windowFields[] = {
    {"stride", "window_strides", NULL},
    {"pad", "padding", parsePadding},
    {"lhs_dilate", "lhs_dilation", NULL},
    {"rhs_dilate", "rhs_dilation", NULL},
    {"reverse", "window_reversal", parseReversal},
};

bool mloptForeignReadWindow(const MloptOpDef *def, MloptParser p,
                            MloptAssemblyState *state) {
  (void)def, (void)state;
  MlirStringRef name;
  const char *begin = mloptParserGetPosition(p);
  while (mloptParseOptionalKeyword(p, &name)) {
    int i = 0;
    while (i < MLOPT_COUNT(windowFields) &&
           !mloptStrEq(name, windowFields[i].name))
      ++i;
    if (i == MLOPT_COUNT(windowFields))
      return mloptParserErrorAt(p, begin, "unknown window field '%.*s'",
                                (int)name.length, name.data);
    if (!mlirAttributeIsNull(mloptParserGetAttribute(p, windowFields[i].attr)))
      return mloptParserErrorAt(p, begin, "window field '%s' is repeated",
                                windowFields[i].name);
    if (!mloptParseToken(p, "="))
      return false;
    MlirAttribute value = windowFields[i].parse
                              ? windowFields[i].parse(p)
                              : mloptParseInts(p, false, "[", "]");
    if (mlirAttributeIsNull(value))
      return false;
    mloptParserAddAttribute(p, windowFields[i].attr, value);
    if (!mloptParseOptionalToken(p, ","))
      break;
    begin = mloptParserGetPosition(p);
  }
  return true;
}
