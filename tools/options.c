//===- options.c - Command lines of the tools -----------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "options.h"

#include "version.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// --help
//===----------------------------------------------------------------------===//

/// Prints `text` wrapped at 80 columns after `indent` spaces; the cursor stands
/// at `column`.
static void printWrapped(const char *text, int indent, int column) {
  enum { WIDTH = 80 };
  while (*text) {
    int word = (int)strcspn(text, " ");
    if (column > indent && column + 1 + word > WIDTH) {
      printf("\n%*s", indent, "");
      column = indent;
    } else if (column > indent) {
      column += printf(" ");
    } else {
      column += printf("%*s", indent - column, "");
    }
    column += printf("%.*s", word, text);
    text += word + (text[word] == ' ');
  }
  printf("\n");
}

static void printFlag(const char *name, const char *value, bool optional,
                      const char *help) {
  enum { HELP_COLUMN = 26 };
  const char *join = !value ? "" : name[1] == '-' ? "=" : " ";
  int column = printf(optional ? "  %s[%s%s]" : "  %s%s%s", name, join,
                      value ? value : "");
  if (column >= HELP_COLUMN - 1) {
    printf("\n");
    column = 0;
  }
  printWrapped(help, HELP_COLUMN, column);
}

static void printHelp(const MloptCommand *c) {
  printf("usage: %s [OPTION...]%s%s\n\n", c->tool, c->operand ? " " : "",
         c->operand ? c->operand : "");
  printWrapped(c->summary, 0, 0);
  printf("\nOptions:\n");
  for (int i = 0; i < c->numFlags; ++i)
    printFlag(c->flags[i].name, c->flags[i].value,
              c->flags[i].kind == MLOPT_FLAG_OPTIONAL, c->flags[i].help);
  printFlag("--help", NULL, false, "Print this and exit.");
  printFlag("--version", NULL, false,
            "Print the version and the commit and exit.");
  if (c->notes)
    printf("\n%s", c->notes);
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

static int smaller(int a, int b) { return a < b ? a : b; }

/// How many characters must be inserted, dropped or changed to make `a` of the
/// first `length` of `b`.
static int editDistance(const char *a, const char *b, size_t length) {
  enum { LONGEST = 63 };
  int row[LONGEST + 1];
  if (length > LONGEST)
    return LONGEST;
  for (size_t j = 0; j <= length; ++j)
    row[j] = (int)j;
  for (size_t i = 0; a[i]; ++i) {
    int diagonal = row[0];
    row[0] = (int)i + 1;
    for (size_t j = 0; j < length; ++j) {
      int change = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = smaller(change, 1 + smaller(row[j], row[j + 1]));
    }
  }
  return row[length];
}

static void refuseUnknown(const MloptCommand *c, const char *arg, size_t length,
                          MloptError *error) {
  const char *nearest = NULL;
  int best = 4; // further off is no suggestion
  for (int i = 0; i < c->numFlags; ++i) {
    int distance = editDistance(c->flags[i].name, arg, length);
    if (distance < best) {
      best = distance;
      nearest = c->flags[i].name;
    }
  }
  if (nearest)
    mloptSetError(error, "unknown option '%.*s'; did you mean '%s'?",
                  (int)length, arg, nearest);
  else
    mloptSetError(error, "unknown option '%.*s'; '%s --help' lists them",
                  (int)length, arg, c->tool);
}

/// The place of `value` in "a|b|c", or -1.
static int findChoice(const char *choices, const char *value) {
  size_t length = strlen(value);
  for (int i = 0;; ++i) {
    size_t each = strcspn(choices, "|");
    if (each == length && !memcmp(choices, value, length))
      return i;
    if (!choices[each])
      return -1;
    choices += each + 1;
  }
}

static bool setFlag(const MloptFlag *flag, const char *value, void *out,
                    MloptError *error) {
  char *end = NULL;
  errno = 0;
  switch (flag->kind) {
  case MLOPT_FLAG_SWITCH:
    *(bool *)out = true;
    return true;
  case MLOPT_FLAG_STRING:
  case MLOPT_FLAG_OPTIONAL:
    if (!value[0])
      return mloptSetError(error, "option '%s' has an empty value", flag->name);
    *(const char **)out = value;
    return true;
  case MLOPT_FLAG_COUNT: {
    unsigned long long count = strtoull(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end || errno)
      return mloptSetError(error, "option '%s' wants a whole number, not '%s'",
                           flag->name, value);
    *(uint64_t *)out = count;
    return true;
  }
  case MLOPT_FLAG_NUMBER: {
    double number = strtod(value, &end);
    if (end == value || *end || !isfinite(number) || number < 0)
      return mloptSetError(error,
                           "option '%s' wants a number of at least 0, not '%s'",
                           flag->name, value);
    *(double *)out = number;
    return true;
  }
  case MLOPT_FLAG_CHOICE: {
    int choice = findChoice(flag->value, value);
    if (choice < 0)
      return mloptSetError(error, "option '%s' wants one of %s, not '%s'",
                           flag->name, flag->value, value);
    *(int *)out = choice;
    return true;
  }
  }
  return false;
}

/// Reads the option at argv[*i], and the value that follows a short one.
static bool parseFlag(const MloptCommand *c, int argc, char **argv, int *i,
                      MloptError *error) {
  const char *arg = argv[*i];
  size_t length = strcspn(arg, "=");
  const char *value = arg[length] ? arg + length + 1 : NULL;
  const MloptFlag *flag = NULL;
  for (int f = 0; f < c->numFlags && !flag; ++f)
    if (strlen(c->flags[f].name) == length &&
        !memcmp(c->flags[f].name, arg, length))
      flag = &c->flags[f];
  if (!flag) {
    refuseUnknown(c, arg, length, error);
    return false;
  }
  void *out = (char *)c->options + flag->out;
  if (flag->kind == MLOPT_FLAG_SWITCH && value)
    return mloptSetError(error, "option '%s' takes no value", flag->name);
  if (flag->kind == MLOPT_FLAG_OPTIONAL && !value) {
    *(const char **)out = "";
    return true;
  }
  if (flag->kind != MLOPT_FLAG_SWITCH && !value) {
    bool isLong = flag->name[1] == '-';
    if (isLong || *i + 1 == argc)
      return mloptSetError(error, "option '%s' wants a value: %s%s%s",
                           flag->name, flag->name, isLong ? "=" : " ",
                           flag->value);
    value = argv[++*i];
  }
  return setFlag(flag, value, out, error);
}

typedef enum Parsed {
  GO_ON,
  HELPED, ///< --help or --version was printed
  REFUSED ///< the message is set
} Parsed;

static Parsed parse(const MloptCommand *c, int argc, char **argv,
                    const char **operand, MloptError *error) {
  bool onlyOperands = false;
  int count = 0;
  for (int i = 1; i < argc; ++i) {
    const char *arg = argv[i];
    if (!onlyOperands && !strcmp(arg, "--help")) {
      printHelp(c);
      return HELPED;
    }
    if (!onlyOperands && !strcmp(arg, "--version")) {
      printf(*mloptCommit ? "%s %s (%s)\n" : "%s %s\n", c->tool, MLOPT_VERSION,
             mloptCommit);
      return HELPED;
    }
    if (!onlyOperands && !strcmp(arg, "--")) {
      onlyOperands = true;
    } else if (!onlyOperands && arg[0] == '-' && arg[1]) {
      if (!parseFlag(c, argc, argv, &i, error))
        return REFUSED;
    } else if (!c->operand || (count && !c->many)) {
      mloptSetError(error, "unexpected argument '%s'; '%s --help' explains",
                    arg, c->tool);
      return REFUSED;
    } else {
      operand[count++] = arg;
    }
  }
  if (c->many)
    operand[count] = NULL;
  if (!c->operand || c->many || count)
    return GO_ON;
  mloptSetError(error, "no %s given; '%s --help' explains", c->operand,
                c->tool);
  return REFUSED;
}

bool mloptParseLine(const MloptCommand *command, char *line,
                    const char **operand, MloptError *error) {
  enum { MOST = 64 };
  char *argv[MOST] = {(char *)command->tool}, *rest = NULL;
  int argc = 1;
  for (char *word = strtok_r(line, " \t\r\n", &rest); word;
       word = strtok_r(NULL, " \t\r\n", &rest)) {
    if (argc == MOST)
      return mloptSetError(error, "a line of more than %d words", MOST - 1);
    argv[argc++] = word;
  }
  MloptCommand one = *command;
  one.many = false;
  return parse(&one, argc, argv, operand, error) == GO_ON;
}

int mloptToolMain(const MloptCommand *c, int argc, char **argv,
                  const char **operand, MloptToolBody body, void *userData) {
  MloptError error = {0};
  int code = MLOPT_EXIT_ERROR;
  const char *ignored;
  switch (parse(c, argc, argv, operand ? operand : &ignored, &error)) {
  case GO_ON:
    code = body(userData, &error);
    break;
  case HELPED:
    return MLOPT_EXIT_RIGHT;
  case REFUSED:
    break;
  }
  if (code == MLOPT_EXIT_ERROR && error.text[0])
    fprintf(stderr, "%s: error: %s\n", c->tool, error.text);
  return code;
}
