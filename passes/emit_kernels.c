//===- emit_kernels.c - Tensor programs in kernels to loops ---------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `mlopt-emit-kernels` replaces the tensor program in each kernel (see
// mlopt-outline-kernels) by loops over scalars. The generic family, which any
// program fits: one thread for each element of a result, striding over the
// grid, the element computed on demand (emit_pull.h).
//
//   grid:    [ block 0 | block 1 | ... ]        thread t of block b stores
//   result:  [ 0 .. T-1 | T .. 2T-1 | ... ]     elements bT+t, bT+t+GT, ...
//
// Results of one shape share the loop. A scan, a scatter or a sort has a loop
// of its own (emit_structured.c). The other families have a file each; which
// one a kernel is of, and its tile, is its attribute mlopt.schedule.
//
//===----------------------------------------------------------------------===//

#include "emit_kernels.h"
#include "emit_matmul.h"
#include "emit_stream.h"
#include "emit_structured.h"
#include "emit_tiled.h"
#include "kernel_limits.h"
#include "nv_tile.h"
#include "passes.h"

#include "mlir-c/Dialect/Arith.h"
#include "mlir-c/Dialect/LLVM.h"
#include "mlir-c/Dialect/NVVM.h"
#include "mlir-c/Dialect/SCF.h"
#include "mlir-c/Dialect/UB.h"

/// The parameter that a cast of the program stands for.
static MlirValue parameterOf(const MloptKernel *kernel, MlirValue cast) {
  MlirValue parameter = mloptOperand(mlirOpResultGetOwner(cast), 0);
  return mlirBlockGetArgument(kernel->code,
                              mlirBlockArgumentGetArgNumber(parameter));
}

static bool isScalarOperation(MlirOperation op) {
  intptr_t n = mlirOperationGetNumResults(op);
  for (intptr_t i = 0; i < n; ++i)
    if (mlirTypeIsAShaped(mloptResultType(op, i)))
      return false;
  return n > 0;
}

/// Binds parameters and scalars, and collects the roots.
static bool readProgram(MloptKernel *kernel) {
  for (MlirOperation op = mlirBlockGetFirstOperation(kernel->program);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (mloptIsNamed(op, "builtin.unrealized_conversion_cast")) {
      MlirValue cast = mloptResult(op, 0);
      if (mlirTypeIsARankedTensor(mlirValueGetType(cast)))
        mloptPullBindPointer(kernel->pull, cast, parameterOf(kernel, cast));
    } else if (mloptIsNamed(op, "bufferization.materialize_in_destination")) {
      if (kernel->numRoots == MLOPT_MAX_ROOTS) {
        mloptOpError(op, "exceeds the %d results of a kernel", MLOPT_MAX_ROOTS);
        return false;
      }
      kernel->roots[kernel->numRoots++] =
          (MloptRoot){.value = mloptOperand(op, 0),
                      .pointer = parameterOf(kernel, mloptOperand(op, 1))};
    } else if (isScalarOperation(op)) {
      mloptPullScalar(kernel->pull, mloptResult(op, 0));
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The generic family
//===----------------------------------------------------------------------===//

MloptPullScope mloptBeginGridLoop(MloptPull *pull, MloptGridLoop *loop,
                                  int64_t count, MlirValue *outIndex) {
  MloptBuilder *b = mloptPullGetBuilder(pull);
  MlirValue thread = mloptReadRegister(b, "nvvm.read.ptx.sreg.tid.x");
  MlirValue block = mloptReadRegister(b, "nvvm.read.ptx.sreg.ctaid.x");
  MlirValue threads = mloptReadRegister(b, "nvvm.read.ptx.sreg.ntid.x");
  MlirValue blocks = mloptReadRegister(b, "nvvm.read.ptx.sreg.nctaid.x");
  loop->first = mloptBuildBinary(
      b, "arith.addi", mloptBuildBinary(b, "arith.muli", block, threads),
      thread);
  loop->step = mloptBuildBinary(b, "arith.muli", blocks, threads);
  loop->count = mloptBuildIndex(b, count);
  return mloptPullBeginFor(pull, 0, NULL, outIndex, NULL);
}

void mloptEndGridLoop(MloptPull *pull, const MloptGridLoop *loop,
                      MloptPullScope scope) {
  mloptPullEndFor(pull, scope, loop->first, loop->count, loop->step, 0, NULL,
                  NULL, NULL);
}

static bool isPacked(MlirType type) {
  return mloptElementWidth(mloptElementType(type)) == 4;
}

/// One loop for a root and the later ones of its shape.
static void emitRoot(MloptKernel *kernel, intptr_t first) {
  MlirType type = mlirValueGetType(kernel->roots[first].value);
  MloptGridLoop loop;
  MlirValue position, indices[MLOPT_MAX_RANK];
  MloptPullScope scope = mloptBeginGridLoop(kernel->pull, &loop,
                                            mloptNumElements(type), &position);
  mloptPullDelinearize(kernel->pull, type, position, indices);
  for (intptr_t i = first; i < kernel->numRoots; ++i) {
    MloptRoot *root = &kernel->roots[i];
    MlirType other = mlirValueGetType(root->value);
    if (root->done || isPacked(other) ||
        !mlirTypeEqual(mloptWithElementType(other, mloptElementType(type)),
                       type))
      continue;
    MlirValue element = mloptPullElement(kernel->pull, root->value, indices);
    mloptPullStore(kernel->pull, element, root->pointer, other, indices);
    root->done = true;
  }
  mloptEndGridLoop(kernel->pull, &loop, scope);
}

/// An element of a result by its position, as the low bits of a byte.
static MlirValue pullHalf(MloptPull *pull, const MloptRoot *root,
                          MlirValue position) {
  MloptBuilder *b = mloptPullGetBuilder(pull);
  MlirValue indices[MLOPT_MAX_RANK];
  mloptPullDelinearize(pull, mlirValueGetType(root->value), position, indices);
  return mloptBuildUnary(b, "arith.extui",
                         mloptPullElement(pull, root->value, indices),
                         mlirIntegerTypeGet(b->context, 8));
}

/// A root of four-bit elements: one thread for each byte, so that no two write
/// the same. The half behind the last element repeats it.
static void emitHalves(MloptKernel *kernel, MloptRoot *root) {
  MloptPull *pull = kernel->pull;
  MloptBuilder *b = mloptPullGetBuilder(pull);
  MlirType i8 = mlirIntegerTypeGet(b->context, 8);
  int64_t count = mloptNumElements(mlirValueGetType(root->value));
  const int64_t bytes = (count + 1) / 2;
  MlirType packed = mloptTensorType(1, &bytes, i8);
  MloptGridLoop loop;
  MlirValue byte;
  MloptPullScope scope = mloptBeginGridLoop(pull, &loop, bytes, &byte);
  MlirValue even =
      mloptBuildBinary(b, "arith.muli", byte, mloptPullIndex(pull, 2));
  MlirValue odd = mloptBuildBinary(
      b, "arith.minui",
      mloptBuildBinary(b, "arith.addi", even, mloptPullIndex(pull, 1)),
      mloptPullIndex(pull, count - 1));
  MlirValue low = pullHalf(pull, root, even), high = pullHalf(pull, root, odd);
  high = mloptBuildBinary(b, "arith.shli", high, mloptBuildInt(b, i8, 4));
  mloptPullStore(pull, mloptBuildBinary(b, "arith.ori", low, high),
                 root->pointer, packed, &byte);
  root->done = true;
  mloptEndGridLoop(pull, &loop, scope);
}

//===----------------------------------------------------------------------===//
// Structured operations
//===----------------------------------------------------------------------===//

/// The structured operation that a value is or comes from; null if there is
/// none.
static MlirOperation structuredBehind(MlirValue value) {
  if (!mlirValueIsAOpResult(value))
    return (MlirOperation){NULL};
  MlirOperation op = mlirOpResultGetOwner(value), found = {NULL};
  if (mloptIsStructured(op))
    return op;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op);
       i < n && mlirOperationIsNull(found); ++i)
    if (mlirTypeIsAShaped(mloptOperandType(op, i)))
      found = structuredBehind(mloptOperand(op, i));
  return found;
}

/// A structured operation and the roots that come from it.
typedef struct Structured {
  MloptKernel *kernel;
  bool isRoot[MLOPT_MAX_ROOTS];
} Structured;

static void storeRoots(void *userData, const MlirValue *indices) {
  Structured *s = userData;
  MloptPull *pull = s->kernel->pull;
  for (intptr_t i = 0; i < s->kernel->numRoots; ++i) {
    MloptRoot *root = &s->kernel->roots[i];
    if (s->isRoot[i])
      mloptPullStore(pull, mloptPullElement(pull, root->value, indices),
                     root->pointer, mlirValueGetType(root->value), indices);
  }
}

static void storeVectors(void *userData, MloptTile *tile,
                         const MloptVector *vector) {
  Structured *s = userData;
  MlirValue elements[MLOPT_MAX_LANES];
  for (intptr_t i = 0; i < s->kernel->numRoots; ++i) {
    MloptRoot *root = &s->kernel->roots[i];
    if (!s->isRoot[i])
      continue;
    mloptTileEvaluate(tile, vector, root->value, elements);
    mloptTileStore(tile, vector, root->pointer, elements);
  }
}

/// Whether a root can be stored element by element as the operation gives them.
static bool followsStructured(MlirOperation op, MlirType root,
                              MloptFamily family) {
  MlirType type = mloptResultType(op, 0);
  if (!isPacked(root) &&
      (mlirTypeEqual(mloptWithElementType(root, mloptElementType(type)),
                     type) ||
       (family == MLOPT_FAMILY_SCAN && mloptScanIsCut(op, root))))
    return true;
  mloptOpError(op, "cannot be emitted: what follows it in its kernel has "
                   "another shape, or elements of four bits");
  return false;
}

/// The roots that one structured operation computes, in one go, with what comes
/// after it.
static bool emitStructured(MloptKernel *kernel, intptr_t first) {
  MlirOperation op = structuredBehind(kernel->roots[first].value);
  if (mlirOperationIsNull(op))
    return false;
  Structured s = {.kernel = kernel};
  for (intptr_t i = first; i < kernel->numRoots; ++i) {
    MloptRoot *root = &kernel->roots[i];
    if (root->done || !mlirOperationEqual(structuredBehind(root->value), op))
      continue;
    s.isRoot[i] = root->done = true;
    if (!followsStructured(op, mlirValueGetType(root->value),
                           kernel->schedule.family))
      mloptPullGetBuilder(kernel->pull)->failed = true;
  }
  if (!mloptPullGetBuilder(kernel->pull)->failed)
    mloptEmitStructured(
        kernel, op,
        (MloptElementSink){.type = mlirValueGetType(kernel->roots[first].value),
                           .store = storeRoots,
                           .storeVector = storeVectors,
                           .userData = &s});
  return true;
}

static void emitGeneric(MloptKernel *kernel) {
  bool isStructured = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(kernel->program);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    isStructured |= mloptIsStructured(op);
  for (intptr_t i = 0; i < kernel->numRoots; ++i) {
    MloptRoot *root = &kernel->roots[i];
    if (root->done || (isStructured && emitStructured(kernel, i)))
      continue;
    if (isPacked(mlirValueGetType(root->value)))
      emitHalves(kernel, root);
    else
      emitRoot(kernel, i);
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// A new entry block with the parameters of the old one, behind it.
static MlirBlock addEntry(MlirRegion region, MlirBlock program,
                          MlirLocation location) {
  MlirBlock code = mlirBlockCreate(0, NULL, NULL);
  for (intptr_t i = 0, n = mlirBlockGetNumArguments(program); i < n; ++i)
    mlirBlockAddArgument(
        code, mlirValueGetType(mlirBlockGetArgument(program, i)), location);
  mlirRegionAppendOwnedBlock(region, code);
  return code;
}

static void (*const emitters[MLOPT_NUM_FAMILIES])(MloptKernel *) = {
    [MLOPT_FAMILY_GENERIC] = emitGeneric,
    [MLOPT_FAMILY_POINTWISE] = mloptEmitPointwise,
    [MLOPT_FAMILY_TRANSPOSE] = mloptEmitTranspose,
    [MLOPT_FAMILY_ROWS] = mloptEmitRows,
    [MLOPT_FAMILY_COLUMNS] = mloptEmitColumns,
    [MLOPT_FAMILY_BOTH] = mloptEmitBoth,
    [MLOPT_FAMILY_SCATTER] = emitGeneric,
    [MLOPT_FAMILY_SORTED_SCATTER] = emitGeneric,
    [MLOPT_FAMILY_SCAN] = emitGeneric,
    [MLOPT_FAMILY_SORT] = emitGeneric,
    [MLOPT_FAMILY_COUNT] = mloptEmitCount,
    [MLOPT_FAMILY_COUNTED_SORT] = emitGeneric,
};

/// States the number of threads, by which registers are dealt out.
static void setThreads(MlirOperation func, int64_t threads) {
  MlirContext context = mlirOperationGetContext(func);
  const int32_t size = (int32_t)threads;
  mlirOperationSetDiscardableAttributeByName(
      func, mloptStr("nvvm.reqntid"), mlirDenseI32ArrayGet(context, 1, &size));
}

static bool emitKernel(MlirOperation func) {
  MlirLocation location = mlirOperationGetLocation(func);
  MlirRegion region = mlirOperationGetRegion(func, 0);
  MloptKernel kernel = {.func = func,
                        .program = mlirRegionGetFirstBlock(region)};
  bool isTiled = mloptIsTiled(func);
  if (!isTiled && !mloptScheduleFromAttr(mloptAttr(func, MLOPT_SCHEDULE),
                                         &kernel.schedule)) {
    mloptOpError(func, "has a malformed " MLOPT_SCHEDULE);
    return false;
  }
  kernel.code = addEntry(region, kernel.program, location);
  kernel.pull = mloptPullCreate(kernel.code, location);
  if (!kernel.pull)
    return false;
  bool ok = readProgram(&kernel);
  if (ok)
    (isTiled ? mloptEmitTiled : emitters[kernel.schedule.family])(&kernel);
  if (isTiled)
    setThreads(func, mloptTiledThreadsOf(func));
  else if (kernel.schedule.family != MLOPT_FAMILY_GENERIC)
    setThreads(func, kernel.schedule.threads);
  if (kernel.schedule.cluster > 1)
    mloptSetKernelCluster(func, kernel.schedule.cluster);
  if (kernel.schedule.resident)
    mloptSetKernelResident(func, kernel.schedule.resident);
  mloptBuildOp(mloptPullGetBuilder(kernel.pull),
               (MloptOpSpec){.name = "llvm.return"});
  ok &= mloptPullDestroy(kernel.pull);
  mlirBlockDetach(kernel.program);
  mlirBlockDestroy(kernel.program);
  return ok;
}

/// A kernel whose emitter makes all of it.
static bool emitWhole(MlirOperation func,
                      bool (*emit)(MlirOperation, MlirBlock, MlirBlock)) {
  MlirRegion region = mlirOperationGetRegion(func, 0);
  MlirBlock program = mlirRegionGetFirstBlock(region);
  MlirBlock code = addEntry(region, program, mlirOperationGetLocation(func));
  bool ok = emit(func, program, code);
  mlirBlockDetach(program);
  mlirBlockDestroy(program);
  return ok;
}

static bool holdsProgram(MlirOperation func) {
  if (!mloptIsNamed(func, "llvm.func") ||
      mlirAttributeIsNull(mloptAttr(func, "nvvm.kernel")))
    return false;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  for (MlirOperation op = mlirBlockIsNull(body)
                              ? (MlirOperation){NULL}
                              : mlirBlockGetFirstOperation(body);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (mloptIsNamed(op, "bufferization.materialize_in_destination"))
      return true;
  return false;
}

static void run(MlirOperation module, MloptPass pass) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  MlirOperation next;
  for (MlirOperation op = mlirBlockGetFirstOperation(body);
       !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (holdsProgram(op) &&
        !(mloptIsMatmul(op)   ? emitWhole(op, mloptEmitMatmul)
          : mloptIsStream(op) ? emitWhole(op, mloptEmitStream)
                              : emitKernel(op)))
      mloptPassSignalFailure(pass);
  }
}

static MlirDialectHandle (*const dependent[])(void) = {
    mlirGetDialectHandle__arith__, mlirGetDialectHandle__scf__,
    mlirGetDialectHandle__llvm__,  mlirGetDialectHandle__nvvm__,
    mlirGetDialectHandle__ub__,    NULL};

const MloptPassDef mloptPass_emitKernels MLOPT_TABLE = {
    .argument = "mlopt-emit-kernels",
    .summary = "Emit the tensor programs of kernels",
    .doc = "Each kernel of a gpu.module that holds a tensor program gets code: "
           "that of the family which its mlopt.schedule names, from iterator "
           "types, indexing maps and scalar regions alone; without it, a loop "
           "over the grid in which every thread computes elements of the "
           "results on demand, in the order of the CPU path. An operation that "
           "cannot be emitted is an error at that operation.",
    .anchor = "gpu.module",
    .dependent = dependent,
    .run = run,
};
