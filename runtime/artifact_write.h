//===- artifact_write.h - Making an artifact ----------------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For the compiler: a plan is put together part by part and written at the end.
// The same calls give the same bytes. Parts are named by the numbers that the
// `add` functions return, from 0 in the order of addition.
//
// Nothing fails before the end. Names, shapes and descriptions are copied; PTX,
// cubins, constants and source are borrowed and must live until the artifact is
// written. Writing runs the reader over the result, so that what the runtime
// would refuse is not written.
//
//   MloptArtifactWriter *writer = mloptCreateArtifactWriter("gelu", "mlopt");
//   uint32_t module = mloptAddModule(writer, "m", "sm_90a", ptx, strlen(ptx));
//   uint32_t kernel = mloptAddKernel(writer, module, "gelu_0");
//   MloptEntryWriter *entry = mloptAddEntry(writer, "main");
//   int64_t shape[] = {128, 256};
//   mloptAddArgument(entry, "x", "f32", 2, shape);
//   mloptAddResult(entry, "y", "f32", 2, shape);
//   MloptPlace x = {MLOPT_HOME_ARGUMENT, 0, 0}, y = {MLOPT_HOME_RESULT, 0, 0};
//   uint32_t in = mloptAddBuffer(entry, x, 131072, 16);
//   uint32_t out = mloptAddBuffer(entry, y, 131072, 16);
//   uint32_t segment = mloptAddSegment(entry);
//   MloptLaunchArgument arguments[] = {
//       {MLOPT_ARGUMENT_POINTER, .buffer = in, .access = MLOPT_ACCESS_READ},
//       {MLOPT_ARGUMENT_POINTER, .buffer = out, .access = MLOPT_ACCESS_WRITE}};
//   MloptLaunchParts launch = {kernel, .grid = {64, 1, 1},
//                              .block = {128, 1, 1}, .argument_count = 2,
//                              .arguments = arguments};
//   mloptAddLaunch(entry, segment, &launch);
//   status = mloptWriteArtifact(writer, "gelu.mlopt");
//   mloptReleaseArtifactWriter(writer);
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_RUNTIME_ARTIFACT_WRITE_H
#define MLOPT_RUNTIME_ARTIFACT_WRITE_H

#include "artifact.h"

typedef struct MloptArtifactWriter MloptArtifactWriter;
/// Belongs to its writer.
typedef struct MloptEntryWriter MloptEntryWriter;

/// NULL if the host has no memory. `producer` is for people.
MloptArtifactWriter *mloptCreateArtifactWriter(const char *program,
                                               const char *producer);
void mloptReleaseArtifactWriter(MloptArtifactWriter *writer);

//===----------------------------------------------------------------------===//
// Code and data
//===----------------------------------------------------------------------===//

/// `target` is what the PTX was made for, "sm_90a". `size` is that of the text,
/// without a zero; 0 for a module with cubins only.
uint32_t mloptAddModule(MloptArtifactWriter *writer, const char *name,
                        const char *target, const char *ptx, size_t size);
void mloptAddCubin(MloptArtifactWriter *writer, uint32_t module,
                   const char *chip, const void *image, size_t size);
uint32_t mloptAddKernel(MloptArtifactWriter *writer, uint32_t module,
                        const char *name);
/// A dense tensor; `data` has the bytes of mloptGetTensorBytes.
uint32_t mloptAddConstant(MloptArtifactWriter *writer, const char *name,
                          const char *element, uint32_t rank,
                          const int64_t *shape, const void *data);
/// A constant that is the tensor `tensor` of a .safetensors file, named
/// relative to the artifact's folder.
uint32_t mloptAddWeight(MloptArtifactWriter *writer, const char *name,
                        const char *element, uint32_t rank,
                        const int64_t *shape, const char *file,
                        const char *tensor);
/// The program as MLIR bytecode.
void mloptSetSource(MloptArtifactWriter *writer, const void *data, size_t size);

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

MloptEntryWriter *mloptAddEntry(MloptArtifactWriter *writer, const char *name);
uint32_t mloptAddArgument(MloptEntryWriter *entry, const char *name,
                          const char *element, uint32_t rank,
                          const int64_t *shape);
uint32_t mloptAddResult(MloptEntryWriter *entry, const char *name,
                        const char *element, uint32_t rank,
                        const int64_t *shape);
/// The results of the entry `name` are the next of the trailing arguments.
void mloptAddArgumentSource(MloptEntryWriter *entry, const char *name);
void mloptAddCheck(MloptEntryWriter *entry, const MloptCheckInfo *check);
void mloptSetArenaBytes(MloptEntryWriter *entry, uint64_t bytes);
/// A stretch of memory that steps use. `alignment`, a power of two up to 256,
/// is what kernels assume of its address.
uint32_t mloptAddBuffer(MloptEntryWriter *entry, MloptPlace place,
                        uint64_t bytes, uint32_t alignment);
/// The first is the program; bodies of loops and cases follow, each after the
/// segment whose step names it.
uint32_t mloptAddSegment(MloptEntryWriter *entry);

//===----------------------------------------------------------------------===//
// Steps; each function returns the step's number in its segment.
//===----------------------------------------------------------------------===//

typedef enum MloptAccess {
  MLOPT_ACCESS_READ_WRITE = 0,
  MLOPT_ACCESS_READ = 1,
  MLOPT_ACCESS_WRITE = 2
} MloptAccess;

/// What a kernel's parameter is.
typedef struct MloptLaunchArgument {
  MloptArgumentKind kind;
  uint32_t buffer;    ///< POINTER, MAP
  uint64_t offset;    ///< POINTER, MAP: bytes into the buffer
  MloptAccess access; ///< POINTER, MAP: what the kernel does through it
  uint32_t bytes;     ///< SCALAR: 1, 2, 4 or 8
  uint64_t bits;      ///< SCALAR
  const char *type;   ///< MAP: a name of tensor_map.def
  MloptPlanMap map;   ///< MAP: all but the type
} MloptLaunchArgument;

typedef struct MloptLaunchParts {
  uint32_t kernel;
  uint32_t grid[3], block[3];
  /// All 0 for none, or when the kernel's code fixes it.
  uint32_t cluster[3];
  uint32_t dynamic_shared_bytes;
  uint32_t argument_count;
  const MloptLaunchArgument *arguments;
} MloptLaunchParts;

uint32_t mloptAddLaunch(MloptEntryWriter *entry, uint32_t segment,
                        const MloptLaunchParts *launch);
uint32_t mloptAddCopy(MloptEntryWriter *entry, uint32_t segment,
                      uint32_t source, uint64_t source_offset, uint32_t target,
                      uint64_t target_offset, uint64_t bytes);
/// `count` elements of 1, 2 or 4 bytes with the bits `value`.
uint32_t mloptAddFill(MloptEntryWriter *entry, uint32_t segment,
                      uint32_t target, uint64_t target_offset,
                      uint32_t element_bytes, uint32_t value, uint64_t count);

/// An integer of 1, 2, 4 or 8 bytes in a buffer, that the host reads.
typedef struct MloptFlagParts {
  uint32_t buffer;
  uint64_t offset;
  uint32_t bytes;
} MloptFlagParts;

/// Runs segment `condition`, leaves if the flag is zero, runs `body`, again.
uint32_t mloptAddWhile(MloptEntryWriter *entry, uint32_t segment,
                       uint32_t condition, MloptFlagParts flag, uint32_t body);
uint32_t mloptAddRepeat(MloptEntryWriter *entry, uint32_t segment,
                        uint64_t count, uint32_t body);
/// Runs the case that the flag numbers, or the last if it is out of range.
uint32_t mloptAddSwitch(MloptEntryWriter *entry, uint32_t segment,
                        MloptFlagParts flag, uint32_t case_count,
                        const uint32_t *cases);

/// The segment's last step starts when step `before` has ended; call in rising
/// order of `before`. `programmatic`, between launches: it may start earlier,
/// since its kernel executes griddepcontrol.wait in every block before it
/// touches memory that an earlier step wrote, or writes memory that an earlier
/// one reads. Steps without an edge between them may run side by side, except
/// that loops and switches wait for all before them, and all after wait for
/// them.
void mloptAddEdge(MloptEntryWriter *entry, uint32_t segment, uint32_t before,
                  bool programmatic);

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// The bytes of the artifact; the caller frees them with free().
MLOPT_MUST_CHECK MloptStatus *
mloptSerializeArtifact(MloptArtifactWriter *writer, uint8_t **out_data,
                       size_t *out_size);
/// Writes them to a file, whole or not at all.
MLOPT_MUST_CHECK MloptStatus *mloptWriteArtifact(MloptArtifactWriter *writer,
                                                 const char *path);

#endif // MLOPT_RUNTIME_ARTIFACT_WRITE_H
