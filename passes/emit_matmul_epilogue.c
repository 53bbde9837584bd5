//===- emit_matmul_epilogue.c - What follows a matrix product -------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pull emitter walks from an output back to the products. Their elements
// are at hand in one place alone, where the output's element came from, and so
// the way there needs no following: the products are what stands for it.
//
//===----------------------------------------------------------------------===//

#include "emit_matmul_epilogue.h"

#include "mlir-c/AffineMap.h"

/// The pull emitter asks for a product where it stands, or for its row.
static bool readSum(void *userData, MlirOperation generic,
                    const MlirValue *loops, MlirValue *results) {
  const MloptEpilogue *e = userData;
  for (intptr_t i = 0; i < e->contraction->numProducts; ++i)
    if (mlirOperationEqual(generic, e->contraction->products[i])) {
      results[0] = e->sums[i][e->tile.lane];
      return true;
    }
  for (intptr_t i = 0; i < e->contraction->numOfRows; ++i)
    if (mlirOperationEqual(generic, e->contraction->ofRows[i])) {
      results[0] = e->rows[i];
      return !mlirValueIsNull(results[0]);
    }
  return false;
}

/// And for elements of tensors, among which are residuals and sources.
static MlirValue readTensor(void *userData, MlirValue tensor, MlirValue pointer,
                            const MlirValue *indices) {
  const MloptEpilogue *e = userData;
  if (e->source && mlirValueEqual(tensor, e->contraction->prologue.source))
    return e->source[e->tile.lane];
  for (intptr_t i = 0; i < e->contraction->numResiduals; ++i)
    if (mlirValueEqual(tensor, e->contraction->residuals[i].value) &&
        !mlirValueIsNull(e->residuals[i][e->tile.lane]))
      return e->residuals[i][e->tile.lane];
  return mloptTileLoad(userData, tensor, pointer, indices);
}

void mloptEpilogueBegin(MloptEpilogue *e, MloptPull *pull,
                        const MloptContraction *c, MlirBlock program,
                        MlirBlock code, const bool *isMap) {
  *e = (MloptEpilogue){.tile = {.pull = pull}, .contraction = c};
  mloptPullSetHooks(
      pull,
      (MloptPullHooks){.load = readTensor, .reduce = readSum, .userData = e});
  for (MlirOperation op = mlirBlockGetFirstOperation(program);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!mloptIsNamed(op, "builtin.unrealized_conversion_cast"))
      continue;
    intptr_t n = mlirBlockArgumentGetArgNumber(mloptOperand(op, 0));
    bool isBound = !isMap[n];
    for (intptr_t i = 0; i < c->numResiduals; ++i)
      isBound |= c->residuals[i].parameter == n;
    if (isBound)
      mloptPullBindPointer(pull, mloptResult(op, 0),
                           mlirBlockGetArgument(code, n));
  }
}

void mloptEpilogueEnd(MloptEpilogue *e) { mloptTileDestroy(&e->tile); }

void mloptEpilogueEnter(MloptEpilogue *e) { mloptTileEnter(&e->tile); }

int mloptEpilogueLanes(const MloptContraction *c, const MloptOutput *output) {
  intptr_t n = output->place.count;
  const MloptDigit *last = &output->place.at[n - 1];
  return n && c->axesOfC[last->source] == MLOPT_AXIS_N &&
                 mloptAxisStep(c, last) == 1 &&
                 last->size % MLOPT_EPILOGUE_LANES == 0
             ? MLOPT_EPILOGUE_LANES
             : 1;
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

static MlirValue combine(MloptPull *pull, const char *name, MlirValue x,
                         int64_t y) {
  return mloptBuildBinary(mloptPullGetBuilder(pull), name, x,
                          mloptPullIndex(pull, y));
}

/// The digit's value: (index / step) % size.
static MlirValue digitOf(MloptEpilogue *e, const MloptDigit *digit,
                         const MlirValue *axes) {
  const MloptContraction *c = e->contraction;
  MloptAxis axis = c->axesOfC[digit->source];
  int64_t step = mloptAxisStep(c, digit);
  MlirValue value = axes[axis];
  if (step > 1)
    value = combine(e->tile.pull, "arith.divui", value, step);
  if (step * digit->size < c->sizes[axis])
    value = combine(e->tile.pull, "arith.remui", value, digit->size);
  return value;
}

void mloptEpilogueIndices(MloptEpilogue *e, const MloptOutput *output,
                          const MlirValue *axes, MlirValue *outIndices) {
  MloptPull *pull = e->tile.pull;
  MloptBuilder *b = mloptPullGetBuilder(pull);
  intptr_t rank = mloptRank(output->type);
  for (intptr_t dim = 0; dim < rank; ++dim)
    outIndices[dim] = (MlirValue){NULL};
  for (intptr_t i = 0; i < output->place.count; ++i) {
    const MloptDigit *digit = &output->place.at[i];
    MlirValue value = digitOf(e, digit, axes), *index = &outIndices[digit->dim];
    *index = mlirValueIsNull(*index)
                 ? value
                 : mloptBuildBinary(
                       b, "arith.addi",
                       combine(pull, "arith.muli", *index, digit->size), value);
  }
  for (intptr_t dim = 0; dim < rank; ++dim)
    if (mlirValueIsNull(outIndices[dim]))
      outIndices[dim] = mloptPullIndex(pull, 0);
}

void mloptEpilogueAim(MloptEpilogue *e, const MloptOutput *output,
                      const MloptEpiloguePoint *point, MloptVector *out) {
  MloptPull *pull = e->tile.pull;
  MlirValue indices[MLOPT_MAX_RANK];
  mloptEpilogueIndices(e, output, point->axes, indices);
  intptr_t inner = mloptRank(output->type) - 1;
  while (inner > 0 && mloptDim(output->type, inner) == 1)
    --inner;
  for (intptr_t i = 0; i < inner; ++i)
    mloptPullBindOuter(pull, indices[i]);
  if (inner >= 0)
    mloptPullLane(pull, indices[inner], 0, point->lanes);
  mloptTileVectorAt(&e->tile, mloptPullLinearize(pull, output->type, indices),
                    point->lanes, out);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// What an output is rounded from, in the body of the generic that yields it;
/// null if rounding is not the last step.
static MlirValue beforeRounding(MlirValue output) {
  const MlirValue none = {NULL};
  MlirOperation op = mlirOpResultGetOwner(output);
  intptr_t result = mlirOpResultGetResultNumber(output);
  if (!mloptIsNamed(op, "linalg.generic"))
    return none;
  MlirAttribute maps = mloptAttr(op, "indexing_maps");
  intptr_t last = mlirArrayAttrGetNumElements(maps) -
                  mlirOperationGetNumResults(op) + result;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  MlirValue yielded = mloptOperand(mlirBlockGetTerminator(body), result);
  if (!mlirAffineMapIsIdentity(
          mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, last))) ||
      !mlirValueIsAOpResult(yielded))
    return none;
  MlirOperation rounding = mlirOpResultGetOwner(yielded);
  return mloptIsNamed(rounding, "arith.truncf") &&
                 mlirTypeIsAF32(mloptOperandType(rounding, 0))
             ? mloptOperand(rounding, 0)
             : none;
}

void mloptEpilogueEvaluate(MloptEpilogue *e, const MloptOutput *output,
                           const MloptEpiloguePoint *point, bool rounded,
                           MlirValue *out) {
  MloptVector vector;
  mloptEpilogueAim(e, output, point, &vector);
  MlirOperation generic = output->generic;
  MlirValue wanted = output->value;
  if (mlirOperationIsNull(generic)) {
    wanted = rounded ? (MlirValue){NULL} : beforeRounding(output->value);
    generic = mlirOpResultGetOwner(output->value);
  }
  if (mlirValueIsNull(wanted)) {
    mloptTileEvaluate(&e->tile, &vector, output->value, out);
    e->tile.vector = NULL;
    return;
  }
  e->tile.vector = &vector;
  for (int i = 0; i < point->lanes; ++i) {
    MlirValue indices[MLOPT_MAX_RANK];
    e->tile.lane = i;
    mloptPullDelinearize(e->tile.pull, output->type, vector.position[i],
                         indices);
    mloptPullGenericBody(e->tile.pull, generic, indices, 1, &wanted, &out[i]);
  }
  e->tile.vector = NULL;
}
