//===- status.h - Making statuses ---------------------------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NULL is success and costs nothing; a failure owns its message. When even the
// message cannot be allocated a constant status stands in, which release
// leaves alone.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_RUNTIME_STATUS_H
#define MLOPT_RUNTIME_STATUS_H

#include "mlopt_runtime.h"

#include <stdarg.h>

/// A failure with a formatted message. The caller owns it.
MLOPT_MUST_CHECK MloptStatus *mloptCreateStatus(MloptCode code,
                                                const char *format, ...)
    __attribute__((format(printf, 2, 3), returns_nonnull));
/// The same for what the driver answered.
MLOPT_MUST_CHECK MloptStatus *mloptCreateDriverStatus(MloptCode code,
                                                      int driver_error,
                                                      const char *format, ...)
    __attribute__((format(printf, 3, 4), returns_nonnull));
/// Puts "where: " in front of the message; takes `status`, NULL stays NULL.
MLOPT_MUST_CHECK MloptStatus *mloptPrefixStatus(MloptStatus *status,
                                                const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/// Keeps the first failure: returns `first` if there is one and releases
/// `second`, else returns `second`.
MLOPT_MUST_CHECK MloptStatus *mloptJoinStatus(MloptStatus *first,
                                              MloptStatus *second);
/// The failure that says that the host has no memory left.
MLOPT_MUST_CHECK MloptStatus *mloptCreateHostMemoryStatus(void)
    __attribute__((returns_nonnull));

/// Returns a failure to the caller, for functions that own nothing yet.
#define MLOPT_TRY(expression)                                                  \
  do {                                                                         \
    MloptStatus *mlopt_status = (expression);                                  \
    if (mlopt_status)                                                          \
      return mlopt_status;                                                     \
  } while (0)

#endif // MLOPT_RUNTIME_STATUS_H
