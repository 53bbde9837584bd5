/*===- mlopt_runtime.h - Running compiled programs ------------------*- C -*-===
 *
 * Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===------------------------------------------------------------------------===
 *
 * Loads an artifact that `mlopt-compile` wrote and runs it on an NVIDIA GPU.
 * The driver, libcuda.so.1, is opened at run time; nothing else of CUDA is
 * needed, and artifacts can be read and described without it.
 *
 *   MloptDevice *device;        // one GPU
 *   MloptArtifact *artifact;    // a file, checked
 *   MloptProgram *program;      // the artifact's code and constants, on a GPU
 *   MloptInstance *instance;    // one entry of it, with its own arena
 *
 *   MloptStatus *status = mloptOpenDevice(0, NULL, &device);
 *   ...
 *   status = mloptBindPointers(instance, arguments, results);
 *   status = mloptRunInstance(instance, stream);
 *
 * Ownership. What `open`, `read`, `load` and `create` hand out belongs to the
 * caller, who gives it back with the `release` function of its type; `get`
 * borrows from the object asked, for as long as that lives. Each object keeps
 * what it stands on alive, so the order of releases is free. Releasing NULL
 * does nothing. An `out_` parameter is set to NULL before anything can fail.
 *
 * Failure. A function that can fail returns a status: NULL is success, anything
 * else says what failed and is released by the caller. After a failure the
 * object is as it was before the call, and may be used again. Only when the
 * GPU itself is lost (a kernel's fault, an ECC error) does every later call on
 * that device fail too, and say so.
 *
 * Threads. Devices, artifacts and programs may be used by any number of threads
 * at once. An instance is for one thread at a time and its runs must be ordered
 * on the GPU (same stream, or synchronised in between), since they share its
 * arena; threads and streams that run beside each other create an instance
 * each. A status belongs to the thread that received it.
 *
 * Contexts. The device's primary context is used, the one that CUDA's runtime
 * library and thus PyTorch and JAX use. Each call makes it current while it
 * works and leaves the thread's current context as it found it.
 *
 *===------------------------------------------------------------------------===
 */

#ifndef MLOPT_RUNTIME_H
#define MLOPT_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define MLOPT_API __attribute__((visibility("default")))
#define MLOPT_MUST_CHECK __attribute__((warn_unused_result))
#else
#define MLOPT_API
#define MLOPT_MUST_CHECK
#endif

#define MLOPT_RUNTIME_VERSION_MAJOR 0
#define MLOPT_RUNTIME_VERSION_MINOR 1

typedef struct MloptDevice MloptDevice;
typedef struct MloptArtifact MloptArtifact;
typedef struct MloptProgram MloptProgram;
typedef struct MloptInstance MloptInstance;

/* -- Status ---------------------------------------------------------------- */

typedef struct MloptStatus MloptStatus;

typedef enum MloptCode {
  MLOPT_OK = 0,
  MLOPT_INVALID_ARGUMENT = 1, /* the caller passed something impossible */
  MLOPT_BAD_ARTIFACT = 2,     /* damaged, hostile or from another version */
  MLOPT_IO = 3,               /* a file could not be read or written */
  MLOPT_NO_DRIVER = 4,        /* no libcuda.so.1, or one too old */
  MLOPT_NO_DEVICE = 5,        /* no such GPU */
  MLOPT_UNSUPPORTED = 6,      /* this GPU cannot run this artifact */
  MLOPT_OUT_OF_MEMORY = 7,    /* on the GPU or the host; the message says */
  MLOPT_COMPILE = 8,          /* the driver refused the PTX or the cubin */
  MLOPT_LAUNCH = 9,           /* a launch, copy or graph was refused */
  MLOPT_DEVICE_LOST = 10      /* the GPU's context is unusable from now on */
} MloptCode;

/** MLOPT_OK for NULL. */
MLOPT_API MloptCode mloptGetStatusCode(const MloptStatus *status);
/** One or more sentences: what failed, on what, the driver's name for the
 *  error, what to do. "ok" for NULL. */
MLOPT_API const char *mloptGetStatusMessage(const MloptStatus *status);
/** The driver's error number, 0 if the driver was not the one to fail. */
MLOPT_API int mloptGetStatusDriverError(const MloptStatus *status);
MLOPT_API void mloptReleaseStatus(MloptStatus *status);

/* -- Device ---------------------------------------------------------------- */

typedef enum MloptLogLevel {
  MLOPT_LOG_DETAIL = 0, /* graphs built, cubins assembled, cache hits */
  MLOPT_LOG_WARNING = 1 /* the cubin cache cannot be written, ... */
} MloptLogLevel;

/** Options of mloptOpenDevice. Zero-initialise, then set what you need. Hooks
 *  may be called from several threads at once and must not call mlopt. */
typedef struct MloptDeviceOptions {
  /** Passed to the hooks. */
  void *user;
  /** Device memory for arenas, constants and host runs: `bytes` > 0, aligned
   *  to 256. Returns 0 and the address, or anything else on failure. Both hooks
   *  or neither; the driver's own allocation by default. */
  int (*allocate)(void *user, uint64_t bytes, uint64_t *out_pointer);
  void (*release)(void *user, uint64_t pointer);
  /** Called with one line, without newline. Silent by default. */
  void (*log)(void *user, MloptLogLevel level, const char *message);
  /** Where cubins made from PTX are kept, at most half a gigabyte of them.
   *  Default: $XDG_CACHE_HOME/mlopt, or ~/.cache/mlopt. "" turns the cache
   *  off. */
  const char *cache_directory;
  /** Threads that assemble PTX; 0 for as many as there are processors. */
  unsigned compile_threads;
} MloptDeviceOptions;

/** Opens the driver and the `ordinal`th GPU. `options` may be NULL. The
 *  environment variable MLOPT_LIBCUDA names another driver library. */
MLOPT_API MLOPT_MUST_CHECK MloptStatus *
mloptOpenDevice(int ordinal, const MloptDeviceOptions *options,
                MloptDevice **out_device);
MLOPT_API void mloptReleaseDevice(MloptDevice *device);
/** "NVIDIA H200" and "sm_90". */
MLOPT_API const char *mloptGetDeviceName(const MloptDevice *device);
MLOPT_API const char *mloptGetDeviceChip(const MloptDevice *device);
/** Waits for a CUstream (NULL: the default stream). Faults of kernels that ran
 *  on it are reported here. */
MLOPT_API MLOPT_MUST_CHECK MloptStatus *
mloptSynchronizeStream(MloptDevice *device, void *stream);

/* -- Artifact -------------------------------------------------------------- */

/** The type and layout of an argument or result: dense, row-major. */
typedef struct MloptTensorInfo {
  const char *name;
  /** As MLIR spells it: "f32", "bf16", "i1", "f8E4M3FN". i1 takes a byte an
   *  element, i4 is packed two to a byte, low half first. */
  const char *element;
  uint32_t rank;
  const int64_t *shape;
  uint64_t byte_size;
  /** What a bound pointer must be a multiple of. */
  uint32_t alignment;
} MloptTensorInfo;

typedef enum MloptCheckKind {
  MLOPT_CHECK_EQUAL = 0,
  MLOPT_CHECK_CLOSE = 1,       /* at least min_ulp, at most max_ulp apart */
  MLOPT_CHECK_ALMOST_EQUAL = 2 /* at most `tolerance` apart */
} MloptCheckKind;

/** What a program that checks itself promises of two of its results. */
typedef struct MloptCheckInfo {
  MloptCheckKind kind;
  uint32_t actual, expected;
  uint64_t min_ulp, max_ulp;
  double tolerance;
} MloptCheckInfo;

typedef struct MloptEntryInfo {
  const char *name;
  uint32_t argument_count;
  const MloptTensorInfo *arguments;
  uint32_t result_count;
  const MloptTensorInfo *results;
  /** Device memory that an instance holds for intermediates. */
  uint64_t arena_bytes;
  /** Kernel launches in the plan, those of loop bodies once. */
  uint32_t launch_count;
  /** Whether it has loops or branches that the host turns. */
  bool has_control_flow;
  /** Entries without arguments whose results, one after the other, are this
   *  entry's trailing arguments. */
  uint32_t argument_source_count;
  const uint32_t *argument_sources;
  uint32_t check_count;
  const MloptCheckInfo *checks;
} MloptEntryInfo;

/** Reads and checks an artifact. The file stays mapped until it is released. */
MLOPT_API MLOPT_MUST_CHECK MloptStatus *
mloptReadArtifact(const char *path, MloptArtifact **out_artifact);
/** The same from memory, which must outlive the artifact. Weights in separate
 *  files are looked for in `weights_directory` (NULL: where the process is). */
MLOPT_API MLOPT_MUST_CHECK MloptStatus *
mloptReadArtifactFromMemory(const void *data, size_t size,
                            const char *weights_directory,
                            MloptArtifact **out_artifact);
MLOPT_API void mloptReleaseArtifact(MloptArtifact *artifact);

MLOPT_API uint32_t mloptGetEntryCount(const MloptArtifact *artifact);
/** NULL if `entry` is out of range. */
MLOPT_API const MloptEntryInfo *mloptGetEntry(const MloptArtifact *artifact,
                                              uint32_t entry);
/** The number of the entry of this name; entry count if there is none. */
MLOPT_API uint32_t mloptFindEntry(const MloptArtifact *artifact,
                                  const char *name);
/** The program as MLIR bytecode; NULL and 0 if the artifact lacks it. */
MLOPT_API const void *mloptGetSource(const MloptArtifact *artifact,
                                     size_t *out_size);
/** Signature, plan, kernels, arena and constants in words; the caller releases
 *  the text with mloptReleaseText. */
MLOPT_API MLOPT_MUST_CHECK MloptStatus *
mloptExplainArtifact(const MloptArtifact *artifact, char **out_text);
MLOPT_API void mloptReleaseText(char *text);

/* -- Program and instance -------------------------------------------------- */

/** Puts code and constants on the GPU: PTX that has no fitting cubin is
 *  assembled, in parallel and once for each driver and chip. */
MLOPT_API MLOPT_MUST_CHECK MloptStatus *
mloptLoadProgram(MloptDevice *device, MloptArtifact *artifact,
                 MloptProgram **out_program);
MLOPT_API void mloptReleaseProgram(MloptProgram *program);

typedef enum MloptLaunchMode {
  /** A CUDA graph for each stretch of two or more steps. If one cannot be
   *  built the run fails; nothing falls back. */
  MLOPT_LAUNCH_GRAPH = 0,
  /** One driver call for each step. */
  MLOPT_LAUNCH_PLAIN = 1,
  /** Plain, and waits after each step, so that a fault names its kernel. */
  MLOPT_LAUNCH_CHECKED = 2
} MloptLaunchMode;

/** Zero-initialise, then set what you need. */
typedef struct MloptInstanceOptions {
  MloptLaunchMode mode;
  /** How many sets of pointers to keep ready, 8 if 0. A set seen again while it
   *  is kept costs nothing. Each holds parameters and at most one executable
   *  graph for each stretch; a second is made only when sets do recur. */
  uint32_t remembered_bindings;
} MloptInstanceOptions;

/** `options` may be NULL. Allocates the arena. */
MLOPT_API MLOPT_MUST_CHECK MloptStatus *
mloptCreateInstance(MloptProgram *program, uint32_t entry,
                    const MloptInstanceOptions *options,
                    MloptInstance **out_instance);
/** Runs in flight must have ended. */
MLOPT_API void mloptReleaseInstance(MloptInstance *instance);

/** Says where arguments and results are, one device pointer each in the order
 *  of the signature. Nothing is copied, now or later: the memory must stay
 *  until the runs have ended. Results may overlap neither each other nor an
 *  argument: a run refuses such a set. Pointers to tensors without elements are
 *  ignored. */
MLOPT_API MLOPT_MUST_CHECK MloptStatus *
mloptBindPointers(MloptInstance *instance, const uint64_t *arguments,
                  const uint64_t *results);
/** The same for a single one; all must be bound before a run. */
MLOPT_API MLOPT_MUST_CHECK MloptStatus *
mloptBindArgument(MloptInstance *instance, uint32_t index, uint64_t pointer);
MLOPT_API MLOPT_MUST_CHECK MloptStatus *
mloptBindResult(MloptInstance *instance, uint32_t index, uint64_t pointer);

/** The same from DLPack's tensors, each a `const DLTensor *`: they must be on
 *  the program's GPU, of the signature's types and shapes, dense and row-major.
 *  Integers may be of either sign; i4 is a row of bytes. */
MLOPT_API MLOPT_MUST_CHECK MloptStatus *
mloptBindDLTensors(MloptInstance *instance, const void *const *arguments,
                   const void *const *results);
/** The address of one, after the same checks. `index` counts the entry's
 *  arguments, then its results. */
MLOPT_API MLOPT_MUST_CHECK MloptStatus *
mloptLocateDLTensor(const MloptProgram *program, uint32_t entry, uint32_t index,
                    const void *tensor, uint64_t *out_pointer);

/** Puts one run on a CUstream (NULL: the default stream) and returns. If the
 *  stream is capturing, the steps are captured one by one; an entry with
 *  control flow cannot be captured, and waits for the GPU at each turn. */
MLOPT_API MLOPT_MUST_CHECK MloptStatus *
mloptRunInstance(MloptInstance *instance, void *stream);

/** For the Python module: the body of a built-in function (METH_FASTCALL) whose
 *  `self` is an instance's address as a number, called with a stream, then
 *  nothing or all pointers, which are bound first. Returns the status, as a
 *  number; NULL where Python's error is set. */
MLOPT_API void *mloptRunFromPython(void *self, void *const *arguments,
                                   intptr_t count);

/** For convenience: copies arguments from host memory, runs on a stream of its
 *  own, copies results to host memory, waits. Device copies are kept for the
 *  next time, and stay bound. */
MLOPT_API MLOPT_MUST_CHECK MloptStatus *
mloptRunOnHostData(MloptInstance *instance, const void *const *arguments,
                   void *const *results);

/** What an instance has done so far. */
typedef struct MloptStatistics {
  uint64_t runs;
  uint64_t captured_runs;
  uint64_t graph_launches;
  uint64_t plain_steps;       /* launches, copies and fills outside graphs */
  uint64_t graphs_built;      /* executable graphs instantiated */
  uint64_t steps_patched;     /* given new parameters in an executable graph */
  uint64_t bindings_recalled; /* runs that found their pointers ready */
  uint64_t device_bytes;      /* arena and host-run buffers held */
} MloptStatistics;

MLOPT_API void mloptGetStatistics(const MloptInstance *instance,
                                  MloptStatistics *out_statistics);

#ifdef __cplusplus
}
#endif

#endif /* MLOPT_RUNTIME_H */
