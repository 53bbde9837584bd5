//===- runtime_gpu_setting.c - The tests' programs on a GPU ---------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime_gpu_setting.h"

#include <time.h>

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

// clang-format off

// %rd4 is the byte offset of a thread's element, %p whether it has one, %q
// whether it is the first thread.
#define HEAD                                                                   \
  "{ .reg .pred %p, %q; .reg .b32 %r<8>; .reg .b64 %rd<16>; .reg .f32 %f<4>;\n"\
  "griddepcontrol.wait;\n"                                                     \
  "mov.u32 %r1, %tid.x; setp.lt.u32 %p, %r1, 8; setp.eq.u32 %q, %r1, 0;\n"     \
  "mul.wide.u32 %rd4, %r1, 4;\n"
/// %rd<number> becomes the address of the thread's element.
#define ELEMENT(number, parameter)                                             \
  "ld.param.u64 %rd" #number ", [" parameter "];\n"                            \
  "add.s64 %rd" #number ", %rd" #number ", %rd4;\n"

const char gpu_ptx[] =
  ".version 8.6\n.target sm_90a\n.address_size 64\n"

  ".visible .entry add1(.param .u64 a, .param .u64 b)\n"
  HEAD ELEMENT(1, "a") ELEMENT(2, "b")
  "@%p ld.global.f32 %f1, [%rd1];\n"
  "add.f32 %f1, %f1, 0f3F800000;\n"
  "@%p st.global.f32 [%rd2], %f1;\n"
  "ret; }\n"

  ".visible .entry scale(.param .u64 a, .param .u64 b, .param .f32 c)\n"
  HEAD ELEMENT(1, "a") ELEMENT(2, "b")
  "ld.param.f32 %f2, [c];\n"
  "@%p ld.global.f32 %f1, [%rd1];\n"
  "mul.f32 %f1, %f1, %f2;\n"
  "@%p st.global.f32 [%rd2], %f1;\n"
  "ret; }\n"

  ".visible .entry sum(.param .u64 a, .param .u64 b, .param .u64 c)\n"
  HEAD ELEMENT(1, "a") ELEMENT(2, "b") ELEMENT(3, "c")
  "@%p ld.global.f32 %f1, [%rd1];\n"
  "@%p ld.global.f32 %f2, [%rd2];\n"
  "add.f32 %f1, %f1, %f2;\n"
  "@%p st.global.f32 [%rd3], %f1;\n"
  "ret; }\n"

  ".visible .entry less(.param .u64 a, .param .u32 b, .param .u64 c)\n"
  HEAD
  "ld.param.u64 %rd1, [a]; ld.param.u32 %r2, [b]; ld.param.u64 %rd2, [c];\n"
  "ld.global.u32 %r3, [%rd1];\n"
  "setp.lt.s32 %p, %r3, %r2; selp.u32 %r4, 1, 0, %p;\n"
  "@%q st.global.u8 [%rd2], %r4;\n"
  "ret; }\n"

  // Two blocks are launched; one counts.
  ".visible .entry inc(.param .u64 a)\n"
  HEAD
  "mov.u32 %r2, %ctaid.x; setp.eq.and.u32 %q, %r2, 0, %q;\n"
  "ld.param.u64 %rd1, [a];\n"
  "@%q ld.global.u32 %r3, [%rd1];\n"
  "add.s32 %r3, %r3, 1;\n"
  "@%q st.global.u32 [%rd1], %r3;\n"
  "ret; }\n"

  ".visible .entry load(.param .align 64 .b8 a[128], .param .u64 b)\n"
  HEAD
  ".shared .align 128 .b8 tile[128]; .shared .align 8 .b64 full;\n"
  ELEMENT(2, "b")
  "mov.b64 %rd1, a; cvta.param.u64 %rd1, %rd1;\n"
  "mov.u32 %r2, tile; mov.u32 %r3, full; mov.u32 %r4, 0;\n"
  "@%q mbarrier.init.shared::cta.b64 [%r3], 1;\n"
  "@%q fence.mbarrier_init.release.cluster;\n"
  "bar.sync 0;\n"
  "@%q mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 32;\n"
  "@%q cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx"
  "::bytes [%r2], [%rd1, {%r4, %r4}], [%r3];\n"
  "again: mbarrier.try_wait.parity.shared::cta.b64 %q, [%r3], 0;\n"
  "@!%q bra again;\n"
  "shl.b32 %r5, %r1, 2; add.u32 %r2, %r2, %r5;\n"
  "@%p ld.shared.f32 %f1, [%r2];\n"
  "@%p st.global.f32 [%rd2], %f1;\n"
  "ret; }\n";
// clang-format on

//===----------------------------------------------------------------------===//
// Settings
//===----------------------------------------------------------------------===//

MloptArtifactWriter *planLong(void) {
  MloptArtifactWriter *writer = createWriter();
  MloptEntryWriter *entry = createMain(writer);
  for (uint32_t i = 0; i < LONG_CHAIN; ++i) {
    launch(entry, 0, ADD1, i ? A + (i - 1) % 2 : X, 0,
           i + 1 < LONG_CHAIN ? A + i % 2 : Y, 0);
    if (i)
      mloptAddEdge(entry, 0, i - 1, true);
  }
  return writer;
}

bool driverOk(CuResult error) {
  CHECK(error == MLOPT_CUDA_SUCCESS);
  return error == MLOPT_CUDA_SUCCESS;
}

bool setUp(Setting *s, MloptArtifactWriter *writer, MloptLaunchMode mode) {
  *s = (Setting){0};
  MloptDeviceOptions options = {.cache_directory = ""};
  MloptArtifact *artifact = readPlan(writer);
  MloptInstanceOptions instance = {.mode = mode};
  bool good =
      CHECK_OK(mloptOpenDevice(0, &options, &s->device)) &&
      CHECK_OK(mloptLoadProgram(s->device, artifact, &s->program)) &&
      CHECK_OK(mloptCreateInstance(s->program, 0, &instance, &s->instance)) &&
      CHECK_OK(mloptEnterDevice(s->device, &s->pushed)) &&
      driverOk(s->device->cuda.streamCreate(&s->stream,
                                            MLOPT_CU_STREAM_NON_BLOCKING)) &&
      driverOk(s->device->cuda.memAlloc(&s->block, BLOCK_BYTES));
  mloptReleaseArtifact(artifact);
  return good;
}

void tearDown(Setting *s) {
  if (s->block)
    driverOk(s->device->cuda.memFree(s->block));
  if (s->stream)
    driverOk(s->device->cuda.streamDestroy(s->stream));
  if (s->device)
    mloptLeaveDevice(s->device, s->pushed);
  mloptReleaseInstance(s->instance);
  mloptReleaseProgram(s->program);
  mloptReleaseDevice(s->device);
}

double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}
