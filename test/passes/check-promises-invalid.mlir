// RUN: mlopt-opt %s -split-input-file -verify-diagnostics --pass-pipeline='builtin.module(func.func(mlopt-fuse,mlopt-check-promises))'
// RUN: not mlopt-opt %s --mlopt-check-promises 2>&1 | FileCheck %s
// CHECK: 'func.func' op has 'mlopt.expect' but no 'mlopt.traffic': run mlopt-fuse first

// expected-error @below {{'func.func' op promises at most 1 kernels, but needs 2}}
func.func @kernels(%x: tensor<16x16xf32>) -> tensor<16x16xf32>
    attributes {mlopt.expect = {kernels = 1}} {
  %0 = mlopt.neg %x : tensor<16x16xf32>
  // expected-note @below {{operand 0 of this kernel comes from memory (2048 bytes, prologue): a dot reads its factors from memory}}
  %1 = mlopt.dot %0, %x contract [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}

// -----

// The edge that costs most comes first.
// expected-error @below {{'func.func' op promises at most 1000 bytes of device memory traffic, but needs 3264}}
func.func @bytes(%x: tensor<16x16xf32>) -> tensor<16xf32>
    attributes {mlopt.expect = {kernels = 3, hbm_bytes = 1000}} {
  %0 = mlopt.dot %x, %x contract [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  // expected-note @below {{operand 0 of this kernel comes from memory (2048 bytes, contraction)}}
  %1 = mlopt.reduce add %0 dims [1] : (tensor<16x16xf32>) -> tensor<16xf32>
  // expected-note @below {{operand 0 of this kernel comes from memory (128 bytes, scan)}}
  %2 = mlopt.scan add %1 dim 0 : (tensor<16xf32>) -> tensor<16xf32>
  return %2 : tensor<16xf32>
}
