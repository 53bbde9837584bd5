//===- Upstream.cpp - What mlir-c lacks of MLIR -----------------*- C++ -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Diagnostics with notes, remarks, a few setters, the drivers of mlir-opt and
// mlir-lsp-server; and the part of MLIR that mlopt's tools know. mlir-c can
// only register all of MLIR, which would bring code for every processor that
// LLVM knows into a static tool.
//
//===----------------------------------------------------------------------===//

#include "BridgeImpl.h"

#include "mlir/Conversion/ComplexToLLVM/ComplexToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/GPUCommon/GPUToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVM.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Affine/TransformOps/AffineTransformOps.h"
#include "mlir/Dialect/Affine/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferViewFlowOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/TransformOps/BufferizationTransformOps.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/TransformOps/FuncTransformOps.h"
#include "mlir/Dialect/Func/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/GPU/Pipelines/Passes.h"
#include "mlir/Dialect/GPU/TransformOps/GPUTransformOps.h"
#include "mlir/Dialect/GPU/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/InlinerInterfaceImpl.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/TransformOps/DialectExtension.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Transforms/RuntimeOpVerification.h"
#include "mlir/Dialect/Linalg/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Transforms/TilingInterfaceImpl.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRefMemorySlot.h"
#include "mlir/Dialect/MemRef/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/TransformOps/MemRefTransformOps.h"
#include "mlir/Dialect/MemRef/Transforms/AllocationOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/BufferViewFlowOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/RuntimeOpVerification.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/NVGPU/TransformOps/NVGPUTransformOps.h"
#include "mlir/Dialect/NVGPU/Transforms/Passes.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Quant/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/TransformOps/SCFTransformOps.h"
#include "mlir/Dialect/SCF/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Dialect/Shape/IR/Shape.h"
#include "mlir/Dialect/Shape/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Shape/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/TensorTilingInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/TransformOps/TensorTransformOps.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/Transforms/RuntimeOpVerification.h"
#include "mlir/Dialect/Tensor/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/Dialect/Transform/DebugExtension/DebugExtension.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/LoopExtension/LoopExtension.h"
#include "mlir/Dialect/Transform/PDLExtension/PDLExtension.h"
#include "mlir/Dialect/Transform/Transforms/Passes.h"
#include "mlir/Dialect/Transform/TuneExtension/TuneExtension.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/TransformOps/VectorTransformOps.h"
#include "mlir/Dialect/Vector/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/Transforms/Passes.h"
#include "mlir/Dialect/Vector/Transforms/SubsetOpInterfaceImpl.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Target/LLVM/NVVM/Target.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

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

MlirStringRef mloptResourceGetBytes(MlirAttribute attr) {
  auto elements = dyn_cast<DenseResourceElementsAttr>(unwrap(attr));
  AsmResourceBlob *blob = elements ? elements.getRawHandle().getBlob() : nullptr;
  if (!blob)
    return {nullptr, 0};
  ArrayRef<char> data = blob->getData();
  return mlirStringRefCreate(data.data(), data.size());
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

//===----------------------------------------------------------------------===//
// The part of MLIR that the tools know
//===----------------------------------------------------------------------===//

/// How operations behave under passes that are not their dialect's own.
static void registerInterfaceModels(DialectRegistry &r) {
  builtin::registerCastOpInterfaceExternalModels(r);
  func::registerInlinerExtension(r);
  LLVM::registerInlinerInterface(r);
  NVVM::registerInlinerInterface(r);
  NVVM::registerNVVMTargetInterfaceExternalModels(r);
  memref::registerMemorySlotExternalModels(r);
  // Tiling and the bounds of sizes.
  affine::registerValueBoundsOpInterfaceExternalModels(r);
  arith::registerValueBoundsOpInterfaceExternalModels(r);
  gpu::registerValueBoundsOpInterfaceExternalModels(r);
  linalg::registerTilingInterfaceExternalModels(r);
  linalg::registerValueBoundsOpInterfaceExternalModels(r);
  memref::registerValueBoundsOpInterfaceExternalModels(r);
  scf::registerValueBoundsOpInterfaceExternalModels(r);
  tensor::registerInferTypeOpInterfaceExternalModels(r);
  tensor::registerTilingInterfaceExternalModels(r);
  tensor::registerValueBoundsOpInterfaceExternalModels(r);
  vector::registerValueBoundsOpInterfaceExternalModels(r);
  // Bufferization.
  arith::registerBufferDeallocationOpInterfaceExternalModels(r);
  arith::registerBufferViewFlowOpInterfaceExternalModels(r);
  arith::registerBufferizableOpInterfaceExternalModels(r);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(r);
  cf::registerBufferDeallocationOpInterfaceExternalModels(r);
  cf::registerBufferizableOpInterfaceExternalModels(r);
  gpu::registerBufferDeallocationOpInterfaceExternalModels(r);
  linalg::registerBufferizableOpInterfaceExternalModels(r);
  linalg::registerSubsetOpInterfaceExternalModels(r);
  memref::registerAllocationOpInterfaceExternalModels(r);
  memref::registerBufferViewFlowOpInterfaceExternalModels(r);
  scf::registerBufferDeallocationOpInterfaceExternalModels(r);
  scf::registerBufferizableOpInterfaceExternalModels(r);
  shape::registerBufferizableOpInterfaceExternalModels(r);
  tensor::registerBufferizableOpInterfaceExternalModels(r);
  tensor::registerSubsetOpInterfaceExternalModels(r);
  vector::registerBufferizableOpInterfaceExternalModels(r);
  vector::registerSubsetOpInterfaceExternalModels(r);
  // Checks at run time.
  linalg::registerRuntimeVerifiableOpInterfaceExternalModels(r);
  memref::registerRuntimeVerifiableOpInterfaceExternalModels(r);
  tensor::registerRuntimeVerifiableOpInterfaceExternalModels(r);
}

/// What convert-to-llvm and gpu-to-nvvm ask the dialects for.
static void registerLoweringInterfaces(DialectRegistry &r) {
  arith::registerConvertArithToLLVMInterface(r);
  cf::registerConvertControlFlowToLLVMInterface(r);
  gpu::registerConvertGpuToLLVMInterface(r);
  index::registerConvertIndexToLLVMInterface(r);
  registerConvertComplexToLLVMInterface(r);
  registerConvertFuncToLLVMInterface(r);
  registerConvertMathToLLVMInterface(r);
  registerConvertMemRefToLLVMInterface(r);
  registerConvertNVVMToLLVMInterface(r);
  ub::registerConvertUBToLLVMInterface(r);
  vector::registerConvertVectorToLLVMInterface(r);
  NVVM::registerConvertGpuToNVVMInterface(r);
}

/// The operations of transform scripts.
static void registerTransformExtensions(DialectRegistry &r) {
  affine::registerTransformDialectExtension(r);
  bufferization::registerTransformDialectExtension(r);
  func::registerTransformDialectExtension(r);
  gpu::registerTransformDialectExtension(r);
  linalg::registerTransformDialectExtension(r);
  memref::registerTransformDialectExtension(r);
  nvgpu::registerTransformDialectExtension(r);
  scf::registerTransformDialectExtension(r);
  tensor::registerFindPayloadReplacementOpInterfaceExternalModels(r);
  tensor::registerTransformDialectExtension(r);
  transform::registerDebugExtension(r);
  transform::registerLoopExtension(r);
  transform::registerPDLExtension(r);
  transform::registerTuneExtension(r);
  vector::registerTransformDialectExtension(r);
}

void mloptRegisterUpstreamDialects(MlirDialectRegistry handle) {
  DialectRegistry &registry = *unwrap(handle);
  registry.insert<
      affine::AffineDialect, arith::ArithDialect,
      bufferization::BufferizationDialect, cf::ControlFlowDialect,
      complex::ComplexDialect, DLTIDialect, func::FuncDialect, gpu::GPUDialect,
      index::IndexDialect, linalg::LinalgDialect, LLVM::LLVMDialect,
      math::MathDialect, memref::MemRefDialect, ml_program::MLProgramDialect,
      nvgpu::NVGPUDialect, NVVM::NVVMDialect, pdl::PDLDialect,
      pdl_interp::PDLInterpDialect, quant::QuantDialect, scf::SCFDialect,
      shape::ShapeDialect, tensor::TensorDialect, tosa::TosaDialect,
      transform::TransformDialect, ub::UBDialect, vector::VectorDialect>();
  registerInterfaceModels(registry);
  registerLoweringInterfaces(registry);
  registerTransformExtensions(registry);
}

/// Passes from one dialect to another.
static void registerLoweringPasses() {
  registerArithToLLVMConversionPass();
  registerConvertAffineForToGPUPass();
  registerConvertBufferizationToMemRefPass();
  registerConvertComplexToLLVMPass();
  registerConvertComplexToLibmPass();
  registerConvertComplexToStandardPass();
  registerConvertControlFlowToLLVMPass();
  registerConvertFuncToLLVMPass();
  registerConvertGpuOpsToNVVMOpsPass();
  registerConvertIndexToLLVMPass();
  registerConvertLinalgToStandardPass();
  registerConvertMathToFuncsPass();
  registerConvertMathToLLVMPass();
  registerConvertMathToLibmPass();
  registerConvertNVGPUToNVVMPass();
  registerConvertNVVMToLLVMPass();
  registerConvertPDLToPDLInterpPass();
  registerConvertParallelLoopToGpuPass();
  registerConvertShapeConstraintsPass();
  registerConvertShapeToStandardPass();
  registerConvertTensorToLinalgPass();
  registerConvertToLLVMPass();
  registerConvertVectorToGPUPass();
  registerConvertVectorToLLVMPass();
  registerConvertVectorToSCFPass();
  registerFinalizeMemRefToLLVMConversionPass();
  registerGpuToLLVMConversionPass();
  registerLiftControlFlowToSCFPass();
  registerLowerAffinePass();
  registerReconcileUnrealizedCastsPass();
  registerSCFToControlFlowPass();
  registerSetLLVMModuleDataLayoutPass();
  registerTosaToArithPass();
  registerTosaToLinalgNamedPass();
  registerTosaToLinalgPass();
  registerTosaToMLProgramPass();
  registerTosaToSCFPass();
  registerTosaToTensorPass();
  registerUBToLLVMConversionPass();
}

void mloptRegisterUpstreamPasses(void) {
  registerTransformsPasses();
  affine::registerAffinePasses();
  arith::registerArithPasses();
  bufferization::registerBufferizationPasses();
  bufferization::registerBufferizationPipelines();
  func::registerFuncPasses();
  gpu::registerGPUToNVVMPipeline();
  LLVM::registerLLVMPasses();
  math::registerMathPasses();
  memref::registerMemRefPasses();
  registerNVGPUPasses();
  quant::registerQuantPasses();
  registerGPUPasses();
  registerLinalgPasses();
  registerSCFPasses();
  registerShapePasses();
  tensor::registerTensorPasses();
  tosa::registerTosaToLinalgPipelines();
  tosa::registerTosaPasses();
  transform::registerTransformPasses();
  vector::registerVectorPasses();
  registerLoweringPasses();
}

void mloptRegisterLLVMTranslations(MlirDialectRegistry handle) {
  DialectRegistry &registry = *unwrap(handle);
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

//===----------------------------------------------------------------------===//
// Drivers
//===----------------------------------------------------------------------===//

int mloptOptMain(int argc, char **argv, const char *toolName,
                 MlirDialectRegistry registry) {
  return asMainReturnCode(MlirOptMain(argc, argv, toolName, *unwrap(registry)));
}

int mloptLspMain(int argc, char **argv, MlirDialectRegistry registry) {
  return asMainReturnCode(MlirLspServerMain(argc, argv, *unwrap(registry)));
}
