//===- Support.cpp - Diagnostics, remarks and small gaps in mlir-c
//---------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BridgeImpl.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"

#include <cstdarg>

using namespace mlir;

std::string mlopt::formatMessage(const char *format, va_list args) {
  char buffer[4096];
  vsnprintf(buffer, sizeof buffer, format, args);
  return buffer;
}

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

void mloptEmit(MlirLocation loc, MlirDiagnosticSeverity severity,
               const char *message, intptr_t numNotes, const MloptNote *notes) {
  static const DiagnosticSeverity severities[] = {
      DiagnosticSeverity::Error, DiagnosticSeverity::Warning,
      DiagnosticSeverity::Note, DiagnosticSeverity::Remark};
  Location location = unwrap(loc);
  InFlightDiagnostic d = location->getContext()->getDiagEngine().emit(
      location, severities[severity]);
  d << message;
  for (intptr_t i = 0; i < numNotes; ++i)
    d.attachNote(unwrap(notes[i].location)) << notes[i].message;
}

MlirLogicalResult mloptOpError(MlirOperation op, const char *format, ...) {
  va_list args;
  va_start(args, format);
  std::string message = mlopt::formatMessage(format, args);
  va_end(args);
  return wrap(LogicalResult(unwrap(op)->emitOpError(message)));
}

MlirLogicalResult mloptErrorAt(MlirLocation loc, const char *format, ...) {
  va_list args;
  va_start(args, format);
  std::string message = mlopt::formatMessage(format, args);
  va_end(args);
  if (loc.ptr)
    emitError(unwrap(loc)) << message;
  return mlirLogicalResultFailure();
}

bool mlirEmitOptimizationRemark(MlirLocation loc, MlirRemarkKind kind,
                                MlirStringRef remarkName,
                                MlirStringRef category,
                                MlirStringRef subCategory,
                                MlirStringRef function, MlirStringRef message,
                                intptr_t numArgs, const MlirStringRef *keys,
                                const MlirStringRef *values) {
  using Engine = remark::detail::RemarkEngine;
  Engine *engine = unwrap(loc)->getContext()->getRemarkEngine();
  if (!engine)
    return false;
  remark::RemarkOpts opts = remark::RemarkOpts::name(unwrap(remarkName))
                                .category(unwrap(category))
                                .subCategory(unwrap(subCategory))
                                .function(unwrap(function));
  auto emit = [&](auto method) {
    remark::detail::InFlightRemark r = (engine->*method)(unwrap(loc), opts);
    if (!r)
      return false;
    if (message.length)
      r << unwrap(message);
    for (intptr_t i = 0; i < numArgs; ++i)
      r << remark::detail::Remark::Arg(unwrap(keys[i]), unwrap(values[i]));
    return true;
  };
  switch (kind) {
  case MlirRemarkKindPassed:
    return emit(&Engine::emitOptimizationRemark);
  case MlirRemarkKindMissed:
    return emit(&Engine::emitOptimizationRemarkMiss);
  case MlirRemarkKindFailure:
    return emit(&Engine::emitOptimizationRemarkFailure);
  case MlirRemarkKindAnalysis:
    return emit(&Engine::emitOptimizationRemarkAnalysis);
  case MlirRemarkKindUnknown:
    break;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Small gaps
//===----------------------------------------------------------------------===//

MlirOperation mloptCloneWithMapping(MlirOperation op, intptr_t numValues,
                                    const MlirValue *from,
                                    const MlirValue *to) {
  IRMapping mapping;
  for (intptr_t i = 0; i < numValues; ++i)
    mapping.map(unwrap(from[i]), unwrap(to[i]));
  return wrap(unwrap(op)->clone(mapping));
}

void mloptFuncSetType(MlirOperation op, MlirType functionType) {
  auto func = cast<func::FuncOp>(unwrap(op));
  auto type = cast<FunctionType>(unwrap(functionType));
  MLIRContext *ctx = func.getContext();
  auto resized = [&](auto get, unsigned n) {
    SmallVector<DictionaryAttr> dicts;
    for (unsigned i = 0; i < n; ++i)
      dicts.push_back(get(i) ? get(i) : DictionaryAttr::get(ctx));
    return dicts;
  };
  unsigned oldArgs = func.getNumArguments(), oldResults = func.getNumResults();
  auto args = resized(
      [&](unsigned i) {
        return i < oldArgs ? func.getArgAttrDict(i) : DictionaryAttr();
      },
      type.getNumInputs());
  auto results = resized(
      [&](unsigned i) {
        return i < oldResults ? func.getResultAttrDict(i) : DictionaryAttr();
      },
      type.getNumResults());
  func.setFunctionType(type);
  func.setAllArgAttrs(args);
  func.setAllResultAttrs(results);
}

void mloptRegisterLLVMTranslations(MlirDialectRegistry handle) {
  DialectRegistry &registry = *unwrap(handle);
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}
