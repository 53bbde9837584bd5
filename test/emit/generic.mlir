// RUN: mlopt-opt %s -mlopt-to-gpu | FileCheck %s
// RUN: mlopt-opt %s -pass-pipeline='builtin.module(func.func(convert-mlopt-to-linalg),linalg-generalize-named-ops,func.func(mlopt-form-kernels),mlopt-outline-kernels,mlopt-plan-memory,gpu.module(mlopt-emit-kernels),mlopt-lower-kernels,mlopt-serialize-to-ptx{chip=sm_80 ptx=80})' | FileCheck %s --check-prefix=SM80

// What is written as a product and a sum is not contracted; rounding to bf16 is
// the instruction of every chip since sm_80.
// CHECK:     gpu.binary @contract_kernel_0
// CHECK:     .target sm_90a
// CHECK:     mul.rn.f32
// CHECK:     add.rn.f32
// CHECK-NOT: fma.rn
// CHECK:     cvt.rn.bf16x2.f32
// SM80:      .version 8.0
// SM80:      .target sm_80
// SM80-NOT:  griddepcontrol
func.func @contract(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xbf16> {
  %0 = mlopt.mul %x, %y : tensor<64xf32>
  %1 = mlopt.add %0, %x : tensor<64xf32>
  %2 = mlopt.convert %1 : tensor<64xf32> -> tensor<64xbf16>
  return %2 : tensor<64xbf16>
}
