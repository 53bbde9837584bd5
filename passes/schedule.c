//===- schedule.c - How a kernel is shared between threads ----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "schedule_impl.h"

#include "target.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"

#include <stddef.h>

static const MloptTarget *const target = &mloptSm90;

enum { THREADS = MLOPT_BLOCK_THREADS, MAX_CLONED = MLOPT_MAX_CLONED };

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

static const char *const families[MLOPT_NUM_FAMILIES] = {
    [MLOPT_FAMILY_GENERIC] = "generic",
    [MLOPT_FAMILY_POINTWISE] = "pointwise",
    [MLOPT_FAMILY_TRANSPOSE] = "transpose",
    [MLOPT_FAMILY_ROWS] = "rows",
    [MLOPT_FAMILY_COLUMNS] = "columns",
    [MLOPT_FAMILY_BOTH] = "both",
    [MLOPT_FAMILY_SCATTER] = "scatter",
    [MLOPT_FAMILY_SORTED_SCATTER] = "sorted_scatter",
    [MLOPT_FAMILY_SCAN] = "scan",
    [MLOPT_FAMILY_SORT] = "sort",
    [MLOPT_FAMILY_COUNT] = "count",
    [MLOPT_FAMILY_COUNTED_SORT] = "counted_sort",
};

static const struct {
  const char *name;
  size_t offset;
  bool isOptional; ///< absent where it is 0
} fields[] = {
    {"ahead", offsetof(MloptSchedule, ahead), true},
    {"across", offsetof(MloptSchedule, across), true},
    {"blocks", offsetof(MloptSchedule, blocks), false},
    {"cluster", offsetof(MloptSchedule, cluster), false},
    {"lanes", offsetof(MloptSchedule, lanes), false},
    {"line", offsetof(MloptSchedule, line), false},
    {"resident", offsetof(MloptSchedule, resident), false},
    {"shared", offsetof(MloptSchedule, shared), true},
    {"staged", offsetof(MloptSchedule, staged), true},
    {"threads", offsetof(MloptSchedule, threads), false},
    {"turn", offsetof(MloptSchedule, turn), true},
    {"uneven", offsetof(MloptSchedule, uneven), true},
    {"vectors", offsetof(MloptSchedule, vectors), false},
};

MlirAttribute mloptScheduleToAttr(MlirContext context,
                                  const MloptSchedule *schedule) {
  MlirNamedAttribute attrs[1 + MLOPT_COUNT(fields)];
  attrs[0] = mloptNamedAttr(context, "family",
                            mloptStrAttr(context, families[schedule->family]));
  intptr_t count = 1;
  for (int i = 0; i < MLOPT_COUNT(fields); ++i) {
    int64_t value =
        *(const int64_t *)((const char *)schedule + fields[i].offset);
    if (value || !fields[i].isOptional)
      attrs[count++] =
          mloptNamedAttr(context, fields[i].name, mloptI64Attr(context, value));
  }
  return mlirDictionaryAttrGet(context, count, attrs);
}

static bool isPower(int64_t n) { return n > 0 && !(n & (n - 1)); }

/// Within what emitters hold; anything else would be no program of theirs.
static bool isSane(const MloptSchedule *s) {
  enum { MOST_VECTORS = 16 };
  bool transposes = s->family == MLOPT_FAMILY_TRANSPOSE;
  bool isPointwise = s->family == MLOPT_FAMILY_POINTWISE;
  bool stages = s->family == MLOPT_FAMILY_ROWS && !s->vectors &&
                s->line == s->threads && s->shared <= target->sharedBytes;
  bool isCounted = s->family == MLOPT_FAMILY_COUNTED_SORT &&
                   s->line == s->threads && s->shared <= target->sharedBytes;
  bool fetches = s->family == MLOPT_FAMILY_ROWS && s->cluster == 1;
  return (!s->staged || (s->staged > 0 && stages)) &&
         (!s->ahead || (s->ahead > 0 && fetches)) &&
         (s->family != MLOPT_FAMILY_COUNTED_SORT || isCounted) &&
         s->turn >= 0 && (!s->uneven || (isPointwise && s->uneven == 1)) &&
         s->turn <= MLOPT_ROWS_MAX_TURN && s->blocks > 0 &&
         s->blocks <= target->blocks && s->cluster > 0 &&
         s->cluster <= target->portableCluster && s->blocks % s->cluster == 0 &&
         s->threads > 0 && s->threads <= target->threads && isPower(s->lanes) &&
         s->lanes <= MLOPT_MOST_LANES && s->vectors <= MOST_VECTORS &&
         s->vectors >= (s->family != MLOPT_FAMILY_ROWS) &&
         (transposes
              ? isPower(s->vectors) && s->threads == THREADS && s->line > 0 &&
                    s->across > 0 && s->across % s->lanes == 0 &&
                    s->line <= MLOPT_TRANSPOSE_ELEMENTS / s->across
              : s->line > 0 && (isPointwise ? s->line % s->lanes == 0
                                            : s->threads % s->line == 0));
}

bool mloptScheduleFromAttr(MlirAttribute attr, MloptSchedule *out) {
  *out = (MloptSchedule){.family = MLOPT_FAMILY_GENERIC};
  if (mlirAttributeIsNull(attr))
    return true;
  if (!mlirAttributeIsADictionary(attr))
    return false;
  MlirAttribute family = mloptDictGet(attr, "family");
  int i = 0;
  while (i < MLOPT_NUM_FAMILIES &&
         !(mloptIsString(family) &&
           mloptStrEq(mlirStringAttrGetValue(family), families[i])))
    ++i;
  if (i == MLOPT_NUM_FAMILIES)
    return false;
  out->family = (MloptFamily)i;
  for (i = 0; i < MLOPT_COUNT(fields); ++i) {
    MlirAttribute field = mloptDictGet(attr, fields[i].name);
    if (mlirAttributeIsNull(field) && fields[i].isOptional)
      continue;
    if (!mloptIsI64(field))
      return false;
    *(int64_t *)((char *)out + fields[i].offset) =
        mlirIntegerAttrGetValueInt(field);
  }
  return isSane(out);
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

static MloptSchedule chooseGeneric(const MloptProgram *p) {
  // Each block looks through all windows of a scatter: as many as run at once,
  // and large ones.
  enum { SCATTER_THREADS = 512 };
  int64_t count = p->numRoots ? mloptNumElements(p->space) : 1;
  int64_t threads = p->scatters ? SCATTER_THREADS : THREADS;
  int64_t blocks = mloptDivideUp(count, threads);
  if (p->scatters)
    blocks = mloptAtMost(count, target->residentThreads / threads *
                                    target->multiprocessors);
  return (MloptSchedule){.family = p->scatters ? MLOPT_FAMILY_SCATTER
                                               : MLOPT_FAMILY_GENERIC,
                         .blocks = mloptAtMost(blocks, target->blocks),
                         .threads = threads,
                         .lanes = 1,
                         .vectors = 1,
                         .line = 1,
                         .cluster = 1};
}

int64_t mloptFullVector(const MloptProgram *p) {
  return mloptAtMost(mloptAtMost(target->accessBytes / p->smallest, 8),
                     p->granule);
}

MlirOperation mloptFindOnly(const MloptProgram *p, const char *name) {
  static const char *const structured[] = {"mlopt.scan", "mlopt.scatter",
                                           "mlopt.sort"};
  MlirOperation found = {NULL};
  for (MlirOperation op = mlirBlockGetFirstOperation(p->block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    for (size_t i = 0; i < sizeof structured / sizeof *structured; ++i) {
      if (!mloptIsNamed(op, structured[i]))
        continue;
      if (!mloptIsNamed(op, name) || !mlirOperationIsNull(found))
        return (MlirOperation){NULL};
      found = op;
    }
  return found;
}

bool mloptRootsFit(const MloptProgram *p, bool allowWhole) {
  int64_t kept = p->reduction.outer * p->reduction.inner;
  for (MlirOperation op = mlirBlockGetFirstOperation(p->block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!mloptIsNamed(op, "bufferization.materialize_in_destination"))
      continue;
    int64_t count = mloptNumElements(mloptOperandType(op, 0));
    if (count != kept && !(allowWhole && count == kept * p->reduction.middle))
      return false;
  }
  return true;
}

int64_t mloptInnerSize(const MloptReduction *r) {
  intptr_t inner = r->numLoops - 1;
  while (inner > 0 && r->sizes[inner] == 1)
    --inner;
  return r->sizes[inner];
}

/// Whether every reduction and every result of the space's size can be computed
/// without another reduction's result. Counts the reductions' results, and the
/// bytes of an element of all.
static bool isOnePass(const MloptProgram *p, intptr_t *outResults,
                      int64_t *outBytes) {
  const MloptReduction *r = &p->reduction;
  *outResults = *outBytes = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(p->block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    // The results, of a kernel or of a fusion.
    intptr_t numRoots =
        mloptIsNamed(op, "mlopt.yield")
            ? mlirOperationGetNumOperands(op)
            : mloptIsNamed(op, "bufferization.materialize_in_destination");
    for (intptr_t i = 0; i < numRoots; ++i)
      if (mloptNumElements(mloptOperandType(op, i)) ==
              r->outer * r->middle * r->inner &&
          mloptReadsReduction(mloptOperand(op, i)))
        return false;
    if (!mloptIsReduction(op))
      continue;
    for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i) {
      ++*outResults;
      *outBytes += mloptProgramBytes(mloptResultType(op, i));
    }
    for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
      if (mloptReadsReduction(mloptOperand(op, i)))
        return false;
  }
  return true;
}

/// Whether strips of a width, shared by clusters, leave multiprocessors idle.
static bool lacksBlocks(const MloptProgram *p, int64_t width, int64_t cluster) {
  const MloptReduction *r = &p->reduction;
  return r->outer * mloptDivideUp(r->inner, width) * cluster <
         target->multiprocessors - target->multiprocessors / 8;
}

/// Threads side by side along strips that are narrowed until there are enough,
/// but not below so many bytes.
static int64_t narrowStrip(const MloptProgram *p, int64_t line, int64_t lanes,
                           int64_t cluster, int64_t bytes) {
  while (line > 1 && lacksBlocks(p, line * lanes, cluster) &&
         line * lanes * p->smallest > bytes)
    line /= 2;
  return line;
}

/// The tensors that differ from row to row and from column to column, whose
/// vectors a thread holds: parts of rows that are put together, too.
static int64_t countHeld(const MloptProgram *p) {
  const MloptReduction *r = &p->reduction;
  int64_t most = r->outer * mloptAtLeast(r->middle, r->inner), count = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(p->block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    count += mloptIsNamed(op, "builtin.unrealized_conversion_cast") &&
             mlirTypeIsARankedTensor(mloptResultType(op, 0)) &&
             mloptNumElements(mloptResultType(op, 0)) > most;
  return count;
}

/// Threads of a block for a strip: many, but so few that each has registers for
/// its accumulators and vectors of all operands, and where the GPU is full
/// anyway, several rows.
static int64_t columnThreads(const MloptProgram *p, intptr_t results,
                             int64_t bytes, int64_t line, int64_t lanes,
                             int64_t cluster) {
  enum { ACCUMULATORS = 8, UNROLLED = 8 };
  const MloptReduction *r = &p->reduction;
  int64_t width = line * lanes, rows = r->middle / cluster;
  int64_t blocks = r->outer * mloptDivideUp(r->inner, width) * cluster;
  int64_t threads = mloptAtLeast(
      target->threads / mloptPowerFrom(countHeld(p)) /
          mloptPowerFrom(mloptDivideUp(results * lanes, ACCUMULATORS)),
      THREADS);
  for (; threads > 2 * target->warp && threads / 2 >= width; threads /= 2) {
    // Warps share what they found: each a row of the strip for every result.
    bool fits = (threads / target->warp + cluster) * width * bytes <=
                target->staticSharedBytes;
    bool isFull = blocks * threads / 2 >=
                  target->multiprocessors * target->residentThreads;
    if (fits && threads / line * (isFull ? UNROLLED : 1) <= rows)
      break;
  }
  return threads;
}

static bool chooseColumns(MloptProgram *p, bool clusters, MloptSchedule *out) {
  enum { MOST_VALUES = 32, MOST_REDUCTIONS = 8, FEW_ROWS = 16 };
  const MloptReduction *r = &p->reduction;
  intptr_t results;
  int64_t outer = r->outer, rows = r->middle, columns = r->inner, bytes;
  if (columns == 1 || rows < FEW_ROWS || !mloptRootsFit(p, true) ||
      p->numReductions > MOST_REDUCTIONS || !isOnePass(p, &results, &bytes) ||
      results > MOST_VALUES)
    return false;
  mloptCountReads(p, outer * rows * columns);
  int64_t lanes =
      mloptCommonPower(mloptInnerSize(r),
                       mloptAtMost(mloptFullVector(p), MOST_VALUES / results));
  while (lanes > 1 && 8 * lanes * p->numScalars > MAX_CLONED)
    lanes /= 2;
  int64_t line = target->warp;
  while (line > 1 && line * lanes >= 2 * columns)
    line /= 2;
  // Until every multiprocessor has a block: strips of four sectors, clusters
  // that share a strip, strips of two sectors (16384 x 4096 bf16: 36.5 us with
  // 128 of those, 34.0 with 64 of four shared by two).
  int64_t cluster = 1;
  line = narrowStrip(p, line, lanes, cluster, 4 * target->sectorBytes);
  while (clusters && cluster < target->portableCluster &&
         lacksBlocks(p, line * lanes, cluster) &&
         rows / (2 * cluster) >= target->threads / line)
    cluster *= 2;
  line = narrowStrip(p, line, lanes, cluster, 2 * target->sectorBytes);
  int64_t width = line * lanes;
  int64_t blocks = outer * mloptDivideUp(columns, width) * cluster;
  int64_t threads = columnThreads(p, results, bytes, line, lanes, cluster);
  if (blocks > target->blocks || threads < width ||
      (threads / target->warp + cluster) * width * bytes >
          target->staticSharedBytes)
    return false;
  *out = (MloptSchedule){.family = MLOPT_FAMILY_COLUMNS,
                         .blocks = blocks,
                         .threads = threads,
                         .lanes = lanes,
                         .vectors = 1,
                         .line = line,
                         .cluster = cluster};
  return true;
}

/// Bytes of the largest tensor that a fusion's body reads.
static int64_t largestArgument(MlirBlock body) {
  int64_t most = 0;
  for (intptr_t i = 0, n = mlirBlockGetNumArguments(body); i < n; ++i) {
    MlirType type = mlirValueGetType(mlirBlockGetArgument(body, i));
    if (mlirTypeIsAShaped(type))
      most =
          mloptAtLeast(most, mloptNumElements(type) * mloptProgramBytes(type));
  }
  return most;
}

int64_t mloptChooseSplit(MlirBlock body) {
  // Blocks for each multiprocessor: of the short ones that go down columns few
  // are enough, of long rows' many even out the end (the sum of 2^28 bf16:
  // 120.5 us with 62 blocks, 122.1 with 16; reading alone takes 119.0).
  enum { COLUMN_BLOCKS = 4, ROW_BLOCKS = 64, STRIP_BYTES = 512 };
  enum { COLUMN_BYTES = 8192, ROW_BYTES = 65536 };
  MloptProgram p = mloptReadProgram(body);
  const MloptReduction *r = &p.reduction;
  if (!p.numReductions || !p.isPlain || !p.sameReductions || !p.combines)
    return 1;
  int64_t bytes = largestArgument(body);
  int64_t element =
      mloptAtLeast(bytes / mloptAtLeast(r->outer * r->middle * r->inner, 1), 1);
  // Blocks that can share the work as it is, and once it is cut.
  int64_t blocks = r->outer * target->portableCluster, wide = r->outer;
  if (r->inner > 1) {
    blocks *= mloptDivideUp(r->inner * element, 2 * target->sectorBytes);
    wide *= mloptDivideUp(r->inner * element, STRIP_BYTES);
  }
  blocks = mloptAtMost(blocks, target->multiprocessors);
  // Each split adds a kernel or two; what depends on a reduction reads all
  // once more.
  intptr_t results;
  int64_t ignored;
  bool isRows = r->inner == 1, onePass = isOnePass(&p, &results, &ignored);
  int64_t passes = onePass ? 1 : 3;
  double ideal = (double)bytes / (double)target->memoryBytes;
  double whole = ideal * (double)target->multiprocessors / (double)blocks;
  double split =
      (double)passes * (ideal + 2e-3 * (double)target->launchNanoseconds);
  if (!isRows && !onePass)
    whole *= (double)passes;
  if (whole <= split)
    return isRows || onePass ? 1 : 0;
  int64_t pieces = mloptDivideUp(
      (isRows ? ROW_BLOCKS : COLUMN_BLOCKS) * target->multiprocessors, wide);
  pieces =
      mloptAtMost(pieces, bytes / (wide * (isRows ? ROW_BYTES : COLUMN_BYTES)));
  pieces = mloptAtMost(pieces, r->middle / 2);
  return pieces > 1 ? pieces : isRows || onePass ? 1 : 0;
}

MloptSchedule mloptChooseSchedule(MlirBlock block, bool clusters) {
  MloptProgram p = mloptReadProgram(block);
  MloptSchedule schedule;
  if (mloptChooseScan(&p, &schedule) || mloptChooseSort(&p, &schedule) ||
      mloptChooseCountedSort(&p, &schedule) ||
      mloptChooseCount(&p, &schedule) ||
      mloptChooseSortedScatter(&p, &schedule))
    return schedule;
  if (!p.numRoots || p.numRoots > MLOPT_MAX_TILE_ROOTS || !p.isPlain)
    return chooseGeneric(&p);
  if (mloptChooseTranspose(&p, &schedule) ||
      mloptChoosePointwise(&p, &schedule))
    return schedule;
  if (p.numReductions && p.sameReductions && p.combines &&
      (mloptChooseRows(&p, clusters, &schedule) ||
       chooseColumns(&p, clusters, &schedule)))
    return schedule;
  if (p.numReductions > 1 && p.combines && mloptChooseBoth(&p, &schedule))
    return schedule;
  return chooseGeneric(&p);
}
