//===- runtime_artifact_test.c - Writing and reading artifacts ------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is written is read back; what is damaged or wrong is a message.
//
//===----------------------------------------------------------------------===//

#include "runtime.h"
#include "runtime_plans.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/mlopt-artifact-test-XXXXXX";

static MloptStatus *readBytes(const uint8_t *data, size_t size) {
  MloptArtifact *artifact;
  MloptStatus *status =
      mloptReadArtifactFromMemory(data, size, NULL, &artifact);
  CHECK((artifact == NULL) == (status != NULL));
  mloptReleaseArtifact(artifact);
  return status;
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

static void testSignature(void) {
  MloptArtifact *artifact = readPlan(planChecks());
  CHECK(mloptGetEntryCount(artifact) == 3);
  CHECK(mloptFindEntry(artifact, "main") == 0);
  CHECK(mloptFindEntry(artifact, "nothing") == 3);
  CHECK(!mloptGetEntry(artifact, 3));
  const MloptEntryInfo *entry = mloptGetEntry(artifact, 0);
  CHECK(entry->argument_count == 2 && entry->result_count == 2);
  CHECK(!strcmp(entry->arguments[0].name, "x"));
  CHECK(!strcmp(entry->arguments[0].element, "f32"));
  CHECK(entry->arguments[0].rank == 1 && entry->arguments[0].shape[0] == 8);
  CHECK(entry->arguments[0].byte_size == 32);
  CHECK(entry->arguments[0].alignment == 16);
  CHECK(entry->arena_bytes == 768 && entry->launch_count == 1);
  CHECK(!entry->has_control_flow);
  CHECK(entry->argument_source_count == 2 && entry->argument_sources[1] == 2);
  CHECK(entry->check_count == 1 && entry->checks[0].max_ulp == 3);
  size_t size;
  const void *source = mloptGetSource(artifact, &size);
  CHECK(size == 4 && !memcmp(source, "ML\xefR", 4));
  mloptReleaseArtifact(artifact);
}

static void testExplain(void) {
  static const struct {
    Plan plan;
    const char *words;
  } rows[] = {
      {planChain, "1: launch scale, grid 2x1x1, block 32x1x1 (arena+0, "
                  "arena+256, 0x40400000), after 0 (programmatic)"},
      {planBranches, "cluster 2x1x1 (arena+0, arena+256, y), after 0, 1"},
      {planCopies, "2: fill 8 elements of 2 bytes with 0x7 at z"},
      {planCopies, "0: copy 32 bytes from x to arena+0"},
      {planMap, "65536 bytes of shared memory (x as a tensor map of box 2x4"},
      {planConstant, "constant 1, c: tensor<8xf32>, 32 bytes"},
      {planWeights, "tensor w of w.safetensors"},
      {planLoop, "loop: segment 1, then while the 1-byte flag at arena+260"},
      {planRepeat, "repeat segment 1, 3 times"},
      {planSwitch, "switch on the 4-byte flag at s, segments 1 2 3"},
      {planChecks, "check: result 0 is close to result 1"},
      {planChecks, "trailing arguments from entry inputs"},
      {planSingle, "argument 0, x: tensor<8xf32>, 32 bytes, aligned to 16"},
      {planSingle, "module 0, m, for sm_90a: PTX of"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    MloptArtifact *artifact = readPlan(rows[i].plan());
    char *text;
    CHECK_OK(mloptExplainArtifact(artifact, &text));
    bool found = text && strstr(text, rows[i].words);
    CHECK(found);
    if (!found)
      printf("no \"%s\" in\n%s", rows[i].words, text);
    mloptReleaseText(text);
    mloptReleaseArtifact(artifact);
  }
}

/// A cubin is an ELF image; its section table must lie in it.
static void testCubins(void) {
  static const struct {
    uint64_t table, offset, bytes;
    bool good;
  } rows[] = {{64, 64, 64, true},
              {65, 64, 64, false},
              {64, 64, 65, false},
              {64, UINT64_MAX, 2, false}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    uint8_t image[128] = "\177ELF\2\1";
    uint16_t sizes[] = {0, 0, 64, 1, 0};
    memcpy(image + 40, &rows[i].table, 8);
    memcpy(image + 54, sizes, sizeof sizes);
    memcpy(image + 64 + 24, &rows[i].offset, 8);
    memcpy(image + 64 + 32, &rows[i].bytes, 8);
    MloptArtifactWriter *writer = planSingle();
    mloptAddCubin(writer, 0, "sm_90a", image, sizeof image);
    uint8_t *data;
    size_t size;
    MloptStatus *status = mloptSerializeArtifact(writer, &data, &size);
    if (rows[i].good)
      CHECK_OK(status);
    else
      CHECK_FAILS(status, MLOPT_BAD_ARTIFACT, "is no whole ELF image");
    free(data);
    mloptReleaseArtifactWriter(writer);
  }
}

static void testSameBytes(void) {
  for (int i = 0; i < plan_count; ++i) {
    size_t size, again_size;
    uint8_t *data = serialize(plans[i](), &size);
    uint8_t *again = serialize(plans[i](), &again_size);
    CHECK(size == again_size && !memcmp(data, again, size));
    free(data);
    free(again);
  }
}

static void testFiles(void) {
  char path[256];
  snprintf(path, sizeof path, "%s/a.mlopt", folder);
  MloptArtifactWriter *writer = planChain();
  CHECK_OK(mloptWriteArtifact(writer, path));
  CHECK_OK(mloptWriteArtifact(writer, path));
  CHECK_FAILS(mloptWriteArtifact(writer, "/no/such/folder/a.mlopt"), MLOPT_IO,
              "cannot write /no/such/folder/a.mlopt");
  CHECK_FAILS(mloptWriteArtifact(writer, folder), MLOPT_IO, "Is a directory");
  mloptReleaseArtifactWriter(writer);
  MloptArtifact *artifact;
  CHECK_OK(mloptReadArtifact(path, &artifact));
  mloptReleaseArtifact(artifact);
  CHECK_FAILS(mloptReadArtifact("/no/such", &artifact), MLOPT_IO,
              "cannot open /no/such: No such file");
  CHECK_FAILS(mloptReadArtifact(folder, &artifact), MLOPT_IO,
              "no regular file");
  FILE *file = fopen(path, "wb");
  fclose(file);
  CHECK_FAILS(mloptReadArtifact(path, &artifact), MLOPT_BAD_ARTIFACT,
              "not an mlopt artifact");
}

//===----------------------------------------------------------------------===//
// Damage
//===----------------------------------------------------------------------===//

/// Every changed bit and every cut is noticed.
static void testDamage(void) {
  size_t size;
  uint8_t *data = serialize(planConstant(), &size);
  int accepted = 0;
  for (size_t i = 0; i < size; ++i)
    for (int bit = 0; bit < 8; ++bit) {
      data[i] ^= (uint8_t)(1 << bit);
      MloptStatus *status = readBytes(data, size);
      accepted += !status;
      mloptReleaseStatus(status);
      data[i] ^= (uint8_t)(1 << bit);
    }
  CHECK(accepted == 0);
  for (size_t i = 0; i < size; ++i) {
    uint8_t *cut = malloc(i + 1); // so that a sanitizer sees its end
    memcpy(cut, data, i);
    MloptStatus *status = readBytes(cut, i);
    CHECK(status != NULL);
    mloptReleaseStatus(status);
    free(cut);
  }
  CHECK_OK(readBytes(data, size));
  free(data);
}

/// With the checksum made right again nothing crashes; most is refused.
static void testHostility(void) {
  for (int i = 0; i < plan_count; ++i) {
    size_t size;
    uint8_t *data = serialize(plans[i](), &size);
    for (size_t at = 0; at < size; ++at) {
      static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
      uint8_t kept = data[at];
      for (size_t j = 0; j < sizeof values; ++j) {
        data[at] = values[j];
        seal(data, size);
        mloptReleaseStatus(readBytes(data, size));
      }
      data[at] = kept;
    }
    seal(data, size);
    CHECK_OK(readBytes(data, size));
    free(data);
  }
}

static void testHeader(void) {
  size_t size;
  uint8_t *data = serialize(planSingle(), &size);
  MloptArtifactHeader *header = (MloptArtifactHeader *)data;
  header->version = 9;
  CHECK_FAILS(readBytes(data, size), MLOPT_BAD_ARTIFACT, "has version 9");
  header->version = MLOPT_ARTIFACT_VERSION;
  CHECK_FAILS(readBytes(data, size - 64), MLOPT_BAD_ARTIFACT, "cut short");
  header->checksum ^= 1;
  CHECK_FAILS(readBytes(data, size), MLOPT_BAD_ARTIFACT, "damaged");
  header->sections[2].offset += 64;
  seal(data, size);
  CHECK_FAILS(readBytes(data, size), MLOPT_BAD_ARTIFACT, "section");
  header->sections[2].offset -= 64;
  header->sections[0].size = UINT64_MAX;
  seal(data, size);
  CHECK_FAILS(readBytes(data, size), MLOPT_BAD_ARTIFACT, "section");
  free(data);
}

//===----------------------------------------------------------------------===//
// Wrong plans
//===----------------------------------------------------------------------===//

static MloptLaunchArgument mapOf(uint64_t dim, uint64_t stride, uint32_t box,
                                 uint32_t swizzle, const char *type) {
  return (MloptLaunchArgument){.kind = MLOPT_ARGUMENT_MAP,
                               .buffer = X,
                               .access = MLOPT_ACCESS_READ,
                               .type = type,
                               .map = {.rank = 2,
                                       .dims = {dim, 2},
                                       .strides = {stride},
                                       .box = {box, 2},
                                       .swizzle = swizzle}};
}

/// Two pixels of four elements each.
static MloptLaunchArgument pixelsOf(int32_t low, int32_t high,
                                    uint32_t pixels) {
  MloptLaunchArgument argument = mapOf(4, 16, 4, 0, "f32");
  MloptPlanMap *map = &argument.map;
  map->rank = 3;
  map->dims[2] = 1;
  map->strides[1] = 32;
  map->pixels = true;
  map->box[1] = pixels;
  map->low[0] = low;
  map->high[0] = high;
  return argument;
}

/// Makes one plan for each number, wrong in one thing; the words of the
/// message, NULL past the last.
static const char *breakPlan(int number, MloptArtifactWriter *writer) {
  MloptEntryWriter *entry = createMain(writer);
  MloptLaunchArgument out = {.kind = MLOPT_ARGUMENT_POINTER, .buffer = Y};
  MloptLaunchParts good = {ADD1, {1, 1, 1}, {32, 1, 1}, {0, 0, 0}, 0, 1, &out};
  MloptLaunchArgument map[] = {out, mapOf(4, 16, 4, 0, "f32")};
  mloptAddLaunch(entry, 0, &good);
  switch (number) {
  case 0:
    good.kernel = 99;
    mloptAddLaunch(entry, 0, &good);
    return "segment 0, step 1: kernel 99 of 6";
  case 1:
    good.grid[1] = 70000;
    mloptAddLaunch(entry, 0, &good);
    return "grid 70000, block 1, cluster 0 in dimension 1";
  case 2:
    good.block[0] = good.block[1] = 64;
    mloptAddLaunch(entry, 0, &good);
    return "4096 threads in a block";
  case 3:
    good.cluster[0] = 2, good.cluster[1] = good.cluster[2] = 1;
    mloptAddLaunch(entry, 0, &good);
    return "grid 1, block 32, cluster 2";
  case 4:
    good.dynamic_shared_bytes = 2 << 20;
    mloptAddLaunch(entry, 0, &good);
    return "2097152 bytes of shared memory";
  case 5:
    out.buffer = X;
    mloptAddLaunch(entry, 0, &good);
    return "writes to buffer 0, which is an argument";
  case 6:
    out.buffer = 77;
    mloptAddLaunch(entry, 0, &good);
    return "buffer 77 of 5";
  case 7:
    out.offset = 33;
    mloptAddLaunch(entry, 0, &good);
    return "0 bytes at 33 of buffer 1, which has 32";
  case 8:
    out = (MloptLaunchArgument){.kind = MLOPT_ARGUMENT_SCALAR, .bytes = 3};
    mloptAddLaunch(entry, 0, &good);
    return "a scalar of 3 bytes";
  case 9:
    out = (MloptLaunchArgument){
        .kind = MLOPT_ARGUMENT_SCALAR, .bytes = 2, .bits = 70000};
    mloptAddLaunch(entry, 0, &good);
    return "a scalar of 2 bytes holds more";
  case 10:
    mloptAddBuffer(entry, (MloptPlace){MLOPT_HOME_ARENA, 0, 760}, 16, 1);
    return "buffer 5 of 16 bytes at 760 does not fit into 768";
  case 11:
    mloptAddBuffer(entry, (MloptPlace){MLOPT_HOME_ARENA, 0, 8}, 16, 16);
    return "buffer 5 at 8 cannot be aligned to 16";
  case 12:
    mloptAddBuffer(entry, (MloptPlace){MLOPT_HOME_CONSTANT, 3, 0}, 16, 1);
    return "in tensor 3, which does not exist";
  case 13:
    mloptAddBuffer(entry, (MloptPlace){MLOPT_HOME_ARENA, 0, (uint64_t)1 << 63},
                   16, 1);
    return "out of range";
  case 14:
    mloptAddCopy(entry, 0, A, 0, A, 16, 17);
    return "17 bytes at 16 of buffer 2";
  case 15:
    mloptAddCopy(entry, 0, A, 0, A, 8, 16);
    return "a copy that overlaps itself";
  case 16:
    mloptAddCopy(entry, 0, A, 0, B, 0, 0);
    return "a copy of nothing";
  case 17:
    mloptAddFill(entry, 0, A, 0, 3, 0, 1);
    return "a fill with 1 elements of 3 bytes";
  case 18:
    mloptAddFill(entry, 0, A, 2, 4, 0, 1);
    return "a fill at an odd address";
  case 19:
    mloptAddEdge(entry, 0, 0, false);
    return "segment 0, step 0: it waits for step 0";
  case 20:
    mloptAddCopy(entry, 0, A, 0, B, 0, 8);
    mloptAddEdge(entry, 0, 0, true);
    return "a programmatic dependence on step 0, but not between launches";
  case 21:
    mloptAddLaunch(entry, 0, &good);
    mloptAddEdge(entry, 0, 0, false);
    mloptAddEdge(entry, 0, 0, false);
    return "not in rising order";
  case 22:
    mloptAddSegment(entry);
    return "no step runs segment 1";
  case 23:
    mloptAddRepeat(entry, 0, 2, 0);
    return "segment 0 cannot be its body";
  case 24:
    mloptAddSegment(entry);
    mloptAddRepeat(entry, 0, 2, 1);
    mloptAddRepeat(entry, 0, 2, 1);
    return "step 2: segment 1 cannot be its body";
  case 25:
    for (uint32_t i = 0; i < 40; ++i)
      mloptAddRepeat(entry, i, 2, mloptAddSegment(entry));
    return "more than 32 segments in each other";
  case 26:
    mloptAddSegment(entry);
    mloptAddSwitch(entry, 0, (MloptFlagParts){A, 0, 5}, 1, (uint32_t[]){1});
    return "its flag is no integer";
  case 27:
    mloptAddSwitch(entry, 0, (MloptFlagParts){A, 0, 4}, 0, NULL);
    return "a switch without cases";
  case 28:
    mloptAddResult(entry, "z", "f32", 0, NULL);
    return "no step writes result z";
  case 29:
    mloptAddArgument(entry, "z", "f31", 0, NULL);
    return "argument z has the unknown type f31";
  case 30:
    mloptAddArgument(entry, "z", "f64", 2,
                     (int64_t[]){(int64_t)1 << 40, (int64_t)1 << 40});
    return "or is too large";
  case 31:
    mloptAddEntry(writer, "main");
    return "two entries are named main";
  case 32:
    mloptAddKernel(writer, 5, "k");
    return "kernel k is in module 5 of 1";
  case 33:
    mloptAddModule(writer, "n", "sm_90", NULL, 0);
    return "module n has no code";
  case 34:
    mloptAddCubin(writer, 0, "sm_90", "\177ELF", 4);
    return "the cubin for sm_90 is no whole ELF image";
  case 35:
    mloptAddWeight(writer, "w", "f32", 0, NULL, "../secret.safetensors", "w");
    return "not below the artifact's folder";
  case 36:
    mloptAddArgumentSource(entry, "other");
    return "its source other is no entry without arguments";
  case 37:
    mloptAddCheck(entry, &(MloptCheckInfo){MLOPT_CHECK_EQUAL, 0, 1, 0, 0, 0});
    return "check 0 is out of range";
  case 38:
    map[1] = mapOf(4, 24, 4, 0, "f32");
    break;
  case 39:
    map[1] = mapOf(9, 48, 4, 0, "f32");
    break;
  case 40:
    map[1] = mapOf(4, 16, 2, 0, "f32");
    break;
  case 41:
    map[1] = mapOf(4, 16, 16, 1, "f32");
    break;
  case 42:
    map[1] = mapOf(4, 16, 257, 0, "f32");
    break;
  case 43:
    map[1] = mapOf(4, 16, 4, 0, "f31");
    break;
  case 44:
    map[1].offset = 8;
    map[1].map.dims[0] = 2;
    break;
  case 45:
    map[1].map.dims[1] = 0;
    break;
  case 46:
    map[1].map.rank = 0;
    break;
  case 47:
    map[1] = pixelsOf(-40000, 0, 1);
    break;
  case 48:
    map[1] = pixelsOf(0, -2, 1);
    break;
  case 49:
    map[1] = pixelsOf(0, 0, 1025);
    break;
  case 50:
    mloptAddKernel(writer, 0, "new\nline");
    return "control character";
  case 51:
    mloptAddKernel(writer, 0, "");
    return "a name of no bytes";
  case 52: {
    static MloptLaunchArgument many[4100];
    for (int i = 0; i < 4100; ++i)
      many[i] = out;
    good.argument_count = 4100;
    good.arguments = many;
    mloptAddLaunch(entry, 0, &good);
    return "32800 bytes of kernel parameters";
  }
  default:
    return NULL;
  }
  static const char *const map_words[] = {
      "stride 1 is 24, no multiple of 16",
      "84 bytes at 0 of buffer 0, which has 32",
      "a box row of 8 bytes",
      "a box row of 64 bytes",
      "box 257",
      "an unknown element type",
      "its address is no multiple of 16",
      "dimension 1 is 0",
      "0 dimensions",
      "a window from -40000 to 0",
      "a window from 0 to -2",
      "box 1025"};
  good.argument_count = 2;
  good.arguments = map;
  mloptAddLaunch(entry, 0, &good);
  return map_words[number - 38];
}

static void testWrongPlans(void) {
  for (int i = 0;; ++i) {
    MloptArtifactWriter *writer = createWriter();
    const char *words = breakPlan(i, writer);
    uint8_t *data = NULL;
    size_t size;
    if (words)
      CHECK_FAILS(mloptSerializeArtifact(writer, &data, &size),
                  MLOPT_BAD_ARTIFACT, words);
    mloptReleaseArtifactWriter(writer);
    free(data);
    if (!words)
      break;
  }
}

/// Many empty messages do not make the reader take all memory.
static void testBudget(void) {
  enum { PLAN = 4 << 20 };
  size_t size = sizeof(MloptArtifactHeader) + PLAN;
  uint8_t *data = calloc(1, size);
  MloptArtifactHeader header = {.version = MLOPT_ARTIFACT_VERSION,
                                .header_size = sizeof header,
                                .file_size = size};
  memcpy(header.magic, MLOPT_ARTIFACT_MAGIC, sizeof header.magic);
  for (int i = 0; i < MLOPT_SECTION_COUNT; ++i)
    header.sections[i].offset = i ? size : sizeof header;
  header.sections[0].size = PLAN;
  for (size_t i = sizeof header; i < size; i += 2)
    data[i] = 7 << 3 | 2; // an empty Entry
  memcpy(data, &header, sizeof header);
  seal(data, size);
  CHECK_FAILS(readBytes(data, size), MLOPT_BAD_ARTIFACT, "no valid message");
  free(data);
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

static void testWeights(void) {
  static const int64_t shape[] = {2, 2};
  MloptTensorInfo type = {
      .element = "i8", .rank = 2, .shape = shape, .byte_size = 4};
  static const struct {
    const char *json, *words;
  } rows[] = {
      {"{\"__metadata__\": {\"a\": [1, {\"}\": \"]\"}]}, \"v\":{\"dtype\":"
       "\"U8\",\"shape\":[2],\"data_offsets\":[0,2]} , \"w\": {\"dtype\": "
       "\"U8\", \"new\": -1.5e3, \"shape\": [2, 2], \"data_offsets\": [2, 6]}}",
       NULL},
      {"{\"w\":{\"dtype\":\"I8\",\"shape\":[2,2],\"data_offsets\":[0,4]}}",
       NULL},
      {"{}", "no such tensor"},
      {"{\"v\":{\"dtype\":\"I8\"}}", "no such tensor"},
      {"[]", "no .safetensors file"},
      {"{\"w\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[0,4]}}",
       "another element type"},
      {"{\"w\":{\"dtype\":\"I8\",\"shape\":[4],\"data_offsets\":[0,4]}}",
       "another shape"},
      {"{\"w\":{\"dtype\":\"I8\",\"shape\":[2,2],\"data_offsets\":[5,9]}}",
       "outside the file"},
      {"{\"w\":{\"dtype\":\"I8\",\"shape\":[2,2],\"data_offsets\":[4,0]}}",
       "outside the file"},
      {"{\"w\":{\"dtype\":\"I8\",\"shape\":[2,2]}}", "header is damaged"},
      {"{\"w\":{\"dtype\":\"I8\",\"shape\":[99999999999999999999]}}",
       "header is damaged"},
      {"{\"w\":", "header is damaged"},
      {"{\"w", "no such tensor"},
      {"{\"v\":{{{{", "no such tensor"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    uint8_t file[512] = {0};
    uint64_t length = strlen(rows[i].json);
    memcpy(file, &length, 8);
    memcpy(file + 8, rows[i].json, length);
    memcpy(file + 8 + length, "abcdefgh", 8);
    const uint8_t *found = NULL;
    MloptStatus *status = mloptFindWeight((MloptBytes){file, 16 + length}, "f",
                                          "w", &type, &found);
    if (rows[i].words)
      CHECK_FAILS(status, MLOPT_BAD_ARTIFACT, rows[i].words);
    else if (CHECK_OK(status))
      CHECK(!memcmp(found, i ? "abcd" : "cdef", 4));
  }
  uint8_t huge[8] = {255, 255, 255, 255, 255, 255, 255, 255};
  const uint8_t *found;
  CHECK_FAILS(mloptFindWeight((MloptBytes){huge, 8}, "f", "w", &type, &found),
              MLOPT_BAD_ARTIFACT, "no .safetensors file");
}

int main(void) {
  if (!mkdtemp(folder))
    return 1;
  testSignature();
  testExplain();
  testCubins();
  testSameBytes();
  testFiles();
  testDamage();
  testHostility();
  testHeader();
  testWrongPlans();
  testBudget();
  testWeights();
  return finish(folder);
}
