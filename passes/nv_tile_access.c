//===- nv_tile_access.c - Elements as words in memory ---------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vectors are accessed as words of 32 bits or wider, 16 bytes at once where
// they start at a multiple of their length. A run that starts anywhere takes
// the words around it:
//
//   words      | . . . a | b c d e | f g h i | j ...
//   shifted    | a b c d | e f g h | ...              the last from its
//   elements
//
//===----------------------------------------------------------------------===//

#include "nv_tile_impl.h"

/// The widest access of a thread, in bits.
enum { ACCESS_BITS = 128, WORD_BITS = 32 };

static MlirValue addConstant(MloptPull *pull, MlirValue x, int64_t number) {
  return number ? mloptPullAdd(pull, x, mloptPullIndex(pull, number)) : x;
}

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

static MlirValue extractElement(MloptBuilder *b, MlirValue vector, int i,
                                MlirType element) {
  MlirValue operands[] = {vector, i32Constant(b, i)};
  return mloptBuildValue(b, (MloptOpSpec){.name = "llvm.extractelement",
                                          .numOperands = 2,
                                          .operands = operands,
                                          .numResults = 1,
                                          .results = &element});
}

MlirValue mloptTileExtract(MloptTile *tile, MlirValue vector, int i,
                           MlirType element) {
  return extractElement(mloptPullGetBuilder(tile->pull), vector, i, element);
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

static MlirValue load(MloptBuilder *b, MlirValue address, MlirType type,
                      const Access *a) {
  MlirNamedAttribute alignment = alignmentOf(b, a);
  return mloptBuildValue(b, (MloptOpSpec){.name = "llvm.load",
                                          .numOperands = 1,
                                          .operands = &address,
                                          .numResults = 1,
                                          .results = &type,
                                          .numAttrs = 1,
                                          .attrs = &alignment});
}

int mloptTileCountWords(MlirType tensor, int count) {
  return describeAccess(mloptElementType(tensor), count).numWords;
}

int mloptTileLoadWords(MloptTile *tile, MlirValue pointer, MlirType tensor,
                       MlirValue position, int count, MlirValue *outWords) {
  MloptBuilder *b = mloptPullGetBuilder(tile->pull);
  Access a = describeAccess(mloptElementType(tensor), count);
  MlirType type = accessType(&a);
  for (int word = 0; word < a.numWords; word += a.wordsAtOnce) {
    MlirValue address =
        addressOfWord(tile, &a, pointer, tensor, position, word);
    MlirValue loaded = load(b, address, type, &a);
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
      one = mloptBuildUnary(b, "llvm.bitcast", one, mloptPairType(a.memory));
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
  for (int w = 0; w < a.numWords; ++w) {
    MlirValue address = addressOfWord(tile, &a, pointer, tensor, begin, w);
    words[w] = load(b, address, a.word, &one);
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
                           collect(b, mloptPairType(a->memory), 2, elements),
                           a->word);
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
// At the end of the space
//===----------------------------------------------------------------------===//

/// One end of a branch, with words of these types.
static void endWords(MloptTile *tile, MloptPullScope *scope, int numWords,
                     const MlirValue *words, MlirType *outTypes) {
  mloptPullEndBranch(tile->pull, scope, numWords, words);
  for (int i = 0; i < numWords; ++i)
    outTypes[i] = mlirValueGetType(words[i]);
}

/// Loads one element in a way that is no part of a wider access.
static MlirValue loadApart(MloptTile *tile, MlirValue pointer, MlirType tensor,
                           MlirValue position) {
  MloptBuilder *b = mloptPullGetBuilder(tile->pull);
  MlirType element = mloptElementType(tensor);
  MlirType memory = mloptPullMemoryType(element);
  MlirValue address = mloptPullAddress(tile->pull, pointer, tensor, position);
  MlirNamedAttribute isVolatile =
      mloptNamedAttr(b->context, "volatile_", mlirUnitAttrGet(b->context));
  return mloptPullFromMemory(
      tile->pull,
      mloptBuildValue(b, (MloptOpSpec){.name = "llvm.load",
                                       .numOperands = 1,
                                       .operands = &address,
                                       .numResults = 1,
                                       .results = &memory,
                                       .numAttrs = 1,
                                       .attrs = &isVolatile}),
      element);
}

// LLVM would make the accesses of both branches one, an element each, if it
// could.
void mloptTileLoadToEnd(MloptTile *tile, MlirValue pointer, MlirType tensor,
                        MlirValue *words) {
  MloptPull *pull = tile->pull;
  MloptBuilder *b = mloptPullGetBuilder(pull);
  const MloptVector *v = tile->vector;
  MlirType element = mloptElementType(tensor);
  MlirValue elements[MLOPT_MAX_LANES];
  MlirType types[MLOPT_MAX_LANES];
  Access a = describeAccess(element, v->count);
  MloptPullScope then = mloptPullBeginBranch(pull);
  mloptTileLoadWords(tile, pointer, tensor, v->position[0], v->count, words);
  endWords(tile, &then, a.numWords, words, types);
  MloptPullScope otherwise = mloptPullBeginBranch(pull);
  MlirValue last = mloptPullIndex(pull, v->size - 1);
  for (int k = 0; k < v->count; ++k) {
    MlirValue at = mloptBuildBinary(b, "arith.minui", v->position[k], last);
    elements[k] = loadApart(tile, pointer, tensor, at);
  }
  for (int word = 0; word < a.numWords; ++word)
    words[word] = joinWord(tile, &a, elements + (intptr_t)word * a.perWord);
  endWords(tile, &otherwise, a.numWords, words, types);
  mloptPullBuildIf(pull, v->isWhole, then, otherwise, a.numWords, types, words);
}
