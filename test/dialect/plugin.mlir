// The same dialect and passes in a stock mlir-opt, from libMLOpt.so: CSE and
// canonicalization know the operations, a pass of mlopt takes its option, and
// errors come from the same verifiers.
//
// RUN: mlir-opt %plugin %s -cse -canonicalize -split-input-file -verify-diagnostics | FileCheck %s
// RUN: mlir-opt %plugin %s -split-input-file -verify-diagnostics \
// RUN:   --pass-pipeline='builtin.module(cse,func.func(canonicalize,convert-mlopt-to-linalg{accumulate=f64}))' \
// RUN:   | FileCheck %s --check-prefix=LINALG

// CHECK-LABEL: @twice
// CHECK-COUNT-1: mlopt.exp
// CHECK-NOT: mlopt.exp
// LINALG-LABEL: @twice
// LINALG-NOT: mlopt.
// LINALG-COUNT-1: math.exp
// LINALG-NOT: math.exp
// LINALG: f64
func.func @twice(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>) {
  %0 = mlopt.exp %x : tensor<4xf32>
  %1 = mlopt.exp %x : tensor<4xf32>
  %2 = mlopt.add %0, %1 : tensor<4xf32>
  %dead = mlopt.cos %x : tensor<4xf32>
  %3 = mlopt.reduce add %2 dims [0] : (tensor<4xf32>) -> tensor<f32>
  return %2, %3 : tensor<4xf32>, tensor<f32>
}

// -----

func.func @differ(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error @below {{'mlopt.add' op}}
  %0 = "mlopt.add"(%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return
}
