//===- artifact_build.c - From a launch plan to an artifact ---------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk over the module: PTX and constants first, then each function as an
// entry. Values that are memory become places (artifact_place.c), operations
// steps, regions segments (artifact_steps.c).
//
//===----------------------------------------------------------------------===//

#include "artifact_build.h"

#include "artifact_impl.h"
#include "mlir-c/Dialect/GPU.h"

#include <stdio.h>
#include <stdlib.h>

const char *mloptKeepName(MloptArtifactBuild *build, MlirStringRef name) {
  char *copy = mloptKeep(build, name.length + 1);
  if (copy)
    memcpy(copy, name.data, name.length);
  return copy ? copy : "";
}

void *mloptKeep(MloptArtifactBuild *build, size_t size) {
  MloptKept *kept = calloc(1, sizeof *kept + size);
  if (!kept) {
    build->failed = true;
    return NULL;
  }
  kept->next = build->kept;
  build->kept = kept;
  return kept + 1;
}

bool mloptRefuseArtifact(MloptArtifactBuild *build, MlirOperation op,
                         const char *why) {
  if (!build->failed)
    mloptOpError(op, "has no place in an artifact: %s", why);
  build->failed = true;
  return false;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static void appendText(MlirStringRef text, void *out) {
  char *name = out;
  size_t used = strlen(name);
  snprintf(name + used, MLOPT_ELEMENT_NAME - used, "%.*s", (int)text.length,
           text.data);
}

void mloptElementName(MlirType type, char name[MLOPT_ELEMENT_NAME]) {
  name[0] = '\0';
  mlirTypePrint(mloptElementType(type), appendText, name);
}

uint64_t mloptBufferBytes(MlirType buffer) {
  // i1 takes a byte, i4 half of one.
  uint64_t bits = mloptElementWidth(mloptElementType(buffer));
  return ((uint64_t)mloptNumElements(buffer) * (bits == 1 ? 8 : bits) + 7) / 8;
}

//===----------------------------------------------------------------------===//
// Code and constants
//===----------------------------------------------------------------------===//

/// PTX, and the cubin behind it if ptxas made one.
static void addBinary(MloptArtifactBuild *build, MlirOperation op) {
  MlirAttribute objects = mloptAttr(op, "objects");
  MlirAttribute chipAttr = mloptAttr(op, "mlopt.chip");
  if (mlirAttributeIsNull(chipAttr)) {
    mloptRefuseArtifact(build, op, "it does not say its mlopt.chip");
    return;
  }
  const char *chip = mloptKeepName(build, mlirStringAttrGetValue(chipAttr));
  MlirStringRef ptx =
      mlirGPUObjectAttrGetObject(mlirArrayAttrGetElement(objects, 0));
  const char *name =
      mloptKeepName(build, mlirStringAttrGetValue(mloptAttr(op, "sym_name")));
  uint32_t module =
      mloptAddModule(build->writer, name, chip, ptx.data, ptx.length);
  if (mlirArrayAttrGetNumElements(objects) > 1) {
    MlirStringRef cubin =
        mlirGPUObjectAttrGetObject(mlirArrayAttrGetElement(objects, 1));
    mloptAddCubin(build->writer, module, chip, cubin.data, cubin.length);
  }
  mloptAddKernel(build->writer, module, name);
  mloptPushSymbol(build, &build->kernels, name);
}

/// The elements as MLIR holds them, one of them for a splat; NULL if there are
/// too few.
static const uint8_t *rawData(MlirAttribute value, uint64_t bytes) {
  if (mlirAttributeIsADenseElements(value))
    return mlirDenseElementsAttrGetRawData(value);
  MlirStringRef blob = mloptResourceGetBytes(value);
  return blob.length == bytes ? (const uint8_t *)blob.data : NULL;
}

/// The elements as they lie in memory. MLIR packs i1 in dense elements, gives a
/// byte to i4, and holds a splat once.
static const void *constantData(MloptArtifactBuild *build, MlirOperation op,
                                MlirAttribute value, MlirType type) {
  bool isDense = mlirAttributeIsADenseElements(value);
  bool isSplat = isDense && mlirDenseElementsAttrIsSplat(value);
  unsigned bits = mloptElementWidth(mloptElementType(type));
  int64_t count = mloptNumElements(type);
  uint64_t bytes = mloptBufferBytes(type), each = bits < 8 ? 1 : bits / 8;
  const uint8_t *raw = rawData(value, (uint64_t)count * each);
  if (!raw && count) {
    mloptRefuseArtifact(build, op, "its constant is not dense, or too short");
    return NULL;
  }
  bool packed = isDense && bits == 1;
  if (!isSplat && !packed && bits != 4)
    return raw;
  uint8_t *data = mloptKeep(build, bytes ? bytes : 1);
  for (int64_t i = 0; data && i < count; ++i) {
    int64_t from = isSplat ? 0 : i;
    if (packed)
      data[i] = mlirDenseElementsAttrGetBoolValue(value, from);
    else if (bits == 4)
      data[i / 2] |= (uint8_t)((raw[from] & 15) << (i % 2 * 4));
    else
      memcpy(data + (uint64_t)i * each, raw + (uint64_t)from * each, each);
  }
  return data;
}

static void addGlobal(MloptArtifactBuild *build, MlirOperation op) {
  MlirType type = mlirTypeAttrGetValue(mloptAttr(op, "type"));
  const char *name =
      mloptKeepName(build, mlirStringAttrGetValue(mloptAttr(op, "sym_name")));
  const void *data =
      constantData(build, op, mloptAttr(op, "initial_value"), type);
  if (build->failed)
    return;
  char element[MLOPT_ELEMENT_NAME];
  mloptElementName(type, element);
  int64_t shape[MLOPT_MAX_RANK];
  intptr_t rank = mloptShape(type, shape);
  mloptAddConstant(build->writer, name, element, (uint32_t)rank, shape, data);
  mloptPushSymbol(build, &build->constants, name);
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

static int64_t intAttr(MlirOperation op, const char *name) {
  MlirAttribute attr = mloptAttr(op, name);
  return mlirAttributeIsNull(attr) ? 0 : mlirIntegerAttrGetValueInt(attr);
}

static void addSignature(MloptArtifactBuild *build, MlirOperation func) {
  MlirType type = mlirTypeAttrGetValue(mloptAttr(func, "function_type"));
  intptr_t total = mlirFunctionTypeGetNumInputs(type);
  build->arenaBytes = (uint64_t)intAttr(func, "mlopt.arena_bytes");
  build->numResults = intAttr(func, "mlopt.num_results");
  build->numArguments = total - build->numResults - (build->arenaBytes > 0);
  for (intptr_t i = 0; i < build->numArguments + build->numResults; ++i) {
    MlirType input = mlirFunctionTypeGetInput(type, i);
    char name[32], element[MLOPT_ELEMENT_NAME];
    bool isResult = i >= build->numArguments;
    snprintf(name, sizeof name, "%s%ld", isResult ? "out" : "in",
             (long)(isResult ? i - build->numArguments : i));
    mloptElementName(input, element);
    int64_t shape[MLOPT_MAX_RANK];
    uint32_t rank = (uint32_t)mloptShape(input, shape);
    if (isResult)
      mloptAddResult(build->entry, name, element, rank, shape);
    else
      mloptAddArgument(build->entry, name, element, rank, shape);
  }
  mloptSetArenaBytes(build->entry, build->arenaBytes);
}

static void addCheck(MloptArtifactBuild *build, MlirAttribute check) {
  MlirStringRef kind = mlirStringAttrGetValue(mloptDictGet(check, "kind"));
  MlirAttribute minUlp = mloptDictGet(check, "min_ulp");
  MlirAttribute maxUlp = mloptDictGet(check, "max_ulp");
  MlirAttribute tolerance = mloptDictGet(check, "tolerance");
  MloptCheckInfo info = {
      .kind = mloptStrEq(kind, "eq")      ? MLOPT_CHECK_EQUAL
              : mloptStrEq(kind, "close") ? MLOPT_CHECK_CLOSE
                                          : MLOPT_CHECK_ALMOST_EQUAL,
      .actual =
          (uint32_t)mlirIntegerAttrGetValueInt(mloptDictGet(check, "actual")),
      .expected =
          (uint32_t)mlirIntegerAttrGetValueInt(mloptDictGet(check, "expected")),
      .min_ulp = mlirAttributeIsNull(minUlp)
                     ? 0
                     : (uint64_t)mlirIntegerAttrGetValueInt(minUlp),
      .max_ulp = mlirAttributeIsNull(maxUlp)
                     ? 3
                     : (uint64_t)mlirIntegerAttrGetValueInt(maxUlp),
      .tolerance = mlirAttributeIsNull(tolerance)
                       ? 0.001
                       : mlirFloatAttrGetValueDouble(tolerance),
  };
  mloptAddCheck(build->entry, &info);
}

static void addEntry(MloptArtifactBuild *build, MlirOperation func) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  if (mlirBlockIsNull(body))
    return;
  build->entry = mloptAddEntry(
      build->writer, mloptKeepName(build, mlirStringAttrGetValue(
                                              mloptAttr(func, "sym_name"))));
  build->numPlaces = 0;
  build->entryBlock = body;
  addSignature(build, func);
  MlirAttribute sources = mloptAttr(func, "mlopt.arguments_from");
  for (intptr_t i = 0; !mlirAttributeIsNull(sources) &&
                       i < mlirArrayAttrGetNumElements(sources);
       ++i)
    mloptAddArgumentSource(
        build->entry,
        mloptKeepName(build, mlirFlatSymbolRefAttrGetValue(
                                 mlirArrayAttrGetElement(sources, i))));
  MlirAttribute checks = mloptAttr(func, "mlopt.checks");
  for (intptr_t i = 0;
       !mlirAttributeIsNull(checks) && i < mlirArrayAttrGetNumElements(checks);
       ++i)
    addCheck(build, mlirArrayAttrGetElement(checks, i));
  mloptAddSteps(build, body, mloptAddSegment(build->entry));
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

static const struct {
  const char *name;
  void (*add)(MloptArtifactBuild *, MlirOperation);
} rows[] = {
    {"func.func", addEntry},
    {"gpu.binary", addBinary},
    {"memref.global", addGlobal},
};

/// Adds every operation of one kind; code and constants come before entries.
static void addAll(MloptArtifactBuild *build, MlirBlock body, bool entries) {
  for (MlirOperation op = mlirBlockGetFirstOperation(body);
       !mlirOperationIsNull(op) && !build->failed;
       op = mlirOperationGetNextInBlock(op)) {
    intptr_t row = MLOPT_FIND_ROW(op, rows);
    if (row < 0)
      mloptRefuseArtifact(build, op, "it is no part of a launch plan");
    else if ((rows[row].add == addEntry) == entries)
      rows[row].add(build, op);
  }
}

static void finish(MloptArtifactBuild *build, MlirOperation top,
                   uint8_t **outData, size_t *outSize) {
  MloptStatus *status = mloptSerializeArtifact(build->writer, outData, outSize);
  if (!status)
    return;
  mloptOpError(top, "cannot become an artifact: %s",
               mloptGetStatusMessage(status));
  mloptReleaseStatus(status);
  build->failed = true;
}

MlirLogicalResult mloptBuildArtifact(MlirModule module, const char *program,
                                     MlirStringRef source, uint8_t **outData,
                                     size_t *outSize) {
  MlirOperation top = mlirModuleGetOperation(module);
  MlirBlock body = mlirModuleGetBody(module);
  MloptArtifactBuild build = {.writer =
                                  mloptCreateArtifactWriter(program, "mlopt")};
  build.failed = !build.writer;
  if (!build.failed) {
    addAll(&build, body, false);
    addAll(&build, body, true);
    if (source.length)
      mloptSetSource(build.writer, source.data, source.length);
  }
  if (!build.failed)
    finish(&build, top, outData, outSize);
  if (build.writer)
    mloptReleaseArtifactWriter(build.writer);
  free(build.kernels.names);
  free(build.constants.names);
  free(build.places);
  for (MloptKept *next; build.kept; build.kept = next) {
    next = build.kept->next;
    free(build.kept);
  }
  return build.failed ? mloptFailure() : mloptSuccess();
}
