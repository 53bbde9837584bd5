// Which sums one thread forms in order, so that a window gives what it gives on
// the CPU, and which are shared between lanes.
//
// RUN: mlopt-compile %s --emit=plan | FileCheck %s

// A sum over nine elements that nothing else needs.
// CHECK-LABEL: gpu.module @window_kernel_0
// CHECK-NOT:   family = "rows"
func.func @window(%x: tensor<4096x9xf32>) -> tensor<4096xf32> {
  %s = mlopt.reduce add %x dims [1] : (tensor<4096x9xf32>) -> tensor<4096xf32>
  return %s : tensor<4096xf32>
}

// With a result for each of the nine, a thread would form the sum nine times.
// CHECK-LABEL: gpu.module @normalised_kernel_0
// CHECK:       family = "rows"
func.func @normalised(%x: tensor<4096x9xf32>) -> tensor<4096x9xf32> {
  %s = mlopt.reduce add %x dims [1] : (tensor<4096x9xf32>) -> tensor<4096xf32>
  %b = mlopt.broadcast %s dims [0] : tensor<4096xf32> -> tensor<4096x9xf32>
  %r = mlopt.div %x, %b : tensor<4096x9xf32>
  return %r : tensor<4096x9xf32>
}

// Longer sums are shared.
// CHECK-LABEL: gpu.module @longer_kernel_0
// CHECK:       family = "rows"
func.func @longer(%x: tensor<4096x17xf32>) -> tensor<4096xf32> {
  %s = mlopt.reduce add %x dims [1] : (tensor<4096x17xf32>) -> tensor<4096xf32>
  return %s : tensor<4096xf32>
}

// Rows of an odd number of elements have no vectors: each thread takes several
// elements, and blocks of all the threads that there are take many rows, or the
// GPU would do little but start them.
// CHECK-LABEL: gpu.module @odd_kernel_0
// CHECK:       blocks = 4096 : i64, {{.*}}lanes = 1 : i64, line = 4 : i64, {{.*}}threads = 256 : i64, vectors = 8 : i64
func.func @odd(%x: tensor<262143x31xbf16>) -> tensor<262143xbf16> {
  %s = mlopt.reduce add %x dims [1] : (tensor<262143x31xbf16>) -> tensor<262143xbf16>
  return %s : tensor<262143xbf16>
}

// A warp takes what it can.
// CHECK-LABEL: gpu.module @warp_kernel_0
// CHECK:       lanes = 1 : i64, line = 32 : i64, {{.*}}threads = 256 : i64, vectors = 9 : i64
func.func @warp(%x: tensor<65537x257xbf16>) -> tensor<65537xbf16> {
  %s = mlopt.reduce add %x dims [1] : (tensor<65537x257xbf16>) -> tensor<65537xbf16>
  return %s : tensor<65537xbf16>
}
