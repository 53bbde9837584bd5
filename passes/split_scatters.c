//===- split_scatters.c - Scatters of many windows are sorted -------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every element combines its updates in their order, and no two threads share
// an element. So that each finds its own at once, windows that do not overlap
// are sorted by where they go. The sort is stable: the order stays.
//
//   %r = mlopt.fusion (%a = %x, %i = %ids, %u = %updates) -> ... {
//     %s = mlopt.scatter %a, %i, %u {...}
//     mlopt.yield %s
//   }
// becomes
//   %p:2 = mlopt.fusion (%i = %ids) -> (tensor<Nxi16>, tensor<Nxi32>) {
//     %k = linalg.generic ... where each goes; past all where it does not
//     %n = linalg.generic ... 0, 1, 2, ...
//     mlopt.sort %k, %n dim 0
//   }
//   %r = mlopt.fusion (%k = %p#0, %n = %p#1, %a = %x, %u = %updates) {
//     %v = linalg.generic ... window %n[d0] of %u
//     %s = mlopt.scatter %a, %k, %v sorted_indices {...}
//   }
//
// and the sort is split in its turn.
//
//===----------------------------------------------------------------------===//

#include "scatter_slots.h"
#include "split_cut.h"
#include "to_linalg.h"

typedef struct Split {
  MlirOperation fusion, scatter;
  MloptSlots slots;
  MlirType i32;
  MlirType slot; ///< the narrowest that holds the number of any, and of none
} Split;

/// The fewer bytes slots have, the fewer digits sort them (split_digits.c).
static MlirType slotType(MlirContext c, int64_t count) {
  enum { LEAST = 8, MOST = 32 };
  unsigned bits = LEAST;
  while (bits < MOST && count >> bits)
    bits *= 2;
  return mlirIntegerTypeGet(c, bits);
}

static bool readSplit(MlirOperation fusion, Split *s) {
  enum { LEAST_WINDOWS = 2048 }; // few are found by looking at all
  *s = (Split){.fusion = fusion,
               .i32 = mlirIntegerTypeGet(mlirOperationGetContext(fusion), 32)};
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(fusion, 0));
  intptr_t numScatters = 0, numOps = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(body);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op), ++numOps)
    if (mloptIsNamed(op, "mlopt.scatter")) {
      s->scatter = op;
      ++numScatters;
    }
  if (numScatters != 1 || numOps > MLOPT_MAX_PIECE_VALUES / 4 ||
      !mloptReadSlots(s->scatter, &s->slots))
    return false;
  s->slot = slotType(mlirOperationGetContext(fusion), s->slots.count);
  return !s->slots.isSorted && s->slots.numWindows >= LEAST_WINDOWS &&
         mloptElementWidth(mloptElementType(mloptOperandType(s->scatter, 0))) !=
             4;
}

static MlirValue arith(MloptBuilder *b, const char *name, MlirValue x,
                       MlirValue y) {
  return mloptBuildBinary(b, name, x, y);
}

//===----------------------------------------------------------------------===//
// Where windows go
//===----------------------------------------------------------------------===//

/// Component `c` of a window's index vector, as i64.
static MlirValue componentOf(const Split *s, MloptBuilder *b, MlirValue indices,
                             const MlirValue *batch, intptr_t c) {
  if (b->failed)
    return (MlirValue){NULL};
  MlirValue at[MLOPT_MAX_RANK];
  int64_t vectorDim = s->slots.indexing.indexVectorDim;
  intptr_t rank = mloptRank(mlirValueGetType(indices));
  for (intptr_t i = 0; i < rank; ++i)
    at[i] = i < vectorDim    ? batch[i]
            : i == vectorDim ? mloptBuildIndex(b, c)
                             : batch[i - 1];
  MlirValue index = mloptBuildExtract(b, indices, rank, at);
  return mloptBuildConvert(b, index, mlirIntegerTypeGet(b->context, 64),
                           s->slots.isUnsigned);
}

/// The number of a window's slot; that of slots where it goes nowhere.
static MlirValue slotOf(const Split *s, MloptBuilder *b, MlirValue indices,
                        const MlirValue *batch) {
  const MloptIndexing *x = &s->slots.indexing;
  MlirType operand = mloptOperandType(s->scatter, 0);
  MlirType i64 = mlirIntegerTypeGet(b->context, 64);
  MlirValue inside = mloptBuildInt(b, mlirIntegerTypeGet(b->context, 1), 1);
  MlirValue slot = mloptBuildInt(b, s->i32, 0);
  for (intptr_t d = 0; d < s->slots.numDims; ++d) {
    int64_t size = mloptDim(operand, d);
    MlirValue at = {NULL};
    for (intptr_t c = 0; c < x->map.count; ++c)
      if (x->map.at[c] == d)
        at = componentOf(s, b, indices, batch, c);
    for (intptr_t i = 0; i < x->operandBatch.count; ++i)
      if (x->operandBatch.at[i] == d) {
        // Batch dimensions are the indices' without the vector's.
        int64_t dim = x->indexBatch.at[i];
        at = mloptBuildUnary(b, "arith.index_castui",
                             batch[dim - (dim > x->indexVectorDim)], i64);
      }
    MlirValue fits = mloptBuildCmpI(b, "ult", at, mloptBuildInt(b, i64, size));
    inside = arith(b, "arith.andi", inside, fits);
    slot = arith(b, "arith.addi",
                 arith(b, "arith.muli", slot, mloptBuildInt(b, s->i32, size)),
                 mloptBuildUnary(b, "arith.trunci", at, s->i32));
  }
  slot = mloptBuildSelect(b, inside, slot,
                          mloptBuildInt(b, s->i32, s->slots.count));
  return mloptBuildConvert(b, slot, s->slot, true);
}

/// One element for each window.
static MlirType lineOf(const Split *s, MlirType element) {
  return mloptTensorType(1, &s->slots.numWindows, element);
}

/// The slots of all windows, one behind the other.
static MlirValue buildSlots(const Split *s, MloptBuilder *b,
                            MlirValue indices) {
  intptr_t rank = s->slots.indexing.batchRank;
  MloptGeneric g = {.numLoops = rank};
  mloptAddOutput(
      &g, mloptBuildEmpty(b, mloptWithElementType(s->slots.batch, s->slot)),
      mloptIdentityMap(b->context, rank));
  mloptBeginGeneric(b, &g);
  MlirValue batch[MLOPT_MAX_RANK];
  for (intptr_t i = 0; i < rank; ++i)
    batch[i] = mloptBuildLoopIndex(&g.body, i);
  MlirValue slots =
      mloptEndGenericValue(b, &g, slotOf(s, &g.body, indices, batch));
  return mloptBuildReshape(b, slots, lineOf(s, s->slot));
}

static MlirValue buildNumbers(const Split *s, MloptBuilder *b) {
  MloptGeneric g = {.numLoops = 1};
  mloptAddOutput(&g, mloptBuildEmpty(b, lineOf(s, s->i32)),
                 mloptIdentityMap(b->context, 1));
  mloptBeginGeneric(b, &g);
  MlirValue number = mloptBuildUnary(&g.body, "arith.index_castui",
                                     mloptBuildLoopIndex(&g.body, 0), s->i32);
  return mloptEndGenericValue(b, &g, number);
}

/// Sorts the windows' slots, and with them their numbers.
static MlirOperation buildSorted(const Split *s) {
  MloptPiece p;
  mloptBeginPiece(&p, s->fusion);
  MlirValue indices = mloptPieceNeed(&p, mloptOperand(s->scatter, 1));
  MlirValue operands[] = {buildSlots(s, &p.b, indices), buildNumbers(s, &p.b)};
  MlirType types[] = {lineOf(s, s->slot), lineOf(s, s->i32)};
  MlirType elements[] = {s->slot, s->slot, s->i32, s->i32};
  MlirBlock block;
  MlirRegion region = mloptCreateRegion(&p.b, 4, elements, &block);
  MloptBuilder body = mloptBuilderAtEnd(block, p.b.location);
  MlirValue before =
      mloptBuildCmpI(&body, "ult", mlirBlockGetArgument(block, 0),
                     mlirBlockGetArgument(block, 1));
  mloptBuildOp(&body, (MloptOpSpec){.name = "mlopt.yield",
                                    .numOperands = 1,
                                    .operands = &before});
  p.b.failed |= body.failed;
  MlirNamedAttribute attrs[] = {
      mloptNamedAttr(p.b.context, "dim", mloptI64Attr(p.b.context, 0)),
      mloptNamedAttr(p.b.context, "num_keys", mloptI64Attr(p.b.context, 1))};
  MlirOperation sort = mloptBuildOp(&p.b, (MloptOpSpec){.name = "mlopt.sort",
                                                        .numOperands = 2,
                                                        .operands = operands,
                                                        .numResults = 2,
                                                        .results = types,
                                                        .numAttrs = 2,
                                                        .attrs = attrs,
                                                        .numRegions = 1,
                                                        .regions = &region});
  for (intptr_t i = 0; i < 2 && !p.b.failed; ++i)
    mloptPieceYield(&p, mloptResult(sort, i));
  return mloptEndPiece(&p);
}

//===----------------------------------------------------------------------===//
// The sorted scatter
//===----------------------------------------------------------------------===//

/// Index vectors from slots: their places in the operand's first dimensions,
/// out of range in the first where the slot is.
static MlirValue buildVectors(const Split *s, MloptBuilder *b,
                              MlirValue slots) {
  MlirType operand = mloptOperandType(s->scatter, 0);
  const int64_t shape[] = {s->slots.numWindows, s->slots.numDims};
  MloptGeneric g = {.numLoops = 2};
  mloptAddInput(&g, slots, mloptPrefixMap(b->context, 2, 1));
  mloptAddOutput(&g, mloptBuildEmpty(b, mloptTensorType(2, shape, s->i32)),
                 mloptIdentityMap(b->context, 2));
  mloptBeginGeneric(b, &g);
  MlirValue slot =
      mloptBuildConvert(&g.body, mloptGenericArg(&g, 0), s->i32, true);
  MlirValue vector = slot;
  MlirValue component = mloptBuildLoopIndex(&g.body, 1);
  for (intptr_t d = s->slots.numDims; s->slots.numDims > 1 && d-- > 0;) {
    MlirValue size = mloptBuildInt(&g.body, s->i32, mloptDim(operand, d));
    MlirValue at = d ? arith(&g.body, "arith.remui", slot, size) : slot;
    MlirValue isIt =
        mloptBuildCmpI(&g.body, "eq", component, mloptBuildIndex(&g.body, d));
    vector = d == s->slots.numDims - 1
                 ? at
                 : mloptBuildSelect(&g.body, isIt, at, vector);
    slot = d ? arith(&g.body, "arith.divui", slot, size) : slot;
  }
  return mloptEndGenericValue(b, &g, vector);
}

/// The updates' windows in the order of the numbers.
static MlirValue buildUpdates(const Split *s, MloptBuilder *b,
                              MlirValue numbers, MlirValue updates) {
  if (b->failed)
    return (MlirValue){NULL};
  const MloptIndexing *x = &s->slots.indexing;
  MlirType type = mlirValueGetType(updates);
  int64_t shape[MLOPT_MAX_RANK] = {s->slots.numWindows};
  intptr_t rank = 1 + x->window.count;
  for (intptr_t i = 1; i < rank; ++i)
    shape[i] = mloptDim(type, x->window.at[i - 1]);
  MloptGeneric g = {.numLoops = rank};
  mloptAddInput(&g, numbers, mloptPrefixMap(b->context, rank, 1));
  mloptAddOutput(
      &g,
      mloptBuildEmpty(b, mloptTensorType(rank, shape, mloptElementType(type))),
      mloptIdentityMap(b->context, rank));
  mloptBeginGeneric(b, &g);
  MlirValue at[MLOPT_MAX_RANK];
  MlirValue number = mloptBuildToIndex(&g.body, mloptGenericArg(&g, 0), true);
  for (intptr_t i = 0; i < x->window.count; ++i)
    at[x->window.at[i]] = mloptBuildLoopIndex(&g.body, i + 1);
  for (intptr_t i = mloptRank(type), batch = x->batchRank; i-- > 0;) {
    if (mloptHasInt(&x->window, i))
      continue;
    MlirValue size = mloptBuildIndex(&g.body, x->batch[--batch]);
    at[i] = batch ? arith(&g.body, "arith.remui", number, size) : number;
    number = batch ? arith(&g.body, "arith.divui", number, size) : number;
  }
  return mloptEndGenericValue(
      b, &g, mloptBuildExtract(&g.body, updates, mloptRank(type), at));
}

/// The dimension numbers of a scatter of vectors and windows in a line.
static void setDimensions(const Split *s, MlirOperation scatter) {
  MlirContext c = mlirOperationGetContext(scatter);
  int64_t window[MLOPT_MAX_RANK], dims[MLOPT_MAX_RANK];
  for (intptr_t i = 0; i < MLOPT_MAX_RANK; ++i) {
    window[i] = i + 1;
    dims[i] = i;
  }
  const struct {
    const char *name;
    MlirAttribute value;
  } rows[] = {
      {"update_window_dims",
       mloptI64Array(c, s->slots.indexing.window.count, window)},
      {"inserted_window_dims", mloptI64Array(c, s->slots.numDims, dims)},
      {"input_batching_dims", mloptI64Array(c, 0, dims)},
      {"scatter_indices_batching_dims", mloptI64Array(c, 0, dims)},
      {"scatter_dims_to_operand_dims",
       mloptI64Array(c, s->slots.numDims, dims)},
      {"index_vector_dim", mloptI64Attr(c, 1)},
      {"sorted_indices", mlirUnitAttrGet(c)},
  };
  for (int i = 0; i < MLOPT_COUNT(rows); ++i)
    mlirOperationSetAttributeByName(scatter, mloptStr(rows[i].name),
                                    rows[i].value);
  mlirOperationRemoveAttributeByName(scatter, mloptStr("unsigned_indices"));
}

/// Scatters the sorted windows, and computes all that follows.
static MlirOperation buildLast(const Split *s, MlirOperation sorted) {
  MloptPiece p;
  mloptBeginPiece(&p, s->fusion);
  MlirValue slots = mloptPieceOperand(&p, mloptResult(sorted, 0));
  MlirValue numbers = mloptPieceOperand(&p, mloptResult(sorted, 1));
  MlirValue operands[] = {
      mloptPieceNeed(&p, mloptOperand(s->scatter, 0)),
      buildVectors(s, &p.b, slots),
      buildUpdates(s, &p.b, numbers,
                   mloptPieceNeed(&p, mloptOperand(s->scatter, 2)))};
  if (!p.b.failed) {
    MlirOperation copy = mloptPieceClone(&p, s->scatter, operands);
    if (!p.b.failed) {
      setDimensions(s, copy);
      mloptPieceBind(&p, mloptResult(s->scatter, 0), mloptResult(copy, 0));
    }
  }
  MlirOperation yield = mlirBlockGetTerminator(
      mlirRegionGetFirstBlock(mlirOperationGetRegion(s->fusion, 0)));
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(yield); i < n; ++i)
    mloptPieceYield(&p, mloptPieceNeed(&p, mloptOperand(yield, i)));
  return mloptEndPiece(&p);
}

bool mloptSplitScatter(MlirOperation fusion, MlirOperation *outSorted,
                       bool *outFailed) {
  Split s;
  *outFailed = false;
  if (!readSplit(fusion, &s))
    return false;
  MlirOperation last = {NULL};
  *outSorted = buildSorted(&s);
  if (!mlirOperationIsNull(*outSorted))
    last = buildLast(&s, *outSorted);
  *outFailed = mlirOperationIsNull(last);
  if (*outFailed)
    return false;
  mloptReplaceSplit(fusion, last);
  return true;
}
