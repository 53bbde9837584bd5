//===- Dialect.cpp - Dialects, attributes and types from tables -----------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One ExtensibleDialect for each MloptDialectDef. Dialect attributes and types
// are MLIR's dynamic ones: a list of attributes as parameters.
//
//===----------------------------------------------------------------------===//

#include "BridgeImpl.h"

#include "mlir/CAPI/Registration.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/ExtensibleDialect.h"
#include "mlir/Transforms/InliningUtils.h"

#include <array>

using namespace mlir;

namespace {

/// Everything may be inlined anywhere: operations of table dialects name no
/// symbol of their surroundings.
struct Inliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool,
                       IRMapping &) const override {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const override {
    return true;
  }
};

constexpr intptr_t kMaxParams = 16;

class TableDialect : public ExtensibleDialect {
public:
  TableDialect(MLIRContext *ctx, const MloptDialectDef *def)
      : ExtensibleDialect(def->ns, ctx, TypeID::getFromOpaquePointer(def)),
        def(def) {
    for (auto *h = def->dependent; h && *h; ++h)
      mlirDialectHandleLoadDialect((*h)(), wrap(ctx));
    for (int i = 0; i < def->numAttrs; ++i)
      registerAttr(&def->attrs[i]);
    for (int i = 0; i < def->numTypes; ++i)
      registerType(&def->types[i]);
    for (int i = 0; i < def->numOps; ++i)
      mlopt::registerOp(this, def, def->ops[i]);
    addInterfaces<Inliner>();
  }

  Operation *materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                 Location loc) override {
    if (!def->materializeConstant)
      return nullptr;
    Operation *op =
        unwrap(def->materializeConstant(wrap(value), wrap(type), wrap(loc)));
    return op ? builder.insert(op) : nullptr;
  }

  LogicalResult verifyOperationAttribute(Operation *op,
                                         NamedAttribute attr) override {
    return verifyAttribute(op, attr, -1, false);
  }
  LogicalResult verifyRegionArgAttribute(Operation *op, unsigned,
                                         unsigned index,
                                         NamedAttribute attr) override {
    return verifyAttribute(op, attr, index, true);
  }
  LogicalResult verifyRegionResultAttribute(Operation *op, unsigned,
                                            unsigned index,
                                            NamedAttribute attr) override {
    return verifyAttribute(op, attr, index, false);
  }

  Type parseType(DialectAsmParser &parser) const override {
    StringRef mnemonic;
    Type type;
    if (parser.parseKeyword(&mnemonic))
      return {};
    OptionalParseResult r = parseOptionalDynamicType(mnemonic, parser, type);
    if (r.has_value())
      return succeeded(*r) ? type : Type();
    parser.emitError(parser.getNameLoc(), "unknown type '")
        << mnemonic << "' in dialect '" << def->ns << "'";
    return {};
  }
  void printType(Type type, DialectAsmPrinter &printer) const override {
    (void)printIfDynamicType(type, printer);
  }
  Attribute parseAttribute(DialectAsmParser &parser, Type) const override {
    StringRef mnemonic;
    Attribute attr;
    if (parser.parseKeyword(&mnemonic))
      return {};
    for (auto *a = def->attrAliases; a && a->alias; ++a)
      if (mnemonic == a->alias)
        mnemonic = a->mnemonic;
    OptionalParseResult r = parseOptionalDynamicAttr(mnemonic, parser, attr);
    if (r.has_value())
      return succeeded(*r) ? attr : Attribute();
    parser.emitError(parser.getNameLoc(), "unknown attribute '")
        << mnemonic << "' in dialect '" << def->ns << "'";
    return {};
  }
  void printAttribute(Attribute attr,
                      DialectAsmPrinter &printer) const override {
    (void)printIfDynamicAttr(attr, printer);
  }

  static Dialect *load(MLIRContext *ctx, const MloptDialectDef *def) {
    return ctx->getOrLoadDialect(
        def->ns, TypeID::getFromOpaquePointer(def),
        [=] { return std::make_unique<TableDialect>(ctx, def); });
  }

private:
  LogicalResult verifyAttribute(Operation *op, NamedAttribute attr,
                                intptr_t index, bool isArgument) {
    if (!def->verifyAttribute)
      return success();
    MlirNamedAttribute named = {wrap(attr.getName()), wrap(attr.getValue())};
    return unwrap(def->verifyAttribute(wrap(op), named, index, isArgument));
  }

  // Dynamic attributes and types share the shape of their three callbacks.
  static auto verifier(const MloptAttrDef *def, char sigil, StringRef ns) {
    return [=](function_ref<InFlightDiagnostic()> error,
               ArrayRef<Attribute> params) -> LogicalResult {
      SmallVector<MlirAttribute> handles;
      for (Attribute a : params)
        handles.push_back(wrap(a));
      const char *complaint =
          def->verify ? def->verify(handles.size(), handles.data()) : nullptr;
      if (!complaint)
        return success();
      return error() << sigil << ns << '.' << def->mnemonic << ' ' << complaint;
    };
  }
  static auto parser(const MloptAttrDef *def) {
    return
        [=](AsmParser &p, SmallVectorImpl<Attribute> &params) -> ParseResult {
          if (!def->parse) {
            if (p.parseOptionalLess())
              return success();
            return failure(p.parseCommaSeparatedList([&]() -> ParseResult {
              return p.parseAttribute(params.emplace_back());
            }) || p.parseGreater());
          }
          MlirAttribute handles[kMaxParams];
          mlopt::Parser state{p, nullptr, nullptr, nullptr, {}, {}};
          intptr_t n = def->parse(mlopt::toHandle(state), kMaxParams, handles);
          for (intptr_t i = 0; i < n; ++i)
            params.push_back(unwrap(handles[i]));
          return success(n >= 0);
        };
  }
  static auto printer(const MloptAttrDef *def) {
    return [=](AsmPrinter &p, ArrayRef<Attribute> params) {
      if (!def->print) {
        if (!params.empty()) {
          p << '<';
          llvm::interleaveComma(params, p);
          p << '>';
        }
        return;
      }
      SmallVector<MlirAttribute> handles;
      for (Attribute a : params)
        handles.push_back(wrap(a));
      mlopt::Printer state{p};
      def->print(mlopt::toHandle(state), handles.size(), handles.data());
    };
  }
  // Their TypeIDs are the tables' addresses, so that C finds them by table.
  void registerAttr(const MloptAttrDef *def) {
    registerDynamicAttr(DynamicAttrDefinition::get(
        def->mnemonic, this, verifier(def, '#', getNamespace()), parser(def),
        printer(def)));
  }
  void registerType(const MloptTypeDef *def) {
    registerDynamicType(DynamicTypeDefinition::get(
        def->mnemonic, this, verifier(def, '!', getNamespace()), parser(def),
        printer(def)));
  }

  const MloptDialectDef *def;
};

/// The plain function pointers that a MlirDialectHandle wants, for one table.
template <const MloptDialectDef &D> MlirDialectHandle handleOf() {
  static const MlirDialectRegistrationHooks hooks = {
      [](MlirDialectRegistry registry) {
        unwrap(registry)->insert(
            TypeID::getFromOpaquePointer(&D), D.ns,
            [](MLIRContext *ctx) { return TableDialect::load(ctx, &D); });
      },
      [](MlirContext ctx) { return wrap(TableDialect::load(unwrap(ctx), &D)); },
      []() -> MlirStringRef { return mlirStringRefCreateFromCString(D.ns); }};
  return {&hooks};
}

} // namespace

MlirDialectHandle mlirGetDialectHandle__mlopt__(void) {
  return handleOf<mloptDialect>();
}
MlirDialectHandle mlirGetDialectHandle__stablehlo__(void) {
  return handleOf<mloptStablehloDialect>();
}
MlirDialectHandle mlirGetDialectHandle__chlo__(void) {
  return handleOf<mloptChloDialect>();
}

//===----------------------------------------------------------------------===//
// Trait identifiers
//===----------------------------------------------------------------------===//

namespace {
/// TypeID::get<Trait>() is keyed by the spelling of a local struct's name,
/// which GCC and Clang spell differently; the registry merges ids by that
/// name. So ids are asked for by the spelling of the compiler that built
/// libMLIR, whichever compiles this file. Only literals may be passed: the
/// registry keeps the StringRef.
struct TraitIds : mlir::detail::FallbackTypeIDResolver {
  static TypeID get(bool clang, StringRef byClang, StringRef byGcc) {
    return registerImplicitTypeID(clang ? byClang : byGcc);
  }
};
#define TRAIT_ID(clang, name)                                                  \
  TraitIds::get(clang, "mlir::OpTrait::" name "<Empty>",                       \
                "mlir::OpTrait::" name                                         \
                "<mlir::TypeID::get<mlir::OpTrait::" name ">()::Empty>")
} // namespace

bool mlopt::isMlirBuiltByClang(MLIRContext *ctx) {
  // builtin.module has NoTerminator under the right spelling only.
  static const bool clang = [ctx] {
    auto name = RegisteredOperationName::lookup("builtin.module", ctx);
    return name && name->hasTrait(TRAIT_ID(true, "NoTerminator"));
  }();
  return clang;
}

bool mlopt::hasTrait(unsigned traits, TypeID id, bool clang) {
  using Ids = std::array<std::pair<unsigned, TypeID>, 18>;
  static const Ids ids = [clang] {
    return Ids{{
        {MLOPT_TERMINATOR, TRAIT_ID(clang, "IsTerminator")},
        {MLOPT_NO_TERMINATOR, TRAIT_ID(clang, "NoTerminator")},
        {MLOPT_ISOLATED_FROM_ABOVE, TRAIT_ID(clang, "IsIsolatedFromAbove")},
        {MLOPT_SINGLE_BLOCK, TRAIT_ID(clang, "SingleBlock")},
        {MLOPT_COMMUTATIVE, TRAIT_ID(clang, "IsCommutative")},
        {MLOPT_SAME_TYPE, TRAIT_ID(clang, "SameOperandsAndResultType")},
        {MLOPT_SAME_TYPE, TRAIT_ID(clang, "SameOperandsAndResultShape")},
        {MLOPT_SAME_TYPE, TRAIT_ID(clang, "SameTypeOperands")},
        {MLOPT_PURE, TRAIT_ID(clang, "AlwaysSpeculatableImplTrait")},
        {MLOPT_RECURSIVE_EFFECTS, TRAIT_ID(clang, "HasRecursiveMemoryEffects")},
        {MLOPT_RECURSIVE_EFFECTS,
         TRAIT_ID(clang, "RecursivelySpeculatableImplTrait")},
        {MLOPT_RETURN_LIKE, TRAIT_ID(clang, "ReturnLike")},
        {MLOPT_CONSTANT_LIKE, TRAIT_ID(clang, "ConstantLike")},
        {MLOPT_ELEMENTWISE, TRAIT_ID(clang, "Elementwise")},
        {MLOPT_ELEMENTWISE, TRAIT_ID(clang, "Scalarizable")},
        {MLOPT_ELEMENTWISE, TRAIT_ID(clang, "Tensorizable")},
        {MLOPT_IDEMPOTENT, TRAIT_ID(clang, "IsIdempotent")},
        {MLOPT_INVOLUTION, TRAIT_ID(clang, "IsInvolution")},
    }};
  }();
  return llvm::any_of(
      ids, [&](auto &p) { return (traits & p.first) && p.second == id; });
}

//===----------------------------------------------------------------------===//
// Access from C
//===----------------------------------------------------------------------===//

const MloptOpDef *mloptGetOpDef(MlirOperation handle) {
  Operation *op = unwrap(handle);
  // Only the operations of table dialects have a table as their TypeID.
  auto *dialect = dyn_cast_or_null<ExtensibleDialect>(op->getDialect());
  if (!dialect || !op->isRegistered())
    return nullptr;
  for (const MloptDialectDef *def :
       {&mloptDialect, &mloptStablehloDialect, &mloptChloDialect})
    if (dialect->getTypeID() == TypeID::getFromOpaquePointer(def))
      return static_cast<const MloptOpDef *>(
          op->getName().getTypeID().getAsOpaquePointer());
  return nullptr;
}

/// Which dialect and which row a table attribute belongs to.
static DynamicAttrDefinition *findAttr(MLIRContext *ctx,
                                       const MloptAttrDef *attr) {
  for (const MloptDialectDef *def :
       {&mloptDialect, &mloptStablehloDialect, &mloptChloDialect})
    if (attr >= def->attrs && attr < def->attrs + def->numAttrs)
      if (auto *d = dyn_cast_or_null<ExtensibleDialect>(
              ctx->getLoadedDialect(def->ns)))
        return d->lookupAttrDefinition(attr->mnemonic);
  return nullptr;
}

MlirAttribute mloptAttrGet(MlirContext ctx, const MloptAttrDef *def,
                           intptr_t numParams, const MlirAttribute *params) {
  SmallVector<Attribute> list;
  for (intptr_t i = 0; i < numParams; ++i)
    list.push_back(unwrap(params[i]));
  DynamicAttrDefinition *definition = findAttr(unwrap(ctx), def);
  assert(definition && "the attribute's dialect is not loaded");
  return wrap(Attribute(DynamicAttr::get(definition, list)));
}

bool mloptAttrIsA(MlirAttribute attr, const MloptAttrDef *def) {
  auto dynamic = dyn_cast_or_null<DynamicAttr>(unwrap(attr));
  return dynamic &&
         dynamic.getAttrDef() == findAttr(unwrap(attr).getContext(), def);
}

MlirAttribute mloptAttrGetParam(MlirAttribute attr, intptr_t index) {
  auto params = cast<DynamicAttr>(unwrap(attr)).getParams();
  return index < intptr_t(params.size()) ? wrap(params[index])
                                         : MlirAttribute{nullptr};
}

bool mloptTypeIsA(MlirType type, const MloptTypeDef *def) {
  auto dynamic = dyn_cast_or_null<DynamicType>(unwrap(type));
  return dynamic && dynamic.getTypeDef()->getName() == def->mnemonic;
}
