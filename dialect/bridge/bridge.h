//===- bridge.h - What mlir-c lacks to define dialects and passes -*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C face of the only C++ in mlopt. A dialect, its operations, attributes
// and types, and a pass are each a constant C table; the C++ side turns a
// table into the subclass that MLIR wants and calls back into C. The address
// of a table is its TypeID, so every table is `static const` or `extern const`
// and carries MLOPT_TABLE.
//
// Nothing here is mutable after start-up: tables may be registered in many
// contexts on many threads at once.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_DIALECT_BRIDGE_BRIDGE_H
#define MLOPT_DIALECT_BRIDGE_BRIDGE_H

#include "mlir-c/Diagnostics.h"
#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"
#include "mlir-c/Rewrite.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MLOPT_EXPORT __attribute__((visibility("default")))
/// A table's address serves as a TypeID, which must be 8-byte aligned.
#define MLOPT_TABLE __attribute__((aligned(8)))

//===----------------------------------------------------------------------===//
// Assembly: parser and printer handles
//===----------------------------------------------------------------------===//

/// Lives for one parse callback; borrowed.
typedef struct MloptParser {
  void *ptr;
} MloptParser;
/// Lives for one print callback; borrowed.
typedef struct MloptPrinter {
  void *ptr;
} MloptPrinter;

// Every `mloptParse*` returns false after reporting one error at the current
// position; every `mloptParseOptional*` returns false and consumes nothing
// when the thing is not there.

MlirContext mloptParserGetContext(MloptParser);
/// The current position, as a location for diagnostics.
MlirLocation mloptParserGetLocation(MloptParser);
/// Reports an error at the current position and returns false.
bool mloptParserError(MloptParser, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/// The current position, cheaply, and an error there when more was parsed.
const char *mloptParserGetPosition(MloptParser);
bool mloptParserErrorAt(MloptParser, const char *position, const char *format,
                        ...) __attribute__((format(printf, 3, 4)));
/// A punctuation token (`: , = -> ( ) [ ] < > { } ? * + - / | ...`) or a
/// keyword, by its spelling.
bool mloptParseToken(MloptParser, const char *spelling);
bool mloptParseOptionalToken(MloptParser, const char *spelling);
/// Any bare keyword (may contain dots); `out` borrows the source buffer.
bool mloptParseKeyword(MloptParser, MlirStringRef *out);
bool mloptParseOptionalKeyword(MloptParser, MlirStringRef *out);
bool mloptParseInteger(MloptParser, int64_t *out);
bool mloptParseOptionalInteger(MloptParser, int64_t *out);
/// `@name`, as a flat symbol's StringAttr.
bool mloptParseSymbolName(MloptParser, MlirAttribute *out);
/// `type` may be null: then the attribute spells its own type.
bool mloptParseAttribute(MloptParser, MlirType type, MlirAttribute *out);
/// Only attributes that start with a bracket, brace, string or `@`.
bool mloptParseOptionalAttribute(MloptParser, MlirAttribute *out);
/// `#name...`, for an attribute that has another, shorter spelling: 1 parsed,
/// 0 not there, -1 after an error.
int mloptParseOptionalAlias(MloptParser, MlirAttribute *out);
bool mloptParseType(MloptParser, MlirType *out);

// Operations only (not attributes or types):

/// Parses `%name` and returns its handle, or -1. It becomes an operand of the
/// operation when it is resolved; operands are in order of resolution.
intptr_t mloptParseOperand(MloptParser);
/// The same; -1 without an error when there is no `%`.
intptr_t mloptParseOptionalOperand(MloptParser);
bool mloptResolveOperand(MloptParser, intptr_t operand, MlirType type);
/// `%name`, with `: type` when `withType`; the handle of a region argument.
intptr_t mloptParseArgument(MloptParser, bool withType);
void mloptSetArgumentType(MloptParser, intptr_t argument, MlirType type);
/// `{ ... }` as the operation's next region; its entry block has the listed
/// arguments.
bool mloptParseRegion(MloptParser, intptr_t numArguments,
                      const intptr_t *arguments);
/// The same when there is a `{`: 1 parsed, 0 not there, -1 after an error.
int mloptParseOptionalRegion(MloptParser, intptr_t numArguments,
                             const intptr_t *arguments);
/// An empty region, for operations whose short form leaves it out; the region
/// may be filled by the callback before it returns.
MlirRegion mloptParserAddRegion(MloptParser);
/// `{...}` when there; its entries are added to the operation.
bool mloptParseOptionalAttrDict(MloptParser);
void mloptParserAddAttribute(MloptParser, const char *name, MlirAttribute);
/// Null when the attribute was not parsed yet.
MlirAttribute mloptParserGetAttribute(MloptParser, const char *name);
void mloptParserAddResultType(MloptParser, MlirType);
/// Types of the operands resolved so far.
intptr_t mloptParserGetNumOperands(MloptParser);
MlirType mloptParserGetOperandType(MloptParser, intptr_t index);
/// Adds the result types that the operation's `inferTypes` gives for what was
/// parsed so far (operands, attributes, regions).
bool mloptParserInferTypes(MloptParser);

void mloptPrintText(MloptPrinter, const char *text);
void mloptPrintString(MloptPrinter, MlirStringRef text);
void mloptPrintInteger(MloptPrinter, int64_t);
void mloptPrintOperand(MloptPrinter, MlirValue);
void mloptPrintType(MloptPrinter, MlirType);
void mloptPrintAttribute(MloptPrinter, MlirAttribute);
/// Without the trailing `: type`.
void mloptPrintAttributeWithoutType(MloptPrinter, MlirAttribute);
void mloptPrintSymbolName(MloptPrinter, MlirStringRef name);
/// `printArguments`: the entry block's arguments as `^bb0(...)`.
void mloptPrintRegion(MloptPrinter, MlirRegion, bool printArguments);
/// ` {...}` of all attributes but the elided ones and those at their default;
/// nothing when none is left.
void mloptPrintOptionalAttrDict(MloptPrinter, MlirOperation, intptr_t numElided,
                                const char *const *elided);

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

typedef enum MloptTrait {
  MLOPT_TERMINATOR = 1 << 0,
  MLOPT_NO_TERMINATOR = 1 << 1,
  MLOPT_ISOLATED_FROM_ABOVE = 1 << 2,
  MLOPT_SINGLE_BLOCK = 1 << 3,
  MLOPT_COMMUTATIVE = 1 << 4,
  MLOPT_SAME_TYPE = 1 << 5,         ///< operands and results all of one type
  MLOPT_PURE = 1 << 6,              ///< no memory effect and speculatable
  MLOPT_RECURSIVE_EFFECTS = 1 << 7, ///< those of the operations inside
  MLOPT_RETURN_LIKE = 1 << 8,
  MLOPT_CONSTANT_LIKE = 1 << 9,
  MLOPT_ELEMENTWISE = 1 << 10, ///< upstream's Elementwise, Scalarizable, ...
  MLOPT_IDEMPOTENT = 1 << 11,
  MLOPT_INVOLUTION = 1 << 12,
  MLOPT_GENERIC_PRINT = 1 << 13, ///< has assembly to parse, prints generically
} MloptTrait;

/// An operand, result or attribute of an operation.
typedef struct MloptValueSpec {
  const char *name;
  bool (*is)(MlirType);
  const char *what; ///< what `is` accepts, for diagnostics and documentation
  bool variadic;    ///< zero or more; only the last of a list may be
} MloptValueSpec;

typedef struct MloptAttrSpec {
  const char *name;
  bool (*is)(MlirAttribute);
  const char *what;
  bool optional;
  const char *byDefault; ///< the default's text, or NULL
} MloptAttrSpec;

typedef struct MloptFoldResult {
  MlirAttribute attr; ///< a constant, or
  MlirValue value;    ///< an existing value
} MloptFoldResult;

/// What type inference may look at; everything is borrowed.
typedef struct MloptInferArgs {
  MlirContext context;
  MlirLocation location; ///< null when errors are to be silent
  intptr_t numOperands;
  const MlirType *operandTypes;
  MlirAttribute attributes; ///< a dictionary, defaults filled in
  intptr_t numRegions;
  const MlirRegion *regions;
  intptr_t maxResults; ///< how many `results` may hold
} MloptInferArgs;

typedef struct MloptOpDef MloptOpDef;
struct MloptOpDef {
  const char *name; ///< with its dialect: "mlopt.add"
  unsigned traits;  ///< MloptTrait
  const MloptValueSpec *operands;
  int numOperands;
  const MloptValueSpec *results;
  int numResults;
  const MloptAttrSpec *attrs; ///< inherent attributes, kept as properties
  int numAttrs;
  int numRegions;       ///< -1: any number
  const char *parent;   ///< the one operation that may hold this, or NULL
  const char *assembly; ///< the format of dialect/assembly.h, or NULL
  const char *summary;  ///< one line
  const char *doc;      ///< semantics: rounding, NaN, corner cases, bounds
  const char *example;  ///< one line of assembly
  /// Custom assembly; NULL with `assembly` set means the format does it.
  bool (*parse)(const MloptOpDef *, MloptParser);
  void (*print)(const MloptOpDef *, MlirOperation, MloptPrinter);
  /// Called after operand, result and attribute specs hold; reports with
  /// mloptOpError.
  MlirLogicalResult (*verify)(MlirOperation);
  /// The same, after the operations inside verified.
  MlirLogicalResult (*verifyRegions)(MlirOperation);
  /// `constants[i]` is null where operand i is no constant. Fills one result
  /// for each result of the operation and succeeds; or fails, the operation
  /// untouched. Success with all results null means changed in place.
  MlirLogicalResult (*fold)(MlirOperation, const MlirAttribute *constants,
                            MloptFoldResult *results);
  /// Writes at most `maxResults` types; returns how many, or -1 after one
  /// diagnostic. When set, the verifier compares the result types with it
  /// (a `?` matches any size).
  intptr_t (*inferTypes)(const MloptOpDef *, const MloptInferArgs *,
                         MlirType *results);
  void (*canonicalizers)(MlirRewritePatternSet, MlirContext);
};

static inline MlirTypeID mloptOpDefGetTypeID(const MloptOpDef *def) {
  MlirTypeID id = {def};
  return id;
}
/// Whether `op` is the operation that `def` describes: a pointer comparison.
static inline bool mloptIsA(MlirOperation op, const MloptOpDef *def) {
  return mlirTypeIDEqual(mlirOperationGetTypeID(op), mloptOpDefGetTypeID(def));
}
/// The table of an operation of a table dialect; NULL for any other.
MLOPT_EXPORT const MloptOpDef *mloptGetOpDef(MlirOperation);

//===----------------------------------------------------------------------===//
// Attributes, types, dialects
//===----------------------------------------------------------------------===//

/// A dialect attribute: `#dialect.mnemonic...` over a list of attributes.
typedef struct MloptAttrDef {
  const char *mnemonic;
  /// A complaint, or NULL when the parameters are right.
  const char *(*verify)(intptr_t numParams, const MlirAttribute *params);
  /// What follows the mnemonic; fills at most `maxParams` parameters and
  /// returns how many, -1 after an error. NULL: `<p0, p1, ...>`.
  intptr_t (*parse)(MloptParser, intptr_t maxParams, MlirAttribute *params);
  void (*print)(MloptPrinter, intptr_t numParams, const MlirAttribute *params);
} MloptAttrDef;

/// A dialect type, `!dialect.mnemonic` with parameters likewise.
typedef MloptAttrDef MloptTypeDef;

/// Another mnemonic with which an attribute may be written.
typedef struct MloptAttrAlias {
  const char *alias;
  const char *mnemonic;
} MloptAttrAlias;

typedef struct MloptDialectDef {
  const char *ns;
  const MloptOpDef *const *ops;
  int numOps;
  const MloptAttrDef *attrs;
  int numAttrs;
  const MloptAttrAlias *attrAliases; ///< ends with NULL; may be NULL
  const MloptTypeDef *types;
  int numTypes;
  /// NULL-terminated; loaded with this one. May be NULL.
  MlirDialectHandle (*const *dependent)(void);
  /// Parses and prints operations that have `assembly` and no own callback.
  bool (*parseOp)(const MloptOpDef *, MloptParser);
  void (*printOp)(const MloptOpDef *, MlirOperation, MloptPrinter);
  /// A detached constant operation for a fold's result, or null.
  MlirOperation (*materializeConstant)(MlirAttribute, MlirType, MlirLocation);
  /// `ns.*` attributes on any operation, argument or result: one diagnostic
  /// and failure when the attribute is unknown or wrong. `index` is -1 for the
  /// operation itself; `isArgument` tells arguments from results.
  MlirLogicalResult (*verifyAttribute)(MlirOperation, MlirNamedAttribute,
                                       intptr_t index, bool isArgument);
  /// Refuse discardable attributes without a dialect prefix on own operations.
  bool strictAttributes;
} MloptDialectDef;

MLOPT_EXPORT extern const MloptDialectDef mloptDialect;
MLOPT_EXPORT extern const MloptDialectDef mloptStablehloDialect;
MLOPT_EXPORT extern const MloptDialectDef mloptChloDialect;
MLOPT_EXPORT MlirDialectHandle mlirGetDialectHandle__mlopt__(void);
MLOPT_EXPORT MlirDialectHandle mlirGetDialectHandle__stablehlo__(void);
MLOPT_EXPORT MlirDialectHandle mlirGetDialectHandle__chlo__(void);

/// Builds `#ns.mnemonic` from its table; asserts that the dialect is loaded.
MlirAttribute mloptAttrGet(MlirContext, const MloptAttrDef *,
                           intptr_t numParams, const MlirAttribute *params);
bool mloptAttrIsA(MlirAttribute, const MloptAttrDef *);
MlirAttribute mloptAttrGetParam(MlirAttribute, intptr_t index);
bool mloptTypeIsA(MlirType, const MloptTypeDef *);

//===----------------------------------------------------------------------===//
// Diagnostics and remarks
//===----------------------------------------------------------------------===//

typedef struct MloptNote {
  MlirLocation location;
  const char *message;
} MloptNote;
void mloptEmit(MlirLocation, MlirDiagnosticSeverity, const char *message,
               intptr_t numNotes, const MloptNote *);
/// Reports "'name' op <message>" at the operation, with the operation shown as
/// MLIR does, and returns failure.
MlirLogicalResult mloptOpError(MlirOperation, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/// Reports at a location (if not null) and returns failure.
MlirLogicalResult mloptErrorAt(MlirLocation, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// As in mlir-c of LLVM 24, under its name.
typedef enum MlirRemarkKind {
  MlirRemarkKindUnknown,
  MlirRemarkKindPassed,
  MlirRemarkKindMissed,
  MlirRemarkKindFailure,
  MlirRemarkKindAnalysis
} MlirRemarkKind;
bool mlirEmitOptimizationRemark(MlirLocation, MlirRemarkKind,
                                MlirStringRef remarkName,
                                MlirStringRef category,
                                MlirStringRef subCategory,
                                MlirStringRef function, MlirStringRef message,
                                intptr_t numArgs, const MlirStringRef *keys,
                                const MlirStringRef *values);

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

typedef enum MloptOptionKind {
  MLOPT_OPTION_BOOL,
  MLOPT_OPTION_INT,
  MLOPT_OPTION_STRING,
  MLOPT_OPTION_INT_LIST
} MloptOptionKind;

typedef struct MloptOptionDef {
  const char *name;
  MloptOptionKind kind;
  const char *help;
  int64_t intDefault;
  const char *stringDefault;
} MloptOptionDef;

/// A running pass, or the parsed options of a pipeline; borrowed.
typedef struct MloptPass {
  void *ptr;
} MloptPass;

typedef struct MloptPassDef {
  const char *argument; ///< "mlopt-fuse"
  const char *summary;
  const char *doc;
  const char *anchor; ///< "func.func", "builtin.module"; NULL: any operation
  const MloptOptionDef *options;
  int numOptions;
  /// NULL-terminated list of dialects the pass may create; may be NULL.
  MlirDialectHandle (*const *dependent)(void);
  /// Textual pipelines, anchored ("builtin.module(cse)"), that `run` hands to
  /// mloptPassRunPipeline, so that their dialects are loaded beforehand;
  /// NULL-terminated; may be NULL.
  const char *const *pipelines;
  void (*run)(MlirOperation, MloptPass);
} MloptPassDef;

/// A named pipeline, built as text from its options.
typedef struct MloptPipelineDef {
  const char *argument;
  const char *summary;
  const char *doc;
  const MloptOptionDef *options;
  int numOptions;
  /// Writes the elements ("canonicalize,func.func(cse)") with mloptPassAppend.
  void (*build)(MloptPass options);
} MloptPipelineDef;

MLOPT_EXPORT void mloptRegisterPass(const MloptPassDef *);
MLOPT_EXPORT MlirPass mloptCreatePass(const MloptPassDef *);
MLOPT_EXPORT void mloptRegisterPipeline(const MloptPipelineDef *);
bool mloptPassGetBool(MloptPass, int option);
int64_t mloptPassGetInt(MloptPass, int option);
MlirStringRef mloptPassGetString(MloptPass, int option);
intptr_t mloptPassGetIntList(MloptPass, int option, const int64_t **values);
void mloptPassAppend(MloptPass, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void mloptPassSignalFailure(MloptPass);
/// Runs an anchored textual pipeline on `op`, inside the running pass'
/// instrumentation.
MlirLogicalResult mloptPassRunPipeline(MloptPass, const char *pipeline,
                                       MlirOperation op);

//===----------------------------------------------------------------------===//
// Small gaps in mlir-c
//===----------------------------------------------------------------------===//

/// Clones `op` and everything inside, its operands renamed: value `from[i]`
/// becomes `to[i]`. The clone is detached; the caller owns it.
MlirOperation mloptCloneWithMapping(MlirOperation op, intptr_t numValues,
                                    const MlirValue *from, const MlirValue *to);
/// The bytes of a dense_resource attribute, borrowed; null for any other, and
/// where the blob was left out.
MlirStringRef mloptResourceGetBytes(MlirAttribute);
/// Replaces the function's argument and result attribute lists as well as its
/// type; null dictionaries for none.
void mloptFuncSetType(MlirOperation func, MlirType functionType);
/// MLIR's dialects between tensors and NVIDIA's GPUs, with their interface
/// models and transform operations; and the passes on them. No code for other
/// processors comes along.
void mloptRegisterUpstreamDialects(MlirDialectRegistry);
void mloptRegisterUpstreamPasses(void);
/// Lets gpu.module operations be translated to LLVM IR in any context made from
/// the registry.
void mloptRegisterLLVMTranslations(MlirDialectRegistry);
/// MlirOptMain with every flag of mlir-opt.
MLOPT_EXPORT int mloptOptMain(int argc, char **argv, const char *toolName,
                              MlirDialectRegistry);
/// mlir-lsp-server's main.
MLOPT_EXPORT int mloptLspMain(int argc, char **argv, MlirDialectRegistry);

//===----------------------------------------------------------------------===//
// Dialect conversion, under the names of LLVM 23's mlir-c
//===----------------------------------------------------------------------===//

#define MLOPT_HANDLE(name)                                                     \
  typedef struct name {                                                        \
    void *ptr;                                                                 \
  } name
MLOPT_HANDLE(MlirConversionTarget);
MLOPT_HANDLE(MlirConversionConfig);
MLOPT_HANDLE(MlirTypeConverter);
MLOPT_HANDLE(MlirConversionPattern);
MLOPT_HANDLE(MlirConversionPatternRewriter);

MlirConversionTarget mlirConversionTargetCreate(MlirContext);
void mlirConversionTargetDestroy(MlirConversionTarget);
void mlirConversionTargetAddLegalOp(MlirConversionTarget, MlirStringRef);
void mlirConversionTargetAddIllegalOp(MlirConversionTarget, MlirStringRef);
void mlirConversionTargetAddLegalDialect(MlirConversionTarget, MlirStringRef);
void mlirConversionTargetAddIllegalDialect(MlirConversionTarget, MlirStringRef);
typedef enum MlirConversionTargetLegality {
  MlirConversionTargetLegalityUnknown,
  MlirConversionTargetLegalityLegal,
  MlirConversionTargetLegalityIllegal
} MlirConversionTargetLegality;
typedef MlirConversionTargetLegality (
    *MlirConversionTargetDynamicLegalityCallback)(MlirOperation,
                                                  void *userData);
void mlirConversionTargetAddDynamicallyLegalOp(
    MlirConversionTarget, MlirStringRef opName,
    MlirConversionTargetDynamicLegalityCallback, void *userData);
void mlirConversionTargetMarkUnknownOpDynamicallyLegal(
    MlirConversionTarget, MlirConversionTargetDynamicLegalityCallback,
    void *userData);

MlirTypeConverter mlirTypeConverterCreate(void);
void mlirTypeConverterDestroy(MlirTypeConverter);
/// Success with a null `convertedType` declines; failure refuses the type.
typedef MlirLogicalResult (*MlirTypeConverterConversionCallback)(
    MlirType, MlirType *convertedType, void *userData);
void mlirTypeConverterAddConversion(MlirTypeConverter,
                                    MlirTypeConverterConversionCallback,
                                    void *userData);
MlirType mlirTypeConverterConvertType(MlirTypeConverter, MlirType);

typedef struct MlirConversionPatternCallbacks {
  void (*construct)(void *userData);
  void (*destruct)(void *userData);
  MlirLogicalResult (*matchAndRewrite)(MlirConversionPattern, MlirOperation,
                                       intptr_t nOperands, MlirValue *operands,
                                       MlirConversionPatternRewriter,
                                       void *userData);
} MlirConversionPatternCallbacks;
MlirConversionPattern mlirOpConversionPatternCreate(
    MlirStringRef rootName, unsigned benefit, MlirContext, MlirTypeConverter,
    MlirConversionPatternCallbacks, void *userData, size_t nGeneratedNames,
    MlirStringRef *generatedNames);
MlirTypeConverter mlirConversionPatternGetTypeConverter(MlirConversionPattern);
MlirRewritePattern mlirConversionPatternAsRewritePattern(MlirConversionPattern);
MlirPatternRewriter mlirConversionPatternRewriterAsPatternRewriter(
    MlirConversionPatternRewriter);
MlirLogicalResult mlirConversionPatternRewriterConvertRegionTypes(
    MlirConversionPatternRewriter, MlirRegion, MlirTypeConverter);

MlirConversionConfig mlirConversionConfigCreate(void);
void mlirConversionConfigDestroy(MlirConversionConfig);
typedef enum {
  MLIR_DIALECT_CONVERSION_FOLDING_MODE_NEVER,
  MLIR_DIALECT_CONVERSION_FOLDING_MODE_BEFORE_PATTERNS,
  MLIR_DIALECT_CONVERSION_FOLDING_MODE_AFTER_PATTERNS
} MlirDialectConversionFoldingMode;
void mlirConversionConfigSetFoldingMode(MlirConversionConfig,
                                        MlirDialectConversionFoldingMode);
MlirLogicalResult mlirApplyFullConversion(MlirOperation, MlirConversionTarget,
                                          MlirFrozenRewritePatternSet,
                                          MlirConversionConfig);
MlirLogicalResult mlirApplyPartialConversion(MlirOperation,
                                             MlirConversionTarget,
                                             MlirFrozenRewritePatternSet,
                                             MlirConversionConfig);

/// Upstream's patterns that convert func.func/call/return, and scf, through a
/// type converter; scf's operations become legal on `target` once converted.
void mloptPopulateFuncConversion(MlirRewritePatternSet, MlirTypeConverter,
                                 MlirConversionTarget);
void mloptPopulateScfConversion(MlirRewritePatternSet, MlirTypeConverter,
                                MlirConversionTarget);

/// Replaces types and attributes everywhere in and on `op` and what it holds:
/// results, block arguments, attributes, and inside other types. A callback
/// returns null to leave its argument; what it returns is not looked into.
void mloptReplaceTypes(MlirOperation op,
                       MlirType (*replaceType)(MlirType, void *),
                       MlirAttribute (*replaceAttr)(MlirAttribute, void *),
                       void *userData);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // MLOPT_DIALECT_BRIDGE_BRIDGE_H
