//===- fuse_contraction.c - What may share a kernel with a product --------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel of a dot or a convolution computes a tile of the product in
// registers and may go on from there with an epilogue: elementwise code of the
// product's element and of other operands, each read where it is needed.
//
//   %p = mlopt.dot %a, %w ...        |
//   %c = mlopt.broadcast %bias ...   |  one kernel, which stores %r
//   %s = mlopt.add %p, %c            |
//   %r = mlopt.max %s, %zero         |
//
// Where a tile holds whole rows of the product, or whole parts of them, it may
// reduce these and go on with what they give, as a normalisation does
// (fuse_tile_rows.c). And it may reduce what it stores in pieces that every
// tile holds whole: a sum of columns for a bias' gradient, say, which a second
// kernel adds up (mlopt-split-reductions).
//
// The factors lie in memory: code that computes them would run again for each
// tile that reads them, so it is a kernel before this one, unless it pays
// (fuse_prologue.c). What only says where they lie, as slices do, belongs to
// this one (fuse_access.c).
//
//===----------------------------------------------------------------------===//

#include "fuse_contraction_impl.h"

#include "match.h"
#include "target.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

/// In microseconds. Tensor Cores take elements of up to 16 bits.
static double productTime(MlirOperation product) {
  const MloptTarget *target = &mloptSm90;
  MlirType type = mloptOperandType(product, 0);
  MlirType kernel = mloptOperandType(product, 1);
  MloptInts contracted = mloptGetInts(product, "lhs_contract");
  double products = (double)mloptNumElements(mloptResultType(product, 0));
  for (intptr_t i = 0; i < contracted.count; ++i)
    products *= (double)mloptDim(type, contracted.at[i]);
  // Of a convolution, all of the kernel for each output channel.
  if (mloptIsA(product, &mloptOp_conv))
    products *= (double)mloptNumElements(kernel) /
                (double)mloptDim(kernel, mloptRank(kernel) - 1);
  bool isNarrow = mloptElementWidth(mloptElementType(type)) <= 16;
  return products /
         (double)(isNarrow ? target->tensorProducts : target->additions);
}

bool mloptFuseIsProduct(MlirOperation op) {
  return mloptIsA(op, &mloptOp_dot) || mloptIsA(op, &mloptOp_conv);
}

double mloptFuseProductTime(const MloptFuseGraph *graph,
                            const MloptFuseBody *body) {
  double time = 0;
  for (int i = 0; i < body->count; ++i)
    if (mloptFuseIsProduct(graph->nodes[body->nodes[i]].op))
      time += productTime(graph->nodes[body->nodes[i]].op);
  return time;
}

//===----------------------------------------------------------------------===//
// What belongs together
//===----------------------------------------------------------------------===//

/// The node as one that follows the dots; NULL if it does not.
static MloptFuseFollower *followerOf(const MloptFuseCheck *check, int node) {
  bool follows =
      node >= 0 && check->body->holds[node] && check->body->runs[node] != 0;
  return follows ? &check->followers[(int)check->body->runs[node] - 1] : NULL;
}

/// Joins what two operands of a node have: false if it is not in one place.
static bool join(const MloptFuseCheck *check, const MloptFuseFollower *own,
                 MloptFuseFollower *out) {
  MloptPlace a = own->place, b = out->place;
  if (own->isRow == out->isRow)
    return mloptPlaceEqual(&a, &b);
  bool joins = own->isRow ? mloptFuseIsRowOf(&check->tileRows, &a, &b)
                          : mloptFuseIsRowOf(&check->tileRows, &b, &a);
  if (!own->isRow)
    *out = *own;
  return joins;
}

static int64_t sizeOf(const MloptPlace *place) {
  int64_t size = 1;
  for (intptr_t i = 0; i < place->count; ++i)
    size *= place->at[i].size;
  return size;
}

/// Takes what an operation that moves or repeats elements reads to its result.
static bool move(const MloptFuseCheck *check, const MloptFuseNode *node,
                 MloptFuseFollower *f) {
  MlirType type = mloptResultType(node->op, 0);
  bool isBroadcast = mloptIsA(node->op, &mloptOp_broadcast);
  // Rows may be repeated, but for what counts elements.
  if (node->traits.access == MLOPT_ACCESS_RESHAPE)
    return sizeOf(&f->place) == node->elements &&
           mloptPlaceReshape(&f->place, type);
  // Other kernels of products store elements in their order.
  if (isBroadcast ? !f->isRow
                  : !mloptIsA(node->op, &mloptOp_transpose) || !check->mapped)
    return false;
  MloptInts dims = mloptGetInts(node->op, isBroadcast ? "dims" : "permutation");
  intptr_t to[MLOPT_MAX_RANK];
  for (intptr_t i = 0; i < dims.count; ++i)
    if (isBroadcast)
      to[i] = dims.at[i];
    else
      to[dims.at[i]] = i;
  mloptPlacePermute(&f->place, mloptRank(type), to);
  return true;
}

/// What follows the dots has their elements, each once, in one place, or those
/// of rows: whether it does, and which.
static bool findPlace(const MloptFuseCheck *check, const MloptFuseNode *node,
                      MloptFuseFollower *out) {
  bool found = false;
  for (int o = 0; o < node->numOperands; ++o) {
    MloptFuseFollower *own = followerOf(check, node->operands[o]);
    if (!own)
      continue;
    bool isAsLarge =
        check->graph->nodes[node->operands[o]].elements == node->elements;
    if ((!isAsLarge && !own->isRow) || (found && !join(check, own, out)))
      return false;
    *out = found ? *out : *own;
    found = true;
  }
  return node->traits.access == MLOPT_ACCESS_ELEMENTWISE ||
         move(check, node, out);
}

/// What does not follow them is read, and perhaps computed, for each element of
/// a tile.
static MloptFuseReason checkOperand(const MloptFuseNode *node) {
  switch (node->traits.access) {
  case MLOPT_ACCESS_CONSTANT:
  case MLOPT_ACCESS_CREATE:
  case MLOPT_ACCESS_ELEMENTWISE:
  case MLOPT_ACCESS_RESHAPE:
  case MLOPT_ACCESS_TRANSPOSE:
  case MLOPT_ACCESS_BROADCAST:
    return mloptIsA(node->op, &mloptOp_reduce) ? MLOPT_FUSE_CONTRACTION
                                               : MLOPT_FUSE_FUSED;
  case MLOPT_ACCESS_REDUCE:
    return MLOPT_FUSE_CONTRACTION;
  case MLOPT_ACCESS_ALONE:
    return node->traits.alone;
  default:
    return MLOPT_FUSE_EPILOGUE;
  }
}

/// Whether nothing in the body but products and what moves their factors reads
/// a node, and nothing outside.
static bool isFactorAlone(const MloptFuseCheck *check, int at) {
  const MloptFuseBody *body = check->body;
  bool alone = check->moves[at] && !body->stored[at];
  for (int i = 0; alone && i < body->count; ++i) {
    const MloptFuseNode *reader = &check->graph->nodes[body->nodes[i]];
    if (mloptFuseIsProduct(reader->op) || check->moves[body->nodes[i]])
      continue;
    for (int o = 0; o < reader->numOperands; ++o)
      alone &= reader->operands[o] != at;
  }
  return alone;
}

/// Whether a kernel can store a node of a softmax between two dots: the scores,
/// and what rows have in the end.
static bool isStored(const MloptFuseCheck *check, const MloptFuseNode *node) {
  const MloptFuseStream *s = &check->stream;
  return mlirOperationEqual(node->op, s->max) ||
         mlirOperationEqual(node->op, s->sum) ||
         mlirOperationEqual(node->op, mloptFuseStreamScores(s));
}

/// What a softmax between two dots and its rows are. `*isKnown`: this node is
/// of them.
static MloptFuseReason checkSoftmax(MloptFuseCheck *check, int at, bool follows,
                                    bool *isKnown) {
  const MloptFuseNode *node = &check->graph->nodes[at];
  bool isInside = mloptFuseStreamHolds(&check->stream, node->op);
  check->rows[at] = mlirOperationEqual(node->op, check->stream.sum);
  bool readsRows = false;
  for (int o = 0; o < node->numOperands && !isInside; ++o) {
    int operand = node->operands[o];
    if (operand < 0 || !check->body->holds[operand])
      continue;
    // The rest is there before the last step, or never whole.
    bool isRow = check->rows[operand];
    if (!isRow && !mlirOperationEqual(node->op, check->stream.second) &&
        mloptFuseStreamHolds(&check->stream, check->graph->nodes[operand].op))
      return MLOPT_FUSE_STREAM_READ;
    if (!isRow)
      continue;
    readsRows = true;
    // The row of the element in its place.
    if (follows && mlirValueIsNull(mloptFuseRowBehind(
                       node->from[o], mloptResultType(node->op, 0))))
      return MLOPT_FUSE_EPILOGUE;
  }
  MloptAccess access = node->traits.access;
  if (readsRows && !follows) {
    check->rows[at] = true;
    if (access != MLOPT_ACCESS_ELEMENTWISE && access != MLOPT_ACCESS_RESHAPE &&
        access != MLOPT_ACCESS_BROADCAST)
      return MLOPT_FUSE_EPILOGUE;
  }
  *isKnown = isInside || check->rows[at];
  return *isKnown && check->body->stored[at] && !isStored(check, node)
             ? MLOPT_FUSE_STREAM_READ
             : MLOPT_FUSE_FUSED;
}

/// Whether a node takes elements of two dots of a list.
static bool joinsList(const MloptFuseCheck *check, const MloptFuseNode *node) {
  int first = -1;
  for (int o = 0; o < node->numOperands; ++o) {
    const MloptFuseFollower *follower = followerOf(check, node->operands[o]);
    int dot = follower ? follower->dot : -1;
    if (first >= 0 && dot >= 0 && dot != first)
      return true;
    first = dot >= 0 ? dot : first;
  }
  return false;
}

/// Whether a digit of the dots' results goes on within every tile: the
/// innermost one of either factor's own dimensions, of whole pieces.
static bool holdsPieces(const MloptFuseCheck *check, const MloptDigit *digit) {
  const MloptFuseNode *dot = check->dots[0];
  MlirType result = mloptResultType(dot->op, 0);
  intptr_t batch = mloptGetInts(dot->op, "lhs_batch").count;
  intptr_t left = mloptRank(mlirValueGetType(dot->from[0])) -
                  mloptGetInts(dot->op, "lhs_contract").count;
  intptr_t end = digit->source < left ? left : mloptRank(result);
  for (intptr_t d = digit->source + 1; d < end; ++d)
    if (mloptDim(result, d) != 1)
      return false;
  return digit->source >= batch && digit->step == 1 &&
         digit->size % MLOPT_FOLD_LENGTH == 0;
}

/// Whether a node that follows the dots is a reduction that falls into pieces:
/// see contraction_fold.c.
static bool isFold(MloptFuseCheck *check, const MloptFuseNode *node) {
  enum { LEAST_SIDE = 64 }; // of products that others compute better below
  const MloptFuseFollower *from = followerOf(check, node->operands[0]);
  if (!check->body->mayFold || !mloptIsA(node->op, &mloptOp_reduce) ||
      node->numOperands != 1 || !from || from->isRow ||
      mlirAttributeIsNull(mloptAttr(node->op, "kind")) ||
      check->numFolds == MLOPT_MAX_FOLDS || check->isStream ||
      mloptElementWidth(
          mloptElementType(mlirValueGetType(check->dots[0]->from[0]))) > 16 ||
      !mloptFuseTakesDots(check, check->dots[0]) ||
      mloptFuseReadsAnother(check, check->dots[0]) ||
      mloptRank(mlirValueGetType(node->from[0])) == MLOPT_MAX_RANK)
    return false;
  for (int side = 0; side < 2; ++side) {
    MlirType type = mlirValueGetType(check->dots[0]->from[side]);
    MloptInts contract = mloptGetInts(check->dots[0]->op,
                                      side ? "rhs_contract" : "lhs_contract");
    MloptInts batch =
        mloptGetInts(check->dots[0]->op, side ? "rhs_batch" : "lhs_batch");
    int64_t free = mloptNumElements(type);
    for (intptr_t i = 0; i < contract.count; ++i)
      free /= mloptDim(type, contract.at[i]);
    for (intptr_t i = 0; i < batch.count; ++i)
      free /= mloptDim(type, batch.at[i]);
    if (free < LEAST_SIDE)
      return false;
  }
  MloptInts dims = mloptGetInts(node->op, "dims");
  intptr_t last = -1;
  for (intptr_t i = 0; i < dims.count; ++i)
    if (mloptDim(mlirValueGetType(node->from[0]), dims.at[i]) > 1 &&
        dims.at[i] > last)
      last = dims.at[i];
  const MloptDigit *digit = NULL;
  for (intptr_t i = 0; i < from->place.count; ++i)
    if (from->place.at[i].dim == last)
      digit = &from->place.at[i];
  return digit && holdsPieces(check, digit);
}

/// The reduction of pieces that an operand follows from, plus one; or 0.
static int foldOf(const MloptFuseCheck *check, const MloptFuseNode *node,
                  int o) {
  int operand = node->operands[o];
  return operand >= 0 && check->body->holds[operand] ? check->folds[operand]
                                                     : 0;
}

/// What follows a reduction of pieces is the second kernel's: elementwise code
/// of that result alone.
static MloptFuseReason checkFolded(MloptFuseCheck *check, int at) {
  const MloptFuseNode *node = &check->graph->nodes[at];
  for (int o = 0; o < node->numOperands; ++o) {
    int fold = foldOf(check, node, o);
    if (followerOf(check, node->operands[o]) ||
        (fold && check->folds[at] && fold != check->folds[at]) ||
        check->graph->nodes[at].elements !=
            mloptNumElements(mlirValueGetType(node->from[o])))
      return check->apart;
    check->folds[at] = fold ? fold : check->folds[at];
  }
  return node->traits.access == MLOPT_ACCESS_ELEMENTWISE ||
                 node->traits.access == MLOPT_ACCESS_RESHAPE
             ? MLOPT_FUSE_FUSED
             : check->apart;
}

/// Whether a tile holds the rows that a node reduces, of one product with
/// factors of up to 16 bits, or of f32 where these may be rounded.
static MloptFuseReason checkRow(MloptFuseCheck *check,
                                const MloptFuseNode *node,
                                MloptFuseFollower *out) {
  const MloptFuseFollower *from = followerOf(check, node->operands[0]);
  const MloptFuseNode *dot = check->dots[0];
  if (check->numDots > 1 || !from || from->isRow ||
      !mloptFuseTakesDots(check, dot) ||
      (mloptElementWidth(mloptElementType(mlirValueGetType(dot->from[0]))) >
           16 &&
       mloptGetNumerics(dot->op) != MLOPT_NUMERICS_FAST))
    return MLOPT_FUSE_CONTRACTION;
  MloptFuseTileRows *rows = &check->tileRows;
  rows->graph = check->graph;
  rows->body = check->body;
  rows->dot = dot;
  *out = (MloptFuseFollower){.isRow = true, .dot = from->dot};
  return mloptFuseReduceRow(rows, node, &from->place, &out->place);
}

static MloptFuseReason checkNode(MloptFuseCheck *check, int at,
                                 int *numFollowers) {
  const MloptFuseNode *node = &check->graph->nodes[at];
  MloptFuseFollower *own = &check->followers[*numFollowers];
  check->body->runs[at] = 0;
  bool isDot = mloptFuseIsProduct(node->op), follows = isDot;
  if (isFactorAlone(check, at))
    return MLOPT_FUSE_FUSED;
  for (int o = 0; o < node->numOperands; ++o)
    follows |= followerOf(check, node->operands[o]) != NULL;
  if (check->isStream) {
    bool isKnown;
    MloptFuseReason reason = checkSoftmax(check, at, follows, &isKnown);
    if (isKnown || reason != MLOPT_FUSE_FUSED)
      return reason;
  }
  check->folds[at] = 0;
  for (int o = 0; o < node->numOperands; ++o)
    if (foldOf(check, node, o))
      return checkFolded(check, at);
  if (!follows)
    return checkOperand(node);
  if (node->traits.access == MLOPT_ACCESS_ALONE && !isDot)
    return node->traits.alone;
  MloptFuseReason reason = MLOPT_FUSE_FUSED;
  if (node->traits.access == MLOPT_ACCESS_REDUCE)
    reason = checkRow(check, node, own);
  if (reason != MLOPT_FUSE_FUSED && isFold(check, node)) {
    check->folds[at] = at + 1;
    check->pieceBytes += check->graph->nodes[node->operands[0]].elements /
                         MLOPT_FOLD_LENGTH *
                         mloptFuseSumBytes(mloptResultType(node->op, 0));
    ++check->numFolds;
    check->apart = reason;
    return MLOPT_FUSE_FUSED;
  }
  if (isDot)
    *own = (MloptFuseFollower){
        .place = mloptPlaceOfTensor(mloptResultType(node->op, 0)),
        .dot = check->isList ? at : 0};
  else if (joinsList(check, node))
    return MLOPT_FUSE_PRODUCTS;
  else if (node->traits.access != MLOPT_ACCESS_REDUCE &&
           !findPlace(check, node, own))
    return MLOPT_FUSE_EPILOGUE;
  if (!isDot && !own->isRow)
    check->tileRows.operations += node->traits.work;
  if (node->traits.access == MLOPT_ACCESS_REDUCE)
    check->tileRows.operations += node->traits.work;
  check->body->runs[at] = ++*numFollowers;
  return reason;
}

/// Whether the innermost dimension of a result is one of the dots' own factors,
/// not of the one that they share: a tile holds columns of each side by side.
static bool runsAlongOther(const MloptFuseCheck *check,
                           const MloptPlace *place) {
  const MloptFuseNode *dot = check->dots[0];
  intptr_t batch = mloptGetInts(dot->op, "lhs_batch").count;
  intptr_t left = mloptRank(mlirValueGetType(dot->from[0])) -
                  mloptGetInts(dot->op, "lhs_contract").count;
  intptr_t inner = place->count ? place->at[place->count - 1].source : -1;
  return check->side ? inner >= left : inner >= batch && inner < left;
}

/// The results that go out: all follow the dots. Rows of those of dots side by
/// side run along what the dots do not share, those of a list along that or
/// along what they share.
static MloptFuseReason checkResults(const MloptFuseCheck *check) {
  const MloptFuseBody *body = check->body;
  int numStored = 0, numRows = 0, numAlong = 0;
  for (int i = 0; i < body->count; ++i) {
    int node = body->nodes[i];
    if (!body->stored[node] || check->folds[node] ||
        (check->isStream && isStored(check, &check->graph->nodes[node])))
      continue;
    const MloptFuseFollower *own = followerOf(check, node);
    unsigned width = mloptElementWidth(
        mloptElementType(mloptResultType(check->graph->nodes[node].op, 0)));
    // Elements of four bits share bytes.
    if (!own || width == 4 ||
        sizeOf(&own->place) != check->graph->nodes[node].elements)
      return MLOPT_FUSE_EPILOGUE;
    ++*(own->isRow ? &numRows : &numStored);
    numAlong += check->numDots > 1 && !check->isStream &&
                runsAlongOther(check, &own->place);
  }
  if (numStored > MLOPT_MAX_OUTPUTS || numRows > MLOPT_MAX_OF_ROWS)
    return MLOPT_FUSE_EPILOGUE;
  if (!numStored && !numRows)
    return MLOPT_FUSE_CONTRACTION;
  bool isOne = check->numDots == 1 || check->isStream;
  return isOne || numAlong == numStored || (check->isList && !numAlong)
             ? MLOPT_FUSE_FUSED
             : MLOPT_FUSE_PRODUCTS;
}

static MloptFuseReason checkBody(MloptFuseCheck *check) {
  const MloptFuseBody *body = check->body;
  MloptFuseReason reason = mloptFuseCheckDots(check);
  int numFollowers = 0;
  for (int i = 0; i < body->count && reason == MLOPT_FUSE_FUSED; ++i)
    reason = checkNode(check, body->nodes[i], &numFollowers);
  return reason == MLOPT_FUSE_FUSED ? checkResults(check) : reason;
}

/// False when memory is out.
static bool beginCheck(MloptFuseCheck *check, const MloptFuseGraph *graph,
                       const MloptFuseBody *body) {
  *check = (MloptFuseCheck){
      .graph = graph,
      .body = body,
      .mapped = true,
      .moves = calloc((size_t)graph->count, sizeof *check->moves),
      .follows = calloc((size_t)graph->count, sizeof *check->follows),
      .rows = calloc((size_t)graph->count, sizeof *check->rows),
      .folds = calloc((size_t)graph->count, sizeof *check->folds),
      .followers = malloc((size_t)body->count * sizeof(MloptFuseFollower))};
  return check->moves && check->follows && check->rows && check->folds &&
         check->followers;
}

static void endCheck(MloptFuseCheck *check) {
  free(check->folds);
  free(check->moves);
  free(check->follows);
  free(check->rows);
  free(check->followers);
}

MloptFuseReason mloptFuseCheckContraction(const MloptFuseGraph *graph,
                                          const MloptFuseBody *body,
                                          MloptFuseReduced *out) {
  MloptFuseCheck check;
  // Out of memory: keep it simple.
  MloptFuseReason reason = beginCheck(&check, graph, body)
                               ? checkBody(&check)
                               : MLOPT_FUSE_CONTRACTION;
  out->pieceBytes = check.pieceBytes;
  out->loss = reason == MLOPT_FUSE_FUSED && check.tileRows.count
                  ? mloptFuseTileRowsLoss(&check.tileRows)
                  : 0;
  endCheck(&check);
  return reason;
}

void mloptFuseMarkRows(const MloptFuseGraph *graph, const MloptFuseBody *body) {
  MloptFuseCheck check;
  bool isChecked =
      mloptFuseProductTime(graph, body) > 0 && beginCheck(&check, graph, body);
  if (isChecked && checkBody(&check) == MLOPT_FUSE_FUSED)
    for (int i = 0; i < body->count; ++i) {
      const MloptFuseNode *node = &graph->nodes[body->nodes[i]];
      const MloptFuseFollower *own = followerOf(&check, body->nodes[i]);
      if (own && own->isRow && node->traits.access == MLOPT_ACCESS_REDUCE)
        mlirOperationSetDiscardableAttributeByName(
            node->op, mloptStr("mlopt.row"),
            mlirUnitAttrGet(mlirOperationGetContext(node->op)));
    }
  if (isChecked)
    endCheck(&check);
}
