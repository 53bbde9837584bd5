//===- fuse_access.c - Factors that are read where they lie ---------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between the factor of a product and what lies in memory may stand operations
// that only say where its elements are: the kernel then reads them there.
//
//   %s = mlopt.slice %qkv ...        |
//   %q = mlopt.reshape %s            |  one kernel, which reads %qkv and %k
//   %r = mlopt.dot %q, %k ...        |
//
// What matters is the step in memory of each dimension of the factor. Tensor
// maps want starts and steps of 16 bytes, but of one dimension along which
// elements lie side by side, and few dimensions (contraction.h).
//
//===----------------------------------------------------------------------===//

#include "fuse.h"

#include "affine.h"
#include "match.h"

/// What a dimension of a factor is to the product.
typedef enum Kind {
  KIND_BATCH,
  KIND_FREE,
  KIND_SUMMED,
  KIND_WINDOW, ///< of a convolution: TMA moves windows along it
  NUM_KINDS
} Kind;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static void transpose(MlirOperation op, MloptAffine *indices) {
  MloptInts permutation = mloptGetInts(op, "permutation");
  MloptAffine from[MLOPT_MAX_RANK];
  for (intptr_t d = 0; d < permutation.count; ++d)
    from[permutation.at[d]] = indices[d];
  memcpy(indices, from, (size_t)permutation.count * sizeof *from);
}

static void slice(MlirOperation op, MloptAffine *indices) {
  MloptInts starts = mloptGetInts(op, "starts");
  MloptInts strides = mloptGetInts(op, "strides");
  for (intptr_t d = 0; d < starts.count; ++d) {
    MloptAffine outer = {.constant = starts.at[d]};
    mloptAddAffine(&outer, &indices[d], strides.at[d]);
    indices[d] = outer;
  }
}

static void reverse(MlirOperation op, MloptAffine *indices) {
  MloptInts dims = mloptGetInts(op, "dims");
  for (intptr_t i = 0; i < dims.count; ++i) {
    int64_t size = mloptDim(mloptResultType(op, 0), dims.at[i]);
    MloptAffine back = {.constant = size - 1};
    mloptAddAffine(&back, &indices[dims.at[i]], -1);
    indices[dims.at[i]] = back;
  }
}

/// The indices of an operation's result as those of its operand; false where
/// they are none.
static bool moveIndices(MlirOperation op, MloptAffine *indices) {
  MloptAffine joined[MLOPT_MAX_RANK];
  if (mloptIsA(op, &mloptOp_transpose)) {
    transpose(op, indices);
    return true;
  }
  if (mloptIsA(op, &mloptOp_slice)) {
    slice(op, indices);
    return true;
  }
  if (mloptIsA(op, &mloptOp_reverse)) {
    reverse(op, indices);
    return true;
  }
  if (!mloptIsA(op, &mloptOp_reshape))
    return false;
  MlirType from = mloptOperandType(op, 0);
  if (!mloptJoinAffine(from, mloptResultType(op, 0), indices, joined))
    return false;
  memcpy(indices, joined, (size_t)mloptRank(from) * sizeof *joined);
  return true;
}

/// The position of a factor's elements in the tensor outside of the body that
/// holds them, its dimensions being the loops; false if it is computed. Marks
/// the nodes on the way.
static bool findPosition(const MloptFuseGraph *graph, const MloptFuseBody *body,
                         MlirValue value, MloptAffine *position, bool *moves) {
  MloptAffine indices[MLOPT_MAX_RANK];
  intptr_t rank = mloptRank(mlirValueGetType(value));
  for (intptr_t d = 0; d < rank; ++d) {
    indices[d] = (MloptAffine){.constant = 0};
    indices[d].factor[d] = 1;
  }
  for (;;) {
    int node = mloptFuseGraphFind(graph, value);
    if (node < 0 || !body->holds[node])
      break;
    moves[node] = true;
    if (!moveIndices(graph->nodes[node].op, indices))
      return false;
    value = mloptOperand(graph->nodes[node].op, 0);
  }
  *position = mloptLinearAffine(mlirValueGetType(value), indices);
  return true;
}

//===----------------------------------------------------------------------===//
// What TMA takes
//===----------------------------------------------------------------------===//

static Kind kindOfDot(MlirOperation dot, int side, intptr_t dim) {
  static const char *const batch[] = {"lhs_batch", "rhs_batch"};
  static const char *const summed[] = {"lhs_contract", "rhs_contract"};
  MloptInts batches = mloptGetInts(dot, batch[side]);
  MloptInts sums = mloptGetInts(dot, summed[side]);
  return mloptHasInt(&batches, dim) ? KIND_BATCH
         : mloptHasInt(&sums, dim)  ? KIND_SUMMED
                                    : KIND_FREE;
}

/// Of a convolution's input [n, space.., ci] or kernel [space.., ci, co].
static Kind kindOfConv(int side, intptr_t dim, intptr_t rank) {
  intptr_t inner = rank - 1 - dim;
  if (side)
    return inner == 0 ? KIND_FREE : inner == 1 ? KIND_SUMMED : KIND_WINDOW;
  return inner == 0 ? KIND_SUMMED : dim == 0 ? KIND_FREE : KIND_WINDOW;
}

/// A dimension with its step in memory.
typedef struct Step {
  Kind kind;
  int64_t size, step;
  bool backwards;
} Step;

/// The dimensions of more than one element, the largest step first; how many
/// there are.
static intptr_t sortSteps(MlirOperation product, int side,
                          const MloptAffine *position, Step *out) {
  MlirType type = mloptOperandType(product, side);
  bool isConv = mloptIsA(product, &mloptOp_conv);
  intptr_t count = 0, rank = mloptRank(type);
  for (intptr_t d = 0; d < rank; ++d) {
    Step step = {.kind = isConv ? kindOfConv(side, d, rank)
                                : kindOfDot(product, side, d),
                 .size = mloptDim(type, d),
                 .step = position->factor[d],
                 .backwards = position->factor[d] < 0};
    step.step = step.backwards ? -step.step : step.step;
    intptr_t at = count;
    if (step.size == 1)
      continue;
    for (++count; at > 0 && out[at - 1].step < step.step; --at)
      out[at] = out[at - 1];
    out[at] = step;
  }
  return count;
}

/// Whether Tensor Cores read factors of these elements through tensor maps, and
/// not only where their rows run along what is summed.
static bool hasMaps(MlirOperation product, int side, MlirType element,
                    bool *transposes) {
  unsigned width = mloptElementWidth(element);
  bool isFast = mloptGetNumerics(product) == MLOPT_NUMERICS_FAST;
  *transposes = width == 16 || mloptFuseMayLieAcross(product, side);
  return width <= 16 || (mlirTypeIsAF32(element) && isFast);
}

/// Whether a tensor map describes these dimensions: those of a kind that are
/// not one after the other each take one of its own.
static bool haveMap(const Step *steps, intptr_t count, int64_t bytes,
                    bool transposes) {
  enum { MOST_DIMENSIONS = 5 };
  const Step *last[NUM_KINDS] = {NULL};
  intptr_t dimensions[NUM_KINDS] = {0};
  bool contiguous = false;
  for (intptr_t i = 0; i < count; ++i) {
    const Step *s = &steps[i], *outer = last[s->kind];
    dimensions[s->kind] +=
        s->kind == KIND_WINDOW || !outer || outer->step != s->step * s->size;
    last[s->kind] = s;
    bool sideBySide = s->step == 1 && (s->kind == KIND_SUMMED ||
                                       (s->kind == KIND_FREE && transposes));
    if (!sideBySide && (s->step < 1 || s->step * bytes % 16))
      return false;
    if (s->backwards && s->kind != KIND_WINDOW)
      return false;
    contiguous |= sideBySide;
  }
  return contiguous && dimensions[KIND_SUMMED] == 1 &&
         dimensions[KIND_FREE] <= 1 &&
         2 + dimensions[KIND_BATCH] + dimensions[KIND_WINDOW] <=
             MOST_DIMENSIONS;
}

MloptFuseReason mloptFuseCheckFactor(const MloptFuseGraph *graph,
                                     const MloptFuseBody *body,
                                     const MloptFuseNode *product, int side,
                                     bool *moves, bool *outMapped) {
  MloptAffine position;
  *outMapped = false;
  if (!findPosition(graph, body, product->from[side], &position, moves))
    return MLOPT_FUSE_PROLOGUE;
  Step steps[MLOPT_MAX_RANK];
  MlirType element = mloptElementType(mlirValueGetType(product->from[side]));
  int64_t bytes = mloptElementWidth(element) / 8;
  intptr_t count = sortSteps(product->op, side, &position, steps);
  bool transposes, maps = hasMaps(product->op, side, element, &transposes);
  // Without maps, vectors of 16 bytes along any dimension.
  bool fits = bytes && position.constant * bytes % 16 == 0 &&
              haveMap(steps, count, bytes, transposes || !maps);
  *outMapped = maps && fits;
  int operand = product->operands[side];
  return fits || operand < 0 || !body->holds[operand] ? MLOPT_FUSE_FUSED
                                                      : MLOPT_FUSE_FACTOR;
}

MloptFuseReason mloptFuseCheckStreamFactor(const MloptFuseGraph *graph,
                                           const MloptFuseBody *body,
                                           const MloptFuseNode *product,
                                           int side, bool alongSums,
                                           bool *moves) {
  bool mapped;
  MloptFuseReason reason =
      mloptFuseCheckFactor(graph, body, product, side, moves, &mapped);
  if (reason != MLOPT_FUSE_FUSED)
    return reason;
  MloptAffine position;
  Step steps[MLOPT_MAX_RANK];
  if (!mapped ||
      !findPosition(graph, body, product->from[side], &position, moves))
    return MLOPT_FUSE_STREAM_LAYOUT;
  intptr_t count = sortSteps(product->op, side, &position, steps);
  const Step *inner = &steps[count - 1];
  return count && inner->step == 1 &&
                 inner->kind == (alongSums ? KIND_SUMMED : KIND_FREE)
             ? MLOPT_FUSE_FUSED
             : MLOPT_FUSE_STREAM_LAYOUT;
}
