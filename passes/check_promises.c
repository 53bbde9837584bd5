//===- check_promises.c - The pass mlopt-check-promises -------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function may promise what it will cost at most:
//
//   func.func @f(...) attributes {mlopt.expect = {kernels = 1}}
//
// This compares the promises with `mlopt.traffic`, which mlopt-fuse leaves. A
// broken promise is an error; its notes are the edges between kernels, the ones
// that cost most first. Nothing changes.
//
//===----------------------------------------------------------------------===//

#include "fuse.h"
#include "passes.h"

#include <stdlib.h>

enum { MAX_NOTES = 64, NOTE_LENGTH = 400 };

/// The edges to blame, and room for what is said of each.
typedef struct Blame {
  int count;
  int64_t bytes[MAX_NOTES];
  MloptNote notes[MAX_NOTES];
  char text[MAX_NOTES][NOTE_LENGTH];
} Blame;

static void blame(Blame *b, MlirOperation fusion, MlirAttribute entry) {
  int64_t bytes = mlirIntegerAttrGetValueInt(mloptDictGet(entry, "bytes"));
  int64_t operand = mlirIntegerAttrGetValueInt(mloptDictGet(entry, "operand"));
  MlirStringRef name = mlirStringAttrGetValue(mloptDictGet(entry, "reason"));
  MloptFuseReason reason = mloptFuseReasonFind(name);
  int at = b->count < MAX_NOTES ? b->count++ : MAX_NOTES - 1;
  for (; at > 0 && b->bytes[at - 1] < bytes; --at) {
    b->bytes[at] = b->bytes[at - 1];
    b->notes[at].location = b->notes[at - 1].location;
    memcpy(b->text[at], b->text[at - 1], NOTE_LENGTH);
  }
  if (at == MAX_NOTES - 1 && b->count == MAX_NOTES && b->bytes[at] > bytes)
    return;
  b->bytes[at] = bytes;
  b->notes[at].location = mlirOperationGetLocation(fusion);
  snprintf(b->text[at], NOTE_LENGTH,
           "operand %" PRId64 " of this kernel comes from memory (%" PRId64
           " bytes, %.*s): %s",
           operand, bytes, (int)name.length, name.data,
           reason < MLOPT_NUM_FUSE_REASONS ? mloptFuseReasonGetText(reason)
                                           : "an unknown reason");
}

static MlirWalkResult visit(MlirOperation op, void *userData) {
  if (!mloptIsA(op, &mloptOp_fusion))
    return MlirWalkResultAdvance;
  MlirAttribute ledger = mloptAttr(op, "mlopt.ledger");
  intptr_t n =
      mlirAttributeIsNull(ledger) ? 0 : mlirArrayAttrGetNumElements(ledger);
  for (intptr_t i = 0; i < n; ++i)
    blame(userData, op, mlirArrayAttrGetElement(ledger, i));
  return MlirWalkResultSkip;
}

/// Reports one broken promise with the edges to blame.
static void report(MlirOperation func, const char *what, int64_t promised,
                   int64_t actual) {
  Blame *b = calloc(1, sizeof *b);
  if (b)
    mlirOperationWalk(func, visit, b, MlirWalkPreOrder);
  for (int i = 0; b && i < b->count; ++i)
    b->notes[i].message = b->text[i];
  char message[256];
  snprintf(message, sizeof message,
           "'func.func' op promises at most %" PRId64 " %s, but needs %" PRId64,
           promised, what, actual);
  mloptEmit(mlirOperationGetLocation(func), MlirDiagnosticError, message,
            b ? b->count : 0, b ? b->notes : NULL);
  free(b);
}

static void run(MlirOperation func, MloptPass pass) {
  static const struct {
    const char *name, *what;
  } promises[] = {{"kernels", "kernels"},
                  {"hbm_bytes", "bytes of device memory traffic"}};
  MlirAttribute expect = mloptAttr(func, "mlopt.expect");
  MlirAttribute traffic = mloptAttr(func, "mlopt.traffic");
  if (mlirAttributeIsNull(expect))
    return;
  if (mlirAttributeIsNull(traffic)) {
    mloptOpError(func, "has 'mlopt.expect' but no 'mlopt.traffic': run "
                       "mlopt-fuse first");
    mloptPassSignalFailure(pass);
    return;
  }
  for (int i = 0; i < MLOPT_COUNT(promises); ++i) {
    MlirAttribute promised = mloptDictGet(expect, promises[i].name);
    if (mlirAttributeIsNull(promised))
      continue;
    int64_t limit = mlirIntegerAttrGetValueInt(promised);
    int64_t actual =
        mlirIntegerAttrGetValueInt(mloptDictGet(traffic, promises[i].name));
    if (actual <= limit)
      continue;
    report(func, promises[i].what, limit, actual);
    mloptPassSignalFailure(pass);
  }
}

const MloptPassDef mloptPass_checkPromises MLOPT_TABLE = {
    .argument = "mlopt-check-promises",
    .summary = "Check what functions promise to cost at most",
    .doc = "`mlopt.expect = {kernels = N, hbm_bytes = N}` on a function is a "
           "promise of at most so many kernels (those in a loop count once) "
           "and at most so many bytes moved to and from device memory, each "
           "kernel's distinct operands and results once. A broken promise is "
           "an error whose notes are the edges that were not fused. "
           "`tensor_cores` in the same dictionary promises that every product "
           "runs on Tensor Cores; mlopt-outline-kernels checks it.",
    .anchor = "func.func",
    .run = run,
};
