//===- plan_memory.c - One arena for all intermediates --------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `mlopt-plan-memory` gives every memref.alloc of a launch plan a place in one
// arena, which becomes the function's last argument:
//
//   %a = memref.alloc() : memref<8xf32>
// becomes
//   %a = memref.view %arena[%offset][] : memref<4096xi8> to memref<8xf32>
//
// and `mlopt.arena_bytes` on the function states the size. Buffers share bytes
// when their lives, from first to last use, do not overlap; one that is used
// inside a loop and outside of it lives through the whole loop. A kernel may
// write its result over an operand that it reads for the last time, if it reads
// each element only to compute the one in the same place.
//
// Largest first, each buffer goes to the lowest offset that is free throughout
// its life (greedy by size, as in Pisarchyk and Lee, "Efficient Memory
// Management for Deep Neural Net Inference", 2020).
//
//===----------------------------------------------------------------------===//

#include "affine.h"
#include "build.h"
#include "launch.h"
#include "passes.h"

#include "mlir-c/AffineMap.h"
#include "mlir-c/Dialect/MemRef.h"

#include <stdlib.h>

/// What TMA and 16-byte accesses need, and what cudaMalloc gives.
enum { ALIGNMENT = 256 };

typedef struct Buffer {
  MlirOperation alloc;
  int64_t bytes;
  int64_t offset;
  intptr_t first, last; ///< positions of its uses; first > last: none
} Buffer;

typedef struct Plan {
  MlirOperation func;
  intptr_t numBuffers;
  Buffer *buffers;
  intptr_t *order; ///< of placement
  intptr_t numOps, maxOps;
  MlirOperation *ops; ///< all inside the function, in order
  intptr_t *ends;     ///< the last position inside each
  int64_t bytes;      ///< of the arena
} Plan;

//===----------------------------------------------------------------------===//
// Lives
//===----------------------------------------------------------------------===//

static bool number(Plan *plan, MlirOperation op) {
  if (plan->numOps == plan->maxOps) {
    intptr_t capacity = plan->maxOps ? 2 * plan->maxOps : 256;
    MlirOperation *ops = realloc(plan->ops, capacity * sizeof *ops);
    plan->ops = ops ? ops : plan->ops;
    intptr_t *ends = realloc(plan->ends, capacity * sizeof *ends);
    plan->ends = ends ? ends : plan->ends;
    if (!ops || !ends)
      return false;
    plan->maxOps = capacity;
  }
  intptr_t position = plan->numOps++;
  plan->ops[position] = op;
  for (intptr_t r = 0, n = mlirOperationGetNumRegions(op); r < n; ++r) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
    for (MlirOperation inner = mlirBlockIsNull(block)
                                   ? (MlirOperation){NULL}
                                   : mlirBlockGetFirstOperation(block);
         !mlirOperationIsNull(inner);
         inner = mlirOperationGetNextInBlock(inner))
      if (!number(plan, inner))
        return false;
  }
  plan->ends[position] = plan->numOps - 1;
  return true;
}

static intptr_t positionOf(const Plan *plan, MlirOperation op) {
  for (intptr_t i = 0; i < plan->numOps; ++i)
    if (mlirOperationEqual(plan->ops[i], op))
      return i;
  return -1;
}

static void extend(Buffer *buffer, intptr_t first, intptr_t last) {
  buffer->first = first < buffer->first ? first : buffer->first;
  buffer->last = last > buffer->last ? last : buffer->last;
}

/// From the first to the last use of a value and of its casts.
static void addUses(const Plan *plan, Buffer *buffer, MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    intptr_t position = positionOf(plan, user);
    extend(buffer, position, position);
    if (mloptIsNamed(user, "builtin.unrealized_conversion_cast"))
      addUses(plan, buffer, mloptResult(user, 0));
  }
}

/// A life that begins or ends inside a loop, but not both, spans the loop.
static void spanLoops(const Plan *plan, Buffer *buffer) {
  for (intptr_t i = plan->numOps; i-- > 0;) {
    if (!mloptIsNamed(plan->ops[i], "scf.while"))
      continue;
    intptr_t end = plan->ends[i];
    bool firstIn = buffer->first > i && buffer->first <= end;
    bool lastIn = buffer->last > i && buffer->last <= end;
    if (firstIn != lastIn)
      extend(buffer, i, end);
  }
}

//===----------------------------------------------------------------------===//
// In place
//===----------------------------------------------------------------------===//

static MlirOperation findKernel(const Plan *plan, MlirOperation launch) {
  MlirAttribute symbol = mloptAttr(launch, "kernel");
  MlirStringRef name = mlirSymbolRefAttrGetRootReference(symbol);
  MlirBlock body = mlirOperationGetBlock(plan->func);
  for (MlirOperation op = mlirBlockGetFirstOperation(body);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (mloptIsNamed(op, "gpu.module") &&
        mlirStringRefEqual(mlirStringAttrGetValue(mloptAttr(op, "sym_name")),
                           name))
      return mlirBlockGetFirstOperation(
          mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)));
  return (MlirOperation){NULL};
}

/// The linalg.generic whose identity-mapped results are all that the kernel
/// stores; null when it is otherwise.
static MlirOperation onlyGeneric(MlirBlock program) {
  MlirOperation generic = {NULL};
  for (MlirOperation op = mlirBlockGetFirstOperation(program);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!mloptIsNamed(op, "bufferization.materialize_in_destination"))
      continue;
    MlirValue value = mloptOperand(op, 0);
    if (!mlirValueIsAOpResult(value))
      return (MlirOperation){NULL};
    MlirOperation owner = mlirOpResultGetOwner(value);
    if (!mloptIsNamed(owner, "linalg.generic") ||
        (!mlirOperationIsNull(generic) && !mlirOperationEqual(owner, generic)))
      return (MlirOperation){NULL};
    generic = owner;
  }
  return generic;
}

/// Whether it stores one result only.
static bool storesOne(MlirBlock program) {
  int count = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(program);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    count += mloptIsNamed(op, "bufferization.materialize_in_destination");
  return count == 1;
}

/// Whether all that reads a tensor computes the element in the same place, down
/// to the stores; gives up when `budget` uses have been seen.
static bool staysInPlace(MlirValue tensor, int *budget) {
  for (MlirOpOperand use = mlirValueGetFirstUse(tensor);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (--*budget < 0)
      return false;
    if (mloptIsNamed(op, "bufferization.materialize_in_destination"))
      continue;
    bool isGeneric = mloptIsNamed(op, "linalg.generic");
    bool isView = mloptIsNamed(op, "tensor.expand_shape") ||
                  mloptIsNamed(op, "tensor.collapse_shape");
    if (!isGeneric && !isView)
      return false;
    intptr_t n = mlirOperationGetNumOperands(op);
    intptr_t numResults = mlirOperationGetNumResults(op);
    if (isGeneric && !mloptReadsInOrder(op, mlirOpOperandGetOperandNumber(use)))
      return false;
    for (intptr_t i = n - numResults; isGeneric && i < n; ++i)
      if (!mloptReadsInOrder(op, i))
        return false;
    for (intptr_t i = 0; i < numResults; ++i)
      if (!staysInPlace(mloptResult(op, i), budget))
        return false;
  }
  return true;
}

/// Whether the kernel reads each element of parameter `from` only to compute
/// the elements of its results in the same place.
static bool readsInPlace(MlirOperation kernel, intptr_t from) {
  enum { MOST_USES = 256 };
  int budget = MOST_USES;
  MlirBlock program =
      mlirRegionGetFirstBlock(mlirOperationGetRegion(kernel, 0));
  // Of several results from several operations one might be written before
  // another reads.
  if (!storesOne(program) && mlirOperationIsNull(onlyGeneric(program)))
    return false;
  MlirOpOperand use = mlirValueGetFirstUse(mlirBlockGetArgument(program, from));
  if (mlirOpOperandIsNull(use)) // its emitter alone knows what it does with it
    return false;
  MlirOperation cast = mlirOpOperandGetOwner(use);
  return staysInPlace(mloptResult(cast, 0), &budget);
}

/// Whether `later` may start where `earlier` ends: at a launch that reads the
/// one in place and writes the other.
static bool mayShare(const Plan *plan, const Buffer *earlier,
                     const Buffer *later) {
  if (earlier->last != later->first || earlier->bytes != later->bytes)
    return false;
  MlirOperation launch = plan->ops[later->first];
  if (!mloptIsNamed(launch, "gpu.launch_func"))
    return false;
  MlirOperation kernel = findKernel(plan, launch);
  if (mlirOperationIsNull(kernel))
    return false;
  intptr_t first = mloptLaunchFirstArgument(launch);
  MlirValue value = mloptResult(earlier->alloc, 0);
  for (intptr_t i = first, n = mlirOperationGetNumOperands(launch); i < n; ++i)
    if (mlirValueEqual(mloptOperand(launch, i), value) &&
        !readsInPlace(kernel, i - first))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Placement
//===----------------------------------------------------------------------===//

/// Whether one is used while the other lives.
static bool meet(const Buffer *a, const Buffer *b) {
  return a->last >= b->first && b->last >= a->first;
}

static int64_t alignUp(int64_t bytes) {
  return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/// The lowest offset where nothing placed before it is in the way.
static void place(Plan *plan, intptr_t rank) {
  Buffer *buffer = &plan->buffers[plan->order[rank]];
  int64_t offset = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (intptr_t i = 0; i < rank; ++i) {
      const Buffer *other = &plan->buffers[plan->order[i]];
      bool overlap = offset < other->offset + other->bytes &&
                     other->offset < offset + buffer->bytes;
      if (!overlap || !meet(buffer, other))
        continue;
      // In the same place an element is written over the one it comes from;
      // anywhere else, over one that another thread has yet to read.
      bool shares =
          mayShare(plan, buffer, other) || mayShare(plan, other, buffer);
      if (shares && offset == other->offset)
        continue;
      offset = shares && offset < other->offset
                   ? other->offset
                   : alignUp(other->offset + other->bytes);
      moved = true;
    }
  }
  buffer->offset = offset;
  int64_t end = alignUp(offset + buffer->bytes);
  plan->bytes = end > plan->bytes ? end : plan->bytes;
}

/// Insertion sort: largest first, then in order of the program, so that the
/// result depends on the program alone.
static void orderBySize(Plan *plan) {
  for (intptr_t i = 0; i < plan->numBuffers; ++i) {
    intptr_t j = i;
    for (; j > 0 &&
           plan->buffers[plan->order[j - 1]].bytes < plan->buffers[i].bytes;
         --j)
      plan->order[j] = plan->order[j - 1];
    plan->order[j] = i;
  }
}

static int64_t bytesOf(MlirType buffer) {
  unsigned bits = mloptElementWidth(mloptElementType(buffer));
  return mloptNumElements(buffer) * (bits < 8 ? 1 : bits / 8);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static intptr_t collect(MlirBlock entry, Buffer *buffers) {
  intptr_t count = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(entry);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!mloptIsNamed(op, "memref.alloc"))
      continue;
    if (buffers)
      buffers[count] = (Buffer){.alloc = op,
                                .bytes = bytesOf(mloptResultType(op, 0)),
                                .first = INTPTR_MAX,
                                .last = -1};
    ++count;
  }
  return count;
}

static void rewrite(Plan *plan, MlirBlock entry) {
  MlirContext context = mlirOperationGetContext(plan->func);
  MlirLocation location = mlirOperationGetLocation(plan->func);
  mlirOperationSetDiscardableAttributeByName(
      plan->func, mloptStr("mlopt.arena_bytes"),
      mloptI64Attr(context, plan->bytes));
  if (!plan->numBuffers)
    return;
  MlirType arena = mlirMemRefTypeContiguousGet(
      mlirIntegerTypeGet(context, 8), 1, &plan->bytes, mlirAttributeGetNull());
  MlirValue argument = mlirBlockAddArgument(entry, arena, location);
  MlirType old = mlirTypeAttrGetValue(mloptAttr(plan->func, "function_type"));
  intptr_t n = mlirFunctionTypeGetNumInputs(old);
  MlirType *inputs = malloc((n + 1) * sizeof *inputs);
  if (!inputs)
    return;
  for (intptr_t i = 0; i < n; ++i)
    inputs[i] = mlirFunctionTypeGetInput(old, i);
  inputs[n] = arena;
  mloptFuncSetType(plan->func,
                   mlirFunctionTypeGet(context, n + 1, inputs, 0, NULL));
  free(inputs);
  for (intptr_t i = 0; i < plan->numBuffers; ++i) {
    Buffer *buffer = &plan->buffers[i];
    MloptBuilder b = mloptBuilderBefore(buffer->alloc, location);
    MlirValue operands[] = {argument, mloptBuildIndex(&b, buffer->offset)};
    MlirType type = mloptResultType(buffer->alloc, 0);
    MlirValue view = mloptBuildValue(&b, (MloptOpSpec){.name = "memref.view",
                                                       .numOperands = 2,
                                                       .operands = operands,
                                                       .numResults = 1,
                                                       .results = &type});
    mlirValueReplaceAllUsesOfWith(mloptResult(buffer->alloc, 0), view);
    mlirOperationDestroy(buffer->alloc);
  }
}

static bool planFunc(Plan *plan, MlirBlock entry) {
  plan->numBuffers = collect(entry, NULL);
  plan->buffers = calloc(plan->numBuffers + 1, sizeof *plan->buffers);
  plan->order = calloc(plan->numBuffers + 1, sizeof *plan->order);
  if (!plan->buffers || !plan->order || !number(plan, plan->func))
    return false;
  collect(entry, plan->buffers);
  for (intptr_t i = 0; i < plan->numBuffers; ++i) {
    addUses(plan, &plan->buffers[i], mloptResult(plan->buffers[i].alloc, 0));
    spanLoops(plan, &plan->buffers[i]);
  }
  orderBySize(plan);
  for (intptr_t i = 0; i < plan->numBuffers; ++i)
    place(plan, i);
  rewrite(plan, entry);
  return true;
}

static void run(MlirOperation top, MloptPass pass) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(top, 0));
  for (MlirOperation op = mlirBlockGetFirstOperation(body);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!mloptIsNamed(op, "func.func"))
      continue;
    MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
    Plan plan = {.func = op};
    if (!mlirBlockIsNull(entry) && !planFunc(&plan, entry)) {
      mloptOpError(op, "out of memory while its memory was planned");
      mloptPassSignalFailure(pass);
    }
    free(plan.buffers);
    free(plan.order);
    free(plan.ops);
    free(plan.ends);
  }
}

static MlirDialectHandle (*const dependent[])(void) = {
    mlirGetDialectHandle__memref__, NULL};

const MloptPassDef mloptPass_planMemory MLOPT_TABLE = {
    .argument = "mlopt-plan-memory",
    .summary = "Place all intermediates of a launch plan in one arena",
    .doc = "Every memref.alloc of a launch plan becomes a view of the arena, a "
           "new last argument of the function, at a multiple of 256 bytes. "
           "Buffers whose lives do not overlap share memory, and a kernel "
           "writes over an operand that dies in it where it reads and writes "
           "element by element. `mlopt.arena_bytes` states the arena's size, "
           "which is the peak.",
    .anchor = "builtin.module",
    .dependent = dependent,
    .run = run,
};
