//===- erase_small_floats.c - Small floats as the integers they are -------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `mlopt-erase-small-floats` replaces f16, bf16 and f8 in the llvm dialect by
// integers of their width:
//
//   %0 = llvm.load %p : !llvm.ptr -> bf16
//   %1 = llvm.select %c, %0, %x : i1, bf16
// becomes
//   %0 = llvm.load %p : !llvm.ptr -> i16
//   %1 = llvm.select %c, %0, %x : i1, i16
//
// After mlopt-expand-small-floats they are only moved, chosen and cast, and
// that must keep their bits. LLVM does not promise it: on x86 with AVX512-BF16
// a selected bf16 goes through f32 and comes back by an instruction that
// flushes denormals.
//
//===----------------------------------------------------------------------===//

#include "number.h"
#include "passes.h"

static MloptElement smallFloat(MlirType type) {
  return mlirTypeIsABF16(type)           ? MLOPT_BF16
         : mlirTypeIsAF16(type)          ? MLOPT_F16
         : mlirTypeIsAFloat8E4M3FN(type) ? MLOPT_F8E4M3FN
         : mlirTypeIsAFloat8E5M2(type)   ? MLOPT_F8E5M2
                                         : MLOPT_NO_ELEMENT;
}

static MlirType integerFor(MlirType type, void *unused) {
  MloptElement element = smallFloat(type);
  if (element == MLOPT_NO_ELEMENT)
    return (MlirType){NULL};
  return mlirIntegerTypeGet(mlirTypeGetContext(type),
                            mloptNumberWidth(element));
}

/// Constants keep their bits, of one scalar or of a global's elements.
static MlirAttribute integersFor(MlirAttribute attr, void *unused) {
  MlirAttribute none = {NULL};
  if (mlirAttributeIsAFloat(attr)) {
    MlirType type = mlirAttributeGetType(attr);
    MlirType integer = integerFor(type, NULL);
    if (mlirTypeIsNull(integer))
      return none;
    uint64_t bits = mloptNumberFromDouble(smallFloat(type),
                                          mlirFloatAttrGetValueDouble(attr));
    return mlirIntegerAttrGet(integer, (int64_t)bits);
  }
  if (!mlirAttributeIsADenseElements(attr))
    return none;
  MlirType shaped = mlirAttributeGetType(attr);
  MlirType integer = integerFor(mloptElementType(shaped), NULL);
  if (mlirTypeIsNull(integer))
    return none;
  size_t bytes = mlirIntegerTypeGetWidth(integer) / 8;
  if (!mlirDenseElementsAttrIsSplat(attr))
    bytes *= (size_t)mloptNumElements(shaped);
  return mlirDenseElementsAttrRawBufferGet(
      mloptWithElementType(shaped, integer), bytes,
      mlirDenseElementsAttrGetRawData(attr));
}

static void run(MlirOperation op, MloptPass pass) {
  mloptReplaceTypes(op, integerFor, integersFor, NULL);
}

const MloptPassDef mloptPass_eraseSmallFloats MLOPT_TABLE = {
    .argument = "mlopt-erase-small-floats",
    .summary = "Hold small floats as integers in the llvm dialect",
    .doc = "Replaces f16, bf16, f8E4M3FN and f8E5M2 by integers of the same "
           "width in every type and constant, so that moving and choosing a "
           "value keeps its bits on every processor. Arithmetic on them must "
           "be gone: mlopt-expand-small-floats comes before.",
    .run = run,
};
