//===- nv_tile.c - Tiles of elements in registers -------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nv_tile.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

/// The widest access of a thread, in bits.
enum { ACCESS_BITS = 128, WORD_BITS = 32 };

MlirValue mloptReadRegister(MloptBuilder *b, const char *name) {
  MlirType i32 = mlirIntegerTypeGet(b->context, 32);
  MlirValue value = mloptBuildValue(
      b, (MloptOpSpec){.name = name, .numResults = 1, .results = &i32});
  return mloptBuildUnary(b, "arith.index_castui", value,
                         mlirIndexTypeGet(b->context));
}

void mloptTileEnter(MloptTile *tile) {
  tile->block = mloptPullGetBuilder(tile->pull)->block;
  tile->numLoads = tile->numInserts = 0;
}

void mloptTileDestroy(MloptTile *tile) {
  free(tile->loads);
  free(tile->inserts);
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

static MlirValue addConstant(MloptPull *pull, MlirValue x, int64_t number) {
  return number ? mloptPullAdd(pull, x, mloptPullIndex(pull, number)) : x;
}

void mloptTileVectorAt(MloptTile *tile, MlirValue position, int count,
                       MloptVector *out) {
  *out = (MloptVector){.count = count};
  for (int k = 0; k < count; ++k)
    out->position[k] = mloptPullLane(tile->pull, position, k, count);
}

void mloptTileVectorIn(MloptTile *tile, MlirValue row, int64_t columns,
                       MlirValue column, int count, MloptVector *out) {
  MloptPull *pull = tile->pull;
  MloptBuilder *b = mloptPullGetBuilder(pull);
  MlirValue begin =
      mloptBuildBinary(b, "arith.muli", row, mloptPullIndex(pull, columns));
  mloptTileVectorAt(tile, mloptBuildBinary(b, "arith.addi", begin, column),
                    count, out);
  for (int k = 0; k < count; ++k) {
    out->column[k] = mloptPullLane(pull, column, k, count);
    mloptPullBindSplit(pull, out->position[k], row, columns, out->column[k]);
  }
}

void mloptTileSplitRow(MloptTile *tile, MloptVector *vector, int64_t columns) {
  MloptPull *pull = tile->pull;
  MloptBuilder *b = mloptPullGetBuilder(pull);
  MlirValue size = mloptPullIndex(pull, columns), first = vector->position[0];
  MlirValue row = mloptBuildBinary(b, "arith.divui", first, size);
  MlirValue column = mloptBuildBinary(b, "arith.remui", first, size);
  mloptPullBindOuter(pull, row);
  for (int k = 0; k < vector->count; ++k) {
    vector->column[k] = columns % vector->count
                            ? mloptPullRun(pull, column, k, vector->count)
                            : mloptPullLane(pull, column, k, vector->count);
    mloptPullBindSplit(pull, vector->position[k], row, columns,
                       vector->column[k]);
  }
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// How `count` elements of a type are accessed: as words of the type itself, or
/// of an integer that holds several.
typedef struct Access {
  MlirType memory; ///< of one element
  unsigned width;  ///< bits of one
  MlirType word;
  int numWords, perWord;
  int wordsAtOnce;
} Access;

static Access describeAccess(MlirType element, int count) {
  MlirContext context = mlirTypeGetContext(element);
  Access a = {.memory = mloptPullMemoryType(element)};
  a.width = mloptElementWidth(a.memory);
  int bits = count * (int)a.width;
  int word = a.width >= WORD_BITS || count == 1 ? (int)a.width
             : bits < WORD_BITS                 ? bits
                                                : WORD_BITS;
  a.perWord = word / (int)a.width;
  a.word = a.perWord == 1 ? a.memory : mlirIntegerTypeGet(context, word);
  a.numWords = bits / word;
  a.wordsAtOnce =
      a.numWords * word > ACCESS_BITS ? ACCESS_BITS / word : a.numWords;
  return a;
}

static MlirType accessType(const Access *a) {
  int64_t count = a->wordsAtOnce;
  return count == 1 ? a->word : mlirVectorTypeGet(1, &count, a->word);
}

static MlirNamedAttribute alignmentOf(MloptBuilder *b, const Access *a) {
  int64_t bytes = a->wordsAtOnce * a->perWord * (int64_t)a->width / 8;
  return mloptNamedAttr(b->context, "alignment",
                        mloptI64Attr(b->context, bytes));
}

static MlirValue addressOfWord(MloptTile *tile, const Access *a,
                               MlirValue pointer, MlirType tensor,
                               MlirValue position, int word) {
  return mloptPullAddress(
      tile->pull, pointer, tensor,
      addConstant(tile->pull, position, (int64_t)word * a->perWord));
}

static MlirValue i32Constant(MloptBuilder *b, int64_t value) {
  return mloptBuildInt(b, mlirIntegerTypeGet(b->context, 32), value);
}

/// Whether a word holds two small floats, which mlopt-pack-pairs looks for.
static bool isHalfPair(const Access *a) {
  return a->perWord == 2 && a->width == 16 && !mlirTypeIsAInteger(a->memory);
}

static MlirType pairOf(MlirType element) {
  const int64_t two = 2;
  return mlirVectorTypeGet(1, &two, element);
}

static MlirValue extractElement(MloptBuilder *b, MlirValue vector, int i,
                                MlirType element) {
  MlirValue operands[] = {vector, i32Constant(b, i)};
  return mloptBuildValue(b, (MloptOpSpec){.name = "llvm.extractelement",
                                          .numOperands = 2,
                                          .operands = operands,
                                          .numResults = 1,
                                          .results = &element});
}

/// Element `i` of what was loaded.
static MlirValue elementOfWord(MloptTile *tile, const Access *a, MlirValue word,
                               int i, MlirType element) {
  MloptBuilder *b = mloptPullGetBuilder(tile->pull);
  if (isHalfPair(a))
    return extractElement(b, word, i % 2, a->memory);
  if (a->perWord > 1) {
    int64_t shift = (int64_t)a->width * (i % a->perWord);
    if (shift)
      word = mloptBuildBinary(b, "arith.shrui", word,
                              mloptBuildInt(b, a->word, shift));
    word = mloptBuildUnary(b, "arith.trunci", word,
                           mlirIntegerTypeGet(b->context, a->width));
    if (!mlirTypeIsAInteger(a->memory))
      word = mloptBuildUnary(b, "arith.bitcast", word, a->memory);
  }
  return mloptPullFromMemory(tile->pull, word, element);
}

int mloptTileLoadWords(MloptTile *tile, MlirValue pointer, MlirType tensor,
                       MlirValue position, int count, MlirValue *outWords) {
  MloptBuilder *b = mloptPullGetBuilder(tile->pull);
  Access a = describeAccess(mloptElementType(tensor), count);
  MlirType type = accessType(&a);
  for (int word = 0; word < a.numWords; word += a.wordsAtOnce) {
    MlirValue address =
        addressOfWord(tile, &a, pointer, tensor, position, word);
    MlirNamedAttribute alignment = alignmentOf(b, &a);
    MlirValue loaded = mloptBuildValue(b, (MloptOpSpec){.name = "llvm.load",
                                                        .numOperands = 1,
                                                        .operands = &address,
                                                        .numResults = 1,
                                                        .results = &type,
                                                        .numAttrs = 1,
                                                        .attrs = &alignment});
    outWords[word] = loaded;
    for (int w = 0; w < a.wordsAtOnce && a.wordsAtOnce > 1; ++w)
      outWords[word + w] = extractElement(b, loaded, w, a.word);
  }
  return a.numWords;
}

void mloptTileUnpack(MloptTile *tile, MlirType element, int count,
                     const MlirValue *words, MlirValue *out) {
  MloptBuilder *b = mloptPullGetBuilder(tile->pull);
  Access a = describeAccess(element, count);
  for (int word = 0; word < a.numWords; ++word) {
    MlirValue one = words[word];
    if (isHalfPair(&a) && !b->failed)
      one = mloptBuildUnary(b, "llvm.bitcast", one, pairOf(a.memory));
    for (int i = 0; i < a.perWord; ++i)
      out[word * a.perWord + i] = elementOfWord(tile, &a, one, i, element);
  }
}

void mloptTileLoadVector(MloptTile *tile, MlirValue pointer, MlirType tensor,
                         MlirValue position, int count, MlirValue *out) {
  MlirValue words[MLOPT_MAX_LANES];
  mloptTileLoadWords(tile, pointer, tensor, position, count, words);
  mloptTileUnpack(tile, mloptElementType(tensor), count, words, out);
}

/// The last `perWord - 1` of a run's elements, in the high bits of a word.
static MlirValue loadTail(MloptTile *tile, const Access *a, MlirValue pointer,
                          MlirType tensor, MlirValue position, int count) {
  MloptBuilder *b = mloptPullGetBuilder(tile->pull);
  MlirValue tail = {NULL};
  for (int i = 1; i < a->perWord; ++i) {
    MlirValue at = addConstant(tile->pull, position, count - a->perWord + i);
    MlirValue part = mloptBuildUnary(
        b, "llvm.load", mloptPullAddress(tile->pull, pointer, tensor, at),
        a->memory);
    if (!mlirTypeIsAInteger(a->memory))
      part = mloptBuildUnary(b, "arith.bitcast", part,
                             mlirIntegerTypeGet(b->context, a->width));
    part = mloptBuildUnary(b, "arith.extui", part, a->word);
    part = mloptBuildBinary(
        b, "arith.shli", part,
        mloptBuildInt(b, a->word, (int64_t)i * (int64_t)a->width));
    tail = mlirValueIsNull(tail) ? part
                                 : mloptBuildBinary(b, "arith.ori", tail, part);
  }
  return tail;
}

static MlirValue shiftTogether(MloptBuilder *b, MlirValue high, MlirValue low,
                               MlirValue shift) {
  MlirValue operands[] = {high, low, shift};
  MlirType type = mlirValueGetType(low);
  return mloptBuildValue(b, (MloptOpSpec){.name = "llvm.intr.fshr",
                                          .numOperands = 3,
                                          .operands = operands,
                                          .numResults = 1,
                                          .results = &type});
}

/// Words that start at or before the run's first element, each shifted together
/// with its neighbour. No word is touched that holds no element of the run:
/// those of the last one that lie beyond are loaded alone.
void mloptTileLoadRun(MloptTile *tile, MlirValue pointer, MlirType tensor,
                      MlirValue position, int count, MlirValue *out) {
  MloptPull *pull = tile->pull;
  MloptBuilder *b = mloptPullGetBuilder(pull);
  MlirType element = mloptElementType(tensor);
  Access a = describeAccess(element, count);
  if (a.perWord == 1 || count % a.perWord ||
      a.perWord * (int)a.width < WORD_BITS) {
    for (int k = 0; k < count; ++k)
      mloptTileLoadVector(tile, pointer, tensor, addConstant(pull, position, k),
                          1, &out[k]);
    return;
  }
  MlirValue skew = mloptBuildBinary(b, "arith.remui", position,
                                    mloptPullIndex(pull, a.perWord));
  MlirValue begin = mloptBuildBinary(b, "arith.subi", position, skew);
  MlirValue words[MLOPT_MAX_LANES];
  Access one = a;
  one.wordsAtOnce = 1;
  MlirNamedAttribute alignment = alignmentOf(b, &one);
  for (int w = 0; w < a.numWords; ++w) {
    MlirValue address = addressOfWord(tile, &a, pointer, tensor, begin, w);
    words[w] = mloptBuildValue(b, (MloptOpSpec){.name = "llvm.load",
                                                .numOperands = 1,
                                                .operands = &address,
                                                .numResults = 1,
                                                .results = &a.word,
                                                .numAttrs = 1,
                                                .attrs = &alignment});
  }
  MlirValue tail = loadTail(tile, &a, pointer, tensor, position, count);
  MlirValue shift = mloptBuildBinary(
      b, "arith.muli", mloptBuildUnary(b, "arith.index_castui", skew, a.word),
      mloptBuildInt(b, a.word, a.width));
  for (int w = 0; w + 1 < a.numWords; ++w)
    words[w] = shiftTogether(b, words[w + 1], words[w], shift);
  MlirValue ones = mloptBuildInt(b, a.word, -1);
  MlirValue kept = mloptBuildBinary(b, "arith.shrui", ones, shift);
  MlirValue last =
      mloptBuildBinary(b, "arith.shrui", words[a.numWords - 1], shift);
  words[a.numWords - 1] = mloptBuildBinary(
      b, "arith.ori", last,
      mloptBuildBinary(b, "arith.andi", tail,
                       mloptBuildBinary(b, "arith.xori", kept, ones)));
  mloptTileUnpack(tile, element, count, words, out);
}

static MlirValue insertElement(MloptBuilder *b, MlirValue vector,
                               MlirValue element, int i) {
  MlirValue operands[] = {vector, element, i32Constant(b, i)};
  MlirType type = mlirValueGetType(vector);
  return mloptBuildValue(b, (MloptOpSpec){.name = "llvm.insertelement",
                                          .numOperands = 3,
                                          .operands = operands,
                                          .numResults = 1,
                                          .results = &type});
}

static MlirValue collect(MloptBuilder *b, MlirType type, int count,
                         const MlirValue *elements) {
  MlirValue vector = mloptBuildValue(
      b, (MloptOpSpec){
             .name = "llvm.mlir.poison", .numResults = 1, .results = &type});
  for (int i = 0; i < count && !b->failed; ++i)
    vector = insertElement(b, vector, elements[i], i);
  return vector;
}

/// The elements of one word, joined.
static MlirValue joinWord(MloptTile *tile, const Access *a,
                          const MlirValue *elements) {
  MloptBuilder *b = mloptPullGetBuilder(tile->pull);
  if (a->perWord == 1)
    return mloptPullToMemory(tile->pull, elements[0]);
  if (b->failed)
    return (MlirValue){NULL};
  if (isHalfPair(a))
    return mloptBuildUnary(b, "llvm.bitcast",
                           collect(b, pairOf(a->memory), 2, elements), a->word);
  MlirValue word = {NULL};
  for (int i = 0; i < a->perWord; ++i) {
    MlirValue part = mloptPullToMemory(tile->pull, elements[i]);
    if (!mlirTypeIsAInteger(a->memory))
      part = mloptBuildUnary(b, "arith.bitcast", part,
                             mlirIntegerTypeGet(b->context, a->width));
    part = mloptBuildUnary(b, "arith.extui", part, a->word);
    if (i)
      part = mloptBuildBinary(
          b, "arith.ori", word,
          mloptBuildBinary(b, "arith.shli", part,
                           mloptBuildInt(b, a->word, i * (int64_t)a->width)));
    word = part;
  }
  return word;
}

void mloptTileStoreIf(MloptTile *tile, const MloptVector *vector,
                      MlirValue pointer, const MlirValue *elements,
                      MlirValue condition) {
  MloptBuilder *b = mloptPullGetBuilder(tile->pull);
  MlirValue words[MLOPT_MAX_LANES];
  if (b->failed)
    return;
  MlirType element = mlirValueGetType(elements[0]);
  Access a = describeAccess(element, vector->count);
  for (int word = 0; word < a.numWords; ++word)
    words[word] = joinWord(tile, &a, elements + (intptr_t)word * a.perWord);
  MloptPullScope scope = mloptPullBeginGuard(tile->pull, condition);
  for (int word = 0; word < a.numWords && !b->failed; word += a.wordsAtOnce) {
    MlirValue operands[] = {
        a.wordsAtOnce == 1
            ? words[word]
            : collect(b, accessType(&a), a.wordsAtOnce, words + word),
        addressOfWord(tile, &a, pointer, mloptTensorType(0, NULL, element),
                      vector->position[0], word)};
    MlirNamedAttribute alignment = alignmentOf(b, &a);
    mloptBuildOp(b, (MloptOpSpec){.name = "llvm.store",
                                  .numOperands = 2,
                                  .operands = operands,
                                  .numAttrs = 1,
                                  .attrs = &alignment});
  }
  mloptPullEndGuard(tile->pull, condition, scope);
}

void mloptTileStore(MloptTile *tile, const MloptVector *vector,
                    MlirValue pointer, const MlirValue *elements) {
  mloptTileStoreIf(tile, vector, pointer, elements, (MlirValue){NULL});
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// How far back the arithmetic of an index is followed.
enum { MAX_DEPTH = 16 };

static bool isConstant(MlirValue value) {
  return mlirValueIsAOpResult(value) &&
         mloptIsNamed(mlirOpResultGetOwner(value), "arith.constant");
}

/// Whether all elements of the vector see the same value: it does not come from
/// where they are, or only from indices that they share.
static bool isShared(const MloptTile *tile, MlirValue value, int depth) {
  const MloptVector *v = tile->vector;
  if (mlirValueEqual(value, v->position[0]) ||
      (!mlirValueIsNull(v->column[0]) && mlirValueEqual(value, v->column[0])))
    return false;
  if (mlirValueIsABlockArgument(value) || isConstant(value) ||
      mloptPullIsOuter(tile->pull, value))
    return true;
  MlirOperation op = mlirOpResultGetOwner(value);
  if (!depth || mlirOperationGetNumRegions(op))
    return false;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (!isShared(tile, mloptOperand(op, i), depth - 1))
      return false;
  return true;
}

/// Whether a value is known to be a multiple of a number.
static bool isMultiple(MlirValue value, int64_t of) {
  if (!mlirValueIsAOpResult(value))
    return of == 1;
  MlirOperation op = mlirOpResultGetOwner(value);
  if (isConstant(value))
    return mlirIntegerAttrGetValueInt(mloptAttr(op, "value")) % of == 0;
  if (mloptIsNamed(op, "arith.muli"))
    return isMultiple(mloptOperand(op, 0), of) ||
           isMultiple(mloptOperand(op, 1), of);
  if (mloptIsNamed(op, "arith.addi"))
    return isMultiple(mloptOperand(op, 0), of) &&
           isMultiple(mloptOperand(op, 1), of);
  return of == 1;
}

/// The index of the vector's first element where this one's is an index along
/// the vector, or that plus a multiple of the vector's length that all share;
/// null otherwise.
static MlirValue firstOf(MloptTile *tile, MlirValue index) {
  const MloptVector *v = tile->vector;
  MlirValue first = mloptPullFindFirst(tile->pull, index, tile->lane, v->count);
  if (!mlirValueIsNull(first) || !mlirValueIsAOpResult(index))
    return first;
  MlirOperation op = mlirOpResultGetOwner(index);
  if (!mloptIsNamed(op, "arith.addi"))
    return (MlirValue){NULL};
  for (int i = 0; i < 2; ++i) {
    MlirValue offset = mloptOperand(op, 1 - i);
    first = mloptPullFindFirst(tile->pull, mloptOperand(op, i), tile->lane,
                               v->count);
    if (!mlirValueIsNull(first) && isMultiple(offset, v->count) &&
        isShared(tile, offset, MAX_DEPTH))
      return mloptPullAdd(tile->pull, first, offset);
  }
  return (MlirValue){NULL};
}

static bool isNegated(MlirValue value) {
  return mlirValueIsAOpResult(value) &&
         mloptIsNamed(mlirOpResultGetOwner(value), "arith.muli") &&
         isConstant(mloptOperand(mlirOpResultGetOwner(value), 1)) &&
         mlirIntegerAttrGetValueInt(mloptAttr(
             mlirOpResultGetOwner(mloptOperand(mlirOpResultGetOwner(value), 1)),
             "value")) == -1;
}

/// The least index of the vector's elements where this one's is an index along
/// the vector, or n plus or, `*outBackwards`, n minus that, n being the same
/// for all; null otherwise.
static MlirValue runOf(MloptTile *tile, MlirValue index, bool *outBackwards) {
  const int count = tile->vector->count;
  MloptPull *pull = tile->pull;
  *outBackwards = false;
  MlirValue first = mloptPullFindRun(pull, index, tile->lane, count);
  if (!mlirValueIsNull(first) || !mlirValueIsAOpResult(index) ||
      !mloptIsNamed(mlirOpResultGetOwner(index), "arith.addi"))
    return first;
  for (int i = 0; i < 2; ++i) {
    MlirValue along = mloptOperand(mlirOpResultGetOwner(index), i);
    MlirValue offset = mloptOperand(mlirOpResultGetOwner(index), 1 - i);
    if (!isShared(tile, offset, MAX_DEPTH))
      continue;
    first = mloptPullFindRun(pull, along, tile->lane, count);
    if (!mlirValueIsNull(first))
      return mloptPullAdd(pull, first, offset);
    if (!isNegated(along))
      continue;
    MlirOperation product = mlirOpResultGetOwner(along);
    first = mloptPullFindRun(pull, mloptOperand(product, 0), tile->lane, count);
    if (mlirValueIsNull(first))
      continue;
    *outBackwards = true;
    MlirValue last = mloptPullAdd(pull, first, mloptPullIndex(pull, count - 1));
    return mloptPullAdd(
        pull, mloptPullTimes(pull, last, mloptOperand(product, 1)), offset);
  }
  return (MlirValue){NULL};
}

/// The last dimension of more than one element; -1 if there is none.
static intptr_t innerDim(MlirType tensor) {
  intptr_t inner = mloptRank(tensor) - 1;
  while (inner >= 0 && mloptDim(tensor, inner) == 1)
    --inner;
  return inner;
}

/// The position of the vector's first element in a tensor where all of them
/// lie side by side, on a multiple of the vector's length; null otherwise.
static MlirValue sideBySide(MloptTile *tile, MlirType tensor,
                            const MlirValue *indices, MlirValue position) {
  const MloptVector *v = tile->vector;
  MlirValue known =
      mloptPullFindFirst(tile->pull, position, tile->lane, v->count);
  if (!mlirValueIsNull(known))
    return known;
  intptr_t rank = mloptRank(tensor), inner = innerDim(tensor);
  // The one dimension of a tensor needs no whole number of vectors.
  if (inner < 0 || (mloptDim(tensor, inner) % v->count &&
                    mloptDim(tensor, inner) != mloptNumElements(tensor)))
    return (MlirValue){NULL};
  MlirValue first[MLOPT_MAX_RANK];
  for (intptr_t i = 0; i < rank; ++i) {
    first[i] = i == inner ? firstOf(tile, indices[i]) : indices[i];
    if (mlirValueIsNull(first[i]) || (i != inner && mloptDim(tensor, i) != 1 &&
                                      !isShared(tile, indices[i], MAX_DEPTH)))
      return (MlirValue){NULL};
  }
  return mloptPullLinearize(tile->pull, tensor, first);
}

/// The least position of the vector's elements in a tensor where they are
/// neighbours, from anywhere on and in either direction; null otherwise.
static MlirValue neighbours(MloptTile *tile, MlirType tensor,
                            const MlirValue *indices, bool *outBackwards) {
  intptr_t rank = mloptRank(tensor), inner = innerDim(tensor);
  MlirValue first[MLOPT_MAX_RANK];
  *outBackwards = false;
  if (inner < 0)
    return (MlirValue){NULL};
  for (intptr_t i = 0; i < rank; ++i) {
    first[i] = i == inner ? runOf(tile, indices[i], outBackwards) : indices[i];
    if (mlirValueIsNull(first[i]) || (i != inner && mloptDim(tensor, i) != 1 &&
                                      !isShared(tile, indices[i], MAX_DEPTH)))
      return (MlirValue){NULL};
  }
  return mloptPullLinearize(tile->pull, tensor, first);
}

static MloptTileLoad *findLoad(MloptTile *tile, MlirValue tensor,
                               MlirValue position, int count) {
  for (intptr_t i = tile->numLoads; i-- > 0;) {
    MloptTileLoad *load = &tile->loads[i];
    if (load->count == count && mlirValueEqual(load->tensor, tensor) &&
        mlirValueEqual(load->position, position))
      return load;
  }
  return NULL;
}

static MloptTileLoad *addLoad(MloptTile *tile) {
  return mloptPullGrow(tile->pull, (void **)&tile->loads, tile->numLoads,
                       &tile->maxLoads, sizeof *tile->loads)
             ? &tile->loads[tile->numLoads++]
             : NULL;
}

void mloptTileBind(MloptTile *tile, MlirValue tensor, MlirValue position,
                   int count, const MlirValue *elements) {
  MloptTileLoad *load = addLoad(tile);
  if (!load)
    return;
  *load =
      (MloptTileLoad){.tensor = tensor, .position = position, .count = count};
  memcpy(load->elements, elements, count * sizeof *elements);
}

/// Whether code goes where the vector's other elements may be computed too.
static bool isAtVector(const MloptTile *tile) {
  const MloptBuilder *b = mloptPullGetBuilder(tile->pull);
  return !b->failed && tile->vector && mlirBlockEqual(b->block, tile->block) &&
         mlirOperationIsNull(b->before);
}

/// Loads the elements from a position on, or all of the vector from the copy
/// of the tensor, if there is one.
static void loadElements(MloptTile *tile, MlirValue tensor, MlirValue pointer,
                         MloptTileLoad *load, bool isEven) {
  const MloptVector *v = tile->vector;
  if (!isEven) {
    mloptTileLoadRun(tile, pointer, mlirValueGetType(tensor), load->position,
                     load->count, load->elements);
    return;
  }
  MlirValue from = load->position;
  bool isVector = !mlirValueIsNull(v->copy) && load->count == v->count &&
                  mlirValueEqual(from, v->position[0]);
  for (intptr_t i = 0; isVector && i < tile->numCopies; ++i)
    if (mlirValueEqual(tile->copies[i].tensor, tensor)) {
      pointer = tile->copies[i].pointer;
      from = v->copy;
      load->isCopy = true;
    }
  mloptTileLoadVector(tile, pointer, mlirValueGetType(tensor), from,
                      load->count, load->elements);
}

MlirValue mloptTileLoad(void *userData, MlirValue tensor, MlirValue pointer,
                        const MlirValue *indices) {
  MloptTile *tile = userData;
  MloptPull *pull = tile->pull;
  MlirType type = mlirValueGetType(tensor);
  // Inside a branch, the other elements of the vector may not be there.
  if (!isAtVector(tile))
    return mloptPullLoad(pull, pointer, type, indices);
  MlirValue position = mloptPullLinearize(pull, type, indices);
  MlirValue first = sideBySide(tile, type, indices, position);
  bool isBackwards = false, isEven = !mlirValueIsNull(first);
  if (!isEven && tile->vector->count > 1)
    first = neighbours(tile, type, indices, &isBackwards);
  int count = mlirValueIsNull(first) ? 1 : tile->vector->count;
  isEven |= count == 1;
  if (mlirValueIsNull(first))
    first = position;
  MloptTileLoad *load = findLoad(tile, tensor, first, count);
  if (!load) {
    load = addLoad(tile);
    if (!load)
      return (MlirValue){NULL};
    *load =
        (MloptTileLoad){.tensor = tensor, .position = first, .count = count};
    loadElements(tile, tensor, pointer, load, isEven);
  }
  return load->elements[count == 1    ? 0
                        : isBackwards ? count - 1 - tile->lane
                                      : tile->lane];
}

//===----------------------------------------------------------------------===//
// Inserted slices
//===----------------------------------------------------------------------===//

/// Whether a vector along a dimension lies in the slice or outside as a whole.
static bool isWholeAlong(MlirOperation insert, intptr_t dim, int count) {
  int64_t offset =
      mlirDenseI64ArrayGetElement(mloptAttr(insert, "static_offsets"), dim);
  int64_t size =
      mlirDenseI64ArrayGetElement(mloptAttr(insert, "static_sizes"), dim);
  int64_t stride =
      mlirDenseI64ArrayGetElement(mloptAttr(insert, "static_strides"), dim);
  return !mloptIsDynamic(offset) && stride == 1 && offset % count == 0 &&
         size % count == 0;
}

/// Whether a slice has at least so many neighbours along a dimension.
static bool isAtLeast(MlirOperation insert, intptr_t dim, int count) {
  return !mloptIsDynamic(mlirDenseI64ArrayGetElement(
             mloptAttr(insert, "static_offsets"), dim)) &&
         mlirDenseI64ArrayGetElement(mloptAttr(insert, "static_strides"),
                                     dim) == 1 &&
         mlirDenseI64ArrayGetElement(mloptAttr(insert, "static_sizes"), dim) >=
             count;
}

/// The indices of all lanes, given one's; false where the vector may lie on
/// both sides of an edge.
static bool findLanes(MloptTile *tile, MlirOperation insert,
                      const MlirValue *indices,
                      MlirValue lanes[][MLOPT_MAX_RANK]) {
  const int count = tile->vector->count;
  MlirType type = mloptResultType(insert, 0);
  for (intptr_t i = 0, rank = mloptRank(type); i < rank; ++i) {
    MlirValue first = {NULL};
    bool shared =
        mloptDim(type, i) == 1 || isShared(tile, indices[i], MAX_DEPTH);
    if (!shared)
      first = mloptPullFindFirst(tile->pull, indices[i], tile->lane, count);
    if (!shared && (mlirValueIsNull(first) || !isWholeAlong(insert, i, count)))
      return false;
    for (int k = 0; k < count; ++k)
      lanes[k][i] =
          shared ? indices[i] : mloptPullLane(tile->pull, first, k, count);
  }
  return true;
}

/// The same where vectors may cross an edge, along one dimension; false where
/// the slice may lie within a vector, so that its ends do not tell.
static bool findRuns(MloptTile *tile, MlirOperation insert,
                     const MlirValue *indices,
                     MlirValue lanes[][MLOPT_MAX_RANK]) {
  const int count = tile->vector->count;
  MlirType type = mloptResultType(insert, 0);
  intptr_t numAlong = 0;
  for (intptr_t i = 0, rank = mloptRank(type); i < rank; ++i) {
    bool isBackwards = false;
    MlirValue first = {NULL};
    bool shared =
        mloptDim(type, i) == 1 || isShared(tile, indices[i], MAX_DEPTH);
    if (!shared)
      first = runOf(tile, indices[i], &isBackwards);
    if (!shared && (mlirValueIsNull(first) || isBackwards || numAlong++ ||
                    !isAtLeast(insert, i, count)))
      return false;
    for (int k = 0; k < count; ++k)
      lanes[k][i] =
          shared ? indices[i] : mloptPullRun(tile->pull, first, k, count);
  }
  return true;
}

static const MloptTileInsert *findInsert(const MloptTile *tile,
                                         MlirOperation insert,
                                         const MlirValue *first) {
  intptr_t rank = mloptRank(mloptResultType(insert, 0));
  for (intptr_t i = tile->numInserts; i-- > 0;) {
    const MloptTileInsert *known = &tile->inserts[i];
    bool same = mlirOperationEqual(known->op, insert);
    for (intptr_t d = 0; same && d < rank; ++d)
      same = mlirValueEqual(known->first[d], first[d]);
    if (same)
      return known;
  }
  return NULL;
}

static MlirValue truth(MloptBuilder *b, bool value) {
  return mloptBuildInt(b, mlirIntegerTypeGet(b->context, 1), value);
}

/// All lanes of one side, in a branch of its own; with `mayCross` whether the
/// vector crosses no edge there too.
static MloptPullScope insertSide(MloptTile *tile, MlirValue tensor,
                                 MlirValue lanes[][MLOPT_MAX_RANK]) {
  const MloptTile outer = *tile;
  const int count = tile->vector->count;
  MloptBuilder *b = mloptPullGetBuilder(tile->pull);
  MlirValue given[MLOPT_MAX_LANES + 1];
  MloptPullScope scope = mloptPullBeginBranch(tile->pull);
  tile->block = b->block;
  tile->crossesNone = (MlirValue){NULL};
  for (int k = 0; k < count; ++k) {
    tile->lane = k;
    given[k] = mloptPullElement(tile->pull, tensor, lanes[k]);
  }
  given[count] =
      mlirValueIsNull(tile->crossesNone) ? truth(b, true) : tile->crossesNone;
  mloptPullEndBranch(tile->pull, &scope, count + tile->mayCross, given);
  tile->block = outer.block;
  tile->lane = outer.lane;
  tile->numLoads = outer.numLoads;
  tile->numInserts = outer.numInserts;
  tile->crossesNone = outer.crossesNone;
  return scope;
}

/// The destination's side, and that of vectors that cross: `meets`, in part.
static MloptPullScope outside(MloptTile *tile, MlirValue tensor,
                              MlirValue meets, const MlirType *types,
                              MlirValue lanes[][MLOPT_MAX_RANK]) {
  const int count = tile->vector->count;
  MloptBuilder *b = mloptPullGetBuilder(tile->pull);
  MlirValue given[MLOPT_MAX_LANES + 1];
  MloptPullScope scope = mloptPullBeginBranch(tile->pull);
  MloptPullScope crossing = mloptPullBeginBranch(tile->pull);
  for (int k = 0; k < count; ++k)
    given[k] = mloptPullPoison(tile->pull, types[k]);
  given[count] = truth(b, false);
  mloptPullEndBranch(tile->pull, &crossing, count + 1, given);
  MloptPullScope beyond = insertSide(tile, tensor, lanes);
  mloptPullBuildIf(tile->pull, meets, crossing, beyond, count + 1, types,
                   given);
  mloptPullEndBranch(tile->pull, &scope, count + 1, given);
  return scope;
}

/// Notes what an inserted slice says of crossings.
static void addCrossing(MloptTile *tile, MlirValue none) {
  tile->crossesNone =
      mlirValueIsNull(tile->crossesNone)
          ? none
          : mloptBuildBinary(mloptPullGetBuilder(tile->pull), "arith.andi",
                             tile->crossesNone, none);
}

MlirValue mloptTileInsert(void *userData, MlirOperation insert,
                          const MlirValue *indices) {
  MloptTile *tile = userData;
  MlirValue lanes[MLOPT_MAX_LANES][MLOPT_MAX_RANK];
  MlirValue at[MLOPT_MAX_LANES][MLOPT_MAX_RANK];
  if (!isAtVector(tile) || tile->vector->count == 1)
    return (MlirValue){NULL};
  bool isWhole = findLanes(tile, insert, indices, lanes);
  if (!isWhole && (!tile->mayCross || !findRuns(tile, insert, indices, lanes)))
    return (MlirValue){NULL};
  const MloptTileInsert *known = findInsert(tile, insert, lanes[0]);
  if (known)
    return known->elements[tile->lane];
  const int count = tile->vector->count;
  MloptTileInsert built = {.op = insert};
  memcpy(built.first, lanes[0], sizeof built.first);
  MloptBuilder *b = mloptPullGetBuilder(tile->pull);
  MlirValue first = {NULL}, last = {NULL}, given[MLOPT_MAX_LANES + 1];
  for (int k = count; k-- > 0;) {
    first = mloptPullInsertCondition(tile->pull, insert, lanes[k], at[k]);
    last = k == count - 1 ? first : last;
  }
  if (mlirValueIsNull(first))
    return (MlirValue){NULL};
  MlirType types[MLOPT_MAX_LANES + 1];
  for (int k = 0; k < count; ++k)
    types[k] = mloptElementType(mloptResultType(insert, 0));
  types[count] = mlirIntegerTypeGet(b->context, 1);
  MlirValue all =
      isWhole ? first : mloptBuildBinary(b, "arith.andi", first, last);
  MlirValue any =
      isWhole ? first : mloptBuildBinary(b, "arith.ori", first, last);
  MloptPullScope then = insertSide(tile, mloptOperand(insert, 0), at);
  MloptPullScope otherwise =
      isWhole ? insertSide(tile, mloptOperand(insert, 1), lanes)
              : outside(tile, mloptOperand(insert, 1), any, types, lanes);
  mloptPullBuildIf(tile->pull, all, then, otherwise, count + tile->mayCross,
                   types, given);
  memcpy(built.elements, given, count * sizeof *given);
  if (tile->mayCross)
    addCrossing(tile, given[count]);
  if (!mloptPullGrow(tile->pull, (void **)&tile->inserts, tile->numInserts,
                     &tile->maxInserts, sizeof *tile->inserts))
    return (MlirValue){NULL};
  tile->inserts[tile->numInserts++] = built;
  return built.elements[tile->lane];
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

void mloptTileEvaluate(MloptTile *tile, const MloptVector *vector,
                       MlirValue tensor, MlirValue *out) {
  tile->vector = vector;
  for (int k = 0; k < vector->count; ++k) {
    MlirValue indices[MLOPT_MAX_RANK];
    tile->lane = k;
    mloptPullDelinearize(tile->pull, mlirValueGetType(tensor),
                         vector->position[k], indices);
    out[k] = mloptPullElement(tile->pull, tensor, indices);
  }
}
