// RUN: mlopt-opt %s --pass-pipeline='builtin.module(func.func(mlopt-push-numerics))' | FileCheck %s
// RUN: mlopt-opt %s --pass-pipeline='builtin.module(mlopt-import)' | FileCheck %s --check-prefix=IMPORT
// RUN: mlopt-compile --emit=plan %s | FileCheck %s --check-prefix=PLAN

// Operations get their function's mode, unless they name one.
// CHECK-LABEL: func.func private @strict
// CHECK: mlopt.reduce add %{{.*}} dims [0] {numerics = #mlopt.numerics<strict>}
// CHECK: mlopt.exp %{{.*}} {numerics = #mlopt.numerics<fast>}
// CHECK: mlopt.broadcast %{{.*}} dims [] :
// CHECK: mlopt.add %{{.*}}, %{{.*}} {numerics = #mlopt.numerics<strict>}
func.func private @strict(%x: tensor<5000xf32>) -> tensor<5000xf32> attributes {mlopt.numerics = #mlopt.numerics<strict>} {
  %0 = mlopt.reduce add %x dims [0] : (tensor<5000xf32>) -> tensor<f32>
  %1 = mlopt.exp %0 {numerics = #mlopt.numerics<fast>} : tensor<f32>
  %2 = mlopt.broadcast %1 dims [] : tensor<f32> -> tensor<5000xf32>
  %3 = mlopt.add %2, %x : tensor<5000xf32>
  return %3 : tensor<5000xf32>
}

// What is inlined keeps the mode in which it was written.
// CHECK-LABEL: func.func @main
// IMPORT-LABEL: func.func @main
// IMPORT: mlopt.reduce add %{{.*}} dims [0] {numerics = #mlopt.numerics<strict>}
// IMPORT: mlopt.reduce add %{{.*}} dims [0] :
func.func @main(%x: tensor<5000xf32>) -> tensor<f32> {
  %0 = func.call @strict(%x) : (tensor<5000xf32>) -> tensor<5000xf32>
  %1 = mlopt.reduce add %0 dims [0] : (tensor<5000xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// No schedule changes the order of a strict sum, or of the operations that are
// combined by a region.
// PLAN-LABEL: gpu.module @ordered_kernel_0
// PLAN-NOT:   family =
// PLAN:       arith.addf %{{.*}}, %{{.*}} {mlopt.ordered} : f32
// PLAN:       arith.mulf %{{.*}}, %{{.*}} {mlopt.ordered} : f32
// PLAN-LABEL: func.func @ordered
func.func @ordered(%x: tensor<65536x64xf32>) -> (tensor<64xf32>, tensor<64xf32>) attributes {mlopt.numerics = #mlopt.numerics<strict>} {
  %0 = mlopt.reduce add %x dims [0] : (tensor<65536x64xf32>) -> tensor<64xf32>
  %one = mlopt.constant dense<1.0> : tensor<f32>
  %1 = mlopt.reduce %x, %one dims [0] : (tensor<65536x64xf32>, tensor<f32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mlopt.yield %p : f32
  }
  return %0, %1 : tensor<64xf32>, tensor<64xf32>
}
