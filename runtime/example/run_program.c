/*===- run_program.c - Running an artifact from C ---------------------------===
 *
 * Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===------------------------------------------------------------------------===
 *
 * run_program PROGRAM.mlopt: fills the arguments of the first entry with small
 * numbers, runs it on GPU 0 and prints the first bytes of each result.
 *
 *===------------------------------------------------------------------------===
 */

#include <mlopt_runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prints and releases a failure. */
static int failed(MloptStatus *status) {
  if (!status)
    return 0;
  fprintf(stderr, "error: %s\n", mloptGetStatusMessage(status));
  mloptReleaseStatus(status);
  return 1;
}

/* Host memory for each tensor; floats are filled with 0, 1/7, 2/7, ... */
static void **createTensors(uint32_t count, const MloptTensorInfo *infos) {
  void **tensors = calloc(count + 1, sizeof *tensors);
  if (!tensors)
    return NULL;
  for (uint32_t i = 0; i < count; ++i) {
    tensors[i] = calloc(1, infos[i].byte_size + 1);
    if (!tensors[i])
      return NULL;
    if (!strcmp(infos[i].element, "f32"))
      for (uint64_t j = 0; j < infos[i].byte_size / sizeof(float); ++j)
        ((float *)tensors[i])[j] = (float)(j % 8) / 7;
  }
  return tensors;
}

static void releaseTensors(uint32_t count, void **tensors) {
  for (uint32_t i = 0; tensors && i < count; ++i)
    free(tensors[i]);
  free(tensors);
}

static void printResult(const MloptTensorInfo *info, const void *data) {
  printf("%s, %s:", info->name, info->element);
  if (!strcmp(info->element, "f32"))
    for (uint64_t i = 0; i < info->byte_size / sizeof(float) && i < 4; ++i)
      printf(" %g", ((const float *)data)[i]);
  else
    for (uint64_t i = 0; i < info->byte_size && i < 16; ++i)
      printf(" %02x", ((const unsigned char *)data)[i]);
  printf("\n");
}

int main(int argc, char **argv) {
  MloptDevice *device = NULL;
  MloptArtifact *artifact = NULL;
  MloptProgram *program = NULL;
  MloptInstance *instance = NULL;
  if (argc != 2) {
    fprintf(stderr, "usage: run_program PROGRAM.mlopt\n");
    return 2;
  }
  if (failed(mloptReadArtifact(argv[1], &artifact)))
    return 1;
  const MloptEntryInfo *entry = mloptGetEntry(artifact, 0);
  void **arguments = createTensors(entry->argument_count, entry->arguments);
  void **results = createTensors(entry->result_count, entry->results);
  int bad = !arguments || !results ||
            failed(mloptOpenDevice(0, NULL, &device)) ||
            failed(mloptLoadProgram(device, artifact, &program)) ||
            failed(mloptCreateInstance(program, 0, NULL, &instance)) ||
            failed(mloptRunOnHostData(instance, (const void *const *)arguments,
                                      results));
  if (!bad) {
    printf("ran %s on %s\n", entry->name, mloptGetDeviceName(device));
    for (uint32_t i = 0; i < entry->result_count; ++i)
      printResult(&entry->results[i], results[i]);
  }
  releaseTensors(entry->argument_count, arguments);
  releaseTensors(entry->result_count, results);
  mloptReleaseInstance(instance);
  mloptReleaseProgram(program);
  mloptReleaseDevice(device);
  mloptReleaseArtifact(artifact);
  return bad;
}
