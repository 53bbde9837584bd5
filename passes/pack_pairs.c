//===- pack_pairs.c - Two small floats in one instruction -----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `mlopt-pack-pairs` finds two lanes of bf16 or f16 arithmetic that end side by
// side in one 32-bit word, and computes both at once: a GPU rounds after every
// operation on <2 x bf16> for what one operation on f32 costs.
//
//   %a = arith.mulf %x0, %y0 : bf16        x0, x1 are the halves of one word,
//   %b = arith.mulf %x1, %y1 : bf16        and so are y0, y1
//   <bf16 vector of %a, %b>
// becomes
//   arith.mulf %x, %y : vector<2xbf16>
//
// From the vectors that stores put together it goes up through the operands, as
// far as the two lanes do the same. An operation without a packed form takes
// the halves apart and its results are put together again; two roundings of f32
// are one packed rounding. Every element gets the bits that it had.
//
//===----------------------------------------------------------------------===//

#include "pack_impl.h"
#include "passes.h"

#include "mlir-c/Dialect/Arith.h"
#include "mlir-c/Dialect/LLVM.h"

#include <stdio.h>
#include <stdlib.h>

/// Two values, and what stands for them.
typedef struct Pair {
  MlirValue lanes[2];   ///< as the program has them
  MlirValue vector;     ///< both; null until asked for, unless `isPacked`
  MlirValue scalars[2]; ///< each; null until asked for, if `isPacked`
  bool isPacked;
  bool isSplit; ///< `scalars` are new, and more or less a vector already
} Pair;

typedef struct Packer {
  MlirBlock block;
  Pair *pairs;
  intptr_t numPairs, maxPairs;
  bool failed;
} Packer;

/// Operations with a packed form.
static const char *const packable[] = {
    "arith.addf",     "arith.subf",     "arith.mulf", "arith.negf",
    "arith.maximumf", "arith.minimumf", "math.absf"};

static bool isPackable(MlirOperation op) {
  for (int i = 0; i < MLOPT_COUNT(packable); ++i)
    if (mloptIsNamed(op, packable[i]))
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

/// The operation of this block that defines a value; null if there is none.
static MlirOperation definingOp(const Packer *p, MlirValue value) {
  if (!mlirValueIsAOpResult(value))
    return (MlirOperation){NULL};
  MlirOperation op = mlirOpResultGetOwner(value);
  return mlirBlockEqual(mlirOperationGetBlock(op), p->block)
             ? op
             : (MlirOperation){NULL};
}

/// A builder behind whichever of the values comes last in the block.
static MloptBuilder builderAfter(const Packer *p, intptr_t n,
                                 const MlirValue *values,
                                 MlirLocation location) {
  MlirOperation last = {NULL};
  for (intptr_t i = 0; i < n; ++i) {
    MlirOperation op = definingOp(p, values[i]);
    if (!mlirOperationIsNull(op) &&
        (mlirOperationIsNull(last) || mlirOperationIsBeforeInBlock(last, op)))
      last = op;
  }
  return mloptBuilderBefore(mlirOperationIsNull(last)
                                ? mlirBlockGetFirstOperation(p->block)
                                : mlirOperationGetNextInBlock(last),
                            location);
}

static MlirValue buildLane(MloptBuilder *b, const char *name, intptr_t n,
                           const MlirValue *operands, int lane,
                           MlirType result) {
  MlirValue all[3] = {{NULL}};
  for (intptr_t i = 0; i < n; ++i)
    all[i] = operands[i];
  all[n] = mloptBuildInt(b, mlirIntegerTypeGet(b->context, 32), lane);
  return mloptBuildValue(b, (MloptOpSpec){.name = name,
                                          .numOperands = n + 1,
                                          .operands = all,
                                          .numResults = 1,
                                          .results = &result});
}

/// Two scalars as a vector.
static MlirValue buildVector(MloptBuilder *b, const MlirValue *scalars) {
  MlirType type = mloptPairType(mlirValueGetType(scalars[0]));
  MlirValue vector = mloptBuildValue(
      b, (MloptOpSpec){
             .name = "llvm.mlir.poison", .numResults = 1, .results = &type});
  for (int lane = 0; lane < 2; ++lane) {
    MlirValue operands[] = {vector, scalars[lane]};
    vector = buildLane(b, "llvm.insertelement", 2, operands, lane, type);
  }
  return vector;
}

static MlirLocation locationOf(MlirValue value) {
  return mlirValueGetLocation(value);
}

static MlirValue vectorOf(Packer *p, Pair *pair) {
  if (mlirValueIsNull(pair->vector) && !p->failed) {
    MloptBuilder b =
        builderAfter(p, 2, pair->scalars, locationOf(pair->lanes[1]));
    pair->vector = buildVector(&b, pair->scalars);
    p->failed |= b.failed;
  }
  return pair->vector;
}

static MlirValue scalarOf(Packer *p, Pair *pair, int lane) {
  if (mlirValueIsNull(pair->scalars[lane]) && !p->failed) {
    MloptBuilder b =
        builderAfter(p, 1, &pair->vector, locationOf(pair->lanes[lane]));
    pair->scalars[lane] = buildLane(&b, "llvm.extractelement", 1, &pair->vector,
                                    lane, mlirValueGetType(pair->lanes[lane]));
    p->failed |= b.failed;
  }
  return pair->scalars[lane];
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

/// The lane that an llvm.extractelement or llvm.insertelement names; -1 if that
/// is no constant.
static int64_t laneOf(MlirOperation op) {
  MlirValue index = mloptOperand(op, mlirOperationGetNumOperands(op) - 1);
  MlirAttribute value = {NULL};
  if (mlirValueIsAOpResult(index))
    value = mloptAttr(mlirOpResultGetOwner(index), "value");
  return mlirAttributeIsNull(value) || !mlirAttributeIsAInteger(value)
             ? -1
             : mlirIntegerAttrGetValueInt(value);
}

/// The vector whose halves the two are; null if there is none.
static MlirValue halvesOf(MlirValue a, MlirValue b) {
  MlirValue lanes[] = {a, b}, vector = {NULL};
  for (int lane = 0; lane < 2; ++lane) {
    if (!mlirValueIsAOpResult(lanes[lane]))
      return (MlirValue){NULL};
    MlirOperation op = mlirOpResultGetOwner(lanes[lane]);
    if (!mloptIsNamed(op, "llvm.extractelement") || laneOf(op) != lane ||
        (lane && !mlirValueEqual(mloptOperand(op, 0), vector)))
      return (MlirValue){NULL};
    vector = mloptOperand(op, 0);
  }
  MlirType type = mlirValueGetType(vector);
  bool fits = mlirTypeEqual(type, mloptPairType(mlirValueGetType(a)));
  return fits ? vector : (MlirValue){NULL};
}

/// Whether the operations differ in their operands alone.
static bool doTheSame(MlirOperation a, MlirOperation b) {
  intptr_t n = mlirOperationGetNumOperands(a);
  bool same =
      mlirIdentifierEqual(mlirOperationGetName(a), mlirOperationGetName(b)) &&
      mlirOperationGetNumOperands(b) == n &&
      mlirOperationGetNumResults(a) == 1 &&
      mlirOperationGetNumResults(b) == 1 &&
      mlirOperationGetNumRegions(a) == 0 &&
      mlirOperationGetNumAttributes(a) == mlirOperationGetNumAttributes(b);
  for (intptr_t i = 0; same && i < mlirOperationGetNumAttributes(a); ++i) {
    MlirNamedAttribute attr = mlirOperationGetAttribute(a, i);
    same = mlirAttributeEqual(
        attr.attribute,
        mlirOperationGetAttributeByName(b, mlirIdentifierStr(attr.name)));
  }
  for (intptr_t i = 0; same && i < n; ++i)
    same = mlirTypeEqual(mloptOperandType(a, i), mloptOperandType(b, i));
  return same;
}

static intptr_t addPair(Packer *p, MlirValue a, MlirValue b);
static intptr_t pack(Packer *p, MlirValue a, MlirValue b);

enum { MAX_OPERANDS = 4 };

/// The same operation on packed operands.
static void packOperation(Packer *p, Pair *pair, MlirOperation op, intptr_t n,
                          const intptr_t *operands) {
  MlirValue vectors[MAX_OPERANDS];
  for (intptr_t i = 0; i < n; ++i)
    vectors[i] = vectorOf(p, &p->pairs[operands[i]]);
  if (p->failed)
    return;
  MloptBuilder b = builderAfter(p, 2, pair->lanes, locationOf(pair->lanes[1]));
  char name[32];
  MlirStringRef opName = mlirIdentifierStr(mlirOperationGetName(op));
  snprintf(name, sizeof name, "%.*s", (int)opName.length, opName.data);
  MlirNamedAttribute attrs[MAX_OPERANDS];
  intptr_t numAttrs = mlirOperationGetNumAttributes(op);
  for (intptr_t i = 0; i < numAttrs && i < MAX_OPERANDS; ++i)
    attrs[i] = mlirOperationGetAttribute(op, i);
  MlirType type = mloptPairType(mloptResultType(op, 0));
  pair->vector = mloptBuildValue(&b, (MloptOpSpec){.name = name,
                                                   .numOperands = n,
                                                   .operands = vectors,
                                                   .numResults = 1,
                                                   .results = &type,
                                                   .numAttrs = numAttrs,
                                                   .attrs = attrs});
  pair->isPacked = true;
  pair->scalars[0] = pair->scalars[1] = (MlirValue){NULL};
  p->failed |= b.failed;
}

/// Both operations again, each on its half of the operands that are packed.
static void splitOperation(Packer *p, Pair *pair, MlirOperation op, intptr_t n,
                           const intptr_t *operands) {
  for (int lane = 0; lane < 2 && !p->failed; ++lane) {
    MlirValue keys[MAX_OPERANDS], values[MAX_OPERANDS];
    MlirOperation old = mlirOpResultGetOwner(pair->lanes[lane]);
    intptr_t count = 0;
    for (intptr_t i = 0; i < n; ++i) {
      if (operands[i] < 0)
        continue;
      keys[count] = mloptOperand(old, i);
      values[count++] = scalarOf(p, &p->pairs[operands[i]], lane);
    }
    MlirOperation copy = mloptCloneWithMapping(old, count, keys, values);
    // Behind both lanes, where the halves are there.
    MlirOperation first = mlirOpResultGetOwner(pair->lanes[0]);
    MlirOperation second = mlirOpResultGetOwner(pair->lanes[1]);
    MlirOperation last =
        mlirOperationIsBeforeInBlock(first, second) ? second : first;
    mlirBlockInsertOwnedOperationAfter(p->block, last, copy);
    pair->scalars[lane] = mloptResult(copy, 0);
  }
}

/// Two roundings of f32 to bf16 or f16, in one.
static void packRounding(Packer *p, Pair *pair) {
  MlirValue sources[2];
  for (int lane = 0; lane < 2; ++lane)
    sources[lane] = mloptOperand(mlirOpResultGetOwner(pair->lanes[lane]), 0);
  MloptBuilder b = builderAfter(p, 2, pair->lanes, locationOf(pair->lanes[1]));
  pair->vector =
      mloptBuildUnary(&b, "llvm.fptrunc", buildVector(&b, sources),
                      mloptPairType(mlirValueGetType(pair->lanes[0])));
  pair->isPacked = true;
  pair->scalars[0] = pair->scalars[1] = (MlirValue){NULL};
  p->failed |= b.failed;
}

static bool isRounding(MlirOperation op) {
  return mloptIsNamed(op, "arith.truncf") &&
         mlirTypeIsAF32(mloptOperandType(op, 0)) &&
         mlirAttributeIsNull(mloptAttr(op, "roundingmode"));
}

//===----------------------------------------------------------------------===//
// Elements of eight bits
//===----------------------------------------------------------------------===//

/// Packs a pair of bf16 that two bytes of one word become.
static bool packBytes(Packer *p, Pair *pair, MlirOperation op) {
  int64_t bytes[2] = {0, 0};
  MlirValue words[2];
  bool isInteger = mloptIsNamed(op, "arith.sitofp") &&
                   mloptElementWidth(mloptOperandType(op, 0)) == 8;
  bool isFloat = mloptIsNamed(op, "arith.extf") &&
                 mlirTypeIsAFloat8E4M3FN(mloptOperandType(op, 0));
  if (!mlirTypeIsABF16(mloptResultType(op, 0)) || (!isInteger && !isFloat))
    return false;
  for (int lane = 0; lane < 2; ++lane)
    words[lane] = mloptPackByteOf(
        mloptOperand(mlirOpResultGetOwner(pair->lanes[lane]), 0), &bytes[lane]);
  if (mlirValueIsNull(words[0]) || !mlirValueEqual(words[0], words[1]))
    return false;
  MloptBuilder b = builderAfter(p, 2, pair->lanes, locationOf(pair->lanes[1]));
  MlirType vector = mloptPairType(mloptResultType(op, 0));
  pair->vector = (isInteger ? mloptPackIntegers : mloptPackE4m3)(&b, words[0],
                                                                 bytes, vector);
  pair->isPacked = true;
  pair->scalars[0] = pair->scalars[1] = (MlirValue){NULL};
  p->failed |= b.failed;
  return true;
}

/// Packs what defines a new pair, if anything can be.
static void packDefinition(Packer *p, intptr_t index) {
  Pair pair = p->pairs[index];
  MlirOperation op = definingOp(p, pair.lanes[0]);
  MlirOperation other = definingOp(p, pair.lanes[1]);
  if (mlirOperationIsNull(op) || mlirOperationIsNull(other) ||
      mlirOperationEqual(op, other) || !doTheSame(op, other) ||
      mlirOperationGetNumOperands(op) > MAX_OPERANDS ||
      mlirOperationGetNumAttributes(op) > MAX_OPERANDS)
    return;
  if (isRounding(op)) {
    packRounding(p, &pair);
    p->pairs[index] = pair;
    return;
  }
  if (packBytes(p, &pair, op)) {
    p->pairs[index] = pair;
    return;
  }
  intptr_t operands[MAX_OPERANDS], n = mlirOperationGetNumOperands(op);
  bool allHalf = n > 0, anyPacked = false;
  for (intptr_t i = 0; i < n; ++i) {
    operands[i] = -1;
    if (!mloptIsHalf(mloptOperandType(op, i))) {
      allHalf = false;
      continue;
    }
    operands[i] = pack(p, mloptOperand(op, i), mloptOperand(other, i));
    anyPacked |= operands[i] >= 0 && (p->pairs[operands[i]].isPacked ||
                                      p->pairs[operands[i]].isSplit);
  }
  if (p->failed || !anyPacked)
    return;
  if (allHalf && isPackable(op))
    packOperation(p, &pair, op, n, operands);
  else if (!isPackable(op)) {
    splitOperation(p, &pair, op, n, operands);
    pair.isSplit = true;
    // Found again as they are, should they be put together.
    addPair(p, pair.scalars[0], pair.scalars[1]);
  }
  p->pairs[index] = pair;
}

/// A new pair that stands for itself; -1 after running out of memory.
static intptr_t addPair(Packer *p, MlirValue a, MlirValue b) {
  if (p->numPairs == p->maxPairs) {
    intptr_t capacity = p->maxPairs ? 2 * p->maxPairs : 64;
    Pair *pairs = realloc(p->pairs, capacity * sizeof *pairs);
    if (!pairs) {
      p->failed = true;
      return -1;
    }
    p->pairs = pairs;
    p->maxPairs = capacity;
  }
  p->pairs[p->numPairs] = (Pair){.lanes = {a, b}, .scalars = {a, b}};
  return p->numPairs++;
}

/// The place of a pair of bf16 or f16 values; -1 after running out of memory.
static intptr_t pack(Packer *p, MlirValue a, MlirValue b) {
  for (intptr_t i = p->numPairs; i-- > 0;)
    if (mlirValueEqual(p->pairs[i].lanes[0], a) &&
        mlirValueEqual(p->pairs[i].lanes[1], b))
      return i;
  intptr_t index = addPair(p, a, b);
  if (index < 0)
    return index;
  MlirValue vector = halvesOf(a, b);
  if (!mlirValueIsNull(vector)) {
    p->pairs[index].vector = vector;
    p->pairs[index].isPacked = true;
  } else if (!mloptIsDefinedBy(a, "arith.constant")) {
    packDefinition(p, index);
  }
  return index;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Whether a vector is put together from two halves that are all of it.
static bool isSeed(MlirOperation op, MlirValue lanes[2]) {
  if (!mloptIsNamed(op, "llvm.insertelement") || laneOf(op) != 1)
    return false;
  MlirType type = mloptResultType(op, 0);
  if (!mloptIsHalf(mloptElementType(type)) ||
      !mlirTypeEqual(type, mloptPairType(mloptElementType(type))) ||
      !mlirValueIsAOpResult(mloptOperand(op, 0)))
    return false;
  MlirOperation first = mlirOpResultGetOwner(mloptOperand(op, 0));
  if (!mloptIsNamed(first, "llvm.insertelement") || laneOf(first) != 0)
    return false;
  lanes[0] = mloptOperand(first, 1);
  lanes[1] = mloptOperand(op, 1);
  return true;
}

/// Whether an operation only computes, and nothing uses that.
static bool isDead(MlirOperation op) {
  static const char *const pure[] = {"arith.", "math.", "llvm.extractelement",
                                     "llvm.insertelement"};
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  bool isPure = false;
  for (int i = 0; i < MLOPT_COUNT(pure); ++i)
    isPure |= name.length >= strlen(pure[i]) &&
              !strncmp(name.data, pure[i], strlen(pure[i]));
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i)
    isPure &= mlirOpOperandIsNull(mlirValueGetFirstUse(mloptResult(op, i)));
  return isPure;
}

/// Erases what packing left over, users first, so that no later pass expands
/// it.
static bool eraseDead(MlirBlock block) {
  intptr_t count = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    ++count;
  MlirOperation *ops = malloc((count + 1) * sizeof *ops);
  if (!ops)
    return false;
  count = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    ops[count++] = op;
  while (count-- > 0)
    if (isDead(ops[count]))
      mlirOperationDestroy(ops[count]);
  free(ops);
  return true;
}

static bool packBlock(MlirBlock block) {
  Packer p = {.block = block};
  bool any = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op) && !p.failed;
       op = mlirOperationGetNextInBlock(op)) {
    MlirValue lanes[2];
    if (!isSeed(op, lanes))
      continue;
    intptr_t index = pack(&p, lanes[0], lanes[1]);
    if (p.failed || (!p.pairs[index].isPacked && !p.pairs[index].isSplit))
      continue;
    any = true;
    MlirValue vector = vectorOf(&p, &p.pairs[index]);
    if (!p.failed)
      mlirValueReplaceAllUsesOfWith(mloptResult(op, 0), vector);
  }
  free(p.pairs);
  return !p.failed && (!any || eraseDead(block));
}

static MlirWalkResult packRegions(MlirOperation op, void *userData) {
  bool *ok = userData;
  for (intptr_t i = 0, n = mlirOperationGetNumRegions(op); i < n; ++i)
    for (MlirBlock block =
             mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
         !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
      *ok &= packBlock(block);
  return MlirWalkResultAdvance;
}

static void run(MlirOperation top, MloptPass pass) {
  bool ok = true;
  mlirOperationWalk(top, packRegions, &ok, MlirWalkPreOrder);
  if (!ok) {
    mloptOpError(top, "out of memory for its pairs of small floats");
    mloptPassSignalFailure(pass);
  }
}

static MlirDialectHandle (*const dependent[])(void) = {
    mlirGetDialectHandle__arith__, mlirGetDialectHandle__llvm__, NULL};

const MloptPassDef mloptPass_packPairs MLOPT_TABLE = {
    .argument = "mlopt-pack-pairs",
    .summary = "Compute two bf16 or f16 elements of a word at once",
    .doc =
        "Where two elements of bf16 or f16 that form one 32-bit word are "
        "computed by the same operations, those become operations on "
        "vectors of two: sums, differences, products, negation, absolute "
        "values, maxima and minima, and roundings from f32. So are two bytes "
        "of a word, signed integers or f8E4M3FN, that become bf16. Other "
        "operations in between stay scalar. No result changes.",
    .dependent = dependent,
    .run = run,
};
