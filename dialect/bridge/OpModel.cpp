//===- OpModel.cpp - Operations from tables -------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One OperationName::Impl that answers MLIR's questions from a MloptOpDef:
// traits, interfaces, properties, verification, folding, assembly. Inherent
// attributes are kept as properties: one DictionaryAttr for each operation.
//
//===----------------------------------------------------------------------===//

#include "BridgeImpl.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/CAPI/Rewrite.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <array>
#include <atomic>

using namespace mlir;

//===----------------------------------------------------------------------===//
// Type inference
//===----------------------------------------------------------------------===//

LogicalResult mlopt::inferTypes(const MloptOpDef *def, MLIRContext *ctx,
                                std::optional<Location> loc,
                                ValueRange operands, DictionaryAttr attrs,
                                RegionRange regions,
                                SmallVectorImpl<Type> &types) {
  if (!def->inferTypes) {
    if (!(def->traits & MLOPT_SAME_TYPE) || operands.empty())
      return emitOptionalError(loc, "'", def->name,
                               "' op result types cannot be inferred");
    types.assign(def->numResults, operands[0].getType());
    return success();
  }
  SmallVector<MlirType> operandTypes;
  for (Value v : operands)
    operandTypes.push_back(wrap(v.getType()));
  SmallVector<MlirRegion> regionHandles;
  for (Region *r : regions)
    regionHandles.push_back(wrap(r));
  SmallVector<MlirType> results(std::max<size_t>(operands.size() + 8, 16),
                                MlirType{nullptr});
  if (!attrs)
    attrs = DictionaryAttr::get(ctx);
  MloptInferArgs args = {wrap(ctx),
                         loc ? wrap(*loc) : MlirLocation{nullptr},
                         intptr_t(operandTypes.size()),
                         operandTypes.data(),
                         wrap(Attribute(attrs)),
                         intptr_t(regionHandles.size()),
                         regionHandles.data(),
                         intptr_t(results.size())};
  intptr_t n = def->inferTypes(def, &args, results.data());
  if (n < 0)
    return failure();
  types.clear();
  for (intptr_t i = 0; i < n; ++i)
    types.push_back(unwrap(results[i]));
  return success();
}

/// Equal, or tensors that differ only where one has a `?`.
static bool isCompatible(Type a, Type b) {
  if (a == b)
    return true;
  auto ta = dyn_cast<RankedTensorType>(a), tb = dyn_cast<RankedTensorType>(b);
  return ta && tb && ta.getElementType() == tb.getElementType() &&
         succeeded(verifyCompatibleShape(ta, tb));
}
static bool areCompatible(TypeRange a, TypeRange b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto p) {
           return isCompatible(std::get<0>(p), std::get<1>(p));
         });
}

namespace {

//===----------------------------------------------------------------------===//
// Interfaces
//===----------------------------------------------------------------------===//

struct PureModel : MemoryEffectOpInterface::FallbackModel<PureModel> {
  void getEffects(Operation *,
                  SmallVectorImpl<MemoryEffects::EffectInstance> &) const {}
};
struct SpeculatableModel
    : ConditionallySpeculatable::FallbackModel<SpeculatableModel> {
  Speculation::Speculatability getSpeculatability(Operation *) const {
    return Speculation::Speculatable;
  }
};
struct RecursivelySpeculatableModel
    : ConditionallySpeculatable::FallbackModel<RecursivelySpeculatableModel> {
  Speculation::Speculatability getSpeculatability(Operation *) const {
    return Speculation::RecursivelySpeculatable;
  }
};
/// Operations with properties must have it: the bytecode writer does not ask.
struct BytecodeModel : BytecodeOpInterface::FallbackModel<BytecodeModel> {
  static LogicalResult readProperties(DialectBytecodeReader &reader,
                                      OperationState &state) {
    DictionaryAttr dict;
    if (failed(reader.readAttribute(dict)))
      return failure();
    state.getOrAddProperties<DictionaryAttr>() = dict;
    return success();
  }
  void writeProperties(Operation *op, DialectBytecodeWriter &writer) const {
    writer.writeAttribute(*op->getPropertiesStorage().as<DictionaryAttr *>());
  }
};

/// InferTypeOpInterface's methods are static and are not told the operation,
/// so each table with inference gets a model class of its own, found by slot.
/// A slot is claimed once for the life of the process and never changes.
constexpr unsigned kInferSlots = 128;
std::array<std::atomic<const MloptOpDef *>, kInferSlots> inferSlots;

unsigned claimInferSlot(const MloptOpDef *def) {
  for (unsigned i = 0; i < kInferSlots; ++i) {
    const MloptOpDef *seen = nullptr;
    if (inferSlots[i].compare_exchange_strong(seen, def) || seen == def)
      return i;
  }
  llvm::report_fatal_error(
      "mlopt bridge: more than 128 operations infer types");
}

template <unsigned N>
struct InferModel : InferTypeOpInterface::FallbackModel<InferModel<N>> {
  static LogicalResult
  inferReturnTypes(MLIRContext *ctx, std::optional<Location> loc,
                   ValueRange operands, DictionaryAttr attrs,
                   OpaqueProperties properties, RegionRange regions,
                   SmallVectorImpl<Type> &types) {
    if (properties)
      attrs = *properties.as<DictionaryAttr *>();
    return mlopt::inferTypes(inferSlots[N], ctx, loc, operands, attrs, regions,
                             types);
  }
  static LogicalResult
  refineReturnTypes(MLIRContext *ctx, std::optional<Location> loc,
                    ValueRange operands, DictionaryAttr attrs,
                    OpaqueProperties properties, RegionRange regions,
                    SmallVectorImpl<Type> &types) {
    SmallVector<Type> inferred;
    if (failed(inferReturnTypes(ctx, loc, operands, attrs, properties, regions,
                                inferred)))
      return failure();
    if (!isCompatibleReturnTypes(inferred, types))
      return emitOptionalError(loc, "'", inferSlots[N].load()->name,
                               "' op inferred type(s) ", inferred,
                               " are incompatible with return type(s) of "
                               "operation ",
                               types);
    return success();
  }
  static bool isCompatibleReturnTypes(TypeRange a, TypeRange b) {
    return areCompatible(a, b);
  }
};
template <unsigned... N>
void insertInferModel(mlir::detail::InterfaceMap &map, unsigned slot,
                      std::integer_sequence<unsigned, N...>) {
  ((slot == N ? map.insertModels<InferModel<N>>() : void()), ...);
}

mlir::detail::InterfaceMap interfacesOf(const MloptOpDef *def) {
  mlir::detail::InterfaceMap map;
  if (def->traits & MLOPT_PURE)
    map.insertModels<PureModel, SpeculatableModel>();
  else if (def->traits & MLOPT_RECURSIVE_EFFECTS)
    map.insertModels<RecursivelySpeculatableModel>();
  if (def->numAttrs)
    map.insertModels<BytecodeModel>();
  if (def->inferTypes || (def->traits & MLOPT_SAME_TYPE))
    insertInferModel(map, claimInferSlot(def),
                     std::make_integer_sequence<unsigned, kInferSlots>());
  return map;
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

class OpModel final : public OperationName::Impl {
public:
  OpModel(Dialect *dialect, const MloptDialectDef *dialectDef,
          const MloptOpDef *def)
      : Impl(def->name, dialect, TypeID::getFromOpaquePointer(def),
             interfacesOf(def)),
        dialectDef(dialectDef), def(def),
        clang(mlopt::isMlirBuiltByClang(dialect->getContext())) {
    NamedAttrList list;
    for (const MloptAttrSpec &spec : attrSpecs())
      if (spec.byDefault)
        list.append(spec.name,
                    parseAttribute(spec.byDefault, dialect->getContext()));
    defaults = list.getDictionary(dialect->getContext());
  }

  LogicalResult foldHook(Operation *op, ArrayRef<Attribute> constants,
                         SmallVectorImpl<OpFoldResult> &out) override {
    if (!def->fold)
      return failure();
    SmallVector<MlirAttribute> in;
    for (Attribute a : constants)
      in.push_back(wrap(a));
    SmallVector<MloptFoldResult> results(
        op->getNumResults(),
        MloptFoldResult{MlirAttribute{nullptr}, MlirValue{nullptr}});
    if (failed(unwrap(def->fold(wrap(op), in.data(), results.data()))))
      return failure();
    for (MloptFoldResult &r : results) {
      if (r.value.ptr)
        out.push_back(unwrap(r.value));
      else if (r.attr.ptr)
        out.push_back(unwrap(r.attr));
      else
        return success(out.empty()); // changed in place
    }
    return success();
  }

  void getCanonicalizationPatterns(RewritePatternSet &set,
                                   MLIRContext *ctx) override {
    if (def->canonicalizers)
      def->canonicalizers(wrap(&set), wrap(ctx));
  }

  bool hasTrait(TypeID id) override {
    return mlopt::hasTrait(def->traits, id, clang);
  }

  OperationName::ParseAssemblyFn getParseAssemblyFn() override {
    return [this](OpAsmParser &parser, OperationState &state) -> ParseResult {
      if (!def->parse && !def->assembly)
        return parser.emitError(parser.getNameLoc(),
                                "has no custom assembly form");
      mlopt::Parser p{parser, &parser, &state, def, {}, {}};
      bool ok = def->parse ? def->parse(def, mlopt::toHandle(p))
                           : dialectDef->parseOp(def, mlopt::toHandle(p));
      return success(ok);
    };
  }

  void printAssembly(Operation *op, OpAsmPrinter &printer,
                     StringRef defaultDialect) override {
    if ((!def->print && !def->assembly) || (def->traits & MLOPT_GENERIC_PRINT))
      return printer.printGenericOp(op);
    StringRef name = op->getName().getStringRef();
    if (name.split('.').first == defaultDialect)
      name = name.drop_front(defaultDialect.size() + 1);
    printer << name;
    mlopt::Printer p{printer, &printer};
    if (def->print)
      def->print(def, wrap(op), mlopt::toHandle(p));
    else
      dialectDef->printOp(def, wrap(op), mlopt::toHandle(p));
  }

  LogicalResult verifyInvariants(Operation *op) override {
    if (def->numRegions >= 0 &&
        op->getNumRegions() != unsigned(def->numRegions))
      return op->emitOpError("requires ")
             << def->numRegions << " region(s), but has "
             << op->getNumRegions();
    if ((def->traits & MLOPT_TERMINATOR) &&
        failed(OpTrait::impl::verifyIsTerminator(op)))
      return failure();
    if (failed(verifyValues(op, "operand", def->operands, def->numOperands,
                            op->getOperandTypes())) ||
        failed(verifyValues(op, "result", def->results, def->numResults,
                            op->getResultTypes())) ||
        failed(verifyAttrs(op)) || failed(verifyStructure(op)))
      return failure();
    if (def->verify && failed(unwrap(def->verify(wrap(op)))))
      return failure();
    return verifyInferred(op);
  }

  LogicalResult verifyRegionInvariants(Operation *op) override {
    if ((def->traits & MLOPT_ISOLATED_FROM_ABOVE) &&
        failed(OpTrait::impl::verifyIsIsolatedFromAbove(op)))
      return failure();
    return def->verifyRegions ? unwrap(def->verifyRegions(wrap(op)))
                              : success();
  }

  std::optional<Attribute> getInherentAttr(Operation *op,
                                           StringRef name) override {
    if (!isInherent(name))
      return std::nullopt;
    return dictOf(op).get(name);
  }
  void setInherentAttr(Operation *op, StringAttr name,
                       Attribute value) override {
    NamedAttrList list(dictOf(op));
    if (value)
      list.set(name, value);
    else
      list.erase(name);
    dictOf(op) = list.getDictionary(op->getContext());
  }
  void populateInherentAttrs(Operation *op, NamedAttrList &list) override {
    if (def->numAttrs)
      list.append(dictOf(op).getValue());
  }
  LogicalResult
  verifyInherentAttrs(OperationName, NamedAttrList &list,
                      function_ref<InFlightDiagnostic()> error) override {
    for (const MloptAttrSpec &spec : attrSpecs())
      if (Attribute a = list.get(spec.name); a && !spec.is(wrap(a)))
        return error() << "attribute '" << spec.name << "' must be "
                       << spec.what << ", but got " << a;
    return success();
  }
  void populateDefaultAttrs(const OperationName &, NamedAttrList &) override {}

  int getOpPropertyByteSize() override {
    return def->numAttrs ? sizeof(DictionaryAttr) : 0;
  }
  void initProperties(OperationName, OpaqueProperties storage,
                      OpaqueProperties init) override {
    if (def->numAttrs)
      new (storage.as<DictionaryAttr *>())
          DictionaryAttr(init ? dictOf(init) : defaults);
  }
  void deleteProperties(OpaqueProperties) override {}
  void populateDefaultProperties(OperationName,
                                 OpaqueProperties properties) override {
    if (def->numAttrs)
      dictOf(properties) = defaults;
  }
  LogicalResult
  setPropertiesFromAttr(OperationName, OpaqueProperties properties,
                        Attribute attr,
                        function_ref<InFlightDiagnostic()> error) override {
    auto dict = dyn_cast_or_null<DictionaryAttr>(attr);
    if (!dict || !def->numAttrs)
      return error() << "expected a dictionary of properties";
    NamedAttrList list(defaults);
    for (NamedAttribute named : dict) {
      if (!isInherent(named.getName()))
        return error() << "unknown property '" << named.getName().getValue()
                       << "'";
      list.set(named.getName(), named.getValue());
    }
    dictOf(properties) = list.getDictionary(attr.getContext());
    return success();
  }
  Attribute getPropertiesAsAttr(Operation *op) override {
    // Nothing rather than `<{}>` in the generic form.
    return def->numAttrs && !dictOf(op).empty() ? Attribute(dictOf(op))
                                                : Attribute();
  }
  void copyProperties(OpaqueProperties to, OpaqueProperties from) override {
    if (def->numAttrs)
      dictOf(to) = dictOf(from);
  }
  bool compareProperties(OpaqueProperties a, OpaqueProperties b) override {
    return !def->numAttrs || dictOf(a) == dictOf(b);
  }
  llvm::hash_code hashProperties(OpaqueProperties p) override {
    return def->numAttrs ? hash_value(dictOf(p)) : llvm::hash_code(0);
  }

private:
  static DictionaryAttr &dictOf(OpaqueProperties p) {
    return *p.as<DictionaryAttr *>();
  }
  static DictionaryAttr &dictOf(Operation *op) {
    return dictOf(op->getPropertiesStorage());
  }
  ArrayRef<MloptAttrSpec> attrSpecs() const {
    return ArrayRef(def->attrs, def->numAttrs);
  }
  bool isInherent(StringRef name) const {
    return llvm::any_of(attrSpecs(),
                        [&](auto &spec) { return name == spec.name; });
  }

  static LogicalResult verifyValues(Operation *op, StringRef kind,
                                    const MloptValueSpec *specs, int n,
                                    TypeRange types) {
    bool variadic = n && specs[n - 1].variadic;
    size_t least = variadic ? n - 1 : n;
    if (variadic ? types.size() < least : types.size() != least)
      return op->emitOpError("expected ")
             << least << (variadic ? " or more " : " ") << kind
             << (least == 1 ? "" : "s") << ", but found " << types.size();
    for (auto [i, type] : llvm::enumerate(types)) {
      const MloptValueSpec &spec = specs[std::min<size_t>(i, n - 1)];
      if (spec.is && !spec.is(wrap(type)))
        return op->emitOpError() << kind << " #" << i << " must be "
                                 << spec.what << ", but got " << type;
    }
    return success();
  }

  LogicalResult verifyAttrs(Operation *op) {
    for (const MloptAttrSpec &spec : attrSpecs()) {
      Attribute a = dictOf(op).get(spec.name);
      if (!a && spec.optional)
        continue;
      if (!a)
        return op->emitOpError("requires attribute '") << spec.name << "'";
      if (!spec.is(wrap(a)))
        return op->emitOpError("attribute '")
               << spec.name << "' must be " << spec.what << ", but got " << a;
    }
    if (!dialectDef->strictAttributes)
      return success();
    for (NamedAttribute named : op->getDiscardableAttrs())
      if (!named.getName().strref().contains('.'))
        return op->emitOpError("has no attribute '")
               << named.getName().strref()
               << "'; attributes of other dialects carry their prefix";
    return success();
  }

  LogicalResult verifyStructure(Operation *op) {
    if (def->parent &&
        (!op->getParentOp() ||
         op->getParentOp()->getName().getStringRef() != def->parent))
      return op->emitOpError("expects parent op '") << def->parent << "'";
    if (def->traits & MLOPT_SINGLE_BLOCK)
      for (Region &r : op->getRegions())
        if (!r.empty() && !r.hasOneBlock())
          return op->emitOpError("expects a region of exactly one block");
    if (def->traits & MLOPT_SAME_TYPE) {
      Type first = op->getNumOperands() ? op->getOperand(0).getType()
                                        : op->getResult(0).getType();
      // Exactly: assembly prints one type for all.
      auto same = [&](Type t) { return t == first; };
      if (!llvm::all_of(op->getOperandTypes(), same) ||
          !llvm::all_of(op->getResultTypes(), same))
        return op->emitOpError(
            "requires the same type for all operands and results");
    }
    return success();
  }

  LogicalResult verifyInferred(Operation *op) {
    if (!def->inferTypes)
      return success();
    SmallVector<Type> inferred;
    if (failed(mlopt::inferTypes(def, op->getContext(), op->getLoc(),
                                 op->getOperands(),
                                 def->numAttrs ? dictOf(op) : DictionaryAttr(),
                                 op->getRegions(), inferred)))
      return failure();
    if (areCompatible(inferred, op->getResultTypes()))
      return success();
    return op->emitOpError("has result type(s) ")
           << op->getResultTypes() << ", but its operands and attributes give "
           << inferred;
  }

  const MloptDialectDef *dialectDef;
  const MloptOpDef *def;
  bool clang;
  DictionaryAttr defaults;
};

} // namespace

void mlopt::registerOp(Dialect *dialect, const MloptDialectDef *dialectDef,
                       const MloptOpDef *def) {
  SmallVector<StringRef> names;
  for (int i = 0; i < def->numAttrs; ++i)
    names.push_back(def->attrs[i].name);
  RegisteredOperationName::insert(
      std::make_unique<OpModel>(dialect, dialectDef, def), names);
}
