//===- runtime.h - The runtime's own structures -------------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   device.c       one GPU: driver, context, faults
//   memory.c       device memory, constants
//   safetensors.c  weights in files
//   cubin_cache.c  cubins on disk
//   cache_trim.c   how much of the disk they take
//   modules.c      PTX and cubins to loaded modules, in parallel
//   program.c      an artifact on a GPU
//   instance.c     an entry with its arena; binding pointers
//   dlpack.c       tensors as DLPack describes them
//   binding.c      parameters and executable graphs for one set of pointers
//   tensor_map.c   CUtensorMaps
//   graph.c        a stretch of steps as a CUDA graph
//   launch.c       a run: segments, steps, loops
//   host.c         runs on host data
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_RUNTIME_RUNTIME_H
#define MLOPT_RUNTIME_RUNTIME_H

#include "artifact.h"
#include "cuda.h"

//===----------------------------------------------------------------------===//
// Device
//===----------------------------------------------------------------------===//

struct MloptDevice {
  atomic_uint references;
  MloptCuda cuda;
  MloptDeviceOptions options;
  /// Own copy; empty when the cache is off.
  char *cache_directory;
  int ordinal;
  CUdevice device;
  CUcontext context; ///< the primary context, retained
  int driver_version;
  uint32_t chip; ///< 90 for sm_90
  char chip_name[16], name[128];
  uint32_t shared_limit; ///< bytes of shared memory that a block may have
  /// The first error that made the context unusable, CUDA_SUCCESS before.
  atomic_uint lost;
};

MloptDevice *mloptRetainDevice(MloptDevice *device);

/// Makes the device's context current, unless it is lost. Every success is
/// paired with mloptLeaveDevice.
MLOPT_MUST_CHECK MloptStatus *mloptEnterDevice(MloptDevice *device,
                                               bool *out_pushed);
void mloptLeaveDevice(MloptDevice *device, bool pushed);
/// The same for releasing things, which goes on when the context is lost.
void mloptEnterDeviceToRelease(MloptDevice *device, bool *out_pushed);

/// What failed, the call, the driver's name and words for the error, what to
/// do. Marks the device lost if the error says so.
MLOPT_MUST_CHECK MloptStatus *
mloptCreateCudaStatus(MloptDevice *device, CuResult error, const char *call,
                      const char *format, ...)
    __attribute__((format(printf, 4, 5), returns_nonnull));

void mloptLog(MloptDevice *device, MloptLogLevel level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

//===----------------------------------------------------------------------===//
// Memory, code
//===----------------------------------------------------------------------===//

/// `what` names the use in messages. No bytes give address 0.
MLOPT_MUST_CHECK MloptStatus *mloptAllocateDevice(MloptDevice *device,
                                                  uint64_t bytes,
                                                  const char *what,
                                                  CUdeviceptr *out_pointer);
void mloptFreeDevice(MloptDevice *device, CUdeviceptr pointer);

/// Puts all constants of an artifact into one block; their addresses go to
/// `out_addresses`.
MLOPT_MUST_CHECK MloptStatus *
mloptUploadConstants(MloptDevice *device, const MloptArtifact *artifact,
                     CUdeviceptr *out_block, CUdeviceptr *out_addresses);

/// Finds a tensor of this type in a .safetensors file. The data is borrowed
/// from `file`.
MLOPT_MUST_CHECK MloptStatus *
mloptFindWeight(MloptBytes file, const char *file_name, const char *tensor,
                const MloptTensorInfo *type, const uint8_t **out_data);

/// A copy of the cubin that this driver made of this PTX for this chip, to be
/// freed; no data if it is not in the cache.
MloptBytes mloptRecallCubin(MloptDevice *device, MloptBytes ptx);
void mloptKeepCubin(MloptDevice *device, MloptBytes ptx, MloptBytes cubin);

/// Loads all modules of an artifact into `out_modules`. Those loaded before a
/// failure are the caller's to unload too.
MLOPT_MUST_CHECK MloptStatus *mloptLoadModules(MloptDevice *device,
                                               const MloptArtifact *artifact,
                                               CUmodule *out_modules);

//===----------------------------------------------------------------------===//
// Program
//===----------------------------------------------------------------------===//

struct MloptProgram {
  atomic_uint references;
  MloptDevice *device;
  MloptArtifact *artifact;
  CUmodule *modules;
  CUfunction *functions; ///< one for each kernel
  CUdeviceptr constant_block;
  CUdeviceptr *constants;
};

MloptProgram *mloptRetainProgram(MloptProgram *program);

//===----------------------------------------------------------------------===//
// Instance
//===----------------------------------------------------------------------===//

/// A stretch of steps of a segment without control flow in between, or one
/// control step.
typedef struct MloptPiece {
  uint32_t segment;
  uint32_t first, count; ///< steps of the instance
  bool control;
  /// What executable graphs are made from, with the parameters of the binding
  /// that was current when it was built; NULL before.
  CUgraph graph;
} MloptPiece;

/// A step of any segment, with what its driver call needs.
typedef struct MloptStep {
  const MloptPlanStep *plan;
  uint32_t segment, number; ///< in the plan
  uint32_t piece;
  bool external;           ///< uses a bound pointer
  bool dirty;              ///< listed to be patched
  uint32_t first_argument; ///< of the instance's arguments
  CUfunction function;
  CuLaunchConfig config; ///< all but the stream
  CuLaunchAttribute attributes[2];
  CUgraphNode node;
} MloptStep;

/// A place where a bound pointer goes.
typedef struct MloptUse {
  uint32_t pointer, step;
  /// Of the instance; UINT32_MAX in a copy or fill.
  uint32_t argument;
} MloptUse;

/// Everything that depends on the bound pointers.
typedef struct MloptBinding {
  uint64_t *pointers;
  bool valid; ///< parameters and graphs fit the pointers
  uint64_t last_use;
  uint8_t *values;    ///< what kernels receive
  void **parameters;  ///< where, one for each argument of the instance
  CUgraphExec *execs; ///< one for each piece, NULL until it is launched
} MloptBinding;

enum { MLOPT_HISTORY = 32 };

struct MloptInstance {
  MloptProgram *program;
  const MloptPlanEntry *entry;
  MloptLaunchMode mode;
  MloptPool pool;
  CUdeviceptr arena;

  uint32_t pointer_count; ///< arguments, then results
  uint64_t *pointers;     ///< as bound by the caller
  bool rebound;           ///< since the current binding was chosen

  uint32_t step_count, argument_count, piece_count, use_count;
  MloptStep *steps;
  const MloptPlanArgument **arguments;
  uint32_t *value_offsets; ///< in a binding's values, for each argument
  uint32_t value_bytes;
  MloptPiece *pieces;
  uint32_t *segment_pieces; ///< first piece of each segment, and the end
  bool has_graphs;          ///< a piece has two or more steps
  MloptUse *uses;
  uint32_t *dirty_steps; ///< room for all
  bool *changed;         ///< room for all pointers
  uint64_t *located;     ///< room for all pointers

  uint32_t binding_count, binding_limit;
  MloptBinding **bindings, *current;
  uint64_t clock;
  uint64_t history[MLOPT_HISTORY]; ///< hashes of sets that were given up
  uint32_t history_next;

  /// Page-locked, for the flag that the host reads; only with control flow.
  int64_t *flag;
  /// Only after mloptRunOnHostData.
  CUstream host_stream;
  CUdeviceptr host_block;
  uint64_t host_bytes;
  MloptStatistics statistics;
};

/// The address of a place under a binding.
static inline CUdeviceptr mloptGetAddress(const MloptInstance *instance,
                                          const MloptBinding *binding,
                                          const MloptPlace *place) {
  CUdeviceptr base = 0;
  switch (place->home) {
  case MLOPT_HOME_ARENA:
    base = instance->arena;
    break;
  case MLOPT_HOME_ARGUMENT:
    base = binding->pointers[place->index];
    break;
  case MLOPT_HOME_RESULT:
    base =
        binding->pointers[instance->entry->info.argument_count + place->index];
    break;
  case MLOPT_HOME_CONSTANT:
    base = instance->program->constants[place->index];
    break;
  }
  return base + place->offset;
}

/// "kernel gelu_0 (entry main, segment 0, step 3)", into `text`.
enum { MLOPT_STEP_TEXT = 512 };
const char *mloptDescribeStep(const MloptInstance *instance,
                              const MloptStep *step,
                              char text[MLOPT_STEP_TEXT]);

/// Makes the binding of the bound pointers current: finds it, or gives its
/// place to another.
MLOPT_MUST_CHECK MloptStatus *mloptChooseBinding(MloptInstance *instance);
void mloptReleaseBindings(MloptInstance *instance);

/// Encodes one map for an address.
MLOPT_MUST_CHECK MloptStatus *
mloptEncodeMap(MloptInstance *instance, const MloptStep *step,
               const MloptPlanMap *map, CUdeviceptr address, void *out_map);

/// Makes sure that the binding has an executable graph of the piece.
MLOPT_MUST_CHECK MloptStatus *mloptPrepareGraph(MloptInstance *instance,
                                                MloptBinding *binding,
                                                uint32_t piece);
/// Gives a step's node in an executable graph the binding's parameters.
MLOPT_MUST_CHECK MloptStatus *mloptPatchStep(MloptInstance *instance,
                                             MloptBinding *binding,
                                             const MloptStep *step);
/// What a copy or fill looks like to the driver under a binding.
CuMemcpy3D mloptGetCopyParams(const MloptInstance *instance,
                              const MloptBinding *binding,
                              const MloptPlanCopy *copy);
CuMemsetNodeParams mloptGetFillParams(const MloptInstance *instance,
                                      const MloptBinding *binding,
                                      const MloptPlanFill *fill);

#endif // MLOPT_RUNTIME_RUNTIME_H
