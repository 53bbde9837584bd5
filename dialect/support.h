//===- support.h - Small helpers over mlir-c ----------------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Short spellings for what every file of the compiler says all the time, and
// the shape and element-type predicates that verifiers and patterns share.
// Nothing here owns anything.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_DIALECT_SUPPORT_H
#define MLOPT_DIALECT_SUPPORT_H

#include "bridge/bridge.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdint.h>
#include <string.h>

/// Number of elements of a C array.
#define MLOPT_COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/// The highest rank that mlopt operations accept; index buffers have this size.
enum { MLOPT_MAX_RANK = 16 };

/// The quotient of two positive numbers, rounded up.
static inline int64_t mloptDivideUp(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

/// The smallest power of two that is at least `n`, as its logarithm.
static inline int64_t mloptLogFrom(int64_t n) {
  int64_t log = 0;
  while (INT64_C(1) << log < n)
    ++log;
  return log;
}

static inline MlirStringRef mloptStr(const char *s) {
  return mlirStringRefCreateFromCString(s);
}
static inline bool mloptStrEq(MlirStringRef a, const char *b) {
  return mlirStringRefEqual(a, mloptStr(b));
}
static inline MlirLogicalResult mloptSuccess(void) {
  return mlirLogicalResultSuccess();
}
static inline MlirLogicalResult mloptFailure(void) {
  return mlirLogicalResultFailure();
}
static inline bool mloptFailed(MlirLogicalResult r) {
  return mlirLogicalResultIsFailure(r);
}

//===----------------------------------------------------------------------===//
// Operations and attributes
//===----------------------------------------------------------------------===//

static inline MlirValue mloptOperand(MlirOperation op, intptr_t i) {
  return mlirOperationGetOperand(op, i);
}
static inline MlirValue mloptResult(MlirOperation op, intptr_t i) {
  return mlirOperationGetResult(op, i);
}
static inline MlirType mloptOperandType(MlirOperation op, intptr_t i) {
  return mlirValueGetType(mlirOperationGetOperand(op, i));
}
static inline MlirType mloptResultType(MlirOperation op, intptr_t i) {
  return mlirValueGetType(mlirOperationGetResult(op, i));
}
/// Whether the operation has this full name ("func.func").
bool mloptIsNamed(MlirOperation, const char *name);
/// Whether the fastmath flags of an operation of arith or math are those of the
/// numerics mode `fast`, or more: it may be approximated.
bool mloptIsApproximate(MlirOperation);
/// The row of a table whose first member is the operation's full name; -1 when
/// there is none.
#define MLOPT_FIND_ROW(op, rows)                                               \
  mloptFindRow(op, rows, MLOPT_COUNT(rows), sizeof *(rows))
intptr_t mloptFindRow(MlirOperation, const void *rows, intptr_t count,
                      size_t size);
/// An attribute of the operation, inherent or discardable; null if absent.
static inline MlirAttribute mloptAttr(MlirOperation op, const char *name) {
  return mlirOperationGetAttributeByName(op, mloptStr(name));
}
static inline bool mloptHasAttr(MlirOperation op, const char *name) {
  return !mlirAttributeIsNull(mloptAttr(op, name));
}
static inline MlirAttribute mloptDictGet(MlirAttribute dict, const char *name) {
  return mlirDictionaryAttrGetElementByName(dict, mloptStr(name));
}
/// Whether a dictionary has no other names than these.
bool mloptDictHasOnly(MlirAttribute dict, int count, const char *const *names);
/// The operation that a value is a result of; null of a block's argument.
static inline MlirOperation mloptDefiningOp(MlirValue value) {
  return mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value)
                                     : (MlirOperation){NULL};
}
/// Whether that is an operation of this full name.
static inline bool mloptIsDefinedBy(MlirValue value, const char *name) {
  MlirOperation op = mloptDefiningOp(value);
  return !mlirOperationIsNull(op) && mloptIsNamed(op, name);
}
/// Whether a value is defined by an operation inside `op`, or is an argument of
/// a block inside.
bool mloptIsDefinedInside(MlirValue, MlirOperation op);
/// Gives an operation, all inside, and the arguments of their blocks another
/// location.
void mloptSetLocations(MlirOperation, MlirLocation);
MlirNamedAttribute mloptNamedAttr(MlirContext, const char *name, MlirAttribute);
/// `array<i64: ...>`.
MlirAttribute mloptI64Array(MlirContext, intptr_t n, const int64_t *values);
MlirAttribute mloptI64Attr(MlirContext, int64_t value);
MlirAttribute mloptStrAttr(MlirContext, const char *value);

/// The elements of an `array<i64>`; at most MLOPT_MAX_RANK are copied. A null
/// attribute reads as empty. Returns how many there are.
intptr_t mloptI64ArrayGet(MlirAttribute, int64_t *out);
bool mloptIsI64Array(MlirAttribute);
bool mloptIsI64(MlirAttribute);
bool mloptIsBool(MlirAttribute);
bool mloptIsString(MlirAttribute);
bool mloptIsTypeAttr(MlirAttribute);
bool mloptIsAnyAttr(MlirAttribute);

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The element type of a shaped type; a scalar type itself.
MlirType mloptElementType(MlirType);
/// A ranked tensor like `shaped` with another element type; for a scalar, the
/// element type itself.
MlirType mloptWithElementType(MlirType shaped, MlirType element);
/// `vector<2x...>`.
MlirType mloptPairType(MlirType element);
MlirType mloptTensorType(intptr_t rank, const int64_t *shape, MlirType element);
static inline int64_t mloptRank(MlirType t) { return mlirShapedTypeGetRank(t); }
static inline int64_t mloptDim(MlirType t, intptr_t i) {
  return mlirShapedTypeGetDimSize(t, i);
}
static inline bool mloptIsDynamic(int64_t size) {
  return size == mlirShapedTypeGetDynamicSize();
}
/// Whether two tensors differ in their element types at most.
bool mloptHaveSameShape(MlirType, MlirType);
/// Copies the shape (MLIR's dynamic marker included); returns the rank.
intptr_t mloptShape(MlirType, int64_t *out);
/// Product of a static shape; INT64_MAX when that is too small.
int64_t mloptNumElements(MlirType);
bool mloptIsRankedTensor(MlirType);
bool mloptIsAnyType(MlirType);

/// Element types of the dialect: f64 f32 f16 bf16 f8E4M3FN f8E5M2, signless
/// i1 i4 i8 i16 i32 i64, index.
bool mloptIsFloatElement(MlirType);
/// bf16 or f16.
static inline bool mloptIsHalf(MlirType t) {
  return mlirTypeIsABF16(t) || mlirTypeIsAF16(t);
}
bool mloptIsIntElement(MlirType); ///< i1 included, index included
bool mloptIsI1(MlirType);
bool mloptIsElement(MlirType);
/// Width in bits as stored: i1 is 1, index 64.
unsigned mloptElementWidth(MlirType);

/// "tensor of floats" and so on accept a ranked tensor (any size `?`) of at
/// most MLOPT_MAX_RANK dimensions; the "OrScalar" ones a bare element too.
bool mloptIsTensor(MlirType);
bool mloptIsIntTensor(MlirType);
bool mloptIsTensorOrScalar(MlirType);
bool mloptIsFloatTensorOrScalar(MlirType);
bool mloptIsIntTensorOrScalar(MlirType);
bool mloptIsI1TensorOrScalar(MlirType);

#endif // MLOPT_DIALECT_SUPPORT_H
