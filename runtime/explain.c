//===- explain.c - An artifact in words -----------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // open_memstream
#include "artifact.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Explainer {
  FILE *out;
  const MloptArtifact *artifact;
  const MloptPlanEntry *entry;
} Explainer;

static void printType(Explainer *e, const MloptTensorInfo *type) {
  fprintf(e->out, "tensor<");
  for (uint32_t i = 0; i < type->rank; ++i)
    fprintf(e->out, "%" PRId64 "x", type->shape[i]);
  fprintf(e->out, "%s>, %" PRIu64 " bytes", type->element, type->byte_size);
}

static void printSize3(Explainer *e, const char *what, const uint32_t *size) {
  fprintf(e->out, ", %s %ux%ux%u", what, size[0], size[1], size[2]);
}

static void printPlace(Explainer *e, const MloptPlace *place) {
  const MloptEntryInfo *info = &e->entry->info;
  const char *name = "arena";
  if (place->home == MLOPT_HOME_ARGUMENT)
    name = info->arguments[place->index].name;
  else if (place->home == MLOPT_HOME_RESULT)
    name = info->results[place->index].name;
  else if (place->home == MLOPT_HOME_CONSTANT)
    name = e->artifact->constants[place->index].type.name;
  fputs(name, e->out);
  if (place->offset || place->home == MLOPT_HOME_ARENA)
    fprintf(e->out, "+%" PRIu64, place->offset);
}

static void printFlag(Explainer *e, const MloptPlanFlag *flag) {
  fprintf(e->out, "the %u-byte flag at ", flag->bytes);
  printPlace(e, &flag->place);
}

static void printArgument(Explainer *e, const MloptPlanArgument *argument) {
  if (argument->kind == MLOPT_ARGUMENT_SCALAR) {
    fprintf(e->out, "0x%" PRIx64, argument->bits);
    return;
  }
  printPlace(e, &argument->place);
  const MloptPlanMap *map = argument->map;
  if (argument->kind != MLOPT_ARGUMENT_MAP)
    return;
  fprintf(e->out, " as a tensor map of box ");
  for (uint32_t i = map->pixels ? 2 : map->rank; i-- > 0;)
    fprintf(e->out, "%u%s", map->box[i], i ? "x" : "");
  if (map->pixels)
    fprintf(e->out, " of pixels");
}

static void printLaunch(Explainer *e, const MloptPlanLaunch *launch) {
  fprintf(e->out, "launch %s", e->artifact->kernels[launch->kernel].name);
  printSize3(e, "grid", launch->grid);
  printSize3(e, "block", launch->block);
  if (launch->cluster[0])
    printSize3(e, "cluster", launch->cluster);
  if (launch->dynamic_shared_bytes)
    fprintf(e->out, ", %u bytes of shared memory",
            launch->dynamic_shared_bytes);
  fprintf(e->out, " (");
  for (uint32_t i = 0; i < launch->argument_count; ++i) {
    fputs(i ? ", " : "", e->out);
    printArgument(e, &launch->arguments[i]);
  }
  fprintf(e->out, ")");
}

static void printAction(Explainer *e, const MloptPlanStep *step) {
  switch (step->kind) {
  case MLOPT_STEP_LAUNCH:
    printLaunch(e, &step->launch);
    break;
  case MLOPT_STEP_COPY:
    fprintf(e->out, "copy %" PRIu64 " bytes from ", step->copy.bytes);
    printPlace(e, &step->copy.source);
    fprintf(e->out, " to ");
    printPlace(e, &step->copy.target);
    break;
  case MLOPT_STEP_FILL:
    fprintf(e->out, "fill %" PRIu64 " elements of %u bytes with 0x%x at ",
            step->fill.count, step->fill.element_bytes, step->fill.value);
    printPlace(e, &step->fill.target);
    break;
  case MLOPT_STEP_WHILE:
    fprintf(e->out, "loop: segment %u, then while ",
            step->while_loop.condition);
    printFlag(e, &step->while_loop.flag);
    fprintf(e->out, " is not zero segment %u", step->while_loop.body);
    break;
  case MLOPT_STEP_REPEAT:
    fprintf(e->out, "repeat segment %u, %" PRIu64 " times", step->repeat.body,
            step->repeat.count);
    break;
  case MLOPT_STEP_SWITCH:
    fprintf(e->out, "switch on ");
    printFlag(e, &step->switch_on.flag);
    fprintf(e->out, ", segments");
    for (uint32_t i = 0; i < step->switch_on.case_count; ++i)
      fprintf(e->out, " %u", step->switch_on.cases[i]);
    break;
  }
}

static void printSegment(Explainer *e, uint32_t number) {
  const MloptPlanSegment *segment = &e->entry->segments[number];
  fprintf(e->out, "  segment %u\n", number);
  for (uint32_t i = 0; i < segment->step_count; ++i) {
    const MloptPlanStep *step = &segment->steps[i];
    fprintf(e->out, "    %u: ", i);
    printAction(e, step);
    for (uint32_t j = 0; j < step->edge_count; ++j)
      fprintf(e->out, "%s %u%s", j ? "," : ", after", step->edges[j].step,
              step->edges[j].programmatic ? " (programmatic)" : "");
    fputc('\n', e->out);
  }
}

static void printTensors(Explainer *e, const char *kind, uint32_t count,
                         const MloptTensorInfo *tensors) {
  for (uint32_t i = 0; i < count; ++i) {
    fprintf(e->out, "  %s %u, %s: ", kind, i, tensors[i].name);
    printType(e, &tensors[i]);
    fprintf(e->out, ", aligned to %u\n", tensors[i].alignment);
  }
}

static void printEntry(Explainer *e) {
  static const char *const checks[] = {"equal", "close", "almost equal"};
  const MloptEntryInfo *info = &e->entry->info;
  fprintf(e->out, "entry %s, %u launches, arena of %" PRIu64 " bytes\n",
          info->name, info->launch_count, info->arena_bytes);
  printTensors(e, "argument", info->argument_count, info->arguments);
  for (uint32_t i = 0; i < info->argument_source_count; ++i)
    fprintf(e->out, "  trailing arguments from entry %s\n",
            e->artifact->entries[info->argument_sources[i]].info.name);
  printTensors(e, "result", info->result_count, info->results);
  for (uint32_t i = 0; i < info->check_count; ++i)
    fprintf(e->out, "  check: result %u is %s to result %u\n",
            info->checks[i].actual, checks[info->checks[i].kind],
            info->checks[i].expected);
  for (uint32_t i = 0; i < e->entry->segment_count; ++i)
    printSegment(e, i);
}

static void printCode(Explainer *e) {
  const MloptArtifact *artifact = e->artifact;
  for (uint32_t i = 0; i < artifact->module_count; ++i) {
    const MloptPlanModule *module = &artifact->modules[i];
    fprintf(e->out, "module %u, %s, for %s: ", i, module->name, module->target);
    if (module->ptx.data)
      fprintf(e->out, "PTX of %zu bytes", module->ptx.size - 1);
    for (uint32_t j = 0; j < module->cubin_count; ++j)
      fprintf(e->out, "%scubin of %zu bytes for %s",
              j || module->ptx.data ? ", " : "", module->cubins[j].image.size,
              module->cubins[j].chip);
    fputc('\n', e->out);
  }
  for (uint32_t i = 0; i < artifact->kernel_count; ++i)
    fprintf(e->out, "kernel %u, %s, in module %u\n", i,
            artifact->kernels[i].name, artifact->kernels[i].module);
}

static void printConstants(Explainer *e) {
  const MloptArtifact *artifact = e->artifact;
  for (uint32_t i = 0; i < artifact->constant_count; ++i) {
    const MloptPlanConstant *constant = &artifact->constants[i];
    fprintf(e->out, "constant %u, %s: ", i, constant->type.name);
    printType(e, &constant->type);
    if (constant->tensor)
      fprintf(e->out, ", tensor %s of %s", constant->tensor,
              artifact->weight_files[constant->file]);
    fputc('\n', e->out);
  }
}

MloptStatus *mloptExplainArtifact(const MloptArtifact *artifact,
                                  char **out_text) {
  *out_text = NULL;
  size_t size = 0;
  char *text = NULL;
  Explainer e = {open_memstream(&text, &size), artifact, NULL};
  if (!e.out)
    return mloptCreateHostMemoryStatus();
  fprintf(e.out, "program %s, made by %s\n", artifact->program,
          artifact->producer);
  fprintf(e.out,
          "%zu bytes: plan %zu, constants %zu, PTX %zu, cubins %zu, source "
          "%zu\n",
          artifact->size, artifact->sections[MLOPT_SECTION_PLAN].size,
          artifact->sections[MLOPT_SECTION_CONSTANTS].size,
          artifact->sections[MLOPT_SECTION_PTX].size,
          artifact->sections[MLOPT_SECTION_CUBINS].size,
          artifact->sections[MLOPT_SECTION_SOURCE].size);
  printCode(&e);
  printConstants(&e);
  for (uint32_t i = 0; i < artifact->entry_count; ++i) {
    e.entry = &artifact->entries[i];
    printEntry(&e);
  }
  bool failed = ferror(e.out);
  if (fclose(e.out) || failed) {
    free(text);
    return mloptCreateHostMemoryStatus();
  }
  *out_text = text;
  return NULL;
}

void mloptReleaseText(char *text) { free(text); }
