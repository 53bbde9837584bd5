//===- emit_kernels.c - Tensor programs in kernels to loops
//----------------===//
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
// of its own (emit_structured.c).
//
//===----------------------------------------------------------------------===//

#include "emit_pull.h"
#include "emit_structured.h"
#include "passes.h"

#include "mlir-c/Dialect/Arith.h"
#include "mlir-c/Dialect/LLVM.h"
#include "mlir-c/Dialect/NVVM.h"
#include "mlir-c/Dialect/SCF.h"
#include "mlir-c/Dialect/UB.h"

enum { MAX_ROOTS = 64 };

/// A result of the tensor program and where it goes.
typedef struct Root {
  MlirValue value;
  MlirValue pointer;
  bool done;
} Root;

typedef struct Kernel {
  MlirBlock program; ///< the tensor program, to be removed
  MlirBlock code;
  MloptPull *pull;
  intptr_t numRoots;
  Root roots[MAX_ROOTS];
} Kernel;

/// The parameter that a cast of the program stands for.
static MlirValue parameterOf(const Kernel *kernel, MlirValue cast) {
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
static bool readProgram(Kernel *kernel) {
  for (MlirOperation op = mlirBlockGetFirstOperation(kernel->program);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (mloptIsNamed(op, "builtin.unrealized_conversion_cast")) {
      MlirValue cast = mloptResult(op, 0);
      if (mlirTypeIsARankedTensor(mlirValueGetType(cast)))
        mloptPullBindPointer(kernel->pull, cast, parameterOf(kernel, cast));
    } else if (mloptIsNamed(op, "bufferization.materialize_in_destination")) {
      if (kernel->numRoots == MAX_ROOTS) {
        mloptOpError(op, "exceeds the %d results of a kernel", MAX_ROOTS);
        return false;
      }
      kernel->roots[kernel->numRoots++] =
          (Root){.value = mloptOperand(op, 0),
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

static MlirValue readRegister(MloptBuilder *b, const char *name) {
  MlirType i32 = mlirIntegerTypeGet(b->context, 32);
  MlirValue value = mloptBuildValue(
      b, (MloptOpSpec){.name = name, .numResults = 1, .results = &i32});
  return mloptBuildUnary(b, "arith.index_castui", value,
                         mlirIndexTypeGet(b->context));
}

MloptPullScope mloptBeginGridLoop(MloptPull *pull, MloptGridLoop *loop,
                                  int64_t count, MlirValue *outIndex) {
  MloptBuilder *b = mloptPullGetBuilder(pull);
  MlirValue thread = readRegister(b, "nvvm.read.ptx.sreg.tid.x");
  MlirValue block = readRegister(b, "nvvm.read.ptx.sreg.ctaid.x");
  MlirValue threads = readRegister(b, "nvvm.read.ptx.sreg.ntid.x");
  MlirValue blocks = readRegister(b, "nvvm.read.ptx.sreg.nctaid.x");
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

/// One loop for a root and the later ones of its shape.
static void emitRoot(Kernel *kernel, intptr_t first) {
  MlirType type = mlirValueGetType(kernel->roots[first].value);
  MloptGridLoop loop;
  MlirValue position, indices[MLOPT_MAX_RANK];
  MloptPullScope scope = mloptBeginGridLoop(kernel->pull, &loop,
                                            mloptNumElements(type), &position);
  mloptPullDelinearize(kernel->pull, type, position, indices);
  for (intptr_t i = first; i < kernel->numRoots; ++i) {
    Root *root = &kernel->roots[i];
    MlirType other = mlirValueGetType(root->value);
    if (root->done ||
        !mlirTypeEqual(mloptWithElementType(other, mloptElementType(type)),
                       type))
      continue;
    MlirValue element = mloptPullElement(kernel->pull, root->value, indices);
    mloptPullStore(kernel->pull, element, root->pointer, other, indices);
    root->done = true;
  }
  mloptEndGridLoop(kernel->pull, &loop, scope);
}

/// The roots that one structured operation computes, in one go.
static bool emitStructured(Kernel *kernel, intptr_t first) {
  MlirValue value = kernel->roots[first].value;
  if (!mlirValueIsAOpResult(value))
    return false;
  MlirOperation op = mlirOpResultGetOwner(value);
  if (!mloptIsStructured(op))
    return false;
  MlirValue pointers[MAX_ROOTS] = {{NULL}};
  for (intptr_t i = first; i < kernel->numRoots; ++i) {
    Root *root = &kernel->roots[i];
    if (!mlirValueIsAOpResult(root->value) ||
        !mlirOperationEqual(mlirOpResultGetOwner(root->value), op))
      continue;
    pointers[mlirOpResultGetResultNumber(root->value)] = root->pointer;
    root->done = true;
  }
  mloptEmitStructured(kernel->pull, op, pointers);
  return true;
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

static bool emitKernel(MlirOperation func) {
  MlirLocation location = mlirOperationGetLocation(func);
  MlirRegion region = mlirOperationGetRegion(func, 0);
  Kernel kernel = {.program = mlirRegionGetFirstBlock(region)};
  kernel.code = addEntry(region, kernel.program, location);
  kernel.pull = mloptPullCreate(kernel.code, location);
  if (!kernel.pull)
    return false;
  bool ok = readProgram(&kernel);
  for (intptr_t i = 0; ok && i < kernel.numRoots; ++i)
    if (!kernel.roots[i].done && !emitStructured(&kernel, i))
      emitRoot(&kernel, i);
  mloptBuildOp(mloptPullGetBuilder(kernel.pull),
               (MloptOpSpec){.name = "llvm.return"});
  ok &= mloptPullDestroy(kernel.pull);
  mlirBlockDetach(kernel.program);
  mlirBlockDestroy(kernel.program);
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
  for (MlirOperation op = mlirBlockGetFirstOperation(body);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (holdsProgram(op) && !emitKernel(op))
      mloptPassSignalFailure(pass);
}

static MlirDialectHandle (*const dependent[])(void) = {
    mlirGetDialectHandle__arith__, mlirGetDialectHandle__scf__,
    mlirGetDialectHandle__llvm__,  mlirGetDialectHandle__nvvm__,
    mlirGetDialectHandle__ub__,    NULL};

const MloptPassDef mloptPass_emitKernels MLOPT_TABLE = {
    .argument = "mlopt-emit-kernels",
    .summary = "Emit the tensor programs of kernels as loops",
    .doc = "Each kernel of a gpu.module that holds a tensor program gets code: "
           "a loop over the grid in which every thread computes elements of "
           "the results on demand, in the order of the CPU path. An operation "
           "that cannot be emitted is an error at that operation.",
    .anchor = "gpu.module",
    .dependent = dependent,
    .run = run,
};
