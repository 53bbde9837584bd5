//===- emit_matmul_epilogue.c - What follows a matrix product -------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emit_matmul_epilogue.h"

/// The pull emitter asks for the product where it stands.
static bool readAccumulator(void *userData, MlirOperation generic,
                            const MlirValue *loops, MlirValue *results) {
  const MloptEpilogue *e = userData;
  if (!mlirOperationEqual(generic, e->contraction->generic))
    return false;
  results[0] = e->accumulator;
  return true;
}

void mloptEpilogueBegin(MloptEpilogue *e, MloptPull *pull,
                        const MloptContraction *c, MlirBlock program,
                        MlirBlock code) {
  *e = (MloptEpilogue){.pull = pull, .contraction = c};
  mloptPullSetHooks(pull,
                    (MloptPullHooks){.reduce = readAccumulator, .userData = e});
  for (MlirOperation op = mlirBlockGetFirstOperation(program);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!mloptIsNamed(op, "builtin.unrealized_conversion_cast"))
      continue;
    MlirValue tensor = mloptResult(op, 0);
    intptr_t n = mlirBlockArgumentGetArgNumber(mloptOperand(op, 0));
    if (n != c->a.parameter && n != c->b.parameter && n != c->c.parameter)
      mloptPullBindPointer(pull, tensor, mlirBlockGetArgument(code, n));
  }
}

static MlirValue divide(MloptBuilder *b, const char *name, MlirValue x,
                        int64_t y) {
  return mloptBuildBinary(b, name, x, mloptBuildIndex(b, y));
}

/// Indices of C from its axes: an axis of several dimensions is split.
static void splitIndices(MloptEpilogue *e, const MlirValue *axes,
                         MlirValue *outIndices) {
  MloptBuilder *b = mloptPullGetBuilder(e->pull);
  const MloptContraction *c = e->contraction;
  MlirValue left[MLOPT_NUM_AXES];
  int64_t sizes[MLOPT_NUM_AXES];
  for (int axis = 0; axis < MLOPT_NUM_AXES; ++axis) {
    left[axis] = axes[axis];
    sizes[axis] = c->sizes[axis];
  }
  for (intptr_t dim = mloptRank(c->c.type); dim-- > 0;) {
    int64_t size = mloptDim(c->c.type, dim);
    MloptAxis axis = c->axesOfC[dim];
    if (size == 1) {
      outIndices[dim] = mloptBuildIndex(b, 0);
    } else if (size == sizes[axis]) {
      outIndices[dim] = left[axis];
    } else {
      outIndices[dim] = divide(b, "arith.remui", left[axis], size);
      left[axis] = divide(b, "arith.divui", left[axis], size);
      sizes[axis] /= size;
    }
  }
}

/// What the stored value is rounded from, in the body of the generic that
/// yields it; null if rounding is not the last step.
static MlirValue beforeRounding(MlirOperation generic, intptr_t result) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(generic, 0));
  MlirValue yielded = mloptOperand(mlirBlockGetTerminator(body), result);
  if (!mlirValueIsAOpResult(yielded))
    return (MlirValue){NULL};
  MlirOperation op = mlirOpResultGetOwner(yielded);
  return mloptIsNamed(op, "arith.truncf") &&
                 mlirTypeIsAF32(mloptOperandType(op, 0))
             ? mloptOperand(op, 0)
             : (MlirValue){NULL};
}

MlirValue mloptEpilogueElement(MloptEpilogue *e, MlirValue accumulator,
                               MlirValue m, MlirValue n, MlirValue batch) {
  MloptBuilder *b = mloptPullGetBuilder(e->pull);
  const MloptContraction *c = e->contraction;
  MlirType index = mlirIndexTypeGet(b->context);
  MlirValue axes[MLOPT_NUM_AXES] = {
      [MLOPT_AXIS_BATCH] =
          mloptBuildUnary(b, "arith.index_castui", batch, index),
      [MLOPT_AXIS_M] = mloptBuildUnary(b, "arith.index_castui", m, index),
      [MLOPT_AXIS_N] = mloptBuildUnary(b, "arith.index_castui", n, index)};
  MlirValue indices[MLOPT_MAX_RANK], out;
  splitIndices(e, axes, indices);
  e->accumulator = accumulator;
  MlirOperation last = mlirOpResultGetOwner(c->result);
  MlirValue wanted =
      beforeRounding(last, mlirOpResultGetResultNumber(c->result));
  if (mlirValueIsNull(wanted))
    return mloptPullElement(e->pull, c->result, indices);
  mloptPullGenericBody(e->pull, last, indices, 1, &wanted, &out);
  return out;
}
