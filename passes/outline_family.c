//===- outline_family.c - Which emitter a kernel is for -------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first family in this order that takes a kernel's program: skinny products
// (schedule_tiled.h), products on wgmma and TMA (schedule_matmul.h), other
// products, then what schedule.h chooses from. A fusion may pin a schedule of
// any of the first three.
//
//===----------------------------------------------------------------------===//

#include "outline_impl.h"

#include "schedule.h"
#include "schedule_matmul.h"
#include "schedule_stream.h"
#include "schedule_tiled.h"

#include "mlir-c/Dialect/LLVM.h"

/// The schedule of a matrix product for this program: the one that its fusion
/// pins, or the best. False if it is none, or after a diagnostic.
static bool findMatmul(MloptOutline *o, MlirOperation fusion,
                       MlirOperation kernel, MlirBlock program,
                       MloptContractions *contractions,
                       MloptMatmulSchedule *schedule) {
  bool isProduct = o->wgmma && mloptFindContractions(program, contractions);
  if (mlirAttributeIsNull(mloptAttr(fusion, MLOPT_SCHEDULE)))
    return isProduct && mloptScheduleMatmul(contractions, schedule);
  bool isRead = mloptReadMatmulSchedule(fusion, schedule);
  if (!isRead || !isProduct)
    mloptOpError(fusion,
                 isRead ? "pins the schedule of a matrix product, but is none, "
                          "or not for a chip with wgmma"
                        : "pins a schedule that is not {family = \"matmul\", "
                          "band, stages, tile = [m, n, k]}, with alternate, "
                          "cluster, splits, tail or without, nor {family = "
                          "\"tiled\", groups, stages, terms, tile = [m, n, k], "
                          "warp = [m, n]}, with splits or without");
  else if (mloptVerifyMatmul(fusion, contractions, schedule))
    return true;
  o->failed = true;
  return false;
}

/// Whether the function promises that its products run on Tensor Cores, and
/// this kernel, which does not use them, holds one; then after a diagnostic.
static bool breaksPromise(MloptOutline *o, MlirOperation fusion,
                          MlirBlock program) {
  MlirAttribute expect = mloptAttr(o->func, "mlopt.expect");
  if (mlirAttributeIsNull(expect) ||
      mlirAttributeIsNull(mloptDictGet(expect, "tensor_cores")))
    return false;
  for (MlirOperation op = mlirBlockGetFirstOperation(program);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!mloptIsProduct(op))
      continue;
    mloptOpError(fusion, "computes a product without Tensor Cores, which its "
                         "function promises in 'mlopt.expect': they take "
                         "floats and i8, and not every size");
    o->failed = true;
    return true;
  }
  return false;
}

/// The schedule that the fusion pins, or the best; false if there is none, or
/// after a diagnostic.
static bool findTiled(MloptOutline *o, MlirOperation fusion,
                      MlirOperation kernel, const MloptProduct *product,
                      MloptTiledSchedule *out) {
  if (!mloptReadTiledSchedule(fusion, out))
    return mloptScheduleTiled(product, o->wgmma, out);
  o->failed = !mloptVerifyTiled(fusion, product, o->wgmma, out);
  return !o->failed;
}

/// The schedule that the fusion pins, or the best; false if there is none, or
/// after a diagnostic.
static bool findStream(MloptOutline *o, MlirOperation fusion,
                       MlirOperation kernel, const MloptStream *stream,
                       MloptStreamSchedule *out) {
  if (mlirAttributeIsNull(mloptAttr(fusion, MLOPT_SCHEDULE)))
    return mloptScheduleStream(stream, out);
  if (!mloptReadStreamSchedule(fusion, out))
    return false;
  o->failed = !mloptVerifyStream(kernel, stream, out);
  return !o->failed;
}

/// Makes the kernel one that streams keys, if its program allows it.
static bool chooseStream(MloptOutline *o, MlirOperation fusion,
                         MlirOperation kernel, MlirBlock program,
                         MloptLaunch *launch) {
  MloptStream stream;
  MloptStreamSchedule schedule;
  if (!o->wgmma || !mloptFindStream(program, &stream) ||
      !findStream(o, fusion, kernel, &stream, &schedule))
    return false;
  mloptStreamAnnotate(kernel, &stream, &schedule);
  mloptStreamLaunch(o->context, &stream, &schedule, launch);
  return true;
}

/// Makes the kernel one of tiles, if its program is a product.
static bool chooseTiled(MloptOutline *o, MlirOperation fusion,
                        MlirOperation kernel, MlirBlock program,
                        const MloptProduct *product, MloptLaunch *launch) {
  MloptTiledSchedule schedule;
  if (!findTiled(o, fusion, kernel, product, &schedule))
    return false;
  bool usesCores = mloptTiledUsesMma(product) || schedule.terms > 1 ||
                   mlirTypeIsAF64(product->sum);
  if (!usesCores && breaksPromise(o, fusion, program))
    return true;
  mloptTiledAnnotate(kernel, &schedule);
  bool isConverted = false;
  for (int i = 0; i < 2; ++i)
    isConverted |= mlirTypeIsAFloat8E4M3FN(product->factors[i].element);
  if (o->wgmma && isConverted)
    mlirOperationSetDiscardableAttributeByName(
        kernel, mloptStr(MLOPT_KERNEL_CONVERTS), mlirUnitAttrGet(o->context));
  mloptTiledLaunch(product, &schedule, launch);
  return true;
}

/// An argument of the function, or a constant.
static bool isInput(const MloptOutline *o, MlirValue buffer) {
  intptr_t numInputs = mlirBlockGetNumArguments(o->entry) - o->numResults;
  if (mlirValueIsABlockArgument(buffer))
    return mlirBlockEqual(mlirBlockArgumentGetOwner(buffer), o->entry) &&
           mlirBlockArgumentGetArgNumber(buffer) < numInputs;
  return mloptIsNamed(mlirOpResultGetOwner(buffer), "memref.get_global");
}

static void markInputs(const MloptOutline *o, MlirOperation kernel,
                       const MloptLaunch *launch) {
  int64_t inputs[MLOPT_MAX_LAUNCH_ARGUMENTS];
  intptr_t count = 0;
  for (intptr_t i = 0; i < launch->numArguments - launch->numOutputs; ++i)
    if (isInput(o, launch->arguments[i]))
      inputs[count++] = i;
  if (count)
    mlirOperationSetDiscardableAttributeByName(
        kernel, mloptStr(MLOPT_KERNEL_INPUTS),
        mloptI64Array(o->context, count, inputs));
}

/// Gives a kernel what its schedule needs of memory besides its program's
/// tensors, as last arguments that it writes.
static void addScratch(MloptOutline *o, MlirOperation kernel,
                       const MloptContraction *contraction,
                       const MloptMatmulSchedule *schedule,
                       MloptLaunch *launch) {
  MlirType scratch[MLOPT_MATMUL_MOST_SCRATCH];
  intptr_t n = mloptMatmulScratch(o->context, contraction, schedule, scratch);
  if (!n)
    return;
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(kernel, 0));
  MlirType types[MLOPT_MAX_LAUNCH_ARGUMENTS];
  if (launch->numArguments + n > MLOPT_MAX_LAUNCH_ARGUMENTS) {
    mloptOutlineRefuse(o, kernel, "a kernel takes at most 256 buffers");
    return;
  }
  for (intptr_t i = 0; i < n; ++i) {
    mlirBlockAddArgument(entry, mlirLLVMPointerTypeGet(o->context, 0),
                         mlirOperationGetLocation(kernel));
    launch->arguments[launch->numArguments++] =
        mloptOutlineAllocate(o, scratch[i]);
    ++launch->numOutputs;
  }
  launch->cleared = launch->arguments[launch->numArguments - 1];
  for (intptr_t i = 0; i < launch->numArguments; ++i)
    types[i] = mlirLLVMPointerTypeGet(o->context, 0);
  mlirOperationSetInherentAttributeByName(
      kernel, mloptStr("function_type"),
      mlirTypeAttrGet(mlirLLVMFunctionTypeGet(mlirLLVMVoidTypeGet(o->context),
                                              launch->numArguments, types,
                                              false)));
}

void mloptOutlineChooseFamily(MloptOutline *o, MlirOperation fusion,
                              MlirOperation kernel, MloptLaunch *launch) {
  MlirBlock program =
      mlirRegionGetFirstBlock(mlirOperationGetRegion(kernel, 0));
  if (chooseStream(o, fusion, kernel, program, launch) || o->failed)
    return;
  bool isPinned = !mlirAttributeIsNull(mloptAttr(fusion, MLOPT_SCHEDULE));
  MloptTiledSchedule pinned;
  bool isTiled = mloptReadTiledSchedule(fusion, &pinned);
  MloptProduct product;
  bool isProduct = mloptFindProduct(program, &product);
  if (isProduct && (isTiled || (!isPinned && mloptTiledIsSkinny(&product))) &&
      (chooseTiled(o, fusion, kernel, program, &product, launch) || o->failed))
    return;
  MloptContractions products;
  MloptMatmulSchedule matmul;
  bool isFew = isProduct && !isPinned && mloptTiledIsFew(&product);
  if (!isFew && findMatmul(o, fusion, kernel, program, &products, &matmul)) {
    addScratch(o, kernel, &products.at[0], &matmul, launch);
    mloptMatmulAnnotate(kernel, &products, &matmul);
    mloptMatmulLaunch(o->context, &products, &matmul, launch);
    markInputs(o, kernel, launch);
    return;
  }
  if (o->failed ||
      (isProduct &&
       chooseTiled(o, fusion, kernel, program, &product, launch)) ||
      breaksPromise(o, fusion, program))
    return;
  MloptSchedule schedule = mloptChooseSchedule(program, o->wgmma);
  launch->blocks = schedule.blocks;
  launch->threads = schedule.threads;
  launch->sharedBytes = schedule.shared;
  if (schedule.family != MLOPT_FAMILY_GENERIC)
    mlirOperationSetDiscardableAttributeByName(
        kernel, mloptStr(MLOPT_SCHEDULE),
        mloptScheduleToAttr(o->context, &schedule));
}
