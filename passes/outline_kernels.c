//===- outline_kernels.c - From tensors to a launch plan ------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `mlopt-outline-kernels` turns each function of fusions into a launch plan:
// arguments and results are buffers, every fusion is a kernel in a gpu.module
// and a gpu.launch_func, control flow carries nothing.
//
//   func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
//     %r = mlopt.fusion (%a = %x : tensor<8xf32>) -> tensor<8xf32> { BODY }
//     return %r : tensor<8xf32>
//   }
// becomes
//   gpu.module @f_kernel_0 {
//     llvm.func @f_kernel_0(%p: !llvm.ptr, %q: !llvm.ptr)
//         attributes {gpu.kernel, nvvm.kernel} {
//       %a = builtin.unrealized_conversion_cast %p : !llvm.ptr to tensor<8xf32>
//       BODY, and its result %0 goes to %q:
//       %m = builtin.unrealized_conversion_cast %q : !llvm.ptr to memref<8xf32>
//       bufferization.materialize_in_destination %0 in writable %m
//       llvm.return
//     }
//   }
//   func.func @f(%x: memref<8xf32>, %out: memref<8xf32>) {
//     gpu.launch_func @f_kernel_0::@f_kernel_0 ... args(%x, %out)
//     return
//   }
//
// A fusion writes a result of the function straight into the caller's buffer;
// every other buffer is a memref.alloc at the function's start, whose place
// mlopt-plan-memory finds. Reshapes cost nothing: buffers have no shape that a
// kernel looks at. A loop's values live in buffers of its own, into which each
// turn copies what it yields.
//
//===----------------------------------------------------------------------===//

#include "outline_impl.h"

#include "dialect.h"
#include "launch.h"
#include "passes.h"

#include "mlir-c/Dialect/Arith.h"
#include "mlir-c/Dialect/Bufferization.h"
#include "mlir-c/Dialect/GPU.h"
#include "mlir-c/Dialect/LLVM.h"
#include "mlir-c/Dialect/MemRef.h"
#include "mlir-c/Dialect/NVVM.h"

#include <stdio.h>
#include <stdlib.h>

void mloptOutlineBind(MloptOutline *o, MlirValue from, MlirValue to) {
  o->failed |= !mloptValueMapAdd(&o->map, from, to);
}

MlirValue mloptOutlineFind(const MloptOutline *o, MlirValue value) {
  return mloptValueMapFind(&o->map, value);
}

void mloptOutlineRefuse(MloptOutline *o, MlirOperation op, const char *why) {
  if (!o->failed)
    mloptOpError(op, "cannot run on a GPU: %s", why);
  o->failed = true;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

static MlirType bufferType(MlirType tensor) {
  int64_t shape[MLOPT_MAX_RANK];
  intptr_t rank = mloptShape(tensor, shape);
  return mlirMemRefTypeContiguousGet(mloptElementType(tensor), rank, shape,
                                     mlirAttributeGetNull());
}

MlirValue mloptOutlineAllocate(MloptOutline *o, MlirType tensor) {
  MlirType type = bufferType(tensor);
  const int32_t none[] = {0, 0};
  MlirNamedAttribute sizes =
      mloptNamedAttr(o->context, "operandSegmentSizes",
                     mlirDenseI32ArrayGet(o->context, 2, none));
  return mloptBuildValue(&o->allocs, (MloptOpSpec){.name = "memref.alloc",
                                                   .numResults = 1,
                                                   .results = &type,
                                                   .numAttrs = 1,
                                                   .attrs = &sizes});
}

/// A buffer of another shape as one of this type, for memref.copy.
static MlirValue viewAs(MloptBuilder *b, MlirValue buffer, MlirType type) {
  if (mlirTypeEqual(mlirValueGetType(buffer), type))
    return buffer;
  return mloptBuildUnary(b, "builtin.unrealized_conversion_cast", buffer, type);
}

void mloptOutlineCopy(MloptBuilder *b, MlirValue from, MlirValue to) {
  if (mlirValueEqual(from, to))
    return;
  MlirValue operands[] = {viewAs(b, from, mlirValueGetType(to)), to};
  mloptBuildOp(b, (MloptOpSpec){.name = "memref.copy",
                                .numOperands = 2,
                                .operands = operands});
}

static void translateConstant(MloptOutline *o, MloptBuilder *b,
                              MlirOperation op) {
  MlirType type = bufferType(mloptResultType(op, 0));
  char name[256];
  snprintf(name, sizeof name, "%.*s_constant_%d", (int)o->name.length,
           o->name.data, o->numGlobals++);
  MlirContext c = o->context;
  MlirNamedAttribute attrs[] = {
      mloptNamedAttr(c, "sym_name", mloptStrAttr(c, name)),
      mloptNamedAttr(c, "sym_visibility", mloptStrAttr(c, "private")),
      mloptNamedAttr(c, "type", mlirTypeAttrGet(type)),
      mloptNamedAttr(c, "initial_value", mloptAttr(op, "value")),
      mloptNamedAttr(c, "constant", mlirUnitAttrGet(c)),
  };
  mloptBuildOp(&o->module, (MloptOpSpec){.name = "memref.global",
                                         .numAttrs = MLOPT_COUNT(attrs),
                                         .attrs = attrs});
  MlirNamedAttribute symbol =
      mloptNamedAttr(c, "name", mlirFlatSymbolRefAttrGet(c, mloptStr(name)));
  mloptOutlineBind(o, mloptResult(op, 0),
                   mloptBuildValue(b, (MloptOpSpec){.name = "memref.get_global",
                                                    .numResults = 1,
                                                    .results = &type,
                                                    .numAttrs = 1,
                                                    .attrs = &symbol}));
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static MlirValue castTo(MloptBuilder *b, MlirValue pointer, MlirType type) {
  return mloptBuildUnary(b, "builtin.unrealized_conversion_cast", pointer,
                         type);
}

/// Fills the kernel's block from a fusion's.
static void buildKernelBody(MloptOutline *o, MlirOperation fusion,
                            MlirBlock block) {
  MloptBuilder b = mloptBuilderAtEnd(block, mlirOperationGetLocation(fusion));
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(fusion, 0));
  intptr_t outer = o->map.count,
           numOperands = mlirOperationGetNumOperands(fusion);
  for (intptr_t i = 0; i < numOperands; ++i)
    mloptOutlineBind(o, mlirBlockGetArgument(body, i),
                     castTo(&b, mlirBlockGetArgument(block, i),
                            mloptOperandType(fusion, i)));
  MlirOperation yield = mlirBlockGetTerminator(body);
  for (MlirOperation op = mlirBlockGetFirstOperation(body);
       !mlirOperationEqual(op, yield); op = mlirOperationGetNextInBlock(op)) {
    MlirOperation copy = mloptCloneWithMapping(
        op, o->map.count - outer, o->map.from + outer, o->map.to + outer);
    mlirBlockAppendOwnedOperation(block, copy);
    o->failed |= !mloptValueMapAddResults(&o->map, op, copy);
  }
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(yield); i < n; ++i) {
    MlirValue operands[] = {mloptOutlineFind(o, mloptOperand(yield, i)),
                            castTo(&b,
                                   mlirBlockGetArgument(block, numOperands + i),
                                   bufferType(mloptOperandType(yield, i)))};
    MlirNamedAttribute writable =
        mloptNamedAttr(o->context, "writable", mlirUnitAttrGet(o->context));
    mloptBuildOp(
        &b, (MloptOpSpec){.name = "bufferization.materialize_in_destination",
                          .numOperands = 2,
                          .operands = operands,
                          .numAttrs = 1,
                          .attrs = &writable});
  }
  mloptBuildOp(&b, (MloptOpSpec){.name = "llvm.return"});
  o->failed |= b.failed;
  o->map.count = outer;
}

/// The gpu.module and llvm.func of a fusion, both of the launch's name;
/// completes the launch.
static void buildKernel(MloptOutline *o, MlirOperation fusion,
                        MloptLaunch *launch) {
  MlirContext c = o->context;
  MloptBuilder b = o->module;
  b.location = mlirOperationGetLocation(fusion);
  const char *name = launch->kernel;
  intptr_t numParameters = launch->numArguments;
  MlirType types[MLOPT_MAX_PARAMETERS];
  for (intptr_t i = 0; i < numParameters; ++i)
    types[i] = mlirLLVMPointerTypeGet(c, 0);
  MlirBlock kernelBlock, moduleBlock;
  MlirRegion kernelRegion =
      mloptCreateRegion(&b, numParameters, types, &kernelBlock);
  buildKernelBody(o, fusion, kernelBlock);
  MlirType type = mlirLLVMFunctionTypeGet(mlirLLVMVoidTypeGet(c), numParameters,
                                          types, false);
  MlirNamedAttribute attrs[] = {
      mloptNamedAttr(c, "sym_name", mloptStrAttr(c, name)),
      mloptNamedAttr(c, "function_type", mlirTypeAttrGet(type)),
      mloptNamedAttr(c, "linkage",
                     mlirLLVMLinkageAttrGet(c, MlirLLVMLinkageExternal)),
      mloptNamedAttr(c, "gpu.kernel", mlirUnitAttrGet(c)),
      mloptNamedAttr(c, "nvvm.kernel", mlirUnitAttrGet(c)),
  };
  MlirRegion moduleRegion = mloptCreateRegion(&b, 0, NULL, &moduleBlock);
  MloptBuilder inModule = mloptBuilderAtEnd(moduleBlock, b.location);
  MlirOperation kernel =
      mloptBuildOp(&inModule, (MloptOpSpec){.name = "llvm.func",
                                            .numAttrs = MLOPT_COUNT(attrs),
                                            .attrs = attrs,
                                            .numRegions = 1,
                                            .regions = &kernelRegion});
  if (!o->failed && !inModule.failed)
    mloptOutlineChooseFamily(o, fusion, kernel, launch);
  mloptBuildOp(&b, (MloptOpSpec){.name = "gpu.module",
                                 .numAttrs = 1,
                                 .attrs = attrs,
                                 .numRegions = 1,
                                 .regions = &moduleRegion});
  o->failed |= b.failed || inModule.failed;
}

/// The caller's buffer for a value that is returned, or a new one.
static MlirValue destinationOf(MloptOutline *o, MlirValue value) {
  MlirType type = mlirValueGetType(value);
  for (intptr_t i = 0; i < o->numResults; ++i)
    if (!mlirValueIsNull(o->destinations[i]) &&
        mlirValueEqual(o->destinations[i], value))
      return mlirBlockGetArgument(o->entry, mlirBlockGetNumArguments(o->entry) -
                                                o->numResults + i);
  return mloptOutlineAllocate(o, type);
}

static void translateFusion(MloptOutline *o, MloptBuilder *b,
                            MlirOperation fusion) {
  if (!mloptOutlineCutPrologues(fusion) ||
      (o->wgmma && !mloptOutlineSplitFactors(fusion))) {
    mloptOutlineRefuse(o, fusion, "out of memory");
    return;
  }
  intptr_t numOperands = mlirOperationGetNumOperands(fusion);
  intptr_t numResults = mlirOperationGetNumResults(fusion);
  if (numOperands + numResults > MLOPT_MAX_PARAMETERS) {
    mloptOutlineRefuse(o, fusion, "a kernel takes at most 256 buffers");
    return;
  }
  MlirValue buffers[MLOPT_MAX_PARAMETERS];
  for (intptr_t i = 0; i < numOperands; ++i) {
    buffers[i] = mloptOutlineFind(o, mloptOperand(fusion, i));
    if (mlirValueIsNull(buffers[i]) ||
        !mlirTypeIsAShaped(mloptOperandType(fusion, i))) {
      mloptOutlineRefuse(o, fusion,
                         "it reads a scalar that the host would have to know");
      return;
    }
  }
  int64_t elements = 0;
  for (intptr_t i = 0; i < numResults; ++i) {
    MlirValue result = mloptResult(fusion, i);
    int64_t count = mloptNumElements(mlirValueGetType(result));
    elements = count > elements ? count : elements;
    buffers[numOperands + i] = destinationOf(o, result);
    mloptOutlineBind(o, result, buffers[numOperands + i]);
  }
  if (!elements)
    return;
  char name[256];
  snprintf(name, sizeof name, "%.*s_kernel_%d", (int)o->name.length,
           o->name.data, o->numKernels++);
  MloptLaunch launch = {.kernel = name,
                        .numOutputs = numResults,
                        .numArguments = numOperands + numResults,
                        .arguments = buffers};
  buildKernel(o, fusion, &launch);
  mloptBuildLaunch(b, &launch);
}

//===----------------------------------------------------------------------===//
// Other operations of the host
//===----------------------------------------------------------------------===//

static void translateView(MloptOutline *o, MloptBuilder *b, MlirOperation op) {
  mloptOutlineBind(o, mloptResult(op, 0),
                   mloptOutlineFind(o, mloptOperand(op, 0)));
}

static void translateExtract(MloptOutline *o, MloptBuilder *b,
                             MlirOperation op) {
  if (mlirOperationGetNumOperands(op) != 1) {
    mloptOutlineRefuse(o, op, "the host reads tensors of rank 0 only");
    return;
  }
  mloptOutlineBind(o, mloptResult(op, 0),
                   mloptBuildUnary(b, "memref.load",
                                   mloptOutlineFind(o, mloptOperand(op, 0)),
                                   mloptResultType(op, 0)));
}

static void translateArithConstant(MloptOutline *o, MloptBuilder *b,
                                   MlirOperation op) {
  if (mlirTypeIsAShaped(mloptResultType(op, 0)))
    translateConstant(o, b, op);
  else
    mloptOutlineBind(o, mloptResult(op, 0),
                     mloptBuildConstant(b, mloptAttr(op, "value")));
}

/// Of what the host has read, to an index.
static void translateCast(MloptOutline *o, MloptBuilder *b, MlirOperation op) {
  mloptOutlineBind(o, mloptResult(op, 0),
                   mloptBuildUnary(b, "arith.index_cast",
                                   mloptOutlineFind(o, mloptOperand(op, 0)),
                                   mloptResultType(op, 0)));
}

static void translateReturn(MloptOutline *o, MloptBuilder *b,
                            MlirOperation op) {
  intptr_t first = mlirBlockGetNumArguments(o->entry) - o->numResults;
  for (intptr_t i = 0; i < o->numResults; ++i)
    mloptOutlineCopy(b, mloptOutlineFind(o, mloptOperand(op, i)),
                     mlirBlockGetArgument(o->entry, first + i));
  mloptBuildOp(b, (MloptOpSpec){.name = "func.return"});
}

/// Buffers carry the values; only a while's condition stays.
static void translateYield(MloptOutline *o, MloptBuilder *b, MlirOperation op) {
  mloptBuildOp(b, (MloptOpSpec){.name = "scf.yield"});
}

static void translateCondition(MloptOutline *o, MloptBuilder *b,
                               MlirOperation op) {
  MlirValue condition = mloptOutlineFind(o, mloptOperand(op, 0));
  mloptBuildOp(b, (MloptOpSpec){.name = "scf.condition",
                                .numOperands = 1,
                                .operands = &condition});
}

static const struct {
  const char *name;
  void (*translate)(MloptOutline *, MloptBuilder *, MlirOperation);
} rows[] = {
    {"arith.constant", translateArithConstant},
    {"arith.index_cast", translateCast},
    {"func.return", translateReturn},
    {"mlopt.fusion", translateFusion},
    {"scf.condition", translateCondition},
    {"scf.if", mloptOutlineBranches},
    {"scf.index_switch", mloptOutlineBranches},
    {"scf.while", mloptOutlineWhile},
    {"scf.yield", translateYield},
    {"tensor.collapse_shape", translateView},
    {"tensor.expand_shape", translateView},
    {"tensor.extract", translateExtract},
};

void mloptOutlineBlock(MloptOutline *o, MlirBlock from, MlirBlock to) {
  for (MlirOperation op = mlirBlockGetFirstOperation(from);
       !mlirOperationIsNull(op) && !o->failed;
       op = mlirOperationGetNextInBlock(op)) {
    MloptBuilder b = mloptBuilderAtEnd(to, mlirOperationGetLocation(op));
    intptr_t row = MLOPT_FIND_ROW(op, rows);
    if (row < 0) {
      mloptOutlineRefuse(o, op, "it is not part of a launch plan");
      return;
    }
    rows[row].translate(o, &b, op);
    o->failed |= b.failed;
  }
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// The fusion's result behind reshapes, in the entry block; null otherwise.
static MlirValue writerOf(const MloptOutline *o, MlirValue value) {
  while (mlirValueIsAOpResult(value)) {
    MlirOperation op = mlirOpResultGetOwner(value);
    if (mloptIsNamed(op, "mlopt.fusion"))
      return value;
    if (!mloptIsNamed(op, "tensor.collapse_shape") &&
        !mloptIsNamed(op, "tensor.expand_shape"))
      break;
    value = mloptOperand(op, 0);
  }
  return (MlirValue){NULL};
}

/// Each result of the function that a fusion may write directly: the first one
/// that returns a value gets it, the others copy.
static bool findDestinations(MloptOutline *o, MlirBlock body) {
  MlirOperation ret = mlirBlockGetTerminator(body);
  o->numResults = mlirOperationGetNumOperands(ret);
  o->destinations = calloc(o->numResults + 1, sizeof *o->destinations);
  if (!o->destinations)
    return false;
  for (intptr_t i = 0; i < o->numResults; ++i) {
    MlirValue writer = writerOf(o, mloptOperand(ret, i));
    for (intptr_t j = 0; j < i && !mlirValueIsNull(writer); ++j)
      if (!mlirValueIsNull(o->destinations[j]) &&
          mlirValueEqual(o->destinations[j], writer))
        writer = (MlirValue){NULL};
    o->destinations[i] = writer;
  }
  return true;
}

/// The new function's type and entry block: arguments, then results.
static MlirRegion createEntry(MloptOutline *o, MlirBlock body,
                              MlirType *outType) {
  intptr_t numArgs = mlirBlockGetNumArguments(body);
  MlirOperation ret = mlirBlockGetTerminator(body);
  MlirType *types = calloc(numArgs + o->numResults + 1, sizeof *types);
  if (!types) {
    o->failed = true;
    return mlirRegionCreate();
  }
  for (intptr_t i = 0; i < numArgs + o->numResults; ++i) {
    MlirType t = i < numArgs ? mlirValueGetType(mlirBlockGetArgument(body, i))
                             : mloptOperandType(ret, i - numArgs);
    if (!mloptIsTensor(t) || !mlirShapedTypeHasStaticShape(t)) {
      mloptOutlineRefuse(o, o->func,
                         "an argument or result is no tensor of static shape");
      break;
    }
    types[i] = bufferType(t);
  }
  MlirRegion region = mlirRegionCreate();
  if (!o->failed) {
    mlirRegionDestroy(region);
    region = mloptCreateRegion(&o->module, numArgs + o->numResults, types,
                               &o->entry);
    for (intptr_t i = 0; i < numArgs; ++i)
      mloptOutlineBind(o, mlirBlockGetArgument(body, i),
                       mlirBlockGetArgument(o->entry, i));
    *outType = mlirFunctionTypeGet(o->context, numArgs + o->numResults, types,
                                   0, NULL);
  }
  free(types);
  return region;
}

/// Copies what the host needs to know about the entry.
static void buildFunc(MloptOutline *o, MlirType type, MlirRegion region) {
  enum { MAX_ATTRS = 32 };
  MlirNamedAttribute attrs[MAX_ATTRS];
  intptr_t count = 0;
  for (intptr_t i = 0, n = mlirOperationGetNumAttributes(o->func);
       i < n && count + 2 < MAX_ATTRS; ++i) {
    MlirNamedAttribute attr = mlirOperationGetAttribute(o->func, i);
    MlirStringRef name = mlirIdentifierStr(attr.name);
    if (!mloptStrEq(name, "function_type") && !mloptStrEq(name, "arg_attrs") &&
        !mloptStrEq(name, "res_attrs"))
      attrs[count++] = attr;
  }
  attrs[count++] =
      mloptNamedAttr(o->context, "function_type", mlirTypeAttrGet(type));
  attrs[count++] = mloptNamedAttr(o->context, "mlopt.num_results",
                                  mloptI64Attr(o->context, o->numResults));
  mloptBuildOp(&o->module, (MloptOpSpec){.name = "func.func",
                                         .numAttrs = count,
                                         .attrs = attrs,
                                         .numRegions = 1,
                                         .regions = &region});
}

static bool outlineFunc(MlirOperation func, bool wgmma) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  if (mlirBlockIsNull(body))
    return true;
  MloptOutline o = {
      .context = mlirOperationGetContext(func), .func = func, .wgmma = wgmma};
  o.name = mlirStringAttrGetValue(mloptAttr(func, "sym_name"));
  o.module = mloptBuilderBefore(func, mlirOperationGetLocation(func));
  MlirType type;
  o.failed = !findDestinations(&o, body);
  MlirRegion region = createEntry(&o, body, &type);
  if (!o.failed) {
    // Allocations go before this marker, everything else after it.
    MloptBuilder marker = mloptBuilderAtEnd(o.entry, o.module.location);
    MlirValue first = mloptBuildIndex(&marker, 0);
    o.allocs =
        mloptBuilderBefore(mlirOpResultGetOwner(first), o.module.location);
    mloptOutlineBlock(&o, body, o.entry);
    o.failed |= o.allocs.failed;
  }
  if (!o.failed) {
    buildFunc(&o, type, region);
    mlirOperationDestroy(func);
  } else {
    mlirRegionDestroy(region);
  }
  mloptValueMapDestroy(&o.map);
  free(o.destinations);
  return !o.failed;
}

enum { OPTION_WGMMA };

static void run(MlirOperation top, MloptPass pass) {
  MlirContext context = mlirOperationGetContext(top);
  bool wgmma = mloptPassGetBool(pass, OPTION_WGMMA);
  mlirOperationSetDiscardableAttributeByName(
      top, mloptStr("gpu.container_module"), mlirUnitAttrGet(context));
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(top, 0));
  MlirOperation next;
  for (MlirOperation op = mlirBlockGetFirstOperation(body);
       !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (mloptIsNamed(op, "func.func") && !outlineFunc(op, wgmma)) {
      mloptPassSignalFailure(pass);
      return;
    }
  }
}

static MlirDialectHandle (*const dependent[])(void) = {
    mlirGetDialectHandle__mlopt__,         mlirGetDialectHandle__memref__,
    mlirGetDialectHandle__arith__,         mlirGetDialectHandle__gpu__,
    mlirGetDialectHandle__llvm__,          mlirGetDialectHandle__nvvm__,
    mlirGetDialectHandle__bufferization__, NULL};

static const MloptOptionDef options[] = {
    [OPTION_WGMMA] = {.name = "wgmma",
                      .kind = MLOPT_OPTION_BOOL,
                      .help = "Let contractions be kernels of wgmma and TMA "
                              "instructions, which sm_90a alone has"},
};

const MloptPassDef mloptPass_outlineKernels MLOPT_TABLE = {
    .argument = "mlopt-outline-kernels",
    .summary = "Turn functions of fusions into launch plans",
    .doc =
        "Arguments and results become buffers, each fusion a kernel and a "
        "gpu.launch_func, loops and branches scf without values. Kernels "
        "still hold tensor programs, between pointers cast to tensors and "
        "bufferization.materialize_in_destination. A function that reads a "
        "scalar argument or carries one through a loop is refused. Each "
        "kernel gets its family, tile and launch here, as mlopt.schedule. "
        "With `wgmma`, a contraction or convolution of bf16, f16, f8E4M3FN, "
        "f8E5M2, i8 or, where it may be rounded, f32 factors, and the "
        "elementwise code behind it in its fusion, reads and writes through "
        "tensor maps, which the launch describes as mlopt.tensor_maps, if "
        "its rows are multiples of 16 bytes. Factors may lie behind "
        "reshapes, transposes, slices and padding with zeros. A fusion may "
        "pin its tile: `mlopt.schedule "
        "= {family = \"matmul\", band, stages, tile = [m, n, k]}`, with "
        "cluster, splits, alternate and tail where they are not 1, 1, "
        "false and false; or of a product in tiles on mma.sync, `{family = "
        "\"tiled\", groups, stages, terms, tile = [m, n, k], warp = [m, n]}`, "
        "with splits; or of two products around a softmax, `{family = "
        "\"stream\", stages, tile = [rows, keys]}`, with paired, or splits. "
        "With `tail`, blocks send sums to each other through a buffer of their "
        "own, behind flags that a gpu.memset clears; mlopt.traffic does not "
        "count these sums.",
    .anchor = "builtin.module",
    .dependent = dependent,
    .options = options,
    .numOptions = MLOPT_COUNT(options),
    .run = run,
};
