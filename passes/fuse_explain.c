//===- fuse_explain.c - The ledger in words and as a picture --------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads level 3: fusions with `mlopt.ledger`, functions with `mlopt.traffic`.
//
//===----------------------------------------------------------------------===//

#include "fuse.h"
#include "passes.h"

#include <stdlib.h>

/// One kernel, in the order of the program.
typedef struct Writer {
  FILE *file;
  bool graph;
  int count, capacity;
  MlirOperation *fusions; ///< of the current function
} Writer;

static int numberOf(const Writer *w, MlirOperation fusion) {
  for (int i = 0; i < w->count; ++i)
    if (mlirOperationEqual(w->fusions[i], fusion))
      return i;
  return -1;
}

static MlirWalkResult collect(MlirOperation op, void *userData) {
  Writer *w = userData;
  if (!mloptIsA(op, &mloptOp_fusion))
    return MlirWalkResultAdvance;
  if (w->count == w->capacity) {
    int capacity = w->capacity ? 2 * w->capacity : 64;
    MlirOperation *grown =
        realloc(w->fusions, (size_t)capacity * sizeof *grown);
    if (!grown)
      return MlirWalkResultInterrupt;
    w->fusions = grown;
    w->capacity = capacity;
  }
  w->fusions[w->count++] = op;
  return MlirWalkResultSkip;
}

/// The kernel that computes a value, through reshapes; -1 if none does.
static int producerOf(const Writer *w, MlirValue value) {
  while (mlirValueIsAOpResult(value)) {
    MlirOperation op = mlirOpResultGetOwner(value);
    if (!mloptIsA(op, &mloptOp_reshape))
      return numberOf(w, op);
    value = mloptOperand(op, 0);
  }
  return -1;
}

/// The names of what is inside, without the dialect's, most at most.
static void writeContents(const Writer *w, MlirOperation fusion) {
  enum { MOST = 12 };
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(fusion, 0));
  int count = 0, left = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(body);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    MloptAccess access = mloptFuseGetTraits(op).access;
    if (access == MLOPT_ACCESS_HOST || access == MLOPT_ACCESS_CONSTANT ||
        access == MLOPT_ACCESS_BROADCAST || access == MLOPT_ACCESS_RESHAPE)
      continue;
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
    const size_t prefix = sizeof "mlopt." - 1;
    if (count++ < MOST)
      fprintf(w->file, "%s%.*s", count > 1 ? " " : "",
              (int)(name.length - prefix), name.data + prefix);
    else
      ++left;
  }
  if (left)
    fprintf(w->file, " and %d more", left);
  if (!count)
    fprintf(w->file, "copy");
}

static void writeBytes(FILE *file, int64_t bytes) {
  static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
  double value = (double)bytes;
  int unit = 0;
  for (; value >= 9999.5 && unit + 1 < MLOPT_COUNT(units); ++unit)
    value /= 1000;
  fprintf(file, unit && value < 100 ? "%.1f %s" : "%.0f %s", value,
          units[unit]);
}

static void writeEntry(const Writer *w, int kernel, MlirAttribute entry) {
  MlirOperation fusion = w->fusions[kernel];
  int64_t operand = mlirIntegerAttrGetValueInt(mloptDictGet(entry, "operand"));
  int64_t bytes = mlirIntegerAttrGetValueInt(mloptDictGet(entry, "bytes"));
  MlirStringRef name = mlirStringAttrGetValue(mloptDictGet(entry, "reason"));
  MloptFuseReason reason = mloptFuseReasonFind(name);
  if (operand >= mlirOperationGetNumOperands(fusion))
    return;
  int from = producerOf(w, mloptOperand(fusion, operand));
  if (w->graph && from >= 0) {
    fprintf(w->file, "  k%d -> k%d [label=\"", from, kernel);
    writeBytes(w->file, bytes);
    fprintf(w->file, "\\n%.*s\"];\n", (int)name.length, name.data);
  } else if (!w->graph) {
    if (from >= 0)
      fprintf(w->file, "    from kernel %d, ", from);
    else
      fprintf(w->file, "    from between kernels, ");
    writeBytes(w->file, bytes);
    fprintf(w->file, ": %s (%.*s)\n",
            reason < MLOPT_NUM_FUSE_REASONS ? mloptFuseReasonGetText(reason)
                                            : "not fused",
            (int)name.length, name.data);
  }
}

static void writeKernel(const Writer *w, int kernel) {
  MlirOperation fusion = w->fusions[kernel];
  fprintf(w->file, w->graph ? "  k%d [label=\"%d: " : "  kernel %d: ", kernel,
          kernel);
  writeContents(w, fusion);
  fprintf(w->file, w->graph ? "\"];\n" : "\n");
  MlirAttribute ledger = mloptAttr(fusion, "mlopt.ledger");
  intptr_t n =
      mlirAttributeIsNull(ledger) ? 0 : mlirArrayAttrGetNumElements(ledger);
  for (intptr_t i = 0; i < n; ++i)
    writeEntry(w, kernel, mlirArrayAttrGetElement(ledger, i));
}

static void writeTotals(const Writer *w, MlirStringRef name,
                        MlirAttribute traffic) {
  int64_t kernels =
      mlirIntegerAttrGetValueInt(mloptDictGet(traffic, "kernels"));
  fprintf(w->file, "function %.*s: %" PRId64 " kernel%s, ", (int)name.length,
          name.data, kernels, kernels == 1 ? "" : "s");
  writeBytes(w->file,
             mlirIntegerAttrGetValueInt(mloptDictGet(traffic, "hbm_bytes")));
  fprintf(w->file, " to and from device memory, of which ");
  writeBytes(w->file,
             mlirIntegerAttrGetValueInt(mloptDictGet(traffic, "least_bytes")));
  fprintf(w->file, " any program must move\n");
}

static MlirWalkResult writeFunction(MlirOperation func, void *userData) {
  Writer *w = userData;
  MlirAttribute traffic = mloptAttr(func, "mlopt.traffic");
  if (!mloptIsNamed(func, "func.func") || mlirAttributeIsNull(traffic))
    return MlirWalkResultAdvance;
  MlirStringRef name = mlirStringAttrGetValue(mloptAttr(func, "sym_name"));
  w->count = 0;
  mlirOperationWalk(func, collect, w, MlirWalkPreOrder);
  if (w->graph)
    fprintf(w->file, "digraph \"%.*s\" {\n  node [shape=box];\n",
            (int)name.length, name.data);
  else
    writeTotals(w, name, traffic);
  for (int i = 0; i < w->count; ++i)
    writeKernel(w, i);
  fprintf(w->file, w->graph ? "}\n" : "");
  return MlirWalkResultSkip;
}

static void writeModule(MlirModule module, FILE *file, bool graph) {
  Writer w = {.file = file, .graph = graph};
  mlirOperationWalk(mlirModuleGetOperation(module), writeFunction, &w,
                    MlirWalkPreOrder);
  free(w.fusions);
}

void mloptWriteLedger(MlirModule module, FILE *file) {
  writeModule(module, file, false);
}

void mloptWriteLedgerGraph(MlirModule module, FILE *file) {
  writeModule(module, file, true);
}
