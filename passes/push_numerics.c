//===- push_numerics.c - The pass mlopt-push-numerics ---------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function's numerics mode is the default of the operations in it. Each gets
// it before functions are inlined, so that it keeps the mode in which it was
// written; from then on operations alone are asked.
//
//   func.func @f(...) attributes {mlopt.numerics = #mlopt.numerics<strict>} {
//     %s = mlopt.reduce add %x dims [1] : ...
// becomes
//     %s = mlopt.reduce add %x dims [1] {numerics = #mlopt.numerics<strict>} :
//     ...
//
//===----------------------------------------------------------------------===//

#include "dialect.h"
#include "passes.h"

static bool hasMode(const MloptOpDef *def) {
  for (intptr_t i = 0; i < def->numAttrs; ++i)
    if (mloptStrEq(mloptStr(def->attrs[i].name), "numerics"))
      return true;
  return false;
}

static MlirWalkResult push(MlirOperation op, void *userData) {
  const MlirAttribute *mode = userData;
  const MloptOpDef *def = mloptGetOpDef(op);
  if (def && hasMode(def) && mlirAttributeIsNull(mloptAttr(op, "numerics")))
    mlirOperationSetInherentAttributeByName(op, mloptStr("numerics"), *mode);
  return MlirWalkResultAdvance;
}

static void run(MlirOperation func, MloptPass pass) {
  MlirAttribute mode = mloptAttr(func, "mlopt.numerics");
  if (!mlirAttributeIsNull(mode))
    mlirOperationWalk(func, push, &mode, MlirWalkPreOrder);
}

const MloptPassDef mloptPass_pushNumerics MLOPT_TABLE = {
    .argument = "mlopt-push-numerics",
    .summary = "Give operations the numerics mode of their function",
    .doc = "`mlopt.numerics` on a function is the mode of each operation in it "
           "that has a mode and names none itself.",
    .anchor = "func.func",
    .run = run,
};
