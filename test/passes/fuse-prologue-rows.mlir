// RUN: mlopt-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(mlopt-fuse{wgmma=true}))' | FileCheck %s
// RUN: mlopt-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(mlopt-fuse))' | FileCheck %s

// Beside few rows, kernels compute a factor as they read it, on any chip.
// CHECK-LABEL: func.func @scaled
// CHECK-SAME: kernels = 1
func.func @scaled(%x: tensor<64x520xbf16>, %w: tensor<1000x520xi8>, %s: tensor<1000xbf16>) -> tensor<64x1000xbf16> {
  %f = mlopt.convert %w : tensor<1000x520xi8> -> tensor<1000x520xbf16>
  %b = mlopt.broadcast %s dims [0] : tensor<1000xbf16> -> tensor<1000x520xbf16>
  %v = mlopt.mul %f, %b : tensor<1000x520xbf16>
  %r = mlopt.dot %x, %v contract [1] x [1] : (tensor<64x520xbf16>, tensor<1000x520xbf16>) -> tensor<64x1000xbf16>
  return %r : tensor<64x1000xbf16>
}

// -----

// Beside more rows of such a size, no kernel does.
// CHECK-LABEL: func.func @more_rows
// CHECK-SAME: kernels = 2
// CHECK: reason = "prologue"
func.func @more_rows(%x: tensor<65x520xbf16>, %w: tensor<1000x520xi8>) -> tensor<65x1000xbf16> {
  %f = mlopt.convert %w : tensor<1000x520xi8> -> tensor<1000x520xbf16>
  %r = mlopt.dot %x, %f contract [1] x [1] : (tensor<65x520xbf16>, tensor<1000x520xbf16>) -> tensor<65x1000xbf16>
  return %r : tensor<65x1000xbf16>
}

// -----

// Factors that Tensor Cores do not take are computed apart.
// CHECK-LABEL: func.func @wide
// CHECK-SAME: kernels = {{[2-9]}}
func.func @wide(%x: tensor<16x512xf64>, %w: tensor<1024x512xi8>) -> tensor<16x1024xf64> {
  %f = mlopt.convert %w : tensor<1024x512xi8> -> tensor<1024x512xf64>
  %e = mlopt.exp %f : tensor<1024x512xf64>
  %r = mlopt.dot %x, %e contract [1] x [1] : (tensor<16x512xf64>, tensor<1024x512xf64>) -> tensor<16x1024xf64>
  return %r : tensor<16x1024xf64>
}
