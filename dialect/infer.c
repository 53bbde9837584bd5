//===- infer.c - Checks that inference and verifiers share ----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "infer.h"

#include <stdarg.h>
#include <stdio.h>

static bool checkOperands(const MloptSubject *s, const MloptInferArgs *args) {
  const MloptOpDef *def = s->def;
  intptr_t n = def->numOperands;
  bool variadic = n && def->operands[n - 1].variadic;
  intptr_t least = variadic ? n - 1 : n;
  if (args->numOperands < least || (!variadic && args->numOperands > n))
    return mloptReject(s,
                       "expected %" PRIdPTR "%s operands, but found %" PRIdPTR,
                       least, variadic ? " or more" : "", args->numOperands);
  for (intptr_t i = 0; i < args->numOperands; ++i) {
    const MloptValueSpec *spec = &def->operands[i < n ? i : n - 1];
    if (spec->is && !spec->is(args->operandTypes[i]))
      return mloptReject(s, "operand #%" PRIdPTR " must be %s", i, spec->what);
  }
  return true;
}

bool mloptInferSubject(const MloptOpDef *def, const MloptInferArgs *args,
                       MloptSubject *out) {
  *out = (MloptSubject){
      .def = def, .location = args->location, .attributes = args->attributes};
  if (!checkOperands(out, args))
    return false;
  for (int i = 0; i < def->numAttrs; ++i) {
    const MloptAttrSpec *spec = &def->attrs[i];
    MlirAttribute attr = mloptDictGet(args->attributes, spec->name);
    if (mlirAttributeIsNull(attr)) {
      if (!spec->optional && !spec->byDefault)
        return mloptReject(out, "requires attribute '%s'", spec->name);
    } else if (!spec->is(attr)) {
      return mloptReject(out, "attribute '%s' must be %s", spec->name,
                         spec->what);
    }
  }
  return true;
}

MloptSubject mloptOpSubject(MlirOperation op) {
  return (MloptSubject){.def = mloptGetOpDef(op),
                        .location = mlirOperationGetLocation(op),
                        .op = op};
}

MlirAttribute mloptSubjectAttr(const MloptSubject *s, const char *name) {
  return mlirOperationIsNull(s->op) ? mloptDictGet(s->attributes, name)
                                    : mloptAttr(s->op, name);
}

bool mloptReject(const MloptSubject *s, const char *format, ...) {
  char message[512];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  if (mlirOperationIsNull(s->op))
    (void)mloptErrorAt(s->location, "'%s' op %s", s->def->name, message);
  else
    (void)mloptOpError(s->op, "%s", message);
  return false;
}

MloptInts mloptGetInts(MlirOperation op, const char *name) {
  MloptInts ints;
  ints.count = mloptI64ArrayGet(mloptAttr(op, name), ints.at);
  return ints;
}

int64_t mloptGetInt(MlirOperation op, const char *name) {
  return mlirIntegerAttrGetValueInt(mloptAttr(op, name));
}

bool mloptHasInt(const MloptInts *ints, int64_t value) {
  for (intptr_t i = 0; i < ints->count; ++i)
    if (ints->at[i] == value)
      return true;
  return false;
}

bool mloptReadInts(const MloptSubject *s, const char *name, intptr_t count,
                   int64_t least, MloptInts *out) {
  out->count = mloptI64ArrayGet(mloptSubjectAttr(s, name), out->at);
  if (out->count != count)
    return mloptReject(s, "'%s' needs %" PRIdPTR " entries, but has %" PRIdPTR,
                       name, count, out->count);
  for (intptr_t i = 0; i < count; ++i)
    if (out->at[i] < least)
      return mloptReject(s,
                         "'%s' entry %" PRIdPTR " must be at least %" PRId64
                         ", but is %" PRId64,
                         name, i, least, out->at[i]);
  return true;
}

bool mloptReadDims(const MloptSubject *s, const char *name, intptr_t rank,
                   MloptInts *out) {
  out->count = mloptI64ArrayGet(mloptSubjectAttr(s, name), out->at);
  if (out->count > rank)
    return mloptReject(s,
                       "'%s' has %" PRIdPTR " entries, more than the %" PRIdPTR
                       " dimensions",
                       name, out->count, rank);
  for (intptr_t i = 0; i < out->count; ++i) {
    if (out->at[i] < 0 || out->at[i] >= rank)
      return mloptReject(s,
                         "'%s' names dimension %" PRId64
                         ", which is not in [0, %" PRIdPTR ")",
                         name, out->at[i], rank);
    for (intptr_t j = 0; j < i; ++j)
      if (out->at[j] == out->at[i])
        return mloptReject(s, "'%s' names dimension %" PRId64 " twice", name,
                           out->at[i]);
  }
  return true;
}

bool mloptReadSortedDims(const MloptSubject *s, const char *name, intptr_t rank,
                         MloptInts *out) {
  if (!mloptReadDims(s, name, rank, out))
    return false;
  for (intptr_t i = 1; i < out->count; ++i)
    if (out->at[i] < out->at[i - 1])
      return mloptReject(s,
                         "'%s' must rise, but has %" PRId64 " after %" PRId64,
                         name, out->at[i], out->at[i - 1]);
  return true;
}

bool mloptReadDim(const MloptSubject *s, const char *name, intptr_t rank,
                  int64_t *out) {
  *out = mlirIntegerAttrGetValueInt(mloptSubjectAttr(s, name));
  if (*out < 0 || *out >= rank)
    return mloptReject(
        s, "'%s' is dimension %" PRId64 ", which is not in [0, %" PRIdPTR ")",
        name, *out, rank);
  return true;
}

bool mloptCheckDisjoint(const MloptSubject *s, const char *nameA,
                        const MloptInts *a, const char *nameB,
                        const MloptInts *b) {
  for (intptr_t i = 0; i < a->count; ++i)
    if (mloptHasInt(b, a->at[i]))
      return mloptReject(s, "dimension %" PRId64 " is in both '%s' and '%s'",
                         a->at[i], nameA, nameB);
  return true;
}

bool mloptIsRank0Tensor(MlirType t) {
  return mloptIsTensor(t) && mloptRank(t) == 0;
}

bool mloptIsRank0IntTensor(MlirType t) {
  return mloptIsRank0Tensor(t) && mloptIsIntElement(mloptElementType(t));
}

bool mloptIsUnit(MlirAttribute a) { return mlirAttributeIsAUnit(a); }

bool mloptShapesAgree(MlirType a, MlirType b) {
  if (mloptRank(a) != mloptRank(b))
    return false;
  for (intptr_t i = 0, rank = mloptRank(a); i < rank; ++i)
    if (!mloptSizesAgree(mloptDim(a, i), mloptDim(b, i)))
      return false;
  return true;
}

/// (size - 1) * dilation + 1, or 0 for an empty dimension; false on overflow.
static bool dilate(int64_t size, int64_t dilation, int64_t *out) {
  if (size == 0)
    return *out = 0, true;
  return !__builtin_mul_overflow(size - 1, dilation, out) &&
         !__builtin_add_overflow(*out, 1, out);
}

bool mloptCountWindows(const MloptSubject *s, intptr_t dim, int64_t size,
                       MloptWindow w, int64_t *out) {
  if (mloptIsDynamic(size) || mloptIsDynamic(w.size))
    return *out = mlirShapedTypeGetDynamicSize(), true;
  int64_t base, window;
  if (!dilate(size, w.baseDilation, &base) ||
      __builtin_add_overflow(base, w.low, &base) ||
      __builtin_add_overflow(base, w.high, &base) ||
      !dilate(w.size, w.windowDilation, &window))
    return mloptReject(
        s, "the padded size of dimension %" PRIdPTR " does not fit in 64 bits",
        dim);
  *out = base < window ? 0 : (base - window) / w.stride + 1;
  return true;
}
