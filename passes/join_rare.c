//===- join_rare.c - One branch for the rare cases of several elements ----===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `mlopt-join-rare` joins branches that functions mark as rare, such as the one
// of a cosine for large angles, when a thread computes several elements: a
// branch of a GPU costs four instructions, and nothing moves across it.
//
//   %a = scf.if %is_a {yield RARE(x)} else {yield USUAL(x)} {rare}
//   %b = scf.if %is_b {yield RARE(y)} else {yield USUAL(y)} {rare}
// becomes
//   %u = USUAL(x)   %v = USUAL(y)
//   %a, %b = scf.if %is_a or %is_b {
//     yield select(%is_a, RARE(x), %u), select(%is_b, RARE(y), %v)
//   } else {
//     yield %u, %v
//   }
//
// A branch that says `right_everywhere` gives wherever the other is taken what
// that gives. Such ones need no select, and nothing twice:
//   %a, %b = scf.if %is_a or %is_b {
//     yield RARE(x), RARE(y)
//   } else {
//     yield USUAL(x), USUAL(y)
//   }
//
// An element's result is the same as ever. Operations of a block move behind
// the branches that they need, and in front of those that they do not; those
// with effects keep their order. Nothing in a rare branch has an effect.
//
//===----------------------------------------------------------------------===//

#include "build.h"
#include "passes.h"

#include "mlir-c/Dialect/Arith.h"
#include "mlir-c/Dialect/SCF.h"

#include <stdlib.h>

/// At most so many elements share a branch, and results in all. Of those that
/// are right everywhere, as many as there are results: one branch more is one
/// more place where registers run short.
enum { MAX_JOINED = 8, MAX_RESULTS = 32 };

/// An operation of a block: after how many rare branches it can come.
typedef struct Item {
  MlirOperation op;
  intptr_t level, place;
  bool isRare;
} Item;

typedef struct Block {
  MlirBlock block;
  Item *items;
  intptr_t count;
} Block;

static bool isRare(MlirOperation op) {
  return mloptIsNamed(op, "scf.if") &&
         !mlirAttributeIsNull(mloptAttr(op, "rare"));
}

static bool isRight(MlirOperation op) {
  return !mlirAttributeIsNull(mloptAttr(op, "right_everywhere"));
}

/// Whether an operation may change places with any other that it does not use.
static bool isMovable(MlirOperation op) {
  static const char *const starts[] = {"arith.",
                                       "math.",
                                       "llvm.extractelement",
                                       "llvm.bitcast",
                                       "llvm.fptrunc",
                                       "llvm.insertelement",
                                       "llvm.intr.",
                                       "llvm.mlir.",
                                       "llvm.call_intrinsic",
                                       "llvm.getelementptr"};
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  for (int i = 0; i < MLOPT_COUNT(starts); ++i)
    if (name.length >= strlen(starts[i]) &&
        !strncmp(name.data, starts[i], strlen(starts[i])))
      return true;
  return isRare(op);
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

static int comparePointers(const void *a, const void *b) {
  uintptr_t x = (uintptr_t)((const Item *)a)->op.ptr;
  uintptr_t y = (uintptr_t)((const Item *)b)->op.ptr;
  return (x > y) - (x < y);
}

static int compareLevels(const void *a, const void *b) {
  const Item *x = a, *y = b;
  if (x->level != y->level)
    return x->level < y->level ? -1 : 1;
  if (x->isRare != y->isRare)
    return x->isRare ? 1 : -1;
  return x->place < y->place ? -1 : x->place > y->place;
}

/// The operations inside `op` and itself, seen from a block sorted by address.
typedef struct Uses {
  const Block *block;
  intptr_t level;
} Uses;

static MlirWalkResult findLevel(MlirOperation op, void *userData) {
  Uses *uses = userData;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    MlirValue value = mloptOperand(op, i);
    if (!mlirValueIsAOpResult(value))
      continue;
    Item key = {.op = mlirOpResultGetOwner(value)};
    const Item *item = bsearch(&key, uses->block->items, uses->block->count,
                               sizeof key, comparePointers);
    if (item && item->level + item->isRare > uses->level)
      uses->level = item->level + item->isRare;
  }
  return MlirWalkResultAdvance;
}

/// Gives each operation its level, in the order of the block.
static void findLevels(Block *block, MlirOperation end) {
  intptr_t ordered = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(block->block);
       !mlirOperationEqual(op, end); op = mlirOperationGetNextInBlock(op)) {
    Item key = {.op = op};
    Item *item =
        bsearch(&key, block->items, block->count, sizeof key, comparePointers);
    Uses uses = {.block = block};
    mlirOperationWalk(op, findLevel, &uses, MlirWalkPreOrder);
    item->level = uses.level;
    // What is right everywhere stays behind what has an effect: values that
    // were stored before it take no registers any more.
    if (isMovable(op) && !(item->isRare && isRight(op)))
      continue;
    if (item->level < ordered)
      item->level = ordered;
    if (!item->isRare)
      ordered = item->level;
  }
}

/// The item of the block's operation that `op` is or is in; null if it is the
/// block's end.
static Item *itemOf(const Block *block, MlirOperation op) {
  while (!mlirBlockEqual(mlirOperationGetBlock(op), block->block))
    op = mlirOperationGetParentOperation(op);
  Item key = {.op = op};
  return bsearch(&key, block->items, block->count, sizeof key, comparePointers);
}

/// Moves what only computes to the first branch that needs it, so that it does
/// not wait in registers for others. `ops`: in the order of the block.
static void delay(const Block *block, const MlirOperation *ops) {
  for (intptr_t i = block->count; i-- > 0;) {
    Item *item = itemOf(block, ops[i]);
    if (item->isRare || !isMovable(ops[i]))
      continue;
    intptr_t level = -1;
    for (intptr_t j = 0, n = mlirOperationGetNumResults(ops[i]); j < n; ++j)
      for (MlirOpOperand use = mlirValueGetFirstUse(mloptResult(ops[i], j));
           !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        const Item *user = itemOf(block, mlirOpOperandGetOwner(use));
        if (user && (level < 0 || user->level < level))
          level = user->level;
      }
    if (level > item->level)
      item->level = level;
  }
}

/// Brings the rare branches of a level side by side.
static bool sortBlock(Block *block) {
  MlirOperation end = mlirBlockGetTerminator(block->block);
  for (MlirOperation op = mlirBlockGetFirstOperation(block->block);
       !mlirOperationEqual(op, end); op = mlirOperationGetNextInBlock(op))
    ++block->count;
  MlirOperation *ops = malloc((block->count + 1) * sizeof *ops);
  block->items = malloc((block->count + 1) * sizeof *block->items);
  if (!ops || !block->items) {
    free(ops);
    return false;
  }
  intptr_t place = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(block->block);
       !mlirOperationEqual(op, end); op = mlirOperationGetNextInBlock(op)) {
    ops[place] = op;
    block->items[place] =
        (Item){.op = op, .place = place, .isRare = isRare(op)};
    ++place;
  }
  qsort(block->items, block->count, sizeof(Item), comparePointers);
  findLevels(block, end);
  delay(block, ops);
  free(ops);
  qsort(block->items, block->count, sizeof(Item), compareLevels);
  for (intptr_t i = 0; i < block->count; ++i)
    mlirOperationMoveBefore(block->items[i].op, end);
  return true;
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

/// Moves what a branch computes before `place`; the values that it yields.
static void moveOut(MlirOperation branch, intptr_t region, MlirBlock to,
                    MlirOperation place, MlirValue *yielded) {
  MlirBlock body =
      mlirRegionGetFirstBlock(mlirOperationGetRegion(branch, region));
  MlirOperation yield = mlirBlockGetTerminator(body);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(yield); i < n; ++i)
    yielded[i] = mloptOperand(yield, i);
  MlirOperation op = mlirBlockGetFirstOperation(body);
  while (!mlirOperationEqual(op, yield)) {
    MlirOperation next = mlirOperationGetNextInBlock(op);
    if (mlirOperationIsNull(place)) {
      mlirOperationRemoveFromParent(op);
      mlirBlockAppendOwnedOperation(to, op);
    } else {
      mlirOperationMoveBefore(op, place);
    }
    op = next;
  }
}

static void yield(MloptBuilder *b, intptr_t count, const MlirValue *values) {
  mloptBuildOp(b, (MloptOpSpec){.name = "scf.yield",
                                .numOperands = count,
                                .operands = values});
}

/// Puts the results of one branch in place of those of several.
static void replaceBranches(intptr_t n, const Item *items,
                            MlirOperation joined) {
  for (intptr_t i = 0, at = 0; i < n; ++i) {
    MlirOperation op = items[i].op;
    for (intptr_t j = 0; j < mlirOperationGetNumResults(op); ++j, ++at)
      mlirValueReplaceAllUsesOfWith(mloptResult(op, j),
                                    mloptResult(joined, at));
    mlirOperationDestroy(op);
  }
}

/// One branch in place of several that stand side by side.
static bool joinBranches(intptr_t n, const Item *items) {
  MlirOperation first = items[0].op;
  MloptBuilder b = mloptBuilderBefore(first, mlirOperationGetLocation(first));
  MlirValue usual[MAX_RESULTS] = {{NULL}}, rare[MAX_RESULTS] = {{NULL}};
  MlirValue condition = {NULL};
  MlirType types[MAX_RESULTS];
  MlirBlock then, otherwise;
  MlirRegion regions[] = {mloptCreateRegion(&b, 0, NULL, &then),
                          mloptCreateRegion(&b, 0, NULL, &otherwise)};
  intptr_t total = 0;
  for (intptr_t i = 0; i < n; ++i) {
    MlirOperation op = items[i].op;
    MlirValue one = mloptOperand(op, 0);
    moveOut(op, 1, otherwise, isRight(op) ? (MlirOperation){NULL} : first,
            usual + total);
    condition = i ? mloptBuildBinary(&b, "arith.ori", condition, one) : one;
    for (intptr_t j = 0; j < mlirOperationGetNumResults(op); ++j)
      types[total++] = mloptResultType(op, j);
  }
  MloptBuilder inside = mloptBuilderAtEnd(then, b.location);
  for (intptr_t i = 0, at = 0; i < n; ++i) {
    MlirOperation op = items[i].op;
    moveOut(op, 0, then, (MlirOperation){NULL}, rare + at);
    for (intptr_t j = 0; j < mlirOperationGetNumResults(op); ++j, ++at)
      if (!isRight(op))
        rare[at] =
            mloptBuildSelect(&inside, mloptOperand(op, 0), rare[at], usual[at]);
  }
  yield(&inside, total, rare);
  MloptBuilder beside = mloptBuilderAtEnd(otherwise, b.location);
  yield(&beside, total, usual);
  MlirOperation joined = mloptBuildOp(&b, (MloptOpSpec){.name = "scf.if",
                                                        .numOperands = 1,
                                                        .operands = &condition,
                                                        .numResults = total,
                                                        .results = types,
                                                        .numRegions = 2,
                                                        .regions = regions});
  if (b.failed || inside.failed || beside.failed)
    return false;
  replaceBranches(n, items, joined);
  return true;
}

/// The rare branches of one level, from the first on, that one branch takes.
static intptr_t countJoined(const Block *block, intptr_t first) {
  intptr_t n = 0, results = 0;
  bool isFirstRight = isRight(block->items[first].op);
  while (first + n < block->count && (isFirstRight || n < MAX_JOINED)) {
    const Item *item = &block->items[first + n];
    results += mlirOperationGetNumResults(item->op);
    if (!item->isRare || item->level != block->items[first].level ||
        isRight(item->op) != isFirstRight || results > MAX_RESULTS)
      break;
    ++n;
  }
  return n;
}

static bool joinBlock(MlirBlock body) {
  intptr_t numRare = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(body);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    numRare += isRare(op);
  if (numRare < 2)
    return true;
  Block block = {.block = body};
  bool ok = sortBlock(&block);
  for (intptr_t i = 0; ok && i < block.count;) {
    intptr_t n = countJoined(&block, i);
    if (n > 1)
      ok = joinBranches(n, &block.items[i]);
    i += n ? n : 1;
  }
  free(block.items);
  return ok;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static MlirWalkResult joinRegions(MlirOperation op, void *userData) {
  bool *ok = userData;
  for (intptr_t i = 0, n = mlirOperationGetNumRegions(op); i < n; ++i)
    for (MlirBlock block =
             mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
         *ok && !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block))
      *ok &= joinBlock(block);
  return *ok ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

static void run(MlirOperation top, MloptPass pass) {
  bool ok = true;
  mlirOperationWalk(top, joinRegions, &ok, MlirWalkPreOrder);
  if (!ok) {
    mloptOpError(top, "out of memory for its rare branches");
    mloptPassSignalFailure(pass);
  }
}

static MlirDialectHandle (*const dependent[])(void) = {
    mlirGetDialectHandle__arith__, mlirGetDialectHandle__scf__, NULL};

const MloptPassDef mloptPass_joinRare MLOPT_TABLE = {
    .argument = "mlopt-join-rare",
    .summary = "Give the rare cases of several elements one branch",
    .doc = "Joins branches (scf.if) that carry the attribute `rare`, which the "
           "functions of mlopt-expand-math put there, up to eight of a block "
           "that do not depend on each other: what each does otherwise is "
           "computed in any case, and one branch, taken if any is, puts in the "
           "rare results. No result changes.",
    .dependent = dependent,
    .run = run,
};
