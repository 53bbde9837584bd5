//===- runtime_plans.c - Programs for the runtime's tests -----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime_plans.h"

#include <stdlib.h>
#include <string.h>

int passed, failed;
static void **to_free;
static size_t to_free_count;

void check(bool good, const char *words, const char *file, int line) {
  ++*(good ? &passed : &failed);
  if (!good)
    printf("%s:%d: %s\n", file, line, words);
}

bool checkOk(MloptStatus *status, const char *file, int line) {
  check(!status, mloptGetStatusMessage(status), file, line);
  bool good = !status;
  mloptReleaseStatus(status);
  return good;
}

void checkFails(MloptStatus *status, MloptCode code, const char *words,
                const char *file, int line) {
  const char *message = mloptGetStatusMessage(status);
  bool good = mloptGetStatusCode(status) == code && strstr(message, words);
  check(good, message, file, line);
  if (!good)
    printf("  instead of %d: %s\n", code, words);
  mloptReleaseStatus(status);
}

int finish(const char *folder) {
  char command[256];
  snprintf(command, sizeof command, "rm -rf '%s'", folder ? folder : "");
  if (folder)
    CHECK(system(command) == 0);
  while (to_free_count)
    free(to_free[--to_free_count]);
  free(to_free);
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static const char *const kernel_names[] = {"add1", "scale", "sum",
                                           "load", "less",  "inc"};

static const int64_t shape[] = {WIDTH};
const char *plan_ptx = ".version 8.6\n.target sm_90a\n";

MloptArtifactWriter *createWriter(void) {
  MloptArtifactWriter *writer = mloptCreateArtifactWriter("test", "tests");
  if (!writer)
    return NULL;
  mloptAddModule(writer, "m", "sm_90a", plan_ptx, strlen(plan_ptx));
  for (size_t i = 0; i < sizeof kernel_names / sizeof *kernel_names; ++i)
    mloptAddKernel(writer, 0, kernel_names[i]);
  mloptSetSource(writer, "ML\xefR", 4);
  return writer;
}

static uint32_t addBuffer(MloptEntryWriter *entry, MloptHome home,
                          uint32_t index, uint64_t offset) {
  return mloptAddBuffer(entry, (MloptPlace){home, index, offset}, BYTES, 16);
}

MloptEntryWriter *createMain(MloptArtifactWriter *writer) {
  MloptEntryWriter *entry = mloptAddEntry(writer, "main");
  mloptAddArgument(entry, "x", "f32", 1, shape);
  mloptAddResult(entry, "y", "f32", 1, shape);
  mloptSetArenaBytes(entry, 768);
  addBuffer(entry, MLOPT_HOME_ARGUMENT, 0, 0);
  addBuffer(entry, MLOPT_HOME_RESULT, 0, 0);
  for (uint64_t i = 0; i < 3; ++i)
    addBuffer(entry, MLOPT_HOME_ARENA, 0, 256 * i);
  mloptAddSegment(entry);
  return entry;
}

static MloptLaunchArgument pointer(uint32_t buffer, MloptAccess access) {
  return (MloptLaunchArgument){
      .kind = MLOPT_ARGUMENT_POINTER, .buffer = buffer, .access = access};
}

static MloptLaunchArgument scalar(uint32_t bits) {
  return (MloptLaunchArgument){
      .kind = MLOPT_ARGUMENT_SCALAR, .bytes = 4, .bits = bits};
}

static MloptLaunchArgument tensorMap(uint32_t buffer) {
  return (MloptLaunchArgument){.kind = MLOPT_ARGUMENT_MAP,
                               .buffer = buffer,
                               .access = MLOPT_ACCESS_READ,
                               .type = "f32",
                               .map = {.rank = 2,
                                       .dims = {4, 2},
                                       .strides = {16},
                                       .box = {4, 2},
                                       .element_strides = {1, 1}}};
}

uint32_t launch(MloptEntryWriter *entry, uint32_t segment, enum Kernels kernel,
                uint32_t in, uint32_t other, uint32_t out, uint32_t bits) {
  MloptLaunchArgument arguments[3] = {pointer(in, MLOPT_ACCESS_READ)};
  uint32_t count = 1;
  if (kernel == SUM)
    arguments[count++] = pointer(other, MLOPT_ACCESS_READ);
  if (kernel == LOAD)
    arguments[0] = tensorMap(in);
  if (kernel == LESS)
    arguments[count++] = scalar(bits);
  if (kernel == INC)
    arguments[0].access = MLOPT_ACCESS_READ_WRITE;
  else
    arguments[count++] = pointer(out, MLOPT_ACCESS_WRITE);
  if (kernel == SCALE)
    arguments[count++] = scalar(bits);
  MloptLaunchParts parts = {.kernel = kernel,
                            .grid = {2, 1, 1},
                            .block = {32, 1, 1},
                            .argument_count = count,
                            .arguments = arguments};
  if (kernel == SUM)
    parts.cluster[0] = 2, parts.cluster[1] = parts.cluster[2] = 1;
  if (kernel == LOAD)
    parts.dynamic_shared_bytes = 65536;
  return mloptAddLaunch(entry, segment, &parts);
}

static uint32_t bitsOf(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

MloptArtifactWriter *planSingle(void) {
  MloptArtifactWriter *writer = createWriter();
  launch(createMain(writer), 0, ADD1, X, 0, Y, 0);
  return writer;
}

MloptArtifactWriter *planChain(void) {
  MloptArtifactWriter *writer = createWriter();
  MloptEntryWriter *entry = createMain(writer);
  launch(entry, 0, ADD1, X, 0, A, 0);
  launch(entry, 0, SCALE, A, 0, B, bitsOf(3));
  mloptAddEdge(entry, 0, 0, true);
  launch(entry, 0, ADD1, B, 0, Y, 0);
  mloptAddEdge(entry, 0, 1, true);
  return writer;
}

MloptArtifactWriter *planBranches(void) {
  MloptArtifactWriter *writer = createWriter();
  MloptEntryWriter *entry = createMain(writer);
  launch(entry, 0, ADD1, X, 0, A, 0);
  launch(entry, 0, SCALE, X, 0, B, bitsOf(2));
  launch(entry, 0, SUM, A, B, Y, 0);
  mloptAddEdge(entry, 0, 0, false);
  mloptAddEdge(entry, 0, 1, false);
  return writer;
}

MloptArtifactWriter *planCopies(void) {
  MloptArtifactWriter *writer = createWriter();
  MloptEntryWriter *entry = createMain(writer);
  mloptAddResult(entry, "z", "i16", 1, shape);
  uint32_t z = mloptAddBuffer(entry, (MloptPlace){MLOPT_HOME_RESULT, 1, 0},
                              2 * WIDTH, 2);
  mloptAddCopy(entry, 0, X, 0, A, 0, BYTES);
  mloptAddCopy(entry, 0, A, 0, Y, 0, BYTES);
  mloptAddEdge(entry, 0, 0, false);
  mloptAddFill(entry, 0, z, 0, 2, 7, WIDTH);
  return writer;
}

MloptArtifactWriter *planMap(void) {
  MloptArtifactWriter *writer = createWriter();
  MloptEntryWriter *entry = createMain(writer);
  // The map sees rows of four.
  mloptAddFill(entry, 0, Y, 0, 4, 0, WIDTH);
  launch(entry, 0, LOAD, X, 0, Y, 0);
  mloptAddEdge(entry, 0, 0, false);
  return writer;
}

MloptArtifactWriter *planConstant(void) {
  static const float values[WIDTH] = {0.5f, 1.5f, 2.5f, 3.5f,
                                      4.5f, 5.5f, 6.5f, 7.5f};
  MloptArtifactWriter *writer = createWriter();
  MloptEntryWriter *entry = createMain(writer);
  mloptAddConstant(writer, "unused", "i1", 1, (int64_t[]){3}, "\0\1\1");
  uint32_t number = mloptAddConstant(writer, "c", "f32", 1, shape, values);
  uint32_t constant = addBuffer(entry, MLOPT_HOME_CONSTANT, number, 0);
  launch(entry, 0, SUM, X, constant, Y, 0);
  return writer;
}

MloptArtifactWriter *planWeights(void) {
  MloptArtifactWriter *writer = createWriter();
  MloptEntryWriter *entry = createMain(writer);
  uint32_t number =
      mloptAddWeight(writer, "w", "f32", 1, shape, "w.safetensors", "w");
  uint32_t weight = addBuffer(entry, MLOPT_HOME_CONSTANT, number, 0);
  launch(entry, 0, SUM, X, weight, Y, 0);
  return writer;
}

/// y = x; then the body adds 1 to y through A, and counts in C.
static void addBody(MloptEntryWriter *entry, uint32_t segment) {
  launch(entry, segment, ADD1, Y, 0, A, 0);
  mloptAddCopy(entry, segment, A, 0, Y, 0, BYTES);
  mloptAddEdge(entry, segment, 0, false);
  launch(entry, segment, INC, C, 0, 0, 0);
}

MloptArtifactWriter *planLoop(void) {
  MloptArtifactWriter *writer = createWriter();
  MloptEntryWriter *entry = createMain(writer);
  uint32_t condition = mloptAddSegment(entry), body = mloptAddSegment(entry);
  mloptAddCopy(entry, 0, X, 0, Y, 0, BYTES);
  mloptAddFill(entry, 0, C, 0, 4, 0, 1);
  mloptAddWhile(entry, 0, condition, (MloptFlagParts){B, 4, 1}, body);
  MloptLaunchArgument arguments[] = {
      pointer(C, MLOPT_ACCESS_READ),
      scalar(5),
      {.kind = MLOPT_ARGUMENT_POINTER, .buffer = B, .offset = 4}};
  mloptAddLaunch(entry, condition,
                 &(MloptLaunchParts){.kernel = LESS,
                                     .grid = {1, 1, 1},
                                     .block = {1, 1, 1},
                                     .argument_count = 3,
                                     .arguments = arguments});
  addBody(entry, body);
  return writer;
}

MloptArtifactWriter *planRepeat(void) {
  MloptArtifactWriter *writer = createWriter();
  MloptEntryWriter *entry = createMain(writer);
  uint32_t body = mloptAddSegment(entry);
  mloptAddCopy(entry, 0, X, 0, Y, 0, BYTES);
  mloptAddRepeat(entry, 0, 3, body);
  // What follows the loop waits for it whatever its edges say.
  mloptAddFill(entry, 0, A, 0, 1, 9, 3);
  mloptAddEdge(entry, 0, 0, false);
  mloptAddCopy(entry, 0, A, 0, B, 0, BYTES);
  mloptAddEdge(entry, 0, 1, false);
  mloptAddEdge(entry, 0, 2, false);
  addBody(entry, body);
  return writer;
}

MloptArtifactWriter *planSwitch(void) {
  MloptArtifactWriter *writer = createWriter();
  MloptEntryWriter *entry = createMain(writer);
  mloptAddArgument(entry, "s", "i32", 0, NULL);
  uint32_t s =
      mloptAddBuffer(entry, (MloptPlace){MLOPT_HOME_ARGUMENT, 1, 0}, 4, 4);
  uint32_t cases[3];
  for (int i = 0; i < 3; ++i)
    cases[i] = mloptAddSegment(entry);
  mloptAddSwitch(entry, 0, (MloptFlagParts){s, 0, 4}, 3, cases);
  launch(entry, cases[0], ADD1, X, 0, Y, 0);
  launch(entry, cases[1], SCALE, X, 0, Y, bitsOf(2));
  launch(entry, cases[2], SCALE, X, 0, Y, bitsOf(3));
  return writer;
}

MloptArtifactWriter *planEmpty(void) {
  MloptArtifactWriter *writer = createWriter();
  MloptEntryWriter *entry = mloptAddEntry(writer, "main");
  mloptAddArgument(entry, "x", "f32", 2, (int64_t[]){0, 4});
  mloptAddResult(entry, "y", "bf16", 1, (int64_t[]){0});
  mloptAddSegment(entry);
  return writer;
}

MloptArtifactWriter *planChecks(void) {
  MloptArtifactWriter *writer = createWriter();
  MloptEntryWriter *entry = createMain(writer);
  mloptAddResult(entry, "expected", "f32", 1, shape);
  mloptAddArgument(entry, "e", "f32", 1, shape);
  uint32_t out = addBuffer(entry, MLOPT_HOME_RESULT, 1, 0);
  uint32_t e = addBuffer(entry, MLOPT_HOME_ARGUMENT, 1, 0);
  launch(entry, 0, ADD1, X, 0, Y, 0);
  mloptAddCopy(entry, 0, e, 0, out, 0, BYTES);
  mloptAddCheck(entry, &(MloptCheckInfo){MLOPT_CHECK_CLOSE, 0, 1, 0, 3, 0.001});
  const char *names[] = {"inputs", "expected"};
  for (int i = 0; i < 2; ++i) {
    mloptAddArgumentSource(entry, names[i]);
    MloptEntryWriter *source = mloptAddEntry(writer, names[i]);
    mloptAddResult(source, "r", "f32", 1, shape);
    uint32_t buffer = addBuffer(source, MLOPT_HOME_RESULT, 0, 0);
    mloptAddSegment(source);
    mloptAddFill(source, 0, buffer, 0, 4, bitsOf((float)i), WIDTH);
  }
  return writer;
}

const Plan plans[] = {planSingle, planChain,    planBranches, planCopies,
                      planMap,    planConstant, planWeights,  planLoop,
                      planRepeat, planSwitch,   planEmpty,    planChecks};
const int plan_count = sizeof plans / sizeof *plans;

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

uint8_t *serialize(MloptArtifactWriter *taken_writer, size_t *out_size) {
  uint8_t *data;
  CHECK_OK(mloptSerializeArtifact(taken_writer, &data, out_size));
  mloptReleaseArtifactWriter(taken_writer);
  return data;
}

MloptArtifact *readPlan(MloptArtifactWriter *taken_writer) {
  size_t size;
  uint8_t *data = serialize(taken_writer, &size);
  to_free = realloc(to_free, (to_free_count + 1) * sizeof *to_free);
  to_free[to_free_count++] = data;
  MloptArtifact *artifact;
  CHECK_OK(mloptReadArtifactFromMemory(data, size, NULL, &artifact));
  return artifact;
}

void seal(uint8_t *data, size_t size) {
  MloptArtifactHeader header;
  memcpy(&header, data, sizeof header);
  header.checksum = 0;
  header.checksum = mloptChecksum(mloptChecksum(0, &header, sizeof header),
                                  data + sizeof header, size - sizeof header);
  memcpy(data, &header, sizeof header);
}
