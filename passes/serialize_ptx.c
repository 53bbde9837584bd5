//===- serialize_ptx.c - gpu.module to gpu.binary holding PTX
//--------------===//
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
// Modules are compiled on several threads, each in an LLVM context of its own;
// the text of each depends on its module and the options alone. LLVM neither
// contracts nor flushes denormals here unless an operation's flags allow it.
//
//===----------------------------------------------------------------------===//

#include "build.h"
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

/// A module and what became of it. `error` is owned; `ptx` too.
typedef struct Job {
  MlirOperation module;
  const char *chip;
  const char *features;
  LLVMMemoryBufferRef ptx;
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

static LLVMTargetMachineRef createMachine(Job *job) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, initializeTarget);
  const char *triple = "nvptx64-nvidia-cuda";
  LLVMTargetRef target;
  char *message = NULL;
  if (LLVMGetTargetFromTriple(triple, &target, &message)) {
    job->error = copyMessage(message);
    LLVMDisposeMessage(message);
    return NULL;
  }
  return LLVMCreateTargetMachine(target, triple, job->chip, job->features,
                                 LLVMCodeGenLevelAggressive, LLVMRelocDefault,
                                 LLVMCodeModelDefault);
}

/// Optimises and prints an LLVM module.
static void emitPtx(Job *job, LLVMModuleRef module,
                    LLVMTargetMachineRef machine) {
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
  LLVMSetModuleDataLayout(module, layout);
  LLVMDisposeTargetData(layout);
  LLVMSetTarget(module, "nvptx64-nvidia-cuda");

  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPasses(module, "default<O3>", machine, options);
  LLVMDisposePassBuilderOptions(options);
  if (error) {
    char *message = LLVMGetErrorMessage(error);
    job->error = copyMessage(message);
    LLVMDisposeErrorMessage(message);
    return;
  }
  char *message = NULL;
  if (LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMAssemblyFile,
                                          &message, &job->ptx)) {
    job->error = copyMessage(message);
    LLVMDisposeMessage(message);
  }
}

static void compileModule(Job *job) {
  LLVMTargetMachineRef machine = createMachine(job);
  if (!machine)
    return;
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = mlirTranslateModuleToLLVMIR(job->module, context);
  if (module) {
    emitPtx(job, module, machine);
    LLVMDisposeModule(module);
  } else {
    job->error = copyMessage("its contents are not in the llvm dialect");
  }
  LLVMContextDispose(context);
  LLVMDisposeTargetMachine(machine);
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

static MlirAttribute getObject(MlirContext context, const Job *job) {
  char text[128];
  snprintf(text, sizeof text,
           "#nvvm.target<O = 3, chip = \"%s\", features = \"%s\">", job->chip,
           job->features);
  MlirAttribute target = mlirAttributeParseGet(context, mloptStr(text));
  enum { FORMAT_ASSEMBLY = 2 }; // gpu::CompilationTarget::Assembly
  return mlirGPUObjectAttrGet(context, target, FORMAT_ASSEMBLY,
                              mlirStringRefCreate(LLVMGetBufferStart(job->ptx),
                                                  LLVMGetBufferSize(job->ptx)),
                              mlirAttributeGetNull());
}

static void replaceByBinary(const Job *job) {
  MloptBuilder b =
      mloptBuilderBefore(job->module, mlirOperationGetLocation(job->module));
  MlirAttribute object = getObject(b.context, job);
  MlirNamedAttribute attrs[] = {
      mloptNamedAttr(b.context, "sym_name", mloptAttr(job->module, "sym_name")),
      mloptNamedAttr(b.context, "objects",
                     mlirArrayAttrGet(b.context, 1, &object)),
      mloptNamedAttr(b.context, "mlopt.chip",
                     mloptStrAttr(b.context, job->chip)),
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

enum { OPTION_CHIP, OPTION_PTX };

static void copyOption(MloptPass pass, int option, char *out, size_t size) {
  MlirStringRef value = mloptPassGetString(pass, option);
  snprintf(out, size, "%.*s", (int)value.length, value.data);
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

static void run(MlirOperation top, MloptPass pass) {
  intptr_t count = collectModules(top, NULL);
  if (!count)
    return;
  char chip[32], features[32];
  copyOption(pass, OPTION_CHIP, chip, sizeof chip);
  snprintf(features, sizeof features, "+ptx%d",
           (int)mloptPassGetInt(pass, OPTION_PTX));
  Job *jobs = calloc(count, sizeof *jobs);
  if (!jobs) {
    mloptOpError(top, "out of memory for %ld kernels", (long)count);
    mloptPassSignalFailure(pass);
    return;
  }
  collectModules(top, jobs);
  for (intptr_t i = 0; i < count; ++i) {
    jobs[i].chip = chip;
    jobs[i].features = features;
  }
  compileAll(jobs, count);
  for (intptr_t i = 0; i < count; ++i) {
    if (jobs[i].ptx) {
      replaceByBinary(&jobs[i]);
      LLVMDisposeMemoryBuffer(jobs[i].ptx);
    } else {
      mloptOpError(jobs[i].module, "cannot become PTX for %s: %s", chip,
                   jobs[i].error ? jobs[i].error : "LLVM refused it");
      mloptPassSignalFailure(pass);
    }
    free(jobs[i].error);
  }
  free(jobs);
}

static const MloptOptionDef options[] = {
    [OPTION_CHIP] = {.name = "chip",
                     .kind = MLOPT_OPTION_STRING,
                     .help = "GPU architecture to compile for",
                     .stringDefault = "sm_90a"},
    // 8.6 is the oldest that has every TMA and wgmma form that kernels use.
    [OPTION_PTX] = {.name = "ptx",
                    .kind = MLOPT_OPTION_INT,
                    .help = "PTX ISA version, times ten",
                    .intDefault = 86},
};

const MloptPassDef mloptPass_serializeToPtx MLOPT_TABLE = {
    .argument = "mlopt-serialize-to-ptx",
    .summary = "Compile gpu.module to PTX in a gpu.binary",
    .doc = "Runs LLVM's NVPTX backend at O3 on every gpu.module and puts the "
           "PTX into a gpu.binary of the same name. The text depends on the "
           "module and the options alone. A module that LLVM cannot compile is "
           "an error at that module, and stays.",
    .anchor = "builtin.module",
    .options = options,
    .numOptions = MLOPT_COUNT(options),
    .run = run,
};
