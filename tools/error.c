//===- error.c - Messages of the command-line tools -----------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "error.h"

#include <stdarg.h>
#include <stdio.h>

bool mloptSetError(MloptError *error, const char *format, ...) {
  if (error->text[0])
    return false;
  va_list args;
  va_start(args, format);
  vsnprintf(error->text, sizeof error->text, format, args);
  va_end(args);
  return false;
}
