//===- schedule_tiled_attributes.c - Schedules of tiles in the IR ---------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The attributes of a kernel that computes a product in tiles, and the schedule
// read from them. What is read may be pinned by a user: mloptVerifyTiled
// judges.
//
//===----------------------------------------------------------------------===//

#include "schedule_tiled.h"

#include "kernel_limits.h"
#include "schedule.h"

void mloptTiledAnnotate(MlirOperation kernel, const MloptTiledSchedule *s) {
  MlirContext c = mlirOperationGetContext(kernel);
  MlirNamedAttribute entries[] = {
      mloptNamedAttr(c, "family", mloptStrAttr(c, "tiled")),
      mloptNamedAttr(c, "groups", mloptI64Attr(c, s->groups)),
      mloptNamedAttr(c, "stages", mloptI64Attr(c, s->stages)),
      mloptNamedAttr(c, "terms", mloptI64Attr(c, s->terms)),
      mloptNamedAttr(c, "tile", mloptI64Array(c, 3, s->tile)),
      mloptNamedAttr(c, "warp", mloptI64Array(c, 2, s->warp)),
      mloptNamedAttr(c, "splits", mloptI64Attr(c, s->splits)),
  };
  bool isSplit = s->splits > 1;
  mlirOperationSetDiscardableAttributeByName(
      kernel, mloptStr(MLOPT_SCHEDULE),
      mlirDictionaryAttrGet(c, MLOPT_COUNT(entries) - !isSplit, entries));
  if (isSplit)
    mloptSetKernelCluster(kernel, s->splits);
  // Else ptxas would rather spill than have one block alone.
  mloptSetKernelResident(kernel, mloptTiledResident(s));
}

static bool readInt(MlirAttribute dict, const char *name, int64_t *out) {
  MlirAttribute value = mloptDictGet(dict, name);
  if (mlirAttributeIsNull(value) || !mloptIsI64(value))
    return false;
  *out = mlirIntegerAttrGetValueInt(value);
  return true;
}

static bool readInts(MlirAttribute dict, const char *name, intptr_t count,
                     int64_t *out) {
  MlirAttribute value = mloptDictGet(dict, name);
  if (mlirAttributeIsNull(value) || !mloptIsI64Array(value) ||
      mlirDenseArrayGetNumElements(value) != count)
    return false;
  mloptI64ArrayGet(value, out);
  return true;
}

bool mloptReadTiledSchedule(MlirOperation kernel, MloptTiledSchedule *out) {
  MlirAttribute schedule = mloptAttr(kernel, MLOPT_SCHEDULE);
  if (mlirAttributeIsNull(schedule) || !mlirAttributeIsADictionary(schedule))
    return false;
  static const char *const keys[] = {"family", "groups", "splits", "stages",
                                     "terms",  "tile",   "warp"};
  if (!mloptDictHasOnly(schedule, MLOPT_COUNT(keys), keys))
    return false;
  MlirAttribute family = mloptDictGet(schedule, "family");
  out->splits = 1;
  if (!mlirAttributeIsNull(mloptDictGet(schedule, "splits")) &&
      !readInt(schedule, "splits", &out->splits))
    return false;
  return !mlirAttributeIsNull(family) && mloptIsString(family) &&
         mloptStrEq(mlirStringAttrGetValue(family), "tiled") &&
         readInts(schedule, "tile", 3, out->tile) &&
         readInts(schedule, "warp", 2, out->warp) &&
         readInt(schedule, "stages", &out->stages) &&
         readInt(schedule, "groups", &out->groups) &&
         readInt(schedule, "terms", &out->terms);
}
