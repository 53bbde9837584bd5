//===- create.c - Operations that make tensors ----------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// constant and iota, which have no operands.
//
//===----------------------------------------------------------------------===//

#include "dialect.h"
#include "fold.h"
#include "infer.h"

static const MloptValueSpec tensorResult[] = {
    {"result", mloptIsTensor, "a ranked tensor", false}};

//===----------------------------------------------------------------------===//
// constant
//===----------------------------------------------------------------------===//

static bool isConstantValue(MlirAttribute a) {
  if (mlirAttributeIsADenseElements(a) ||
      mlirAttributeIsADenseResourceElements(a))
    return mloptIsTensor(mlirAttributeGetType(a));
  return (mlirAttributeIsAInteger(a) || mlirAttributeIsAFloat(a)) &&
         mloptIsElement(mlirAttributeGetType(a));
}

static intptr_t inferConstant(const MloptOpDef *def, const MloptInferArgs *args,
                              MlirType *results) {
  MloptSubject s;
  if (!mloptInferSubject(def, args, &s))
    return -1;
  results[0] = mlirAttributeGetType(mloptSubjectAttr(&s, "value"));
  return 1;
}

/// The type is the value's, `?` nowhere.
static MlirLogicalResult verifyConstant(MlirOperation op) {
  MlirType type = mloptResultType(op, 0);
  return mlirTypeEqual(type, mlirAttributeGetType(mloptAttr(op, "value")))
             ? mloptSuccess()
             : mloptOpError(op, "needs the type of its value as result type");
}

static MlirLogicalResult foldConstant(MlirOperation op,
                                      const MlirAttribute *constants,
                                      MloptFoldResult *results) {
  (void)constants;
  return mloptFoldToAttr(mloptAttr(op, "value"), results);
}

static const MloptValueSpec constantResult[] = {
    {"result", mloptIsTensorOrScalar, "a ranked tensor or an element", false}};
static const MloptAttrSpec constantAttrs[] = {
    {"value", isConstantValue,
     "dense or dense_resource elements of a ranked tensor, or an element",
     false, NULL}};

const MloptOpDef mloptOp_constant MLOPT_TABLE = {
    .name = "mlopt.constant",
    .traits = MLOPT_PURE | MLOPT_CONSTANT_LIKE,
    .results = constantResult,
    .numResults = 1,
    .attrs = constantAttrs,
    .numAttrs = MLOPT_COUNT(constantAttrs),
    .assembly = "attr-dict $value",
    .summary = "A tensor known at compile time",
    .doc =
        "The result is the attribute `value`: dense elements, elements kept in "
        "a resource blob, or, inside a scalar region, a single element. Bits "
        "are kept as they are, NaN payloads included.",
    .example = "%r = mlopt.constant dense<[1, 2]> : tensor<2xi32>",
    .verify = verifyConstant,
    .fold = foldConstant,
    .inferTypes = inferConstant,
};

//===----------------------------------------------------------------------===//
// iota
//===----------------------------------------------------------------------===//

static MlirLogicalResult verifyIota(MlirOperation op) {
  MloptSubject s = mloptOpSubject(op);
  MlirType type = mloptResultType(op, 0);
  int64_t dim;
  if (mloptIsI1(mloptElementType(type)))
    return mloptOpError(op, "counts in numbers, but its element type is i1");
  return mloptResultOf(mloptReadDim(&s, "dim", mloptRank(type), &dim));
}

/// A dimension of one element counts no further than 0.
static MlirLogicalResult foldIota(MlirOperation op,
                                  const MlirAttribute *constants,
                                  MloptFoldResult *results) {
  (void)constants;
  MlirType type = mloptResultType(op, 0);
  if (mloptDim(type, mloptGetInt(op, "dim")) != 1)
    return mloptFailure();
  return mloptFoldToAttr(mloptSplatAttr(type, 0), results);
}

static const MloptAttrSpec iotaAttrs[] = {
    {"dim", mloptIsI64, "an i64", false, NULL}};

const MloptOpDef mloptOp_iota MLOPT_TABLE = {
    .name = "mlopt.iota",
    .traits = MLOPT_PURE,
    .results = tensorResult,
    .numResults = 1,
    .attrs = iotaAttrs,
    .numAttrs = MLOPT_COUNT(iotaAttrs),
    .assembly = "`dim` int($dim) attr-dict `:` type($result)",
    .summary = "Each element's index along one dimension",
    .doc = "Element (i0, i1, ...) is the index along `dim`, as an i64 that "
           "`convert` brings to the element type: floats round to nearest "
           "even (f8E4M3FN is NaN beyond 448, the others infinite beyond their "
           "range), narrower integers keep the low bits. i1 is refused.",
    .example = "%r = mlopt.iota dim 1 : tensor<2x4xi32>",
    .verify = verifyIota,
    .fold = foldIota,
};
