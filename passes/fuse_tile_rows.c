//===- fuse_tile_rows.c - Rows of a product that a tile reduces -----------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse_tile_rows.h"

#include "schedule_matmul.h"

static const char *const contractOf[] = {"lhs_contract", "rhs_contract"};
static const char *const batchOf[] = {"lhs_batch", "rhs_batch"};

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// The dot's result has the right factor's own dimensions last: the first one.
static intptr_t firstColumn(MlirOperation dot) {
  return mloptRank(mloptOperandType(dot, 0)) -
         mloptGetInts(dot, contractOf[0]).count;
}

/// The step of a digit in a row of the dot's result.
static int64_t stepOf(MlirOperation dot, const MloptDigit *digit) {
  MlirType type = mloptResultType(dot, 0);
  int64_t step = digit->step;
  for (intptr_t d = digit->source + 1; d < mloptRank(type); ++d)
    step *= mloptDim(type, d);
  return step;
}

/// The innermost part of a row that these digits are; 0 if they are anything
/// else.
static int64_t partOf(MlirOperation dot, const MloptPlace *reduced) {
  int64_t part = 1;
  intptr_t found = 0;
  for (bool goesOn = true; goesOn;) {
    goesOn = false;
    for (intptr_t i = 0; !goesOn && i < reduced->count; ++i) {
      const MloptDigit *digit = &reduced->at[i];
      goesOn = digit->source >= firstColumn(dot) && stepOf(dot, digit) == part;
      part *= goesOn ? digit->size : 1;
      found += goesOn;
    }
  }
  return found && found == reduced->count ? part : 0;
}

bool mloptFuseIsRowOf(const MloptFuseTileRows *rows, const MloptPlace *row,
                      const MloptPlace *elements) {
  MlirOperation dot = rows->dot->op;
  MloptPlace wanted = *row, own = {.count = 0};
  for (intptr_t i = 0; i < elements->count; ++i) {
    MloptDigit digit = elements->at[i];
    int64_t step = stepOf(dot, &digit);
    if (digit.source >= firstColumn(dot)) {
      if (step * digit.size <= rows->part)
        continue;
      if (step < rows->part) {
        digit.size = step * digit.size / rows->part;
        digit.step = digit.step * rows->part / step;
      }
    }
    own.at[own.count++] = digit;
  }
  return mloptPlaceEqual(&wanted, &own);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Elements of a factor that are its own: neither summed nor batches.
static int64_t ownElements(MlirOperation dot, int side) {
  MlirType type = mloptOperandType(dot, side);
  MloptInts dims[] = {mloptGetInts(dot, contractOf[side]),
                      mloptGetInts(dot, batchOf[side])};
  int64_t elements = mloptNumElements(type);
  for (int i = 0; i < 2; ++i)
    for (intptr_t d = 0; d < dims[i].count; ++d)
      elements /= mloptDim(type, dims[i].at[d]);
  return elements;
}

/// As a tensor map describes it, as far as the model of tiles looks.
static MloptMatrix matrixOf(MlirOperation dot, int side) {
  MlirType type = mloptOperandType(dot, side);
  intptr_t inner = mloptRank(type) - 1;
  MloptInts contract = mloptGetInts(dot, contractOf[side]);
  MloptMatrix m = {
      .type = type, .isKMajor = mloptHasInt(&contract, inner), .rank = 2};
  m.dims[1].stride = mloptDim(type, inner);
  return m;
}

double mloptFuseTileRowsLoss(const MloptFuseTileRows *rows) {
  enum { CYCLES_PER_MICROSECOND = 1700 };
  MlirOperation dot = rows->dot->op;
  MlirType left = mloptOperandType(dot, 0);
  int64_t depth = 1, m = ownElements(dot, 0), n = ownElements(dot, 1);
  MloptInts contract = mloptGetInts(dot, contractOf[0]);
  for (intptr_t i = 0; i < contract.count; ++i)
    depth *= mloptDim(left, contract.at[i]);
  MloptContraction c = {
      .numProducts = 1,
      .isPlain = true,
      .isFast = mloptGetNumerics(dot) == MLOPT_NUMERICS_FAST,
      .isPromoted = !mlirAttributeIsNull(mloptAttr(dot, "mlopt.promote")),
      .sizes = {mloptNumElements(left) / m / depth, m, n, depth},
      .run = depth,
      .a = matrixOf(dot, 0),
      .b = matrixOf(dot, 1)};
  // Nor can sides be swapped for a factor B that lies across.
  if (mloptFuseMayLieAcross(dot, 1))
    return -1;
  int64_t apart = mloptMatmulCycles(&c);
  c.numOfRows = 1;
  c.rowColumns = rows->part;
  c.rowOperations = (rows->count + 1) * (int64_t)rows->operations;
  int64_t together = mloptMatmulCycles(&c);
  return apart && together ? (double)(together - apart) / CYCLES_PER_MICROSECOND
                           : -1;
}

/// Whether columns follow each other in the right factor's memory as they do in
/// the dot's result: they are one dimension, or the kernel transposes nothing.
static bool areInOrder(const MloptFuseTileRows *rows) {
  MlirOperation dot = rows->dot->op;
  MlirType type = mloptOperandType(dot, 1);
  MloptInts contract = mloptGetInts(dot, contractOf[1]);
  MloptInts batch = mloptGetInts(dot, batchOf[1]);
  int count = 0;
  for (intptr_t d = 0; d < mloptRank(type); ++d)
    count += mloptDim(type, d) > 1 && !mloptHasInt(&contract, d) &&
             !mloptHasInt(&batch, d);
  bool transposes = false;
  for (int node = rows->dot->operands[1];
       node >= 0 && rows->body->holds[node] &&
       rows->graph->nodes[node].numOperands > 0;
       node = rows->graph->nodes[node].operands[0])
    transposes |= mloptIsA(rows->graph->nodes[node].op, &mloptOp_transpose);
  return count == 1 || !transposes;
}

/// Whether threads can exchange what a reduction finds: not of i1, i4 and f8.
static bool isExchanged(const MloptFuseNode *reduce) {
  MlirType element = mloptElementType(mloptResultType(reduce->op, 0));
  return mloptElementWidth(element) >= (mloptIsFloatElement(element) ? 16 : 8);
}

MloptFuseReason mloptFuseReduceRow(MloptFuseTileRows *rows,
                                   const MloptFuseNode *node,
                                   const MloptPlace *from, MloptPlace *out) {
  enum { LEAST_ROWS = 64, LEAST_COLUMNS = 32 }; // others compute few better
  MlirOperation dot = rows->dot->op;
  if (!mloptIsA(node->op, &mloptOp_reduce) || node->numOperands != 1 ||
      mlirAttributeIsNull(mloptAttr(node->op, "kind")) || !isExchanged(node) ||
      !mloptIsA(dot, &mloptOp_dot) || !areInOrder(rows) ||
      rows->count == MLOPT_MAX_OF_ROWS || ownElements(dot, 0) < LEAST_ROWS ||
      ownElements(dot, 1) < LEAST_COLUMNS)
    return MLOPT_FUSE_CONTRACTION;
  if (mloptGetNumerics(node->op) == MLOPT_NUMERICS_STRICT)
    return MLOPT_FUSE_ORDERED;
  MloptInts dims = mloptGetInts(node->op, "dims");
  MloptPlace reduced = {.count = 0};
  intptr_t to[MLOPT_MAX_RANK], rank = 0;
  for (intptr_t d = 0; d < mloptRank(mlirValueGetType(node->from[0])); ++d)
    to[d] = mloptHasInt(&dims, d) ? -1 : rank++;
  *out = (MloptPlace){.count = 0};
  for (intptr_t i = 0; i < from->count; ++i) {
    MloptPlace *of = to[from->at[i].dim] < 0 ? &reduced : out;
    of->at[of->count++] = from->at[i];
  }
  int64_t part = partOf(dot, &reduced);
  if (!part || (rows->part && rows->part != part))
    return MLOPT_FUSE_CONTRACTION;
  mloptPlacePermute(out, rank, to);
  rows->part = part;
  ++rows->count;
  return mloptFuseTileRowsLoss(rows) < 0 ? MLOPT_FUSE_ROW_TOO_WIDE
                                         : MLOPT_FUSE_FUSED;
}
