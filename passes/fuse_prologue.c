//===- fuse_prologue.c - Factors computed in a product's kernel -----------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A factor that is elementwise code of one tensor, the source, and of what its
// rows or columns share, or rows of it that indices choose, may be computed
// where a product's kernel reads it:
//
//   %f = mlopt.convert %w : i8 -> bf16     |
//   %s = mlopt.broadcast %scale            |  one kernel, which reads %w
//   %b = mlopt.mul %f, %s                  |
//   %r = mlopt.dot %x, %b ...              |
//
// It then is computed again for each tile that reads it, which takes the
// producer's threads, and it moves the source's bytes; a kernel of its own
// takes a launch, and stores the factor's bytes, which the product loads. The
// cost model of tiles decides.
//
//===----------------------------------------------------------------------===//

#include "fuse.h"

#include "match.h"
#include "schedule_matmul.h"
#include "target.h"

/// What computes a factor.
typedef struct Search {
  const MloptFuseGraph *graph;
  const MloptFuseBody *body;
  MlirType factor;
  int numSources;
  MlirType source;
  bool isGathered;
  int64_t operations; ///< for each element
  bool *moves;
} Search;

static bool sameShape(MlirType a, MlirType b) {
  int64_t ofA[MLOPT_MAX_RANK], ofB[MLOPT_MAX_RANK];
  intptr_t rank = mloptShape(a, ofA);
  return rank == mloptShape(b, ofB) &&
         !memcmp(ofA, ofB, (size_t)rank * sizeof *ofA);
}

/// Whether a gather takes whole rows of a matrix.
static bool takesRows(MlirOperation gather) {
  MlirType operand = mloptOperandType(gather, 0);
  MloptInts sizes = mloptGetInts(gather, "slice_sizes");
  MloptInts window = mloptGetInts(gather, "offset_dims");
  MloptInts mapped = mloptGetInts(gather, "start_index_map");
  MloptInts collapsed = mloptGetInts(gather, "collapsed_slice_dims");
  return mloptRank(operand) == 2 &&
         mloptRank(mloptResultType(gather, 0)) == 2 &&
         sizes.at[1] == mloptDim(operand, 1) && window.count == 1 &&
         window.at[0] == 1 && mapped.count == 1 && mapped.at[0] == 0 &&
         collapsed.count == 1 && collapsed.at[0] == 0;
}

/// Follows a value back to what lies in memory. `isWhole`: it has an element
/// for each of the factor's; else rows, columns, or indices.
static bool follow(Search *s, MlirValue value, bool isWhole) {
  int at = mloptFuseGraphFind(s->graph, value);
  if (at < 0 || !s->body->holds[at]) {
    s->numSources += isWhole;
    if (isWhole)
      s->source = mlirValueGetType(value);
    return true;
  }
  const MloptFuseNode *node = &s->graph->nodes[at];
  s->moves[at] = true;
  bool isKept = node->traits.access == MLOPT_ACCESS_RESHAPE && !isWhole;
  switch (node->traits.access) {
  case MLOPT_ACCESS_CONSTANT:
    return true;
  case MLOPT_ACCESS_GATHER:
    if (!isWhole || !takesRows(node->op))
      return false;
    s->isGathered = true;
    return follow(s, node->from[0], true) && follow(s, node->from[1], false);
  case MLOPT_ACCESS_BROADCAST:
    return follow(s, node->from[0], false);
  case MLOPT_ACCESS_ELEMENTWISE:
    s->operations += isWhole;
    break;
  default:
    if (!isKept)
      return false;
  }
  for (int o = 0; o < node->numOperands; ++o)
    if ((isWhole && !sameShape(mlirValueGetType(node->from[o]), s->factor)) ||
        !follow(s, node->from[o], isWhole))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// What kernels take
//===----------------------------------------------------------------------===//

/// Rows of the other factor up to which kernels for few rows compute a factor
/// as they read it.
enum { FEW_ROWS = 64 };

/// A product of two matrices.
typedef struct Matrices {
  int64_t rows[2], depth;
  int64_t inner[2]; ///< the last dimension of each
  bool alongK[2];
} Matrices;

static bool readMatrices(MlirOperation dot, Matrices *out) {
  static const char *const contractOf[] = {"lhs_contract", "rhs_contract"};
  if (!mloptIsA(dot, &mloptOp_dot))
    return false;
  for (int side = 0; side < 2; ++side) {
    MlirType type = mloptOperandType(dot, side);
    MloptInts contract = mloptGetInts(dot, contractOf[side]);
    if (mloptRank(type) != 2 || contract.count != 1)
      return false;
    int64_t k = contract.at[0];
    out->depth = mloptDim(type, k);
    out->rows[side] = mloptDim(type, 1 - k);
    out->inner[side] = mloptDim(type, 1);
    out->alongK[side] = k == 1;
  }
  return mloptGetInts(dot, "lhs_batch").count == 0;
}

/// Whether Tensor Cores take the factors once one is computed: 16-bit floats.
static bool areHalves(const Search *s, MlirOperation dot, int side) {
  MlirType element = mloptElementType(s->factor);
  MlirType other = mloptElementType(mloptOperandType(dot, 1 - side));
  unsigned width = mloptElementWidth(mloptElementType(s->source));
  return (mlirTypeIsABF16(element) || mlirTypeIsAF16(element)) &&
         mlirTypeEqual(element, other) && mloptFuseSumsInF32(dot) &&
         width >= 8 && width <= 32;
}

/// Whether the kernels of wgmma fill stages with such a factor,
/// in whole pieces and whole steps, for tiles that are worth it.
static bool isFillable(const Search *s, MlirOperation dot, int side,
                       const Matrices *m) {
  enum { LANES = 8, STEP = 64, LEAST_ROWS = 128 };
  return s->graph->wgmma && areHalves(s, dot, side) && m->depth % STEP == 0 &&
         m->inner[0] % LANES == 0 && m->inner[1] % LANES == 0 &&
         m->rows[0] >= LEAST_ROWS && m->rows[1] >= LEAST_ROWS &&
         (!s->isGathered || m->alongK[side]);
}

/// Cycles of the product, one side's factor computed by the kernel or none.
static int64_t cyclesOf(const Search *s, MlirOperation dot, const Matrices *m,
                        int computed) {
  MloptMatrix factors[2];
  for (int side = 0; side < 2; ++side) {
    factors[side] = (MloptMatrix){.type = mloptOperandType(dot, side),
                                  .isKMajor = m->alongK[side],
                                  .rank = 2};
    factors[side].dims[1].stride = m->inner[side];
  }
  MloptContraction c = {.numProducts = 1,
                        .isPlain = true,
                        .sizes = {1, m->rows[0], m->rows[1], m->depth},
                        .run = m->depth,
                        .a = factors[0],
                        .b = factors[1]};
  if (computed >= 0)
    c.computes[computed] = true;
  c.prologue.type = s->source;
  c.prologue.operations = s->operations;
  return mloptMatmulCycles(&c);
}

/// Cycles of a kernel that stores the factor for the product's.
static int64_t apartCycles(const Search *s) {
  enum { CYCLES_PER_MICROSECOND = 1700 };
  const MloptTarget *target = &mloptSm90;
  MlirType read = mloptWithElementType(s->factor, mloptElementType(s->source));
  int64_t bytes = mloptFuseBytesOf(read) + mloptFuseBytesOf(s->factor);
  return CYCLES_PER_MICROSECOND *
         (target->launchNanoseconds + 1000 * bytes / target->memoryBytes) /
         1000;
}

static bool pays(const Search *s, MlirOperation dot, int side,
                 const Matrices *m) {
  int64_t inside = cyclesOf(s, dot, m, side);
  return inside && inside < cyclesOf(s, dot, m, -1) + apartCycles(s);
}

MloptFuseReason mloptFuseCheckPrologue(const MloptFuseGraph *graph,
                                       const MloptFuseBody *body,
                                       const MloptFuseNode *product, int side,
                                       bool *moves) {
  MlirValue factor = product->from[side];
  Search s = {.graph = graph,
              .body = body,
              .factor = mlirValueGetType(factor),
              .moves = moves};
  Matrices m;
  if (!follow(&s, factor, true) || s.numSources != 1 ||
      !readMatrices(product->op, &m))
    return MLOPT_FUSE_PROLOGUE;
  bool isFew = m.rows[1 - side] <= FEW_ROWS && !s.isGathered &&
               areHalves(&s, product->op, side);
  return isFew || (isFillable(&s, product->op, side, &m) &&
                   pays(&s, product->op, side, &m))
             ? MLOPT_FUSE_FUSED
             : MLOPT_FUSE_PROLOGUE;
}
