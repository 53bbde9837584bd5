//===- artifact_fuzz.c - Hostile artifacts for the loader -----------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A libFuzzer target: the input is an artifact, first as it is, then with its
// size and checksum made right, so that changes reach the checks behind them.
// What is accepted is walked over and described. The input is also taken as a
// .safetensors file.
//
//===----------------------------------------------------------------------===//

#include "runtime.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void readArtifact(const uint8_t *data, size_t size) {
  MloptArtifact *artifact;
  MloptStatus *status =
      mloptReadArtifactFromMemory(data, size, NULL, &artifact);
  if (!status) {
    char *text;
    status = mloptExplainArtifact(artifact, &text);
    mloptReleaseText(text);
  }
  mloptReleaseStatus(status);
  mloptReleaseArtifact(artifact);
}

static void readWeights(const uint8_t *data, size_t size) {
  static const int64_t shape[] = {2, 4};
  MloptTensorInfo type = {
      .element = "f32", .rank = 2, .shape = shape, .byte_size = 32};
  const uint8_t *found = NULL;
  MloptStatus *status =
      mloptFindWeight((MloptBytes){data, size}, "weights", "w", &type, &found);
  volatile uint8_t sum = 0;
  for (int i = 0; !status && i < 32; ++i)
    sum += found[i];
  mloptReleaseStatus(status);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  readArtifact(data, size);
  readWeights(data, size);
  MloptArtifactHeader header;
  if (size < sizeof header)
    return 0;
  uint8_t *sealed = malloc(size);
  memcpy(sealed, data, size);
  memcpy(&header, data, sizeof header);
  memcpy(header.magic, MLOPT_ARTIFACT_MAGIC, sizeof header.magic);
  header.version = MLOPT_ARTIFACT_VERSION;
  header.header_size = sizeof header;
  header.file_size = size;
  header.checksum = 0;
  header.checksum = mloptChecksum(mloptChecksum(0, &header, sizeof header),
                                  data + sizeof header, size - sizeof header);
  memcpy(sealed, &header, sizeof header);
  readArtifact(sealed, size);
  free(sealed);
  return 0;
}
