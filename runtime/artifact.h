//===- artifact.h - An artifact, read and checked -----------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file, little-endian:
//
//     0  magic "MLOPT\r\n\x1a"           8 bytes
//     8  version, header size            2 x u32
//    16  file size, checksum             2 x u64
//    32  offset and size of each section 5 x 2 x u64
//   112  zeros                           16 bytes
//   128  plan        an mlopt.Plan, artifact.proto
//        constants   each at a multiple of 64
//        ptx         texts, each closed by a zero byte
//        cubins      ELF images, each at a multiple of 64
//        source      MLIR bytecode of the program
//
// Sections follow each other in this order, each at a multiple of 64 with
// zeros in between. The checksum (mloptChecksum) covers the whole file with its
// own field as zero: it finds damage, while hostility is for the checks below.
//
// Reading turns the message into the structures of this file. What they hold
// has been checked: references are in range, places lie within what they are
// in, sizes do not overflow, shapes match, segments form a tree, launches are
// within what any GPU allows. The runtime relies on that and checks nothing
// twice; what depends on the GPU or the caller's pointers it checks itself.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_RUNTIME_ARTIFACT_H
#define MLOPT_RUNTIME_ARTIFACT_H

#include "pool.h"
#include "status.h"

#include <stdatomic.h>

enum {
  MLOPT_ARTIFACT_VERSION = 1,
  MLOPT_SECTION_ALIGNMENT = 64,
  MLOPT_PLAN_RANK_LIMIT = 16,
  /// Where the driver puts what it allocates, and constants in their block.
  MLOPT_DEVICE_ALIGNMENT = 256
};

typedef enum MloptSection {
  MLOPT_SECTION_PLAN,
  MLOPT_SECTION_CONSTANTS,
  MLOPT_SECTION_PTX,
  MLOPT_SECTION_CUBINS,
  MLOPT_SECTION_SOURCE,
  MLOPT_SECTION_COUNT
} MloptSection;

typedef struct MloptArtifactHeader {
  char magic[8];
  uint32_t version, header_size;
  uint64_t file_size, checksum;
  struct {
    uint64_t offset, size;
  } sections[MLOPT_SECTION_COUNT];
  uint8_t zeros[16];
} MloptArtifactHeader;

#define MLOPT_ARTIFACT_MAGIC "MLOPT\r\n\x1a"

typedef struct MloptBytes {
  const uint8_t *data;
  size_t size;
} MloptBytes;

//===----------------------------------------------------------------------===//
// Code and data
//===----------------------------------------------------------------------===//

typedef struct MloptPlanCubin {
  const char *chip;
  MloptBytes image;
} MloptPlanCubin;

typedef struct MloptPlanModule {
  const char *name, *target;
  /// Closed by a zero byte that counts; no data if there are only cubins.
  MloptBytes ptx;
  uint32_t cubin_count;
  const MloptPlanCubin *cubins;
} MloptPlanModule;

typedef struct MloptPlanKernel {
  const char *name;
  uint32_t module;
  /// The most that any launch asks for.
  uint32_t dynamic_shared_bytes, block_threads, cluster_blocks;
} MloptPlanKernel;

typedef struct MloptPlanConstant {
  MloptTensorInfo type;
  /// The data, or NULL if it is the tensor `tensor` of weight file `file`.
  const uint8_t *data;
  uint32_t file;
  const char *tensor;
} MloptPlanConstant;

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

typedef enum MloptHome {
  MLOPT_HOME_ARENA,
  MLOPT_HOME_ARGUMENT,
  MLOPT_HOME_RESULT,
  MLOPT_HOME_CONSTANT
} MloptHome;

/// An address: `offset` bytes into the arena, or into the `index`th argument,
/// result or constant.
typedef struct MloptPlace {
  MloptHome home;
  uint32_t index;
  uint64_t offset;
} MloptPlace;

/// A CUtensorMap without its address.
typedef struct MloptPlanMap {
  uint32_t type, rank;
  uint64_t dims[5], strides[4];
  uint32_t box[5], element_strides[5];
  uint32_t swizzle, l2_promotion, out_of_bounds;
  /// Boxes are box[0] channels of box[1] pixels of windows, whose corners these
  /// are in dimensions 1 to rank - 2.
  bool pixels;
  int32_t low[3], high[3];
} MloptPlanMap;

typedef enum MloptArgumentKind {
  MLOPT_ARGUMENT_POINTER,
  MLOPT_ARGUMENT_SCALAR,
  MLOPT_ARGUMENT_MAP
} MloptArgumentKind;

typedef struct MloptPlanArgument {
  MloptArgumentKind kind;
  /// What the kernel's parameter takes.
  uint32_t bytes;
  MloptPlace place;        // POINTER, MAP
  uint64_t bits;           // SCALAR
  const MloptPlanMap *map; // MAP
} MloptPlanArgument;

typedef struct MloptPlanLaunch {
  uint32_t kernel;
  uint32_t grid[3], block[3];
  /// All 0 without a cluster attribute.
  uint32_t cluster[3];
  uint32_t dynamic_shared_bytes;
  uint32_t argument_count;
  const MloptPlanArgument *arguments;
} MloptPlanLaunch;

typedef struct MloptPlanCopy {
  MloptPlace source, target;
  uint64_t bytes;
} MloptPlanCopy;

typedef struct MloptPlanFill {
  MloptPlace target;
  uint32_t element_bytes, value;
  uint64_t count;
} MloptPlanFill;

/// A signed integer in device memory.
typedef struct MloptPlanFlag {
  MloptPlace place;
  uint32_t bytes;
} MloptPlanFlag;

typedef enum MloptStepKind {
  MLOPT_STEP_LAUNCH,
  MLOPT_STEP_COPY,
  MLOPT_STEP_FILL,
  MLOPT_STEP_WHILE,
  MLOPT_STEP_REPEAT,
  MLOPT_STEP_SWITCH
} MloptStepKind;

typedef struct MloptPlanEdge {
  uint32_t step;
  bool programmatic;
} MloptPlanEdge;

typedef struct MloptPlanStep {
  MloptStepKind kind;
  union {
    MloptPlanLaunch launch;
    MloptPlanCopy copy;
    MloptPlanFill fill;
    struct {
      uint32_t condition, body;
      MloptPlanFlag flag;
    } while_loop;
    struct {
      uint64_t count;
      uint32_t body;
    } repeat;
    struct {
      MloptPlanFlag flag;
      uint32_t case_count;
      const uint32_t *cases;
    } switch_on;
  };
  uint32_t edge_count;
  const MloptPlanEdge *edges;
} MloptPlanStep;

typedef struct MloptPlanSegment {
  uint32_t step_count;
  const MloptPlanStep *steps;
} MloptPlanSegment;

/// Whether the host has to turn it.
static inline bool mloptIsControlStep(const MloptPlanStep *step) {
  return step->kind >= MLOPT_STEP_WHILE;
}

typedef struct MloptPlanEntry {
  MloptEntryInfo info;
  uint32_t segment_count;
  const MloptPlanSegment *segments;
} MloptPlanEntry;

//===----------------------------------------------------------------------===//
// The artifact
//===----------------------------------------------------------------------===//

struct MloptArtifact {
  atomic_uint references;
  MloptPool pool;
  /// Where it came from, for messages; where weight files are.
  const char *name, *directory;
  const uint8_t *data;
  size_t size;
  bool mapped;
  MloptBytes sections[MLOPT_SECTION_COUNT];

  const char *program, *producer;
  uint32_t module_count, kernel_count, weight_file_count, constant_count;
  MloptPlanModule *modules;
  MloptPlanKernel *kernels;
  const char **weight_files;
  MloptPlanConstant *constants;
  uint32_t entry_count;
  MloptPlanEntry *entries;
};

MloptArtifact *mloptRetainArtifact(MloptArtifact *artifact);

/// The checksum of the file format: that of the header with state 0 is the
/// state for the rest.
uint64_t mloptChecksum(uint64_t state, const void *data, size_t size);

/// The bytes of a dense tensor; false if the type is unknown or the size
/// overflows what any GPU has.
bool mloptGetTensorBytes(const char *element, uint32_t rank,
                         const int64_t *shape, uint64_t *out_bytes);

struct Mlopt__Plan;
/// Fills the artifact's structures from the message, checking all of it. The
/// sections must have been set.
MLOPT_MUST_CHECK MloptStatus *mloptReadPlan(MloptArtifact *artifact,
                                            const struct Mlopt__Plan *plan);

#endif // MLOPT_RUNTIME_ARTIFACT_H
