//===- number.h - Exact arithmetic on single elements -------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the elementwise operations compute on one element, for folding and for
// hosts that read or write element data. No MLIR in here.
//
// An element is its bits at the low end of a uint64_t, the rest zero. Every
// function expects and returns that form. Floats narrower than f32 are computed
// in f32 and rounded to nearest even, once; f64 is computed in f64. Conversions
// round straight from the exact source value. f8E4M3FN has no infinity: what
// would round beyond 448 becomes its NaN.
//
// Which NaN an operation gives is not specified, only that it is one. Here it
// is the canonical one: positive, quiet, no payload; neg and abs change the
// sign bit of any value.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_DIALECT_NUMBER_H
#define MLOPT_DIALECT_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

typedef enum MloptElement {
  MLOPT_NO_ELEMENT, ///< not an element type of the dialect
  MLOPT_F64,
  MLOPT_F32,
  MLOPT_F16,
  MLOPT_BF16,
  MLOPT_F8E4M3FN,
  MLOPT_F8E5M2,
  MLOPT_I1,
  MLOPT_I4,
  MLOPT_I8,
  MLOPT_I16,
  MLOPT_I32,
  MLOPT_I64,
  MLOPT_INDEX, ///< computed in 64 bits
} MloptElement;

bool mloptNumberIsFloat(MloptElement);
/// Width in bits.
unsigned mloptNumberWidth(MloptElement);
/// All ones in the width.
uint64_t mloptNumberMask(MloptElement);

/// A float's value, exactly.
double mloptNumberAsDouble(MloptElement, uint64_t bits);
/// The float nearest to a value.
uint64_t mloptNumberFromDouble(MloptElement, double);
/// An integer's value, sign-extended; i1 is 0 or 1.
int64_t mloptNumberToInt(MloptElement, uint64_t bits);
/// The canonical NaN of a float.
uint64_t mloptNumberNaN(MloptElement);
bool mloptNumberIsNaN(MloptElement, uint64_t bits);
/// The value one, of either kind.
uint64_t mloptNumberOne(MloptElement);

/// `mlopt.convert`; with `isUnsigned`, `mlopt.convertu`.
uint64_t mloptNumberConvert(MloptElement from, MloptElement to, bool isUnsigned,
                            uint64_t bits);

/// The comparisons of `mlopt.compare`; the U ones are for integers.
typedef enum MloptPredicate {
  MLOPT_EQ,
  MLOPT_NE,
  MLOPT_LT,
  MLOPT_LE,
  MLOPT_GT,
  MLOPT_GE,
  MLOPT_ULT,
  MLOPT_ULE,
  MLOPT_UGT,
  MLOPT_UGE,
} MloptPredicate;
enum { MLOPT_NUM_PREDICATES = MLOPT_UGE + 1 };
/// "lt"; the spelling of the attribute `predicate`.
extern const char *const mloptPredicateNames[MLOPT_NUM_PREDICATES];
bool mloptNumberCompare(MloptElement, MloptPredicate, uint64_t a, uint64_t b);

/// An operation on one element.
typedef uint64_t (*MloptUnaryFn)(MloptElement, uint64_t);
typedef uint64_t (*MloptBinaryFn)(MloptElement, uint64_t, uint64_t);

// Each is defined for the element types that its operation accepts.
uint64_t mloptNumberAbs(MloptElement, uint64_t);
uint64_t mloptNumberNeg(MloptElement, uint64_t);
uint64_t mloptNumberSign(MloptElement, uint64_t);
uint64_t mloptNumberCeil(MloptElement, uint64_t);
uint64_t mloptNumberFloor(MloptElement, uint64_t);
uint64_t mloptNumberRound(MloptElement, uint64_t);
uint64_t mloptNumberRoundeven(MloptElement, uint64_t);
uint64_t mloptNumberSqrt(MloptElement, uint64_t);
uint64_t mloptNumberIsfinite(MloptElement, uint64_t); ///< to i1
uint64_t mloptNumberNot(MloptElement, uint64_t);
uint64_t mloptNumberCtpop(MloptElement, uint64_t);
uint64_t mloptNumberCtlz(MloptElement, uint64_t);

uint64_t mloptNumberAdd(MloptElement, uint64_t, uint64_t);
uint64_t mloptNumberSub(MloptElement, uint64_t, uint64_t);
uint64_t mloptNumberMul(MloptElement, uint64_t, uint64_t);
uint64_t mloptNumberDiv(MloptElement, uint64_t, uint64_t);
uint64_t mloptNumberDivu(MloptElement, uint64_t, uint64_t);
uint64_t mloptNumberRem(MloptElement, uint64_t, uint64_t);
uint64_t mloptNumberRemu(MloptElement, uint64_t, uint64_t);
uint64_t mloptNumberPow(MloptElement, uint64_t, uint64_t); ///< integers only
uint64_t mloptNumberMax(MloptElement, uint64_t, uint64_t);
uint64_t mloptNumberMaxu(MloptElement, uint64_t, uint64_t);
uint64_t mloptNumberMin(MloptElement, uint64_t, uint64_t);
uint64_t mloptNumberMinu(MloptElement, uint64_t, uint64_t);
uint64_t mloptNumberAnd(MloptElement, uint64_t, uint64_t);
uint64_t mloptNumberOr(MloptElement, uint64_t, uint64_t);
uint64_t mloptNumberXor(MloptElement, uint64_t, uint64_t);
uint64_t mloptNumberShl(MloptElement, uint64_t, uint64_t);
uint64_t mloptNumberShrs(MloptElement, uint64_t, uint64_t);
uint64_t mloptNumberShru(MloptElement, uint64_t, uint64_t);

/// `mlopt.reduce_precision` of a float.
uint64_t mloptNumberReducePrecision(MloptElement, unsigned exponentBits,
                                    unsigned mantissaBits, uint64_t bits);
/// Whether it changes no value of the type.
bool mloptNumberKeepsPrecision(MloptElement, unsigned exponentBits,
                               unsigned mantissaBits);

#endif // MLOPT_DIALECT_NUMBER_H
