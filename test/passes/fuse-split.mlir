// RUN: mlopt-opt %s -pass-pipeline='builtin.module(func.func(mlopt-fuse{wgmma=true}))' | FileCheck %s
// RUN: mlopt-opt %s -pass-pipeline='builtin.module(func.func(mlopt-fuse))' | FileCheck %s --check-prefix=OFF
// RUN: mlopt-opt %s -mlopt-to-gpu | FileCheck %s --check-prefix=PTX
// OFF-NOT: bf16

// A large product in f32: its factors become six terms in bf16, in the layout
// that they had, and sums are kept in f32.
// CHECK-LABEL: @large
// CHECK:         mlopt.fusion
// CHECK:           mlopt.broadcast {{.*}} dims [0, 2] : tensor<2048x1024xf32> -> tensor<2048x6x1024xf32>
// CHECK:           mlopt.convert {{.*}} -> tensor<2048x6x1024xbf16>
// CHECK:         mlopt.fusion
// CHECK:           mlopt.broadcast {{.*}} dims [1, 2] : tensor<1024x3072xf32> -> tensor<6x1024x3072xf32>
// CHECK:           mlopt.convert {{.*}} -> tensor<6x1024x3072xbf16>
// CHECK:         mlopt.dot {{.*}} contract [1, 2] x [0, 1] {mlopt.promote} : (tensor<2048x6x1024xbf16>, tensor<6x1024x3072xbf16>) -> tensor<2048x3072xf32>
// PTX:         gpu.binary @large_kernel_2
// PTX:         wgmma.mma_async{{.*}}f32.bf16.bf16
// PTX:         add.rn.f32
// PTX:         func.func @large
func.func @large(%a: tensor<2048x1024xf32>, %b: tensor<1024x3072xf32>) -> tensor<2048x3072xf32> {
  %0 = mlopt.dot %a, %b contract [1] x [0] : (tensor<2048x1024xf32>, tensor<1024x3072xf32>) -> tensor<2048x3072xf32>
  return %0 : tensor<2048x3072xf32>
}

// Batch dimensions behind the new one move.
// CHECK-LABEL: @batched
// CHECK:         mlopt.dot {{.*}} batch [2] x [0] contract [0, 1] x [2, 3] {mlopt.promote}
func.func @batched(%a: tensor<1024x4x1024xf32>, %b: tensor<4x1024x1024xf32>) -> tensor<4x1024x1024xf32> {
  %0 = mlopt.dot %a, %b batch [1] x [0] contract [0] x [2] : (tensor<1024x4x1024xf32>, tensor<4x1024x1024xf32>) -> tensor<4x1024x1024xf32>
  return %0 : tensor<4x1024x1024xf32>
}

// Not where it costs more than it saves, where the order of sums is fixed, or
// where TMA does not take the rows.
// CHECK-LABEL: @stays
// CHECK-NOT:     bf16
func.func @stays(%a: tensor<256x64xf32>, %b: tensor<64x256xf32>, %c: tensor<2048x1024xf32>, %d: tensor<1024x3072xf32>, %e: tensor<2047x1022xf32>, %f: tensor<1022x3071xf32>) -> (tensor<256x256xf32>, tensor<2048x3072xf32>, tensor<2047x3071xf32>) {
  %0 = mlopt.dot %a, %b contract [1] x [0] : (tensor<256x64xf32>, tensor<64x256xf32>) -> tensor<256x256xf32>
  %1 = mlopt.dot %c, %d contract [1] x [0] {numerics = #mlopt.numerics<strict>} : (tensor<2048x1024xf32>, tensor<1024x3072xf32>) -> tensor<2048x3072xf32>
  %2 = mlopt.dot %e, %f contract [1] x [0] : (tensor<2047x1022xf32>, tensor<1022x3071xf32>) -> tensor<2047x3071xf32>
  return %0, %1, %2 : tensor<256x256xf32>, tensor<2048x3072xf32>, tensor<2047x3071xf32>
}
