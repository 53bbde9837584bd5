//===- npz_test.c - Reading and writing .npz, hostile files too -----------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes files into a folder of its own: well-formed ones must give back the
// same bits, malformed ones one message that says what is wrong with them. All
// truncations of a file and all one-byte changes of a header are tried; under
// AddressSanitizer that shows that none is read past its end.
//
//===----------------------------------------------------------------------===//

#include "npz.h"
#include "random.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zip.h>

static int passed, failed;

static void check(bool ok, const char *what, const char *detail) {
  if (ok)
    ++passed;
  else
    ++failed, printf("FAIL: %s: %s\n", what, detail);
}

static char path[] = "npz_test.npz";

static MloptTensor tensorOf(MloptElement element, int rank,
                            const int64_t *shape) {
  MloptTensor t;
  MloptError error = {0};
  check(mloptTensorSetType(&t, element, rank, shape, &error), "set type",
        error.text);
  return t;
}

/// Reads array `x` of the file into a tensor like `like`.
static bool readLike(const MloptTensor *like, MloptTensor *out,
                     MloptError *error) {
  *error = (MloptError){0};
  *out = *like;
  out->data = NULL;
  MloptNpz *npz = mloptNpzOpen(path, error);
  bool good = npz && mloptNpzRead(npz, "x", out, error);
  mloptNpzClose(npz);
  return good;
}

static void expectRefused(const char *what, const MloptTensor *like,
                          const char *message) {
  MloptTensor out;
  MloptError error;
  bool good = readLike(like, &out, &error);
  check(!good && strstr(error.text, message), what,
        good ? "was read" : error.text);
  if (good)
    mloptTensorRelease(&out);
}

//===----------------------------------------------------------------------===//
// Round trips
//===----------------------------------------------------------------------===//

static void testRoundTrips(void) {
  static const struct {
    int rank;
    int64_t shape[4];
  } shapes[] = {
      {0, {0}}, {1, {5}}, {2, {3, 4}}, {4, {2, 1, 3, 5}}, {2, {0, 7}}};
  const char *const name = "x";
  for (int e = MLOPT_NO_ELEMENT + 1; e <= MLOPT_INDEX; ++e) {
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s) {
      MloptError error = {0};
      MloptTensor back;
      MloptTensor t =
          tensorOf((MloptElement)e, shapes[s].rank, shapes[s].shape);
      mloptTensorAllocate(&t, &error);
      mloptFillRandom(&t, 7, (int)s);
      check(mloptNpzWrite(path, 1, &name, &t, &error), "write", error.text);
      bool good = readLike(&t, &back, &error) &&
                  !memcmp(t.data, back.data, mloptTensorBytes(&t));
      check(good, mloptElementInfo(t.element)->name, error.text);
      if (good)
        mloptTensorRelease(&back);
      mloptTensorRelease(&t);
    }
  }
}

/// Every value of the narrow floats travels as float32 and comes back.
static void testNarrowFloats(void) {
  static const MloptElement narrow[] = {MLOPT_F16, MLOPT_BF16, MLOPT_F8E4M3FN,
                                        MLOPT_F8E5M2};
  const char *const name = "x";
  for (size_t k = 0; k < sizeof narrow / sizeof *narrow; ++k) {
    MloptError error = {0};
    MloptTensor back;
    int64_t count = INT64_C(1) << mloptNumberWidth(narrow[k]);
    MloptTensor t = tensorOf(narrow[k], 1, &count);
    mloptTensorAllocate(&t, &error);
    for (int64_t i = 0; i < count; ++i)
      mloptTensorSetBits(&t, i, (uint64_t)i);
    bool good = mloptNpzWrite(path, 1, &name, &t, &error) &&
                readLike(&t, &back, &error);
    for (int64_t i = 0; good && i < count; ++i)
      good = mloptTensorGetBits(&back, i) == (uint64_t)i ||
             (mloptNumberIsNaN(narrow[k], (uint64_t)i) &&
              mloptNumberIsNaN(narrow[k], mloptTensorGetBits(&back, i)));
    check(good, "all values", mloptElementInfo(narrow[k])->name);
    if (back.data)
      mloptTensorRelease(&back);
    mloptTensorRelease(&t);
  }
}

//===----------------------------------------------------------------------===//
// Files made by hand
//===----------------------------------------------------------------------===//

/// Writes an archive that holds one entry, stored as it is.
static void writeEntry(const char *entry, const void *bytes, size_t size) {
  zipFile archive = zipOpen64(path, APPEND_STATUS_CREATE);
  bool good = zipOpenNewFileInZip64(archive, entry, NULL, NULL, 0, NULL, 0,
                                    NULL, /*stored*/ 0, 0, 0) == ZIP_OK &&
              zipWriteInFileInZip(archive, bytes, (unsigned)size) == ZIP_OK;
  check((zipClose(archive, NULL) == ZIP_OK) & good, "write an archive", path);
}

/// An .npy of version 1 with this dictionary and data; returns its size.
static size_t makeNpy(const char *dictionary, const void *data, size_t size,
                      char *out) {
  size_t length = strlen(dictionary);
  memcpy(out, "\x93NUMPY\x01", 8);
  out[8] = (char)(length & 0xff);
  out[9] = (char)(length >> 8);
  memcpy(out + 10, dictionary, length);
  memcpy(out + 10 + length, data, size);
  return 10 + length + size;
}

static void writeNpy(const char *dictionary, const void *data, size_t size) {
  char bytes[4096];
  writeEntry("x.npy", bytes, makeNpy(dictionary, data, size, bytes));
}

static void testMismatches(void) {
  static const char zeros[256];
  const int64_t shape[] = {2, 3};
  MloptTensor f32 = tensorOf(MLOPT_F32, 2, shape);
  static const struct {
    const char *dictionary;
    size_t size;
    const char *message;
  } cases[] = {
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", 48,
       "is float64[2, 3], but tensor<2x3xf32> takes float32[2, 3]"},
      {"{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }", 24,
       "is int32[2, 3], but"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }", 24,
       "is float32[3, 2], but"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }", 24,
       "is float32[6], but"},
      {"{'descr': '>f4', 'fortran_order': False, 'shape': (2, 3), }", 24,
       "big-endian"},
      {"{'descr': '<c8', 'fortran_order': False, 'shape': (2, 3), }", 48,
       "no float, integer or bool"},
      {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 3)}", 24,
       "not what numpy writes"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 20,
       "holds 20 bytes of data where 24 are needed"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 28,
       "holds 28 bytes of data where 24 are needed"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 3), }", 24,
       "not what numpy writes"},
      {"{'descr': '<f4', 'fortran_order': False, "
       "'shape': (99999999999999999999, 3), }",
       24, "not what numpy writes"},
      {"{'descr': '<f4', 'fortran_order': False, "
       "'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1), }",
       24, "not what numpy writes"},
      {"{'descr': '<f4', 'fortran_order': False, }", 24,
       "not what numpy writes"},
      {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, "
       "'shape': (2, 3), }",
       24, "not what numpy writes"},
      {"{'descr': '', 'fortran_order': False, 'shape': (2, 3), }", 24,
       "no float, integer or bool"},
      {"{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2, 3), }", 24,
       "not what numpy writes"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } x", 24,
       "not what numpy writes"},
      {"", 24, "truncated .npy header"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    writeNpy(cases[i].dictionary, zeros, cases[i].size);
    expectRefused(cases[i].dictionary, &f32, cases[i].message);
  }
  writeEntry("x.npy", "PK", 2);
  expectRefused("no .npy", &f32, "not in .npy format");
  writeEntry("x.npy", "", 0);
  expectRefused("empty entry", &f32, "not in .npy format");
  writeEntry("x.npy", "\x93NUMPY\x09\x00\x10\x00{}", 12);
  expectRefused("version", &f32, "version 9.0 is not known");
  writeEntry("x.npy", "\x93NUMPY\x01\x00\xff\x0f{}", 12);
  expectRefused("long header", &f32, "truncated .npy header");
  writeEntry("x.npy", "\x93NUMPY\x02\x00\xff\xff\xff\xff{}", 14);
  expectRefused("huge header", &f32, "exceeds 65536");
  writeEntry("y.npy", "", 0);
  expectRefused("misnamed", &f32, "no array \"x\"; it has y");
}

static void testValues(void) {
  MloptError error;
  MloptTensor out;
  const int64_t two = 2, three = 3;
  const char *floats =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";

  const float tenth[] = {1.0f, 0.1f};
  writeNpy(floats, tenth, sizeof tenth);
  MloptTensor bf16 = tensorOf(MLOPT_BF16, 1, &two);
  expectRefused("bf16 of 0.1", &bf16,
                "holds 0.100000001 at [1], which is no value of type bf16");

  const float large[] = {448.0f, 480.0f};
  writeNpy(floats, large, sizeof large);
  MloptTensor f8 = tensorOf(MLOPT_F8E4M3FN, 1, &two);
  expectRefused("f8E4M3FN of 480", &f8, "holds 480 at [1]");

  writeNpy("{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }", "\1\2",
           2);
  MloptTensor i1 = tensorOf(MLOPT_I1, 1, &two);
  expectRefused("bool of 2", &i1, "holds 2 at [1]");

  const uint16_t unsignedShorts[] = {0xffff, 1};
  writeNpy("{'descr': '<u2', 'fortran_order': False, 'shape': (2,), }",
           unsignedShorts, sizeof unsignedShorts);
  MloptTensor i16 = tensorOf(MLOPT_I16, 1, &two);
  bool good = readLike(&i16, &out, &error) && mloptTensorGet(&out, 0) == -1;
  check(good, "unsigned is accepted", error.text);
  mloptTensorRelease(&out);

  writeNpy("{'descr': '|i1', 'fortran_order': False, 'shape': (2,), }",
           "\x21\x03", 2);
  MloptTensor i4 = tensorOf(MLOPT_I4, 1, &three);
  good = readLike(&i4, &out, &error);
  check(good && !memcmp(out.data, "\1\2\3", 3), "i4 is packed low half first",
        error.text);
  mloptTensorRelease(&out);

  const int64_t shape[] = {2, 3};
  const int8_t columns[] = {0, 3, 1, 4, 2, 5};
  writeNpy("{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3), }",
           columns, sizeof columns);
  MloptTensor i8 = tensorOf(MLOPT_I8, 2, shape);
  good = readLike(&i8, &out, &error);
  check(good && !memcmp(out.data, "\0\1\2\3\4\5", 6), "Fortran order",
        error.text);
  mloptTensorRelease(&out);
}

//===----------------------------------------------------------------------===//
// Damage
//===----------------------------------------------------------------------===//

static size_t slurp(char *out, size_t size) {
  FILE *file = fopen(path, "rb");
  size_t got = fread(out, 1, size, file);
  fclose(file);
  return got;
}

static void spill(const char *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  fwrite(bytes, 1, size, file);
  fclose(file);
}

/// Whether reading the file ends in success or in one message.
static bool endsWell(const MloptTensor *like) {
  MloptTensor out;
  MloptError error;
  bool good = readLike(like, &out, &error);
  if (good)
    mloptTensorRelease(&out);
  return good || error.text[0];
}

static void testDamage(void) {
  const int64_t shape[] = {2, 3};
  MloptTensor i8 = tensorOf(MLOPT_I8, 2, shape);
  writeNpy("{'descr': '|i1', 'fortran_order': False, 'shape': (2, 3), }",
           "abcdef", 6);
  char bytes[4096], copy[4096];
  size_t size = slurp(bytes, sizeof bytes);

  for (size_t cut = 0; cut < size; ++cut) {
    spill(bytes, cut);
    expectRefused("truncated archive", &i8, path);
  }
  for (size_t at = 0; at < size; ++at) {
    memcpy(copy, bytes, size);
    copy[at] = (char)(copy[at] ^ 0x55);
    spill(copy, size);
    check(endsWell(&i8), "changed archive", "no message");
  }
  size_t data = 0;
  while (memcmp(bytes + data, "abcdef", 6))
    ++data;
  memcpy(copy, bytes, size);
  copy[data] = 'z';
  spill(copy, size);
  expectRefused("wrong checksum", &i8, "CRC");

  size_t npy =
      makeNpy("{'descr': '|i1', 'fortran_order': False, 'shape': (2, 3), }",
              "abcdef", 6, bytes);
  for (size_t at = 0; at < npy; ++at) {
    for (int change = 1; change < 256; change += 7) {
      memcpy(copy, bytes, npy);
      copy[at] = (char)(copy[at] ^ change);
      writeEntry("x.npy", copy, npy);
      check(endsWell(&i8), "changed .npy", "no message");
    }
  }
  unlink(path);
  expectRefused("no file", &i8, "cannot read npz_test.npz: No such file");
}

int main(void) {
  char folder[] = P_tmpdir "/npz_test.XXXXXX";
  if (!mkdtemp(folder) || chdir(folder) != 0)
    return 1;
  testRoundTrips();
  testNarrowFloats();
  testMismatches();
  testValues();
  testDamage();
  unlink(path);
  rmdir(folder);
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
