// RUN: mlopt-opt %s -convert-mlopt-to-linalg -split-input-file \
// RUN:   -verify-diagnostics
// RUN: not mlopt-opt %s -convert-mlopt-to-linalg=accumulate=f16 \
// RUN:   -split-input-file 2>&1 | FileCheck %s
// CHECK: accumulation type 'f16' is not 'f64'

func.func @dynamic_operand(%a: tensor<?xf32>) -> tensor<f32> {
  // expected-error @+1 {{'mlopt.reduce' op operand 0 has a dynamic shape, which lowering does not support}}
  %0 = mlopt.reduce add %a dims [0] : (tensor<?xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// One message, at the first of them.
func.func @dynamic_elementwise(%a: tensor<4x?xf32>) -> tensor<4x?xf32> {
  // expected-error @+1 {{'mlopt.exp' op operand 0 has a dynamic shape}}
  %0 = mlopt.exp %a : tensor<4x?xf32>
  %1 = mlopt.sin %0 : tensor<4x?xf32>
  return %1 : tensor<4x?xf32>
}

// -----

func.func @dynamic_result() -> tensor<?xi32> {
  // expected-error @+1 {{'mlopt.iota' op result 0 has a dynamic shape, which lowering does not support}}
  %0 = mlopt.iota dim 0 : tensor<?xi32>
  return %0 : tensor<?xi32>
}
