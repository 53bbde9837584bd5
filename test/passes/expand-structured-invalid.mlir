// RUN: mlopt-opt %s -mlopt-expand-structured -split-input-file \
// RUN:   -verify-diagnostics

func.func @kind(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'mlopt.scan' op has no region; convert-mlopt-to-linalg gives it one}}
  %0 = mlopt.scan add %x dim 0 : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
