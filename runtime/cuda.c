//===- cuda.c - The CUDA driver, opened at run time -----------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // secure_getenv
#include "cuda.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef struct Symbol {
  const char *name;
  size_t offset; // of the pointer in MloptCuda
  bool optional;
} Symbol;

static const Symbol symbols[] = {
#define MLOPT_CUDA(member, symbol, parameters)                                 \
  {#symbol, offsetof(MloptCuda, member), false},
#define MLOPT_CUDA_OPTIONAL(member, symbol, parameters)                        \
  {#symbol, offsetof(MloptCuda, member), true},
#include "cuda_symbols.def"
};

MloptStatus *mloptOpenCuda(MloptCuda *out_cuda) {
  memset(out_cuda, 0, sizeof *out_cuda);
  const char *path = secure_getenv("MLOPT_LIBCUDA");
  if (!path || !*path)
    path = "libcuda.so.1";
  out_cuda->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!out_cuda->library) {
    const char *reason = dlerror();
    return mloptCreateStatus(
        MLOPT_NO_DRIVER,
        "cannot open the NVIDIA driver's library %s: %s; install the driver, "
        "or run on the CPU",
        path, reason ? reason : "no reason given");
  }
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; ++i) {
    void *address = dlsym(out_cuda->library, symbols[i].name);
    if (!address && !symbols[i].optional)
      return mloptCreateStatus(
          MLOPT_NO_DRIVER,
          "the NVIDIA driver's library %s has no %s: it is older than CUDA "
          "12.3; update the driver",
          path, symbols[i].name);
    memcpy((char *)out_cuda + symbols[i].offset, &address, sizeof address);
  }
  return NULL;
}

void mloptCloseCuda(MloptCuda *cuda) {
  if (cuda->library)
    dlclose(cuda->library);
  cuda->library = NULL;
}

MloptCudaErrorInfo mloptGetCudaErrorInfo(CuResult error) {
  switch (error) {
#define MLOPT_CUDA_ERROR(name, value, code, lost, advice)                      \
  case value:                                                                  \
    return (MloptCudaErrorInfo){code, lost, advice};
#include "cuda_constants.def"
  default:
    return (MloptCudaErrorInfo){MLOPT_LAUNCH, false,
                                "see the CUDA driver's documentation"};
  }
}

const char *mloptGetCudaErrorName(const MloptCuda *cuda, CuResult error) {
  const char *name = NULL;
  if (cuda->getErrorName(error, &name) != MLOPT_CUDA_SUCCESS || !name)
    return "an error unknown to the driver";
  return name;
}
