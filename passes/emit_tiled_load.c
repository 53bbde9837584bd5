//===- emit_tiled_load.c - Tiles of the factors into shared memory --------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the vectors that emit_tiled_place.c gives a thread of each tile of a
// factor, to their words in shared memory, for each step: what lies there as it
// does in memory is copied; else a vector is loaded a step ahead, and shifted,
// converted or computed when it is stored. A factor that no affine position is
// known of is evaluated element by element. What is outside of a factor is
// zero.
//
//===----------------------------------------------------------------------===//

#include "emit_tiled_impl.h"

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static bool isFloat(MlirType type) { return !mlirTypeIsAInteger(type); }

/// The bits of an element as an integer of its width, and back.
static MlirValue toBits(MloptTiled *g, MlirValue element) {
  MlirType type = mlirValueGetType(element);
  return isFloat(type)
             ? mloptBuildUnary(g->nv.b, "arith.bitcast", element,
                               mlirIntegerTypeGet(g->nv.b->context,
                                                  mloptElementWidth(type)))
             : element;
}

/// Element `i` of words in memory.
static MlirValue elementOf(MloptTiled *g, const MloptTiledFactor *f,
                           const MlirValue *words, int64_t i) {
  MloptBuilder *b = g->nv.b;
  MlirType memory = mloptPullMemoryType(f->factor->read);
  int64_t width = 8 * f->elementBytes;
  MlirType bits = mlirIntegerTypeGet(b->context, (unsigned)width);
  MlirValue word = words[i * width / 32];
  int64_t shift = i * width % 32;
  if (shift && f->vector * f->elementBytes < 4)
    word = mloptBuildUnary(b, "arith.extui", word, g->nv.i32);
  if (shift)
    word = mloptNvShrInt(&g->nv, word, shift);
  if (width < 32 && mloptElementWidth(mlirValueGetType(word)) != width)
    word = mloptBuildUnary(b, "arith.trunci", word, bits);
  if (isFloat(memory))
    word = mloptBuildUnary(b, "arith.bitcast", word, memory);
  return mloptPullFromMemory(g->pull, word, f->factor->read);
}

/// The factor's casts, on an element.
static MlirValue convert(MloptTiled *g, const MloptTiledFactor *f,
                         MlirValue value, MlirValue element) {
  if (!mlirValueIsAOpResult(value) || g->nv.b->failed)
    return element;
  MlirOperation op = mlirOpResultGetOwner(value);
  MlirValue from = mloptOperand(op, 0), to = convert(g, f, from, element);
  if (g->nv.b->failed)
    return (MlirValue){NULL};
  MlirOperation copy = mloptCloneWithMapping(op, 1, &from, &to);
  MloptBuilder *b = g->nv.b;
  if (mlirOperationIsNull(b->before))
    mlirBlockAppendOwnedOperation(b->block, copy);
  else
    mlirBlockInsertOwnedOperationBefore(b->block, b->before, copy);
  return mloptResult(copy, 0);
}

/// An element as it is stored, in fewer bits where these hold it.
static MlirValue narrow(MloptTiled *g, const MloptTiledFactor *f,
                        MlirValue element) {
  return mlirTypeEqual(mlirValueGetType(element), f->stored)
             ? element
             : mloptBuildUnary(g->nv.b, "arith.truncf", element, f->stored);
}

/// The words that `count` elements are in shared memory; returns their bytes.
static int64_t packElements(MloptTiled *g, const MlirValue *elements,
                            int64_t count, MlirValue *words) {
  MloptBuilder *b = g->nv.b;
  int64_t width = mloptElementWidth(mlirValueGetType(elements[0]));
  for (int64_t i = 0; i < count && !b->failed; ++i) {
    if (width == 16 && count > 1 && isFloat(mlirValueGetType(elements[i]))) {
      words[i / 2] = mloptNvJoinHalves(&g->nv, &elements[i]);
      ++i;
      continue;
    }
    MlirValue bits = toBits(g, elements[i]);
    if (width == 64) {
      words[2 * i] = mloptBuildUnary(b, "arith.trunci", bits, g->nv.i32);
      words[2 * i + 1] = mloptBuildUnary(
          b, "arith.trunci",
          mloptNvArith(&g->nv, "arith.shrui", bits, mloptNvLong(&g->nv, 32)),
          g->nv.i32);
    } else if (width == 32 || count == 1) {
      words[i] = bits;
    } else {
      MlirValue part = mloptNvShlInt(
          &g->nv, mloptBuildUnary(b, "arith.extui", bits, g->nv.i32),
          i * width % 32);
      MlirValue *word = &words[i * width / 32];
      *word = i * width % 32 ? mloptNvArith(&g->nv, "arith.ori", *word, part)
                             : part;
    }
  }
  return count * width / 8;
}

/// An element on demand, where the loops stand at `loops`; zero where the
/// condition is false.
static MlirValue pullElement(MloptTiled *g, const MloptTiledFactor *f,
                             const MlirValue *loops, MlirValue condition) {
  MloptPull *pull = g->pull;
  MlirType type = f->stored;
  MlirValue element, zero, out;
  MloptPullScope then = mloptPullBeginBranch(pull);
  element =
      mloptPullGenericOperand(pull, g->p.generic, f->factor->operand, loops);
  if (f->isConverted)
    element = narrow(g, f, convert(g, f, f->factor->multiplied, element));
  mloptPullEndBranch(pull, &then, 1, &element);
  MloptPullScope otherwise = mloptPullBeginBranch(pull);
  zero = isFloat(type) ? mloptBuildFloat(g->nv.b, type, 0)
                       : mloptBuildInt(g->nv.b, type, 0);
  mloptPullEndBranch(pull, &otherwise, 1, &zero);
  mloptPullBuildIf(pull, condition, then, otherwise, 1, &type, &out);
  return out;
}

/// The words of a vector in shared memory, and their bytes, where elements of 8
/// bits become halves.
static int64_t widenBytes(MloptTiled *g, const MloptTiledFactor *f,
                          const MlirValue *from, MlirValue *words) {
  enum { PER_WORD = 4 };
  MloptBuilder *b = g->nv.b;
  MlirType i16 = mlirIntegerTypeGet(b->context, 16);
  MlirValue pair[2];
  for (int64_t i = 0; i < f->vector; i += PER_WORD) {
    MlirValue word = from[i / PER_WORD];
    if (f->vector < PER_WORD)
      word = mloptBuildUnary(b, "arith.extui", word, g->nv.i32);
    mloptNvWidenBytes(&g->nv, mloptTiledByteOf(f->factor), g->converts, word,
                      pair);
    for (int half = 0; half < 2; ++half)
      words[i / 2 + half] = mlirTypeIsABF16(f->stored)
                                ? mloptNvHalfToBFloat(&g->nv, pair[half])
                                : pair[half];
  }
  if (f->vector == 1)
    words[0] = mloptBuildUnary(b, "arith.trunci", words[0], i16);
  return 2 * f->vector;
}

/// The words of a vector in shared memory, and their bytes, after its casts.
static int64_t castElements(MloptTiled *g, const MloptTiledFactor *f,
                            const MlirValue *from, MlirValue *words) {
  MlirValue elements[MLOPT_TILED_PIECE];
  if (mloptElementWidth(f->factor->element) == 8 &&
      mloptElementWidth(f->stored) == 16)
    return widenBytes(g, f, from, words);
  for (int64_t e = 0; e < f->vector; ++e)
    elements[e] = narrow(
        g, f, convert(g, f, f->factor->multiplied, elementOf(g, f, from, e)));
  return packElements(g, elements, f->vector, words);
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

/// Where a vector lies along k: what it adds to its position, and its loops.
typedef struct Depth {
  MlirValue inRange;
  MlirValue left; ///< elements from here on, of a shifted factor along k
  MlirValue loops[MLOPT_MAX_LOOPS_OF_PRODUCT];
} Depth;

/// The depth of vector `i`, or of all where they have one: where the tile
/// starts at `k`.
static Depth depthOf(MloptTiled *g, const MloptTiledFactor *f, MlirValue k,
                     int i) {
  Depth depth = {.inRange = {NULL}};
  MlirValue own = mloptTiledAdd(g, k, f->firstDepth);
  if (!f->alongK)
    own = mloptTiledAddInt(g, own, i * f->step);
  int64_t size = g->p.axes[MLOPT_AXIS_K].size;
  depth.inRange = mloptTiledBelow(g, size % f->depth ? own : k, size);
  if (g->s.splits > 1) // what comes then is another block's
    depth.inRange = mloptTiledAnd(
        g, depth.inRange, mloptBuildCmpI(g->nv.b, "ult", k, g->endDepth));
  if (f->isShifted && f->alongK)
    depth.left = mloptTiledCountLeft(g, own, size);
  bool isKnown = f->source->isKnown;
  if (isKnown && f->depthKind == MLOPT_TILED_LINEAR)
    return depth;
  mloptTiledSplit(g, MLOPT_AXIS_K,
                  isKnown && f->depthKind == MLOPT_TILED_UNIFORM ? k : own,
                  depth.loops);
  return depth;
}

static bool sharesDepth(const MloptTiled *g, const MloptTiledFactor *f) {
  return f->alongK || (f->source->isKnown && f->depthKind != MLOPT_TILED_EACH &&
                       g->p.axes[MLOPT_AXIS_K].size % f->depth == 0);
}

static MlirValue isInside(MloptTiled *g, const MloptTiledFactor *f,
                          const MloptTiledVector *v, const Depth *depth) {
  const MloptAccess *access = f->source;
  MlirValue inside = mloptTiledAnd(g, v->inRange, depth->inRange);
  for (int i = 0; i < access->numBounds && access->isKnown; ++i) {
    MlirValue index = v->bounds[i];
    if (f->depthKind != MLOPT_TILED_LINEAR)
      index = mloptTiledAdd(g, index,
                            mloptTiledSumAlong(g, &access->bounds[i].index,
                                               MLOPT_AXIS_K, depth->loops));
    inside = mloptTiledAnd(g, inside,
                           mloptTiledBelow(g, index, access->bounds[i].size));
  }
  return inside;
}

/// The address `outOffset` bytes before a vector: 0, unless the instruction
/// that copies the vector adds them.
static MlirValue pointerTo(MloptTiled *g, const MloptTiledFactor *f,
                           const MloptTiledVector *v, const Depth *depth,
                           MlirValue k, int64_t *outOffset) {
  const MloptAffine *position = &f->source->position;
  MlirValue along =
      f->depthKind == MLOPT_TILED_LINEAR
          ? mloptTiledMulInt(g, k, f->depthFactor)
          : mloptTiledSumAlong(g, position, MLOPT_AXIS_K, depth->loops);
  MlirValue pointer =
      mloptTiledAdvanceBy(g, v->pointer, along, f->elementBytes);
  bool isAdded = f->isCopied && v->offset <= INT32_MAX;
  *outOffset = isAdded ? v->offset : 0;
  return v->offset && !isAdded
             ? mloptTiledAdvance(g, pointer, mloptNvLong(&g->nv, v->offset))
             : pointer;
}

/// Where vector `i` goes in the stage at `slot`.
static MlirValue sharedAddress(MloptTiled *g, const MloptTiledFactor *f, int i,
                               MlirValue slot, int64_t *outOffset) {
  MlirValue at = mloptTiledAddress(&f->place, i * f->step, 0, outOffset);
  return mloptNvAdd(&g->nv, at, slot);
}

/// Bytes from an address to the tensor's last element, as i32.
static MlirValue distanceToLast(MloptTiled *g, const MloptTiledFactor *f,
                                MlirValue address) {
  MloptNv *nv = &g->nv;
  MlirValue tensor = f->source->tensor;
  int64_t last = mloptNumElements(mlirValueGetType(tensor)) - 1;
  MlirValue start = mloptBuildUnary(
      nv->b, "llvm.ptrtoint", mloptPullFindPointer(g->pull, tensor), nv->i64);
  MlirValue end = mloptNvAdd(nv, start, mloptNvLong(nv, 2 * last));
  return mloptBuildUnary(nv->b, "arith.trunci",
                         mloptNvArith(nv, "arith.subi", end, address), nv->i32);
}

/// The aligned words around a vector of 16-bit elements, one more than it has,
/// and how far it is behind their start. `left` elements from its first one on
/// are there; words without any are zero.
static void loadShifted(MloptTiled *g, const MloptTiledFactor *f,
                        MlirValue pointer, MlirValue inside, MlirValue left,
                        MloptTiledLoaded *out, int i) {
  MloptNv *nv = &g->nv;
  MloptBuilder *b = nv->b;
  MlirValue address = mloptBuildUnary(b, "llvm.ptrtoint", pointer, nv->i64);
  MlirValue low = mloptBuildUnary(b, "arith.trunci", address, nv->i32);
  MlirValue odd = mloptNvAndInt(nv, mloptNvShrInt(nv, low, 1), 1);
  MlirValue reach =
      mloptBuildSelect(b, inside, mloptNvAdd(nv, left, odd), mloptNvInt(nv, 0));
  MlirValue toLast = {NULL};
  address = mloptNvArith(nv, "arith.andi", address, mloptNvLong(nv, -4));
  if (!mlirValueIsNull(f->last))
    toLast = distanceToLast(g, f, address);
  pointer =
      mloptBuildUnary(b, "llvm.inttoptr", address, mlirValueGetType(pointer));
  for (int w = 0; w <= MLOPT_TILED_SHIFTED / 2; ++w)
    out->words[i][w] =
        mloptNvLoadHalves(nv, pointer, w, reach, toLast, f->last);
  out->shift[i] = mloptNvShlInt(nv, odd, 4);
  out->left[i] = left;
}

/// The words of the vector itself, zero where it is past its end.
static void shiftIntoPlace(MloptTiled *g, const MloptTiledLoaded *loaded, int i,
                           MlirValue words[4]) {
  MloptNv *nv = &g->nv;
  for (int w = 0; w < MLOPT_TILED_SHIFTED / 2; ++w) {
    MlirValue operands[] = {loaded->words[i][w + 1], loaded->words[i][w],
                            loaded->shift[i]};
    MlirValue word =
        mloptNvValue(nv, "llvm.intr.fshr", 3, operands, nv->i32, NULL);
    // 16 bits for each element that is left.
    MlirValue bits = mloptNvShlInt(
        nv, mloptNvAddInt(nv, loaded->left[i], -(int64_t)2 * w), 4);
    bits = mloptNvArith(nv, "arith.maxsi", bits, mloptNvInt(nv, 0));
    MlirValue mask =
        mloptNvPtx(nv, "bmsk.clamp.b32 $0, 0, $1;", "=r,r", 1, &bits, nv->i32);
    words[w] = mloptNvArith(nv, "arith.andi", word, mask);
  }
}

/// A vector run by run, each of which lies inside or outside of the tensor.
static void loadRuns(MloptTiled *g, const MloptTiledFactor *f,
                     MlirValue pointer, MlirValue k, MlirValue inside,
                     MlirValue *words) {
  int64_t size = g->p.axes[MLOPT_AXIS_K].size, bytes = f->run * f->elementBytes;
  for (int64_t i = 0; i < f->vector; i += f->run) {
    MlirValue whole = inside;
    if (i && size % f->depth)
      whole = mloptTiledAnd(
          g, inside,
          mloptTiledBelow(
              g, mloptTiledAddInt(g, mloptTiledAdd(g, k, f->firstDepth), i),
              size));
    MlirValue at = i ? mloptTiledAdvance(
                           g, pointer, mloptNvLong(&g->nv, i * f->elementBytes))
                     : pointer;
    words += mloptNvLoadWords(&g->nv, at, bytes, f->isReadOnce, whole, words);
  }
}

void mloptTiledLoad(MloptTiled *g, MloptTiledFactor *f, MlirValue k,
                    MlirValue slot, MloptTiledLoaded *out) {
  int64_t bytes = f->vector * f->elementBytes;
  Depth depth = depthOf(g, f, k, 0);
  out->k = k;
  for (int i = 0; i < f->count; ++i) {
    MloptTiledVector *v = &f->vectors[i];
    if (i && !sharesDepth(g, f))
      depth = depthOf(g, f, k, i);
    MlirValue inside = isInside(g, f, v, &depth);
    if (!f->source->isKnown) {
      for (intptr_t l = 0; l < g->p.axes[MLOPT_AXIS_K].count; ++l) {
        intptr_t loop = g->p.axes[MLOPT_AXIS_K].at[l];
        v->loops[loop] = depth.loops[loop];
      }
      out->words[i][0] = pullElement(g, f, v->loops, inside);
      continue;
    }
    int64_t before;
    MlirValue pointer = pointerTo(g, f, v, &depth, k, &before);
    if (f->isShifted) {
      loadShifted(g, f, pointer, inside, f->alongK ? depth.left : v->left, out,
                  i);
    } else if (f->isCopied) {
      int64_t offset;
      MlirValue at = sharedAddress(g, f, i, slot, &offset);
      mloptNvCopyAsync(&g->nv, at, offset, pointer, before, bytes, inside);
    } else {
      loadRuns(g, f, pointer, k, inside, out->words[i]);
    }
  }
}

int mloptTiledLoadedWords(const MloptTiledFactor *f) {
  int64_t words = f->vector * f->elementBytes / 4;
  return (int)(f->isShifted ? words + 1 : words ? words : 1);
}

int64_t mloptTiledSettle(MloptTiled *g, const MloptTiledFactor *f,
                         const MloptTiledLoaded *loaded, int i,
                         MlirValue words[MLOPT_TILED_MAX_WORDS]) {
  memcpy(words, loaded->words[i], sizeof loaded->words[i]);
  if (f->isShifted)
    shiftIntoPlace(g, loaded, i, words);
  if (!f->source->isKnown)
    return packElements(g, words, 1, words);
  if (!f->factor->isComputed)
    return f->isConverted ? castElements(g, f, loaded->words[i], words)
                          : f->vector * f->elementBytes;
  MlirValue elements[MLOPT_TILED_PIECE];
  for (int64_t e = 0; e < f->vector; ++e)
    elements[e] = elementOf(g, f, loaded->words[i], e);
  mloptTiledCompute(g, f, i, loaded->k, elements);
  return packElements(g, elements, f->vector, words);
}

void mloptTiledStoreLoaded(MloptTiled *g, MloptTiledFactor *f, MlirValue slot,
                           const MloptTiledLoaded *loaded) {
  if (f->isCopied)
    return;
  for (int i = 0; i < f->count; ++i) {
    MlirValue words[MLOPT_TILED_MAX_WORDS];
    int64_t offset, bytes = mloptTiledSettle(g, f, loaded, i, words);
    MlirValue at = sharedAddress(g, f, i, slot, &offset);
    mloptNvStoreWords(&g->nv, at, offset, bytes, words);
  }
}
