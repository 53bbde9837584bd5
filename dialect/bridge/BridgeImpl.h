//===- BridgeImpl.h - What the bridge's C++ files share ---------*- C++ -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_DIALECT_BRIDGE_BRIDGEIMPL_H
#define MLOPT_DIALECT_BRIDGE_BRIDGEIMPL_H

#include "bridge.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/OperationSupport.h"

#include <memory>

namespace mlopt {

/// The state behind a MloptParser. `op` and `state` are null while an attribute
/// or a type is parsed.
struct Parser {
  mlir::AsmParser &base;
  mlir::OpAsmParser *op = nullptr;
  mlir::OperationState *state = nullptr;
  const MloptOpDef *def = nullptr;
  llvm::SmallVector<mlir::OpAsmParser::UnresolvedOperand> operands;
  llvm::SmallVector<mlir::OpAsmParser::Argument> arguments;
};
inline MloptParser toHandle(Parser &p) { return {&p}; }
inline Parser &fromHandle(MloptParser p) {
  return *static_cast<Parser *>(p.ptr);
}

/// The state behind a MloptPrinter; `op` is null outside operations.
struct Printer {
  mlir::AsmPrinter &base;
  mlir::OpAsmPrinter *op = nullptr;
};
inline MloptPrinter toHandle(Printer &p) { return {&p}; }

/// Result types by the table's rule; fails after a diagnostic at `loc` when
/// there is one.
mlir::LogicalResult inferTypes(const MloptOpDef *def, mlir::MLIRContext *ctx,
                               std::optional<mlir::Location> loc,
                               mlir::ValueRange operands,
                               mlir::DictionaryAttr attrs,
                               mlir::RegionRange regions,
                               llvm::SmallVectorImpl<mlir::Type> &types);

/// Registers one operation of a table dialect.
void registerOp(mlir::Dialect *dialect, const MloptDialectDef *dialectDef,
                const MloptOpDef *def);

/// "name" of a formatted message; messages longer than the buffer are cut.
std::string formatMessage(const char *format, va_list args);

/// Whether libMLIR was built by Clang, which decides how it spells the names
/// its trait TypeIDs are made from.
bool isMlirBuiltByClang(mlir::MLIRContext *ctx);

/// Whether `id` is that of one of the traits (MloptTrait); `clang` as above.
bool hasTrait(unsigned traits, mlir::TypeID id, bool clang);

} // namespace mlopt

#endif // MLOPT_DIALECT_BRIDGE_BRIDGEIMPL_H
