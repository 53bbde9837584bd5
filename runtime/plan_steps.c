//===- plan_steps.c - Checking what an entry does -------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every access lies within its buffer and writes only to the arena or to
// results; launches keep to the limits that all GPUs share (CUDA programming
// guide, "Compute Capabilities"); tensor maps keep to the rules that
// cuTensorMapEncodeTiled documents, and within their buffer; segments form a
// tree, so that running them ends.
//
//===----------------------------------------------------------------------===//

#include "plan_read.h"

#include <stdlib.h>
#include <string.h>

enum {
  GRID_X_LIMIT = 0x7fffffff,
  GRID_YZ_LIMIT = 65535,
  BLOCK_LIMIT = 1024, // threads, and in x and y
  BLOCK_Z_LIMIT = 64,
  CLUSTER_LIMIT = 16,      // blocks
  PARAMETER_LIMIT = 32764, // bytes
  SHARED_LIMIT = 1 << 20,  // bytes; the GPU's own limit comes at loading
  MAP_ALIGNMENT = 16,      // of a tensor map's address and strides
  MAP_BYTES = 128,         // of the map itself
  MAP_BOX_LIMIT = 256,     // elements
  MAP_PIXEL_LIMIT = 1024,
  MAP_ELEMENT_STRIDE_LIMIT = 8, // elements
  DEPTH_LIMIT = 32              // of segments in segments
};
static const uint64_t map_stride_limit = (uint64_t)1 << 40;
static const uint64_t map_dim_limit = (uint64_t)1 << 32;

/// "entry main: segment 0, step 3: " and the words.
#define STEP_STATUS(reader, format, ...)                                       \
  mloptCreateEntryStatus(reader, "segment %u, step %u: " format,               \
                         (reader)->segment,                                    \
                         (reader)->step __VA_OPT__(, ) __VA_ARGS__)

#define ALLOCATE(reader, pointer, count)                                       \
  (((pointer) = mloptPoolAllocate(&(reader)->artifact->pool, (count),          \
                                  sizeof *(pointer)))                          \
       ? NULL                                                                  \
       : mloptCreateHostMemoryStatus())

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Finds `bytes` at `offset` of a buffer, to be read or written.
static MloptStatus *readPlace(MloptPlanReader *reader, uint32_t number,
                              const Mlopt__Size *offset, uint64_t bytes,
                              bool write, MloptPlace *out_place) {
  uint64_t at;
  MLOPT_TRY(mloptReadOffset(reader->artifact, offset, "an offset", &at));
  if (number >= reader->buffer_count)
    return STEP_STATUS(reader, "buffer %u of %u", number, reader->buffer_count);
  const MloptPlanBuffer *buffer = &reader->buffers[number];
  if (!mloptIsWithin(at, bytes, buffer->bytes))
    return STEP_STATUS(reader,
                       "%llu bytes at %llu of buffer %u, which has "
                       "%llu",
                       (unsigned long long)bytes, (unsigned long long)at,
                       number, (unsigned long long)buffer->bytes);
  MloptHome home = buffer->place.home;
  if (write && (home == MLOPT_HOME_ARGUMENT || home == MLOPT_HOME_CONSTANT))
    return STEP_STATUS(reader, "it writes to buffer %u, which is %s", number,
                       home == MLOPT_HOME_ARGUMENT ? "an argument"
                                                   : "a constant");
  if (write && home == MLOPT_HOME_RESULT)
    reader->written[buffer->place.index] = true;
  *out_place = buffer->place;
  out_place->offset += at;
  return NULL;
}

static MloptStatus *readFlag(MloptPlanReader *reader, const Mlopt__Flag *flag,
                             MloptPlanFlag *out_flag) {
  if (!flag || (flag->bytes != 1 && flag->bytes != 2 && flag->bytes != 4 &&
                flag->bytes != 8))
    return STEP_STATUS(reader, "its flag is no integer");
  out_flag->bytes = flag->bytes;
  return readPlace(reader, flag->buffer, flag->offset, flag->bytes, false,
                   &out_flag->place);
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

static const struct MapType {
  const char *name;
  uint32_t bytes, number;
} map_types[] = {
#define MLOPT_TENSOR_MAP_TYPE(name, bytes, number, driver_name)                \
  {name, bytes, number},
#include "tensor_map.def"
};

static const struct MapType *findMapType(const char *name) {
  for (size_t i = 0; i < sizeof map_types / sizeof *map_types; ++i)
    if (!strcmp(map_types[i].name, name))
      return &map_types[i];
  return NULL;
}

/// Dimensions, strides and the bytes from the first to the last element.
static MloptStatus *readMapShape(MloptPlanReader *reader,
                                 const Mlopt__TensorMap *message,
                                 uint32_t element_bytes, MloptPlanMap *map,
                                 uint64_t *out_extent) {
  map->rank = (uint32_t)message->n_dims;
  uint64_t extent = element_bytes;
  for (uint32_t i = 0; i < map->rank; ++i) {
    uint64_t stride = element_bytes, step;
    MLOPT_TRY(mloptReadSize(reader->artifact, message->dims[i],
                            "a tensor map's dimension", &map->dims[i]));
    if (i) {
      MLOPT_TRY(mloptReadSize(reader->artifact, message->strides[i - 1],
                              "a tensor map's stride", &stride));
      map->strides[i - 1] = stride;
    }
    if (!map->dims[i] || map->dims[i] > map_dim_limit)
      return STEP_STATUS(reader, "tensor map: dimension %u is %llu", i,
                         (unsigned long long)map->dims[i]);
    if (i && (stride % MAP_ALIGNMENT || stride >= map_stride_limit))
      return STEP_STATUS(reader,
                         "tensor map: stride %u is %llu, no multiple "
                         "of 16 under 2^40",
                         i, (unsigned long long)stride);
    if (__builtin_mul_overflow(map->dims[i] - 1, stride, &step) ||
        __builtin_add_overflow(extent, step, &extent))
      return STEP_STATUS(reader, "tensor map: its size overflows");
  }
  *out_extent = extent;
  return NULL;
}

static MloptStatus *readMapBox(MloptPlanReader *reader,
                               const Mlopt__TensorMap *message,
                               uint32_t element_bytes, MloptPlanMap *map) {
  for (uint32_t i = 0; i < map->rank; ++i) {
    map->box[i] = i < message->n_box ? message->box[i] : 1;
    map->element_strides[i] =
        message->n_element_strides ? message->element_strides[i] : 1;
    uint32_t limit = map->pixels && i == 1 ? MAP_PIXEL_LIMIT : MAP_BOX_LIMIT;
    if (!map->box[i] || map->box[i] > limit || !map->element_strides[i] ||
        map->element_strides[i] > MAP_ELEMENT_STRIDE_LIMIT)
      return STEP_STATUS(reader,
                         "tensor map: box %u with element stride %u in "
                         "dimension %u",
                         map->box[i], map->element_strides[i], i);
  }
  static const uint32_t swizzle_bytes[] = {UINT32_MAX, 32, 64, 128};
  uint32_t row = map->box[0] * element_bytes;
  if ((unsigned)message->swizzle > 3 || (unsigned)message->l2_promotion > 3 ||
      (unsigned)message->out_of_bounds > 1)
    return STEP_STATUS(reader, "tensor map: an unknown mode");
  if (row % MAP_ALIGNMENT || row > swizzle_bytes[message->swizzle])
    return STEP_STATUS(reader,
                       "tensor map: a box row of %u bytes is no "
                       "multiple of 16 that fits its swizzle",
                       row);
  map->swizzle = (uint32_t)message->swizzle;
  map->l2_promotion = (uint32_t)message->l2_promotion;
  map->out_of_bounds = (uint32_t)message->out_of_bounds;
  return NULL;
}

/// Windows of pixels: between corners that their fields hold, and not empty.
static MloptStatus *readWindows(MloptPlanReader *reader,
                                const Mlopt__TensorMap *message,
                                MloptPlanMap *map) {
  static const int32_t limits[] = {[3] = 32768, [4] = 128, [5] = 16};
  int32_t limit = limits[map->rank];
  map->pixels = true;
  for (uint32_t i = 0; i < map->rank - 2; ++i) {
    int32_t low = message->low[i], high = message->high[i];
    map->low[i] = low;
    map->high[i] = high;
    if (low < -limit || low >= limit || high < -limit || high >= limit ||
        (int64_t)map->dims[i + 1] + high <= low)
      return STEP_STATUS(reader, "tensor map: a window from %d to %d", low,
                         high);
  }
  return NULL;
}

/// TMA needs 16-byte aligned addresses, whoever owns the memory.
static MloptStatus *alignMap(MloptPlanReader *reader, const MloptPlace *place) {
  MloptTensorInfo *tensor = NULL;
  if (place->home == MLOPT_HOME_ARGUMENT)
    tensor = &reader->arguments[place->index];
  else if (place->home == MLOPT_HOME_RESULT)
    tensor = &reader->results[place->index];
  if (tensor && tensor->alignment < MAP_ALIGNMENT)
    tensor->alignment = MAP_ALIGNMENT;
  if (place->offset % MAP_ALIGNMENT)
    return STEP_STATUS(reader, "tensor map: its address is no multiple of 16");
  return NULL;
}

static MloptStatus *readMap(MloptPlanReader *reader,
                            const Mlopt__TensorMap *message,
                            MloptPlanArgument *argument) {
  size_t rank = message->n_dims;
  const struct MapType *type = findMapType(message->data_type);
  if (!type)
    return STEP_STATUS(reader, "tensor map: an unknown element type");
  bool pixels = message->n_low || message->n_high;
  if (rank < (pixels ? 3 : 1) || rank > 5 || message->n_strides != rank - 1 ||
      message->n_box != (pixels ? 2 : rank) ||
      (pixels && (message->n_low != rank - 2 || message->n_high != rank - 2)) ||
      (message->n_element_strides && message->n_element_strides != rank))
    return STEP_STATUS(reader,
                       "tensor map: %zu dimensions with %zu strides "
                       "and a box of %zu",
                       rank, message->n_strides, message->n_box);
  if ((unsigned)message->access > MLOPT__ACCESS__WRITE)
    return STEP_STATUS(reader, "tensor map: an unknown access");
  MloptPlanMap *map;
  uint64_t extent;
  MLOPT_TRY(ALLOCATE(reader, map, 1));
  map->type = type->number;
  MLOPT_TRY(readMapShape(reader, message, type->bytes, map, &extent));
  if (pixels)
    MLOPT_TRY(readWindows(reader, message, map));
  MLOPT_TRY(readMapBox(reader, message, type->bytes, map));
  MLOPT_TRY(readPlace(reader, message->buffer, message->offset, extent,
                      message->access != MLOPT__ACCESS__READ,
                      &argument->place));
  argument->map = map;
  argument->kind = MLOPT_ARGUMENT_MAP;
  argument->bytes = MAP_BYTES;
  return alignMap(reader, &argument->place);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static MloptStatus *readScalar(MloptPlanReader *reader,
                               const Mlopt__Scalar *message,
                               MloptPlanArgument *argument) {
  uint32_t bytes = message->bytes;
  if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
    return STEP_STATUS(reader, "a scalar of %u bytes", bytes);
  if (message->value_case == MLOPT__SCALAR__VALUE_BITS)
    argument->bits = message->bits;
  else
    MLOPT_TRY(mloptReadSize(reader->artifact, message->size, "a scalar",
                            &argument->bits));
  if (bytes < 8 && argument->bits >> 8 * bytes)
    return STEP_STATUS(reader, "a scalar of %u bytes holds more", bytes);
  argument->kind = MLOPT_ARGUMENT_SCALAR;
  argument->bytes = bytes;
  return NULL;
}

static MloptStatus *readArgument(MloptPlanReader *reader,
                                 const Mlopt__Argument *message,
                                 MloptPlanArgument *argument) {
  switch (message->kind_case) {
  case MLOPT__ARGUMENT__KIND_POINTER: {
    const Mlopt__Pointer *pointer = message->pointer;
    if (!pointer || (unsigned)pointer->access > MLOPT__ACCESS__WRITE)
      return STEP_STATUS(reader, "an unknown access");
    argument->kind = MLOPT_ARGUMENT_POINTER;
    argument->bytes = 8;
    return readPlace(reader, pointer->buffer, pointer->offset, 0,
                     pointer->access != MLOPT__ACCESS__READ, &argument->place);
  }
  case MLOPT__ARGUMENT__KIND_SCALAR:
    if (message->scalar)
      return readScalar(reader, message->scalar, argument);
    break;
  case MLOPT__ARGUMENT__KIND_TENSOR_MAP:
    if (message->tensor_map)
      return readMap(reader, message->tensor_map, argument);
    break;
  default:
    break;
  }
  return STEP_STATUS(reader, "an argument of an unknown kind");
}

static MloptStatus *readArguments(MloptPlanReader *reader,
                                  const Mlopt__Launch *message,
                                  MloptPlanLaunch *launch) {
  MloptPlanArgument *arguments;
  MLOPT_TRY(ALLOCATE(reader, arguments, message->n_arguments));
  uint64_t bytes = 0;
  for (size_t i = 0; i < message->n_arguments; ++i) {
    MLOPT_TRY(readArgument(reader, message->arguments[i], &arguments[i]));
    // Laid out as the kernel declares them: each at a multiple of its size,
    // maps at one of 64.
    uint64_t align = arguments[i].bytes < 64 ? arguments[i].bytes : 64;
    bytes = (bytes + align - 1) / align * align + arguments[i].bytes;
  }
  if (bytes > PARAMETER_LIMIT)
    return STEP_STATUS(reader, "%llu bytes of kernel parameters",
                       (unsigned long long)bytes);
  launch->argument_count = (uint32_t)message->n_arguments;
  launch->arguments = arguments;
  return NULL;
}

static MloptStatus *readGeometry(MloptPlanReader *reader,
                                 const Mlopt__Launch *message,
                                 MloptPlanLaunch *launch) {
  uint64_t shared;
  if (message->n_grid != 3 || message->n_block != 3 ||
      (message->n_cluster && message->n_cluster != 3))
    return STEP_STATUS(reader, "grid, block and cluster need three sizes");
  MLOPT_TRY(mloptReadOffset(reader->artifact, message->dynamic_shared_bytes,
                            "the shared memory", &shared));
  uint64_t threads = 1, blocks = 1;
  for (int i = 0; i < 3; ++i) {
    uint64_t grid;
    MLOPT_TRY(
        mloptReadSize(reader->artifact, message->grid[i], "the grid", &grid));
    uint32_t block = message->block[i];
    uint32_t cluster = message->n_cluster ? message->cluster[i] : 0;
    if (!grid || grid > (i ? GRID_YZ_LIMIT : GRID_X_LIMIT) || !block ||
        block > (i == 2 ? BLOCK_Z_LIMIT : BLOCK_LIMIT) ||
        (message->n_cluster &&
         (!cluster || cluster > CLUSTER_LIMIT || grid % cluster)))
      return STEP_STATUS(reader,
                         "grid %llu, block %u, cluster %u in dimension "
                         "%d",
                         (unsigned long long)grid, block, cluster, i);
    threads *= block;
    blocks *= cluster;
    launch->grid[i] = (uint32_t)grid;
    launch->block[i] = block;
    launch->cluster[i] = cluster;
  }
  if (threads > BLOCK_LIMIT || blocks > CLUSTER_LIMIT || shared > SHARED_LIMIT)
    return STEP_STATUS(reader,
                       "%llu threads in a block, %llu blocks in a "
                       "cluster, %llu bytes of shared memory",
                       (unsigned long long)threads, (unsigned long long)blocks,
                       (unsigned long long)shared);
  launch->dynamic_shared_bytes = (uint32_t)shared;
  MloptPlanKernel *kernel = &reader->artifact->kernels[launch->kernel];
  if (kernel->dynamic_shared_bytes < shared)
    kernel->dynamic_shared_bytes = (uint32_t)shared;
  if (kernel->block_threads < threads)
    kernel->block_threads = (uint32_t)threads;
  if (kernel->cluster_blocks < blocks)
    kernel->cluster_blocks = (uint32_t)blocks;
  return NULL;
}

static MloptStatus *readLaunch(MloptPlanReader *reader,
                               const Mlopt__Launch *message,
                               MloptPlanLaunch *launch) {
  launch->kernel = message->kernel;
  if (launch->kernel >= reader->artifact->kernel_count)
    return STEP_STATUS(reader, "kernel %u of %u", launch->kernel,
                       reader->artifact->kernel_count);
  MLOPT_TRY(readGeometry(reader, message, launch));
  ++reader->entry->info.launch_count;
  return readArguments(reader, message, launch);
}

//===----------------------------------------------------------------------===//
// Copies and fills
//===----------------------------------------------------------------------===//

static MloptStatus *readCopy(MloptPlanReader *reader,
                             const Mlopt__Copy *message, MloptPlanCopy *copy) {
  MLOPT_TRY(
      mloptReadSize(reader->artifact, message->bytes, "a copy", &copy->bytes));
  if (!copy->bytes)
    return STEP_STATUS(reader, "a copy of nothing");
  MLOPT_TRY(readPlace(reader, message->source, message->source_offset,
                      copy->bytes, false, &copy->source));
  MLOPT_TRY(readPlace(reader, message->target, message->target_offset,
                      copy->bytes, true, &copy->target));
  const MloptPlace *a = &copy->source, *b = &copy->target;
  if (a->home == b->home && a->index == b->index &&
      a->offset < b->offset + copy->bytes &&
      b->offset < a->offset + copy->bytes)
    return STEP_STATUS(reader, "a copy that overlaps itself");
  return NULL;
}

static MloptStatus *readFill(MloptPlanReader *reader,
                             const Mlopt__Fill *message, MloptPlanFill *fill) {
  uint32_t size = message->element_bytes;
  MLOPT_TRY(
      mloptReadSize(reader->artifact, message->count, "a fill", &fill->count));
  if ((size != 1 && size != 2 && size != 4) || !fill->count ||
      (size < 4 && message->value >> 8 * size))
    return STEP_STATUS(reader, "a fill with %llu elements of %u bytes",
                       (unsigned long long)fill->count, size);
  fill->element_bytes = size;
  fill->value = message->value;
  MLOPT_TRY(readPlace(reader, message->target, message->target_offset,
                      fill->count * size, true, &fill->target));
  if (fill->target.offset % size)
    return STEP_STATUS(reader, "a fill at an odd address");
  if (fill->target.home == MLOPT_HOME_RESULT) {
    MloptTensorInfo *result = &reader->results[fill->target.index];
    if (result->alignment < size)
      result->alignment = size;
  }
  return NULL;
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

/// The depth of each segment, 0 for one that no step has named yet.
typedef uint8_t *Depths;

/// A step of the reader's segment takes segment `child` as a body.
static MloptStatus *takeSegment(MloptPlanReader *reader, Depths depths,
                                uint32_t child) {
  if (child <= reader->segment || child >= reader->message->n_segments ||
      depths[child])
    return STEP_STATUS(reader, "segment %u cannot be its body", child);
  depths[child] = depths[reader->segment] + 1;
  if (depths[child] > DEPTH_LIMIT)
    return STEP_STATUS(reader, "more than %d segments in each other",
                       DEPTH_LIMIT);
  return NULL;
}

static MloptStatus *readSwitch(MloptPlanReader *reader, Depths depths,
                               const Mlopt__Switch *message,
                               MloptPlanStep *step) {
  uint32_t *cases;
  MLOPT_TRY(readFlag(reader, message->flag, &step->switch_on.flag));
  if (!message->n_cases)
    return STEP_STATUS(reader, "a switch without cases");
  MLOPT_TRY(ALLOCATE(reader, cases, message->n_cases));
  for (size_t i = 0; i < message->n_cases; ++i) {
    cases[i] = message->cases[i];
    MLOPT_TRY(takeSegment(reader, depths, cases[i]));
  }
  step->switch_on.case_count = (uint32_t)message->n_cases;
  step->switch_on.cases = cases;
  return NULL;
}

static MloptStatus *readControl(MloptPlanReader *reader, Depths depths,
                                const Mlopt__Step *message,
                                MloptPlanStep *step) {
  reader->entry->info.has_control_flow = true;
  switch (message->action_case) {
  case MLOPT__STEP__ACTION_WHILE_LOOP:
    step->kind = MLOPT_STEP_WHILE;
    if (!message->while_loop)
      break;
    step->while_loop.condition = message->while_loop->condition;
    step->while_loop.body = message->while_loop->body;
    MLOPT_TRY(takeSegment(reader, depths, step->while_loop.condition));
    MLOPT_TRY(takeSegment(reader, depths, step->while_loop.body));
    return readFlag(reader, message->while_loop->flag, &step->while_loop.flag);
  case MLOPT__STEP__ACTION_REPEAT:
    step->kind = MLOPT_STEP_REPEAT;
    if (!message->repeat)
      break;
    step->repeat.body = message->repeat->body;
    MLOPT_TRY(takeSegment(reader, depths, step->repeat.body));
    return mloptReadSize(reader->artifact, message->repeat->count, "a repeat",
                         &step->repeat.count);
  case MLOPT__STEP__ACTION_SWITCH_ON:
    step->kind = MLOPT_STEP_SWITCH;
    if (!message->switch_on)
      break;
    return readSwitch(reader, depths, message->switch_on, step);
  default:
    break;
  }
  return STEP_STATUS(reader, "an action of an unknown kind");
}

static MloptStatus *readAction(MloptPlanReader *reader, Depths depths,
                               const Mlopt__Step *message,
                               MloptPlanStep *step) {
  switch (message->action_case) {
  case MLOPT__STEP__ACTION_LAUNCH:
    step->kind = MLOPT_STEP_LAUNCH;
    if (message->launch)
      return readLaunch(reader, message->launch, &step->launch);
    break;
  case MLOPT__STEP__ACTION_COPY:
    step->kind = MLOPT_STEP_COPY;
    if (message->copy)
      return readCopy(reader, message->copy, &step->copy);
    break;
  case MLOPT__STEP__ACTION_FILL:
    step->kind = MLOPT_STEP_FILL;
    if (message->fill)
      return readFill(reader, message->fill, &step->fill);
    break;
  default:
    return readControl(reader, depths, message, step);
  }
  return STEP_STATUS(reader, "an action of an unknown kind");
}

static MloptStatus *readEdges(MloptPlanReader *reader,
                              const Mlopt__Step *message,
                              const MloptPlanStep *steps, MloptPlanStep *step) {
  MloptPlanEdge *edges;
  MLOPT_TRY(ALLOCATE(reader, edges, message->n_after));
  for (size_t i = 0; i < message->n_after; ++i) {
    uint32_t before = message->after[i]->step;
    bool programmatic = message->after[i]->programmatic;
    if (before >= reader->step)
      return STEP_STATUS(reader, "it waits for step %u", before);
    if (i && before <= edges[i - 1].step)
      return STEP_STATUS(reader, "its dependences are not in rising order");
    if (programmatic && (step->kind != MLOPT_STEP_LAUNCH ||
                         steps[before].kind != MLOPT_STEP_LAUNCH))
      return STEP_STATUS(reader,
                         "a programmatic dependence on step %u, but "
                         "not between launches",
                         before);
    edges[i] = (MloptPlanEdge){before, programmatic};
  }
  step->edge_count = (uint32_t)message->n_after;
  step->edges = edges;
  return NULL;
}

MloptStatus *mloptReadSegments(MloptPlanReader *reader) {
  const Mlopt__Entry *message = reader->message;
  if (!message->n_segments)
    return mloptCreateEntryStatus(reader, "it has no segment");
  Depths depths;
  MloptPlanSegment *segments;
  MLOPT_TRY(ALLOCATE(reader, depths, message->n_segments));
  MLOPT_TRY(ALLOCATE(reader, segments, message->n_segments));
  reader->entry->segment_count = (uint32_t)message->n_segments;
  reader->entry->segments = segments;
  depths[0] = 1;
  for (uint32_t i = 0; i < message->n_segments; ++i) {
    const Mlopt__Segment *segment = message->segments[i];
    MloptPlanStep *steps;
    reader->segment = i;
    reader->step = 0;
    if (!depths[i])
      return mloptCreateEntryStatus(reader, "no step runs segment %u", i);
    MLOPT_TRY(ALLOCATE(reader, steps, segment->n_steps));
    for (; reader->step < segment->n_steps; ++reader->step) {
      const Mlopt__Step *step = segment->steps[reader->step];
      MLOPT_TRY(readAction(reader, depths, step, &steps[reader->step]));
      MLOPT_TRY(readEdges(reader, step, steps, &steps[reader->step]));
    }
    segments[i] = (MloptPlanSegment){(uint32_t)segment->n_steps, steps};
  }
  return NULL;
}
