//===- artifact_steps.c - The operations of a launch plan as steps --------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step starts after the latest earlier steps of its segment whose memory it
// needs: where one of the two writes bytes that the other touches. Steps that
// are ordered through another one get no edge of their own, so that a chain of
// kernels is a chain of edges.
//
//===----------------------------------------------------------------------===//

#include "artifact_impl.h"
#include "launch.h"
#include "target.h"

#include <stdlib.h>

enum { MAX_TOUCHED = 256 };

/// A stretch of memory that a step reads or writes.
typedef struct Touch {
  MloptPlace place;
  uint64_t bytes;
  bool writes;
} Touch;

typedef struct Step {
  intptr_t numTouches;
  Touch *touches;
  uint8_t *ancestors; ///< for each earlier step: is this one after it?
  bool waits;         ///< its kernel does, for the one that it follows to end
  uint64_t blocks;    ///< that it launches
} Step;

/// A segment under construction.
typedef struct Segment {
  MloptArtifactBuild *build;
  uint32_t number;
  uint32_t count, capacity;
  Step *steps;
} Segment;

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

static bool overlap(const Touch *a, const Touch *b) {
  return a->place.home == b->place.home && a->place.index == b->place.index &&
         a->place.offset < b->place.offset + b->bytes &&
         b->place.offset < a->place.offset + a->bytes;
}

static bool mustFollow(const Step *earlier, const Step *later) {
  for (intptr_t i = 0; i < earlier->numTouches; ++i)
    for (intptr_t j = 0; j < later->numTouches; ++j)
      if ((earlier->touches[i].writes || later->touches[j].writes) &&
          overlap(&earlier->touches[i], &later->touches[j]))
        return true;
  return false;
}

static void touch(Step *step, const MloptValuePlace *place, bool writes) {
  step->touches[step->numTouches++] =
      (Touch){place->place, place->bytes, writes};
}

/// The segment's next step; its touches are still to be filled in.
static Step *addStep(Segment *s, intptr_t maxTouches) {
  if (s->count == s->capacity) {
    uint32_t capacity = s->capacity ? 2 * s->capacity : 32;
    Step *steps = realloc(s->steps, capacity * sizeof *steps);
    if (!steps) {
      s->build->failed = true;
      return NULL;
    }
    s->steps = steps;
    s->capacity = capacity;
  }
  Step *step = &s->steps[s->count];
  *step = (Step){
      .touches = mloptKeep(s->build, (maxTouches + 1) * sizeof *step->touches),
      .ancestors = mloptKeep(s->build, s->count + 1)};
  if (!step->touches || !step->ancestors)
    return NULL;
  ++s->count;
  return step;
}

/// Whether a kernel is started before the one that it follows has ended. Each
/// of its blocks then waits by itself, which gains time where all of them run
/// at once and loses it where many come one after the other: on an H200 the
/// 131072 blocks of a softmax between two products took 48 us longer, while a
/// product behind another began 11 us earlier.
static bool startsEarly(const Step *step, uint32_t numEdges,
                        const Step *before) {
  return step->waits && before->waits && numEdges == 1 &&
         step->blocks <= (uint64_t)mloptSm90.multiprocessors;
}

/// The edges of the step that was added last, to the writer too.
static void addEdges(Segment *s) {
  uint32_t last = s->count - 1;
  Step *step = &s->steps[last];
  uint8_t *direct = mloptKeep(s->build, s->count);
  if (!direct)
    return;
  for (uint32_t i = last; i-- > 0;) {
    if (step->ancestors[i] || !mustFollow(&s->steps[i], step))
      continue;
    direct[i] = step->ancestors[i] = 1;
    for (uint32_t j = 0; j < i; ++j)
      step->ancestors[j] |= s->steps[i].ancestors[j];
  }
  uint32_t count = 0;
  for (uint32_t i = 0; i < last; ++i)
    count += direct[i];
  for (uint32_t i = 0; i < last; ++i)
    if (direct[i])
      mloptAddEdge(s->build->entry, s->number, i,
                   startsEarly(step, count, &s->steps[i]));
}

//===----------------------------------------------------------------------===//
// Launches and copies
//===----------------------------------------------------------------------===//

/// The description of a tensor map, a dictionary of `mlopt.tensor_maps`; the
/// writer copies it.
static void readMap(MloptArtifactBuild *build, MlirAttribute map,
                    MloptLaunchArgument *out) {
  int64_t dims[MLOPT_MAX_RANK], strides[MLOPT_MAX_RANK], box[MLOPT_MAX_RANK];
  int64_t low[MLOPT_MAX_RANK], high[MLOPT_MAX_RANK], steps[MLOPT_MAX_RANK];
  MloptPlanMap *to = &out->map;
  to->rank = (uint32_t)mloptI64ArrayGet(mloptDictGet(map, "dims"), dims);
  mloptI64ArrayGet(mloptDictGet(map, "strides"), strides);
  intptr_t numBox = mloptI64ArrayGet(mloptDictGet(map, "box"), box);
  intptr_t windows = 0;
  to->pixels = !mlirAttributeIsNull(mloptDictGet(map, "low"));
  if (to->pixels) {
    windows = mloptI64ArrayGet(mloptDictGet(map, "low"), low);
    mloptI64ArrayGet(mloptDictGet(map, "high"), high);
    mloptI64ArrayGet(mloptDictGet(map, "steps"), steps);
  }
  for (uint32_t i = 0; i < to->rank; ++i) {
    to->dims[i] = (uint64_t)dims[i];
    to->box[i] = i < numBox ? (uint32_t)box[i] : 1;
    to->element_strides[i] = 1;
    if (i)
      to->strides[i - 1] = (uint64_t)strides[i - 1];
  }
  for (intptr_t i = 0; i < windows; ++i) {
    to->low[i] = (int32_t)low[i];
    to->high[i] = (int32_t)high[i];
    to->element_strides[i + 1] = (uint32_t)steps[i];
  }
  MlirAttribute offset = mloptDictGet(map, "offset");
  if (!mlirAttributeIsNull(offset))
    out->offset = (uint64_t)mlirIntegerAttrGetValueInt(offset);
  // The plan's numbers for 0, 32, 64, 128 bytes and, below, for 128: of rows
  // that start within a line of memory, L2 would else fetch more than is wanted
  // (4096x4096x4104 took 196 us with 256, 185 with 128; others the same).
  int64_t swizzle = mlirIntegerAttrGetValueInt(mloptDictGet(map, "swizzle"));
  while (swizzle >= 32) {
    ++to->swizzle;
    swizzle /= 2;
  }
  to->l2_promotion = 2;
  out->kind = MLOPT_ARGUMENT_MAP;
  out->type =
      mloptKeepName(build, mlirStringAttrGetValue(mloptDictGet(map, "type")));
}

/// The grid, the block, and the shared memory.
static void readShape(MlirOperation op, MloptLaunchParts *launch) {
  for (int i = 0; i < 3; ++i) {
    launch->grid[i] = (uint32_t)mloptConstantIndex(mloptOperand(op, i));
    launch->block[i] = (uint32_t)mloptConstantIndex(mloptOperand(op, 3 + i));
  }
  MlirValue shared = mloptLaunchSharedBytes(op);
  if (!mlirValueIsNull(shared))
    launch->dynamic_shared_bytes = (uint32_t)mloptConstantIndex(shared);
}

/// An argument, a pointer or a tensor map of one of `maps`, which may be null;
/// false where it lies nowhere.
static bool readArgument(Segment *s, MlirOperation op, intptr_t i, bool writes,
                         MlirAttribute maps, Step *step,
                         MloptLaunchArgument *out) {
  MlirValue operand = mloptOperand(op, mloptLaunchFirstArgument(op) + i);
  const MloptValuePlace *place = mloptMemoryOf(s->build, operand, op);
  if (!place)
    return false;
  *out = (MloptLaunchArgument){.kind = MLOPT_ARGUMENT_POINTER,
                               .buffer = place->buffer,
                               .access = writes ? MLOPT_ACCESS_WRITE
                                                : MLOPT_ACCESS_READ};
  MlirAttribute map = mlirAttributeIsNull(maps)
                          ? mlirAttributeGetNull()
                          : mlirArrayAttrGetElement(maps, i);
  if (!mlirAttributeIsNull(map) && mlirAttributeIsADictionary(map))
    readMap(s->build, map, out);
  touch(step, place, writes);
  return true;
}

static void addLaunch(Segment *s, MlirOperation op) {
  MloptArtifactBuild *build = s->build;
  intptr_t count =
      mlirOperationGetNumOperands(op) - mloptLaunchFirstArgument(op);
  MlirAttribute maps = mloptAttr(op, "mlopt.tensor_maps");
  int64_t numOutputs =
      mlirIntegerAttrGetValueInt(mloptAttr(op, "mlopt.num_outputs"));
  MloptLaunchParts launch = {.argument_count = (uint32_t)count};
  launch.kernel = mloptFindSymbol(
      &build->kernels,
      mlirSymbolRefAttrGetRootReference(mloptAttr(op, "kernel")));
  if (launch.kernel == UINT32_MAX) {
    mloptRefuseArtifact(build, op, "its kernel is not in the module");
    return;
  }
  readShape(op, &launch);
  if (!mlirAttributeIsNull(maps) &&
      mlirArrayAttrGetNumElements(maps) != count) {
    mloptRefuseArtifact(build, op,
                        "'mlopt.tensor_maps' has not one element "
                        "for each argument");
    return;
  }
  MloptLaunchArgument arguments[MAX_TOUCHED];
  Step *step = count <= MAX_TOUCHED ? addStep(s, count) : NULL;
  if (!step) {
    mloptRefuseArtifact(build, op, "it takes too many buffers");
    return;
  }
  for (intptr_t i = 0; i < count; ++i)
    if (!readArgument(s, op, i, i >= count - numOutputs, maps, step,
                      &arguments[i]))
      return;
  step->blocks = (uint64_t)launch.grid[0] * launch.grid[1] * launch.grid[2];
  step->waits = !mlirAttributeIsNull(mloptAttr(op, "mlopt.waits"));
  launch.arguments = arguments;
  mloptAddLaunch(build->entry, s->number, &launch);
  addEdges(s);
}

static void addCopy(Segment *s, MlirOperation op) {
  const MloptValuePlace *from =
      mloptMemoryOf(s->build, mloptOperand(op, 0), op);
  if (!from)
    return;
  MloptValuePlace source = *from; // adding another may move it
  const MloptValuePlace *to = mloptMemoryOf(s->build, mloptOperand(op, 1), op);
  Step *step = to && to->bytes ? addStep(s, 2) : NULL;
  if (!step)
    return;
  touch(step, &source, false);
  touch(step, to, true);
  mloptAddCopy(s->build->entry, s->number, source.buffer, 0, to->buffer, 0,
               to->bytes);
  addEdges(s);
}

static bool isZero(MlirValue value) {
  MlirAttribute attr = mlirValueIsAOpResult(value)
                           ? mloptAttr(mlirOpResultGetOwner(value), "value")
                           : mlirAttributeGetNull();
  return !mlirAttributeIsNull(attr) && mlirAttributeIsAInteger(attr) &&
         mlirIntegerAttrGetValueInt(attr) == 0;
}

static void addFill(Segment *s, MlirOperation op) {
  enum { WORD = 4 };
  const MloptValuePlace *to = mloptMemoryOf(s->build, mloptOperand(op, 0), op);
  if (!to)
    return;
  if (to->bytes % WORD || !isZero(mloptOperand(op, 1))) {
    mloptRefuseArtifact(s->build, op, "it does not fill words with zeros");
    return;
  }
  Step *step = addStep(s, 1);
  if (!step)
    return;
  touch(step, to, true);
  mloptAddFill(s->build->entry, s->number, to->buffer, 0, WORD, 0,
               to->bytes / WORD);
  addEdges(s);
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// The element in memory that the host reads for a condition.
static bool flagOf(Segment *s, MlirValue condition, MlirOperation op,
                   MloptFlagParts *out) {
  MlirOperation load = mlirValueIsAOpResult(condition)
                           ? mlirOpResultGetOwner(condition)
                           : (MlirOperation){NULL};
  if (!mlirOperationIsNull(load) && mloptIsNamed(load, "arith.index_cast"))
    return flagOf(s, mloptOperand(load, 0), op, out);
  if (mlirOperationIsNull(load) || !mloptIsNamed(load, "memref.load"))
    return mloptRefuseArtifact(s->build, op,
                               "its condition is not read from "
                               "memory");
  const MloptValuePlace *place =
      mloptMemoryOf(s->build, mloptOperand(load, 0), op);
  if (!place)
    return false;
  *out = (MloptFlagParts){place->buffer, 0, (uint32_t)place->bytes};
  return true;
}

static uint32_t addRegion(Segment *s, MlirOperation op, intptr_t region) {
  uint32_t number = mloptAddSegment(s->build->entry);
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, region));
  if (!mlirBlockIsNull(block))
    mloptAddSteps(s->build, block, number);
  return number;
}

static void addWhile(Segment *s, MlirOperation op) {
  MlirOperation condition = mlirBlockGetTerminator(
      mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)));
  MloptFlagParts flag;
  if (!flagOf(s, mloptOperand(condition, 0), op, &flag) || !addStep(s, 0))
    return;
  uint32_t before = addRegion(s, op, 0);
  uint32_t body = addRegion(s, op, 1);
  mloptAddWhile(s->build->entry, s->number, before, flag, body);
}

/// Flag 0 is the else region.
static void addIf(Segment *s, MlirOperation op) {
  MloptFlagParts flag;
  if (!flagOf(s, mloptOperand(op, 0), op, &flag) || !addStep(s, 0))
    return;
  uint32_t then = addRegion(s, op, 0);
  const uint32_t cases[] = {addRegion(s, op, 1), then};
  mloptAddSwitch(s->build->entry, s->number, flag, 2, cases);
}

/// Region 0 is the default, the others have the values 0, 1, ...
static void addIndexSwitch(Segment *s, MlirOperation op) {
  enum { MAX_CASES = 256 };
  MlirAttribute values = mloptAttr(op, "cases");
  intptr_t count = mlirDenseArrayGetNumElements(values);
  bool counted = count < MAX_CASES;
  for (intptr_t i = 0; counted && i < count; ++i)
    counted = mlirDenseI64ArrayGetElement(values, i) == i;
  MloptFlagParts flag;
  if (!counted)
    mloptRefuseArtifact(s->build, op, "its cases are not 0, 1, 2, ...");
  if (!counted || !flagOf(s, mloptOperand(op, 0), op, &flag) || !addStep(s, 0))
    return;
  uint32_t cases[MAX_CASES];
  cases[count] = addRegion(s, op, 0);
  for (intptr_t i = 0; i < count; ++i)
    cases[i] = addRegion(s, op, i + 1);
  mloptAddSwitch(s->build->entry, s->number, flag, (uint32_t)count + 1, cases);
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

/// A NULL function is for what other operations refer to.
static const struct {
  const char *name;
  void (*add)(Segment *, MlirOperation);
} rows[] = {
    {"arith.constant", NULL},
    {"arith.index_cast", NULL},
    {"builtin.unrealized_conversion_cast", NULL},
    {"func.return", NULL},
    {"gpu.launch_func", addLaunch},
    {"gpu.memset", addFill},
    {"memref.copy", addCopy},
    {"memref.get_global", NULL},
    {"memref.load", NULL},
    {"memref.view", NULL},
    {"scf.condition", NULL},
    {"scf.if", addIf},
    {"scf.index_switch", addIndexSwitch},
    {"scf.while", addWhile},
    {"scf.yield", NULL},
};

void mloptAddSteps(MloptArtifactBuild *build, MlirBlock block,
                   uint32_t number) {
  Segment segment = {.build = build, .number = number};
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op) && !build->failed;
       op = mlirOperationGetNextInBlock(op)) {
    intptr_t row = MLOPT_FIND_ROW(op, rows);
    if (row < 0)
      mloptRefuseArtifact(build, op, "it is no part of a launch plan");
    else if (rows[row].add)
      rows[row].add(&segment, op);
  }
  free(segment.steps);
}
