//===- check_ptx.c - What has no PTX --------------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's code generator has no way to refuse an operation: "Cannot select" and
// "no libcall available" end the process. So the intrinsics that it has PTX for
// are listed, as found by compiling each for each type, and no others pass.
//
//===----------------------------------------------------------------------===//

#include "serialize_ptx.h"

/// Types, as a set.
enum {
  F16 = 1 << 0,
  BF16 = 1 << 1,
  F32 = 1 << 2,
  F64 = 1 << 3,
  INTS = 1 << 4, ///< of 1, 4, 8, ... and 128 bits
  OTHER = 1 << 5,
  FLOATS = F16 | BF16 | F32 | F64,
  NO_F64 = F16 | BF16 | F32,
  ANY = FLOATS | INTS | OTHER,
};

/// The intrinsics of the llvm dialect that the backend has code for.
static const struct {
  const char *name; ///< after "llvm.intr."
  unsigned types;   ///< of the first operand
  bool approximate; ///< only with the fast-math flag afn
} intrinsics[] = {
    {"abs", INTS, false},           {"assume", ANY, false},
    {"bitreverse", INTS, false},    {"ceil", FLOATS, false},
    {"copysign", FLOATS, false},    {"cos", NO_F64, true},
    {"ctlz", INTS, false},          {"ctpop", INTS, false},
    {"cttz", INTS, false},          {"exp2", NO_F64, false},
    {"fabs", FLOATS, false},        {"floor", FLOATS, false},
    {"fma", FLOATS, false},         {"fmuladd", FLOATS, false},
    {"fptosi.sat", FLOATS, false},  {"fptoui.sat", FLOATS, false},
    {"fshl", INTS, false},          {"fshr", INTS, false},
    {"is.fpclass", FLOATS, false},  {"lifetime.end", ANY, false},
    {"lifetime.start", ANY, false}, {"maximum", FLOATS, false},
    {"maxnum", FLOATS, false},      {"memcpy", ANY, false},
    {"memset", ANY, false},         {"minimum", FLOATS, false},
    {"minnum", FLOATS, false},      {"nearbyint", FLOATS, false},
    {"rint", FLOATS, false},        {"round", FLOATS, false},
    {"roundeven", FLOATS, false},   {"sadd.sat", INTS, false},
    {"sin", NO_F64, true},          {"smax", INTS, false},
    {"smin", INTS, false},          {"smul.with.overflow", INTS, false},
    {"sqrt", FLOATS, false},        {"ssub.sat", INTS, false},
    {"tanh", NO_F64, true},         {"trunc", FLOATS, false},
    {"uadd.sat", INTS, false},      {"umax", INTS, false},
    {"umin", INTS, false},          {"umul.with.overflow", INTS, false},
    {"usub.sat", INTS, false},
};

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The set that holds a scalar type or a vector's elements; 0 for a type that
/// the backend has no registers for.
static unsigned setOf(MlirType type) {
  MlirType t = mloptElementType(type);
  if (mlirTypeIsAF16(t))
    return F16;
  if (mlirTypeIsABF16(t))
    return BF16;
  if (mlirTypeIsAF32(t))
    return F32;
  if (mlirTypeIsAF64(t))
    return F64;
  if (mlirTypeIsAFloat(t))
    return 0;
  if (!mlirTypeIsAInteger(t))
    return OTHER;
  unsigned width = mlirIntegerTypeGetWidth(t);
  bool isPower = width && !(width & (width - 1));
  return isPower && width <= 128 && width != 2 ? INTS : 0;
}

typedef struct TypeText {
  char text[64];
} TypeText;

static void appendText(MlirStringRef part, void *userData) {
  TypeText *out = userData;
  size_t room = sizeof out->text - 1 - strlen(out->text);
  strncat(out->text, part.data, part.length < room ? part.length : room);
}

static bool refuseType(MlirOperation op, MlirType type, const char *why) {
  TypeText text = {""};
  mlirTypePrint(type, appendText, &text);
  mloptOpError(op, "cannot become PTX: %s '%s'", why, text.text);
  return false;
}

static bool checkTypes(MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (!setOf(mloptOperandType(op, i)))
      return refuseType(op, mloptOperandType(op, i), "it takes type");
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i)
    if (!setOf(mloptResultType(op, i)))
      return refuseType(op, mloptResultType(op, i), "it gives type");
  return true;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// mlir-c cannot take the flags apart; they print as "#llvm.fastmath<afn>".
static bool isApproximate(MlirOperation op) {
  MlirAttribute flags = mloptAttr(op, "fastmathFlags");
  TypeText text = {""};
  if (!mlirAttributeIsNull(flags))
    mlirAttributePrint(flags, appendText, &text);
  return strstr(text.text, "afn") || strstr(text.text, "<fast>");
}

static bool isI128(MlirType type) {
  return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 128;
}

/// Between floats and integers of 128 bits.
static bool checkConversion(MlirOperation op) {
  MlirType from = mloptOperandType(op, 0), to = mloptResultType(op, 0);
  bool crosses = mlirTypeIsAFloat(mloptElementType(from)) !=
                 mlirTypeIsAFloat(mloptElementType(to));
  bool isWide = isI128(mloptElementType(from)) || isI128(mloptElementType(to));
  return !crosses || !isWide ||
         refuseType(op, isI128(mloptElementType(to)) ? to : from,
                    "LLVM has no code for it there on type");
}

static bool checkIntrinsic(MlirOperation op, MlirStringRef name) {
  int row = 0;
  while (row < MLOPT_COUNT(intrinsics) &&
         !mloptStrEq(name, intrinsics[row].name))
    ++row;
  if (row == MLOPT_COUNT(intrinsics)) {
    mloptOpError(op, "cannot become PTX: LLVM has no code for it there");
    return false;
  }
  if (mlirOperationGetNumOperands(op) &&
      !(setOf(mloptOperandType(op, 0)) & intrinsics[row].types))
    return refuseType(op, mloptOperandType(op, 0),
                      "LLVM has no code for it there on type");
  if (!intrinsics[row].approximate || isApproximate(op))
    return true;
  mloptOpError(op, "cannot become PTX: LLVM has code for it there only with "
                   "the flag 'afn'");
  return false;
}

/// A function outside the module would stay unresolved.
static bool checkCall(MlirOperation op) {
  MlirAttribute callee = mloptAttr(op, "callee");
  if (mlirAttributeIsNull(callee))
    return true;
  MlirStringRef name = mlirFlatSymbolRefAttrGetValue(callee);
  for (MlirOperation parent = mlirOperationGetParentOperation(op);
       !mlirOperationIsNull(parent);
       parent = mlirOperationGetParentOperation(parent)) {
    if (!mloptIsNamed(parent, "gpu.module"))
      continue;
    MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(parent, 0));
    for (MlirOperation func = mlirBlockGetFirstOperation(body);
         !mlirOperationIsNull(func); func = mlirOperationGetNextInBlock(func))
      if (mloptIsNamed(func, "llvm.func") &&
          mlirStringRefEqual(
              mlirStringAttrGetValue(mloptAttr(func, "sym_name")), name) &&
          !mlirBlockIsNull(
              mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0))))
        return true;
    mloptOpError(op, "cannot become PTX: its module does not define @%.*s",
                 (int)name.length, name.data);
    return false;
  }
  return true;
}

static MlirWalkResult check(MlirOperation op, void *userData) {
  bool *good = userData;
  static const char prefix[] = "llvm.intr.";
  size_t length = sizeof prefix - 1;
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  *good = checkTypes(op);
  if (*good && mlirOperationGetNumOperands(op) == 1 &&
      mlirOperationGetNumResults(op) == 1)
    *good = checkConversion(op);
  if (*good && name.length > length && !strncmp(name.data, prefix, length))
    *good = checkIntrinsic(
        op, (MlirStringRef){name.data + length, name.length - length});
  else if (*good && mloptStrEq(name, "llvm.call"))
    *good = checkCall(op);
  return *good ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

bool mloptCheckForPtx(MlirOperation module) {
  bool good = true;
  mlirOperationWalk(module, check, &good, MlirWalkPreOrder);
  return good;
}
