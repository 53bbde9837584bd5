//===- mlopt.c - All tools in one program ---------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program of the bundle. Linked statically, each tool would hold LLVM and
// MLIR; so one program is all of them, and the name that it is called by,
// through a symbolic link, says which. `mlopt run ...` is `mlopt-run ...`.
//
//===----------------------------------------------------------------------===//

#include <stdio.h>
#include <string.h>

typedef int Main(int argc, char **argv);

// Each tool's main, under the name that cmake/Bundle.cmake gives it there.
Main mloptMain_compile, mloptMain_opt, mloptMain_run;

static const struct {
  const char *name;
  Main *main;
} tools[] = {{"compile", mloptMain_compile},
             {"opt", mloptMain_opt},
             {"run", mloptMain_run}};
enum { NUM_TOOLS = sizeof tools / sizeof *tools };

static Main *findTool(const char *name) {
  for (int i = 0; i < NUM_TOOLS; ++i)
    if (!strcmp(tools[i].name, name))
      return tools[i].main;
  return NULL;
}

static int printUsage(FILE *file) {
  fputs("usage: mlopt TOOL [ARGUMENT...]\n\n"
        "mlopt TOOL is mlopt-TOOL; --help after it tells more. The tools:\n",
        file);
  for (int i = 0; i < NUM_TOOLS; ++i)
    fprintf(file, "  %s\n", tools[i].name);
  return file == stdout ? 0 : 2;
}

int main(int argc, char **argv) {
  static const char prefix[] = "mlopt-";
  size_t length = sizeof prefix - 1;
  const char *slash = strrchr(argv[0], '/');
  const char *name = slash ? slash + 1 : argv[0];
  Main *tool = strncmp(name, prefix, length) ? NULL : findTool(name + length);
  if (tool)
    return tool(argc, argv);
  if (argc < 2 || !strcmp(argv[1], "--help"))
    return printUsage(argc < 2 ? stderr : stdout);
  if (!(tool = findTool(argv[1]))) {
    fprintf(stderr, "mlopt: error: no tool \"%s\"\n\n", argv[1]);
    return printUsage(stderr);
  }
  return tool(argc - 1, argv + 1);
}
