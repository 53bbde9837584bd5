//===- skip_masked.c - Leave out what a mask makes of no account ----------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `mlopt-skip-masked` finds what kernels need not read, compute and write since
// a mask (mask.h) makes it the same number everywhere, in a launch plan that
// outline_kernels.c has made: causal attention, forwards and backwards, moves
// half of its scores.
//
//   scores    s = c ? q k : -inf      nobody reads tiles beyond the diagonal
//   rows      p = softmax(s)          beyond it: -inf is neutral, p is 0
//   product   p v                     skips it (diagonal.h)
//
// Forwards, kernel by kernel: what is beyond the mask in each buffer, and which
// kernels of rows may end at it. Those have reductions to which what is beyond
// is neutral, and results that are a number there. Then, for each buffer of
// one such kernel, of a product, or of a streamed kernel's scores: whether all
// that read it leave out what is beyond. Then that is not written, and of a
// product not computed.
//
// Before
//   llvm.func @p(...) attributes {mlopt.schedule = {family = "rows", ...}}
// and after
//   llvm.func @p(...) attributes {mlopt.schedule = {family = "rows", ...},
//     mlopt.masked = {columns = 1024, offset = 0, reads = [0xFF800000 : f32],
//                     rows = 1024}}
//
//===----------------------------------------------------------------------===//

#include "contraction_impl.h"
#include "launch.h"
#include "mask.h"
#include "passes.h"
#include "schedule.h"
#include "schedule_matmul.h"
#include "schedule_stream.h"
#include "schedule_tiled.h"
#include "target.h"

#include <stdlib.h>

/// A launch among a function's operations, and its kernel.
typedef struct Launch {
  MlirOperation op, kernel;
  MlirBlock program;
  intptr_t firstArgument, numArguments, numOutputs;
  bool isMasked; ///< by an earlier mask, or never to be
  /// Rows that may end at the mask, and the columns that it cuts at once.
  bool ends;
  int64_t width, elements; ///< of all rows
  MlirAttribute reads;
} Launch;

typedef struct Skip {
  MlirContext context;
  MlirBlock entry;
  intptr_t count;
  Launch *launches;
  MloptMask mask;
  /// What is known of buffers, by the number of the launch that writes them and
  /// the argument that they are there.
  intptr_t numKnown;
  struct {
    MlirValue buffer;
    MloptBeyond beyond;
  } known[MLOPT_MAX_LAUNCH_ARGUMENTS];
} Skip;

static MlirValue argumentOf(const Launch *l, intptr_t i) {
  return mloptOperand(l->op, l->firstArgument + i);
}

static bool isOutput(const Launch *l, intptr_t i) {
  return i >= l->numArguments - l->numOutputs;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// A result of a program that has a parameter for it.
typedef struct Root {
  MlirValue value;
  intptr_t parameter;
} Root;

enum { MAX_ROOTS = MLOPT_MAX_TILE_ROOTS };

/// The results in order; -1 if there are too many.
static intptr_t rootsOf(const Launch *l, Root roots[MAX_ROOTS]) {
  intptr_t count = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(l->program);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!mloptIsNamed(op, "bufferization.materialize_in_destination"))
      continue;
    MlirValue pointer = mloptOperand(mloptDefiningOp(mloptOperand(op, 1)), 0);
    if (count == MAX_ROOTS)
      return -1;
    roots[count++] =
        (Root){mloptOperand(op, 0), mlirBlockArgumentGetArgNumber(pointer)};
  }
  return count;
}

/// Whether a program reads elements of a parameter only to compute those of the
/// same place in a space of so many.
static bool isReadInPlace(MlirValue tensor, int64_t elements) {
  if (mloptNumElements(mlirValueGetType(tensor)) != elements)
    return false;
  for (MlirOpOperand use = mlirValueGetFirstUse(tensor);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    intptr_t operand = mlirOpOperandGetOperandNumber(use);
    bool isViewed = mloptIsNamed(op, "tensor.collapse_shape") ||
                    mloptIsNamed(op, "tensor.expand_shape");
    if (isViewed ? !isReadInPlace(mloptResult(op, 0), elements)
                 : !mloptIsNamed(op, "linalg.generic") ||
                       !mlirAffineMapIsIdentity(mapOf(op, operand)))
      return false;
  }
  return true;
}

/// The tensor that a parameter is cast to; null if there is none, or several.
static MlirValue tensorOf(const Launch *l, intptr_t parameter) {
  MlirValue pointer = mlirBlockGetArgument(l->program, parameter);
  MlirOpOperand use = mlirValueGetFirstUse(pointer);
  if (mlirOpOperandIsNull(use) ||
      !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)))
    return (MlirValue){NULL};
  return mloptResult(mlirOpOperandGetOwner(use), 0);
}

//===----------------------------------------------------------------------===//
// Forwards
//===----------------------------------------------------------------------===//

static MloptBeyond find(const Skip *s, MlirValue buffer) {
  for (intptr_t i = 0; i < s->numKnown; ++i)
    if (mlirValueEqual(s->known[i].buffer, buffer))
      return s->known[i].beyond;
  return (MloptBeyond){.isKnown = false};
}

/// Whether one launch writes a buffer and nothing else does, so that what is
/// known of it stays true.
static bool isWrittenOnce(const Skip *s, MlirValue buffer) {
  intptr_t writers = 0;
  for (MlirOpOperand use = mlirValueGetFirstUse(buffer);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (!mloptIsNamed(op, "gpu.launch_func") ||
        !mlirBlockEqual(mlirOperationGetBlock(op), s->entry))
      return false;
    intptr_t outputs =
        mlirIntegerAttrGetValueInt(mloptAttr(op, "mlopt.num_outputs"));
    writers += mlirOpOperandGetOperandNumber(use) >=
               mlirOperationGetNumOperands(op) - outputs;
  }
  return writers == 1;
}

static bool holdsReduction(const Launch *l, const MloptReduction *space,
                           const MloptMask *mask,
                           const MloptBeyond *parameters) {
  bool any = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(l->program);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!mloptIsReduction(op))
      continue;
    MloptReduction r;
    if (!mloptDescribeReduction(op, &r) || r.outer != space->outer ||
        r.middle != space->middle || r.inner != 1 ||
        !mloptIsNeutralBeyond(op, mask, parameters))
      return false;
    any = true;
  }
  return any;
}

/// Whether each result of the space's size is a number beyond the mask.
static bool areNumbers(const Skip *s, const Launch *l, int64_t elements,
                       const MloptBeyond *parameters) {
  Root roots[MAX_ROOTS];
  for (intptr_t i = 0, n = rootsOf(l, roots); i < n; ++i)
    if (mloptNumElements(mlirValueGetType(roots[i].value)) == elements &&
        !mloptBeyondOf(roots[i].value, &s->mask, parameters).isKnown)
      return false;
  return true;
}

/// What parameters of the space's size are taken to hold beyond the mask: what
/// is known, or else a finite number. Null where one is not of floats.
static MlirAttribute readsOf(const Skip *s, const Launch *l, int64_t elements,
                             const MloptBeyond *parameters) {
  MlirAttribute reads[MLOPT_MAX_LAUNCH_ARGUMENTS];
  intptr_t count = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(l->program);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!mloptIsNamed(op, "builtin.unrealized_conversion_cast") ||
        !mlirTypeIsARankedTensor(mloptResultType(op, 0)) ||
        mloptNumElements(mloptResultType(op, 0)) != elements)
      continue;
    MlirType element = mloptElementType(mloptResultType(op, 0));
    intptr_t parameter = mloptParameterOf(mloptResult(op, 0));
    if (!mloptIsFloatElement(element) || parameter < 0)
      return (MlirAttribute){NULL};
    MloptBeyond b = parameters[parameter];
    reads[count++] =
        mlirFloatAttrDoubleGet(s->context, element, b.isKnown ? b.number : 0);
  }
  return mlirArrayAttrGet(s->context, count, reads);
}

/// Whether a kernel of rows can end at the mask (emit_rows_masked.c): threads
/// hold whole vectors of each row, and blocks the rows of one matrix.
static void chooseEnd(const Skip *s, Launch *l, const MloptBeyond *parameters) {
  enum { MOST_VECTORS = 8 }; // the code is there for each number of them
  const MloptMask *m = &s->mask;
  MloptSchedule schedule;
  if (l->isMasked ||
      !mloptScheduleFromAttr(mloptAttr(l->kernel, MLOPT_SCHEDULE), &schedule) ||
      schedule.family != MLOPT_FAMILY_ROWS)
    return;
  MloptReduction r;
  mloptFindReduction(l->program, &r);
  int64_t lines = schedule.threads / schedule.line;
  l->width = schedule.line * schedule.lanes;
  if (schedule.cluster > 1 || schedule.vectors < 1 ||
      schedule.vectors > MOST_VECTORS || r.middle != m->columns ||
      r.middle != schedule.vectors * l->width || r.outer % m->rows ||
      m->rows % lines || m->offset % lines || l->width % lines ||
      m->columns > m->rows + m->offset || !holdsReduction(l, &r, m, parameters))
    return;
  l->elements = r.outer * r.middle;
  l->reads = readsOf(s, l, l->elements, parameters);
  l->ends = !mlirAttributeIsNull(l->reads) &&
            areNumbers(s, l, l->elements, parameters);
}

/// Finds what is beyond the mask in what a kernel writes, and whether it can
/// end there.
static void goForwards(Skip *s, Launch *l) {
  MloptBeyond parameters[MLOPT_MAX_LAUNCH_ARGUMENTS];
  for (intptr_t i = 0; i < l->numArguments; ++i)
    parameters[i] = isOutput(l, i) ? (MloptBeyond){.isKnown = false}
                                   : find(s, argumentOf(l, i));
  Root roots[MAX_ROOTS];
  for (intptr_t i = 0, n = rootsOf(l, roots); i < n; ++i) {
    int64_t elements = mloptNumElements(mlirValueGetType(roots[i].value));
    MlirValue buffer = argumentOf(l, roots[i].parameter);
    if (elements % (s->mask.rows * s->mask.columns) ||
        s->numKnown == MLOPT_COUNT(s->known) || !isWrittenOnce(s, buffer))
      continue;
    s->known[s->numKnown].buffer = buffer;
    s->known[s->numKnown++].beyond =
        mloptBeyondOf(roots[i].value, &s->mask, parameters);
  }
  chooseEnd(s, l, parameters);
}

//===----------------------------------------------------------------------===//
// Backwards
//===----------------------------------------------------------------------===//

/// Whether the diagonal of a product's factor, operand `operand` of this
/// generic, is the mask's: its rows and columns lie as the mask counts them.
static bool isDiagonal(MlirOperation generic, intptr_t operand,
                       const MloptDiagonal *d, const MloptMask *mask) {
  MlirAffineMap map = mapOf(generic, operand);
  MlirType type = mloptOperandType(generic, operand);
  int64_t loops[2] = {-1, -1}; // of columns, of rows
  int count = 0;
  for (intptr_t i = mloptRank(type); i-- > 0 && count < 2;)
    if (mloptDim(type, i) != 1)
      loops[count++] = loopOf(map, i);
  if (count < 2 || loops[0] < 0 || loops[1] < 0 ||
      mloptLoopSize(generic, loops[0]) != mask->columns ||
      mloptLoopSize(generic, loops[1]) != mask->rows)
    return false;
  MlirAffineMap sums = mapOf(generic, 2);
  bool isKept[2] = {false, false};
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(sums); ++i)
    for (int j = 0; j < 2; ++j)
      isKept[j] |= loopOf(sums, i) == loops[j];
  return isKept[0] == d->isFrom && isKept[1] == !d->isFrom &&
         (d->isFrom ? -d->offset : d->offset) == mask->offset;
}

/// The tile and the depth that a product reads of a factor at once, where it
/// skips what is beyond the mask, as this parameter; false elsewhere.
static bool readsTiles(const Launch *l, intptr_t parameter,
                       const MloptMask *mask, int64_t *outTile,
                       int64_t *outDepth) {
  MloptMatmulSchedule matmul;
  MloptTiledSchedule tiled;
  MloptContractions all;
  MloptProduct product;
  MlirOperation generic;
  MloptDiagonal d;
  const int64_t *tile;
  if (mloptReadMatmulSchedule(l->kernel, &matmul)) {
    if (!mloptFindContractions(l->program, &all) ||
        !mloptMatmulCanSkipZeros(&all.at[0], &matmul) || all.count > 1 ||
        matmul.cluster > 1)
      return false;
    d = all.at[0].diagonal;
    generic = all.at[0].products[0];
    tile = matmul.tile;
  } else {
    if (!mloptReadTiledSchedule(l->kernel, &tiled) ||
        !mloptFindProduct(l->program, &product) || mloptTiledIsDirect(&tiled))
      return false;
    d = product.diagonal;
    generic = product.generic;
    tile = tiled.tile;
  }
  if (!d.isKnown)
    return false;
  *outTile = tile[d.axis == MLOPT_AXIS_N];
  *outDepth = tile[2];
  // The parameter is a factor, and nothing else.
  MlirValue tensor = tensorOf(l, parameter);
  while (!mlirValueIsNull(tensor)) {
    MlirOpOperand use = mlirValueGetFirstUse(tensor);
    if (mlirOpOperandIsNull(use) ||
        !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)))
      return false;
    MlirOperation op = mlirOpOperandGetOwner(use);
    intptr_t operand = mlirOpOperandGetOperandNumber(use);
    if (mlirOperationEqual(op, generic))
      return operand == d.operand && isDiagonal(generic, operand, &d, mask);
    if (!isView(mloptResult(op, 0)))
      return false;
    tensor = mloptResult(op, 0);
  }
  return false;
}

/// Whether a launch that reads a buffer leaves out what is beyond the mask,
/// where rows are written up to the next multiple of `width`. Of 0, they are
/// written as far as a product's tiles go: only rows read no more than that.
static bool leavesOut(const Skip *s, const Launch *l, intptr_t argument,
                      int64_t width) {
  int64_t tile, depth;
  if (isOutput(l, argument))
    return false;
  if (l->ends) {
    MlirValue tensor = tensorOf(l, argument);
    return !mlirValueIsNull(tensor) && isReadInPlace(tensor, l->elements);
  }
  return width && s->mask.offset % width == 0 &&
         s->mask.columns <= s->mask.rows + s->mask.offset &&
         readsTiles(l, argument, &s->mask, &tile, &depth) &&
         width % tile == 0 && width % depth == 0;
}

static const Launch *launchOf(const Skip *s, MlirOperation op) {
  for (intptr_t i = 0; i < s->count; ++i)
    if (mlirOperationEqual(s->launches[i].op, op))
      return &s->launches[i];
  return NULL;
}

/// The same of all that read what a launch writes as this argument.
static bool allLeaveOut(const Skip *s, const Launch *writer, intptr_t argument,
                        int64_t width) {
  MlirValue buffer = argumentOf(writer, argument);
  if (!mloptIsDefinedBy(buffer, "memref.alloc") || !isWrittenOnce(s, buffer))
    return false;
  for (MlirOpOperand use = mlirValueGetFirstUse(buffer);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    const Launch *reader = launchOf(s, mlirOpOperandGetOwner(use));
    if (!reader)
      return false;
    intptr_t at = mlirOpOperandGetOperandNumber(use) - reader->firstArgument;
    if (reader != writer && !leavesOut(s, reader, at, width))
      return false;
    if (reader == writer && at != argument)
      return false;
  }
  return true;
}

static void annotate(const Skip *s, Launch *l, MlirAttribute reads,
                     bool keeps) {
  MlirNamedAttribute attrs[5];
  intptr_t count = 0;
  MlirContext c = s->context;
  attrs[count++] =
      mloptNamedAttr(c, "columns", mloptI64Attr(c, s->mask.columns));
  attrs[count++] = mloptNamedAttr(c, "offset", mloptI64Attr(c, s->mask.offset));
  attrs[count++] = mloptNamedAttr(c, "rows", mloptI64Attr(c, s->mask.rows));
  if (!mlirAttributeIsNull(reads))
    attrs[count++] = mloptNamedAttr(c, "reads", reads);
  if (keeps)
    attrs[count++] = mloptNamedAttr(c, "keep", mlirUnitAttrGet(c));
  mlirOperationSetDiscardableAttributeByName(
      l->kernel, mloptStr(MLOPT_MASKED),
      mlirDictionaryAttrGet(c, count, attrs));
  l->isMasked = true;
}

/// Makes a kernel of rows end at the mask.
static void endRows(const Skip *s, Launch *l) {
  Root roots[MAX_ROOTS];
  bool keeps = false;
  for (intptr_t i = 0, n = rootsOf(l, roots); i < n; ++i) {
    if (mloptNumElements(mlirValueGetType(roots[i].value)) == l->elements)
      keeps |= !allLeaveOut(s, l, roots[i].parameter, l->width);
  }
  annotate(s, l, l->reads, keeps);
}

/// Leaves out the tiles of a product that nobody reads.
static void skipTiles(const Skip *s, Launch *l) {
  MloptMatmulSchedule schedule;
  MloptContractions all;
  if (l->isMasked || !mloptReadMatmulSchedule(l->kernel, &schedule) ||
      !mloptFindContractions(l->program, &all) ||
      !mloptMatmulCanMask(&all, &schedule, &s->mask))
    return;
  for (intptr_t i = 0; i < all.at[0].numOutputs; ++i)
    if (!allLeaveOut(s, l, all.at[0].outputs[i].parameter, 0))
      return;
  annotate(s, l, (MlirAttribute){NULL}, false);
}

/// Leaves out the steps of a streamed kernel whose scores nobody reads.
static void skipSteps(const Skip *s, Launch *l) {
  MloptStreamSchedule schedule;
  MloptStream stream;
  if (l->isMasked || !mloptReadStreamSchedule(l->kernel, &schedule) ||
      !mloptFindStream(l->program, &stream) ||
      !mloptStreamCanMask(&stream, &s->mask) ||
      !allLeaveOut(s, l, stream.scores.outputs[0].parameter, 0))
    return;
  annotate(s, l, (MlirAttribute){NULL}, false);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static MlirOperation findSymbol(MlirBlock body, MlirStringRef name) {
  MlirOperation op = mlirBlockGetFirstOperation(body);
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    MlirAttribute own = mloptAttr(op, "sym_name");
    if (mloptIsString(own) &&
        mlirStringRefEqual(mlirStringAttrGetValue(own), name))
      break;
  }
  return op;
}

static MlirBlock bodyOfFirst(MlirOperation op) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
}

/// The launches of a function's entry block; false when out of memory.
static bool readLaunches(MlirBlock module, Skip *s) {
  intptr_t capacity = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(s->entry);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!mloptIsNamed(op, "gpu.launch_func"))
      continue;
    MlirStringRef name =
        mlirSymbolRefAttrGetRootReference(mloptAttr(op, "kernel"));
    MlirOperation kernels = findSymbol(module, name);
    MlirOperation kernel = mlirOperationIsNull(kernels)
                               ? kernels
                               : findSymbol(bodyOfFirst(kernels), name);
    if (mlirOperationIsNull(kernel))
      continue;
    if (s->count == capacity) {
      capacity = capacity ? 2 * capacity : 32;
      Launch *more = realloc(s->launches, (size_t)capacity * sizeof *more);
      if (!more)
        return false;
      s->launches = more;
    }
    // What one launch need not write, another one may have to.
    bool isShared = false;
    for (intptr_t i = 0; i < s->count; ++i)
      if (mlirOperationEqual(s->launches[i].kernel, kernel))
        isShared = s->launches[i].isMasked = true;
    intptr_t first = mloptLaunchFirstArgument(op);
    s->launches[s->count++] =
        (Launch){.op = op,
                 .kernel = kernel,
                 .program = bodyOfFirst(kernel),
                 .isMasked = isShared,
                 .firstArgument = first,
                 .numArguments = mlirOperationGetNumOperands(op) - first,
                 .numOutputs = mlirIntegerAttrGetValueInt(
                     mloptAttr(op, "mlopt.num_outputs"))};
  }
  return true;
}

static bool skipInFunc(MlirBlock module, MlirOperation func) {
  MloptMask masks[MLOPT_MAX_MASKS];
  intptr_t numMasks = 0;
  Skip s = {.context = mlirOperationGetContext(func),
            .entry = bodyOfFirst(func)};
  bool ok = mlirBlockIsNull(s.entry) || readLaunches(module, &s);
  for (intptr_t i = 0; ok && i < s.count; ++i)
    numMasks = mloptFindMasks(s.launches[i].program, numMasks, masks);
  for (intptr_t m = 0; m < numMasks; ++m) {
    s.mask = masks[m];
    s.numKnown = 0;
    for (intptr_t i = 0; i < s.count; ++i) {
      s.launches[i].ends = false;
      goForwards(&s, &s.launches[i]);
    }
    for (intptr_t i = 0; i < s.count; ++i)
      if (s.launches[i].ends) {
        endRows(&s, &s.launches[i]);
      } else {
        skipTiles(&s, &s.launches[i]);
        skipSteps(&s, &s.launches[i]);
      }
  }
  free(s.launches);
  return ok;
}

static void run(MlirOperation top, MloptPass pass) {
  MlirBlock module = bodyOfFirst(top);
  for (MlirOperation op = mlirBlockGetFirstOperation(module);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (mloptIsNamed(op, "func.func") && !skipInFunc(module, op)) {
      mloptOpError(op, "cannot be planned: out of memory");
      mloptPassSignalFailure(pass);
      return;
    }
}

const MloptPassDef mloptPass_skipMasked MLOPT_TABLE = {
    .argument = "mlopt-skip-masked",
    .summary = "Leave out what lies beyond a mask's diagonal",
    .doc =
        "Where a comparison of two neighbouring dimensions' indices makes "
        "what lies beyond a diagonal a number, kernels of rows end there, if "
        "that is neutral to their reductions, and products leave out tiles "
        "that nobody reads, and streamed kernels steps: their attribute "
        "`mlopt.masked`. What is left out "
        "counts as if it were finite, as for mlopt.zeros; `strict` "
        "reductions leave out nothing.",
    .anchor = "builtin.module",
    .run = run,
};
