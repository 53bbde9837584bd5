//===- hide_constants.c - What special function units compute -------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas computes the approximate functions of constants itself, with other last
// bits than the units of the GPU, and an argument that is constant in one
// kernel is read from memory in another, of operations kept apart. So that both
// give the same, ptxas may not see such arguments:
//
//   %y = call float @llvm.nvvm.ex2.approx.ftz.f32(float 7.500000e-01)
// becomes
//   %zero = call i32 asm ...                          ; of the function's entry
//   %x = xor i32 <bits of 7.500000e-01>, %zero
//   %y = call float @llvm.nvvm.ex2.approx.ftz.f32(float %x)  ; after a bitcast
//
// It runs behind LLVM's optimiser, which leaves these functions alone, however
// constant what they are asked for.
//
//===----------------------------------------------------------------------===//

#include "serialize_ptx.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include <string.h>

// A grid has less than 2^16 blocks along z, which ptxas does not make use of;
// LLVM, which does, cannot read this.
static const char zeroText[] = "{ .reg .b32 n; mov.u32 n, %nctaid.z; "
                               "shr.u32 $0, n, 31; }";

/// The name of the intrinsic that a value calls; "" if it is no such call.
static const char *calledIntrinsic(LLVMValueRef value) {
  LLVMValueRef callee =
      LLVMIsACallInst(value) ? LLVMGetCalledValue(value) : NULL;
  if (!callee || !LLVMIsAFunction(callee) || !LLVMGetIntrinsicID(callee))
    return "";
  size_t length;
  return LLVMGetValueName2(callee, &length);
}

/// Whether a call is of a unit, and its bits those of the result. A quotient
/// that is rounded once is what it is whatever reciprocal it starts from, and
/// of others only a bound is promised; the reciprocals of other functions are
/// of what another unit gives.
static bool isUnit(LLVMValueRef call) {
  const char *name = calledIntrinsic(call);
  bool isApproximate =
      !strncmp(name, "llvm.nvvm.", 10) && strstr(name, ".approx.");
  return !strncmp(name, "llvm.tanh.", 10) ||
         (isApproximate && !strstr(name, ".rcp.") && !strstr(name, ".div."));
}

/// The values on the way from an argument to what it depends on.
typedef struct Path {
  LLVMValueRef values[64];
  int count;
} Path;

static bool isOnPath(const Path *path, LLVMValueRef value) {
  for (int i = 0; i < path->count; ++i)
    if (path->values[i] == value)
      return true;
  return false;
}

/// Whether a value depends on constants alone, and on which branches are taken:
/// in a loop of few rounds, ptxas knows it in each. What is too deep to be seen
/// through here does not.
static bool isKnown(LLVMValueRef value, Path *path) {
  if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind)
    return false;
  if (LLVMIsConstant(value) || isOnPath(path, value))
    return true;
  if (!LLVMIsAInstruction(value) || LLVMIsALoadInst(value) ||
      LLVMIsAAtomicRMWInst(value) || LLVMIsAAtomicCmpXchgInst(value) ||
      path->count == (int)(sizeof path->values / sizeof *path->values))
    return false;
  int first = LLVMIsASelectInst(value) ? 1 : 0;
  int end = LLVMGetNumOperands(value);
  if (LLVMIsACallInst(value)) {
    end = (int)LLVMGetNumArgOperands(value);
    if (!*calledIntrinsic(value) || end == 0)
      return false;
  }
  path->values[path->count++] = value;
  for (int i = first; i < end; ++i)
    if (!isKnown(LLVMGetOperand(value, (unsigned)i), path))
      return false;
  return true;
}

/// An i32 that is 0 at the start of a function.
static LLVMValueRef buildZero(LLVMBuilderRef builder, LLVMValueRef function) {
  LLVMContextRef context = LLVMGetValueContext(function);
  LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
  LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(entry));
  LLVMTypeRef type =
      LLVMFunctionType(LLVMInt32TypeInContext(context), NULL, 0, false);
  LLVMValueRef text =
      LLVMGetInlineAsm(type, zeroText, strlen(zeroText), "=r", 2, false, false,
                       LLVMInlineAsmDialectATT, false);
  LLVMValueRef zero = LLVMBuildCall2(builder, type, text, NULL, 0, "zero");
  unsigned memory = LLVMGetEnumAttributeKindForName("memory", 6);
  LLVMAddCallSiteAttribute(zero, LLVMAttributeFunctionIndex,
                           LLVMCreateEnumAttribute(context, memory, 0));
  return zero;
}

static void hideArgument(LLVMBuilderRef builder, LLVMValueRef call,
                         LLVMValueRef zero) {
  LLVMValueRef argument = LLVMGetOperand(call, 0);
  LLVMTypeRef type = LLVMTypeOf(argument);
  LLVMModuleRef module = LLVMGetGlobalParent(
      LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)));
  unsigned width =
      (unsigned)LLVMSizeOfTypeInBits(LLVMGetModuleDataLayout(module), type);
  LLVMTypeRef integer =
      LLVMIntTypeInContext(LLVMGetModuleContext(module), width);
  LLVMPositionBuilderBefore(builder, call);
  LLVMValueRef bits = LLVMBuildBitCast(builder, argument, integer, "");
  LLVMValueRef none = LLVMBuildIntCast2(builder, zero, integer, false, "");
  LLVMValueRef hidden = LLVMBuildXor(builder, bits, none, "");
  LLVMSetOperand(call, 0, LLVMBuildBitCast(builder, hidden, type, ""));
}

static bool hideInFunction(LLVMBuilderRef builder, LLVMValueRef function) {
  LLVMValueRef zero = NULL;
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
       block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef op = LLVMGetFirstInstruction(block); op;
         op = LLVMGetNextInstruction(op)) {
      Path path = {.count = 0};
      if (!isUnit(op) || !isKnown(LLVMGetOperand(op, 0), &path))
        continue;
      zero = zero ? zero : buildZero(builder, function);
      hideArgument(builder, op, zero);
    }
  return zero;
}

bool mloptHideConstants(LLVMModuleRef module) {
  LLVMBuilderRef builder =
      LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  bool hidAny = false;
  for (LLVMValueRef function = LLVMGetFirstFunction(module); function;
       function = LLVMGetNextFunction(function))
    hidAny |= hideInFunction(builder, function);
  LLVMDisposeBuilder(builder);
  return hidAny;
}
