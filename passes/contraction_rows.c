//===- contraction_rows.c - Reductions of a product's rows ----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile that holds whole rows of what follows a product, or whole parts of
// them, can reduce these, and what follows goes on with the results:
//
//   %p = a product                         place of a row
//   %s = sum of %p * %p over d1            (m)
//   %h = %p as [m, heads, 128]
//   %t = largest of %h over d2             (m, n / 128)
//
// What is reduced are the innermost digits of n. All reductions of a
// contraction go over parts of one length.
//
//===----------------------------------------------------------------------===//

#include "contraction_impl.h"

#include "schedule.h"

/// The part of n that the reduced digits are, its innermost ones: how many
/// neighbours; 0 if they are anything else.
static int64_t partOf(const MloptContraction *c, const MloptPlace *reduced) {
  int64_t part = 1;
  intptr_t found = 0;
  for (bool goesOn = true; goesOn;) {
    goesOn = false;
    for (intptr_t i = 0; i < reduced->count; ++i) {
      const MloptDigit *digit = &reduced->at[i];
      if (c->axesOfC[digit->source] != MLOPT_AXIS_N ||
          mloptAxisStep(c, digit) != part)
        continue;
      part *= digit->size;
      ++found;
      goesOn = true;
      break;
    }
  }
  return found == reduced->count && found ? part : 0;
}

/// Whether an operation is a reduction with one result, by an operation that
/// may be regrouped: describes it.
static bool describe(MlirOperation op, MloptReduction *outLoops,
                     MloptCombiner *out) {
  return mloptIsNamed(op, "linalg.generic") &&
         mlirOperationGetNumResults(op) == 1 && !mloptIsParallelGeneric(op) &&
         !mloptIsIrregular(op) && mloptDescribeReduction(op, outLoops) &&
         mloptDescribeCombiner(op, 0, out);
}

/// Describes a reduction of rows as number `c->numOfRows`; false if it is
/// anything else.
static bool readRow(MloptContraction *c, MlirOperation op) {
  MloptPlace place, reduced = {.count = 0}, kept = {.count = 0};
  MloptReduction r;
  MloptCombiner combiner;
  if (!describe(op, &r, &combiner) || !mloptFindPlaceInLoops(c, op, &place))
    return false;
  intptr_t to[MLOPT_MAX_RANK]; // dimensions of the result
  for (intptr_t loop = 0; loop < r.numLoops; ++loop)
    to[loop] = -1;
  for (intptr_t d = 0; d < r.numKept; ++d)
    to[r.kept[d]] = d;
  for (intptr_t i = 0; i < place.count; ++i) {
    MloptPlace *of = to[place.at[i].dim] < 0 ? &reduced : &kept;
    of->at[of->count++] = place.at[i];
  }
  int64_t part = partOf(c, &reduced);
  if (!part || (c->numOfRows && part != c->rowColumns))
    return false;
  mloptPlacePermute(&kept, r.numKept, to);
  c->rowColumns = part;
  c->rowInputs[c->numOfRows] = (MloptOutput){
      .value = mloptOperand(combiner.op, 1 - combiner.accumulator),
      .generic = op,
      .parameter = -1,
      .type = mloptTensorType(r.numLoops, r.sizes,
                              mloptElementType(mloptResultType(op, 0))),
      .place = place};
  c->placesOfRows[c->numOfRows] = kept;
  return true;
}

void mloptFindRows(MlirBlock program, MloptContraction *c) {
  for (MlirOperation op = mlirBlockGetFirstOperation(program);
       !mlirOperationIsNull(op) && c->numOfRows < MLOPT_MAX_OF_ROWS;
       op = mlirOperationGetNextInBlock(op))
    if (readRow(c, op))
      c->ofRows[c->numOfRows++] = op;
}
