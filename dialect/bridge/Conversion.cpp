//===- Conversion.cpp - Dialect conversion for C --------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The subset of LLVM 23's mlir-c/Rewrite.h that mlopt uses, under its names, so
// that this file can be deleted on the upgrade.
//
//===----------------------------------------------------------------------===//

#include "BridgeImpl.h"

#include "mlir/CAPI/Rewrite.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace {
/// A target that knows its context, from which operation names are made.
struct Target : ConversionTarget {
  explicit Target(MLIRContext &ctx) : ConversionTarget(ctx), ctx(ctx) {}
  MLIRContext &ctx;
};
} // namespace

#define MLOPT_WRAP(Handle, Class)                                              \
  static Handle wrapAs(Class *p) { return {p}; }                               \
  static Class *unwrap(Handle h) { return static_cast<Class *>(h.ptr); }
MLOPT_WRAP(MlirConversionTarget, Target)
MLOPT_WRAP(MlirConversionConfig, ConversionConfig)
MLOPT_WRAP(MlirTypeConverter, TypeConverter)
MLOPT_WRAP(MlirConversionPattern, ConversionPattern)
#undef MLOPT_WRAP
static ConversionPatternRewriter *unwrap(MlirConversionPatternRewriter h) {
  return static_cast<ConversionPatternRewriter *>(h.ptr);
}

//===----------------------------------------------------------------------===//
// Target
//===----------------------------------------------------------------------===//

MlirConversionTarget mlirConversionTargetCreate(MlirContext ctx) {
  return wrapAs(new Target(*unwrap(ctx)));
}
void mlirConversionTargetDestroy(MlirConversionTarget t) { delete unwrap(t); }

static OperationName nameIn(MlirConversionTarget t, MlirStringRef name) {
  return OperationName(unwrap(name), &unwrap(t)->ctx);
}
void mlirConversionTargetAddLegalOp(MlirConversionTarget t,
                                    MlirStringRef name) {
  unwrap(t)->setOpAction(nameIn(t, name),
                         ConversionTarget::LegalizationAction::Legal);
}
void mlirConversionTargetAddIllegalOp(MlirConversionTarget t,
                                      MlirStringRef name) {
  unwrap(t)->setOpAction(nameIn(t, name),
                         ConversionTarget::LegalizationAction::Illegal);
}
void mlirConversionTargetAddLegalDialect(MlirConversionTarget t,
                                         MlirStringRef name) {
  unwrap(t)->addLegalDialect(unwrap(name));
}
void mlirConversionTargetAddIllegalDialect(MlirConversionTarget t,
                                           MlirStringRef name) {
  unwrap(t)->addIllegalDialect(unwrap(name));
}

static ConversionTarget::DynamicLegalityCallbackFn
legality(MlirConversionTargetDynamicLegalityCallback callback, void *userData) {
  return [=](Operation *op) -> std::optional<bool> {
    switch (callback(wrap(op), userData)) {
    case MlirConversionTargetLegalityLegal:
      return true;
    case MlirConversionTargetLegalityIllegal:
      return false;
    case MlirConversionTargetLegalityUnknown:
      break;
    }
    return std::nullopt;
  };
}
void mlirConversionTargetAddDynamicallyLegalOp(
    MlirConversionTarget t, MlirStringRef name,
    MlirConversionTargetDynamicLegalityCallback callback, void *userData) {
  unwrap(t)->addDynamicallyLegalOp(nameIn(t, name),
                                   legality(callback, userData));
}
void mlirConversionTargetMarkUnknownOpDynamicallyLegal(
    MlirConversionTarget t,
    MlirConversionTargetDynamicLegalityCallback callback, void *userData) {
  unwrap(t)->markUnknownOpDynamicallyLegal(legality(callback, userData));
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

MlirTypeConverter mlirTypeConverterCreate(void) {
  return wrapAs(new TypeConverter());
}
void mlirTypeConverterDestroy(MlirTypeConverter c) { delete unwrap(c); }
void mlirTypeConverterAddConversion(
    MlirTypeConverter c, MlirTypeConverterConversionCallback callback,
    void *userData) {
  unwrap(c)->addConversion([=](Type type) -> std::optional<Type> {
    MlirType converted = {nullptr};
    if (failed(unwrap(callback(wrap(type), &converted, userData))))
      return Type();
    if (!converted.ptr)
      return std::nullopt;
    return unwrap(converted);
  });
}
MlirType mlirTypeConverterConvertType(MlirTypeConverter c, MlirType type) {
  return wrap(unwrap(c)->convertType(unwrap(type)));
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
class CallbackPattern : public ConversionPattern {
public:
  CallbackPattern(TypeConverter *converter, StringRef root, unsigned benefit,
                  MLIRContext *ctx, MlirConversionPatternCallbacks callbacks,
                  void *userData, ArrayRef<StringRef> generated)
      : ConversionPattern(*converter, root, benefit, ctx, generated),
        callbacks(callbacks), userData(userData) {
    if (callbacks.construct)
      callbacks.construct(userData);
  }
  ~CallbackPattern() override {
    if (callbacks.destruct)
      callbacks.destruct(userData);
  }
  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<MlirValue> handles;
    for (Value v : operands)
      handles.push_back(wrap(v));
    MlirConversionPattern self = {const_cast<CallbackPattern *>(this)};
    return ::unwrap(callbacks.matchAndRewrite(
        self, wrap(op), handles.size(), handles.data(), {&rewriter}, userData));
  }

private:
  MlirConversionPatternCallbacks callbacks;
  void *userData;
};
} // namespace

MlirConversionPattern mlirOpConversionPatternCreate(
    MlirStringRef rootName, unsigned benefit, MlirContext ctx,
    MlirTypeConverter converter, MlirConversionPatternCallbacks callbacks,
    void *userData, size_t nGeneratedNames, MlirStringRef *generatedNames) {
  SmallVector<StringRef> generated;
  for (size_t i = 0; i < nGeneratedNames; ++i)
    generated.push_back(unwrap(generatedNames[i]));
  return wrapAs(new CallbackPattern(unwrap(converter), unwrap(rootName),
                                    benefit, unwrap(ctx), callbacks, userData,
                                    generated));
}
MlirTypeConverter
mlirConversionPatternGetTypeConverter(MlirConversionPattern pattern) {
  return wrapAs(
      const_cast<TypeConverter *>(unwrap(pattern)->getTypeConverter()));
}
MlirRewritePattern
mlirConversionPatternAsRewritePattern(MlirConversionPattern pattern) {
  return wrap(static_cast<RewritePattern *>(unwrap(pattern)));
}
MlirPatternRewriter mlirConversionPatternRewriterAsPatternRewriter(
    MlirConversionPatternRewriter rewriter) {
  return wrap(static_cast<PatternRewriter *>(unwrap(rewriter)));
}
MlirLogicalResult mlirConversionPatternRewriterConvertRegionTypes(
    MlirConversionPatternRewriter rewriter, MlirRegion region,
    MlirTypeConverter converter) {
  return wrap(LogicalResult(unwrap(rewriter)->convertRegionTypes(
      unwrap(region), *unwrap(converter))));
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

MlirConversionConfig mlirConversionConfigCreate(void) {
  return wrapAs(new ConversionConfig());
}
void mlirConversionConfigDestroy(MlirConversionConfig c) { delete unwrap(c); }
void mlirConversionConfigSetFoldingMode(MlirConversionConfig c,
                                        MlirDialectConversionFoldingMode mode) {
  unwrap(c)->foldingMode = static_cast<DialectConversionFoldingMode>(mode);
}

MlirLogicalResult mlirApplyFullConversion(MlirOperation op,
                                          MlirConversionTarget target,
                                          MlirFrozenRewritePatternSet patterns,
                                          MlirConversionConfig config) {
  return wrap(applyFullConversion(unwrap(op), *unwrap(target),
                                  *unwrap(patterns), *unwrap(config)));
}
MlirLogicalResult
mlirApplyPartialConversion(MlirOperation op, MlirConversionTarget target,
                           MlirFrozenRewritePatternSet patterns,
                           MlirConversionConfig config) {
  return wrap(applyPartialConversion(unwrap(op), *unwrap(target),
                                     *unwrap(patterns), *unwrap(config)));
}

void mloptPopulateFuncConversion(MlirRewritePatternSet patterns,
                                 MlirTypeConverter handle,
                                 MlirConversionTarget target) {
  TypeConverter &converter = *unwrap(handle);
  RewritePatternSet &set = *unwrap(patterns);
  populateAnyFunctionOpInterfaceTypeConversionPattern(set, converter);
  populateReturnOpTypeConversionPattern(set, converter);
  populateCallOpTypeConversionPattern(set, converter);
  unwrap(target)->addDynamicallyLegalOp<func::FuncOp>([&](func::FuncOp op) {
    return converter.isSignatureLegal(op.getFunctionType()) &&
           converter.isLegal(&op.getBody());
  });
  unwrap(target)->addDynamicallyLegalOp<func::CallOp, func::ReturnOp>(
      [&](Operation *op) { return converter.isLegal(op); });
}

void mloptPopulateScfConversion(MlirRewritePatternSet patterns,
                                MlirTypeConverter converter,
                                MlirConversionTarget target) {
  scf::populateSCFStructuralTypeConversionsAndLegality(
      *unwrap(converter), *unwrap(patterns), *unwrap(target));
}

void mloptReplaceTypes(MlirOperation op,
                       MlirType (*replaceType)(MlirType, void *),
                       MlirAttribute (*replaceAttr)(MlirAttribute, void *),
                       void *userData) {
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [=](Type type) -> AttrTypeReplacer::ReplaceFnResult<Type> {
        MlirType other = replaceType(::wrap(type), userData);
        if (!other.ptr)
          return std::nullopt;
        return std::make_pair(::unwrap(other), WalkResult::skip());
      });
  replacer.addReplacement(
      [=](Attribute attr) -> AttrTypeReplacer::ReplaceFnResult<Attribute> {
        MlirAttribute other = replaceAttr(::wrap(attr), userData);
        if (!other.ptr)
          return std::nullopt;
        return std::make_pair(::unwrap(other), WalkResult::skip());
      });
  replacer.recursivelyReplaceElementsIn(::unwrap(op), /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}
