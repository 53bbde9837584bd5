//===- import_elementwise.c - Elementwise operations ----------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most are a change of name: the row says which, by the signedness of the
// original operands. The others say here what mlopt does not: total orders,
// unsigned powers, booleans from floats, and CHLO's implicit broadcasts.
//
//   %0 = stablehlo.divide %a, %b : tensor<4xui8>
// becomes
//   %0 = mlopt.divu %a, %b : tensor<4xi8>
//
//===----------------------------------------------------------------------===//

#include "import.h"

#include <stdio.h>

void mloptImportElementwise(MloptImport *in) {
  in->results[0] = mloptImportBuild(
      in, mloptImportTarget(in, mloptOperandType(in->op, 0)), in->numOperands,
      in->operands, mloptImportResultType(in, 0), 0, NULL);
}

void mloptImportForward(MloptImport *in) {
  for (intptr_t i = 0; i < in->numOperands; ++i)
    in->results[i] = in->operands[i];
}

void mloptImportPower(MloptImport *in) {
  MlirValue x = in->operands[0], y = in->operands[1];
  MlirType type = mlirValueGetType(x);
  if (!mloptIsUnsignedElement(mloptOperandType(in->op, 1))) {
    in->results[0] = mloptImportBinary(in, "mlopt.pow", x, y);
    return;
  }
  // An exponent shifted right by one is never negative: x^y is (x*x)^(y/2),
  // times x when y is odd.
  MlirValue one = mloptImportInt(in, type, 1);
  MlirValue half = mloptImportBinary(in, "mlopt.shru", y, one);
  MlirValue square = mloptImportBinary(in, "mlopt.mul", x, x);
  MlirValue even = mloptImportBinary(in, "mlopt.pow", square, half);
  MlirValue odd =
      mloptImportCompare(in, "ne", mloptImportBinary(in, "mlopt.and", y, one),
                         mloptImportInt(in, type, 0));
  in->results[0] = mloptImportBinary(in, "mlopt.mul", even,
                                     mloptImportSelect(in, odd, x, one));
}

//===----------------------------------------------------------------------===//
// Comparison and choice
//===----------------------------------------------------------------------===//

/// The integers, as signed numbers, that are ordered as the floats' total
/// order is: negative floats with all bits but the sign flipped.
static MlirValue totalOrderKey(MloptImport *in, MlirValue x) {
  MlirType type = mlirValueGetType(x);
  int64_t width = mloptElementWidth(mloptElementType(type));
  MlirType bitsType = mloptWithElementType(
      type, mlirIntegerTypeGet(in->builder->context, (unsigned)width));
  MlirValue bits = mloptImportBitcast(in, x, bitsType);
  MlirValue sign = mloptImportBinary(in, "mlopt.shrs", bits,
                                     mloptImportInt(in, bitsType, width - 1));
  MlirValue flipped = mloptImportBinary(in, "mlopt.shru", sign,
                                        mloptImportInt(in, bitsType, 1));
  return mloptImportBinary(in, "mlopt.xor", bits, flipped);
}

void mloptImportCompareOp(MloptImport *in) {
  MlirValue x = in->operands[0], y = in->operands[1];
  static const char *const predicates[][3] = {
      {"EQ", "eq", "eq"},  {"NE", "ne", "ne"},  {"LT", "lt", "ult"},
      {"LE", "le", "ule"}, {"GT", "gt", "ugt"}, {"GE", "ge", "uge"}};
  int p = 0;
  while (!mloptForeignIsEnum(in->op, "comparison_direction", predicates[p][0]))
    ++p;
  MlirType element = mloptElementType(mloptOperandType(in->op, 0));
  bool isUnsigned = mloptIsUnsignedElement(element);
  if (mloptForeignIsEnum(in->op, "compare_type", "TOTALORDER") &&
      mloptIsFloatElement(element)) {
    x = totalOrderKey(in, x);
    y = totalOrderKey(in, y);
  }
  in->results[0] = mloptImportCompare(in, predicates[p][1 + isUnsigned], x, y);
}

void mloptImportSelectOp(MloptImport *in) {
  in->results[0] =
      mloptImportSelect(in, in->operands[0], in->operands[1], in->operands[2]);
}

/// An operand of rank 0 (in a function) as a tensor like `type`.
static MlirValue spread(MloptImport *in, MlirValue x, MlirType type) {
  return mlirTypeEqual(mlirValueGetType(x), type)
             ? x
             : mloptImportBroadcast(in, x, NULL, type);
}

void mloptImportClamp(MloptImport *in) {
  MlirType type = mloptImportResultType(in, 0);
  MlirValue low = spread(in, in->operands[0], type), x = in->operands[1],
            high = spread(in, in->operands[2], type);
  MlirType original = mloptOperandType(in->op, 1);
  if (mloptIsUnsignedElement(original)) {
    x = mloptImportBinary(in, "mlopt.maxu", low, x);
    in->results[0] = mloptImportBinary(in, "mlopt.minu", x, high);
    return;
  }
  MlirValue operands[] = {low, x, high};
  in->results[0] =
      mloptImportBuild(in, "mlopt.clamp", 3, operands, type, 0, NULL);
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

void mloptImportConvertOp(MloptImport *in) {
  MlirValue x = in->operands[0];
  MlirType from = mloptElementType(mloptOperandType(in->op, 0));
  MlirType to = mloptElementType(mloptResultType(in->op, 0));
  MlirType result = mloptImportResultType(in, 0);
  if (mloptIsI1(to) && mloptIsFloatElement(from)) {
    MlirValue zero = mloptImportFloat(in, mlirValueGetType(x), 0.0);
    in->results[0] = mloptImportCompare(in, "ne", x, zero);
    return;
  }
  // The sign that matters is the source's, unless the source is a float.
  bool isUnsigned =
      mloptIsUnsignedElement(mloptIsFloatElement(from) ? to : from);
  in->results[0] =
      mlirTypeEqual(mlirValueGetType(x), result)
          ? x
          : mloptBuildUnary(in->builder,
                            isUnsigned ? "mlopt.convertu" : "mlopt.convert", x,
                            result);
}

void mloptImportBitcastConvert(MloptImport *in) {
  in->results[0] =
      mloptImportBitcast(in, in->operands[0], mloptImportResultType(in, 0));
}

void mloptImportReducePrecision(MloptImport *in) {
  MlirContext context = in->builder->context;
  MlirNamedAttribute attrs[] = {
      mloptNamedAttr(context, "exponent_bits",
                     mloptI64Attr(context, mloptForeignGetInt(
                                               in->op, "exponent_bits", 8))),
      mloptNamedAttr(context, "mantissa_bits",
                     mloptI64Attr(context, mloptForeignGetInt(
                                               in->op, "mantissa_bits", 23)))};
  in->results[0] =
      mloptImportBuild(in, "mlopt.reduce_precision", 1, in->operands,
                       mloptImportResultType(in, 0), 2, attrs);
}

//===----------------------------------------------------------------------===//
// CHLO's implicit broadcasts
//===----------------------------------------------------------------------===//

/// Operand i with the shape of the result: its dimensions are the last ones,
/// or, for the operand of lower rank, those of `broadcast_dimensions`.
static MlirValue broadcastOperand(MloptImport *in, intptr_t i) {
  MlirType type = mlirValueGetType(in->operands[i]);
  MlirType shape = mloptImportResultType(in, 0);
  intptr_t rank = mloptRank(type), shift = mloptRank(shape) - rank;
  MloptDims dims;
  if (!shift ||
      !mloptForeignGetInts(in->op, "broadcast_dimensions", rank, 0, &dims))
    for (intptr_t d = 0; d < rank; ++d)
      dims.at[d] = d + shift;
  return mloptImportBroadcast(
      in, in->operands[i], dims.at,
      mloptWithElementType(shape, mloptElementType(type)));
}

/// The rewrite of the operation without broadcasts, on broadcast operands.
static void broadcast(MloptImport *in, void (*rewrite)(MloptImport *)) {
  MlirValue operands[3];
  MloptImport same = *in;
  same.operands = operands;
  for (intptr_t i = 0; i < in->numOperands; ++i)
    operands[i] = broadcastOperand(in, i);
  if (!in->builder->failed)
    rewrite(&same);
}

void mloptImportBroadcasting(MloptImport *in) {
  broadcast(in, mloptImportElementwise);
}
void mloptImportBroadcastCompare(MloptImport *in) {
  broadcast(in, mloptImportCompareOp);
}
void mloptImportBroadcastNextAfter(MloptImport *in) {
  broadcast(in, mloptImportNextAfter);
}
void mloptImportBroadcastPower(MloptImport *in) {
  broadcast(in, mloptImportPower);
}
