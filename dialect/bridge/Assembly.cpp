//===- Assembly.cpp - The assembly parser and printer for C ---------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Thin wrappers of AsmParser and AsmPrinter. Unresolved operands and region
// arguments are C++ objects, so C holds their index in the parser's state.
//
//===----------------------------------------------------------------------===//

#include "BridgeImpl.h"

#include "mlir/AsmParser/AsmParser.h"

#include <cstdarg>

using namespace mlir;
using mlopt::fromHandle;

static OpAsmPrinter &opPrinter(MloptPrinter p) {
  return *static_cast<mlopt::Printer *>(p.ptr)->op;
}
static AsmPrinter &printer(MloptPrinter p) {
  return static_cast<mlopt::Printer *>(p.ptr)->base;
}

//===----------------------------------------------------------------------===//
// Parser: attributes, types and operations
//===----------------------------------------------------------------------===//

MlirContext mloptParserGetContext(MloptParser p) {
  return wrap(fromHandle(p).base.getContext());
}

MlirLocation mloptParserGetLocation(MloptParser p) {
  AsmParser &base = fromHandle(p).base;
  return wrap(base.getEncodedSourceLoc(base.getCurrentLocation()));
}

bool mloptParserError(MloptParser p, const char *format, ...) {
  va_list args;
  va_start(args, format);
  std::string message = mlopt::formatMessage(format, args);
  va_end(args);
  AsmParser &base = fromHandle(p).base;
  base.emitError(base.getCurrentLocation(), message);
  return false;
}

const char *mloptParserGetPosition(MloptParser p) {
  return fromHandle(p).base.getCurrentLocation().getPointer();
}

bool mloptParserErrorAt(MloptParser p, const char *position, const char *format,
                        ...) {
  va_list args;
  va_start(args, format);
  std::string message = mlopt::formatMessage(format, args);
  va_end(args);
  fromHandle(p).base.emitError(SMLoc::getFromPointer(position), message);
  return false;
}

namespace {
struct Punctuation {
  StringRef spelling;
  ParseResult (AsmParser::*required)();
  ParseResult (AsmParser::*optional)();
};
} // namespace

static const Punctuation *findPunctuation(StringRef spelling) {
  using P = AsmParser;
  static const Punctuation table[] = {
      {":", &P::parseColon, &P::parseOptionalColon},
      {",", &P::parseComma, &P::parseOptionalComma},
      {"=", &P::parseEqual, &P::parseOptionalEqual},
      {"->", &P::parseArrow, &P::parseOptionalArrow},
      {"(", &P::parseLParen, &P::parseOptionalLParen},
      {")", &P::parseRParen, &P::parseOptionalRParen},
      {"[", &P::parseLSquare, &P::parseOptionalLSquare},
      {"]", &P::parseRSquare, &P::parseOptionalRSquare},
      {"<", &P::parseLess, &P::parseOptionalLess},
      {">", &P::parseGreater, &P::parseOptionalGreater},
      {"{", &P::parseLBrace, &P::parseOptionalLBrace},
      {"}", &P::parseRBrace, &P::parseOptionalRBrace},
      {"?", &P::parseQuestion, &P::parseOptionalQuestion},
      {"*", &P::parseStar, &P::parseOptionalStar},
      {"+", &P::parsePlus, &P::parseOptionalPlus},
      {"-", &P::parseMinus, &P::parseOptionalMinus},
      {"/", &P::parseSlash, &P::parseOptionalSlash},
      {"|", &P::parseVerticalBar, &P::parseOptionalVerticalBar},
      {"...", &P::parseEllipsis, &P::parseOptionalEllipsis}};
  for (const Punctuation &row : table)
    if (row.spelling == spelling)
      return &row;
  return nullptr;
}

bool mloptParseToken(MloptParser p, const char *spelling) {
  AsmParser &base = fromHandle(p).base;
  if (const Punctuation *row = findPunctuation(spelling))
    return succeeded((base.*row->required)());
  return succeeded(base.parseKeyword(spelling));
}

bool mloptParseOptionalToken(MloptParser p, const char *spelling) {
  AsmParser &base = fromHandle(p).base;
  if (const Punctuation *row = findPunctuation(spelling))
    return succeeded((base.*row->optional)());
  return succeeded(base.parseOptionalKeyword(spelling));
}

bool mloptParseKeyword(MloptParser p, MlirStringRef *out) {
  StringRef keyword;
  if (failed(fromHandle(p).base.parseKeyword(&keyword)))
    return false;
  *out = wrap(keyword);
  return true;
}

bool mloptParseOptionalKeyword(MloptParser p, MlirStringRef *out) {
  StringRef keyword;
  if (failed(fromHandle(p).base.parseOptionalKeyword(&keyword)))
    return false;
  *out = wrap(keyword);
  return true;
}

bool mloptParseInteger(MloptParser p, int64_t *out) {
  return succeeded(fromHandle(p).base.parseInteger(*out));
}

bool mloptParseOptionalInteger(MloptParser p, int64_t *out) {
  OptionalParseResult r = fromHandle(p).base.parseOptionalInteger(*out);
  return r.has_value() && succeeded(*r);
}

bool mloptParseSymbolName(MloptParser p, MlirAttribute *out) {
  StringAttr name;
  if (failed(fromHandle(p).base.parseSymbolName(name)))
    return false;
  *out = wrap(Attribute(name));
  return true;
}

bool mloptParseAttribute(MloptParser p, MlirType type, MlirAttribute *out) {
  Attribute attr;
  if (failed(fromHandle(p).base.parseAttribute(attr, unwrap(type))))
    return false;
  *out = wrap(attr);
  return true;
}

bool mloptParseOptionalAttribute(MloptParser p, MlirAttribute *out) {
  Attribute attr;
  OptionalParseResult r = fromHandle(p).base.parseOptionalAttribute(attr);
  if (!r.has_value() || failed(*r))
    return false;
  *out = wrap(attr);
  return true;
}

int mloptParseOptionalAlias(MloptParser p, MlirAttribute *out) {
  bool there = true;
  Attribute attr;
  // The callback is what MLIR calls when the next token is no `#name`.
  if (failed(fromHandle(p).base.parseCustomAttributeWithFallback(
          attr, Type(), [&](Attribute &, Type) -> ParseResult {
            there = false;
            return success();
          })))
    return -1;
  *out = wrap(attr);
  return there;
}

bool mloptParseType(MloptParser p, MlirType *out) {
  Type type;
  if (failed(fromHandle(p).base.parseType(type)))
    return false;
  *out = wrap(type);
  return true;
}

//===----------------------------------------------------------------------===//
// Parser: operations only
//===----------------------------------------------------------------------===//

intptr_t mloptParseOperand(MloptParser handle) {
  mlopt::Parser &p = fromHandle(handle);
  if (failed(p.op->parseOperand(p.operands.emplace_back())))
    return -1;
  return p.operands.size() - 1;
}

intptr_t mloptParseOptionalOperand(MloptParser handle) {
  mlopt::Parser &p = fromHandle(handle);
  OpAsmParser::UnresolvedOperand operand;
  OptionalParseResult r = p.op->parseOptionalOperand(operand);
  if (!r.has_value() || failed(*r))
    return -1;
  p.operands.push_back(operand);
  return p.operands.size() - 1;
}

bool mloptResolveOperand(MloptParser handle, intptr_t operand, MlirType type) {
  mlopt::Parser &p = fromHandle(handle);
  return succeeded(p.op->resolveOperand(p.operands[operand], unwrap(type),
                                        p.state->operands));
}

intptr_t mloptParseArgument(MloptParser handle, bool withType) {
  mlopt::Parser &p = fromHandle(handle);
  if (failed(p.op->parseArgument(p.arguments.emplace_back(), withType)))
    return -1;
  return p.arguments.size() - 1;
}

void mloptSetArgumentType(MloptParser p, intptr_t argument, MlirType type) {
  fromHandle(p).arguments[argument].type = unwrap(type);
}

bool mloptParseRegion(MloptParser handle, intptr_t numArguments,
                      const intptr_t *arguments) {
  mlopt::Parser &p = fromHandle(handle);
  SmallVector<OpAsmParser::Argument> args;
  for (intptr_t i = 0; i < numArguments; ++i)
    args.push_back(p.arguments[arguments[i]]);
  // Arguments of an isolated region may have the names of values outside.
  bool shadows = p.def->traits & MLOPT_ISOLATED_FROM_ABOVE;
  return succeeded(p.op->parseRegion(*p.state->addRegion(), args, shadows));
}

int mloptParseOptionalRegion(MloptParser handle, intptr_t numArguments,
                             const intptr_t *arguments) {
  mlopt::Parser &p = fromHandle(handle);
  SmallVector<OpAsmParser::Argument> args;
  for (intptr_t i = 0; i < numArguments; ++i)
    args.push_back(p.arguments[arguments[i]]);
  auto region = std::make_unique<Region>();
  OptionalParseResult r = p.op->parseOptionalRegion(*region, args);
  if (!r.has_value())
    return 0;
  if (failed(*r))
    return -1;
  p.state->addRegion(std::move(region));
  return 1;
}

MlirRegion mloptParserAddRegion(MloptParser p) {
  return wrap(fromHandle(p).state->addRegion());
}

bool mloptParseOptionalAttrDict(MloptParser p) {
  AsmParser &base = fromHandle(p).base;
  NamedAttrList &attributes = fromHandle(p).state->attributes;
  NamedAttrList dict;
  SMLoc begin = base.getCurrentLocation();
  if (failed(base.parseOptionalAttrDict(dict)))
    return false;
  for (NamedAttribute named : dict) {
    if (attributes.get(named.getName())) {
      base.emitError(begin, "attribute '")
          << named.getName().getValue() << "' is given twice";
      return false;
    }
    attributes.append(named);
  }
  return true;
}

void mloptParserAddAttribute(MloptParser p, const char *name,
                             MlirAttribute attr) {
  fromHandle(p).state->attributes.set(name, unwrap(attr));
}

MlirAttribute mloptParserGetAttribute(MloptParser p, const char *name) {
  return wrap(fromHandle(p).state->attributes.get(name));
}

void mloptParserAddResultType(MloptParser p, MlirType type) {
  fromHandle(p).state->addTypes(unwrap(type));
}

intptr_t mloptParserGetNumOperands(MloptParser p) {
  return fromHandle(p).state->operands.size();
}

MlirType mloptParserGetOperandType(MloptParser p, intptr_t index) {
  return wrap(fromHandle(p).state->operands[index].getType());
}

bool mloptParserInferTypes(MloptParser handle) {
  mlopt::Parser &p = fromHandle(handle);
  // Defaults are not in the attribute list yet.
  NamedAttrList attrs(p.state->attributes);
  for (int i = 0; i < p.def->numAttrs; ++i) {
    const MloptAttrSpec &spec = p.def->attrs[i];
    if (spec.byDefault && !attrs.get(spec.name))
      attrs.set(spec.name, parseAttribute(spec.byDefault, p.base.getContext()));
  }
  SmallVector<Region *> regions;
  for (auto &region : p.state->regions)
    regions.push_back(region.get());
  Location loc = p.base.getEncodedSourceLoc(p.base.getNameLoc());
  SmallVector<Type> types;
  if (failed(mlopt::inferTypes(
          p.def, p.base.getContext(), loc, p.state->operands,
          attrs.getDictionary(p.base.getContext()), regions, types)))
    return false;
  p.state->addTypes(types);
  return true;
}

//===----------------------------------------------------------------------===//
// Printer
//===----------------------------------------------------------------------===//

void mloptPrintText(MloptPrinter p, const char *text) { printer(p) << text; }
void mloptPrintString(MloptPrinter p, MlirStringRef text) {
  printer(p) << unwrap(text);
}
void mloptPrintInteger(MloptPrinter p, int64_t value) { printer(p) << value; }
void mloptPrintOperand(MloptPrinter p, MlirValue value) {
  opPrinter(p).printOperand(unwrap(value));
}
void mloptPrintType(MloptPrinter p, MlirType type) {
  printer(p).printType(unwrap(type));
}
void mloptPrintAttribute(MloptPrinter p, MlirAttribute attr) {
  printer(p).printAttribute(unwrap(attr));
}
void mloptPrintAttributeWithoutType(MloptPrinter p, MlirAttribute attr) {
  printer(p).printAttributeWithoutType(unwrap(attr));
}
void mloptPrintSymbolName(MloptPrinter p, MlirStringRef name) {
  printer(p).printSymbolName(unwrap(name));
}
void mloptPrintRegion(MloptPrinter p, MlirRegion region, bool printArguments) {
  opPrinter(p).printRegion(*unwrap(region), printArguments);
}

void mloptPrintOptionalAttrDict(MloptPrinter p, MlirOperation handle,
                                intptr_t numElided, const char *const *elided) {
  Operation *op = unwrap(handle);
  SmallVector<StringRef> names;
  for (intptr_t i = 0; i < numElided; ++i)
    names.push_back(elided[i]);
  if (const MloptOpDef *def = mloptGetOpDef(handle))
    for (int i = 0; i < def->numAttrs; ++i) {
      const MloptAttrSpec &spec = def->attrs[i];
      if (spec.byDefault &&
          op->getAttr(spec.name) ==
              parseAttribute(spec.byDefault, op->getContext()))
        names.push_back(spec.name);
    }
  opPrinter(p).printOptionalAttrDict(op->getAttrs(), names);
}
