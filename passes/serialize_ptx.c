//===- serialize_ptx.c - gpu.module to gpu.binary holding PTX -------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `mlopt-serialize-to-ptx` runs LLVM's NVPTX backend in this process on every
// gpu.module, whose contents are in the llvm and nvvm dialects, and replaces
// each by a gpu.binary of the same name:
//
//   gpu.module @k { llvm.func @k(...) attributes {nvvm.kernel} ... }
// becomes
//   gpu.binary @k [#gpu.object<#nvvm.target<chip = "sm_90a", ...>,
//                              format = assembly, "...">]
//
// The text depends on the module and the options alone; modules are optimised
// on several threads, each in an LLVM context of its own. LLVM neither
// contracts nor flushes denormals here unless an operation's flags allow it.
// With the option `ptxas`, the text is assembled too, and the binary holds the
// cubin beside it.
//
//===----------------------------------------------------------------------===//

#include "serialize_ptx.h"

#include "build.h"
#include "chips.h"
#include "passes.h"

#include "mlir-c/Dialect/GPU.h"
#include "mlir-c/Target/LLVMIR.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

//===----------------------------------------------------------------------===//
// One module
//===----------------------------------------------------------------------===//

/// What all modules are compiled for.
typedef struct Settings {
  char chip[32];
  char features[32];
  char *ptxas; ///< owned; NULL: no cubins
} Settings;

/// A module and what became of it. `error` is owned; `ptx` too.
typedef struct Job {
  MlirOperation module;
  const Settings *settings;
  LLVMContextRef context;
  LLVMModuleRef llvm;
  LLVMMemoryBufferRef ptx;
  MloptAssembled assembled;
  char *error;
} Job;

static char *copyMessage(const char *message) {
  size_t size = strlen(message) + 1;
  char *copy = malloc(size);
  return copy ? memcpy(copy, message, size) : NULL;
}

static void initializeTarget(void) {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
}

static const char triple[] = "nvptx64-nvidia-cuda";

static LLVMTargetMachineRef createMachine(Job *job) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, initializeTarget);
  LLVMTargetRef target;
  char *message = NULL;
  if (LLVMGetTargetFromTriple(triple, &target, &message)) {
    job->error = copyMessage(message);
    LLVMDisposeMessage(message);
    return NULL;
  }
  return LLVMCreateTargetMachine(
      target, triple, job->settings->chip, job->settings->features,
      LLVMCodeGenLevelAggressive, LLVMRelocDefault, LLVMCodeModelDefault);
}

/// LLVM's default handler ends the process after an error.
static void keepError(LLVMDiagnosticInfoRef info, void *argument) {
  Job *job = argument;
  if (LLVMGetDiagInfoSeverity(info) != LLVMDSError || job->error)
    return;
  char *text = LLVMGetDiagInfoDescription(info);
  job->error = copyMessage(text);
  LLVMDisposeMessage(text);
}

static bool runPasses(Job *job, LLVMTargetMachineRef machine,
                      const char *passes) {
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPasses(job->llvm, passes, machine, options);
  LLVMDisposePassBuilderOptions(options);
  if (!error)
    return true;
  char *message = LLVMGetErrorMessage(error);
  job->error = copyMessage(message);
  LLVMDisposeErrorMessage(message);
  return false;
}

/// Optimises and prints an LLVM module.
static void emitPtx(Job *job, LLVMTargetMachineRef machine) {
  LLVMModuleRef module = job->llvm;
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
  LLVMSetModuleDataLayout(module, layout);
  LLVMDisposeTargetData(layout);
  LLVMSetTarget(module, triple);

  // What was hidden does not change in a loop.
  if (!runPasses(job, machine, "default<O3>") ||
      (mloptHideConstants(module) &&
       !runPasses(job, machine, "function(loop-mssa(licm),early-cse)")))
    return;
  char *message = NULL;
  if (LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMAssemblyFile,
                                          &message, &job->ptx)) {
    job->error = copyMessage(message);
    LLVMDisposeMessage(message);
  }
}

/// MLIR to LLVM IR; on the thread of the pass, whose MLIR context may be for
/// one thread only.
static void translateModule(Job *job) {
  job->context = LLVMContextCreate();
  LLVMContextSetDiagnosticHandler(job->context, keepError, job);
  job->llvm = mlirTranslateModuleToLLVMIR(job->module, job->context);
  if (!job->llvm)
    job->error = copyMessage("its contents are not in the llvm dialect");
}

static void compileModule(Job *job) {
  LLVMTargetMachineRef machine = job->llvm ? createMachine(job) : NULL;
  if (!machine)
    return;
  emitPtx(job, machine);
  LLVMDisposeTargetMachine(machine);
  if (job->ptx && !job->error && job->settings->ptxas)
    job->assembled = mloptAssemblePtx(job->settings->ptxas, job->settings->chip,
                                      LLVMGetBufferStart(job->ptx),
                                      LLVMGetBufferSize(job->ptx));
}

static void releaseJob(Job *job) {
  if (job->llvm)
    LLVMDisposeModule(job->llvm);
  if (job->context)
    LLVMContextDispose(job->context);
  if (job->ptx)
    LLVMDisposeMemoryBuffer(job->ptx);
  free(job->assembled.cubin);
  free(job->assembled.says);
  free(job->error);
}

//===----------------------------------------------------------------------===//
// All modules, on several threads
//===----------------------------------------------------------------------===//

typedef struct Worker {
  pthread_t thread;
  bool started;
  Job *jobs;
  intptr_t numJobs, first, step;
} Worker;

static void *work(void *argument) {
  const Worker *worker = argument;
  for (intptr_t i = worker->first; i < worker->numJobs; i += worker->step)
    compileModule(&worker->jobs[i]);
  return NULL;
}

static void compileAll(Job *jobs, intptr_t numJobs) {
  enum { MAX_WORKERS = 16 };
  Worker workers[MAX_WORKERS];
  intptr_t count = sysconf(_SC_NPROCESSORS_ONLN);
  count = count < 1 ? 1 : count > MAX_WORKERS ? MAX_WORKERS : count;
  count = count > numJobs ? numJobs : count;
  for (intptr_t i = 0; i < count; ++i) {
    workers[i] =
        (Worker){.jobs = jobs, .numJobs = numJobs, .first = i, .step = count};
    // The last share, and any that gets no thread, is done here.
    workers[i].started =
        i + 1 < count &&
        !pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    if (!workers[i].started)
      work(&workers[i]);
  }
  for (intptr_t i = 0; i < count; ++i)
    if (workers[i].started)
      pthread_join(workers[i].thread, NULL);
}

//===----------------------------------------------------------------------===//
// Replacement
//===----------------------------------------------------------------------===//

// gpu::CompilationTarget
enum { FORMAT_ASSEMBLY = 2, FORMAT_BINARY = 3 };

static MlirAttribute getObject(MlirContext context, const Job *job,
                               uint32_t format, const char *data, size_t size) {
  char text[128];
  snprintf(text, sizeof text,
           "#nvvm.target<O = 3, chip = \"%s\", features = \"%s\">",
           job->settings->chip, job->settings->features);
  return mlirGPUObjectAttrGet(
      context, mlirAttributeParseGet(context, mloptStr(text)), format,
      mlirStringRefCreate(data, size), mlirAttributeGetNull());
}

static void replaceByBinary(const Job *job) {
  MloptBuilder b =
      mloptBuilderBefore(job->module, mlirOperationGetLocation(job->module));
  MlirAttribute objects[2];
  intptr_t count = 0;
  objects[count++] =
      getObject(b.context, job, FORMAT_ASSEMBLY, LLVMGetBufferStart(job->ptx),
                LLVMGetBufferSize(job->ptx));
  if (job->assembled.cubin)
    objects[count++] = getObject(b.context, job, FORMAT_BINARY,
                                 job->assembled.cubin, job->assembled.size);
  MlirNamedAttribute attrs[] = {
      mloptNamedAttr(b.context, "sym_name", mloptAttr(job->module, "sym_name")),
      mloptNamedAttr(b.context, "objects",
                     mlirArrayAttrGet(b.context, count, objects)),
      mloptNamedAttr(b.context, "mlopt.chip",
                     mloptStrAttr(b.context, job->settings->chip)),
      // The default; the printer needs it there.
      mloptNamedAttr(
          b.context, "offloadingHandler",
          mlirAttributeParseGet(b.context, mloptStr("#gpu.select_object<0>"))),
  };
  mloptBuildOp(&b, (MloptOpSpec){.name = "gpu.binary",
                                 .numAttrs = MLOPT_COUNT(attrs),
                                 .attrs = attrs});
  mlirOperationDestroy(job->module);
}

/// What the kernel takes, as a remark of the category `ptxas`.
static void remarkUse(const Job *job) {
  const MloptUse *use = &job->assembled.use;
  const int numbers[] = {use->registers, use->spillStores, use->spillLoads,
                         use->shared};
  const MlirStringRef keys[] = {mloptStr("registers"), mloptStr("spill_stores"),
                                mloptStr("spill_loads"),
                                mloptStr("static_shared")};
  char texts[MLOPT_COUNT(numbers)][16];
  MlirStringRef values[MLOPT_COUNT(numbers)];
  for (int i = 0; i < MLOPT_COUNT(numbers); ++i) {
    snprintf(texts[i], sizeof texts[i], "%d", numbers[i]);
    values[i] = mloptStr(texts[i]);
  }
  mlirEmitOptimizationRemark(
      mlirOperationGetLocation(job->module), MlirRemarkKindAnalysis,
      mloptStr("use"), mloptStr("ptxas"), mloptStr(""),
      mlirStringAttrGetValue(mloptAttr(job->module, "sym_name")),
      mloptStr("what a kernel takes of a multiprocessor"), MLOPT_COUNT(keys),
      keys, values);
}

/// Replaces the module, or says why that cannot be.
static bool finishJob(Job *job) {
  const Settings *settings = job->settings;
  if (job->error || !job->ptx) {
    mloptOpError(job->module, "cannot become PTX for %s: %s", settings->chip,
                 job->error ? job->error : "LLVM refused it");
    return false;
  }
  const char *says = job->assembled.says;
  if (settings->ptxas && !job->assembled.cubin) {
    mloptOpError(job->module, "cannot be assembled for %s: %s", settings->chip,
                 says ? says : "ptxas failed and did not say why");
    return false;
  }
  if (says)
    mloptEmit(mlirOperationGetLocation(job->module), MlirDiagnosticWarning,
              says, 0, NULL);
  if (job->assembled.cubin)
    remarkUse(job);
  replaceByBinary(job);
  return true;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

enum { OPTION_CHIP, OPTION_PTX, OPTION_PTXAS };

static void copyOption(MloptPass pass, int option, char *out, size_t size) {
  MlirStringRef value = mloptPassGetString(pass, option);
  snprintf(out, size, "%.*s", (int)value.length, value.data);
}

static bool refuse(MlirOperation top, const char *format, const char *what,
                   const char *list) {
  mloptErrorAt(mlirOperationGetLocation(top), format, what, list);
  return false;
}

/// The path of ptxas, where one is asked for.
static bool readPtxas(MlirOperation top, MloptPass pass, Settings *settings) {
  char name[4096];
  copyOption(pass, OPTION_PTXAS, name, sizeof name);
  if (!name[0])
    return true;
  bool search = !strcmp(name, "search");
  settings->ptxas = search ? mloptFindPtxas() : realpath(name, NULL);
  return settings->ptxas ||
         refuse(top,
                search ? "there is no ptxas in %s or in CUDA's folders%s"
                       : "there is no ptxas at %s%s",
                search ? "$PATH" : name, "");
}

static bool readSettings(MlirOperation top, MloptPass pass,
                         Settings *settings) {
  copyOption(pass, OPTION_CHIP, settings->chip, sizeof settings->chip);
  const MloptChip *chip = mloptFindChip(settings->chip);
  char text[256];
  if (!chip) {
    mloptListChips(text, sizeof text);
    return refuse(top, "there is no PTX for chip '%s'; there is for %s",
                  settings->chip, text);
  }
  int64_t version = mloptPassGetInt(pass, OPTION_PTX);
  if (!version)
    version = mloptDefaultPtx(chip);
  snprintf(text, sizeof text, "%lld", (long long)version);
  if (version > INT32_MAX || !mloptIsPtxVersion((int)version))
    return refuse(top, "LLVM writes no PTX of version %s (times ten)%s", text,
                  "");
  if (version < chip->leastPtx)
    return refuse(top, "PTX of version %s (times ten) is too old for %s", text,
                  chip->name);
  snprintf(settings->features, sizeof settings->features, "+ptx%d",
           (int)version);
  return readPtxas(top, pass, settings);
}

static intptr_t collectModules(MlirOperation top, Job *jobs) {
  intptr_t count = 0;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(top, 0));
  for (MlirOperation op = mlirBlockGetFirstOperation(body);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (mloptIsNamed(op, "gpu.module")) {
      if (jobs)
        jobs[count].module = op;
      ++count;
    }
  return count;
}

/// Whether every module became a binary.
static bool serialize(MlirOperation top, const Settings *settings,
                      intptr_t count, Job *jobs) {
  collectModules(top, jobs);
  bool good = true;
  for (intptr_t i = 0; i < count; ++i) {
    jobs[i].settings = settings;
    good &= mloptCheckForPtx(jobs[i].module);
  }
  if (!good)
    return false;
  for (intptr_t i = 0; i < count; ++i)
    translateModule(&jobs[i]);
  compileAll(jobs, count);
  for (intptr_t i = 0; i < count; ++i)
    good &= finishJob(&jobs[i]);
  return good;
}

static void run(MlirOperation top, MloptPass pass) {
  Settings settings = {.ptxas = NULL};
  intptr_t count = collectModules(top, NULL);
  bool good = readSettings(top, pass, &settings);
  Job *jobs = good ? calloc(count + 1, sizeof *jobs) : NULL;
  if (good && !jobs)
    mloptOpError(top, "out of memory for %ld kernels", (long)count);
  if (!jobs || !serialize(top, &settings, count, jobs))
    mloptPassSignalFailure(pass);
  for (intptr_t i = 0; jobs && i < count; ++i)
    releaseJob(&jobs[i]);
  free(jobs);
  free(settings.ptxas);
}

static const MloptOptionDef options[] = {
    [OPTION_CHIP] = {.name = "chip",
                     .kind = MLOPT_OPTION_STRING,
                     .help = "GPU architecture to compile for",
                     .stringDefault = "sm_90a"},
    [OPTION_PTX] = {.name = "ptx",
                    .kind = MLOPT_OPTION_INT,
                    .help = "PTX ISA version, times ten; 0: 86, or the first "
                            "that has the chip"},
    [OPTION_PTXAS] = {.name = "ptxas",
                      .kind = MLOPT_OPTION_STRING,
                      .help = "Also assemble cubins with this program, or "
                              "'search' to find one",
                      .stringDefault = ""},
};

const MloptPassDef mloptPass_serializeToPtx MLOPT_TABLE = {
    .argument = "mlopt-serialize-to-ptx",
    .summary = "Compile gpu.module to PTX in a gpu.binary",
    .doc = "Runs LLVM's NVPTX backend at O3 on every gpu.module and puts the "
           "PTX into a gpu.binary of the same name, with a cubin beside it if "
           "`ptxas` says so. The text depends on the module and the options "
           "alone. A module that holds what the backend has no code for, or "
           "that ptxas refuses, is an error at that module, and stays; what "
           "ptxas warns of (spilled registers, wgmma that it serialises) is a "
           "warning there, and what a kernel takes (registers, spills, static "
           "shared memory) a remark of the category `ptxas`.",
    .anchor = "builtin.module",
    .options = options,
    .numOptions = MLOPT_COUNT(options),
    .run = run,
};
