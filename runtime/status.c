//===- status.c - Making statuses -----------------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "status.h"

#include <stdio.h>
#include <stdlib.h>

struct MloptStatus {
  MloptCode code;
  int driver_error;
  const char *message; // behind this struct, or a literal
};

static const MloptStatus no_memory = {
    MLOPT_OUT_OF_MEMORY, 0,
    "the host has no memory left; free some and call again"};

static MloptStatus *createV(MloptCode code, int driver_error,
                            const char *format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  MloptStatus *status =
      length < 0 ? NULL : malloc(sizeof *status + (size_t)length + 1);
  if (!status)
    return mloptCreateHostMemoryStatus();
  char *text = (char *)(status + 1);
  vsnprintf(text, (size_t)length + 1, format, arguments);
  *status = (MloptStatus){code, driver_error, text};
  return status;
}

MloptStatus *mloptCreateStatus(MloptCode code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  MloptStatus *status = createV(code, 0, format, arguments);
  va_end(arguments);
  return status;
}

MloptStatus *mloptCreateDriverStatus(MloptCode code, int driver_error,
                                     const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  MloptStatus *status = createV(code, driver_error, format, arguments);
  va_end(arguments);
  return status;
}

MloptStatus *mloptPrefixStatus(MloptStatus *status, const char *format, ...) {
  if (!status || status == &no_memory)
    return status;
  va_list arguments;
  va_start(arguments, format);
  MloptStatus *front =
      createV(status->code, status->driver_error, format, arguments);
  va_end(arguments);
  MloptStatus *both =
      mloptCreateDriverStatus(status->code, status->driver_error, "%s: %s",
                              front->message, status->message);
  mloptReleaseStatus(front);
  mloptReleaseStatus(status);
  return both;
}

MloptStatus *mloptJoinStatus(MloptStatus *first, MloptStatus *second) {
  if (!first)
    return second;
  mloptReleaseStatus(second);
  return first;
}

MloptStatus *mloptCreateHostMemoryStatus(void) {
  return (MloptStatus *)&no_memory;
}

MloptCode mloptGetStatusCode(const MloptStatus *status) {
  return status ? status->code : MLOPT_OK;
}

const char *mloptGetStatusMessage(const MloptStatus *status) {
  return status ? status->message : "ok";
}

int mloptGetStatusDriverError(const MloptStatus *status) {
  return status ? status->driver_error : 0;
}

void mloptReleaseStatus(MloptStatus *status) {
  if (status != &no_memory)
    free(status);
}
